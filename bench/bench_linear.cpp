// The linear layer on shapes of real networks.

#include "table.hpp"

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace bench {
namespace {

using namespace dyadic;

/// rows x channels, each a sum over the depth.
struct shape {
  index_t rows, channels, depth;
};
constexpr shape shapes[] = {{1, 16, 16},    {8, 32, 32},    {7, 33, 129},     {1, 256, 256},     {1, 1024, 1024},
                            {256, 256, 64}, {64, 256, 256}, {256, 512, 1024}, {1024, 1024, 1024}};

/// A layer on random values of all sizes, with the storage that it looks into.
template <class Activation, class Scheme>
class problem {
 public:
  problem(shape s, zero_points zero)
      : shape_(s),
        x_(size(s.rows, s.depth)),
        weights_(size(s.channels, s.depth)),
        bias_(size(s.channels, 1)),
        constants_(bias_.size()),
        multipliers_(bias_.size()),
        y_(size(s.rows, s.channels)) {
    std::mt19937 random{20240229};
    for (auto& x : x_) x = static_cast<Activation>(random());
    for (auto& w : weights_) w = static_cast<std::int8_t>(random());
    for (auto& b : bias_) b = static_cast<std::int32_t>(random()) >> 16;
    for (auto& m : multipliers_) {
      // About half of the range is one standard deviation of the outputs.
      const double spread = static_cast<double>(random() % 1000) / 1000 + 0.5;
      m = require(Scheme::derive(spread / (127 * std::sqrt(static_cast<double>(s.depth)))));
    }
    const matrix_view weights{weights_.data(), s.channels, s.depth};
    layer_ = {
        weights, require(fold<Activation>(weights, bias_, zero, constants_)), zero, {multipliers_, range_of<Activation>(1)}};
    const status checked = check(layer_, x(), y());
    if (checked != status::ok) fail(std::string("linear: ") + to_string(checked));
  }

  /// The layer with other weights: those of the same values, packed.
  template <class Weights>
  auto with(Weights weights) const {
    return linear_layer{weights, layer_.bias, layer_.zero, layer_.output};
  }
  matrix_view<const std::int8_t> weights() const { return layer_.weights; }
  template <class Layer>
  Activation* run(const Layer& layer) {
    dyadic::run(layer, x(), y());
    return y_.data();
  }
  void forget() { std::fill(y_.begin(), y_.end(), Activation{0}); }

  /// Whether y is what the definition says.
  bool correct() {
    for (index_t r = 0; r < shape_.rows; ++r)
      for (index_t o = 0; o < shape_.channels; ++o) {
        const Activation* const x_row = x().row(r);
        const std::int8_t* const w_row = layer_.weights.row(o);
        std::int64_t acc = view{bias_}[o];
        for (index_t k = 0; k < shape_.depth; ++k) acc += (x_row[k] - layer_.zero.x) * (w_row[k] - layer_.zero.w);
        const auto narrowed = static_cast<typename Scheme::accumulator>(acc);
        if (y().row(r)[o] != requantize<Scheme>(narrowed, view{multipliers_}[o], range_of<Activation>(1))) return false;
      }
    return true;
  }

 private:
  static std::size_t size(index_t rows, index_t cols) { return static_cast<std::size_t>(rows * cols); }
  template <class T>
  static T require(result<T> r) {
    if (r.status != status::ok) fail(std::string("linear: ") + to_string(r.status));
    return r.value;
  }
  matrix_view<const Activation> x() const { return {x_.data(), shape_.rows, shape_.depth}; }
  matrix_view<Activation> y() { return {y_.data(), shape_.rows, shape_.channels}; }

  shape shape_;
  std::vector<Activation> x_;
  std::vector<std::int8_t> weights_;
  std::vector<std::int32_t> bias_;
  std::vector<typename Scheme::accumulator> constants_;
  std::vector<typename Scheme::multiplier_type> multipliers_;
  std::vector<Activation> y_;
  linear_layer<std::int8_t, channel_output<Activation, Scheme>> layer_{};
};

/// A row for each backend that runs here, its weights packed.
template <class Activation, class Scheme>
void add_format(table& t, const std::string& format, const std::string& scheme, zero_points zero, bool smoke) {
  for (const shape s : shapes) {
    const auto p = std::make_shared<problem<Activation, Scheme>>(s, zero);
    const std::string size = std::to_string(s.rows) + "x" + std::to_string(s.channels) + "x" + std::to_string(s.depth);
    for_each_backend([&](auto backend, bool runs_here) {
      using chosen = decltype(backend);
      if (!runs_here) return;
      const auto storage = std::make_shared<std::vector<std::int8_t>>(
          static_cast<std::size_t>(packed_size<chosen, Activation, std::int8_t>(s.channels, s.depth)));
      const auto packed = pack<chosen, Activation>(p->weights(), view<std::int8_t>(*storage));
      if (packed.status != status::ok) fail(std::string("linear: ") + to_string(packed.status));
      const std::string name = std::string("linear<") + chosen::name + ">/" + format + "/" + size;
      const auto measured = [&](auto layer) {
        p->forget();
        p->run(layer);
        if (!p->correct()) fail(name + " is not what the definition says");
        add(t, name, {format, scheme, chosen::name, size}, s.rows * s.channels * s.depth, smoke,
            [p, storage, layer] { return p->run(layer); });
      };
      // Portable code reads weights as they are; a packed order would only slow it down.
      if constexpr (std::is_same_v<chosen, backend::scalar>)
        measured(p->with(p->weights()));
      else
        measured(p->with(packed.value));
    });
  }
}

}  // namespace

table linear(bool smoke) {
  table t{"Linear: y = x * weights + bias, requantized, with a multiplier per channel",
          {"format", "scheme", "backend", "rows x channels x depth", "GMAC/s", "x scalar", "% of limit"},
          4,
          "GMAC/s: 10^9 multiply-adds per second, requantization included; results were first compared with a plain loop.\n"
          "a16w8: int16 activations, int8 weights, int64 accumulator. a8w8: int8, int8, int32, with an input zero point.\n"
          "% of limit: of the backend's multiply-adds that stay in registers, of 16 bits for a16w8 and of 8 for a8w8.",
          [](const table& all, const row& r) {
            return std::vector{rounded(r.items_per_second / 1e9), times_scalar(all, r, 2),
                               percent_of_limit(r, 2, r.cells[0] == "a8w8" ? 8 : 16)};
          }};
  add_format<std::int16_t, tosa::scale16>(t, "a16w8", "tosa::scale16", {0, 0}, smoke);
  add_format<std::int8_t, tflite::double_rounding>(t, "a8w8", "tflite::double_rounding", {-3, 0}, smoke);
  return t;
}

}  // namespace bench

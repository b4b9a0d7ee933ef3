#pragma once
/// \file
/// Layers with random values, and their outputs by a plain loop of the definition.

#include "shape.hpp"
#include "table.hpp"

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace bench {

/// A layer with a bias and a multiplier for each output channel.
template <class Activation, class Scheme>
class problem {
 public:
  using activation = Activation;
  using scheme = Scheme;

  /// `multipliers` is the number of different multipliers, or 0 if each output channel has its own.
  problem(shape of, dyadic::zero_points zero, std::size_t multipliers)
      : shape_(of),
        zero_(zero),
        x_(size(of.input_size())),
        weights_(size(of.outputs * of.depth())),
        bias_(size(of.outputs)),
        scales_(bias_.size()),
        multipliers_(bias_.size()),
        constants_(bias_.size()),
        expected_(size(of.output_size())),
        y_(expected_.size()) {
    std::mt19937 random{20240229};
    for (auto& x : x_) x = static_cast<Activation>(random());
    draw_weights(random);
    for (auto& b : bias_) b = static_cast<std::int32_t>(random()) >> 16;
    for (std::size_t o = 0; o < scales_.size(); ++o) {
      if (multipliers > 0 && o >= multipliers) {
        scales_[o] = scales_[o - multipliers];
        multipliers_[o] = multipliers_[o - multipliers];
        continue;
      }
      // The standard deviation of the outputs is about `spread` thirds of the largest output.
      const double spread = static_cast<double>(random() % 1000) / 1000 + 0.5;
      scales_[o] = static_cast<float>(spread / (127 * std::sqrt(static_cast<double>(of.depth()))));
      multipliers_[o] = require(Scheme::derive(static_cast<double>(scales_[o])));
    }
    auto y = expected_.begin();
    for (index_t row = 0; row < of.rows(); ++row)
      for (index_t column = 0; column < of.columns(); ++column)
        for (index_t o = 0; o < of.outputs; ++o) *y++ = definition(row, column, o);
  }

  const shape& of() const { return shape_; }
  dyadic::zero_points zero() const { return zero_; }
  dyadic::output_range range() const { return dyadic::range_of<Activation>(1); }
  const std::vector<Activation>& x() const { return x_; }
  /// Returns the weights: a row for each output channel, or for each tap of a depthwise layer.
  dyadic::matrix_view<const std::int8_t> weights() const {
    if (shape_.is_depthwise()) return {weights_.data(), shape_.depth(), shape_.outputs};
    return {weights_.data(), shape_.outputs, shape_.depth()};
  }
  const std::vector<std::int32_t>& bias() const { return bias_; }
  const std::vector<float>& scales() const { return scales_; }
  dyadic::per_channel_output<Activation, Scheme> output() const { return {multipliers_, range()}; }
  /// Returns storage for the constants of a fold.
  std::vector<typename Scheme::accumulator>& constants() { return constants_; }
  std::vector<Activation>& y() { return y_; }
  const std::vector<Activation>& expected() const { return expected_; }

  /// Returns the least number of bytes that a run reads and writes.
  double bytes() const { return static_cast<double>(sizeof(Activation) * (x_.size() + y_.size()) + weights_.size()); }

  template <class T>
  static T require(dyadic::result<T> r) {
    require(r.status);
    return r.value;
  }
  static void require(dyadic::status s) {
    if (s != dyadic::status::ok) fail(std::string("a layer: ") + to_string(s));
  }

 private:
  static std::size_t size(index_t n) { return static_cast<std::size_t>(n); }

  /// Draws weights as a quantizer makes them of trained ones: normally distributed, the largest of each channel is 127. A sum of
  /// 12 uniform numbers stands for the normal distribution, because its values are the same with each library.
  void draw_weights(std::mt19937& random) {
    const shape& s = shape_;
    const auto taps = size(s.depth());
    const auto channels = size(s.outputs);
    std::vector<double> of_channel(taps);
    for (std::size_t o = 0; o < channels; ++o) {
      double most = 0;
      for (double& w : of_channel) {
        w = 0;
        for (int i = 0; i < 12; ++i) w += static_cast<double>(random() & 0xFFFF) - 32767.5;
        most = std::max(most, std::abs(w));
      }
      for (std::size_t k = 0; k < taps; ++k)
        weights_[s.is_depthwise() ? k * channels + o : o * taps + k] =
            static_cast<std::int8_t>(std::lround(127 * of_channel[k] / most));
    }
  }
  Activation definition(index_t row, index_t column, index_t o) const {
    const shape& s = shape_;
    const auto [down, across] = s.window();
    const index_t groups = s.is_depthwise() ? s.inputs : s.groups;
    const index_t first = o / (s.outputs / groups) * (s.inputs / groups);
    const index_t summed = s.inputs / groups;
    std::int64_t acc = bias_[size(o)];
    for (index_t tap = 0; tap < s.kernel.y * s.kernel.x; ++tap) {
      const index_t from_row = row * s.stride + tap / s.kernel.x - down.pad_before;
      const index_t from_column = column * s.stride + tap % s.kernel.x - across.pad_before;
      if (from_row < 0 || from_row >= s.height || from_column < 0 || from_column >= s.width) continue;
      const Activation* const x = x_.data() + (from_row * s.width + from_column) * s.inputs + first;
      const std::int8_t* const w = weights_.data() + (s.is_depthwise() ? tap * s.outputs + o : o * s.depth() + tap * summed);
      for (index_t i = 0; i < summed; ++i) acc += (x[i] - zero_.x) * (w[i] - zero_.w);
    }
    const auto narrowed = static_cast<typename Scheme::accumulator>(acc);
    return static_cast<Activation>(dyadic::requantize<Scheme>(narrowed, multipliers_[size(o)], range()));
  }

  shape shape_;
  dyadic::zero_points zero_;
  std::vector<Activation> x_;
  std::vector<std::int8_t> weights_;
  std::vector<std::int32_t> bias_;
  std::vector<float> scales_;
  std::vector<typename Scheme::multiplier_type> multipliers_;
  std::vector<typename Scheme::accumulator> constants_;
  std::vector<Activation> expected_;
  std::vector<Activation> y_;
};

/// The formats a16w8 and a8w8 of the tables.
struct problem_a16w8 : problem<std::int16_t, dyadic::tosa::scale16> {
  explicit problem_a16w8(const shape& s, std::size_t multipliers = 0) : problem(s, {0, 0}, multipliers) {}
};
struct problem_a8w8 : problem<std::int8_t, dyadic::tflite::double_rounding> {
  explicit problem_a8w8(const shape& s, std::size_t multipliers = 0) : problem(s, {-3, 0}, multipliers) {}
};

/// A backend that computes a problem. The contender keeps alive all data that it uses, including the problem.
struct implementation {
  std::string backend;
  std::string variant;  ///< "", ", unpacked" or ", proved": follows the backend in the name of a benchmark
  contest::contender contender;
  bool is_proved = false;  ///< whether a cheaper epilogue is proved for the layer
};

/// Returns an implementation for each backend that runs here. Ends the program if its outputs differ from the definition.
/// @{
std::vector<implementation> backends_of(const std::shared_ptr<problem_a16w8>& p);
std::vector<implementation> backends_of(const std::shared_ptr<problem_a8w8>& p);
/// @}

/// Returns an implementation with unpacked weights for each vector backend that runs here. Returns none for a depthwise layer,
/// which has no packed weights.
/// @{
std::vector<implementation> unpacked_of(const std::shared_ptr<problem_a16w8>& p);
std::vector<implementation> unpacked_of(const std::shared_ptr<problem_a8w8>& p);
/// @}

/// Returns an implementation for each backend that has a cheaper epilogue for outputs of 8 bits. The cheaper epilogue is used if
/// `prove_epilogue` proves it for the layer.
std::vector<implementation> proved_of(const std::shared_ptr<problem_a8w8>& p);

/// Returns the amount of work in one run. `most` is the limit of multiply-adds, or nullptr.
template <class Problem>
amount amount_of(const Problem& p, const limit* most) {
  return {static_cast<double>(p.of().multiply_adds()), most, p.bytes()};
}

}  // namespace bench

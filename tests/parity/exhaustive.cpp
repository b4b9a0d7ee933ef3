// All 2^32 accumulators of the schemes over lanes, in each form of their formulas, on each backend of this machine against scalar
// code, which is computed once for all of them. Of an int48: those of an int32, and 2^30 from one end to the other.
//   parity_exhaustive [--list] [part of a name]

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#include "../support/sweeps.hpp"

namespace {

namespace q = dyadic;

constexpr q::index_t columns = 256;
constexpr q::index_t rows = 16;
constexpr std::size_t block = columns * rows;

/// Where results differ: how many, and one of them.
struct differences {
  std::uint64_t count = 0;
  std::string first;

  void add(const differences& other) {
    if (count == 0) first = other.first;
    count += other.count;
  }
};

/// A block of accumulators, what scalar code makes of them, and what others do.
template <class Scheme, class Y>
class comparison {
 public:
  using accumulator = typename Scheme::accumulator;
  using multiplier = typename Scheme::multiplier_type;

  comparison(multiplier m, q::output_range range) : m_{m}, range_{range} {
    multipliers_.fill(m);
    x_.fill(std::numeric_limits<std::int32_t>::min());
    std::array<accumulator, block> constants;
    record_ = q::fold<std::int16_t>(q::matrix_view<const std::int8_t>{nullptr, block, 0}, x_, {}, constants).value.record;
  }

  /// The accumulators number `first` and those after it.
  template <bool SumsFitInt32, class Accumulator>
  void compare(std::int64_t first, const Accumulator& accumulator_of) {
    for (std::size_t i = 0; i < block; ++i) x_[i] = accumulator_of(first + static_cast<std::int64_t>(i));
    for (std::size_t i = 0; i < block; ++i) expected_[i] = static_cast<Y>(q::requantize<Scheme>(x_[i], m_, range_));
    q::for_each_backend([&](auto backend, bool runs_here) {
      using tested = decltype(backend);
      if constexpr (!std::is_same_v<tested, q::backend::scalar>)
        if (runs_here) compare_backend<tested, SumsFitInt32>();
    });
  }
  differences found;

 private:
  template <class Backend, bool SumsFitInt32>
  void compare_backend() {
    const q::matrix_view<const accumulator> x{x_.data(), rows, columns};
    const q::matrix_view<Y> y{y_.data(), rows, columns};
    q::run<Backend>(q::rescale_layer<q::tensor_output<Y, Scheme>>{0, {m_, range_}}, x, y);
    count(Backend::name, "tensor");
    q::run<Backend>(q::rescale_layer<q::channel_output<Y, Scheme>>{0, {multipliers_, range_}}, x, y);
    count(Backend::name, "channels");
    if constexpr (sizeof(accumulator) == 8 && SumsFitInt32) {
      // A layer without depth: its sums are its biases. For an int48 that fits int32 vectors have a form of their own.
      using packed = q::packed_matrix<Backend, std::int16_t, std::int8_t>;
      const q::folded_bias<accumulator> bias{x_, record_};
      const q::linear_layer layer{packed{nullptr, block, 0}, bias, q::zero_points{}, q::tensor_output<Y, Scheme>{m_, range_}};
      q::run<Backend>(layer, q::matrix_view<const std::int16_t>{nullptr, 1, 0}, q::matrix_view<Y>{y_.data(), 1, block});
      count(Backend::name, "linear");
    }
  }
  void count(const char* backend, const char* form) {
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < block; ++i) different += y_[i] != expected_[i];
    if (different != 0 && found.count == 0)
      for (std::size_t i = 0; i < block; ++i)
        if (y_[i] != expected_[i]) {
          found.first = std::string(backend) + " " + form + " " + std::to_string(x_[i]) + ": " + std::to_string(y_[i]) +
                        ", expected " + std::to_string(expected_[i]);
          break;
        }
    found.count += different;
    y_.fill(77);
  }

  multiplier m_;
  q::output_range range_;
  q::fold_record record_;
  std::array<multiplier, columns> multipliers_;
  std::array<accumulator, block> x_;
  std::array<Y, block> expected_;
  std::array<Y, block> y_{};
};

/// The accumulators number 0 to count - 1.
template <class Scheme, class Y, bool FitInt32, class Accumulator>
differences compare(typename Scheme::multiplier_type m, q::output_range range, std::int64_t count,
                    const Accumulator& accumulator_of) {
  std::atomic<std::int64_t> next{0};
  std::mutex lock;
  differences all;
  support::on_all_threads([&] {
    constexpr std::int64_t chunk = 1 << 20;
    comparison<Scheme, Y> mine{m, range};
    for (std::int64_t i = next.fetch_add(chunk); i < count; i = next.fetch_add(chunk))
      for (std::int64_t k = 0; k < chunk; k += static_cast<std::int64_t>(block))
        mine.template compare<FitInt32>(i + k, accumulator_of);
    const std::lock_guard<std::mutex> guard(lock);
    all.add(mine.found);
  });
  return all;
}

template <class Mantissa>
std::string describe(q::multiplier<Mantissa> m) {
  return std::to_string(m.mantissa) + " * 2^-" + std::to_string(m.right_shift);
}
std::string describe(q::binary32 m) { return std::to_string(m.to_float()); }

/// One sweep for each multiplier that the scheme takes.
template <class Scheme, class Y = std::int32_t>
void add(support::sweeps& sweeps, const char* scheme, std::initializer_list<typename Scheme::multiplier_type> multipliers,
         std::int32_t zero_point = 0) {
  using accumulator = typename Scheme::accumulator;
  static_assert(q::detail::runs_over_lanes<q::tensor_output<Y, Scheme>>());
  for (const auto m : multipliers) {
    if (!Scheme::valid(m)) continue;
    const std::string name = std::string(scheme) + " to int" + std::to_string(8 * sizeof(Y)) + "  " + describe(m);
    sweeps.add(name, [m, zero_point] {
      const q::output_range range = q::range_of<Y>(zero_point);
      constexpr std::int64_t all = std::int64_t{1} << 32;
      differences d =
          compare<Scheme, Y, true>(m, range, all, [](std::int64_t i) { return static_cast<accumulator>(i - all / 2); });
      if constexpr (sizeof(accumulator) == 8)
        d.add(compare<Scheme, Y, false>(m, range, all / 4,
                                        [](std::int64_t i) { return i * 262144 - all * 32768 + (i * 40503 & 262143); }));
      return support::sweeps::outcome{d.count == 0, d.count == 0 ? "equal" : std::to_string(d.count) + " differ: " + d.first};
    });
  }
}

/// Both sides of a right_shift of 32, where the shorter form begins, and its extremes; a mantissa of 0, whose product has no
/// sign.
void add_all(support::sweeps& sweeps) {
  namespace tflite = q::tflite;
  namespace tosa = q::tosa;
  namespace xnnpack = q::xnnpack;
  const std::initializer_list<q::multiplier32> q31 = {{1 << 30, 32},      {1 << 30, 31}, {1 << 30, 33},     {0x7FFF'FFFF, 32},
                                                      {0x5A82'799A, 41},  {0, 40},       {0x7FFF'FFFF, 62}, {1, 32},
                                                      {-0x5A82'799A, 38}, {3, 2},        {0x5A82'799A, 20}};
  const std::initializer_list<q::multiplier32> q24 = {{(1 << 23) + 5, 32}, {(1 << 24) - 1, 55}, {(1 << 23) + 1, 27}, {0, 32}};
  const std::initializer_list<q::multiplier16> q15 = {{32767, 32}, {1 << 14, 31}, {23171, 25}, {23171, 40},
                                                      {0, 33},     {32767, 46},   {23171, 47}, {23171, 16}};
  add<tflite::double_rounding>(sweeps, "tflite::double_rounding", q31);
  add<tflite::single_rounding>(sweeps, "tflite::single_rounding", q31);
  add<tflite::neon_double_rounding>(sweeps, "tflite::neon_double_rounding", q31);
  add<tflite::neon_single_rounding>(sweeps, "tflite::neon_single_rounding", q31);
  add<tflite::avx2>(sweeps, "tflite::avx2", q31);
  add<q::cmsis_nn::double_rounding>(sweeps, "cmsis_nn::double_rounding", q31);
  add<q::cmsis_nn::mve_predicated_single_rounding>(sweeps, "cmsis_nn::mve_predicated_single_rounding", q31);
  add<tosa::scale32>(sweeps, "tosa::scale32", q31);
  add<tosa::scale32_double_round>(sweeps, "tosa::scale32_double_round", q31);
  add<q::fbgemm::fixed>(sweeps, "fbgemm::fixed", q31);
  add<xnnpack::gemmlowp>(sweeps, "xnnpack::gemmlowp", q31);
  add<xnnpack::rndnu>(sweeps, "xnnpack::rndnu", q24);
  add<xnnpack::rndna>(sweeps, "xnnpack::rndna", q24);
  add<xnnpack::rndnu16>(sweeps, "xnnpack::rndnu16", q15);
  add<tosa::scale16>(sweeps, "tosa::scale16", q15);
  add<tflite::reduced_int64>(sweeps, "tflite::reduced_int64", q15);
  add<q::cmsis_nn::requantize_s64>(sweeps, "cmsis_nn::requantize_s64", q15);
  // The zero point of a short output is part of the constant, where the shift leaves room for it: 53 and 45, not 54 and 46.
  add<tosa::scale32, std::int8_t>(sweeps, "tosa::scale32", {{0x5A82'799A, 53}, {0x5A82'799A, 54}}, -77);
  add<tflite::double_rounding, std::int8_t>(sweeps, "tflite::double_rounding", {{0x5A82'799A, 53}, {0x5A82'799A, 54}}, -77);
  add<xnnpack::rndna, std::int16_t>(sweeps, "xnnpack::rndna", {{(1 << 24) - 1, 40}, {(1 << 24) - 1, 46}}, -7777);
  add<tosa::scale16, std::int16_t>(sweeps, "tosa::scale16", {{23171, 45}, {23171, 46}}, -7777);
  add<q::fbgemm::floating, std::int16_t>(sweeps, "fbgemm::floating", {0x1p-16f, 0x1.6a09e6p-17f, -0x1.fffffep-9f, 3.0f}, 7777);
}

}  // namespace

int main(int argc, char** argv) {
  std::string backends;
  q::for_each_backend([&](auto backend, bool runs_here) {
    if (std::is_same_v<decltype(backend), q::backend::scalar>) return;
    backends += std::string(backends.empty() ? "" : ", ") + decltype(backend)::name + (runs_here ? "" : " does not run here");
  });
  support::sweeps sweeps;
  add_all(sweeps);
  return sweeps.main(argc, argv, backends.empty() ? "no backend over lanes" : backends);
}

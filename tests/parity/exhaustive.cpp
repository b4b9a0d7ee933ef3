// Compares the backends of this machine with scalar code, for one scheme of each formula over lanes, in each form of it.
// Scalar code is computed once for all backends. All 2^32 accumulators are tried for a floating-point formula.
// A formula of integers is proved (proof/). It is therefore tried only for blocks around powers of two and ties, and blocks
// spread over the range.
//
//   parity_exhaustive [--forms | --windows | --digests] [--list] [--share I/N] [part of a name]
//   --forms    one multiplier for each form of each formula: code that schemes share is swept once
//   --windows  only such blocks, for every sweep, and fewer of them
//   --digests  as --forms, but without scalar code, which is slow in an emulator. The forms of a backend are compared with
//              each other, and their digests with scalar code's digests of another machine (same_digests.cmake).

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/schemes.hpp"
#include "../support/sweeps.hpp"

namespace {

namespace q = dyadic;

constexpr q::index_t columns = 256;
constexpr q::index_t rows = 16;
constexpr std::size_t block = columns * rows;

/// The digest of all results, the number of differences, and a description of one difference.
struct differences {
  std::uint64_t digest = 0;
  std::uint64_t count = 0;
  std::string first;

  void add(const differences& other) {
    digest += other.digest;
    if (count == 0) first = other.first;
    count += other.count;
  }
};

/// Returns a digest that differs between blocks that differ in one word or in their place.
template <class Y>
std::uint64_t digest_of(std::int64_t place, const std::array<Y, block>& results) {
  std::array<std::uint64_t, sizeof results / sizeof(std::uint64_t)> words;
  std::memcpy(words.data(), results.data(), sizeof results);
  auto hash = static_cast<std::uint64_t>(place);
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9E37'79B9'7F4A'7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/// The results with which a backend is compared.
enum class reference { scalar, first_backend };

/// A block of accumulators, the results of the reference, and the results of a backend.
template <class Scheme, class Y>
class comparison {
 public:
  using accumulator = typename Scheme::accumulator;
  using multiplier = typename Scheme::multiplier_type;

  comparison(multiplier m, q::output_range range, reference r) : m_{m}, range_{range}, reference_{r} {
    multipliers_.fill(m);
    x_.fill(std::numeric_limits<std::int32_t>::min());
    std::array<accumulator, block> constants;
    record_ = q::fold<std::int16_t>(q::matrix_view<const std::int8_t>{nullptr, block, 0}, x_, {}, constants).value.record;
  }

  /// Compares one block of accumulators, starting with number `first`.
  template <bool SumsFitInt32, class Accumulator>
  void compare(std::int64_t first, const Accumulator& accumulator_of) {
    for (std::size_t i = 0; i < block; ++i) x_[i] = accumulator_of(first + static_cast<std::int64_t>(i));
    expects_ = reference_ == reference::scalar;
    if (expects_) expect_scalar();
    q::for_each_backend([&](auto backend, bool runs_here) {
      using tested = decltype(backend);
      if constexpr (!std::is_same_v<tested, q::backend::scalar>)
        if (runs_here) compare_backend<tested, SumsFitInt32>();
    });
    if (!expects_) expect_scalar();
    found.digest += digest_of(first, expected_);
  }
  differences found;

 private:
  template <class Backend, bool SumsFitInt32>
  void compare_backend() {
    // A backend may leave this op to its fallback.
    if constexpr (!std::is_base_of_v<q::kernel<typename Backend::fallback, q::op::rescale>, q::kernel<Backend, q::op::rescale>>) {
      const q::matrix_view<const accumulator> x{x_.data(), rows, columns};
      const q::matrix_view<Y> y{y_.data(), rows, columns};
      q::run<Backend>(q::rescale_layer<q::per_tensor_output<Y, Scheme>>{0, {m_, range_}}, x, y);
      count(Backend::name, "tensor");
      q::run<Backend>(q::rescale_layer<q::per_channel_output<Y, Scheme>>{0, {multipliers_, range_}}, x, y);
      count(Backend::name, "channels");
    }
    if constexpr (sizeof(accumulator) == 8 && SumsFitInt32) {
      // A layer of depth 0: its sums are its biases. Vectors have a form of their own for an int48 that fits int32.
      using packed = q::packed_matrix<Backend, std::int16_t, std::int8_t>;
      const q::folded_bias<accumulator> bias{x_, record_};
      const q::linear_layer layer{packed{nullptr, block, 0}, bias, q::per_tensor_output<Y, Scheme>{m_, range_}};
      q::run<Backend>(layer, q::matrix_view<const std::int16_t>{nullptr, 1, 0}, q::matrix_view<Y>{y_.data(), 1, block});
      count(Backend::name, "linear");
    }
  }
  void expect_scalar() {
    for (std::size_t i = 0; i < block; ++i) expected_[i] = static_cast<Y>(q::requantize<Scheme>(x_[i], m_, range_));
  }
  void count(const char* backend, const char* form) {
    if (!expects_) expected_ = y_;
    expects_ = true;
    std::uint64_t different = 0;
    if (y_ != expected_)
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
  reference reference_;
  bool expects_ = false;
  q::fold_record record_;
  std::array<multiplier, columns> multipliers_;
  std::array<accumulator, block> x_;
  std::array<Y, block> expected_;
  std::array<Y, block> y_{};
};

/// Compares the accumulators number 0 to count - 1, in whole blocks.
template <class Scheme, class Y, bool FitInt32, class Accumulator>
differences compare(typename Scheme::multiplier_type m, q::output_range range, std::int64_t count,
                    const Accumulator& accumulator_of, reference expected = reference::scalar) {
  return support::on_all_threads<differences>([&](const auto& next) {
    constexpr std::int64_t chunk = 1 << 20;
    comparison<Scheme, Y> mine{m, range, expected};
    for (std::int64_t i = next() * chunk; i < count; i = next() * chunk)
      for (std::int64_t k = i; k < std::min(i + chunk, count); k += static_cast<std::int64_t>(block))
        mine.template compare<FitInt32>(k, accumulator_of);
    return mine.found;
  });
}

/// Compares a block around 0, around each power of two and around some accumulators whose result is k + 1/2.
/// Also compares `others` blocks, spread over the range.
template <class Scheme, class Y, bool FitInt32>
differences compare_windows(typename Scheme::multiplier_type m, q::output_range range, double scale, int bits, int others,
                            reference expected) {
  const std::int64_t size = block;
  const std::int64_t most = std::int64_t{1} << (bits - 1);
  std::vector<std::int64_t> firsts;
  const auto around = [&](double centre) {
    if (std::fabs(centre) > static_cast<double>(most)) return;
    const auto first = static_cast<std::int64_t>(centre) - size / 2;
    firsts.push_back(std::min(std::max(first, -most), most - size));
  };
  around(0);
  for (int bit = 12; bit < bits; ++bit) {
    around(std::ldexp(1.0, bit));
    around(std::ldexp(-1.0, bit));
  }
  for (const double k : {0., 1., 2., 127., 255., 32767., 65535., 0x1p24, 0x1p30, 0x1p31 - 1}) {
    around((k + 0.5) / scale);
    around(-(k + 0.5) / scale);
  }
  for (std::int64_t first = -most; first < most; first += 2 * most / others + 12345) around(static_cast<double>(first));
  const auto accumulator_of = [&](std::int64_t i) {
    return static_cast<typename Scheme::accumulator>(firsts[static_cast<std::size_t>(i / size)] + i % size);
  };
  return compare<Scheme, Y, FitInt32>(m, range, static_cast<std::int64_t>(firsts.size()) * size, accumulator_of, expected);
}

/// Compares all int32s.
template <class Scheme, class Y>
differences compare_all(typename Scheme::multiplier_type m, q::output_range range, reference expected) {
  constexpr std::int64_t all = std::int64_t{1} << 32;
  return compare<Scheme, Y, true>(
      m, range, all, [](std::int64_t i) { return static_cast<std::int32_t>(i - all / 2); }, expected);
}

template <class Mantissa>
double scale_of(q::multiplier<Mantissa> m) {
  return std::ldexp(static_cast<double>(m.mantissa), -m.right_shift);
}
double scale_of(q::binary32 m) { return static_cast<double>(m.to_float()); }
double scale_of(q::binary64 m) { return m.to_double(); }

/// Returns the form that serves a multiplier. Multipliers between the same limits run the same code: see `with_variant` and
/// `folds_zero_point` of the backends.
template <class Scheme, class Y, class Mantissa>
int form_of(q::multiplier<Mantissa> m) {
  const int right_shift = m.mantissa < 0 ? 0 : m.right_shift;
  int form = right_shift >= 33;
  constexpr bool is_wide = sizeof(typename Scheme::accumulator) == 8;
  if (sizeof(Y) < 4) form += right_shift > 61 - static_cast<int>(8 * sizeof(Y));
  if (is_wide) form += (right_shift >= 17) + (right_shift >= 47);
  if (is_wide && sizeof(Y) < 4) form += right_shift > 45 - static_cast<int>(8 * sizeof(Y));
  return form;
}
template <class Scheme, class Y>
int form_of(q::binary64) {
  return 0;
}
template <class Formula, class Y>
std::set<int> forms_added;

template <class Mantissa>
std::string describe(q::multiplier<Mantissa> m) {
  return std::to_string(m.mantissa) + " * 2^-" + std::to_string(m.right_shift);
}
std::string describe(q::binary64 m) { return std::to_string(m.to_double()); }

/// The accumulators and multipliers to sweep, and the reference.
struct extent {
  bool windows = false;    ///< some blocks only
  bool each_form = false;  ///< one multiplier for each form
  reference expected = reference::scalar;
};

/// Adds one sweep for each multiplier. Requires: the scheme accepts the multipliers.
template <class Scheme, class Y = std::int32_t>
void add(support::sweeps& sweeps, extent swept, const char* scheme,
         std::initializer_list<typename Scheme::multiplier_type> multipliers, std::int32_t zero_point = 0) {
  static_assert(q::detail::runs_over_lanes<q::per_tensor_output<Y, Scheme>>());
  for (const auto m : multipliers) {
    if (!Scheme::valid(m)) continue;
    const bool is_new = forms_added<typename Scheme::formula_type, Y>.insert(form_of<Scheme, Y>(m)).second;
    if (swept.each_form && !is_new) continue;
    const std::string name = std::string(scheme) + " to int" + std::to_string(8 * sizeof(Y)) + "  " + describe(m);
    sweeps.add(name, [m, zero_point, swept] {
      constexpr bool is_wide = sizeof(typename Scheme::accumulator) == 8;
      const q::output_range range = q::range_of<Y>(zero_point);
      const auto compare_blocks = [&](auto fit_int32, int bits) {
        const int others = swept.windows || swept.each_form ? 64 : 4096;
        return compare_windows<Scheme, Y, fit_int32>(m, range, scale_of(m), bits, others, swept.expected);
      };
      using multiplier_type = typename Scheme::multiplier_type;
      constexpr bool is_proved = !std::is_same_v<multiplier_type, q::binary32> && !std::is_same_v<multiplier_type, q::binary64>;
      differences d =
          is_proved || swept.windows ? compare_blocks(std::true_type{}, 32) : compare_all<Scheme, Y>(m, range, swept.expected);
      if constexpr (is_wide) d.add(compare_blocks(std::false_type{}, 48));
      char digest[17];
      std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(d.digest));
      const std::string comparison = d.count == 0 ? "equal" : std::to_string(d.count) + " differ: " + d.first;
      return support::sweeps::outcome{d.count == 0, std::string("digest ") + digest + "  " + comparison};
    });
  }
}

/// Adds sweeps of each scheme. A right_shift is on either side of 32, where the shorter form begins, or an extreme.
/// One mantissa is 0, because a product of 0 has no sign.
void add_all(support::sweeps& sweeps, extent swept) {
  namespace tflite = q::tflite;
  namespace tosa = q::tosa;
  namespace xnnpack = q::xnnpack;
  const std::initializer_list<q::multiplier32> q31 = {
      {0x7FFF'FFFF, 32}, {0x5A82'799A, 41}, {1 << 30, 31},      {1 << 30, 32}, {1 << 30, 33},    {0, 40},
      {0x7FFF'FFFF, 62}, {1, 32},           {-0x5A82'799A, 38}, {3, 2},        {0x5A82'799A, 20}};
  const std::initializer_list<q::multiplier32> q24 = {{(1 << 23) + 5, 32}, {(1 << 24) - 1, 55}, {(1 << 23) + 1, 27}, {0, 32}};
  const std::initializer_list<q::multiplier16> q15 = {{32767, 32}, {1 << 14, 31}, {23171, 25}, {23171, 40},
                                                      {0, 33},     {32767, 46},   {23171, 47}, {23171, 16}};
  support::each_scheme<support::with_new_int32_formula>([&](auto s) {
    using scheme = typename decltype(s)::scheme;
    if constexpr (sizeof(typename scheme::multiplier_type::mantissa_type) == 2)
      add<scheme>(sweeps, swept, s.name, q15);
    else
      add<scheme>(sweeps, swept, s.name, scheme::valid({1 << 30, 40}) ? q31 : q24);
  });
  support::each_scheme<support::with_new_wide_formula>([&](auto s) {
    using scheme = typename decltype(s)::scheme;
    if constexpr (sizeof(typename scheme::multiplier_type::mantissa_type) == 2)
      add<scheme>(sweeps, swept, s.name, q15);
    else
      add<scheme>(sweeps, swept, s.name, q31);
  });
  // The zero point of a short output is folded into the constant if the shift leaves room for it.
  // The last such right shifts are 53 and 45 (not 54 and 46), and 29 (not 30) for an int48 made from int32 * 2^16.
  add<tosa::scale32, std::int8_t>(sweeps, swept, "tosa::scale32", {{0x5A82'799A, 53}, {0x5A82'799A, 54}}, -77);
  add<tflite::double_rounding, std::int8_t>(sweeps, swept, "tflite::double_rounding", {{0x5A82'799A, 53}, {0x5A82'799A, 54}},
                                            -77);
  add<xnnpack::rndna, std::int16_t>(sweeps, swept, "xnnpack::rndna", {{(1 << 24) - 1, 40}, {(1 << 24) - 1, 46}}, -7777);
  add<tosa::scale16, std::int16_t>(sweeps, swept, "tosa::scale16", {{23171, 45}, {23171, 46}, {23171, 29}, {23171, 30}}, -7777);
  add<q::fbgemm::floating, std::int16_t>(sweeps, swept, "fbgemm::floating", {0x1p-16f, 0x1.6a09e6p-17f, -0x1.fffffep-9f, 3.0f},
                                         7777);
  add<tflite::double_scale<std::int32_t>, std::int16_t>(sweeps, swept, "tflite::double_scale<int32>",
                                                        {1.0 / 6, 0x1.6a09e667f3bcdp-17, -0x1.fffffffffffffp-9, 3.0}, 7777);
  add<tflite::double_scale<std::int64_t>>(sweeps, swept, "tflite::double_scale<int64>",
                                          {1.0 / 6, 0x1.6a09e667f3bcdp-17, -0x1.fffffffffffffp-9, 0x1.8p40}, -7777);
}

}  // namespace

int main(int argc, char** argv) {
  std::string backends;
  bool some_run = false;
  q::for_each_backend([&](auto backend, bool runs_here) {
    if (std::is_same_v<decltype(backend), q::backend::scalar>) return;
    some_run |= runs_here;
    backends += std::string(backends.empty() ? "" : ", ") + decltype(backend)::name + (runs_here ? "" : " does not run here");
  });
  extent swept;
  const auto is = [&](const char* flag) { return argc > 1 && std::strcmp(argv[1], flag) == 0; };
  swept.windows = is("--windows");
  swept.each_form = is("--forms") || is("--digests");
  if (is("--digests")) {
    swept.expected = reference::first_backend;
    if (!some_run) return std::fprintf(stderr, "no backend runs here\n"), 1;
  }
  const int used = swept.windows || swept.each_form ? 1 : 0;
  argv[used] = argv[0];
  support::sweeps sweeps;
  add_all(sweeps, swept);
  return sweeps.main(argc - used, argv + used, backends.empty() ? "no backend over lanes" : backends);
}

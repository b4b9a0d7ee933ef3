#pragma once
/// \file
/// Each rule of the library beside the oracle's function for it, with the multipliers at its edges. The one list that both sweeps
/// use.

#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/ruy.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include "sweep.hpp"

namespace sweep {

namespace q = dyadic;

// ---- what publishers require of the data, by the oracle's arithmetic

inline bool is_int32(oracle::wide x) { return x == oracle::saturate(x, 32); }
inline bool is_int48(std::int64_t x) { return x == oracle::saturate(x, 48); }

/// acc * 2^l is an int32, l = max(shift, 0).
struct preshift_fits {
  static bool holds(std::int32_t acc, const setting& s) {
    return is_int32(oracle::scaled_up(std::int64_t{acc}, std::max(s.shift, 0)));
  }
};
/// The same where at least one right shift follows: l = shift + max(1, -shift).
struct longer_preshift_fits {
  static bool holds(std::int32_t acc, const setting& s) {
    return is_int32(oracle::scaled_up(std::int64_t{acc}, s.shift + std::max(1, -s.shift)));
  }
};
/// The rounded product is an int32.
struct result_fits {
  static bool holds(std::int32_t acc, const setting& s) {
    return is_int32(oracle::half_up(std::int64_t{acc} * s.multiplier, 31 - s.shift));
  }
};

// ---- kinds of pairs, by the convention of the publisher

/// A little more than 48 bits: what is beyond them must be refused.
constexpr window beyond_int48{-(std::int64_t{1} << 47) - 40000, (std::int64_t{1} << 47) + 40000};

struct integer_kind {
  using accumulator = std::int32_t;
  static std::string describe(const setting& s) { return describe_integer(s); }
};

/// A Q31 mantissa and a shift to the left.
template <class Scheme, std::int32_t (*Expected)(std::int32_t, std::int32_t, int), class Contract>
struct left_shift_pair : integer_kind {
  static q::multiplier32 library(const setting& s) { return q::tflite::from_pair(s.multiplier, s.shift); }
  static bool legal(const setting& s) { return Scheme::valid(library(s)); }
  static std::int64_t actual(std::int32_t acc, q::multiplier32 m, const setting&) { return Scheme::apply(acc, m); }
  static std::int64_t expected(std::int32_t acc, const setting& s) { return Expected(acc, s.multiplier, s.shift); }
  static bool accepts(std::int32_t acc, q::multiplier32 m) { return Scheme::valid(acc, m); }
  static bool contract(std::int32_t acc, const setting& s) { return Contract::holds(acc, s); }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, s.shift - 31); }
};

/// TOSA: a mantissa and a shift to the right; `undefined` where a REQUIRE fails.
template <class Scheme, oracle::tosa_scaled (*Expected)(typename Scheme::accumulator, std::int32_t, int)>
struct tosa_pair : integer_kind {
  using accumulator = typename Scheme::accumulator;
  using multiplier = typename Scheme::multiplier_type;
  static constexpr std::int64_t least = beyond_int48.first;
  static constexpr std::int64_t greatest = beyond_int48.last;
  static multiplier library(const setting& s) { return {static_cast<typename multiplier::mantissa_type>(s.multiplier), s.shift}; }
  static bool legal(const setting& s) { return Scheme::valid(library(s)); }
  static std::int64_t actual(accumulator acc, multiplier m, const setting&) {
    return Scheme::valid(acc, m) ? Scheme::apply(acc, m) : undefined;
  }
  static std::int64_t expected(accumulator acc, const setting& s) {
    const oracle::tosa_scaled y = Expected(acc, s.multiplier, s.shift);
    return y.require_failed ? undefined : y.value;
  }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, -s.shift); }
};

struct int48_kind : integer_kind {
  using accumulator = std::int64_t;
  static constexpr std::int64_t least = beyond_int48.first;
  static constexpr std::int64_t greatest = beyond_int48.last;
};

/// The Q31 multiplier of TFLite, reduced to Q15.
struct reduced_pair : int48_kind {
  using scheme = q::tflite::reduced_int64;
  static q::multiplier16 library(const setting& s) { return q::tflite::reduce(q::tflite::from_pair(s.multiplier, s.shift)); }
  static bool legal(const setting& s) { return scheme::valid(library(s)); }
  static std::int64_t actual(std::int64_t acc, q::multiplier16 m, const setting&) { return scheme::apply(acc, m); }
  static std::int64_t expected(std::int64_t acc, const setting& s) {
    return oracle::tflite_reduced_i64(acc, s.multiplier, s.shift);
  }
  static bool accepts(std::int64_t acc, q::multiplier16 m) { return scheme::valid(acc, m); }
  static bool contract(std::int64_t acc, const setting& s) {
    const std::int32_t m16 = oracle::reduce_multiplier_q31_to_q15(s.multiplier);
    return is_int48(acc) && is_int32(oracle::half_up(oracle::wide{acc} * m16, 15 - s.shift));
  }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, s.shift - 31); }
};

/// CMSIS-NN's 64-bit helper with its Q15 multiplier.
struct s64_pair : int48_kind {
  using scheme = q::cmsis_nn::requantize_s64;
  static q::multiplier16 library(const setting& s) { return {static_cast<std::int16_t>(s.multiplier), 15 - s.shift}; }
  static bool legal(const setting& s) { return scheme::valid(library(s)); }
  static std::int64_t actual(std::int64_t acc, q::multiplier16 m, const setting&) { return scheme::apply(acc, m); }
  static std::int64_t expected(std::int64_t acc, const setting& s) {
    return oracle::cmsis_requantize_s64(acc, s.multiplier, s.shift);
  }
  static bool accepts(std::int64_t acc, q::multiplier16 m) { return scheme::valid(acc, m); }
  static bool contract(std::int64_t acc, const setting& s) {
    const oracle::wide product = oracle::wide{acc} * s.multiplier;
    const oracle::wide halves = oracle::divide_by_power_of_two(product, 14 - s.shift).whole;
    return is_int48(acc) && is_int32(halves + 1) && is_int32(oracle::half_up(product, 15 - s.shift));
  }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, s.shift - 15); }
};

/// The exact rules: any mantissa, a shift to the right. The oracle saturates at 2^62 - 1, the library at 2^62.
template <class Scheme, std::int64_t (*Expected)(std::int64_t, std::int64_t, int), class Accumulator>
struct exact_pair : integer_kind {
  using accumulator = Accumulator;
  static constexpr std::int64_t least = lowest64;
  static constexpr std::int64_t greatest = highest64;
  static q::multiplier32 library(const setting& s) { return {s.multiplier, s.shift}; }
  static bool legal(const setting& s) { return Scheme::valid(library(s)); }
  static std::int64_t actual(accumulator acc, q::multiplier32 m, const setting&) {
    return std::min(Scheme::apply(acc, m), (std::int64_t{1} << 62) - 1);
  }
  static std::int64_t expected(accumulator acc, const setting& s) { return Expected(acc, s.multiplier, s.shift); }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, -s.shift); }
};

struct fbgemm_fixed_pair : integer_kind {
  using scheme = q::fbgemm::fixed;
  static q::multiplier32 library(const setting& s) { return {s.multiplier, s.shift}; }
  static bool legal(const setting& s) { return scheme::valid(library(s)); }
  static std::int64_t actual(std::int32_t acc, q::multiplier32 m, const setting& s) {
    return q::requantize<scheme>(acc, m, s.range);
  }
  static std::int64_t expected(std::int32_t acc, const setting& s) {
    return oracle::fbgemm_fixed(acc, s.range.zero_point, s.multiplier, s.shift, s.range.min, s.range.max);
  }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, -s.shift); }
  static std::string describe(const setting& s) { return describe_integer(s) + " " + describe_range(s); }
};

struct real_kind {
  using accumulator = std::int32_t;
  static std::string describe(const setting& s) { return describe_real(s); }
  static double real_scale(const setting& s) { return s.scale; }
};

/// XNNPACK: a binary32 scale, a zero point and bounds.
template <class Scheme, std::int32_t (*Expected)(std::int32_t, float, std::int32_t, std::int32_t, std::int32_t)>
struct xnnpack_pair : real_kind {
  using multiplier = typename Scheme::multiplier_type;
  static multiplier library(const setting& s) { return Scheme::derive(static_cast<float>(s.scale)).value; }
  static bool legal(const setting& s) {
    const auto m = Scheme::derive(static_cast<float>(s.scale));
    return m.status == q::status::ok && Scheme::valid(m.value);
  }
  static std::int64_t actual(std::int32_t acc, multiplier m, const setting& s) { return q::requantize<Scheme>(acc, m, s.range); }
  static std::int64_t expected(std::int32_t acc, const setting& s) {
    return Expected(acc, static_cast<float>(s.scale), s.range.zero_point, s.range.min, s.range.max);
  }
};

/// The same with the range of the data that the reference wraps at.
template <class Scheme, std::int32_t (*Expected)(std::int32_t, float, std::int32_t, std::int32_t, std::int32_t),
          std::int64_t (*Round)(std::int64_t, int)>
struct xnnpack_wrapping_pair : xnnpack_pair<Scheme, Expected> {
  static bool accepts(std::int32_t acc, q::multiplier32 m) { return Scheme::valid(acc, m); }
  static bool contract(std::int32_t acc, const setting& s) {
    const oracle::derived_multiplier d = oracle::derive_xnnpack_rndnu(static_cast<float>(s.scale));
    return is_int32(Round(acc * d.multiplier, d.shift));
  }
};

struct mlas_pair : real_kind {
  using scheme = q::onnx::mlas;
  static q::binary32 library(const setting& s) { return static_cast<float>(s.scale); }
  static bool legal(const setting& s) { return scheme::valid(library(s)); }
  static std::int64_t actual(std::int32_t acc, q::binary32 m, const setting& s) { return q::requantize<scheme>(acc, m, s.range); }
  static std::int64_t expected(std::int32_t acc, const setting& s) {
    return oracle::onnxruntime_mlas(acc, static_cast<float>(s.scale), s.range.zero_point, s.range.min, s.range.max);
  }
};

struct fbgemm_floating_pair : real_kind {
  using scheme = q::fbgemm::floating;
  static q::binary32 library(const setting& s) { return scheme::derive(s.scale).value; }
  static bool legal(const setting& s) { return scheme::derive(s.scale).status == q::status::ok && scheme::valid(library(s)); }
  static std::int64_t actual(std::int32_t acc, q::binary32 m, const setting& s) { return q::requantize<scheme>(acc, m, s.range); }
  static std::int64_t expected(std::int32_t acc, const setting& s) {
    return oracle::fbgemm_float(acc, s.range.zero_point, static_cast<float>(s.scale), s.range.min, s.range.max);
  }
};

template <class Accumulator>
struct double_scale_pair : real_kind {
  using accumulator = Accumulator;
  using scheme = q::tflite::double_scale<Accumulator>;
  static constexpr std::int64_t least = lowest64;
  static constexpr std::int64_t greatest = highest64;
  static q::binary64 library(const setting& s) { return scheme::derive(s.scale).value; }
  static bool legal(const setting& s) { return scheme::derive(s.scale).status == q::status::ok && scheme::valid(library(s)); }
  static std::int64_t actual(Accumulator acc, q::binary64 m, const setting& s) { return q::requantize<scheme>(acc, m, s.range); }
  static std::int64_t expected(Accumulator acc, const setting& s) {
    return oracle::tflite_f64(acc, s.scale, s.range.zero_point, s.range.min, s.range.max);
  }
};

struct onednn_pair : real_kind {
  using scheme = q::onednn::f32;
  static q::result<q::onednn::scales> derived(const setting& s) {
    return scheme::derive(static_cast<float>(s.scale), s.weight_scale, s.output_scale);
  }
  static q::onednn::scales library(const setting& s) { return derived(s).value; }
  static bool legal(const setting& s) { return derived(s).status == q::status::ok && scheme::valid(library(s)); }
  static std::int64_t actual(std::int32_t acc, const q::onednn::scales& m, const setting& s) {
    return q::requantize<scheme>(acc, m, s.range);
  }
  static std::int64_t expected(std::int32_t acc, const setting& s) {
    const std::int32_t max = std::min(s.range.max, 2147483520);
    return oracle::onednn_f32(acc, static_cast<float>(s.scale), s.weight_scale, s.output_scale, s.range.zero_point, s.range.min,
                              max);
  }
  static double real_scale(const setting& s) {
    return s.scale * static_cast<double>(s.weight_scale) / static_cast<double>(s.output_scale);
  }
  static std::string describe(const setting& s) {
    return describe_real(s) + " weight " + text("%a", static_cast<double>(s.weight_scale)) + " output " +
           text("%a", static_cast<double>(s.output_scale));
  }
};

// ---- primitives of two operands: the first is the accumulator, the second the multiplier or the shift

struct high_mul_pair : integer_kind {
  static std::int32_t library(const setting& s) { return s.multiplier; }
  static bool legal(const setting&) { return true; }
  static std::int64_t actual(std::int32_t a, std::int32_t b, const setting&) {
    return q::gemmlowp::saturating_rounding_doubling_high_mul(a, b);
  }
  static std::int64_t expected(std::int32_t a, const setting& s) { return oracle::gemmlowp_srdhm_i32(a, s.multiplier); }
  static double real_scale(const setting& s) { return std::ldexp(s.multiplier, -31); }
};

template <std::int32_t (*Actual)(std::int32_t, int), std::int32_t (*Expected)(std::int32_t, int)>
struct divide_pair : integer_kind {
  static int library(const setting& s) { return s.shift; }
  static bool legal(const setting&) { return true; }
  static std::int64_t actual(std::int32_t x, int exponent, const setting&) { return Actual(x, exponent); }
  static std::int64_t expected(std::int32_t x, const setting& s) { return Expected(x, s.shift); }
  static double real_scale(const setting& s) { return std::ldexp(1, -s.shift); }
};

/// The accumulator is the Q31 mantissa; TFLite defines the reduction of one that is not negative.
struct reduce_pair : integer_kind {
  static int library(const setting&) { return 31; }
  static bool legal(const setting&) { return true; }
  static std::int64_t actual(std::int32_t mantissa, int right_shift, const setting&) {
    return mantissa < 0 ? 0 : q::cmsis_nn::reduce({mantissa, right_shift}).mantissa;
  }
  static std::int64_t expected(std::int32_t mantissa, const setting&) {
    return mantissa < 0 ? 0 : oracle::reduce_multiplier_q31_to_q15(mantissa);
  }
  static double real_scale(const setting&) { return 0x1p-16; }
};

// ---- settings

constexpr std::int32_t half31 = 1 << 30;  ///< the least full-length Q31 mantissa

inline std::vector<setting> joined(std::vector<setting> a, const std::vector<setting>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Of a mantissa that is not negative, right shifts least .. greatest; `pair_of(mantissa, right_shift)` is the publisher's form.
/// The first five are worth all accumulators: a tie at every second bit; bit 31, where two roundings become one; the next
/// right shift; the greatest; a left shift or the least right shift.
template <class PairOf>
std::vector<setting> q31_edges(int least, int greatest, PairOf pair_of) {
  std::vector<setting> all = {pair_of(half31, 32), pair_of(half31 + 1, 31), pair_of(3 << 29, 34), pair_of(highest32, greatest),
                              pair_of(5 << 28, std::max(30, least))};
  for (const int right_shift : {least, 30, 31, 32, greatest})
    for (const std::int32_t mantissa : {half31 + 1, highest32}) all.push_back(pair_of(mantissa, right_shift));
  for (const int right_shift : {least, 31, greatest})
    for (const std::int32_t mantissa : {1, half31}) all.push_back(pair_of(mantissa, right_shift));
  all.push_back(pair_of(0, 31));
  return all;
}

inline setting left_pair(std::int32_t mantissa, int right_shift) { return pair(mantissa, 31 - right_shift); }

inline std::vector<setting> negative_edges() {
  return {pair(-half31, -1),    pair(-half31 - 1, -1), pair(-highest32, -3),   pair(-1, 0), pair(-1, -31), pair(-highest32, 0),
          pair(-highest32, 30), pair(-highest32, -31), pair(-3 * (1 << 29), 2)};
}

/// With the mantissa that the high multiply saturates at.
inline std::vector<setting> least_mantissa_edges() {
  return {pair(lowest32, -2), pair(lowest32, 0), pair(lowest32, 1), pair(lowest32, 30), pair(lowest32, -31)};
}

/// A mantissa of so many bits, of either sign if `least` is below zero, which then comes up often itself.
inline std::function<setting(generator&)> random_pair(int bits, int least_shift, int greatest_shift, std::int32_t least = 0) {
  return [=](generator& random) {
    auto mantissa = static_cast<std::int32_t>(random_mantissa(random, bits));
    if (least < 0 && one_in(random, 3)) mantissa = one_in(random, 8) ? least : -mantissa;
    return pair(mantissa, static_cast<std::int32_t>(between(random, least_shift, greatest_shift)));
  };
}

inline q::output_range int8_range(std::int32_t zero_point) { return {zero_point, -128, 127}; }
inline q::output_range uint8_range(std::int32_t zero_point) { return {zero_point, 0, 255}; }
inline q::output_range int16_range(std::int32_t zero_point) { return {zero_point, -32768, 32767}; }

enum class widest { int8, int16, int32 };

/// An output range no wider than that, clamped tighter now and then.
inline q::output_range random_range(generator& random, widest limit) {
  q::output_range range = int8_range(static_cast<std::int32_t>(between(random, -128, 127)));
  if (limit != widest::int8 && one_in(random, 2)) range = uint8_range(static_cast<std::int32_t>(between(random, 0, 255)));
  if (limit != widest::int8 && one_in(random, 3)) range = int16_range(static_cast<std::int32_t>(between(random, -32768, 32767)));
  if (limit == widest::int32 && one_in(random, 3)) range = {};
  if (one_in(random, 4)) range.min = std::min(range.zero_point, range.max);
  return range;
}

inline std::function<setting(generator&)> random_scale(int bits, int low, int high, widest limit, bool any_sign = false) {
  return [=](generator& random) {
    // One call a statement: the order in which arguments are evaluated differs between compilers.
    const double scale = random_real(random, bits, low, high);
    const q::output_range range = random_range(random, limit);
    return real(any_sign && one_in(random, 4) ? -scale : scale, range);
  };
}

/// Three are worth all accumulators: where the fp32 product makes a tie that is none; all of the range with a scale one step
/// below a power of two; an 8-bit output that all accumulators together just fill. Then the least and greatest scale and powers
/// of two.
inline std::vector<setting> scale_edges(double least, double below_limit, q::output_range wide, q::output_range narrow) {
  return {real(0x1.555556p-3, wide),
          real(std::min(0x1.fffffep7, below_limit), wide),
          real(0x1.fffffep-25, narrow),
          real(0.5, narrow),
          real(0.5, wide),
          real(0x1.000002p-1, wide),
          real(0x1.fffffep-2, wide),
          real(0.75, narrow),
          real(0.25, wide),
          real(0x1.8p-8, narrow),
          real(least, wide),
          real(std::nextafter(static_cast<float>(least), 1.0f), wide),
          real(below_limit, narrow)};
}

inline std::vector<setting> refused_scales(double too_small, double too_large) {
  return {real(too_small),
          real(too_large),
          real(0.0),
          real(-0.5),
          real(std::numeric_limits<double>::infinity()),
          real(std::numeric_limits<double>::quiet_NaN())};
}

inline setting onednn(float source, float weight, float output, q::output_range range) {
  setting s = real(static_cast<double>(source), range);
  s.weight_scale = weight;
  s.output_scale = output;
  return s;
}

inline setting random_onednn(generator& random) {
  const auto scale = [&](int low, int high) { return static_cast<float>(random_real(random, 24, low, high)); };
  const float source = scale(-16, 2);
  const float weight = scale(-16, 2);
  const float output = scale(-8, 8);
  setting s = onednn(source, weight, output, random_range(random, widest::int32));
  if (one_in(random, 16)) s.scale = random_real(random, 24, -100, 100);
  return s;
}

// ---- the list

inline std::vector<entry> entries() {
  const auto left = [](int least_shift, int greatest_shift) {
    return q31_edges(31 - greatest_shift, 31 - least_shift, left_pair);
  };
  const auto right = [](int least, int greatest) { return q31_edges(least, greatest, pair); };

  // For the rules that take any sign, other four are worth all accumulators; the least mantissa is the fifth where it is legal.
  const std::vector<setting> signed_edges =
      joined({pair(half31, -1), pair(-half31 - 1, 0), pair(-3 * (1 << 29), 2), pair(highest32, -31)},
             joined(left(-31, 30), negative_edges()));
  const std::vector<setting> any_sign = joined({pair(lowest32, -2)}, joined(signed_edges, least_mantissa_edges()));
  const std::vector<setting> beyond_30 = {pair(half31, 31), pair(half31, -32)};
  const std::vector<setting> not_single = {pair(half31, 31), pair(half31, -32), pair(-1, 0), pair(lowest32, 0)};
  const std::vector<setting> not_mve_single = {pair(half31, 30), pair(half31, -32), pair(-1, 0), pair(lowest32, 0)};
  const auto random_double = random_pair(31, -31, 30, lowest32);
  const auto random_single = random_pair(31, -31, 30);
  const auto random_mve_single = random_pair(31, -31, 29);

  const std::vector<setting> xnnpack_scales = scale_edges(0x1p-32, 0x1.fffffep7, {}, int8_range(5));
  const std::vector<setting> xnnpack_int8_scales = scale_edges(0x1p-32, 0x1.fffffep7, int8_range(0), int8_range(-77));
  const std::vector<setting> xnnpack_int16_scales = scale_edges(0x1p-32, 0x1.fffffep7, int16_range(0), uint8_range(133));
  const std::vector<setting> not_xnnpack = refused_scales(0x1.fffffep-33, 256.0);

  const double least_float = std::numeric_limits<float>::denorm_min();
  const double greatest_float = std::numeric_limits<float>::max();
  const std::vector<setting> float_scales = joined(scale_edges(least_float, greatest_float, {}, int8_range(-3)),
                                                   {real(256.0, uint8_range(1)), real(-0.3125), real(0.0), real(0x1p-126)});
  const std::vector<setting> not_finite = {real(std::numeric_limits<double>::infinity()),
                                           real(std::numeric_limits<double>::quiet_NaN())};

  const std::vector<setting> double_scales = {real(0x1.0000000000001p-1),
                                              real(0x1.fffffffffffffp-3),
                                              real(0x1.5555555555555p-9, int16_range(-4)),
                                              real(0.5),
                                              real(0.1),
                                              real(1e-3, int16_range(3)),
                                              real(0x1p-31),
                                              real(0x1p-32),
                                              real(0x1.fffffffffffffp-33),
                                              real(0x1p-1074),
                                              real(-0.25),
                                              real(0.0),
                                              real(3.0),
                                              real(0x1p30),
                                              real(std::numeric_limits<double>::max())};

  const auto exact_edges = [] {
    std::vector<setting> all = {pair(half31, 32), pair(-3, 2), pair(3 << 29, 40), pair(lowest32, 63), pair(0, 31), pair(-1, 1)};
    for (const int right_shift : {0, 31, 63, 64, 65, 94, 126})
      for (const std::int32_t mantissa : {lowest32, half31 + 1}) all.push_back(pair(mantissa, right_shift));
    return all;
  }();
  const std::vector<setting> not_exact = {pair(1, -1), pair(1, 127)};
  const auto random_exact = random_pair(31, 0, 126, lowest32);

  std::vector<setting> scale16_edges = {pair(0, 15)};
  for (const int right_shift : {2, 3, 15, 16, 31, 46, 61, 62})
    for (const std::int32_t mantissa : {1, 1 << 14, (1 << 14) + 1, 32767}) scale16_edges.push_back(pair(mantissa, right_shift));
  // Around the mantissa from which TFLite's reduction saturates.
  const std::vector<setting> reduced_edges =
      joined(left(-31, 7), {pair(0x7FFE'7FFF, -7), pair(0x7FFE'8000, -7), pair(0x7FFE'FFFF, -7), pair(0x7FFF'0000, -7)});
  std::vector<setting> s64_edges = {pair(0, 0)};
  for (const int shift : {7, 6, 0, -1, -16, -31})
    for (const std::int32_t mantissa : {1, 1 << 14, (1 << 14) + 1, 32767}) s64_edges.push_back(pair(mantissa, shift));

  std::vector<setting> high_mul_edges = {pair(lowest32, 0),  pair(half31, 0), pair(-3, 0),
                                         pair(highest32, 0), pair(1, 0),      pair(-highest32, 0)};
  std::vector<setting> exponents;
  for (const int exponent : {1, 31, 7, 0, 2, 15, 16, 30}) exponents.push_back(pair(0, exponent));
  const auto random_exponent = [](generator& random) { return pair(0, static_cast<std::int32_t>(between(random, 0, 31))); };

  using namespace oracle;
  namespace tflite = q::tflite;
  namespace cmsis_nn = q::cmsis_nn;
  namespace xnnpack = q::xnnpack;
  return {
      make<left_shift_pair<tflite::double_rounding, tflite_double, preshift_fits>>("tflite::double_rounding", any_sign, 5,
                                                                                   beyond_30, random_double),
      make<left_shift_pair<tflite::single_rounding, tflite_single, result_fits>>("tflite::single_rounding", left(-31, 30), 5,
                                                                                 not_single, random_single),
      make<left_shift_pair<tflite::neon_double_rounding, tflite_neon_double, preshift_fits>>(
          "tflite::neon_double_rounding", any_sign, 5, beyond_30, random_double),
      make<left_shift_pair<tflite::neon_single_rounding, tflite_neon_single, longer_preshift_fits>>(
          "tflite::neon_single_rounding", left(-31, 29), 5, not_mve_single, random_mve_single),
      make<left_shift_pair<tflite::avx2, tflite_avx2, preshift_fits>>("tflite::avx2", any_sign, 5, beyond_30, random_double),

      make<left_shift_pair<cmsis_nn::double_rounding, cmsis_double, preshift_fits>>(
          "cmsis_nn::double_rounding", signed_edges, 4, {pair(half31, 31), pair(half31, -32), pair(lowest32, 0)},
          random_pair(31, -31, 30, -highest32)),
      make<left_shift_pair<cmsis_nn::single_rounding, cmsis_single, result_fits>>("cmsis_nn::single_rounding", left(-31, 30), 4,
                                                                                  not_single, random_single),
      make<left_shift_pair<cmsis_nn::mve_double_rounding, cmsis_mve_double, preshift_fits>>(
          "cmsis_nn::mve_double_rounding", any_sign, 5, beyond_30, random_double),
      make<left_shift_pair<cmsis_nn::mve_single_rounding, cmsis_mve_single, longer_preshift_fits>>(
          "cmsis_nn::mve_single_rounding", left(-31, 29), 4, not_mve_single, random_mve_single),
      make<left_shift_pair<cmsis_nn::mve_predicated_single_rounding, cmsis_mve_single_predicated, longer_preshift_fits>>(
          "cmsis_nn::mve_predicated_single_rounding", left(-31, 29), 5, not_mve_single, random_mve_single),

      make<left_shift_pair<q::ruy::reference, ruy_reference, result_fits>>("ruy::reference", left(-31, 30), 4, not_single,
                                                                           random_single),
      make<left_shift_pair<q::ruy::x86_simd, ruy_x86_simd, preshift_fits>>("ruy::x86_simd", any_sign, 4, beyond_30,
                                                                           random_double),

      make<tosa_pair<q::tosa::scale32, tosa_apply_scale_32_single>>(
          "tosa::scale32", right(2, 62), 5, {pair(1, 1), pair(1, 63), pair(-1, 31), pair(lowest32, 31)}, random_pair(31, 2, 62)),
      make<tosa_pair<q::tosa::scale32_double_round, tosa_apply_scale_32_double>>(
          "tosa::scale32_double_round", right(2, 62), 5, {pair(1, 1), pair(1, 63), pair(-1, 31), pair(lowest32, 31)},
          random_pair(31, 2, 62)),

      make<xnnpack_pair<xnnpack::fp32, xnnpack_fp32>>("xnnpack::fp32", xnnpack_scales, 3, not_xnnpack,
                                                      random_scale(24, -32, 7, widest::int32)),
      make<xnnpack_wrapping_pair<xnnpack::rndnu, xnnpack_rndnu, oracle::half_up<std::int64_t>>>(
          "xnnpack::rndnu", xnnpack_scales, 3, not_xnnpack, random_scale(24, -32, 7, widest::int32)),
      make<xnnpack_pair<xnnpack::rndnu_neon, xnnpack_rndnu_neon>>("xnnpack::rndnu_neon", xnnpack_int8_scales, 3, not_xnnpack,
                                                                  random_scale(24, -32, 7, widest::int8)),
      make<xnnpack_pair<xnnpack::rndnu16, xnnpack_rndnu16>>("xnnpack::rndnu16", xnnpack_int16_scales, 3, not_xnnpack,
                                                            random_scale(24, -32, 7, widest::int16)),
      make<xnnpack_wrapping_pair<xnnpack::rndna, xnnpack_rndna_removed, oracle::half_away<std::int64_t>>>(
          "xnnpack::rndna", xnnpack_scales, 3, not_xnnpack, random_scale(24, -32, 7, widest::int32)),
      make<xnnpack_pair<xnnpack::gemmlowp, xnnpack_gemmlowp_removed>>(
          "xnnpack::gemmlowp", scale_edges(0x1p-32, 0x1.fffffep-1, {}, int8_range(5)), 3, refused_scales(0x1.fffffep-33, 1.0),
          random_scale(24, -32, -1, widest::int32)),

      make<fbgemm_fixed_pair>("fbgemm::fixed", right(1, 63), 4, {pair(1, 0), pair(1, 64), pair(-1, 31)},
                              [](generator& random) {
                                setting s = random_pair(31, 1, 63)(random);
                                s.range = random_range(random, widest::int32);
                                return s;
                              }),
      make<fbgemm_floating_pair>("fbgemm::floating", float_scales, 3, joined(not_finite, {real(0x1p128)}),
                                 random_scale(24, -60, 30, widest::int32, true)),
      make<onednn_pair>(
          "onednn::f32",
          {onednn(0x1.555556p-2f, 0x1.8p-3f, 0x1.99999ap-4f, int8_range(1)), onednn(0.1f, 0.3f, 0.7f, {}),
           onednn(0.5f, 1.0f, 1.0f, int8_range(1)), onednn(0x1.fffffep-2f, 1.0f, 1.0f, int8_range(1)),
           onednn(1.0f, 1.0f, 1.0f, {3, lowest32, highest32}), onednn(0x1p-12f, 0x1p-12f, 0x1p-1f, uint8_range(128)),
           onednn(std::numeric_limits<float>::max(), 2.0f, 3.0f, int16_range(-7)), onednn(0x1p-140f, 0x1p-3f, 0x1p-120f, {}),
           onednn(0.0f, 1.0f, 1.0f, int8_range(-9)), onednn(-0.5f, 0.5f, 0.75f, {})},
          2,
          {onednn(1, 1, 0, {}), onednn(std::numeric_limits<float>::infinity(), 1, 1, {}),
           onednn(1, std::numeric_limits<float>::quiet_NaN(), 1, {}), onednn(1, 1, std::numeric_limits<float>::infinity(), {}),
           onednn(1, 1, std::numeric_limits<float>::denorm_min(), {})},
          random_onednn),
      make<mlas_pair>("onnx::mlas", float_scales, 3, not_finite, random_scale(24, -60, 30, widest::int32, true)),

      make<double_scale_pair<std::int32_t>>("tflite::double_scale<int32>", double_scales, 3, not_finite,
                                            random_scale(53, -70, 20, widest::int32, true)),
      make<double_scale_pair<std::int64_t>>("tflite::double_scale<int64>", double_scales, 0, not_finite,
                                            random_scale(53, -100, 20, widest::int32, true)),

      make<exact_pair<q::exact::half_up, exact_half_up, std::int32_t>>("exact::half_up of an int32", exact_edges, 4, not_exact,
                                                                       random_exact),
      make<exact_pair<q::exact::half_away, exact_half_away, std::int32_t>>("exact::half_away of an int32", exact_edges, 4,
                                                                           not_exact, random_exact),
      make<exact_pair<q::exact::half_even, exact_half_even, std::int32_t>>("exact::half_even of an int32", exact_edges, 4,
                                                                           not_exact, random_exact),
      make<exact_pair<q::exact::half_up, exact_half_up, std::int64_t>>("exact::half_up", exact_edges, 0, not_exact, random_exact),
      make<exact_pair<q::exact::half_away, exact_half_away, std::int64_t>>("exact::half_away", exact_edges, 0, not_exact,
                                                                           random_exact),
      make<exact_pair<q::exact::half_even, exact_half_even, std::int64_t>>("exact::half_even", exact_edges, 0, not_exact,
                                                                           random_exact),

      make<reduced_pair>("tflite::reduced_int64", reduced_edges, 0, {pair(half31, 8), pair(half31, -32), pair(-half31, 0)},
                         random_pair(31, -31, 7)),
      make<s64_pair>("cmsis_nn::requantize_s64", s64_edges, 0, {pair(1 << 14, 8), pair(1 << 14, -32), pair(-1, 0)},
                     random_pair(15, -31, 7)),
      make<tosa_pair<q::tosa::scale16, tosa_apply_scale_16>>("tosa::scale16", scale16_edges, 0,
                                                             {pair(1, 1), pair(1, 63), pair(-1, 15)}, random_pair(15, 2, 62)),

      make<high_mul_pair>(
          "gemmlowp::saturating_rounding_doubling_high_mul", high_mul_edges, 2, {},
          [](generator& random) { return pair(static_cast<std::int32_t>(random_acc(random, lowest32, highest32)), 0); }),
      make<divide_pair<q::gemmlowp::rounding_divide_by_pot<std::int32_t>, gemmlowp_rounding_divide_by_pot_i32>>(
          "gemmlowp::rounding_divide_by_pot", exponents, 2, {}, random_exponent),
      make<divide_pair<cmsis_nn::divide_by_power_of_two, cmsis_divide_by_power_of_two>>("cmsis_nn::divide_by_power_of_two",
                                                                                        exponents, 2, {}, random_exponent),
      make<reduce_pair>("cmsis_nn::reduce", {setting{}}, 1, {}, [](generator&) { return setting{}; }),
  };
}

}  // namespace sweep

#pragma once
/// \file
/// Pairs: each kind of rule of the library, with the oracle's function for it.

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
/// acc * 2^l is an int32, where at least one right shift follows: l = shift + max(1, -shift).
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

/// A window slightly wider than 48 bits. Accumulators beyond 48 bits must be refused.
constexpr window beyond_int48{-(std::int64_t{1} << 47) - 40000, (std::int64_t{1} << 47) + 40000};

struct integer_kind {
  using accumulator = std::int32_t;
  static std::string describe(const setting& s) { return describe_integer(s); }
};

/// A Q31 mantissa and a left shift.
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

/// TOSA: a mantissa and a right shift; `undefined` where a REQUIRE fails.
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

/// TFLite's Q31 multiplier, reduced to Q15.
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

/// The exact rules: any mantissa and a right shift. The oracle saturates at 2^62 - 1, the library at 2^62.
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

/// XNNPACK's rule, with the range of accumulators beyond which the reference wraps.
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

// ---- primitives of two operands: the first is the accumulator; the second is the multiplier or the shift

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

/// The accumulator is the Q31 mantissa. TFLite defines the reduction of a non-negative mantissa.
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

}  // namespace sweep

#pragma once

#include "derivations.hpp"
#include "exact_real.hpp"
#include "float_schemes.hpp"
#include "integer_schemes.hpp"
#include "tosa.hpp"
#include "wide_integer.hpp"

#include <cstdint>

// Elementwise operators from the publishers' text, in exact integers. Offsets, multipliers and shifts are the publishers'. A
// multiplier is Q31, and its shift counts to the left. TOSA's shift counts to the right.

namespace oracle {

// ---- add and subtract

/// A multiplier and its shift.
struct pair {
  std::int32_t multiplier;
  int shift;
};

inline pair pair_of(derived_multiplier d) { return {static_cast<std::int32_t>(d.multiplier), d.shift}; }

struct sum_pairs {
  pair a, b, sum;
};

/// The three scales of a sum of scales a and b into scale y. Let t be twice the larger of a and b: the scales are a / t, b / t
/// and t / (2^left * y). Each division rounds to `precision` bits.
struct sum_reals {
  double a, b, sum;
};
inline sum_reals scales_of_sum(double a, double b, double y, int left, bool in_binary32) {
  const real twice = times_power_of_two(from_double(a < b ? b : a), 1);
  const auto divided = [&](real numerator, real denominator) {
    const real exact = quotient(numerator, denominator, in_binary32 ? 24 : 53);
    return to_double(in_binary32 ? fl32(exact) : fl64(exact));
  };
  return {divided(from_double(a), twice), divided(from_double(b), twice),
          divided(twice, times_power_of_two(from_double(y), left))};
}

/// clamp(rescale(rescale(x_a << left) +- rescale(x_b << left)) + zero point).
template <class Rescale>
inline std::int64_t rescaled_sum(std::int32_t a, std::int32_t b, int left, const sum_pairs& m, bool subtracts, Rescale rescale) {
  const std::int64_t scaled_a = rescale(wrap32(scaled_up(wide{a}, left)), m.a.multiplier, m.a.shift);
  const std::int64_t scaled_b = rescale(wrap32(scaled_up(wide{b}, left)), m.b.multiplier, m.b.shift);
  return rescale(wrap32(subtracts ? scaled_a - scaled_b : scaled_a + scaled_b), m.sum.multiplier, m.sum.shift);
}

/// Computes apply_scale_32 with one rounding. The shift counts to the right.
inline std::int64_t tosa_single(std::int32_t value, std::int32_t multiplier, int right_shift) {
  return half_up(std::int64_t{value} * multiplier, right_shift);
}

// ---- averages: sum / count lies between two integers, and the nearer one follows from 2 * remainder and count

enum class tie { away, even };

inline std::int64_t average(std::int64_t sum, std::int64_t count, tie ties) {
  const std::int64_t magnitude = sum < 0 ? -sum : sum;
  const std::int64_t whole = magnitude / count;
  const std::int64_t twice_rest = 2 * (magnitude - whole * count);
  const bool up = twice_rest > count || (twice_rest == count && (ties == tie::away || whole % 2 != 0));
  const std::int64_t rounded = up ? whole + 1 : whole;
  return sum < 0 ? -rounded : rounded;
}

/// The multiplier of a mean: q * 2^k / n, truncated.
inline pair mean_pair(pair scale, std::int64_t count) {
  int k = 0;
  while (k < 32 && k < 31 + scale.shift && (std::int64_t{2} << k) <= count) ++k;
  return {static_cast<std::int32_t>((wide{scale.multiplier} << k) / count), scale.shift - k};
}

// ---- leaky relu and hard swish

/// Rescales v >= 0 by `identity`, and v < 0 by `alpha`. A negative alpha rescales by its magnitude and negates the result.
template <class Rescale>
inline std::int64_t leaky_relu(std::int32_t v, pair identity, pair alpha, Rescale rescale) {
  if (v >= 0) return rescale(v, identity.multiplier, identity.shift);
  if (alpha.multiplier >= 0) return rescale(v, alpha.multiplier, alpha.shift);
  return -std::int64_t{rescale(v, -alpha.multiplier, alpha.shift)};
}

/// Computes the hard swish in steps of 16 bits. The exponents count to the left.
inline std::int64_t tflite_hard_swish(std::int32_t v, std::int16_t output, int output_exponent, std::int16_t relu,
                                      int relu_exponent) {
  const auto high = static_cast<std::int16_t>(v * 128);
  const std::int64_t on_output_scale = gemmlowp_srdhm_i16(high, output);
  std::int64_t gate = high;
  if (relu_exponent > 0) gate = saturate16(scaled_up(gate, relu_exponent - 1));
  gate = gemmlowp_srdhm_i16(static_cast<std::int16_t>(gate), relu);
  if (relu_exponent > 0) gate = saturate16(gate * 2);
  if (relu_exponent < 0) gate = half_away(gate, -relu_exponent);
  gate = divide_by_power_of_two(gate + 32768, 1).whole;
  const std::int64_t product = gate * on_output_scale;
  const std::int64_t truncated = product < 0 ? -(-product / 32768) : product / 32768;
  return half_away(truncated, -output_exponent);
}

}  // namespace oracle

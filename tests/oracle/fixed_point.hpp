#pragma once

#include <initializer_list>

#include "integer_schemes.hpp"

// gemmlowp's transcendental functions (fixedpoint/fixedpoint.h), in the steps of the header. A number is its raw int32 with an
// explicit count of integer bits.

namespace oracle {

struct fixed {
  std::int64_t raw;
  int integer_bits;
};

namespace detail {

inline std::int32_t narrow32(std::int64_t x) { return static_cast<std::int32_t>(x); }
inline fixed times(fixed a, fixed b) {
  return {gemmlowp_srdhm_i32(narrow32(a.raw), narrow32(b.raw)), a.integer_bits + b.integer_bits};
}
inline fixed plus(fixed a, fixed b) { return {a.raw + b.raw, a.integer_bits}; }
inline fixed minus(fixed a, fixed b) { return {a.raw - b.raw, a.integer_bits}; }
/// Returns x / 2^n. If n is negative, x is multiplied by 2^-n and saturated.
inline fixed over_power_of_two(fixed x, int n) {
  if (n < 0) return {saturate32(x.raw * (std::int64_t{1} << -n)), x.integer_bits};
  return {gemmlowp_rounding_divide_by_pot_i32(narrow32(x.raw), n), x.integer_bits};
}
inline fixed in_bits(fixed x, int integer_bits) {
  return {over_power_of_two(x, integer_bits - x.integer_bits).raw, integer_bits};
}
inline fixed one(int integer_bits) {
  return {integer_bits == 0 ? std::int64_t{0x7FFFFFFF} : std::int64_t{1} << (31 - integer_bits), integer_bits};
}
inline fixed newton(fixed x) {
  const std::int64_t sum = x.raw + one(0).raw;
  const fixed half_denominator{(sum + (sum >= 0 ? 1 : -1)) / 2, 0};
  fixed y = plus({1515870810, 2}, times(half_denominator, {-1010580540, 2}));
  for (int i = 0; i < 3; ++i) {
    const fixed rest = minus(one(2), times(half_denominator, y));
    y = plus(y, in_bits(times(y, rest), 2));
  }
  return y;
}

}  // namespace detail

/// exp(x) for x <= 0.
inline fixed exp_on_negative_values(fixed x) {
  using namespace detail;
  if (x.raw == 0) return one(0);
  if (x.integer_bits > 5 && x.raw < -(std::int64_t{32} << (31 - x.integer_bits))) return {0, 0};
  const std::int64_t quarter = std::int64_t{1} << (29 - x.integer_bits);
  std::int64_t rest = x.raw % quarter;  // -quarter < rest <= 0
  if (rest == 0) rest = -quarter;
  const fixed u = plus(in_bits({rest, x.integer_bits}, 0), {std::int64_t{1} << 28, 0});
  const fixed u2 = times(u, u);
  const fixed u3 = times(u2, u);
  const fixed u4 = times(u2, u2);
  const fixed third{715827883, 0};
  const fixed sum = over_power_of_two(plus(times(plus(over_power_of_two(u4, 2), u3), third), u2), 1);
  const fixed constant{1895147668, 0};
  fixed y = plus(constant, times(constant, plus(u, sum)));
  std::int64_t quarters = (rest - x.raw) / quarter;
  for (const std::int64_t factor : {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242}) {
    if (quarters % 2 != 0) y = times(y, {factor, 0});
    quarters /= 2;
  }
  return y;
}

inline fixed one_over_one_plus_x(fixed x) {
  fixed y = detail::newton(x);
  y.integer_bits = 1;  // halves the value
  return detail::in_bits(y, 0);
}
inline fixed one_minus_x_over_one_plus_x(fixed x) { return detail::in_bits(detail::minus(detail::newton(x), detail::one(2)), 0); }

inline fixed logistic(fixed x) {
  if (x.raw == 0) return {std::int64_t{1} << 30, 0};
  const fixed of_magnitude = one_over_one_plus_x(exp_on_negative_values({x.raw < 0 ? x.raw : -x.raw, x.integer_bits}));
  return x.raw > 0 ? of_magnitude : detail::minus(detail::one(0), of_magnitude);
}
inline fixed tanh(fixed x) {
  if (x.raw == 0) return {0, 0};
  const fixed of_magnitude =
      one_minus_x_over_one_plus_x(exp_on_negative_values({x.raw < 0 ? x.raw : -x.raw, x.integer_bits + 1}));
  return {x.raw < 0 ? -of_magnitude.raw : of_magnitude.raw, 0};
}

// ---- TFLite's activations of int8 (logistic.h, tanh.h), with the double-rounding multiplier

inline std::int8_t clamp8(std::int64_t x) { return static_cast<std::int8_t>(x < -128 ? -128 : x > 127 ? 127 : x); }

template <class Function>
inline std::int8_t tflite_activation_s8(int x, int zero_point, int radius, std::int32_t multiplier, int shift, Function function,
                                        int output_bits, int output_zero_point) {
  const int d = x - zero_point;
  if (d <= -radius) return -128;
  if (d >= radius) return 127;
  const fixed y = function(fixed{tflite_double(d, multiplier, shift), 4});
  return clamp8(gemmlowp_rounding_divide_by_pot_i32(detail::narrow32(y.raw), 31 - output_bits) + output_zero_point);
}

}  // namespace oracle

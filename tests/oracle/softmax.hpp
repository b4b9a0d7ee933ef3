#pragma once

#include <algorithm>
#include <vector>

#include "fixed_point.hpp"
#include "tosa.hpp"

// Softmax of TFLite (reference/softmax.h, common.h) and of CMSIS-NN (arm_softmax_s16.c) for one row.

namespace oracle {

/// Returns the number of leading zeros of 32 bits.
inline int zeros_before(std::uint32_t x) {
  int n = 0;
  for (; n < 32 && (x >> (31 - n)) == 0; ++n) {
  }
  return n;
}

/// Computes the softmax of int8 to outputs of `bits` 8 or 16. `rescale` is MultiplyByQuantizedMultiplierGreaterThanOne. Returns
/// an empty vector where the engine stops or its sum overflows.
template <class Rescale>
std::vector<int> tflite_softmax_s8(const std::vector<int>& x, int diff_min, int bits, Rescale rescale) {
  const int most = *std::max_element(x.begin(), x.end());
  std::int64_t sum = 0;
  const auto exponential = [&](int v) { return exp_on_negative_values(fixed{rescale(v - most), 5}); };
  for (const int v : x)
    if (v - most >= diff_min) sum += detail::in_bits(exponential(v), 12).raw;
  if (sum > 0x7FFFFFFF) return {};
  const int headroom_plus_one = zeros_before(static_cast<std::uint32_t>(sum));
  const int num_bits_over_unit = 12 - headroom_plus_one;
  const std::int64_t rest = (sum << headroom_plus_one) - (std::int64_t{1} << 31);
  const fixed reciprocal = one_over_one_plus_x({rest, 0});
  const int exponent = num_bits_over_unit + 31 - bits;
  if (exponent < 0 || exponent > 31) return {};
  const int least = -(1 << (bits - 1));
  std::vector<int> y;
  for (const int v : x) {
    std::int64_t output = least;
    if (v - most >= diff_min)
      output += gemmlowp_rounding_divide_by_pot_i32(detail::narrow32(detail::times(reciprocal, exponential(v)).raw), exponent);
    y.push_back(static_cast<int>(std::min<std::int64_t>(output, -least - 1)));
  }
  return y;
}

inline std::int64_t wrap16(std::int64_t x) { return static_cast<std::int16_t>(x); }

/// Computes LUTLookup of int16.
inline std::int64_t lookup(std::int64_t value, const std::int16_t* entries) {
  const std::int64_t place = value + 32768;
  const std::int64_t base = entries[place / 128];
  const std::int64_t slope = wrap16(entries[place / 128 + 1] - base);
  return wrap16(base + half_up(slope * (place % 128), 7));
}

/// Computes the softmax of int16 by two tables. `wraps` narrows as CMSIS-NN does.
template <class Rescale>
std::vector<int> softmax_s16(const std::vector<int>& x, const std::int16_t* exp, const std::int16_t* one_over_one_plus_x,
                             bool wraps, Rescale rescale) {
  const int most = *std::max_element(x.begin(), x.end());
  std::vector<std::int64_t> exponentials;
  std::int64_t sum = 0;
  for (const int v : x) {
    exponentials.push_back(lookup(saturate16(std::int64_t{rescale(v - most)} + 32767), exp));
    sum += exponentials.back();
  }
  const int headroom_plus_one = zeros_before(static_cast<std::uint32_t>(sum));
  std::int64_t rounded = sum * (std::int64_t{1} << (headroom_plus_one - 1)) + (1 << 13);
  if (wraps) rounded = wrap32(rounded);
  const std::int64_t symmetric = (rounded >> 14) - 98304;
  const std::int64_t reciprocal = lookup(wraps ? wrap16(symmetric) : saturate16(symmetric), one_over_one_plus_x);
  std::vector<int> y;
  for (const std::int64_t e : exponentials) {
    const std::int64_t output = half_up(e * reciprocal, 31 - headroom_plus_one);
    y.push_back(static_cast<int>(wraps ? wrap16(output) : std::min<std::int64_t>(std::max<std::int64_t>(output, 0), 32767)));
  }
  return y;
}

// ---- TensorFlow's decomposition into TOSA's operators, with the requirements of the specification for each operator

/// Thrown if a result does not fit int32: the specification calls it unpredictable.
struct unpredictable {};
inline std::int64_t int32_or_throw(wide x) {
  if (x != static_cast<std::int32_t>(x)) throw unpredictable{};
  return static_cast<std::int64_t>(x);
}
inline std::int64_t tosa_mul(std::int64_t a, std::int64_t b, int shift) {
  return int32_or_throw(shift == 0 ? wide{a} * b : divide_by_power_of_two(wide{a} * b + (wide{1} << (shift - 1)), shift).whole);
}
/// Computes ARITHMETIC_RIGHT_SHIFT with round.
inline std::int64_t tosa_arithmetic_right_shift(std::int64_t x, int shift) {
  if (shift < 0 || shift > 31) throw unpredictable{};
  return (x >> shift) + (shift > 0 ? (x >> (shift - 1)) & 1 : 0);
}
inline std::int64_t tosa_logical_left_shift(std::int64_t x, int shift) {
  if (shift < 0 || shift > 31) throw unpredictable{};
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << shift);
}
/// Computes TABLE of int16.
inline std::int64_t tosa_table(std::int64_t value, const std::int16_t* entries) {
  const std::int64_t index = (value >> 7) + 256, fraction = value & 0x7F;
  const std::int64_t base = entries[index], slope = entries[index + 1] - base;
  if (slope != static_cast<std::int16_t>(slope)) throw unpredictable{};
  return base * 128 + slope * fraction;
}

/// Computes the softmax of int8 by four tables of bytes.
inline std::vector<int> tosa_softmax_s8(const std::vector<int>& x, const std::int16_t (&bytes)[4][513], int y_zero_point) {
  const int most = *std::max_element(x.begin(), x.end());
  std::vector<std::int64_t> op13;
  std::int64_t op15 = 0;
  for (const int v : x) {
    const std::int64_t op4 = std::int64_t{v - most} * 128;
    const std::int64_t op7 = tosa_logical_left_shift(tosa_table(op4, bytes[0]), 17);
    const std::int64_t op8 = tosa_logical_left_shift(tosa_table(op4, bytes[1]), 9);
    const std::int64_t op9 = tosa_logical_left_shift(tosa_table(op4, bytes[2]), 1);
    const std::int64_t op10 = tosa_arithmetic_right_shift(tosa_table(op4, bytes[3]), 7);
    op13.push_back(int32_or_throw(wide{int32_or_throw(wide{int32_or_throw(wide{op7} + op8)} + op9)} + op10));
    op15 = int32_or_throw(wide{op15} + tosa_arithmetic_right_shift(op13.back(), 12));
  }
  const int op16 = zeros_before(static_cast<std::uint32_t>(op15));
  const std::int64_t half_denominator = tosa_logical_left_shift(op15, op16 - 1);
  std::int64_t nr_x = int32_or_throw(wide{tosa_mul(half_denominator, -1010580540, 31)} + 1515870810);
  for (int i = 0; i < 3; ++i) {
    const std::int64_t op22 = int32_or_throw((wide{1} << 29) - tosa_mul(nr_x, half_denominator, 31));
    nr_x = int32_or_throw(wide{nr_x} + tosa_mul(tosa_mul(nr_x, op22, 31), 4, 0));
  }
  std::vector<int> y;
  for (const std::int64_t e : op13) {
    const std::int64_t op28 = tosa_arithmetic_right_shift(tosa_mul(e, nr_x, 30), 35 - op16);
    y.push_back(static_cast<int>(std::max<std::int64_t>(std::min<std::int64_t>(op28 + y_zero_point, 127), -128)));
  }
  return y;
}

/// Computes the softmax of int16 by two tables. `rescale` is RESCALE with two roundings.
template <class Rescale>
std::vector<int> tosa_softmax_s16(const std::vector<int>& x, const std::int16_t* exp, const std::int16_t* one_over_one_plus_x,
                                  Rescale rescale) {
  const int most = *std::max_element(x.begin(), x.end());
  std::vector<std::int64_t> op8;
  std::int64_t op9 = 0;
  for (const int v : x) {
    const std::int64_t op5 = int32_or_throw(wide{rescale(v - most)} + 32767);
    op8.push_back(tosa_arithmetic_right_shift(tosa_table(wrap16(op5), exp), 7));
    op9 = int32_or_throw(wide{op9} + op8.back());
  }
  const int op10 = zeros_before(static_cast<std::uint32_t>(op9));
  const std::int64_t op13 = int32_or_throw(wide{tosa_logical_left_shift(op9, op10 - 1)} - (1 << 30));
  const std::int64_t op15 = int32_or_throw(wide{tosa_arithmetic_right_shift(op13, 14)} - 32768);
  const std::int64_t op18 = tosa_arithmetic_right_shift(tosa_table(wrap16(op15), one_over_one_plus_x), 7);
  std::vector<int> y;
  for (const std::int64_t e : op8)
    y.push_back(static_cast<int>(saturate16(tosa_arithmetic_right_shift(tosa_mul(op18, e, 0), 31 - op10))));
  return y;
}

}  // namespace oracle

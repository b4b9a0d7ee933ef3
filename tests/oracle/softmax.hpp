#pragma once

#include <algorithm>
#include <vector>

#include "fixed_point.hpp"

// Softmax of TFLite (reference/softmax.h, common.h) and of CMSIS-NN (arm_softmax_s16.c), a row at a time.

namespace oracle {

/// Zeros before the first one of 32 bits.
inline int zeros_before(std::uint32_t x) {
  int n = 0;
  for (; n < 32 && (x >> (31 - n)) == 0; ++n) {
  }
  return n;
}

/// Softmax of int8 to `bits` 8 or 16; `rescale` is MultiplyByQuantizedMultiplierGreaterThanOne. Empty where the engine stops or
/// its sum overflows.
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

/// LUTLookup of int16.
inline std::int64_t lookup(std::int64_t value, const std::int16_t* entries) {
  const std::int64_t place = value + 32768;
  const std::int64_t base = entries[place / 128];
  const std::int64_t slope = wrap16(entries[place / 128 + 1] - base);
  return wrap16(base + half_up(slope * (place % 128), 7));
}

/// Softmax of int16 by two tables; `wraps`: as CMSIS-NN narrows.
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

}  // namespace oracle

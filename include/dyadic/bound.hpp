// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Computes how wide an accumulator must be, for any operands of two types, or for the weights and bias of a fold. Floor 3.
/// Let `least` and `greatest` be the extremes of one product. A sum of `depth` products x * w and a bias b, |b| <= bias, lies in
/// depth * least - bias .. depth * greatest + bias. A product is linear in each operand, so its extremes lie at the corners of
/// the two ranges. The operands of one sum are independent, so the sum reaches both ends.

#include <dyadic/fold.hpp>

namespace dyadic {

/// All integers from min to max.
struct value_range {
  std::int32_t min;  ///< the least value
  std::int32_t max;  ///< the greatest value
};

/// Returns the range of x - zero for all values x of type T. Requires: zero is a value of T.
template <class T>
DYADIC_API constexpr value_range values_of(std::int32_t zero = 0) noexcept {
  return {operand<T>::min - zero, operand<T>::max - zero};
}

/// Returns the range of x - zero for all values and all zero points of type T: -(max - min) .. max - min.
template <class T>
DYADIC_API constexpr value_range values_with_any_zero_point() noexcept {
  return {operand<T>::min - operand<T>::max, operand<T>::max - operand<T>::min};
}

namespace detail {

/// Returns the extremes of x * w. Their magnitude is at most 2^62 for any ranges, so that they and their negatives fit int64.
DYADIC_API constexpr accumulator_range product_range(value_range x, value_range w) noexcept {
  const std::int64_t corners[] = {std::int64_t{x.min} * w.min, std::int64_t{x.min} * w.max, std::int64_t{x.max} * w.min,
                                  std::int64_t{x.max} * w.max};
  accumulator_range products{corners[0], corners[0]};
  for (const std::int64_t p : corners) {
    products.lowest = p < products.lowest ? p : products.lowest;
    products.highest = p > products.highest ? p : products.highest;
  }
  return products;
}

template <class T>
DYADIC_API constexpr int bits_of_accumulator() noexcept {
  if constexpr (std::is_same_v<T, int48> || std::is_same_v<T, packed_int48>) {
    return 48;
  } else {
    static_assert(std::is_integral_v<T> && std::is_signed_v<T>, "an accumulator is a signed integer, int48 or packed_int48");
    return static_cast<int>(8 * sizeof(T));
  }
}

}  // namespace detail

/// Returns the largest depth at which no sum of products and a bias overflows a signed accumulator of `bits` bits. The ranges of
/// the operands are x and w, and |bias| <= bias_bound. The depth is the lesser of floor((2^(bits - 1) - 1 - bias_bound) /
/// greatest) and floor((2^(bits - 1) - bias_bound) / -least). At the next depth some operands overflow. Returns -1 if the bias
/// alone may overflow, and the greatest int64 if no depth overflows. Requires: 2 <= bits <= 64, bias_bound >= 0.
DYADIC_API constexpr std::int64_t max_depth(value_range x, value_range w, int bits, std::int64_t bias_bound = 0) noexcept {
  DYADIC_ASSERT(bits >= 2 && bits <= 64 && bias_bound >= 0);
  const std::int64_t unlimited = limits<std::int64_t>::max;
  const std::int64_t room = (unlimited >> (64 - bits)) - bias_bound;
  if (room < 0) return -1;
  const accumulator_range products = detail::product_range(x, w);
  const std::int64_t upwards = products.highest > 0 ? room / products.highest : unlimited;
  if (products.lowest >= 0) return upwards;
  // floor((room + 1) / n), where room + 1 may be 2^63.
  const std::int64_t n = -products.lowest;
  const std::int64_t downwards = room / n + (room % n == n - 1 && room / n != unlimited ? 1 : 0);
  return upwards < downwards ? upwards : downwards;
}

/// Returns the largest depth for activations of type X and weights of type W (int8, int16, uint8, int4, ...) with these zero
/// points. The accumulator is a type (int16, int32, int64, int48) or a number of bits. For int16 x int8 the depth is 511 in
/// int32, and 2^25 - 1 in int48. Requires: zero points of their types.
/// @{
template <class X, class W, int Bits>
DYADIC_API constexpr std::int64_t max_depth(std::int64_t bias_bound = 0, zero_points zero = {}) noexcept {
  static_assert(Bits >= 2 && Bits <= 64);
  return max_depth(values_of<X>(zero.x), values_of<W>(zero.w), Bits, bias_bound);
}
template <class X, class W, class Accumulator>
DYADIC_API constexpr std::int64_t max_depth(std::int64_t bias_bound = 0, zero_points zero = {}) noexcept {
  return max_depth<X, W, detail::bits_of_accumulator<Accumulator>()>(bias_bound, zero);
}
/// @}

/// Return true if the accumulator of a fold fits for all activations. The bound of the fold is exact, because it is computed from
/// the sums of positive and of negative weights. The bound of a fold from kernel sums is the worst case of its types. A sum that
/// fits is also exact modulo 2^32 or 2^48, even if its parts or the folded constant wrap.
/// @{
DYADIC_API constexpr bool fits_int32(const fold_record& r) noexcept {
  return fits<std::int32_t>(r.bound.lowest) && fits<std::int32_t>(r.bound.highest);
}
DYADIC_API constexpr bool fits_int48(const fold_record& r) noexcept {
  return int48::fits(r.bound.lowest) && int48::fits(r.bound.highest);
}
template <class Accumulator>
DYADIC_API constexpr bool fits_int32(const folded_bias<Accumulator>& folded) noexcept {
  return fits_int32(folded.record);
}
template <class Accumulator>
DYADIC_API constexpr bool fits_int48(const folded_bias<Accumulator>& folded) noexcept {
  return fits_int48(folded.record);
}
/// @}

/// Returns how many products of stored values a 32-bit lane holds before it must be drained into a wider lane: max_depth in 32
/// bits. Zero points are not subtracted, because backends multiply stored values. Saturates to index_t.
DYADIC_API constexpr index_t drain_length(value_range x, value_range w) noexcept {
  const std::int64_t depth = max_depth(x, w, 32);
  const std::int64_t most = limits<index_t>::max;
  return static_cast<index_t>(depth < most ? depth : most);
}

/// Returns the drain length for all values of two types: 511 for int16 x int8.
template <class X, class W>
DYADIC_API constexpr index_t drain_length() noexcept {
  return drain_length(values_of<X>(), values_of<W>());
}

/// Returns the drain length for any activations and the weights of a fold, in any order. It depends on the least and the greatest
/// weight: 516 for int16 activations and weights -127 .. 127.
/// @{
DYADIC_API constexpr index_t drain_length(const fold_record& r) noexcept {
  return drain_length(value_range{r.x_min, r.x_max}, value_range{r.w_min, r.w_max});
}
template <class Accumulator>
DYADIC_API constexpr index_t drain_length(const folded_bias<Accumulator>& folded) noexcept {
  return drain_length(folded.record);
}
/// @}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The operations that the schemes' formulas need from a lane type, and the one-lane type, which defines their results. Floor 1.
///
/// A lane type has three types of values, `count` numbers each: `int32s`, `int64s` and `products`. `products` are the 64-bit
/// products of two int32s, in the order in which the instruction set multiplies. A shift is an int for all lanes, or an int32s. R
/// is the constant of Rounding (scheme/rounding.hpp).
///
/// Products:
///   `multiply(int32s, int32s) -> products`: exact.
///   `multiply(int64s, int64s) -> int64s`: modulo 2^64; the second operand fits 15 bits.
/// On int64s and products:
///   `add`, `subtract`: modulo 2^64.
///   `bit_and`.
///   `negative`: all ones if negative, else 0.
///   `shift_right`: arithmetic, by 1 .. 63.
///   `wrap`, `saturate`: to int32s.
///   `high`: the upper 32 bits.
/// On int32s:
///   `add`, `subtract`, `multiply_low`, `shift_left` by 0 .. 31: modulo 2^32.
///   `shift_right`: arithmetic, by 0 .. 31.
///   `min`, `max`.
///   `select_greater(a, b, x, y)`, `select_equal(a, b, x, y)`: x where a > b, or where a == b, else y.
///   `multiply_binary32(a, bits)`: fl32(fl32(a) * s), where s is the finite binary32 of `bits`. It is rounded to an integer
///     with ties to even and saturated to int32, but one lane gives the whole integer. The machine must have its default rounding
///     mode.
/// From one number:
///   `broadcast(x) -> int32s`, `broadcast64<int64s or products>(x)`: x in all lanes.
/// If `has_rounded_product<Rounding>`, there are instructions for:
///   `rounded_product<Rounding>(int32s a, int32s m, left_shift) -> int32s`: (a * m + R) / 2^(31 - left_shift). Requires
///     m >= 0 and -32 <= left_shift < 0, which shifts to the right.
/// If `has_product_sum`, the operation costs less than its parts:
///   `product_sum<Rounding>(int32s a, int32s m, int32s rounding) -> int32s`: (a * m + R - 2^(n + 31)) / 2^32 + rounding for
///     m >= 0. R is that of shift n + 32, for any n. If R depends on the sign of the product, the sign of a decides.
/// If `has_short_results<Shift>`, for outputs of up to 16 bits, with S = a * m + c modulo 2^64:
///   `short_result(int64s a, int64s m, int64s c, Shift n) -> int32s`: floor(S / 2^n) if it fits int32, else a number of its sign
///     beyond +-(2^30 - 1). Requires 0 <= m < 2^31 and 2 <= n <= 63.
/// If `has_wide_products`:
///   `multiply_high(int64s a, int64s m, int64s c) -> int64s`: floor((a * m + c) / 2^32) for 0 <= m < 2^31 and 0 <= c <= 2^32.
///   `shift_left_saturated(int64s a, n) -> int64s`: a * 2^n, saturated, for 0 <= n <= 35.
///   `bit_and` of int32s.
/// If `has_floats`, on the bits of binary32s, each rounded once to the nearest, ties to even:
///   `float_of(int32s)`.
///   `multiply_floats(a, b)`, `add_floats(a, b)`: no compiler joins a product with a sum.
///   `integer_of(a) -> int32s`: saturated; 0 for a NaN.
///   `keeps_subnormals()`: true if the machine is set to keep subnormals.
/// If `has_doubles`, the same on the bits of binary64s in int64s:
///   `double_of(int32s or int64s)`.
///   `multiply_doubles(a, b)`.
///   `integer_of_double(a) -> int64s`: ties away from zero, within +-2^50 or farther.
/// If `has_fused_products`, on the bits of binary32s, with f = fl32(a):
///   `multiply_fused(int32s a, high, low, addend) -> int32s`: fl32(f * high + fl32(f * low + addend)) without its fraction. The
///     addend takes the sign of a. Results are within int32.
/// If lanes have neither rounded_product nor product_sum for a rule:
///   `multiply_high16(int32s a, int32s m) -> int32s`: the upper 32 bits of a * m, for m >= 0 whose lower 16 bits are 0.
///   `sign_weight(int32s) -> products`: 2^31 where negative, else 0.
///
/// `one_lane` shows each operation in a line, except rounded_product and product_sum. A backend may compute an operation by any
/// instruction that gives equal results.

#include <dyadic/detail/ieee.hpp>
#include <dyadic/rounding.hpp>

namespace dyadic {

namespace detail {
/// Returns a * b + c, rounded once. Requires: all are finite.
DYADIC_API constexpr binary32 multiply_add(binary32 a, binary32 b, binary32 c) noexcept {
  const binary64 product = multiply(binary64{a}, binary64{b});  // exact
  const binary64 addend{c};
  const bool swap = magnitude(product).bits < magnitude(addend).bits;
  return sum_of<binary32>(decompose(swap ? addend : product), decompose(swap ? product : addend));
}
}  // namespace detail

/// Computes one lane with plain integers. Scalar code uses it, and every other lane type must equal it.
struct one_lane {
  static constexpr int count = 1;  ///< one
  using int32s = std::int32_t;     ///< one number
  using int64s = std::int64_t;     ///< one number
  using products = std::int64_t;   ///< one number

  /// The operations, as listed above.
  /// @{
  DYADIC_API static constexpr products multiply(int32s a, int32s b) noexcept { return std::int64_t{a} * b; }
  DYADIC_API static constexpr int64s multiply(int64s a, int64s b) noexcept { return signed_of(bits(a) * bits(b)); }
  DYADIC_API static constexpr int32s multiply_high16(int32s a, int32s m) noexcept { return high(multiply(a, m)); }
  DYADIC_API static constexpr int64s multiply_high(int64s a, int64s m, int64s c) noexcept {
    return (a >> 32) * m + ((a & 0xFFFF'FFFF) * m + c) / (std::int64_t{1} << 32);
  }
  DYADIC_API static constexpr int64s add(int64s a, int64s b) noexcept { return signed_of(bits(a) + bits(b)); }
  DYADIC_API static constexpr int64s subtract(int64s a, int64s b) noexcept { return signed_of(bits(a) - bits(b)); }
  DYADIC_API static constexpr int64s bit_and(int64s a, int64s b) noexcept { return a & b; }
  DYADIC_API static constexpr int64s negative(int64s a) noexcept { return a >> 63; }
  DYADIC_API static constexpr int64s shift_right(int64s a, int n) noexcept { return a >> n; }
  DYADIC_API static constexpr int32s wrap(int64s a) noexcept { return dyadic::wrap<std::int32_t>(a); }
  DYADIC_API static constexpr int32s saturate(int64s a) noexcept { return dyadic::saturate<std::int32_t>(a); }
  DYADIC_API static constexpr int32s high(int64s a) noexcept { return static_cast<std::int32_t>(a >> 32); }
  DYADIC_API static constexpr products sign_weight(int32s a) noexcept { return a < 0 ? std::int64_t{1} << 31 : 0; }

  DYADIC_API static constexpr int32s add(int32s a, int32s b) noexcept { return signed_of(bits(a) + bits(b)); }
  DYADIC_API static constexpr int32s subtract(int32s a, int32s b) noexcept { return signed_of(bits(a) - bits(b)); }
  DYADIC_API static constexpr int32s multiply_low(int32s a, int32s b) noexcept { return signed_of(bits(a) * bits(b)); }
  DYADIC_API static constexpr int32s shift_left(int32s a, int n) noexcept { return shift_left_wrapped(a, n); }
  DYADIC_API static constexpr int32s shift_right(int32s a, int n) noexcept { return a >> n; }
  DYADIC_API static constexpr int64s shift_left_saturated(int64s a, int n) noexcept {
    const std::int64_t y = shift_left_wrapped(a, n);
    return y >> n == a ? y : (a >> 63) ^ limits<std::int64_t>::max;
  }
  DYADIC_API static constexpr int32s bit_and(int32s a, int32s b) noexcept { return a & b; }
  DYADIC_API static constexpr int32s(min)(int32s a, int32s b) noexcept { return a < b ? a : b; }
  DYADIC_API static constexpr int32s(max)(int32s a, int32s b) noexcept { return a < b ? b : a; }
  DYADIC_API static constexpr int32s select_greater(int32s a, int32s b, int32s x, int32s y) noexcept { return a > b ? x : y; }
  DYADIC_API static constexpr int32s select_equal(int32s a, int32s b, int32s x, int32s y) noexcept { return a == b ? x : y; }
  DYADIC_API static constexpr std::int64_t multiply_binary32(int32s a, int32s scale) noexcept {
    return to_integer<half_even>(dyadic::multiply(from_integer<binary32>(a), binary32::from_bits(bits(scale))));
  }
  DYADIC_API static constexpr int32s float_of(int32s a) noexcept { return signed_of(from_integer<binary32>(a).bits); }
  DYADIC_API static constexpr int32s multiply_floats(int32s a, int32s b) noexcept {
    return signed_of(dyadic::multiply(binary32::from_bits(bits(a)), binary32::from_bits(bits(b))).bits);
  }
  DYADIC_API static constexpr int32s add_floats(int32s a, int32s b) noexcept {
    return signed_of(dyadic::add(binary32::from_bits(bits(a)), binary32::from_bits(bits(b))).bits);
  }
  DYADIC_API static constexpr int32s integer_of(int32s a) noexcept {
    return saturate(to_integer<half_even>(binary32::from_bits(bits(a))));
  }
  DYADIC_API static constexpr int32s multiply_fused(int32s a, int32s high, int32s low, int32s addend) noexcept {
    const auto number = [](int32s x) { return binary32::from_bits(bits(x)); };
    const binary32 f = from_integer<binary32>(a);
    const binary32 c = a < 0 ? negate(number(addend)) : number(addend);
    const fraction y = decompose(detail::multiply_add(f, number(high), detail::multiply_add(f, number(low), c)));
    const auto whole = static_cast<std::int32_t>(y.exponent > -64 ? y.significand >> -y.exponent : 0u);
    return y.negative ? -whole : whole;
  }
  DYADIC_API static constexpr int64s double_of(int64s a) noexcept { return signed_of(from_integer<binary64>(a).bits); }
  DYADIC_API static constexpr int64s multiply_doubles(int64s a, int64s b) noexcept {
    return signed_of(dyadic::multiply(binary64::from_bits(bits(a)), binary64::from_bits(bits(b))).bits);
  }
  DYADIC_API static constexpr int64s integer_of_double(int64s a) noexcept {
    return to_integer<half_away>(binary64::from_bits(bits(a)));
  }
  DYADIC_API static constexpr int32s broadcast(std::int32_t x) noexcept { return x; }
  template <class Wide>
  DYADIC_API static constexpr Wide broadcast64(std::int64_t x) noexcept {
    return x;
  }
  /// @}
  static constexpr bool has_wide_products = true;   ///< as listed above
  static constexpr bool has_floats = true;          ///< as listed above
  static constexpr bool has_doubles = true;         ///< as listed above
  static constexpr bool has_fused_products = true;  ///< as listed above
  static constexpr bool has_product_sum = false;    ///< the parts of product_sum cost as much
  template <class Shift>
  static constexpr bool has_short_results = false;  ///< a shift of 64 bits and a saturation cost less
  template <class Rounding>
  static constexpr bool has_rounded_product = false;  ///< there is no such instruction

 private:
  DYADIC_API static constexpr std::uint32_t bits(std::int32_t a) noexcept { return static_cast<std::uint32_t>(a); }
  DYADIC_API static constexpr std::uint64_t bits(std::int64_t a) noexcept { return static_cast<std::uint64_t>(a); }
  DYADIC_API static constexpr std::int32_t signed_of(std::uint32_t a) noexcept { return static_cast<std::int32_t>(a); }
  DYADIC_API static constexpr std::int64_t signed_of(std::uint64_t a) noexcept { return static_cast<std::int64_t>(a); }
};

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The bits that a dot product of rows with scales needs, and accumulators of 64 and 128 bits. Floor 2.
///
/// A sum of codes times scales is an integer in units of a power of two. The codes, the number of products, and the spread of the
/// scales bound the integer: their largest magnitude in units of their last bit.

#include <dyadic/blocks/exact_sum.hpp>
#include <dyadic/blocks/rows.hpp>

namespace dyadic {

/// Bounds scales: each is a multiple of 2^least, and no magnitude is above `largest`. Scales that are all 0 have {0, 0}.
struct scale_range {
  int least = 0;     ///< the exponent of the unit
  binary32 largest;  ///< the largest magnitude
};

/// All scales of a type.
/// @{
template <class Scale>
inline constexpr scale_range all_scales = {detail::format<Scale>::lowest_exponent - detail::format<Scale>::fraction_bits,
                                           detail::convert<binary32>(Scale::from_bits(detail::format<Scale>::infinity - 1))};
template <>
inline constexpr scale_range all_scales<e8m0> = {-127, value_of(e8m0{254})};
template <>
inline constexpr scale_range all_scales<std::uint8_t> = {0, binary32{255.0f}};
/// @}

/// Bounds a sum: it is a multiple of 2^least, and its magnitude and that of each partial sum is at most largest * 2^least.
struct sum_range {
  int least = 0;                ///< the exponent of the unit
  unsigned_wide largest{0, 0};  ///< 2^128 - 1 also stands for larger numbers
};

namespace detail {

/// Returns the first code of the next block, or the size of the row.
template <class Row>
DYADIC_API constexpr index_t next_block(const Row& row, index_t i) noexcept {
  const index_t start = i / row.block() * row.block();
  return row.size() - start > row.block() ? start + row.block() : row.size();
}

/// Returns the largest n so that x is a multiple of 2^n, or 0 for 0.
DYADIC_API constexpr int trailing_zeros(std::int64_t x) noexcept {
  const auto bits = static_cast<std::uint64_t>(x);
  return bits == 0 ? 0 : 63 - leading_zeros(bits & (0 - bits));
}

/// A finite number as value * 2^exponent. The value is odd, or both are 0. |value| < 2^24.
struct odd_multiple {
  std::int64_t value;
  int exponent;
};
DYADIC_API constexpr odd_multiple odd_multiple_of(binary32 x) noexcept {
  const fraction f = decompose(x);
  if (f.significand == 0) return {0, 0};
  const int zeros = trailing_zeros(static_cast<std::int64_t>(f.significand));
  const auto value = static_cast<std::int64_t>(f.significand >> zeros);
  return {f.negative ? -value : value, f.exponent + zeros};
}

/// Returns the number of bits of x, 0 for 0.
DYADIC_API constexpr int bits_of(std::uint64_t x) noexcept { return 64 - leading_zeros(x); }

/// Returns the number of bits of the odd factor of a finite number, or 0 for a power of two and for 0.
DYADIC_API constexpr int digits_of(binary32 x) noexcept {
  const std::int64_t v = odd_multiple_of(magnitude(x)).value;
  return v <= 1 ? 0 : bits_of(static_cast<std::uint64_t>(v));
}

/// Accumulators of terms dot * scale * 2^exponent with |scale| < 2^48 and exponent >= least. `width_of` chooses one.
/// @{
struct sum_of_64_bits {
  int least;
  std::uint64_t total = 0;
  DYADIC_API constexpr void add(std::int64_t dot, std::int64_t scale, int exponent) noexcept {
    total += static_cast<std::uint64_t>(dot) * static_cast<std::uint64_t>(scale) << (exponent - least);
  }
  DYADIC_API constexpr wide value() const noexcept { return {static_cast<std::int64_t>(total) < 0 ? -1 : 0, total}; }
};
/// Returns x * 2^n modulo 2^128. Requires: 0 <= n < 128.
DYADIC_API constexpr unsigned_wide shifted_left(unsigned_wide x, int n) noexcept {
  if (n >= 64) return {x.low << (n - 64), 0};
  return n == 0 ? x : unsigned_wide{x.high << n | x.low >> (64 - n), x.low << n};
}
struct sum_of_128_bits {
  int least;
  unsigned_wide total{0, 0};
  DYADIC_API constexpr void add(std::int64_t dot, std::int64_t scale, int exponent) noexcept {
    const wide product = multiply(dot, scale);
    const unsigned_wide p = shifted_left({static_cast<std::uint64_t>(product.high), product.low}, exponent - least);
    total.low += p.low;
    total.high += p.high + (total.low < p.low ? 1u : 0u);
  }
  DYADIC_API constexpr wide value() const noexcept { return {static_cast<std::int64_t>(total.high), total.low}; }
};
struct sum_of_all_bits {
  exact_sum& sum;
  DYADIC_API constexpr void add(std::int64_t dot, std::int64_t scale, int exponent) noexcept {
    add(multiply(dot, scale), exponent);
  }
  /// Adds v * 2^exponent. The exponent is at most 451, or 515 if v is an int64.
  DYADIC_API constexpr void add(wide v, int exponent) noexcept {
    const auto low = static_cast<std::int64_t>(v.low);
    if (v.high == (low < 0 ? -1 : 0)) return sum.add(low, exponent);
    sum.add(low & 0xFFFF'FFFF, exponent);
    sum.add(static_cast<std::int64_t>(v.low >> 32), exponent + 32);
    sum.add(v.high, exponent + 64);
  }
};
/// @}

}  // namespace detail

/// Returns the range of the scales of a row, or `scale_not_finite`. Requires: check(row) is `ok`.
template <class Row>
DYADIC_API constexpr result<scale_range> scale_range_of(const Row& row) noexcept {
  scale_range range;
  for (index_t i = 0; i < row.size(); i = detail::next_block(row, i)) {
    const binary32 scale = magnitude(row.scale(i));
    if (!is_finite(scale)) return {range, status::scale_not_finite};
    if (is_zero(scale)) continue;
    const int exponent = detail::odd_multiple_of(scale).exponent;
    if (is_zero(range.largest) || exponent < range.least) range.least = exponent;
    if (less(range.largest, scale)) range.largest = scale;
  }
  return {range, status::ok};
}

/// Returns the range of a sum of products of codes or rows X and Y, summed in any order. Their scales are in the ranges x and y.
///     largest = products * X::largest * Y::largest * (x.largest / 2^x.least) * (y.largest / 2^y.least)
template <class X, class Y>
DYADIC_API constexpr sum_range sum_range_of(index_t products, scale_range x, scale_range y) noexcept {
  const detail::odd_multiple a = detail::odd_multiple_of(x.largest), b = detail::odd_multiple_of(y.largest);
  const unsigned_wide product = multiply(std::uint64_t{X::largest}, std::uint64_t{Y::largest});
  const unsigned_wide codes = multiply(product.low, static_cast<std::uint64_t>(products));
  const unsigned_wide sum = multiply(codes.low, static_cast<std::uint64_t>(a.value * b.value));
  const int spread = a.exponent - x.least + b.exponent - y.least;
  const int zeros = sum.high != 0 ? leading_zeros(sum.high) : 64 + leading_zeros(sum.low);
  const bool fits = codes.high == 0 && (spread <= zeros || zeros == 128);
  const unsigned_wide most{~std::uint64_t{0}, ~std::uint64_t{0}};
  return {x.least + y.least + X::unit + Y::unit, fits ? detail::shifted_left(sum, spread & 127) : most};
}

/// The narrowest accumulator of a sum.
enum class sum_width : std::uint8_t {
  int64,   ///< 64 bits, in units of 2^least
  int128,  ///< 128 bits, in units of 2^least
  all,     ///< an `exact_sum`
};

/// Returns the narrowest accumulator that holds all sums of a range.
DYADIC_API constexpr sum_width width_of(const sum_range& range) noexcept {
  if (range.largest.high == 0 && range.largest.low >> 63 == 0) return sum_width::int64;
  return range.largest.high >> 63 == 0 ? sum_width::int128 : sum_width::all;
}

/// Returns true if binary32 holds all sums of a range: largest <= 2^24, and least is in -149 .. 103. An engine that sums products
/// in binary32 is then exact, in whatever order, if its products are exact.
DYADIC_API constexpr bool is_exact_in_binary32(const sum_range& range) noexcept {
  return range.largest.high == 0 && range.largest.low <= 1u << 24 && range.least >= -149 && range.least <= 103;
}

}  // namespace dyadic

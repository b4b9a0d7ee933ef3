// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A sum of numbers v * 2^e without any rounding, rounded once at the end. Floor 2.
///
/// The sum is an integer of 1,216 bits in units of 2^-636, so it holds values below 2^579. Every element, scale and bias of a
/// block-scaled product is a multiple of a power of two. Rows of E5M2 with scales of binary32 have the least unit of all rows
/// and the largest numbers: multiples of 2^-165 below 2^144. A sum of fewer than 2^31 of their products is a multiple of 2^-330
/// below 2^319. Second scales of both operands make it a multiple of 2^-628 below 2^575.

#include <dyadic/detail/half.hpp>

namespace dyadic {

/// An exact sum. The order of the terms does not matter.
class exact_sum {
 public:
  static constexpr int least_exponent = -636;  ///< the exponent of the unit

  /// Adds v * 2^exponent. Requires: -636 <= exponent <= 515, and the sum stays below 2^579.
  DYADIC_API constexpr void add(std::int64_t v, int exponent) noexcept {
    DYADIC_ASSERT(exponent >= least_exponent && exponent <= 64 * count + least_exponent - 65);
    const int bit = exponent - least_exponent;
    const int shift = bit % 64;
    const auto low = static_cast<std::uint64_t>(v);
    const std::uint64_t sign = v < 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t carry = 0;
    add_word(bit / 64, low << shift, carry);
    std::uint64_t next = shift == 0 ? sign : (low >> (64 - shift)) | (sign << shift);
    for (int i = bit / 64 + 1; i < count; ++i, next = sign) add_word(i, next, carry);
  }

  /// Adds x, a binary32, or a binary64 whose last bit is at least 2^-636. Requires: x is finite, and the sum stays below 2^579.
  template <class Float, int = Float::digits>
  DYADIC_API constexpr void add(Float x) noexcept {
    const fraction f = decompose(x);  // at the top of 64 bits
    const auto whole = static_cast<std::int64_t>(f.significand >> (64 - Float::digits));
    add(f.negative ? -whole : whole, f.significand == 0 ? 0 : f.exponent + 64 - Float::digits);
  }

  /// Multiplies the sum by s, exact. Requires: s is finite, and the product of the sum with the significand of s, 24 bits, and
  /// the product with s are multiples of 2^-636 below 2^579.
  DYADIC_API constexpr void multiply_by(binary32 s) noexcept {
    const fraction f = decompose(s);
    const bool negative = is_negative();
    if (negative) negate();
    std::uint64_t carry = 0;
    for (std::uint64_t& word : words_) {
      const unsigned_wide p = multiply(word, f.significand >> 40);
      const std::uint64_t low = p.low + carry;
      carry = p.high + (low < carry ? 1u : 0u);
      word = low;
    }
    shift(f.significand == 0 ? 0 : f.exponent + 40);
    if (negative != f.negative) negate();
  }

  /// Returns true if the sum is below 0.
  DYADIC_API constexpr bool is_negative() const noexcept { return words_[count - 1] >> 63 != 0; }

  /// Returns the sum rounded once, half even, to binary32, bfloat16 or binary16. Overflow is infinity. Every zero is +0.
  template <class Float>
  DYADIC_API constexpr Float rounded() const noexcept {
    exact_sum all = *this;
    if (is_negative()) all.negate();
    int top = count - 1;
    while (top > 0 && all.words_[top] == 0) --top;
    const std::uint64_t high = all.words_[top], low = top == 0 ? 0 : all.words_[top - 1];
    const int zeros = leading_zeros(high);
    if (zeros == 64) return Float::from_bits(0);
    const std::uint64_t significand = zeros == 0 ? high : high << zeros | low >> (64 - zeros);
    bool sticky = low << zeros != 0;
    for (int i = 0; i < top - 1; ++i) sticky = sticky || all.words_[i] != 0;
    const auto y = compose<Float>({is_negative(), significand, 64 * top - zeros + least_exponent}, sticky);
    return dyadic::is_zero(y) ? Float::from_bits(0) : y;
  }

  /// Returns the sum divided by `scale`, rounded by `Ties` and clamped to min .. max: a requantized output before its zero point.
  /// Requires: scale is positive and finite; min <= max, both in int32. Each |y * scale| and the sum stay below 2^578.
  template <class Ties>
  DYADIC_API constexpr std::int32_t quotient(binary32 scale, std::int32_t min, std::int32_t max) const noexcept {
    const fraction f = decompose(scale);
    const auto digits = static_cast<std::int64_t>(f.significand >> 40);
    // Returns the sum minus halves / 2 * scale.
    const auto rest = [&](std::int64_t halves) {
      exact_sum d = *this;
      d.add(-halves * digits, f.exponent + 39);
      return d;
    };
    // The greatest number of halves whose product with scale / 2 is not above the sum.
    std::int64_t halves = 2 * std::int64_t{min} - 1, above = 2 * std::int64_t{max} + 1;
    while (above - halves > 1) {
      const std::int64_t middle = halves + (above - halves) / 2;
      (rest(middle).is_negative() ? above : halves) = middle;
    }
    if (halves < 2 * std::int64_t{min}) return min;
    const std::int64_t floor = halves >> 1;
    const bool up = floor < max && Ties::rounds_up((halves & 1) != 0, !rest(halves).is_zero(), (floor & 1) != 0, floor < 0);
    return static_cast<std::int32_t>(floor + (up ? 1 : 0));
  }

  /// Returns true if the sum is 0.
  DYADIC_API constexpr bool is_zero() const noexcept {
    for (const std::uint64_t word : words_)
      if (word != 0) return false;
    return true;
  }

 private:
  static constexpr int count = 19;

  DYADIC_API constexpr void add_word(int i, std::uint64_t v, std::uint64_t& carry) noexcept {
    const std::uint64_t with_carry = v + carry;
    const std::uint64_t sum = words_[i] + with_carry;
    carry = (with_carry < carry || sum < with_carry) ? 1 : 0;
    words_[i] = sum;
  }
  DYADIC_API constexpr void negate() noexcept {
    std::uint64_t carry = 1;
    for (std::uint64_t& word : words_) {
      word = ~word + carry;
      carry = word < carry ? 1 : 0;
    }
  }
  /// Multiplies a sum that is not negative by 2^n.
  DYADIC_API constexpr void shift(int n) noexcept {
    const auto word = [&](int i) { return i >= 0 && i < count ? words_[i] : 0; };
    exact_sum shifted;
    const int whole = n >= 0 ? n / 64 : -((63 - n) / 64);
    const int part = n - 64 * whole;
    for (int i = 0; i < count; ++i)
      shifted.words_[i] = word(i - whole) << part | (part == 0 ? 0 : word(i - whole - 1) >> (64 - part));
    *this = shifted;
  }

  std::uint64_t words_[count] = {};  ///< two's complement, the low word first
};

}  // namespace dyadic

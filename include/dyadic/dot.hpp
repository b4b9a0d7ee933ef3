#pragma once
/// \file
/// Sums over the depth, modulo 2^(bits of the accumulator). Floor 5.

#include <dyadic/rounding.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// sum_k x[k] * w[k], modulo 2^(bits of Accumulator). Each product must fit int32: true for operands of 8 and 16 bits of which at most
/// one is unsigned. For int16 x int8 a product is at most 2^22: 511 of them fit int32, 2^25 - 1 fit 48 bits, 2^41 - 1 fit int64.
/// Requires: x and w hold `depth` elements.
template <class Accumulator, class X, class W>
constexpr Accumulator dot(const X* x, const W* w, index_t depth) noexcept {
  static_assert(sizeof(X) <= 2 && sizeof(W) <= 2);
  using bits = std::make_unsigned_t<Accumulator>;
  bits sum = 0;
  for (index_t k = 0; k < depth; ++k) sum += static_cast<bits>(std::int32_t{x[k]} * std::int32_t{w[k]});
  return static_cast<Accumulator>(sum);
}

/// sum_k x[k], modulo 2^(bits of Accumulator). Requires: x holds `depth` elements.
template <class Accumulator, class X>
constexpr Accumulator sum(const X* x, index_t depth) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  bits total = 0;
  for (index_t k = 0; k < depth; ++k) total += static_cast<bits>(x[k]);
  return static_cast<Accumulator>(total);
}

}  // namespace dyadic

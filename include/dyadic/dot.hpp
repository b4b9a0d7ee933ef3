#pragma once
/// \file
/// Sums over the depth, modulo 2^(bits of the accumulator). Floor 5.

#include <dyadic/rounding.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// sum_k x[k] * w[k], modulo 2^(bits of Accumulator). w is a pointer, or what reads like one: int4_pointer. Each product fits
/// int32. For int16 x int8 a product is at most 2^22: 511 of them fit int32, 2^25 - 1 fit 48 bits, 2^41 - 1 fit int64. Requires:
/// x and w hold `depth` elements.
template <class Accumulator, class X, class Weights>
constexpr Accumulator dot(const X* x, Weights w, index_t depth) noexcept {
  static_assert(std::is_integral_v<X> && sizeof(X) <= 2 && sizeof(w[0]) <= 2);
  static_assert(std::is_signed_v<X> || sizeof(X) + sizeof(w[0]) < 4, "a product of two uint16 does not fit int32");
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

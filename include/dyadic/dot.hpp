#pragma once
/// \file
/// Sums over the depth, modulo 2^(bits of the accumulator). Floor 3.

#include <dyadic/bound.hpp>

#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 means the elements after an array of one, which are not read
#endif

namespace dyadic {

namespace detail {

/// sum_k term(k), modulo 2^(bits of Accumulator), for terms that fit int32 and of which Block sum to an int32. Blocks of a fixed
/// length become vectors at -O2 too, and their lanes are not widened for each term.
template <class Accumulator, std::int64_t Block, class Term>
constexpr Accumulator sum_of_terms(index_t depth, const Term& term) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  constexpr index_t length = 64;
  bits sum = 0;
  index_t k = 0;
  if constexpr (Block >= length && !optimizes_for_size) {
    for (; depth - k >= length; k += length) {
      std::int32_t block = 0;
      for (index_t i = 0; i < length; ++i) block += term(k + i);
      sum += static_cast<bits>(block);
    }
  }
  for (; k < depth; ++k) sum += static_cast<bits>(term(k));
  return static_cast<Accumulator>(sum);
}

}  // namespace detail

/// sum_k x[k] * w[k], modulo 2^(bits of Accumulator). w is a pointer, or what reads like one: int4_pointer. Each product fits
/// int32. For int16 x int8 a product is at most 2^22: 511 of them fit int32, 2^25 - 1 fit 48 bits, 2^41 - 1 fit int64. Requires:
/// x and w hold `depth` elements.
template <class Accumulator, class X, class Weights>
constexpr Accumulator dot(const X* x, Weights w, index_t depth) noexcept {
  using weight = std::decay_t<decltype(w[0])>;
  static_assert(std::is_integral_v<X> && sizeof(X) <= 2 && sizeof(weight) <= 2);
  static_assert(std::is_signed_v<X> || sizeof(X) + sizeof(weight) < 4, "a product of two uint16 does not fit int32");
  return detail::sum_of_terms<Accumulator, max_depth<X, weight, std::int32_t>()>(
      depth, [&](index_t k) { return std::int32_t{x[k]} * std::int32_t{w[k]}; });
}

/// sum_k x[k], modulo 2^(bits of Accumulator). Requires: x holds `depth` elements.
template <class Accumulator, class X>
constexpr Accumulator sum(const X* x, index_t depth) noexcept {
  static_assert(std::is_integral_v<X> && sizeof(X) <= 2);
  return detail::sum_of_terms<Accumulator, limits<std::uint16_t>::max>(depth, [&](index_t k) { return std::int32_t{x[k]}; });
}

}  // namespace dyadic

#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

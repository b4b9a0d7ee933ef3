// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums over the depth, modulo 2^(bits of the accumulator). Floor 3.

#include <dyadic/bound.hpp>

namespace dyadic {

namespace detail {

/// How many terms an int32 sums at a time, if it holds `safe` of them: 64, or 1. Blocks of a fixed length become vectors at -O2
/// too, and their lanes are not widened for each term. With -Os the one short loop stays.
DYADIC_API constexpr index_t block_length(std::int64_t safe) noexcept { return safe < 64 || optimizes_for_size ? 1 : 64; }

/// sum_k term(k) for the first `blocks` blocks, modulo 2^(bits of Accumulator). Never inlined: GCC would warn of what a block
/// reads beyond arrays that are shorter than one.
template <class Accumulator, index_t Block, class Term>
DYADIC_API __attribute__((noinline)) constexpr Accumulator sum_of_blocks(index_t blocks, const Term& term) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  bits sum = 0;
  for (index_t k = 0; k < blocks * Block; k += Block) {
    std::int32_t block = 0;
    for (index_t i = 0; i < Block; ++i) block += term(k + i);
    sum += static_cast<bits>(block);
  }
  return static_cast<Accumulator>(sum);
}

/// sum_k term(k), modulo 2^(bits of Accumulator), for terms of which Block sum to an int32.
template <class Accumulator, index_t Block, class Term>
DYADIC_API constexpr Accumulator sum_of_terms(index_t depth, const Term& term) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  bits sum = 0;
  index_t k = 0;
  if constexpr (Block > 1) {
    if (depth >= Block) {
      sum = static_cast<bits>(sum_of_blocks<Accumulator, Block>(depth / Block, term));
      k = depth - depth % Block;
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
DYADIC_API constexpr Accumulator dot(const X* x, Weights w, index_t depth) noexcept {
  using weight = std::decay_t<decltype(w[0])>;
  static_assert(std::is_integral_v<X> && sizeof(X) <= 2 && sizeof(weight) <= 2);
  static_assert(std::is_signed_v<X> || std::is_signed_v<weight> || sizeof(X) + sizeof(weight) < 4,
                "a product of two uint16 does not fit int32");
  return detail::sum_of_terms<Accumulator, detail::block_length(max_depth<X, weight, std::int32_t>())>(
      depth, [&](index_t k) { return std::int32_t{x[k]} * std::int32_t{w[k]}; });
}

/// sum_k x[k], modulo 2^(bits of Accumulator). x is a pointer, or what reads like one. Requires: x holds `depth` elements.
template <class Accumulator, class Elements>
DYADIC_API constexpr Accumulator sum(Elements x, index_t depth) noexcept {
  using element = std::decay_t<decltype(x[0])>;
  static_assert(std::is_integral_v<element> && sizeof(element) <= 2);
  return detail::sum_of_terms<Accumulator, detail::block_length(1 << 15)>(depth, [&](index_t k) { return std::int32_t{x[k]}; });
}

}  // namespace dyadic

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

/// The blocks that what is left of a sum is parted into: shorter ones, but not on machines of 32 bits, of which few have vectors.
DYADIC_API constexpr index_t short_block(index_t block) noexcept { return sizeof(index_t) == 8 ? block / 4 : block; }

/// Adds term(k) for as many blocks as there are from k to depth, modulo 2^(bits of Accumulator), and moves k behind them.
template <index_t Block, class Bits, class Term>
DYADIC_API constexpr void add_blocks(index_t& k, index_t depth, Bits& sum, Term term) noexcept {
  for (; depth - k >= Block; k += Block) {
    std::int32_t block = 0;
    if constexpr (Block < 32) {
      DYADIC_KEEP_LOOP
      for (index_t i = 0; i < Block; ++i) block += term(k + i);
    } else {
      for (index_t i = 0; i < Block; ++i) block += term(k + i);
    }
    sum += static_cast<Bits>(block);
  }
}

/// sum_k term(k) for all blocks, modulo 2^(bits of Accumulator). Never inlined: GCC would warn of what a block reads beyond
/// arrays that are shorter than one.
template <class Bits, index_t Block, class Term>
DYADIC_API __attribute__((noinline)) constexpr Bits sum_of_blocks(index_t depth, Term term) noexcept {
  Bits sum = 0;
  index_t k = 0;
  add_blocks<Block>(k, depth, sum, term);
  if constexpr (short_block(Block) < Block) add_blocks<short_block(Block)>(k, depth, sum, term);
  return sum;
}

/// sum_k term(k), modulo 2^(bits of Accumulator), for terms of which Block sum to an int32.
template <class Accumulator, index_t Block, class Term>
DYADIC_API constexpr Accumulator sum_of_terms(index_t depth, Term term) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  bits sum = 0;
  index_t k = 0;
  if constexpr (Block > 1) {
    constexpr index_t least = short_block(Block);
    if (depth >= least) {
      sum = sum_of_blocks<bits, Block>(depth, term);
      k = depth - depth % least;
    }
  }
  for (; k < depth; ++k) sum += static_cast<bits>(term(k));
  return static_cast<Accumulator>(sum);
}

/// `dot`, term by term.
template <class Accumulator, class X, class Weights>
DYADIC_API constexpr Accumulator dot_of_terms(const X* x, Weights w, index_t depth) noexcept {
  using weight = std::decay_t<decltype(w[0])>;
  return sum_of_terms<Accumulator, block_length(max_depth<X, weight, std::int32_t>())>(
      depth, [x, w](index_t k) { return std::int32_t{x[k]} * std::int32_t{w[k]}; });
}

/// Adds `dot` for as many blocks of 4-bit weights as there are from k to depth, unpacked into bytes: vectors multiply these.
/// Requires: w.begins_byte().
template <index_t Block, class Bits, class X>
DYADIC_API constexpr void add_unpacked(index_t& k, index_t depth, Bits& sum, const X* x, int4_pointer w) noexcept {
  std::int8_t unpacked[static_cast<std::size_t>(Block)] = {};
  const std::int8_t* const weights = unpacked;
  for (; depth - k >= Block; k += Block) {
    (w + k).unpack(Block / 2, unpacked);
    sum += static_cast<Bits>(dot_of_terms<std::make_signed_t<Bits>>(x + k, weights, Block));
  }
}
template <class Bits, class X>
DYADIC_API __attribute__((noinline)) constexpr Bits dot_of_unpacked(const X* x, int4_pointer w, index_t depth) noexcept {
  Bits sum = 0;
  index_t k = 0;
  add_unpacked<64>(k, depth, sum, x, w);
  add_unpacked<32>(k, depth, sum, x, w);
  return sum;
}

/// `dot` of 4-bit weights: by blocks, and what is left two at a time, as a byte has them.
template <class Accumulator, class X>
DYADIC_API constexpr Accumulator dot_of_nibbles(const X* x, int4_pointer w, index_t depth) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  if (depth == 0) return 0;
  const index_t first = w.begins_byte() ? 0 : 1;
  bits sum = first == 0 ? 0 : static_cast<bits>(std::int32_t{x[0]} * w[0]);
  x += first;
  w = w + first;
  depth -= first;
  if (depth >= 32) {
    sum += dot_of_unpacked<bits>(x, w, depth);
    x += depth / 32 * 32;
    w = w + depth / 32 * 32;
    depth %= 32;
  }
  for (index_t i = 0; i < depth / 2; ++i) {
    const nibbles two = w.byte(i);
    sum += static_cast<bits>(std::int32_t{x[2 * i]} * two.low + std::int32_t{x[2 * i + 1]} * two.high);
  }
  if (depth % 2 != 0) sum += static_cast<bits>(std::int32_t{x[depth - 1]} * w[depth - 1]);
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
  if constexpr (std::is_same_v<Weights, int4_pointer> && !optimizes_for_size)
    return detail::dot_of_nibbles<Accumulator>(x, w, depth);
  else
    return detail::dot_of_terms<Accumulator>(x, w, depth);
}

/// sum + sum_k x[k * step] * (w[k] - zero), modulo 2^(bits of Accumulator), in one short loop: for -Os. Requires: as for `dot`;
/// zero is a value of the weights' type, step 0 or 1.
template <class Accumulator, class X, class Weights>
DYADIC_API constexpr Accumulator add_products(Accumulator sum, const X* x, index_t step, Weights w, std::int32_t zero,
                                              index_t depth) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  for (index_t k = 0; k < depth; ++k, x += step)
    sum = static_cast<Accumulator>(static_cast<bits>(sum) + static_cast<bits>(std::int64_t{*x} * (std::int32_t{w[k]} - zero)));
  return sum;
}

/// sum_k x[k], modulo 2^(bits of Accumulator). x is a pointer, or what reads like one. Requires: x holds `depth` elements.
template <class Accumulator, class Elements>
DYADIC_API constexpr Accumulator sum(Elements x, index_t depth) noexcept {
  using element = std::decay_t<decltype(x[0])>;
  static_assert(std::is_integral_v<element> && sizeof(element) <= 2);
  return detail::sum_of_terms<Accumulator, detail::block_length(1 << 15)>(depth, [x](index_t k) { return std::int32_t{x[k]}; });
}

}  // namespace dyadic

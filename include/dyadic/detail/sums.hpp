// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums over the depth in portable code, modulo 2^(bits of the accumulator). A part of dot.hpp. Floor 3.

#include <dyadic/bound.hpp>

namespace dyadic {

namespace detail {

/// Stands for the type of an accumulator among the arguments of a kernel.
template <class Accumulator>
struct sums_in {};

/// Returns how many terms are added in an int32 at a time, if it holds `safe` terms: 64 or 1. Compilers vectorize blocks of a
/// fixed length also at -O2, and do not widen the lanes for each term. The length at -Os is 1, which leaves one short loop.
DYADIC_API constexpr index_t block_length(std::int64_t safe) noexcept { return safe < 64 || optimizes_for_size ? 1 : 64; }

/// Returns the length of the blocks for the remainder of a sum. The blocks are not shorter on 32-bit machines, because vectors
/// are rare on them.
DYADIC_API constexpr index_t short_block(index_t block) noexcept { return sizeof(index_t) == 8 ? block / 4 : block; }

/// Adds term(k) for all whole blocks from k to depth, modulo 2^(bits of Bits), and moves k past them.
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

/// Returns sum_k term(k) for all whole blocks, modulo 2^(bits of Bits). Not inlined, because GCC would warn that a block reads
/// past the end of arrays shorter than a block.
template <class Bits, index_t Block, class Term>
DYADIC_API DYADIC_NOINLINE constexpr Bits sum_of_blocks(index_t depth, Term term) noexcept {
  Bits sum = 0;
  index_t k = 0;
  add_blocks<Block>(k, depth, sum, term);
  if constexpr (short_block(Block) < Block) add_blocks<short_block(Block)>(k, depth, sum, term);
  return sum;
}

/// Returns sum_k term(k), modulo 2^(bits of Accumulator). Requires: the sum of Block terms fits int32.
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

/// Computes `dot` term by term.
template <class Accumulator, class X, class Weights>
DYADIC_API constexpr Accumulator dot_of_terms(const X* x, Weights w, index_t depth) noexcept {
  using weight = std::decay_t<decltype(w[0])>;
  return sum_of_terms<Accumulator, block_length(max_depth<X, weight, std::int32_t>())>(
      depth, [x, w](index_t k) { return std::int32_t{x[k]} * std::int32_t{w[k]}; });
}

/// Adds `dot` of all whole blocks of 4-bit weights from k to depth. Unpacks the weights into bytes, because vectors multiply
/// bytes. Requires: w.begins_byte().
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
DYADIC_API DYADIC_NOINLINE constexpr Bits dot_of_unpacked(const X* x, int4_pointer w, index_t depth) noexcept {
  Bits sum = 0;
  index_t k = 0;
  add_unpacked<64>(k, depth, sum, x, w);
  add_unpacked<32>(k, depth, sum, x, w);
  return sum;
}

/// Computes `dot` of 4-bit weights in blocks. Multiplies the remaining weights in pairs, because a byte holds two.
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

/// Returns sum_k x[k] * w[k], modulo 2^(bits of Accumulator), in portable code. It defines what every backend returns. The
/// weights are a pointer, or read like a pointer: int4_pointer. Each product fits int32. `max_depth` tells how many products an
/// accumulator holds: for int16 x int8 an int32 holds 511, 48 bits hold 2^25 - 1, an int64 holds 2^41 - 1. Requires: x and w
/// hold `depth` elements.
template <class Accumulator, class X, class Weights, std::enable_if_t<std::is_integral_v<Accumulator>, int> = 0>
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

/// Returns sum + sum_k x[k * step] * (w[k] - zero), modulo 2^(bits of Accumulator). It is one short loop for -Os. Requires: as
/// for `dot`; zero is a value of the weights' type, step is 0 or 1.
template <class Accumulator, class X, class Weights>
DYADIC_API constexpr Accumulator add_products(Accumulator sum, const X* x, index_t step, Weights w, std::int32_t zero,
                                              index_t depth) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  for (index_t k = 0; k < depth; ++k, x += step)
    sum = static_cast<Accumulator>(static_cast<bits>(sum) + static_cast<bits>(std::int64_t{*x} * (std::int32_t{w[k]} - zero)));
  return sum;
}

/// Returns sum_k x[k], modulo 2^(bits of Accumulator). The elements are a pointer, or read like a pointer. Requires: x holds
/// `depth` elements.
template <class Accumulator, class Elements>
DYADIC_API constexpr Accumulator sum(Elements x, index_t depth) noexcept {
  using element = std::decay_t<decltype(x[0])>;
  static_assert(std::is_integral_v<element> && sizeof(element) <= 2);
  return detail::sum_of_terms<Accumulator, detail::block_length(1 << 15)>(depth, [x](index_t k) { return std::int32_t{x[k]}; });
}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Dot products of ggml's blocks, exact and in the orders of binary32 operations of ggml. Floor 2.
/// Source: ggml_vec_dot_* in src/ggml-cpu/quants.c and src/ggml-cpu/arch/x86/quants.c. Revision: ggml @ d99724f2.

#include <dyadic/blocks/dot.hpp>
#include <dyadic/blocks/ggml_blocks.hpp>
#include <dyadic/detail/fused.hpp>

namespace dyadic::ggml {

/// The blocks of a row, one after the other.
template <class Block>
struct row {
  using block_type = Block;                                ///< the block
  static constexpr int unit = 0;                           ///< integers are the values of the block
  static constexpr std::int64_t largest = Block::largest;  ///< that of the block

  view<const std::uint8_t> bytes;  ///< whole blocks

  DYADIC_API constexpr index_t size() const noexcept { return bytes.size() / Block::bytes * Block::elements; }  ///< elements
  /// Returns the elements of a scale: 16 for nvfp4, 32 for others.
  DYADIC_API constexpr index_t block() const noexcept { return std::is_same_v<Block, nvfp4> ? nvfp4::group : Block::elements; }
  /// Returns the bytes of the block of element i.
  DYADIC_API constexpr const std::uint8_t* at(index_t i) const noexcept {
    return bytes.data() + i / Block::elements * Block::bytes;
  }
  /// Returns the value of element i.
  DYADIC_API constexpr std::int64_t integer(index_t i) const noexcept { return Block::value(at(i), i % Block::elements); }
  /// Returns the scale of element i.
  DYADIC_API constexpr binary32 scale(index_t i) const noexcept { return Block::scale(at(i), i % Block::elements); }
  /// Returns the error of the view, or `shape_mismatch` for a part of a block.
  DYADIC_API friend constexpr status check(const row& x) noexcept {
    const status s = check(x.bytes);
    return s == status::ok && x.bytes.size() % Block::bytes != 0 ? status::shape_mismatch : s;
  }
};

namespace detail {

/// A row of ones whose scales are m or s, one for each block.
template <class Block>
struct second_row {
  static constexpr int unit = 0;
  static constexpr std::int64_t largest = 1;
  view<const std::uint8_t> bytes;
  DYADIC_API constexpr index_t size() const noexcept { return bytes.size() / Block::bytes; }
  DYADIC_API constexpr index_t block() const noexcept { return 1; }
  DYADIC_API constexpr std::int64_t integer(index_t /*i*/) const noexcept { return 1; }
  DYADIC_API constexpr binary32 scale(index_t i) const noexcept { return half_at(bytes.data() + i * Block::bytes + 2); }
  DYADIC_API friend constexpr status check(const second_row& x) noexcept { return check(x.bytes); }
};

template <class Block>
inline constexpr bool has_minimum = std::is_same_v<Block, q4_1> || std::is_same_v<Block, q5_1>;

}  // namespace detail

/// The activations for weights of a block: q8_1 for q4_1 and q5_1, q8_0 for others.
template <class Block>
using activations_of = row<std::conditional_t<detail::has_minimum<Block>, q8_1, q8_0>>;

/// Returns the exact sum of the products, plus the stored m * s for each block of q4_1 and q5_1, or an error of `exact::dot`.
template <class Block>
DYADIC_API constexpr result<exact_sum> exact_dot(const row<Block>& w, const activations_of<Block>& a) noexcept {
  result<exact_sum> sum = exact::dot(w, a);
  if constexpr (detail::has_minimum<Block>)
    if (const detail::second_row<Block> minima{w.bytes}; sum.status == status::ok)
      sum.status = exact::add_dot(sum.value, minima, detail::second_row<q8_1>{a.bytes});
  return sum;
}

namespace detail {

/// Returns the first error of `exact_dot`.
template <class Block>
DYADIC_API constexpr status check_dot(const row<Block>& w, const activations_of<Block>& a) noexcept {
  const status s = exact::range_of_dot(w, a).status;
  if constexpr (has_minimum<Block>)
    if (s == status::ok) return exact::range_of_dot(second_row<Block>{w.bytes}, second_row<q8_1>{a.bytes}).status;
  return s;
}

/// Returns fl(sum + m * s) for the block of element i, or the sum for blocks without m.
template <class Block>
DYADIC_API constexpr binary32 add_minimum(binary32 sum, const row<Block>& w, const activations_of<Block>& a, index_t i) noexcept {
  if constexpr (has_minimum<Block>) return rounded_product::add_to(sum, Block::minimum(w.at(i)), q8_1::sum(a.at(i)));
  return sum;
}

/// Returns the term of `generic_order` for the block of element i.
template <class Block>
DYADIC_API constexpr binary32 generic_term(const row<Block>& w, const activations_of<Block>& a, index_t i) noexcept {
  const auto sum = from_integer<binary32>(dyadic::detail::integer_dot(w, a, i, i + w.block()));
  const binary32 dx = w.scale(i), dy = a.scale(i);
  if constexpr (std::is_same_v<Block, q4_0>) return dyadic::multiply(dyadic::multiply(sum, dx), dy);
  return add_minimum(dyadic::multiply(dyadic::multiply(dx, dy), sum), w, a, i);
}

}  // namespace detail

/// The order of ggml's portable functions. I is the sum of the products of a block, of 16 elements for nvfp4. From f = 0:
///     q4_0        f = fl(f + fl(fl(I * dx) * dy))
///     q4_1, q5_1  f = fl(f + fl(fl(fl(dx * dy) * I) + fl(m * s)))
///     others      f = fl(f + fl(fl(dx * dy) * I))
/// The sum of a row of one block is rounded once if dx * dy is not subnormal. There are two exceptions: q4_0, because I * dx
/// has 26 bits, and blocks with m.
struct generic_order {
  using first_operand_is_weights = void;  ///< of `dot`: its operands are weights, then activations

  /// Returns f, which may be infinite or NaN, or the error of `exact_dot`.
  template <class Block>
  DYADIC_API static constexpr result<binary32> dot(const row<Block>& w, const activations_of<Block>& a) noexcept {
    if (const status s = detail::check_dot(w, a); s != status::ok) return {{}, s};
    binary32 f;
    for (index_t i = 0; i < w.size(); i += w.block()) f = dyadic::add(f, detail::generic_term(w, a, i));
    return {f, status::ok};
  }
};

/// The order of ggml's functions for AVX2 and FMA. Lane j of 8 has the elements 4j .. 4j + 3 of each 32. I is the sum of their
/// products. From 0:
///     a_j = fma(fl(dx * dy), I, a_j);  b_j = fl(a_j + a_(j+4));  f = fl(fl(b_0 + b_2) + fl(b_1 + b_3))
/// mxfp4 has one a_j for even blocks and one for odd blocks, which it adds. It adds an odd last block to f as `generic_order`
/// does. q4_1 and q5_1 add g to f, with g = fl(g + m * s). The product of two binary16 is exact.
///
/// ggml moves the sign of a weight to the activation, in int8. A negative weight times -128 has the wrong sign here, as in ggml,
/// whose quantizers make no -128. Only q4_1 and q5_1 have no negative weights.
struct avx2_order {
  using first_operand_is_weights = void;  ///< of `dot`: its operands are weights, then activations

  /// Returns f, which may be infinite or NaN, or the error of `exact_dot`.
  template <class Block>
  DYADIC_API static constexpr result<binary32> dot(const row<Block>& w, const activations_of<Block>& a) noexcept {
    if (const status s = detail::check_dot(w, a); s != status::ok) return {{}, s};
    constexpr bool in_pairs = std::is_same_v<Block, mxfp4>;
    const index_t end = in_pairs ? w.size() / 64 * 64 : w.size();
    binary32 lanes[2][8] = {}, b[4] = {}, g;
    for (index_t i = 0; i < end; i += 32) {
      for (index_t j = 0; j < 8; ++j) {
        binary32& lane = lanes[in_pairs ? i / 32 % 2 : 0][j];
        const index_t k = i + 4 * j;
        std::int64_t sum = 0;
        for (index_t n = k; n < k + 4; ++n) sum += w.integer(n) * (w.integer(n) < 0 && a.integer(n) == -128 ? 128 : a.integer(n));
        lane = fused_multiply_add(dyadic::multiply(w.scale(k), a.scale(k)), from_integer<binary32>(sum), lane);
      }
      g = detail::add_minimum(g, w, a, i);
    }
    for (index_t j = 0; j < 8; ++j) {
      const binary32 lane = in_pairs ? dyadic::add(lanes[0][j], lanes[1][j]) : lanes[0][j];
      b[j % 4] = j < 4 ? lane : dyadic::add(lane, b[j % 4]);
    }
    binary32 f = dyadic::add(dyadic::add(b[0], b[2]), dyadic::add(b[1], b[3]));
    if constexpr (detail::has_minimum<Block>) f = dyadic::add(f, g);
    return {end < w.size() ? dyadic::add(f, detail::generic_term(w, a, end)) : f, status::ok};
  }
};

}  // namespace dyadic::ggml

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Weights with the fold of their bias: the products of recurrent layers. Floor 5.

#include <dyadic/dot.hpp>
#include <dyadic/linear.hpp>

namespace dyadic {

/// sum_k w[o][k] (x[k] - zero point) + bias[o] for each output o.
template <class W, class Accumulator>
struct folded_weights {
  matrix_view<const W> weights;   ///< one row for each output
  folded_bias<Accumulator> bias;  ///< `fold` of the weights; the zero point of the weights is 0
};

namespace detail {

/// Returns the first error of weights for activations X, except memory and overflow.
template <class X, class W, class Accumulator>
DYADIC_API constexpr status check_folded(const folded_weights<W, Accumulator>& p, index_t outputs, index_t depth) noexcept {
  if (const status s = check(p.weights); s != status::ok) return s;
  if (const status s = check(p.bias.constants); s != status::ok) return s;
  if (p.weights.rows() != outputs || p.weights.cols() != depth) return status::shape_mismatch;
  if (p.bias.record.zero.w != 0) return status::zero_point_out_of_range;
  const linear_layer<W, raw_output<Accumulator>> layer{p.weights, p.bias, {}};
  return check_layer(layer, linear_record<X>(outputs, depth, p.bias.record.zero));
}

/// Returns true if the test is true for the weights or the constants.
template <class W, class Accumulator, class Test>
DYADIC_API constexpr bool any_part(const folded_weights<W, Accumulator>& p, const Test& test) noexcept {
  return test(p.weights) || test(p.bias.constants);
}

/// The number of outputs that are computed together, so that they share the loads of x.
inline constexpr index_t outputs_of_block = 16;

/// Calls use(first, count) for blocks of Size outputs.
template <index_t Size = outputs_of_block, class Use>
DYADIC_API constexpr void for_each_block(index_t outputs, const Use& use) noexcept {
  for (index_t first = 0; first < outputs; first += Size) use(first, outputs - first < Size ? outputs - first : Size);
}

inline namespace DYADIC_ISA {

/// Computes to[i] = output first + i, modulo 2^(bits of Accumulator), for i < count.
template <class Backend, class W, class Accumulator, class X>
constexpr void add_folded_products(const folded_weights<W, Accumulator>& p, const X* x, index_t first, index_t count,
                                   Accumulator* to) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  dot<Backend>(rows_of(p.weights, {first, first + count}), x, view<Accumulator>(to, count));
  const auto sum = [&](index_t i) {
    return static_cast<Accumulator>(static_cast<bits>(to[i]) + static_cast<bits>(p.bias.constants[first + i]));
  };
  index_t i = 0;
  if constexpr (sizeof(index_t) == 8 && !optimizes_for_size)
    for (; count - i >= 4; i += 4) {  // compilers make vectors of loads that come before all stores
      const Accumulator sums[] = {sum(i), sum(i + 1), sum(i + 2), sum(i + 3)};
      for (index_t k = 0; k < 4; ++k) to[i + k] = sums[k];
    }
  for (; i < count; ++i) to[i] = sum(i);
}

}  // namespace DYADIC_ISA
}  // namespace detail
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the checks of all layers with weights have in common. Floor 5.

#include <dyadic/dispatch.hpp>
#include <dyadic/pack.hpp>

namespace dyadic {
namespace detail {

/// Where a layer's views are.
template <class Weights, class Accumulator, class X, class Y>
struct layer_memory {
  view<Weights> weights;
  view<const Accumulator> constants;
  view<X> x;
  view<Y> y;
};

/// What is wrong with the views of a layer, or where they are; x and y are images or matrices.
template <class Weights, class Accumulator, class Input, class Output>
DYADIC_API constexpr auto locate_layer(const Weights& weights, const folded_bias<Accumulator>& bias, const Input& x,
                                       const Output& y) noexcept {
  result<layer_memory<element_of<Weights>, Accumulator, element_of<Input>, element_of<Output>>> at{};
  at.status = locate(weights, at.value.weights);
  if (at.status == status::ok) at.status = locate(bias.constants, at.value.constants);
  if (at.status == status::ok) at.status = locate(x, at.value.x);
  if (at.status == status::ok) at.status = locate(y, at.value.y);
  return at;
}

/// What is wrong with the parts that all layers have, their shapes apart. `expected` is what the fold should have been made with.
template <class Layer, class Memory>
DYADIC_API constexpr status check_layer(const Layer& layer, const fold_record& expected, const Memory& at) noexcept {
  using weight = typename weights_traits<std::decay_t<decltype(layer.weights)>>::type;
  const auto& folded = layer.bias;
  const zero_points zero = expected.zero;
  if (zero.x < expected.x_min || zero.x > expected.x_max || !is_operand<weight>(zero.w)) return status::zero_point_out_of_range;
  if (folded.record != expected || folded.constants.size() != constants_of(expected)) return status::fold_mismatch;
  if (adds_bias<std::decay_t<decltype(layer.output)>> && folded.record.has_bias) return status::fold_mismatch;
  if (const status s = check(layer.output, expected.channels); s != status::ok) return s;
  if (share_memory(at.y, at.x) || share_memory(at.y, at.weights) || share_memory(at.y, at.constants) ||
      overlaps_multipliers(at.y, layer.output))
    return status::overlap;
  // The last one: the caller may run all the same. A bound at the ends of int64 was saturated.
  const accumulator_range bound = folded.record.bound;
  const bool known = bound.lowest != limits<std::int64_t>::min && bound.highest != limits<std::int64_t>::max;
  return known && takes(layer.output, bound.lowest) && takes(layer.output, bound.highest) ? status::ok
                                                                                          : status::accumulator_overflow;
}

}  // namespace detail
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` of all layers without weights, from elements x to elements y: rescale, the rules of elementwise/. Floor 5.
///
/// Such a layer says, in namespace detail, what it finds wrong:
///   `check_sizes(operation_of<Layer>, layer, x, y)`: the shapes, then the layer; `accumulator_overflow` last;
///   `overlaps_parts(operation_of<Layer>, layer, y)`, unless it has none: whether y shares memory with what the layer reads;
///   `in_place`, a type in `operation_of<Layer>`, if y may be x.

#include <dyadic/detail/rows.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {
namespace detail {

/// Whether this is a layer of one x without weights, and x and y are what it takes.
template <class Layer, class X, class Y, class = void>
inline constexpr bool is_of_elements = false;
template <class Layer, class X, class Y>
inline constexpr bool is_of_elements<Layer, X, Y, std::void_t<typename operation_of<Layer>::type>> =
    !has_weights<Layer> && are_views<Layer, X, Y>();

template <class Layer, class = void>
inline constexpr bool runs_in_place = false;
template <class Layer>
inline constexpr bool runs_in_place<Layer, std::void_t<typename operation_of<Layer>::in_place>> = true;
/// Whether y shares memory with an operand that it is not.
template <class A, class Y>
DYADIC_API constexpr bool overlaps_operand(const A& a, const Y& y) noexcept {
  return overlap(y, a) && !are_same(a, y);
}
template <class Layer, class X, class Y>
DYADIC_API constexpr bool overlaps_input(const X& x, const Y& y) noexcept {
  if constexpr (runs_in_place<Layer>)
    return overlaps_operand(x, y);
  else
    return overlap(y, x);
}

template <class Layer, class Y>
DYADIC_API constexpr bool overlaps_parts(operation_of<Layer>, const Layer&, const Y&) noexcept {
  return false;
}

}  // namespace detail

/// The halves of `check`, as of layers with weights: what is known before x and y have memory, `accumulator_overflow` last; then
/// what is wrong with a view, and `overlap` of y with x, unless it is x and the layer runs in place, or with what the layer
/// reads.
/// @{
template <class Layer, class X, class Y, std::enable_if_t<detail::is_of_elements<Layer, X, Y>, int> = 0>
DYADIC_API constexpr status check_shapes(const Layer& layer, const X& x, const Y& y) noexcept {
  if constexpr (detail::takes_views<Layer, X, Y>()) {
    if (const status s = detail::check_shape(x); s != status::ok) return s;
    if (const status s = detail::check_shape(y); s != status::ok) return s;
    return check_sizes(detail::operation_of<Layer>{}, layer, x, y);
  } else {
    return status::shape_mismatch;
  }
}
template <class Layer, class X, class Y, std::enable_if_t<detail::is_of_elements<Layer, X, Y>, int> = 0>
DYADIC_API constexpr status check_memory(const Layer& layer, const X& x, const Y& y) noexcept {
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  const bool overlaps = detail::overlaps_input<Layer>(x, y) || overlaps_parts(detail::operation_of<Layer>{}, layer, y);
  return overlaps ? status::overlap : status::ok;
}
/// @}

/// The first thing that is wrong with a layer without weights, or with its use on x and y; `ok` if `run` may be called. Total:
/// reads descriptors and the numbers of the layer, never x. `accumulator_overflow`, always the last: some values of x's type take
/// a step of the layer out of its accumulator; `run` then does what the layer says.
template <class Layer, class X, class Y, std::enable_if_t<detail::is_of_elements<Layer, X, Y>, int> = 0>
DYADIC_API constexpr status check(const Layer& layer, const X& x, const Y& y) noexcept {
  return detail::check_halves(layer, x, y);
}

}  // namespace dyadic

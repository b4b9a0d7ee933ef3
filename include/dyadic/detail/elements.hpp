// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` of all layers without weights, from elements x to elements y: rescale, and the rules of elementwise/. Floor 5.
///
/// The header of such a layer defines in namespace detail:
///   `check_sizes(operation_of<Layer>, layer, x, y)` checks the shapes, then the layer. It returns `accumulator_overflow` last.
///   `overlaps_parts(operation_of<Layer>, layer, y)` returns true if y shares memory with arrays of the layer. A layer without
///     arrays needs no such function.
///   `in_place`, a type in `operation_of<Layer>`, allows that y is x.
///   `joins_pixels`, a constant in `operation_of<Layer>`: x and y may also be images, whose pixels are the rows of a matrix. If
///   it
///     is true, the layer does not know channels, so that several pixels may make one row.

#include <dyadic/detail/merged_axes.hpp>
#include <dyadic/detail/rows.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {
namespace detail {

/// True if Layer has no weights and takes one x, and X and Y are views that it takes.
template <class Layer, class X, class Y, class = void>
inline constexpr bool is_of_elements = false;
template <class Layer, class X, class Y>
inline constexpr bool is_of_elements<Layer, X, Y, std::void_t<typename operation_of<Layer>::type>> =
    !has_weights<Layer> && are_views<Layer, X, Y>();

template <class Layer, class = void>
inline constexpr bool runs_in_place = false;
template <class Layer>
inline constexpr bool runs_in_place<Layer, std::void_t<typename operation_of<Layer>::in_place>> = true;
/// Returns true if y shares memory with an operand but is not the operand itself.
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

/// True if a layer of matrices takes images, too.
template <class Layer, class = void>
inline constexpr bool takes_images = false;
template <class Layer>
inline constexpr bool takes_images<Layer, std::void_t<typename operation_of<Layer>::joins_pixels>> = true;
template <class Layer>
using if_takes_images = std::enable_if_t<takes_images<Layer>, int>;

/// Returns a matrix of all pixels without memory, for checks. It has -1 rows if their number exceeds index_t.
template <class T>
DYADIC_API constexpr matrix_view<T> shape_of_pixels(const nhwc_view<T>& v) noexcept {
  T* const nothing = nullptr;
  return {nothing, add_size(0, add_size(0, v.n(), v.h()), v.w()), v.c()};
}

/// True if X and Y are views that `check_memory` takes.
template <class Layer, class X, class Y>
using if_memory_of_elements =
    std::enable_if_t<is_of_elements<Layer, X, Y> || (takes_images<Layer> && is_image<X> && is_image<Y>), int>;

}  // namespace detail

/// The halves of `check`, as for layers with weights. `check_shapes` needs no memory of x and y. It returns
/// `accumulator_overflow` last. `check_memory` returns the first error of a view, or `overlap` if y shares memory with x or with
/// arrays of the layer. If the layer runs in place, y may be x.
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
template <class Layer, class X, class Y, detail::if_takes_images<Layer> = 0>
DYADIC_API constexpr status check_shapes(const Layer& layer, const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  if (const status s = detail::check_shape(x); s != status::ok) return s;
  if (const status s = detail::check_shape(y); s != status::ok) return s;
  if (!detail::have_same_shape(x, y)) return status::shape_mismatch;
  return check_shapes(layer, detail::shape_of_pixels(x), detail::shape_of_pixels(y));
}
template <class Layer, class X, class Y, detail::if_memory_of_elements<Layer, X, Y> = 0>
DYADIC_API constexpr status check_memory(const Layer& layer, const X& x, const Y& y) noexcept {
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  const bool overlaps = detail::overlaps_input<Layer>(x, y) || overlaps_parts(detail::operation_of<Layer>{}, layer, y);
  return overlaps ? status::overlap : status::ok;
}
/// @}

/// Returns the first error of a layer without weights, or of its use on x and y; `ok` if `run` may be called. Total: reads
/// descriptors and the numbers of the layer, never elements of x. `accumulator_overflow` is always last: for some values of x's
/// type a step of the layer exceeds its accumulator. `run` then does what the layer's header says.
/// @{
template <class Layer, class X, class Y, std::enable_if_t<detail::is_of_elements<Layer, X, Y>, int> = 0>
DYADIC_API constexpr status check(const Layer& layer, const X& x, const Y& y) noexcept {
  return detail::check_halves(layer, x, y);
}
template <class Layer, class X, class Y, detail::if_takes_images<Layer> = 0>
DYADIC_API constexpr status check(const Layer& layer, const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  return detail::check_halves(layer, x, y);
}
/// @}

inline namespace DYADIC_ISA {

/// Runs a layer without weights on images, like on the matrix of their pixels. The rows of the options are the n * h rows of the
/// images. Requires: check(layer, x, y) is ok or `accumulator_overflow`, and the rows are within y.
/// @{
template <class Backend = void, class Layer, class X, class Y, detail::if_takes_images<Layer> = 0>
constexpr void run(const Layer& layer, const nhwc_view<X>& x, const nhwc_view<Y>& y, const run_options& options) noexcept {
  const row_range rows = detail::within(options.rows, detail::row_count(y));
  if (detail::row_count(y) == 0 || rows.begin == rows.end) return;
  DYADIC_ASSERT(0 <= rows.begin && rows.begin <= rows.end && rows.end <= detail::row_count(y) && detail::have_same_shape(x, y));
  const detail::matrices_of_images all(detail::operation_of<Layer>::joins_pixels::value, x, y);
  all.for_each(rows, [&](index_t n, index_t h, const row_range& some) {
    run<Backend>(layer, all.at(0, x, n, h), all.at(1, y, n, h), some);
  });
}
template <class Backend = void, class Layer, class X, class Y, detail::if_takes_images<Layer> = 0>
constexpr void run(const Layer& layer, const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  run<Backend>(layer, x, y, run_options{});
}
/// @}

}  // namespace DYADIC_ISA

}  // namespace dyadic

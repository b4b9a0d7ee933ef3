// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Matrices that are converted element by element. Floor 3.

#include <dyadic/view.hpp>

namespace dyadic::detail {

/// Computes y[r][c] = convert(x[r][c], c) for the rows of the range.
template <class X, class Y, class Convert>
DYADIC_API constexpr void convert_rows(matrix_view<X> x, matrix_view<Y> y, const row_range& rows,
                                       const Convert& convert) noexcept {
  if (x.cols() == 0) return;
  for (index_t r = rows.begin; r < rows.end; ++r) {
    const X* const from = x.row(r);
    Y* const to = y.row(r);
    for (index_t c = 0; c < x.cols(); ++c) to[c] = convert(from[c], c);
  }
}

template <class X, class Y>
DYADIC_API constexpr bool have_same_shape(const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return x.rows() == y.rows() && x.cols() == y.cols();
}
template <class X, class Y>
DYADIC_API constexpr bool have_same_shape(const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  return x.n() == y.n() && x.h() == y.h() && x.w() == y.w() && x.c() == y.c();
}

template <class X, class Y>
DYADIC_API constexpr bool have_same_strides(const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return x.stride() == y.stride() || x.rows() == 1;
}
template <class X, class Y>
DYADIC_API constexpr bool have_same_strides(const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  return (x.pixel_stride() == y.pixel_stride() || x.w() == 1) && (x.row_stride() == y.row_stride() || x.h() == 1) &&
         (x.image_stride() == y.image_stride() || x.n() == 1);
}
/// Returns true if y is x itself, with the type and memory of x, so that outputs may overwrite their inputs.
template <class X, class Y>
DYADIC_API constexpr bool are_same(const X& x, const Y& y) noexcept {
  if constexpr (std::is_same_v<std::remove_const_t<element_of<X>>, std::remove_const_t<element_of<Y>>>)
    return x.data() == y.data() && have_same_shape(x, y) && have_same_strides(x, y);
  else
    return false;
}

/// The type of a rule's x: `argument_type`, or `value_type` if the rule has no `argument_type`.
/// @{
template <class Rule, class = void>
struct argument_type_of {
  using type = typename Rule::value_type;
};
template <class Rule>
struct argument_type_of<Rule, std::void_t<typename Rule::argument_type>> {
  using type = typename Rule::argument_type;
};
template <class Rule>
using argument_of = typename argument_type_of<Rule>::type;
/// @}

/// The type of a rule's b: `second_type`, or the type of a if the rule has no `second_type`.
/// @{
template <class Rule, class = void>
struct second_type_of {
  using type = argument_of<Rule>;
};
template <class Rule>
struct second_type_of<Rule, std::void_t<typename Rule::second_type>> {
  using type = typename Rule::second_type;
};
/// @}

}  // namespace dyadic::detail

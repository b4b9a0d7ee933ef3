// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The windows of pools: their sizes, and the pixels inside of the image. Floor 3.

#include <dyadic/window.hpp>

namespace dyadic {

/// Returns the window that covers each image: of a global pool.
template <class T>
DYADIC_API constexpr window2d whole_image(const nhwc_view<T>& x) noexcept {
  return {{x.h()}, {x.w()}};
}

namespace detail {

/// Checks that a window has no dilation and at least one element of the image. Returns `ok` or `bad_window`.
DYADIC_API constexpr status check_pool(const window2d& w) noexcept {
  if (const status s = check(w); s != status::ok) return s;
  const bool has_elements = w.y.dilation == 1 && w.x.dilation == 1 && w.y.pad_before < w.y.kernel && w.y.pad_after < w.y.kernel &&
                            w.x.pad_before < w.x.kernel && w.x.pad_after < w.x.kernel;
  return has_elements ? status::ok : status::bad_window;
}

/// Returns true if y has the images and channels of x in the size of `forward_size`. An image without elements has no outputs,
/// whatever its padding.
template <class X, class Y>
DYADIC_API constexpr bool pool_fits(const window2d& w, const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  const bool fit = x.n() == y.n() && x.c() == y.c() && forward_fits(x.h(), y.h(), w.y) && forward_fits(x.w(), y.w(), w.x);
  return fit && (x.h() != 0 || y.h() == 0) && (x.w() != 0 || y.w() == 0);
}

/// Calls f(n, v, h, to) for each pixel `to` of the rows of y: v and h are the rows and columns of image n that its window covers.
template <class X, class Y, class F>
DYADIC_API constexpr void for_each_window(const window2d& w, const nhwc_view<X>& x, const nhwc_view<Y>& y, const row_range& rows,
                                          const F& f) noexcept {
  const window_axis vertical = forward_axis({w.y.kernel, w.y.stride, 1, w.y.pad_before}, y.h(), x.h());
  const window_axis horizontal = forward_axis({w.x.kernel, w.x.stride, 1, w.x.pad_before}, y.w(), x.w());
  for (index_t r = rows.begin; r < rows.end; ++r) {
    const index_range v = vertical.covered(r % y.h());
    for (index_t j = 0; j < y.w(); ++j) f(r / y.h(), v, horizontal.covered(j), y.pixel(r / y.h(), r % y.h(), j));
  }
}

}  // namespace detail

}  // namespace dyadic

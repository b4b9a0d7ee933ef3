// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The windows of pools: their sizes, and the elements inside of the image. Floor 3.

#include <dyadic/window.hpp>

namespace dyadic {

/// Returns the window of a global pool, which covers a whole image.
template <class T>
DYADIC_API constexpr window2d whole_image(const nhwc_view<T>& x) noexcept {
  return {{x.h()}, {x.w()}};
}

namespace detail {

/// Returns `ok`, or `bad_window` unless the padding is smaller than the effective kernel. In an image that is not smaller than
/// the dilation each window then has an element of the image.
DYADIC_API constexpr status check_pool(const window2d& w) noexcept {
  if (const status s = check(w); s != status::ok) return s;
  const auto has_padding_within = [](const window1d& a) {
    return a.pad_before < effective_kernel(a) && a.pad_after < effective_kernel(a);
  };
  return has_padding_within(w.y) && has_padding_within(w.x) ? status::ok : status::bad_window;
}

/// Returns true if a side of y has one element for each window, and each window has an element of the image. A window that begins
/// before the image has an element in 0 .. dilation - 1. An image without elements has no outputs, whatever its padding.
DYADIC_API constexpr bool pool_fits(index_t size, index_t outputs, const window1d& w) noexcept {
  if (outputs == 0 && size <= size_limit) return forward_size(size, w) == 0;
  const bool has_elements = size > 0 && size <= size_limit && (w.pad_before == 0 || w.dilation <= size);
  return has_elements && (outputs == forward_size(size, w) || outputs == ceiling_size(size, w));
}

/// Returns true if y has the images and channels of x, and sides that fit.
template <class X, class Y>
DYADIC_API constexpr bool pool_fits(const window2d& w, const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  return x.n() == y.n() && x.c() == y.c() && pool_fits(x.h(), y.h(), w.y) && pool_fits(x.w(), y.w(), w.x);
}

/// The elements of one window along an axis of an image: begin, begin + step, .. below end.
struct pooled_line {
  index_t begin;
  index_t end;
  index_t step;
  index_t inside;  ///< the number of elements in the image
  index_t padded;  ///< the number of elements in the image or its padding

  DYADIC_API constexpr pooled_line(const window1d& w, index_t at, index_t inputs) noexcept
      : begin{0}, end{0}, step{w.dilation}, inside{0}, padded{0} {
    const index_t first = at * w.stride - w.pad_before;
    const index_t outside = taps_before(w, -first);
    const index_t until = taps_before(w, inputs - first);
    begin = first + outside * step;
    end = first + until * step;
    inside = until - outside;
    padded = taps_before(w, inputs + w.pad_after - first);
  }

 private:
  DYADIC_API static constexpr index_t taps_before(const window1d& w, index_t distance) noexcept {
    const index_t taps = w.dilation == 1 && distance > 0 ? distance : ceiling_divide(distance, w.dilation);
    return taps < w.kernel ? taps : w.kernel;
  }
};

/// Calls f(n, v, h, to) for each pixel `to` of the rows of y: v and h are the rows and columns of image n that its window reads.
template <class X, class Y, class F>
DYADIC_API constexpr void for_each_window(const window2d& w, const nhwc_view<X>& x, const nhwc_view<Y>& y, const row_range& rows,
                                          const F& f) noexcept {
  for (index_t r = rows.begin; r < rows.end; ++r) {
    const index_t n = r / y.h();
    const pooled_line v(w.y, r % y.h(), x.h());
    for (index_t j = 0; j < y.w(); ++j) f(n, v, pooled_line(w.x, j, x.w()), y.pixel(n, r % y.h(), j));
  }
}

}  // namespace detail

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Images as matrices: axes are merged as far as the strides and the broadcasts of all operands allow. Floor 2.

#include <dyadic/run_options.hpp>

namespace dyadic::detail {

/// An axis of images: its length, and the elements from one index to the next.
struct image_axis {
  index_t size;
  index_t stride;
};

/// The axes of images, from n to c.
struct image_axes {
  image_axis at[4];

  template <class T>
  DYADIC_API constexpr explicit image_axes(const nhwc_view<T>& v) noexcept
      : at{{v.n(), v.image_stride()}, {v.h(), v.row_stride()}, {v.w(), v.pixel_stride()}, {v.c(), 1}} {}

  /// Returns the offset of the matrix with these indices of the axes n and h. A broadcast axis has index 0 alone.
  DYADIC_API constexpr index_t offset(index_t n, index_t h) const noexcept {
    return (at[0].size == 1 ? 0 : n * at[0].stride) + (at[1].size == 1 ? 0 : h * at[1].stride);
  }
};

/// Merges axis `outer` into the next axis of all operands and returns true, if in each operand the two axes can be walked as one.
/// The last operand is y. No axis of another operand is longer than that of y.
template <std::size_t Count>
DYADIC_API constexpr bool merge_axes(image_axes (&all)[Count], int outer) noexcept {
  const int inner = outer + 1;
  const image_axes& y = all[Count - 1];
  const bool is_single_outer = y.at[outer].size == 1;
  const bool is_single_inner = y.at[inner].size == 1;
  image_axis merged[Count]{};
  for (std::size_t i = 0; i < Count; ++i) {
    const image_axis o = all[i].at[outer];
    const image_axis a = all[i].at[inner];
    const bool is_broadcast = o.size == 1 && a.size == 1;
    const bool is_walked = o.size != 1 && a.size != 1 && o.stride == a.size * a.stride;
    if (!is_single_outer && !is_single_inner && !is_broadcast && !is_walked) return false;
    merged[i] = {o.size * a.size, is_single_inner ? o.stride : a.stride};
    if (inner == 3 && merged[i].stride != 1 && merged[i].size != 1) return false;  // the elements of a row are contiguous
  }
  for (std::size_t i = 0; i < Count; ++i) {
    all[i].at[inner] = merged[i];
    all[i].at[outer] = {1, 0};
  }
  return true;
}

/// Walks operands as matrices. The last operand is y. Requires: y has elements, and no operand exceeds it.
template <std::size_t Count>
class matrices_of_images {
 public:
  /// Merges axes. `joins_pixels` allows that the pixels of a row make one row of a matrix.
  template <class... Images>
  DYADIC_API constexpr explicit matrices_of_images(bool joins_pixels, const Images&... images) noexcept
      : all_{image_axes(images)...} {
    const image_axes& y = all_[Count - 1];
    const index_t all_rows = y.at[0].size * y.at[1].size;
    if (joins_pixels) merge_axes(all_, 2);
    if (merge_axes(all_, 1)) {
      merge_axes(all_, 0);  // moves axis n to the axis that merging has freed
      merge_axes(all_, 1);
    }
    rows_at_once_ = all_rows / (y.at[0].size * y.at[1].size);
    factor_ = y.at[2].size / rows_at_once_;
  }
  /// Calls f(n, h, rows of the matrix) for each matrix, until the range of the n * h rows of y is covered.
  template <class Function>
  DYADIC_API constexpr void for_each(const row_range& rows, const Function& f) const noexcept {
    const index_t size_of_h = all_[Count - 1].at[1].size;
    for (index_t row = rows.begin; row < rows.end;) {
      const index_t number = row / rows_at_once_;
      const index_t first = number * rows_at_once_;
      const index_t last = rows.end - first < rows_at_once_ ? rows.end : first + rows_at_once_;
      f(number / size_of_h, number % size_of_h, row_range{(row - first) * factor_, (last - first) * factor_});
      row = last;
    }
  }
  /// Returns the matrix of operand i, where the axes n and h have these indices.
  template <class T>
  DYADIC_API constexpr matrix_view<T> at(std::size_t i, const nhwc_view<T>& v, index_t n, index_t h) const noexcept {
    const image_axes& a = all_[i];
    return {v.data() + a.offset(n, h), a.at[2].size, a.at[3].size, a.at[2].stride};
  }

 private:
  image_axes all_[Count];
  index_t rows_at_once_ = 1;  // n * h rows of y that one matrix has
  index_t factor_ = 1;        // rows of a matrix for each row of y
};

template <class... Images>
matrices_of_images(bool, const Images&...) -> matrices_of_images<sizeof...(Images)>;

}  // namespace dyadic::detail

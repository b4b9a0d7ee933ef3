// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Pads images, and gives the part of a tensor that one input of a concatenation fills. Floor 5.
/// Sources: tflite/kernels/internal/reference/pad.h, concatenation.h, the TOSA specification (PAD, CONCAT).

#include <dyadic/detail/elements.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): rows of a `pad_layer`.
struct pad {};
}  // namespace op

/// The four axes of images, from the slowest to the fastest.
enum class image_axis_id : std::uint8_t { n, h, w, c };

/// y = x, moved by `before` elements along each axis, and `value` everywhere else. TFLite pads with the zero point of x. The
/// padding after x follows from the shape of y. `check` returns `negative_size` for a negative `before`, and `shape_mismatch` if
/// y is too small.
template <class X>
struct pad_layer {
  index_t before[4];  ///< images, rows, columns and channels before x
  X value;            ///< what is written outside of x
};

/// Returns the elements begin .. begin + size - 1 of y along an axis: the part that one input of a concatenation fills. A layer
/// writes this part: an `activation_layer` of `tflite::requantize`, which copies if the scales are equal, or of
/// `litert::concatenate`. Returns the first error of the sizes of y, or `shape_mismatch` if the part is not within y. The view is
/// then empty.
template <class Y>
DYADIC_API constexpr result<nhwc_view<Y>> part_along(const nhwc_view<Y>& y, image_axis_id axis, index_t begin,
                                                     index_t size) noexcept {
  if (const status s = detail::check_shape(y); s != status::ok) return {{}, s};
  index_t sizes[] = {y.n(), y.h(), y.w(), y.c()};
  const index_t strides[] = {y.image_stride(), y.row_stride(), y.pixel_stride(), 1};
  const auto i = static_cast<int>(axis);
  if (i > 3 || begin < 0 || size < 0 || begin > sizes[i] || size > sizes[i] - begin) return {{}, status::shape_mismatch};
  sizes[i] = size;
  const bool is_empty = sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0 || sizes[3] == 0 || detail::is_null(y.data());
  Y* const data = is_empty ? y.data() : y.data() + begin * strides[i];
  return {{data, sizes[0], sizes[1], sizes[2], sizes[3], strides[2], strides[1], strides[0]}, status::ok};
}

namespace detail {

template <class X>
struct operation_of<pad_layer<X>> {
  using type = op::pad;
  using backend = backend::scalar;
  using windows = void;  ///< x and y are images
  template <class Element>
  static constexpr bool takes = std::is_same_v<Element, X>;
};
template <class X>
struct made_by<pad_layer<X>> {
  using type = X;
};

template <class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<pad_layer<Y>>, const pad_layer<Y>& layer, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  const index_t from[] = {x.n(), x.h(), x.w(), x.c()};
  const index_t to[] = {y.n(), y.h(), y.w(), y.c()};
  for (int i = 0; i < 4; ++i) {
    if (layer.before[i] < 0) return status::negative_size;
    if (from[i] > to[i] || layer.before[i] > to[i] - from[i]) return status::shape_mismatch;
  }
  return status::ok;
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::pad> {
  template <class X, class Y>
  static constexpr void run(const pad_layer<Y>& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    const auto [n_before, h_before, w_before, c_before] = layer.before;
    const Y value = layer.value;
    for (index_t r = rows.begin; r < rows.end; ++r)
      for (index_t j = 0; j < y.w(); ++j) {
        Y* const to = y.pixel(r / y.h(), r % y.h(), j);
        const index_t n = r / y.h() - n_before;
        const index_t h = r % y.h() - h_before;
        const index_t w = j - w_before;
        const bool is_inside = n >= 0 && n < x.n() && h >= 0 && h < x.h() && w >= 0 && w < x.w();
        const index_t first = is_inside ? c_before : y.c();
        const index_t last = is_inside ? c_before + x.c() : y.c();
        for (index_t c = 0; c < first; ++c) to[c] = value;
        for (index_t c = first; c < last; ++c) to[c] = x.pixel(n, h, w)[c - first];
        for (index_t c = last; c < y.c(); ++c) to[c] = value;
      }
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Images or a matrix whose element type is known only at run time. Opt-in. Floor 2.

#include <dyadic/int4.hpp>
#include <dyadic/int48.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// The element types of tensors.
enum class element_type : std::uint8_t {
  none,    ///< no elements
  int4,    ///< weights, two to a byte, the low nibble first
  int8,    ///< std::int8_t
  uint8,   ///< std::uint8_t
  int16,   ///< std::int16_t
  uint16,  ///< std::uint16_t
  int32,   ///< std::int32_t, a raw accumulator or an output
  int48,   ///< packed_int48, a raw accumulator
  int64,   ///< std::int64_t, a raw accumulator
};

/// Returns the name of the type, as its enumerator is written; never null.
DYADIC_API constexpr const char* to_string(element_type type) noexcept {
  switch (type) {
    case element_type::none: return "none";
    case element_type::int4: return "int4";
    case element_type::int8: return "int8";
    case element_type::uint8: return "uint8";
    case element_type::int16: return "int16";
    case element_type::uint16: return "uint16";
    case element_type::int32: return "int32";
    case element_type::int48: return "int48";
    case element_type::int64: return "int64";
  }
  return "unknown type";
}

/// Returns the element type of T.
template <class T>
DYADIC_API constexpr element_type element_type_of() noexcept {
  if constexpr (std::is_same_v<T, int4>) {
    return element_type::int4;
  } else if constexpr (std::is_same_v<T, packed_int48>) {
    return element_type::int48;
  } else {
    static_assert(std::is_integral_v<T> && (std::is_signed_v<T> || sizeof(T) <= 2),
                  "elements are int4, int8, uint8, int16, uint16, int32, packed_int48 or int64");
    if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? element_type::int8 : element_type::uint8;
    if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? element_type::int16 : element_type::uint16;
    return sizeof(T) == 4 ? element_type::int32 : element_type::int64;
  }
}

namespace detail {
/// Returns the layout of one element. A nibble counts as a byte, because it has no address of its own.
DYADIC_API constexpr element_layout layout_of(element_type type) noexcept {
  switch (type) {
    case element_type::int16:
    case element_type::uint16: return layout_of<std::int16_t>();
    case element_type::int32: return layout_of<std::int32_t>();
    case element_type::int48: return layout_of<packed_int48>();
    case element_type::int64: return layout_of<std::int64_t>();
    default: return layout_of<std::int8_t>();
  }
}
template <class T, class Void>
using if_converts = std::enable_if_t<std::is_convertible_v<T*, Void*>, int>;
}  // namespace detail

/// An nhwc_view or a matrix_view without the type of its elements. Row r of a matrix is image r, which has one pixel. Void is
/// void or const void.
template <class Void>
class any_view {
 public:
  DYADIC_API constexpr any_view() noexcept = default;  ///< no elements
  DYADIC_API constexpr any_view(element_type type, Void* data, index_t rows, index_t cols) noexcept
      : any_view{type, data, rows, 1, 1, cols} {}  ///< a matrix without gaps
  DYADIC_API constexpr any_view(element_type type, Void* data, index_t n, index_t h, index_t w, index_t c) noexcept
      : shape_{nullptr, n, h, w, c}, data_{data}, type_{type} {}  ///< images without gaps
  template <class T, detail::if_converts<T, Void> = 0>
  DYADIC_API constexpr any_view(const nhwc_view<T>& v) noexcept
      : shape_{nullptr, v.n(), v.h(), v.w(), v.c(), v.pixel_stride(), v.row_stride(), v.image_stride()},
        data_{v.data()},
        type_{element_type_of<std::remove_const_t<T>>()} {}  ///< the same images
  template <class T, detail::if_converts<T, Void> = 0>
  DYADIC_API constexpr any_view(const matrix_view<T>& v) noexcept : any_view{detail::as_images(v)} {}  ///< the same matrix
  template <class Other, std::enable_if_t<std::is_void_v<Other> && std::is_const_v<Void>, int> = 0>
  DYADIC_API constexpr any_view(const any_view<Other>& v) noexcept
      : shape_{v.shape()}, data_{v.data()}, type_{v.type()} {}  ///< adds const

  DYADIC_API constexpr element_type type() const noexcept { return type_; }  ///< the type of the elements
  DYADIC_API constexpr Void* data() const noexcept { return data_; }  ///< the first element; may be null until the layer runs
  /// Returns sizes and strides, both in elements. The pointer of the result is null.
  DYADIC_API constexpr nhwc_view<const std::uint8_t> shape() const noexcept { return shape_; }
  /// Returns the rows of a matrix, or of all images. Returns 0 if rows have no elements, -1 if the number exceeds index_t.
  DYADIC_API constexpr index_t rows() const noexcept {
    return shape_.w() == 0 || shape_.c() == 0 ? 0 : detail::add_size(0, shape_.n(), shape_.h());
  }
  DYADIC_API constexpr bool is_matrix() const noexcept { return shape_.h() == 1 && shape_.w() == 1; }  ///< a matrix of `n` rows

  /// Returns the number of elements, or -1 if it exceeds index_t.
  DYADIC_API constexpr index_t size() const noexcept {
    const index_t pixels = detail::add_size(0, detail::add_size(0, shape_.n(), shape_.h()), shape_.w());
    return detail::add_size(0, pixels, shape_.c());
  }
  /// Returns a matrix in which each image is a row, as linear layers read images. If the elements of an image exceed index_t, the
  /// matrix has -1 columns, and `check` refuses it. Requires: no gaps.
  DYADIC_API constexpr any_view as_rows() const noexcept {
    DYADIC_ASSERT(is_dense());
    return {type_, data_, shape_.n(), detail::add_size(0, detail::add_size(0, shape_.h(), shape_.w()), shape_.c())};
  }

  /// Returns the images with elements of type T. Requires: type() is that of T.
  template <class T>
  DYADIC_API nhwc_view<T> images() const noexcept {
    DYADIC_ASSERT(type_ == element_type_of<std::remove_const_t<T>>());
    return {static_cast<T*>(data_), shape_.n(),          shape_.h(),           shape_.w(), shape_.c(),
            shape_.pixel_stride(),  shape_.row_stride(), shape_.image_stride()};
  }
  /// Returns the matrix with elements of type T. Requires: type() is that of T, and is_matrix().
  template <class T>
  DYADIC_API matrix_view<T> matrix() const noexcept {
    DYADIC_ASSERT(type_ == element_type_of<std::remove_const_t<T>>() && is_matrix());
    return {static_cast<T*>(data_), shape_.n(), shape_.c(), shape_.image_stride()};
  }
  /// Returns the number of bytes that data() points to, gaps included, or the negative of the status that `check` returns.
  DYADIC_API constexpr index_t measure() const noexcept {
    const index_t shape[] = {shape_.c(), shape_.pixel_stride(), shape_.w(), shape_.row_stride(),
                             shape_.h(), shape_.image_stride(), shape_.n()};
    const detail::element_layout element = detail::layout_of(type_);
    const index_t extent = detail::extent_of(data_, element, shape, 7);
    return extent < 0 ? extent : extent * detail::size_of(element);
  }

 private:
  DYADIC_API constexpr bool is_dense() const noexcept {
    const index_t row = detail::stride_of(shape_.w(), shape_.c());
    return (shape_.w() <= 1 || shape_.pixel_stride() == shape_.c()) && (shape_.h() <= 1 || shape_.row_stride() == row) &&
           (shape_.n() <= 1 || shape_.image_stride() == detail::stride_of(shape_.h(), row));
  }

  nhwc_view<const std::uint8_t> shape_;
  Void* data_ = nullptr;
  element_type type_ = element_type::none;
};

using any_input = any_view<const void>;  ///< what a layer reads
using any_output = any_view<void>;       ///< what a layer writes

}  // namespace dyadic

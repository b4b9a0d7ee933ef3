// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Pointers with a shape. They own nothing and are passed by value. Floor 1.

#include <dyadic/detail/extent.hpp>

namespace dyadic {

namespace detail {

/// True if data() of a range points to elements that a T* may point to.
template <class Range, class T, class = void>
struct is_range_of : std::false_type {};
template <class Range, class T>
struct is_range_of<Range, T, std::void_t<decltype(*std::declval<Range&>().data()), decltype(std::declval<Range&>().size())>>
    : std::is_convertible<std::remove_reference_t<decltype(*std::declval<Range&>().data())> (*)[], T (*)[]> {};

/// True if a range only points to its elements, so that they outlive the range. The elements of a const range are then not const.
template <class Range, class = void>
struct is_borrowed : std::false_type {};
template <class Range>
struct is_borrowed<Range, std::void_t<decltype(std::declval<const Range&>().data())>>
    : std::is_same<decltype(std::declval<std::remove_const_t<Range>&>().data()), decltype(std::declval<const Range&>().data())> {
};

template <class Range, class T>
using if_owner = std::enable_if_t<is_range_of<Range, T>::value && !is_borrowed<Range>::value, int>;
template <class Range, class T>
using if_borrowed = std::enable_if_t<is_range_of<const Range, T>::value && is_borrowed<Range>::value, int>;
template <class P, class T>
using if_pointer = std::enable_if_t<std::is_convertible_v<const P&, T*> && !std::is_array_v<P>, int>;

/// Returns the elements of a matrix. Returns null if an array or a container of `size` elements is too small for the matrix. An
/// element of the container holds `packed` elements of the matrix.
template <class T>
DYADIC_API constexpr T* data_of_matrix(T* data, index_t size, index_t rows, index_t cols, index_t stride,
                                       index_t packed = 1) noexcept {
  const index_t shape[] = {cols, stride, rows};
  const index_t extent = extent_of(data, layout_of<T>(), shape, 3);
  return extent >= 0 && extent / packed + (extent % packed != 0) > size ? nullptr : data;
}
}  // namespace detail

/// `size` elements. A view is made of a pointer and a size, an array, or anything with data() and size(): std::array,
/// std::vector, std::span. A temporary owner of elements is refused.
template <class T>
class view {
 public:
  DYADIC_API constexpr view() noexcept = default;                                          ///< no elements
  DYADIC_API constexpr view(T* data, index_t size) noexcept : data_{data}, size_{size} {}  ///< Requires: size elements at data
  /// All elements of an array.
  template <std::size_t Count>
  DYADIC_API constexpr view(T (&array DYADIC_LIFETIME_BOUND)[Count]) noexcept
      : data_{array}, size_{static_cast<index_t>(Count)} {}
  template <std::size_t Count>
  view(T (&&array)[Count]) = delete;  // a temporary array: give it a name
  template <class Range, detail::if_owner<Range, T> = 0>
  DYADIC_API constexpr view(Range& range DYADIC_LIFETIME_BOUND) noexcept
      : data_{range.data()}, size_{static_cast<index_t>(range.size())} {}  ///< the elements of an owner that has a name
  template <class Range, detail::if_owner<Range, T> = 0>
  view(const Range&& range) = delete;  // a temporary owner: give it a name
  /// A view of a range that only points to elements: a std::span, another view.
  template <class Range, detail::if_borrowed<Range, T> = 0>
  DYADIC_API constexpr view(const Range& range) noexcept : data_{range.data()}, size_{static_cast<index_t>(range.size())} {}

  DYADIC_API constexpr T* data() const noexcept { return data_; }          ///< may be null if there are none
  DYADIC_API constexpr index_t size() const noexcept { return size_; }     ///< the number of elements
  DYADIC_API constexpr bool empty() const noexcept { return size_ == 0; }  ///< true if there are none
  /// Returns element i. Requires: 0 <= i < size().
  DYADIC_API constexpr T& operator[](index_t i) const noexcept {
    DYADIC_ASSERT(i >= 0 && i < size_);
    return data_[i];
  }
  /// Returns how many elements data() points to, or the negative of the status of `check`.
  DYADIC_API constexpr index_t measure() const noexcept { return detail::extent_of(data_, detail::layout_of<T>(), &size_, 1); }
  DYADIC_API constexpr T* begin() const noexcept { return data_; }        ///< the first element
  DYADIC_API constexpr T* end() const noexcept { return data_ + size_; }  ///< one past the last

 private:
  T* data_ = nullptr;
  index_t size_ = 0;
};

template <class T, std::size_t Count>
view(T (&)[Count]) -> view<T>;  ///< deduces the elements of an array
template <class Range>
view(Range&& range) -> view<std::remove_pointer_t<decltype(range.data())>>;  ///< deduces the elements of a range

/// `rows` rows of `cols` elements, each row `stride` elements after the row before it. All rows lie in one array, because the
/// constant evaluator does not step from one row of a T[rows][cols] to the next. A matrix_view is made of a pointer, an array, or
/// anything with data() and size(), as a view is. `check` returns `null_data` if a container holds too few elements, or an array
/// does in the constant evaluator.
template <class T>
class matrix_view {
 public:
  DYADIC_API constexpr matrix_view() noexcept = default;  ///< no rows
  /// Rows without gaps.
  template <class P, detail::if_pointer<P, T> = 0>
  DYADIC_API constexpr matrix_view(const P& data, index_t rows, index_t cols) noexcept : matrix_view{data, rows, cols, cols} {}
  template <class P, detail::if_pointer<P, T> = 0>
  DYADIC_API constexpr matrix_view(const P& data, index_t rows, index_t cols, index_t stride) noexcept
      : data_{data}, shape_{cols, stride, rows} {}  ///< stride counts elements
  /// Rows in an array. The first row of a T[rows][cols] stands for the whole array, but not in the constant evaluator.
  template <std::size_t Count, class... Stride>
  DYADIC_API constexpr matrix_view(T (&array)[Count], index_t rows, index_t cols, Stride... stride) noexcept
      : matrix_view{is_constant_evaluated() ? matrix_view{view<T>{array}, rows, cols, stride...}.data() : array, rows, cols,
                    stride...} {}
  DYADIC_API constexpr matrix_view(view<T> all, index_t rows, index_t cols) noexcept
      : matrix_view{all, rows, cols, cols} {}  ///< rows without gaps, in an array or a container
  DYADIC_API constexpr matrix_view(view<T> all, index_t rows, index_t cols, index_t stride) noexcept
      : matrix_view{detail::data_of_matrix(all.data(), all.size(), rows, cols, stride), rows, cols, stride} {}  ///< with gaps
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  DYADIC_API constexpr matrix_view(matrix_view<U> other) noexcept
      : matrix_view{other.data(), other.rows(), other.cols(), other.stride()} {}  ///< adds const

  DYADIC_API constexpr T* data() const noexcept { return data_; }             ///< the first row
  DYADIC_API constexpr index_t rows() const noexcept { return shape_[2]; }    ///< may be 0
  DYADIC_API constexpr index_t cols() const noexcept { return shape_[0]; }    ///< elements of a row, may be 0
  DYADIC_API constexpr index_t stride() const noexcept { return shape_[1]; }  ///< elements from one row to the next
  /// Returns where row r begins. If there are no columns, it is data(), which may be null, and the stride may be anything.
  /// Requires: 0 <= r < rows().
  DYADIC_API constexpr T* row(index_t r) const noexcept {
    DYADIC_ASSERT(r >= 0 && r < rows());
    return cols() == 0 ? data_ : data_ + r * stride();
  }
  /// Returns the elements from the first to the last, including the gaps between rows, or the negative of the status of `check`.
  DYADIC_API constexpr index_t measure() const noexcept { return detail::extent_of(data_, detail::layout_of<T>(), shape_, 3); }

 private:
  T* data_ = nullptr;
  index_t shape_[3] = {};  // columns, stride, rows
};

template <class T, class... Sizes>
matrix_view(T*, index_t, Sizes...) -> matrix_view<T>;  ///< deduces the elements at a pointer
template <class Range, class... Sizes, class T = std::remove_pointer_t<decltype(std::declval<Range&>().data())>>
matrix_view(Range&&, index_t, Sizes...) -> matrix_view<T>;  ///< deduces the elements of an array or a container

/// `n` images of `h` x `w` pixels with `c` channels each. The channels of a pixel are contiguous. Strides count elements.
template <class T>
class nhwc_view {
 public:
  DYADIC_API constexpr nhwc_view() noexcept = default;  ///< no images
  DYADIC_API constexpr nhwc_view(T* data, index_t n, index_t h, index_t w, index_t c) noexcept
      : nhwc_view{data, n, h, w, c, c, detail::stride_of(w, c), detail::stride_of(h, detail::stride_of(w, c))} {}  ///< no gaps
  DYADIC_API constexpr nhwc_view(T* data, index_t n, index_t h, index_t w, index_t c, index_t pixel_stride, index_t row_stride,
                                 index_t image_stride) noexcept
      : data_{data}, shape_{c, pixel_stride, w, row_stride, h, image_stride, n} {}  ///< images with these strides
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  DYADIC_API constexpr nhwc_view(nhwc_view<U> o) noexcept
      : nhwc_view{o.data(), o.n(), o.h(), o.w(), o.c(), o.pixel_stride(), o.row_stride(), o.image_stride()} {}  ///< adds const

  DYADIC_API constexpr T* data() const noexcept { return data_; }                   ///< channel 0 of the first pixel
  DYADIC_API constexpr index_t n() const noexcept { return shape_[6]; }             ///< images
  DYADIC_API constexpr index_t h() const noexcept { return shape_[4]; }             ///< rows of an image
  DYADIC_API constexpr index_t w() const noexcept { return shape_[2]; }             ///< pixels of a row
  DYADIC_API constexpr index_t c() const noexcept { return shape_[0]; }             ///< channels of a pixel
  DYADIC_API constexpr index_t pixel_stride() const noexcept { return shape_[1]; }  ///< elements from one pixel to the next
  DYADIC_API constexpr index_t row_stride() const noexcept { return shape_[3]; }    ///< elements from one row to the next
  DYADIC_API constexpr index_t image_stride() const noexcept { return shape_[5]; }  ///< elements from one image to the next
  /// Returns the channels of one pixel. Requires: 0 <= n < n(), 0 <= y < h(), 0 <= x < w().
  DYADIC_API constexpr T* pixel(index_t n, index_t y, index_t x) const noexcept {
    DYADIC_ASSERT(n >= 0 && n < this->n() && y >= 0 && y < h() && x >= 0 && x < w());
    return c() == 0 ? data_ : data_ + n * image_stride() + y * row_stride() + x * pixel_stride();
  }
  /// Returns the elements from the first to the last, including all gaps, or the negative of the status of `check`.
  DYADIC_API constexpr index_t measure() const noexcept { return detail::extent_of(data_, detail::layout_of<T>(), shape_, 7); }

 private:
  T* data_ = nullptr;
  index_t shape_[7] = {};  // channels, then the stride and the number of pixels, rows, images
};

/// Checks a view of any kind. Returns `ok`, `negative_size`, `stride_too_small`, `size_overflow`, `null_data` or
/// `misaligned_data`. An empty view may point anywhere.
template <class View>
DYADIC_API constexpr auto check(const View& v) noexcept -> decltype(detail::status_of(v.measure())) {
  return detail::status_of(v.measure());
}

/// The end of a range that has all rows, or all channels, from its `begin` on.
inline constexpr index_t to_end = limits<index_t>::max;

/// Output rows begin .. end - 1: rows of a linear layer or of a batch of images, image after image.
struct row_range {
  index_t begin = 0;  ///< the first row
  index_t end = 0;    ///< one past the last row; no rows if it is `begin`
};

/// Output channels begin .. end - 1.
struct channel_range {
  index_t begin = 0;  ///< the first channel
  index_t end = 0;    ///< one past the last channel; no channels if it is `begin`

  /// Returns the number of channels.
  DYADIC_API constexpr index_t size() const noexcept { return end - begin; }
};

namespace detail {
/// Returns the first error of operands that have a function `check`.
template <class... Operand>
DYADIC_API constexpr status check_each(const Operand&... operands) noexcept {
  status first = status::ok;
  ((first = first == status::ok ? check(operands) : first), ...);
  return first;
}
}  // namespace detail

/// Returns the first error of either view, or `shape_mismatch`.
template <class T, class U>
DYADIC_API constexpr status check_same_size(view<T> a, view<U> b) noexcept {
  if (const status s = detail::check_each(a, b); s != status::ok) return s;
  return a.size() == b.size() ? status::ok : status::shape_mismatch;
}

namespace detail {
/// Returns a view of signed integers that have one of the `Sizes` in bytes. The name of their type does not matter.
template <std::size_t... Sizes, class Range>
DYADIC_API constexpr auto view_of_integers(Range&& range) noexcept {
  const view v(static_cast<Range&&>(range));
  using element = std::remove_const_t<std::remove_pointer_t<decltype(v.data())>>;
  static_assert(std::is_integral_v<element> && std::is_signed_v<element> && ((sizeof(element) == Sizes) || ...));
  return v;
}

/// The type of the elements of a view.
template <class View>
using element_of = std::remove_pointer_t<decltype(std::declval<const View&>().data())>;
/// Returns all memory between the first and the last element of a sound view, including gaps.
template <class View>
DYADIC_API constexpr view<element_of<View>> memory_of(const View& v) noexcept {
  const index_t extent = v.measure();
  return extent < 0 ? view<element_of<View>>{} : view<element_of<View>>{v.data(), extent};
}

/// Returns the rows of a matrix as images of one pixel.
template <class T>
DYADIC_API constexpr nhwc_view<T> as_images(const matrix_view<T>& m) noexcept {
  return {m.data(), m.rows(), 1, 1, m.cols(), m.cols(), m.cols(), m.stride()};
}

/// A piece of memory.
struct memory {
  const void* begin;
  const void* end;
};

/// Returns the memory of a view whose extent is known.
template <class View>
DYADIC_API constexpr memory memory_at(const View& v, index_t extent) noexcept {
  return {v.data(), v.data() + extent};
}

/// Returns true if two pieces of memory share a byte. Returns false in the constant evaluator, which may not order bytes.
DYADIC_API constexpr bool meet(memory a, memory b) noexcept {
  if (is_constant_evaluated() || a.begin == a.end || b.begin == b.end) return false;
  return a.begin < b.end && b.begin < a.end;
}
/// Returns `overlap` if the first piece of memory shares a byte with another piece.
DYADIC_API constexpr status check_first(const memory* at, std::size_t count) noexcept {
  const memory a = *at;
  for (const memory* const end = at + count; ++at != end;)
    if (meet(a, *at)) return status::overlap;
  return status::ok;
}
template <class T, class U>
DYADIC_API constexpr bool share_memory(view<T> a, view<U> b) noexcept {
  if constexpr (std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>)
    if (is_constant_evaluated()) {  // it can order the elements of one array
      const std::remove_const_t<T>* const first = a.data();
      const std::remove_const_t<T>* const second = b.data();
      return !a.empty() && !b.empty() && DYADIC_MEET_IN_CONSTANT(first, first + a.size(), second, second + b.size());
    }
  return meet(memory_at(a, a.size()), memory_at(b, b.size()));
}
}  // namespace detail

/// Returns true if two views, of any kind, share memory. An unsound view shares none. The constant evaluator cannot order
/// pointers into different objects. There, objects that it cannot order, and objects of different types, share no memory.
template <class A, class B>
DYADIC_API constexpr bool overlap(const A& a, const B& b) noexcept {
  return detail::share_memory(detail::memory_of(a), detail::memory_of(b));
}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Pointers with a shape. They own nothing and are passed by value. Floor 1.

#include <dyadic/config.hpp>
#include <dyadic/status.hpp>

namespace dyadic {

namespace detail {

/// Whether p is null. GCC under -fsanitize=undefined does not fold that for weak symbols, which are not.
template <class T>
DYADIC_API constexpr bool is_null(T* p) noexcept {
  return is_constant_evaluated() ? __builtin_constant_p(p == nullptr) && p == nullptr : p == nullptr;
}

/// The stride of `count` items of `inner` elements in a row, or the greatest: more than any view holds.
DYADIC_API constexpr index_t stride_of(index_t count, index_t inner) noexcept {
  index_t stride = 0;
  return __builtin_mul_overflow(count, inner, &stride) ? limits<index_t>::max : stride;
}

/// One axis of a view: `count` items that begin `stride` elements apart.
struct axis {
  index_t count;
  index_t stride;
};

/// The elements from the first to the last of `inner` elements in a row, repeated along the axes, the innermost first; 0 if there
/// are none. `negative_size`, `stride_too_small` if items share elements, `size_overflow` if elements of `size` bytes do not fit
/// the address space, or `null_data`.
DYADIC_API constexpr status measure(const void* data, index_t size, index_t inner, const axis* axes, int count,
                                    index_t& extent) noexcept {
  const index_t most = limits<index_t>::max / size;
  index_t signs = inner;
  bool empty = inner == 0;
  for (int i = 0; i < count; ++i) {
    signs |= axes[i].count | axes[i].stride;
    empty = empty || axes[i].count == 0;
  }
  extent = 0;
  if (signs < 0) return status::negative_size;
  if (empty) return status::ok;
  extent = inner;
  for (int i = 0; i < count; ++i) {
    const axis a = axes[i];
    if (a.count == 1) continue;
    if (a.stride < extent) return status::stride_too_small;
    if (extent > most || a.stride > (most - extent) / (a.count - 1)) return status::size_overflow;
    extent += (a.count - 1) * a.stride;
  }
  if (extent > most) return status::size_overflow;
  return is_null(data) ? status::null_data : status::ok;
}

/// A range whose data() points to elements that a T* may point to.
template <class Range, class T, class = void>
struct is_range_of : std::false_type {};
template <class Range, class T>
struct is_range_of<Range, T, std::void_t<decltype(*std::declval<Range&>().data()), decltype(std::declval<Range&>().size())>>
    : std::is_convertible<std::remove_reference_t<decltype(*std::declval<Range&>().data())> (*)[], T (*)[]> {};

/// Whether a range only points to its elements, so that they outlive it: they are not const where it is.
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

/// The elements of a matrix; null where an array or a container holds fewer than the matrix has, `packed` to an element of it.
template <class T>
DYADIC_API constexpr T* data_of_matrix(T* data, index_t size, index_t rows, index_t cols, index_t stride,
                                       index_t packed = 1) noexcept {
  const axis a{rows, stride};
  index_t extent = 0;
  const bool is_sound = measure(data, sizeof(T), cols, &a, 1, extent) == status::ok;
  return is_sound && extent / packed + (extent % packed != 0) > size ? nullptr : data;
}
}  // namespace detail

/// `size` elements. Made of a pointer and a size, an array, or anything with data() and size(): std::array, std::vector,
/// std::span. Not of an owner that dies at the semicolon.
template <class T>
class view {
 public:
  DYADIC_API constexpr view() noexcept = default;                                          ///< no elements
  DYADIC_API constexpr view(T* data, index_t size) noexcept : data_{data}, size_{size} {}  ///< Requires: size elements at data
  /// All elements of an array.
  template <std::size_t N>
  DYADIC_API constexpr view(T (&array DYADIC_LIFETIME_BOUND)[N]) noexcept : data_{array}, size_{static_cast<index_t>(N)} {}
  template <std::size_t N>
  view(T (&&array)[N]) = delete;
  template <class Range, detail::if_owner<Range, T> = 0>
  DYADIC_API constexpr view(Range& range DYADIC_LIFETIME_BOUND) noexcept
      : data_{range.data()}, size_{static_cast<index_t>(range.size())} {}  ///< of an owner that has a name
  template <class Range, detail::if_owner<Range, T> = 0>
  view(const Range&& range) = delete;
  /// Of what only points to elements: a std::span, another view.
  template <class Range, detail::if_borrowed<Range, T> = 0>
  DYADIC_API constexpr view(const Range& range) noexcept : data_{range.data()}, size_{static_cast<index_t>(range.size())} {}

  DYADIC_API constexpr T* data() const noexcept { return data_; }          ///< may be null if there are none
  DYADIC_API constexpr index_t size() const noexcept { return size_; }     ///< in elements
  DYADIC_API constexpr bool empty() const noexcept { return size_ == 0; }  ///< whether there are none
  DYADIC_API constexpr T& operator[](index_t i) const noexcept {
    DYADIC_ASSERT(i >= 0 && i < size_);
    return data_[i];
  }  ///< Requires: 0 <= i < size()
  /// What `check` says; `extent`: how many elements data() points to.
  DYADIC_API constexpr status measure(index_t& extent) const noexcept {
    return detail::measure(data_, sizeof(T), size_, nullptr, 0, extent);
  }
  DYADIC_API constexpr T* begin() const noexcept { return data_; }        ///< the first element
  DYADIC_API constexpr T* end() const noexcept { return data_ + size_; }  ///< one past the last

 private:
  T* data_ = nullptr;
  index_t size_ = 0;
};

template <class T, std::size_t N>
view(T (&)[N]) -> view<T>;  ///< of an array
template <class Range>
view(Range&& range) -> view<std::remove_pointer_t<decltype(range.data())>>;  ///< of data() and size()

/// `rows` rows of `cols` elements, each row `stride` elements after the one before, in one array: the constant evaluator does not
/// step from one row of a T[rows][cols] to the next. Made of a pointer, or of what a view is made of: if a container, or
/// in the constant evaluator an array, holds too few elements, `check` says `null_data`.
template <class T>
class matrix_view {
 public:
  DYADIC_API constexpr matrix_view() noexcept = default;  ///< no rows
  /// Rows next to each other.
  template <class P, detail::if_pointer<P, T> = 0>
  DYADIC_API constexpr matrix_view(const P& data, index_t rows, index_t cols) noexcept : matrix_view{data, rows, cols, cols} {}
  template <class P, detail::if_pointer<P, T> = 0>
  DYADIC_API constexpr matrix_view(const P& data, index_t rows, index_t cols, index_t stride) noexcept
      : data_{data}, cols_{cols}, rows_{rows, stride} {}  ///< stride counts elements
  /// In an array, of which a row of a T[rows][cols] stands for all of them, but in the constant evaluator.
  template <std::size_t N, class... Stride>
  DYADIC_API constexpr matrix_view(T (&array)[N], index_t rows, index_t cols, Stride... stride) noexcept
      : matrix_view{is_constant_evaluated() ? matrix_view{view<T>{array}, rows, cols, stride...}.data() : array, rows, cols,
                    stride...} {}
  DYADIC_API constexpr matrix_view(view<T> all, index_t rows, index_t cols) noexcept
      : matrix_view{all, rows, cols, cols} {}  ///< rows next to each other, in an array or a container
  DYADIC_API constexpr matrix_view(view<T> all, index_t rows, index_t cols, index_t stride) noexcept
      : matrix_view{detail::data_of_matrix(all.data(), all.size(), rows, cols, stride), rows, cols, stride} {}  ///< with gaps
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  DYADIC_API constexpr matrix_view(matrix_view<U> other) noexcept
      : matrix_view{other.data(), other.rows(), other.cols(), other.stride()} {}  ///< adds const

  DYADIC_API constexpr T* data() const noexcept { return data_; }                ///< the first row
  DYADIC_API constexpr index_t rows() const noexcept { return rows_.count; }     ///< may be 0
  DYADIC_API constexpr index_t cols() const noexcept { return cols_; }           ///< elements of a row, may be 0
  DYADIC_API constexpr index_t stride() const noexcept { return rows_.stride; }  ///< elements from one row to the next
  DYADIC_API constexpr T* row(index_t r) const noexcept {
    DYADIC_ASSERT(r >= 0 && r < rows());
    return cols_ == 0 ? data_ : data_ + r * stride();
  }  ///< where row r begins; at data() if there are no columns, when it may be null and the stride anything
  /// As for a view; the gaps between rows included.
  DYADIC_API constexpr status measure(index_t& extent) const noexcept {
    return detail::measure(data_, sizeof(T), cols_, &rows_, 1, extent);
  }

 private:
  T* data_ = nullptr;
  index_t cols_ = 0;
  detail::axis rows_{};
};

template <class T, class... Sizes>
matrix_view(T*, index_t, Sizes...) -> matrix_view<T>;  ///< of a pointer
template <class Range, class... Sizes, class T = std::remove_pointer_t<decltype(std::declval<Range&>().data())>>
matrix_view(Range&&, index_t, Sizes...) -> matrix_view<T>;  ///< of an array or a container

/// `n` images of `h` x `w` pixels with `c` channels each, the channels next to each other; the strides count elements.
template <class T>
class nhwc_view {
 public:
  DYADIC_API constexpr nhwc_view() noexcept = default;  ///< no images
  DYADIC_API constexpr nhwc_view(T* data, index_t n, index_t h, index_t w, index_t c) noexcept
      : nhwc_view{data, n, h, w, c, c, detail::stride_of(w, c), detail::stride_of(h, detail::stride_of(w, c))} {}  ///< no gaps
  DYADIC_API constexpr nhwc_view(T* data, index_t n, index_t h, index_t w, index_t c, index_t pixel_stride, index_t row_stride,
                                 index_t image_stride) noexcept
      : data_{data}, c_{c}, axes_{{w, pixel_stride}, {h, row_stride}, {n, image_stride}} {}  ///< with the strides given
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  DYADIC_API constexpr nhwc_view(nhwc_view<U> o) noexcept
      : nhwc_view{o.data(), o.n(), o.h(), o.w(), o.c(), o.pixel_stride(), o.row_stride(), o.image_stride()} {}  ///< adds const

  DYADIC_API constexpr T* data() const noexcept { return data_; }                         ///< channel 0 of the first pixel
  DYADIC_API constexpr index_t n() const noexcept { return axes_[2].count; }              ///< images
  DYADIC_API constexpr index_t h() const noexcept { return axes_[1].count; }              ///< rows of an image
  DYADIC_API constexpr index_t w() const noexcept { return axes_[0].count; }              ///< pixels of a row
  DYADIC_API constexpr index_t c() const noexcept { return c_; }                          ///< channels of a pixel
  DYADIC_API constexpr index_t pixel_stride() const noexcept { return axes_[0].stride; }  ///< elements from one pixel to the next
  DYADIC_API constexpr index_t row_stride() const noexcept { return axes_[1].stride; }    ///< and from one row to the next
  DYADIC_API constexpr index_t image_stride() const noexcept { return axes_[2].stride; }  ///< and from one image to the next
  /// The channels of one pixel.
  DYADIC_API constexpr T* pixel(index_t n, index_t y, index_t x) const noexcept {
    DYADIC_ASSERT(n >= 0 && n < this->n() && y >= 0 && y < h() && x >= 0 && x < w());
    return c_ == 0 ? data_ : data_ + n * image_stride() + y * row_stride() + x * pixel_stride();
  }
  /// As for a view; the gaps between pixels, rows and images included.
  DYADIC_API constexpr status measure(index_t& extent) const noexcept {
    return detail::measure(data_, sizeof(T), c_, axes_, 3, extent);
  }

 private:
  T* data_ = nullptr;
  index_t c_ = 0;
  detail::axis axes_[3] = {};  // pixels, rows, images
};

/// What is wrong with a view of any kind: `negative_size`, `stride_too_small`, `size_overflow` or `null_data`; an empty view may
/// be null.
template <class View>
DYADIC_API constexpr auto check(const View& v) noexcept -> decltype(v.measure(std::declval<index_t&>())) {
  index_t extent = 0;
  return v.measure(extent);
}

/// Output rows begin .. end - 1: rows of a linear layer or of a batch of images, image after image.
struct row_range {
  index_t begin;  ///< the first one
  index_t end;    ///< one past the last; no rows if it is `begin`
};

/// The first thing wrong with either view, or `shape_mismatch`.
template <class T, class U>
DYADIC_API constexpr status check_same_size(view<T> a, view<U> b) noexcept {
  if (const status s = check(a); s != status::ok) return s;
  if (const status s = check(b); s != status::ok) return s;
  return a.size() == b.size() ? status::ok : status::shape_mismatch;
}

namespace detail {
/// A range of signed integers of one of these sizes, of whatever name, as a view.
template <std::size_t... Sizes, class Range>
DYADIC_API constexpr auto view_of_integers(Range& range) noexcept {
  const view v(range);
  using element = std::remove_const_t<std::remove_pointer_t<decltype(v.data())>>;
  static_assert(std::is_integral_v<element> && std::is_signed_v<element> && ((sizeof(element) == Sizes) || ...));
  return v;
}

/// What a view of any kind looks at.
template <class View>
using element_of = std::remove_pointer_t<decltype(std::declval<const View&>().data())>;
/// What is wrong with a view, or all that lies between its first and its last element, gaps included.
template <class View>
DYADIC_API constexpr status locate(const View& v, view<element_of<View>>& at) noexcept {
  index_t extent = 0;
  const status s = v.measure(extent);
  if (s == status::ok) at = {v.data(), extent};
  return s;
}

/// All that lies between the first and the last element of a sound view.
template <class View>
DYADIC_API constexpr view<element_of<View>> memory_of(const View& v) noexcept {
  if constexpr (std::is_same_v<View, view<element_of<View>>>) return v;
  view<element_of<View>> at;
  return locate(v, at) == status::ok ? at : view<element_of<View>>{};
}

/// Whether two pieces of memory have a byte in common.
DYADIC_API __attribute__((noinline)) inline bool share_memory(const void* first, const void* end, const void* other,
                                                              const void* other_end) noexcept {
  return first != end && other != other_end && first < other_end && other < end;
}
template <class T, class U>
DYADIC_API constexpr bool share_memory(view<T> a, view<U> b) noexcept {
  if (!is_constant_evaluated()) return share_memory(a.data(), a.end(), b.data(), b.end());
  if constexpr (std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>)
    return !a.empty() && !b.empty() && __builtin_constant_p(a.data() < b.end() && b.data() < a.end()) && a.data() < b.end() &&
           b.data() < a.end();
  else
    return false;
}
}  // namespace detail

/// Whether two views, of any kind, share memory. The constant evaluator cannot order pointers into different objects: what it
/// cannot order is apart, and so are objects of different types. Requires: both are sound.
template <class A, class B>
DYADIC_API constexpr bool overlap(const A& a, const B& b) noexcept {
  return detail::share_memory(detail::memory_of(a), detail::memory_of(b));
}

}  // namespace dyadic

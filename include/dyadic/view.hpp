#pragma once
/// \file
/// Pointers with a shape. They own nothing and are passed by value. Floor 1.

#include <dyadic/config.hpp>
#include <dyadic/status.hpp>

namespace dyadic {

namespace detail {
/// A range whose data() points to elements that a T* may point to.
template <class Range, class T, class = void>
struct is_range_of : std::false_type {};
template <class Range, class T>
struct is_range_of<Range, T, std::void_t<decltype(*std::declval<Range&>().data()), decltype(std::declval<Range&>().size())>>
    : std::is_convertible<std::remove_reference_t<decltype(*std::declval<Range&>().data())> (*)[], T (*)[]> {};
}  // namespace detail

/// `size` elements. Made of a pointer and a size, an array, or anything with data() and size(): std::array, std::vector,
/// std::span.
template <class T>
class view {
 public:
  constexpr view() noexcept = default;
  constexpr view(T* data, index_t size) noexcept : data_{data}, size_{size} {}
  template <std::size_t N>
  constexpr view(T (&array)[N]) noexcept : data_{array}, size_{static_cast<index_t>(N)} {}
  template <class Range, std::enable_if_t<detail::is_range_of<Range, T>::value, int> = 0>
  constexpr view(Range&& range) noexcept : data_{range.data()}, size_{static_cast<index_t>(range.size())} {}

  constexpr T* data() const noexcept { return data_; }
  constexpr index_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T& operator[](index_t i) const noexcept {
    DYADIC_ASSERT(i >= 0 && i < size_);
    return data_[i];
  }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  index_t size_ = 0;
};

template <class T, std::size_t N>
view(T (&)[N]) -> view<T>;
template <class Range>
view(Range&& range) -> view<std::remove_pointer_t<decltype(range.data())>>;

/// `rows` rows of `cols` elements, each row `stride` elements after the one before, in one array: the constant evaluator does not
/// step from one row of a T[rows][cols] to the next.
template <class T>
class matrix_view {
 public:
  constexpr matrix_view() noexcept = default;
  constexpr matrix_view(T* data, index_t rows, index_t cols) noexcept : matrix_view{data, rows, cols, cols} {}
  constexpr matrix_view(T* data, index_t rows, index_t cols, index_t stride) noexcept
      : data_{data}, rows_{rows}, cols_{cols}, stride_{stride} {}
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr matrix_view(matrix_view<U> other) noexcept : matrix_view{other.data(), other.rows(), other.cols(), other.stride()} {}

  constexpr T* data() const noexcept { return data_; }
  constexpr index_t rows() const noexcept { return rows_; }
  constexpr index_t cols() const noexcept { return cols_; }
  constexpr index_t stride() const noexcept { return stride_; }
  constexpr T* row(index_t r) const noexcept {
    DYADIC_ASSERT(r >= 0 && r < rows_);
    return cols_ == 0 ? data_ : data_ + r * stride_;  // a view of no elements may be null and have any stride
  }

 private:
  T* data_ = nullptr;
  index_t rows_ = 0;
  index_t cols_ = 0;
  index_t stride_ = 0;
};

/// `n` images of `h` x `w` pixels with `c` channels each, the channels next to each other; the strides count elements.
template <class T>
class nhwc_view {
 public:
  constexpr nhwc_view() noexcept = default;
  constexpr nhwc_view(T* data, index_t n, index_t h, index_t w, index_t c) noexcept
      : nhwc_view{data, n, h, w, c, c, product(w, c), product(h, product(w, c))} {}
  constexpr nhwc_view(T* data, index_t n, index_t h, index_t w, index_t c, index_t pixel_stride, index_t row_stride,
                      index_t image_stride) noexcept
      : data_{data},
        n_{n},
        h_{h},
        w_{w},
        c_{c},
        pixel_stride_{pixel_stride},
        row_stride_{row_stride},
        image_stride_{image_stride} {}
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr nhwc_view(nhwc_view<U> o) noexcept
      : nhwc_view{o.data(), o.n(), o.h(), o.w(), o.c(), o.pixel_stride(), o.row_stride(), o.image_stride()} {}

  constexpr T* data() const noexcept { return data_; }
  constexpr index_t n() const noexcept { return n_; }
  constexpr index_t h() const noexcept { return h_; }
  constexpr index_t w() const noexcept { return w_; }
  constexpr index_t c() const noexcept { return c_; }
  constexpr index_t pixel_stride() const noexcept { return pixel_stride_; }
  constexpr index_t row_stride() const noexcept { return row_stride_; }
  constexpr index_t image_stride() const noexcept { return image_stride_; }
  /// The channels of one pixel.
  constexpr T* pixel(index_t n, index_t y, index_t x) const noexcept {
    DYADIC_ASSERT(n >= 0 && n < n_ && y >= 0 && y < h_ && x >= 0 && x < w_);
    return c_ == 0 ? data_ : data_ + n * image_stride_ + y * row_stride_ + x * pixel_stride_;
  }

 private:
  /// a * b modulo 2^bits: `check` refuses the extents that overflow.
  static constexpr index_t product(index_t a, index_t b) noexcept {
    return static_cast<index_t>(static_cast<std::size_t>(a) * static_cast<std::size_t>(b));
  }

  T* data_ = nullptr;
  index_t n_ = 0;
  index_t h_ = 0;
  index_t w_ = 0;
  index_t c_ = 0;
  index_t pixel_stride_ = 0;
  index_t row_stride_ = 0;
  index_t image_stride_ = 0;
};

namespace detail {

/// Whether p is null. GCC under -fsanitize=undefined does not fold that for weak symbols, which are not.
template <class T>
constexpr bool is_null(T* p) noexcept {
  return is_constant_evaluated() ? __builtin_constant_p(p == nullptr) && p == nullptr : p == nullptr;
}

}  // namespace detail

/// `negative_size`, `size_overflow` or `null_data`; an empty view may be null.
template <class T>
constexpr status check(view<T> v) noexcept {
  if (v.size() < 0) return status::negative_size;
  if (v.size() > limits<index_t>::max / static_cast<index_t>(sizeof(T))) return status::size_overflow;
  return v.size() > 0 && detail::is_null(v.data()) ? status::null_data : status::ok;
}

/// `negative_size`, `stride_too_small`, `size_overflow` or `null_data`; an empty view may be null.
template <class T>
constexpr status check(matrix_view<T> m) noexcept {
  if (m.rows() < 0 || m.cols() < 0 || m.stride() < 0) return status::negative_size;
  if (m.rows() > 1 && m.stride() < m.cols()) return status::stride_too_small;
  if (m.rows() == 0 || m.cols() == 0) return status::ok;
  const index_t most = limits<index_t>::max / static_cast<index_t>(sizeof(T));
  if (m.cols() > most || (m.rows() > 1 && m.stride() > (most - m.cols()) / (m.rows() - 1))) return status::size_overflow;
  return detail::is_null(m.data()) ? status::null_data : status::ok;
}

namespace detail {

/// The elements from the first to the last of `count` items of `extent` elements, `stride` apart; -1 if that overflows `most`.
constexpr index_t extent_of(index_t count, index_t stride, index_t extent, index_t most) noexcept {
  if (extent > most || (count > 1 && stride > (most - extent) / (count - 1))) return -1;
  return (count - 1) * stride + extent;
}

/// The elements from the first to the last; 0 if there is none, -1 if they do not fit the address space.
template <class T>
constexpr index_t extent_size(nhwc_view<T> v) noexcept {
  if (v.n() == 0 || v.h() == 0 || v.w() == 0 || v.c() == 0) return 0;
  const index_t most = limits<index_t>::max / static_cast<index_t>(sizeof(T));
  const index_t row = extent_of(v.w(), v.pixel_stride(), v.c(), most);
  const index_t image = row < 0 ? -1 : extent_of(v.h(), v.row_stride(), row, most);
  return image < 0 ? -1 : extent_of(v.n(), v.image_stride(), image, most);
}

}  // namespace detail

/// As for a matrix.
template <class T>
constexpr status check(nhwc_view<T> v) noexcept {
  if (v.n() < 0 || v.h() < 0 || v.w() < 0 || v.c() < 0) return status::negative_size;
  if (v.pixel_stride() < 0 || v.row_stride() < 0 || v.image_stride() < 0) return status::negative_size;
  const index_t size = detail::extent_size(v);
  if (size < 0) return status::size_overflow;
  if (size == 0) return status::ok;
  const bool pixels_overlap = v.w() > 1 && v.pixel_stride() < v.c();
  const bool rows_overlap = v.h() > 1 && v.row_stride() < (v.w() - 1) * v.pixel_stride() + v.c();
  const bool images_overlap =
      v.n() > 1 && v.image_stride() < (v.h() - 1) * v.row_stride() + (v.w() - 1) * v.pixel_stride() + v.c();
  if (pixels_overlap || rows_overlap || images_overlap) return status::stride_too_small;
  return detail::is_null(v.data()) ? status::null_data : status::ok;
}

/// The first thing wrong with either view, or `shape_mismatch`.
template <class T, class U>
constexpr status check_same_size(view<T> a, view<U> b) noexcept {
  if (const status s = check(a); s != status::ok) return s;
  if (const status s = check(b); s != status::ok) return s;
  return a.size() == b.size() ? status::ok : status::shape_mismatch;
}

namespace detail {

/// The elements from the first to the last, the gaps between rows included. Requires: check(m) is ok.
template <class T>
constexpr view<T> extent(matrix_view<T> m) noexcept {
  if (m.rows() == 0 || m.cols() == 0) return {m.data(), 0};
  return {m.data(), (m.rows() - 1) * m.stride() + m.cols()};
}

}  // namespace detail

namespace detail {
template <class T>
constexpr view<T> extent(nhwc_view<T> v) noexcept {
  return {v.data(), extent_size(v)};
}
}  // namespace detail

/// Whether two extents share memory. The constant evaluator cannot order pointers into different objects: what it cannot order is
/// apart, and so are objects of different types. Requires: both views are sound.
template <class T, class U>
constexpr bool overlap(view<T> a, view<U> b) noexcept {
  if (a.empty() || b.empty()) return false;
  if (is_constant_evaluated()) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>)
      return __builtin_constant_p(a.data() < b.end() && b.data() < a.end()) && a.data() < b.end() && b.data() < a.end();
    else
      return false;
  }
  const void* const a_first = a.data();
  const void* const b_first = b.data();
  const void* const a_end = a.end();
  const void* const b_end = b.end();
  return a_first < b_end && b_first < a_end;
}

}  // namespace dyadic

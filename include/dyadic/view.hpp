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

/// `size` elements. Made of a pointer and a size, an array, or anything with data() and size(): std::array, std::vector, std::span.
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

/// `rows` rows of `cols` elements, each row `stride` elements after the one before, in one array: the constant evaluator does not step
/// from one row of a T[rows][cols] to the next.
template <class T>
class matrix_view {
 public:
  constexpr matrix_view() noexcept = default;
  constexpr matrix_view(T* data, index_t rows, index_t cols) noexcept : matrix_view{data, rows, cols, cols} {}
  constexpr matrix_view(T* data, index_t rows, index_t cols, index_t stride) noexcept
      : data_{data}, rows_{rows}, cols_{cols}, stride_{stride} {}
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr matrix_view(matrix_view<U> other) noexcept
      : matrix_view{other.data(), other.rows(), other.cols(), other.stride()} {}

  constexpr T* data() const noexcept { return data_; }
  constexpr index_t rows() const noexcept { return rows_; }
  constexpr index_t cols() const noexcept { return cols_; }
  constexpr index_t stride() const noexcept { return stride_; }
  constexpr T* row(index_t r) const noexcept {
    DYADIC_ASSERT(r >= 0 && r < rows_);
    return data_ + r * stride_;
  }

 private:
  T* data_ = nullptr;
  index_t rows_ = 0;
  index_t cols_ = 0;
  index_t stride_ = 0;
};

/// `negative_size`, `size_overflow` or `null_data`; an empty view may be null.
template <class T>
constexpr status check(view<T> v) noexcept {
  if (v.size() < 0) return status::negative_size;
  if (v.size() > std::numeric_limits<index_t>::max() / static_cast<index_t>(sizeof(T))) return status::size_overflow;
  return v.size() > 0 && v.data() == nullptr ? status::null_data : status::ok;
}

/// `negative_size`, `stride_too_small`, `size_overflow` or `null_data`; an empty view may be null.
template <class T>
constexpr status check(matrix_view<T> m) noexcept {
  if (m.rows() < 0 || m.cols() < 0 || m.stride() < 0) return status::negative_size;
  if (m.rows() > 1 && m.stride() < m.cols()) return status::stride_too_small;
  if (m.rows() == 0 || m.cols() == 0) return status::ok;
  const index_t most = std::numeric_limits<index_t>::max() / static_cast<index_t>(sizeof(T));
  if (m.cols() > most || (m.rows() > 1 && m.stride() > (most - m.cols()) / (m.rows() - 1))) return status::size_overflow;
  return m.data() == nullptr ? status::null_data : status::ok;
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

/// Whether two extents share memory. The constant evaluator cannot order pointers to different objects: there, equal first addresses
/// of one type count. Requires: both views are sound.
template <class T, class U>
constexpr bool overlap(view<T> a, view<U> b) noexcept {
  if (a.empty() || b.empty()) return false;
  if (is_constant_evaluated()) {
    // GCC has no constant for the comparison of some unrelated objects, weak symbols among them; those are different objects.
    if constexpr (std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>)
      return __builtin_constant_p(a.data() == b.data()) && a.data() == b.data();
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

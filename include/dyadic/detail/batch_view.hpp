// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Views of batches of matrices, as stored or with rows and columns exchanged. Floor 1.

#include <dyadic/view.hpp>

namespace dyadic {

/// Views `batches` matrices of `rows` x `cols` elements. Each row begins `stride` elements after the previous row, each matrix
/// `batch_stride` elements after the previous matrix.
template <class T>
class batch_view {
 public:
  using value_type = T;  ///< const if elements are only read

  DYADIC_API constexpr batch_view() noexcept = default;  ///< no matrices
  DYADIC_API constexpr batch_view(T* data, index_t batches, index_t rows, index_t cols) noexcept
      : batch_view{data, batches, rows, cols, cols, detail::stride_of(rows, cols)} {}  ///< without gaps
  DYADIC_API constexpr batch_view(T* data, index_t batches, index_t rows, index_t cols, index_t stride,
                                  index_t batch_stride) noexcept
      : images_{data, batches, rows, 1, cols, cols, stride, batch_stride} {}  ///< strides count elements
  template <class U, std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  DYADIC_API constexpr batch_view(batch_view<U> o) noexcept : images_{o.images()} {}  ///< adds const

  DYADIC_API constexpr T* data() const noexcept { return images_.data(); }       ///< may be null if there are no elements
  DYADIC_API constexpr index_t batches() const noexcept { return images_.n(); }  ///< number of matrices
  DYADIC_API constexpr index_t rows() const noexcept { return images_.h(); }     ///< rows of one matrix
  DYADIC_API constexpr index_t cols() const noexcept { return images_.c(); }     ///< elements of a row
  /// Returns matrix b. If matrices have no elements, all rows of matrix b begin at data(). Requires: 0 <= b < batches().
  DYADIC_API constexpr matrix_view<T> matrix(index_t b) const noexcept {
    DYADIC_ASSERT(b >= 0 && b < batches());
    if (rows() == 0 || cols() == 0) return {data(), rows(), cols(), 0};
    return {data() + b * images_.image_stride(), rows(), cols(), images_.row_stride()};
  }
  /// Returns the number of elements that data() points to, gaps included, or the negative of the status that `check` returns.
  DYADIC_API constexpr index_t measure() const noexcept { return images_.measure(); }
  /// Returns each matrix as an image whose rows have one pixel.
  DYADIC_API constexpr nhwc_view<T> images() const noexcept { return images_; }

 private:
  nhwc_view<T> images_;
};

/// Views the matrices of a batch_view with rows and columns exchanged: `rows` is the number of stored columns.
template <class T>
class transposed_view {
 public:
  using value_type = T;  ///< const if elements are only read

  DYADIC_API constexpr transposed_view() noexcept = default;                                         ///< no matrices
  DYADIC_API constexpr explicit transposed_view(batch_view<T> stored) noexcept : stored_{stored} {}  ///< copies nothing

  DYADIC_API constexpr index_t batches() const noexcept { return stored_.batches(); }  ///< number of matrices
  DYADIC_API constexpr index_t rows() const noexcept { return stored_.cols(); }        ///< number of stored columns
  DYADIC_API constexpr index_t cols() const noexcept { return stored_.rows(); }        ///< number of stored rows
  DYADIC_API constexpr batch_view<T> stored() const noexcept { return stored_; }       ///< the batch in memory
  DYADIC_API constexpr auto* data() const noexcept { return stored_.data(); }          ///< the first stored element
  /// Returns the number of elements that data() points to, gaps included, or the negative of the status that `check` returns.
  DYADIC_API constexpr index_t measure() const noexcept { return stored_.measure(); }

 private:
  batch_view<T> stored_;
};

/// Returns an operand of a matmul that is stored with the depth first. A left operand is stored as depth x rows. A right operand
/// is stored as depth x columns, as in TOSA.
template <class T>
DYADIC_API constexpr transposed_view<T> transposed(batch_view<T> stored) noexcept {
  return transposed_view<T>{stored};
}

/// Checks the batch as `check` of a matrix does. Returns also `size_overflow` if the rows of all batches cannot be counted.
/// @{
template <class T>
DYADIC_API constexpr status check(batch_view<T> v) noexcept {
  if (const status s = check(v.images()); s != status::ok) return s;
  const bool countable = v.batches() == 0 || v.rows() <= limits<index_t>::max / v.batches();
  return countable ? status::ok : status::size_overflow;
}
template <class T>
DYADIC_API constexpr status check(transposed_view<T> v) noexcept {
  return check(v.stored());
}
/// @}

/// Copies with rows and columns exchanged: to[b][r][c] = from[b][c][r]. Returns the error of a view, `shape_mismatch` or
/// `overlap`, and then writes nothing. The copy saves time if several products share a left operand, or if a left operand has
/// thousands of elements for each of hundreds of columns. `matmul_layer` with `transposed` is as fast in all other cases.
template <class T>
DYADIC_API constexpr status transpose(batch_view<const T> from, batch_view<T> to) noexcept {
  if (const status s = check(from); s != status::ok) return s;
  if (const status s = check(to); s != status::ok) return s;
  if (from.batches() != to.batches() || from.rows() != to.cols() || from.cols() != to.rows()) return status::shape_mismatch;
  if (overlap(from, to)) return status::overlap;
  if (to.cols() == 0) return status::ok;
  for (index_t b = 0; b < to.batches(); ++b)
    for (index_t r = 0; r < to.rows(); ++r)
      for (index_t c = 0; c < to.cols(); ++c) to.matrix(b).row(r)[c] = from.matrix(b).row(c)[r];
  return status::ok;
}

namespace detail {

/// Points to every `step`-th element and reads like a pointer.
template <class T>
class strided_pointer {
 public:
  DYADIC_API constexpr strided_pointer(T* data, index_t at, index_t step) noexcept : data_{data}, at_{at}, step_{step} {}
  DYADIC_API constexpr T& operator[](index_t i) const noexcept { return data_[at_ + i * step_]; }
  DYADIC_API friend constexpr strided_pointer operator+(strided_pointer p, index_t i) noexcept {
    return {p.data_, p.at_ + i * p.step_, p.step_};
  }

 private:
  T* data_;
  index_t at_;
  index_t step_;
};

/// Rows that are stored by columns: element k of row o is at(k)[o]. A row has the weights of an output channel, or activations.
template <class W>
struct depth_major {
  matrix_view<W> stored;
  index_t channels;
  index_t depth;

  DYADIC_API constexpr index_t rows() const noexcept { return channels; }
  DYADIC_API constexpr index_t cols() const noexcept { return depth; }
  DYADIC_API constexpr strided_pointer<W> row(index_t o) const noexcept { return {stored.data(), o, stored.stride()}; }
  DYADIC_API constexpr W* at(index_t k) const noexcept { return stored.row(k); }
};

}  // namespace detail

}  // namespace dyadic

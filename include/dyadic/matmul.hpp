// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The product of two batches of matrices, both known only at run time. Floor 5.

#include <dyadic/bound.hpp>
#include <dyadic/linear.hpp>

namespace dyadic {

/// `batches` matrices of `rows` rows of `cols` elements, each row `stride` and each matrix `batch_stride` elements after the one
/// before.
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
  DYADIC_API constexpr index_t batches() const noexcept { return images_.n(); }  ///< matrices
  DYADIC_API constexpr index_t rows() const noexcept { return images_.h(); }     ///< of one matrix
  DYADIC_API constexpr index_t cols() const noexcept { return images_.c(); }     ///< elements of a row
  /// Matrix b; without elements, all of its rows are where the data begin.
  DYADIC_API constexpr matrix_view<T> matrix(index_t b) const noexcept {
    DYADIC_ASSERT(b >= 0 && b < batches());
    if (rows() == 0 || cols() == 0) return {data(), rows(), cols(), 0};
    return {data() + b * images_.image_stride(), rows(), cols(), images_.row_stride()};
  }
  /// As for a matrix.
  DYADIC_API constexpr status measure(index_t& extent) const noexcept { return images_.measure(extent); }
  /// Each matrix as an image whose rows have one pixel.
  DYADIC_API constexpr nhwc_view<T> images() const noexcept { return images_; }

 private:
  nhwc_view<T> images_;
};

/// The same elements with rows and columns exchanged: `rows` is the number of columns stored.
template <class T>
class transposed_view {
 public:
  using value_type = T;  ///< const if elements are only read

  DYADIC_API constexpr transposed_view() noexcept = default;                                         ///< no matrices
  DYADIC_API constexpr explicit transposed_view(batch_view<T> stored) noexcept : stored_{stored} {}  ///< copies nothing

  DYADIC_API constexpr index_t batches() const noexcept { return stored_.batches(); }  ///< matrices
  DYADIC_API constexpr index_t rows() const noexcept { return stored_.cols(); }        ///< columns that are stored
  DYADIC_API constexpr index_t cols() const noexcept { return stored_.rows(); }        ///< rows that are stored
  DYADIC_API constexpr batch_view<T> stored() const noexcept { return stored_; }       ///< as it lies in memory
  DYADIC_API constexpr auto* data() const noexcept { return stored_.data(); }          ///< the first element that is stored
  /// As for a matrix.
  DYADIC_API constexpr status measure(index_t& extent) const noexcept { return stored_.measure(extent); }

 private:
  batch_view<T> stored_;
};

/// The right operand of a matmul, as TOSA stores it: depth x columns.
template <class T>
DYADIC_API constexpr transposed_view<T> transposed(batch_view<T> stored) noexcept {
  return transposed_view<T>{stored};
}

/// As for a matrix; also `size_overflow` if the rows of all batches cannot be counted.
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

/// to[b][r][c] = from[b][c][r]: for a left operand that is stored as depth x rows, which `matmul_layer` does not take as it lies.
/// Returns what is wrong with a view, `shape_mismatch` or `overlap`, and then writes nothing.
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

/// y[b][m][n] = output(sum_k (left[b][m][k] - zero.x) * (right[b][n][k] - zero.w)): left is batches x rows x depth, right is
/// batches x columns x depth (CMSIS-NN), or what `transposed` makes of batches x depth x columns (TOSA MATMUL), y is batches x
/// rows x columns. An operand of one batch serves all batches of y. The columns are the channels of the output. The accumulator
/// is that of the output.
template <class Output>
struct matmul_layer {
  zero_points zero;  ///< of left and of right
  Output output;     ///< what becomes of each sum
};

template <class Output>
matmul_layer(zero_points, Output) -> matmul_layer<Output>;  ///< of its members

namespace detail {

/// The matrix of an operand that batch b reads.
template <class Operand>
DYADIC_API constexpr index_t batch_of(const Operand& operand, index_t b) noexcept {
  return operand.batches() == 1 ? 0 : b;
}

/// Whether the sizes of a product agree.
template <class Left, class Right, class Y>
DYADIC_API constexpr bool shapes_fit(const Left& left, const Right& right, const Y& y) noexcept {
  const bool batches_fit =
      (left.batches() == y.batches() || left.batches() == 1) && (right.batches() == y.batches() || right.batches() == 1);
  return batches_fit && right.cols() == left.cols() && y.rows() == left.rows() && y.cols() == right.rows();
}

/// Matrix b of the right operand as the weights of a linear layer.
template <class W>
DYADIC_API constexpr matrix_view<const W> weights_of(batch_view<W> right, index_t b) noexcept {
  return right.matrix(b);
}
template <class W>
DYADIC_API constexpr depth_major<const W> weights_of(transposed_view<W> right, index_t b) noexcept {
  return {right.stored().matrix(b), right.rows(), right.cols()};
}

/// The record of a fold of weights that are any values of their type: their bound, no fingerprint.
template <class X, class W>
DYADIC_API constexpr fold_record matmul_record(index_t columns, index_t depth, zero_points zero) noexcept {
  fold_record record = linear_record<X>(columns, depth, zero);
  const accumulator_range products = product_range(values_of<X>(zero.x), values_of<W>(zero.w));
  record.bound = {multiply_saturated(products.lowest, depth), multiply_saturated(products.highest, depth)};
  return record;
}

/// Whether the output takes each sum of `depth` products of any values of X and W. Requires: zero points of their types.
template <class X, class W, class Output>
DYADIC_API constexpr bool takes_products(Output output, zero_points zero, index_t depth) noexcept {
  const accumulator_range products = product_range(values_of<X>(zero.x), values_of<W>(zero.w));
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  return !__builtin_mul_overflow(products.lowest, std::int64_t{depth}, &lowest) && takes(output, lowest) &&
         !__builtin_mul_overflow(products.highest, std::int64_t{depth}, &highest) && takes(output, highest);
}

}  // namespace detail

/// The first thing that is wrong with the layer, or with its use on these operands; `ok` if `run` may be called. Total: reads
/// descriptors and multipliers, never data. `shape_mismatch` also if `scratch` has fewer elements than y has columns.
/// `accumulator_overflow`: some operands of these types would overflow the accumulator. int8 x int8 is safe in int32 to a depth
/// of 2^17 - 1 without zero points, uint8 x uint8 to 33025; int16 x int16 in int48 to 2^17 - 1, and with any zero points to
/// 2^15; int16 x int8 in int32 to 511, in int48 to 2^25 - 1.
template <class Output, class X, class Right>
DYADIC_API constexpr status check(const matmul_layer<Output>& layer, batch_view<X> left, Right right,
                                  batch_view<typename Output::value_type> y,
                                  view<typename Output::accumulator> scratch) noexcept {
  using w = typename Right::value_type;
  static_assert(detail::takes_operands<std::remove_const_t<X>, std::remove_const_t<w>>());
  if (const status s = check(left); s != status::ok) return s;
  if (const status s = check(right); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  if (const status s = check(scratch); s != status::ok) return s;
  if (!detail::shapes_fit(left, right, y) || scratch.size() < y.cols()) return status::shape_mismatch;
  if (!is_operand<X>(layer.zero.x) || !is_operand<w>(layer.zero.w)) return status::zero_point_out_of_range;
  if (const status s = check(layer.output, y.cols()); s != status::ok) return s;
  if (overlap(y, left) || overlap(y, right) || overlap(y, scratch) || overlap(scratch, left) || overlap(scratch, right) ||
      detail::overlaps_multipliers(detail::memory_of(y), layer.output) ||
      detail::overlaps_multipliers(detail::memory_of(scratch), layer.output))
    return status::overlap;
  // The last one: the caller may run all the same.
  return detail::takes_products<X, w>(layer.output, layer.zero, left.cols()) ? status::ok : status::accumulator_overflow;
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::kernel_sums> {
  template <class Weights, class Sum>
  static constexpr void run(const Weights& weights, Sum* sums) noexcept {
    using bits = std::make_unsigned_t<Sum>;
    for (index_t o = 0; o < weights.rows(); ++o) {
      const auto row = weights.row(o);
      bits sum = 0;
      for (index_t k = 0; k < weights.cols(); ++k) sum += static_cast<bits>(row[k]);
      sums[o] = static_cast<Sum>(sum);
    }
  }
};

}  // namespace DYADIC_ISA

namespace detail {
inline namespace DYADIC_ISA {

/// constants[o] = -zero.x * (sum over k of w - zero.w), modulo 2^(bits of Accumulator). Without zero.x no weight is read.
template <class Backend, class Weights, class Accumulator>
constexpr void fold_columns(const Weights& weights, zero_points zero, Accumulator* constants) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  const bool is_zero = zero.x == 0 || weights.cols() == 0;
  if (!is_zero) call<Backend, op::kernel_sums>(weights, constants);
  const bits zeros = static_cast<bits>(weights.cols()) * static_cast<bits>(zero.w);
  for (index_t o = 0; o < weights.rows(); ++o) {
    const bits centred = is_zero ? 0 : static_cast<bits>(constants[o]) - zeros;
    constants[o] = static_cast<Accumulator>(bits{0} - static_cast<bits>(zero.x) * centred);
  }
}

}  // namespace DYADIC_ISA
}  // namespace detail

inline namespace DYADIC_ISA {

/// Computes the rows of y in the range, batches * rows in all, batch after batch. Each matrix is a linear layer whose weights are
/// those of `right`: their constants, -zero.x * (sum over k of right - zero.w), are folded into `scratch` once for each matrix
/// that the range reads. Threads that share the work need a scratch each. Requires: check(layer, left, right, y, scratch) is ok,
/// or `accumulator_overflow`: then the sum wraps modulo 2^(bits of the accumulator); 0 <= rows.begin <= rows.end <= batches *
/// rows. Without a Backend, portable code runs.
template <class Backend = backend::scalar, class Output, class X, class Right>
constexpr void run(const matmul_layer<Output>& layer, batch_view<X> left, Right right, batch_view<typename Output::value_type> y,
                   view<typename Output::accumulator> scratch, row_range rows) noexcept {
  using weight = std::remove_const_t<typename Right::value_type>;
  const index_t columns = y.cols();
  if (columns == 0) return;  // however many rows there are
  DYADIC_ASSERT(detail::shapes_fit(left, right, y) && scratch.size() >= columns);
  DYADIC_ASSERT(0 <= rows.begin && rows.begin <= rows.end && rows.end <= y.batches() * y.rows());
  const fold_record record = detail::matmul_record<X, weight>(columns, left.cols(), layer.zero);
  const folded_bias<typename Output::accumulator> bias{{scratch.data(), columns}, record};
  for (index_t row = rows.begin; row < rows.end;) {
    const index_t b = row / y.rows();
    const index_t first = b * y.rows();
    const index_t end = rows.end - first < y.rows() ? rows.end - first : y.rows();
    const auto weights = detail::weights_of(right, detail::batch_of(right, b));
    if (row == rows.begin || right.batches() > 1) detail::fold_columns<Backend>(weights, layer.zero, scratch.data());
    const linear_layer<weight, Output, std::decay_t<decltype(weights)>> linear{weights, bias, layer.output};
    run<Backend>(linear, left.matrix(detail::batch_of(left, b)), y.matrix(b), {row - first, end});
    row = first + end;
  }
}

/// Computes all rows of y.
template <class Backend = backend::scalar, class Output, class X, class Right>
constexpr void run(const matmul_layer<Output>& layer, batch_view<X> left, Right right, batch_view<typename Output::value_type> y,
                   view<typename Output::accumulator> scratch) noexcept {
  run<Backend>(layer, left, right, y, scratch, {0, y.batches() * y.rows()});
}

}  // namespace DYADIC_ISA

}  // namespace dyadic

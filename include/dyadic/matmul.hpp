// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The product of two batches of matrices that are both known only at run time. Floor 5.

#include <dyadic/bound.hpp>
#include <dyadic/detail/batch_view.hpp>
#include <dyadic/detail/row_tiles.hpp>
#include <dyadic/linear.hpp>

namespace dyadic {

/// Computes y[b][m][n] = output(sum_k (left[b][m][k] - zero.x) * (right[b][n][k] - zero.w)). `left` is batches x rows x depth, or
/// `transposed` of batches x depth x rows. `right` is batches x columns x depth (CMSIS-NN), or `transposed` of batches x depth x
/// columns (TOSA MATMUL). `y` is batches x rows x columns. An operand of one batch is used for all batches of y. The columns are
/// the channels of the output. The accumulator type is the output's.
template <class Output>
struct matmul_layer {
  zero_points zero;  ///< zero points of left and of right
  Output output;     ///< turns each sum into an output
};

template <class Output>
matmul_layer(zero_points, Output) -> matmul_layer<Output>;  ///< deduces the type from the members

namespace detail {

/// Returns the index of the operand's matrix that batch b of y reads.
template <class Operand>
DYADIC_API constexpr index_t batch_of(const Operand& operand, index_t b) noexcept {
  return operand.batches() == 1 ? 0 : b;
}

/// Returns true if the sizes of a product agree.
template <class Left, class Right, class Y>
DYADIC_API constexpr bool shapes_fit(const Left& left, const Right& right, const Y& y) noexcept {
  const bool batches_fit =
      (left.batches() == y.batches() || left.batches() == 1) && (right.batches() == y.batches() || right.batches() == 1);
  return batches_fit && right.cols() == left.cols() && y.rows() == left.rows() && y.cols() == right.rows();
}

/// Returns the operand's matrix that batch b of y reads, as the activations or the weights of a linear layer.
/// @{
template <class T>
DYADIC_API constexpr matrix_view<const T> matrix_of(const batch_view<T>& operand, index_t b) noexcept {
  return operand.matrix(batch_of(operand, b));
}
template <class T>
DYADIC_API constexpr depth_major<const T> matrix_of(const transposed_view<T>& operand, index_t b) noexcept {
  return {operand.stored().matrix(batch_of(operand, b)), operand.rows(), operand.cols()};
}
/// @}

/// True if the operands are left, right, y, scratch and optionally rows.
/// @{
template <class T>
std::true_type batch_type(const batch_view<T>*);
template <class T>
std::true_type batch_type(const transposed_view<T>*);
std::false_type batch_type(const void*);
template <class T>
inline constexpr bool is_batch = decltype(batch_type(static_cast<std::remove_reference_t<T>*>(nullptr)))::value;
template <class Left, class Right>
using if_batches = std::enable_if_t<is_batch<Left> && is_batch<Right>, int>;

template <class Output, class... Operands>
inline constexpr bool are_operands = false;
template <class Output, class Left, class Right, class Y, class Scratch, class... Rows>
inline constexpr bool are_operands<Output, Left, Right, Y, Scratch, Rows...> =
    is_batch<Left>&& is_batch<Right>&& std::is_convertible_v<Y, batch_view<typename Output::value_type>>&&
        std::is_convertible_v<Scratch, view<typename Output::accumulator>>;
/// @}

/// Ends the compilation with a message unless `are_operands` is true.
template <class Output, class... Operands>
DYADIC_API constexpr void explain_operands() noexcept {
  static_assert(are_operands<Output, Operands...>,
                "a product takes left or transposed(left), right or transposed(right), and y as batch_views, and scratch with an "
                "accumulator for each column of y");
}

/// Returns the first error of the views.
template <class... Views>
DYADIC_API constexpr status check_views(const Views&... views) noexcept {
  status first = status::ok;
  static_cast<void>((((first = check(views)) == status::ok) && ...));
  return first;
}

/// Returns the first error of shapes, zero points or the output. Requires: sound views.
template <class Output, class Left, class Right, class Y>
DYADIC_API constexpr status check_product(const matmul_layer<Output>& layer, const Left& left, const Right& right,
                                          const Y& y) noexcept {
  using x = std::remove_const_t<typename Left::value_type>;
  using w = std::remove_const_t<typename Right::value_type>;
  static_cast<void>(takes_operands<x, w>());
  if (!shapes_fit(left, right, y)) return status::shape_mismatch;
  if (!is_operand<x>(layer.zero.x) || !is_operand<w>(layer.zero.w)) return status::zero_point_out_of_range;
  return check(layer.output, y.cols());
}

/// Returns `overlap` if y or scratch shares memory with an operand, with the output's arrays, or with each other.
template <class Output, class Left, class Right, class Y, class Scratch>
DYADIC_API constexpr status check_overlap(const Output& output, const Left& left, const Right& right, const Y& y,
                                          const Scratch& scratch) noexcept {
  const bool shared =
      overlap(y, left) || overlap(y, right) || overlap(y, scratch) || overlap(scratch, left) || overlap(scratch, right);
  return shared || overlaps_arrays(memory_of(y), output) || overlaps_arrays(memory_of(scratch), output) ? status::overlap
                                                                                                        : status::ok;
}

/// Returns `accumulator_overflow` if the output does not take the sum of products of some values. `check` tests this last. The
/// caller may still run. Requires: zero points of their types.
template <class Output, class Left, class Right>
DYADIC_API constexpr status check_products(const matmul_layer<Output>& layer, const Left& left, const Right&) noexcept {
  using x = std::remove_const_t<typename Left::value_type>;
  using w = std::remove_const_t<typename Right::value_type>;
  const accumulator_range products = product_range(values_of<x>(layer.zero.x), values_of<w>(layer.zero.w));
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  const bool fits =
      !DYADIC_MULTIPLY_OVERFLOWS(products.lowest, std::int64_t{left.cols()}, &lowest) && takes(layer.output, lowest) &&
      !DYADIC_MULTIPLY_OVERFLOWS(products.highest, std::int64_t{left.cols()}, &highest) && takes(layer.output, highest);
  return fits ? status::ok : status::accumulator_overflow;
}

}  // namespace detail

/// The halves of `check`. `check_shapes` returns the errors that are known before there is memory: all but `null_data`,
/// `misaligned_data`, `overlap` and the errors of the scratch. `check_memory` returns the errors of the views, `shape_mismatch`
/// of the scratch, and `overlap`. It takes the same time for every layer.
/// @{
template <class Output, class Left, class Right, detail::if_batches<Left, Right> = 0>
DYADIC_API constexpr status check_shapes(const matmul_layer<Output>& layer, Left left, Right right,
                                         batch_view<typename Output::value_type> y) noexcept {
  if (const status s = detail::check_shape(left); s != status::ok) return s;
  if (const status s = detail::check_shape(right); s != status::ok) return s;
  if (const status s = detail::check_shape(y); s != status::ok) return s;
  if (const status s = detail::check_product(layer, left, right, y); s != status::ok) return s;
  return detail::check_products(layer, left, right);
}
template <class Output, class Left, class Right, detail::if_batches<Left, Right> = 0>
DYADIC_API constexpr status check_memory(const matmul_layer<Output>& layer, Left left, Right right,
                                         batch_view<typename Output::value_type> y,
                                         view<typename Output::accumulator> scratch) noexcept {
  if (const status s = detail::check_views(left, right, y, scratch); s != status::ok) return s;
  if (scratch.size() < y.cols()) return status::shape_mismatch;
  if (const status s = detail::check_arrays(layer.output); s != status::ok) return s;
  return detail::check_overlap(layer.output, left, right, y, scratch);
}
/// @}

/// Returns the first error of the layer, or of its use on these operands. Returns `ok` if `run` may be called. Total: reads
/// descriptors and multipliers, never data. Returns `shape_mismatch` also if `scratch` has fewer elements than y has columns.
/// Returns `accumulator_overflow` if some operands of the same types would overflow the accumulator. The greatest depths that are
/// safe, without zero points:
/// - int8 x int8 in int32: 2^17 - 1
/// - uint8 x uint8 in int32: 33025
/// - int16 x int16 in int48: 2^17 - 1, and with any zero points 2^15
/// - int16 x int8 in int32: 511, in int48: 2^25 - 1
template <class Output, class Left, class Right, detail::if_batches<Left, Right> = 0>
DYADIC_API constexpr status check(const matmul_layer<Output>& layer, Left left, Right right,
                                  batch_view<typename Output::value_type> y,
                                  view<typename Output::accumulator> scratch) noexcept {
  if (const status s = detail::check_views(left, right, y, scratch); s != status::ok) return s;
  if (scratch.size() < y.cols()) return status::shape_mismatch;
  if (const status s = detail::check_product(layer, left, right, y); s != status::ok) return s;
  if (const status s = detail::check_overlap(layer.output, left, right, y, scratch); s != status::ok) return s;
  return detail::check_products(layer, left, right);
}

/// Ends the compilation with a message that names the wrong operand.
template <class Output, class... Operands, std::enable_if_t<!detail::are_operands<Output, Operands...>, int> = 0>
DYADIC_API constexpr status check(const matmul_layer<Output>&, Operands&&...) noexcept {
  detail::explain_operands<Output, Operands...>();
  return status::shape_mismatch;
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::row_sums> {
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

/// Computes constants[o] = -zero.x * (sum over k of w - zero.w), modulo 2^(bits of Accumulator). Reads no weight if zero.x = 0.
template <class Backend, class Weights, class Accumulator>
constexpr void fold_columns(const Weights& weights, zero_points zero, Accumulator* constants) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  const bool is_zero = zero.x == 0 || weights.cols() == 0;
  if (!is_zero) call<Backend, op::row_sums>(weights, constants);
  const bits zeros = static_cast<bits>(weights.cols()) * static_cast<bits>(zero.w);
  for (index_t o = 0; o < weights.rows(); ++o) {
    const bits centred = is_zero ? 0 : static_cast<bits>(constants[o]) - zeros;
    constants[o] = static_cast<Accumulator>(bits{0} - static_cast<bits>(zero.x) * centred);
  }
}

}  // namespace DYADIC_ISA
}  // namespace detail

inline namespace DYADIC_ISA {

/// Computes y, or the rows of y that the options name: batches * rows in all, batch after batch. Each matrix is a linear layer
/// whose weights are those of `right`. Its constants are -zero.x * (sum over k of right - zero.w). `run` folds the constants into
/// `scratch` once for each matrix that the range reads. Threads that share the work need a scratch each. Requires: check(layer,
/// left, right, y, scratch) is ok or `accumulator_overflow`, and the rows are within y. If it is `accumulator_overflow`, sums
/// wrap modulo 2^(bits of the accumulator). Portable code runs unless the caller names a backend. Rows of a transposed left
/// operand are copied to the stack.
template <class Backend = void, class Output, class Left, class Right, detail::if_batches<Left, Right> = 0>
constexpr void run(const matmul_layer<Output>& layer, Left left, Right right, batch_view<typename Output::value_type> y,
                   view<typename Output::accumulator> scratch, const run_options& options) noexcept {
  const row_range rows = detail::within(options.rows, y.batches() * y.rows());
  using activation = std::remove_const_t<typename Left::value_type>;
  using weight = std::remove_const_t<typename Right::value_type>;
  using chosen = std::conditional_t<detail::takes_backend<Backend>(), detail::backend_or<Backend>, backend::scalar>;
  const index_t columns = y.cols();
  if (columns == 0) return;  // there are no outputs, whatever the number of rows
  DYADIC_ASSERT(detail::shapes_fit(left, right, y) && scratch.size() >= columns);
  DYADIC_ASSERT(0 <= rows.begin && rows.begin <= rows.end && rows.end <= y.batches() * y.rows());
  const fold_record record = detail::any_weights_record<activation, weight>(columns, left.cols(), layer.zero);
  const folded_bias<typename Output::accumulator> bias{{scratch.data(), columns}, record};
  for (index_t row = rows.begin; row < rows.end;) {
    const index_t b = row / y.rows();
    const index_t first = b * y.rows();
    const index_t end = rows.end - first < y.rows() ? rows.end - first : y.rows();
    const auto weights = detail::matrix_of(right, b);
    if (row == rows.begin || right.batches() > 1) detail::fold_columns<chosen>(weights, layer.zero, scratch.data());
    const linear_layer<weight, Output, std::decay_t<decltype(weights)>> linear{weights, bias, layer.output};
    detail::run_rows<chosen>(linear, detail::matrix_of(left, b), y.matrix(b), {{row - first, end}, options.workspace});
    row = first + end;
  }
}

/// Computes all rows of y.
template <class Backend = void, class Output, class Left, class Right, detail::if_batches<Left, Right> = 0>
constexpr void run(const matmul_layer<Output>& layer, Left left, Right right, batch_view<typename Output::value_type> y,
                   view<typename Output::accumulator> scratch) noexcept {
  run<Backend>(layer, left, right, y, scratch, run_options{});
}

/// Ends the compilation with a message that names the wrong operand.
template <class Backend = void, class Output, class... Operands,
          std::enable_if_t<!detail::are_operands<Output, Operands...>, int> = 0>
constexpr void run(const matmul_layer<Output>&, Operands&&...) noexcept {
  detail::explain_operands<Output, Operands...>();
}

}  // namespace DYADIC_ISA

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts integers from one scale to another, element by element. Runs TOSA's RESCALE on whole tensors. Floor 5.

#include <dyadic/detail/elements.hpp>
#include <dyadic/detail/fold_record.hpp>
#include <dyadic/detail/rows.hpp>
#include <dyadic/scheme/tosa_rescale.hpp>

namespace dyadic {

/// Computes y[r][c] = output(x[r][c] - x_zero_point, c). The columns, the innermost axis, are the channels of the output.
/// Elements of x are int8, uint8, int16, uint16, int32, packed_int48 or int64. Elements of y have the output's type. `check`
/// returns `accumulator_overflow` if some value of x's type, less the zero point, exceeds the scheme's accumulator. Examples are
/// int32 with a zero point in 32 bits, and int64 in 48 bits. `run` then wraps modulo 2^(bits of the accumulator's type).
template <class Output>
struct rescale_layer {
  std::int32_t x_zero_point;  ///< subtracted from x
  Output output;              ///< turns the difference into an output
};

template <class Output>
rescale_layer(std::int32_t, Output) -> rescale_layer<Output>;  ///< deduces the type from the members

namespace detail {

/// is_rescaled is true for types of elements. value_of_element returns the value of an element, range_of_element the values of a
/// type.
/// @{
template <class X>
inline constexpr bool is_rescaled = std::is_same_v<X, packed_int48> ||
                                    (std::is_integral_v<X> && (std::is_signed_v<X> || sizeof(X) <= 2));

template <class X>
DYADIC_API constexpr std::int64_t value_of_element(X x) noexcept {
  static_assert(is_rescaled<X>);
  return x;
}
DYADIC_API constexpr std::int64_t value_of_element(packed_int48 x) noexcept { return x.unpack().value(); }

template <class X>
DYADIC_API constexpr accumulator_range range_of_element() noexcept {
  if constexpr (std::is_same_v<X, packed_int48>)
    return {(int48::min)(), (int48::max)()};
  else
    return {value_of_element(limits<X>::min), value_of_element(limits<X>::max)};
}
/// @}

template <class Output>
struct operation_of<rescale_layer<Output>> {
  using type = op::rescale;
  using backend = backend::scalar;
  using joins_pixels = std::false_type;
  template <class X>
  static constexpr bool takes = is_rescaled<X>;
};

template <class Output, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<rescale_layer<Output>>, const rescale_layer<Output>& layer,
                                        const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  if (!have_same_shape(x, y)) return status::shape_mismatch;
  const accumulator_range values = range_of_element<std::remove_const_t<X>>();
  if (layer.x_zero_point < values.lowest || layer.x_zero_point > values.highest) return status::zero_point_out_of_range;
  if (const status s = check(layer.output, x.cols()); s != status::ok) return s;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  const bool wraps = DYADIC_SUBTRACT_OVERFLOWS(values.lowest, std::int64_t{layer.x_zero_point}, &lowest) ||
                     DYADIC_SUBTRACT_OVERFLOWS(values.highest, std::int64_t{layer.x_zero_point}, &highest);
  return !wraps && takes(layer.output, lowest) && takes(layer.output, highest) ? status::ok : status::accumulator_overflow;
}
template <class Output, class Y>
DYADIC_API constexpr bool overlaps_parts(operation_of<rescale_layer<Output>>, const rescale_layer<Output>& layer,
                                         const Y& y) noexcept {
  return overlaps_arrays(memory_of(y), layer.output);
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::rescale> {
  template <class Output, class X, class Y>
  static constexpr void run(const rescale_layer<Output>& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            const row_range& rows) noexcept {
    using accumulator = typename Output::accumulator;
    using bits = std::make_unsigned_t<accumulator>;
    const bits zero_point = static_cast<bits>(layer.x_zero_point);
    // Captures the output by value, so that no store to y can change what it holds.
    detail::convert_rows(x, y, rows, [output = layer.output, zero_point](X value, index_t c) {
      return output(static_cast<accumulator>(static_cast<bits>(detail::value_of_element(value)) - zero_point), c);
    });
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic

namespace dyadic::tosa {

/// RESCALE of a tensor. The columns of a matrix are the channels, the innermost axis of the tensor. Multipliers and shifts are
/// arrays of any signed integers: one element, or one for each channel. The C++ types of x and y must have the widths of the
/// attributes. The attributes say whether elements are read as signed or unsigned. i48 is packed_int48 or a 64-bit integer.
template <class Multiplier, class Shift>
struct rescale_tensor {
  static_assert(std::is_signed_v<Multiplier> && std::is_signed_v<Shift>);

  rescale_attributes attributes;       ///< attributes of the operator
  view<const Multiplier> multipliers;  ///< multipliers of 31 bits if the attribute `scale32` is true, else of 15 bits
  view<const Shift> shifts;            ///< shifts to the right, one for each multiplier
  bool per_channel = false;            ///< one multiplier for each channel, else one for all
  index_t rank = 2;                    ///< rank of the tensor: 0 is one element, 1 is one row
};

namespace detail {

/// Returns true if T stores elements of this width.
template <class T>
DYADIC_API constexpr bool stores(element e) noexcept {
  if constexpr (std::is_same_v<std::remove_const_t<T>, packed_int48>)
    return e == element::i48;
  else
    return (e == element::i48 ? 64 : bits(e)) == limits<std::make_unsigned_t<T>>::digits;
}

/// Returns the value of a stored element, which is read as signed or unsigned.
template <class X>
DYADIC_API constexpr std::int64_t read(X x, bool is_unsigned) noexcept {
  if constexpr (std::is_same_v<X, packed_int48>)
    return x.unpack().value();
  else if constexpr (sizeof(X) == 8)
    return static_cast<std::int64_t>(x);
  else
    return is_unsigned ? std::int64_t{static_cast<std::make_unsigned_t<X>>(x)}
                       : std::int64_t{static_cast<std::make_signed_t<X>>(x)};
}

/// Computes `rescale` of one element of channel c. INEXACT_ROUND gives the reference model's value.
template <class Multiplier, class Shift>
DYADIC_API constexpr result<std::int64_t> rescale_element(const rescale_tensor<Multiplier, Shift>& op, std::int64_t value,
                                                          index_t c) noexcept {
  const index_t i = op.per_channel ? c : 0;
  const std::int64_t mantissa = op.multipliers[i];
  const std::int64_t right_shift = op.shifts[i];
  if (!fits<std::int32_t>(mantissa) || !fits<std::int32_t>(right_shift)) return {0, status::unpredictable};
  const multiplier32 m{static_cast<std::int32_t>(mantissa), static_cast<std::int32_t>(right_shift)};
  if (op.attributes.rounding != rounding_mode::inexact_round) return rescale(op.attributes, value, m);
  const result<inexact> y = rescale_inexact(op.attributes, value, m);
  return {y.value.reference, y.status};
}

}  // namespace detail

/// Returns the first error of the operator, or of its use on x and y. Returns `ok` if `run` may be called. Total: reads
/// descriptors only. Returns `illegal_operator` for each ERROR_IF:
/// - attributes that TOSA does not allow;
/// - x or y of another width than the attributes say;
/// - a tensor that does not have its rank, and per_channel at rank 0;
/// - arrays without one element, or with per_channel without one element for each channel.
template <class Multiplier, class Shift, class X, class Y>
DYADIC_API constexpr status check(const rescale_tensor<Multiplier, Shift>& op, matrix_view<X> x, matrix_view<Y> y) noexcept {
  if (const status s = dyadic::check(op.multipliers); s != status::ok) return s;
  if (const status s = dyadic::check(op.shifts); s != status::ok) return s;
  if (const status s = dyadic::check(x); s != status::ok) return s;
  if (const status s = dyadic::check(y); s != status::ok) return s;
  if (!dyadic::detail::have_same_shape(x, y)) return status::shape_mismatch;
  if (const status s = check(op.attributes); s != status::ok) return s;
  const bool rank_holds = op.rank >= 2 || (x.rows() == 1 && (op.rank == 1 || (op.rank == 0 && x.cols() == 1)));
  const index_t length = op.per_channel ? x.cols() : 1;
  if (!detail::stores<X>(op.attributes.input) || !detail::stores<Y>(op.attributes.output) || !rank_holds ||
      (op.per_channel && op.rank == 0) || op.multipliers.size() != length || op.shifts.size() != length)
    return status::illegal_operator;
  return overlap(y, x) || overlap(y, op.multipliers) || overlap(y, op.shifts) ? status::overlap : status::ok;
}

/// Reads x. Returns `unpredictable` if a REQUIRE of the specification fails for some element. Requires: check(op, x, y) is ok.
template <class Multiplier, class Shift, class X>
DYADIC_API constexpr status verify(const rescale_tensor<Multiplier, Shift>& op, matrix_view<X> x) noexcept {
  if (x.cols() == 0) return status::ok;
  DYADIC_ASSERT(dyadic::check(x) == status::ok && dyadic::check(op.multipliers) == status::ok);
  for (index_t r = 0; r < x.rows(); ++r)
    for (index_t c = 0; c < x.cols(); ++c) {
      const std::int64_t value = detail::read<std::remove_const_t<X>>(x.row(r)[c], op.attributes.input_unsigned);
      if (const status s = detail::rescale_element(op, value, c).status; s != status::ok) return s;
    }
  return status::ok;
}

/// Computes y, or the rows of y that the options name, for all channels. Writes 0 where the result is unpredictable. Requires:
/// check(op, x, y) is ok, and the rows are within y. Uses no workspace.
template <class Multiplier, class Shift, class X, class Y>
DYADIC_API constexpr void run(const rescale_tensor<Multiplier, Shift>& op, matrix_view<X> x, matrix_view<Y> y,
                              const run_options& options = {}) noexcept {
  const row_range rows = dyadic::detail::within(options.rows, x.rows());
  DYADIC_ASSERT(dyadic::detail::have_same_shape(x, y) && 0 <= rows.begin && rows.begin <= rows.end && rows.end <= x.rows());
  dyadic::detail::convert_rows(x, y, rows, [&](std::remove_const_t<X> stored, index_t c) {
    return wrap<Y>(detail::rescale_element(op, detail::read(stored, op.attributes.input_unsigned), c).value);
  });
}

/// Computes y in the strict mode: only if `check` and `verify` return `ok`. Else it returns their first error and writes nothing.
template <class Multiplier, class Shift, class X, class Y>
DYADIC_API constexpr status rescale(const rescale_tensor<Multiplier, Shift>& op, matrix_view<X> x, matrix_view<Y> y) noexcept {
  if (const status s = check(op, x, y); s != status::ok) return s;
  if (const status s = verify(op, x); s != status::ok) return s;
  run(op, x, y);
  return status::ok;
}

}  // namespace dyadic::tosa

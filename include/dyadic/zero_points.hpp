// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Zero points of activations for each row, and of weights for each output channel. Floor 3.
/// The zero points of a fold are of a whole tensor. A linear layer that is folded with zero points 0 computes raw sums on any
/// backend. Portable code then subtracts the other zero points.

#include <dyadic/kernel_sums.hpp>

namespace dyadic {

namespace detail {

/// Returns zero point i, or the only zero point.
template <class Zero>
DYADIC_API constexpr std::int64_t zero_point_of(view<Zero> zeros, index_t i) noexcept {
  return zeros[zeros.size() == 1 ? 0 : i];
}

/// Checks that there is one zero point, or `count`, and that each is a value of type T. Widens `centred` to the values of T less
/// each zero point.
template <class T, class Zero>
DYADIC_API constexpr status check_zero_points(view<Zero> zeros, index_t count, value_range& centred) noexcept {
  if (const status s = check(zeros); s != status::ok) return s;
  if (zeros.size() != 1 && zeros.size() != count) return status::shape_mismatch;
  for (const Zero& zero : zeros) {
    if (!is_operand<T>(zero)) return status::zero_point_out_of_range;
    const value_range one = values_of<T>(zero);
    centred = {one.min < centred.min ? one.min : centred.min, one.max > centred.max ? one.max : centred.max};
  }
  return status::ok;
}

}  // namespace detail

/// Subtracts zero points from the raw sums of a linear layer, in place:
///
///     y[r][o] -= x_zeros[r] * (kernel_sums[o] - depth * w_zeros[o]) + w_zeros[o] * sum over k of x[r][k]
///
/// y then holds bias[o] + sum over k of (x[r][k] - x_zeros[r]) * (w[o][k] - w_zeros[o]), modulo 2^(bits of Accumulator). The
/// layer ran with a `raw_output` and with `folded`, the fold of weights of type W whose zero points are 0. `x_zeros` has a zero
/// point for each row, as dynamic quantization has, or one for all rows. `w_zeros` has a zero point for each output channel, or
/// one. Both are arrays or containers of int32. `kernel_sums` are those of the weights. Returns a status, and writes nothing, if
/// - a view is unsound, a size differs, or y overlaps an input;
/// - the fold is of another type of activations, or is not of a linear layer with zero points 0 (`fold_of_other_shape`);
/// - a zero point is not a value of its type, or a sum cannot be a sum of the fold's weights (`value_out_of_range`);
/// - some activations and weights of these types take an accumulator out of its type (`accumulator_overflow`), if the magnitude
///   of a bias is at most bias_bound.
template <class W, class Accumulator, class X, class Sums, class XZeros, class WZeros>
DYADIC_API constexpr status subtract_zero_points(const folded_bias<Accumulator>& folded, const matrix_view<X>& x,
                                                 const Sums& kernel_sums, const XZeros& x_zeros, const WZeros& w_zeros,
                                                 const matrix_view<Accumulator>& y, std::int64_t bias_bound = 0) noexcept {
  using bits = std::make_unsigned_t<Accumulator>;
  using element = std::remove_const_t<X>;
  const auto sums = detail::view_of_integers<4, 8>(kernel_sums);
  const auto of_rows = detail::view_of_integers<4>(x_zeros);
  const auto of_channels = detail::view_of_integers<4>(w_zeros);
  const fold_record& r = folded.record;
  value_range x_values{}, w_values{};
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  if (const status s = check(sums); s != status::ok) return s;
  if (x.cols() != r.depth || x.rows() != y.rows() || y.cols() != r.channels || sums.size() != r.channels)
    return status::shape_mismatch;
  if (r.x_min != operand<element>::min || r.x_max != operand<element>::max) return status::fold_of_other_type;
  if (r.taps_y != 1 || r.taps_x != 1 || r.zero != zero_points{}) return status::fold_of_other_shape;
  if (const status s = detail::check_zero_points<element>(of_rows, x.rows(), x_values); s != status::ok) return s;
  if (const status s = detail::check_zero_points<W>(of_channels, r.channels, w_values); s != status::ok) return s;
  if (overlap(y, x) || overlap(y, sums) || overlap(y, of_rows) || overlap(y, of_channels)) return status::overlap;
  if (detail::products_of(r) < 0 || !detail::are_sums(sums, r, r.depth)) return status::value_out_of_range;
  if (bias_bound < 0 || r.depth > max_depth(x_values, w_values, limits<bits>::digits, bias_bound))
    return status::accumulator_overflow;
  for (index_t row = 0; row < y.rows(); ++row) {
    const auto row_sum = static_cast<bits>(x.cols() == 0 ? 0 : sum<Accumulator>(x.row(row), x.cols()));
    const auto x_zero = static_cast<bits>(detail::zero_point_of(of_rows, row));
    for (index_t o = 0; o < y.cols(); ++o) {
      const auto w_zero = static_cast<bits>(detail::zero_point_of(of_channels, o));
      const bits centred = static_cast<bits>(sums[o]) - static_cast<bits>(r.depth) * w_zero;
      Accumulator& to = y.row(row)[o];
      to = static_cast<Accumulator>(static_cast<bits>(to) - x_zero * centred - w_zero * row_sum);
    }
  }
  return status::ok;
}

}  // namespace dyadic

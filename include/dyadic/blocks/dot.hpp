// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Exact dot products of rows of codes with scales, rounded once. Floor 2.
///
///   const q::one_scale_row<q::integer_codes<std::int8_t>> x{{activations, zero_point}, scale};
///   const q::block_scaled_row<q::nibble_codes<q::nibble_code::offset8>, q::bfloat16> w{{bytes, depth}, scales, 32};
///   const q::result<q::exact_sum> y = q::exact::dot(x, w, {bias});
///   y.value.rounded<q::binary32>();  // or bfloat16, binary16, or y.value.quotient<q::half_even>(y_scale, -128, 127)
///
/// The result does not depend on an order, a tile, or a machine. The orders of publishers in ggml_dot.hpp and engine_dot.hpp take
/// the same rows.

#include <dyadic/blocks/width.hpp>
#include <dyadic/scheme/formula.hpp>

namespace dyadic {

/// Turns a sum into an output: y = clamp(sum + bias, min, max). An infinite bound does not clamp.
struct epilogue {
  static constexpr binary32 infinity = binary32::from_bits(0x7F80'0000u);  ///< no bound

  binary32 bias;                    ///< added to the sum
  binary32 min = negate(infinity);  ///< the least output
  binary32 max = infinity;          ///< the greatest output

  /// Returns `value_out_of_range` for a bias that is not finite, a bound that is NaN, and an infinite bound of the wrong sign.
  /// Returns `empty_range` if min > max.
  DYADIC_API friend constexpr status check(const epilogue& e) noexcept {
    const bool are_bounds = less(e.min, infinity) && less(negate(infinity), e.max);
    if (!is_finite(e.bias) || !are_bounds) return status::value_out_of_range;
    return less(e.max, e.min) ? status::empty_range : status::ok;
  }
};

namespace detail {

/// Returns the sum of x.integer(k) * y.integer(k) for i <= k < end. Requires: it fits int64.
template <class X, class Y>
DYADIC_API constexpr std::int64_t integer_dot(const X& x, const Y& y, index_t i, index_t end) noexcept {
  std::int64_t sum = 0;
  for (; i < end; ++i) sum += x.integer(i) * y.integer(i);
  return sum;
}

/// Adds x_i * y_i for all i to a sum of terms.
template <class Sum, class X, class Y>
DYADIC_API constexpr void accumulate(Sum& sum, const X& x, const Y& y) noexcept {
  constexpr std::int64_t most = limits<std::int64_t>::max / X::largest / Y::largest;  // 0 if one product does not fit int64
  constexpr std::int64_t longest = most == 0 ? 1 : most;
  index_t end = 0;
  for (index_t i = 0; i < x.size(); i = end) {
    const index_t in_x = next_block(x, i), in_y = next_block(y, i);
    end = in_x < in_y ? in_x : in_y;
    if (std::int64_t{end - i} > longest) end = i + static_cast<index_t>(longest);
    const odd_multiple a = odd_multiple_of(x.scale(i)), b = odd_multiple_of(y.scale(i));
    const std::int64_t scale = a.value * b.value;
    const int exponent = a.exponent + b.exponent + X::unit + Y::unit;
    if (scale == 0) continue;
    if constexpr (most == 0) {  // E5M2 x E5M2: x = high * 2^16 + low
      sum.add((x.integer(i) >> 16) * y.integer(i), scale, exponent + 16);
      sum.add((x.integer(i) & 0xFFFF) * y.integer(i), scale, exponent);
    } else {
      sum.add(integer_dot(x, y, i, end), scale, exponent);
    }
  }
}

/// Adds a dot product to an exact sum by an accumulator that holds its range. Requires: `range_of_dot` returns `ok`.
template <class X, class Y>
DYADIC_API constexpr void add_dot(exact_sum& to, const X& x, const Y& y, int least, sum_width width) noexcept {
  sum_of_64_bits narrow{least};
  sum_of_128_bits medium{least};
  sum_of_all_bits all{to};
  if (width == sum_width::int64) {
    accumulate(narrow, x, y);
    all.add(narrow.value(), least);
  } else if (width == sum_width::int128) {
    accumulate(medium, x, y);
    all.add(medium.value(), least);
  } else {
    accumulate(all, x, y);
  }
}

}  // namespace detail

namespace exact {

/// Returns the range of the dot product of two rows, whatever their codes are. Returns the error of a row, `shape_mismatch` for
/// rows of different sizes, or `scale_not_finite` for a scale that is infinite or NaN.
template <class X, class Y>
DYADIC_API constexpr result<sum_range> range_of_dot(const X& x, const Y& y) noexcept {
  if (const status s = dyadic::detail::check_each(x, y); s != status::ok) return {{}, s};
  if (x.size() != y.size()) return {{}, status::shape_mismatch};
  const result<scale_range> of_x = scale_range_of(x), of_y = scale_range_of(y);
  const sum_range range = sum_range_of<X, Y>(x.size(), of_x.value, of_y.value);
  return {range, of_x.status == status::ok ? of_y.status : of_x.status};
}

/// Adds a dot product by the narrowest accumulator. Returns the status of `range_of_dot`.
template <class X, class Y>
DYADIC_API constexpr status add_dot(exact_sum& to, const X& x, const Y& y) noexcept {
  const result<sum_range> range = range_of_dot(x, y);
  if (range.status == status::ok) dyadic::detail::add_dot(to, x, y, range.value.least, width_of(range.value));
  return range.status;
}

/// Returns clamp(sum + bias, min, max), exact. Requires: check(e) is `ok`.
DYADIC_API constexpr exact_sum finish(exact_sum sum, const epilogue& e) noexcept {
  sum.add(e.bias);
  const auto is_below = [&](binary32 bound) {
    exact_sum rest = sum;
    rest.add(negate(bound));
    return rest.is_negative();
  };
  exact_sum bound;
  if (is_finite(e.min) && is_below(e.min))
    bound.add(e.min);
  else if (is_finite(e.max) && !is_below(e.max))
    bound.add(e.max);
  else
    return sum;
  return bound;
}

/// Returns clamp(sum over i of x_i * y_i + bias, min, max), exact: all rows fit an exact_sum. Returns the errors of
/// `range_of_dot` and of the epilogue. For NVFP4 with scales of tensors, call dot(x, y), then multiply_by for each, then
/// `finish`.
template <class X, class Y>
DYADIC_API constexpr result<exact_sum> dot(const X& x, const Y& y, const epilogue& e = {}) noexcept {
  exact_sum sum;
  if (const status s = check(e); s != status::ok) return {sum, s};
  const status s = add_dot(sum, x, y);
  return {finish(sum, e), s};
}

}  // namespace exact

}  // namespace dyadic

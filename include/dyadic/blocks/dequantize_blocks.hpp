// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The numbers of a matrix of codes with scales, each rounded once. Floor 2.
///
///   q::exact::dequantize_blocks(q::ggml::matrix<q::ggml::q8_0>{bytes}, q::matrix_view<float>(y, rows, depth));
///
/// An engine that multiplies a code by one scale in binary32 gets the same numbers, except for -0. An engine that multiplies by
/// two scales rounds twice.

#include <dyadic/blocks/matrices.hpp>

namespace dyadic {
namespace detail {

/// Returns v * 2^exponent * s rounded once to Float, half even. Zero is +0. Requires: |v| < 2^57, and s is finite.
template <class Float>
DYADIC_API constexpr Float dequantized(std::int64_t v, int exponent, binary32 s) noexcept {
  constexpr int low = 24;
  const odd_multiple scale = odd_multiple_of(s);
  const auto size = [](std::int64_t x) { return static_cast<std::uint64_t>(x < 0 ? -x : x); };
  const unsigned_wide p = multiply(size(v), size(scale.value));  // below 2^81
  fraction y{(v < 0) != (scale.value < 0), p.low, exponent + scale.exponent};
  if (p.high != 0) y = {y.negative, p.high << (64 - low) | p.low >> low, y.exponent + low};
  const auto rounded = compose<Float>(y, p.high != 0 && p.low << (64 - low) != 0);
  return is_zero(rounded) ? Float::from_bits(0) : rounded;
}

}  // namespace detail

namespace exact {

/// y[r][i] = code i of row r * its scale * `scale`, rounded once, half even. Zero is +0. y is float, bfloat16 or binary16.
/// `scale` is that of a tensor, as NVFP4 has. Returns the first error of x, y or a row of x, or `shape_mismatch`,
/// `scale_not_finite`, `overlap`. Writes nothing on an error.
template <class X, class Y>
DYADIC_API constexpr status dequantize_blocks(const X& x, const matrix_view<Y>& y, binary32 scale = binary32{1.0f}) noexcept {
  if (const status s = dyadic::detail::check_each(x, y); s != status::ok) return s;
  if (y.rows() != x.rows() || (x.rows() > 0 && y.cols() != x.depth())) return status::shape_mismatch;
  if (!is_finite(scale)) return status::scale_not_finite;
  if (overlap(x, y)) return status::overlap;
  if (const status s = dyadic::detail::check_rows(x); s != status::ok) return s;
  for (index_t r = 0; y.cols() > 0 && r < x.rows(); ++r) {
    const auto row = x.row(r);
    for (index_t first = 0; first < row.size();) {
      const dyadic::detail::odd_multiple of_block = dyadic::detail::odd_multiple_of(row.scale(first));
      const index_t end = dyadic::detail::next_block(row, first);
      for (index_t i = first; i < end; ++i) {
        const std::int64_t v = row.integer(i) * of_block.value;
        if constexpr (std::is_same_v<Y, float>)
          y.row(r)[i] = dyadic::detail::dequantized<binary32>(v, of_block.exponent + row.unit, scale).to_float();
        else
          y.row(r)[i] = dyadic::detail::dequantized<Y>(v, of_block.exponent + row.unit, scale);
      }
      first = end;
    }
  }
  return status::ok;
}

}  // namespace exact
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Quantizes blocks of binary32 by a rule of mx_scales.hpp or by torchao's NVFP4 rule. Floor 2.
/// Sources: torchao/prototype/mx_formats/nvfp4_tensor.py; microxcaling, mx/mx_ops.py.
/// Revision: torchao @ 36027d82, microxcaling @ 7bc4195.
///
///   q::quantize_blocks(q::torchao::rceil<q::e2m1>{}, x, codes, scales);

#include <dyadic/blocks/mx_scales.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

namespace torchao {

/// nvfp4_quantize: E2M1 elements in blocks of 16, an E4M3 scale for each block, and a binary32 `global` for the tensor. Each step
/// is rounded to binary32. A tensor without a global scale has global = 1, which changes no step. Some revisions of torchao
/// divide by fl32(global * s) instead of multiplying by `reciprocal(s)`.
struct nvfp4 {
  using format = e2m1;               ///< the format of the elements
  using scale_type = e4m3;           ///< the format of the scales
  binary32 global = binary32{1.0f};  ///< the scale of the tensor, usually `global_scale` of its largest magnitude

  /// Returns fl32(a / (448 * 6)), with which the largest scale of a block is 448.
  DYADIC_API static constexpr binary32 global_scale(binary32 a) noexcept { return dyadic::divide(a, binary32{2688.0f}); }

  /// Returns (a / 6) / global, clamped to 2^-6 .. 448 and rounded half even. Subnormal scales never occur.
  DYADIC_API constexpr e4m3 scale(binary32 a) const noexcept {
    const binary32 s = dyadic::divide(dyadic::divide(a, binary32{6.0f}), global);
    return less(s, binary32{0x1p-6f}) ? e4m3{0x08} : round_to<e4m3>(s);
  }
  /// Returns (1 / global) / s.
  DYADIC_API constexpr binary32 reciprocal(e4m3 s) const noexcept {
    return dyadic::divide(dyadic::divide(binary32{1.0f}, global), dyadic::detail::convert<binary32>(s));
  }
  /// Returns x clamped to +-6 and rounded half even. Zero keeps its sign.
  DYADIC_API static constexpr e2m1 element(binary32 x) noexcept { return round_to<e2m1>(x); }

  /// Returns `scale_not_finite`, `scale_negative`, `scale_zero`, or `scale_too_small` if the reciprocal of `global` and
  /// the least scale of a block overflows.
  DYADIC_API friend constexpr status check(const nvfp4& rule) noexcept {
    if (!is_finite(rule.global)) return status::scale_not_finite;
    if (is_zero(rule.global)) return status::scale_zero;
    if (is_negative(rule.global)) return status::scale_negative;
    return is_finite(rule.reciprocal(e4m3{0x08})) ? status::ok : status::scale_too_small;
  }
};

}  // namespace torchao

namespace detail {

DYADIC_API constexpr bool is_nan_scale(e8m0 s) noexcept { return s.bits == 255; }
DYADIC_API constexpr bool is_nan_scale(e4m3 s) noexcept { return is_nan(s); }

/// Checks that `blocks` blocks divide x, and that each block has a scale that is a number.
template <class Rule>
DYADIC_API constexpr status check_blocks(const Rule& rule, view<const float> x, index_t blocks) noexcept {
  if (blocks == 0 ? x.size() != 0 : x.size() % blocks != 0 || x.size() == 0) return status::shape_mismatch;
  for (index_t b = 0, block = blocks == 0 ? 0 : x.size() / blocks; b < blocks; ++b) {
    const binary32 a = magnitude(largest(x.data() + b * block, block));
    if (!is_finite(a) || is_nan_scale(rule.scale(a))) return status::scale_not_finite;
  }
  return status::ok;
}

}  // namespace detail

/// Quantizes x in scales.size() blocks of equal size: 32 elements in OCP's formats, 16 in NVFP4. Writes the bits of a scale for
/// each block. Writes a byte for each element, with the code in its low bits. Codes of 4 bits are packed by nibble_order.hpp.
/// Returns the status of the rule or of a view, or `overlap`. Returns `shape_mismatch` if the blocks do not divide x, or if
/// codes.size() is not x.size(). Returns `scale_not_finite` if x has NaN or infinity, or if the rule gives a block the scale NaN.
/// Nothing is written if the status is not `ok`.
template <class Rule>
DYADIC_API constexpr status quantize_blocks(const Rule& rule, view<const float> x, view<std::uint8_t> codes,
                                            view<std::uint8_t> scales) noexcept {
  if (const status s = check(rule); s != status::ok) return s;
  if (const status s = check_same_size(x, codes); s != status::ok) return s;
  if (const status s = check(scales); s != status::ok) return s;
  if (overlap(x, codes) || overlap(x, scales) || overlap(codes, scales)) return status::overlap;
  if (const status s = detail::check_blocks(rule, x, scales.size()); s != status::ok) return s;
  for (index_t b = 0, i = 0; b < scales.size(); ++b) {
    const index_t end = i + x.size() / scales.size();
    const auto scale = rule.scale(magnitude(detail::largest(x.data() + i, end - i)));
    const binary32 reciprocal = rule.reciprocal(scale);
    scales[b] = scale.bits;
    for (; i < end; ++i) codes[i] = bit_cast<std::uint8_t>(rule.element(dyadic::multiply(binary32{x[i]}, reciprocal)));
  }
  return status::ok;
}

namespace microxcaling {

/// _quantize_mx: writes the numbers to y that x is rounded to, in blocks of `block` elements. y may be x. A number is infinite if
/// log2 of the largest magnitude rounds to 128 and the number rounds to 2^128. Returns the statuses of `quantize_blocks`.
template <class Format, class Ties = half_away>
DYADIC_API constexpr status quantize_mx(view<const float> x, view<float> y, index_t block = 32) noexcept {
  using rule = floor_log2<Format, Ties>;
  if (const status s = check_same_size(x, y); s != status::ok) return s;
  if (x.data() != y.data() && overlap(x, y)) return status::overlap;
  if (block < 1 || x.size() % block != 0) return status::shape_mismatch;
  if (const status s = dyadic::detail::check_blocks(rule{}, x, x.size() / block); s != status::ok) return s;
  for (index_t i = 0; i < x.size();) {
    const e8m0 scale = rule::scale(magnitude(dyadic::detail::largest(x.data() + i, block)));
    for (const index_t end = i + block; i < end; ++i) {
      const binary32 rounded = rule::rounded(dyadic::multiply(binary32{x[i]}, rule::reciprocal(scale)));
      y[i] = dyadic::multiply(rounded, value_of(scale)).to_float();
    }
  }
  return status::ok;
}

}  // namespace microxcaling

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Low-power blockwise quantization (LPBQ): 4-bit weights, an integer scale of 1 .. 16 for each block, and a scale for each
/// output channel. Floor 2. Sources: AIMET, aimet_onnx/lpbq_utils.py, grouped_dynamic_quantize; ExecuTorch,
/// backends/qualcomm/builders/node_visitor.py, make_qnn_per_block_config. Revision: AIMET @ c51b284b, ExecuTorch @ cff6f4dd.
///
///     weight = q4 * k * c        q4 = -8 .. 7 for each weight, k = 1 .. 16 for each block, c for each channel
///
/// q4 * k is an int8, so that an LPBQ layer is an int8 layer whose channels have the scales c. `expand` writes its weights.
/// A block of 32 weights adds at most 2^19 to a sum if int8 activations have the zero point 0. An int32 holds 4095 blocks.

#include <dyadic/detail/ieee.hpp>
#include <dyadic/int4.hpp>

namespace dyadic::lpbq {

namespace detail {

/// Derives the integers from the scales of a channel's blocks by the arithmetic of Real. Returns the scale of the channel.
template <class Real>
DYADIC_API constexpr result<Real> derive(view<const float> scales, view<std::uint8_t> integers) noexcept {
  if (const status s = check_same_size(scales, integers); s != status::ok) return {Real{}, s};
  if (overlap(scales, integers)) return {Real{}, status::overlap};
  binary32 largest{};
  for (const float& scale : scales) {
    const binary32 s{scale};
    if (!is_finite(s)) return {Real{}, status::scale_not_finite};
    if (is_negative(s) && !is_zero(s)) return {Real{}, status::scale_negative};
    if (less(largest, s)) largest = s;
  }
  const Real c = divide(Real{largest}, from_integer<Real>(16));
  if (is_zero(c)) return {c, scales.empty() ? status::ok : status::scale_zero};
  for (index_t i = 0; i < scales.size(); ++i) {
    const std::int64_t k = to_integer<half_even>(divide(Real{binary32{scales[i]}}, c));
    integers[i] = static_cast<std::uint8_t>(clamp(k, 1, 16));
  }
  return {c, status::ok};
}

}  // namespace detail

/// Writes k = round(scale / c), ties to even and clamped to 1 .. 16, for each block of a channel. Returns the scale of the
/// channel c = (largest scale) / 16. The largest scale has k = 16. AIMET divides in binary64, ExecuTorch in binary32, where the
/// quotient may be rounded to a tie. AIMET's k is the exact quotient rounded once. Returns the status of a view,
/// `shape_mismatch`, `overlap`, `scale_not_finite`, `scale_negative`, or `scale_zero` if c is zero. Nothing is written then.
/// @{
DYADIC_API constexpr result<binary64> aimet(view<const float> scales, view<std::uint8_t> integers) noexcept {
  return detail::derive<binary64>(scales, integers);
}
DYADIC_API constexpr result<binary32> executorch(view<const float> scales, view<std::uint8_t> integers) noexcept {
  return detail::derive<binary32>(scales, integers);
}
/// @}

/// Writes the weights q4 * k of the int8 layer, in -128 .. 112. A row is an output channel. It has one integer for each block of
/// weights.cols() / integers.cols() weights. Returns the status of a view, `overlap`, `shape_mismatch`, or `value_out_of_range`
/// if an integer is not in 1 .. 16. Nothing is written if the status is not `ok`.
DYADIC_API constexpr status expand(matrix_view<const int4> weights, matrix_view<const std::uint8_t> integers,
                                   matrix_view<std::int8_t> to) noexcept {
  if (const status s = dyadic::detail::check_each(weights, integers, to); s != status::ok) return s;
  if (overlap(weights, to) || overlap(integers, to)) return status::overlap;
  const index_t blocks = integers.cols();
  if (weights.rows() != to.rows() || weights.cols() != to.cols() || integers.rows() != to.rows()) return status::shape_mismatch;
  if (blocks == 0 ? to.cols() != 0 : to.cols() % blocks != 0) return status::shape_mismatch;
  for (index_t r = 0; r < integers.rows(); ++r)
    for (index_t b = 0; b < blocks; ++b)
      if (const int k = integers.row(r)[b]; k < 1 || k > 16) return status::value_out_of_range;
  for (index_t r = 0; r < to.rows(); ++r)
    for (index_t i = 0; i < to.cols(); ++i)
      to.row(r)[i] = static_cast<std::int8_t>(weights.row(r)[i] * integers.row(r)[i / (to.cols() / blocks)]);
  return status::ok;
}

}  // namespace dyadic::lpbq

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rows of int8 with a scale and a zero point that follow from the range of their elements. Floor 2. Sources:
///     XNNPACK   qd8                               src/xnnpack/quantization.h, src/qs8-vcvt
///     KleidiAI  qai8dx                            kai_lhs_quant_pack_qai8dxp_f32
///     LiteRT    PortableAsymmetricQuantizeFloats  tflite/kernels/internal/reference/portable_tensor_utils.cc
/// Revisions: XNNPACK @ 75db3c09, KleidiAI @ 495f652, LiteRT @ f6745779.
///
/// A rule has `derive(least, greatest)`, which makes a `dynamic_row` from the least and the greatest element, and `code(x, row)`.
/// Below, low is min(least, 0) and high is max(greatest, 0). Each operation rounds once, half even, to the named format.

#include <dyadic/blocks/block_input.hpp>
#include <dyadic/detail/half.hpp>

namespace dyadic {

/// The numbers that a row has beside its codes. x is near scale * (code - zero_point).
struct dynamic_row {
  binary32 scale;           ///< the stored scale
  std::int32_t zero_point;  ///< -128 .. 127; KleidiAI stores its negative
  binary32 reciprocal;      ///< the number that elements are multiplied by
};

/// Quantizes a row: `quantize_row(xnnpack::qd8{}, x, y)`. An empty row has the range 0 .. 0.
/// Returns the status of a view or of the rule, `overlap`, `shape_mismatch` if the sizes differ, or `scale_not_finite` if x has a
/// NaN or an infinity. Nothing is written if the status is not `ok`.
template <class Rule>
DYADIC_API constexpr result<dynamic_row> quantize_row(const Rule&, view<const float> x, view<std::int8_t> y) noexcept {
  if (const status s = detail::check_block_input(x, 1, y, 1); s != status::ok) return {{}, s};
  detail::real_range range{};
  for (const float& element : x) range.hold(binary32(element));
  const result<dynamic_row> row = Rule::derive(range.low, range.high);
  for (index_t i = 0; row.status == status::ok && i < x.size(); ++i) y[i] = Rule::code(binary32(x[i]), row.value);
  return row;
}

namespace detail {

/// Returns the range with 0 in it. Returns `empty_range` if greatest < least, and `scale_not_finite` for NaN and infinity.
DYADIC_API constexpr result<real_range> range_with_zero(binary32 least, binary32 greatest) noexcept {
  if (!is_finite(least) || !is_finite(greatest)) return {{}, status::scale_not_finite};
  real_range range{};
  range.hold(least);
  range.hold(greatest);
  return {range, less(greatest, least) ? status::empty_range : status::ok};
}

/// Returns the zero point -128 - low or 127 - high for ends in units of the scale, rounded by `Ties` and clamped to int8.
template <class Ties, class Float>
DYADIC_API constexpr std::int32_t zero_point_of(bool takes_low, Float low, Float high) noexcept {
  return saturate<std::int8_t>(
      to_integer<Ties>(dyadic::subtract(from_integer<Float>(takes_low ? -128 : 127), takes_low ? low : high)));
}

/// The rule of XNNPACK and KleidiAI in binary32: r = 255 / (high - low), or 1 if both are 0. scale = 1 / r. zero_point is
/// -128 - low * r if (-128 + low * r) + (127 + high * r) > 0, else 127 - high * r, half even. `Ties` rounds elements.
template <class Ties>
struct row_in_binary32 {
  /// Returns the numbers of a row. Returns `empty_range` if greatest < least, `scale_not_finite` for NaN and infinity,
  /// `scale_too_large` if high - low overflows, `scale_too_small` if r does.
  DYADIC_API static constexpr result<dynamic_row> derive(binary32 least, binary32 greatest) noexcept {
    const auto range = range_with_zero(least, greatest);
    if (range.status != status::ok) return {{}, range.status};
    const binary32 width = dyadic::subtract(range.value.high, range.value.low);
    if (!is_finite(width)) return {{}, status::scale_too_large};
    const binary32 one(1.0f), r = is_zero(width) ? one : dyadic::divide(binary32(255.0f), width);
    if (!is_finite(r)) return {{}, status::scale_too_small};
    const binary32 low = dyadic::multiply(range.value.low, r), high = dyadic::multiply(range.value.high, r);
    const bool takes_low =
        less(binary32{}, dyadic::add(dyadic::add(binary32(-128.0f), low), dyadic::add(binary32(127.0f), high)));
    return {{dyadic::divide(one, r), zero_point_of<half_even>(takes_low, low, high), r}, status::ok};
  }
  /// Returns clamp(round(x * r) + zero_point).
  DYADIC_API static constexpr std::int8_t code(binary32 x, const dynamic_row& row) noexcept {
    return saturate<std::int8_t>(to_integer<Ties>(dyadic::multiply(x, row.reciprocal)) + row.zero_point);
  }
};

}  // namespace detail

namespace xnnpack {

/// Elements are rounded half even. XNNPACK clamps before it rounds, which gives equal codes.
struct qd8 : dyadic::detail::row_in_binary32<half_even> {};

/// Checks a block scale of qb4w: XNNPACK takes positive normal numbers. Returns `scale_not_finite`, `scale_zero`,
/// `scale_negative`, or `scale_too_small` for a subnormal number.
DYADIC_API constexpr status check_block_scale(bfloat16 scale) noexcept {
  if (!is_finite(scale)) return status::scale_not_finite;
  if (is_zero(scale)) return status::scale_zero;
  if (is_negative(scale)) return status::scale_negative;
  return scale.bits < dyadic::detail::format<bfloat16>::hidden_bit ? status::scale_too_small : status::ok;
}

}  // namespace xnnpack

namespace kleidiai {
/// Elements are rounded half away from zero.
struct qai8dx : dyadic::detail::row_in_binary32<half_away> {};
}  // namespace kleidiai

namespace litert {

/// s = (high - low) / 255 in binary64, rounded to binary32 for the scale. zero_point is -128 - low / s if
/// 128 + |low / s| < 127 + high / s, else 127 - high / s, in binary64, half away. The row 0 .. 0 has scale 1 and zero point 0.
struct asymmetric {
  /// Returns the numbers of a row. Returns `empty_range` if greatest < least, `scale_not_finite` for NaN and infinity,
  /// `scale_too_small` if 1 / scale overflows.
  DYADIC_API static constexpr result<dynamic_row> derive(binary32 least, binary32 greatest) noexcept {
    const auto range = dyadic::detail::range_with_zero(least, greatest);
    if (range.status != status::ok) return {{}, range.status};
    const binary64 from(range.value.low), to(range.value.high), width = dyadic::subtract(to, from);
    const binary32 one(1.0f);
    if (is_zero(width)) return {{one, 0, one}, status::ok};
    const binary64 s = dyadic::divide(width, binary64(255.0)), low = dyadic::divide(from, s), high = dyadic::divide(to, s);
    const binary32 scale = narrow(s), r = dyadic::divide(one, scale);
    if (!is_finite(r)) return {{}, status::scale_too_small};
    const bool takes_low = less(dyadic::add(binary64(128.0), magnitude(low)), dyadic::add(binary64(127.0), high));
    return {{scale, dyadic::detail::zero_point_of<half_away>(takes_low, low, high), r}, status::ok};
  }
  /// Returns clamp(round(zero_point + x / scale)), half away. The zero point is added before the rounding, and 1 / scale, the
  /// product and the sum are rounded to binary32.
  DYADIC_API static constexpr std::int8_t code(binary32 x, const dynamic_row& row) noexcept {
    const binary32 q = dyadic::add(from_integer<binary32>(row.zero_point), dyadic::multiply(x, row.reciprocal));
    return saturate<std::int8_t>(to_integer<half_away>(q));
  }
};

}  // namespace litert
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rule of oneDNN's reference int8 matmul (src/cpu/matmul/ref_matmul_int8.cpp, src/cpu/simple_q10n.hpp). Floor 2.
/// Revision: oneDNN @ 515bfba6.

#include <dyadic/scheme/formula.hpp>

namespace dyadic {
namespace onednn {

/// The three binary32 scales, in the order in which oneDNN multiplies by them.
struct scales {
  binary32 source;               ///< scale of the activations
  binary32 weight;               ///< scale of the weights
  binary32 inverse_destination;  ///< fl32(1 / destination scale)
};

}  // namespace onednn
namespace formula {

/// The formula of `onednn::f32`.
struct chained_in_binary32 : rule_of_types<std::int32_t, onednn::scales, to_int32_if_short> {
  /// Returns the bits of the scales.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(onednn::scales m) noexcept {
    formula_parameters<std::int32_t> p{};
    p.mantissa = static_cast<std::int32_t>(m.source.bits);
    p.half = static_cast<std::int32_t>(m.weight.bits);
    p.second = static_cast<std::int32_t>(m.inverse_destination.bits);
    return p;
  }
};

}  // namespace formula

/// The scheme of `formula::chained_in_binary32`.
template <>
struct by_formula<formula::chained_in_binary32> {
  using accumulator = std::int32_t;                   ///< the type that the rule rounds
  using multiplier_type = onednn::scales;             ///< its multiplier
  using formula_type = formula::chained_in_binary32;  ///< what vectors run

  /// Returns the value with zero point 0.
  DYADIC_API static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return to_integer<half_even>(chain(acc, m));
  }
  /// Returns the output. An int32 output saturates at 2147483520, the largest binary32 below 2^31.
  DYADIC_API static constexpr std::int64_t finish(accumulator acc, multiplier_type m, output_range range) noexcept {
    const std::int64_t y = to_integer<half_even>(add(chain(acc, m), from_integer<binary32>(range.zero_point)));
    const std::int32_t max = range.max < 2147483520 ? range.max : 2147483520;
    return clamp(y, range.min < max ? range.min : max, max);
  }
  /// Returns acc times the scales. The product of infinity and 0 is a NaN.
  DYADIC_API static constexpr binary32 chain(accumulator acc, multiplier_type m) noexcept {
    return multiply(multiply(multiply(from_integer<binary32>(acc), m.source), m.weight), m.inverse_destination);
  }
};

namespace onednn {

/// Computes `round(clamp(fl32(fl32(fl32(fl32(fl32(acc) * source) * weight) * inverse_destination) + zero_point)))`, ties to even.
/// The zero point is added before the rounding, so that the parity of the sum decides a tie.
struct f32 : by_formula<formula::chained_in_binary32> {
  /// Returns true if all three scales are finite.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return is_finite(m.source) && is_finite(m.weight) && is_finite(m.inverse_destination);
  }
  /// Returns the first two scales and the rounded reciprocal of the third, of any sign. Returns `scale_zero` for a destination of
  /// zero. Returns `scale_not_finite` for NaN, for infinity, and for a reciprocal beyond binary32.
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 source, binary32 weight, binary32 destination) noexcept {
    const scales m{source, weight, divide(binary32{1.0f}, destination)};
    if (is_zero(destination)) return {m, status::scale_zero};
    return {m, valid(m) && is_finite(destination) ? status::ok : status::scale_not_finite};
  }
};

}  // namespace onednn
}  // namespace dyadic

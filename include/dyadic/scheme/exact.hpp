// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The real product, rounded once: a 64-bit accumulator and a 31-bit multiplier. Floor 2.

#include <dyadic/scheme/formula.hpp>

namespace dyadic {
namespace formula {

/// The formula of `exact::rounded`. A result that exceeds int32 by 2^32 or more may differ in lanes, because lanes have no 128
/// bits.
template <class Ties>
struct rounded_once : rule_of_types<std::int64_t, multiplier32, to_int64> {
  /// Returns the parameters of m as +-mantissa * 2^(pre_shift - 32 - right_shift). The mantissa is in 2^30 .. 2^31 - 1 or 0.
  /// right_shift is in 2 .. 63, where 63 gives 0 for any accumulator. `constant` is half of 2^right_shift. `change` is -1 if m is
  /// negative.
  DYADIC_API static constexpr formula_parameters<std::int64_t> prepare(multiplier32 m) noexcept {
    const auto magnitude = static_cast<std::uint64_t>(m.mantissa < 0 ? -std::int64_t{m.mantissa} : m.mantissa);
    const int zeros = magnitude == 0 ? 0 : leading_zeros(magnitude) - 33;  // -1 for 2^31
    const int t = m.right_shift + zeros - 32;
    formula_parameters<std::int64_t> p{};
    p.mantissa = static_cast<std::int64_t>(zeros < 0 ? magnitude >> 1 : magnitude << zeros);
    p.right_shift = t < 2 ? 2 : t < 63 ? t : 63;
    p.pre_shift = t < 2 ? 2 - t : 0;
    p.constant = std::int64_t{1} << (p.right_shift - 1);
    p.change = m.mantissa < 0 ? -1 : 0;
    return p;
  }
};

}  // namespace formula

/// The scheme of `formula::rounded_once`. Its `apply` has 128 bits.
template <class Ties>
struct by_formula<formula::rounded_once<Ties>> {
  using accumulator = std::int64_t;                  ///< the type that the rule rounds
  using multiplier_type = multiplier32;              ///< its multiplier
  using formula_type = formula::rounded_once<Ties>;  ///< what vectors run

  /// Returns the rescaled accumulator. Requires: valid(m).
  DYADIC_API static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    return clamp(shift_right_saturated<Ties>(multiply(acc, std::int64_t{m.mantissa}), m.right_shift), -limit, limit);
  }
};

namespace exact {

/// Computes acc * mantissa / 2^right_shift: the exact 95-bit product, rounded once by `Ties`, saturated to -2^62 .. 2^62.
template <class Ties>
struct rounded : by_formula<formula::rounded_once<Ties>> {
  using multiplier_type = multiplier32;  ///< its multiplier

  /// Returns true if right_shift is in 0 .. 126, for any mantissa.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return dyadic::detail::shift_within(m, 0, 126); }
  /// Returns the nearest multiplier. `Ties` decides ties of the mantissa. If the scale is negative, `Ties` is applied to the
  /// magnitude. Zero gives {0, 31}, and a negative scale gives a negative mantissa. Returns `scale_too_small` below 2^-96,
  /// `scale_too_large` from 2^31 on, and `scale_not_finite` for NaN and infinity.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, Ties{}), 0, 126);
  }
};

/// Ties towards +infinity.
struct half_up : rounded<dyadic::half_up> {};
/// Ties away from zero.
struct half_away : rounded<dyadic::half_away> {};
/// Ties to even.
struct half_even : rounded<dyadic::half_even> {};

}  // namespace exact
}  // namespace dyadic

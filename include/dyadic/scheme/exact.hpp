// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The real product, rounded once: a 64-bit accumulator and a 31-bit multiplier. Floor 2.

#include <dyadic/scheme/formula.hpp>

namespace dyadic::exact {

/// acc * mantissa / 2^right_shift, the exact 95-bit product rounded once by `Ties`, saturated to -2^62 .. 2^62.
template <class Ties>
struct rounded {
  using accumulator = std::int64_t;      ///< what the rule rounds
  using multiplier_type = multiplier32;  ///< its multiplier

  /// right_shift in 0 .. 126; any mantissa.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return dyadic::detail::shift_within(m, 0, 126); }
  /// The nearest multiplier, mantissa ties by the same rule, those of the magnitude for a negative scale. Zero gives {0, 31}, a
  /// negative scale a negative mantissa. Too small: below 2^-96. Too large: 2^31 and more. NaN and infinity: not finite.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, Ties{}), 0, 126);
  }
  /// The rescaled accumulator. Requires: valid(m).
  DYADIC_API static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    return clamp(shift_right_saturated<Ties>(multiply(acc, std::int64_t{m.mantissa}), m.right_shift), -limit, limit);
  }
};

/// Ties towards +infinity.
struct half_up : rounded<dyadic::half_up> {};
/// Ties away from zero.
struct half_away : rounded<dyadic::half_away> {};
/// Ties to even.
struct half_even : rounded<dyadic::half_even> {};

}  // namespace dyadic::exact

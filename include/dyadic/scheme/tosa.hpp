// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of TOSA 1.0: apply_scale_32, apply_scale_16 and reciprocal_scale. Floor 2.
/// Sources: the TOSA specification, and its reference model where the text leaves a choice.
/// Revision: TOSA specification @ cd5acdd0, reference model @ 9131f8a6.

#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tosa {

namespace detail {

/// Returns true if the specification allows the multiplier and its shift.
template <class Mantissa>
DYADIC_API constexpr bool legal(multiplier<Mantissa> m) noexcept {
  return m.mantissa >= 0 && dyadic::detail::shift_within(m, 2, 62);
}

/// Derives a multiplier as ExecuTorch's Arm backend does, because the specification names no derivation. Mantissa ties go to
/// even. A right_shift that would pass 62 is 62, and the mantissa loses its lowest bits. MLIR's derivation has ties away from
/// zero.
template <class Mantissa, class Ties = half_even>
DYADIC_API constexpr result<multiplier<Mantissa>> derive(binary64 scale, Ties ties = {}) noexcept {
  result<multiplier<Mantissa>> r = nearest<Mantissa>(scale, ties);
  if (r.value.mantissa < 0) return {r.value, status::scale_negative};
  if (r.value.right_shift < 2) return {r.value, status::scale_too_large};
  if (r.value.right_shift > 62) {
    const std::int32_t lost = r.value.right_shift - 62;
    r.value = {static_cast<Mantissa>(lost < 31 ? r.value.mantissa >> lost : 0), 62};
  }
  return r;
}

/// Returns true if -2^(right_shift - 1) <= value < 2^(right_shift - 1), which bounds the result to int32.
DYADIC_API constexpr bool value_fits_shift(std::int64_t value, std::int32_t right_shift) noexcept {
  const std::int64_t limit = std::int64_t{1} << (right_shift - 1);
  return value >= -limit && value < limit;
}

template <class Rounding>
struct scale32 : by_formula<formula::scaled32<Rounding, to_int64>> {
  using accumulator = std::int32_t;
  using multiplier_type = multiplier32;

  /// Returns true if mantissa >= 0 and right_shift is in 2 .. 62.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return legal(m); }
  /// Returns true if -2^(right_shift - 1) <= acc < 2^(right_shift - 1). Else TOSA calls the result unpredictable, and `apply`
  /// does not wrap.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && value_fits_shift(acc, m.right_shift);
  }
  /// ExecuTorch's rule: mantissa ties to even. Zero gives {0, 31}. Below 2^-63 the mantissa has lost all its bits. Returns
  /// `scale_negative`, `scale_not_finite`, or `scale_too_large` from 2^29 on.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return detail::derive<std::int32_t>(scale);
  }
  /// Returns the multiplier of a TFLite pair: the same number with its shift to the right, 31 - shift.
  DYADIC_API static constexpr multiplier_type from(tflite::pair p) noexcept { return tflite::from_pair(p); }
};

}  // namespace detail

/// Makes multipliers of two arrays: to[i] = {multipliers[i], shifts[i]}. Shifts count to the right and include the 31 or 15, as
/// in the RESCALE operator and ExecuTorch's Arm backend. Elements have 32 or 64 bits. The type of `to` decides if multipliers
/// have 31 or 15 bits. Returns `multiplier_out_of_range` if an element does not fit, `overlap`, or the error of the sizes. Writes
/// nothing if it returns an error.
template <class Multipliers, class Shifts, class To>
DYADIC_API constexpr status from_pairs(const Multipliers& multipliers, const Shifts& shifts, To&& to) noexcept {
  return dyadic::detail::from_arrays(view(multipliers), view(shifts), 0, 1, view(to));
}

/// apply_scale_32 with SINGLE_ROUND: acc * mantissa / 2^right_shift, ties up.
struct scale32 : detail::scale32<rounding::single_up> {};

/// apply_scale_32 with DOUBLE_ROUND: the two roundings of TFLite, at bit 31 with ties up, and at bit right_shift with ties away.
struct scale32_double_round : detail::scale32<rounding::double_away> {};

/// apply_scale_16: a 48-bit accumulator and a 15-bit multiplier, ties up. Requires: acc within 48 bits.
struct scale16 : by_formula<formula::scaled48<rounding::single_up, to_int64>> {
  static constexpr int accumulator_bits = 48;  ///< an int48

  /// Returns true if mantissa >= 0 and right_shift is in 2 .. 62.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return detail::legal(m); }
  /// Returns true if acc fits 48 bits and the result fits int32. Else TOSA calls the result unpredictable, and `apply` does not
  /// wrap.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && fits_accumulator<scale16>(acc) && fits<std::int32_t>(apply(acc, m));
  }
  /// ExecuTorch's rule: mantissa ties to even, 2^15 halved. Zero gives {0, 15}. Below 2^-63 the mantissa has lost all its bits.
  /// Returns `scale_negative`, `scale_not_finite`, or `scale_too_large` from 2^13 on.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return detail::derive<std::int16_t>(scale);
  }
  /// Returns TFLite's 15-bit multiplier for a pair, `tflite::reduce`. `derive` may give another multiplier for the same scale.
  DYADIC_API static constexpr multiplier_type from(tflite::pair p) noexcept { return tflite::reduce(tflite::from_pair(p)); }
};

/// reciprocal_scale: returns the multiplier of 1 / n for average pools. It is floor((2^30 + 1) * 2^k / n) * 2^-(30 + k) with k =
/// 32 - clz32(n - 1). Returns `status::value_out_of_range` for n = 0, and for 2^30 + 1, 2^31 + 1 and 2^31 + 2, whose mantissa
/// does not fit int32.
DYADIC_API constexpr result<multiplier32> reciprocal_scale(std::uint32_t n) noexcept {
  if (n == 0) return {{0, 31}, status::value_out_of_range};
  const int k = 64 - leading_zeros(n - 1u);
  const std::uint64_t mantissa = (((std::uint64_t{1} << 30) + 1u) << k) / n;
  if (mantissa > std::uint64_t{int32_max}) return {{0, 31}, status::value_out_of_range};
  return {{static_cast<std::int32_t>(mantissa), 30 + k}, status::ok};
}

}  // namespace dyadic::tosa

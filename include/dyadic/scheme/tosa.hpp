// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of TOSA 1.0: apply_scale_32, apply_scale_16 and reciprocal_scale. Floor 2.
/// Sources: the TOSA specification, and its reference model where the text leaves a choice.

#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tosa {

namespace detail {

/// What the specification requires of a multiplier and a shift.
template <class Mantissa>
DYADIC_API constexpr bool legal(multiplier<Mantissa> m) noexcept {
  return m.mantissa >= 0 && dyadic::detail::shift_within(m, 2, 62);
}

/// The specification names no derivation; this is the one of ExecuTorch's Arm backend: mantissa ties to even, and where the
/// right_shift would pass 62, it is 62 and the mantissa loses bits at its end. MLIR's has ties away from zero.
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

/// Whether -2^(right_shift - 1) <= value < 2^(right_shift - 1), which bounds the result to int32.
DYADIC_API constexpr bool value_fits_shift(std::int64_t value, std::int32_t right_shift) noexcept {
  const std::int64_t limit = std::int64_t{1} << (right_shift - 1);
  return value >= -limit && value < limit;
}

template <class Rule>
struct scale32 : by_formula<formula::scaled32<Rule, to_int64>> {
  using accumulator = std::int32_t;
  using multiplier_type = multiplier32;

  /// mantissa >= 0, right_shift in 2 .. 62.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return legal(m); }
  /// -2^(right_shift - 1) <= acc < 2^(right_shift - 1); beyond that TOSA calls the result unpredictable, and `apply` does not
  /// wrap.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && value_fits_shift(acc, m.right_shift);
  }
  /// ExecuTorch's rule: mantissa ties to even. Zero gives {0, 31}; below 2^-63 the mantissa has lost all its bits. Negative and
  /// not finite ones get their status. Too large: 2^29 and more.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return detail::derive<std::int32_t>(scale);
  }
  /// The multiplier of a TFLite pair: the same number with its shift to the right, 31 - shift.
  DYADIC_API static constexpr multiplier_type from(tflite::pair p) noexcept { return tflite::from_pair(p); }
};

}  // namespace detail

/// Multipliers of arrays with elements of 32 or 64 bits, shifts to the right, the 31 or 15 included, as in the RESCALE operator
/// and ExecuTorch's Arm backend: to[i] = {multipliers[i], shifts[i]}. `to` decides whether they have 31 or 15 bits.
/// `multiplier_out_of_range` if an element does not fit, or what is wrong with the sizes, or `overlap`; then nothing is
/// written.
template <class Multipliers, class Shifts, class To>
DYADIC_API constexpr status from_pairs(const Multipliers& multipliers, const Shifts& shifts, To&& to) noexcept {
  return dyadic::detail::from_arrays(view(multipliers), view(shifts), 0, 1, view(to));
}

/// apply_scale_32 with SINGLE_ROUND: acc * mantissa / 2^right_shift, ties up.
struct scale32 : detail::scale32<rule::single_up> {};

/// apply_scale_32 with DOUBLE_ROUND: the two roundings of TFLite, at bit 31 with ties up and at bit right_shift with ties away.
struct scale32_double_round : detail::scale32<rule::double_away> {};

/// apply_scale_16: a 48-bit accumulator and a 15-bit multiplier, ties up. Requires: acc within 48 bits.
struct scale16 : by_formula<formula::scaled48<rule::single_up, to_int64>> {
  static constexpr int accumulator_bits = 48;  ///< an int48

  /// mantissa >= 0, right_shift in 2 .. 62.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return detail::legal(m); }
  /// acc within 48 bits, and a result that fits int32; beyond that TOSA calls the result unpredictable, and `apply` does not
  /// wrap.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && fits_accumulator<scale16>(acc) && fits<std::int32_t>(apply(acc, m));
  }
  /// ExecuTorch's rule: mantissa ties to even, 2^15 halved. Zero gives {0, 15}; below 2^-63 the mantissa has lost all its bits.
  /// Negative and not finite ones get their status. Too large: 2^13 and more.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return detail::derive<std::int16_t>(scale);
  }
  /// TFLite's 15-bit multiplier for a pair, `tflite::reduce`; not always the one that `derive` makes of the same scale.
  DYADIC_API static constexpr multiplier_type from(tflite::pair p) noexcept { return tflite::reduce(tflite::from_pair(p)); }
};

/// reciprocal_scale: the multiplier of 1 / n for average pools. With k = 32 - clz32(n - 1): floor((2^30 + 1) * 2^k / n) * 2^-(30
/// + k). n = 0 has none, and that of 2^30 + 1, 2^31 + 1 and 2^31 + 2 is no int32: `status::value_out_of_range`.
DYADIC_API constexpr result<multiplier32> reciprocal_scale(std::uint32_t n) noexcept {
  if (n == 0) return {{0, 31}, status::value_out_of_range};
  const int k = 64 - leading_zeros(n - 1u);
  const std::uint64_t mantissa = (((std::uint64_t{1} << 30) + 1u) << k) / n;
  if (mantissa > std::uint64_t{int32_max}) return {{0, 31}, status::value_out_of_range};
  return {{static_cast<std::int32_t>(mantissa), 30 + k}, status::ok};
}

}  // namespace dyadic::tosa

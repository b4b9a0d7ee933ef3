// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of TensorFlow Lite, LiteRT and TensorFlow Lite Micro. Floor 2.
/// Sources: tflite/kernels/internal/{common.cc, quantization_util.cc}, optimized/{optimized_ops.h, avx2_quantization_utils.h},
/// reference/integer_ops/fully_connected.h.
/// Revision: LiteRT @ f6745779, tflite-micro @ 90b983c2.

#include <dyadic/scheme/formula.hpp>

namespace dyadic {
namespace tflite {

/// TFLite's quantized multiplier and shift. The shift counts to the left and does not include the 31 of the Q31 mantissa: scale =
/// multiplier * 2^(shift - 31).
struct pair {
  std::int32_t multiplier;  ///< Q31
  std::int32_t shift;       ///< counts to the left
};

/// Returns the multiplier of a pair: right_shift = 31 - shift.
/// @{
DYADIC_API constexpr multiplier32 from_pair(pair p) noexcept {
  return {p.multiplier, saturate<std::int32_t>(31 - std::int64_t{p.shift})};
}
DYADIC_API constexpr multiplier32 from_pair(std::int32_t multiplier, std::int32_t shift) noexcept {
  return from_pair(pair{multiplier, shift});
}
/// @}

/// Returns TFLite's pair: shift = 31 - right_shift.
DYADIC_API constexpr pair to_pair(multiplier32 m) noexcept {
  return {m.mantissa, saturate<std::int32_t>(31 - std::int64_t{m.right_shift})};
}

/// Converts arrays as `from_pair` converts one pair. Elements have 32 or 64 bits, as in TFLite's per-channel data and the tensors
/// of ExecuTorch's Cortex-M and Cadence backends. Returns `multiplier_out_of_range` if an element does not fit int32 or a shift
/// is far out of range. Returns `overlap`, or the error of the sizes. Writes nothing if it returns an error.
template <class Multipliers, class Shifts, class To>
DYADIC_API constexpr status from_pairs(const Multipliers& multipliers, const Shifts& shifts, To&& to) noexcept {
  return dyadic::detail::from_arrays(view(multipliers), view(shifts), 31, -1, view(to));
}

/// QuantizeMultiplier with a tie rule: returns the nearest multiplier, and zero for scales below 2^-32.
template <class Ties>
DYADIC_API constexpr result<multiplier32> quantize_multiplier(binary64 scale, Ties ties) noexcept {
  const auto r = nearest<std::int32_t>(scale, ties);
  return r.value.right_shift > 62 ? result<multiplier32>{{0, 31}, r.status} : r;
}

namespace detail {

/// A rule for any mantissa, after a pre-shift.
template <class Formula>
struct signed_q31 : by_formula<Formula> {
  using typename by_formula<Formula>::accumulator;
  using typename by_formula<Formula>::multiplier_type;

  /// Returns true if TFLite's shift is in -31 .. 30, for any mantissa, also a negative one.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return dyadic::detail::shift_within(m, 1, 62); }
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && dyadic::detail::preshift_fits(acc, dyadic::detail::split(m.right_shift));
  }
  /// QuantizeMultiplier: mantissa ties away from zero. Scales below 2^-32 and zero give {0, 31}. A negative scale gives a
  /// negative mantissa. Returns `scale_too_large` from 2^30 on, with TFLite's multiplier, and `scale_not_finite` for NaN and
  /// infinity.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return dyadic::detail::limit_shift(quantize_multiplier(scale, half_away{}), 1, 62);
  }
};

}  // namespace detail

/// The default rule: two roundings. Let l = max(shift, 0) and r = max(-shift, 0). Then h = acc * 2^l * mantissa / 2^31 with ties
/// up, and the result is h / 2^r with ties away from zero. This is not the rounded real product: 0.25 gives 1. acc * 2^l wraps in
/// int32 (TFLite's contract is that it fits: `valid(acc, m)`). min * min / 2^31 saturates.
struct double_rounding : detail::signed_q31<formula::preshifted<rounding::double_away, to_int32_saturated>> {};

/// QuantizeMultiplier under TFLITE_EMULATE_FLOAT: mantissa ties go towards zero. For `double_rounding`.
DYADIC_API constexpr result<multiplier32> derive_emulate_float(binary64 scale) noexcept {
  return dyadic::detail::limit_shift(quantize_multiplier(scale, half_to_zero{}), 1, 62);
}

/// The rule of a build with TFLITE_SINGLE_ROUNDING: acc * mantissa / 2^right_shift, ties up, wrapped to int32.
struct single_rounding : by_formula<formula::scaled32<rounding::single_up, to_int32_wrapped>> {
  /// Returns true if mantissa >= 0 and TFLite's shift is in -31 .. 30.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && dyadic::detail::shift_within(m, 1, 62);
  }
  /// Returns true if the result fits int32, which TFLite's debug build requires.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && fits<std::int32_t>(scaled<rounding::single_up>(acc, m.mantissa, m.right_shift));
  }
  /// Derives as `double_rounding::derive` does, with two differences. The largest multiplier, (2^31 - 1) * 2^-1, is given for
  /// scales of 2^30 and more. Negative scales that are not flushed get `status::scale_negative`.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    result<multiplier_type> r = quantize_multiplier(scale, half_away{});
    if (r.value.mantissa < 0) r.status = status::scale_negative;
    if (r.value.right_shift < 1) r.value = {int32_max, 1};
    return r;
  }
};

/// The rule of LiteRT on NEON, and on x86 through its NEON-to-SSE layer, where the scalar build runs `double_rounding`. Both
/// roundings have ties up. The exact rule with one rounding is `exact::half_up`.
struct neon_double_rounding : detail::signed_q31<formula::preshifted<rounding::double_up, to_int32_saturated>> {};

namespace detail {

/// A rule for mantissas that are not negative, after a pre-shift that leaves at least one bit to shift right.
template <class Formula>
struct longer_preshift : by_formula<Formula> {
  using typename by_formula<Formula>::accumulator;
  using typename by_formula<Formula>::multiplier_type;

  /// Returns true if mantissa >= 0 and TFLite's shift is in -31 .. 29.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && dyadic::detail::shift_within(m, 2, 62);
  }
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && dyadic::detail::preshift_fits(acc, dyadic::detail::split(m.right_shift, 1));
  }
  /// Derives as `single_rounding::derive` does. Returns `scale_too_large` from 2^29 on.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return dyadic::detail::limit_shift(single_rounding::derive(scale), 2, 62);
  }
};

}  // namespace detail

/// The rule of LiteRT on NEON with TFLITE_SINGLE_ROUNDING. Let r = max(1, -shift). acc * 2^(shift + r) wraps in int32, then one
/// rounding has ties up. Equals `single_rounding` if the pre-shift fits, `valid(acc, m)`. This allows acc one bit less than
/// `single_rounding` does.
struct neon_single_rounding : detail::longer_preshift<formula::preshifted<rounding::single_up, to_int32_wrapped, 1>> {};

/// LiteRT's AVX2 helper for int16 add, sub and leaky relu, with its two quirks. It computes h = floor(acc * 2^l * mantissa /
/// 2^31), then h / 2^r with ties up. The first quirk: shift >= 0 takes the floor. The second quirk: an h above 2^31 - 1 - 2^(r-1)
/// gives 2^31 - 1. The exact rule is `single_rounding`.
struct avx2 : detail::signed_q31<formula::floor_then_half_up> {};

/// Returns the 15-bit multiplier that TFLite's int64 path makes of a Q31 multiplier: (mantissa + 2^15) / 2^16, or 32767 if that
/// is 2^15.
DYADIC_API constexpr multiplier16 reduce(multiplier32 m) noexcept {
  const std::int32_t mantissa = m.mantissa < 0x7FFF'0000 ? (m.mantissa + (1 << 15)) >> 16 : 0x7FFF;
  return {static_cast<std::int16_t>(mantissa), saturate<std::int32_t>(std::int64_t{m.right_shift} - 16)};
}

/// The rule for 16-bit activations with an int64 bias: acc * mantissa / 2^right_shift with a 15-bit mantissa, ties up, wrapped to
/// int32. Both builds have this rule. It rounds once, but its scale has only 15 significant bits: `exact::half_up` takes 31. If
/// acc exceeds 48 bits, the product wraps in 64 bits.
struct reduced_int64 : by_formula<formula::scaled48<rounding::single_up, to_int32_wrapped>> {
  static constexpr int accumulator_bits = 48;  ///< an int48

  /// Returns true if mantissa >= 0 and TFLite's shift is in -31 .. 7, hence right_shift in 8 .. 46.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && dyadic::detail::shift_within(m, 8, 46);
  }
  /// Returns true if acc fits 48 bits and the result fits int32.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && fits_accumulator<reduced_int64>(acc) &&
           fits<std::int32_t>(scaled<rounding::single_up>(acc, m.mantissa, m.right_shift));
  }
  /// Returns `reduce` of `double_rounding::derive`. It rounds twice, so that it is not always the nearest 15-bit multiplier.
  /// Returns `scale_too_large` from 2^7 on, and `scale_negative` for negative scales that are not flushed.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    const auto r = quantize_multiplier(scale, half_away{});
    const auto reduced = dyadic::detail::limit_shift(result<multiplier_type>{reduce(r.value), r.status}, 8, 46);
    return r.value.mantissa < 0 ? result<multiplier_type>{reduced.value, status::scale_negative} : reduced;
  }
};

}  // namespace tflite
namespace formula {

/// The formula of `tflite::double_scale`, within +-2^50. Lanes have 64 bits for either accumulator.
template <class Accumulator>
struct scaled_in_binary64 : rule_of_types<std::int64_t, binary64, to_int64> {
  /// Returns the bits of a scale.
  DYADIC_API static constexpr formula_parameters<std::int64_t> prepare(binary64 scale) noexcept {
    formula_parameters<std::int64_t> p{};
    p.constant = static_cast<std::int64_t>(scale.bits);
    return p;
  }
};

}  // namespace formula

/// The scheme of `formula::scaled_in_binary64`.
template <class Accumulator>
struct by_formula<formula::scaled_in_binary64<Accumulator>> {
  using accumulator = Accumulator;                                ///< the type that the rule rounds
  using multiplier_type = binary64;                               ///< its multiplier
  using formula_type = formula::scaled_in_binary64<Accumulator>;  ///< what vectors run

  /// Returns the rescaled accumulator. Requires: a finite scale.
  DYADIC_API static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return to_integer<half_away>(dyadic::multiply(from_integer<binary64>(acc), m));
  }
};

namespace tflite {

/// LiteRT's reference FULLY_CONNECTED since April 2025: round(double(acc) * scale), ties away from zero, after one binary64
/// rounding of the product. The multiplier is the real scale itself, `double_product_scale(input, weight, output)`.
template <class Accumulator>
struct double_scale : by_formula<formula::scaled_in_binary64<Accumulator>> {
  using multiplier_type = binary64;  ///< its multiplier

  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return is_finite(m); }  ///< any finite scale
  /// Returns the scale itself, of any sign and size. Returns `scale_not_finite` for NaN and infinity.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return {scale, is_finite(scale) ? status::ok : status::scale_not_finite};
  }
};

}  // namespace tflite
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The one formula of the integer schemes, and the parts of every scheme. Floor 2.
///
/// A scheme is a struct with
///   `accumulator`, `multiplier_type`, and `accumulator_bits` if fewer bits than those of `accumulator` are allowed.
///   `valid(m)`: true if the rule is defined for m.
///   `valid(acc, m)`, optional: true if the publisher's requirements of the data are met.
///   `derive(scale)`, if the publisher defines a derivation: the multiplier of a real scale.
///   `apply(acc, m)`: the rescaled accumulator in 64 bits, within +-2^62, so that adding a zero point cannot overflow.
///   `finish(acc, m, range)`, optional: the output, if it is not simply apply(acc, m) plus the zero point, clamped.
///
/// A scheme that inherits `by_formula<F>` takes its `apply` from there. F, of namespace `formula`, describes a rule that
/// scheme/formula.inc writes over lanes, so that scalar code and vectors run the same text. All other schemes run scalar on every
/// backend, also those with their own `apply` or `finish`.

#include <dyadic/detail/ieee.hpp>
#include <dyadic/detail/lanes.hpp>
#include <dyadic/multiplier.hpp>
#include <dyadic/rounding.hpp>
#include <dyadic/scheme/rounding.hpp>

namespace dyadic {

/// The output of a rescaled value: `clamp(value + zero_point, min, max)`.
struct output_range {
  std::int32_t zero_point = 0;   ///< added to the rescaled value
  std::int32_t min = int32_min;  ///< the least output
  std::int32_t max = int32_max;  ///< the greatest output
};

/// Returns the range of all values of Y, with this zero point.
template <class Y>
DYADIC_API constexpr output_range range_of(std::int32_t zero_point = 0) noexcept {
  static_assert(std::is_integral_v<Y> && (sizeof(Y) < 4 || (sizeof(Y) == 4 && std::is_signed_v<Y>)),
                "an output is int8, uint8, int16, uint16 or int32");
  return {zero_point, limits<Y>::min, limits<Y>::max};
}

namespace detail {

template <class Scheme, class = void>
struct accumulator_bits : std::integral_constant<int, limits<typename Scheme::accumulator>::digits + 1> {};
template <class Scheme>
struct accumulator_bits<Scheme, std::void_t<decltype(Scheme::accumulator_bits)>>
    : std::integral_constant<int, Scheme::accumulator_bits> {};

template <class Scheme, class = void>
struct has_finish : std::false_type {};
template <class Scheme>
struct has_finish<Scheme, std::void_t<decltype(Scheme::finish(typename Scheme::accumulator{}, typename Scheme::multiplier_type{},
                                                              output_range{}))>> : std::true_type {};

/// Returns true if the publisher defines the result: Scheme::valid(acc, m) if there is one, else Scheme::valid(m).
/// @{
template <class Scheme>
DYADIC_API constexpr auto in_domain_of(typename Scheme::accumulator acc, typename Scheme::multiplier_type m, int) noexcept
    -> decltype(Scheme::valid(acc, m)) {
  return Scheme::valid(acc, m);
}
template <class Scheme>
DYADIC_API constexpr bool in_domain_of(typename Scheme::accumulator, typename Scheme::multiplier_type m, long) noexcept {
  return Scheme::valid(m);
}
/// @}

}  // namespace detail

/// Returns true if acc is within the bits of the scheme's accumulator.
template <class Scheme>
DYADIC_API constexpr bool fits_accumulator(std::int64_t acc) noexcept {
  return acc >> (detail::accumulator_bits<Scheme>::value - 1) == (acc < 0 ? -1 : 0);
}

/// Returns the output integer of `Scheme` for one accumulator: the scheme's own `finish`, else clamp(apply(acc, m) + zero_point,
/// min, max).
template <class Scheme>
DYADIC_API constexpr std::int64_t requantize(typename Scheme::accumulator acc, typename Scheme::multiplier_type m,
                                             output_range range) noexcept {
  if constexpr (detail::has_finish<Scheme>::value)
    return Scheme::finish(acc, m, range);
  else
    return clamp(Scheme::apply(acc, m) + range.zero_point, range.min, range.max);
}

/// The result of a formula: all 64 bits of its value, the value modulo 2^32, or the nearest int32.
/// @{
struct to_int64 {};
struct to_int32_wrapped {};
struct to_int32_saturated {};
/// @}
/// All 64 bits in one lane, the nearest int32 over more lanes. Both are equal for an output shorter than int32.
struct to_int32_if_short {};

namespace detail {

/// The steps of a total right shift t with 32-bit registers: `acc * 2^left`, a high multiply by 2^-31, then `>> right`.
struct split_shift {
  int left;
  int right;
};

/// Splits t = 31 + right - left. `least_right` is 1 if the engine always shifts right by at least one.
DYADIC_API constexpr split_shift split(std::int32_t t, int least_right = 0) noexcept {
  const int right = t - 31 > least_right ? t - 31 : least_right;
  return {31 + right - t, right};
}

}  // namespace detail

/// The parameters that a formula needs of a multiplier, once per tensor or channel.
template <class Accumulator>
struct formula_parameters {
  Accumulator mantissa = 0;      ///< m
  std::int32_t right_shift = 0;  ///< t
  std::int32_t pre_shift = 0;    ///< left shift of acc
  std::int64_t constant = 0;     ///< R for v*m >= 0
  std::int64_t change = 0;       ///< added to R for v*m < 0
  std::int32_t second = 0;       ///< second mantissa, or binary32 bits
  std::int32_t half = 0;         ///< half of 2^right_shift
};

/// The rules that are written over lanes. `prepare(m)` gives the parameters, scheme/formula.inc has the text.
namespace formula {

/// The types of a rule.
template <class Accumulator, class Multiplier, class Result>
struct rule_of_types {
  using accumulator = Accumulator;     ///< the type that the rule rounds
  using multiplier_type = Multiplier;  ///< its multiplier
  using result = Result;               ///< the conversion of the result, such as to_int64
};

/// Computes (acc * m + R) >> right_shift, then Result.
template <class Accumulator, class Multiplier, class Rounding, class Result>
struct scaled : rule_of_types<Accumulator, Multiplier, Result> {
  /// Returns the parameters of mantissa * 2^-right_shift.
  DYADIC_API static constexpr formula_parameters<Accumulator> prepare(std::int64_t mantissa, int right_shift) noexcept {
    const std::uint64_t constant = Rounding::constant(false, right_shift);
    return {static_cast<Accumulator>(mantissa), right_shift, 0, static_cast<std::int64_t>(constant),
            static_cast<std::int64_t>(Rounding::constant(true, right_shift) - constant)};
  }
  /// Returns the parameters of m.
  DYADIC_API static constexpr formula_parameters<Accumulator> prepare(Multiplier m) noexcept {
    return prepare(m.mantissa, m.right_shift);
  }
};

/// `scaled` for int32s and 31-bit mantissas, and for int48s and mantissas 0 .. 2^15 - 1, where vectors require right_shift >= 2.
/// @{
template <class Rounding, class Result>
using scaled32 = scaled<std::int32_t, multiplier32, Rounding, Result>;
template <class Rounding, class Result>
using scaled48 = scaled<std::int64_t, multiplier16, Rounding, Result>;
/// @}

/// An int32 without the saturation of a high multiply: -2^31 * -2^31 gives the negative result.
struct to_int32_high_multiply_wrapped {};

/// Computes acc * 2^left, which wraps in int32, then `scaled` by mantissa * 2^-(31 + right). `split` gives both shifts.
template <class Rounding, class Result, int LeastRight = 0>
struct preshifted : rule_of_types<std::int32_t, multiplier32, Result> {
  /// Returns the parameters of m.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(multiplier32 m) noexcept {
    const detail::split_shift s = detail::split(m.right_shift, LeastRight);
    formula_parameters<std::int32_t> p = scaled32<Rounding, Result>::prepare(m.mantissa, 31 + s.right);
    p.pre_shift = s.left;
    return p;
  }
};

/// Computes h = floor(acc * 2^left * mantissa / 2^31), both steps wrapped to int32, then h / 2^right with ties up. An h above
/// 2^31 - 1 - 2^(right - 1) gives 2^31 - 1.
struct floor_then_half_up : rule_of_types<std::int32_t, multiplier32, to_int32_wrapped> {
  /// Returns the parameters of m.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(multiplier32 m) noexcept {
    const detail::split_shift s = detail::split(m.right_shift);
    const auto half = static_cast<std::int32_t>(std::uint32_t{1} << s.right >> 1);
    return {m.mantissa, s.right, s.left, 0, 0, 0, half};
  }
};

/// Computes w = floor(acc * mantissa / 2^(right_shift - 1)) wrapped to int32, then (w + 1) / 2, wrapped before the division.
struct wrapped_then_halved : rule_of_types<std::int64_t, multiplier16, to_int32_wrapped> {
  /// Returns the parameters of m.
  DYADIC_API static constexpr formula_parameters<std::int64_t> prepare(multiplier16 m) noexcept {
    return {m.mantissa, m.right_shift - 1};
  }
};

/// Computes p = acc * 2^(15 - right_shift), ties up, saturated to int16, then p * mantissa / 2^15, ties up.
struct saturated_to_int16_first : rule_of_types<std::int32_t, multiplier16, to_int32_saturated> {
  /// Returns the parameters of m.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(multiplier16 m) noexcept {
    // acc * 2^(right - n) / 2^right, with right >= 1
    const int n = m.right_shift - 15;
    const int right = n > 1 ? n : 1;
    const std::int32_t power = std::int32_t{1} << (right - n);
    formula_parameters<std::int32_t> p = scaled32<rounding::single_up, to_int32_saturated>::prepare(power, right);
    p.second = m.mantissa;
    return p;
  }
};

/// Computes fl32(fl32(acc) * scale), rounded to an integer with ties to even. It rounds three times: acc itself loses bits above
/// 2^24.
struct scaled_in_binary32 : rule_of_types<std::int32_t, binary32, to_int32_if_short> {
  /// Returns the parameters of a scale.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(binary32 scale) noexcept {
    formula_parameters<std::int32_t> p{};
    p.second = static_cast<std::int32_t>(scale.bits);
    return p;
  }
};

template <class Ties>
struct rounded_once;         ///< defined in scheme/exact.hpp
struct chained_in_binary32;  ///< defined in scheme/onednn.hpp
struct fused_in_binary32;    ///< defined in scheme/fused.hpp
template <class Accumulator>
struct scaled_in_binary64;  ///< defined in scheme/tflite.hpp

}  // namespace formula

namespace detail::over_one_lane {
inline namespace DYADIC_ISA {
#include <dyadic/scheme/formula.inc>
}  // namespace DYADIC_ISA
}  // namespace detail::over_one_lane

/// Makes a scheme of a formula: its `apply` is the one-lane form.
template <class Formula>
struct by_formula {
  using accumulator = typename Formula::accumulator;          ///< the type that the rule rounds
  using multiplier_type = typename Formula::multiplier_type;  ///< its multiplier
  using formula_type = Formula;                               ///< what vectors run

  /// Returns the rescaled accumulator. Requires: valid(m).
  DYADIC_API static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return detail::over_one_lane::implementation<Formula>::template apply<one_lane>(acc, Formula::prepare(m));
  }
};

namespace detail {

/// True if a scheme has no `finish`, or the `finish` of Base.
template <class Scheme, class Base, class = void>
struct finishes_as : std::bool_constant<!has_finish<Scheme>::value> {};
template <class Scheme, class Base>
struct finishes_as<Scheme, Base, std::enable_if_t<&Scheme::finish == &Base::finish>> : std::true_type {};

template <class Scheme, class = void>
struct has_formula : std::false_type {};
template <class Scheme>
struct has_formula<Scheme, std::enable_if_t<&Scheme::apply == &by_formula<typename Scheme::formula_type>::apply>>
    : finishes_as<Scheme, by_formula<typename Scheme::formula_type>> {};

}  // namespace detail

/// True if vectors may run the scheme: it has a formula, and neither an `apply` nor a `finish` of its own.
template <class Scheme>
inline constexpr bool has_formula = detail::has_formula<Scheme>::value;

/// Returns floor((v * m + R) / 2^t), the formula of every integer scheme. The rule gives R. Requires: 1 <= t <= 63.
/// It is exact while v * m + R is within int64; else the sum wraps in 64 bits. For t <= 62 it is exact for any two 32-bit
/// operands (|v*m| <= 2^62), and for a 48-bit v with a 15-bit m.
template <class Rounding>
DYADIC_API constexpr std::int64_t scaled(std::int64_t v, std::int64_t m, int t) noexcept {
  DYADIC_ASSERT(t >= 1 && t <= 63);
  using text = formula::scaled<std::int64_t, multiplier32, Rounding, to_int64>;
  return detail::over_one_lane::implementation<text>::template apply<one_lane>(v, text::prepare(m, t));
}

namespace detail {

/// Returns true if v * 2^left is an int32.
DYADIC_API constexpr bool preshift_fits(std::int32_t v, split_shift s) noexcept {
  return fits<std::int32_t>(std::int64_t{v} * (std::int64_t{1} << s.left));
}

/// Returns true if low <= m.right_shift <= high.
template <class Mantissa>
DYADIC_API constexpr bool shift_within(multiplier<Mantissa> m, std::int32_t low, std::int32_t high) noexcept {
  return m.right_shift >= low && m.right_shift <= high;
}

/// Turns an otherwise good derivation into an error if its shift is outside low .. high. The value stays the publisher's.
template <class Mantissa>
DYADIC_API constexpr result<multiplier<Mantissa>> limit_shift(result<multiplier<Mantissa>> r, std::int32_t low,
                                                              std::int32_t high) noexcept {
  if (r.status != status::ok || r.value.mantissa == 0) return r;
  if (r.value.right_shift < low) r.status = status::scale_too_large;
  if (r.value.right_shift > high) r.status = status::scale_too_small;
  return r;
}

}  // namespace detail
}  // namespace dyadic

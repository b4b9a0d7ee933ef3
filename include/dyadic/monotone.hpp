// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules from accumulator to output, and the accumulators on which a rule never falls, or never rises. Floor 3.
///
/// A rule is anything callable as `std::int64_t(std::int64_t acc) const`. It may have these members, too:
///   `bool takes(std::int64_t acc) const` is true if acc fits the rule's accumulator. The accumulators that fit are one interval.
///     `compare_thresholds` refuses all other accumulators. `compare_rules` leaves them out.
///   `bool valid(std::int64_t acc) const` is false for accumulators that every comparison must leave out.
///   `std::int64_t piece(std::int64_t acc) const` is the number of acc's piece. A piece is an interval of accumulators. On a
///     piece the rule never falls, or never rises, and `valid` does not change.
/// A rule without pieces promises nothing: each of its accumulators is evaluated.

#include <dyadic/detail/difference.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace detail {

/// Returns the least x in low .. high for which `holds` is true, or high + 1 if there is none. Requires: if `holds` is true for
/// x, it is true for all greater x; |low| and |high| < 2^63 - 1.
template <class Holds>
DYADIC_API constexpr std::int64_t least_that(std::int64_t low, std::int64_t high, const Holds& holds) noexcept {
  while (low <= high) {
    const auto half = static_cast<std::int64_t>((static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low)) / 2);
    const std::int64_t middle = low + half;
    if (holds(middle))
      high = middle - 1;
    else
      low = middle + 1;
  }
  return low;
}

template <class T>
const T& declared() noexcept;  // never defined

/// True if a rule has pieces.
template <class Rule, class = void>
inline constexpr bool has_pieces = false;
template <class Rule>
using piece_number = decltype(std::int64_t{declared<Rule>().piece(0)});
template <class Rule>
inline constexpr bool has_pieces<Rule, std::void_t<piece_number<Rule>>> = true;

/// Returns the number of acc's piece. If the rule has no pieces, each accumulator is a piece, and its number is acc.
template <class Rule>
DYADIC_API constexpr std::int64_t piece_of(const Rule& rule, std::int64_t acc) noexcept {
  if constexpr (has_pieces<Rule>)
    return rule.piece(acc);
  else
    return acc;
}

/// Returns how many multiples of 2^32 y is away from the int32 range.
DYADIC_API constexpr std::int64_t turns(std::int64_t y) noexcept { return (y + (std::int64_t{1} << 31)) >> 32; }

/// The pieces of a formula. A formula is monotone except where a step wraps, because acc * m is monotone. Adding R, shifts,
/// saturation and rounding keep the order. R is smaller where acc * m < 0.
template <class Formula>
struct pieces_of_formula;

template <class Accumulator, class Multiplier, class Rule, class Result>
struct pieces_of_formula<formula::scaled<Accumulator, Multiplier, Rule, Result>> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, Multiplier m) noexcept {
    if constexpr (std::is_same_v<Result, to_int32_wrapped>)
      return turns(scaled<Rule>(acc, m.mantissa, m.right_shift));
    else
      return 0;
  }
};
/// Only the pre-shift wraps. After it |acc * m| / 2^31 fits an int32, except for min * min, which saturates or is not valid.
template <class Rule, class Result, int LeastRight>
struct pieces_of_formula<formula::preshifted<Rule, Result, LeastRight>> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, multiplier32 m) noexcept {
    return turns(acc * (std::int64_t{1} << split(m.right_shift, LeastRight).left));
  }
};
/// The pre-shift wraps. If the mantissa is -2^31, the product wraps as well where the pre-shifted value is -2^31, the least value
/// of a piece.
template <>
struct pieces_of_formula<formula::floor_then_half_up> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, multiplier32 m) noexcept {
    const std::int64_t v = acc * (std::int64_t{1} << split(m.right_shift).left);
    return 2 * turns(v) + (m.mantissa == int32_min && wrap<std::int32_t>(v) != int32_min ? 1 : 0);
  }
};
template <>
struct pieces_of_formula<formula::wrapped_then_halved> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, multiplier16 m) noexcept {
    return turns((acc * m.mantissa >> (m.right_shift - 1)) + 1);
  }
};
template <>
struct pieces_of_formula<formula::saturated_to_int16_first> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t, multiplier16) noexcept { return 0; }
};
template <>
struct pieces_of_formula<formula::scaled_in_binary32> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t, binary32) noexcept { return 0; }
};
template <class Ties>
struct pieces_of_formula<formula::rounded_once<Ties>> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t, multiplier32) noexcept { return 0; }
};
/// At both ends of the range of accumulators the product of the accumulator and the scales may be NaN: infinity times 0.
template <>
struct pieces_of_formula<formula::chained_in_binary32> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, onednn::scales m) noexcept {
    return !is_nan(onednn::f32::chain(static_cast<std::int32_t>(acc), m)) ? 0 : acc < 0 ? -1 : 1;
  }
};

template <class Accumulator>
struct pieces_of_formula<formula::scaled_in_binary64<Accumulator>> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t, binary64) noexcept { return 0; }
};

template <class T, class = void>
inline constexpr bool promises_monotony = false;
template <class T>
using promise_of = decltype(T::is_monotone);
template <class T>
inline constexpr bool promises_monotony<T, std::void_t<promise_of<T>>> = T::is_monotone;

/// The pieces of a scheme that has a formula or promises to be monotone.
template <class Scheme>
struct pieces_of {
  static constexpr bool known = dyadic::has_formula<Scheme> || promises_monotony<Scheme>;

  /// Returns acc if nothing is known of the scheme, or if acc exceeds the scheme's accumulator, because other steps wrap there.
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, typename Scheme::multiplier_type m) noexcept {
    if (!known || !fits_accumulator<Scheme>(acc)) return acc;
    if constexpr (dyadic::has_formula<Scheme>)
      return pieces_of_formula<typename Scheme::formula_type>::piece(acc, m);
    else
      return 0;
  }
};

}  // namespace detail

/// Returns all accumulators of a scheme with 32 or 48 bits, and -2^62 .. 2^62 for a scheme with 64 bits.
template <class Scheme>
DYADIC_API constexpr interval accumulators_of() noexcept {
  constexpr std::int64_t half =
      std::int64_t{1} << (detail::accumulator_bits<Scheme>::value < 64 ? detail::accumulator_bits<Scheme>::value - 1 : 62);
  return {-half, half < std::int64_t{1} << 62 ? half - 1 : half};
}

/// The rule acc -> Scheme::apply(acc, m). `rule_of` makes it.
template <class Scheme>
struct scheme_rule {
  typename Scheme::multiplier_type m;  ///< valid for the scheme

  /// Tells if acc is within the bits of the scheme's accumulator.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return fits_accumulator<Scheme>(acc); }
  /// Returns the rescaled accumulator. Requires: takes(acc).
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
    DYADIC_ASSERT(takes(acc));
    return Scheme::apply(static_cast<typename Scheme::accumulator>(acc), m);
  }
  /// Returns the number of acc's piece. This member exists only if the pieces of the scheme are known.
  template <class S = Scheme, std::enable_if_t<detail::pieces_of<S>::known, int> = 0>
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept {
    return detail::pieces_of<S>::piece(acc, m);
  }
};

/// The rule acc -> requantize<Scheme>(acc, m, range): the output with its zero point and its clamp.
template <class Scheme>
struct output_rule {
  typename Scheme::multiplier_type m;  ///< valid for the scheme
  output_range range;                  ///< zero point and activation range of the output

  /// Tells if acc is within the bits of the scheme's accumulator.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return fits_accumulator<Scheme>(acc); }
  /// Returns the output. Requires: takes(acc).
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
    DYADIC_ASSERT(takes(acc));
    return requantize<Scheme>(static_cast<typename Scheme::accumulator>(acc), m, range);
  }
  /// Returns the number of acc's piece. Neither a zero point nor a clamp changes the piece.
  template <class S = Scheme, std::enable_if_t<detail::pieces_of<S>::known, int> = 0>
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept {
    return detail::pieces_of<S>::piece(acc, m);
  }
};

/// A user's rule, and the accumulators on which the user promises that it never falls or never rises. `monotone` makes it.
template <class Rule>
struct monotone_rule {
  Rule rule;    ///< anything callable
  interval on;  ///< where the promise holds

  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return rule(acc); }  ///< what the rule gives
  /// Returns true if the rule takes acc.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return detail::takes_accumulator(rule, acc, 0); }
  /// Returns the least accumulator of the piece. Each accumulator outside of `on` is a piece of its own.
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept {
    return acc < on.low || acc > on.high ? acc : on.low;
  }
};

/// Returns the rule of a scheme, for any accumulator of the scheme. Requires: Scheme::valid(m). A user's scheme may have a static
/// member `is_monotone`. If it is true, it promises that `apply` (and `finish`) never fall or never rise.
template <class Scheme>
DYADIC_API constexpr scheme_rule<Scheme> rule_of(typename Scheme::multiplier_type m) noexcept {
  DYADIC_ASSERT(Scheme::valid(m));
  return {m};
}

/// Returns the rule with its zero point and its clamp. Requires: Scheme::valid(m).
template <class Scheme>
DYADIC_API constexpr output_rule<Scheme> rule_of(typename Scheme::multiplier_type m, output_range range) noexcept {
  DYADIC_ASSERT(Scheme::valid(m));
  return {m, range};
}

/// Returns a user's rule with the promise that it never falls, or never rises, on the accumulators `on`.
template <class Rule>
DYADIC_API constexpr monotone_rule<Rule> monotone(const Rule& rule, interval on) noexcept {
  return {rule, on};
}

/// Returns the piece of `rule_of<Scheme>(m)` around acc: the largest interval of the scheme's accumulators that is known to be
/// monotone. The piece has all accumulators if nothing wraps, or 2^(32 - l) of them after a pre-shift to the left by l. It is acc
/// alone if the scheme promises nothing. Requires: Scheme::valid(m); acc is an accumulator of the scheme.
template <class Scheme>
DYADIC_API constexpr interval monotone_on(typename Scheme::multiplier_type m, std::int64_t acc = 0) noexcept {
  DYADIC_ASSERT(Scheme::valid(m) && acc >= accumulators_of<Scheme>().low && acc <= accumulators_of<Scheme>().high);
  const interval all = accumulators_of<Scheme>();
  const std::int64_t number = detail::pieces_of<Scheme>::piece(acc, m);
  const auto of_it = [&](std::int64_t other) { return detail::pieces_of<Scheme>::piece(other, m) == number; };
  return {detail::least_that(all.low, acc, of_it),
          detail::least_that(acc, all.high, [&](std::int64_t other) { return !of_it(other); }) - 1};
}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules from accumulator to output, and where they never fall, or never rise, as the accumulator grows. Floor 3.
///
/// A rule is anything callable as `std::int64_t(std::int64_t acc) const`. It may also have
///   `bool takes(std::int64_t acc) const`: whether acc fits the rule's accumulator, which holds for one interval.
///     `differing` refuses all other accumulators, and `compare` leaves them out;
///   `bool valid(std::int64_t acc) const`: accumulators for which that is false are left out of every comparison;
///   `std::int64_t piece(std::int64_t acc) const`: the number of acc's piece. A piece is an interval of accumulators on which the
///     rule never falls, or never rises, and `valid` is the same.
/// A rule without pieces promises nothing, and is swept.

#include <dyadic/detail/difference.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace detail {

/// The least x in low .. high for which `holds`, high + 1 if there is none. Requires: it holds for all above one for which it
/// does; |low| and |high| < 2^63 - 1.
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

/// Whether a rule has pieces.
template <class Rule, class = void>
inline constexpr bool has_pieces = false;
template <class Rule>
using piece_number = decltype(std::int64_t{declared<Rule>().piece(0)});
template <class Rule>
inline constexpr bool has_pieces<Rule, std::void_t<piece_number<Rule>>> = true;

/// The piece of acc; of a rule without pieces each accumulator is one.
template <class Rule>
DYADIC_API constexpr std::int64_t piece_of(const Rule& rule, std::int64_t acc) noexcept {
  if constexpr (has_pieces<Rule>)
    return rule.piece(acc);
  else
    return acc;
}

/// How many times y has wrapped in 32 bits.
DYADIC_API constexpr std::int64_t turns(std::int64_t y) noexcept { return (y + (std::int64_t{1} << 31)) >> 32; }

/// The pieces of a formula: it is monotone but where something wraps, for acc * m is, and adding R, shifts, saturation and
/// rounding keep the order. R is less where acc * m < 0.
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
/// The pre-shift wraps. After it |acc * m| / 2^31 is an int32 but for min * min, which saturates, or is not valid.
template <class Rule, class Result, int LeastRight>
struct pieces_of_formula<formula::preshifted<Rule, Result, LeastRight>> {
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, multiplier32 m) noexcept {
    return turns(acc * (std::int64_t{1} << split(m.right_shift, LeastRight).left));
  }
};
/// The same; of mantissa -2^31, the pre-shifted -2^31, the least of its turn, wraps again.
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
/// The chain is a NaN, infinity times 0, at both ends of the accumulators.
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

/// What is known of a scheme.
template <class Scheme>
struct pieces_of {
  static constexpr bool known = dyadic::has_formula<Scheme> || promises_monotony<Scheme>;

  /// Beyond the scheme's accumulators something else wraps: each is a piece.
  DYADIC_API static constexpr std::int64_t piece(std::int64_t acc, typename Scheme::multiplier_type m) noexcept {
    if (!known || !fits_accumulator<Scheme>(acc)) return acc;
    if constexpr (dyadic::has_formula<Scheme>)
      return pieces_of_formula<typename Scheme::formula_type>::piece(acc, m);
    else
      return 0;
  }
};

}  // namespace detail

/// The accumulators of a scheme: 32 or 48 bits of them; of 64 bits those within +-2^62.
template <class Scheme>
DYADIC_API constexpr interval accumulators_of() noexcept {
  constexpr std::int64_t half =
      std::int64_t{1} << (detail::accumulator_bits<Scheme>::value < 64 ? detail::accumulator_bits<Scheme>::value - 1 : 62);
  return {-half, half < std::int64_t{1} << 62 ? half - 1 : half};
}

/// acc -> Scheme::apply(acc, m): what `rule_of` makes.
template <class Scheme>
struct scheme_rule {
  typename Scheme::multiplier_type m;  ///< valid for the scheme

  /// Tells if acc is within the bits of the scheme's accumulator.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return fits_accumulator<Scheme>(acc); }
  /// The rescaled accumulator. Requires: takes(acc).
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
    DYADIC_ASSERT(takes(acc));
    return Scheme::apply(static_cast<typename Scheme::accumulator>(acc), m);
  }
  /// Its piece, of a scheme that promises pieces.
  template <class S = Scheme, std::enable_if_t<detail::pieces_of<S>::known, int> = 0>
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept {
    return detail::pieces_of<S>::piece(acc, m);
  }
};

/// acc -> requantize<Scheme>(acc, m, range): the output with its zero point and its clamp.
template <class Scheme>
struct output_rule {
  typename Scheme::multiplier_type m;  ///< valid for the scheme
  output_range range;                  ///< of the output

  /// Tells if acc is within the bits of the scheme's accumulator.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return fits_accumulator<Scheme>(acc); }
  /// The output. Requires: takes(acc).
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
    DYADIC_ASSERT(takes(acc));
    return requantize<Scheme>(static_cast<typename Scheme::accumulator>(acc), m, range);
  }
  /// Its piece: neither a zero point nor a clamp changes it.
  template <class S = Scheme, std::enable_if_t<detail::pieces_of<S>::known, int> = 0>
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept {
    return detail::pieces_of<S>::piece(acc, m);
  }
};

/// A rule of yours and the accumulators on which, you promise, it never falls or never rises: what `monotone` makes.
template <class Rule>
struct monotone_rule {
  Rule rule;    ///< anything callable
  interval on;  ///< where the promise holds

  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return rule(acc); }  ///< what the rule gives
  /// Tells if the rule takes acc.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return detail::takes_accumulator(rule, acc, 0); }
  /// The least accumulator of the piece: each accumulator outside of `on` is a piece of its own.
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept {
    return acc < on.low || acc > on.high ? acc : on.low;
  }
};

/// The rule of a scheme for any accumulator of the scheme. Requires: Scheme::valid(m). A scheme of yours with a static member
/// `is_monotone`, true, promises that its `apply` (and `finish`) never fall or never rise.
template <class Scheme>
DYADIC_API constexpr scheme_rule<Scheme> rule_of(typename Scheme::multiplier_type m) noexcept {
  DYADIC_ASSERT(Scheme::valid(m));
  return {m};
}

/// The rule with its zero point and its clamp. Requires: as above.
template <class Scheme>
DYADIC_API constexpr output_rule<Scheme> rule_of(typename Scheme::multiplier_type m, output_range range) noexcept {
  DYADIC_ASSERT(Scheme::valid(m));
  return {m, range};
}

/// A rule of yours, with a promise: it never falls, or never rises, on these accumulators.
template <class Rule>
DYADIC_API constexpr monotone_rule<Rule> monotone(const Rule& rule, interval on) noexcept {
  return {rule, on};
}

/// The piece around acc of what `rule_of<Scheme>(m)` gives: the largest interval of the scheme's accumulators known to be
/// monotone. It is all of them where nothing wraps; of a pre-shift to the left by l, 2^(32 - l) of them; of a scheme that
/// promises nothing, acc alone. Requires: Scheme::valid(m); acc is an accumulator of the scheme.
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

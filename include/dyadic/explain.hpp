// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Explains the result of a rule by its steps and their values. Opt-in. Roof.
///
///   q::to_string(q::explain<q::tflite::double_rounding>(1, {1 << 30, 32})).c_str();
///   // "times 1073741824: 1073741824; rounding at bit 31: tie, up to 1; rounding at bit 1: tie, up to 1"
///
/// The steps are those of the publisher, one rounding after the other. The library's formula may instead add one constant. The
/// last value is the result of `apply`.

#include <dyadic/monotone.hpp>

namespace dyadic {

/// The kind of a step.
enum class step_kind : std::uint8_t {
  pre_shift,     ///< shifts left by `bits` and wraps to 32 bits
  product,       ///< multiplies by `operand`
  rounding,      ///< shifts right by `bits` and rounds; 0 bits for a float
  narrowing,     ///< wraps or saturates to `bits` bits; absent if the value fits
  conversion,    ///< converts to a float; absent if exact
  real_product,  ///< multiplies by a scale and rounds to a float
  rule,          ///< the whole rule of a scheme that the library does not know
};

/// The dropped bits, in units of the last bit that stays.
enum class remainder : std::uint8_t {
  none,        ///< the quotient is exact
  below_half,  ///< nearer to the lower neighbour
  half,        ///< a tie
  above_half,  ///< nearer to the upper neighbour
};

/// A step of a rule.
struct step {
  step_kind kind;             ///< the kind of the step
  int bits;                   ///< bits shifted or kept; digits of a float
  std::int64_t operand;       ///< second operand of an integer product
  std::int64_t value;         ///< integer result; saturated if a product does not fit
  binary64 real;              ///< float result
  dyadic::remainder dropped;  ///< the bits that a rounding dropped
  bool went_up;               ///< true if a rounding went to the upper neighbour; false if exact
};

/// The steps of a rule for one accumulator.
class explanation {
 public:
  DYADIC_API constexpr const step* begin() const noexcept DYADIC_LIFETIME_BOUND { return steps_; }         ///< the first step
  DYADIC_API constexpr const step* end() const noexcept DYADIC_LIFETIME_BOUND { return steps_ + count_; }  ///< past the last step
  DYADIC_API constexpr std::int64_t value() const noexcept { return value_; }  ///< the result of `apply`

  /// Starts with an accumulator and no steps.
  DYADIC_API constexpr explicit explanation(std::int64_t acc) noexcept : value_{acc} {}
  /// Appends a step. Keeps at most 8 steps.
  DYADIC_API constexpr explanation& add(const step& next) noexcept {
    if (count_ < 8) steps_[count_++] = next;
    value_ = next.value;
    return *this;
  }

 private:
  step steps_[8] = {};
  index_t count_ = 0;
  std::int64_t value_;
};

namespace detail {

DYADIC_API constexpr void add_pre_shift(explanation& e, int left) noexcept {
  if (left > 0) e.add({step_kind::pre_shift, left, 0, wrap<std::int32_t>(e.value() * (std::int64_t{1} << left)), {}, {}, false});
}
DYADIC_API constexpr void add_product(explanation& e, std::int64_t by) noexcept {
  const wide product = multiply(e.value(), by);
  e.add({step_kind::product, 64, by, shift_right_saturated<to_floor>(product, 0), {}, {}, false});
}
/// Narrow the value to 32 or 16 bits if it does not fit.
/// @{
template <class To>
DYADIC_API constexpr void add_wrap(explanation& e) noexcept {
  if (!fits<To>(e.value())) e.add({step_kind::narrowing, limits<To>::digits + 1, 0, wrap<To>(e.value()), {}, {}, false});
}
template <class To>
DYADIC_API constexpr void add_saturation(explanation& e) noexcept {
  if (!fits<To>(e.value())) e.add({step_kind::narrowing, limits<To>::digits + 1, 0, saturate<To>(e.value()), {}, {}, false});
}
/// @}
/// Adds a rounding. The result for a tie rule is rounded(ties). The results of other tie rules show what is dropped.
template <class Ties, class Rounded>
DYADIC_API constexpr void add_rounding_of(explanation& e, int bits, const Rounded& rounded) noexcept {
  const std::int64_t low = rounded(to_floor{});
  const std::int64_t high = rounded(to_ceiling{});
  const bool is_half = rounded(half_away{}) != rounded(half_to_zero{});
  const remainder dropped = low == high                  ? remainder::none
                            : is_half                    ? remainder::half
                            : rounded(half_up{}) == high ? remainder::above_half
                                                         : remainder::below_half;
  const std::int64_t value = rounded(Ties{});
  e.add({step_kind::rounding, bits, 0, value, {}, dropped, value != low});
}
/// Adds the rounding of an integer.
template <class Ties>
DYADIC_API constexpr void add_rounding(explanation& e, int bits) noexcept {
  const std::int64_t before = e.value();
  if (bits > 0) add_rounding_of<Ties>(e, bits, [&](auto ties) { return shift_right<decltype(ties)>(before, bits); });
}
/// Adds the roundings of acc * mantissa. Its lowest t bits are dropped.
template <class Rounding>
DYADIC_API constexpr void add_roundings(explanation& e, int t) noexcept {
  constexpr bool is_double = std::is_same_v<Rounding, rounding::double_away> || std::is_same_v<Rounding, rounding::double_up>;
  const int first = is_double && t > 31 ? 31 : t;
  if constexpr (std::is_same_v<Rounding, rounding::single_away>)
    add_rounding<half_away>(e, first);
  else
    add_rounding<half_up>(e, first);
  if constexpr (std::is_same_v<Rounding, rounding::double_away>)
    add_rounding<half_away>(e, t - first);
  else
    add_rounding<half_up>(e, t - first);
}
template <class Result>
DYADIC_API constexpr void add_narrowing(explanation& e) noexcept {
  if constexpr (std::is_same_v<Result, to_int32_saturated>)
    add_saturation<std::int32_t>(e);
  else if constexpr (!std::is_same_v<Result, to_int64>)
    add_wrap<std::int32_t>(e);
}
/// Adds the steps of float arithmetic: acc as a float, times the scales, each product rounded, then rounded to an integer.
template <class Ties, class Float, class... Scales>
DYADIC_API constexpr void add_float_steps(explanation& e, Float first, Scales... others) noexcept {
  Float v = from_integer<Float>(e.value());
  if (to_integer<half_even>(v) != e.value()) e.add({step_kind::conversion, Float::digits, 0, 0, v, {}, false});
  const auto by = [&](Float one_scale) {
    v = multiply(v, one_scale);
    e.add({step_kind::real_product, Float::digits, 0, 0, v, {}, false});
  };
  by(first);
  (by(others), ...);
  add_rounding_of<Ties>(e, 0, [&](auto ties) { return to_integer<decltype(ties)>(v); });
}

/// Add the steps of a formula.
/// @{
template <class Accumulator, class Multiplier, class Rounding, class Result>
DYADIC_API constexpr void add_steps(formula::scaled<Accumulator, Multiplier, Rounding, Result>, explanation& e,
                                    Multiplier m) noexcept {
  add_product(e, m.mantissa);
  add_roundings<Rounding>(e, m.right_shift);
  add_narrowing<Result>(e);
}
template <class Rounding, class Result, int LeastRight>
DYADIC_API constexpr void add_steps(formula::preshifted<Rounding, Result, LeastRight>, explanation& e, multiplier32 m) noexcept {
  const split_shift s = split(m.right_shift, LeastRight);
  add_pre_shift(e, s.left);
  add_product(e, m.mantissa);
  add_roundings<Rounding>(e, 31 + s.right);
  add_narrowing<Result>(e);
}
DYADIC_API constexpr void add_steps(formula::floor_then_half_up, explanation& e, multiplier32 m) noexcept {
  const split_shift s = split(m.right_shift);
  add_pre_shift(e, s.left);
  add_product(e, m.mantissa);
  add_rounding<to_floor>(e, 31);
  add_wrap<std::int32_t>(e);
  const std::int64_t highest = int32_max - (std::int64_t{1} << s.right >> 1);
  if (e.value() > highest)
    e.add({step_kind::narrowing, 32, 0, int32_max, {}, {}, false});
  else
    add_rounding<half_up>(e, s.right);
}
DYADIC_API constexpr void add_steps(formula::wrapped_then_halved, explanation& e, multiplier16 m) noexcept {
  add_product(e, m.mantissa);
  add_rounding<to_floor>(e, m.right_shift - 1);
  add_wrap<std::int32_t>(e);
  const bool wraps = e.value() == int32_max;
  add_rounding<half_up>(e, 1);
  if (wraps) e.add({step_kind::narrowing, 32, 0, int32_min / 2, {}, {}, false});
}
DYADIC_API constexpr void add_steps(formula::saturated_to_int16_first, explanation& e, multiplier16 m) noexcept {
  const int n = m.right_shift - 15;
  if (n < 0) add_product(e, std::int64_t{1} << -n);
  add_rounding<half_up>(e, n);
  add_saturation<std::int16_t>(e);
  add_product(e, m.mantissa);
  add_rounding<half_up>(e, 15);
}
DYADIC_API constexpr void add_steps(formula::scaled_in_binary32, explanation& e, binary32 scale) noexcept {
  add_float_steps<half_even>(e, scale);
}
template <class Ties>
DYADIC_API constexpr void add_steps(formula::rounded_once<Ties>, explanation& e, multiplier32 m) noexcept {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  const wide product = multiply(e.value(), std::int64_t{m.mantissa});
  add_product(e, m.mantissa);
  add_rounding_of<Ties>(e, m.right_shift,
                        [&](auto ties) { return shift_right_saturated<decltype(ties)>(product, m.right_shift); });
  if (clamp(e.value(), -limit, limit) != e.value())
    e.add({step_kind::narrowing, 63, 0, clamp(e.value(), -limit, limit), {}, {}, false});
}
template <class Accumulator>
DYADIC_API constexpr void add_steps(formula::scaled_in_binary64<Accumulator>, explanation& e, binary64 scale) noexcept {
  add_float_steps<half_away>(e, scale);
}
DYADIC_API constexpr void add_steps(formula::chained_in_binary32, explanation& e, onednn::scales m) noexcept {
  add_float_steps<half_even>(e, m.source, m.weight, m.inverse_destination);
}
/// @}

}  // namespace detail

/// Returns the steps of Scheme::apply(acc, m), each with its value. A scheme of yours with its own `apply` has one step, `rule`.
/// Requires: Scheme::valid(m), acc within the bits of the scheme's accumulator.
template <class Scheme>
DYADIC_API constexpr explanation explain(typename Scheme::accumulator acc, typename Scheme::multiplier_type m) noexcept {
  DYADIC_ASSERT(Scheme::valid(m) && fits_accumulator<Scheme>(acc));
  explanation e(acc);
  if constexpr (has_formula<Scheme>)
    detail::add_steps(typename Scheme::formula_type{}, e, m);
  else
    e.add({step_kind::rule, 0, 0, Scheme::apply(acc, m), {}, {}, false});
  return e;
}

namespace detail {

/// Appends a float exactly: an odd integer times a power of two.
template <index_t Size>
DYADIC_API constexpr void add_real(text<Size>& t, binary64 x) noexcept {
  if (!is_finite(x)) {
    t.add(is_nan(x) ? "NaN" : is_negative(x) ? "-infinity" : "infinity");
    return;
  }
  fraction f = decompose(x);
  if (f.significand == 0) {
    t.add("0");
    return;
  }
  for (; (f.significand & 1u) == 0 && f.exponent < 0; ++f.exponent) f.significand >>= 1;
  t.add(f.negative ? "-" : "").add(f.significand);
  if (f.exponent != 0) t.add(" * 2^").add(std::int64_t{f.exponent});
}

template <index_t Size>
DYADIC_API constexpr void add_step(text<Size>& t, const step& s) noexcept {
  const char* const remainders[] = {"exact", "below half", "tie", "above half"};
  switch (s.kind) {
    case step_kind::pre_shift: t.add("shifted to the left by ").add(std::int64_t{s.bits}).add(": ").add(s.value); return;
    case step_kind::product: t.add("times ").add(s.operand).add(": ").add(s.value); return;
    case step_kind::narrowing: t.add("to ").add(std::int64_t{s.bits}).add(" bits: ").add(s.value); return;
    case step_kind::rule: t.add("by the rule: ").add(s.value); return;
    case step_kind::conversion: t.add("as a float of ").add(std::int64_t{s.bits}).add(" digits: "); return add_real(t, s.real);
    case step_kind::real_product: t.add("times the scale: "); return add_real(t, s.real);
    case step_kind::rounding: break;
  }
  t.add("rounding");
  if (s.bits > 0) t.add(" at bit ").add(std::int64_t{s.bits});
  t.add(": ").add(remainders[static_cast<int>(s.dropped)]);
  t.add(s.dropped == remainder::none ? ", " : s.went_up ? ", up to " : ", down to ").add(s.value);
}

}  // namespace detail

/// Prints the steps for humans: "times 3: 9; rounding at bit 1: tie, up to 5".
DYADIC_API constexpr text<768> to_string(const explanation& e) noexcept {
  text<768> t;
  for (const step& s : e) detail::add_step(t.size() == 0 ? t : t.add("; "), s);
  return t;
}

/// Prints the difference, then the steps of both schemes at the first difference: "9 of .. at 15, 40\na: ..\nb: ..". Requires: d
/// is the difference of a and b.
template <class A, class B>
DYADIC_API constexpr text<2048> explain(const difference& d, const scheme_rule<A>& a, const scheme_rule<B>& b) noexcept {
  text<2048> t;
  t.add(to_string(d).c_str());
  if (d.differing == 0) return t;
  DYADIC_ASSERT(a.takes(d.first.acc) && b.takes(d.first.acc));
  t.add("\na: ").add(to_string(explain<A>(static_cast<typename A::accumulator>(d.first.acc), a.m)).c_str());
  t.add("\nb: ").add(to_string(explain<B>(static_cast<typename B::accumulator>(d.first.acc), b.m)).c_str());
  return t;
}

/// Explains the difference of two outputs before their zero point and their clamp.
template <class A, class B>
DYADIC_API constexpr text<2048> explain(const difference& d, const output_rule<A>& a, const output_rule<B>& b) noexcept {
  return explain(d, scheme_rule<A>{a.m}, scheme_rule<B>{b.m});
}

}  // namespace dyadic

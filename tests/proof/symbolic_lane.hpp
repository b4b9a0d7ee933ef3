#pragma once
/// \file
/// The lane type of dyadic/detail/lanes.hpp over terms. The text of scheme/formula.inc compiles for it unchanged.

#include <dyadic/scheme/formula.hpp>

#include "claim.hpp"

namespace proof {

/// The integers of a lane, as distinct types.
/// @{
struct term32 : term {
  term32(const term& t = number(32, 0)) : term{t} {}
};
struct term64 : term {
  term64(const term& t = number(64, 0)) : term{t} {}
};
/// @}

struct symbolic_lane {
  static constexpr int count = 1;
  using int32s = term32;
  using int64s = term64;
  using products = term64;
  /// The claim. Constants of a formula are constants of the claim.
  static inline question* asked = nullptr;

  static products multiply(const int32s& a, const int32s& b) { return product(a, b); }
  static int64s multiply(const int64s& a, const int64s& b) { return product_low(a, b); }
  static int32s multiply_high16(const int32s& a, const int32s& m) { return high(multiply(a, m)); }
  static int64s add(const int64s& a, const int64s& b) { return a + b; }
  static int64s subtract(const int64s& a, const int64s& b) { return a - b; }
  static int64s bit_and(const int64s& a, const int64s& b) { return a & b; }
  static int64s negative(const int64s& a) { return proof::shift_right(a, 63); }
  static int64s shift_right(const int64s& a, int n) { return proof::shift_right(a, within(n, 1, 63)); }
  static int32s wrap(const int64s& a) { return wrapped(a, 32); }
  static int32s saturate(const int64s& a) { return saturated(a, 32); }
  static int32s high(const int64s& a) { return extract(a, 63, 32); }
  static products sign_weight(const int32s& a) { return proof::shift_left(extend_unsigned(is_negative(a), 64), 31); }

  static int32s add(const int32s& a, const int32s& b) { return a + b; }
  static int32s subtract(const int32s& a, const int32s& b) { return a - b; }
  static int32s multiply_low(const int32s& a, const int32s& b) { return product_low(a, b); }
  static int32s shift_left(const int32s& a, int n) { return proof::shift_left(a, within(n, 0, 31)); }
  static int32s shift_right(const int32s& a, int n) { return proof::shift_right(a, within(n, 0, 31)); }
  static int32s min(const int32s& a, const int32s& b) { return proof::min(a, b); }
  static int32s max(const int32s& a, const int32s& b) { return proof::max(a, b); }
  static int32s select_greater(const int32s& a, const int32s& b, const int32s& x, const int32s& y) {
    return select(less(b, a), x, y);
  }
  static int32s select_equal(const int32s& a, const int32s& b, const int32s& x, const int32s& y) {
    return select(equal(a, b), x, y);
  }
  static int32s broadcast(std::int32_t x) { return asked->constant(32, x); }
  template <class Wide>
  static Wide broadcast64(std::int64_t x) {
    return asked->constant(64, x, -x / 2);
  }
  static constexpr bool has_product_sum = false;
  template <class Rule>
  static constexpr bool has_rounded_product = false;

 private:
  static int within(int n, int low, int high) {
    if (n < low || n > high) refuse("a shift by " + std::to_string(n) + " is beyond the contract of lanes.hpp");
    return n;
  }
};

template <class Accumulator>
using term_of = std::conditional_t<sizeof(Accumulator) == 8, term64, term32>;
template <class Accumulator>
inline constexpr int bits_of = static_cast<int>(8 * sizeof(Accumulator));

/// formula_parameters with a symbol as mantissa. The other parameters come from `prepare`, which reads no mantissa for them.
template <class Lane>
struct symbolic_parameters {
  Lane mantissa;
  int right_shift = 0;
  int pre_shift = 0;
  term64 constant;
  term64 change;
  term32 second;
  term32 half;
};

template <class Scheme>
constexpr bool mantissa_is_second = std::is_same_v<typename Scheme::formula_type, dyadic::formula::saturated_to_int16_first>;

/// Returns `apply` of the scheme for v and mantissa * 2^-t.
template <class Scheme>
term general_form(question& q, const term& v, const term& mantissa, int t) {
  using formula = typename Scheme::formula_type;
  using accumulator = typename Scheme::accumulator;
  using lane = term_of<accumulator>;
  const auto p = formula::prepare({0, t});
  symbolic_parameters<lane> of{mantissa, p.right_shift, p.pre_shift, {}, {}, {}, {}};
  of.constant = p.constant == 0 ? number(64, 0) : q.constant(64, p.constant);
  of.change = p.change == 0 ? number(64, 0) : q.constant(64, p.change);
  of.half = p.half == 0 ? number(32, 0) : q.constant(32, p.half);
  if constexpr (mantissa_is_second<Scheme>) {
    of.second = mantissa;
    of.mantissa = q.constant(bits_of<accumulator>, p.mantissa);
  }
  symbolic_lane::asked = &q;
  return dyadic::detail::over_one_lane::implementation<formula>::template apply<symbolic_lane>(lane{v}, of);
}

/// Returns `apply` of a scheme of 64-bit accumulators over int32s. The mantissa, R and 2^t are multiplied by 2^16.
template <class Scheme>
term pre_scaled_form(question& q, const term& v, const term& mantissa, int t) {
  using formula = typename Scheme::formula_type;
  const auto p = formula::prepare({0, t});
  const term64 constant = q.constant(64, p.constant * 65536, 65536), change = number(64, p.change * 65536);
  const symbolic_parameters<term32> of{mantissa, p.right_shift + 16, 0, constant, change, {}, {}};
  symbolic_lane::asked = &q;
  return dyadic::detail::over_one_lane::implementation<formula>::template apply<symbolic_lane>(term32{v}, of);
}

/// Returns `apply_high_half` of the scheme for mantissa * 2^-t, with the zero point of the output folded in.
template <class Scheme>
term high_half_form(question& q, const term& v, const term& mantissa, int t, const term& zero_point) {
  namespace code = dyadic::detail::over_one_lane;
  // high_half_rounding takes a number as its zero point and adds a multiple of it.
  const term of_one = number(32, code::high_half_rounding<dyadic::one_lane>(t - 32, 1)) -
                      number(32, code::high_half_rounding<dyadic::one_lane>(t - 32, 0));
  const term rounding = q.constant(32, code::high_half_rounding<dyadic::one_lane>(t - 32, 0)) + zero_point * of_one;
  const code::high_half_parameters<term32, term32, int> p{mantissa, rounding, t - 32};
  symbolic_lane::asked = &q;
  return code::implementation<typename Scheme::formula_type>::template apply_high_half<symbolic_lane>(term32{v}, p);
}

}  // namespace proof

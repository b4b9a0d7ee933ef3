// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Real functions in integers: enclosures of exp, log, elu, sigmoid, tanh, erf, gelu, silu and reciprocals, without a mathematics
/// library. Floor 2. A function is a struct whose `of(x)` encloses its value for the number x. The result is a bound and not an
/// estimate: a series is cut where its rest is bounded, and the radius includes every rounding. The radius is about 2^-55 of the
/// value, and 2^-50 for gelu and erf.

#include <dyadic/elementwise/enclosure.hpp>

namespace dyadic::exact {

namespace detail {

/// ln(2) * 2^128.
inline constexpr unsigned_wide ln_2{0xB172'17F7'D1CF'79ABu, 0xC9E3'B398'03F2'F6AFu};
/// 1 / ln(2) * 2^63, 2 / sqrt(pi) and 1 / sqrt(2 * pi), rounded down.
inline constexpr std::uint64_t inverse_ln_2 = 0xB8AA'3B29'5C17'F0BBu;
inline constexpr enclosure two_over_root_pi{false, 0x906E'BA82'14DB'688Du, -63, 1};
inline constexpr enclosure one_over_root_two_pi{false, 0xCC42'299E'A1B2'8468u, -65, 1};
inline constexpr enclosure one{false, std::uint64_t{1} << 63, -63, 0};
/// 2^5000: divided by any scale it exceeds every type.
inline constexpr enclosure too_large{false, std::uint64_t{1} << 63, 5000 - 63, 0};

/// t(n) = 1 + r * t(n + 1) / n, from t(20) = 1 down to t(first). t(1) is exp(r), t(2) is (exp(r) - 1) / r. The sum t counts
/// 2^-63, and r, at most ln(2), counts 2^-64. The error is at most 8 units:
///   Each step loses less than 2 units and takes over less than r / n of the last error. All errors are less than 5 units.
///   The argument r is wrong by at most 2 units of 2^-64, which moves t by less than 2 units.
///   The rest of the series, which begins with r^20 / 20!, is below a unit.
DYADIC_API constexpr std::uint64_t exponential_sum(std::uint64_t r, std::uint64_t first) noexcept {
  constexpr std::uint64_t unit = std::uint64_t{1} << 63;
  std::uint64_t sum = unit;
  for (std::uint64_t n = 19; n >= first; --n) sum = unit + multiply(r, sum).high / n;
  return sum;
}
inline constexpr std::uint64_t exponential_sum_radius = 8;

/// |v| in units of 2^-64, rounded down, and a bound of the error in these units. Requires: |v| < 2^13.
struct fixed_argument {
  unsigned_wide value;
  std::uint64_t error;
};
DYADIC_API constexpr fixed_argument to_fixed(enclosure v) noexcept {
  const int shift = v.exponent + 64;  // 0 or more: a shift to the left
  if (shift <= -64) return {{0, 0}, 2};
  if (shift < 0) return {{0, v.significand >> -shift}, (v.radius >> -shift) + 2};
  if (shift == 0) return {{0, v.significand}, v.radius};
  return {{v.significand >> (64 - shift), v.significand << shift}, v.radius << shift};
}

/// exp of a real whose magnitude is below 2^12. It is 2^k * exp(r), where |v| = k * ln(2) + r, or 2^(-k - 1) * exp(ln(2) - r) for
/// a negative v. Greater magnitudes give 2^5000 or 2^-5000, because no scale of a tensor brings them back.
DYADIC_API constexpr enclosure exponential(enclosure v) noexcept {
  if (v.significand == 0 && v.radius == 0) return one;
  if (v.radius > std::uint64_t{1} << 40) return dyadic::detail::unknown();
  if (v.exponent >= 12 - 63) return v.negative ? divide(one, too_large) : too_large;
  const fixed_argument x = to_fixed(v);
  // |v| < 2^12 in units of 2^-51: k is at most one too small.
  const std::uint64_t units = (x.value.high << 51) | (x.value.low >> 13);
  std::uint64_t k = multiply(units, inverse_ln_2).high >> 50;
  const auto rest_after = [&](std::uint64_t n) {
    const unsigned_wide whole = multiply(n, ln_2.high);
    const std::uint64_t below = multiply(n, ln_2.low).high;
    const std::uint64_t low = whole.low + below;
    const std::uint64_t high = whole.high + (low < below ? 1u : 0u);
    return unsigned_wide{x.value.high - high - (x.value.low < low ? 1u : 0u), x.value.low - low};
  };
  unsigned_wide r = rest_after(k);
  if (r.high != 0 || r.low > ln_2.high) r = rest_after(++k);
  const std::uint64_t rest = v.negative ? ln_2.high - r.low : r.low;
  const auto power = static_cast<std::int32_t>(k);
  // An error of 2^-64 in v is half a unit. The sum is below 2, so it becomes one unit at most.
  return {false, exponential_sum(rest, 1), (v.negative ? -power - 1 : power) - 63, exponential_sum_radius + x.error + 2};
}

/// exp(v) - 1 for 0 < v <= 1/2: v times a sum, so that no digits cancel.
DYADIC_API constexpr enclosure exponential_minus_one(enclosure v) noexcept {
  const fixed_argument x = to_fixed(v);
  return multiply(v, enclosure{false, exponential_sum(x.value.low, 2), -63, exponential_sum_radius + x.error});
}

/// exp(-t / 2) * sum of t^n / (1 * 3 * .. (2n + 1)) for t >= 0. All terms are positive. The series is cut at a term below 2^-70
/// of the sum, where each further term is at most half of its predecessor. The rest is less than the last term, and less than a
/// unit.
DYADIC_API constexpr enclosure error_function_sum(enclosure t) noexcept {
  const std::int64_t twice_t = 2 * (static_cast<std::int64_t>(to_fixed(t).value.high) + 1);
  enclosure term = one;
  enclosure sum = one;
  for (std::int64_t n = 1; n < 400 && term.significand != 0; ++n) {
    term = divide(multiply(term, t), enclose(2 * n + 1));
    sum = add(sum, term);
    if (term.exponent + 70 < sum.exponent && twice_t <= 2 * n + 3) break;
  }
  sum.radius += sum.radius == 0 ? 0 : 1;
  return multiply(exponential(negate(scale_by_power_of_two(t, -1))), sum);
}

/// Encloses tail * (1 - e) for 0 <= e <= 1 / 32. The number e stands for the further terms of a tail of exp(-z^2).
DYADIC_API constexpr enclosure below(enclosure tail) noexcept {
  tail.radius += (tail.significand >> 5) + 1;
  return tail;
}

/// ln(m) = 2 * sum of z^(2k + 1) / (2k + 1), z = (m - 1) / (m + 1), for 1/2 <= m <= 2, so that z^2 <= 1/9. The series is cut at
/// a term below 2^-70 of the sum. The rest is less than an eighth of the last term, and less than a unit.
DYADIC_API constexpr enclosure logarithm_near_one(enclosure m) noexcept {
  const enclosure z = divide(add(m, negate(one)), add(m, one));
  const enclosure square = multiply(z, z);
  enclosure power = z;
  enclosure sum = z;
  for (std::int64_t n = 3; n < 100 && power.significand != 0; n += 2) {
    power = multiply(power, square);
    const enclosure term = divide(power, enclose(n));
    sum = add(sum, term);
    if (term.exponent + 70 < sum.exponent) break;
  }
  sum.radius += sum.radius == 0 ? 0 : 1;
  return scale_by_power_of_two(sum, 1);
}

/// Returns true if |x| < 2^n.
DYADIC_API constexpr bool is_below_power(enclosure x, int n) noexcept { return x.significand == 0 || x.exponent + 64 <= n; }

}  // namespace detail

/// exp(x)
struct exp {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept { return detail::exponential(x); }
};

/// ln(x); for x <= 0 a value below every table's range. x = m * 2^e with m between about 1/sqrt(2) and sqrt(2), so that ln(m) and
/// e * ln(2) cancel few digits.
struct log {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    if (x.significand == 0 || x.negative) return negate(detail::too_large);
    const bool is_great = x.significand > 0xB504'F333'F9DE'6484u;  // sqrt(2) * 2^63
    const std::int32_t power = x.exponent + (is_great ? 64 : 63);
    const enclosure m = detail::logarithm_near_one(scale_by_power_of_two(x, -power));
    return add(m, multiply(enclose(std::int64_t{power}), enclosure{false, detail::ln_2.high, -64, 1}));
  }
};

/// x, or exp(x) - 1 below 0. For x < 0 it is -e / (e + 1) with e = exp(-x) - 1, as in `tanh`.
struct elu {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    if (x.significand == 0 || !x.negative) return x;
    const enclosure v = negate(x);
    const enclosure e =
        detail::is_below_power(v, -1) ? detail::exponential_minus_one(v) : add(detail::exponential(v), negate(detail::one));
    return divide(negate(e), add(e, detail::one));
  }
};

/// 1 / x; for x = 0 a value beyond every table's range
struct reciprocal {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    return x.significand == 0 ? detail::too_large : divide(detail::one, x);
  }
};

/// sqrt(x); 0 for x <= 0
struct sqrt {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    return x.significand == 0 || x.negative ? enclosure{} : square_root(x);
  }
};

/// 1 / sqrt(x); for x <= 0 a value beyond every table's range
struct reciprocal_square_root {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    return x.significand == 0 || x.negative ? detail::too_large : divide(detail::one, square_root(x));
  }
};

/// 1 / (1 + exp(-x))
struct sigmoid {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    return divide(detail::one, add(detail::one, detail::exponential(negate(x))));
  }
};

/// x / (1 + exp(-x)), also called swish
struct silu {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept { return multiply(x, sigmoid::of(x)); }
};

/// tanh(x) = e / (e + 2) with e = exp(2x) - 1. A small e is computed by a sum of its own.
struct tanh {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    if (x.significand == 0) return x;
    enclosure twice = scale_by_power_of_two(x, 1);
    twice.negative = false;
    const enclosure e = detail::is_below_power(twice, -1) ? detail::exponential_minus_one(twice)
                                                          : add(detail::exponential(twice), negate(detail::one));
    // For |x| of 2^6 and more it is 1 - 2 / (e + 2), whose digits do not depend on the digits of e.
    enclosure y = divide(e, add(e, enclose(2)));
    y.negative = x.negative;
    return y;
  }
};

/// erf(x), by two formulas:
///   |x| < 8: 2 / sqrt(pi) * x * exp(-x^2) * sum of (2x^2)^n / (1 * 3 * .. (2n + 1)).
///   x >= 8: 1 - exp(-x^2) / (x sqrt(pi)) * (1 - e), where e is below 1 / (2x^2).
struct erf {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    if (x.significand == 0) return x;
    const enclosure square = multiply(x, x);
    if (detail::is_below_power(x, 3))
      return multiply(multiply(detail::two_over_root_pi, x), detail::error_function_sum(scale_by_power_of_two(square, 1)));
    enclosure magnitude = x;
    magnitude.negative = false;
    const enclosure bell = multiply(scale_by_power_of_two(detail::two_over_root_pi, -1), detail::exponential(negate(square)));
    enclosure y = add(detail::one, negate(detail::below(divide(bell, magnitude))));
    y.negative = x.negative;
    return y;
  }
};

/// gelu(x) = x * P(x), where P(x) = (1 + erf(x / sqrt(2))) / 2: exact and not by tanh. P has two formulas:
///   |x| < 8: P(x) = 1/2 + x * exp(-x^2 / 2) * sum of x^2n / (1 * 3 * .. (2n + 1)) / sqrt(2 pi).
///   x >= 8: P(-x) = exp(-x^2 / 2) / (x * sqrt(2 pi)) * (1 - e), where e is below 1 / x^2.
struct gelu {
  /// Encloses the value for x.
  DYADIC_API static constexpr enclosure of(enclosure x) noexcept {
    if (x.significand == 0) return x;
    const enclosure square = multiply(x, x);
    if (detail::is_below_power(x, 3)) {
      const enclosure half = multiply(multiply(detail::one_over_root_two_pi, x), detail::error_function_sum(square));
      return multiply(x, add(scale_by_power_of_two(detail::one, -1), half));
    }
    const enclosure bell = multiply(detail::one_over_root_two_pi, detail::exponential(negate(scale_by_power_of_two(square, -1))));
    enclosure magnitude = x;
    magnitude.negative = false;
    const enclosure tail = detail::below(divide(bell, magnitude));
    return multiply(x, x.negative ? tail : add(detail::one, negate(tail)));
  }
};

/// A correctly rounded function of binary32, for `populate` of an engine's table. It returns one of the two neighbours if a tie
/// is too near; no x is known where this happens.
template <class Function>
struct in_binary32 {
  /// Returns the binary32 nearest to the value of the function, half even.
  DYADIC_API constexpr binary32 operator()(binary32 x) const noexcept {
    return is_finite(x) ? round_to<binary32>(Function::of(enclose(x))).value : x;
  }
};

}  // namespace dyadic::exact

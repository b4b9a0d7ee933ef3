#include <dyadic/scheme/formula.hpp>

#include <cstdint>
#include <limits>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/schemes.hpp"

namespace q = dyadic;
using namespace support;

namespace {

/// Returns whether the scheme's accumulators have `bits` bits.
template <class Scheme>
constexpr bool has_accumulators_of(int bits) {
  const std::int64_t end = std::int64_t{1} << (bits - 1);
  for (const std::int64_t inside : {-end, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, end - 1})
    if (!q::fits_accumulator<Scheme>(inside)) return false;
  return !q::fits_accumulator<Scheme>(end) && !q::fits_accumulator<Scheme>(-end - 1);
}
static_assert(has_accumulators_of<q::tflite::double_rounding>(32) && has_accumulators_of<q::tflite::reduced_int64>(48));
static_assert(has_accumulators_of<q::cmsis_nn::requantize_s64>(48));

// ---- the rounding constants, each compared with its comment by a division ----------------------------------------------

constexpr std::int64_t floor_of(std::int64_t x, std::int64_t divisor) { return x / divisor - (x % divisor < 0 ? 1 : 0); }
/// Returns x / 2^n with ties up.
constexpr std::int64_t up(std::int64_t x, int n) {
  if (n == 0) return x;
  const std::int64_t half = std::int64_t{1} << (n - 1);
  const std::int64_t floor = floor_of(x, 2 * half);
  return floor + (x - floor * 2 * half >= half ? 1 : 0);
}
/// Returns x / 2^n with ties away from zero.
constexpr std::int64_t away(std::int64_t x, int n) { return x < 0 ? -up(-x, n) : up(x, n); }

struct single_up {
  using rule = q::rounding::single_up;
  static constexpr std::int64_t value(std::int64_t product, int t) { return up(product, t); }
};
struct single_away {
  using rule = q::rounding::single_away;
  static constexpr std::int64_t value(std::int64_t product, int t) { return away(product, t); }
};
struct double_up {
  using rule = q::rounding::double_up;
  static constexpr std::int64_t value(std::int64_t product, int t) {
    return t > 31 ? up(up(product, 31), t - 31) : up(product, t);
  }
};
struct double_away {
  using rule = q::rounding::double_away;
  static constexpr std::int64_t value(std::int64_t product, int t) {
    return t > 31 ? away(up(product, 31), t - 31) : up(product, t);
  }
};

template <class Definition>
constexpr bool is_scaled(std::int64_t v, std::int64_t m, int t) {
  return q::scaled<typename Definition::rule>(v, m, t) == Definition::value(v * m, t);
}
constexpr bool all_scaled(std::int64_t v, std::int64_t m, int t) {
  return is_scaled<single_up>(v, m, t) && is_scaled<single_away>(v, m, t) && is_scaled<double_up>(v, m, t) &&
         is_scaled<double_away>(v, m, t);
}

/// Checks numbers near zero, each power of two and each tie, with and without a mantissa, for t from 1 to 62.
constexpr bool ties_scale(int first, int last) {
  for (int t = first; t <= last; ++t)
    for (int k = 0; k <= 62; ++k)
      for (int step = -2; step <= 2; ++step) {
        const std::int64_t x = (std::int64_t{1} << k) - 2 + step;
        if (!all_scaled(x, 1, t) || !all_scaled(-x, 1, t)) return false;
        if (k < 31 && (!all_scaled(x, h, t) || !all_scaled(x, -h, t) || !all_scaled(x, h + 1, t) || !all_scaled(x, max, t)))
          return false;
      }
  return true;
}
static_assert(ties_scale(1, 1) && ties_scale(31, 31));  // separate assertions, because Clang limits the steps of each
static_assert(ties_scale(32, 32) && ties_scale(62, 62));

struct scaled_case {
  std::int64_t v, m;
  int t;
  std::int64_t single_up, single_away, double_up, double_away;
};
constexpr scaled_case scaled_cases[] = {
    {1, h, 31, 1, 1, 1, 1},     // 0.5
    {-1, h, 31, 0, -1, 0, 0},   // the first of two roundings goes up
    {1, h, 32, 0, 0, 1, 1},     // 0.25: twice
    {-1, h, 32, 0, 0, 0, 0},    //
    {2, h, 32, 1, 1, 1, 1},     //
    {-2, h, 32, 0, -1, 0, -1},  //
    {min, min, 31, 1LL << 31, 1LL << 31, 1LL << 31, 1LL << 31},
    {min, min, 62, 1, 1, 1, 1},  // the largest possible product
    {min, max, 62, -1, -1, -1, -1},
    // t up to 63. A sum that does not fit wraps: 2^62 + 2^62 is -2^63.
    {h, h, 63, 0, 0, 0, 0},
    {1LL << 47, 1 << 15, 63, -1, -1, -1, -1},
};
constexpr auto scaled_holds = [](const scaled_case& c) {
  return q::scaled<q::rounding::single_up>(c.v, c.m, c.t) == c.single_up &&
         q::scaled<q::rounding::single_away>(c.v, c.m, c.t) == c.single_away &&
         q::scaled<q::rounding::double_up>(c.v, c.m, c.t) == c.double_up &&
         q::scaled<q::rounding::double_away>(c.v, c.m, c.t) == c.double_away;
};
static_assert(first_wrong(scaled_cases, scaled_holds) == -1);

// ---- 32-bit registers ---------------------------------------------------------------------------------------------------

struct split_case {
  std::int32_t t;
  int least_right, left, right;
};
constexpr split_case split_cases[] = {
    {31, 0, 0, 0}, {32, 0, 0, 1}, {62, 0, 0, 31}, {30, 0, 1, 0}, {1, 0, 30, 0},
    {31, 1, 1, 1}, {32, 1, 0, 1}, {62, 1, 0, 31}, {30, 1, 2, 1}, {2, 1, 30, 1},
};
constexpr auto split_holds = [](const split_case& c) {
  const auto s = q::detail::split(c.t, c.least_right);
  return s.left == c.left && s.right == c.right && 31 + s.right - s.left == c.t;
};
static_assert(first_wrong(split_cases, split_holds) == -1);

struct preshift_case {
  std::int32_t v;
  int left;
  bool fits;
};
constexpr preshift_case preshift_cases[] = {
    {h, 0, true},  {h, 1, false},  {-h, 1, true},  {-h - 1, 1, false}, {h - 1, 1, true},
    {1, 30, true}, {1, 31, false}, {-1, 31, true}, {0, 31, true},
};
constexpr auto preshift_holds = [](const preshift_case& c) { return q::detail::preshift_fits(c.v, {c.left, 0}) == c.fits; };
static_assert(first_wrong(preshift_cases, preshift_holds) == -1);

// ---- the limits of a derivation -----------------------------------------------------------------------------------------

struct limit_case {
  q::multiplier32 m;
  q::status given, limited;
};
constexpr limit_case limit_cases[] = {
    {{h, 2}, q::status::ok, q::status::ok},
    {{h, 62}, q::status::ok, q::status::ok},
    {{h, 1}, q::status::ok, q::status::scale_too_large},
    {{h, -1000}, q::status::ok, q::status::scale_too_large},
    {{-h, 63}, q::status::ok, q::status::scale_too_small},
    // The scale 0 is not too small, and an earlier error is kept.
    {{0, 63}, q::status::ok, q::status::ok},
    {{0, 1}, q::status::ok, q::status::ok},
    {{h, 1}, q::status::scale_negative, q::status::scale_negative},
};
constexpr auto limit_holds = [](const limit_case& c) {
  const auto r = q::detail::limit_shift(q::result<q::multiplier32>{c.m, c.given}, 2, 62);
  return r.value == c.m && r.status == c.limited;
};
static_assert(first_wrong(limit_cases, limit_holds) == -1);

}  // namespace

TEST_CASE("each rounding constant rounds as its comment says") {
  const volatile int first = 1, last = 62;
  CHECK(ties_scale(first, last));
  CHECK(first_wrong(at_run_time(scaled_cases), scaled_holds) == -1);
}

TEST_CASE("random products of two 32-bit operands are rounded once or twice by division") {
  INFO("seed " << seed);
  random_bits random;
  int wrong = 0;
  for (int i = 0; i < 500'000 / DYADIC_TEST_DIVISOR; ++i)
    wrong += !all_scaled(random.integer(31), random.integer(31), 1 + random.below(62));
  CHECK(wrong == 0);
}

TEST_CASE("a shift splits into a left shift before the high multiply and a right shift after it") {
  CHECK(first_wrong(at_run_time(split_cases), split_holds) == -1);
  CHECK(first_wrong(at_run_time(preshift_cases), preshift_holds) == -1);
}

TEST_CASE("a derivation beyond its shifts keeps its value and gets a status") {
  CHECK(first_wrong(at_run_time(limit_cases), limit_holds) == -1);
}

namespace {

template <class Scheme>
void accepted_by_the_first() {
  using multiplier = typename Scheme::multiplier_type;
  using first = support::first_with_formula<Scheme>;
  for (const std::int64_t mantissa :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 14, std::int64_t{1} << 23, std::int64_t{1} << 30,
        std::int64_t{q::int32_max}, std::int64_t{q::int32_min}})
    for (std::int32_t right_shift = -1; right_shift <= 64; ++right_shift) {
      const multiplier m{q::wrap<typename multiplier::mantissa_type>(mantissa), right_shift};
      if (Scheme::valid(m)) CHECK(first::valid(m));
    }
}

}  // namespace

TEST_CASE("the first scheme of each formula in the list accepts all multipliers that the others accept") {
  support::each_scheme<support::with_formula>([](auto s) {
    using scheme = typename decltype(s)::scheme;
    INFO(s.name);
    if constexpr (support::with_mantissa<scheme>::value) accepted_by_the_first<scheme>();
  });
}

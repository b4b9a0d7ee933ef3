#include <dyadic/detail/lanes.hpp>
#include <dyadic/scheme/formula.hpp>

#include <cstdint>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/scheme_cases.hpp"

namespace q = dyadic;
using namespace support;
using lane = q::one_lane;

namespace {

constexpr std::int64_t one = 1;

// ---- each operation against its comment in lanes.hpp ------------------------------------------------------------------------

static_assert(lane::multiply(min, min) == one << 62);
static_assert(lane::multiply((one << 47) - 1, std::int64_t{32767}) == ((one << 47) - 1) * 32767);
static_assert(lane::add(std::numeric_limits<std::int64_t>::max(), one) == std::numeric_limits<std::int64_t>::min());
static_assert(lane::negative(-one) == -1 && lane::negative(std::int64_t{0}) == 0);
static_assert(lane::shift_right(-(one << 40) - 1, 40) == -2 && lane::shift_right(std::int64_t{-1}, 63) == -1);
static_assert(lane::multiply_high(std::numeric_limits<std::int64_t>::min(), std::int64_t{max}, 0) == -(one << 31) * max);
static_assert(lane::multiply_high(std::int64_t{-1}, one, 0) == -1 && lane::multiply_high(std::int64_t{-1}, one, 1) == 0);
static_assert(lane::multiply_high((one << 32) - 1, std::int64_t{max}, one << 32) == max);
static_assert(lane::shift_left_saturated(-(one << 40), 23) == std::numeric_limits<std::int64_t>::min());
static_assert(lane::shift_left_saturated(-(one << 40) - 1, 23) == std::numeric_limits<std::int64_t>::min());
static_assert(lane::shift_left_saturated(one << 40, 23) == std::numeric_limits<std::int64_t>::max());
static_assert(lane::shift_left_saturated(one << 39, 23) == one << 62 && lane::shift_left_saturated(std::int64_t{-7}, 0) == -7);
static_assert(lane::wrap((one << 32) + 5) == 5 && lane::wrap(one << 31) == min);
static_assert(lane::saturate(one << 31) == max && lane::saturate(-(one << 31) - 1) == min && lane::saturate(-one) == -1);
static_assert(lane::high(-one) == -1 && lane::high((one << 32) - 1) == 0 && lane::high(-(one << 32) - 1) == -2);
static_assert(lane::sign_weight(-1) == one << 31 && lane::sign_weight(0) == 0);
static_assert(lane::multiply_low(max, 2) == -2 && lane::add(max, 1) == min && lane::subtract(min, 1) == max);
static_assert(lane::shift_right(std::int32_t{-5}, 1) == -3 && lane::shift_right(min, 31) == -1);
static_assert(lane::select_greater(1, 0, 7, 8) == 7 && lane::select_greater(0, 0, 7, 8) == 8);
static_assert(lane::select_equal(0, 0, 7, 8) == 7 && lane::select_equal(-1, 0, 7, 8) == 8);

// ---- the high half of a product against the definition -----------------------------------------------------------------------

template <class Rule>
constexpr bool high_half_equals(std::int32_t v, std::int32_t m, int t) {
  using formula = q::formula::scaled32<Rule, q::to_int64>;
  using implementation = q::detail::over_one_lane::implementation<formula>;
  using parameters = q::detail::over_one_lane::high_half_parameters<std::int32_t, std::int32_t, std::int32_t>;
  const parameters p{m, q::detail::over_one_lane::high_half_rounding<lane>(t - 32, 0), t - 32};
  return implementation::template apply_high_half<lane>(v, p) ==
         implementation::template apply<lane>(v, formula::prepare(q::multiplier32{m, t}));
}
constexpr bool all_high_halves_equal(std::int32_t v, std::int32_t m, int t) {
  return high_half_equals<q::rounding::single_up>(v, m, t) && high_half_equals<q::rounding::single_away>(v, m, t) &&
         high_half_equals<q::rounding::double_up>(v, m, t) && high_half_equals<q::rounding::double_away>(v, m, t);
}
constexpr std::int32_t mantissas[] = {0, 1, h, h + 1, max};
constexpr std::int32_t accumulators[] = {min, min + 1, -h, -3, -2, -1, 0, 1, 2, 3, h, max};
/// Checks the ends of v and m at each shift, and for powers of two the values of v around each tie.
constexpr bool edges_equal(int first, int last) {
  for (int t = first; t <= last; ++t) {
    for (const std::int32_t m : mantissas)
      for (const std::int32_t v : accumulators)
        if (!all_high_halves_equal(v, m, t)) return false;
    for (int k = t > 32 ? t - 32 : 0; k < 31; ++k)
      for (const std::int64_t tie : {one << (t - k < 32 ? t - k - 1 : 31), one << (k < 31 ? 30 - k : 0)})
        for (int offset = -1; offset <= 1; ++offset)
          if (!all_high_halves_equal(q::saturate<std::int32_t>(tie + offset), 1 << k, t) ||
              !all_high_halves_equal(q::saturate<std::int32_t>(-tie + offset), 1 << k, t))
            return false;
  }
  return true;
}
static_assert(edges_equal(33, 37));
static_assert(q::detail::over_one_lane::high_half_rounding<lane>(1, 0) == 1 &&
              q::detail::over_one_lane::high_half_rounding<lane>(8, -3) == 128 - 3 * 256);

// ---- which schemes vectors may run ------------------------------------------------------------------------------------------

using by_rule = q::by_formula<q::formula::scaled32<q::rounding::single_up, q::to_int64>>;
struct inherits : by_rule {};
struct replaces_apply : by_rule {
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc; }
};
struct adds_finish : by_rule {
  static constexpr std::int64_t finish(accumulator, multiplier_type, q::output_range) noexcept { return 0; }
};
struct has_none {
  using accumulator = std::int32_t;
  using multiplier_type = q::multiplier32;
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc; }
};
static_assert(q::has_formula<inherits>);
static_assert(!q::has_formula<replaces_apply> && !q::has_formula<adds_finish> && !q::has_formula<has_none>);

}  // namespace

TEST_CASE("the short form of a formula equals its definition for every shift from 33 on", "[lanes]") {
  CHECK(edges_equal(33, 63));
  INFO("seed " << seed);
  random_bits random;
  bool equal = true;
  // Portable code. A build that divides samples divides here twice, because a few samples show the effect of other integer sizes.
  for (int i = 0; i < 2'000'000 / (DYADIC_TEST_DIVISOR * DYADIC_TEST_DIVISOR); ++i) {
    const auto v = static_cast<std::int32_t>(random.integer(31));
    const auto m = static_cast<std::int32_t>(random.of_random_length(31));
    equal = equal && all_high_halves_equal(v, m, 33 + random.below(31));
  }
  CHECK(equal);
}

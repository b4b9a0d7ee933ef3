#include <dyadic/scheme/exact.hpp>

#include <cstdint>
#include <limits>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

constexpr std::int64_t limit = std::int64_t{1} << 62;
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max(), min64 = std::numeric_limits<std::int64_t>::min();

struct rule_case {
  std::int64_t acc;
  q::multiplier32 m;
  std::int64_t up, away, even;
};
constexpr rule_case rule_cases[] = {
    {1, {h, 31}, 1, 1, 0},
    {-1, {h, 31}, 0, -1, 0},
    {3, {h, 31}, 2, 2, 2},
    {-3, {h, 31}, -1, -2, -2},
    {5, {h, 31}, 3, 3, 2},
    {-5, {h, 31}, -2, -3, -2},
    {1, {h, 32}, 0, 0, 0},  // 0.25: one rounding
    {1, {-h, 31}, 0, -1, 0},
    {-3, {-h, 31}, 2, 2, 2},
    {7, {3, 0}, 21, 21, 21},
    {7, {0, 126}, 0, 0, 0},
    // 31 bits of scale and a 48-bit accumulator: 2^47 - 1 - 2^16 + 2^-31.
    {(1LL << 47) - 1, {max, 31}, (1LL << 47) - 65537, (1LL << 47) - 65537, (1LL << 47) - 65537},
    // The largest shifts, past the 64th bit.
    {min64, {min, 94}, 1, 1, 1},
    {min64, {min, 95}, 1, 1, 0},
    {min64, {h, 94}, 0, -1, 0},
    {min64, {h + 1, 94}, -1, -1, -1},
    {min64, {h - 1, 94}, 0, 0, 0},
    {max64, {h, 94}, 0, 0, 0},
    {max64, {h + 1, 94}, 1, 1, 1},
    {min64, {min, 126}, 0, 0, 0},
    // The result saturates, so that a zero point can be added.
    {limit, {h, 30}, limit, limit, limit},
    {limit + 1, {h, 30}, limit, limit, limit},
    {max64, {h, 30}, limit, limit, limit},
    {max64, {max, 0}, limit, limit, limit},
    {min64, {max, 0}, -limit, -limit, -limit},
    {min64, {min, 0}, limit, limit, limit},
    {-limit - 1, {h, 30}, -limit, -limit, -limit},
};
constexpr auto rule_holds = [](const rule_case& c) {
  return q::exact::half_up::apply(c.acc, c.m) == c.up && q::exact::half_away::apply(c.acc, c.m) == c.away &&
         q::exact::half_even::apply(c.acc, c.m) == c.even;
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

constexpr validity<q::exact::half_up> validities[] = {
    {{min, 0}, true}, {{max, 126}, true}, {{1, -1}, false}, {{1, 127}, false}, {{1, min}, false}, {{1, max}, false},
};
static_assert(first_wrong(validities, multiplier_valid<q::exact::half_up>) == -1);

constexpr derived<q::binary64, q::multiplier32> all_derived[] = {
    {0.0, {0, 31}, q::status::ok},
    {-0.0, {0, 31}, q::status::ok},
    {1.0, {h, 30}, q::status::ok},
    {-0.75, {-h / 2 * 3, 31}, q::status::ok},
    {0x1.00000006p-1, {h + 2, 31}, q::status::ok},
    {0x1p-96, {h, 126}, q::status::ok},
    {0x1p-97, {h, 127}, q::status::scale_too_small},
    {least, {h, 1104}, q::status::scale_too_small},
    {0x1.fffffffcp30, {max, 0}, q::status::ok},
    {0x1p31, {h, -1}, q::status::scale_too_large},
    {largest, {h, -994}, q::status::scale_too_large},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
    {infinite, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(all_derived, derives<&q::exact::half_up::derive>) == -1);
static_assert(first_wrong(all_derived, derives<&q::exact::half_away::derive>) == -1);
static_assert(first_wrong(all_derived, derives<&q::exact::half_even::derive>) == -1);
static_assert(q::exact::half_up::derive(0x1.00000002p-1).value == q::multiplier32{h + 1, 31});
static_assert(q::exact::half_away::derive(-0x1.00000002p-1).value == q::multiplier32{-h - 1, 31});
static_assert(q::exact::half_even::derive(0x1.00000002p-1).value == q::multiplier32{h, 31});

static_assert(q::requantize<q::exact::half_even>(max64, {max, 0}, q::range_of<std::int32_t>(max)) == max);
static_assert(q::requantize<q::exact::half_even>(min64, {max, 0}, q::range_of<std::int32_t>(min)) == min);
static_assert(q::requantize<q::exact::half_even>(5, {h, 31}, q::range_of<std::int16_t>(-3)) == -1);

}  // namespace

TEST_CASE("the exact schemes round the real product once and saturate") {
  CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1);
}

TEST_CASE("the exact schemes accept shifts of 0 to 126 and derive by their own tie rule") {
  CHECK(first_wrong(at_run_time(validities), multiplier_valid<q::exact::half_up>) == -1);
  CHECK(first_wrong(at_run_time(all_derived), derives<&q::exact::half_up::derive>) == -1);
  CHECK(first_wrong(at_run_time(all_derived), derives<&q::exact::half_away::derive>) == -1);
  CHECK(first_wrong(at_run_time(all_derived), derives<&q::exact::half_even::derive>) == -1);
}

TEST_CASE("the formula of lanes gives what 128 bits give, wherever that is an int32") {
  random_bits random;
  const auto of_any_size = [&] { return static_cast<std::int64_t>(random()) >> random.below(64); };
  const auto check_formula = [](auto scheme, std::int64_t acc, q::multiplier32 m) {
    using exact = decltype(scheme);
    using formula = typename exact::formula_type;
    const std::int64_t expected = exact::apply(acc, m);
    if (!q::fits<std::int32_t>(expected)) return true;
    const auto p = formula::prepare(m);
    return q::detail::over_one_lane::implementation<formula>::template apply<q::one_lane>(acc, p) == expected;
  };
  constexpr std::int32_t mantissas[] = {q::int32_min, q::int32_min + 1, -(1 << 30), -1, 0, 1, 1 << 30, q::int32_max};
  for (int t = 0; t <= 126; ++t)
    for (int round = 0; round < 400; ++round) {
      const bool is_edge = round % 2 == 0;
      const std::int32_t mantissa = is_edge ? mantissas[round / 2 % 8] : static_cast<std::int32_t>(of_any_size() >> 32);
      // If the mantissa is 2^30, the accumulator is a tie or near a tie.
      const bool is_tie = t > 30 && t < 83 && random.one_in(2);
      const std::int64_t odd = 2 * random.below(200) - 199;
      const std::int64_t acc = is_tie ? odd * (std::int64_t{1} << (t - 31)) + random.below(3) - 1 : of_any_size();
      CAPTURE(acc, mantissa, t);
      REQUIRE(check_formula(q::exact::half_up{}, acc, {mantissa, t}));
      REQUIRE(check_formula(q::exact::half_away{}, acc, {mantissa, t}));
      REQUIRE(check_formula(q::exact::half_even{}, acc, {mantissa, t}));
    }
}

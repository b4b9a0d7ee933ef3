#include <dyadic/elementwise/fixed_point.hpp>

#include <cstdint>

#include "../support/cases.hpp"
#include "../support/catch.hpp"

namespace gemmlowp = dyadic::gemmlowp;
namespace tflite = dyadic::tflite;
using support::first_wrong;

namespace {

constexpr std::int32_t max = dyadic::int32_max;

/// A number and the value of a function, computed independently.
struct value_case {
  std::int32_t x, y;
};

// Cases in Q5: each factor of exp alone, after the 1/4 that the polynomial takes, and then several factors at once.
constexpr value_case exp5[] = {
    {0, max},
    {-1, 2147483124},
    {-12345678, 1786631188},
    {-(1 << 24), 1672462419},
    {-(1 << 24) - (1 << 24), 1302515042},
    {-(1 << 25) - (1 << 24), 1014399735},
    {-(1 << 26) - (1 << 24), 615264540},
    {-(1 << 27) - (1 << 24), 226343175},
    {-(1 << 28) - (1 << 24), 30632218},
    {-(1 << 29) - (1 << 24), 561049},
    {-(1 << 30) - (1 << 24), 188},
    {-(1 << 30), 242},
    {-2080374784, 0},
};
constexpr auto exp5_holds = [](const value_case& c) { return gemmlowp::exp_on_negative_values<5>(c.x) == c.y; };
// Cases in Q0: exp uses the polynomial and only two of its factors.
constexpr value_case exp0[] = {{0, max}, {-1, 2147483155}, {-(1 << 29), 1672462419}, {-max, 790015308}};
constexpr auto exp0_holds = [](const value_case& c) { return gemmlowp::exp_on_negative_values<0>(c.x) == c.y; };

struct reciprocal_case {
  std::int32_t x, one_over, one_minus_over;
};
constexpr reciprocal_case reciprocals[] = {
    {0, max, max},         {1, max, max}, {12345678, 2135208542, 2122933436}, {1 << 30, 1431655762, 715827876},
    {max, 1073741820, -8},  // 1 - 1 is not exactly 0
};
constexpr auto reciprocals_hold = [](const reciprocal_case& c) {
  return gemmlowp::one_over_one_plus_x(c.x) == c.one_over && gemmlowp::one_minus_x_over_one_plus_x(c.x) == c.one_minus_over;
};

struct curve_case {
  std::int32_t x, logistic, tanh;
};
constexpr curve_case curves[] = {
    {0, 1 << 30, 0},
    {1, 1073741948, 260},
    {-1, 1073741699, -260},
    {1 << 27, 1569936226, 1635510876},
    {-(1 << 27), 577547421, -1635510876},
    {123456789, 1535464548, 1558674772},
    {-2000000000, 723, -max},
    {2013265920, 2147482988, max},
};
constexpr auto curves_hold = [](const curve_case& c) {
  return gemmlowp::logistic<4>(c.x) == c.logistic && gemmlowp::tanh<4>(c.x) == c.tanh;
};

static_assert(first_wrong(exp5, exp5_holds) == -1);
static_assert(first_wrong(exp0, exp0_holds) == -1);
static_assert(first_wrong(reciprocals, reciprocals_hold) == -1);
static_assert(first_wrong(curves, curves_hold) == -1);

static_assert(gemmlowp::rounding_half_sum(1, 2) == 2 && gemmlowp::rounding_half_sum(-1, -2) == -2);
static_assert(gemmlowp::rounding_half_sum(max, max) == max && gemmlowp::rounding_half_sum(dyadic::int32_min, max) == -1);
static_assert(gemmlowp::rescale<0, 12>(max) == 1 << 19 && gemmlowp::rescale<4, 2>(3) == 12);
static_assert(gemmlowp::rescale<2, 0>(1 << 30) == max && gemmlowp::rescale<2, 0>(-(1 << 30)) == dyadic::int32_min);

// Results: 15 * 2^27 and 31 * 2^26 without the bits that a shift drops.
static_assert(tflite::input_radius(4, 0) == 2013265920 && tflite::input_radius(5, 0) == 2080374784);
static_assert(tflite::input_radius(4, 20) == 1920 && tflite::input_radius(5, 17) == 15872 && tflite::input_radius(4, 28) == 7);
static_assert(tflite::input_radius(5, 30) == 1 && tflite::input_radius(5, 31) == 0 && tflite::input_radius(5, 64) == 0);

}  // namespace

TEST_CASE("functions of fixed-point numbers give known values") {
  CHECK(first_wrong(support::at_run_time(exp5), exp5_holds) == -1);
  CHECK(first_wrong(support::at_run_time(exp0), exp0_holds) == -1);
  CHECK(first_wrong(support::at_run_time(reciprocals), reciprocals_hold) == -1);
  CHECK(first_wrong(support::at_run_time(curves), curves_hold) == -1);
}

TEST_CASE("an exponential is 0 from -32 down, and not 0 at -16.25") {
  CHECK(gemmlowp::exp_on_negative_values<28>(-32 * 8) == 0);
  CHECK(gemmlowp::exp_on_negative_values<28>(-16 * 8 - 2) == 188);
  CHECK(gemmlowp::exp_on_negative_values<28>(-33 * 8) == 0);
  CHECK(gemmlowp::exp_on_negative_values<6>(dyadic::int32_min) == 0);
  // The limit keeps the bits from 32 on, so that 34 does not become 2.
  CHECK(gemmlowp::exp_on_negative_values<28>(-34 * 8) == 0);
  CHECK(gemmlowp::exp_on_negative_values<28>(-2 * 8) == gemmlowp::exp_on_negative_values<5>(-2 * (1 << 26)));
}

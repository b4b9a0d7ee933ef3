#include <dyadic/scheme/xnnpack.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;

namespace {

constexpr std::int32_t one = 1 << 23;  // the mantissa of a power of two

/// A case of every rule for one real scale. Each fixed-point rule derives its own multiplier.
struct rule_case {
  std::int32_t acc;
  q::binary32 scale;
  std::int64_t fp32, rndnu, neon, rndnu16, rndna;
};
constexpr rule_case rule_cases[] = {
    {1, 0.5f, 0, 1, 1, 1, 1},
    {-1, 0.5f, 0, 0, 0, 0, -1},
    {3, 0.5f, 2, 2, 2, 2, 2},
    {-3, 0.5f, -2, -1, -1, -1, -2},
    {-2, 0.75f, -2, -1, -1, -1, -2},
    {1, 0.25f, 0, 0, 0, 1, 0},                                                           // rndnu16 rounds twice
    {3, 0x1.555556p-3f, 0, 1, 1, 1, 1},                                                  // not a tie, but its binary32 product is
    {-1, 0x1.000002p-1f, -1, -1, -1, 0, -1},                                             // fifteen bits make it a tie
    {(1 << 24) + 1, 1.0f, 1 << 24, (1 << 24) + 1, (1 << 24) + 1, 16384, (1 << 24) + 1},  // rndnu16 saturates in between
    {max, 0x1p-32f, 0, 0, 0, 1, 0},                                                      // 2^31 in binary32: a tie
    {min, 0x1p-32f, 0, 0, 0, 0, -1},
    {8388609, 0x1.fffffep7f, 1LL << 31, -max - 1LL + 128, (1LL << 31) + 128, 16384,
     -max - 1LL + 128},  // the scalar reference wraps
};
constexpr auto rule_holds = [](const rule_case& c) {
  if (q::xnnpack::fp32::apply(c.acc, c.scale) != c.fp32) return false;
  if (q::xnnpack::rndnu::apply(c.acc, q::xnnpack::rndnu::derive(c.scale).value) != c.rndnu) return false;
  if (q::xnnpack::rndnu_neon::apply(c.acc, q::xnnpack::rndnu_neon::derive(c.scale).value) != c.neon) return false;
  if (q::xnnpack::rndna::apply(c.acc, q::xnnpack::rndna::derive(c.scale).value) != c.rndna) return false;
  return c.rndnu16 == q::xnnpack::rndnu16::apply(c.acc, q::xnnpack::rndnu16::derive(c.scale).value);
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

struct two_roundings {
  std::int32_t acc;
  q::multiplier32 m;
  std::int64_t y;
};
constexpr two_roundings gemmlowp_cases[] = {
    {1, {h, 32}, 1},  {-1, {h, 32}, 0},          {-2, {h, 32}, -1},  {1, {h, 31}, 1},
    {-1, {h, 31}, 0}, {max, {max - 127, 62}, 1}, {min, {h, 62}, -1},
};
constexpr auto gemmlowp_holds = [](const two_roundings& c) { return q::xnnpack::gemmlowp::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(gemmlowp_cases, gemmlowp_holds) == -1);

// ---- what is valid, and derivations ---------------------------------------------------------------------------------

struct scale_case {
  q::binary32 scale;
  q::status status;
};
constexpr scale_case scale_cases[] = {
    {0x1p-32f, q::status::ok},
    {1.0f, q::status::ok},
    {0x1.fffffep7f, q::status::ok},
    {256.0f, q::status::scale_too_large},
    {0x1.fffffep-33f, q::status::scale_too_small},
    {least, q::status::scale_too_small},
    {0.0f, q::status::scale_zero},
    {-0.0f, q::status::scale_zero},
    {-1.0f, q::status::scale_negative},
    {infinite, q::status::scale_not_finite},
    {q::negate(infinite), q::status::scale_not_finite},
    {quiet_nan, q::status::scale_not_finite},
};
/// Checks that all derivations give the same status. A scale that is not a positive number gives zero. A positive scale that is
/// too small or too large does not.
constexpr auto scale_holds = [](const scale_case& c) {
  const bool good = c.status == q::status::ok;
  const auto bits = q::xnnpack::rndnu::derive(c.scale);
  const auto q15 = q::xnnpack::rndnu16::derive(c.scale);
  return q::xnnpack::check_scale(c.scale) == c.status && q::xnnpack::fp32::derive(c.scale).status == c.status &&
         q::xnnpack::fp32::derive(c.scale).value.bits == c.scale.bits && q::xnnpack::fp32::valid(c.scale) == good &&
         bits.status == c.status && q15.status == c.status &&
         q::xnnpack::gemmlowp::derive(c.scale).status ==
             (good && !q::less(c.scale, q::binary32{1.0f}) ? q::status::scale_too_large : c.status) &&
         (good ? q::xnnpack::rndnu::valid(bits.value) && q::xnnpack::rndnu_neon::valid(bits.value) &&
                     q::xnnpack::rndnu16::valid(q15.value)
          : c.status == q::status::scale_too_small || c.status == q::status::scale_too_large
              ? bits.value.mantissa >= 1 << 23 && q15.value.mantissa >= 1 << 14
              : bits.value == q::multiplier32{0, 24} && q15.value == q::multiplier16{0, 15});
};
static_assert(first_wrong(scale_cases, scale_holds) == -1);

constexpr derived<q::binary32, q::multiplier32> derived24[] = {
    {1.0f, {one, 23}, q::status::ok},
    {0x1.fffffep7f, {2 * one - 1, 16}, q::status::ok},
    {0x1p-32f, {one, 55}, q::status::ok},
    {0.75f, {one / 2 * 3, 24}, q::status::ok},
};
static_assert(first_wrong(derived24, derives<&q::xnnpack::rndnu::derive>) == -1);

constexpr derived<q::binary32, q::multiplier16> derived16[] = {
    {1.0f, {16384, 14}, q::status::ok},         {0x1.0002p0f, {16385, 14}, q::status::ok},  // ties up
    {0x1.0006p0f, {16386, 14}, q::status::ok},  {0x1.0001fep0f, {16384, 14}, q::status::ok},
    {0x1.fffep0f, {16384, 13}, q::status::ok},  // 2^15 is halved
    {0x1.fffcp0f, {32767, 14}, q::status::ok},  {0x1p-32f, {16384, 46}, q::status::ok},
    {0x1.fffffep7f, {16384, 6}, q::status::ok},
};
static_assert(first_wrong(derived16, derives<&q::xnnpack::rndnu16::derive>) == -1);

constexpr derived<q::binary32, q::multiplier32> derived_gemmlowp[] = {
    {0x1.fffffep-1f, {max - 127, 31}, q::status::ok},
    {0.5f, {h, 31}, q::status::ok},
    {0x1p-32f, {h, 62}, q::status::ok},
    {1.0f, {h, 30}, q::status::scale_too_large},
    {0.0f, {0, 31}, q::status::scale_zero},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(derived_gemmlowp, derives<&q::xnnpack::gemmlowp::derive>) == -1);

constexpr validity<q::xnnpack::rndnu> validities24[] = {
    {{0, 16}, true}, {{2 * one - 1, 55}, true}, {{2 * one, 30}, false}, {{-1, 30}, false}, {{one, 15}, false}, {{one, 56}, false},
};
static_assert(first_wrong(validities24, multiplier_valid<q::xnnpack::rndnu>) == -1);
constexpr validity<q::xnnpack::rndnu16> validities16[] = {
    {{0, 6}, true}, {{32767, 46}, true}, {{-1, 15}, false}, {{1, 5}, false}, {{1, 47}, false},
};
static_assert(first_wrong(validities16, multiplier_valid<q::xnnpack::rndnu16>) == -1);
constexpr validity<q::xnnpack::gemmlowp> validities_gemmlowp[] = {
    {{0, 31}, true}, {{max, 62}, true}, {{-1, 31}, false}, {{h, 30}, false}, {{h, 63}, false},
};
static_assert(first_wrong(validities_gemmlowp, multiplier_valid<q::xnnpack::gemmlowp>) == -1);

/// At a scale just below 256, accumulators up to 2^23 have results that fit int32.
constexpr data_validity<q::xnnpack::rndnu> data24[] = {
    {8388608, {2 * one - 1, 16}, true},
    {8388609, {2 * one - 1, 16}, false},
    {-8388608, {2 * one - 1, 16}, true},
    {-8388609, {2 * one - 1, 16}, false},
    {max, {one, 23}, true},
    {min, {one, 23}, true},
    {0, {one, 15}, false},
};
static_assert(first_wrong(data24, data_valid<q::xnnpack::rndnu>) == -1);

// ---- outputs --------------------------------------------------------------------------------------------------------

constexpr output_case<q::xnnpack::fp32> outputs32[] = {
    {1, 0.5f, q::range_of<std::int8_t>(1), 1},  // the zero point is added after the rounding
    {3, 0.5f, q::range_of<std::int8_t>(-1), 1},
    {1000, 0.5f, q::range_of<std::int8_t>(-128), 127},
    {-1000, 0.5f, q::range_of<std::int8_t>(100), -128},
    {max, 0x1.fffffep7f, q::range_of<std::uint8_t>(255), 255},
    {min, 0x1.fffffep7f, q::range_of<std::uint8_t>(255), 0},
    {-1, 1.0f, {10, 10, 20}, 10},
    {100, 1.0f, {10, 10, 20}, 20},
};
static_assert(first_wrong(outputs32, requantizes<q::xnnpack::fp32>) == -1);
constexpr output_case<q::xnnpack::rndnu> outputs24[] = {
    {8388608, {2 * one - 1, 16}, q::range_of<std::int8_t>(), 127},
    {8388609, {2 * one - 1, 16}, q::range_of<std::int8_t>(), -128},  // wrapped before the clamp
};
static_assert(first_wrong(outputs24, requantizes<q::xnnpack::rndnu>) == -1);
static_assert(q::requantize<q::xnnpack::rndnu_neon>(8388609, {2 * one - 1, 16}, q::range_of<std::int8_t>()) == 127);
static_assert(q::requantize<q::xnnpack::rndnu16>(max, {16384, 6}, q::range_of<std::uint8_t>(255)) == 255);
static_assert(q::requantize<q::xnnpack::rndnu16>(min, {16384, 6}, q::range_of<std::uint8_t>(255)) == 0);

// ---- conversion and addition ----------------------------------------------------------------------------------------

struct ratio_case {
  q::binary32 input, output;
  std::int32_t mantissa;
  q::status status;
};
constexpr ratio_case ratio_cases[] = {
    {1.0f, 1.0f, 256, q::status::ok},
    {0x1p-8f, 1.0f, 1, q::status::ok},
    {0x1.8p-8f, 1.0f, 2, q::status::ok},  // ties to even
    {0x1.4p-7f, 1.0f, 2, q::status::ok},
    {128.0f, 1.0f, 32768, q::status::ok},
    {0x1.000002p7f, 1.0f, 32768, q::status::scale_too_large},
    {0x1.fffffep-9f, 1.0f, 1, q::status::scale_too_small},
    {0.0f, 1.0f, 0, q::status::scale_too_small},
    {0x1p100f, 1.0f, max, q::status::scale_too_large},
    {-1.0f, 1.0f, -256, q::status::scale_negative},
    {1.0f, 0.0f, 0, q::status::scale_not_finite},
    {0.0f, 0.0f, 0, q::status::scale_not_finite},
    {quiet_nan, 1.0f, 0, q::status::scale_not_finite},
};
constexpr auto ratio_holds = [](const ratio_case& c) {
  const auto r = q::xnnpack::convert::derive(c.input, 3, c.output, -4);
  return r.value.ratio == q::multiplier32{c.mantissa, 8} && r.value.input_zero_point == 3 && r.value.output_zero_point == -4 &&
         r.status == c.status;
};
static_assert(first_wrong(ratio_cases, ratio_holds) == -1);

struct convert_case {
  q::xnnpack::convert parameters;
  std::int8_t x, y;
};
constexpr convert_case convert_cases[] = {
    {{{128, 8}, 0, 0}, 1, 1},           {{{128, 8}, 0, 0}, -1, 0},          {{{128, 8}, 0, 0}, -3, -1},  // ties up
    {{{256, 8}, -128, -128}, 127, 127}, {{{256, 8}, 127, -128}, 127, -128}, {{{32768, 8}, 0, 0}, 1, 127},
    {{{32768, 8}, 0, 0}, -1, -128},     {{{1, 8}, -128, 0}, 127, 1},        {{{1, 8}, -128, 0}, -1, 0},
    {{{256, 8}, 0, 10}, 5, 15},
};
constexpr auto convert_holds = [](const convert_case& c) { return c.parameters(c.x) == c.y; };
static_assert(first_wrong(convert_cases, convert_holds) == -1);

struct addends_case {
  q::binary32 a, b, output;
  std::int32_t a_mantissa, b_mantissa, right_shift;
  q::status status;
};
constexpr addends_case addends_cases[] = {
    {1.0f, 1.0f, 1.0f, 1 << 20, 1 << 20, 20, q::status::ok},
    {1.0f, 0.25f, 2.0f, 1 << 20, 1 << 18, 21, q::status::ok},
    {0.25f, 1.0f, 2.0f, 1 << 18, 1 << 20, 21, q::status::ok},
    {0x1.fffffep0f, 1.0f, 1.0f, 1 << 21, 1 << 20, 20, q::status::ok},      // the mantissa rounds up
    {1.0f, 0x1.8p-20f, 1.0f, 1 << 20, 2, 20, q::status::scale_too_small},  // ties to even
    {1.0f, 0x1.4p-19f, 1.0f, 1 << 20, 2, 20, q::status::scale_too_small},
    {1.0f, 0.0f, 1.0f, 1 << 20, 0, 20, q::status::scale_too_small},
    {0x1p-10f, 0x1p-10f, 1.0f, 1 << 20, 1 << 20, 30, q::status::ok},
    {0x1p8f, 1.0f, 1.0f, 1 << 20, 1 << 12, 12, q::status::scale_too_large},
    {0x1p9f, 1.0f, 1.0f, 0, 0, 20, q::status::scale_too_large},
    {0x1.fffffep-11f, 0.0f, 1.0f, 0, 0, 20, q::status::scale_too_small},
    {0.0f, 0.0f, 1.0f, 0, 0, 20, q::status::scale_zero},
    {1.0f, -1.0f, 1.0f, 1 << 20, -(1 << 20), 20, q::status::ok},
    {1.0f, 1.0f, 0.0f, 0, 0, 20, q::status::scale_not_finite},
    {1.0f, quiet_nan, 1.0f, 0, 0, 20, q::status::scale_not_finite},
    {quiet_nan, 1.0f, 1.0f, 0, 0, 20, q::status::scale_not_finite},
};
constexpr auto addends_hold = [](const addends_case& c) {
  const auto r = q::xnnpack::add::derive(c.a, 0, c.b, 0, c.output, q::range_of<std::int8_t>());
  return r.value.a_mantissa == c.a_mantissa && r.value.b_mantissa == c.b_mantissa && r.value.right_shift == c.right_shift &&
         r.status == c.status;
};
static_assert(first_wrong(addends_cases, addends_hold) == -1);

struct add_case {
  q::xnnpack::add parameters;
  std::int8_t a, b, y;
};
constexpr std::int32_t half = 1 << 20;  // 2^20 / 2^21
constexpr add_case add_cases[] = {
    {{half, half, 21, 0, 0, q::range_of<std::int8_t>()}, 1, 0, 1},  // ties up
    {{half, half, 21, 0, 0, q::range_of<std::int8_t>()}, -1, 0, 0},
    {{half, half, 21, 0, 0, q::range_of<std::int8_t>()}, -1, -2, -1},
    {{half, half, 20, 0, 0, q::range_of<std::int8_t>()}, 127, 127, 127},
    {{half, half, 20, 0, 0, q::range_of<std::int8_t>()}, -128, -128, -128},
    {{half, half, 20, -128, 127, q::range_of<std::int8_t>(-3)}, -128, 127, -3},
    {{2 * half, 2 * half, 20, -128, -128, q::range_of<std::int8_t>(-128)}, 127, 127, 127},
    {{half, half, 20, 0, 0, {2, 2, 6}}, -5, 0, 2},
    {{half, half, 20, 0, 0, {2, 2, 6}}, 5, 0, 6},
};
constexpr auto add_holds = [](const add_case& c) { return c.parameters(c.a, c.b) == c.y; };
static_assert(first_wrong(add_cases, add_holds) == -1);

}  // namespace

TEST_CASE("XNNPACK's rules round ties and their neighbours as published") {
  CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1);
  CHECK(first_wrong(at_run_time(gemmlowp_cases), gemmlowp_holds) == -1);
}

TEST_CASE("XNNPACK's multipliers are the bits of the scale, and scales it would assert on get a status") {
  CHECK(first_wrong(at_run_time(scale_cases), scale_holds) == -1);
  CHECK(first_wrong(at_run_time(derived24), derives<&q::xnnpack::rndnu::derive>) == -1);
  CHECK(first_wrong(at_run_time(derived16), derives<&q::xnnpack::rndnu16::derive>) == -1);
  CHECK(first_wrong(at_run_time(derived_gemmlowp), derives<&q::xnnpack::gemmlowp::derive>) == -1);
}

TEST_CASE("XNNPACK's rules accept multipliers and data up to their ends") {
  CHECK(first_wrong(at_run_time(validities24), multiplier_valid<q::xnnpack::rndnu>) == -1);
  CHECK(first_wrong(at_run_time(validities16), multiplier_valid<q::xnnpack::rndnu16>) == -1);
  CHECK(first_wrong(at_run_time(validities_gemmlowp), multiplier_valid<q::xnnpack::gemmlowp>) == -1);
  CHECK(first_wrong(at_run_time(data24), data_valid<q::xnnpack::rndnu>) == -1);
}

TEST_CASE("an XNNPACK output is clamped at both rails after the zero point") {
  CHECK(first_wrong(at_run_time(outputs32), requantizes<q::xnnpack::fp32>) == -1);
  CHECK(first_wrong(at_run_time(outputs24), requantizes<q::xnnpack::rndnu>) == -1);
}

TEST_CASE("XNNPACK converts between int8 scales with ties up") {
  CHECK(first_wrong(at_run_time(ratio_cases), ratio_holds) == -1);
  CHECK(first_wrong(at_run_time(convert_cases), convert_holds) == -1);
}

TEST_CASE("XNNPACK adds in 21 bits with ties up") {
  CHECK(first_wrong(at_run_time(addends_cases), addends_hold) == -1);
  CHECK(first_wrong(at_run_time(add_cases), add_holds) == -1);
}

TEST_CASE("an addition that XNNPACK asserts against gets its status and still cannot overflow") {
  using s = q::status;
  const q::output_range int8 = q::range_of<std::int8_t>();
  const auto status_of = [&](float a, std::int32_t za, float b, std::int32_t zb, q::output_range range) {
    return q::xnnpack::add::derive(a, za, b, zb, 1.0f, range).status;
  };
  CHECK(status_of(255.0f, 0, 1.0f, 0, int8) == s::ok);
  CHECK(status_of(256.0f, 0, 1.0f, 0, int8) == s::scale_too_large);
  CHECK(status_of(1.0f, 0, 0x1p-10f, 0, int8) == s::ok);
  CHECK(status_of(1.0f, 0, 0x1.fffffep-11f, 0, int8) == s::scale_too_small);
  CHECK(status_of(-1.0f, 0, 1.0f, 0, int8) == s::ok);
  CHECK(status_of(1.0f, 128, 1.0f, 0, int8) == s::zero_point_out_of_range);
  CHECK(status_of(1.0f, 0, 1.0f, -129, int8) == s::zero_point_out_of_range);
  CHECK(status_of(1.0f, 0, 1.0f, 0, q::output_range{}) == s::range_out_of_type);
  CHECK(status_of(1.0f, 0, 1.0f, 0, {0, -129, 127}) == s::range_out_of_type);
  CHECK(status_of(1.0f, 0, 1.0f, 0, {0, -128, 128}) == s::range_out_of_type);
  CHECK(status_of(1.0f, 0, 1.0f, 0, {128, -128, 127}) == s::zero_point_out_of_range);
  CHECK(status_of(1.0f, 0, 1.0f, 0, {0, 1, 0}) == s::empty_range);
  CHECK(status_of(1.0f, 0, 1.0f, 0, {0, 1, 1}) == s::ok);
  // A negative ratio subtracts.
  CHECK(q::xnnpack::add::derive(1.0f, 0, -1.0f, 0, 1.0f, int8).value(100, 30) == 70);
  // The parameters are refused, but the result is defined.
  CHECK(q::xnnpack::add::derive(0x1p40f, 0, 1.0f, 0, 1.0f, int8).value(100, 30) == 0);
  CHECK(q::xnnpack::add::derive(1.0f, -2147483647 - 1, 1.0f, 0, 1.0f, int8).value(1, 1) == 127);
  CHECK(q::xnnpack::convert::derive(1.0f, 200, 1.0f, 0).status == s::zero_point_out_of_range);
  CHECK(q::xnnpack::convert::derive(1.0f, 0, 1.0f, 200).status == s::zero_point_out_of_range);
  CHECK(q::xnnpack::convert::derive(1.0f, -2147483647 - 1, 1.0f, 0).value(1) == 127);
  CHECK(check(q::xnnpack::convert{{1, 8}, -128, 127}) == s::ok);
  CHECK(check(q::xnnpack::convert{{32768, 8}, 0, 0}) == s::ok);
  CHECK(check(q::xnnpack::convert{{0, 8}, 0, 0}) == s::multiplier_out_of_range);
  CHECK(check(q::xnnpack::convert{{32769, 8}, 0, 0}) == s::multiplier_out_of_range);
  CHECK(check(q::xnnpack::convert{{256, 9}, 0, 0}) == s::multiplier_out_of_range);
  CHECK(check(q::xnnpack::convert{{256, 8}, -129, 0}) == s::zero_point_out_of_range);
  CHECK(check(q::xnnpack::convert{{256, 8}, 0, 128}) == s::zero_point_out_of_range);
}

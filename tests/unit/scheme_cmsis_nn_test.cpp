#include <dyadic/scheme/cmsis_nn.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"

namespace q = dyadic;
using namespace support;

namespace {

struct rule_case {
  std::int32_t acc;
  q::tflite::pair m;
  std::int64_t twice, once, mve_twice, mve_once, mve_predicated;
};
constexpr rule_case rule_cases[] = {
    {1, {h, 0}, 1, 1, 1, 1, 1},
    {-1, {h, 0}, 0, 0, 0, 0, 0},
    {1, {h, -1}, 1, 0, 1, 0, 1},  // 0.25: the predicated variant rounds twice
    {-1, {h, -1}, 0, 0, 0, 0, 0},
    {-2, {h, -1}, -1, 0, -1, 0, 0},
    {-3, {h, -1}, -1, -1, -1, -1, 0},
    {-1, {h + 1, -1}, -1, 0, -1, 0, 0},
    {1, {5 * (h / 4), 1}, 1, 1, 1, 1, 2},  // 1.25
    {1000, {max, -4}, 63, 62, 63, 62, 63},
    {min, {h, -31}, -1, 0, -1, 0, 0},
    {max, {max, 0}, max - 1, max - 1, max - 1, -1, -1},
    {h, {h, 0}, h / 2, h / 2, h / 2, -h / 2, -h / 2},  // the single-rounding Helium build shifts one further, and wraps
    {h, {max, 1}, -max, max, -max, 0, 0},
};
constexpr auto rule_holds = [](const rule_case& c) {
  const q::multiplier32 m = q::tflite::from_pair(c.m);
  return q::cmsis_nn::double_rounding::apply(c.acc, m) == c.twice && q::cmsis_nn::single_rounding::apply(c.acc, m) == c.once &&
         q::cmsis_nn::mve_double_rounding::apply(c.acc, m) == c.mve_twice &&
         q::cmsis_nn::mve_single_rounding::apply(c.acc, m) == c.mve_once &&
         q::cmsis_nn::mve_predicated_single_rounding::apply(c.acc, m) == c.mve_predicated;
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

/// A case of min * min, which is outside the documented domain. The scalar high multiply wraps, and Helium's saturates.
struct corner_case {
  std::int32_t acc;
  q::tflite::pair m;
  std::int64_t scalar, mve;
};
constexpr corner_case corner_cases[] = {
    {min, {min, 0}, min, max},  {min, {min, -1}, -h, h}, {min, {min, -31}, -1, 1}, {h, {min, 1}, min, max},
    {-max, {min, 0}, max, max}, {1, {min, 0}, -1, -1},   {-1, {-h, 0}, 1, 1},      {2, {-h, -1}, -1, -1},
};
constexpr auto corner_holds = [](const corner_case& c) {
  const q::multiplier32 m = q::tflite::from_pair(c.m);
  return q::cmsis_nn::double_rounding::apply(c.acc, m) == c.scalar && q::cmsis_nn::mve_double_rounding::apply(c.acc, m) == c.mve;
};
static_assert(first_wrong(corner_cases, corner_holds) == -1);

constexpr validity<q::cmsis_nn::double_rounding> double_validities[] = {
    {{-max, 31}, true}, {{min, 31}, false}, {{max, 1}, true}, {{max, 62}, true}, {{max, 0}, false}, {{max, 63}, false},
};
static_assert(first_wrong(double_validities, multiplier_valid<q::cmsis_nn::double_rounding>) == -1);
constexpr data_validity<q::cmsis_nn::double_rounding> double_data[] = {
    {h - 1, {h, 30}, true},   {h, {h, 30}, false},  {-h, {h, 30}, true},
    {-h - 1, {h, 30}, false}, {min, {h, 31}, true}, {0, {min, 31}, false},
};
static_assert(first_wrong(double_data, data_valid<q::cmsis_nn::double_rounding>) == -1);
constexpr data_validity<q::cmsis_nn::mve_predicated_single_rounding> predicated_data[] = {
    {h - 1, {h, 31}, true}, {h, {h, 31}, false}, {max, {h, 32}, true}, {0, {h, 1}, false}, {0, {-1, 31}, false},
};
static_assert(first_wrong(predicated_data, data_valid<q::cmsis_nn::mve_predicated_single_rounding>) == -1);

struct quotient_case {
  std::int32_t x;
  int exponent;
  std::int32_t y;
};
constexpr quotient_case quotient_cases[] = {
    {min, 0, min}, {1, 1, 1},      {-1, 1, -1},  {-3, 1, -2},   {1, 2, 0},   {h, 31, 1},
    {-h, 31, -1},  {h - 1, 31, 0}, {max, 31, 1}, {min, 31, -1}, {max, 1, h},
};
constexpr auto quotient_holds = [](const quotient_case& c) {
  return q::cmsis_nn::divide_by_power_of_two(c.x, c.exponent) == c.y;
};
static_assert(first_wrong(quotient_cases, quotient_holds) == -1);

/// A case of the helper for 64-bit accumulators: its result, TFLite's exact result, and whether `valid` says that both are equal.
struct wide_case {
  std::int64_t acc;
  q::multiplier16 m;
  std::int64_t y, exact;
  bool valid;
};
constexpr std::int64_t high = (std::int64_t{1} << 47) - 1;
constexpr wide_case wide_cases[] = {
    {1, {16384, 15}, 1, 1, true},
    {-1, {16384, 15}, 0, 0, true},
    {-3, {16384, 15}, -1, -1, true},
    {max - 1LL, {16384, 15}, h - 1, h - 1, true},
    {max, {16384, 15}, -h, h, false},
    {min - 1LL, {16384, 15}, -h, -h, true},
    {min - 2LL, {16384, 15}, h - 1, -h - 1, false},
    {8388864, {32767, 8}, h - 1, h - 1, true},
    {8388865, {32767, 8}, -h + 127, h + 127, false},
    {high, {1, 46}, 2, 2, true},
    {-high - 1, {1, 46}, -2, -2, true},
    {high + 1, {1, 46}, 2, 2, false},
    {-high - 2, {1, 46}, -2, -2, false},
    {1, {1, 7}, 0, 0, false},
};
constexpr auto wide_holds = [](const wide_case& c) {
  return q::cmsis_nn::requantize_s64::apply(c.acc, c.m) == c.y && q::tflite::reduced_int64::apply(c.acc, c.m) == c.exact &&
         q::cmsis_nn::requantize_s64::valid(c.acc, c.m) == c.valid && (!c.valid || c.y == c.exact);
};
static_assert(first_wrong(wide_cases, wide_holds) == -1);

struct reduce_case {
  std::int32_t mantissa;
  std::int16_t reduced;
};
constexpr reduce_case reduce_cases[] = {{h, 0x4000},           {h + 0x8000, 0x4001},  {0x7FFE'FFFF, 0x7FFF},
                                        {0x7FFF'0000, 0x7FFF}, {0x7FFF'8000, 0x7FFF}, {max, 0x7FFF}};
constexpr auto reduce_holds = [](const reduce_case& c) {
  return q::cmsis_nn::reduce({c.mantissa, 31}) == q::multiplier16{c.reduced, 15};
};
static_assert(first_wrong(reduce_cases, reduce_holds) == -1);

/// A result of 2^30 or more wraps, so that the int16 clamp gives the wrong end.
static_assert(q::requantize<q::cmsis_nn::requantize_s64>(max, {16384, 15}, q::range_of<std::int16_t>()) == -32768);
static_assert(q::requantize<q::tflite::reduced_int64>(max, {16384, 15}, q::range_of<std::int16_t>()) == 32767);

}  // namespace

TEST_CASE("each build of CMSIS-NN rounds as its code does, quirks included") {
  CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1);
  CHECK(first_wrong(at_run_time(corner_cases), corner_holds) == -1);
  CHECK(first_wrong(at_run_time(quotient_cases), quotient_holds) == -1);
}

TEST_CASE("CMSIS-NN's helper for 64 bits wraps, and `valid` tells where") {
  CHECK(first_wrong(at_run_time(wide_cases), wide_holds) == -1);
  CHECK(first_wrong(at_run_time(reduce_cases), reduce_holds) == -1);
}

TEST_CASE("CMSIS-NN accepts multipliers and data up to their ends") {
  CHECK(first_wrong(at_run_time(double_validities), multiplier_valid<q::cmsis_nn::double_rounding>) == -1);
  CHECK(first_wrong(at_run_time(double_data), data_valid<q::cmsis_nn::double_rounding>) == -1);
  CHECK(first_wrong(at_run_time(predicated_data), data_valid<q::cmsis_nn::mve_predicated_single_rounding>) == -1);
}

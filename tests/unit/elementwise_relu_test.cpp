#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>

#include <cstdint>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;
using q::status;
using std::int16_t;
using std::int8_t;

namespace {

// ---- leaky relu: x / 2, and alpha * x / 2 for x < 0

struct relu_case {
  q::binary32 alpha;
  int8_t x;
  int twice, once, xnnpack;
};
constexpr relu_case relus[] = {
    {0.5f, 3, 2, 2, 2},                                // 1.5
    {0.5f, -2, -1, 0, 0},                              // -0.5: with a scale of 1/4 the second rounding sees the tie
    {0.5f, -6, -2, -1, -1},   {1.0f, -3, -1, -1, -1},  // -1.5: with a scale of 1/2 there is one rounding
    {-0.5f, -2, 1, 0, 1},                              // 0.5: minus the rescale of -2 by 1/4, so that one rounding goes down
    {-1.0f, -3, 1, 1, 2},                              // 1.5
    {-1.0f, -1, 0, 0, 1},                              // 0.5
    {0.0f, -100, 0, 0, 1000}, {-2.0f, -128, 127, 127, 127},
};
template <class Rule>
constexpr int of_half(q::binary32 alpha, int8_t x) {
  const auto rule = Rule::derive(0.5f, 0, alpha, 1.0f, 0);
  return rule.status == status::ok ? rule.value(x) : 1000;
}
constexpr auto relu_holds = [](const relu_case& c) {
  return of_half<q::tflite::leaky_relu<int8_t>>(c.alpha, c.x) == c.twice &&
         of_half<q::tflite::leaky_relu<int8_t, q::tflite::single_rounding>>(c.alpha, c.x) == c.once &&
         of_half<q::xnnpack::leaky_relu<int8_t>>(c.alpha, c.x) == c.xnnpack;
};
static_assert(first_wrong(relus, relu_holds) == -1);

constexpr auto bytes = q::tflite::leaky_relu<std::uint8_t>::derive(1.0f, 128, 0.25f, 1.0f, 100).value;
static_assert(bytes(255) == 227 && bytes(128) == 100 && bytes(0) == 68);
constexpr auto xnnpack_bytes = q::xnnpack::leaky_relu<std::uint8_t>::derive(1.0f, 128, 0.25f, 1.0f, 100).value;
static_assert(xnnpack_bytes.positive == 256 && xnnpack_bytes.negative == 64 && xnnpack_bytes(255) == 227 &&
              xnnpack_bytes(0) == 68);

struct relu_status {
  q::binary32 x, alpha, y;
  status tflite, xnnpack;
};
constexpr relu_status relu_statuses[] = {
    {1.0f, 0.25f, 1.0f, status::ok, status::ok},
    {0.0f, 0.25f, 1.0f, status::scale_zero, status::scale_zero},
    {1.0f, quiet_nan, 1.0f, status::scale_not_finite, status::scale_not_finite},
    {1.0f, 1.0f, 256.0f, status::ok, status::ok},
    {1.0f, 2.0f, 257.0f, status::ok, status::scale_too_small},
    {128.0f, 1.0f, 1.0f, status::ok, status::ok},
    {1.0f, 0x1p-8f, 1.0f, status::ok, status::ok},
    {1.0f, -0x1.fffffep-9f, 1.0f, status::ok, status::scale_too_small},
    {129.0f, 0.25f, 1.0f, status::ok, status::scale_too_large},
    {1.0f, 129.0f, 1.0f, status::ok, status::scale_too_large},
    {1.0f, -127.99609375f, 1.0f, status::ok, status::ok},
    {1.0f, -128.0f, 1.0f, status::ok, status::scale_too_large},
    {0x1p30f, 0.25f, 1.0f, status::scale_too_large, status::scale_too_large},
    {0x1p25f, 0.25f, 1.0f, status::accumulator_overflow, status::scale_too_large},
};
constexpr auto relu_status_holds = [](const relu_status& c) {
  return q::tflite::leaky_relu<int8_t>::derive(c.x, 0, c.alpha, c.y, 0).status == c.tflite &&
         q::xnnpack::leaky_relu<int8_t>::derive(c.x, 0, c.alpha, c.y, 0).status == c.xnnpack;
};
static_assert(first_wrong(relu_statuses, relu_status_holds) == -1);

constexpr q::multiplier32 unit{1 << 30, 30};
constexpr status of_numbers(q::multiplier32 identity, q::multiplier32 alpha, std::int32_t zero = 0) {
  return check(q::tflite::leaky_relu<int16_t, q::tflite::single_rounding>{zero, identity, alpha, q::range_of<int16_t>()});
}
static_assert(of_numbers(unit, {-(1 << 30), 30}) == status::ok && of_numbers(unit, {-1, 30}) == status::ok);
static_assert(of_numbers(unit, {1 << 30, 14}) == status::ok && of_numbers(unit, {1 << 30, 13}) == status::accumulator_overflow);
static_assert(of_numbers({1 << 30, 14}, unit) == status::ok && of_numbers({1 << 30, 13}, unit) == status::accumulator_overflow);
static_assert(of_numbers(unit, {q::int32_min, 30}) == status::multiplier_out_of_range);
static_assert(of_numbers({-1, 30}, unit) == status::multiplier_out_of_range);
static_assert(of_numbers(unit, {1, 63}) == status::multiplier_out_of_range);
static_assert(check(q::tflite::leaky_relu<int8_t>{0, unit, unit, {0, 1, 0}}) == status::empty_range);
static_assert(of_numbers(unit, unit, 32768) == status::zero_point_out_of_range);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{128, 256, 64, 0}) == status::zero_point_out_of_range);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 256, 64, 128}) == status::zero_point_out_of_range);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 32769, 64, 0}) == status::multiplier_out_of_range);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 256, 32769, 0}) == status::multiplier_out_of_range);
static_assert(q::xnnpack::leaky_relu<int8_t>::derive(0x1p127f, 0, 0.25f, 0x1p-20f, 0).status == status::scale_not_finite);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 0, 64, 0}) == status::multiplier_out_of_range);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 1, 0, 0}) == status::multiplier_out_of_range);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 32768, 32768, 0}) == status::ok);
static_assert(check(q::xnnpack::leaky_relu<int8_t>{0, 256, -32768, 0}) == status::multiplier_out_of_range);

// ---- hard swish: codes in sixteenths

constexpr auto swish = q::tflite::hard_swish<int8_t>::derive(0x1p-4f, 0, 0x1p-4f, 0);
struct swish_case {
  int8_t x;
  int y;
};
constexpr swish_case swishes[] = {{0, 0}, {48, 48}, {127, 127}, {-48, 0}, {-128, 0}, {24, 18}, {-24, -6}, {16, 11}, {-16, -5}};
constexpr auto swish_holds = [](const swish_case& c) { return swish.status == status::ok && swish.value(c.x) == c.y; };
static_assert(first_wrong(swishes, swish_holds) == -1);

// Scales of 2^-7 and 2^-9: the relu is shifted by 0 or to the right. 127 steps are 84.5, which the truncation rounds down.
template <int Of>
constexpr auto fine = q::tflite::hard_swish<int8_t>::derive(Of == 7 ? 0x1p-7f : 0x1p-9f, 0, Of == 7 ? 0x1p-7f : 0x1p-9f, 0).value;
static_assert(fine<7>.relu.right_shift == 15 && fine<7>(127) == 84 && fine<7>(64) == 37 && fine<7>(-128) == -43);
static_assert(fine<9>.relu.right_shift == 17 && fine<9>(127) == 69 && fine<9>(33) == 17 && fine<9>(-77) == -37);

// The output's scale is below 1 if x is less than 128 times as coarse as y. This is TFLite's own check.
static_assert(q::tflite::hard_swish<int8_t>::derive(127.0f, 0, 1.0f, 0).status == status::ok);
static_assert(q::tflite::hard_swish<int8_t>::derive(128.0f, 0, 1.0f, 0).status == status::scale_too_large);
static_assert(q::tflite::hard_swish<int8_t>::derive(0.0f, 0, 1.0f, 0).status == status::scale_zero);
static_assert(q::tflite::hard_swish<int8_t>::derive(1.0f, 128, 1.0f, 0).status == status::zero_point_out_of_range);
template <class Change>
constexpr status changed(const Change& change) {
  auto rule = swish.value;
  change(rule);
  return check(rule);
}
static_assert(q::tflite::hard_swish<int8_t>::derive(0x1p100f, 0, 0x1p-40f, 0).status == status::scale_not_finite);
static_assert(q::tflite::hard_swish<int8_t>::derive(0x1p127f, 0, 0x1p127f, 0).status == status::scale_not_finite);
static_assert(changed([](auto& r) { r.output = {0, 30}; }) == status::ok);
static_assert(changed([](auto& r) { r.output.mantissa = -1; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) {
                r.relu = {0, 0};
              }) == status::ok &&
              changed([](auto& r) {
                r.relu = {1, 30};
              }) == status::ok);
static_assert(changed([](auto& r) { r.relu.right_shift = 31; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) { r.output.right_shift = 14; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) { r.output.right_shift = 31; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) { r.relu.right_shift = -1; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) { r.relu.mantissa = -1; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) { r.range.max = 128; }) == status::range_out_of_type);

}  // namespace

TEST_CASE("each leaky relu rounds ties like its engine") { CHECK(first_wrong(at_run_time(relus), relu_holds) == -1); }

TEST_CASE("a leaky relu has the status of its scales") {
  CHECK(first_wrong(at_run_time(relu_statuses), relu_status_holds) == -1);
}

TEST_CASE("hard swish is x * relu6(x + 3) / 6 in 16 bits") { CHECK(first_wrong(at_run_time(swishes), swish_holds) == -1); }

#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>

#include <cstdint>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;
using q::status;
using q::tflite::single_rounding;
using std::int16_t;
using std::int8_t;
using std::uint8_t;

namespace {

constexpr std::int32_t h = 1 << 30;

// ---- ties: a * b / 2

template <class Rule, class X = typename Rule::value_type>
constexpr Rule halving = Rule::derive(0.5f, 0, 1.0f, 0, 1.0f, q::range_of<X>()).value;

struct tie {
  int8_t a, b;
  int away, up, even;
};
constexpr tie ties[] = {{1, 1, 1, 1, 0}, {-1, 1, 0, 0, 0},    {3, -1, -1, -1, -2},
                        {5, 1, 3, 3, 2}, {7, 11, 39, 39, 38}, {16, -15, -120, -120, -120}};
constexpr auto tie_holds = [](const tie& c) {
  const auto all = [&](int y, const auto&... rules) { return ((rules(c.a, c.b) == y) && ...); };
  // A scale of 1/2 has no second rounding. The first rounding, at bit 31, has ties up.
  return all(c.away, halving<q::tflite::multiply<int8_t>>, halving<q::tflite::multiply<int16_t>>,
             halving<q::cmsis_nn::multiply<int16_t>>, halving<q::executorch::cortex_m::multiply>) &&
         all(c.up, halving<q::tflite::multiply<int8_t, single_rounding>>, halving<q::cmsis_nn::multiply<int8_t, single_rounding>>,
             halving<q::executorch::arm::multiply<int8_t>>, halving<q::executorch::arm::multiply<int16_t>>,
             halving<q::xnnpack::multiply<int8_t, q::xnnpack::rndnu_neon>>) &&
         all(c.even, halving<q::xnnpack::multiply<int8_t>>);
};
static_assert(first_wrong(ties, tie_holds) == -1);
// A scale of 1/4 has a second rounding: -2 / 4 is -1 with two roundings and 0 with one.
constexpr auto quarter = [](auto rule) {
  return decltype(rule)::derive(0.25f, 0, 1.0f, 0, 1.0f, q::range_of<int8_t>()).value(int8_t{-2}, int8_t{1});
};
static_assert(quarter(q::tflite::multiply<int8_t>{}) == -1 && quarter(q::executorch::arm::multiply<int8_t>{}) == 0);

constexpr auto bytes = q::tflite::multiply<uint8_t>::derive(0.5f, 128, 0.25f, 3, 1.0f, {10, 0, 200});
static_assert(bytes.status == status::ok && bytes.value(132, 9) == 13 && bytes.value(0, 255) == 0 &&
              bytes.value(255, 255) == 200);
constexpr auto xnnpack_bytes = q::xnnpack::multiply<uint8_t>::derive(0.5f, 128, 0.25f, 3, 1.0f, {10, 0, 255});
static_assert(xnnpack_bytes.status == status::ok && xnnpack_bytes.value(132, 9) == 13);

// ---- derivations

struct scales {
  q::binary32 a, b, y;
  status tflite, arm, xnnpack;
};
constexpr scales scale_cases[] = {
    {1.0f, 1.0f, 1.0f, status::ok, status::ok, status::ok},
    {0.0f, 1.0f, 1.0f, status::scale_zero, status::scale_zero, status::scale_zero},
    {1.0f, -1.0f, 1.0f, status::scale_negative, status::scale_negative, status::scale_negative},
    {1.0f, 1.0f, infinite, status::scale_not_finite, status::scale_not_finite, status::scale_not_finite},
    {0x1p-16f, 1.0f, 1.0f, status::ok, status::ok, status::ok},
    {0x1.fffffep-17f, 1.0f, 1.0f, status::ok, status::ok, status::scale_too_small},
    {0x1.fffffep7f, 1.0f, 1.0f, status::ok, status::ok, status::ok},
    {0x1p-100f, 0x1p-50f, 1.0f, status::ok, status::ok, status::scale_zero},  // zero in binary32
    {256.0f, 1.0f, 1.0f, status::ok, status::ok, status::scale_too_large},
    // TFLite's pre-shift takes 128^2 * 2^17 to 2^31. In TOSA the product has 14 bits and the scale 17, and the result must fit
    // int32.
    {0x1p16f, 1.0f, 1.0f, status::accumulator_overflow, status::accumulator_overflow, status::scale_too_large},
    {0x1p29f, 1.0f, 1.0f, status::accumulator_overflow, status::scale_too_large, status::scale_too_large},
    {0x1p30f, 1.0f, 1.0f, status::scale_too_large, status::scale_too_large, status::scale_too_large},
};
constexpr auto scales_hold = [](const scales& c) {
  const q::output_range all = q::range_of<int8_t>();
  return q::tflite::multiply<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.tflite &&
         q::cmsis_nn::multiply<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.tflite &&
         q::executorch::arm::multiply<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.arm &&
         q::xnnpack::multiply<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.xnnpack;
};
static_assert(first_wrong(scale_cases, scales_hold) == -1);

// ---- what check refuses

template <class Rule, class Change>
constexpr status changed(const Change& change) {
  Rule rule = halving<Rule>;
  change(rule);
  return check(rule);
}
template <class Rule>
constexpr bool refuses(status zero_point) {
  using X = typename Rule::value_type;
  return changed<Rule>([](Rule& r) { r.a_zero_point = 1; }) == zero_point &&
         changed<Rule>([](Rule& r) { r.b_zero_point = 1; }) == zero_point &&
         changed<Rule>([](Rule& r) { r.range.zero_point = 1; }) == zero_point &&
         changed<Rule>([](Rule& r) { r.b_zero_point = q::limits<X>::min - 1; }) == status::zero_point_out_of_range &&
         changed<Rule>([](Rule& r) { r.a_zero_point = q::limits<X>::max + 1; }) == status::zero_point_out_of_range &&
         changed<Rule>([](Rule& r) { r.range.min = r.range.max + 1; }) == status::empty_range &&
         changed<Rule>([](Rule& r) { r.range.min = q::limits<X>::min - 1; }) == status::range_out_of_type &&
         changed<Rule>([](Rule& r) { r.multiplier.right_shift = 63; }) == status::multiplier_out_of_range;
}
static_assert(refuses<q::tflite::multiply<int8_t>>(status::ok) && refuses<q::cmsis_nn::multiply<int8_t>>(status::ok));
static_assert(refuses<q::tflite::multiply<int16_t>>(status::zero_point_out_of_range));
static_assert(refuses<q::executorch::arm::multiply<int16_t>>(status::zero_point_out_of_range));

// The differences are 0 .. 255 and -255 .. 0. The least product is -255^2, which may be shifted left by 15 bits but not by 16.
constexpr status of_shift(std::int32_t a_zero_point, std::int32_t b_zero_point, std::int32_t right_shift) {
  return check(q::tflite::multiply<int8_t>{{a_zero_point, b_zero_point, {h, right_shift}, q::range_of<int8_t>()}});
}
static_assert(of_shift(-128, 127, 16) == status::ok && of_shift(-128, 127, 15) == status::accumulator_overflow);
static_assert(of_shift(127, -128, 16) == status::ok && of_shift(127, -128, 15) == status::accumulator_overflow);
static_assert(of_shift(127, 127, 16) == status::ok && of_shift(127, 127, 15) == status::accumulator_overflow);
static_assert(of_shift(-128, -128, 16) == status::ok && of_shift(-128, -128, 15) == status::accumulator_overflow);

// ---- TOSA

struct tosa_case {
  std::int32_t right_shift, a, b;
  bool valid;
  std::int32_t y;
};
constexpr tosa_case tosa_cases[] = {
    {0, 3, -5, true, -15},
    {1, 3, -5, true, -7},  // -7.5, up
    {1, 3, 5, true, 8},
    {63, q::int32_min, q::int32_min, true, 1},  // 2^62 / 2^63, up
    {62, q::int32_min, q::int32_min, true, 1},
    {31, q::int32_min, q::int32_min, false, q::int32_min},
    {32, q::int32_min, q::int32_min, true, 1 << 30},
    {0, 1 << 16, 1 << 15, false, q::int32_min},
    {0, 1 << 16, -(1 << 15), true, q::int32_min},
};
constexpr auto tosa_holds = [](const tosa_case& c) {
  const q::tosa::multiply rule{c.right_shift};
  return rule.valid(c.a, c.b) == c.valid && rule(c.a, c.b) == c.y;
};
static_assert(first_wrong(tosa_cases, tosa_holds) == -1);
static_assert(q::tosa::multiply{}.right_shift == 0 && check(q::tosa::multiply{}) == status::accumulator_overflow);
static_assert(check(q::tosa::multiply{31}) == status::accumulator_overflow && check(q::tosa::multiply{32}) == status::ok);
static_assert(check(q::tosa::multiply{63}) == status::ok && check(q::tosa::multiply{64}) == status::multiplier_out_of_range);
static_assert(check(q::tosa::multiply{-1}) == status::multiplier_out_of_range);
static_assert(!q::tosa::multiply{-1}.valid(0, 0) && !q::tosa::multiply{64}.valid(0, 0));

}  // namespace

TEST_CASE("each multiplication rounds ties like its engine") { CHECK(first_wrong(at_run_time(ties), tie_holds) == -1); }

TEST_CASE("a product has the status of its scale") { CHECK(first_wrong(at_run_time(scale_cases), scales_hold) == -1); }

TEST_CASE("TOSA's multiplication rounds once and reports unpredictable results") {
  CHECK(first_wrong(at_run_time(tosa_cases), tosa_holds) == -1);
}

TEST_CASE("MUL of TOSA rounds what a logical shift cuts, and keeps the sign") {
  // llvm #137601: constants were folded by a logical shift of 64 bits.
  struct folded_case {
    std::int32_t right_shift, a, b, y, folded;
  };
  constexpr folded_case cases[] = {
      {1, 3, 5, 8, 7},
      {1, 3, -5, -7, -8},
      {8, 127, 129, 64, 63},  // 63.996
      {40, -(1 << 20), 1 << 21, -2, (1 << 24) - 2},
      {63, q::int32_min, q::int32_min, 1, 0},
  };
  for (const folded_case& c : cases) {
    CAPTURE(c.right_shift, c.a, c.b);
    CHECK(q::tosa::multiply{c.right_shift}(c.a, c.b) == c.y);
    const auto product = static_cast<std::uint64_t>(std::int64_t{c.a} * c.b);
    CHECK(q::wrap<std::int32_t>(product >> c.right_shift) == c.folded);
  }
}

TEST_CASE("TFLite's MUL of uint8 with a broadcast operand takes scales of 1 and more") {
  // tensorflow #42965: the broadcast form used a function for scales below 1. Its result for a scale of 2 is undefined.
  const uint8_t a[] = {130, 126, 255, 0}, one[] = {129}, four[] = {129, 129, 129, 129};
  uint8_t broadcast[4] = {}, equal[4] = {};
  const q::binary_layer layer{q::tflite::multiply<uint8_t>::derive(0.5f, 128, 0.5f, 128, 0.125f, q::range_of<uint8_t>(10)).value};
  const q::matrix_view left(a, 1, 4), right(one, 1, 1), same(four, 1, 4);
  const q::matrix_view to(broadcast, 1, 4), to_equal(equal, 1, 4);
  REQUIRE((check(layer, left, right, to) == status::ok && check(layer, left, same, to_equal) == status::ok));
  run(layer, left, right, to);
  run(layer, left, same, to_equal);
  const uint8_t y[] = {14, 6, 255, 0};  // 2 * (a - 128) + 10
  for (int i = 0; i < 4; ++i) CHECK((broadcast[i] == y[i] && equal[i] == y[i]));
}

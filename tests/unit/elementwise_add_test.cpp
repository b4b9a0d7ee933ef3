#include <dyadic/elementwise/activation_range.hpp>
#include <dyadic/elementwise/add.hpp>

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

namespace {

// ---- ties: scale 1 + scale 1 into scale 2, (a + b) / 2

template <class Rule, class X = typename Rule::value_type>
constexpr Rule halving = Rule::derive(1.0f, 0, 1.0f, 0, 2.0f, q::range_of<X>()).value;

struct tie {
  int8_t a, b;
  int twice, once;  ///< twice: rounded up at bit 31, then away from zero; once: up
};
constexpr tie ties[] = {
    {1, 0, 1, 1},       {-1, 0, -1, 0},           {3, 0, 2, 2}, {-3, 0, -2, -1},
    {-128, 127, -1, 0}, {-128, -127, -128, -127}, {2, 2, 2, 2}, {-4, 1, -2, -1},
};
constexpr auto tie_holds = [](const tie& c) {
  const auto all = [&](int y, const auto&... rules) { return ((rules(c.a, c.b) == y) && ...); };
  const auto minus = static_cast<int8_t>(c.b == -128 ? 0 : -c.b);
  return all(c.twice, halving<q::tflite::add<int8_t>>, halving<q::tflite::add<int16_t>>, halving<q::cmsis_nn::add<int8_t>>,
             halving<q::cmsis_nn::add<int16_t>>, halving<q::executorch::cortex_m::add>) &&
         all(c.once, halving<q::tflite::add<int8_t, single_rounding>>,
             halving<q::cmsis_nn::add<int16_t, q::cmsis_nn::single_rounding>>, halving<q::executorch::arm::add<int8_t>>,
             halving<q::executorch::arm::add<int16_t>>) &&
         halving<q::tflite::subtract<int8_t>>(c.a, minus) == c.twice &&
         halving<q::executorch::arm::subtract<int16_t>>(c.a, minus) == c.once;
};
static_assert(first_wrong(ties, tie_holds) == -1);

// ---- unsigned bytes, zero points, bounds

constexpr auto bytes = q::tflite::add<std::uint8_t>::derive(0.5f, 128, 0.25f, 3, 1.0f, {10, 10, 200});
static_assert(bytes.status == status::ok && bytes.value.left_shift == 20);
static_assert(bytes.value(255, 255) == 137 && bytes.value(0, 0) == 10 && bytes.value(130, 7) == 12);  // 63.5 + 63 + 10 = 136.5
static_assert(q::tflite::left_shift_of_sum<int16_t> == 15);

// ---- derivations: add in binary64, subtract in binary32

constexpr auto sum = q::tflite::add<int8_t>::derive(0.1f, 0, 0.3f, 0, 0.7f, q::range_of<int8_t>()).value;
constexpr auto difference = q::tflite::subtract<int8_t>::derive(0.1f, 0, 0.3f, 0, 0.7f, q::range_of<int8_t>()).value;
static_assert(sum.a.multiplier.right_shift == 33 && difference.a.multiplier.right_shift == 33);  // 1/6
static_assert(sum.a.multiplier != difference.a.multiplier && sum.multiplier != difference.multiplier);
static_assert(sum.b.multiplier == q::multiplier32{1 << 30, 31} && difference.b.multiplier == sum.b.multiplier);

struct scales {
  q::binary32 a, b, y;
  status add, cortex_m, arm;
};
constexpr scales scale_cases[] = {
    {1.0f, 1.0f, 1.0f, status::ok, status::ok, status::ok},
    {0.0f, 1.0f, 1.0f, status::scale_zero, status::scale_zero, status::scale_zero},
    {1.0f, -0.0f, 1.0f, status::scale_zero, status::scale_zero, status::scale_zero},
    {1.0f, 1.0f, -1.0f, status::scale_negative, status::scale_negative, status::scale_negative},
    {infinite, 1.0f, 1.0f, status::scale_not_finite, status::scale_not_finite, status::scale_not_finite},
    {1.0f, quiet_nan, 1.0f, status::scale_not_finite, status::scale_not_finite, status::scale_not_finite},
    // The scale of the sum is 2^-19 / y: below 1 in TFLite, any in TOSA, whose multiplier is below 2^29.
    {1.0f, 1.0f, 0x1p-18f, status::ok, status::ok, status::ok},
    {1.0f, 1.0f, 0x1p-19f, status::scale_too_large, status::ok, status::ok},
    {1.0f, 1.0f, 0x1.000002p-19f, status::ok, status::ok, status::ok},
    {1.0f, 1.0f, 0x1p-48f, status::scale_too_large, status::accumulator_overflow, status::scale_too_large},
};
constexpr auto scales_hold = [](const scales& c) {
  const q::output_range all = q::range_of<int8_t>();
  return q::tflite::add<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.add &&
         q::tflite::subtract<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.add &&
         q::cmsis_nn::add<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.add &&
         q::executorch::cortex_m::add::derive(c.a, 0, c.b, 0, c.y, all).status == c.cortex_m &&
         q::executorch::arm::add<int8_t>::derive(c.a, 0, c.b, 0, c.y, all).status == c.arm;
};
static_assert(first_wrong(scale_cases, scales_hold) == -1);
// In binary32 the sum of the scales may be infinite, and the quotient may be zero.
static_assert(q::tflite::subtract<int8_t>::derive(0x1p127f, 0, 0x1p127f, 0, 1.0f, {}).status == status::scale_zero);
static_assert(q::tflite::subtract<int8_t>::derive(0x1p-149f, 0, 1.0f, 0, 0x1p120f, {}).status == status::scale_zero);
static_assert(q::tflite::subtract<int8_t>::derive(0x1p126f, 0, 1.0f, 0, 0x1p-149f, {}).status == status::scale_not_finite);

// The left shift of ExecuTorch's Arm backend is in the multipliers of the operands: 1 / (2 / 2^20) and 1 / (2 / 2^12).
static_assert(halving<q::executorch::arm::add<int8_t>>.a.multiplier == q::multiplier32{1 << 30, 11});
static_assert(halving<q::executorch::arm::add<int16_t>>.b.multiplier == q::multiplier32{1 << 30, 19});
static_assert(halving<q::executorch::arm::add<int8_t>>.left_shift == 0);

// ---- what check refuses

template <class Rule, class Change>
constexpr status changed(const Change& change) {
  Rule rule = halving<Rule>;
  change(rule);
  return check(rule);
}
template <class Rule>
constexpr bool refuses(status input_zero_point, status output_zero_point) {
  using X = typename Rule::value_type;
  return changed<Rule>([](Rule& r) { r.a.zero_point = 1; }) == input_zero_point &&
         changed<Rule>([](Rule& r) { r.b.zero_point = -1; }) == input_zero_point &&
         changed<Rule>([](Rule& r) { r.range.zero_point = 1; }) == output_zero_point &&
         changed<Rule>([](Rule& r) { r.a.zero_point = q::limits<X>::max + 1; }) == status::zero_point_out_of_range &&
         changed<Rule>([](Rule& r) { r.range.min = r.range.max + 1; }) == status::empty_range &&
         changed<Rule>([](Rule& r) { r.range.max = q::limits<X>::max + 1; }) == status::range_out_of_type &&
         changed<Rule>([](Rule& r) { r.left_shift = -1; }) == status::multiplier_out_of_range &&
         changed<Rule>([](Rule& r) { r.left_shift = 31; }) == status::multiplier_out_of_range &&
         changed<Rule>([](Rule& r) { r.a.multiplier.right_shift = 63; }) == status::multiplier_out_of_range &&
         changed<Rule>([](Rule& r) { r.b.multiplier.right_shift = 0; }) == status::multiplier_out_of_range &&
         changed<Rule>([](Rule& r) { r.multiplier.right_shift = 63; }) == status::multiplier_out_of_range;
}
constexpr status no = status::zero_point_out_of_range;
static_assert(refuses<q::tflite::add<int8_t>>(status::ok, status::ok) &&
              refuses<q::tflite::add<int16_t>>(status::ok, status::ok));
static_assert(refuses<q::tflite::subtract<int8_t>>(status::ok, status::ok) &&
              refuses<q::tflite::subtract<int16_t>>(no, status::ok));
static_assert(refuses<q::cmsis_nn::add<int8_t>>(status::ok, status::ok) && refuses<q::cmsis_nn::add<int16_t>>(no, no));
static_assert(refuses<q::executorch::arm::add<int8_t>>(status::ok, status::ok) &&
              refuses<q::executorch::arm::add<int16_t>>(no, no));

// The least left shift with which a step leaves int32: (127 + 128) * 2^23 fits, and twice this number does not.
constexpr auto shifted = [](int left_shift, std::int32_t zero_point) {
  return changed<q::tflite::add<int8_t>>([&](auto& r) {
    r.left_shift = left_shift;
    r.a.zero_point = r.b.zero_point = zero_point;
  });
};
static_assert(shifted(23, -128) == status::ok && shifted(24, -128) == status::accumulator_overflow);
static_assert(shifted(24, 0) == status::ok && shifted(25, 0) == status::accumulator_overflow);
// Operands with scale 1. Their sum reaches -2^31, which fits int32.
constexpr auto whole = [](int sign) {
  return changed<q::tflite::subtract<int8_t>>([&](auto& r) {
    r.left_shift = 23;
    r.a.multiplier = {1 << 30, 30};
    r.b.multiplier = {sign * (1 << 30), 30};
  });
};
static_assert(whole(-1) == status::ok && whole(1) == status::ok);
// The extremes of a difference pair the opposite extremes of its operands. 510 * 2^19 * 2^3 is an int32, but its double is not.
constexpr auto difference_of_extremes = [](std::int32_t a_zero_point, std::int32_t b_zero_point, int right_shift) {
  return changed<q::tflite::subtract<int8_t>>([&](auto& r) {
    r.left_shift = 20;
    r.a = {a_zero_point, {1 << 30, 31}};
    r.b = {b_zero_point, {1 << 30, 31}};
    r.multiplier = {1 << 30, right_shift};
  });
};
static_assert(difference_of_extremes(127, -128, 28) == status::ok && difference_of_extremes(-128, 127, 28) == status::ok);
static_assert(difference_of_extremes(127, -128, 27) == status::accumulator_overflow);  // the lower end
static_assert(difference_of_extremes(-128, 127, 27) == status::accumulator_overflow);  // the upper end
static_assert(difference_of_extremes(127, 127, 27) == status::ok && difference_of_extremes(-128, -128, 27) == status::ok);
static_assert(changed<q::tflite::add<int8_t>>([](auto& r) { r.left_shift = 30; }) == status::accumulator_overflow);
static_assert(changed<q::tflite::add<int8_t>>([](auto& r) { r.multiplier = {1 << 30, 29}; }) == status::ok);
static_assert(changed<q::tflite::add<int8_t>>([](auto& r) { r.multiplier = {1 << 30, 26}; }) == status::accumulator_overflow);

// A scheme whose results have 64 bits. (x - zero point) * 2^20 * 2^(23 - right_shift) fits int32 or does not.
using wide_sum = q::rescaled_sum<int8_t, q::xnnpack::rndnu_neon, q::sum_of, q::allowed_zero_points::any>;
constexpr status of_wide(std::int32_t zero_point, int right_shift) {
  const q::multiplier32 large{1 << 23, right_shift}, small{1 << 23, 55};
  return check(wide_sum{20, {zero_point, large}, {0, small}, small, q::range_of<int8_t>()});
}
static_assert(of_wide(0, 19) == status::ok && of_wide(0, 18) == status::accumulator_overflow);
static_assert(of_wide(127, 20) == status::ok && of_wide(127, 19) == status::accumulator_overflow);    // the lower end
static_assert(of_wide(-128, 20) == status::ok && of_wide(-128, 19) == status::accumulator_overflow);  // the upper end

// b' may be 2^31, which does not fit int32, although 0 - b' does.
using wide_difference = q::rescaled_sum<int8_t, q::xnnpack::rndnu_neon, q::difference_of, q::allowed_zero_points::any>;
static_assert(check(wide_difference{20, {-128, {0, 55}}, {-1, {1 << 23, 19}}, {0, 55}, q::range_of<int8_t>()}) ==
              status::accumulator_overflow);

// ---- activations

struct activation_case {
  q::tflite::activation fused;
  q::binary32 scale;
  std::int32_t zero_point;
  q::result<q::output_range> expected;
};
constexpr auto is_same = [](q::output_range a, q::output_range b) {
  return a.min == b.min && a.max == b.max && a.zero_point == b.zero_point;
};
using q::tflite::activation;
constexpr activation_case activation_cases[] = {
    {activation::none, 0.1f, 3, {{3, -128, 127}, status::ok}},
    {activation::relu, 0.1f, 3, {{3, 3, 127}, status::ok}},
    {activation::relu6, 0.1f, -128, {{-128, -128, -68}, status::ok}},
    {activation::relu6, 0.01f, 0, {{0, 0, 127}, status::ok}},
    {activation::relu6, 4.0f, 0, {{0, 0, 2}, status::ok}},          // 1.5, away from zero
    {activation::relu_n1_to_1, 2.0f, 0, {{0, -1, 1}, status::ok}},  // -0.5 and 0.5, away from zero
    {activation::relu_n1_to_1, 0.001f, 0, {{0, -128, 127}, status::ok}},
    {activation::relu6, 0x1p-29f, 0, {{0, 0, 127}, status::value_out_of_range}},
    {activation::relu_n1_to_1, 0x1p-40f, 0, {{0, -128, 127}, status::value_out_of_range}},
    {activation::relu6, least, 0, {{0, 0, 127}, status::value_out_of_range}},
    {activation::none, 0.0f, 0, {{0, -128, 127}, status::scale_zero}},
    {activation::none, -1.0f, 0, {{0, -128, 127}, status::scale_negative}},
    {activation::relu, quiet_nan, 0, {{0, -128, 127}, status::scale_not_finite}},
    {activation::relu, 1.0f, 128, {{128, 127, 127}, status::zero_point_out_of_range}},
};
constexpr auto activation_holds = [](const activation_case& c) {
  const auto r = q::tflite::activation_range<int8_t>(c.fused, c.scale, c.zero_point);
  return r.status == c.expected.status && is_same(r.value, c.expected.value);
};
static_assert(first_wrong(activation_cases, activation_holds) == -1);

}  // namespace

TEST_CASE("each addition rounds ties like its engine") { CHECK(first_wrong(at_run_time(ties), tie_holds) == -1); }

TEST_CASE("a sum has the status of its worst scale") { CHECK(first_wrong(at_run_time(scale_cases), scales_hold) == -1); }

TEST_CASE("a fused activation bounds the output as TFLite computes it") {
  CHECK(first_wrong(at_run_time(activation_cases), activation_holds) == -1);
}

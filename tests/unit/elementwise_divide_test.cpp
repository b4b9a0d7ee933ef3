#include <dyadic/any_operator.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/unary.hpp>
#include <dyadic/native.hpp>

#include <cstdint>
#include <vector>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
namespace tflite = q::tflite;
using namespace support;
using q::operator_id;
using q::status;
using std::int16_t;
using std::int32_t;
using std::int8_t;

namespace {

constexpr q::output_range all = q::range_of<int8_t>();

// ---- division: quotients 1, -1, powers of two, ties, a divisor of 0

static_assert(tflite::reciprocal(1) == q::multiplier32{q::int32_max, 31} &&
              tflite::reciprocal(256) == q::multiplier32{q::int32_max, 39});
static_assert(tflite::reciprocal(3).right_shift == 32 && tflite::reciprocal(q::int32_max).right_shift == 61);

struct quotient {
  int a, b, twice, once, cortex_m;
};
/// a / b of scales 1 and zero points 0.
constexpr quotient quotients[] = {
    {6, 3, 2, 2, 2},
    {-6, 3, -2, -2, -2},
    {6, -3, -2, -2, -2},
    {-6, -3, 2, 2, 2},
    {127, 1, 127, 127, 127},
    {127, -1, -127, -127, -127},
    {-128, 1, -128, -128, -128},
    {-128, -1, 127, 127, 127},  // 128
    {0, 5, 0, 0, 0},
    {0, -128, 0, 0, 0},
    {-1, -1, 1, 1, 1},
    {1, 1, 1, 1, 1},
    {-1, 1, -1, -1, -1},
    {-1, 127, 0, 0, 0},
    {5, 0, 0, 0, 0},
    {-5, 0, 0, 0, 0},
    {1, 2, 1, 1, 1},
    {-1, 2, 0, 0, -1},
    {3, 2, 2, 1, 2},
    {-3, 2, -1, -1, -2},  // ties, which the reciprocal cuts,
};
template <class Rule>
constexpr int divided(int a, int b) {
  const auto rule = Rule::derive(1.0f, 0, 1.0f, 0, 1.0f, all);
  return q::may_run(rule.status) ? rule.value(static_cast<int8_t>(a), static_cast<int8_t>(b)) : 1000;
}
constexpr auto quotient_holds = [](const quotient& c) {
  return divided<tflite::divide<int8_t>>(c.a, c.b) == c.twice &&
         divided<tflite::divide<int8_t, tflite::single_rounding>>(c.a, c.b) == c.once &&
         divided<q::executorch::cortex_m::divide<int8_t>>(c.a, c.b) == c.cortex_m;
};
static_assert(first_wrong(quotients, quotient_holds) == -1);

/// The last shift is shift - k - h. A multiplier of 2^-6 to 2^23 keeps it in -31 .. 0 for some zero points alone.
constexpr status of_shift(int shift, int a_zero, int b_zero) {
  return check(tflite::divide<int8_t>{a_zero, b_zero, tflite::from_pair(1 << 30, shift), all});
}
static_assert(of_shift(7, -128, -128) == status::ok && of_shift(6, -128, -128) == status::accumulator_overflow);
static_assert(of_shift(6, 0, -1) == status::accumulator_overflow && of_shift(7, 0, 0) == status::ok);
static_assert(of_shift(23, -128, 0) == status::ok && of_shift(24, -128, 0) == status::accumulator_overflow);
static_assert(of_shift(31, 0, 0) == status::multiplier_out_of_range && of_shift(7, 128, 0) == status::zero_point_out_of_range);
// 1 / 255 of 2^6 is rounded from 2^-39: 0, although the engine's shift by 38 is undefined.
static_assert(tflite::divide<int8_t>{0, -128, tflite::from_pair(1 << 30, 1), all}(1, 127) == 0);
static_assert(tflite::divide<int8_t>::derive(1.0f, 0, 0.0f, 0, 1.0f, all).status == status::scale_zero);
static_assert(tflite::divide<int8_t>::derive(0x1p60f, 0, 0x1p-60f, 0, 1.0f, all).status == status::scale_too_large);
static_assert(tflite::divide<int8_t>::derive(0x1p100f, 0, 0x1p-100f, 0, 1.0f, all).status == status::scale_not_finite);
static_assert(check(q::executorch::cortex_m::divide<int16_t>{0, 0, of_binary32::infinite, q::range_of<int16_t>()}) ==
              status::scale_not_finite);
// The mantissa 0x55555555 of 1 / 3 is rounded to 24 bits.
static_assert(q::executorch::cortex_m::divide<int8_t>::derive(1.0, 0, 3.0, 0, 1.0, all).value.scale.bits == 0x3EAA'AAABu);

// ---- comparisons: a scale next to 1, tiny scales, equal scales, zero points at both ends

template <operator_id Comparison>
constexpr int compared(q::binary32 a_scale, int a_zero, q::binary32 b_scale, int b_zero, int a, int b) {
  const auto rule = tflite::compare<int8_t, Comparison>::derive(a_scale, a_zero, b_scale, b_zero);
  return rule.status == status::ok ? rule.value(static_cast<int8_t>(a), static_cast<int8_t>(b)) : -1;
}
static_assert(compared<operator_id::equal>(0x1p-9f, 0, 0x1p-9f, 0, 1, 2) == 1);  // 1/2 and 1: 1 and 1
static_assert(compared<operator_id::not_equal>(0x1p-9f, 0, 0x1p-9f, 0, 1, 2) == 0);
static_assert(compared<operator_id::equal>(0x1p-8f, 0, 0x1p-8f, 0, 1, 2) == 0);
static_assert(compared<operator_id::less>(0.5f, 127, 0.25f, -128, -128, -128) == 1);  // -127.5 and 0
static_assert(compared<operator_id::less_equal>(0.5f, 0, 0.25f, 0, 5, 10) == 1 &&
              compared<operator_id::less>(0.5f, 0, 0.25f, 0, 5, 10) == 0);
static_assert(compared<operator_id::greater_equal>(0.5f, 0, 0.25f, 0, 5, 10) == 1 &&
              compared<operator_id::greater>(0.5f, 0, 0.25f, 0, 5, 10) == 0);
static_assert(compared<operator_id::greater>(0x1.fffffep-1f, 0, 0.5f, 0, 127, 127) == 1 &&
              compared<operator_id::greater>(1.0f, 0, 0.5f, 0, 127, 127) == -1);
static_assert(compared<operator_id::equal>(0x1p-40f, 0, 0x1p-40f, 0, 127, -128) == 1);  // a multiplier of 0
static_assert(tflite::compare<int8_t, operator_id::less>::derive(1.0f, 0, 0.5f, 0).status == status::scale_too_large);
static_assert(tflite::compare<int8_t, operator_id::less>::derive(0.5f, 0, 0.5f, 128).status == status::zero_point_out_of_range);
static_assert(check(tflite::compare<std::uint8_t, operator_id::less>{{0, {1 << 30, 63}}, {0, {1 << 30, 31}}}) ==
              status::multiplier_out_of_range);
static_assert(check(tflite::compare<std::uint8_t, operator_id::less>{{0, {1 << 30, 1}}, {0, {1 << 30, 31}}}) ==
              status::accumulator_overflow);

// ---- squared difference: int16 loses a bit before the square, the greatest square, zero points

constexpr auto squares = tflite::squared_difference<int8_t>::derive(1.0f, 0, 1.0f, 0, 1.0f, all);
static_assert(squares.status == status::ok && squares.value(3, -2) == 25 && squares.value(-2, 3) == 25 &&
              squares.value(-128, 127) == 127);
constexpr auto squares16 = tflite::squared_difference<int16_t>::derive(1.0f, 0, 1.0f, 0, 8.0f, q::range_of<int16_t>());
static_assert(squares16.status == status::ok && squares16.value(1, 0) == 1 &&
              squares16.value(-1, 0) == 0);  // 1/2 becomes 1, -1/2 becomes 0; 1 / 2
static_assert(squares16.value(-32768, 32767) == 32767);
static_assert(tflite::squared_difference<int16_t>::derive(1.0f, 1, 1.0f, 0, 1.0f, q::range_of<int16_t>()).status ==
              status::zero_point_out_of_range);
constexpr status of_squares(q::multiplier32 operand, q::multiplier32 last) {
  auto rule = squares.value;
  rule.a.multiplier = rule.b.multiplier = operand;
  rule.multiplier = last;
  return check(rule);
}
static_assert(of_squares({1 << 30, 30}, {1 << 30, 31}) == status::ok &&
              of_squares({1 << 30, 29}, {1 << 30, 31}) == status::accumulator_overflow);
static_assert(of_squares({1 << 30, 31}, {1 << 30, 27}) == status::accumulator_overflow &&
              of_squares({1 << 30, 63}, {1 << 30, 31}) == status::multiplier_out_of_range);
static_assert(of_squares({1 << 30, 14}, {1 << 30, 31}) == status::accumulator_overflow);  // the square exceeds int64, too

// ---- prelu: a slope of each sign, int16 with slopes of int8

constexpr auto slopes = tflite::prelu<int8_t>::derive(1.0f, 10, 0.5f, -1, 1.0f, q::range_of<int8_t>(3));
static_assert(slopes.status == status::ok && slopes.value(14, 100) == 7 && slopes.value(7, 0) == 2 &&
              slopes.value(7, -2) == 5);  // -1.5, 1.5
static_assert(slopes.value(-128, 127) == -128 && slopes.value(-128, -128) == 127);
constexpr auto slopes16 = tflite::prelu<int16_t>::derive(1.0f, 0, 0x1p-7f, 0, 1.0f, q::range_of<int16_t>());
static_assert(slopes16.status == status::ok && slopes16.value(-32768, 64) == -16384 && slopes16.value(32767, 64) == 32767);
static_assert(tflite::prelu<int16_t>::derive(1.0f, 0, 1.0f, 128, 1.0f, q::range_of<int16_t>()).status ==
              status::zero_point_out_of_range);
static_assert(tflite::prelu<std::uint8_t>::derive(1.0f, 255, 1.0f, 255, 1.0f, q::range_of<std::uint8_t>()).value(0, 0) ==
              255);  // -255 * -255
constexpr status of_slope(q::multiplier32 identity, q::multiplier32 slope) {
  return check(tflite::prelu<int8_t>{0, 0, identity, slope, all});
}
static_assert(of_slope({1 << 30, 6}, {1 << 30, 13}) == status::accumulator_overflow &&
              of_slope({1 << 30, 7}, {1 << 30, 15}) == status::ok);
static_assert(of_slope({1 << 30, 7}, {1 << 30, 14}) == status::accumulator_overflow);  // -128 * -128 * 2^17
static_assert(of_slope({1 << 30, 7}, {1 << 30, 63}) == status::multiplier_out_of_range);

// ---- one element: the ends of the type, 0, ties

constexpr auto magnitudes = tflite::abs<int8_t>::derive(0.5f, 127, 0.5f, -128);
static_assert(magnitudes.status == status::ok && magnitudes.value(-128) == 127 && magnitudes.value(127) == -128 &&
              magnitudes.value(126) == -127);
static_assert(tflite::abs<int16_t>::derive(1.0f, 0, 1.0f, 0).value(-32768) == 32767);
static_assert(tflite::abs<int8_t>::derive(1.0f, 0, 4.0f, 0).value(-2) == 1);  // 0.5
static_assert(tflite::abs<int8_t>::derive(0x1p25f, 0, 1.0f, 0).status == status::accumulator_overflow);
static_assert(check(tflite::abs<int8_t>{0, {1 << 30, 7}, 0}) == status::accumulator_overflow);  // 128 * 2^24
static_assert(check(tflite::abs<int8_t>{0, {1 << 30, 8}, 128}) == status::zero_point_out_of_range);

static_assert(q::litert::negate<int8_t>{}(-128) == -128 && q::litert::negate<int8_t>{}(127) == -127 &&
              q::litert::negate<int16_t>{}(-32768) == -32768);

constexpr auto inverse = tflite::rsqrt<>::derive(1.0f, -128, 0x1p-6f, -100);
static_assert(inverse.status == status::ok && inverse.value(-128) == 127 && inverse.value(-127) == -36);  // 0, and 1 = 64 - 100
static_assert(inverse.value(-124) == -68 && inverse.value(127) == -96);                                   // 4, and 255
static_assert(tflite::rsqrt<>::derive(1.0f, 0, 1.0f, 0).value(-5) == 127);                                // the engine stops
static_assert(tflite::rsqrt<>::derive(1.0f, 0, 1.0f, 128).status == status::zero_point_out_of_range);
static_assert(tflite::rsqrt<>::derive(0x1p-140f, 0, 0x1p-140f, 0).status == status::scale_zero);
static_assert(tflite::rsqrt<>::derive(0x1p-20f, 0, 0x1p-20f, 0).status == status::scale_too_large);
static_assert(tflite::rsqrt<>::derive(0x1p20f, 0, 8.0f, 0).status ==
              status::multiplier_out_of_range);  // a right shift of 63 in all
static_assert(check(tflite::rsqrt<>{0, {1 << 30, 1}, 0}) == status::ok);
static_assert(check(tflite::rsqrt<>{0, {1 << 30, 0}, 0}) == status::accumulator_overflow);  // 2^20 * 2^11
static_assert(tflite::rsqrt<tflite::single_rounding>::derive(1.0f, -128, 0x1p-6f, -100).value(-124) == -68);

constexpr auto root = q::litert::sqrt<int8_t>::derive(1.0f, 0, 0.25f, -5);
static_assert(root.status == status::ok && root.value(0) == -5 && root.value(4) == 3 && root.value(3) == 1);  // 6.93 is truncated
static_assert(root.value(127) == 40 && root.value(-5) == -5);                                                 // the engine stops
static_assert(q::litert::sqrt<int16_t>::derive(1.0f, 0, 0x1p-10f, 0).value(32767) == 32767);
static_assert(q::litert::sqrt<int8_t>::derive(1.0f, 128, 1.0f, 0).status == status::zero_point_out_of_range);
static_assert(q::litert::sqrt<int8_t>::derive(1.0f, 0, of_binary32::quiet_nan, 0).status == status::scale_not_finite);

// ---- layers of rules whose operands and output have different types

constexpr bool layers_hold() {
  const int16_t x[] = {-100, 100, -200, 200};
  const int8_t alpha[] = {64, -64};  // a slope for each channel
  int16_t y[4] = {};
  const q::binary_layer prelu{slopes16.value};
  const q::matrix_view in(x, 2, 2);
  const q::matrix_view of_channels(alpha, 1, 2);
  const q::matrix_view out(y, 2, 2);
  if (check(prelu, in, of_channels, out) != status::ok) return false;
  run(prelu, in, of_channels, out);
  if (y[0] != -50 || y[1] != 100 || y[2] != -100 || y[3] != 200) return false;
  const int8_t a[] = {1, 2, 3, 4}, b[] = {2};
  std::uint8_t holds[4] = {};
  const q::binary_layer less{tflite::compare<int8_t, operator_id::less>::derive(0.5f, 0, 0.5f, 0).value};
  const q::matrix_view left(a, 1, 4), right(b, 1, 1);
  const q::matrix_view to(holds, 1, 4);
  if (check(less, left, right, to) != status::ok) return false;
  run(less, left, right, to);
  return holds[0] == 1 && holds[1] == 0 && holds[2] == 0 && holds[3] == 0;
}
static_assert(layers_hold());

constexpr q::operator_kinds kinds =
    q::operator_kinds_of<q::native, tflite::divide<int8_t>, q::executorch::cortex_m::divide<int8_t>,
                         tflite::squared_difference<int8_t>, tflite::prelu<int16_t>, tflite::compare<int8_t, operator_id::less>,
                         tflite::abs<int8_t>, q::litert::negate<int8_t>, q::litert::sqrt<int8_t>, tflite::rsqrt<>>();

/// Prepares and runs a described operator on all elements. Two operands are broadcast to 4 x 256.
template <class Y, class A, class B>
std::vector<Y> described(const q::binary_spec& spec, const std::vector<A>& a, const std::vector<B>& b) {
  alignas(8) unsigned char arena[256];
  const auto op = kinds.prepare(spec, arena);
  REQUIRE(op.status == status::ok);
  std::vector<Y> y(a.size() * b.size());
  const q::matrix_view left(a, static_cast<q::index_t>(a.size()), 1);
  const q::matrix_view right(b, 1, static_cast<q::index_t>(b.size()));
  const q::matrix_view out(y, left.rows(), right.cols());
  REQUIRE(q::may_run(check(op.value, left, right, out)));
  run(op.value, left, right, out);
  const std::vector<std::int32_t> other(b.size());
  CHECK(check(op.value, left, q::matrix_view(other, 1, right.cols()), out) == status::type_mismatch);
  return y;
}
template <class Rule, class A, class B>
auto typed(const Rule& rule, const std::vector<A>& a, const std::vector<B>& b) {
  std::vector<typename Rule::value_type> y;
  for (const A x : a)
    for (const B z : b) y.push_back(rule(x, z));
  return y;
}

}  // namespace

TEST_CASE("functions of two elements described at run time equal those of their rules") {
  std::vector<int8_t> x(256), few{-128, -3, 0, 100};
  for (int i = 0; i < 256; ++i) x[static_cast<std::size_t>(i)] = static_cast<int8_t>(i - 128);
  const std::vector<int16_t> x16{-32768, -5, 0, 7, 32767};
  q::binary_spec spec;
  spec.type = q::element_type::int8, spec.a_scale = 0.5, spec.a_zero_point = 3, spec.b_scale = 0.25, spec.b_zero_point = -4,
  spec.y_scale = 2;
  spec.op = operator_id::divide, spec.rule = q::scheme_id::of<tflite::divide<int8_t>>();
  CHECK(described<int8_t>(spec, x, few) == typed(tflite::divide<int8_t>::derive(0.5f, 3, 0.25f, -4, 2.0f, all).value, x, few));
  spec.rule = q::scheme_id::of<q::executorch::cortex_m::divide<int8_t>>();
  CHECK(described<int8_t>(spec, x, few) ==
        typed(q::executorch::cortex_m::divide<int8_t>::derive(0.5, 3, 0.25, -4, 2.0, all).value, x, few));
  spec.rule = {}, spec.op = operator_id::squared_difference;
  CHECK(described<int8_t>(spec, x, few) ==
        typed(tflite::squared_difference<int8_t>::derive(0.5f, 3, 0.25f, -4, 2.0f, all).value, x, few));
  spec.op = operator_id::less;
  CHECK(described<std::uint8_t>(spec, x, few) ==
        typed(tflite::compare<int8_t, operator_id::less>::derive(0.5f, 3, 0.25f, -4).value, x, few));
  spec.op = operator_id::prelu, spec.type = q::element_type::int16;
  CHECK(described<int16_t>(spec, x16, x) ==
        typed(tflite::prelu<int16_t>::derive(0.5f, 3, 0.25f, -4, 2.0f, q::range_of<int16_t>()).value, x16, x));
  spec.op = operator_id::abs;
  CHECK(kinds.bytes(spec).status == status::unknown_kind);
}

TEST_CASE("functions of one element described at run time equal those of their rules") {
  q::activation_spec spec;
  spec.x = spec.y = q::element_type::int8, spec.x_scale = 0.5, spec.x_zero_point = -100, spec.y_scale = 0.25,
  spec.y_zero_point = 5;
  const auto same = [&](operator_id id, const auto& rule) {
    spec.op = id;
    alignas(8) unsigned char arena[256];
    const auto op = kinds.prepare(spec, arena);
    REQUIRE(op.status == status::ok);
    for (int x = -128; x < 128; ++x) {
      const int8_t from[] = {static_cast<int8_t>(x)};
      int8_t y[1] = {};
      REQUIRE(check(op.value, q::matrix_view(from, 1, 1), q::matrix_view(y, 1, 1)) == status::ok);
      run(op.value, q::matrix_view(from, 1, 1), q::matrix_view(y, 1, 1));
      CHECK(y[0] == rule(from[0]));
    }
  };
  same(operator_id::abs, tflite::abs<int8_t>::derive(0.5f, -100, 0.25f, 5).value);
  same(operator_id::negate, q::litert::negate<int8_t>{});
  same(operator_id::sqrt, q::litert::sqrt<int8_t>::derive(0.5f, -100, 0.25f, 5).value);
  same(operator_id::rsqrt, tflite::rsqrt<>::derive(0.5f, -100, 0.25f, 5).value);
  CHECK(first_wrong(at_run_time(quotients), quotient_holds) == -1);
}

TEST_CASE("1 / 2 is 1 in ExecuTorch's kernel for Cortex-M and in TFLite, and 0 in ExecuTorch's Python reference") {
  CHECK(divided<q::executorch::cortex_m::divide<int8_t>>(1, 2) == 1);
  CHECK(divided<tflite::divide<int8_t>>(1, 2) == 1);
  CHECK(q::divide<q::half_even>(1, 2) == 0);  // quantized_div in Python rounds the quotient to even
}

TEST_CASE("TFLite's division is by 0 where the stored divisor is its zero point, not where it is 0") {
  // LiteRT f4588d2f corrects a check that refused a stored divisor of 0 instead of a stored zero point.
  const auto rule = tflite::divide<int8_t>::derive(1.0f, 0, 1.0f, -4, 1.0f, all);
  REQUIRE(q::may_run(rule.status));
  CHECK(rule.value(8, 0) == 2);    // 8 / 4
  CHECK(rule.value(-8, -8) == 2);  // -8 / -4
  CHECK(rule.value(8, -4) == 0);   // the engine stops
}

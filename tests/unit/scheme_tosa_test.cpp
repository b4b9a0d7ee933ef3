#include <dyadic/scheme/tosa.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

struct rule_case {
  std::int32_t acc;
  q::multiplier32 m;
  std::int64_t single, twice;
};
constexpr rule_case rule_cases[] = {
    {1, {h, 31}, 1, 1},
    {-1, {h, 31}, 0, 0},
    {1, {h, 32}, 0, 1},
    {-1, {h, 32}, 0, 0},
    {2, {h, 32}, 1, 1},
    {-2, {h, 32}, 0, -1},
    {-3, {h, 32}, -1, -1},
    {6, {h, 32}, 2, 2},
    {-6, {h, 32}, -1, -2},
    {1000, {max, 35}, 62, 63},
    // Both ends of the shift, and both ends of the accumulators that the shift allows.
    {1, {max, 2}, h / 2, h / 2},
    {-2, {max, 2}, 1 - h, 1 - h},
    {max, {max, 62}, 1, 1},
    {min, {max, 62}, -1, -1},
    {min, {max, 32}, 1 - h, -h},
    // Larger accumulators: the specification calls the result unpredictable. Here it does not wrap.
    {8, {max, 2}, 2LL * max, 2LL * max},
    {min, {max, 2}, -(1LL << 60) + (1LL << 29), -(1LL << 60) + (1LL << 29)},
};
constexpr auto rule_holds = [](const rule_case& c) {
  return q::tosa::scale32::apply(c.acc, c.m) == c.single && q::tosa::scale32_double_round::apply(c.acc, c.m) == c.twice;
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

struct wide_case {
  std::int64_t acc;
  q::multiplier16 m;
  std::int64_t y;
  bool valid;
};
constexpr std::int64_t high = (std::int64_t{1} << 47) - 1;
constexpr wide_case wide_cases[] = {
    {1, {16384, 15}, 1, true},
    {-1, {16384, 15}, 0, true},
    {1, {16384, 16}, 0, true},
    {-3, {16384, 15}, -1, true},
    {high, {32767, 62}, 1, true},
    {-high - 1, {32767, 62}, -1, true},
    {high + 1, {0, 62}, 0, false},
    {-high - 2, {0, 62}, 0, false},
    {high - 0x8000, {1, 16}, max, true},
    {high - 0x7FFF, {1, 16}, max + 1LL, false},  // not wrapped
    {-high - 1, {1, 16}, min, true},
    {1, {4, 2}, 1, true},
    {1, {-1, 2}, 0, false},
};
constexpr auto wide_holds = [](const wide_case& c) {
  return q::tosa::scale16::apply(c.acc, c.m) == c.y && q::tosa::scale16::valid(c.acc, c.m) == c.valid;
};
static_assert(first_wrong(wide_cases, wide_holds) == -1);

constexpr validity<q::tosa::scale32> validities32[] = {
    {{h, 2}, true},  {{h, 62}, true},   {{h, 1}, false},   {{h, 63}, false},
    {{0, 31}, true}, {{max, 31}, true}, {{-1, 31}, false}, {{h, min}, false},
};
static_assert(first_wrong(validities32, multiplier_valid<q::tosa::scale32>) == -1);
constexpr validity<q::tosa::scale16> validities16[] = {
    {{1, 2}, true}, {{1, 62}, true}, {{1, 1}, false}, {{1, 63}, false}, {{0, 15}, true}, {{32767, 15}, true}, {{-1, 15}, false},
};
static_assert(first_wrong(validities16, multiplier_valid<q::tosa::scale16>) == -1);
constexpr data_validity<q::tosa::scale32> data32[] = {
    {1, {h, 2}, true},    {2, {h, 2}, false},  {-2, {h, 2}, true},       {-3, {h, 2}, false},  {h - 1, {h, 31}, true},
    {h, {h, 31}, false},  {-h, {h, 31}, true}, {-h - 1, {h, 31}, false}, {max, {h, 32}, true}, {min, {h, 32}, true},
    {min, {h, 62}, true}, {0, {h, 63}, false}, {0, {h, 1}, false},       {0, {-1, 31}, false},
};
static_assert(first_wrong(data32, data_valid<q::tosa::scale32>) == -1);

constexpr derived<q::binary64, q::multiplier32> derived32[] = {
    {0.0, {0, 31}, q::status::ok},
    {-0.0, {0, 31}, q::status::ok},
    {1.0, {h, 30}, q::status::ok},
    {0x1.00000002p-1, {h, 31}, q::status::ok},  // ties to even
    {0x1.00000006p-1, {h + 2, 31}, q::status::ok},
    {0x1.fffffffep-1, {h, 30}, q::status::ok},
    // Tiny scales: the shift stays at 62, and the mantissa loses bits without rounding.
    {0x1p-32, {h, 62}, q::status::ok},
    {0x1p-33, {h / 2, 62}, q::status::ok},
    {0x1.fffffffcp-33, {max / 2, 62}, q::status::ok},
    {0x1p-62, {1, 62}, q::status::ok},
    {0x1.8p-62, {1, 62}, q::status::ok},
    {0x1p-63, {0, 62}, q::status::ok},
    {least, {0, 62}, q::status::ok},
    // Huge, negative and non-finite scales.
    {0x1.fffffffcp28, {max, 2}, q::status::ok},
    {0x1p29, {h, 1}, q::status::scale_too_large},
    {largest, {h, -994}, q::status::scale_too_large},
    {-0.75, {-h / 2 * 3, 31}, q::status::scale_negative},
    {-0x1p-40, {-h, 70}, q::status::scale_negative},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
    {infinite, {0, 31}, q::status::scale_not_finite},
    {q::negate(infinite), {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(derived32, derives<&q::tosa::scale32::derive>) == -1);
static_assert(first_wrong(derived32, derives<&q::tosa::scale32_double_round::derive>) == -1);

constexpr derived<q::binary64, q::multiplier16> derived16[] = {
    {0.0, {0, 15}, q::status::ok},
    {1.0, {16384, 14}, q::status::ok},
    {0x1.000ap-1, {16386, 15}, q::status::ok},      // half even; TFLite reduces to 16387
    {0x1.000dffffp-1, {16387, 15}, q::status::ok},  // TFLite: 16388
    {0x1.fffep-1, {16384, 14}, q::status::ok},      // TFLite: 32767 at 15
    {0x1p-48, {16384, 62}, q::status::ok},
    {0x1p-49, {8192, 62}, q::status::ok},
    {0x1p-62, {1, 62}, q::status::ok},
    {0x1p-63, {0, 62}, q::status::ok},
    {least, {0, 62}, q::status::ok},
    {0x1.fffcp12, {32767, 2}, q::status::ok},
    {0x1p13, {16384, 1}, q::status::scale_too_large},
    {-1.0, {-16384, 14}, q::status::scale_negative},
    {quiet_nan, {0, 15}, q::status::scale_not_finite},
    {infinite, {0, 15}, q::status::scale_not_finite},
};
static_assert(first_wrong(derived16, derives<&q::tosa::scale16::derive>) == -1);

/// A multiplier of fifteen bits from a TFLite pair.
struct from_case {
  q::tflite::pair p;
  q::multiplier16 m;
};
constexpr from_case from_cases[] = {
    {{h, 0}, {16384, 15}},           {{0, 0}, {0, 15}},
    {{0x4002'8000, 0}, {16387, 15}}, {{0x4003'8000, 0}, {16388, 15}},
    {{0x7FFF'0000, 0}, {32767, 15}}, {{max, 7}, {32767, 8}},
    {{h, -31}, {16384, 46}},         {{0x7FFE'FFFF, -3}, {32767, 18}},
    {{max, -3}, {32767, 18}},        {{h + 0x7FFF, 7}, {16384, 8}},
    {{h + 0x8000, 7}, {16385, 8}},
};
constexpr auto from_holds = [](const from_case& c) {
  return q::tosa::scale16::from(c.p) == c.m && q::tosa::scale16::valid(q::tosa::scale16::from(c.p));
};
static_assert(first_wrong(from_cases, from_holds) == -1);

/// Checks arrays whose shifts count to the right. The element type of `to` limits the bits of a multiplier.
template <class Element>
constexpr bool arrays_hold() {
  const Element multipliers[] = {16384, 32767}, shifts[] = {2, 62}, wide[] = {0, 32768}, one[] = {1};
  q::multiplier32 to32[2] = {};
  q::multiplier16 to16[2] = {};
  const bool good = q::tosa::from_pairs(multipliers, shifts, to32) == q::status::ok &&
                    q::tosa::from_pairs(multipliers, shifts, to16) == q::status::ok && to32[0] == q::multiplier32{16384, 2} &&
                    to32[1] == q::multiplier32{32767, 62} && to16[0] == q::multiplier16{16384, 2} &&
                    to16[1] == q::multiplier16{32767, 62};
  // A single bad element or size prevents all writes.
  bool refused = q::tosa::from_pairs(one, shifts, to32) == q::status::shape_mismatch;
  refused &= q::tosa::from_pairs(multipliers, one, to32) == q::status::shape_mismatch;
  refused &= q::tosa::from_pairs(q::view<const Element>(nullptr, 2), shifts, to32) == q::status::null_data;
  if constexpr (sizeof(Element) == 8) {
    const Element beyond_int32[] = {1, max + 1LL};
    refused &= q::tosa::from_pairs(beyond_int32, shifts, to32) == q::status::multiplier_out_of_range;
  }
  refused &= to32[0] == q::multiplier32{16384, 2} && to32[1] == q::multiplier32{32767, 62};
  return good && refused && q::tosa::from_pairs(wide, shifts, to32) == q::status::ok && to32[1] == q::multiplier32{32768, 62} &&
         q::tosa::from_pairs(wide, shifts, to16) == q::status::multiplier_out_of_range && to16[0] == q::multiplier16{16384, 2} &&
         to16[1] == q::multiplier16{32767, 62};
}
static_assert(arrays_hold<std::int32_t>() && arrays_hold<std::int64_t>());
static_assert(q::tosa::scale32::from({h, 0}) == q::multiplier32{h, 31} &&
              q::tosa::scale32::from({1518500250, -8}) == q::multiplier32{1518500250, 39} &&
              q::tosa::scale32_double_round::from({max, -31}) == q::multiplier32{max, 62});

struct reciprocal_case {
  std::uint32_t n;
  q::multiplier32 m;
  q::status status;
};
constexpr reciprocal_case reciprocal_cases[] = {
    {0, {0, 31}, q::status::value_out_of_range},
    {1, {h + 1, 30}, q::status::ok},
    {2, {h + 1, 31}, q::status::ok},
    {3, {1431655766, 32}, q::status::ok},
    {4, {h + 1, 32}, q::status::ok},
    {5, {1717986920, 33}, q::status::ok},
    {65536, {h + 1, 46}, q::status::ok},
    {65537, {2147450882, 47}, q::status::ok},
    {0x4000'0000, {h + 1, 60}, q::status::ok},
    {0x4000'0001, {0, 31}, q::status::value_out_of_range},  // 2^31 does not fit int32
    {0x4000'0002, {max - 1, 61}, q::status::ok},
    {0x8000'0000, {h + 1, 61}, q::status::ok},
    {0x8000'0001, {0, 31}, q::status::value_out_of_range},
    {0x8000'0002, {0, 31}, q::status::value_out_of_range},
    {0x8000'0003, {max, 62}, q::status::ok},
    {0xFFFF'FFFF, {h + 1, 62}, q::status::ok},
};
constexpr auto reciprocal_holds = [](const reciprocal_case& c) {
  const auto r = q::tosa::reciprocal_scale(c.n);
  return r.value == c.m && r.status == c.status && (r.status != q::status::ok || q::tosa::scale32::valid(r.value));
};
static_assert(first_wrong(reciprocal_cases, reciprocal_holds) == -1);

constexpr output_case<q::tosa::scale32> outputs[] = {
    {3, {h, 31}, q::range_of<std::int8_t>(-128), -126},
    {1000, {h, 31}, q::range_of<std::int8_t>(-128), 127},
    {-1, {h, 31}, q::range_of<std::int8_t>(-128), -128},
    {-1000, {h, 31}, {10, 10, 20}, 10},
    {1000, {h, 31}, {10, 10, 20}, 20},
    {max, {h, 32}, q::range_of<std::int16_t>(), 32767},
    {min, {h, 32}, q::range_of<std::int16_t>(), -32768},
};
static_assert(first_wrong(outputs, requantizes<q::tosa::scale32>) == -1);

}  // namespace

TEST_CASE("TOSA's scales round once or twice, and do not wrap") {
  CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1);
  CHECK(first_wrong(at_run_time(wide_cases), wide_holds) == -1);
}

TEST_CASE("TOSA accepts multipliers and data up to their ends") {
  CHECK(first_wrong(at_run_time(validities32), multiplier_valid<q::tosa::scale32>) == -1);
  CHECK(first_wrong(at_run_time(validities16), multiplier_valid<q::tosa::scale16>) == -1);
  CHECK(first_wrong(at_run_time(data32), data_valid<q::tosa::scale32>) == -1);
}

TEST_CASE("a TOSA multiplier is derived with ties to even and loses bits below 2^-32") {
  CHECK(first_wrong(at_run_time(derived32), derives<&q::tosa::scale32::derive>) == -1);
  CHECK(first_wrong(at_run_time(derived32), derives<&q::tosa::scale32_double_round::derive>) == -1);
  CHECK(first_wrong(at_run_time(derived16), derives<&q::tosa::scale16::derive>) == -1);
  CHECK(first_wrong(at_run_time(from_cases), from_holds) == -1);
  CHECK(arrays_hold<std::int32_t>());
  CHECK(arrays_hold<std::int64_t>());
}

TEST_CASE("a reciprocal is a legal multiplier or has a status") {
  CHECK(first_wrong(at_run_time(reciprocal_cases), reciprocal_holds) == -1);
}

TEST_CASE("a TOSA output is clamped at both rails after the zero point") {
  CHECK(first_wrong(at_run_time(outputs), requantizes<q::tosa::scale32>) == -1);
}

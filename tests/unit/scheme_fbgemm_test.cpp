#include <dyadic/scheme/fbgemm.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;

namespace {

struct fixed_case {
  std::int32_t acc;
  q::multiplier32 m;
  std::int64_t y;
};
constexpr fixed_case fixed_cases[] = {
    {1, {h, 31}, 1},
    {-1, {h, 31}, 0},
    {3, {h, 31}, 2},
    {-3, {h, 31}, -1},
    {1, {h, 32}, 0},
    {-2, {h, 32}, 0},
    {max, {max, 63}, 0},
    {min, {max, 63}, 0},
    {min, {max, 62}, -1},
    {min, {h, 61}, -1},
    {min, {h, 62}, 0},
    {h, {max, 1}, (1LL << 60) - (1LL << 29)},
    {min, {max, 1}, -(1LL << 61) + (1LL << 30)},  // 64 bits, not wrapped
};
constexpr auto fixed_holds = [](const fixed_case& c) { return q::fbgemm::fixed::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(fixed_cases, fixed_holds) == -1);

constexpr validity<q::fbgemm::fixed> validities[] = {
    {{0, 1}, true}, {{max, 63}, true}, {{h, 0}, false}, {{h, 64}, false}, {{-1, 31}, false}, {{h, min}, false},
};
static_assert(first_wrong(validities, multiplier_valid<q::fbgemm::fixed>) == -1);

constexpr derived<q::binary32, q::multiplier32> fixed_derived[] = {
    {1.0f, {h, 30}, q::status::ok},
    {0x1.fffffep-1f, {max - 127, 31}, q::status::ok},
    {0x1p-33f, {h, 63}, q::status::ok},
    {0x1.fffffep-34f, {max - 127, 64}, q::status::scale_too_small},
    {least, {h, 179}, q::status::scale_too_small},
    {0x1.fffffep29f, {max - 127, 1}, q::status::ok},
    {0x1p30f, {h, 0}, q::status::scale_too_large},
    {0x1.fffffep127f, {max - 127, -97}, q::status::scale_too_large},
    {0.0f, {0, 31}, q::status::scale_zero},
    {-0.0f, {0, 31}, q::status::scale_zero},
    {-0.5f, {-h, 31}, q::status::scale_negative},
    {-0x1p40f, {-h, -10}, q::status::scale_too_large},
    {infinite, {0, 31}, q::status::scale_not_finite},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(fixed_derived, derives<&q::fbgemm::fixed::derive>) == -1);

struct float_case {
  std::int32_t acc;
  q::binary32 scale;
  std::int64_t y;
};
constexpr float_case float_cases[] = {
    {1, 0.5f, 0},  // ties to even
    {3, 0.5f, 2},
    {-1, 0.5f, 0},
    {-3, 0.5f, -2},
    {3, 0x1.555556p-3f, 0},  // the rounded product is a tie
    {(1 << 24) + 1, 1.0f, 1 << 24},
    {8388608, 256.0f, 1LL << 31},
    {min, 0x1p100f, -(1LL << 62)},  // saturated, so that a zero point can be added
    {max, 0x1p100f, 1LL << 62},
    {1, least, 0},
    {-3, -1.0f, 3},
};
constexpr auto float_holds = [](const float_case& c) { return q::fbgemm::floating::apply(c.acc, c.scale) == c.y; };
static_assert(first_wrong(float_cases, float_holds) == -1);

struct narrowed {
  q::binary64 scale;
  q::binary32 m;
  q::status status;
};
constexpr narrowed narrowed_cases[] = {
    {0.1, 0.1f, q::status::ok},
    {0.0, 0.0f, q::status::ok},
    {-0.5, -0.5f, q::status::ok},
    {0x1.000001p0, 1.0f, q::status::ok},  // ties to even
    {0x1.000003p0, 0x1.000004p0f, q::status::ok},
    {0x1p-151, 0.0f, q::status::ok},
    {0x1.fffffep127, 0x1.fffffep127f, q::status::ok},
    {0x1.ffffffp127, infinite, q::status::scale_too_large},
    {0x1p1000, infinite, q::status::scale_too_large},
    {q::binary64{infinite}, infinite, q::status::scale_not_finite},
    {q::binary64{quiet_nan}, quiet_nan, q::status::scale_not_finite},
};
constexpr auto narrowed_holds = [](const narrowed& c) {
  const auto r = q::fbgemm::floating::derive(c.scale);
  return r.value.bits == c.m.bits && r.status == c.status && q::fbgemm::floating::valid(r.value) == (c.status == q::status::ok);
};
static_assert(first_wrong(narrowed_cases, narrowed_holds) == -1);

constexpr output_case<q::fbgemm::floating> float_outputs[] = {
    {1, 0.5f, q::range_of<std::uint8_t>(1), 1},  // the zero point is added after the rounding
    {8388608, 256.0f, q::range_of<std::uint8_t>(0), 255},
    {-8388608, 256.0f, q::range_of<std::uint8_t>(255), 0},
    {max, 0x1p100f, q::range_of<std::int32_t>(max), max},
    {min, 0x1p100f, q::range_of<std::int32_t>(min), min},
    {-1, 1.0f, {7, 7, 255}, 7},  // ReLU clamps at the zero point
};
static_assert(first_wrong(float_outputs, requantizes<q::fbgemm::floating>) == -1);
constexpr output_case<q::fbgemm::fixed> fixed_outputs[] = {
    {1, {h, 31}, q::range_of<std::uint8_t>(10), 11},
    {8700137, {2147483520, 23}, q::range_of<std::uint8_t>(0), 255},  // the AVX2 version gives 0
    {-8700137, {2147483520, 23}, q::range_of<std::uint8_t>(255), 0},
};
static_assert(first_wrong(fixed_outputs, requantizes<q::fbgemm::fixed>) == -1);

}  // namespace

TEST_CASE("FBGEMM's fixed point rounds once in 64 bits, ties up") {
  CHECK(first_wrong(at_run_time(fixed_cases), fixed_holds) == -1);
  CHECK(first_wrong(at_run_time(validities), multiplier_valid<q::fbgemm::fixed>) == -1);
}

TEST_CASE("FBGEMM's float rule sends ties to even") { CHECK(first_wrong(at_run_time(float_cases), float_holds) == -1); }

TEST_CASE("FBGEMM's multipliers have a status where FBGEMM would assert") {
  CHECK(first_wrong(at_run_time(fixed_derived), derives<&q::fbgemm::fixed::derive>) == -1);
  CHECK(first_wrong(at_run_time(narrowed_cases), narrowed_holds) == -1);
}

TEST_CASE("an FBGEMM output is clamped at both rails after the zero point") {
  CHECK(first_wrong(at_run_time(float_outputs), requantizes<q::fbgemm::floating>) == -1);
  CHECK(first_wrong(at_run_time(fixed_outputs), requantizes<q::fbgemm::fixed>) == -1);
}

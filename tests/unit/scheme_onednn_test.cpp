#include <dyadic/scheme/onednn.hpp>

#include <dyadic/scheme/fbgemm.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;

namespace {

/// A case of the zero point, which oneDNN adds before the rounding. FBGEMM, which has one scale, adds it after the rounding.
struct finish_case {
  std::int32_t acc;
  q::binary32 scale;
  q::output_range range;
  std::int64_t y, fbgemm;
};
constexpr finish_case finish_cases[] = {
    {1, 0.5f, q::range_of<std::int8_t>(0), 0, 0},
    {1, 0.5f, q::range_of<std::int8_t>(1), 2, 1},            // 1.5
    {1, 0.5f, q::range_of<std::int8_t>(2), 2, 2},            // 2.5
    {-1, 0.5f, q::range_of<std::int8_t>(1), 0, 1},           // 0.5
    {1, 0x1.fffffep-2f, q::range_of<std::int8_t>(1), 2, 1},  // the rounded sum is a tie
    {1000, 0.5f, q::range_of<std::int8_t>(-128), 127, 127},
    {-1000, 0.5f, q::range_of<std::int8_t>(100), -128, -128},
    {-5, 1.0f, {3, 3, 9}, 3, 3},
    {50, 1.0f, {3, 3, 9}, 9, 9},
    {max, 1.0f, {}, 2147483520, max},  // the largest binary32 below 2^31
    {max, 1.0f, {0, min, 2147483519}, 2147483519, 2147483519},
    {min, 1.0f, {}, min, min},
    {min, 0x1p100f, q::range_of<std::int8_t>(127), -128, -128},
    {0, 1.0f, q::range_of<std::int32_t>((1 << 24) + 1), 1 << 24, (1 << 24) + 1},  // the zero point itself is rounded to binary32
};
constexpr q::binary32 one = 1.0f;
constexpr auto finish_holds = [](const finish_case& c) {
  const q::onednn::scales by_source{c.scale, one, one}, by_weight{one, c.scale, one}, by_destination{one, one, c.scale};
  return q::requantize<q::onednn::f32>(c.acc, by_source, c.range) == c.y &&
         q::requantize<q::onednn::f32>(c.acc, by_weight, c.range) == c.y &&
         q::requantize<q::onednn::f32>(c.acc, by_destination, c.range) == c.y &&
         q::onednn::f32::finish(c.acc, by_source, c.range) == c.y &&
         q::requantize<q::fbgemm::floating>(c.acc, c.scale, c.range) == c.fbgemm;
};
static_assert(first_wrong(finish_cases, finish_holds) == -1);

/// A case of the scales, which are multiplied one by one. Each product is rounded.
struct chain_case {
  std::int32_t acc;
  q::onednn::scales m;
  std::int64_t y;
};
constexpr chain_case chain_cases[] = {
    {1, {0.5f, 1.0f, 1.0f}, 0},
    {3, {0.5f, 1.0f, 1.0f}, 2},
    {-3, {1.0f, 0.5f, 1.0f}, -2},
    {(1 << 24) + 1, {one, one, one}, 1 << 24},
    {1, {0x1p-100f, 0x1p-100f, 0x1p120f}, 0},  // an intermediate product underflows
    {1, {0x1p-100f, 0x1p100f, 3.0f}, 3},
    {1, {0x1p100f, 0x1p100f, 0x1p-120f}, 1LL << 62},  // an intermediate product overflows
    {max, {0x1p20f, 0x1p20f, one}, 1LL << 62},
};
constexpr auto chain_holds = [](const chain_case& c) { return q::onednn::f32::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(chain_cases, chain_holds) == -1);

struct derive_case {
  q::binary32 source, weight, destination, inverse;
  q::status status;
};
constexpr derive_case derive_cases[] = {
    {0.5f, 0.25f, 4.0f, 0.25f, q::status::ok},
    {0.5f, 0.25f, 3.0f, 0x1.555556p-2f, q::status::ok},
    {0.0f, 0.0f, 1.0f, 1.0f, q::status::ok},
    {-1.0f, 1.0f, -2.0f, -0.5f, q::status::ok},
    {1.0f, 1.0f, 0.0f, infinite, q::status::scale_zero},
    {1.0f, 1.0f, -0.0f, q::negate(infinite), q::status::scale_zero},
    {1.0f, 1.0f, least, infinite, q::status::scale_not_finite},  // the inverse is not finite
    {1.0f, 1.0f, infinite, 0.0f, q::status::scale_not_finite},
    {infinite, 1.0f, 1.0f, 1.0f, q::status::scale_not_finite},
    {1.0f, quiet_nan, 1.0f, 1.0f, q::status::scale_not_finite},
    {1.0f, 1.0f, quiet_nan, quiet_nan, q::status::scale_not_finite},
};
constexpr auto derive_holds = [](const derive_case& c) {
  const auto r = q::onednn::f32::derive(c.source, c.weight, c.destination);
  return r.value.source.bits == c.source.bits && r.value.weight.bits == c.weight.bits &&
         r.value.inverse_destination.bits == c.inverse.bits && r.status == c.status &&
         (r.status != q::status::ok || q::onednn::f32::valid(r.value));
};
static_assert(first_wrong(derive_cases, derive_holds) == -1);
static_assert(!q::onednn::f32::valid({quiet_nan, one, one}) && !q::onednn::f32::valid({one, infinite, one}) &&
              !q::onednn::f32::valid({one, one, infinite}));

}  // namespace

TEST_CASE("oneDNN adds the zero point before it rounds, so a tie goes by the parity of the sum") {
  CHECK(first_wrong(at_run_time(finish_cases), finish_holds) == -1);
}

TEST_CASE("oneDNN's scales are rounded one by one") {
  CHECK(first_wrong(at_run_time(chain_cases), chain_holds) == -1);
  CHECK(first_wrong(at_run_time(derive_cases), derive_holds) == -1);
}

#include <dyadic/scheme/onednn.hpp>

#include <dyadic/scheme/fbgemm.hpp>

#include "../support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

using namespace dyadic;

namespace {

/// The index of the first case that does not hold, or -1.
template <class Case, std::size_t N, class Holds>
constexpr int first_wrong(const Case (&cases)[N], Holds holds) {
  for (std::size_t i = 0; i < N; ++i)
    if (!holds(cases[i])) return static_cast<int>(i);
  return -1;
}
/// The same object, but the compiler no longer knows it.
template <class T>
const T& at_run_time(const T& x) {
  const T* volatile p = &x;
  return *p;
}

constexpr binary32 infinity = binary32::from_bits(0x7F80'0000), nan = binary32::from_bits(0x7FC0'0000),
                   least = binary32::from_bits(1);
constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max(), min = std::numeric_limits<std::int32_t>::min();

/// The zero point goes in before the rounding; FBGEMM, with the one scale, adds it after.
struct finish_case {
  std::int32_t acc;
  binary32 scale;
  output_range range;
  std::int64_t y, fbgemm;
};
constexpr finish_case finish_cases[] = {
    {1, 0.5f, range_of<std::int8_t>(0), 0, 0},
    {1, 0.5f, range_of<std::int8_t>(1), 2, 1},            // 1.5
    {1, 0.5f, range_of<std::int8_t>(2), 2, 2},            // 2.5
    {-1, 0.5f, range_of<std::int8_t>(1), 0, 1},           // 0.5
    {1, 0x1.fffffep-2f, range_of<std::int8_t>(1), 2, 1},  // the sum is rounded to a tie
    {1000, 0.5f, range_of<std::int8_t>(-128), 127, 127},
    {-1000, 0.5f, range_of<std::int8_t>(100), -128, -128},
    {-5, 1.0f, {3, 3, 9}, 3, 3},
    {50, 1.0f, {3, 3, 9}, 9, 9},
    {max, 1.0f, {}, 2147483520, max},  // the largest binary32 below 2^31
    {min, 1.0f, {}, min, min},
    {min, 0x1p100f, range_of<std::int8_t>(127), -128, -128},
    {0, 1.0f, range_of<std::int32_t>((1 << 24) + 1), 1 << 24, (1 << 24) + 1},  // the zero point itself is a binary32
};
constexpr binary32 one = 1.0f;
constexpr auto finish_holds = [](const finish_case& c) {
  const onednn::scales by_source{c.scale, one, one}, by_weight{one, c.scale, one}, by_destination{one, one, c.scale};
  return requantize<onednn::f32>(c.acc, by_source, c.range) == c.y && requantize<onednn::f32>(c.acc, by_weight, c.range) == c.y &&
         requantize<onednn::f32>(c.acc, by_destination, c.range) == c.y &&
         onednn::f32::finish(c.acc, by_source, c.range) == c.y &&
         requantize<fbgemm::floating>(c.acc, c.scale, c.range) == c.fbgemm;
};
static_assert(first_wrong(finish_cases, finish_holds) == -1);

/// The factors are multiplied one by one, each product rounded.
struct chain_case {
  std::int32_t acc;
  onednn::scales m;
  std::int64_t y;
};
constexpr chain_case chain_cases[] = {
    {1, {0.5f, 1.0f, 1.0f}, 0},
    {3, {0.5f, 1.0f, 1.0f}, 2},
    {-3, {1.0f, 0.5f, 1.0f}, -2},
    {(1 << 24) + 1, {one, one, one}, 1 << 24},
    {1, {0x1p-100f, 0x1p-100f, 0x1p120f}, 0},  // underflows on the way
    {1, {0x1p-100f, 0x1p100f, 3.0f}, 3},
    {1, {0x1p100f, 0x1p100f, 0x1p-120f}, 1LL << 62},  // overflows on the way
    {max, {0x1p20f, 0x1p20f, one}, 1LL << 62},
};
constexpr auto chain_holds = [](const chain_case& c) { return onednn::f32::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(chain_cases, chain_holds) == -1);

struct derive_case {
  binary32 source, weight, destination, inverse;
  dyadic::status status;
};
constexpr derive_case derive_cases[] = {
    {0.5f, 0.25f, 4.0f, 0.25f, status::ok},
    {0.5f, 0.25f, 3.0f, 0x1.555556p-2f, status::ok},
    {0.0f, 0.0f, 1.0f, 1.0f, status::ok},
    {-1.0f, 1.0f, -2.0f, -0.5f, status::ok},
    {1.0f, 1.0f, 0.0f, infinity, status::scale_zero},
    {1.0f, 1.0f, -0.0f, negate(infinity), status::scale_zero},
    {1.0f, 1.0f, least, infinity, status::scale_not_finite},  // its inverse is not
    {1.0f, 1.0f, infinity, 0.0f, status::scale_not_finite},
    {infinity, 1.0f, 1.0f, 1.0f, status::scale_not_finite},
    {1.0f, nan, 1.0f, 1.0f, status::scale_not_finite},
    {1.0f, 1.0f, nan, nan, status::scale_not_finite},
};
constexpr auto derive_holds = [](const derive_case& c) {
  const auto r = onednn::f32::derive(c.source, c.weight, c.destination);
  return r.value.source.bits == c.source.bits && r.value.weight.bits == c.weight.bits &&
         r.value.inverse_destination.bits == c.inverse.bits && r.status == c.status &&
         (r.status != status::ok || onednn::f32::valid(r.value));
};
static_assert(first_wrong(derive_cases, derive_holds) == -1);
static_assert(!onednn::f32::valid({nan, one, one}) && !onednn::f32::valid({one, infinity, one}) &&
              !onednn::f32::valid({one, one, infinity}));

}  // namespace

TEST_CASE("oneDNN adds the zero point before it rounds, so a tie goes by the parity of the sum") {
  CHECK(first_wrong(at_run_time(finish_cases), finish_holds) == -1);
}

TEST_CASE("oneDNN's factors are rounded one by one") {
  CHECK(first_wrong(at_run_time(chain_cases), chain_holds) == -1);
  CHECK(first_wrong(at_run_time(derive_cases), derive_holds) == -1);
}

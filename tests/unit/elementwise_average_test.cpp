#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/mean.hpp>

#include <cstdint>
#include <random>

#include "../oracle/wide_integer.hpp"
#include "../support/cases.hpp"
#include "../support/catch.hpp"

namespace q = dyadic;
using namespace support;
using q::status;
using std::int16_t;
using std::int8_t;

namespace {

struct average_case {
  std::int64_t sum;
  std::int32_t count;
  std::int64_t away, even, tosa;
};
constexpr std::int64_t limit = std::int64_t{1} << 29;
constexpr average_case averages[] = {
    {0, 1, 0, 0, 0},
    {1, 2, 1, 0, 1},
    {-1, 2, -1, 0, -1},
    {3, 2, 2, 2, 2},
    {-3, 2, -2, -2, -2},
    {5, 2, 3, 2, 3},
    {-5, 2, -3, -2, -3},
    {4, 3, 1, 1, 1},
    {-5, 3, -2, -2, -2},
    {7, 14, 1, 0, 1},
    {limit - 1, 1, limit - 1, limit - 1, limit - 1},
    {limit, 1, limit, limit, limit + 1},  // the first sum whose quotient is wrong by TOSA's reciprocal
    {-limit, 1, -limit, -limit, -limit},
    {65534 * std::int64_t{32767} + 32767, 65534, 32768, 32768, 32768},
};
constexpr auto average_holds = [](const average_case& c) {
  return q::tflite::average::apply(c.sum, c.count) == c.away && q::cmsis_nn::average::apply(c.sum, c.count) == c.away &&
         q::onednn::average::apply(c.sum, c.count) == c.even &&
         q::tosa::average::apply(c.sum, q::tosa::average::divisor(c.count)) == c.tosa;
};
static_assert(first_wrong(averages, average_holds) == -1);
static_assert(!q::tflite::average::valid(0) && q::tflite::average::valid(1) && q::tflite::average::valid(65534));
static_assert(!q::tflite::average::valid(65535) && !q::tosa::average::valid(0) && q::tosa::average::valid(65536));
static_assert(!q::tosa::average::valid(65537) && q::tosa::average::valid(1));

static_assert(q::divide<q::half_up>(-7, 2) == -3 && q::divide<q::half_away>(-7, 2) == -4 && q::divide<q::to_floor>(-7, 2) == -4);
static_assert(q::divide<q::half_to_zero>(7, 2) == 3 && q::divide<q::to_ceiling>(7, 3) == 3 &&
              q::divide<q::to_ceiling>(6, 3) == 2);
static_assert(q::divide<q::half_even>(-7, 2) == -4 && q::divide<q::half_even>(-5, 2) == -2 && q::divide<q::half_up>(8, 3) == 3);

// ---- averages with other scales of x and y

struct rescaled_case {
  std::int64_t sum;
  std::int32_t count;
  q::multiplier32 multiplier;
  std::int64_t even, away, up;
};
constexpr std::int32_t most = 2147483647;
constexpr std::int64_t two31 = std::int64_t{1} << 31;
constexpr rescaled_case rescaled_averages[] = {
    {3, 2, {1, 0}, 2, 2, 2},
    {-3, 2, {1, 0}, -2, -2, -1},
    {-1, 2, {1, 0}, 0, -1, 0},
    {1, 2, {1, 1}, 0, 0, 0},
    {2, 2, {1, 1}, 0, 1, 1},  // a tie by the shift
    {-2, 2, {1, 1}, 0, -1, 0},
    {3, 3, {1, 1}, 0, 1, 1},
    {4, 3, {3, 3}, 0, 1, 1},  // 12 / 24
    {5, 3, {3, 3}, 1, 1, 1},
    {-4, 3, {3, 3}, 0, -1, 0},
    {-12, 3, {3, 3}, -2, -2, -1},
    {1501, 1500, {1 << 30, 31}, 1, 1, 1},  // above 1/2 by less than a unit of the floored quotient
    {1499, 1500, {1 << 30, 31}, 0, 0, 0},
    {1500, 1500, {1 << 30, 31}, 0, 1, 1},
    {-1500, 1500, {1 << 30, 31}, 0, -1, 0},
    {two31, 1, {most, 0}, two31* most, two31* most, two31* most},
    {-two31, 1, {most, 1}, -two31 / 2 * most, -two31 / 2 * most, -two31 / 2 * most},
    {-two31, 1, {most, 62}, -1, -1, -1},  // -(1 - 2^-31)
    {two31, 1, {1 << 30, 62}, 0, 1, 1},   // 2^61 / 2^62
    {-two31, 1, {1 << 30, 62}, 0, -1, 0},
    {two31, 1, {most, 63}, 0, 0, 0},  // just below 1/2
    {two31, 1, {most, 126}, 0, 0, 0},
    {-two31, 65536, {most, 126}, 0, 0, 0},
    {65535, 65536, {most, 31}, 1, 1, 1},
};
constexpr auto rescaled_holds = [](const rescaled_case& c) {
  return q::exact::average<q::half_even>{c.multiplier}.apply(c.sum, c.count) == c.even &&
         q::exact::average<q::half_away>{c.multiplier}.apply(c.sum, c.count) == c.away &&
         q::exact::average<q::half_up>{c.multiplier}.apply(c.sum, c.count) == c.up;
};
static_assert(first_wrong(rescaled_averages, rescaled_holds) == -1);
static_assert(q::exact::average<q::to_floor>{{most, 126}}.apply(-1, 1) == -1 &&
              q::exact::average<q::to_ceiling>{{most, 126}}.apply(1, 65536) == 1);

// ---- means

struct count_case {
  q::multiplier32 scale;
  std::int64_t count;
  q::multiplier32 expected;
};
constexpr std::int32_t h = 1 << 30;
constexpr count_case counts[] = {
    {{h, 30}, 1, {h, 30}},
    {{h, 30}, 2, {h, 31}},
    {{h, 30}, 3, {715827882, 31}},  // 2^31 / 3, rounded down
    {{h, 30}, 4, {h, 32}},
    {{h, 61}, 7, {306783378, 62}},  // one bit of 2 remains: the shift ends at 62
    {{h, 62}, 7, {153391689, 62}},
    {{h, 31}, std::int64_t{1} << 40, {1 << 21, 62}},
    {{h, 10}, std::int64_t{1} << 40, {1 << 22, 42}},  // k is at most 32
};
constexpr auto count_holds = [](const count_case& c) { return q::tflite::divide_by_count(c.scale, c.count) == c.expected; };
static_assert(first_wrong(counts, count_holds) == -1);

constexpr auto thirds = q::tflite::mean<int8_t>::derive(1.0f, 1, 3, 1.0f, q::range_of<int8_t>(1));
static_assert(thirds.status == status::ok && thirds.value(3) == 1 && thirds.value(7) == 2 && thirds.value(-384) == -128);
// Three elements have the sum 9. Subtracting 3 zero points gives 6, the mean is 2, and the zero point is added.
static_assert(thirds.value(9) == 3);

constexpr auto ones = q::tflite::mean<int8_t>::derive(1.0f, -2, 1, 1.0f, q::range_of<int8_t>());
static_assert(ones.status == status::ok && ones.value(5) == 7);
constexpr auto pairs = q::tflite::mean<int8_t>::derive(1.0f, 5, 2, 1.0f, q::range_of<int8_t>());
static_assert(pairs.value(4) == -3);

// Subtracting 3 zero points of 1 from 9 gives 6. The result is half of this plus the zero point. Ties go up.
constexpr auto sums = q::tflite::sum<int8_t>::derive(0.5f, 1, 3, 1.0f, q::range_of<int8_t>(10));
static_assert(sums.status == status::ok && sums.value.multiplier == q::multiplier32{h, 31});
static_assert(sums.value(9) == 13 && sums.value(8) == 13 && sums.value(7) == 12 && sums.value(-2) == 8 && sums.value(381) == 127);
static_assert(q::tflite::sum<int8_t>::derive(1.0f, 0, 0, 1.0f, {}).status == status::negative_size);
static_assert(q::tflite::sum<int8_t>::derive(1.0f, 0, 3, -1.0f, {}).status == status::scale_negative);
static_assert(q::tflite::sum<int16_t>::derive(0.5f, 0, 65536, 1.0f, q::range_of<int16_t>()).status == status::ok);
static_assert(q::tflite::sum<int16_t>::derive(0.5f, 0, 65537, 1.0f, q::range_of<int16_t>()).status ==
              status::accumulator_overflow);

template <class Change>
constexpr status changed(const Change& change) {
  auto rule = thirds.value;
  change(rule);
  return check(rule);
}
static_assert(changed([](auto& r) { r.count = 0; }) == status::negative_size);
static_assert(changed([](auto& r) { r.x_zero_point = 128; }) == status::zero_point_out_of_range);
static_assert(changed([](auto& r) { r.range.max = 128; }) == status::range_out_of_type);
static_assert(changed([](auto& r) { r.multiplier.right_shift = 0; }) == status::multiplier_out_of_range);
static_assert(changed([](auto& r) {
                r.x_zero_point = 0;
                r.count = 1 << 24;
              }) == status::ok);
static_assert(changed([](auto& r) {
                r.x_zero_point = 0;
                r.count = (1 << 24) + 1;
              }) == status::accumulator_overflow);
constexpr status of_count(std::int32_t zero_point, std::int32_t count) {
  return changed([=](auto& r) {
    r.x_zero_point = zero_point;
    r.count = count;
  });
}
static_assert(of_count(-128, 8421504) == status::ok && of_count(-128, 8421505) == status::accumulator_overflow);  // 255 each
static_assert(of_count(127, 8421504) == status::ok && of_count(127, 8421505) == status::accumulator_overflow);    // -255
static_assert(q::tflite::mean<int8_t>::derive(0.0f, 1, 3, 1.0f, {}).status == status::scale_zero);
static_assert(q::tflite::mean<int8_t>::derive(1.0f, 1, 0, 1.0f, {}).status == status::negative_size);
static_assert(q::tflite::mean<int8_t>::derive(0x1p30f, 0, 3, 1.0f, {}).status == status::scale_too_large);

}  // namespace

TEST_CASE("each average rounds ties like its engine") { CHECK(first_wrong(at_run_time(averages), average_holds) == -1); }

TEST_CASE("the average of 0, 0, 1 and 1 is 1 in CMSIS-NN, and 0 in ExecuTorch's Python reference") {
  CHECK(q::cmsis_nn::average::apply(2, 4) == 1);
  CHECK(q::tosa::average::apply(2, q::tosa::average::divisor(4)) == 1);
  CHECK(q::exact::average<q::half_even>{}.apply(2, 4) == 0);  // quantized_avg_pool2d in Python divides floats, ties to even
}

TEST_CASE("a rescaled average is the exact quotient, rounded once") {
  CHECK(first_wrong(at_run_time(rescaled_averages), rescaled_holds) == -1);
  using oracle::wide;
  // The oracle compares twice the remainder of sum * mantissa by count * 2^right_shift with this divisor, in 128 bits.
  std::mt19937_64 random(43);
  for (int n = 0; n < 100000; ++n) {
    const auto count = static_cast<std::int32_t>(1 + (random() % 65536 >> random() % 16));
    const auto shift = static_cast<std::int32_t>(random() % 63);
    const auto mantissa = static_cast<std::int32_t>(random() >> (33 + random() % 31));
    auto sum = static_cast<std::int64_t>(random() % (two31 + 1)) >> random() % 32;
    // Constructs ties: sum * mantissa = (2 i + 1) * count * 2^(shift - 1), if the numbers are small.
    const bool is_tie = n % 2 == 0 && shift >= 1 && shift <= 14;
    if (is_tie) sum = (2 * static_cast<std::int64_t>(random() % 8) + 1) * count << (shift - 1);
    if (sum > two31) continue;
    if (random() % 2 == 0) sum = -sum;
    const std::int32_t of_tie = is_tie ? 1 : mantissa;
    const wide product = wide{sum} * of_tie;
    const wide divisor = wide{count} << shift;
    wide floor = product / divisor;
    if (floor * divisor > product) --floor;
    const wide twice = 2 * (product - floor * divisor);
    const auto f = static_cast<std::int64_t>(floor);
    REQUIRE((!is_tie || twice == divisor));
    const q::multiplier32 m{of_tie, shift};
    const bool above = twice > divisor, tie = twice == divisor;
    REQUIRE(q::exact::average<q::half_up>{m}.apply(sum, count) == f + (above || tie));
    REQUIRE(q::exact::average<q::half_even>{m}.apply(sum, count) == f + (above || (tie && f % 2 != 0)));
    REQUIRE(q::exact::average<q::half_away>{m}.apply(sum, count) == f + (above || (tie && sum > 0)));
  }
}

TEST_CASE("a multiplier is divided by a count as TFLite divides it") {
  CHECK(first_wrong(at_run_time(counts), count_holds) == -1);
}

#include <dyadic/scheme/gemmlowp.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"

namespace q = dyadic;
using namespace support;

namespace {

template <class T>
struct product_case {
  T a, b, y;
};
constexpr auto product_holds = [](const auto& c) {
  return q::gemmlowp::saturating_rounding_doubling_high_mul(c.a, c.b) == c.y &&
         q::gemmlowp::saturating_rounding_doubling_high_mul(c.b, c.a) == c.y;
};
constexpr product_case<std::int32_t> products32[] = {
    {0, min, 0},     {1, h, 1},           {-1, h, 0},       {1, -h, 0},       {-1, -h, 1},    // ties go up
    {3, h, 2},       {-3, h, -1},         {1, h - 1, 0},    {-1, h - 1, 0},   {1, h + 1, 1},  // neighbours of ties
    {-1, h + 1, -1}, {max, max, max - 1}, {min, max, -max}, {min, -max, max}, {min, 1, -1},
    {min, h, -h},    {min, min, max},  // 2^31 saturates
};
static_assert(first_wrong(products32, product_holds) == -1);

constexpr product_case<std::int16_t> products16[] = {
    {0, -32768, 0},          {1, 16384, 1},   {-1, 16384, 0},          {3, 16384, 2},
    {-3, 16384, -1},         {1, 16383, 0},   {-1, 16385, -1},         {32767, 32767, 32766},
    {-32768, 32767, -32767}, {-32768, 1, -1}, {-32768, -32767, 32767}, {-32768, -32768, 32767},
};
static_assert(first_wrong(products16, product_holds) == -1);

template <class T>
struct quotient_case {
  T x;
  int exponent;
  T y;
};
constexpr auto quotient_holds = [](const auto& c) { return q::gemmlowp::rounding_divide_by_pot(c.x, c.exponent) == c.y; };
constexpr quotient_case<std::int32_t> quotients32[] = {
    {min, 0, min}, {1, 1, 1},     {-1, 1, -1}, {3, 1, 2},    {-3, 1, -2},      {5, 1, 3},      {-5, 1, -3},
    {1, 2, 0},     {-1, 2, 0},    {-3, 2, -1}, {h, 31, 1},   {-h, 31, -1},     {h - 1, 31, 0}, {1 - h, 31, 0},
    {max, 31, 1},  {min, 31, -1}, {max, 1, h}, {min, 1, -h}, {min + 1, 1, -h},
};
static_assert(first_wrong(quotients32, quotient_holds) == -1);
constexpr quotient_case<std::int16_t> quotients16[] = {
    {-32768, 0, -32768}, {1, 1, 1},        {-1, 1, -1},    {16384, 15, 1},    {-16384, 15, -1},
    {16383, 15, 0},      {-32768, 15, -1}, {32767, 15, 1}, {32767, 1, 16384},
};
static_assert(first_wrong(quotients16, quotient_holds) == -1);

}  // namespace

TEST_CASE("gemmlowp's high multiply sends ties up and saturates min times min") {
  CHECK(first_wrong(at_run_time(products32), product_holds) == -1);
  CHECK(first_wrong(at_run_time(products16), product_holds) == -1);
}

TEST_CASE("gemmlowp's division by a power of two sends ties away from zero") {
  CHECK(first_wrong(at_run_time(quotients32), quotient_holds) == -1);
  CHECK(first_wrong(at_run_time(quotients16), quotient_holds) == -1);
}

#include <dyadic/scheme/ruy.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"

namespace q = dyadic;
using namespace support;

namespace {

struct rule_case {
  std::int32_t acc;
  q::tflite::pair m;
  std::int64_t reference, x86;
};
constexpr rule_case rule_cases[] = {
    {1, {h, 0}, 1, 1},
    {-1, {h, 0}, 0, 0},
    {1, {h, -1}, 0, 1},  // 0.25
    {-1, {h, -1}, 0, 0},
    {-2, {h, -1}, 0, 0},
    {-3, {h, -1}, -1, 0},
    {1000, {max, -4}, 62, 63},
    {h, {max, 1}, max, -max},
    {3, {max, 30}, -h - 1, 1 - h},  // each result wraps where its engine wraps
    {max, {max, 0}, max - 1, max - 1},
};
constexpr auto rule_holds = [](const rule_case& c) {
  const q::multiplier32 m = q::tflite::from_pair(c.m);
  return q::ruy::reference::apply(c.acc, m) == c.reference && q::ruy::x86_simd::apply(c.acc, m) == c.x86;
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

static_assert(q::ruy::reference::valid({h, 1}) && q::ruy::reference::valid({h, 62}) && !q::ruy::reference::valid({h, 63}) &&
              !q::ruy::reference::valid({-1, 31}));
static_assert(q::ruy::x86_simd::valid({h, 1}) && q::ruy::x86_simd::valid({min, 62}) && !q::ruy::x86_simd::valid({h, 0}));
static_assert(q::ruy::reference::derive(0x1p40).value == q::multiplier32{max, 1} &&
              q::ruy::x86_simd::derive(0x1p40).status == q::status::scale_too_large);

}  // namespace

TEST_CASE("ruy's x86 kernels round twice, its reference once") { CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1); }

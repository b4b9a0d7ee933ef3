#include <dyadic/scheme/ruy.hpp>

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

constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max(), min = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t h = 1 << 30;  // one half in Q31

struct rule_case {
  std::int32_t acc;
  tflite::pair m;
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
    {3, {max, 30}, -h - 1, 1 - h},  // each wraps where its engine does
    {max, {max, 0}, max - 1, max - 1},
};
constexpr auto rule_holds = [](const rule_case& c) {
  const multiplier32 m = tflite::from_pair(c.m);
  return ruy::reference::apply(c.acc, m) == c.reference && ruy::x86_simd::apply(c.acc, m) == c.x86;
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

static_assert(ruy::reference::valid({h, 1}) && ruy::reference::valid({h, 62}) && !ruy::reference::valid({h, 63}) &&
              !ruy::reference::valid({-1, 31}));
static_assert(ruy::x86_simd::valid({h, 1}) && ruy::x86_simd::valid({min, 62}) && !ruy::x86_simd::valid({h, 0}));
static_assert(ruy::reference::derive(0x1p40).value == multiplier32{max, 1} &&
              ruy::x86_simd::derive(0x1p40).status == status::scale_too_large);

}  // namespace

TEST_CASE("ruy's x86 kernels round twice, its reference once") { CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1); }

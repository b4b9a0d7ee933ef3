#include <dyadic/scheme/executorch.hpp>

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

template <class Scale, class Multiplier>
struct derived {
  Scale scale;
  Multiplier m;
  dyadic::status status;
};
/// Value and status are what Derive gives.
template <auto Derive>
constexpr auto derives = [](const auto& c) {
  const auto r = Derive(c.scale);
  return r.value == c.m && r.status == c.status;
};

constexpr binary64 infinity = binary64::from_bits(0x7FF0'0000'0000'0000), nan = binary64::from_bits(0x7FF8'0000'0000'0000);
constexpr binary64 least = binary64::from_bits(1), largest = binary64::from_bits(0x7FEF'FFFF'FFFF'FFFF);
constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max(), min = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t h = 1 << 30;  // one half in Q31

constexpr derived<binary64, multiplier32> cortex_m_derived[] = {
    {0.0, {0, 31}, status::ok},
    {-0.0, {0, 31}, status::ok},
    {1.0, {h, 30}, status::ok},
    {-0.75, {-h / 2 * 3, 31}, status::ok},
    {0x1.00000002p-1, {h, 31}, status::ok},  // ties to even
    {0x1.00000006p-1, {h + 2, 31}, status::ok},
    {-0x1.00000006p-1, {-h - 2, 31}, status::ok},
    {0x1.fffffffep-1, {h, 30}, status::ok},
    {0x1p-32, {h, 62}, status::ok},
    {0x1p-33, {h, 63}, status::scale_too_small},  // no flush
    {least, {h, 1104}, status::scale_too_small},
    {0x1.fffffffcp29, {max, 1}, status::ok},
    {0x1p30, {h, 0}, status::scale_too_large},
    {largest, {h, -994}, status::scale_too_large},
    {nan, {0, 31}, status::scale_not_finite},
    {infinity, {0, 31}, status::scale_not_finite},
};
static_assert(first_wrong(cortex_m_derived, derives<&executorch::cortex_m::derive>) == -1);

constexpr derived<binary32, multiplier32> cadence_derived[] = {
    {0.0f, {0, 31}, status::ok},
    {1.0f, {h, 30}, status::ok},
    {-0.75f, {-h / 2 * 3, 31}, status::ok},
    {0x1.fffffep-1f, {max - 127, 31}, status::ok},
    {0x1p-32f, {h, 62}, status::ok},
    {0x1p-33f, {h, 63}, status::scale_too_small},
    {binary32::from_bits(1), {h, 179}, status::scale_too_small},
    {0x1.fffffep29f, {max - 127, 1}, status::ok},
    {0x1p30f, {h, 0}, status::scale_too_large},
    {binary32::from_bits(0x7F80'0000), {0, 31}, status::scale_not_finite},
    {binary32::from_bits(0x7FC0'0000), {0, 31}, status::scale_not_finite},
};
static_assert(first_wrong(cadence_derived, derives<&executorch::cadence::derive>) == -1);

/// The Arm backend's are TOSA's.
static_assert(executorch::arm::scale32::derive(0x1.00000002p-1).value == multiplier32{h, 31});
static_assert(executorch::arm::scale16::derive(0x1.000ap-1).value == multiplier16{16386, 15});

/// ExecuTorch keeps int64 arrays: shifts to the right on Arm, to the left elsewhere.
constexpr bool arrays_hold() {
  const std::int64_t multipliers[] = {h}, shifts[] = {3};
  multiplier32 arm[1] = {}, cortex_m[1] = {}, cadence[1] = {};
  return executorch::arm::from_pairs(multipliers, shifts, arm) == status::ok &&
         executorch::cortex_m::from_pairs(multipliers, shifts, cortex_m) == status::ok &&
         executorch::cadence::from_pairs(multipliers, shifts, cadence) == status::ok && arm[0] == multiplier32{h, 3} &&
         cortex_m[0] == multiplier32{h, 28} && cadence[0] == multiplier32{h, 28};
}
static_assert(arrays_hold());

struct bias_case {
  std::int64_t acc;
  std::int32_t bias;
  binary64 bias_scale, output_scale;
  std::int16_t value;
  multiplier32 m;
  dyadic::status status;
};
constexpr bias_case bias_cases[] = {
    {10, 5, 0.5, 1.0, 8, {h, 31}, status::ok},     // 7.5
    {-10, -5, 0.5, 1.0, -7, {h, 31}, status::ok},  // -7.5
    {10, -10, 0.25, 1.0, 0, {h, 32}, status::ok},
    {100000, 0, 1.0, 2.0, 32767, {h, 31}, status::ok},
    {-100000, 0, 1.0, 2.0, -32768, {h, 31}, status::ok},
    {5, 5, 0.0, 1.0, 0, {0, 31}, status::ok},
    // An int32 step leaves its range.
    {max, 0, 1.0, 0x1p10, 32767, {h, 40}, status::ok},
    {max + 1LL, -1, 1.0, 0x1p10, 0, {0, 0}, status::unpredictable},
    {min - 1LL, 1, 1.0, 0x1p10, 0, {0, 0}, status::unpredictable},
    {max, 1, 1.0, 0x1p10, 0, {0, 0}, status::unpredictable},
    {min, -1, 1.0, 0x1p10, 0, {0, 0}, status::unpredictable},
    {std::numeric_limits<std::int64_t>::max(), max, 1.0, 0x1p10, 0, {0, 0}, status::unpredictable},
    {std::numeric_limits<std::int64_t>::min(), min, 1.0, 0x1p10, 0, {0, 0}, status::unpredictable},
    {1, 1, 0x1p28, 1.0, 0, {0, 0}, status::unpredictable},  // 2 is too wide for a shift of 2
    // A scale without a multiplier.
    {1, 1, 0x1p29, 1.0, 0, {0, 0}, status::scale_too_large},
    {1, 1, 1.0, 0.0, 0, {0, 0}, status::scale_not_finite},
    {1, 1, 0.0, 0.0, 0, {0, 0}, status::scale_not_finite},
    {1, 1, nan, 1.0, 0, {0, 0}, status::scale_not_finite},
    {1, 1, -1.0, 1.0, 0, {0, 0}, status::scale_negative},
};
constexpr auto bias_holds = [](const bias_case& c) {
  const auto r = executorch::arm::bias_after_int32(c.acc, c.bias, c.bias_scale, c.output_scale);
  return r.value.value == c.value && r.value.multiplier == c.m && r.status == c.status;
};
static_assert(first_wrong(bias_cases, bias_holds) == -1);

}  // namespace

TEST_CASE("ExecuTorch's backends derive with ties to even or from binary32, and name what has no shift") {
  CHECK(first_wrong(at_run_time(cortex_m_derived), derives<&executorch::cortex_m::derive>) == -1);
  CHECK(first_wrong(at_run_time(cadence_derived), derives<&executorch::cadence::derive>) == -1);
}

TEST_CASE("ExecuTorch's arrays shift to the right on Arm and to the left elsewhere") { CHECK(arrays_hold()); }

TEST_CASE("a bias added after int32 is unpredictable where int32 is left") {
  CHECK(first_wrong(at_run_time(bias_cases), bias_holds) == -1);
}

#include <dyadic/scheme/executorch.hpp>

#include <array>
#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

constexpr derived<q::binary64, q::multiplier32> cortex_m_derived[] = {
    {0.0, {0, 31}, q::status::ok},
    {-0.0, {0, 31}, q::status::ok},
    {1.0, {h, 30}, q::status::ok},
    {-0.75, {-h / 2 * 3, 31}, q::status::ok},
    {0x1.00000002p-1, {h, 31}, q::status::ok},  // ties to even
    {0x1.00000006p-1, {h + 2, 31}, q::status::ok},
    {-0x1.00000006p-1, {-h - 2, 31}, q::status::ok},
    {0x1.fffffffep-1, {h, 30}, q::status::ok},
    {0x1p-32, {h, 62}, q::status::ok},
    {0x1p-33, {h, 63}, q::status::scale_too_small},  // not flushed to 0
    {least, {h, 1104}, q::status::scale_too_small},
    {0x1.fffffffcp29, {max, 1}, q::status::ok},
    {0x1p30, {h, 0}, q::status::scale_too_large},
    {largest, {h, -994}, q::status::scale_too_large},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
    {infinite, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(cortex_m_derived, derives<&q::executorch::cortex_m::derive>) == -1);

constexpr derived<q::binary32, q::multiplier32> cadence_derived[] = {
    {0.0f, {0, 31}, q::status::ok},
    {1.0f, {h, 30}, q::status::ok},
    {-0.75f, {-h / 2 * 3, 31}, q::status::ok},
    {0x1.fffffep-1f, {max - 127, 31}, q::status::ok},
    {0x1p-32f, {h, 62}, q::status::ok},
    {0x1p-33f, {h, 63}, q::status::scale_too_small},
    {q::binary32::from_bits(1), {h, 179}, q::status::scale_too_small},
    {0x1.fffffep29f, {max - 127, 1}, q::status::ok},
    {0x1p30f, {h, 0}, q::status::scale_too_large},
    {q::binary32::from_bits(0x7F80'0000), {0, 31}, q::status::scale_not_finite},
    {q::binary32::from_bits(0x7FC0'0000), {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(cadence_derived, derives<&q::executorch::cadence::derive>) == -1);

/// The schemes of the Arm backend derive as TOSA's.
static_assert(q::executorch::arm::scale32::derive(0x1.00000002p-1).value == q::multiplier32{h, 31});
static_assert(q::executorch::arm::scale16::derive(0x1.000ap-1).value == q::multiplier16{16386, 15});

/// Checks ExecuTorch's int64 arrays. Shifts count to the right on Arm and to the left elsewhere.
constexpr bool arrays_hold() {
  const std::array<std::int64_t, 2> multipliers{h, max}, shifts{3, 29};
  std::array<q::multiplier32, 2> arm{}, cortex_m{}, cadence{};
  return q::executorch::arm::from_pairs(multipliers, shifts, arm) == q::status::ok &&
         q::executorch::cortex_m::from_pairs(multipliers, shifts, cortex_m) == q::status::ok &&
         q::executorch::cadence::from_pairs(multipliers, shifts, cadence) == q::status::ok &&
         q::view(arm)[0] == q::multiplier32{h, 3} && q::view(arm)[1] == q::multiplier32{max, 29} &&
         q::view(cortex_m)[0] == q::multiplier32{h, 28} && q::view(cortex_m)[1] == q::multiplier32{max, 2} &&
         q::view(cadence)[0] == q::multiplier32{h, 28} && q::view(cadence)[1] == q::multiplier32{max, 2};
}
static_assert(arrays_hold());

}  // namespace

TEST_CASE("ExecuTorch's backends derive with ties to even or from binary32, and refuse scales without a shift") {
  CHECK(first_wrong(at_run_time(cortex_m_derived), derives<&q::executorch::cortex_m::derive>) == -1);
  CHECK(first_wrong(at_run_time(cadence_derived), derives<&q::executorch::cadence::derive>) == -1);
}

TEST_CASE("ExecuTorch's arrays shift to the right on Arm and to the left elsewhere") { CHECK(arrays_hold()); }

#include <dyadic/scheme/vela.hpp>

#include <cstdint>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

constexpr std::uint32_t u = std::uint32_t{1} << 31;

constexpr derived<q::binary64, q::multiplier32u> derived32[] = {
    {0.0, {0, 31}, q::status::ok},
    {-0.0, {0, 31}, q::status::ok},
    {1.0, {u / 2, 30}, q::status::ok},
    {0x1.00000002p-1, {u / 2 + 1, 31}, q::status::ok},  // ties away
    {0x1.fffffffep-1, {u, 31}, q::status::ok},          // 2^31 is kept
    {0x1.fffffffffffffp-1, {u, 31}, q::status::ok},
    {0x1p-33, {u / 2, 63}, q::status::ok},
    {0x1.fffffffffffffp-34, {0, 16}, q::status::ok},  // flushed, though it rounds to 2^-33
    {0x1p-34, {0, 16}, q::status::ok},
    {least, {0, 16}, q::status::ok},
    {0x1p30, {u / 2, 0}, q::status::ok},
    {0x1.fffffffffffffp30, {u, 0}, q::status::ok},
    {0x1p31, {0, 16}, q::status::scale_too_large},
    {largest, {0, 16}, q::status::scale_too_large},
    {-0.5, {0, 31}, q::status::scale_negative},
    {-0x1.fffffffep-1, {0, 31}, q::status::scale_negative},
    {q::negate(least), {0, 31}, q::status::scale_negative},
    {q::negate(largest), {0, 31}, q::status::scale_negative},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
    {infinite, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(derived32, derives<&q::vela::derive_scale32>) == -1);

constexpr derived<q::binary64, q::multiplier16> derived16[] = {
    {0.0, {0, 15}, q::status::ok},
    {1.0, {16384, 14}, q::status::ok},
    {0x1.000ap-1, {16387, 15}, q::status::ok},
    {0x1.000dffffp-1, {16388, 15}, q::status::ok},
    {0x1.fffcp-1, {32767, 15}, q::status::ok},
    {0x1.fffep-1, {32767, 15}, q::status::ok},
    {0x1.fffffffep-1, {32767, 15}, q::status::ok},  // from 2^31
    {0x1p-33, {16384, 47}, q::status::ok},
    {0x1p-34, {0, 0}, q::status::ok},
    {0x1p15, {16384, -1}, q::status::ok},  // a negative shift to the right
    {0x1p30, {16384, -16}, q::status::ok},
    {0x1p31, {0, 0}, q::status::scale_too_large},
    {-0.5, {0, 15}, q::status::scale_negative},
    {quiet_nan, {0, 15}, q::status::scale_not_finite},
    {infinite, {0, 15}, q::status::scale_not_finite},
};
static_assert(first_wrong(derived16, derives<&q::vela::derive_reduced_int16>) == -1);

}  // namespace

TEST_CASE("Vela keeps a mantissa of 2^31 and flushes scales whose shift does not fit six bits") {
  CHECK(first_wrong(at_run_time(derived32), derives<&q::vela::derive_scale32>) == -1);
  CHECK(first_wrong(at_run_time(derived16), derives<&q::vela::derive_reduced_int16>) == -1);
}

#include <dyadic/scheme/vela.hpp>

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
constexpr std::uint32_t u = std::uint32_t{1} << 31;

constexpr derived<binary64, multiplier32u> derived32[] = {
    {0.0, {0, 31}, status::ok},
    {-0.0, {0, 31}, status::ok},
    {1.0, {u / 2, 30}, status::ok},
    {0x1.00000002p-1, {u / 2 + 1, 31}, status::ok},  // ties away
    {0x1.fffffffep-1, {u, 31}, status::ok},          // 2^31 is kept
    {0x1.fffffffffffffp-1, {u, 31}, status::ok},
    {0x1p-33, {u / 2, 63}, status::ok},
    {0x1.fffffffffffffp-34, {0, 16}, status::ok},  // flushed, though it rounds to 2^-33
    {0x1p-34, {0, 16}, status::ok},
    {least, {0, 16}, status::ok},
    {0x1p30, {u / 2, 0}, status::ok},
    {0x1.fffffffffffffp30, {u, 0}, status::ok},
    {0x1p31, {0, 16}, status::scale_too_large},
    {largest, {0, 16}, status::scale_too_large},
    {-0.5, {0, 31}, status::scale_negative},
    {-0x1.fffffffep-1, {0, 31}, status::scale_negative},
    {negate(least), {0, 31}, status::scale_negative},
    {negate(largest), {0, 31}, status::scale_negative},
    {nan, {0, 31}, status::scale_not_finite},
    {infinity, {0, 31}, status::scale_not_finite},
};
static_assert(first_wrong(derived32, derives<&vela::derive_scale32>) == -1);

constexpr derived<binary64, multiplier16> derived16[] = {
    {0.0, {0, 15}, status::ok},
    {1.0, {16384, 14}, status::ok},
    {0x1.000ap-1, {16387, 15}, status::ok},
    {0x1.000dffffp-1, {16388, 15}, status::ok},
    {0x1.fffcp-1, {32767, 15}, status::ok},
    {0x1.fffep-1, {32767, 15}, status::ok},
    {0x1.fffffffep-1, {32767, 15}, status::ok},  // from 2^31
    {0x1p-33, {16384, 47}, status::ok},
    {0x1p-34, {0, 0}, status::ok},
    {0x1p15, {16384, -1}, status::ok},  // the shift may turn left
    {0x1p30, {16384, -16}, status::ok},
    {0x1p31, {0, 0}, status::scale_too_large},
    {-0.5, {0, 15}, status::scale_negative},
    {nan, {0, 15}, status::scale_not_finite},
    {infinity, {0, 15}, status::scale_not_finite},
};
static_assert(first_wrong(derived16, derives<&vela::derive_reduced_int16>) == -1);

}  // namespace

TEST_CASE("Vela keeps a mantissa of 2^31 and flushes what does not fit six bits of shift") {
  CHECK(first_wrong(at_run_time(derived32), derives<&vela::derive_scale32>) == -1);
  CHECK(first_wrong(at_run_time(derived16), derives<&vela::derive_reduced_int16>) == -1);
}

#include <dyadic/multiplier.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

constexpr q::binary64 largest_subnormal = q::binary64::from_bits(0x000F'FFFF'FFFF'FFFF);

template <class Mantissa>
struct nearest_case {
  q::binary64 scale;
  q::multiplier<Mantissa> up, away, even, to_zero;
};
template <class Mantissa, class Ties>
constexpr bool finds(q::binary64 scale, Ties ties, q::multiplier<Mantissa> m) {
  const q::result<q::multiplier<Mantissa>> r = q::nearest<Mantissa>(scale, ties);
  return r.status == q::status::ok && r.value == m;
}
template <class Mantissa>
constexpr bool rounds(q::binary64 scale, const nearest_case<Mantissa>& c) {
  return finds(scale, q::half_up{}, c.up) && finds(scale, q::half_away{}, c.away) && finds(scale, q::half_even{}, c.even) &&
         finds(scale, q::half_to_zero{}, c.to_zero);
}
constexpr auto nearest_holds = [](const auto& c) { return rounds(c.scale, c); };

/// Returns a case in which all four rules agree.
template <class Mantissa>
constexpr nearest_case<Mantissa> plain(q::binary64 scale, q::multiplier<Mantissa> m) {
  return {scale, m, m, m, m};
}

constexpr std::int32_t max32 = std::numeric_limits<std::int32_t>::max(), min32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t h = 1 << 30;  // the mantissa of a power of two
constexpr nearest_case<std::int32_t> cases32[] = {
    plain<std::int32_t>(0.0, {0, 31}),
    plain<std::int32_t>(-0.0, {0, 31}),
    plain<std::int32_t>(1.0, {h, 30}),
    plain<std::int32_t>(-1.0, {-h, 30}),
    plain<std::int32_t>(0.5, {h, 31}),
    plain<std::int32_t>(0.75, {h / 2 * 3, 31}),
    plain<std::int32_t>(-0.75, {-h / 2 * 3, 31}),
    plain<std::int32_t>(0x1p-32, {h, 62}),
    plain<std::int32_t>(0x1p31, {h, -1}),
    // Mantissas that use all 31 bits.
    plain<std::int32_t>(0x1.fffffffcp-1, {max32, 31}),
    plain<std::int32_t>(-0x1.fffffffcp-1, {-max32, 31}),
    plain<std::int32_t>(0x1.00000004p-1, {h + 1, 31}),
    // Ties of the mantissa, beside an even and an odd mantissa, and numbers near a tie.
    {0x1.00000002p-1, {h + 1, 31}, {h + 1, 31}, {h, 31}, {h, 31}},
    {0x1.00000006p-1, {h + 2, 31}, {h + 2, 31}, {h + 2, 31}, {h + 1, 31}},
    {-0x1.00000002p-1, {-h - 1, 31}, {-h - 1, 31}, {-h, 31}, {-h, 31}},
    {-0x1.00000006p-1, {-h - 2, 31}, {-h - 2, 31}, {-h - 2, 31}, {-h - 1, 31}},
    plain<std::int32_t>(0x1.00000001fffffp-1, {h, 31}),
    plain<std::int32_t>(0x1.0000000200001p-1, {h + 1, 31}),
    // A mantissa that rounds up to 2^31 is halved. If the scale is negative, -2^31 is kept.
    {0x1.fffffffep-1, {h, 30}, {h, 30}, {h, 30}, {max32, 31}},
    {-0x1.fffffffep-1, {min32, 31}, {min32, 31}, {min32, 31}, {-max32, 31}},
    plain<std::int32_t>(0x1.fffffffdfffffp-1, {max32, 31}),
    plain<std::int32_t>(0x1.fffffffe00001p-1, {h, 30}),
    plain<std::int32_t>(0x1.fffffffffffffp-1, {h, 30}),
    // The ends of binary64.
    plain<std::int32_t>(0x1p-1022, {h, 1052}),
    plain<std::int32_t>(least, {h, 1104}),
    plain<std::int32_t>(q::binary64::from_bits(3), {h / 2 * 3, 1103}),
    plain<std::int32_t>(largest_subnormal, {h, 1052}),
    plain<std::int32_t>(largest, {h, -994}),
    plain<std::int32_t>(q::negate(largest), {min32, -993}),
};
static_assert(first_wrong(cases32, nearest_holds) == -1);

constexpr nearest_case<std::int16_t> cases16[] = {
    plain<std::int16_t>(0.0, {0, 15}),
    plain<std::int16_t>(1.0, {16384, 14}),
    plain<std::int16_t>(-0.75, {-24576, 15}),
    {0x1.0002p-1, {16385, 15}, {16385, 15}, {16384, 15}, {16384, 15}},
    {0x1.0006p-1, {16386, 15}, {16386, 15}, {16386, 15}, {16385, 15}},
    {-0x1.0002p-1, {-16385, 15}, {-16385, 15}, {-16384, 15}, {-16384, 15}},
    {0x1.fffep-1, {16384, 14}, {16384, 14}, {16384, 14}, {32767, 15}},
    {-0x1.fffep-1, {-32768, 15}, {-32768, 15}, {-32768, 15}, {-32767, 15}},
    plain<std::int16_t>(0x1.fffcp-1, {32767, 15}),
    plain<std::int16_t>(0x1.fffdfffffffffp-1, {32767, 15}),
    plain<std::int16_t>(least, {16384, 1088}),
    plain<std::int16_t>(largest, {16384, -1010}),
};
static_assert(first_wrong(cases16, nearest_holds) == -1);

// An unsigned mantissa has room for 2^31, so that 2^31 is kept.
constexpr std::uint32_t u = std::uint32_t{1} << 31;
constexpr nearest_case<std::uint32_t> cases32u[] = {
    plain<std::uint32_t>(0.0, {0, 31}),
    plain<std::uint32_t>(1.0, {u / 2, 30}),
    {0x1.00000002p-1, {u / 2 + 1, 31}, {u / 2 + 1, 31}, {u / 2, 31}, {u / 2, 31}},
    {0x1.fffffffep-1, {u, 31}, {u, 31}, {u, 31}, {u - 1, 31}},
    plain<std::uint32_t>(0x1.fffffffffffffp-1, {u, 31}),
    plain<std::uint32_t>(largest, {u, -993}),
};
static_assert(first_wrong(cases32u, nearest_holds) == -1);

constexpr q::binary64 not_finite[] = {infinite, q::negate(infinite), quiet_nan, q::negate(quiet_nan),
                                      q::binary64::from_bits(0x7FF0'0000'0000'0001)};
constexpr auto is_refused = [](q::binary64 scale) {
  const auto r16 = q::nearest<std::int16_t>(scale, q::half_even{});
  const auto r32 = q::nearest<std::int32_t>(scale, q::half_away{});
  const auto r32u = q::nearest<std::uint32_t>(scale, q::half_up{});
  return r16.value == q::multiplier16{0, 15} && r32.value == q::multiplier32{0, 31} && r32u.value == q::multiplier32u{0, 31} &&
         r16.status == q::status::scale_not_finite && r32.status == q::status::scale_not_finite &&
         r32u.status == q::status::scale_not_finite;
};
static_assert(first_wrong(not_finite, is_refused) == -1);

/// Checks that every power of two is exact under every rule.
constexpr bool powers_hold() {
  for (int e = -1022; e <= 1023; e += 5) {
    const q::binary64 power = q::scale_by_power_of_two(q::binary64(1.0), e);
    if (!rounds(power, plain<std::int32_t>(power, {h, 30 - e})) || !rounds(power, plain<std::int16_t>(power, {16384, 14 - e})))
      return false;
  }
  return true;
}
static_assert(powers_hold());

static_assert(q::multiplier32{} == q::multiplier32{0, 0} && q::multiplier32{1, 2} != q::multiplier32{1, 3} &&
              q::multiplier32{1, 2} != q::multiplier32{2, 2});
static_assert(std::is_same_v<q::multiplier16::mantissa_type, std::int16_t> && std::is_trivially_copyable_v<q::multiplier32>);

constexpr int count = 200'000 / DYADIC_TEST_DIVISOR;

/// Returns whether `mantissa` of N bits is nearest to a 53-bit significand. Their distance * 2^(53 - N) is at most half a step.
template <class Mantissa>
bool is_nearest(std::uint64_t significand, int exponent, int bits) {
  const q::binary64 scale =
      q::scale_by_power_of_two(q::from_integer<q::binary64>(static_cast<std::int64_t>(significand)), exponent);
  const q::multiplier<Mantissa> m = q::nearest<Mantissa>(scale, q::half_even{}).value;
  // scale = significand * 2^exponent = mantissa * 2^-right_shift
  const int steps = -m.right_shift - exponent;
  if (steps != 53 - bits && steps != 54 - bits) return false;
  const std::int64_t error = (std::int64_t{m.mantissa} << steps) - static_cast<std::int64_t>(significand);
  const std::int64_t half = std::int64_t{1} << (52 - bits);
  const bool tie = error == half || error == -half;
  return m.mantissa >= Mantissa(1) << (bits - 1) && error <= half && error >= -half && (!tie || m.mantissa % 2 == 0);
}

}  // namespace

TEST_CASE("a multiplier is the nearest, and a tie of its mantissa goes by the scheme's rule") {
  CHECK(first_wrong(at_run_time(cases32), nearest_holds) == -1);
  CHECK(first_wrong(at_run_time(cases16), nearest_holds) == -1);
  CHECK(first_wrong(at_run_time(cases32u), nearest_holds) == -1);
  CHECK(powers_hold());
}

TEST_CASE("a scale that is not finite has no multiplier") { CHECK(first_wrong(at_run_time(not_finite), is_refused) == -1); }

TEST_CASE("a random scale gets a full mantissa at most half a step away") {
  INFO("seed " << seed);
  random_bits random;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    // Mantissas of every length, so that ties are frequent.
    const std::uint64_t top = std::uint64_t{1} << 52;
    const std::uint64_t significand = top | (((random() & (top - 1u)) >> (random() % 53u)) << (random() % 40u) & (top - 1u));
    const int exponent = static_cast<int>(random() % 1900u) - 950;
    wrong += !is_nearest<std::int32_t>(significand, exponent, 31) + !is_nearest<std::int16_t>(significand, exponent, 15);
  }
  CHECK(wrong == 0);
}

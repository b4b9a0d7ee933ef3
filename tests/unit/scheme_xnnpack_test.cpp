#include <dyadic/scheme/xnnpack.hpp>

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

template <class Scheme>
struct validity {
  typename Scheme::multiplier_type m;
  bool valid;
};
template <class Scheme>
constexpr auto multiplier_valid = [](const validity<Scheme>& c) { return Scheme::valid(c.m) == c.valid; };

template <class Scheme>
struct data_validity {
  typename Scheme::accumulator acc;
  typename Scheme::multiplier_type m;
  bool valid;
};
template <class Scheme>
constexpr auto data_valid = [](const data_validity<Scheme>& c) { return Scheme::valid(c.acc, c.m) == c.valid; };

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

template <class Scheme>
struct output_case {
  typename Scheme::accumulator acc;
  typename Scheme::multiplier_type m;
  output_range range;
  std::int64_t y;
};
template <class Scheme>
constexpr auto requantizes = [](const output_case<Scheme>& c) { return requantize<Scheme>(c.acc, c.m, c.range) == c.y; };

constexpr binary32 infinity = binary32::from_bits(0x7F80'0000), nan = binary32::from_bits(0x7FC0'0000),
                   least = binary32::from_bits(1);
constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max(), min = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t h = 1 << 30;    // one half in Q31
constexpr std::int32_t one = 1 << 23;  // the mantissa of a power of two

/// Every rule for one real scale; the fixed-point ones take their own multiplier of it.
struct rule_case {
  std::int32_t acc;
  binary32 scale;
  std::int64_t fp32, rndnu, neon, rndnu16, rndna;
};
constexpr rule_case rule_cases[] = {
    {1, 0.5f, 0, 1, 1, 1, 1},
    {-1, 0.5f, 0, 0, 0, 0, -1},
    {3, 0.5f, 2, 2, 2, 2, 2},
    {-3, 0.5f, -2, -1, -1, -1, -2},
    {-2, 0.75f, -2, -1, -1, -1, -2},
    {1, 0.25f, 0, 0, 0, 1, 0},                                                           // rndnu16 rounds twice
    {3, 0x1.555556p-3f, 0, 1, 1, 1, 1},                                                  // not a tie, but its binary32 product is
    {-1, 0x1.000002p-1f, -1, -1, -1, 0, -1},                                             // fifteen bits make it a tie
    {(1 << 24) + 1, 1.0f, 1 << 24, (1 << 24) + 1, (1 << 24) + 1, 16384, (1 << 24) + 1},  // rndnu16 saturates in between
    {max, 0x1p-32f, 0, 0, 0, 1, 0},                                                      // 2^31 in binary32: a tie
    {min, 0x1p-32f, 0, 0, 0, 0, -1},
    {8388609, 0x1.fffffep7f, 1LL << 31, -max - 1LL + 128, (1LL << 31) + 128, 16384,
     -max - 1LL + 128},  // the scalar reference wraps
};
constexpr auto rule_holds = [](const rule_case& c) {
  if (xnnpack::fp32::apply(c.acc, c.scale) != c.fp32) return false;
  if (xnnpack::rndnu::apply(c.acc, xnnpack::rndnu::derive(c.scale).value) != c.rndnu) return false;
  if (xnnpack::rndnu_neon::apply(c.acc, xnnpack::rndnu_neon::derive(c.scale).value) != c.neon) return false;
  if (xnnpack::rndna::apply(c.acc, xnnpack::rndna::derive(c.scale).value) != c.rndna) return false;
  return c.rndnu16 == xnnpack::rndnu16::apply(c.acc, xnnpack::rndnu16::derive(c.scale).value);
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

struct two_roundings {
  std::int32_t acc;
  multiplier32 m;
  std::int64_t y;
};
constexpr two_roundings gemmlowp_cases[] = {
    {1, {h, 32}, 1},  {-1, {h, 32}, 0},          {-2, {h, 32}, -1},  {1, {h, 31}, 1},
    {-1, {h, 31}, 0}, {max, {max - 127, 62}, 1}, {min, {h, 62}, -1},
};
constexpr auto gemmlowp_holds = [](const two_roundings& c) { return xnnpack::gemmlowp::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(gemmlowp_cases, gemmlowp_holds) == -1);

// ---- what is valid, and derivations ---------------------------------------------------------------------------------

struct scale_case {
  binary32 scale;
  dyadic::status status;
};
constexpr scale_case scale_cases[] = {
    {0x1p-32f, status::ok},
    {1.0f, status::ok},
    {0x1.fffffep7f, status::ok},
    {256.0f, status::scale_too_large},
    {0x1.fffffep-33f, status::scale_too_small},
    {least, status::scale_too_small},
    {0.0f, status::scale_zero},
    {-0.0f, status::scale_zero},
    {-1.0f, status::scale_negative},
    {infinity, status::scale_not_finite},
    {negate(infinity), status::scale_not_finite},
    {nan, status::scale_not_finite},
};
/// All derivations give the one status; a failed one gives zero.
constexpr auto scale_holds = [](const scale_case& c) {
  const bool good = c.status == status::ok;
  const auto bits = xnnpack::rndnu::derive(c.scale);
  const auto q15 = xnnpack::rndnu16::derive(c.scale);
  return xnnpack::check_scale(c.scale) == c.status && xnnpack::fp32::derive(c.scale).status == c.status &&
         xnnpack::fp32::derive(c.scale).value.bits == c.scale.bits && xnnpack::fp32::valid(c.scale) == good &&
         bits.status == c.status && q15.status == c.status &&
         xnnpack::gemmlowp::derive(c.scale).status ==
             (good && !less(c.scale, binary32{1.0f}) ? status::scale_too_large : c.status) &&
         (good ? xnnpack::rndnu::valid(bits.value) && xnnpack::rndnu_neon::valid(bits.value) && xnnpack::rndnu16::valid(q15.value)
               : bits.value == multiplier32{0, 24} && q15.value == multiplier16{0, 15});
};
static_assert(first_wrong(scale_cases, scale_holds) == -1);

constexpr derived<binary32, multiplier32> derived24[] = {
    {1.0f, {one, 23}, status::ok},
    {0x1.fffffep7f, {2 * one - 1, 16}, status::ok},
    {0x1p-32f, {one, 55}, status::ok},
    {0.75f, {one / 2 * 3, 24}, status::ok},
};
static_assert(first_wrong(derived24, derives<&xnnpack::rndnu::derive>) == -1);

constexpr derived<binary32, multiplier16> derived16[] = {
    {1.0f, {16384, 14}, status::ok},         {0x1.0002p0f, {16385, 14}, status::ok},  // ties up
    {0x1.0006p0f, {16386, 14}, status::ok},  {0x1.0001fep0f, {16384, 14}, status::ok},
    {0x1.fffep0f, {16384, 13}, status::ok},  // 2^15 is halved
    {0x1.fffcp0f, {32767, 14}, status::ok},  {0x1p-32f, {16384, 46}, status::ok},
    {0x1.fffffep7f, {16384, 6}, status::ok},
};
static_assert(first_wrong(derived16, derives<&xnnpack::rndnu16::derive>) == -1);

constexpr derived<binary32, multiplier32> derived_gemmlowp[] = {
    {0x1.fffffep-1f, {max - 127, 31}, status::ok}, {0.5f, {h, 31}, status::ok},         {0x1p-32f, {h, 62}, status::ok},
    {1.0f, {h, 30}, status::scale_too_large},      {0.0f, {0, 31}, status::scale_zero}, {nan, {0, 31}, status::scale_not_finite},
};
static_assert(first_wrong(derived_gemmlowp, derives<&xnnpack::gemmlowp::derive>) == -1);

constexpr validity<xnnpack::rndnu> validities24[] = {
    {{0, 16}, true}, {{2 * one - 1, 55}, true}, {{2 * one, 30}, false}, {{-1, 30}, false}, {{one, 15}, false}, {{one, 56}, false},
};
static_assert(first_wrong(validities24, multiplier_valid<xnnpack::rndnu>) == -1);
constexpr validity<xnnpack::rndnu16> validities16[] = {
    {{0, 6}, true}, {{32767, 46}, true}, {{-1, 15}, false}, {{1, 5}, false}, {{1, 47}, false},
};
static_assert(first_wrong(validities16, multiplier_valid<xnnpack::rndnu16>) == -1);
constexpr validity<xnnpack::gemmlowp> validities_gemmlowp[] = {
    {{0, 31}, true}, {{max, 62}, true}, {{-1, 31}, false}, {{h, 30}, false}, {{h, 63}, false},
};
static_assert(first_wrong(validities_gemmlowp, multiplier_valid<xnnpack::gemmlowp>) == -1);

/// The result fits int32: at scale 256 less a little, up to 2^23.
constexpr data_validity<xnnpack::rndnu> data24[] = {
    {8388608, {2 * one - 1, 16}, true},
    {8388609, {2 * one - 1, 16}, false},
    {-8388608, {2 * one - 1, 16}, true},
    {-8388609, {2 * one - 1, 16}, false},
    {max, {one, 23}, true},
    {min, {one, 23}, true},
    {0, {one, 15}, false},
};
static_assert(first_wrong(data24, data_valid<xnnpack::rndnu>) == -1);

// ---- outputs --------------------------------------------------------------------------------------------------------

constexpr output_case<xnnpack::fp32> outputs32[] = {
    {1, 0.5f, range_of<std::int8_t>(1), 1},  // the zero point comes after the rounding
    {3, 0.5f, range_of<std::int8_t>(-1), 1},
    {1000, 0.5f, range_of<std::int8_t>(-128), 127},
    {-1000, 0.5f, range_of<std::int8_t>(100), -128},
    {max, 0x1.fffffep7f, range_of<std::uint8_t>(255), 255},
    {min, 0x1.fffffep7f, range_of<std::uint8_t>(255), 0},
    {-1, 1.0f, {10, 10, 20}, 10},
    {100, 1.0f, {10, 10, 20}, 20},
};
static_assert(first_wrong(outputs32, requantizes<xnnpack::fp32>) == -1);
constexpr output_case<xnnpack::rndnu> outputs24[] = {
    {8388608, {2 * one - 1, 16}, range_of<std::int8_t>(), 127},
    {8388609, {2 * one - 1, 16}, range_of<std::int8_t>(), -128},  // wrapped before the clamp
};
static_assert(first_wrong(outputs24, requantizes<xnnpack::rndnu>) == -1);
static_assert(requantize<xnnpack::rndnu_neon>(8388609, {2 * one - 1, 16}, range_of<std::int8_t>()) == 127);
static_assert(requantize<xnnpack::rndnu16>(max, {16384, 6}, range_of<std::uint8_t>(255)) == 255);
static_assert(requantize<xnnpack::rndnu16>(min, {16384, 6}, range_of<std::uint8_t>(255)) == 0);

// ---- conversion and addition ----------------------------------------------------------------------------------------

struct ratio_case {
  binary32 input, output;
  std::int32_t mantissa;
  dyadic::status status;
};
constexpr ratio_case ratio_cases[] = {
    {1.0f, 1.0f, 256, status::ok},
    {0x1p-8f, 1.0f, 1, status::ok},
    {0x1.8p-8f, 1.0f, 2, status::ok},  // ties to even
    {0x1.4p-7f, 1.0f, 2, status::ok},
    {128.0f, 1.0f, 32768, status::ok},
    {0x1.000002p7f, 1.0f, 32768, status::scale_too_large},
    {0x1.fffffep-9f, 1.0f, 1, status::scale_too_small},
    {0.0f, 1.0f, 0, status::scale_too_small},
    {0x1p100f, 1.0f, max, status::scale_too_large},
    {-1.0f, 1.0f, -256, status::scale_negative},
    {1.0f, 0.0f, 0, status::scale_not_finite},
    {0.0f, 0.0f, 0, status::scale_not_finite},
    {nan, 1.0f, 0, status::scale_not_finite},
};
constexpr auto ratio_holds = [](const ratio_case& c) {
  const auto r = xnnpack::convert::derive(c.input, 3, c.output, -4);
  return r.value.ratio == multiplier32{c.mantissa, 8} && r.value.input_zero_point == 3 && r.value.output_zero_point == -4 &&
         r.status == c.status;
};
static_assert(first_wrong(ratio_cases, ratio_holds) == -1);

struct convert_case {
  xnnpack::convert parameters;
  std::int8_t x, y;
};
constexpr convert_case convert_cases[] = {
    {{{128, 8}, 0, 0}, 1, 1},           {{{128, 8}, 0, 0}, -1, 0},          {{{128, 8}, 0, 0}, -3, -1},  // ties up
    {{{256, 8}, -128, -128}, 127, 127}, {{{256, 8}, 127, -128}, 127, -128}, {{{32768, 8}, 0, 0}, 1, 127},
    {{{32768, 8}, 0, 0}, -1, -128},     {{{1, 8}, -128, 0}, 127, 1},        {{{1, 8}, -128, 0}, -1, 0},
    {{{256, 8}, 0, 10}, 5, 15},
};
constexpr auto convert_holds = [](const convert_case& c) { return c.parameters(c.x) == c.y; };
static_assert(first_wrong(convert_cases, convert_holds) == -1);

struct addends_case {
  binary32 a, b, output;
  std::int32_t a_mantissa, b_mantissa, right_shift;
  dyadic::status status;
};
constexpr addends_case addends_cases[] = {
    {1.0f, 1.0f, 1.0f, 1 << 20, 1 << 20, 20, status::ok},
    {1.0f, 0.25f, 2.0f, 1 << 20, 1 << 18, 21, status::ok},
    {0.25f, 1.0f, 2.0f, 1 << 18, 1 << 20, 21, status::ok},
    {0x1.fffffep0f, 1.0f, 1.0f, 1 << 21, 1 << 20, 20, status::ok},  // the mantissa rounds up
    {1.0f, 0x1.8p-20f, 1.0f, 1 << 20, 2, 20, status::ok},           // ties to even
    {1.0f, 0x1.4p-19f, 1.0f, 1 << 20, 2, 20, status::ok},
    {1.0f, 0.0f, 1.0f, 1 << 20, 0, 20, status::ok},
    {0x1p-10f, 0x1p-10f, 1.0f, 1 << 20, 1 << 20, 30, status::ok},
    {0x1p8f, 1.0f, 1.0f, 1 << 20, 1 << 12, 12, status::ok},
    {0x1p9f, 1.0f, 1.0f, 0, 0, 11, status::scale_too_large},
    {0x1.fffffep-11f, 0.0f, 1.0f, 0, 0, 31, status::scale_too_small},
    {0.0f, 0.0f, 1.0f, 0, 0, 0, status::scale_zero},
    {1.0f, -1.0f, 1.0f, 0, 0, 0, status::scale_negative},
    {1.0f, 1.0f, 0.0f, 0, 0, 0, status::scale_not_finite},
    {1.0f, nan, 1.0f, 0, 0, 0, status::scale_not_finite},
};
constexpr auto addends_hold = [](const addends_case& c) {
  const auto r = xnnpack::add::derive(c.a, 0, c.b, 0, c.output, range_of<std::int8_t>());
  return r.value.a_mantissa == c.a_mantissa && r.value.b_mantissa == c.b_mantissa && r.value.right_shift == c.right_shift &&
         r.status == c.status;
};
static_assert(first_wrong(addends_cases, addends_hold) == -1);

struct add_case {
  xnnpack::add parameters;
  std::int8_t a, b, y;
};
constexpr std::int32_t half = 1 << 20;  // 2^20 / 2^21
constexpr add_case add_cases[] = {
    {{half, half, 21, 0, 0, range_of<std::int8_t>()}, 1, 0, 1},  // ties up
    {{half, half, 21, 0, 0, range_of<std::int8_t>()}, -1, 0, 0},
    {{half, half, 21, 0, 0, range_of<std::int8_t>()}, -1, -2, -1},
    {{half, half, 20, 0, 0, range_of<std::int8_t>()}, 127, 127, 127},
    {{half, half, 20, 0, 0, range_of<std::int8_t>()}, -128, -128, -128},
    {{half, half, 20, -128, 127, range_of<std::int8_t>(-3)}, -128, 127, -3},
    {{2 * half, 2 * half, 20, -128, -128, range_of<std::int8_t>(-128)}, 127, 127, 127},
    {{half, half, 20, 0, 0, {2, 2, 6}}, -5, 0, 2},
    {{half, half, 20, 0, 0, {2, 2, 6}}, 5, 0, 6},
};
constexpr auto add_holds = [](const add_case& c) { return c.parameters(c.a, c.b) == c.y; };
static_assert(first_wrong(add_cases, add_holds) == -1);

}  // namespace

TEST_CASE("XNNPACK's rules differ on ties and beside them as published") {
  CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1);
  CHECK(first_wrong(at_run_time(gemmlowp_cases), gemmlowp_holds) == -1);
}

TEST_CASE("XNNPACK's multipliers are the bits of the scale, and scales it would assert on get a status") {
  CHECK(first_wrong(at_run_time(scale_cases), scale_holds) == -1);
  CHECK(first_wrong(at_run_time(derived24), derives<&xnnpack::rndnu::derive>) == -1);
  CHECK(first_wrong(at_run_time(derived16), derives<&xnnpack::rndnu16::derive>) == -1);
  CHECK(first_wrong(at_run_time(derived_gemmlowp), derives<&xnnpack::gemmlowp::derive>) == -1);
}

TEST_CASE("XNNPACK's rules accept multipliers and data up to their ends") {
  CHECK(first_wrong(at_run_time(validities24), multiplier_valid<xnnpack::rndnu>) == -1);
  CHECK(first_wrong(at_run_time(validities16), multiplier_valid<xnnpack::rndnu16>) == -1);
  CHECK(first_wrong(at_run_time(validities_gemmlowp), multiplier_valid<xnnpack::gemmlowp>) == -1);
  CHECK(first_wrong(at_run_time(data24), data_valid<xnnpack::rndnu>) == -1);
}

TEST_CASE("an XNNPACK output is clamped at both rails after the zero point") {
  CHECK(first_wrong(at_run_time(outputs32), requantizes<xnnpack::fp32>) == -1);
  CHECK(first_wrong(at_run_time(outputs24), requantizes<xnnpack::rndnu>) == -1);
}

TEST_CASE("XNNPACK converts between int8 scales with ties up") {
  CHECK(first_wrong(at_run_time(ratio_cases), ratio_holds) == -1);
  CHECK(first_wrong(at_run_time(convert_cases), convert_holds) == -1);
}

TEST_CASE("XNNPACK adds in 21 bits with ties up") {
  CHECK(first_wrong(at_run_time(addends_cases), addends_hold) == -1);
  CHECK(first_wrong(at_run_time(add_cases), add_holds) == -1);
}

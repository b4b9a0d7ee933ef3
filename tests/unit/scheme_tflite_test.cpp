#include <dyadic/scheme/tflite.hpp>

#include <cstdint>
#include <limits>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

// ---- the five rules -------------------------------------------------------------------------------------------------

struct rule_case {
  std::int32_t acc;
  q::tflite::pair m;
  std::int64_t twice, neon_twice, once, neon_once, avx2;
};
constexpr rule_case rule_cases[] = {
    {0, {max, 30 - 1}, 0, 0, 0, 0, 0},
    // One rounding only: +-0.5, +-1.5.
    {1, {h, 0}, 1, 1, 1, 1, 0},
    {-1, {h, 0}, 0, 0, 0, 0, -1},
    {3, {h, 0}, 2, 2, 2, 2, 1},
    {-3, {h, 0}, -1, -1, -1, -1, -2},
    // +-0.25, +-0.5, -0.75, a little less than -0.25, +-1.5.
    {1, {h, -1}, 1, 1, 0, 0, 0},
    {-1, {h, -1}, 0, 0, 0, 0, 0},
    {2, {h, -1}, 1, 1, 1, 1, 1},
    {-2, {h, -1}, -1, 0, 0, 0, 0},
    {-3, {h, -1}, -1, 0, -1, -1, -1},
    {-1, {h + 1, -1}, -1, 0, 0, 0, 0},
    {6, {h, -1}, 2, 2, 2, 2, 2},
    {-6, {h, -1}, -2, -1, -1, -1, -1},
    {1000, {max, -4}, 63, 63, 62, 62, 62},
    {1, {5 * (h / 4), 1}, 1, 1, 1, 1, 1},
    // The largest shift. The AVX2 helper saturates where the value is one half.
    {h, {max, -31}, 1, 1, 0, 0, 0},
    {h + 1, {max, -31}, 1, 1, 1, 1, max},
    {max, {h, -31}, 1, 1, 0, 0, 0},
    {min, {h, -31}, -1, 0, 0, 0, 0},
    {min, {max, -31}, -1, -1, -1, -1, -1},
    // The ends, and a pre-shift that leaves int32. On NEON with one rounding it leaves int32 one bit earlier.
    {max, {max, 0}, max - 1, max - 1, max - 1, -1, max - 1},
    {min, {max, 0}, -max, -max, -max, 0, -max},
    {h, {h, 0}, h / 2, h / 2, h / 2, -h / 2, h / 2},
    {1 << 23, {h, 7}, h / 2, h / 2, h / 2, -h / 2, h / 2},
    {2, {h, 29}, h / 2, h / 2, h / 2, -h / 2, h / 2},
    {1, {h, 29}, h / 4, h / 4, h / 4, h / 4, h / 4},
    {h, {max, 1}, -max, -max, max, 0, -max},
};
constexpr auto rule_holds = [](const rule_case& c) {
  const q::multiplier32 m = q::tflite::from_pair(c.m);
  return q::tflite::double_rounding::apply(c.acc, m) == c.twice &&
         q::tflite::neon_double_rounding::apply(c.acc, m) == c.neon_twice &&
         q::tflite::single_rounding::apply(c.acc, m) == c.once &&
         q::tflite::neon_single_rounding::apply(c.acc, m) == c.neon_once && q::tflite::avx2::apply(c.acc, m) == c.avx2;
};
static_assert(first_wrong(rule_cases, rule_holds) == -1);

/// Cases of shift 30, which the single rounding on NEON does not accept. A single rounding wraps a result that leaves int32.
struct left_case {
  std::int32_t acc;
  q::tflite::pair m;
  std::int64_t twice, once, avx2;
};
constexpr left_case left_cases[] = {
    {1, {h, 30}, h / 2, h / 2, h / 2},
    {-2, {max, 30}, -max, -max, -max},
    {1, {max, 30}, h, h, h - 1},  // a tie
    {3, {max, 30}, 1 - h, -h - 1, -h},
};
constexpr auto left_holds = [](const left_case& c) {
  const q::multiplier32 m = q::tflite::from_pair(c.m);
  return q::tflite::double_rounding::apply(c.acc, m) == c.twice && q::tflite::neon_double_rounding::apply(c.acc, m) == c.twice &&
         q::tflite::single_rounding::apply(c.acc, m) == c.once && q::tflite::avx2::apply(c.acc, m) == c.avx2;
};
static_assert(first_wrong(left_cases, left_holds) == -1);

/// Cases of a negative multiplier, which only the double-rounding schemes accept. The sign of the product decides ties.
struct negative_case {
  std::int32_t acc;
  q::tflite::pair m;
  std::int64_t twice, neon_twice, avx2;
};
constexpr negative_case negative_cases[] = {
    {1, {-h, 0}, 0, 0, -1},         {-1, {-h, 0}, 1, 1, 0},     {1, {-h, -1}, 0, 0, 0},
    {2, {-h, -1}, -1, 0, 0},        {-2, {-h, -1}, 1, 1, 1},    {1, {min, 0}, -1, -1, -1},
    {min, {min, 0}, max, max, min}, {min, {min, -1}, h, h, -h}, {h, {min, 1}, max, max, min},
};
constexpr auto negative_holds = [](const negative_case& c) {
  const q::multiplier32 m = q::tflite::from_pair(c.m);
  return q::tflite::double_rounding::apply(c.acc, m) == c.twice &&
         q::tflite::neon_double_rounding::apply(c.acc, m) == c.neon_twice && q::tflite::avx2::apply(c.acc, m) == c.avx2;
};
static_assert(first_wrong(negative_cases, negative_holds) == -1);

// ---- what is valid --------------------------------------------------------------------------------------------------

constexpr validity<q::tflite::double_rounding> double_validities[] = {
    {{h, 1}, true},    {{h, 62}, true}, {{h, 0}, false},   {{h, 63}, false},
    {{min, 31}, true}, {{0, 31}, true}, {{h, min}, false}, {{h, max}, false},
};
constexpr auto double_family_valid = [](const validity<q::tflite::double_rounding>& c) {
  return q::tflite::double_rounding::valid(c.m) == c.valid && q::tflite::neon_double_rounding::valid(c.m) == c.valid &&
         q::tflite::avx2::valid(c.m) == c.valid;
};
static_assert(first_wrong(double_validities, double_family_valid) == -1);

constexpr data_validity<q::tflite::double_rounding> double_data[] = {
    {min, {h, 31}, true}, {max, {h, 31}, true},     {min, {h, 62}, true}, {h - 1, {h, 30}, true}, {h, {h, 30}, false},
    {-h, {h, 30}, true},  {-h - 1, {h, 30}, false}, {1, {h, 1}, true},    {2, {h, 1}, false},     {-2, {h, 1}, true},
    {-3, {h, 1}, false},  {0, {h, 0}, false},       {0, {h, 63}, false},
};
static_assert(first_wrong(double_data, data_valid<q::tflite::double_rounding>) == -1);

constexpr validity<q::tflite::single_rounding> single_validities[] = {
    {{h, 1}, true},  {{h, 62}, true},   {{h, 0}, false},   {{h, 63}, false},
    {{0, 31}, true}, {{max, 31}, true}, {{-1, 31}, false}, {{min, 31}, false},
};
static_assert(first_wrong(single_validities, multiplier_valid<q::tflite::single_rounding>) == -1);

constexpr data_validity<q::tflite::single_rounding> single_data[] = {
    {max, {max, 31}, true}, {min, {max, 31}, true}, {2, {max, 1}, true},       {3, {max, 1}, false}, {-2, {max, 1}, true},
    {-3, {max, 1}, false},  {h, {max, 30}, true},   {h + 1, {max, 30}, false}, {0, {h, 0}, false},   {0, {-1, 31}, false},
};
static_assert(first_wrong(single_data, data_valid<q::tflite::single_rounding>) == -1);

constexpr validity<q::tflite::neon_single_rounding> neon_single_validities[] = {
    {{h, 2}, true}, {{h, 1}, false}, {{h, 62}, true}, {{h, 63}, false}, {{0, 31}, true}, {{-1, 31}, false},
};
static_assert(first_wrong(neon_single_validities, multiplier_valid<q::tflite::neon_single_rounding>) == -1);

constexpr data_validity<q::tflite::neon_single_rounding> neon_single_data[] = {
    {h - 1, {h, 31}, true}, {h, {h, 31}, false},  {-h, {h, 31}, true}, {-h - 1, {h, 31}, false},
    {max, {h, 32}, true},   {min, {h, 32}, true}, {1, {h, 2}, true},   {2, {h, 2}, false},
    {-2, {h, 2}, true},     {-3, {h, 2}, false},  {0, {h, 1}, false},
};
static_assert(first_wrong(neon_single_data, data_valid<q::tflite::neon_single_rounding>) == -1);

// ---- derivations ----------------------------------------------------------------------------------------------------

using derived32 = derived<q::binary64, q::multiplier32>;

/// Cases in which the default and the float-emulating derivation agree.
constexpr derived32 double_derived[] = {
    {0.0, {0, 31}, q::status::ok},
    {-0.0, {0, 31}, q::status::ok},
    {1.0, {h, 30}, q::status::ok},
    {0.25, {h, 32}, q::status::ok},
    {-0.75, {-h / 2 * 3, 31}, q::status::ok},
    {-1.0, {-h, 30}, q::status::ok},
    // Tiny scales: a scale below 2^-32 after rounding becomes zero without an error.
    {0x1p-32, {h, 62}, q::status::ok},
    {0x1.fffffffffffffp-33, {h, 62}, q::status::ok},
    {0x1.8p-33, {0, 31}, q::status::ok},
    {-0x1.8p-33, {0, 31}, q::status::ok},
    {least, {0, 31}, q::status::ok},
    // Huge scales still have TFLite's multiplier.
    {0x1.fffffffcp29, {max, 1}, q::status::ok},
    {0x1p30, {h, 0}, q::status::scale_too_large},
    {largest, {h, -994}, q::status::scale_too_large},
    {infinite, {0, 31}, q::status::scale_not_finite},
    {q::negate(infinite), {0, 31}, q::status::scale_not_finite},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(double_derived, derives<&q::tflite::double_rounding::derive>) == -1);
static_assert(first_wrong(double_derived, derives<&q::tflite::derive_emulate_float>) == -1);

constexpr derived32 away_derived[] = {
    {0x1.00000002p-1, {h + 1, 31}, q::status::ok},   {0x1.00000006p-1, {h + 2, 31}, q::status::ok},
    {-0x1.00000002p-1, {-h - 1, 31}, q::status::ok}, {0x1.fffffffep-1, {h, 30}, q::status::ok},
    {-0x1.fffffffep-1, {min, 31}, q::status::ok},
};
static_assert(first_wrong(away_derived, derives<&q::tflite::double_rounding::derive>) == -1);
static_assert(first_wrong(away_derived, derives<&q::tflite::neon_double_rounding::derive>) == -1);

constexpr derived32 to_zero_derived[] = {
    {0x1.00000002p-1, {h, 31}, q::status::ok},
    {0x1.00000006p-1, {h + 1, 31}, q::status::ok},
    {-0x1.00000002p-1, {-h, 31}, q::status::ok},
    {0x1.fffffffep-1, {max, 31}, q::status::ok},
};
static_assert(first_wrong(to_zero_derived, derives<&q::tflite::derive_emulate_float>) == -1);

constexpr derived32 single_derived[] = {
    {0.0, {0, 31}, q::status::ok},
    {-0.0, {0, 31}, q::status::ok},
    {1.0, {h, 30}, q::status::ok},
    {0x1.00000002p-1, {h + 1, 31}, q::status::ok},
    {0x1.fffffffep-1, {h, 30}, q::status::ok},
    {0x1p-32, {h, 62}, q::status::ok},
    {0x1.8p-33, {0, 31}, q::status::ok},
    {0x1.fffffffcp29, {max, 1}, q::status::ok},
    {0x1p30, {max, 1}, q::status::ok},
    {largest, {max, 1}, q::status::ok},
    {-0.75, {-h / 2 * 3, 31}, q::status::scale_negative},
    {-0x1p-20, {-h, 50}, q::status::scale_negative},
    {-0x1.8p-33, {0, 31}, q::status::ok},  // already flushed to zero
    {-0x1p30, {max, 1}, q::status::scale_negative},
    {q::negate(largest), {max, 1}, q::status::scale_negative},
    {infinite, {0, 31}, q::status::scale_not_finite},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(single_derived, derives<&q::tflite::single_rounding::derive>) == -1);

constexpr derived32 neon_single_derived[] = {
    {1.0, {h, 30}, q::status::ok},
    {0.0, {0, 31}, q::status::ok},
    {0x1p-32, {h, 62}, q::status::ok},
    {0x1.fffffffcp28, {max, 2}, q::status::ok},
    {0x1p29, {h, 1}, q::status::scale_too_large},
    {0x1p30, {max, 1}, q::status::scale_too_large},
    {-0.5, {-h, 31}, q::status::scale_negative},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(neon_single_derived, derives<&q::tflite::neon_single_rounding::derive>) == -1);

// ---- pairs, and multipliers of 15 bits --------------------------------------------------------------------------------

struct pair_case {
  q::tflite::pair p;
  q::multiplier32 m;
};
constexpr pair_case pair_cases[] = {
    {{h, 0}, {h, 31}},     {{h, -31}, {h, 62}},   {{max, -31}, {max, 62}}, {{max, 30}, {max, 1}},
    {{min, 30}, {min, 1}}, {{min, 7}, {min, 24}}, {{0, 0}, {0, 31}},       {{1518500250, -8}, {1518500250, 39}}};
constexpr auto pair_holds = [](const pair_case& c) {
  const q::tflite::pair back = q::tflite::to_pair(c.m);
  return q::tflite::from_pair(c.p) == c.m && q::tflite::from_pair(c.p.multiplier, c.p.shift) == c.m &&
         back.multiplier == c.p.multiplier && back.shift == c.p.shift;
};
static_assert(first_wrong(pair_cases, pair_holds) == -1);

/// Checks arrays of pairs, of 32 or 64 bits. A single bad element prevents all writes.
template <class Element>
constexpr bool arrays_hold() {
  const Element multipliers[] = {h, min, 0}, shifts[] = {-31, 30, 0};
  q::multiplier32 to[3] = {};
  if (q::tflite::from_pairs(multipliers, shifts, to) != q::status::ok) return false;
  if (to[0] != q::multiplier32{h, 62} || to[1] != q::multiplier32{min, 1} || to[2] != q::multiplier32{0, 31}) return false;
  const Element ends[] = {-65536, 65536, 0}, absurd[] = {0, 0, 65537}, absurd_first[] = {-65537, 0, 0};
  if (q::tflite::from_pairs(multipliers, ends, to) != q::status::ok || to[0].right_shift != 31 + 65536) return false;
  q::multiplier32 kept[3] = {{7, 7}, {7, 7}, {7, 7}};
  const q::view<const Element> two{multipliers, 2}, null{nullptr, 3};
  bool refused = q::tflite::from_pairs(multipliers, absurd, kept) == q::status::multiplier_out_of_range;
  refused &= q::tflite::from_pairs(multipliers, absurd_first, kept) == q::status::multiplier_out_of_range;
  refused &= q::tflite::from_pairs(two, shifts, kept) == q::status::shape_mismatch;
  refused &= q::tflite::from_pairs(multipliers, two, kept) == q::status::shape_mismatch;
  refused &= q::tflite::from_pairs(null, shifts, kept) == q::status::null_data;
  refused &= q::tflite::from_pairs(multipliers, null, kept) == q::status::null_data;
  if constexpr (sizeof(Element) == 8) {
    const Element wide[] = {0, 0, max + 1LL}, wide_shifts[] = {0, 0, -(1LL << 32)},
                  least_shift[] = {0, 0, std::numeric_limits<Element>::min()};
    refused &= q::tflite::from_pairs(wide, shifts, kept) == q::status::multiplier_out_of_range;
    refused &= q::tflite::from_pairs(multipliers, wide_shifts, kept) == q::status::multiplier_out_of_range;
    refused &= q::tflite::from_pairs(multipliers, least_shift, kept) == q::status::multiplier_out_of_range;
  }
  for (const q::multiplier32 m : kept) refused &= m == q::multiplier32{7, 7};
  return refused;
}
static_assert(arrays_hold<std::int32_t>() && arrays_hold<std::int64_t>());

struct reduce_case {
  std::int32_t mantissa;
  std::int16_t reduced;
};
constexpr reduce_case reduce_cases[] = {
    {0, 0},
    {0x7FFF, 0},
    {0x8000, 1},
    {0x1'7FFF, 1},
    {0x1'8000, 2},
    {h, 0x4000},
    {h + 0x7FFF, 0x4000},
    {h + 0x8000, 0x4001},
    {0x7FFE'7FFF, 0x7FFE},
    {0x7FFE'8000, 0x7FFF},
    {0x7FFE'FFFF, 0x7FFF},
    {0x7FFF'0000, 0x7FFF},
    {0x7FFF'7FFF, 0x7FFF},
    {0x7FFF'8000, 0x7FFF},
    {max, 0x7FFF},
    {-0x8000, 0},
    {-0x8001, -1},
    {min, -32768},
};
constexpr auto reduce_holds = [](const reduce_case& c) {
  return q::tflite::reduce({c.mantissa, 40}) == q::multiplier16{c.reduced, 24};
};
static_assert(first_wrong(reduce_cases, reduce_holds) == -1);

struct wide_case {
  std::int64_t acc;
  q::multiplier16 m;
  std::int64_t y;
};
constexpr std::int64_t high = (std::int64_t{1} << 47) - 1;
constexpr wide_case wide_cases[] = {
    {1, {16384, 15}, 1},
    {-1, {16384, 15}, 0},
    {3, {16384, 15}, 2},
    {-3, {16384, 15}, -1},
    {1, {16384, 16}, 0},  // one rounding: 0.25 is 0
    {max, {16384, 15}, h},
    {high, {32767, 46}, 65534},  // 65534 - 2^-31..
    {-high - 1, {32767, 46}, -65534},
    {high, {1, 16}, min},  // 2^31 wraps
    {-high - 1, {1, 16}, min},
};
constexpr auto wide_holds = [](const wide_case& c) { return q::tflite::reduced_int64::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(wide_cases, wide_holds) == -1);

constexpr validity<q::tflite::reduced_int64> wide_validities[] = {
    {{1, 8}, true}, {{1, 46}, true}, {{1, 7}, false}, {{1, 47}, false}, {{0, 15}, true}, {{32767, 15}, true}, {{-1, 15}, false},
};
static_assert(first_wrong(wide_validities, multiplier_valid<q::tflite::reduced_int64>) == -1);
constexpr data_validity<q::tflite::reduced_int64> wide_data[] = {
    {high, {32767, 46}, true},       {high + 1, {32767, 46}, false}, {-high - 1, {32767, 46}, true},
    {-high - 2, {32767, 46}, false}, {high, {1, 16}, false},         {high - 0x8000, {1, 16}, true},
    {high - 0x7FFF, {1, 16}, false}, {-high - 1, {1, 16}, true},     {0, {1, 7}, false},
};
static_assert(first_wrong(wide_data, data_valid<q::tflite::reduced_int64>) == -1);

constexpr derived<q::binary64, q::multiplier16> wide_derived[] = {
    {0.0, {0, 15}, q::status::ok},
    {1.0, {16384, 14}, q::status::ok},
    {0x1.000ap-1, {16387, 15}, q::status::ok},      // half up
    {0x1.000dffffp-1, {16388, 15}, q::status::ok},  // its Q31 form is a tie
    {0x1.fffep-1, {32767, 15}, q::status::ok},      // saturates
    {0x1.fffffffep-1, {16384, 14}, q::status::ok},  // its Q31 form is 1
    {0x1p-32, {16384, 46}, q::status::ok},
    {0x1.8p-33, {0, 15}, q::status::ok},
    {0x1.8p6, {24576, 8}, q::status::ok},
    {0x1p7, {16384, 7}, q::status::scale_too_large},
    {-0.5, {-16384, 15}, q::status::scale_negative},
    {quiet_nan, {0, 15}, q::status::scale_not_finite},
    {infinite, {0, 15}, q::status::scale_not_finite},
};
static_assert(first_wrong(wide_derived, derives<&q::tflite::reduced_int64::derive>) == -1);

// ---- the real scale -------------------------------------------------------------------------------------------------

struct real_case {
  std::int64_t acc;
  q::binary64 scale;
  std::int64_t y;
};
constexpr std::int64_t limit = std::int64_t{1} << 62;
constexpr real_case real_cases[] = {
    {1, 0.5, 1},
    {-1, 0.5, -1},
    {3, 0.5, 2},
    {-3, 0.5, -2},
    {1, 0x1.fffffffffffffp-2, 0},
    {3, 0x1.5555555555555p-3, 1},  // the product rounds up to one half
    {-2, -0.25, 1},
    {max, 1.0, max},
    {min, 1.0, min},
    {(1LL << 53) + 1, 1.0, 1LL << 53},  // the conversion of the accumulator rounds
    {std::numeric_limits<std::int64_t>::max(), 1.0, limit},
    {std::numeric_limits<std::int64_t>::min(), 1.0, -limit},
    {-1, largest, -limit},
    {1, least, 0},
    {0, largest, 0},
};
constexpr auto real_holds = [](const real_case& c) {
  if (q::tflite::double_scale<std::int64_t>::apply(c.acc, c.scale) != c.y) return false;
  return !q::fits<std::int32_t>(c.acc) ||
         q::tflite::double_scale<std::int32_t>::apply(static_cast<std::int32_t>(c.acc), c.scale) == c.y;
};
static_assert(first_wrong(real_cases, real_holds) == -1);

struct real_status {
  q::binary64 scale;
  q::status status;
};
constexpr real_status real_statuses[] = {
    {0.5, q::status::ok},
    {0.0, q::status::ok},
    {-0.5, q::status::ok},
    {largest, q::status::ok},
    {infinite, q::status::scale_not_finite},
    {quiet_nan, q::status::scale_not_finite},
};
constexpr auto real_status_holds = [](const real_status& c) {
  const auto r = q::tflite::double_scale<std::int64_t>::derive(c.scale);
  return r.value.bits == c.scale.bits && r.status == c.status &&
         q::tflite::double_scale<std::int64_t>::valid(c.scale) == (c.status == q::status::ok);
};
static_assert(first_wrong(real_statuses, real_status_holds) == -1);

// ---- zero point and clamp -------------------------------------------------------------------------------------------

constexpr output_case<q::tflite::double_rounding> outputs[] = {
    {1, {h, 31}, {}, 1},
    {1, {h, 31}, q::range_of<std::int8_t>(-128), -127},
    {-1, {h, 31}, q::range_of<std::int8_t>(5), 5},
    {510, {h, 31}, q::range_of<std::int8_t>(-128), 127},
    {512, {h, 31}, q::range_of<std::int8_t>(-128), 127},
    {-2, {h, 31}, q::range_of<std::int8_t>(-128), -128},
    {-10, {h, 31}, {3, 3, 127}, 3},
    {300, {h, 31}, {3, -10, 6}, 6},
    {max, {max, 31}, q::range_of<std::int32_t>(max), max},
    {min, {max, 31}, q::range_of<std::int32_t>(min), min},
};
static_assert(first_wrong(outputs, requantizes<q::tflite::double_rounding>) == -1);

}  // namespace

TEST_CASE("each rule of TFLite rounds ties as its own code does") {
  CHECK(first_wrong(at_run_time(rule_cases), rule_holds) == -1);
  CHECK(first_wrong(at_run_time(left_cases), left_holds) == -1);
  CHECK(first_wrong(at_run_time(negative_cases), negative_holds) == -1);
}

TEST_CASE("TFLite's rules accept multipliers and data up to their ends") {
  CHECK(first_wrong(at_run_time(double_validities), double_family_valid) == -1);
  CHECK(first_wrong(at_run_time(double_data), data_valid<q::tflite::double_rounding>) == -1);
  CHECK(first_wrong(at_run_time(single_validities), multiplier_valid<q::tflite::single_rounding>) == -1);
  CHECK(first_wrong(at_run_time(single_data), data_valid<q::tflite::single_rounding>) == -1);
  CHECK(first_wrong(at_run_time(neon_single_validities), multiplier_valid<q::tflite::neon_single_rounding>) == -1);
  CHECK(first_wrong(at_run_time(neon_single_data), data_valid<q::tflite::neon_single_rounding>) == -1);
  CHECK(first_wrong(at_run_time(wide_validities), multiplier_valid<q::tflite::reduced_int64>) == -1);
  CHECK(first_wrong(at_run_time(wide_data), data_valid<q::tflite::reduced_int64>) == -1);
}

TEST_CASE("TFLite derives zero from tiny scales, and each bad scale has a status") {
  CHECK(first_wrong(at_run_time(double_derived), derives<&q::tflite::double_rounding::derive>) == -1);
  CHECK(first_wrong(at_run_time(double_derived), derives<&q::tflite::derive_emulate_float>) == -1);
  CHECK(first_wrong(at_run_time(away_derived), derives<&q::tflite::double_rounding::derive>) == -1);
  CHECK(first_wrong(at_run_time(to_zero_derived), derives<&q::tflite::derive_emulate_float>) == -1);
  CHECK(first_wrong(at_run_time(single_derived), derives<&q::tflite::single_rounding::derive>) == -1);
  CHECK(first_wrong(at_run_time(neon_single_derived), derives<&q::tflite::neon_single_rounding::derive>) == -1);
  CHECK(first_wrong(at_run_time(wide_derived), derives<&q::tflite::reduced_int64::derive>) == -1);
}

TEST_CASE("a TFLite pair converts to a multiplier and back, also with fifteen bits") {
  CHECK(first_wrong(at_run_time(pair_cases), pair_holds) == -1);
  CHECK(arrays_hold<std::int32_t>());
  CHECK(arrays_hold<std::int64_t>());
  CHECK(first_wrong(at_run_time(reduce_cases), reduce_holds) == -1);
  CHECK(first_wrong(at_run_time(wide_cases), wide_holds) == -1);
}

TEST_CASE("arrays of pairs that overlap the multipliers are refused") {
  q::multiplier32 to[2] = {{h, 7}, {h, 7}};
  const std::int32_t apart[] = {1};
  const q::view<q::multiplier32> second(&to[1], 1);
  CHECK(q::tflite::from_pairs(q::view<const std::int32_t>(&to[1].mantissa, 1), apart, second) == q::status::overlap);
  CHECK(q::tflite::from_pairs(apart, q::view<const std::int32_t>(&to[1].right_shift, 1), second) == q::status::overlap);
  CHECK(to[1] == q::multiplier32{h, 7});
  CHECK(q::tflite::from_pairs(q::view<const std::int32_t>(&to[0].mantissa, 1), apart, second) == q::status::ok);
  CHECK(to[1] == q::multiplier32{h, 30});
}

TEST_CASE("TFLite with a real scale sends ties away from zero") {
  CHECK(first_wrong(at_run_time(real_cases), real_holds) == -1);
  CHECK(first_wrong(at_run_time(real_statuses), real_status_holds) == -1);
}

TEST_CASE("a TFLite output is clamped at both rails after the zero point") {
  CHECK(first_wrong(at_run_time(outputs), requantizes<q::tflite::double_rounding>) == -1);
}

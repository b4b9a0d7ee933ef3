#include <dyadic/decomposed.hpp>

#include <dyadic/compare.hpp>
#include <dyadic/conv2d.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/exact.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;
using q::decomposed::clipped_to_int16;
using q::decomposed::clipped_to_int32;
using s = q::status;

namespace {

constexpr std::int64_t lowest64 = std::numeric_limits<std::int64_t>::min(), highest64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t two31 = std::int64_t{1} << 31, two32 = 2 * two31, two47 = std::int64_t{1} << 47;

// ---- the form that clips to int32, computed by hand

struct int32_case {
  std::int64_t acc;
  std::int32_t bias;
  q::binary64 accumulator_scale, output_scale;
  int y;
  bool defined;
};
constexpr int32_case int32_cases[] = {
    {10, 5, 0.5, 1.0, 8, true},     // 7.5: ties up
    {-10, -5, 0.5, 1.0, -7, true},  // -7.5
    {10, -10, 0.25, 1.0, 0, true},
    {100000, 0, 1.0, 2.0, 32767, true},
    {-100000, 0, 1.0, 2.0, -32768, true},
    {65536, -2, 1.0, 2.0, 32767, true},  // 32767 and -32768 exactly
    {-65537, 0, 1.0, 2.0, -32768, true},
    {5, 5, 0.0, 1.0, 0, true},
    // The bias brings the output back into range, and nothing was clipped before.
    {200000, -190000, 1.0, 1.0, 10000, true},
    {-200000, 190000, 1.0, 1.0, -10000, true},
    // Near the ends of int32, at scale 2^-17: 2^31 gives 16384.
    {two31 - 1, 0, 1.0, 0x1p17, 16384, true},
    {-two31, 0, 1.0, 0x1p17, -16384, true},
    {two31 - 1, -max, 1.0, 0x1p17, 0, true},
    // acc is clipped. The exact outputs are 16385, 16384, -16385 and -16384.
    {two31 + (1 << 17), 0, 1.0, 0x1p17, 16384, false},
    {two32, min, 1.0, 0x1p17, 0, false},
    {-two31 - (1 << 17), 0, 1.0, 0x1p17, -16384, false},
    {-two32, max, 1.0, 0x1p17, 0, false},
    // The sum is clipped. The exact outputs are 32767 and -32768.
    {two31 - 1, max, 1.0, 0x1p17, 16384, false},
    {-two31, min, 1.0, 0x1p17, -16384, false},
    {two31 - 1, 1, 1.0, 0x1p17, 16384, false},
    {-two31, -1, 1.0, 0x1p17, -16384, false},
    {two31, -1, 1.0, 0x1p17, 16384, false},
    {-two31 - 1, 1, 1.0, 0x1p17, -16384, false},
    {highest64, max, 1.0, 0x1p17, 16384, false},
    {lowest64, min, 1.0, 0x1p17, -16384, false},
    // -2^(right_shift - 1) <= 2 < 2^(right_shift - 1) fails for a right_shift of 2.
    {1, 1, 0x1p28, 1.0, 32767, false},
    {-1, -1, 0x1p28, 1.0, -32768, true},
};
constexpr auto int32_holds = [](const int32_case& c) {
  const auto rule = clipped_to_int32::derive(c.bias, c.accumulator_scale, c.output_scale);
  return rule.status == s::ok && rule.value.valid() && rule.value(c.acc) == c.y && rule.value.valid(c.acc) == c.defined;
};
static_assert(first_wrong(int32_cases, int32_holds) == -1);
static_assert(clipped_to_int32::derive(7, 0x1.00000002p-1, 1.0).value.multiplier == q::multiplier32{h, 31});  // ties to even
static_assert(clipped_to_int32::derive(7, 0x1.00000002p-1, 1.0).value.bias == 7);
static_assert(!clipped_to_int32{}.valid());

// ---- the form that clips to int16, computed by hand

struct int16_case {
  std::int64_t acc;
  std::int16_t bias;
  q::binary64 bias_scale, accumulator_scale, output_scale;
  int y;
  bool defined;
};
constexpr int16_case int16_cases[] = {
    // Bias and output have the same scale: y = clip(clip(acc / 4) + bias).
    {2, 0, 1.0, 0.25, 1.0, 1, true},  // ties up
    {-2, 0, 1.0, 0.25, 1.0, 0, true},
    {-6, 0, 1.0, 0.25, 1.0, -1, true},
    {1, 0, 1.0, 0.25, 1.0, 0, true},
    {40, -3, 1.0, 0.25, 1.0, 7, true},
    {4 * 32767, 0, 1.0, 0.25, 1.0, 32767, true},
    {4 * -32768, 0, 1.0, 0.25, 1.0, -32768, true},
    {4 * 32767, 32767, 1.0, 0.25, 1.0, 32767, true},
    {4 * -32768, -32768, 1.0, 0.25, 1.0, -32768, true},
    // The clip comes before the bias brings the output back. The exact outputs are 31867 and -31868.
    {4 * 32867, -1000, 1.0, 0.25, 1.0, 31767, true},
    {4 * -32868, 1000, 1.0, 0.25, 1.0, -31768, true},
    {4 * 65535, -32768, 1.0, 0.25, 1.0, -1, true},
    {4 * -65535, 32767, 1.0, 0.25, 1.0, -1, true},
    // Only the ratio of the scales counts.
    {40, -3, 0x1p-900, 0x1p-902, 0x1p-900, 7, true},
    {40, -3, 0x1p+1020, 0x1p+1018, 0x1p+1020, 7, true},
    // A coarser bias, a finer bias, and ties of the finer bias.
    {40, -3, 4.0, 0.25, 1.0, -2, true},
    {40, 32767, 4.0, 0.25, 1.0, 32767, true},
    {40, -12, 0.25, 0.25, 1.0, 7, true},
    {40, 2, 0.25, 0.25, 1.0, 11, true},
    {40, -2, 0.25, 0.25, 1.0, 10, true},
    {40, 32767, 0.25, 0.25, 1.0, 8202, true},  // 8201.75
    // The bias is so coarse that t is rounded to 64ths of it: 31 becomes 0, 32 becomes 64.
    {31, 0, 0x1p20, 1.0, 1.0, 0, true},
    {32, 0, 0x1p20, 1.0, 1.0, 64, true},
    // The bias is too fine to change the output, or has scale 0.
    {40, 32767, 0x1p-40, 0.25, 1.0, 10, true},
    {40, 32767, 0.0, 0.25, 1.0, 10, true},
    {40, 9, 1.0, 0.0, 1.0, 9, true},
    // Accumulators of 48 bits, and an int32 before the clip.
    {two47 - 1, 0, 1.0, 0x1p-32, 1.0, 32767, true},  // 2^15 is clipped
    {-two47, 0, 1.0, 0x1p-32, 1.0, -32768, true},
    {two31 - 1, -7, 1.0, 1.0, 1.0, 32760, true},
    {two31, -7, 1.0, 1.0, 1.0, 32760, false},
    {-two31, 8, 1.0, 1.0, 1.0, -32760, true},
    {-two31 - 1, 8, 1.0, 1.0, 1.0, -32760, false},
    {two47, 0, 1.0, 0x1p-40, 1.0, 128, false},
    // from_sum = 2^28 has a right_shift of 2: a sum of 2 is too wide for it.
    {0, 1, 0x1p42, 1.0, 1.0, 32767, false},
    {0, 0, 0x1p42, 1.0, 1.0, 0, true},
};
constexpr auto int16_holds = [](const int16_case& c) {
  const auto rule = clipped_to_int16::derive(c.bias, c.bias_scale, c.accumulator_scale, c.output_scale);
  return rule.status == s::ok && rule.value.valid() && rule.value(c.acc) == c.y && rule.value.valid(c.acc) == c.defined;
};
static_assert(first_wrong(int16_cases, int16_holds) == -1);
static_assert(clipped_to_int16::derive(7, 1.0, 0x1.000ap-1, 1.0).value.to_output == q::multiplier16{16386, 15});
static_assert(!clipped_to_int16{}.valid());
/// Numbers that no derivation gives, with which the sum saturates.
constexpr clipped_to_int16 steep{{1 << 14, 14}, {h, 2}, max, {h, 46}};
static_assert(steep.valid() && steep(32767) == 32767 && steep(-32768) == -32768 && !steep.valid(32767));

/// Checks -2^(right_shift - 1) <= t < 2^(right_shift - 1) for t = 2 and a right_shift of 2.
constexpr clipped_to_int16 short_shift{{1 << 14, 14}, {1, 2}, 0, {h, 46}};
static_assert(short_shift.valid(1) && !short_shift.valid(2) && short_shift.valid(-2) && !short_shift.valid(-3));

// ---- scales without a multiplier

struct scale_case {
  q::binary64 accumulator_scale, output_scale;
  s status;
};
constexpr scale_case scale_cases[] = {
    {1.0, 0.0, s::scale_zero},
    {1.0, -0.0, s::scale_zero},
    {0.0, 0.0, s::scale_zero},
    {1.0, -1.0, s::scale_negative},
    {-1.0, -1.0, s::scale_negative},
    {-1.0, 1.0, s::scale_negative},
    {quiet_nan, 1.0, s::scale_not_finite},
    {1.0, quiet_nan, s::scale_not_finite},
    {infinite, 1.0, s::scale_not_finite},
    {1.0, infinite, s::scale_not_finite},
    {largest, least, s::scale_not_finite},
    {0x1p29, 1.0, s::scale_too_large},
};
constexpr auto int32_scale_holds = [](const scale_case& c) {
  const auto rule = clipped_to_int32::derive(5, c.accumulator_scale, c.output_scale);
  return rule.status == c.status && rule.value.bias == 0 && rule.value.multiplier == q::multiplier32{};
};
constexpr auto int16_scale_holds = [](const scale_case& c) {
  const auto rule = clipped_to_int16::derive(5, 1.0, c.accumulator_scale, c.output_scale);
  return rule.status == c.status && rule.value.bias == 0 && rule.value.to_output == q::multiplier16{};
};
static_assert(first_wrong(scale_cases, int32_scale_holds) == -1);
static_assert(first_wrong(scale_cases, int16_scale_holds) == -1);
static_assert(clipped_to_int32::derive(5, 0x1p13, 1.0).status == s::ok);
static_assert(clipped_to_int16::derive(5, 1.0, 0x1p13, 1.0).status == s::scale_too_large);
static_assert(clipped_to_int16::derive(5, -1.0, 1.0, 1.0).status == s::scale_negative);
static_assert(clipped_to_int16::derive(5, quiet_nan, 1.0, 1.0).status == s::scale_not_finite);
static_assert(clipped_to_int16::derive(5, infinite, 1.0, 1.0).status == s::scale_not_finite);
static_assert(clipped_to_int16::derive(5, 0x1p43, 1.0, 1.0).status == s::scale_too_large);

// ---- arrays of channels

constexpr bool arrays_hold() {
  const std::int32_t bias[] = {1, -2, 3};
  const std::array<double, 3> scales{0.5, 0.25, 0.125};
  const float one_scale[] = {0.5f};
  clipped_to_int32 rules[3];
  bool good = q::decomposed::derive(bias, scales, 1.0, rules) == s::ok;
  good = good && rules[0](9) == 5 && rules[1](10) == 2 && rules[2](37) == 5;
  good = good && q::decomposed::derive(bias, one_scale, 1.0, rules) == s::ok;
  good = good && rules[0](9) == 5 && rules[1](10) == 4 && rules[2](37) == 20;

  const std::int16_t bias16[] = {1, -2, 3};
  const double bias_scales[] = {1.0, 2.0, 4.0};
  clipped_to_int16 rules16[3];
  good = good && q::decomposed::derive(bias16, bias_scales, scales, 1.0, rules16) == s::ok;
  good = good && rules16[0](8) == 5 && rules16[1](8) == -2 && rules16[2](8) == 13;
  good = good && q::decomposed::derive(bias16, one_scale, one_scale, 1.0, rules16) == s::ok;
  return good && rules16[0](8) == 5 && rules16[1](8) == 3 && rules16[2](8) == 6;  // 4.5 and 5.5 go up
}
static_assert(arrays_hold());

constexpr bool array_statuses_hold() {
  const std::int32_t bias[] = {1, 2};
  const std::int16_t bias16[] = {1, 2};
  const double two[] = {1.0, 1.0}, three[] = {1.0, 1.0, 1.0}, second_negative[] = {1.0, -1.0};
  const q::view<const double> null(nullptr, 2), negative(two, -1), none(two, 0);
  clipped_to_int32 rules[2], three_rules[3];
  clipped_to_int16 rules16[2], three_rules16[3];
  using q::decomposed::derive;
  bool good = derive(bias, two, 1.0, three_rules) == s::shape_mismatch && derive(bias, three, 1.0, rules) == s::shape_mismatch;
  good = good && derive(bias, none, 1.0, rules) == s::shape_mismatch && derive(bias, null, 1.0, rules) == s::null_data;
  good = good && derive(bias, negative, 1.0, rules) == s::negative_size;
  good = good && derive(q::view<const std::int32_t>(nullptr, 2), two, 1.0, rules) == s::null_data;
  good = good && derive(bias, two, 1.0, q::view<clipped_to_int32>(nullptr, 2)) == s::null_data;
  good = good && derive(bias, two, 0.0, rules) == s::scale_zero && derive(bias, second_negative, 1.0, rules) == s::scale_negative;
  good = good && !rules[0].valid() && !rules[1].valid();  // nothing was written

  good = good && derive(bias16, two, two, 1.0, three_rules16) == s::shape_mismatch;
  good = good && derive(bias16, three, two, 1.0, rules16) == s::shape_mismatch;
  good = good && derive(bias16, two, three, 1.0, rules16) == s::shape_mismatch;
  good =
      good && derive(bias16, null, two, 1.0, rules16) == s::null_data && derive(bias16, two, null, 1.0, rules16) == s::null_data;
  good = good && derive(bias16, second_negative, two, 1.0, rules16) == s::scale_negative;
  good = good && derive(bias16, two, second_negative, 1.0, rules16) == s::scale_negative;
  return good && !rules16[0].valid() && !rules16[1].valid();
}
static_assert(array_statuses_hold());

/// Both int and long are accepted if they have 32 bits.
static_assert([] {
  const int bias[] = {1};
  const double scale[] = {1.0};
  clipped_to_int32 rules[1];
  return q::decomposed::derive(bias, scale, 1.0, rules) == s::ok;
}());

TEST_CASE("rules that overlap the inputs of their derivation are refused") {
  alignas(double) clipped_to_int32 rules[2] = {};
  alignas(double) clipped_to_int16 rules16[2] = {};
  const double scale[] = {1.0};
  const std::int32_t bias[] = {7};
  const std::int16_t bias16[] = {7};
  const auto over = [](auto& array) { return q::view<const double>(reinterpret_cast<const double*>(&array[0]), 1); };
  const q::view<clipped_to_int32> to(rules, 1);
  const q::view<clipped_to_int16> to16(rules16, 1);
  using q::decomposed::derive;
  CHECK(derive(q::view<const std::int32_t>(&rules[0].bias, 1), scale, 1.0, to) == s::overlap);
  CHECK(derive(q::view<const std::int32_t>(&rules[1].bias, 1), scale, 1.0, to) == s::ok);
  rules[0] = {};
  CHECK(derive(bias, over(rules), 1.0, to) == s::overlap);
  CHECK(derive(q::view<const std::int16_t>(&rules16[0].to_output.mantissa, 1), scale, scale, 1.0, to16) == s::overlap);
  CHECK(derive(bias16, over(rules16), scale, 1.0, to16) == s::overlap);
  CHECK(derive(bias16, scale, over(rules16), 1.0, to16) == s::overlap);
  CHECK((!rules[0].valid() && !rules16[0].valid()));
}

// ---- whole layers

template <class Rule>
using rules_output = q::channel_rules_output<Rule>;

/// Two rows of three activations, two channels, scales 1/4 and 1/2.
struct linear_problem {
  std::int16_t x[6] = {32767, 32700, 100, -32768, -32701, 3};
  std::int8_t w[6] = {2, 2, 5, 0, 0, 1};
  double scales[2] = {0.25, 0.5};
  double bias_scale[1] = {1.0};
  std::int64_t constants[2] = {};
  std::int16_t y[4] = {};
};

template <class Rule>
constexpr std::array<std::int16_t, 4> linear_outputs() {
  linear_problem p;
  Rule rules[2];
  s derived = s::ok;
  if constexpr (std::is_same_v<Rule, clipped_to_int32>) {
    const std::int32_t bias[] = {-4000, 9};
    derived = q::decomposed::derive(bias, p.scales, 1.0, rules);
  } else {
    const std::int16_t bias[] = {-1000, 4};
    derived = q::decomposed::derive(bias, p.bias_scale, p.scales, 1.0, rules);
  }
  const q::matrix_view<const std::int8_t> w(p.w, 2, 3);
  const auto folded = q::fold<std::int16_t>(w, q::no_bias{}, {}, p.constants);
  const q::linear_layer layer{w, folded.value, rules_output<Rule>{rules}};
  const q::matrix_view<const std::int16_t> x(p.x, 2, 3);
  const q::matrix_view<std::int16_t> y(p.y, 2, 2);
  if (derived != s::ok || folded.status != s::ok || check(layer, x, y) != s::ok) return {};
  run(layer, x, y);
  return {p.y[0], p.y[1], p.y[2], p.y[3]};
}

constexpr bool same(const std::array<std::int16_t, 4>& y, const std::array<std::int16_t, 4>& expected) {
  for (std::size_t i = 0; i < 4; ++i)
    if (y[i] != expected[i]) return false;
  return true;
}
// Row 0: (2 * 32767 + 2 * 32700 + 5 * 100) / 4 = 131434 / 4 = 32858.5, less 1000 = 31858.5; (100 + 9) / 2 = 54.5.
// Row 1: (2 * -32768 + 2 * -32701 + 15) / 4 = -130923 / 4 = -32730.75, less 1000 is out of range; (3 + 9) / 2 = 6.
constexpr bool linear_layers_hold() {
  return same(linear_outputs<clipped_to_int32>(), {31859, 55, -32768, 6}) &&
         same(linear_outputs<clipped_to_int16>(), {31767, 54, -32768, 6});  // 32767 - 1000; 50 + 4; -32731 - 1000; 2 + 4
}
static_assert(linear_layers_hold());

/// A sound layer to spoil.
template <class Rule>
struct sound {
  std::int16_t x[4] = {1, 2, 3, 4};
  std::int8_t w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::int64_t constants[2] = {};
  std::int16_t y[2] = {};
  Rule rules[3];
  q::matrix_view<const std::int8_t> weights{w, 2, 4};
  q::linear_layer<std::int8_t, rules_output<Rule>> layer{
      weights, q::fold<std::int16_t>(weights, q::no_bias{}, {}, constants).value, {q::view<const Rule>(rules, 2)}};

  constexpr sound() {
    for (Rule& rule : rules)
      if constexpr (std::is_same_v<Rule, clipped_to_int32>)
        rule = clipped_to_int32::derive(3, 0.5, 1.0).value;
      else
        rule = clipped_to_int16::derive(3, 1.0, 0.5, 1.0).value;
  }
  sound(const sound&) = delete;
  constexpr s check() {
    return q::check(layer, q::matrix_view<const std::int16_t>(x, 1, 4), q::matrix_view<std::int16_t>(y, 1, 2));
  }
};

template <class Rule, class Spoil>
s spoiled(Spoil spoil) {
  sound<Rule> layer;
  spoil(layer);
  return layer.check();
}

template <class Rule>
void check_spoiled_layers() {
  using layer = sound<Rule>;
  CHECK(spoiled<Rule>([](layer&) {}) == s::ok);
  CHECK(spoiled<Rule>([](layer& l) { l.layer.output.rules = q::view<const Rule>(l.rules, 3); }) == s::multiplier_count_mismatch);
  CHECK(spoiled<Rule>([](layer& l) { l.layer.output.rules = q::view<const Rule>(nullptr, 2); }) == s::null_data);
  CHECK(spoiled<Rule>([](layer& l) { l.rules[1] = {}; }) == s::multiplier_out_of_range);
  // The fold contains the bias, and the rule adds the bias a second time.
  CHECK(spoiled<Rule>([](layer& l) {
          const std::int32_t bias[] = {0, 1};
          l.layer.bias = q::fold<std::int16_t>(l.weights, bias, {}, l.constants).value;
        }) == s::fold_with_bias);
  CHECK(spoiled<Rule>([](layer& l) {
          const std::int32_t bias[] = {0, 1};
          l.layer.bias = q::fold<std::int16_t>(l.weights, bias, {1, 0}, l.constants).value;
        }) == s::fold_with_bias);
}

// ---- the formulas of the two forms, step by step

namespace oracle {

std::int64_t clip(std::int64_t x, int bits) {
  const std::int64_t limit = std::int64_t{1} << (bits - 1);
  return x < -limit ? -limit : x >= limit ? limit - 1 : x;
}

/// Computes v * scale as a RESCALE does: v * m / 2^t with ties up. The mantissa m has `bits` bits.
std::int64_t rescaled(std::int64_t v, double scale, int bits) {
  int exponent = 0;
  double mantissa = std::nearbyint(std::ldexp(std::frexp(scale, &exponent), bits));
  if (mantissa == std::ldexp(1.0, bits)) mantissa /= 2, ++exponent;
  int t = bits - exponent;
  if (scale == 0) t = bits;
  if (t > 62) mantissa = std::floor(std::ldexp(mantissa, 62 - t)), t = 62;
  const std::int64_t product = v * static_cast<std::int64_t>(mantissa);
  const std::int64_t unit = std::int64_t{1} << t;
  std::int64_t quotient = product / unit, rest = product % unit;
  if (rest < 0) rest += unit, --quotient;
  return rest >= unit - rest ? quotient + 1 : quotient;
}

std::int64_t clipped_to_int32(std::int64_t acc, std::int32_t bias, double accumulator_scale, double output_scale) {
  const std::int64_t narrow = clip(rescaled(acc, 1.0, 15), 32);
  return clip(rescaled(clip(narrow + bias, 32), accumulator_scale / output_scale, 31), 16);
}

std::int64_t clipped_to_int16(std::int64_t acc, std::int16_t bias, double bias_scale, double accumulator_scale,
                              double output_scale) {
  const std::int64_t t = clip(rescaled(acc, accumulator_scale / output_scale, 15), 16);
  const double g = bias_scale > output_scale ? bias_scale : output_scale;
  const std::int64_t sum = rescaled(t, output_scale / g * 16384, 31) + rescaled(bias, bias_scale / g * 16384, 31);
  return clip(rescaled(sum, g / (output_scale * 16384), 31), 16);
}

}  // namespace oracle

double random_scale(random_bits& random, int lowest_exponent, int highest_exponent) {
  const double mantissa = random.one_in(4) ? 1.0 : 1.0 + static_cast<double>(random() >> 12) * 0x1p-52;
  return std::ldexp(mantissa, static_cast<int>(random.between(lowest_exponent, highest_exponent)));
}

/// Returns an accumulator of any bit length, one near an end of int32, or one whose output lies near a multiple of a quarter of
/// the output's range.
std::int64_t random_accumulator(random_bits& random, double scale) {
  const double quarters = 8192.0 * random.below(9) - 32768.0;
  switch (random.below(4)) {
    case 0: return random.integer(47);
    case 1: return (random.one_in(2) ? two31 : -two31) + random.between(-3, 3);
    default: {
      const double near = quarters / scale + static_cast<double>(random.between(-3, 3));
      return near > -0x1p46 && near < 0x1p46 ? static_cast<std::int64_t>(near) : random.integer(40);
    }
  }
}

constexpr int samples = 200000 / DYADIC_TEST_DIVISOR;

}  // namespace

TEST_CASE("the form that clips to int32 loses what exceeds int32, and nothing else") {
  CHECK(first_wrong(at_run_time(int32_cases), int32_holds) == -1);
}

TEST_CASE("the form that clips to int16 cuts an output that its bias would pull back into range") {
  CHECK(first_wrong(at_run_time(int16_cases), int16_holds) == -1);
}

TEST_CASE("both forms have a status for a scale without a multiplier") {
  CHECK(first_wrong(at_run_time(scale_cases), int32_scale_holds) == -1);
  CHECK(first_wrong(at_run_time(scale_cases), int16_scale_holds) == -1);
}

TEST_CASE("there is one scale or one for each channel, and any other number has a status") {
  CHECK(arrays_hold());
  CHECK(array_statuses_hold());
}

TEST_CASE("the form that clips to int32 equals its formula") {
  random_bits random;
  INFO("seed " << seed);
  int clipped = 0;
  for (int i = 0; i < samples; ++i) {
    const double output_scale = random_scale(random, -20, 4), accumulator_scale = output_scale * random_scale(random, -40, 8);
    const auto bias = static_cast<std::int32_t>(random.integer(31));
    const std::int64_t acc = random_accumulator(random, accumulator_scale / output_scale);
    const auto rule = clipped_to_int32::derive(bias, accumulator_scale, output_scale);
    REQUIRE(rule.status == s::ok);
    INFO("acc " << acc << " bias " << bias << " scales " << accumulator_scale << ' ' << output_scale);
    REQUIRE(rule.value(acc) == oracle::clipped_to_int32(acc, bias, accumulator_scale, output_scale));
    clipped += rule.value.valid(acc) ? 0 : 1;
  }
  CHECK(clipped > samples / 100);
}

TEST_CASE("the form that clips to int16 equals its formula") {
  random_bits random;
  INFO("seed " << seed);
  int off = 0;
  for (int i = 0; i < samples; ++i) {
    const double output_scale = random_scale(random, -20, 4), accumulator_scale = output_scale * random_scale(random, -40, 8);
    const double bias_scale = output_scale * random_scale(random, -24, 24);
    const auto bias = static_cast<std::int16_t>(random.integer(15));
    const std::int64_t acc = random_accumulator(random, accumulator_scale / output_scale);
    const auto rule = clipped_to_int16::derive(bias, bias_scale, accumulator_scale, output_scale);
    REQUIRE(rule.status == s::ok);
    INFO("acc " << acc << " bias " << bias << " scales " << bias_scale << ' ' << accumulator_scale << ' ' << output_scale);
    const std::int64_t y = rule.value(acc);
    REQUIRE(y == oracle::clipped_to_int16(acc, bias, bias_scale, accumulator_scale, output_scale));
    const double exact = static_cast<double>(acc) * (accumulator_scale / output_scale) + bias * (bias_scale / output_scale);
    off += std::fabs(exact) < 32767 && std::fabs(static_cast<double>(y) - exact) > 100 ? 1 : 0;
  }
  CHECK(off > samples / 1000);
}

TEST_CASE("a rule compares with another like any rule") {
  const clipped_to_int32 rule = clipped_to_int32::derive(0, 1.0, 0x1p17).value;
  const auto exact = q::rule_of<q::exact::half_up>({h, 47}, q::range_of<std::int16_t>());
  // valid(acc) excludes the accumulators for which TOSA defines no result. For all others the rule is exact.
  const q::difference defined = q::compare_rules(rule, exact, q::around(two31, 100, {-two32, two32}));
  CHECK(defined.compared == 100);
  CHECK(defined.differing == 0);
  const q::difference all =
      q::compare_rules([&](std::int64_t acc) { return rule(acc); }, exact, std::array<std::int64_t, 2>{0, 3 << 29});
  CHECK(all.differing == 0);
  const q::difference beyond =
      q::compare_rules([&](std::int64_t acc) { return rule(acc); }, exact, q::interval{two32 - 1, two32});
  CHECK(beyond.differing == 2);
  CHECK(beyond.worst_distance == 32767 - 16384);
}

TEST_CASE("a linear layer with rules computes the decomposed operators in one run") { CHECK(linear_layers_hold()); }

TEST_CASE("a layer with rules is checked like any layer") {
  check_spoiled_layers<clipped_to_int32>();
  check_spoiled_layers<clipped_to_int16>();
}

TEST_CASE("a layer whose rules overlap its output is refused") {
  // Rules and outputs share one buffer.
  sound<clipped_to_int32> l;
  union {
    clipped_to_int32 rules[2];
    std::int16_t y[2];
  } shared{{l.rules[0], l.rules[1]}};
  l.layer.output.rules = q::view<const clipped_to_int32>(shared.rules, 2);
  const q::matrix_view<const std::int16_t> x(l.x, 1, 4);
  CHECK(check(l.layer, x, q::matrix_view<std::int16_t>(shared.y, 1, 2)) == s::overlap);
  CHECK(check(l.layer, x, q::matrix_view<std::int16_t>(l.y, 1, 2)) == s::ok);
}

TEST_CASE("check tells whether sums with the bias can leave int32, and run clips them") {
  // 515 * 32768 * 127 = 2143191040 is 4292608 below 2^31. The sum of 517 taps does not fit int32.
  std::vector<std::int16_t> x(517, 32767);
  const std::vector<std::int8_t> w(517, 127);
  const auto outcome = [&](q::index_t depth, std::int32_t bias) {
    std::int64_t constants[1];
    std::int16_t y[1] = {};
    const clipped_to_int32 rules[] = {clipped_to_int32::derive(bias, 1.0, 0x1p17).value};
    const q::matrix_view<const std::int8_t> weights(w.data(), 1, depth);
    const auto folded = q::fold<std::int16_t>(weights, q::no_bias{}, {}, constants);
    const q::linear_layer layer{weights, folded.value, rules_output<clipped_to_int32>{rules}};
    const q::matrix_view<const std::int16_t> in(x.data(), 1, depth);
    const s checked = check(layer, in, q::matrix_view(y, 1, 1));
    run(layer, in, q::matrix_view(y, 1, 1));
    return std::pair(checked, int{y[0]});
  };
  using pair = std::pair<s, int>;
  // The lowest accumulator is -2143191040, and the highest is 2143125635, which the run reaches.
  CHECK(outcome(515, -4292608) == pair{s::ok, 16318});
  CHECK(outcome(515, -4292609) == pair{s::accumulator_overflow, 16318});
  CHECK(outcome(515, 4358012) == pair{s::ok, 16384});
  CHECK(outcome(515, 4358013) == pair{s::accumulator_overflow, 16384});
  CHECK(outcome(517, 0) == pair{s::accumulator_overflow, 16384});  // 16414 exactly
  CHECK(outcome(517, -h) == pair{s::accumulator_overflow, 8192});  // 8222
}

TEST_CASE("a convolution with rules applies the rules to the accumulators of each pixel") {
  random_bits random;
  INFO("seed " << seed);
  // 5 x 4 pixels of 2 channels, a kernel of 3 x 2, stride 2 x 1, padding: 3 x 5 pixels of 3 channels.
  std::int16_t x[40];
  std::int8_t w[36];
  for (auto& value : x) value = static_cast<std::int16_t>(random());
  for (auto& value : w) value = static_cast<std::int8_t>(random());
  const std::int32_t bias[] = {5000000, -7000000, 100};
  const std::int16_t bias16[] = {32767, -20000, 1};
  const double scales[] = {0x1.8p-9, 0x1.2p-8, 0x1.fp-8}, bias_scale[] = {0.25};
  clipped_to_int32 rules[3];
  clipped_to_int16 rules16[3];
  REQUIRE(q::decomposed::derive(bias, scales, 1.0, rules) == s::ok);
  REQUIRE(q::decomposed::derive(bias16, bias_scale, scales, 1.0, rules16) == s::ok);

  const q::window2d window{{3, 2, 1, 1, 1}, {2, 1, 1, 1, 1}};
  const q::matrix_view<const std::int8_t> weights(w, 3, 12);
  std::int64_t constants[3] = {};
  const auto folded = q::fold_conv2d<std::int16_t>(weights, q::no_bias{}, window, {}, constants);
  REQUIRE(folded.status == s::ok);
  const q::conv2d_layer layer{weights, folded.value, window, 1, rules_output<clipped_to_int32>{rules}};
  const q::conv2d_layer layer16{weights, folded.value, window, 1, rules_output<clipped_to_int16>{rules16}};
  const q::nhwc_view<const std::int16_t> in(x, 1, 5, 4, 2);
  std::int16_t y[45] = {}, y16[45] = {};
  const q::nhwc_view<std::int16_t> out(y, 1, 3, 5, 3), out16(y16, 1, 3, 5, 3);
  REQUIRE(check(layer, in, out) == s::ok);
  REQUIRE(check(layer16, in, out16) == s::ok);
  run(layer, in, out, {0, 2});
  run(layer, in, out, {2, 3});
  run(layer16, in, out16);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 5; ++column)
      for (int c = 0; c < 3; ++c) {
        std::int64_t acc = 0;
        for (int ky = 0; ky < 3; ++ky)
          for (int kx = 0; kx < 2; ++kx)
            for (int k = 0; k < 2; ++k) {
              const int iy = 2 * row + ky - 1, ix = column + kx - 1;
              if (iy >= 0 && iy < 5 && ix >= 0 && ix < 4)
                acc += std::int64_t{x[(iy * 4 + ix) * 2 + k]} * w[((c * 3 + ky) * 2 + kx) * 2 + k];
            }
        const int i = (row * 5 + column) * 3 + c;
        CHECK(y[i] == oracle::clipped_to_int32(acc, bias[c], scales[c], 1.0));
        CHECK(y16[i] == oracle::clipped_to_int16(acc, bias16[c], 0.25, scales[c], 1.0));
      }

  // The decomposed operators: a convolution without bias to int16, and its sum with the biases, one for each channel.
  q::multiplier16 multipliers[3];
  for (int c = 0; c < 3; ++c) multipliers[c] = rules16[c].to_output;
  const q::conv2d_layer without_bias{weights, folded.value, window, 1,
                                     q::per_channel_output<std::int16_t, q::tosa::scale16>{multipliers}};
  std::int16_t convolved[45] = {}, sums[45] = {};
  REQUIRE(check(without_bias, in, q::nhwc_view<std::int16_t>(convolved, 1, 3, 5, 3)) == s::ok);
  run(without_bias, in, q::nhwc_view<std::int16_t>(convolved, 1, 3, 5, 3));
  const q::multiplier32 of_bias = q::tosa::scale32::derive(0x1p12).value;  // 0.25 of the common scale, 1, and 14 bits
  using sum16 = q::rescaled_sum<std::int16_t, q::tosa::scale32, q::sum_of, q::allowed_zero_points::none>;
  const q::binary_layer add{sum16{0, {0, rules16[0].to_sum}, {0, of_bias}, rules16[0].from_sum, q::range_of<std::int16_t>()}};
  const q::matrix_view<const std::int16_t> pixels(convolved, 15, 3), biases(bias16, 1, 3);
  REQUIRE(check(add, pixels, biases, q::matrix_view<std::int16_t>(sums, 15, 3)) == s::ok);
  run(add, pixels, biases, q::matrix_view<std::int16_t>(sums, 15, 3));
  CHECK(std::equal(std::begin(sums), std::end(sums), std::begin(y16)));
}

TEST_CASE("an array of raw accumulators is rescaled by rules, with a column for each channel") {
  const clipped_to_int32 rules[] = {clipped_to_int32::derive(-4, 0.5, 1.0).value, clipped_to_int32::derive(1, 1.0, 0x1p17).value};
  const q::rescale_layer layer{0, rules_output<clipped_to_int32>{rules}};
  const std::int64_t accs[] = {11, two32, -11, -two32};
  std::int16_t y[4] = {};
  const q::matrix_view<const std::int64_t> x(accs, 2, 2);
  const q::matrix_view<std::int16_t> out(y, 2, 2);
  CHECK(check(layer, x, out) == s::accumulator_overflow);  // an int64 accumulator may leave int32
  run(layer, x, out);
  CHECK(y[0] == 4);
  CHECK(y[1] == 16384);
  CHECK(y[2] == -7);
  CHECK(y[3] == -16384);
  q::packed_int48 packed[4];
  for (int i = 0; i < 4; ++i) packed[i] = q::packed_int48::of(q::int48::saturated(accs[i]));
  std::int16_t y48[4] = {};
  run(layer, q::matrix_view<const q::packed_int48>(packed, 2, 2), q::matrix_view<std::int16_t>(y48, 2, 2));
  const q::result<q::difference> d = q::compare_arrays(y, y48);
  CHECK(d.status == s::ok);
  CHECK(d.value.compared == 4);
  CHECK(d.value.differing == 0);
}

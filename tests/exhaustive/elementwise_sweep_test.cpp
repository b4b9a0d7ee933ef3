// Rules on elements against the oracle: all pairs of int8 and all int16, for scales that make ties and for random scales.

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>

#include "../oracle/elementwise.hpp"
#include "tally.hpp"

namespace q = dyadic;
using sweep::generator;
using sweep::highest32;
using sweep::ok;
using sweep::random_real;
using sweep::scaled_count;
using sweep::tally;
using sweep::text;
using sweep::to_float;

namespace {

struct setting {
  float a, b, y;
  std::int32_t zero_a, zero_b;
  q::output_range range;
};

/// Returns settings with equal scales and a doubled output scale, with powers of two, and with a scale ratio of 1/3. Random
/// scales, with random zero points and bounds, follow.
std::vector<setting> settings(int count) {
  const q::output_range all = q::range_of<std::int8_t>();
  std::vector<setting> some{{0.25f, 0.25f, 0.5f, 0, 0, all},
                            {0.1f, 0.1f, 0.2f, 0, 0, all},
                            {0.5f, 0.25f, 1.0f, 3, -5, all},
                            {1.0f, 1.0f, 4.0f, -128, 127, {-128, -128, 127}},
                            {0.75f, 0.25f, 0.5f, 0, 0, all},
                            {0x1p-8f, 1.0f, 0.5f, 1, 0, all},
                            {0.007f, 0.007f, 0.014f, -1, -1, {5, -20, 90}},
                            {1.0f, 3.0f, 3.0f, 0, 0, all}};
  generator random;
  for (int i = 0; i < scaled_count(count); ++i) {
    const auto scale = [&] { return to_float(random_real(random, 24, -7, 0)); };
    const auto code = [&] { return static_cast<std::int32_t>(random.between(-128, 127)); };
    const std::int32_t min = code();
    const q::output_range range{code(), min, static_cast<std::int32_t>(random.between(min, 127))};
    some.push_back({scale(), scale(), scale(), code(), code(), random.one_in(2) ? range : q::range_of<std::int8_t>(code())});
  }
  return some;
}

std::string describe(const setting& s, int a, int b) {
  return text("%a", static_cast<double>(s.a)) + text(" %a", static_cast<double>(s.b)) + text(" %a", static_cast<double>(s.y)) +
         ", " + text(a) + " and " + text(b);
}

/// Checks all pairs of int8; where fewer samples are taken, one pair in 17.
/// expected(a - zero, b - zero) returns the value before the zero point of the output is added.
template <class Rule, class Expected>
void check_pairs(tally& t, const Rule& rule, const setting& s, const Expected& expected) {
  constexpr int step = sweep::divisor == 1 ? 1 : 17;
  for (int a = -128; a < 128; ++a)
    for (int b = -128 + (a + 128) % step; b < 128; b += step) {
      const auto y =
          oracle::clamp(oracle::wide{expected(a - s.zero_a, b - s.zero_b)} + s.range.zero_point, s.range.min, s.range.max);
      t.check(rule(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)) == y, [&] { return describe(s, a, b); });
    }
}

template <class Rule>
bool has_pairs(const Rule& rule, const oracle::sum_pairs& m, int base, int sign) {
  const auto same = [&](q::multiplier32 ours, oracle::pair theirs) {
    return ours.mantissa == theirs.multiplier && ours.right_shift == base - sign * theirs.shift;
  };
  return same(rule.a.multiplier, m.a) && same(rule.b.multiplier, m.b) && same(rule.multiplier, m.sum);
}

template <class Derive>
oracle::sum_pairs pairs_of(oracle::sum_reals s, const Derive& derive) {
  return {oracle::pair_of(derive(s.a)), oracle::pair_of(derive(s.b)), oracle::pair_of(derive(s.sum))};
}

/// Checks a rule with TFLite's steps, and its derivation.
template <class Rule, class Derive, class Rescale>
void check_sum(tally& t, const setting& s, bool subtracts, const Derive& derive, const Rescale& rescale) {
  const auto rule = Rule::derive(s.a, s.zero_a, s.b, s.zero_b, s.y, s.range);
  const auto m = pairs_of(oracle::scales_of_sum(s.a, s.b, s.y, 20, subtracts), derive);
  // TFLite aborts if the sum's scale is 1 or more.
  const bool is_small = m.sum.shift <= 0;
  t.check(ok(rule.status) == is_small && has_pairs(rule.value, m, 31, 1), [&] { return "derived from " + describe(s, 0, 0); });
  if (!is_small) return;
  check_pairs(t, rule.value, s, [&](int a, int b) { return oracle::rescaled_sum(a, b, 20, m, subtracts, rescale); });
}

/// Returns the scales a / (t / 2^20), with t twice the larger scale. The sum's scale is t / 2^20 / y.
oracle::sum_reals scales_of_arm(const setting& s) {
  const oracle::sum_reals r = oracle::scales_of_sum(s.a, s.b, s.y, 20, false);
  return {r.a * 0x1p20, r.b * 0x1p20, r.sum};
}

template <class Rule>
void check_arm_sum(tally& t, const setting& s, bool subtracts) {
  const auto rule = Rule::derive(s.a, s.zero_a, s.b, s.zero_b, s.y, s.range);
  const auto m = pairs_of(scales_of_arm(s), oracle::derive_executorch_arm_tosa32);
  t.check(ok(rule.status) && has_pairs(rule.value, m, 0, -1), [&] { return "derived from " + describe(s, 0, 0); });
  check_pairs(t, rule.value, s, [&](int a, int b) { return oracle::rescaled_sum(a, b, 0, m, subtracts, oracle::tosa_single); });
}

}  // namespace

TEST_CASE("sums and differences of all pairs of int8 equal the oracle's") {
  using std::int8_t;
  tally t;
  for (const setting& s : settings(12)) {
    using q::tflite::double_rounding, q::tflite::single_rounding;
    check_sum<q::tflite::add<int8_t>>(t, s, false, oracle::derive_tflite_double, oracle::tflite_double);
    check_sum<q::tflite::add<int8_t, single_rounding>>(t, s, false, oracle::derive_tflite_single, oracle::tflite_single);
    check_sum<q::tflite::subtract<int8_t>>(t, s, true, oracle::derive_tflite_double, oracle::tflite_double);
    check_sum<q::tflite::subtract<int8_t, single_rounding>>(t, s, true, oracle::derive_tflite_single, oracle::tflite_single);
    check_sum<q::cmsis_nn::add<int8_t>>(t, s, false, oracle::derive_tflite_double, oracle::cmsis_double);
    check_sum<q::cmsis_nn::add<int8_t, q::cmsis_nn::single_rounding>>(t, s, false, oracle::derive_tflite_single,
                                                                      oracle::cmsis_single);
    const auto cortex_m = q::executorch::cortex_m::add::derive(s.a, s.zero_a, s.b, s.zero_b, s.y, s.range);
    const auto m = pairs_of(oracle::scales_of_sum(s.a, s.b, s.y, 20, false), oracle::derive_executorch_cortex_m);
    t.check(ok(cortex_m.status) && has_pairs(cortex_m.value, m, 31, 1), [&] { return "derived from " + describe(s, 0, 0); });
    check_pairs(t, cortex_m.value, s,
                [&](int a, int b) { return oracle::rescaled_sum(a, b, 20, m, false, oracle::cmsis_double); });
    check_arm_sum<q::executorch::arm::add<int8_t>>(t, s, false);
    check_arm_sum<q::executorch::arm::subtract<int8_t>>(t, s, true);
  }
  t.finish("sums of int8");
}

TEST_CASE("one rounding and two differ on a quarter of all sums if scales are equal and the output scale is doubled") {
  constexpr q::output_range all = q::range_of<std::int8_t>();
  const auto twice = q::tflite::add<std::int8_t>::derive(0.1f, 0, 0.1f, 0, 0.2f, all);
  const auto once = q::tflite::add<std::int8_t, q::tflite::single_rounding>::derive(0.1f, 0, 0.1f, 0, 0.2f, all);
  const auto arm = q::executorch::arm::add<std::int8_t>::derive(0.1, 0, 0.1, 0, 0.2, all);
  const auto xnnpack = q::xnnpack::add::derive(0.1f, 0, 0.1f, 0, 0.2f, all);
  REQUIRE((ok(twice.status) && ok(once.status) && ok(arm.status) && ok(xnnpack.status)));
  int different = 0, ties = 0;
  for (int a = -128; a < 128; ++a)
    for (int b = -128; b < 128; ++b) {
      const auto x = static_cast<std::int8_t>(a), z = static_cast<std::int8_t>(b);
      different += twice.value(x, z) != once.value(x, z);
      ties += a + b < 0 && (a + b) % 2 != 0;
      CHECK_FALSE((once.value(x, z) != arm.value(x, z) || once.value(x, z) != xnnpack.value(x, z)));
    }
  CHECK(different == 16512);  // 25.2 % of 65536
  CHECK(different == ties);
}

namespace {

double scale_of_product(const setting& s, int precision) {
  using namespace oracle;
  const auto round = [&](real x) { return precision == 24 ? fl32(x) : fl64(x); };
  return to_double(round(quotient(round(product(from_float(s.a), from_float(s.b))), from_float(s.y), precision)));
}

}  // namespace

TEST_CASE("products of all pairs of int8 equal the oracle's") {
  using std::int8_t;
  tally t;
  const auto check_product = [&](const auto& rule, const setting& s, oracle::derived_multiplier d, int base, int sign,
                                 const auto& rescale) {
    t.check(ok(rule.status) &&
                rule.value.multiplier == q::multiplier32{static_cast<std::int32_t>(d.multiplier), base - sign * d.shift},
            [&] { return "derived from " + describe(s, 0, 0); });
    check_pairs(t, rule.value, s, [&](int a, int b) { return rescale(a * b, static_cast<std::int32_t>(d.multiplier), d.shift); });
  };
  for (const setting& s : settings(12)) {
    const double scale = scale_of_product(s, 53);
    const auto derived = [&](auto rule) { return decltype(rule)::derive(s.a, s.zero_a, s.b, s.zero_b, s.y, s.range); };
    check_product(derived(q::tflite::multiply<int8_t>{}), s, oracle::derive_tflite_double(scale), 31, 1, oracle::tflite_double);
    check_product(derived(q::tflite::multiply<int8_t, q::tflite::single_rounding>{}), s, oracle::derive_tflite_single(scale), 31,
                  1, oracle::tflite_single);
    check_product(derived(q::cmsis_nn::multiply<int8_t>{}), s, oracle::derive_tflite_double(scale), 31, 1, oracle::cmsis_double);
    check_product(derived(q::executorch::cortex_m::multiply{}), s, oracle::derive_executorch_cortex_m(scale), 31, 1,
                  oracle::cmsis_double);
    check_product(derived(q::executorch::arm::multiply<int8_t>{}), s, oracle::derive_executorch_arm_tosa32(scale), 0, -1,
                  oracle::tosa_single);
    const auto real = static_cast<float>(scale_of_product(s, 24));
    const auto fp32 = derived(q::xnnpack::multiply<int8_t>{});
    const auto rndnu = derived(q::xnnpack::multiply<int8_t, q::xnnpack::rndnu_neon>{});
    t.check(ok(fp32.status) && fp32.value.multiplier.bits == q::binary32{real}.bits && ok(rndnu.status),
            [&] { return "derived from " + describe(s, 0, 0); });
    const q::output_range r = s.range;
    for (int a = -128; a < 128; ++a)
      for (int b = -128; b < 128; b += 3) {
        const auto x = static_cast<int8_t>(a), z = static_cast<int8_t>(b);
        const std::int32_t acc = (a - s.zero_a) * (b - s.zero_b);
        t.check(fp32.value(x, z) == oracle::xnnpack_fp32(acc, real, r.zero_point, r.min, r.max) &&
                    rndnu.value(x, z) == oracle::xnnpack_rndnu_neon(acc, real, r.zero_point, r.min, r.max),
                [&] { return describe(s, a, b); });
      }
  }
  t.finish("products of int8");
}

// Both averages are monotone in the sum, so they are equal everywhere if both take each of TFLite's steps at the same sum.
// The test checks the least sum with average k, and that sum less 1, for all k.
// Windows of int16, and windows of up to the proof's limit, are sampled.
TEST_CASE("TFLite's average equals TOSA's in each window of 1 to 16384 int8, and for sums up to 2^29") {
  tally t;
  const auto check_window = [&](std::int32_t count, std::int64_t least, std::int64_t greatest) {
    const q::multiplier32 m = q::tosa::reciprocal_scale(static_cast<std::uint32_t>(count)).value;
    for (std::int64_t k = least + 1; k <= greatest; ++k) {
      // The least sum with average k is (k - 1/2) * count. If this is a negative tie, it rounds down to k - 1.
      const std::int64_t twice = (2 * k - 1) * count;
      const std::int64_t first = twice % 2 != 0 ? (twice + 1) / 2 : twice > 0 ? twice / 2 : twice / 2 + 1;
      t.check(q::tflite::average::apply(first, count) == k && q::tosa::average::apply(first, m) == k &&
                  q::tflite::average::apply(first - 1, count) == k - 1 && q::tosa::average::apply(first - 1, m) == k - 1,
              [&] { return text(first) + " of " + text(count); });
    }
  };
  for (std::int32_t count = 1; count <= 16384; count += sweep::divisor) check_window(count, -128, 127);
  for (std::int32_t count = 1; count <= 2048; count += 61 * sweep::divisor) check_window(count, -32768, 32767);
  for (std::int32_t count = 16383; count <= 65534; count = 2 * count + 1) check_window(count, -8191, 8191);
  t.finish("windows near each tie");
}

TEST_CASE("random averages and means equal the oracle's") {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(300000); ++i) {
    const auto count = static_cast<std::int32_t>(1 + random.of_random_length(random.one_in(2) ? 4 : 15));
    // The sum lies next to a tie, or is any sum.
    const std::int64_t near = (2 * random.between(-32768, 32767) + 1) * count / 2 + random.between(-1, 1);
    const std::int64_t sum = random.one_in(2) ? near : random.between(-32768 * std::int64_t{count}, 32767 * std::int64_t{count});
    const auto say = [&] { return text(sum) + " of " + text(count); };
    t.check(q::tflite::average::apply(sum, count) == oracle::average(sum, count, oracle::tie::away), say);
    t.check(q::onednn::average::apply(sum, count) == oracle::average(sum, count, oracle::tie::even), say);
    const oracle::derived_multiplier r = oracle::tosa_reciprocal_scale(static_cast<std::uint32_t>(count));
    t.check(q::tosa::average::apply(sum, q::tosa::average::divisor(count)) ==
                oracle::half_up(oracle::wide{sum} * r.multiplier, r.shift),
            say);

    const oracle::pair scale{static_cast<std::int32_t>(random.between(1 << 30, highest32)),
                             static_cast<int>(random.between(-31, 10))};
    const oracle::pair expected = oracle::mean_pair(scale, count);
    const q::multiplier32 m = q::tflite::divide_by_count(q::tflite::from_pair(scale.multiplier, scale.shift), count);
    t.check(m.mantissa == expected.multiplier && m.right_shift == 31 - expected.shift, say);
    const q::tflite::mean<std::int16_t> rule{0, count, m, q::range_of<std::int16_t>(7)};
    if (scale.shift > 0 || sum != static_cast<std::int32_t>(sum)) continue;
    const auto y = oracle::clamp(
        oracle::wide{oracle::tflite_double(static_cast<std::int32_t>(sum), expected.multiplier, expected.shift)} + 7, -32768,
        32767);
    t.check(rule(sum) == y, say);
  }
  t.finish("averages and means");
}

TEST_CASE("random sums and their derivations equal the oracle's") {
  generator random;
  tally t;
  const auto check_sums = [&](auto rule_type, const auto& derive, const auto& rescale) {
    using rule_of = decltype(rule_type);
    using X = typename rule_of::value_type;
    constexpr std::int32_t low = std::numeric_limits<X>::min(), high = std::numeric_limits<X>::max();
    for (int i = 0; i < scaled_count(20000); ++i) {
      const float x = to_float(random_real(random, 24, -7, 0)),
                  y = to_float(random_real(random, random.one_in(2) ? 1 : 24, -2, 9));
      const auto zero_x = static_cast<std::int32_t>(random.between(low, high)),
                 zero_y = static_cast<std::int32_t>(random.between(low, high));
      const auto count = static_cast<std::int32_t>(1 + random.of_random_length(12));
      const auto rule = rule_of::derive(x, zero_x, count, y, q::range_of<X>(zero_y));
      using namespace oracle;
      const pair m = pair_of(derive(to_double(fl64(quotient(from_float(x), from_float(y), 53)))));
      const std::int64_t sum = random.between(low * std::int64_t{count}, high * std::int64_t{count});
      const auto say = [&] { return text("%a", static_cast<double>(x)) + text(" %a", static_cast<double>(y)) + " " + text(sum); };
      const std::int64_t acc = sum - std::int64_t{count} * zero_x;
      t.check(ok(rule.status) && rule.value.multiplier == q::tflite::from_pair(m.multiplier, m.shift) &&
                  rule.value(sum) ==
                      oracle::clamp(wide{rescale(static_cast<std::int32_t>(acc), m.multiplier, m.shift)} + zero_y, low, high),
              say);
    }
  };
  check_sums(q::tflite::sum<std::int8_t>{}, oracle::derive_tflite_double, oracle::tflite_double);
  check_sums(q::tflite::sum<std::uint8_t, q::tflite::single_rounding>{}, oracle::derive_tflite_single, oracle::tflite_single);
  check_sums(q::tflite::sum<std::int16_t>{}, oracle::derive_tflite_double, oracle::tflite_double);
  t.finish("sums");
}

TEST_CASE("leaky relu and hard swish of all elements equal the oracle's") {
  generator random;
  tally t;
  const auto relu = [&](auto rule_type, float x, float alpha, float y, std::int32_t zero_x, std::int32_t zero_y, int step,
                        const auto& derive, const auto& rescale) {
    using rule_of = decltype(rule_type);
    using X = typename rule_of::value_type;
    const auto rule = rule_of::derive(x, zero_x, alpha, y, zero_y);
    using namespace oracle;
    const real scaled = fl32(product(from_float(x), from_float(alpha)));
    const pair below = pair_of(derive_tflite_double(to_double(fl32(quotient(scaled, from_float(y), 24)))));
    const pair above = pair_of(derive(to_double(fl32(quotient(from_float(x), from_float(y), 24)))));
    const auto say = [&](int code) {
      return text("%a", static_cast<double>(x)) + text(" %a", static_cast<double>(alpha)) + " " + text(code);
    };
    t.check(ok(rule.status) && rule.value.alpha == q::tflite::from_pair(below.multiplier, below.shift) &&
                rule.value.identity == q::tflite::from_pair(above.multiplier, above.shift),
            [&] { return say(0); });
    constexpr int low = std::numeric_limits<X>::min(), high = std::numeric_limits<X>::max();
    for (int code = low; code <= high; code += step) {
      const auto expected = oracle::clamp(wide{leaky_relu(code - zero_x, above, below, rescale)} + zero_y, low, high);
      t.check(rule.value(static_cast<X>(code)) == expected, [&] { return say(code); });
    }
  };
  for (int i = 0; i < scaled_count(60); ++i) {
    const float y = to_float(random_real(random, 24, -7, 0));
    const float x = random.one_in(3) ? y : to_float(random_real(random, 24, -7, 0));
    const float alpha = random.one_in(2) ? 0.25f : -to_float(random_real(random, 24, -7, 0));
    const auto code = [&](int end) { return static_cast<std::int32_t>(random.between(-end, end - 1)); };
    using single = q::tflite::single_rounding;
    const auto zero_x = code(128), zero_y = code(128);
    relu(q::tflite::leaky_relu<std::int8_t>{}, x, alpha, y, zero_x, zero_y, 1, oracle::derive_tflite_double,
         oracle::tflite_double);
    relu(q::tflite::leaky_relu<std::int8_t, single>{}, x, alpha, y, zero_x, zero_y, 1, oracle::derive_tflite_single,
         oracle::tflite_single);
    relu(q::tflite::leaky_relu<std::int16_t>{}, x, alpha, y, code(1024), code(32768), 1, oracle::derive_tflite_double,
         oracle::tflite_double);
    // Some scales are so fine that the relu is shifted to the right.
    const float x_of_swish = x * to_float(random_real(random, 1, -6, 0));
    const auto swish = q::tflite::hard_swish<std::int8_t>::derive(x_of_swish, zero_x, y, zero_y);
    if (!ok(swish.status)) continue;  // an output scale 128 times finer than x is refused
    for (int v = -128; v < 128; ++v) {
      const auto& s = swish.value;
      const auto expected =
          oracle::clamp(oracle::wide{oracle::tflite_hard_swish(v - zero_x, s.output.mantissa, 15 - s.output.right_shift,
                                                               s.relu.mantissa, 15 - s.relu.right_shift)} +
                            zero_y,
                        -128, 127);
      t.check(s(static_cast<std::int8_t>(v)) == expected, [&] { return text(v); });
    }
  }
  t.finish("leaky relus and hard swishes");
}

#include <dyadic/explain.hpp>

#include <dyadic/schemes.hpp>
#include <dyadic/thresholds.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "../support/catch.hpp"
#include "../support/multipliers.hpp"

namespace q = dyadic;

namespace {

constexpr std::int32_t one = 1 << 30;

static_assert(q::explain<q::tflite::double_rounding>(1, {one, 32}).value() == 1);
static_assert(q::explain<q::tosa::scale32>(1, {one, 32}).value() == 0);
static_assert(q::explain<q::tflite::double_rounding>(1, {one, 32}).end()[-1].dropped == q::remainder::half);

template <class Scheme>
std::string steps(typename Scheme::accumulator acc, typename Scheme::multiplier_type m) {
  return q::to_string(q::explain<Scheme>(acc, m)).c_str();
}

struct halving {
  using accumulator = std::int32_t;
  using multiplier_type = q::multiplier32;
  static constexpr bool valid(multiplier_type) noexcept { return true; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc / 2; }
};

/// Returns whether the step names the dropped part of x and the direction of the rounding correctly.
bool is_rounding_of(std::int64_t x, const q::step& s) {
  const auto bits = static_cast<std::uint64_t>(x);
  const std::uint64_t dropped = bits & ((std::uint64_t{1} << s.bits) - 1), half = std::uint64_t{1} << (s.bits - 1);
  const q::remainder expected = dropped == 0     ? q::remainder::none
                                : dropped < half ? q::remainder::below_half
                                : dropped > half ? q::remainder::above_half
                                                 : q::remainder::half;
  return s.dropped == expected && s.value == (x >> s.bits) + (s.went_up ? 1 : 0) && (dropped != 0 || !s.went_up);
}

}  // namespace

TEST_CASE("the last step of every scheme is its result, and each rounding rounds the step before it") {
  support::random_bits random;
  q::all_schemes.each([&](auto s) {
    using scheme = typename decltype(s)::scheme;
    using accumulator = typename scheme::accumulator;
    const std::int64_t bits = q::detail::accumulator_bits<scheme>::value;
    std::vector<std::int64_t> accs{0, 1, -1, 3, -3, 1000, -1001, 123456789, -123456789};
    for (int k = 5; k < bits - 1; k += 3) {
      const std::int64_t power = std::int64_t{1} << k;
      accs.insert(accs.end(), {power, power - 1, power / 2 * 3, -power, -power - 1, -power / 2 * 3});
    }
    accs.insert(accs.end(), {q::accumulators_of<scheme>().low, q::accumulators_of<scheme>().high});
    bool same = true, consistent = true;
    for (const auto m : support::multipliers<typename scheme::multiplier_type>()) {
      if (!scheme::valid(m) || !random.one_in(1 + DYADIC_TEST_DIVISOR / 4)) continue;
      for (const std::int64_t acc : accs) {
        const q::explanation e = q::explain<scheme>(static_cast<accumulator>(acc), m);
        same = same && e.value() == scheme::apply(static_cast<accumulator>(acc), m);
        const q::step* before = nullptr;
        for (const q::step& present : e) {
          if (present.kind == q::step_kind::rounding && present.bits > 0 && present.bits < 63 && bits < 64)
            consistent = consistent && is_rounding_of(before == nullptr ? acc : before->value, present);
          before = &present;
        }
      }
    }
    INFO(s.name);
    CHECK(same);
    CHECK(consistent);
  });
}

namespace {

/// Returns whether an explanation has exactly these steps.
bool has_steps(const q::explanation& e, const std::vector<q::step>& expected) {
  const auto same = [](const q::step& a, const q::step& b) {
    return a.kind == b.kind && a.bits == b.bits && a.operand == b.operand && a.value == b.value && a.real.bits == b.real.bits &&
           a.dropped == b.dropped && a.went_up == b.went_up;
  };
  return std::equal(e.begin(), e.end(), expected.begin(), expected.end(), same);
}

}  // namespace

TEST_CASE("a step has its operand, bits and value, and 0 for each missing member") {
  using kind = q::step_kind;
  using dropped = q::remainder;
  constexpr std::int64_t power_31 = std::int64_t{1} << 31, power_62 = std::int64_t{1} << 62;
  constexpr std::int64_t most = q::int32_max;
  CHECK(has_steps(q::explain<q::tflite::double_rounding>(1, {one, 29}),
                  {{kind::pre_shift, 2, 0, 4, {}, {}, false},
                   {kind::product, 64, one, 4 * std::int64_t{one}, {}, {}, false},
                   {kind::rounding, 31, 0, 2, {}, dropped::none, false}}));
  CHECK(has_steps(q::explain<q::xnnpack::rndna>(one, {1 << 17, 16}), {{kind::product, 64, 1 << 17, power_31 << 16, {}, {}, false},
                                                                      {kind::rounding, 16, 0, power_31, {}, dropped::none, false},
                                                                      {kind::narrowing, 32, 0, -power_31, {}, {}, false}}));
  CHECK(has_steps(q::explain<q::xnnpack::rndnu16>(5, {1 << 14, 15}),
                  {{kind::product, 64, 1 << 14, 5 << 14, {}, {}, false}, {kind::rounding, 15, 0, 3, {}, dropped::half, true}}));
  CHECK(has_steps(q::explain<q::xnnpack::rndnu16>(20000, {1 << 14, 14}),
                  {{kind::product, 64, 2, 40000, {}, {}, false},
                   {kind::narrowing, 16, 0, 32767, {}, {}, false},
                   {kind::product, 64, 1 << 14, 32767 << 14, {}, {}, false},
                   {kind::rounding, 15, 0, 16384, {}, dropped::half, true}}));
  CHECK(has_steps(q::explain<q::tflite::avx2>(q::int32_max, {q::int32_max, 33}),
                  {{kind::product, 64, most, most * most, {}, {}, false},
                   {kind::rounding, 31, 0, most - 1, {}, dropped::below_half, false},
                   {kind::narrowing, 32, 0, most, {}, {}, false}}));
  CHECK(has_steps(q::explain<q::tflite::avx2>(q::int32_max, {q::int32_max, 32}),
                  {{kind::product, 64, most, most * most, {}, {}, false},
                   {kind::rounding, 31, 0, most - 1, {}, dropped::below_half, false},
                   {kind::rounding, 1, 0, most / 2, {}, dropped::none, false}}));
  CHECK(has_steps(q::explain<q::cmsis_nn::requantize_s64>(most, {1 << 14, 15}),
                  {{kind::product, 64, 1 << 14, most << 14, {}, {}, false},
                   {kind::rounding, 14, 0, most, {}, dropped::none, false},
                   {kind::rounding, 1, 0, power_31 / 2, {}, dropped::half, true},
                   {kind::narrowing, 32, 0, -power_31 / 2, {}, {}, false}}));
  CHECK(has_steps(q::explain<q::exact::half_even>(power_62, {1, 0}),
                  {{kind::product, 64, 1, power_62, {}, {}, false}, {kind::rounding, 0, 0, power_62, {}, dropped::none, false}}));
  constexpr std::int64_t greatest = power_62 - 1 + power_62;
  CHECK(has_steps(q::explain<q::exact::half_even>(power_62, {4, 0}), {{kind::product, 64, 4, greatest, {}, {}, false},
                                                                      {kind::rounding, 0, 0, greatest, {}, dropped::none, false},
                                                                      {kind::narrowing, 63, 0, power_62, {}, {}, false}}));
  const q::binary64 rounded{16777216.0};
  CHECK(has_steps(q::explain<q::xnnpack::fp32>((1 << 24) + 1, q::binary32{1.0f}),
                  {{kind::conversion, 24, 0, 0, rounded, {}, false},
                   {kind::real_product, 24, 0, 0, rounded, {}, false},
                   {kind::rounding, 0, 0, 1 << 24, {}, dropped::none, false}}));
  CHECK(has_steps(q::explain<halving>(9, {}), {{kind::rule, 0, 0, 4, {}, {}, false}}));
}

TEST_CASE("an explanation keeps 8 steps, and the value of the last step") {
  q::explanation e(5);
  CHECK((e.begin() == e.end() && e.value() == 5));
  for (int i = 0; i < 10; ++i) e.add({q::step_kind::rule, 0, 0, i, {}, {}, false});
  REQUIRE(e.end() - e.begin() == 8);
  CHECK((e.end()[-1].value == 7 && e.value() == 9));
}

TEST_CASE("steps are printed as sentences") {
  CHECK(steps<q::tflite::double_rounding>(1, {one, 32}) ==
        "times 1073741824: 1073741824; rounding at bit 31: tie, up to 1; rounding at bit 1: tie, up to 1");
  CHECK(steps<q::tflite::double_rounding>(-1, {one, 32}) ==
        "times 1073741824: -1073741824; rounding at bit 31: tie, up to 0; rounding at bit 1: exact, 0");
  CHECK(steps<q::tosa::scale32>(1, {one, 32}) == "times 1073741824: 1073741824; rounding at bit 32: below half, down to 0");
  CHECK(steps<q::exact::half_even>(5, {1, 1}) == "times 1: 5; rounding at bit 1: tie, down to 2");
  CHECK(steps<q::tflite::double_rounding>(one, {one, 29}) ==
        "shifted to the left by 2: 0; times 1073741824: 0; rounding at bit 31: exact, 0");
  CHECK(
      steps<q::cmsis_nn::requantize_s64>(q::int32_max, {1 << 14, 15}) ==
      "times 16384: 35184372072448; rounding at bit 14: exact, 2147483647; rounding at bit 1: tie, up to 1073741824; to 32 bits: "
      "-1073741824");
  CHECK(steps<q::xnnpack::fp32>(3, q::binary32{0x1.555556p-3f}) == "times the scale: 1 * 2^-1; rounding: tie, down to 0");
  CHECK(steps<q::xnnpack::fp32>((1 << 24) + 1, q::binary32{1.0f}) ==
        "as a float of 24 digits: 16777216; times the scale: 16777216; rounding: exact, 16777216");
  CHECK(steps<q::fbgemm::floating>(1, q::binary32{-0.75f}) == "times the scale: -3 * 2^-2; rounding: below half, down to -1");
  CHECK(steps<q::fbgemm::floating>(0, q::binary32{-0.75f}) == "times the scale: 0; rounding: exact, 0");
  CHECK(steps<q::onednn::f32>(1 << 30, {0x1p120f, 0.0f, 1.0f}) ==
        "times the scale: infinity; times the scale: NaN; times the scale: NaN; rounding: exact, 0");
  CHECK(steps<q::tflite::avx2>(q::int32_max, {q::int32_max, 62}) ==
        "times 2147483647: 4611686014132420609; rounding at bit 31: below half, down to 2147483646; to 32 bits: 2147483647");
  CHECK(steps<halving>(9, {}) == "by the rule: 4");
}

TEST_CASE("a report ends with the steps of both rules at the first difference") {
  const auto a = q::rule_of<q::tflite::double_rounding>({one, 32}, q::range_of<std::int8_t>());
  const auto b = q::rule_of<q::tosa::scale32>({one, 32}, q::range_of<std::int8_t>());
  const auto found = q::compare_thresholds(a, b, {0, 3});
  REQUIRE(found.status == q::status::ok);
  CHECK(std::string(q::explain(found.value, a, b).c_str()) ==
        "1 of 4 differ; the first at 1, 1 and 0; the smallest at 1, 1 and 0; the worst by 1 at 1, 1 and 0\n"
        "a: times 1073741824: 1073741824; rounding at bit 31: tie, up to 1; rounding at bit 1: tie, up to 1\n"
        "b: times 1073741824: 1073741824; rounding at bit 32: below half, down to 0");
  CHECK(std::string(q::explain(q::difference{4, 0, {}, {}, 0}, a, b).c_str()) == "none of 4 differ");
}

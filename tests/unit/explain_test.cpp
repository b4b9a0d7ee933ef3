#include <dyadic/explain.hpp>

#include <dyadic/schemes.hpp>
#include <dyadic/thresholds.hpp>

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

/// What a rounding of x by so many bits drops, and where it goes.
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

TEST_CASE("the last step of every scheme is what it applies, and each rounding is of the step before it") {
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

TEST_CASE("steps are sentences") {
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
  CHECK(steps<q::onednn::f32>(1 << 30, {0x1p120f, 0.0f, 1.0f}) ==
        "times the scale: infinity; times the scale: NaN; times the scale: NaN; rounding: exact, 0");
  CHECK(steps<q::tflite::avx2>(q::int32_max, {q::int32_max, 62}) ==
        "times 2147483647: 4611686014132420609; rounding at bit 31: below half, down to 2147483646; to 32 bits: 2147483647");
  CHECK(steps<halving>(9, {}) == "by the rule: 4");
}

TEST_CASE("a report ends with how either rule comes to the first difference") {
  const auto a = q::rule_of<q::tflite::double_rounding>({one, 32}, q::range_of<std::int8_t>());
  const auto b = q::rule_of<q::tosa::scale32>({one, 32}, q::range_of<std::int8_t>());
  const auto found = q::differing(a, b, {0, 3});
  REQUIRE(found.status == q::status::ok);
  CHECK(std::string(q::explain(found.value, a, b).c_str()) ==
        "1 of 4 differ; the first at 1, 1 and 0; the worst by 1 at 1, 1 and 0\n"
        "a: times 1073741824: 1073741824; rounding at bit 31: tie, up to 1; rounding at bit 1: tie, up to 1\n"
        "b: times 1073741824: 1073741824; rounding at bit 32: below half, down to 0");
  CHECK(std::string(q::explain(q::difference{4, 0, {}, {}, 0}, a, b).c_str()) == "none of 4 differ");
}

// Sigmoid and tanh against gemmlowp's text, and the three engines' int16 results against the real functions.

#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/elementwise/tanh.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../oracle/fixed_point.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;
namespace gemmlowp = q::gemmlowp;
namespace tflite = q::tflite;
using q::status;

namespace {

/// Checks some x <= 0 of Qi: the ends, values around each multiple of a power of two, and random values.
template <class Check>
void for_some_negative(const Check& check) {
  for (std::int64_t x = -8; x <= 0; ++x) check(x);
  for (int n = 4; n <= 31; ++n)
    for (std::int64_t d = -2; d <= 2; ++d)
      for (const int m : {1, 3, 5, 7})
        if (const std::int64_t x = -(std::int64_t{m} << n >> 2) + d; x >= -INT32_MAX) check(x);
  support::random_bits random{support::sample_seed(17)};
  for (int i = 0; i < support::samples(20000); ++i) check(-static_cast<std::int64_t>(random.of_random_length(31)));
}

template <int IntegerBits>
void check_functions() {
  for_some_negative([](std::int64_t x) {
    const auto raw = static_cast<std::int32_t>(x);
    INFO("Q" << IntegerBits << " " << x);
    REQUIRE(gemmlowp::exp_on_negative_values<IntegerBits>(raw) == oracle::exp_on_negative_values({x, IntegerBits}).raw);
    for (const std::int32_t y : {raw, -raw}) {
      REQUIRE(gemmlowp::logistic<IntegerBits>(y) == oracle::logistic({y, IntegerBits}).raw);
      if constexpr (IntegerBits < 8) REQUIRE(gemmlowp::tanh<IntegerBits>(y) == oracle::tanh({y, IntegerBits}).raw);
    }
    REQUIRE(gemmlowp::one_over_one_plus_x(-raw) == oracle::one_over_one_plus_x({-x, 0}).raw);
    REQUIRE(gemmlowp::one_minus_x_over_one_plus_x(-raw) == oracle::one_minus_x_over_one_plus_x({-x, 0}).raw);
  });
}

/// The number of outputs that differ from the nearest int16, and the largest difference.
struct differences {
  int count = 0;
  int worst = 0;
};
template <class Rule, class Function>
differences from_nearest(const Rule& rule, const Function& function) {
  differences d;
  for (int x = -32768; x <= 32767; ++x) {
    const long nearest = std::min(32767L, std::lround(32768.0L * function(x / 4096.0L)));
    const int off = std::abs(rule(static_cast<std::int16_t>(x)) - static_cast<int>(nearest));
    d.count += off != 0;
    d.worst = std::max(d.worst, off);
  }
  return d;
}

long double real_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double real_tanh(long double x) { return std::tanh(x); }

}  // namespace

TEST_CASE("functions of fixed-point numbers equal those written from gemmlowp's text") {
  check_functions<0>();
  check_functions<2>();
  check_functions<4>();
  check_functions<5>();
  check_functions<6>();
  check_functions<12>();
}

TEST_CASE("functions of fixed-point numbers are close to the real functions") {
  long double worst_exp = 0;
  long double worst_logistic = 0;
  long double worst_tanh = 0;
  for (std::int64_t x = -(std::int64_t{1} << 31) + 1; x <= 0; x += 40009) {
    const auto raw = static_cast<std::int32_t>(x);
    const long double real = std::ldexp(static_cast<long double>(x), -27);
    const auto error = [](std::int32_t y, long double f) { return std::abs(y - std::ldexp(f, 31)); };
    worst_exp = std::max(worst_exp, error(gemmlowp::exp_on_negative_values<4>(raw), std::exp(real)));
    worst_logistic = std::max(worst_logistic, error(gemmlowp::logistic<4>(raw), real_sigmoid(real)));
    worst_tanh = std::max(worst_tanh, error(gemmlowp::tanh<4>(raw), real_tanh(real)));
  }
  INFO("exp " << worst_exp << ", logistic " << worst_logistic << ", tanh " << worst_tanh << " units of 2^-31");
  CHECK(worst_exp < 1100);  // the polynomial of degree 4 on a quarter: (1/8)^5 / 5! * 2^31 is 546
  CHECK(worst_logistic < 1100);
  CHECK(worst_tanh < 1100);
  CHECK(worst_exp > 10);
}

TEST_CASE("sigmoid and tanh of int8 equal TFLite's for all inputs") {
  int rules = 0;
  support::random_bits random{support::sample_seed(18)};
  const auto check_scale = [&](q::binary32 scale, int zero_point) {
    const auto sigmoid = tflite::sigmoid<std::int8_t>::derive(scale, zero_point);
    const auto tanh = tflite::tanh<std::int8_t>::derive(scale, zero_point);
    REQUIRE(sigmoid.status == status::ok);
    REQUIRE(check(sigmoid.value) == status::ok);
    REQUIRE(tanh.value.multiplier == sigmoid.value.multiplier);
    const auto [multiplier, shift] = tflite::to_pair(sigmoid.value.multiplier);
    for (int x = -128; x <= 127; ++x) {
      const auto input = static_cast<std::int8_t>(x);
      INFO("scale bits " << scale.bits << ", zero point " << zero_point << ", x " << x);
      REQUIRE(sigmoid.value(input) ==
              oracle::tflite_activation_s8(x, zero_point, sigmoid.value.radius, multiplier, shift, oracle::logistic, 8, -128));
      REQUIRE(tanh.value(input) ==
              oracle::tflite_activation_s8(x, zero_point, tanh.value.radius, multiplier, shift, oracle::tanh, 7, 0));
    }
    ++rules;
  };
  for (int exponent = 127 - 28; exponent < 127 + 10; ++exponent)
    for (const unsigned fraction : {0u, 1u, 0x2AAAABu, 0x400000u, 0x7FFFFFu})
      for (const int zero_point : {-128, -1, 0, 127})
        check_scale(q::binary32::from_bits((static_cast<unsigned>(exponent) << 23) | fraction), zero_point);
  for (int i = 0; i < support::samples(300); ++i)
    check_scale(q::binary32::from_bits(static_cast<std::uint32_t>(random.between(0x3A00'0000, 0x40FF'FFFF))),
                static_cast<int>(random.between(-128, 127)));
  CHECK(rules > 0);
}

namespace {

/// Returns a function whose result is rounded to binary32, correctly except for the earlier rounding of long double.
template <class Function>
auto in_binary32(const Function& function) {
  return [function](q::binary32 x) { return q::binary32{static_cast<float>(function(static_cast<long double>(x.to_float())))}; };
}
using entries_of_int16 = std::array<std::int16_t, 513>;

template <class Function>
entries_of_int16 by_tflite(const Function& function) {
  entries_of_int16 entries{};
  REQUIRE(tflite::table<std::int16_t>::populate(in_binary32(function), 0x1p-12f, 0, 0x1p-15f, 0, entries) == status::ok);
  return entries;
}
template <class Function>
entries_of_int16 by_executorch(const Function& function) {
  entries_of_int16 entries{};
  REQUIRE(q::executorch::arm::populate<std::int16_t>(in_binary32(function), 0x1p-12, 0, 0x1p-15, 0, entries) == status::ok);
  return entries;
}

void check_differences(const char* name, differences of_sigmoid, differences of_tanh, long sigmoid, int worst_sigmoid, long tanh,
                       int worst_tanh) {
  std::printf("int16 by %s, off the nearest: sigmoid %.1f %% by %d, tanh %.1f %% by %d\n", name, of_sigmoid.count / 655.36,
              of_sigmoid.worst, of_tanh.count / 655.36, of_tanh.worst);
  CHECK(std::lround(of_sigmoid.count / 65.536) == sigmoid);
  CHECK(of_sigmoid.worst == worst_sigmoid);
  CHECK(std::lround(of_tanh.count / 65.536) == tanh);
  CHECK(of_tanh.worst == worst_tanh);
}

}  // namespace

TEST_CASE("sigmoid and tanh of int16 by the table of 256 entries have the known errors") {
  check_differences("256 entries", from_nearest(tflite::sigmoid<std::int16_t>::from_pair(0, 0), real_sigmoid),
                    from_nearest(tflite::tanh<std::int16_t>::from_pair(0, 0), real_tanh), 128, 1, 277, 1);
}

TEST_CASE("sigmoid and tanh of int16 by the tables of 513 entries have the known errors") {
  {
    const entries_of_int16 of_sigmoid = by_tflite(real_sigmoid);
    const entries_of_int16 of_tanh = by_tflite(real_tanh);
    check_differences("TFLite's 513 entries", from_nearest(tflite::table<std::int16_t>{of_sigmoid}, real_sigmoid),
                      from_nearest(tflite::table<std::int16_t>{of_tanh}, real_tanh), 404, 2, 450, 6);
  }
  const entries_of_int16 of_sigmoid = by_executorch(real_sigmoid);
  const entries_of_int16 of_tanh = by_executorch(real_tanh);
  check_differences("ExecuTorch's 513 entries", from_nearest(q::executorch::arm::table{of_sigmoid}, real_sigmoid),
                    from_nearest(q::executorch::arm::table{of_tanh}, real_tanh), 216, 1, 271, 4);
}

TEST_CASE("lookups with interpolation equal their published text for all inputs") {
  support::random_bits random{support::sample_seed(19)};
  for (int t = 0; t < 4; ++t) {
    entries_of_int16 entries{};
    for (std::int16_t& entry : entries)
      entry = static_cast<std::int16_t>(t == 0 ? random.between(-32768, 32767) : random.integer(15 - 4 * t));
    const bool is_legal = check(q::tosa::table<std::int16_t>{entries}) == status::ok;
    CHECK(is_legal == (t != 0));
    for (int x = -32768; x <= 32767; ++x) {
      const auto input = static_cast<std::int16_t>(x);
      const int index = (x + 32768) / 128;
      const int rest = (x + 32768) % 128;
      const std::int64_t base = entries[static_cast<std::size_t>(index)];
      const std::int64_t slope = entries[static_cast<std::size_t>(index + 1)] - base;
      const auto wrapped = [](std::int64_t v) { return static_cast<std::int64_t>(static_cast<std::int16_t>(v)); };
      INFO(t << " " << x);
      REQUIRE(tflite::table<std::int16_t>{entries}(input) == wrapped(base + oracle::half_up(wrapped(slope) * rest, 7)));
      REQUIRE(q::tosa::table<std::int16_t>{entries}(input) == base * 128 + slope * rest);
      REQUIRE(q::executorch::arm::table{entries}(input) == oracle::half_up(base * 128 + slope * rest, 7));
    }
  }
}

TEST_CASE("each entry of the table of sigmoids is raised by half of the interpolation error after it") {
  const auto s = [](long double i) { return 65536 * real_sigmoid(i / 24); };
  for (int i = 0; i < 255; ++i) {
    INFO(i);
    const long double error = (s(i) + s(i + 1)) / 2 - s(i + 0.5L);
    CHECK(tflite::sigmoid_table[i] == std::lround(s(i) - error / 2));
  }
  CHECK(tflite::sigmoid_table[255] == 65535);
}

TEST_CASE("a scale counts as a power of two where TFLite's logarithm says so") {
  // Each operation is rounded to binary32; the logarithms are correctly rounded.
  const auto checked_log2 = [](q::binary32 scale) -> float {
    const auto log = static_cast<float>(std::log(static_cast<long double>(scale.to_float())));
    const auto log_of_2 = static_cast<float>(std::log(2.0L));
    const q::binary32 product = multiply(q::binary32{log}, divide(q::binary32{1.0f}, q::binary32{log_of_2}));
    return product.to_float();
  };
  for (const int exponent : {-12, -11})
    for (int d = -13000; d <= 13000; ++d) {
      const auto scale =
          q::binary32::from_bits((static_cast<std::uint32_t>(127 + exponent) << 23) + static_cast<std::uint32_t>(d));
      // The difference from a nearby integer is exact.
      const bool passes = std::abs(checked_log2(scale) - static_cast<float>(exponent)) < 1e-3f;
      INFO(scale.bits);
      const bool is_for_tanh = tflite::tanh<std::int16_t>::derive(scale).value.multiplier ==
                               tflite::tanh<std::int16_t>::from_pair(0, exponent + 12).multiplier;
      REQUIRE(is_for_tanh == passes);
      if (exponent == -12)
        REQUIRE((tflite::sigmoid<std::int16_t>::derive(scale).value.multiplier ==
                 tflite::sigmoid<std::int16_t>::from_pair(0, 0).multiplier) == passes);
    }
}

// Softmax against the engines' text and against the real function, for rows of many lengths.

#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../oracle/softmax.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;
namespace cmsis_nn = q::cmsis_nn;
namespace tflite = q::tflite;
using q::status;
using support::random_bits;

namespace {

template <class X>
std::vector<X> random_row(random_bits& random, std::size_t size) {
  std::vector<X> x(size);
  const auto center = random.between(q::limits<X>::min, q::limits<X>::max);
  const int spread = random.below(sizeof(X) == 1 ? 9 : 17);
  const bool has_equal_ones = random.one_in(3);
  for (X& v : x) v = q::saturate<X>(center + (has_equal_ones && !random.one_in(8) ? 0 : random.integer(spread)));
  return x;
}

template <class Rule, class X>
std::vector<int> output_of(const Rule& rule, const std::vector<X>& x) {
  std::vector<typename Rule::value_type> y(x.size());
  const auto cols = static_cast<q::index_t>(x.size());
  const q::softmax_layer layer{rule};
  const status expected = cols <= Rule::longest_row ? status::ok : status::accumulator_overflow;
  REQUIRE(check(layer, q::matrix_view(x, 1, cols), q::matrix_view(y, 1, cols)) == expected);
  run(layer, q::matrix_view(x, 1, cols), q::matrix_view(y, 1, cols));
  return {y.begin(), y.end()};
}

template <class X>
std::vector<int> as_ints(const std::vector<X>& x) {
  return {x.begin(), x.end()};
}

std::size_t random_length(random_bits& random) {
  return 1 + static_cast<std::size_t>(random.one_in(20) ? random.below(600) : random.below(40));
}

template <class Y, class Scheme, class Multiply>
void check_int8(random_bits& random, const Multiply& multiply) {
  for (int i = 0; i < support::samples(1500); ++i) {
    const auto scale = q::binary32::from_bits(static_cast<std::uint32_t>(random.between(0x3A00'0000, 0x43FF'FFFF)));
    const auto rule = tflite::softmax<std::int8_t, Y, Scheme>::derive(scale, 1.0f);
    REQUIRE(rule.status == status::ok);
    const auto [multiplier, shift] = tflite::to_pair(rule.value.multiplier);
    const auto x = random_row<std::int8_t>(random, random_length(random));
    const std::vector<int> expected =
        oracle::tflite_softmax_s8(as_ints(x), rule.value.least_difference, 8 * static_cast<int>(sizeof(Y)),
                                  [&, m = multiplier, s = shift](int d) { return d == 0 ? 0 : multiply(d, m, s); });
    INFO("scale bits " << scale.bits << ", elements " << x.size());
    const std::vector<int> y = output_of(rule.value, x);
    if (!expected.empty()) REQUIRE(y == expected);
    REQUIRE((!expected.empty() || static_cast<q::index_t>(x.size()) > rule.value.longest_row));
  }
}

/// The tables of exp on -10 .. 0 and of 1 / (1 + x) on 0 .. 1, as TFLite fills them.
struct softmax_tables {
  std::array<std::int16_t, 513> exp{};
  std::array<std::int16_t, 513> reciprocal{};
};
softmax_tables make_tables() {
  softmax_tables t;
  const q::binary32 tenth = divide(q::binary32{10.0f}, q::binary32{65535.0f});
  const q::binary32 one = divide(q::binary32{1.0f}, q::binary32{65535.0f});
  const q::binary32 two = divide(q::binary32{2.0f}, q::binary32{65535.0f});
  const auto exp = [](q::binary32 x) {
    return q::binary32{static_cast<float>(std::exp(static_cast<long double>(x.to_float())))};
  };
  const auto reciprocal = [](q::binary32 x) { return divide(q::binary32{1.0f}, add(q::binary32{1.0f}, x)); };
  using table = tflite::table<std::int16_t>;
  REQUIRE(table::populate(exp, tenth, 32767, two, 0, t.exp) == status::ok);
  REQUIRE(table::populate(reciprocal, one, -32768, two, 0, t.reciprocal) == status::ok);
  return t;
}

template <class Rule>
Rule rule_of(const softmax_tables& t, q::multiplier32 m) {
  Rule rule{};
  rule.multiplier = m;
  rule.exponential = {t.exp};
  rule.reciprocal = {t.reciprocal};
  return rule;
}

}  // namespace

TEST_CASE("softmax of int8 equals TFLite's") {
  random_bits random{support::sample_seed(20)};
  check_int8<std::int8_t, tflite::double_rounding>(random, oracle::tflite_double);
  check_int8<std::int16_t, tflite::double_rounding>(random, oracle::tflite_double);
  check_int8<std::int8_t, tflite::single_rounding>(random, oracle::tflite_single);
  check_int8<std::int16_t, tflite::single_rounding>(random, oracle::tflite_single);
}

TEST_CASE("softmax of int8 gives equal elements equal shares in rows of any length") {
  const auto to_int8 = tflite::softmax<std::int8_t>::derive(0.1f, 1.0f).value;
  const auto to_int16 = tflite::softmax<std::int8_t, std::int16_t>::derive(0.1f, 1.0f).value;
  for (const std::size_t size : {1u, 2u, 3u, 255u, 256u, 510u, 511u, 512u, 513u, 4095u, 4096u, 8191u, 8192u, 65536u, 1000000u}) {
    const std::vector<std::int8_t> x(size, std::int8_t{-5});
    INFO(size);
    const long share8 = std::min(127L, std::lround(256.0 / static_cast<double>(size)) - 128);
    const long share16 = std::min(32767L, std::lround(65536.0 / static_cast<double>(size)) - 32768);
    // 512 equal elements give a tie, 1/2. The engine gives the lower value.
    CHECK(output_of(to_int8, x) == std::vector<int>(size, static_cast<int>(size == 512 ? -128 : share8)));
    const int y = output_of(to_int16, x).front();
    CHECK(std::abs(y - share16) <= 1);
  }
}

TEST_CASE("softmax of int16 equals TFLite's, and CMSIS-NN's with its wraps") {
  const softmax_tables t = make_tables();
  random_bits random{support::sample_seed(21)};
  int differing = 0;
  for (int i = 0; i < std::max(support::samples(6000), 300); ++i) {
    const auto mantissa = static_cast<std::int32_t>(random.between(1 << 30, q::int32_max));
    const int shift = static_cast<int>(random.between(-4, 7));
    const q::multiplier32 m = tflite::from_pair(mantissa, shift);
    const auto x = random_row<std::int16_t>(random, random_length(random));
    INFO("multiplier " << mantissa << ", shift " << shift << ", elements " << x.size());
    const auto with = [&, shift](auto multiply) { return [=](int d) { return multiply(d, mantissa, shift); }; };
    const auto expected = [&](bool wraps, auto multiply) {
      return oracle::softmax_s16(as_ints(x), t.exp.data(), t.reciprocal.data(), wraps, with(multiply));
    };
    using int16 = std::int16_t;
    const auto by_tflite = output_of(rule_of<tflite::softmax<int16>>(t, m), x);
    const auto by_cmsis_nn = output_of(rule_of<cmsis_nn::softmax<int16>>(t, m), x);
    REQUIRE(by_tflite == expected(false, oracle::tflite_double));
    REQUIRE(by_cmsis_nn == expected(true, oracle::cmsis_double));
    REQUIRE(output_of(rule_of<tflite::softmax<int16, int16, tflite::single_rounding>>(t, m), x) ==
            expected(false, oracle::tflite_single));
    REQUIRE(output_of(rule_of<cmsis_nn::softmax<int16, int16, cmsis_nn::single_rounding>>(t, m), x) ==
            expected(true, oracle::cmsis_single));
    differing += by_tflite != by_cmsis_nn;
  }
  std::printf("softmax of int16: %d rows in which CMSIS-NN wraps\n", differing);
  CHECK(differing > 0);
}

namespace {

using tosa8 = q::tosa::softmax<std::int8_t>;
tosa8 rule_of(const q::tosa::softmax_tables& t, std::int32_t y_zero_point = -128) {
  return {{{t.bytes[0]}, {t.bytes[1]}, {t.bytes[2]}, {t.bytes[3]}}, y_zero_point};
}

}  // namespace

TEST_CASE("each of the four tables of an exponential holds one byte of TFLite's entries") {
  for (const float scale : {0x1p-9f, 0x1p-4f, 0.1f, 0.37f, 3.0f, 64.0f}) {
    const auto t = q::tosa::softmax_tables_of(scale, 1.0f);
    const auto rule = tflite::softmax<std::int8_t>::derive(scale, 1.0f);
    REQUIRE((t.status == status::ok && rule.status == status::ok && check(rule_of(t.value)) == status::ok));
    const auto [multiplier, shift] = tflite::to_pair(rule.value.multiplier);
    for (int i = 0; i < 513; ++i) {
      const int d = i - 256;
      const std::int64_t e =
          d > 0 || d < rule.value.least_difference
              ? 0
              : oracle::exp_on_negative_values({d == 0 ? 0 : oracle::tflite_double(d, multiplier, shift), 5}).raw;
      for (int k = 0; k < 4; ++k) REQUIRE(t.value.bytes[k][i] == (e >> (24 - 8 * k)) % 256);
    }
  }
}

TEST_CASE("softmax of int8 by TOSA's operators equals their sequence, and TFLite's, for all rows of three") {
  random_bits random{support::sample_seed(23)};
  int differing = 0, rows = 0;
  const auto compare = [&](float scale, const q::tosa::softmax_tables& t, const std::vector<std::int8_t>& x, int zero) {
    const std::vector<int> y = output_of(rule_of(t, zero), x);
    REQUIRE(y == oracle::tosa_softmax_s8(as_ints(x), t.bytes, zero));
    if (zero != -128) return;
    ++rows;
    differing += y != output_of(tflite::softmax<std::int8_t>::derive(scale, 1.0f).value, x);
  };
  for (const float scale : {0.007f, 0.0625f, 0.3f}) {
    const auto t = q::tosa::softmax_tables_of(scale, 1.0f).value;
    for (int a = -128; a < 128; a += DYADIC_TEST_DIVISOR)
      for (int b = -128; b <= a; ++b) compare(scale, t, {127, static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)}, -128);
  }
  for (int i = 0; i < support::samples(1500); ++i) {
    const auto scale = q::binary32::from_bits(static_cast<std::uint32_t>(random.between(0x3A00'0000, 0x42FF'FFFF))).to_float();
    auto x = random_row<std::int8_t>(random, random_length(random));
    if (x.size() > 511) x.resize(511);
    compare(scale, q::tosa::softmax_tables_of(scale, 1.0f).value, x,
            random.one_in(3) ? static_cast<int>(random.integer(7)) : -128);
  }
  std::printf("softmax of int8: %d of %d rows differ between TOSA's operators and TFLite\n", differing, rows);
  CHECK(differing == 0);
}

TEST_CASE("no product leaves int32 with the reciprocals of all sums of int8") {
  std::int32_t greatest = 0;
  for (std::int32_t sum = 1 << 27; sum < 1 << 28; sum += DYADIC_TEST_DIVISOR == 1 ? 1 : 1009)
    greatest = std::max(greatest, q::tosa::detail::reciprocal_of_half(sum * 8));
  CHECK(greatest == 1 << 30);
}

TEST_CASE("softmax of int8 by TOSA's operators is right for rows of any length") {
  const auto t = q::tosa::softmax_tables_of(0.1f, 1.0f).value;
  for (const std::size_t size : {1u, 2u, 255u, 511u, 512u, 513u, 4095u, 4096u, 65536u, 1000000u}) {
    const std::vector<std::int8_t> x(size, std::int8_t{-5});
    const long share = std::min(127L, std::lround(256.0 / static_cast<double>(size)) - 128);
    CHECK(output_of(rule_of(t), x) == std::vector<int>(size, static_cast<int>(size == 512 ? -128 : share)));
  }
}

TEST_CASE("softmax of int16 by TOSA's operators equals their sequence, with its wraps") {
  const softmax_tables t = make_tables();
  using tosa16 = q::tosa::softmax<std::int16_t>;
  random_bits random{support::sample_seed(24)};
  int differing = 0;
  for (int i = 0; i < support::samples(6000); ++i) {
    const auto mantissa = static_cast<std::int32_t>(random.between(1 << 30, q::int32_max));
    const int shift = static_cast<int>(random.between(-4, 7));
    const tosa16 rule{tflite::from_pair(mantissa, shift), {t.exp}, {t.reciprocal}};
    const auto x = random_row<std::int16_t>(random, random_length(random));
    INFO("multiplier " << mantissa << ", shift " << shift << ", elements " << x.size());
    const auto rescale = [&, shift](int d) { return oracle::tosa_apply_scale_32_double(d, mantissa, 31 - shift).value; };
    const std::vector<int> y = output_of(rule, x);
    REQUIRE(y == oracle::tosa_softmax_s16(as_ints(x), t.exp.data(), t.reciprocal.data(), rescale));
    differing += y != output_of(rule_of<tflite::softmax<std::int16_t>>(t, rule.multiplier), x);
  }
  std::printf("softmax of int16: %d rows in which TOSA's operators wrap\n", differing);
  CHECK(differing > 0);
}

TEST_CASE("the shortest row that CMSIS-NN doubles has nine elements") {
  const softmax_tables t = make_tables();
  const q::multiplier32 m = tflite::softmax<std::int16_t>::derive(divide(q::binary32{10.0f}, q::binary32{65535.0f}), 1.0f).value;
  CHECK(tflite::to_pair(m).multiplier == 1 << 30);
  CHECK(tflite::to_pair(m).shift == 1);
  const auto exact = rule_of<tflite::softmax<std::int16_t>>(t, m);
  const auto wrapping = rule_of<cmsis_nn::softmax<std::int16_t>>(t, m);
  std::vector<std::int16_t> x(9, std::int16_t{32767});
  x[8] = -10049;
  CHECK(output_of(exact, x) == std::vector<int>{4095, 4095, 4095, 4095, 4095, 4095, 4095, 4095, output_of(exact, x)[8]});
  CHECK(output_of(wrapping, x) == std::vector<int>{8190, 8190, 8190, 8190, 8190, 8190, 8190, 8190, output_of(wrapping, x)[8]});
  // Rows of fewer elements have a sum below 2^18 - 1.
  for (std::size_t size = 2; size <= 8; ++size)
    for (int v = -32768; v <= 32767; v += 17) {
      std::vector<std::int16_t> fewer(size, std::int16_t{32767});
      fewer[size - 1] = static_cast<std::int16_t>(v);
      REQUIRE(output_of(wrapping, fewer) == output_of(exact, fewer));
    }
  CHECK(output_of(exact, std::vector<std::int16_t>{7}) == std::vector<int>{32767});
  CHECK(output_of(wrapping, std::vector<std::int16_t>{7}) == std::vector<int>{-32768});
}

TEST_CASE("softmax of int16 is right for rows of any length") {
  const softmax_tables t = make_tables();
  const q::multiplier32 m = tflite::from_pair(1 << 30, 1);
  for (const std::size_t size : {65538u, 65539u, 131072u, 200000u}) {
    const std::vector<std::int16_t> x(size, std::int16_t{100});
    const auto y = output_of(rule_of<tflite::softmax<std::int16_t>>(t, m), x);
    CHECK(std::all_of(y.begin(), y.end(), [&](int v) { return v == y.front(); }));
    CHECK((y.front() == 0 || y.front() == 1));  // 32768 / size is a half, and less
  }
}

TEST_CASE("softmax is close to the real softmax") {
  const softmax_tables t = make_tables();
  random_bits random{support::sample_seed(22)};
  long double worst8 = 0;
  long double worst16 = 0;
  for (int i = 0; i < 400; ++i) {
    const auto real_of = [](const auto& x, long double scale) {
      const auto most = *std::max_element(x.begin(), x.end());
      std::vector<long double> y;
      long double sum = 0;
      for (const auto v : x) sum += (y.push_back(std::exp(scale * (v - most))), y.back());
      for (auto& v : y) v /= sum;
      return y;
    };
    const auto worst_of = [](const std::vector<int>& y, const std::vector<long double>& real, long double unit,
                             long double zero) {
      long double worst = 0;
      for (std::size_t k = 0; k < y.size(); ++k) worst = std::max(worst, std::abs(y[k] + zero - real[k] * unit));
      return worst;
    };
    const auto x8 = random_row<std::int8_t>(random, 10);
    const auto rule8 = tflite::softmax<std::int8_t, std::int16_t>::derive(0.0625f, 1.0f).value;
    worst8 = std::max(worst8, worst_of(output_of(rule8, x8), real_of(x8, 0.0625L), 65536, 32768));
    const auto x16 = random_row<std::int16_t>(random, 10);
    const auto m = tflite::softmax<std::int16_t>::derive(0x1p-12f, 1.0f);
    REQUIRE(m.status == status::ok);
    const auto rule16 = rule_of<tflite::softmax<std::int16_t>>(t, m.value);
    worst16 = std::max(worst16, worst_of(output_of(rule16, x16), real_of(x16, 0x1p-12L), 32768, 0));
  }
  std::printf("softmax, off the real one at most: int8 to int16 %.2Lf, int16 %.2Lf\n", worst8, worst16);
  CHECK(worst8 < 1.5L);  // the error is 1 where 65536 saturates
  CHECK(worst16 < 20);   // the outputs reach 32767, and the tables are coarse
}

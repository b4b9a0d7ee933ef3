// Conversions between real numbers and integers, and between scales, against exact real arithmetic.

#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/exact_table.hpp>
#include <dyadic/elementwise/quantize.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/table_functions.hpp>
#include <dyadic/rescale.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "../oracle/derivations.hpp"
#include "../oracle/exact_real.hpp"
#include "../oracle/integer_schemes.hpp"
#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;
using q::status;
using std::int16_t;
using std::int32_t;
using std::int8_t;
using std::uint8_t;

namespace {

// ---- quantize

constexpr q::binary32 infinity = q::binary32::from_bits(0x7F80'0000), nan = q::binary32::from_bits(0x7FC0'0001);

struct quantize_case {
  q::binary32 x, scale;
  int32_t zero_point;
  int tflite, onnx, torch, fbgemm;
};
constexpr quantize_case quantized[] = {
    {0.5f, 1.0f, 0, 1, 0, 0, 0},
    {-0.5f, 1.0f, 0, -1, 0, 0, 0},
    {1.5f, 1.0f, 0, 2, 2, 2, 2},
    {2.5f, 1.0f, 0, 3, 2, 2, 2},
    // An odd zero point that is added first moves ties of even numbers.
    {0.5f, 1.0f, 1, 2, 1, 1, 2},
    {-0.5f, 1.0f, 1, 0, 1, 1, 0},
    {1.25f, 0.5f, -3, 0, -1, -1, 0},
    {1.25f, 0.5f, -2, 1, 0, 0, 0},
    {q::binary32::from_bits(0x3F7F'FFFF), 2.0f, 0, 0, 0, 0, 0},  // just below a tie
    {q::binary32::from_bits(0x3F80'0001), 2.0f, 0, 1, 1, 1, 1},  // just above a tie
    {-0.0f, 0.25f, 7, 7, 7, 7, 7},
    {0x1p-149f, 0x1p-126f, -1, -1, -1, -1, -1},
    {0x1p-127f, 0x1p-126f, 0, 1, 0, 0, 0},  // a subnormal number that is a tie
    {126.5f, 1.0f, 0, 127, 126, 126, 126},
    {127.5f, 1.0f, 0, 127, 127, 127, 127},
    {-128.5f, 1.0f, 0, -128, -128, -128, -128},
    {-129.5f, 1.0f, 1, -128, -128, -128, -128},
    // The reciprocal rounds: 127.499992 and 127.5, the example in FBGEMM's comment less 128.
    {0.273939937f, 0.00214854861f, -128, -1, -1, 0, 0},
    {1e30f, 1.0f, 5, 127, 127, 127, 127},
    {-1e30f, 1e-30f, 5, -128, -128, -128, -128},
    {infinity, 1.0f, 5, 127, 127, 127, 127},
    {negate(infinity), 1.0f, 5, -128, -128, -128, -128},
    {nan, 1.0f, 5, 5, 5, 5, 5},
};
template <class Rule>
constexpr int quantized_by(const quantize_case& c) {
  const auto rule = Rule::derive(c.scale, q::range_of<int8_t>(c.zero_point));
  return rule.status == status::ok ? rule.value(c.x) : 1000;
}
constexpr auto quantize_holds = [](const quantize_case& c) {
  return quantized_by<q::tflite::quantize<int8_t>>(c) == c.tflite && quantized_by<q::onnx::quantize<int8_t>>(c) == c.onnx &&
         quantized_by<q::fbgemm::quantize<int8_t>>(c) == c.torch &&
         quantized_by<q::executorch::cortex_m::quantize<int8_t>>(c) == c.torch &&
         quantized_by<q::fbgemm::quantize<int8_t, q::zero_point_inside>>(c) == c.fbgemm;
};
static_assert(first_wrong(quantized, quantize_holds) == -1);

constexpr status of_scale(q::binary32 scale, q::output_range range = q::range_of<int8_t>()) {
  const auto divides = q::tflite::quantize<int8_t>::derive(scale, range);
  const auto multiplies = q::fbgemm::quantize<int8_t>::derive(scale, range);
  return divides.status == multiplies.status ? divides.status : status::undecided;
}
static_assert(of_scale(1.0f) == status::ok && of_scale(0.0f) == status::scale_zero && of_scale(-1.0f) == status::scale_negative);
static_assert(of_scale(nan) == status::scale_not_finite && of_scale(infinity) == status::scale_not_finite);
static_assert(of_scale(1.0f, {0, 1, 0}) == status::empty_range && of_scale(1.0f, {0, -129, 0}) == status::range_out_of_type);
static_assert(of_scale(1.0f, q::range_of<int8_t>(128)) == status::zero_point_out_of_range);
static_assert(q::fbgemm::quantize<int8_t>::derive(0x1p-128f).status == status::scale_too_small);
static_assert(q::fbgemm::quantize<int8_t>::derive(0x1p-127f).status == status::ok);
static_assert(q::tflite::quantize<int8_t>::derive(0x1p-149f).status == status::ok);
static_assert(q::tflite::quantize<int8_t>::derive(0.5f, {3, -10, 20}).value(100.0f) == 20);

float any_float(random_bits& random) {
  const int kind = random.below(4);
  std::uint32_t bits = static_cast<std::uint32_t>(random());
  if (kind == 0) bits &= 0x807F'FFFFu;                                                                    // subnormal
  if (kind > 1) bits = (bits & 0x807F'FFFFu) | static_cast<std::uint32_t>(120 + random.below(16)) << 23;  // near 1
  if ((bits & 0x7F80'0000u) == 0x7F80'0000u) bits &= 0xBFFF'FFFFu;
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// A scale that makes ties with the values: a power of two, or any.
float any_scale(random_bits& random) {
  return random.one_in(2) ? std::ldexp(1.0f, random.below(20) - 10) : std::fabs(any_float(random));
}

template <class Y>
void quantize_random(random_bits& random) {
  const int32_t low = std::numeric_limits<Y>::min(), high = std::numeric_limits<Y>::max();
  const float scale = any_scale(random);
  const auto zero_point = static_cast<int32_t>(random.between(low, high));
  float x = any_float(random);
  if (random.one_in(2)) x = static_cast<float>(random.between(2 * low, 2 * high)) * 0.5f * scale;
  if (scale == 0 || !std::isfinite(x)) return;
  const auto range = q::range_of<Y>(zero_point);
  const oracle::real s = oracle::from_float(scale), value = oracle::from_float(x);
  const auto stored = [&](std::int64_t y) { return static_cast<int32_t>(oracle::clamp(oracle::wide{y}, low, high)); };
  const oracle::real divided = oracle::fl32(oracle::quotient(value, s, 24));
  INFO(x << " / " << scale << " + " << zero_point);
  REQUIRE(q::tflite::quantize<Y>::derive(scale, range).value(x) == stored(oracle::nearest_away(divided) + zero_point));
  REQUIRE(q::onnx::quantize<Y>::derive(scale, range).value(x) == stored(oracle::nearest_even(divided) + zero_point));
  const oracle::real reciprocal = oracle::fl32(oracle::quotient(oracle::from_integer(1), s, 24));
  const auto torch = q::fbgemm::quantize<Y>::derive(scale, range);
  REQUIRE((torch.status == status::scale_too_small) == (reciprocal.exponent >= oracle::infinite_exponent));
  if (torch.status != status::ok) return;
  const oracle::real product = oracle::fl32(oracle::product(value, reciprocal));
  REQUIRE(torch.value(x) == stored(oracle::nearest_even(product) + zero_point));
  const oracle::real moved = product.exponent >= oracle::infinite_exponent
                                 ? product
                                 : oracle::fl32(oracle::sum(product, oracle::from_integer(zero_point)));
  REQUIRE(q::fbgemm::quantize<Y, q::zero_point_inside>::derive(scale, range).value(x) == stored(oracle::nearest_even(moved)));
}

// ---- dequantize

template <class X, class Real>
constexpr status of_dequantize(q::binary32 scale, int32_t zero_point) {
  return q::exact::dequantize<X, Real>::derive(scale, zero_point).status;
}
static_assert(of_dequantize<int8_t, float>(0.0f, 0) == status::scale_zero);
static_assert(of_dequantize<int8_t, float>(-1.0f, 0) == status::scale_negative);
static_assert(of_dequantize<int8_t, float>(nan, 0) == status::scale_not_finite);
static_assert(of_dequantize<int8_t, float>(1.0f, 128) == status::zero_point_out_of_range);
static_assert(of_dequantize<uint8_t, float>(0x1p120f, 0) == status::ok &&
              of_dequantize<uint8_t, float>(0x1p121f, 0) == status::scale_too_large);
// 255 * 256.93 is below 65520, which rounds to the infinity of binary16.
static_assert(of_dequantize<uint8_t, q::binary16>(256.93f, 0) == status::ok);
static_assert(of_dequantize<uint8_t, q::binary16>(256.95f, 0) == status::scale_too_large);
constexpr auto tenth = q::exact::dequantize<int8_t, q::binary16>::derive(0.1f, 1).value;
static_assert(tenth(2).bits == 0x2E66 && tenth(0).bits == 0xAE66 && tenth(1).bits == 0);  // 0.1, -0.1, 0
constexpr auto tiny = q::exact::dequantize<int8_t, q::binary16>::derive(0x1p-25f, 0).value;
static_assert(tiny(1).bits == 0 && tiny(3).bits == 2 && tiny(-3).bits == 0x8002 && tiny(127).bits == 64);  // ties of subnormals
static_assert(q::tflite::dequantize<int16_t>::derive(0x1p-149f, 0).value.nearest(-3).bits == 0x8000'0003u);

template <class X>
void dequantize_random(random_bits& random) {
  const int32_t low = std::numeric_limits<X>::min(), high = std::numeric_limits<X>::max();
  const float scale = std::fabs(any_float(random));
  if (scale == 0) return;
  const auto zero_point = static_cast<int32_t>(random.between(low, high));
  const auto x = static_cast<X>(random.between(low, high));
  const oracle::real product = oracle::product(oracle::from_float(scale), oracle::from_integer(x - zero_point));
  INFO(scale << " * (" << int32_t{x} << " - " << zero_point << ")");
  const auto wide = q::tflite::dequantize<X>::derive(scale, zero_point);
  if (wide.status == status::ok)
    REQUIRE(q::binary64{wide.value(x)}.bits == q::binary64{oracle::to_double(oracle::fl32(product))}.bits);
  const auto narrow = q::exact::dequantize<X, q::binary16>::derive(scale, zero_point);
  if (narrow.status != status::ok) return;
  const int bits = narrow.value(x).bits, field = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = field == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, field - 25);
  REQUIRE((bits >> 15 != 0 ? -magnitude : magnitude) == oracle::to_double(oracle::round_to(product, 11, -24, 16)));
}

// ---- requantize

template <class X, class Y, class Scheme = q::tflite::double_rounding>
constexpr auto requantize(q::binary32 x_scale, int32_t x_zero, q::binary32 y_scale, int32_t y_zero) {
  return q::tflite::requantize<X, Y, Scheme>::derive(x_scale, x_zero, y_scale, y_zero);
}
static_assert(requantize<int8_t, int8_t>(1.0f, 0, 4.0f, 0).value(2) == 1);
static_assert(requantize<int8_t, int8_t>(1.0f, 0, 4.0f, 0).value(-2) == -1);
static_assert(requantize<int8_t, int8_t, q::tflite::single_rounding>(1.0f, 0, 4.0f, 0).value(-2) == 0);
static_assert(requantize<int8_t, int8_t>(0.0f, 0, 1.0f, 0).status == status::scale_zero);
static_assert(requantize<int8_t, int8_t>(1.0f, 128, 1.0f, 0).status == status::zero_point_out_of_range);
static_assert(requantize<int8_t, int8_t>(1.0f, 0, 1.0f, 128).status == status::zero_point_out_of_range);
static_assert(requantize<int8_t, int8_t>(0x1p40f, 0, 1.0f, 0).status == status::scale_too_large);
// int32: the difference at its ends, the left shift, the sum with the zero point of y.
static_assert(requantize<int32_t, int8_t>(1.0f, 0, 4.0f, 0).status == status::ok);
static_assert(requantize<int32_t, int8_t>(1.0f, 1, 4.0f, 0).status == status::accumulator_overflow);
static_assert(requantize<int32_t, int8_t>(1.0f, -1, 4.0f, 0).status == status::accumulator_overflow);
static_assert(requantize<int32_t, int8_t>(2.0f, 0, 1.0f, 0).status == status::accumulator_overflow);
static_assert(requantize<int16_t, int32_t>(1.0f, 0, 0x1p-15f, 0).status == status::ok);
static_assert(requantize<int16_t, int32_t>(1.0f, 0, 0x1p-15f, 1 << 30).status == status::ok);
static_assert(requantize<int16_t, int32_t>(1.0f, 0, 0x1p-15f, (1 << 30) + 32768).status == status::accumulator_overflow);
static_assert(requantize<int16_t, int32_t>(1.0f, 0, 0x1p-15f, -(1 << 30) - 1).status == status::accumulator_overflow);
static_assert(requantize<int16_t, int32_t>(1.0f, 0, 0x1p-15f, 2147483647).value(32767) == 2147483647);  // does not wrap
static_assert(requantize<int32_t, int32_t, q::tflite::single_rounding>(1.0f, 2147483647, 1.0f, 0).value(-2) ==
              2147483647);  // the difference wraps
constexpr auto flipped = requantize<int8_t, uint8_t>(0.3f, -28, 0.3f, 100).value;
constexpr bool flips() {
  for (int x = -128; x < 128; ++x)
    if (flipped(static_cast<int8_t>(x)) != (static_cast<uint8_t>(x) ^ 0x80)) return false;
  return true;
}
static_assert(flips());

template <class X, class Y, class Scheme>
void requantize_random(random_bits& random) {
  constexpr bool is_single = std::is_same_v<Scheme, q::tflite::single_rounding>;
  const std::int64_t low = std::numeric_limits<X>::min(), high = std::numeric_limits<X>::max();
  const int span = sizeof(X) == 4 ? -16 : 0;
  const float x_scale = std::ldexp(1.0f + static_cast<float>(random.below(1 << 20)) / (1 << 20), random.below(8) - 4 + span);
  const float y_scale =
      random.one_in(4) ? x_scale : std::ldexp(1.0f + static_cast<float>(random.below(1 << 20)) / (1 << 20), random.below(8) - 4);
  const auto x_zero = sizeof(X) == 4 ? 0 : static_cast<int32_t>(random.between(low, high));
  const auto y_zero =
      sizeof(Y) == 4 ? 0 : static_cast<int32_t>(random.between(std::numeric_limits<Y>::min(), std::numeric_limits<Y>::max()));
  const auto rule = requantize<X, Y, Scheme>(x_scale, x_zero, y_scale, y_zero);
  REQUIRE((rule.status == status::ok || (sizeof(X) == 4 && y_scale == x_scale)));
  const q::tflite::pair pair = q::tflite::to_pair(rule.value.multiplier);
  const double ratio =
      oracle::to_double(oracle::fl64(oracle::quotient(oracle::from_float(x_scale), oracle::from_float(y_scale), 53)));
  const auto derived = is_single ? oracle::derive_tflite_single(ratio) : oracle::derive_tflite_double(ratio);
  REQUIRE(pair.multiplier == derived.multiplier);
  REQUIRE(pair.shift == derived.shift);
  for (int i = 0; i < 8; ++i) {
    const auto x = static_cast<X>(i == 0 ? low : i == 1 ? high : random.between(low, high));
    const auto v = static_cast<int32_t>(std::int64_t{x} - x_zero);
    const std::int64_t scaled =
        is_single ? oracle::tflite_single(v, pair.multiplier, pair.shift) : oracle::tflite_double(v, pair.multiplier, pair.shift);
    REQUIRE(rule.value(x) == static_cast<Y>(oracle::clamp(oracle::wide{scaled} + y_zero, std::numeric_limits<Y>::min(),
                                                          std::numeric_limits<Y>::max())));
    if (x_scale == y_scale && x_zero == y_zero && std::is_same_v<X, Y>) REQUIRE(int64_t{rule.value(x)} == int64_t{x});
  }
}

// ---- LiteRT's concatenation

using concatenate = q::litert::concatenate;
static_assert(concatenate::derive(0.0f, 0, 1.0f, 0).status == status::scale_zero);
static_assert(concatenate::derive(1.0f, 256, 1.0f, 0).status == status::zero_point_out_of_range);
static_assert(concatenate::derive(1.0f, 0, 1.0f, -1).status == status::zero_point_out_of_range);
static_assert(concatenate::derive(0x1p100f, 0, 0x1p-100f, 0).status == status::scale_too_large);
static_assert(concatenate::derive(0x1p121f, 0, 1.0f, 0).status == status::scale_too_large);
static_assert(concatenate::derive(0x1p-140f, 0, 0x1p100f, 0).status == status::scale_too_small);
static_assert(concatenate::derive(0.5f, 10, 1.0f, 3).value(13) == 5 && concatenate::derive(0.5f, 10, 1.0f, 3).value(7) == 1);

// ---- functions of tables

static_assert(q::tflite::elu<>{}(2.5f).bits == q::binary32{2.5f}.bits &&
              q::tflite::elu<>{}(-0.0f).bits == q::binary32{-0.0f}.bits);
static_assert(q::tflite::elu<>{}(-1.0f).bits == q::binary32{-0.63212055f}.bits);
static_assert(q::litert::log<>::of<int8_t>(0.5f, 28)(-1.0f).bits == q::binary32{-78.0f}.bits);
static_assert(q::litert::log<>::of<int8_t>(0.5f, 28)(0.0f).bits == q::binary32{-78.0f}.bits);
static_assert(q::litert::log<>::of<int8_t>(0.5f, 28)(1.0f).bits == 0);

/// The function x, in either format.
struct identity {
  template <class Float>
  constexpr Float operator()(Float x) const {
    return x;
  }
};
struct filled {
  std::array<int8_t, 256> at{};
  status result;
};
constexpr filled by_tosa(double x_scale, int32_t x_zero, double y_scale, int32_t y_zero) {
  filled t{};
  t.result = q::tosa::populate(identity{}, x_scale, x_zero, y_scale, y_zero, q::view<int8_t>(t.at));
  return t;
}
constexpr filled by_vela(double x_scale, int32_t x_zero, double y_scale, int32_t y_zero) {
  filled t{};
  t.result = q::vela::populate(identity{}, x_scale, x_zero, y_scale, y_zero, q::view<int8_t>(t.at));
  return t;
}
// x = 1 is half a step of y. TOSA's table rounds it to 1 and adds -1. Vela rounds -1/2, away from zero.
static_assert(by_tosa(1, 0, 2, -1).at[129] == 0 && by_vela(1, 0, 2, -1).at[129] == -1);
static_assert(by_tosa(1, 0, 2, -1).at[127] == -2 && by_vela(1, 0, 2, -1).at[127] == -2);
static_assert(by_tosa(1, 0, 2, 1).at[127] == 0 && by_vela(1, 0, 2, 1).at[127] == 1);
static_assert(by_tosa(1, 3, 1e-300, 0).at[0] == -128 && by_vela(1, 3, 1e-300, 0).at[255] == 127);
static_assert(by_tosa(0, 0, 1, 0).result == status::scale_zero &&
              by_vela(1, 128, 1, 0).result == status::zero_point_out_of_range);

}  // namespace

TEST_CASE("quantize rounds the quotient in binary32 as each publisher does") {
  CHECK(first_wrong(at_run_time(quantized), quantize_holds) == -1);
  random_bits random;
  for (int i = 0; i < 60000; ++i) {
    quantize_random<int8_t>(random);
    quantize_random<uint8_t>(random);
    quantize_random<int16_t>(random);
  }
}

TEST_CASE("3 / 0.039215686 is a tie, which ONNX rounds to 76 and OpenVINO to 77") {
  // onnxruntime #25045: the zero point 23 gives 99 and 100. OpenVINO rounds ties away from zero, as TFLite does.
  const auto range = q::range_of<int8_t>(23);
  const auto even = q::onnx::quantize<int8_t>::derive(0.039215686f, range).value;
  const auto away = q::tflite::quantize<int8_t>::derive(0.039215686f, range).value;
  CHECK((even(3.0f) == 99 && away(3.0f) == 100));
  CHECK((even(2.0f) == 74 && away(2.0f) == 74));
  CHECK((even(-5.0f) == -104 && away(-5.0f) == -104));  // -127.4999924
  // A softmax of 1 at a scale of 1 / 256 is 256 - 128, beyond int8 (onnxruntime #29727).
  CHECK(q::onnx::quantize<int8_t>::derive(0x1p-8f, q::range_of<int8_t>(-128)).value(1.0f) == 127);
}

TEST_CASE("the sigmoid of a stored zero point is 1/2, which PyTorch's vectors miss for a scale of 1028.02") {
  // pytorch #107030: the vectors of PyTorch gave 129 / 256, and its portable code 128 / 256.
  constexpr float scale = 1028.02f;
  const auto range = q::range_of<uint8_t>(255);
  CHECK(q::fbgemm::quantize<uint8_t>::derive(scale, range).value(514.0f) == 255);
  CHECK(q::onnx::quantize<uint8_t>::derive(scale, range).value(514.0f) == 255);
  CHECK(q::exact::dequantize<uint8_t, float>::derive(scale, 255).value(255) == 0);
  std::array<uint8_t, 256> entries{};
  const q::view<uint8_t> to(entries);
  REQUIRE(q::exact::populate<q::tflite::table<uint8_t>>(q::exact::sigmoid{}, q::binary64{q::binary32{scale}}, 255, 0x1p-8, 0,
                                                        to) == status::ok);
  CHECK(entries[255] == 128);
  // The vectors dequantize by a fused product: 255 * scale - fl32(255 * scale) = 0.0112 instead of 0.
  const oracle::real product = oracle::product(oracle::from_float(scale), oracle::from_integer(255));
  const double rest = oracle::to_double(oracle::sum(product, oracle::negated(oracle::fl32(product))));
  CHECK(rest == 0x1.7p-7);
  const auto sigmoid = static_cast<float>(1 / (1 + std::exp(-rest)));
  CHECK(q::onnx::quantize<uint8_t>::derive(0x1p-8f).value(sigmoid) == 129);
}

TEST_CASE("dequantize rounds the exact product once") {
  random_bits random;
  for (int i = 0; i < 60000; ++i) {
    dequantize_random<int8_t>(random);
    dequantize_random<uint8_t>(random);
    dequantize_random<int16_t>(random);
  }
}

TEST_CASE("layers quantize and dequantize floats") {
  const float x[] = {1.25f, -0.75f, 1e30f, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(), 0};
  int8_t y[6] = {};
  const q::matrix_view<const float> in(x, 2, 3);
  const q::matrix_view<int8_t> out(y, 2, 3);
  const q::activation_layer layer{q::tflite::quantize<int8_t>::derive(0.5f, q::range_of<int8_t>(3)).value};
  REQUIRE(check(layer, in, out) == status::ok);
  run(layer, in, out);
  const int8_t expected[] = {6, 1, 127, 3, -128, 3};
  CHECK(std::equal(y, y + 6, expected));
  float back[6] = {};
  const q::activation_layer real{q::tflite::dequantize<int8_t>::derive(0.5f, 3).value};
  const q::matrix_view<float> reals(back, 2, 3);
  REQUIRE(check(real, q::matrix_view<const int8_t>(y, 2, 3), reals) == status::ok);
  run(real, q::matrix_view<const int8_t>(y, 2, 3), reals);
  CHECK(back[0] == 1.5f);
  CHECK(back[4] == -65.5f);
}

TEST_CASE("requantize is the published rescale of each pair of types") {
  random_bits random;
  for (int i = 0; i < 20000; ++i) {
    requantize_random<int8_t, int8_t, q::tflite::double_rounding>(random);
    requantize_random<int8_t, uint8_t, q::tflite::single_rounding>(random);
    requantize_random<uint8_t, int8_t, q::tflite::double_rounding>(random);
    requantize_random<int8_t, int16_t, q::tflite::double_rounding>(random);
    requantize_random<int16_t, int8_t, q::tflite::single_rounding>(random);
    requantize_random<int16_t, int16_t, q::tflite::double_rounding>(random);
    requantize_random<int8_t, int32_t, q::tflite::double_rounding>(random);
    requantize_random<int32_t, int8_t, q::tflite::double_rounding>(random);
    requantize_random<int32_t, int16_t, q::tflite::single_rounding>(random);
  }
}

TEST_CASE("LiteRT's concatenation rounds each operation, and copies equal scales") {
  random_bits random;
  for (int i = 0; i < 20000; ++i) {
    const float x_scale = std::ldexp(1.0f + static_cast<float>(random.below(1 << 23)) / (1 << 23), random.below(20) - 10);
    const float y_scale = std::ldexp(1.0f + static_cast<float>(random.below(1 << 23)) / (1 << 23), random.below(20) - 10);
    const int x_zero = random.below(256), y_zero = random.below(256), x = random.below(256);
    const auto rule = concatenate::derive(x_scale, x_zero, y_scale, y_zero);
    REQUIRE(rule.status == status::ok);
    const oracle::real k = oracle::fl32(oracle::product(
        oracle::from_float(x_scale), oracle::fl32(oracle::quotient(oracle::from_integer(1), oracle::from_float(y_scale), 24))));
    const oracle::real sum = oracle::fl32(oracle::sum(oracle::fl32(oracle::product(oracle::from_integer(x), k)),
                                                      oracle::fl32(oracle::product(oracle::from_integer(-x_zero), k))));
    REQUIRE(rule.value(static_cast<uint8_t>(x)) == oracle::clamp(oracle::wide{oracle::nearest_away(sum)} + y_zero, 0, 255));
    const auto copy = concatenate::derive(x_scale, x_zero, x_scale, x_zero);
    for (int code = 0; code < 256; ++code) REQUIRE(copy.value(static_cast<uint8_t>(code)) == code);
  }
}

TEST_CASE("tables of uint8 and of other sizes are refused or filled in the order of x") {
  std::array<uint8_t, 256> bytes{};
  CHECK(q::vela::populate(identity{}, 1.0, 0, 2.0, 0, q::view<uint8_t>(bytes)) == status::ok);
  CHECK(bytes[3] == 2);
  CHECK(bytes[255] == 128);
  std::array<int8_t, 255> few{};
  few[0] = 77;
  CHECK(q::tosa::populate(identity{}, 1.0, 0, 2.0, 0, q::view<int8_t>(few)) == status::shape_mismatch);
  CHECK(few[0] == 77);
}

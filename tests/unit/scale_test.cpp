#include <dyadic/scale.hpp>

#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include <cfloat>
#include <cstdint>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary64;

namespace {

constexpr q::binary32 infinity32 = q::binary32::from_bits(0x7F80'0000), least32 = q::binary32::from_bits(1);

struct product_case {
  q::binary32 input, weight, output;
  q::binary64 by_float, by_double;
};
constexpr product_case product_cases[] = {
    {0.5f, 0.25f, 0.125f, 1.0, 1.0},
    {1.0f, 1.0f, 3.0f, 0x1.5555555555555p-2, 0x1.5555555555555p-2},
    {3.0f, 1.0f, 1.0f, 3.0, 3.0},
    {-2.0f, 0.5f, 4.0f, -0.25, -0.25},
    // (1 + u)^2 = 1 + 2u + u^2 with u = 2^-23: only binary32 drops u^2.
    {0x1.000002p0f, 0x1.000002p0f, 1.0f, 0x1.000004p0, 0x1.0000040000040p0},
    // The product leaves binary32, but not binary64.
    {0x1p100f, 0x1p100f, 0x1p120f, infinite, 0x1p80},
    {0x1p-100f, 0x1p-100f, 0x1p-120f, 0.0, 0x1p-80},
    {least32, 0.5f, 1.0f, 0.0, 0x1p-150},
    // A division by 0, and a division of 0.
    {1.0f, 1.0f, 0.0f, infinite, infinite},
    {0.0f, 1.0f, 0.0f, quiet_nan, quiet_nan},
    {0.0f, 1.0f, 1.0f, 0.0, 0.0},
    {1.0f, infinity32, 1.0f, infinite, infinite},
    {1.0f, 1.0f, infinity32, 0.0, 0.0},
    {0.0f, infinity32, 1.0f, quiet_nan, quiet_nan},
};
constexpr auto product_holds = [](const product_case& c) {
  return q::float_product_scale(c.input, c.weight, c.output).bits == c.by_float.bits &&
         q::double_product_scale(c.input, c.weight, c.output).bits == c.by_double.bits;
};
static_assert(first_wrong(product_cases, product_holds) == -1);

/// A case of TFLite's derivation: per tensor by the float product, per channel by the double product.
struct derived_case {
  q::binary32 input, weight, output;
  q::tflite::pair tensor, channel;
};
constexpr derived_case derived_cases[] = {
    {0.1f, 0.1f, 1.0f, {1374389632, -6}, {1374389576, -6}},
    {0.5f, 0.5f, 1.0f, {1 << 30, -1}, {1 << 30, -1}},
    {0.5f, 0.25f, 0.125f, {1 << 30, 1}, {1 << 30, 1}},
    // The square of 1 - 2^-24 is 1 - 2^-23 + 2^-48.
    {0x1.fffffep-1f, 0x1.fffffep-1f, 1.0f, {0x7FFF'FF00, 0}, {0x7FFF'FF00, 0}},
};
constexpr auto derived_holds = [](const derived_case& c) {
  const auto tensor = q::tflite::double_rounding::derive(q::float_product_scale(c.input, c.weight, c.output));
  const auto channel = q::tflite::double_rounding::derive(q::double_product_scale(c.input, c.weight, c.output));
  return tensor.status == q::status::ok && tensor.value == q::tflite::from_pair(c.tensor) && channel.status == q::status::ok &&
         channel.value == q::tflite::from_pair(c.channel);
};
static_assert(first_wrong(derived_cases, derived_holds) == -1);

// A double keeps all of its bits, because ExecuTorch multiplies and divides Python's doubles.
static_assert(q::double_product_scale(0.1, 0.1, 1.0).bits == q::binary64(0.1 * 0.1).bits);
static_assert(q::double_product_scale(0.1, 3.0, 0.7).bits == q::binary64(0.1 * 3.0 / 0.7).bits);

/// Three scales, and what each engine computes of them: ((1 + u) * (1 + u)) / (1 + 2u) with u = 2^-23 is 1 if the product is
/// rounded to binary32. Else it is 1 + u^2 / (1 + 2u), which is 1 + 2^-46 in binary64.
constexpr q::binary32 x_scale = 0x1.000002p0f, w_scale = 0x1.000002p0f, y_scale = 0x1.000004p0f;
constexpr bool engines_hold() {
  constexpr q::binary64 wide = 0x1.0000000000040p0, narrow = 1.0;
  bool right = true;
  for (const auto scale : {q::tflite::conv2d_scale, q::tflite::depthwise_scale, q::tflite::transposed_conv2d_scale,
                           q::tflite::linear_channel_scale, q::executorch::conv2d_scale, q::executorch::linear_scale,
                           q::tosa::conv2d_scale, q::tosa::linear_scale, q::vela::conv2d_scale})
    right = right && scale(x_scale, w_scale, y_scale).bits == wide.bits;
  for (const auto scale :
       {q::tflite::conv2d_uint8_scale, q::tflite::linear_scale, q::tflite::matmul_scale, q::vela::linear_scale})
    right = right && scale(x_scale, w_scale, y_scale).bits == narrow.bits;
  return right;
}
static_assert(engines_hold());

/// Engines in binary32 round the quotient to binary32, too: 1/3.
constexpr bool binary32_engines_hold() {
  bool right = true;
  for (const auto scale : {q::float_scale, q::xnnpack::conv2d_scale, q::xnnpack::linear_scale, q::fbgemm::conv2d_scale,
                           q::fbgemm::linear_scale, q::onnx::conv2d_scale, q::onnx::matmul_scale})
    right = right && scale(x_scale, w_scale, y_scale).bits == q::binary32{1.0f}.bits &&
            scale(1.0f, 1.0f, 3.0f).bits == q::binary32{0x1.555556p-2f}.bits;
  return right;
}
static_assert(binary32_engines_hold());

// Each engine's scheme derives its multiplier from the engine's scale.
static_assert(q::xnnpack::fp32::derive(q::xnnpack::linear_scale(0.5f, 0.25f, 1.0f)).value.bits == q::binary32{0.125f}.bits);
static_assert(q::onnx::mlas::derive(q::onnx::conv2d_scale(0.5f, 0.25f, 1.0f)).value.bits == q::binary32{0.125f}.bits);
static_assert(q::executorch::cortex_m::derive(q::executorch::linear_scale(0.5f, 0.25f, 1.0f)).value ==
              q::multiplier32{1 << 30, 33});

constexpr int count = 100'000 / DYADIC_TEST_DIVISOR;

/// Returns a scale in 2^-20 .. 2^10.
float random_scale(random_bits& random) {
  return q::binary32::from_bits(static_cast<std::uint32_t>(random() % (30u << 23)) + ((127u - 20u) << 23)).to_float();
}

}  // namespace

TEST_CASE("each step of a scale rounds once, in the format of its name") {
  CHECK(first_wrong(at_run_time(product_cases), product_holds) == -1);
}

TEST_CASE("the two products give TFLite two multipliers") { CHECK(first_wrong(at_run_time(derived_cases), derived_holds) == -1); }

TEST_CASE("the scale of each engine and operator has the precision of its source") {
  CHECK(engines_hold());
  CHECK(binary32_engines_hold());
}

TEST_CASE("random scales are the machine's, one stored operation at a time, and mostly give two multipliers") {
  INFO("seed " << seed);
  random_bits random;
  int wrong = 0, different = 0;
  for (int i = 0; i < count; ++i) {
    const volatile float input = random_scale(random), weight = random_scale(random), output = random_scale(random);
    const volatile float product = input * weight;
    const volatile double wide_product = double{input} * double{weight};
    const volatile double by_float = double{product} / double{output}, by_double = wide_product / double{output};
    const q::binary64 a = q::float_product_scale(float{input}, float{weight}, float{output});
    const q::binary64 b = q::double_product_scale(float{input}, float{weight}, float{output});
    const volatile float by_float_alone = product / output;
    const q::binary32 c = q::float_scale(float{input}, float{weight}, float{output});
    if (FLT_EVAL_METHOD == 0) wrong += c.bits != q::binary32{float{by_float_alone}}.bits;
    wrong += c.bits != narrow(a).bits;
    if (FLT_EVAL_METHOD == 0)
      wrong += a.bits != q::binary64(double{by_float}).bits || b.bits != q::binary64(double{by_double}).bits;
    different += q::tflite::double_rounding::derive(a).value != q::tflite::double_rounding::derive(b).value;
  }
  CHECK(wrong == 0);
  CHECK(different > count / 100 * 95);
}

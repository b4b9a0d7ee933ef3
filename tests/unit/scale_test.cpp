#include <dyadic/scale.hpp>

#include <dyadic/scheme/tflite.hpp>

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
    if (FLT_EVAL_METHOD == 0)
      wrong += a.bits != q::binary64(double{by_float}).bits || b.bits != q::binary64(double{by_double}).bits;
    different += q::tflite::double_rounding::derive(a).value != q::tflite::double_rounding::derive(b).value;
  }
  CHECK(wrong == 0);
  CHECK(different > count / 100 * 95);
}

#include <dyadic/scale.hpp>

#include <dyadic/scheme/tflite.hpp>

#include "../support/catch.hpp"

#include <cfloat>
#include <cstddef>
#include <cstdint>

#ifndef DYADIC_TEST_SCALE
#define DYADIC_TEST_SCALE 1
#endif

using namespace dyadic;

namespace {

/// The index of the first case that does not hold, or -1.
template <class Case, std::size_t N, class Holds>
constexpr int first_wrong(const Case (&cases)[N], Holds holds) {
  for (std::size_t i = 0; i < N; ++i)
    if (!holds(cases[i])) return static_cast<int>(i);
  return -1;
}
/// The same object, but the compiler no longer knows it.
template <class T>
const T& at_run_time(const T& x) {
  const T* volatile p = &x;
  return *p;
}

constexpr binary64 infinity = binary64::from_bits(0x7FF0'0000'0000'0000), nan = binary64::from_bits(0x7FF8'0000'0000'0000);
constexpr binary32 infinity32 = binary32::from_bits(0x7F80'0000), least32 = binary32::from_bits(1);

struct product_case {
  binary32 input, weight, output;
  binary64 by_float, by_double;
};
constexpr product_case product_cases[] = {
    {0.5f, 0.25f, 0.125f, 1.0, 1.0},
    {1.0f, 1.0f, 3.0f, 0x1.5555555555555p-2, 0x1.5555555555555p-2},
    {3.0f, 1.0f, 1.0f, 3.0, 3.0},
    {-2.0f, 0.5f, 4.0f, -0.25, -0.25},
    // (1 + u)^2 = 1 + 2u + u^2 with u = 2^-23: only binary32 drops u^2.
    {0x1.000002p0f, 0x1.000002p0f, 1.0f, 0x1.000004p0, 0x1.0000040000040p0},
    // The product leaves binary32, not binary64.
    {0x1p100f, 0x1p100f, 0x1p120f, infinity, 0x1p80},
    {0x1p-100f, 0x1p-100f, 0x1p-120f, 0.0, 0x1p-80},
    {least32, 0.5f, 1.0f, 0.0, 0x1p-150},
    // Nothing to divide by, and nothing to divide.
    {1.0f, 1.0f, 0.0f, infinity, infinity},
    {0.0f, 1.0f, 0.0f, nan, nan},
    {0.0f, 1.0f, 1.0f, 0.0, 0.0},
    {1.0f, infinity32, 1.0f, infinity, infinity},
    {1.0f, 1.0f, infinity32, 0.0, 0.0},
    {0.0f, infinity32, 1.0f, nan, nan},
};
constexpr auto product_holds = [](const product_case& c) {
  return float_product_scale(c.input, c.weight, c.output).bits == c.by_float.bits &&
         double_product_scale(c.input, c.weight, c.output).bits == c.by_double.bits;
};
static_assert(first_wrong(product_cases, product_holds) == -1);

/// Through TFLite's derivation: per tensor by the float product, per channel by the double product.
struct derived_case {
  binary32 input, weight, output;
  tflite::pair tensor, channel;
};
constexpr derived_case derived_cases[] = {
    {0.1f, 0.1f, 1.0f, {1374389632, -6}, {1374389576, -6}},
    {0.5f, 0.5f, 1.0f, {1 << 30, -1}, {1 << 30, -1}},
    {0.5f, 0.25f, 0.125f, {1 << 30, 1}, {1 << 30, 1}},
    // 1 - 2^-24 squared is 1 - 2^-23 + 2^-48.
    {0x1.fffffep-1f, 0x1.fffffep-1f, 1.0f, {0x7FFF'FF00, 0}, {0x7FFF'FF00, 0}},
};
constexpr auto derived_holds = [](const derived_case& c) {
  const auto tensor = tflite::double_rounding::derive(float_product_scale(c.input, c.weight, c.output));
  const auto channel = tflite::double_rounding::derive(double_product_scale(c.input, c.weight, c.output));
  return tensor.status == status::ok && tensor.value == tflite::from_pair(c.tensor) && channel.status == status::ok &&
         channel.value == tflite::from_pair(c.channel);
};
static_assert(first_wrong(derived_cases, derived_holds) == -1);

// A double keeps its bits: ExecuTorch composes Python's doubles.
static_assert(double_product_scale(0.1, 0.1, 1.0).bits == binary64(0.1 * 0.1).bits);
static_assert(double_product_scale(0.1, 3.0, 0.7).bits == binary64(0.1 * 3.0 / 0.7).bits);

constexpr std::uint64_t seed = 20250303;
constexpr int count = 100'000 / DYADIC_TEST_SCALE;

/// splitmix64.
struct random_bits {
  std::uint64_t state = seed;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9E37'79B9'7F4A'7C15u;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return z ^ (z >> 31);
  }
  /// In 2^-20 .. 2^10.
  float scale() {
    return binary32::from_bits(static_cast<std::uint32_t>((*this)() % (30u << 23)) + ((127u - 20u) << 23)).to_float();
  }
};

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
    const volatile float input = random.scale(), weight = random.scale(), output = random.scale();
    const volatile float product = input * weight;
    const volatile double wide_product = double{input} * double{weight};
    const volatile double by_float = double{product} / double{output}, by_double = wide_product / double{output};
    const binary64 a = float_product_scale(float{input}, float{weight}, float{output});
    const binary64 b = double_product_scale(float{input}, float{weight}, float{output});
    if (FLT_EVAL_METHOD == 0) wrong += a.bits != binary64(double{by_float}).bits || b.bits != binary64(double{by_double}).bits;
    different += tflite::double_rounding::derive(a).value != tflite::double_rounding::derive(b).value;
  }
  CHECK(wrong == 0);
  CHECK(different > count / 100 * 95);
}

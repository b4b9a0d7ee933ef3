#include <dyadic/linear.hpp>
#include <dyadic/native.hpp>
#include <dyadic/scheme/fbgemm.hpp>

#include <cstdint>
#include <random>

#include "../oracle/float_schemes.hpp"
#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
using namespace support;
using namespace support::of_binary32;

namespace {

struct fixed_case {
  std::int32_t acc;
  q::multiplier32 m;
  std::int64_t y;
};
constexpr fixed_case fixed_cases[] = {
    {1, {h, 31}, 1},
    {-1, {h, 31}, 0},
    {3, {h, 31}, 2},
    {-3, {h, 31}, -1},
    {1, {h, 32}, 0},
    {-2, {h, 32}, 0},
    {max, {max, 63}, 0},
    {min, {max, 63}, 0},
    {min, {max, 62}, -1},
    {min, {h, 61}, -1},
    {min, {h, 62}, 0},
    {h, {max, 1}, (1LL << 60) - (1LL << 29)},
    {min, {max, 1}, -(1LL << 61) + (1LL << 30)},  // 64 bits, not wrapped
};
constexpr auto fixed_holds = [](const fixed_case& c) { return q::fbgemm::fixed::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(fixed_cases, fixed_holds) == -1);

constexpr validity<q::fbgemm::fixed> validities[] = {
    {{0, 1}, true}, {{max, 63}, true}, {{h, 0}, false}, {{h, 64}, false}, {{-1, 31}, false}, {{h, min}, false},
};
static_assert(first_wrong(validities, multiplier_valid<q::fbgemm::fixed>) == -1);

constexpr derived<q::binary32, q::multiplier32> fixed_derived[] = {
    {1.0f, {h, 30}, q::status::ok},
    {0x1.fffffep-1f, {max - 127, 31}, q::status::ok},
    {0x1p-33f, {h, 63}, q::status::ok},
    {0x1.fffffep-34f, {max - 127, 64}, q::status::scale_too_small},
    {least, {h, 179}, q::status::scale_too_small},
    {0x1.fffffep29f, {max - 127, 1}, q::status::ok},
    {0x1p30f, {h, 0}, q::status::scale_too_large},
    {0x1.fffffep127f, {max - 127, -97}, q::status::scale_too_large},
    {0.0f, {0, 31}, q::status::scale_zero},
    {-0.0f, {0, 31}, q::status::scale_zero},
    {-0.5f, {-h, 31}, q::status::scale_negative},
    {-0x1p40f, {-h, -10}, q::status::scale_too_large},
    {infinite, {0, 31}, q::status::scale_not_finite},
    {quiet_nan, {0, 31}, q::status::scale_not_finite},
};
static_assert(first_wrong(fixed_derived, derives<&q::fbgemm::fixed::derive>) == -1);

struct float_case {
  std::int32_t acc;
  q::binary32 scale;
  std::int64_t y;
};
constexpr float_case float_cases[] = {
    {1, 0.5f, 0},  // ties to even
    {3, 0.5f, 2},
    {-1, 0.5f, 0},
    {-3, 0.5f, -2},
    {3, 0x1.555556p-3f, 0},  // the rounded product is a tie
    {(1 << 24) + 1, 1.0f, 1 << 24},
    {8388608, 256.0f, 1LL << 31},
    {min, 0x1p100f, -(1LL << 62)},  // saturated, so that a zero point can be added
    {max, 0x1p100f, 1LL << 62},
    {1, least, 0},
    {-3, -1.0f, 3},
};
constexpr auto float_holds = [](const float_case& c) { return q::fbgemm::floating::apply(c.acc, c.scale) == c.y; };
static_assert(first_wrong(float_cases, float_holds) == -1);

struct narrowed {
  q::binary64 scale;
  q::binary32 m;
  q::status status;
};
constexpr narrowed narrowed_cases[] = {
    {0.1, 0.1f, q::status::ok},
    {0.0, 0.0f, q::status::ok},
    {-0.5, -0.5f, q::status::ok},
    {0x1.000001p0, 1.0f, q::status::ok},  // ties to even
    {0x1.000003p0, 0x1.000004p0f, q::status::ok},
    {0x1p-151, 0.0f, q::status::ok},
    {0x1.fffffep127, 0x1.fffffep127f, q::status::ok},
    {0x1.ffffffp127, infinite, q::status::scale_too_large},
    {0x1p1000, infinite, q::status::scale_too_large},
    {q::binary64{infinite}, infinite, q::status::scale_not_finite},
    {q::binary64{quiet_nan}, quiet_nan, q::status::scale_not_finite},
};
constexpr auto narrowed_holds = [](const narrowed& c) {
  const auto r = q::fbgemm::floating::derive(c.scale);
  return r.value.bits == c.m.bits && r.status == c.status && q::fbgemm::floating::valid(r.value) == (c.status == q::status::ok);
};
static_assert(first_wrong(narrowed_cases, narrowed_holds) == -1);

constexpr output_case<q::fbgemm::floating> float_outputs[] = {
    {1, 0.5f, q::range_of<std::uint8_t>(1), 1},  // the zero point is added after the rounding
    {8388608, 256.0f, q::range_of<std::uint8_t>(0), 255},
    {-8388608, 256.0f, q::range_of<std::uint8_t>(255), 0},
    {max, 0x1p100f, q::range_of<std::int32_t>(max), max},
    {min, 0x1p100f, q::range_of<std::int32_t>(min), min},
    {-1, 1.0f, {7, 7, 255}, 7},  // ReLU clamps at the zero point
};
static_assert(first_wrong(float_outputs, requantizes<q::fbgemm::floating>) == -1);
constexpr output_case<q::fbgemm::fixed> fixed_outputs[] = {
    {1, {h, 31}, q::range_of<std::uint8_t>(10), 11},
    {8700137, {2147483520, 23}, q::range_of<std::uint8_t>(0), 255},  // the AVX2 version gives 0
    {-8700137, {2147483520, 23}, q::range_of<std::uint8_t>(255), 0},
};
static_assert(first_wrong(fixed_outputs, requantizes<q::fbgemm::fixed>) == -1);

// ---- a bias in binary32

using with_bias = q::fbgemm::floating_with_bias;
struct bias_case {
  std::int32_t acc;
  with_bias::multiplier_type m;
  std::int64_t y;
};
constexpr bias_case bias_cases[] = {
    {1, {0.5f, 1.0f}, 2},    // 1.5, to even
    {1, {1.5f, 1.0f}, 2},    // 2.5
    {2, {0.5f, 1.0f}, 2},    // 2.5: a bias that is rounded first would give 2 or 3
    {-2, {0.5f, 1.0f}, -2},  // -1.5
    {1, {0.0f, 0.5f}, 0},
    {(1 << 24) + 1, {1.0f, 1.0f}, 1 << 24},        // the accumulator is rounded first: 2^24 + 1 is a tie, too
    {1 << 24, {1.0f, 1.0f}, 1 << 24},              // a tie of the sum
    {(1 << 24) + 2, {1.0f, 1.0f}, (1 << 24) + 4},  // the other tie
    {1 << 30, {-0x1p30f, 0x1p100f}, 0},
    {max, {0x1.fffffep127f, 0x1.fffffep127f}, 1LL << 62},
    {min, {-0x1.fffffep127f, 0x1.fffffep127f}, -(1LL << 62)},
    {0, {least, 0x1p127f}, 0},
};
constexpr auto bias_holds = [](const bias_case& c) { return with_bias::apply(c.acc, c.m) == c.y; };
static_assert(first_wrong(bias_cases, bias_holds) == -1);
static_assert(with_bias::valid({1.0f, 0.0f}) && !with_bias::valid({infinite, 1.0f}) && !with_bias::valid({1.0f, quiet_nan}));

struct derived_bias {
  q::binary32 bias, x, w, y;
  with_bias::multiplier_type m;
  q::status status;
};
constexpr derived_bias derived_biases[] = {
    {1.0f, 0.5f, 0.25f, 2.0f, {8.0f, 0.0625f}, q::status::ok},
    {-3.0f, 1.0f, 1.0f, 1.0f, {-3.0f, 1.0f}, q::status::ok},
    {1.0f, 0.0f, 1.0f, 1.0f, {infinite, 0.0f}, q::status::scale_zero},
    {1.0f, 1.0f, -1.0f, 1.0f, {-1.0f, -1.0f}, q::status::scale_negative},
    {1.0f, 1.0f, 1.0f, infinite, {1.0f, 0.0f}, q::status::scale_not_finite},
    {1.0f, 0x1p-100f, 0x1p-100f, 1.0f, {infinite, 0.0f}, q::status::scale_zero},
    {1.0f, 0x1p100f, 0x1p100f, 1.0f, {0.0f, infinite}, q::status::scale_not_finite},
    {0x1p100f, 0x1p-60f, 1.0f, 1.0f, {infinite, 0x1p-60f}, q::status::value_out_of_range},
    {1.0f, 1.0f, 1.0f, least, {1.0f, infinite}, q::status::value_out_of_range},
};
constexpr auto derived_bias_holds = [](const derived_bias& c) {
  const auto r = with_bias::derive(c.bias, c.x, c.w, c.y);
  return r.value.bias.bits == c.m.bias.bits && r.value.scale.bits == c.m.scale.bits && r.status == c.status;
};
static_assert(first_wrong(derived_biases, derived_bias_holds) == -1);
// A quotient and a product with the reciprocal differ in the last bit.
static_assert(with_bias::derive(3.0f, 7.0f, 1.0f, 1.0f).value.bias.bits !=
              with_bias::derive_avx2_per_tensor(3.0f, 7.0f, 1.0f, 1.0f).value.bias.bits);

}  // namespace

TEST_CASE("a bias in binary32 is added to the rounded accumulator, before the product") {
  CHECK(first_wrong(at_run_time(bias_cases), bias_holds) == -1);
  CHECK(first_wrong(at_run_time(derived_biases), derived_bias_holds) == -1);
  using namespace oracle;
  std::mt19937 random(43);
  for (int i = 0; i < 20000; ++i) {
    const auto number = [&](int low, int high) {
      const auto drawn = static_cast<std::uint32_t>(random());
      const auto exponent =
          static_cast<std::uint32_t>(low + static_cast<int>(random() % static_cast<unsigned>(high - low)) + 127);
      return q::binary32::from_bits(exponent << 23 | (drawn >> 9 & (i % 2 == 0 ? 0x7FFFFFu : 0x700000u))).to_float();
    };
    const float bias = number(-4, 20), x = number(-12, 0), w = number(-12, 0), y = number(-12, 0);
    const auto acc = static_cast<std::int32_t>(random()) >> random() % 31;
    const auto m = with_bias::derive(bias, x, w, y);
    REQUIRE(m.status == q::status::ok);
    const real scale = fl32(product(from_float(x), from_float(w)));
    const real in_units = fl32(quotient(from_float(bias), scale, 24)), multiplier = fl32(quotient(scale, from_float(y), 24));
    const real expected = fl32(product(fl32(sum(fl32(from_integer(acc)), in_units)), multiplier));
    REQUIRE(with_bias::apply(acc, m.value) == nearest_even(expected));
    const real reciprocal = fl32(quotient(from_float(1), scale, 24));
    const real by_reciprocal = fl32(product(from_float(bias), reciprocal));
    const float got = with_bias::derive_avx2_per_tensor(bias, x, w, y).value.bias.to_float();
    REQUIRE(static_cast<double>(got) == to_double(by_reciprocal));
  }
}

TEST_CASE("a linear layer with a bias in binary32 equals PyTorch's order of steps, on each channel") {
  const std::int8_t x[] = {3, -7, 100, -128, 5, 77}, w[] = {1, 2, 3, -4, 5, -6};
  const float biases[] = {0.3f, -1.7f}, w_scales[] = {0.01f, 0.03f};
  with_bias::multiplier_type numbers[2] = {};
  for (int o = 0; o < 2; ++o) numbers[o] = with_bias::derive(biases[o], 0.1f, w_scales[o], 0.05f).value;
  std::int32_t constants[2] = {};
  const q::matrix_view weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {5, 0}, constants);
  const q::per_channel_output<std::int8_t, with_bias> output{numbers, q::range_of<std::int8_t>(-3)};
  const q::linear_layer layer{weights, folded.value, output};
  std::int8_t y[4] = {}, again[4] = {};
  const q::matrix_view in(x, 2, 3);
  REQUIRE(check(layer, in, q::matrix_view(y, 2, 2)) == q::status::ok);
  q::run<q::backend::scalar>(layer, in, q::matrix_view(y, 2, 2));
  q::run<q::native>(layer, in, q::matrix_view(again, 2, 2));
  for (int r = 0; r < 2; ++r)
    for (int o = 0; o < 2; ++o) {
      std::int32_t acc = 0;
      for (int k = 0; k < 3; ++k) acc += (x[3 * r + k] - 5) * w[3 * o + k];
      const oracle::real scale = oracle::fl32(oracle::product(oracle::from_float(0.1f), oracle::from_float(w_scales[o])));
      const oracle::real bias = oracle::fl32(oracle::quotient(oracle::from_float(biases[o]), scale, 24));
      const oracle::real factor = oracle::fl32(oracle::quotient(scale, oracle::from_float(0.05f), 24));
      const oracle::real sum = oracle::fl32(oracle::sum(oracle::from_integer(acc), bias));
      const auto expected = oracle::clamp(oracle::nearest_even(oracle::fl32(oracle::product(sum, factor))) - 3, -128, 127);
      CHECK(y[2 * r + o] == expected);
      CHECK(again[2 * r + o] == expected);
    }
}

TEST_CASE("FBGEMM's fixed point rounds once in 64 bits, ties up") {
  CHECK(first_wrong(at_run_time(fixed_cases), fixed_holds) == -1);
  CHECK(first_wrong(at_run_time(validities), multiplier_valid<q::fbgemm::fixed>) == -1);
}

TEST_CASE("FBGEMM's float rule sends ties to even") { CHECK(first_wrong(at_run_time(float_cases), float_holds) == -1); }

TEST_CASE("FBGEMM's multipliers have a status where FBGEMM would assert") {
  CHECK(first_wrong(at_run_time(fixed_derived), derives<&q::fbgemm::fixed::derive>) == -1);
  CHECK(first_wrong(at_run_time(narrowed_cases), narrowed_holds) == -1);
}

TEST_CASE("an FBGEMM output is clamped at both rails after the zero point") {
  CHECK(first_wrong(at_run_time(float_outputs), requantizes<q::fbgemm::floating>) == -1);
  CHECK(first_wrong(at_run_time(fixed_outputs), requantizes<q::fbgemm::fixed>) == -1);
}

#include <dyadic/depthwise.hpp>
#include <dyadic/proved.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;

namespace {

/// A layer of one channel and one weight w. It reaches the accumulators from bias - 128 w to bias + 127 w.
template <class Scheme>
struct single_weight {
  std::int8_t weight;
  std::int32_t bias;
  q::multiplier32 m;
  q::output_range range = q::range_of<std::int8_t>();
  std::int32_t constants[1] = {};
  q::binary32 numbers[3] = {};

  constexpr auto layer() {
    const q::matrix_view<const std::int8_t> w(&weight, 1, 1);
    const auto folded = q::fold<std::int8_t>(w, q::view<const std::int32_t>(&bias, 1), {}, constants);
    return q::linear_layer{w, folded.value, q::per_tensor_output<std::int8_t, Scheme>{m, range}};
  }
  constexpr bool is_proved() { return q::prove_epilogue(layer(), numbers).value.is_proved; }
  /// Returns whether `fused` with the numbers gives the scheme's outputs.
  constexpr bool is_same() const {
    const q::fused_multiplier found{numbers[0], numbers[1], numbers[2]};
    for (std::int32_t x = -128; x <= 127; ++x)
      if (q::requantize<q::fused>(bias + x * weight, found, range) != q::requantize<Scheme>(bias + x * weight, m, range))
        return false;
    return true;
  }
};

constexpr q::multiplier32 power(int right_shift) { return {1 << 30, 30 + right_shift}; }

constexpr bool proved_by_the_compiler() {
  single_weight<q::tosa::scale32> some{1, 97, power(6), {1, -2, 4}};
  if (!some.is_proved() || !some.is_same()) return false;
  some.bias = 96;
  return !some.is_proved();
}
static_assert(proved_by_the_compiler());
/// Checks a scale so large that no addend is sought, because its left shift would not be a constant expression.
constexpr bool refused_by_the_compiler() {
  single_weight<q::tosa::scale32> large{1, 0, power(-20)};
  return !large.is_proved();
}
static_assert(refused_by_the_compiler());

TEST_CASE("proved: ties just inside and just outside the bound", "[proved]") {
  // A scale of 2^-6 with ties up: 32 gives 1, and -32 gives 0. The results of `fused` for a and -a differ only in their sign.
  single_weight<q::tosa::scale32> up{1, 97, power(6)};
  CHECK(up.is_proved());  // the least accumulator is -31
  CHECK(up.is_same());
  up.bias = 96;
  CHECK_FALSE(up.is_proved());
  up.range = {0, 0, 127};  // outputs below 0 are clipped to 0
  CHECK(up.is_proved());
  CHECK(up.is_same());
  up = {1, -96, power(6)};
  CHECK(up.is_proved());  // the greatest accumulator is 31
  CHECK(up.is_same());
  up.bias = -95;
  CHECK_FALSE(up.is_proved());
  // Two roundings take 31 to 31/2, rounded to 16, and then to 1. They take -31 to -15, and then to 0.
  single_weight<q::tflite::double_rounding> twice{1, 98, power(6)};
  CHECK(twice.is_proved());  // the least accumulator is -30
  CHECK(twice.is_same());
  twice.bias = 97;
  CHECK_FALSE(twice.is_proved());
}

TEST_CASE("proved: scales and accumulators beyond which there are no numbers", "[proved]") {
  using scheme = q::tflite::double_rounding;
  const auto is_proved = [](q::multiplier32 m, std::int32_t bias) { return single_weight<scheme>{1, bias, m}.is_proved(); };
  CHECK(is_proved({q::int32_max, 32}, 0));
  CHECK_FALSE(is_proved({1 << 30, 31}, 0));  // 1/2
  CHECK(is_proved({1 << 30, 52}, 0));
  CHECK_FALSE(is_proved({1 << 30, 53}, 0));  // 2^-23
  CHECK(is_proved({3, 8}, 0));               // a mantissa of few bits
  CHECK(is_proved({1, 8}, 0));
  CHECK_FALSE(is_proved({0, 40}, 0));
  CHECK_FALSE(is_proved({-(1 << 30), 40}, 0));
  CHECK(is_proved({1 << 30, 36}, (1 << 24) - 127));
  CHECK_FALSE(is_proved({1 << 30, 36}, (1 << 24) - 126));
  CHECK(is_proved({1 << 30, 36}, 128 - (1 << 24)));
  CHECK_FALSE(is_proved({1 << 30, 36}, 127 - (1 << 24)));
}

TEST_CASE("proved: each scale and range of layers that reach few accumulators", "[proved]") {
  support::random_bits random;
  int proved = 0;
  const int tried = support::samples(400);
  for (int i = 0; i < tried; ++i) {
    const auto zero = static_cast<std::int32_t>(random.between(-128, 127));
    const auto low = static_cast<std::int32_t>(random.between(-128, 127));
    const auto high = static_cast<std::int32_t>(random.between(low, 127));
    single_weight<q::tflite::double_rounding> one{
        static_cast<std::int8_t>(random.between(-128, 127)),
        static_cast<std::int32_t>(random.integer(15)),
        {static_cast<std::int32_t>(random.between(1, q::int32_max)), 32 + random.below(12)},
        random.one_in(2) ? q::range_of<std::int8_t>(zero) : q::output_range{zero, low, high}};
    INFO("seed " << support::seed << ", " << i << ": " << one.m.mantissa << " " << one.m.right_shift);
    if (!one.is_proved()) continue;
    ++proved;
    CHECK(one.is_same());
  }
  CHECK(10 * proved >= 9 * tried);
}

TEST_CASE("proved: there are numbers for channels that leave few of them", "[proved]") {
  using scheme = q::tflite::double_rounding;
  struct channel {
    q::multiplier32 m;
    q::output_range range;
    q::interval accs;
  };
  const std::int32_t end = 1 << 24;
  const channel channels[] = {
      {{1485954570, 51}, {2, -128, 127}, {-end, 6588904}},  {{1378226407, 46}, {43, -128, 127}, {-1399563, 2625823}},
      {{1597162316, 32}, {-29, 67, 69}, {-end, 29}},        {{1206748978, 44}, {-89, 100, 101}, {330527, 2469541}},
      {{2018393411, 50}, {-31, -128, 127}, {-319046, end}}, {{1595542854, 48}, {-127, -128, 127}, {-225070, 6196475}},
      {{1862358064, 36}, {-9, -128, 127}, {-350, 151}},     {{2016535871, 52}, {60, -128, 127}, {-9035326, 576096}},
      {{1917959884, 47}, {-3, -25, 89}, {-4919653, end}},   {{1480941052, 51}, {106, -128, 127}, {-14437979, 5491256}},
      {{1806796592, 45}, {92, 37, 89}, {-71456, end}}};
  for (const channel& c : channels) {
    INFO(c.m.mantissa << " " << c.m.right_shift);
    q::fused_multiplier found{};
    REQUIRE(q::detail::fused_search<scheme>{c.m, c.range, c.accs}.find(found));
    REQUIRE(q::fused::valid(found));
    CHECK(q::equal_on(q::rule_of<q::fused>(found, c.range), q::rule_of<scheme>(c.m, c.range), c.accs));
  }
}

TEST_CASE("proved: integers that a binary32 holds are one piece of fused", "[proved]") {
  const q::scheme_rule<q::fused> rule{{0.25f, 0.0f, 0.5f}};
  const std::int64_t end = 1 << 24;
  CHECK((rule.piece(0) == rule.piece(end) && rule.piece(0) == rule.piece(-end)));
  const std::int64_t pieces[] = {rule.piece(-end - 2), rule.piece(-end - 1), rule.piece(0), rule.piece(end + 1),
                                 rule.piece(end + 2)};
  for (const std::int64_t& a : pieces)
    for (const std::int64_t& b : pieces) CHECK((a == b) == (&a == &b));
}

TEST_CASE("proved: what is wrong with an output of fused", "[proved]") {
  std::vector<q::binary32> numbers(7, q::binary32{0.25f});
  numbers[2] = numbers[3] = q::binary32{0.0f};
  numbers[4] = numbers[5] = q::binary32{0.5f};
  const auto status_of = [&](q::index_t count, q::index_t channels, q::output_range range) {
    return check(q::fused_output<std::int8_t>{q::view<const q::binary32>(numbers.data(), count), range}, channels);
  };
  CHECK(status_of(6, 2, {0, -128, 127}) == q::status::ok);
  CHECK(status_of(6, 3, {0, -128, 127}) == q::status::multiplier_count_mismatch);
  CHECK(status_of(7, 2, {0, -128, 127}) == q::status::multiplier_count_mismatch);
  CHECK(status_of(6, 2, {0, 1, 0}) == q::status::empty_range);
}

TEST_CASE("proved: numbers that the search takes for right, and the proof does not", "[proved]") {
  using scheme = q::tflite::double_rounding;
  const std::vector<std::int8_t> w(64, 127);
  std::int32_t constants[1];
  q::binary32 numbers[3];
  const q::matrix_view<const std::int8_t> weights(w.data(), 1, 64);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {}, constants);
  const q::per_tensor_output<std::int8_t, scheme> output{{2017335402, 43}, q::range_of<std::int8_t>(-128)};
  const auto proved = q::prove_epilogue(q::linear_layer{weights, folded.value, output}, numbers);
  CHECK(proved.status == q::status::ok);
  q::fused_multiplier found{};
  CHECK(q::detail::fused_search<scheme>{output.multiplier, output.range, {-64 * 127 * 128, 64 * 127 * 127}}.find(found));
  CHECK_FALSE(proved.value.is_proved);
}

TEST_CASE("proved: numbers that share memory with the layer", "[proved]") {
  alignas(q::binary32) std::int8_t w[24] = {1, 2, 3, -1, -2, -3};
  std::int32_t constants[6] = {};
  q::multiplier32 m[3] = {{1234567890, 38}, {1987654321, 39}};
  const q::matrix_view<const std::int8_t> weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {3, 0}, q::view(constants, 2));
  const q::view<const q::multiplier32> both(m, 2);
  const auto layer = q::linear_layer{weights, folded.value, q::per_channel_output<std::int8_t, q::tflite::double_rounding>{both}};
  const auto status_over = [&](auto& memory) {
    std::int8_t before[sizeof(memory)];
    std::memcpy(before, memory, sizeof(memory));
    const q::status s = q::prove_epilogue(layer, {reinterpret_cast<q::binary32*>(memory), 6}).status;
    CHECK(std::memcmp(before, memory, sizeof(memory)) == 0);
    return s;
  };
  CHECK(status_over(w) == q::status::overlap);
  CHECK(status_over(constants) == q::status::overlap);
  CHECK(status_over(m) == q::status::overlap);
}

TEST_CASE("proved: a layer that no one checked is a status, and no number is written", "[proved]") {
  const std::int8_t w[] = {1, 1};
  const std::int32_t bias_of_both[] = {97, 98};
  std::int32_t constants[2] = {};
  const q::matrix_view<const std::int8_t> weights(w, 2, 1);
  const auto folded = q::fold<std::int8_t>(weights, bias_of_both, {}, constants);
  const auto status_with = [&](const auto& change) {
    auto bias = folded.value;
    q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1 << 30, 36}};
    change(bias, output);
    q::binary32 numbers[6] = {};
    const auto proved = q::prove_epilogue(q::linear_layer{weights, bias, output}, numbers);
    CHECK(proved.value.is_proved == (proved.status == q::status::ok));
    for (const q::binary32 n : numbers) CHECK((proved.status == q::status::ok || q::is_zero(n)));
    return proved.status;
  };
  CHECK(status_with([](auto&, auto&) {}) == q::status::ok);
  CHECK(status_with([](auto& bias, auto&) { bias.record.zero.x = q::int32_min; }) == q::status::zero_point_out_of_range);
  CHECK(status_with([](auto& bias, auto&) { bias.record.x_max = q::int32_max; }) == q::status::fold_of_other_type);
  CHECK(status_with([](auto& bias, auto&) { bias.constants = {nullptr, 2}; }) == q::status::null_data);
  CHECK(status_with([](auto& bias, auto&) { bias.constants = {bias.constants.data(), 1}; }) == q::status::shape_mismatch);
  CHECK(status_with([](auto&, auto& output) { output.multiplier.right_shift = 99; }) == q::status::multiplier_out_of_range);
  CHECK(status_with([](auto&, auto& output) { output.range = {0, 1, 0}; }) == q::status::empty_range);
  CHECK(status_with([](auto& bias, auto&) { bias.record.bound.highest = std::int64_t{1} << 31; }) ==
        q::status::accumulator_overflow);
}

TEST_CASE("proved: accumulators up to the ends of int32, and one beyond", "[proved]") {
  const std::int8_t w[] = {1};
  const auto status_of = [&](std::int64_t bias) {
    std::int32_t constants[1] = {};
    q::binary32 numbers[3] = {};
    const q::matrix_view<const std::int8_t> weights(w, 1, 1);
    const auto folded = q::fold<std::int8_t>(weights, q::view<const std::int64_t>(&bias, 1), {}, constants);
    const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1 << 30, 54}};
    const auto proved = q::prove_epilogue(q::linear_layer{weights, folded.value, output}, numbers);
    CHECK_FALSE(proved.value.is_proved);
    return proved.status;
  };
  const std::int64_t end = std::int64_t{1} << 31;
  CHECK((status_of(end - 128) == q::status::ok && status_of(end - 127) == q::status::accumulator_overflow));
  CHECK((status_of(128 - end) == q::status::ok && status_of(127 - end) == q::status::accumulator_overflow));
  CHECK(status_of(std::int64_t{1} << 32) == q::status::accumulator_overflow);
}

TEST_CASE("proved: what check and verify refuse", "[proved]") {
  const std::int8_t w[] = {1, 2, 3, -1, -2, -3};
  const std::int32_t bias[] = {500, -7};
  std::int32_t constants[2];
  std::vector<q::multiplier32> m = {{1234567890, 38}, {1987654321, 39}};
  q::binary32 numbers[7];
  const q::matrix_view<const std::int8_t> weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, bias, {3, 0}, constants);
  const auto layer = q::linear_layer{weights, folded.value, q::per_channel_output<std::int8_t, q::tflite::double_rounding>{m}};
  CHECK(q::prove_epilogue(layer, numbers).status == q::status::shape_mismatch);
  CHECK(q::prove_epilogue(layer, q::view<q::binary32>(numbers, 3)).status == q::status::shape_mismatch);
  CHECK(q::prove_epilogue(layer, q::view<q::binary32>(nullptr, 6)).status == q::status::null_data);
  const q::view<q::binary32> six(numbers, 6);
  auto proved = q::prove_epilogue(layer, six);
  REQUIRE(proved.status == q::status::ok);
  REQUIRE(proved.value.is_proved);
  const std::int8_t in[] = {1, 2, 3};
  std::int8_t out[2];
  const q::matrix_view<const std::int8_t> x(in, 1, 3);
  const q::matrix_view<std::int8_t> y(out, 1, 2);
  CHECK(check(proved.value, x, y) == q::status::ok);
  CHECK(q::verify(proved.value) == q::status::ok);
  const auto refuses = [&](auto change, q::status expected) {
    auto other = proved.value;
    change(other);
    CHECK(check(other, x, y) == expected);
    other.is_proved = false;
    CHECK(check(other, x, y) == q::status::ok);
  };
  constexpr auto of_other = q::status::fold_of_other_weights;
  refuses([](auto& p) { ++p.layer.bias.record.bound.highest; }, of_other);
  refuses([](auto& p) { --p.layer.bias.record.bound.lowest; }, of_other);
  refuses([](auto& p) { ++p.layer.bias.record.fingerprint; }, of_other);
  refuses([](auto& p) { ++p.layer.output.range.zero_point; }, of_other);
  refuses([](auto& p) { ++p.layer.output.range.min; }, of_other);
  refuses([](auto& p) { --p.layer.output.range.max; }, of_other);
  refuses([](auto& p) { p.cheap.numbers = {p.cheap.numbers.data(), 3}; }, of_other);
  refuses([](auto& p) { p.cheap.numbers = {nullptr, 6}; }, q::status::null_data);
  refuses([](auto& p) { p.cheap.numbers = {p.cheap.numbers.data(), 7}; }, q::status::multiplier_count_mismatch);
  CHECK(check(proved.value, x, q::matrix_view<std::int8_t>(reinterpret_cast<std::int8_t*>(numbers) + 22, 1, 2)) ==
        q::status::overlap);
  CHECK(check(proved.value, x, q::matrix_view<std::int8_t>(out, 1, 1)) == q::status::shape_mismatch);

  const q::multiplier32 before = m[1];
  m[1].right_shift = 38;
  CHECK(q::verify(proved.value) == of_other);
  m[1] = before;
  const q::binary32 addend = numbers[4];
  numbers[4] = q::binary32{0.53f};
  CHECK(q::verify(proved.value) == of_other);
  numbers[4] = q::binary32{1.5f};
  CHECK(check(proved.value, x, y) == q::status::multiplier_out_of_range);
  CHECK(q::verify(proved.value) == q::status::multiplier_out_of_range);
  auto unproved = proved.value;
  unproved.is_proved = false;
  CHECK(q::verify(unproved) == q::status::ok);
  auto unverifiable = proved.value;
  unverifiable.layer.bias.record.fingerprint = 0;
  CHECK(q::verify(unverifiable) == q::status::multiplier_out_of_range);
  numbers[4] = addend;
  CHECK(q::verify(unverifiable) == q::status::fold_not_verifiable);
  CHECK(q::verify(proved.value) == q::status::ok);
  auto other = layer;
  other.bias.record.fingerprint ^= 2;
  CHECK(q::prove_epilogue(other, six).status == q::status::fold_of_other_weights);
  CHECK_FALSE(q::prove_epilogue(other, six).value.is_proved);
}

TEST_CASE("proved: multipliers in two arrays, rows by their numbers", "[proved]") {
  const std::int8_t w[] = {1, 2, 3, -1, -2, -3};
  const std::int32_t bias[] = {500, -7};
  const std::int32_t mantissas[] = {1234567890, 1987654321};
  const std::int32_t shifts[] = {-7, -8};
  std::int32_t constants[2];
  q::binary32 numbers[6];
  const q::matrix_view<const std::int8_t> weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, bias, {3, 0}, constants);
  const q::per_channel_arrays_output<std::int8_t, q::tflite::double_rounding> output{mantissas, shifts};
  const auto proved = q::prove_epilogue(q::linear_layer{weights, folded.value, output}, numbers);
  REQUIRE((proved.status == q::status::ok && proved.value.is_proved));
  CHECK(q::verify(proved.value) == q::status::ok);
  const std::int8_t in[] = {1, 2, 3, 100, -100, 50};
  std::int8_t expected[4] = {};
  std::int8_t y[4] = {77, 77, 77, 77};
  const q::matrix_view<const std::int8_t> x(in, 2, 3);
  q::run(proved.value.layer, x, q::matrix_view<std::int8_t>(expected, 2, 2));
  q::run(proved.value, x, q::matrix_view<std::int8_t>(y, 2, 2), {1, 2});
  CHECK((y[0] == 77 && y[1] == 77 && y[2] == expected[2] && y[3] == expected[3]));
}

TEST_CASE("proved: a product and a sum are rounded once", "[proved]") {
  support::random_bits random;
  for (int i = 0; i < support::samples(20000); ++i) {
    const auto number = [&] {
      const q::binary32 x = q::from_integer<q::binary32>(random.integer(24));
      return q::scale_by_power_of_two(x, -random.below(40)).to_float();
    };
    const float a = number();
    const float b = number();
    const float c = number();
    INFO(a << " * " << b << " + " << c);
    CHECK(q::detail::multiply_add(a, b, c).to_float() == std::fma(a, b, c));
  }
  // Ties at the last place, and products with bits below the sum's last place.
  CHECK(q::detail::multiply_add(0x1p-12f, 0x1p-12f, 1.0f).to_float() == 1.0f);
  CHECK(q::detail::multiply_add(0x1.000002p-12f, 0x1p-12f, 1.0f).to_float() == 0x1.000002p0f);
  // The integers multiply to 2^47 + 2: the product is 2^-70 more than a half.
  CHECK(q::detail::multiply_add(8392705 * 0x1p-36f, 16769026 * 0x1p-35f, 1.0f).to_float() == 0x1.000002p0f);
  CHECK(q::detail::multiply_add(8392705 * 0x1p-36f, -16769026 * 0x1p-35f, 0x1.000002p0f).to_float() == 1.0f);
}

TEST_CASE("proved: which numbers are a multiplier of fused", "[proved]") {
  const auto is_valid = [](float high, float low, float addend) { return q::fused::valid({high, low, addend}); };
  CHECK(is_valid(0x1p-22f, 0, 0.25f));
  CHECK_FALSE(is_valid(0x0.ffffffp-22f, 0, 0.25f));
  CHECK_FALSE(is_valid(0.5f, 0, 0.5f));
  CHECK_FALSE(is_valid(0.25f, 0, 1.0f));
  CHECK_FALSE(is_valid(0.25f, 0, 0x0.ffffffp-2f));
  CHECK(is_valid(0.25f, -0x0.ffffffp-25f, 0.5f));
  CHECK_FALSE(is_valid(0.25f, -0x1p-25f, 0.5f));
  CHECK(is_valid(0.25f, 0x1p-60f, 0.5f));
  CHECK_FALSE(is_valid(0.25f, 0x1p-61f, 0.5f));
  const q::binary32 nan = q::binary32::from_bits(0x7FC0'0000);
  CHECK_FALSE(q::fused::valid({nan, {}, 0.5f}));
  CHECK_FALSE(q::fused::valid({0.25f, nan, 0.5f}));
  CHECK_FALSE(q::fused::valid({0.25f, {}, nan}));
}

}  // namespace

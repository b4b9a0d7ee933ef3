#include <dyadic/agree.hpp>
#include <dyadic/conv2d.hpp>
#include <dyadic/schemes.hpp>
#include <dyadic/witness.hpp>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;

namespace {

constexpr std::int8_t flash_weights[] = {1, 2, 3, -1, -2, -3};
constexpr std::int32_t flash_bias[] = {500, -7};

/// The whole question in the compiler: TFLite's rule against TOSA's on a layer, and the smallest input that shows it.
constexpr bool differs_by_rounding() {
  std::int32_t constants[2] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(flash_weights, 2, 3), flash_bias, {3, 0}, constants);
  const q::per_tensor_output<std::int8_t, q::tflite::double_rounding> output{{1 << 30, 33}};
  const auto layer = q::linear_layer{q::matrix_view(flash_weights, 2, 3), folded.value, output};
  const auto same = q::agree<q::cmsis_nn::double_rounding>(layer);
  const auto other = q::agree<q::tosa::scale32>(layer);
  std::int8_t x[3] = {};
  const q::channel_sample s = other.value.smallest;
  if (same.status != q::status::ok || same.value.differing != 0 || other.status != q::status::ok) return false;
  if (q::witness(layer, s.channel, s.at.acc, x) != q::status::ok) return false;
  std::int32_t acc = flash_bias[s.channel];
  for (int k = 0; k < 3; ++k) acc += (x[k] - 3) * flash_weights[3 * s.channel + k];
  return acc == s.at.acc && s.at.acc == 3 && s.at.a == 1 && s.at.b == 0;
}

/// A layer of random int8 weights, and what it is made of.
struct some_layer {
  q::index_t channels, depth;
  q::zero_points zero;
  std::vector<std::int8_t> w;
  std::vector<std::int32_t> bias, constants;
  std::vector<q::multiplier32> m;

  some_layer(support::random_bits& random, q::index_t outputs, q::index_t inputs, int largest)
      : channels{outputs}, depth{inputs}, zero{random.below(256) - 128, random.below(3) - 1} {
    for (q::index_t i = 0; i < channels * depth; ++i) w.push_back(static_cast<std::int8_t>(random.between(-largest, largest)));
    for (q::index_t c = 0; c < channels; ++c) {
      bias.push_back(static_cast<std::int32_t>(random.integer(14)));
      m.push_back({static_cast<std::int32_t>(random.between(1 << 30, q::int32_max)), 37 + random.below(4)});
    }
    constants.resize(static_cast<std::size_t>(channels));
  }
  template <class Scheme>
  auto layer() {
    const q::matrix_view<const std::int8_t> weights(w.data(), channels, depth);
    const auto folded = q::fold<std::int8_t>(weights, bias, zero, constants);
    REQUIRE(folded.status == q::status::ok);
    return q::linear_layer{weights, folded.value, q::per_channel_output<std::int8_t, Scheme>{m, q::range_of<std::int8_t>(5)}};
  }
  std::int64_t weight_at(q::index_t c, q::index_t k) const { return w[static_cast<std::size_t>(c * depth + k)] - zero.w; }
  template <class X>
  std::int64_t accumulator(q::index_t c, const X* x) const {
    std::int64_t acc = bias[static_cast<std::size_t>(c)];
    for (q::index_t k = 0; k < depth; ++k) acc += (x[k] - zero.x) * weight_at(c, k);
    return acc;
  }
  /// The least and the greatest accumulator.
  q::interval bound(q::index_t c) const {
    q::interval b{bias[static_cast<std::size_t>(c)], bias[static_cast<std::size_t>(c)]};
    for (q::index_t k = 0; k < depth; ++k) {
      const std::int64_t low = (-128 - zero.x) * weight_at(c, k), high = (127 - zero.x) * weight_at(c, k);
      b.low += low < high ? low : high;
      b.high += low < high ? high : low;
    }
    return b;
  }
};

std::int64_t size_of(std::int64_t acc) { return acc < 0 ? -acc : acc; }

}  // namespace

static_assert(differs_by_rounding());

TEST_CASE("random layers differ on the accumulators that a sweep of each channel's bound finds") {
  support::random_bits random;
  random.state = support::sample_seed(2);
  INFO("seed " << support::sample_seed(2));
  bool some_differ = false, some_do_not = false;
  for (int i = 0; i < support::samples(20); ++i) {
    some_layer made(random, 1 + random.below(4), random.below(12), random.one_in(2) ? 127 : 3);
    const auto layer = made.layer<q::tflite::double_rounding>();
    const auto found = q::agree<q::tosa::scale32>(layer);
    REQUIRE(found.status == q::status::ok);
    q::agreement expected{};
    for (q::index_t c = 0; c < made.channels; ++c) {
      const q::interval bound = made.bound(c);
      const q::multiplier32 m = made.m[static_cast<std::size_t>(c)];
      bool differs = false;
      for (std::int64_t acc = bound.low; acc <= bound.high; ++acc) {
        const auto narrow = static_cast<std::int32_t>(acc);
        const q::sample s{acc, q::requantize<q::tflite::double_rounding>(narrow, m, layer.output.range),
                          q::requantize<q::tosa::scale32>(narrow, m, layer.output.range)};
        if (s.a == s.b) continue;
        const std::int64_t before = expected.smallest.at.acc;
        if (expected.differing == 0 || size_of(acc) < size_of(before) || (acc == -before && acc > 0)) expected.smallest = {c, s};
        if (expected.differing++ == 0) expected.worst = {c, s};
        differs = true;
      }
      expected.compared += bound.size();
      expected.differing_channels += differs ? 1 : 0;
    }
    CHECK((found.value.channels == made.channels && found.value.differing_channels == expected.differing_channels));
    CHECK((found.value.compared == expected.compared && found.value.differing == expected.differing));
    CHECK((found.value.smallest.channel == expected.smallest.channel && found.value.smallest.at.acc == expected.smallest.at.acc));
    CHECK((found.value.worst.channel == expected.worst.channel && found.value.worst.at.acc == expected.worst.at.acc));
    CHECK(found.value.worst_distance == (expected.differing == 0 ? 0 : 1));
    (expected.differing == 0 ? some_do_not : some_differ) = true;
  }
  if (DYADIC_TEST_DIVISOR == 1) CHECK((some_differ && some_do_not));
}

TEST_CASE("a layer agrees with another multiplier, another zero point rule, or not") {
  support::random_bits random;
  some_layer made(random, 8, 64, 127);
  const auto layer = made.layer<q::tosa::scale32>();
  const auto agrees = [&](const auto& other) {
    const auto found = q::agree(layer, other);
    REQUIRE(found.status == q::status::ok);
    return found.value.differing == 0;
  };
  CHECK(agrees(layer.output));
  CHECK(agrees(q::per_channel_output<std::int8_t, q::exact::half_up>{made.m, layer.output.range}));
  auto next = made.m;
  for (q::multiplier32& m : next) m.mantissa -= 1 << 16;
  CHECK_FALSE(agrees(q::per_channel_output<std::int8_t, q::exact::half_up>{next, layer.output.range}));
  q::output_range moved = layer.output.range;
  moved.zero_point = 4;
  CHECK_FALSE(agrees(q::per_channel_output<std::int8_t, q::exact::half_up>{made.m, moved}));
}

TEST_CASE("the bias that rules add themselves is taken off the accumulator") {
  const std::int8_t w[] = {1, -2, 3, 4, 100, -6};
  const std::int32_t bias[] = {12345, -777};
  std::int64_t constants[2] = {};
  const q::matrix_view weights(w, 2, 3);
  const auto folded = q::fold<std::int16_t>(weights, bias, {}, constants);
  const double scale = 0.001;
  const q::binary64 of_accumulator[] = {scale};
  q::decomposed::clipped_to_int32 rules[2];
  REQUIRE(q::decomposed::derive(bias, of_accumulator, 1.0, rules) == q::status::ok);
  const auto m = q::tosa::scale32::derive(scale).value;
  const q::channel_rules_output<q::decomposed::clipped_to_int32> decomposed{rules};
  const auto layer = q::linear_layer{weights, folded.value, q::per_tensor_output<std::int16_t, q::exact::half_up>{m}};
  const auto found = q::agree(layer, decomposed);
  REQUIRE(found.status == q::status::ok);
  CHECK(found.value.compared == 65535 * (6 + 110) + 2);
  CHECK(found.value.differing == 0);
  rules[1].bias += 1000;
  CHECK(q::agree(layer, decomposed).value.differing_channels == 1);
  // A 15-bit multiplier.
  const auto shorter = q::per_tensor_output<std::int16_t, q::tosa::scale16>{q::tosa::scale16::derive(scale).value};
  CHECK(q::agree(layer, shorter).value.differing > 0);
}

TEST_CASE("what is wrong with a layer or an output is a status") {
  support::random_bits random;
  some_layer made(random, 2, 3, 127);
  auto layer = made.layer<q::tosa::scale32>();
  const auto one_less = q::per_channel_output<std::int8_t, q::tosa::scale32>{{made.m.data(), 1}};
  CHECK(q::agree(layer, one_less).status == q::status::multiplier_count_mismatch);
  made.w[0] = static_cast<std::int8_t>(made.w[0] + 1);
  CHECK(q::agree<q::exact::half_up>(layer).status == q::status::fold_of_other_weights);
  made.w[0] = static_cast<std::int8_t>(made.w[0] - 1);
  made.bias[0] = q::int32_max;
  CHECK(q::agree<q::exact::half_up>(made.layer<q::tosa::scale32>()).status == q::status::accumulator_overflow);
  std::int64_t constants[1] = {};
  const std::int64_t far[] = {std::numeric_limits<std::int64_t>::max()};
  const q::matrix_view<const std::int8_t> one_row(made.w.data(), 1, 3);
  const auto folded = q::fold<std::int8_t>(one_row, far, {}, constants);
  const auto beyond = q::linear_layer{one_row, folded.value, q::per_tensor_output<std::int8_t, q::exact::half_up>{{1, 40}}};
  CHECK(q::agree<q::exact::half_even>(beyond).status == q::status::accumulator_overflow);
  struct halves {
    using value_type = std::int8_t;
    using accumulator = std::int32_t;
    constexpr bool valid() const { return true; }
    constexpr bool valid(std::int64_t) const { return true; }
    constexpr std::int8_t operator()(std::int64_t) const { return 0; }
  };
  some_layer wide(random, 1, 1000, 127);
  const halves no_promise[] = {{}};
  CHECK(q::agree(wide.layer<q::tosa::scale32>(), q::channel_rules_output<halves>{no_promise}).status == q::status::not_monotone);
}

TEST_CASE("a convolution's and a transposed one's channels have the bounds of their phases") {
  const std::int8_t w[] = {100, 3, 2, 1};  // one channel, 2 x 2 taps
  const std::int32_t bias[] = {10};
  std::int32_t constants[4] = {};
  const q::matrix_view weights(w, 1, 4);
  const q::window2d window{{2, 2}, {2, 2}};
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1 << 30, 36}};
  const q::zero_points zero{-28, 0};
  const auto forward = q::fold_conv2d<std::int8_t>(weights, window, bias, zero, q::view(constants, 1));
  REQUIRE(forward.status == q::status::ok);
  const auto of_conv = q::agree<q::fbgemm::fixed>(q::conv2d_layer{weights, forward.value, window, 1, output});
  REQUIRE(of_conv.status == q::status::ok);
  CHECK(of_conv.value.compared == 106 * 255 + 1);
  const auto back = q::fold_transposed_conv2d<std::int8_t>(weights, window, bias, zero, constants);
  REQUIRE(back.status == q::status::ok);
  const auto of_back = q::agree<q::fbgemm::fixed>(q::transposed_conv2d_layer{weights, back.value, window, output});
  REQUIRE(of_back.status == q::status::ok);
  CHECK(of_back.value.compared == 100 * 255 + 1);  // the widest phase holds the others
}

TEST_CASE("an agreement is a sentence") {
  const auto sentence = [](const q::agreement& a) { return std::string(q::to_string(a).c_str()); };
  CHECK(sentence({3, 0, 100, 0, {}, {}, 0}) == "none of 3 channels differ on any of 100 accumulators");
  CHECK(sentence({3, 1, 100, 2, {1, {-5, 1, 2}}, {1, {7, 3, 1}}, 2}) ==
        "1 of 3 channels differ, on 2 of 100 accumulators; the smallest in channel 1 at -5, 1 and 2; the worst by 2 in channel 1 "
        "at 7, 3 and 1");
}

TEST_CASE("a witness gives its accumulator, and small layers are searched whole") {
  support::random_bits random;
  random.state = support::sample_seed(3);
  INFO("seed " << support::sample_seed(3));
  int missed = 0, found = 0, holes = 0;
  for (int i = 0; i < support::samples(30); ++i) {
    some_layer made(random, 1, 2, random.one_in(2) ? 127 : 9);
    const auto layer = made.layer<q::tosa::scale32>();
    std::set<std::int64_t> reachable;
    for (int a = -128; a < 128; ++a)
      for (int b = -128; b < 128; ++b) {
        const int x[] = {a, b};
        reachable.insert(made.accumulator(0, x));
      }
    const q::interval bound = made.bound(0);
    CHECK((*reachable.begin() == bound.low && *reachable.rbegin() == bound.high));
    for (int j = 0; j < 40; ++j) {
      const std::int64_t acc = j == 0 ? bound.low : j == 1 ? bound.high : random.between(bound.low, bound.high);
      std::int8_t x[2] = {};
      const q::status s = q::witness(layer, 0, acc, x);
      const bool is_reachable = reachable.count(acc) != 0;
      if (s == q::status::ok) {
        CHECK(made.accumulator(0, x) == acc);
        ++found;
      } else {
        CHECK(s == q::status::no_witness);
        is_reachable ? ++missed : ++holes;
      }
    }
    std::int8_t x[2] = {};
    CHECK(q::witness(layer, 0, bound.high + 1, x) == q::status::no_witness);
  }
  INFO(found << " found, " << missed << " missed, " << holes << " holes");
  CHECK(found > 10 * missed);
  CHECK((holes > 0 || DYADIC_TEST_DIVISOR > 1));
}

TEST_CASE("an input that has no room for a second step is no witness") {
  const std::int8_t w[] = {5, 3};
  std::int32_t constants[1] = {};
  const q::matrix_view weights(w, 1, 2);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {}, constants);
  const auto layer = q::linear_layer{weights, folded.value, q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1, 31}}};
  std::int8_t x[2] = {};
  // 127 * 8 - 2 = 5 * 127 + 3 * 126 + 1, and 1 = 2 * 3 - 5: but 128 is no int8.
  CHECK(q::witness(layer, 0, 127 * 8 - 2, x) == q::status::no_witness);
  CHECK(q::witness(layer, 0, 1, x) == q::status::ok);
  CHECK(5 * x[0] + 3 * x[1] == 1);
}

TEST_CASE("layers of usual depth have a witness of every accumulator that is tried") {
  support::random_bits random;
  some_layer made(random, 2, 200, 127);
  const auto layer = made.layer<q::tosa::scale32>();
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int8_t> x(200);
    const q::interval bound = made.bound(1);
    const std::int64_t acc = random.between(bound.low, bound.high);
    REQUIRE(q::witness(layer, 1, acc, x) == q::status::ok);
    CHECK(made.accumulator(1, x.data()) == acc);
  }
  std::vector<std::int8_t> shorter(199);
  std::vector<std::int16_t> wider(200);
  CHECK(q::witness(layer, 1, 0, shorter) == q::status::shape_mismatch);
  CHECK(q::witness(layer, 2, 0, std::vector<std::int8_t>(200)) == q::status::shape_mismatch);
  CHECK(q::witness(layer, 1, 0, wider) == q::status::fold_of_other_type);
}

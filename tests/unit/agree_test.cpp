#include <dyadic/agree.hpp>
#include <dyadic/conv2d.hpp>
#include <dyadic/kernel_sums.hpp>
#include <dyadic/schemes.hpp>
#include <dyadic/witness.hpp>

#include <cstdint>
#include <initializer_list>
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

/// Compares TFLite's rule with TOSA's on a layer in the compiler, and finds the smallest input at which they differ.
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
  if (q::find_witness(layer, s.channel, s.at.acc, x) != q::status::ok) return false;
  std::int32_t acc = flash_bias[s.channel];
  for (int k = 0; k < 3; ++k) acc += (x[k] - 3) * flash_weights[3 * s.channel + k];
  return acc == s.at.acc && s.at.acc == 3 && s.at.a == 1 && s.at.b == 0;
}

/// A layer of random int8 weights, with its data.
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
  /// Returns the least and the greatest accumulator.
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

/// A layer with a single int8 weight of 1. Its accumulators are bias - 128 .. bias + 127, and each accumulator has one input.
template <class Scheme, class Y = std::int16_t>
struct single_weight {
  using accumulator = typename Scheme::accumulator;
  std::int64_t bias;
  typename Scheme::multiplier_type m;
  std::int8_t weight = 1;
  accumulator constants[1] = {};

  auto layer() {
    const q::matrix_view<const std::int8_t> weights(&weight, 1, 1);
    const auto folded = q::fold<std::int8_t>(weights, q::view<const std::int64_t>(&bias, 1), {}, constants);
    return q::linear_layer{weights, folded.value, q::per_tensor_output<Y, Scheme>{m}};
  }
};

/// Returns floor(acc * mantissa / 2^right_shift + 1/2) as an int16.
std::int64_t half_up(std::int64_t acc, std::int64_t mantissa, int right_shift) {
  const std::int64_t y = (acc * mantissa + (std::int64_t{1} << (right_shift - 1))) >> right_shift;
  return y < -32768 ? -32768 : y > 32767 ? 32767 : y;
}

/// Compares the layer of `Scheme` with an output, for accumulators up to the ends of `bits` and one beyond.
template <class Scheme, class Output>
void check_ends(int bits, typename Scheme::multiplier_type m, const Output& other, std::int64_t mantissa, int right_shift) {
  const std::int64_t end = std::int64_t{1} << (bits - 1);
  for (const std::int64_t bias : {end - 129, end - 128, end - 127, 129 - end, 128 - end, 127 - end}) {
    single_weight<Scheme> made{bias, m};
    const auto found = q::agree(made.layer(), other);
    INFO(bits << " bits, bias " << bias);
    if (bias == end - 127 || bias == 127 - end) {
      CHECK(found.status == q::status::accumulator_overflow);
      CHECK(found.value.compared == 0);
      continue;
    }
    std::uint64_t differing = 0, worst = 0;
    for (std::int64_t acc = bias - 128; acc <= bias + 127; ++acc) {
      const std::int64_t apart = half_up(acc, m.mantissa, m.right_shift) - half_up(acc, mantissa, right_shift);
      if (apart == 0) continue;
      ++differing;
      worst = static_cast<std::uint64_t>(size_of(apart)) > worst ? static_cast<std::uint64_t>(size_of(apart)) : worst;
    }
    CHECK(found.status == q::status::ok);
    CHECK((found.value.compared == 256 && found.value.differing == differing && found.value.worst_distance == worst));
  }
}

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

TEST_CASE("agree tells whether another multiplier or another zero point rule gives the same outputs") {
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

TEST_CASE("a bias that rules add themselves is not part of the accumulator") {
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
  // The other output has a 15-bit multiplier.
  const auto shorter = q::per_tensor_output<std::int16_t, q::tosa::scale16>{q::tosa::scale16::derive(scale).value};
  CHECK(q::agree(layer, shorter).value.differing > 0);
}

TEST_CASE("an error of a layer or an output has a status") {
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

TEST_CASE("accumulators up to the ends of both outputs are compared, and one beyond either is an overflow") {
  using int16_by = std::int16_t;
  constexpr std::int32_t one = 1 << 30;
  // The outermost accumulators give outputs of about 2^14, so that no output is clipped.
  const q::per_tensor_output<int16_by, q::tosa::scale32> narrow{{one, 47}}, steeper{{one + (one >> 1), 47}};
  const q::per_tensor_output<int16_by, q::tosa::scale16> middle{{1 << 14, 31}}, middle_small{{1 << 14, 47}};
  const q::per_tensor_output<int16_by, q::exact::half_up> wide{{1, 17}}, wide_steeper{{3, 18}}, wide_small{{1, 33}};
  check_ends<q::exact::half_up>(32, {1, 17}, narrow, one, 47);
  check_ends<q::exact::half_up>(32, {1, 17}, steeper, one + (one >> 1), 47);
  check_ends<q::tosa::scale32>(32, {one, 47}, wide, 1, 17);
  check_ends<q::tosa::scale32>(32, {one, 47}, wide_steeper, 3, 18);
  check_ends<q::tosa::scale32>(32, {one, 47}, steeper, one + (one >> 1), 47);
  check_ends<q::tosa::scale16>(32, {1 << 14, 31}, narrow, one, 47);
  check_ends<q::tosa::scale32>(32, {one, 47}, middle, 1 << 14, 31);
  check_ends<q::exact::half_up>(48, {1, 33}, middle_small, 1 << 14, 47);
  check_ends<q::tosa::scale16>(48, {1 << 14, 47}, wide_small, 1, 33);
  check_ends<q::exact::half_up>(63, {1, 48}, q::per_tensor_output<int16_by, q::exact::half_up>{{1, 49}}, 1, 49);
}

TEST_CASE("rules that add the bias accept all values of their accumulator") {
  using rule16 = q::decomposed::clipped_to_int16;
  using rule32 = q::decomposed::clipped_to_int32;
  const std::int64_t end = std::int64_t{1} << 47;
  const rule16 clipped16[] = {rule16::derive(0, 1.0, 0x1p-33, 1.0).value};
  const rule32 clipped32[] = {rule32::derive(0, 0x1p-33, 1.0).value};
  // The rule gets the accumulator without the bias. Without the bias the accumulator is about 0, so that it fits 48 bits.
  for (const std::int64_t bias : {std::int64_t{0}, end - 129, end - 128, end, 128 - end, 127 - end, -end}) {
    single_weight<q::exact::half_up> made{bias, {1, 33}};
    const auto layer = made.layer();
    CHECK(q::agree(layer, q::channel_rules_output<rule16>{clipped16}).status == q::status::ok);
    CHECK(q::agree(layer, q::channel_rules_output<rule32>{clipped32}).status == q::status::ok);
  }
  const q::detail::biased_rule<rule16> biased{clipped16[0], 7};
  CHECK((biased.takes(end + 6) && !biased.takes(end + 7) && biased.takes(7 - end) && !biased.takes(6 - end)));
  CHECK(q::detail::biased_rule<rule32>{clipped32[0], 7}.takes(end + 7));
}

namespace {
struct of_9_bits {
  using value_type = std::int16_t;
  using accumulator = std::int64_t;
  static constexpr int accumulator_bits = 9;
  static constexpr bool is_monotone = true;
  constexpr bool valid() const { return true; }
  constexpr bool valid(std::int64_t) const { return true; }
  constexpr std::int16_t operator()(std::int64_t acc) const { return static_cast<std::int16_t>(acc); }
};
}  // namespace

TEST_CASE("a rule with fewer bits than its accumulator refuses accumulators beyond these bits") {
  const of_9_bits rules[] = {{}};
  const auto status_of = [&](std::int8_t weight, std::int64_t bias) {  // without the bias: weight * -128 .. weight * 127
    single_weight<q::exact::half_up> made{bias, {1, 1}, weight};
    return q::agree(made.layer(), q::channel_rules_output<of_9_bits>{rules}).status;
  };
  for (const std::int64_t bias : {-1000, 0, 1000}) {
    CHECK((status_of(1, bias) == q::status::ok && status_of(2, bias) == q::status::ok));
    CHECK((status_of(3, bias) == q::status::accumulator_overflow && status_of(-2, bias) == q::status::accumulator_overflow));
  }
}

TEST_CASE("the first and last accumulators have a witness, the next one beyond has none, and an overflow has a status") {
  const auto check_layer = [](auto made, std::int64_t end) {
    using layer_type = decltype(made);
    for (const std::int64_t bias : {end - 129, end - 128, end - 127, 129 - end, 128 - end, 127 - end}) {
      layer_type at{bias, made.m};
      const auto layer = at.layer();
      const bool overflows = bias == end - 127 || bias == 127 - end;
      INFO("bias " << bias);
      for (const std::int64_t x : {-129, -128, -127, 0, 126, 127, 128}) {
        std::int8_t found[1] = {99};
        const q::status s = q::find_witness(layer, 0, bias + x, found);
        CHECK(s == (overflows ? q::status::accumulator_overflow : x < -128 || x > 127 ? q::status::no_witness : q::status::ok));
        if (s == q::status::ok) CHECK(found[0] == x);
      }
    }
  };
  check_layer(single_weight<q::tosa::scale32>{0, {1 << 30, 47}}, std::int64_t{1} << 31);
  check_layer(single_weight<q::tosa::scale16>{0, {1 << 14, 47}}, std::int64_t{1} << 47);
  check_layer(single_weight<q::exact::half_up>{0, {1, 33}}, std::int64_t{1} << 62);
  // `find_witness` accepts any int64.
  single_weight<q::tosa::scale32> made{0, {1 << 30, 47}};
  const auto layer = made.layer();
  std::int8_t x[1] = {};
  for (const std::int64_t acc : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    CHECK(q::find_witness(layer, 0, acc, x) == q::status::no_witness);
}

TEST_CASE("agree refuses a constant that wrapped") {
  // The bias 2^32 is 0 modulo 2^32.
  single_weight<q::tosa::scale32> made{std::int64_t{1} << 32, {1 << 30, 40}};
  const auto layer = made.layer();
  std::int8_t x[1] = {};
  std::int16_t y[1] = {};
  REQUIRE(check(layer, q::matrix_view<const std::int8_t>(x, 1, 1), q::matrix_view<std::int16_t>(y, 1, 1)) ==
          q::status::accumulator_overflow);
  const auto found = q::agree<q::tflite::double_rounding>(layer);
  CHECK(found.status == q::status::accumulator_overflow);
  CHECK(found.value.compared == 0);
  for (const std::int64_t acc : {std::int64_t{3}, (std::int64_t{1} << 32) + 3})
    CHECK(q::find_witness(layer, 0, acc, x) == q::status::accumulator_overflow);
  // The bound of this bias saturates in int64.
  single_weight<q::exact::half_up> far_bias{std::numeric_limits<std::int64_t>::max() - 5, {1, 33}};
  CHECK(q::find_witness(far_bias.layer(), 0, far_bias.bias, x) == q::status::accumulator_overflow);
}

namespace {

/// A layer of two channels and three weights. The test sets every part of its fold and then decides about the layer.
struct hostile {
  std::int8_t w[6] = {1, 2, 3, 4, 5, 6};
  std::int32_t constants[3] = {10, 20, 0};
  q::multiplier32 m[2] = {{1 << 30, 36}, {1 << 30, 37}};
  q::folded_bias<std::int32_t> folded{};
  q::output_range range = q::range_of<std::int8_t>();
  q::view<const q::multiplier32> multipliers{m};

  hostile() {
    const auto made =
        q::fold<std::int8_t>(q::matrix_view<const std::int8_t>(w, 2, 3), q::no_bias{}, {3, 0}, q::view(constants, 2));
    REQUIRE(made.status == q::status::ok);
    folded = made.value;
  }
  auto layer() const {
    return q::linear_layer{q::matrix_view<const std::int8_t>(w, 2, 3), folded,
                           q::per_channel_output<std::int8_t, q::tosa::scale32>{multipliers, range}};
  }
  /// Returns the status of `agree` and `find_witness`, which must be equal.
  q::status decided() const {
    const auto all = layer();
    const auto found = q::agree<q::exact::half_up>(all);
    CHECK((found.status == q::status::ok || found.value.compared == 0));
    std::int8_t x[3] = {77, 77, 77};
    CHECK(q::find_witness(all, 1, 5, x) == found.status);
    CHECK((found.status == q::status::ok || (x[0] == 77 && x[1] == 77 && x[2] == 77)));
    return found.status;
  }
};

template <class Change>
q::status decided_with(const Change& change) {
  hostile h;
  change(h);
  return h.decided();
}

}  // namespace

TEST_CASE("unchecked records, constants and multipliers have a status and are not read") {
  using s = q::status;
  constexpr std::int32_t least = q::int32_min, most = q::int32_max;
  CHECK(decided_with([](hostile&) {}) == s::ok);
  for (const std::int32_t zero : std::initializer_list<std::int32_t>{-129, 128, least, most})
    CHECK(decided_with([=](hostile& h) { h.folded.record.zero.x = zero; }) == s::zero_point_out_of_range);
  for (const std::int32_t zero : std::initializer_list<std::int32_t>{-129, 128, least, most})
    CHECK(decided_with([=](hostile& h) { h.folded.record.zero.w = zero; }) == s::zero_point_out_of_range);
  for (const std::int32_t zero : {-128, 127}) CHECK(decided_with([=](hostile& h) { h.folded.record.zero.w = zero; }) == s::ok);
  for (const std::int32_t end : std::initializer_list<std::int32_t>{least, -129, -127, 0, most}) {
    CHECK(decided_with([=](hostile& h) { h.folded.record.x_min = end; }) == s::fold_of_other_type);
    CHECK(decided_with([=](hostile& h) { h.folded.record.x_max = end; }) == s::fold_of_other_type);
    CHECK(decided_with([=](hostile& h) { h.folded.record.x_max = h.folded.record.x_min = end; }) == s::fold_of_other_type);
  }
  // The range of the weights in the record is not used.
  for (const std::int32_t end : std::initializer_list<std::int32_t>{least, most})
    CHECK(decided_with([=](hostile& h) { h.folded.record.w_min = h.folded.record.w_max = end; }) == s::ok);
  for (const q::accumulator_range bound :
       {q::accumulator_range{0, std::int64_t{1} << 31}, {-(std::int64_t{1} << 31) - 1, 0}, {INT64_MIN, INT64_MAX}})
    CHECK(decided_with([=](hostile& h) { h.folded.record.bound = bound; }) == s::accumulator_overflow);
  CHECK(decided_with([](hostile& h) { h.folded.record.channels = 3; }) == s::fold_of_other_shape);
  CHECK(decided_with([](hostile& h) { h.folded.record.depth = -3; }) == s::fold_of_other_shape);
  CHECK(decided_with([](hostile& h) { h.folded.record.taps_y = 0; }) == s::fold_of_other_shape);
  CHECK(decided_with([](hostile& h) { h.folded.record.step_x = 0; }) == s::fold_of_other_shape);
  // No constants, too few and too many.
  const auto with_constants = [](const std::int32_t* data, q::index_t size) {
    return decided_with([=](hostile& h) { h.folded.constants = {data, size}; });
  };
  static constexpr std::int32_t four[4] = {};
  CHECK(with_constants(nullptr, 2) == s::null_data);
  CHECK(with_constants(four, 2) == s::ok);
  CHECK(with_constants(four, 1) == s::shape_mismatch);
  CHECK(with_constants(four, 3) == s::shape_mismatch);
  CHECK(with_constants(four, 0) == s::shape_mismatch);
  CHECK(with_constants(four, -2) == s::negative_size);
  CHECK(with_constants(four, std::numeric_limits<q::index_t>::max()) == s::size_overflow);
  // Wrong outputs.
  CHECK(decided_with([](hostile& h) { h.m[1].right_shift = 1000; }) == s::multiplier_out_of_range);
  CHECK(decided_with([](hostile& h) { h.m[0].mantissa = -1; }) == s::multiplier_out_of_range);
  CHECK(decided_with([](hostile& h) { h.multipliers = {nullptr, 2}; }) == s::null_data);
  CHECK(decided_with([](hostile& h) { h.multipliers = {h.m, 1}; }) == s::multiplier_count_mismatch);
  CHECK(decided_with([](hostile& h) { h.range = {0, 5, 4}; }) == s::empty_range);
  CHECK(decided_with([](hostile& h) { h.range = {0, -129, 4}; }) == s::range_out_of_type);
  CHECK(decided_with([](hostile& h) { h.range.zero_point = 128; }) == s::zero_point_out_of_range);
}

TEST_CASE("a forged bound does not hide accumulators that the constants reach") {
  const auto with_constant = [](std::int32_t constant) {
    hostile h;
    h.folded.record.bound = {0, 0};
    h.folded.record.zero.x = 0;
    h.constants[1] = constant;
    h.folded.constants = {h.constants, 2};
    const q::status s = q::agree<q::exact::half_up>(h.layer()).status;
    std::int8_t x[3] = {};
    CHECK(q::find_witness(h.layer(), 1, constant, x) == s);
    return s;
  };
  // The sum of the weights 4, 5 and 6 is 15, so that the accumulator goes from -15 * 128 to 15 * 127.
  CHECK(with_constant(q::int32_max - 15 * 127) == q::status::ok);
  CHECK(with_constant(q::int32_max - 15 * 127 + 1) == q::status::accumulator_overflow);
  CHECK(with_constant(q::int32_min + 15 * 128) == q::status::ok);
  CHECK(with_constant(q::int32_min + 15 * 128 - 1) == q::status::accumulator_overflow);
}

TEST_CASE("accumulators of up to 63 bits are compared, and more bits are an overflow") {
  const auto status_of = [](std::int64_t bias) {
    single_weight<q::exact::half_up> made{bias, {1, 60}};
    return q::agree<q::exact::half_even>(made.layer()).status;
  };
  const std::int64_t end = std::int64_t{1} << 62;
  CHECK((status_of(end - 128) == q::status::ok && status_of(128 - end) == q::status::ok));
  CHECK((status_of(end - 127) == q::status::accumulator_overflow && status_of(127 - end) == q::status::accumulator_overflow));
}

TEST_CASE("the error of the first bad channel is the status, whatever the later channels have") {
  // The first channel has more outputs than a walk visits. The second channel has few.
  const std::int16_t w[] = {32767, 1};
  std::int64_t constants[2] = {};
  const q::matrix_view weights(w, 2, 1);
  const auto folded = q::fold<std::int16_t>(weights, q::no_bias{}, {}, constants);
  const q::per_tensor_output<std::int32_t, q::exact::half_up> output{{1, 1}};
  const auto found = q::agree<q::exact::half_even>(q::linear_layer{weights, folded.value, output});
  CHECK((found.status == q::status::not_monotone && found.value.channels == 0));
}

TEST_CASE("layers of every type of activations, and folds without a fingerprint, are decided") {
  const std::int8_t w[] = {1, -2};
  const std::int32_t sums[] = {-1};
  std::int64_t constants[1] = {};
  const q::matrix_view weights(w, 1, 2);
  const q::per_tensor_output<std::int8_t, q::exact::half_up> output{{1, 8}};
  const auto compared = [&](const auto& folded) {
    REQUIRE(folded.status == q::status::ok);
    const auto found = q::agree<q::exact::half_even>(q::linear_layer{weights, folded.value, output});
    CHECK(found.status == q::status::ok);
    return found.value.compared;
  };
  CHECK(compared(q::fold<std::int8_t>(weights, q::no_bias{}, {}, constants)) == 3 * 255 + 1);
  CHECK(compared(q::fold<std::uint8_t>(weights, q::no_bias{}, {}, constants)) == 3 * 255 + 1);
  CHECK(compared(q::fold<std::int16_t>(weights, q::no_bias{}, {}, constants)) == 3 * 65535 + 1);
  CHECK(compared(q::fold<std::uint16_t>(weights, q::no_bias{}, {}, constants)) == 3 * 65535 + 1);
  CHECK(compared(q::fold<std::int8_t>(weights, q::no_bias{}, {}, constants, q::verifiable::no)) == 3 * 255 + 1);
  const auto of_sums = q::fold_kernel_sums<std::int8_t, std::int8_t>(sums, 2, q::no_bias{}, {}, constants);
  CHECK(compared(of_sums) == 3 * 255 + 1);
  std::int8_t x[2] = {};
  const q::linear_layer layer{weights, of_sums.value, output};
  CHECK((q::find_witness(layer, 0, 7, x) == q::status::ok && x[0] - 2 * x[1] == 7));
}

TEST_CASE("layers without channels or without weights are compared") {
  const q::per_tensor_output<std::int8_t, q::exact::half_up> output{{1, 8}};
  const std::int8_t* const none = nullptr;
  std::int64_t constants[1] = {};
  const auto no_channels = q::fold<std::int8_t>(q::matrix_view(none, 0, 3), q::no_bias{}, {}, q::view(constants, 0));
  const auto found = q::agree<q::exact::half_even>(q::linear_layer{q::matrix_view(none, 0, 3), no_channels.value, output});
  CHECK((found.status == q::status::ok && found.value.channels == 0 && found.value.compared == 0));
  const std::int32_t bias[] = {5};
  const auto no_weights = q::fold<std::int8_t>(q::matrix_view(none, 1, 0), bias, {}, constants);
  const q::linear_layer layer{q::matrix_view(none, 1, 0), no_weights.value, output};
  const auto of_bias = q::agree<q::exact::half_even>(layer);
  CHECK((of_bias.status == q::status::ok && of_bias.value.channels == 1 && of_bias.value.compared == 1));
  const q::view<std::int8_t> no_inputs{};
  CHECK((q::find_witness(layer, 0, 5, no_inputs) == q::status::ok &&
         q::find_witness(layer, 0, 4, no_inputs) == q::status::no_witness));
}

TEST_CASE("a layer whose output consists of rules agrees with itself") {
  const std::int8_t w[] = {1, -2};
  std::int64_t constants[1] = {};
  const q::matrix_view weights(w, 1, 2);
  const auto folded = q::fold<std::int16_t>(weights, q::no_bias{}, {}, constants);
  const q::decomposed::clipped_to_int32 rules[] = {q::decomposed::clipped_to_int32::derive(5, 0.01, 1.0).value};
  const q::channel_rules_output<q::decomposed::clipped_to_int32> output{rules};
  const auto found = q::agree(q::linear_layer{weights, folded.value, output}, output);
  CHECK((found.status == q::status::ok && found.value.differing == 0 && found.value.compared == 3 * 65535 + 1));
}

TEST_CASE("rules that add a bias refuse a fold that has one") {
  const std::int8_t w[] = {1};
  const std::int32_t bias[] = {5};
  std::int64_t constants[1] = {};
  const q::matrix_view weights(w, 1, 1);
  const auto folded = q::fold<std::int8_t>(weights, bias, {}, constants);
  const q::decomposed::clipped_to_int32 rules[] = {q::decomposed::clipped_to_int32::derive(5, 0.5, 1.0).value};
  const q::channel_rules_output<q::decomposed::clipped_to_int32> output{rules};
  const q::linear_layer layer{weights, folded.value, output};
  std::int8_t x[1] = {};
  CHECK(q::agree(layer, output).status == q::status::fold_with_bias);
  CHECK(q::find_witness(layer, 0, 5, x) == q::status::fold_with_bias);
}

TEST_CASE("a witness is refused if it overlaps memory that it is computed from") {
  std::int8_t memory[16] = {1, 2, 3};
  alignas(std::int32_t) std::int8_t other[sizeof(std::int32_t)] = {};
  auto* const constants = reinterpret_cast<std::int32_t*>(other);
  const q::matrix_view<const std::int8_t> weights(memory, 1, 3);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {}, q::view<std::int32_t>(constants, 1));
  q::multiplier32 m[] = {{1 << 30, 36}};
  const q::linear_layer layer{weights, folded.value, q::per_channel_output<std::int8_t, q::tosa::scale32>{m}};
  const auto over = [&](std::int8_t* to) { return q::find_witness(layer, 0, 5, q::view<std::int8_t>(to, 3)); };
  CHECK(over(memory + 2) == q::status::overlap);
  CHECK(over(memory + 3) == q::status::ok);
  CHECK(over(other) == q::status::overlap);
  CHECK(over(reinterpret_cast<std::int8_t*>(m) + 5) == q::status::overlap);
}

TEST_CASE("channels of convolutions and transposed convolutions have the bounds of their phases") {
  const std::int8_t w[] = {100, 3, 2, 1};  // a channel of 2 x 2 taps
  const std::int32_t bias[] = {10};
  std::int32_t constants[4] = {};
  const q::matrix_view weights(w, 1, 4);
  const q::window2d window{{2, 2}, {2, 2}};
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1 << 30, 36}};
  const q::zero_points zero{-28, 0};
  const auto forward = q::fold_conv2d<std::int8_t>(weights, bias, window, zero, q::view(constants, 1));
  REQUIRE(forward.status == q::status::ok);
  const auto of_conv = q::agree<q::fbgemm::fixed>(q::conv2d_layer{weights, forward.value, window, 1, output});
  REQUIRE(of_conv.status == q::status::ok);
  CHECK(of_conv.value.compared == 106 * 255 + 1);
  const auto back = q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, zero, constants);
  REQUIRE(back.status == q::status::ok);
  const auto of_back = q::agree<q::fbgemm::fixed>(q::transposed_conv2d_layer{weights, back.value, window, output});
  REQUIRE(of_back.status == q::status::ok);
  CHECK(of_back.value.compared == 100 * 255 + 1);  // the bound of the widest phase contains the bounds of the other phases
}

TEST_CASE("each phase of a transposed convolution's channel has the constant of that phase and channel") {
  // Two channels of 2 x 2 taps. Each phase has a tap of each channel.
  const std::int8_t w[] = {100, 3, 2, 1, -7, 5, -1, 90};
  const std::int32_t bias[] = {10, 1'000'000};  // far apart, so that a constant of the wrong channel widens a bound
  const q::matrix_view weights(w, 2, 4);
  const q::window2d window{{2, 2}, {2, 2}};
  std::int32_t constants[8] = {};
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {-28, 0}, constants);
  REQUIRE(folded.status == q::status::ok);
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1 << 30, 36}};
  const q::transposed_conv2d_layer layer{weights, folded.value, window, output};
  const auto found = q::agree<q::fbgemm::fixed>(layer);
  REQUIRE(found.status == q::status::ok);
  // The accumulators are -100 .. 155 times 100, and times 90: the widest phases contain the others.
  CHECK((found.value.channels == 2 && found.value.compared == 100 * 255 + 1 + 90 * 255 + 1));
}

TEST_CASE("a transposed convolution whose zero point is 0 has one constant for all phases") {
  const std::int8_t w[] = {100, 3, 2, 1};  // a channel of 2 x 2 taps
  // The values after the first value are not part of the view.
  const std::int32_t constants[] = {10, 1 << 20, 1 << 21, 1 << 22};
  const q::matrix_view weights(w, 1, 4);
  const q::window2d window{{2, 2}, {2, 2}};
  const std::int32_t bias[] = {10};
  std::int32_t made[1] = {};
  auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {}, made);
  REQUIRE((folded.status == q::status::ok && made[0] == 10));
  folded.value.constants = {constants, 1};
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1 << 30, 36}};
  const auto found = q::agree<q::fbgemm::fixed>(q::transposed_conv2d_layer{weights, folded.value, window, output});
  REQUIRE(found.status == q::status::ok);
  CHECK(found.value.compared == 100 * 255 + 1);
  folded.value.constants = {constants, 4};
  CHECK(q::agree<q::fbgemm::fixed>(q::transposed_conv2d_layer{weights, folded.value, window, output}).status ==
        q::status::shape_mismatch);
}

TEST_CASE("an agreement is printed as a sentence") {
  const auto sentence = [](const q::agreement& a) { return std::string(q::to_string(a).c_str()); };
  CHECK(sentence({3, 0, 100, 0, {}, {}, 0}) == "none of 3 channels differ on any of 100 accumulators");
  CHECK(sentence({3, 1, 100, 2, {1, {-5, 1, 2}}, {1, {7, 3, 1}}, 2}) ==
        "1 of 3 channels differ, on 2 of 100 accumulators; the smallest in channel 1 at -5, 1 and 2; the worst by 2 in channel 1 "
        "at 7, 3 and 1");
  CHECK(sentence({}) == "nothing was compared");
}

TEST_CASE("an agreement with a status is printed with the status, whatever was found before") {
  const auto sentence = [](const q::result<q::agreement>& a) { return std::string(q::to_string(a).c_str()); };
  hostile h;
  CHECK(sentence(q::agree(h.layer(), h.layer().output)) == "none of 2 channels differ on any of 5357 accumulators");
  h.folded.record.zero.x = q::int32_min;
  CHECK(sentence(q::agree(h.layer(), h.layer().output)) == "not decided: zero point outside its type");
  CHECK(sentence({{3, 1, 100, 2, {}, {}, 2}, q::status::not_monotone}) ==
        "not decided: rule is not monotone, or not known to be");
}

TEST_CASE("a witness gives its accumulator, and small layers are searched completely") {
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
      const q::status s = q::find_witness(layer, 0, acc, x);
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
    CHECK(q::find_witness(layer, 0, bound.high + 1, x) == q::status::no_witness);
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
  // 127 * 8 - 2 = 5 * 127 + 3 * 126 + 1. The remainder 1 = 2 * 3 - 5 needs 126 + 2 = 128, which does not fit int8.
  CHECK(q::find_witness(layer, 0, 127 * 8 - 2, x) == q::status::no_witness);
  CHECK(q::find_witness(layer, 0, 1, x) == q::status::ok);
  CHECK(5 * x[0] + 3 * x[1] == 1);
}

namespace {

/// Returns whether a layer of two weights has a witness of an accumulator; `unpredictable` if the witness gives another
/// accumulator.
constexpr q::status status_of_two(std::int16_t larger, std::int16_t smaller, std::int32_t zero, std::int64_t acc) {
  const std::int16_t w[] = {larger, smaller};
  std::int64_t constants[1] = {};
  const q::matrix_view weights(w, 1, 2);
  const auto folded = q::fold<std::int16_t>(weights, q::no_bias{}, {zero, 0}, constants);
  const auto layer = q::linear_layer{weights, folded.value, q::per_tensor_output<std::int8_t, q::exact::half_up>{{1, 31}}};
  std::int16_t x[2] = {};
  const q::status s = q::find_witness(layer, 0, acc, x);
  const bool is_given = std::int64_t{larger} * (x[0] - zero) + std::int64_t{smaller} * (x[1] - zero) == acc;
  return s == q::status::ok && !is_given ? q::status::unpredictable : s;
}
// An access outside the arrays of the search would not compile in a constant. The first sum is the farthest that the search
// reaches, and the second sum comes after all other sums.
static_assert(status_of_two(1000, 1, 32757, 10 + 512) == q::status::ok);
static_assert(status_of_two(1000, 1, 32757, 10 + 1) == q::status::ok);

}  // namespace

TEST_CASE("the search for a witness closes a remainder of up to 512") {
  const auto found = [](std::int16_t larger, std::int16_t smaller, std::int32_t zero, std::int64_t acc) {
    const q::status s = status_of_two(larger, smaller, zero, acc);
    CHECK((s == q::status::ok || s == q::status::no_witness));
    return s == q::status::ok;
  };
  // The second input can increase by only 10, and a residual of 1000 - 488 remains.
  CHECK(found(1000, 1, 32757, 10 + 512));
  CHECK_FALSE(found(1000, 1, 32757, 10 + 513));
  CHECK(found(1000, -1, 32757, -10 - 488 + 1000));
  CHECK(found(-1000, -1, 32757, -10 - 512));
  CHECK_FALSE(found(-1000, -1, 32757, -10 - 513));
  // 24 = -488 + 1000 - 488. In any other order a partial sum exceeds 512.
  CHECK(found(1000, 488, 0, 512));
  CHECK(found(1000, 488, 0, -512));
  CHECK_FALSE(found(1025, 513, 0, 512));  // 512 = 1025 - 513: in either order a partial sum exceeds 512
}

TEST_CASE("layers of usual depth have a witness for every accumulator that is tried") {
  support::random_bits random;
  some_layer made(random, 2, 200, 127);
  const auto layer = made.layer<q::tosa::scale32>();
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int8_t> x(200);
    const q::interval bound = made.bound(1);
    const std::int64_t acc = random.between(bound.low, bound.high);
    REQUIRE(q::find_witness(layer, 1, acc, x) == q::status::ok);
    CHECK(made.accumulator(1, x.data()) == acc);
  }
  std::vector<std::int8_t> shorter(199);
  std::vector<std::int16_t> wider(200);
  CHECK(q::find_witness(layer, 1, 0, shorter) == q::status::shape_mismatch);
  CHECK(q::find_witness(layer, 2, 0, std::vector<std::int8_t>(200)) == q::status::shape_mismatch);
  CHECK(q::find_witness(layer, 1, 0, wider) == q::status::fold_of_other_type);
  CHECK(q::find_witness(layer, -1, 0, std::vector<std::int8_t>(200)) == q::status::shape_mismatch);
  CHECK(q::find_witness(layer, 1, 0, q::view<std::int8_t>(nullptr, 200)) == q::status::null_data);
  CHECK(q::find_witness(layer, 1, 0, q::view<std::int8_t>(shorter.data(), -1)) == q::status::negative_size);
}

TEST_CASE("a witness has the type of the fold's activations, also where two types begin with 0") {
  const std::int8_t w[] = {1, 1};
  std::int32_t constants[1] = {};
  const q::matrix_view weights(w, 1, 2);
  const auto of_bytes = q::fold<std::uint8_t>(weights, q::no_bias{}, {}, constants);
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1, 31}};
  const q::linear_layer layer{weights, of_bytes.value, output};
  std::uint8_t x[2] = {};
  std::uint16_t wider[2] = {};
  std::int8_t with_sign[2] = {};
  CHECK((q::find_witness(layer, 0, 300, x) == q::status::ok && x[0] + x[1] == 300));
  CHECK(q::find_witness(layer, 0, 300, wider) == q::status::fold_of_other_type);
  CHECK(q::find_witness(layer, 0, 300, with_sign) == q::status::fold_of_other_type);
}

TEST_CASE("a witness of a convolution writes exactly its taps, and a transposed convolution has none") {
  // Two channels of 2 x 3 taps. The weights of the second channel equal those of the first.
  const std::int8_t w[] = {5, -9, 2, 1, 7, 3, 5, -9, 2, 1, 7, 3};
  std::int32_t constants[2] = {};
  const q::matrix_view weights(w, 2, 6);
  const q::window2d window{{2}, {3}};
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> output{{1, 31}};
  const auto folded = q::fold_conv2d<std::int8_t>(weights, q::no_bias{}, window, {3, 1}, constants);
  REQUIRE(folded.status == q::status::ok);
  const q::conv2d_layer conv{weights, folded.value, window, 1, output};
  for (const q::index_t channel : {0, 1})
    for (const int acc : {-1000, -1, 0, 1, 77, 2000}) {
      std::int8_t x[7] = {99, 99, 99, 99, 99, 99, 99};
      REQUIRE(q::find_witness(conv, channel, acc, q::view(x, 6)) == q::status::ok);
      int sum = 0;
      for (int k = 0; k < 6; ++k) sum += (x[k] - 3) * (w[k] - 1);
      CHECK((sum == acc && x[6] == 99));
    }
  for (const q::window2d& strided : {q::window2d{{2, 2}, {3}}, q::window2d{{2}, {3, 2}}}) {
    std::int32_t more[8] = {};
    const q::index_t count = q::transposed_conv2d_constants(2, strided, {3, 1});
    const auto back = q::fold_transposed_conv2d<std::int8_t>(weights, q::no_bias{}, strided, {3, 1}, q::view(more, count));
    REQUIRE(back.status == q::status::ok);
    std::int8_t x[6] = {};
    CHECK(q::find_witness(q::transposed_conv2d_layer{weights, back.value, strided, output}, 0, 0, x) == q::status::no_witness);
  }
}

#include <dyadic/elementwise/recurrent.hpp>
#include <dyadic/elementwise/svdf_layer.hpp>
#include <dyadic/kernel_sums.hpp>
#include <dyadic/native.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../oracle/recurrent.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;
namespace tflite = q::tflite;
namespace cmsis_nn = q::cmsis_nn;
using q::index_t;
using q::status;
using std::int16_t;
using std::int8_t;

namespace {

// ---- by the compiler: the corner cases that tell the engines apart

constexpr q::multiplier32 one{1 << 30, 30};
template <class Rule>
constexpr Rule with_one() {
  Rule rule{};
  for (auto& m : rule.gates) m = {one, one};
  rule.forget = {1 << 30, 45};  // 2^-15
  rule.input = {1 << 30, 31};   // 1/2
  rule.output = {1 << 30, 45};
  rule.cell_scale_power = -12;
  return rule;
}
constexpr auto tflm = with_one<tflite::lstm<int8_t>>();
constexpr auto cmsis = with_one<cmsis_nn::lstm<int8_t>>();
static_assert(check(tflm) == status::ok && check(cmsis) == status::ok);

// 40000 - 50000: saturated before the sum or not. A saturated sum is saturated again.
static_assert(tflm.gate_sum(40000, -50000, 0) == -1 && cmsis.gate_sum(40000, -50000, 0) == -17233);
static_assert(tflm.gate(40000, -50000, 0) == 16382 && cmsis.gate(40000, -50000, 0) == 481);
static_assert(tflm.gate_sum(40000, 50000, 1) == 32767 && cmsis.gate_sum(-40000, -50000, 1) == -32768);
static_assert(tflm.gate(4096, 0, 0) == 23956 && tflm.gate(4096, 0, 2) == cmsis_nn::tanh::from_left_shift(0)(4096));
// The cell: kept = -10000, i * g / 2 = 60000 leaves int16 before the sum.
static_assert(tflm.cell(-20000, 4, 16384, 30000) == 22767 && cmsis.cell(-20000, 4, 16384, 30000) == 32767);
static_assert(tflm.cell(-32768, 2, 32767, -2) == -32768 && tflm.cell(32767, 2, 32767, 2) == 32767);

template <class Rule>
constexpr int clipped(std::int32_t clip, int16_t c) {
  Rule rule = with_one<Rule>();
  rule.cell_clip = clip;
  return rule.cell(c, 0, 32767, 0);
}
static_assert(clipped<tflite::lstm<int8_t>>(32768, -32768) == -32767);  // -32768 * 32767 / 2^15
static_assert(clipped<tflite::lstm<int8_t>>(100, -32768) == -100 && clipped<tflite::lstm<int8_t>>(100, 32767) == 100);
static_assert(clipped<tflite::lstm<int8_t>>(0, -32768) == 0);
constexpr auto lowest = with_one<tflite::lstm<int8_t>>().cell(-32768, 2, 32767, -32768);
static_assert(lowest == -32768);
constexpr int at_clip_of_32767() {
  auto rule = with_one<cmsis_nn::lstm<int8_t>>();
  rule.cell_clip = 32767;
  return rule.cell(-32768, 2, 32767, -32768);
}
static_assert(at_clip_of_32767() == -32767);  // a clip of 32767 excludes -32768

// tanh of the cell: both directions of the shift and none.
constexpr int tanh_at(std::int32_t power, int16_t c) {
  auto rule = tflm;
  rule.cell_scale_power = power;
  return rule.cell_tanh()(c);
}
static_assert(tanh_at(-12, 4096) == tanh_at(-11, 2048) && tanh_at(-12, 4096) == tanh_at(-15, 32767));
static_assert(tanh_at(-15, 1) == 0 && tanh_at(-15, 2) == 3 && tanh_at(-15, -1) == 0 &&
              tanh_at(-15, -2) == -3);  // 3 / 8 and 6 / 8 of a step
static_assert(tanh_at(2, 2) == 32767 && tanh_at(2, -2) == -32767);

// ---- derivations

constexpr q::lstm_scales scales{0x1p-7f, 0x1p-7f, 0x1p-11f, {0.01f, 0.01f, 0.01f, 0.01f}, {0.02f, 0.02f, 0.02f, 0.02f}, 0.0f};
template <class Rule>
constexpr q::result<Rule> derived(q::binary32 cell, q::binary32 clip) {
  q::lstm_scales s = scales;
  s.cell = cell;
  s.cell_clip = clip;
  return Rule::derive(s, 3);
}
constexpr auto rule8 = derived<tflite::lstm<int8_t>>(0x1p-11f, 0.0f);
static_assert(rule8.status == status::ok && rule8.value.cell_clip == 32768 && rule8.value.cell_scale_power == -11);
static_assert(rule8.value.forget == q::multiplier32{1 << 30, 45} && rule8.value.input == q::multiplier32{1 << 30, 49} &&
              rule8.value.output == q::multiplier32{1 << 30, 53});
static_assert(derived<tflite::lstm<int8_t>>(0x1p-11f, 10.0f).value.cell_clip == 20480);
static_assert(derived<tflite::lstm<int8_t>>(0x1p-11f, 100.0f).value.cell_clip == 32767);
// A clip below a step of the cell: TFLM sets each cell to 0, CMSIS-NN does not clip.
static_assert(derived<tflite::lstm<int8_t>>(0x1p-11f, 0x1p-12f).value.cell_clip == 0);
static_assert(derived<cmsis_nn::lstm<int8_t>>(0x1p-11f, 0x1p-12f).value.cell_clip == 32768);
static_assert(derived<tflite::lstm<int8_t>>(0x1p-11f, -1.0f).value.cell_clip == 32768);
// A cell scale that is no power of two: 1.2 * 2^-11 counts as 2^-11 for tanh, and its multiplier has 1 / 1.2.
constexpr auto odd_cell = derived<tflite::lstm<int16_t>>(1.2f * 0x1p-11f, 0.0f);
static_assert(odd_cell.status == status::ok && odd_cell.value.cell_scale_power == -11 &&
              odd_cell.value.input.mantissa == 1789569636);
static_assert(derived<tflite::lstm<int8_t>>(0x1p-44f, 0.0f).status == status::scale_too_small);
static_assert(derived<tflite::lstm<int8_t>>(4.5f, 0.0f).status == status::scale_too_large);
static_assert(derived<tflite::lstm<int8_t>>(0.0f, 0.0f).status == status::scale_zero);
static_assert(derived<tflite::lstm<int8_t>>(-1.0f, 0.0f).status == status::scale_negative);
static_assert(derived<tflite::lstm<int8_t>>(0x1p-11f, q::binary32::from_bits(0x7FC0'0000u)).status == status::scale_not_finite);

// ---- checks of rules

constexpr status checked(void (*change)(tflite::lstm<int8_t>&)) {
  auto rule = tflm;
  change(rule);
  return check(rule);
}
static_assert(checked([](auto& r) { r.zero_point = 128; }) == status::zero_point_out_of_range);
static_assert(checked([](auto& r) { r.cell_clip = -1; }) == status::range_out_of_type);
static_assert(checked([](auto& r) { r.cell_clip = 32769; }) == status::range_out_of_type);
static_assert(checked([](auto& r) { r.cell_scale_power = 3; }) == status::multiplier_out_of_range);
static_assert(checked([](auto& r) { r.cell_scale_power = q::int32_min; }) == status::multiplier_out_of_range);
static_assert(checked([](auto& r) { r.gates[3].hidden.right_shift = 63; }) == status::multiplier_out_of_range);
static_assert(checked([](auto& r) { r.cell_activation = q::operator_id::add; }) == status::multiplier_out_of_range);
static_assert(checked([](auto& r) { r.cell_activation = q::operator_id::sigmoid; }) == status::ok);
static_assert(checked([](auto& r) { r.input.right_shift = 29; }) == status::accumulator_overflow);  // 2^30 * 2

constexpr bool log2_is(float x, int k) { return q::detail::checked_log2(x) == k; }
static_assert(log2_is(1.0f, 0) && log2_is(4.0f, 2) && log2_is(0x1p-43f, -43) && log2_is(0.70710f, -1) && log2_is(0.70711f, 0));

}  // namespace

TEST_CASE("the power of a cell's scale is that of a binary32 logarithm") {
  const auto expected = [](float x) {
    volatile auto ln2 = static_cast<float>(std::log(2.0));
    volatile auto inverse = 1.0f / ln2;
    volatile auto ln = static_cast<float>(std::log(static_cast<double>(x)));
    volatile float product = ln * inverse;
    return static_cast<int>(std::round(product));
  };
  int wrong = 0, unlike_real = 0;
  for (int k = -42; k <= 1; ++k)
    for (int steps = -64; steps <= 64; ++steps) {
      float x = static_cast<float>(std::ldexp(std::sqrt(0.5), k + 1));
      for (int i = 0; i < std::abs(steps); ++i) x = std::nextafter(x, steps < 0 ? 0.0f : 1e9f);
      wrong += q::detail::checked_log2(x) != expected(x);
      unlike_real += static_cast<int>(std::lround(std::log2(static_cast<double>(x)))) != expected(x);
    }
  CHECK(wrong == 0);
  CHECK(unlike_real > 100);  // the table of offsets is needed
}

TEST_CASE("the multiplier of a gate is that of a product in binary32") {
  support::random_bits random;
  int differ = 0;
  for (int i = 0; i < 200; ++i) {
    q::lstm_scales s = scales;
    const float x = 0.001f + static_cast<float>(random.below(1000000)) * 1e-7f,
                w = 0.001f + static_cast<float>(random.below(1000000)) * 1e-7f;
    s.x = x;
    s.input_weights[1] = w;
    const auto rule = tflite::lstm<int8_t>::derive(s, 0);
    REQUIRE(rule.status == status::ok);
    volatile float product = x * w;
    int e = 0;
    const double f = std::frexp(static_cast<double>(product) * 4096.0, &e);
    CHECK(rule.value.gates[1].input.mantissa == std::lround(f * 2147483648.0));
    CHECK(rule.value.gates[1].input.right_shift == 31 - e);
    differ += std::lround(std::frexp(static_cast<double>(x) * static_cast<double>(w) * 4096.0, &e) * 2147483648.0) !=
              rule.value.gates[1].input.mantissa;
  }
  CHECK(differ > 100);
}

namespace {

namespace model = oracle::recurrent;

template <class T>
std::vector<T> narrowed(const std::vector<int>& from) {
  return std::vector<T>(from.begin(), from.end());
}

/// A layer with the memory that it views, and the weights of the oracle.
template <class Rule>
struct sample {
  using X = typename Rule::value_type;
  using accumulator = typename Rule::accumulator;
  model::recurrent_sizes sizes{};
  q::recurrent_layer<Rule> layer{};
  std::vector<model::gate_weights> gates{static_cast<std::size_t>(Rule::gate_count)};
  std::vector<std::vector<int8_t>> weights;
  std::vector<std::vector<accumulator>> constants;

  sample(support::random_bits& random, index_t inputs, index_t units, bool has_hidden_bias, int bias_bits) {
    const int low = q::limits<X>::min, high = q::limits<X>::max;
    const bool is_int8 = sizeof(X) == 1;
    const auto zero = [&] { return !is_int8 ? 0 : random.one_in(3) ? (random.one_in(2) ? low : high) : random.below(256) - 128; };
    sizes = {static_cast<std::size_t>(inputs), static_cast<std::size_t>(units), zero(), zero(), !is_int8};
    layer.rule.zero_point = sizes.h_zero;
    weights.reserve(2 * gates.size());
    constants.reserve(2 * gates.size());
    for (std::size_t g = 0; g < gates.size(); ++g) {
      const auto draw = [&](index_t depth, bool has_bias, std::int32_t zero_point, std::vector<int>& w,
                            std::vector<std::int64_t>& b) {
        for (index_t i = 0; i < units * depth; ++i)
          w.push_back(random.one_in(4) ? (random.one_in(2) ? -128 : 127) : random.below(256) - 128);
        for (index_t u = 0; u < units; ++u) b.push_back(has_bias ? random.integer(bias_bits) : 0);
        weights.push_back(narrowed<int8_t>(w));
        constants.emplace_back(static_cast<std::size_t>(units));
        std::vector<accumulator> bias(b.begin(), b.end());
        const q::matrix_view<const int8_t> view(weights.back(), units, depth);
        const auto folded = has_bias ? q::fold<X>(view, bias, {zero_point, 0}, constants.back())
                                     : q::fold<X>(view, q::no_bias{}, {zero_point, 0}, constants.back());
        REQUIRE(folded.status == status::ok);
        return q::folded_weights<int8_t, accumulator>{view, folded.value};
      };
      layer.gates[g].input = draw(inputs, true, sizes.x_zero, gates[g].input, gates[g].input_bias);
      layer.gates[g].hidden = draw(units, has_hidden_bias, sizes.h_zero, gates[g].hidden, gates[g].hidden_bias);
    }
  }
};

model::q31 pair_of(q::multiplier32 m) { return {m.mantissa, 31 - m.right_shift}; }
q::multiplier32 drawn(support::random_bits& random, int low_shift, int high_shift) {
  const auto mantissa = random.one_in(3) ? std::int64_t{1} << 30 : random.between(1 << 30, 2147483647);
  return {static_cast<std::int32_t>(mantissa), 31 - static_cast<std::int32_t>(random.between(low_shift, high_shift))};
}

/// Runs a sequence in two parts, in both orders and on two backends, and compares each output and the state with `step`, which
/// the oracle computes for a row. Counts the outputs that are not at an end of X.
template <class Rule, class Step>
void compare(support::random_bits& random, const sample<Rule>& s, bool has_cell, const Step& step, int& inner) {
  using X = typename Rule::value_type;
  const auto inputs = static_cast<index_t>(s.sizes.inputs), units = static_cast<index_t>(s.sizes.units);
  const index_t batch = 1 + random.below(3), steps = 3 + random.below(3), first = 1 + random.below(2);
  const auto value = [&] {
    const int low = q::limits<X>::min, high = q::limits<X>::max;
    return random.one_in(5) ? (random.one_in(2) ? low : high) : static_cast<int>(random.between(low, high));
  };
  std::vector<std::vector<int>> x(static_cast<std::size_t>(steps * batch)), y, h, c;
  for (auto& row : x)
    for (index_t i = 0; i < inputs; ++i) row.push_back(value());
  for (index_t b = 0; b < batch; ++b) {
    h.emplace_back();
    c.emplace_back();
    for (index_t u = 0; u < units; ++u) {
      h.back().push_back(value());
      c.back().push_back(static_cast<int>(random.integer(15)));
    }
  }
  const auto h0 = h, c0 = c;
  for (index_t t = 0; t < steps; ++t)
    for (index_t b = 0; b < batch; ++b) {
      step(x[static_cast<std::size_t>(t * batch + b)], h[static_cast<std::size_t>(b)], c[static_cast<std::size_t>(b)]);
      y.push_back(h[static_cast<std::size_t>(b)]);
    }
  for (int variant = 0; variant < 4; ++variant) {
    const bool is_time_major = variant % 2 == 0;
    const auto order = is_time_major ? q::sequence_order::time_major : q::sequence_order::batch_major;
    const auto place = [&](index_t t, index_t b) { return is_time_major ? t * batch + b : b * steps + t; };
    // x without gaps, y with two elements between rows, h and c with one.
    std::vector<X> in(static_cast<std::size_t>(steps * batch * inputs)),
        out(static_cast<std::size_t>(steps * batch * (units + 2)), X{77});
    std::vector<X> hidden(static_cast<std::size_t>(batch * (units + 1)));
    std::vector<int16_t> cell(static_cast<std::size_t>(batch * (units + 1)), 1234);
    for (index_t t = 0; t < steps; ++t)
      for (index_t b = 0; b < batch; ++b)
        for (index_t i = 0; i < inputs; ++i)
          in[static_cast<std::size_t>(place(t, b) * inputs + i)] =
              static_cast<X>(x[static_cast<std::size_t>(t * batch + b)][static_cast<std::size_t>(i)]);
    for (index_t b = 0; b < batch; ++b)
      for (index_t u = 0; u < units; ++u) {
        hidden[static_cast<std::size_t>(b * (units + 1) + u)] =
            static_cast<X>(h0[static_cast<std::size_t>(b)][static_cast<std::size_t>(u)]);
        if (has_cell)
          cell[static_cast<std::size_t>(b * (units + 1) + u)] =
              static_cast<int16_t>(c0[static_cast<std::size_t>(b)][static_cast<std::size_t>(u)]);
      }
    const q::recurrent_state<X> state{q::matrix_view<X>(hidden.data(), batch, units, units + 1),
                                      q::matrix_view<int16_t>(cell.data(), batch, units, units + 1)};
    const auto part = [&](auto* data, index_t from, index_t to, index_t cols, index_t stride) {
      using element = std::remove_pointer_t<decltype(data)>;
      const index_t sequence = is_time_major ? batch * stride : steps * stride;
      return is_time_major ? q::batch_view<element>(data + from * sequence, to - from, batch, cols, stride, sequence)
                           : q::batch_view<element>(data + from * stride, batch, to - from, cols, stride, sequence);
    };
    for (const auto& range : {std::pair<index_t, index_t>{0, first}, {first, steps}}) {
      const auto from = part(static_cast<const X*>(in.data()), range.first, range.second, inputs, inputs);
      const auto to = part(out.data(), range.first, range.second, units, units + 2);
      REQUIRE(check(s.layer, order, from, state, to) == status::ok);
      if (variant < 2)
        run(s.layer, order, from, state, to);
      else
        q::run<q::native>(s.layer, order, from, state, to);
    }
    std::vector<int> got, expected, got_state, expected_state;
    for (index_t t = 0; t < steps; ++t)
      for (index_t b = 0; b < batch; ++b)
        for (index_t u = 0; u < units + 2; ++u) {
          got.push_back(out[static_cast<std::size_t>(place(t, b) * (units + 2) + u)]);
          expected.push_back(u < units ? y[static_cast<std::size_t>(t * batch + b)][static_cast<std::size_t>(u)] : 77);
          inner += u < units && got.back() != q::limits<X>::min && got.back() != q::limits<X>::max;
        }
    for (index_t b = 0; b < batch; ++b)
      for (index_t u = 0; u < units; ++u) {
        got_state.push_back(hidden[static_cast<std::size_t>(b * (units + 1) + u)]);
        expected_state.push_back(h[static_cast<std::size_t>(b)][static_cast<std::size_t>(u)]);
        if (!has_cell) continue;
        got_state.push_back(cell[static_cast<std::size_t>(b * (units + 1) + u)]);
        expected_state.push_back(c[static_cast<std::size_t>(b)][static_cast<std::size_t>(u)]);
      }
    CHECK(got == expected);
    CHECK(got_state == expected_state);
  }
}

constexpr index_t unit_counts[] = {1, 2, 3, 15, 16, 17, 33};
index_t units_of(support::random_bits& random) { return unit_counts[random.below(7)]; }

template <class Rule>
void compare_lstm(model::engine engine, bool one_rounding) {
  support::random_bits random;
  INFO("seed " << support::seed);
  int inner = 0;
  for (int i = 0; i < support::samples(60); ++i) {
    const index_t units = units_of(random), inputs = 1 + random.below(40);
    constexpr bool is_int16 = sizeof(typename Rule::value_type) == 2;
    sample<Rule> s(random, inputs, units, random.one_in(2), is_int16 ? 30 : 17);
    Rule& rule = s.layer.rule;
    model::lstm m{s.sizes, engine, one_rounding, {}, {}, {}, {}, {}, {}, 0, 0};
    // Sums of a gate reach and leave int16.
    const int shift = is_int16 ? -9 : 0;
    for (std::size_t g = 0; g < 4; ++g) {
      m.gates[g] = s.gates[g];
      rule.gates[g] = {drawn(random, shift - 3, shift), drawn(random, shift - 3, shift)};
      m.from_x[g] = pair_of(rule.gates[g].input);
      m.from_h[g] = pair_of(rule.gates[g].hidden);
    }
    rule.forget = random.one_in(4) ? drawn(random, -16, -14) : q::multiplier32{1 << 30, 45};
    rule.input = drawn(random, -19, -12);
    rule.output = is_int16 ? drawn(random, -16, -14) : drawn(random, -24, -22);
    rule.cell_scale_power = static_cast<std::int32_t>(random.between(-16, -8));
    const int clip = random.one_in(3) ? 0 : static_cast<int>(random.between(1, 32767));
    rule.cell_clip = clip == 0 ? Rule::no_clip : clip;
    m.forget = pair_of(rule.forget), m.input = pair_of(rule.input), m.output = pair_of(rule.output);
    m.clip = clip, m.cell_scale_power = rule.cell_scale_power;
    compare(
        random, s, true, [&](const auto& x, auto& h, auto& c) { m.step(x, h, c); }, inner);
  }
  CHECK(inner > 100);
}

}  // namespace

TEST_CASE("an LSTM of TFLM equals the oracle") {
  compare_lstm<tflite::lstm<int8_t>>(model::engine::tflm, false);
  compare_lstm<tflite::lstm<int8_t, tflite::single_rounding>>(model::engine::tflm, true);
  compare_lstm<tflite::lstm<int16_t>>(model::engine::tflm, false);
}
TEST_CASE("an LSTM of CMSIS-NN equals the oracle") {
  compare_lstm<cmsis_nn::lstm<int8_t>>(model::engine::cmsis_nn, false);
  compare_lstm<cmsis_nn::lstm<int16_t, cmsis_nn::single_rounding>>(model::engine::cmsis_nn, true);
}

namespace {

template <class Rule>
void compare_gru() {
  support::random_bits random;
  INFO("seed " << support::seed);
  constexpr bool is_int16 = sizeof(typename Rule::value_type) == 2;
  int inner = 0;
  for (int i = 0; i < support::samples(60); ++i) {
    sample<Rule> s(random, 1 + random.below(40), units_of(random), true, is_int16 ? 40 : 17);
    Rule& rule = s.layer.rule;
    model::gru m{s.sizes, Rule::reset == q::reset_gate::after_product, {}, {}, {}, {}, 0, 0};
    for (std::size_t g = 0; g < 3; ++g) {
      m.gates[g] = s.gates[g];
      const auto mantissa = [&] { return static_cast<std::int32_t>(random.integer(31)); };
      rule.gates[g] = {mantissa(), mantissa(), static_cast<std::int32_t>(random.between(is_int16 ? 36 : 29, is_int16 ? 44 : 35))};
      if (random.one_in(8)) rule.gates[g] = {1, -1, 0};
      m.from_x[g] = rule.gates[g].input, m.from_h[g] = rule.gates[g].hidden, m.right_shift[g] = rule.gates[g].right_shift;
    }
    rule.output = {static_cast<std::int32_t>(random.between(1 << 29, 2147483647)), is_int16 ? 31 : 39};
    m.output = rule.output.mantissa, m.output_shift = rule.output.right_shift;
    compare(
        random, s, false, [&](const auto& x, auto& h, auto&) { m.step(x, h); }, inner);
  }
  CHECK(inner > 100);
}

/// A GRU of two units in floating point.
using pair_of_reals = std::array<double, 2>;
struct real_gru {
  std::array<std::array<pair_of_reals, 2>, 3> w{}, u{};
  bool reset_after = false;

  pair_of_reals step(const pair_of_reals& x, const pair_of_reals& h) const {
    const auto sum = [](const pair_of_reals& row, const pair_of_reals& v) { return row[0] * v[0] + row[1] * v[1]; };
    const auto sigmoid = [&](std::size_t g, std::size_t i) { return 1 / (1 + std::exp(-sum(w[g][i], x) - sum(u[g][i], h))); };
    const pair_of_reals reset{sigmoid(1, 0) * h[0], sigmoid(1, 1) * h[1]};
    pair_of_reals next{};
    for (std::size_t i = 0; i < 2; ++i) {
      const double product = reset_after ? sigmoid(1, i) * sum(u[2][i], h) : sum(u[2][i], reset);
      next[i] = (1 - sigmoid(0, i)) * std::tanh(sum(w[2][i], x) + product) + sigmoid(0, i) * h[i];
    }
    return next;
  }
};

/// Compares ten steps with floating point at scales of 2^-15 for x and h and 2^-6 for weights. Returns the largest difference.
template <q::reset_gate Reset>
int error_of_gru() {
  using rule_type = q::exact::gru<int16_t, Reset>;
  q::gru_scales real_scales{0x1p-15f, 0x1p-15f, {0x1p-6f, 0x1p-6f, 0x1p-6f}, {0x1p-6f, 0x1p-6f, 0x1p-6f}};
  const auto rule = rule_type::derive(real_scales, 0);
  REQUIRE(rule.status == status::ok);
  support::random_bits random;
  real_gru real;
  real.reset_after = Reset == q::reset_gate::after_product;
  pair_of_reals h{};
  std::vector<int8_t> weights[3][2];
  std::vector<std::int64_t> constants[3][2];
  q::recurrent_layer<rule_type> layer{rule.value, {}};
  for (int g = 0; g < 3; ++g)
    for (int part = 0; part < 2; ++part) {
      for (std::size_t i = 0; i < 4; ++i) {
        weights[g][part].push_back(static_cast<int8_t>(random.below(256) - 128));
        (part == 0 ? real.w : real.u)[static_cast<std::size_t>(g)][i / 2][i % 2] = weights[g][part].back() / 64.0;
      }
      constants[g][part].assign(2, 0);
      const q::matrix_view<const int8_t> view(weights[g][part], 2, 2);
      const q::folded_weights<int8_t, std::int64_t> folded{
          view, q::fold<int16_t>(view, q::no_bias{}, {0, 0}, constants[g][part]).value};
      (part == 0 ? layer.gates[g].input : layer.gates[g].hidden) = folded;
    }
  int16_t x[2] = {}, y[2] = {}, hidden[2] = {}, scratch[2] = {};
  int worst = 0;
  for (int t = 0; t < 10; ++t) {
    for (int16_t& v : x) v = static_cast<int16_t>(random.between(-32768, 32767));
    const q::recurrent_state<int16_t> state{q::matrix_view<int16_t>(hidden, 1, 2), q::matrix_view<int16_t>(scratch, 1, 2)};
    REQUIRE(check(layer, q::matrix_view<const int16_t>(x, 1, 2), state, q::matrix_view<int16_t>(y, 1, 2)) == status::ok);
    run(layer, q::matrix_view<const int16_t>(x, 1, 2), state, q::matrix_view<int16_t>(y, 1, 2));
    h = real.step({x[0] / 32768.0, x[1] / 32768.0}, h);
    for (std::size_t i = 0; i < 2; ++i) worst = std::max(worst, std::abs(y[i] - static_cast<int>(std::lround(h[i] * 32768))));
  }
  return worst;
}

}  // namespace

TEST_CASE("a GRU equals the oracle") {
  compare_gru<q::exact::gru<int8_t>>();
  compare_gru<q::exact::gru<int8_t, q::reset_gate::before_product>>();
  compare_gru<q::exact::gru<int16_t>>();
  compare_gru<q::exact::gru<int16_t, q::reset_gate::before_product>>();
}
TEST_CASE("a GRU of int16 is near the real GRU") {
  // An argument has steps of 2^-12. tanh turns one of these steps into up to 8 steps of 2^-15.
  CHECK(error_of_gru<q::reset_gate::after_product>() <= 16);
  CHECK(error_of_gru<q::reset_gate::before_product>() <= 16);
}

namespace {

constexpr q::gru_scales gru_scales{0x1p-7f, 0x1p-7f, {0x1p-6f, 0.75f, 0x1p-6f}, {0x1p-6f, 0x1p-4f, 0x1p-20f}};
constexpr auto gru8 = q::exact::gru<int8_t>::derive(gru_scales, -5);
static_assert(gru8.status == status::ok && gru8.value.output == q::multiplier32{1 << 30, 38});  // 2^-8
static_assert(gru8.value.gates[0].input == 1 << 30 && gru8.value.gates[0].hidden == 1 << 30 &&
              gru8.value.gates[0].right_shift == 31);
static_assert(gru8.value.gates[1].input == 3 << 29 && gru8.value.gates[1].hidden == 1 << 27 &&
              gru8.value.gates[1].right_shift == 26);
static_assert(gru8.value.gates[2].hidden == 1 << 16);  // the smaller multiplier has fewer bits
static_assert(gru8.value.hidden(-5, 0, 32767) == 123 && gru8.value.hidden(-5, 0, -32767) == -128);
static_assert(gru8.value.hidden(127, 32767, 0) == 127 && gru8.value.hidden(127, 16384, 0) == 61);
static_assert(gru8.value.hidden(-4, 16384, 0) == -4 && gru8.value.hidden(-6, 16384, 0) == -5);  // ties up: 1/2 and -1/2
constexpr status gru_checked(void (*change)(q::exact::gru<int8_t>&)) {
  auto rule = gru8.value;
  change(rule);
  return check(rule);
}
static_assert(gru_checked([](auto& r) { r.zero_point = -129; }) == status::zero_point_out_of_range);
static_assert(gru_checked([](auto& r) { r.output.right_shift = 63; }) == status::multiplier_out_of_range);
static_assert(gru_checked([](auto& r) { r.gates[1].right_shift = -1; }) == status::multiplier_out_of_range);
constexpr status gru_of(q::binary32 x, q::binary32 hidden) {
  q::gru_scales s = gru_scales;
  s.x = x, s.hidden = hidden;
  return q::exact::gru<int8_t>::derive(s, 0).status;
}
static_assert(gru_of(0x1p-7f, 0x1p-50f) == status::scale_too_large && gru_of(0x1p60f, 0x1p-7f) == status::scale_too_large);
static_assert(gru_of(0x1p-7f, 0x1p40f) != status::ok && gru_of(0.0f, 0x1p-7f) == status::scale_zero);

// ---- SVDF

template <class State>
constexpr int remembered(int zero_point, std::int32_t acc) {
  const tflite::svdf<State> rule{one, one, q::range_of<State>(zero_point), q::range_of<int8_t>()};
  return check(rule) == status::ok ? rule.remember(acc) : 99999;
}
static_assert(remembered<int8_t>(0, 127) == 127 && remembered<int8_t>(0, 200) == 127 && remembered<int8_t>(0, -200) == -128);
static_assert(remembered<int8_t>(1, 200) == -128 && remembered<int8_t>(-1, -200) == 127);  // clamped, then wrapped
static_assert(remembered<int16_t>(1, 40000) == -32768);
constexpr cmsis_nn::svdf<int8_t> bounded{one, one, {0, -12, 30}, q::range_of<int8_t>()};
static_assert(bounded.remember(31) == 30 && bounded.remember(-13) == -12 && bounded.keeps_state());
static_assert(check(cmsis_nn::svdf<int8_t>{one, one, {1, -12, 30}, q::range_of<int8_t>()}) == status::zero_point_out_of_range);
static_assert(check(tflite::svdf<int8_t>{one, one, {0, -129, 30}, q::range_of<int8_t>()}) == status::range_out_of_type);
static_assert(check(tflite::svdf<int8_t>{one, {1, 0}, {0, -128, 30}, q::range_of<int8_t>()}) == status::multiplier_out_of_range);
static_assert(tflite::svdf<int16_t>::derive(0.1f, 0.1f, 0.0f, 0, 0.1f, 0.1f, q::range_of<int8_t>()).status == status::scale_zero);
static_assert(tflite::svdf<int16_t>::derive(0.1f, 0.1f, 0.1f, 0, 0.1f, -0.1f, q::range_of<int8_t>()).status ==
              status::scale_negative);

template <class Rule, class W>
void compare_svdf(model::engine engine, bool one_rounding) {
  using State = typename Rule::state_type;
  support::random_bits random;
  INFO("seed " << support::seed);
  int inner = 0, wraps = 0;
  for (int i = 0; i < support::samples(100); ++i) {
    const index_t inputs = 1 + random.below(20), units = 1 + random.below(18), rank = 1 + random.below(3),
                  memory = 1 + random.below(5);
    const index_t batch = 1 + random.below(3), filters = units * rank;
    model::svdf m{engine,
                  one_rounding,
                  static_cast<std::size_t>(inputs),
                  static_cast<std::size_t>(units),
                  static_cast<std::size_t>(rank),
                  static_cast<std::size_t>(memory),
                  random.below(256) - 128,
                  0,
                  random.below(256) - 128,
                  8 * static_cast<int>(sizeof(State)),
                  q::limits<State>::min,
                  q::limits<State>::max,
                  {},
                  {},
                  {},
                  {},
                  {}};
    if (engine == model::engine::tflm && random.one_in(2)) m.state_zero = random.below(41) - 20;
    if (engine == model::engine::cmsis_nn && random.one_in(2)) m.state_min = -50, m.state_max = 77;
    const auto byte = [&] { return random.one_in(4) ? (random.one_in(2) ? -128 : 127) : random.below(256) - 128; };
    for (index_t k = 0; k < filters * inputs; ++k) m.feature.push_back(byte());
    for (index_t k = 0; k < filters * memory; ++k)
      m.time.push_back(sizeof(W) == 1 ? byte() : static_cast<int>(random.integer(12)));
    for (index_t k = 0; k < units; ++k) m.bias.push_back(random.integer(14));
    const Rule rule{drawn(random, -10, sizeof(State) == 1 ? -6 : 0),
                    drawn(random, sizeof(State) == 1 ? -9 : -20, sizeof(State) == 1 ? -5 : -16),
                    {m.state_zero, m.state_min, m.state_max},
                    q::range_of<int8_t>(m.y_zero)};
    m.to_state = pair_of(rule.feature), m.to_y = pair_of(rule.time);
    const auto feature = narrowed<int8_t>(m.feature);
    const auto time = narrowed<W>(m.time);
    const std::vector<std::int32_t> bias(m.bias.begin(), m.bias.end());
    std::vector<std::int32_t> feature_constants(feature.size() / m.inputs), time_constants(bias.size());
    const q::matrix_view feature_view(feature, filters, inputs);
    const q::matrix_view time_view(time, units, rank * memory);
    const q::svdf_layer<Rule, W> layer{
        rule,
        {feature_view, q::fold<int8_t>(feature_view, q::no_bias{}, {m.x_zero, 0}, feature_constants).value},
        {time_view, q::fold<State>(time_view, bias, {m.state_zero, 0}, time_constants).value}};
    std::vector<State> states[2];
    std::vector<std::vector<int>> expected_state(static_cast<std::size_t>(batch));
    for (auto& row : expected_state)
      for (index_t k = 0; k < filters * memory; ++k)
        row.push_back(static_cast<int>(random.between(q::limits<State>::min, q::limits<State>::max)));
    for (auto& state : states)
      for (const auto& row : expected_state) state.insert(state.end(), row.begin(), row.end());
    for (int t = 0; t < 4; ++t) {
      std::vector<int8_t> x;
      for (index_t k = 0; k < batch * inputs; ++k) x.push_back(static_cast<int8_t>(byte()));
      for (int backend = 0; backend < 2; ++backend) {
        std::vector<int8_t> y(static_cast<std::size_t>(batch * units));
        const q::matrix_view<const int8_t> in(x, batch, inputs);
        const q::matrix_view<State> state(states[backend], batch, filters * memory);
        const q::matrix_view<int8_t> out(y, batch, units);
        const status s = check(layer, in, state, out);
        CHECK(s == (rule.keeps_state() ? status::ok : status::accumulator_overflow));
        if (backend == 0)
          run(layer, in, state, out);
        else
          q::run<q::native>(layer, in, state, out);
        for (index_t b = 0; b < batch; ++b) {
          auto row = expected_state[static_cast<std::size_t>(b)];
          const std::vector<int> from(x.begin() + b * inputs, x.begin() + (b + 1) * inputs);
          const std::vector<int> expected = m.step(from, row);
          CHECK(std::equal(expected.begin(), expected.end(), y.begin() + b * units));
          CHECK(std::equal(row.begin(), row.end(), states[backend].begin() + b * filters * memory));
          for (const int v : expected) inner += v > -128 && v < 127;
          wraps += !rule.keeps_state();
          if (backend == 1) expected_state[static_cast<std::size_t>(b)] = row;
        }
      }
    }
  }
  CHECK(inner > 100);
  CHECK((wraps > 0) == (engine == model::engine::tflm));
}

}  // namespace

TEST_CASE("SVDF of TFLM equals the oracle") {
  compare_svdf<tflite::svdf<int8_t>, int8_t>(model::engine::tflm, false);
  compare_svdf<tflite::svdf<int16_t, tflite::single_rounding>, int16_t>(model::engine::tflm, true);
}
TEST_CASE("SVDF of CMSIS-NN equals the oracle") {
  compare_svdf<cmsis_nn::svdf<int8_t>, int8_t>(model::engine::cmsis_nn, false);
  compare_svdf<cmsis_nn::svdf<int16_t>, int16_t>(model::engine::cmsis_nn, false);
  compare_svdf<cmsis_nn::svdf<int16_t, cmsis_nn::single_rounding>, int8_t>(model::engine::cmsis_nn, true);
}

namespace {

// ---- what `check` finds

template <class Rule>
struct small_layer {
  int8_t weights[4 * 6] = {1, 2, 3, 4, 5, 6};
  typename Rule::accumulator constants[16] = {};
  q::recurrent_layer<Rule> layer{};
  typename Rule::value_type x[12] = {}, y[8] = {}, hidden[4] = {};
  int16_t cell[4] = {};

  explicit small_layer(const Rule& rule, const q::zero_points& zero = {0, 0}) {
    layer.rule = rule;
    for (index_t g = 0; g < Rule::gate_count; ++g) {
      layer.gates[g].input = folded(3, zero, constants + 4 * g);
      layer.gates[g].hidden = folded(2, {rule.zero_point, 0}, constants + 4 * g + 2);
    }
  }
  q::folded_weights<int8_t, typename Rule::accumulator> folded(index_t depth, q::zero_points zero,
                                                               typename Rule::accumulator* to) {
    const q::matrix_view<const int8_t> view(weights, 2, depth);
    return {view, q::fold<typename Rule::value_type>(view, q::no_bias{}, zero, q::view<typename Rule::accumulator>(to, 2)).value};
  }
  q::recurrent_state<typename Rule::value_type> state() { return {{hidden, 2, 2}, {cell, 2, 2}}; }
  status check_it() { return check(layer, q::matrix_view(x, 2, 3), state(), q::matrix_view(y, 2, 2)); }
};

}  // namespace

TEST_CASE("check of a recurrent layer names the first error") {
  small_layer<tflite::lstm<int8_t>> s(tflm);
  using X = q::matrix_view<int8_t>;
  CHECK(s.check_it() == status::ok);
  const auto changed = [&](auto change) {
    small_layer<tflite::lstm<int8_t>> other(tflm);
    change(other);
    return other.check_it();
  };
  CHECK(check(s.layer, X(s.x, 2, 2), s.state(), X(s.y, 2, 2)) == status::shape_mismatch);
  CHECK(check(s.layer, X(s.x, 1, 3), s.state(), X(s.y, 2, 2)) == status::shape_mismatch);
  CHECK(check(s.layer, X(s.x, 2, 3), s.state(), X(s.y, 2, 3)) == status::shape_mismatch);
  CHECK(check(s.layer, X(s.x, -1, 3), s.state(), X(s.y, 2, 2)) == status::negative_size);
  CHECK(check(s.layer, X(static_cast<int8_t*>(nullptr), 2, 3), s.state(), X(s.y, 2, 2)) == status::null_data);
  CHECK(check(s.layer, X(s.x, 2, 3), {{s.hidden, 1, 2}, {s.cell, 2, 2}}, X(s.y, 2, 2)) == status::shape_mismatch);
  CHECK(check(s.layer, X(s.x, 2, 3), {{s.hidden, 2, 2}, {s.cell, 2, 1}}, X(s.y, 2, 2)) == status::shape_mismatch);
  CHECK(check(s.layer, X(s.x, 2, 3), {{s.hidden, 2, 2}, {}}, X(s.y, 2, 2)) == status::shape_mismatch);
  // Each written view overlaps each other view in turn.
  CHECK(check(s.layer, X(s.y, 2, 3), s.state(), X(s.y, 2, 2)) == status::overlap);
  CHECK(check(s.layer, X(s.x, 2, 3), {{s.y, 2, 2}, {s.cell, 2, 2}}, X(s.y, 2, 2)) == status::overlap);
  CHECK(check(s.layer, X(s.x, 2, 3), {{s.x, 2, 2}, {s.cell, 2, 2}}, X(s.y, 2, 2)) == status::overlap);
  CHECK(check(s.layer, X(s.x, 2, 3), s.state(), X(reinterpret_cast<int8_t*>(s.cell), 2, 2)) == status::overlap);
  CHECK(check(s.layer, X(s.x, 2, 3), s.state(), X(s.weights + 4, 2, 2)) == status::overlap);
  CHECK(check(s.layer, X(s.x, 2, 3), {{s.hidden, 2, 2}, {reinterpret_cast<int16_t*>(s.constants), 2, 2}}, X(s.y, 2, 2)) ==
        status::overlap);
  CHECK(check(s.layer, X(s.x, 2, 3), s.state(), X(reinterpret_cast<int8_t*>(s.constants + 15), 2, 2)) == status::overlap);
  CHECK(changed([](auto& l) { l.layer.rule.cell_clip = -1; }) == status::range_out_of_type);
  CHECK(changed([](auto& l) { l.layer.rule.zero_point = 1; }) == status::zero_point_out_of_range);  // the folds have 0
  CHECK(changed([](auto& l) { l.layer.gates[3].hidden = l.layer.gates[3].input; }) == status::shape_mismatch);
  CHECK(changed([](auto& l) { l.layer.gates[2].input.bias.record.x_max = 32767; }) == status::fold_of_other_type);
  CHECK(changed([](auto& l) { l.layer.gates[2].input.bias.record.depth = 4; }) == status::fold_of_other_shape);
  CHECK(changed([](auto& l) { l.layer.gates[1].input.bias.record.zero.w = 1; }) == status::zero_point_out_of_range);
  CHECK(changed([](auto& l) { l.layer.gates[1].input.bias.record.bound.highest = std::int64_t{1} << 31; }) ==
        status::accumulator_overflow);
  CHECK(changed([](auto& l) { l.layer.gates[3].hidden.bias.record.bound.lowest = -(std::int64_t{1} << 31) - 1; }) ==
        status::accumulator_overflow);
  CHECK(changed([](auto& l) { l.layer.rule.gates[0].input.right_shift = 1; }) ==
        status::accumulator_overflow);  // a left shift of 30
  // An overflow is named last.
  CHECK(changed([](auto& l) { l.layer.rule.input.right_shift = 29; }) == status::accumulator_overflow);
  CHECK(changed([](auto& l) {
          l.layer.rule.input.right_shift = 29;
          l.layer.gates[3].hidden = l.layer.gates[3].input;
        }) == status::shape_mismatch);

  small_layer<q::exact::gru<int8_t>> gru(q::exact::gru<int8_t>{{}, {1 << 30, 38}, 0});
  CHECK(gru.check_it() == status::ok);
  CHECK(check(gru.layer, X(gru.x, 2, 3), {{gru.hidden, 2, 2}, {}}, X(gru.y, 2, 2)) == status::ok);  // it needs no cell
  gru.layer.gates[0].hidden.bias.record.bound.highest = std::int64_t{1} << 47;
  CHECK(gru.check_it() == status::accumulator_overflow);
  small_layer<q::exact::gru<int8_t, q::reset_gate::before_product>> before({{}, {1 << 30, 38}, 0});
  CHECK(before.check_it() == status::ok);
  CHECK(check(before.layer, X(before.x, 2, 3), {{before.hidden, 2, 2}, {}}, X(before.y, 2, 2)) == status::shape_mismatch);
}

TEST_CASE("sequences without steps, rows or units change nothing") {
  small_layer<tflite::lstm<int8_t>> s(tflm);
  s.hidden[0] = 7;
  using sequence = q::batch_view<int8_t>;
  for (const auto order : {q::sequence_order::time_major, q::sequence_order::batch_major}) {
    const bool is_time_major = order == q::sequence_order::time_major;
    const sequence x = is_time_major ? sequence(s.x, 0, 2, 3) : sequence(s.x, 2, 0, 3);
    const sequence y = is_time_major ? sequence(s.y, 0, 2, 2) : sequence(s.y, 2, 0, 2);
    REQUIRE(check(s.layer, order, x, s.state(), y) == status::ok);
    run(s.layer, order, x, s.state(), y);
    CHECK(s.hidden[0] == 7);
    const sequence no_rows = is_time_major ? sequence(nullptr, 2, 0, 3) : sequence(nullptr, 0, 2, 3);
    const sequence no_outputs = is_time_major ? sequence(nullptr, 2, 0, 2) : sequence(nullptr, 0, 2, 2);
    const q::recurrent_state<int8_t> empty{q::matrix_view<int8_t>(s.hidden, 0, 2), q::matrix_view<int16_t>(s.cell, 0, 2)};
    REQUIRE(check(s.layer, order, no_rows, empty, no_outputs) == status::ok);
    run(s.layer, order, no_rows, empty, no_outputs);
  }
}

TEST_CASE("check of an SVDF names the first error") {
  int8_t feature[4 * 3] = {1, 2, 3}, x[6] = {}, y[4] = {};
  int16_t time[4 * 5] = {1, 2}, state[2 * 20] = {};
  std::int32_t constants[6] = {};
  using rule_type = tflite::svdf<int16_t>;
  const q::matrix_view<const int8_t> feature_view(feature, 4, 3);
  const q::matrix_view<const int16_t> time_view(time, 2, 10);
  const rule_type rule{one, one, q::range_of<int16_t>(), q::range_of<int8_t>()};
  const q::svdf_layer<rule_type> layer{
      rule,
      {feature_view, q::fold<int8_t>(feature_view, q::no_bias{}, {0, 0}, q::view(constants, 4)).value},
      {time_view, q::fold<int16_t>(time_view, q::no_bias{}, {0, 0}, q::view(constants + 4, 2)).value}};
  const q::matrix_view<int8_t> in(x, 2, 3), out(y, 2, 2);
  const q::matrix_view<int16_t> entries(state, 2, 20);
  CHECK(check(layer, in, entries, out) == status::ok);
  CHECK(check(layer, q::matrix_view<int8_t>(x, 2, 2), entries, out) == status::shape_mismatch);
  CHECK(check(layer, in, q::matrix_view<int16_t>(state, 2, 19), out) == status::shape_mismatch);
  CHECK(check(layer, in, q::matrix_view<int16_t>(state, 1, 20), out) == status::shape_mismatch);
  CHECK(check(layer, in, entries, q::matrix_view<int8_t>(y, 2, 1)) == status::shape_mismatch);
  CHECK(check(layer, in, entries, q::matrix_view<int8_t>(x, 2, 2)) == status::overlap);
  CHECK(check(layer, in, entries, q::matrix_view<int8_t>(reinterpret_cast<int8_t*>(state + 39), 1, 2, 2)) ==
        status::shape_mismatch);
  CHECK(check(layer, in, entries, q::matrix_view<int8_t>(reinterpret_cast<int8_t*>(state + 38), 2, 2)) == status::overlap);
  CHECK(check(layer, in, entries, q::matrix_view<int8_t>(feature + 8, 2, 2)) == status::overlap);
  CHECK(check(layer, in, entries, q::matrix_view<int8_t>(reinterpret_cast<int8_t*>(time + 18), 2, 2)) == status::overlap);
  auto other = layer;
  other.rule.state_range.zero_point = 1;
  CHECK(check(other, in, entries, out) == status::zero_point_out_of_range);
  other = layer;
  other.time.bias.record.bound.highest = std::int64_t{2} * 32767 * 32768;
  CHECK(check(other, in, entries, out) == status::accumulator_overflow);  // two products of int16 are enough
  other = layer;
  other.feature.weights = q::matrix_view<const int8_t>(feature, 3, 3);
  CHECK(check(other, in, entries, out) == status::shape_mismatch);
  const q::matrix_view<int8_t> nothing(x, 0, 3), no_outputs(y, 0, 2);
  const q::matrix_view<int16_t> no_entries(state, 0, 20);
  REQUIRE(check(layer, nothing, no_entries, no_outputs) == status::ok);
  run(layer, nothing, no_entries, no_outputs);
}

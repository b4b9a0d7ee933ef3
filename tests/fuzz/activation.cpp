#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/exact_norm.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/row_layer.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

constexpr auto multiplier_of_31_bits = any_multiplier<q::multiplier32, 31, 31, 62>;
/// Draws a multiplier with a left shift. Returns a difference that the multiplier scales to at most 2^Bits.
template <int Bits>
std::int32_t draw_scale(reader& r, q::multiplier32& m) {
  const auto left = static_cast<std::int32_t>(r.between(0, 28));
  m = {any_mantissa<std::int32_t, 31>(r), r.near32(31 - left)};
  const index_t radius = q::tflite::input_radius(Bits, left);
  return static_cast<std::int32_t>(r.near(r.between(0, radius < 256 ? radius : 256), 3));
}

template <class X, class Scheme>
void draw_rule(reader& r, memory&, q::tflite::leaky_relu<X, Scheme>& rule) {
  rule.x_zero_point = r.near32(value_in<X>(r, q::limits<X>::min, q::limits<X>::max));
  rule.identity = multiplier_of_31_bits(r);
  rule.alpha = multiplier_of_31_bits(r);  // at most 1/2, so that nothing overflows
  if (r.one_in(2)) rule.alpha.mantissa = -rule.alpha.mantissa;
  rule.range = any_range<X>(r);
}
template <class X, class Y, class Scheme>
void draw_rule(reader& r, memory&, q::tflite::requantize<X, Y, Scheme>& rule) {
  rule.x_zero_point = r.near32(value_in<X>(r, q::limits<X>::min, q::limits<X>::max));
  rule.multiplier = multiplier_of_31_bits(r);
  rule.range = any_range<Y>(r);
}
template <class X>
void draw_rule(reader& r, memory&, q::tflite::hard_swish<X>& rule) {
  rule.x_zero_point = r.near32(value_in<X>(r, q::limits<X>::min, q::limits<X>::max));
  rule.output = any_multiplier<q::multiplier16, 15, 15, 30>(r);
  rule.relu = any_multiplier<q::multiplier16, 15, 0, 30>(r);
  rule.range = any_range<X>(r);
}
void draw_rule(reader& r, memory&, q::tflite::sigmoid<std::int8_t>& rule) {
  rule.x_zero_point = r.near32(value_in<std::int8_t>(r, -128, 127));
  rule.radius = draw_scale<4>(r, rule.multiplier);
}
template <class X>
void draw_rule(reader& r, memory& m, q::tflite::table<X>& rule) {
  const auto any_entry = [](reader& from) { return static_cast<X>(from.word()); };
  rule.entries = any_array<X>(r, m, r.near(q::table_size<X>), any_entry);
}
void draw_rule(reader& r, memory&, q::tflite::softmax<std::int8_t>& rule) {
  rule.least_difference = q::wrap<std::int32_t>(-std::int64_t{draw_scale<5>(r, rule.multiplier)});
}
void draw_rule(reader& r, memory& m, q::tflite::softmax<std::int16_t>& rule) {
  // No entry of the exponential is negative, and the last entries are not 0.
  const bool is_negative = r.fault(), is_zero = r.fault();
  const auto positive = [&](reader& from) {
    const auto entry = static_cast<std::int16_t>((from.word() & 0x7FFEu) | 2u);
    return static_cast<std::int16_t>(is_zero ? 0 : is_negative ? -entry : entry);
  };
  rule.multiplier = multiplier_of_31_bits(r);
  rule.exponential.entries = any_array<std::int16_t>(r, m, r.near(513), positive);
  rule.reciprocal.entries =
      any_array<std::int16_t>(r, m, r.near(513), [](reader& from) { return static_cast<std::int16_t>(from.word()); });
}

void draw_rule(reader& r, memory& m, q::tosa::softmax<std::int8_t>& rule) {
  // exp(0) is not 0, and no exponential is negative.
  const auto highest = [](reader& from) { return static_cast<std::int16_t>((from.byte() & 126) | 1); };
  const auto other = [](reader& from) { return static_cast<std::int16_t>(from.byte()); };
  rule.exponential[0].entries = any_array<std::int16_t>(r, m, r.near(513), highest);
  for (int i = 1; i < 4; ++i) rule.exponential[i].entries = any_array<std::int16_t>(r, m, r.near(513), other);
  rule.y_zero_point = r.near32(value_in<std::int8_t>(r, -128, 127));
}

void draw_rule(reader& r, memory&, q::tflite::l2_norm<>& rule) {
  rule.x_zero_point = r.near32(value_in<std::int8_t>(r, -128, 127));
}
void draw_rule(reader& r, memory&, q::tflite::log_softmax<>& rule) {
  rule.exponential.least_difference = q::wrap<std::int32_t>(-std::int64_t{draw_scale<5>(r, rule.exponential.multiplier)});
  rule.inverse = multiplier_of_31_bits(r);
}
void draw_rule(reader& r, memory&, q::tflite::cumsum<>& rule) {
  rule.total.x_zero_point = r.near32(value_in<std::int8_t>(r, -128, 127));
  rule.total.multiplier = multiplier_of_31_bits(r);
  rule.total.range = any_range<std::int8_t>(r);
  rule.exclusive = r.one_in(2), rule.reverse = r.one_in(2);
}
/// Draws weights and maybe a bias, as many as a row has elements.
template <class Rule>
void draw_weights(reader& r, memory& m, index_t cols, bool has_bias, Rule& rule) {
  const auto any = [](reader& from) { return static_cast<std::int16_t>(from.word()); };
  rule.weights = any_array<std::int16_t>(r, m, r.near(cols), any);
  if (has_bias)
    rule.bias = any_array<std::int32_t>(r, m, r.near(cols), [](reader& from) { return static_cast<std::int32_t>(from.word()); });
}
void draw_rule(reader& r, memory& m, q::litert::layer_norm<>& rule, index_t cols) {
  draw_weights(r, m, cols, true, rule);
  rule.variance_limit = r.near32(1 + static_cast<std::int32_t>(r.byte()), 4);
  rule.multiplier = multiplier_of_31_bits(r);
}
template <class X, q::operator_id Id>
void draw_rule(reader& r, memory& m, q::exact::detail::norm<X, Id>& rule, index_t cols) {
  draw_weights(r, m, cols, !r.one_in(4), rule);
  rule.x_zero_point = r.near32(value_in<X>(r, q::limits<X>::min, q::limits<X>::max));
  rule.epsilon = r.near(static_cast<index_t>(r.word()) & 0xFFFF, 4);
  rule.multiplier = multiplier_of_31_bits(r);
  rule.range = any_range<X>(r);
}
template <class Rule>
void draw_rule(reader& r, memory& m, Rule& rule, index_t) {
  draw_rule(r, m, rule);
}

/// Applies the rule to a row.
/// @{
template <class Rule, class X, class Y>
void apply(const q::activation_layer<Rule>& layer, const std::vector<X>& x, std::vector<Y>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = layer.rule(x[i]);
}
template <class Rule, class X, class Y>
void apply(const q::row_layer<Rule>& layer, const std::vector<X>& x, std::vector<Y>& y) {
  layer.rule({x.data(), static_cast<index_t>(x.size())}, {y.data(), static_cast<index_t>(y.size())});
}
/// @}

template <template <class> class Layer, class Rule>
void draw(reader& r, tally& t, op what) {
  using X = q::detail::argument_of<Rule>;
  using Y = typename Rule::value_type;
  memory m(r);
  const index_t rows = r.near(r.size(3));
  const index_t cols = r.one_in(32) ? r.between(509, 514) : r.size(9);
  const shape y_shape = matrix(r, rows, cols);
  const block<Y> y_block = m.output<Y>(y_shape.extent(true));
  const shape x_shape = matrix(r, rows, cols);
  const X* const x_data = m.input<X>(x_shape.extent(true)).data;
  const std::size_t number_of_x = m.last();
  Layer<Rule> layer{};
  draw_rule(r, m, layer.rule, cols);
  const auto x = matrix_view(x_data, x_shape);
  const auto y = matrix_view(y_block.data, y_shape);
  const q::status s = t.add(what, check(layer, x, y));
  expect_answer(r, m, s);
  if (!q::may_run(s) || !m.holds_all()) return;
  const std::vector<Y*> elements = y_shape.elements(y_block.data, true);
  if (elements.empty()) return run(layer, x, y);
  // The output may share its memory with the input.
  const std::vector<X> of_x = x_shape.stored(x_data);
  m.make_input(number_of_x, static_cast<const void*>(x_data) != y_block.data);
  expect_clean_run(r, m, elements, y_shape.h, [&](index_t begin, index_t end) { run(layer, x, y, {begin, end}); });
  ++t.clean_runs;
  ++t.compared;
  std::vector<X> from(static_cast<std::size_t>(y_shape.c));
  std::vector<Y> expected(from.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t col = i % from.size();
    if (col == 0) {
      for (std::size_t c = 0; c < from.size(); ++c)
        from[c] = x_shape.at(of_x.data(), 0, static_cast<index_t>(i / from.size()), 0, static_cast<index_t>(c));
      apply(layer, from, expected);
    }
    expect(expected[col] == *elements[i], "a row is what the rule makes of it");
  }
}

}  // namespace

void draw_activation(reader& r, tally& t) {
  using std::int16_t;
  using std::int8_t;
  switch (r.byte() % 16) {
    case 0: return draw<q::activation_layer, q::tflite::leaky_relu<int8_t>>(r, t, op::activation);
    case 1: return draw<q::activation_layer, q::tflite::leaky_relu<int16_t, q::tflite::single_rounding>>(r, t, op::activation);
    case 2: return draw<q::activation_layer, q::tflite::hard_swish<std::uint8_t>>(r, t, op::activation);
    case 3: return draw<q::activation_layer, q::tflite::sigmoid<int8_t>>(r, t, op::activation);
    case 4: return draw<q::activation_layer, q::tflite::table<std::uint8_t>>(r, t, op::activation);
    case 5: return draw<q::activation_layer, q::tflite::table<int16_t>>(r, t, op::activation);
    case 6: return draw<q::softmax_layer, q::tosa::softmax<int8_t>>(r, t, op::softmax);
    case 7: return draw<q::softmax_layer, q::tflite::softmax<int8_t>>(r, t, op::softmax);
    case 8: return draw<q::activation_layer, q::tflite::requantize<int8_t, int16_t>>(r, t, op::activation);
    case 9: return draw<q::activation_layer, q::tflite::requantize<int16_t, int16_t>>(r, t, op::activation);
    case 10: return draw<q::row_layer, q::tflite::l2_norm<>>(r, t, op::norm);
    case 11: return draw<q::row_layer, q::tflite::log_softmax<>>(r, t, op::norm);
    case 12: return draw<q::row_layer, q::tflite::cumsum<>>(r, t, op::norm);
    case 13: return draw<q::row_layer, q::litert::layer_norm<>>(r, t, op::norm);
    case 14: return draw<q::row_layer, q::exact::rms_norm<std::uint8_t>>(r, t, op::norm);
    default: return draw<q::softmax_layer, q::tflite::softmax<int16_t>>(r, t, op::softmax);
  }
}

}  // namespace fuzz

#include <dyadic/elementwise/recurrent.hpp>
#include <dyadic/elementwise/svdf_layer.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

/// Draws weights, and folds them. A fold that is refused leaves an empty fold.
template <class X, class W, class Accumulator>
q::folded_weights<W, Accumulator> any_folded(reader& r, memory& m, index_t outputs, index_t depth, std::int32_t zero) {
  const shape s = matrix(r, outputs, depth);
  const block<W> weights = m.input<W>(s.extent(true));
  const index_t size = r.near(outputs);
  const block<Accumulator> constants = m.writable<Accumulator>(extent_of(size));
  const q::matrix_view<const W> view(weights.data, s.h, s.c, s.row);
  q::folded_weights<W, Accumulator> p{view, {}};
  if (weights.may_read() && constants.may_read()) {
    const auto folded = q::fold<X>(view, q::no_bias{}, {r.near32(zero), r.near32(0)}, q::view<Accumulator>(constants.data, size));
    p.bias = folded.value;
  }
  m.make_input(m.last());
  if (r.fault()) p.bias.record.depth = r.near(p.bias.record.depth);
  return p;
}

/// Returns a sequence as an image that is one pixel wide.
shape any_sequence(reader& r, index_t outer, index_t inner, index_t cols) {
  shape s(r, outer, inner, 1, cols);
  s.w = 1;
  s.pixel = s.c;
  return s;
}
extent extent_of_sequence(const shape& s) { return extent_of({{s.c, 1}, {s.h, s.row}, {s.n, s.image}}); }
template <class T>
q::batch_view<T> sequence_view(T* data, const shape& s) {
  return {data, s.n, s.h, s.c, s.row, s.image};
}

/// Runs a layer, and checks that it writes y and the state alone.
template <class Y, class Run>
void expect_clean(tally& t, memory& m, const std::vector<Y*>& elements, const Run& run) {
  m.remember();
  m.paint(0xA5);
  run();
  expect(m.all_else_is_unchanged(0xA5, elements), "run writes its output and its state alone");
  ++t.clean_runs;
}

constexpr auto multiplier_of_31_bits = any_multiplier<q::multiplier32, 31, 31, 62>;

template <class X, class Scheme, class Wide, class Term>
void draw_rule(reader& r, q::lstm_rule<X, Scheme, Wide, Term>& rule) {
  const auto multiplier = [&] {
    return sizeof(X) == 1 ? multiplier_of_31_bits(r) : any_multiplier<q::multiplier32, 31, 24, 62>(r);
  };
  for (auto& gate : rule.gates) gate = {multiplier(), multiplier()};
  rule.forget = multiplier_of_31_bits(r);
  rule.input = multiplier_of_31_bits(r);
  rule.output = multiplier_of_31_bits(r);
  rule.cell_clip = r.near32(r.one_in(2) ? 32768 : value_in<std::int16_t>(r, 0, 32767));
  rule.cell_scale_power = r.near32(static_cast<std::int32_t>(r.between(-43, 2)));
  if (r.fault()) rule.cell_activation = static_cast<q::operator_id>(r.byte() % 12);
}
template <class X, q::reset_gate Reset>
void draw_rule(reader& r, q::exact::gru<X, Reset>& rule) {
  for (auto& gate : rule.gates)
    gate = {any_mantissa<std::int32_t, 31>(r), any_mantissa<std::int32_t, 31>(r),
            r.near32(static_cast<std::int32_t>(r.between(0, 62)))};
  rule.output = any_multiplier<q::multiplier32, 31, 0, 62>(r);
}

template <class Rule>
void draw_recurrent(reader& r, tally& t) {
  using X = typename Rule::value_type;
  memory m(r);
  const auto order = r.one_in(2) ? q::sequence_order::batch_major : q::sequence_order::time_major;
  const index_t outer = r.near(r.size(3));
  const index_t inner = r.near(r.size(3));
  const index_t units = r.one_in(8) ? r.between(15, 17) : r.size(4);
  const index_t inputs = r.size(5);
  const index_t batch = order == q::sequence_order::time_major ? inner : outer;
  const shape y_shape = any_sequence(r, outer, inner, units);
  const block<X> y_block = m.output<X>(extent_of_sequence(y_shape));
  const shape x_shape = any_sequence(r, outer, inner, inputs);
  const auto x = sequence_view(static_cast<const X*>(m.input<X>(extent_of_sequence(x_shape)).data), x_shape);
  const shape h_shape = matrix(r, batch, units);
  const shape c_shape = matrix(r, batch, units);
  const q::recurrent_state<X> state{matrix_view(m.writable<X>(h_shape.extent(true)).data, h_shape),
                                    matrix_view(m.writable<std::int16_t>(c_shape.extent(true)).data, c_shape)};
  const auto y = sequence_view(y_block.data, y_shape);
  q::recurrent_layer<Rule> layer{};
  draw_rule(r, layer.rule);
  const std::int32_t h_zero = sizeof(X) == 1 ? any_zero<X>(r) : 0;
  layer.rule.zero_point = r.near32(h_zero);
  for (auto& gate : layer.gates) {
    gate.input = any_folded<X, std::int8_t, typename Rule::accumulator>(r, m, units, inputs, any_zero<X>(r));
    gate.hidden = any_folded<X, std::int8_t, typename Rule::accumulator>(r, m, units, units, h_zero);
  }
  const q::status s = t.add(op::recurrent, check(layer, order, x, state, y));
  if (!r.faulty() && m.holds_all()) expect(q::may_run(s), "what has no fault is accepted");
  if (!q::may_run(s) || !m.holds_all()) return;
  expect_clean(t, m, y_shape.elements(y_block.data, false), [&] { run(layer, order, x, state, y); });
}

template <class Rule, class W>
void draw_svdf(reader& r, tally& t) {
  using State = typename Rule::state_type;
  memory m(r);
  const index_t batch = r.near(r.size(3)), units = r.size(4), rank = r.between(1, 3), length = r.between(1, 4),
                inputs = r.size(6);
  const shape y_shape = matrix(r, batch, units);
  const block<std::int8_t> y_block = m.output<std::int8_t>(y_shape.extent(true));
  const shape x_shape = matrix(r, batch, inputs);
  const q::matrix_view<const std::int8_t> x = matrix_view(m.input<std::int8_t>(x_shape.extent(true)).data, x_shape);
  const shape s_shape = matrix(r, batch, units * rank * length);
  const auto state = matrix_view(m.writable<State>(s_shape.extent(true)).data, s_shape);
  const auto y = matrix_view(y_block.data, y_shape);
  q::svdf_layer<Rule, W> layer{};
  const std::int32_t zero = std::is_same_v<Rule, q::cmsis_nn::svdf<State>> ? 0 : any_zero<State>(r);
  layer.rule = {multiplier_of_31_bits(r), multiplier_of_31_bits(r), any_range<State>(r), any_range<std::int8_t>(r)};
  layer.rule.state_range.zero_point = r.near32(zero);
  layer.feature =
      any_folded<std::int8_t, std::int8_t, std::int32_t>(r, m, r.near(units * rank), inputs, any_zero<std::int8_t>(r));
  layer.time = any_folded<State, W, std::int32_t>(r, m, units, rank * length, zero);
  const q::status s = t.add(op::svdf, check(layer, x, state, y));
  if (!r.faulty() && m.holds_all()) expect(q::may_run(s), "what has no fault is accepted");
  if (!q::may_run(s) || !m.holds_all()) return;
  expect_clean(t, m, y_shape.elements(y_block.data, true), [&] { run(layer, x, state, y); });
}

}  // namespace

void draw_recurrent(reader& r, tally& t) {
  using std::int16_t;
  using std::int8_t;
  switch (r.byte() % 7) {
    case 0: return draw_recurrent<q::tflite::lstm<int8_t>>(r, t);
    case 1: return draw_recurrent<q::cmsis_nn::lstm<int16_t>>(r, t);
    case 2: return draw_recurrent<q::exact::gru<int8_t, q::reset_gate::before_product>>(r, t);
    case 3: return draw_recurrent<q::exact::gru<int16_t>>(r, t);
    case 4: return draw_svdf<q::tflite::svdf<int8_t>, int8_t>(r, t);
    case 5: return draw_svdf<q::tflite::svdf<int16_t, q::tflite::single_rounding>, int16_t>(r, t);
    default: return draw_svdf<q::cmsis_nn::svdf<int16_t>, int8_t>(r, t);
  }
}

}  // namespace fuzz

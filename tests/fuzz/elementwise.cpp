#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/reduce.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

/// Draws a value of X, or 0 where the engine takes no other zero point.
template <class X>
std::int32_t zero_where(reader& r, bool is_taken) {
  return r.near32(is_taken ? value_in<X>(r, q::limits<X>::min, q::limits<X>::max) : 0);
}
template <class X>
q::output_range range_where(reader& r, bool has_zero_point) {
  q::output_range range = any_range<X>(r);
  if (!has_zero_point) range.zero_point = r.near32(0);
  return range;
}

/// Draws a sum whose operands are scaled by at most 1/2, so that no element overflows.
template <class X, class Scheme, class Operation, q::allowed_zero_points Allowed>
void draw_rule(reader& r, q::rescaled_sum<X, Scheme, Operation, Allowed>& rule) {
  constexpr auto multiplier = any_multiplier<q::multiplier32, 31, 32, 62>;
  const bool takes_inputs = Allowed == q::allowed_zero_points::any;
  rule.left_shift = r.near32(sizeof(X) == 1 ? 20 : 15);
  rule.a = {zero_where<X>(r, takes_inputs), multiplier(r)};
  rule.b = {zero_where<X>(r, takes_inputs), multiplier(r)};
  rule.multiplier = multiplier(r);
  rule.range = range_where<X>(r, Allowed != q::allowed_zero_points::none);
}
template <class X, class Scheme, q::allowed_zero_points Allowed>
void draw_rule(reader& r, q::rescaled_product<X, Scheme, Allowed>& rule) {
  const bool takes_all = Allowed == q::allowed_zero_points::any;
  rule.a_zero_point = zero_where<X>(r, takes_all);
  rule.b_zero_point = zero_where<X>(r, takes_all);
  rule.multiplier = any_multiplier<q::multiplier32, 31, 31, 62>(r);
  rule.range = range_where<X>(r, takes_all);
}

template <class X, class Scheme>
void draw_rule(reader& r, q::tflite::divide<X, Scheme>& rule) {
  rule.a_zero_point = zero_where<X>(r, true);
  rule.b_zero_point = zero_where<X>(r, true);
  rule.multiplier = any_multiplier<q::multiplier32, 31, 8, 24>(r);  // so that most last shifts are in -31 .. 0
  rule.range = any_range<X>(r);
}
template <class X, class Scheme>
void draw_rule(reader& r, q::tflite::prelu<X, Scheme>& rule) {
  rule.x_zero_point = zero_where<X>(r, true);
  rule.alpha_zero_point = zero_where<std::int8_t>(r, true);
  rule.identity = any_multiplier<q::multiplier32, 31, 31, 62>(r);
  rule.slope = any_multiplier<q::multiplier32, 31, 31, 62>(r);
  rule.range = any_range<X>(r);
}
template <class X, q::operator_id Comparison, class Scheme>
void draw_rule(reader& r, q::tflite::compare<X, Comparison, Scheme>& rule) {
  rule.a = {zero_where<X>(r, true), any_multiplier<q::multiplier32, 31, 31, 62>(r)};
  rule.b = {zero_where<X>(r, true), any_multiplier<q::multiplier32, 31, 31, 62>(r)};
}

/// Expects that the range of an accepted rule or output lies in its type.
template <class X, q::operator_id Comparison, class Scheme>
void expect_sound(const q::tflite::compare<X, Comparison, Scheme>&) {}
template <class Rule>
void expect_sound(const Rule& rule) {
  expect(range_is_sound<typename Rule::value_type>(rule.range), "an activation range that is accepted is of its type");
}

template <class Rule>
void draw_binary(reader& r, tally& t) {
  using A = q::detail::argument_of<Rule>;
  using B = typename q::detail::second_type_of<Rule>::type;
  using Y = typename Rule::value_type;
  memory m(r);
  const index_t rows = r.near(r.size(4));
  const index_t cols = r.size(6);
  const shape y_shape = matrix(r, rows, cols);
  const block<Y> y_block = m.output<Y>(y_shape.extent(true));
  const auto operand = [&] { return matrix(r, r.one_in(3) ? 1 : rows, r.one_in(3) ? 1 : cols); };
  const shape a_shape = operand(), b_shape = operand();
  const A* const a_data = m.input<A>(a_shape.extent(true)).data;
  const std::size_t number_of_a = m.last();
  const B* const b_data = m.input<B>(b_shape.extent(true)).data;
  const std::size_t number_of_b = m.last();
  q::binary_layer<Rule> layer{};
  draw_rule(r, layer.rule);
  const auto a = matrix_view(a_data, a_shape);
  const auto b = matrix_view(b_data, b_shape);
  const auto y = matrix_view(y_block.data, y_shape);
  const q::status s = t.add(op::binary, check(layer, a, b, y));
  expect_answer(r, m, s);
  if (!q::may_run(s) || !m.holds_all()) return;
  expect_sound(layer.rule);
  const std::vector<Y*> elements = y_shape.elements(y_block.data, true);
  if (elements.empty()) return run(layer, a, b, y);
  // The output may share its memory with an operand.
  const std::vector<A> of_a = a_shape.stored(a_data);
  const std::vector<B> of_b = b_shape.stored(b_data);
  m.make_input(number_of_a, static_cast<const void*>(a_data) != y_block.data);
  m.make_input(number_of_b, static_cast<const void*>(b_data) != y_block.data);
  expect_clean_run(r, m, elements, y_shape.h, [&](index_t begin, index_t end) { run(layer, a, b, y, {begin, end}); });
  ++t.clean_runs;
  ++t.compared;
  const auto element = [](const auto* data, const shape& of, index_t row, index_t col) {
    return of.at(data, 0, of.h == 1 ? 0 : row, 0, of.c == 1 ? 0 : col);
  };
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const index_t row = static_cast<index_t>(i) / y_shape.c, col = static_cast<index_t>(i) % y_shape.c;
    const Y expected = layer.rule(element(of_a.data(), a_shape, row, col), element(of_b.data(), b_shape, row, col));
    expect(expected == *elements[i], "an element is what the rule makes of the operands");
  }
}

template <class Layer>
void draw_reduction(reader& r, tally& t) {
  using X = typename decltype(Layer::rule)::value_type;
  memory m(r);
  const index_t rows = r.fault() ? index_t{1} << 24 : r.near(1 + r.size(3), 3);  // many rows: their sum may overflow
  const index_t cols = 1 + r.size(5);
  const index_t y_rows = r.one_in(2) ? 1 : rows, y_cols = r.one_in(2) ? 1 : cols;
  const shape y_shape = matrix(r, y_rows, y_cols);
  const block<X> y_block = m.output<X>(y_shape.extent(true));
  const shape x_shape = matrix(r, rows, cols);
  const X* const x_data = m.input<X>(x_shape.extent(true)).data;
  // Sizes may be anything, so the product is computed modulo 2^32.
  const auto count = static_cast<std::int32_t>(static_cast<std::uint32_t>(y_rows == 1 ? rows : 1) *
                                               static_cast<std::uint32_t>(y_cols == 1 ? cols : 1));
  Layer layer{};
  layer.rule.x_zero_point = zero_where<X>(r, true);
  layer.rule.count = r.one_in(8) ? r.near32(count) : count;
  layer.rule.multiplier = any_multiplier<q::multiplier32, 31, 31, 62>(r);
  layer.rule.range = any_range<X>(r);
  const auto x = matrix_view(x_data, x_shape);
  const auto y = matrix_view(y_block.data, y_shape);
  const q::status s = t.add(op::mean, check(layer, x, y));
  expect_answer(r, m, s);
  if (!q::may_run(s) || !m.holds_all()) return;
  expect_sound(layer.rule);
  const std::vector<X*> elements = y_shape.elements(y_block.data, true);
  if (elements.empty()) return run(layer, x, y);
  expect_clean_run(r, m, elements, y_shape.h, [&](index_t begin, index_t end) { run(layer, x, y, {begin, end}); });
  ++t.clean_runs;
  ++t.compared;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const index_t row = static_cast<index_t>(e) / y_shape.c, col = static_cast<index_t>(e) % y_shape.c;
    std::int64_t sum = 0;
    for (index_t i = 0; i < x_shape.h; ++i)
      for (index_t j = 0; j < x_shape.c; ++j)
        if ((y_shape.h == 1 || i == row) && (y_shape.c == 1 || j == col)) sum += x_shape.at(x_data, 0, i, 0, j);
    expect(layer.rule(sum) == *elements[e], "an element is the mean or the sum of its rows and columns");
  }
}

/// Draws a rule of averages: its multiplier, if the rule has one.
template <class Rule>
Rule any_average(reader& r) {
  Rule rule{};
  if constexpr (q::detail::has_multiplier<Rule>) rule.multiplier = any_multiplier<q::multiplier32, 31, 0, 126>(r);
  return rule;
}

template <class X, class Rule>
void draw_pool(reader& r, tally& t) {
  using output = q::average_output<X, Rule>;
  memory m(r);
  const oracle::axis v = any_pool_axis(r), h = any_pool_axis(r);
  const index_t n = r.near(r.size(2)), height = v.dilation + r.size(3), width = h.dilation + r.size(3), c = r.size(3);
  const index_t rows = any_pool_size(r, height, v), columns = any_pool_size(r, width, h);
  const shape y_shape(r, n, rows, columns, c);
  const block<X> y_block = m.output<X>(y_shape.extent(false));
  const shape x_shape(r, n, height, width, c);
  const X* const x_data = m.input<X>(x_shape.extent(false)).data;
  const q::average_pool_layer<output> layer{
      {near_window(r, v), near_window(r, h)},
      r.one_in(2) ? q::averaged::inside : q::averaged::window,
      {zero_where<X>(r, output::has_zero_points), range_where<X>(r, output::has_zero_points), any_average<Rule>(r)}};
  const auto x = view_of<op::average_pool>(x_data, x_shape);
  const auto y = view_of<op::average_pool>(y_block.data, y_shape);
  const q::status s = t.add(op::average_pool, check(layer, x, y));
  expect_answer(r, m, s);
  if (s != q::status::ok || !m.holds_all()) return;
  expect_sound(layer.output);
  const std::vector<X*> elements = y_shape.elements(y_block.data, false);
  if (elements.empty()) return run(layer, x, y);
  expect_clean_run(r, m, elements, y_shape.n * y_shape.h, [&](index_t begin, index_t end) { run(layer, x, y, {begin, end}); });
  ++t.clean_runs;
  ++t.compared;
  const q::window1d& of_rows = layer.window.y;
  const q::window1d& of_cols = layer.window.x;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto at = static_cast<index_t>(e);
    const index_t channel = at % y_shape.c, j = at / y_shape.c % y_shape.w, i = at / y_shape.c / y_shape.w % y_shape.h;
    std::int64_t sum = 0;
    std::int32_t count = 0;
    for (index_t ky = 0; ky < of_rows.kernel; ++ky)
      for (index_t kx = 0; kx < of_cols.kernel; ++kx) {
        const index_t row = i * of_rows.stride + ky * of_rows.dilation - of_rows.pad_before;
        const index_t col = j * of_cols.stride + kx * of_cols.dilation - of_cols.pad_before;
        const bool is_inside = row >= 0 && row < x_shape.h && col >= 0 && col < x_shape.w;
        const bool is_padded = row < x_shape.h + of_rows.pad_after && col < x_shape.w + of_cols.pad_after;
        if (is_inside)
          sum += x_shape.at(x_data, at / y_shape.c / y_shape.w / y_shape.h, row, col, channel) - layer.output.x_zero_point;
        count += is_inside || (layer.divisor == q::averaged::window && is_padded);
      }
    const q::output_range range = layer.output.range;
    const Rule rule = layer.output.rule;
    const std::int64_t expected = q::clamp(rule.apply(sum, rule.divisor(count)) + range.zero_point, range.min, range.max);
    expect(expected == *elements[e], "an element is the average of its window");
  }
}

}  // namespace

void draw_elementwise(reader& r, tally& t) {
  switch (r.byte() % 17) {
    case 0: return draw_binary<q::tflite::add<std::int8_t>>(r, t);
    case 1: return draw_binary<q::tflite::subtract<std::int16_t, q::tflite::single_rounding>>(r, t);
    case 2: return draw_binary<q::tflite::multiply<std::uint8_t>>(r, t);
    case 3: return draw_reduction<q::mean_layer<q::tflite::mean<std::int8_t>>>(r, t);
    case 4: return draw_reduction<q::sum_layer<q::tflite::sum<std::int16_t>>>(r, t);
    case 5: return draw_pool<std::int8_t, q::tosa::average>(r, t);
    case 6: return draw_pool<std::int16_t, q::tflite::average>(r, t);
    case 7: return draw_pool<std::uint8_t, q::onednn::average>(r, t);
    case 8: return draw_binary<q::tflite::divide<std::int8_t>>(r, t);
    case 9: return draw_binary<q::tflite::prelu<std::int16_t>>(r, t);
    case 10: return draw_binary<q::tflite::compare<std::int8_t, q::operator_id::less>>(r, t);
    case 11: return draw_pool<std::int8_t, q::exact::average<q::half_even>>(r, t);
    case 12:
    case 13:
    case 14:
    case 15:
    default: return draw_activation(r, t);
  }
}

}  // namespace fuzz

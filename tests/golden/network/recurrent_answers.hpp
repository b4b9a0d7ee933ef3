#pragma once
// Answers rows of the LSTM and SVDF of TFLite Micro and CMSIS-NN.

#include <dyadic/elementwise/recurrent.hpp>
#include <dyadic/elementwise/svdf_layer.hpp>
#include <dyadic/kernel_sums.hpp>

#include "../driver.hpp"

namespace golden {
namespace recurrent {

namespace q = dyadic;
using q::index_t;

using columns = std::vector<std::string>;

inline const columns gate_names{"i", "f", "c", "o"};

/// Returns the Q31 mantissa and the left shift in the columns `name`multiplier and `name`shift, for example ix_.
inline q::multiplier32 pair_of(const row& r, const std::string& name) {
  return q::tflite::from_pair(r.integer<std::int32_t>(name + "multiplier"), r.integer<std::int32_t>(name + "shift"));
}
inline q::binary32 scale_of(const row& r, const std::string& name) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(name + "_scale_bits"));
}
inline void add_pair(values& to, q::multiplier32 m) {
  to.push_back(text(m.mantissa));
  to.push_back(text(31 - m.right_shift));
}

/// Returns name0, name1, ..
inline columns numbered(const std::string& name, std::size_t count) {
  columns all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(name + std::to_string(i));
  return all;
}
inline void append(columns& to, const columns& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Reads the first `count` numbered columns.
template <class T>
std::vector<T> array_of(const row& r, const std::string& name, index_t count) {
  std::vector<T> all;
  for (index_t i = 0; i < count; ++i) all.push_back(r.integer<T>(name + std::to_string(i)));
  return all;
}
/// Prints an array, and empty cells up to `cells`.
template <class T>
void add_array(values& to, const std::vector<T>& array, std::size_t cells) {
  for (std::size_t i = 0; i < cells; ++i) to.push_back(i < array.size() ? text(array[i]) : "");
}

/// Reads a bound of the cell, where 0 is none, as both engines write it.
inline std::int32_t clip_of(const row& r) {
  const auto clip = r.integer<std::int32_t>("cell_clip");
  return clip == 0 ? 32768 : clip;
}

/// Return the gate, the next cell and the next hidden value of a rule. A backend computes a block of units that all have these
/// numbers. Throw if two units differ.
/// @{
template <class T>
T common_value(const std::vector<T>& all) {
  for (const T value : all)
    if (value != all[0]) throw std::runtime_error(text(value) + " in one unit, but " + text(all[0]) + " in another,");
  return all[0];
}
template <class Backend, class Rule, class Accumulator>
std::int16_t gate_by(const Rule& rule, Accumulator x, Accumulator h, index_t gate) {
  if constexpr (std::is_void_v<Backend>) {
    return rule.gate(x, h, gate);
  } else {
    q::detail::lstm_sums<Rule> sums;
    for (auto& sum : sums.x) sum = x;
    for (auto& sum : sums.h) sum = h;
    std::vector<std::int16_t> y(static_cast<std::size_t>(sums.size));
    q::kernel<Backend, q::op::lstm>::run(rule, sums, gate, y.data(), sums.size);
    return common_value(y);
  }
}
template <class Backend, class Rule>
std::pair<std::int16_t, typename Rule::value_type> cell_and_hidden(const Rule& rule, std::int16_t c,
                                                                   const std::int16_t (&values_of_gates)[4]) {
  q::detail::lstm_gates gates;
  for (std::size_t g = 0; g < 4; ++g)
    for (auto& value : gates.at[g]) value = values_of_gates[g];
  const index_t units = gates.size - 3;  // no whole vectors
  std::vector<std::int16_t> cells(static_cast<std::size_t>(units), c);
  std::vector<typename Rule::value_type> y(static_cast<std::size_t>(units));
  q::kernel<Backend, q::op::lstm>::run(rule, gates, cells.data(), y.data(), units);
  return {common_value(cells), common_value(y)};
}
template <class Backend, class Rule>
std::int16_t cell_by(Rule rule, std::int16_t c, std::int16_t i, std::int16_t f, std::int16_t g) {
  rule.output = {1 << 30, 45};
  if constexpr (std::is_void_v<Backend>)
    return rule.cell(c, i, f, g);
  else
    return cell_and_hidden<Backend>(rule, c, {i, f, g, 0}).first;
}
template <class Backend, class Rule>
typename Rule::value_type hidden_by(Rule rule, std::int16_t c, std::int16_t o) {
  rule.forget = rule.input = {1 << 30, 44};  // 2^-14: with a forget gate of 2^14 the cell keeps its value
  if constexpr (std::is_void_v<Backend>)
    return rule.hidden(c, o);
  else
    return cell_and_hidden<Backend>(rule, c, {0, 1 << 14, 0, o}).second;
}
/// @}

template <class Backend, class Rule>
answer gate_answer(const std::string& file) {
  return {file,
          {"input_accumulator", "input_multiplier", "input_shift", "hidden_accumulator", "hidden_multiplier", "hidden_shift",
           "activation"},
          {"expected_sum", "expected"},
          [](const row& r) -> values {
            using accumulator = typename Rule::accumulator;
            const auto x = r.integer<accumulator>("input_accumulator");
            const auto h = r.integer<accumulator>("hidden_accumulator");
            const index_t gate = r.integer("activation") == 1 ? Rule::cell_gate : 0;
            Rule rule{};
            rule.gates[gate] = {pair_of(r, "input_"), pair_of(r, "hidden_")};
            return {text(rule.gate_sum(x, h, gate)), text(gate_by<Backend>(rule, x, h, gate))};
          }};
}

template <class Backend, class Rule>
answer cell_answer(const std::string& file) {
  return {
      file,
      {"forget", "cell", "input", "gate", "forget_multiplier", "forget_shift", "input_multiplier", "input_shift", "cell_clip"},
      {"expected"},
      [](const row& r) -> values {
        Rule rule{};
        rule.forget = pair_of(r, "forget_");
        rule.input = pair_of(r, "input_");
        rule.cell_clip = clip_of(r);
        const auto value = [&](const char* name) { return r.integer<std::int16_t>(name); };
        return {text(cell_by<Backend>(rule, value("cell"), value("input"), value("forget"), value("gate")))};
      }};
}

template <class Backend, class Rule>
answer hidden_answer(const std::string& file) {
  return {file,
          {"cell", "output_gate", "cell_scale_power", "multiplier", "shift", "zero_point"},
          {"expected_tanh", "expected"},
          [](const row& r) -> values {
            Rule rule{};
            rule.output = pair_of(r, "");
            rule.cell_scale_power = r.integer<std::int32_t>("cell_scale_power");
            rule.zero_point = r.integer<std::int32_t>("zero_point");
            const auto cell = r.integer<std::int16_t>("cell");
            return {text(rule.cell_tanh()(cell)), text(hidden_by<Backend>(rule, cell, r.integer<std::int16_t>("output_gate")))};
          }};
}

template <class Rule>
answer derive_lstm_answer(const std::string& file) {
  columns inputs{"input_scale_bits", "hidden_scale_bits", "cell_scale_bits", "cell_clip_bits"};
  columns outputs;
  const auto add_outputs = [&](const std::string& name) { append(outputs, {name + "_multiplier", name + "_shift"}); };
  for (const std::string& gate : gate_names)
    for (const char* of : {"x", "h"}) {
      inputs.push_back(gate + of + "_scale_bits");
      add_outputs(gate + of);
    }
  for (const char* name : {"forget", "input", "output"}) add_outputs(name);
  append(outputs, {"quantized_cell_clip", "cell_scale_power"});
  return {file, inputs, outputs, [](const row& r) -> values {
            q::lstm_scales scales{scale_of(r, "input"), scale_of(r, "hidden"), scale_of(r, "cell"), {}, {}, {}};
            scales.cell_clip = q::binary32::from_bits(r.integer<std::uint32_t>("cell_clip_bits"));
            for (std::size_t g = 0; g < 4; ++g) {
              scales.input_weights[g] = scale_of(r, gate_names[g] + "x");
              scales.hidden_weights[g] = scale_of(r, gate_names[g] + "h");
            }
            const auto rule = Rule::derive(scales, 0);
            if (!q::may_run(rule.status)) return {q::to_string(rule.status)};
            values all;
            for (const q::gate_multipliers& m : rule.value.gates) {
              add_pair(all, m.input);
              add_pair(all, m.hidden);
            }
            for (const q::multiplier32 m : {rule.value.forget, rule.value.input, rule.value.output}) add_pair(all, m);
            const std::int32_t clip = rule.value.cell_clip;
            all.push_back(text(clip == Rule::no_clip ? 0 : clip));
            all.push_back(text(rule.value.cell_scale_power));
            return all;
          }};
}

/// Folds a product of a row. CMSIS-NN's constants have the zero point in them.
template <class X, class Accumulator>
q::folded_weights<std::int8_t, Accumulator> folded(q::matrix_view<const std::int8_t> weights, const Accumulator* bias,
                                                   std::int32_t zero_point, bool is_effective, std::vector<Accumulator>& to) {
  const index_t units = weights.rows();
  to.assign(static_cast<std::size_t>(units), 0);
  const q::view<const Accumulator> biases(bias, units);
  if constexpr (sizeof(Accumulator) == 4)
    if (is_effective) {
      to.assign(bias, bias + units);
      return {weights, q::executorch::cortex_m::from_kernel_sum<X, std::int8_t>(to, weights.cols(), {zero_point, 0}).value};
    }
  if (bias != nullptr) return {weights, q::fold<X>(weights, biases, {zero_point, 0}, to).value};
  return {weights, q::fold<X>(weights, q::no_bias{}, {zero_point, 0}, to).value};
}

template <class Backend, class Rule>
values lstm_values(const row& r, bool is_cmsis) {
  using X = typename Rule::value_type;
  using accumulator = typename Rule::accumulator;
  const auto size = [&](const char* name) { return static_cast<index_t>(r.integer(name)); };
  const index_t steps = size("steps"), batch = size("batch"), inputs = size("inputs"), units = size("units");
  q::recurrent_layer<Rule> layer{};
  Rule& rule = layer.rule;
  rule.forget = pair_of(r, "forget_");
  rule.input = pair_of(r, "input_");
  rule.output = pair_of(r, "output_");
  rule.zero_point = r.integer<std::int32_t>("output_zero_point");
  rule.cell_clip = clip_of(r);
  rule.cell_scale_power = r.integer<std::int32_t>("cell_scale_power");
  const auto wx = array_of<std::int8_t>(r, "wx", 4 * units * inputs);
  const auto wh = array_of<std::int8_t>(r, "wh", 4 * units * units);
  const auto bx = array_of<accumulator>(r, is_cmsis ? "bx" : "b", 4 * units);
  const auto bh = array_of<accumulator>(r, "bh", is_cmsis ? 4 * units : 0);
  std::vector<accumulator> constants[4][2];
  for (index_t g = 0; g < 4; ++g) {
    rule.gates[g] = {pair_of(r, gate_names[static_cast<std::size_t>(g)] + "x_"),
                     pair_of(r, gate_names[static_cast<std::size_t>(g)] + "h_")};
    layer.gates[g].input = folded<X>(q::matrix_view(wx.data() + g * units * inputs, units, inputs), bx.data() + g * units,
                                     r.integer<std::int32_t>("input_zero_point"), is_cmsis, constants[g][0]);
    layer.gates[g].hidden = folded<X>(q::matrix_view(wh.data() + g * units * units, units, units),
                                      is_cmsis ? bh.data() + g * units : nullptr, rule.zero_point, is_cmsis, constants[g][1]);
  }
  const auto x = array_of<X>(r, "x", steps * batch * inputs);
  auto h = array_of<X>(r, "h", batch * units);
  auto c = array_of<std::int16_t>(r, "c", batch * units);
  std::vector<X> y(static_cast<std::size_t>(steps * batch * units));
  const bool time_major = r.integer("time_major") == 1;
  const index_t outer = time_major ? steps : batch, inner = time_major ? batch : steps;
  const auto order = time_major ? q::sequence_order::time_major : q::sequence_order::batch_major;
  const q::batch_view<const X> in(x.data(), outer, inner, inputs);
  const q::batch_view<X> out(y.data(), outer, inner, units);
  const q::recurrent_state<X> state{q::matrix_view<X>(h, batch, units), q::matrix_view<std::int16_t>(c, batch, units)};
  if (const q::status s = check(layer, order, in, state, out); !q::may_run(s)) return {q::to_string(s)};
  q::run<Backend>(layer, order, in, state, out);
  values all;
  add_array(all, y, 24);
  add_array(all, h, 6);
  add_array(all, c, 6);
  return all;
}

template <class Backend, class Rule>
answer lstm_answer(const std::string& file) {
  const bool is_cmsis = file[0] == 'c';
  columns inputs{"time_major", "steps", "batch", "inputs", "units", "input_zero_point", "output_zero_point"};
  const auto add_pair_columns = [&](const std::string& name) { append(inputs, {name + "_multiplier", name + "_shift"}); };
  for (const std::string& gate : gate_names)
    for (const char* of : {"x", "h"}) add_pair_columns(gate + of);
  for (const char* name : {"forget", "input", "output"}) add_pair_columns(name);
  append(inputs, {"cell_clip", "cell_scale_power"});
  append(inputs, numbered("wx", 36));
  append(inputs, numbered("wh", 36));
  append(inputs, numbered(is_cmsis ? "bx" : "b", 12));
  if (is_cmsis) append(inputs, numbered("bh", 12));
  append(inputs, numbered("x", 24));
  append(inputs, numbered("h", 6));
  append(inputs, numbered("c", 6));
  columns outputs = numbered("expected_y", 24);
  append(outputs, numbered("expected_h", 6));
  append(outputs, numbered("expected_c", 6));
  return {file, inputs, outputs, [is_cmsis](const row& r) { return lstm_values<Backend, Rule>(r, is_cmsis); }};
}

template <class Rule>
values svdf_values(const row& r, bool is_cmsis) {
  using State = typename Rule::state_type;
  const auto size = [&](const char* name) { return static_cast<index_t>(r.integer(name)); };
  const index_t batch = size("batch"), inputs = size("inputs"), units = size("units"), memory = size("memory");
  const index_t filters = units * size("rank"), depth = size("rank") * memory;
  const auto number = [&](const char* name) { return r.integer<std::int32_t>(name); };
  Rule rule{};
  rule.feature = q::tflite::from_pair(number("multiplier1"), number("shift1"));
  rule.time = q::tflite::from_pair(number("multiplier2"), number("shift2"));
  rule.state_range = q::range_of<State>(is_cmsis ? 0 : number("state_zero_point"));
  rule.range = q::range_of<std::int8_t>(number("output_zero_point"));
  if (is_cmsis) {
    rule.state_range = {0, number("state_min"), number("state_max")};
    rule.range = {number("output_zero_point"), number("min"), number("max")};
  }
  const auto wf = array_of<std::int8_t>(r, "wf", filters * inputs);
  const auto wt = array_of<State>(r, "wt", filters * memory);
  const auto b = array_of<std::int32_t>(r, "b", units);
  const auto x = array_of<std::int8_t>(r, "x", batch * inputs);
  auto s = array_of<State>(r, "s", batch * filters * memory);
  std::vector<std::int8_t> y(static_cast<std::size_t>(batch * units));
  std::vector<std::int32_t> feature_constants(static_cast<std::size_t>(filters)), time_constants(static_cast<std::size_t>(units));
  const q::matrix_view feature(wf, filters, inputs);
  const q::matrix_view time(wt, units, depth);
  const q::svdf_layer<Rule> layer{
      rule,
      {feature, q::fold<std::int8_t>(feature, q::no_bias{}, {number("input_zero_point"), 0}, feature_constants).value},
      {time, q::fold<State>(time, b, {rule.state_range.zero_point, 0}, time_constants).value}};
  const q::matrix_view<const std::int8_t> in(x, batch, inputs);
  const q::matrix_view<State> state(s, batch, filters * memory);
  const q::matrix_view<std::int8_t> out(y, batch, units);
  if (const q::status found = check(layer, in, state, out); !q::may_run(found)) return {q::to_string(found)};
  run(layer, in, state, out);
  values all;
  add_array(all, y, 6);
  add_array(all, s, 48);
  return all;
}

template <class Rule>
answer svdf_answer(const std::string& file) {
  const bool is_cmsis = file[0] == 'c';
  const bool is_observed = file.find("_wraps") != std::string::npos;
  columns inputs{"batch", "inputs", "units", "rank", "memory", "input_zero_point", "output_zero_point"};
  append(inputs, {"multiplier1", "shift1", "multiplier2", "shift2"});
  append(inputs, is_cmsis ? columns{"state_min", "state_max", "min", "max"} : columns{"state_zero_point"});
  append(inputs, numbered("x", 8));
  append(inputs, numbered("wf", 24));
  append(inputs, numbered("wt", 24));
  append(inputs, numbered("b", 3));
  append(inputs, numbered("s", 48));
  const std::string expected = is_observed ? "observed_" : "expected_";
  columns outputs = numbered(expected + "y", 6);
  append(outputs, numbered(expected + "s", 48));
  return {file, inputs, outputs, [is_cmsis](const row& r) { return svdf_values<Rule>(r, is_cmsis); }};
}

inline answer derive_svdf_answer() {
  return {"derive_tflite_svdf.csv",
          {"input_scale_bits", "feature_scale_bits", "state_scale_bits", "time_scale_bits", "output_scale_bits"},
          {"multiplier1", "shift1", "multiplier2", "shift2"},
          [](const row& r) -> values {
            const auto rule =
                q::tflite::svdf<std::int16_t>::derive(scale_of(r, "input"), scale_of(r, "feature"), scale_of(r, "state"), 0,
                                                      scale_of(r, "time"), scale_of(r, "output"), q::range_of<std::int8_t>());
            if (rule.status != q::status::ok) return {q::to_string(rule.status)};
            values all;
            add_pair(all, rule.value.feature);
            add_pair(all, rule.value.time);
            return all;
          }};
}

/// Adds the files of an engine's LSTM, `engine`_lstm_... `suffix` is that of the build with one rounding, or empty.
template <class Backend, template <class, class> class Lstm, class Scheme>
void add_lstm(std::vector<answer>& all, const std::string& engine, const std::string& suffix) {
  using lstm8 = Lstm<std::int8_t, Scheme>;
  using lstm16 = Lstm<std::int16_t, Scheme>;
  const std::string end = suffix + ".csv";
  all.push_back(gate_answer<Backend, lstm8>(engine + "_lstm_gate_s8" + end));
  if (suffix.empty()) all.push_back(gate_answer<Backend, lstm16>(engine + "_lstm_gate_s16.csv"));
  all.push_back(cell_answer<Backend, lstm8>(engine + "_lstm_cell" + end));
  all.push_back(hidden_answer<Backend, lstm8>(engine + "_lstm_hidden_s8" + end));
  all.push_back(hidden_answer<Backend, lstm16>(engine + "_lstm_hidden_s16" + end));
  all.push_back(lstm_answer<Backend, lstm8>(engine + "_lstm_s8" + end));
  all.push_back(lstm_answer<Backend, lstm16>(engine + "_lstm_s16" + end));
}
/// Adds the files of an engine's SVDF, `engine`_svdf_...
template <template <class, class> class Svdf, class Scheme>
void add_svdf(std::vector<answer>& all, const std::string& engine, const std::string& suffix) {
  const std::string end = suffix + ".csv";
  all.push_back(svdf_answer<Svdf<std::int8_t, Scheme>>(engine + "_svdf_s8" + end));
  all.push_back(svdf_answer<Svdf<std::int16_t, Scheme>>(engine + "_svdf_s8_state_s16" + end));
}

/// Returns the answers for the files of LSTMs by a backend, or by portable code if it is void.
template <class Backend>
std::vector<answer> lstm_answers() {
  std::vector<answer> all;
  add_lstm<Backend, q::tflite::lstm, q::tflite::double_rounding>(all, "tflite", "");
  add_lstm<Backend, q::tflite::lstm, q::tflite::single_rounding>(all, "tflite", "_single");
  add_lstm<Backend, q::cmsis_nn::lstm, q::cmsis_nn::double_rounding>(all, "cmsis", "");
  add_lstm<Backend, q::cmsis_nn::lstm, q::cmsis_nn::single_rounding>(all, "cmsis", "_single");
  return all;
}

}  // namespace recurrent

inline std::vector<answer> recurrent_answers() {
  using namespace recurrent;
  namespace tflite = q::tflite;
  namespace cmsis_nn = q::cmsis_nn;
  std::vector<answer> all = lstm_answers<void>();
  add_svdf<tflite::svdf, tflite::double_rounding>(all, "tflite", "");
  add_svdf<tflite::svdf, tflite::single_rounding>(all, "tflite", "_single");
  add_svdf<cmsis_nn::svdf, cmsis_nn::double_rounding>(all, "cmsis", "");
  add_svdf<cmsis_nn::svdf, cmsis_nn::single_rounding>(all, "cmsis", "_single");
  all.push_back(svdf_answer<tflite::svdf<std::int8_t>>("tflite_svdf_s8_wraps.csv"));
  all.push_back(derive_lstm_answer<tflite::lstm<std::int8_t>>("derive_tflite_lstm_s8.csv"));
  all.push_back(derive_lstm_answer<tflite::lstm<std::int16_t>>("derive_tflite_lstm_s16.csv"));
  all.push_back(derive_svdf_answer());
  return all;
}

}  // namespace golden

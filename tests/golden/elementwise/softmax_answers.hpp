#pragma once
// Answers rows of softmax. The column `count` gives the number of values x0 and so on; the other cells are empty.

#include <dyadic/elementwise/softmax_layer.hpp>

#include "../../support/softmax_tables.hpp"
#include "table_answers.hpp"

namespace golden {

inline constexpr std::size_t softmax_cells = 16;

inline std::vector<std::string> cells(const std::string& name, std::vector<std::string> before = {}) {
  for (std::size_t i = 0; i < softmax_cells; ++i) before.push_back(name + std::to_string(i));
  return before;
}

/// Computes the row through check and run.
template <class Rule>
values softmax_row(const Rule& rule, const row& r) {
  using X = q::detail::argument_of<Rule>;
  std::vector<X> x(r.integer<std::uint32_t>("count"));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = r.integer<X>("x" + std::to_string(i));
  std::vector<typename Rule::value_type> y(x.size());
  const auto cols = static_cast<q::index_t>(x.size());
  const q::softmax_layer layer{rule};
  const q::matrix_view from(x, 1, cols);
  const q::matrix_view to(y, 1, cols);
  if (const q::status s = check(layer, from, to); !q::may_run(s)) return values(softmax_cells, q::to_string(s));
  run(layer, from, to);
  values cells(softmax_cells);
  for (std::size_t i = 0; i < y.size(); ++i) cells[i] = text(y[i]);
  return cells;
}

template <class Rule>
answer softmax_int8_answer(const std::string& file, const std::string& multiplier, const std::string& shift) {
  return {file, cells("x", {multiplier, shift, "diff_min", "count"}), cells("expected"),
          [multiplier, shift](const row& r) -> values {
            Rule rule{};
            rule.multiplier = q::tflite::from_pair(r.integer<std::int32_t>(multiplier), r.integer<std::int32_t>(shift));
            rule.least_difference = r.integer<std::int32_t>("diff_min");
            return softmax_row(rule, r);
          }};
}

template <class Rule>
answer softmax_int16_answer(const std::string& file, const std::string& multiplier, const std::string& shift,
                            const std::string& outputs = "expected") {
  return {file, cells("x", {multiplier, shift, "count"}), cells(outputs), [multiplier, shift](const row& r) -> values {
            const q::tflite::softmax_tables& tables = support::softmax_tables();
            Rule rule{};
            rule.multiplier = q::tflite::from_pair(r.integer<std::int32_t>(multiplier), r.integer<std::int32_t>(shift));
            rule.exponential = {tables.exponential};
            rule.reciprocal = {tables.reciprocal};
            return softmax_row(rule, r);
          }};
}

template <class Rule>
answer derive_softmax_int8_answer(const std::string& file) {
  return {
      file, {"input_scale_bits", "beta_bits"}, {"input_multiplier", "input_left_shift", "diff_min"}, [](const row& r) -> values {
        const auto rule = Rule::derive(scale_of(r, "input_scale_bits"), scale_of(r, "beta_bits"));
        if (rule.status != q::status::ok) return values(3, q::to_string(rule.status));
        values found = pair_text(rule.value.multiplier);
        found.push_back(text(rule.value.least_difference));
        return found;
      }};
}

template <class Rule>
answer derive_softmax_int16_answer(const std::string& file) {
  return {file, {"input_scale_bits", "beta_bits"}, {"input_multiplier", "input_left_shift"}, [](const row& r) -> values {
            const auto m = Rule::derive(scale_of(r, "input_scale_bits"), scale_of(r, "beta_bits"));
            return m.status == q::status::ok ? pair_text(m.value) : values(2, q::to_string(m.status));
          }};
}

inline std::vector<answer> softmax_answers() {
  using std::int16_t;
  using std::int8_t;
  namespace cmsis_nn = q::cmsis_nn;
  namespace tflite = q::tflite;
  using single16 = tflite::softmax<int16_t, int16_t, tflite::single_rounding>;
  using cmsis_single16 = cmsis_nn::softmax<int16_t, int16_t, cmsis_nn::single_rounding>;
  const std::string m = "input_multiplier";
  const std::string s = "input_left_shift";
  return {
      softmax_int16_answer<cmsis_nn::softmax<int16_t>>("cmsis_softmax_s16.csv", "multiplier", "shift"),
      softmax_int16_answer<cmsis_single16>("cmsis_softmax_s16_single.csv", "multiplier", "shift"),
      softmax_int16_answer<cmsis_single16>("cmsis_softmax_s16_single_wraps.csv", "multiplier", "shift", "observed"),
      softmax_int16_answer<cmsis_nn::softmax<int16_t>>("cmsis_softmax_s16_wraps.csv", "multiplier", "shift", "observed"),
      softmax_int8_answer<cmsis_nn::softmax<int8_t>>("cmsis_softmax_s8.csv", "multiplier", "shift"),
      softmax_int8_answer<cmsis_nn::softmax<int8_t, int16_t>>("cmsis_softmax_s8_s16.csv", "multiplier", "shift"),
      derive_softmax_int16_answer<tflite::softmax<int16_t>>("derive_tflite_softmax_s16.csv"),
      derive_softmax_int16_answer<single16>("derive_tflite_softmax_s16_single.csv"),
      derive_softmax_int8_answer<tflite::softmax<int8_t>>("derive_tflite_softmax_s8.csv"),
      derive_softmax_int8_answer<tflite::softmax<int8_t, int8_t, tflite::single_rounding>>("derive_tflite_softmax_s8_single.csv"),
      softmax_int16_answer<tflite::softmax<int16_t>>("tflite_softmax_s16.csv", m, s),
      softmax_int16_answer<single16>("tflite_softmax_s16_single.csv", m, s),
      softmax_int8_answer<tflite::softmax<int8_t>>("tflite_softmax_s8.csv", m, s),
      softmax_int8_answer<tflite::softmax<int8_t, int16_t>>("tflite_softmax_s8_s16.csv", m, s),
      softmax_int8_answer<tflite::softmax<int8_t, int16_t, tflite::single_rounding>>("tflite_softmax_s8_s16_single.csv", m, s),
      softmax_int8_answer<tflite::softmax<int8_t, int8_t, tflite::single_rounding>>("tflite_softmax_s8_single.csv", m, s),
      {"tflite_softmax_s16_tables.csv",
       {"index"},
       {"exp", "one_over_one_plus_x"},
       [](const row& r) -> values {
         const tflite::softmax_tables& tables = support::softmax_tables();
         const auto index = r.integer<std::uint16_t>("index");
         return {text(tables.exponential[index]), text(tables.reciprocal[index])};
       }},
  };
}

}  // namespace golden

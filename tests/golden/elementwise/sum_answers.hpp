#pragma once
// Answers rows of add, subtract and multiply of TFLite, CMSIS-NN and XNNPACK.

#include <dyadic/elementwise/add.hpp>

#include "../driver.hpp"

namespace golden {

namespace q = dyadic;

/// Returns the Q31 mantissa and the left shift in the columns `name`_multiplier and `name`_shift.
inline q::multiplier32 pair_of(const row& r, const std::string& name) {
  return q::tflite::from_pair(r.integer<std::int32_t>(name + "_multiplier"), r.integer<std::int32_t>(name + "_shift"));
}

inline values pair_text(q::multiplier32 m) { return {text(m.mantissa), text(31 - m.right_shift)}; }

inline q::binary32 scale_of(const row& r, const std::string& column) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(column));
}

/// Returns the zero point, which is the negated offset. A kernel that takes no zero point ignores the offset.
inline std::int32_t zero_point_of(const row& r, const std::string& offset, bool is_taken) {
  return is_taken ? -r.integer<std::int32_t>(offset) : 0;
}

inline q::output_range range_of(const row& r, bool has_zero_point = true) {
  return {has_zero_point ? r.integer<std::int32_t>("output_offset") : 0, r.integer<std::int32_t>("min"),
          r.integer<std::int32_t>("max")};
}

/// Computes the one element of a row. With the row's parameters other elements may overflow.
template <class Rule>
values binary_answer(const Rule& rule, const row& r) {
  using X = typename Rule::value_type;
  const q::status s = check(rule);
  if (!q::may_run(s)) return {q::to_string(s)};
  return {text(rule(r.integer<X>("a"), r.integer<X>("b")))};
}

template <class Rule>
answer sum_answer(const std::string& file) {
  return {file,
          {"a", "b", "input1_offset", "input2_offset", "left_shift", "input1_multiplier", "input1_shift", "input2_multiplier",
           "input2_shift", "output_multiplier", "output_shift", "output_offset", "min", "max"},
          {"expected"},
          [](const row& r) {
            const bool takes_all = Rule::zero_points == q::allowed_zero_points::any;
            Rule rule{};
            rule.left_shift = r.integer<std::int32_t>("left_shift");
            rule.a = {zero_point_of(r, "input1_offset", takes_all), pair_of(r, "input1")};
            rule.b = {zero_point_of(r, "input2_offset", takes_all), pair_of(r, "input2")};
            rule.multiplier = pair_of(r, "output");
            rule.range = range_of(r, Rule::zero_points != q::allowed_zero_points::none);
            return binary_answer(rule, r);
          }};
}

template <class Rule>
answer derive_sum_answer(const std::string& file) {
  return {file,
          {"input1_scale_bits", "input2_scale_bits", "output_scale_bits"},
          {"left_shift", "input1_multiplier", "input1_shift", "input2_multiplier", "input2_shift", "output_multiplier",
           "output_shift"},
          [](const row& r) -> values {
            const auto rule = Rule::derive(scale_of(r, "input1_scale_bits"), 0, scale_of(r, "input2_scale_bits"), 0,
                                           scale_of(r, "output_scale_bits"), q::range_of<typename Rule::value_type>());
            if (rule.status != q::status::ok) return {q::to_string(rule.status)};
            values all{text(rule.value.left_shift)};
            for (const q::multiplier32 m : {rule.value.a.multiplier, rule.value.b.multiplier, rule.value.multiplier})
              for (const std::string& number : pair_text(m)) all.push_back(number);
            return all;
          }};
}

/// Adds the files of a rule for both types, `name`_s8 and `name`_s16, and the files of the single-rounding build.
template <template <class, class> class Rule, class Double, class Single, class Make>
void add_answers(std::vector<answer>& all, const std::string& name, const Make& make) {
  all.push_back(make(Rule<std::int8_t, Double>{}, name + "_s8.csv"));
  all.push_back(make(Rule<std::int16_t, Double>{}, name + "_s16.csv"));
  all.push_back(make(Rule<std::int8_t, Single>{}, name + "_s8_single.csv"));
  all.push_back(make(Rule<std::int16_t, Single>{}, name + "_s16_single.csv"));
}

inline std::vector<answer> sum_answers() {
  namespace tflite = q::tflite;
  namespace cmsis_nn = q::cmsis_nn;
  std::vector<answer> all;
  const auto rows = [](auto rule, const std::string& file) { return sum_answer<decltype(rule)>(file); };
  const auto derivations = [](auto rule, const std::string& file) { return derive_sum_answer<decltype(rule)>(file); };
  add_answers<tflite::add, tflite::double_rounding, tflite::single_rounding>(all, "tflite_add", rows);
  add_answers<tflite::subtract, tflite::double_rounding, tflite::single_rounding>(all, "tflite_sub", rows);
  add_answers<cmsis_nn::add, cmsis_nn::double_rounding, cmsis_nn::single_rounding>(all, "cmsis_add", rows);
  add_answers<tflite::add, tflite::double_rounding, tflite::single_rounding>(all, "derive_tflite_add", derivations);
  add_answers<tflite::subtract, tflite::double_rounding, tflite::single_rounding>(all, "derive_tflite_sub", derivations);
  return all;
}

}  // namespace golden

#pragma once
// Answers rows of sigmoid and tanh.

#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/tanh.hpp>

#include "sum_answers.hpp"

namespace golden {

namespace q = dyadic;

/// Answers with the kernel's parameters from the row, through Q4.
template <class Rule>
answer q4_answer(const std::string& file) {
  return {file,
          {"input", "input_zero_point", "input_range_radius", "input_multiplier", "input_left_shift"},
          {"expected"},
          [](const row& r) -> values {
            const Rule rule{
                r.integer<std::int32_t>("input_zero_point"), r.integer<std::int32_t>("input_range_radius"),
                q::tflite::from_pair(r.integer<std::int32_t>("input_multiplier"), r.integer<std::int32_t>("input_left_shift"))};
            if (check(rule) != q::status::ok) return {q::to_string(check(rule))};
            return {text(rule(r.integer<std::int8_t>("input")))};
          }};
}

template <class Rule>
answer derive_q4_answer(const std::string& file) {
  return {file, {"input_scale_bits"}, {"input_range_radius", "input_multiplier", "input_left_shift"}, [](const row& r) -> values {
            const auto rule = Rule::derive(scale_of(r, "input_scale_bits"), 0);
            if (rule.status != q::status::ok) return {q::to_string(rule.status), "", ""};
            const q::tflite::pair p = q::tflite::to_pair(rule.value.multiplier);
            return {text(rule.value.radius), text(p.multiplier), text(p.shift)};
          }};
}

/// Computes the activation by a table of 256 entries.
template <class Rule>
values table_activation(const Rule& rule, const row& r) {
  if (check(rule) != q::status::ok) return {q::to_string(check(rule))};
  return {text(rule(r.integer<std::int16_t>("input")))};
}

template <class Rule>
answer table_activation_answer(const std::string& file) {
  return {file, {"input", "input_multiplier", "input_left_shift"}, {"expected"}, [](const row& r) -> values {
            return table_activation(
                Rule::from_pair(r.integer<std::int32_t>("input_multiplier"), r.integer<std::int32_t>("input_left_shift")), r);
          }};
}

template <class Rule>
answer left_shift_answer(const std::string& file) {
  return {file, {"input", "left_shift"}, {"expected"}, [](const row& r) -> values {
            return table_activation(Rule::from_left_shift(r.integer<std::int32_t>("left_shift")), r);
          }};
}

/// TFLite writes 3 * 2^shift as the multiplier 0.
template <class Rule>
answer derive_table_activation_answer(const std::string& file) {
  return {file, {"input_scale_bits"}, {"input_multiplier", "input_left_shift"}, [](const row& r) -> values {
            const auto rule = Rule::derive(scale_of(r, "input_scale_bits"));
            if (rule.status != q::status::ok) return {q::to_string(rule.status), ""};
            for (int shift = 0; shift <= 1; ++shift)
              if (rule.value.multiplier == Rule::from_pair(0, shift).multiplier) return {"0", text(shift)};
            return {text(rule.value.multiplier.mantissa), text(rule.value.multiplier.right_shift)};
          }};
}

inline std::vector<answer> activation_answers() {
  namespace cmsis_nn = q::cmsis_nn;
  namespace tflite = q::tflite;
  using tflite::single_rounding;
  return {
      left_shift_answer<cmsis_nn::sigmoid>("cmsis_sigmoid_s16.csv"),
      left_shift_answer<cmsis_nn::tanh>("cmsis_tanh_s16.csv"),
      derive_table_activation_answer<tflite::sigmoid<std::int16_t>>("derive_tflite_logistic_s16.csv"),
      derive_q4_answer<tflite::sigmoid<std::int8_t>>("derive_tflite_logistic_s8.csv"),
      derive_q4_answer<tflite::sigmoid<std::int8_t, single_rounding>>("derive_tflite_logistic_s8_single.csv"),
      derive_table_activation_answer<tflite::tanh<std::int16_t>>("derive_tflite_tanh_s16.csv"),
      derive_q4_answer<tflite::tanh<std::int8_t>>("derive_tflite_tanh_s8.csv"),
      derive_q4_answer<tflite::tanh<std::int8_t, single_rounding>>("derive_tflite_tanh_s8_single.csv"),
      table_activation_answer<tflite::sigmoid<std::int16_t>>("tflite_logistic_s16.csv"),
      q4_answer<tflite::sigmoid<std::int8_t>>("tflite_logistic_s8.csv"),
      q4_answer<tflite::sigmoid<std::int8_t, single_rounding>>("tflite_logistic_s8_single.csv"),
      table_activation_answer<tflite::tanh<std::int16_t>>("tflite_tanh_s16.csv"),
      q4_answer<tflite::tanh<std::int8_t>>("tflite_tanh_s8.csv"),
      q4_answer<tflite::tanh<std::int8_t, single_rounding>>("tflite_tanh_s8_single.csv"),
  };
}

}  // namespace golden

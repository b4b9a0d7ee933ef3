#pragma once
// Answers rows of leaky relu and hard swish.

#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>

#include "sum_answers.hpp"

namespace golden {

template <class Rule>
answer leaky_relu_answer(const std::string& file) {
  return {file,
          {"input", "input_zero_point", "output_zero_point", "multiplier_alpha", "shift_alpha", "multiplier_identity",
           "shift_identity"},
          {"expected"},
          [](const row& r) -> values {
            using X = typename Rule::value_type;
            const auto pair = [&](const std::string& name) {
              return q::tflite::from_pair(r.integer<std::int32_t>("multiplier_" + name),
                                          r.integer<std::int32_t>("shift_" + name));
            };
            const Rule rule{r.integer<std::int32_t>("input_zero_point"), pair("identity"), pair("alpha"),
                            q::range_of<X>(r.integer<std::int32_t>("output_zero_point"))};
            const q::status s = check(rule);
            if (!q::may_run(s)) return {q::to_string(s)};
            return {text(rule(r.integer<X>("input")))};
          }};
}

template <class Rule>
answer derive_leaky_relu_answer(const std::string& file) {
  return {file,
          {"input_scale_bits", "output_scale_bits", "alpha_bits"},
          {"multiplier_alpha", "shift_alpha", "multiplier_identity", "shift_identity"},
          [](const row& r) -> values {
            const auto rule =
                Rule::derive(scale_of(r, "input_scale_bits"), 0, scale_of(r, "alpha_bits"), scale_of(r, "output_scale_bits"), 0);
            if (!q::may_run(rule.status)) return {q::to_string(rule.status)};
            values all = pair_text(rule.value.alpha);
            for (const std::string& number : pair_text(rule.value.identity)) all.push_back(number);
            return all;
          }};
}

using hard_swish = q::tflite::hard_swish<std::int8_t>;

inline values hard_swish_row(const row& r) {
  const auto multiplier = [&](const std::string& name) -> q::multiplier16 {
    return {r.integer<std::int16_t>(name + "_multiplier"), 15 - r.integer<std::int32_t>(name + "_exponent")};
  };
  const hard_swish rule{r.integer<std::int32_t>("input_zero_point"), multiplier("output"), multiplier("reluish"),
                        q::range_of<std::int8_t>(r.integer<std::int32_t>("output_zero_point"))};
  if (const q::status s = check(rule); s != q::status::ok) return {q::to_string(s)};
  return {text(rule(r.integer<std::int8_t>("input")))};
}

inline values derive_hard_swish_row(const row& r) {
  const auto rule = hard_swish::derive(scale_of(r, "input_scale_bits"), 0, scale_of(r, "output_scale_bits"), 0);
  if (rule.status != q::status::ok) return {q::to_string(rule.status)};
  return {text(rule.value.output.mantissa), text(15 - rule.value.output.right_shift), text(rule.value.relu.mantissa),
          text(15 - rule.value.relu.right_shift)};
}

inline values xnnpack_leaky_relu_row(const row& r) {
  const auto rule = q::xnnpack::leaky_relu<std::int8_t>::derive(
      scale_of(r, "input_scale_bits"), r.integer<std::int32_t>("input_zero_point"), scale_of(r, "slope_bits"),
      scale_of(r, "output_scale_bits"), r.integer<std::int32_t>("output_zero_point"));
  if (rule.status != q::status::ok) return {q::to_string(rule.status)};
  return {text(rule.value.positive), text(rule.value.negative), text(rule.value(r.integer<std::int8_t>("input")))};
}

inline std::vector<answer> relu_answers() {
  namespace tflite = q::tflite;
  std::vector<answer> all{
      {"tflite_hard_swish_s8.csv",
       {"input", "input_zero_point", "output_zero_point", "output_multiplier", "output_exponent", "reluish_multiplier",
        "reluish_exponent"},
       {"expected"},
       hard_swish_row},
      {"derive_tflite_hard_swish_s8.csv",
       {"input_scale_bits", "output_scale_bits"},
       {"output_multiplier", "output_exponent", "reluish_multiplier", "reluish_exponent"},
       derive_hard_swish_row},
      {"xnnpack_qs8_vlrelu.csv",
       {"input", "input_zero_point", "output_zero_point", "input_scale_bits", "output_scale_bits", "slope_bits"},
       {"positive_multiplier", "negative_multiplier", "expected"},
       xnnpack_leaky_relu_row},
  };
  const auto rows = [](auto rule, const std::string& file) { return leaky_relu_answer<decltype(rule)>(file); };
  const auto derivations = [](auto rule, const std::string& file) { return derive_leaky_relu_answer<decltype(rule)>(file); };
  add_answers<tflite::leaky_relu, tflite::double_rounding, tflite::single_rounding>(all, "tflite_leaky_relu", rows);
  add_answers<tflite::leaky_relu, tflite::double_rounding, tflite::single_rounding>(all, "derive_tflite_leaky_relu", derivations);
  return all;
}

}  // namespace golden

#pragma once
// Answers rows of multiplications.

#include <dyadic/elementwise/multiply.hpp>

#include "sum_answers.hpp"

namespace golden {

template <class Rule>
answer product_answer(const std::string& file) {
  return {file,
          {"a", "b", "input1_offset", "input2_offset", "output_multiplier", "output_shift", "output_offset", "min", "max"},
          {"expected"},
          [](const row& r) {
            const bool takes_all = Rule::zero_points == q::allowed_zero_points::any;
            Rule rule{};
            rule.a_zero_point = zero_point_of(r, "input1_offset", takes_all);
            rule.b_zero_point = zero_point_of(r, "input2_offset", takes_all);
            rule.multiplier = pair_of(r, "output");
            rule.range = range_of(r, takes_all);
            return binary_answer(rule, r);
          }};
}

template <class Rule>
answer derive_product_answer(const std::string& file) {
  return {file,
          {"input1_scale_bits", "input2_scale_bits", "output_scale_bits"},
          {"output_multiplier", "output_shift"},
          [](const row& r) -> values {
            const auto rule = Rule::derive(scale_of(r, "input1_scale_bits"), 0, scale_of(r, "input2_scale_bits"), 0,
                                           scale_of(r, "output_scale_bits"), q::range_of<typename Rule::value_type>());
            if (!q::may_run(rule.status)) return {q::to_string(rule.status)};
            return pair_text(rule.value.multiplier);
          }};
}

inline std::vector<std::string> xnnpack_inputs() {
  return {"a",   "a_zero_point", "b", "b_zero_point", "a_scale_bits", "b_scale_bits", "output_scale_bits", "output_zero_point",
          "min", "max"};
}

/// Answers with the derived parameters as XNNPACK stores them, then the product.
template <class Rule, class Parameters>
answer xnnpack_product_answer(const std::string& file, const std::vector<std::string>& parameters, Parameters parameters_of) {
  std::vector<std::string> outputs = parameters;
  outputs.push_back("expected");
  return {file, xnnpack_inputs(), outputs, [parameters_of](const row& r) -> values {
            const q::output_range range{r.integer<std::int32_t>("output_zero_point"), r.integer<std::int32_t>("min"),
                                        r.integer<std::int32_t>("max")};
            const auto rule =
                Rule::derive(scale_of(r, "a_scale_bits"), r.integer<std::int32_t>("a_zero_point"), scale_of(r, "b_scale_bits"),
                             r.integer<std::int32_t>("b_zero_point"), scale_of(r, "output_scale_bits"), range);
            if (rule.status != q::status::ok) return {q::to_string(rule.status)};
            values all = parameters_of(rule.value.multiplier);
            all.push_back(text(rule.value(r.integer<std::int8_t>("a"), r.integer<std::int8_t>("b"))));
            return all;
          }};
}

inline std::vector<answer> product_answers() {
  namespace tflite = q::tflite;
  namespace cmsis_nn = q::cmsis_nn;
  namespace xnnpack = q::xnnpack;
  std::vector<answer> all;
  const auto rows = [](auto rule, const std::string& file) { return product_answer<decltype(rule)>(file); };
  const auto derivations = [](auto rule, const std::string& file) { return derive_product_answer<decltype(rule)>(file); };
  add_answers<tflite::multiply, tflite::double_rounding, tflite::single_rounding>(all, "tflite_mul", rows);
  add_answers<cmsis_nn::multiply, cmsis_nn::double_rounding, cmsis_nn::single_rounding>(all, "cmsis_mul", rows);
  add_answers<tflite::multiply, tflite::double_rounding, tflite::single_rounding>(all, "derive_tflite_mul", derivations);
  all.push_back(xnnpack_product_answer<xnnpack::multiply<std::int8_t>>("xnnpack_qs8_vmul_fp32.csv", {"scale_bits"},
                                                                       [](q::binary32 m) -> values { return {text(m.bits)}; }));
  // NEON has the mantissa in Q31 and two left shifts: one before the high multiply, and one of -1 or less after it.
  all.push_back(xnnpack_product_answer<xnnpack::multiply<std::int8_t, xnnpack::rndnu_neon>>(
      "xnnpack_qs8_vmul_rndnu_neon.csv", {"left_pre_shift", "multiplier", "left_post_shift"}, [](q::multiplier32 m) -> values {
        const std::int32_t shift = m.right_shift + 7 - 31;
        const std::int32_t post_shift = shift > 1 ? shift : 1;
        return {text(post_shift - shift), text(m.mantissa * 128), text(-post_shift)};
      }));
  return all;
}

}  // namespace golden

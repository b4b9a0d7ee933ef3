#pragma once
// For each golden file: its columns, and how the library answers a row.

#include "answer_kinds.hpp"

namespace golden {

inline std::vector<answer> cmsis_nn_answers() {
  return {
      {"cmsis_divide_by_power_of_two.csv",
       {"dividend", "exponent"},
       {"expected"},
       [](const row& r) -> values {
         return {text(q::cmsis_nn::divide_by_power_of_two(r.integer<std::int32_t>("dividend"), r.integer<int>("exponent")))};
       }},
      pair_answer<q::cmsis_nn::double_rounding>("cmsis_double_i32.csv"),
      pair_answer<q::cmsis_nn::mve_double_rounding>("cmsis_mve_double_i32.csv"),
      pair_answer<q::cmsis_nn::mve_single_rounding>("cmsis_mve_single_i32.csv"),
      pair_answer<q::cmsis_nn::mve_single_rounding>("cmsis_mve_single_i32_preshift_wraps.csv", "shift", "observed"),
      pair_answer<q::cmsis_nn::mve_predicated_single_rounding>("cmsis_mve_single_predicated_i32.csv"),
      {"cmsis_requantize_s64.csv",
       {"acc", "multiplier", "shift"},
       {"reduced_multiplier", "expected"},
       [](const row& r) -> values {
         const q::multiplier16 m = reduced_pair(r);
         return {text(m.mantissa), text(q::cmsis_nn::requantize_s64::apply(r.integer("acc"), m))};
       }},
      pair_answer<q::cmsis_nn::single_rounding>("cmsis_single_i32.csv"),
      {"reduce_multiplier_q31_to_q15.csv",
       {"multiplier"},
       {"reduced"},
       [](const row& r) -> values {
         return {text(q::cmsis_nn::reduce({r.integer<std::int32_t>("multiplier"), 31}).mantissa)};
       }},
  };
}

/// From a real scale to a multiplier and its shift.
inline std::vector<answer> derivation_answers() {
  return {
      derive_right_answer("derive_executorch_arm_tosa16.csv", [](double s) { return q::executorch::arm::scale16::derive(s); }),
      derive_right_answer("derive_executorch_arm_tosa32.csv", [](double s) { return q::executorch::arm::scale32::derive(s); }),
      derive_left_answer("derive_executorch_cadence.csv",
                         [](double s) { return q::executorch::cadence::derive(static_cast<float>(s)); }),
      derive_left_answer("derive_executorch_cortex_m.csv", [](double s) { return q::executorch::cortex_m::derive(s); }),
      derive_right_answer(
          "derive_fbgemm_fixed.csv", [](double s) { return q::fbgemm::fixed::derive(static_cast<float>(s)); }, "right_shift"),
      {"derive_tflite_conv_scale_product.csv",
       {"input_scale_hex", "filter_scale_hex", "output_scale_hex"},
       {"per_tensor_multiplier", "per_tensor_shift", "per_channel_multiplier", "per_channel_shift"},
       tflite_scale_products},
      derive_left_answer("derive_tflite_double.csv", [](double s) { return q::tflite::double_rounding::derive(s); }),
      derive_left_answer("derive_tflite_emulate_float.csv", [](double s) { return q::tflite::derive_emulate_float(s); }),
      derive_left_answer("derive_tflite_single.csv", [](double s) { return q::tflite::single_rounding::derive(s); }),
      derive_right_answer("derive_vela_reduced_int16.csv", [](double s) { return q::vela::derive_reduced_int16(s); }),
      derive_right_answer("derive_vela_scale32.csv", [](double s) { return q::vela::derive_scale32(s); }),
      derive_right_answer(
          "derive_xnnpack_rndnu.csv", [](double s) { return q::xnnpack::rndnu::derive(static_cast<float>(s)); }, "right_shift"),
      {"derive_xnnpack_rndnu16.csv",
       {"scale_hex"},
       {"multiplier", "left_pre_shift"},
       [](const row& r) -> values {
         const q::multiplier16 m = q::xnnpack::rndnu16::derive(r.real32("scale_hex")).value;
         return {text(m.mantissa), left_shift(15, m.right_shift)};
       }},
  };
}

/// TensorFlow Lite, and gemmlowp and ruy below it.
inline std::vector<answer> tflite_answers() {
  return {
      gemmlowp_divide_answer<std::int16_t>("gemmlowp_rounding_divide_by_pot_i16.csv"),
      gemmlowp_divide_answer<std::int32_t>("gemmlowp_rounding_divide_by_pot_i32.csv"),
      gemmlowp_high_mul_answer<std::int16_t>("gemmlowp_srdhm_i16.csv"),
      gemmlowp_high_mul_answer<std::int32_t>("gemmlowp_srdhm_i32.csv"),
      pair_answer<q::ruy::reference>("ruy_reference_i32.csv", "exponent"),
      {"ruy_x86_simd_i16.csv",
       {"acc", "multiplier", "exponent"},
       {"expected"},
       [](const row& r) -> values {
         const q::multiplier32 m =
             q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("exponent"));
         return {text(q::requantize<q::ruy::x86_simd>(r.integer<std::int32_t>("acc"), m, q::range_of<std::int16_t>()))};
       }},
      pair_answer<q::tflite::avx2>("tflite_avx2_i32.csv"),
      pair_answer<q::tflite::double_rounding>("tflite_double_i32.csv"),
      pair_answer<q::tflite::double_rounding>("tflite_double_i32_negative_multiplier.csv"),
      pair_answer<q::tflite::double_rounding>("tflite_double_i32_preshift_wraps.csv", "shift", "observed"),
      {"tflite_fc_perchannel_double_scale_i16.csv",
       {"acc", "input_scale_hex", "filter_scale_hex", "output_scale_hex", "output_zero_point"},
       {"expected"},
       tflite_fully_connected},
      pair_answer<q::tflite::neon_double_rounding>("tflite_neon_double_i32.csv"),
      pair_answer<q::tflite::neon_single_rounding>("tflite_neon_single_i32.csv"),
      {"tflite_reduced_i64.csv",
       {"acc", "multiplier", "shift"},
       {"expected"},
       [](const row& r) -> values { return {text(q::tflite::reduced_int64::apply(r.integer("acc"), reduced_pair(r)))}; }},
      pair_answer<q::tflite::single_rounding>("tflite_single_i32.csv"),
  };
}

inline std::vector<answer> tosa_answers() {
  const std::vector<std::string> tosa_inputs{"in_type",   "input_unsigned", "out_type", "output_unsigned",
                                             "scale32",   "rounding_mode",  "value",    "input_zp",
                                             "output_zp", "multiplier",     "shift"};
  return {
      apply_scale_answer<q::tosa::scale16>("tosa_apply_scale_16.csv"),
      apply_scale_answer<q::tosa::scale32_double_round>("tosa_apply_scale_32_double.csv"),
      apply_scale_answer<q::tosa::scale32>("tosa_apply_scale_32_single.csv"),
      {"tosa_reciprocal_scale.csv",
       {"value"},
       {"multiplier", "shift"},
       [](const row& r) -> values {
         const q::multiplier32 m = q::tosa::reciprocal_scale(r.integer<std::uint32_t>("value")).value;
         return {text(m.mantissa), text(m.right_shift)};
       }},
      {"tosa_rescale.csv", tosa_inputs, {"status", "expected"}, tosa_rescale},
      {"tosa_rescale_inexact.csv", tosa_inputs, {"fp32_reference", "allowed_min", "allowed_max"}, tosa_rescale_inexact},
  };
}

inline std::vector<answer> xnnpack_answers() {
  return {
      xnnpack_answer<q::xnnpack::fp32>("xnnpack_qs8_fp32.csv"),
      xnnpack_answer<q::xnnpack::gemmlowp>("xnnpack_qs8_gemmlowp_removed.csv"),
      xnnpack_answer<q::xnnpack::rndna>("xnnpack_qs8_rndna_removed.csv"),
      xnnpack_answer<q::xnnpack::rndnu>("xnnpack_qs8_rndnu.csv"),
      xnnpack_answer<q::xnnpack::rndnu_neon>("xnnpack_qs8_rndnu_neon.csv"),
      {"xnnpack_qs8_vadd.csv",
       {"a", "a_scale_hex", "a_zero_point", "b", "b_scale_hex", "b_zero_point", "output_scale_hex", "output_zero_point"},
       {"a_multiplier", "b_multiplier", "shift", "expected"},
       xnnpack_add},
      {"xnnpack_qs8_vcvt.csv",
       {"input", "input_scale_hex", "input_zero_point", "output_scale_hex", "output_zero_point"},
       {"multiplier", "expected"},
       xnnpack_convert},
      xnnpack_answer<q::xnnpack::fp32>("xnnpack_qu8_fp32.csv"),
      xnnpack_answer<q::xnnpack::rndnu>("xnnpack_qu8_rndnu.csv"),
      xnnpack_answer<q::xnnpack::rndnu16>("xnnpack_qu8_rndnu16.csv"),
  };
}

/// FBGEMM, oneDNN, and the 16-bit activations of several engines.
inline std::vector<answer> other_answers() {
  return {
      {"a16w8_int48_to_i16.csv",
       {"acc", "scale_hex"},
       {"tosa_multiplier", "tosa_shift", "tosa_status", "tosa_expected", "tflite_multiplier", "tflite_shift", "tflite_expected",
        "cmsis_s64_expected"},
       a16w8},
      {"executorch_arm_a16w8_bias_after_int32.csv",
       {"acc", "bias", "bias_scale_hex", "output_scale_hex"},
       {"status", "multiplier", "shift", "expected"},
       bias_after_int32},
      {"fbgemm_fixed_u8.csv",
       {"acc", "zero_point", "multiplier", "right_shift"},
       {"expected"},
       [](const row& r) -> values {
         const q::multiplier32 m{r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("right_shift")};
         const q::output_range range = q::range_of<std::uint8_t>(r.integer<std::int32_t>("zero_point"));
         return {text(q::requantize<q::fbgemm::fixed>(r.integer<std::int32_t>("acc"), m, range))};
       }},
      fbgemm_float_answer<std::int8_t>("fbgemm_float_s8.csv"),
      fbgemm_float_answer<std::uint8_t>("fbgemm_float_u8.csv"),
      {"onednn_f32_s8.csv",
       {"acc", "src_scale_hex", "wei_scale_hex", "dst_scale_hex", "dst_zero_point"},
       {"expected"},
       onednn_f32},
  };
}

/// All files.
inline std::vector<answer> answers() {
  std::vector<answer> all;
  for (const auto& part : {cmsis_nn_answers, derivation_answers, tflite_answers, tosa_answers, xnnpack_answers, other_answers})
    for (answer& a : part()) all.push_back(std::move(a));
  return all;
}

}  // namespace golden

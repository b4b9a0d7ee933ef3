#pragma once
// The columns of each golden file, and the library's answer to a row.

#include "answer_kinds.hpp"

namespace golden {

/// Answers for the schemes that are written over lanes.
template <class Way>
std::vector<answer> lane_answers() {
  namespace cmsis_nn = q::cmsis_nn;
  namespace tflite = q::tflite;
  namespace tosa = q::tosa;
  namespace xnnpack = q::xnnpack;
  return {
      a16w8_answer<Way>("a16w8_int48_to_i16.csv"),
      pair_answer<Way, cmsis_nn::double_rounding>("cmsis_double_i32.csv"),
      pair_answer<Way, cmsis_nn::mve_double_rounding>("cmsis_mve_double_i32.csv"),
      pair_answer<Way, cmsis_nn::mve_single_rounding>("cmsis_mve_single_i32.csv"),
      pair_answer<Way, cmsis_nn::mve_single_rounding>("cmsis_mve_single_i32_preshift_wraps.csv", "shift", "observed"),
      pair_answer<Way, cmsis_nn::mve_predicated_single_rounding>("cmsis_mve_single_predicated_i32.csv"),
      reduced_pair_answer<Way, cmsis_nn::requantize_s64>("cmsis_requantize_s64.csv", {"reduced_multiplier", "expected"}),
      pair_answer<Way, cmsis_nn::single_rounding>("cmsis_single_i32.csv"),
      fbgemm_fixed_answer<Way>("fbgemm_fixed_u8.csv"),
      fbgemm_float_answer<Way, std::int8_t>("fbgemm_float_s8.csv"),
      fbgemm_float_answer<Way, std::uint8_t>("fbgemm_float_u8.csv"),
      onednn_answer<Way>("onednn_f32_s8.csv"),
      pair_answer<Way, q::ruy::reference>("ruy_reference_i32.csv", "exponent"),
      ruy_x86_answer<Way>("ruy_x86_simd_i16.csv"),
      pair_answer<Way, tflite::avx2>("tflite_avx2_i32.csv"),
      pair_answer<Way, tflite::double_rounding>("tflite_double_i32.csv"),
      pair_answer<Way, tflite::double_rounding>("tflite_double_i32_negative_multiplier.csv"),
      pair_answer<Way, tflite::double_rounding>("tflite_double_i32_preshift_wraps.csv", "shift", "observed"),
      tflite_fully_connected_answer<Way>("tflite_fc_perchannel_double_scale_i16.csv"),
      pair_answer<Way, tflite::neon_double_rounding>("tflite_neon_double_i32.csv"),
      pair_answer<Way, tflite::neon_single_rounding>("tflite_neon_single_i32.csv"),
      reduced_pair_answer<Way, tflite::reduced_int64>("tflite_reduced_i64.csv", {"expected"}),
      pair_answer<Way, tflite::single_rounding>("tflite_single_i32.csv"),
      apply_scale_answer<Way, tosa::scale16>("tosa_apply_scale_16.csv"),
      apply_scale_answer<Way, tosa::scale32_double_round>("tosa_apply_scale_32_double.csv"),
      apply_scale_answer<Way, tosa::scale32>("tosa_apply_scale_32_single.csv"),
      xnnpack_answer<Way, xnnpack::fp32, std::int8_t>("xnnpack_qs8_fp32.csv"),
      xnnpack_answer<Way, xnnpack::gemmlowp, std::int8_t>("xnnpack_qs8_gemmlowp_removed.csv"),
      xnnpack_answer<Way, xnnpack::rndna, std::int8_t>("xnnpack_qs8_rndna_removed.csv"),
      xnnpack_answer<Way, xnnpack::rndnu, std::int8_t>("xnnpack_qs8_rndnu.csv"),
      xnnpack_answer<Way, xnnpack::rndnu_neon, std::int8_t>("xnnpack_qs8_rndnu_neon.csv"),
      xnnpack_answer<Way, xnnpack::fp32, std::uint8_t>("xnnpack_qu8_fp32.csv"),
      xnnpack_answer<Way, xnnpack::rndnu, std::uint8_t>("xnnpack_qu8_rndnu.csv"),
      xnnpack_answer<Way, xnnpack::rndnu16, std::uint8_t>("xnnpack_qu8_rndnu16.csv"),
  };
}

inline std::vector<answer> cmsis_nn_answers() {
  return {
      {"cmsis_divide_by_power_of_two.csv",
       {"dividend", "exponent"},
       {"expected"},
       [](const row& r) -> values {
         return {text(q::cmsis_nn::divide_by_power_of_two(r.integer<std::int32_t>("dividend"), r.integer<int>("exponent")))};
       }},
      {"reduce_multiplier_q31_to_q15.csv",
       {"multiplier"},
       {"reduced"},
       [](const row& r) -> values {
         return {text(q::cmsis_nn::reduce({r.integer<std::int32_t>("multiplier"), 31}).mantissa)};
       }},
  };
}

/// Answers for the derivations from a real scale to a multiplier and its shift.
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

/// Answers for TensorFlow Lite and for the gemmlowp functions that it uses.
inline std::vector<answer> tflite_answers() {
  return {
      gemmlowp_divide_answer<std::int16_t>("gemmlowp_rounding_divide_by_pot_i16.csv"),
      gemmlowp_divide_answer<std::int32_t>("gemmlowp_rounding_divide_by_pot_i32.csv"),
      gemmlowp_high_mul_answer<std::int16_t>("gemmlowp_srdhm_i16.csv"),
      gemmlowp_high_mul_answer<std::int32_t>("gemmlowp_srdhm_i32.csv"),
  };
}

inline std::vector<std::string> tosa_inputs() {
  return {"in_type", "input_unsigned", "out_type",  "output_unsigned", "scale32", "rounding_mode",
          "value",   "input_zp",       "output_zp", "multiplier",      "shift"};
}

inline std::vector<answer> tosa_answers() {
  return {
      {"tosa_reciprocal_scale.csv",
       {"value"},
       {"multiplier", "shift"},
       [](const row& r) -> values {
         const q::multiplier32 m = q::tosa::reciprocal_scale(r.integer<std::uint32_t>("value")).value;
         return {text(m.mantissa), text(m.right_shift)};
       }},
      {"tosa_rescale.csv", tosa_inputs(), {"status", "expected"}, tosa_rescale},
      {"tosa_rescale_inexact.csv", tosa_inputs(), {"fp32_reference", "allowed_min", "allowed_max"}, tosa_rescale_inexact},
  };
}

inline std::vector<answer> xnnpack_answers() {
  return {
      {"xnnpack_qs8_vadd.csv",
       {"a", "a_scale_hex", "a_zero_point", "b", "b_scale_hex", "b_zero_point", "output_scale_hex", "output_zero_point"},
       {"a_multiplier", "b_multiplier", "shift", "expected"},
       xnnpack_add},
      {"xnnpack_qs8_vcvt.csv",
       {"input", "input_scale_hex", "input_zero_point", "output_scale_hex", "output_zero_point"},
       {"multiplier", "expected"},
       xnnpack_convert},
  };
}

/// Answers for a bias that is added after a rescale.
inline std::vector<answer> other_answers() {
  return {
      {"executorch_arm_a16w8_bias_after_int32.csv",
       {"acc", "bias", "bias_scale_hex", "output_scale_hex"},
       {"status", "multiplier", "shift", "expected"},
       bias_after_int32},
  };
}

/// Answers for all files.
inline std::vector<answer> answers() {
  std::vector<answer> all;
  for (const auto& part : {lane_answers<by_scheme>, cmsis_nn_answers, derivation_answers, tflite_answers, tosa_answers,
                           xnnpack_answers, other_answers})
    for (answer& a : part()) all.push_back(std::move(a));
  return all;
}

}  // namespace golden

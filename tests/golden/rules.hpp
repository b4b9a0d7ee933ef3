#pragma once
// For each golden file: its columns, and how the library answers a row.

#include <dyadic/scale.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/ruy.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/tosa_rescale.hpp>
#include <dyadic/scheme/vela.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include "driver.hpp"

namespace golden {

namespace q = dyadic;

template <class T>
std::string str(T value) {
  return std::to_string(static_cast<long long>(value));
}

/// A publisher's left-positive shift of a Q31 or Q15 mantissa.
inline std::string left_shift(std::int32_t mantissa_bits, std::int32_t right_shift) { return str(mantissa_bits - right_shift); }

/// A scheme whose multiplier is a TFLite pair.
template <class Scheme>
rule pair_rule(const std::string& file, const std::string& shift = "shift", const std::string& expected = "expected") {
  return {file, {"acc", "multiplier", shift}, {expected}, [shift](const row& r) -> values {
            const q::multiplier32 m = q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>(shift));
            return {str(Scheme::apply(r.integer<std::int32_t>("acc"), m))};
          }};
}

/// TOSA's apply_scale: 0 and require_failed where the data are outside what it requires.
template <class Scheme>
rule apply_scale_rule(const std::string& file) {
  return {file, {"value", "multiplier", "shift"}, {"require_failed", "expected"}, [](const row& r) -> values {
            using mantissa = typename Scheme::multiplier_type::mantissa_type;
            const typename Scheme::multiplier_type m{r.integer<mantissa>("multiplier"), r.integer<std::int32_t>("shift")};
            const auto value = r.integer<typename Scheme::accumulator>("value");
            if (!Scheme::valid(value, m)) return {"1", "0"};
            return {"0", str(Scheme::apply(value, m))};
          }};
}

/// An XNNPACK scheme with a binary32 scale, a zero point and bounds.
template <class Scheme>
rule xnnpack_rule(const std::string& file) {
  return {file, {"acc", "scale_hex", "zero_point", "min", "max"}, {"expected"}, [](const row& r) -> values {
            const auto m = Scheme::derive(r.real32("scale_hex"));
            const q::output_range range{r.integer<std::int32_t>("zero_point"), r.integer<std::int32_t>("min"), r.integer<std::int32_t>("max")};
            if (m.status != q::status::ok || !Scheme::valid(m.value)) return {q::to_string(m.status)};
            return {str(q::requantize<Scheme>(r.integer<std::int32_t>("acc"), m.value, range))};
          }};
}

/// A derivation from a binary64 scale to a mantissa and a left-positive shift.
template <class Derive>
rule derive_left_rule(const std::string& file, Derive derive) {
  return {file, {"scale_hex"}, {"multiplier", "shift"}, [derive](const row& r) -> values {
            const q::multiplier32 m = derive(r.real("scale_hex")).value;
            return {str(m.mantissa), left_shift(31, m.right_shift)};
          }};
}

/// A derivation to a mantissa and a right-positive shift.
template <class Derive>
rule derive_right_rule(const std::string& file, Derive derive, const std::string& shift = "shift") {
  return {file, {"scale_hex"}, {"multiplier", shift}, [derive](const row& r) -> values {
            const auto m = derive(r.real("scale_hex")).value;
            return {str(m.mantissa), str(m.right_shift)};
          }};
}

template <class T>
rule gemmlowp_high_mul_rule(const std::string& file) {
  return {file, {"a", "b"}, {"expected"}, [](const row& r) -> values {
            return {str(q::gemmlowp::saturating_rounding_doubling_high_mul(r.integer<T>("a"), r.integer<T>("b")))};
          }};
}

template <class T>
rule gemmlowp_divide_rule(const std::string& file) {
  return {file, {"x", "exponent"}, {"expected"}, [](const row& r) -> values {
            return {str(q::gemmlowp::rounding_divide_by_pot(r.integer<T>("x"), r.integer<int>("exponent")))};
          }};
}

template <class Y>
rule fbgemm_float_rule(const std::string& file) {
  return {file, {"acc", "zero_point", "multiplier_hex"}, {"expected"}, [](const row& r) -> values {
            const q::output_range range = q::range_of<Y>(r.integer<std::int32_t>("zero_point"));
            return {str(q::requantize<q::fbgemm::floating>(r.integer<std::int32_t>("acc"), r.real32("multiplier_hex"), range))};
          }};
}

inline q::tosa::element element_of(const std::string& name) {
  if (name == "i8") return q::tosa::element::i8;
  if (name == "i16") return q::tosa::element::i16;
  if (name == "i32") return q::tosa::element::i32;
  if (name == "i48") return q::tosa::element::i48;
  throw std::runtime_error("unknown type " + name);
}

inline q::tosa::rounding_mode rounding_of(const std::string& name) {
  if (name == "SINGLE") return q::tosa::rounding_mode::single_round;
  if (name == "DOUBLE") return q::tosa::rounding_mode::double_round;
  if (name == "INEXACT") return q::tosa::rounding_mode::inexact_round;
  throw std::runtime_error("unknown rounding mode " + name);
}

inline q::tosa::rescale_attributes attributes_of(const row& r) {
  q::tosa::rescale_attributes a{};
  a.input = element_of(r.text("in_type"));
  a.output = element_of(r.text("out_type"));
  a.input_unsigned = r.integer("input_unsigned") != 0;
  a.output_unsigned = r.integer("output_unsigned") != 0;
  a.scale32 = r.integer("scale32") != 0;
  a.rounding = rounding_of(r.text("rounding_mode"));
  a.input_zero_point = r.integer("input_zp");
  a.output_zero_point = r.integer("output_zp");
  return a;
}

inline q::multiplier32 tosa_multiplier(const row& r) {
  return {r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("shift")};
}

inline std::string tosa_status(q::status s) {
  if (s == q::status::ok) return "ok";
  if (s == q::status::illegal_operator) return "error_if";
  if (s == q::status::unpredictable) return "require";
  return q::to_string(s);
}

inline values tosa_rescale(const row& r) {
  const auto y = q::tosa::rescale(attributes_of(r), r.integer("value"), tosa_multiplier(r));
  return {tosa_status(y.status), str(y.value)};
}

inline values tosa_rescale_inexact(const row& r) {
  const auto y = q::tosa::rescale_inexact(attributes_of(r), r.integer("value"), tosa_multiplier(r));
  if (y.status != q::status::ok) return {q::to_string(y.status), "", ""};
  return {str(y.value.reference), str(y.value.min), str(y.value.max)};
}

/// One accumulator through three engines.
inline values a16w8(const row& r) {
  const auto acc = r.integer("acc");
  const double scale = r.real("scale_hex");
  const q::multiplier16 tosa = q::tosa::scale16::derive(scale).value;
  const bool legal = q::tosa::scale16::valid(acc, tosa);
  const q::multiplier32 q31 = q::tflite::double_rounding::derive(scale).value;
  const q::multiplier16 reduced = q::tflite::reduce(q31);
  const auto range = q::range_of<std::int16_t>();
  return {str(tosa.mantissa),
          str(tosa.right_shift),
          legal ? "ok" : "require",
          legal ? str(q::requantize<q::tosa::scale16>(acc, tosa, range)) : "0",
          str(q31.mantissa),
          left_shift(31, q31.right_shift),
          str(q::requantize<q::tflite::reduced_int64>(acc, reduced, range)),
          str(q::requantize<q::cmsis_nn::requantize_s64>(acc, reduced, range))};
}

inline values bias_after_int32(const row& r) {
  const auto y = q::executorch::arm::bias_after_int32(r.integer("acc"), r.integer<std::int32_t>("bias"), r.real("bias_scale_hex"),
                                                      r.real("output_scale_hex"));
  return {tosa_status(y.status), str(y.value.multiplier.mantissa), str(y.value.multiplier.right_shift), str(y.value.value)};
}

inline values onednn_f32(const row& r) {
  const auto m = q::onednn::f32::derive(r.real32("src_scale_hex"), r.real32("wei_scale_hex"), r.real32("dst_scale_hex"));
  const q::output_range range = q::range_of<std::int8_t>(r.integer<std::int32_t>("dst_zero_point"));
  return {str(q::requantize<q::onednn::f32>(r.integer<std::int32_t>("acc"), m.value, range))};
}

inline values tflite_fully_connected(const row& r) {
  const q::binary64 scale = q::double_product_scale(r.real("input_scale_hex"), r.real("filter_scale_hex"), r.real("output_scale_hex"));
  const q::output_range range = q::range_of<std::int16_t>(r.integer<std::int32_t>("output_zero_point"));
  return {str(q::requantize<q::tflite::double_scale<std::int64_t>>(r.integer("acc"), scale, range))};
}

inline values tflite_scale_products(const row& r) {
  const float input = r.real32("input_scale_hex");
  const float filter = r.real32("filter_scale_hex");
  const float output = r.real32("output_scale_hex");
  const auto tensor = q::tflite::double_rounding::derive(q::float_product_scale(input, filter, output)).value;
  const auto channel = q::tflite::double_rounding::derive(q::double_product_scale(input, filter, output)).value;
  return {str(tensor.mantissa), left_shift(31, tensor.right_shift), str(channel.mantissa), left_shift(31, channel.right_shift)};
}

inline values xnnpack_convert(const row& r) {
  const auto c = q::xnnpack::convert::derive(r.real32("input_scale_hex"), r.integer<std::int32_t>("input_zero_point"),
                                             r.real32("output_scale_hex"), r.integer<std::int32_t>("output_zero_point"));
  return {str(c.value.ratio.mantissa), str(c.value(r.integer<std::int8_t>("input")))};
}

inline values xnnpack_add(const row& r) {
  const auto add = q::xnnpack::add::derive(r.real32("a_scale_hex"), r.integer<std::int32_t>("a_zero_point"), r.real32("b_scale_hex"),
                                           r.integer<std::int32_t>("b_zero_point"), r.real32("output_scale_hex"),
                                           q::range_of<std::int8_t>(r.integer<std::int32_t>("output_zero_point")));
  return {str(add.value.a_mantissa), str(add.value.b_mantissa), str(add.value.right_shift),
          str(add.value(r.integer<std::int8_t>("a"), r.integer<std::int8_t>("b")))};
}

/// A 16-bit multiplier made from a TFLite pair.
inline q::multiplier16 reduced_pair(const row& r) {
  return q::tflite::reduce(q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("shift")));
}

/// All files, in alphabetical order.
inline std::vector<rule> rules() {
  const std::vector<std::string> tosa_inputs{"in_type", "input_unsigned", "out_type",  "output_unsigned", "scale32", "rounding_mode",
                                             "value",   "input_zp",       "output_zp", "multiplier",      "shift"};
  return {
      {"a16w8_int48_to_i16.csv",
       {"acc", "scale_hex"},
       {"tosa_multiplier", "tosa_shift", "tosa_status", "tosa_expected", "tflite_multiplier", "tflite_shift", "tflite_expected",
        "cmsis_s64_expected"},
       a16w8},
      {"cmsis_divide_by_power_of_two.csv",
       {"dividend", "exponent"},
       {"expected"},
       [](const row& r) -> values {
         return {str(q::cmsis_nn::divide_by_power_of_two(r.integer<std::int32_t>("dividend"), r.integer<int>("exponent")))};
       }},
      pair_rule<q::cmsis_nn::double_rounding>("cmsis_double_i32.csv"),
      pair_rule<q::cmsis_nn::mve_double_rounding>("cmsis_mve_double_i32.csv"),
      pair_rule<q::cmsis_nn::mve_single_rounding>("cmsis_mve_single_i32.csv"),
      pair_rule<q::cmsis_nn::mve_single_rounding>("cmsis_mve_single_i32_preshift_wraps.csv", "shift", "observed"),
      pair_rule<q::cmsis_nn::mve_predicated_single_rounding>("cmsis_mve_single_predicated_i32.csv"),
      {"cmsis_requantize_s64.csv",
       {"acc", "multiplier", "shift"},
       {"reduced_multiplier", "expected"},
       [](const row& r) -> values {
         const q::multiplier16 m = reduced_pair(r);
         return {str(m.mantissa), str(q::cmsis_nn::requantize_s64::apply(r.integer("acc"), m))};
       }},
      pair_rule<q::cmsis_nn::single_rounding>("cmsis_single_i32.csv"),
      derive_right_rule("derive_executorch_arm_tosa16.csv", [](double s) { return q::executorch::arm::scale16::derive(s); }),
      derive_right_rule("derive_executorch_arm_tosa32.csv", [](double s) { return q::executorch::arm::scale32::derive(s); }),
      derive_left_rule("derive_executorch_cadence.csv", [](double s) { return q::executorch::cadence::derive(static_cast<float>(s)); }),
      derive_left_rule("derive_executorch_cortex_m.csv", [](double s) { return q::executorch::cortex_m::derive(s); }),
      derive_right_rule(
          "derive_fbgemm_fixed.csv", [](double s) { return q::fbgemm::fixed::derive(static_cast<float>(s)); }, "right_shift"),
      {"derive_tflite_conv_scale_product.csv",
       {"input_scale_hex", "filter_scale_hex", "output_scale_hex"},
       {"per_tensor_multiplier", "per_tensor_shift", "per_channel_multiplier", "per_channel_shift"},
       tflite_scale_products},
      derive_left_rule("derive_tflite_double.csv", [](double s) { return q::tflite::double_rounding::derive(s); }),
      derive_left_rule("derive_tflite_emulate_float.csv", [](double s) { return q::tflite::derive_emulate_float(s); }),
      derive_left_rule("derive_tflite_single.csv", [](double s) { return q::tflite::single_rounding::derive(s); }),
      derive_right_rule("derive_vela_reduced_int16.csv", [](double s) { return q::vela::derive_reduced_int16(s); }),
      derive_right_rule("derive_vela_scale32.csv", [](double s) { return q::vela::derive_scale32(s); }),
      derive_right_rule(
          "derive_xnnpack_rndnu.csv", [](double s) { return q::xnnpack::rndnu::derive(static_cast<float>(s)); }, "right_shift"),
      {"derive_xnnpack_rndnu16.csv",
       {"scale_hex"},
       {"multiplier", "left_pre_shift"},
       [](const row& r) -> values {
         const q::multiplier16 m = q::xnnpack::rndnu16::derive(r.real32("scale_hex")).value;
         return {str(m.mantissa), left_shift(15, m.right_shift)};
       }},
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
         return {str(q::requantize<q::fbgemm::fixed>(r.integer<std::int32_t>("acc"), m, range))};
       }},
      fbgemm_float_rule<std::int8_t>("fbgemm_float_s8.csv"),
      fbgemm_float_rule<std::uint8_t>("fbgemm_float_u8.csv"),
      gemmlowp_divide_rule<std::int16_t>("gemmlowp_rounding_divide_by_pot_i16.csv"),
      gemmlowp_divide_rule<std::int32_t>("gemmlowp_rounding_divide_by_pot_i32.csv"),
      gemmlowp_high_mul_rule<std::int16_t>("gemmlowp_srdhm_i16.csv"),
      gemmlowp_high_mul_rule<std::int32_t>("gemmlowp_srdhm_i32.csv"),
      {"onednn_f32_s8.csv",
       {"acc", "src_scale_hex", "wei_scale_hex", "dst_scale_hex", "dst_zero_point"},
       {"expected"},
       onednn_f32},
      {"reduce_multiplier_q31_to_q15.csv",
       {"multiplier"},
       {"reduced"},
       [](const row& r) -> values { return {str(q::cmsis_nn::reduce({r.integer<std::int32_t>("multiplier"), 31}).mantissa)}; }},
      pair_rule<q::ruy::reference>("ruy_reference_i32.csv", "exponent"),
      {"ruy_x86_simd_i16.csv",
       {"acc", "multiplier", "exponent"},
       {"expected"},
       [](const row& r) -> values {
         const q::multiplier32 m = q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("exponent"));
         return {str(q::requantize<q::ruy::x86_simd>(r.integer<std::int32_t>("acc"), m, q::range_of<std::int16_t>()))};
       }},
      pair_rule<q::tflite::avx2>("tflite_avx2_i32.csv"),
      pair_rule<q::tflite::double_rounding>("tflite_double_i32.csv"),
      pair_rule<q::tflite::double_rounding>("tflite_double_i32_negative_multiplier.csv"),
      pair_rule<q::tflite::double_rounding>("tflite_double_i32_preshift_wraps.csv", "shift", "observed"),
      {"tflite_fc_perchannel_double_scale_i16.csv",
       {"acc", "input_scale_hex", "filter_scale_hex", "output_scale_hex", "output_zero_point"},
       {"expected"},
       tflite_fully_connected},
      pair_rule<q::tflite::neon_double_rounding>("tflite_neon_double_i32.csv"),
      pair_rule<q::tflite::neon_single_rounding>("tflite_neon_single_i32.csv"),
      {"tflite_reduced_i64.csv",
       {"acc", "multiplier", "shift"},
       {"expected"},
       [](const row& r) -> values { return {str(q::tflite::reduced_int64::apply(r.integer("acc"), reduced_pair(r)))}; }},
      pair_rule<q::tflite::single_rounding>("tflite_single_i32.csv"),
      apply_scale_rule<q::tosa::scale16>("tosa_apply_scale_16.csv"),
      apply_scale_rule<q::tosa::scale32_double_round>("tosa_apply_scale_32_double.csv"),
      apply_scale_rule<q::tosa::scale32>("tosa_apply_scale_32_single.csv"),
      {"tosa_reciprocal_scale.csv",
       {"value"},
       {"multiplier", "shift"},
       [](const row& r) -> values {
         const q::multiplier32 m = q::tosa::reciprocal_scale(r.integer<std::uint32_t>("value")).value;
         return {str(m.mantissa), str(m.right_shift)};
       }},
      {"tosa_rescale.csv", tosa_inputs, {"status", "expected"}, tosa_rescale},
      {"tosa_rescale_inexact.csv", tosa_inputs, {"fp32_reference", "allowed_min", "allowed_max"}, tosa_rescale_inexact},
      xnnpack_rule<q::xnnpack::fp32>("xnnpack_qs8_fp32.csv"),
      xnnpack_rule<q::xnnpack::gemmlowp>("xnnpack_qs8_gemmlowp_removed.csv"),
      xnnpack_rule<q::xnnpack::rndna>("xnnpack_qs8_rndna_removed.csv"),
      xnnpack_rule<q::xnnpack::rndnu>("xnnpack_qs8_rndnu.csv"),
      xnnpack_rule<q::xnnpack::rndnu_neon>("xnnpack_qs8_rndnu_neon.csv"),
      {"xnnpack_qs8_vadd.csv",
       {"a", "a_scale_hex", "a_zero_point", "b", "b_scale_hex", "b_zero_point", "output_scale_hex", "output_zero_point"},
       {"a_multiplier", "b_multiplier", "shift", "expected"},
       xnnpack_add},
      {"xnnpack_qs8_vcvt.csv",
       {"input", "input_scale_hex", "input_zero_point", "output_scale_hex", "output_zero_point"},
       {"multiplier", "expected"},
       xnnpack_convert},
      xnnpack_rule<q::xnnpack::fp32>("xnnpack_qu8_fp32.csv"),
      xnnpack_rule<q::xnnpack::rndnu>("xnnpack_qu8_rndnu.csv"),
      xnnpack_rule<q::xnnpack::rndnu16>("xnnpack_qu8_rndnu16.csv"),
  };
}

}  // namespace golden

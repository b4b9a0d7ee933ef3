#pragma once
// Answers a row with the library, for each kind of file.

#include <dyadic/decomposed.hpp>
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

/// Returns a publisher's left-positive shift of a Q31 or Q15 mantissa.
inline std::string left_shift(std::int32_t mantissa_bits, std::int32_t right_shift) { return text(mantissa_bits - right_shift); }

/// Rescales one number of a row by the scheme itself. The answers below take a template parameter `Way`: this class, or a class
/// with a `rescaler<Scheme, Y>` of its own for outputs Y.
struct by_scheme {
  template <class Scheme, class Y = std::int32_t>
  struct rescaler {
    using accumulator = typename Scheme::accumulator;
    using multiplier = typename Scheme::multiplier_type;
    std::int64_t apply(accumulator acc, multiplier m) { return Scheme::apply(acc, m); }
    std::int64_t requantize(accumulator acc, multiplier m, q::output_range range) { return q::requantize<Scheme>(acc, m, range); }
  };
};

/// Answers for a scheme whose multiplier is a TFLite pair.
template <class Way, class Scheme>
answer pair_answer(const std::string& file, const std::string& shift = "shift", const std::string& expected = "expected") {
  typename Way::template rescaler<Scheme> rescaler;
  return {file, {"acc", "multiplier", shift}, {expected}, [shift, rescaler](const row& r) mutable -> values {
            const q::multiplier32 m = q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>(shift));
            return {text(rescaler.apply(r.integer<std::int32_t>("acc"), m))};
          }};
}

/// Returns a 16-bit multiplier made from a TFLite pair.
inline q::multiplier16 reduced_pair(const row& r) {
  return q::tflite::reduce(q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("shift")));
}

/// Answers for a scheme whose 16-bit multiplier is reduced from a TFLite pair. The first output may be its mantissa.
template <class Way, class Scheme>
answer reduced_pair_answer(const std::string& file, const std::vector<std::string>& outputs) {
  typename Way::template rescaler<Scheme> rescaler;
  return {file, {"acc", "multiplier", "shift"}, outputs, [rescaler, shows_mantissa = outputs.size() == 2](const row& r) mutable {
            const q::multiplier16 m = reduced_pair(r);
            const std::string y = text(rescaler.apply(r.integer("acc"), m));
            return shows_mantissa ? values{text(m.mantissa), y} : values{y};
          }};
}

/// Answers for TOSA's apply_scale: 0 and require_failed if the data break a requirement.
template <class Way, class Scheme>
answer apply_scale_answer(const std::string& file) {
  typename Way::template rescaler<Scheme> rescaler;
  return {file, {"value", "multiplier", "shift"}, {"require_failed", "expected"}, [rescaler](const row& r) mutable -> values {
            using mantissa = typename Scheme::multiplier_type::mantissa_type;
            const auto multiplier = r.integer<std::int32_t>("multiplier");
            const typename Scheme::multiplier_type m{static_cast<mantissa>(multiplier), r.integer<std::int32_t>("shift")};
            const auto value = r.integer<typename Scheme::accumulator>("value");
            if (m.mantissa != multiplier || !Scheme::valid(value, m)) return {"1", "0"};
            return {"0", text(rescaler.apply(value, m))};
          }};
}

/// Answers for an XNNPACK scheme with a binary32 scale, a zero point and bounds.
template <class Way, class Scheme, class Y>
answer xnnpack_answer(const std::string& file) {
  typename Way::template rescaler<Scheme, Y> rescaler;
  return {file, {"acc", "scale_hex", "zero_point", "min", "max"}, {"expected"}, [rescaler](const row& r) mutable -> values {
            const auto m = Scheme::derive(r.real32("scale_hex"));
            const q::output_range range{r.integer<std::int32_t>("zero_point"), r.integer<std::int32_t>("min"),
                                        r.integer<std::int32_t>("max")};
            if (m.status != q::status::ok || !Scheme::valid(m.value)) return {q::to_string(m.status)};
            return {text(rescaler.requantize(r.integer<std::int32_t>("acc"), m.value, range))};
          }};
}

/// Answers for a derivation from a binary64 scale to a mantissa and a left-positive shift.
template <class Derive>
answer derive_left_answer(const std::string& file, Derive derive) {
  return {file, {"scale_hex"}, {"multiplier", "shift"}, [derive](const row& r) -> values {
            const q::multiplier32 m = derive(r.real("scale_hex")).value;
            return {text(m.mantissa), left_shift(31, m.right_shift)};
          }};
}

/// Answers for a derivation to a mantissa and a right-positive shift.
template <class Derive>
answer derive_right_answer(const std::string& file, Derive derive, const std::string& shift = "shift") {
  return {file, {"scale_hex"}, {"multiplier", shift}, [derive](const row& r) -> values {
            const auto m = derive(r.real("scale_hex")).value;
            return {text(m.mantissa), text(m.right_shift)};
          }};
}

template <class T>
answer gemmlowp_high_mul_answer(const std::string& file) {
  return {file, {"a", "b"}, {"expected"}, [](const row& r) -> values {
            return {text(q::gemmlowp::saturating_rounding_doubling_high_mul(r.integer<T>("a"), r.integer<T>("b")))};
          }};
}

template <class T>
answer gemmlowp_divide_answer(const std::string& file) {
  return {file, {"x", "exponent"}, {"expected"}, [](const row& r) -> values {
            return {text(q::gemmlowp::rounding_divide_by_pot(r.integer<T>("x"), r.integer<int>("exponent")))};
          }};
}

template <class Way, class Y>
answer fbgemm_float_answer(const std::string& file) {
  typename Way::template rescaler<q::fbgemm::floating, Y> rescaler;
  return {file, {"acc", "zero_point", "multiplier_hex"}, {"expected"}, [rescaler](const row& r) mutable -> values {
            const q::output_range range = q::range_of<Y>(r.integer<std::int32_t>("zero_point"));
            return {text(rescaler.requantize(r.integer<std::int32_t>("acc"), r.real32("multiplier_hex"), range))};
          }};
}

template <class Way>
answer fbgemm_fixed_answer(const std::string& file) {
  typename Way::template rescaler<q::fbgemm::fixed, std::uint8_t> rescaler;
  return {file, {"acc", "zero_point", "multiplier", "right_shift"}, {"expected"}, [rescaler](const row& r) mutable -> values {
            const q::multiplier32 m{r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("right_shift")};
            const q::output_range range = q::range_of<std::uint8_t>(r.integer<std::int32_t>("zero_point"));
            return {text(rescaler.requantize(r.integer<std::int32_t>("acc"), m, range))};
          }};
}

template <class Way>
answer ruy_x86_answer(const std::string& file) {
  typename Way::template rescaler<q::ruy::x86_simd, std::int16_t> rescaler;
  return {file, {"acc", "multiplier", "exponent"}, {"expected"}, [rescaler](const row& r) mutable -> values {
            const q::multiplier32 m =
                q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("exponent"));
            return {text(rescaler.requantize(r.integer<std::int32_t>("acc"), m, q::range_of<std::int16_t>()))};
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
  return {tosa_status(y.status), text(y.value)};
}

inline values tosa_rescale_inexact(const row& r) {
  const auto y = q::tosa::rescale_inexact(attributes_of(r), r.integer("value"), tosa_multiplier(r));
  if (y.status != q::status::ok) return {q::to_string(y.status), "", ""};
  return {text(y.value.reference), text(y.value.min), text(y.value.max)};
}

/// Answers for an accumulator that three engines rescale.
template <class Way>
answer a16w8_answer(const std::string& file) {
  typename Way::template rescaler<q::tosa::scale16, std::int16_t> by_tosa;
  typename Way::template rescaler<q::tflite::reduced_int64, std::int16_t> by_tflite;
  typename Way::template rescaler<q::cmsis_nn::requantize_s64, std::int16_t> by_cmsis;
  const std::vector<std::string> outputs{"tosa_multiplier",   "tosa_shift",   "tosa_status",     "tosa_expected",
                                         "tflite_multiplier", "tflite_shift", "tflite_expected", "cmsis_s64_expected"};
  return {file, {"acc", "scale_hex"}, outputs, [by_tosa, by_tflite, by_cmsis](const row& r) mutable -> values {
            const auto acc = r.integer("acc");
            const double scale = r.real("scale_hex");
            const q::multiplier16 tosa = q::tosa::scale16::derive(scale).value;
            const bool legal = q::tosa::scale16::valid(acc, tosa);
            const q::multiplier32 q31 = q::tflite::double_rounding::derive(scale).value;
            const q::multiplier16 reduced = q::tflite::reduce(q31);
            const auto range = q::range_of<std::int16_t>();
            return {text(tosa.mantissa),
                    text(tosa.right_shift),
                    legal ? "ok" : "require",
                    legal ? text(by_tosa.requantize(acc, tosa, range)) : "0",
                    text(q31.mantissa),
                    left_shift(31, q31.right_shift),
                    text(by_tflite.requantize(acc, reduced, range)),
                    text(by_cmsis.requantize(acc, reduced, range))};
          }};
}

inline values bias_after_int32(const row& r) {
  const auto rule = q::decomposed::clipped_to_int32::derive(r.integer<std::int32_t>("bias"), r.real("bias_scale_hex"),
                                                            r.real("output_scale_hex"));
  if (rule.status != q::status::ok) return {q::to_string(rule.status), "0", "0", "0"};
  const auto acc = r.integer("acc");
  if (!rule.value.valid(acc)) return {"require", "0", "0", "0"};
  const q::multiplier32 m = rule.value.multiplier;
  return {"ok", text(m.mantissa), text(m.right_shift), text(rule.value(acc))};
}

template <class Way>
answer onednn_answer(const std::string& file) {
  typename Way::template rescaler<q::onednn::f32, std::int8_t> rescaler;
  const std::vector<std::string> inputs = {"acc", "src_scale_hex", "wei_scale_hex", "dst_scale_hex", "dst_zero_point"};
  return {file, inputs, {"expected"}, [rescaler](const row& r) mutable -> values {
            const auto m =
                q::onednn::f32::derive(r.real32("src_scale_hex"), r.real32("wei_scale_hex"), r.real32("dst_scale_hex"));
            const q::output_range range = q::range_of<std::int8_t>(r.integer<std::int32_t>("dst_zero_point"));
            return {text(rescaler.requantize(r.integer<std::int32_t>("acc"), m.value, range))};
          }};
}

template <class Way>
answer tflite_fully_connected_answer(const std::string& file) {
  typename Way::template rescaler<q::tflite::double_scale<std::int64_t>, std::int16_t> rescaler;
  const std::vector<std::string> inputs = {"acc", "input_scale_hex", "filter_scale_hex", "output_scale_hex", "output_zero_point"};
  return {file, inputs, {"expected"}, [rescaler](const row& r) mutable -> values {
            const q::binary64 scale =
                q::double_product_scale(r.real("input_scale_hex"), r.real("filter_scale_hex"), r.real("output_scale_hex"));
            const q::output_range range = q::range_of<std::int16_t>(r.integer<std::int32_t>("output_zero_point"));
            return {text(rescaler.requantize(r.integer("acc"), scale, range))};
          }};
}

inline values tflite_scale_products(const row& r) {
  const float input = r.real32("input_scale_hex");
  const float filter = r.real32("filter_scale_hex");
  const float output = r.real32("output_scale_hex");
  const auto tensor = q::tflite::double_rounding::derive(q::float_product_scale(input, filter, output)).value;
  const auto channel = q::tflite::double_rounding::derive(q::double_product_scale(input, filter, output)).value;
  return {text(tensor.mantissa), left_shift(31, tensor.right_shift), text(channel.mantissa), left_shift(31, channel.right_shift)};
}

inline values xnnpack_convert(const row& r) {
  const auto c = q::xnnpack::convert::derive(r.real32("input_scale_hex"), r.integer<std::int32_t>("input_zero_point"),
                                             r.real32("output_scale_hex"), r.integer<std::int32_t>("output_zero_point"));
  return {text(c.value.ratio.mantissa), text(c.value(r.integer<std::int8_t>("input")))};
}

inline values xnnpack_add(const row& r) {
  const auto add =
      q::xnnpack::add::derive(r.real32("a_scale_hex"), r.integer<std::int32_t>("a_zero_point"), r.real32("b_scale_hex"),
                              r.integer<std::int32_t>("b_zero_point"), r.real32("output_scale_hex"),
                              q::range_of<std::int8_t>(r.integer<std::int32_t>("output_zero_point")));
  return {text(add.value.a_mantissa), text(add.value.b_mantissa), text(add.value.right_shift),
          text(add.value(r.integer<std::int8_t>("a"), r.integer<std::int8_t>("b")))};
}

}  // namespace golden

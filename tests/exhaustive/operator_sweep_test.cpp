// Operators that are more than a rule from accumulator to output, against the oracle.
// They are XNNPACK's two operators, ONNX, ExecuTorch, and int48 in three engines.

#include <dyadic/decomposed.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include "edges.hpp"
#include "tally.hpp"

using namespace sweep;

TEST_CASE("XNNPACK's conversion equals the oracle for each input") {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(4000); ++i) {
    const auto ratio = to_float(random_real(random, 24, -10, 8));
    const bool tie = random.one_in(4);  // 256 times the ratio is an integer and a half
    const float output_scale =
        tie ? to_float(std::ldexp(1.0, static_cast<int>(random.between(-20, 10)))) : to_float(random_real(random, 24, -20, 10));
    const float input_scale = output_scale * (tie ? (static_cast<float>(random.between(0, 33000)) + 0.5f) / 256 : ratio);
    const auto zero_point = [&] { return static_cast<std::int32_t>(random.between(-128, 127)); };
    const std::int32_t input_zp = zero_point(), output_zp = zero_point();
    const auto c = q::xnnpack::convert::derive(input_scale, input_zp, output_scale, output_zp);
    const oracle::real exact =
        oracle::fl32(oracle::quotient(oracle::from_float(input_scale), oracle::from_float(output_scale), 24));
    const double fl32_ratio = oracle::to_double(exact);
    const bool legal = fl32_ratio >= 0x1p-8 && fl32_ratio <= 128;
    const auto where = [&] {
      return text("input scale %a", static_cast<double>(input_scale)) +
             text(" output scale %a", static_cast<double>(output_scale)) + " zero points " + text(input_zp) + " " +
             text(output_zp);
    };
    t.check(ok(c.status) == legal, where);
    if (!legal) continue;
    for (int x = -128; x <= 127; ++x) {
      const oracle::xnnpack_converted expected = oracle::xnnpack_qs8_vcvt(x, input_scale, input_zp, output_scale, output_zp);
      t.check(c.value.ratio.mantissa == expected.multiplier && c.value(static_cast<std::int8_t>(x)) == expected.value,
              [&] { return where() + " x " + text(x); });
    }
  }
  t.finish("XNNPACK conversions");
}

TEST_CASE("XNNPACK's addition equals the oracle") {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(20000); ++i) {
    const auto scale = [&](int low, int high) { return to_float(random_real(random, random.one_in(3) ? 8 : 24, low, high)); };
    const float output_scale = scale(-6, 6);
    const float a_scale = scale(-14, 12), b_scale = scale(-14, 12);
    const auto int8 = [&] {
      return static_cast<std::int32_t>(random.one_in(8) ? -128 : random.one_in(8) ? 127 : random.between(-128, 127));
    };
    const std::int32_t a_zp = int8(), b_zp = int8(), output_zp = int8();
    const auto add = q::xnnpack::add::derive(a_scale, a_zp, b_scale, b_zp, output_scale, int8_range(output_zp));
    const auto where = [&] {
      return text("a %a", static_cast<double>(a_scale)) + text(" b %a", static_cast<double>(b_scale)) +
             text(" output %a", static_cast<double>(output_scale)) + " zero points " + text(a_zp) + " " + text(b_zp) + " " +
             text(output_zp);
    };
    for (int k = 0; k < 50; ++k) {
      const std::int32_t a = int8(), b = int8();
      const oracle::xnnpack_added expected =
          oracle::xnnpack_qs8_vadd(a, a_scale, a_zp, b, b_scale, b_zp, output_scale, output_zp);
      const bool legal = expected.shift >= 12 && expected.shift <= 30;
      if (!legal) {
        t.check(!ok(add.status), where);
        break;
      }
      // XNNPACK asserts that both ratios are in range. Outside of the range its parameters are computed in the same steps.
      const float a_ratio = a_scale / output_scale, b_ratio = b_scale / output_scale;
      const bool asserted = a_ratio >= 0x1p-10f && a_ratio < 0x1p8f && b_ratio >= 0x1p-10f && b_ratio < 0x1p8f;
      t.check(ok(add.status) == asserted && add.value.a_mantissa == expected.a_multiplier &&
                  add.value.b_mantissa == expected.b_multiplier && add.value.right_shift == expected.shift &&
                  add.value(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)) == expected.value,
              [&] { return where() + " x " + text(a) + " " + text(b); });
    }
  }
  t.finish("XNNPACK additions");
}

TEST_CASE("ONNX quantizes by its text and by its reference evaluator") {
  generator random;
  tally t;
  std::uint64_t apart = 0;
  for (int i = 0; i < scaled_count(1000000); ++i) {
    const auto y_scale = to_float(random_real(random, random.one_in(2) ? 3 : 24, -12, 6));
    float x = to_float(random_real(random, random.one_in(2) ? 8 : 24, -20, 20));
    if (random.one_in(2)) x = (static_cast<float>(random.between(-300, 300)) + 0.5f) * y_scale;
    if (random.one_in(64)) x = 0;
    if (random.one_in(256)) x = std::numeric_limits<float>::infinity();
    if (random.one_in(2)) x = -x;
    const q::output_range range = random_range(random, widest::int16);
    const auto where = [&] {
      return text("x %a", static_cast<double>(x)) + text(" scale %a", static_cast<double>(y_scale)) + " zero point " +
             text(range.zero_point);
    };
    const std::int32_t by_text = oracle::onnx_quantize_linear(x, y_scale, range.zero_point, range.min, range.max);
    const std::int32_t reference = oracle::onnx_quantize_linear_reference(x, y_scale, range.zero_point, range.min, range.max);
    apart += by_text != reference ? 1u : 0u;
    t.check(q::onnx::quantize_linear(x, y_scale, range) == by_text, where);
    t.check(q::onnx::quantize_linear_reference(x, y_scale, range) == reference, where);
  }
  t.finish("ONNX quantizations");
  CHECK(apart > 0);
}

TEST_CASE("ExecuTorch's bias after int32 equals the oracle") {
  generator random;
  tally t;
  std::uint64_t results = 0;
  for (int i = 0; i < scaled_count(500000); ++i) {
    const std::int64_t acc = random.one_in(64)   ? lowest64
                             : random.one_in(64) ? highest64
                             : random.one_in(16) ? random_acc(random, lowest64, highest64)
                                                 : random_acc(random, lowest32, highest32);
    const auto bias = static_cast<std::int32_t>(random_acc(random, lowest32, highest32));
    const double bias_scale = random.one_in(64) ? 0.0 : random_real(random, 24, -40, 4);
    const double output_scale = random_real(random, 24, -40, 4);
    const auto rule = q::decomposed::clipped_to_int32::derive(bias, bias_scale, output_scale);
    const bool defined = ok(rule.status) && rule.value.valid(acc);
    const q::multiplier32 m = defined ? rule.value.multiplier : q::multiplier32{};
    const int y = defined ? rule.value(acc) : 0;
    const oracle::a16w8_bias_after expected = oracle::executorch_arm_a16w8_bias_after_int32(acc, bias, bias_scale, output_scale);
    results += defined ? 1u : 0u;
    t.check(defined == (expected.status == oracle::tosa_status::ok) && y == expected.value && m.mantissa == expected.multiplier &&
                m.right_shift == expected.shift,
            [&] {
              return "acc " + text(acc) + " bias " + text(bias) + text(" bias scale %a", bias_scale) +
                     text(" output scale %a", output_scale) + ": got " + text(y) + (defined ? " ok" : " undefined") +
                     ", expected " + text(expected.value);
            });
  }
  t.finish("biases after int32");
  CHECK(results > 0);
}

TEST_CASE("one int48 accumulator through three engines equals the oracle") {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(500000); ++i) {
    const std::int64_t acc = random_acc(random, -(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1);
    const double scale = random_real(random, random.one_in(4) ? 17 : 53, -31, 6);
    const oracle::a16w8_engines expected = oracle::a16w8_int48_to_i16(acc, scale);
    const auto where = [&] { return "acc " + text(acc) + text(" scale %a", scale); };
    const auto tosa = q::tosa::scale16::derive(scale);
    const bool legal = q::tosa::scale16::valid(acc, tosa.value);
    const q::output_range range = q::range_of<std::int16_t>();
    t.check(tosa.value.mantissa == expected.tosa.multiplier && tosa.value.right_shift == expected.tosa.shift, where);
    t.check(legal == (expected.tosa_result.status == oracle::tosa_status::ok) &&
                (!legal || q::requantize<q::tosa::scale16>(acc, tosa.value, range) == expected.tosa_result.value),
            where);
    const q::multiplier32 q31 = q::tflite::double_rounding::derive(scale).value;
    const q::multiplier16 reduced = q::tflite::reduce(q31);
    t.check(q::tflite::to_pair(q31).multiplier == expected.tflite.multiplier &&
                q::tflite::to_pair(q31).shift == expected.tflite.shift,
            where);
    t.check(reduced == q::tosa::scale16::from(q::tflite::to_pair(q31)), where);
    t.check(q::requantize<q::tflite::reduced_int64>(acc, reduced, range) == expected.tflite_result, where);
    t.check(q::requantize<q::cmsis_nn::requantize_s64>(acc, reduced, range) == expected.cmsis_result, where);
  }
  t.finish("a16w8 results");
}

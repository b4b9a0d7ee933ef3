// Functions about numbers. undefined.py proves that they have no undefined behaviour for arguments that meet the requirements.
// A comment above a function may name a guard; if the guard is removed, the function has undefined behaviour.

#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/ggml.hpp>
#include <dyadic/output.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/tosa_rescale.hpp>
#include <dyadic/scheme/vela.hpp>
#include <dyadic/scheme/xnnpack.hpp>

namespace q = dyadic;
using u8 = std::uint8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

extern "C" {
void require(bool);

// rounding.hpp
#define SHIFTS(ties)                                                                                               \
  void shift_right_##ties##_i64(i64 x, int n) { require(n >= 0), require(n < 64), q::shift_right<q::ties>(x, n); } \
  void shift_right_##ties##_u64(u64 x, int n) { require(n >= 0), require(n < 64), q::shift_right<q::ties>(x, n); } \
  void shift_right_##ties##_i32(i32 x, int n) { require(n >= 0), require(n < 32), q::shift_right<q::ties>(x, n); } \
  void shift_right_saturated_##ties(i64 high, u64 low, int n) {                                                    \
    require(n < 127), q::shift_right_saturated<q::ties>({high, low}, n);                                           \
  }
SHIFTS(half_up)
SHIFTS(half_away)
SHIFTS(half_even)
SHIFTS(half_to_zero)
SHIFTS(to_floor)
SHIFTS(to_ceiling)

void narrowing(i64 x, i64 low, i64 high) {
  q::saturate<i32>(x), q::saturate<std::int8_t>(x), q::saturate<std::uint8_t>(x), q::saturate<u32>(x);
  q::wrap<i32>(x), q::wrap<i16>(x), q::fits<i16>(x), q::fits<u32>(x), q::clamp(x, low, high);
}
void shift_left_wrapped_i64(i64 x, int n) { require(n >= 0), require(n < 64), q::shift_left_wrapped(x, n); }
void shift_left_saturated_i32(i32 x, int n) { require(n >= 0), require(n < 64), q::shift_left_saturated(x, n); }
// without: detail/compiler.hpp: "(x) == 0 ? 64 : " -> ""
void leading_zeros(u64 x) { q::leading_zeros(x); }
void multiply_u64(u64 a, u64 b) { q::multiply(a, b); }
void multiply_i64(i64 a, i64 b) { q::multiply(a, b); }

// int48.hpp
void int48_values(i64 x) { q::int48::exact(x), q::int48::saturated(x), q::int48::wrapped(x), q::int48::fits(x); }
void int48_pack(i64 x) { q::packed_int48::of(q::int48::wrapped(x)).unpack(); }
void int48_padded_size(i64 count) { require(count >= 0), require(count <= q::limits<i64>::max / 8), q::padded_size(count); }

// ieee.hpp
#define FLOATS(type, bits)                                                                                 \
  void type##_tests(bits a, bits b) {                                                                      \
    const q::type x = q::type::from_bits(a), y = q::type::from_bits(b);                                    \
    q::less(x, y), q::is_finite(x), q::is_nan(x), q::is_zero(x), q::negate(x), q::magnitude(x);            \
  }                                                                                                        \
  void type##_decompose(bits a) { q::decompose(q::type::from_bits(a)); }                                   \
  void type##_compose(bool negative, u64 significand, i32 exponent, bool sticky) {                         \
    require(exponent < q::int32_max - 62), q::compose<q::type>({negative, significand, exponent}, sticky); \
  }                                                                                                        \
  void type##_from_integer(i64 x) { q::from_integer<q::type>(x); }                                         \
  void type##_to_integer_half_up(bits a) { q::to_integer<q::half_up>(q::type::from_bits(a)); }             \
  void type##_to_integer_half_away(bits a) { q::to_integer<q::half_away>(q::type::from_bits(a)); }         \
  void type##_to_integer_half_even(bits a) { q::to_integer<q::half_even>(q::type::from_bits(a)); }         \
  void type##_to_integer_to_floor(bits a) { q::to_integer<q::to_floor>(q::type::from_bits(a)); }           \
  void type##_to_integer_to_ceiling(bits a) { q::to_integer<q::to_ceiling>(q::type::from_bits(a)); }       \
  void type##_scale_by_power_of_two(bits a, int n) { q::scale_by_power_of_two(q::type::from_bits(a), n); } \
  void type##_multiply(bits a, bits b) { q::multiply(q::type::from_bits(a), q::type::from_bits(b)); }      \
  void type##_divide(bits a, bits b) { q::divide(q::type::from_bits(a), q::type::from_bits(b)); }          \
  void type##_add(bits a, bits b) { q::add(q::type::from_bits(a), q::type::from_bits(b)); }                \
  void type##_subtract(bits a, bits b) { q::subtract(q::type::from_bits(a), q::type::from_bits(b)); }
FLOATS(binary32, u32)
FLOATS(binary64, u64)
void narrow(u64 a) { q::narrow(q::binary64::from_bits(a)); }
void widen(u32 a) { q::binary64{q::binary32::from_bits(a)}; }

// scale.hpp, multiplier.hpp
void double_product_scale(u64 a, u64 b, u64 c) {
  q::double_product_scale(q::binary64::from_bits(a), q::binary64::from_bits(b), q::binary64::from_bits(c));
}
void float_product_scale(u32 a, u32 b, u32 c) {
  q::float_product_scale(q::binary32::from_bits(a), q::binary32::from_bits(b), q::binary32::from_bits(c));
}
#define NEAREST(type, ties) \
  void nearest_##type##_##ties(u64 scale) { q::nearest<std::type>(q::binary64::from_bits(scale), q::ties{}); }
NEAREST(int16_t, half_up)
NEAREST(int16_t, half_even)
NEAREST(int32_t, half_up)
NEAREST(int32_t, half_away)
NEAREST(int32_t, half_even)
NEAREST(int32_t, half_to_zero)
NEAREST(uint32_t, half_away)

// scheme/: each scheme as `requantize` calls it, for any accumulator, any range and a valid multiplier.
// Also the tests that a scheme makes of any accumulator and multiplier.
#define SCHEME(name, acc, mantissa, ...)                                                                      \
  void name(acc v, mantissa m, i32 t, i32 zero_point, i32 min, i32 max) {                                     \
    require(q::__VA_ARGS__::valid({m, t})), q::requantize<q::__VA_ARGS__>(v, {m, t}, {zero_point, min, max}); \
  }                                                                                                           \
  void name##_valid(acc v, mantissa m, i32 t) { q::detail::in_domain_of<q::__VA_ARGS__>(v, {m, t}, 0); }
#define FLOAT_SCHEME(name, acc, bits, type, ...)                                         \
  void name(acc v, bits scale, i32 zero_point, i32 min, i32 max) {                       \
    q::requantize<q::__VA_ARGS__>(v, q::type::from_bits(scale), {zero_point, min, max}); \
  }                                                                                      \
  void name##_valid(acc v, bits scale) { q::detail::in_domain_of<q::__VA_ARGS__>(v, q::type::from_bits(scale), 0); }
#define DERIVATION(name, bits, type, ...) \
  void name(bits scale) { q::__VA_ARGS__(q::type::from_bits(scale)); }

SCHEME(tflite_double_rounding, i32, i32, tflite::double_rounding)
SCHEME(tflite_single_rounding, i32, i32, tflite::single_rounding)
SCHEME(tflite_neon_double_rounding, i32, i32, tflite::neon_double_rounding)
SCHEME(tflite_neon_single_rounding, i32, i32, tflite::neon_single_rounding)
SCHEME(tflite_avx2, i32, i32, tflite::avx2)
SCHEME(tflite_reduced_int64, i64, i16, tflite::reduced_int64)
FLOAT_SCHEME(tflite_double_scale_int32, i32, u64, binary64, tflite::double_scale<i32>)
FLOAT_SCHEME(tflite_double_scale_int64, i64, u64, binary64, tflite::double_scale<i64>)
SCHEME(cmsis_nn_double_rounding, i32, i32, cmsis_nn::double_rounding)
SCHEME(cmsis_nn_mve_predicated_single_rounding, i32, i32, cmsis_nn::mve_predicated_single_rounding)
SCHEME(cmsis_nn_requantize_s64, i64, i16, cmsis_nn::requantize_s64)
SCHEME(fbgemm_fixed, i32, i32, fbgemm::fixed)
FLOAT_SCHEME(fbgemm_floating, i32, u32, binary32, fbgemm::floating)
SCHEME(tosa_scale32, i32, i32, tosa::scale32)
SCHEME(tosa_scale32_double_round, i32, i32, tosa::scale32_double_round)
SCHEME(tosa_scale16, i64, i16, tosa::scale16)
FLOAT_SCHEME(xnnpack_fp32, i32, u32, binary32, xnnpack::fp32)
SCHEME(xnnpack_rndnu, i32, i32, xnnpack::rndnu)
SCHEME(xnnpack_rndnu_neon, i32, i32, xnnpack::rndnu_neon)
SCHEME(xnnpack_rndnu16, i32, i16, xnnpack::rndnu16)
SCHEME(xnnpack_rndna, i32, i32, xnnpack::rndna)
SCHEME(xnnpack_gemmlowp, i32, i32, xnnpack::gemmlowp)
SCHEME(exact_half_up, i64, i32, exact::half_up)
SCHEME(exact_half_away, i64, i32, exact::half_away)
SCHEME(exact_half_even, i64, i32, exact::half_even)
void onednn_f32(i32 v, u32 source, u32 weight, u32 inverse, i32 zero_point, i32 min, i32 max) {
  const q::onednn::scales m{q::binary32::from_bits(source), q::binary32::from_bits(weight), q::binary32::from_bits(inverse)};
  q::onednn::f32::valid(m), q::requantize<q::onednn::f32>(v, m, {zero_point, min, max});
}

DERIVATION(derive_tflite, u64, binary64, tflite::double_rounding::derive)
DERIVATION(derive_tflite_single, u64, binary64, tflite::single_rounding::derive)
DERIVATION(derive_tflite_neon_single, u64, binary64, tflite::neon_single_rounding::derive)
DERIVATION(derive_tflite_reduced_int64, u64, binary64, tflite::reduced_int64::derive)
DERIVATION(derive_tflite_double_scale, u64, binary64, tflite::double_scale<i32>::derive)
DERIVATION(derive_tflite_emulate_float, u64, binary64, tflite::derive_emulate_float)
DERIVATION(derive_fbgemm_fixed, u32, binary32, fbgemm::fixed::derive)
DERIVATION(derive_fbgemm_floating, u64, binary64, fbgemm::floating::derive)
// without: scheme/tosa.hpp: "lost < 31 ? r.value.mantissa >> lost : 0" -> "r.value.mantissa >> lost"
void derive_tosa_scale32(u64 scale) { q::tosa::scale32::derive(q::binary64::from_bits(scale)); }
DERIVATION(derive_tosa_scale16, u64, binary64, tosa::scale16::derive)
DERIVATION(derive_executorch_cortex_m, u64, binary64, executorch::cortex_m::derive)
DERIVATION(derive_executorch_cadence, u32, binary32, executorch::cadence::derive)
DERIVATION(derive_vela_scale32, u64, binary64, vela::derive_scale32)
DERIVATION(derive_vela_reduced_int16, u64, binary64, vela::derive_reduced_int16)
DERIVATION(derive_xnnpack_rndnu, u32, binary32, xnnpack::derive_from_bits)
DERIVATION(derive_xnnpack_rndnu16, u32, binary32, xnnpack::rndnu16::derive)
DERIVATION(derive_xnnpack_gemmlowp, u32, binary32, xnnpack::gemmlowp::derive)
DERIVATION(derive_exact_half_up, u64, binary64, exact::half_up::derive)
DERIVATION(derive_exact_half_away, u64, binary64, exact::half_away::derive)
DERIVATION(derive_exact_half_even, u64, binary64, exact::half_even::derive)
void derive_onednn_f32(u32 source, u32 weight, u32 destination) {
  q::onednn::f32::derive(q::binary32::from_bits(source), q::binary32::from_bits(weight), q::binary32::from_bits(destination));
}

// without: scheme/tflite.hpp: "m.mantissa < 0x7FFF'0000 ?" -> "true ?"
void tflite_reduce(i32 m, i32 t) { q::tflite::reduce({m, t}); }
// without: scheme/tflite.hpp: "saturate<std::int32_t>(31 - std::int64_t{p.shift})" -> "31 - p.shift"
void tflite_pairs(i32 m, i32 shift) { q::tflite::from_pair(m, shift), q::tflite::to_pair({m, shift}); }
void gemmlowp_int32(i32 a, i32 b, int exponent) {
  q::gemmlowp::saturating_rounding_doubling_high_mul(a, b);
  require(exponent >= 0), require(exponent < 32), q::gemmlowp::rounding_divide_by_pot(a, exponent);
}
void gemmlowp_int16(i16 a, i16 b, int exponent) {
  q::gemmlowp::saturating_rounding_doubling_high_mul(a, b);
  require(exponent >= 0), require(exponent < 16), q::gemmlowp::rounding_divide_by_pot(a, exponent);
}
void cmsis_nn_divide_by_power_of_two(i32 x, int exponent) {
  require(exponent >= 0), require(exponent < 32), q::cmsis_nn::divide_by_power_of_two(x, exponent);
}
void onnx_quantize_linear(u32 x, u32 scale, i32 zero_point, i32 min, i32 max) {
  const q::binary32 a = q::binary32::from_bits(x), s = q::binary32::from_bits(scale);
  q::onnx::quantize_linear(a, s, {zero_point, min, max}), q::onnx::quantize_linear_reference(a, s, {zero_point, min, max});
}
// without: scheme/tosa.hpp: "if (n == 0) return {{0, 31}, status::value_out_of_range};" -> ""
void tosa_reciprocal_scale(u32 n) { q::tosa::reciprocal_scale(n); }
#define RESCALE(name)                                                                                                           \
  void tosa_##name(std::uint8_t from, std::uint8_t to, bool from_unsigned, bool to_unsigned, bool scale32,                      \
                   std::uint8_t rounding, i64 from_zero, i64 to_zero, i64 value, i32 m, i32 t) {                                \
    q::tosa::name({static_cast<q::tosa::element>(from), static_cast<q::tosa::element>(to), from_unsigned, to_unsigned, scale32, \
                   static_cast<q::tosa::rounding_mode>(rounding), from_zero, to_zero},                                          \
                  value, {m, t});                                                                                               \
  }
RESCALE(rescale)
RESCALE(rescale_inexact)
void xnnpack_convert(u32 input, i32 input_zero, u32 output, i32 output_zero, std::int8_t x) {
  const auto r =
      q::xnnpack::convert::derive(q::binary32::from_bits(input), input_zero, q::binary32::from_bits(output), output_zero);
  r.value(x);
}
void xnnpack_derive_add(u32 a_scale, i32 a_zero, u32 b_scale, i32 b_zero, u32 scale, i32 zero, i32 min, i32 max) {
  q::xnnpack::add::derive(q::binary32::from_bits(a_scale), a_zero, q::binary32::from_bits(b_scale), b_zero,
                          q::binary32::from_bits(scale), {zero, min, max});
}
void xnnpack_add(i32 a_mantissa, i16 a_zero, i32 b_mantissa, i16 b_zero, i32 t, i32 zero, i32 min, i32 max, std::int8_t a,
                 std::int8_t b) {
  require(t >= 1), require(t <= 30);
  q::xnnpack::add{a_mantissa, b_mantissa, t, a_zero, b_zero, {zero, min, max}}(a, b);
}

// blocks/: scales and codes of any numbers.
void blocks_to_formats(u32 x, std::int8_t least) {
  const q::binary32 a = q::binary32::from_bits(x);
  q::round_to<q::e4m3, q::half_away, q::beyond::special>(a), q::round_to<q::e5m2, q::half_to_zero, q::beyond::special>(a);
  q::round_to<q::e2m1, q::half_away>(a), q::round_to_mxint8(a, least);
}
void blocks_floor_of_rounded_log2(u32 a) { q::floor_of_rounded_log2(q::binary32::from_bits(a)); }
void blocks_to_ue4m3(u32 x) { q::ggml::to_ue4m3(q::binary32::from_bits(x)); }
void blocks_scales_of_ggml(u8 code) {
  const u8 block[q::ggml::nvfp4::bytes] = {code};
  q::ggml::nvfp4::scale(block, 0), q::ggml::mxfp4::scale(block, 0), q::ggml::q4_0::scale(block, 0);
}
#define ROW(name, rule)                                                                                                        \
  void blocks_##name(u32 least, u32 greatest) {                                                                                \
    q::rule::derive(q::binary32::from_bits(least), q::binary32::from_bits(greatest));                                          \
  }                                                                                                                            \
  void blocks_code_of_##name(u32 x, u32 scale, i32 zero_point, u32 reciprocal) {                                               \
    q::rule::code(q::binary32::from_bits(x), {q::binary32::from_bits(scale), zero_point, q::binary32::from_bits(reciprocal)}); \
  }
ROW(qd8, xnnpack::qd8)
ROW(qai8dx, kleidiai::qai8dx)
ROW(asymmetric, litert::asymmetric)

// output.hpp
void output_range(i32 zero_point, i32 min, i32 max) {
  q::check_range<std::int8_t>({zero_point, min, max}), q::check_range<std::uint16_t>({zero_point, min, max});
  q::check_range<i32>({zero_point, min, max});
}
void output_of_arrays(i64 mantissa, i64 shift) {
  q::per_channel_arrays_output<std::int8_t, q::tosa::scale16, i64, q::shift_convention::right>::multiplier_of(mantissa, shift);
  q::per_channel_arrays_output<std::int8_t, q::tosa::scale16, i64>::multiplier_of(mantissa, shift);
  q::per_channel_arrays_output<std::int8_t, q::tosa::scale32, i64>::multiplier_of(mantissa, shift);
}
void output_raw(i64 acc) {
  q::raw_output<q::packed_int48> packed{};
  packed(acc, 0), q::takes(packed, acc), q::takes(q::raw_output<i32>{}, acc);
}
}  // extern "C"

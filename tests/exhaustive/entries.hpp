#pragma once
/// \file
/// The list of rules that both sweeps use, publisher by publisher. Each entry has edges, refused settings and random multipliers.
/// It also has the number of edges that are swept over all accumulators: 0 for a rule that proof/ proves.

#include "edges.hpp"
#include "pairs.hpp"

namespace sweep {

inline std::vector<setting> left(int least_shift, int greatest_shift) {
  return q31_edges(31 - greatest_shift, 31 - least_shift, left_pair);
}
inline std::vector<setting> right(int least, int greatest) { return q31_edges(least, greatest, pair); }

/// For rules that accept both signs, four other edges are swept over all accumulators, and the least mantissa if it is legal.
inline std::vector<setting> signed_edges() {
  return joined({pair(half31, -1), pair(-half31 - 1, 0), pair(-3 * (1 << 29), 2), pair(highest32, -31)},
                joined(left(-31, 30), negative_edges()));
}
inline std::vector<setting> any_sign() { return joined({pair(lowest32, -2)}, joined(signed_edges(), least_mantissa_edges())); }

inline std::vector<setting> beyond_30() { return {pair(half31, 31), pair(half31, -32)}; }
inline std::vector<setting> not_single() { return {pair(half31, 31), pair(half31, -32), pair(-1, 0), pair(lowest32, 0)}; }
inline std::vector<setting> not_mve_single() { return {pair(half31, 30), pair(half31, -32), pair(-1, 0), pair(lowest32, 0)}; }

inline auto random_double() { return random_pair(31, -31, 30, lowest32); }
inline auto random_single() { return random_pair(31, -31, 30); }
inline auto random_mve_single() { return random_pair(31, -31, 29); }

inline std::vector<setting> not_finite() {
  return {real(std::numeric_limits<double>::infinity()), real(std::numeric_limits<double>::quiet_NaN())};
}

inline std::vector<setting> float_scales() {
  const double least = std::numeric_limits<float>::denorm_min();
  const double greatest = std::numeric_limits<float>::max();
  return joined(scale_edges(least, greatest, {}, int8_range(-3)),
                {real(256.0, uint8_range(1)), real(-0.3125), real(0.0), real(0x1p-126)});
}

/// Returns the edges of a 15-bit mantissa at the given shifts.
inline std::vector<setting> q15_edges(std::initializer_list<int> shifts, int shift_of_zero) {
  std::vector<setting> all = {pair(0, shift_of_zero)};
  for (const int shift : shifts)
    for (const std::int32_t mantissa : {1, 1 << 14, (1 << 14) + 1, 32767}) all.push_back(pair(mantissa, shift));
  return all;
}

inline std::vector<entry> tflite_entries() {
  using namespace q::tflite;
  const std::vector<setting> double_scales = {real(0x1.0000000000001p-1),
                                              real(0x1.fffffffffffffp-3),
                                              real(0x1.5555555555555p-9, int16_range(-4)),
                                              real(0.5),
                                              real(0.1),
                                              real(1e-3, int16_range(3)),
                                              real(0x1p-31),
                                              real(0x1p-32),
                                              real(0x1.fffffffffffffp-33),
                                              real(0x1p-1074),
                                              real(-0.25),
                                              real(0.0),
                                              real(3.0),
                                              real(0x1p30),
                                              real(std::numeric_limits<double>::max())};
  // Mantissas around the least mantissa that TFLite's reduction saturates.
  const std::vector<setting> reduced_edges =
      joined(left(-31, 7), {pair(0x7FFE'7FFF, -7), pair(0x7FFE'8000, -7), pair(0x7FFE'FFFF, -7), pair(0x7FFF'0000, -7)});
  return {
      make<left_shift_pair<double_rounding, oracle::tflite_double, preshift_fits>>("tflite::double_rounding", any_sign(), 0,
                                                                                   beyond_30(), random_double()),
      make<left_shift_pair<single_rounding, oracle::tflite_single, result_fits>>("tflite::single_rounding", left(-31, 30), 0,
                                                                                 not_single(), random_single()),
      make<left_shift_pair<neon_double_rounding, oracle::tflite_neon_double, preshift_fits>>(
          "tflite::neon_double_rounding", any_sign(), 0, beyond_30(), random_double()),
      make<left_shift_pair<neon_single_rounding, oracle::tflite_neon_single, longer_preshift_fits>>(
          "tflite::neon_single_rounding", left(-31, 29), 0, not_mve_single(), random_mve_single()),
      make<left_shift_pair<avx2, oracle::tflite_avx2, preshift_fits>>("tflite::avx2", any_sign(), 0, beyond_30(),
                                                                      random_double()),
      make<double_scale_pair<std::int32_t>>("tflite::double_scale<int32>", double_scales, 3, not_finite(),
                                            random_scale(53, -70, 20, widest::int32, true)),
      make<double_scale_pair<std::int64_t>>("tflite::double_scale<int64>", double_scales, 0, not_finite(),
                                            random_scale(53, -100, 20, widest::int32, true)),
      make<reduced_pair>("tflite::reduced_int64", reduced_edges, 0, {pair(half31, 8), pair(half31, -32), pair(-half31, 0)},
                         random_pair(31, -31, 7)),
  };
}

inline std::vector<entry> ruy_entries() {
  return {
      make<left_shift_pair<q::ruy::reference, oracle::ruy_reference, result_fits>>("ruy::reference", left(-31, 30), 0,
                                                                                   not_single(), random_single()),
      make<left_shift_pair<q::ruy::x86_simd, oracle::ruy_x86_simd, preshift_fits>>("ruy::x86_simd", any_sign(), 0, beyond_30(),
                                                                                   random_double()),
  };
}

inline setting random_exponent(generator& random) { return pair(0, static_cast<std::int32_t>(random.between(0, 31))); }

inline std::vector<setting> exponents() {
  std::vector<setting> all;
  for (const int exponent : {1, 31, 7, 0, 2, 15, 16, 30}) all.push_back(pair(0, exponent));
  return all;
}

inline std::vector<entry> cmsis_nn_entries() {
  using namespace q::cmsis_nn;
  return {
      make<left_shift_pair<double_rounding, oracle::cmsis_double, preshift_fits>>(
          "cmsis_nn::double_rounding", signed_edges(), 0, {pair(half31, 31), pair(half31, -32), pair(lowest32, 0)},
          random_pair(31, -31, 30, -highest32)),
      make<left_shift_pair<single_rounding, oracle::cmsis_single, result_fits>>("cmsis_nn::single_rounding", left(-31, 30), 0,
                                                                                not_single(), random_single()),
      make<left_shift_pair<mve_double_rounding, oracle::cmsis_mve_double, preshift_fits>>(
          "cmsis_nn::mve_double_rounding", any_sign(), 0, beyond_30(), random_double()),
      make<left_shift_pair<mve_single_rounding, oracle::cmsis_mve_single, longer_preshift_fits>>(
          "cmsis_nn::mve_single_rounding", left(-31, 29), 0, not_mve_single(), random_mve_single()),
      make<left_shift_pair<mve_predicated_single_rounding, oracle::cmsis_mve_single_predicated, longer_preshift_fits>>(
          "cmsis_nn::mve_predicated_single_rounding", left(-31, 29), 0, not_mve_single(), random_mve_single()),
      make<s64_pair>("cmsis_nn::requantize_s64", q15_edges({7, 6, 0, -1, -16, -31}, 0), 0,
                     {pair(1 << 14, 8), pair(1 << 14, -32), pair(-1, 0)}, random_pair(15, -31, 7)),
      make<divide_pair<divide_by_power_of_two, oracle::cmsis_divide_by_power_of_two>>("cmsis_nn::divide_by_power_of_two",
                                                                                      exponents(), 2, {}, random_exponent),
      make<reduce_pair>("cmsis_nn::reduce", {setting{}}, 1, {}, [](generator&) { return setting{}; }),
  };
}

inline std::vector<entry> tosa_entries() {
  using namespace q::tosa;
  const std::vector<setting> refused = {pair(1, 1), pair(1, 63), pair(-1, 31), pair(lowest32, 31)};
  return {
      make<tosa_pair<scale32, oracle::tosa_apply_scale_32_single>>("tosa::scale32", right(2, 62), 0, refused,
                                                                   random_pair(31, 2, 62)),
      make<tosa_pair<scale32_double_round, oracle::tosa_apply_scale_32_double>>("tosa::scale32_double_round", right(2, 62), 0,
                                                                                refused, random_pair(31, 2, 62)),
      make<tosa_pair<scale16, oracle::tosa_apply_scale_16>>("tosa::scale16", q15_edges({2, 3, 15, 16, 31, 46, 61, 62}, 15), 0,
                                                            {pair(1, 1), pair(1, 63), pair(-1, 15)}, random_pair(15, 2, 62)),
  };
}

inline std::vector<entry> xnnpack_entries() {
  using namespace q::xnnpack;
  const std::vector<setting> scales = scale_edges(0x1p-32, 0x1.fffffep7, {}, int8_range(5));
  const std::vector<setting> int8_scales = scale_edges(0x1p-32, 0x1.fffffep7, int8_range(0), int8_range(-77));
  const std::vector<setting> int16_scales = scale_edges(0x1p-32, 0x1.fffffep7, int16_range(0), uint8_range(133));
  const std::vector<setting> refused = refused_scales(0x1.fffffep-33, 256.0);
  const auto random_up_to = [](widest limit) { return random_scale(24, -32, 7, limit); };
  return {
      make<xnnpack_pair<fp32, oracle::xnnpack_fp32>>("xnnpack::fp32", scales, 3, refused, random_up_to(widest::int32)),
      make<xnnpack_wrapping_pair<rndnu, oracle::xnnpack_rndnu, oracle::half_up<std::int64_t>>>(
          "xnnpack::rndnu", scales, 0, refused, random_up_to(widest::int32)),
      make<xnnpack_pair<rndnu_neon, oracle::xnnpack_rndnu_neon>>("xnnpack::rndnu_neon", int8_scales, 0, refused,
                                                                 random_up_to(widest::int8)),
      make<xnnpack_pair<rndnu16, oracle::xnnpack_rndnu16>>("xnnpack::rndnu16", int16_scales, 0, refused,
                                                           random_up_to(widest::int16)),
      make<xnnpack_wrapping_pair<rndna, oracle::xnnpack_rndna_removed, oracle::half_away<std::int64_t>>>(
          "xnnpack::rndna", scales, 0, refused, random_up_to(widest::int32)),
      make<xnnpack_pair<gemmlowp, oracle::xnnpack_gemmlowp_removed>>(
          "xnnpack::gemmlowp", scale_edges(0x1p-32, 0x1.fffffep-1, {}, int8_range(5)), 0, refused_scales(0x1.fffffep-33, 1.0),
          random_scale(24, -32, -1, widest::int32)),
  };
}

inline std::vector<entry> fbgemm_entries() {
  const auto random_fixed = [](generator& random) {
    setting s = random_pair(31, 1, 63)(random);
    s.range = random_range(random, widest::int32);
    return s;
  };
  return {
      make<fbgemm_fixed_pair>("fbgemm::fixed", right(1, 63), 0, {pair(1, 0), pair(1, 64), pair(-1, 31)}, random_fixed),
      make<fbgemm_floating_pair>("fbgemm::floating", float_scales(), 3, joined(not_finite(), {real(0x1p128)}),
                                 random_scale(24, -60, 30, widest::int32, true)),
  };
}

inline std::vector<entry> onednn_entries() {
  using limits = std::numeric_limits<float>;
  const std::vector<setting> edges = {onednn(0x1.555556p-2f, 0x1.8p-3f, 0x1.99999ap-4f, int8_range(1)),
                                      onednn(0.1f, 0.3f, 0.7f, {}),
                                      onednn(0.5f, 1.0f, 1.0f, int8_range(1)),
                                      onednn(0x1.fffffep-2f, 1.0f, 1.0f, int8_range(1)),
                                      onednn(1.0f, 1.0f, 1.0f, {3, lowest32, highest32}),
                                      onednn(0x1p-12f, 0x1p-12f, 0x1p-1f, uint8_range(128)),
                                      onednn(limits::max(), 2.0f, 3.0f, int16_range(-7)),
                                      onednn(0x1p-140f, 0x1p-3f, 0x1p-120f, {}),
                                      onednn(0.0f, 1.0f, 1.0f, int8_range(-9)),
                                      onednn(-0.5f, 0.5f, 0.75f, {})};
  const std::vector<setting> refused = {onednn(1, 1, 0, {}), onednn(limits::infinity(), 1, 1, {}),
                                        onednn(1, limits::quiet_NaN(), 1, {}), onednn(1, 1, limits::infinity(), {}),
                                        onednn(1, 1, limits::denorm_min(), {})};
  return {make<onednn_pair>("onednn::f32", edges, 2, refused, random_onednn)};
}

inline std::vector<entry> onnx_entries() {
  return {make<mlas_pair>("onnx::mlas", float_scales(), 1, not_finite(), random_scale(24, -60, 30, widest::int32, true))};
}

inline std::vector<entry> gemmlowp_entries() {
  const std::vector<setting> high_mul_edges = {pair(lowest32, 0),  pair(half31, 0), pair(-3, 0),
                                               pair(highest32, 0), pair(1, 0),      pair(-highest32, 0)};
  const auto random_operand = [](generator& random) {
    return pair(static_cast<std::int32_t>(random_acc(random, lowest32, highest32)), 0);
  };
  return {
      make<high_mul_pair>("gemmlowp::saturating_rounding_doubling_high_mul", high_mul_edges, 2, {}, random_operand),
      make<divide_pair<q::gemmlowp::rounding_divide_by_pot<std::int32_t>, oracle::gemmlowp_rounding_divide_by_pot_i32>>(
          "gemmlowp::rounding_divide_by_pot", exponents(), 2, {}, random_exponent),
  };
}

inline std::vector<entry> exact_entries() {
  using namespace q::exact;
  std::vector<setting> edges = {pair(half31, 32), pair(-3, 2), pair(3 << 29, 40), pair(lowest32, 63), pair(0, 31), pair(-1, 1)};
  for (const int right_shift : {0, 31, 63, 64, 65, 94, 126})
    for (const std::int32_t mantissa : {lowest32, half31 + 1}) edges.push_back(pair(mantissa, right_shift));
  const std::vector<setting> refused = {pair(1, -1), pair(1, 127)};
  const auto random = random_pair(31, 0, 126, lowest32);
  return {
      make<exact_pair<half_up, oracle::exact_half_up, std::int32_t>>("exact::half_up of an int32", edges, 0, refused, random),
      make<exact_pair<half_away, oracle::exact_half_away, std::int32_t>>("exact::half_away of an int32", edges, 0, refused,
                                                                         random),
      make<exact_pair<half_even, oracle::exact_half_even, std::int32_t>>("exact::half_even of an int32", edges, 0, refused,
                                                                         random),
      make<exact_pair<half_up, oracle::exact_half_up, std::int64_t>>("exact::half_up", edges, 0, refused, random),
      make<exact_pair<half_away, oracle::exact_half_away, std::int64_t>>("exact::half_away", edges, 0, refused, random),
      make<exact_pair<half_even, oracle::exact_half_even, std::int64_t>>("exact::half_even", edges, 0, refused, random),
  };
}

inline std::vector<entry> entries() {
  std::vector<entry> all;
  for (const auto& of_publisher : {tflite_entries, cmsis_nn_entries, ruy_entries, tosa_entries, xnnpack_entries, fbgemm_entries,
                                   onednn_entries, onnx_entries, exact_entries, gemmlowp_entries})
    for (entry& e : of_publisher()) all.push_back(std::move(e));
  return all;
}

}  // namespace sweep

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The arithmetic of an LSTM with int8 weights and an int16 cell, as TensorFlow Lite Micro (TFLM) and CMSIS-NN compute it.
/// Floor 3.
/// Neither engine has peepholes, a projection or layer normalization.
/// Sources: tflite/micro/kernels/{lstm_eval.h, lstm_eval.cc, lstm_eval_common.cc}, CMSIS-NN
/// Source/NNSupportFunctions/{arm_nn_lstm_step_s8.c, arm_nn_lstm_step_s16.c, arm_nn_vec_mat_mul_result_acc_s8_s16.c}.

#include <dyadic/detail/fold_record.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>

namespace dyadic {

/// The rescales of the two products of a gate, to steps of 2^-12.
struct gate_multipliers {
  multiplier32 input;   ///< scale of x * scale of the input weights * 2^12
  multiplier32 hidden;  ///< scale of h * scale of the hidden weights * 2^12
};

/// The real scales of an LSTM. The gates are in the order input, forget, cell, output.
struct lstm_scales {
  binary32 x;                  ///< scale of x
  binary32 hidden;             ///< scale of h and y
  binary32 cell;               ///< scale of the cell, nearly a power of two
  binary32 input_weights[4];   ///< scale of the weights of x, for each gate
  binary32 hidden_weights[4];  ///< scale of the weights of h, for each gate
  binary32 cell_clip{0.0f};    ///< real bound of the cell; 0 or less: none
};

namespace detail {

/// CheckedLog2: round(fl32(fl32(ln x) * fl32(1 / fl32(ln 2)))), the power of two that TFLite takes for a scale. It differs from
/// the rounded real logarithm next to 2^(k - 1/2). The least x with the result k is `offsets[k + 43]` binary32 steps above the
/// binary32 nearest to 2^(k - 1/2). The logarithm is correctly rounded. Requires: 2^-43 <= x <= 2^2.
DYADIC_API constexpr std::int32_t checked_log2(binary32 x) noexcept {
  constexpr std::int8_t offsets[] = {3, 8, 14, 20, 3, 8,  14, 20, 3, 8, 14, 20, 3, 8, 14, -3, 3, 9, 14, -3, 3, 3, 9,
                                     3, 9, 3,  9,  3, -2, 3,  -2, 3, 6, 6,  6,  6, 1, 1,  2,  2, 2, 1,  1,  1, 1, 0};
  constexpr std::uint32_t root_half = 0x3F35'04F3u;  // the binary32 nearest to 2^(-1/2)
  const std::int32_t k = static_cast<std::int32_t>((x.bits - root_half + 3 + (43u << 23)) >> 23) - 43;
  const std::uint32_t least = root_half + (static_cast<std::uint32_t>(k) << 23) + static_cast<std::uint32_t>(offsets[k + 43]);
  return x.bits < least ? k - 1 : k;
}

/// The second of two terms that are added: TFLM saturates it to int16 before the sum, CMSIS-NN does not. The term is clamped to
/// -max - 1 .. max. The saturated sum of an int16 and a term beyond 17 bits is that of the int16 and an end of the 17 bits.
/// @{
struct saturated_term {
  static constexpr std::int32_t clip_of_zero = 0;
  static constexpr std::int32_t max = 32767;
};
struct whole_term {
  static constexpr std::int32_t clip_of_zero = 32768;
  static constexpr std::int32_t max = 65535;
};
/// @}

/// Returns the int32 that is nearest to a rescaled accumulator. Most schemes give an int32.
template <class Scheme>
DYADIC_API constexpr std::int32_t rescaled(typename Scheme::accumulator acc, typename Scheme::multiplier_type m) noexcept {
  if constexpr (dyadic::has_formula<Scheme>)
    if constexpr (!is_one_of<typename Scheme::formula_type::result, to_int64, to_int32_if_short>)
      return static_cast<std::int32_t>(Scheme::apply(acc, m));
  return saturate<std::int32_t>(Scheme::apply(acc, m));
}

}  // namespace detail

/// An LSTM of either engine, with activations X. M is the scheme. For products of the gates with int16 activations, M is the
/// scheme of 64-bit accumulators. S saturates to int16. T is S in TFLM, and does nothing in CMSIS-NN.
///   `gate`: activation(S(S(M(acc_x)) + T(M(acc_h)))) with the table of 256 sigmoids, from steps of 2^-12 to steps of 2^-15.
///     acc_x = sum w_x (x - zero point) + bias, acc_h = sum w_h (h - zero point).
///   `cell`: c = clamp(S(S(M(f c)) + T(M(i g))), -cell_clip, cell_clip).
///   `hidden`: h = clamp(M(tanh(c) o) + zero_point), to X. tanh reads c in steps of 2^cell_scale_power.
/// i, f, g, o are the gates in the order input, forget, cell, output. Products of two int16 have a magnitude of at most 2^30.
template <class X, class Scheme, class WideScheme, class Term>
struct lstm_rule {
  static_assert(detail::is_one_of<X, std::int8_t, std::int16_t>, "an LSTM is of int8 or int16");
  using value_type = X;                                                           ///< the type of x, h and y
  using scheme = Scheme;                                                          ///< the rule of the rescales of 32-bit products
  using product_scheme = std::conditional_t<sizeof(X) == 1, Scheme, WideScheme>;  ///< the rule of acc_x and acc_h
  using term = Term;                                                              ///< the bound of T
  using accumulator = typename product_scheme::accumulator;  ///< the sums: int32, or int64 for int16 activations
  static constexpr index_t gate_count = 4;                   ///< input, forget, cell, output
  static constexpr index_t cell_gate = 2;                    ///< the gate with `cell_activation`, others have a sigmoid
  static constexpr bool has_cell = true;                     ///< the state has a cell
  static constexpr std::int32_t no_clip = 32768;             ///< a bound that no int16 exceeds

  gate_multipliers gates[4];                        ///< of each gate
  multiplier32 forget;                              ///< rescales f * c to the cell: 2^-15
  multiplier32 input;                               ///< rescales i * g to the cell: 2^-30 / scale of the cell
  multiplier32 output;                              ///< rescales tanh(c) * o to h: 2^-30 / scale of h
  std::int32_t zero_point = 0;                      ///< of h and y
  std::int32_t cell_clip = no_clip;                 ///< bound of |c|: 0 .. 32768
  std::int32_t cell_scale_power = 0;                ///< the cell's scale is 2^power: -43 .. 2
  operator_id cell_activation = operator_id::tanh;  ///< tanh, or sigmoid

  /// Derives the numbers as TFLM's Prepare does. If a positive clip is 0 in steps of the cell, TFLM sets each cell to 0, and
  /// CMSIS-NN does not clip. The scale of a gate is the binary32 product of two scales, times 2^12. No engine checks that the
  /// scale of the cell is a power of two: the multipliers use the scale, and tanh uses the power that CheckedLog2 finds. Returns
  /// the status of a scale that is not positive and finite or of a multiplier, else the status of `check`. Returns
  /// `scale_too_small` or `scale_too_large` for a cell's scale outside of 2^-43 .. 2^2, and `scale_not_finite` for a clip of NaN.
  DYADIC_API static constexpr result<lstm_rule> derive(const lstm_scales& scales, std::int32_t zero_point) noexcept {
    lstm_rule rule{};
    rule.zero_point = zero_point;
    status first = check_tensor_scales(scales.x, scales.hidden, scales.cell);
    if (first == status::ok && less(scales.cell, binary32{0x1p-43f})) first = status::scale_too_small;
    if (first == status::ok && less(binary32{4.0f}, scales.cell)) first = status::scale_too_large;
    if (first == status::ok && is_nan(scales.cell_clip)) first = status::scale_not_finite;
    const auto note = [&](status s) { first = first == status::ok ? s : first; };
    const auto rescale = [&](binary64 scale) {
      const auto m = Scheme::derive(scale);
      note(m.status);
      return m.value;
    };
    for (int g = 0; g < 4; ++g) {
      note(check_tensor_scales(scales.x, scales.input_weights[g], scales.hidden_weights[g]));
      rule.gates[g].input = rescale(of_gate(scales.x, scales.input_weights[g]));
      rule.gates[g].hidden = rescale(of_gate(scales.hidden, scales.hidden_weights[g]));
    }
    if (first != status::ok) return {rule, first};
    rule.forget = rescale(binary64{0x1p-15});
    rule.input = rescale(divide(binary64{0x1p-30}, binary64{scales.cell}));
    rule.output = rescale(divide(binary64{0x1p-30}, binary64{scales.hidden}));
    rule.cell_scale_power = detail::checked_log2(scales.cell);
    if (less(binary32{0.0f}, scales.cell_clip)) {
      const std::int64_t clip = to_integer<to_floor>(divide(binary64{scales.cell_clip}, binary64{scales.cell}));
      rule.cell_clip = clip == 0 ? Term::clip_of_zero : static_cast<std::int32_t>(clamp(clip, 0, 32767));
    }
    note(check(rule));
    return {rule, first};
  }
  /// Returns S(S(M(acc_x)) + T(M(acc_h))), in steps of 2^-12. Requires: 0 <= gate < 4, and what `check` tests.
  DYADIC_API constexpr std::int16_t gate_sum(accumulator acc_x, accumulator acc_h, index_t gate) const noexcept {
    const auto by = [](accumulator acc, multiplier32 m) { return detail::rescaled<product_scheme>(acc, product_multiplier(m)); };
    return static_cast<std::int16_t>(
        detail::over_one_lane::sum_of_terms<one_lane, Term>(by(acc_x, gates[gate].input), by(acc_h, gates[gate].hidden)));
  }
  /// Returns a gate in steps of 2^-15: the activation of its sum.
  DYADIC_API constexpr std::int16_t gate(accumulator acc_x, accumulator acc_h, index_t gate) const noexcept {
    const std::int16_t sum = gate_sum(acc_x, acc_h, gate);
    return has_tanh(gate) ? gate_tanh()(sum) : gate_sigmoid()(sum);
  }
  /// Returns true if the activation of a gate is tanh, false if it is sigmoid.
  DYADIC_API constexpr bool has_tanh(index_t gate) const noexcept {
    return gate == cell_gate && cell_activation == operator_id::tanh;
  }
  /// Return the activations of a gate, from steps of 2^-12.
  /// @{
  DYADIC_API static constexpr cmsis_nn::tanh gate_tanh() noexcept { return cmsis_nn::tanh::from_left_shift(0); }
  DYADIC_API static constexpr cmsis_nn::sigmoid gate_sigmoid() noexcept { return cmsis_nn::sigmoid::from_left_shift(0); }
  /// @}
  /// Returns the next cell.
  DYADIC_API constexpr std::int16_t cell(std::int16_t c, std::int16_t i, std::int16_t f, std::int16_t g) const noexcept {
    const auto by = [](multiplier32 m) { return [m](std::int32_t product) { return detail::rescaled<Scheme>(product, m); }; };
    return static_cast<std::int16_t>(
        detail::over_one_lane::next_cell<one_lane, Term, std::int32_t>(c, i, f, g, cell_clip, by(forget), by(input)));
  }
  /// Returns the next hidden value.
  DYADIC_API constexpr X hidden(std::int16_t c, std::int16_t o) const noexcept {
    const std::int32_t product = std::int32_t{cell_tanh()(c)} * o;
    return saturate<X>(Scheme::apply(product, output) + zero_point);
  }
  /// Returns the tanh of the cell, in steps of 2^-15.
  DYADIC_API constexpr cmsis_nn::tanh cell_tanh() const noexcept { return cmsis_nn::tanh::from_left_shift(clamped_power() + 12); }
  /// Returns the multiplier of a gate's rescale as `product_scheme` takes it. The kernels of int16 reduce it to 15 bits.
  DYADIC_API static constexpr typename product_scheme::multiplier_type product_multiplier(multiplier32 m) noexcept {
    if constexpr (sizeof(X) == 1)
      return m;
    else
      return tflite::reduce(m);
  }
  /// Returns true if both ends of a range of accumulators are in the domain of a gate's rescale m, for the product with x or with
  /// h.
  DYADIC_API static constexpr bool takes(accumulator_range range, multiplier32 m) noexcept {
    const auto takes_one = [&](std::int64_t acc) {
      return fits_accumulator<product_scheme>(acc) &&
             detail::in_domain_of<product_scheme>(static_cast<accumulator>(acc), product_multiplier(m), 0);
    };
    return takes_one(range.lowest) && takes_one(range.highest);
  }
  /// Returns the first error in the numbers: the zero point, the clip (`range_out_of_type`), a multiplier, the power or the
  /// activation (`multiplier_out_of_range`). Returns `accumulator_overflow` last: a product of two int16 leaves the domain of the
  /// scheme.
  DYADIC_API friend constexpr status check(const lstm_rule& rule) noexcept {
    if (!fits<X>(rule.zero_point)) return status::zero_point_out_of_range;
    if (rule.cell_clip < 0 || rule.cell_clip > no_clip) return status::range_out_of_type;
    bool valid = Scheme::valid(rule.forget) && Scheme::valid(rule.input) && Scheme::valid(rule.output) &&
                 check(rule.cell_tanh()) == status::ok;
    for (const gate_multipliers& m : rule.gates)
      valid = valid && product_scheme::valid(product_multiplier(m.input)) && product_scheme::valid(product_multiplier(m.hidden));
    if (!valid || (rule.cell_activation != operator_id::tanh && rule.cell_activation != operator_id::sigmoid))
      return status::multiplier_out_of_range;
    const detail::bounds products{-(1 << 30), 1 << 30};
    const bool fit = detail::takes_between<Scheme>(products, rule.forget) &&
                     detail::takes_between<Scheme>(products, rule.input) && detail::takes_between<Scheme>(products, rule.output);
    return fit ? status::ok : status::accumulator_overflow;
  }

 private:
  DYADIC_API static constexpr binary64 of_gate(binary32 activation, binary32 weight) noexcept {
    return scale_by_power_of_two(binary64{dyadic::multiply(activation, weight)}, 12);
  }
  DYADIC_API constexpr std::int32_t clamped_power() const noexcept {
    return detail::over_one_lane::limited<one_lane>(cell_scale_power, 63);
  }
};

namespace tflite {
/// UNIDIRECTIONAL_SEQUENCE_LSTM of TFLM. M(acc_h) and M(i g) are saturated to int16 before they are added. The scheme is
/// `single_rounding` for a build with TFLITE_SINGLE_ROUNDING, which does not change the products of int16 activations. LiteRT's
/// own kernels compute sigmoid and tanh in another way.
template <class X, class Scheme = double_rounding>
using lstm = lstm_rule<X, Scheme, reduced_int64, dyadic::detail::saturated_term>;
}  // namespace tflite

namespace cmsis_nn {
/// arm_lstm_unidirectional_s8 and _s16: M(acc_h) and M(i g) are not saturated before they are added. Where acc_x and acc_h have
/// opposite signs and leave int16, a gate differs from TFLM's: for 40000 and -50000 the sums are -17233 and -1. The scheme is
/// `single_rounding` for a build with CMSIS_NN_USE_SINGLE_ROUNDING. On Helium the int16 function drops the upper 32 bits of a
/// bias. A hidden_state of NULL equals a hidden state of zero points and a cell of 0.
template <class X, class Scheme = double_rounding>
using lstm = lstm_rule<X, Scheme, requantize_s64, dyadic::detail::whole_term>;
}  // namespace cmsis_nn

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A GRU with int8 weights: exact sums, and one rounding for each gate. No engine publishes an integer rule, so this rule is
/// defined here. Floor 3.

#include <dyadic/detail/fold_record.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/int48.hpp>

namespace dyadic {

/// Where a GRU multiplies by its reset gate. ONNX's attribute is linear_before_reset.
enum class reset_gate : std::uint8_t {
  before_product,  ///< n = tanh(W x + U (r * h) + bias): linear_before_reset = 0, Keras' reset_after = False
  after_product,   ///< n = tanh(W x + r * (U h + bias)): linear_before_reset = 1, PyTorch, cuDNN
};

/// The real scales of a GRU. The gates are in the order update, reset, candidate: z, r, n.
struct gru_scales {
  binary32 x;                  ///< scale of x
  binary32 hidden;             ///< scale of h and y
  binary32 input_weights[3];   ///< scale of the weights of x, for each gate
  binary32 hidden_weights[3];  ///< scale of the weights of h, for each gate
};

/// The rescales of the two sums of a gate to steps of 2^-12: mantissa * 2^-right_shift. Both sums are rescaled before the one
/// rounding, so that they share the shift.
struct shared_multipliers {
  std::int32_t input = 0;        ///< mantissa of the product with x
  std::int32_t hidden = 0;       ///< mantissa of the product with h
  std::int32_t right_shift = 0;  ///< 0 .. 62
};

namespace exact {

/// A GRU of activations X. Each rounding is exact arithmetic rounded once, ties up, and saturated to its type.
///   acc_x = sum w_x (x - zero point of x) + bias_x, and acc_h = sum w_h (h - zero_point) + bias_h, in 48 bits.
///   t = (2^15 acc_x m_x + s_h m_h) / 2^(15 + right_shift), rounded to int16: the argument of a gate in steps of 2^-12.
///   z = sigmoid(t), r = sigmoid(t), n = tanh(t), in steps of 2^-15. z and r have s_h = 2^15 acc_h. n has
///     before_product: s_h = sum w_h r (h - zero_point) + 2^15 bias_h, with the r of each element of h.
///     after_product: s_h = r acc_h, with the r of the output.
///   h' = zero_point + ((2^15 - z) n m + z (h - zero_point) 2^s) / 2^(15 + s), rounded to X. m 2^-s is 2^-15 / scale of h.
/// sigmoid and tanh are `tflite::sigmoid<std::int16_t>` and `tflite::tanh<std::int16_t>` at a scale of 2^-12: interpolation in
/// the table of sigmoid_table.hpp. z and r are at most 32767, so that a state decays by 2^-15 in each step.
template <class X, reset_gate Reset = reset_gate::after_product>
struct gru {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "a GRU is of int8 or int16");
  using value_type = X;                                                  ///< the type of x, h and y
  using accumulator = std::int64_t;                                      ///< the sums: 48 bits of it
  static constexpr index_t gate_count = 3;                               ///< update, reset, candidate
  static constexpr index_t candidate = 2;                                ///< the gate with a tanh, others have a sigmoid
  static constexpr reset_gate reset = Reset;                             ///< where r multiplies
  static constexpr bool has_cell = Reset == reset_gate::before_product;  ///< true if a step needs memory for r

  shared_multipliers gates[3];  ///< of each gate
  multiplier32 output;          ///< rescales n to h: right_shift in 0 .. 62
  std::int32_t zero_point = 0;  ///< of h and y

  /// Derives the numbers from real scales in exact products: scale of x * scale of weights * 2^12, and 2^-15 / scale of h, which
  /// rounds once to binary64. The greater mantissa of a gate uses 31 bits. Mantissas tie to even. Returns the status of a scale
  /// that is not positive and finite, or is too small or too large for a right_shift of 0 .. 62, else the status of `check`.
  DYADIC_API static constexpr result<gru> derive(const gru_scales& scales, std::int32_t zero_point) noexcept {
    gru rule{};
    rule.zero_point = zero_point;
    status first = check_tensor_scales(scales.x, scales.x, scales.hidden);
    const auto nearest_to = [&](binary64 scale) {
      const auto m = dyadic::detail::limit_shift(nearest<std::int32_t>(scale, dyadic::half_even{}), 0, 62);
      first = first == status::ok ? m.status : first;
      return m.value;
    };
    for (int g = 0; g < 3; ++g) {
      if (first == status::ok) first = check_tensor_scales(scales.x, scales.input_weights[g], scales.hidden_weights[g]);
      if (first != status::ok) return {rule, first};
      const binary64 x = of_gate(scales.x, scales.input_weights[g]);
      const binary64 h = of_gate(scales.hidden, scales.hidden_weights[g]);
      const std::int32_t right_shift = nearest_to(less(x, h) ? h : x).right_shift;
      const auto mantissa = [&](binary64 scale) {
        return static_cast<std::int32_t>(to_integer<dyadic::half_even>(scale_by_power_of_two(scale, right_shift)));
      };
      rule.gates[g] = {mantissa(x), mantissa(h), right_shift};
    }
    rule.output = nearest_to(divide(binary64{0x1p-15}, binary64{scales.hidden}));
    return {rule, first != status::ok ? first : check(rule)};
  }
  /// Returns a gate in steps of 2^-15 for acc_x and s_h. Requires: 0 <= gate < 3, and what `check` tests.
  DYADIC_API constexpr std::int16_t gate(std::int64_t acc_x, std::int64_t s_h, index_t gate) const noexcept {
    const shared_multipliers& m = gates[gate];
    const auto t = saturate<std::int16_t>(rounded(shift_left_wrapped(acc_x, 15), m.input, s_h, m.hidden, 15 + m.right_shift));
    return gate == candidate ? cmsis_nn::tanh::from_left_shift(0)(t) : cmsis_nn::sigmoid::from_left_shift(0)(t);
  }
  /// Returns the next hidden value.
  DYADIC_API constexpr X hidden(X h, std::int16_t z, std::int16_t n) const noexcept {
    const std::int64_t kept = std::int64_t{z} * (std::int32_t{h} - zero_point);
    const std::int64_t next = std::int64_t{32768 - z} * n;
    const std::int64_t unit = std::int64_t{1} << output.right_shift;
    return saturate<X>(rounded(next, output.mantissa, kept, unit, 15 + output.right_shift) + zero_point);
  }
  /// Returns true if the accumulators of a product fit 48 bits. Then 2^15 times them fit 63 bits.
  DYADIC_API static constexpr bool takes(accumulator_range range) noexcept {
    return int48::fits(range.lowest) && int48::fits(range.highest);
  }
  /// Returns `zero_point_out_of_range`, or `multiplier_out_of_range` for a right_shift outside of 0 .. 62.
  DYADIC_API friend constexpr status check(const gru& rule) noexcept {
    if (!fits<X>(rule.zero_point)) return status::zero_point_out_of_range;
    bool valid = dyadic::detail::shift_within(rule.output, 0, 62);
    for (const shared_multipliers& m : rule.gates) valid = valid && m.right_shift >= 0 && m.right_shift <= 62;
    return valid ? status::ok : status::multiplier_out_of_range;
  }

 private:
  /// (a * m + b * n) / 2^right_shift, ties up, saturated to +-2^62. The sum is exact: |a * m + b * n| < 2^126.
  DYADIC_API static constexpr std::int64_t rounded(std::int64_t a, std::int64_t m, std::int64_t b, std::int64_t n,
                                                   int right_shift) noexcept {
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    const wide p = dyadic::multiply(a, m);
    const wide q = dyadic::multiply(b, n);
    const std::uint64_t low = p.low + q.low;
    return clamp(shift_right_saturated<dyadic::half_up>({p.high + q.high + (low < p.low ? 1 : 0), low}, right_shift), -limit,
                 limit);
  }
  DYADIC_API static constexpr binary64 of_gate(binary32 activation, binary32 weight) noexcept {
    return scale_by_power_of_two(dyadic::multiply(binary64{activation}, binary64{weight}), 12);
  }
};

}  // namespace exact
}  // namespace dyadic

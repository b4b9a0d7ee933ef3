// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Decomposed a16w8 layers: a layer without bias, RESCALE, ADD of the bias, RESCALE. ExecuTorch's Arm backend emitted them before
/// it had 48-bit biases. The two forms differ in the width to which they clip before the bias is added. Floor 3.
///
///   q::decomposed::clipped_to_int32 rules[channels];
///   q::status s = q::decomposed::derive(bias, accumulator_scales, output_scale, rules);
///   // weights folded with q::no_bias{}
///   const q::linear_layer layer{weights, folded.value, q::channel_rules_output<q::decomposed::clipped_to_int32>{rules}};
///
/// S16 and S32 are tosa::scale16 and tosa::scale32. The function clipN saturates to intN. The scale of an accumulator is
/// input_scale * weight_scale. Each form is the rule of one output channel, also for `compare_rules`. The function valid(acc)
/// returns true if TOSA defines the result. Otherwise every step saturates, and nothing wraps while acc is within 48 bits.
/// Sources: ExecuTorch, backends/arm/_passes, at bb8113670e (int16) and 5d268c7411 (int32); deleted by 8e653a673b.

#include <dyadic/output.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/tosa.hpp>

namespace dyadic::decomposed {

namespace detail {

/// Returns an error unless the scale is finite and positive.
DYADIC_API constexpr status check_divisor(binary64 scale) noexcept {
  if (!is_finite(scale)) return status::scale_not_finite;
  if (is_zero(scale)) return status::scale_zero;
  return is_negative(scale) ? status::scale_negative : status::ok;
}

}  // namespace detail

/// The form of October 2025 to May 2026: `y = clip16(S32(clip32(clip32(S16(acc, 1)) + bias), accumulator_scale / output_scale))`.
/// S16 by 1 is exact, so that y is rounded once, by a 31-bit multiplier. Larger errors occur only if acc or acc + bias leaves
/// int32.
struct clipped_to_int32 {
  using value_type = std::int16_t;           ///< the type of the output
  using accumulator = std::int64_t;          ///< the type that the rule rounds
  static constexpr bool is_monotone = true;  ///< the output never falls when acc rises

  std::int32_t bias = 0;    ///< the bias in the scale of the accumulator
  multiplier32 multiplier;  ///< accumulator scale / output scale

  /// Derives the multiplier of accumulator_scale / output_scale in binary64. ExecuTorch's accumulator_scale is a binary32
  /// product. Returns 0 and the status of scale32::derive, or of an output_scale that is not finite and positive.
  DYADIC_API static constexpr result<clipped_to_int32> derive(std::int32_t bias, binary64 accumulator_scale,
                                                              binary64 output_scale) noexcept {
    if (const status s = detail::check_divisor(output_scale); s != status::ok) return {{}, s};
    const result<multiplier32> m = tosa::scale32::derive(divide(accumulator_scale, output_scale));
    if (m.status != status::ok) return {{}, m.status};
    return {{bias, m.value}, status::ok};
  }
  /// Returns true if the rule is defined for its multipliers.
  DYADIC_API constexpr bool valid() const noexcept { return tosa::scale32::valid(multiplier); }
  /// Returns true if acc and acc + bias fit int32, and S32 takes the sum.
  DYADIC_API constexpr bool valid(std::int64_t acc) const noexcept {
    return fits<std::int32_t>(acc) && fits<std::int32_t>(acc + bias) && tosa::scale32::valid(sum(acc), multiplier);
  }
  /// Returns the output.
  DYADIC_API constexpr std::int16_t operator()(std::int64_t acc) const noexcept {
    return saturate<std::int16_t>(tosa::scale32::apply(sum(acc), multiplier));
  }

 private:
  DYADIC_API constexpr std::int32_t sum(std::int64_t acc) const noexcept {
    return saturate<std::int32_t>(std::int64_t{saturate<std::int32_t>(acc)} + bias);
  }
};

/// The form of September to October 2025, with g = max(bias_scale, output_scale):
///   t = clip16(S16(acc, accumulator_scale / output_scale))
///   y = clip16(S32(S32(t, output_scale / g * 2^14) + S32(bias, bias_scale / g * 2^14), g / output_scale / 2^14))
/// The value t is clipped before the bias is added, even if the bias would bring the sum back into range. The output y is rounded
/// three times, first by a multiplier of 15 bits. Two operators compute the form: a layer without bias and with tosa::scale16,
/// then a `binary_layer` of `rescaled_sum`. Its second operand is the row of biases.
struct clipped_to_int16 {
  using value_type = std::int16_t;             ///< the type of the output
  using accumulator = std::int64_t;            ///< the type that the rule rounds
  static constexpr int accumulator_bits = 48;  ///< accumulators are int48
  static constexpr bool is_monotone = true;    ///< the output never falls when acc rises

  multiplier16 to_output;  ///< rescales the accumulator to t
  multiplier32 to_sum;     ///< rescales t to the sum
  std::int32_t bias = 0;   ///< the bias in the scale of the sum
  multiplier32 from_sum;   ///< rescales the sum to y

  /// Derives the multipliers of the scales in binary64, and the rescaled bias. |sum| <= 2^30 if the multipliers are derived.
  /// Returns 0 and the status of the first derivation that fails, or of an output_scale that is not finite and positive.
  DYADIC_API static constexpr result<clipped_to_int16> derive(std::int16_t bias, binary64 bias_scale, binary64 accumulator_scale,
                                                              binary64 output_scale) noexcept {
    if (const status s = detail::check_divisor(output_scale); s != status::ok) return {{}, s};
    const binary64 common = less(bias_scale, output_scale) ? output_scale : bias_scale;
    const auto to_output = tosa::scale16::derive(divide(accumulator_scale, output_scale));
    const auto to_sum = tosa::scale32::derive(scale_by_power_of_two(divide(output_scale, common), 14));
    const auto bias_to_sum = tosa::scale32::derive(scale_by_power_of_two(divide(bias_scale, common), 14));
    const auto from_sum = tosa::scale32::derive(scale_by_power_of_two(divide(common, output_scale), -14));
    const status statuses[] = {to_output.status, to_sum.status, bias_to_sum.status, from_sum.status};
    for (const status s : statuses)
      if (s != status::ok) return {{}, s};
    const auto rescaled = static_cast<std::int32_t>(tosa::scale32::apply(bias, bias_to_sum.value));
    return {{to_output.value, to_sum.value, rescaled, from_sum.value}, status::ok};
  }
  /// Returns true if the rule is defined for its multipliers.
  DYADIC_API constexpr bool valid() const noexcept {
    return tosa::scale16::valid(to_output) && tosa::scale32::valid(to_sum) && tosa::scale32::valid(from_sum);
  }
  /// Returns true if acc fits 48 bits, and each RESCALE takes its operand. The clip to int16 is part of the form: TOSA defines
  /// it.
  DYADIC_API constexpr bool valid(std::int64_t acc) const noexcept {
    return tosa::scale16::valid(acc, to_output) && tosa::scale32::valid(clipped(acc), to_sum) && fits<std::int32_t>(sum(acc)) &&
           tosa::scale32::valid(static_cast<std::int32_t>(sum(acc)), from_sum);
  }
  /// Returns the output. The product wraps if acc has more than 48 bits.
  DYADIC_API constexpr std::int16_t operator()(std::int64_t acc) const noexcept {
    return saturate<std::int16_t>(tosa::scale32::apply(saturate<std::int32_t>(sum(acc)), from_sum));
  }

 private:
  DYADIC_API constexpr std::int16_t clipped(std::int64_t acc) const noexcept {
    return saturate<std::int16_t>(tosa::scale16::apply(acc, to_output));
  }
  DYADIC_API constexpr std::int64_t sum(std::int64_t acc) const noexcept {
    return tosa::scale32::apply(clipped(acc), to_sum) + bias;
  }
};

namespace detail {

/// Returns a view of the biases, which are signed integers with the size of Int.
template <class Int, class Bias>
DYADIC_API constexpr auto biases_of(const Bias& bias) noexcept {
  const auto biases = view(bias);
  using element = std::remove_const_t<std::remove_reference_t<decltype(biases[0])>>;
  static_assert(std::is_integral_v<element> && std::is_signed_v<element> && sizeof(element) == sizeof(Int),
                "the bias is int32 for clipped_to_int32 and int16 for clipped_to_int16");
  return biases;
}

/// Checks an array of scales. It has one scale, or one for each channel.
template <class T>
DYADIC_API constexpr status check_scales(view<T> scales, index_t channels) noexcept {
  if (const status s = check(scales); s != status::ok) return s;
  return scales.size() == 1 || scales.size() == channels ? status::ok : status::shape_mismatch;
}
template <class T>
DYADIC_API constexpr binary64 scale_of(view<T> scales, index_t channel) noexcept {
  return scales[scales.size() == 1 ? 0 : channel];
}

/// Sets rules[c] = derive_one(c). Writes nothing unless all channels are ok.
template <class Rule, class DeriveOne>
DYADIC_API constexpr status derive_each(view<Rule> rules, const DeriveOne& derive_one) noexcept {
  for (index_t c = 0; c < rules.size(); ++c)
    if (const status s = derive_one(c).status; s != status::ok) return s;
  for (index_t c = 0; c < rules.size(); ++c) rules[c] = derive_one(c).value;
  return status::ok;
}

}  // namespace detail

/// Sets rules[c] = clipped_to_int32::derive(bias[c], accumulator_scales[c], output_scale). The arrays bias and rules have one
/// element for each channel. The array accumulator_scales has one element, or one for each channel. Scales are double, float or
/// binary64. Returns a status, and writes nothing, if a view is unsound, a size differs, or a channel has no multiplier. Returns
/// `overlap`, and writes nothing, if the rules share memory with an input.
template <class Bias, class Scales, class Rules>
DYADIC_API constexpr status derive(const Bias& bias, const Scales& accumulator_scales, binary64 output_scale,
                                   Rules&& rules) noexcept {
  const auto biases = detail::biases_of<std::int32_t>(bias);
  const auto scales = view(accumulator_scales);
  const view<clipped_to_int32> to(rules);
  if (const status s = check_same_size(biases, to); s != status::ok) return s;
  if (const status s = detail::check_scales(scales, to.size()); s != status::ok) return s;
  if (overlap(to, biases) || overlap(to, scales)) return status::overlap;
  return detail::derive_each(
      to, [&](index_t c) { return clipped_to_int32::derive(biases[c], detail::scale_of(scales, c), output_scale); });
}

/// Sets rules[c] = clipped_to_int16::derive(bias[c], bias_scales[c], accumulator_scales[c], output_scale). The bias is int16 and
/// has its own scales. Otherwise like `derive` above.
template <class Bias, class BiasScales, class Scales, class Rules>
DYADIC_API constexpr status derive(const Bias& bias, const BiasScales& bias_scales, const Scales& accumulator_scales,
                                   binary64 output_scale, Rules&& rules) noexcept {
  const auto biases = detail::biases_of<std::int16_t>(bias);
  const auto scales_of_bias = view(bias_scales);
  const auto scales = view(accumulator_scales);
  const view<clipped_to_int16> to(rules);
  if (const status s = check_same_size(biases, to); s != status::ok) return s;
  if (const status s = detail::check_scales(scales_of_bias, to.size()); s != status::ok) return s;
  if (const status s = detail::check_scales(scales, to.size()); s != status::ok) return s;
  if (overlap(to, biases) || overlap(to, scales_of_bias) || overlap(to, scales)) return status::overlap;
  return detail::derive_each(to, [&](index_t c) {
    return clipped_to_int16::derive(biases[c], detail::scale_of(scales_of_bias, c), detail::scale_of(scales, c), output_scale);
  });
}

}  // namespace dyadic::decomposed

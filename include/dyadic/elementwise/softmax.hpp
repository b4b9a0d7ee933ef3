// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Softmax of a row: exp(x - max) / (sum of exp(x - max)), int8 in gemmlowp's fixed point, int16 by two tables. Floor 3.
/// Sources: tflite/kernels/internal/{reference/softmax.h, common.h, quantization_util.cc},
/// tflite/micro/kernels/softmax_common.cc, CMSIS-NN Source/SoftmaxFunctions/{arm_nn_softmax_common_s8.c, arm_softmax_s16.c}.
///
/// A rule is a function of a row: rule(x, y) fills y. Its sum has 64 bits; no row of fewer than 2^44 elements overflows it. The
/// engine's sum has 32 bits: the engine is undefined for some x of more than `longest_row` elements. The rule gives the engine's
/// results up to this length, and uses the same formula for longer rows.

#include <dyadic/elementwise/fixed_point.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>

namespace dyadic {

namespace detail {

/// Returns the greatest element of a row, or the least value of its type if the row is empty.
template <class X>
DYADIC_API constexpr X greatest(view<const X> x) noexcept {
  X most = limits<X>::min;
  for (index_t i = 0; i < x.size(); ++i) most = x[i] > most ? x[i] : most;
  return most;
}

/// A sum > 0 as 2^exponent * (1 + rest). `top` is its 32 highest bits, beginning with the first bit that is set. Lower bits are
/// dropped.
struct normalized_sum {
  std::uint32_t top;
  int exponent;
};
DYADIC_API constexpr normalized_sum normalize(std::int64_t sum) noexcept {
  const auto bits = static_cast<std::uint64_t>(sum);
  const int zeros = leading_zeros(bits);
  return {static_cast<std::uint32_t>((bits << zeros) >> 32), 63 - zeros};
}

/// The rule of softmax from X to Y.
template <class X, class Y, class OfInt8, class OfInt16>
struct softmax_rule : rule_of_int8_or_int16<X, OfInt8, OfInt16> {
  static_assert(!is_one_of<X, std::int16_t> || is_one_of<Y, std::int16_t>, "softmax of int16 gives int16");
};

/// Softmax of int8, as TFLite and CMSIS-NN compute it.
template <class Y, class Scheme>
struct softmax_of_int8 {
  static_assert(is_one_of<Y, std::int8_t, std::int16_t>, "softmax of int8 gives int8 or int16");
  static constexpr operator_id id = operator_id::softmax;  ///< the operator
  using argument_type = std::int8_t;                       ///< the type of x
  using value_type = Y;   ///< the type of y, with the scale 2^-(bits of Y) and the least value of Y as zero point
  using scheme = Scheme;  ///< the rule that rescales a difference to Q5
  using in_place = void;  ///< y may be x if both are int8

  /// A sum of 512 ones would be shifted by 32 bits (int8). A sum of 4096 ones would overflow an int32 with 19 bits of fraction
  /// (int16).
  static constexpr index_t longest_row = sizeof(Y) == 1 ? 511 : 4095;

  multiplier32 multiplier;        ///< scale of x * beta * 2^26: TFLite's shift is to the left, 0 or more
  std::int32_t least_difference;  ///< least difference of x and the greatest element of its row, 0 or less; a lower one gives the
                                  ///< least value of Y

  /// Derives the numbers as PreprocessSoftmaxScaling and CalculateInputRadius do. The multiplier is QuantizeMultiplier of scale *
  /// beta * 2^26, at most 2^31 - 1 (2^30 - 1 with one rounding). The least_difference is -input_radius(5, shift). Returns the
  /// status of a scale or beta that is not positive and finite. Returns `scale_too_small` for a product of 1 and less.
  DYADIC_API static constexpr result<softmax_of_int8> derive(binary32 x_scale, binary32 beta) noexcept {
    softmax_of_int8 rule{{0, 31}, 0};
    if (const status s = check_tensor_scales(x_scale, x_scale, beta); s != status::ok) return {rule, s};
    constexpr bool has_one_rounding = std::is_base_of_v<tflite::single_rounding, Scheme>;
    const binary64 most = from_integer<binary64>(has_one_rounding ? (1 << 30) - 1 : int32_max);
    const binary64 product = scale_by_power_of_two(dyadic::multiply(binary64{beta}, binary64{x_scale}), 26);
    if (!less(binary64{1.0}, product)) return {rule, status::scale_too_small};
    rule.multiplier = tflite::quantize_multiplier(less(most, product) ? most : product, half_away{}).value;
    rule.least_difference = -tflite::input_radius(5, tflite::to_pair(rule.multiplier).shift);
    return {rule, check(rule)};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests, and at least one element. y may be x of int8.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<Y> y) const noexcept {
    run(x, y, [this](std::int32_t difference) { return exponential(difference); });
  }

  /// Returns exp of a difference of elements, 0 or less, in Q0. Requires: least_difference <= difference.
  DYADIC_API constexpr std::int32_t exponential(std::int32_t difference) const noexcept {
    return gemmlowp::exp_on_negative_values<5>(static_cast<std::int32_t>(Scheme::apply(difference, multiplier)));
  }

  /// Returns the sum of exp(x - most) with 19 bits of fraction, at least 2^19: the greatest element alone gives 2^19.
  /// `exponential_of(difference)` is exp of a difference, in Q0.
  template <class Exponential>
  DYADIC_API constexpr std::int64_t sum(view<const std::int8_t> x, std::int32_t most,
                                        const Exponential& exponential_of) const noexcept {
    std::int64_t sum = 0;
    for (index_t i = 0; i < x.size(); ++i)
      if (x[i] - most >= least_difference) sum += gemmlowp::rescale<0, 12>(exponential_of(x[i] - most));
    return sum;
  }

  /// Remembers exponentials during a run. Each exponential is computed once, because int8 has at most 256 differences.
  class memory {
   public:
    /// Begins with no exponential.
    DYADIC_API explicit memory(const softmax_of_int8& rule) noexcept : rule_{rule} {
      for (std::int32_t& e : exponentials_) e = -1;
    }
    /// Fills the row y from a row x, as the rule does.
    DYADIC_API void operator()(view<const std::int8_t> x, view<Y> y) noexcept {
      rule_.run(x, y, [this](std::int32_t difference) {
        std::int32_t& e = exponentials_[-difference];
        if (e < 0) e = rule_.exponential(difference);
        return e;
      });
    }

   private:
    softmax_of_int8 rule_;
    std::int32_t exponentials_[256];
  };

  /// Returns `multiplier_out_of_range`, also for a difference that leaves Q5: within Q5 d * 2^shift < 2^31.
  DYADIC_API friend constexpr status check(const softmax_of_int8& rule) noexcept {
    const std::int32_t left_shift = tflite::to_pair(rule.multiplier).shift;
    const bool fit = rule.multiplier.mantissa >= 0 && left_shift >= 0 && rule.least_difference <= 0 &&
                     rule.least_difference >= -tflite::input_radius(5, left_shift);
    return fit ? status::ok : status::multiplier_out_of_range;
  }

 private:
  template <class Exponential>
  DYADIC_API constexpr void run(view<const std::int8_t> x, view<Y> y, const Exponential& exponential_of) const noexcept {
    const std::int32_t most = greatest(x);
    const normalized_sum n = normalize(sum(x, most, exponential_of));
    const std::int32_t reciprocal = gemmlowp::one_over_one_plus_x(static_cast<std::int32_t>(n.top & 0x7FFF'FFFFu));
    // The quotient counts 2^-(31 + exponent - 19); y counts 2^-(bits of Y).
    const int shift = n.exponent - 19 + 31 - limits<std::make_unsigned_t<Y>>::digits;
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int32_t difference = x[i] - most;
      std::int32_t quotient = 0;
      if (difference >= least_difference && shift < 32)  // a longer shift leaves less than 1/2, which rounds to 0
        quotient = gemmlowp::rounding_divide_by_pot(
            gemmlowp::saturating_rounding_doubling_high_mul(reciprocal, exponential_of(difference)), shift);
      y[i] = saturate<Y>(std::int64_t{quotient} + limits<Y>::min);
    }
  }
};

/// Softmax of int16. `Narrow` narrows the rest of the sum and the outputs as TFLite or as CMSIS-NN does.
template <class Narrow, class Scheme>
struct softmax_of_int16 {
  static constexpr operator_id id = operator_id::softmax;  ///< the operator
  using value_type = std::int16_t;                         ///< the type of x and y; y has 15 bits of fraction and is not negative
  using scheme = Scheme;                                   ///< the rule that rescales a difference to steps of the table
  using in_place = void;                                   ///< y may be x

  static constexpr index_t longest_row = int32_max / 32767;  ///< 65538: an int32 holds the sum of this many int16

  multiplier32 multiplier;                  ///< scale of x * beta * 65535 / 10: from a difference to a step of the first table
  tflite::table<std::int16_t> exponential;  ///< table of exp(v) for v in -10 .. 0, no entry below 0
  tflite::table<std::int16_t> reciprocal;   ///< table of 1 / (1 + v) for v in 0 .. 1

  /// Derives the multiplier: QuantizeMultiplier of fl64(fl64(scale * beta) / fl64(10 / 65535)).
  DYADIC_API static constexpr result<multiplier32> derive(binary32 x_scale, binary32 beta) noexcept {
    if (const status s = check_tensor_scales(x_scale, x_scale, beta); s != status::ok) return {{0, 31}, s};
    const binary64 step = divide(binary64{10.0}, binary64{65535.0});
    return Scheme::derive(divide(dyadic::multiply(binary64{x_scale}, binary64{beta}), step));
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests, and at least one element. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int16_t> x, view<std::int16_t> y) const noexcept {
    const std::int32_t most = greatest(x);
    std::int64_t sum = 0;  // with 15 bits of fraction
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int64_t step = Scheme::apply(x[i] - most, multiplier);
      y[i] = exponential(saturate<std::int16_t>(step + limits<std::int16_t>::max));
      sum += y[i];
    }
    const normalized_sum n = normalize(sum);
    // The sum rounded to 17 bits is at least 2^16. Subtracting 2^16 and 2^15 leaves the rest as an int16.
    const std::int16_t scale = reciprocal(Narrow::rest(static_cast<std::int32_t>(n.top >> 1)));
    for (index_t i = 0; i < x.size(); ++i) y[i] = Narrow::output(shift_right<half_up>(std::int64_t{y[i]} * scale, n.exponent));
  }
  /// Returns the first error of a table, whose entries are read. Returns `multiplier_out_of_range` if the scheme is not defined
  /// for some difference, -65535 .. 0. Returns `value_out_of_range` for an exponential below 0. Returns it also if the
  /// exponential of 0 is below 2 / 32768, because the sum of a row could then be too small to divide by.
  DYADIC_API friend constexpr status check(const softmax_of_int16& rule) noexcept {
    if (const status s = check(rule.exponential); s != status::ok) return s;
    if (const status s = check(rule.reciprocal); s != status::ok) return s;
    if (!takes_between<Scheme>({-65535, 0}, rule.multiplier)) return status::multiplier_out_of_range;
    for (index_t i = 0; i < rule.exponential.entries.size(); ++i)
      if (rule.exponential.entries[i] < 0) return status::value_out_of_range;
    return rule.exponential(limits<std::int16_t>::max) >= 2 ? status::ok : status::value_out_of_range;
  }
};

/// Narrows as TFLite does: nothing overflows.
struct softmax_saturates {
  DYADIC_API static constexpr std::int16_t rest(std::int32_t top) noexcept {
    return saturate<std::int16_t>(shift_right<half_up>(std::int64_t{top}, 14) - (1 << 16) - (1 << 15));
  }
  DYADIC_API static constexpr std::int16_t output(std::int64_t y) noexcept {
    return static_cast<std::int16_t>(clamp(y, 0, limits<std::int16_t>::max));
  }
};

/// Narrows as CMSIS-NN does: the sum plus a half wraps in int32, the rest and the output wrap in int16.
struct softmax_wraps {
  DYADIC_API static constexpr std::int16_t rest(std::int32_t top) noexcept {
    // Subtracting 2^16 changes nothing modulo 2^16.
    return wrap<std::int16_t>((wrap<std::int32_t>(std::int64_t{top} + (1 << 13)) >> 14) - (1 << 15));
  }
  DYADIC_API static constexpr std::int16_t output(std::int64_t y) noexcept { return wrap<std::int16_t>(y); }
};

}  // namespace detail

namespace tflite {

/// The two tables of a softmax of int16, one pair for all layers. `make_softmax_tables` fills them.
struct softmax_tables {
  std::int16_t exponential[513];  ///< exp(v) for v in -10 .. 0, 15 bits of fraction
  std::int16_t reciprocal[513];   ///< 1 / (1 + v) for v in 0 .. 1, 15 bits of fraction
};

/// SOFTMAX of int8 and int16. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
/// int8, with y of int8 or int16: `derive(x_scale, beta)`. exp takes a number in Q5, and the sum has 19 bits of fraction.
/// int16: `derive(x_scale, beta)` gives the multiplier. An engine has one pair of tables for all layers.
template <class X, class Y = X, class Scheme = double_rounding>
using softmax =
    typename dyadic::detail::softmax_rule<X, Y, dyadic::detail::softmax_of_int8<Y, Scheme>,
                                          dyadic::detail::softmax_of_int16<dyadic::detail::softmax_saturates, Scheme>>::type;

}  // namespace tflite

namespace cmsis_nn {

/// arm_softmax_s8 and arm_softmax_s8_s16: TFLite's softmax with two roundings, in any build. `check` refuses a `least_difference`
/// above 0, for which CMSIS-NN gives the least value of Y everywhere.
/// arm_softmax_s16: `tflite::softmax`, but steps wrap in two cases. Every y is doubled if the 17 bits of the sum round up to
/// 2^17, as for a sum of 2^18 - 1. A row of one element gives -32768. No step of `tflite::softmax` wraps. The scheme is
/// `single_rounding` for a build with CMSIS_NN_USE_SINGLE_ROUNDING.
template <class X, class Y = X, class Scheme = double_rounding>
using softmax =
    typename dyadic::detail::softmax_rule<X, Y, dyadic::detail::softmax_of_int8<Y, tflite::double_rounding>,
                                          dyadic::detail::softmax_of_int16<dyadic::detail::softmax_wraps, Scheme>>::type;

}  // namespace cmsis_nn
}  // namespace dyadic

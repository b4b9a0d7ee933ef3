// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Softmax as TensorFlow decomposes it into operators of TOSA: REDUCE_MAX, SUB, TABLE, REDUCE_SUM, CLZ, MUL and shifts. Floor 3.
/// Sources: tensorflow/compiler/mlir/tosa/transforms/{legalize_common.cc, convertSoftmaxOp; legalize_utils.cc}; each operator as
/// the TOSA specification has it.
///
/// As of softmax.hpp: a rule is a function of a row; its sum has 64 bits, and up to `longest_row` elements no step leaves the
/// int32 of TOSA, whatever x.

#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/softmax.hpp>

namespace dyadic::tosa {

/// exp of a difference of two int8, an int32 in Q0: its bytes in a table each, the highest first, so that no slope between two
/// entries leaves int16. Entry i is for the difference i - 256.
struct softmax_tables {
  std::int16_t bytes[4][513];  ///< each 0 .. 255, of the highest 0 .. 127
};

/// getTosaConst32bitSoftmaxExpTable: the exponentials of TFLite's softmax of int8, by its derivation; 0 where TFLite leaves an
/// element out, and for differences above 0, which no row has. Statuses of `tflite::softmax<std::int8_t>::derive`.
DYADIC_API constexpr result<softmax_tables> make_softmax_tables(binary32 x_scale, binary32 beta) noexcept {
  softmax_tables tables{};
  const auto rule = tflite::softmax<std::int8_t>::derive(x_scale, beta);
  if (rule.status != status::ok) return {tables, rule.status};
  for (std::int32_t d = rule.value.least_difference < -256 ? -256 : rule.value.least_difference; d <= 0; ++d) {
    const std::int32_t e = rule.value.exponential(d);
    for (int i = 0; i < 4; ++i) tables.bytes[i][d + 256] = static_cast<std::int16_t>((e >> (24 - 8 * i)) & 0xFF);
  }
  return {tables, status::ok};
}

namespace detail {

/// 1 / half by Newton's method in Q2, half in Q0 and 2^30 <= half: y = 48/17 - 32/17 * half, then three times y += y * (1 - half
/// * y), which is (1 - (1 - half * y)^2) / half: never above 1 / half but for its roundings, 1 unit by the inner product and 2 by
/// the outer. A sum of less than 2^28 makes 2^30, which gives 2^30, or at least 8 units more: y <= 2^30, and exp * y fits int32.
DYADIC_API constexpr std::int32_t reciprocal_of_half(std::int32_t half) noexcept {
  constexpr multiply in_q0{31};
  std::int32_t y = in_q0(half, -1010580540) + 1515870810;
  for (int i = 0; i < 3; ++i) y += in_q0(y, (1 << 29) - in_q0(y, half)) * 4;
  return y;
}

}  // namespace detail

/// SOFTMAX of int8 or int16: rule(x, y) fills the row y.
template <class X>
struct softmax;

/// Of int8: exp by four tables, the sum with 19 bits of fraction, its reciprocal by Newton. Zero points of x fall out. It is
/// `tflite::softmax<std::int8_t>` but where the sum is a power of two, whose reciprocal TFLite saturates.
template <>
struct softmax<std::int8_t> {
  using value_type = std::int8_t;              ///< of x and y; y counts 2^-8
  using in_place = void;                       ///< y may be x
  static constexpr index_t longest_row = 511;  ///< no sum of 512 ones shifts by 32 bits

  table<std::int16_t> exponential[4];  ///< exp of x - max, from bits 31..24 to bits 7..0
  std::int32_t y_zero_point = -128;    ///< of y

  /// Fills the row y from a row x of the same length. Requires: what `check` tests, one element at least. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<std::int8_t> y) const noexcept {
    const std::int32_t most = dyadic::detail::greatest(x);
    std::int64_t sum = 0;
    for (index_t i = 0; i < x.size(); ++i) sum += shift_right<half_up>(exponential_of(x[i] - most), 12);
    const dyadic::detail::normalized_sum n = dyadic::detail::normalize(sum);
    const std::int32_t reciprocal = detail::reciprocal_of_half(static_cast<std::int32_t>(n.top >> 1));
    const int shift = 12 + 31 - 8 - (31 - n.exponent);
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int32_t quotient = multiply{30}(exponential_of(x[i] - most), reciprocal);
      // Past 31 bits less than a half is left.
      y[i] = saturate<std::int8_t>(std::int64_t{shift < 32 ? shift_right<half_up>(quotient, shift) : 0} + y_zero_point);
    }
  }
  /// What is wrong with a table; `value_out_of_range` for entries that are no bytes of an exponential, or for one of 0 that is
  /// less than 2^11, of which no sum is left; `zero_point_out_of_range`. Reads the tables.
  DYADIC_API friend constexpr status check(const softmax& rule) noexcept {
    for (int i = 0; i < 4; ++i) {
      if (const status s = check(rule.exponential[i]); s != status::ok) return s;
      for (index_t k = 0; k < table_size<std::int16_t>; ++k)
        if (rule.exponential[i].entries[k] < 0 || rule.exponential[i].entries[k] > (i == 0 ? 127 : 255))
          return status::value_out_of_range;
    }
    if (rule.exponential_of(0) < 1 << 11) return status::value_out_of_range;
    return fits<std::int8_t>(rule.y_zero_point) ? status::ok : status::zero_point_out_of_range;
  }

 private:
  /// RESCALE by 128 to int16, where TABLE interpolates nothing, and its outputs, which have 7 bits of fraction, side by side.
  DYADIC_API constexpr std::int32_t exponential_of(std::int32_t difference) const noexcept {
    const auto at = static_cast<std::int16_t>(difference * 128);
    return exponential[0](at) * (1 << 17) + exponential[1](at) * (1 << 9) + exponential[2](at) * 2 +
           shift_right<half_up>(exponential[3](at), 7);
  }
};

/// Of int16, by the two tables of TFLite's, `tflite::make_softmax_tables`: RESCALE of the difference with two roundings, then
/// ADD, and CAST to int16, which drops the upper bits: a difference of less than -65535 steps of the table wraps to another
/// place of it, and a sum whose 17 highest bits round up to 2^17, as those of 2^18 - 1 do, has its reciprocal at 1 where it is
/// 1/2, so that each y is doubled. Elsewhere it is `tflite::softmax<std::int16_t>`.
template <>
struct softmax<std::int16_t> {
  using value_type = std::int16_t;                           ///< of x and y; y counts 2^-15
  using in_place = void;                                     ///< y may be x
  static constexpr index_t longest_row = int32_max / 32767;  ///< 65538: no sum of so many int16 leaves int32

  multiplier32 multiplier;          ///< scale of x * 65535 / 10: from a difference to a step of the first table
  table<std::int16_t> exponential;  ///< of exp(v) for v in -10 .. 0, no entry below 0
  table<std::int16_t> reciprocal;   ///< of 1 / (1 + v) for v in 0 .. 1

  /// The multiplier: fl64(scale / fl64(10 / 65535)), its mantissa rounded with ties away from zero; without beta, which
  /// TensorFlow leaves out. The status of a scale that is not positive and finite or of the multiplier.
  DYADIC_API static constexpr result<multiplier32> derive(binary64 x_scale) noexcept {
    if (const status s = check_tensor_scale(x_scale); s != status::ok) return {{0, 31}, s};
    const binary64 steps = divide(x_scale, divide(binary64{10.0}, binary64{65535.0}));
    return detail::derive<std::int32_t>(steps, half_away{});
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests, one element at least. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int16_t> x, view<std::int16_t> y) const noexcept {
    const std::int32_t most = dyadic::detail::greatest(x);
    std::int64_t sum = 0;  // with 15 bits of fraction
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int64_t step = scale32_double_round::apply(x[i] - most, multiplier);
      y[i] = looked_up(exponential, step + limits<std::int16_t>::max);
      sum += y[i];
    }
    const dyadic::detail::normalized_sum n = dyadic::detail::normalize(sum);
    const auto rest = static_cast<std::int32_t>(n.top >> 1) - (1 << 30);
    const std::int32_t scale = looked_up(reciprocal, std::int64_t{shift_right<half_up>(rest, 14)} - (1 << 15));
    for (index_t i = 0; i < x.size(); ++i)
      y[i] = saturate<std::int16_t>(shift_right<half_up>(std::int64_t{y[i]} * scale, n.exponent));
  }
  /// What is wrong with a table; `multiplier_out_of_range` where RESCALE or ADD is not defined for some difference, -65535 .. 0;
  /// `value_out_of_range` for an exponential below 0, or for one of 0 that is 0. Reads the tables.
  DYADIC_API friend constexpr status check(const softmax& rule) noexcept {
    if (const status s = check(rule.exponential); s != status::ok) return s;
    if (const status s = check(rule.reciprocal); s != status::ok) return s;
    if (!dyadic::detail::takes_between<scale32_double_round>({-65535, 0}, rule.multiplier))
      return status::multiplier_out_of_range;
    for (index_t i = 0; i < rule.exponential.entries.size(); ++i)
      if (rule.exponential.entries[i] < 0) return status::value_out_of_range;
    return looked_up(rule.exponential, limits<std::int16_t>::max) > 0 ? status::ok : status::value_out_of_range;
  }

 private:
  /// CAST, TABLE, and its 7 bits of fraction rounded off.
  DYADIC_API static constexpr std::int16_t looked_up(const table<std::int16_t>& from, std::int64_t at) noexcept {
    return static_cast<std::int16_t>(shift_right<half_up>(from(wrap<std::int16_t>(at)), 7));
  }
};

}  // namespace dyadic::tosa

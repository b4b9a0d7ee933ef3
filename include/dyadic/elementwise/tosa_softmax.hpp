// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Softmax as TensorFlow decomposes it into operators of TOSA: REDUCE_MAX, SUB, TABLE, REDUCE_SUM, CLZ, MUL and shifts. Floor 3.
/// Sources: tensorflow/compiler/mlir/tosa/transforms/{legalize_common.cc, convertSoftmaxOp; legalize_utils.cc}. Each operator is
/// that of the TOSA specification.
///
/// A rule is a function of a row, as in softmax.hpp. Its sum has 64 bits. Up to `longest_row` elements no step leaves the int32
/// of TOSA, whatever x.

#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/softmax.hpp>

namespace dyadic::tosa {

/// exp of a difference of two int8, an int32 in Q0. Each byte of it has a table, the highest byte first, so that no slope between
/// two entries leaves int16. Entry i is for the difference i - 256.
struct softmax_tables {
  std::int16_t bytes[4][513];  ///< each entry 0 .. 255, of the highest byte 0 .. 127
};

/// getTosaConst32bitSoftmaxExpTable: makes the exponentials of TFLite's softmax of int8, by TFLite's derivation. An entry is 0
/// where TFLite leaves an element out, and for a difference above 0, which no row has. Returns the statuses of
/// `tflite::softmax<std::int8_t>::derive`.
DYADIC_API constexpr result<softmax_tables> softmax_tables_of(binary32 x_scale, binary32 beta) noexcept {
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

/// 1 / half by Newton's method in Q2, for half in Q0 and 2^30 <= half. The first estimate is y = 48/17 - 32/17 * half. Three
/// steps follow: y += y * (1 - half * y), which is (1 - (1 - half * y)^2) / half. The estimate exceeds 1 / half only by its
/// roundings: 1 unit by the inner product and 2 units by the outer product. A sum of less than 2^28 gives either half = 2^30, for
/// which y is 2^30, or a half at least 8 units greater. Hence y <= 2^30, and exp * y fits int32.
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

/// SOFTMAX of int8: exp by four tables, the sum with 19 bits of fraction, its reciprocal by Newton's method. Zero points of x
/// cancel. It equals `tflite::softmax<std::int8_t>` unless the sum is a power of two, whose reciprocal TFLite saturates.
template <>
struct softmax<std::int8_t> {
  static constexpr operator_id id = operator_id::softmax;  ///< the operator
  using value_type = std::int8_t;                          ///< the type of x and y; y counts 2^-8
  using in_place = void;                                   ///< y may be x
  static constexpr index_t longest_row = 511;              ///< a sum of 512 ones would be shifted by 32 bits

  table<std::int16_t> exponential[4];  ///< exp of x - max, from bits 31..24 to bits 7..0
  std::int32_t y_zero_point = -128;    ///< the zero point of y

  /// Makes the tables by `softmax_tables_of`.
  DYADIC_API static constexpr result<softmax_tables> derive(binary32 x_scale, binary32 beta) noexcept {
    return softmax_tables_of(x_scale, beta);
  }
  /// Returns the rule that reads these tables.
  DYADIC_API static constexpr softmax of_tables(const softmax_tables& tables) noexcept {
    return {{{tables.bytes[0]}, {tables.bytes[1]}, {tables.bytes[2]}, {tables.bytes[3]}}};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests, and at least one element. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<std::int8_t> y) const noexcept {
    const std::int32_t most = dyadic::detail::greatest(x);
    std::int64_t sum = 0;
    for (index_t i = 0; i < x.size(); ++i) sum += shift_right<half_up>(exponential_of(x[i] - most), 12);
    const dyadic::detail::normalized_sum n = dyadic::detail::normalize(sum);
    const std::int32_t reciprocal = detail::reciprocal_of_half(static_cast<std::int32_t>(n.top >> 1));
    const int shift = 12 + 31 - 8 - (31 - n.exponent);
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int32_t quotient = multiply{30}(exponential_of(x[i] - most), reciprocal);
      // A shift by more than 31 bits leaves less than a half.
      y[i] = saturate<std::int8_t>(std::int64_t{shift < 32 ? shift_right<half_up>(quotient, shift) : 0} + y_zero_point);
    }
  }
  /// Returns the first error of a table, whose entries are read. Returns `value_out_of_range` for entries that are not bytes of
  /// an exponential. Returns it also if the exponential of 0 is less than 2^11, because it would add nothing to the sum. Returns
  /// `zero_point_out_of_range` last.
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
  /// RESCALE by 128 to int16, where TABLE interpolates nothing. The four outputs, which have 7 bits of fraction, are then joined.
  DYADIC_API constexpr std::int32_t exponential_of(std::int32_t difference) const noexcept {
    const auto at = static_cast<std::int16_t>(difference * 128);
    return exponential[0](at) * (1 << 17) + exponential[1](at) * (1 << 9) + exponential[2](at) * 2 +
           shift_right<half_up>(exponential[3](at), 7);
  }
};

/// SOFTMAX of int16, by the two tables of TFLite's softmax, `tflite::make_softmax_tables`. The difference goes through RESCALE
/// with two roundings, ADD, and CAST to int16, which drops the upper bits. A difference of less than -65535 steps of the table
/// therefore wraps to another place of the table. If the 17 highest bits of the sum round up to 2^17, as for 2^18 - 1, its
/// reciprocal is 1 and not 1/2, so that each y is doubled. Elsewhere it equals `tflite::softmax<std::int16_t>`.
template <>
struct softmax<std::int16_t> {
  static constexpr operator_id id = operator_id::softmax;    ///< the operator
  using value_type = std::int16_t;                           ///< the type of x and y; y counts 2^-15
  using in_place = void;                                     ///< y may be x
  static constexpr index_t longest_row = int32_max / 32767;  ///< 65538: an int32 holds the sum of this many int16

  multiplier32 multiplier;          ///< scale of x * 65535 / 10: from a difference to a step of the first table
  table<std::int16_t> exponential;  ///< table of exp(v) for v in -10 .. 0, no entry below 0
  table<std::int16_t> reciprocal;   ///< table of 1 / (1 + v) for v in 0 .. 1

  /// Derives the multiplier fl64(scale / fl64(10 / 65535)), its mantissa rounded with ties away from zero. There is no beta,
  /// which TensorFlow leaves out. Returns the status of a scale that is not positive and finite or of the multiplier.
  DYADIC_API static constexpr result<multiplier32> derive(binary64 x_scale) noexcept {
    if (const status s = check_tensor_scale(x_scale); s != status::ok) return {{0, 31}, s};
    const binary64 steps = divide(x_scale, divide(binary64{10.0}, binary64{65535.0}));
    return detail::derive<std::int32_t>(steps, half_away{});
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests, and at least one element. y may be x.
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
  /// Returns the first error of a table, whose entries are read. Returns `multiplier_out_of_range` if RESCALE or ADD is not
  /// defined for some difference, -65535 .. 0. Returns `value_out_of_range` for an exponential below 0, or if the exponential of
  /// 0 is 0.
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
  /// CAST, TABLE, and a rounding that removes its 7 bits of fraction.
  DYADIC_API static constexpr std::int16_t looked_up(const table<std::int16_t>& from, std::int64_t at) noexcept {
    return static_cast<std::int16_t>(shift_right<half_up>(from(wrap<std::int16_t>(at)), 7));
  }
};

}  // namespace dyadic::tosa

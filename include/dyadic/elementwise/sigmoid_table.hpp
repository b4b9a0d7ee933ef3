// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The table of 256 sigmoids of TensorFlow Lite and CMSIS-NN, for their sigmoid and tanh of int16. Floor 3.
/// Sources: tflite/kernels/internal/{common.h, reference/integer_ops/logistic.h, tanh.h}, CMSIS-NN
/// Source/NNSupportFunctions/arm_nntables.c.

#include <dyadic/elementwise/operands.hpp>

namespace dyadic::detail::over_one_lane {
#include <dyadic/elementwise/lstm.inc>
}  // namespace dyadic::detail::over_one_lane

namespace dyadic::tflite {

/// sigmoid_table_uint16. Entry i is s(i) + (s(i + 1/2) - (s(i) + s(i + 1)) / 2) / 2, to the nearest integer, where s(i) = 65536 /
/// (1 + exp(-i / 24)). An entry exceeds s(i) by half of the interpolation error in the middle between two entries. The last entry
/// is 65535.
inline constexpr std::uint16_t sigmoid_table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794, 41432, 42064, 42688, 43304, 43912,
    44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169,
    53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544, 58800, 59048,
    59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279, 61441, 61599, 61750, 61896, 62036, 62172, 62302,
    62428, 62549, 62666, 62778, 62886, 62990, 63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968,
    64030, 64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786,
    64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179,
    65194, 65208, 65221, 65234, 65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360, 65367,
    65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433, 65438, 65442, 65445, 65449, 65453, 65456,
    65459, 65462, 65465, 65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498,
    65500, 65501, 65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516, 65517, 65517, 65518,
    65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524, 65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528,
    65528, 65528, 65529, 65529, 65529, 65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534,
    65534, 65534, 65534, 65535};

namespace detail {

/// The rule that sigmoid and tanh of int16 share. The integer v = x * mantissa / 2^right_shift, ties up, counts steps of 1 /
/// 12288 of the real value of x. The output y is the curve of |v|, mirrored for a negative v. A Curve is a struct with
///   `id`: the operator.
///   `argument_bits`: the bits of |v| below an index of the table. A value of the curve is an entry times 2^bits.
///   `positive`, `negative`, `dropped_bits`: y is (value + positive) >> dropped_bits for v >= 0, else (negative - value) >>
///     dropped_bits.
template <class Curve>
struct table_activation {
  using curve = Curve;                             ///< the numbers of the function
  static constexpr operator_id id = Curve::id;     ///< sigmoid or tanh
  static constexpr int y_fraction_bits = 15;       ///< the scale of y is 2^-15
  static constexpr std::int32_t y_zero_point = 0;  ///< the zero point of y
  using value_type = std::int16_t;                 ///< the type of x and y

  multiplier32 multiplier;  ///< mantissa in 0 .. 65536, right_shift in 0 .. 31: from x to steps of 1 / 12288

  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int16_t operator()(std::int16_t x) const noexcept {
    namespace lane = dyadic::detail::over_one_lane;
    const auto entries = [](std::int32_t i) {
      return lane::adjacent_entries<std::int32_t>{sigmoid_table[i], sigmoid_table[i + 1]};
    };
    return static_cast<std::int16_t>(lane::table_curve<one_lane, Curve>(std::int32_t{x}, multiplier, entries));
  }
  /// Returns the table.
  DYADIC_API static constexpr const std::uint16_t* table() noexcept { return sigmoid_table; }
  /// Returns `multiplier_out_of_range` if the engines' x * mantissa + half leaves int32.
  DYADIC_API friend constexpr status check(const table_activation& rule) noexcept {
    const multiplier32 m = rule.multiplier;
    if (!dyadic::detail::shift_within(m, 0, 31) || m.mantissa < 0 || m.mantissa > 65536) return status::multiplier_out_of_range;
    const std::int64_t half = std::int64_t{1} << m.right_shift >> 1;
    const bool fit = std::int64_t{limits<std::int16_t>::max} * m.mantissa + half <= int32_max;
    return fit ? status::ok : status::multiplier_out_of_range;
  }
};

/// CheckedLog2: true if fl32(fl32(log(x)) * fl32(1 / fl32(log(2)))) is nearer than 1e-3 to an integer, here -12 or -11. The
/// function is true on an interval of x. A correctly rounded binary32 logarithm gives the ends of the interval.
/// @{
DYADIC_API constexpr bool passes_for_2_to_minus_12(binary32 x) noexcept {
  return x.bits >= 0x397F'D29Cu && x.bits <= 0x3980'16B5u;
}
DYADIC_API constexpr bool passes_for_2_to_minus_11(binary32 x) noexcept {
  return x.bits >= 0x39FF'D298u && x.bits <= 0x3A00'16B7u;
}
/// @}

/// Derives the multiplier of a scale that TFLite does not take for a power of two. The product scale * 12288 is doubled until it
/// exceeds 16383.5, at most 31 times, and truncated. Returns `scale_too_large` above 65536, where the kernel's product leaves
/// int32. For multipliers between 32767 and 65536 TFLite gives a result, but a debug build of TFLM fails an assertion. Returns
/// `scale_too_small` for less than 1.
DYADIC_API constexpr result<multiplier32> derive_table_multiplier(binary32 x_scale) noexcept {
  if (const status s = check_tensor_scale(x_scale); s != status::ok) return {{}, s};
  binary64 m = dyadic::multiply(binary64{x_scale}, binary64{12288.0});  // exact
  std::int32_t right_shift = 0;
  for (; right_shift < 31 && !less(binary64{16383.5}, m); ++right_shift) m = scale_by_power_of_two(m, 1);
  const auto mantissa = saturate<std::int32_t>(to_integer<to_floor>(m));
  const status s = mantissa == 0 ? status::scale_too_small : mantissa > 65536 ? status::scale_too_large : status::ok;
  return {{mantissa, right_shift}, s};
}

}  // namespace detail

}  // namespace dyadic::tflite

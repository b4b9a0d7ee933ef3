// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Averages of the window of a pool, as the engines compute them. Floor 3.
/// Sources: tflite/kernels/internal/reference/integer_ops/pooling.h, CMSIS-NN Source/PoolingFunctions, oneDNN
/// src/cpu/ref_pooling.cpp, the TOSA specification (AVG_POOL2D).
///
/// A rule is a struct with
///   `has_zero_points`: true if the rule subtracts the zero point of x and adds that of y. Else it averages stored values.
///   `valid(count)`: true if the rule is defined for windows of `count` elements.
///   `divisor(count)`: the divisor, computed once for all sums of `count` elements.
///   `apply(sum, divisor)`: the rounded sum / count in 64 bits. Requires: valid(count), |sum| <= 2^31.
/// A rule for other scales of x and y has a `multiplier`, and `derive(x_scale, y_scale)`. Then divisor and apply are not static.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>

namespace dyadic {

/// Returns x / n rounded by `Ties`, for any x. Requires: 1 <= n <= 2^62.
template <class Ties>
DYADIC_API constexpr std::int64_t divide(std::int64_t x, std::int64_t n) noexcept {
  DYADIC_ASSERT(n >= 1 && n <= std::int64_t{1} << 62);
  const std::int64_t toward_zero = x / n;
  const std::int64_t signed_rest = x % n;
  const std::int64_t floor = signed_rest < 0 ? toward_zero - 1 : toward_zero;
  const std::int64_t rest = signed_rest < 0 ? signed_rest + n : signed_rest;
  const bool up = Ties::rounds_up(2 * rest >= n, rest != 0 && 2 * rest != n, (floor & 1) != 0, x < 0);
  return up ? floor + 1 : floor;
}

/// The rounded quotient of stored values: no zero points.
template <class Ties>
struct rounded_average {
  static constexpr bool has_zero_points = false;  ///< x and y have the same zero point

  /// Returns true for 1 <= count <= 65534: an int32 then holds the sum of `count` int16 and half of the count.
  DYADIC_API static constexpr bool valid(std::int32_t count) noexcept { return count >= 1 && count <= 65534; }
  /// Returns the count itself.
  DYADIC_API static constexpr std::int32_t divisor(std::int32_t count) noexcept { return count; }
  /// Returns sum / count, ties by `Ties`.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t sum, std::int32_t count) noexcept {
    return divide<Ties>(sum, count);
  }
};

namespace tflite {
/// AveragePool of int8, uint8 and int16: (sum + count / 2) / count truncated, or (sum - count / 2) / count for a negative sum.
/// Ties go away from zero. `count` is the number of elements inside of the image.
struct average : rounded_average<half_away> {};
}  // namespace tflite

namespace cmsis_nn {
/// arm_avgpool_s8 and arm_avgpool_s16: TFLite's average. CMSIS-NN refuses a batch of no images. `check` of an
/// `average_pool_layer` takes it, and no output is computed.
struct average : rounded_average<half_away> {};
}  // namespace cmsis_nn

namespace onednn {
/// Average pooling of int8 and uint8: fl32(sum / count), ties to even. The division in binary32 rounds as the exact quotient
/// does. Its error is at most 2^-17, and a quotient that is not a tie is at least 1 / (2 * count) away from a tie.
struct average : rounded_average<half_even> {};
}  // namespace onednn

namespace tosa {
/// AVG_POOL2D: apply_scale_32(sum, reciprocal_scale(count)) with one rounding, ties up. It equals TFLite's average while |sum| is
/// below 2^29. The reciprocal is (1 + d) / count, where k = ceil(log2 count) and d = 2^-30 - r / 2^(30 + k) for the rest 0 <= r <
/// count <= 2^k. Hence 0 < d <= 2^-30, and a tie of sum / count moves away from zero. Any other quotient is at least 1 / (2 *
/// count) away from a tie, and moves by less: by |sum| * d / count. A sum of 2^29 with a count of 1 gives different averages.
struct average {
  static constexpr bool has_zero_points = true;  ///< x and y of int8 have zero points, int16 has none

  /// Returns true for 1 <= count <= 65536, with a sum in int32.
  DYADIC_API static constexpr bool valid(std::int32_t count) noexcept { return count >= 1 && count <= 65536; }
  /// Returns the reciprocal of the count.
  DYADIC_API static constexpr multiplier32 divisor(std::int32_t count) noexcept {
    return reciprocal_scale(static_cast<std::uint32_t>(count)).value;
  }
  /// Returns sum * mantissa / 2^right_shift, ties up.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t sum, multiplier32 reciprocal) noexcept {
    return scaled<rounding::single_up>(sum, reciprocal.mantissa, reciprocal.right_shift);
  }
};
}  // namespace tosa

namespace exact {

/// The average of x, rescaled from the scale of x to the scale of y, and rounded once by `Ties`: sum * mantissa / (count *
/// 2^right_shift). No engine publishes such a pool. The product is below 2^62, so that all steps are exact.
template <class Ties>
struct average {
  static constexpr bool has_zero_points = true;  ///< x and y of 8 bits have zero points, int16 has none

  multiplier32 multiplier{1, 0};  ///< scale of x / scale of y

  /// Returns true for 1 <= count <= 65536, with a sum in int32.
  DYADIC_API static constexpr bool valid(std::int32_t count) noexcept { return count >= 1 && count <= 65536; }
  /// Returns true if the mantissa is not negative and right_shift is in 0 .. 126.
  DYADIC_API static constexpr bool valid(multiplier32 m) noexcept { return m.mantissa >= 0 && rounded<Ties>::valid(m); }
  /// Derives the multiplier nearest to fl64(x / y). Returns the status of a scale that is not positive and finite or of the
  /// multiplier.
  DYADIC_API static constexpr result<average> derive(binary64 x_scale, binary64 y_scale) noexcept {
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {{}, s};
    const auto m = rounded<Ties>::derive(divide(x_scale, y_scale));
    return {{m.value}, m.status};
  }
  /// Returns the count itself.
  DYADIC_API constexpr std::int32_t divisor(std::int32_t count) const noexcept { return count; }
  /// Returns the rescaled average.
  DYADIC_API constexpr std::int64_t apply(std::int64_t sum, std::int32_t count) const noexcept {
    const std::int64_t product = sum * multiplier.mantissa;
    if (multiplier.right_shift == 0) return divide<Ties>(product, count);
    // Below 1/2 only the sign matters.
    if (multiplier.right_shift > 62) return shift_right<Ties>(std::int64_t{product > 0} - std::int64_t{product < 0}, 63);
    // The last bit is 1 if the quotient has a remainder. The bit lies below the half bit of the shift.
    const std::int64_t floor = divide<to_floor>(product, count);
    const std::int64_t sticky = floor * count != product ? 1 : 0;
    return shift_right<Ties>(2 * floor + sticky, multiplier.right_shift + 1);
  }
};

}  // namespace exact

namespace detail {
/// True if the rule rescales x to another scale of y.
/// @{
template <class Rule>
using multiplier_in = decltype(Rule::multiplier);
template <class Rule, class = void>
inline constexpr bool has_multiplier = false;
template <class Rule>
inline constexpr bool has_multiplier<Rule, std::void_t<multiplier_in<Rule>>> = true;
/// @}
}  // namespace detail

}  // namespace dyadic

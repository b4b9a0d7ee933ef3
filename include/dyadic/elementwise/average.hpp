// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How the engines average the window of a pool. Floor 2.
/// Sources: tflite/kernels/internal/reference/integer_ops/pooling.h, CMSIS-NN Source/PoolingFunctions, oneDNN
/// src/cpu/ref_pooling.cpp, the TOSA specification (AVG_POOL2D).
///
/// A rule is a struct with
///   `has_zero_points`: whether it averages values less the zero point of x, and adds that of y; else it averages stored values;
///   `valid(count)`: whether it is defined for windows of so many elements;
///   `divisor(count)`: what it divides by, once for all sums of so many elements;
///   `apply(sum, divisor)`: the rounded sum / count in 64 bits. Requires: valid(count), |sum| <= 2^31.

#include <dyadic/scheme/tosa.hpp>

namespace dyadic {

/// x / n rounded by `Ties`, for any x. Requires: 1 <= n <= 2^62.
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
  static constexpr bool has_zero_points = false;  ///< x and y have the same one

  /// 1 <= count <= 65534: then an int32 holds the sum of 16 bits and half of the count.
  DYADIC_API static constexpr bool valid(std::int32_t count) noexcept { return count >= 1 && count <= 65534; }
  /// The count itself.
  DYADIC_API static constexpr std::int32_t divisor(std::int32_t count) noexcept { return count; }
  /// sum / count, ties by `Ties`.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t sum, std::int32_t count) noexcept {
    return divide<Ties>(sum, count);
  }
};

namespace tflite {
/// AveragePool of int8, uint8 and int16: (sum + count / 2) / count truncated, for a negative sum (sum - count / 2) / count: ties
/// away from zero. `count` is that of the elements inside of the image.
struct average : rounded_average<half_away> {};
}  // namespace tflite

namespace cmsis_nn {
/// arm_avgpool_s8 and arm_avgpool_s16: the same as TFLite's. CMSIS-NN refuses a batch of no images; `check` of an
/// `average_pool_layer` takes it, and no output is computed.
struct average : rounded_average<half_away> {};
}  // namespace cmsis_nn

namespace onednn {
/// Average pooling of int8 and uint8: fl32(sum / count), ties to even. The division in binary32 is exact enough that the result
/// is that of the quotient itself: its error is at most 2^-17, a quotient that is no tie is at least 1 / (2 * count) off one.
struct average : rounded_average<half_even> {};
}  // namespace onednn

namespace tosa {
/// AVG_POOL2D: apply_scale_32(sum, reciprocal_scale(count)) with one rounding, ties up. It equals TFLite's for |sum| < 2^29: with
/// k = ceil(log2 count) the reciprocal is (1 + d) / count, d = 2^-30 - r / 2^(30 + k) for the rest 0 <= r < count <= 2^k, so that
/// 0 < d <= 2^-30. Hence a tie of sum / count leaves it away from zero; a quotient that is none is at least 1 / (2 * count) off
/// one, and moves by |sum| * d / count, which is less. With 2^29 of one element they differ.
struct average {
  static constexpr bool has_zero_points = true;  ///< of x and y, int8 alone; int16 has none

  /// 1 <= count <= 65536, with a sum in int32.
  DYADIC_API static constexpr bool valid(std::int32_t count) noexcept { return count >= 1 && count <= 65536; }
  /// The reciprocal of the count.
  DYADIC_API static constexpr multiplier32 divisor(std::int32_t count) noexcept {
    return reciprocal_scale(static_cast<std::uint32_t>(count)).value;
  }
  /// sum * mantissa / 2^right_shift, ties up.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t sum, multiplier32 reciprocal) noexcept {
    return scaled<rule::single_up>(sum, reciprocal.mantissa, reciprocal.right_shift);
  }
};
}  // namespace tosa

}  // namespace dyadic

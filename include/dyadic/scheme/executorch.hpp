// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The multipliers of ExecuTorch's backends. How its Arm backend once added a bias: decomposed.hpp. Floor 2.

#include <dyadic/scheme/tosa.hpp>

namespace dyadic::executorch {

/// The Arm backend (backends/arm): TOSA's rules; `scale32::derive` and `scale16::derive` are its derivations.
namespace arm {

using tosa::from_pairs;  // shifts to the right
using tosa::scale16;
using tosa::scale32;

}  // namespace arm

/// The Cortex-M backend: mantissa ties to even; zero gives {0, 31}; negative scales a negative mantissa. It has no limits of its
/// own: too small is below 2^-32, too large 2^30 and more, and the multiplier is ExecuTorch's all the same. For `cmsis_nn`.
namespace cortex_m {
using tflite::from_pairs;  // shifts to the left
/// The multiplier of a real scale.
DYADIC_API constexpr result<multiplier32> derive(binary64 scale) noexcept {
  return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, half_even{}), 1, 62);
}
}  // namespace cortex_m

/// The Cadence backend: the multiplier of a binary32 scale, exact; limits as in `cortex_m`.
namespace cadence {
using tflite::from_pairs;  // shifts to the left
/// The multiplier of a real scale.
DYADIC_API constexpr result<multiplier32> derive(binary32 scale) noexcept {
  return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, half_away{}), 1, 62);
}
}  // namespace cadence

}  // namespace dyadic::executorch

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The multipliers of ExecuTorch's backends. decomposed.hpp has the rule by which its Arm backend once added a bias. Floor 2.
/// Revision: ExecuTorch @ cff6f4dd.

#include <dyadic/scheme/tosa.hpp>

namespace dyadic::executorch {

/// The Arm backend (backends/arm): TOSA's rules; `scale32::derive` and `scale16::derive` are its derivations.
namespace arm {

using tosa::from_pairs;  // shifts to the right
using tosa::scale16;
using tosa::scale32;

}  // namespace arm

/// The Cortex-M backend, for the rules of `cmsis_nn`. Mantissa ties go to even. Zero gives {0, 31}, and a negative scale gives a
/// negative mantissa. ExecuTorch has no limits of its own. Returns `scale_too_small` below 2^-32 and `scale_too_large` from 2^30
/// on, in both cases with ExecuTorch's multiplier.
namespace cortex_m {
using tflite::from_pairs;  // shifts to the left
/// Returns the multiplier of a real scale.
DYADIC_API constexpr result<multiplier32> derive(binary64 scale) noexcept {
  return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, half_even{}), 1, 62);
}
}  // namespace cortex_m

/// The Cadence backend: the multiplier of a binary32 scale, exact; limits as in `cortex_m`.
namespace cadence {
using tflite::from_pairs;  // shifts to the left
/// Returns the multiplier of a real scale.
DYADIC_API constexpr result<multiplier32> derive(binary32 scale) noexcept {
  return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, half_away{}), 1, 62);
}
}  // namespace cadence

}  // namespace dyadic::executorch

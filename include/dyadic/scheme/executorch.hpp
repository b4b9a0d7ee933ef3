#pragma once
/// \file
/// The multipliers of ExecuTorch's backends, and the way its Arm backend once added a bias after int32. Floor 2.

#include <dyadic/scheme/tosa.hpp>

namespace dyadic::executorch {

/// The Arm backend (backends/arm): TOSA's rules; `scale32::derive` and `scale16::derive` are its derivations.
namespace arm {

using tosa::from_pairs;  // shifts to the right
using tosa::scale16;
using tosa::scale32;

/// A 16-bit output and the multiplier that made it.
struct bias_after_int32_result {
  std::int16_t value;
  multiplier32 multiplier;
};

/// a16w8 from October 2025 to May 2026: conv without bias, RESCALE to int32 by one, add an int32 bias, RESCALE32 to int16 by
/// bias_scale / output_scale. `status::unpredictable` where an int32 step leaves its range; then all is 0.
constexpr result<bias_after_int32_result> bias_after_int32(std::int64_t acc, std::int32_t bias, binary64 bias_scale,
                                                           binary64 output_scale) noexcept {
  if (!fits<std::int32_t>(acc)) return {{}, status::unpredictable};
  const std::int64_t sum = acc + bias;
  if (!fits<std::int32_t>(sum)) return {{}, status::unpredictable};
  const result<multiplier32> m = scale32::derive(divide(bias_scale, output_scale));
  if (m.status != status::ok) return {{}, m.status};
  const auto biased = static_cast<std::int32_t>(sum);
  if (!scale32::valid(biased, m.value)) return {{}, status::unpredictable};
  return {{saturate<std::int16_t>(scale32::apply(biased, m.value)), m.value}, status::ok};
}

}  // namespace arm

/// The Cortex-M backend: mantissa ties to even; zero gives {0, 31}; negative scales a negative mantissa. It has no limits of its
/// own: too small is below 2^-32, too large 2^30 and more, and the multiplier is ExecuTorch's all the same. For `cmsis_nn`.
namespace cortex_m {
using tflite::from_pairs;  // shifts to the left
constexpr result<multiplier32> derive(binary64 scale) noexcept {
  return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, half_even{}), 1, 62);
}
}  // namespace cortex_m

/// The Cadence backend: the multiplier of a binary32 scale, exact; limits as in `cortex_m`.
namespace cadence {
using tflite::from_pairs;  // shifts to the left
constexpr result<multiplier32> derive(binary32 scale) noexcept {
  return dyadic::detail::limit_shift(nearest<std::int32_t>(scale, half_away{}), 1, 62);
}
}  // namespace cadence

}  // namespace dyadic::executorch

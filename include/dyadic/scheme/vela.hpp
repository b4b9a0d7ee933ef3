// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The multipliers of Vela, the compiler for Ethos-U (ethosu/vela/scaling.py). Floor 2.
/// Revision: Vela @ a6f65663.

#include <dyadic/scheme/tflite.hpp>

namespace dyadic::vela {

/// quantise_scale: an unsigned mantissa with ties away from zero, which may be 2^31. Zero gives {0, 31}. Scales outside 2^-33 ..
/// 2^31, whose shift does not fit 6 bits, give {0, 16}. The small scales are flushed to zero. The large scales return
/// `status::scale_too_large`, negative scales `scale_negative`, and NaN and infinity `scale_not_finite`.
DYADIC_API constexpr result<multiplier32u> derive_scale32(binary64 scale) noexcept {
  const result<multiplier32u> r = nearest<std::uint32_t>(scale, half_away{});
  if (r.status != status::ok || r.value.mantissa == 0) return r;
  if (is_negative(scale)) return {{0, 31}, status::scale_negative};
  if (r.value.right_shift > 63) return {{0, 16}, status::ok};
  if (r.value.right_shift < 0) return {{0, 16}, status::scale_too_large};
  return r;
}

/// reduced_quantise_scale, for int16 inputs with a 64-bit bias: `derive_scale32` reduced to 15 bits as in `tflite::reduce`.
/// right_shift is in -16 .. 47, but `tflite::reduced_int64` takes only 8 .. 46.
DYADIC_API constexpr result<multiplier16> derive_reduced_int16(binary64 scale) noexcept {
  const result<multiplier32u> r = derive_scale32(scale);
  if (r.value.mantissa >= 0x7FFF'0000u) return {{0x7FFF, r.value.right_shift - 16}, r.status};
  return {tflite::reduce({static_cast<std::int32_t>(r.value.mantissa), r.value.right_shift}), r.status};
}

}  // namespace dyadic::vela

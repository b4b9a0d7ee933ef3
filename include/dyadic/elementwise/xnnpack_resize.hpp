// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// XNNPACK's bilinear resize of bytes. Floor 5. Source: src/indirection.c, xnn_indirection_init_resize_bilinear2d_hwc_q11, and
/// src/s8-ibilinear. Revision: XNNPACK @ 05c9b915.

#include <dyadic/elementwise/resize.hpp>

namespace dyadic::xnnpack {

/// Resize with 11 bits of weight along each axis. Each operation in binary32 rounds once:
///     r = in / out, or (in - 1) / (out - 1) if corners are aligned and out > 1
///     v = i * r, or with half pixel centers i * r + (r / 2 - 1/2), clamped to 0 .. in - 1
///     low = floor(v), high = min(low + 1, in - 1), weight = round((v - low) * 2048), half even
/// The sum is divided by 2^22, half up. It fits 32 bits.
///
/// Without half pixel centers the flag of XNNPACK is XNN_FLAG_TENSORFLOW_LEGACY_MODE. A compiler that fuses i * r with the
/// addition gives XNNPACK other positions. `check` returns `reads_outside` for sizes for which v is rounded up to in.
template <class X>
struct resize_bilinear {
  static_assert(sizeof(X) == 1, "XNNPACK resizes int8 and uint8");
  static constexpr bool interpolates = true;  ///< y is made of four inputs
  using argument_type = X;                    ///< the type of x
  using value_type = X;                       ///< the type of y

  tflite::resize_alignment alignment;  ///< not both flags

  /// The positions along an axis.
  struct positions {
    static constexpr std::int64_t unit = 2048;  ///< the weights of both inputs
    binary32 ratio;                             ///< r
    binary32 offset;                            ///< r / 2 - 1/2, or 0
    index_t last;                               ///< in - 1
    bool clamps;                                ///< v is clamped

    /// Returns v of output i.
    DYADIC_API constexpr binary32 position(index_t i) const noexcept {
      const binary32 v = dyadic::add(dyadic::multiply(from_integer<binary32>(i), ratio), offset);
      const binary32 end = from_integer<binary32>(last);
      if (clamps && is_negative(v)) return binary32{};
      return clamps && less(end, v) ? end : v;
    }
    /// Returns the place of output i.
    DYADIC_API constexpr resize_place operator()(index_t i) const noexcept {
      const binary32 v = position(i);
      const auto low = static_cast<index_t>(to_integer<to_floor>(v));
      const binary32 rest = dyadic::subtract(v, from_integer<binary32>(low));
      return {low, low < last ? low + 1 : last, to_integer<half_even>(scale_by_power_of_two(rest, 11))};
    }
  };
  /// Returns the positions of `out` outputs. Requires: 1 to 2^24 - 1 inputs and outputs.
  DYADIC_API constexpr positions along(int /*axis*/, index_t in, index_t out) const noexcept {
    const index_t less_one = alignment.align_corners && out > 1 ? 1 : 0;
    const binary32 r = dyadic::divide(from_integer<binary32>(in - less_one), from_integer<binary32>(out - less_one));
    const bool centers = alignment.half_pixel_centers;
    return {r, centers ? dyadic::subtract(scale_by_power_of_two(r, -1), binary32{0.5f}) : binary32{}, in - 1, centers};
  }
  /// Returns sum / 2^22, ties up.
  DYADIC_API static constexpr X finish(std::int64_t sum) noexcept { return static_cast<X>(shift_right<half_up>(sum, 22)); }
  /// Returns `illegal_operator` for both flags, `size_overflow` from 2^24 on, or `reads_outside`. Positions rise, so that the
  /// last output decides.
  DYADIC_API friend constexpr status check(const resize_bilinear& rule, int axis, index_t in, index_t out) noexcept {
    constexpr index_t most = (index_t{1} << 24) - 1;
    if (rule.alignment.align_corners && rule.alignment.half_pixel_centers) return status::illegal_operator;
    if (in > most || out > most) return status::size_overflow;
    return rule.along(axis, in, out)(out - 1).low < in ? status::ok : status::reads_outside;
  }
};

}  // namespace dyadic::xnnpack

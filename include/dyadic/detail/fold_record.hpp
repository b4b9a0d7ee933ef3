// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The result of a fold: constants, and a record of what the fold was made with. Floor 3.

#include <dyadic/int4.hpp>
#include <dyadic/window.hpp>

namespace dyadic {

/// The stored values that mean real 0, subtracted from activations and weights.
struct zero_points {
  std::int32_t x = 0;  ///< zero point of activations
  std::int32_t w = 0;  ///< zero point of weights

  /// Returns true if both zero points are equal.
  DYADIC_API friend constexpr bool operator==(zero_points a, zero_points b) noexcept { return a.x == b.x && a.w == b.w; }
  DYADIC_API friend constexpr bool operator!=(zero_points a, zero_points b) noexcept { return !(a == b); }  ///< the opposite
};

/// `yes`: a fold computes the fingerprint of the weights, which `verify` compares. The fingerprint takes a part of the time of
/// the pass over the weights. `no`: `verify` returns `fold_not_verifiable`, and nothing else differs.
enum class verifiable : std::uint8_t { yes, no };

/// The least and the greatest accumulator that some activations can produce.
struct accumulator_range {
  std::int64_t lowest = 0;   ///< the least accumulator
  std::int64_t highest = 0;  ///< the greatest accumulator
};

/// Records what a fold was made with. `check` compares the record with the layer's descriptors, `verify` with the layer's
/// weights.
struct fold_record {
  index_t channels = 0;           ///< output channels
  index_t taps_y = 1;             ///< kernel height; 1 for a linear layer
  index_t taps_x = 1;             ///< kernel width
  index_t step_y = 1;             ///< distance of the taps that one output reads; not 1 only for a transposed convolution
  index_t step_x = 1;             ///< distance of the taps along a row
  index_t depth = 0;              ///< products for each tap
  zero_points zero;               ///< zero points of activations and weights
  std::int32_t x_min = 0;         ///< the least value of the activation type
  std::int32_t x_max = 0;         ///< the greatest value of the activation type
  accumulator_range bound;        ///< accumulators of all channels, windows and activations, saturated to int64
  std::uint64_t fingerprint = 0;  ///< fingerprint of the weights; 0 if the fold did not compute it or did not read the weights
  std::int32_t w_min = 0;         ///< the least weight, or 0
  std::int32_t w_max = 0;         ///< the greatest weight, or 0
  bool has_bias = false;          ///< true if constants may include a bias

  /// Returns true if both records are for the same layers. Compares shapes, zero points and activation types, but neither bounds
  /// nor weights.
  DYADIC_API friend constexpr bool operator==(const fold_record& a, const fold_record& b) noexcept {
    return a.channels == b.channels && a.taps_y == b.taps_y && a.taps_x == b.taps_x && a.step_y == b.step_y &&
           a.step_x == b.step_x && a.depth == b.depth && a.zero == b.zero && a.x_min == b.x_min && a.x_max == b.x_max;
  }
  /// Returns the opposite.
  DYADIC_API friend constexpr bool operator!=(const fold_record& a, const fold_record& b) noexcept { return !(a == b); }
};

namespace detail {

/// Returns the number of phases of the stride along one axis. An output reads the taps of one phase. Phases beyond the kernel
/// have no tap and count as one.
DYADIC_API constexpr index_t phase_count(index_t taps, index_t step) noexcept { return step <= taps ? step : taps + 1; }

/// Returns the number of constants for each channel of a fold. If zero.x is 0, the bias is the constant of all phases.
DYADIC_API constexpr index_t constants_per_channel(const fold_record& r) noexcept {
  return r.zero.x == 0 ? 1 : phase_count(r.taps_y, r.step_y) * phase_count(r.taps_x, r.step_x);
}

/// Returns the number of constants for all channels. Returns -1, the size of no view, if the number exceeds index_t: weights
/// without depth may have any shape.
DYADIC_API constexpr index_t constants_of(const fold_record& r) noexcept {
  index_t all = 0;
  return DYADIC_MULTIPLY_OVERFLOWS(r.channels, constants_per_channel(r), &all) ? -1 : all;
}

}  // namespace detail

/// The folded constants: bias[o] - zero.x * (sum of w - zero.w over the taps of one output), modulo 2^(bits of Accumulator). A
/// tap outside the image reads zero.x, so that all windows have the same constant for a channel.
///
/// In a transposed convolution, the phase of an output is the number of its first tap. Outputs of different phases read different
/// taps. Without dilation the phase is (position + pad_before) mod stride. Unless zero.x = 0, each phase has constants of all
/// channels: phase (0, 0) first, then (0, 1) .. in x, then the next phase in y. Phases from the kernel's size on have no taps.
/// They share the constants of the first phase without taps.
template <class Accumulator>
struct folded_bias {
  view<const Accumulator> constants;  ///< constants of all channels, phase after phase
  fold_record record;                 ///< what the constants were made with

  /// Returns the constants of all channels for the outputs of a phase. Requires: phases are less than the steps of the fold.
  DYADIC_API constexpr const Accumulator* of_phase(index_t y, index_t x) const noexcept {
    DYADIC_ASSERT(0 <= y && y < record.step_y && 0 <= x && x < record.step_x);
    if (constants.size() == record.channels) return constants.data();
    const index_t row = y < record.taps_y ? y : record.taps_y;
    const index_t column = x < record.taps_x ? x : record.taps_x;
    return constants.data() + (row * detail::phase_count(record.taps_x, record.step_x) + column) * record.channels;
  }
};

namespace detail {

/// Returns the record of a linear layer's fold.
template <class X>
DYADIC_API constexpr fold_record linear_record(index_t channels, index_t depth, zero_points zero) noexcept {
  return {channels, 1, 1, 1, 1, depth, zero, operand<X>::min, operand<X>::max, {}};
}

}  // namespace detail
}  // namespace dyadic

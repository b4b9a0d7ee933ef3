// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Chooses the algorithm of a depthwise layer, how its inputs are copied, and the sizes of its tiles. No other file decides this.
/// Every threshold stands here with the figure that set it. Private. Floor 4.
///
///   plan_depthwise   the algorithm of a layer
///   window_form_of   the form of the windows of an output tile
///   input_copy_of    how the pixels of a channel tile are copied
///   tile_axis        how many outputs a tile has along an axis
///
/// A vector of int16 holds the channels of a channel tile. The figures are time without the algorithm / time with it on a Zen 5,
/// of 2026-11-27, unless they name another processor.

#include <dyadic/window.hpp>

namespace dyadic::detail {

/// An algorithm of a depthwise layer.
enum class depthwise_algorithm : std::uint8_t {
  portable,       ///< the scalar kernel of the layer
  whole_tiles,    ///< channel tiles, all full
  repeated_tile,  ///< channel tiles, all full: the last one computes some channels of the tile before once more
  padded_tile,    ///< one channel tile, whose lanes behind the last channel read the last input once more
  joined_pixels,  ///< channel tiles, the last one with several pixels of its few channels side by side
};

/// The form of the windows that a micro-kernel computes.
enum class window_form : std::uint8_t {
  any,             ///< tap after tap, or pair after pair of taps
  three_by_three,  ///< 3 x 3 taps with stride 1: neighbouring outputs share the loads of their inputs
};

/// How the pixels of a channel tile are copied as int16.
enum class input_copy : std::uint8_t {
  vectors,   ///< each pixel by one vector
  parts,     ///< fewer channels by a part of a vector; dense pixels by whole vectors
  shuffled,  ///< inputs that several channels read, by a shuffle of bytes
  elements,  ///< one element after the other
};

/// The abilities of an instruction set.
struct depthwise_capabilities {
  index_t tile_channels;     ///< channels of a tile
  index_t max_taps;          ///< of a window
  index_t max_copied_bytes;  ///< inputs of an output tile
  index_t max_tile_columns;  ///< outputs of a row of an output tile
  bool joins_pixels;         ///< whether a vector may hold several pixels of few channels

  /// The int16 inputs that are copied at a time.
  DYADIC_API constexpr index_t max_elements() const noexcept { return max_copied_bytes / 2; }
};

/// The fewest neighbouring outputs that share the loads of 3 x 3 windows. Without: MobileNetV2 1.10 .. 1.23, which is 4 % of the
/// network on AVX-512.
constexpr index_t least_sliding_outputs = 2;
/// The fewest channels whose pixels are copied one by one as parts of vectors. Pixels of fewer channels are copied as pieces of
/// bytes.
constexpr index_t least_copied_part = 16;

/// Returns whether 3 x 3 windows of neighbouring outputs share inputs. The outputs follow each other along the axis `along`.
DYADIC_API constexpr bool are_sliding_squares(const window2d& w, const window1d& along) noexcept {
  return w.y.kernel == 3 && w.x.kernel == 3 && along.stride == 1 && along.dilation == 1;
}
/// Returns the form of the windows of `outputs` neighbouring outputs.
DYADIC_API constexpr window_form window_form_of(bool are_squares, index_t outputs) noexcept {
  return are_squares && outputs >= least_sliding_outputs ? window_form::three_by_three : window_form::any;
}

/// Returns how the pixels of a tile of `count` channels are copied. `multiplier` neighbouring channels read the same input. If
/// several channels read an input, a shuffle repeats it: micro_speech, 8 channels of one input, takes 5.2 times as long without
/// on AVX-512, 1.8 on AVX2, 1.4 on SSE4.1.
DYADIC_API constexpr input_copy input_copy_of(const depthwise_capabilities& c, index_t multiplier, index_t count) noexcept {
  if (multiplier != 1) return c.joins_pixels ? input_copy::shuffled : input_copy::elements;
  if (count == c.tile_channels) return input_copy::vectors;
  return c.joins_pixels ? input_copy::parts : input_copy::elements;
}

/// Returns the algorithm of a layer. Joined pixels: person detection, 8 and 16 channels, 1.6 on AVX-512 and 1.3 on AVX2, which is
/// 20 % and 6 % of the network. After full tiles they are no faster than repeated channels: MobileNetV2, 144 channels, 1.00.
DYADIC_API constexpr depthwise_algorithm plan_depthwise(const depthwise_capabilities& c, index_t taps,
                                                        index_t channels) noexcept {
  if (taps > c.max_taps) return depthwise_algorithm::portable;
  if (channels < c.tile_channels) return c.joins_pixels ? depthwise_algorithm::joined_pixels : depthwise_algorithm::padded_tile;
  const bool are_full = quotient(channels, c.tile_channels) * c.tile_channels == channels;
  return are_full ? depthwise_algorithm::whole_tiles : depthwise_algorithm::repeated_tile;
}

inline namespace DYADIC_ISA {

/// An axis of the output tiles of a layer: how many outputs a tile has, and which inputs are copied for them.
struct tile_axis : window_axis {
  index_t outputs = 1;  ///< of a tile
  index_t step = 1;     ///< from one copied input to the next
  index_t size = taps;  ///< inputs copied for a tile at most

  /// Fits the outputs to a copy of `max` inputs. If one window does not fit, it is copied without the inputs between its taps.
  __attribute__((noinline)) constexpr tile_axis(const window_axis& a, index_t max) noexcept : window_axis{a} {
    const bool fits_all = (windows - 1) * stride + span() <= max;  // without a division
    if (fits_all || span() <= max) {
      outputs = fits_all ? windows : (max - span()) / stride + 1;
      size = copied(outputs);
    } else {
      step = tap_stride;
    }
  }
  /// Returns how many inputs are copied for n outputs.
  constexpr index_t copied(index_t n) const noexcept { return step == 1 ? (n - 1) * stride + span() : taps; }
  /// The inputs that are copied for some outputs. Inputs begin .. end - 1 are inside the image; input `begin` is number `at` of
  /// the image.
  struct range {
    index_t count;
    index_t begin;
    index_t end;
    index_t at;
  };
  /// Returns the inputs that are copied for n outputs from `output` on.
  __attribute__((noinline)) constexpr range copied_from(index_t output, index_t n) const noexcept {
    const index_t count = copied(n);
    const index_range in = inside(first(output), count, step);
    return {count, in.begin, in.end, first(output) + in.begin * step};
  }
  /// Returns how many copied inputs lie between the inputs of two outputs, and of two taps.
  /// @{
  constexpr index_t output_distance() const noexcept { return outputs > 1 ? stride : 0; }
  constexpr index_t tap_distance() const noexcept { return taps == 1 ? 0 : step == 1 ? tap_stride : 1; }
  /// @}
};

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

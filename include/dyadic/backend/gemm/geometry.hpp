// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The positions of the windows of images, and the lengths of their lines and copies in elements of any type. Private. Floor 4.

#include <dyadic/window.hpp>

namespace dyadic::detail {

/// A range of the windows of several images: `size` windows from window `first` on, in the order of outputs. The range is whole
/// output lines. If `pixels` neighbouring windows are one row of an LHS, they count as one window.
struct window_grid {
  window_axis v;
  window_axis h;
  index_t image_stride;  ///< stride between images of the output, in elements
  index_t first;
  index_t size;
  index_t pixels = 1;   ///< neighbouring windows in a row
  index_t to_next = 0;  ///< inputs from a window to the next window of a row

  struct place {
    index_t image;
    index_t y;
    index_t x;
  };
  DYADIC_API constexpr index_t count() const noexcept { return size; }
  DYADIC_API constexpr place place_of(index_t row) const noexcept {
    const index_t line = (first + row) / h.windows;
    return {line / v.windows, line % v.windows, (first + row) % h.windows};
  }
  DYADIC_API constexpr index_t left_in_line(index_t row) const noexcept { return h.windows - (first + row) % h.windows; }
  /// Returns how many inputs of one line of an image `rows` rows cover.
  DYADIC_API constexpr index_t covered(index_t rows) const noexcept {
    return (rows - 1) * h.stride + (pixels - 1) * to_next + h.taps;
  }
};

/// The windows of a grid, and the channels of their images. Padding of lines or taps in a copy is multiplied by weights of 0, so
/// that its values do not matter.
struct image_windows : window_grid {
  index_t channel;         ///< the first channel
  index_t inputs;          ///< inputs of each tap
  index_t channels;        ///< channels of each tap in a copy, which pads each group to group_channels
  index_t group_inputs;    ///< inputs of each tap that one output sums; fewer than `inputs` if a panel has several groups
  index_t group_channels;  ///< group_inputs with the padding of a copy
  index_t group_outputs;
  index_t first_output;  ///< first output channel of the first group
  index_t line;          ///< length of a window line in a copy, in elements

  /// Makes the windows of one group, with `depth` inputs for each tap. A copy pads lines to a multiple of `lines_fill` elements
  /// and taps to a multiple of `taps_fill`.
  DYADIC_API constexpr image_windows(const window_grid& grid, index_t depth, index_t outputs, index_t lines_fill,
                                     index_t taps_fill) noexcept
      : window_grid{grid},
        channel{0},
        inputs{depth},
        channels{fill_up(depth, taps_fill)},
        group_inputs{depth},
        group_channels{channels},
        group_outputs{outputs},
        first_output{0},
        line{fill_up(h.taps * channels, lines_fill)} {}

  DYADIC_API constexpr index_t depth() const noexcept {
    return group_channels == channels ? width() : v.taps * h.taps * group_channels;
  }
  /// Returns the windows of `groups` groups.
  DYADIC_API constexpr image_windows of_groups(index_t groups) const noexcept {
    image_windows all = *this;
    all.inputs = groups * group_inputs;
    all.channels = groups * group_channels;
    all.line += h.taps * (all.channels - channels);
    return all;
  }
  /// Returns the windows with `count` neighbours as one row. Requires: count divides the windows of an output line.
  DYADIC_API constexpr image_windows of_pixels(index_t count) const noexcept {
    image_windows all = *this;
    all.pixels = count;
    all.to_next = h.stride;
    all.h.windows /= count;
    all.h.stride *= count;
    all.h.output_stride *= count;
    all.first /= count;
    all.size /= count;
    return all;
  }
  /// Returns the number of elements of a window in a copy.
  DYADIC_API constexpr index_t width() const noexcept { return v.taps * line; }
  /// Returns whether different columns of a panel read different inputs.
  DYADIC_API constexpr bool has_groups() const noexcept { return group_channels != channels || pixels != 1; }
  /// Returns the number of padding elements behind each tap, or behind the taps of each line.
  DYADIC_API constexpr index_t tap_padding() const noexcept { return channels - inputs; }
  DYADIC_API constexpr index_t line_padding() const noexcept { return line - h.taps * channels; }
  /// Returns how many elements of one line of the image the windows of `rows` rows cover.
  DYADIC_API constexpr index_t line_size(index_t rows) const noexcept { return covered(rows) * channels; }
};

inline namespace DYADIC_ISA {

/// Writes the offsets of the outputs of `count` windows, from window `row` on. An offset counts from the outputs of the first
/// window of the first image.
inline DYADIC_NOINLINE void output_offsets(const window_grid& grid, index_t row, int count, index_t* to) noexcept {
  window_grid::place at = grid.place_of(row);
  for (int i = 0; i < count; ++i) {
    to[i] = at.image * grid.image_stride + at.y * grid.v.output_stride + at.x * grid.h.output_stride;
    if (++at.x < grid.h.windows) continue;
    at.x = 0;
    if (++at.y < grid.v.windows) continue;
    at.y = 0;
    ++at.image;
  }
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where the windows of images are, and what of them lies together in memory, whatever the elements. Private. Floor 4.

#include <dyadic/config.hpp>
#include <dyadic/view.hpp>

namespace dyadic::detail {

/// One axis of a grid of windows: tap i of window n reads input origin + n * stride + i * tap_stride, if there is one.
struct window_axis {
  index_t windows;
  index_t taps;
  index_t origin;
  index_t stride;
  index_t tap_stride;
  index_t inputs;
  index_t output_stride;  ///< from the outputs of one window to those of the next
};

/// The windows of a grid in each of several images, one after the other: those from `first` on, `size` of them, all of some
/// output lines. Several neighbouring windows can be one row of an LHS: then they count as one.
struct window_grid {
  window_axis v;
  window_axis h;
  index_t image_stride;  ///< of outputs
  index_t first;
  index_t size;
  index_t pixels = 1;   ///< windows of a row
  index_t to_next = 0;  ///< inputs from one of them to the next

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
  /// The inputs of one line of an image that so many rows cover.
  DYADIC_API constexpr index_t covered(index_t rows) const noexcept {
    return (rows - 1) * h.stride + (pixels - 1) * to_next + h.taps;
  }
};

/// The windows of a grid, and the channels of the images that they have. What fills lines or taps in a copy, weights of 0
/// multiply: its values do not matter.
struct image_windows : window_grid {
  index_t channel;         ///< the first one
  index_t inputs;          ///< of each tap
  index_t channels;        ///< of each tap in a copy: those of each group are filled to group_channels
  index_t group_inputs;    ///< what one output sums of them; fewer where the columns of a panel are those of several groups
  index_t group_channels;  ///< and in a copy
  index_t group_outputs;
  index_t first_output;  ///< of the first group
  index_t line;          ///< elements of a line of a window in a copy

  /// Windows of one group, of `depth` inputs for each tap. `lines_fill`, `taps_fill`: multiples of elements in a copy.
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
  /// The same windows of so many groups.
  DYADIC_API constexpr image_windows of_groups(index_t groups) const noexcept {
    image_windows all = *this;
    all.inputs = groups * group_inputs;
    all.channels = groups * group_channels;
    all.line += h.taps * (all.channels - channels);
    return all;
  }
  /// The same windows, so many of which are a row. Requires: they divide the windows of an output line.
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
  /// Elements of a window in a copy.
  DYADIC_API constexpr index_t width() const noexcept { return v.taps * line; }
  /// Whether the columns of a panel do not all read the same inputs.
  DYADIC_API constexpr bool has_groups() const noexcept { return group_channels != channels || pixels != 1; }
  /// What fills each tap, and each line behind its taps.
  DYADIC_API constexpr index_t tap_padding() const noexcept { return channels - inputs; }
  DYADIC_API constexpr index_t line_padding() const noexcept { return line - h.taps * channels; }
  /// The elements of one line of the image that the windows of so many rows cover.
  DYADIC_API constexpr index_t line_size(index_t rows) const noexcept { return covered(rows) * channels; }
};

inline namespace DYADIC_ISA {

/// How far the outputs of `count` windows from `row` on are from those of the first window of the first image.
inline __attribute__((noinline)) void output_offsets(const window_grid& grid, index_t row, int count, index_t* to) noexcept {
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Chooses the algorithm of a layer, and how the algorithm reads its inputs. No other file decides this, except that a file
/// compiled with -Os runs layers by compact/ on `mve` and `dsp`. The choice depends on shapes, on the order of the weights and on
/// what a backend can do. Every threshold stands here with the figure that set it. Private. Floor 4.
///
/// Matrix products. The figures are new time / old time.
///   plan_rows        the algorithm for rows of a matrix: a linear layer, or a 1x1 convolution over dense images
///   plan_windows     the algorithm for the windows of a convolution
///   lhs_form_of      how the algorithm reads windows
///
/// Depthwise layers. The figures are time without the algorithm / time with it.
///   plan_depthwise   the algorithm of a layer
///   window_form_of   the form of the windows of an output tile
///   input_copy_of    how the pixels of a channel tile are copied
///   tile_axis        how many outputs a tile has along an axis
///
/// Figures are of a Zen 5 with AVX-512 VNNI, measured on 2026-11-27, unless they name another processor or date.

#include <dyadic/backend/gemm/geometry.hpp>
#include <dyadic/detail/pack_channel.hpp>
#include <dyadic/window.hpp>

namespace dyadic::detail {

/// An algorithm of the matrix product.
enum class gemm_algorithm : std::uint8_t {
  portable,      ///< the scalar kernel of the layer
  dot_products,  ///< one dot product along the depth for each output: gemm/gemv_lanes.inc
  one_row,       ///< one row by all panels, then the epilogue of the row: gemm/driver.inc
  tiles,         ///< tiles of rows by packed panels: gemm/panel_loops.hpp
  pixel_tiles,   ///< tiles whose panel has 8 channels for two or four pixels: wide/group_tile.inc
  group_tiles,   ///< tiles whose panel has the channels of several groups: wide/group_tile.inc
  gemv,          ///< few rows by weights that are not packed: gemm/gemv_lanes.inc, gemm/gemv_steps.inc
  packing,       ///< tiles by panels that are packed during the run: gemm/packing.inc
};

/// How the LHS is read.
enum class lhs_form : std::uint8_t {
  in_place,        ///< rows of a matrix, without a copy
  copied_rows,     ///< a copy of each row, or of each window run by run
  copied_windows,  ///< a copy of each small window: by masks, or from a copy of the lines that the windows cover
  lines,           ///< windows inside one copy of the lines that they share
};

/// The abilities of an instruction set, a micro-kernel and an output. The types of a problem determine them.
struct gemm_capabilities {
  index_t nr;                  ///< columns of a panel
  index_t kr;                  ///< elements of the depth that are multiplied together
  index_t lanes;               ///< columns of a vector
  index_t max_mr;              ///< rows of a tile in memory
  index_t max_buffered_depth;  ///< elements of each row of a tile that are copied at a time
  index_t element_bytes;       ///< bytes of an element of the LHS
  index_t lhs_group;           ///< elements of a row that are packed together
  index_t max_depth_at_once;   ///< greatest depth of sums that are not added in pieces
  index_t min_rows_to_pack;    ///< fewer rows run by GEMV if weights are not packed
  bool is_packed;              ///< whether the weights are packed for this micro-kernel
  bool is_converted;           ///< whether the LHS is always copied, to elements of another type
  bool has_masks;              ///< whether parts of vectors are loaded and stored as fast as whole ones
  bool masks_windows;          ///< has_masks, and windows are copied without a conversion
  bool copies_vectors;         ///< whether copies by vectors are cheaper than memcpy
  bool copies_parts;           ///< whether parts of vectors can be copied
  bool has_dot_products;       ///< whether dot products run layers of few channels, and portable code runs tiny layers
  bool has_one_row;            ///< whether there is a loop over all panels for one row: false on NEON, dsp and AVX-512
  bool has_gemv;               ///< whether few rows run by weights that are not packed
  bool has_group_tiles;
  bool has_pixel_tiles;
};

/// The shape of one run of a matrix product.
struct rows_shape {
  index_t rows;
  index_t depth;
  index_t channels;
  bool has_weight_zero;
  bool has_packed_rows;  ///< packed_order::in_rows
};

/// The most output channels that run as dot products along the depth, if the weights of a channel lie in a row. A panel of NR
/// columns would leave most of its columns empty. Packed: 1x1x64 0.31, 1x3x1024 0.2 to 0.4, 4x3x1024 0.3 to 0.4, 16x2x64 0.4
/// to 0.7, 8x3x64 0.5 to 0.9. Many short rows become slower: 49x3x16 takes 1.1 times as long on AVX2.
constexpr index_t most_few_channels = 3;
/// The most output channels of packed weights on NEON that run as dot products. With three channels, dot products would take 2.1
/// times as many instructions (49x3x256).
constexpr index_t most_few_neon_channels = 1;
/// The most products of an unpacked linear layer that runs in portable code, because preparing a block costs 100 ns. Without
/// packed weights, 1x8x16 of a8w8 takes 0.55 times as long, and 1x16x64 of a16w8 0.46 times (AVX-512).
constexpr index_t most_portable_products = 1024;

/// Windows with padded lines share a copy of lines only if an output line has at least this number of tiles of windows. On
/// shorter lines copied windows make whole tiles. `lines` would take 1.12 times as long for 5x5 windows over 7x7 images.
constexpr index_t tiles_in_a_filled_line = 2;
/// Limits of windows that are copied whole. The layer of DS-CNN with 10x4 windows of one channel takes 0.70 times as long
/// (without masks).
/// @{
constexpr index_t most_copied_window = 512;  ///< elements of a window
constexpr index_t most_masked_lines = 24;    ///< lines of a window that masks copy
constexpr index_t most_short_line = 8;       ///< elements of a line that masks always copy
/// @}
/// The most bytes of a copy of whole output lines. A larger copy would displace the weights from the L1 cache.
constexpr index_t most_held_bytes = 8 * 1024;
/// The fewest windows of a line whose pixels share a panel: without masks, with masks. The stem of person detection, 8 channels,
/// takes 0.77 times as long on AVX-512, and 0.91 times on AVX2.
/// @{
constexpr index_t least_pixels = 8;
constexpr index_t least_masked_pixels = 12;
/// @}

/// Lines of windows are padded only for panels with more columns than this, and only if padding adds at most half. With narrow
/// panels (SSE4.1), padding makes a layer 1.06 times as slow. With AVX2 it does not change the time of ResNet-18's stem, whose
/// lines have 21 elements.
constexpr index_t narrow_panel = 8;
/// The number of output channels that a panel repeats for neighbouring pixels.
constexpr index_t repeated_channels = 8;

/// The greatest depth of panels with room for blocks. Whole rows are copied, at least one at a time.
constexpr index_t most_depth_in_blocks = 16384;
/// The fewest weights of a channel, and the fewest channels, of panels with room for blocks.
/// @{
constexpr index_t least_depth_in_blocks = 64;
constexpr index_t least_channels_in_blocks = 17;
/// @}

/// Returns the order of panels that may be in blocks, for a window of `lines` lines. The order has no lines if panels have no
/// room for blocks. Lines must be whole blocks. A single line may be padded by an eighth.
DYADIC_API constexpr packed_order order_with_blocks(const packed_layout& layout, index_t rows, index_t cols,
                                                    index_t lines) noexcept {
  packed_order order{};
  if (!layout.has_blocks || rows < least_channels_in_blocks || cols < least_depth_in_blocks || cols > most_depth_in_blocks ||
      lines < 1)
    return order;
  const index_t filled = fill_up(cols, block_layout::depth);
  if (lines == 1 ? 8 * filled <= 9 * cols : filled == cols && cols % (lines * block_layout::depth) == 0)
    order.lines = static_cast<std::uint16_t>(lines);
  return order;
}
/// Returns the order of the weights of `rows` output channels of a linear layer.
DYADIC_API constexpr packed_order order_of_linear(const packed_layout& layout, index_t rows, index_t cols) noexcept {
  if (rows > 0 && rows <= layout.rows) return {1, 1, true};
  return layout.has_blocks ? order_with_blocks(layout, rows, cols, 1) : packed_order{};
}

/// Returns the order of the weights of a convolution in a layout. Runs are the lines of the window, or its taps if groups > 1.
/// Runs are padded if they are not whole KR. Lines are padded only on wide panels, and only if padding adds at most half. If a
/// layer has 8 channels, a panel repeats them for nr / 8 neighbouring pixels. Requires: a sound window.
DYADIC_API constexpr packed_order order_of_conv2d(const packed_layout& layout, index_t rows, index_t cols, const window2d& window,
                                                  index_t groups) noexcept {
  packed_order order{};
  if (!layout.pads_runs || groups < 1 || cols <= 0 || cols > limits<index_t>::max / (4 * layout.kr)) return order;
  if (groups == 1 && window.x.dilation != 1) return order;
  const bool is_wide = layout.nr > narrow_panel;
  const index_t runs = groups == 1 ? window.y.kernel : window.y.kernel * window.x.kernel;
  if (cols % runs == 0 && cols / runs % layout.kr != 0) {
    const index_t length = fill_up(cols / runs, layout.kr);
    if (groups > 1 || (is_wide && length <= fill_up(cols, layout.kr) / runs * 3 / 2)) order.runs = runs;
  }
  const bool is_window = window.y.kernel * window.x.kernel > 1;
  const bool are_whole_lines = layout.padded_depth(cols, order.runs) / window.y.kernel % layout.kr == 0;
  if (groups == 1 && is_window && rows == repeated_channels && is_wide && are_whole_lines)
    order.pixels = layout.nr / repeated_channels;
  if (groups == 1 && order.runs == 1 && order.pixels == 1) return order_with_blocks(layout, rows, cols, window.y.kernel);
  return order;
}

/// The number of elements that fit in the copies of the rows of a tile.
DYADIC_API constexpr index_t copy_capacity(const gemm_capabilities& c) noexcept { return c.max_mr * c.max_buffered_depth; }

/// Returns whether windows can be read from one copy of their lines: lines are whole groups, and the copy has room. If
/// `copies_vectors`, windows that fit in the copy do not share lines. Computes the size last, because a stride beyond the window
/// may overflow it.
DYADIC_API constexpr bool shares_lines(const gemm_capabilities& c, const image_windows& x) noexcept {
  const bool is_whole = c.copies_vectors && x.depth() <= c.max_buffered_depth;
  return !is_whole && x.h.tap_stride == 1 && x.v.taps > 0 && x.h.stride <= x.pixels * x.h.taps && x.line > 0 &&
         (x.line & -c.kr) == x.line && x.channels % c.lhs_group == 0 && x.line <= copy_capacity(c) &&
         x.line_size(c.max_mr) + x.line_padding() <= copy_capacity(c) / x.v.taps;
}

/// Returns how many rows a copy of lines holds. It holds all rows of an output line if they take at most `most_held_bytes`, else
/// the rows of a tile.
DYADIC_API constexpr index_t rows_held(const gemm_capabilities& c, const image_windows& x) noexcept {
  const index_t room =
      copy_capacity(c) < most_held_bytes / c.element_bytes ? copy_capacity(c) : most_held_bytes / c.element_bytes;
  const index_t inputs = room / x.channels;
  const bool holds_line = x.h.windows > c.max_mr && x.h.windows <= inputs && x.v.taps * x.covered(x.h.windows) <= inputs;
  return holds_line ? x.h.windows : c.max_mr;
}

/// Returns whether groups of `outputs` columns and `steps` steps can share panels. The groups that one vector of columns reads
/// must lie in one vector of the LHS.
DYADIC_API constexpr bool groups_share_panels(const gemm_capabilities& c, index_t outputs, index_t steps) noexcept {
  const index_t aligned = outputs & -outputs;
  const index_t in_group = outputs - (aligned < c.lanes ? aligned : c.lanes);  // the last place in a group where a vector begins
  const index_t others = (in_group + c.lanes - 1) / outputs;                   // groups after the first group of a vector
  return others * steps < c.lanes;
}

inline namespace DYADIC_ISA {

/// Returns how windows are read. The pixels of the image are `pixel_stride` elements apart.
DYADIC_NOINLINE constexpr lhs_form lhs_form_of(const gemm_capabilities& c, const image_windows& x,
                                               index_t pixel_stride) noexcept {
  const bool shares = shares_lines(c, x);
  const bool is_small = c.copies_parts && x.h.tap_stride == 1 && x.tap_padding() == 0 && !x.has_groups() && x.width() > 0 &&
                        x.width() <= most_copied_window;
  if (is_small) {
    const bool is_filled = x.line_padding() != 0;
    const bool is_short = x.h.windows < (is_filled ? tiles_in_a_filled_line * c.max_mr : c.max_mr);
    const index_t vector = 4 * c.lanes / c.element_bytes;
    const index_t piece = 16 / c.element_bytes;
    if (c.masks_windows) {
      if (pixel_stride == x.channels && x.v.taps <= most_masked_lines && x.line < vector &&
          (x.line <= most_short_line || is_short || !shares))
        return lhs_form::copied_windows;
    } else if ((!shares || (is_short && is_filled)) && x.h.stride <= x.h.taps &&
               c.max_mr * fill_up(x.width(), piece) + x.v.taps * x.line_size(c.max_mr) + 2 * piece <= copy_capacity(c)) {
      return lhs_form::copied_windows;
    }
  }
  return shares ? lhs_form::lines : lhs_form::copied_rows;
}

/// Returns how many groups of a convolution run as one problem. A group of several whole panels runs alone. Joined groups need
/// group tiles of the backend, and copies with room for the windows of all groups.
DYADIC_NOINLINE constexpr index_t groups_together(const gemm_capabilities& c, const image_windows& x, index_t groups,
                                                  bool has_weight_zero) noexcept {
  const index_t steps = quotient(x.group_channels, c.kr);
  const index_t outputs = x.group_outputs;
  const bool are_panels = fill_up(outputs, c.nr) == outputs && outputs > c.nr;
  if (!c.has_group_tiles || groups == 1 || has_weight_zero || steps == 0 || are_panels || x.group_channels % c.kr != 0 ||
      x.line_padding() != 0 || x.depth() > c.max_depth_at_once || !groups_share_panels(c, outputs, steps))
    return 1;
  for (; groups > 1; groups = (groups + 1) / 2) {
    const image_windows all = x.of_groups(groups);
    if ((all.tap_padding() == 0 && all.width() <= c.max_buffered_depth) || shares_lines(c, all)) return groups;
  }
  return 1;
}

/// The shape of one run of a convolution, without its windows.
struct windows_shape {
  index_t groups;
  index_t pixels;  ///< pixels for which a panel repeats its channels: packed_order
  bool has_weight_zero;
  bool is_matrix;       ///< whether the windows are the rows of a matrix
  bool outputs_follow;  ///< whether the outputs of neighbouring pixels are contiguous
};

/// How a convolution is computed.
struct windows_plan {
  gemm_algorithm algorithm;  ///< `tiles` or `packing`: if the windows are rows of a matrix, plan_rows decides instead
  index_t groups = 1;        ///< groups of one problem
};

DYADIC_NOINLINE constexpr windows_plan plan_windows(const gemm_capabilities& c, const image_windows& x,
                                                    const windows_shape& s) noexcept {
  const gemm_algorithm plain = c.is_packed ? gemm_algorithm::tiles : gemm_algorithm::packing;
  if (s.is_matrix && fill_up(x.group_outputs, c.nr) == x.group_outputs) return {plain};
  if (c.has_pixel_tiles && s.pixels > 1 && !s.is_matrix && !s.has_weight_zero && s.outputs_follow &&
      x.depth() <= c.max_depth_at_once && x.h.windows >= (c.has_masks ? least_masked_pixels : least_pixels) &&
      x.h.windows % s.pixels == 0 && shares_lines(c, x.of_pixels(s.pixels)))
    return {gemm_algorithm::pixel_tiles};
  const index_t together = groups_together(c, x, s.groups, s.has_weight_zero);
  return {together > 1 ? gemm_algorithm::group_tiles : plain, together};
}

DYADIC_NOINLINE constexpr gemm_algorithm plan_rows(const gemm_capabilities& c, const rows_shape& s) noexcept {
  if (c.has_dot_products && (c.is_packed ? s.has_packed_rows : s.channels <= most_few_channels))
    return gemm_algorithm::dot_products;
  if (!c.is_packed) {
    if (c.has_dot_products && s.rows * s.channels * s.depth <= most_portable_products) return gemm_algorithm::portable;
    return c.has_gemv && s.rows < c.min_rows_to_pack ? gemm_algorithm::gemv : gemm_algorithm::packing;
  }
  const bool is_one = s.rows == 1 && !s.has_weight_zero && (!c.is_converted || s.depth <= c.max_buffered_depth);
  return c.has_one_row && is_one ? gemm_algorithm::one_row : gemm_algorithm::tiles;
}

}  // namespace DYADIC_ISA

/// An algorithm of a depthwise layer.
enum class depthwise_algorithm : std::uint8_t {
  portable,       ///< the scalar kernel of the layer
  whole_tiles,    ///< full channel tiles
  repeated_tile,  ///< full channel tiles; the last tile computes some channels of the tile before it a second time
  padded_tile,    ///< one channel tile; lanes behind the last channel read the last input
  joined_pixels,  ///< one channel tile, with several pixels of its few channels side by side
};

/// The form of the windows that a micro-kernel computes.
enum class window_form : std::uint8_t {
  any,             ///< tap after tap, or pair after pair of taps
  three_by_three,  ///< 3 x 3 taps with stride 1: neighbouring outputs share the loads of their inputs
};

/// How the pixels of a channel tile are copied as int16.
enum class input_copy : std::uint8_t {
  vectors,   ///< each pixel by one vector
  parts,     ///< pixels of fewer channels by parts of vectors; dense pixels by whole vectors
  shuffled,  ///< inputs that several channels read are repeated by a shuffle of bytes
  elements,  ///< one element after the other
};

/// The abilities of an instruction set.
struct depthwise_capabilities {
  index_t tile_channels;     ///< channels of a tile
  index_t max_taps;          ///< taps of a window
  index_t max_copied_bytes;  ///< bytes of the copied inputs of an output tile
  index_t max_tile_columns;  ///< outputs of a row of an output tile
  bool joins_pixels;         ///< whether a vector may hold several pixels of few channels

  /// The int16 inputs that are copied at a time.
  DYADIC_API constexpr index_t max_elements() const noexcept { return max_copied_bytes / 2; }
};

/// The fewest neighbouring outputs that share the loads of 3 x 3 windows. Such layers of MobileNetV2 are 1.10 to 1.23 times as
/// fast, and the network is 4 % faster (AVX-512).
constexpr index_t least_sliding_outputs = 2;
/// The fewest channels whose pixels are copied one by one as parts of vectors. Pixels of fewer channels are copied as pieces of
/// bytes.
constexpr index_t least_copied_part = 16;

/// Returns whether 3 x 3 windows of neighbouring outputs share inputs. The outputs follow each other along the axis `along`.
DYADIC_API constexpr bool are_sliding_squares(const window2d& w, const window1d& along) noexcept {
  return w.y.kernel == 3 && w.x.kernel == 3 && along.stride == 1 && along.dilation == 1;
}
/// Returns the window form for `outputs` neighbouring outputs.
DYADIC_API constexpr window_form window_form_of(bool are_squares, index_t outputs) noexcept {
  return are_squares && outputs >= least_sliding_outputs ? window_form::three_by_three : window_form::any;
}

/// Returns how the pixels of a tile of `count` channels are copied. `multiplier` neighbouring channels read the same input. If
/// several channels read an input, a shuffle repeats it. micro_speech, 8 channels of one input, is 5.2 times as fast on AVX-512,
/// 1.8 times on AVX2, 1.4 times on SSE4.1.
///
/// All windows read copies. Windows that read int8 from the image by addresses were measured on AVX2. Time without a copy / time
/// with it:
///   3 x 3 taps, stride 2          0.77 to 1.17
///   3 x 3 taps, stride 1          0.85 for images of 3 x 3 pixels, 1.18 for 6 x 6, 0.84 to 1.12 for 7 x 7
///   5 x 5 taps                    1.3 to 2.5
///   MobileNetV2, person detection 0.99, 1.01
/// A layer would need 3.7 KB more text.
DYADIC_API constexpr input_copy input_copy_of(const depthwise_capabilities& c, index_t multiplier, index_t count) noexcept {
  if (multiplier != 1) return c.joins_pixels ? input_copy::shuffled : input_copy::elements;
  if (count == c.tile_channels) return input_copy::vectors;
  return c.joins_pixels ? input_copy::parts : input_copy::elements;
}

/// Returns the algorithm of a layer. Joined pixels make the layers of person detection with 8 and 16 channels 1.6 times as fast
/// on AVX-512 and 1.3 times on AVX2, and the network 20 % and 6 % faster. Joined pixels after full tiles are as fast as repeated
/// channels (MobileNetV2, 144 channels).
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
  index_t outputs = 1;  ///< outputs of a tile
  index_t step = 1;     ///< inputs from one copied input to the next
  index_t size = taps;  ///< most inputs that are copied for a tile

  /// Fits the outputs to a copy of `max` inputs. If one window does not fit, it is copied without the inputs between its taps.
  DYADIC_NOINLINE constexpr tile_axis(const window_axis& a, index_t max) noexcept : window_axis{a} {
    const bool fits_all = (windows - 1) * stride + span() <= max;  // without a division
    if (span() <= max) {
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
  DYADIC_NOINLINE constexpr range copied_from(index_t output, index_t n) const noexcept {
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

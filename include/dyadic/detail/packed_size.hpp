// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The sizes of panels, and of packed weights. Private. Floor 4.

#include <dyadic/detail/pack_channel.hpp>

namespace dyadic::detail {

/// panel_channels returns the channels of each panel but the last. panel_stride returns the bytes from a panel to the next, and
/// stride_without_blocks returns them for an order without room for blocks.
/// @{
DYADIC_API constexpr index_t panel_channels(const packed_layout& layout, packed_order order) noexcept {
  return layout.rows > 0 && order.in_rows ? 1 : layout.nr;
}
DYADIC_API constexpr index_t stride_without_blocks(const packed_layout& layout, packed_order order, index_t depth) noexcept {
  return layout.rows > 0 && order.in_rows ? layout.row_stride(depth) : layout.panel_size(depth);
}
DYADIC_API constexpr index_t panel_stride(const packed_layout& layout, packed_order order, index_t depth) noexcept {
  if (layout.has_blocks && order.lines > 0) return block_layout{layout.nr}.panel_size(depth);
  return stride_without_blocks(layout, order, depth);
}
/// @}
/// Returns the columns of a panel, if storage has `channels` channels from its first channel on.
DYADIC_API constexpr index_t columns_of(const packed_layout& layout, packed_order order, index_t channels) noexcept {
  if (layout.rows > 0 && order.in_rows) return 1;
  return order.pixels == 1 ? layout.columns_of(channels) : layout.nr;
}

/// Returns the bytes of the first `rows` of `stored_rows` output channels in storage; -1 if they fit no view. HasBlocks is
/// layout.has_blocks, as a constant: other backends then have no code for blocks.
template <bool HasBlocks>
DYADIC_API constexpr index_t size_of_packed(const packed_layout& layout, index_t rows, index_t cols, packed_order order,
                                            index_t stored_rows) noexcept {
  constexpr index_t most = limits<index_t>::max;
  if (rows < 0 || cols < 0) return -1;
  if (rows == 0 || cols == 0) return 0;
  index_t size = 0;
  // Padding each run to whole groups multiplies the weights by kr at most.
  const index_t growth = order.runs == 1 ? 1 : layout.kr;
  if (rows > most - layout.nr || cols > (most / layout.nr - layout.kr - layout.sum_bytes) / growth) return -1;
  const index_t depth = layout.padded_depth(cols, order.runs);
  const index_t channels = panel_channels(layout, order);
  const index_t panels = quotient(rows + channels - 1, channels);
  if constexpr (HasBlocks)
    if (order.lines > 0) return DYADIC_MULTIPLY_OVERFLOWS(panels, panel_stride(layout, order, depth), &size) ? -1 : size;
  if (DYADIC_MULTIPLY_OVERFLOWS(panels, layout.panel_size(depth, channels), &size)) return -1;
  return (panels - 1) * stride_without_blocks(layout, order, depth) +
         layout.panel_size(depth, columns_of(layout, order, stored_rows - (panels - 1) * channels));
}

}  // namespace dyadic::detail

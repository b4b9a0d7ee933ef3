// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Describes a micro-kernel by values, so that one compiled loop over panels serves all instruction sets of x86. Private.
/// Floor 4.

#include <dyadic/backend/gemm/panel_loops.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// Computes `multiply_rows` of contract.hpp for a fixed number of rows, by a panel with `row_bytes` bytes at one depth.
/// Requires: depth is whole groups of elements.
using multiply_tile_type = void(const void* x, index_t stride, const std::int8_t* w, index_t row_bytes, index_t depth,
                                const void* first, void* to) noexcept;

/// See gemm/panel_loops.hpp.
struct panel_kernel {
  index_t columns;
  index_t accumulator_stride;
  index_t narrow;     ///< packed_layout::narrow
  index_t row_bytes;  ///< bytes at one depth of a panel of all columns
  int max_rows;
  std::int32_t weight_bias;
  int element_bytes;                 ///< bytes of one element of the LHS
  int group;                         ///< elements of a row that tiles multiply in one step: a power of two
  int half_columns;                  ///< up to this many columns run by tiles of half a panel; 0 if there are no such tiles
  const std::int8_t* height;         ///< [r]: rows of the first tile for r + 1 rows; [max_rows + r]: for half a panel
  multiply_tile_type* const* tiles;  ///< [i]: the tile of height[i] rows
  std::int64_t (*sum)(const void* x, index_t length) noexcept;
  bool reads_lines;  ///< see gemm/panel_loops.hpp

  bool meets_epilogue(int rows, const lhs_runs& x) const noexcept {
    return (rows == max_rows || rows == 1) && (x.length & (group - 1)) == 0;
  }

  DYADIC_ALWAYS_INLINE void multiply(int rows, const void* x, index_t stride, const std::int8_t* w, index_t bytes, index_t depth,
                                     const void* first, void* to, index_t asked) const noexcept {
    const int first_tile = asked <= half_columns ? max_rows : 0;
    const int tile = first_tile + rows - 1;
    if (height[tile] == rows && (depth & (group - 1)) == 0)
      tiles[tile](x, stride, w, bytes, depth, first, to);
    else
      multiply_by_tiles(first_tile, rows, x, stride, w, bytes, depth, first, to);
  }

  /// Adds the products of one row to `to`. Out of line.
  DYADIC_NOINLINE void add_row(const void* x, const std::int8_t* w, index_t bytes, index_t depth, void* to,
                               index_t asked) const noexcept {
    multiply(1, x, 0, w, bytes, depth, nullptr, to, asked);
  }

 private:
  /// Multiplies rows by one tile after the other. If int16 rows that were not copied end in the middle of a pair, the last
  /// element is copied, with a 0 after it.
  DYADIC_FOR_SIZE void multiply_by_tiles(int first_tile, int rows, const void* from, index_t stride, const std::int8_t* w,
                                         index_t bytes, index_t depth, const void* first, void* to) const noexcept {
    std::uint32_t last[most_rows];
    const auto* x = static_cast<const std::byte*>(from);
    for (;;) {
      const index_t whole = depth & -group;
      for (int r = 0; r < rows;) {
        const int tile = first_tile + rows - r - 1;
        auto* const sums = static_cast<std::int32_t*>(to) + r * accumulator_stride;
        tiles[tile](x + r * stride * element_bytes, stride, w, bytes, whole, first, sums);
        r += height[tile];
      }
      depth -= whole;
      if (depth == 0) return;
      for (int r = 0; r < rows; ++r) {
        std::uint16_t element = 0;
        DYADIC_MEMCPY(&element, x + 2 * (r * stride + whole), sizeof(element));
        last[r] = element;
      }
      w += whole * bytes;
      x = reinterpret_cast<const std::byte*>(last);
      stride = depth = group;
      first = nullptr;
    }
  }
};

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

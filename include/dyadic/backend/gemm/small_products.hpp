// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which matrix products are so small that what prepares larger ones takes longer than they do, outside of the regions. Private.
/// Floor 4.

#include <dyadic/view.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// How a region multiplies short rows by packed weights (gemm/small.inc).
struct small_products {
  static constexpr index_t max_elements = 2048;  ///< of rows that are multiplied together
  static constexpr index_t max_rows = 12;        ///< by more than a vector of columns
  static constexpr index_t stored_rows = 24;     ///< whose sums are stored together

  index_t columns;    ///< of a panel
  index_t lanes;      ///< of a vector: columns
  index_t max_mr;     ///< rows of a tile
  bool is_converted;  ///< whether rows are always copied
  bool has_masks;     ///< whether outputs are stored by masks
  /// Multiplies so many rows, all channels, or returns false: if a wider variant serves some multipliers.
  bool (*run)(const void* problem, index_t first, index_t count, index_t channels) noexcept;

  /// Runs all rows if they are such a product; says whether they are.
  __attribute__((noinline)) bool run_all(const void* problem, index_t rows, index_t depth, index_t channels) const noexcept {
    if (!suits(rows, depth, channels)) return false;
    const index_t together = rows_together(rows, depth, channels);
    for (index_t r = 0; r < rows; r += together)
      if (!run(problem, r, rows - r < together ? rows - r : together, channels)) return false;
    return true;
  }

 private:
  bool suits(index_t rows, index_t depth, index_t channels) const noexcept {
    const bool is_vector = channels <= lanes;
    const index_t together = is_vector ? 1 : rows < max_mr ? rows : max_mr;
    return depth > 0 && depth <= max_elements && depth * together <= max_elements &&
           (is_vector || are_few(rows, channels)) &&                  // else, tiles are better
           (is_converted || !has_masks || rows > 2 || depth <= 256);  // else, GEMV
  }
  /// Whether what is stored by panels costs no more than what larger products prepare.
  bool are_few(index_t rows, index_t channels) const noexcept {
    if (has_masks || is_converted) return rows <= max_rows;
    return channels <= 2 * columns && rows * channels <= 4 * columns;
  }
  /// How many rows can be multiplied together.
  index_t rows_together(index_t rows, index_t depth, index_t channels) const noexcept {
    const index_t most = channels <= lanes ? stored_rows : rows > max_mr ? (rows + 1) / 2 : rows;
    if (rows <= most && rows * depth <= max_elements) return rows;  // without a division
    const index_t fitting = max_elements / depth;
    return fitting < most ? fitting : most;
  }
};

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

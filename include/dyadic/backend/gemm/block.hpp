// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Blocks of columns, tiles of rows, and the interface of a block's epilogue to the loops over tiles. This code uses no vectors
/// and is compiled once for all regions. Private. Floor 4.

#include <dyadic/backend/gemm/lhs_rows.hpp>
#include <dyadic/backend/plan.hpp>
#include <dyadic/detail/packed_size.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// Packed weights, beginning with the first channel of a panel.
struct packed_panels {
  const std::int8_t* first;
  index_t size;                             ///< bytes of a whole panel
  index_t channels = limits<index_t>::max;  ///< number of channels that are stored from `first` on: the last panel may be narrow

  template <class Packed>
  static packed_panels of(const Packed& weights, index_t channel, index_t depth) noexcept {
    constexpr packed_layout layout = Packed::layout;
    if constexpr (layout.has_blocks)
      if (weights.order().lines > 0) {
        const index_t size = panel_stride(layout, weights.order(), depth);
        return {weights.data() + quotient(channel, layout.nr) * size + (weights.in_blocks() ? 0 : block_layout::header), size};
      }
    const index_t size = depth <= 0 ? 0 : layout.panel_size(depth);  // if there are no weights, there may be no storage
    if (weights.order().in_rows) return {weights.data() + (size == 0 ? 0 : channel * layout.row_stride(depth)), size, 1};
    const bool is_repeated = weights.order().pixels > 1;  // the panel then has all columns
    return {weights.data() + quotient(channel, layout.nr) * size, size,
            is_repeated ? limits<index_t>::max : weights.stored_rows() - channel};
  }
  const std::int8_t* at(index_t panel) const noexcept { return first + panel * size; }
};

/// The output channels of a block: `count` channels from `first` on. The outputs of the first `skipped` channels are not stored.
struct column_range {
  index_t first;
  index_t skipped;
  index_t count;
};

/// The rows of a tile: `rows` rows from `first` on. Their accumulators follow in memory (accumulator_tile).
struct alignas(64) tile_rows {
  index_t output_offset[most_rows];        ///< elements from y to the outputs of each row
  std::int64_t row_correction[most_rows];  ///< added to the accumulators of each row: -zero.w * (sum of x)
  index_t first;
  int rows;

  void* accumulators() noexcept { return this + 1; }
};

struct block_epilogue;

/// The functions of an epilogue, which know its type and the type of the accumulators.
struct epilogue_functions {
  int output_bytes;   ///< bytes of one output
  int panel_columns;  ///< NR

  /// Adds the row corrections of a tile to its accumulators.
  void (*add_corrections)(tile_rows& t) noexcept;
  /// Stores the outputs of columns first .. last - 1 of a tile, whose column 0 is column c of the block. The outputs of column 0
  /// are at y.
  void (*store)(const block_epilogue& all, const tile_rows& t, const index_t* offset, index_t c, index_t first, index_t last,
                void* y) noexcept;
  /// Stores a part of a panel, if `store` always stores a whole panel: store_copied. Null if `store` stores parts.
  void (*store_part)(const block_epilogue& all, const tile_rows& t, index_t c, index_t first, index_t last) noexcept;
  /// Multiplies the rows of a tile by all whole panels and stores the outputs. Accumulators stay in registers. Returns the number
  /// of panels. Null if the epilogue cannot do so.
  using multiply = index_t(const block_epilogue& all, int rows, const lhs_runs& x, packed_panels w, const std::int32_t* constants,
                           const index_t* output_offset) noexcept;
  multiply* multiply_and_store;
  /// Stores the outputs of a row from its accumulators, whole panels only. Returns the number of columns that are stored. Null if
  /// the epilogue cannot do so.
  index_t (*store_row)(const block_epilogue& all, const void* accumulators) noexcept;
};

/// The interface of a block's epilogue to the loops over tiles. The loops are compiled once for all outputs. The derived class,
/// typed_epilogue, knows the types.
struct block_epilogue {
  const epilogue_functions& functions;
  void* y;        ///< the outputs of the block's first column
  index_t begin;  ///< columns before `begin` are not stored
  index_t end;
  bool meets_registers;  ///< whether multiply_and_store can be called

  /// Makes the epilogue of a block with these columns. `to` points to the outputs of channel 0.
  DYADIC_NOINLINE
  block_epilogue(const epilogue_functions& f, void* to, const column_range& columns, bool meets) noexcept
      : functions{f},
        y{static_cast<std::byte*>(to) + columns.first * f.output_bytes},
        begin{columns.skipped},
        end{columns.count},
        meets_registers{meets} {}
  /// Stores the outputs of a tile whose first column is column c of the block. First adds the row corrections if there are any.
  DYADIC_NOINLINE void store_tile(tile_rows& t, index_t c, bool corrects_rows) const noexcept {
    if (corrects_rows) functions.add_corrections(t);
    if (c >= begin && end - c >= functions.panel_columns)
      functions.store(*this, t, t.output_offset, c, 0, functions.panel_columns, output_at(c));
    else
      store_some(t, c);
  }
  /// Stores the tile to a buffer by `store`, then copies columns first .. last - 1 of each row.
  static void store_copied(const block_epilogue& all, const tile_rows& t, index_t c, index_t first, index_t last) noexcept {
    alignas(64) std::byte outputs[most_rows * most_columns * 4];
    index_t offset[most_rows];
    for (int r = 0; r < t.rows; ++r) offset[r] = r * most_columns;
    const epilogue_functions& f = all.functions;
    f.store(all, t, offset, c, 0, f.panel_columns, outputs);
    const index_t n = (last - first) * f.output_bytes;
    for (int r = 0; r < t.rows; ++r) {
      const std::byte* const from = outputs + (offset[r] + first) * f.output_bytes;
      copy_bytes(from, all.output_at(t.output_offset[r] + c + first), n);
    }
  }

 private:
  std::byte* output_at(index_t c) const noexcept { return static_cast<std::byte*>(y) + c * functions.output_bytes; }
  DYADIC_NOINLINE void store_some(const tile_rows& t, index_t c) const noexcept {
    const index_t first = c < begin ? begin - c : 0;
    const index_t last = end - c < functions.panel_columns ? end - c : functions.panel_columns;
    if (functions.store_part != nullptr)
      functions.store_part(*this, t, c, first, last);
    else
      functions.store(*this, t, t.output_offset, c, first, last, output_at(c));
  }
};

/// Returns the number of columns of a block: whole panels of `panel_bytes` bytes, at least one panel. The weights of a block stay
/// in the cache while all rows are multiplied.
inline DYADIC_FOR_SIZE index_t columns_of_block(index_t panel_bytes, index_t panel_columns, index_t max_columns) noexcept {
  constexpr index_t max_bytes = 384 * 1024;
  if (panel_bytes > max_bytes) return panel_columns;
  return panel_bytes * max_columns <= max_bytes * panel_columns ? max_columns : max_bytes / panel_bytes * panel_columns;
}

/// A block of columns: the output channels from `first` on whose constants and parameters are loaded together. Only the size of
/// an accumulator is known here, not its type.
struct column_block {
  index_t first;  ///< the first channel of a panel, if weights are packed
  index_t count;
  std::int32_t w_zero;
  std::size_t accumulator_bytes;
  bool corrects_rows;  ///< whether rows have row corrections
  void* constants;     ///< one accumulator for each column
  const block_epilogue& epilogue;
  epilogue_functions::multiply* multiply_and_store;  ///< the epilogue's function, or null

  /// Returns the constants of the panel that begins with column c.
  const void* constants_at(index_t c) const noexcept {
    return static_cast<const std::byte*>(constants) + c * static_cast<index_t>(accumulator_bytes);
  }
  template <class Accumulator>
  Accumulator* constants_of(index_t c) const noexcept {
    return static_cast<Accumulator*>(constants) + c;
  }
};

/// Makes a block of packed weights. load_block then loads its constants.
inline DYADIC_FOR_SIZE column_block packed_block(const column_range& columns, std::int32_t w_zero, const block_epilogue& epilogue,
                                                 std::size_t accumulator_bytes, std::byte* constants) noexcept {
  const auto multiply_and_store = w_zero != 0 || !epilogue.meets_registers ? nullptr : epilogue.functions.multiply_and_store;
  return {columns.first, columns.count, w_zero, accumulator_bytes, w_zero != 0, constants, epilogue, multiply_and_store};
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

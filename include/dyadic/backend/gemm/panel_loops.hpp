// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The loops around a micro-kernel, which multiply tiles of rows by panels of weights, outside of the regions. Private. Floor 4.
///
/// A `Kernel` describes a micro-kernel to the loops. It does so by its type (gemm/panel_kernel.inc), or by values if several
/// regions share the loops (wide/panel_kernel.hpp):
///   columns                                    NR
///   max_rows, weight_bias                      rows of a tile in memory; the number that is added to each activation
///   narrow, row_bytes                          packed_layout::narrow; the bytes of a whole panel's weights at one depth, an
///                                              integral_constant if all panels are whole
///   multiply(rows, x, stride, w, row_bytes, depth, first, to, asked)
///                                              `multiply_rows` of contract.hpp by a panel of such rows; columns from `asked`
///                                              on may hold anything
///   reads_lines                                whether `multiply` takes all runs of a row at once. If there are several, its
///                                              row_bytes are the elements from a run to the next
///   sum(x, length)                             the sum of LHS elements
///   meets_epilogue(rows, x)                    whether tiles of such rows need not store their accumulators

#include <dyadic/backend/gemm/block.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// Makes t a tile of rows from `first` on. The tile has max_rows rows, or all rows that are left if they are fewer. If more
/// rows are left, but at most 4/3 of max_rows, the tile has half of them, because a short last tile is slow. Sets the row
/// corrections to 0 if there are any.
inline DYADIC_NOINLINE void begin_tile(const rows_by_address& inputs, index_t first, int max_rows, bool corrects_rows,
                                       tile_rows& t) noexcept {
  const index_t left = inputs.rows_from(first);
  t.first = first;
  t.rows = static_cast<int>(3 * left > 4 * max_rows ? max_rows : left > max_rows ? (left + 1) / 2 : left);
  inputs.output_offsets(first, t.rows, t.output_offset);
  for (int r = 0; corrects_rows && r < t.rows; ++r) t.row_correction[r] = 0;
}

/// Adds -zero.w * (sum of x) to the row corrections of a tile, for the first `length` elements of `inputs`. The sum of x excludes
/// the bias that the micro-kernel adds to each element.
template <class Kernel>
DYADIC_FOR_SIZE void add_row_corrections(const Kernel& kernel, const rows_by_address& inputs, index_t length, std::int32_t w_zero,
                                         tile_rows& t) noexcept {
  for (int r = 0; r < t.rows; ++r) {
    std::int64_t sum = 0;
    for (index_t k = 0, n = 0; k < length; k += n) {
      n = inputs.filled_run_length(k);
      if (n > length - k) n = length - k;
      const index_t summed = inputs.unfilled(k, n);
      sum += kernel.sum(inputs.row(r, k), summed) - summed * kernel.weight_bias;
    }
    t.row_correction[r] -= w_zero * sum;
  }
}

/// Returns the bytes of a panel's weights at one depth, like packed_layout::row_bytes_of. A narrow panel has one byte per column.
template <class Kernel>
DYADIC_ALWAYS_INLINE auto row_bytes_of(const Kernel& kernel, index_t channels) noexcept {
  if constexpr (std::is_integral_v<decltype(kernel.row_bytes)>)
    return channels <= kernel.narrow ? channels : kernel.row_bytes;
  else
    return kernel.row_bytes;
}

/// Multiplies elements k .. k + length - 1 of the rows in `inputs` by the first `asked` columns of one panel. A row of the panel
/// has `row_bytes` bytes. Adds the products to `first`, or to `to` if `first` is null. Each contiguous run is multiplied alone.
template <class Kernel, class RowBytes>
DYADIC_NOINLINE void multiply_runs(const Kernel& kernel, const rows_by_address& inputs, index_t k, const std::int8_t* w,
                                   RowBytes row_bytes, index_t length, const void* first, int rows, void* to,
                                   index_t asked) noexcept {
  for (;;) {
    const index_t run = kernel.reads_lines ? length : inputs.run_length(k);
    const index_t here = run < length ? run : length;
    const lhs_runs& x = inputs.whole_rows();
    const index_t step = kernel.reads_lines ? x.length + x.gap : static_cast<index_t>(row_bytes);
    kernel.multiply(rows, inputs.row(0, k), x.stride, w, step, inputs.padded(here), first, to, asked);
    length -= here;
    if (length == 0) break;
    k += here;
    w += here * row_bytes;
    first = nullptr;
  }
}

/// Describes sums of products that are added in pieces.
struct sums_in_pieces {
  index_t max_length;  ///< the longest piece that an int32 lane holds, in whole groups
  bool is_low_part;    ///< whether the weights are low parts, which follow the high parts
  /// Adds the sums of a piece to constants, or to the accumulators of a tile if `constants` is null. Null if micro-kernels add to
  /// the accumulators directly.
  void (*add)(int rows, const std::int32_t* part, const void* constants, void* accumulators) noexcept;
};

/// Multiplies elements k .. k + length - 1 of the rows of a tile by one panel, in pieces that `inputs` and int32 lanes can hold.
/// - Products are added to the constants if k = 0, else to the tile's accumulators. Products of low parts are always added to the
///   accumulators.
/// - `inputs` must hold the first piece, unless the tile is new. Row corrections of a new tile are added.
/// - `zeros` holds one int32 for each column of a panel.
template <class Kernel, class RowBytes>
DYADIC_FOR_SIZE void accumulate_tile(const Kernel& kernel, const sums_in_pieces& sums, rows_by_address& inputs,
                                     const std::int8_t* w, RowBytes row_bytes, index_t k, index_t length, std::int32_t w_zero,
                                     bool is_new, const void* constants, const void* zeros, index_t asked,
                                     tile_rows& t) noexcept {
  const bool in_place = sums.add == nullptr;
  if (in_place && !sums.is_low_part && !is_new && k == 0 && length <= inputs.max_depth())
    return multiply_runs(kernel, inputs, 0, w, row_bytes, length, constants, t.rows, t.accumulators(), asked);
  alignas(64) std::int32_t part[most_rows * most_columns];
  index_t at = 0;
  do {
    const index_t here = length - at < inputs.max_depth() ? length - at : inputs.max_depth();
    if (is_new || length > inputs.max_depth()) inputs.set(inputs, t.first, t.rows, k + at, here);
    if (is_new && w_zero != 0) add_row_corrections(kernel, inputs, here, w_zero, t);
    index_t done = 0;
    do {
      const index_t piece = here - done < sums.max_length ? here - done : sums.max_length;
      const std::int8_t* const from = w + (at + done) * row_bytes;
      const bool is_first = !sums.is_low_part && k + at + done == 0;
      multiply_runs(kernel, inputs, done, from, row_bytes, piece, in_place ? (is_first ? constants : nullptr) : zeros, t.rows,
                    in_place ? t.accumulators() : part, asked);
      if (!in_place) sums.add(t.rows, part, is_first ? constants : nullptr, t.accumulators());
      done += piece;
    } while (done < here);
    at += here;
  } while (at < length);
}

/// Describes the sums of packed weights if they are wide, or if rows are copied in pieces. A pointer is null if there are no
/// sums of its type.
struct packed_sums {
  const sums_in_pieces* short_sums;
  const sums_in_pieces* wide_sums;
};

/// Multiplies a tile of rows by packed panels, if sums are wide or rows are copied in pieces.
template <class Kernel>
DYADIC_FOR_SIZE void run_in_pieces(const Kernel& kernel, rows_by_address& inputs, const packed_panels& w,
                                   const column_block& block, const sums_in_pieces& sums, tile_rows& t) noexcept {
  const std::int32_t zeros[most_columns] = {};
  for (index_t c = 0, panel = 0; c < block.count; c += kernel.columns, ++panel) {
    accumulate_tile(kernel, sums, inputs, w.at(panel), row_bytes_of(kernel, w.channels - c), 0, inputs.depth(), block.w_zero,
                    c == 0, block.constants_at(c), zeros, block.count - c, t);
    block.epilogue.store_tile(t, c, block.corrects_rows);
  }
}

/// Multiplies tiles of rows by packed panels.
template <class Kernel>
DYADIC_FOR_SIZE void run_packed(const Kernel& kernel, rows_by_address& inputs, const packed_panels& all,
                                const column_block& block, const packed_sums& sums, tile_rows& t) noexcept {
  const index_t depth = inputs.depth();
  const bool are_wide = block.accumulator_bytes == 8;
  for (index_t r = 0; r < inputs.count(); r += t.rows) {
    begin_tile(inputs, r, kernel.max_rows, block.corrects_rows, t);
    if (are_wide || depth > inputs.max_depth()) {
      run_in_pieces(kernel, inputs, all, block, *(are_wide ? sums.wide_sums : sums.short_sums), t);
      continue;
    }
    inputs.set(inputs, r, t.rows, 0, depth);
    if (block.w_zero != 0) add_row_corrections(kernel, inputs, depth, block.w_zero, t);
    const lhs_runs& x = inputs.whole_rows();
    const index_t padded = inputs.padded(depth);
    const auto* constants = static_cast<const std::int32_t*>(block.constants);
    index_t panel = 0;
    if (kernel.meets_epilogue(t.rows, x) && block.multiply_and_store != nullptr) {
      panel = block.multiply_and_store(block.epilogue, t.rows, x, all, constants, t.output_offset);
    }
    for (index_t c = panel * kernel.columns; c < block.count; c += kernel.columns, ++panel) {
      const std::int8_t* const w = all.at(panel);
      const auto row_bytes = row_bytes_of(kernel, all.channels - c);
      if (x.count == 1)
        kernel.multiply(t.rows, x.first, x.stride, w, row_bytes, padded, constants + c, t.accumulators(), block.count - c);
      else
        multiply_runs(kernel, inputs, 0, w, row_bytes, padded, constants + c, t.rows, t.accumulators(), block.count - c);
      block.epilogue.store_tile(t, c, block.corrects_rows);
    }
  }
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

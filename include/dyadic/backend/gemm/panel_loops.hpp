// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Tiles of rows by panels of weights: the loops around a micro-kernel, outside of the regions. Private. Floor 4.
///
/// A `Kernel` is what they know of a micro-kernel, by its type (gemm/panel_kernel.inc) or, where several regions share them, by
/// values (wide/panel_kernel.hpp):
///   columns, accumulator_stride                NR, from one row of accumulators to the next
///   max_rows, weight_bias                      rows of a tile in memory, what is added to each activation
///   narrow, row_bytes                          that of packed_layout; the bytes of a whole panel's weights at one depth, an
///                                              integral_constant where all panels are whole
///   multiply(rows, x, stride, w, row_bytes, depth, first, to, asked)
///                                              `multiply_rows` of contract.hpp by a panel of such rows; the first `asked`
///                                              columns are asked for, others may then hold anything
///   sum(x, length)                             the sum of LHS elements
///   meets_epilogue(rows, x)                    whether tiles of such rows need not store their accumulators

#include <dyadic/backend/gemm/block.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// Makes t a tile of rows from `first` on: of all that a tile can have, but two of about the same height instead of one more of
/// few. Its row corrections are 0 if there are any.
inline __attribute__((noinline)) void begin_tile(const rows_by_address& inputs, index_t first, int max_rows, bool corrects_rows,
                                                 tile_rows& t) noexcept {
  const index_t left = inputs.rows_from(first);
  t.first = first;
  t.rows = static_cast<int>(3 * left > 4 * max_rows ? max_rows : left > max_rows ? (left + 1) / 2 : left);
  inputs.output_offsets(first, t.rows, t.output_offset);
  for (int r = 0; corrects_rows && r < t.rows; ++r) t.row_correction[r] = 0;
}

/// Adds to the row corrections of a tile those of the first `length` elements of `inputs`: -zero.w * (sum of x), less the bias
/// that the micro-kernel gives them.
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

/// As packed_layout::row_bytes_of: a narrow panel, whose weights are bytes, has as many as columns.
template <class Kernel>
DYADIC_ALWAYS_INLINE auto row_bytes_of(const Kernel& kernel, index_t channels) noexcept {
  if constexpr (std::is_integral_v<decltype(kernel.row_bytes)>)
    return channels <= kernel.narrow ? channels : kernel.row_bytes;
  else
    return kernel.row_bytes;
}

/// The elements k .. k + length - 1 of the rows that `inputs` holds by the first `asked` columns of one panel, a row of which has
/// so many bytes, added to `first`, or else to what is there: one contiguous run after the other.
template <class Kernel, class RowBytes>
__attribute__((noinline)) void multiply_runs(const Kernel& kernel, const rows_by_address& inputs, index_t k, const std::int8_t* w,
                                             RowBytes row_bytes, index_t length, const void* first, int rows, void* to,
                                             index_t asked) noexcept {
  for (;;) {
    const index_t run = inputs.run_length(k);
    const index_t here = run < length ? run : length;
    kernel.multiply(rows, inputs.row(0, k), inputs.stride(), w, row_bytes, inputs.padded(here), first, to, asked);
    length -= here;
    if (length == 0) break;
    k += here;
    w += here * row_bytes;
    first = nullptr;
  }
}

/// How sums of products come that are added up in pieces.
struct sums_in_pieces {
  index_t max_length;  ///< of a piece: as much as an int32 lane holds, whole groups
  index_t sums_bytes;  ///< from one row of accumulators to the next
  bool is_low_part;    ///< of weights in two parts: the second one
  /// Adds a piece of a row's sums to accumulators: *to = *from + part, for a panel's columns. Null if these are the same.
  void (*add)(const std::int32_t* part, const void* from, void* to) noexcept;
};

/// The elements k .. k + length - 1 of the rows of a tile by one panel, as `multiply_runs`, added to the constants if k = 0, else
/// to the accumulators that are there, as low parts of weights always are. In pieces: as long as `inputs` and int32 lanes hold.
/// `inputs` holds the first piece unless the tile is new. Row corrections are set for a new tile. The zeros are int32s of a
/// panel.
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
      auto* row = static_cast<std::byte*>(t.accumulators());
      for (int r = 0; !in_place && r < t.rows; ++r, row += sums.sums_bytes)
        sums.add(part + r * kernel.accumulator_stride, is_first ? constants : row, row);
      done += piece;
    } while (done < here);
    at += here;
  } while (at < length);
}

/// How the sums of packed weights come that are wide, or of rows that are copied in pieces: for int32 and for wide accumulators.
/// None where there are no such sums.
struct packed_sums {
  const sums_in_pieces* short_sums;
  const sums_in_pieces* wide_sums;
};

/// A tile of rows by packed panels, whose sums are wide or of rows that are copied in pieces.
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

/// Tiles of rows, by packed panels.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Linear layers on rows that are stored by columns: copies tiles of rows and runs the layer on each copy. Floor 5.

#include <dyadic/bound.hpp>
#include <dyadic/detail/batch_view.hpp>
#include <dyadic/linear.hpp>

namespace dyadic::detail {

/// Returns the record of a fold whose weights may be any values of their type. It has the bound for all such weights and no
/// fingerprint.
template <class X, class W>
DYADIC_API constexpr fold_record any_weights_record(index_t columns, index_t depth, zero_points zero) noexcept {
  fold_record record = linear_record<X>(columns, depth, zero);
  const accumulator_range products = product_range(values_of<X>(zero.x), values_of<W>(zero.w));
  record.bound = {multiply_saturated(products.lowest, depth), multiply_saturated(products.highest, depth)};
  return record;
}

/// Returns weights k .. k + length - 1 of `count` output channels from `first` on.
/// @{
template <class W>
DYADIC_API constexpr matrix_view<W> piece_of(const matrix_view<W>& weights, index_t first, index_t count, index_t k,
                                             index_t length) noexcept {
  return {weights.row(first) + k, count, length, weights.stride()};
}
template <class W>
DYADIC_API constexpr depth_major<W> piece_of(const depth_major<W>& weights, index_t first, index_t count, index_t k,
                                             index_t length) noexcept {
  return {{weights.at(k) + first, length, count, weights.stored.stride()}, count, length};
}
/// @}

inline namespace DYADIC_ISA {

/// The sizes of the copies of rows.
struct row_tile_sizes {
  std::size_t bytes;         ///< room for whole rows, in bytes; rows are copied whole if at least half of `rows` fit
  std::size_t piece_bytes;   ///< room for pieces of rows, in bytes
  std::size_t rows;          ///< the most rows that are copied in pieces at a time
  std::size_t columns;       ///< output channels that share a copied piece
  std::size_t columns_once;  ///< output channels whose products are computed by one call
};

/// Returns the sizes of copies on the stack. They are large if the backend needs as much stack for a run without a workspace.
template <class Backend>
constexpr row_tile_sizes sizes_of_tiles() noexcept {
  constexpr std::size_t word = sizeof(index_t);
  if (32 * 1024 < workspace_size<Backend>) return {40 * 1024, 12 * 1024, 24, 128, 32};
  return word == 8 ? row_tile_sizes{8 * 1024, 4 * 1024, 4, 64, 32} : row_tile_sizes{4096, 2048, 2, 64, 32};
}
template <class Backend>
inline constexpr row_tile_sizes large_tiles = sizes_of_tiles<Backend>();
/// The sizes of copies on the stack if the run has a workspace.
inline constexpr row_tile_sizes small_tiles{128 * sizeof(index_t), 64 * sizeof(index_t), 1, 32, 32};

/// Copies elements k .. k + length - 1 of the rows in the range to the rows of a matrix. Copies 16 elements of each row at a
/// time, so that consecutive reads and writes stay close in memory.
template <class X, class Element>
constexpr matrix_view<const Element> copy_rows(const depth_major<X>& x, row_range range, index_t k, index_t length,
                                               Element* to) noexcept {
  constexpr index_t step = 16;
  const index_t rows = range.end - range.begin;
  const index_t stride = x.stored.stride();
  const auto copy = [&](index_t from, auto count) {
    const X* const inputs = x.at(k + from) + range.begin;
    Element* const outputs = to + from;
    for (index_t r = 0; r < rows; ++r)
      for (index_t i = 0; i < count; ++i) outputs[r * length + i] = inputs[i * stride + r];
  };
  index_t done = 0;
  for (; length - done >= step; done += step) copy(done, std::integral_constant<index_t, step>{});
  for (; done < length; ++done) copy(done, std::integral_constant<index_t, 1>{});
  return {to, rows, length};
}

/// Runs a linear layer on all rows of a tile.
template <class Backend, class Layer, class X, class Y>
DYADIC_NOINLINE constexpr void run_tile(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y,
                                        view<std::byte> workspace) noexcept {
  run_range<Backend>(layer, x, y, {0, x.rows()}, workspace);
}

/// Calls run_some(range) for tiles of at most `most` rows that cover all rows of a range. Tiles have about equal sizes.
template <class Use>
constexpr void for_each_tile(const row_range& rows, index_t most, const Use& run_some) noexcept {
  const index_t count = rows.end - rows.begin;
  const index_t tiles = (count + most - 1) / most;
  const index_t together = (count + tiles - 1) / tiles;
  for (index_t first = rows.begin; first < rows.end; first += together)
    run_some(row_range{first, rows.end - first < together ? rows.end : first + together});
}

constexpr index_t smaller(index_t a, index_t b) noexcept { return a < b ? a : b; }

/// A tile of rows that are copied whole.
template <class X, std::size_t Bytes>
struct whole_rows {
  X elements[Bytes / sizeof(X)];

  /// Returns the number of rows that fit in `elements`, at most the rows of the range.
  template <class Left>
  static constexpr index_t rows_at_once(const depth_major<Left>& x, const row_range& rows) noexcept {
    const index_t count = rows.end - rows.begin;
    return x.cols() == 0 ? count : smaller(count, index_t{Bytes / sizeof(X)} / x.cols());
  }
  template <class Backend, class Layer, class Left, class Y>
  constexpr void run(const Layer& layer, const depth_major<Left>& x, const matrix_view<Y>& y, const rows_to_run& rows) noexcept {
    for_each_tile(rows, rows_at_once(x, rows), [&](row_range some) {
      run_tile<Backend>(layer, copy_rows(x, some, 0, x.cols(), elements), rows_of(y, some), rows.workspace);
    });
  }
};

/// A tile of rows that are copied in pieces. The product with a piece is a linear layer whose constants and zero.x are 0.
template <class X, class Accumulator, std::size_t Size, std::size_t MaxRows, std::size_t MaxColumns, std::size_t ColumnsOnce>
struct rows_in_pieces {
  using bits = std::make_unsigned_t<Accumulator>;

  X elements[Size];
  Accumulator sums[MaxRows][MaxColumns];
  Accumulator products[MaxRows * ColumnsOnce];
  Accumulator zeros[ColumnsOnce];

  template <class Backend, class Layer, class Left, class Y>
  constexpr void run(const Layer& layer, const depth_major<Left>& x, const matrix_view<Y>& y, const rows_to_run& rows) noexcept {
    for (Accumulator& zero : zeros) zero = 0;
    for_each_tile(rows, index_t{MaxRows}, [&](row_range some) {
      for (index_t o = 0; o < y.cols(); o += index_t{MaxColumns})
        run_columns<Backend>(layer, x, y, rows, some, o, smaller(y.cols() - o, index_t{MaxColumns}));
    });
  }

 private:
  /// Computes `count` columns of y from column `first` on.
  template <class Backend, class Layer, class Left, class Y>
  constexpr void run_columns(const Layer& layer, const depth_major<Left>& x, const matrix_view<Y>& y, const rows_to_run& rows,
                             row_range some, index_t first, index_t count) noexcept {
    constexpr index_t most = Size / MaxRows;
    for (index_t r = some.begin; r < some.end; ++r)
      for (index_t c = 0; c < count; ++c) sums[r - some.begin][c] = layer.bias.constants[first + c];
    for (index_t k = 0; k < x.cols(); k += most) {
      const index_t length = smaller(x.cols() - k, most);
      const auto inputs = copy_rows(x, some, k, length, elements);
      for (index_t c = 0; c < count; c += index_t{ColumnsOnce})
        add_products<Backend>(layer, inputs, rows, first + c, smaller(count - c, index_t{ColumnsOnce}), k, c);
    }
    for (index_t r = some.begin; r < some.end; ++r)
      for (index_t c = 0; c < count; ++c) y.row(r)[first + c] = output_of_sum(layer.output, first + c, sums[r - some.begin][c]);
  }

  /// Adds the products of `count` output channels from o on to the sums from column `to` on.
  template <class Backend, class W, class Output, class Weights>
  constexpr void add_products(const linear_layer<W, Output, Weights>& layer, const matrix_view<const X>& inputs,
                              const rows_to_run& rows, index_t o, index_t count, index_t k, index_t to) noexcept {
    const fold_record record = any_weights_record<X, W>(count, inputs.cols(), {0, layer.bias.record.zero.w});
    const linear_layer<W, raw_output<Accumulator>, Weights> piece{
        piece_of(layer.weights, o, count, k, inputs.cols()), {{zeros, count}, record}, {}};
    run_tile<Backend>(piece, inputs, matrix_view<Accumulator>{products, inputs.rows(), count}, rows.workspace);
    for (index_t r = 0; r < inputs.rows(); ++r)
      for (index_t c = 0; c < count; ++c)
        sums[r][to + c] =
            static_cast<Accumulator>(static_cast<bits>(sums[r][to + c]) + static_cast<bits>(products[r * count + c]));
  }
};

template <class Tile, class Backend, class Layer, class X, class Y>
DYADIC_NOINLINE void run_on_stack(const Layer& layer, const depth_major<X>& x, const matrix_view<Y>& y,
                                  const rows_to_run& rows) noexcept {
  Tile tile;
  tile.template run<Backend>(layer, x, y, rows);
}
/// Runs the layer on whole copied rows, or on pieces if too few rows fit.
template <class Backend, const row_tile_sizes& Sizes, class Layer, class X, class Y>
constexpr void run_tiles(const Layer& layer, const depth_major<X>& x, const matrix_view<Y>& y, const rows_to_run& rows) noexcept {
  using element = std::remove_const_t<X>;
  using accumulator = typename decltype(layer.output)::accumulator;
  constexpr row_tile_sizes sizes = Sizes;
  constexpr index_t least = (sizes.rows + 1) / 2;
  using whole = whole_rows<element, sizes.bytes>;
  using pieces =
      rows_in_pieces<element, accumulator, sizes.piece_bytes / sizeof(element), sizes.rows, sizes.columns, sizes.columns_once>;
  if (whole::rows_at_once(x, rows) >= smaller(least, rows.end - rows.begin))
    run_on_stack<whole, Backend>(layer, x, y, rows);
  else
    run_on_stack<pieces, Backend>(layer, x, y, rows);
}

/// Computes the rows of y in the range.
/// @{
template <class Backend, class Layer, class X, class Y>
constexpr void run_rows(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y, const rows_to_run& rows) noexcept {
  run_range<Backend>(layer, x, y, rows, rows.workspace);
}
template <class Backend, class Layer, class X, class Y>
constexpr void run_rows(const Layer& layer, const depth_major<X>& x, const matrix_view<Y>& y, const rows_to_run& rows) noexcept {
  if (is_constant_evaluated()) {
    rows_in_pieces<std::remove_const_t<X>, typename decltype(layer.output)::accumulator, 64, 1, 8, 8> tile{};
    return tile.template run<Backend>(layer, x, y, rows);
  }
  if constexpr (1 < workspace_size<Backend>)
    if (!rows.workspace.empty()) return run_tiles<Backend, small_tiles>(layer, x, y, rows);
  run_tiles<Backend, large_tiles<Backend>>(layer, x, y, rows);
}
/// @}

}  // namespace DYADIC_ISA

}  // namespace dyadic::detail

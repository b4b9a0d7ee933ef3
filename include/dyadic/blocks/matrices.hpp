// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Matrices whose rows are operands of a dot product. Floor 2.
///
/// Each has `rows()`, `depth()` (codes of a row) and `row(i)`. These functions require that `check` returns `ok`.

#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/ggml_dot.hpp>

namespace dyadic {

/// Rows of codes with scales of blocks: MX, NVFP4, qb4w, qsi4c32. A row of 4-bit codes has whole groups of its order.
template <class Codes, class Scale>
struct block_scaled_view {
  using row_type = block_scaled_row<Codes, Scale>;  ///< type of `row(i)`

  Codes codes;                      ///< of all rows, one after the other
  matrix_view<const Scale> scales;  ///< a row of scales for each row, a scale for each block
  index_t block_size = 32;          ///< codes of a block

  DYADIC_API constexpr index_t rows() const noexcept { return scales.rows(); }  ///< rows
  /// Returns the number of codes of a row.
  DYADIC_API constexpr index_t depth() const noexcept { return rows() == 0 ? 0 : codes.size() / rows(); }
  /// Returns row i.
  DYADIC_API constexpr row_type row(index_t i) const noexcept {
    return {codes.part(i * depth(), depth()), {scales.row(i), scales.cols()}, block_size};
  }
  /// Returns the first error of the views, of their shapes, and of row 0.
  DYADIC_API friend constexpr status check(const block_scaled_view& x) noexcept {
    if (const status s = detail::check_each(x.scales, x.codes); s != status::ok) return s;
    if (x.rows() == 0) return x.codes.size() == 0 ? status::ok : status::shape_mismatch;
    if (x.codes.size() % x.rows() != 0 || x.depth() % Codes::group != 0) return status::shape_mismatch;
    return check(x.row(0));
  }
  /// Returns true if the matrix shares memory with a view.
  template <class View>
  DYADIC_API friend constexpr bool overlap(const block_scaled_view& x, const View& y) noexcept {
    return overlap(x.codes.memory(), y) || overlap(x.scales, y);
  }
};

/// Rows of int8 with a scale and a zero point each: qd8, qai8dx.
struct dynamic_rows {
  using row_type = qd8_row;  ///< type of `row(i)`

  matrix_view<const std::int8_t> codes;  ///< the codes
  view<const dynamic_row> numbers;       ///< the scale and the zero point of each row

  DYADIC_API constexpr index_t rows() const noexcept { return codes.rows(); }   ///< rows
  DYADIC_API constexpr index_t depth() const noexcept { return codes.cols(); }  ///< codes of a row
  /// Returns row i.
  DYADIC_API constexpr row_type row(index_t i) const noexcept {
    return {{{codes.row(i), codes.cols()}, numbers[i].zero_point}, numbers[i].scale};
  }
  /// Returns the first error of the views, or `shape_mismatch`.
  DYADIC_API friend constexpr status check(const dynamic_rows& x) noexcept {
    if (const status s = detail::check_each(x.codes, x.numbers); s != status::ok) return s;
    return x.numbers.size() == x.codes.rows() ? status::ok : status::shape_mismatch;
  }
  /// Returns true if the matrix shares memory with a view.
  template <class View>
  DYADIC_API friend constexpr bool overlap(const dynamic_rows& x, const View& y) noexcept {
    return overlap(x.codes, y) || overlap(x.numbers, y);
  }
};

/// Rows of codes with one scale each, or one for all rows. They are weights of qc8w, qc4w and qsi4cx, and activations with the
/// scale of a tensor. A row of 4-bit codes is a whole number of the groups of its order.
template <class Codes>
struct one_scale_rows {
  using row_type = one_scale_row<Codes>;  ///< type of `row(i)`

  Codes codes;               ///< of all rows, one after the other, with their zero point
  view<const float> scales;  ///< one for each row, or one for all rows if there are codes
  index_t row_count = 0;     ///< rows

  DYADIC_API constexpr index_t rows() const noexcept { return row_count; }  ///< rows
  /// Returns the number of codes of a row.
  DYADIC_API constexpr index_t depth() const noexcept { return rows() == 0 ? 0 : codes.size() / rows(); }
  /// Returns row i.
  DYADIC_API constexpr row_type row(index_t i) const noexcept {
    return {codes.part(i * depth(), depth()), binary32{scales[scales.size() == 1 ? 0 : i]}};
  }
  /// Returns the first error of the scales or of the codes, `negative_size`, or `shape_mismatch`. Scales are not read.
  DYADIC_API friend constexpr status check(const one_scale_rows& x) noexcept {
    if (const status s = detail::check_each(x.scales, x.codes); s != status::ok) return s;
    if (x.row_count < 0) return status::negative_size;
    const bool is_bounded = x.codes.size() > 0 || x.row_count == 0;  // without codes, one scale allows any number of rows
    if (x.scales.size() != x.row_count && (x.scales.size() != 1 || !is_bounded)) return status::shape_mismatch;
    if (x.row_count == 0) return x.codes.size() == 0 ? status::ok : status::shape_mismatch;
    return x.codes.size() % x.row_count == 0 && x.depth() % Codes::group == 0 ? status::ok : status::shape_mismatch;
  }
  /// Returns true if the matrix shares memory with a view.
  template <class View>
  DYADIC_API friend constexpr bool overlap(const one_scale_rows& x, const View& y) noexcept {
    return overlap(x.codes.memory(), y) || overlap(x.scales, y);
  }
};

namespace detail {
/// Returns the first error of a row of a matrix, or `scale_not_finite`.
template <class X>
DYADIC_API constexpr status check_rows(const X& x) noexcept {
  constexpr bool has_factor = has_one_scale<typename X::row_type>;
  // A row without codes has no scale to check, and x.rows() may be huge.
  const index_t rows = has_factor || x.depth() > 0 ? x.rows() : 0;
  for (index_t r = 0; r < rows; ++r) {
    const auto row = x.row(r);
    if (const status s = check(row); s != status::ok) return s;
    if constexpr (has_factor) {
      if (!is_finite(row.factor)) return status::scale_not_finite;
    } else {
      for (index_t i = 0; i < row.size(); i = next_block(row, i))
        if (!is_finite(row.scale(i))) return status::scale_not_finite;
    }
  }
  return status::ok;
}
}  // namespace detail

namespace ggml {

/// Rows of whole blocks.
template <class Block>
struct matrix {
  static_assert(!detail::has_minimum<Block>, "blocks with minima have no matrix: see exact_dot");
  using row_type = ggml::row<Block>;  ///< type of `row(i)`

  matrix_view<const std::uint8_t> bytes;  ///< the blocks

  DYADIC_API constexpr index_t rows() const noexcept { return bytes.rows(); }  ///< rows
  /// Returns the number of codes of a row.
  DYADIC_API constexpr index_t depth() const noexcept { return bytes.cols() / Block::bytes * Block::elements; }
  DYADIC_API constexpr row_type row(index_t i) const noexcept { return {{bytes.row(i), bytes.cols()}}; }  ///< row i
  /// Returns the error of the view, `shape_mismatch` for a part of a block, or `size_overflow` if the depth exceeds index_t.
  DYADIC_API friend constexpr status check(const matrix& x) noexcept {
    if (const status s = check(x.bytes); s != status::ok) return s;
    if (x.bytes.cols() % Block::bytes != 0) return status::shape_mismatch;
    return x.bytes.cols() / Block::bytes > limits<index_t>::max / Block::elements ? status::size_overflow : status::ok;
  }
  /// Returns true if the matrix shares memory with a view.
  template <class View>
  DYADIC_API friend constexpr bool overlap(const matrix& x, const View& y) noexcept {
    return overlap(x.bytes, y);
  }
};

}  // namespace ggml

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rows of codes with scales in the order in which vectors multiply them. Floor 2.
///
/// A panel holds 16 rows. Its parts are in this order:
///     blocks   for each block: codes, then a scale of 16 bits of each row, the low byte first
///     16 x 8   for each row, the sum of its codes times their scales, a binary64
///     8        the bound of a sum of activations that `row_limit` describes
///     16 x 4   for each row, a binary32: its scale if scales are binary32, where those of blocks are 1, or else 1
///     2 x 4    two int32, least and top: scales of blocks are multiples of 2^least below 2^top
/// Codes are in units of 64 bytes: 4 bytes of each row.
///     A byte of an integer of more than 4 bits, as int8, MXINT8 or E2M3, holds the code plus 128.
///     A byte of E4M3 or E5M2 holds the bits of the float.
///     A byte of E3M2 holds its bits, with an exponent field of 5 bits.
///     Other bytes hold two indices of 4 bits. The low ones are codes 0 .. 3 of 8, the high ones codes 4 .. 7.
///     Index i stands for code i - 8, or for the E2M1 number of the bits i.
/// Missing rows of the last panel have codes and scales of 0, and a factor of 1. Missing codes of the last unit of a block are 0.

#include <dyadic/blocks/panel_shape.hpp>

namespace dyadic {

/// How the scales of packed rows are stored.
enum class scale_format : std::uint8_t {
  bfloat16,  ///< one for each block
  binary16,  ///< one for each block
  binary32,  ///< one for each row
};

/// A row of `packed_rows`. Codes are those of the row that was packed.
template <class Row>
struct packed_row {
  static constexpr int unit = Row::unit;                 ///< that of the row
  static constexpr std::int64_t largest = Row::largest;  ///< that of the row

  const unsigned char* panel;  ///< the first byte of the panel
  index_t at;                  ///< the row in the panel, 0 .. 15
  index_t depth;               ///< the number of codes
  index_t block_size;          ///< codes of a block
  scale_format scales;         ///< how scales are stored

  DYADIC_API constexpr index_t size() const noexcept { return depth; }        ///< the number of codes
  DYADIC_API constexpr index_t block() const noexcept { return block_size; }  ///< codes of a block
  /// Returns code i.
  DYADIC_API constexpr std::int64_t integer(index_t i) const noexcept {
    using codes = detail::packed_codes<Row>;
    const index_t k = i % block_size, part = k % codes::in_unit;
    const int byte = of_block(i)[k / codes::in_unit * 64 + 4 * at + part % 4];
    return codes::code(codes::in_nibbles ? byte >> (part < 4 ? 0 : 4) & 15 : byte);
  }
  /// Returns the scale of code i.
  DYADIC_API constexpr binary32 scale(index_t i) const noexcept {
    if (scales == scale_format::binary32) {
      const unsigned char* const tail = panel + shape().blocks * shape().block_bytes;
      return binary32::from_bits(static_cast<std::uint32_t>(detail::number_at<4>(tail + detail::factors_in_tail + 4 * at)));
    }
    const auto bits = static_cast<int>(detail::number_at<2>(of_block(i) + shape().units * 64 + 2 * at));
    return scales == scale_format::binary16 ? detail::convert<binary32>(binary16::from_bits(bits))
                                            : detail::convert<binary32>(bfloat16::from_bits(bits));
  }
  /// Returns `ok`: `pack_rows` has checked the row.
  DYADIC_API friend constexpr status check(const packed_row& /*x*/) noexcept { return status::ok; }

 private:
  DYADIC_API constexpr detail::panel_shape shape() const noexcept { return detail::shape_of_panel<Row>(depth, block_size); }
  DYADIC_API constexpr const unsigned char* of_block(index_t i) const noexcept {
    return panel + i / block_size * shape().block_bytes;
  }
};

/// A matrix of packed rows: the weights of `exact::linear`. `pack_rows` makes it. It points to the memory that it was given.
template <class Row>
struct packed_rows {
  using row_type = packed_row<Row>;  ///< of `row`

  view<const unsigned char> bytes;               ///< all panels
  index_t row_count = 0;                         ///< rows
  index_t codes = 0;                             ///< codes of a row
  index_t block_size = 32;                       ///< codes of a block
  scale_format scales = scale_format::bfloat16;  ///< how scales are stored

  /// Returns the bytes that `pack_rows` needs, or `negative_size`, `shape_mismatch` for a block below 1, or `size_overflow`.
  DYADIC_API static constexpr result<index_t> bytes_of(index_t rows, index_t depth, index_t block) noexcept {
    if (rows < 0 || depth < 0) return {0, status::negative_size};
    if (block < 1) return {0, status::shape_mismatch};
    // A panel takes at most 96 bytes for each code, as blocks of 1 do, and 200 more. Rounding up adds 16 rows, a block and 16
    // codes.
    const index_t most = limits<index_t>::max / 6;
    if (block > most - depth || rows > most || depth + block + 16 > most / (rows + 16)) return {0, status::size_overflow};
    return {(rows + detail::panel_rows - 1) / detail::panel_rows * detail::shape_of_panel<Row>(depth, block).bytes, status::ok};
  }
  DYADIC_API constexpr index_t rows() const noexcept { return row_count; }  ///< rows
  DYADIC_API constexpr index_t depth() const noexcept { return codes; }     ///< codes of a row
  /// Returns row i.
  DYADIC_API constexpr row_type row(index_t i) const noexcept {
    const index_t panel = detail::shape_of_panel<Row>(codes, block_size).bytes;
    return {bytes.data() + i / detail::panel_rows * panel, i % detail::panel_rows, codes, block_size, scales};
  }
  /// Returns an error of the sizes, or `null_data` if the bytes are fewer than `bytes_of`.
  DYADIC_API friend constexpr status check(const packed_rows& x) noexcept {
    const result<index_t> needed = bytes_of(x.row_count, x.codes, x.block_size);
    if (needed.status != status::ok) return needed.status;
    if (const status s = check(x.bytes); s != status::ok) return s;
    return needed.value <= x.bytes.size() ? status::ok : status::null_data;
  }
  /// Returns true if the rows share memory with a view.
  template <class View>
  DYADIC_API friend constexpr bool overlap(const packed_rows& x, const View& y) noexcept {
    return overlap(x.bytes, y);
  }
};

namespace detail {

/// Writes row `at` of a panel: its codes and scales, and the sum of its codes times their scales. Writes zeros unless it is a
/// row. Returns the largest scale, and the largest n so that all products code * scale are multiples of 2^n: {0, 0} if all are 0.
template <class Row>
DYADIC_API constexpr scale_range put_row(const Row& row, bool is_row, const panel_shape& shape, index_t block,
                                         scale_format scales, unsigned char* panel, index_t at) noexcept {
  using codes = packed_codes<Row>;
  const binary32 one{1.0f};
  const bool has_factor = scales == scale_format::binary32;
  const scale_range range = has_factor ? scale_range{0, one} : scale_range_of(row).value;
  scale_range products;
  std::uint64_t sum = 0;
  for (index_t b = 0; b < shape.blocks; ++b) {
    unsigned char* const to = panel + b * shape.block_bytes;
    std::int64_t sum_of_block = 0, all_bits = 0;
    for (index_t k = 0; k < shape.padded_codes; ++k) {
      const index_t i = b * block + k, part = k % codes::in_unit;
      const std::int64_t code = is_row && k < block && i < row.size() ? row.integer(i) : 0;
      unsigned char& byte = to[k / codes::in_unit * 64 + 4 * at + part % 4];
      const int before = part < 4 ? 0 : byte;
      byte = static_cast<unsigned char>(before | codes::index(code) << (part < 4 ? 0 : 4));
      sum_of_block += code;
      all_bits |= code;
    }
    const binary32 scale = !is_row ? binary32{} : has_factor ? one : row.scale(b * block);
    const int bits = scales == scale_format::binary16 ? convert<binary16>(scale).bits : convert<bfloat16>(scale).bits;
    put_number<2>(to + 64 * shape.units + 2 * at, static_cast<std::uint64_t>(bits));
    const odd_multiple s = odd_multiple_of(scale);
    if (s.value != 0 && s.exponent - range.least < 64)
      sum += static_cast<std::uint64_t>(sum_of_block) * static_cast<std::uint64_t>(s.value) << (s.exponent - range.least);
    if (s.value == 0 || all_bits == 0) continue;
    const int exponent = s.exponent + trailing_zeros(all_bits);
    products = {is_zero(products.largest) || exponent < products.least ? exponent : products.least, range.largest};
  }
  const auto exact = from_integer<binary64>(static_cast<std::int64_t>(sum));
  unsigned char* const tail = panel + shape.blocks * shape.block_bytes;
  put_number<8>(tail + 8 * at, scale_by_power_of_two(exact, range.least).bits);
  put_number<4>(tail + factors_in_tail + 4 * at, is_row && has_factor ? row.scale(0).bits : one.bits);
  return products;
}

}  // namespace detail

/// Returns the bytes that `pack_rows` needs for a matrix of weights, or an error of the matrix, or `size_overflow`.
template <class W>
DYADIC_API constexpr result<index_t> packed_size(const W& w) noexcept {
  if (const status s = check(w); s != status::ok) return {0, s};
  const index_t rows = w.rows(), depth = w.depth(), block = rows == 0 || depth == 0 ? 1 : w.row(0).block();
  return packed_rows<typename W::row_type>::bytes_of(rows, depth, block);
}

/// Packs the rows of a matrix of weights. All rows have blocks of one size.
/// Returns an error of the matrix or of a row, `scale_not_finite`, `size_overflow`, `arena_too_small` or `overlap`. Returns
/// `value_out_of_range` if rows have several blocks, and neither binary16 nor bfloat16 holds all scales. Returns it also if a row
/// of the caller's own type has a code that the file comment does not list. Writes nothing on an error.
template <class W, class Row = typename W::row_type>
DYADIC_API constexpr result<packed_rows<Row>> pack_rows(const W& w, view<unsigned char> memory) noexcept {
  packed_rows<Row> y{};
  const result<index_t> needed = packed_size(w);
  if (needed.status != status::ok) return {y, needed.status};
  if (const status s = check(memory); s != status::ok) return {y, s};
  const index_t rows = w.rows(), depth = w.depth(), block = rows == 0 || depth == 0 ? 1 : w.row(0).block();
  if (needed.value > memory.size()) return {y, status::arena_too_small};
  if (overlap(w, memory)) return {y, status::overlap};
  bool are_bfloat16 = true, are_binary16 = true;
  for (index_t r = 0; r < rows; ++r) {
    const Row row = w.row(r);
    if (const status s = check(row); s != status::ok) return {y, s};
    for (index_t i = 0; i < depth; ++i)
      if (!detail::packed_codes<Row>::holds(row.integer(i))) return {y, status::value_out_of_range};
    for (index_t i = 0; i < depth; i += block) {
      const binary32 scale = row.scale(i);
      if (!is_finite(scale)) return {y, status::scale_not_finite};
      are_bfloat16 = are_bfloat16 && detail::convert<binary32>(detail::convert<bfloat16>(scale)).bits == scale.bits;
      are_binary16 = are_binary16 && detail::convert<binary32>(detail::convert<binary16>(scale)).bits == scale.bits;
    }
  }
  const bool are_16_bits = are_bfloat16 || are_binary16;
  if (!are_16_bits && block < depth) return {y, status::value_out_of_range};
  const scale_format scales = are_bfloat16   ? scale_format::bfloat16
                              : are_binary16 ? scale_format::binary16
                                             : scale_format::binary32;
  y = {{memory.data(), needed.value}, rows, depth, block, scales};

  const detail::panel_shape shape = detail::shape_of_panel<Row>(depth, block);
  for (index_t first = 0; first < rows; first += detail::panel_rows) {
    unsigned char* const panel = memory.data() + first / detail::panel_rows * shape.bytes;
    std::uint64_t limit = ~std::uint64_t{0};
    constexpr int none = limits<std::int16_t>::max;
    int least = none, top = -none;
    for (index_t at = 0; at < detail::panel_rows; ++at) {
      const bool is_row = first + at < rows;
      const scale_range range = detail::put_row(w.row(is_row ? first + at : first), is_row, shape, block, scales, panel, at);
      const std::uint64_t of_row = detail::row_limit(Row::largest, range);
      const detail::odd_multiple most = detail::odd_multiple_of(range.largest);
      const int top_of_row = most.exponent + detail::bits_of(static_cast<std::uint64_t>(most.value));
      limit = of_row < limit ? of_row : limit;
      if (most.value == 0) continue;
      least = range.least < least ? range.least : least;
      top = top < top_of_row ? top_of_row : top;
    }
    unsigned char* const tail = panel + shape.blocks * shape.block_bytes;
    detail::put_number<8>(tail + detail::limit_in_tail, limit);
    if (least == none) least = top = 0;  // all products are 0
    detail::put_number<4>(tail + detail::exponents_in_tail, static_cast<std::uint32_t>(least));
    detail::put_number<4>(tail + detail::exponents_in_tail + 4, static_cast<std::uint32_t>(top));
  }
  return {y, status::ok};
}

}  // namespace dyadic

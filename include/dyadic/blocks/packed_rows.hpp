// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rows of codes with scales in the order in which vectors multiply them. Floor 2.
///
/// A panel holds 16 rows. Its parts are in this order:
///     blocks   for each block: codes, then a scale of 16 bits of each row, the low byte first
///     16 x 8   for each row, the sum of its codes times their scales, a binary64
///     8        the bound of a sum of activations that `row_limit` describes
/// Codes are in units of 64 bytes: 4 bytes of each row.
///     A byte of int8 holds the code plus 128.
///     A byte of E4M3 or E5M2 holds the bits of the float.
///     A byte of E3M2 holds its bits, with an exponent field of 5 bits.
///     Other bytes hold two indices of 4 bits. The low ones are codes 0 .. 3 of 8, the high ones codes 4 .. 7.
///     Index i stands for code i - 8, or for the E2M1 number of the bits i.
/// Rows that the last panel lacks have codes and scales of 0. Codes that the last unit of a block lacks are 0.

#include <dyadic/blocks/width.hpp>

namespace dyadic {

namespace detail {

inline constexpr index_t panel_rows = 16;

/// Returns or writes a number of `Bytes` bytes, the low byte first.
/// @{
template <int Bytes>
DYADIC_API constexpr std::uint64_t number_at(const unsigned char* from) noexcept {
  std::uint64_t x = 0;
  for (int i = 0; i < Bytes; ++i) x |= std::uint64_t{from[i]} << 8 * i;
  return x;
}
template <int Bytes>
DYADIC_API constexpr void put_number(unsigned char* to, std::uint64_t x) noexcept {
  for (int i = 0; i < Bytes; ++i) to[i] = static_cast<unsigned char>(x >> 8 * i);
}
/// @}

/// The format of 8 bits in which codes with this largest magnitude are packed, or void if they are integers.
template <std::int64_t Largest>
struct packed_format {
  using type = void;
};
template <>
struct packed_format<element_codes<e4m3>::largest> {
  using type = e4m3;
};
template <>
struct packed_format<element_codes<e5m2>::largest> {
  using type = e5m2;
};
template <>
struct packed_format<element_codes<e3m2>::largest> {
  using type = e3m2;
};

/// How the codes of a kind of rows are packed.
template <class Row>
struct packed_codes {
  using format = typename packed_format<Row::largest>::type;
  static constexpr bool are_floats = !std::is_void_v<format>;
  static constexpr bool in_nibbles = Row::largest <= 8 || Row::largest == 12;
  static constexpr index_t in_unit = in_nibbles ? 8 : 4;                           ///< codes of a row in 64 bytes
  static constexpr int least = Row::largest == 12 ? -12 : in_nibbles ? -8 : -128;  ///< the least integer that can be packed
  static_assert(are_floats || Row::largest <= 128, "packed rows have codes of int8, E4M3, E5M2, E3M2, or fewer bits");

  /// Returns the code of an index.
  DYADIC_API static constexpr std::int64_t code(int index) noexcept {
    if constexpr (std::is_same_v<format, e3m2>)
      return integer_of(e3m2::from_bits((index & 31) | (index & 128) >> 2));
    else if constexpr (are_floats)
      return integer_of(format::from_bits(index));
    else
      return Row::largest == 12 ? nibble_code::e2m1::integer(index) : index + least;
  }
  /// Returns an index of a code. Requires: the code has one.
  DYADIC_API static constexpr int index(std::int64_t code) noexcept {
    if constexpr (are_floats) {
      const auto magnitude = static_cast<std::uint64_t>(code < 0 ? -code : code);
      return compose<format>({false, magnitude, Row::unit}).bits | (code < 0 ? 128 : 0);
    } else {
      if (Row::largest != 12) return static_cast<int>(code) - least;
      const int m = static_cast<int>(code < 0 ? -code : code);
      return (m <= 4 ? m : m == 6 ? 5 : m == 8 ? 6 : 7) + (code < 0 ? 8 : 0);
    }
  }
};

/// Sizes of packed rows.
struct panel_shape {
  index_t blocks = 0;        ///< of a row
  index_t units = 0;         ///< of a block
  index_t block_bytes = 0;   ///< of a panel
  index_t bytes = 0;         ///< of a panel
  index_t padded_codes = 0;  ///< codes of a block, and zeros up to whole units
};
template <class Row>
DYADIC_API constexpr panel_shape shape_of_panel(index_t depth, index_t block) noexcept {
  constexpr index_t in_unit = packed_codes<Row>::in_unit;
  const index_t units = (block + in_unit - 1) / in_unit, blocks = (depth + block - 1) / block;
  const index_t block_bytes = 64 * units + 2 * panel_rows;
  return {blocks, units, block_bytes, blocks * block_bytes + 8 * panel_rows + 8, units * in_unit};
}

/// Returns true if the sum of a block of such codes times int8 is at most 2^19.
template <class Row>
DYADIC_API constexpr bool is_short_block(index_t block) noexcept {
  return block <= (1 << 19) / (128 * Row::largest);
}

/// Bounds a row of activations: binary64 holds each sum of its products with a row of weights if the sum of |code| * |scale| is
/// at most this limit. Scales are in units of their last bit.
///     2^53 / (largest code of the weights * largest scale of the weights)
DYADIC_API constexpr std::uint64_t row_limit(std::int64_t largest_code, const scale_range& scales) noexcept {
  const odd_multiple most = odd_multiple_of(scales.largest);
  const int shift = most.exponent - scales.least;
  if (most.value == 0) return std::uint64_t{1} << 53;
  return shift > 53 ? 0 : (std::uint64_t{1} << (53 - shift)) / static_cast<std::uint64_t>(largest_code * most.value);
}

}  // namespace detail

/// A row of `packed_rows`. Codes are those of the row that was packed.
template <class Row>
struct packed_row {
  static constexpr int unit = Row::unit;                 ///< that of the row
  static constexpr std::int64_t largest = Row::largest;  ///< that of the row

  const unsigned char* panel;  ///< the first byte of the panel
  index_t at;                  ///< the row in the panel, 0 .. 15
  index_t depth;               ///< the number of codes
  index_t block_size;          ///< codes of a block
  bool has_binary16;           ///< scales are binary16, else bfloat16

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
    const auto bits = static_cast<int>(detail::number_at<2>(of_block(i) + shape().units * 64 + 2 * at));
    return has_binary16 ? detail::convert<binary32>(binary16::from_bits(bits))
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

  view<const unsigned char> bytes;  ///< all panels
  index_t row_count = 0;            ///< rows
  index_t codes = 0;                ///< codes of a row
  index_t block_size = 32;          ///< codes of a block
  bool has_binary16 = false;        ///< scales are binary16, else bfloat16

  /// Returns the bytes that `pack_rows` needs, or `negative_size`, `shape_mismatch` for a block below 1, or `size_overflow`.
  DYADIC_API static constexpr result<index_t> bytes_of(index_t rows, index_t depth, index_t block) noexcept {
    if (rows < 0 || depth < 0) return {0, status::negative_size};
    if (block < 1) return {0, status::shape_mismatch};
    // At most 6 bytes for each row and code, also of 16 rows and of a block and 16 codes more: blocks of 1 take that.
    const index_t most = limits<index_t>::max / 6;
    if (block > most - depth || rows > most || depth + block + 16 > most / (rows + 16)) return {0, status::size_overflow};
    return {(rows + detail::panel_rows - 1) / detail::panel_rows * detail::shape_of_panel<Row>(depth, block).bytes, status::ok};
  }
  DYADIC_API constexpr index_t rows() const noexcept { return row_count; }  ///< rows
  DYADIC_API constexpr index_t depth() const noexcept { return codes; }     ///< codes of a row
  /// Returns row i.
  DYADIC_API constexpr row_type row(index_t i) const noexcept {
    const index_t panel = detail::shape_of_panel<Row>(codes, block_size).bytes;
    return {bytes.data() + i / detail::panel_rows * panel, i % detail::panel_rows, codes, block_size, has_binary16};
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
/// row. Returns its `row_limit`.
template <class Row>
DYADIC_API constexpr std::uint64_t put_row(const Row& row, bool is_row, const panel_shape& shape, bool has_binary16,
                                           unsigned char* panel, index_t at) noexcept {
  using codes = packed_codes<Row>;
  const index_t block = row.block();
  const scale_range range = scale_range_of(row).value;
  std::uint64_t sum = 0;
  for (index_t b = 0; b < shape.blocks; ++b) {
    unsigned char* const to = panel + b * shape.block_bytes;
    std::int64_t sum_of_block = 0;
    for (index_t k = 0; k < shape.padded_codes; ++k) {
      const index_t i = b * block + k, part = k % codes::in_unit;
      const std::int64_t code = is_row && k < block && i < row.size() ? row.integer(i) : 0;
      unsigned char& byte = to[k / codes::in_unit * 64 + 4 * at + part % 4];
      const int before = part < 4 ? 0 : byte;
      byte = static_cast<unsigned char>(before | codes::index(code) << (part < 4 ? 0 : 4));
      sum_of_block += code;
    }
    const binary32 scale = is_row ? row.scale(b * block) : binary32{};
    const int bits = has_binary16 ? convert<binary16>(scale).bits : convert<bfloat16>(scale).bits;
    put_number<2>(to + 64 * shape.units + 2 * at, static_cast<std::uint64_t>(bits));
    const odd_multiple s = odd_multiple_of(scale);
    if (s.value != 0 && s.exponent - range.least < 64)
      sum += static_cast<std::uint64_t>(sum_of_block) * static_cast<std::uint64_t>(s.value) << (s.exponent - range.least);
  }
  const auto exact = from_integer<binary64>(static_cast<std::int64_t>(sum));
  put_number<8>(panel + shape.blocks * shape.block_bytes + 8 * at, scale_by_power_of_two(exact, range.least).bits);
  return row_limit(Row::largest, range);
}

}  // namespace detail

/// Packs the rows of a matrix of weights. All rows have blocks of one size.
/// Returns an error of the matrix or of a row, `scale_not_finite`, `value_out_of_range` if neither binary16 nor bfloat16 holds
/// all scales, `arena_too_small`, or `overlap`. Nothing is written then.
template <class W, class Row = typename W::row_type>
DYADIC_API constexpr result<packed_rows<Row>> pack_rows(const W& w, view<unsigned char> memory) noexcept {
  packed_rows<Row> y{};
  if (const status s = check(w); s != status::ok) return {y, s};
  if (const status s = check(memory); s != status::ok) return {y, s};
  const index_t rows = w.rows(), depth = w.depth(), block = rows == 0 || depth == 0 ? 1 : w.row(0).block();
  const result<index_t> needed = packed_rows<Row>::bytes_of(rows, depth, block);
  if (needed.status != status::ok) return {y, needed.status};
  if (needed.value > memory.size()) return {y, status::arena_too_small};
  if (overlap(w, memory)) return {y, status::overlap};
  bool are_bfloat16 = true, are_binary16 = true;
  for (index_t r = 0; r < rows; ++r) {
    const Row row = w.row(r);
    if (const status s = check(row); s != status::ok) return {y, s};
    for (index_t i = 0; i < depth; i += block) {
      const binary32 scale = row.scale(i);
      if (!is_finite(scale)) return {y, status::scale_not_finite};
      are_bfloat16 = are_bfloat16 && detail::convert<binary32>(detail::convert<bfloat16>(scale)).bits == scale.bits;
      are_binary16 = are_binary16 && detail::convert<binary32>(detail::convert<binary16>(scale)).bits == scale.bits;
    }
  }
  if (!are_bfloat16 && !are_binary16) return {y, status::value_out_of_range};
  y = {{memory.data(), needed.value}, rows, depth, block, !are_bfloat16};

  const detail::panel_shape shape = detail::shape_of_panel<Row>(depth, block);
  for (index_t first = 0; first < rows; first += detail::panel_rows) {
    unsigned char* const panel = memory.data() + first / detail::panel_rows * shape.bytes;
    std::uint64_t limit = ~std::uint64_t{0};
    for (index_t at = 0; at < detail::panel_rows; ++at) {
      const bool is_row = first + at < rows;
      const std::uint64_t of_row = detail::put_row(w.row(is_row ? first + at : first), is_row, shape, !are_bfloat16, panel, at);
      limit = of_row < limit ? of_row : limit;
    }
    detail::put_number<8>(panel + shape.blocks * shape.block_bytes + 8 * detail::panel_rows, limit);
  }
  return {y, status::ok};
}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The sizes of a panel of packed rows, and how it holds their codes. Private: packed_rows.hpp describes panels. Floor 2.

#include <dyadic/blocks/width.hpp>

namespace dyadic::detail {

/// Rows of a panel.
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
  /// Returns true if a code has an index.
  DYADIC_API static constexpr bool holds(std::int64_t code_of_row) noexcept {
    if (code_of_row < -Row::largest || code_of_row > Row::largest) return false;
    const int i = index(code_of_row);
    return i >= 0 && i < (in_nibbles ? 16 : 256) && code(i) == code_of_row;
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

/// Sizes of packed rows. A block longer than a row takes the room of the row.
struct panel_shape {
  index_t blocks = 0;        ///< blocks of a row
  index_t units = 0;         ///< units of 64 bytes in a block
  index_t block_bytes = 0;   ///< bytes of a block of all rows of a panel
  index_t bytes = 0;         ///< bytes of a panel
  index_t padded_codes = 0;  ///< codes of a block, and zeros up to whole units
};
template <class Row>
DYADIC_API constexpr panel_shape shape_of_panel(index_t depth, index_t block) noexcept {
  constexpr index_t in_unit = packed_codes<Row>::in_unit;
  const index_t room = block <= depth ? block : depth == 0 ? 1 : depth;
  const index_t units = (room + in_unit - 1) / in_unit, blocks = (depth + block - 1) / block;
  const index_t block_bytes = 64 * units + 2 * panel_rows;
  return {blocks, units, block_bytes, blocks * block_bytes + 12 * panel_rows + 16, units * in_unit};
}
/// Where numbers of a panel are, in bytes behind its last block.
inline constexpr index_t limit_in_tail = 8 * panel_rows, factors_in_tail = limit_in_tail + 8,
                         exponents_in_tail = factors_in_tail + 4 * panel_rows;

/// Returns true if int32 holds the sum of a block of such codes times int8.
template <class Row>
DYADIC_API constexpr bool fits_int32(index_t block) noexcept {
  return block <= limits<std::int32_t>::max / (128 * Row::largest);
}

/// Returns the limit of a row of activations: its sum of |code| * |scale|, in units of their last bit. Binary64 then holds each
/// sum of its products with a row of weights, whose products code * scale are multiples of 2^least. It is 2^53 if all scales are
/// 0.
///     2^53 / (largest code of the weights * largest scale of the weights), or 0 if that is below 1
DYADIC_API constexpr std::uint64_t row_limit(std::int64_t largest_code, const scale_range& scales) noexcept {
  const odd_multiple most = odd_multiple_of(scales.largest);
  const int shift = most.exponent - scales.least;
  constexpr std::uint64_t all = std::uint64_t{1} << 53;
  if (most.value == 0) return all;
  const auto product = static_cast<std::uint64_t>(largest_code * most.value);  // below 2^56
  if (shift < 0) return shift < -56 ? all : all / (((product - 1) >> -shift) + 1);
  return shift > 53 ? 0 : (all >> shift) / product;
}

/// Returns the exponent of the multiples of `wide_sum`, or `no_grid` if it does not hold the sum of such a number of terms.
/// `magnitudes` is the sum of |code| * |scale| of activations, in units of 2^least. `tail` is that of the panel.
inline constexpr int no_grid = limits<std::int32_t>::max;
DYADIC_API constexpr int grid_of(std::uint64_t magnitudes, int least, std::int64_t largest_code, const unsigned char* tail,
                                 index_t terms) noexcept {
  const auto least_of_w = static_cast<std::int32_t>(number_at<4>(tail + exponents_in_tail));
  const auto top_of_w = static_cast<std::int32_t>(number_at<4>(tail + exponents_in_tail + 4));
  // Terms are multiples of 2^u, below 2^(u + bits) together. The rest of each is half a multiple at most.
  const int u = least + least_of_w;
  const int bits = bits_of(magnitudes) + bits_of(static_cast<std::uint64_t>(largest_code)) + top_of_w - least_of_w;
  const int grid = 54 - bits_of(static_cast<std::uint64_t>(terms));
  return magnitudes >> 63 == 0 && bits <= 51 + grid ? u + grid : no_grid;
}

}  // namespace dyadic::detail

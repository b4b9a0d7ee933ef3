// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rows of activations in the order in which the vectors of `exact::linear` multiply them. Floor 2.

#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/packed_rows.hpp>

namespace dyadic::detail {

/// True if the codes of a row, or those before the zero point is subtracted, are int8.
template <class Row>
inline constexpr bool are_int8 = Row::largest <= 128 || std::is_same_v<Row, qd8_row>;

/// How vectors multiply rows of activations by packed rows: not at all, blocks in int32, or all in binary64.
enum class block_products : std::uint8_t { none, integers, numbers };
template <class X, class Row>
inline constexpr block_products block_products_of =
    are_int8<X> && !packed_codes<Row>::are_floats                    ? block_products::integers
    : packed_codes<Row>::are_floats || packed_codes<Row>::in_nibbles ? block_products::numbers
                                                                     : block_products::none;

/// A row of activations as vectors read it. A block of `block_products::integers` has these parts, in bytes:
///     8   the first value of the sum, an int32, and 4 bytes that are not read
///     16  the scale, and `integer_offset` times the scale, two binary64
///     n   the codes, int8, and zeros up to whole units
/// A block of `block_products::numbers` is a binary64 for each code, and zeros up to whole units: the code times 2^number_shift,
/// times its scale unless the row has one scale.
struct prepared_row {
  const unsigned char* blocks;  ///< the first block
  binary32 factor;              ///< the scale of the row
  std::int32_t zero_point;      ///< of the codes
  std::uint64_t sum;            ///< see `row_limit`
  std::uint64_t most;           ///< the largest |scale| * (sum of |code|) of a block, in units of the scale's last bit
  std::int32_t least;           ///< the sum is in units of 2^least
};
inline constexpr index_t bytes_before_codes = 24;

DYADIC_API constexpr index_t prepared_bytes(const panel_shape& shape, block_products by) noexcept {
  const index_t codes = by == block_products::numbers ? 8 * shape.padded_codes : bytes_before_codes + shape.padded_codes;
  return static_cast<index_t>(sizeof(prepared_row)) + shape.blocks * codes;
}

/// A packed byte is the upper byte of a binary16, after a shift to the right below the sign if it is E4M3. The code is this
/// binary16 times 2^number_shift.
template <class Codes>
inline constexpr int number_shift = !Codes::are_floats                             ? 0
                                    : std::is_same_v<typename Codes::format, e4m3> ? 17
                                                                                   : 16;

/// Writes the table that vectors look indices of 4 bits up in: codes plus an offset, or upper bytes of their binary16.
template <class Codes>
DYADIC_API constexpr void put_table(block_products by, std::int64_t offset, std::uint8_t (&table)[16]) noexcept {
  for (int i = 0; i < 16; ++i) {
    const std::int64_t code = Codes::code(i);
    const std::int64_t entry = by == block_products::integers ? code + offset : from_integer<binary16>(code).bits >> 8;
    table[i] = static_cast<std::uint8_t>(entry);
  }
}

/// An int32 plus 2^31, as the lower half of a binary64 with this upper half, is the binary64 `integer_offset` plus the int32.
/// @{
inline constexpr std::int32_t upper_half = 0x4330'0000;
inline constexpr double integer_offset = 4503601774854144.0;  // 2^52 + 2^31
/// @}

/// Returns where codes lie as int8 from code i on, up to the end of a block, or null.
/// @{
template <class X>
DYADIC_API const void* int8_codes(const X& /*x*/, index_t /*i*/) noexcept {
  return nullptr;
}
DYADIC_API inline const void* int8_codes(const qd8_row& x, index_t i) noexcept { return x.codes.data() + i; }
DYADIC_API inline const void* int8_codes(const one_scale_row<element_codes<std::int8_t>>& x, index_t i) noexcept {
  return x.elements.data() + i;
}
template <class Format, class Scale, class = std::enable_if_t<is_int8_format<Format>>>
DYADIC_API const void* int8_codes(const block_scaled_row<element_codes<Format>, Scale>& x, index_t i) noexcept {
  return x.elements.data() + i;
}
DYADIC_API inline const void* int8_codes(const ggml::row<ggml::q8_0>& x, index_t i) noexcept {
  return x.at(i) + ggml::q8_0::first + i % ggml::q8_0::elements;
}
/// @}

/// Sums of int8 codes.
struct code_sums {
  std::int32_t codes, magnitudes;
};

/// Adds a block to the magnitudes of a row. Its codes are multiples of 2^zeros.
DYADIC_API constexpr void add_block(prepared_row& row, std::int64_t magnitudes, int zeros, binary32 scale) noexcept {
  constexpr std::uint64_t beyond = ~std::uint64_t{0};
  const auto shifted = [](std::uint64_t x, int n) { return n <= leading_zeros(x) ? x << n : beyond; };
  const odd_multiple s = odd_multiple_of(magnitude(scale));
  const unsigned_wide term = multiply(static_cast<std::uint64_t>(magnitudes >> zeros), static_cast<std::uint64_t>(s.value));
  if (term.high == 0 && term.low == 0) return;
  const std::uint64_t of_block = term.high == 0 ? term.low : beyond;
  row.most = row.most < of_block ? of_block : row.most;
  const int unit = s.exponent + zeros, least = row.sum == 0 || unit < row.least ? unit : row.least;
  const std::uint64_t before = row.sum == 0 ? 0 : shifted(row.sum, row.least - least), added = shifted(of_block, unit - least);
  row.sum = before > beyond - added ? beyond : before + added;
  row.least = least;
}

/// Writes a row of activations to `to`. The sum of a block begins with 2^31 - offset * (sum of its codes), because vectors
/// multiply codes of weights plus an offset.
template <class Kernel, class X>
DYADIC_API void prepare_integers(const X& x, const panel_shape& shape, index_t block, std::int64_t offset,
                                 unsigned char* to) noexcept {
  unsigned char* y = to + sizeof(prepared_row);
  prepared_row row{y, binary32{1.0f}, 0, 0, 0, 0};
  if constexpr (has_one_scale<X>) row.factor = x.factor;
  if constexpr (std::is_same_v<X, qd8_row>) row.zero_point = x.zero_point;
  const int zero = row.zero_point;
  for (index_t first = 0; first < x.size(); first += block, y += bytes_before_codes + shape.padded_codes) {
    const index_t rest = x.size() - first, count = rest < block ? rest : block;
    unsigned char* const codes = y + bytes_before_codes;
    const void* const from = int8_codes(x, first);
    if (from != nullptr)
      DYADIC_MEMCPY(codes, from, static_cast<std::size_t>(count));
    else
      for (index_t k = 0; k < count; ++k) codes[k] = static_cast<unsigned char>(x.integer(first + k) + zero);
    const index_t in_vectors = count / 32 * 32;
    code_sums sums = Kernel::sums_of(codes, in_vectors);
    for (index_t k = in_vectors; k < count; ++k) {
      const std::int32_t code = wrap<std::int8_t>(codes[k]);
      sums.codes += code;
      sums.magnitudes += code < 0 ? -code : code;
    }
    for (index_t k = count; k < shape.padded_codes; ++k) codes[k] = 0;
    const binary32 scale = has_one_scale<X> ? binary32{1.0f} : x.scale(first);
    const std::uint64_t start = static_cast<std::uint32_t>((std::int64_t{1} << 31) - offset * sums.codes);
    DYADIC_MEMCPY(y, &start, sizeof start);
    Kernel::put_scale(scale.to_float(), y + sizeof start);
    add_block(row, sums.magnitudes + (zero < 0 ? -zero : zero) * count, 0, scale);
  }
  DYADIC_MEMCPY(to, &row, sizeof row);
}

/// Writes a row of activations to `to` as numbers times 2^shift.
template <class X>
DYADIC_API void prepare_numbers(const X& x, const panel_shape& shape, index_t block, int shift, unsigned char* to) noexcept {
  unsigned char* y = to + sizeof(prepared_row);
  prepared_row row{y, binary32{1.0f}, 0, 0, 0, 0};
  if constexpr (has_one_scale<X>) row.factor = x.factor;
  for (index_t first = 0; first < x.size(); first += block) {
    const index_t rest = x.size() - first, count = rest < block ? rest : block;
    const binary32 scale = has_one_scale<X> ? binary32{1.0f} : x.scale(first);
    const double factor = static_cast<double>(1 << shift) * static_cast<double>(scale.to_float());
    std::int64_t magnitudes = 0, bits = 0;
    for (index_t k = 0; k < shape.padded_codes; ++k, y += sizeof(double)) {
      const std::int64_t code = k < count ? x.integer(first + k) : 0;
      const double number = static_cast<double>(code) * factor;
      DYADIC_MEMCPY(y, &number, sizeof number);
      magnitudes += code < 0 ? -code : code;
      bits |= code;
    }
    add_block(row, magnitudes, trailing_zeros(bits), scale);
  }
  DYADIC_MEMCPY(to, &row, sizeof row);
}

}  // namespace dyadic::detail

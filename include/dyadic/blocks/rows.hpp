// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The operands of a dot product: codes, and rows of codes with scales. Floor 2.
///
/// Codes and rows have `unit`, `largest`, `size()` and `integer(i)`. Code i stands for integer(i) * 2^unit, exact, and
/// |integer(i)| <= largest. A row multiplies each code by scale(i), exact, which changes only at multiples of block().
/// `check(row)` and `check(codes)` return the first error. The other functions require that it is `ok`. part(first, count) is the
/// codes first .. first + count - 1. Requires: first is a multiple of `group`. memory() is the memory of the codes.

#include <dyadic/blocks/formats.hpp>
#include <dyadic/blocks/nibble_order.hpp>

namespace dyadic {

/// Integers of 8 or 16 bits minus a zero point, which is a value of T: qd8, qai8dx, activations with a scale of a tensor.
template <class T>
struct integer_codes {
  static constexpr int unit = 0;                                                          ///< integers are the numbers
  static constexpr std::int64_t largest = std::int64_t{limits<T>::max} - limits<T>::min;  ///< 255 or 65535

  view<const T> codes;          ///< the codes
  std::int32_t zero_point = 0;  ///< subtracted from each code

  static constexpr index_t group = 1;                                          ///< `part` begins at a multiple of it
  DYADIC_API constexpr index_t size() const noexcept { return codes.size(); }  ///< the number of codes
  DYADIC_API constexpr integer_codes part(index_t first, index_t count) const noexcept {
    return {{codes.data() + first, count}, zero_point};
  }                                                                             ///< some codes
  DYADIC_API constexpr view<const T> memory() const noexcept { return codes; }  ///< the codes
  /// Returns code i minus the zero point.
  DYADIC_API constexpr std::int64_t integer(index_t i) const noexcept { return std::int64_t{codes[i]} - zero_point; }
  /// Returns the error of the view, or `zero_point_out_of_range`.
  DYADIC_API friend constexpr status check(const integer_codes& x) noexcept {
    const status s = check(x.codes);
    return s == status::ok && !fits<T>(std::int64_t{x.zero_point}) ? status::zero_point_out_of_range : s;
  }
};

/// Interpretations of a code of 4 bits, with the members `unit`, `largest` and `integer` of codes.
namespace nibble_code {
/// The code is the integer plus 8.
struct offset8 {
  static constexpr int unit = 0;                                                            ///< integers are the numbers
  static constexpr std::int64_t largest = 8;                                                ///< a magnitude
  DYADIC_API static constexpr std::int64_t integer(int code) noexcept { return code - 8; }  ///< -8 .. 7
};
/// The code is the low 4 bits of the integer.
struct twos_complement : offset8 {
  DYADIC_API static constexpr std::int64_t integer(int code) noexcept { return (code ^ 8) - 8; }  ///< -8 .. 7
};
/// The code is a float.
struct e2m1 {
  static constexpr int unit = -1;              ///< integers are twice the numbers
  static constexpr std::int64_t largest = 12;  ///< a magnitude
  /// Returns 0, 1, 2, 3, 4, 6, 8, 12, or the negative.
  DYADIC_API static constexpr std::int64_t integer(int code) noexcept { return integer_of(dyadic::e2m1::from_bits(code)); }
};
}  // namespace nibble_code

/// `count` codes of 4 bits: qc4w, qb4w, qsi4c32, qsi4cx, MXFP4, NVFP4.
template <class Code, class Order = nibble_order::pairs>
struct nibble_codes {
  static constexpr int unit = Code::unit;                 ///< that of `Code`
  static constexpr std::int64_t largest = Code::largest;  ///< that of `Code`

  view<const std::uint8_t> bytes;  ///< two codes each, in the order
  index_t count = 0;               ///< the number of codes

  static constexpr index_t group = 2 * Order::bytes;                    ///< `part` begins at a multiple of it
  DYADIC_API constexpr index_t size() const noexcept { return count; }  ///< the number of codes
  DYADIC_API constexpr nibble_codes part(index_t first, index_t codes) const noexcept {
    const index_t end = (first + codes + group - 1) / group * Order::bytes;
    return {{bytes.data() + first / 2, end - first / 2}, codes};
  }                                                                                        ///< some codes
  DYADIC_API constexpr view<const std::uint8_t> memory() const noexcept { return bytes; }  ///< the bytes
  /// Returns the integer of code i.
  DYADIC_API constexpr std::int64_t integer(index_t i) const noexcept { return Code::integer(nibble<Order>(bytes.data(), i)); }
  /// Returns the error of the view, `negative_size`, or `null_data` if the bytes are too few. A group of the order is whole.
  DYADIC_API friend constexpr status check(const nibble_codes& x) noexcept {
    if (const status s = check(x.bytes); s != status::ok) return s;
    const index_t groups = x.count / group + (x.count % group != 0 ? 1 : 0);
    if (x.count < 0) return status::negative_size;
    return groups <= x.bytes.size() / Order::bytes ? status::ok : status::null_data;
  }
};

namespace detail {
/// True for elements that are integers of 8 bits times the unit.
template <class Format>
inline constexpr bool is_int8_format = std::is_same_v<Format, mxint8> || std::is_same_v<Format, std::int8_t>;
}  // namespace detail

/// Elements of a format, one in each element of the view. The format std::int8_t has integers in the unit 1: qc8w.
template <class Format>
struct element_codes {
  static constexpr int unit = unit_exponent<Format>;  ///< that of the format
  /// The magnitude of the largest element, in the unit.
  static constexpr std::int64_t largest = [] {
    if constexpr (detail::is_int8_format<Format>)
      return 128;
    else
      return integer_of(Format::from_bits(detail::format<Format>::infinity - 1));
  }();

  view<const Format> elements;  ///< the elements

  static constexpr index_t group = 1;                                             ///< `part` begins at a multiple of it
  DYADIC_API constexpr index_t size() const noexcept { return elements.size(); }  ///< the number of elements
  DYADIC_API constexpr element_codes part(index_t first, index_t count) const noexcept {
    return {{elements.data() + first, count}};
  }                                                                                     ///< some elements
  DYADIC_API constexpr view<const Format> memory() const noexcept { return elements; }  ///< the elements
  /// Returns element i in the unit.
  DYADIC_API constexpr std::int64_t integer(index_t i) const noexcept { return integer_of(elements[i]); }
  /// Returns the error of the view, or `value_out_of_range` if an element is NaN or infinite.
  DYADIC_API friend constexpr status check(const element_codes& x) noexcept {
    if (const status s = check(x.elements); s != status::ok) return s;
    if constexpr (!detail::is_int8_format<Format>)
      for (const Format element : x.elements)
        if (!is_finite(element)) return status::value_out_of_range;
    return status::ok;
  }
};

/// Codes with one scale: {{codes, zero_point}, factor}. `check` is that of the codes.
template <class Codes>
struct one_scale_row : Codes {
  binary32 factor;  ///< the scale

  DYADIC_API constexpr index_t block() const noexcept { return Codes::size(); }         ///< one block
  DYADIC_API constexpr binary32 scale(index_t /*i*/) const noexcept { return factor; }  ///< the scale
};

/// Activations with a zero point and a scale: qd8 of XNNPACK, which calls the scale inv_scale, and qai8dx of KleidiAI.
using qd8_row = one_scale_row<integer_codes<std::int8_t>>;

namespace detail {
/// True for a row with one scale.
template <class Row>
inline constexpr bool has_one_scale = false;
template <class Codes>
inline constexpr bool has_one_scale<one_scale_row<Codes>> = true;

/// Returns a scale as binary32, exact. The scale 255 of E8M0 is NaN.
/// @{
DYADIC_API constexpr binary32 exact_scale(e8m0 x) noexcept { return value_of(x); }
DYADIC_API constexpr binary32 exact_scale(std::uint8_t x) noexcept { return from_integer<binary32>(x); }
template <class Float, int = Float::digits>
DYADIC_API constexpr binary32 exact_scale(Float x) noexcept {
  return convert<binary32>(x);
}
/// @}
}  // namespace detail

/// Codes with a scale for each block: {{bytes, count}, scales, block_size}. A scale is E8M0, binary32, bfloat16, binary16, E4M3,
/// or uint8, which is an integer and not the bits of E8M0. The last block may be shorter.
template <class Codes, class Scale>
struct block_scaled_row : Codes {
  static_assert(!std::is_same_v<Scale, std::uint8_t> || Codes::unit == 0,
                "uint8 scales are integers, for integer codes: those of MX are e8m0, those of NVFP4 are e4m3");
  view<const Scale> scales;  ///< one for each block
  index_t block_size = 32;   ///< codes of a block

  DYADIC_API constexpr index_t block() const noexcept { return block_size; }  ///< codes of a block
  /// Returns the scale of the block of code i.
  DYADIC_API constexpr binary32 scale(index_t i) const noexcept { return detail::exact_scale(scales[i / block_size]); }
  /// Returns the error of the codes or of the scales, or `shape_mismatch` for an empty block or another number of scales.
  DYADIC_API friend constexpr status check(const block_scaled_row& row) noexcept {
    if (const status s = detail::check_each(static_cast<const Codes&>(row), row.scales); s != status::ok) return s;
    const index_t size = row.size(), block = row.block_size;
    return block >= 1 && size / block + (size % block != 0 ? 1 : 0) == row.scales.size() ? status::ok : status::shape_mismatch;
  }
};

}  // namespace dyadic

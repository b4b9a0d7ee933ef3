// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The bytes of ggml's blocks (src/ggml-common.h, src/ggml-quants.c). Floor 2.
/// Revision: ggml @ d99724f2.
///
///     block   elements  bytes                                       value
///     q4_0          32  d:2, nibbles:16                             d * (code - 8)
///     q4_1          32  d:2, m:2, nibbles:16                        d * code + m
///     q5_0          32  d:2, high bits:4, nibbles:16                d * (code - 16)
///     q5_1          32  d:2, m:2, high bits:4, nibbles:16           d * code + m
///     q8_0          32  d:2, int8:32                                d * code
///     q8_1          32  d:2, s:2, int8:32                           d * code; s is d * (sum of the codes), rounded
///     mxfp4         32  e:1, nibbles:16                             2^(e - 128) * (doubled E2M1)
///     nvfp4     4 * 16  UE4M3:4, nibbles:4 * 8                      UE4M3 / 2 * (doubled E2M1), a scale for 16 elements
///
/// d, m and s are binary16, the low byte first. High bit i, the lowest bit first, belongs to element i.

#include <dyadic/blocks/formats.hpp>
#include <dyadic/blocks/nibble_order.hpp>

namespace dyadic::ggml {

namespace detail {

/// Returns the binary16 at `bytes`, the low byte first, exact.
DYADIC_API constexpr binary32 half_at(const std::uint8_t* bytes) noexcept {
  return dyadic::detail::convert<binary32>(binary16::from_bits(bytes[0] | bytes[1] << 8));
}

/// `Halves` numbers of binary16, first d, and then 32 codes of `Bits` bits. A code minus `Zero` is an integer. In the functions
/// of all blocks, i is 0 .. elements - 1, and `block` points to `bytes` bytes.
template <int Bits, int Zero, index_t Halves>
struct scaled_codes {
  static constexpr int bits = Bits;                                   ///< bits of a code
  static constexpr int zero = Zero;                                   ///< the code of 0
  static constexpr index_t elements = 32;                             ///< elements of a block
  static constexpr index_t first = 2 * Halves + (Bits == 5 ? 4 : 0);  ///< the byte of the first code
  static constexpr index_t bytes = first + (Bits == 8 ? 32 : 16);     ///< bytes of a block
  using order = nibble_order::halves_of_32;                           ///< the order of the nibbles
  /// The largest magnitude of a value.
  static constexpr std::int64_t largest = Bits == 8 ? 128 : Zero != 0 ? Zero : (1 << Bits) - 1;

  /// Returns the code of element i, 0 .. 2^bits - 1.
  DYADIC_API static constexpr int code(const std::uint8_t* block, index_t i) noexcept {
    if constexpr (Bits == 8) return block[first + i];
    const int low = nibble<order>(block + first, i);
    return Bits == 5 ? low | (block[first - 4 + i / 8] >> i % 8 & 1) << 4 : low;
  }
  /// Sets element i, whose bits are 0, to the low bits of a code.
  DYADIC_API static constexpr void set_code(std::uint8_t* block, index_t i, int code) noexcept {
    if constexpr (Bits == 8) {
      block[first + i] = wrap<std::uint8_t>(code);
    } else {
      set_nibble<order>(block + first, i, code & 15);
      if constexpr (Bits == 5)
        block[first - 4 + i / 8] = static_cast<std::uint8_t>(block[first - 4 + i / 8] | (code >> 4) << i % 8);
    }
  }
  /// Returns the integer of element i: the code as int8, or code - zero.
  DYADIC_API static constexpr int value(const std::uint8_t* block, index_t i) noexcept {
    return Bits == 8 ? wrap<std::int8_t>(code(block, i)) : code(block, i) - Zero;
  }
  /// Returns the scale d of element i, exact.
  DYADIC_API static constexpr binary32 scale(const std::uint8_t* block, index_t /*i*/) noexcept { return half_at(block); }
};

/// Codes without a sign, and a number m that is added to each element.
template <int Bits>
struct codes_from_minimum : scaled_codes<Bits, 0, 2> {
  /// Returns m, exact.
  DYADIC_API static constexpr binary32 minimum(const std::uint8_t* block) noexcept { return half_at(block + 2); }
};

/// Groups of E2M1 codes. Their values are doubled, so that each is an integer of -12 .. 12, and their scales are halved.
template <index_t Groups, index_t Bytes>
struct doubled_e2m1 {
  static constexpr index_t elements = 2 * Groups * Bytes;    ///< elements of a block
  static constexpr index_t first = Groups;                   ///< the byte of the first code
  static constexpr index_t bytes = Groups + Groups * Bytes;  ///< bytes of a block
  static constexpr index_t group = 2 * Bytes;                ///< elements of a scale
  static constexpr std::int64_t largest = 12;                ///< the largest magnitude of a value
  using order = nibble_order::halves<Bytes>;                 ///< the order of the nibbles

  /// Returns the code of element i.
  DYADIC_API static constexpr int code(const std::uint8_t* block, index_t i) noexcept { return nibble<order>(block + first, i); }
  /// Sets the code of element i, whose bits are 0.
  DYADIC_API static constexpr void set_code(std::uint8_t* block, index_t i, int code) noexcept {
    set_nibble<order>(block + first, i, code);
  }
  /// Returns twice the E2M1 number of element i.
  DYADIC_API static constexpr int value(const std::uint8_t* block, index_t i) noexcept {
    return static_cast<int>(integer_of(e2m1::from_bits(code(block, i))));
  }
};

}  // namespace detail

/// The blocks. `value(block, i)` is the integer of element i, `scale(block, i)` its scale.
/// @{
struct q4_0 : detail::scaled_codes<4, 8, 1> {};   ///< codes of 4 bits minus 8, and a scale
struct q4_1 : detail::codes_from_minimum<4> {};   ///< codes of 4 bits, a scale and a minimum
struct q5_0 : detail::scaled_codes<5, 16, 1> {};  ///< codes of 5 bits minus 16, and a scale
struct q5_1 : detail::codes_from_minimum<5> {};   ///< codes of 5 bits, a scale and a minimum
struct q8_0 : detail::scaled_codes<8, 0, 1> {};   ///< int8 codes and a scale
/// int8 codes, a scale, and the stored sum of all elements.
struct q8_1 : detail::scaled_codes<8, 0, 2> {
  /// Returns s, the stored sum of all elements, exact.
  DYADIC_API static constexpr binary32 sum(const std::uint8_t* block) noexcept { return detail::half_at(block + 2); }
};
/// E2M1 with a power of two for 32 elements.
struct mxfp4 : detail::doubled_e2m1<1, 16> {
  /// Returns 2^(e - 128): half of the E8M0 scale. ggml does not read 255 as NaN, but as 2^127.
  DYADIC_API static constexpr binary32 scale(const std::uint8_t* block, index_t /*i*/) noexcept {
    return scale_by_power_of_two(binary32{1.0f}, block[0] - 128);
  }
};
/// E2M1 with a UE4M3 for each 16 of 64 elements.
struct nvfp4 : detail::doubled_e2m1<4, 8> {
  /// Returns half of the UE4M3 scale of the 16 elements around i. ggml reads the code 0x7F, a NaN, as 0. It ignores the highest
  /// bit of other codes, so that 0xFF is 480 / 2.
  DYADIC_API static constexpr binary32 scale(const std::uint8_t* block, index_t i) noexcept {
    const int code = block[i / group];
    const int field = code >> 3 & 15, fraction = code & 7;
    const int whole = field == 0 ? fraction : (8 | fraction) << (field - 1);
    return scale_by_power_of_two(from_integer<binary32>(code == 0x7F ? 0 : whole), -10);
  }
};
/// @}

}  // namespace dyadic::ggml

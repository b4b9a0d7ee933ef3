// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The orders in which publishers store codes of 4 bits, two in a byte, and the conversions between these orders. Floor 2.
///
///     order          byte i: low nibble, high nibble    used by
///     pairs          2i, 2i + 1                         torchao, XNNPACK, KleidiAI, LiteRT
///     halves_of_16   i, i + 8 of 16 elements            ggml nvfp4
///     halves_of_32   i, i + 16 of 32 elements           ggml q4_0 .. q5_1 and mxfp4, KleidiAI s16s0

#include <dyadic/view.hpp>

namespace dyadic {

namespace nibble_order {

/// Each group of 2 * Bytes elements has its first half in the low nibbles and its second half in the high nibbles.
template <index_t Bytes>
struct halves {
  static constexpr index_t bytes = Bytes;  ///< bytes of a group
  /// Returns the byte that holds element i.
  DYADIC_API static constexpr index_t byte_of(index_t i) noexcept { return i / (2 * Bytes) * Bytes + i % Bytes; }
  /// Returns the position of the lowest bit of element i: 0 or 4.
  DYADIC_API static constexpr int shift_of(index_t i) noexcept { return i / Bytes % 2 == 0 ? 0 : 4; }
};
using pairs = halves<1>;          ///< byte i holds elements 2i and 2i + 1
using halves_of_16 = halves<8>;   ///< byte i of 8 holds elements i and i + 8
using halves_of_32 = halves<16>;  ///< byte i of 16 holds elements i and i + 16

}  // namespace nibble_order

/// Returns the code of 4 bits of element i, 0 .. 15. Requires: `bytes` holds element i.
template <class Order>
DYADIC_API constexpr int nibble(const std::uint8_t* bytes, index_t i) noexcept {
  return bytes[Order::byte_of(i)] >> Order::shift_of(i) & 15;
}

/// Sets element i, whose bits are 0, to a code of 0 .. 15.
template <class Order>
DYADIC_API constexpr void set_nibble(std::uint8_t* bytes, index_t i, int code) noexcept {
  std::uint8_t& byte = bytes[Order::byte_of(i)];
  byte = static_cast<std::uint8_t>(byte | code << Order::shift_of(i));
}

/// Copies codes from one order to another: `reorder_nibbles<nibble_order::pairs, nibble_order::halves_of_32>(x, y)`.
/// Returns the status of a view, `shape_mismatch` if the sizes differ or are not a multiple of the groups of both orders, or
/// `overlap`. Nothing is written then.
template <class From, class To>
DYADIC_API constexpr status reorder_nibbles(view<const std::uint8_t> x, view<std::uint8_t> y) noexcept {
  if (const status s = check_same_size(x, y); s != status::ok) return s;
  if (x.size() % From::bytes != 0 || x.size() % To::bytes != 0) return status::shape_mismatch;
  if (overlap(x, y)) return status::overlap;
  for (std::uint8_t& byte : y) byte = 0;
  for (index_t i = 0; i < 2 * x.size(); ++i) set_nibble<To>(y.data(), i, nibble<From>(x.data(), i));
  return status::ok;
}

/// Converts both codes of a byte between offset 8 (0 .. 15 for -8 .. 7) and two's complement. Each function undoes the other.
/// @{
DYADIC_API constexpr std::uint8_t offset8_to_twos_complement(std::uint8_t byte) noexcept {
  return static_cast<std::uint8_t>(byte ^ 0x88);
}
DYADIC_API constexpr std::uint8_t twos_complement_to_offset8(std::uint8_t byte) noexcept {
  return static_cast<std::uint8_t>(byte ^ 0x88);
}
/// @}

}  // namespace dyadic

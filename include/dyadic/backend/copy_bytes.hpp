// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Copies a few bytes inline, because compilers would call memcpy. Private. Floor 4.

#include <dyadic/config.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// Copies at least Count bytes and fewer than 2 Count, by two moves of Count bytes. With Count = 16, copies 16 bytes or more.
/// The last move overlaps the move before it.
template <index_t Count>
DYADIC_ALWAYS_INLINE void copy_bytes_by(const std::byte* from, std::byte* to, index_t bytes) noexcept {
  index_t i = 0;
  for (; Count == 16 && i < bytes - Count; i += Count) DYADIC_MEMCPY(to + i, from + i, Count);
  if (Count < 16) DYADIC_MEMCPY(to, from, Count);
  DYADIC_MEMCPY(to + bytes - Count, from + bytes - Count, Count);
}

/// Copies any number of bytes.
inline void copy_bytes(const std::byte* from, std::byte* to, index_t bytes) noexcept {
  if (bytes >= 16)
    copy_bytes_by<16>(from, to, bytes);
  else if (bytes >= 8)
    copy_bytes_by<8>(from, to, bytes);
  else if (bytes >= 4)
    copy_bytes_by<4>(from, to, bytes);
  else
    for (index_t i = 0; i < bytes; ++i) to[i] = from[i];
}

/// Copies pieces of `bytes` bytes, each by copy_bytes_by<Count>.
template <index_t Count>
DYADIC_ALWAYS_INLINE void copy_pieces_by(const std::byte* from, index_t from_step, std::byte* to, index_t to_step, index_t bytes,
                                         index_t count) noexcept {
  for (; count > 0; --count, from += from_step, to += to_step) copy_bytes_by<Count>(from, to, bytes);
}
/// Copies `count` pieces of `bytes` bytes. Pieces are `from_step` bytes apart at the source, and `to_step` bytes at the
/// destination.
inline DYADIC_NOINLINE void copy_pieces(const std::byte* from, index_t from_step, std::byte* to, index_t to_step, index_t bytes,
                                        index_t count) noexcept {
  const auto copy = bytes >= 16  ? copy_pieces_by<16>
                    : bytes >= 8 ? copy_pieces_by<8>
                    : bytes >= 4 ? copy_pieces_by<4>
                    : bytes >= 2 ? copy_pieces_by<2>
                                 : copy_pieces_by<1>;
  copy(from, from_step, to, to_step, bytes, count);
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

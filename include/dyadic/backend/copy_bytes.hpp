// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Copies of a few bytes, of which compilers make calls otherwise. Private. Floor 4.

#include <dyadic/config.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// From N bytes on and below 2 N, in two moves of N; of 16, any, in moves of which the last one overlaps the one before it.
template <index_t N>
DYADIC_ALWAYS_INLINE void copy_bytes_by(const std::byte* from, std::byte* to, index_t bytes) noexcept {
  index_t i = 0;
  for (; N == 16 && i < bytes - N; i += N) __builtin_memcpy(to + i, from + i, N);
  if (N < 16) __builtin_memcpy(to, from, N);
  __builtin_memcpy(to + bytes - N, from + bytes - N, N);
}

/// Any number of them.
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

/// Pieces of so many bytes, from N on and below 2 N; of 16, any.
template <index_t N>
DYADIC_ALWAYS_INLINE void copy_pieces_by(const std::byte* from, index_t from_step, std::byte* to, index_t to_step, index_t bytes,
                                         index_t count) noexcept {
  for (; count > 0; --count, from += from_step, to += to_step) copy_bytes_by<N>(from, to, bytes);
}
/// `count` pieces of so many bytes, so far apart.
inline __attribute__((noinline)) void copy_pieces(const std::byte* from, index_t from_step, std::byte* to, index_t to_step,
                                                  index_t bytes, index_t count) noexcept {
  const auto copy = bytes >= 16  ? copy_pieces_by<16>
                    : bytes >= 8 ? copy_pieces_by<8>
                    : bytes >= 4 ? copy_pieces_by<4>
                    : bytes >= 2 ? copy_pieces_by<2>
                                 : copy_pieces_by<1>;
  copy(from, from_step, to, to_step, bytes, count);
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

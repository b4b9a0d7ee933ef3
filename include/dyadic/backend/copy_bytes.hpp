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

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

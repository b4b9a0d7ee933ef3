// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The memory in which layers and operators are prepared. Floor 2.

#include <dyadic/view.hpp>

namespace dyadic {

/// The alignment of the arena of a layer or an operator in bytes: the largest alignment of a constant, a multiplier or a rule.
/// The sizes that `bytes` returns are multiples of it.
inline constexpr index_t arena_alignment = 8;

namespace detail {

/// Returns the offset of the piece behind `count` elements of `size` bytes that begin at offset `at`, a multiple of
/// arena_alignment. Returns -1 if an argument is negative or the sum exceeds index_t, as `add_size` does.
DYADIC_API constexpr index_t end_of_piece(index_t at, index_t count, index_t size) noexcept {
  const index_t end = add_size(add_size(at, count, size), arena_alignment - 1);
  return end < 0 ? end : end / arena_alignment * arena_alignment;
}

/// Returns the first error of an arena that must have `size` bytes: that of the view, `arena_misaligned` or `arena_too_small`.
DYADIC_API inline status check_arena(view<unsigned char> arena, index_t size) noexcept {
  if (const status s = check(arena); s != status::ok) return s;
  if (is_misaligned(arena.data(), arena_alignment)) return status::arena_misaligned;
  return arena.size() < size ? status::arena_too_small : status::ok;
}

/// Returns a view of `size` bytes at `data`.
DYADIC_API inline view<const unsigned char> bytes_at(const void* data, index_t size) noexcept {
  return {static_cast<const unsigned char*>(data), size};
}

}  // namespace detail
}  // namespace dyadic

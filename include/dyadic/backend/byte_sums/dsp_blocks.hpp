// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Words of fingerprints by the instructions of Armv7E-M. Floor 3.

#include <dyadic/detail/fold_record.hpp>

namespace dyadic::detail {

/// Mixes words from `w` to `end` into two chains. Each turn takes two blocks of 32 bytes. A chain takes 8 of the first 16 bytes
/// of each block, by two products and their additions. The second block is in the opposite order, so that no register is copied.
DYADIC_API DYADIC_NOINLINE inline void mix_two(const void* w, const void* end, std::uint32_t factor, std::uint64_t& first,
                                               std::uint64_t& second) noexcept {
  auto a = static_cast<std::uint32_t>(first), a_high = static_cast<std::uint32_t>(first >> 32);
  auto b = static_cast<std::uint32_t>(second), b_high = static_cast<std::uint32_t>(second >> 32);
  std::uint32_t t = 0, t_high = 0;
  __asm__(
      "1:\n\tldrd %0, %1, [%6]\n\tumlal %0, %1, %3, %8\n\tmla %1, %2, %8, %1\n\t"
      "ldrd %2, %3, [%6, #8]\n\tumlal %2, %3, %5, %8\n\tmla %3, %4, %8, %3\n\t"
      "ldrd %4, %5, [%6, #40]\n\tumlal %4, %5, %3, %8\n\tmla %5, %2, %8, %5\n\t"
      "ldrd %2, %3, [%6, #32]\n\tumlal %2, %3, %1, %8\n\tmla %3, %0, %8, %3\n\t"
      "adds %6, #64\n\tcmp %6, %7\n\tbne 1b"
      : "=&r"(t), "=&r"(t_high), "+&r"(a), "+&r"(a_high), "+&r"(b), "+&r"(b_high), "+&r"(w)
      : "r"(end), "r"(factor)
      : "cc", "memory");
  first = std::uint64_t{a_high} << 32 | a;
  second = std::uint64_t{b_high} << 32 | b;
}

/// Adds the leading blocks of 64 bytes to the chains of a fingerprint, if `w` is aligned to a word. Returns the number of bytes
/// that were added.
DYADIC_API inline index_t mix_blocks(const void* w, index_t bytes, std::uint32_t factor, std::uint64_t (&chains)[4]) noexcept {
  const index_t whole = bytes & -64;
  if (optimizes_for_size || whole == 0 || reinterpret_cast<std::uintptr_t>(w) % 4 != 0) return 0;
  const auto* const from = static_cast<const unsigned char*>(w);
  mix_two(from, from + whole, factor, chains[0], chains[1]);
  mix_two(from + 16, from + 16 + whole, factor, chains[2], chains[3]);
  return whole;
}

}  // namespace dyadic::detail

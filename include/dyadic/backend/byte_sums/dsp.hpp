// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of bytes by the instructions of Armv7E-M. Floor 3.

#include <dyadic/backend/byte_sums/dsp_blocks.hpp>

namespace dyadic::detail {

/// Loads two words, by one ldrd if `w` is aligned to a word.
template <int At, bool AtWord>
DYADIC_API DYADIC_ALWAYS_INLINE void load_words(const std::uint8_t* w, std::uint32_t& first, std::uint32_t& second) noexcept {
  if constexpr (AtWord) {
    __asm__("ldrd %0, %1, [%2, %3]" : "=r"(first), "=r"(second) : "r"(w), "n"(At) : "memory");
  } else {
    DYADIC_MEMCPY(&first, w + At, 4);
    DYADIC_MEMCPY(&second, w + At + 4, 4);
  }
}

/// Sums d, |d - zero| and |d - most| over the bytes d = w - least modulo 2^8 of a chunk. The first two sums have 16 bits each, in
/// the lower half of the result. The third sum is in the upper half. `ends` has least, zero and most in its bytes, beginning with
/// the lowest. `from` to `end` are words, at least one, or blocks of four words without -Os. Never inlined, so that all values
/// stay in registers.
template <bool AtWord>
DYADIC_API DYADIC_NOINLINE inline std::uint64_t sum_distances(const void* from, const void* end, std::uint32_t ends) noexcept {
  constexpr std::uint32_t each = 0x01010101u;
  const auto* w = static_cast<const std::uint8_t*>(from);
  const std::uint32_t least = (ends & 255u) * each;
  const std::uint32_t zero = (ends >> 8 & 255u) * each;
  const std::uint32_t most = (ends >> 16) * each;
  std::uint32_t a = 0, b = 0, c = 0;  // separate names keep them in registers
  const auto add_word = [&](std::uint32_t word) DYADIC_INLINE_LAMBDA {
    word = __builtin_arm_usub8(word, least);
    a = __builtin_arm_usada8(word, 0, a);
    b = __builtin_arm_usada8(word, zero, b);
    c = __builtin_arm_usada8(word, most, c);
  };
  const auto add_block = [&](auto at) DYADIC_INLINE_LAMBDA {
    std::uint32_t word = 0, next = 0;
    load_words<at.value, AtWord>(w, word, next), add_word(word), add_word(next);
    load_words<at.value + 8, AtWord>(w, word, next), add_word(word), add_word(next);
  };
  if constexpr (optimizes_for_size) {
    do {
      std::uint32_t word = 0;
      DYADIC_MEMCPY(&word, w, 4);
      add_word(word);
      w += 4;
    } while (w != end);
  } else {
    if ((static_cast<const std::uint8_t*>(end) - w) % 32 != 0) add_block(std::integral_constant<int, 0>{}), w += 16;
    for (; w != end; w += 32) add_block(std::integral_constant<int, 0>{}), add_block(std::integral_constant<int, 16>{});
  }
  return std::uint64_t{c} << 32 | b << 16 | a;
}

/// Sums d and |d - zero| over blocks of 16 bytes from `w` to `end`, at most a chunk. A byte d is a byte of w exclusive-or Offset.
/// `zero` has its number in each byte. The first sum is in the lower half of the result, the second sum in the upper half. The
/// range of the bytes is not computed.
template <std::uint32_t Offset>
DYADIC_API DYADIC_NOINLINE inline std::uint32_t sum_any(const void* w, const void* end, std::uint32_t zero) noexcept {
  std::uint32_t a = 0, b = 0;
  const auto add_block = [&]() DYADIC_INLINE_LAMBDA {
    __asm__(
        "ldmia %[w]!, {r4, r5, r6, r8}\n\t"
        "eor r4, r4, %[offset]\n\tusada8 %[a], r4, %[none], %[a]\n\tusada8 %[b], r4, %[zero], %[b]\n\t"
        "eor r5, r5, %[offset]\n\tusada8 %[a], r5, %[none], %[a]\n\tusada8 %[b], r5, %[zero], %[b]\n\t"
        "eor r6, r6, %[offset]\n\tusada8 %[a], r6, %[none], %[a]\n\tusada8 %[b], r6, %[zero], %[b]\n\t"
        "eor r8, r8, %[offset]\n\tusada8 %[a], r8, %[none], %[a]\n\tusada8 %[b], r8, %[zero], %[b]"
        : [w] "+r"(w), [a] "+r"(a), [b] "+r"(b)
        : [zero] "r"(zero), [none] "r"(0), [offset] "n"(Offset)
        : "r4", "r5", "r6", "r8", "memory");
  };
  while ((static_cast<const char*>(end) - static_cast<const char*>(w)) % 128 != 0) add_block();
  while (w != end) {
    add_block(), add_block(), add_block(), add_block();
    add_block(), add_block(), add_block(), add_block();
  }
  return b << 16 | a;
}

/// Widens the range in the record by the words from `w` to `end`, at least one.
template <class W>
DYADIC_API DYADIC_NOINLINE inline void widen_range(const W* w, const W* end, fold_record& record) noexcept {
  using bits = std::uint32_t;
  constexpr bits sign = std::is_signed_v<W> ? 0x80808080u : 0;
  bits least = ~bits{0}, most = 0;
  for (; w != end; w += 4) {
    bits word = 0;
    DYADIC_MEMCPY(&word, w, 4);
    word ^= sign;
    // Each pair of instructions is one asm: a builtin cannot pass the flags of usub8 to sel.
    bits unused = 0;
    __asm__("usub8 %1, %2, %0\n\tsel %0, %0, %2" : "+r"(least), "=&r"(unused) : "r"(word) : "cc");
    __asm__("usub8 %1, %2, %0\n\tsel %0, %2, %0" : "+r"(most), "=&r"(unused) : "r"(word) : "cc");
  }
  for (int i = 0; i < 4; ++i) {
    const W low = static_cast<W>((least ^ sign) >> 8 * i), high = static_cast<W>((most ^ sign) >> 8 * i);
    record.w_min = low < record.w_min ? low : record.w_min;
    record.w_max = high > record.w_max ? high : record.w_max;
  }
}

/// Adds the first weights of a chunk to the sums; returns how many. At -Os it adds none if there is a new least or greatest
/// weight. All weights are in the range if the distances from both ends sum to the span times the number of weights.
template <class W, class Sums>
DYADIC_API inline index_t add_bytes(const W* w, index_t length, Sums& sums, fold_record& record) noexcept {
  using bits = std::uint32_t;
  const index_t whole = length & (optimizes_for_size ? -4 : -16);
  if (whole == 0) return 0;
  const bits count = static_cast<bits>(whole);
  const bool at_word = !optimizes_for_size && reinterpret_cast<std::uintptr_t>(w) % 4 == 0;
  if (at_word && record.w_max - record.w_min == 255) {
    constexpr bits each = 0x01010101u;
    const bits zero = static_cast<bits>(record.zero.w - limits<W>::min);
    const bits sum = sum_any<(std::is_signed_v<W> ? 128u : 0u) * each>(w, w + whole, zero * each);
    sums.total += static_cast<std::int32_t>((sum & 0xFFFFu) - count * zero);
    sums.magnitude += sum >> 16;
    return whole;
  }
  for (int turn = 0; turn < (optimizes_for_size ? 1 : 2); ++turn) {
    const bits most = static_cast<bits>(record.w_max - record.w_min);
    const bits zero = static_cast<bits>(record.zero.w - record.w_min);
    // A record with one value may be the record of no weights. Its range is widened first.
    if (zero <= most && (optimizes_for_size || turn != 0 || most != 0)) {
      const auto sum = at_word ? sum_distances<true> : sum_distances<false>;
      const std::uint64_t d = sum(w, w + whole, most << 16 | zero << 8 | static_cast<std::uint8_t>(record.w_min));
      const bits total = static_cast<std::uint16_t>(d);
      if (total + static_cast<bits>(d >> 32) == count * most) {
        sums.total += static_cast<std::int32_t>(total - count * zero);
        sums.magnitude += static_cast<bits>(d) >> 16;
        return whole;
      }
    }
    if (!optimizes_for_size && turn == 0) widen_range(w, w + whole, record);
  }
  return 0;
}

}  // namespace dyadic::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of bytes by the instructions of Armv7E-M. Floor 3.

#include <dyadic/fold_record.hpp>

namespace dyadic::detail {

/// Four times the same byte each; then the sums of d, of |d - zero| and of |d - most| over bytes d, w - least modulo 2^8.
struct distances {
  std::uint32_t least;
  std::uint32_t zero;
  std::uint32_t most;
};

/// Replaces them by the sums over some words, one at least. Never inlined: then all of it is in registers.
DYADIC_API __attribute__((noinline)) inline void sum_distances(const void* from, const void* end, distances& d) noexcept {
  const auto* w = static_cast<const std::uint8_t*>(from);
  const distances each = d;
  std::uint32_t a = 0, b = 0, c = 0;  // with a name each they stay in registers
  const auto add_word = [&](index_t at) __attribute__((always_inline)) {
    std::uint32_t word = 0;
    __builtin_memcpy(&word, w + at, 4);
    word = __builtin_arm_usub8(word, each.least);
    a = __builtin_arm_usada8(word, 0, a);
    b = __builtin_arm_usada8(word, each.zero, b);
    c = __builtin_arm_usada8(word, each.most, c);
  };
  do {
    add_word(0);
    if constexpr (!optimizes_for_size) add_word(4), add_word(8), add_word(12);
    w += optimizes_for_size ? 4 : 16;
  } while (w != end);
  d = {a, b, c};
}

/// Adds the first weights of a chunk to the sums, unless there is a new least or greatest one; returns how many. None exceeds the
/// greatest one where distances from both ends make the whole span for each.
template <class W, class Sums>
DYADIC_API inline index_t add_bytes(const W* w, index_t length, Sums& sums, const fold_record& record) noexcept {
  using bits = std::uint32_t;
  constexpr bits each = 0x01010101u;
  const bits most = static_cast<bits>(record.w_max - record.w_min);
  const bits zero = static_cast<bits>(record.zero.w - record.w_min);
  const index_t whole = length & (optimizes_for_size ? -4 : -16);
  if (zero > most || whole == 0) return 0;
  distances d{static_cast<std::uint8_t>(record.w_min) * each, zero * each, most * each};
  sum_distances(w, w + whole, d);
  const bits count = static_cast<bits>(whole);
  if (d.least + d.most != count * most) return 0;
  sums.total += static_cast<std::int32_t>(d.least - count * zero);
  sums.magnitude += d.zero;
  return whole;
}

}  // namespace dyadic::detail

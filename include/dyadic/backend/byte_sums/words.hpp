// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of bytes without vectors. Floor 3.

#include <dyadic/detail/fold_record.hpp>

namespace dyadic::detail {

/// Adds 4 * words weights, at most a chunk, to the sums, and widens their range in the record. Each half of a word holds one
/// byte. Three additions carry into bit 8 if the byte is at least zero, greater than the greatest weight, or at least the least
/// weight. The new range is sought only if a byte is outside of the old range.
template <class W, class Sums>
DYADIC_API constexpr void add_words(const W* w, index_t words, Sums& sums, fold_record& record) noexcept {
  using bits = std::uint32_t;
  constexpr bits halves = 0x00010001u;
  constexpr bits offset = std::is_signed_v<W> ? 128u : 0u;
  const bits zero = static_cast<bits>(record.zero.w) + offset;
  const bits from_zero = (256u - zero) * halves;
  const bits from_most = (255u - (static_cast<bits>(record.w_max) + offset)) * halves;
  const bits from_least = (256u - (static_cast<bits>(record.w_min) + offset)) * halves;
  bits total = 0;
  bits positive = 0;  // the sum of the positive u - zero
  bits over = 0;
  bits under = 0;
  const auto add = [&](bits u) DYADIC_INLINE_LAMBDA {
    const bits centred = u + from_zero;
    total += u;
    positive += centred & (centred >> 8 & halves) * 255u;
    over |= u + from_most;
    under |= ~(u + from_least);
  };
  for (index_t i = 0; i < words; ++i, w += 4) {
    const bits word = (bits{static_cast<std::uint8_t>(w[0])} | bits{static_cast<std::uint8_t>(w[1])} << 8 |
                       bits{static_cast<std::uint8_t>(w[2])} << 16 | bits{static_cast<std::uint8_t>(w[3])} << 24) ^
                      offset * 0x01010101u;
    add(word & 255u * halves);
    add(word >> 8 & 255u * halves);
  }
  const auto sum_of = [](bits b) { return static_cast<std::int32_t>((b & 0xFFFFu) + (b >> 16)); };
  const std::int32_t centred_total = sum_of(total) - static_cast<std::int32_t>(4 * words) * static_cast<std::int32_t>(zero);
  sums.total += centred_total;
  sums.magnitude += 2 * sum_of(positive) - centred_total;
  if (((over | under) & 256u * halves) == 0) return;
  for (index_t k = -4 * words; k < 0; ++k) {
    record.w_min = w[k] < record.w_min ? w[k] : record.w_min;
    record.w_max = w[k] > record.w_max ? w[k] : record.w_max;
  }
}

/// Adds the weights of the whole words of a chunk to the sums; returns how many. At -Os it adds none, because a short loop adds
/// them.
template <class W, class Sums>
DYADIC_API constexpr index_t add_bytes(const W* w, index_t length, Sums& sums, fold_record& record) noexcept {
  if constexpr (optimizes_for_size) return 0;
  if (length >= 4) add_words(w, length / 4, sums, record);
  return length - length % 4;
}

/// Mixes no bytes into a fingerprint, because the compiler's loop is good.
DYADIC_API constexpr index_t mix_blocks(const void* /*w*/, index_t /*bytes*/, std::uint32_t /*factor*/,
                                        const std::uint64_t* /*chains*/) noexcept {
  return 0;
}

}  // namespace dyadic::detail

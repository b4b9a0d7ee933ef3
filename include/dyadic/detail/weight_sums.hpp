// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums, range and fingerprint of the weights: a fold computes all three in one pass. Floor 3.

#include <dyadic/detail/fold_record.hpp>

#include DYADIC_SUMS_HEADER

namespace dyadic {
namespace detail {

/// The lengths of the chunks in which weights are read, and of the blocks of a chunk. Compilers vectorize loops of a fixed length
/// at -O2 too. Sums of a chunk fit int32: 256 * 65535 < 2^24.
inline constexpr index_t weights_of_chunk = 256;
inline constexpr index_t weights_of_block = 32;
inline constexpr bool has_vectors = sizeof(void*) == 8;  ///< true if compilers vectorize the sums, else bytes are added in words

/// The sum of w - zero.w, and the sum of |w - zero.w|.
struct weight_sums {
  std::int64_t total = 0;
  std::int64_t magnitude = 0;

  /// Returns the sum of the positive values alone, or of the negative values alone.
  /// @{
  DYADIC_API constexpr std::int64_t positive() const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(total + magnitude) / 2);
  }
  DYADIC_API constexpr std::int64_t negative() const noexcept { return total - positive(); }
  /// @}
};

/// Adds `length` weights to the sums, and widens the range of weights in the record. Bytes are read as unsigned numbers u = w +
/// offset, because most machines have the minimum, maximum and distance of unsigned bytes. Requires: record.zero.w is a weight.
template <class W>
DYADIC_API DYADIC_ALWAYS_INLINE constexpr void add_weights(const W* w, index_t length, weight_sums& sums,
                                                           fold_record& record) noexcept {
  using number = std::conditional_t<sizeof(W) == 1, std::uint8_t, W>;
  constexpr std::int32_t offset = limits<number>::max - limits<W>::max;
  const number zero = static_cast<number>(record.zero.w + offset);
  number least = static_cast<number>(record.w_min + offset);
  number most = static_cast<number>(record.w_max + offset);
  std::int32_t total = 0;
  std::int32_t magnitude = 0;
  for (index_t k = 0; k < length; ++k) {
    const number u = static_cast<number>(w[k] + offset);
    const std::int32_t centred = std::int32_t{u} - std::int32_t{zero};
    total += u;
    magnitude += centred < 0 ? -centred : centred;
    least = u < least ? u : least;
    most = u > most ? u : most;
  }
  sums.total += total - static_cast<std::int32_t>(length) * zero;
  sums.magnitude += magnitude;
  record.w_min = least - offset;
  record.w_max = most - offset;
}

/// Adds Length weights. It is never inlined, because GCC would warn of reads past the end of arrays shorter than a block.
template <index_t Length, class W>
DYADIC_API DYADIC_NOINLINE constexpr void add_block(const W* w, weight_sums& sums, fold_record& record) noexcept {
  add_weights(w, Length, sums, record);
}

/// Adds the weights of a chunk, or fewer.
template <class W>
DYADIC_API constexpr void add_chunk(const W* w, index_t length, weight_sums& sums, fold_record& record) noexcept {
  index_t k = 0;
  if constexpr (!optimizes_for_size && has_vectors) {
    if (length == weights_of_chunk) return add_block<weights_of_chunk>(w, sums, record);
    for (; length - k >= weights_of_block; k += weights_of_block) add_block<weights_of_block>(w + k, sums, record);
  } else if constexpr (sizeof(W) == 1) {
    if (!is_constant_evaluated()) k = add_bytes(w, length, sums, record);
  }
  if (k < length) add_weights(w + k, length - k, sums, record);
}

/// The fingerprint of no weights.
inline constexpr std::uint64_t empty_fingerprint = 0xCBF29CE484222325u;

/// Returns the fingerprint with one more word, without the loss of a bit. The halves change places, because a product carries
/// upwards only. The factor has 32 bits, so that 32-bit machines need two products.
/// @{
inline constexpr std::uint32_t mix_factor = 0x9E3779B1u;
DYADIC_API constexpr std::uint64_t mix(std::uint64_t fingerprint, std::uint64_t word) noexcept {
  return word + (fingerprint << 32 | fingerprint >> 32) * mix_factor;
}
/// @}

/// Returns eight bytes of weights, or fewer, as a number. The first weight is lowest on every machine.
/// @{
template <class W>
DYADIC_API DYADIC_ALWAYS_INLINE constexpr std::uint64_t word_of(const W* w) noexcept {
  using word = std::uint64_t;
  using bits = std::make_unsigned_t<W>;
  if constexpr (sizeof(W) == 1)
    return word{static_cast<bits>(w[0])} | word{static_cast<bits>(w[1])} << 8 | word{static_cast<bits>(w[2])} << 16 |
           word{static_cast<bits>(w[3])} << 24 | word{static_cast<bits>(w[4])} << 32 | word{static_cast<bits>(w[5])} << 40 |
           word{static_cast<bits>(w[6])} << 48 | word{static_cast<bits>(w[7])} << 56;
  else
    return word{static_cast<bits>(w[0])} | word{static_cast<bits>(w[1])} << 16 | word{static_cast<bits>(w[2])} << 32 |
           word{static_cast<bits>(w[3])} << 48;
}
template <class W>
DYADIC_API constexpr std::uint64_t word_of(const W* w, index_t length) noexcept {
  std::uint64_t word = 0;
  for (index_t k = length - 1; k >= 0; --k) word = word << (8 * sizeof(W)) | static_cast<std::make_unsigned_t<W>>(w[k]);
  return word;
}
/// @}

/// Returns the fingerprint with one more chunk: four chains of words, then the remaining weights. A changed weight always changes
/// the fingerprint.
template <class W>
DYADIC_API constexpr std::uint64_t fingerprint_with(std::uint64_t fingerprint, const W* w, index_t length) noexcept {
  constexpr index_t word = index_t{8} / sizeof(W);
  index_t k = 0;
  if (length >= 4 * word) {
    std::uint64_t chains[4] = {fingerprint, 1, 2, 3};
    if (!is_constant_evaluated()) k = mix_blocks(w, length * index_t{sizeof(W)}, mix_factor, chains) / index_t{sizeof(W)};
    for (; length - k >= 4 * word; k += 4 * word) {
      chains[0] = mix(chains[0], word_of(w + k));
      chains[1] = mix(chains[1], word_of(w + k + word));
      chains[2] = mix(chains[2], word_of(w + k + 2 * word));
      chains[3] = mix(chains[3], word_of(w + k + 3 * word));
    }
    fingerprint = mix(mix(mix(chains[0], chains[1]), chains[2]), chains[3]);
  }
  for (; length - k >= word; k += word) fingerprint = mix(fingerprint, word_of(w + k));
  return k < length ? mix(fingerprint, word_of(w + k, length - k)) : fingerprint;
}

/// Copies the first `length` weights of a pointer, or of a class that reads like a pointer.
template <class Pointer, class T>
DYADIC_API constexpr void copy_weights(const Pointer& w, index_t length, T* to) noexcept {
  for (index_t k = 0; k < length; ++k) to[k] = w[k];
}

/// Calls use(chunk, length) for chunks of the `length` weights at w. If w is not a pointer but a class that reads like a pointer,
/// chunks are copies.
template <class Pointer, class Use>
DYADIC_API constexpr void for_each_chunk(Pointer w, index_t length, const Use& use) noexcept {
  for (index_t k = 0; k < length; k += weights_of_chunk) {
    const index_t some = length - k < weights_of_chunk ? length - k : weights_of_chunk;
    if constexpr (std::is_pointer_v<Pointer>) {
      use(w + k, some);
    } else {
      std::decay_t<decltype(w[0])> copies[weights_of_chunk] = {};
      copy_weights(w + k, some, &copies[0]);
      use(&copies[0], some);
    }
  }
}

/// Calls use(chunk, length) for those weights of output channel o that one phase of the steps reads.
template <class Weights, class Use>
DYADIC_API constexpr void for_each_chunk(const Weights& weights, const fold_record& r, index_t o, index_t phase,
                                         const Use& use) noexcept {
  if (r.depth == 0) return;  // if depth is 0, the weights may be null, and the number of taps may be large
  if (r.step_y == 1 && r.step_x == 1) return for_each_chunk(weights.of_channel(o), r.depth * r.taps_y * r.taps_x, use);
  const index_t phases_x = phase_count(r.taps_x, r.step_x);
  for (index_t ky = phase / phases_x; ky < r.taps_y; ky += r.step_y)
    for (index_t kx = phase % phases_x; kx < r.taps_x; kx += r.step_x)
      for_each_chunk(weights(o, ky * r.taps_x + kx), r.depth, use);
}

/// Calls use(o, phase) for each channel and each phase of its taps. If the depth is 0, it calls for the phases that have
/// constants.
template <class Use>
DYADIC_API constexpr void for_each_phase(const fold_record& r, const Use& use) noexcept {
  const index_t phases =
      r.depth == 0 ? constants_per_channel(r) : phase_count(r.taps_y, r.step_y) * phase_count(r.taps_x, r.step_x);
  for (index_t o = 0, phase = 0; o < r.channels;) {  // a single loop, so that constants are loaded outside of it
    use(o, phase);
    if (++phase == phases) phase = 0, ++o;
  }
}

}  // namespace detail
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The order of packed weights, and how the weights of a channel are put in it and read from it. Floor 4.

#include <dyadic/config.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// Panels of `nr` output channels, one after the other; in a panel, `kr` weights along the depth of each of its channels,
/// then the next `kr` of each. What is missing to a whole group, or to a panel that is not narrow, is 0. The parts of a group
/// take turns: of two parts, the weights of a group of four are 0, 2, 1, 3. Where `sum_bytes` is 8, sums of the weights of each
/// channel end the panel, the least significant byte first: of those that are number `first_summed` of their group or later. A
/// last panel of `narrow` channels or fewer has their columns alone. Vectors of all columns read behind its last group: its sums
/// and bytes of 0, or such bytes alone, are as many as they read. Weights of 4 bits lie two to a byte. With the groups of all
/// channels as one, of nr * kr weights, byte i is an int8 of 16 * (weight i + nr * kr / 2) + (weight i) + 8: a vector of bytes
/// becomes two of weights in order.
struct packed_layout {
  index_t nr;                ///< output channels of a panel
  index_t kr;                ///< weights along the depth that lie together
  index_t sum_bytes = 0;     ///< for each channel at the end of a panel: 0 or 8
  index_t first_summed = 0;  ///< the first weight of a group that is summed
  index_t parts = 1;         ///< of a group, which they divide
  index_t bits = 8;          ///< of a weight: 8, or 4 where nr * kr is even
  index_t narrow = 0;        ///< so many channels or fewer are a last panel of their own width: less than nr, 0 unless bits is 8
  bool pads_runs = false;    ///< whether `pack_conv2d` fills runs, and repeats few channels: `packed_order`

  /// Whether both are the same order.
  DYADIC_API friend constexpr bool operator==(packed_layout a, packed_layout b) noexcept {
    return a.nr == b.nr && a.kr == b.kr && a.sum_bytes == b.sum_bytes && a.first_summed == b.first_summed && a.parts == b.parts &&
           a.bits == b.bits && a.narrow == b.narrow && a.pads_runs == b.pads_runs;
  }
  /// Where weight i of a group is.
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t place(index_t i) const noexcept {
    return parts == 1 ? i : i % (kr / parts) * parts + i / (kr / parts);
  }
  /// The columns of the panel that so many channels of the storage begin with, 1 or more.
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t columns_of(index_t channels) const noexcept {
    return narrow > 0 && channels <= narrow ? channels : nr;
  }
  /// Where in a panel, of all columns or of so many, the weights of all channels from k on are, a multiple of kr: in bytes.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t begin_of(index_t k, index_t columns) const noexcept {
    return k * columns / (8 / bits);
  }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t begin_of(index_t k) const noexcept { return begin_of(k, nr); }
  /// @}
  /// The bytes of the weights at one depth, of a panel of all columns, and of the one that so many channels of the storage begin
  /// with. Requires: nr * bits is a multiple of 8.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t row_bytes() const noexcept { return nr / (8 / bits); }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t row_bytes_of(index_t channels) const noexcept {
    return columns_of(channels) / (8 / bits);
  }
  /// @}
  /// The depth of `cols` weights in `runs` runs of equal length, each filled with weights of 0 to whole groups. Requires: runs >=
  /// 1 divides cols.
  DYADIC_API constexpr index_t padded_depth(index_t cols, index_t runs) const noexcept {
    return runs == 1 ? cols : runs * detail::fill_up(cols / runs, kr);
  }
  /// Where, in bytes, the weights of a panel of so many columns end, and its sums begin.
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t end_of(index_t depth, index_t columns) const noexcept {
    return begin_of(detail::fill_up(depth, kr), columns);
  }
  /// The bytes of a panel of all columns, or of a last one of so many. Requires: 0 <= depth < 2^62.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t panel_size(index_t depth, index_t columns) const noexcept {
    const index_t sums = sum_bytes * columns;
    const index_t read = begin_of(kr, nr - columns);
    return end_of(depth, columns) + (sums < read ? read : sums);
  }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t panel_size(index_t depth) const noexcept { return panel_size(depth, nr); }
  /// @}
  /// Weight i of a group of all channels. Of a byte, the low nibble is written first.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr std::int8_t read(const std::int8_t* group, index_t i) const noexcept {
    if (bits == 8) return group[i];
    const index_t half = begin_of(kr);
    return static_cast<std::int8_t>(i < half ? (group[i] & 15) - 8 : group[i - half] >> 4);
  }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr void write(std::int8_t* group, index_t i, std::int8_t weight) const noexcept {
    const bool is_first = bits == 8 || i < begin_of(kr);
    std::int8_t& to = group[is_first ? i : i - begin_of(kr)];
    to = static_cast<std::int8_t>(bits == 8 ? weight : is_first ? weight + 8 : weight * 16 + to);
  }
  /// @}
};

/// What `pack_conv2d` chose for a layer, within the layout of its backend.
struct packed_order {
  index_t runs = 1;    ///< of a row of weights, of equal length: each of them ends with a whole group
  index_t pixels = 1;  ///< how often a panel has its channels, one after the other: once for each of some neighbouring outputs

  /// Whether both are the same.
  DYADIC_API friend constexpr bool operator==(packed_order a, packed_order b) noexcept {
    return a.runs == b.runs && a.pixels == b.pixels;
  }
};

namespace detail {

/// Whether 8 weights at a time are packed, and added up, as a word: bytes in groups whose order they keep, where words are so
/// long. What has no sums is copied as fast by a loop over bytes.
template <class Packed, class Row>
inline constexpr bool packs_words = false;
template <class Packed, class W>
inline constexpr bool packs_words<Packed, const W*> = sizeof(W) == 1 && sizeof(std::size_t) == 8 && !optimizes_for_size
                                                      && Packed::layout.bits == 8 && Packed::layout.parts == 1 &&
                                                      Packed::layout.sum_bytes > 0 && Packed::layout.first_summed == 0 &&
                                                      8 % Packed::layout.kr == 0;

/// Packs the first weights of a channel, whose groups are `step` bytes apart, and adds them up; returns how many.
template <class Packed, class W>
DYADIC_API index_t pack_words(const W* w, index_t count, std::int8_t* group, index_t step, std::int64_t& sum) noexcept {
  constexpr packed_layout layout = Packed::layout;
  constexpr index_t most = 1024;  // that fit sums of 16 bits, four in a word
  constexpr std::uint64_t even_bytes = 0x00FF'00FF'00FF'00FF;
  constexpr std::uint64_t even_halves = 0x0000'FFFF'0000'FFFF;
  index_t k = 0;
  while (count - k >= 8) {
    std::uint64_t sums = 0;
    const index_t begin = k;
    for (const index_t end = k + (count - k < most ? (count - k) / 8 * 8 : most); k < end; k += 8) {
      for (index_t i = 0; i < 8; i += layout.kr, group += step)
        __builtin_memcpy(group, w + k + i, static_cast<std::size_t>(layout.kr));
      std::uint64_t word = 0;
      __builtin_memcpy(&word, w + k, 8);
      word ^= 0x8080'8080'8080'8080;  // 128 more each: none is negative
      sums += (word & even_bytes) + (word >> 8 & even_bytes);
    }
    sums = (sums & even_halves) + (sums >> 16 & even_halves);
    sum += static_cast<std::int64_t>((sums & 0xFFFF'FFFF) + (sums >> 32)) - 128 * (k - begin);
  }
  return k;
}

/// Packs output channel o, its weights in `runs` runs, as column c of a panel of so many columns.
template <class Packed, class W>
DYADIC_API constexpr void pack_channel(const matrix_view<W>& weights, index_t o, index_t c, index_t columns, index_t runs,
                                       std::int8_t* panel) noexcept {
  constexpr packed_layout layout = Packed::layout;
  const index_t count = runs == 1 ? weights.cols() : weights.cols() / runs;
  auto w = weights.row(o);
  std::int64_t sum = 0;
  std::int8_t* group = panel;
  const auto put = [&](index_t i, std::int8_t packed_weight) {
    layout.write(group, c * layout.kr + layout.place(i), packed_weight);
    return layout.sum_bytes > 0 && i >= layout.first_summed ? std::int32_t{packed_weight} : 0;
  };
  const index_t step = layout.begin_of(layout.kr, columns);
  for (index_t run = 0; run < runs; ++run) {
    index_t k = 0;
    if constexpr (packs_words<Packed, decltype(w)>)
      if (!is_constant_evaluated()) {
        k = pack_words<Packed>(w, count, group + c * layout.kr, step, sum);
        group += layout.begin_of(k, columns);
      }
    if constexpr (!optimizes_for_size)
      for (; count - k >= layout.kr; k += layout.kr, group += step) {
        std::int32_t of_group = 0;
        for (index_t i = 0; i < layout.kr; ++i) of_group += put(i, static_cast<std::int8_t>(w[k + i]));
        sum += of_group;
      }
    for (; k < count; k += layout.kr, group += step)
      for (index_t i = 0; i < layout.kr; ++i) sum += put(i, k + i < count ? static_cast<std::int8_t>(w[k + i]) : std::int8_t{0});
    if (run + 1 < runs) w = w + count;
  }
  for (index_t byte = 0; byte < layout.sum_bytes; ++byte)
    group[c * layout.sum_bytes + byte] = static_cast<std::int8_t>(sum >> (8 * byte));
}

/// Reads like a pointer to the weights of one output channel.
template <class Packed>
class packed_row {
  static constexpr packed_layout layout = Packed::layout;

 public:
  /// `run`: the length of a run, if whole groups follow one another for each, else 0.
  DYADIC_API constexpr packed_row(const std::int8_t* panel, index_t columns, index_t channel, index_t run,
                                  index_t at = 0) noexcept
      : panel_{panel}, columns_{columns}, channel_{channel}, run_{run}, at_{at} {}
  DYADIC_API constexpr auto operator[](index_t k) const noexcept {
    const index_t at = place_of(at_ + k);
    const index_t i = at % layout.kr;
    return static_cast<typename Packed::value_type>(read(group(at - i), i));
  }
  DYADIC_API constexpr packed_row operator+(index_t k) const noexcept { return {panel_, columns_, channel_, run_, at_ + k}; }
  /// Copies the first weights, whole groups if it begins with one.
  template <class T>
  DYADIC_API friend constexpr void copy_weights(const packed_row& p, index_t length, T* to) noexcept {
    if (p.run_ == 0) return p.copy_run(0, length, to);
    for (index_t k = 0; k < length;) {
      const index_t left = p.run_ - (p.at_ + k) % p.run_;
      const index_t here = left < length - k ? left : length - k;
      p.copy_run(k, here, to + k);
      k += here;
    }
  }

 private:
  /// Where weight k of the channel is among those that are stored.
  DYADIC_API constexpr index_t place_of(index_t k) const noexcept {
    if constexpr (layout.pads_runs)
      if (run_ > 0) return k / run_ * fill_up(run_, layout.kr) + k % run_;
    return k;
  }
  /// Copies weights k .. k + length - 1, which are of one run.
  template <class T>
  DYADIC_API constexpr void copy_run(index_t k, index_t length, T* to) const noexcept {
    const index_t first = place_of(at_ + k);
    const std::int8_t* from = group(first);
    const index_t step = layout.begin_of(layout.kr, columns());
    index_t done = 0;
    if (first % layout.kr == 0)
      for (; length - done >= layout.kr; done += layout.kr, from += step)
        for (index_t i = 0; i < layout.kr; ++i) to[done + i] = static_cast<T>(read(from, i));
    for (; done < length; ++done) to[done] = (*this)[k + done];
  }
  DYADIC_API constexpr index_t columns() const noexcept { return layout.narrow > 0 ? columns_ : layout.nr; }
  DYADIC_API constexpr const std::int8_t* group(index_t k) const noexcept { return panel_ + layout.begin_of(k, columns()); }
  /// Weight i of a group.
  DYADIC_API constexpr std::int8_t read(const std::int8_t* group, index_t i) const noexcept {
    return layout.read(group, channel_ * layout.kr + layout.place(i));
  }
  const std::int8_t* panel_;
  index_t columns_;
  index_t channel_;  ///< of the panel
  index_t run_;
  index_t at_;
};

}  // namespace detail

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The order of packed weights, and how a channel is packed in this order. Floor 4.

#include <dyadic/detail/weight_blocks.hpp>

namespace dyadic {

/// The order of packed weights: panels of `nr` output channels, one after the other. A group is `kr` weights of a channel along
/// the depth:
///
///   panel, 4 channels, kr 2    w[0][0..1] w[1][0..1] w[2][0..1] w[3][0..1]   w[0][2..3] w[1][2..3] ..   sums
///
/// The tail of the last group and the columns without a channel are 0. If a group has two `parts`, its weights alternate between
/// them: 0, 2, 1, 3 for kr = 4. If `sum_bytes` is 8, the panel ends with a sum for each channel, least significant byte first. A
/// sum skips the weights before number `first_summed` of each group.
///
/// A last panel of at most `narrow` channels has no columns without a channel. A vector of all columns then reads past the last
/// group. The panel therefore ends with bytes of 0 up to the length of such a read.
///
/// Two weights of 4 bits share a byte. All nr * kr weights w at one step count as one group. Byte i of the group is the int8
///   16 * w[i + nr * kr / 2] + w[i] + 8.
/// A vector of bytes therefore yields two vectors of weights in order.
struct packed_layout {
  index_t nr;                ///< output channels of a panel
  index_t kr;                ///< weights of a channel in a group
  index_t sum_bytes = 0;     ///< bytes of a channel's sum at the end of a panel: 0 or 8
  index_t first_summed = 0;  ///< the first weight of a group that is summed
  index_t parts = 1;         ///< parts of a group; a divisor of kr
  index_t bits = 8;          ///< bits of a weight: 8, or 4 if nr * kr is even
  index_t narrow = 0;        ///< most channels of a narrow last panel: less than nr, 0 unless bits is 8
  bool pads_runs = false;    ///< true if `pack_conv2d` pads runs and repeats few channels: `packed_order`
  index_t rows = 0;          ///< most channels that `pack` stores in rows: 0 unless narrow > 0 and parts is 1
  bool has_blocks = false;   ///< true if `pack` may store panels in blocks: detail/weight_blocks.hpp, packed_order::lines

  /// Returns true if both layouts are equal.
  DYADIC_API friend constexpr bool operator==(packed_layout a, packed_layout b) noexcept {
    return a.nr == b.nr && a.kr == b.kr && a.sum_bytes == b.sum_bytes && a.first_summed == b.first_summed && a.parts == b.parts &&
           a.bits == b.bits && a.narrow == b.narrow && a.pads_runs == b.pads_runs && a.rows == b.rows &&
           a.has_blocks == b.has_blocks;
  }
  /// Returns the place of weight i in its group.
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t place(index_t i) const noexcept {
    return parts == 1 ? i : i % (kr / parts) * parts + i / (kr / parts);
  }
  /// Returns the columns of a panel, if storage has `channels` >= 1 channels from its first channel on.
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t columns_of(index_t channels) const noexcept {
    return narrow > 0 && channels <= narrow ? channels : nr;
  }
  /// Returns the byte in a panel where the weights at depth k begin, for `columns` or all columns. Requires: k is a multiple of
  /// kr.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t begin_of(index_t k, index_t columns) const noexcept {
    return k * columns / (8 / bits);
  }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t begin_of(index_t k) const noexcept { return begin_of(k, nr); }
  /// @}
  /// Returns the bytes of the weights at one depth, for a panel of all columns. `row_bytes_of` is for a panel if storage has
  /// `channels` channels from its first channel on. Requires: nr * bits is a multiple of 8.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t row_bytes() const noexcept { return nr / (8 / bits); }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t row_bytes_of(index_t channels) const noexcept {
    return columns_of(channels) / (8 / bits);
  }
  /// @}
  /// Returns the depth of `cols` weights in `runs` runs of equal length, each padded with weights of 0 to whole groups. Requires:
  /// runs >= 1 divides cols.
  DYADIC_API constexpr index_t padded_depth(index_t cols, index_t runs) const noexcept {
    return runs == 1 ? cols : runs * detail::fill_up(cols / runs, kr);
  }
  /// Returns the byte where the weights of a panel of `columns` columns end and its sums begin.
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t end_of(index_t depth, index_t columns) const noexcept {
    return begin_of(detail::fill_up(depth, kr), columns);
  }
  /// Returns the bytes of a panel of `columns` or all columns. Requires: 0 <= depth < 2^62.
  /// @{
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t panel_size(index_t depth, index_t columns) const noexcept {
    const index_t sums = sum_bytes * columns;
    const index_t read = begin_of(kr, nr - columns);
    return end_of(depth, columns) + (sums < read ? read : sums);
  }
  DYADIC_API DYADIC_ALWAYS_INLINE constexpr index_t panel_size(index_t depth) const noexcept { return panel_size(depth, nr); }
  /// @}
  /// Returns the bytes from a row to the next, if each channel is packed in a row: packed_order::in_rows. Vectors that read past
  /// the end of a row read the next row.
  DYADIC_API constexpr index_t row_stride(index_t depth) const noexcept { return end_of(depth, 1) + sum_bytes; }
  /// Reads or writes weight i of a group of all channels. The low nibble of a byte must be written first, because this clears
  /// the high nibble.
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

/// The order that `pack` or `pack_conv2d` chose for a layer within the layout of its backend.
struct packed_order {
  index_t runs = 1;      ///< runs of equal length of a row of weights, each padded to whole groups
  index_t pixels = 1;    ///< neighbouring pixels; a panel repeats its channels for each pixel
  bool in_rows = false;  ///< true if each channel has a panel of one column: its weights lie in a row
  /// Lines of a window, if panels have room for blocks; 0 if they have none. The weights decide if panels are in blocks.
  std::uint16_t lines = 0;

  /// Returns true if both orders are equal.
  DYADIC_API friend constexpr bool operator==(packed_order a, packed_order b) noexcept {
    return a.runs == b.runs && a.pixels == b.pixels && a.in_rows == b.in_rows && a.lines == b.lines;
  }
};

namespace detail {

/// True if 8 weights at a time are packed and summed as a word: on 64-bit machines, for bytes whose order a group keeps. If a
/// panel has no sums, a loop over bytes is as fast.
template <class Packed, class Row>
inline constexpr bool packs_words = false;
template <class Packed, class W>
inline constexpr bool packs_words<Packed, const W*> = sizeof(W) == 1 && sizeof(std::size_t) == 8 && !optimizes_for_size
                                                      && Packed::layout.bits == 8 && Packed::layout.parts == 1 &&
                                                      Packed::layout.sum_bytes > 0 && Packed::layout.first_summed == 0 &&
                                                      8 % Packed::layout.kr == 0;

/// Packs the first weights of a channel, 8 at a time, and adds them to `sum`. Groups of the channel are `step` bytes apart.
/// Returns the number of packed weights.
template <class Packed, class W>
DYADIC_API index_t pack_words(const W* w, index_t count, std::int8_t* group, index_t step, std::int64_t& sum) noexcept {
  constexpr packed_layout layout = Packed::layout;
  constexpr index_t most = 1024;  // weights whose sums fit 16 bits, four sums in a word
  constexpr std::uint64_t even_bytes = 0x00FF'00FF'00FF'00FF;
  constexpr std::uint64_t even_halves = 0x0000'FFFF'0000'FFFF;
  index_t k = 0;
  while (count - k >= 8) {
    std::uint64_t sums = 0;
    const index_t begin = k;
    for (const index_t end = k + (count - k < most ? (count - k) / 8 * 8 : most); k < end; k += 8) {
      for (index_t i = 0; i < 8; i += layout.kr, group += step)
        DYADIC_MEMCPY(group, w + k + i, static_cast<std::size_t>(layout.kr));
      std::uint64_t word = 0;
      DYADIC_MEMCPY(&word, w + k, 8);
      word ^= 0x8080'8080'8080'8080;  // plus 128, so that no weight is negative
      sums += (word & even_bytes) + (word >> 8 & even_bytes);
    }
    sums = (sums & even_halves) + (sums >> 16 & even_halves);
    sum += static_cast<std::int64_t>((sums & 0xFFFF'FFFF) + (sums >> 32)) - 128 * (k - begin);
  }
  return k;
}

/// Packs output channel o, whose weights are `runs` runs, as column c of a panel of `columns` columns.
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

/// Packs panels that have room for blocks. All panels are in blocks if the weights fit, else no panel is.
template <class Packed, class W>
DYADIC_API constexpr void pack_panels_with_room(const matrix_view<W>& weights, index_t lines, std::int8_t* to) noexcept {
  constexpr index_t nr = Packed::layout.nr;
  const index_t size = block_layout{nr}.panel_size(weights.cols());
  bool fits = true;
  for (index_t o = 0; fits && o < weights.rows(); o += nr)
    fits = block_packer<nr>{to + o / nr * size, weights.cols(), lines}.pack(weights, o);
  for (index_t o = 0; !fits && o < weights.rows(); o += nr) {
    std::int8_t* const panel = to + o / nr * size;
    for (index_t i = 0; i < size; ++i) panel[i] = 0;
    for (index_t c = 0; c < nr && o + c < weights.rows(); ++c)
      pack_channel<Packed>(weights, o + c, c, nr, 1, panel + block_layout::header);
  }
}

/// Reads the weights of one output channel, as a pointer would.
template <class Packed>
class packed_row {
  static constexpr packed_layout layout = Packed::layout;

 public:
  /// `run`: the length of a run if each run is padded to whole groups, else 0. `cols`: the weights of a row in blocks, else 0.
  DYADIC_API constexpr packed_row(const std::int8_t* panel, index_t columns, index_t channel, index_t run, index_t cols = 0,
                                  index_t at = 0) noexcept
      : panel_{panel}, columns_{columns}, channel_{channel}, run_{run}, cols_{cols}, at_{at} {}
  DYADIC_API constexpr auto operator[](index_t k) const noexcept {
    if constexpr (layout.has_blocks)
      if (cols_ > 0)
        return static_cast<typename Packed::value_type>(weight_in_blocks(panel_, {layout.nr}, cols_, channel_, at_ + k));
    const index_t at = place_of(at_ + k);
    const index_t i = at % layout.kr;
    return static_cast<typename Packed::value_type>(read(group(at - i), i));
  }
  DYADIC_API constexpr packed_row operator+(index_t k) const noexcept {
    return {panel_, columns_, channel_, run_, cols_, at_ + k};
  }
  /// Copies the first `length` weights. It copies whole groups if the first weight begins a group.
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
  /// Returns the position of weight k of the channel among the stored weights, which include the padding of runs.
  DYADIC_API constexpr index_t place_of(index_t k) const noexcept {
    if constexpr (layout.pads_runs)
      if (run_ > 0) return k / run_ * fill_up(run_, layout.kr) + k % run_;
    return k;
  }
  /// Copies weights k .. k + length - 1, all in one run.
  template <class T>
  DYADIC_API constexpr void copy_run(index_t k, index_t length, T* to) const noexcept {
    if constexpr (layout.has_blocks)
      if (cols_ > 0) {
        for (index_t i = 0; i < length; ++i) to[i] = (*this)[k + i];
        return;
      }
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
  /// Returns weight i of a group.
  DYADIC_API constexpr std::int8_t read(const std::int8_t* group, index_t i) const noexcept {
    return layout.read(group, channel_ * layout.kr + layout.place(i));
  }
  const std::int8_t* panel_;
  index_t columns_;
  index_t channel_;  ///< number of the channel in its panel
  index_t run_;
  index_t cols_;
  index_t at_;
};

}  // namespace detail

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Panels of blocks: int8 weights in an order in which pmaddubsw multiplies them exactly. Private. Floor 4.
///
/// pmaddubsw multiplies unsigned bytes by int8 weights and adds neighbouring products in lanes of int16, which saturate. Let the
/// bytes be x + 128, and a and b the weights of a lane. The lane is exact for every x if and only if -128 <= a + b <= 128.
/// Sums of products then reach from -255 * 128 to 255 * 128, because weights of different signs are within the bounds alone.
///
/// Depths may have any order. `pack` pairs the 16 depths of a block so that no lane of a panel saturates. If it finds no pairs,
/// the panel has a block of the weights w / 2 and a block of w - w / 2. They are within +-64 and fit in any order.
///
///   panel   number of blocks (8 bytes; 0: the panel is not in blocks), 56 bytes of 0, blocks, sums of the columns (8 bytes each)
///   block   order of the 16 depths (16 bytes), place of the first depth in its line / 16 (2 bytes), line (2 bytes),
///           12 bytes of 0, weights: [4 groups of 4 depths][nr columns][4 depths]

#include <dyadic/config.hpp>
#include <dyadic/view.hpp>

namespace dyadic::detail {

/// Returns whether a lane of two neighbouring weights saturates for some x.
DYADIC_API constexpr bool saturates(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::uint32_t>(a + b + 128) > 256;
}

/// The sizes of panels of blocks with `nr` columns.
struct block_layout {
  static constexpr index_t depth = 16;   ///< depths of a block
  static constexpr index_t header = 64;  ///< bytes before the blocks of a panel
  index_t nr;

  DYADIC_API constexpr index_t bytes() const noexcept { return 32 + depth * nr; }  ///< of a block
  DYADIC_API static constexpr index_t blocks(index_t cols) noexcept { return (cols + depth - 1) / depth; }
  /// The most blocks of a panel: one in 8 may be done twice.
  DYADIC_API static constexpr index_t most_blocks(index_t cols) noexcept { return blocks(cols) + (blocks(cols) + 7) / 8; }
  DYADIC_API constexpr index_t panel_size(index_t cols) const noexcept {
    return fill_up(header + most_blocks(cols) * bytes() + 8 * nr, 64);
  }
};

/// Reads and writes numbers, least significant byte first.
/// @{
DYADIC_API constexpr std::int64_t read_number(const std::int8_t* from, int bytes) noexcept {
  std::uint64_t x = 0;
  for (int i = bytes - 1; i >= 0; --i) x = x << 8 | static_cast<std::uint8_t>(from[i]);
  return static_cast<std::int64_t>(x);
}
DYADIC_API constexpr void write_number(std::int64_t x, int bytes, std::int8_t* to) noexcept {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<std::int8_t>(static_cast<std::uint64_t>(x) >> (8 * i));
}
/// @}

/// Pairs the depths of a block.
class pairs_of_depths {
 public:
  /// Says that depth i is no neighbour of the depths j whose bit j is 1.
  DYADIC_API constexpr void separate(int i, std::uint32_t from) noexcept { fits_[i] &= ~from; }
  /// Writes the depths to `order`, neighbours next to each other. Returns false if there is no such order, or none was found
  /// soon.
  DYADIC_API constexpr bool choose(std::int8_t* order) noexcept {
    for (int i = 0; i < 16; ++i)
      for (std::uint32_t from = 0xFFFF & ~fits_[i], j = 0; from != 0; from >>= 1, ++j)
        if ((from & 1) != 0) fits_[j] &= ~(std::uint32_t{1} << i);
    return choose(0xFFFF, order);
  }

 private:
  /// Chooses a partner for the depth with the fewest partners, then pairs the others.
  DYADIC_API constexpr bool choose(std::uint32_t left, std::int8_t* order) noexcept {
    if (left == 0) return true;
    if (--tries_ < 0) return false;
    int first = 0;
    int fewest = 17;
    for (int i = 0; i < 16; ++i) {
      if ((left >> i & 1) == 0) continue;
      const int partners = DYADIC_COUNT_ONES(fits_[i] & left);
      if (partners < fewest) first = i, fewest = partners;
    }
    const std::uint32_t others = left & ~(std::uint32_t{1} << first);
    for (int j = 0; j < 16; ++j) {
      if ((fits_[first] & others & std::uint32_t{1} << j) == 0) continue;
      order[0] = static_cast<std::int8_t>(first);
      order[1] = static_cast<std::int8_t>(j);
      if (choose(others & ~(std::uint32_t{1} << j), order + 2)) return true;
    }
    return false;
  }

  std::uint32_t fits_[16] = {0xFFFE, 0xFFFD, 0xFFFB, 0xFFF7, 0xFFEF, 0xFFDF, 0xFFBF, 0xFF7F,
                             0xFEFF, 0xFDFF, 0xFBFF, 0xF7FF, 0xEFFF, 0xDFFF, 0xBFFF, 0x7FFF};
  int tries_ = 256;
};

/// A panel while it is packed.
template <index_t Nr>
struct block_packer {
  static constexpr block_layout layout{Nr};
  std::int8_t* panel;
  index_t cols;
  index_t lines;  ///< lines of a window, each of whole blocks
  index_t count = 0;

  /// Packs output channels first .. first + Nr - 1, or those that there are. Returns false if the panel has no room for all
  /// blocks.
  template <class Matrix>
  DYADIC_API constexpr bool pack(const Matrix& weights, index_t first) noexcept {
    const index_t channels = weights.rows() - first < Nr ? weights.rows() - first : Nr;
    const index_t blocks = layout.blocks(cols);
    const index_t room = layout.most_blocks(cols) - blocks;
    std::int64_t sums[static_cast<std::size_t>(Nr)] = {};
    index_t halved = 0;
    for (index_t i = 0; i < layout.header; ++i) panel[i] = 0;
    for (index_t b = 0; b < blocks; ++b) {
      std::int8_t w[static_cast<std::size_t>(Nr)][16] = {};
      for (index_t c = 0; c < channels; ++c) {
        const auto row = weights.row(first + c);
        for (index_t k = 0; k < 16 && 16 * b + k < cols; ++k) sums[c] += w[c][k] = static_cast<std::int8_t>(row[16 * b + k]);
      }
      pairs_of_depths pairs;
      for (index_t c = 0; c < channels; ++c) separate(w[c], pairs);
      std::int8_t order[16] = {};
      if (pairs.choose(order)) {
        write(b, b, order, w, whole);
        continue;
      }
      if (halved == room) return false;
      const std::int8_t natural[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
      write(b, b, natural, w, first_half);
      write(blocks + halved++, b, natural, w, second_half);
    }
    count = blocks + halved;
    write_number(count, 8, panel);
    for (index_t c = 0; c < Nr; ++c) write_number(sums[c], 8, panel + layout.panel_size(cols) - 8 * (Nr - c));
    return true;
  }

 private:
  enum part { whole, first_half, second_half };
  DYADIC_API static constexpr void separate(const std::int8_t* w, pairs_of_depths& pairs) noexcept {
    for (int i = 0; i < 16; ++i) {
      if (w[i] <= 64 && w[i] >= -64) continue;  // one of two weights that saturate a lane is beyond +-64
      std::uint32_t from = 0;
      for (int j = 0; j < 16; ++j) from |= std::uint32_t{saturates(w[i], w[j])} << j;
      pairs.separate(i, from);
    }
  }
  DYADIC_API constexpr void write(index_t at, index_t block, const std::int8_t* order,
                                  const std::int8_t (&w)[static_cast<std::size_t>(Nr)][16], part p) noexcept {
    std::int8_t* const to = panel + layout.header + at * layout.bytes();
    const index_t blocks_of_line = layout.blocks(cols) / lines;
    for (int i = 0; i < 16; ++i) to[i] = order[i];
    write_number(block % blocks_of_line, 2, to + 16);
    write_number(block / blocks_of_line, 2, to + 18);
    write_number(0, 8, to + 20);
    write_number(0, 4, to + 28);
    for (int i = 0; i < 16; ++i) {
      const int from = order[i];
      std::int8_t* const group = to + 32 + i / 4 * 4 * Nr + i % 4;
      for (index_t c = 0; c < Nr; ++c) {
        const int weight = w[c][from];
        group[4 * c] = static_cast<std::int8_t>(p == whole ? weight : p == first_half ? weight / 2 : weight - weight / 2);
      }
    }
  }
};

/// Returns whether a panel has what `block_packer` writes for some weights. No number then leads out of the panel or out of a row
/// of activations. No lane saturates, and the sums are those of the weights.
template <index_t Nr>
DYADIC_API constexpr bool is_sound_panel(const std::int8_t* panel, index_t cols, index_t lines) noexcept {
  constexpr block_layout layout{Nr};
  const index_t blocks = layout.blocks(cols);
  const index_t blocks_of_line = blocks / lines;
  const std::int64_t count = read_number(panel, 8);
  if (count < blocks || count > layout.most_blocks(cols)) return false;
  std::int64_t sums[static_cast<std::size_t>(Nr)] = {};
  for (index_t i = 0; i < count; ++i) {
    const std::int8_t* const block = panel + layout.header + i * layout.bytes();
    std::uint32_t depths = 0;
    for (int k = 0; k < 16; ++k) depths |= block[k] < 0 || block[k] > 15 ? 0 : std::uint32_t{1} << block[k];
    const std::int64_t place = read_number(block + 16, 2);
    const std::int64_t number = read_number(block + 18, 2) * blocks_of_line + place;
    if (depths != 0xFFFF || place >= blocks_of_line || (i < blocks ? number != i : number >= blocks)) return false;
    for (index_t at = 0; at < 16 * Nr; at += 2) {
      const std::int8_t* const w = block + 32 + at;
      if (saturates(w[0], w[1])) return false;
      sums[at / 4 % Nr] += w[0] + w[1];
    }
  }
  for (index_t c = 0; c < Nr; ++c)
    if (read_number(panel + layout.panel_size(cols) - 8 * (Nr - c), 8) != sums[c]) return false;
  return true;
}

/// Returns the weight of a column at depth k of a panel of blocks. Requires: a sound panel.
DYADIC_API constexpr std::int32_t weight_in_blocks(const std::int8_t* panel, block_layout layout, index_t cols, index_t column,
                                                   index_t k) noexcept {
  const std::int64_t count = read_number(panel, 8);
  const index_t own = k / 16;
  const std::int8_t* const first = panel + layout.header;
  const auto weight_of = [&](const std::int8_t* block) {
    index_t at = 0;
    while (block[at] != k % 16) ++at;
    return std::int32_t{block[32 + at / 4 * 4 * layout.nr + 4 * column + at % 4]};
  };
  std::int32_t sum = weight_of(first + own * layout.bytes());
  for (index_t i = layout.blocks(cols); i < count; ++i) {
    const std::int8_t* const other = first + i * layout.bytes();
    if (read_number(other + 16, 4) == read_number(first + own * layout.bytes() + 16, 4)) sum += weight_of(other);
  }
  return sum;
}

}  // namespace dyadic::detail

// Convolutions and transposed convolutions of each backend of this machine against scalar code.

#include "each_backend.hpp"

#include "windows_parity.hpp"

namespace {

using namespace dyadic;
using parity::conditions;
using parity::kind;
using parity::multipliers_per;
using parity::numbers;
using parity::square;
using parity::window_runs;
using shape = parity::images_shape;

/// Calls use(number of the combination, shape, conditions, depth) four times for each shape.
template <class X, class W, class Use>
void each_way(const std::vector<shape>& shapes, const Use& use) {
  int way = 0;
  for (const shape& s : shapes)
    for (int round = 0; round < 4; ++round) {
      conditions c;
      c.at_end = (++way & 1) != 0;
      if (round >= 1) c.zero.x = round == 2 ? operand<X>::min : 5;
      if (round >= 2) c.zero.w = round == 2 ? operand<W>::max : (way & 4) != 0 ? 1 : -1;
      if (round == 3) c.x = c.w = parity::values::corners;
      if (way % 3 == 0) c.w_limit = 7;
      use(way, s, c, s.window.y.kernel * s.window.x.kernel * s.c / s.groups);
    }
}

/// Test one multiplier or one for each channel, and then the whole accumulator as the output.
/// @{
template <kind Kind, class X, class W>
void every_window_raw(const std::vector<shape>& shapes) {
  window_runs<parity::backends_of_machine, Kind, X, W, std::int64_t> runs;
  each_way<X, W>(shapes, [&](int way, const shape& s, const conditions& c, index_t) {
    if (way % 5 == 0) runs.compare(s, c, raw_output<std::int64_t>{});
  });
  runs.t.check();
}
template <kind Kind, class X, class W, class Y, class Scheme, multipliers_per Per>
void every_window(const std::vector<shape>& shapes) {
  {
    window_runs<parity::backends_of_machine, Kind, X, W, Y> runs;
    support::random_bits random;
    each_way<X, W>(shapes, [&](int way, const shape& s, const conditions& c, index_t depth) {
      numbers<typename Scheme::multiplier_type> m(static_cast<std::size_t>(s.channels));
      for (auto& one : m) one = parity::fitting<Scheme, X, W, Y>(depth, random);
      if (way % 5 == 0) return;
      if constexpr (Per == multipliers_per::tensor)
        runs.compare(s, c, per_tensor_output<Y, Scheme>{parity::fitting<Scheme, X, W, Y>(depth, random), range_of<Y>(3)});
      else
        runs.compare(s, c, per_channel_output<Y, Scheme>{m, range_of<Y>(3)});
    });
    runs.t.check();
  }
  every_window_raw<Kind, X, W>(shapes);
}
/// @}

const std::vector<shape>& convolutions() {
  constexpr index_t far = limits<index_t>::max / 8'000'000;
  static const std::vector<shape> all = {
      {1, 1, 1, 1, 1, 1, square(1, 1, 1, 0, 0)},
      {2, 5, 7, 3, 5, 1, square(3, 1, 1, 1, 1)},                   // an odd depth
      {1, 9, 9, 16, 33, 1, square(3, 1, 1, 0, 0), 3},              // gaps
      {2, 6, 5, 8, 40, 1, square(1, 1, 1, 0, 0)},                  // a matrix
      {2, 6, 5, 8, 40, 1, square(1, 1, 1, 0, 0), {3, 0, 0}},       // a matrix, with gaps
      {1, 6, 5, 8, 40, 1, square(1, 1, 1, 0, 0), {0, 2, 0}},       // rows with gaps, so no matrix
      {2, 6, 5, 8, 40, 1, square(1, 1, 1, 0, 0), {0, 0, 2}},       // images with gaps, so no matrix
      {2, 6, 5, 8, 12, 2, square(1, 1, 1, 0, 0)},                  // a matrix for each group
      {1, 3, 4, 6, 2, 2, square(1, 1, 1, 0, 0)},                   // the second group begins at a panel's second column
      {1, 3, 4, 128, 66, 2, square(1, 1, 1, 0, 0)},                // the second group begins one column past a whole panel
      {2, 6, 5, 8, 3, 1, square(1, 1, 1, 0, 0)},                   // few channels, whose weights `pack` stores in rows
      {1, 3, 4, 301, 2, 1, square(3, 1, 1, 1, 1)},                 // deep rows
      {1, 5, 4, 12, 3, 3, square(3, 1, 1, 1, 1)},                  // one row of weights for each group
      {1, 8, 8, 8, 9, 1, square(1, 2, 1, 0, 0)},                   // a stride, so no matrix
      {1, 3, 4, 5, 6, 1, square(1, 1, 1, 2, 1)},                   // windows with nothing but padding
      {1, 11, 13, 4, 7, 1, square(3, 2, 2, 2, 1)},                 // dilation and stride
      {1, 4, 3, 2, 3, 1, {{5, 1, 1, 4, 4}, {1, 1, 1, 0, 0}}},      // a high window, larger than the image
      {1, 1, 30, 6, 5, 1, {{1, 1, 1, 0, 0}, {7, 3, 1, 3, 2}}},     // one dimension
      {2, 6, 6, 12, 8, 4, square(3, 1, 1, 1, 1)},                  // groups of 2 channels
      {1, 5, 5, 64, 64, 2, square(3, 1, 1, 1, 1), 1},              // groups of whole panels or of parts
      {1, 5, 5, 6, 6, 6, square(2, 1, 1, 0, 1)},                   // depthwise
      {1, 4, 4, 300, 4, 1, square(3, 1, 1, 1, 1)},                 // deeper than one copy and one packed block
      {1, 4, 1, 0, 3, 1, square(2, 1, 1, 1, 0)},                   // no inputs
      {1, 2, 2, 3, 270, 1, square(2, 1, 1, 1, 0)},                 // more channels than share constants
      {1, 3, 3, 2, 2, 1, {{2, 1, far, 0, far}, {1, 1, 1, 0, 0}}},  // taps far away
      {1, 5, 4, 3, 5, 1, {{1, 2, 1, 0, 0}, {1, 1, 1, 0, 0}}},      // every second line, so no matrix
      {1, 4, 5, 3, 5, 1, {{1, 1, 1, 0, 0}, {1, 2, 1, 0, 0}}},      // every second column
      {1, 3, 3, 2, 3, 1, square(2, 1, 1, 0, 0)},                   // four taps
      {1, 3, 4, 2, 3, 1, {{1, 1, 1, 0, 0}, {2, 1, 1, 0, 0}}},      // two taps
      {2, 3, 4, 6, 12, 2, square(1, 1, 1, 0, 0)},                  // a matrix for each group, of an odd depth
      {1, 1, 1, 4, 40, 2, square(1, 1, 1, 0, 0)},                  // a matrix of one row for each group
      {1, 4, 3, 8, 64, 2, square(1, 1, 1, 0, 0)},                  // a matrix of whole panels for each group
      {2, 6, 9, 3, 5, 1, square(2, 3, 1, 1, 1)},                   // a stride beyond the window, one tap beyond each border
      {1, 8, 7, 3, 5, 1, {{2, 3, 2, 1, 1}, {2, 3, 1, 0, 1}}},      // a stride beyond the window, a dilation of one axis
      {1, 8, 7, 3, 5, 1, {{2, 3, 1, 1, 1}, {2, 3, 2, 0, 1}}},
      {1, 6, 4, 1, 5, 1, {{3, 1, 1, 1, 1}, {1, 1, 1, 0, 0}}},    // lines of one element
      {1, 12, 1, 2, 3, 1, {{11, 1, 1, 0, 0}, {1, 1, 1, 0, 0}}},  // more lines than a line has elements
      // Layers of 8 channels, whose pixels share panels. Lines have whole groups or not.
      // Some have gaps, several groups of channels, no inputs, or as many channels as a vector has lanes.
      {1, 5, 14, 1, 8, 1, {{3, 1, 1, 1, 1}, {4, 1, 1, 0, 1}}},
      {1, 4, 12, 2, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 5, 12, 1, 8, 1, square(3, 1, 1, 1, 1), {1, 0, 0}, 0, true},
      {1, 5, 8, 1, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 4, 4, 32, 2, square(2, 1, 1, 1, 0)},
      {1, 3, 12, 4, 16, 2, square(2, 1, 1, 1, 0)},
      {1, 3, 12, 0, 8, 1, square(2, 1, 1, 1, 0)},
      {1, 4, 6, 2, 16, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 12, 16, 40, 1, square(3, 1, 1, 1, 1)},  // a tile of windows in copies of their lines
      // Groups of one to seven inputs, zero-padded to a whole group of elements, with one output and with whole vectors.
      // Some panels begin within a group. Some layers have gaps, strides and lines beyond the window, or exceed the buffer.
      {1, 5, 7, 40, 40, 40, square(3, 1, 1, 1, 1)},
      {2, 5, 15, 36, 36, 18, square(3, 2, 1, 0, 1), {3, 1, 2}},
      {1, 4, 9, 9, 48, 3, {{2, 1, 2, 1, 1}, {3, 1, 1, 2, 0}}},
      {1, 6, 5, 50, 30, 10, square(1, 3, 1, 0, 0)},
      {1, 3, 4, 6, 80, 2, square(2, 1, 1, 1, 0)},
      {1, 3, 4, 98, 70, 14, square(2, 1, 1, 0, 1)},
      {1, 3, 6, 300, 300, 300, square(3, 1, 1, 1, 1)},
      {1, 3, 4, 1500, 500, 500, square(5, 1, 1, 2, 2)},
      // The last set has fewer groups, so more of its lines would fit.
      {1, 3, 10, 113, 113, 113, square(3, 1, 1, 1, 1)},
      {1, 7, 14, 29, 29, 29, square(7, 1, 1, 3, 3)},
      {1, 5, 7, 75, 300, 75, square(5, 1, 1, 2, 2)},
  };
  return all;
}
/// Returns groups and kernels of every size, with each kind of border.
std::vector<shape> some_convolutions(int count) {
  support::random_bits random;
  const auto pick = [&](int least, int most) { return static_cast<index_t>(random.between(least, most)); };
  std::vector<shape> all = {
      {1, 6, 6, 512, 512, 64, square(3, 3, 2, 2, 2)},  // the buffer holds the windows of some groups
      {1, 4, 20, 64, 64, 4, square(5, 1, 1, 2, 2)},    // vectors of one group
      {1, 3, 4, 192, 64, 4, square(4, 1, 1, 1, 2)},    // sums that are drained
      {1, 5, 14, 96, 96, 4, square(3, 1, 1, 1, 1)},    // panels that begin within a group
      {1, 2, 13, 96, 96, 2, square(2, 1, 1, 1, 1)},    // vectors that do not begin within a group
      // Windows that are copied with masks. Tiles cover several lines and images, and some windows are whole vectors.
      // Lines have the greatest length for masks, or one more; windows have the greatest number of lines, or more.
      // Lines lie apart. A single line and pairs of lines cross both borders.
      {2, 13, 10, 1, 70, 1, {{10, 2, 1, 4, 5}, {4, 2, 1, 1, 1}}},
      {2, 5, 6, 4, 33, 1, square(4, 1, 1, 2, 1)},
      {1, 4, 9, 9, 34, 1, {{6, 1, 1, 3, 2}, {7, 1, 1, 2, 4}}},
      {1, 4, 9, 8, 34, 1, {{6, 1, 1, 3, 2}, {8, 1, 1, 2, 5}}},
      {1, 2, 15, 31, 16, 1, {{3, 1, 1, 1, 1}, {1, 1, 1, 0, 1}}},
      {1, 19, 5, 3, 9, 1, {{24, 1, 1, 4, 3}, {3, 2, 1, 1, 1}}},
      {1, 40, 5, 1, 9, 1, {{60, 1, 1, 9, 12}, {3, 2, 1, 1, 1}}},
      {2, 9, 7, 2, 32, 1, {{3, 1, 3, 2, 3}, {2, 1, 1, 1, 0}}},
      {1, 3, 1, 1, 16, 1, {{3, 1, 1, 1, 1}, {7, 1, 1, 5, 6}}},
      // Copies that have exactly the size of a tile's buffer, or are slightly larger: one line, two lines, windows that end in
      // padding. Some windows lie far before an image. Some are copied from copies of lines, others in pairs with masks.
      {1, 1, 11, 2304, 2, 1, {{1, 1, 1, 0, 0}, {1, 1, 1, 1, 0}}},
      {1, 2, 11, 1200, 2, 1, {{2, 1, 1, 0, 0}, {1, 1, 1, 1, 0}}},
      {1, 1, 12, 1152, 2, 1, {{1, 1, 1, 0, 0}, {2, 1, 2, 0, 2}}},
      {1, 1, 3, 768, 2, 1, {{1, 1, 1, 0, 0}, {3, 4, 1, 100, 0}}},
      {1, 1, 8, 701, 2, 1, {{1, 1, 1, 0, 0}, {3, 1, 1, 0, 0}}},
      {1, 27, 12, 9, 16, 1, {{24, 1, 1, 0, 0}, {7, 1, 1, 0, 0}}},
      {1, 1, 11, 2048, 2, 1, {{1, 1, 1, 0, 0}, {1, 1, 1, 1, 0}}},
      {1, 2, 11, 1068, 2, 1, {{2, 1, 1, 0, 0}, {1, 1, 1, 1, 0}}},
      {1, 1, 12, 1024, 2, 1, {{1, 1, 1, 0, 0}, {2, 1, 2, 0, 2}}},
      {1, 1, 3, 682, 2, 1, {{1, 1, 1, 0, 0}, {3, 4, 1, 100, 0}}},
      {1, 1, 12, 512, 2, 1, {{1, 1, 1, 0, 0}, {2, 1, 2, 0, 2}}},
      // Pixels that share panels of 8 channels, with no tap outside of the image.
      // Other layers share no panel: their taps are dilated, their pixels odd in number, or they have other channels.
      {1, 9, 24, 4, 8, 1, square(3, 2, 1, 0, 1)},
      {2, 4, 5, 16, 16, 4, square(2, 1, 1, 0, 1)},  // groups that are one problem unless weights have a zero point
      {1, 5, 25, 3, 8, 1, {{3, 2, 1, 0, 1}, {5, 2, 1, 0, 2}}},
      {1, 6, 12, 2, 8, 1, square(3, 1, 2, 2, 2)},
      {1, 3, 25, 3, 8, 1, square(3, 2, 1, 1, 1)},
      {1, 3, 1, 3, 8, 1, square(3, 2, 1, 1, 1)},
      {1, 6, 8, 2, 8, 1, square(3, 1, 2, 2, 2)},
      {1, 3, 11, 3, 10, 1, square(3, 2, 1, 1, 1)},
      {1, 3, 11, 3, 64, 1, square(3, 2, 1, 1, 1)},
      {1, 4, 2, 0, 6, 2, square(2, 1, 1, 1, 0)},                  // groups without inputs
      {1, 4, 6, 60, 40, 5, {{6, 1, 1, 3, 3}, {7, 1, 2, 5, 6}}},   // some groups at a time, which begin within a panel
      {1, 1, 3, 192, 32, 2, {{5, 1, 1, 2, 2}, {5, 1, 2, 4, 4}}},  // not enough room for the windows of one group
      {1, 4, 5, 128, 12, 2, square(2, 1, 1, 0, 1)},               // too many inputs for panels of two groups
      {1, 2, 24, 128, 8, 1, square(2, 2, 1, 0, 0)},               // pixels whose least sums do not fit int32
      // Lines that windows share, with lengths that are not whole groups. Tiles have all heights at both borders.
      // There are several images and panels, lines shorter than a group, dilated lines, gaps, and lines too long for the buffer.
      // There are more channels than share constants, and weights that exactly fill the memory after the lines, or are slightly
      // larger.
      {2, 4, 53, 3, 40, 1, square(3, 2, 1, 1, 1)},
      {1, 5, 26, 1, 33, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 62, 1, 33, 1, square(3, 1, 1, 1, 1)},  // copies end exactly at the end of a vector
      {1, 3, 30, 5, 20, 1, {{2, 1, 2, 1, 1}, {3, 1, 1, 2, 2}}, {0, 3, 0}},
      {1, 3, 28, 3, 20, 1, square(3, 1, 1, 1, 1), {2, 1, 0}},
      {1, 2, 29, 7, 5, 1, {{3, 1, 1, 4, 4}, {1, 1, 1, 0, 0}}},
      {1, 4, 100, 30, 6, 1, square(3, 1, 1, 1, 1)},
      {1, 2, 25, 3, 270, 1, {{2, 1, 1, 1, 0}, {1, 1, 1, 0, 0}}},
      {1, 3, 26, 15, 5, 1, square(7, 1, 1, 3, 3)},
      {1, 3, 26, 16, 5, 1, {{7, 1, 1, 3, 3}, {7, 1, 1, 3, 3}}},
      {1, 3, 26, 19, 5, 1, square(7, 1, 1, 3, 3)},
      // Two and four pixels in a row. Tiles have all heights; some borders are wider than windows; some lines have gaps.
      // The buffer holds some lines. Layers with too few pixels, or strides beyond a window, do not put several pixels in a row.
      {2, 5, 16, 3, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 6, 64, 1, 8, 1, square(3, 2, 1, 1, 0)},
      {1, 3, 112, 2, 8, 1, {{1, 1, 1, 0, 0}, {5, 1, 1, 2, 2}}},
      {1, 2, 10, 4, 8, 1, {{3, 1, 1, 1, 1}, {3, 1, 1, 4, 4}}},
      {1, 4, 16, 3, 8, 1, square(3, 1, 1, 1, 1), {0, 2, 1}},
      {1, 4, 16, 3, 8, 1, square(3, 1, 1, 1, 1), {1, 2, 1}},
      {1, 3, 40, 70, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 48, 37, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 8, 3, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 6, 3, 16, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 4, 3, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 4, 40, 3, 16, 1, square(2, 3, 1, 0, 0)},
      // Few channels, which have tiles of their own: they fill a quarter, half or more of a panel, or of the last panel. Lines
      // are several runs, of 12, 8, 4 or other numbers of windows. Some sums do not fit int32, in pieces of one line and of
      // several lines.
      {1, 3, 24, 16, 7, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 12, 16, 12, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 8, 16, 16, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 11, 16, 9, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 10, 16, 7, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 11, 16, 7, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 1, 16, 12, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 2, 16, 12, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 6, 16, 12, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 10, 16, 12, 1, square(3, 1, 1, 1, 1)},
      {1, 2, 20, 8, 39, 1, square(3, 1, 1, 1, 1)},
      {1, 2, 12, 8, 45, 1, square(3, 1, 1, 1, 1)},
      {1, 2, 24, 24, 5, 1, square(5, 1, 1, 2, 2)},
      {1, 2, 12, 24, 12, 1, square(5, 1, 1, 2, 2)},
      {1, 2, 9, 88, 3, 1, square(3, 1, 1, 1, 1)},
      {1, 2, 5, 120, 40, 1, {{2, 1, 1, 0, 1}, {5, 1, 1, 2, 2}}},
      // Lines of 12 and more windows, odd and even in number, of few elements and of more.
      // Whether windows share a line depends on the channels, which fill a quarter of a panel or more.
      {1, 3, 12, 9, 4, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 13, 9, 4, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 12, 9, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 14, 9, 4, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 14, 9, 16, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 14, 9, 17, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 11, 9, 4, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 16, 9, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 16, 16, 8, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 12, 8, 8, 1, square(3, 1, 1, 1, 1)},
  };
  // Rows of several pixels whose least sums do not fit int32, with all conditions.
  for (int i = 0; i < 5; ++i) all.push_back({1, 3, 16, 57, 8, 1, square(3, 1, 1, 1, 1)});
  while (static_cast<int>(all.size()) < count) {
    const auto axis = [&] { return window1d{pick(1, 7), pick(1, 3), pick(1, 2), pick(0, 4), pick(0, 4)}; };
    const bool is_stem = random.one_in(3);  // mostly up to 8 channels
    const index_t groups = is_stem ? 1 : random.one_in(2) ? pick(1, 8) : index_t{1} << pick(1, 5);
    const index_t depth = is_stem || random.one_in(2) ? pick(1, 8) : 4 * pick(1, 6);
    const index_t outputs_of_group = is_stem ? index_t{4} << pick(0, 2) : pick(1, 200 / static_cast<int>(groups));
    const shape s{pick(1, 2),
                  pick(1, 9),
                  pick(1, 40),
                  groups * depth,
                  groups * outputs_of_group,
                  groups,
                  {axis(), axis()},
                  random.one_in(3) ? 2 : 0};
    const index_t weights = s.channels * s.window.y.kernel * s.window.x.kernel * depth;
    const index_t outputs = s.n * s.channels * forward_size(s.h, s.window.y) * forward_size(s.w, s.window.x);
    if (weights < 40'000 && outputs * 2 < 40'000 && s.n * s.h * s.w * s.c < 40'000) all.push_back(s);
  }
  // Numbers of groups around the number for which there is room.
  for (index_t groups = 126; groups <= 150; ++groups) all.push_back({1, 3, 12, groups, groups, groups, square(3, 1, 1, 1, 1)});
  return all;
}
/// Returns groups whose columns share panels. The first or the second half of some panels begins in a single group.
/// The elements of a panel's groups have exactly the size of a vector of 16, 8 or 4 steps, or are slightly longer.
const std::vector<shape>& groups_in_panels() {
  const auto in_groups = [](index_t groups, index_t inputs, index_t outputs) {
    return shape{1, 3, 4, groups * inputs, groups * outputs, groups, {{2, 1, 1, 0, 0}, {1, 1, 1, 0, 0}}};
  };
  static const std::vector<shape> all = {in_groups(2, 4, 9),
                                         in_groups(2, 4, 11),
                                         in_groups(2, 4, 15),
                                         in_groups(4, 32, 24),
                                         in_groups(4, 16, 17),
                                         in_groups(10, 6, 7),
                                         in_groups(4, 16, 12),
                                         in_groups(4, 8, 6),
                                         in_groups(18, 12, 15),
                                         // a single pixel; the second group begins in the middle of a panel
                                         {1, 1, 1, 1200, 42, 2, {{1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}}}};
  return all;
}
/// Tests every group, mostly by weights without a zero point.
template <class X, class Y, class Make>
void every_group(const Make& output) {
  window_runs<parity::backends_of_machine, kind::conv2d, X, std::int8_t, Y> runs;
  for (const shape& s : groups_in_panels()) output(runs, s, conditions{});
  support::tried_cases tried;
  int way = 0;
  for (const shape& s : some_convolutions(support::samples(210))) {
    conditions c;
    c.at_end = (++way & 1) != 0;
    if (!tried.has_next()) continue;
    if (way % 3 != 0) c.zero.x = way % 3 == 1 ? operand<X>::max : -3;
    if (way % 8 == 0) c.zero.w = -1;
    if (way % 4 == 1 && sizeof(X) == 2) c.bias_bits = 40;  // accumulators of 64 bits
    if (way % 5 == 0) c.x = c.w = parity::values::corners;
    if (way % 5 == 3) c.x = c.w = parity::values::least;
    output(runs, s, c);
  }
  runs.t.check();
}

const std::vector<shape>& transposed_convolutions() {
  static const std::vector<shape> all = {
      {1, 1, 1, 1, 1, 1, square(1, 1, 1, 0, 0)},
      {2, 4, 5, 3, 5, 1, square(3, 2, 1, 1, 1), 0, 1},
      {1, 5, 4, 16, 33, 1, square(4, 2, 1, 1, 1), 3},
      {1, 3, 3, 8, 9, 1, square(2, 3, 1, 0, 0), 0, 2},  // outputs without taps
      {1, 6, 5, 5, 7, 1, square(3, 1, 1, 1, 1)},
      {1, 2, 7, 4, 6, 1, {{5, 2, 1, 2, 1}, {3, 4, 1, 0, 1}}, 1},
      {1, 3, 3, 301, 4, 1, square(3, 1, 1, 1, 1)},
      {1, 3, 2, 0, 3, 1, square(2, 2, 1, 0, 0)},
      {2, 2, 2, 2, 70, 1, square(6, 4, 1, 3, 3), 0, 3},
      {1, 2, 2, 205, 4, 1, square(3, 1, 1, 1, 1)},                // slices of weights that begin with the last weight of a tap
      {1, 1, 2, 3000, 1, 1, {{1, 1, 1, 0, 0}, {2, 1, 1, 0, 0}}},  // slices of weights that end with the first weight of a tap
      // Dilations: with a stride of 1, coprime to the stride, equal to it, and with a common divisor. Some outputs have no tap.
      {1, 4, 5, 3, 5, 1, square(3, 1, 2, 1, 2)},
      {2, 4, 5, 5, 9, 1, square(3, 2, 3, 2, 1), 0, 1},
      {1, 5, 4, 3, 33, 1, square(3, 2, 2, 1, 1), 3, 1},
      {1, 4, 3, 8, 5, 1, {{4, 4, 6, 3, 2}, {5, 6, 4, 0, 5}}, 1, 3},
      {1, 3, 7, 70, 3, 1, {{2, 5, 3, 0, 0}, {3, 3, 4, 7, 7}}},
      // Groups: depthwise, of parts of panels, of whole panels, without inputs, with dilation and gaps.
      {2, 4, 5, 6, 6, 6, square(3, 2, 1, 1, 1), 0, 1},
      {1, 5, 4, 12, 20, 4, square(3, 2, 1, 1, 1), 3},
      {1, 3, 4, 32, 128, 2, square(2, 2, 1, 0, 0)},
      {1, 3, 2, 0, 6, 3, square(2, 2, 1, 0, 0)},
      {1, 4, 3, 10, 15, 5, {{3, 2, 2, 1, 1}, {4, 3, 2, 2, 0}}, 2, 1},
  };
  return all;
}

}  // namespace

TEST_CASE("conv2d: int16 x int8 equals scalar and stays within its memory", "[parity]") {
  every_window<kind::conv2d, std::int16_t, std::int8_t, std::int16_t, tosa::scale16, multipliers_per::channel>(convolutions());
}
TEST_CASE("conv2d: int8 x int8 equals scalar and stays within its memory", "[parity]") {
  every_window<kind::conv2d, std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding, multipliers_per::tensor>(
      convolutions());
}
TEST_CASE("conv2d: int16 x int8 in groups equals scalar and stays within its memory", "[parity]") {
  support::random_bits random;
  every_group<std::int16_t, std::int16_t>([&](auto& runs, const shape& s, const conditions& c) {
    const index_t depth = s.window.y.kernel * s.window.x.kernel * s.c / s.groups;
    numbers<tosa::scale16::multiplier_type> m(static_cast<std::size_t>(s.channels));
    for (auto& one : m) one = parity::fitting<tosa::scale16, std::int16_t, std::int8_t, std::int16_t>(depth, random);
    runs.compare(s, c, per_channel_output<std::int16_t, tosa::scale16>{m, range_of<std::int16_t>(3)});
  });
  every_group<std::int16_t, std::int64_t>(
      [](auto& runs, const shape& s, const conditions& c) { runs.compare(s, c, raw_output<std::int64_t>{}); });
}
TEST_CASE("conv2d: int8 x int8 in groups equals scalar and stays within its memory", "[parity]") {
  support::random_bits random;
  every_group<std::int8_t, std::int8_t>([&](auto& runs, const shape& s, const conditions& c) {
    const index_t depth = s.window.y.kernel * s.window.x.kernel * s.c / s.groups;
    const auto m = parity::fitting<tflite::double_rounding, std::int8_t, std::int8_t, std::int8_t>(depth, random);
    runs.compare(s, c, per_tensor_output<std::int8_t, tflite::double_rounding>{m, range_of<std::int8_t>(3)});
  });
}
#if defined(__OPTIMIZE_SIZE__)  // the compact kernels; the tests of types cover the others
TEST_CASE("conv2d: weights of 4 bits equal scalar and stay within their memory", "[parity]") {
  every_window_raw<kind::conv2d, std::int16_t, int4>(convolutions());
  every_window_raw<kind::conv2d, std::int8_t, int4>(convolutions());
}
#endif

TEST_CASE("transposed_conv2d: int16 x int8 equals scalar and stays within its memory", "[parity]") {
  every_window<kind::transposed, std::int16_t, std::int8_t, std::int16_t, tosa::scale16, multipliers_per::tensor>(
      transposed_convolutions());
}
TEST_CASE("transposed_conv2d: int8 x int8 equals scalar and stays within its memory", "[parity]") {
  every_window<kind::transposed, std::int8_t, std::int8_t, std::int8_t, tosa::scale32, multipliers_per::channel>(
      transposed_convolutions());
}

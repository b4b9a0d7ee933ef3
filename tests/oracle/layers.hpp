#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

// The layers from their definitions: zero points are subtracted one by one, nothing is folded, and padding is real 0. Three
// functions read the numbers, so that no code here depends on a layout or on packing: x(image, row, column, channel), w(output
// channel, ky, kx, channel of the group) and bias(output channel). Outputs are dense NHWC accumulators. Sums are exact in 64
// bits: a term is below 2^34, a bias at most 2^60.

namespace oracle {

using size = std::ptrdiff_t;

/// The window along one axis.
struct axis {
  size kernel = 1;
  size stride = 1;
  size dilation = 1;
  size before = 0;
  size after = 0;
};

/// Sizes and zero points of a layer. A linear layer has `h` rows of `c` values and w = 1.
struct layer {
  size n = 1;
  size h = 1;
  size w = 1;
  size c = 1;
  size out_h = 1;
  size out_w = 1;
  size out_c = 1;
  size groups = 1;
  axis y;
  axis x;
  std::int64_t zero_x = 0;
  std::int64_t zero_w = 0;

  size at(size image, size row, size column, size channel) const {
    return ((image * out_h + row) * out_w + column) * out_c + channel;
  }
  size outputs() const { return n * out_h * out_w * out_c; }
};

/// Returns the number of windows that start in the padded input, one stride apart, and do not leave it.
inline size windows(size input, const axis& a) {
  size count = 0;
  for (size start = 0; start + (a.kernel - 1) * a.dilation < a.before + input + a.after; start += a.stride) ++count;
  return count;
}

/// Returns the size that the kernels of all inputs cover, one stride apart. Cuts off the padding and adds the output padding.
inline size scattered(size input, const axis& a, size output_padding) {
  size end = 0;
  for (size i = 0; i < input; ++i) end = i * a.stride + (a.kernel - 1) * a.dilation + 1;
  return end - a.before - a.after + output_padding;
}

/// Computes y[n][oy][ox][o] = bias(o) + sum of (x(n, iy, ix, i) - zero_x) * (w(o, ky, kx, i of its group) - zero_w).
template <class X, class W, class Bias>
std::vector<std::int64_t> conv2d(const layer& l, X x, W w, Bias bias) {
  std::vector<std::int64_t> y;
  const size depth = l.c / l.groups;
  for (size n = 0; n < l.n; ++n)
    for (size oy = 0; oy < l.out_h; ++oy)
      for (size ox = 0; ox < l.out_w; ++ox)
        for (size o = 0; o < l.out_c; ++o) {
          const size group = o / (l.out_c / l.groups);
          std::int64_t acc = bias(o);
          for (size ky = 0; ky < l.y.kernel; ++ky)
            for (size kx = 0; kx < l.x.kernel; ++kx) {
              const size iy = oy * l.y.stride + ky * l.y.dilation - l.y.before;
              const size ix = ox * l.x.stride + kx * l.x.dilation - l.x.before;
              if (iy < 0 || iy >= l.h || ix < 0 || ix >= l.w) continue;
              for (size i = 0; i < depth; ++i)
                acc += (std::int64_t{x(n, iy, ix, group * depth + i)} - l.zero_x) * (std::int64_t{w(o, ky, kx, i)} - l.zero_w);
            }
          y.push_back(acc);
        }
  return y;
}

/// Computes the convolution in which output channel o reads only input channel o / multiplier.
template <class X, class W, class Bias>
std::vector<std::int64_t> depthwise(const layer& l, X x, W w, Bias bias) {
  std::vector<std::int64_t> y;
  const size multiplier = l.out_c / l.c;
  for (size n = 0; n < l.n; ++n)
    for (size oy = 0; oy < l.out_h; ++oy)
      for (size ox = 0; ox < l.out_w; ++ox)
        for (size i = 0; i < l.c; ++i)
          for (size m = 0; m < multiplier; ++m) {
            const size o = i * multiplier + m;
            std::int64_t acc = bias(o);
            for (size ky = 0; ky < l.y.kernel; ++ky)
              for (size kx = 0; kx < l.x.kernel; ++kx) {
                const size iy = oy * l.y.stride + ky * l.y.dilation - l.y.before;
                const size ix = ox * l.x.stride + kx * l.x.dilation - l.x.before;
                if (iy < 0 || iy >= l.h || ix < 0 || ix >= l.w) continue;
                acc += (std::int64_t{x(n, iy, ix, i)} - l.zero_x) * (std::int64_t{w(o, ky, kx, 0)} - l.zero_w);
              }
            y.push_back(acc);
          }
  return y;
}

/// Adds the kernel of each input to the output: x(n, iy, ix, i) goes to row iy * stride + ky * dilation - before, and to the
/// column likewise, of the output channels of its group.
template <class X, class W, class Bias>
std::vector<std::int64_t> transposed_conv2d(const layer& l, X x, W w, Bias bias) {
  std::vector<std::int64_t> y;
  while (static_cast<size>(y.size()) < l.outputs()) y.push_back(bias(static_cast<size>(y.size()) % l.out_c));
  for (size n = 0; n < l.n; ++n)
    for (size iy = 0; iy < l.h; ++iy)
      for (size ix = 0; ix < l.w; ++ix)
        for (size ky = 0; ky < l.y.kernel; ++ky)
          for (size kx = 0; kx < l.x.kernel; ++kx) {
            const size oy = iy * l.y.stride + ky * l.y.dilation - l.y.before;
            const size ox = ix * l.x.stride + kx * l.x.dilation - l.x.before;
            if (oy < 0 || oy >= l.out_h || ox < 0 || ox >= l.out_w) continue;
            const size depth = l.c / l.groups;
            for (size o = 0; o < l.out_c; ++o) {
              const size first = o / (l.out_c / l.groups) * depth;
              for (size i = 0; i < depth; ++i)
                y[static_cast<std::size_t>(l.at(n, oy, ox, o))] +=
                    (std::int64_t{x(n, iy, ix, first + i)} - l.zero_x) * (std::int64_t{w(o, ky, kx, i)} - l.zero_w);
            }
          }
  return y;
}

/// Computes y[r][o] = bias(o) + sum of (x(0, r, 0, k) - zero_x) * (w(o, 0, 0, k) - zero_w).
template <class X, class W, class Bias>
std::vector<std::int64_t> linear(const layer& l, X x, W w, Bias bias) {
  std::vector<std::int64_t> y;
  for (size r = 0; r < l.h; ++r)
    for (size o = 0; o < l.out_c; ++o) {
      std::int64_t acc = bias(o);
      for (size k = 0; k < l.c; ++k) acc += (std::int64_t{x(0, r, 0, k)} - l.zero_x) * (std::int64_t{w(o, 0, 0, k)} - l.zero_w);
      y.push_back(acc);
    }
  return y;
}

enum class op { conv2d, depthwise, transposed_conv2d, linear };

/// Computes any operator.
template <class X, class W, class Bias>
std::vector<std::int64_t> accumulators(op kind, const layer& l, X x, W w, Bias bias) {
  if (kind == op::conv2d) return conv2d(l, x, w, bias);
  if (kind == op::depthwise) return depthwise(l, x, w, bias);
  return kind == op::linear ? linear(l, x, w, bias) : transposed_conv2d(l, x, w, bias);
}

// ---- random layers

/// Draws random integers.
struct dice {
  std::mt19937 engine;

  /// Returns a number in low .. high.
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    const std::uint64_t bits = (std::uint64_t{engine()} << 32) + engine();
    return low + static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return (*this)(1, n) == 1; }
};

inline axis random_axis(dice& roll, bool padded, bool dilated) {
  axis a;
  a.kernel = static_cast<size>(roll(1, 4));
  a.stride = static_cast<size>(roll(1, dilated ? 4 : 3));
  if (dilated) a.dilation = static_cast<size>(roll(1, 4));
  if (padded) a.before = static_cast<size>(roll(0, 3));
  if (padded) a.after = static_cast<size>(roll(0, 3));
  return a;
}

/// Returns random sizes and windows that have outputs. One layer in 50 is deep. The zero points are 0.
inline layer random_layer(op kind, dice& roll) {
  layer l;
  if (kind == op::linear) {
    l.h = l.out_h = static_cast<size>(roll(1, 5));
    l.c = static_cast<size>(roll(1, 70));
    l.out_c = static_cast<size>(roll(1, 6));
    return l;
  }
  const bool transposed = kind == op::transposed_conv2d;
  l.n = static_cast<size>(roll(1, 2));
  do {
    const bool padded = !roll.one_in(3);
    l.h = static_cast<size>(roll(1, 6));
    l.w = static_cast<size>(roll(1, 6));
    const bool dilated = !transposed || roll.one_in(2);
    l.y = random_axis(roll, padded, dilated);
    l.x = random_axis(roll, padded, dilated);
    const auto outputs = [&](size inputs, const axis& a) {
      const size most = a.stride > a.dilation ? a.stride : a.dilation;
      return transposed ? scattered(inputs, a, static_cast<size>(roll(0, most - 1))) : windows(inputs, a);
    };
    l.out_h = outputs(l.h, l.y);
    l.out_w = outputs(l.w, l.x);
  } while (l.out_h < 1 || l.out_w < 1);
  if (kind == op::conv2d || (transposed && roll.one_in(2))) l.groups = static_cast<size>(roll(1, 3));
  l.c = kind == op::depthwise ? static_cast<size>(roll(1, 5))
                              : l.groups * static_cast<size>(roll.one_in(50) ? roll(17, 70) : roll(1, 4));
  l.out_c = (kind == op::depthwise ? l.c : l.groups) * static_cast<size>(roll(1, 3));
  return l;
}

/// Returns `acc` modulo 2^bits as a signed number.
inline std::int64_t wrapped(std::int64_t acc, int bits) {
  if (bits == 64) return acc;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  const std::int64_t rest = acc % (2 * half);
  if (rest >= half) return rest - 2 * half;
  return rest < -half ? rest + 2 * half : rest;
}

}  // namespace oracle

// SPDX-License-Identifier: Apache-2.0
// The speed of CMSIS-NN's face over plain loops of the same layer. Each call of the face folds its weights. The plain loops fold
// nothing.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cmsis_nn/face.hpp"

namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;

/// The sizes of a layer with square windows.
struct layer {
  int h, w, c, out_h, out_w, out_c, kernel, stride, pad;
};

int32_t rescale(int32_t acc, int32_t m, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  const int64_t product = int64_t{acc} * (int32_t{1} << left) * m + (1 << 30);
  const int32_t high = static_cast<int32_t>(product >> 31);
  const int32_t mask = (1 << right) - 1;
  const int32_t rest = high & mask;
  return (high >> right) + (rest > (mask >> 1) + (high < 0) ? 1 : 0);
}
int32_t rescale(int64_t acc, int32_t m, int32_t shift) {
  const int32_t reduced = m < 0x7FFF0000 ? (m + (1 << 15)) >> 16 : 0x7FFF;
  return static_cast<int32_t>(((acc * reduced >> (14 - shift)) + 1) >> 1);
}
template <class Y>
Y clamped(int32_t y) {
  constexpr int32_t most = sizeof(Y) == 1 ? 127 : 32767;
  return static_cast<Y>(y < -most - 1 ? -most - 1 : y > most ? most : y);
}

int weight(const int8_t* w, int i) { return w[i]; }
int weight(const int16_t* w, int i) { return w[i]; }
/// Weights of 4 bits, two to a byte, the first in the low bits.
struct nibbles {
  const int8_t* bytes;
};
int weight(nibbles w, int i) {
  const int byte = w.bytes[i / 2];
  return i % 2 == 0 ? static_cast<int8_t>(byte * 16) >> 4 : byte >> 4;
}

struct numbers {
  const int32_t* multipliers;
  const int32_t* shifts;
  int32_t offset;
  int32_t zero_y;
};

template <class Accumulator, class X, class W, class Bias>
__attribute__((noinline)) void convolve(const layer& l, const X* x, W w, const Bias* bias, const numbers& n, X* y) {
  for (int oy = 0; oy < l.out_h; ++oy)
    for (int ox = 0; ox < l.out_w; ++ox)
      for (int o = 0; o < l.out_c; ++o) {
        Accumulator acc = bias == nullptr ? 0 : bias[o];
        for (int ky = 0; ky < l.kernel; ++ky)
          for (int kx = 0; kx < l.kernel; ++kx) {
            const int iy = oy * l.stride + ky - l.pad;
            const int ix = ox * l.stride + kx - l.pad;
            if (iy < 0 || iy >= l.h || ix < 0 || ix >= l.w) continue;
            const X* from = x + (iy * l.w + ix) * l.c;
            const int at = ((o * l.kernel + ky) * l.kernel + kx) * l.c;
            for (int i = 0; i < l.c; ++i) acc += (from[i] + n.offset) * weight(w, at + i);
          }
        *y++ = clamped<X>(rescale(acc, n.multipliers[o], n.shifts[o]) + n.zero_y);
      }
}

template <class Accumulator, class X, class W, class Bias>
__attribute__((noinline)) void depthwise(const layer& l, const X* x, W w, const Bias* bias, const numbers& n, X* y) {
  for (int oy = 0; oy < l.out_h; ++oy)
    for (int ox = 0; ox < l.out_w; ++ox)
      for (int o = 0; o < l.out_c; ++o) {
        Accumulator acc = bias[o];
        for (int ky = 0; ky < l.kernel; ++ky)
          for (int kx = 0; kx < l.kernel; ++kx) {
            const int iy = oy * l.stride + ky - l.pad;
            const int ix = ox * l.stride + kx - l.pad;
            if (iy < 0 || iy >= l.h || ix < 0 || ix >= l.w) continue;
            acc += (x[(iy * l.w + ix) * l.c + o] + n.offset) * weight(w, (ky * l.kernel + kx) * l.c + o);
          }
        *y++ = clamped<X>(rescale(acc, n.multipliers[o], n.shifts[o]) + n.zero_y);
      }
}

__attribute__((noinline)) void transpose(const layer& l, const int8_t* x, const int8_t* w, const int32_t* bias, const numbers& n,
                                         int32_t* sums, int8_t* y) {
  const int outputs = l.out_h * l.out_w;
  for (int i = 0; i < outputs * l.out_c; ++i) sums[i] = bias[i % l.out_c];
  for (int iy = 0; iy < l.h; ++iy)
    for (int ix = 0; ix < l.w; ++ix)
      for (int ky = 0; ky < l.kernel; ++ky)
        for (int kx = 0; kx < l.kernel; ++kx) {
          const int oy = iy * l.stride + ky - l.pad;
          const int ox = ix * l.stride + kx - l.pad;
          if (oy < 0 || oy >= l.out_h || ox < 0 || ox >= l.out_w) continue;
          for (int o = 0; o < l.out_c; ++o) {
            const int8_t* from = x + (iy * l.w + ix) * l.c;
            const int8_t* by = w + ((o * l.kernel + ky) * l.kernel + kx) * l.c;
            int32_t acc = 0;
            for (int i = 0; i < l.c; ++i) acc += (from[i] + n.offset) * by[i];
            sums[(oy * l.out_w + ox) * l.out_c + o] += acc;
          }
        }
  for (int i = 0; i < outputs * l.out_c; ++i)
    y[i] = clamped<int8_t>(rescale(sums[i], n.multipliers[i % l.out_c], n.shifts[i % l.out_c]) + n.zero_y);
}

/// Returns the nanoseconds of a call: the least of 60 means over 4 calls each.
template <class F>
double shortest(const F& f) {
  using clock = std::chrono::steady_clock;
  double best = 1e18;
  for (int round = 0; round < 60; ++round) {
    const auto start = clock::now();
    for (int i = 0; i < 4; ++i) f();
    const double each = std::chrono::duration<double, std::nano>(clock::now() - start).count() / 4;
    best = each < best ? each : best;
  }
  return best;
}

unsigned state = 1;
template <class T>
std::vector<T> some(int count) {
  std::vector<T> all(static_cast<std::size_t>(count));
  for (T& one : all) one = static_cast<T>((state = state * 1664525 + 1013904223) >> 16);
  return all;
}

/// The arrays that a layer reads and writes, and the arguments of its call.
template <class X, class W, class Bias>
struct problem {
  layer l;
  int taps;
  std::vector<X> x, y, plain_y;
  std::vector<W> w;
  std::vector<Bias> bias;
  std::vector<int32_t> multipliers, shifts, sums;
  numbers n;
  cmsis_nn_context none{nullptr, 0};
  cmsis_nn_dims in, filter, bias_dims, out;
  cmsis_nn_per_channel_quant_params quant;
  cmsis_nn_per_tensor_quant_params tensor;
  cmsis_nn_activation range;

  problem(const layer& of, int weights)
      : l{of},
        taps{of.kernel * of.kernel},
        x{some<X>(of.h * of.w * of.c)},
        y(static_cast<std::size_t>(of.out_h * of.out_w * of.out_c)),
        plain_y(y.size()),
        w{some<W>(weights)},
        bias(static_cast<std::size_t>(of.out_c), 1000),
        multipliers(bias.size(), (1 << 30) + 12345),
        shifts(bias.size(), sizeof(X) == 1 ? -9 : -8),
        sums(y.size()),
        n{multipliers.data(), shifts.data(), sizeof(X) == 1 ? 3 : 0, sizeof(X) == 1 ? -5 : 0},
        in{1, of.h, of.w, of.c},
        filter{of.out_c, of.kernel, of.kernel, of.c},
        bias_dims{1, 1, 1, of.out_c},
        out{1, of.out_h, of.out_w, of.out_c},
        quant{multipliers.data(), shifts.data()},
        tensor{multipliers[0], shifts[0]},
        range{sizeof(X) == 1 ? -128 : -32768, sizeof(X) == 1 ? 127 : 32767} {}
  problem(const problem&) = delete;

  cmsis_nn_conv_params conv() const { return {n.offset, n.zero_y, {l.stride, l.stride}, {l.pad, l.pad}, {1, 1}, range}; }
  cmsis_nn_dw_conv_params dw() const { return {n.offset, n.zero_y, 1, {l.stride, l.stride}, {l.pad, l.pad}, {1, 1}, range}; }
  cmsis_nn_transpose_conv_params transposed() const {
    return {n.offset, n.zero_y, {l.stride, l.stride}, {l.pad, l.pad}, {0, 0}, {1, 1}, range};
  }
  cmsis_nn_fc_params fc() const { return {n.offset, 0, n.zero_y, range}; }

  template <class Plain, class Face>
  void compare(const char* name, const Plain& plain, const Face& face) {
    plain();
    if (face() != ARM_CMSIS_NN_SUCCESS || y != plain_y) {
      std::fprintf(stderr, "%s: the face and the plain loop differ\n", name);
      std::exit(1);
    }
    const double by_face = shortest(face);
    std::printf("%-28s %9.1f\n", name, shortest(plain) / by_face);
  }
};

template <class X, class Bias, class Function>
void linear(const char* name, const layer& l, Function* function) {
  problem<X, int8_t, Bias> p(l, l.c * l.out_c);
  const auto params = p.fc();
  const cmsis_nn_dims rows{l.w, 1, 1, l.c}, depth{l.c, 1, 1, l.out_c}, out{l.w, 1, 1, l.out_c};
  p.compare(
      name, [&] { convolve<Bias>(l, p.x.data(), p.w.data(), p.bias.data(), p.n, p.plain_y.data()); },
      [&] {
        return function(&p.none, &params, &p.tensor, &rows, p.x.data(), &depth, p.w.data(), &p.bias_dims, p.bias.data(), &out,
                        p.y.data());
      });
}

void all() {
  const layer vector{1, 1, 256, 1, 1, 256, 1, 1, 0};
  const layer matrix{1, 16, 256, 1, 16, 256, 1, 1, 0};
  const layer image{16, 16, 16, 16, 16, 32, 3, 1, 1};
  const layer pixels{16, 16, 64, 16, 16, 64, 1, 1, 0};
  const layer channels{16, 16, 64, 16, 16, 64, 3, 1, 1};
  const layer upwards{8, 8, 16, 16, 16, 16, 3, 2, 1};
  linear<int8_t, int32_t>("linear s8 1x256x256", vector, arm_fully_connected_s8);
  linear<int8_t, int32_t>("linear s8 16x256x256", matrix, arm_fully_connected_s8);
  linear<int16_t, int64_t>("linear s16 1x256x256", vector, arm_fully_connected_s16);
  linear<int16_t, int64_t>("linear s16 16x256x256", matrix, arm_fully_connected_s16);
  for (const layer& l : {vector, matrix}) {
    problem<int8_t, int8_t, int32_t> p(l, l.c * l.out_c / 2);
    const auto params = p.fc();
    const cmsis_nn_dims rows{l.w, 1, 1, l.c}, depth{l.c, 1, 1, l.out_c}, out{l.w, 1, 1, l.out_c};
    p.compare(
        l.w == 1 ? "linear s4 1x256x256" : "linear s4 16x256x256",
        [&] { convolve<int32_t>(l, p.x.data(), nibbles{p.w.data()}, p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_fully_connected_s4(&p.none, &params, &p.tensor, &rows, p.x.data(), &depth, p.w.data(), &p.bias_dims,
                                        p.bias.data(), &out, p.y.data());
        });
  }
  for (const layer& l : {image, pixels}) {
    problem<int8_t, int8_t, int32_t> p(l, l.kernel * l.kernel * l.c * l.out_c);
    const auto params = p.conv();
    p.compare(
        l.kernel == 1 ? "conv s8 1x1 16x16x64->64" : "conv s8 3x3 16x16x16->32",
        [&] { convolve<int32_t>(l, p.x.data(), p.w.data(), p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_convolve_wrapper_s8(&p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(), &p.bias_dims,
                                         p.bias.data(), &p.out, p.y.data());
        });
  }
  {
    problem<int8_t, int8_t, int32_t> p(image, 9 * 16 * 32 / 2);
    const auto params = p.conv();
    p.compare(
        "conv s4 3x3 16x16x16->32",
        [&] { convolve<int32_t>(image, p.x.data(), nibbles{p.w.data()}, p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_convolve_wrapper_s4(&p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(), &p.bias_dims,
                                         p.bias.data(), &p.out, p.y.data());
        });
  }
  {
    problem<int16_t, int8_t, int64_t> p(image, 9 * 16 * 32);
    const auto params = p.conv();
    const cmsis_nn_bias_data bias{p.bias.data(), false};
    p.compare(
        "conv s16 3x3 16x16x16->32",
        [&] { convolve<int64_t>(image, p.x.data(), p.w.data(), p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_convolve_wrapper_s16(&p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(), &p.bias_dims,
                                          &bias, &p.out, p.y.data());
        });
  }
  {
    problem<int8_t, int8_t, int32_t> p(channels, 9 * 64);
    const auto params = p.dw();
    p.compare(
        "depthwise s8 3x3 16x16x64",
        [&] { depthwise<int32_t>(channels, p.x.data(), p.w.data(), p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_depthwise_conv_wrapper_s8(&p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(), &p.bias_dims,
                                               p.bias.data(), &p.out, p.y.data());
        });
  }
  {
    problem<int8_t, int8_t, int32_t> p(channels, 9 * 64 / 2);
    const auto params = p.dw();
    p.compare(
        "depthwise s4 3x3 16x16x64",
        [&] { depthwise<int32_t>(channels, p.x.data(), nibbles{p.w.data()}, p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_depthwise_conv_wrapper_s4(&p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(), &p.bias_dims,
                                               p.bias.data(), &p.out, p.y.data());
        });
  }
  {
    problem<int16_t, int8_t, int64_t> p(channels, 9 * 64);
    const auto params = p.dw();
    p.compare(
        "depthwise s16 3x3 16x16x64",
        [&] { depthwise<int64_t>(channels, p.x.data(), p.w.data(), p.bias.data(), p.n, p.plain_y.data()); },
        [&] {
          return arm_depthwise_conv_wrapper_s16(&p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(),
                                                &p.bias_dims, p.bias.data(), &p.out, p.y.data());
        });
  }
  {
    problem<int8_t, int8_t, int32_t> p(upwards, 9 * 16 * 16);
    const auto params = p.transposed();
    p.compare(
        "transposed s8 3x3 8x8x16->16",
        [&] { transpose(upwards, p.x.data(), p.w.data(), p.bias.data(), p.n, p.sums.data(), p.plain_y.data()); },
        [&] {
          return arm_transpose_conv_s8(&p.none, &p.none, &params, &p.quant, &p.in, p.x.data(), &p.filter, p.w.data(),
                                       &p.bias_dims, p.bias.data(), &p.out, p.y.data());
        });
  }
  {
    const layer l{1, 64, 64, 1, 64, 64, 1, 1, 0};
    const cmsis_nn_dims d{1, 1, 64, 64};
    problem<int8_t, int8_t, int32_t> p(l, 64 * 64);
    const cmsis_nn_bmm_params params{false, false, p.fc()};
    p.compare(
        "matmul s8 64x64x64",
        [&] { convolve<int32_t>(l, p.x.data(), p.w.data(), static_cast<int32_t*>(nullptr), p.n, p.plain_y.data()); },
        [&] { return arm_batch_matmul_s8(&p.none, &params, &p.tensor, &d, p.x.data(), &d, p.w.data(), &d, p.y.data()); });
    problem<int16_t, int16_t, int64_t> wide(l, 64 * 64);
    const cmsis_nn_bmm_params wide_params{false, false, wide.fc()};
    wide.compare(
        "matmul s16 64x64x64",
        [&] { convolve<int64_t>(l, wide.x.data(), wide.w.data(), static_cast<int64_t*>(nullptr), wide.n, wide.plain_y.data()); },
        [&] {
          return arm_batch_matmul_s16(&wide.none, &wide_params, &wide.tensor, &d, wide.x.data(), &d, wide.w.data(), &d,
                                      wide.y.data());
        });
  }
}

}  // namespace

int main() { all(); }

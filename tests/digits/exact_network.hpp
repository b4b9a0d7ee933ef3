#pragma once
/// \file
/// Quantized layers from their definition: each output is the real result rounded once, ties up. They use no fold, no fixed-point
/// multiplier and no other code of dyadic. Needs 128-bit integers.

#include <cstdint>
#include <cstdlib>

#include "../oracle/exact_real.hpp"
#include "../oracle/layers.hpp"
#include "network.hpp"

namespace digits {

/// Returns acc * x_scale * w_scale / y_scale, a rational number, rounded once with ties up. Requires: the scales are floats.
inline std::int64_t exactly_rounded(std::int64_t acc, double x_scale, double w_scale, double y_scale) {
  const auto exact = [](double scale) { return oracle::from_float(static_cast<float>(scale)); };
  const oracle::real x_w = oracle::product(exact(x_scale), exact(w_scale));
  const oracle::real y = exact(y_scale);
  oracle::wide numerator = acc * static_cast<oracle::wide>(x_w.significand);
  auto denominator = static_cast<oracle::wide>(y.significand);
  const int exponent = x_w.exponent - y.exponent;
  (exponent < 0 ? denominator : numerator) *= oracle::wide{1} << std::abs(exponent);
  const oracle::wide doubled = 2 * numerator + denominator;
  const oracle::wide quotient = doubled / (2 * denominator);
  return static_cast<std::int64_t>(quotient - (doubled % (2 * denominator) < 0 ? 1 : 0));
}

/// Returns weight i of a flat array. A byte holds two 4-bit weights, the first weight in the low half.
inline int weight_at(const std::int8_t* weights, std::ptrdiff_t i) { return weights[i]; }
inline int weight_at(const std::uint8_t* bytes, std::ptrdiff_t i) {
  const int nibble = bytes[i / 2] / (i % 2 == 0 ? 1 : 16) % 16;
  return nibble < 8 ? nibble : nibble - 16;
}

/// Returns the shape of a layer, padded so that there are ceil(size / stride) windows. If the number of padding elements is odd,
/// one more is added after the image than before it.
template <class Op>
oracle::layer shape_of(dyadic::zero_points zero) {
  oracle::layer l;
  l.h = l.w = Op::side;
  l.c = Op::depth;
  l.out_h = l.out_w = (Op::side + Op::stride - 1) / Op::stride;
  l.out_c = Op::channels;
  const oracle::size overhang = (l.out_h - 1) * Op::stride + Op::kernel - Op::side;
  l.x.kernel = Op::kernel;
  l.x.stride = Op::stride;
  l.x.before = overhang > 0 ? overhang / 2 : 0;
  l.x.after = overhang > 0 ? overhang - l.x.before : 0;
  l.y = l.x;
  l.zero_x = zero.x;
  l.zero_w = zero.w;
  return l;
}

template <class Data, class X>
auto exact_outputs(const Data& data, const X& x) {
  using op = typename Data::op;
  const auto activation = [&x](auto, auto row, auto column, auto i) {
    return x.data()[(row * op::side + column) * op::depth + i];
  };
  const auto weight = [&data](auto o, auto ky, auto kx, auto i) {
    const std::ptrdiff_t tap = ky * op::kernel + kx;
    const std::ptrdiff_t taps = op::kernel * op::kernel;
    return weight_at(data.weights.data(), op::is_depthwise ? tap * op::channels + o : (o * taps + tap) * op::depth + i);
  };
  const auto bias = [&data](auto o) { return std::int64_t{data.bias[o]}; };
  const auto kind = op::is_depthwise ? oracle::op::depthwise : oracle::op::conv2d;

  std::array<typename Data::activation, op::outputs> y{};
  auto* next = y.data();
  for (const std::int64_t acc : oracle::accumulators(kind, shape_of<op>(data.zero), activation, weight, bias)) {
    const auto o = (next - y.data()) % op::channels;
    const std::int64_t value = exactly_rounded(acc, data.x_scale, data.w_scale(o), data.y_scale) + data.range.zero_point;
    *next++ = static_cast<typename Data::activation>(oracle::clamp(value, data.range.min, data.range.max));
  }
  return y;
}

/// Calls use(exact outputs, outputs of the prepared layer) for each layer. Each layer reads the exact outputs of the layer
/// before, and the first layer reads x. Returns the last exact outputs.
template <std::size_t First = 0, class Data, class Layers, class X, class Use>
auto compare_with_exact(const Data& data, const Layers& layers, const X& x, const Use& use) {
  if constexpr (First == std::tuple_size_v<Data>) {
    return x;
  } else {
    const auto exact = exact_outputs(std::get<First>(data), x);
    use(exact, std::get<First>(layers)(x));
    return compare_with_exact<First + 1>(data, layers, exact, use);
  }
}

/// Returns the quantized pixels of an image.
template <class Format>
auto exact_pixels(const std::uint8_t* image) {
  const auto& first = std::get<0>(Format::layers);
  std::array<typename Format::activation, pixel_count> x{};
  for (auto& value : x) {
    const double stored = static_cast<double>(*image++) / first.x_scale + 0.5;
    value = static_cast<typename Format::activation>(static_cast<std::int32_t>(stored) + first.zero.x);
  }
  return x;
}

}  // namespace digits

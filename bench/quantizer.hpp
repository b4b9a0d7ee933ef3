#pragma once
/// \file
/// Networks and layers in float, and the quantizer that converts them to any format.

#include "digits/exact_network.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace bench {

namespace q = dyadic;

using digits::float_layer;
using digits::index_t;
using digits::quantized_layer;

// The networks and layers that are quantized.

struct real_range {
  double low = 0;
  double high = 0;

  template <class Values>
  void include(const Values& values) {
    for (const float v : values) {
      low = std::min<double>(low, v);
      high = std::max<double>(high, v);
    }
  }
};

/// Layers in float, their inputs, and for digits the expected labels.
template <class Op, class... Ops>
struct real_network {
  std::string name;
  std::tuple<float_layer<Op>, float_layer<Ops>...> layers;
  std::vector<std::array<float, Op::inputs>> inputs;
  real_range input_range;
  const std::uint8_t* labels = nullptr;
  std::vector<float> parameters{};  ///< weights and biases of the layers, if nothing else owns them
};

template <class Network, class... Ops>
real_network<Ops...> digits_network(const char* name, const std::tuple<float_layer<Ops>...>& layers, bool smoke) {
  real_network<Ops...> net{name, layers, {}, {0, digits::pixel_max}, digits::labels};
  for (int i = 0; i < (smoke ? 20 : digits::image_count); ++i) net.inputs.push_back(Network::pixels(digits::image(i)));
  return net;
}

/// Returns the sum of 12 uniform numbers, minus 6. It is nearly Gaussian with variance 1, and the same on every machine.
inline float gaussian(support::random_bits& random) {
  float sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<float>(random() >> 40) * 0x1p-24f;
  return sum;
}

/// Returns a layer with Gaussian inputs, and with weights such that outputs have the variance of the inputs.
template <class Op>
real_network<Op> random_layer(const char* name, int inputs) {
  constexpr index_t weights = Op::rows * Op::cols;
  constexpr index_t terms = weights / Op::channels;
  support::random_bits random;
  real_network<Op> net{name, {}, std::vector<std::array<float, Op::inputs>>(static_cast<std::size_t>(inputs)), {}};
  for (auto& x : net.inputs) {
    for (float& value : x) value = gaussian(random);
    net.input_range.include(x);
  }
  for (index_t i = 0; i < weights; ++i) net.parameters.push_back(gaussian(random) / std::sqrt(static_cast<float>(terms)));
  for (index_t o = 0; o < Op::channels; ++o) net.parameters.push_back(gaussian(random) / 8);
  const float* const w = net.parameters.data();
  real_range y_range;
  float_layer<Op>& layer = std::get<0>(net.layers);
  layer = {w, w + weights, false, 0, 0};
  for (const auto& x : net.inputs) y_range.include(layer(x));
  layer.y_low = static_cast<float>(y_range.low);
  layer.y_high = static_cast<float>(y_range.high);
  return net;
}

// The quantizer.

/// real = scale * (stored - zero).
struct affine {
  double scale;
  std::int32_t zero;

  /// Returns the nearest value of T, ties up.
  template <class T>
  T stored(float real) const {
    const double nearest = std::floor(real / scale + 0.5) + zero;
    return static_cast<T>(std::clamp<double>(nearest, q::limits<T>::min, q::limits<T>::max));
  }
  double real(std::int32_t stored) const { return scale * (stored - zero); }
};

/// Rounds to binary32, because scales are floats.
inline double fp32(double x) { return static_cast<float>(x); }

template <class Activation>
affine affine_for(real_range r) {
  if constexpr (sizeof(Activation) == 2) {
    return {fp32(std::max(-r.low, r.high) / 32767), 0};
  } else {
    const double scale = fp32((r.high - r.low) / 255);
    return {scale, static_cast<std::int32_t>(std::floor(-128 - r.low / scale + 0.5))};
  }
}

inline void append(std::vector<std::int8_t>& weights, index_t, int w) { weights.push_back(static_cast<std::int8_t>(w)); }
/// Packs two weights into a byte, the first into the low 4 bits.
inline void append(std::vector<std::uint8_t>& bytes, index_t i, int w) {
  if (i % 2 == 0) bytes.push_back(0);
  bytes.back() = static_cast<std::uint8_t>(bytes.back() | (w & 15) << (i % 2 == 0 ? 0 : 4));
}

/// Owns the data of a quantized layer.
template <class Op, class Activation, class Weight>
struct storage {
  std::vector<std::remove_const_t<std::remove_pointer_t<decltype(q::matrix_view<const Weight>{}.data())>>> weights;
  std::vector<std::int64_t> bias;
  std::vector<double> w_scales;
  affine x;
  affine y;
  q::output_range range;

  storage(const float_layer<Op>& real, affine x_affine, affine y_affine) : x{x_affine}, y{y_affine} {
    constexpr index_t count = Op::rows * Op::cols;
    constexpr int most = q::operand<Weight>::max;  // 127 or 7
    const auto channel = [](index_t i) { return static_cast<std::size_t>(Op::is_depthwise ? i % Op::cols : i / Op::cols); };
    std::vector<float> largest(Op::channels);
    for (index_t i = 0; i < count; ++i) largest[channel(i)] = std::max(largest[channel(i)], std::abs(real.weights[i]));
    for (const float w : largest) w_scales.push_back(fp32(double{w} / most));
    for (index_t i = 0; i < count; ++i) {
      const double w = std::floor(real.weights[i] / w_scales[channel(i)] + 0.5);
      append(weights, i, static_cast<int>(std::clamp<double>(w, -most, most)));
    }
    for (std::size_t o = 0; o < w_scales.size(); ++o)
      bias.push_back(static_cast<std::int64_t>(std::floor(real.bias[o] / (x.scale * w_scales[o]) + 0.5)));
    const std::int32_t lowest = sizeof(Activation) == 2 ? -32767 : -128;
    range = {y.zero, real.relu ? y.zero : lowest, q::limits<Activation>::max};
  }
  quantized_layer<Op, Activation, Weight, std::int64_t> data() const {
    return {{weights.data(), Op::rows, Op::cols}, bias, {x.zero, 0}, x.scale, w_scales, y.scale, range};
  }
};

/// Quantizes a network. affines[i] belongs to the input of layer i, affines[i + 1] to its output.
template <class Activation, class Weight, class... Ops, std::size_t... I>
auto quantize(const real_network<Ops...>& net, const std::vector<affine>& affines, std::index_sequence<I...>) {
  return std::tuple(storage<Ops, Activation, Weight>(std::get<I>(net.layers), affines[I], affines[I + 1])...);
}

}  // namespace bench

#pragma once
/// \file
/// The digits network from its definition: each output is the real result rounded once, ties up. No fold, no fixed-point
/// multiplier or any other help of dyadic. Needs 128-bit integers.

#include <array>
#include <cstdint>
#include <cstdlib>

#include "../oracle/exact_real.hpp"
#include "../oracle/linear.hpp"
#include "network.hpp"

namespace digits {

/// acc * x_scale * w_scale / y_scale as a rational number, rounded once, ties up.
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

template <std::size_t channels, class Activation, std::size_t depth, class Bias>
std::array<Activation, channels> exact_layer(const quantized_layer<Bias>& layer, const std::array<Activation, depth>& x) {
  std::array<Activation, channels> y{};
  dyadic::index_t o = 0;
  for (Activation& output : y) {
    const std::int64_t acc = oracle::linear_accumulator(x.data(), layer.weights.row(o), static_cast<std::ptrdiff_t>(depth),
                                                        layer.zero.x, layer.zero.w, layer.bias[o]);
    const double w_scale = layer.w_scale[layer.w_scale.size() == 1 ? 0 : o];
    const std::int64_t value = exactly_rounded(acc, layer.x_scale, w_scale, layer.y_scale) + layer.range.zero_point;
    output = static_cast<Activation>(oracle::clamp(value, layer.range.min, layer.range.max));
    ++o;
  }
  return y;
}

/// What the network should give for one image; each layer sees the exact input.
template <class Format>
struct exact_network {
  using activation = typename Format::activation;

  std::array<activation, pixel_count> pixels{};
  std::array<activation, hidden_count> hidden{};
  std::array<activation, class_count> logits{};

  explicit exact_network(const std::uint8_t* image) {
    for (activation& x : pixels) {
      const double stored = static_cast<double>(*image++) / Format::first.x_scale + 0.5;
      x = static_cast<activation>(static_cast<std::int32_t>(stored) + Format::first.zero.x);
    }
    hidden = exact_layer<hidden_count>(Format::first, pixels);
    logits = exact_layer<class_count>(Format::second, hidden);
  }
};

}  // namespace digits

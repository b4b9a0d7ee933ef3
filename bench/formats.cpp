// dyadic_formats [--smoke]: what a number format costs in accuracy, in distance from the exact result and in bytes.
//
// Each network, and each layer alone, is quantized from float in every format by the same rules: weights symmetric per channel,
// activations symmetric in 16 bits and with a zero point in 8. The preparation computes in double, the layers in integers.

#include "digits/exact_network.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace q = dyadic;

namespace {

using digits::float_layer;
using digits::index_t;
using digits::quantized_layer;

// What is quantized.

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

/// Layers in float, what they read, and for digits what they should find.
template <class Op, class... Ops>
struct real_network {
  std::string name;
  std::tuple<float_layer<Op>, float_layer<Ops>...> layers;
  std::vector<std::array<float, Op::inputs>> inputs;
  real_range input_range;
  const std::uint8_t* labels = nullptr;
  std::vector<float> parameters{};  ///< where the layers look, if nothing else owns them
};

template <class Network, class... Ops>
real_network<Ops...> digits_network(const char* name, const std::tuple<float_layer<Ops>...>& layers, bool smoke) {
  real_network<Ops...> net{name, layers, {}, {0, digits::pixel_max}, digits::labels};
  for (int i = 0; i < (smoke ? 20 : digits::image_count); ++i) net.inputs.push_back(Network::pixels(digits::image(i)));
  return net;
}

/// The sum of 12 uniform numbers, less 6: nearly Gaussian with variance 1, the same on every machine.
float gaussian(support::random_bits& random) {
  float sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<float>(random() >> 40) * 0x1p-24f;
  return sum;
}

/// A layer with Gaussian inputs, and weights such that outputs have the variance of inputs.
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

  /// The nearest value of T, ties up.
  template <class T>
  T stored(float real) const {
    const double nearest = std::floor(real / scale + 0.5) + zero;
    return static_cast<T>(std::clamp<double>(nearest, q::limits<T>::min, q::limits<T>::max));
  }
  double real(std::int32_t stored) const { return scale * (stored - zero); }
};

/// Scales are floats.
double fp32(double x) { return static_cast<float>(x); }

template <class Activation>
affine affine_for(real_range r) {
  if constexpr (sizeof(Activation) == 2) {
    return {fp32(std::max(-r.low, r.high) / 32767), 0};
  } else {
    const double scale = fp32((r.high - r.low) / 255);
    return {scale, static_cast<std::int32_t>(std::floor(-128 - r.low / scale + 0.5))};
  }
}

void append(std::vector<std::int8_t>& weights, index_t, int w) { weights.push_back(static_cast<std::int8_t>(w)); }
/// Two to a byte, the low one first.
void append(std::vector<std::uint8_t>& bytes, index_t i, int w) {
  if (i % 2 == 0) bytes.push_back(0);
  bytes.back() = static_cast<std::uint8_t>(bytes.back() | (w & 15) << (i % 2 == 0 ? 0 : 4));
}

/// What a quantized layer looks at.
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

/// affines[i] is that of the input of layer i, affines[i + 1] that of its output.
template <class Activation, class Weight, class... Ops, std::size_t... I>
auto quantize(const real_network<Ops...>& net, const std::vector<affine>& affines, std::index_sequence<I...>) {
  return std::tuple(storage<Ops, Activation, Weight>(std::get<I>(net.layers), affines[I], affines[I + 1])...);
}

// The measurement.

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  std::fprintf(stderr, "dyadic_formats: %s: %s\n", name.c_str(), what.c_str());
  std::exit(1);
}

struct figures {
  int inputs = 0;
  int correct = 0;
  int outputs = 0;
  int different = 0;
  int worst = 0;
  double squared_error = 0;
  double squared_outputs = 0;
  std::size_t weight_bytes = 0;
  int accumulator_bits = 0;
};

/// The width of the narrowest signed integer that holds the range.
int bits_of(q::accumulator_range r) {
  int bits = 1;
  while (r.lowest < -(std::int64_t{1} << (bits - 1)) || r.highest > (std::int64_t{1} << (bits - 1)) - 1) ++bits;
  return bits;
}

template <class Activation, class Weight, class Scheme, class... Ops>
figures measure(const real_network<Ops...>& net) {
  std::vector<affine> affines{affine_for<Activation>(net.input_range)};
  std::apply(
      [&](const auto&... real) {
        (affines.push_back(affine_for<Activation>({real.y_low, real.y_high})), ...);
      },
      net.layers);
  const auto stored = quantize<Activation, Weight>(net, affines, std::index_sequence_for<Ops...>{});
  const auto data = std::apply([](const auto&... s) { return std::tuple(s.data()...); }, stored);
  const digits::chain<std::remove_const_t<decltype(data)>, Scheme> chain{data};
  if (chain.status() != q::status::ok) fail(net.name, to_string(chain.status()));

  figures f;
  std::apply([&](const auto&... s) { f.weight_bytes = (s.weights.size() + ...); }, stored);
  std::apply([&](const auto&... l) { f.accumulator_bits = std::max({bits_of(l.bound())...}); }, chain.layers);
  for (const auto& real : net.inputs) {
    std::array<Activation, std::tuple_size_v<std::decay_t<decltype(real)>>> x{};
    std::transform(real.begin(), real.end(), x.begin(), [&](float v) { return affines.front().stored<Activation>(v); });
    digits::compare_with_exact(data, chain.layers, x, [&f](const auto& exact, const auto& y) {
      for (std::size_t i = 0; i < y.size(); ++i) {
        const int distance = std::abs(exact[i] - y[i]);
        f.different += distance != 0 ? 1 : 0;
        f.worst = std::max(f.worst, distance);
      }
      f.outputs += static_cast<int>(y.size());
    });
    const auto y = chain(x);
    const auto expected = digits::run_chain(net.layers, real);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double error = affines.back().real(y[i]) - expected[i];
      f.squared_error += error * error;
      f.squared_outputs += double{expected[i]} * expected[i];
    }
    if constexpr (std::tuple_size_v<decltype(y)> == digits::class_count)
      if (net.labels != nullptr) f.correct += digits::largest(y) == net.labels[f.inputs] ? 1 : 0;
    ++f.inputs;
  }
  if (f.worst > 1) fail(net.name, "an output is " + std::to_string(f.worst) + " away from the exactly rounded one");
  return f;
}

// The table.

constexpr int columns = 9;

void print_row(const std::array<std::string, columns>& cells) {
  constexpr std::array<int, columns> widths{-26, -6, -23, 10, 11, 5, 7, 12, 16};  // negative: aligned to the left
  for (std::size_t i = 0; i < columns; ++i) std::printf("%*s%s", widths[i], cells[i].c_str(), i + 1 < columns ? "  " : "\n");
}

std::string fixed(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", x);
  return text;
}

template <class... Ops>
std::string accuracy(const real_network<Ops...>& net, int correct) {
  return net.labels != nullptr ? fixed(100.0 * correct / static_cast<double>(net.inputs.size())) : "-";
}

template <class... Ops>
void print_float(const real_network<Ops...>& net) {
  int correct = 0;
  if (net.labels != nullptr)
    for (std::size_t i = 0; i < net.inputs.size(); ++i) {
      const auto y = digits::run_chain(net.layers, net.inputs[i]);
      correct += std::max_element(y.begin(), y.end()) - y.begin() == net.labels[i] ? 1 : 0;
    }
  const std::size_t bytes = sizeof(float) * (static_cast<std::size_t>(Ops::rows * Ops::cols) + ...);
  print_row({net.name, "float", "-", accuracy(net, correct), "-", "-", "-", std::to_string(bytes), "-"});
}

template <class Activation, class Weight, class Scheme, class... Ops>
void print_format(const real_network<Ops...>& net, const char* format, const char* scheme) {
  const figures f = measure<Activation, Weight, Scheme>(net);
  print_row({net.name, format, scheme, accuracy(net, f.correct), fixed(100.0 * f.different / f.outputs), std::to_string(f.worst),
             fixed(100 * std::sqrt(f.squared_error / f.squared_outputs)), std::to_string(f.weight_bytes),
             std::to_string(f.accumulator_bits)});
}

template <class... Ops>
void print_formats(const real_network<Ops...>& net) {
  print_float(net);
  print_format<std::int8_t, std::int8_t, q::tflite::double_rounding>(net, "a8w8", "tflite::double_rounding");
  print_format<std::int16_t, std::int8_t, q::tosa::scale16>(net, "a16w8", "tosa::scale16, 15 bits");
  print_format<std::int16_t, std::int8_t, q::exact::half_up>(net, "a16w8", "exact::half_up, 31 bits");
  print_format<std::int16_t, q::int4, q::exact::half_up>(net, "a16w4", "exact::half_up, 31 bits");
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc == 2 && std::strcmp(argv[1], "--smoke") == 0;
  if (argc > 1 && !smoke) {
    std::fprintf(stderr, "usage: dyadic_formats [--smoke]\n");
    return 2;
  }
  std::printf("Number formats, quantized from float by one rule\n\n");
  print_row({"network or layer", "format", "scheme, its multiplier", "accuracy %", "off exact %", "worst", "error %",
             "weight bytes", "accumulator bits"});
  print_formats(digits_network<digits::linear_float>("digits, linear", digits::linear_float::layers, smoke));
  print_formats(digits_network<digits::convolutional_float>("digits, convolutional", digits::convolutional_float::layers, smoke));
  print_formats(random_layer<digits::linear_op<1024, 1024>>("linear 1024 -> 1024", smoke ? 1 : 16));
  print_formats(random_layer<digits::linear_op<4096, 1024>>("linear 4096 -> 1024", smoke ? 1 : 16));
  print_formats(random_layer<digits::conv2d_op<14, 64, 64, 3>>("conv 3x3 64 -> 64, 14x14", 1));
  print_formats(random_layer<digits::conv2d_op<14, 64, 128, 1>>("conv 1x1 64 -> 128, 14x14", 1));
  print_formats(random_layer<digits::depthwise_op<14, 128, 3>>("depthwise 3x3 128, 14x14", 1));
  std::printf(
      "accuracy: of %d handwritten digits that the network was not trained on.\n"
      "off exact: outputs of all layers that differ from acc * x_scale * w_scale / y_scale rounded once, ties up, computed in\n"
      "128-bit integers from the definition of the layer; worst: by how many steps. All layers see exact inputs.\n"
      "error: of the last outputs against the same layers in float, root mean square over root mean square.\n"
      "accumulator bits: what no input can overflow, from these weights and this bias.\n"
      "aNwM: activations of N bits, weights of M bits, int4 two to a byte. Weights symmetric per channel; int8 activations have\n"
      "a zero point, int16 ones are symmetric. Layers alone: weights and inputs nearly Gaussian, scales from their ranges.\n",
      smoke ? 20 : digits::image_count);
  return 0;
}

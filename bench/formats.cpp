// dyadic_formats [--smoke]: the accuracy, the distance from the exact result and the bytes of each number format.
//
// Each network and each single layer is quantized from float in every format by the same rules. Weights are symmetric per
// channel. Activations of 16 bits are symmetric, activations of 8 bits have a zero point. The preparation computes in double, the
// layers compute in integers.

#include "quantizer.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {
namespace {

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

/// Returns the width of the narrowest signed integer that holds the range.
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
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
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

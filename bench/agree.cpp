// dyadic_agree [--smoke] [--json=FILE]: compares the outputs of engines on layers. Decides which engines agree for every input,
// counts how often the others differ, and prints the smallest input that shows a difference.
//
// Each engine rounds by its own rule and derives its own multiplier from the same real scales. The layers are those of the digits
// networks, and random layers of real shapes.

#include <dyadic/schemes.hpp>
#include <dyadic/witness.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "digits/network.hpp"
#include "dot_orders.hpp"

namespace bench {
namespace {

namespace q = dyadic;

void require(q::status s, const std::string& what) {
  if (s == q::status::ok) return;
  std::fprintf(stderr, "dyadic_agree: %s: %s\n", what.c_str(), q::to_string(s));
  std::exit(1);
}

template <class Activation>
using accumulator_for = std::conditional_t<sizeof(Activation) == 1, std::int32_t, std::int64_t>;

/// A layer: a row of weights and a bias for each output channel, the scales, and the range of outputs.
template <class Activation>
struct layer_data {
  std::string name;
  q::index_t channels, depth;
  q::zero_points zero;
  std::vector<std::int8_t> weights;
  std::vector<std::int64_t> bias;
  double x_scale, y_scale;
  std::vector<double> w_scale;
  q::output_range range;
};

/// The rule of one channel in any engine. It adds the bias to the accumulator.
template <class Activation>
struct engine_rule {
  using value_type = Activation;
  using accumulator = accumulator_for<Activation>;
  static constexpr bool is_monotone = true;
  std::function<std::int64_t(std::int64_t)> y;
  bool valid() const { return y != nullptr; }
  static bool valid(std::int64_t acc) { return q::fits<accumulator>(acc); }
  value_type operator()(std::int64_t acc) const { return static_cast<value_type>(y(acc)); }
};

template <class Activation>
struct engine {
  std::string name;
  /// Returns the rule of a channel.
  std::function<engine_rule<Activation>(const layer_data<Activation>&, std::size_t)> rule;
};

/// Returns the engine of a scheme, with the multiplier that the scheme's publisher derives from a scale.
template <class Activation, class Scale>
engine<Activation> engine_of(const std::string& name, const char* scheme_name, Scale scale_of) {
  const auto scheme = q::scheme_by_name(scheme_name);
  require(scheme.status, scheme_name);
  return {name, [=](const layer_data<Activation>& d, std::size_t c) {
            const auto rule = scheme.value.derive(scale_of(d, c));
            require(rule.status, name);
            const std::int64_t bias = d.bias[c];
            return engine_rule<Activation>{
                [=, rule = rule.value, range = d.range](std::int64_t acc) { return rule(acc + bias, range); }};
          }};
}

/// Returns the engines. Engines that agree on all layers are neighbours.
template <class Activation>
std::vector<engine<Activation>> engines() {
  const auto exact_scale = [](const auto& d, std::size_t c) {
    return q::double_product_scale(d.x_scale, d.w_scale[c], d.y_scale);
  };
  const auto with = [&](const char* name, const char* scheme) { return engine_of<Activation>(name, scheme, exact_scale); };
  if constexpr (sizeof(Activation) == 1) {
    const auto float_scale = [](const auto& d, std::size_t c) {
      return q::float_product_scale(static_cast<float>(d.x_scale), static_cast<float>(d.w_scale[c]),
                                    static_cast<float>(d.y_scale));
    };
    return {with("TFLite, TFLite Micro, CMSIS-NN", "tflite::double_rounding"),
            with("TOSA, double rounding", "tosa::scale32_double_round"),
            engine_of<Activation>("TFLite, scale of a tensor in binary32", "tflite::double_rounding", float_scale),
            with("LiteRT on NEON, ruy on x86", "tflite::neon_double_rounding"),
            with("TFLite, CMSIS-NN: single rounding", "tflite::single_rounding"),
            with("TOSA, ExecuTorch Arm", "tosa::scale32"),
            with("LiteRT FULLY_CONNECTED", "tflite::double_scale<int32>"),
            with("the rounded real product", "exact::half_up"),
            with("XNNPACK rndnu on NEON", "xnnpack::rndnu_neon"),
            with("XNNPACK, PyTorch, ONNX Runtime", "xnnpack::fp32"),
            with("oneDNN", "onednn::f32")};
  } else {
    const auto decomposed = [=](const layer_data<Activation>& d, std::size_t c) {
      const auto rule = q::decomposed::clipped_to_int32::derive(
          static_cast<std::int32_t>(d.bias[c]), q::multiply(q::binary64{d.x_scale}, q::binary64{d.w_scale[c]}), d.y_scale);
      require(rule.status, "decomposed");
      return engine_rule<Activation>{
          [rule = rule.value, range = d.range](std::int64_t acc) { return q::clamp(rule(acc), range.min, range.max); }};
    };
    return {with("TOSA, ExecuTorch Arm", "tosa::scale16"),      with("TFLite, TFLite Micro", "tflite::reduced_int64"),
            with("CMSIS-NN", "cmsis_nn::requantize_s64"),       {"ExecuTorch Arm, bias after int32", decomposed},
            with("the rounded real product", "exact::half_up"), with("LiteRT FULLY_CONNECTED", "tflite::double_scale<int64>")};
  }
}

template <class Activation, class Data>
layer_data<Activation> trained(const char* name, q::index_t channels, q::index_t depth) {
  const auto size = static_cast<std::size_t>(channels);
  layer_data<Activation> d{name,          channels,      depth, {Data::x_zero_point, Data::w_zero_point},      {}, {},
                           Data::x_scale, Data::y_scale, {},    {Data::y_zero_point, Data::y_min, Data::y_max}};
  d.weights.assign(Data::weights, Data::weights + size * static_cast<std::size_t>(depth));
  d.bias.assign(Data::bias, Data::bias + size);
  for (std::size_t c = 0; c < size; ++c) d.w_scale.push_back(Data::w_scale[std::size(Data::w_scale) == 1 ? 0 : c]);
  return d;
}

/// Returns a layer with random weights, scales and biases of the sizes that a converter produces.
template <class Activation>
layer_data<Activation> random(const char* name, q::index_t channels, q::index_t depth) {
  std::mt19937 bits{20240229};
  const auto real = [&] { return static_cast<double>(bits() >> 8) * 0x1p-24; };
  const bool narrow = sizeof(Activation) == 1;
  const double largest = narrow ? 127 : 32767;
  layer_data<Activation> d{name,
                           channels,
                           depth,
                           {narrow ? -11 : 0, 0},
                           {},
                           {},
                           static_cast<float>((1 + real()) / largest),
                           static_cast<float>((2 + real()) / largest),
                           {},
                           q::range_of<Activation>(narrow ? 5 : 0)};
  for (q::index_t i = 0; i < channels * depth; ++i)
    d.weights.push_back(static_cast<std::int8_t>(static_cast<int>(bits() % 255) - 127));
  for (q::index_t c = 0; c < channels; ++c) {
    d.w_scale.push_back(static_cast<float>((1 + real()) / (127 * std::sqrt(static_cast<double>(depth)))));
    d.bias.push_back(static_cast<std::int64_t>((real() - 0.5) / (d.x_scale * d.w_scale.back())));
  }
  return d;
}

template <class Activation>
std::vector<layer_data<Activation>> layers() {
  namespace net = ::digits::linear;
  std::vector<layer_data<Activation>> all;
  if constexpr (sizeof(Activation) == 1)
    all = {trained<Activation, net::a8w8::layer1>("digits 64->32", 32, 64),
           trained<Activation, net::a8w8::layer2>("digits 32->10", 10, 32)};
  else
    all = {trained<Activation, net::a16w8::layer1>("digits 64->32", 32, 64),
           trained<Activation, net::a16w8::layer2>("digits 32->10", 10, 32)};
  all.push_back(random<Activation>("depthwise 3x3x64", 64, 9));
  all.push_back(random<Activation>("conv 1x1x128->128", 128, 128));
  all.push_back(random<Activation>("conv 3x3x64->64", 64, 576));
  return all;
}

/// The accumulators, without bias, of random inputs to a layer: one for each channel for the first input, then those for the next
/// input.
template <class Activation>
std::vector<std::int64_t> accumulators_of(const layer_data<Activation>& d, int inputs) {
  std::mt19937 bits{20240229};
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> x(static_cast<std::size_t>(d.depth));
  for (int i = 0; i < inputs; ++i) {
    for (std::int64_t& value : x) value = static_cast<Activation>(bits()) - d.zero.x;
    for (auto w = d.weights.begin(); w != d.weights.end(); w += d.depth)
      all.push_back(std::inner_product(x.begin(), x.end(), w, std::int64_t{0}, std::plus<>(),
                                       [&](std::int64_t a, std::int8_t b) { return a * (b - d.zero.w); }));
  }
  return all;
}

/// Returns the outputs of an engine for the accumulators of each layer.
template <class Activation>
std::vector<Activation> outputs_of(const engine<Activation>& e, const std::vector<layer_data<Activation>>& all,
                                   const std::vector<std::vector<std::int64_t>>& accumulators) {
  std::vector<Activation> y;
  for (std::size_t l = 0; l < all.size(); ++l) {
    std::vector<engine_rule<Activation>> rules;
    for (std::size_t c = 0; c < all[l].bias.size(); ++c) rules.push_back(e.rule(all[l], c));
    for (std::size_t i = 0; i < accumulators[l].size(); ++i) y.push_back(rules[i % rules.size()](accumulators[l][i]));
  }
  return y;
}

/// The comparison of two engines on all layers.
struct pair_report {
  bool differ = false;
  std::string example;
  std::int64_t smallest = 0;
};

template <class Activation>
pair_report compare(const engine<Activation>& a, const engine<Activation>& b, const std::vector<layer_data<Activation>>& all) {
  pair_report report;
  for (const layer_data<Activation>& d : all) {
    std::vector<accumulator_for<Activation>> constants(d.bias.size());
    const q::matrix_view<const std::int8_t> weights(d.weights.data(), d.channels, d.depth);
    const auto folded = q::fold<Activation>(weights, q::no_bias{}, d.zero, constants);
    require(folded.status, d.name);
    std::vector<engine_rule<Activation>> of_a, of_b;
    for (std::size_t c = 0; c < d.bias.size(); ++c) {
      of_a.push_back(a.rule(d, c));
      of_b.push_back(b.rule(d, c));
    }
    const q::linear_layer layer{weights, folded.value, q::channel_rules_output<engine_rule<Activation>>{of_a}};
    const auto found = q::agree(layer, q::channel_rules_output<engine_rule<Activation>>{of_b});
    require(found.status, d.name + ", " + a.name + ", " + b.name);
    report.differ = report.differ || found.value.differing > 0;
    const q::channel_sample s = found.value.smallest;
    if (found.value.differing == 0 || (!report.example.empty() && std::abs(s.at.acc) >= report.smallest)) continue;
    report.smallest = std::abs(s.at.acc);
    std::vector<Activation> x(static_cast<std::size_t>(d.depth));
    const q::status w = q::find_witness(layer, s.channel, s.at.acc, x);
    const auto used = std::count_if(x.begin(), x.end(), [&](Activation value) { return value != d.zero.x; });
    report.example = d.name + ", channel " + std::to_string(s.channel) + ": " +
                     std::to_string(s.at.acc + d.bias[static_cast<std::size_t>(s.channel)]) + " gives " + std::to_string(s.at.a) +
                     " and " + std::to_string(s.at.b) + "; by an input of " +
                     (w != q::status::ok ? "no known values"
                      : used == 0        ? "zeros"
                                         : std::to_string(used) + " values and zeros");
  }
  return report;
}

/// Prints the table, and appends its figures to the figures of the picture.
template <class Activation>
void print(const char* title, bool smoke, std::string& figures) {
  const auto all = engines<Activation>();
  auto on = layers<Activation>();
  if (smoke) on.resize(2);
  std::vector<std::vector<std::int64_t>> accumulators;
  for (const auto& layer : on) accumulators.push_back(accumulators_of(layer, smoke ? 64 : 4096));
  std::vector<std::vector<Activation>> y;
  for (const auto& e : all) y.push_back(outputs_of(e, on, accumulators));
  std::printf("%s\n%40s", title, "");
  for (std::size_t i = 0; i + 1 < all.size(); ++i) std::printf("%8c", static_cast<char>('a' + i));
  std::printf("\n");
  std::vector<std::string> examples(all.size());
  std::string names, rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::printf("%c %-*s", static_cast<char>('a' + i), i == 0 ? 0 : 38, all[i].name.c_str());
    std::string row;
    for (std::size_t j = 0; j < i; ++j) {
      const pair_report r = compare(all[j], all[i], on);
      if (j == 0) examples[i] = r.example;
      const auto differing =
          std::inner_product(y[i].begin(), y[i].end(), y[j].begin(), std::ptrdiff_t{0}, std::plus<>(), std::not_equal_to<>());
      if (differing > 0 && !r.differ) require(q::status::not_monotone, "sampled outputs differ where none may");
      const std::string cell = r.differ ? in_percent(static_cast<double>(differing) / static_cast<double>(y[i].size())) : "=";
      std::printf("%8s", cell.c_str());
      row += (j == 0 ? "\"" : ", \"") + cell + "\"";
    }
    std::printf("\n");
    names += (i == 0 ? "\"" : ", \"") + all[i].name + "\"";
    rows += (i == 0 ? "[" : ", [") + row + "]";
  }
  figures += (figures.empty() ? "" : ", ") + ("{\"title\": \"" + std::string(title)) + "\", \"engines\": [" + names +
             "], \"percent\": [" + rows + "]}";
  // Engines with the same example share a line.
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string example = examples[i];
    if (example.empty()) continue;
    std::printf("a and");
    for (std::size_t other = i; other < all.size(); ++other)
      if (examples[other] == example) {
        std::printf(" %c", static_cast<char>('a' + other));
        examples[other].clear();
      }
    std::printf(": %s\n", example.c_str());
  }
  std::printf("\n");
}

}  // namespace
}  // namespace bench

int main(int count, char** arguments) {
  bool smoke = false;
  std::string file, figures;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--smoke") smoke = true;
    if (argument.rfind("--json=", 0) == 0) file = argument.substr(7);
  }
  std::printf(
      "=: the same outputs for every input of each layer. Otherwise: percent of the outputs that differ, for random inputs.\n"
      "<0.0001: some input shows a difference, but none of a million random outputs does.\n"
      "Below each table, the smallest input that shows a difference: its accumulator with the bias, and the two outputs.\n\n");
  bench::print<std::int8_t>("a8w8: int8 outputs, int32 accumulators", smoke, figures);
  bench::print<std::int16_t>("a16w8: int16 outputs, int64 accumulators", smoke, figures);
  bench::print_dot_orders(smoke, figures);
  if (file.empty()) return 0;
  std::ofstream to(file);
  to << "[" << figures << "]\n";
  return to.flush() ? 0 : 1;
}

// An inference engine on a page. It reads the description of a network, measures its arena, and prepares it with the machine's
// best backend. Then it runs the network in two threads and compares the outputs with portable code.
#include <dyadic/any_layer.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <cstdio>
#include <sstream>
#include <thread>
#include <vector>

namespace q = dyadic;

// Operator (0 linear, 1 conv2d, 2 depthwise), side of the image, depth, output channels, kernel, stride, real scale.
constexpr const char* network = "1 32 3 24 3 2 1e-3   2 16 1 24 3 1 2e-3   1 16 24 40 1 1 1e-3   0 1 10240 10 1 1 1e-4";

template <class Op>
using a16w8 = q::kind<Op, std::int16_t, std::int8_t, q::tosa::scale16>;
template <class Backend>  // the layers that this engine links
constexpr auto kinds = q::layer_kinds_of<Backend, a16w8<q::op::linear>, a16w8<q::op::conv2d>, a16w8<q::op::depthwise>>();

std::vector<std::int16_t> infer(const q::layer_kinds& engine, std::vector<std::int16_t> x,
                                const std::vector<std::int8_t>& weights) {
  std::vector<q::layer_spec> specs;
  std::vector<double> scales(100);
  q::layer_spec s;
  s.x = s.y = q::element_type::int16;
  s.w = q::element_type::int8;
  s.weights = weights.data();
  q::window1d axis;
  q::index_t side = 0;
  int op = 0;
  for (std::istringstream text(network); text >> op >> side >> s.depth >> s.channels >> axis.kernel >> axis.stride;) {
    s.op = static_cast<q::layer_op>(op);
    s.window.y = s.window.x = q::with_same_padding(side, axis);
    text >> scales[specs.size()];
    s.multipliers = q::view<const double>(&scales[specs.size()], 1);
    specs.push_back(s);
  }
  std::vector<unsigned char> arena(static_cast<std::size_t>(engine.network_bytes(specs).value));
  std::vector<q::any_layer> layers(specs.size());
  if (engine.prepare_network(specs, arena, layers) != q::status::ok) return {};
  q::any_input in(q::element_type::int16, x.data(), 1, 32, 32, 3);
  for (const q::any_layer& layer : layers) {
    if (&layer == &layers.back()) in = in.as_rows();
    std::vector<std::int16_t> y(static_cast<std::size_t>(output_of(layer, in).size()));
    const q::any_output out = output_of(layer, in, y.data());
    if (check(layer, in, out) != q::status::ok) return {};
    const auto run_half = [&](q::index_t half) { run(layer, in, out, part_of(layer, out, half, 2)); };
    std::thread other(run_half, 1);
    run_half(0);
    other.join();
    x.swap(y);
    in = out;
  }
  return x;
}

int main() {
  std::vector<std::int16_t> image(32 * 32 * 3);  // any numbers; all layers use the same weights
  std::vector<std::int8_t> weights(10240 * 10);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::int16_t>(i * 40503);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::int8_t>(i * 40503 >> 7);
  std::vector<std::int16_t> logits;
  const q::status s = q::with_best_backend([&](auto backend) {
    std::printf("%s:", decltype(backend)::name);
    logits = infer(kinds<decltype(backend)>, image, weights);
  });
  for (const int logit : logits) std::printf(" %d", logit);
  std::printf(" %s\n", q::to_string(s));
  return logits.size() == 10 && logits == infer(kinds<q::backend::scalar>, image, weights) ? 0 : 1;
}

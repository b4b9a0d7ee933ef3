// A residual network of int8 that is read from descriptions: convolution, convolution, add, global average, linear, softmax. All
// types, rules and scales are data, so that the program has no switch over them.
#include <dyadic/elementwise/add.hpp>
#include <dyadic/engine.hpp>
#include <dyadic/scheme/tflite.hpp>

#include <cstdio>
#include <vector>

namespace q = dyadic;
using q::element_type;

// The layers and rules that this engine links, for the best backend of the machine.
template <class Op>
using a8w8 = q::kind<Op, std::int8_t, std::int8_t, q::tflite::double_rounding>;
const auto layers = q::best_layer_kinds<a8w8<q::op::conv2d>, a8w8<q::op::linear>>();
const auto rules =
    q::best_operator_kinds<q::tflite::add<std::int8_t>, q::tflite::mean<std::int8_t>, q::tflite::softmax<std::int8_t>>();

struct failed {
  q::status why;
};

/// An arena that holds all constants, packed weights and rules.
struct memory {
  std::vector<unsigned char> arena = std::vector<unsigned char>(1 << 16);
  q::view<unsigned char> rest{arena};

  template <class Kinds, class Spec>
  auto prepare(const Kinds& kinds, const Spec& spec) {
    const auto bytes = kinds.bytes(spec);
    const auto made = kinds.prepare(spec, rest);
    if (made.status != q::status::ok) throw failed{made.status};
    rest = {rest.data() + bytes.value, rest.size() - bytes.value};
    return made.value;
  }
};

template <class Operator, class... Tensors>
void compute(const Operator& op, const Tensors&... tensors) {
  if (const q::status s = check(op, tensors...); !q::may_run(s)) throw failed{s};
  run(op, tensors...);
}

int main() try {
  std::vector<std::int8_t> image(8 * 8 * 16), weights(3 * 3 * 16 * 16);  // any numbers
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::int8_t>(i * 40503 >> 5);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::int8_t>(i * 40503 >> 7);
  const double scales[] = {1e-3};  // input * weight / output, one for all channels

  memory m;
  const q::window1d axis = q::with_same_padding(8, q::window1d{3});
  auto conv_spec = q::conv2d_spec<std::int8_t>(weights.data(), 16, 16, {axis, axis});
  conv_spec.multipliers = scales;
  const q::any_layer conv = m.prepare(layers, conv_spec);

  q::binary_spec add_spec;
  add_spec.type = element_type::int8;
  add_spec.a_scale = add_spec.b_scale = 0.05, add_spec.y_scale = 0.08;
  add_spec.range = q::tflite::activation_range(element_type::int8, q::tflite::activation::relu, 0.08, 0).value;
  const q::any_binary add = m.prepare(rules, add_spec);

  q::mean_spec mean_spec;
  mean_spec.type = element_type::int8;
  mean_spec.x_scale = 0.08, mean_spec.y_scale = 0.02, mean_spec.count = 8 * 8;
  const q::any_mean mean = m.prepare(rules, mean_spec);

  auto linear_spec = q::linear_spec<std::int8_t>(weights.data(), 10, 16);
  linear_spec.multipliers = scales;
  const q::any_layer linear = m.prepare(layers, linear_spec);

  q::softmax_spec softmax_spec;
  softmax_spec.x = softmax_spec.y = element_type::int8;
  softmax_spec.x_scale = 0.1;
  const q::any_softmax softmax = m.prepare(rules, softmax_spec);

  std::vector<std::int8_t> a(image.size()), b(image.size()), small(16), logits(10), shares(10);
  const auto tensor = [](std::vector<std::int8_t>& data, q::index_t side) {
    return q::any_output(element_type::int8, data.data(), 1, side, side, static_cast<q::index_t>(data.size()) / (side * side));
  };
  compute(conv, tensor(image, 8), tensor(a, 8));
  compute(conv, tensor(a, 8), tensor(b, 8));
  compute(add, tensor(image, 8), tensor(b, 8), tensor(b, 8));
  compute(mean, tensor(b, 8), tensor(small, 1));
  compute(linear, tensor(small, 1), tensor(logits, 1));
  compute(softmax, tensor(logits, 1), tensor(shares, 1));

  int sum = 0;
  for (const int share : shares) sum += share + 128;
  for (const int share : shares) std::printf("%d ", share + 128);
  std::printf("/ 256\n");
  return sum > 250 && sum < 262 ? 0 : 1;
} catch (const failed& f) {
  std::printf("%s\n", q::to_string(f.why));
  return 1;
}

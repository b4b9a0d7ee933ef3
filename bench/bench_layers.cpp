// Linear layers and convolutions on shapes of real networks.

#include "groups.hpp"
#include "problem.hpp"

namespace bench {
namespace {

template <class Problem>
void add_problem(table& t, const std::string& operation, const std::string& format, const std::string& scheme, int bits,
                 const shape& s, bool smoke) {
  const auto in = std::make_shared<contest>(smoke);
  const auto p = std::make_shared<Problem>(s);
  for (const implementation& i : backends_of(p))
    add(t, operation + "<" + i.name + ">/" + format + "/" + name_of(s), {format, scheme, i.name, name_of(s)}, in, i.contender,
        amount_of(*p, find_limit(i.name.c_str(), bits)));
}

table layers(const std::string& title, const std::string& operation, const std::string& shape_means,
             const std::vector<shape>& shapes, bool smoke) {
  table t{
      title + ", requantized, with a multiplier per channel",
      {"format", "scheme", "backend", shape_means, "GMAC/s", "x scalar", "% of limit"},
      4,
      "GMAC/s: 10^9 multiply-adds per second, requantization included; results were first compared with a plain loop.\n"
      "a16w8: int16 activations, int8 weights, int64 accumulator. a8w8: int8, int8, int32, with an input zero point.\n"
      "% of limit: of the backend's multiply-adds that stay in registers, of 16 bits for a16w8 and of 8 for a8w8, sampled in\n"
      "turn with the backends: medians of up to 21 samples, repeated where a probe found them disturbed, in processor time.",
      [](const table& all, const row& r) {
        return std::vector{rounded(r.items_per_second / 1e9), times_scalar(all, r, 2), percent_of_limit(r)};
      }};
  for (const shape& s : shapes) add_problem<problem_a16w8>(t, operation, "a16w8", "tosa::scale16", 16, s, smoke);
  for (const shape& s : shapes) add_problem<problem_a8w8>(t, operation, "a8w8", "tflite::double_rounding", 8, s, smoke);
  return t;
}

}  // namespace

table linear(bool smoke) {
  return layers("Linear: y = x * weights + bias", "linear", "rows x channels x depth", linear_shapes(), smoke);
}

table conv(bool smoke) {
  return layers("Convolution: NHWC, stride 1, padded to as many outputs", "conv", "layer and image", conv_shapes(), smoke);
}

}  // namespace bench

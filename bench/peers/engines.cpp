#include "engines.hpp"

namespace bench {

const std::vector<engine>& engines() {
  static const std::vector<engine> all{
#ifdef BENCH_HAS_GEMMLOWP
      {"gemmlowp", make_gemmlowp},
#else
      {"gemmlowp", nullptr},
#endif
#ifdef BENCH_HAS_XNNPACK
      {"XNNPACK", make_xnnpack},
#else
      {"XNNPACK", nullptr},
#endif
#ifdef BENCH_HAS_ONEDNN
      {"oneDNN", make_onednn},
#else
      {"oneDNN", nullptr},
#endif
  };
  return all;
}

peer_run xnnpack_addition([[maybe_unused]] const peer_addition& sum) {
#ifdef BENCH_HAS_XNNPACK
  return make_xnnpack_addition(sum);
#else
  return {};
#endif
}

peer_layer layer_of(problem_a8w8& p) {
  const shape& s = p.of();
  const auto size = [](index_t n) { return static_cast<std::size_t>(n); };
  const auto axis = [&](index_t inputs, index_t outputs, const dyadic::window1d& w) {
    return peer_layer::axis{size(inputs), size(outputs), size(w.kernel), size(w.pad_before), size(w.pad_after)};
  };
  const auto multiplier = p.output().multipliers[0];
  return {s.op == operation::linear   ? peer_layer::linear
          : s.op == operation::conv2d ? peer_layer::conv2d
                                      : peer_layer::depthwise,
          axis(s.height, s.rows(), s.window().y),
          axis(s.width, s.columns(), s.window().x),
          size(s.stride),
          size(s.is_depthwise() ? s.inputs : s.groups),
          size(s.inputs),
          size(s.outputs),
          p.x().data(),
          p.weights().data(),
          p.bias().data(),
          p.scales()[0],
          multiplier.mantissa,
          31 - multiplier.right_shift,
          static_cast<std::int8_t>(p.zero().x),
          static_cast<std::int8_t>(p.output().range.zero_point)};
}

int worst_distance(const std::vector<std::int8_t>& y, const std::vector<std::int8_t>& expected) {
  int worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y[i] - expected[i]));
  return worst;
}

std::string distance(const std::vector<std::int8_t>& y, const std::vector<std::int8_t>& expected) {
  std::size_t differ = 0;
  for (std::size_t i = 0; i < y.size(); ++i) if (y[i] != expected[i]) ++differ;
  if (differ == 0) return "exact";
  const int worst = worst_distance(y, expected);
  return std::to_string(differ) + " of " + std::to_string(y.size()) + " differ by " + (worst > 1 ? "up to " : "") +
         std::to_string(worst);
}

}  // namespace bench

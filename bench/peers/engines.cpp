#include "engines.hpp"

namespace bench {

peer_run spoiled(std::size_t outputs) {
  std::vector<std::int8_t> y(outputs);
  for (std::size_t i = 0; i < outputs; ++i) y[i] = i % 2 == 0 ? std::int8_t{-128} : std::int8_t{127};
  return {[](long) {}, [y] { return y; }};
}

std::vector<engine> engines(bool smoke) {
  std::vector<engine> all{
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
  if (smoke) all.push_back({"spoiled", [](const peer_layer& layer) { return spoiled(layer.pixels() * layer.outputs); }});
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

void add_peer(table& to, const std::string& name, std::vector<std::string> cells, const std::shared_ptr<contest>& in,
              const peer_run& run, const std::vector<std::int8_t>& expected, int tolerance, const amount& each) {
  run.contender(1);
  const std::vector<std::int8_t> y = run.outputs();
  if (y.size() != expected.size()) fail(name + " has another number of outputs");
  std::size_t differing = 0;
  int worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int distance = std::abs(y[i] - expected[i]);
    differing += distance > 0 ? 1 : 0;
    worst = std::max(worst, distance);
  }
  cells.push_back(differing == 0 ? "exact"
                                 : std::to_string(differing) + " of " + std::to_string(y.size()) + " differ by " +
                                       (worst > 1 ? "up to " : "") + std::to_string(worst));
  if (worst <= tolerance)
    add(to, name, std::move(cells), in, run.contender, each);
  else
    to.rows.push_back({name, std::move(cells)});
  to.rows.back().distance = worst;
  to.rows.back().is_wrong = worst > tolerance;
}

}  // namespace bench

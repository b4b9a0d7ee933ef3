#include "engines.hpp"

#include "every_backend.hpp"

#include <map>

namespace bench {
namespace {

/// The engines that are limited to the instructions of the backend that DYADIC_BACKEND names, and those that are not.
struct engine_limits {
  std::string backend = asked_backend() == "scalar" ? "sse41" : asked_backend();  ///< engines have no portable code
  std::string limited{}, unlimited{};

  engine_limits() {
    if (backend.empty()) return;
#ifdef BENCH_HAS_XNNPACK
    add("XNNPACK", limit_xnnpack(backend));
#endif
#ifdef BENCH_HAS_ONEDNN
    add("oneDNN", limit_onednn(backend));
#endif
#ifdef BENCH_HAS_GEMMLOWP
    add("gemmlowp", backend != "sse41");  // It is compiled for AVX2 if the processor has AVX2.
#endif
  }
  void add(const std::string& name, bool is_limited) {
    std::string& names = is_limited ? limited : unlimited;
    names += (names.empty() ? "" : ", ") + name;
  }
};

/// How outputs differ from those of the definition.
struct difference {
  std::size_t count = 0;  ///< outputs that differ
  int worst = 0;          ///< the largest distance
};
difference difference_of(const std::vector<std::int8_t>& y, const std::vector<std::int8_t>& expected) {
  difference found;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int distance = std::abs(y[i] - expected[i]);
    found.count += distance > 0 ? 1 : 0;
    found.worst = std::max(found.worst, distance);
  }
  return found;
}

/// Returns whether outputs of an engine are off by more than 1 for one of a few layers.
bool is_inexact(const engine& e) {
  for (const shape& s : {shape{operation::linear, 16, 1, 256, 256}, shape{operation::conv2d, 14, 14, 96, 192},
                         shape{operation::depthwise, 14, 14, 384, 384, 3}}) {
    problem_a8w8 p(s, 1);
    const peer_run run = e.make(layer_of(p));
    if (!run.contender) continue;
    run.contender(1);
    if (difference_of(run.outputs(), p.expected()).worst > 1) return true;
  }
  return false;
}

/// Limits the engines once.
const engine_limits& limits_of_engines() {
  static const engine_limits limits;
  return limits;
}

}  // namespace

peer_run spoiled(std::size_t outputs) {
  const auto y = std::make_shared<std::vector<std::int8_t>>(outputs);
  return {[y](long runs) {
            for (long run = 0; run < runs; ++run)
              for (std::size_t i = 0; i < y->size(); ++i) (*y)[i] = i % 2 == 0 ? std::int8_t{-128} : std::int8_t{127};
          },
          [y] { return *y; }};
}

std::vector<engine> engines(bool smoke) {
  limits_of_engines();
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

std::string notes_of_engines() {
  std::string text;
  for (const engine& e : engines(false))
    if (e.make == nullptr) text += std::string("\n") + e.name + ": not found when this program was built, or another version.";
  const engine_limits& l = limits_of_engines();
  if (l.backend.empty()) return text;
  text += "\nDYADIC_BACKEND=" + asked_backend() + ": rows of wider backends are left out.";
  if (!l.limited.empty()) text += " Limited to " + l.backend + ": " + l.limited + ".";
  if (!l.unlimited.empty()) text += " Not limited: " + l.unlimited + ".";
  benchmark::AddCustomContext("not_limited", l.unlimited);
  return text;
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

peer_run run_of(const engine& e, const std::shared_ptr<problem_a8w8>& p) {
  static std::map<std::string, bool> known;
  if (e.make == nullptr) return {};
  if (known.count(e.name) == 0) known[e.name] = is_inexact(e);
  peer_run run = e.make(layer_of(*p));
  if (run.contender) run.contender = [p, once = run.contender](long runs) { once(runs); };
  run.is_inexact = known[e.name];
  return run;
}

void add_peer(table& to, const std::string& peer, const std::function<std::string(const std::string&)>& name_of_row,
              std::vector<std::string> cells, const std::shared_ptr<contest>& in, const peer_run& run,
              const std::vector<std::int8_t>& expected, int tolerance, const amount& each) {
  run.contender(1);
  const std::vector<std::int8_t> y = run.outputs();
  if (y.size() != expected.size()) fail(peer + " has another number of outputs");
  const auto [differing, worst] = difference_of(y, expected);
  const bool is_inexact = run.is_inexact || worst > tolerance;
  const std::string name = peer + (is_inexact ? ", inexact" : "");
  cells.push_back(name);
  cells.push_back(differing == 0 ? "exact"
                                 : std::to_string(differing) + " of " + std::to_string(y.size()) + " differ by " +
                                       (worst > 1 ? "up to " : "") + std::to_string(worst));
  add(to, name_of_row(name), std::move(cells), in, run.contender, each);
  to.rows.back().peer = peer;
  to.rows.back().distance = worst;
  to.rows.back().is_inexact = is_inexact;
}

}  // namespace bench

// dyadic_peers: layers of int8 by this library and by other engines, in one process and on one thread.

#include "peers/peers.hpp"
#include "problem.hpp"

namespace bench {
namespace {

struct engine {
  const char* name;
  peer_run (*make)(const peer_layer&);  ///< nullptr: not in this program
};
constexpr engine engines[] = {
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

peer_layer layer_of(problem_a8w8& p) {
  const shape& s = p.of();
  const auto size = [](index_t n) { return static_cast<std::size_t>(n); };
  const auto multiplier = p.output().multipliers[0];
  return {s.op == operation::linear   ? peer_layer::linear
          : s.op == operation::conv2d ? peer_layer::conv2d
                                      : peer_layer::depthwise,
          size(s.height),
          size(s.width),
          size(s.inputs),
          size(s.outputs),
          size(s.kernel),
          p.x().data(),
          p.weights().data(),
          p.bias().data(),
          p.scales()[0],
          multiplier.mantissa,
          31 - multiplier.right_shift,
          static_cast<std::int8_t>(p.zero().x),
          static_cast<std::int8_t>(p.output().range.zero_point)};
}

/// How far the outputs are from what the definition says.
std::string distance(const std::vector<std::int8_t>& y, const std::vector<std::int8_t>& expected) {
  std::size_t differ = 0;
  int worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int off = std::abs(y[i] - expected[i]);
    differ += off > 0 ? 1 : 0;
    worst = std::max(worst, off);
  }
  if (differ == 0) return "exact";
  return std::to_string(differ) + " of " + std::to_string(y.size()) + " differ by " + (worst > 1 ? "up to " : "") +
         std::to_string(worst);
}

/// The fastest row of this library for the same shape.
double fastest_of_ours(const table& t, const row& r) {
  double fastest = 0;
  for (const row& other : t.rows)
    if (other.cells[0] == r.cells[0] && other.cells[1].rfind("dyadic", 0) == 0)
      fastest = std::max(fastest, other.items_per_second);
  return fastest;
}

table peers(bool smoke) {
  table t{
      "Peers: layers of int8, requantized with one multiplier",
      {"layer", "engine", "outputs", "GMAC/s", "dyadic is"},
      3,
      "GMAC/s: 10^9 multiply-adds per second, requantization included. dyadic is: its fastest backend, so many times as fast.\n"
      "outputs: against the definition, rounded as tflite::double_rounding says, which dyadic and gemmlowp follow. XNNPACK and\n"
      "oneDNN multiply by a float. gemmlowp has uint8, and no convolution. dyadic reads a multiplier for each channel, though "
      "all\n"
      "are equal here.\n"
      "a16w8: no rows, for none of these engines multiplies int16 by int8.",
      [](const table& all, const row& r) {
        const double ours = fastest_of_ours(all, r);
        return std::vector{rounded(r.items_per_second / 1e9), ours > 0 ? fixed(ours / r.items_per_second, 2) : "-"};
      }};
  for (const engine& e : engines)
    if (e.make == nullptr) t.notes += std::string("\n") + e.name + ": not found when this program was built, or another version.";
  std::vector<shape> shapes = linear_shapes(smoke);
  for (const shape& s : conv_shapes()) shapes.push_back(s);
  for (const shape& s : shapes) {
    const auto in = std::make_shared<contest>(smoke);
    const auto p = std::make_shared<problem_a8w8>(s, 1);
    const auto add_engine = [&](const std::string& name, const std::string& outputs, contest::contender contender) {
      add(t, "peers<" + name + ">/" + name_of(s), {name_of(s), name, outputs}, in, std::move(contender), amount_of(*p, nullptr));
    };
    for (const implementation& i : backends_of(p))
      if (i.name != "scalar") add_engine("dyadic " + i.name, "exact", i.contender);
    for (const engine& e : engines) {
      const peer_run run = e.make != nullptr ? e.make(layer_of(*p)) : peer_run{};
      if (!run.contender) continue;
      run.contender(1);
      // The engine looks into the problem.
      add_engine(e.name, distance(run.outputs(), p->expected()), [p, work = run.contender](long runs) { work(runs); });
    }
  }
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::peers); }

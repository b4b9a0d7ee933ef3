// dyadic_peers: layers of int8 by this library and by other engines, in one process and on one thread.

#include "peers/engines.hpp"

namespace bench {
namespace {

/// Returns the speed of this library's fastest backend for the same shape.
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
      "are equal here. inexact: off by more than 1 at some layer. oneDNN is inexact without VNNI, where it halves int8 weights.\n"
      "a16w8: no rows, for none of these engines multiplies int16 by int8.",
      [](const table& all, const row& r) {
        const double ours = fastest_of_ours(all, r);
        return std::vector{rounded(r.items_per_second / 1e9), ours > 0 ? fixed(ours / r.items_per_second, 2) : "-"};
      }};
  t.notes += notes_of_engines();
  std::vector<shape> shapes = linear_shapes(smoke);
  for (const auto& more : {conv_shapes(), hard_shapes()}) shapes.insert(shapes.end(), more.begin(), more.end());
  for (const shape& s : shapes) {
    const auto in = std::make_shared<contest>(smoke);
    const auto p = std::make_shared<problem_a8w8>(s, 1);
    const auto name_of_row = [&](const std::string& name) {
      return "peers<" + name + ">/" + operator_of(s) + "/a8w8/" + name_of(s);
    };
    for (const implementation& i : backends_of(p)) {
      const std::string name = "dyadic " + i.backend;
      if (i.backend != "scalar") add(t, name_of_row(name), {name_of(s), name, "exact"}, in, i.contender, amount_of(*p, nullptr));
    }
    for (const engine& e : engines(smoke)) {
      const peer_run run = run_of(e, p);
      if (run.contender) add_peer(t, e.name, name_of_row, {name_of(s)}, in, run, p->expected(), 1, amount_of(*p, nullptr));
    }
  }
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::peers); }

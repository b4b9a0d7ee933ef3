// dyadic_summary: what this machine does, on one screen: a few layers, with the backends side by side.

#include "every_backend.hpp"
#include "layers.hpp"

namespace bench {
namespace {

/// The cells of a row are the layer, the types and the backend.
constexpr std::size_t backend_cell = 2;

/// Adds the limit of each backend for a pair of types.
void add_limits(table& t, const std::string& types, int bits, const request& asked) {
  const auto in = std::make_shared<contest>(asked.smoke);
  for_every_backend([&](auto backend, bool runs_here) {
    const char* const name = decltype(backend)::name;
    const limit* const l = find_limit(name, bits);
    if (runs_here && l != nullptr)
      add(t, std::string("summary<") + name + ">/limit/" + types + "/registers", {"limit", types, name}, in, l->loop,
          {static_cast<double>(l->per_iteration)});
  });
}

template <class Problem>
void add_layers(table& t, const std::string& types, int bits, const request& asked) {
  const shape shapes[] = {{operation::linear, 1, 1, 1024, 1024},
                          {operation::linear, 256, 1, 1024, 512},
                          {operation::conv2d, 32, 32, 64, 64, 3},
                          {operation::conv2d, 56, 56, 64, 128, 1},
                          {operation::depthwise, 56, 56, 128, 128, 3}};
  add_limits(t, types, bits, asked);
  for (const shape& s : shapes) {
    const auto p = std::make_shared<Problem>(s);
    add_rows(t, "summary", types, {operator_of(s) + " " + name_of(s), types}, bits, *p, backends_of(p), asked);
  }
}

/// Returns one line for all rows that differ only in the backend, scalar code first. Every other backend has two cells: its
/// speed, and its percentage of the limit.
lines backends_side_by_side(const table& t) {
  std::vector<std::string> backends;
  for_every_backend([&](auto backend, bool runs_here) {
    if (runs_here) backends.insert(backends.begin(), decltype(backend)::name);
  });
  lines all{t.header};
  for (const std::string& backend : backends) {
    all[0].push_back(backend);
    if (backend != "scalar") all[0].push_back("%");
  }
  const auto same_but_backend = [](const row& a, const row& b) {
    return std::equal(a.cells.begin(), a.cells.begin() + backend_cell, b.cells.begin());
  };
  const row* last = nullptr;
  for (const row& first : t.rows) {
    if (last != nullptr && same_but_backend(first, *last)) continue;
    last = &first;
    all.emplace_back(first.cells.begin(), first.cells.begin() + backend_cell);
    for (const std::string& backend : backends) {
      std::vector<std::string> speed(backend == "scalar" ? 1 : 2, "");
      for (const row& r : t.rows)
        if (r.cells[backend_cell] == backend && same_but_backend(r, first) && r.items_per_second > 0) {
          const auto cells = t.speed_cells(t, r);
          std::copy_n(cells.begin(), speed.size(), speed.begin());
        }
      all.back().insert(all.back().end(), speed.begin(), speed.end());
    }
  }
  return all;
}

table summary(bool smoke) {
  table t{"GMAC/s: 10^9 multiply-adds per second, requantization included. %: of the limit of the backend.",
          {"layer", "types"},
          2,
          "limit: multiply-adds whose operands stay in registers. a8w8: int8 activations and weights,\n"
          "tflite::double_rounding. a16w8: int16 activations, int8 weights, tosa::scale16.",
          [](const table&, const row& r) {
            return std::vector<std::string>{rounded(r.items_per_second / 1e9), r.limit_per_second > 0 ? percent_of_limit(r) : ""};
          }};
  t.lines_of = backends_side_by_side;
  const request asked{smoke};
  add_layers<problem_a8w8>(t, "a8w8", 8, asked);
  add_layers<problem_a16w8>(t, "a16w8", 16, asked);
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::summary); }

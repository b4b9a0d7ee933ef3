// dyadic_summary: a few shapes of each operator on one screen, with the backends side by side.

#include "every_backend.hpp"
#include "layers.hpp"
#include "rescale.hpp"

namespace bench {
namespace {

/// The cells of a row are the layer, the format and the backend.
constexpr std::size_t backend_cell = 2;

/// Adds the limits for the layers of this format.
void add_limits(table& t, const std::string& format, int bits, bool smoke) {
  const auto in = std::make_shared<contest>(smoke);
  for_every_backend([&](auto backend, bool runs_here) {
    const char* const name = decltype(backend)::name;
    const limit* const l = find_limit(name, bits);
    if (runs_here && l != nullptr)
      add(t, std::string("summary<") + name + ">/limit/" + format, {"limit: operands stay in registers", format, name}, in,
          l->loop, {static_cast<double>(l->per_iteration)});
  });
}

template <class Problem>
void add_layers(table& t, const std::string& format, int bits, bool smoke) {
  const shape shapes[] = {{operation::linear, 1, 1, 256, 256},        {operation::linear, 1, 1, 1024, 1024},
                          {operation::linear, 64, 1, 256, 256},       {operation::linear, 256, 1, 1024, 512},
                          {operation::conv2d, 32, 32, 64, 64, 3},     {operation::conv2d, 56, 56, 64, 128, 1},
                          {operation::depthwise, 56, 56, 128, 128, 3}};
  add_limits(t, format, bits, smoke);
  for (const shape& s : shapes)
    add_backends<Problem>(t, "summary", format, {(s.op == operation::linear ? "linear " : "") + name_of(s), format}, bits, s,
                          smoke);
}

/// Returns one line for all rows that differ only in the backend, scalar code first. Every other backend has three cells: its
/// speed, its speed over scalar code, and its percentage of the limit.
lines backends_side_by_side(const table& t) {
  std::vector<std::string> backends;
  for_every_backend([&](auto backend, bool runs_here) {
    if (runs_here) backends.insert(backends.begin(), decltype(backend)::name);
  });
  lines all{t.header};
  for (const std::string& backend : backends) {
    all[0].push_back(backend);
    if (backend == "scalar") continue;
    all[0].insert(all[0].end(), {"x", "%"});
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
      std::vector<std::string> speed(backend == "scalar" ? 1 : 3, "-");
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
  table t{"Summary: GMAC/s, 10^9 multiply-adds per second, in one thread",
          {"rows x channels x depth, or image", "format"},
          2,
          "x: speed over scalar. %: of the limit. -: none is known.\n"
          "a16w8: int16 activations, int8 weights, tosa::scale16. a8w8: int8 both, tflite::double_rounding. Requantized, with a\n"
          "multiplier per channel; a rescale has one for a million accumulators, and its limit is 64-bit products.",
          [](const table& all, const row& r) {
            return std::vector{rounded(r.items_per_second / 1e9), times_scalar(all, r, backend_cell), percent_of_limit(r)};
          }};
  t.lines_of = backends_side_by_side;
  add_layers<problem_a16w8>(t, "a16w8", 16, smoke);
  add_layers<problem_a8w8>(t, "a8w8", 8, smoke);
  add_per_tensor<dyadic::tosa::scale16>(t, conversion<std::int64_t, std::int16_t>{"int64", "int16", 0.000000371, smoke},
                                        "tosa::scale16", {"rescale int64 to int16", "a16w8"});
  add_per_tensor<dyadic::tflite::double_rounding>(t, conversion<std::int32_t, std::int8_t>{"int32", "int8", 0.000371, smoke},
                                                  "tflite::double_rounding", {"rescale int32 to int8", "a8w8"});
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::summary); }

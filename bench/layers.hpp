#pragma once
/// \file
/// The table of layers of one kind, with a row for each type, shape and backend.

#include "problem.hpp"

namespace bench {

/// Adds a row for each implementation, unless --backend leaves its backend out. A row has the cells and the backend's name.
template <class Problem>
void add_rows(table& t, const std::string& name, const std::string& types, std::vector<std::string> cells, int bits,
              const Problem& p, const std::vector<implementation>& all, const request& asked) {
  const auto in = std::make_shared<contest>(asked.smoke);
  cells.emplace_back();
  for (const implementation& i : all) {
    if (!asked.wants("backend", i.backend)) continue;
    cells.back() = i.backend + i.variant;
    add(t, name + "<" + cells.back() + ">/" + operator_of(p.of()) + "/" + types + "/" + name_of(p.of()), cells, in, i.contender,
        amount_of(p, find_limit(i.backend.c_str(), bits)));
  }
}

/// Adds the rows of a layer. A shape that the command line names also has rows of unpacked weights.
template <class Problem>
void add_layer(table& t, const std::string& name, const std::string& types, const std::string& scheme, int bits, const shape& s,
               const request& asked) {
  if (!asked.wants("types", types)) return;
  const auto p = std::make_shared<Problem>(s);
  std::vector<implementation> all = backends_of(p);
  if (!asked["shape"].empty())
    for (implementation& more : unpacked_of(p)) all.push_back(std::move(more));
  add_rows(t, name, types, {types, scheme, name_of(s)}, bits, *p, all, asked);
}

/// Returns the table of the shapes of --shape, or of `usual` if there are none.
inline table layers(const std::string& title, const std::string& name, const std::string& shape_means,
                    std::optional<shape> (*read)(std::string_view), std::vector<shape> usual, const request& asked) {
  table t{title + ", requantized, with a multiplier per channel",
          {"types", "scheme", shape_means, "backend", "GMAC/s", "x scalar", "% of limit"},
          4,
          "GMAC/s: 10^9 multiply-adds per second, requantization included; results were first compared with a plain loop.\n"
          "a16w8: int16 activations, int8 weights, int64 accumulator. a8w8: int8, int8, int32, with an input zero point.\n"
          "% of limit: of the backend's multiply-adds that stay in registers, of 16 bits for a16w8 and of 8 for a8w8 (16 on "
          "sse41, avx2), sampled in\n"
          "turn with the backends: medians of up to 21 samples, repeated where a probe found them disturbed, in processor time.",
          [](const table& all, const row& r) {
            return std::vector{rounded(r.items_per_second / 1e9), times_scalar(all, r, 3), percent_of_limit(r)};
          }};
  t.remarks = state_of_machine;
  if (!asked["shape"].empty()) {
    usual.clear();
    for (const std::string& text : asked["shape"]) usual.push_back(*read(text));
    t.notes +=
        "\nunpacked: weights as they are given. The other rows of vector backends have packed weights; depthwise layers have "
        "none.";
  }
  for (const shape& s : usual) add_layer<problem_a8w8>(t, name, "a8w8", "tflite::double_rounding", 8, s, asked);
  for (const shape& s : usual) add_layer<problem_a16w8>(t, name, "a16w8", "tosa::scale16", 16, s, asked);
  return t;
}

/// Runs the program of a table of layers.
inline int print_layers(int argc, char** argv, table (*make)(const request&), std::optional<shape> (*read)(std::string_view),
                        const std::string& form) {
  return print_table(argc, argv, make,
                     {{"shape", form, [read](const std::string& text) { return read(text).has_value(); }},
                      one_of("types", {"a8w8", "a16w8"}),
                      backend_option()});
}

}  // namespace bench

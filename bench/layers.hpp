#pragma once
/// \file
/// The table of layers of one kind, with a row for each format, shape and backend.

#include "problem.hpp"

namespace bench {

/// Adds a row for each backend. A row has the cells and the backend's name.
template <class Problem>
void add_backends(table& t, const std::string& operation, const std::string& format, std::vector<std::string> cells, int bits,
                  const shape& s, bool smoke) {
  const auto in = std::make_shared<contest>(smoke);
  const auto p = std::make_shared<Problem>(s);
  cells.emplace_back();
  for (const implementation& i : backends_of(p)) {
    cells.back() = i.name;
    add(t, operation + "<" + i.name + ">/" + format + "/" + name_of(s), cells, in, i.contender,
        amount_of(*p, find_limit(i.name.c_str(), bits)));
  }
}

inline table layers(const std::string& title, const std::string& operation, const std::string& shape_means,
                    const std::vector<shape>& shapes, bool smoke) {
  table t{
      title + ", requantized, with a multiplier per channel",
      {"format", "scheme", shape_means, "backend", "GMAC/s", "x scalar", "% of limit"},
      4,
      "GMAC/s: 10^9 multiply-adds per second, requantization included; results were first compared with a plain loop.\n"
      "a16w8: int16 activations, int8 weights, int64 accumulator. a8w8: int8, int8, int32, with an input zero point.\n"
      "% of limit: of the backend's multiply-adds that stay in registers, of 16 bits for a16w8 and of 8 for a8w8, sampled in\n"
      "turn with the backends: medians of up to 21 samples, repeated where a probe found them disturbed, in processor time.",
      [](const table& all, const row& r) {
        return std::vector{rounded(r.items_per_second / 1e9), times_scalar(all, r, 3), percent_of_limit(r)};
      }};
  for (const shape& s : shapes)
    add_backends<problem_a16w8>(t, operation, "a16w8", {"a16w8", "tosa::scale16", name_of(s)}, 16, s, smoke);
  for (const shape& s : shapes)
    add_backends<problem_a8w8>(t, operation, "a8w8", {"a8w8", "tflite::double_rounding", name_of(s)}, 8, s, smoke);
  return t;
}

}  // namespace bench

// dyadic_targets: the speed of layers that are hard to vectorize, beside its target: cycles of a run, or percent of the limit.

#include "problem.hpp"

#include <cstdlib>

namespace bench {
namespace {

enum class unit { cycles, percent };

/// The speed that a backend must reach on a shape, and its goal, with int16 activations and with int8 activations.
struct target {
  const char* backend;
  shape of;
  unit in;
  double must16, goal16;  ///< 0: no target
  double must8, goal8;
  bool is_proved = false;  ///< whether the epilogue is proved
};

const std::vector<target>& targets() {
  constexpr auto linear = operation::linear;
  constexpr auto conv = operation::conv2d;
  constexpr auto depthwise = operation::depthwise;
  constexpr auto cycles = unit::cycles;
  constexpr auto percent = unit::percent;
  static const std::vector<target> all = {
      {"avx512vnni", {linear, 1, 1, 1, 1}, cycles, 90, 38, 60, 32},
      {"avx512vnni", {linear, 1, 1, 16, 16}, cycles, 84, 43, 56, 36},
      {"avx512vnni", {linear, 4, 1, 84, 10}, cycles, 210, 130, 140, 108},
      {"avx512vnni", {linear, 8, 1, 32, 32}, cycles, 390, 264, 260, 220},
      {"avx512vnni", {conv, 96, 96, 3, 16, 3, 2}, percent, 0, 0, 14, 22},
      {"avx512vnni", {conv, 112, 112, 3, 64, 7, 2}, percent, 0, 0, 49, 59},
      {"avx512vnni", {conv, 28, 28, 64, 64, 5, 1, 4}, percent, 0, 0, 59, 84},
      {"avx512vnni", {conv, 28, 28, 128, 128, 3, 1, 32}, percent, 0, 0, 10, 14},
      {"avx512vnni", {conv, 56, 56, 64, 128, 1}, percent, 0, 0, 72, 78},
      {"avx512vnni", {conv, 56, 56, 64, 128, 1}, percent, 0, 0, 72, 78, true},
      {"avx512vnni", {linear, 256, 1, 64, 256}, percent, 0, 0, 72, 78},
      {"avx512vnni", {linear, 256, 1, 64, 256}, percent, 0, 0, 72, 78, true},
      {"avx512vnni", {depthwise, 48, 48, 8, 8, 3}, percent, 8, 12, 5, 8},
      {"avx512vnni", {depthwise, 48, 48, 8, 8, 3}, percent, 0, 0, 5, 8, true},
      {"avx512vnni", {depthwise, 56, 56, 128, 128, 3}, percent, 30, 42, 16, 23},
      {"avx512vnni", {depthwise, 56, 56, 128, 128, 3}, percent, 0, 0, 16, 23, true},
      {"avx512vnni", {depthwise, 56, 56, 128, 128, 3, 2}, percent, 20, 29, 10, 16},
      {"avx512vnni", {depthwise, 56, 56, 128, 128, 3, 2}, percent, 0, 0, 10, 16, true},
      {"avx512vnni", {depthwise, 7, 7, 960, 960, 3}, percent, 0, 0, 10, 14},
      {"avx512vnni", {depthwise, 7, 7, 960, 960, 3}, percent, 0, 0, 10, 14, true},
      {"avx512vnni", {linear, 1, 1, 256, 256}, percent, 49, 55, 0, 0},
      {"avx512vnni", {linear, 1, 1, 1024, 1024}, percent, 41, 45, 0, 0},
      {"avx512vnni", {linear, 2, 1, 1024, 1024}, percent, 75, 85, 0, 0},
      {"avx512vnni", {linear, 4, 1, 1024, 1024}, percent, 85, 90, 0, 0},
      {"avx2", {linear, 256, 1, 1024, 512}, percent, 88, 95, 0, 0},
      {"sse41", {linear, 256, 1, 1024, 512}, percent, 82, 90, 0, 0},
  };
  return all;
}

constexpr std::size_t must_cell = 5;

double reached(const row& r) {
  const double share = r.items_per_second / r.limit_per_second;
  return r.cells[must_cell - 1] == "cycles" ? 1 / share : 100 * share;
}
bool is_reached(const row& r, std::size_t cell) {
  const double wanted = std::atof(r.cells[cell].c_str());
  return r.cells[must_cell - 1] == "cycles" ? reached(r) <= wanted : reached(r) >= wanted;
}

std::vector<implementation> implementations_of(const std::shared_ptr<problem_a16w8>& p, bool /*proved*/) {
  return backends_of(p);
}
std::vector<implementation> implementations_of(const std::shared_ptr<problem_a8w8>& p, bool proved) {
  return proved ? proved_of(p) : backends_of(p);
}

/// Adds the row of one format, if the backend runs here and the format has a target.
template <class Problem>
void add_format(table& t, const target& wanted, const std::string& format, int bits, double must, double goal, bool smoke) {
  if (must <= 0) return;
  const auto p = std::make_shared<Problem>(wanted.of);
  const std::string epilogue = wanted.is_proved ? "proved" : "";
  for (const implementation& i : implementations_of(p, wanted.is_proved)) {
    if (i.backend != wanted.backend) continue;
    if (wanted.is_proved && !i.is_proved) fail(name_of(wanted.of) + ": no epilogue is proved");
    const bool counts_cycles = wanted.in == unit::cycles;
    const limit* const most = counts_cycles ? find_limit("", 0) : find_limit(wanted.backend, bits);
    amount one = amount_of(*p, most);
    if (counts_cycles) one.items = 1;
    add(t, "targets<" + i.backend + i.variant + ">/" + operator_of(wanted.of) + "/" + format + "/" + name_of(wanted.of),
        {name_of(wanted.of), format, i.backend, epilogue, counts_cycles ? "cycles" : "% of limit", fixed(must, 0),
         fixed(goal, 0)},
        std::make_shared<contest>(smoke), i.contender, one);
  }
}

table make_targets(bool smoke) {
  table t{"Targets: small layers, few channels, groups, stems, and rows of matrices",
          {"layer", "format", "backend", "epilogue", "in", "must", "goal", "is", "reached"},
          5,
          "cycles: of one run, by a loop of additions that wait for each other. % of limit: of the backend's multiply-adds that\n"
          "stay in registers, of 16 bits for a16w8 and of 8 for a8w8 (16 on sse41, avx2). Formats and rounding are those of "
          "`linear` and `conv`.\n"
          "must, goal: of processors whose units of 512 bits are whole; where they are halves, small layers take more cycles.\n"
          "proved: by `prove_epilogue`, a cheaper one that gives the same outputs.",
          [](const table&, const row& r) {
            if (r.limit_per_second <= 0) return std::vector<std::string>{"-", "-"};
            const char* const verdict = is_reached(r, must_cell + 1) ? "goal" : is_reached(r, must_cell) ? "must" : "open";
            return std::vector<std::string>{rounded(reached(r)), verdict};
          }};
  for (const target& one : targets()) {
    add_format<problem_a8w8>(t, one, "a8w8", 8, one.must8, one.goal8, smoke);
    add_format<problem_a16w8>(t, one, "a16w8", 16, one.must16, one.goal16, smoke);
  }
  if (t.rows.empty()) t.notes += "\nNo row: targets are for AVX-512 VNNI, AVX2 and SSE4.1, of which this processor has none.";
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::make_targets); }

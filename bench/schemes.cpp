// dyadic_schemes [--smoke]: compares every integer scheme with every other, and prints the smallest counterexample of each pair.
//
// Two schemes are compared for each multiplier that both accept, `valid(m)`, on two sets of accumulators:
// - The accumulators that both publishers define, `valid(acc, m)`.
// - All accumulators. Outside the definition, the library gives the result of the publisher's code.
// Below, a table of the rules that give a block its scale.

#include "scale_rules.hpp"
#include "scheme_pairs.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace bench {
namespace {

template <class Scheme>
struct on_int32 : std::conjunction<support::with_mantissa<Scheme>,
                                   std::disjunction<support::with_int32_accumulator<Scheme>,
                                                    std::is_same<typename Scheme::multiplier_type, q::multiplier32>>> {};
template <class Scheme>
struct on_int48 : std::conjunction<support::with_mantissa<Scheme>, support::with_wide_accumulator<Scheme>> {};

// Printing.

/// Returns acc * mantissa / 2^right_shift in decimal. A final ".." stands for more digits. Requires: |acc * mantissa| <= 2^62.
std::string exact_value(std::int64_t acc, q::multiplier32 m) {
  const std::int64_t product = acc * m.mantissa;
  std::uint64_t rest = static_cast<std::uint64_t>(product < 0 ? -product : product);
  int t = m.right_shift;
  std::string text = product < 0 ? "-" : "";
  text += std::to_string(t < 64 ? rest >> t : 0u);
  const std::size_t digits = text.size() < 12 ? 14 : text.size() + 3;
  bool more = false;
  for (; t > 60; --t, rest >>= 1) more = more || (rest & 1u) != 0;  // Ten times the rest must fit 64 bits.
  const std::uint64_t mask = (std::uint64_t{1} << t) - 1u;
  rest &= mask;
  if (rest != 0) text += '.';
  while (rest != 0 && text.size() < digits) {
    text += static_cast<char>('0' + (rest * 10u >> t));
    rest = rest * 10u & mask;
  }
  return more || rest != 0 ? text + ".." : text;
}

std::string power_or_number(std::int64_t x) {
  if (x < 0) return "-" + power_or_number(-x);
  if (x > q::int32_max - 0x10000 && x < q::int32_max) return "(2^31-" + std::to_string(q::int32_max - x + 1) + ")";
  for (int k = 10; k < 48; ++k)
    for (const std::int64_t odd : {1, 3, 5, 7})
      for (const int extra : {0, 1, -1}) {
        if (x != odd * (std::int64_t{1} << k) + extra || (extra != 0 && odd != 1)) continue;
        const std::string text = (odd == 1 ? "" : std::to_string(odd) + "*") + "2^" + std::to_string(k);
        return extra == 0 ? text : "(" + text + (extra > 0 ? "+1)" : "-1)");
      }
  return std::to_string(x);
}

std::string to_text(std::int64_t acc, q::multiplier32 m) {
  return power_or_number(acc) + " * " + power_or_number(m.mantissa) + " * 2^-" + std::to_string(m.right_shift);
}

/// The letter of each distinct counterexample: a capital letter if both publishers define the result.
using letters = std::map<counterexample, std::string>;

letters letters_of(const matrix& found) {
  letters names;
  for (const auto& row : found)
    for (const finding& f : row)
      if (f.differs) names[f.smallest];
  int count[2] = {0, 0};
  for (auto& [example, name] : names) {
    const int n = count[example.defined]++;
    name = static_cast<char>((example.defined ? 'A' : 'a') + n % 26);
    if (n >= 26) name += std::to_string(n / 26);
  }
  return names;
}

/// Returns the numbers of the schemes that give y, such as " 1-3 (4) 9". Parentheses mean that the publisher leaves the result
/// undefined.
std::string who_gives(std::int64_t y, const std::vector<scheme>& schemes, const counterexample& c) {
  enum { other, undefined, defined };
  const auto kind = [&](std::size_t i) {
    if (i >= schemes.size() || !schemes[i].accepts(c.m) || schemes[i].apply(c.acc, c.m) != y) return other;
    return schemes[i].defines(c.acc, c.m) ? defined : undefined;
  };
  std::string text;
  for (std::size_t first = 0, end = 0; first < schemes.size(); first = end) {
    end = first + 1;
    if (kind(first) == other) continue;
    while (kind(end) == kind(first)) ++end;
    const std::string numbers = std::to_string(first + 1) + (end - first > 1 ? "-" + std::to_string(end) : "");
    text += kind(first) == defined ? " " + numbers : " (" + numbers + ")";
  }
  return text;
}

void print(const std::vector<scheme>& schemes, const matrix& found, const letters& names) {
  std::printf("%46s", "");
  for (std::size_t j = 0; j + 1 < schemes.size(); ++j) std::printf("%3zu", j + 1);
  std::printf("\n");
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    std::printf("%3zu %-42s", i + 1, schemes[i].name.c_str());
    for (const finding& f : found[i]) std::printf("%3s", f.differs ? names.at(f.smallest).c_str() : "=");
    std::printf("  \\\n");
  }

  std::printf("\n    %-32s %-19s result: its schemes, (n) where the publisher of n leaves the result undefined\n",
              "acc * mantissa * 2^-right_shift", "exact value");
  for (const auto& [example, name] : names) {
    std::printf("%3s %-32s %-19s", name.c_str(), to_text(example.acc, example.m).c_str(),
                exact_value(example.acc, example.m).c_str());
    std::set<std::int64_t> results;
    for (const scheme& s : schemes)
      if (s.accepts(example.m)) results.insert(s.apply(example.acc, example.m));
    const std::string indent = "\n" + std::string(56, ' ');
    std::size_t column = 56;
    for (const std::int64_t y : results) {
      const std::string text = " " + std::to_string(y) + ":" + who_gives(y, schemes, example) + ";";
      const bool wraps = column + text.size() > 150;
      std::printf("%s%s", wraps ? indent.c_str() : "", text.c_str());
      column = (wraps ? 56 : column) + text.size();
    }
    std::printf("\n");
  }
  std::printf("\n");
}

struct compared {
  std::vector<scheme> schemes;
  matrix found;
  letters names;
};

compared report(const char* title, const std::vector<scheme>& schemes, const search_space& space) {
  const auto start = std::chrono::steady_clock::now();
  const matrix found = compare_all(schemes, space);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%s: %zu accumulators x %zu multipliers, %.1f s\n\n", title, space.accumulators.size(), space.multipliers.size(),
              seconds.count());
  const letters names = letters_of(found);
  print(schemes, found, names);
  return {schemes, found, names};
}

// Counterexamples that were known before the search.

void line(const char* what, const std::string& input, const std::string& a, const std::string& b, const std::string& exact,
          const std::string& in_matrix = "") {
  std::printf("  %-71s %-27s %16s %16s  %-16s %s\n", what, input.c_str(), a.c_str(), b.c_str(), exact.c_str(), in_matrix.c_str());
}

std::size_t number_of(const std::vector<scheme>& schemes, const char* name) {
  std::size_t i = 0;
  while (schemes[i].name.rfind(name, 0) != 0) ++i;
  return i;
}

/// Prints the outputs of two schemes of a matrix for one input. The mantissa has the length of the matrix's mantissas.
void known(const compared& all, const char* a_name, const char* b_name, std::int64_t acc, q::multiplier32 m) {
  const std::size_t i = number_of(all.schemes, a_name);
  const std::size_t j = number_of(all.schemes, b_name);
  const scheme& a = all.schemes[i];
  const scheme& b = all.schemes[j];
  const finding& f = all.found[std::max(i, j)][std::min(i, j)];
  std::string in_matrix = f.differs ? all.names.at(f.smallest) : "=";
  if (!a.defines(acc, m) || !b.defines(acc, m)) in_matrix += "*";
  const auto bare = [](const std::string& name) { return name.substr(0, name.find(' ')); };
  line((bare(a.name) + ", " + bare(b.name)).c_str(), to_text(acc, m), std::to_string(a.apply(acc, m)),
       std::to_string(b.apply(acc, m)), exact_value(acc, m), in_matrix);
}

/// Prints the outputs of two rules that are in no matrix.
void known(const char* what, const char* input, std::int64_t a, std::int64_t b, const char* exact) {
  line(what, input, std::to_string(a), std::to_string(b), exact);
}

std::string to_text(q::multiplier32 m) { return std::to_string(m.mantissa) + " >> " + std::to_string(m.right_shift); }

void print_known(const compared& narrow, const compared& wide) {
  const auto pair = [](std::int32_t mantissa, std::int32_t shift) { return q::tflite::from_pair(mantissa, shift); };
  constexpr std::int32_t one = 1 << 30;
  std::printf(
      "Known counterexamples, as this library computes them. The last column is the pair's letter above; * where a publisher "
      "leaves this\n"
      "input undefined. gemmlowp's SSE4.1 high multiply and FBGEMM's AVX2 conversion have their own, but are no schemes of this "
      "library.\n\n");
  line("A, B", "input", "A", "B", "exact value", "matrix");

  known(narrow, "tflite::double_rounding", "tflite::single_rounding", 1, pair(one, -1));
  known(narrow, "tflite::neon_double_rounding", "tflite::single_rounding", 1, pair(one, -1));
  known(narrow, "tflite::double_rounding", "tflite::neon_double_rounding", -1, pair(one + 1, -1));
  known(narrow, "tflite::avx2", "tflite::single_rounding", 1, pair(one, 0));
  known(narrow, "tflite::avx2", "tflite::double_rounding", 1, pair(one, 0));
  known(narrow, "tflite::avx2", "tflite::single_rounding", one + 1, pair(q::int32_max, -31));
  known(narrow, "cmsis_nn::mve_predicated", "cmsis_nn::mve_single", 1, pair(one, -1));
  known(narrow, "cmsis_nn::mve_predicated", "cmsis_nn::mve_single", 1000, pair(q::int32_max, -4));
  known(narrow, "cmsis_nn::mve_predicated", "cmsis_nn::mve_single", 1, pair(5 << 28, 1));
  known(narrow, "tflite::neon_single_rounding", "tflite::single_rounding", one, pair(one, 0));
  known(narrow, "tflite::neon_single_rounding", "tflite::single_rounding", 1 << 23, pair(one, 7));
  known(narrow, "tflite::neon_single_rounding", "tflite::single_rounding", 2, pair(one, 29));
  known(narrow, "cmsis_nn::mve_single_rounding", "cmsis_nn::single_rounding", 2, pair(one, 29));
  known(wide, "cmsis_nn::requantize_s64", "tflite::reduced_int64", q::int32_max, {1 << 14, 15});
  known(wide, "cmsis_nn::requantize_s64", "tflite::reduced_int64", 8388865, {0x7FFF, 8});
  known(narrow, "cmsis_nn::double_rounding", "tflite::double_rounding", q::int32_min, {q::int32_min, 31});
  known(narrow, "xnnpack::rndnu", "xnnpack::rndna", -1, {one, 31});
  known(narrow, "xnnpack::rndnu", "xnnpack::gemmlowp", 1, {one, 32});
  known(narrow, "xnnpack::rndnu", "xnnpack::rndnu16", 1, {one, 32});
  std::printf("\n");

  using namespace q::xnnpack;
  const auto float_against_integer = [](std::int64_t acc, const char* input, float scale, const char* exact) {
    known("xnnpack::fp32, xnnpack::rndnu", input, q::rule_of<fp32>(scale)(acc),
          q::rule_of<rndnu>(rndnu::derive(scale).value)(acc), exact);
  };
  float_against_integer(1, "1 * 0.5", 0.5f, "0.5");
  float_against_integer(-2, "-2 * 0.75", 0.75f, "-1.5");
  float_against_integer(3, "3 * 0x1.555556p-3", 0x1.555556p-3f, "0.5000000149..");
  const float above_half = 0x1.000002p-1f;
  known("xnnpack::fp32, xnnpack::rndnu16", "-1 * 0x1.000002p-1", fp32::apply(-1, above_half),
        rndnu16::apply(-1, rndnu16::derive(above_half).value), "-0.5000000596..");
  const q::multiplier32 largest = derive_from_bits(0x1.fffffep7f).value;
  known("xnnpack::rndnu, xnnpack::rndnu_neon, to int8", "8388609 * 0x1.fffffep7",
        q::rule_of<rndnu>(largest, q::range_of<std::int8_t>())(8388609),
        q::rule_of<rndnu_neon>(largest, q::range_of<std::int8_t>())(8388609), "2147483775.9..");

  const auto zero_point_1 = [](const char* input, float scale, const char* exact) {
    const auto range = q::range_of<std::int8_t>(1);
    known("onednn::f32, fbgemm::floating, zero point 1", input, q::rule_of<q::onednn::f32>({scale, 1.0f, 1.0f}, range)(1),
          q::rule_of<q::fbgemm::floating>(scale, range)(1), exact);
  };
  zero_point_1("1 * 0.5", 0.5f, "0.5");
  zero_point_1("1 * 0x1.fffffep-2", 0x1.fffffep-2f, "0.4999999701..");
  std::printf("\n");

  const auto derivations = [](const char* what, const char* scale, q::multiplier32 a, q::multiplier32 b) {
    line(what, scale, to_text(a), to_text(b), "");
  };
  derivations("executorch::cortex_m, tflite: derive", "0x1.00000002p-1", q::executorch::cortex_m::derive(0x1.00000002p-1).value,
              q::tflite::double_rounding::derive(0x1.00000002p-1).value);
  derivations("tflite: derive_emulate_float, derive", "0x1.00000006p-1", q::tflite::derive_emulate_float(0x1.00000006p-1).value,
              q::tflite::double_rounding::derive(0x1.00000006p-1).value);
  derivations("tflite: derive_emulate_float, derive", "0x1.fffffffep-1", q::tflite::derive_emulate_float(0x1.fffffffep-1).value,
              q::tflite::double_rounding::derive(0x1.fffffffep-1).value);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  const bool smoke = argc == 2 && std::strcmp(argv[1], "--smoke") == 0;
  if (argc > 1 && !smoke) {
    std::fprintf(stderr, "usage: dyadic_schemes [--smoke]\n");
    return 2;
  }
  std::printf(
      "Integer schemes in pairs, with every multiplier of the list that both accept, valid(m).\n"
      "  =        equal on every accumulator searched\n"
      "  A, B ..  different where both publishers define the result, valid(acc, m); the smallest such |acc| is listed\n"
      "  a, b ..  different only where at least one of them does not: a pre-shift or a result that leaves int32\n\n");
  const compared narrow = report("int32 accumulators", schemes_of<on_int32>(), int32_space(smoke));
  const compared wide = report("48-bit accumulators, 15-bit mantissas", schemes_of<on_int48>(), int48_space(smoke));
  print_known(narrow, wide);
  std::printf("\n");
  print_scale_rules();
  return 0;
}

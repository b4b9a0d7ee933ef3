#pragma once
/// \file
/// Compares the rules of an operator with each other. Prints the groups of rules that are equal for all compared inputs. Prints a
/// row for each pair of groups: how many outputs differ, the largest difference, the smallest input that shows a difference.

#include <dyadic/compare.hpp>
#include <dyadic/elementwise/compare_inputs.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

namespace q = dyadic;

inline bool is_smoke = false;

/// Returns the value, or prints the error and ends the program. Accepts a rule with a step that overflows for some inputs.
template <class T>
T value_of(const q::result<T>& r, const std::string& what) {
  if (q::may_run(r.status)) return r.value;
  std::fprintf(stderr, "dyadic_activations: %s: %s\n", what.c_str(), q::to_string(r.status));
  std::exit(1);
}
inline void require(q::status s, const std::string& what) { static_cast<void>(value_of(q::result<int>{0, s}, what)); }

/// A rule, and the engine that has it.
template <class Rule>
struct named {
  const char* name;
  Rule rule;
};
template <class Rule>
named(const char*, Rule) -> named<Rule>;

/// Returns a rule with the numbers that its publisher derives from these arguments.
template <class Rule, class... Arguments>
named<Rule> derived(const char* name, const Rule&, const Arguments&... arguments) {
  return {name, value_of(Rule::derive(arguments...), name)};
}

/// Where two rules differ. `smallest` is an input with both outputs.
struct differences {
  std::uint64_t compared, differing, worst;
  std::string smallest;
};
inline std::string both(std::int64_t a, std::int64_t b) { return std::to_string(a) + ", " + std::to_string(b); }
inline differences text_of(const differences& d) { return d; }
inline differences text_of(const q::difference& d) {
  const q::sample s = d.smallest;
  return {d.compared, d.differing, d.worst_distance, std::to_string(s.acc) + ": " + both(s.a, s.b)};
}
inline differences text_of(const q::pair_difference& d) {
  const q::pair_sample s = d.smallest;
  return {d.compared, d.differing, d.worst_distance, both(s.left, s.right) + ": " + both(s.a, s.b)};
}

inline void print_head(const char* title) {
  std::printf("\n%s\n%-17s %-28s %9s %6s   %s\n", title, "", "", "differ", "worst", "the smallest input: its outputs");
}
inline void print_row(const std::string& op, const std::string& rules, const differences& d) {
  const double percent = 100.0 * static_cast<double>(d.differing) / static_cast<double>(d.compared);
  char share[32] = "-";
  if (d.differing != 0) std::snprintf(share, sizeof share, percent < 0.01 ? "%.5f %%" : "%.2f %%", percent);
  std::printf("%-17s %-28s %9s %6llu   %s\n", op.c_str(), rules.c_str(), share, static_cast<unsigned long long>(d.worst),
              d.differing == 0 ? "" : d.smallest.c_str());
}

/// The groups of equal rules. A rule that equals an earlier rule is compared no more.
struct groups {
  struct row {
    std::size_t a, b;
    differences found;
  };
  std::vector<const char*> names;
  std::vector<std::size_t> first;  // of each rule, the first rule that is equal
  std::vector<row> rows;

  template <class Compare, class A, class B>
  void note(std::size_t i, std::size_t j, const Compare& compare, const A& a, const B& b) {
    if (first[i] != i || first[j] != j) return;
    rows.push_back({i, j, text_of(compare(a.rule, b.rule))});
    if (rows.back().found.differing == 0) first[j] = i;
  }
  template <class Compare, class A, class... Others>
  void compare_all(const Compare& compare, std::size_t i, const A& a, const Others&... others) {
    std::size_t j = i;
    (note(i, ++j, compare, a, others), ...);
    if constexpr (sizeof...(others) > 0) compare_all(compare, i + 1, others...);
  }
  void print(const std::string& op) const {
    std::string letters(names.size(), ' ');
    char next = 'a';
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (first[i] != i) continue;
      letters[i] = next++;
      std::string line = names[i];
      for (std::size_t j = i + 1; j < names.size(); ++j)
        if (first[j] == i) line += std::string(" = ") + names[j];
      std::printf("%-17s %c: %s\n", op.c_str(), letters[i], line.c_str());
    }
    for (const row& r : rows)
      if (first[r.a] == r.a && first[r.b] == r.b) print_row(op, {letters[r.a], ' ', letters[r.b]}, r.found);
  }
};

template <class Compare, class... Rules>
void print_groups(const std::string& op, const Compare& compare, const named<Rules>&... rules) {
  groups g{{rules.name...}, {}, {}};
  while (g.first.size() < g.names.size()) g.first.push_back(g.first.size());
  g.compare_all(compare, 0, rules...);
  g.print(op);
}

/// Compares rules of one input on all inputs.
template <class... Rules>
void print_inputs(const std::string& op, const named<Rules>&... rules) {
  print_groups(
      op, [](const auto& a, const auto& b) { return q::compare_inputs(a, b); }, rules...);
}

/// Compares rules of two inputs. The left inputs are all if they have 8 bits, else those near 0 and near the ends of the range.
/// The right inputs are all, or an interval.
template <class... Rules>
void print_pairs(const std::string& op, q::interval right, const named<Rules>&... rules) {
  const auto compare = [&](const auto& a, const auto& b) {
    const q::interval all = q::all_values<q::detail::argument_of<std::decay_t<decltype(a)>>>();
    if (is_smoke) right = {-4, 4};
    if (all.size() == 256 && !is_smoke) return q::compare_pairs(a, b, all, right);
    const std::int64_t reach = is_smoke ? 1 : 16;
    q::pair_difference d = q::compare_pairs(a, b, {all.low, all.low + reach}, right);
    d = merge(d, q::compare_pairs(a, b, {-reach, reach}, right));
    return merge(d, q::compare_pairs(a, b, {all.high - reach, all.high}, right));
  };
  print_groups(op, compare, rules...);
}
template <class... Rules>
void print_pairs(const std::string& op, const named<Rules>&... rules) {
  print_pairs(op, {-32768, 32767}, rules...);
}

}  // namespace bench

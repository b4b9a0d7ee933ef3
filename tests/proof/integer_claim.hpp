#pragma once
/// \file
/// Claims about integers, as SMT-LIB text. Each claim is proved, its premises are consistent, and a mutant is refuted.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "table.hpp"

namespace proof {

/// Returns `text` with each $name replaced by its value.
inline std::string with_values(std::string text, std::initializer_list<std::pair<const char*, std::int64_t>> values) {
  for (const auto& [name, value] : values) {
    const std::string number = value < 0 ? "(- " + std::to_string(-value) + ")" : std::to_string(value);
    const std::string key = "$" + std::string(name);
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) text.replace(at, key.size(), number);
  }
  return text;
}

/// A part of a claim, and the text that replaces it in a mutant.
struct changed_part {
  std::string from;
  std::string to;
};

class integer_prover : public table {
 public:
  using table::table;

  /// Proves that `holds` follows from `given`.
  void prove(const std::string& name, const std::string& given, const std::string& holds, const changed_part& mutant) {
    if (!begin(name)) return;
    const std::size_t at = holds.find(mutant.from);
    if (at == std::string::npos) {
      fail("what a mutant changes is not there");
      return end();
    }
    std::string other = holds;
    other.replace(at, mutant.from.size(), mutant.to);
    expect("sat", given, "what is given is contradictory: ");
    expect("unsat", given + "(assert (not " + holds + "))", "");
    expect("sat", given + "(assert (not " + other + "))", "survives '" + mutant.to + "': ");
    end();
  }

 private:
  void expect(const char* expected, const std::string& text, const std::string& why) {
    // After push a solver works incrementally; z3 then decides more of the non-linear arithmetic here.
    const std::string said = ask("(push 1)\n" + text + "\n");
    if (said != expected) fail(why + said);
  }
};

}  // namespace proof

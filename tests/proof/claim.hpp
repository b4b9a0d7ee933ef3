#pragma once
/// \file
/// A claim is proved for all inputs, with one query for each shift and condition.
/// A claim must not be vacuous: for each shift, some numbers meet its requirements, and the claim holds for them. A claim must be
/// able to fail: each of its constants is changed in turn. The solver then finds numbers for which the claim is false, and it is
/// false when it is computed with them.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "question.hpp"
#include "table.hpp"

namespace proof {

using claim = std::function<void(question&, int)>;

/// Proves claims for ranges of shifts.
class prover : public table {
 public:
  using table::table;

  void prove(const std::string& name, int low, int high, const claim& says) {
    if (!begin(name + ", t = " + std::to_string(low) + " .. " + std::to_string(high))) return;
    prove_all(low, high, says);
    for (const auto& [group, constants] : groups_)
      if (!has_failed() && !refute(constants, low, high, says)) table::fail("survives a change of constant " + group);
    end();
  }
  /// Proves a claim of several parts; `parts` proves each part.
  void prove_parts(const std::string& name, const std::function<void()>& parts) {
    if (!begin(name)) return;
    parts();
    end();
  }
  /// Proves one part of a claim, with `runs` runs of many lanes. Random numbers are tried before the solver looks for a
  /// counterexample.
  void prove_part(const std::string& what, int runs, const claim& says) {
    if (has_failed()) return;
    part_ = what + ", ";
    prove_all(0, runs - 1, says);
    for (const auto& [group, constants] : groups_)
      if (!has_failed() && !draw_counterexample(constants, runs, says) && !refute(constants, 0, runs - 1, says))
        fail(0, "survives a change of constant " + group);
  }

 private:
  bool begin(const std::string& name) {
    unsatisfiable_.clear();
    return table::begin(name);
  }
  void prove_all(int low, int high, const claim& says) {
    groups_.clear();
    for (int t = low; t <= high && !has_failed(); ++t) {
      seek_witness(t, says);
      prove(t, says);
    }
    if (groups_.empty()) table::fail("no constant to change");
  }
  bool draw_counterexample(const std::vector<int>& mutants, int runs, const claim& says) {
    for (int i = 0; i < 1000; ++i)
      for (const int mutant : mutants) {
        question q{mutant, {}, random_};
        says(q, i % runs);
        if (q.constants() > mutant && q.is_required_and(false)) return true;
      }
    return false;
  }
  void fail(int t, const std::string& why) {
    table::fail(part_ + (part_.empty() ? "shift " : "run ") + std::to_string(t) + ": " + why);
  }
  /// Draws numbers until some meet the requirements, and checks that the claim holds for them. Collects the claim's constants.
  void seek_witness(int t, const claim& says) {
    int found = 0;
    for (int i = 0; i < 2000 && found < 4; ++i) {
      question q{-1, {}, random_};
      says(q, t);
      for (const auto& [group, constants] : q.groups())
        if (auto& all = groups_[group]; all.size() < constants.size()) all = constants;
      if (!q.meets_requirements()) continue;
      ++found;
      if (!q.is_required_and(true)) fail(t, "false for" + text_of_numbers(q.given()));
    }
    if (found == 0) fail(t, "no numbers meet the requirements");
  }
  void prove(int t, const claim& says) {
    question q;
    says(q, t);
    for (const term& c : q.expected()) {
      if (c.is_number() && c.value() != 0) continue;
      const query negated = q.counterexample_of(c);
      if (unsatisfiable_.count(negated.text) != 0) continue;  // already decided for another lane with this shift
      const std::string answer = ask(negated.text);
      if (answer == "unsat") {
        unsatisfiable_.insert(negated.text);
        continue;
      }
      if (answer != "sat") return fail(t, answer);
      // The solver may have chosen a value for a product that is not the real product. Factors are then numbers, so that products
      // are multiplied out.
      const numbers given = model(q, negated);
      if (is_false(-1, t, given, says)) return fail(t, "false for" + text_of_numbers(given));
      const std::optional<numbers> real = counterexample(-1, t, says);
      return fail(t, (real ? "false for" : "a lemma is missing:") + text_of_numbers(real ? *real : given));
    }
  }

  /// Changes one of the constants, and looks for a shift at which the solver finds inputs for which the claim is false.
  /// Checks that the claim is false for these inputs. Shifts from 32 on alternate with shifts from the least on, because most
  /// forms have all their constants from 32 on.
  bool refute(const std::vector<int>& mutants, int low, int high, const claim& says) {
    const int first = std::clamp(32, low, high);
    for (const int mutant : mutants)
      for (int i = 0; i <= 2 * (high - low) + 1 && !has_failed(); ++i) {
        const int t = i % 2 == 0 ? first + i / 2 : low + i / 2;
        if (t <= high && counterexample(mutant, t, says)) return true;
      }
    return has_failed();
  }
  /// Returns inputs for which the claim is false at this shift. Tries each fixed value of the factors in turn.
  std::optional<numbers> counterexample(int mutant, int t, const claim& says) {
    for (int factor = 0; factor < question::factors; ++factor) {
      const std::set<std::string> unchanged = mutant < 0 ? std::set<std::string>{} : texts(factor, t, says);
      question q{mutant, factor};
      says(q, t);
      if (q.constants() <= mutant || q.is_about_nothing()) continue;
      for (const term& c : q.expected()) {
        if (c.is_number() && c.value() != 0) continue;
        const query negated = q.counterexample_of(c);
        if (unchanged.count(negated.text) != 0) continue;  // the constant does not occur in it
        const std::string answer = ask(negated.text);
        if (answer == "unsat") continue;
        if (answer == "sat") {
          const numbers given = model(q, negated);
          if (is_false(mutant, t, given, says)) return given;
          fail(t, "what the solver finds is no counterexample:" + text_of_numbers(given));
        }
        fail(t, answer);
      }
    }
    return std::nullopt;
  }
  /// Returns the queries for the unchanged claim with a factor, or none if no inputs meet the requirements.
  static std::set<std::string> texts(int factor, int t, const claim& says) {
    question q{-1, factor};
    says(q, t);
    std::set<std::string> all;
    if (q.is_about_nothing()) return all;
    for (const term& c : q.expected()) all.insert(q.counterexample_of(c).text);
    return all;
  }
  bool is_false(int mutant, int t, const numbers& given, const claim& says) {
    question q{mutant, given, random_};
    says(q, t);
    return q.is_required_and(false);
  }
  numbers model(const question& q, const query& answered) {
    numbers all = q.pinned();
    for (const std::string& name : q.names()) {
      all[name] = 0;
      const auto named = answered.names.find(name);
      if (named == answered.names.end()) continue;
      const std::string value = asked().value(named->second);  // ((name #x0123)) or #b
      const std::size_t at = value.find('#');
      if (at == std::string::npos) refuse("the solver says " + value);
      const int bits = value[at + 1] == 'x' ? 4 : 1;
      for (std::size_t i = at + 2; i < value.size() && value[i] != ')'; ++i)
        all[name] = all[name] << bits | static_cast<word>(value[i] <= '9' ? value[i] - '0' : (value[i] | 0x20) - 'a' + 10);
    }
    return all;
  }
  static std::string text_of_numbers(const numbers& all) {
    std::string text;
    char digits[40];
    for (const auto& [name, value] : all) {
      std::snprintf(digits, sizeof(digits), "%llx%016llx", static_cast<unsigned long long>(value >> 64),
                    static_cast<unsigned long long>(value));
      text += " " + name + " = 0x" + digits;
    }
    return text;
  }
  std::string part_;
  std::set<std::string> unsatisfiable_;  ///< queries of this claim that have no counterexample
  std::map<std::string, std::vector<int>> groups_;
  std::mt19937_64 random_{1};
};

}  // namespace proof

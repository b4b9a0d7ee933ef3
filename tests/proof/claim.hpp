#pragma once
/// \file
/// A claim is proved for all inputs, one query for each shift and condition. It also has to be about something: for each shift
/// some numbers meet what it requires, and hold; and to be able to fail: with each of its constants changed in turn the solver
/// finds numbers for which it is false, and it is.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "product.hpp"
#include "table.hpp"

namespace proof {

using numbers = std::map<std::string, word>;

/// What a claim says of a shift: about inputs that are symbols, or numbers.
class question {
 public:
  /// About symbols.
  question() { arena::present().clear(); }
  /// The same with constant `mutant` changed, and each factor the given one of a few numbers: a product is then multiplied out.
  question(int mutant, int factor) : question{} { mutant_ = mutant, factor_ = factor; }
  /// About numbers: the given ones, and others as `random` draws them.
  question(int mutant, numbers given, std::mt19937_64& random) : mutant_{mutant}, given_{std::move(given)}, random_{&random} {}

  /// A value of the inputs.
  term input(const std::string& name, int bits) {
    if (random_ == nullptr) {
      names_.push_back(name);
      return symbol_of({name, bits, {}, true, "", {}, {}});
    }
    const auto at = given_.find(name);
    if (at != given_.end()) return {bits, static_cast<integer>(at->second)};
    return {bits, static_cast<integer>(given_[name] = drawn())};
  }
  /// A constant of the code, or of the claim itself: one more, or `change` more, in a mutant.
  term constant(int bits, integer value, integer change = 1) {
    return number(bits, !keeps_constants_ && constants_++ == mutant_ ? value + change : value);
  }
  /// From here on no constant is changed: those of code that another claim is about.
  void keep_constants() { keeps_constants_ = true; }
  /// The same for what is multiplied by another input.
  term factor(const std::string& name, int bits) {
    if (factor_ < 0) return input(name, bits);
    const word chosen[factors] = {1, word{1} << (bits - 2), 3, ~word{0}, word{1} << (bits - 1), term::mask(bits - 1)};
    pinned_[name] = chosen[factor_] & term::mask(bits);
    return {bits, static_cast<integer>(chosen[factor_])};
  }
  static constexpr int factors = 6;
  const numbers& pinned() const { return pinned_; }
  /// What the inputs are.
  void require(const term& c) { required_.push_back(c); }
  /// What is true of all inputs, proved elsewhere.
  void lemma(const term& c) {
    if (c.is_number() && c.value() == 0) refuse("a lemma is wrong");
    lemmas_.push_back(c);
  }
  /// What is to be proved.
  void expect(const term& c) { expected_.push_back(c); }

  int constants() const { return constants_; }
  const numbers& given() const { return given_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<term>& expected() const { return expected_; }
  bool is_required_and(bool holds) const {
    const auto is_true = [](const term& c) { return c.value() != 0; };
    return std::all_of(required_.begin(), required_.end(), is_true) &&
           std::all_of(expected_.begin(), expected_.end(), is_true) == holds;
  }
  bool is_about_nothing() const {
    return std::any_of(required_.begin(), required_.end(), [](const term& c) { return c.is_number() && c.value() == 0; });
  }
  bool meets_requirements() const { return is_required_and(true) || is_required_and(false); }

  /// The text that is satisfied by inputs for which `expected` is false.
  std::string counterexample_of(const term& expected) const {
    std::vector<term> asserted = {!expected};
    std::vector<char> needed(arena::present().nodes.size(), 0);
    // What is said of other inputs does not matter, and less than is assumed proves no less.
    const auto add = [&asserted](const std::vector<term>& all) {
      for (const term& c : all)
        if (asserted[0].is_number() || is_about_these(c, asserted[0])) asserted.push_back(c);
    };
    add(required_);
    add(lemmas_);
    for (std::size_t i = 0; i < asserted.size(); ++i) {
      std::vector<term> open = {asserted[i]};
      while (!open.empty()) {
        const term t = open.back();
        open.pop_back();
        if (t.is_number() || needed[static_cast<std::size_t>(t.node())] != 0) continue;
        needed[static_cast<std::size_t>(t.node())] = 1;
        const node& n = node_of(t);
        open.insert(open.end(), n.of.begin(), n.of.end());
        asserted.insert(asserted.end(), n.lemmas.begin(), n.lemmas.end());
      }
    }
    std::string text = "(set-logic QF_UFBV)\n";
    std::set<std::string> functions;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i] == 0) continue;
      const node& n = arena::present().nodes[i];
      if (!n.function.empty() && functions.insert(n.function).second)
        text += "(declare-fun " + n.function + " (" + sort_of(n.bits / 2) + " " + sort_of(n.bits / 2) + ") " + sort_of(n.bits) +
                ")\n";
      if (n.is_input)
        text += "(declare-const " + n.text + " " + sort_of(n.bits) + ")\n";
      else
        text += "(define-fun n" + std::to_string(i) + " () " + sort_of(n.bits) + " " + n.text + ")\n";
    }
    for (const term& c : asserted)
      if (!c.is_number() || c.value() == 0) text += "(assert (= " + text_of(c) + " #b1))\n";
    return text;
  }
  bool names_input_in(const std::string& text, const std::string& name) const {
    return text.find("(declare-const " + name + " ") != std::string::npos;
  }

 private:
  /// Whether a condition is about no other inputs than another one.
  static bool is_about_these(const term& c, const term& other) {
    if (c.is_number()) return false;
    const std::set<int>&own = node_of(c).inputs, &all = node_of(other).inputs;
    return std::includes(all.begin(), all.end(), own.begin(), own.end());
  }
  /// Few bits, those beside a power of two, all ones, or any.
  word drawn() {
    std::mt19937_64& random = *random_;
    const word any = static_cast<word>(random()) << 64 | random();
    switch (random() % 4) {
      case 0: return static_cast<word>(static_cast<integer>(random() % 5) - 2);
      case 1: return (word{1} << random() % 128) + static_cast<word>(static_cast<integer>(random() % 3) - 1);
      case 2: return any >> random() % 128;
      default: return any;
    }
  }
  int mutant_ = -1;
  int factor_ = -1;
  int constants_ = 0;
  bool keeps_constants_ = false;
  numbers given_;
  numbers pinned_;
  std::mt19937_64* random_ = nullptr;
  std::vector<std::string> names_;
  std::vector<term> required_;
  std::vector<term> lemmas_;
  std::vector<term> expected_;
};

using claim = std::function<void(question&, int)>;

/// Proves claims for shifts.
class prover : public table {
 public:
  using table::table;

  void prove(const std::string& name, int low, int high, const claim& says) {
    if (!begin(name + ", t = " + std::to_string(low) + " .. " + std::to_string(high))) return;
    int constants = 0;
    for (int t = low; t <= high && !has_failed(); ++t) {
      constants = std::max(constants, seek_witness(t, says));
      prove(t, says);
    }
    if (constants == 0) table::fail("no constant to change");
    for (int i = 0; i < constants && !has_failed(); ++i) refute(i, low, high, says);
    end();
  }

 private:
  void fail(int t, const std::string& why) { table::fail("shift " + std::to_string(t) + ": " + why); }
  /// Some numbers meet the requirements, and for those the claim holds. Returns the number of constants.
  int seek_witness(int t, const claim& says) {
    int found = 0, constants = 0;
    for (int i = 0; i < 2000 && found < 4; ++i) {
      question q{-1, {}, random_};
      says(q, t);
      constants = q.constants();
      if (!q.meets_requirements()) continue;
      ++found;
      if (!q.is_required_and(true)) fail(t, "false for" + text_of_numbers(q.given()));
    }
    if (found == 0) fail(t, "no numbers meet the requirements");
    return constants;
  }
  void prove(int t, const claim& says) {
    question q;
    says(q, t);
    for (const term& c : q.expected()) {
      if (c.is_number() && c.value() != 0) continue;
      const std::string text = q.counterexample_of(c);
      const std::string answer = ask(text);
      if (answer == "unsat") continue;
      if (answer != "sat") return fail(t, answer);
      // Its product may be none: then by products that are multiplied out.
      const numbers given = model(q, text);
      if (is_false(-1, t, given, says)) return fail(t, "false for" + text_of_numbers(given));
      const std::optional<numbers> real = counterexample(-1, t, says);
      return fail(t, (real ? "false for" : "a lemma is missing:") + text_of_numbers(real ? *real : given));
    }
  }

  /// With constant `mutant` changed the solver finds inputs for which the claim is false, and it is: at some shift. Those from 32
  /// on, where most forms have all their constants, take turns with those from the least on.
  void refute(int mutant, int low, int high, const claim& says) {
    const int first = std::clamp(32, low, high);
    for (int i = 0; i <= 2 * (high - low) + 1 && !has_failed(); ++i) {
      const int t = i % 2 == 0 ? first + i / 2 : low + i / 2;
      if (t <= high && counterexample(mutant, t, says)) return;
    }
    table::fail("survives a change of constant " + std::to_string(mutant));
  }
  /// Inputs for which the claim is false at this shift, by some factor.
  std::optional<numbers> counterexample(int mutant, int t, const claim& says) {
    for (int factor = 0; factor < question::factors; ++factor) {
      question q{mutant, factor};
      says(q, t);
      if (q.constants() <= mutant || q.is_about_nothing()) continue;
      for (const term& c : q.expected()) {
        if (c.is_number() && c.value() != 0) continue;
        const std::string text = q.counterexample_of(c);
        const std::string answer = ask(text);
        if (answer == "unsat") continue;
        if (answer == "sat") {
          const numbers given = model(q, text);
          if (is_false(mutant, t, given, says)) return given;
          fail(t, "what the solver finds is no counterexample:" + text_of_numbers(given));
        }
        fail(t, answer);
      }
    }
    return std::nullopt;
  }
  bool is_false(int mutant, int t, const numbers& given, const claim& says) {
    question q{mutant, given, random_};
    says(q, t);
    return q.is_required_and(false);
  }
  numbers model(const question& q, const std::string& text) {
    numbers all = q.pinned();
    for (const std::string& name : q.names()) {
      all[name] = 0;
      if (!q.names_input_in(text, name)) continue;
      const std::string value = asked().value(name);  // ((name #x0123)) or #b
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
  std::mt19937_64 random_{1};
};

}  // namespace proof

#pragma once
/// \file
/// The statement of a claim: about symbols, for the solver, or about numbers.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "product.hpp"

namespace proof {

using numbers = std::map<std::string, word>;

/// A query for the solver. Inputs and expressions are numbered in order of first use.
/// Questions that differ only in the names of their inputs therefore have equal texts.
struct query {
  std::string text = "(set-logic QF_UFBV)\n";
  std::map<std::string, std::string> names;  ///< names of inputs and nodes in the text
  std::set<std::string> functions;           ///< declared functions
  std::set<int> any;                         ///< nodes that may have any value, whatever their operands are

  /// Declares and defines the parts of `t`, and adds the facts about it to `known`.
  void define(const term& t, std::vector<term>& known) {
    if (t.is_number() || names.count(text_of(t)) != 0) return;
    const node& n = node_of(t);
    const bool is_any = n.is_input || any.count(t.node()) != 0;
    if (!is_any) {
      for (const term& part : n.of) define(part, known);
      known.insert(known.end(), n.lemmas.begin(), n.lemmas.end());
    }
    const std::string name = (is_any ? "x" : "n") + std::to_string(names.size());
    if (!is_any && !n.function.empty() && functions.insert(n.function).second) {
      text += "(declare-fun " + n.function + " (";
      for (const term& part : n.of) text += sort_of(part.bits()) + " ";
      text += ") " + sort_of(n.bits) + ")\n";
    }
    text += is_any ? "(declare-const " + name + " " + sort_of(n.bits) + ")\n"
                   : "(define-fun " + name + " () " + sort_of(n.bits) + " " + renamed(n.text) + ")\n";
    names[text_of(t)] = name;
  }
  /// Returns an expression with the names of this text.
  std::string renamed(const std::string& expression) const {
    std::string all;
    for (std::size_t at = 0, end = 0; at < expression.size(); at = end) {
      end = std::min(expression.find_first_of(" ()", at), expression.size());
      const auto name = names.find(expression.substr(at, end - at));
      all += name == names.end() ? expression.substr(at, end - at) : name->second;
      if (end < expression.size()) all += expression[end++];
    }
    return all;
  }
};

/// The statement of a claim for one shift: about inputs that are symbols, or about numbers.
class question {
 public:
  /// Makes a question about symbols.
  question() { arena::present().clear(); }
  /// Makes a question with constant `mutant` changed. All factors have the value number `factor` of a short list, so that
  /// products are multiplied out.
  question(int mutant, int factor) : question{} { mutant_ = mutant, factor_ = factor; }
  /// Makes a question about numbers: the given numbers, and others that `random` draws.
  question(int mutant, numbers given, std::mt19937_64& random) : mutant_{mutant}, given_{std::move(given)}, random_{&random} {}

  bool is_about_symbols() const { return random_ == nullptr; }
  /// Returns true for a question about symbols without a change.
  bool is_to_be_proved() const { return random_ == nullptr && factor_ < 0; }
  /// Returns the value of an input.
  term input(const std::string& name, int bits) {
    if (random_ == nullptr) {
      names_.push_back(name);
      return symbol_of({name, bits, {}, true, "", {}, {}});
    }
    const auto at = given_.find(name);
    if (at != given_.end()) return {bits, static_cast<integer>(at->second)};
    return {bits, static_cast<integer>(given_[name] = drawn())};
  }
  /// Returns a constant of the code, or of the claim. A mutant adds `change`.
  /// At least one constant of a group must matter.
  term constant(int bits, integer value, integer change = 1, const std::string& group = "") {
    if (!keeps_constants_) groups_[group.empty() ? std::to_string(constants_) : group].push_back(constants_);
    return number(bits, !keeps_constants_ && constants_++ == mutant_ ? value + change : value);
  }
  /// Keeps all later constants unchanged, because they belong to code that another claim is about.
  void keep_constants() { keeps_constants_ = true; }
  /// Returns the value of an input that is multiplied by another input.
  term factor(const std::string& name, int bits) {
    if (factor_ < 0) return input(name, bits);
    const word chosen[factors] = {1, word{1} << (bits - 2), 3, ~word{0}, word{1} << (bits - 1), term::mask(bits - 1)};
    pinned_[name] = chosen[factor_] & term::mask(bits);
    return {bits, static_cast<integer>(chosen[factor_])};
  }
  static constexpr int factors = 6;
  const numbers& pinned() const { return pinned_; }
  /// Adds a requirement on the inputs.
  void require(const term& c) { required_.push_back(c); }
  /// Adds a fact that holds for all inputs and is proved elsewhere.
  void lemma(const term& c) {
    if (c.is_number() && c.value() == 0) refuse("a lemma is wrong");
    lemmas_.push_back(c);
  }
  /// Adds a condition that is to be proved.
  void expect(const term& c) { expected_.push_back(c); }
  /// Adds a condition that is to be proved for any values of some of its terms. Other conditions state these values.
  void expect_for_any(const std::vector<term>& values, const term& c) {
    for (const term& value : values)
      if (!c.is_number() && !value.is_number()) any_[c.node()].insert(value.node());
    expect(c);
  }

  int constants() const { return constants_; }
  const std::map<std::string, std::vector<int>>& groups() const { return groups_; }
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

  /// Returns a query that is satisfied by inputs for which `expected` is false.
  query counterexample_of(const term& expected) const {
    std::vector<term> asserted = {!expected};
    // Conditions on other inputs are left out. A proof with fewer assumptions proves no less.
    const auto add = [&asserted](const std::vector<term>& all) {
      for (const term& c : all)
        if (asserted[0].is_number() || is_about_these(c, asserted[0])) asserted.push_back(c);
    };
    add(required_);
    add(lemmas_);
    query all;
    const auto any = asserted[0].is_number() || factor_ >= 0 ? any_.end() : any_.find(expected.node());
    if (any != any_.end()) all.any = any->second;
    std::string assertions;
    for (std::size_t i = 0; i < asserted.size(); ++i) {
      const term c = asserted[i];
      all.define(c, asserted);
      if (!c.is_number() || c.value() == 0) assertions += "(assert (= " + all.renamed(text_of(c)) + " #b1))\n";
    }
    all.text += assertions;
    return all;
  }

 private:
  /// Returns true if each input of a condition is an input of the other condition.
  static bool is_about_these(const term& c, const term& other) {
    if (c.is_number()) return false;
    const std::set<int>&own = node_of(c).inputs, &all = node_of(other).inputs;
    return std::includes(all.begin(), all.end(), own.begin(), own.end());
  }
  /// Draws a number: few bits, a neighbour of a power of two, all ones, or any.
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
  std::map<std::string, std::vector<int>> groups_;
  numbers given_;
  numbers pinned_;
  std::mt19937_64* random_ = nullptr;
  std::vector<std::string> names_;
  std::vector<term> required_;
  std::vector<term> lemmas_;
  std::vector<term> expected_;
  std::map<int, std::set<int>> any_;
};

}  // namespace proof

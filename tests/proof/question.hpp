#pragma once
/// \file
/// What a claim says: about symbols, of which the solver is asked, or about numbers.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "product.hpp"

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

  bool is_about_symbols() const { return random_ == nullptr; }
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
  /// A constant of the code, or of the claim itself: one more, or `change` more, in a mutant. Of those of one group one at least
  /// matters.
  term constant(int bits, integer value, integer change = 1, const std::string& group = "") {
    if (!keeps_constants_) groups_[group.empty() ? std::to_string(constants_) : group].push_back(constants_);
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
  std::map<std::string, std::vector<int>> groups_;
  numbers given_;
  numbers pinned_;
  std::mt19937_64* random_ = nullptr;
  std::vector<std::string> names_;
  std::vector<term> required_;
  std::vector<term> lemmas_;
  std::vector<term> expected_;
};

}  // namespace proof

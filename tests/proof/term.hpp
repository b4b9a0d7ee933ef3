#pragma once
/// \file
/// Bit-vector terms: numbers, which are computed at once by the rules of SMT-LIB, and symbols, which write SMT-LIB text.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace proof {

__extension__ typedef unsigned __int128 word;
__extension__ typedef __int128 integer;

/// Ends the program, because the code under proof, or a claim, uses an operation outside its contract.
[[noreturn]] inline void refuse(const std::string& why) {
  std::printf("FAILED: %s\n", why.c_str());
  std::exit(1);
}

/// A bit-vector of 1 .. 128 bits. Conditions have one bit.
class term {
 public:
  term() = default;
  constexpr term(int bits, integer value) : bits_{bits}, value_{static_cast<word>(value) & mask(bits)} {}

  int bits() const { return bits_; }
  bool is_number() const { return node_ < 0; }
  int node() const { return node_; }
  word value() const {
    if (!is_number()) refuse("a symbol has no value: a branch or a shift count depends on data");
    return value_;
  }
  integer signed_value() const { return static_cast<integer>(value() << (128 - bits_)) >> (128 - bits_); }

  static term symbol(int bits, int node) {
    term t{bits, 0};
    t.node_ = node;
    return t;
  }
  static constexpr word mask(int bits) { return bits == 128 ? ~word{0} : (word{1} << bits) - 1; }

 private:
  int bits_ = 0;
  word value_ = 0;
  int node_ = -1;
};

/// An expression that a symbol stands for. Equal texts are one node, so that a query has each expression once.
struct node {
  std::string text;          ///< text of the expression; the text of an input is its name
  int bits = 0;              ///< bits of the value
  std::vector<term> of;      ///< operands
  bool is_input = false;     ///< true if the name is declared and not defined
  std::string function;      ///< the uninterpreted function that it applies, if any
  std::vector<term> lemmas;  ///< facts about a function's value
  std::set<int> inputs;      ///< the inputs on which the value depends
};
/// The nodes of the present query.
struct arena {
  std::vector<node> nodes;
  std::map<std::string, int> known;

  void clear() { nodes.clear(), known.clear(); }
  static arena& present() {
    static arena all;
    return all;
  }
};

inline const node& node_of(const term& t) { return arena::present().nodes[static_cast<std::size_t>(t.node())]; }

inline std::string text_of(const term& t) {
  if (!t.is_number()) return node_of(t).is_input ? node_of(t).text : "n" + std::to_string(t.node());
  std::string s = "#b";
  for (int i = t.bits(); i-- > 0;) s += (t.value() >> i & 1) != 0 ? '1' : '0';
  return s;
}
inline std::string sort_of(int bits) { return "(_ BitVec " + std::to_string(bits) + ")"; }

/// Returns the node with this text. Calls `made` if it is new.
template <class Made>
term symbol_of(node n, const Made& made) {
  arena& all = arena::present();
  const auto [at, is_new] = all.known.emplace(n.text + " " + std::to_string(n.bits), static_cast<int>(all.nodes.size()));
  const term t = term::symbol(n.bits, at->second);
  if (is_new) {
    for (const term& part : n.of)
      if (!part.is_number()) n.inputs.insert(node_of(part).inputs.begin(), node_of(part).inputs.end());
    if (n.is_input) n.inputs.insert(t.node());
    all.nodes.push_back(std::move(n));
    made(t);
  }
  return t;
}
inline term symbol_of(node n) {
  return symbol_of(std::move(n), [](const term&) {});
}
inline term expression(int bits, const std::string& head, const std::vector<term>& of) {
  std::string text = "(" + head;
  for (const term& t : of) text += " " + text_of(t);
  return symbol_of({text + ")", bits, of, false, "", {}, {}});
}

inline term number(int bits, integer value) { return {bits, value}; }
inline term power(int bits, int n) { return number(bits, integer{1} << n); }

/// Returns an expression with an operator of SMT-LIB, or the value if both operands are numbers.
inline term binary(const char* op, const term& a, const term& b, word value) {
  return a.is_number() && b.is_number() ? term{a.bits(), static_cast<integer>(value)} : expression(a.bits(), op, {a, b});
}
inline void need_one_width(const term& a, const term& b) {
  if (a.bits() != b.bits()) refuse("an operation on " + std::to_string(a.bits()) + " and " + std::to_string(b.bits()) + " bits");
}
/// Returns 0 for a symbol. Callers use the value only if both operands are numbers.
inline word value_or_0(const term& a) { return a.is_number() ? a.value() : 0; }
inline bool is_zero(const term& a) { return a.is_number() && a.value() == 0; }

#define DYADIC_PROOF_OPERATOR(symbol, name)                        \
  inline term operator symbol(const term& a, const term& b) {      \
    need_one_width(a, b);                                          \
    return binary(name, a, b, value_or_0(a) symbol value_or_0(b)); \
  }
DYADIC_PROOF_OPERATOR(+, "bvadd")
DYADIC_PROOF_OPERATOR(-, "bvsub")
DYADIC_PROOF_OPERATOR(*, "bvmul")
DYADIC_PROOF_OPERATOR(&, "bvand")
DYADIC_PROOF_OPERATOR(|, "bvor")
DYADIC_PROOF_OPERATOR(^, "bvxor")
#undef DYADIC_PROOF_OPERATOR
inline term operator!(const term& c) { return c ^ number(1, 1); }
inline term implies(const term& a, const term& b) { return (!a) | b; }

/// Shifts. A shift by the number of bits, or by more, shifts off all bits.
/// @{
inline term shift_left(const term& a, const term& n) {
  need_one_width(a, n);
  if (is_zero(n)) return a;
  const word by = value_or_0(n);
  return binary("bvshl", a, n, by >= static_cast<word>(a.bits()) ? 0 : value_or_0(a) << by);
}
inline term shift_right(const term& a, const term& n) {
  need_one_width(a, n);
  if (is_zero(n)) return a;
  const word last = static_cast<word>(a.bits() - 1), by = value_or_0(n) < last ? value_or_0(n) : last;
  return binary("bvashr", a, n, a.is_number() ? static_cast<word>(a.signed_value() >> by) : 0);
}
inline term shift_right_unsigned(const term& a, const term& n) {
  need_one_width(a, n);
  if (is_zero(n)) return a;
  const word by = value_or_0(n);
  return binary("bvlshr", a, n, by >= static_cast<word>(a.bits()) ? 0 : value_or_0(a) >> by);
}
inline term shift_left(const term& a, int n) { return shift_left(a, number(a.bits(), n)); }
inline term shift_right(const term& a, int n) { return shift_right(a, number(a.bits(), n)); }
/// @}

/// Bits high .. low of a symbol, if a term is an extract of a symbol; else high is -1.
struct part {
  int high = -1;
  int low = 0;
};
inline part part_of(const term& a) {
  part p;
  if (!a.is_number() && std::sscanf(node_of(a).text.c_str(), "((_ extract %d %d)", &p.high, &p.low) != 2) p.high = -1;
  return p;
}
inline term concat(const term& high, const term& low);
inline term extend(const term& a, int bits);
/// Returns bits high .. low.
inline term extract(const term& a, int high, int low) {
  const int bits = high - low + 1;
  if (bits == a.bits()) return a;
  if (a.is_number()) return {bits, static_cast<integer>(a.value() >> low)};
  const node& n = node_of(a);
  if (n.text.compare(0, 7, "(concat") == 0) {
    const term upper = n.of[0], lower = n.of[1];
    if (high < lower.bits()) return extract(lower, high, low);
    if (low >= lower.bits()) return extract(upper, high - lower.bits(), low - lower.bits());
    return concat(extract(upper, high - lower.bits(), 0), extract(lower, lower.bits() - 1, low));
  }
  if (n.text.compare(0, 15, "((_ sign_extend") == 0 && low == 0 && bits >= n.of[0].bits()) return extend(n.of[0], bits);
  if (const part p = part_of(a); p.high >= 0) return extract(term{n.of[0]}, p.low + high, p.low + low);
  return expression(bits, "(_ extract " + std::to_string(high) + " " + std::to_string(low) + ")", {a});
}
inline term concat(const term& high, const term& low) {
  if (high.is_number() && low.is_number())
    return {high.bits() + low.bits(), static_cast<integer>(high.value() << low.bits() | low.value())};
  if (high.is_number() && node_of(low).text.compare(0, 7, "(concat") == 0 && node_of(low).of[0].is_number())
    return concat(concat(high, term{node_of(low).of[0]}), term{node_of(low).of[1]});
  const part upper = part_of(high), lower = part_of(low);  // parts of one symbol, perhaps adjacent
  if (upper.high >= 0 && lower.high == upper.low - 1 && node_of(high).of[0].node() == node_of(low).of[0].node())
    return extract(term{node_of(high).of[0]}, upper.high, lower.low);
  return expression(high.bits() + low.bits(), "concat", {high, low});
}
/// Return the number with more bits.
/// @{
inline term extend(const term& a, int bits) {
  if (bits == a.bits()) return a;
  if (a.is_number()) return {bits, a.signed_value()};
  if (const node& n = node_of(a); n.text.compare(0, 7, "(concat") == 0 && n.of[0].is_number())
    return concat(extend(term{n.of[0]}, bits - n.of[1].bits()), term{n.of[1]});
  if (const node& n = node_of(a); n.text.compare(0, 15, "((_ sign_extend") == 0) return extend(term{n.of[0]}, bits);
  return expression(bits, "(_ sign_extend " + std::to_string(bits - a.bits()) + ")", {a});
}
inline term extend_unsigned(const term& a, int bits) { return bits == a.bits() ? a : concat(number(bits - a.bits(), 0), a); }
/// @}

inline term compare(const char* op, const term& a, const term& b, bool value) {
  need_one_width(a, b);
  if (a.is_number() && b.is_number()) return {1, value ? 1 : 0};
  const std::string text = "(ite (" + std::string(op) + " " + text_of(a) + " " + text_of(b) + ") #b1 #b0)";
  return symbol_of({text, 1, {a, b}, false, "", {}, {}});
}
inline bool are_numbers(const term& a, const term& b) { return a.is_number() && b.is_number(); }
inline term equal(const term& a, const term& b) { return compare("=", a, b, are_numbers(a, b) && a.value() == b.value()); }
inline term less(const term& a, const term& b) {
  return compare("bvslt", a, b, are_numbers(a, b) && a.signed_value() < b.signed_value());
}
inline term less_unsigned(const term& a, const term& b) {
  return compare("bvult", a, b, are_numbers(a, b) && a.value() < b.value());
}
inline term at_least(const term& a, integer x) { return !less(a, number(a.bits(), x)); }
inline term at_most(const term& a, integer x) { return !less(number(a.bits(), x), a); }
inline term is_negative(const term& a) { return extract(a, a.bits() - 1, a.bits() - 1); }
inline term select(const term& c, const term& x, const term& y) {
  need_one_width(x, y);
  if (c.is_number()) return c.value() != 0 ? x : y;
  const std::string text = "(ite (= " + text_of(c) + " #b1) " + text_of(x) + " " + text_of(y) + ")";
  return symbol_of({text, x.bits(), {c, x, y}, false, "", {}, {}});
}
inline term min(const term& a, const term& b) { return select(less(a, b), a, b); }
inline term max(const term& a, const term& b) { return select(less(a, b), b, a); }
/// Returns the nearest number of `bits` bits, in the width of `a`.
inline term clamped(const term& a, int bits) {
  return max(min(a, number(a.bits(), (integer{1} << (bits - 1)) - 1)), number(a.bits(), -(integer{1} << (bits - 1))));
}
/// Returns the nearest number of `bits` bits, in `bits` bits.
inline term saturated(const term& a, int bits) { return extract(clamped(a, bits), bits - 1, 0); }
/// a modulo 2^bits.
inline term wrapped(const term& a, int bits) { return extract(a, bits - 1, 0); }
/// Returns a condition: a and b are equal as signed numbers.
inline term same(const term& a, const term& b) {
  const int bits = a.bits() > b.bits() ? a.bits() : b.bits();
  return equal(extend(a, bits), extend(b, bits));
}

}  // namespace proof

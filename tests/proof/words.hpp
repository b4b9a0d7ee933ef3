#pragma once
/// \file
/// Vectors of modelled instructions: words of 32 bits, in registers and in memory.
/// A word that stands for a symbol is a number that occurs nowhere else. Code copies it unchanged, through memory and integers.

#include <dyadic/rounding.hpp>

#include <cstring>
#include <functional>

#include "claim.hpp"

namespace proof {

/// The state of the claim that runs the code.
struct machine {
  question* asked = nullptr;                 ///< the claim that owns the code's constants; null while they do not count
  bool has_symbols = false;                  ///< true if words from first_node_word on denote nodes
  std::map<std::uint32_t, term> stands_for;  ///< the terms that other words denote: symbols or numbers
  question* decided = nullptr;               ///< the claim that decides the branches of the code
  int way = 0;                               ///< the branches to come, one bit for each
  int branches = 0;                          ///< the greatest number of branches to come
  bool is_claimed = false;                   ///< true if the branches are to be proved; else a run assumes them
  std::vector<term> parts;                   ///< terms of outputs of 8 and 16 bits; an output stores its index + 1

  static machine& present() {
    static machine one;
    return one;
  }
  /// Begins a question. Constants of the code do not count yet.
  static void begin(const question& q) { present() = {nullptr, q.is_about_symbols(), {}, nullptr, 0, 0, false, {}}; }
  /// Decides up to `count` branches; each of 2^count runs takes other branches.
  void decide_by(question& q, int run, int count) { decided = &q, way = run % (1 << count), branches = count; }
  /// Claims that the code has `count` branches, and that they go as `bits` says for all inputs.
  void claim_way(question& q, int bits, int count) { decided = &q, way = bits, branches = count, is_claimed = true; }
  /// Returns true if the code had fewer branches, so that another run takes the same ones.
  bool is_way_of_another_run() const { return way != 0 && decided->is_about_symbols(); }
  /// Returns how a branch goes. A run assumes the condition of its branch; all runs together assume nothing.
  static bool takes(const term& condition) {
    machine& m = present();
    if (m.decided == nullptr || condition.is_number()) return condition.value() != 0;
    if (m.branches-- == 0) refuse("more branches than ways");
    const bool taken = (m.way & 1) != 0;
    m.way >>= 1;
    const term is_so = equal(condition, number(1, taken ? 1 : 0));
    m.is_claimed ? m.decided->expect(is_so) : m.decided->require(is_so);
    return taken;
  }
};

/// The result of an instruction that returns a C++ integer: a number, or a value that code compares with 0.
struct comparable {
  term all;

  operator std::int64_t() const { return static_cast<std::int64_t>(all.signed_value()); }
  static void need_0(int x) {
    if (x != 0) refuse("a comparison with another number than 0");
  }
  friend bool operator<(const comparable& a, int x) { return need_0(x), machine::takes(is_negative(a.all)); }
  friend bool operator!=(const comparable& a, int x) { return need_0(x), machine::takes(!equal(a.all, number(a.all.bits(), 0))); }
};

/// The word of the first node. Nodes are the 2^20 words from here on, so that converting one to int64 adds no sign bits.
constexpr std::uint32_t first_node_word = 0x5E30'0000;

inline bool stands_for_symbol(std::uint32_t bits) {
  const machine& m = machine::present();
  return (m.has_symbols && bits >> 20 == first_node_word >> 20) || m.stands_for.count(bits) != 0;
}
/// Returns the term of a word.
inline term term_of(std::uint32_t bits) {
  if (!stands_for_symbol(bits)) return number(32, bits);
  const auto& named = machine::present().stands_for;
  if (const auto at = named.find(bits); at != named.end()) return at->second;
  const auto node = static_cast<int>(bits - first_node_word);
  if (static_cast<std::size_t>(node) >= arena::present().nodes.size()) refuse("a number is taken for a symbol");
  const term t = term::symbol(arena::present().nodes[static_cast<std::size_t>(node)].bits, node);
  if (t.bits() != 32) refuse("a number is taken for a symbol");
  return t;
}
/// Returns the word that stands for a term of 32 bits.
inline std::uint32_t word_of(const term& t) {
  if (t.bits() != 32) refuse("a word of " + std::to_string(t.bits()) + " bits");
  if (!t.is_number()) {
    if (t.node() >= 1 << 20) refuse("too many symbols");
    return first_node_word + static_cast<std::uint32_t>(t.node());
  }
  const auto bits = static_cast<std::uint32_t>(t.value());
  if (stands_for_symbol(bits)) refuse("a number is that of a symbol");
  return bits;
}

/// Words side by side. The type has the size of the compiler's vector and, like it, no constructor.
template <int Words>
struct vector_of {
  std::uint32_t words[std::size_t{Words}];

  /// Returns element i, where elements have `bits` bits.
  term at(int bits, int i) const {
    if (bits == 64) return concat(term_of(words[2 * i + 1]), term_of(words[2 * i]));
    const int low = i * bits % 32;
    return extract(term_of(words[i * bits / 32]), low + bits - 1, low);
  }
  /// Returns a vector whose element i is of(i).
  template <class Of>
  static vector_of make(int bits, const Of& of) {
    vector_of v{};
    for (int i = 0; i < Words; ++i) {
      if (bits == 64) {
        const term t = of(i / 2);
        v.words[i] = word_of(extract(t, i % 2 * 32 + 31, i % 2 * 32));
      } else {
        const int count = 32 / bits;
        term t = of(i * count);
        for (int j = 1; j < count; ++j) t = concat(of(i * count + j), t);
        v.words[i] = word_of(t);
      }
    }
    return v;
  }
};

/// Applies a function to the elements of some vectors, one by one.
template <int Words, class Of, class... Others>
vector_of<Words> each(int bits, const Of& of, const vector_of<Words>& a, const Others&... others) {
  return vector_of<Words>::make(bits, [&](int i) { return of(a.at(bits, i), others.at(bits, i)...); });
}
/// Load from memory and store to it. Loading `bytes` bytes sets the others to 0.
/// @{
template <int Words>
vector_of<Words> load(const void* from, std::size_t bytes = sizeof(vector_of<Words>)) {
  vector_of<Words> v{};
  std::memcpy(v.words, from, bytes);
  return v;
}
template <int Words>
void store(void* to, const vector_of<Words>& v, std::size_t bytes = sizeof(vector_of<Words>)) {
  std::memcpy(to, v.words, bytes);
}
inline void put(void* to, const term& t) {
  for (int i = 0; i < t.bits() / 32; ++i) {
    const std::uint32_t bits = word_of(extract(t, 32 * i + 31, 32 * i));
    std::memcpy(static_cast<char*>(to) + 4 * i, &bits, 4);
  }
}
/// Stores terms one after the other, packed into words.
inline void put_all(void* to, const std::vector<term>& all) {
  const int bits = all[0].bits();
  const std::size_t count = bits < 32 ? static_cast<std::size_t>(32 / bits) : 1;
  if (all.size() % count != 0) refuse("a word is not whole");
  for (std::size_t i = 0; i < all.size(); i += count) {
    term t = all[i];
    for (std::size_t j = 1; j < count; ++j) t = concat(all[i + j], t);
    put(static_cast<char*>(to) + i * static_cast<std::size_t>(bits / 8), t);
  }
}
/// Returns element i, of `bits` bits, of an array.
inline term taken(const void* array, int bits, int i) {
  std::uint32_t around = 0;
  std::memcpy(&around, static_cast<const char*>(array) + 4 * (i * bits / 32), 4);
  const int low = i * bits % 32;
  return extract(term_of(around), low + bits - 1, low);
}
/// @}

/// Returns a literal number of the code as a constant of the claim. The number 0 is not a constant, because no mutant changes it.
inline term named_number(int bits, std::int64_t x) {
  const auto low = static_cast<std::uint32_t>(x), high = static_cast<std::uint32_t>(x >> 32);
  if (bits >= 32 && (stands_for_symbol(low) || (bits == 64 && stands_for_symbol(high))))
    return bits == 32 ? term_of(low) : concat(term_of(high), term_of(low));
  question* const asked = machine::present().asked;
  if (x == 0 || asked == nullptr) return number(bits, x);
  // The least number, and shifts that leave no bits, are decreased by 1, because increasing them would not change a result.
  const bool is_last = bits == 32 && (x == dyadic::int32_min || x == 63 || x == 95);
  const integer change = is_last ? -1 : bits < 64 || x == -1 ? 1 : x < 0 ? (integer{x} >> 20) - x : -integer{x} / 2;
  return asked->constant(bits, x, change, std::to_string(x) + " of " + std::to_string(bits) + " bits");
}
template <int Words>
vector_of<Words> all_of(int bits, std::int64_t x) {
  const term t = named_number(bits, x);
  return vector_of<Words>::make(bits, [&](int) { return t; });
}
/// Returns a vector of the listed numbers.
template <int Words, class... X>
vector_of<Words> listed(int bits, X... x) {
  const std::int64_t list[] = {x...};
  return vector_of<Words>::make(bits, [&](int i) { return number(bits, list[i]); });
}

/// Operations that several instruction sets have.
/// @{
inline term all_ones_if(const term& c, int bits) { return extend(c, bits); }
inline term min_unsigned(const term& a, const term& b) { return select(less_unsigned(a, b), a, b); }
inline term max_unsigned(const term& a, const term& b) { return select(less_unsigned(a, b), b, a); }
inline term add_saturated(const term& a, const term& b) {
  return saturated(extend(a, a.bits() + 1) + extend(b, b.bits() + 1), a.bits());
}
/// Returns the nearest unsigned number of `bits` bits.
inline term saturated_unsigned(const term& a, int bits) {
  return extract(max(min(a, number(a.bits(), (integer{1} << bits) - 1)), number(a.bits(), 0)), bits - 1, 0);
}
/// Returns the lower half of a product; a product by a power of two is a shift.
inline term product_wrapped(const term& a, const term& b) {
  if (b.is_number() && !a.is_number())
    for (int n = 0; n < b.bits(); ++n)
      if (b.value() == word{1} << n) return shift_left(a, n);
  return product_low(a, b);
}
/// @}

/// An instruction without a model. A header may name it, but no proof runs it.
template <class Result>
struct no_model {
  template <class... A>
  Result operator()(const A&...) const {
    refuse("an instruction without a model");
  }
};

}  // namespace proof

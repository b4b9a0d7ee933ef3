#pragma once
/// \file
/// Classes that replace the integers of C++ and compute with terms. Code for one lane compiles with these classes in place of
/// std::int32_t and related types. A literal number of the code becomes a constant of the claim. Converting a number that denotes
/// a symbol gives the term of the symbol.

#include <dyadic/rounding.hpp>

#include "../words.hpp"

namespace proof {

struct integer32;
struct unsigned32;

/// Returns a literal number of the code as a constant of the claim. A mutant adds 1 to a short number, swaps the least and the
/// greatest, and halves other long numbers. A mask becomes 0.
inline term constant_of_code(int x, integer change) {
  if (const auto bits = static_cast<std::uint32_t>(x); stands_for_symbol(bits)) return term_of(bits);
  question* const asked = machine::present().asked;
  if (x == 0 || asked == nullptr) return number(32, x);
  return asked->constant(32, x, change, std::to_string(x));
}
inline term constant_of_code(int x) {
  const bool is_short = x > -65536 && x < 65536;
  return constant_of_code(x, is_short || x == dyadic::int32_max ? 1 : x == dyadic::int32_min ? -1 : -integer{x} / 2);
}

struct integer64 {
  std::uint32_t words[2];

  integer64() = default;
  integer64(long x) : words{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(x >> 32)} {}
  integer64(int x) : integer64{extend(term_of(static_cast<std::uint32_t>(x)), 64)} {}
  inline integer64(const integer32& x);
  inline integer64(const unsigned32& x);
  explicit integer64(const term& t) : words{word_of(extract(t, 31, 0)), word_of(extract(t, 63, 32))} {}
  term get() const { return concat(term_of(words[1]), term_of(words[0])); }

  friend integer64 operator-(const integer64& a, const integer64& b) { return integer64{a.get() - b.get()}; }
  friend integer64 operator*(const integer64& a, const integer64& b) { return integer64{product_wrapped(a.get(), b.get())}; }
  friend integer64 operator|(const integer64& a, const integer64& b) { return integer64{a.get() | b.get()}; }
  friend integer64 operator<<(const integer64& a, int n) { return integer64{shift_left(a.get(), n)}; }
};

/// An int32 over terms, with the size of std::int32_t.
struct integer32 {
  std::uint32_t word;

  integer32() = default;
  template <class Int, std::enable_if_t<std::is_same_v<Int, int>, int> = 0>
  integer32(Int x) : integer32{constant_of_code(x)} {}
  explicit integer32(int x) : word{static_cast<std::uint32_t>(x)} {}
  explicit integer32(unsigned x) : integer32{number(32, x)} {}
  inline explicit integer32(const unsigned32& x);
  explicit integer32(const term& t) : word{word_of(t)} {}
  term get() const { return term_of(word); }
  /// Converts to an output, a number that denotes the term. If the output has fewer than 32 bits, it is an index into `parts`,
  /// counted from 1.
  template <class Y, std::enable_if_t<std::is_integral_v<Y>, int> = 0>
  explicit operator Y() const {
    if (sizeof(Y) == 4) return static_cast<Y>(word);
    auto& parts = machine::present().parts;
    parts.push_back(wrapped(get(), static_cast<int>(8 * sizeof(Y))));
    if (parts.size() > 127) refuse("too many outputs");
    return static_cast<Y>(parts.size());
  }

  friend integer32 operator+(const integer32& a, const integer32& b) { return integer32{a.get() + b.get()}; }
  friend integer32 operator&(const integer32& a, int mask) { return integer32{a.get() & constant_of_code(mask, -integer{mask})}; }
  friend integer32 operator|(const integer32& a, const integer32& b) { return integer32{a.get() | b.get()}; }
  friend integer32 operator>>(const integer32& a, int n) { return integer32{shift_right(a.get(), n)}; }
  friend bool operator<(const integer32& a, const integer32& b) { return machine::takes(less(a.get(), b.get())); }
};

struct unsigned32 {
  std::uint32_t word;

  unsigned32(unsigned x) : word{x} {}
  explicit unsigned32(int x) : word{static_cast<unsigned>(x)} {}
  explicit unsigned32(const integer32& x) : word{word_of(x.get())} {}
  term get() const { return term_of(word); }

  friend unsigned32 operator<<(const unsigned32& a, int n) { return {word_of(shift_left(a.get(), n))}; }
  friend unsigned32 operator|(const unsigned32& a, const unsigned32& b) { return {word_of(a.get() | b.get())}; }
  friend unsigned32 operator&(const unsigned32& a, unsigned b) { return {word_of(a.get() & number(32, b))}; }
};

inline integer64::integer64(const integer32& x) : integer64{extend(x.get(), 64)} {}
inline integer64::integer64(const unsigned32& x) : integer64{extend_unsigned(x.get(), 64)} {}
inline integer32::integer32(const unsigned32& x) : integer32{x.get()} {}

/// Returns the term that was stored as output i.
template <class Y>
term stored_output(const Y* y, int i) {
  if (sizeof(Y) == 4) return taken(y, 32, i);
  const auto& parts = machine::present().parts;
  const auto at = static_cast<std::size_t>(y[i]) - 1;
  if (at >= parts.size()) refuse("an output is not stored");
  return parts[at];
}

/// dyadic::one_lane over integers of terms.
struct lane_of_integers {
  static constexpr int count = 1;
  using int32s = integer32;
  using int64s = integer64;
  using products = integer64;

  static products multiply(int32s a, int32s b) { return products{product(a.get(), b.get())}; }
  static int64s multiply(int64s a, int64s b) { return int64s{product_low(a.get(), b.get())}; }
  static int64s add(int64s a, int64s b) { return int64s{a.get() + b.get()}; }
  static int64s subtract(int64s a, int64s b) { return int64s{a.get() - b.get()}; }
  static int64s bit_and(int64s a, int64s b) { return int64s{a.get() & b.get()}; }
  static int64s negative(int64s a) { return shift_right(a, 63); }
  static int64s shift_right(int64s a, int n) { return int64s{proof::shift_right(a.get(), n)}; }
  static int64s shift_right(int64s a, int32s n) { return int64s{proof::shift_right(a.get(), extend(n.get(), 64))}; }
  static int32s wrap(int64s a) { return int32s{extract(a.get(), 31, 0)}; }
  static int32s saturate(int64s a) { return int32s{saturated(a.get(), 32)}; }
  static int32s high(int64s a) { return int32s{extract(a.get(), 63, 32)}; }
  static products sign_weight(int32s a) { return products{proof::shift_left(extend_unsigned(is_negative(a.get()), 64), 31)}; }

  static int32s add(int32s a, int32s b) { return a + b; }
  static int32s subtract(int32s a, int32s b) { return int32s{a.get() - b.get()}; }
  static int32s multiply_low(int32s a, int32s b) { return int32s{product_low(a.get(), b.get())}; }
  static int32s shift_left(int32s a, int n) { return int32s{proof::shift_left(a.get(), n)}; }
  static int32s shift_left(int32s a, int32s n) { return int32s{proof::shift_left(a.get(), n.get())}; }
  static int32s shift_right(int32s a, int n) { return a >> n; }
  static int32s shift_right(int32s a, int32s n) { return int32s{proof::shift_right(a.get(), n.get())}; }
  static int32s min(int32s a, int32s b) { return int32s{proof::min(a.get(), b.get())}; }
  static int32s max(int32s a, int32s b) { return int32s{proof::max(a.get(), b.get())}; }
  static int32s select_greater(int32s a, int32s b, int32s x, int32s y) {
    return int32s{select(less(b.get(), a.get()), x.get(), y.get())};
  }
  static int32s select_equal(int32s a, int32s b, int32s x, int32s y) {
    return int32s{select(equal(a.get(), b.get()), x.get(), y.get())};
  }
  static int32s broadcast(int32s x) { return x; }
  template <class Wide>
  static Wide broadcast64(int64s x) {
    return x;
  }
  static constexpr no_model<int64s> multiply_binary32{};
  template <class Rule>
  static constexpr bool has_rounded_product = false;
};

/// Runs the two instructions of Armv7E-M that the headers have as assembly. Operands are named as in the headers.
/// If the code has no operand of some name, the name finds a function of region.hpp.
/// @{
using no_operand = void();
template <class Sum, class X, class M, class Rounding, class Range>
void assembly(const char* text, Sum& sum, X& x, const M& m, const Rounding& rounding, const Range& range) {
  const auto begins_with = [text](const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; };
  if constexpr (std::is_same_v<Sum, integer32>) {
    if (!begins_with("\"smmla %0, %1, %2, %3\" : \"=r\"(sum) : \"r\"(x), \"r\"(m), \"r\"(rounding)")) refuse(text);
    sum = integer32{extract(product(x.get(), m.get()) + concat(rounding.get(), number(32, 0)), 63, 32)};
  } else if constexpr (!std::is_function_v<Range>) {
    if (!begins_with("\"qadd %0, %0, %1\" : \"+r\"(x) : \"r\"(range_.zero_point)")) refuse(text);
    x = integer32{add_saturated(x.get(), range.zero_point.get())};
  } else {
    refuse("assembly without a model");
  }
}
/// @}

}  // namespace proof

namespace dyadic {
template <>
inline proof::integer32 saturate<proof::integer32>(proof::integer64 x) noexcept {
  return proof::lane_of_integers::saturate(x);
}
}  // namespace dyadic

#pragma once
/// \file
/// Replaces the compiler's header, because the compiler finds this file first. It has the header's types and functions over
/// vectors of words. Each model is written from Intel's manual, and models_test compares it with the instruction. Code may name
/// an instruction without a model, but no proof may run it.

#include <dyadic/config.hpp>

#include "../binary32.hpp"
#include "../words.hpp"

// Code over words needs no instruction set.
#undef DYADIC_BEGIN_TARGET
#define DYADIC_BEGIN_TARGET(name)
#undef DYADIC_END_TARGET
#define DYADIC_END_TARGET

using __m128i = proof::vector_of<4>;
using __m256i = proof::vector_of<8>;
using __m512i = proof::vector_of<16>;
using __m128 = __m128i;
using __m256 = __m256i;
using __m512 = __m512i;
enum { _MM_PERM_CCAA = 0xA0, _MM_PERM_DDBB = 0xF5, _CMP_GE_OQ = 29, _MM_ROUND_MASK = 0x6000, _MM_ROUND_NEAREST = 0 };

/// A mask with a bit for each element of a vector: a number, or conditions.
struct mask {
  std::uint32_t bits;
  int node = -1;

  constexpr mask(std::uint32_t all) : bits{all} {}
  explicit mask(const proof::term& t) : bits{t.is_number() ? static_cast<std::uint32_t>(t.value()) : 0}, node{t.node()} {}
  proof::term at(int i) const {
    if (node < 0) return proof::number(1, bits >> i & 1);
    return proof::extract(proof::term::symbol(proof::arena::present().nodes[static_cast<std::size_t>(node)].bits, node), i, i);
  }
  /// Requires a mask of all `count` elements. The code has such masks only to avoid a warning of the compiler's header.
  void need_all(int count) const {
    if (node >= 0 || bits != (std::uint64_t{1} << count) - 1) proof::refuse("a model of an instruction under a mask of all");
  }
  friend mask operator>>(const mask& a, int n) {
    if (a.node >= 0) proof::refuse("a shift of a mask that depends on data");
    return {static_cast<std::uint32_t>(a.bits >> n)};
  }
  friend bool operator!=(const mask& a, int b) {
    if (b != 0) proof::refuse("a mask is compared with another number than 0");
    if (a.node < 0) return a.bits != 0;
    const int all = proof::arena::present().nodes[static_cast<std::size_t>(a.node)].bits;
    return proof::machine::takes(!proof::equal(proof::term::symbol(all, a.node), proof::number(all, 0)));
  }
};
using __mmask8 = mask;
using __mmask16 = mask;
using __mmask32 = mask;
using __mmask64 = std::uint64_t;

namespace proof {

template <int Words>
vector_of<Words> masked(const mask& k, int bits, const vector_of<Words>& x, const vector_of<Words>& otherwise) {
  return vector_of<Words>::make(bits, [&](int i) { return select(k.at(i), x.at(bits, i), otherwise.at(bits, i)); });
}
/// Returns floor(a / 2^n). If a is a concatenation of some bits and n zeros, returns those bits.
inline term shifted_right(const term& a, const term& n) {
  if (!a.is_number() && n.is_number())
    if (const node& made = node_of(a); made.text.compare(0, 7, "(concat") == 0)
      if (is_zero(made.of[1]) && n.value() == static_cast<word>(made.of[1].bits())) return extend(term{made.of[0]}, a.bits());
  return shift_right(a, n);
}
/// Returns the shift that the lower 64 bits of a register mean for elements of `bits` bits.
inline term shift_count(const __m128i& n, int bits) { return extract(min_unsigned(n.at(64, 0), number(64, bits)), bits - 1, 0); }
template <int Words>
vector_of<Words> each_shifted(int bits, const vector_of<Words>& x, const term& n, term (*shift)(const term&, const term&)) {
  return each(
      bits, [&](const term& a) { return shift(a, n); }, x);
}
/// PACKSS, PACKUS: for each 128 bits the elements of a, then those of b, narrowed to half their bits.
template <int Words>
vector_of<Words> pack(int bits, const vector_of<Words>& a, const vector_of<Words>& b, term (*narrow)(const term&, int)) {
  const int half = 128 / bits;
  return vector_of<Words>::make(bits / 2, [&](int i) {
    const int within = i % (2 * half), begin = i / (2 * half) * half;
    return narrow((within < half ? a : b).at(bits, begin + within % half), bits / 2);
  });
}
template <int Words>
vector_of<Words> chosen_by_bytes(const vector_of<Words>& a, const vector_of<Words>& b, const vector_of<Words>& k) {
  const auto is_condition = [](const term& t) {
    return !t.is_number() && node_of(t).text.compare(0, 19, "((_ sign_extend 31)") == 0;
  };
  bool are_conditions = true;
  for (int i = 0; i < Words; ++i) are_conditions = are_conditions && is_condition(k.at(32, i));
  if (are_conditions)
    return vector_of<Words>::make(32, [&](int i) { return select(is_negative(k.at(32, i)), b.at(32, i), a.at(32, i)); });
  return vector_of<Words>::make(8, [&](int i) { return select(is_negative(k.at(8, i)), b.at(8, i), a.at(8, i)); });
}
/// Shuffles in each four words: two words of a, then two words of b; or four words of one vector.
/// @{
template <int Words>
vector_of<Words> shuffled(const vector_of<Words>& a, const vector_of<Words>& b, int order) {
  return vector_of<Words>::make(32, [&](int i) { return (i % 4 < 2 ? a : b).at(32, i / 4 * 4 + (order >> 2 * (i % 4) & 3)); });
}
template <int Words>
vector_of<Words> shuffled(const vector_of<Words>& a, int order) {
  return shuffled(a, a, order);
}
/// @}
/// Returns the elements that `index` selects from a and b as one list.
template <int Words>
vector_of<Words> permuted(int bits, const vector_of<Words>& a, const vector_of<Words>& index, const vector_of<Words>& b) {
  const word count = static_cast<word>(Words * 32 / bits);
  return vector_of<Words>::make(bits, [&](int i) {
    const word at = index.at(bits, i).value();
    return ((at & count) == 0 ? a : b).at(bits, static_cast<int>(at % count));
  });
}
template <int To, int From>
vector_of<To> some_words(const vector_of<From>& v, int first) {
  return load<To>(v.words + first);
}
template <int To, int From>
vector_of<To> widened(int bits, int to, const vector_of<From>& v, bool has_sign) {
  return vector_of<To>::make(to,
                             [&](int i) { return has_sign ? extend(v.at(bits, i), to) : extend_unsigned(v.at(bits, i), to); });
}
/// Returns the sum of the two products of int16 in each word.
inline term sum_of_products(const term& a, const term& b) {
  return product(extract(a, 15, 0), extract(b, 15, 0)) + product(extract(a, 31, 16), extract(b, 31, 16));
}
template <int Words>
mask conditions(const vector_of<Words>& a, const vector_of<Words>& b, term (*of)(const term&, const term&)) {
  term all = of(a.at(32, 0), b.at(32, 0));
  for (int i = 1; i < Words; ++i) all = concat(of(a.at(32, i), b.at(32, i)), all);
  return mask{all};
}
/// Returns the signs as the bits of a number.
template <int Words>
comparable signs(const vector_of<Words>& a) {
  term all = is_negative(a.at(32, 0));
  for (int i = 1; i < Words; ++i) all = concat(is_negative(a.at(32, i)), all);
  return {extend_unsigned(all, 32)};
}

/// Runs the assembly of the headers, whose operands are passed by their names there. A name that is no operand means a function.
/// @{
using no_operand = void();
template <class V>
void assembly(const char* text, no_operand*, no_operand*, no_operand*, const V&) {
  if (std::strncmp(text, "\"\" :", 4) != 0) refuse("assembly without a model");
}
template <class T>
void assembly(const char* text, no_operand*, const T& /*x*/, no_operand*, no_operand*) {
  if (std::strncmp(text, "\"\" :", 4) != 0) refuse("assembly without a model");
}
inline void assembly(const char* text, __m512i& acc, const __m512i& x, const __m512i& w, no_operand*) {
  const bool of_words = std::strncmp(text, "\"vpdpwssd ", 10) == 0;
  if (!of_words && std::strncmp(text, "\"vpdpbusd ", 10) != 0) refuse("assembly without a model");
  acc = each(
      32,
      [&](const term& sum, const term& a, const term& b) {
        if (of_words) return sum + sum_of_products(a, b);
        term all = sum;
        for (int i = 0; i < 32; i += 8) all = all + extend_unsigned(extract(a, i + 7, i), 32) * extend(extract(b, i + 7, i), 32);
        return all;
      },
      acc, x, w);
}
/// @}

}  // namespace proof

namespace dyadic::detail {
inline void acc() {}
inline void x() {}
inline void w() {}
inline void v() {}
}  // namespace dyadic::detail
#define __asm__(...) proof::assembly(#__VA_ARGS__, acc, x, w, v)

#include "functions.hpp"
#include "functions512.hpp"

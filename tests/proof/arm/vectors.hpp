#pragma once
/// \file
/// The vectors of Arm's headers over words, and what their instructions have in common.

#include <dyadic/config.hpp>

#include <type_traits>

#include "../words.hpp"

#ifdef __clang__  // of assembly that is volatile
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif

namespace proof {

/// A vector of `Count` elements. As many bytes as the compiler's, and no constructor.
template <class Element, int Count>
struct vector_type : vector_of<Count* static_cast<int>(sizeof(Element)) / 4> {
  using base = vector_of<Count* static_cast<int>(sizeof(Element)) / 4>;
  static constexpr int bits = 8 * static_cast<int>(sizeof(Element));
  static constexpr int count = Count;

  term operator[](int i) const { return this->at(bits, i); }
  template <class Of>
  static vector_type make(int bits_of_one, const Of& of) {
    return {base::make(bits_of_one, of)};
  }
};
/// Some vectors of one kind, as the compiler's structures of them.
template <class Vector, int Count>
struct some_vectors {
  Vector val[std::size_t{Count}];
};

/// A vector whose element i is of(i).
template <class Vector, class Of>
Vector made(const Of& of) {
  return Vector::make(Vector::bits, of);
}
/// The same bits.
template <class To, class From>
To same_bits(const From& x) {
  static_assert(sizeof(To) == sizeof(From));
  To y{};
  std::memcpy(&y, &x, sizeof(y));
  return y;
}
/// From memory and to it, one after the other, or by turns.
/// @{
template <class Vectors>
Vectors load_vectors(const void* from) {
  Vectors v{};
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class Vector, int Count>
some_vectors<Vector, Count> by_turns(const some_vectors<Vector, Count>& v) {
  some_vectors<Vector, Count> all{};
  for (int k = 0; k < Count; ++k)
    all.val[k] = made<Vector>([&](int i) {
      const int at = Count * i + k;
      return v.val[at / Vector::count][at % Vector::count];
    });
  return all;
}
template <class Vector, int Count>
void store_by_turns(void* to, const some_vectors<Vector, Count>& v) {
  for (int k = 0; k < Count; ++k) {
    const Vector some = made<Vector>([&](int i) {
      const int at = Vector::count * k + i;
      return v.val[at % Count][at / Count];
    });
    std::memcpy(static_cast<Vector*>(to) + k, &some, sizeof(some));
  }
}
/// @}
/// The lower bits of each element.
template <class Element, class Vector>
void store_narrow(void* to, const Vector& x) {
  using narrow = vector_type<Element, Vector::count>;
  const auto some = made<narrow>([&](int i) { return wrapped(x[i], narrow::bits); });
  std::memcpy(to, &some, sizeof(some));
}

/// The signed lower byte of a shift count: to the left, or by less than 0 to the right.
inline int shift_of(const term& n) { return static_cast<int>(extract(n, 7, 0).signed_value()); }
/// a * 2^n without the bits above it; for n < 0 it is floored, or rounded, ties up.
/// @{
inline term shifted(const term& a, int n) { return n >= 0 ? shift_left(a, n) : shift_right(a, -n); }
inline term shifted_unsigned(const term& a, int n) {
  return n >= 0 ? shift_left(a, n) : shift_right_unsigned(a, number(a.bits(), -n));
}
inline term shifted_rounded(const term& a, int n) {
  if (n >= 0) return shift_left(a, n);
  const int wide = a.bits() + 1;
  if (-n > a.bits()) return number(a.bits(), 0);  // half of the last bit at most
  return wrapped(shift_right(extend(a, wide) + power(wide, -n - 1), -n), a.bits());
}
/// @}
/// floor(a b / 2^31), and with ties up, in int32, saturated.
/// @{
inline term high_doubled(const term& a, const term& b) { return saturated(shift_right(product(a, b), 31), 32); }
inline term high_doubled_rounded(const term& a, const term& b) {
  return saturated(shift_right(extend(product(a, b), 65) + power(65, 30), 31), 32);
}
/// @}
/// Bits of a where those of `which` are 1, else of b.
inline term chosen(const term& which, const term& a, const term& b) {
  if (!which.is_number() && node_of(which).text.compare(0, 15, "((_ sign_extend") == 0 && node_of(which).of[0].bits() == 1)
    return select(is_negative(which), a, b);
  return (which & a) | ((which ^ number(which.bits(), -1)) & b);
}

/// The assembly of the headers. None of micro-kernels is run; without an instruction it hides something from the compiler: where
/// `words` points to, or what `all` is, which is then anything.
/// @{
using no_operand = void();
template <class Words, class X, class All>
void assembly(const char* text, Words& words, [[maybe_unused]] const X& x, All& all) {
  const auto begins_with = [text](const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; };
  if (!begins_with("\"\" :")) refuse("assembly without a model");
  if constexpr (std::is_pointer_v<Words> && std::is_pointer_v<X>)
    if (begins_with("\"\" : \"=r\"(words)")) words = reinterpret_cast<Words>(x);
  if constexpr (!std::is_function_v<All> && !std::is_const_v<All>)
    if (begins_with("\"\" : \"=w\"(all)")) std::memset(&all, 0x5A, sizeof(all));
}
/// @}

}  // namespace proof

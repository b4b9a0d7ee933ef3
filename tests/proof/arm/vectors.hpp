#pragma once
/// \file
/// The vectors of Arm's headers over words, and what their instructions have in common.

#include <dyadic/config.hpp>

#include "../words.hpp"

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
/// From memory, one after the other, or by turns.
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
/// @}

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

}  // namespace proof

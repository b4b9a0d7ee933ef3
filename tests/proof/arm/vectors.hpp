#pragma once
/// \file
/// The vectors of Arm's headers over words, and operations that their instructions share.

#include <dyadic/config.hpp>

#include <type_traits>

#include "../words.hpp"

#ifdef __clang__  // the models define volatile as a macro
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif

namespace proof {

/// A vector of `Count` elements. The type has the size of the compiler's vector and no constructor.
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
/// Several vectors of one kind, like the compiler's structures.
template <class Vector, int Count>
struct some_vectors {
  Vector val[std::size_t{Count}];
};

/// Returns a vector whose element i is of(i).
template <class Vector, class Of>
Vector made(const Of& of) {
  return Vector::make(Vector::bits, of);
}
/// Returns a vector of another type with the same bits.
template <class To, class From>
To same_bits(const From& x) {
  static_assert(sizeof(To) == sizeof(From));
  To y{};
  std::memcpy(&y, &x, sizeof(y));
  return y;
}
/// Load from memory and store to it, side by side or interleaved.
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
/// Stores the lower bits of each element.
template <class Element, class Vector>
void store_narrow(void* to, const Vector& x) {
  using narrow = vector_type<Element, Vector::count>;
  const auto some = made<narrow>([&](int i) { return wrapped(x[i], narrow::bits); });
  std::memcpy(to, &some, sizeof(some));
}

/// Returns the signed lower byte of a shift count. A count below 0 shifts to the right.
inline int shift_of(const term& n) { return static_cast<int>(extract(n, 7, 0).signed_value()); }
/// Return a * 2^n without the bits above it. For n < 0 the result is floored, or rounded with ties up.
/// @{
inline term shifted(const term& a, int n) { return n >= 0 ? shift_left(a, n) : shift_right(a, -n); }
inline term shifted_unsigned(const term& a, int n) {
  return n >= 0 ? shift_left(a, n) : shift_right_unsigned(a, number(a.bits(), -n));
}
inline term shifted_rounded(const term& a, int n) {
  if (n >= 0) return shift_left(a, n);
  const int wide = a.bits() + 1;
  if (-n > a.bits()) return number(a.bits(), 0);  // at most half of the last bit
  return wrapped(shift_right(extend(a, wide) + power(wide, -n - 1), -n), a.bits());
}
/// @}
/// Return floor(a b / 2^31), or a b / 2^31 rounded with ties up, saturated to int32.
/// @{
inline term high_doubled(const term& a, const term& b) { return saturated(shift_right(product(a, b), 31), 32); }
inline term high_doubled_rounded(const term& a, const term& b) {
  return saturated(shift_right(extend(product(a, b), 65) + power(65, 30), 31), 32);
}
/// @}
/// Returns the bits of a where `which` has a 1, else the bits of b.
inline term chosen(const term& which, const term& a, const term& b) {
  if (!which.is_number() && node_of(which).text.compare(0, 15, "((_ sign_extend") == 0 && node_of(which).of[0].bits() == 1)
    return select(is_negative(which), a, b);
  return (which & a) | ((which ^ number(which.bits(), -1)) & b);
}

/// Runs the assembly of the headers. Micro-kernels are never run. Assembly without an instruction hides a value from the
/// compiler: the pointer `words`, or `all`, which then holds anything.
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

#pragma once
/// \file
/// Operations on binary32s by their bits. For symbols they are functions about which the solver knows almost nothing.
/// For numbers they are this machine's operations, rounded to nearest. models_test compares them with the instructions.

#include <cmath>
#include <cstring>

#include "term.hpp"

namespace proof {

inline float float_of(const term& a) {
  const auto bits = static_cast<std::uint32_t>(a.value());
  float x = 0;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline term bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, 4);
  return number(32, bits);
}
/// Returns the value of a function of binary32s that is not computed.
inline term float_function(const std::string& name, const std::vector<term>& of) {
  std::string text = "(" + name;
  for (const term& t : of) text += " " + text_of(t);
  return symbol_of({text + ")", 32, of, false, name, {}, {}});
}

/// Returns the nearest binary32 to an int32. It is negative exactly if the int32 is negative.
inline term binary32_of(const term& a) {
  if (a.is_number()) return bits_of(static_cast<float>(static_cast<std::int32_t>(a.signed_value())));
  const term f = float_function("binary32_of", {a});
  arena::present().nodes[static_cast<std::size_t>(f.node())].lemmas = {equal(is_negative(f), is_negative(a))};
  return f;
}
/// Returns a * b + c, rounded once.
inline term multiply_add(const term& a, const term& b, const term& c) {
  if (!a.is_number() || !b.is_number() || !c.is_number()) return float_function("multiply_add", {a, b, c});
  return bits_of(std::fma(float_of(a), float_of(b), float_of(c)));
}
/// Returns the number rounded towards zero, or -2^31 if it is beyond int32.
inline term converted(const term& a) {
  if (!a.is_number()) return float_function("converted", {a});
  const float x = float_of(a);
  return number(32, x >= -0x1p31F && x < 0x1p31F ? static_cast<std::int32_t>(x) : std::int32_t{-0x7FFF'FFFF - 1});
}

}  // namespace proof

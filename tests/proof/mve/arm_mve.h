#pragma once
/// \file
/// In place of the compiler's header, which is found after this one: its types and functions over vectors of words. Each model is
/// what Arm's manual says of the instruction. What has none may be named and not called.

#include "../arm/vectors.hpp"

using int8x16_t = proof::vector_type<std::int8_t, 16>;
using uint8x16_t = proof::vector_type<std::uint8_t, 16>;
using int16x8_t = proof::vector_type<std::int16_t, 8>;
using uint16x8_t = proof::vector_type<std::uint16_t, 8>;
using int32x4_t = proof::vector_type<std::int32_t, 4>;
using uint32x4_t = proof::vector_type<std::uint32_t, 4>;
using float32x4_t = proof::vector_type<float, 4>;
using int32x4x2_t = proof::some_vectors<int32x4_t, 2>;
using int32x4x4_t = proof::some_vectors<int32x4_t, 4>;
/// Of vectors of 32-bit numbers: four bits of a register for each.
struct mve_pred16_t {
  proof::term of[4];
};

namespace proof {
template <int Count, class Of>
mve_pred16_t conditions(const Of& of) {
  mve_pred16_t all;
  for (int i = 0; i < Count; ++i) all.of[i] = of(i);
  return all;
}
}  // namespace proof

#include "../arm/define_models.inc"

#include "instructions.inc"

#include "../arm/end_of_list.inc"

// What is handed to instructions without a model is not used.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
namespace dyadic::detail {  // where no operand has the name
inline void words() {}
inline void x() {}
inline void all() {}
}  // namespace dyadic::detail
#define __asm__(...) proof::assembly(#__VA_ARGS__, words, x, all)
#define volatile(...) \
  ("");               \
  proof::assembly(#__VA_ARGS__, words, x, all)

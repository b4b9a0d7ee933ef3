#pragma once
/// \file
/// Replaces the compiler's header, because the compiler finds this file first. It has the header's types and functions over
/// vectors of words. Each model is written from Arm's manual. Code may name an instruction without a model, but no proof may run
/// it.

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
/// The predicate of a vector of 32-bit numbers: four bits of a register for each number.
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

// Arguments of instructions without a model are not used.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
namespace dyadic::detail {  // for assembly that has no operand with the name
inline void words() {}
inline void x() {}
inline void all() {}
}  // namespace dyadic::detail
#define __asm__(...) proof::assembly(#__VA_ARGS__, words, x, all)
#define volatile(...) \
  ("");               \
  proof::assembly(#__VA_ARGS__, words, x, all)

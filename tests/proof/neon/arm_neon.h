#pragma once
/// \file
/// Replaces the compiler's header, because the compiler finds this file first. It has the header's types and functions over
/// vectors of words. Each model is written from Arm's manual. Code may name an instruction without a model, but no proof may run
/// it. The instructions are those of A64, or of A32 if DYADIC_PROOF_A32 is defined.

#include "../arm/vectors.hpp"

#undef DYADIC_NEON_ARCHITECTURE
#undef DYADIC_NEON_MICRO_KERNELS
#ifdef DYADIC_PROOF_A32
#define DYADIC_NEON_ARCHITECTURE <dyadic/backend/neon/a32.inc>
#define DYADIC_NEON_MICRO_KERNELS <dyadic/backend/neon/int16_mac.inc>
#else
#define DYADIC_NEON_ARCHITECTURE <dyadic/backend/neon/a64.inc>
#define DYADIC_NEON_MICRO_KERNELS <dyadic/backend/neon/int8_mac.inc>
#endif

using int8x8_t = proof::vector_type<std::int8_t, 8>;
using int8x16_t = proof::vector_type<std::int8_t, 16>;
using uint8x8_t = proof::vector_type<std::uint8_t, 8>;
using uint8x16_t = proof::vector_type<std::uint8_t, 16>;
using int16x4_t = proof::vector_type<std::int16_t, 4>;
using int16x8_t = proof::vector_type<std::int16_t, 8>;
using uint16x4_t = proof::vector_type<std::uint16_t, 4>;
using uint16x8_t = proof::vector_type<std::uint16_t, 8>;
using int32x2_t = proof::vector_type<std::int32_t, 2>;
using int32x4_t = proof::vector_type<std::int32_t, 4>;
using uint32x2_t = proof::vector_type<std::uint32_t, 2>;
using uint32x4_t = proof::vector_type<std::uint32_t, 4>;
using int64x1_t = proof::vector_type<std::int64_t, 1>;
using int64x2_t = proof::vector_type<std::int64_t, 2>;
using uint64x1_t = proof::vector_type<std::uint64_t, 1>;
using uint64x2_t = proof::vector_type<std::uint64_t, 2>;
using float32x4_t = proof::vector_type<float, 4>;
using float64x2_t = proof::vector_type<double, 2>;
using int32x4x2_t = proof::some_vectors<int32x4_t, 2>;
using int32x4x4_t = proof::some_vectors<int32x4_t, 4>;
using int8x16x4_t = proof::some_vectors<int8x16_t, 4>;
using uint8x16x2_t = proof::some_vectors<uint8x16_t, 2>;
using uint8x16x4_t = proof::some_vectors<uint8x16_t, 4>;
using uint64x2x2_t = proof::some_vectors<uint64x2_t, 2>;

#include "../arm/define_models.inc"
#include "instructions.inc"
#ifdef DYADIC_PROOF_A32
#include "instructions_a32.inc"
#else
#include "instructions_a64.inc"
#endif
#include "../arm/end_of_list.inc"

// Arguments of instructions without a model are not used.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
// All assembly belongs to micro-kernels, which no proof runs.
#define __asm__(...) proof::no_model<void>{}(#__VA_ARGS__)
#define volatile(...) \
  ("");               \
  proof::no_model<void>{}(#__VA_ARGS__)

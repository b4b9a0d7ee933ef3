// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Every instruction set that has a backend. A part of config.hpp. Floor 0.
///
/// A new instruction set needs a line in DYADIC_BACKENDS and one branch in each list of conditions below. The library, its tests,
/// its benchmarks and the single header read this file. CMake scripts read it by cmake/backends.cmake.

// Names and families: `dyadic/backend/<name>.hpp` defines the backend. A family is a kind of processor: one program holds the
// backends of one family. Each backend stands after its fallback.
#define DYADIC_BACKENDS(X) \
  X(sse41, x86)            \
  X(avx2, x86)             \
  X(avxvnni, x86)          \
  X(avx512vnni, x86)       \
  X(neon, neon)            \
  X(neon_dotprod, neon)    \
  X(neon_i8mm, neon)       \
  X(mve, mve)              \
  X(dsp, dsp)              \
  X(wasm_simd128, wasm)
#define DYADIC_DECLARE_BACKEND(name, family) struct name;

// DYADIC_NATIVE: the best backend that the flags of this file allow, and the header of the backend. The vectors of Arm are for
// little-endian machines.
#if defined(__ARM_BIG_ENDIAN)
#define DYADIC_NATIVE scalar
#define DYADIC_NATIVE_HEADER <dyadic/dispatch.hpp>
#elif defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && !defined(DYADIC_MSVC)
#define DYADIC_NATIVE avx512vnni
#define DYADIC_NATIVE_HEADER <dyadic/backend/avx512vnni.hpp>
#elif defined(__AVXVNNI__) && defined(__AVX2__) && defined(__FMA__) && !defined(DYADIC_MSVC)
#define DYADIC_NATIVE avxvnni
#define DYADIC_NATIVE_HEADER <dyadic/backend/avxvnni.hpp>
#elif defined(__AVX2__) && (defined(__FMA__) || defined(DYADIC_MSVC))  // /arch:AVX2 includes FMA
#define DYADIC_NATIVE avx2
#define DYADIC_NATIVE_HEADER <dyadic/backend/avx2.hpp>
#elif defined(__SSE4_1__) || defined(__AVX__)
#define DYADIC_NATIVE sse41
#define DYADIC_NATIVE_HEADER <dyadic/backend/sse41.hpp>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)
#define DYADIC_NATIVE neon_i8mm
#define DYADIC_NATIVE_HEADER <dyadic/backend/neon_i8mm.hpp>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_DOTPROD)
#define DYADIC_NATIVE neon_dotprod
#define DYADIC_NATIVE_HEADER <dyadic/backend/neon_dotprod.hpp>
#elif defined(__ARM_NEON)
#define DYADIC_NATIVE neon
#define DYADIC_NATIVE_HEADER <dyadic/backend/neon.hpp>
#elif defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE == 3
#define DYADIC_NATIVE mve
#define DYADIC_NATIVE_HEADER <dyadic/backend/mve.hpp>
#elif defined(__ARM_FEATURE_SIMD32)
#define DYADIC_NATIVE dsp
#define DYADIC_NATIVE_HEADER <dyadic/backend/dsp.hpp>
#elif defined(__wasm_simd128__)
#define DYADIC_NATIVE wasm_simd128
#define DYADIC_NATIVE_HEADER <dyadic/backend/wasm_simd128.hpp>
#else
#define DYADIC_NATIVE scalar
#define DYADIC_NATIVE_HEADER <dyadic/dispatch.hpp>
#endif

// DYADIC_BEST: the best backend that a program can choose when it runs, its family, and the header that queries the processor.
// On 64-bit Windows GCC spills vectors of 32 and 64 bytes by aligned stores, but the stack is aligned to 16 bytes. Therefore
// sse41 is the best backend there, unless the user defines DYADIC_UNALIGNED_VECTOR_MOVES. The macro promises that the file is
// compiled with -Wa,-muse-unaligned-vector-move, or by a GCC that is patched.
#if defined(__ARM_BIG_ENDIAN)
#define DYADIC_BEST scalar
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/runs_here.hpp>
#elif defined(DYADIC_X86)
#define DYADIC_FAMILY x86
#define DYADIC_BEST DYADIC_BEST_OF_X86
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/x86.hpp>
#elif defined(__aarch64__) && defined(__linux__) && (!defined(__clang__) || __clang_major__ >= 16)
#define DYADIC_FAMILY neon
#define DYADIC_BEST neon_i8mm  // The header of older Clang declares only the instructions that the flags allow.
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/aarch64.hpp>
#elif defined(__ARM_NEON)
#define DYADIC_FAMILY neon
#define DYADIC_BEST DYADIC_NATIVE
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/arm.hpp>
#elif defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE == 3
#define DYADIC_FAMILY mve
#define DYADIC_BEST mve
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/native.hpp>
#elif defined(__ARM_FEATURE_SIMD32)
#define DYADIC_FAMILY dsp
#define DYADIC_BEST dsp
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/native.hpp>
#elif defined(__wasm_simd128__)
#define DYADIC_FAMILY wasm
#define DYADIC_BEST wasm_simd128
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/native.hpp>
#else
#define DYADIC_BEST scalar
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/runs_here.hpp>
#endif

// The best backend of x86 that the compiler can compile, and its header. MSVC has no inline assembly.
#ifdef DYADIC_MSVC
#define DYADIC_BEST_OF_X86 avx2
#define DYADIC_WIDEST_HEADER <dyadic/backend/avx2.hpp>
#elif defined(_WIN64) && defined(__GNUC__) && !defined(__clang__) && !defined(DYADIC_UNALIGNED_VECTOR_MOVES)
#define DYADIC_BEST_OF_X86 sse41
#define DYADIC_WIDEST_HEADER <dyadic/backend/avx512vnni.hpp>
#else
#define DYADIC_BEST_OF_X86 avx512vnni
#define DYADIC_WIDEST_HEADER <dyadic/backend/avx512vnni.hpp>
#endif

// The vectors of linear layers of scaled blocks. A64 needs the backend neon_dotprod.
#if defined(DYADIC_MSVC) && defined(DYADIC_X86)
#define DYADIC_BLOCKS_HEADER <dyadic/blocks/avx2.inc>
#elif defined(DYADIC_X86)
#define DYADIC_BLOCKS_HEADER <dyadic/blocks/avx512vnni.inc>
#elif defined(__aarch64__) && defined(DYADIC_FAMILY) && \
    (defined(__ARM_FEATURE_DOTPROD) || (defined(__linux__) && (!defined(__clang__) || __clang_major__ >= 16)))
#define DYADIC_BLOCKS_HEADER <dyadic/blocks/neon_dotprod.inc>
#else
#define DYADIC_BLOCKS_HEADER <dyadic/blocks/linear.hpp>
#endif

// The header that reads CPUID and XCR0.
#ifdef DYADIC_MSVC
#define DYADIC_CPUID_HEADER <dyadic/backend/cpu_features/cpuid_msvc.hpp>
#else
#define DYADIC_CPUID_HEADER <dyadic/backend/cpu_features/cpuid.hpp>
#endif

// The most rows of a tile, and the most columns of a panel and of its rows of accumulators, of any backend of the family.
#ifdef DYADIC_X86
#define DYADIC_MOST_ROWS 12
#define DYADIC_MOST_COLUMNS 32
#elif defined(__aarch64__)
#define DYADIC_MOST_ROWS 16
#define DYADIC_MOST_COLUMNS 16
#elif defined(__wasm_simd128__)
#define DYADIC_MOST_ROWS 6
#define DYADIC_MOST_COLUMNS 8
#else
#define DYADIC_MOST_ROWS 4
#define DYADIC_MOST_COLUMNS 8
#endif

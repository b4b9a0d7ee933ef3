#pragma once
/// \file
/// Compiler facts, and the only place that defines macros. Floor 0.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define DYADIC_VERSION_MAJOR 0
#define DYADIC_VERSION_MINOR 1
#define DYADIC_VERSION_PATCH 0

#if !defined(__GNUC__)
#error "dyadic supports GCC 11 and newer and Clang 13 and newer; this compiler is untested"
#elif defined(__clang__) && __clang_major__ < 13
#error "dyadic needs Clang 13 or newer"
#elif !defined(__clang__) && __GNUC__ < 11
#error "dyadic needs GCC 11 or newer"
#elif __cplusplus < 201703L
#error "dyadic needs C++17: compile with -std=c++17 or newer"
#else
#define DYADIC_COMPILER_IS_SUPPORTED
#endif
#ifndef DYADIC_COMPILER_IS_SUPPORTED
#include <dyadic/this_compiler_is_not_supported>  // ends the compilation after the one error above
#endif

/// Marks a precondition. Empty unless the user defines it before the first include; the condition has no side effect.
#ifndef DYADIC_ASSERT
#define DYADIC_ASSERT(condition) static_cast<void>(0)
#endif

// A region compiles its functions for an instruction set whatever the flags of the file are. It opens and closes in one header,
// <immintrin.h> is included before it, and it holds at least one function. DYADIC_BEGIN_TARGET("avx2") ... DYADIC_END_TARGET
#define DYADIC_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define DYADIC_BEGIN_TARGET(name) DYADIC_PRAGMA(clang attribute push(__attribute__((target(name))), apply_to = function))
#define DYADIC_END_TARGET DYADIC_PRAGMA(clang attribute pop)
#else
#define DYADIC_BEGIN_TARGET(name) DYADIC_PRAGMA(GCC push_options) DYADIC_PRAGMA(GCC target(name))
#define DYADIC_END_TARGET DYADIC_PRAGMA(GCC pop_options)
#endif

// Regions of A64, where a target replaces the architecture that the flags name: none where those allow it already.
#ifdef __ARM_FEATURE_DOTPROD
#define DYADIC_BEGIN_DOTPROD
#define DYADIC_END_DOTPROD
#else
#define DYADIC_BEGIN_DOTPROD DYADIC_BEGIN_TARGET("arch=armv8.2-a+dotprod")
#define DYADIC_END_DOTPROD DYADIC_END_TARGET
#endif
#if defined(__ARM_FEATURE_DOTPROD) && defined(__ARM_FEATURE_MATMUL_INT8)
#define DYADIC_BEGIN_I8MM
#define DYADIC_END_I8MM
#else
#define DYADIC_BEGIN_I8MM DYADIC_BEGIN_TARGET("arch=armv8.2-a+dotprod+i8mm")
#define DYADIC_END_I8MM DYADIC_END_TARGET
#endif

/// For functions that an inner loop must not call, inside one region.
#define DYADIC_ALWAYS_INLINE __attribute__((always_inline)) inline

// The linker keeps one of several functions with the same name, and a region adds to the flags of its file. So what may hold
// instructions that depend on those flags is named after them: functions, never data. Loops that -Os keeps short, too.
#if defined(__AVX512VNNI__)
#define DYADIC_ISA_VECTOR avx512vnni
#elif defined(__AVX512F__)
#define DYADIC_ISA_VECTOR avx512
#elif defined(__AVX2__)
#define DYADIC_ISA_VECTOR avx2
#elif defined(__AVX__)
#define DYADIC_ISA_VECTOR avx
#elif defined(__SSE4_2__)
#define DYADIC_ISA_VECTOR sse42
#elif defined(__SSE4_1__)
#define DYADIC_ISA_VECTOR sse41
#elif defined(__SSSE3__)
#define DYADIC_ISA_VECTOR ssse3
#elif defined(__SSE3__)
#define DYADIC_ISA_VECTOR sse3
#elif defined(__ARM_FEATURE_SVE2)
#define DYADIC_ISA_VECTOR sve2
#elif defined(__ARM_FEATURE_SVE)
#define DYADIC_ISA_VECTOR sve
#elif defined(__ARM_NEON)
#define DYADIC_ISA_VECTOR neon
#elif defined(__ARM_FEATURE_MVE)
#define DYADIC_ISA_VECTOR mve
#elif defined(__ARM_FEATURE_SIMD32)
#define DYADIC_ISA_VECTOR dsp
#else
#define DYADIC_ISA_VECTOR baseline
#endif
#ifdef __AVX512BW__
#define DYADIC_ISA_AVX512BW _bw
#else
#define DYADIC_ISA_AVX512BW
#endif
#ifdef __AVX512VBMI__
#define DYADIC_ISA_AVX512VBMI _vbmi
#else
#define DYADIC_ISA_AVX512VBMI
#endif
#ifdef __AVXVNNI__
#define DYADIC_ISA_AVXVNNI _vex
#else
#define DYADIC_ISA_AVXVNNI
#endif
#ifdef __GFNI__
#define DYADIC_ISA_GFNI _gfni
#else
#define DYADIC_ISA_GFNI
#endif
#ifdef __FMA__
#define DYADIC_ISA_FMA _fma
#else
#define DYADIC_ISA_FMA
#endif
#ifdef __BMI__
#define DYADIC_ISA_BMI _bmi
#else
#define DYADIC_ISA_BMI
#endif
#ifdef __BMI2__
#define DYADIC_ISA_BMI2 _bmi2
#else
#define DYADIC_ISA_BMI2
#endif
#ifdef __LZCNT__
#define DYADIC_ISA_LZCNT _lzcnt
#else
#define DYADIC_ISA_LZCNT
#endif
#ifdef __POPCNT__
#define DYADIC_ISA_POPCNT _popcnt
#else
#define DYADIC_ISA_POPCNT
#endif
#ifdef __MOVBE__
#define DYADIC_ISA_MOVBE _movbe
#else
#define DYADIC_ISA_MOVBE
#endif
#ifdef __ARM_FEATURE_QRDMX
#define DYADIC_ISA_QRDMX _qrdmx
#else
#define DYADIC_ISA_QRDMX
#endif
#ifdef __ARM_FEATURE_DOTPROD
#define DYADIC_ISA_DOTPROD _dotprod
#else
#define DYADIC_ISA_DOTPROD
#endif
#ifdef __ARM_FEATURE_MATMUL_INT8
#define DYADIC_ISA_I8MM _i8mm
#else
#define DYADIC_ISA_I8MM
#endif
#ifdef __OPTIMIZE_SIZE__
#define DYADIC_ISA_SIZE _small
#else
#define DYADIC_ISA_SIZE
#endif
#define DYADIC_JOIN_15(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) a##b##c##d##e##f##g##h##i##j##k##l##m##n##o
#define DYADIC_JOIN(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) DYADIC_JOIN_15(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
#define DYADIC_TEXT_1(text) #text
#define DYADIC_TEXT(text) DYADIC_TEXT_1(text)

/// The inline namespace of kernels and of what stands in a region.
#define DYADIC_ISA                                                                                                    \
  DYADIC_JOIN(DYADIC_ISA_VECTOR, DYADIC_ISA_AVX512BW, DYADIC_ISA_AVX512VBMI, DYADIC_ISA_AVXVNNI, DYADIC_ISA_GFNI,     \
              DYADIC_ISA_FMA, DYADIC_ISA_BMI, DYADIC_ISA_BMI2, DYADIC_ISA_LZCNT, DYADIC_ISA_POPCNT, DYADIC_ISA_MOVBE, \
              DYADIC_ISA_QRDMX, DYADIC_ISA_DOTPROD, DYADIC_ISA_I8MM, DYADIC_ISA_SIZE)
/// Marks every other function, members included: its symbol has that name too.
#define DYADIC_API __attribute__((abi_tag(DYADIC_TEXT(DYADIC_ISA))))

// The backend that the flags of this file allow; and the best of those that this file can choose from when it runs, with the
// header that asks the machine for them.
#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define DYADIC_NATIVE avx512vnni
#define DYADIC_NATIVE_HEADER <dyadic/backend/avx512vnni.hpp>
#elif defined(__AVX2__)
#define DYADIC_NATIVE avx2
#define DYADIC_NATIVE_HEADER <dyadic/backend/avx2.hpp>
#elif defined(__SSE4_1__)
#define DYADIC_NATIVE sse41
#define DYADIC_NATIVE_HEADER <dyadic/backend/sse41.hpp>
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN) && defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)
#define DYADIC_NATIVE neon_i8mm
#define DYADIC_NATIVE_HEADER <dyadic/backend/neon_i8mm.hpp>
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN) && defined(__ARM_FEATURE_DOTPROD)
#define DYADIC_NATIVE neon_dotprod
#define DYADIC_NATIVE_HEADER <dyadic/backend/neon_dotprod.hpp>
#elif defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define DYADIC_NATIVE neon
#define DYADIC_NATIVE_HEADER <dyadic/backend/neon.hpp>
#elif defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE == 3 && !defined(__ARM_BIG_ENDIAN)
#define DYADIC_NATIVE mve
#define DYADIC_NATIVE_HEADER <dyadic/backend/mve.hpp>
#elif defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_BIG_ENDIAN)
#define DYADIC_NATIVE dsp
#define DYADIC_NATIVE_HEADER <dyadic/backend/dsp.hpp>
#else
#define DYADIC_NATIVE scalar
#define DYADIC_NATIVE_HEADER <dyadic/dispatch.hpp>
#endif
#if defined(__x86_64__) || defined(__i386__)
#define DYADIC_BEST avx512vnni
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/x86.hpp>
#elif defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN) && defined(__linux__) && (!defined(__clang__) || __clang_major__ >= 16)
#define DYADIC_BEST neon_i8mm  // The header of older Clang has the instructions for the flags' architecture only.
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/aarch64.hpp>
#elif defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#define DYADIC_BEST DYADIC_NATIVE
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/arm.hpp>
#elif defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE == 3 && !defined(__ARM_BIG_ENDIAN)
#define DYADIC_BEST mve
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/native.hpp>
#elif defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_BIG_ENDIAN)
#define DYADIC_BEST dsp
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/native.hpp>
#else
#define DYADIC_BEST scalar
#define DYADIC_BEST_HEADER <dyadic/backend/cpu_features/runs_here.hpp>
#endif

// The files of NEON that differ between A64 and A32.
#ifdef __aarch64__
#define DYADIC_NEON_ARCHITECTURE <dyadic/backend/neon/a64.inc>
#define DYADIC_NEON_MICRO_KERNELS <dyadic/backend/neon/int8_mac.inc>
#else
#define DYADIC_NEON_ARCHITECTURE <dyadic/backend/neon/a32.inc>
#define DYADIC_NEON_MICRO_KERNELS <dyadic/backend/neon/int16_mac.inc>
#endif

namespace dyadic {

/// Sizes and indices: signed, so that `i - 1` is a number.
using index_t = std::ptrdiff_t;

/// The range of an integer type. What <limits> says, for a fraction of what it costs to include.
template <class T>
struct limits {
  static constexpr int digits = static_cast<int>(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);  ///< value bits
  /// The greatest value.
  static constexpr T max = static_cast<T>(static_cast<std::make_unsigned_t<T>>(-1) >> (std::is_signed_v<T> ? 1 : 0));
  static constexpr T min = static_cast<T>(std::is_signed_v<T> ? -max - 1 : 0);  ///< the least value
};

/// Whether this file is compiled with -Os: loops are then kept short.
#ifdef __OPTIMIZE_SIZE__
constexpr bool optimizes_for_size = true;
#else
constexpr bool optimizes_for_size = false;
#endif

/// True while the compiler evaluates a constant expression.
DYADIC_API constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

/// The bits of `from`, read as `To`. Both are trivially copyable and of one size.
template <class To, class From>
DYADIC_API constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

static_assert((std::int64_t{-3} >> 1) == -2, "right shift of a negative number is arithmetic");
static_assert(sizeof(float) == 4 && __FLT_MANT_DIG__ == 24, "float is IEEE binary32");
static_assert(sizeof(double) == 8 && __DBL_MANT_DIG__ == 53, "double is IEEE binary64");

}  // namespace dyadic

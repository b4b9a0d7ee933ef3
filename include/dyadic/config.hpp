// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compiler facts; with detail/abi.hpp and backend/list.hpp the only place that defines macros. Floor 0.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define DYADIC_VERSION_MAJOR 0
#define DYADIC_VERSION_MINOR 2
#define DYADIC_VERSION_PATCH 0
/// One number to compare: #if DYADIC_VERSION >= 200 asks for 0.2.0.
#define DYADIC_VERSION (DYADIC_VERSION_MAJOR * 10000 + DYADIC_VERSION_MINOR * 100 + DYADIC_VERSION_PATCH)

#if !defined(__GNUC__)
#error "dyadic supports GCC 11 and newer and Clang 14 and newer; this compiler is untested"
#elif defined(__clang__) && __clang_major__ < 14
#error "dyadic needs Clang 14 or newer"
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

/// For what runs once in a layer, a block of columns or a tile of rows, or is seldom reached: out of line, and for size where a
/// program has it of several backends.
#if defined(__x86_64__) || defined(__i386__)
#define DYADIC_FOR_SIZE __attribute__((noinline, cold))
#else
#define DYADIC_FOR_SIZE __attribute__((noinline))
#endif

/// Before a short loop of fixed length that is to become vectors: GCC -O3 would write its turns one by one first.
#ifdef __clang__
#define DYADIC_KEEP_LOOP
#else
#define DYADIC_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

/// What is returned may not outlive the argument: said to compilers that look.
#if defined(__has_cpp_attribute) && __has_cpp_attribute(clang::lifetimebound)
#define DYADIC_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define DYADIC_LIFETIME_BOUND
#endif

#include <dyadic/backend/list.hpp>
#include <dyadic/detail/abi.hpp>

// The files of NEON that differ between A64 and A32.
#ifdef __aarch64__
#define DYADIC_NEON_ARCHITECTURE <dyadic/backend/neon/a64.inc>
#define DYADIC_NEON_MICRO_KERNELS <dyadic/backend/neon/int8_mac.inc>
#else
#define DYADIC_NEON_ARCHITECTURE <dyadic/backend/neon/a32.inc>
#define DYADIC_NEON_MICRO_KERNELS <dyadic/backend/neon/int16_mac.inc>
#endif
// What adds bytes of weights, where the compiler makes no vectors of that.
#ifdef __ARM_FEATURE_MVE
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/mve.hpp>
#elif defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_NEON)
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/dsp.hpp>
#else
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/words.hpp>
#endif

namespace dyadic {

/// Sizes and indices: signed, so that `i - 1` is a number.
using index_t = std::ptrdiff_t;

/// The range of an integer type. What std::numeric_limits says, for a fraction of the cost of its header.
template <class T>
struct limits {
  static constexpr int digits = static_cast<int>(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);  ///< value bits
  /// The greatest value.
  static constexpr T max = static_cast<T>(static_cast<std::make_unsigned_t<T>>(-1) >> (std::is_signed_v<T> ? 1 : 0));
  static constexpr T min = static_cast<T>(std::is_signed_v<T> ? -max - 1 : 0);  ///< the least value
};

namespace detail {

/// n / step, rounded down, and n filled up to whole steps, for n >= 0: without a sign, so that a constant power of two is a shift
/// also where code is for size.
/// @{
DYADIC_API constexpr index_t quotient(index_t n, index_t step) noexcept {
  return static_cast<index_t>(static_cast<std::size_t>(n) / static_cast<std::size_t>(step));
}
DYADIC_API constexpr index_t fill_up(index_t n, index_t step) noexcept { return quotient(n + step - 1, step) * step; }
/// @}

}  // namespace detail

/// Whether this file is compiled with -Os: loops are then kept short.
#ifdef __OPTIMIZE_SIZE__
constexpr bool optimizes_for_size = true;
#else
constexpr bool optimizes_for_size = false;
#endif

/// Whether a load of several bytes may begin anywhere: what the compiler knows of Arm, where asm must ask.
#ifdef __ARM_FEATURE_UNALIGNED
constexpr bool loads_anywhere = true;
#else
constexpr bool loads_anywhere = false;
#endif

/// Whether the first byte of a number is its least significant one.
constexpr bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

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

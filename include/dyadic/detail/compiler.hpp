// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The attributes and builtins of each compiler under one name. A part of config.hpp. Floor 0.

// DYADIC_MSVC: Microsoft's compiler, which has none of the GNU extensions. Clang for Windows has all of them.
#if defined(_MSC_VER) && !defined(__clang__)
#define DYADIC_MSVC
#endif
// DYADIC_X86: a machine with x86 backends. MSVC compiles them for 64 bits only, because some intrinsics need 64 bits.
#if defined(__x86_64__) || defined(__i386__) || (defined(DYADIC_MSVC) && defined(_M_X64) && !defined(_M_ARM64EC))
#define DYADIC_X86
#endif

#ifdef DYADIC_MSVC

// MSVC takes every intrinsic without a flag. A region only keeps MSVC from fusing products with sums.
#define DYADIC_BEGIN_TARGET(name) __pragma(float_control(precise, on, push)) __pragma(fp_contract(off))
#define DYADIC_END_TARGET __pragma(float_control(pop))
#define DYADIC_ALWAYS_INLINE __forceinline
#define DYADIC_INLINE_LAMBDA
#define DYADIC_NOINLINE __declspec(noinline)
#define DYADIC_FOR_SIZE __declspec(noinline)
#define DYADIC_KEEP_LOOP
#define DYADIC_LIFETIME_BOUND
#define DYADIC_CALLS_GETENV __pragma(warning(suppress : 4996))
#define DYADIC_HIDE(constraint, x) static_cast<void>(x)
#define DYADIC_MEMCPY ::std::memcpy
#define DYADIC_MEMSET ::std::memset
#define DYADIC_ADD_OVERFLOWS ::dyadic::detail::portable::add_overflows
#define DYADIC_SUBTRACT_OVERFLOWS ::dyadic::detail::portable::subtract_overflows
#define DYADIC_MULTIPLY_OVERFLOWS ::dyadic::detail::portable::multiply_overflows
#define DYADIC_COUNT_ONES ::dyadic::detail::portable::count_ones
#define DYADIC_LEADING_ZEROS ::dyadic::detail::portable::leading_zeros
#define DYADIC_FOLDS_TO_TRUE(condition) (condition)
#define DYADIC_MEET_IN_CONSTANT ::dyadic::detail::portable::meet

#else

// A region compiles its functions for an instruction set, whatever the flags of the file are. A region opens and closes in one
// header, after <immintrin.h> is included, and has at least one function. DYADIC_BEGIN_TARGET("avx2") ... DYADIC_END_TARGET
#define DYADIC_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define DYADIC_BEGIN_TARGET(name) DYADIC_PRAGMA(clang attribute push(__attribute__((target(name))), apply_to = function))
#define DYADIC_END_TARGET DYADIC_PRAGMA(clang attribute pop)
#else
#define DYADIC_BEGIN_TARGET(name) DYADIC_PRAGMA(GCC push_options) DYADIC_PRAGMA(GCC target(name))
#define DYADIC_END_TARGET DYADIC_PRAGMA(GCC pop_options)
#endif

/// Inlines a function, so that an inner loop does not call it. The function and the loop stand in one region.
#define DYADIC_ALWAYS_INLINE __attribute__((always_inline)) inline
/// Inlines a lambda. It stands before the body of the lambda.
#define DYADIC_INLINE_LAMBDA __attribute__((always_inline))

/// Compiles a function out of line.
#define DYADIC_NOINLINE __attribute__((noinline))
/// Compiles a function out of line. On x86 compiles it for size, because a program may have the function for several backends.
/// For functions that run seldom, or once in a layer, a block of columns or a tile of rows.
#ifdef DYADIC_X86
#define DYADIC_FOR_SIZE __attribute__((noinline, cold))
#else
#define DYADIC_FOR_SIZE DYADIC_NOINLINE
#endif

/// Stands before a short loop of fixed length that the compiler vectorizes. GCC -O3 would unroll the loop before it vectorizes.
#ifdef __clang__
#define DYADIC_KEEP_LOOP
#else
#define DYADIC_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

/// Tells compilers that the result must not outlive the argument.
#ifdef __clang__
#define DYADIC_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define DYADIC_LIFETIME_BOUND
#endif

/// Stands before a line that calls getenv, which MSVC calls deprecated.
#define DYADIC_CALLS_GETENV

/// Hides the value of x from the optimizer. The constraint names a kind of register, as in "+x".
#define DYADIC_HIDE(constraint, x) __asm__("" : constraint(x))

/// The functions of <cstring>, whose header takes longer to compile and is not freestanding.
/// @{
#define DYADIC_MEMCPY __builtin_memcpy
#define DYADIC_MEMSET __builtin_memset
/// @}

/// Functions of detail/portable.hpp, which documents them.
/// @{
#define DYADIC_ADD_OVERFLOWS __builtin_add_overflow
#define DYADIC_SUBTRACT_OVERFLOWS __builtin_sub_overflow
#define DYADIC_MULTIPLY_OVERFLOWS __builtin_mul_overflow
#define DYADIC_COUNT_ONES __builtin_popcount
#define DYADIC_LEADING_ZEROS(x) ((x) == 0 ? 64 : __builtin_clzll(x))
/// @}

/// Returns true if the compiler folds the condition to true in a constant expression. Some conditions on addresses are not
/// folded.
#define DYADIC_FOLDS_TO_TRUE(condition) (__builtin_constant_p(condition) && (condition))
/// The function `meet` of detail/portable.hpp, by the order of addresses. Compilers fold this order only within one array.
#define DYADIC_MEET_IN_CONSTANT(a, a_end, b, b_end) DYADIC_FOLDS_TO_TRUE((a) < (b_end) && (b) < (a_end))

#endif

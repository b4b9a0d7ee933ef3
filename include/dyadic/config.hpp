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

namespace dyadic {

/// Sizes and indices: signed, so that `i - 1` is a number.
using index_t = std::ptrdiff_t;

/// The range of an integer type. What <limits> says, for a fraction of what it costs to include.
template <class T>
struct limits {
  static constexpr int digits = static_cast<int>(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);
  static constexpr T max = static_cast<T>(static_cast<std::make_unsigned_t<T>>(-1) >> (std::is_signed_v<T> ? 1 : 0));
  static constexpr T min = static_cast<T>(std::is_signed_v<T> ? -max - 1 : 0);
};

/// Whether this file is compiled with -Os: loops are then kept short.
#ifdef __OPTIMIZE_SIZE__
constexpr bool optimizes_for_size = true;
#else
constexpr bool optimizes_for_size = false;
#endif

/// True while the compiler evaluates a constant expression.
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

/// The bits of `from`, read as `To`. Both are trivially copyable and of one size.
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

static_assert((std::int64_t{-3} >> 1) == -2, "right shift of a negative number is arithmetic");
static_assert(sizeof(float) == 4 && __FLT_MANT_DIG__ == 24, "float is IEEE binary32");
static_assert(sizeof(double) == 8 && __DBL_MANT_DIG__ == 53, "double is IEEE binary64");

}  // namespace dyadic

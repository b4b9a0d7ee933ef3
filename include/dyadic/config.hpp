// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Facts about the compiler. Only this header, detail/abi.hpp, detail/compiler.hpp and backend/list.hpp define macros. Floor 0.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define DYADIC_VERSION_MAJOR 0
#define DYADIC_VERSION_MINOR 3
#define DYADIC_VERSION_PATCH 0
/// The version as one number: #if DYADIC_VERSION >= 200 tests for 0.2.0 or newer.
#define DYADIC_VERSION (DYADIC_VERSION_MAJOR * 10000 + DYADIC_VERSION_MINOR * 100 + DYADIC_VERSION_PATCH)

#if !defined(__clang__) && !defined(__GNUC__) && !defined(_MSC_VER)
#error "dyadic supports GCC 11 and newer and Clang 14 and newer, and is written for MSVC 19.29; this compiler is untested"
#elif defined(__clang__) && __clang_major__ < 14
#error "dyadic needs Clang 14 or newer"
#elif defined(__clang__) && defined(_MSC_VER) && __clang_major__ < 19
#error "dyadic needs Clang 19 or newer for the Microsoft ABI: older headers declare only intrinsics that the flags allow"
#elif !defined(__clang__) && defined(__GNUC__) && __GNUC__ < 11
#error "dyadic needs GCC 11 or newer"
#elif !defined(__clang__) && defined(_MSC_VER) && _MSC_VER < 1929
#error "dyadic is written for MSVC 19.29 or newer"
#elif defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : __cplusplus < 201703L
#error "dyadic needs C++17: compile with -std=c++17 or newer"
#else
#define DYADIC_COMPILER_IS_SUPPORTED
#endif
#ifndef DYADIC_COMPILER_IS_SUPPORTED
#include <dyadic/this_compiler_is_not_supported>  // ends the compilation after the one error above
#endif

/// Marks a precondition. It is empty unless the user defines it before the first include. The condition has no side effect.
#ifndef DYADIC_ASSERT
#define DYADIC_ASSERT(condition) static_cast<void>(0)
#endif

#include <dyadic/detail/compiler.hpp>

// Regions of A64. A target replaces the architecture of the flags, so a region is empty if the flags already allow its
// instructions.
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
// The header that adds bytes of weights where the compiler does not vectorize the sum. The headers for Arm read little-endian
// words.
#if defined(__ARM_BIG_ENDIAN)
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/words.hpp>
#elif defined(__ARM_FEATURE_MVE)
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/mve.hpp>
#elif defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_NEON)
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/dsp.hpp>
#else
#define DYADIC_SUMS_HEADER <dyadic/backend/byte_sums/words.hpp>
#endif

namespace dyadic {

/// The type of sizes and indices. It is signed, so that `i - 1` may be negative.
using index_t = std::ptrdiff_t;

/// The range of an integer type. It replaces std::numeric_limits, whose header takes longer to compile.
template <class T>
struct limits {
  static constexpr int digits = static_cast<int>(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);  ///< value bits
  /// The greatest value.
  static constexpr T max = static_cast<T>(static_cast<std::make_unsigned_t<T>>(-1) >> (std::is_signed_v<T> ? 1 : 0));
  static constexpr T min = static_cast<T>(std::is_signed_v<T> ? -max - 1 : 0);  ///< the least value
};

namespace detail {

/// `quotient` is n / step, rounded down. `fill_up` is n rounded up to a multiple of step. Both require n >= 0. They divide
/// without a sign, so that a constant power of two becomes a shift also at -Os.
/// @{
DYADIC_API constexpr index_t quotient(index_t n, index_t step) noexcept {
  return static_cast<index_t>(static_cast<std::size_t>(n) / static_cast<std::size_t>(step));
}
DYADIC_API constexpr index_t fill_up(index_t n, index_t step) noexcept { return quotient(n + step - 1, step) * step; }
/// @}

}  // namespace detail

/// True if this file is compiled with -Os. Loops are then kept short.
#ifdef __OPTIMIZE_SIZE__
constexpr bool optimizes_for_size = true;
#else
constexpr bool optimizes_for_size = false;
#endif

/// True if the compiler states that a load of several bytes may begin at any address on Arm. Assembly must test this.
#ifdef __ARM_FEATURE_UNALIGNED
constexpr bool loads_anywhere = true;
#else
constexpr bool loads_anywhere = false;
#endif

/// True if the first byte of a number is its least significant byte.
#ifdef __BYTE_ORDER__
constexpr bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
#else
constexpr bool is_little_endian = true;  // all machines of MSVC
#endif

/// True while the compiler evaluates a constant expression.
DYADIC_API constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }

/// Returns the bits of `from` as a `To`. Both types are trivially copyable and have the same size.
template <class To, class From>
DYADIC_API constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

/// True if a region covers the lambdas in its templates. In C++17, Clang for Windows reads the body of a template at the end of
/// the file, where the region has ended. The body of `require_in_place` then finds the second function.
#if defined(__clang__) && defined(_MSC_VER)
namespace detail {
char (&size_of_place(long zero) noexcept)[1];
template <class T>
DYADIC_API void require_in_place() noexcept {
  static_assert(sizeof(size_of_place(0)) == 1, "Clang for Windows needs -fno-delayed-template-parsing, /permissive- or C++20");
}
char (&size_of_place(int zero) noexcept)[2];
template <void (*)() noexcept>
inline constexpr bool is_instantiated = true;
}  // namespace detail
template <class T>
inline constexpr bool regions_cover_lambdas = detail::is_instantiated<&detail::require_in_place<T>>;
#else
template <class T>
inline constexpr bool regions_cover_lambdas = true;
#endif

static_assert((std::int64_t{-3} >> 1) == -2, "right shift of a negative number is arithmetic");
static_assert(bit_cast<std::uint32_t>(-1.5f) == 0xBFC0'0000, "float is IEEE binary32");
static_assert(bit_cast<std::uint64_t>(-1.5) == 0xBFF8'0000'0000'0000, "double is IEEE binary64");

}  // namespace dyadic

#ifdef DYADIC_MSVC
#include <dyadic/detail/portable.hpp>
#endif

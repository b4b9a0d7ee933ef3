// Makes Clang imitate MSVC, for the compiler option -include. All headers that are not the library's come first. Then Clang's own
// macros are undefined, and the extensions that MSVC does not have are errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <type_traits>
#ifdef IMITATE_WITH_TESTS
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../support/catch.hpp"
#endif

#include <immintrin.h>
#include <intrin.h>

#pragma clang diagnostic ignored "-Wbuiltin-macro-redefined"
#undef __clang__
#undef __clang_major__
#undef __GNUC__
#undef __GNUC_MINOR__
#undef __GNUC_PATCHLEVEL__
#undef __x86_64__
#undef __x86_64
#undef __amd64__
#undef __amd64
#undef __BYTE_ORDER__
#undef __ORDER_LITTLE_ENDIAN__
#undef __ORDER_BIG_ENDIAN__
#undef __FLT_MANT_DIG__
#undef __DBL_MANT_DIG__
#undef __FMA__
#undef __SSE4_2__
#undef __SSE4_1__
#undef __SSSE3__
#undef __SSE3__
#undef __SSE2__
#undef __SSE__
#ifndef IMITATE_ARCH_AVX2
#undef __AVX__
#undef __AVX2__
#endif
#undef _MSC_VER
#undef _MSVC_LANG
#undef _M_X64
#undef __cplusplus
#define _MSC_VER 1929
#define _MSVC_LANG 201703L
#define _M_X64 100
#define __cplusplus 199711L  // without /Zc:__cplusplus

#pragma GCC poison __attribute__ __attribute asm __asm__ __asm __typeof__ __int128 __extension__
#pragma GCC poison __builtin_memcpy __builtin_memset __builtin_constant_p __builtin_offsetof __builtin_expect
#pragma GCC poison __builtin_add_overflow __builtin_sub_overflow __builtin_mul_overflow
#pragma GCC poison __builtin_popcount __builtin_popcountll __builtin_clz __builtin_clzll __builtin_ctz __builtin_ctzll

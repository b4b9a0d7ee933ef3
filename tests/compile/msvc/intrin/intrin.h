// A stand-in for MSVC's <intrin.h>: what the library uses.
#pragma once

#include <immintrin.h>

#ifdef _MSC_VER
extern "C" void __cpuidex(int r[4], int leaf, int subleaf);
extern "C" void __cpuid(int r[4], int leaf);
#else  // elsewhere Clang knows these names, but does not compile calls of them
#define __cpuid imitated_cpuid
#define __cpuidex imitated_cpuidex
static inline void imitated_cpuidex(int r[4], int leaf, int subleaf) {
  __asm__("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "0"(leaf), "2"(subleaf));
}
static inline void imitated_cpuid(int r[4], int leaf) { imitated_cpuidex(r, leaf, 0); }
#endif

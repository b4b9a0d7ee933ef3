// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether this machine runs an x86 backend: what CPUID says of the processor, and XGETBV of the operating system. Floor 4.

#include <dyadic/backend/avx512vnni.hpp>
#include <dyadic/backend/cpu_features/runs_here.hpp>

#include <cpuid.h>

namespace dyadic {

namespace backend {
struct avxvnni;
}  // namespace backend

namespace detail {

/// The x86 backends that this machine runs.
struct x86_backends {
  bool sse41 = false;
  bool avx2 = false;
  bool avx512vnni = false;
};

/// Whether the bits with these numbers are set.
template <class... Numbers>
DYADIC_API constexpr bool has_bits(unsigned word, Numbers... numbers) noexcept {
  return ((word >> numbers & 1u) && ...);
}

/// What the operating system keeps of each thread's registers: XCR0. Requires: OSXSAVE.
DYADIC_API inline unsigned read_xcr0() noexcept {
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// Each level is the one below and what a compiler may use in its region. The numbers are those of the manuals of Intel (volume
/// 2, CPUID) and AMD (volume 3, appendix E).
DYADIC_API inline x86_backends read_x86_backends() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  x86_backends found{};
  if (!__get_cpuid(1, &a, &b, &c, &d)) return found;
  found.sse41 = has_bits(c, 0, 9, 19);  // SSE3 SSSE3 SSE4.1
  // OSXSAVE AVX SSE4.2 POPCNT; the upper halves of ymm registers are kept
  const unsigned first = c;
  const unsigned kept = has_bits(first, 27) ? read_xcr0() : 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
  found.avx2 = found.sse41 && has_bits(first, 27, 28, 20, 23) && has_bits(kept, 1, 2) && has_bits(b, 5);
  // FMA F16C; F DQ BW VL; VNNI; mask registers, the upper halves of zmm0 .. 15, and zmm16 .. 31 are kept
  found.avx512vnni =
      found.avx2 && has_bits(first, 12, 29) && has_bits(b, 16, 17, 30, 31) && has_bits(c, 11) && has_bits(kept, 5, 6, 7);
  return found;
}

/// The same, read once.
DYADIC_API inline const x86_backends& this_x86() noexcept {
  static const x86_backends found = read_x86_backends();
  return found;
}

/// AVX-VNNI, of the second part of what CPUID says of extensions, which older processors have not. Apart from the others: only a
/// program that names the backend asks.
DYADIC_API inline bool read_avxvnni() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (!this_x86().avx2 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || a < 1) return false;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && has_bits(a, 4);
}

}  // namespace detail

/// SSE3, SSSE3 and SSE4.1.
template <>
struct runs_here<backend::sse41> {
  DYADIC_API static bool value() noexcept { return detail::this_x86().sse41; }  ///< asks once
};
/// AVX2 and all below it; the operating system keeps ymm registers.
template <>
struct runs_here<backend::avx2> {
  DYADIC_API static bool value() noexcept { return detail::this_x86().avx2; }  ///< asks once
};
/// AVX2 and AVX-VNNI, whatever there is of AVX-512. The backend is that of backend/avxvnni.hpp.
template <>
struct runs_here<backend::avxvnni> {
  /// asks once
  DYADIC_API static bool value() noexcept {
    static const bool found = detail::read_avxvnni();
    return found;
  }
};
/// F, DQ, BW, VL, VNNI, FMA and F16C; the operating system keeps zmm and mask registers.
template <>
struct runs_here<backend::avx512vnni> {
  DYADIC_API static bool value() noexcept { return detail::this_x86().avx512vnni; }  ///< asks once
};

}  // namespace dyadic

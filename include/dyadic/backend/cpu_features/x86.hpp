// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The x86 backends that this machine runs. CPUID describes the processor, XGETBV the operating system. Floor 4.

#include <dyadic/backend/avx2.hpp>
#include <dyadic/backend/cpu_features/runs_here.hpp>
#include <dyadic/config.hpp>

#include DYADIC_CPUID_HEADER
#include DYADIC_WIDEST_HEADER

namespace dyadic {

namespace detail {

/// The x86 backends that this machine runs.
struct x86_backends {
  bool sse41 = false;
  bool avx2 = false;
  bool avx512vnni = false;
};

/// Returns true if the bits with these numbers are set.
template <class... Numbers>
DYADIC_API constexpr bool has_bits(unsigned word, Numbers... numbers) noexcept {
  return ((word >> numbers & 1u) && ...);
}

/// The bit in ecx of leaf 1: the operating system reports which registers it saves.
inline constexpr unsigned osxsave = 27;

/// The words that decide: ecx of leaf 1 of CPUID, ebx and ecx of leaf 7, and XCR0. A word is 0 if the processor does not have it.
struct x86_words {
  unsigned first_c = 0;
  unsigned seventh_b = 0;
  unsigned seventh_c = 0;
  unsigned kept = 0;
};

/// Returns the backends that the words allow. Each level is the level below it and the extensions that a compiler may use in its
/// region. The bit numbers are those of the manuals of Intel (volume 2, CPUID) and AMD (volume 3, appendix E).
DYADIC_API DYADIC_FOR_SIZE constexpr x86_backends x86_backends_by(const x86_words& w) noexcept {
  x86_backends found{};
  found.sse41 = has_bits(w.first_c, 0, 9, 19);  // SSE3 SSSE3 SSE4.1
  // OSXSAVE AVX SSE4.2 POPCNT FMA, saved upper halves of ymm registers, AVX2
  found.avx2 = found.sse41 && has_bits(w.first_c, osxsave, 28, 20, 23, 12) && has_bits(w.kept, 1, 2) && has_bits(w.seventh_b, 5);
  // F16C, F DQ BW VL, VNNI, saved mask registers, saved upper halves of zmm0 .. 15, saved zmm16 .. 31
  found.avx512vnni = found.avx2 && has_bits(w.first_c, 29) && has_bits(w.seventh_b, 16, 17, 30, 31) &&
                     has_bits(w.seventh_c, 11) && has_bits(w.kept, 5, 6, 7);
  return found;
}

DYADIC_API inline x86_words read_x86_words() noexcept {
  unsigned first[4] = {};
  unsigned seventh[4] = {};
  read_cpuid(1, 0, first);
  read_cpuid(7, 0, seventh);
  return {first[2], seventh[1], seventh[2], has_bits(first[2], osxsave) ? read_xcr0() : 0};
}

/// Returns the backends of this machine, read once.
DYADIC_API inline const x86_backends& this_x86() noexcept {
  static const x86_backends found = x86_backends_by(read_x86_words());
  return found;
}

/// Returns true for AVX-VNNI, by eax of subleaf 1 of leaf 7. It is tested separately, because only a program that names the
/// backend needs it.
DYADIC_API constexpr bool has_avxvnni(const x86_backends& others, unsigned second_seventh_a) noexcept {
  return others.avx2 && has_bits(second_seventh_a, 4);
}

/// Returns eax of subleaf 1 of leaf 7, or 0 on older processors, which do not have this subleaf.
DYADIC_API inline unsigned read_second_seventh_a() noexcept {
  unsigned r[4] = {};
  read_cpuid(7, 0, r);
  if (r[0] < 1) return 0;
  read_cpuid(7, 1, r);
  return r[0];
}

}  // namespace detail

/// SSE3, SSSE3 and SSE4.1.
template <>
struct runs_here<backend::sse41> {
  DYADIC_API static bool value() noexcept { return detail::this_x86().sse41; }  ///< asks once
};
/// AVX2, FMA and all below them; the operating system saves ymm registers.
template <>
struct runs_here<backend::avx2> {
  DYADIC_API static bool value() noexcept { return detail::this_x86().avx2; }  ///< asks once
};
/// AVX2, FMA and AVX-VNNI, with or without AVX-512. backend/avxvnni.hpp defines the backend.
template <>
struct runs_here<backend::avxvnni> {
  /// asks once
  DYADIC_API static bool value() noexcept {
    static const bool found = detail::has_avxvnni(detail::this_x86(), detail::read_second_seventh_a());
    return found;
  }
};
/// F, DQ, BW, VL, VNNI and F16C beside AVX2 and FMA; the operating system saves zmm and mask registers.
template <>
struct runs_here<backend::avx512vnni> {
  DYADIC_API static bool value() noexcept { return detail::this_x86().avx512vnni; }  ///< asks once
};

}  // namespace dyadic

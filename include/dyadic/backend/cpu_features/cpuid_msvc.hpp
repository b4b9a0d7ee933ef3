// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The functions of cpuid.hpp by the intrinsics of MSVC. Private. Floor 4.

#include <dyadic/config.hpp>

#include <intrin.h>

namespace dyadic::detail {

/// Sets r to eax, ebx, ecx and edx after CPUID; to 0 if the processor does not have the leaf.
DYADIC_API inline void read_cpuid(unsigned leaf, unsigned subleaf, unsigned (&r)[4]) noexcept {
  int words[4] = {};
  __cpuid(words, 0);
  const bool has_leaf = static_cast<unsigned>(words[0]) >= leaf;
  if (has_leaf) __cpuidex(words, static_cast<int>(leaf), static_cast<int>(subleaf));
  for (int i = 0; i < 4; ++i) r[i] = has_leaf ? static_cast<unsigned>(words[i]) : 0;
}

/// Returns XCR0: the registers of a thread that the operating system saves. Requires: OSXSAVE.
DYADIC_API inline unsigned read_xcr0() noexcept { return static_cast<unsigned>(_xgetbv(0)); }

}  // namespace dyadic::detail

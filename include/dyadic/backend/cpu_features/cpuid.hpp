// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The instructions CPUID and XGETBV. Private. Floor 4.

#include <dyadic/config.hpp>

#include <cpuid.h>

namespace dyadic::detail {

/// Sets r to eax, ebx, ecx and edx after CPUID; to 0 if the processor does not have the leaf.
DYADIC_API inline void read_cpuid(unsigned leaf, unsigned subleaf, unsigned (&r)[4]) noexcept {
  if (__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]) == 0)
    for (unsigned& word : r) word = 0;
}

/// Returns XCR0: the registers of a thread that the operating system saves. Requires: OSXSAVE.
DYADIC_API inline unsigned read_xcr0() noexcept {
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace dyadic::detail

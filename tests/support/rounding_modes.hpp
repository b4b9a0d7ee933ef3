#pragma once
/// \file
/// The states of a processor's floating-point unit that a program may leave behind: rounding modes, and subnormals flushed to 0.

#include <cfenv>

namespace support {

/// All rounding modes. `std::fesetround` returns another number than 0 for a mode that the machine has not.
inline constexpr int rounding_modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

/// The bits with which a machine flushes subnormals to 0: those that it computes, those that it reads, and both.
#if defined(__x86_64__)
inline constexpr unsigned flushes[] = {0x8000, 0x40, 0x8040};
#elif defined(__aarch64__)
inline constexpr unsigned flushes[] = {1u << 24};
#else
inline constexpr unsigned flushes[] = {0};
#endif

/// Sets one of the flush bits, or none with 0, and clears the floating-point exceptions. On A64 it sets the rounding mode to
/// nearest.
inline void flush_subnormals(unsigned flush) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x807Fu) | flush);
#elif defined(__aarch64__)
  const unsigned long mode = flush;
  __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
  static_cast<void>(flush);
#endif
}

}  // namespace support

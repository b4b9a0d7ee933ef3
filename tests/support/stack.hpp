// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures how much stack a function takes.

#include <cstddef>

namespace support {

/// Paints the stack below its caller, or counts the bytes that were overwritten since.
inline __attribute__((noinline)) std::size_t stack_water(bool paints) {
  constexpr std::size_t size = 256 * 1024;
  constexpr unsigned char paint = 0xA5;
  unsigned char area[size];
  volatile unsigned char* at = area;
  __asm__ volatile("" : "+r"(at)::"memory");
  std::size_t dry = 0;
  if (paints)
    for (std::size_t i = 0; i < size; ++i) at[i] = paint;
  else
    while (dry < size && at[dry] == paint) ++dry;
  return size - dry;
}

/// Returns the bytes of stack that f() takes.
template <class F>
__attribute__((noinline)) std::size_t stack_of(const F& f) {
  stack_water(true);
  f();
  return stack_water(false);
}

}  // namespace support

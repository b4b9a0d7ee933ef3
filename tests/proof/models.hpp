#pragma once
/// \file
/// The instructions of a set, each as a function over vectors in memory.
/// They are compiled with the compiler's header and with the models.

#include <cstddef>
#include <cstdint>
#include <random>

/// Reads a and b and writes y. Each has 64 bytes, and the function writes some bytes of y.
struct operation {
  const char* name;
  void (*run)(const void* a, const void* b, void* y);
};
struct operations {
  const operation* first;
  std::size_t count;
};
/// @{
operations real_operations();
operations modelled_operations();
operations listed_operations();
/// @}
/// Returns true if this machine has the instructions.
bool has_instructions();

/// Draws neighbours of powers of two, saturating bytes and halves, shift counts to either side, few bits, or any number.
inline std::uint32_t drawn(std::mt19937_64& random) {
  constexpr std::uint32_t edges[] = {0x8000'8000, 0x7FFF'7FFF, 0x8080'8080, 0x7F7F'7F7F, 0xFFFF'0000, 0x8000'7FFF};
  const auto any = static_cast<std::uint32_t>(random());
  switch (random() % 5) {
    case 0: return edges[any % 6];
    case 1: return (std::uint32_t{1} << any % 32) + static_cast<std::uint32_t>(random() % 3) - 1;
    case 2: return static_cast<std::uint32_t>(random()) >> any % 32;
    case 3: return any % 2 == 0 ? 0 : any / 2 % 140 - 70;
    default: return any;
  }
}

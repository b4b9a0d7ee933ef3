#pragma once
/// \file
/// Instructions of a set, each by a function over vectors in memory: compiled with the compiler's header and with the models.

#include <cstddef>

/// a and b in, y out: 64 bytes each, of which the function writes some.
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
/// @}
/// Whether this machine has them.
bool has_instructions();

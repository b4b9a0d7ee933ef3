// Helium's instructions, by the header that the compiler finds first: its own, or the models.

#include "../models.hpp"

#include <arm_mve.h>

#include <cstdint>
#include <cstring>

#include "../arm/define_tests.inc"

operations listed_operations() {
  static const operation list[] = {
#include "instructions.inc"
  };
  return {list, sizeof(list) / sizeof(*list)};
}

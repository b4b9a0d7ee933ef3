// NEON's instructions, by the header that the compiler finds first: its own, or the models.

#include "../models.hpp"

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#include "../arm/define_tests.inc"

operations listed_operations() {
  static const operation list[] = {
#include "instructions.inc"
#ifdef DYADIC_PROOF_A32
#include "instructions_a32.inc"
#else
#include "instructions_a64.inc"
#endif
  };
  return {list, sizeof(list) / sizeof(*list)};
}

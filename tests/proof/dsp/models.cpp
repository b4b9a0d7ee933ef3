// The two instructions of Armv7E-M that stores and products use, with the assembly of the headers.
// The compiler finds its own header first, or the models.

#include "../models.hpp"

#include <arm_acle.h>

#include <cstdint>
#include <cstring>

#ifdef DYADIC_PROOF_OF_ONE_LANE
using number = proof::integer32;
inline void sum() {}
inline void m() {}
inline void rounding() {}
inline void range_() {}
#else
using number = std::int32_t;
#endif

static number taken(const void* from, int i) {
  number x;
  std::memcpy(&x, static_cast<const char*>(from) + 4 * i, sizeof(x));
  return x;
}
static void smmla(const void* a, const void* b, void* y) {
  const number x = taken(a, 0), m = taken(b, 0), rounding = taken(a, 1);
  number sum = 0;
  __asm__("smmla %0, %1, %2, %3" : "=r"(sum) : "r"(x), "r"(m), "r"(rounding));
  std::memcpy(y, &sum, sizeof(sum));
}
static void qadd(const void* a, const void* b, void* y) {
  number x = taken(a, 0);
  const struct { number zero_point; } range_ = {taken(b, 0)};
  __asm__("qadd %0, %0, %1" : "+r"(x) : "r"(range_.zero_point));
  std::memcpy(y, &x, sizeof(x));
}

operations listed_operations() {
  static const operation list[] = {{"smmla", smmla}, {"qadd", qadd}};
  return {list, sizeof(list) / sizeof(*list)};
}

// expect: (nodiscard|unused-result)
#include <dyadic/int48.hpp>

void caller(const std::int64_t (&from)[3], dyadic::packed_int48 (&to)[3]);
void caller(const std::int64_t (&from)[3], dyadic::packed_int48 (&to)[3]) {
  static_cast<void>(dyadic::to_int48(from, to));
#ifdef MUST_NOT_COMPILE
  dyadic::to_int48(from, to);
#endif
}

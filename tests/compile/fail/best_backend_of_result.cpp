// expect: what with_best_backend calls returns nothing: keep a status in a variable outside
#include <dyadic/cpu.hpp>

namespace q = dyadic;

q::status caller();
q::status caller() {
  q::status s = q::status::ok;
#ifdef MUST_NOT_COMPILE
  const q::status found = q::with_best_backend([](auto) { return q::status::ok; });
#else
  const q::status found = q::with_best_backend([&](auto) { s = q::status::ok; });
#endif
  return found == q::status::ok ? s : found;
}

// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include <dyadic/cpu.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using chosen = q::backend::mve;  // of another machine
#else
using chosen = q::backend::scalar;
#endif

q::status caller() {
  return q::with_best_backend<chosen>([](auto) {});
}

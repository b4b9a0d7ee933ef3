// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  std::int8_t storage[q::packed_size<q::backend::mve, std::int8_t, std::int8_t>(2, 3)];
#else
  std::int8_t storage[q::packed_size<q::backend::scalar, std::int8_t, std::int8_t>(2, 3)];
#endif
  return q::pack<q::backend::scalar, std::int8_t>(weights, storage).status;
}

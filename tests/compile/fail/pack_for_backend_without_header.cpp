// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include "given.hpp"

q::status caller() {
  std::vector<std::int8_t> storage(6);
#ifdef MUST_NOT_COMPILE
  return q::pack<q::backend::mve, std::int8_t>(weights, storage).status;
#else
  return q::pack<q::backend::scalar, std::int8_t>(weights, storage).status;
#endif
}

// expect: weights are packed for a backend and a type of activations
#include "given.hpp"

q::status caller() {
  std::vector<std::int8_t> storage(6);
#ifdef MUST_NOT_COMPILE
  return q::pack(weights, storage).status;
#else
  return q::pack<q::backend::scalar, std::int8_t>(weights, storage).status;
#endif
}

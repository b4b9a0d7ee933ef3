// expect: packed weights are stored in an array, a container or a view of int8, and not const
#include "given.hpp"

q::status caller() {
  std::vector<std::uint8_t> bytes(6);
  std::vector<std::int8_t> storage(6);
#ifdef MUST_NOT_COMPILE
  return q::pack<q::backend::scalar, std::int8_t>(weights, bytes).status;
#else
  return q::pack<q::backend::scalar, std::int8_t>(weights, storage).status;
#endif
}

// expect: packed weights are stored in an array, a container or a view of int8, and not const
#include "given.hpp"

q::status caller() {
  const std::vector<std::int8_t> read_only(6);
  std::vector<std::int8_t> storage(6);
#ifdef MUST_NOT_COMPILE
  return q::pack<q::backend::scalar, std::int8_t>(weights, read_only).status;
#else
  return q::pack<q::backend::scalar, std::int8_t>(weights, storage).status;
#endif
}

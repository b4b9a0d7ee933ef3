// expect: a bias is int32, int48 or int64: an array, a container or a view of them
#include "given.hpp"

q::status caller() {
  const std::vector<float> real(2);
#ifdef MUST_NOT_COMPILE
  return q::fold<std::int8_t>(weights, real, {}, constants).status;
#else
  return q::fold<std::int8_t>(weights, bias, {}, constants).status;
#endif
}

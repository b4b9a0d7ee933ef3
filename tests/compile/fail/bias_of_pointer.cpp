// expect: a bias is int32, int48 or int64: an array, a container or a view of them
#include "given.hpp"

q::status caller() {
  const std::int32_t* const to = bias;
#ifdef MUST_NOT_COMPILE
  return q::fold<std::int8_t>(weights, to, {}, constants).status;
#else
  return q::fold<std::int8_t>(weights, q::any_bias(to, 2), {}, constants).status;
#endif
}

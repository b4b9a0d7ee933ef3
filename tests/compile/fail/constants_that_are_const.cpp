// expect: constants are an array, a container or a view of int32 or int64, and not const
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return q::fold<std::int8_t>(weights, bias, {}, bias).status;
#else
  return q::fold<std::int8_t>(weights, bias, {}, constants).status;
#endif
}

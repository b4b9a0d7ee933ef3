// expect: a bias is int32, int48 or int64: an array, a container or a view of them
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return q::fold_depthwise<std::int8_t>(weights, nullptr, window, {}, constants).status;
#else
  return q::fold_depthwise<std::int8_t>(weights, q::no_bias{}, window, {}, constants).status;
#endif
}

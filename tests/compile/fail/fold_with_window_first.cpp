// expect: a fold takes \(weights, bias, window2d, zero points, constants\), in this order
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return q::fold_conv2d<std::int8_t>(weights, window, bias, {}, constants).status;
#else
  return q::fold_conv2d<std::int8_t>(weights, bias, window, {}, constants).status;
#endif
}

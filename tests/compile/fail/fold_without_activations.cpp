// expect: a fold is for a type of activations: name it
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return q::fold_conv2d(weights, bias, window, {}, constants).status;
#else
  return q::fold_conv2d<std::int8_t>(weights, bias, window, {}, constants).status;
#endif
}

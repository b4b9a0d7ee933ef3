// expect: a fold is for a type of activations: name it
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return q::fold_conv2d(weights, window, bias, {}, constants).status;
#else
  return q::fold_conv2d<std::int8_t>(weights, window, bias, {}, constants).status;
#endif
}

// expect: a layer is made of weights, bias and output; one with a window
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::linear_layer{weights, folded};
#else
  const auto layer = q::linear_layer{weights, folded, output};
#endif
  run(layer, x, y);
  return check(layer, x, y);
}

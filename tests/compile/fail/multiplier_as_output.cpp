// expect: the output of a layer is a per_tensor_output
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::linear_layer{weights, folded, output.multiplier};
#else
  const auto layer = q::linear_layer{weights, folded, output};
#endif
  run(layer, x, y);
  return check(layer, x, y);
}

// expect: the bias of a layer is what fold makes of it
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::linear_layer{weights, output, folded};
#else
  const auto layer = q::linear_layer{weights, folded, output};
#endif
  run(layer, x, y);
  return check(layer, x, y);
}

// expect: constants have the width of the output.s accumulator
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::linear_layer{weights, folded_wide, output};
#else
  const auto layer = q::linear_layer{weights, folded, output};
#endif
  run(layer, x, y);
  return check(layer, x, y);
}

// expect: a layer is made of weights, bias and output; one with a window
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::depthwise_layer{weights, folded, output};
#else
  const auto layer = q::depthwise_layer{weights, folded, window, output};
#endif
  run(layer, x_image, y_image);
  return check(layer, x_image, y_image);
}

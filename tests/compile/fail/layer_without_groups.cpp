// expect: a layer is made of weights, bias and output; one with a window
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::conv2d_layer{packed, folded, window, output};
#else
  const auto layer = q::conv2d_layer{packed, folded, window, 1, output};
#endif
  run(layer, x_image, y_image);
  return check(layer, x_image, y_image);
}

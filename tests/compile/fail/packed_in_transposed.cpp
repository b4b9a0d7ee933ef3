// expect: linear_layer and conv2d_layer take packed weights
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::transposed_conv2d_layer{packed, folded, window, output};
#else
  const auto layer = q::transposed_conv2d_layer{weights, folded, window, output};
#endif
  run(layer, x_image, y_image);
  return check(layer, x_image, y_image);
}

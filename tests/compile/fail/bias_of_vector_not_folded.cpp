// expect: the bias of a layer is what fold makes of it
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::conv2d_layer{weights, std::vector<std::int32_t>(2), window, 1, output};
#else
  const auto layer = q::conv2d_layer{weights, folded, window, 1, output};
#endif
  run(layer, x_image, y_image);
  return check(layer, x_image, y_image);
}

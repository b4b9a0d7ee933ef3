// expect: a result is a status and a value: look at the status, then give the .value
#include "given.hpp"

q::status caller() {
  std::vector<std::int8_t> storage(6);
  const auto made = q::pack<q::backend::scalar, std::int8_t>(weights, storage);
#ifdef MUST_NOT_COMPILE
  const auto layer = q::conv2d_layer{made, folded, window, 1, output};
#else
  const auto layer = q::conv2d_layer{made.value, folded, window, 1, output};
#endif
  run(layer, x_image, y_image);
  return check(layer, x_image, y_image);
}

// expect: constants have the width of the output.s accumulator
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  const auto layer = q::depthwise_layer{weights, folded, window, q::per_tensor_output<std::int8_t, q::tosa::scale16>{}};
#else
  const auto layer = q::depthwise_layer{weights, folded, window, q::per_tensor_output<std::int8_t, q::tosa::scale32>{}};
#endif
  run(layer, x_image, y_image);
  return check(layer, x_image, y_image);
}

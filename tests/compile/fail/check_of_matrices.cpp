// expect: x and y of this layer are images: nhwc_view
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return check(conv2d, x, y);
#else
  return check(conv2d, x_image, y_image);
#endif
}

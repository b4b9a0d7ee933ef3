// expect: x and y of this layer are matrices: matrix_view
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  q::run(linear, x_image, y_image);
#else
  q::run(linear, x, y);
#endif
  return q::status::ok;
}

// expect: x and y of this layer are matrices: matrix_view
#include "given.hpp"

q::status caller() {
  const std::vector<std::int8_t> in(6);
  std::vector<std::int8_t> out(4);
#ifdef MUST_NOT_COMPILE
  return check_shapes(linear, in, out);
#else
  return check_shapes(linear, q::matrix_view(in, 2, 3), q::matrix_view(out, 2, 2));
#endif
}

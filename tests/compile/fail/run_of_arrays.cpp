// expect: x and y of this layer are matrices: matrix_view
#include "given.hpp"

q::status caller() {
  const std::int8_t in[6] = {};
  std::int8_t out[4] = {};
#ifdef MUST_NOT_COMPILE
  q::run(linear, in, out);
#else
  q::run(linear, q::matrix_view(in, 2, 3), q::matrix_view(out, 2, 2));
#endif
  return q::status::ok;
}

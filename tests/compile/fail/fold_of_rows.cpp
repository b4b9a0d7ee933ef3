// expect: weights are folded as a matrix_view\(data, rows, columns\), and not packed
#include "given.hpp"

q::status caller() {
  static const std::int8_t all[2][3] = {};
#ifdef MUST_NOT_COMPILE
  return q::fold_conv2d<std::int8_t>(all, bias, window, {}, constants).status;
#else
  return q::fold_conv2d<std::int8_t>(q::matrix_view(all[0], 2, 3), bias, window, {}, constants).status;
#endif
}

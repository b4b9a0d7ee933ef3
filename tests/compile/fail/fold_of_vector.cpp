// expect: weights are folded as a matrix_view\(data, rows, columns\), and not packed
#include "given.hpp"

q::status caller() {
  const std::vector<std::int8_t> all(6);
#ifdef MUST_NOT_COMPILE
  return q::fold<std::int8_t>(all, bias, {}, constants).status;
#else
  return q::fold<std::int8_t>(q::matrix_view(all, 2, 3), bias, {}, constants).status;
#endif
}

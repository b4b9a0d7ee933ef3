// expect: weights are folded as a matrix_view\(data, rows, columns\), and not packed
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return q::fold<std::int8_t>(packed, bias, {}, constants).status;
#else
  return q::fold<std::int8_t>(weights, bias, {}, constants).status;
#endif
}

// expect: weights are a matrix_view\(data, rows, columns\), or what pack makes of one
#include "given.hpp"

q::status caller() {
  const std::vector<std::int8_t> all(6);
#ifdef MUST_NOT_COMPILE
  const auto layer = q::linear_layer{all, folded, output};
#else
  const auto layer = q::linear_layer{q::matrix_view(all, 2, 3), folded, output};
#endif
  run(layer, x, y);
  return check(layer, x, y);
}

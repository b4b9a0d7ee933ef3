// expect: a result is a status and a value: look at the status, then give the .value
#include "given.hpp"

q::status caller() {
  const auto made = q::fold<std::int8_t>(weights, bias, {}, constants);
#ifdef MUST_NOT_COMPILE
  const q::linear_layer<std::int8_t, output_type> layer{weights, made, output};
#else
  const q::linear_layer<std::int8_t, output_type> layer{weights, made.value, output};
#endif
  run(layer, x, y);
  return check(layer, x, y);
}

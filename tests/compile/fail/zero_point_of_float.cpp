// expect: [Nn]arrow
#include "given.hpp"

q::status caller() {
  const float real = static_cast<float>(bias[0]);
#ifdef MUST_NOT_COMPILE
  return q::fold<std::int8_t>(weights, bias, {real, 0}, constants).status;
#else
  return q::fold<std::int8_t>(weights, bias, {static_cast<std::int32_t>(real), 0}, constants).status;
#endif
}

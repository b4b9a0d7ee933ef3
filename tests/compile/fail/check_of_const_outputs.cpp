// expect: y must hold what the layer.s output makes, and not be const
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return check(linear, x, x);
#else
  return check(linear, x, y);
#endif
}

// expect: a result is a status and a value: look at the status, then give the .value
#include "given.hpp"

q::status caller() {
  const auto made = scheme::derive(0.5);
#ifdef MUST_NOT_COMPILE
  return check(output_type{made}, 1);
#else
  return check(output_type{made.value}, 1);
#endif
}

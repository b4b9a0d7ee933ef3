// expect: a result is a status and a value: look at the status, then give the .value
#include "given.hpp"

q::status caller() {
  const auto made = scheme::derive(0.5);
#ifdef MUST_NOT_COMPILE
  return scheme::apply(3, made) == 2 ? q::status::ok : made.status;
#else
  return scheme::apply(3, made.value) == 2 ? q::status::ok : made.status;
#endif
}

// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include "given.hpp"

q::status caller() {
#ifdef MUST_NOT_COMPILE
  q::run<q::backend::mve>(linear, x, y);
#else
  q::run<q::backend::scalar>(linear, x, y);
#endif
  return q::status::ok;
}

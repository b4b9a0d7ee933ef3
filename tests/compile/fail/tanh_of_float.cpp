// expect: sigmoid, tanh and softmax are of int8 and int16
#include <dyadic/elementwise/tanh.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = float;
#else
using element = std::int16_t;
#endif

constexpr auto bytes = sizeof(q::tflite::tanh<element>);
static_assert(bytes > 0);

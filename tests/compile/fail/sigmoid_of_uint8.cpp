// expect: sigmoid, tanh and softmax are of int8 and int16
#include <dyadic/elementwise/sigmoid.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = std::uint8_t;
#else
using element = std::int8_t;
#endif

constexpr auto bytes = sizeof(q::tflite::sigmoid<element>);
static_assert(bytes > 0);

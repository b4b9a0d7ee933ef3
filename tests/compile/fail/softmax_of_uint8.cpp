// expect: sigmoid, tanh and softmax are of int8 and int16
#include <dyadic/elementwise/softmax.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = std::uint8_t;
#else
using element = std::int8_t;
#endif

constexpr auto bytes = sizeof(q::tflite::softmax<element, std::int16_t>);
static_assert(bytes > 0);

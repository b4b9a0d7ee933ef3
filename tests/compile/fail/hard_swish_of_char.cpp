// expect: hard swish is of int8 and uint8
#include <dyadic/elementwise/hard_swish.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = char;
#else
using element = std::uint8_t;
#endif

constexpr auto bytes = sizeof(q::tflite::hard_swish<element>);
static_assert(bytes > 0);

// expect: int8, uint8 and int16 are added
#include <dyadic/elementwise/add.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = std::int32_t;
#else
using element = std::int16_t;
#endif

constexpr auto bytes = sizeof(q::tflite::add<element>);
static_assert(bytes > 0);

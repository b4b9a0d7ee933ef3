// expect: XNNPACK multiplies int8 and uint8
#include <dyadic/elementwise/multiply.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = std::int16_t;
#else
using element = std::int8_t;
#endif

constexpr auto bytes = sizeof(q::xnnpack::multiply<element>);
static_assert(bytes > 0);

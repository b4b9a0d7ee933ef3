// expect: XNNPACK's leaky relu is of int8 and uint8
#include <dyadic/elementwise/leaky_relu.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = bool;
#else
using element = std::int8_t;
#endif

constexpr auto bytes = sizeof(q::xnnpack::leaky_relu<element>);
static_assert(bytes > 0);

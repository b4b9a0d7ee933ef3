// expect: CMSIS-NN adds int8 and int16
#include <dyadic/elementwise/add.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = std::uint8_t;
#else
using element = std::int8_t;
#endif

constexpr auto bytes = sizeof(q::cmsis_nn::add<element>);
static_assert(bytes > 0);

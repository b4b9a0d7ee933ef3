// expect: softmax of int16 gives int16
#include <dyadic/elementwise/softmax.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using element = std::int8_t;
#else
using element = std::int16_t;
#endif

constexpr auto bytes = sizeof(q::cmsis_nn::softmax<std::int16_t, element>);
static_assert(bytes > 0);

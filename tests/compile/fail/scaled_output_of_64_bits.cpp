// expect: a scaled output is int8, uint8, int16, uint16 or int32
#include <dyadic/output.hpp>

#ifdef MUST_NOT_COMPILE
using value = std::int64_t;
#else
using value = std::int32_t;
#endif
constexpr dyadic::per_tensor_output<value, dyadic::tflite::double_rounding> output{{1 << 30, 31}, {}};
static_assert(output.multiplier.right_shift == 31);

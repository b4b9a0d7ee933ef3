// expect: (conver|viable)
#include <dyadic/scheme/tflite.hpp>

constexpr dyadic::tflite::pair p{1 << 30, 0};
static_assert(dyadic::tflite::double_rounding::apply(3, dyadic::tflite::from_pair(p)) == 2);
#ifdef MUST_NOT_COMPILE
static_assert(dyadic::tflite::double_rounding::apply(3, p) == 2);
#endif

// expect: (conver|viable)
#include <dyadic/scheme/tflite.hpp>

constexpr dyadic::multiplier32 m = dyadic::tflite::double_rounding::derive(0.5).value;
static_assert(dyadic::tflite::reduced_int64::apply(3, dyadic::tflite::reduce(m)) == 2);
#ifdef MUST_NOT_COMPILE
static_assert(dyadic::tflite::reduced_int64::apply(3, m) == 2);
#endif

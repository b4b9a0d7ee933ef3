// expect: (conver|viable)
#include <dyadic/scheme/tosa.hpp>

constexpr dyadic::multiplier32 m = dyadic::tosa::scale32::derive(0.5).value;
static_assert(dyadic::tosa::scale32::apply(3, m) == 2);
#ifdef MUST_NOT_COMPILE
constexpr dyadic::multiplier16 n = dyadic::tosa::scale16::derive(0.5).value;
static_assert(dyadic::tosa::scale32::apply(3, n) == 2);
#endif

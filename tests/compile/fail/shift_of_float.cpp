// expect: static.assert(ion)? failed
// lines: 45
#include <dyadic/rounding.hpp>

static_assert(dyadic::shift_right<dyadic::half_up>(3, 1) == 2);
#ifdef MUST_NOT_COMPILE
static_assert(dyadic::shift_right<dyadic::half_up>(1.5, 1) == 1);
#endif

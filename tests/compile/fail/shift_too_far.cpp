// expect: (shift|right operand|not a constant expression|constant)
#include <dyadic/rounding.hpp>

static_assert(dyadic::shift_right<dyadic::half_up>(3, 31) == 0);
#ifdef MUST_NOT_COMPILE
static_assert(dyadic::shift_right<dyadic::half_up>(3, 32) == 0);
#endif

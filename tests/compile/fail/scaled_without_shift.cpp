// expect: (constant|shift|right operand)
#include <dyadic/scheme/formula.hpp>

static_assert(dyadic::scaled<dyadic::rounding::single_up>(1, 1, 63) == 0);
#ifdef MUST_NOT_COMPILE
static_assert(dyadic::scaled<dyadic::rounding::single_up>(1, 1, 0) == 0);
#endif

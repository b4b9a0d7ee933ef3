// The whole core, and a few of its results that the compiler proves on every target.
#include <dyadic/dyadic.hpp>

namespace {

static_assert(dyadic::shift_right<dyadic::half_up>(-5, 1) == -2);
static_assert(dyadic::shift_right<dyadic::half_away>(-5, 1) == -3);
static_assert(dyadic::shift_right<dyadic::half_even>(-5, 1) == -2);
static_assert(dyadic::shift_right<dyadic::half_to_zero>(-5, 1) == -2);
static_assert(dyadic::shift_right<dyadic::to_floor>(-5, 1) == -3);

// std::int32_t is int here and long there: int and long are both accepted.
static_assert(dyadic::shift_right<dyadic::half_up>(-5L, 1) == -2L);
static_assert(dyadic::shift_right<dyadic::half_up>(-5LL, 1) == -2LL);

}  // namespace

// expect: (conver|viable|enable_if)
#include <dyadic/int48.hpp>

constexpr std::int64_t wide = 5;
static_assert(dyadic::int48::saturated(wide) == dyadic::int48(5));
#ifdef MUST_NOT_COMPILE
constexpr dyadic::int48 x = wide;
static_assert(x == 5);
#endif

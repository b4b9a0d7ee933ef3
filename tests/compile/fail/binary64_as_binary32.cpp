// expect: (conver|viable|cannot initialize)
#include <dyadic/detail/ieee.hpp>

constexpr dyadic::binary64 wide = 0.1;
constexpr dyadic::binary32 x = dyadic::narrow(wide);
static_assert(!dyadic::is_zero(x));
#ifdef MUST_NOT_COMPILE
constexpr dyadic::binary32 y = wide;
static_assert(!dyadic::is_zero(y));
#endif

// expect: deleted
#include <dyadic/detail/ieee.hpp>

constexpr dyadic::binary32 x = 0.1f;
static_assert(!dyadic::is_zero(x));
#ifdef MUST_NOT_COMPILE
constexpr dyadic::binary32 y = 0.1;
static_assert(!dyadic::is_zero(y));
#endif

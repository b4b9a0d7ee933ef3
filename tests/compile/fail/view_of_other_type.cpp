// expect: (conver|viable)
#include <dyadic/view.hpp>

constexpr short data[3] = {1, 2, 3};
constexpr dyadic::view<const short> x = data;
static_assert(x.size() == 3);
#ifdef MUST_NOT_COMPILE
constexpr dyadic::view<const int> y = data;
static_assert(y.size() == 3);
#endif

// expect: only one of the two is uint16
#include <dyadic/linear.hpp>

#ifdef MUST_NOT_COMPILE
using activation = std::uint16_t;
#else
using activation = std::int16_t;
#endif

dyadic::status caller(dyadic::matrix_view<const std::uint16_t> w, dyadic::view<std::int64_t> constants);
dyadic::status caller(dyadic::matrix_view<const std::uint16_t> w, dyadic::view<std::int64_t> constants) {
  return dyadic::fold<activation>(w, dyadic::no_bias{}, {}, constants).status;
}

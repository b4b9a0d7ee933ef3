// expect: a bias is int32, int48 or int64
#include <dyadic/fold.hpp>

#ifdef MUST_NOT_COMPILE
using bias = std::int16_t;
#else
using bias = std::int32_t;
#endif

dyadic::status caller(dyadic::matrix_view<const std::int8_t> w, dyadic::view<const bias> b, dyadic::view<std::int32_t> constants);
dyadic::status caller(dyadic::matrix_view<const std::int8_t> w, dyadic::view<const bias> b,
                      dyadic::view<std::int32_t> constants) {
  return dyadic::fold<std::int8_t>(w, b, {}, constants).status;
}

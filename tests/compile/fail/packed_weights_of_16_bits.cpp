// expect: weights of 8 or 4 bits are packed
#include <dyadic/pack.hpp>

#ifdef MUST_NOT_COMPILE
using weight = std::int16_t;
#else
using weight = std::uint8_t;
#endif

dyadic::status caller(dyadic::matrix_view<const weight> w, dyadic::view<std::int8_t> storage);
dyadic::status caller(dyadic::matrix_view<const weight> w, dyadic::view<std::int8_t> storage) {
  return dyadic::pack<dyadic::backend::scalar, std::int16_t>(w, storage).status;
}

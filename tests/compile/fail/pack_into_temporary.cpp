// expect: (deleted function|deleted constructor)
#include <dyadic/pack.hpp>

#include <vector>

dyadic::status caller(dyadic::matrix_view<const std::int8_t> w, std::vector<std::int8_t> storage);
dyadic::status caller(dyadic::matrix_view<const std::int8_t> w, std::vector<std::int8_t> storage) {
#ifdef MUST_NOT_COMPILE
  return dyadic::pack<dyadic::backend::scalar, std::int8_t>(w, std::vector<std::int8_t>(storage)).status;
#else
  return dyadic::pack<dyadic::backend::scalar, std::int8_t>(w, storage).status;
#endif
}

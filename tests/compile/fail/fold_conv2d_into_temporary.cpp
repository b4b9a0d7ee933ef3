// expect: (deleted function|deleted constructor)
#include <dyadic/conv2d.hpp>

#include <vector>

dyadic::status caller(dyadic::matrix_view<const std::int8_t> w, std::vector<std::int32_t> constants);
dyadic::status caller(dyadic::matrix_view<const std::int8_t> w, std::vector<std::int32_t> constants) {
#ifdef MUST_NOT_COMPILE
  return dyadic::fold_conv2d<std::int8_t>(w, dyadic::no_bias{}, {}, {}, std::vector<std::int32_t>(constants)).status;
#else
  const dyadic::status s = dyadic::fold_conv2d<std::int8_t>(w, dyadic::no_bias{}, {}, {}, dyadic::view(constants)).status;
  return s == dyadic::status::ok ? dyadic::fold_conv2d<std::int8_t>(w, dyadic::no_bias{}, {}, {}, constants).status : s;
#endif
}

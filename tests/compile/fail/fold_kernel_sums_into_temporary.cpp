// expect: (deleted function|deleted constructor)
#include <dyadic/kernel_sums.hpp>

#include <vector>

using sums = std::vector<std::int32_t>;

dyadic::status caller(const sums& s, sums constants);
dyadic::status caller(const sums& s, sums constants) {
#ifdef MUST_NOT_COMPILE
  return dyadic::fold_kernel_sums<std::int8_t, std::int8_t>(s, 3, dyadic::no_bias{}, {}, sums(constants)).status;
#else
  return dyadic::fold_kernel_sums<std::int8_t, std::int8_t>(s, 3, dyadic::no_bias{}, {}, constants).status;
#endif
}

// expect: (deleted function|deleted constructor)
#include <dyadic/kernel_sums.hpp>

#include <vector>

using sums = std::vector<std::int32_t>;

dyadic::status caller(const dyadic::folded_bias<std::int32_t>& folded, const sums& s, sums constants);
dyadic::status caller(const dyadic::folded_bias<std::int32_t>& folded, const sums& s, sums constants) {
#ifdef MUST_NOT_COMPILE
  return dyadic::refold(folded, s, 1, sums(constants)).status;
#else
  return dyadic::refold(folded, s, 1, constants).status;
#endif
}

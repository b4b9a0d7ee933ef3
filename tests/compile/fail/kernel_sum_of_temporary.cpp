// expect: (deleted function|deleted constructor)
#include <dyadic/kernel_sums.hpp>

#include <vector>

using sums = std::vector<std::int32_t>;

dyadic::status caller(const sums& s);
dyadic::status caller(const sums& s) {
#ifdef MUST_NOT_COMPILE
  return dyadic::executorch::cortex_m::from_kernel_sum<std::int8_t, std::int8_t>(sums(s), 3, {}).status;
#else
  return dyadic::executorch::cortex_m::from_kernel_sum<std::int8_t, std::int8_t>(s, 3, {}).status;
#endif
}

// expect: only one of the two is uint16
#include <dyadic/matmul.hpp>

#ifdef MUST_NOT_COMPILE
using right = dyadic::batch_view<const std::uint16_t>;
#else
using right = dyadic::batch_view<const std::int16_t>;
#endif

using layer = dyadic::matmul_layer<dyadic::raw_output<std::int64_t>>;

dyadic::status caller(const layer& l, dyadic::batch_view<const std::uint16_t> x, right w, dyadic::batch_view<std::int64_t> y);
dyadic::status caller(const layer& l, dyadic::batch_view<const std::uint16_t> x, right w, dyadic::batch_view<std::int64_t> y) {
  return check(l, x, w, y, {});
}

// expect: x must hold what the layer
#include <dyadic/conv2d.hpp>

using weights = dyadic::packed_matrix<dyadic::backend::scalar, std::int16_t, std::int8_t>;
using layer = dyadic::conv2d_layer<std::int8_t, dyadic::raw_output<std::int32_t>, weights>;

void caller(const layer& l, dyadic::nhwc_view<std::int32_t> y);
void caller(const layer& l, dyadic::nhwc_view<std::int32_t> y) {
#ifdef MUST_NOT_COMPILE
  dyadic::run(l, dyadic::nhwc_view<const std::int8_t>{}, y);
#else
  dyadic::run(l, dyadic::nhwc_view<const std::int16_t>{}, y);
#endif
}

// expect: x must hold what the layer
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/tflite.hpp>

using layer = dyadic::rescale_layer<dyadic::per_tensor_output<std::int8_t, dyadic::tflite::double_rounding>>;

void caller(const layer& l, dyadic::matrix_view<std::int8_t> y);
void caller(const layer& l, dyadic::matrix_view<std::int8_t> y) {
#ifdef MUST_NOT_COMPILE
  dyadic::run(l, dyadic::matrix_view<const float>{}, y);
#else
  dyadic::run(l, dyadic::matrix_view<const std::int32_t>{}, y);
#endif
}

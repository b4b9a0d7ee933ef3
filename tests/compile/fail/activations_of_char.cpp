// expect: activations are int8, uint8, int16 or uint16
// lines: 45
#include <dyadic/linear.hpp>

using layer = dyadic::linear_layer<std::int8_t, dyadic::raw_output<std::int32_t>>;

void caller(const layer& l, dyadic::matrix_view<std::int32_t> y);
void caller(const layer& l, dyadic::matrix_view<std::int32_t> y) {
#ifdef MUST_NOT_COMPILE
  dyadic::run(l, dyadic::matrix_view<const char>{}, y);
#else
  dyadic::run(l, dyadic::matrix_view<const std::uint8_t>{}, y);
#endif
}

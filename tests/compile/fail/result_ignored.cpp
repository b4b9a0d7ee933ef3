// expect: (nodiscard|unused-result)
#include <dyadic/scheme/tflite.hpp>

void caller();
void caller() {
  static_cast<void>(dyadic::tflite::double_rounding::derive(0.5));
#ifdef MUST_NOT_COMPILE
  dyadic::tflite::double_rounding::derive(0.5);
#endif
}

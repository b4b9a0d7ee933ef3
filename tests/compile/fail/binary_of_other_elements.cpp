// expect: a, b and y are matrices of the rule's elements
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>

#include "given.hpp"

using layer = q::binary_layer<q::tflite::add<std::int8_t>>;
extern const layer halves;

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return check(halves, x, q::matrix_view<const std::int16_t>{}, y);
#else
  return check(halves, x, x, y);
#endif
}

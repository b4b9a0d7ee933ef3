// expect: x and y of this layer are images
#include <dyadic/elementwise/average_pool.hpp>

#include "given.hpp"

using layer = q::average_pool_layer<q::average_output<std::int8_t, q::tflite::average>>;
extern const layer pool;

q::status caller() {
#ifdef MUST_NOT_COMPILE
  return check(pool, x, y);
#else
  return check(pool, x_image, y_image);
#endif
}

// expect: a product takes left or transposed\(left\), right or transposed\(right\), and y as batch_views, and scratch
#include "given.hpp"

q::status caller() {
  const q::matmul_layer<output_type> product{{}, output};
  const q::batch_view<const std::int8_t> left(x.data(), 1, 2, 3);
  const q::batch_view<std::int8_t> to(y.data(), 1, 2, 2);
#ifdef MUST_NOT_COMPILE
  q::run(product, left, left, to);
#else
  q::run(product, left, q::transposed(left), to, constants);
#endif
  return check(product, left, left, to, constants);
}

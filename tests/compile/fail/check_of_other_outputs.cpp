// expect: y must hold what the layer.s output makes, and not be const
#include "given.hpp"

q::status caller() {
  static std::int16_t all[4];
  const q::matrix_view wide(all, 2, 2);
  if (const q::status s = check(wide); s != q::status::ok) return s;
#ifdef MUST_NOT_COMPILE
  return check(q::rescale_layer{0, output}, x, wide);
#else
  return check(q::rescale_layer{0, output}, x, y);
#endif
}

// expect: constants are an array, a container or a view of int32 or int64, and not const
#include "given.hpp"

q::status caller() {
  std::int32_t* const to = constants;
#ifdef MUST_NOT_COMPILE
  return q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {}, to).status;
#else
  return q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {}, q::view(to, 2)).status;
#endif
}

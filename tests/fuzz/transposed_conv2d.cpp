#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

void draw_transposed_conv2d(reader& r, tally& t) {
  if (r.one_in(2)) return draw_layer<op::transposed_conv2d, std::int16_t, std::int8_t, true>(r, t);
  return draw_layer<op::transposed_conv2d, std::int8_t, std::int8_t, true>(r, t);
}

}  // namespace fuzz

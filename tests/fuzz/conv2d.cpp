#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

void draw_conv2d(reader& r, tally& t) {
  switch (r.byte() % 4) {
    case 0: return draw_layer<op::conv2d, std::int16_t, std::int8_t, true>(r, t);
    case 1: return draw_layer<op::conv2d, std::int8_t, std::int8_t, true>(r, t);
    case 2: return draw_layer<op::conv2d, std::int8_t, q::int4>(r, t);
    default: return draw_layer<op::conv2d, std::int16_t, q::int4>(r, t);
  }
}

}  // namespace fuzz

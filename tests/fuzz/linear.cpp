#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

void draw_linear(reader& r, tally& t) {
  switch (r.byte() % 6) {
    case 0: return draw_layer<op::linear, std::int16_t, std::int8_t, true>(r, t);
    case 1: return draw_layer<op::linear, std::int8_t, std::int8_t, true>(r, t);
    case 2: return draw_layer<op::linear, std::int8_t, q::int4>(r, t);
    case 3: return draw_layer<op::linear, std::int16_t, q::int4>(r, t);
    case 4: return draw_layer<op::linear, std::int16_t, std::int16_t>(r, t);
    default: return draw_layer<op::linear, std::uint8_t, std::uint8_t>(r, t);
  }
}

}  // namespace fuzz

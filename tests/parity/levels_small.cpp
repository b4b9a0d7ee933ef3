#include "levels.hpp"

static_assert(dyadic::optimizes_for_size);

namespace levels {

void run_small(const linear_layer<std::int16_t>& layer, q::matrix_view<const std::int16_t> x,
               q::matrix_view<value<std::int16_t>> y) {
  q::run(layer, x, y);
}
void run_small(const linear_layer<std::int8_t>& layer, q::matrix_view<const std::int8_t> x,
               q::matrix_view<value<std::int8_t>> y) {
  q::run(layer, x, y);
}

}  // namespace levels

// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include <dyadic/dyadic.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using chosen = q::backend::mve;
#else
using chosen = q::backend::scalar;
#endif

using batch = q::batch_view<const std::int8_t>;
void multiply(const q::matmul_layer<q::raw_output<std::int32_t>>& layer, batch left, batch right, q::batch_view<std::int32_t> y) {
  std::int32_t scratch[4];
  q::run<chosen>(layer, left, right, y, scratch);
}

// expect: a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
using chosen = q::backend::mve;
#else
using chosen = q::backend::scalar;
#endif

using rows = q::matrix_view<const std::int8_t>;
void add(const q::binary_layer<q::tflite::add<std::int8_t>>& layer, rows a, rows b, q::matrix_view<std::int8_t> y) {
  q::run<chosen>(layer, a, b, y);
}

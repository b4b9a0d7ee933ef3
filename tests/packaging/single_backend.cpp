// A single header with one backend and its fallbacks, and no other header in reach. The backend has its own kernels, and the file
// has no names of other machines.
#include <dyadic/dyadic.hpp>

namespace q = dyadic;
using backend = q::backend::BACKEND;

static_assert(q::packed_layout_of<backend, std::int8_t, std::int8_t>.nr > 1, "the backend packs weights in panels");

q::status run_packed(const std::int8_t* weights, const std::int8_t* x, std::int32_t* y) {
  std::int8_t storage[q::packed_size<backend, std::int8_t, std::int8_t>(2, 3)] = {};
  std::int32_t constants[2] = {};
  const auto packed = q::pack<backend, std::int8_t>(q::matrix_view(weights, 2, 3), storage);
  const auto folded = q::fold<std::int8_t>(q::matrix_view(weights, 2, 3), q::no_bias{}, {}, constants);
  const q::linear_layer layer{packed.value, folded.value, q::raw_output<std::int32_t>{}};
  const q::status s = check(layer, q::matrix_view(x, 1, 3), q::matrix_view(y, 1, 2));
  if (s == q::status::ok) run(layer, q::matrix_view(x, 1, 3), q::matrix_view(y, 1, 2));
  return s;
}

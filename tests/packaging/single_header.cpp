// All of dyadic in one file that nothing is beside: a layer on the best backend of this machine, and on that of the flags.
#include <dyadic/dyadic.hpp>

namespace q = dyadic;

namespace {

constexpr std::int8_t weights[] = {1, 2, 3, -1, -2, -3};

template <class Backend>
bool runs() {
  const std::int16_t x[] = {1000, -2000, 3000};
  std::int8_t storage[q::packed_size<Backend, std::int16_t, std::int8_t>(2, 3)] = {};
  std::int64_t constants[2] = {};
  std::int64_t y[2] = {};
  const auto packed = q::pack<Backend, std::int16_t>(q::matrix_view(weights, 2, 3), storage);
  const auto folded = q::fold<std::int16_t>(q::matrix_view(weights, 2, 3), q::no_bias{}, {}, constants);
  const auto layer = q::linear_layer{packed.value, folded.value, q::raw_output<std::int64_t>{}};
  if (packed.status != q::status::ok || verify(layer) != q::status::ok) return false;
  run(layer, q::matrix_view(x, 1, 3), q::matrix_view(y, 1, 2));
  return y[0] == 6000 && y[1] == -6000;
}

}  // namespace

int main() {
  bool right = runs<q::native>();
  const q::status s = q::with_best_backend([&](auto backend) { right = right && runs<decltype(backend)>(); });
  return s == q::status::ok && right ? 0 : 1;
}

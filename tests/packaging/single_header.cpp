// The single header with all of dyadic, and no other header in reach. It runs a layer on the best backend of this machine, and on
// the best backend that the flags allow.
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

#if defined(__x86_64__)
// Each region has the files of its own backend.
template <class Backend, class X>
constexpr auto layout = q::packed_layout_of<Backend, X, std::int8_t>;
static_assert(layout<q::backend::sse41, std::int16_t>.nr == 8 && layout<q::backend::avx2, std::int16_t>.nr == 16);
static_assert(layout<q::backend::avx512vnni, std::int16_t>.nr == 32);
static_assert(layout<q::backend::avx2, std::int8_t>.kr == 2 && layout<q::backend::avxvnni, std::int8_t>.kr == 4);
#endif

}  // namespace

int main() {
  bool right = runs<q::native>();
  const q::status s = q::with_best_backend([&](auto backend) { right = right && runs<decltype(backend)>(); });
  return s == q::status::ok && right ? 0 : 1;
}

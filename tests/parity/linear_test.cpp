#include "each_backend.hpp"
#include "linear_parity.hpp"

namespace {

using namespace dyadic;

using here = parity::backends_of_machine;
using parity::each_backend;
using parity::multipliers_per;

template <class Backend>
constexpr bool packed_at_compile_time() {
  const std::int8_t w[] = {1, 2, 3, -1, -2, -3};
  const std::int16_t x[] = {1000, -2000, 3000};
  std::int64_t constants[2] = {};
  std::int8_t storage[packed_size<Backend, std::int16_t, std::int8_t>(2, 3)] = {};
  std::int64_t y[2] = {};
  const auto folded = fold<std::int16_t>(matrix_view(w, 2, 3), no_bias{}, {8, 1}, constants);
  const auto packed = pack<Backend, std::int16_t>(matrix_view(w, 2, 3), storage);
  if (folded.status != status::ok || packed.status != status::ok) return false;
  const linear_layer layer{packed.value, folded.value, raw_output<std::int64_t>{}};
  if (check(layer, matrix_view(x, 1, 3), matrix_view(y, 1, 2)) != status::ok) return false;
  run(layer, matrix_view(x, 1, 3), matrix_view(y, 1, 2));
  return y[0] == 3976 && y[1] == -7928;
}
static_assert(packed_at_compile_time<backend::scalar>());
static_assert(packed_at_compile_time<parity::usual_backend>());
static_assert(packed_at_compile_time<backend::DYADIC_BEST>());

}  // namespace

TEST_CASE("linear: int16 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  parity::every_shape<here, std::int16_t, std::int8_t, std::int16_t, tosa::scale16, multipliers_per::channel>();
  parity::every_shape<here, std::int16_t, std::int8_t, std::int8_t, tflite::double_rounding, multipliers_per::tensor>();
}
TEST_CASE("linear: multipliers of all kinds, and one that another variant serves, equal scalar", "[parity]") {
  parity::multipliers_of<here, tosa::scale16, std::int16_t>();
}
TEST_CASE("linear: multipliers below 0 and of all kinds, and one that another variant serves, equal scalar", "[parity]") {
  parity::multipliers_of<here, tflite::double_rounding, std::int8_t, std::int8_t>();
}
template <class X, class Scheme>
void many_short_rows(typename Scheme::multiplier_type m) {
  const std::vector<typename Scheme::multiplier_type> all(256, m);
  parity::linear_runs<here, X, std::int8_t, X> runs{{100, 256, 88}};
  constexpr parity::shape shapes[] = {{100, 16, 1}, {100, 16, 4}, {100, 16, 5}, {35, 16, 88}, {2, 256, 8}, {25, 8, 31},
                                      {25, 7, 33},  {7, 8, 64},   {1, 16, 9},   {1, 32, 3},   {5, 1, 47},  {6, 1, 48}};
  for (const parity::shape& s : shapes) runs.compare(s, {}, per_channel_output<X, Scheme>{{all.data(), s.channels}});
  runs.t.check();
}
TEST_CASE("linear: more short rows than a copy holds, and channels that share constants equal scalar", "[parity]") {
  many_short_rows<std::int16_t, tosa::scale16>({30000, 32});
  many_short_rows<std::int8_t, tflite::double_rounding>({2000000000, 40});
}
TEST_CASE("linear: int8 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  parity::every_shape<here, std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding, multipliers_per::channel>();
}

TEST_CASE("linear: a framework's two arrays for several vectors of channels equal scalar", "[parity]") {
  std::vector<std::int64_t> mantissas, shifts;
  for (std::int64_t i = 0; i < 74; ++i) {
    mantissas.push_back(1100000000 + i * 10000000);
    shifts.push_back(-13 - i % 5);
  }
  parity::linear_runs<here, std::int16_t, std::int8_t, std::int16_t, parity::weights_are::packed_alone> runs{{13, 37, 200}};
  const auto compare = [&](index_t rows, index_t channels, std::ptrdiff_t first) {
    const view<const std::int64_t> m(mantissas.data() + first, channels), s(shifts.data() + first, channels);
    runs.compare({rows, channels, 200}, {}, per_channel_arrays_output<std::int16_t, tflite::reduced_int64, std::int64_t>{m, s});
  };
  compare(13, 1, 0);
  for (const index_t rows : {1, 13})
    for (const index_t channels : {21, 37}) compare(rows, channels, 37);  // the values before them would be valid, too
  runs.t.check();
}
TEST_CASE("linear: a range of rows with a framework's two arrays equals scalar", "[parity]") {
  each_backend([](auto backend) {
    using tested = decltype(backend);
    const std::int16_t x[] = {1000, -1000, 2000, 3000, 5001, -5001, 7000, 9, -9};
    const std::int8_t w[] = {1, 2, 3, -4, -5, -6};
    const std::int64_t mantissas[] = {1 << 30, 1500000000};
    const std::int64_t shifts[] = {-3, -4};
    std::int64_t constants[2] = {};
    std::int8_t storage[packed_size<tested, std::int16_t, std::int8_t>(2, 3)] = {};
    std::int16_t y[6] = {99, 99, 99, 99, 99, 99};
    std::int16_t expected[6] = {99, 99, 99, 99, 99, 99};
    const auto folded = fold<std::int16_t>(matrix_view(w, 2, 3), no_bias{}, {}, constants);
    const auto packed = pack<tested, std::int16_t>(matrix_view(w, 2, 3), storage);
    const per_channel_arrays_output<std::int16_t, tflite::reduced_int64, std::int64_t> output{mantissas, shifts};
    run(linear_layer{packed.value, folded.value, output}, matrix_view(x, 3, 3), matrix_view(y, 3, 2), {1, 2});
    run(linear_layer{matrix_view(w, 2, 3), folded.value, output}, matrix_view(x, 3, 3), matrix_view(expected, 3, 2), {1, 2});
    for (int i = 0; i < 6; ++i) CHECK(y[i] == expected[i]);
    CHECK(y[0] == 99);
    CHECK(y[2] != 99);
  });
}

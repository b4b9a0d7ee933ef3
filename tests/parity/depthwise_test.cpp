#include "each_backend.hpp"

#include "depthwise_parity.hpp"

namespace {

using namespace dyadic;

using here = parity::backends_of_machine;
using parity::multipliers_per;

template <class X, class W, class Y, class Scheme, multipliers_per Per>
void every_shape() {
  parity::every_depthwise_shape<here, X, W, Y, Scheme, Per>();
}
template <class Backends, class... Schemes>
void schemes() {
  (parity::depthwise_multipliers<Backends, Schemes, std::int32_t>(), ...);
}

template <class Backend>
constexpr bool computed_at_compile_time() {
  const std::int8_t x[] = {1, 2, 3, 4};
  const std::int8_t w[] = {1, -1, 10, 5};
  std::int32_t constants[2] = {};
  std::int32_t y[4] = {};
  const window2d window{{2}, {1}};
  const auto folded = fold_depthwise<std::int8_t>(matrix_view(w, 2, 2), no_bias{}, window, {}, constants);
  run<Backend>(depthwise_layer{matrix_view(w, 2, 2), folded.value, window, raw_output<std::int32_t>{}}, nhwc_view(x, 1, 2, 1, 2),
               nhwc_view(y, 1, 1, 1, 2));
  return y[0] == 31 && y[1] == 18;
}
static_assert(computed_at_compile_time<backend::DYADIC_BEST>());

}  // namespace

TEST_CASE("depthwise: int16 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  every_shape<std::int16_t, std::int8_t, std::int16_t, tosa::scale16, multipliers_per::channel>();
}
TEST_CASE("depthwise: activations of 8 bits of every shape equal scalar and stay within their memory", "[parity]") {
  every_shape<std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding, multipliers_per::tensor>();
  every_shape<std::uint8_t, std::uint8_t, std::uint8_t, tosa::scale32, multipliers_per::channel>();
}
TEST_CASE("depthwise: weights of 4 bits of every shape equal scalar and stay within their memory", "[parity]") {
  every_shape<std::int16_t, int4, std::int32_t, tosa::scale16, multipliers_per::tensor>();
}

TEST_CASE("depthwise: windows of up to 5 x 5 taps over small images equal scalar and stay within their memory", "[parity]") {
  parity::depthwise_small_images<here, std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding>();
  parity::depthwise_small_images<here, std::uint8_t, std::uint8_t, std::uint8_t, tosa::scale32>();
  parity::depthwise_small_images<here, std::int16_t, std::int8_t, std::int16_t, tosa::scale16>();
}
TEST_CASE("depthwise: long rows, large windows, and images of nothing but padding equal scalar", "[parity]") {
  parity::depthwise_sizes<here, std::int16_t, std::int64_t>();
  parity::depthwise_sizes<here, std::int8_t, std::int32_t>();
}

TEST_CASE("depthwise: extreme operands and wide biases equal scalar, sums that wrap included", "[parity]") {
  parity::depthwise_extremes<here, std::int16_t, std::int8_t>(raw_output<std::int64_t>{}, false);
  parity::depthwise_extremes<here, std::int16_t, std::int8_t>(raw_output<std::int32_t>{}, true);
  parity::depthwise_extremes<here, std::int16_t, std::int8_t>(raw_output<packed_int48>{}, true);
  parity::depthwise_extremes<here, std::int16_t, std::int8_t>(per_tensor_output<std::int32_t, tosa::scale16>{{20000, 31}}, true);
  parity::depthwise_extremes<here, std::int16_t, std::int8_t>(per_tensor_output<std::int16_t, tosa::scale32>{{1 << 30, 44}},
                                                              true);
  parity::depthwise_extremes<here, std::int16_t, std::int8_t>(
      per_tensor_output<std::int16_t, tflite::double_scale<std::int32_t>>{{0x1p-17}}, true);
  parity::depthwise_extremes<here, std::uint8_t, std::uint8_t>(raw_output<std::int64_t>{}, false);
}

TEST_CASE("depthwise: the schemes of either accumulator equal scalar", "[parity]") {
  schemes<here, tflite::double_rounding, tosa::scale16>();
  if (!parity::is_tested<parity::usual_backend>()) return;
  schemes<parity::backends<parity::usual_backend>, tflite::avx2, cmsis_nn::requantize_s64>();
}
TEST_CASE("depthwise: a scheme without a formula and a framework's two arrays equal scalar", "[parity]") {
  parity::depthwise_runs<here, std::int16_t, std::int8_t, std::int8_t> runs{std::size_t{1} << 16};
  runs.compare({1, 7, 9, 70, parity::window_3x3}, {}, per_tensor_output<std::int8_t, exact::half_even>{{1 << 30, 45}});
  runs.compare({1, 7, 9, 70, parity::window_3x3}, {},
               per_tensor_output<std::int8_t, tflite::double_scale<std::int64_t>>{{0x1p-15}});
  parity::numbers<std::int64_t> mantissas(70), shifts(70);
  for (std::size_t i = 0; i < 70; ++i) {
    mantissas[i] = 1500000000 + static_cast<std::int64_t>(i) * 1000000;
    shifts[i] = -13 - static_cast<std::int64_t>(i % 5);
  }
  runs.compare({1, 7, 9, 70, parity::window_3x3}, {},
               per_channel_arrays_output<std::int8_t, tflite::reduced_int64, std::int64_t>{mantissas, shifts});
  runs.t.check();
}

#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/tanh.hpp>
#include <dyadic/native.hpp>

#include <array>
#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;
namespace tflite = q::tflite;
using q::status;

namespace {

// ---- by the compiler

/// A step of x is 1/16: sigmoid(0) = 128/256, sigmoid(1) = 187.2/256, sigmoid(-8) = 0.09/256.
constexpr auto sigmoid8 = tflite::sigmoid<std::int8_t>::derive(0.0625f, 3);
static_assert(sigmoid8.status == status::ok && check(sigmoid8.value) == status::ok && sigmoid8.value.radius == 120);
static_assert(sigmoid8.value(3) == 0 && sigmoid8.value(19) == 187 - 128 && sigmoid8.value(-125) == -128);
constexpr auto tanh8 = tflite::tanh<std::int8_t, tflite::single_rounding>::derive(0.0625f, -128);
static_assert(tanh8.value(-128) == 0 && tanh8.value(-112) == 97 && tanh8.value(127) == 127);

constexpr auto sigmoid16 = tflite::sigmoid<std::int16_t>::derive(0x1p-12f);
static_assert(sigmoid16.status == status::ok && sigmoid16.value.multiplier == q::multiplier32{3, 0});
static_assert(sigmoid16.value(0) == 16384 && sigmoid16.value(4096) == 23956 && sigmoid16.value(-4096) == 8812);
static_assert(sigmoid16.value(32767) == 32757 && sigmoid16.value(-32768) == 11);
static_assert(tflite::tanh<std::int16_t>::derive(0x1p-11f).value.multiplier == q::multiplier32{6, 0});
static_assert(tflite::tanh<std::int16_t>::from_pair(0, 0)(4096) == 24956 &&
              tflite::tanh<std::int16_t>::from_pair(0, 0)(-4096) == -24956);
static_assert(q::cmsis_nn::tanh::from_left_shift(-1)(8192) == 24956);
static_assert(q::cmsis_nn::sigmoid::from_left_shift(2)(1024) == 23956);

// Shifts past the last index, and shifts that the kernel of CMSIS-NN does not take.
constexpr auto sigmoid_of = [](std::int32_t shift) { return q::cmsis_nn::sigmoid::from_left_shift(shift); };
constexpr auto tanh_of = [](std::int32_t shift) { return q::cmsis_nn::tanh::from_left_shift(shift); };
static_assert(sigmoid_of(3)(32767) == 32767 && sigmoid_of(3)(-32768) == 1);
static_assert(tanh_of(3)(32767) == 32767 && tanh_of(3)(-32768) == -32767);
static_assert(sigmoid_of(0).multiplier == q::multiplier32{3, 0} && sigmoid_of(-31).multiplier == q::multiplier32{3, 31});
static_assert(check(sigmoid_of(-31)) == status::ok && check(sigmoid_of(-32)) == status::multiplier_out_of_range);
static_assert(check(sigmoid_of(-33)) == status::multiplier_out_of_range &&
              check(sigmoid_of(q::int32_min)) == status::multiplier_out_of_range);
static_assert(check(tanh_of(14)) == status::ok && check(tanh_of(15)) == status::multiplier_out_of_range);
static_assert(check(tflite::sigmoid<std::int16_t>::from_pair(0, -1)) == status::multiplier_out_of_range);
static_assert(check(tflite::sigmoid<std::int16_t>::from_pair(0, 31)) == status::multiplier_out_of_range);

/// Runs the second of two rows of three columns.
constexpr std::array<std::int16_t, 6> second_row() {
  const std::int16_t x[] = {1, 2, 3, 0, 4096, -4096};
  std::array<std::int16_t, 6> y{};
  const q::activation_layer layer{sigmoid16.value};
  const q::matrix_view<std::int16_t> out(y.data(), 2, 3);
  if (check(layer, q::matrix_view(x, 2, 3), out) == status::ok) run(layer, q::matrix_view(x, 2, 3), out, {1, 2});
  return y;
}
static_assert(second_row()[2] == 0 && second_row()[3] == 16384 && second_row()[4] == 23956 && second_row()[5] == 8812);

}  // namespace

TEST_CASE("the derivations of sigmoid and tanh refuse numbers that are no scale") {
  const float tiny = 0x1p-40f;
  CHECK(tflite::sigmoid<std::int8_t>::derive(0.0f, 0).status == status::scale_zero);
  CHECK(tflite::sigmoid<std::int8_t>::derive(-1.0f, 0).status == status::scale_negative);
  CHECK(tflite::sigmoid<std::int8_t>::derive(q::binary32::from_bits(0x7F80'0000u), 0).status == status::scale_not_finite);
  CHECK(tflite::sigmoid<std::int8_t>::derive(0x1p-29f, 0).status == status::scale_too_small);
  CHECK(tflite::sigmoid<std::int8_t>::derive(0x1p-28f, 0).status == status::ok);
  CHECK(tflite::sigmoid<std::int8_t>::derive(0x1p-28f, 0).value.radius == 2013265920);
  CHECK(tflite::sigmoid<std::int8_t>::derive(0x1p30f, 0).value.radius == 0);
  CHECK(tflite::tanh<std::int8_t>::derive(1.0f, 128).status == status::zero_point_out_of_range);
  CHECK(tflite::tanh<std::int16_t>::derive(0.0f).status == status::scale_zero);
  CHECK(tflite::tanh<std::int16_t>::derive(-1.0f).status == status::scale_negative);
  CHECK(tflite::sigmoid<std::int16_t>::derive(q::binary32::from_bits(0x7FC0'0000u)).status == status::scale_not_finite);
  CHECK(tflite::sigmoid<std::int16_t>::derive(tiny).value.multiplier == q::multiplier32{24, 31});
  CHECK(tflite::sigmoid<std::int16_t>::derive(0x1p-45f).status == status::scale_too_small);
  CHECK(check(tflite::sigmoid<std::int16_t>::derive(5.33f).value) == status::ok);
  CHECK(tflite::sigmoid<std::int16_t>::derive(5.34f).status == status::scale_too_large);
}

TEST_CASE("rules of sigmoid and tanh refuse numbers for which the kernels overflow") {
  using sigmoid = tflite::sigmoid<std::int8_t>;
  CHECK(check(sigmoid{0, 1, {0, 31}}) == status::ok);
  CHECK(check(sigmoid{0, 1, {-1, 31}}) == status::multiplier_out_of_range);
  CHECK(check(sigmoid{0, 1, {1, 32}}) == status::multiplier_out_of_range);
  CHECK(sigmoid::derive(0.0f, 0).value.multiplier == q::multiplier32{0, 31});
  CHECK(check(tflite::sigmoid<std::int8_t>{0, 121, sigmoid8.value.multiplier}) == status::multiplier_out_of_range);
  CHECK(check(tflite::sigmoid<std::int8_t>{0, 60, {1 << 30, 32}}) == status::multiplier_out_of_range);
  CHECK(check(tflite::sigmoid<std::int8_t>{-129, 120, sigmoid8.value.multiplier}) == status::zero_point_out_of_range);
  CHECK(check(tflite::sigmoid<std::int16_t>::from_pair(65536, 0)) == status::ok);
  CHECK(check(tflite::sigmoid<std::int16_t>::from_pair(65537, 0)) == status::multiplier_out_of_range);
  CHECK(check(tflite::sigmoid<std::int16_t>::from_pair(32769, 31)) == status::ok);
  CHECK(check(tflite::sigmoid<std::int16_t>::from_pair(32770, 31)) == status::multiplier_out_of_range);
  CHECK(check(tflite::sigmoid<std::int16_t>::from_pair(-1, 0)) == status::multiplier_out_of_range);
  CHECK(check(tflite::tanh<std::int16_t>::from_pair(0, 14)) == status::ok);
  CHECK(check(tflite::tanh<std::int16_t>::from_pair(0, 15)) == status::multiplier_out_of_range);
}

TEST_CASE("check of an activation layer names the error") {
  std::array<std::int16_t, 12> x{};
  std::array<std::int16_t, 12> y{};
  const q::activation_layer layer{sigmoid16.value};
  CHECK(check(layer, q::matrix_view(x, 3, 4), q::matrix_view(y, 3, 4)) == status::ok);
  CHECK(check(layer, q::matrix_view(x, 3, 4), q::matrix_view(y, 4, 3)) == status::shape_mismatch);
  CHECK(check(layer, q::matrix_view(x, 3, 4), q::matrix_view(x, 3, 4)) == status::ok);  // in place
  CHECK(check(layer, q::matrix_view(x, 2, 4), q::matrix_view(x, 2, 4, 5)) == status::overlap);
  CHECK(check(layer, q::matrix_view(x.data(), 2, 4), q::matrix_view(x.data() + 1, 2, 4)) == status::overlap);
  CHECK(check(layer, q::matrix_view<std::int16_t>(nullptr, 3, 4), q::matrix_view(y, 3, 4)) == status::null_data);
  const q::activation_layer bad{tflite::sigmoid<std::int16_t>::from_pair(-1, 0)};
  CHECK(check(bad, q::matrix_view(x, 3, 4), q::matrix_view(y, 3, 4)) == status::multiplier_out_of_range);
}

TEST_CASE("check of an activation layer has two halves: shapes and memory") {
  std::array<std::int16_t, 12> x{};
  const q::activation_layer layer{sigmoid16.value};
  const q::matrix_view<std::int16_t> nothing(nullptr, 3, 4);
  CHECK(check_shapes(layer, nothing, nothing) == status::ok);
  CHECK(check_shapes(layer, nothing, q::matrix_view<std::int16_t>(nullptr, 3, 5)) == status::shape_mismatch);
  CHECK(check_shapes(layer, q::matrix_view<std::int16_t>(nullptr, -1, 4), nothing) == status::negative_size);
  CHECK(check_memory(layer, nothing, nothing) == status::null_data);
  CHECK(check_memory(layer, q::matrix_view(x, 3, 4), q::matrix_view(x, 3, 4)) == status::ok);
  CHECK(check_memory(layer, q::matrix_view(x, 2, 4, 5), q::matrix_view(x, 2, 4)) == status::overlap);
}

TEST_CASE("any backend runs an activation layer, also for rows with gaps") {
  std::array<std::int16_t, 9> x{0, 4096, 99, -4096, 0, 99, 32767, -32768, 99};
  std::array<std::int16_t, 9> y{};
  const q::activation_layer layer{sigmoid16.value};
  REQUIRE(check(layer, q::matrix_view(x, 3, 2, 3), q::matrix_view(y, 3, 2, 3)) == status::ok);
  q::run<q::native>(layer, q::matrix_view(x, 3, 2, 3), q::matrix_view(y, 3, 2, 3));
  CHECK(y == std::array<std::int16_t, 9>{16384, 23956, 0, 8812, 16384, 0, 32757, 11, 0});
}

TEST_CASE("an activation layer runs a leaky relu and a hard swish") {
  const auto relu = q::tflite::leaky_relu<std::int8_t>::derive(1.0f, 0, 0.5f, 1.0f, 0);
  REQUIRE(relu.status == status::ok);
  const auto swish = q::tflite::hard_swish<std::int8_t>::derive(0.0625f, 0, 0.0625f, 0);
  REQUIRE(swish.status == status::ok);
  std::array<std::int8_t, 4> x{-128, -48, 0, 96};
  std::array<std::int8_t, 4> y{};
  const q::activation_layer leaky{relu.value};
  REQUIRE(check(leaky, q::matrix_view(x, 2, 2), q::matrix_view(y, 2, 2)) == status::ok);
  run(leaky, q::matrix_view(x, 2, 2), q::matrix_view(y, 2, 2));
  CHECK(y == std::array<std::int8_t, 4>{-64, -24, 0, 96});
  const q::activation_layer hard{swish.value};
  REQUIRE(check(hard, q::matrix_view(x, 2, 2), q::matrix_view(y, 2, 2)) == status::ok);
  run(hard, q::matrix_view(x, 2, 2), q::matrix_view(y, 2, 2));
  CHECK(y == std::array<std::int8_t, 4>{0, 0, 0, 96});  // 0 at -3 and below, 96 at 3 and above
}

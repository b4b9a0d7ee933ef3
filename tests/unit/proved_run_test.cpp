#include <dyadic/proved.hpp>

#include <array>
#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

/// Runs all layers as portable code, and claims to be fast by fused rules.
struct fuses {
  using fallback = q::backend::scalar;
};

}  // namespace

template <>
inline constexpr bool dyadic::has_fused_products<fuses> = true;

namespace {

/// Returns the outputs of two rows of 100 after an element that is not an output. The layer has one weight of 1 and a scale of
/// 0.28. After the proof the numbers are changed to a scale of 1/8, so that the outputs show which rule ran.
constexpr std::array<std::int8_t, 3> outputs(bool is_proved) {
  const std::int8_t weight = 1;
  std::int32_t constants[1] = {};
  q::binary32 numbers[3] = {};
  const q::matrix_view<const std::int8_t> w(&weight, 1, 1);
  const auto folded = q::fold<std::int8_t>(w, q::no_bias{}, {}, constants);
  const q::per_tensor_output<std::int8_t, q::tflite::double_rounding> output{{1200000000, 32}};
  auto proved = q::prove_epilogue(q::linear_layer{w, folded.value, output}, numbers).value;
  proved.is_proved = proved.is_proved && is_proved;
  numbers[0] = q::binary32{0.125f};
  numbers[1] = q::binary32{0.0f};
  const std::int8_t x[3] = {100, 100, 100};
  std::array<std::int8_t, 3> y{};
  q::run<fuses>(proved, q::matrix_view<const std::int8_t>(x + 1, 2, 1), q::matrix_view<std::int8_t>(y.data() + 1, 2, 1));
  return y;
}
constexpr bool are(const std::array<std::int8_t, 3>& y, int expected) {
  return y[0] == 0 && y[1] == expected && y[2] == expected;
}
static_assert(are(outputs(true), 28), "the compiler runs the layer's own scheme");

}  // namespace

TEST_CASE("proved: a proved layer runs by its numbers on a backend that is fast by them, and by its scheme else", "[proved]") {
  const auto y = outputs(true);
  CHECK((are(y, 12) || are(y, 13)));
  CHECK(are(outputs(false), 28));
}

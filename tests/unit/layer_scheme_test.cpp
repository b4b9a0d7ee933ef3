#include <dyadic/any_layer.hpp>
#include <dyadic/layer_scheme.hpp>

#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;
using q::element_type;

namespace {

constexpr std::int32_t bias32[2] = {7, -7};
constexpr std::int64_t bias64[2] = {7, -7};
constexpr q::packed_int48 bias48[2] = {};
constexpr q::any_bias of_32(bias32, 2), of_48(bias48, 2), of_64(bias64, 2), none;

template <class Scheme>
constexpr q::scheme_id id = q::scheme_id::of<Scheme>();

/// TFLite: an int64 bias of int16 goes with the reduced multiplier, everything else with the multiplier of 31 bits.
constexpr bool tflite_holds() {
  for (const q::any_bias& bias : {of_32, of_64, none}) {
    for (const element_type x : {element_type::int8, element_type::uint8})
      if (q::tflite::scheme_of(x, bias) != id<q::tflite::double_rounding> ||
          q::tflite::scheme_of<q::tflite::single_rounding>(x, bias) != id<q::tflite::single_rounding>)
        return false;
    const bool is_wide = bias.bits() != 32;
    if (q::tflite::scheme_of(element_type::int16, bias) !=
            (is_wide ? id<q::tflite::reduced_int64> : id<q::tflite::double_rounding>) ||
        q::tflite::scheme_of<q::tflite::single_rounding>(element_type::int16, bias) !=
            (is_wide ? id<q::tflite::reduced_int64> : id<q::tflite::single_rounding>))
      return false;
  }
  return q::tflite::scheme_of(element_type::int16, of_48) == id<q::tflite::reduced_int64>;
}
static_assert(tflite_holds());

template <class Scheme>
using linear = q::kind<q::op::linear, std::int16_t, std::int8_t, Scheme>;
constexpr auto kinds =
    q::layer_kinds_of<q::backend::scalar, linear<q::tflite::double_rounding>, linear<q::tflite::reduced_int64>>();

/// Returns the output of a layer for weight 100 and input 2600. The multiplier is (2^31 - 1) * 2^-34, which 15 bits store as
/// 32767 * 2^-18.
int output(const q::any_bias& bias, bool is_named) {
  const std::int8_t weights[] = {100};
  const std::int32_t mantissa[] = {0x7FFF'FFFF}, shift[] = {-3};
  q::layer_spec spec;
  spec.x = spec.y = element_type::int16;
  spec.w = element_type::int8;
  spec.channels = spec.depth = 1;
  spec.weights = weights;
  spec.bias = bias;
  spec.multipliers = {mantissa, shift, q::shift_convention::left};
  if (is_named) spec.scheme = q::tflite::scheme_of(spec);
  alignas(8) unsigned char arena[64];
  const auto layer = kinds.prepare(spec, arena);
  if (layer.status != q::status::ok) return -static_cast<int>(layer.status);
  const std::int16_t x[] = {2600};
  std::int16_t y[] = {0};
  const q::any_input in(element_type::int16, x, 1, 1);
  const q::any_output out(element_type::int16, y, 1, 1);
  if (check(layer.value, in, out) == q::status::ok) run(layer.value, in, out);
  return y[0];
}

}  // namespace

TEST_CASE("TFLite chooses the scheme of int16 by the type of the bias") { CHECK(tflite_holds()); }

TEST_CASE("the scheme of TFLite gives a layer the outputs that its bias's type has") {
  const q::any_bias one_of_32(bias32, 1), one_of_64(bias64, 1);
  CHECK(output(one_of_32, true) == 32501);  // (260000 + 7) * (1 - 2^-31) / 8 = 32500.87
  CHECK(output(one_of_64, true) == 32500);  // (260000 + 7) * (1 - 2^-15) / 8 = 32499.88
  CHECK(output(none, true) == 32499);       // 260000 * (1 - 2^-15) / 8 = 32499.01
  CHECK(output(one_of_32, false) == -static_cast<int>(q::status::ambiguous_scheme));
}

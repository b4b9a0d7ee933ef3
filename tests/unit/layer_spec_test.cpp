#include <dyadic/layer_spec.hpp>
#include <dyadic/schemes.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/catch.hpp"

namespace q = dyadic;
using std::int32_t;

namespace {

std::string text(const q::layer_spec& spec) { return q::to_string(spec).c_str(); }

constexpr std::string_view op_names[] = {"linear", "conv2d", "depthwise", "transposed_conv2d"};
constexpr std::string_view type_names[] = {"none", "int4", "int8", "uint8", "int16", "uint16", "int32", "int48", "int64"};

/// Checks that each enumerator has its own name, and that other numbers, as a file may have them, are unknown.
constexpr bool names_hold() {
  for (int i = 0; i < 256; ++i) {
    const std::string_view op = q::to_string(static_cast<q::layer_op>(i));
    const std::string_view type = q::to_string(static_cast<q::element_type>(i));
    if (op != (i < 4 ? op_names[i] : "unknown operator") || type != (i < 9 ? type_names[i] : "unknown type")) return false;
  }
  return q::to_string(q::layer_op::conv2d) == op_names[1] && q::to_string(q::element_type::int64) == type_names[8];
}
static_assert(names_hold());

struct of_user : q::exact::half_up {};
struct of_user_with_a_name_that_is_longer_than_sixty_three_characters_here : q::exact::half_up {};

/// Returns the description of a convolution with numbers that all differ.
q::layer_spec convolution() {
  q::layer_spec spec;
  spec.op = q::layer_op::conv2d;
  spec.x = spec.w = spec.y = q::element_type::int8;
  spec.scheme = q::scheme_id::of<q::tflite::double_rounding>();
  spec.channels = 64;
  spec.depth = 27;
  spec.window = {{3}, {5}};
  return spec;
}

}  // namespace

TEST_CASE("operators and types have names, other numbers are unknown") { CHECK(names_hold()); }

TEST_CASE("a scheme's identity has the name of the scheme") {
  q::all_schemes.each([](auto listed) {
    const std::string_view name = listed.name;
    const std::string_view found = q::scheme_id::of<typename decltype(listed)::scheme>().name();
    CAPTURE(name, found);
    CHECK(found.substr(0, found.find('<')) == name.substr(0, name.find('<')));  // compilers name a type in < > by themselves
  });
  CHECK(std::string_view(q::scheme_id{}.name()) == "no scheme");
  CHECK(std::string_view(q::scheme_id::of<void>().name()) == "no scheme");
  const std::string_view own = q::scheme_id::of<of_user>().name();
  CHECK(own.substr(own.size() - 7) == "of_user");
  const std::string_view cut = q::scheme_id::of<of_user_with_a_name_that_is_longer_than_sixty_three_characters_here>().name();
  CHECK(cut.size() == 63);
  static_assert(*q::scheme_id::of<q::tosa::scale16>().name() == 't');
}

TEST_CASE("a description is a sentence: operator and types, scheme, sizes, multipliers, bias") {
  q::layer_spec spec = convolution();
  const double scales[64] = {};
  const int32_t mantissas[64] = {};
  const int32_t bias[64] = {};
  spec.multipliers = q::any_multipliers(scales);
  spec.bias = q::any_bias(bias, 64);
  CHECK(text(spec) ==
        "conv2d, int8 x int8 -> int8 by tflite::double_rounding, 64 channels of depth 27, 3x5 window, groups 1, "
        "per-channel multipliers, int32 bias");
  spec.window = {{3, 2, 1, 0, 1}, {5, 1, 2, 3, 4}};
  spec.groups = 2;
  spec.zero = {-5, 7};
  spec.range = {3, -128, 100};
  spec.multipliers = {mantissas, mantissas, q::shift_convention::left};
  CHECK(text(spec) ==
        "conv2d, int8 x int8 -> int8 by tflite::double_rounding, 64 channels of depth 27, 3x5 window, stride 2x1, dilation 1x2, "
        "padding 0+1 x 3+4, groups 2, per-channel multipliers, int32 bias, zero points -5 and 7, outputs -128 .. 100 with zero "
        "point 3");
  static_assert(*q::to_string(q::layer_spec{}).c_str() == 'l');
}

TEST_CASE("a description says what it leaves out") {
  CHECK(text({}) == "linear, none x none -> none by no scheme, 0 channels of depth 0, no multipliers, no bias");
  q::layer_spec spec = convolution();
  const double scales[3] = {};
  const std::int64_t bias[3] = {};
  const q::packed_int48 wide[3] = {};
  spec.op = q::layer_op::depthwise;
  spec.multipliers = q::view<const double>(scales, 1);
  spec.bias = q::any_bias(bias, 3);
  CHECK(text(spec) ==
        "depthwise, int8 x int8 -> int8 by tflite::double_rounding, 64 channels of depth 27, 3x5 window, one multiplier, int64 "
        "bias of 3");
  spec.op = q::layer_op::transposed_conv2d;
  spec.multipliers = q::any_multipliers(scales);
  spec.channels = 3;
  spec.bias = q::any_bias(wide, 3);
  spec.depth = -1;
  CHECK(text(spec) ==
        "transposed_conv2d, int8 x int8 -> int8 by tflite::double_rounding, 3 channels of depth -1, 3x5 window, per-channel "
        "multipliers, int48 bias");
  spec.channels = 2;
  spec.bias = q::any_bias(static_cast<const int32_t*>(nullptr), 2);
  CHECK(text(spec).substr(text(spec).find("3x5")) == "3x5 window, 3 multipliers, no bias");
}

TEST_CASE("the longest description fits its text") {
  constexpr q::index_t least = q::limits<q::index_t>::min;
  constexpr int32_t lowest = q::int32_min;
  q::layer_spec spec = convolution();
  spec.op = q::layer_op::conv2d;
  spec.x = spec.w = spec.y = q::element_type::uint16;
  spec.scheme = q::scheme_id::of<of_user_with_a_name_that_is_longer_than_sixty_three_characters_here>();
  spec.channels = spec.depth = spec.groups = least;
  spec.window = {{least, least, least, least, least}, {least, least, least, least, least}};
  const double scale = 0;
  const std::int64_t bias = 0;
  spec.multipliers = q::view<const double>(&scale, least);
  spec.bias = q::any_bias(&bias, least);
  spec.zero = {lowest, lowest};
  spec.range = {lowest, lowest, lowest};
  const std::string all = text(spec);
  CHECK(all.substr(all.size() - 22) == "zero point -2147483648");
  CHECK(static_cast<q::index_t>(all.size()) == q::to_string(spec).size());
}

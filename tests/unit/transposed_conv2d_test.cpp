#include <dyadic/scheme/tosa.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <array>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using s = q::status;

constexpr q::index_t huge = std::numeric_limits<q::index_t>::max();

// ---- one layer, by the compiler and at run time

/// x - zero.x = -32868 and w - zero.w = -131 everywhere: each output is the bias and 4305708 for each product. An image of 2 x 3
/// x 5, a kernel of 3 x 3 (at most 20 products for one output), stride 2, padding 1, a bias of 2^40; four rows, the last one of
/// the output padding, of five outputs.
constexpr std::array<std::int64_t, 20> padded_layer() {
  std::int16_t x[30] = {};
  for (std::int16_t& value : x) value = -32768;
  std::int8_t w[45] = {};
  for (std::int8_t& value : w) value = -128;
  const std::int64_t bias[] = {std::int64_t{1} << 40};
  const q::window2d window{{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}};
  const q::zero_points zero{100, 3};
  const q::matrix_view weights(w, 1, 45);
  std::int64_t constants[26] = {};
  const auto folded = q::fold_transposed_conv2d<std::int16_t>(weights, window, bias, zero, constants);
  const q::transposed_conv2d_layer layer{weights, folded.value, zero, window, q::raw_output<std::int64_t>{}};
  std::array<std::int64_t, 20> y{};
  const q::nhwc_view<const std::int16_t> in(x, 1, 2, 3, 5);
  const q::nhwc_view<std::int64_t> out(y.data(), 1, 4, 5, 1);
  if (folded.status != q::status::ok || check(layer, in, out) != q::status::ok) return {};
  run(layer, in, out);
  return y;
}

constexpr bool padded_layer_is_right() {
  const int rows[] = {1, 2, 1, 1};        // the last one, of the output padding, lacks the input after the end
  const int columns[] = {1, 2, 1, 2, 1};  // taps inside; 2 x 2 of them are 20 products
  for (std::size_t i = 0; i < 20; ++i)
    if (padded_layer()[i] != (std::int64_t{1} << 40) + std::int64_t{4305708} * 5 * rows[i / 5] * columns[i % 5]) return false;
  return true;
}
static_assert(padded_layer_is_right());

// ---- a sound layer to spoil, one member at a time

constexpr q::window2d sound_window = {{3, 2, 1, 1, 1}, {3, 1, 1, 1, 1}};

struct sound {
  using layer_type = q::transposed_conv2d_layer<std::int8_t, q::channel_output<std::int16_t, q::tosa::scale16>>;

  std::int16_t x[24] = {1, 2, 3, 4, 5, 6};
  std::int8_t w[36] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::int64_t constants[42] = {};
  q::multiplier16 multipliers[2] = {{1 << 14, 15}, {1 << 14, 15}};
  std::int16_t y[48];
  layer_type layer{
      q::matrix_view<const std::int8_t>(w, 2, 18),
      q::fold_transposed_conv2d<std::int16_t>(q::matrix_view(w, 2, 18), sound_window, q::no_bias{}, {5, -6}, constants).value,
      {5, -6},
      sound_window,
      {multipliers}};
  q::nhwc_view<std::int16_t> x_view{x, 1, 3, 4, 2};
  q::nhwc_view<std::int16_t> y_view{y, 1, 5, 4, 2};

  sound() {
    for (std::int16_t& value : y) value = 77;
  }
  q::nhwc_view<const std::int16_t> in() const { return x_view; }
  q::nhwc_view<std::int16_t> out() const { return y_view; }
};

/// The status that `check` gives after `spoil` has been at a sound layer. Also: nothing was written.
template <class Spoil>
q::status after(Spoil spoil) {
  sound l;
  REQUIRE(check(l.layer, l.in(), l.out()) == q::status::ok);
  spoil(l);
  const q::status found = check(l.layer, l.in(), l.out());
  for (const std::int16_t y : l.y) REQUIRE(y == 77);
  return found;
}

}  // namespace

TEST_CASE("a padded transposed convolution with an output padding and both zero points is what the compiler says") {
  CHECK(padded_layer_is_right());
}

TEST_CASE("an unsound view of a transposed convolution has its status, and nothing is written") {
  CHECK(after([](sound& l) { l.layer.weights = {nullptr, 2, 18}; }) == s::null_data);
  CHECK(after([](sound& l) { l.x_view = {nullptr, 1, 3, 4, 2}; }) == s::null_data);
  CHECK(after([](sound& l) { l.y_view = {nullptr, 1, 5, 4, 2}; }) == s::null_data);
  CHECK(after([](sound& l) { l.layer.bias.constants = {nullptr, l.layer.bias.constants.size()}; }) == s::null_data);
  CHECK(after([](sound& l) { l.layer.output.multipliers = {nullptr, 2}; }) == s::null_data);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, -1, 18}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.x_view = {l.x, -1, 3, 4, 2}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 5, 4, 2, -2, 8, 16}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.layer.bias.constants = {l.constants, -1}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 2, 18, huge}; }) == s::size_overflow);
  CHECK(after([](sound& l) { l.x_view = {l.x, huge, 3, 4, 2}; }) == s::size_overflow);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 2, 18, 1}; }) == s::stride_too_small);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 3, 4, 2, 1, 8, 24}; }) == s::stride_too_small);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 5, 4, 2, 2, 3, 16}; }) == s::stride_too_small);
}

TEST_CASE("a transposed convolution whose sizes disagree is refused") {
  CHECK(after([](sound& l) { l.layer.window.y.kernel = 0; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.x.stride = -1; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.x.dilation = 2; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.y.dilation = 2; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.y.pad_before = -1; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 1, 18}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 2, 17}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 3, 4, 1}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 2, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 3, 3, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {nullptr, 1, 0, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 0, 3, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 4, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 7, 3, 2}; }) == s::shape_mismatch);  // an output padding of the stride
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 5, 3, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 4, 5, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 5, 4, 1}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.x.kernel = 2; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.y.stride = 1; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.y.pad_after = 3; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 6, 4, 2}; }) == s::ok);  // an output padding of 1
  CHECK(after([](sound& l) { l.x_view = {nullptr, 0, 3, 4, 2}, l.y_view = {nullptr, 0, 5, 4, 2}; }) == s::ok);
}

TEST_CASE("a fold of other numbers than those of the transposed convolution is refused") {
  CHECK(after([](sound& l) { l.layer.zero.x = 6; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.zero.w = 0; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.constants = {l.constants, l.layer.bias.constants.size() - 1}; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.constants = {}; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.record.channels = 1; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.record.taps_y = 9; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.record.taps_x = 1; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { ++l.layer.bias.record.step_y; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { ++l.layer.bias.record.step_x; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.record.depth = 7; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.record.x_min = -128; }) == s::fold_mismatch);
  CHECK(after([](sound& l) { l.layer.bias.record.x_max = 127; }) == s::fold_mismatch);
}

TEST_CASE("zero points, multipliers, ranges, bounds and overlaps of a transposed convolution have their statuses") {
  CHECK(after([](sound& l) { l.layer.zero.x = 32768; }) == s::zero_point_out_of_range);
  CHECK(after([](sound& l) { l.layer.zero.w = -129; }) == s::zero_point_out_of_range);
  CHECK(after([](sound& l) { l.layer.output.multipliers = {l.multipliers, 1}; }) == s::multiplier_count_mismatch);
  CHECK(after([](sound& l) { l.multipliers[1] = {-1, 15}; }) == s::multiplier_out_of_range);
  CHECK(after([](sound& l) { l.multipliers[0] = {1, 63}; }) == s::multiplier_out_of_range);
  CHECK(after([](sound& l) { l.layer.output.range = {0, 1, 0}; }) == s::empty_range);
  CHECK(after([](sound& l) { l.layer.output.range = {0, -32769, 0}; }) == s::range_out_of_type);
  CHECK(after([](sound& l) { l.layer.output.range = {40000, -1, 0}; }) == s::zero_point_out_of_range);
  CHECK(after([](sound& l) { l.layer.bias.record.bound.highest = std::int64_t{1} << 47; }) == s::accumulator_overflow);
  CHECK(after([](sound& l) { l.layer.bias.record.bound.lowest = -(std::int64_t{1} << 47) - 1; }) == s::accumulator_overflow);
  CHECK(after([](sound& l) { l.y_view = {l.x + 23, 1, 5, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.x_view = {l.y, 1, 3, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.y_view = {reinterpret_cast<std::int16_t*>(l.w), 1, 5, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.y_view = {reinterpret_cast<std::int16_t*>(l.constants), 1, 5, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.y_view = {reinterpret_cast<std::int16_t*>(l.multipliers), 1, 5, 4, 2}; }) == s::overlap);
}

TEST_CASE("a bad fold of a transposed convolution gets its status and writes nothing") {
  std::int8_t w[36] = {1, 2, 3};
  std::int32_t bias[2] = {1, 2};
  std::int32_t constants[42] = {77};
  const auto fold = [&](q::matrix_view<const std::int8_t> m, q::window2d window, q::view<const std::int32_t> b,
                        q::zero_points zero,
                        q::view<std::int32_t> c) { return q::fold_transposed_conv2d<std::int8_t>(m, window, b, zero, c).status; };
  const q::matrix_view<const std::int8_t> good(w, 2, 18);
  const q::window2d window = sound_window;
  CHECK(fold(good, {{0}, {3}}, bias, {5, 0}, constants) == s::bad_window);
  CHECK(fold(good, {{3, 2, 2}, {3}}, bias, {5, 0}, constants) == s::bad_window);
  CHECK(fold({nullptr, 2, 18}, window, bias, {5, 0}, constants) == s::null_data);
  CHECK(fold({w, -1, 18}, window, bias, {5, 0}, constants) == s::negative_size);
  CHECK(fold({w, 2, 18, 1}, window, bias, {5, 0}, constants) == s::stride_too_small);
  CHECK(fold({w, huge, 18}, window, bias, {5, 0}, constants) == s::size_overflow);
  CHECK(fold({w, 2, 17}, window, bias, {5, 0}, constants) == s::shape_mismatch);
  CHECK(fold(good, window, {nullptr, 2}, {5, 0}, constants) == s::null_data);
  CHECK(fold(good, window, {bias, 1}, {5, 0}, constants) == s::shape_mismatch);
  CHECK(fold(good, window, {bias, -2}, {5, 0}, constants) == s::negative_size);
  CHECK(fold(good, window, bias, {5, 0}, {nullptr, 42}) == s::null_data);
  CHECK(fold(good, window, bias, {5, 0}, {constants, 42 - 1}) == s::shape_mismatch);
  CHECK(fold(good, window, bias, {0, 0}, constants) == s::shape_mismatch);  // needs 2 constants
  CHECK(fold(good, window, bias, {128, 0}, constants) == s::zero_point_out_of_range);
  CHECK(fold(good, window, bias, {5, -129}, constants) == s::zero_point_out_of_range);
  std::int32_t shared[42] = {1, 2};
  CHECK(fold(good, window, {shared + 42 - 2, 2}, {5, 0}, shared) == s::overlap);
  CHECK((constants[0] == 77 && constants[1] == 0 && constants[42 - 1] == 0 && shared[0] == 1 && shared[2] == 0));
  CHECK(fold(good, window, bias, {5, 0}, constants) == s::ok);
}

TEST_CASE("a transposed convolution of no depth and of any shape gets a status, not an overflow") {
  const q::window2d wide{{1 << 12, 1, 1, 1, 1}, {1 << 12, 1, 1, 1, 1}};
  const q::matrix_view<const std::int8_t> nothing(nullptr, huge / 1024, 0);
  std::int64_t constants[2] = {};
  CHECK(q::fold_transposed_conv2d<std::int8_t>(nothing, wide, q::no_bias{}, {5, 0}, constants).status == s::shape_mismatch);
}

/// An output of no channels, so of no elements, and of `rows` rows, where cropping leaves less than none.
constexpr s of_nothing(q::index_t rows) {
  const q::window2d window{{1, 1, 1, 2, 0}, {1, 1, 1, 0, 0}};
  const q::matrix_view<const std::int8_t> nothing(nullptr, 0, 1);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(nothing, window, q::no_bias{}, {}, q::view<std::int64_t>{});
  const q::transposed_conv2d_layer layer{nothing, folded.value, q::zero_points{}, window, q::raw_output<std::int64_t>{}};
  const std::int8_t x[] = {1};
  return check(layer, q::nhwc_view<const std::int8_t>(x, 1, 1, 1, 1), q::nhwc_view<std::int64_t>(nullptr, 1, rows, 1, 0));
}
static_assert(of_nothing(huge) == s::shape_mismatch && of_nothing(0) == s::shape_mismatch);

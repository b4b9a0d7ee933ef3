#include <dyadic/conv2d.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <array>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using s = q::status;

constexpr q::index_t huge = std::numeric_limits<q::index_t>::max();

// ---- one layer, by the compiler and at run time

/// x - zero.x = -32868 and w - zero.w = -131 everywhere: each output is the bias and 4305708 for each product. An image of 4 x 5
/// x 2, a kernel of 3 x 3 (18 products), stride 2, padding 1, a bias of 2^40; two rows of three outputs.
constexpr std::array<std::int64_t, 6> padded_layer() {
  std::int16_t x[40] = {};
  for (std::int16_t& value : x) value = -32768;
  std::int8_t w[18] = {};
  for (std::int8_t& value : w) value = -128;
  const std::int64_t bias[] = {std::int64_t{1} << 40};
  const q::window2d window{{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}};
  const q::zero_points zero{100, 3};
  const q::matrix_view weights(w, 1, 18);
  std::int64_t constants[17] = {};
  const auto folded = q::fold_conv2d<std::int16_t>(weights, window, bias, zero, constants);
  const q::conv2d_layer layer{weights, folded.value, zero, window, 1, q::raw_output<std::int64_t>{}};
  std::array<std::int64_t, 6> y{};
  const q::nhwc_view<const std::int16_t> in(x, 1, 4, 5, 2);
  const q::nhwc_view<std::int64_t> out(y.data(), 1, 2, 3, 1);
  if (folded.status != q::status::ok || check(layer, in, out) != q::status::ok) return {};
  run(layer, in, out);
  return y;
}

constexpr bool padded_layer_is_right() {
  const int products[] = {8, 12, 8, 12, 18, 12};  // 2 or 3 rows by 2 or 3 columns inside, by 2 channels
  for (std::size_t i = 0; i < 6; ++i)
    if (padded_layer()[i] != (std::int64_t{1} << 40) + std::int64_t{4305708} * products[i]) return false;
  return true;
}
static_assert(padded_layer_is_right());

// ---- a sound layer to spoil, one member at a time

constexpr q::window2d sound_window = {{3, 2, 1, 1, 1}, {3, 1, 1, 1, 1}};

struct sound {
  using layer_type = q::conv2d_layer<std::int8_t, q::channel_output<std::int16_t, q::tosa::scale16>>;

  std::int16_t x[24] = {1, 2, 3, 4, 5, 6};
  std::int8_t w[36] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::int64_t constants[34] = {};
  q::multiplier16 multipliers[2] = {{1 << 14, 15}, {1 << 14, 15}};
  std::int16_t y[16];
  layer_type layer{q::matrix_view<const std::int8_t>(w, 2, 18),
                   q::fold_conv2d<std::int16_t>(q::matrix_view(w, 2, 18), sound_window, q::no_bias{}, {5, -6}, constants).value,
                   {5, -6},
                   sound_window,
                   1,
                   {multipliers}};
  q::nhwc_view<std::int16_t> x_view{x, 1, 3, 4, 2};
  q::nhwc_view<std::int16_t> y_view{y, 1, 2, 4, 2};

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

TEST_CASE("a padded convolution with a stride and both zero points is what the compiler says") { CHECK(padded_layer_is_right()); }

TEST_CASE("an unsound view of a convolution has its status, and nothing is written") {
  CHECK(after([](sound& l) { l.layer.weights = {nullptr, 2, 18}; }) == s::null_data);
  CHECK(after([](sound& l) { l.x_view = {nullptr, 1, 3, 4, 2}; }) == s::null_data);
  CHECK(after([](sound& l) { l.y_view = {nullptr, 1, 2, 4, 2}; }) == s::null_data);
  CHECK(after([](sound& l) { l.layer.bias.constants = {nullptr, l.layer.bias.constants.size()}; }) == s::null_data);
  CHECK(after([](sound& l) { l.layer.output.multipliers = {nullptr, 2}; }) == s::null_data);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, -1, 18}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.x_view = {l.x, -1, 3, 4, 2}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 2, 4, 2, -2, 8, 16}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.layer.bias.constants = {l.constants, -1}; }) == s::negative_size);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 2, 18, huge}; }) == s::size_overflow);
  CHECK(after([](sound& l) { l.x_view = {l.x, huge, 3, 4, 2}; }) == s::size_overflow);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 2, 18, 1}; }) == s::stride_too_small);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 3, 4, 2, 1, 8, 24}; }) == s::stride_too_small);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 2, 4, 2, 2, 3, 16}; }) == s::stride_too_small);
}

TEST_CASE("a convolution whose sizes disagree is refused") {
  CHECK(after([](sound& l) { l.layer.window.y.kernel = 0; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.x.stride = 0; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.x.dilation = -1; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.window.y.pad_after = -1; }) == s::bad_window);
  CHECK(after([](sound& l) { l.layer.groups = 0; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.groups = -1; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.groups = 2; }) == s::shape_mismatch);  // the weights have two channels for each tap
  CHECK(after([](sound& l) { l.layer.groups = 3; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 1, 18}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.weights = {l.w, 2, 17}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 3, 4, 1}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 1, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 1, 3, 3, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {l.x, 0, 3, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 1, 4, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 2, 3, 2}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.y_view = {l.y, 1, 2, 4, 1}; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.x.kernel = 2; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.y.stride = 1; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.x.dilation = 2; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.layer.window.y.pad_after = 3; }) == s::shape_mismatch);
  CHECK(after([](sound& l) { l.x_view = {nullptr, 0, 3, 4, 2}, l.y_view = {nullptr, 0, 2, 4, 2}; }) == s::ok);
}

TEST_CASE("a fold of other numbers than those of the convolution is refused") {
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

TEST_CASE("zero points, multipliers, ranges, bounds and overlaps of a convolution have their statuses") {
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
  CHECK(after([](sound& l) { l.y_view = {l.x + 23, 1, 2, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.x_view = {l.y, 1, 3, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.y_view = {reinterpret_cast<std::int16_t*>(l.w), 1, 2, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.y_view = {reinterpret_cast<std::int16_t*>(l.constants), 1, 2, 4, 2}; }) == s::overlap);
  CHECK(after([](sound& l) { l.y_view = {reinterpret_cast<std::int16_t*>(l.multipliers), 1, 2, 4, 2}; }) == s::overlap);
}

TEST_CASE("a bad fold of a convolution gets its status and writes nothing") {
  std::int8_t w[36] = {1, 2, 3};
  std::int32_t bias[2] = {1, 2};
  std::int32_t constants[34] = {77};
  const auto fold = [&](q::matrix_view<const std::int8_t> m, q::window2d window, q::view<const std::int32_t> b,
                        q::zero_points zero,
                        q::view<std::int32_t> c) { return q::fold_conv2d<std::int8_t>(m, window, b, zero, c).status; };
  const q::matrix_view<const std::int8_t> good(w, 2, 18);
  const q::window2d window = sound_window;
  CHECK(fold(good, {{0}, {3}}, bias, {5, 0}, constants) == s::bad_window);
  CHECK(fold({nullptr, 2, 18}, window, bias, {5, 0}, constants) == s::null_data);
  CHECK(fold({w, -1, 18}, window, bias, {5, 0}, constants) == s::negative_size);
  CHECK(fold({w, 2, 18, 1}, window, bias, {5, 0}, constants) == s::stride_too_small);
  CHECK(fold({w, huge, 18}, window, bias, {5, 0}, constants) == s::size_overflow);
  CHECK(fold({w, 2, 17}, window, bias, {5, 0}, constants) == s::shape_mismatch);
  CHECK(fold(good, window, {nullptr, 2}, {5, 0}, constants) == s::null_data);
  CHECK(fold(good, window, {bias, 1}, {5, 0}, constants) == s::shape_mismatch);
  CHECK(fold(good, window, {bias, -2}, {5, 0}, constants) == s::negative_size);
  CHECK(fold(good, window, bias, {5, 0}, {nullptr, 34}) == s::null_data);
  CHECK(fold(good, window, bias, {5, 0}, {constants, 34 - 1}) == s::shape_mismatch);
  CHECK(fold(good, window, bias, {0, 0}, constants) == s::shape_mismatch);  // needs 2 constants
  CHECK(fold(good, window, bias, {128, 0}, constants) == s::zero_point_out_of_range);
  CHECK(fold(good, window, bias, {5, -129}, constants) == s::zero_point_out_of_range);
  std::int32_t shared[34] = {1, 2};
  CHECK(fold(good, window, {shared + 34 - 2, 2}, {5, 0}, shared) == s::overlap);
  CHECK((constants[0] == 77 && constants[1] == 0 && constants[34 - 1] == 0 && shared[0] == 1 && shared[2] == 0));
  CHECK(fold(good, window, bias, {5, 0}, constants) == s::ok);
}

TEST_CASE("a convolution of no depth and of any shape gets a status, not an overflow") {
  const q::window2d wide{{1 << 12, 1, 1, 1, 1}, {1 << 12, 1, 1, 1, 1}};
  const q::matrix_view<const std::int8_t> nothing(nullptr, huge / 1024, 0);
  std::int64_t constants[2] = {};
  CHECK(q::fold_conv2d<std::int8_t>(nothing, wide, q::no_bias{}, {5, 0}, constants).status == s::shape_mismatch);
}

TEST_CASE("a convolution without depth is its bias, however large the kernel") {
  const q::window2d window{{q::index_t{1} << 20, 1, 1, 0, 0}, {1, 1, 1, 0, 0}};
  const std::int32_t bias[] = {7, -8};
  std::int64_t constants[2] = {};
  std::int64_t y[2] = {};
  const q::matrix_view<const std::int8_t> w(nullptr, 2, 0);
  const q::nhwc_view<const std::int16_t> x(nullptr, 1, q::index_t{1} << 20, 1, 0);
  const q::nhwc_view<std::int64_t> out(y, 1, 1, 1, 2);
  const auto folded = q::fold_conv2d<std::int16_t>(w, window, bias, {3, 4}, constants);
  REQUIRE(folded.status == q::status::ok);
  const q::conv2d_layer layer{w, folded.value, q::zero_points{3, 4}, window, 1, q::raw_output<std::int64_t>{}};
  REQUIRE(check(layer, x, out) == q::status::ok);
  run(layer, x, out);
  CHECK((y[0] == 7 && y[1] == -8));
}

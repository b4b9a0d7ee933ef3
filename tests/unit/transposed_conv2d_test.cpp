#include <dyadic/transposed_conv2d.hpp>
#include <dyadic/verify.hpp>

#include "../support/cases.hpp"
#include "../support/spoilers.hpp"

namespace {

namespace q = dyadic;
using s = q::status;
using support::after;

// An image of 2 x 3 x 5, a kernel of 3 x 3 with stride 2 and padding 1, four rows of five outputs. The last row of outputs comes
// from the output padding. Its windows reach past the last input.
constexpr support::small_layer padded{{{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}}, {2, 3, 5}, {1, 45}, 4, {4, 5, 1}};
constexpr int products[] = {5, 10, 5, 10, 5, 10, 20, 10, 20, 10,  // 1 or 2 rows by 1 or 2 columns of taps inside, by 5 channels
                            5, 10, 5, 10, 5, 5,  10, 5,  10, 5};
static_assert(support::sums_products<support::transposed_conv2d>(padded, products));

using sound = support::sound_layer<support::transposed_conv2d>;

constexpr q::index_t constants_of(q::window1d y, q::window1d x, std::int32_t zero_x) {
  return q::transposed_conv2d_constants(5, {y, x}, {zero_x, 7});
}
static_assert(constants_of({3, 2}, {3, 2}, 1) == 5 * 4);
static_assert(constants_of({3, 2}, {3, 2}, 0) == 5);
static_assert(constants_of({3, 1, 1, 1, 1}, {3, 1}, 1) == 5);
static_assert(constants_of({2, 3}, {1, 4}, 1) == 5 * 3 * 2);  // phases past the kernel are one phase
// The taps of an output are stride / gcd(stride, dilation) apart.
static_assert(constants_of({3, 2, 2}, {3, 2, 3}, 1) == 5 * 2);
static_assert(constants_of({9, 6, 4}, {9, 4, 6}, 1) == 5 * 3 * 2);
static_assert(constants_of({3, 0}, {3, 2}, 1) == -1 && constants_of({3, 2, 0}, {3, 2}, 1) == -1);

/// Checks two channels and one row with the taps 2 and 3, and -4 and 5, at a stride of 4 and the zero points 10 and 1. The input
/// has one pixel, 17. It reaches two of four outputs. The other outputs have no tap.
constexpr bool phases_are_right() {
  const std::int8_t x[] = {17};
  const std::int8_t w[] = {2, 3, -4, 5};
  const std::int32_t bias[] = {100, 200};
  const q::window2d window{{}, {2, 4}};
  std::int32_t constants[6] = {};
  std::int32_t y[8] = {};
  const q::matrix_view weights(w, 2, 2);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {10, 1}, constants);
  const q::transposed_conv2d_layer layer{weights, folded.value, window, q::raw_output<std::int32_t>{}};
  const q::nhwc_view in(x, 1, 1, 1, 1);
  const q::nhwc_view out(y, 1, 1, 4, 2);
  if (folded.status != s::ok || check(layer, in, out) != s::ok) return false;
  run(layer, in, out);
  const std::int32_t expected_constants[] = {100 - 10, 200 + 50, 100 - 20, 200 - 40, 100, 200};
  const std::int32_t expected[] = {100 + 7, 200 - 35, 100 + 14, 200 + 28, 100, 200, 100, 200};
  for (int i = 0; i < 6; ++i)
    if (constants[i] != expected_constants[i]) return false;
  for (int i = 0; i < 8; ++i)
    if (y[i] != expected[i]) return false;
  return true;
}
static_assert(phases_are_right());

/// Checks three taps 2, 3 and -4 at a stride and a dilation of 2. Outputs of an odd position have no tap, but the same constant.
/// The zero points are 10 and 1.
constexpr bool dilated_taps_are_right() {
  const std::int8_t x[] = {17, 12};
  const std::int8_t w[] = {2, 3, -4};
  const std::int32_t bias[] = {100};
  const q::window2d window{{}, {3, 2, 2}};
  std::int32_t constants[1] = {};
  std::int32_t y[7] = {};
  const q::matrix_view weights(w, 1, 3);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {10, 1}, constants);
  const q::transposed_conv2d_layer layer{weights, folded.value, window, q::raw_output<std::int32_t>{}};
  const q::nhwc_view in(x, 1, 1, 2, 1);
  const q::nhwc_view out(y, 1, 1, 7, 1);
  if (folded.status != s::ok || check(layer, in, out) != s::ok) return false;
  run(layer, in, out);
  const std::int32_t expected[] = {100 + 7, 100, 100 + 14 + 2, 100, 100 - 35 + 4, 100, 100 - 10};
  for (int i = 0; i < 7; ++i)
    if (y[i] != expected[i]) return false;
  return constants[0] == 100 - 10 * (1 + 2 - 5);
}
static_assert(dilated_taps_are_right());

/// Checks two groups of one input channel and one output channel: a depthwise layer, transposed.
constexpr bool groups_are_right() {
  const std::int8_t x[] = {3, 5};
  const std::int8_t w[] = {2, 7, -4, 11};
  const std::int32_t bias[] = {100, 200};
  const q::window2d window{{}, {2}};
  std::int32_t constants[2] = {};
  std::int32_t y[4] = {};
  const q::matrix_view weights(w, 2, 2);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, bias, window, {}, constants);
  const q::transposed_conv2d_layer layer{weights, folded.value, window, q::raw_output<std::int32_t>{}, 2};
  const q::nhwc_view in(x, 1, 1, 1, 2);
  const q::nhwc_view out(y, 1, 1, 2, 2);
  if (folded.status != s::ok || check(layer, in, out) != s::ok) return false;
  run(layer, in, out);
  return y[0] == 106 && y[1] == 180 && y[2] == 121 && y[3] == 255;
}
static_assert(groups_are_right());

/// Returns the status of that layer, with other groups and input channels.
constexpr s of_groups(q::index_t groups, q::index_t inputs = 2) {
  const std::int8_t x[4] = {};
  const std::int8_t w[4] = {};
  std::int32_t constants[2] = {};
  std::int32_t y[4] = {};
  const q::window2d window{{}, {2}};
  const q::matrix_view weights(w, 2, 2);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, q::no_bias{}, window, {}, constants);
  const q::transposed_conv2d_layer layer{weights, folded.value, window, q::raw_output<std::int32_t>{}, groups};
  return check(layer, q::nhwc_view(x, 1, 1, 1, inputs), q::nhwc_view(y, 1, 1, 2, 2));
}
static_assert(of_groups(2) == s::ok && of_groups(1, 1) == s::ok);
static_assert(of_groups(1) == s::shape_mismatch && of_groups(0) == s::shape_mismatch && of_groups(-2) == s::shape_mismatch);
static_assert(of_groups(3, 3) == s::shape_mismatch && of_groups(4, 4) == s::shape_mismatch);

}  // namespace

TEST_CASE("each phase of the stride has its own constants, and phases without taps have the bias") { CHECK(phases_are_right()); }

TEST_CASE("a fold without depth ends, however many phases the stride has") {
  const q::index_t many = q::index_t{1} << (sizeof(q::index_t) * 4 - 5);
  const q::window2d window{{many, many}, {many, many}};
  const q::matrix_view<const std::int8_t> nothing(nullptr, 2, 0);
  const std::int32_t bias[] = {7, -8};
  std::int32_t constants[2] = {};
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(nothing, bias, window, {}, constants);
  REQUIRE(folded.status == s::ok);
  CHECK((constants[0] == 7 && constants[1] == -8));
  const q::transposed_conv2d_layer layer{nothing, folded.value, window, q::raw_output<std::int32_t>{}};
  CHECK(verify(layer) == s::ok);
}

TEST_CASE("a padded transposed convolution with output padding and both zero points equals the constant expression") {
  CHECK(support::sums_products<support::transposed_conv2d>(support::at_run_time(padded), products));
}

TEST_CASE("each error of a transposed convolution has its status, and nothing is written") {
  support::check_windowed_layer<support::transposed_conv2d>();
}

TEST_CASE("a transposed convolution whose sizes disagree is refused") {
  CHECK(after<sound>([](sound& l) { l.window.x.dilation = 0; }) == s::bad_window);
  CHECK(after<sound>([](sound& l) { l.window.y.dilation = 2; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.x = {nullptr, 2, 0, 4, 3}; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.y = {l.y_data, 2, 6, 4, 3}; }) == s::ok);              // an output padding of 1
  CHECK(after<sound>([](sound& l) { l.y = {l.y_data, 2, 7, 4, 3}; }) == s::shape_mismatch);  // equal to the stride
  CHECK(after<sound>([](sound& l) { l.y = {l.y_data, 2, 5, 5, 3}; }) == s::shape_mismatch);  // equal to the stride
}

TEST_CASE("a bad fold of a transposed convolution gets its status and writes nothing") {
  using sound_fold = support::sound_fold<support::transposed_conv2d>;
  support::check_bad_folds<support::transposed_conv2d>();
  CHECK(after<sound_fold>([](sound_fold& f) { f.window.y.dilation = 0; }) == s::bad_window);
  CHECK(after<sound_fold>([](sound_fold& f) { f.window.y.dilation = 2; }) == s::shape_mismatch);  // fewer phases
  CHECK(after<sound_fold>([](sound_fold& f) { f.zero.x = 0; }) == s::shape_mismatch);  // needs one constant for each channel
}

/// Returns the status of an output of `rows` rows without channels, hence without elements. Cropping leaves fewer than 0 rows.
constexpr s of_nothing(q::index_t rows) {
  const q::window2d window{{1, 1, 1, 2, 0}, {1, 1, 1, 0, 0}};
  const q::matrix_view<const std::int8_t> nothing(nullptr, 0, 1);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(nothing, q::no_bias{}, window, {}, q::view<std::int64_t>{});
  const q::transposed_conv2d_layer layer{nothing, folded.value, window, q::raw_output<std::int64_t>{}};
  const std::int8_t x[] = {1};
  return check(layer, q::nhwc_view<const std::int8_t>(x, 1, 1, 1, 1), q::nhwc_view<std::int64_t>(nullptr, 1, rows, 1, 0));
}
static_assert(of_nothing(support::huge) == s::shape_mismatch && of_nothing(0) == s::shape_mismatch);

#include <dyadic/transposed_conv2d.hpp>

#include "../support/cases.hpp"
#include "../support/spoilers.hpp"

namespace {

namespace q = dyadic;
using s = q::status;
using support::after;

// An image of 2 x 3 x 5, a kernel of 3 x 3 with stride 2 and padding 1; four rows of five outputs. The last row, of the output
// padding, lacks the input after the end.
constexpr support::small_layer padded{{{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}}, {2, 3, 5}, {1, 45}, 4, {4, 5, 1}};
constexpr int products[] = {5, 10, 5, 10, 5, 10, 20, 10, 20, 10,  // 1 or 2 rows by 1 or 2 columns of taps inside, by 5 channels
                            5, 10, 5, 10, 5, 5,  10, 5,  10, 5};
static_assert(support::sums_products<support::transposed_conv2d>(padded, products));

using sound = support::sound_layer<support::transposed_conv2d>;

}  // namespace

TEST_CASE("a padded transposed convolution with an output padding and both zero points is what the compiler says") {
  CHECK(support::sums_products<support::transposed_conv2d>(support::at_run_time(padded), products));
}

TEST_CASE("each thing that can be wrong with a transposed convolution has its status, and nothing is written") {
  support::check_windowed_layer<support::transposed_conv2d>();
}

TEST_CASE("a transposed convolution whose sizes disagree is refused") {
  CHECK(after<sound>([](sound& l) { l.window.x.dilation = 2; }) == s::bad_window);
  CHECK(after<sound>([](sound& l) { l.window.y.dilation = 2; }) == s::bad_window);
  CHECK(after<sound>([](sound& l) { l.x = {nullptr, 2, 0, 4, 3}; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.y = {l.y_data, 2, 6, 4, 3}; }) == s::ok);              // an output padding of 1
  CHECK(after<sound>([](sound& l) { l.y = {l.y_data, 2, 7, 4, 3}; }) == s::shape_mismatch);  // of the stride
  CHECK(after<sound>([](sound& l) { l.y = {l.y_data, 2, 5, 5, 3}; }) == s::shape_mismatch);  // of the stride
}

TEST_CASE("a bad fold of a transposed convolution gets its status and writes nothing") {
  using sound_fold = support::sound_fold<support::transposed_conv2d>;
  support::check_bad_folds<support::transposed_conv2d>();
  CHECK(after<sound_fold>([](sound_fold& f) { f.window.y.dilation = 2; }) == s::bad_window);
  CHECK(after<sound_fold>([](sound_fold& f) { f.zero.x = 0; }) == s::shape_mismatch);  // one constant for each channel
}

/// An output of no channels, so of no elements, and of `rows` rows, where cropping leaves less than none.
constexpr s of_nothing(q::index_t rows) {
  const q::window2d window{{1, 1, 1, 2, 0}, {1, 1, 1, 0, 0}};
  const q::matrix_view<const std::int8_t> nothing(nullptr, 0, 1);
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(nothing, window, q::no_bias{}, {}, q::view<std::int64_t>{});
  const q::transposed_conv2d_layer layer{nothing, folded.value, window, q::raw_output<std::int64_t>{}};
  const std::int8_t x[] = {1};
  return check(layer, q::nhwc_view<const std::int8_t>(x, 1, 1, 1, 1), q::nhwc_view<std::int64_t>(nullptr, 1, rows, 1, 0));
}
static_assert(of_nothing(support::huge) == s::shape_mismatch && of_nothing(0) == s::shape_mismatch);

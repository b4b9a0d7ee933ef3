#include <dyadic/depthwise.hpp>

#include "../support/cases.hpp"
#include "../support/spoilers.hpp"

namespace {

namespace q = dyadic;
using s = q::status;
using support::after;
using support::set_number;

// An image of 5 x 6 x 1, a kernel of 5 x 5, strides 2 and 3, padding 2 before and 1 after, a channel multiplier of 2. The output
// has two rows of two pixels.
constexpr support::small_layer padded{{{5, 2, 1, 2, 1}, {5, 3, 1, 2, 1}}, {5, 6, 1}, {25, 2}, 2, {2, 2, 2}};
constexpr int products[] = {3 * 3, 3 * 3, 3 * 5, 3 * 5, 5 * 3, 5 * 3, 5 * 5, 5 * 5};  // rows by columns inside the image
static_assert(support::sums_products<support::depthwise>(padded, products));

using sound = support::sound_layer<support::depthwise>;

}  // namespace

TEST_CASE("a padded depthwise convolution with a multiplier and both zero points equals the constant expression") {
  CHECK(support::sums_products<support::depthwise>(support::at_run_time(padded), products));
}

TEST_CASE("each error of a depthwise convolution has its status, and nothing is written") {
  support::check_windowed_layer<support::depthwise>();
}

TEST_CASE("a depthwise convolution whose sizes disagree is refused") {
  CHECK(after<sound>([](sound& l) { l.window.x.dilation = 2; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { set_number(l.x, 1, 1); }) == s::shape_mismatch);  // one row of outputs less
  CHECK(after<sound>([](sound& l) { l.x = {l.x_data, 1, 4, 4, 3}, l.y = {l.y_data, 1, 2, 4, 3}; }) == s::ok);  // one row more
  CHECK(after<sound>([](sound& l) { l.w = {l.w_data, 9, 6}; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.x = {l.x_data, 2, 3, 4, 0}; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.x = {l.x_data, 2, 3, 2, 6}; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.x = {l.x_data, 2, 3, 4, 1}; }) == s::ok);  // a channel multiplier of 3
}

TEST_CASE("a bad fold of a depthwise convolution gets its status and writes nothing") {
  support::check_bad_folds<support::depthwise>();
}

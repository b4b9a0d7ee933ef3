#include <dyadic/conv2d.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/verify.hpp>

#include "../support/cases.hpp"
#include "../support/random.hpp"
#include "../support/spoilers.hpp"

namespace {

namespace q = dyadic;
using s = q::status;
using support::after;
using support::set_number;

// An image of 4 x 5 x 2, a kernel of 3 x 3 with stride 2 and padding 1; two rows of three outputs.
constexpr support::small_layer padded{{{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}}, {4, 5, 2}, {1, 18}, 1, {2, 3, 1}};
constexpr int products[] = {8, 12, 8, 12, 18, 12};  // 2 or 3 rows by 2 or 3 columns inside, by 2 channels
static_assert(support::sums_products<support::conv2d>(padded, products));

using sound = support::sound_layer<support::conv2d>;

/// A border by hand. An image of 0 1 / 2 3 under a kernel of -3 -2 -1 / 0 1 2 / 3 4 5, all of it stored one or four more, with
/// padding of 1 and a bias of 100: one constant, and at each of the four outputs five taps outside the image.
constexpr bool border_is_right() {
  const std::int8_t x[] = {1, 2, 3, 4};
  const std::int8_t w[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::int32_t bias[] = {100};
  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  std::int32_t constants[1] = {};
  std::int32_t y[4] = {};
  const q::matrix_view weights(w, 1, 9);
  const auto folded = q::fold_conv2d<std::int8_t>(weights, window, bias, {1, 4}, constants);
  const q::conv2d_layer layer{weights, folded.value, window, 1, q::raw_output<std::int32_t>{}};
  const q::nhwc_view in(x, 1, 2, 2, 1);
  const q::nhwc_view out(y, 1, 2, 2, 1);
  if (folded.status != s::ok || check(layer, in, out) != s::ok || verify(layer) != s::ok) return false;
  run(layer, in, out);
  return constants[0] == 100 - 9 && y[0] == 125 && y[1] == 119 && y[2] == 107 && y[3] == 101;
}
static_assert(border_is_right());
static_assert(q::conv2d_constants(64, {{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}}, {5, 3}) == 64);

}  // namespace

TEST_CASE("a tap outside the image reads the zero point of the activations") { CHECK(border_is_right()); }

TEST_CASE("a padded convolution with a stride and both zero points is what the compiler says") {
  CHECK(support::sums_products<support::conv2d>(support::at_run_time(padded), products));
}

TEST_CASE("each thing that can be wrong with a convolution has its status, and nothing is written") {
  support::check_windowed_layer<support::conv2d>();
}

TEST_CASE("a convolution whose sizes disagree is refused") {
  CHECK(after<sound>([](sound& l) { l.layer.groups = 0; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.layer.groups = -1; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.layer.groups = 2; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.layer.groups = 3; }) == s::shape_mismatch);  // the weights have three channels for each tap
  CHECK(after<sound>([](sound& l) { l.window.x.dilation = 2; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { set_number(l.x, 1, 1); }) == s::shape_mismatch);  // one row less of outputs
  CHECK(after<sound>([](sound& l) { l.x = {l.x_data, 1, 4, 4, 3}, l.y = {l.y_data, 1, 2, 4, 3}; }) == s::ok);  // a row to spare
}

TEST_CASE("a bad fold of a convolution gets its status and writes nothing") { support::check_bad_folds<support::conv2d>(); }

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
  const q::conv2d_layer layer{w, folded.value, window, 1, q::raw_output<std::int64_t>{}};
  REQUIRE(check(layer, x, out) == q::status::ok);
  run(layer, x, out);
  CHECK((y[0] == 7 && y[1] == -8));
}

namespace {

/// A kernel of one tap over an image of one row, whose other strides and dilations are never used. By the compiler, which does
/// not overflow.
constexpr bool unused_strides_are_not_used() {
  const std::int8_t x[] = {1, 2, 3, 4};
  const std::int8_t w[] = {5};
  const q::matrix_view weights(w, 1, 1);
  const q::index_t huge = support::huge;
  const q::window1d dilated{1, 1, huge / 16, 0, 0};
  const q::window2d window{dilated, dilated};
  std::int64_t constants[1] = {};
  std::int64_t y[4] = {};
  const auto folded = q::fold_conv2d<std::int8_t>(weights, window, q::no_bias{}, {}, constants);
  const q::conv2d_layer layer{weights, folded.value, window, 1, q::raw_output<std::int64_t>{}};
  const q::nhwc_view<const std::int8_t> in(x, 1, 1, 4, 1, 1, huge, huge);
  const q::nhwc_view<std::int64_t> out(y, 1, 1, 4, 1);
  if (check(layer, in, out) != q::status::ok) return false;
  run(layer, in, out);
  return y[0] == 5 && y[3] == 20;
}
static_assert(unused_strides_are_not_used());

}  // namespace

TEST_CASE("4-bit weights of windows, few or many, are those of 8 bits with their values") {
  support::random_bits random;
  const q::window2d window{{3, 1, 2, 1, 1}, {3, 1, 1, 1, 2}};
  const q::zero_points zero{-5, 3};
  // Two channels of each 3 x 3 x depth weights, and a depthwise layer of as many channels as these have taken together.
  for (const q::index_t depth : {1, 2, 7, 28, 29, 230}) {
    const q::index_t count = 18 * depth, channels = 2 * depth;
    std::vector<std::uint8_t> nibbles(static_cast<std::size_t>((count + 1) / 2));
    std::vector<std::int8_t> bytes(static_cast<std::size_t>(count)), x(static_cast<std::size_t>(4 * 3 * channels));
    for (auto& v : nibbles) v = static_cast<std::uint8_t>(random.one_in(3) ? 0x88 : random());
    for (auto& v : x) v = random.one_in(3) ? std::int8_t{-128} : static_cast<std::int8_t>(random());
    const q::int4_pointer values(nibbles.data(), 0);
    for (q::index_t k = 0; k < count; ++k) bytes[static_cast<std::size_t>(k)] = values[k];
    const auto outputs = [&](auto made, auto weights, q::index_t inputs, q::index_t outs) {
      std::vector<std::int32_t> constants(static_cast<std::size_t>(outs)), y(static_cast<std::size_t>(4 * 3 * outs));
      const auto layer = made(weights, constants);
      const q::nhwc_view<const std::int8_t> in(x.data(), 1, 4, 3, inputs);
      const q::nhwc_view<std::int32_t> out(y.data(), 1, q::forward_size(4, window.y), q::forward_size(3, window.x), outs);
      CHECK(check(layer, in, out) == q::status::ok);
      run(layer, in, out);
      return y;
    };
    const q::raw_output<std::int32_t> raw;
    const auto conv2d = [&](auto w, std::vector<std::int32_t>& constants) {
      return q::conv2d_layer{w, q::fold_conv2d<std::int8_t>(w, window, q::no_bias{}, zero, constants).value, window, 1, raw};
    };
    const auto depthwise = [&](auto w, std::vector<std::int32_t>& constants) {
      return q::depthwise_layer{w, q::fold_depthwise<std::int8_t>(w, window, q::no_bias{}, zero, constants).value, window, raw};
    };
    using int4s = q::matrix_view<const q::int4>;
    using int8s = q::matrix_view<const std::int8_t>;
    CHECK(outputs(conv2d, int4s(nibbles.data(), 2, 9 * depth), depth, 2) ==
          outputs(conv2d, int8s(bytes.data(), 2, 9 * depth), depth, 2));
    for (const q::index_t multiplier : {1, 2})
      CHECK(outputs(depthwise, int4s(nibbles.data(), 9, channels), channels / multiplier, channels) ==
            outputs(depthwise, int8s(bytes.data(), 9, channels), channels / multiplier, channels));
  }
}

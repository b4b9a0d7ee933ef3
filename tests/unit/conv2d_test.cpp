#include <dyadic/conv2d.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/transposed_conv2d.hpp>
#include <dyadic/verify.hpp>

#include "../oracle/layers.hpp"
#include "../support/cases.hpp"
#include "../support/random.hpp"
#include "../support/spoilers.hpp"

namespace {

namespace q = dyadic;
using s = q::status;
using support::after;
using support::set_number;

// An image of 4 x 5 x 2, a kernel of 3 x 3 with stride 2 and padding 1, two rows of three outputs.
constexpr support::small_layer padded{{{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}}, {4, 5, 2}, {1, 18}, 1, {2, 3, 1}};
constexpr int products[] = {8, 12, 8, 12, 18, 12};  // 2 or 3 rows by 2 or 3 columns inside, by 2 channels
static_assert(support::sums_products<support::conv2d>(padded, products));

using sound = support::sound_layer<support::conv2d>;

/// Checks a border by hand: an image of 0 1 / 2 3 under a kernel of -3 -2 -1 / 0 1 2 / 3 4 5. Zero points add 1 to the image and
/// 4 to the kernel. The padding is 1, the bias 100: one constant, and five taps outside the image for each of the four outputs.
constexpr bool border_is_right() {
  const std::int8_t x[] = {1, 2, 3, 4};
  const std::int8_t w[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::int32_t bias[] = {100};
  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  std::int32_t constants[1] = {};
  std::int32_t y[4] = {};
  const q::matrix_view weights(w, 1, 9);
  const auto folded = q::fold_conv2d<std::int8_t>(weights, bias, window, {1, 4}, constants);
  const q::conv2d_layer layer{weights, folded.value, window, 1, q::raw_output<std::int32_t>{}};
  const q::nhwc_view in(x, 1, 2, 2, 1);
  const q::nhwc_view out(y, 1, 2, 2, 1);
  if (folded.status != s::ok || check(layer, in, out) != s::ok || verify(layer) != s::ok) return false;
  run(layer, in, out);
  return constants[0] == 100 - 9 && y[0] == 125 && y[1] == 119 && y[2] == 107 && y[3] == 101;
}
static_assert(border_is_right());
static_assert(q::conv2d_constants(64) == 64);

}  // namespace

TEST_CASE("a tap outside the image reads the zero point of the activations") { CHECK(border_is_right()); }

TEST_CASE("SAME padding on one side only: the last column of windows reads zero points behind the image") {
  // esp-nn #31: the padding behind was left out, so that windows read beyond the image. 5 rows have padding on both sides, and 4
  // columns only behind. The elements less the zero point 7 are 1 to 20, and all weights are 1.
  std::int8_t x[20] = {};
  for (int i = 0; i < 20; ++i) x[i] = static_cast<std::int8_t>(8 + i);
  const std::int8_t w[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const q::window2d window{q::with_same_padding(5, {3, 2}), q::with_same_padding(4, {3, 2})};
  CHECK((window.y.pad_before == 1 && window.y.pad_after == 1 && window.x.pad_before == 0 && window.x.pad_after == 1));
  std::int32_t constants[1] = {}, y[6] = {};
  const q::matrix_view weights(w, 1, 9);
  const auto folded = q::fold_conv2d<std::int8_t>(weights, q::no_bias{}, window, {7, 0}, constants);
  const q::conv2d_layer layer{weights, folded.value, window, 1, q::raw_output<std::int32_t>{}};
  const q::nhwc_view in(x, 1, 5, 4, 1);
  const q::nhwc_view out(y, 1, 3, 2, 1);
  REQUIRE(check(layer, in, out) == s::ok);
  run(layer, in, out);
  const std::int32_t expected[] = {24, 22, 90, 69, 96, 70};
  for (int i = 0; i < 6; ++i) CHECK(y[i] == expected[i]);
}

TEST_CASE("a padded convolution with a stride and both zero points equals the constant expression") {
  CHECK(support::sums_products<support::conv2d>(support::at_run_time(padded), products));
}

TEST_CASE("each error of a convolution has its status, and nothing is written") {
  support::check_windowed_layer<support::conv2d>();
}

TEST_CASE("a convolution whose sizes disagree is refused") {
  CHECK(after<sound>([](sound& l) { l.layer.groups = 0; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.layer.groups = -1; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.layer.groups = 2; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { l.layer.groups = 3; }) == s::shape_mismatch);  // the weights have three channels for each tap
  CHECK(after<sound>([](sound& l) { l.layer.groups = 3, l.x = {l.x_data, 2, 3, 4, 10}; }) == s::shape_mismatch);  // 9 have groups
  CHECK(after<sound>([](sound& l) { l.window.x.dilation = 2; }) == s::shape_mismatch);
  CHECK(after<sound>([](sound& l) { set_number(l.x, 1, 1); }) == s::shape_mismatch);  // one row of outputs less
  CHECK(after<sound>([](sound& l) { l.x = {l.x_data, 1, 4, 4, 3}, l.y = {l.y_data, 1, 2, 4, 3}; }) == s::ok);  // one row more
}

TEST_CASE("a bad fold of a convolution gets its status and writes nothing") { support::check_bad_folds<support::conv2d>(); }

TEST_CASE("a convolution without depth gives its bias, however large the kernel") {
  const q::index_t many = q::index_t{1} << (sizeof(q::index_t) * 4 - 3);
  const q::window2d window{{many}, {many}};
  const std::int32_t bias[] = {7, -8};
  std::int64_t constants[2] = {};
  std::int64_t y[2] = {};
  const q::matrix_view<const std::int8_t> w(nullptr, 2, 0);
  const q::nhwc_view<const std::int16_t> x(nullptr, 1, many, many, 0);
  const q::nhwc_view<std::int64_t> out(y, 1, 1, 1, 2);
  const auto folded = q::fold_conv2d<std::int16_t>(w, bias, window, {3, 4}, constants);
  REQUIRE(folded.status == q::status::ok);
  const q::conv2d_layer layer{w, folded.value, window, 1, q::raw_output<std::int64_t>{}};
  REQUIRE(check(layer, x, out) == q::status::ok);
  run(layer, x, out);
  CHECK((y[0] == 7 && y[1] == -8));
}

TEST_CASE("a convolution without channels or columns ends, however many rows it has") {
  const auto ends = [](auto w, q::index_t columns, q::index_t channels, q::view<std::int64_t> constants) {
    const auto folded = q::fold_conv2d<std::int8_t>(w, q::no_bias{}, {}, {}, constants);
    const q::conv2d_layer layer{w, folded.value, q::window2d{}, 1, q::raw_output<std::int64_t>{}};
    const q::nhwc_view<const std::int8_t> x(nullptr, 1, support::huge / 16, columns, channels);
    const q::nhwc_view<std::int64_t> y(nullptr, 1, support::huge / 16, columns, channels);
    REQUIRE(check(layer, x, y) == s::ok);
    run(layer, x, y);
  };
  const std::int8_t w[] = {2};
  std::int64_t constants[1] = {};
  ends(q::matrix_view<const std::int8_t>(nullptr, 0, 0), 1, 0, {});
  ends(q::matrix_view<const std::int8_t>(w, 1, 1), 0, 1, constants);
}

TEST_CASE("an image without columns gives the sums of its padding") {
  const std::int8_t w[] = {1, 2, 3};
  const std::int32_t bias[] = {5};
  std::int32_t constants[1] = {}, y[] = {77, 77, 77};
  const q::matrix_view weights(w, 1, 3);
  const q::window2d window{{}, {3, 1, 1, 2, 3}};
  const auto folded = q::fold_conv2d<std::int8_t>(weights, bias, window, {4, 6}, constants);
  const q::conv2d_layer layer{weights, folded.value, window, 1, q::raw_output<std::int32_t>{}};
  const q::nhwc_view<const std::int8_t> x(nullptr, 1, 1, 0, 1);
  const q::nhwc_view<std::int32_t> out(y, 1, 1, 3, 1);
  REQUIRE(check(layer, x, out) == s::ok);
  run(layer, x, out);
  CHECK((y[0] == 5 && y[1] == 5 && y[2] == 5));
}

TEST_CASE("each channel of a window has its multiplier") {
  const std::int8_t x[] = {100};
  const std::int8_t w[] = {1, 1, 1};
  std::int32_t constants[3] = {};
  const q::multiplier32 multipliers[] = {{1 << 30, 30}, {1 << 30, 31}, {1 << 30, 32}};
  std::int8_t y[3] = {};
  const q::matrix_view weights(w, 3, 1);
  const auto folded = q::fold_conv2d<std::int8_t>(weights, q::no_bias{}, {}, {}, constants);
  const q::conv2d_layer layer{weights, folded.value, q::window2d{}, 1,
                              q::per_channel_output<std::int8_t, q::tosa::scale32>{multipliers}};
  const q::nhwc_view in(x, 1, 1, 1, 1);
  const q::nhwc_view out(y, 1, 1, 1, 3);
  REQUIRE(check(layer, in, out) == s::ok);
  run(layer, in, out);
  CHECK((y[0] == 100 && y[1] == 50 && y[2] == 25));
}

namespace {

/// Runs a kernel of one tap over an image of one row, whose other strides and dilations are never used. In a constant, an
/// overflow would not compile.
constexpr bool unused_strides_are_not_used() {
  const std::int8_t x[] = {1, 2, 3, 4};
  const std::int8_t w[] = {5};
  const q::matrix_view weights(w, 1, 1);
  const q::index_t huge = support::huge;
  const q::window1d dilated{1, 1, huge / 16, 0, 0};
  const q::window2d window{dilated, dilated};
  std::int64_t constants[1] = {};
  std::int64_t y[4] = {};
  const auto folded = q::fold_conv2d<std::int8_t>(weights, q::no_bias{}, window, {}, constants);
  const q::conv2d_layer layer{weights, folded.value, window, 1, q::raw_output<std::int64_t>{}};
  const q::nhwc_view<const std::int8_t> in(x, 1, 1, 4, 1, 1, huge, huge);
  const q::nhwc_view<std::int64_t> out(y, 1, 1, 4, 1);
  if (check(layer, in, out) != q::status::ok) return false;
  run(layer, in, out);
  return y[0] == 5 && y[3] == 20;
}
static_assert(unused_strides_are_not_used());

}  // namespace

TEST_CASE("windows with 4-bit weights, few or many, equal windows with the same 8-bit weights") {
  support::random_bits random;
  const q::window2d window{{3, 1, 2, 1, 1}, {3, 1, 1, 1, 2}};
  const q::zero_points zero{-5, 3};
  // Two channels of 3 x 3 x depth weights each, and a depthwise layer of 2 * depth channels.
  for (const q::index_t depth : {1, 2, 7, 28, 29, 227, 230, 600}) {
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
      return q::conv2d_layer{w, q::fold_conv2d<std::int8_t>(w, q::no_bias{}, window, zero, constants).value, window, 1, raw};
    };
    const auto depthwise = [&](auto w, std::vector<std::int32_t>& constants) {
      return q::depthwise_layer{w, q::fold_depthwise<std::int8_t>(w, q::no_bias{}, window, zero, constants).value, window, raw};
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

TEST_CASE("more taps of 4-bit weights than one conversion to bytes holds are summed exactly") {
  const q::index_t side = 40, channels = 16;
  const std::vector<std::uint8_t> nibbles(static_cast<std::size_t>(side * side * channels / 2), 0x21);
  const std::vector<std::int8_t> x(static_cast<std::size_t>(side * side * channels), 1);
  std::int32_t constants[16] = {}, y[16] = {};
  const q::matrix_view<const q::int4> w(nibbles.data(), side * side, channels);
  const q::window2d window{{side}, {side}};
  const auto folded = q::fold_depthwise<std::int8_t>(w, q::no_bias{}, window, {}, constants);
  const q::depthwise_layer layer{w, folded.value, window, q::raw_output<std::int32_t>{}};
  const q::nhwc_view in(x.data(), 1, side, side, channels);
  const q::nhwc_view out(y, 1, 1, 1, channels);
  REQUIRE(check(layer, in, out) == s::ok);
  run(layer, in, out);
  for (int o = 0; o < 16; ++o) CHECK(y[o] == 1'600 * (o % 2 + 1));
}

namespace {

/// Runs a layer of the given sizes, whole and in parts. Each pixel has `gap` elements after it, and other numbers surround all
/// elements.
template <class Fold, class Layer>
void check_definition(oracle::op kind, const oracle::layer& l, q::index_t gap, const Fold& fold, const Layer& layer_of) {
  const q::window2d window{{l.y.kernel, l.y.stride, l.y.dilation, l.y.before, l.y.after},
                           {l.x.kernel, l.x.stride, l.x.dilation, l.x.before, l.x.after}};
  const bool by_tap = kind == oracle::op::depthwise;
  const q::index_t taps = l.y.kernel * l.x.kernel, depth = by_tap ? 1 : l.c / l.groups, pixel = l.c + gap, around = 64;
  std::vector<std::int8_t> x_memory(static_cast<std::size_t>(l.n * l.h * l.w * pixel + 2 * around));
  std::vector<std::int8_t> w_memory(static_cast<std::size_t>(l.out_c * taps * depth + 2 * around));
  for (std::size_t i = 0; i < x_memory.size(); ++i) x_memory[i] = static_cast<std::int8_t>(i * i * 7 + i * 91 + 5);
  for (std::size_t i = 0; i < w_memory.size(); ++i) w_memory[i] = static_cast<std::int8_t>(i * i * 3 + i * 53 + 9);
  const std::int8_t* const first_w = w_memory.data() + around;
  const q::nhwc_view<const std::int8_t> x(x_memory.data() + around, l.n, l.h, l.w, l.c, pixel, pixel * l.w, pixel * l.w * l.h);
  const q::matrix_view<const std::int8_t> w(first_w, by_tap ? taps : l.out_c, by_tap ? l.out_c : taps * depth);
  const std::vector<std::int64_t> expected = oracle::accumulators(
      kind, l, [&](auto n, auto iy, auto ix, auto i) { return x.pixel(n, iy, ix)[i]; },
      [&](auto o, auto ky, auto kx, auto i) {
        const q::index_t tap = ky * l.x.kernel + kx;
        return first_w[by_tap ? tap * l.out_c + o : (o * taps + tap) * depth + i];
      },
      [](auto o) { return 1000 * o; });
  std::vector<std::int32_t> bias,
      constants(static_cast<std::size_t>(l.out_c * (kind == oracle::op::transposed_conv2d ? taps : 1)));
  for (q::index_t o = 0; o < l.out_c; ++o) bias.push_back(static_cast<std::int32_t>(1000 * o));
  const q::zero_points zero{static_cast<std::int32_t>(l.zero_x), static_cast<std::int32_t>(l.zero_w)};
  const q::index_t used = kind == oracle::op::transposed_conv2d ? q::transposed_conv2d_constants(l.out_c, window, zero) : l.out_c;
  const auto folded = fold(w, bias, window, zero, q::view<std::int32_t>(constants.data(), used));
  const auto layer = layer_of(w, folded.value, window, q::raw_output<std::int32_t>{});
  const q::index_t row_size = l.out_w * l.out_c, rows = l.n * l.out_h;
  std::vector<std::int32_t> y(expected.size() + 2, 77);
  const q::nhwc_view<std::int32_t> out(y.data() + 1, l.n, l.out_h, l.out_w, l.out_c);
  CAPTURE(static_cast<int>(kind), l.c, l.out_c, gap, l.zero_x, l.zero_w);
  REQUIRE(folded.status == s::ok);
  REQUIRE(check(layer, x, out) == s::ok);
  for (const q::row_range part : {q::row_range{1, rows - 1}, q::row_range{0, rows}}) {
    run(layer, x, out, part);
    bool right = y.front() == 77 && y.back() == 77;
    for (q::index_t i = 0; i < rows * row_size; ++i)
      right = right && y[static_cast<std::size_t>(i + 1)] ==
                           (i / row_size < part.begin || i / row_size >= part.end ? 77 : expected[static_cast<std::size_t>(i)]);
    CHECK(right);
  }
}

/// Returns two images of 4 x 5 pixels under a kernel of 2 rows and 3 columns, which leaves the images on each side.
oracle::layer small_images(q::index_t c, q::index_t out_c, q::index_t groups, q::index_t stride, q::index_t dilation) {
  oracle::layer l;
  l.n = 2, l.h = 4, l.w = 5, l.c = c, l.out_c = out_c, l.groups = groups;
  l.y = {2, stride, 1, 1, 1}, l.x = {3, 1, dilation, 2, 1};
  l.out_h = oracle::windows(l.h, l.y), l.out_w = oracle::windows(l.w, l.x);
  return l;
}

}  // namespace

TEST_CASE("windows with more channels than a tile, groups, gaps and each zero point equal the definition") {
  const auto conv2d = [](oracle::layer l, q::index_t gap) {
    check_definition(
        oracle::op::conv2d, l, gap, [](const auto&... parts) { return q::fold_conv2d<std::int8_t>(parts...); },
        [&](auto w, auto bias, auto window, auto output) {
          return q::conv2d_layer{w, bias, window, l.groups, output};
        });
  };
  const auto depthwise = [](oracle::layer l, q::index_t gap) {
    check_definition(
        oracle::op::depthwise, l, gap, [](const auto&... parts) { return q::fold_depthwise<std::int8_t>(parts...); },
        [](auto... parts) { return q::depthwise_layer{parts...}; });
  };
  const auto transposed = [](oracle::layer l, q::index_t gap) {
    check_definition(
        oracle::op::transposed_conv2d, l, gap,
        [](const auto&... parts) { return q::fold_transposed_conv2d<std::int8_t>(parts...); },
        [](auto... parts) { return q::transposed_conv2d_layer{parts...}; });
  };
  for (const q::zero_points zero : {q::zero_points{0, 0}, {1, -1}, {-1, 1}, {0, 7}, {-128, 0}, {7, 127}})
    for (const q::index_t gap : {0, 1}) {
      const auto with_zero = [&](oracle::layer l) {
        l.zero_x = zero.x, l.zero_w = zero.w;
        return l;
      };
      conv2d(with_zero(small_images(3, 18, 1, 2, 1)), gap);
      conv2d(with_zero(small_images(4, 34, 2, 1, 2)), gap);
      conv2d(with_zero(small_images(3, 3, 3, 1, 1)), gap);  // each group has one channel
      conv2d(with_zero(small_images(3, 2, 1, 1, 2)), gap);
      depthwise(with_zero(small_images(18, 18, 1, 1, 1)), gap);
      depthwise(with_zero(small_images(2, 34, 1, 1, 2)), gap);
      depthwise(with_zero(small_images(1, 2, 1, 1, 1)), gap);
      for (const q::index_t stride : {1, 2}) {
        oracle::layer l = with_zero(small_images(3, 17, 1, 2, 1));
        l.x.stride = stride;
        l.out_h = oracle::scattered(l.h, l.y, 1), l.out_w = oracle::scattered(l.w, l.x, 0);
        transposed(l, gap);
      }
    }
}

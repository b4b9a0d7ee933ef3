// Axes with one element or none: their stride may be anything, and their memory may be null.
// Only a sanitizer sees an address that is computed but not used.

#include <dyadic/conv2d.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/matmul.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <algorithm>
#include <vector>

#include "each_backend.hpp"
#include "guarded.hpp"

namespace {

using namespace dyadic;

constexpr index_t any_stride = limits<index_t>::max;
const std::vector<std::int32_t> bias(70, 5);

}  // namespace

TEST_CASE("edges: packed weights without depth have no storage", "[parity]") {
  parity::each_backend([](auto backend) {
    std::vector<std::int32_t> constants(70);
    std::vector<std::int32_t> y(140);
    const matrix_view<const std::int8_t> w{nullptr, 70, 0};
    const auto folded = fold<std::int8_t>(w, bias, {}, constants);
    const auto packed = pack<decltype(backend), std::int8_t>(w, view<std::int8_t>{});
    const linear_layer layer{packed.value, folded.value, raw_output<std::int32_t>{}};
    for (const index_t rows : {1, 2}) {
      const matrix_view<const std::int8_t> x{nullptr, rows, 0};
      const matrix_view<std::int32_t> to{y.data(), rows, 70};
      REQUIRE(check(layer, x, to) == status::ok);
      run(layer, x, to);
    }
    CHECK(y == std::vector<std::int32_t>(140, 5));
  });
}

TEST_CASE("edges: one row may have any stride when it is rescaled", "[parity]") {
  parity::each_backend([](auto backend) {
    const std::vector<std::int32_t> x(70, 10);
    const std::vector<multiplier32> halves(70, multiplier32{1 << 30, 31});
    std::vector<std::int16_t> y(70);
    const matrix_view<const std::int32_t> from{x.data(), 1, 70, any_stride};
    const matrix_view<std::int16_t> to{y.data(), 1, 70, any_stride};
    const rescale_layer per_channel{0, per_channel_output<std::int16_t, tosa::scale32>{halves, range_of<std::int16_t>()}};
    const rescale_layer per_tensor{0, per_tensor_output<std::int16_t, tosa::scale32>{halves[0], range_of<std::int16_t>()}};
    REQUIRE(check(per_channel, from, to) == status::ok);
    run<decltype(backend)>(per_channel, from, to);
    CHECK(y == std::vector<std::int16_t>(70, 5));
    std::fill(y.begin(), y.end(), std::int16_t{0});
    REQUIRE(check(per_tensor, from, to) == status::ok);
    run<decltype(backend)>(per_tensor, from, to);
    CHECK(y == std::vector<std::int16_t>(70, 5));
  });
}

TEST_CASE("edges: a convolution may have a stride that is never used", "[parity]") {
  parity::each_backend([](auto backend) {
    window2d window;
    window.x = {2, any_stride / 16 - 1, 1, 0, 0};
    const std::vector<std::int8_t> w(3 * 32, 3);
    const std::vector<std::int8_t> x(32, 2);
    std::vector<std::int32_t> constants(3);
    std::vector<std::int32_t> y(3);
    const matrix_view<const std::int8_t> weights{w.data(), 3, 32};
    const auto folded = fold_conv2d<std::int8_t>(weights, view(bias.data(), 3), window, {}, constants);
    const conv2d_layer layer{weights, folded.value, window, 1, raw_output<std::int32_t>{}};
    const nhwc_view<const std::int8_t> from{x.data(), 1, 1, 2, 16, 16, any_stride, any_stride};
    const nhwc_view<std::int32_t> to{y.data(), 1, 1, 1, 3, 3, any_stride, any_stride};
    REQUIRE(check(layer, from, to) == status::ok);
    run<decltype(backend)>(layer, from, to);
    CHECK(y == std::vector<std::int32_t>(3, 5 + 32 * 6));
  });
}

TEST_CASE("edges: a convolution may have images without channels", "[parity]") {
  parity::each_backend([](auto backend) {
    for (const index_t stride : {index_t{4}, any_stride}) {
      std::vector<std::int32_t> constants(3);
      std::vector<std::int32_t> y(24);
      const matrix_view<const std::int8_t> weights{nullptr, 3, 0};
      const auto folded = fold_conv2d<std::int8_t>(weights, view(bias.data(), 3), window2d{}, {}, constants);
      const conv2d_layer layer{weights, folded.value, window2d{}, 1, raw_output<std::int32_t>{}};
      const nhwc_view<const std::int8_t> from{nullptr, 1, 4, 2, 0, stride, stride, stride};
      const nhwc_view<std::int32_t> to{y.data(), 1, 4, 2, 3};
      REQUIRE(check(layer, from, to) == status::ok);
      run<decltype(backend)>(layer, from, to, {1, 3});
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == (i / 6 == 1 || i / 6 == 2 ? 5 : 0));
    }
  });
}

TEST_CASE("edges: a border by hand", "[parity]") {
  parity::each_backend([](auto backend) {
    // The kernel -3 -2 -1 / 0 1 2 / 3 4 5 over the image 0 1 / 2 3. The zero point of the image is 1, and the zero point of the
    // kernel is 4.
    const std::int8_t x[] = {1, 2, 3, 4};
    const std::int8_t w[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
    std::int32_t constants[1] = {};
    std::int32_t y[4] = {};
    const nhwc_view from(x, 1, 2, 2, 1);
    const nhwc_view to(y, 1, 2, 2, 1);
    const auto is_right = [&](status folded, const auto& layer) {
      REQUIRE((folded == status::ok && check(layer, from, to) == status::ok));
      for (std::int32_t& value : y) value = 0;
      run<decltype(backend)>(layer, from, to);
      CHECK((y[0] == 30 && y[1] == 24 && y[2] == 12 && y[3] == 6));
    };
    const raw_output<std::int32_t> output;
    const auto five = view(bias.data(), 1);
    const matrix_view rows(w, 1, 9);
    const auto folded = fold_conv2d<std::int8_t>(rows, five, window, {1, 4}, constants);
    is_right(folded.status, conv2d_layer{rows, folded.value, window, 1, output});
    const matrix_view taps(w, 9, 1);
    const auto of_taps = fold_depthwise<std::int8_t>(taps, five, window, {1, 4}, constants);
    is_right(of_taps.status, depthwise_layer{taps, of_taps.value, window, output});
    const std::int8_t turned[] = {9, 8, 7, 6, 5, 4, 3, 2, 1};  // at stride 1, a convolution with the rotated kernel is equal
    const matrix_view turned_rows(turned, 1, 9);
    const auto scattered = fold_transposed_conv2d<std::int8_t>(turned_rows, five, window, {1, 4}, constants);
    is_right(scattered.status, transposed_conv2d_layer{turned_rows, scattered.value, window, output});
  });
}

TEST_CASE("edges: a transposed convolution may have one line of outputs", "[parity]") {
  parity::each_backend([](auto backend) {
    window2d window;
    window.y.stride = 2;
    const std::vector<std::int8_t> w(12, 3);
    const std::vector<std::int8_t> x(8, 2);
    std::vector<std::int32_t> constants(static_cast<std::size_t>(transposed_conv2d_constants(3, window, {})));
    std::vector<std::int32_t> y(6);
    const matrix_view<const std::int8_t> weights{w.data(), 3, 4};
    const auto folded = fold_transposed_conv2d<std::int8_t>(weights, view(bias.data(), 3), window, {}, constants);
    const transposed_conv2d_layer layer{weights, folded.value, window, raw_output<std::int32_t>{}};
    const nhwc_view<const std::int8_t> from{x.data(), 1, 1, 2, 4, 4, any_stride, any_stride};
    const nhwc_view<std::int32_t> to{y.data(), 1, 1, 2, 3, 3, any_stride, any_stride};
    REQUIRE(check(layer, from, to) == status::ok);
    run<decltype(backend)>(layer, from, to);
    CHECK(y == std::vector<std::int32_t>(6, 5 + 4 * 6));
  });
}

TEST_CASE("edges: a convolution of one tap may have strides whose product is 1 modulo the word", "[parity]") {
  parity::each_backend([](auto backend) {
    constexpr bool is_64 = sizeof(index_t) == 8;
    const window2d window{{1, static_cast<index_t>(is_64 ? 328123690831426041 : 107619317)},
                          {1, static_cast<index_t>(is_64 ? 33351857872191561 : 84357213)}};
    const std::int8_t x[] = {10, 20, 30, 40, 50, 60, 70, 80};
    const std::int8_t w[] = {1};
    std::int32_t constants[1] = {};
    std::int32_t y[2] = {};
    const matrix_view weights(w, 1, 1);
    const auto folded = fold_conv2d<std::int8_t>(weights, no_bias{}, window, {}, constants);
    const conv2d_layer layer{weights, folded.value, window, 1, raw_output<std::int32_t>{}};
    const nhwc_view from(x, 2, 2, 2, 1);
    const nhwc_view to(y, 2, 1, 1, 1);
    REQUIRE(check(layer, from, to) == status::ok);
    run<decltype(backend)>(layer, from, to);
    CHECK((y[0] == 10 && y[1] == 50));
  });
}

TEST_CASE("edges: a convolution of one tap may have gaps only before it or only after it", "[parity]") {
  parity::each_backend([](auto backend) {
    const std::int8_t x[] = {10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61};
    const std::int8_t w[] = {1, 2};
    std::int32_t constants[1] = {};
    const matrix_view weights(w, 1, 2);
    const auto folded = fold_conv2d<std::int8_t>(weights, no_bias{}, window2d{}, {}, constants);
    const conv2d_layer layer{weights, folded.value, window2d{}, 1, raw_output<std::int32_t>{}};
    for (const index_t row : {2, 3}) {
      std::int32_t y[6] = {};
      const nhwc_view<const std::int8_t> from{x, 1, 2, 2, 2, 2, 2 * row, 4 * row};
      const nhwc_view<std::int32_t> to{y, 1, 2, 2, 1, 1, 5 - row, 10 - 2 * row};
      REQUIRE(check(layer, from, to) == status::ok);
      run<decltype(backend)>(layer, from, to);
      for (index_t i = 0; i < 4; ++i) {
        const index_t at = i / 2 * row + i % 2;
        CHECK(y[i / 2 * (5 - row) + i % 2] == x[2 * at] + 2 * x[2 * at + 1]);
      }
    }
  });
}

TEST_CASE("edges: groups of channels may have columns whose stride is never used", "[parity]") {
  parity::each_backend([](auto backend) {
    const std::int8_t x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const std::int8_t w[] = {2, 3, 4, 5, 1, 2, 3, 4};  // stored with a zero point of 1
    for (const index_t stride : {1, 3}) {
      const window2d window{{2, 1, 1, 0, 0}, {1, stride, 1, 0, 0}};
      std::int32_t constants[2] = {};
      std::int32_t y[4] = {};
      const matrix_view weights(w, 2, 4);
      const auto folded = fold_conv2d<std::int8_t>(weights, no_bias{}, window, {0, 1}, constants);
      const conv2d_layer layer{weights, folded.value, window, 2, raw_output<std::int32_t>{}};
      const nhwc_view<const std::int8_t> from{x, 1, 3, 1, 4, 2, 4, 12};  // the pixel stride is the number of channels of a group
      const nhwc_view<std::int32_t> to{y, 1, 2, 1, 2};
      REQUIRE(check(layer, from, to) == status::ok);
      run<decltype(backend)>(layer, from, to);
      CHECK((y[0] == 44 && y[1] == 42 && y[2] == 84 && y[3] == 66));
    }
  });
}

TEST_CASE("edges: a product by one row, which is the right operand by its depth", "[parity]") {
  parity::each_backend([](auto backend) {
    const std::vector<std::int16_t> w = {3, -4, 5, 6, -7};
    const std::vector<std::int16_t> x = {1, 2, 3, 4, 5, 6};
    std::vector<std::int64_t> scratch(5);
    std::vector<std::int64_t> y(30);
    static constexpr matmul_layer layer{zero_points{}, raw_output<std::int64_t>{}};
    const batch_view<const std::int16_t> left{x.data(), 1, 6, 1};
    for (const index_t stride : {index_t{0}, any_stride}) {
      const batch_view<const std::int16_t> right{w.data(), 1, 1, 5, stride, 0};
      const batch_view<std::int64_t> to{y.data(), 1, 6, 5};
      std::fill(y.begin(), y.end(), 0);
      REQUIRE(check(layer, left, transposed(right), to, view(scratch)) == status::ok);
      run<decltype(backend)>(layer, left, transposed(right), to, view(scratch));
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == std::int64_t{x[i / 5]} * w[i % 5]);
    }
  });
}

TEST_CASE("edges: a depthwise convolution of one tap may have any dilation", "[parity]") {
  parity::each_backend([](auto backend) {
    constexpr window1d one{1, 1, detail::size_limit};
    constexpr window2d window{one, one};
    const std::vector<std::int8_t> operands(2 * 5 * 19, 3);
    std::vector<std::int32_t> constants(19);
    std::vector<std::int32_t> y(2 * 5 * 19);
    const matrix_view<const std::int8_t> weights{operands.data(), 1, 19};
    const auto folded = fold_depthwise<std::int8_t>(weights, no_bias{}, window, {}, constants);
    const depthwise_layer layer{weights, folded.value, window, raw_output<std::int32_t>{}};
    const nhwc_view<const std::int8_t> from{operands.data(), 1, 2, 5, 19};
    const nhwc_view<std::int32_t> to{y.data(), 1, 2, 5, 19};
    REQUIRE(check(layer, from, to) == status::ok);
    run<decltype(backend)>(layer, from, to);
    CHECK(y == std::vector<std::int32_t>(2 * 5 * 19, 9));
  });
}

TEST_CASE("edges: products of 16-bit depthwise weights fill 32 bits", "[parity]") {
  parity::each_backend([](auto backend) {
    constexpr window2d window{{2}, {2}};
    const std::vector<std::int16_t> operands(4 * 19, 30000);
    std::vector<std::int64_t> constants(19);
    std::vector<std::int64_t> y(19);
    const matrix_view<const std::int16_t> weights{operands.data(), 4, 19};
    const auto folded = fold_depthwise<std::int16_t>(weights, no_bias{}, window, {}, constants);
    const depthwise_layer layer{weights, folded.value, window, raw_output<std::int64_t>{}};
    const nhwc_view<const std::int16_t> from{operands.data(), 1, 2, 2, 19};
    const nhwc_view<std::int64_t> to{y.data(), 1, 1, 1, 19};
    REQUIRE(check(layer, from, to) == status::ok);
    run<decltype(backend)>(layer, from, to);
    CHECK(y == std::vector<std::int64_t>(19, 3'600'000'000));
  });
}

template <class Backend, class Y>
void sums_of_weights() {
  constexpr index_t depth = 70'000;
  constexpr index_t columns = parity::has_little_memory ? 12 : 40;
  const std::vector<std::int16_t> w(depth * columns, 32767);
  const std::vector<std::int16_t> x(depth, 1);
  std::vector<Y> scratch(columns);
  std::vector<Y> y(columns);
  const matmul_layer layer{zero_points{3, 0}, raw_output<Y>{}};
  const batch_view<const std::int16_t> left{x.data(), 1, 1, depth};
  const batch_view<Y> to{y.data(), 1, 1, columns};
  const std::vector<Y> expected(columns, wrap<Y>(-2 * std::int64_t{depth} * 32767));
  run<Backend>(layer, left, batch_view<const std::int16_t>{w.data(), 1, columns, depth}, to, view(scratch));
  CHECK(y == expected);
  run<Backend>(layer, left, transposed(batch_view<const std::int16_t>{w.data(), 1, depth, columns}), to, view(scratch));
  CHECK(y == expected);
}

TEST_CASE("edges: sums of weights may wrap, or exceed int32", "[parity]") {
  parity::each_backend([](auto backend) {
    sums_of_weights<decltype(backend), std::int32_t>();
    sums_of_weights<decltype(backend), std::int64_t>();
  });
}

// Convolutions and transposed convolutions of each backend of this machine against scalar code.

#include <dyadic/conv2d.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <limits>

#include "linear_parity.hpp"

namespace {

using namespace dyadic;
using parity::conditions;
using parity::numbers;

/// Images, and the windows over them. The gaps come after each pixel, row and image.
struct shape {
  index_t n, h, w, c, channels, groups;
  window2d window;
  index_t gap = 0;
  index_t output_padding = 0;
};

window2d square(index_t kernel, index_t stride, index_t dilation, index_t before, index_t after) {
  const window1d one{kernel, stride, dilation, before, after};
  return {one, one};
}

enum class kind { conv2d, transposed };

/// Layers of activations X and weights W in guarded memory.
template <class Backend, kind Kind, class X, class W, class Y>
class window_runs {
 public:
  template <class Output>
  void compare(const shape& s, const conditions& c, const Output& output) {
    using accumulator = typename Output::accumulator;
    const index_t h = size(s.h, s.window.y, s.output_padding);
    const index_t w = size(s.w, s.window.x, s.output_padding);
    INFO(s.n << "x" << s.h << "x" << s.w << "x" << s.c << " to " << h << "x" << w << "x" << s.channels << ", groups " << s.groups
             << ", kernel " << s.window.y.kernel << "x" << s.window.x.kernel << ", stride " << s.window.y.stride << ", gap "
             << s.gap << ", zero " << c.zero.x << " " << c.zero.w);
    const auto x = images(x_, {s.n, s.h, s.w, s.c}, s.gap, c.at_end);
    for (index_t i = 0; i < x.extent; ++i) x.data[i] = static_cast<X>(parity::element<X>(c.x, random_));
    const index_t cols = s.window.y.kernel * s.window.x.kernel * s.c / s.groups;
    W* const weights = w_.at(c.at_end, static_cast<std::size_t>(s.channels * cols));
    for (index_t i = 0; i < s.channels * cols; ++i)
      weights[i] = static_cast<W>(c.w_limit == 0 ? parity::element<W>(c.w, random_) : random_.between(-c.w_limit, c.w_limit));
    const matrix_view<const W> matrix{weights, s.channels, cols};
    numbers<std::int64_t> bias(static_cast<std::size_t>(s.channels));
    for (auto& b : bias) b = random_.integer(c.bias_bits);
    const auto y = images(y_, {s.n, h, w, s.channels}, s.gap, c.at_end);
    const auto expected = images(expected_, {s.n, h, w, s.channels}, s.gap, c.at_end);
    const auto compare_with = [&](const auto& layer, row_range rows, const char* what, const auto& run_it) {
      fill(y);
      fill(expected);
      REQUIRE((check(layer, x.view, y.view) == status::ok || check(layer, x.view, y.view) == status::accumulator_overflow));
      run(layer, x.view, expected.view, rows);
      run_it(rows);
      equal(y, expected, what);
    };
    const row_range all{0, s.n * h};
    const row_range some{s.n * h / 3, s.n * h - s.n * h / 4};
    if constexpr (Kind == kind::conv2d) {
      numbers<accumulator> constants(static_cast<std::size_t>(conv2d_constants(s.channels, s.window, c.zero)));
      const auto folded = fold_conv2d<X>(matrix, s.window, bias, c.zero, constants);
      REQUIRE(folded.status == status::ok);
      const conv2d_layer layer{matrix, folded.value, c.zero, s.window, s.groups, output};
      const auto plain = [&](row_range rows) { run<Backend>(layer, x.view, y.view, rows); };
      compare_with(layer, all, "not packed", plain);
      compare_with(layer, some, "not packed, some rows", plain);
      const auto bytes = packed_size<Backend, X, W>(s.channels, cols);
      std::int8_t* const storage = packed_.at(c.at_end, static_cast<std::size_t>(bytes));
      const auto packed = pack<Backend, X>(matrix, view<std::int8_t>{storage, bytes});
      REQUIRE(packed.status == status::ok);
      const conv2d_layer with_packed{packed.value, folded.value, c.zero, s.window, s.groups, output};
      REQUIRE((check(with_packed, x.view, y.view) == check(layer, x.view, y.view)));
      compare_with(layer, all, "packed", [&](row_range rows) { run(with_packed, x.view, y.view, rows); });
      if (s.n * h < 4)
        compare_with(layer, all, "packed, scalar",
                     [&](row_range rows) { run<backend::scalar>(with_packed, x.view, y.view, rows); });
    } else {
      numbers<accumulator> constants(static_cast<std::size_t>(transposed_conv2d_constants(s.channels, s.window, c.zero)));
      const auto folded = fold_transposed_conv2d<X>(matrix, s.window, bias, c.zero, constants);
      REQUIRE(folded.status == status::ok);
      const transposed_conv2d_layer layer{matrix, folded.value, c.zero, s.window, output};
      const auto plain = [&](row_range rows) { run<Backend>(layer, x.view, y.view, rows); };
      compare_with(layer, all, "whole", plain);
      compare_with(layer, some, "some rows", plain);
    }
  }

  parity::tally t;

 private:
  template <class T>
  struct placed {
    T* data;
    index_t extent;
    nhwc_view<T> view;
  };
  struct size4 {
    index_t n, h, w, c;
  };
  static index_t size(index_t inputs, const window1d& w, index_t padding) {
    return Kind == kind::conv2d ? forward_size(inputs, w) : transposed_size(inputs, w, padding);
  }
  template <class T>
  static placed<T> images(parity::guarded<T>& memory, size4 s, index_t gap, bool at_end) {
    const index_t pixel = s.c + gap;
    const index_t row = s.w * pixel + gap;
    const index_t image = s.h * row + gap;
    const bool is_empty = s.n * s.h * s.w * s.c == 0;
    const index_t extent = is_empty ? 0 : (s.n - 1) * image + (s.h - 1) * row + (s.w - 1) * pixel + s.c;
    T* const data = memory.at(at_end, static_cast<std::size_t>(extent));
    return {data, extent, {data, s.n, s.h, s.w, s.c, pixel, row, image}};
  }
  static void fill(const placed<Y>& y) { std::fill(y.data, y.data + y.extent, Y{77}); }
  void equal(const placed<Y>& got, const placed<Y>& want, const char* what) {
    for (index_t i = 0; i < got.extent; ++i) {
      ++t.compared;
      if (i > 0 && want.data[i] != want.data[i - 1]) ++t.varied;
      if (got.data[i] == want.data[i] || t.different++ != 0) continue;
      t.first = std::string(what) + ", element " + std::to_string(i) + ": " + std::to_string(got.data[i]) + ", expected " +
                std::to_string(want.data[i]);
      FAIL_CHECK(t.first);
    }
  }

  static constexpr std::size_t most = 80'000;
  parity::guarded<X> x_{most};
  parity::guarded<W> w_{most};
  parity::guarded<std::int8_t> packed_{most};
  parity::guarded<Y> y_{most};
  parity::guarded<Y> expected_{most};
  support::random_bits random_;
};

/// Calls use(way, shape, conditions, depth) for each shape four times.
template <class X, class W, class Use>
void each_way(const std::vector<shape>& shapes, const Use& use) {
  int way = 0;
  for (const shape& s : shapes)
    for (int round = 0; round < 4; ++round) {
      conditions c;
      c.at_end = (++way & 1) != 0;
      if (round >= 1) c.zero.x = round == 2 ? operand<X>::min : 5;
      if (round >= 2) c.zero.w = round == 2 ? operand<W>::max : 1;
      if (round == 3) c.x = c.w = parity::values::corners;
      if (way % 3 == 0) c.w_limit = 7;
      use(way, s, c, s.window.y.kernel * s.window.x.kernel * s.c / s.groups);
    }
}

/// With one multiplier, with one for each channel, and with the whole accumulator as the output.
template <class Backend, kind Kind, class X, class W, class Y, class Scheme>
void every_window(const std::vector<shape>& shapes) {
  {
    window_runs<Backend, Kind, X, W, Y> runs;
    support::random_bits random;
    each_way<X, W>(shapes, [&](int way, const shape& s, const conditions& c, index_t depth) {
      numbers<typename Scheme::multiplier_type> m(static_cast<std::size_t>(s.channels));
      for (auto& one : m) one = parity::fitting<Scheme, X, W, Y>(depth, random);
      if (way % 4 == 1)
        runs.compare(s, c, tensor_output<Y, Scheme>{parity::fitting<Scheme, X, W, Y>(depth, random), range_of<Y>(3)});
      else if (way % 4 != 0)
        runs.compare(s, c, channel_output<Y, Scheme>{m, range_of<Y>(3)});
    });
    runs.t.check();
  }
  window_runs<Backend, Kind, X, W, std::int64_t> raw_runs;
  each_way<X, W>(shapes, [&](int way, const shape& s, const conditions& c, index_t) {
    if (way % 4 == 0) raw_runs.compare(s, c, raw_output<std::int64_t>{});
  });
  raw_runs.t.check();
}

constexpr auto far_away = static_cast<index_t>(sizeof(index_t) == 8 ? 1'000'000'000'000 : 50'000'000);  // a tap
const std::vector<shape>& convolutions() {
  static const std::vector<shape> all = {
      {1, 1, 1, 1, 1, 1, square(1, 1, 1, 0, 0)},
      {2, 5, 7, 3, 5, 1, square(3, 1, 1, 1, 1)},                // an odd depth
      {1, 9, 9, 16, 33, 1, square(3, 1, 1, 0, 0), 3},           // gaps
      {2, 6, 5, 8, 40, 1, square(1, 1, 1, 0, 0)},               // a matrix
      {2, 6, 5, 8, 40, 1, square(1, 1, 1, 0, 0), 2},            // no matrix
      {1, 8, 8, 8, 9, 1, square(1, 2, 1, 0, 0)},                // no matrix either
      {1, 3, 4, 5, 6, 1, square(1, 1, 1, 2, 1)},                // windows of padding alone
      {1, 11, 13, 4, 7, 1, square(3, 2, 2, 2, 1)},              // dilation and stride
      {1, 4, 3, 2, 3, 1, {{5, 1, 1, 4, 4}, {1, 1, 1, 0, 0}}},   // a high window, larger than the image
      {1, 1, 30, 6, 5, 1, {{1, 1, 1, 0, 0}, {7, 3, 1, 3, 2}}},  // one dimension
      {2, 6, 6, 12, 8, 4, square(3, 1, 1, 1, 1)},               // groups of 2 channels
      {1, 5, 5, 64, 64, 2, square(3, 1, 1, 1, 1), 1},           // groups of whole panels or not
      {1, 5, 5, 6, 6, 6, square(2, 1, 1, 0, 1)},                // depthwise
      {1, 4, 4, 300, 4, 1, square(3, 1, 1, 1, 1)},              // deeper than what is copied and packed at a time
      {1, 4, 1, 0, 3, 1, square(2, 1, 1, 1, 0)},                // no inputs
      {1, 2, 2, 3, 270, 1, square(2, 1, 1, 1, 0)},              // more channels than share constants
      {1, 3, 3, 2, 2, 1, {{2, 1, far_away, 0, far_away}, {1, 1, 1, 0, 0}}},
  };
  return all;
}
const std::vector<shape>& transposed_convolutions() {
  static const std::vector<shape> all = {
      {1, 1, 1, 1, 1, 1, square(1, 1, 1, 0, 0)},        {2, 4, 5, 3, 5, 1, square(3, 2, 1, 1, 1), 0, 1},
      {1, 5, 4, 16, 33, 1, square(4, 2, 1, 1, 1), 3},   {1, 3, 3, 8, 9, 1, square(2, 3, 1, 0, 0), 0, 2},  // outputs without taps
      {1, 6, 5, 5, 7, 1, square(3, 1, 1, 1, 1)},        {1, 2, 7, 4, 6, 1, {{5, 2, 1, 2, 1}, {3, 4, 1, 0, 1}}, 1},
      {1, 3, 3, 301, 4, 1, square(3, 1, 1, 1, 1)},      {1, 3, 2, 0, 3, 1, square(2, 2, 1, 0, 0)},
      {2, 2, 2, 2, 70, 1, square(6, 4, 1, 3, 3), 0, 3},
  };
  return all;
}

template <class Test>
void each_backend(const Test& test) {
  for_each_backend([&](auto backend, bool runs_here) {
    if constexpr (std::is_same_v<decltype(backend), backend::scalar>) return;
    if (runs_here)
      test(backend);
    else
      WARN(decltype(backend)::name << " does not run here: nothing was tested");
  });
}

}  // namespace

TEST_CASE("conv2d: int16 x int8 equals scalar and stays within its memory", "[parity]") {
  each_backend([](auto backend) {
    every_window<decltype(backend), kind::conv2d, std::int16_t, std::int8_t, std::int16_t, tosa::scale16>(convolutions());
  });
}
TEST_CASE("conv2d: int8 x int8 equals scalar and stays within its memory", "[parity]") {
  each_backend([](auto backend) {
    every_window<decltype(backend), kind::conv2d, std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding>(convolutions());
  });
}
TEST_CASE("transposed_conv2d: int16 x int8 equals scalar and stays within its memory", "[parity]") {
  each_backend([](auto backend) {
    every_window<decltype(backend), kind::transposed, std::int16_t, std::int8_t, std::int16_t, tosa::scale16>(
        transposed_convolutions());
  });
}
TEST_CASE("transposed_conv2d: int8 x int8 equals scalar and stays within its memory", "[parity]") {
  each_backend([](auto backend) {
    every_window<decltype(backend), kind::transposed, std::int8_t, std::int8_t, std::int8_t, tosa::scale32>(
        transposed_convolutions());
  });
}

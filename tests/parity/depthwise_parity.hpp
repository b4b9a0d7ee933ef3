#pragma once
/// \file
/// The depthwise convolution of backends against scalar code, in guarded memory, with gaps and without.

#include <dyadic/depthwise.hpp>

#include "linear_parity.hpp"

namespace parity {

/// Images of h x w with `channels` input channels. Each input channel is read by `multiplier` output channels.
struct depthwise_case {
  q::index_t images, h, w, channels;
  q::window2d window;
  q::index_t multiplier = 1;
  q::index_t skipped = 0;  ///< number of rows of outputs before the range, and after it
};

inline std::string describe(const depthwise_case& s, const char* name, q::index_t at, std::size_t count) {
  const auto axis = [](const q::window1d& w) {
    return std::to_string(w.kernel) + "/" + std::to_string(w.stride) + "/" + std::to_string(w.dilation) + " pad " +
           std::to_string(w.pad_before) + "+" + std::to_string(w.pad_after);
  };
  return std::string(name) + ", " + std::to_string(s.images) + " x " + std::to_string(s.h) + " x " + std::to_string(s.w) + " x " +
         std::to_string(s.channels) + " x " + std::to_string(s.multiplier) + ", window " + axis(s.window.y) + " by " +
         axis(s.window.x) + ", element " + std::to_string(at) + " of " + std::to_string(count);
}

/// Runs layers of activations X and weights W on each of the backends.
template <class Backends, class X, class W, class Y>
class depthwise_runs {
 public:
  explicit depthwise_runs(std::size_t most) : x_{most}, w_{most}, constants_{most}, y_{most} {}

  template <class Output>
  void compare(const depthwise_case& s, const conditions& c, const Output& output) {
    if (!cases_.has_next()) return;
    fill(s, c);
    using accumulator = typename Output::accumulator;
    std::byte* const constants = constants_.at(c.at_end, bias_.size() * sizeof(accumulator));
    const auto folded = q::fold_depthwise<X>(
        w, bias_, s.window, c.zero, q::view<accumulator>{reinterpret_cast<accumulator*>(constants), s.channels * s.multiplier});
    require(folded.status == q::status::ok, "fold");
    const q::depthwise_layer layer{w, folded.value, s.window, output};
    const q::status checked = check(layer, x, y);
    overflows += checked == q::status::accumulator_overflow;
    require_runs(checked);
    // Gaps, and rows outside the range, must not change.
    const q::row_range rows{s.skipped, q::detail::row_count(y) - s.skipped};
    q::run(layer, x, y, rows);
    keep_expected();
    Backends::each([&](auto backend) {
      using tested = decltype(backend);
      static_assert(runs_over_lanes<tested, q::op::depthwise>);
      if constexpr (has_kernel<tested, q::op::depthwise>) {  // other backends run the kernel of their fallback
        if (s.skipped == 0)
          q::run<tested>(layer, x, y);
        else
          q::run<tested>(layer, x, y, rows);
        equal(s, tested::name);
      }
    });
  }

  tally t;
  std::size_t overflows = 0;

 private:
  template <class T>
  static q::index_t extent(const q::nhwc_view<T>& v) {
    require(v.measure() >= 0, "measure");
    return v.measure();
  }
  template <class T>
  static q::nhwc_view<T> images(guarded<T>& memory, q::index_t n, q::index_t h, q::index_t w, q::index_t channels,
                                const conditions& c) {
    const q::index_t pixel = channels + c.gap;
    const q::index_t row = w * pixel + 2 * c.gap;
    const q::index_t image = h * row + c.gap;
    const q::nhwc_view<T> shape{memory.first(), n, h, w, channels, pixel, row, image};
    return {memory.at(c.at_end, static_cast<std::size_t>(extent(shape))), n, h, w, channels, pixel, row, image};
  }
  q::matrix_view<const W> weights(q::index_t taps, q::index_t channels, const conditions& c) {
    const q::index_t stride = channels + c.gap;
    return {weights_in<W>(w_, (taps - 1) * stride + channels, c, random_), taps, channels, stride};
  }

  void fill(const depthwise_case& s, const conditions& c) {
    const q::index_t outputs = s.channels * s.multiplier;
    const auto to = images(x_, s.images, s.h, s.w, s.channels, c);
    std::generate_n(to.data(), extent(to), [&] { return static_cast<X>(element<X>(c.x, random_)); });
    x = to;
    w = weights(s.window.y.kernel * s.window.x.kernel, outputs, c);
    bias_.resize(static_cast<std::size_t>(outputs));
    for (auto& b : bias_) b = random_.integer(c.bias_bits);
    y = images(y_, s.images, q::forward_size(s.h, s.window.y), q::forward_size(s.w, s.window.x), outputs, c);
    size_ = extent(y);
    clear();
  }
  void clear() { std::fill(y.data(), y.data() + size_, Y{}); }
  void keep_expected() {
    expected_.assign(y.data(), y.data() + size_);
    clear();
  }
  void equal(const depthwise_case& s, const char* name) {
    t.add(y.data(), expected_.data(), size_, [&](q::index_t i) { return describe(s, name, i, expected_.size()); });
    clear();
  }

  q::nhwc_view<const X> x;
  q::matrix_view<const W> w;
  q::nhwc_view<Y> y;
  guarded<X> x_;
  guarded<stored<W>> w_;
  guarded<std::byte> constants_;
  guarded<Y> y_;
  numbers<std::int64_t> bias_;
  numbers<Y> expected_;
  q::index_t size_ = 0;
  support::random_bits random_;
  support::tried_cases cases_;
};

inline constexpr q::window2d window_3x3{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};

/// Windows with and without padding, strides and dilations. The padding of some is larger than the image.
inline constexpr q::window2d windows[] = {
    {},
    window_3x3,
    {{3, 2, 1, 0, 1}, {3, 2, 1, 0, 1}},
    {{5, 1, 1, 2, 2}, {5, 1, 1, 2, 2}},
    {{1, 1, 1, 0, 0}, {7, 1, 1, 3, 3}},
    {{7, 1, 1, 5, 0}, {1, 1, 1, 0, 0}},
    {{3, 3, 1, 2, 0}, {2, 3, 1, 1, 2}},
    {{3, 1, 2, 2, 3}, {3, 1, 3, 4, 1}},
    {{2, 1, 1, 9, 8}, {2, 1, 1, 0, 11}},
    {{4, 5, 1, 0, 3}, {4, 6, 1, 3, 0}},
};

/// Windows with nearly 3 x 3 taps, because windows of 3 x 3 have a kernel of their own.
inline constexpr q::window2d nearly_3x3[] = {
    {{2, 1, 1, 1, 0}, window_3x3.x}, {window_3x3.y, {2, 1, 1, 1, 0}}, {{4, 1, 1, 2, 1}, window_3x3.x},
    {window_3x3.y, {4, 1, 1, 2, 1}}, {{3, 2, 1, 1, 1}, window_3x3.x}, {window_3x3.y, {3, 2, 1, 1, 1}},
    {{3, 1, 2, 2, 2}, window_3x3.x}, {window_3x3.y, {3, 1, 2, 2, 2}},
};

/// Tries every number of channels up to 70, past two blocks, and every window.
inline void each_depthwise_shape(const std::function<void(const depthwise_case&)>& compare) {
  for (q::index_t channels = 1; channels <= 70; ++channels) {
    compare({2, 5, 6, channels, windows[channels % 10]});
    // Images wider and narrower than a vector of neighbouring outputs. With strides, the columns are copied in parts.
    compare({1, 4, 35 - channels / 2, channels, window_3x3});
    compare({1, 9, 70 / (1 + channels % 9), channels, windows[2]});
    // Inner outputs that read int16 in place, with edges on each side.
    if (channels % 8 == 0 || channels > 66) compare({2, 11, 49, channels, {{3, 2, 2, 1, 2}, {3, 1 + channels / 8 % 4, 2, 3, 1}}});
    compare({1, 5, 10, channels, {{3, 2, 1, 1, 2}, {5, 1 + channels % 4, 1 + channels % 3, 3, 2}}});
  }
  // More rows and columns than a tile can have.
  compare({1, 66, 3, 3, window_3x3});
  compare({1, 3, 66, 40, window_3x3});
  // Inner outputs whose channels share inputs. Some images are as high as a window or lower.
  compare({1, 7, 49, 32, {{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}}, 2});
  compare({1, 3, 68, 32, {{3, 2, 1, 0, 0}, {3, 2, 1, 1, 1}}});
  compare({1, 4, 49, 32, {{3, 2, 2, 0, 1}, {3, 2, 1, 1, 1}}});
  for (const q::window2d& window : windows)
    for (const q::index_t channels : {3, 8, 17, 40, 97})
      for (const q::index_t w : {1, 4, 5, 11}) compare({2, 4, w, channels, window});
  for (const q::window2d& window : nearly_3x3)
    for (const q::index_t channels : {3, 40})
      for (const q::index_t w : {5, 6}) compare({1, 5, w, channels, window});
  // Narrow images, whose rows of outputs follow each other: as many outputs as are computed at a time, fewer, and more.
  for (q::index_t w = 1; w < 10; ++w)
    for (const q::index_t channels : {3, 40})
      for (const q::window2d& window : {window_3x3, windows[2], windows[3]}) compare({1, 1 + w % 4, w, channels, window});
  // Small images. The next channels of an image have equal padding, and the next image has different padding.
  for (const q::index_t skipped : {1, 2, 3}) {
    compare({3, 3, 3, 70, window_3x3, 1, skipped});
    compare({3, 3, 4, 130, windows[3], 1, skipped});
    compare({3, 3, 3, 5, window_3x3, 1, skipped});
  }
  // Channel tiles that begin with an input channel of the tile before.
  for (const q::index_t multiplier : {2, 3, 5, 7, 31, 33})
    for (const q::index_t channels : {5, 11, 23}) compare({1, 3, 4, channels, window_3x3, multiplier});
  for (const q::index_t multiplier : {2, 3, 40}) {
    compare({1, 4, 5, 3, window_3x3, multiplier});
    compare({1, 4, 5, 29, windows[2], multiplier});
    compare({1, 4, 9, 2, windows[6], multiplier});
  }
}
/// Tries either end of memory, with and without gaps.
template <class Backends, class X, class W, class Y, class Scheme, multipliers_per Per>
void every_depthwise_shape() {
  using multiplier_type = typename Scheme::multiplier_type;
  depthwise_runs<Backends, X, W, Y> runs{std::size_t{1} << 17};
  guarded<multiplier_type> multipliers(2048);
  support::random_bits random;
  int way = 0;
  each_depthwise_shape([&](depthwise_case s) {
    conditions c;
    c.at_end = (++way & 1) != 0;
    c.gap = way & 2 ? 1 + way % 3 : 0;
    if (way % 3 == 0) c.zero = {q::operand<X>::max / 3, 0};
    if (way % 3 == 1) c.zero = {q::operand<X>::min, way % 2 == 0 ? q::operand<W>::min : q::operand<W>::max};
    if (way % 5 == 0 && q::detail::row_count(q::nhwc_view<Y>{nullptr, s.images, q::forward_size(s.h, s.window.y), 1, 1}) > 4)
      s.skipped = 2;
    const q::index_t taps = s.window.y.kernel * s.window.x.kernel;
    const q::index_t outputs = s.channels * s.multiplier;
    multiplier_type* const m = multipliers.at(c.at_end, static_cast<std::size_t>(outputs));
    for (q::index_t o = 0; o < outputs; ++o) m[o] = fitting<Scheme, X, W, Y>(taps, random);
    if constexpr (Per == multipliers_per::tensor)
      runs.compare(s, c, q::per_tensor_output<Y, Scheme>{m[0], q::range_of<Y>(3)});
    else
      runs.compare(s, c,
                   q::per_channel_output<Y, Scheme>{q::view<const multiplier_type>{m, outputs},
                                                    way & 16 ? q::output_range{3, 5, 100} : q::range_of<Y>(0)});
  });
  runs.t.check();
}

/// Tries windows of up to 5 x 5 taps over small images, which may be smaller than a window. All windows of an image may read its
/// border. Operands are at their extremes, and the zero points differ from the inputs inside.
template <class Backends, class X, class W, class Y, class Scheme>
void depthwise_small_images() {
  using multiplier_type = typename Scheme::multiplier_type;
  depthwise_runs<Backends, X, W, Y> runs{std::size_t{1} << 16};
  guarded<multiplier_type> multipliers(256);
  support::random_bits random;
  q::index_t n = 0;
  for (q::index_t ky = 1; ky <= 5; ++ky)
    for (q::index_t kx = 1; kx <= 5; ++kx)
      for (q::index_t stride = 1; stride <= 3; ++stride)
        for (const q::index_t size : {1, 2, 3, 6, 7}) {
          ++n;
          const q::index_t channels = 1 + 37 * n % 70;  // each number of 1 .. 70
          const q::index_t dilation = 1 + n % 2;
          const q::window2d window{{ky, stride, 1, ky / 2, ky - 1},
                                   {kx, stride, dilation, (kx - 1) * dilation, kx / 2 * dilation}};
          conditions c;
          c.at_end = n % 2 == 0;
          c.gap = n % 3;
          c.x = n % 5 == 0 ? values::least : n % 5 == 1 ? values::greatest : values::corners;
          c.w = n % 7 == 0 ? values::least : values::corners;
          c.zero = {n % 4 == 0 ? q::operand<X>::max : q::operand<X>::min / 2 + 5, n % 3 == 0 ? q::operand<W>::max / 2 : 0};
          multiplier_type* const m = multipliers.at(c.at_end, static_cast<std::size_t>(channels));
          for (q::index_t o = 0; o < channels; ++o) m[o] = fitting<Scheme, X, W, Y>(ky * kx, random);
          runs.compare({1 + n % 2, size, 1 + (size + n) % 7, channels, window, 1, 0}, c,
                       q::per_channel_output<Y, Scheme>{q::view<const multiplier_type>{m, channels}, q::range_of<Y>(3)});
        }
  runs.t.check();
}

/// Tries rows longer than one copy, windows that fit a copy only once, and window sizes up to and beyond the taps that lanes
/// hold.
inline void each_depthwise_size(const std::function<void(const depthwise_case&)>& compare) {
  compare({1, 3, 500, 33, window_3x3});
  compare({1, 3, 803, 9, {{2, 2, 1, 1, 0}, {3, 3, 1, 4, 5}}});
  compare({1, 2, 1300, 3, {{2, 1, 1, 1, 0}, {3, 5, 7, 4, 60}}});
  compare({1, 1, 1700, 33, {{1, 1, 1, 0, 0}, {3, 1, 800, 20, 0}}});
  compare({1, 2, 1700, 15, {{2, 1, 1, 1, 0}, {3, 1, 800, 20, 0}}});
  compare({1, 1700, 1, 33, {{3, 1, 800, 20, 0}, {1, 1, 1, 0, 0}}});
  compare({1, 40, 30, 9, {{16, 2, 2, 0, 3}, {16, 3, 1, 9, 0}}});
  compare({1, 1, 270, 33, {{1, 1, 1, 0, 0}, {256, 1, 1, 3, 0}}});
  compare({1, 270, 2, 33, {{256, 1, 1, 3, 0}, {1, 1, 1, 0, 0}}});
  compare({1, 258, 12, 7, {{256, 1, 1, 3, 0}, {1, 2, 1, 1, 2}}});
  for (const q::index_t channels : {1, 7, 15, 16, 31}) {
    compare({1, 258, 3, channels, {{256, 1, 1, 3, 0}, {1, 1, 1, 0, 0}}});
    compare({1, 1, 262, channels, {{1, 1, 1, 0, 0}, {256, 2, 1, 3, 0}}});
    compare({1, 19, 30, channels, {{16, 2, 60, 440, 450}, {16, 1, 1, 3, 4}}});
  }
  compare({1, 1, 271, 33, {{1, 1, 1, 0, 0}, {257, 1, 1, 3, 0}}});
  compare({1, 20, 20, 33, {{17, 1, 1, 1, 1}, {17, 1, 1, 1, 1}}});
  compare({2, 0, 3, 33, {{2, 1, 1, 1, 1}, {2, 1, 1, 0, 0}}});
  compare({2, 3, 0, 33, {{2, 1, 1, 0, 0}, {2, 1, 1, 2, 0}}});
  compare({1, 1, 1, 33, {{1, q::detail::size_limit, 1, 0, 0}, {1, q::detail::size_limit, 7, 0, 0}}});
}
template <class Backends, class X, class Y>
void depthwise_sizes() {
  depthwise_runs<Backends, X, std::int8_t, Y> runs{std::size_t{1} << 16};
  conditions c;
  c.zero = {q::operand<X>::max / 2, -7};
  each_depthwise_size([&](const depthwise_case& s) { runs.compare(s, c, q::raw_output<Y>{}); });
  runs.t.check();
}

/// Tries all-extreme values, and biases up to the last bit of int48 and beyond int32: sums that are exact, and sums that wrap.
inline void each_depthwise_extreme(q::zero_points low, q::zero_points high,
                                   const std::function<void(const depthwise_case&, const conditions&)>& compare) {
  for (const values x : {values::least, values::greatest, values::corners})
    for (const values w : {values::least, values::greatest, values::corners})
      for (const int bits : {10, 33, 47, 48}) {
        conditions c;
        c.x = x;
        c.w = w;
        c.bias_bits = bits;
        compare({1, 6, 7, 70, window_3x3}, c);
        compare({1, 16, 17, 33, {{16, 1, 1, 0, 0}, {16, 1, 1, 1, 0}}}, c);
        c.zero = low;
        compare({1, 5, 7, 35, window_3x3}, c);
        c.zero = high;
        compare({1, 16, 17, 33, {{16, 1, 1, 0, 0}, {16, 1, 1, 1, 0}}}, c);
      }
}
template <class Backends, class X, class W, class Output>
void depthwise_extremes(const Output& output, bool some_overflow) {
  depthwise_runs<Backends, X, W, typename Output::value_type> runs{std::size_t{1} << 16};
  each_depthwise_extreme({q::operand<X>::min, q::operand<W>::max}, {q::operand<X>::max, q::operand<W>::min},
                         [&](const depthwise_case& s, const conditions& c) { runs.compare(s, c, output); });
  runs.t.check();
  if (support::tried_one_in() == 1) CHECK((runs.overflows > 0) == some_overflow);
}

/// Tries multipliers of all kinds, in all forms of the formula.
template <class Backends, class Scheme, class Y>
void depthwise_multipliers() {
  const auto all = multipliers<Scheme>();
  depthwise_runs<Backends, std::int16_t, std::int8_t, Y> runs{std::size_t{1} << 16};
  support::random_bits random;
  const auto compare = [&](const form& f, const conditions& c) {
    const auto some = f.of(all);
    numbers<typename Scheme::multiplier_type> m;
    while (m.size() < 70) m.push_back(some[static_cast<std::size_t>(random.below(static_cast<int>(some.size())))]);
    runs.compare({1, 7, 9, 70, window_3x3}, c, q::per_channel_output<Y, Scheme>{m, q::range_of<Y>(1)});
  };
  for (const int bits : {8, 24, 30, 46}) {
    conditions c;
    c.bias_bits = bits;
    c.w_limit = bits == 24 ? 3 : 0;
    compare(any_form, c);
    compare({0, 16, 46}, c);
    compare({0, 32, 126}, c);
  }
  runs.t.check();
}

}  // namespace parity

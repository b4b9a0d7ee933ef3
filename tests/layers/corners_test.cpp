#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "../oracle/integer_schemes.hpp"
#include "../oracle/layers.hpp"
#include "../support/catch.hpp"

// The named corner cases at which engines are known to fail.

namespace {

namespace q = dyadic;
using oracle::op;
using oracle::size;
using values = std::vector<std::int64_t>;

/// An operator with its numbers: `x` is NHWC, and `w` is OHWI or 1HWO, both dense.
template <class X = std::int16_t, class W = std::int8_t>
struct problem {
  op kind;
  oracle::layer l;
  std::vector<X> x;
  std::vector<W> w;
  values bias;  // empty: none

  /// Fills the problem with random numbers of all values of their types, the extremes often.
  problem(op k, oracle::layer shape, unsigned seed) : kind{k}, l{shape} {
    l.out_h = k == op::transposed_conv2d ? std::max(l.out_h, oracle::scattered(l.h, l.y, 0)) : oracle::windows(l.h, l.y);
    l.out_w = k == op::transposed_conv2d ? std::max(l.out_w, oracle::scattered(l.w, l.x, 0)) : oracle::windows(l.w, l.x);
    oracle::dice roll{std::mt19937(seed)};
    const size depth = k == op::depthwise ? 1 : l.c / l.groups;
    fill(roll, x, l.n * l.h * l.w * l.c);
    fill(roll, w, l.out_c * l.y.kernel * l.x.kernel * depth);
    for (size o = 0; o < l.out_c; ++o) bias.push_back(roll(-1000000, 1000000));
  }
  template <class T>
  static void fill(oracle::dice& roll, std::vector<T>& v, size count) {
    const std::int64_t low = std::numeric_limits<T>::min();
    const std::int64_t high = std::numeric_limits<T>::max();
    for (size i = 0; i < count; ++i)
      v.push_back(static_cast<T>(roll.one_in(3) ? (roll.one_in(2) ? low : high) : roll(low, high)));
  }
  q::window2d window() const {
    const auto along = [](oracle::axis a) { return q::window1d{a.kernel, a.stride, a.dilation, a.before, a.after}; };
    return {along(l.y), along(l.x)};
  }

  /// Returns the outputs of the definition.
  values expected() const {
    const auto at = [](size i) { return static_cast<std::size_t>(i); };
    const auto in = [&](size n, size iy, size ix, size i) { return x[at(((n * l.h + iy) * l.w + ix) * l.c + i)]; };
    const auto weight = [&](size o, size ky, size kx, size i) {
      const size tap = ky * l.x.kernel + kx;
      const size depth = l.c / l.groups;
      return kind == op::depthwise ? w[at(tap * l.out_c + o)] : w[at((o * l.y.kernel * l.x.kernel + tap) * depth + i)];
    };
    return oracle::accumulators(kind, l, in, weight, [&](size o) { return bias.empty() ? std::int64_t{0} : bias[at(o)]; });
  }

  /// Returns the outputs of the library.
  template <class Output = q::raw_output<std::int64_t>>
  values outputs(Output output = {}) const {
    const q::zero_points zero{static_cast<std::int32_t>(l.zero_x), static_cast<std::int32_t>(l.zero_w)};
    const auto fold = [&](const auto& b, auto& constants) {
      const size rows = kind == op::depthwise ? l.y.kernel * l.x.kernel : l.out_c;
      const q::matrix_view<const W> m(w.data(), rows, static_cast<size>(w.size()) / rows);
      const bool transposed = kind == op::transposed_conv2d;
      constants.resize(static_cast<std::size_t>(transposed ? q::transposed_conv2d_constants(l.out_c, window(), zero) : l.out_c));
      return std::make_pair(m, transposed           ? q::fold_transposed_conv2d<X>(m, b, window(), zero, constants)
                               : kind == op::conv2d ? q::fold_conv2d<X>(m, b, window(), zero, constants)
                                                    : q::fold_depthwise<X>(m, b, window(), zero, constants));
    };
    std::vector<typename Output::accumulator> constants;
    const auto [m, folded] = bias.empty() ? fold(q::no_bias{}, constants) : fold(bias, constants);
    REQUIRE(folded.status == q::status::ok);
    std::vector<typename Output::value_type> y(static_cast<std::size_t>(l.outputs()));
    const q::nhwc_view<const X> in(x.data(), l.n, l.h, l.w, l.c);
    const q::nhwc_view<typename Output::value_type> out(y.data(), l.n, l.out_h, l.out_w, l.out_c);
    const auto finish = [&](const auto& layer) {
      REQUIRE(check(layer, in, out) == q::status::ok);
      run(layer, in, out);
    };
    if (kind == op::conv2d) finish(q::conv2d_layer{m, folded.value, window(), l.groups, output});
    if (kind == op::depthwise) finish(q::depthwise_layer{m, folded.value, window(), output});
    if (kind == op::transposed_conv2d) finish(q::transposed_conv2d_layer{m, folded.value, window(), output});
    return values(y.begin(), y.end());
  }
};

oracle::layer shape(size h, size w, size c, size out_c, oracle::axis y = {}, oracle::axis x = {}) {
  return {1, h, w, c, 0, 0, out_c, 1, y, x, 0, 0};
}

/// Returns a problem with one output, in which all activations are equal and all weights are equal.
problem<> uniform(size depth, std::int16_t x, std::int8_t w, std::int64_t bias) {
  problem<> p(op::conv2d, shape(1, 1, depth, 1), 1);
  std::fill(p.x.begin(), p.x.end(), x);
  std::fill(p.w.begin(), p.w.end(), w);
  p.bias = {bias};
  return p;
}

constexpr op windows_of_all[] = {op::conv2d, op::depthwise, op::transposed_conv2d};

}  // namespace

// ---- lengths, extremes, tails

TEST_CASE("operands that are all least or all greatest are exact at the depths where blocks of 512 fail") {
  for (const size depth : {1, 511, 512, 513, 516, 517, 1025, 65539})
    for (const int x : {-32768, 32767})
      for (const int w : {-128, 127}) {
        const auto p = uniform(depth, static_cast<std::int16_t>(x), static_cast<std::int8_t>(w), 0);
        CHECK(p.outputs() == values{std::int64_t{depth} * x * w});
      }
}

TEST_CASE("every tail modulo 4, 8 and 16 is exact, with odd and even pixels and channels") {
  for (size depth = 1; depth <= 33; ++depth)
    for (const size pixels : {1, 2, 3})
      for (const size channels : {1, 2, 3, 5}) {
        const problem<> p(op::conv2d, shape(1, pixels, depth, channels), static_cast<unsigned>(depth));
        REQUIRE(p.outputs() == p.expected());
        const problem<std::int8_t> p8(op::conv2d, shape(1, pixels, depth, channels), static_cast<unsigned>(depth));
        REQUIRE(p8.outputs() == p8.expected());
      }
}

TEST_CASE("accumulators of 31, 32, 33, 40 and 47 bits keep every bit") {
  for (const int bits : {31, 32, 33, 40, 47})
    for (const int sign : {-1, 1})
      for (const std::int64_t aside : {-1, 0, 1}) {
        // The bias brings the sum of 600 products of about 2^22 to +-2^(bits - 1) + aside.
        const std::int64_t target = sign * (std::int64_t{1} << (bits - 1)) + aside;
        const std::int64_t products = std::int64_t{600} * 32767 * sign * 127;
        const auto p = uniform(600, 32767, static_cast<std::int8_t>(sign * 127), target - products);
        CHECK(p.outputs() == values{target});
        CHECK(p.outputs(q::per_tensor_output<std::int32_t, q::exact::half_up>{{1 << 30, 30 + 20}}) ==
              values{oracle::exact_half_up(target, 1, 20)});
      }
}

TEST_CASE("sums of products alone reach 33 and 40 bits") {
  CHECK(uniform(1024, -32768, -128, 0).outputs() == values{std::int64_t{1} << 32});
  CHECK(uniform(131072, -32768, -128, 0).outputs() == values{std::int64_t{1} << 39});
  CHECK(uniform(131072, 32767, -128, 0).outputs() == values{-131072 * std::int64_t{32767} * 128});
}

TEST_CASE("a bias at the edges of 32, 40 and 48 bits is added exactly") {
  for (const int bits : {31, 39, 47})
    for (const std::int64_t bias : {(std::int64_t{1} << bits) - 1, -(std::int64_t{1} << bits)}) {
      CHECK(uniform(17, 1, -1, bias).outputs() == values{bias - 17});
      CHECK(uniform(17, 0, 127, bias).outputs() == values{bias});
    }
}

TEST_CASE("a bias of null is zero, and one output channel is a layer") {
  for (const op kind : windows_of_all) {
    problem<> p(kind, shape(3, 3, 1, 1, {2}, {2}), 3);
    p.bias.clear();
    REQUIRE(p.outputs() == p.expected());
  }
}

// ---- windows

TEST_CASE("zero points at the ends of their types are exact with padding on every side") {
  for (const op kind : windows_of_all)
    for (const int x : {-32768, 32767, -1, 0})
      for (const int w : {-128, 127, 0}) {
        oracle::layer l = shape(3, 4, 2, 4, {3, 1, 1, 2, 1}, {3, 1, 1, 1, 2});
        l.zero_x = x;
        l.zero_w = w;
        const problem<> p(kind, l, 5);
        REQUIRE(p.outputs() == p.expected());
      }
}

TEST_CASE("weight zero points are exact with 8-bit activations and padding") {
  for (const op kind : windows_of_all) {
    oracle::layer l = shape(4, 3, 2, 2, {3, 2, 1, 1, 2}, {2, 1, 1, 1, 0});
    l.zero_x = -128;
    l.zero_w = 127;
    const problem<std::int8_t> p(kind, l, 6);
    REQUIRE(p.outputs() == p.expected());
  }
}

TEST_CASE("a stride beyond the kernel, a kernel beyond the input, and strides that differ are exact") {
  for (const op kind : windows_of_all)
    for (const auto& axes : {std::pair<oracle::axis, oracle::axis>{{2, 5, 1, 1, 1}, {1, 3, 1, 0, 0}},
                             {{7, 1, 1, 4, 4}, {6, 2, 1, 5, 3}},
                             {{3, 1, 1, 1, 1}, {3, 3, 1, 1, 1}},
                             {{3, 4, 1, 2, 0}, {2, 1, 1, 0, 1}}}) {
      oracle::layer l = shape(4, 5, 2, 4, axes.first, axes.second);
      l.zero_x = 1234;
      l.zero_w = -7;
      const problem<> p(kind, l, 7);
      REQUIRE(p.outputs() == p.expected());
    }
}

TEST_CASE("windows that lie in the padding alone give the bias") {
  oracle::layer l = shape(1, 1, 3, 2, {1, 1, 1, 2, 2}, {1, 1, 1, 2, 2});
  l.zero_x = -32768;
  l.zero_w = 3;
  const problem<> p(op::conv2d, l, 8);
  const values y = p.outputs();
  CHECK(y == p.expected());
  CHECK((y[0] == p.bias[0] && y[1] == p.bias[1] && y.back() == p.bias[1] && y[24] != p.bias[0]));
}

TEST_CASE("the phases of a transposed convolution are exact if paddings are no multiple of the stride") {
  for (size stride = 1; stride <= 4; ++stride)
    for (size before = 0; before <= 5; ++before)
      for (size output_padding = 0; output_padding < stride; ++output_padding) {
        oracle::layer l = shape(5, 4, 3, 2, {5, stride, 1, before, 1}, {4, 3, 1, 2, 0});
        l.out_h = oracle::scattered(l.h, l.y, output_padding);
        if (l.out_h < 1) continue;
        l.zero_x = -32768;
        l.zero_w = 100;
        const problem<> p(op::transposed_conv2d, l, 9);
        REQUIRE(p.l.out_h == l.out_h);
        REQUIRE(p.outputs() == p.expected());
      }
}

TEST_CASE("padding by filling with the zero point and by skipping taps gives the same bits, and filling with zero does not") {
  for (const op kind : {op::conv2d, op::depthwise})
    for (const int zero_w : {0, -128, 5}) {
      oracle::layer l = shape(4, 5, 2, 4, {3, 2, 1, 1, 2}, {3, 1, 2, 3, 2});
      l.zero_x = -77;
      l.zero_w = zero_w;
      const problem<> skipped(kind, l, 10);
      problem<> filled = skipped;
      const size h = l.y.before + l.h + l.y.after;
      const size w = l.x.before + l.w + l.x.after;
      const auto fill = [&](std::int16_t padding) {
        filled.x.assign(static_cast<std::size_t>(h * w * l.c), padding);
        for (size iy = 0; iy < l.h; ++iy)
          std::copy_n(skipped.x.begin() + iy * l.w * l.c, l.w * l.c,
                      filled.x.begin() + ((iy + l.y.before) * w + l.x.before) * l.c);
      };
      filled.l.h = h;
      filled.l.w = w;
      filled.l.y.before = filled.l.y.after = filled.l.x.before = filled.l.x.after = 0;
      fill(static_cast<std::int16_t>(l.zero_x));
      CHECK(filled.outputs() == skipped.outputs());
      fill(0);
      CHECK(filled.outputs() != skipped.outputs());
    }
}

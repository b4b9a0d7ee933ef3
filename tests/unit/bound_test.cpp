#include <dyadic/bound.hpp>
#include <dyadic/verify.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;

// ---- the table: the smallest depth that overflows, for each pair of operand ranges

struct row {
  q::value_range x;
  q::value_range w;
  std::int64_t overflows[4];  ///< int16, int32, int40, int48
};

constexpr q::value_range i16 = q::values_of<std::int16_t>();
constexpr q::value_range i8 = q::values_of<std::int8_t>();
constexpr q::value_range i4 = q::values_of<q::int4>();
constexpr q::value_range i16_shifted = q::values_with_any_zero_point<std::int16_t>();
constexpr q::value_range i8_shifted = q::values_with_any_zero_point<std::int8_t>();
constexpr q::value_range i16_symmetric{-32767, 32767};
constexpr q::value_range i8_symmetric{-127, 127};
constexpr q::value_range i4_symmetric{-7, 7};

constexpr row table[] = {
    {i16, i8, {1, 512, 131072, 33554432}},
    {i16, i8_symmetric, {1, 517, 132105, 33818641}},
    {i16_symmetric, i8, {1, 513, 131077, 33555457}},
    {i16_symmetric, i8_symmetric, {1, 517, 132109, 33819673}},
    {i16, i8_shifted, {1, 258, 65794, 16843010}},
    {i16_shifted, i8, {1, 257, 65538, 16777473}},
    {i16, i4, {1, 8192, 2097152, 536870912}},
    {i16, i4_symmetric, {1, 9363, 2396746, 613566757}},
    {i16, i16, {1, 2, 512, 131072}},
    {i16_symmetric, i16_symmetric, {1, 3, 513, 131081}},
    {i8, i8, {2, 131072, 33554432, 8589934592}},
    {i8, i8_symmetric, {3, 132105, 33818641, 8657571873}},
    {i8_shifted, i8, {2, 65794, 16843010, 4311810306}},
    {i8_shifted, i8_symmetric, {2, 66312, 16975632, 4345761568}},
    {i8_shifted, i8_shifted, {1, 33026, 8454531, 2164359683}},
    {i8, i4, {32, 2097152, 536870912, std::int64_t{1} << 37}},          // 1.37e11 in the table
    {i8_shifted, i4_symmetric, {19, 1203073, 307986451, 78844531292}},  // 7.88e10 in the table
};

constexpr bool table_holds() {
  constexpr int bits[] = {16, 32, 40, 48};
  for (const row& r : table)
    for (int i = 0; i < 4; ++i)
      if (q::max_depth(r.x, r.w, bits[i]) + 1 != r.overflows[i]) return false;
  return true;
}
static_assert(table_holds());
static_assert(i8_shifted.min == -255 && i8_shifted.max == 255);

// ---- brute force: the extremes of a linear function have every activation at an end of its range

/// Returns the least and the greatest bias + sum of x * w over x in {least, most}^n.
q::accumulator_range corners(const std::vector<std::int64_t>& w, std::int64_t least, std::int64_t most, std::int64_t bias) {
  q::accumulator_range reached{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (unsigned corner = 0; corner < 1u << w.size(); ++corner) {
    std::int64_t acc = bias;
    for (std::size_t k = 0; k < w.size(); ++k) acc += (corner >> k & 1u ? most : least) * w[k];
    reached = {std::min(reached.lowest, acc), std::max(reached.highest, acc)};
  }
  return reached;
}

enum class kind { convolution, depthwise, transposed };

struct shape {
  q::window2d window;
  q::index_t in;     ///< height and width of the input
  q::index_t out_h;  ///< height and width of the output
  q::index_t out_w;
  q::index_t channels;  ///< channels of the output
  q::index_t depth;     ///< input channels that one output reads
};

/// Returns the weight of output channel o at a tap and a place in the depth.
q::index_t weight_at(kind k, const shape& s, q::index_t o, q::index_t ky, q::index_t kx, q::index_t i) {
  const q::index_t tap = ky * s.window.x.kernel + kx;
  if (k == kind::depthwise) return tap * s.channels + o;
  return (o * s.window.y.kernel * s.window.x.kernel + tap) * s.depth + i;
}

/// Returns whether output `out` reads the input through a tap, by the definition.
bool reads(kind k, q::index_t out, q::index_t tap, const q::window1d& w, q::index_t size) {
  if (k == kind::transposed) {
    const q::index_t at = out + w.pad_before - tap;
    return at >= 0 && at % w.stride == 0 && at / w.stride < size;
  }
  const q::index_t at = out * w.stride - w.pad_before + tap * w.dilation;
  return at >= 0 && at < size;
}

/// Returns the extremes over all output positions and channels.
template <class X>
q::accumulator_range brute_force(kind k, const shape& s, const std::vector<std::int8_t>& w, const std::vector<std::int32_t>& bias,
                                 q::zero_points zero) {
  q::accumulator_range reached{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (q::index_t o = 0; o < s.channels; ++o)
    for (q::index_t oy = 0; oy < s.out_h; ++oy)
      for (q::index_t ox = 0; ox < s.out_w; ++ox) {
        std::vector<std::int64_t> read;
        for (q::index_t ky = 0; ky < s.window.y.kernel; ++ky)
          for (q::index_t kx = 0; kx < s.window.x.kernel; ++kx)
            if (reads(k, oy, ky, s.window.y, s.in) && reads(k, ox, kx, s.window.x, s.in))
              for (q::index_t i = 0; i < s.depth; ++i)
                read.push_back(w[static_cast<std::size_t>(weight_at(k, s, o, ky, kx, i))] - zero.w);
        const auto here = corners(read, std::numeric_limits<X>::min() - zero.x, std::numeric_limits<X>::max() - zero.x,
                                  bias[static_cast<std::size_t>(o)]);
        reached = {std::min(reached.lowest, here.lowest), std::max(reached.highest, here.highest)};
      }
  return reached;
}

template <class X>
q::folded_bias<std::int64_t> fold_any(kind k, const shape& s, const std::vector<std::int8_t>& w,
                                      const std::vector<std::int32_t>& bias, q::zero_points zero,
                                      std::vector<std::int64_t>& constants) {
  const q::index_t taps = s.window.y.kernel * s.window.x.kernel;
  const auto needed = k == kind::transposed ? q::transposed_conv2d_constants(s.channels, s.window, zero) : s.channels;
  constants.resize(static_cast<std::size_t>(needed));
  const q::matrix_view<const std::int8_t> rows(w.data(), s.channels, taps * s.depth);
  const q::matrix_view<const std::int8_t> columns(w.data(), taps, s.channels);
  const auto folded = k == kind::transposed  ? q::fold_transposed_conv2d<X>(rows, bias, s.window, zero, constants)
                      : k == kind::depthwise ? q::fold_depthwise<X>(columns, bias, s.window, zero, constants)
                                             : q::fold_conv2d<X>(rows, bias, s.window, zero, constants);
  REQUIRE(folded.status == q::status::ok);
  return folded.value;
}

/// Checks that the bound of the fold equals the brute force result, for random weights, biases and zero points of a shape.
template <class X>
void check_bound(kind k, const shape& s, std::mt19937& random) {
  const q::index_t taps = s.window.y.kernel * s.window.x.kernel;
  std::vector<std::int8_t> w(static_cast<std::size_t>(s.channels * taps * s.depth));
  for (std::int8_t& v : w) v = random() % 4 == 0 ? std::int8_t{-128} : static_cast<std::int8_t>(random());
  std::vector<std::int32_t> bias(static_cast<std::size_t>(s.channels));
  for (std::int32_t& b : bias) b = static_cast<std::int32_t>(random() % 200001) - 100000;
  const q::zero_points zero{random() % 3 == 0 ? 0 : static_cast<X>(random()),
                            random() % 2 == 0 ? 0 : static_cast<std::int8_t>(random())};
  std::vector<std::int64_t> constants;
  const auto folded = fold_any<X>(k, s, w, bias, zero, constants);
  const auto reached = brute_force<X>(k, s, w, bias, zero);
  REQUIRE(folded.record.bound.lowest == reached.lowest);
  REQUIRE(folded.record.bound.highest == reached.highest);
  REQUIRE(folded.record.w_min == std::min<int>(0, *std::min_element(w.begin(), w.end())));
  REQUIRE(folded.record.w_max == std::max<int>(0, *std::max_element(w.begin(), w.end())));
}

q::index_t pick(std::mt19937& random, int least, int most) {
  return least + static_cast<q::index_t>(random() % static_cast<unsigned>(most - least + 1));
}

/// A layer of one channel with equal weights: the status of `check`, and the output of `run`.
struct fate {
  q::status status;
  std::int64_t y;
};
template <class Raw, class X, class W, class Bias>
fate fate_of(q::index_t depth, X x_value, W weight, Bias bias) {
  const std::vector<W> w(static_cast<std::size_t>(depth), weight);
  const std::vector<X> x(static_cast<std::size_t>(depth), x_value);
  const std::vector<Bias> biases{bias};
  std::vector<typename q::raw_output<Raw>::accumulator> constants(1);
  const q::matrix_view<const W> weights(w.data(), 1, depth);
  const auto folded = q::fold<X>(weights, biases, {}, constants);
  REQUIRE(folded.status == q::status::ok);
  const q::linear_layer layer{weights, folded.value, q::raw_output<Raw>{}};
  Raw y[1] = {};
  const q::matrix_view in(x.data(), 1, depth);
  const fate f{check(layer, in, q::matrix_view(y, 1, 1)), 0};
  run(layer, in, q::matrix_view(y, 1, 1));
  if constexpr (std::is_same_v<Raw, q::packed_int48>)
    return {f.status, y[0].unpack().value()};
  else
    return {f.status, y[0]};
}

}  // namespace

TEST_CASE("the smallest depth that overflows equals the published table, cell by cell") {
  constexpr int bits[] = {16, 32, 40, 48};
  for (const row& r : table)
    for (int i = 0; i < 4; ++i) CHECK(q::max_depth(r.x, r.w, bits[i]) + 1 == r.overflows[i]);
}

TEST_CASE("operand and accumulator types give the depth of their ranges") {
  static_assert(q::max_depth<std::int16_t, std::int8_t, std::int32_t>() == 511);
  static_assert(q::max_depth<std::int16_t, std::int8_t, q::int48>() == (1 << 25) - 1);
  static_assert(q::max_depth<std::int16_t, std::int8_t, q::packed_int48>() == (1 << 25) - 1);
  static_assert(q::max_depth<std::int16_t, std::int8_t, 40>() == 131071);
  static_assert(q::max_depth<std::int16_t, std::int8_t, std::int16_t>() == 0);
  static_assert(q::max_depth<std::int16_t, std::int8_t, std::int64_t>() == (std::int64_t{1} << 41) - 1);
  static_assert(q::max_depth<std::int8_t, q::int4, std::int32_t>() == 2097151);
  static_assert(q::max_depth<const std::int8_t, const std::int8_t, std::int32_t>() == 131071);
  static_assert(q::max_depth<std::int8_t, std::int8_t, std::int32_t>(0, {-128, 0}) == 65793);
  static_assert(q::max_depth<std::int8_t, std::int8_t, std::int32_t>(0, {-128, 127}) == 33025);
  static_assert(q::max_depth<std::uint8_t, std::uint8_t, std::int32_t>() == 33025);  // 255 * 255
  static_assert(q::max_depth<std::uint8_t, std::uint8_t, std::int32_t>(0, {128, 128}) == 131071);
  SUCCEED();
}

TEST_CASE("a bias takes its share of the accumulator on either side") {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  using q::max_depth;
  static_assert(max_depth<std::int16_t, std::int8_t, 32>(most - 4194304 * 3) == 3);
  static_assert(max_depth<std::int16_t, std::int8_t, 32>(most - 4194304 * 3 + 1) == 2);
  static_assert(max_depth<std::int16_t, std::int8_t, 32>(most) == 0);
  static_assert(max_depth<std::int16_t, std::int8_t, 32>(most + 1) == -1);
  static_assert(max_depth<std::int16_t, std::int8_t, 64>(std::numeric_limits<std::int64_t>::max()) == 0);
  // The negative side has one more value: products of 0 .. 1 and -1 .. 0 sum to -2^31, but not to 2^31.
  static_assert(max_depth({0, 1}, {-1, 0}, 32) == most + 1);
  static_assert(max_depth({0, 1}, {0, 1}, 32) == most);
  static_assert(max_depth({0, 1}, {-2, 0}, 32) == (most + 1) / 2);
  static_assert(max_depth({0, 1}, {-1, 0}, 64) == std::numeric_limits<std::int64_t>::max());
  static_assert(max_depth({0, 0}, {-1, 1}, 16) == std::numeric_limits<std::int64_t>::max());
  static_assert(max_depth({2, 3}, {5, 7}, 8) == 6);  // 6 * 21 = 126
  static_assert(max_depth({2, 3}, {-7, -5}, 8, 2) == 6);
  SUCCEED();
}

TEST_CASE("the largest depth equals that of counting products one by one") {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto draw = [&] { return static_cast<std::int32_t>(random() % 33) - 16; };
    const auto range = [&] {
      const std::int32_t a = draw();
      const std::int32_t b = draw();
      return q::value_range{std::min(a, b), std::max(a, b)};
    };
    const q::value_range x = range();
    const q::value_range w = range();
    const int bits = 4 + static_cast<int>(random() % 8);
    const std::int64_t bias = static_cast<std::int64_t>(random() % 12);
    std::int64_t least = 0;
    std::int64_t greatest = 0;
    bool any = false;
    for (std::int32_t i = x.min; i <= x.max; ++i)
      for (std::int32_t j = w.min; j <= w.max; ++j) {
        least = any ? std::min<std::int64_t>(least, i * j) : i * j;
        greatest = any ? std::max<std::int64_t>(greatest, i * j) : i * j;
        any = true;
      }
    const std::int64_t limit = std::int64_t{1} << (bits - 1);
    std::int64_t depth = -1;
    while (depth < 5000 && (depth + 1) * greatest + bias < limit && (depth + 1) * least - bias >= -limit) ++depth;
    const std::int64_t found = q::max_depth(x, w, bits, bias);
    CHECK((depth == 5000 ? found >= 5000 : found == depth));
  }
}

TEST_CASE("a 32-bit lane drains after 511 products of int16 and int8, or 516 without -128") {
  static_assert(q::drain_length<std::int16_t, std::int8_t>() == 511);
  static_assert(q::drain_length(i16, i8_symmetric) == 516);
  static_assert(q::drain_length<std::int8_t, std::int8_t>() == 131071);
  static_assert(q::drain_length<std::int16_t, q::int4>() == 8191);
  static_assert(q::drain_length<std::int16_t, std::int16_t>() == 1);
  std::int64_t constants[2] = {};
  const auto length = [&](std::int8_t a, std::int8_t b) {
    const std::int8_t w[] = {1, a, b, 3};
    return q::drain_length(q::fold<std::int16_t>(q::matrix_view(w, 2, 2), q::no_bias{}, {5, -7}, constants).value);
  };
  CHECK(length(-128, 127) == 511);
  CHECK(length(-127, 127) == 516);
  CHECK(length(2, -1) == ((1 << 16) - 1) / 3);  // -32768 * 3 is the extreme: floor(2^31 / (3 * 2^15))
  CHECK(length(2, 4) == (1 << 16) / 4);         // each is -2^17, and 2^14 of them sum to -2^31, which fits
  const std::int8_t none[] = {0};
  const auto zero = q::fold<std::int16_t>(q::matrix_view(none, 1, 1), q::no_bias{}, {}, q::view<std::int64_t>(constants, 1));
  CHECK(q::drain_length(zero.value) == std::numeric_limits<q::index_t>::max());
}

TEST_CASE("a fold tells whether its accumulator fits 32 and 48 bits") {
  const auto fits = [](std::int64_t bias) {
    const std::int8_t w[] = {-128, 1};
    const std::int64_t biases[] = {bias};
    std::int64_t constants[1] = {};
    const auto folded = q::fold<std::int16_t>(q::matrix_view(w, 1, 2), biases, {}, constants).value;
    return (q::fits_int32(folded) ? 1 : 0) + (q::fits_int48(folded) ? 2 : 0);
  };
  const std::int64_t up = 128 * 32768 + 32767;    // the greatest sum
  const std::int64_t down = 128 * 32767 + 32768;  // minus the least sum
  const std::int64_t limit32 = std::int64_t{1} << 31;
  CHECK(fits(limit32 - 1 - up) == 3);
  CHECK(fits(limit32 - up) == 2);
  CHECK(fits(-limit32 + down) == 3);
  CHECK(fits(-limit32 + down - 1) == 2);
  CHECK(fits(q::int48::max() - up) == 2);
  CHECK(fits(q::int48::max() - up + 1) == 0);
  CHECK(fits(q::int48::min() + down) == 2);
  CHECK(fits(q::int48::min() + down - 1) == 0);
  CHECK(fits(std::numeric_limits<std::int64_t>::max()) == 0);
}

TEST_CASE("some activations reach the bound of a convolution, and none exceed it") {
  std::mt19937 random(4);
  for (int round = 0; round < 300 / DYADIC_TEST_DIVISOR + 1; ++round) {
    // The image is large enough for a window of each phase that lies wholly inside.
    const q::window1d y{pick(random, 1, 2), pick(random, 1, 2), pick(random, 1, 2), pick(random, 0, 1), pick(random, 0, 2)};
    const q::window1d x{pick(random, 1, 3), 1, pick(random, 1, 2), pick(random, 0, 2), 0};
    const q::index_t in = 6;
    shape s{{y, x}, in, q::forward_size(in, y), q::forward_size(in, x), pick(random, 1, 3), pick(random, 1, 2)};
    check_bound<std::int8_t>(kind::convolution, s, random);
    check_bound<std::int16_t>(kind::convolution, s, random);
    s.depth = 1;
    check_bound<std::int8_t>(kind::depthwise, s, random);
    check_bound<std::int16_t>(kind::depthwise, s, random);
  }
}

TEST_CASE("the bound of a transposed convolution is that of its worst phase") {
  std::mt19937 random(5);
  for (int round = 0; round < 300 / DYADIC_TEST_DIVISOR + 1; ++round) {
    const q::window1d y{pick(random, 1, 4), pick(random, 1, 3), 1, pick(random, 0, 2), 0};
    const q::window1d x{pick(random, 1, 3), pick(random, 1, 4), 1, pick(random, 0, 2), pick(random, 0, 1)};
    const q::index_t in = 6;
    const shape s{{y, x}, in, q::transposed_size(in, y), q::transposed_size(in, x), pick(random, 1, 3), 1};
    check_bound<std::int8_t>(kind::transposed, s, random);
    check_bound<std::int16_t>(kind::transposed, s, random);
  }
  // The four phases have one tap each, so that the extreme accumulator is one product and not a sum of four products.
  const std::vector<std::int8_t> w{100, 100, 100, 100};
  std::vector<std::int64_t> constants;
  const shape s{{{2, 2, 1, 0, 0}, {2, 2, 1, 0, 0}}, 2, 4, 4, 1, 1};
  const auto folded = fold_any<std::int8_t>(kind::transposed, s, w, {0}, {}, constants);
  CHECK(folded.record.bound.lowest == -12800);
  CHECK(folded.record.bound.highest == 12700);
}

TEST_CASE("a stride far beyond the kernel does not slow a fold down") {
  const std::vector<std::int8_t> w{1, -2};
  std::vector<std::int64_t> constants;
  const shape s{{{1, q::index_t{1} << 12, 1, 0, 0}, {2, q::index_t{1} << 12, 1, 0, 0}}, 2, 4, 4, 1, 1};
  CHECK(fold_any<std::int8_t>(kind::transposed, s, w, {7}, {}, constants).record.bound.highest == 7 + 256);
}

TEST_CASE("one product more than the largest depth overflows, is refused, and wraps as defined") {
  const std::int64_t limit = std::int64_t{1} << 31;
  const auto at = [&](q::index_t depth) {
    return fate_of<std::int32_t>(depth, std::int16_t{-32768}, std::int8_t{-128}, std::int32_t{0});
  };
  const auto most = static_cast<q::index_t>(q::max_depth<std::int16_t, std::int8_t, std::int32_t>());
  CHECK(at(most).status == q::status::ok);
  CHECK(at(most).y == most * 4194304);
  CHECK(at(most + 1).status == q::status::accumulator_overflow);
  CHECK(at(most + 1).y == -limit);

  const auto small = [&](q::index_t depth) {
    return fate_of<std::int32_t>(depth, std::int8_t{-128}, std::int8_t{-128}, std::int32_t{0});
  };
  CHECK(small(131071).status == q::status::ok);
  CHECK(small(131071).y == 131071 * std::int64_t{16384});
  CHECK(small(131072).status == q::status::accumulator_overflow);
  CHECK(small(131072).y == -limit);
}

TEST_CASE("one more in the bias overflows, is refused, and wraps as defined") {
  const auto wide = [](std::int32_t bias, std::int16_t x) { return fate_of<std::int32_t>(3, x, std::int8_t{-128}, bias); };
  const std::int32_t most32 = std::numeric_limits<std::int32_t>::max();
  const std::int32_t least32 = std::numeric_limits<std::int32_t>::min();
  const std::int32_t up = 3 * 128 * 32768;
  const std::int32_t down = 3 * 128 * 32767;
  CHECK(wide(most32 - up, -32768).status == q::status::ok);
  CHECK(wide(most32 - up, -32768).y == most32);
  CHECK(wide(most32 - up + 1, -32768).status == q::status::accumulator_overflow);
  CHECK(wide(most32 - up + 1, -32768).y == least32);
  CHECK(wide(least32 + down, 32767).status == q::status::ok);
  CHECK(wide(least32 + down, 32767).y == least32);
  CHECK(wide(least32 + down - 1, 32767).status == q::status::accumulator_overflow);
  CHECK(wide(least32 + down - 1, 32767).y == most32);

  const auto wider = [](std::int64_t bias) { return fate_of<q::packed_int48>(3, std::int16_t{-32768}, std::int8_t{-128}, bias); };
  CHECK(wider(q::int48::max() - up).status == q::status::ok);
  CHECK(wider(q::int48::max() - up).y == q::int48::max());
  CHECK(wider(q::int48::max() - up + 1).status == q::status::accumulator_overflow);
  CHECK(wider(q::int48::max() - up + 1).y == q::int48::min());
}

// Operators without weights on images with gaps and broadcasts, in parts of their rows, against their definitions.

#include <dyadic/dyadic.hpp>
#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/reduce.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/native.hpp>
#include <dyadic/rescale.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "../oracle/layers.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace {

namespace q = dyadic;
using oracle::dice;
using oracle::size;
using indices = std::array<size, 4>;  // n, h, w, c

/// Images of some sizes, with a gap of 0 to 2 elements behind each pixel, row and image if there are gaps.
template <class T>
struct images {
  indices sizes;
  std::array<size, 3> strides;  // distances of images, rows and pixels
  std::vector<T> data;

  images(dice& roll, const indices& s, bool has_gaps) : sizes{s} {
    const auto gap = [&] { return has_gaps ? roll(0, 2) : 0; };
    strides[2] = s[3] + gap();
    strides[1] = s[2] * strides[2] + gap();
    strides[0] = s[1] * strides[1] + gap();
    for (size i = 0; i < s[0] * strides[0] + 1; ++i) data.push_back(static_cast<T>(roll(q::limits<T>::min, q::limits<T>::max)));
  }
  size offset(const indices& i) const { return i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2] + i[3]; }
  /// Returns the element; the index of an axis with one element is 0.
  T at(indices i) const {
    for (std::size_t axis = 0; axis < 4; ++axis) i[axis] %= sizes[axis];
    return data[static_cast<std::size_t>(offset(i))];
  }
  q::nhwc_view<const T> read() const {
    return {data.data(), sizes[0], sizes[1], sizes[2], sizes[3], strides[2], strides[1], strides[0]};
  }
  q::nhwc_view<T> write() { return {data.data(), sizes[0], sizes[1], sizes[2], sizes[3], strides[2], strides[1], strides[0]}; }
  /// Calls f for the indices of all elements.
  template <class F>
  void each(const F& f) const {
    for (size n = 0; n < sizes[0]; ++n)
      for (size h = 0; h < sizes[1]; ++h)
        for (size w = 0; w < sizes[2]; ++w)
          for (size c = 0; c < sizes[3]; ++c) f(indices{n, h, w, c});
  }
};

/// Runs ranges that together cover all rows of y, in portable code or on the best backend of the compiler's flags. Returns
/// whether y then equals `expected` and its gaps are unchanged.
template <class T, class Run, class Expected>
bool computes(dice& roll, images<T>& y, const Run& run, const Expected& expected) {
  images<T> wanted = y;
  wanted.each([&](const indices& i) { wanted.data[static_cast<std::size_t>(wanted.offset(i))] = expected(i); });
  const size rows = y.sizes[0] * y.sizes[1];
  for (size begin = 0; begin < rows;) {
    const size end = roll(0, 1) == 0 ? rows : begin + roll(1, rows - begin);
    run(q::row_range{begin, end});
    begin = end;
  }
  return y.data == wanted.data;
}

indices random_sizes(dice& roll) { return {roll(1, 3), roll(1, 4), roll(1, 4), roll(1, 5)}; }

template <class Backend>
void try_binary(dice& roll) {
  using rule = q::tflite::add<std::int8_t>;
  const auto made = rule::derive(0.5f, 3, 0.25f, -7, 0.75f, q::range_of<std::int8_t>(2));
  REQUIRE(made.status == q::status::ok);
  const q::binary_layer layer{made.value};
  const indices sizes = random_sizes(roll);
  const auto broadcast = [&] {
    indices s = sizes;
    for (size& axis : s) axis = roll(0, 2) == 0 ? 1 : axis;
    return images<std::int8_t>(roll, s, roll(0, 1) == 0);
  };
  const auto a = broadcast(), b = broadcast();
  images<std::int8_t> y(roll, sizes, roll(0, 1) == 0);
  REQUIRE(check(layer, a.read(), b.read(), y.write()) == q::status::ok);
  const auto run_rows = [&](q::row_range rows) { q::run<Backend>(layer, a.read(), b.read(), y.write(), rows); };
  CHECK(computes(roll, y, run_rows, [&](const indices& i) { return made.value(a.at(i), b.at(i)); }));
}

template <class Backend>
void try_activation(dice& roll) {
  const q::activation_layer layer{q::tflite::leaky_relu<std::int8_t>::derive(0.5f, 3, 0.2f, 0.3f, -4).value};
  const indices sizes = random_sizes(roll);
  const images<std::int8_t> x(roll, sizes, roll(0, 1) == 0);
  images<std::int8_t> y(roll, sizes, roll(0, 1) == 0);
  REQUIRE(check(layer, x.read(), y.write()) == q::status::ok);
  const auto rule = q::tflite::leaky_relu<std::int8_t>::derive(0.5f, 3, 0.2f, 0.3f, -4).value;
  const auto run_rows = [&](q::row_range rows) { q::run<Backend>(layer, x.read(), y.write(), rows); };
  CHECK(computes(roll, y, run_rows, [&](const indices& i) { return rule(x.at(i)); }));
}

template <class Backend>
void try_softmax(dice& roll) {
  const auto rule = q::tflite::softmax<std::int8_t>::derive(0.1f, 1.0f).value;
  const q::softmax_layer layer{rule};
  const indices sizes = random_sizes(roll);
  const images<std::int8_t> x(roll, sizes, roll(0, 1) == 0);
  images<std::int8_t> y(roll, sizes, roll(0, 1) == 0);
  REQUIRE(check(layer, x.read(), y.write()) == q::status::ok);
  const auto run_rows = [&](q::row_range rows) { q::run<Backend>(layer, x.read(), y.write(), rows); };
  CHECK(computes(roll, y, run_rows, [&](indices i) {
    std::vector<std::int8_t> row, shares(static_cast<std::size_t>(sizes[3]));
    const auto channel = static_cast<std::size_t>(i[3]);
    for (i[3] = 0; i[3] < sizes[3]; ++i[3]) row.push_back(x.at(i));
    rule(row, shares);
    return shares[channel];
  }));
}

template <class Backend>
void try_rescale(dice& roll) {
  const indices sizes = random_sizes(roll);
  std::vector<q::multiplier32> multipliers;  // one for each channel, so that pixels must not be joined
  for (size c = 0; c < sizes[3]; ++c) multipliers.push_back({1 << 30, static_cast<std::int32_t>(30 + c)});
  using output = q::per_channel_output<std::int8_t, q::tosa::scale32>;
  const q::rescale_layer layer{1, output{q::view<const q::multiplier32>(multipliers), q::range_of<std::int8_t>()}};
  const images<std::int8_t> x(roll, sizes, roll(0, 1) == 0);
  images<std::int8_t> y(roll, sizes, roll(0, 1) == 0);
  REQUIRE(check(layer, x.read(), y.write()) == q::status::ok);
  const auto run_rows = [&](q::row_range rows) { q::run<Backend>(layer, x.read(), y.write(), rows); };
  CHECK(computes(roll, y, run_rows, [&](const indices& i) {  // (x - 1) / 2^c, ties up
    const int v = x.at(i) - 1, half = (1 << i[3]) / 2;
    return static_cast<std::int8_t>(std::max(-128, (v + half) >> i[3]));
  }));
}

template <template <class, class> class Rule, template <class> class Layer>
void try_reduction(dice& roll, int axes) {
  const indices sizes = random_sizes(roll);
  indices reduced = sizes;
  size count = 1;
  for (std::size_t axis = 0; axis < 4; ++axis)
    if ((axes >> axis & 1) != 0) count *= std::exchange(reduced[axis], 1);
  using rule_type = Rule<std::int8_t, q::tflite::double_rounding>;
  const auto rule = rule_type::derive(0.5f, -3, static_cast<std::int32_t>(count), 0.5f, q::range_of<std::int8_t>(5));
  REQUIRE(rule.status == q::status::ok);
  const Layer<rule_type> layer{{rule.value}};
  const images<std::int8_t> x(roll, sizes, roll(0, 1) == 0);
  images<std::int8_t> y(roll, reduced, roll(0, 1) == 0);
  REQUIRE(check(layer, x.read(), y.write()) == q::status::ok);
  const auto run_rows = [&](q::row_range rows) { run(layer, x.read(), y.write(), rows); };
  CHECK(computes(roll, y, run_rows, [&](const indices& i) {
    std::int64_t sum = 0;
    x.each([&](const indices& from) {
      bool is_in = true;
      for (std::size_t axis = 0; axis < 4; ++axis) is_in = is_in && (reduced[axis] == 1 || from[axis] == i[axis]);
      if (is_in) sum += x.at(from);
    });
    return rule.value(sum);
  }));
}
}  // namespace

TEST_CASE("operators on images with gaps and broadcasts equal the rule of their elements") {
  const unsigned seed = support::sample_seed(1704);
  INFO("seed " << seed);
  dice roll{std::mt19937(seed)};
  for (int i = 0; i < support::samples(3000); ++i) {
    try_binary<q::backend::scalar>(roll);
    try_binary<q::native>(roll);
    try_activation<q::native>(roll);
    try_softmax<q::native>(roll);
    try_rescale<q::native>(roll);
  }
}

TEST_CASE("means and sums over any axes of images equal the rule of their elements") {
  const unsigned seed = support::sample_seed(1705);
  INFO("seed " << seed);
  dice roll{std::mt19937(seed)};
  for (int i = 0; i < support::samples(200); ++i)
    for (int axes = 0; axes < 16; ++axes) {
      try_reduction<q::tflite::mean, q::mean_layer>(roll, axes);
      try_reduction<q::tflite::sum, q::sum_layer>(roll, axes);
    }
}

TEST_CASE("images that an operator refuses have a status") {
  using q::status;
  std::int8_t data[64] = {};
  const q::activation_layer layer{q::tflite::leaky_relu<std::int8_t>::derive(0.5f, 0, 0.2f, 0.5f, 0).value};
  const q::nhwc_view<std::int8_t> x(data, 1, 2, 3, 2), other(data + 32, 1, 3, 2, 2), nothing(nullptr, 1, 2, 3, 2);
  const q::nhwc_view<std::int8_t> negative(data, 1, -2, 3, 2), later(data + 1, 1, 2, 3, 2), apart(data, 1, 2, 3, 2, 2, 7, 14);
  CHECK(check(layer, x, x) == status::ok);  // in place
  CHECK(check(layer, x, other) == status::shape_mismatch);
  CHECK(check(layer, nothing, x) == status::null_data);
  CHECK(check(layer, x, nothing) == status::null_data);
  CHECK(check_shapes(layer, nothing, x) == status::ok);
  CHECK(check(layer, negative, x) == status::negative_size);
  CHECK(check(layer, x, negative) == status::negative_size);
  CHECK(check(layer, x, later) == status::overlap);
  CHECK(check(layer, x, apart) == status::overlap);
  const q::binary_layer sum{q::tflite::add<std::int8_t>::derive(0.5f, 0, 0.5f, 0, 0.5f, q::range_of<std::int8_t>()).value};
  const q::nhwc_view<std::int8_t> pixel(data + 32, 1, 1, 1, 2), two(data + 32, 2, 2, 3, 2), three(data + 32, 1, 2, 2, 2);
  CHECK(check(sum, x, x, x) == status::ok);
  CHECK(check(sum, pixel, x, x) == status::ok);
  CHECK(check(sum, x, two, x) == status::shape_mismatch);
  CHECK(check(sum, x, three, x) == status::shape_mismatch);
  CHECK(check(sum, x, apart, x) == status::overlap);
  CHECK(check(sum, later, pixel, x) == status::overlap);
  const auto mean = q::mean_layer{q::tflite::mean<std::int8_t>::derive(0.5f, 0, 6, 0.5f, q::range_of<std::int8_t>()).value};
  CHECK(check(mean, x, pixel) == status::ok);
  CHECK(check(mean, x, other) == status::shape_mismatch);
  CHECK(check(mean, x, q::nhwc_view<std::int8_t>(data + 32, 1, 2, 1, 2)) == status::shape_mismatch);  // a count of 3
  CHECK(check(mean, x, q::nhwc_view<std::int8_t>(data + 4, 1, 1, 1, 2)) == status::overlap);
}

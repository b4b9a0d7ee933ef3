// Elementwise operators on random shapes with gaps, in parts of their rows, against their definitions.

#include <dyadic/dyadic.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/reduce.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "../oracle/elementwise.hpp"
#include "../oracle/layers.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace {

namespace q = dyadic;
using oracle::dice;
using oracle::size;

/// A matrix of rows x cols elements with a gap after each row.
template <class T>
struct matrix {
  size rows, cols, stride;
  std::vector<T> data;

  matrix(dice& roll, size r, size c) : rows{r}, cols{c}, stride{c + roll(0, 3)} {
    for (size i = 0; i < rows * stride + 1; ++i) data.push_back(static_cast<T>(roll(q::limits<T>::min, q::limits<T>::max)));
  }
  const T& at(size r, size c) const { return data[static_cast<std::size_t>(r * stride + c)]; }
  q::matrix_view<const T> read() const { return {data.data(), rows, cols, stride}; }
  q::matrix_view<T> write() { return {data.data(), rows, cols, stride}; }
};

/// Calls run(range) for ranges that together cover all rows.
template <class Run>
void in_parts(dice& roll, size rows, const Run& run) {
  for (size begin = 0; begin < rows;) {
    const size end = begin + roll(1, rows - begin);
    run(q::row_range{begin, end});
    begin = end;
  }
}

/// Returns whether y equals `expected` and the gaps are unchanged.
template <class T, class Expected>
bool holds(const matrix<T>& y, const matrix<T>& before, const Expected& expected) {
  for (size i = 0; i < static_cast<size>(y.data.size()); ++i) {
    const size r = i / y.stride, c = i % y.stride;
    const bool is_gap = r >= y.rows || c >= y.cols;
    const auto value = is_gap ? before.data[static_cast<std::size_t>(i)] : static_cast<T>(expected(r, c));
    if (y.data[static_cast<std::size_t>(i)] != value) return false;
  }
  return true;
}

template <class Rule>
void try_binary(dice& roll, const Rule& rule) {
  using X = typename Rule::value_type;
  const size rows = roll(1, 6), cols = roll(1, 20);
  const auto stretched = [&] { return matrix<X>(roll, roll(0, 2) == 0 ? 1 : rows, roll(0, 2) == 0 ? 1 : cols); };
  const matrix<X> a = stretched(), b = stretched();
  matrix<X> y(roll, rows, cols);
  const matrix<X> before = y;
  const q::binary_layer<Rule> layer{rule};
  REQUIRE(check(layer, a.read(), b.read(), y.write()) == q::status::ok);
  in_parts(roll, rows, [&](q::row_range range) { run(layer, a.read(), b.read(), y.write(), range); });
  CHECK(holds(y, before, [&](size r, size c) {
    return rule(a.at(r % a.rows, c % a.cols), b.at(r % b.rows, c % b.cols));  // a single row or column has index 0
  }));
}

/// Tries a mean over the axes along which y has one element, or a sum. The multiplier of a sum does not contain the count.
template <class X, template <class> class Layer, template <class, class> class Rule>
void try_reduction(dice& roll) {
  const size rows = roll(1, 9), cols = roll(1, 9);
  const matrix<X> x(roll, rows, cols);
  matrix<X> y(roll, roll(0, 1) == 0 ? 1 : rows, roll(0, 1) == 0 ? 1 : cols);
  const matrix<X> before = y;
  const size rows_of_one = rows / y.rows, cols_of_one = cols / y.cols;
  const auto zero = static_cast<std::int32_t>(roll(q::limits<X>::min, q::limits<X>::max));
  using rule_type = Rule<X, q::tflite::double_rounding>;
  const auto rule = rule_type::derive(0.75f, zero, static_cast<std::int32_t>(rows_of_one * cols_of_one), 0.5f,
                                      q::range_of<X>(static_cast<std::int32_t>(zero)));
  const Layer<rule_type> layer{{rule.value}};
  REQUIRE((rule.status == q::status::ok && check(layer, x.read(), y.write()) == q::status::ok));
  in_parts(roll, y.rows, [&](q::row_range range) { run(layer, x.read(), y.write(), range); });
  const oracle::pair scale{3 << 29, 1};  // scale 3/2
  constexpr bool is_mean = std::is_same_v<Layer<rule_type>, q::mean_layer<rule_type>>;
  const oracle::pair m = is_mean ? oracle::mean_pair(scale, rows_of_one * cols_of_one) : scale;
  CHECK(holds(y, before, [&](size r, size c) {
    std::int64_t sum = 0;
    for (size i = 0; i < rows_of_one; ++i)
      for (size j = 0; j < cols_of_one; ++j) sum += x.at(y.rows == 1 ? i : r, y.cols == 1 ? j : c) - zero;
    const std::int64_t total = oracle::tflite_double(static_cast<std::int32_t>(sum), m.multiplier, m.shift);
    return oracle::clamp(oracle::wide{total} + zero, q::limits<X>::min, q::limits<X>::max);
  }));
}

enum class rule_of { away, even, tosa, rescaled };

template <class X, class Rule>
void try_pool(dice& roll, rule_of kind, Rule rule = {}) {
  const size n = roll(1, 2), h = roll(1, 6), width = roll(1, 6), c = roll(1, 4);
  const auto random_axis = [&](size inputs) {
    q::window1d w{roll(1, 4), roll(1, 3), std::min<size>(roll(1, 3), inputs)};
    w.pad_before = roll(0, (w.kernel - 1) * w.dilation);
    w.pad_after = roll(0, (w.kernel - 1) * w.dilation);
    return w;
  };
  const q::window2d w{random_axis(h), random_axis(width)};
  const bool is_ceiling = roll(0, 1) == 1;
  const auto outputs = [&](size inputs, const q::window1d& a) {
    size count = 0;  // counts the windows that fit, or in the ceiling mode those that begin before the end of the image
    const size end = inputs + a.pad_after;
    for (size first = -a.pad_before; first < (is_ceiling ? inputs : end); first += a.stride) {
      const size behind = first + (a.kernel - 1) * a.dilation + 1;
      count += behind <= end || (is_ceiling && behind - a.stride < end);
    }
    return count;
  };
  const size out_h = outputs(h, w.y), out_w = outputs(width, w.x);
  if (out_h == 0 || out_w == 0) return;
  using output = q::average_output<X, Rule>;
  const auto any = [&] { return static_cast<std::int32_t>(roll(q::limits<X>::min, q::limits<X>::max)); };
  const std::int32_t zero = output::has_zero_points ? any() : 0;
  const std::int32_t low = any(), high = std::max(low, any());
  const q::average_pool_layer<output> layer{w,
                                            roll(0, 1) == 0 ? q::averaged::inside : q::averaged::window,
                                            {zero, {output::has_zero_points ? any() : 0, low, high}, rule}};
  // A matrix holds the pixels of each image, so that a row of y is one output pixel.
  const matrix<X> x(roll, n * h * width, c);
  matrix<X> y(roll, n * out_h * out_w, c);
  const matrix<X> before = y;
  const q::nhwc_view<const X> in(x.data.data(), n, h, width, c, x.stride, width * x.stride, h * width * x.stride);
  const q::nhwc_view<X> out(y.data.data(), n, out_h, out_w, c, y.stride, out_w * y.stride, out_h * out_w * y.stride);
  REQUIRE(check(layer, in, out) == q::status::ok);
  in_parts(roll, n * out_h, [&](q::row_range range) { run(layer, in, out, range); });
  CHECK(holds(y, before, [&](size r, size channel) {
    const size image = r / (out_h * out_w), i = r / out_w % out_h, j = r % out_w;
    std::int64_t sum = 0, count = 0;
    for (size v = 0; v < w.y.kernel; ++v)
      for (size u = 0; u < w.x.kernel; ++u) {
        const size row = i * w.y.stride - w.y.pad_before + v * w.y.dilation;
        const size col = j * w.x.stride - w.x.pad_before + u * w.x.dilation;
        const bool is_inside = row >= 0 && row < h && col >= 0 && col < width;
        const bool is_padded = row < h + w.y.pad_after && col < width + w.x.pad_after;
        if (is_inside) sum += x.at((image * h + row) * width + col, channel) - zero;
        count += is_inside || (layer.divisor == q::averaged::window && is_padded);
      }
    if constexpr (q::detail::has_multiplier<Rule>) {  // rescales in a common denominator: sum * mantissa / (count << right_shift)
      const std::int64_t divisor = count << rule.multiplier.right_shift;
      const std::int64_t mean = oracle::average(sum * rule.multiplier.mantissa, divisor, oracle::tie::even);
      return oracle::clamp(oracle::wide{mean} + layer.output.range.zero_point, layer.output.range.min, layer.output.range.max);
    }
    const oracle::derived_multiplier m = oracle::tosa_reciprocal_scale(static_cast<std::uint32_t>(count));
    const std::int64_t mean = kind == rule_of::tosa   ? oracle::half_up(sum * m.multiplier, m.shift)
                              : kind == rule_of::even ? oracle::average(sum, count, oracle::tie::even)
                                                      : oracle::average(sum, count, oracle::tie::away);
    const q::output_range range = layer.output.range;
    return oracle::clamp(oracle::wide{mean} + range.zero_point, range.min, range.max);
  }));
}

}  // namespace

TEST_CASE("random sums and products, broadcast or not, equal the rule of their elements") {
  const unsigned seed = support::sample_seed(1701);
  INFO("seed " << seed);
  dice roll{std::mt19937(seed)};
  for (int i = 0; i < support::samples(300); ++i) {
    try_binary(roll, q::tflite::add<std::int8_t>::derive(0.3f, 7, 0.2f, -9, 0.4f, {3, -100, 120}).value);
    try_binary(roll, q::tflite::subtract<std::int16_t>::derive(0.3f, 0, 0.2f, 0, 0.4f, q::range_of<std::int16_t>(5)).value);
    try_binary(roll, q::tflite::multiply<std::uint8_t>::derive(0.3f, 7, 0.2f, 200, 9.0f, {128, 1, 254}).value);
    try_binary(roll, q::xnnpack::add::derive(0.3f, 7, 0.2f, -9, 0.4f, {3, -100, 120}).value);
  }
}

TEST_CASE("random means and sums over rows and columns equal the rule of their elements") {
  const unsigned seed = support::sample_seed(1702);
  INFO("seed " << seed);
  dice roll{std::mt19937(seed)};
  for (int i = 0; i < support::samples(300); ++i) {
    try_reduction<std::int8_t, q::mean_layer, q::tflite::mean>(roll);
    try_reduction<std::uint8_t, q::mean_layer, q::tflite::mean>(roll);
    try_reduction<std::int16_t, q::mean_layer, q::tflite::mean>(roll);
    try_reduction<std::int8_t, q::sum_layer, q::tflite::sum>(roll);
    try_reduction<std::int16_t, q::sum_layer, q::tflite::sum>(roll);
  }
}

TEST_CASE("random average pools are the averages of their windows") {
  const unsigned seed = support::sample_seed(1703);
  INFO("seed " << seed);
  dice roll{std::mt19937(seed)};
  for (int i = 0; i < support::samples(300); ++i) {
    try_pool<std::int8_t, q::tflite::average>(roll, rule_of::away);
    try_pool<std::int16_t, q::cmsis_nn::average>(roll, rule_of::away);
    try_pool<std::uint8_t, q::onednn::average>(roll, rule_of::even);
    try_pool<std::int8_t, q::tosa::average>(roll, rule_of::tosa);
    try_pool<std::int16_t, q::tosa::average>(roll, rule_of::tosa);
    const auto scale = [&] { return static_cast<double>(roll(1, 1000)) / 256; };
    using rescaled = q::exact::average<q::half_even>;
    try_pool<std::int8_t>(roll, rule_of::rescaled, rescaled::derive(scale(), scale()).value);
    try_pool<std::int16_t>(roll, rule_of::rescaled,
                           rescaled{{static_cast<std::int32_t>(roll(1, 9)), static_cast<std::int32_t>(roll(0, 3))}});
  }
}

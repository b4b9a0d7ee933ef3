// Whole layers of activations, averages, resizes and softmax, on each backend and in portable code, against the rule of one
// element.

#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/hard_swish.hpp>
#include <dyadic/elementwise/leaky_relu.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/elementwise/reduce.hpp>
#include <dyadic/elementwise/requantize.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/sigmoid.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>

#include "each_backend.hpp"
#include "parity.hpp"
#include "support/softmax_tables.hpp"

namespace {

using namespace parity;
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i16 = std::int16_t;

/// Elements at one end of their memory. Arrays alternate: all values of a byte, then random values, often the ends of the type.
template <class T>
class elements {
 public:
  elements(q::index_t n, bool at_end)
      : memory_(static_cast<std::size_t>(n)), data_{memory_.at(at_end, static_cast<std::size_t>(n))} {
    support::random_bits random;
    for (q::index_t i = 0; i < n; ++i) {
      const auto kind = random.between(0, 6);
      const auto any = static_cast<T>(sizeof(T) == 1 ? i : random.between(q::limits<T>::min, q::limits<T>::max));
      data_[i] = i >= 256 && kind == 0 ? q::limits<T>::min : i >= 256 && kind == 1 ? q::limits<T>::max : any;
    }
  }
  T* data() const { return data_; }

 private:
  guarded<T> memory_;
  T* data_;
};

/// A matrix of `rows` rows of the elements, with `gap` elements between rows.
template <class T>
struct matrix {
  matrix(q::index_t rows, q::index_t cols, q::index_t gap, bool at_end)
      : all((rows - 1) * (cols + gap) + cols, at_end), view{all.data(), rows, cols, cols + gap} {}
  q::matrix_view<const T> read() const { return view; }
  elements<T> all;
  q::matrix_view<T> view;
};

template <class Backend, class Layer, class X, class Y>
void run_in_parts(const Layer& layer, const X& x, const Y& y, q::index_t rows, q::index_t cut) {
  require_runs(check(layer, x, y));
  q::run<Backend>(layer, x, y, q::row_range{cut, rows});
  q::run<Backend>(layer, x, y, q::row_range{0, cut});
}

template <class Backend, class Rule>
void compare_shape(const Rule& rule, q::index_t rows, q::index_t cols, q::index_t turn, tally& t) {
  using X = typename Rule::value_type;
  const matrix<X> x(rows, cols, turn % 5 == 0 ? 3 : 0, turn % 2 == 0);
  const matrix<X> y(rows, cols, turn % 3 == 0 ? 2 : 0, turn % 2 == 0);
  run_in_parts<Backend>(q::activation_layer<Rule>{rule}, x.read(), y.view, rows, turn % (rows + 1));
  const matrix<X> in_place(rows, cols, turn % 5 == 0 ? 3 : 0, turn % 2 == 0);
  for (q::index_t r = 0; r < rows; ++r) std::copy_n(x.view.row(r), cols, in_place.view.row(r));
  run_in_parts<Backend>(q::activation_layer<Rule>{rule}, in_place.read(), in_place.view, rows, turn % (rows + 1));
  numbers<X> expected(static_cast<std::size_t>(cols));
  for (q::index_t r = 0; r < rows; ++r) {
    std::transform(x.view.row(r), x.view.row(r) + cols, expected.begin(), rule);
    t.add(in_place.view.row(r), expected.data(), cols, [&](q::index_t c) {
      return std::string(Backend::name) + " in place, column " + std::to_string(c) + " of " + std::to_string(cols);
    });
    t.add(y.view.row(r), expected.data(), cols, [&](q::index_t c) {
      return std::string(Backend::name) + ", row " + std::to_string(r) + " column " + std::to_string(c) + " of " +
             std::to_string(cols);
    });
  }
}

/// Tries rows of every length to 300 and beyond the length at which a table is made, with every tail, as one row and as several.
template <class Rule>
void compare_lengths(const Rule& rule) {
  each_backend_and_scalar([&](auto backend) {
    tally t;
    support::tried_cases tried;
    for (q::index_t cols = 1; cols <= 300; ++cols)
      if (tried.has_next()) compare_shape<decltype(backend)>(rule, 1 + cols % 4, cols, cols, t);
    for (q::index_t cols = 512; cols <= 576; ++cols)
      if (tried.has_next()) compare_shape<decltype(backend)>(rule, 2, cols, cols, t);
    for (const q::index_t cols : {511, 512, 513, 1000})
      for (q::index_t turn = 1; turn <= 3; ++turn)
        if (tried.has_next()) compare_shape<decltype(backend)>(rule, turn, cols, turn, t);
    t.check();
  });
}

}  // namespace

TEST_CASE("elements: rules of one input of every length equal the rule", "[parity]") {
  compare_lengths(q::tflite::sigmoid<i8>::derive(0.06F, 3).value);
  compare_lengths(q::tflite::leaky_relu<u8>::derive(0.0625F, 130, -0.3F, 0.05F, 2).value);
  compare_lengths(q::tflite::leaky_relu<i16>::derive(0.0625F, 130, 0.3F, 0.05F, 2).value);
  compare_lengths(q::tflite::requantize<i8, i8>::derive(0.0625F, 13, 0.05F, 2).value);
  compare_lengths(q::tflite::requantize<i16, i16, q::tflite::single_rounding>::derive(0.0625F, 13, 0.5F, 2).value);
  const elements<i8> entries(256, true);
  compare_lengths(q::tflite::table<i8>{{entries.data(), 256}});
  compare_lengths(q::tosa::table<i8>{{entries.data(), 256}});
  const elements<i16> any(513, true);  // slopes that wrap
  compare_lengths(q::tflite::table<i16>{{any.data(), 513}});
  const elements<i16> half(513, true);
  for (int i = 0; i < 513; ++i) half.data()[i] /= 2;
  compare_lengths(q::executorch::arm::table{{half.data(), 513}});
}

namespace {

/// Computes windows of x by the definition.
template <class Backend, class X, class Rule>
void compare_pools(std::int32_t zero_point, tally& t) {
  support::tried_cases tried;
  const q::window1d windows[] = {{3, 2, 1, 1, 1}, {2, 1}, {20}};
  q::index_t turn = 0;
  for (const q::index_t c : {1, 7, 15, 16, 17, 31, 63, 64, 65, 130})
    for (const q::window1d& w : windows)
      for (const q::averaged divisor : {q::averaged::inside, q::averaged::window}) {
        ++turn;
        if (!tried.has_next()) continue;
        const q::index_t size = w.kernel == 20 ? 20 : 5;
        const q::index_t to = w.kernel == 20 ? 1 : w.kernel == 3 ? 3 : 4;
        const elements<X> x(2 * size * size * c, turn % 2 == 0);
        const elements<X> y(2 * to * to * c, turn % 2 == 0);
        const q::nhwc_view<const X> in(x.data(), 2, size, size, c);
        const q::nhwc_view<X> out(y.data(), 2, to, to, c);
        const q::average_pool_layer layer{{w, w}, divisor, q::average_output<X, Rule>{zero_point, q::range_of<X>(zero_point)}};
        run_in_parts<Backend>(layer, in, out, 2 * to, turn % (2 * to));
        for (q::index_t i = 0; i < 2 * to * to * c; ++i) {
          const q::index_t k = i % c, column = i / c % to, row = i / c / to % to, n = i / c / to / to;
          std::int64_t sum = 0;
          std::int32_t inside = 0;
          for (q::index_t v = row * w.stride - w.pad_before; v < row * w.stride - w.pad_before + w.kernel; ++v)
            for (q::index_t h = column * w.stride - w.pad_before; h < column * w.stride - w.pad_before + w.kernel; ++h)
              if (v >= 0 && v < size && h >= 0 && h < size) sum += in.pixel(n, v, h)[k] - zero_point, ++inside;
          const auto count = divisor == q::averaged::inside ? inside : static_cast<std::int32_t>(w.kernel * w.kernel);
          const auto expected = static_cast<X>(q::clamp(Rule::apply(sum, Rule::divisor(count)) + zero_point,
                                                        std::int64_t{q::limits<X>::min}, std::int64_t{q::limits<X>::max}));
          t.add(y.data() + i, &expected, 1, [&](q::index_t) {
            return std::string(Backend::name) + ", channel " + std::to_string(k) + " of " + std::to_string(c) + ", window " +
                   std::to_string(w.kernel);
          });
          if (i > 0 && y.data()[i] != y.data()[i - 1]) ++t.varied;
        }
      }
}

template <class X, class Rule>
void on_each(std::int32_t zero_point) {
  each_backend_and_scalar([&](auto backend) {
    tally t;
    compare_pools<decltype(backend), X, Rule>(zero_point, t);
    t.check();
  });
}

}  // namespace

TEST_CASE("elements: averages over windows of any number of channels equal their definition", "[parity]") {
  on_each<i8, q::tflite::average>(0);
  on_each<u8, q::onednn::average>(0);
  on_each<i8, q::tosa::average>(-128);
  on_each<i16, q::cmsis_nn::average>(0);
}

namespace {

/// Compares extremes of windows with the definition. The image has `c` channels and 5 x 5 pixels.
template <class Rule>
void compare_extremes() {
  using X = typename Rule::value_type;
  const q::window1d windows[] = {{3, 2, 1, 1, 1}, {2, 1}, {5}, {3, 1, 2, 3, 2}};
  each_backend_and_scalar([&](auto backend) {
    using chosen = decltype(backend);
    tally t;
    support::tried_cases tried;
    q::index_t turn = 0;
    for (const q::index_t c : {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130})
      for (const q::window1d& w : windows) {
        ++turn;
        if (!tried.has_next()) continue;
        const q::index_t to = q::forward_size(5, w);
        const elements<X> x(2 * 5 * 5 * c, turn % 2 == 0);
        const elements<X> y(2 * to * to * c, turn % 2 == 0);
        const q::nhwc_view<const X> in(x.data(), 2, 5, 5, c);
        const q::nhwc_view<X> out(y.data(), 2, to, to, c);
        q::pool_layer<Rule> layer{{w, w}, {}, q::range_of<X>()};
        if (turn % 3 == 0) layer.range = {0, q::limits<X>::min + 3, q::limits<X>::max - 5};
        run_in_parts<chosen>(layer, in, out, 2 * to, turn % (2 * to));
        for (q::index_t i = 0; i < 2 * to * to * c; ++i) {
          const q::index_t k = i % c, column = i / c % to, row = i / c / to % to, n = i / c / to / to;
          const bool is_greatest = Rule::id == q::operator_id::maximum;
          int extreme = is_greatest ? q::limits<X>::min : q::limits<X>::max;
          for (q::index_t a = 0; a < w.kernel; ++a)
            for (q::index_t b = 0; b < w.kernel; ++b) {
              const q::index_t v = row * w.stride - w.pad_before + a * w.dilation;
              const q::index_t h = column * w.stride - w.pad_before + b * w.dilation;
              if (v >= 0 && v < 5 && h >= 0 && h < 5) {
                const int element = in.pixel(n, v, h)[k];
                extreme = is_greatest ? std::max(extreme, element) : std::min(extreme, element);
              }
            }
          const auto expected = static_cast<X>(q::clamp(extreme, layer.range.min, layer.range.max));
          t.add(y.data() + i, &expected, 1, [&](q::index_t) {
            return std::string(chosen::name) + ", channel " + std::to_string(k) + " of " + std::to_string(c);
          });
          if (i > 0 && y.data()[i] != y.data()[i - 1]) ++t.varied;
        }
      }
    t.check();
  });
}

/// Compares conversions to another type of every length up to 200 with the rule.
template <class X, class Y>
void compare_conversions(const q::tflite::requantize<X, Y>& rule) {
  each_backend_and_scalar([&](auto backend) {
    using chosen = decltype(backend);
    tally t;
    support::tried_cases tried;
    for (q::index_t cols = 1; cols <= 200; ++cols) {
      if (!tried.has_next()) continue;
      const matrix<X> x(3, cols, cols % 5 == 0 ? 3 : 0, cols % 2 == 0);
      const matrix<Y> y(3, cols, cols % 3 == 0 ? 2 : 0, cols % 2 == 0);
      run_in_parts<chosen>(q::activation_layer<q::tflite::requantize<X, Y>>{rule}, x.read(), y.view, 3, cols % 4);
      numbers<Y> expected(static_cast<std::size_t>(cols));
      for (q::index_t r = 0; r < 3; ++r) {
        std::transform(x.view.row(r), x.view.row(r) + cols, expected.begin(), rule);
        t.add(y.view.row(r), expected.data(), cols, [&](q::index_t c) {
          return std::string(chosen::name) + ", column " + std::to_string(c) + " of " + std::to_string(cols);
        });
      }
    }
    t.check();
  });
}

}  // namespace

namespace {

/// Resizes an image of any values at one end of its memory.
template <class Rule>
struct resized {
  using X = typename Rule::value_type;
  Rule rule;
  elements<X> all_x, all_y;
  q::nhwc_view<X> x, y;

  resized(const Rule& with, q::index_t h, q::index_t w, q::index_t to_h, q::index_t to_w, q::index_t c, bool at_end)
      : rule{with},
        all_x(2 * h * w * c, at_end),
        all_y(2 * to_h * to_w * c, at_end),
        x(all_x.data(), 2, h, w, c),
        y(all_y.data(), 2, to_h, to_w, c) {}

  /// Returns an output by the definition, for the places of the rule. The sum is below 2^36, so that a double holds its quotient.
  X expected(q::index_t n, q::index_t row, q::index_t column, q::index_t k) const {
    const q::resize_place v = rule.along(0, x.h(), y.h())(row), h = rule.along(1, x.w(), y.w())(column);
    const auto at = [&](q::index_t i, q::index_t j) { return std::int64_t{x.pixel(n, i, j)[k]}; };
    if constexpr (Rule::interpolates) {
      const std::int64_t above = (1024 - h.weight) * at(v.low, h.low) + h.weight * at(v.low, h.high);
      const std::int64_t below = (1024 - h.weight) * at(v.high, h.low) + h.weight * at(v.high, h.high);
      const double quotient = static_cast<double>((1024 - v.weight) * above + v.weight * below) / 1048576;
      const bool is_up = std::is_same_v<typename Rule::ties, q::half_up>;
      return static_cast<X>(is_up ? std::floor(quotient + 0.5) : std::round(quotient));
    } else {
      return static_cast<X>(at(v.low, h.low));
    }
  }
  template <class Backend>
  void compare(q::index_t cut, tally& t) const {
    std::fill_n(all_y.data(), y.n() * y.h() * y.w() * y.c(), X{77});
    run_in_parts<Backend>(q::resize_layer<Rule>{rule}, q::nhwc_view<const X>(x), y, 2 * y.h(), cut);
    for (q::index_t i = 0; i < 2 * y.h() * y.w(); ++i) {
      const q::index_t n = i / y.w() / y.h(), row = i / y.w() % y.h(), column = i % y.w();
      numbers<X> pixel;
      for (q::index_t k = 0; k < y.c(); ++k) pixel.push_back(expected(n, row, column, k));
      t.add(y.pixel(n, row, column), pixel.data(), y.c(), [&](q::index_t k) {
        return std::string(Backend::name) + ", pixel " + std::to_string(i) + ", channel " + std::to_string(k) + " of " +
               std::to_string(y.c());
      });
    }
  }
};

/// Tries numbers of channels around those of vectors and of steps.
template <class Rule>
void compare_resizes(const Rule& rule) {
  constexpr q::index_t sizes[][4] = {{2, 3, 4, 6}, {5, 4, 2, 4}, {1, 2, 3, 7}, {3, 1, 1, 2}};
  each_backend_and_scalar([&](auto backend) {
    tally t;
    support::tried_cases tried;
    q::index_t turn = 0;
    for (const q::index_t c : {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130})
      for (const auto& [h, w, to_h, to_w] : sizes) {
        ++turn;
        if (!tried.has_next()) continue;
        resized<Rule>(rule, h, w, to_h, to_w, c, turn % 2 == 0).template compare<decltype(backend)>(turn % (2 * to_h), t);
      }
    t.check();
  });
}

/// Compares sums that are ties, or 1 more or 1 less. If 2 x 2 pixels are resized to 3 x 7, pixel (1, 3) has the odd weights
/// 683 and 879. For any first input and its right neighbour, one difference of the diagonal input modulo 2^20 makes such a sum.
template <class Ties>
void compare_ties_of_int16() {
  using rule_type = q::tflite::resize_bilinear<i16, Ties>;
  const resized<rule_type> all(rule_type{}, 2, 2, 3, 7, 130, true);
  constexpr std::int64_t v = 683, h = 879, whole = 1 << 20;
  std::int64_t inverse = 1;
  for (int i = 0; i < 5; ++i) inverse = inverse * (2 - v * h % whole * inverse) % whole;
  support::random_bits random;
  for (q::index_t k = 0; k < 130;) {
    const std::int64_t first = random.between(-32768, 32767), right = random.between(-32768, 32767);
    const std::int64_t sum = whole / 2 + k % 3 - 1;
    const std::int64_t rest = (sum - h * (1024 - v) * (right - first)) % whole * inverse % whole;
    const std::int64_t last = first + (rest < -whole / 2 ? rest + whole : rest >= whole / 2 ? rest - whole : rest);
    if (last < -32768 || last > 32767) continue;
    const std::int64_t inputs[] = {first, right, first, last};
    for (q::index_t i = 0; i < 4; ++i) all.x.pixel(1, i / 2, i % 2)[k] = static_cast<i16>(inputs[i]);
    ++k;
  }
  tally t;
  each_backend_and_scalar([&](auto backend) { all.template compare<decltype(backend)>(2, t); });
  t.check();
}

}  // namespace

TEST_CASE("elements: resizes of any number of channels equal their definition", "[parity]") {
  const q::tflite::resize_alignment corners{true, false}, centers{false, true};
  compare_resizes(q::tflite::resize_bilinear<i8>{});
  compare_resizes(q::tflite::resize_bilinear<i8>{centers});
  compare_resizes(q::tflite::resize_bilinear<i8, q::half_up>{corners});
  compare_resizes(q::tflite::resize_bilinear<i16>{corners});
  compare_resizes(q::tflite::resize_bilinear<i16>{centers});
  compare_resizes(q::tflite::resize_bilinear<i16, q::half_up>{centers});
  compare_resizes(q::tflite::resize_nearest<i8>{});
  compare_resizes(q::tflite::resize_nearest<i16>{centers});
}

TEST_CASE("elements: bilinear resizes of int16 round ties, and sums next to ties, as their definition", "[parity]") {
  compare_ties_of_int16<q::half_away>();
  compare_ties_of_int16<q::half_up>();
}

TEST_CASE("elements: extremes over windows of any number of channels equal their definition", "[parity]") {
  compare_extremes<q::maximum<i8>>();
  compare_extremes<q::minimum<i8>>();
  compare_extremes<q::maximum<u8>>();
  compare_extremes<q::minimum<u8>>();
  compare_extremes<q::maximum<i16>>();
  compare_extremes<q::minimum<i16>>();
}

TEST_CASE("elements: conversions between types equal the rule", "[parity]") {
  compare_conversions(q::tflite::requantize<i8, u8>::derive(0.0625F, -9, 0.0625F, 119).value);
  compare_conversions(q::tflite::requantize<i8, i16>::derive(0.0625F, 13, 0.001F, 2).value);
  compare_conversions(q::tflite::requantize<u8, std::int32_t>::derive(0.0625F, 13, 0.001F, 2).value);
  compare_conversions(q::tflite::requantize<i16, i8>::derive(0.001F, 13, 0.25F, 2).value);
  compare_conversions(q::tflite::requantize<std::int32_t, i16>::derive(0.001F, 0, 50.0F, 2).value);
}

TEST_CASE("elements: sums of the least and the greatest elements do not wrap", "[parity]") {
  constexpr q::index_t pixels = 256 * 3 + 1, channels = 65;
  const auto compare = [&](auto value, auto rule) {
    using X = decltype(value);
    const numbers<X> x(pixels * channels, value);
    numbers<X> y(channels);
    run(q::mean_layer<decltype(rule)>{rule}, q::matrix_view(x.data(), pixels, channels), q::matrix_view(y.data(), 1, channels));
    require(y == numbers<X>(channels, value), "the mean of equal elements");
    const q::nhwc_view<const X> in(x.data(), 1, 1, pixels, channels);
    const q::average_pool_layer layer{q::whole_image(in), q::averaged::inside, q::average_output<X, q::tflite::average>{}};
    std::fill(y.begin(), y.end(), X{1});
    run(layer, in, q::nhwc_view<X>(y.data(), 1, 1, 1, channels));
    require(y == numbers<X>(channels, value), "the average of equal elements");
  };
  const auto mean_of = [&](auto x) {
    return q::tflite::mean<decltype(x)>::derive(1.0F, 0, 1, 1.0F, q::range_of<decltype(x)>()).value;
  };
  const auto of = [&](auto x) {
    auto rule = mean_of(x);
    rule.count = pixels;
    rule.multiplier = {1396464, 30};  // just above 1 / 769
    compare(x, rule);
  };
  of(i8{-128});
  of(i8{127});
  of(u8{255});
}

TEST_CASE("elements: softmax of many rows equals the rule of each row, also in place", "[parity]") {
  tally t;
  const auto compare = [&](const auto& rule, q::index_t cols) {
    using rule_type = std::decay_t<decltype(rule)>;
    using X = q::detail::argument_of<rule_type>;
    using Y = typename rule_type::value_type;
    const q::softmax_layer<rule_type> layer{rule};
    const q::index_t rows = 5;
    const matrix<X> x(rows, cols, 1, true);
    for (q::index_t c = 0; c < cols; ++c) x.view.row(1)[c] = static_cast<X>(-c % 9);  // a row with few different values
    const matrix<Y> y(rows, cols, 0, true);
    each_backend_and_scalar([&](auto backend) {
      run_in_parts<decltype(backend)>(layer, x.read(), y.view, rows, 2);
      numbers<Y> expected(static_cast<std::size_t>(cols));
      const auto compare_rows = [&](const matrix<Y>& got, const char* where) {
        for (q::index_t r = 0; r < rows; ++r) {
          rule(q::view<const X>(x.view.row(r), cols), q::view<Y>(expected.data(), cols));
          t.add(got.view.row(r), expected.data(), cols, [&](q::index_t c) { return where + std::to_string(c); });
        }
      };
      compare_rows(y, "column ");
      if constexpr (std::is_same_v<X, Y>) {
        const matrix<X> in_place(rows, cols, 1, true);
        for (q::index_t r = 0; r < rows; ++r) std::copy_n(x.view.row(r), cols, in_place.view.row(r));
        run_in_parts<decltype(backend)>(layer, in_place.read(), in_place.view, rows, 2);
        compare_rows(in_place, "in place, column ");
      }
    });
  };
  const q::tflite::softmax_tables& tables = support::softmax_tables();
  const auto with_tables = [&](auto rule) {
    rule.multiplier = {1 << 30, 30};
    rule.exponential = {tables.exponential};
    rule.reciprocal = {tables.reciprocal};
    return rule;
  };
  static const auto made = q::tosa::softmax_tables_of(0x1p-4F, 1.0F);  // static, because a bare machine has a small stack
  const auto& bytes = made.value.bytes;
  for (const q::index_t cols : {1, 3, 10, 300}) {
    compare(q::tflite::softmax<i8>::derive(0.05F, 1.0F).value, cols);
    compare(q::tflite::softmax<i8, i16, q::tflite::single_rounding>::derive(0.3F, 1.0F).value, cols);
    compare(q::tosa::softmax<i8>{{{bytes[0]}, {bytes[1]}, {bytes[2]}, {bytes[3]}}, -128}, cols);
    compare(with_tables(q::tflite::softmax<i16>{}), cols);
    compare(with_tables(q::cmsis_nn::softmax<i16>{}), cols);
    compare(with_tables(q::tosa::softmax<i16>{}), cols);
  }
  t.check();
}

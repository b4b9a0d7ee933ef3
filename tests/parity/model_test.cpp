// The generic code of the backends, on any machine, over backends in plain C++ with odd and small sizes.
// It covers tails, column blocks, line buffers, packing by slices, drained accumulators and output tiles.

#include <dyadic/matmul.hpp>

#include "../support/catch.hpp"
#include "../support/model/model.hpp"
#include "depthwise_parity.hpp"
#include "matmul_parity.hpp"
#include "windows_parity.hpp"

namespace {

using namespace dyadic;
using parity::conditions;
using parity::gaps;
using parity::images_shape;
using parity::kind;
using parity::multipliers_per;
using parity::square;
using parity::values;

using models = parity::backends<backend::model_3_2x3x2, backend::model_4_4x8x4, backend::model_2_3x4x1>;

/// Returns conditions with and without zero points and gaps, at the beginning and at the end of memory.
template <class X, class W, class Y = std::int32_t>
conditions way(int number) {
  conditions c;
  c.at_end = (number & 1) != 0;
  c.gap = number & 2 ? 1 + number % 3 : 0;
  constexpr std::int32_t w_zeros[] = {operand<W>::min, 1, std::max(-1, operand<W>::min)};
  if (number & 4) c.zero = {operand<X>::max / 3, w_zeros[number / 8 % 3]};
  if (number % 5 == 0) c.zero = {operand<X>::min, number % 3 == 0 ? 0 : operand<W>::max};
  if (number % 7 == 0) c.x = c.w = values::corners;
  if (number % 4 == 1 && sizeof(Y) == 8) c.bias_bits = 40;  // accumulators of 64 bits
  return c;
}

template <class X, class W, class Y, class Output>
void linear(const Output& output) {
  parity::linear_runs<models, X, W, Y> runs{{12, 30, 40}};
  int number = 0;
  for (index_t rows = 0; rows <= 12; ++rows)
    for (const index_t channels : {0, 1, 2, 3, 4, 7, 8, 9, 12, 13, 16, 17, 30})
      for (const index_t depth : {0, 1, 2, 3, 4, 5, 7, 11, 12, 13, 24, 25, 40})
        if (number++ % 3 == 0) runs.compare({rows, channels, depth}, way<X, W, Y>(number), output);
  runs.t.check();
}

template <kind Kind, class X, class W, class Y, class Output>
void windows(const std::vector<images_shape>& shapes, const Output& output) {
  parity::window_runs<models, Kind, X, W, Y> runs;
  int number = 0;
  for (const images_shape& s : shapes)
    for (int round = 0; round < 6; ++round) runs.compare(s, way<X, W, Y>(++number), output);
  runs.t.check();
}

const std::vector<images_shape> convolutions = {
    {2, 5, 7, 3, 5, 1, square(3, 1, 1, 1, 1)},               // deeper than a buffer
    {1, 6, 5, 2, 4, 1, square(2, 1, 1, 0, 1)},               // windows that share a line buffer
    {1, 4, 9, 4, 9, 1, {{1, 1, 1, 0, 0}, {2, 1, 1, 1, 0}}},  // windows of one line
    {2, 3, 5, 8, 10, 1, square(1, 1, 1, 0, 0)},              // a matrix
    {2, 3, 5, 8, 10, 1, square(1, 1, 1, 0, 0), {3, 0, 0}},   // a matrix with gaps
    {1, 3, 5, 8, 10, 1, square(1, 1, 1, 0, 0), {0, 2, 0}},   // rows with gaps, so no matrix
    {1, 8, 8, 4, 9, 1, square(1, 2, 1, 0, 0)},               // a stride, so no matrix
    {1, 11, 9, 2, 7, 1, square(3, 2, 2, 2, 1)},              // dilation and stride
    {2, 6, 6, 12, 20, 4, square(3, 1, 1, 1, 1)},             // groups whose first channel does not begin a panel
    {1, 5, 5, 6, 6, 6, square(2, 1, 1, 0, 1)},
    {1, 3, 4, 5, 6, 1, square(1, 1, 1, 2, 1)},  // windows with nothing but padding
    {1, 4, 3, 2, 3, 1, {{5, 1, 1, 4, 4}, {1, 1, 1, 0, 0}}},
    {1, 4, 1, 0, 3, 1, square(2, 1, 1, 1, 0)},
};
/// Matrices of one row for each group. The second group begins within a panel.
const std::vector<images_shape> groups_of_pixels = {{1, 1, 1, 4, 10, 2, square(1, 1, 1, 0, 0)},
                                                    {1, 1, 1, 4, 18, 2, square(1, 1, 1, 0, 0)}};
const std::vector<images_shape> transposed_convolutions = {
    {2, 4, 5, 3, 5, 1, square(3, 2, 1, 1, 1), 0, 1},
    {1, 3, 3, 4, 9, 1, square(2, 3, 1, 0, 0), 0, 2},  // outputs without taps
    {1, 2, 7, 4, 6, 1, {{5, 2, 1, 2, 1}, {3, 4, 1, 0, 1}}, 1},
    {2, 2, 2, 2, 10, 1, square(6, 4, 1, 3, 3), 0, 3},
};

template <class X, class W, class Y, class Output>
void depthwise(const Output& output) {
  parity::depthwise_runs<models, X, W, Y> runs{std::size_t{1} << 12};
  const window2d all[] = {square(3, 1, 1, 1, 1),
                          square(1, 1, 1, 0, 0),
                          square(2, 2, 1, 0, 1),
                          {{3, 1, 1, 1, 1}, {3, 2, 1, 1, 0}},
                          {{2, 1, 3, 2, 1}, {5, 1, 1, 2, 2}},
                          square(4, 1, 1, 2, 1)};
  int number = 0;
  for (const window2d& window : all)
    for (const index_t channels : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 17})
      for (const index_t width : {1, 2, 3, 4, 7, 10})
        if (number++ % 2 == 0) {
          const int n = number / 2;
          runs.compare({1 + n % 2, 4, width, channels, window, 1 + n % 3, n % 5 == 0 ? 1 : 0}, way<X, W, Y>(n), output);
        }
  for (const window2d& window : parity::nearly_3x3)
    for (const index_t channels : {3, 17}) runs.compare({1, 4, 5, channels, window}, way<X, W, Y>(++number), output);
  runs.t.check();
}

template <class Y, class Scheme>
per_tensor_output<Y, Scheme> one(double scale) {
  return {Scheme::derive(scale).value, range_of<Y>(3)};
}

}  // namespace

TEST_CASE("model: linear layers equal scalar", "[parity]") {
  linear<std::int16_t, std::int8_t, std::int64_t>(raw_output<std::int64_t>{});
  linear<std::int8_t, std::int8_t, std::int8_t>(one<std::int8_t, tosa::scale32>(0.001));
  linear<std::int8_t, int4, std::int32_t>(raw_output<std::int32_t>{});
  linear<std::int16_t, std::int16_t, std::int64_t>(raw_output<std::int64_t>{});
  linear<std::uint8_t, std::uint8_t, std::int32_t>(raw_output<std::int32_t>{});
}
TEST_CASE("model: sums beyond int32 equal scalar", "[parity]") {
  parity::linear_runs<models, std::int16_t, std::int8_t, std::int64_t> runs{{2, 5, 1100}};
  conditions c;
  c.x = c.w = values::least;
  c.at_end = true;
  for (const index_t rows : {1, 2})
    for (const index_t depth : {511, 512, 1100}) runs.compare({rows, 5, depth}, c, raw_output<std::int64_t>{});
  runs.t.check();
}
TEST_CASE("model: multipliers per channel equal scalar", "[parity]") {
  parity::linear_runs<models, std::int16_t, std::int8_t, std::int16_t> runs{{9, 30, 40}};
  using scheme = tosa::scale16;
  std::vector<multiplier16> m(30);
  for (int shift : {14, 20, 40}) {
    for (std::size_t i = 0; i < m.size(); ++i)
      m[i] = {static_cast<std::int16_t>(20000 + 400 * static_cast<int>(i)), shift + static_cast<int>(i % 3)};
    for (const index_t channels : {1, 3, 4, 8, 13, 21, 30})
      for (const index_t rows : {1, 2, 5, 9})
        runs.compare(
            {rows, channels, 21}, way<std::int16_t, std::int8_t>(static_cast<int>(rows + channels)),
            per_channel_output<std::int16_t, scheme>{view<const multiplier16>{m.data(), channels}, range_of<std::int16_t>(7)});
  }
  runs.t.check();
}
TEST_CASE("model: convolutions equal scalar", "[parity]") {
  windows<kind::conv2d, std::int16_t, std::int8_t, std::int64_t>(convolutions, raw_output<std::int64_t>{});
  windows<kind::conv2d, std::int8_t, std::int8_t, std::int8_t>(convolutions, one<std::int8_t, tosa::scale32>(0.001));
  windows<kind::conv2d, std::int16_t, std::int8_t, std::int16_t>(groups_of_pixels, one<std::int16_t, tosa::scale16>(0.01));
  windows<kind::transposed, std::int8_t, std::int8_t, std::int32_t>(transposed_convolutions, raw_output<std::int32_t>{});
}
TEST_CASE("model: depthwise convolutions equal scalar", "[parity]") {
  depthwise<std::int16_t, std::int8_t, std::int64_t>(raw_output<std::int64_t>{});
  depthwise<std::int8_t, std::int8_t, std::int8_t>(one<std::int8_t, tosa::scale32>(0.01));
}
TEST_CASE("model: products of matrices equal scalar", "[parity]") {
  using output = raw_output<std::int32_t>;
  parity::products<models, std::int8_t, std::int8_t, output> runs{{2, 9, 30, 40}};
  int number = 0;
  for (const index_t rows : {1, 2, 5, 9})
    for (const index_t columns : {1, 4, 7, 8, 30})
      for (const index_t depth : {0, 1, 5, 12, 13, 40}) {
        ++number;
        runs.compare({1 + number % 2, rows, columns, depth, number % 3 == 0, number % 4 < 2},
                     way<std::int8_t, std::int8_t>(number), output{});
      }
  runs.t.check();
}
TEST_CASE("model: rescaled rows equal scalar", "[parity]") {
  models::each([](auto backend) {
    using model = decltype(backend);
    parity::every_length<model, std::int32_t, std::int8_t, tosa::scale32, multipliers_per::channel>();
    parity::every_length<model, std::int16_t, std::int16_t, tosa::scale16, multipliers_per::tensor>();
    parity::ties_and_edges_of_channels<model, exact::half_even, std::int32_t>();
    parity::ties_and_edges_of_tensor<model, exact::half_up, std::int16_t>();
    parity::ties_and_edges_of_channels<model, exact::half_away, std::int8_t, std::int32_t>();
    parity::binary32_chains<model, std::int16_t>();
    parity::binary64_ties_and_edges<model, std::int32_t, std::int16_t>();
    parity::binary64_ties_and_edges<model, std::int64_t, std::int32_t>();
  });
}

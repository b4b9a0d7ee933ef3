/// \file
/// Layers with a proved epilogue on one backend, against the oracle and against scalar code of the layer itself. The file that
/// includes this header defines PARITY_BACKEND and PARITY_NAME. No guard.

#include <dyadic/proved.hpp>
#include <dyadic/rescale.hpp>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <vector>

#include "../oracle/requantize.hpp"
#include "../support/samples.hpp"
#include "each_backend.hpp"
#include "guarded.hpp"

namespace {

namespace q = dyadic;
using tested = q::backend::PARITY_BACKEND;
using scheme = q::tflite::double_rounding;

std::size_t size_of(q::index_t n) { return static_cast<std::size_t>(n); }

template <class T>
std::vector<T> random_values(support::random_bits& random, q::index_t n) {
  std::vector<T> all(size_of(n));
  for (auto& one : all)
    one = random.one_in(8) ? (random.one_in(2) ? q::limits<T>::min : q::limits<T>::max) : static_cast<T>(random());
  return all;
}

/// Draws multipliers for sums of `depth` products: a standard deviation is 1/2 to 3/2 of half the range.
std::vector<q::multiplier32> multipliers(support::random_bits& random, q::index_t channels, q::index_t depth) {
  std::vector<q::multiplier32> all;
  for (q::index_t c = 0; c < channels; ++c) {
    const double spread = 0.5 + static_cast<double>(random.below(1000)) / 1000;
    all.push_back(scheme::derive(spread / (127 * std::sqrt(static_cast<double>(depth)))).value);
  }
  return all;
}

/// Runs a layer twice: with its proved epilogue, in guarded memory, and unchanged, in portable code.
template <class Layer, class X, class Make>
void compare(const Layer& layer, const X& x, q::index_t outputs, const Make& view_of) {
  using value = typename decltype(layer.output)::value_type;
  const q::index_t channels = layer.bias.record.channels;
  for (const bool at_end : {false, true}) {
    parity::guarded<q::binary32> numbers(size_of(3 * channels));
    parity::guarded<value> y(size_of(outputs));
    const auto proved = q::prove_epilogue(layer, q::view<q::binary32>{numbers.at(at_end, size_of(3 * channels)), 3 * channels});
    REQUIRE(proved.status == q::status::ok);
    REQUIRE(proved.value.is_proved);
    std::vector<value> expected(size_of(outputs));
    q::run<q::backend::scalar>(layer, x, view_of(expected.data()));
    value* const to = y.at(at_end, expected.size());
    std::memset(to, 0x55, expected.size() * sizeof(value));
    REQUIRE(check(proved.value, x, view_of(to)) == q::status::ok);
    q::run<tested>(proved.value, x, view_of(to));
    REQUIRE(std::vector<value>(to, to + outputs) == expected);
  }
}

template <class Value>
void compare_linear(support::random_bits& random, q::index_t rows, q::index_t channels, q::index_t depth, q::output_range range) {
  INFO("seed " << support::seed << ": " << rows << " x " << channels << " x " << depth << ", zero point " << range.zero_point);
  const auto in = random_values<Value>(random, rows * depth);
  const auto w = random_values<Value>(random, channels * depth);
  const auto bias = random_values<std::int16_t>(random, channels);
  const std::vector<std::int32_t> wide(bias.begin(), bias.end());
  const auto m = multipliers(random, channels, depth);
  std::vector<std::int32_t> constants(wide.size());
  const q::matrix_view<const Value> weights(w.data(), channels, depth);
  const q::zero_points zero = std::is_signed_v<Value> ? q::zero_points{-3, 0} : q::zero_points{125, 130};
  const auto folded = q::fold<Value>(weights, wide, zero, constants);
  const q::matrix_view<const Value> x(in.data(), rows, depth);
  const auto view_of = [&](Value* y) { return q::matrix_view<Value>(y, rows, channels); };
  const q::per_channel_output<Value, scheme> output{m, range};
  if constexpr (std::is_signed_v<Value>) {
    std::vector<std::int8_t> storage(size_of(q::packed_size<tested, Value, Value>(channels, depth)));
    const auto packed = q::pack<tested, Value>(weights, q::view<std::int8_t>(storage));
    compare(q::linear_layer{packed.value, folded.value, output}, x, rows * channels, view_of);
    const q::per_tensor_output<Value, scheme> shared{m[0], range};
    compare(q::linear_layer{packed.value, folded.value, shared}, x, rows * channels, view_of);
  } else {
    compare(q::linear_layer{weights, folded.value, output}, x, rows * channels, view_of);
  }
}

template <class Layer, class Fold>
void compare_windows(support::random_bits& random, q::index_t image, q::index_t inputs, q::index_t channels,
                     q::index_t weight_rows, q::index_t depth, q::index_t side, const Fold& fold, const Layer& layer_of) {
  INFO("seed " << support::seed << ": " << image << " x " << image << " x " << inputs << " to " << channels);
  const auto in = random_values<std::int8_t>(random, 2 * image * image * inputs);
  const auto w = random_values<std::int8_t>(random, channels * depth);
  const auto m = multipliers(random, channels, depth);
  std::vector<std::int32_t> bias(size_of(channels), 77);
  std::vector<std::int32_t> constants(bias.size());
  const q::matrix_view<const std::int8_t> weights(w.data(), weight_rows, channels * depth / weight_rows);
  const auto folded = fold(weights, bias, constants);
  REQUIRE(folded.status == q::status::ok);
  compare(layer_of(weights, folded.value, q::per_channel_output<std::int8_t, scheme>{m, q::range_of<std::int8_t>(1)}),
          q::nhwc_view<const std::int8_t>(in.data(), 2, image, image, inputs), 2 * side * side * channels,
          [&](std::int8_t* y) { return q::nhwc_view<std::int8_t>(y, 2, side, side, channels); });
}

TEST_CASE(PARITY_NAME " proved: all accumulators of a layer equal the oracle", "[proved]") {
  if (!parity::is_tested<tested>()) return;
  support::random_bits random;
  // 127 x0 + x1 takes each value within +-16,000.
  constexpr q::index_t channels = 49;
  const q::index_t rows = 65536 / support::tried_one_in();
  std::vector<std::int8_t> in;
  for (q::index_t r = 0; r < rows; ++r) {
    const auto both = static_cast<int>(r * support::tried_one_in());
    in.push_back(static_cast<std::int8_t>(both / 256 - 128));
    in.push_back(static_cast<std::int8_t>(both % 256 - 128));
  }
  std::vector<std::int8_t> w;
  std::vector<std::int32_t> bias;
  for (q::index_t c = 0; c < channels; ++c) {
    w.push_back(static_cast<std::int8_t>(c % 2 == 0 ? 127 : -127));
    w.push_back(1);
    bias.push_back(static_cast<std::int32_t>(random.integer(12)));
  }
  auto m = multipliers(random, channels, 4);
  m[0] = {q::int32_max, 38};
  m[1] = {(1 << 30) + 1, 37};
  for (const q::output_range range : {q::range_of<std::int8_t>(), q::range_of<std::int8_t>(-128), q::output_range{90, -5, 100}}) {
    std::vector<std::int32_t> constants(bias.size());
    const q::matrix_view<const std::int8_t> weights(w.data(), channels, 2);
    const auto folded = q::fold<std::int8_t>(weights, bias, {}, constants);
    std::vector<std::int8_t> storage(size_of(q::packed_size<tested, std::int8_t, std::int8_t>(channels, 2)));
    const auto packed = q::pack<tested, std::int8_t>(weights, q::view<std::int8_t>(storage));
    std::vector<q::binary32> numbers(3 * size_of(channels));
    const auto proved = q::prove_epilogue(
        q::linear_layer{packed.value, folded.value, q::per_channel_output<std::int8_t, scheme>{m, range}}, numbers);
    REQUIRE(proved.value.is_proved);
    std::vector<std::int8_t> y(size_of(rows * channels));
    run(proved.value, q::matrix_view<const std::int8_t>(in.data(), rows, 2),
        q::matrix_view<std::int8_t>(y.data(), rows, channels));
    std::size_t wrong = 0;
    for (std::size_t r = 0, i = 0; r < size_of(rows); ++r)
      for (std::size_t c = 0; c < size_of(channels); ++c, ++i) {
        const std::int32_t acc = bias[c] + w[2 * c] * in[2 * r] + w[2 * c + 1] * in[2 * r + 1];
        const std::int64_t value =
            std::int64_t{oracle::tflite_double(acc, m[c].mantissa, 31 - m[c].right_shift)} + range.zero_point;
        wrong += y[i] != (value < range.min ? range.min : value > range.max ? range.max : value);
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE(PARITY_NAME " proved: shapes of each operator", "[proved]") {
  if (!parity::is_tested<tested>()) return;
  support::random_bits random;
  support::tried_cases cases;
  const q::output_range whole = q::range_of<std::int8_t>(1);
  for (const q::index_t channels : {1, 16, 31, 32, 33, 70})
    for (const q::index_t rows : {1, 3, 12, 27})
      if (cases.has_next()) compare_linear<std::int8_t>(random, rows, channels, 1 + 7 * (channels % 3), whole);
  compare_linear<std::int8_t>(random, 25, 300, 64, whole);
  compare_linear<std::int8_t>(random, 14, 40, 132, {-128, -128, -1});
  compare_linear<std::int8_t>(random, 13, 33, 9, {-7, -7, 120});
  compare_linear<std::uint8_t>(random, 13, 37, 9, q::range_of<std::uint8_t>(3));

  for (const q::index_t channels : {1, 3, 8, 31, 32, 33, 64, 100}) {
    if (!cases.has_next()) continue;
    const q::index_t stride = 1 + channels % 2;
    const q::window2d window{{3, stride, 1, 1, 1}, {3, stride, 1, 1, 1}};
    compare_windows(
        random, 9, channels, channels, 9, 9, q::forward_size(9, window.y),
        [&](auto w, const auto& bias, auto& to) {
          return q::fold_depthwise<std::int8_t>(w, bias, window, {-3, 0}, to);
        },
        [&](auto w, auto bias, auto output) {
          return q::depthwise_layer{w, bias, window, output};
        });
    const auto fold = [&](auto w, const auto& bias, auto& to) {
      return q::fold_conv2d<std::int8_t>(w, bias, window, {-3, 0}, to);
    };
    compare_windows(random, 7, 2, channels, channels, 18, q::forward_size(7, window.y), fold,
                    [&](auto w, auto bias, auto output) {
                      return q::conv2d_layer{w, bias, window, 1, output};
                    });
  }
  // Packed weights for half a panel of channels: two pixels share a panel.
  std::vector<std::int8_t> storage(size_of(q::packed_size<tested, std::int8_t, std::int8_t>(16, 27)));
  const q::window2d pair{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  compare_windows(
      random, 8, 3, 16, 16, 27, 8,
      [&](auto w, const auto& bias, auto& to) {
        return q::fold_conv2d<std::int8_t>(w, bias, pair, {-3, 0}, to);
      },
      [&](auto w, auto bias, auto output) {
        const auto packed = q::pack<tested, std::int8_t>(w, q::view<std::int8_t>(storage));
        return q::conv2d_layer{packed.value, bias, pair, 1, output};
      });
  const q::window2d window{{2, 2}, {2, 2}};
  compare_windows(
      random, 8, 4, 20, 20, 16, 16,
      [&](auto w, const auto& bias, auto& to) {
        to.resize(size_of(q::transposed_conv2d_constants(20, window, {-3, 0})));
        return q::fold_transposed_conv2d<std::int8_t>(w, bias, window, {-3, 0}, to);
      },
      [&](auto w, auto bias, auto output) {
        return q::transposed_conv2d_layer{w, bias, window, output};
      });
}

/// Draws a multiplier of the scheme `fused`, with a scale from 2^(exponent - 1) to below 2^exponent.
q::fused_multiplier multiplier_near(support::random_bits& random, int exponent, bool has_low) {
  const auto number = [&](int e) {
    return q::scale_by_power_of_two(q::from_integer<q::binary32>(random.between(1 << 23, (1 << 24) - 1)), e - 24);
  };
  const q::binary32 low = has_low ? number(exponent - 24 - random.below(8)) : q::binary32{};
  const q::fused_multiplier m{number(exponent), random.one_in(2) ? low : q::negate(low), number(-random.below(2))};
  REQUIRE(q::fused::valid(m));
  return m;
}

TEST_CASE(PARITY_NAME " proved: the scheme equals scalar on any accumulator, however the machine rounds", "[proved]") {
  if (!parity::is_tested<tested>()) return;
  support::random_bits random;
  std::vector<std::int32_t> acc = {0, 1, -1, q::int32_min, q::int32_max, 1 << 24, (1 << 24) + 1, -(1 << 24) - 1, -(1 << 24) - 3};
  while (acc.size() < 4096) acc.push_back(static_cast<std::int32_t>(random.integer(31)));
  for (int i = 0; i < 40; ++i) {
    const q::fused_multiplier m = multiplier_near(random, -random.below(21) - 1, i % 4 != 0);
    // Some accumulators lie near a change of the result.
    for (std::size_t a = 9; a < 1024; ++a) acc[a] = static_cast<std::int32_t>(static_cast<double>(a) / m.high.to_float() / 8);
    const q::rescale_layer layer{0, q::per_tensor_output<std::int16_t, q::fused>{m, {0, -30000, 30000}}};
    const q::matrix_view<const std::int32_t> x(acc, 1, 4096);
    std::vector<std::int16_t> expected(4096);
    q::run<q::backend::scalar>(layer, x, q::matrix_view(expected, 1, 4096));
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::vector<std::int16_t> y(4096);
      std::fesetround(mode);
      q::run<tested>(layer, x, q::matrix_view(y, 1, 4096));
      std::fesetround(FE_TONEAREST);
      INFO("mode " << mode << ", multiplier " << i);
      CHECK(y == expected);
    }
  }
}

TEST_CASE(PARITY_NAME " proved: layers with `fused` as their own scheme equal scalar", "[proved]") {
  if (!parity::is_tested<tested>()) return;
  support::random_bits random;
  constexpr q::index_t rows = 3, channels = 37, depth = 9;
  const auto in = random_values<std::int8_t>(random, rows * depth);
  const auto w = random_values<std::int8_t>(random, channels * depth);
  std::vector<q::fused_multiplier> m;
  while (m.size() < channels) m.push_back(multiplier_near(random, -1, true));
  std::vector<std::int32_t> constants(channels);
  const q::matrix_view<const std::int8_t> weights(w.data(), channels, depth);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {-3, 0}, constants);
  std::vector<std::int8_t> storage(size_of(q::packed_size<tested, std::int8_t, std::int8_t>(channels, depth)));
  const auto packed = q::pack<tested, std::int8_t>(weights, q::view<std::int8_t>(storage)).value;
  const q::matrix_view<const std::int8_t> x(in.data(), rows, depth);
  const auto equals_scalar = [&](const auto& output) {
    const q::linear_layer layer{packed, folded.value, output};
    std::vector<std::int16_t> expected(size_of(rows * channels)), y(expected.size());
    q::run<q::backend::scalar>(layer, x, q::matrix_view<std::int16_t>(expected.data(), rows, channels));
    q::run(layer, x, q::matrix_view<std::int16_t>(y.data(), rows, channels));
    return y == expected;
  };
  CHECK(equals_scalar(q::per_tensor_output<std::int16_t, q::fused>{m[0], {5, -20000, 20000}}));
  CHECK(equals_scalar(q::per_channel_output<std::int16_t, q::fused>{m, {5, -20000, 20000}}));
}

}  // namespace

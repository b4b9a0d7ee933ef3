#include <dyadic/conv2d.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "../oracle/integer_schemes.hpp"
#include "../oracle/layers.hpp"
#include "../support/catch.hpp"

// Defects of other engines, which this test shows to be absent here, and corner cases after the accumulator.

namespace {

namespace q = dyadic;
using oracle::size;

/// Returns the outputs of a 1 x 1 convolution over `pixels` pixels, or of a linear layer of `pixels` rows with the same numbers.
/// Each row of weights ends in a gap of three weights of -128, which must not enter a sum.
template <class Output>
std::vector<std::int64_t> outputs_of(const std::vector<std::int16_t>& x, const std::vector<std::int8_t>& w, size channels,
                                     size depth, Output output, bool as_linear) {
  std::vector<std::int8_t> apart(static_cast<std::size_t>(channels * (depth + 3)), -128);
  for (size o = 0; o < channels; ++o) std::copy_n(w.begin() + o * depth, depth, apart.begin() + o * (depth + 3));
  const q::matrix_view<const std::int8_t> weights(apart.data(), channels, depth, depth + 3);
  const size pixels = static_cast<size>(x.size()) / depth;
  std::vector<typename Output::accumulator> constants(static_cast<std::size_t>(channels));
  const auto folded = q::fold<std::int16_t>(weights, q::no_bias{}, {}, constants);
  REQUIRE(folded.status == q::status::ok);
  std::vector<typename Output::value_type> y(static_cast<std::size_t>(pixels * channels));
  const auto finish = [&](const auto& layer, auto in, auto out) {
    REQUIRE(check(layer, in, out) == q::status::ok);
    run(layer, in, out);
  };
  if (as_linear)
    finish(q::linear_layer{weights, folded.value, output}, q::matrix_view<const std::int16_t>(x.data(), pixels, depth),
           q::matrix_view<typename Output::value_type>(y.data(), pixels, channels));
  else
    finish(q::conv2d_layer{weights, folded.value, q::window2d{}, 1, output},
           q::nhwc_view<const std::int16_t>(x.data(), 1, 1, pixels, depth),
           q::nhwc_view<typename Output::value_type>(y.data(), 1, 1, pixels, channels));
  return std::vector<std::int64_t>(y.begin(), y.end());
}

/// The multiplier 2^-17.
constexpr q::multiplier16 by_2_to_17 = {1 << 14, 31};
using int16_output = q::per_tensor_output<std::int16_t, q::tflite::reduced_int64>;

/// Returns the outputs of a linear layer with weights of 0. Its biases are the accumulators.
template <class Output>
std::vector<std::int64_t> finished(const std::vector<std::int64_t>& accumulators, Output output) {
  const auto channels = static_cast<size>(accumulators.size());
  const std::vector<std::int8_t> w(accumulators.size(), 0);
  const std::int8_t x[] = {1};
  const q::matrix_view<const std::int8_t> weights(w.data(), channels, 1);
  std::vector<typename Output::accumulator> constants(accumulators.size());
  const auto folded = q::fold<std::int8_t>(weights, accumulators, {}, constants);
  const q::linear_layer layer{weights, folded.value, output};
  std::vector<typename Output::value_type> y(accumulators.size());
  const q::matrix_view<const std::int8_t> in(x, 1, 1);
  const q::matrix_view<typename Output::value_type> out(y.data(), 1, channels);
  REQUIRE(folded.status == q::status::ok);
  REQUIRE(check(layer, in, out) == q::status::ok);
  run(layer, in, out);
  return std::vector<std::int64_t>(y.begin(), y.end());
}

}  // namespace

TEST_CASE("the left-over pixel of an odd count is as wide as the others: 17578, not -15190") {
  // CMSIS-NN, arm_convolve_s16 with an int64 bias and K > 512: 600 * 32000 * 120 / 2^17.
  for (const size pixels : {1, 2, 3, 5}) {
    const std::vector<std::int16_t> x(static_cast<std::size_t>(pixels * 600), 32000);
    const std::vector<std::int8_t> w(600, 120);
    const std::vector<std::int64_t> expected(static_cast<std::size_t>(pixels), 17578);
    CHECK(outputs_of(x, w, 1, 600, int16_output{by_2_to_17}, false) == expected);
    CHECK(outputs_of(x, w, 1, 600, int16_output{by_2_to_17}, true) == expected);
  }
}

TEST_CASE("the tail of an odd channel adds no product beyond its row") {
  // CMSIS-NN, arm_nn_mat_mult_kernel_s16: K > 512, K % 4 != 0, an odd number of channels.
  std::mt19937 random(75);
  for (size depth = 509; depth <= 518; ++depth)
    for (const size channels : {1, 2, 3, 5})
      for (const size pixels : {1, 2, 3}) {
        std::vector<std::int16_t> x(static_cast<std::size_t>(pixels * depth));
        std::vector<std::int8_t> w(static_cast<std::size_t>(channels * depth));
        for (auto& value : x) value = static_cast<std::int16_t>(random());
        for (auto& value : w) value = static_cast<std::int8_t>(random());
        oracle::layer l;
        l.h = pixels;
        l.c = depth;
        l.out_c = channels;
        const auto expected = oracle::linear(
            l, [&](size, size r, size, size k) { return x[static_cast<std::size_t>(r * depth + k)]; },
            [&](size o, size, size, size k) { return w[static_cast<std::size_t>(o * depth + k)]; }, [](size) { return 0; });
        REQUIRE(outputs_of(x, w, channels, depth, q::raw_output<std::int64_t>{}, false) == expected);
        REQUIRE(outputs_of(x, w, channels, depth, q::raw_output<std::int64_t>{}, true) == expected);
      }
}

TEST_CASE("the corner of all least operands keeps its sign: 16384, not -16384") {
  // CMSIS-NN, arm_fully_connected_s16 from K = 512 on: 512 * 2^22 = 2^31.
  const std::vector<std::int16_t> x(512, -32768);
  const std::vector<std::int8_t> w(512, -128);
  CHECK(outputs_of(x, w, 1, 512, int16_output{by_2_to_17}, false) == std::vector<std::int64_t>{16384});
  CHECK(outputs_of(x, w, 1, 512, int16_output{by_2_to_17}, true) == std::vector<std::int64_t>{16384});
  CHECK(outputs_of(x, w, 1, 512, q::raw_output<std::int64_t>{}, false) == std::vector<std::int64_t>{std::int64_t{1} << 31});
}

TEST_CASE("results by TFLite's arrays equal the oracle, with shifts -31 to 30, or -31 to 7 for 15 bits") {
  const std::vector<std::int64_t> accumulators = {2147483647, -2147483648LL, 1, -1, 0, 3, -5, 123456789};
  const std::vector<std::int32_t> mantissas = {1 << 30,    q::int32_max, 1 << 30,    q::int32_max,
                                               0x7FFF0000, 0x7FFEFFFF,   0x7FFF8000, 0x7FFF7FFF};
  for (const int shift : {-31, -30, -1, 0, 1, 7, 30}) {
    const std::vector<std::int32_t> shifts(8, shift);
    using double_pairs = q::per_channel_arrays_output<std::int32_t, q::tflite::double_rounding>;
    using reduced_pairs = q::per_channel_arrays_output<std::int32_t, q::tflite::reduced_int64>;
    const auto doubled = finished(accumulators, double_pairs{mantissas, shifts});
    for (std::size_t i = 0; i < 8; ++i)
      CHECK(doubled[i] == oracle::tflite_double(static_cast<std::int32_t>(accumulators[i]), mantissas[i], shift));
    if (shift > 7) continue;
    const auto reduced = finished(accumulators, reduced_pairs{mantissas, shifts});
    for (std::size_t i = 0; i < 8; ++i) CHECK(reduced[i] == oracle::tflite_reduced_i64(accumulators[i], mantissas[i], shift));
  }
}

TEST_CASE("results by TOSA's arrays equal the oracle, with shifts 2 to 62") {
  const std::vector<std::int64_t> accumulators = {(std::int64_t{1} << 47) - 1, -(std::int64_t{1} << 47), 1, -1};
  const std::vector<std::int64_t> mantissas = {32767, 32767, 1 << 14, 1 << 14};
  for (const int shift : {2, 3, 30, 31, 32, 61, 62}) {
    const std::vector<std::int64_t> shifts(4, shift);
    using pairs = q::per_channel_arrays_output<std::int32_t, q::tosa::scale16, std::int64_t, q::shift_convention::right>;
    const auto y = finished(accumulators, pairs{mantissas, shifts});
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(y[i] == oracle::saturate32(oracle::exact_half_up(accumulators[i], mantissas[i], shift)));
  }
}

TEST_CASE("exact ties of both signs go where the scheme says, by one or by two roundings") {
  const std::vector<std::int64_t> ties = {5, -5, 7, -7, 4, -4, 6, -6, 1, -1};  // ties, and numbers one more and one less
  using half_up = q::per_tensor_output<std::int16_t, q::exact::half_up>;
  using half_away = q::per_tensor_output<std::int16_t, q::exact::half_away>;
  using half_even = q::per_tensor_output<std::int16_t, q::exact::half_even>;
  CHECK(finished(ties, half_up{{1, 1}}) == std::vector<std::int64_t>{3, -2, 4, -3, 2, -2, 3, -3, 1, 0});
  CHECK(finished(ties, half_away{{1, 1}}) == std::vector<std::int64_t>{3, -3, 4, -4, 2, -2, 3, -3, 1, -1});
  CHECK(finished(ties, half_even{{1, 1}}) == std::vector<std::int64_t>{2, -2, 4, -4, 2, -2, 3, -3, 0, 0});
}

TEST_CASE("outputs clip at both rails, after the zero point and not before") {
  const std::vector<std::int64_t> accumulators = {300, -300, 100, -100, 27, 28, -27, -28};
  using int8_output = q::per_tensor_output<std::int8_t, q::exact::half_up>;
  CHECK(finished(accumulators, int8_output{{1, 0}, {0, -128, 127}}) ==
        std::vector<std::int64_t>{127, -128, 100, -100, 27, 28, -27, -28});
  CHECK(finished(accumulators, int8_output{{1, 0}, {100, -128, 127}}) ==
        std::vector<std::int64_t>{127, -128, 127, 0, 127, 127, 73, 72});
  CHECK(finished(accumulators, int8_output{{1, 0}, {-128, -128, -100}}) ==
        std::vector<std::int64_t>{-100, -128, -100, -128, -101, -100, -128, -128});
  CHECK(finished(accumulators, int8_output{{1, 0}, {127, 100, 127}}) ==
        std::vector<std::int64_t>{127, 100, 127, 100, 127, 127, 100, 100});
}

#include "network.hpp"

#include "../support/catch.hpp"

#ifdef __SIZEOF_INT128__
#include "../oracle/exact_real.hpp"
#include "../oracle/linear.hpp"
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace dyadic;
using digits::image_count;
using int8_format = digits::a8w8::format;
using int16_format = digits::a16w8::format;

namespace {

// Prepared by the compiler: quantized pixels, multipliers, folded biases.
constexpr digits::network<int16_format, tosa::scale16> compiled_a16w8;
constexpr digits::network<int8_format, tflite::double_rounding> compiled_a8w8;
static_assert(compiled_a16w8.status() == status::ok);
static_assert(compiled_a8w8.status() == status::ok);

constexpr int some_image = 0;
static_assert(compiled_a16w8.classify(digits::image(some_image)) == digits::labels[some_image]);
static_assert(compiled_a8w8.classify(digits::image(some_image)) == digits::labels[some_image]);
constexpr auto compiled_logits_a16w8 = compiled_a16w8.logits(digits::image(some_image));
constexpr auto compiled_logits_a8w8 = compiled_a8w8.logits(digits::image(some_image));

/// In percent of the held-out images.
template <class Classify>
double accuracy(Classify classify) {
  int correct = 0;
  for (int i = 0; i < image_count; ++i) correct += classify(digits::image(i)) == digits::labels[i] ? 1 : 0;
  return 100.0 * correct / image_count;
}

double float_accuracy() {
  return accuracy([](const std::uint8_t* image) { return digits::largest(digits::float32::logits(image)); });
}

template <class Format, class Scheme>
double quantized_accuracy() {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.status() == status::ok);
  return accuracy([&](const std::uint8_t* image) { return net.classify(image); });
}

}  // namespace

TEST_CASE("the float network reads 97 of 100 digits") { CHECK(float_accuracy() >= 97.0); }

TEST_CASE("a16w8 is within 0.3 points of float") {
  const double least = float_accuracy() - 0.3;
  CHECK(quantized_accuracy<int16_format, tosa::scale16>() >= least);
  CHECK(quantized_accuracy<int16_format, tflite::reduced_int64>() >= least);
  CHECK(quantized_accuracy<int16_format, exact::half_up>() >= least);
}

TEST_CASE("a8w8 is within 1.5 points of float") {
  const double least = float_accuracy() - 1.5;
  CHECK(quantized_accuracy<int8_format, tflite::double_rounding>() >= least);
  CHECK(quantized_accuracy<int8_format, xnnpack::fp32>() >= least);
  CHECK(quantized_accuracy<int8_format, exact::half_up>() >= least);
}

TEST_CASE("the logits are the same at compile time and at run time") {
  const digits::network<int16_format, tosa::scale16> a16w8;
  const digits::network<int8_format, tflite::double_rounding> a8w8;
  CHECK(a16w8.logits(digits::image(some_image)) == compiled_logits_a16w8);
  CHECK(a8w8.logits(digits::image(some_image)) == compiled_logits_a8w8);
  for (int i = 0; i < image_count; ++i) {
    REQUIRE(a16w8.logits(digits::image(i)) == compiled_a16w8.logits(digits::image(i)));
    REQUIRE(a8w8.logits(digits::image(i)) == compiled_a8w8.logits(digits::image(i)));
  }
}

// What follows needs 128-bit integers, which 32-bit targets lack.
#ifdef __SIZEOF_INT128__

namespace {

/// acc * x_scale * w_scale / y_scale as a rational number, rounded once, ties up.
std::int64_t exactly_rounded(std::int64_t acc, double x_scale, double w_scale, double y_scale) {
  const auto exact = [](double scale) { return oracle::from_float(static_cast<float>(scale)); };
  const oracle::real x_w = oracle::product(exact(x_scale), exact(w_scale));
  const oracle::real y = exact(y_scale);
  oracle::wide numerator = acc * static_cast<oracle::wide>(x_w.significand);
  auto denominator = static_cast<oracle::wide>(y.significand);
  const int exponent = x_w.exponent - y.exponent;
  (exponent < 0 ? denominator : numerator) *= oracle::wide{1} << std::abs(exponent);
  const oracle::wide doubled = 2 * numerator + denominator;
  const oracle::wide quotient = doubled / (2 * denominator);
  return static_cast<std::int64_t>(quotient - (doubled % (2 * denominator) < 0 ? 1 : 0));
}

/// A layer from its definition: without fold, fixed-point multipliers or any other help of dyadic.
template <class Activation, class Bias>
std::vector<Activation> exact_layer(const digits::quantized_layer<Bias>& layer, const std::vector<Activation>& x) {
  std::vector<Activation> y;
  for (index_t o = 0; o < layer.bias.size(); ++o) {
    const std::int64_t acc = oracle::linear_accumulator(x.data(), layer.weights.row(o), layer.weights.cols(), layer.zero.x,
                                                        layer.zero.w, layer.bias[o]);
    const double w_scale = layer.w_scale[layer.w_scale.size() == 1 ? 0 : o];
    const std::int64_t value = exactly_rounded(acc, layer.x_scale, w_scale, layer.y_scale) + layer.range.zero_point;
    y.push_back(static_cast<Activation>(oracle::clamp(value, layer.range.min, layer.range.max)));
  }
  return y;
}

template <class Format>
std::vector<typename Format::activation> exact_pixels(const std::uint8_t* image) {
  std::vector<typename Format::activation> x;
  for (int p = 0; p < digits::pixel_count; ++p) {
    const double stored = static_cast<double>(image[p]) / Format::first.x_scale + 0.5;
    x.push_back(static_cast<typename Format::activation>(static_cast<std::int32_t>(stored) + Format::first.zero.x));
  }
  return x;
}

/// The largest |a - b|. Requires: equal sizes.
template <class A, class B>
int largest_difference(const A& a, const B& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(int{a[i]} - int{b[i]}));
  return largest;
}

template <std::size_t N, class T>
std::array<T, N> as_array(const std::vector<T>& v) {
  std::array<T, N> a{};
  std::copy_n(v.begin(), N, a.begin());
  return a;
}

/// How far any output of either layer is from the exactly rounded one; both layers see the exactly rounded input.
template <class Format, class Scheme>
int distance_from_exact() {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.status() == status::ok);
  int largest = 0;
  for (int i = 0; i < image_count; ++i) {
    const auto x = exact_pixels<Format>(digits::image(i));
    const auto hidden = exact_layer(Format::first, x);
    const auto logits = exact_layer(Format::second, hidden);
    largest = std::max(largest, largest_difference(x, net.quantize(digits::image(i))));
    largest = std::max(largest, largest_difference(hidden, net.first(as_array<digits::pixel_count>(x))));
    largest = std::max(largest, largest_difference(logits, net.second(as_array<digits::hidden_count>(hidden))));
  }
  return largest;
}

template <class Format, class... Schemes>
void require_distance(int most) {
  const int distances[] = {distance_from_exact<Format, Schemes>()...};
  for (std::size_t i = 0; i < sizeof...(Schemes); ++i) {
    INFO("scheme number " << i);
    CHECK(distances[i] <= most);
  }
}

/// From pixel to logit, for all images.
template <class Format, class Scheme>
void require_exact_logits() {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.status() == status::ok);
  int different = 0;
  for (int i = 0; i < image_count; ++i) {
    const auto exact = exact_layer(Format::second, exact_layer(Format::first, exact_pixels<Format>(digits::image(i))));
    different += largest_difference(exact, net.logits(digits::image(i))) != 0 ? 1 : 0;
  }
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("the exact scheme gives the rounded rational result in all logits of all images") {
  require_exact_logits<int16_format, exact::half_up>();
  require_exact_logits<int8_format, exact::half_up>();
}

TEST_CASE("each scheme is at most one away from the exactly rounded result") {
  require_distance<int16_format, tosa::scale16, tflite::reduced_int64, cmsis_nn::requantize_s64,
                   tflite::double_scale<std::int64_t>, exact::half_up, exact::half_away, exact::half_even>(1);
  require_distance<int8_format, tflite::double_rounding, tflite::single_rounding, tflite::neon_double_rounding,
                   tflite::neon_single_rounding, cmsis_nn::double_rounding, cmsis_nn::single_rounding,
                   cmsis_nn::mve_double_rounding, cmsis_nn::mve_single_rounding, cmsis_nn::mve_predicated_single_rounding,
                   tosa::scale32, tosa::scale32_double_round, ruy::reference, ruy::x86_simd, fbgemm::fixed, fbgemm::floating,
                   xnnpack::fp32, xnnpack::rndnu, xnnpack::rndnu_neon, xnnpack::rndnu16, xnnpack::rndna, xnnpack::gemmlowp,
                   exact::half_up, exact::half_away, exact::half_even>(1);
}

#endif

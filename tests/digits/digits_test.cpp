#include "network.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "../support/catch.hpp"

#ifdef __SIZEOF_INT128__
#include "exact_network.hpp"
#endif

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

/// The largest |a - b|. Requires: equal sizes.
template <class A, class B>
int largest_difference(const A& a, const B& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(int{a[i]} - int{b[i]}));
  return largest;
}

/// How far any output of either layer is from the exactly rounded one; both layers see the exactly rounded input.
template <class Format, class Scheme>
int distance_from_exact() {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.status() == status::ok);
  int largest = 0;
  for (int i = 0; i < image_count; ++i) {
    const digits::exact_network<Format> exact(digits::image(i));
    largest = std::max(largest, largest_difference(exact.pixels, net.quantize(digits::image(i))));
    largest = std::max(largest, largest_difference(exact.hidden, net.first(exact.pixels)));
    largest = std::max(largest, largest_difference(exact.logits, net.second(exact.hidden)));
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
    const digits::exact_network<Format> exact(digits::image(i));
    different += largest_difference(exact.logits, net.logits(digits::image(i))) != 0 ? 1 : 0;
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

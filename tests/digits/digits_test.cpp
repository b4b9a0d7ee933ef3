#include "network.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "../support/catch.hpp"
#include "../support/schemes.hpp"

#ifdef __SIZEOF_INT128__
#include "exact_network.hpp"
#endif

using namespace dyadic;
using digits::convolutional_a16w8;
using digits::convolutional_float;
using digits::image_count;
using digits::linear_a16w8;
using digits::linear_a8w8;
using digits::linear_float;

namespace {

// The compiler prepares these networks: quantized pixels, multipliers, folded biases.
constexpr digits::network<linear_a16w8, tosa::scale16> compiled_linear_a16w8;
constexpr digits::network<linear_a8w8, tflite::double_rounding> compiled_linear_a8w8;
constexpr digits::network<convolutional_a16w8, tosa::scale16> compiled_convolutional_a16w8;
static_assert(compiled_linear_a16w8.status() == status::ok);
static_assert(compiled_linear_a8w8.status() == status::ok);
static_assert(compiled_convolutional_a16w8.status() == status::ok);

constexpr int some_image = 0;
static_assert(compiled_linear_a16w8.classify(digits::image(some_image)) == digits::labels[some_image]);
static_assert(compiled_linear_a8w8.classify(digits::image(some_image)) == digits::labels[some_image]);
static_assert(compiled_convolutional_a16w8.classify(digits::image(some_image)) == digits::labels[some_image]);
constexpr auto logits_linear_a16w8 = compiled_linear_a16w8.logits(digits::image(some_image));
constexpr auto logits_linear_a8w8 = compiled_linear_a8w8.logits(digits::image(some_image));
constexpr auto logits_convolutional_a16w8 = compiled_convolutional_a16w8.logits(digits::image(some_image));

/// Returns the accuracy in percent of the held-out images.
template <class Network>
double accuracy(const Network& net) {
  int correct = 0;
  for (int i = 0; i < image_count; ++i) correct += net.classify(digits::image(i)) == digits::labels[i] ? 1 : 0;
  return 100.0 * correct / image_count;
}

template <class Format, class Scheme>
double quantized_accuracy() {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.status() == status::ok);
  return accuracy(net);
}

/// Checks that the logits at run time equal `logits`, which the compiler computed for some_image.
template <class Format, class Scheme, class Logits>
void require_same_at_run_time(const digits::network<Format, Scheme>& compiled, const Logits& logits) {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.logits(digits::image(some_image)) == logits);
  for (int i = 0; i < image_count; ++i) REQUIRE(net.logits(digits::image(i)) == compiled.logits(digits::image(i)));
}

}  // namespace

TEST_CASE("the float networks read 97 and 95 of 100 digits") {
  CHECK(accuracy(linear_float{}) >= 97.0);
  CHECK(accuracy(convolutional_float{}) >= 95.0);
}

TEST_CASE("a16w8 is within 0.3 points of float") {
  const double linear = accuracy(linear_float{}) - 0.3;
  CHECK(quantized_accuracy<linear_a16w8, tosa::scale16>() >= linear);
  CHECK(quantized_accuracy<linear_a16w8, tflite::reduced_int64>() >= linear);
  CHECK(quantized_accuracy<linear_a16w8, exact::half_up>() >= linear);
  const double convolutional = accuracy(convolutional_float{}) - 0.3;
  CHECK(quantized_accuracy<convolutional_a16w8, tosa::scale16>() >= convolutional);
  CHECK(quantized_accuracy<convolutional_a16w8, tflite::reduced_int64>() >= convolutional);
  CHECK(quantized_accuracy<convolutional_a16w8, exact::half_up>() >= convolutional);
}

TEST_CASE("a8w8 is within 1.5 points of float") {
  const double least = accuracy(linear_float{}) - 1.5;
  CHECK(quantized_accuracy<linear_a8w8, tflite::double_rounding>() >= least);
  CHECK(quantized_accuracy<linear_a8w8, xnnpack::fp32>() >= least);
  CHECK(quantized_accuracy<linear_a8w8, exact::half_up>() >= least);
}

TEST_CASE("the logits are the same at compile time and at run time") {
  require_same_at_run_time(compiled_linear_a16w8, logits_linear_a16w8);
  require_same_at_run_time(compiled_linear_a8w8, logits_linear_a8w8);
  require_same_at_run_time(compiled_convolutional_a16w8, logits_convolutional_a16w8);
}

// The rest needs 128-bit integers, which 32-bit targets lack.
#ifdef __SIZEOF_INT128__

namespace {

/// Returns the largest |a - b|. Requires: equal sizes.
template <class A, class B>
int largest_difference(const A& a, const B& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(int{a[i]} - int{b[i]}));
  return largest;
}

/// Returns the largest distance of an output from the exactly rounded output, over all layers. Each layer reads exact inputs.
template <class Format, class Scheme>
int distance_from_exact() {
  const digits::network<Format, Scheme> net;
  REQUIRE(net.status() == status::ok);
  int largest = 0;
  for (int i = 0; i < image_count; ++i) {
    const auto pixels = digits::exact_pixels<Format>(digits::image(i));
    largest = std::max(largest, largest_difference(pixels, net.quantize(digits::image(i))));
    digits::compare_with_exact(Format::layers, net.layers(), pixels, [&largest](const auto& exact, const auto& y) {
      largest = std::max(largest, largest_difference(exact, y));
    });
  }
  return largest;
}

template <class Format, class Scheme>
void require_distance(const char* scheme, int most) {
  INFO(scheme);
  CHECK(distance_from_exact<Format, Scheme>() <= most);
}
template <class Format, template <class...> class Selection>
void require_distance(int most) {
  support::each_scheme<Selection>([&](auto s) { require_distance<Format, typename decltype(s)::scheme>(s.name, most); });
}

/// Selects publishers that derive a multiplier from one scale.
template <class Scheme, class = void>
struct of_one_scale : std::false_type {};
template <class Scheme>
struct of_one_scale<Scheme, std::void_t<decltype(&Scheme::derive)>>
    : std::disjunction<std::is_invocable<decltype(&Scheme::derive), binary64>,
                       std::is_invocable<decltype(&Scheme::derive), binary32>> {};
template <class Scheme>
struct for_8_bits : std::conjunction<of_one_scale<Scheme>, support::with_int32_accumulator<Scheme>> {};
/// Selects schemes for 16-bit by 8-bit products, whose accumulators are wide.
template <class Scheme>
struct for_16_bits : std::conjunction<of_one_scale<Scheme>, support::with_wide_accumulator<Scheme>> {};

}  // namespace

TEST_CASE("the exact scheme gives the rounded rational result in all outputs of all images") {
  require_distance<linear_a16w8, exact::half_up>("half up", 0);
  require_distance<linear_a8w8, exact::half_up>("half up", 0);
  require_distance<convolutional_a16w8, exact::half_up>("half up", 0);
}

TEST_CASE("each scheme differs by at most 1 from the exactly rounded result") {
  require_distance<linear_a8w8, for_8_bits>(1);
  require_distance<linear_a16w8, for_16_bits>(1);
  require_distance<convolutional_a16w8, tosa::scale16>("tosa::scale16", 1);
}

#endif

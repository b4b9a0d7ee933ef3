// The digits network: accuracy, distance from the exactly rounded result, images per second.

#include "table.hpp"

#include "digits/exact_network.hpp"

#include <cstdlib>
#include <memory>

namespace bench {
namespace {

using ::digits::class_count;
using ::digits::hidden_count;
using ::digits::image;
using ::digits::image_count;

/// Ends the program if a value is more than 1 away.
template <class Values>
int count_different(const Values& a, const Values& b) {
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int distance = std::abs(a[i] - b[i]);
    if (distance > 1) fail("digits: an output is " + std::to_string(distance) + " away from the exactly rounded one");
    different += distance;
  }
  return different;
}

constexpr int output_count = image_count * (hidden_count + class_count);

/// The outputs of both layers that are not the exactly rounded ones, of output_count. Both layers see the same, exact input.
template <class Format, class Scheme>
int outputs_that_differ(const ::digits::network<Format, Scheme>& net) {
  int different = 0;
  for (int i = 0; i < image_count; ++i) {
    const ::digits::exact_network<Format> exact(image(i));
    different += count_different(exact.hidden, net.first(exact.pixels));
    different += count_different(exact.logits, net.second(exact.hidden));
  }
  return different;
}

/// Adds a row for a network that reads one image: `classify(pixels)`.
template <class Classify>
void add_network(table& t, const std::string& format, const std::string& scheme, const std::string& different, bool smoke,
                 Classify classify) {
  int correct = 0;
  for (int i = 0; i < image_count; ++i) correct += classify(image(i)) == ::digits::labels[i] ? 1 : 0;
  if (correct < image_count / 2) fail(format + " " + scheme + " reads only " + std::to_string(correct) + " images");
  const auto read = std::make_shared<std::vector<int>>(image_count);
  add(t, "digits<scalar>/" + format + (scheme == "-" ? "" : "/" + scheme),
      {format, scheme, fixed(100.0 * correct / image_count, 2), different}, image_count, smoke, [classify, read] {
        for (int i = 0; i < image_count; ++i) (*read)[static_cast<std::size_t>(i)] = classify(image(i));
        return read->data();
      });
}

template <class Format, class Scheme>
void add_scheme(table& t, const std::string& format, const std::string& scheme, bool smoke) {
  const auto net = std::make_shared<const ::digits::network<Format, Scheme>>();
  if (net->status() != dyadic::status::ok) fail(format + " " + scheme + ": " + to_string(net->status()));
  add_network(t, format, scheme, std::to_string(outputs_that_differ(*net)), smoke,
              [net](const std::uint8_t* pixels) { return net->classify(pixels); });
}

}  // namespace

table digits(bool smoke) {
  table t{"Digits: a network of 64 -> 32 -> 10 reads " + std::to_string(image_count) +
              " handwritten digits that it was not trained on",
          {"format", "scheme", "accuracy %", "differ", "images/s"},
          2,
          "differ: outputs of both layers, of " + std::to_string(output_count) +
              ", that are 1 away from the real result rounded once.\n" +
              "a16w8: int16 activations, int8 weights, symmetric. a8w8: int8 both, with zero points.\n"
              "images/s: from pixels to digit, one image at a time; float is a plain loop that adds in order.",
          [](const table&, const row& r) { return std::vector{rounded(r.items_per_second)}; }};
  using namespace dyadic;
  using a16w8 = ::digits::a16w8::format;
  using a8w8 = ::digits::a8w8::format;
  add_network(t, "float", "-", "-", smoke,
              [](const std::uint8_t* pixels) { return ::digits::largest(::digits::float32::logits(pixels)); });
  add_scheme<a16w8, tosa::scale16>(t, "a16w8", "tosa::scale16", smoke);
  add_scheme<a16w8, tflite::reduced_int64>(t, "a16w8", "tflite::reduced_int64", smoke);
  add_scheme<a16w8, cmsis_nn::requantize_s64>(t, "a16w8", "cmsis_nn::requantize_s64", smoke);
  add_scheme<a16w8, tflite::double_scale<std::int64_t>>(t, "a16w8", "tflite::double_scale", smoke);
  add_scheme<a16w8, exact::half_up>(t, "a16w8", "exact::half_up", smoke);
  add_scheme<a16w8, exact::half_away>(t, "a16w8", "exact::half_away", smoke);
  add_scheme<a16w8, exact::half_even>(t, "a16w8", "exact::half_even", smoke);
  add_scheme<a8w8, tflite::double_rounding>(t, "a8w8", "tflite::double_rounding", smoke);
  add_scheme<a8w8, tflite::single_rounding>(t, "a8w8", "tflite::single_rounding", smoke);
  add_scheme<a8w8, tflite::neon_double_rounding>(t, "a8w8", "tflite::neon_double_rounding", smoke);
  add_scheme<a8w8, tosa::scale32>(t, "a8w8", "tosa::scale32", smoke);
  add_scheme<a8w8, xnnpack::fp32>(t, "a8w8", "xnnpack::fp32", smoke);
  add_scheme<a8w8, xnnpack::rndnu>(t, "a8w8", "xnnpack::rndnu", smoke);
  add_scheme<a8w8, fbgemm::fixed>(t, "a8w8", "fbgemm::fixed", smoke);
  add_scheme<a8w8, exact::half_away>(t, "a8w8", "exact::half_away", smoke);
  return t;
}

}  // namespace bench

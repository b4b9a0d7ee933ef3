// dyadic_digits: networks that read digits: accuracy, distance from the exactly rounded result, images per second.

#include "table.hpp"

#include "digits/exact_network.hpp"
#include "support/schemes.hpp"

#include <cstdlib>
#include <memory>

namespace bench {
namespace {

using ::digits::image;
using ::digits::image_count;

/// Returns the percentage of all layers' outputs that differ from the exactly rounded outputs. All layers get exact inputs. Ends
/// the program if an output is more than 1 away.
template <class Format, class Scheme>
std::string share_that_differs(const ::digits::network<Format, Scheme>& net) {
  int outputs = 0;
  int different = 0;
  for (int i = 0; i < image_count; ++i) {
    const auto pixels = ::digits::exact_pixels<Format>(image(i));
    ::digits::compare_with_exact(Format::layers, net.layers(), pixels, [&](const auto& exact, const auto& y) {
      for (std::size_t k = 0; k < y.size(); ++k, ++outputs) {
        const int distance = std::abs(y[k] - exact[k]);
        if (distance > 1) fail("digits: an output is " + std::to_string(distance) + " away from the exactly rounded one");
        different += distance;
      }
    });
  }
  return fixed(100.0 * different / outputs, 2);
}

/// Adds a row for a network. `classify(pixels)` reads one image.
template <class Network>
void add_network(table& t, const std::string& name, const std::string& format, const std::string& scheme,
                 const std::string& different, const std::shared_ptr<contest>& in, const std::shared_ptr<Network>& net) {
  int correct = 0;
  for (int i = 0; i < image_count; ++i) correct += net->classify(image(i)) == ::digits::labels[i] ? 1 : 0;
  if (correct < image_count / 2) fail(format + " " + scheme + " reads only " + std::to_string(correct) + " images");
  const auto read = std::make_shared<std::vector<int>>(image_count);
  add(t, "digits<scalar>/" + name + "/" + format + "/" + scheme,
      {name, format, scheme, fixed(100.0 * correct / image_count, 2), different}, in, repeated([net, read] {
        for (int i = 0; i < image_count; ++i) (*read)[static_cast<std::size_t>(i)] = net->classify(image(i));
        return read->data();
      }),
      {image_count});
}

template <class Format, class Scheme>
void add_scheme(table& t, const std::string& name, const std::string& format, const std::string& scheme,
                const std::shared_ptr<contest>& in) {
  const auto net = std::make_shared<const ::digits::network<Format, Scheme>>();
  if (net->status() != dyadic::status::ok) fail(format + " " + scheme + ": " + to_string(net->status()));
  add_network(t, name, format, scheme, share_that_differs(*net), in, net);
}

/// Adds a row for float, then a row for each scheme that takes int64 accumulators.
template <class Float, class A16w8>
void add_a16w8(table& t, const std::string& name, const std::shared_ptr<contest>& in) {
  add_network(t, name, "float", "-", "-", in, std::make_shared<const Float>());
  support::each_scheme<support::with_wide_accumulator>(
      [&](auto named) { add_scheme<A16w8, typename decltype(named)::scheme>(t, name, "a16w8", named.name, in); });
}

table digits(bool smoke) {
  table t{"Digits: two networks read " + std::to_string(image_count) + " handwritten digits that they were not trained on",
          {"network", "format", "scheme", "accuracy %", "differ %", "images/s"},
          3,
          "linear: 64 -> 32 -> 10. convolutional: 8x8x1 -> conv 3x3 -> 8x8x8 -> depthwise 3x3 / 2 -> 4x4x8 -> linear -> 10.\n"
          "differ: outputs of all layers that are 1 away from the real result rounded once.\n"
          "a16w8: int16 activations, int8 weights, symmetric. a8w8: int8 both, with zero points.\n"
          "images/s: from pixels to digit, one image at a time; float is a plain loop that adds in order.",
          [](const table&, const row& r) { return std::vector{rounded(r.items_per_second)}; }};
  using namespace dyadic;
  using a8w8 = ::digits::linear_a8w8;
  const auto linear = std::make_shared<contest>(smoke);
  add_a16w8<::digits::linear_float, ::digits::linear_a16w8>(t, "linear", linear);
  add_scheme<a8w8, tflite::double_rounding>(t, "linear", "a8w8", "tflite::double_rounding", linear);
  add_scheme<a8w8, tflite::single_rounding>(t, "linear", "a8w8", "tflite::single_rounding", linear);
  add_scheme<a8w8, tflite::neon_double_rounding>(t, "linear", "a8w8", "tflite::neon_double_rounding", linear);
  add_scheme<a8w8, tosa::scale32>(t, "linear", "a8w8", "tosa::scale32", linear);
  add_scheme<a8w8, xnnpack::fp32>(t, "linear", "a8w8", "xnnpack::fp32", linear);
  add_scheme<a8w8, xnnpack::rndnu>(t, "linear", "a8w8", "xnnpack::rndnu", linear);
  add_scheme<a8w8, fbgemm::fixed>(t, "linear", "a8w8", "fbgemm::fixed", linear);
  add_scheme<a8w8, exact::half_away>(t, "linear", "a8w8", "exact::half_away", linear);
  add_a16w8<::digits::convolutional_float, ::digits::convolutional_a16w8>(t, "convolutional", std::make_shared<contest>(smoke));
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::digits); }

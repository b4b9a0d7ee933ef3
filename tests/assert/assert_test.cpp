// A program of its own: files that differ in DYADIC_ASSERT do not link.
namespace {
int failures = 0;
}
#define DYADIC_ASSERT(condition) ((condition) ? void() : void(++failures))

#include <dyadic/depthwise.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/matmul.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

std::int8_t x[64] = {1, 2, 3};
std::int8_t w[64] = {4, 5, 6};
std::int32_t y[64] = {};
std::int32_t constants[16] = {};
using raw = q::raw_output<std::int32_t>;

/// How many assertions fail in `run`.
template <class Run>
int failures_of(Run run) {
  failures = 0;
  run();
  return failures;
}

template <class T>
q::nhwc_view<T> image(T* data, q::index_t h, q::index_t c) {
  return {data, 1, h, 2, c};
}

}  // namespace

TEST_CASE("run asserts the shapes and rows of a linear layer") {
  const q::matrix_view<const std::int8_t> weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {1, 2}, q::view(constants, 2));
  const q::linear_layer<std::int8_t, raw> layer{weights, folded.value, {}};
  const auto failed = [&](q::index_t x_rows, q::index_t depth, q::index_t channels, q::row_range rows) {
    return failures_of([&] { run(layer, q::matrix_view(x, x_rows, depth), q::matrix_view(y, 4, channels), rows); });
  };
  CHECK(failed(4, 3, 2, {0, 4}) == 0);
  CHECK(failed(4, 4, 2, {0, 4}) == 1);
  CHECK(failed(3, 3, 2, {0, 1}) == 1);
  CHECK(failed(4, 3, 1, {0, 4}) == 1);
  CHECK(failed(4, 3, 2, {3, 2}) == 1);
}

TEST_CASE("run asserts the shapes of the operators with windows") {
  const q::window2d window{{1, 1, 1, 0, 0}, {2, 1, 1, 1, 0}};
  const q::matrix_view<const std::int8_t> rows(w, 3, 6);
  const q::matrix_view<const std::int8_t> taps(w, 2, 3);
  const auto conv = q::fold_conv2d<std::int8_t>(rows, window, q::no_bias{}, {}, q::view(constants, 3));
  const auto depthwise = q::fold_depthwise<std::int8_t>(taps, window, q::no_bias{}, {}, q::view(constants, 3));
  const auto failed = [](const auto& layer, q::index_t height) {
    return failures_of([&] { run(layer, image(x, height, 3), image(y, 2, 3)); });
  };
  const q::conv2d_layer<std::int8_t, raw> c{rows, conv.value, window, 1, {}};
  const q::depthwise_layer<std::int8_t, raw> d{taps, depthwise.value, window, {}};
  CHECK(failed(c, 2) == 0);
  CHECK(failed(c, 3) == 1);
  CHECK(failed(d, 2) == 0);
  CHECK(failed(d, 3) == 1);
  auto of_other_window = c;
  of_other_window.window.x.kernel = 1;
  CHECK(failed(of_other_window, 2) == 1);
}

TEST_CASE("run asserts the shapes of a matmul and of a rescale") {
  const q::matmul_layer<raw> product{{1, 2}, {}};
  const auto failed = [&](q::index_t columns, q::index_t scratch) {
    return failures_of([&] {
      run(product, q::batch_view(x, 2, 2, 3), q::batch_view(w, 2, columns, 3), q::batch_view(y, 2, 2, 2),
          q::view(constants, scratch));
    });
  };
  CHECK(failed(2, 2) == 0);
  CHECK(failed(2, 1) == 1);
  CHECK(failed(3, 3) > 0);
  const q::rescale_layer<q::per_tensor_output<std::int32_t, q::exact::half_up>> rescale{0, {{1, 1}}};
  CHECK(failures_of([&] { run(rescale, q::matrix_view(x, 2, 3), q::matrix_view(y, 2, 3)); }) == 0);
  CHECK(failures_of([&] { run(rescale, q::matrix_view(x, 2, 3), q::matrix_view(y, 2, 2)); }) == 1);
}

TEST_CASE("run takes what check lets run: a softmax of a row that is too long for its engine") {
  static std::int8_t row[512] = {};
  static std::int8_t softmax[512] = {};
  const auto rule = q::tflite::softmax<std::int8_t>::derive(1.0f, 0.0625f).value;
  const q::softmax_layer layer{rule};
  const q::matrix_view<const std::int8_t> in(row, 1, 512);
  const q::matrix_view<std::int8_t> out(softmax, 1, 512);
  REQUIRE(check(layer, in, out) == q::status::accumulator_overflow);
  CHECK(failures_of([&] { run(layer, in, out); }) == 0);
  CHECK(failures_of([&] { run(layer, in, q::matrix_view<std::int8_t>(softmax, 1, 511)); }) > 0);
}

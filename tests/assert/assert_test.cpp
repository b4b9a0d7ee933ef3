// A program of its own: files that differ in DYADIC_ASSERT do not link.
namespace {
int failures = 0;
}
#define DYADIC_ASSERT(condition) ((condition) ? void() : void(++failures))

#include <dyadic/any_layer.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/explain.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/matmul.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/thresholds.hpp>
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

/// Returns how many assertions fail in `run`.
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
  const auto conv = q::fold_conv2d<std::int8_t>(rows, q::no_bias{}, window, {}, q::view(constants, 3));
  const auto depthwise = q::fold_depthwise<std::int8_t>(taps, q::no_bias{}, window, {}, q::view(constants, 3));
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

TEST_CASE("run accepts a softmax row that is too long for its engine, as check does") {
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

TEST_CASE("a layer with types known at run time asserts channels, workspace and parts") {
  constexpr auto kinds =
      q::layer_kinds_of<q::backend::scalar, q::kind<q::op::linear, std::int8_t, std::int8_t, void, std::int32_t>>();
  q::layer_spec spec;
  spec.x = spec.w = q::element_type::int8;
  spec.y = q::element_type::int32;
  spec.channels = spec.depth = 2;
  spec.weights = w;
  alignas(q::arena_alignment) unsigned char arena[64];
  const auto made = kinds.prepare(spec, arena);
  REQUIRE(made.status == q::status::ok);
  const q::any_input in = q::matrix_view(x, 3, 2);
  const q::any_output out = q::matrix_view(y, 3, 2);
  const auto failed = [&](q::channel_range channels) {
    return failures_of([&] { run(made.value, in, out, {{0, 3}, channels}); });
  };
  CHECK((failed({0, 2}) == 0 && failed({2, 2}) == 0 && failed({2, 1}) == 1 && failed({3, 3}) == 1 && failed({-1, -1}) == 1));
  std::byte memory[1] = {};
  CHECK(failures_of([&] { run(made.value, in, out, {{0, 3}, {0, 0}, {memory, 1}}); }) == 0);
  CHECK(failures_of([&] { run(made.value, in, out, {{0, 3}, {0, 0}, {memory, -1}}); }) == 1);
  const auto failed_parts = [&](q::index_t part, q::index_t parts, const q::any_output& of) {
    return failures_of([&] { static_cast<void>(part_of(made.value, of, part, parts)); });
  };
  CHECK((failed_parts(1, 2, out) == 0 && failed_parts(2, 2, out) == 1 && failed_parts(-1, 2, out) == 1));
  CHECK(failed_parts(0, 1, q::matrix_view(y, 3, 1)) == 1);
}

TEST_CASE("views without a type assert the requested type, rank and gaps") {
  const q::any_output images(q::element_type::int32, y, 1, 2, 1, 2);
  const auto of_pixels = [](q::index_t pixel, q::index_t row, q::index_t image) {
    return q::any_output(q::nhwc_view(y, 2, 2, 2, 1, pixel, row, image));
  };
  const auto failed = [](const auto& call) { return failures_of([&] { static_cast<void>(call()); }); };
  CHECK(failed([&] { return images.images<std::int32_t>(); }) == 0);
  CHECK(failed([&] { return images.images<std::int64_t>(); }) == 1);
  CHECK(failed([&] { return images.matrix<std::int32_t>(); }) == 1);
  CHECK(failed([&] { return q::any_output(q::matrix_view(y, 2, 2)).matrix<std::int32_t>(); }) == 0);
  CHECK(failed([&] { return of_pixels(1, 2, 4).as_rows(); }) == 0);
  CHECK(failed([&] { return of_pixels(2, 4, 8).as_rows(); }) == 1);
  CHECK(failed([&] { return of_pixels(1, 3, 6).as_rows(); }) == 1);
  CHECK(failed([&] { return of_pixels(1, 2, 5).as_rows(); }) == 1);
}

TEST_CASE("parts of channels assert that they are within the layer or the view") {
  const q::matrix_view<const std::int8_t> weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {1, 2}, q::view(constants, 2));
  const q::linear_layer<std::int8_t, raw> layer{weights, folded.value, {}};
  const auto failed = [](const auto& call) { return failures_of([&] { static_cast<void>(call()); }); };
  CHECK(failed([&] { return q::channels_of(layer, {1, 2}); }) == 0);
  CHECK(failed([&] { return q::channels_of(layer, {1, 3}); }) == 1);
  CHECK(failed([&] { return q::channels_of(layer, {2, 1}); }) == 1);
  CHECK(failed([&] { return q::channels_of(q::matrix_view(y, 2, 3), {0, 3}); }) == 0);
  CHECK(failed([&] { return q::channels_of(q::matrix_view(y, 2, 3), {0, 4}); }) == 1);
  CHECK(failed([&] { return q::channels_of(image(y, 2, 3), {3, 2}); }) == 1);
  auto unsound = layer;
  unsound.weights = {w, 2, 3, 1};
  CHECK(failed([&] { return q::channels_of(unsound, {0, 1}); }) == 1);
}

TEST_CASE("functions of window sizes assert a sound window and the size of an image") {
  constexpr q::index_t most = q::detail::size_limit;
  const auto failed = [](const auto& call) { return failures_of([&] { static_cast<void>(call()); }); };
  for (const q::index_t size : {q::index_t{0}, q::index_t{5}, most, q::index_t{-1}, most + 1}) {
    const int expected = size < 0 || size > most ? 1 : 0;
    CHECK(failed([&] { return q::forward_size(size, {}); }) == expected);
    CHECK(failed([&] { return q::transposed_size(size, {}); }) == expected);
    CHECK(failed([&] { return q::with_same_padding(size, {}); }) == expected);
  }
  CHECK((failed([] { return q::effective_kernel({0}); }) == 1 && failed([] { return q::effective_kernel({1, 1, 0}); }) == 1));
  CHECK(failed([] { return q::transposed_size(1, {}, -1); }) == 1);
}

TEST_CASE("a rule asserts its multiplier and accumulator, and differing passes no accumulator beyond the range") {
  const auto failed = [](q::multiplier32 m, std::int64_t acc) {
    return failures_of([&] {
      const auto rule = q::rule_of<q::tosa::scale32>(m, {});
      static_cast<void>(rule(acc));
    });
  };
  const std::int64_t end = std::int64_t{1} << 31;
  CHECK((failed({5, 31}, end - 1) == 0 && failed({5, 31}, -end) == 0));
  CHECK((failed({5, 31}, end) == 1 && failed({5, 31}, -end - 1) == 1));
  CHECK(failed({5, 1}, 0) > 0);
  CHECK(failures_of([] { static_cast<void>(q::rule_of<q::tosa::scale32>({5, 63})); }) == 1);
  CHECK(failures_of([&] {
          const auto narrow = q::rule_of<q::tosa::scale32>({5, 31});
          for (const q::interval accs : {q::interval{end - 9, end - 1}, {end - 9, end}, {-end, 9 - end}, {-end - 1, 9 - end}})
            static_cast<void>(q::compare_thresholds(narrow, q::rule_of<q::exact::half_up>({5, 31}), accs));
        }) == 0);
}

TEST_CASE("a scheme asserts its multiplier, its accumulators, and intervals that are not empty") {
  const std::int64_t end = std::int64_t{1} << 31;
  const auto around = [](std::int64_t acc) {
    return failures_of([&] { static_cast<void>(q::monotone_on<q::tosa::scale32>({5, 31}, acc)); });
  };
  CHECK((around(end - 1) == 0 && around(-end) == 0 && around(end) == 1 && around(-end - 1) == 1));
  const auto explained = [](std::int64_t acc, q::multiplier16 m) {
    return failures_of([&] { static_cast<void>(q::explain<q::tosa::scale16>(acc, m)); });
  };
  const std::int64_t end48 = std::int64_t{1} << 47;
  CHECK((explained(end48 - 1, {5, 15}) == 0 && explained(-end48, {5, 15}) == 0));
  CHECK((explained(end48, {5, 15}) == 1 && explained(-end48 - 1, {5, 15}) == 1 && explained(0, {-5, 15}) > 0));
  const auto a = q::rule_of<q::tosa::scale32>({5, 31});
  CHECK(failures_of([&] { static_cast<void>(q::explain(q::difference{1, 1, {end - 1, 0, 1}, {}, 1}, a, a)); }) == 0);
  CHECK(failures_of([&] { static_cast<void>(q::explain(q::difference{1, 1, {end, 0, 1}, {}, 1}, a, a)); }) == 1);
  const std::int64_t least = q::limits<std::int64_t>::min, most = q::limits<std::int64_t>::max;
  const auto sized = [](std::int64_t low, std::int64_t high) {
    return failures_of([&] { static_cast<void>(q::interval{low, high}.size()); });
  };
  CHECK((sized(least, most) == 1 && sized(least + 1, most) == 0 && sized(least, most - 1) == 0));
}

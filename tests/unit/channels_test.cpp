#include <dyadic/channels.hpp>
#include <dyadic/cpu.hpp>
#include <dyadic/decomposed.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/native.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

using multiplier = q::exact::half_up::multiplier_type;

template <class T>
std::vector<T> drawn(random_bits& random, q::index_t size) {
  std::vector<T> all(static_cast<std::size_t>(size));
  for (T& x : all) x = static_cast<T>(random());
  return all;
}

/// Runs the whole layer, and two parts of its channels by two parts of its rows. Selects the parts by `channels_of` and by
/// options.
template <class Backend = void, class Layer, class X, class Y>
void check_parts(const Layer& layer, const X& x, Y whole, Y parts, std::vector<std::int8_t>& expected,
                 std::vector<std::int8_t>& got, q::index_t channels, q::index_t rows) {
  REQUIRE(check(layer, x, whole) == q::status::ok);
  expected.assign(expected.size(), 77);
  q::run<Backend>(layer, x, whole);
  const q::index_t step = q::channel_step(layer.weights);
  for (q::index_t at = 0; at <= channels; at += step) {
    got.assign(got.size(), 77);
    for (const q::channel_range c : {q::channel_range{0, at}, {at, channels}}) {
      const auto part = q::channels_of(layer, c);
      const auto y = q::channels_of(parts, c);
      REQUIRE(check(part, x, y) == q::status::ok);
      q::run<Backend>(part, x, y, {0, rows / 2});
      q::run<Backend>(part, x, y, {rows / 2, rows});
    }
    CHECK(got == expected);
    got.assign(got.size(), 77);
    for (const q::channel_range c : {q::channel_range{0, at}, {at, q::to_end}}) {
      q::run<Backend>(layer, x, parts, {{0, rows / 2}, c});
      q::run<Backend>(layer, x, parts, {{rows / 2, q::to_end}, c});
    }
    CHECK(got == expected);
  }
}

/// Checks a linear layer of 2 rows, and a convolution of 2 x 3 pixels with the same weights, in views with gaps.
template <class Output, class Weights>
void check_layers(random_bits& random, const Output& output, const Weights& weights, q::folded_bias<std::int64_t> linear) {
  const q::index_t n = weights.rows();
  const q::index_t k = weights.cols();
  const auto x = drawn<std::int8_t>(random, 2 * k);
  std::vector<std::int8_t> expected(static_cast<std::size_t>(2 * (n + 3)));
  std::vector<std::int8_t> got(expected.size());
  const q::linear_layer layer{weights, linear, output};
  using out = q::matrix_view<std::int8_t>;
  const q::matrix_view<const std::int8_t> in(x.data(), 2, k);
  check_parts(layer, in, out(expected.data(), 2, n, n + 3), out(got.data(), 2, n, n + 3), expected, got, n, 2);
  check_parts<q::native>(layer, in, out(expected.data(), 2, n, n + 3), out(got.data(), 2, n, n + 3), expected, got, n, 2);

  const auto image = drawn<std::int8_t>(random, 6 * k);
  expected.assign(static_cast<std::size_t>(6 * (n + 1)), 0);
  got = expected;
  const q::conv2d_layer conv{weights, linear, {}, 1, output};
  const auto pixels = [&](std::vector<std::int8_t>& to) {
    return q::nhwc_view<std::int8_t>(to.data(), 1, 2, 3, n, n + 1, 3 * (n + 1), 6 * (n + 1));
  };
  const q::nhwc_view<const std::int8_t> x_image(image.data(), 1, 2, 3, k);
  check_parts(conv, x_image, pixels(expected), pixels(got), expected, got, n, 2);
}

template <class W>
void check_weights(random_bits& random, q::matrix_view<const W> weights) {
  const q::index_t n = weights.rows();
  std::vector<std::int64_t> constants(static_cast<std::size_t>(n));
  std::vector<std::int32_t> bias(constants.size());
  for (std::int32_t& b : bias) b = random.below(2001) - 1000;
  const auto folded = q::fold<std::int8_t>(weights, bias, {-3, 2}, constants);
  REQUIRE(folded.status == q::status::ok);
  std::vector<multiplier> multipliers;
  std::vector<std::int32_t> mantissas, shifts;
  for (q::index_t o = 0; o < n; ++o) {
    mantissas.push_back((1 << 30) + random.below(1 << 30));
    shifts.push_back(36 + random.below(4));
    multipliers.push_back({mantissas.back(), shifts.back()});
  }
  using rule = q::exact::half_up;
  std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<q::native, std::int8_t, W>(n, weights.cols())));
  const auto packed = q::pack<q::native, std::int8_t>(weights, storage);
  REQUIRE(packed.status == q::status::ok);
  const auto with = [&](const auto& output) {
    check_layers(random, output, weights, folded.value);
    check_layers(random, output, packed.value, folded.value);
  };
  with(q::per_tensor_output<std::int8_t, rule>{multipliers[0]});
  with(q::per_channel_output<std::int8_t, rule>{multipliers});
  with(q::per_channel_arrays_output<std::int8_t, rule, std::int32_t, q::shift_convention::right>{mantissas, shifts});
}

constexpr std::int8_t constant_weights[] = {1, 2, 3, 4, 5, 6};

constexpr std::int32_t second_channel() {
  std::int32_t constants[2] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(constant_weights, 2, 3), q::no_bias{}, {1, 0}, constants);
  const q::linear_layer layer{q::matrix_view(constant_weights, 2, 3), folded.value, q::raw_output<std::int32_t>{}};
  const std::int8_t x[] = {2, 3, 4};
  std::int32_t y[2] = {};
  run(q::channels_of(layer, {1, 2}), q::matrix_view(x, 1, 3), q::channels_of(q::matrix_view(y, 1, 2), {1, 2}));
  return y[0] == 0 ? y[1] : -1;
}
static_assert(second_channel() == 4 + 10 + 18);

}  // namespace

TEST_CASE("parts of the channels equal those of the whole layer") {
  random_bits random;
  for (const auto& [n, k] : {std::pair<q::index_t, q::index_t>{1, 3}, {5, 7}, {19, 33}, {40, 64}}) {
    const auto w = drawn<std::int8_t>(random, n * (k + 1));
    check_weights<std::int8_t>(random, {w.data(), n, k, k + 1});
    const auto nibbles = drawn<std::uint8_t>(random, n * k);
    check_weights<q::int4>(random, {nibbles.data(), n, k});
  }
}

namespace {

/// Checks that packed weights compute what portable code does. The parts begin at each panel, and end at each of the next
/// channels or at the last channel. The last panel may be narrow.
template <class Backend, class X, class W>
void check_first_channels(random_bits& random, q::index_t n, q::index_t k, q::index_t rows) {
  using scheme = q::tflite::double_rounding;
  const auto w = drawn<W>(random, n * k);
  const q::matrix_view<const W> weights(w.data(), n, k);
  std::vector<std::int32_t> constants(static_cast<std::size_t>(n));
  const auto folded = q::fold<X>(weights, q::no_bias{}, {}, constants);
  REQUIRE(folded.status == q::status::ok);
  std::vector<scheme::multiplier_type> multipliers;
  for (q::index_t o = 0; o < n; ++o) multipliers.push_back({(1 << 30) + random.below(1 << 30), 40 + random.below(3)});
  const q::per_channel_output<X, scheme> output{multipliers};
  std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<Backend, X, W>(n, k)));
  const auto packed = q::pack<Backend, X>(weights, storage);
  REQUIRE(packed.status == q::status::ok);
  const auto x = drawn<X>(random, rows * k);
  const q::matrix_view<const X> in(x.data(), rows, k);
  std::vector<X> expected(static_cast<std::size_t>(rows * n));
  q::run(q::linear_layer{weights, folded.value, output}, in, q::matrix_view<X>(expected.data(), rows, n));
  const q::linear_layer layer{packed.value, folded.value, output};
  const q::index_t panel = q::channel_step(layer);
  for (q::index_t begin = 0; begin < n; begin += panel)
    for (q::index_t end = begin + 1; end <= n; end = end < begin + 2 * panel || end == n ? end + 1 : n) {
      std::vector<X> got = expected;
      const auto y = q::channels_of(q::matrix_view<X>(got.data(), rows, n), {begin, end});
      for (q::index_t r = 0; r < rows; ++r)
        for (q::index_t c = 0; c < y.cols(); ++c) y.row(r)[c] = 77;
      const auto part = q::channels_of(layer, {begin, end});
      REQUIRE(check(part, in, y) == q::status::ok);
      q::run(part, in, y);
      REQUIRE(got == expected);
    }
}

}  // namespace

TEST_CASE("the first channels of packed weights are computed without those that share their panel") {
  random_bits random;
  q::for_each_backend([&](auto backend, bool is_there) {
    if (!is_there || std::is_same_v<decltype(backend), q::backend::scalar>) return;  // scalar channels share no panel
    for (const q::index_t n : {1, 2, 7, 8, 13, 16, 17, 19, 31, 33, 41, 50})
      for (const q::index_t k : {1, 6, 31, 300})
        for (const q::index_t rows : {1, 3, 14}) {
          check_first_channels<decltype(backend), std::int8_t, std::int8_t>(random, n, k, rows);
          check_first_channels<decltype(backend), std::uint8_t, std::uint8_t>(random, n, k, rows);
          check_first_channels<decltype(backend), std::int16_t, std::int8_t>(random, n, k, rows);
        }
  });
}

TEST_CASE("a part of the channels has no fingerprint, and an empty one may be null") {
  const std::int8_t w[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t constants[2] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(w, 2, 3), q::no_bias{}, {}, constants);
  const q::linear_layer layer{q::matrix_view(w, 2, 3), folded.value, q::raw_output<std::int64_t>{}};
  CHECK(q::channels_of(layer, {0, 1}).bias.record.fingerprint == 0);
  const auto none = q::channels_of(q::matrix_view<std::int64_t>(nullptr, 0, 2), {1, 2});
  CHECK((none.data() == nullptr && none.rows() == 0 && none.cols() == 1));
}

namespace {

/// Checks that each part of the channels between multiples of `step` computes what the whole layer computes.
template <class Backend, class Layer, class X>
void check_images(const Layer& layer, q::nhwc_view<const X> x, q::index_t h, q::index_t w, q::index_t channels, q::index_t step) {
  std::vector<std::int8_t> whole(static_cast<std::size_t>(x.n() * h * w * channels), 77);
  const auto y_of = [&](std::vector<std::int8_t>& to) { return q::nhwc_view<std::int8_t>(to.data(), x.n(), h, w, channels); };
  REQUIRE(check(layer, x, y_of(whole)) == q::status::ok);
  q::run<Backend>(layer, x, y_of(whole));
  CHECK(step % q::channel_step(layer) == 0);
  for (q::index_t first = 0; first <= channels; first += step)
    for (q::index_t end = first; end <= channels; end += step) {
      std::vector<std::int8_t> parts(whole.size(), 77);
      for (const q::channel_range c : {q::channel_range{0, first}, {first, end}, {end, channels}}) {
        const auto part = q::channels_of(layer, c);
        const auto inputs = q::inputs_of(layer, x, c);
        const auto y = q::channels_of(y_of(parts), c);
        REQUIRE(check(part, inputs, y) == q::status::ok);
        q::run<Backend>(part, inputs, y);
      }
      REQUIRE(parts == whole);
      parts.assign(parts.size(), 77);
      for (const q::channel_range c : {q::channel_range{0, first}, {first, end}, {end, q::to_end}})
        q::run<Backend>(layer, x, y_of(parts), {{0, q::to_end}, c});
      REQUIRE(parts == whole);
    }
}

using rule = q::exact::half_up;

std::vector<multiplier> drawn_multipliers(random_bits& random, q::index_t channels) {
  std::vector<multiplier> all;
  for (q::index_t o = 0; o < channels; ++o) all.push_back({(1 << 30) + random.below(1 << 30), 38 + random.below(3)});
  return all;
}

constexpr q::window2d window{{3, 1, 1, 1, 0}, {2, 2, 1, 0, 1}};

template <class W, class Stored>
void check_depthwise(random_bits& random, q::index_t inputs, q::index_t channel_multiplier) {
  const q::index_t channels = inputs * channel_multiplier;
  const q::index_t stride = channels + (sizeof(Stored) == 1 && std::is_unsigned_v<Stored> ? channels % 2 : 3);
  const auto data = drawn<Stored>(random, 6 * stride);
  const q::matrix_view<const W> weights(data.data(), 6, channels, stride);
  std::vector<std::int32_t> constants(static_cast<std::size_t>(channels));
  std::vector<std::int32_t> bias(constants.size(), 1000);
  const auto multipliers = drawn_multipliers(random, channels);
  const auto folded = q::fold_depthwise<std::int8_t>(weights, bias, window, {5, -1}, constants);
  REQUIRE(folded.status == q::status::ok);
  const auto x = drawn<std::int8_t>(random, 2 * 4 * 4 * inputs);
  const q::per_channel_output<std::int8_t, q::tflite::double_rounding> output{multipliers};
  const q::depthwise_layer layer{weights, folded.value, window, output};
  const q::nhwc_view<const std::int8_t> in(x.data(), 2, 4, 4, inputs);
  q::index_t step = channel_multiplier;
  while (step % q::channel_step(layer) != 0) step += channel_multiplier;
  if (channels % step != 0) return;
  check_images<q::backend::scalar>(layer, in, 3, 2, channels, step);
  check_images<q::native>(layer, in, 3, 2, channels, step);
}

}  // namespace

TEST_CASE("parts of the channels of a depthwise layer read their inputs") {
  random_bits random;
  for (const auto& [inputs, m] : {std::pair<q::index_t, q::index_t>{6, 1}, {20, 1}, {4, 3}, {5, 2}}) {
    check_depthwise<std::int8_t, std::int8_t>(random, inputs, m);
    check_depthwise<q::int4, std::uint8_t>(random, inputs, m);
  }
}

namespace {

/// A backend with panels of 16 channels.
struct sixteen : q::backend::scalar {
  using fallback = q::backend::scalar;
};

}  // namespace

template <>
inline constexpr q::packed_layout dyadic::packed_layout_of<sixteen, std::int8_t, std::int8_t>{16, 4};

TEST_CASE("a range of channels begins with a panel and with a group") {
  using output = q::raw_output<std::int32_t>;
  using packed = q::packed_matrix<sixteen, std::int8_t, std::int8_t>;
  const auto step = [](q::index_t rows, q::index_t groups) {
    return q::channel_step(q::conv2d_layer<std::int8_t, output, packed>{packed{nullptr, rows, 0}, {}, {}, groups, {}});
  };
  CHECK((step(96, 1) == 16 && step(96, 32) == 48 && step(96, 16) == 48 && step(96, 12) == 8 * 2 && step(96, 2) == 48));
  CHECK((step(34, 2) == 17 * 16 && step(80, 16) == 80 && step(96, 96) == 16 && step(32, 1) == 16));
  // These layers are refused, but the step is a valid number.
  constexpr q::index_t most = q::limits<q::index_t>::max;
  CHECK((step(5, 6) == 16 && step(5, 0) == 16 && step(5, -3) == 16 && step(-5, 2) == 16 && step(most, 2) == most));
  const q::matrix_view<const std::int8_t> plain(nullptr, 12, 0);
  const auto of_plain = q::channel_step(q::conv2d_layer<std::int8_t, output>{plain, {}, {}, 4, {}});
  const q::matrix_view<const q::int4> nibbles(nullptr, 12, 3);
  const auto of_nibbles = q::channel_step(q::conv2d_layer<q::int4, output>{nibbles, {}, {}, 4, {}});
  CHECK((of_plain == 3 && of_nibbles == 6));
  CHECK((q::channel_step(nibbles) == 2 && q::channel_step(q::matrix_view<const q::int4>(nullptr, 12, 3, 4)) == 1));
}

TEST_CASE("parts of a convolution with groups have whole groups") {
  random_bits random;
  for (const auto& [groups, outputs] : {std::pair<q::index_t, q::index_t>{3, 4}, {4, 2}, {2, 16}}) {
    const q::index_t channels = groups * outputs;
    const auto data = drawn<std::int8_t>(random, channels * 6 * 5);
    const q::matrix_view<const std::int8_t> weights(data.data(), channels, 6 * 5);
    std::vector<std::int64_t> constants(static_cast<std::size_t>(channels));
    const auto folded = q::fold_conv2d<std::int8_t>(weights, q::no_bias{}, window, {-7, 2}, constants);
    REQUIRE(folded.status == q::status::ok);
    const auto multipliers = drawn_multipliers(random, channels);
    const q::per_channel_output<std::int8_t, rule> output{multipliers};
    const auto x = drawn<std::int8_t>(random, 4 * 4 * 5 * groups);
    const q::nhwc_view<const std::int8_t> in(x.data(), 1, 4, 4, 5 * groups);
    const q::conv2d_layer layer{weights, folded.value, window, groups, output};
    CHECK(q::channel_step(layer) == outputs);
    check_images<q::backend::scalar>(layer, in, 3, 2, channels, outputs);
    check_images<q::native>(layer, in, 3, 2, channels, outputs);
    // Packed weights must begin at a panel.
    std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<q::native, std::int8_t, std::int8_t>(channels, 30)));
    const auto packed = q::pack<q::native, std::int8_t>(weights, storage);
    const q::conv2d_layer packed_layer{packed.value, folded.value, window, groups, output};
    const q::index_t step = q::channel_step(packed_layer);
    CHECK((step % outputs == 0 && step % q::channel_step(packed.value) == 0));
    if (channels % step == 0) check_images<q::native>(packed_layer, in, 3, 2, channels, step);
  }
}

TEST_CASE("parts of a transposed convolution have one constant for each channel") {
  random_bits random;
  const auto data = drawn<std::int8_t>(random, 7 * 6 * 4);
  const q::matrix_view<const std::int8_t> weights(data.data(), 7, 6 * 4);
  const auto multipliers = drawn_multipliers(random, 7);
  const q::per_channel_output<std::int8_t, rule> output{multipliers};
  const auto x = drawn<std::int8_t>(random, 3 * 3 * 4);
  const q::nhwc_view<const std::int8_t> in(x.data(), 1, 3, 3, 4);
  for (const bool strided : {true, false}) {
    const q::window2d w{{3, strided ? 2 : 1, 1, 0, 0}, {2, 1, 1, 0, 0}};
    std::vector<std::int64_t> constants(7);
    const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, q::no_bias{}, w, {strided ? 0 : 9, 1}, constants);
    REQUIRE(folded.status == q::status::ok);
    const q::transposed_conv2d_layer layer{weights, folded.value, w, output};
    check_images<q::backend::scalar>(layer, in, strided ? 7 : 5, 4, 7, 1);
    check_images<q::native>(layer, in, strided ? 7 : 5, 4, 7, 1);
  }
  // A layer with constants for each phase refuses parts of its channels, because a part would use constants of other channels.
  std::vector<std::int64_t> constants(14);
  const q::window2d w{{3, 2, 1, 0, 0}, {2, 1, 1, 0, 0}};
  const auto folded = q::fold_transposed_conv2d<std::int8_t>(weights, q::no_bias{}, w, {9, 1}, constants);
  REQUIRE(folded.status == q::status::ok);
  const q::transposed_conv2d_layer layer{weights, folded.value, w, output};
  std::vector<std::int8_t> to(7 * 4 * 7);
  const q::nhwc_view<std::int8_t> y(to.data(), 1, 7, 4, 7);
  CHECK(check(layer, in, y) == q::status::ok);
  CHECK(check(q::channels_of(layer, {0, 3}), in, q::channels_of(y, {0, 3})) == q::status::fold_of_other_shape);
}

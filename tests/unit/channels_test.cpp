#include <dyadic/channels.hpp>
#include <dyadic/decomposed.hpp>
#include <dyadic/native.hpp>
#include <dyadic/scheme/exact.hpp>

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

/// Runs the layer whole, and in two parts of its channels, each of them in two parts of its rows.
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
  }
}

/// A linear layer of 2 rows, and the same weights as a convolution of 2 x 3 pixels, in views with gaps.
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

TEST_CASE("parts of the channels are what the whole layer computes") {
  random_bits random;
  for (const auto& [n, k] : {std::pair<q::index_t, q::index_t>{1, 3}, {5, 7}, {19, 33}, {40, 64}}) {
    const auto w = drawn<std::int8_t>(random, n * (k + 1));
    check_weights<std::int8_t>(random, {w.data(), n, k, k + 1});
    const auto nibbles = drawn<std::uint8_t>(random, n * k);
    check_weights<q::int4>(random, {nibbles.data(), n, k});
  }
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

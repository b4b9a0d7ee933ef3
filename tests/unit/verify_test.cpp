#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/transposed_conv2d.hpp>
#include <dyadic/verify.hpp>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

/// Takes a layer through `verify`: sound, then with each weight changed, then with each two different ones swapped.
template <class Layer>
void check_verify(const Layer& layer, std::vector<std::int8_t>& w) {
  CHECK(q::verify(layer) == q::status::ok);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::int8_t before = w[i];
    w[i] = static_cast<std::int8_t>(before ^ 1);
    CHECK(q::verify(layer) == q::status::fold_mismatch);
    w[i] = static_cast<std::int8_t>(-before);
    CHECK(q::verify(layer) == (w[i] == before ? q::status::ok : q::status::fold_mismatch));
    w[i] = before;
    for (std::size_t j = 0; j < i; ++j) {
      if (w[i] == w[j]) continue;
      std::swap(w[i], w[j]);
      CHECK(q::verify(layer) == q::status::fold_mismatch);
      std::swap(w[i], w[j]);
    }
  }
  CHECK(q::verify(layer) == q::status::ok);
  Layer other = layer;
  other.bias.record.fingerprint = 0;
  CHECK(q::verify(other) == q::status::fold_not_verifiable);
  other.bias.record.depth += 1;  // what is known to differ comes first
  CHECK(q::verify(other) == q::status::fold_mismatch);
  other = layer;
  other.weights = {nullptr, layer.weights.rows(), layer.weights.cols()};
  CHECK(q::verify(other) == q::status::null_data);
  other = layer;
  other.weights = {w.data(), layer.weights.rows() - 1, layer.weights.cols()};
  CHECK(q::verify(other) == q::status::fold_mismatch);
  other.weights = {w.data(), layer.weights.rows(), layer.weights.cols() - 1, layer.weights.cols()};
  CHECK(q::verify(other) == q::status::fold_mismatch);
}

constexpr bool verified_by_the_compiler() {
  std::int8_t w[6] = {1, 2, 3, -4, -5, -128};
  std::int64_t constants[2] = {};
  const auto folded = q::fold<std::int16_t>(q::matrix_view(w, 2, 3), q::no_bias{}, {5, 6}, constants);
  q::linear_layer layer{q::matrix_view(w, 2, 3), folded.value, q::raw_output<std::int64_t>{}};
  if (folded.status != q::status::ok || q::verify(layer) != q::status::ok) return false;
  w[4] = -4;
  if (q::verify(layer) != q::status::fold_mismatch) return false;
  layer.bias.record.fingerprint = 0;
  return q::verify(layer) == q::status::fold_not_verifiable;
}
static_assert(verified_by_the_compiler());

const q::window2d odd_window{{2, 2, 1, 1, 0}, {3, 2, 1, 1, 1}};
const q::zero_points odd_zero{-7, 3};
using raw = q::raw_output<std::int64_t>;

std::vector<std::int8_t> different_weights(std::size_t count) {
  std::vector<std::int8_t> w(count);
  std::mt19937 random(8);
  for (std::int8_t& v : w) v = static_cast<std::int8_t>(random());
  return w;
}

}  // namespace

TEST_CASE("verify finds one changed weight and two swapped ones in a linear layer") {
  std::vector<std::int8_t> w = different_weights(15);
  std::vector<std::int64_t> constants(3);
  const q::matrix_view<const std::int8_t> rows(w.data(), 3, 5);
  const auto folded = q::fold<std::int16_t>(rows, q::no_bias{}, odd_zero, constants);
  REQUIRE(folded.status == q::status::ok);
  check_verify(q::linear_layer<std::int8_t, raw>{rows, folded.value, {}}, w);
}

TEST_CASE("verify finds one changed weight and two swapped ones in a convolution") {
  std::vector<std::int8_t> w = different_weights(24);
  std::vector<std::int64_t> constants(2);
  const q::matrix_view<const std::int8_t> rows(w.data(), 2, 12);
  const auto folded = q::fold_conv2d<std::int16_t>(rows, odd_window, q::no_bias{}, odd_zero, constants);
  REQUIRE(folded.status == q::status::ok);
  check_verify(q::conv2d_layer<std::int8_t, raw>{rows, folded.value, odd_window, 1, {}}, w);
  q::conv2d_layer<std::int8_t, raw> bad{rows, folded.value, odd_window, 1, {}};
  bad.window.x.kernel = 0;
  CHECK(q::verify(bad) == q::status::bad_window);
}

TEST_CASE("verify finds one changed weight and two swapped ones in a depthwise convolution") {
  std::vector<std::int8_t> w = different_weights(24);
  std::vector<std::int64_t> constants(4);
  const q::matrix_view<const std::int8_t> taps(w.data(), 6, 4);
  const auto folded = q::fold_depthwise<std::int16_t>(taps, odd_window, q::no_bias{}, odd_zero, constants);
  REQUIRE(folded.status == q::status::ok);
  check_verify(q::depthwise_layer<std::int8_t, raw>{taps, folded.value, odd_window, {}}, w);
  q::depthwise_layer<std::int8_t, raw> bad{taps, folded.value, odd_window, {}};
  bad.window.x.stride = 0;
  CHECK(q::verify(bad) == q::status::bad_window);
}

TEST_CASE("verify finds one changed weight and two swapped ones in a transposed convolution") {
  std::vector<std::int8_t> w = different_weights(24);
  std::vector<std::int64_t> constants(static_cast<std::size_t>(q::transposed_conv2d_constants(2, odd_window, odd_zero)));
  const q::matrix_view<const std::int8_t> rows(w.data(), 2, 12);
  const auto folded = q::fold_transposed_conv2d<std::int16_t>(rows, odd_window, q::no_bias{}, odd_zero, constants);
  REQUIRE(folded.status == q::status::ok);
  check_verify(q::transposed_conv2d_layer<std::int8_t, raw>{rows, folded.value, odd_window, {}}, w);
  q::transposed_conv2d_layer<std::int8_t, raw> bad{rows, folded.value, odd_window, {}};
  bad.window.y.kernel = 0;
  CHECK(q::verify(bad) == q::status::bad_window);
}

TEST_CASE("weights of no depth are sound where they are null") {
  std::int64_t constants[3] = {1, 1, 1};
  const q::matrix_view<const std::int8_t> none(nullptr, 3, 0, 5);
  const auto folded = q::fold<std::int16_t>(none, q::no_bias{}, {5, 6}, constants);
  REQUIRE(folded.status == q::status::ok);
  CHECK((constants[0] == 0 && constants[2] == 0));
  CHECK(q::verify(q::linear_layer<std::int8_t, raw>{none, folded.value, {}}) == q::status::ok);
}

TEST_CASE("verify of weights of no depth ends however many taps they have") {
  const q::index_t many = q::index_t{1} << (sizeof(q::index_t) * 4 - 3);
  const q::window2d wide{{many, 1, 1, 0, 0}, {many, 1, 1, 0, 0}};
  const q::matrix_view<const std::int8_t> none(nullptr, 2, 0);
  std::int64_t constants[2] = {};
  const auto folded = q::fold_conv2d<std::int16_t>(none, wide, q::no_bias{}, {5, 6}, constants);
  REQUIRE(folded.status == q::status::ok);
  CHECK(q::verify(q::conv2d_layer<std::int8_t, raw>{none, folded.value, wide, 1, {}}) == q::status::ok);
}

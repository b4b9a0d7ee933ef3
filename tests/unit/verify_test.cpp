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

/// Runs `verify` on a layer: unchanged, then with each weight changed, then with each pair of different weights swapped.
template <class Layer>
void check_verify(const Layer& layer, std::vector<std::int8_t>& w) {
  CHECK(q::verify(layer) == q::status::ok);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::int8_t before = w[i];
    w[i] = static_cast<std::int8_t>(before ^ 1);
    CHECK(q::verify(layer) == q::status::fold_of_other_weights);
    w[i] = static_cast<std::int8_t>(-before);
    CHECK(q::verify(layer) == (w[i] == before ? q::status::ok : q::status::fold_of_other_weights));
    w[i] = before;
    for (std::size_t j = 0; j < i; ++j) {
      if (w[i] == w[j]) continue;
      std::swap(w[i], w[j]);
      CHECK(q::verify(layer) == q::status::fold_of_other_weights);
      std::swap(w[i], w[j]);
    }
  }
  CHECK(q::verify(layer) == q::status::ok);
  Layer other = layer;
  other.bias.record.fingerprint = 0;
  CHECK(q::verify(other) == q::status::fold_not_verifiable);
  other.bias.record.depth += 1;  // a known difference is reported first
  CHECK(q::verify(other) == q::status::fold_of_other_shape);
  other = layer;
  other.weights = {nullptr, layer.weights.rows(), layer.weights.cols()};
  CHECK(q::verify(other) == q::status::null_data);
  other = layer;
  other.weights = {w.data(), layer.weights.rows() - 1, layer.weights.cols()};
  CHECK(q::verify(other) == q::status::fold_of_other_shape);
  other.weights = {w.data(), layer.weights.rows(), layer.weights.cols() - 1, layer.weights.cols()};
  CHECK(q::verify(other) == q::status::fold_of_other_shape);
}

constexpr bool verified_by_the_compiler() {
  std::int8_t w[6] = {1, 2, 3, -4, -5, -128};
  std::int64_t constants[2] = {};
  const auto folded = q::fold<std::int16_t>(q::matrix_view(w, 2, 3), q::no_bias{}, {5, 6}, constants);
  q::linear_layer layer{q::matrix_view(w, 2, 3), folded.value, q::raw_output<std::int64_t>{}};
  if (folded.status != q::status::ok || q::verify(layer) != q::status::ok) return false;
  w[4] = -4;
  if (q::verify(layer) != q::status::fold_of_other_weights) return false;
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
  const auto folded = q::fold_conv2d<std::int16_t>(rows, q::no_bias{}, odd_window, odd_zero, constants);
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
  const auto folded = q::fold_depthwise<std::int16_t>(taps, q::no_bias{}, odd_window, odd_zero, constants);
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
  const auto folded = q::fold_transposed_conv2d<std::int16_t>(rows, q::no_bias{}, odd_window, odd_zero, constants);
  REQUIRE(folded.status == q::status::ok);
  check_verify(q::transposed_conv2d_layer<std::int8_t, raw>{rows, folded.value, odd_window, {}}, w);
  q::transposed_conv2d_layer<std::int8_t, raw> bad{rows, folded.value, odd_window, {}};
  bad.window.y.kernel = 0;
  CHECK(q::verify(bad) == q::status::bad_window);
}

TEST_CASE("weights without depth are sound if they are null") {
  std::int64_t constants[3] = {1, 1, 1};
  const q::matrix_view<const std::int8_t> none(nullptr, 3, 0, 5);
  const auto folded = q::fold<std::int16_t>(none, q::no_bias{}, {5, 6}, constants);
  REQUIRE(folded.status == q::status::ok);
  CHECK((constants[0] == 0 && constants[2] == 0));
  CHECK(q::verify(q::linear_layer<std::int8_t, raw>{none, folded.value, {}}) == q::status::ok);
}

TEST_CASE("verify of weights without depth ends, however many taps there are") {
  const q::index_t many = q::index_t{1} << (sizeof(q::index_t) * 4 - 3);
  const q::window2d wide{{many, 1, 1, 0, 0}, {many, 1, 1, 0, 0}};
  const q::matrix_view<const std::int8_t> none(nullptr, 2, 0);
  std::int64_t constants[2] = {};
  const auto folded = q::fold_conv2d<std::int16_t>(none, q::no_bias{}, wide, {5, 6}, constants);
  REQUIRE(folded.status == q::status::ok);
  CHECK(q::verify(q::conv2d_layer<std::int8_t, raw>{none, folded.value, wide, 1, {}}) == q::status::ok);
}

TEST_CASE("a fold without a fingerprint differs in nothing else, and cannot be verified") {
  std::vector<std::int8_t> w = different_weights(24);
  std::vector<std::int64_t> with(12), without(12);
  const q::matrix_view<const std::int8_t> rows(w.data(), 2, 12);
  const q::matrix_view<const std::int8_t> taps(w.data(), 6, 4);
  const q::zero_points zero{-7, 3};
  const auto same = [&](const auto& folded, const auto& unverified) {
    REQUIRE((folded.status == q::status::ok && unverified.status == q::status::ok));
    const q::fold_record& a = folded.value.record;
    const q::fold_record& b = unverified.value.record;
    CHECK(with == without);
    CHECK((a == b && a.fingerprint != 0 && b.fingerprint == 0 && a.w_min == b.w_min && a.w_max == b.w_max));
    CHECK((a.bound.lowest == b.bound.lowest && a.bound.highest == b.bound.highest));
  };
  using x = std::int16_t;
  const auto no = q::verifiable::no;
  const q::no_bias none;
  const auto first = [](std::vector<std::int64_t>& v, std::size_t n) {
    v.assign(12, 0);
    return q::view(v.data(), static_cast<q::index_t>(n));
  };
  same(q::fold<x>(rows, none, zero, first(with, 2)), q::fold<x>(rows, none, zero, first(without, 2), no));
  same(q::fold_conv2d<x>(rows, none, odd_window, zero, first(with, 2)),
       q::fold_conv2d<x>(rows, none, odd_window, zero, first(without, 2), no));
  same(q::fold_depthwise<x>(taps, none, odd_window, zero, first(with, 4)),
       q::fold_depthwise<x>(taps, none, odd_window, zero, first(without, 4), no));
  const auto phases = static_cast<std::size_t>(q::transposed_conv2d_constants(2, odd_window, zero));
  same(q::fold_transposed_conv2d<x>(rows, none, odd_window, zero, first(with, phases)),
       q::fold_transposed_conv2d<x>(rows, none, odd_window, zero, first(without, phases), no));
  const auto folded = q::fold<x>(rows, none, zero, first(without, 2), no);
  CHECK(q::verify(q::linear_layer<std::int8_t, raw>{rows, folded.value, {}}) == q::status::fold_not_verifiable);
}

TEST_CASE("a fingerprint is the same in the compiler, at run time, of packed and of 4-bit weights") {
  static constexpr auto weights = [] {
    struct {
      std::int8_t w[2 * 301];
    } all{};
    for (int i = 0; i < 602; ++i) all.w[i] = static_cast<std::int8_t>(i * 37 % 16 - 8);
    return all;
  }();
  constexpr auto record = [] {
    std::int32_t constants[2] = {};
    return q::fold<std::int8_t>(q::matrix_view(weights.w, 2, 301), q::no_bias{}, {1, 2}, constants).value.record;
  }();
  std::int32_t constants[2] = {};
  const q::matrix_view<const std::int8_t> rows(weights.w, 2, 301);
  const auto folded = q::fold<std::int8_t>(rows, q::no_bias{}, {1, 2}, constants);
  CHECK(folded.value.record.fingerprint == record.fingerprint);
  CHECK(constants[1] == folded.value.constants[1]);
  std::vector<std::int8_t> storage(602);
  const auto packed = q::pack<q::backend::scalar, std::int8_t>(rows, storage);
  REQUIRE(packed.status == q::status::ok);
  CHECK(q::verify(q::linear_layer{packed.value, folded.value, q::raw_output<std::int32_t>{}}) == q::status::ok);
  std::vector<std::uint8_t> nibbles(301);
  for (std::size_t i = 0; i < 602; ++i)
    nibbles[i / 2] = static_cast<std::uint8_t>(nibbles[i / 2] | (weights.w[i] & 15) << (i % 2 * 4));
  const auto four_bits = q::matrix_view<const q::int4>(nibbles.data(), 2, 301);
  CHECK(q::fold<std::int8_t>(four_bits, q::no_bias{}, {1, 2}, constants).value.record.fingerprint == record.fingerprint);
}

TEST_CASE("verify finds each changed weight of long rows") {
  std::vector<std::int8_t> w = different_weights(2 * 325);
  std::vector<std::int16_t> wide(2 * 325, -5);
  std::vector<std::int64_t> constants(2);
  const q::matrix_view<const std::int8_t> rows(w.data(), 2, 325);
  const q::matrix_view<const std::int16_t> wide_rows(wide.data(), 2, 325);
  const auto of_bytes = q::fold<std::int16_t>(rows, q::no_bias{}, odd_zero, constants);
  const auto of_words = q::fold<std::int16_t>(wide_rows, q::no_bias{}, odd_zero, constants);
  REQUIRE((of_bytes.status == q::status::ok && of_words.status == q::status::ok));
  const q::linear_layer<std::int8_t, raw> bytes{rows, of_bytes.value, {}};
  const q::linear_layer<std::int16_t, raw> words{wide_rows, of_words.value, {}};
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = static_cast<std::int8_t>(w[i] ^ -128);
    wide[i] = static_cast<std::int16_t>(wide[i] ^ -32768);
    CHECK((q::verify(bytes) == q::status::fold_of_other_weights && q::verify(words) == q::status::fold_of_other_weights));
    w[i] = static_cast<std::int8_t>(w[i] ^ -128);
    wide[i] = static_cast<std::int16_t>(wide[i] ^ -32768);
  }
  CHECK((q::verify(bytes) == q::status::ok && q::verify(words) == q::status::ok));
}

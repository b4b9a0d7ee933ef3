#include <dyadic/linear.hpp>

#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <vector>

#include "../oracle/linear.hpp"
#include "../support/random.hpp"
#include "../support/spoilers.hpp"

namespace q = dyadic;
using namespace support;

namespace {

// ---- one layer, by the compiler and at run time

/// Returns y of two channels: 17 extreme activations and weights, both zero points, and an accumulator beyond 2^32.
constexpr std::array<std::int16_t, 2> deep_layer() {
  std::int16_t x[17] = {};
  std::int8_t w[34] = {};
  for (int k = 0; k < 17; ++k) {
    x[k] = static_cast<std::int16_t>(k % 2 == 0 ? -32768 : 32767);
    w[k] = static_cast<std::int8_t>(k % 2 == 0 ? -128 : 127);
    w[17 + k] = static_cast<std::int8_t>(k - 8);
  }
  const q::packed_int48 bias[] = {q::packed_int48::of(q::int48::saturated(std::int64_t{1} << 40)), q::packed_int48::of(-1)};
  std::int64_t constants[2] = {};
  const q::zero_points zero{100, -3};
  const auto folded = q::fold<std::int16_t>(q::matrix_view(w, 2, 17), bias, zero, constants);
  const q::multiplier16 multipliers[] = {{1 << 14, 41}, {1 << 14, 22}};
  const q::linear_layer layer{q::matrix_view(w, 2, 17), folded.value,
                              q::per_channel_output<std::int16_t, q::tosa::scale16>{multipliers}};
  std::array<std::int16_t, 2> y{};
  const q::matrix_view<std::int16_t> out(y.data(), 1, 2);
  if (folded.status != q::status::ok || check(layer, q::matrix_view(x, 1, 17), out) != q::status::ok) return {};
  run(layer, q::matrix_view(x, 1, 17), out);
  return y;
}

// Channel 0: sum (x-100)(w+3) = 9*(-32868)(-125) + 8*(32667)(130) = 70950180; (this + 2^40) / 2^27 = 8192.53.
// Channel 1: sum over k of (x-100)(k-5). 9 even k sum to 27 times -32868, 8 odd k to 24 times 32667: -103428. Then - 1,
// / 2^8 = -404.02.
static_assert(deep_layer()[0] == 8193 && deep_layer()[1] == -404);

// ---- random layers against the definition

template <class T>
T random_value(random_bits& random) {
  switch (random.below(6)) {
    case 0: return std::numeric_limits<T>::min();
    case 1: return std::numeric_limits<T>::max();
    case 2: return static_cast<T>(random.below(7) - 3);
    default: return static_cast<T>(random());
  }
}

template <class T>
std::vector<T> random_values(random_bits& random, q::index_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& v : values) v = random_value<T>(random);
  return values;
}

/// The formats: 16-bit activations use 64 bits and a 15-bit multiplier, 8-bit activations use 32 bits and a 31-bit multiplier.
template <class X>
struct format;
template <>
struct format<std::int16_t> {
  using scheme = q::tosa::scale16;
  static constexpr int mantissa_bits = 15;
  static constexpr std::int64_t bias_limit = std::int64_t{1} << 46;
};
template <>
struct format<std::int8_t> {
  using scheme = q::tosa::scale32;
  static constexpr int mantissa_bits = 31;
  static constexpr std::int64_t bias_limit = 1 << 28;
};

template <class X, class Bias>
void check_random_layer(random_bits& random) {
  using f = format<X>;
  using scheme = typename f::scheme;
  using multiplier = typename scheme::multiplier_type;
  using accumulator = typename scheme::accumulator;
  const q::index_t depths[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 64, 100};
  const q::index_t depth = depths[random.below(12)];
  const q::index_t batch = random.below(4);
  const q::index_t channels = random.below(6);
  const auto x_stride = depth + random.below(3);
  const auto w_stride = depth + random.below(3);
  const auto y_stride = channels + random.below(3);
  const auto x = random_values<X>(random, batch * x_stride);
  const auto w = random_values<std::int8_t>(random, channels * w_stride);
  const q::zero_points zero{random_value<X>(random), random_value<std::int8_t>(random)};
  const q::output_range range{random.below(200) - 100, -100 - random.below(28), 127};

  std::vector<std::int64_t> bias_values;
  std::vector<multiplier> multipliers;
  for (q::index_t o = 0; o < channels; ++o) {
    const int bits = random.below(46);
    const auto limit = std::min<std::int64_t>(std::int64_t{1} << bits, sizeof(Bias) == 4 ? 1 << 28 : f::bias_limit);
    bias_values.push_back(std::is_same_v<Bias, q::no_bias> ? 0 : random.between(-limit / 2, limit - limit / 2));
    const auto mantissa =
        (std::int64_t{1} << (f::mantissa_bits - 1)) + random.between(0, (std::int64_t{1} << (f::mantissa_bits - 1)) - 1);
    multipliers.push_back({static_cast<typename multiplier::mantissa_type>(mantissa), f::mantissa_bits + random.below(16)});
  }
  std::vector<accumulator> constants(static_cast<std::size_t>(channels));
  const q::matrix_view<const std::int8_t> weights(w.data(), channels, depth, w_stride);
  const auto folded = q::fold<X>(weights, as_stored<Bias>(bias_values), zero, constants);
  REQUIRE(folded.status == q::status::ok);

  std::vector<std::int8_t> y(static_cast<std::size_t>(batch * y_stride), 99);
  const q::matrix_view<const X> in(x.data(), batch, depth, x_stride);
  const q::matrix_view<std::int8_t> out(y.data(), batch, channels, y_stride);
  const auto compare = [&](const auto& layer, bool per_channel) {
    REQUIRE(check(layer, in, out) == q::status::ok);
    run(layer, in, out);
    for (q::index_t r = 0; r < batch; ++r)
      for (q::index_t o = 0; o < channels; ++o) {
        const std::int64_t acc = oracle::linear_accumulator(in.row(r), weights.row(o), depth, zero.x, zero.w,
                                                            bias_values[static_cast<std::size_t>(o)]);
        REQUIRE(acc >= folded.value.record.bound.lowest);
        REQUIRE(acc <= folded.value.record.bound.highest);
        const multiplier m = multipliers[static_cast<std::size_t>(per_channel ? o : 0)];
        const std::int64_t expected = oracle::nearest_half_up(acc, m.mantissa, m.right_shift) + range.zero_point;
        REQUIRE(out.row(r)[o] == std::clamp<std::int64_t>(expected, range.min, range.max));
      }
    for (q::index_t r = 0; r + 1 < batch; ++r)
      for (q::index_t gap = channels; gap < y_stride; ++gap) REQUIRE(out.data()[r * y_stride + gap] == 99);
  };
  using channel = q::per_channel_output<std::int8_t, scheme>;
  using tensor = q::per_tensor_output<std::int8_t, scheme>;
  compare(q::linear_layer<std::int8_t, channel>{weights, folded.value, {multipliers, range}}, true);
  if (channels > 0) compare(q::linear_layer<std::int8_t, tensor>{weights, folded.value, {multipliers[0], range}}, false);
}

// ---- a sound layer to spoil, one member at a time

struct sound {
  using output_type = q::per_channel_output<std::int16_t, q::tosa::scale16>;

  std::int16_t x_data[6] = {1, 2, 3, 4, 5, 6};
  std::int8_t w_data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9};  // with room for y
  std::int64_t constants[3] = {};
  q::multiplier16 multipliers[3] = {{1 << 14, 15}, {1 << 14, 15}, {1 << 14, 15}};
  std::int16_t y_data[6] = {77};
  q::linear_layer<std::int8_t, output_type> layer{
      {w_data, 3, 3}, q::fold<std::int16_t>(q::matrix_view(w_data, 3, 3), q::no_bias{}, {5, -6}, constants).value, {multipliers}};
  q::matrix_view<const std::int16_t> x{x_data, 2, 3};
  q::matrix_view<std::int16_t> y{y_data, 2, 3};
  q::matrix_view<const std::int8_t>& w = layer.weights;
  q::folded_bias<std::int64_t>& bias = layer.bias;
  q::zero_points& zero = layer.bias.record.zero;
  output_type& output = layer.output;

  q::status status() const { return check(layer, x, y); }
  bool untouched() const { return is_untouched(y_data); }
};

/// Computes one output from equal activations and equal weights. Returns the status of the layer, the bound of its fold, and y if
/// it may be computed.
template <class Output>
auto output_of(q::index_t depth, std::int16_t x, std::int8_t w, std::int64_t bias, Output output) {
  struct {
    q::status status;
    q::accumulator_range bound;
    typename Output::value_type y;
  } found{};
  const std::vector<std::int16_t> xs(static_cast<std::size_t>(depth), x);
  const std::vector<std::int8_t> ws(static_cast<std::size_t>(depth), w);
  const std::int64_t biases[] = {bias};
  typename Output::accumulator constants[1] = {};
  const q::matrix_view<const std::int8_t> weights(ws.data(), 1, depth);
  const auto folded = q::fold<std::int16_t>(weights, biases, {}, constants);
  const q::linear_layer layer{weights, folded.value, output};
  const q::matrix_view<typename Output::value_type> out(&found.y, 1, 1);
  found.bound = folded.value.record.bound;
  found.status = check(layer, q::matrix_view(xs.data(), 1, depth), out);
  if (found.status == q::status::ok || found.status == q::status::accumulator_overflow)
    run(layer, q::matrix_view(xs.data(), 1, depth), out);
  return found;
}

}  // namespace

TEST_CASE("a layer of seventeen taps with both zero points and an int48 bias equals the constant expression") {
  const auto y = deep_layer();
  CHECK(y[0] == 8193);
  CHECK(y[1] == -404);
}

TEST_CASE("random layers equal the definition without a fold") {
  random_bits random;
  const int rounds = 2500 / DYADIC_TEST_DIVISOR;
  for (int i = 0; i < rounds; ++i) {
    check_random_layer<std::int16_t, std::int32_t>(random);
    check_random_layer<std::int16_t, std::int64_t>(random);
    check_random_layer<std::int16_t, q::packed_int48>(random);
    check_random_layer<std::int16_t, q::no_bias>(random);
    check_random_layer<std::int8_t, std::int32_t>(random);
    check_random_layer<std::int8_t, std::int64_t>(random);
    check_random_layer<std::int8_t, q::packed_int48>(random);
    check_random_layer<std::int8_t, q::no_bias>(random);
  }
  std::printf("linear: %d random layers, seed %llu\n", 8 * rounds, static_cast<unsigned long long>(seed));
}

TEST_CASE("accumulators of 31 to 47 bits are exact at every depth that blocks of other engines trip over") {
  // All products are -32768 * -128 = 2^22, so that the sum is depth * 2^22 + bias.
  for (const q::index_t depth : {1, 511, 512, 513, 516, 517, 1025, 65539})
    for (const std::int64_t bias : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31, std::int64_t{1} << 39,
                                    (std::int64_t{1} << 46) - 1, -(std::int64_t{1} << 47)}) {
      const std::int64_t acc = depth * (std::int64_t{1} << 22) + bias;
      const auto found =
          output_of(depth, -32768, -128, bias, q::per_tensor_output<std::int32_t, q::exact::half_up>{{1 << 30, 47}});
      CHECK(found.bound.highest == acc);
      REQUIRE(found.status == q::status::ok);
      CHECK(found.y == oracle::nearest_half_up(acc, 1, 17));
    }
}

TEST_CASE("512 products of the least int16 and int8 overflow int32 and 511 do not") {
  const q::per_tensor_output<std::int16_t, q::tosa::scale32> scale32{q::tosa::scale32::derive(0x1p-17).value};
  const q::per_tensor_output<std::int16_t, q::tosa::scale16> scale16{q::tosa::scale16::derive(0x1p-17).value};
  CHECK(output_of(511, -32768, -128, 0, scale32).status == q::status::ok);
  CHECK(output_of(512, -32768, -128, 0, scale32).status == q::status::accumulator_overflow);
  CHECK(output_of(512, -32768, -128, 0, scale16).status == q::status::ok);
}

TEST_CASE("a layer that check refuses for its accumulator wraps by definition") {
  const auto found = output_of(513, -32768, -128, 0, q::per_tensor_output<std::int32_t, q::tosa::scale32>{{1 << 30, 30}});
  REQUIRE(found.status == q::status::accumulator_overflow);
  CHECK(found.y == std::numeric_limits<std::int32_t>::min() + (1 << 22));
}

TEST_CASE("each error of a linear layer has its status, and nothing is written") {
  check_arguments<sound>();
  check_folded_bias<sound>();
}

TEST_CASE("a fold made for int8 activations is refused for int16 activations") {
  const std::int8_t w[] = {1, 2};
  std::int64_t constants[1] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(w, 1, 2), q::no_bias{}, {}, constants);
  const q::linear_layer layer{q::matrix_view(w, 1, 2), folded.value,
                              q::per_tensor_output<std::int8_t, q::exact::half_up>{{1, 0}}};
  const std::int16_t x16[] = {1, 2};
  const std::int8_t x8[] = {1, 2};
  std::int8_t y[1] = {};
  CHECK(check(layer, q::matrix_view(x16, 1, 2), q::matrix_view(y, 1, 1)) == q::status::fold_of_other_type);
  CHECK(check(layer, q::matrix_view(x8, 1, 2), q::matrix_view(y, 1, 1)) == q::status::ok);
}

TEST_CASE("an accumulator beyond the 48 bits of its scheme is refused") {
  // x reaches -32768 .. 32767, so that these are the two extreme biases that fit.
  const auto status_of = [](std::int64_t bias) {
    return output_of(1, 0, 1, bias, q::per_tensor_output<std::int16_t, q::tosa::scale16>{{1 << 14, 15}}).status;
  };
  CHECK(status_of((std::int64_t{1} << 47) - 1 - 32767) == q::status::ok);
  CHECK(status_of((std::int64_t{1} << 47) - 32767) == q::status::accumulator_overflow);
  CHECK(status_of(-(std::int64_t{1} << 47) + 32768) == q::status::ok);
  CHECK(status_of(-(std::int64_t{1} << 47) + 32767) == q::status::accumulator_overflow);
  CHECK(status_of(std::int64_t{1} << 50) == q::status::accumulator_overflow);
}

TEST_CASE("check returns the first of several errors of a layer: zero points, fold, output, overlap, overflow") {
  using output = q::per_tensor_output<std::int8_t, q::tosa::scale32>;
  using s = q::status;
  std::int8_t x[4] = {};
  const std::int8_t w[4] = {1, 2, 3, 4};
  const std::int64_t bias[] = {std::int64_t{1} << 40};
  std::int32_t constants[1] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(w, 1, 4), bias, {}, constants);
  REQUIRE(folded.status == s::ok);
  q::linear_layer<std::int8_t, output> layer{q::matrix_view(w, 1, 4), folded.value, {{-1, 31}}};
  const auto status_now = [&] {
    return check(layer, q::matrix_view<const std::int8_t>(x, 1, 4), q::matrix_view<std::int8_t>(x, 1, 1));
  };
  layer.bias.record.depth = 3;
  layer.bias.record.zero = {128, 0};
  CHECK(status_now() == s::zero_point_out_of_range);
  layer.bias.record.zero = {0, -129};
  CHECK(status_now() == s::zero_point_out_of_range);
  layer.bias.record.zero = {};
  CHECK(status_now() == s::fold_of_other_shape);
  layer.bias = folded.value;
  CHECK(status_now() == s::multiplier_out_of_range);
  layer.output.multiplier.mantissa = 1;
  CHECK(status_now() == s::overlap);
  std::int8_t y[1] = {};
  CHECK(check(layer, q::matrix_view<const std::int8_t>(x, 1, 4), q::matrix_view<std::int8_t>(y, 1, 1)) ==
        s::accumulator_overflow);
}

constexpr bool overlap_is_found_by_the_compiler() {
  const std::int8_t w[] = {1, 2};
  std::int32_t constants[1] = {};
  std::int8_t x[3] = {}, y[1] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(w, 1, 2), q::no_bias{}, {}, constants);
  const q::linear_layer layer{q::matrix_view(w, 1, 2), folded.value,
                              q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1 << 30, 31}}};
  const q::matrix_view<const std::int8_t> in(x, 1, 2);
  return check(layer, in, q::matrix_view<std::int8_t>(y, 1, 1)) == q::status::ok &&
         check(layer, in, q::matrix_view<std::int8_t>(x + 2, 1, 1)) == q::status::ok &&
         check(layer, in, q::matrix_view<std::int8_t>(x + 1, 1, 1)) == q::status::overlap;
}
static_assert(overlap_is_found_by_the_compiler());

constexpr bool overlap_with_the_layer_is_found_by_the_compiler() {
  std::int8_t w[] = {1, 2};
  std::int32_t constants[2] = {};
  const std::int8_t x[2] = {};
  std::int32_t y[1] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view<const std::int8_t>(w, 1, 2), q::no_bias{}, {}, q::view(constants, 1));
  const q::matrix_view<const std::int8_t> in(x, 1, 2), weights(w, 1, 2);
  const q::linear_layer raw{weights, folded.value, q::raw_output<std::int32_t>{}};
  const q::linear_layer scaled{weights, folded.value, q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1 << 30, 31}}};
  return check(raw, in, q::matrix_view<std::int32_t>(y, 1, 1)) == q::status::ok &&
         check(raw, in, q::matrix_view<std::int32_t>(constants, 1, 1)) == q::status::overlap &&
         check(raw, in, q::matrix_view<std::int32_t>(constants + 1, 1, 1)) == q::status::ok &&
         check(scaled, in, q::matrix_view<std::int8_t>(w + 1, 1, 1)) == q::status::overlap;
}
static_assert(overlap_with_the_layer_is_found_by_the_compiler());

TEST_CASE("check finds the error of a view after an empty view") {
  const q::matrix_view<const std::int8_t> no_weights(nullptr, 0, 3), no_depth(nullptr, 2, 0), x(nullptr, 2, 3),
      empty(nullptr, 2, 0);
  std::int32_t constants[2] = {};
  const auto of_nothing = q::fold<std::int8_t>(no_weights, q::no_bias{}, {}, q::view<std::int32_t>{});
  const auto of_no_depth = q::fold<std::int8_t>(no_depth, q::no_bias{}, {}, constants);
  const q::raw_output<std::int32_t> raw;
  using out = q::matrix_view<std::int32_t>;
  CHECK(check(q::linear_layer{no_weights, of_nothing.value, raw}, x, out(nullptr, 2, 0)) == q::status::null_data);
  CHECK(check(q::linear_layer{no_depth, of_no_depth.value, raw}, empty, out(nullptr, 2, 2)) == q::status::null_data);
  auto without_constants = of_no_depth.value;
  without_constants.constants = {};
  CHECK(check(q::linear_layer{no_depth, without_constants, raw}, empty, out(nullptr, 2, 2)) == q::status::null_data);
}

TEST_CASE("check returns an overlap before an overflow, and only an overflow lets a layer run") {
  const std::int8_t w[] = {127, 127, 127, 127};
  const std::int32_t bias[] = {std::numeric_limits<std::int32_t>::max()};
  std::int32_t constants[1] = {};
  std::int16_t x[4] = {};
  std::int16_t y[1] = {};
  const auto folded = q::fold<std::int16_t>(q::matrix_view(w, 1, 4), bias, {}, constants);
  const q::linear_layer layer{q::matrix_view(w, 1, 4), folded.value,
                              q::per_tensor_output<std::int16_t, q::tosa::scale32>{{1 << 30, 40}}};
  CHECK(check(layer, q::matrix_view(x, 1, 4), q::matrix_view(x, 1, 1)) == q::status::overlap);
  CHECK(check(layer, q::matrix_view(x, 1, 4), q::matrix_view(y, 1, 1)) == q::status::accumulator_overflow);
}

namespace {

/// Checks that a layer of depth 0 over null views with absurd strides gives the bias.
constexpr bool empty_sum_is_the_bias() {
  const std::int32_t bias[] = {3, -4};
  std::int64_t constants[2] = {};
  std::int16_t y[6] = {};
  const q::matrix_view<const std::int8_t> w(nullptr, 2, 0, 5);
  const q::matrix_view<const std::int16_t> x(nullptr, 3, 0, std::numeric_limits<q::index_t>::max());
  const q::matrix_view<std::int16_t> out(y, 3, 2);
  const auto folded = q::fold<std::int16_t>(w, bias, {7, 8}, constants);
  const q::linear_layer layer{w, folded.value, q::per_tensor_output<std::int16_t, q::tosa::scale16>{{1 << 14, 14}}};
  if (folded.status != q::status::ok || check(layer, x, out) != q::status::ok) return false;
  run(layer, x, out);
  for (int i = 0; i < 6; ++i)
    if (y[i] != bias[i % 2]) return false;
  return true;
}

}  // namespace

TEST_CASE("a depth of 0 reads nothing, whatever the pointers and the strides") {
  static_assert(empty_sum_is_the_bias());
  CHECK(empty_sum_is_the_bias());
}

TEST_CASE("a layer without channels ends, however many rows it has") {
  const q::index_t many = std::numeric_limits<q::index_t>::max();
  const q::matrix_view<const std::int8_t> nothing(nullptr, 0, 0), x(nullptr, many, 0);
  const q::matrix_view<std::int64_t> y(nullptr, many, 0);
  const auto folded = q::fold<std::int8_t>(nothing, q::no_bias{}, {}, q::view<std::int64_t>{});
  const q::linear_layer layer{nothing, folded.value, q::raw_output<std::int64_t>{}};
  REQUIRE(check(layer, x, y) == q::status::ok);
  run(layer, x, y);
}

TEST_CASE("a bound that int64 cannot hold is an overflow, also for an int64 accumulator") {
  const auto found = output_of(1, 32767, 1, std::numeric_limits<std::int64_t>::max(), q::raw_output<std::int64_t>{});
  CHECK(found.status == q::status::accumulator_overflow);
  const auto least = output_of(1, 0, 1, std::numeric_limits<std::int64_t>::min(), q::raw_output<std::int64_t>{});
  CHECK(least.status == q::status::accumulator_overflow);
  const q::per_tensor_output<std::int32_t, q::exact::half_up> scaled{{1, 0}};
  CHECK(output_of(1, 0, 1, std::numeric_limits<std::int64_t>::max(), scaled).status == q::status::accumulator_overflow);
  CHECK(output_of(1, 0, 1, std::numeric_limits<std::int64_t>::max() >> 2, scaled).status == q::status::ok);
}

TEST_CASE("check has two halves, and shapes are checked before memory is known") {
  using s = q::status;
  std::int8_t memory[6] = {};
  std::int8_t w[4] = {1, 2, 3, 4};
  std::int32_t constants[2] = {};
  const auto folded = q::fold<std::int8_t>(q::matrix_view(w, 2, 2), q::no_bias{}, {}, constants);
  const q::multiplier32 multipliers[] = {{1, 31}, {1, 31}};
  const q::per_channel_output<std::int8_t, q::tosa::scale32> output{multipliers};
  q::linear_layer layer{q::matrix_view(w, 2, 2), folded.value, output};
  using in = q::matrix_view<const std::int8_t>;
  using out = q::matrix_view<std::int8_t>;
  CHECK(check_shapes(layer, in(nullptr, 1, 2), out(nullptr, 1, 2)) == s::ok);
  CHECK(check(layer, in(nullptr, 1, 2), out(memory, 1, 2)) == s::null_data);
  CHECK(check_shapes(layer, in(nullptr, 1, 3), out(nullptr, 1, 2)) == s::shape_mismatch);
  CHECK(check_shapes(layer, in(nullptr, 1, -2), out(nullptr, 1, 2)) == s::negative_size);
  CHECK(check_shapes(layer, in(memory, 1, 2), out(memory, 1, 2)) == s::ok);
  CHECK(check_memory(layer, in(memory, 1, 2), out(memory + 2, 1, 2)) == s::ok);
  CHECK(check_memory(layer, in(memory, 1, 2), out(memory + 1, 1, 2)) == s::overlap);
  CHECK(check_memory(layer, in(nullptr, 1, 2), out(memory, 1, 2)) == s::null_data);
  CHECK(check_memory(layer, in(memory, 1, 2), out(nullptr, 1, 2)) == s::null_data);
  CHECK(check_memory(layer, in(memory, 1, 2), out(w + 3, 1, 1)) == s::overlap);
  layer.weights = {nullptr, 2, 2};
  CHECK(check_shapes(layer, in(nullptr, 1, 2), out(nullptr, 1, 2)) == s::null_data);
  layer.weights = q::matrix_view(w, 2, 2);
  layer.bias.record.bound.highest = std::int64_t{1} << 31;
  CHECK(check_shapes(layer, in(nullptr, 1, 2), out(nullptr, 1, 2)) == s::accumulator_overflow);
  CHECK(check(layer, in(memory, 1, 2), out(memory, 1, 2)) == s::overlap);  // an error that forbids the run comes first
  CHECK(check(layer, in(memory, 1, 2), out(memory + 2, 1, 2)) == s::accumulator_overflow);
}

TEST_CASE("a layer of 4-bit weights equals its definition at each depth, at the ends of its types, with and without gaps") {
  random_bits random;
  for (const q::index_t depth : {1, 2, 7, 31, 63, 64, 65, 128, 129, 255, 256, 257})
    for (const q::index_t gap : {0, 1, 3})
      for (const q::zero_points zero : {q::zero_points{0, 0}, q::zero_points{-128, 7}, q::zero_points{127, -8}})
        for (const q::index_t rows : {1, 3}) {
          const q::index_t channels = 5, stride = depth + gap;
          std::vector<std::uint8_t> nibbles(static_cast<std::size_t>((channels * stride + 1) / 2));
          std::vector<std::int8_t> x(static_cast<std::size_t>(rows * depth));
          for (auto& v : nibbles) v = static_cast<std::uint8_t>(random.one_in(3) ? 0x88 : random());
          for (auto& v : x) v = random.one_in(3) ? std::int8_t{-128} : static_cast<std::int8_t>(random());
          const q::matrix_view<const q::int4> w(nibbles.data(), channels, depth, stride);
          std::vector<std::int32_t> constants(static_cast<std::size_t>(channels)), y(static_cast<std::size_t>(rows * channels));
          const auto folded = q::fold<std::int8_t>(w, std::vector<std::int32_t>{7, -9, 0, 1, 100000}, zero, constants);
          const q::linear_layer layer{w, folded.value, q::raw_output<std::int32_t>{}};
          const q::matrix_view<const std::int8_t> in(x.data(), rows, depth);
          REQUIRE(check(layer, in, q::matrix_view(y.data(), rows, channels)) == q::status::ok);
          run(layer, in, q::matrix_view(y.data(), rows, channels));
          const std::int32_t bias[] = {7, -9, 0, 1, 100000};
          bool right = true;
          for (q::index_t r = 0; r < rows; ++r)
            for (q::index_t o = 0; o < channels; ++o) {
              std::int32_t sum = bias[o];
              for (q::index_t k = 0; k < depth; ++k) sum += (in.row(r)[k] - zero.x) * (w.row(o)[k] - zero.w);
              right = right && y[static_cast<std::size_t>(r * channels + o)] == sum;
            }
          CHECK(right);
        }
}

TEST_CASE("each channel of a layer of 4-bit weights has its multiplier, and gives its bias if there is no depth") {
  const std::uint8_t nibbles[] = {0x11, 0x01};
  const std::int8_t x[] = {100};
  const std::int32_t bias[] = {1, 2, 3};
  const q::multiplier32 multipliers[] = {{1 << 30, 30}, {1 << 30, 31}, {1 << 30, 32}};
  for (const q::index_t depth : {0, 1}) {
    std::int32_t constants[3] = {};
    std::int8_t y[3] = {};
    const q::matrix_view<const q::int4> w(nibbles, 3, depth);
    const auto folded = q::fold<std::int8_t>(w, bias, {}, constants);
    const q::linear_layer layer{w, folded.value, q::per_channel_output<std::int8_t, q::tosa::scale32>{multipliers}};
    REQUIRE(check(layer, q::matrix_view(x, 1, depth), q::matrix_view(y, 1, 3)) == q::status::ok);
    run(layer, q::matrix_view(x, 1, depth), q::matrix_view(y, 1, 3));
    CHECK((y[0] == 1 + 100 * depth && y[1] == 1 + 50 * depth && y[2] == 1 + 25 * depth));
  }
}

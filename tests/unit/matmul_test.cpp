#include <dyadic/matmul.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/tosa.hpp>

#include "../oracle/linear.hpp"
#include "../support/samples.hpp"
#include "../support/spoilers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace q = dyadic;

// ---- one product, by the compiler and at run time

/// Returns the raw accumulators of two batches of 1 x 17 by 17 x 2, int16 by int16 with both zero points. `right` is used as it
/// is or transposed. A left operand of one row has the same memory in both forms.
template <bool LeftTransposed, bool Transposed>
constexpr std::array<std::int64_t, 4> deep_product() {
  std::int16_t left[34] = {};
  std::int16_t right[68] = {};
  for (int b = 0; b < 2; ++b)
    for (int k = 0; k < 17; ++k) {
      left[17 * b + k] = static_cast<std::int16_t>(b == 0 ? -32768 : k);
      const int columns[] = {-32768, k - 8};
      for (int n = 0; n < 2; ++n) right[34 * b + (Transposed ? 2 * k + n : 17 * n + k)] = static_cast<std::int16_t>(columns[n]);
    }
  std::array<std::int64_t, 4> y{};
  std::int64_t scratch[2] = {};
  const q::matmul_layer layer{q::zero_points{32767, 5}, q::raw_output<std::int64_t>{}};
  const q::batch_view<std::int64_t> out(y.data(), 2, 1, 2);
  const auto multiply = [&](auto l, auto r) {
    if (check(layer, l, r, out, scratch) == q::status::ok) q::run<void>(layer, l, r, out, scratch);
  };
  const auto compute = [&](auto r) {
    if constexpr (LeftTransposed)
      multiply(q::transposed(q::batch_view<const std::int16_t>(left, 2, 17, 1)), r);
    else
      multiply(q::batch_view<const std::int16_t>(left, 2, 1, 17), r);
  };
  if constexpr (Transposed)
    compute(q::transposed(q::batch_view<const std::int16_t>(right, 2, 17, 2)));
  else
    compute(q::batch_view<const std::int16_t>(right, 2, 2, 17));
  return y;
}

constexpr bool deep_product_holds(const std::array<std::int64_t, 4>& y) {
  // 17 * -65535 * -32773, beyond 2^35; -65535 * sum of (k - 13); sum of (k - 32767) * -32773; sum of (k - 32767)(k - 13).
  return y[0] == 17LL * 65535 * 32773 && y[1] == -65535LL * (136 - 17 * 13) && y[2] == -32773LL * (136 - 17 * 32767) &&
         y[3] == 1496 - 136LL * (13 + 32767) + 17LL * 13 * 32767;
}
static_assert(deep_product_holds(deep_product<false, false>()) && deep_product_holds(deep_product<false, true>()));
static_assert(deep_product_holds(deep_product<true, false>()) && deep_product_holds(deep_product<true, true>()));

/// Stores both operands by depth. The depth and the columns are more than the compiler copies at a time.
constexpr bool pieces_add_up() {
  constexpr int rows = 3, columns = 10, depth = 131;
  std::int16_t left[depth * rows] = {};
  std::int8_t right[depth * columns] = {};
  for (int k = 0; k < depth; ++k) {
    for (int m = 0; m < rows; ++m) left[k * rows + m] = static_cast<std::int16_t>(500 * k - 32768 + m);
    for (int n = 0; n < columns; ++n) right[k * columns + n] = static_cast<std::int8_t>(k - 128 + n);
  }
  std::int64_t y[rows * columns] = {}, scratch[columns] = {};
  const q::matmul_layer layer{q::zero_points{-7, 100}, q::raw_output<std::int64_t>{}};
  run(layer, q::transposed(q::batch_view<const std::int16_t>(left, 1, depth, rows)),
      q::transposed(q::batch_view<const std::int8_t>(right, 1, depth, columns)), q::batch_view<std::int64_t>(y, 1, rows, columns),
      q::view<std::int64_t>(scratch));
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < columns; ++n) {
      for (int k = 0; k < depth; ++k) y[m * columns + n] -= (left[k * rows + m] + 7) * (right[k * columns + n] - 100);
      if (y[m * columns + n] != 0) return false;
    }
  return true;
}
static_assert(pieces_add_up());

// ---- random products against the definition

template <class T>
T random_value(std::mt19937& random) {
  switch (random() % 6) {
    case 0: return std::numeric_limits<T>::min();
    case 1: return std::numeric_limits<T>::max();
    case 2: return static_cast<T>(random() % 7);
    default: return static_cast<T>(random());
  }
}

template <class T>
std::vector<T> random_values(std::mt19937& random, q::index_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& v : values) v = random_value<T>(random);
  return values;
}

/// A batch of matrices with gaps after the rows and after the matrices.
template <class T>
struct gappy {
  q::index_t batches, rows, cols, stride, batch_stride;
  std::vector<T> data;

  gappy(std::mt19937& random, q::index_t b, q::index_t r, q::index_t c)
      : batches{b},
        rows{r},
        cols{c},
        stride{c + static_cast<q::index_t>(random() % 3)},
        batch_stride{r * stride + static_cast<q::index_t>(random() % 3)},
        data{random_values<T>(random, b * batch_stride)} {}
  q::batch_view<T> view() { return {data.data(), batches, rows, cols, stride, batch_stride}; }
  T& at(q::index_t b, q::index_t r, q::index_t c) { return data[static_cast<std::size_t>(b * batch_stride + r * stride + c)]; }
};

/// The wider the operands, the wider the accumulator and the narrower the multiplier.
template <class X>
using scheme_for = std::conditional_t<sizeof(X) == 1, q::tosa::scale32, q::tosa::scale16>;

template <class X, class W, class Y>
void check_random_product(std::mt19937& random) {
  using scheme = scheme_for<X>;
  using multiplier = typename scheme::multiplier_type;
  using accumulator = typename scheme::accumulator;
  constexpr int mantissa_bits = sizeof(X) == 1 ? 31 : 15;
  const q::index_t depths[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 64, 100};
  const q::index_t depth = depths[random() % 12];
  const auto batches = static_cast<q::index_t>(random() % 4);
  const auto rows = static_cast<q::index_t>(random() % 4);
  const auto columns = static_cast<q::index_t>(random() % 5);
  const bool left_zero = random() % 4 != 0;
  const bool right_zero = random() % 4 != 0;
  const q::zero_points zero{left_zero ? random_value<X>(random) : X{}, right_zero ? random_value<W>(random) : W{}};
  // An operand of one batch is used for all batches.
  const q::index_t left_batches = random() % 4 == 0 ? 1 : batches;
  const q::index_t right_batches = random() % 4 == 0 ? 1 : batches;
  const bool is_left_transposed = random() % 2 == 0;
  gappy<X> stored_left(random, left_batches, is_left_transposed ? depth : rows, is_left_transposed ? rows : depth);
  const auto left_at = [&](q::index_t b, q::index_t m, q::index_t k) {
    return std::int64_t{is_left_transposed ? stored_left.at(b, k, m) : stored_left.at(b, m, k)};
  };
  gappy<W> by_row(random, right_batches, columns, depth);
  gappy<W> by_depth(random, right_batches, depth, columns);
  for (q::index_t b = 0; b < right_batches; ++b)
    for (q::index_t n = 0; n < columns; ++n)
      for (q::index_t k = 0; k < depth; ++k) by_depth.at(b, k, n) = by_row.at(b, n, k);

  const q::output_range range{std::is_signed_v<Y> ? -3 : 100, std::is_signed_v<Y> ? -90 : 20, 120};
  std::vector<multiplier> multipliers;
  for (q::index_t n = 0; n < columns; ++n) {
    const auto mantissa =
        (std::int64_t{1} << (mantissa_bits - 1)) + static_cast<std::int64_t>(random() % (1u << (mantissa_bits - 1)));
    multipliers.push_back(
        {static_cast<typename multiplier::mantissa_type>(mantissa), mantissa_bits + static_cast<std::int32_t>(random() % 16)});
  }
  std::vector<accumulator> scratch(static_cast<std::size_t>(columns) + random() % 3);

  const auto compare_with = [&](const auto& layer, const auto& left, const auto& right, auto expected) {
    using value = typename std::remove_reference_t<decltype(layer.output)>::value_type;
    gappy<value> y(random, batches, rows, columns);
    const std::vector<value> before = y.data;
    REQUIRE(check(layer, left, right, y.view(), scratch) == q::status::ok);
    const auto cut = static_cast<q::index_t>(random() % static_cast<unsigned>(batches * rows + 1));
    run(layer, left, right, y.view(), scratch, {cut, batches * rows});
    const std::vector<value> half = y.data;
    for (auto& s : scratch) s = static_cast<accumulator>(random());
    run(layer, left, right, y.view(), scratch, {0, cut});
    std::vector<value> after = before;
    for (q::index_t b = 0; b < batches; ++b)
      for (q::index_t m = 0; m < rows; ++m)
        for (q::index_t n = 0; n < columns; ++n) {
          std::int64_t acc = 0;
          for (q::index_t k = 0; k < depth; ++k)
            acc += (left_at(left_batches == 1 ? 0 : b, m, k) - zero.x) *
                   (std::int64_t{by_row.at(right_batches == 1 ? 0 : b, n, k)} - zero.w);
          after[static_cast<std::size_t>(b * y.batch_stride + m * y.stride + n)] = static_cast<value>(expected(acc, n));
        }
    REQUIRE(y.data == after);
    // The first run left the rows before the cut unchanged, and the second run left the rows after it unchanged.
    const q::index_t first = cut == 0 ? 0 : cut / rows * y.batch_stride + cut % rows * y.stride;
    REQUIRE(std::equal(half.begin(), half.begin() + first, before.begin()));
    REQUIRE(std::equal(half.begin() + first, half.end(), after.begin() + first));
  };
  const auto compare = [&](const auto& layer, const auto& right, auto expected) {
    if (is_left_transposed)
      compare_with(layer, q::transposed(stored_left.view()), right, expected);
    else
      compare_with(layer, stored_left.view(), right, expected);
  };
  const auto scaled = [&](std::int64_t acc, std::size_t n) {
    const multiplier m = multipliers[n];
    return std::clamp<std::int64_t>(oracle::nearest_half_up(acc, m.mantissa, m.right_shift) + range.zero_point, range.min,
                                    range.max);
  };
  const auto both = [&](const auto& layer, auto expected) {
    compare(layer, by_row.view(), expected);
    compare(layer, q::transposed(by_depth.view()), expected);
  };
  switch (random() % 3) {
    case 0:
      return both(q::matmul_layer{zero, q::per_channel_output<Y, scheme>{multipliers, range}},
                  [&](std::int64_t acc, q::index_t n) { return scaled(acc, static_cast<std::size_t>(n)); });
    case 1:
      if (columns == 0) multipliers.push_back({});
      multipliers[0].right_shift = std::max<std::int32_t>(multipliers[0].right_shift, 2);
      return both(q::matmul_layer{zero, q::per_tensor_output<Y, scheme>{multipliers[0], range}},
                  [&](std::int64_t acc, q::index_t) { return scaled(acc, 0); });
    default: return both(q::matmul_layer{zero, q::raw_output<accumulator>{}}, [](std::int64_t acc, q::index_t) { return acc; });
  }
}

// ---- a sound product to spoil, one argument at a time

struct sound {
  std::int16_t x_data[18] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // 3 x 2 x 3
  std::int8_t w_data[36] = {1, 2, 3, 4, 5, 6, 7, 8, 9};               // 3 x 3 x 3, and room for y
  q::multiplier16 multipliers[3] = {{1 << 14, 15}, {1 << 14, 15}, {1 << 14, 15}};
  std::int64_t scratch_data[3] = {77};
  std::int16_t y_data[18] = {77};
  q::zero_points zero{5, -6};
  q::per_channel_output<std::int16_t, q::tosa::scale16> output{multipliers};
  q::batch_view<const std::int16_t> x{x_data, 3, 2, 3};
  q::batch_view<const std::int8_t> w{w_data, 3, 3, 3};
  q::batch_view<std::int16_t> y{y_data, 3, 2, 3};
  q::view<std::int64_t> scratch{scratch_data};

  /// Returns the status of both forms of the right operand, which must be equal.
  template <class Left>
  q::status status_of(const Left& left) const {
    const q::matmul_layer layer{zero, output};
    const q::status found = check(layer, left, w, y, scratch);
    CHECK(check(layer, left, q::transposed(w), y, scratch) == found);
    return found;
  }
  q::status status() const { return status_of(x); }
  bool untouched() const { return support::is_untouched(y_data) && support::is_untouched(scratch_data); }
};

/// A sound product whose left operand is stored by depth.
struct sound_by_depth : sound {
  sound_by_depth() { x = {x_data, 3, 3, 2}; }
  q::status status() const { return status_of(q::transposed(x)); }
};

/// Returns the status of a product of this depth without rows and columns. The types give the bound.
template <class X, class W, class Output>
q::status status_of_depth(q::index_t depth, q::zero_points zero, Output output) {
  const q::batch_view<typename Output::value_type> y(nullptr, 1, 0, 0);
  return check(q::matmul_layer<Output>{zero, output}, q::batch_view<const X>(nullptr, 1, 0, depth),
               q::batch_view<const W>(nullptr, 1, 0, depth), y, {});
}

template <class X, class W, class Output>
void check_limit(q::index_t depth, q::zero_points zero, Output output) {
  CHECK(status_of_depth<X, W>(depth, zero, output) == q::status::ok);
  CHECK(status_of_depth<X, W>(depth + 1, zero, output) == q::status::accumulator_overflow);
}

}  // namespace

TEST_CASE("a product of depth seventeen beyond 2^35 equals the constant expression in each layout of the operands") {
  CHECK(deep_product_holds(deep_product<false, false>()));
  CHECK(deep_product_holds(deep_product<false, true>()));
  CHECK(deep_product_holds(deep_product<true, false>()));
  CHECK(deep_product_holds(deep_product<true, true>()));
  CHECK(pieces_add_up());
}

TEST_CASE("rows that are stored by depth equal the definition at any depth and number of rows") {
  std::mt19937 random(support::sample_seed(8));
  constexpr q::index_t columns = 70;  // more columns than share a copy of a piece
  const q::zero_points zero{-3, 4};
  std::vector<q::multiplier32> multipliers;
  for (int n = 0; n < columns; ++n) multipliers.push_back({1 << 30, 36 + n % 3});
  const q::matmul_layer layer{zero, q::per_channel_output<std::int32_t, q::exact::half_up>{multipliers}};
  std::vector<std::int64_t> scratch(columns);
  for (const q::index_t depth : {1, 15, 16, 17, 33, 500, 4000, 9000})
    for (const q::index_t rows : {1, 3, 7, 40}) {
      if (depth * rows > 40000) continue;
      gappy<std::int8_t> left(random, 1, depth, rows);
      gappy<std::int16_t> right(random, 1, depth, columns), by_row(random, 1, columns, depth);
      std::vector<std::int64_t> sums(static_cast<std::size_t>(rows * columns));
      for (q::index_t k = 0; k < depth; ++k)
        for (q::index_t n = 0; n < columns; ++n) {
          by_row.at(0, n, k) = right.at(0, k, n);
          for (q::index_t m = 0; m < rows; ++m)
            sums[static_cast<std::size_t>(m * columns + n)] +=
                std::int64_t{left.at(0, k, m) - zero.x} * (right.at(0, k, n) - zero.w);
        }
      std::vector<std::int32_t> expected;
      for (const std::int64_t sum : sums) {
        const auto shift = 36 + static_cast<int>(expected.size() % columns % 3);
        expected.push_back(static_cast<std::int32_t>(oracle::nearest_half_up(sum, 1 << 30, shift)));
      }
      const auto multiply = [&](auto weights) {
        std::vector<std::int32_t> y(sums.size());
        const q::batch_view<std::int32_t> out(y.data(), 1, rows, columns);
        const auto by_depth = q::transposed(left.view());
        REQUIRE(check(layer, by_depth, weights, out, scratch) == q::status::ok);
        run(layer, by_depth, weights, out, scratch);
        CHECK(y == expected);
      };
      multiply(q::transposed(right.view()));
      multiply(by_row.view());
    }
}

TEST_CASE("random products equal the definition without a fold, row range by row range") {
  std::mt19937 random(support::sample_seed(7));
  const int rounds = support::samples(4000);
  for (int i = 0; i < rounds; ++i) {
    check_random_product<std::int8_t, std::int8_t, std::int8_t>(random);
    check_random_product<std::uint8_t, std::uint8_t, std::uint8_t>(random);
    check_random_product<std::int16_t, std::int16_t, std::int16_t>(random);
    check_random_product<std::int16_t, std::int8_t, std::int16_t>(random);
    check_random_product<std::int16_t, std::int16_t, std::int32_t>(random);
  }
  std::printf("matmul: %d random products of each of two forms, seed 7\n", 5 * rounds);
}

TEST_CASE("int16 by int16 accumulators of 31 to 47 bits are exact") {
  for (const q::index_t depth : {1, 2, 3, 4, 5, 17, 1023, 65537, 131071}) {
    const std::vector<std::int16_t> least(static_cast<std::size_t>(depth), -32768);
    std::int64_t scratch[1] = {};
    q::packed_int48 raw[1] = {};
    std::int32_t y[1] = {};
    const q::batch_view<const std::int16_t> left(least.data(), 1, 1, depth);
    const auto right = q::transposed(q::batch_view<const std::int16_t>(least.data(), 1, depth, 1));
    const std::int64_t acc = depth * (std::int64_t{1} << 30);
    const q::matmul_layer to_int48{q::zero_points{}, q::raw_output<q::packed_int48>{}};
    const q::batch_view<q::packed_int48> out48(raw, 1, 1, 1);
    REQUIRE(check(to_int48, left, right, out48, scratch) == q::status::ok);
    run(to_int48, left, right, out48, scratch);
    CHECK(raw[0].unpack().value() == acc);
    const q::matmul_layer to_int32{q::zero_points{}, q::per_tensor_output<std::int32_t, q::exact::half_up>{{(1 << 30) + 1, 49}}};
    const q::batch_view<std::int32_t> out32(y, 1, 1, 1);
    REQUIRE(check(to_int32, left, right, out32, scratch) == q::status::ok);
    run(to_int32, left, right, out32, scratch);
    CHECK(y[0] == depth * 2048 + oracle::nearest_half_up(depth, 1, 19));
    y[0] = 0;
    run(to_int32, q::transposed(q::batch_view<const std::int16_t>(least.data(), 1, depth, 1)), right, out32, scratch);
    CHECK(y[0] == depth * 2048 + oracle::nearest_half_up(depth, 1, 19));
  }
}

TEST_CASE("check finds the depth at which the types can overflow the accumulator") {
  const q::raw_output<std::int32_t> i32;
  const q::raw_output<q::packed_int48> i48;
  const q::per_tensor_output<std::int8_t, q::tosa::scale32> scale32{{1 << 30, 40}};
  const q::per_tensor_output<std::int16_t, q::tosa::scale16> scale16{{1 << 14, 40}};
  check_limit<std::int8_t, std::int8_t>(131071, {}, i32);
  check_limit<std::int8_t, std::int8_t>(131071, {}, scale32);
  check_limit<std::int8_t, std::int8_t>(33025, {-128, -128}, i32);
  check_limit<std::int8_t, std::int8_t>(33025, {-128, 127}, i32);  // the lower bound: -(2^31) / 255^2
  check_limit<std::uint8_t, std::uint8_t>(33025, {}, i32);
  check_limit<std::int16_t, std::int8_t>(511, {}, i32);
  check_limit<std::int16_t, std::int8_t>((1 << 25) - 1, {}, i48);
  check_limit<std::int16_t, std::int16_t>(1, {}, i32);
  check_limit<std::int16_t, std::int16_t>(131071, {}, i48);
  check_limit<std::int16_t, std::int16_t>(131071, {}, scale16);
  check_limit<std::int16_t, std::int16_t>(32769, {-32768, 32767}, i48);
  if constexpr (sizeof(q::index_t) == 8)
    check_limit<std::int16_t, std::int16_t>(static_cast<q::index_t>((std::int64_t{1} << 33) - 1), {},
                                            q::raw_output<std::int64_t>{});
}

TEST_CASE("a product that check refuses for its accumulator wraps by definition") {
  const std::vector<std::int16_t> least(5, -32768);
  std::int32_t scratch[1] = {};
  std::int32_t y[1] = {};
  const q::batch_view<const std::int16_t> operand(least.data(), 1, 1, 5);
  const q::batch_view<std::int32_t> out(y, 1, 1, 1);
  const q::matmul_layer layer{q::zero_points{}, q::raw_output<std::int32_t>{}};
  REQUIRE(check(layer, operand, operand, out, scratch) == q::status::accumulator_overflow);
  run(layer, operand, operand, out, scratch);
  CHECK(y[0] == 1 << 30);  // 5 * 2^30 modulo 2^32
}

TEST_CASE("products without batches, rows, columns or depth are sound, and each sum without depth is 0") {
  const q::matmul_layer layer{q::zero_points{3, 4},
                              q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1 << 30, 31}, q::range_of<std::int8_t>(9)}};
  for (int empty = 0; empty < 16; ++empty) {
    const q::index_t batches = (empty & 1) != 0 ? 0 : 2, rows = (empty & 2) != 0 ? 0 : 2;
    const q::index_t columns = (empty & 4) != 0 ? 0 : 2, depth = (empty & 8) != 0 ? 0 : 2;
    const std::int8_t x[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    std::int8_t y[8] = {77, 77, 77, 77, 77, 77, 77, 77};
    std::int32_t scratch[2] = {};
    const bool no_left = batches * rows * depth == 0, no_right = batches * columns * depth == 0,
               no_y = batches * rows * columns == 0;
    const q::batch_view<const std::int8_t> left(no_left ? nullptr : x, batches, rows, depth, 2, 4);
    const q::batch_view<const std::int8_t> right(no_right ? nullptr : x, batches, columns, depth, 2, 4);
    const q::batch_view<const std::int8_t> right_by_depth(no_right ? nullptr : x, batches, depth, columns, 2, 4);
    const q::batch_view<std::int8_t> out(no_y ? nullptr : y, batches, rows, columns);
    REQUIRE(check(layer, left, right, out, scratch) == q::status::ok);
    run(layer, left, right, out, scratch);
    REQUIRE(check(layer, left, q::transposed(right_by_depth), out, scratch) == q::status::ok);
    run(layer, left, q::transposed(right_by_depth), out, scratch);
    for (const std::int8_t v : y) CHECK(v == (no_y ? 77 : 9));
    const auto left_by_depth = q::transposed(q::batch_view<const std::int8_t>(no_left ? nullptr : x, batches, depth, rows, 2, 4));
    std::fill(std::begin(y), std::end(y), std::int8_t{77});
    REQUIRE(check(layer, left_by_depth, right, out, scratch) == q::status::ok);
    run(layer, left_by_depth, right, out, scratch);
    for (const std::int8_t v : y) CHECK(v == (no_y ? 77 : 9));
  }
}

TEST_CASE("a product without columns ends however many batches it has") {
  const q::matmul_layer layer{q::zero_points{}, q::raw_output<std::int64_t>{}};
  const q::index_t many = std::numeric_limits<q::index_t>::max() / 2;
  const q::batch_view<const std::int8_t> left(nullptr, many, 2, 0), right(nullptr, many, 0, 0);
  const q::batch_view<std::int64_t> y(nullptr, many, 2, 0);
  REQUIRE(check(layer, left, right, y, {}) == q::status::ok);
  run(layer, left, right, y, {});
}

TEST_CASE("each error of a product has its status, and nothing is written") {
  support::check_arguments<sound>();
  support::check_arguments<sound_by_depth>();
  support::check_view<sound>("scratch", [](sound& l) { return &l.scratch; });
  const q::index_t huge = support::huge;
  CHECK(support::after<sound>([=](sound& l) { l.x = {l.x_data, huge, huge, huge}; }) == q::status::size_overflow);
  CHECK(support::after<sound>([=](sound& l) { l.x = {l.x_data, huge, huge, 0}; }) == q::status::size_overflow);
  CHECK(support::after<sound>([=](sound& l) { l.x = {l.x_data, 2, huge, 3}; }) == q::status::size_overflow);
}

TEST_CASE("a run of some rows writes no rows before or after them") {
  const std::int8_t x[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const q::matmul_layer layer{q::zero_points{1, 2}, q::raw_output<std::int32_t>{}};
  std::int32_t scratch[1] = {};
  for (q::index_t begin = 0; begin <= 6; ++begin)
    for (q::index_t end = begin; end <= 6; ++end) {
      std::int32_t y[6] = {77, 77, 77, 77, 77, 77};  // 2 x 3 x 1
      run(layer, q::batch_view<const std::int8_t>(x, 2, 3, 2), q::batch_view<const std::int8_t>(x, 2, 1, 2),
          q::batch_view<std::int32_t>(y, 2, 3, 1), scratch, {begin, end});
      for (q::index_t row = 0; row < 6; ++row) CHECK(y[row] == (row >= begin && row < end ? 0 : 77));
      std::int32_t again[6] = {77, 77, 77, 77, 77, 77};
      run(layer, q::transposed(q::batch_view<const std::int8_t>(x, 2, 2, 3)), q::batch_view<const std::int8_t>(x, 2, 1, 2),
          q::batch_view<std::int32_t>(again, 2, 3, 1), scratch, {begin, end});
      CHECK(std::equal(again, again + 6, y));
    }
}

TEST_CASE("scratch and output may not share memory with each other, the operands or the multipliers") {
  std::int32_t memory[20] = {};
  struct places {
    q::index_t scratch = 0, y = 2, mantissas = 6, shifts = 8, left = 10, right = 13;  // 2, 4, 2, 2, 2 and 2 words
  };
  const auto status_of = [&](places at) {
    const auto operand = [&](q::index_t word) {
      return q::batch_view<const std::int8_t>(reinterpret_cast<const std::int8_t*>(memory + word), 1, 2, 4);
    };
    const q::view<const std::int32_t> mantissas(memory + at.mantissas, 2), shifts(memory + at.shifts, 2);
    const q::matmul_layer layer{q::zero_points{},
                                q::per_channel_arrays_output<std::int32_t, q::tosa::scale32>{mantissas, shifts}};
    return check(layer, operand(at.left), operand(at.right), q::batch_view<std::int32_t>(memory + at.y, 1, 2, 2),
                 q::view<std::int32_t>(memory + at.scratch, 2));
  };
  CHECK(status_of({}) == q::status::ok);
  CHECK(status_of({0, 2, 6, 6, 10, 10}) == q::status::ok);  // inputs may overlap
  for (const q::index_t taken : {3, 5, 7, 9, 11, 12}) CHECK(status_of({taken}) == q::status::overlap);
  CHECK(status_of({0, 10, 6, 8, 13, 16}) == q::status::overlap);  // only y and left overlap
  CHECK(status_of({0, 10, 6, 8, 16, 13}) == q::status::overlap);  // only y and right overlap
  for (const q::index_t taken : {1, 3, 5, 7, 9, 13})
    CHECK(status_of({16, taken, 6, 8, 10, 13}) == (taken == 1 ? q::status::ok : q::status::overlap));
}

TEST_CASE("a batch of matrices is transposed into the user's memory") {
  const std::int8_t from[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::int8_t to[14] = {};
  using in = q::batch_view<const std::int8_t>;
  using out = q::batch_view<std::int8_t>;
  REQUIRE(q::transpose(in(from, 2, 3, 2), out(to, 2, 2, 3, 3, 7)) == q::status::ok);
  const std::int8_t expected[14] = {1, 3, 5, 2, 4, 6, 0, 7, 9, 11, 8, 10, 12, 0};
  CHECK(std::equal(expected, expected + 14, to));
  CHECK(q::transpose(in(from, 2, 3, 2), out(to, 2, 3, 2)) == q::status::shape_mismatch);
  CHECK(q::transpose(in(from, 1, 3, 2), out(to, 2, 2, 3)) == q::status::shape_mismatch);
  CHECK(q::transpose(in(nullptr, 2, 3, 2), out(to, 2, 2, 3)) == q::status::null_data);
  CHECK(q::transpose(in(from, 2, 3, 2), out(nullptr, 2, 2, 3)) == q::status::null_data);
  CHECK(q::transpose(in(to, 1, 3, 2), out(to + 5, 1, 2, 3)) == q::status::overlap);
  CHECK(q::transpose(in(nullptr, 5, 0, 2), out(nullptr, 5, 2, 0)) == q::status::ok);
  CHECK(std::equal(expected, expected + 14, to));
}

TEST_CASE("the check of a product comes in two halves") {
  std::int8_t left[12] = {};
  std::int8_t right[12] = {};
  std::int8_t y[8] = {};
  std::int32_t scratch[2] = {};
  using output = q::per_tensor_output<std::int8_t, q::tflite::double_rounding>;
  const auto statuses = [&](const q::matmul_layer<output>& layer, q::batch_view<const std::int8_t> a,
                            q::batch_view<const std::int8_t> b, q::batch_view<std::int8_t> to, q::view<std::int32_t> sums) {
    const q::status shapes = check_shapes(layer, a, b, to);
    const q::status memory = check_memory(layer, a, b, to, sums);
    const bool both = shapes == q::status::ok && memory == q::status::ok;
    CHECK(both == (check(layer, a, b, to, sums) == q::status::ok));
    return std::pair{shapes, memory};
  };
  constexpr auto ok = q::status::ok;
  const q::matmul_layer<output> layer{{1, 2}, {q::tflite::double_rounding::derive(0.1).value, q::range_of<std::int8_t>()}};
  const q::batch_view<const std::int8_t> a(left, 2, 2, 3);
  const q::batch_view<const std::int8_t> b(right, 2, 2, 3);
  const q::batch_view<std::int8_t> to(y, 2, 2, 2);
  CHECK(statuses(layer, a, b, to, scratch) == std::pair{ok, ok});
  // check_shapes ignores data that is not known yet. check_memory does not compare shapes.
  const q::batch_view<const std::int8_t> unknown(nullptr, 2, 2, 3);
  CHECK(statuses(layer, unknown, b, to, scratch) == std::pair{ok, q::status::null_data});
  CHECK(statuses(layer, a, unknown, {nullptr, 2, 2, 2}, scratch) == std::pair{ok, q::status::null_data});
  CHECK(statuses(layer, a, b, to, {nullptr, 2}) == std::pair{ok, q::status::null_data});
  CHECK(statuses(layer, a, b, to, {scratch, 1}) == std::pair{ok, q::status::shape_mismatch});
  CHECK(statuses(layer, a, b, {left, 2, 2, 2}, scratch) == std::pair{ok, q::status::overlap});
  CHECK(statuses(layer, a, {right, 2, 2, 2}, to, scratch) == std::pair{q::status::shape_mismatch, ok});
  CHECK(statuses(layer, {left, 2, -1, 3}, b, to, scratch) == std::pair{q::status::negative_size, q::status::negative_size});
  CHECK(statuses({{200, 0}, layer.output}, a, b, to, scratch) == std::pair{q::status::zero_point_out_of_range, ok});
  CHECK(statuses({{0, 0}, {{1, 99}, q::range_of<std::int8_t>()}}, a, b, to, scratch) ==
        std::pair{q::status::multiplier_out_of_range, ok});
  const q::batch_view<const std::int8_t> deep(left, 1, 1, 1 << 18, 1 << 18, 1 << 18);
  CHECK(check_shapes(layer, deep, deep, {y, 1, 1, 1}) == q::status::accumulator_overflow);
  // A left operand that is stored by depth: its rows are its stored columns.
  const q::batch_view<const std::int8_t> by_depth(left, 2, 3, 2);
  CHECK(check_shapes(layer, q::transposed(by_depth), b, to) == ok);
  CHECK(check_shapes(layer, q::transposed(a), b, to) == q::status::shape_mismatch);
  CHECK(check_memory(layer, q::transposed(by_depth), b, to, scratch) == ok);
  CHECK(check_memory(layer, q::transposed(by_depth), b, {left + 11, 2, 2, 2}, scratch) == q::status::overlap);
}

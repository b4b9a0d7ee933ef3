#include <dyadic/linear.hpp>
#include <dyadic/native.hpp>
#include <dyadic/zero_points.hpp>

#include <random>
#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using s = q::status;

/// Checks two rows with zero points 1 and -2, and two channels with zero points 3 and -4, at compile time.
constexpr bool small_holds() {
  const std::int8_t x[] = {5, -6, 7, 8}, w[] = {1, 2, -3, 4};
  const std::int32_t bias[] = {100, -200}, x_zeros[] = {1, -2}, w_zeros[] = {3, -4};
  std::int32_t constants[2] = {}, sums[2] = {}, y[4] = {};
  const q::matrix_view weights(w, 2, 2), in(x, 2, 2);
  const q::matrix_view out(y, 2, 2);
  const auto folded = q::fold<std::int8_t>(weights, bias, {}, constants);
  const q::linear_layer layer{weights, folded.value, q::raw_output<std::int32_t>{}};
  if (q::kernel_sums(weights, sums) != s::ok || check(layer, in, out) != s::ok) return false;
  run(layer, in, out);
  if (q::subtract_zero_points<std::int8_t>(folded.value, in, sums, x_zeros, w_zeros, out) != s::ok) return false;
  return y[0] == 100 + 4 * -2 + -7 * -1 && y[1] == -200 + 4 * 1 + -7 * 8 && y[2] == 100 + 9 * -2 + 10 * -1 &&
         y[3] == -200 + 9 * 1 + 10 * 8;
}
static_assert(small_holds());

template <class X, class W, class Acc>
void compare(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<q::index_t>(random() % n); };
  const q::index_t rows = below(5), depth = below(70), channels = below(20);
  const auto size = [](q::index_t n) { return static_cast<std::size_t>(n); };
  std::vector<X> x(size(rows * depth));
  std::vector<W> w(size(channels * depth));
  for (X& v : x) v = static_cast<X>(random());
  for (W& v : w) v = static_cast<W>(random());
  std::vector<std::int32_t> x_zeros(random() % 3 == 0 ? 1 : size(rows)), w_zeros(random() % 3 == 0 ? 1 : size(channels));
  for (auto& z : x_zeros) z = static_cast<X>(random());
  for (auto& z : w_zeros) z = static_cast<W>(random());
  std::vector<Acc> bias(size(channels)), constants(size(channels)), y(size(rows * channels));
  for (Acc& b : bias) b = static_cast<Acc>(random() % 2001) - 1000;
  std::vector<std::int32_t> sums(size(channels));
  const q::matrix_view<const W> weights(w.data(), channels, depth);
  const q::matrix_view<const X> in(x.data(), rows, depth);
  const q::matrix_view<Acc> out(y.data(), rows, channels);
  const auto folded = q::fold<X>(weights, bias, {}, constants);
  REQUIRE(q::kernel_sums(weights, sums) == s::ok);
  const q::linear_layer<W, q::raw_output<Acc>> layer{weights, folded.value, {}};
  REQUIRE(check(layer, in, out) == s::ok);
  q::run<q::native>(layer, in, out);
  REQUIRE(q::subtract_zero_points<W>(folded.value, in, sums, x_zeros, w_zeros, out, 1000) == s::ok);
  for (q::index_t r = 0; r < rows; ++r)
    for (q::index_t o = 0; o < channels; ++o) {
      std::int64_t sum = bias[size(o)];
      const std::int64_t x_zero = x_zeros[x_zeros.size() == 1 ? 0 : size(r)], w_zero = w_zeros[w_zeros.size() == 1 ? 0 : size(o)];
      for (q::index_t k = 0; k < depth; ++k) sum += (x[size(r * depth + k)] - x_zero) * (w[size(o * depth + k)] - w_zero);
      REQUIRE(y[size(r * channels + o)] == sum);
    }
}

}  // namespace

TEST_CASE("zero points of rows and channels are subtracted from raw sums") {
  std::mt19937 random(43);
  for (int i = 0; i < 300; ++i) {
    compare<std::int8_t, std::int8_t, std::int32_t>(random);
    compare<std::uint8_t, std::int8_t, std::int32_t>(random);
    compare<std::int16_t, std::int8_t, std::int64_t>(random);
  }
}

TEST_CASE("each error of a subtraction of zero points has its status, and nothing is written") {
  const std::int8_t x[6] = {}, w[] = {1, 2, 3, -4, -5, -128};
  const std::int32_t zeros[] = {1, 2, 3}, sums[] = {6, -137}, wrong[] = {1000, 0}, far[] = {128, 0};
  std::int32_t constants[2] = {}, y[4] = {7, 7, 7, 7};
  const q::matrix_view weights(w, 2, 3);
  const auto folded = q::fold<std::int8_t>(weights, q::no_bias{}, {}, constants).value;
  using integers = q::view<const std::int32_t>;
  const auto subtract = [&](const auto& fold, q::matrix_view<const std::int8_t> in, integers of_weights, integers of_rows,
                            integers of_channels, q::matrix_view<std::int32_t> to, std::int64_t bias = 0) {
    return q::subtract_zero_points<std::int8_t>(fold, in, of_weights, of_rows, of_channels, to, bias);
  };
  const q::matrix_view in(x, 2, 3);
  const q::matrix_view out(y, 2, 2);
  const integers one(zeros, 1), two(zeros, 2), three(zeros, 3);
  CHECK(subtract(folded, in, sums, three, one, out) == s::shape_mismatch);
  CHECK(subtract(folded, in, sums, one, three, out) == s::shape_mismatch);
  CHECK(subtract(folded, in, one, one, one, out) == s::shape_mismatch);
  CHECK(subtract(folded, q::matrix_view(x, 2, 2), sums, one, one, out) == s::shape_mismatch);
  CHECK(subtract(folded, q::matrix_view(x, 1, 3), sums, one, one, out) == s::shape_mismatch);
  CHECK(subtract(folded, in, sums, one, one, q::matrix_view(y, 2, 1)) == s::shape_mismatch);
  CHECK(subtract(folded, in, sums, {nullptr, 1}, one, out) == s::null_data);
  CHECK(subtract(folded, in, sums, one, {nullptr, 1}, out) == s::null_data);
  CHECK(subtract(folded, in, {nullptr, 2}, one, one, out) == s::null_data);
  CHECK(subtract(folded, in, sums, far, one, out) == s::zero_point_out_of_range);
  CHECK(subtract(folded, in, sums, one, far, out) == s::zero_point_out_of_range);
  CHECK(subtract(folded, in, wrong, one, one, out) == s::value_out_of_range);
  CHECK(subtract(folded, in, sums, {y, 2}, one, out) == s::overlap);
  CHECK(subtract(folded, in, sums, one, {y, 1}, out) == s::overlap);
  CHECK(subtract(folded, in, sums, two, two, out, std::int64_t{1} << 31) == s::accumulator_overflow);
  CHECK(subtract(folded, in, sums, two, two, out, -1) == s::accumulator_overflow);
  auto other = folded;
  other.record.zero.x = 1;
  CHECK(subtract(other, in, sums, one, one, out) == s::fold_of_other_shape);
  other = folded;
  other.record.taps_x = 2;
  CHECK(subtract(other, in, sums, one, one, out) == s::fold_of_other_shape);
  other = folded;
  other.record.x_min = -32768;
  CHECK(subtract(other, in, sums, one, one, out) == s::fold_of_other_type);
  CHECK((y[0] == 7 && y[3] == 7));
  CHECK(subtract(folded, in, sums, two, two, out) == s::ok);

  // int8 by int8, both with zero points at the ends: 33025 products of 255 * 255 fit int32.
  const std::int32_t least[] = {-128};
  std::int32_t none[1] = {}, sum[1] = {};
  for (const q::index_t depth : {q::index_t{33025}, q::index_t{33026}}) {
    const std::vector<std::int8_t> many(static_cast<std::size_t>(depth));
    const q::matrix_view<const std::int8_t> row(many.data(), 1, depth);
    const auto deep = q::fold<std::int8_t>(row, q::no_bias{}, {}, none).value;
    CHECK(subtract(deep, row, {sum, 1}, least, least, q::matrix_view(y, 1, 1)) ==
          (depth == 33025 ? s::ok : s::accumulator_overflow));
  }
}

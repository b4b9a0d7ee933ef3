// Norms against exact integers and against the real functions.

#include <dyadic/elementwise/exact_norm.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/row_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../oracle/integer_schemes.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;
using oracle::wide;
using q::status;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using support::random_bits;

namespace {

template <class Rule, class X>
std::vector<X> output_of(const Rule& rule, const std::vector<X>& x) {
  std::vector<X> y(x.size());
  const auto cols = static_cast<q::index_t>(x.size());
  const q::row_layer<Rule> layer{rule};
  REQUIRE(q::may_run(check(layer, q::matrix_view(x, 1, cols), q::matrix_view(y, 1, cols))));
  run(layer, q::matrix_view(x, 1, cols), q::matrix_view(y, 1, cols));
  return y;
}

/// Returns the integer nearest to numerator / denominator, ties away from zero. Requires: denominator > 0.
int64_t nearest_away(wide numerator, wide denominator) {
  const wide magnitude = numerator < 0 ? -numerator : numerator;
  const wide whole = (2 * magnitude + denominator) / (2 * denominator);
  return static_cast<int64_t>(numerator < 0 ? -whole : whole);
}

template <class X>
X clamped(int64_t y) {
  return static_cast<X>(std::clamp<int64_t>(y, q::limits<X>::min, q::limits<X>::max));
}

/// Returns the sign of n / sqrt(d) - t for small numbers.
int compared(wide n, wide d, wide t) {
  const auto sign = [](wide v) { return v < 0 ? -1 : v > 0 ? 1 : 0; };
  if (sign(n) != sign(t) || n == 0) return sign(n - t) == 0 ? 0 : sign(n) < sign(t) ? -1 : 1;
  return sign(n) * sign(n * n - d * t * t);
}

/// The rows of `length` elements in -reach .. reach, one after another.
bool next_row(std::vector<int8_t>& x, int reach) {
  for (int8_t& v : x) {
    if (++v <= reach) return true;
    v = static_cast<int8_t>(-reach);
  }
  return false;
}

/// Compares a norm of small numbers with a search for the nearest integer, whose ties are decided by squares of 128 bits.
template <template <class> class Norm>
void check_small(bool is_centered) {
  std::uint64_t ties = 0;
  for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4}})
    for (const int64_t epsilon : {int64_t{0}, int64_t{1} << 14, int64_t{3} << 16})
      for (const q::multiplier32 m :
           {q::multiplier32{1, 1}, q::multiplier32{3, 3}, q::multiplier32{-5, 2}, q::multiplier32{7, 0}}) {
        const std::vector<int16_t> weights{1, -3, 2, 5};
        const std::vector<int32_t> bias{0, 512, -1024, 300};
        const int zero = is_centered ? 0 : 1;
        const Norm<int8_t> rule{{weights.data(), static_cast<q::index_t>(length)},
                                {bias.data(), static_cast<q::index_t>(length)},
                                zero,
                                epsilon,
                                m,
                                {3, -60, 60}};
        std::vector<int8_t> x(length, -3);
        do {
          const std::vector<int8_t> y = output_of(rule, x);
          const auto n = static_cast<int64_t>(length);
          int64_t sum = 0, squares = 0;
          for (const int v : x) sum += v - zero, squares += (v - zero) * (v - zero);
          if (!is_centered) sum = 0;
          // d / n^2 is the mean of squares, plus epsilon; both times 2^16.
          const wide d = wide{n * squares - sum * sum} * 65536 + wide{n * n} * epsilon;
          for (std::size_t i = 0; i < length; ++i) {
            const wide distance = n * (x[i] - zero) - sum;
            const wide numerator = distance * weights[i] * m.mantissa * (1024 * 256);
            const wide offset = wide{bias[i]} * m.mantissa;
            const wide unit = wide{1} << (m.right_shift + 10);
            // The value rounds to k if it lies between k - 1/2 and k + 1/2, or on the end that is farther from zero.
            int64_t k = -70;
            for (;; ++k) {
              const int above = compared(2 * numerator, d, (2 * k + 1) * unit - 2 * offset);
              ties += above == 0;
              if (above < 0 || (above == 0 && k < 0) || k == 70) break;
            }
            REQUIRE(int{y[i]} == std::clamp<int64_t>(k + 3, -60, 60));
          }
        } while (next_row(x, 3));
      }
  CHECK(ties > 100);
}

/// Compares a norm with long double where it is not within 2^-30 of a tie.
template <class X, template <class> class Norm>
void check_random(random_bits& random, bool is_centered) {
  for (int i = 0; i < support::samples(2000); ++i) {
    const std::size_t n = 1 + static_cast<std::size_t>(random.one_in(50) ? random.below(3000) : random.below(40));
    std::vector<X> x(n);
    std::vector<int16_t> weights(n);
    std::vector<int32_t> bias(random.one_in(3) ? 0 : n);
    const int bits = 1 + random.below(static_cast<int>(8 * sizeof(X)));
    const int64_t center = random.between(q::limits<X>::min, q::limits<X>::max);
    for (X& v : x) v = clamped<X>(center + random.integer(bits));
    for (int16_t& w : weights) w = static_cast<int16_t>(random.integer(15));
    for (int32_t& b : bias) b = static_cast<int32_t>(random.integer(31));
    const auto zero = static_cast<int32_t>(random.between(q::limits<X>::min, q::limits<X>::max));
    const int64_t epsilon = static_cast<int64_t>(random.of_random_length(47));
    const q::multiplier32 m{static_cast<int32_t>(random.integer(31)), random.below(63)};
    const Norm<X> rule{weights, bias, zero, epsilon, m, q::range_of<X>(random.below(128))};
    const std::vector<X> y = output_of(rule, x);
    long double mean = 0, square = 0;
    for (const X v : x) mean += static_cast<long double>(v) - (is_centered ? 0 : zero);
    mean = is_centered ? mean / static_cast<long double>(n) : static_cast<long double>(zero);
    for (const X v : x) square += (v - mean) * (v - mean);
    const long double root = std::sqrt(square / static_cast<long double>(n) + std::ldexp(static_cast<long double>(epsilon), -16));
    for (std::size_t k = 0; k < n; ++k) {
      const long double quotient = root == 0 ? 0 : (x[k] - mean) / root;
      const long double t = weights[k] * quotient + (bias.empty() ? 0 : std::ldexp(static_cast<long double>(bias[k]), -10));
      const long double real = std::ldexp(t * m.mantissa, -m.right_shift);
      const long double steps = std::round(real);
      if (std::abs(std::abs(real - std::trunc(real)) - 0.5L) < std::ldexp(std::abs(real) + 1, -30) && std::abs(real) < 1e6L)
        continue;
      const long double expected = std::clamp<long double>(steps + rule.range.zero_point, q::limits<X>::min, q::limits<X>::max);
      INFO("row " << i << ", element " << k << " of " << n << ", real " << static_cast<double>(real));
      REQUIRE(y[k] == static_cast<X>(expected));
    }
  }
}

/// Rows whose elements are c above and c below the mean have quotients of 1 and -1, so that y is a rational number. Ties lie
/// between the greatest integers that occur.
template <class X>
void check_ties(random_bits& random) {
  for (const std::size_t n : {std::size_t{2}, std::size_t{64}, std::size_t{65536}})
    for (int i = 0; i < support::samples(n > 1000 ? 20 : 2000); ++i) {
      const int c = random.one_in(2) ? q::limits<X>::max : 1 + random.below(q::limits<X>::max);
      std::vector<X> x(n, static_cast<X>(c));
      for (std::size_t k = 0; k < n / 2; ++k) x[k] = static_cast<X>(-c);
      const int shift = random.below(63);
      q::multiplier32 m{static_cast<int32_t>(random.one_in(2) ? random.integer(31) : q::int32_max), shift};
      if (m.mantissa == 0) m.mantissa = 1;
      std::vector<int16_t> weights(n, static_cast<int16_t>(random.one_in(3) ? 32767 : random.integer(15)));
      // The bias that leads next to a tie, if there is one.
      const int64_t k = random.integer(12);
      const wide tie = (2 * wide{k} + 1) * (wide{1} << shift) * 512 - wide{weights[n - 1]} * m.mantissa * 1024;
      const wide near = tie / m.mantissa + random.between(-1, 1);
      std::vector<int32_t> bias(n, static_cast<int32_t>(std::clamp<wide>(near, -q::int32_max, q::int32_max)));
      const q::exact::layer_norm<X> rule{weights, bias, 0, 0, m, q::range_of<X>()};
      const std::vector<X> y = output_of(rule, x);
      for (const std::size_t at : {std::size_t{0}, n - 1}) {
        const wide t = wide{weights[at]} * (at == 0 ? -1024 : 1024) + bias[at];
        INFO("n " << n << ", shift " << shift << ", mantissa " << m.mantissa << ", bias " << bias[at]);
        REQUIRE(y[at] == clamped<X>(nearest_away(t * m.mantissa, wide{1} << (shift + 10))));
      }
    }
}

/// The largest of LiteRT's int32 steps for a row, computed without wrapping, and the row itself.
int64_t largest_step(const q::litert::layer_norm<>& rule, const std::vector<int16_t>& x) {
  const auto n = static_cast<int64_t>(x.size());
  int64_t sum = 0, squares = 0, most = 0;
  for (const int64_t v : x) sum += v, squares += v * v;
  const int64_t mean = 1024 * sum / n;
  const int64_t variance = (squares * ((1 << 20) / n) - mean * mean) / (1 << 20);
  const auto root = q::tflite::inverse_square_root(static_cast<int32_t>(variance < 1 ? rule.variance_limit : variance));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int64_t t = oracle::tflite_double(static_cast<int32_t>(1024 * x[i] - mean), root.mantissa, 31 - root.right_shift);
    const int64_t step = t * rule.weights[static_cast<q::index_t>(i)] + rule.bias[static_cast<q::index_t>(i)];
    most = std::max(most, std::abs(step) + 512);
  }
  return most;
}

}  // namespace

TEST_CASE("the exact norms of small rows are nearest, with ties away from zero") {
  check_small<q::exact::layer_norm>(true);
  check_small<q::exact::rms_norm>(false);
}

TEST_CASE("the exact norms of random rows are the rounded real values") {
  random_bits random;
  INFO("seed " << support::seed);
  check_random<int8_t, q::exact::layer_norm>(random, true);
  check_random<int16_t, q::exact::layer_norm>(random, true);
  check_random<std::uint8_t, q::exact::rms_norm>(random, false);
  check_random<int16_t, q::exact::rms_norm>(random, false);
  check_ties<int8_t>(random);
  check_ties<int16_t>(random);
}

TEST_CASE("the inverse square root lies within its bounds") {
  // (m / 2^s)^2 * x lies between (1 - 2^-19)^2 and (1 + 2^-23)^2.
  const auto holds = [](int64_t x) {
    const auto m = q::tflite::inverse_square_root(static_cast<int32_t>(x));
    const wide square = wide{m.mantissa} * m.mantissa * x;  // below 2^93
    const wide low = (wide{1} << 19) - 1, high = (wide{1} << 23) + 1;
    return m.right_shift >= 31 && m.right_shift <= 43 && square >= (low * low << (2 * m.right_shift - 38)) &&
           (2 * m.right_shift >= 46 ? square <= (high * high << (2 * m.right_shift - 46)) : true);
  };
  int64_t wrong = 0;
  for (int64_t x = 2; x < int64_t{1} << 31; x += x < 1 << 20 ? 1 : 1 + (x >> 16)) wrong += !holds(x);
  for (int k = 1; k < 31; ++k)
    for (const int64_t d : {-1, 0, 1})
      if ((int64_t{1} << k) + d >= 2) wrong += !holds((int64_t{1} << k) + d);
  wrong += !holds(q::int32_max);
  CHECK(wrong == 0);
}

TEST_CASE("L2 normalization of int8 gives the rounded real value") {
  random_bits random;
  INFO("seed " << support::seed);
  int off = 0;
  for (int i = 0; i < support::samples(20000); ++i) {
    std::vector<int8_t> x(1 + static_cast<std::size_t>(random.below(12)));
    for (int8_t& v : x) v = static_cast<int8_t>(random.integer(1 + random.below(7)));
    const auto zero = static_cast<int32_t>(random.one_in(3) ? 0 : random.between(-128, 127));
    const std::vector<int8_t> y = output_of(q::tflite::l2_norm<>{zero}, x);
    long double squares = 0;
    for (const int v : x) squares += (v - zero) * (v - zero);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const long double real = squares == 0 ? 0 : 128 * (x[k] - zero) / std::sqrt(squares);
      REQUIRE(std::abs(y[k] - std::min(real, 127.0L)) < 0.5L + 1e-3L);
      off += y[k] != clamped<int8_t>(std::llround(real));
    }
  }
  CHECK(off < support::samples(20000) / 100);
}

TEST_CASE("log softmax of int8 is near the real value") {
  random_bits random;
  INFO("seed " << support::seed);
  int outputs = 0, off = 0;
  for (int i = 0; i < support::samples(4000); ++i) {
    const float scale = std::ldexp(1.0f + static_cast<float>(random.below(1000)) / 1000, random.below(7) - 6);
    std::vector<int8_t> x(1 + static_cast<std::size_t>(random.one_in(10) ? random.below(2000) : random.below(12)));
    const int bits = 1 + random.below(7);
    for (int8_t& v : x) v = static_cast<int8_t>(random.integer(bits));
    const auto rule = q::tflite::log_softmax<>::derive(scale);
    REQUIRE(rule.status == status::ok);
    const std::vector<int8_t> y = output_of(rule.value, x);
    const int most = *std::max_element(x.begin(), x.end());
    long double sum = 0;
    for (const int v : x) sum += std::exp(static_cast<long double>(scale) * (v - most));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const long double real = (static_cast<long double>(scale) * (x[k] - most) - std::log(sum)) * 16 + 127;
      const auto nearest = clamped<int8_t>(std::llround(std::max(real, -1000.0L)));
      INFO("scale " << scale << ", elements " << x.size() << ", difference " << x[k] - most);
      REQUIRE(std::abs(y[k] - nearest) <= 3);
      off += y[k] != nearest;
      ++outputs;
    }
  }
  CHECK(off < outputs / 100);
}

TEST_CASE("a layer norm of LiteRT that check accepts never wraps") {
  random_bits random;
  INFO("seed " << support::seed);
  for (int power = 0; power <= 12; ++power) {
    const std::size_t n = std::size_t{1} << power;
    std::vector<int16_t> weights(n, 0);
    const std::vector<int32_t> bias(n, 0);
    const auto checked = [&](int weight) {
      std::fill(weights.begin(), weights.end(), static_cast<int16_t>(weight));
      return check(q::litert::layer_norm<>{weights, bias, 1, {1 << 30, 40}});
    };
    int low = 0, high = 32768;  // the greatest weight that is accepted
    while (low + 1 < high) ((checked((low + high) / 2) == status::ok) ? low : high) = (low + high) / 2;
    REQUIRE(checked(low) == status::ok);
    if (low < 32767) REQUIRE(checked(low + 1) == status::accumulator_overflow);
    REQUIRE(checked(low) == status::ok);
    const q::litert::layer_norm<> rule{weights, bias, 1, {1 << 30, 40}};
    int64_t most = 0;
    for (int i = 0; i < support::samples(3000); ++i) {
      // One outlier has the greatest quotient. Small variances are cut most.
      std::vector<int16_t> x(n, static_cast<int16_t>(random.integer(15)));
      const int bits = 1 + random.below(15);
      x[0] = clamped<int16_t>(x[0] + random.integer(bits));
      if (random.one_in(3)) x[n - 1] = clamped<int16_t>(x[n - 1] + random.integer(2));
      most = std::max(most, largest_step(rule, x));
    }
    INFO("length " << n << ", weight " << low << ", greatest step " << most);
    CHECK(most <= q::int32_max);
    if (n > 1 && low < 32767) CHECK(most > q::int32_max / 3);
  }
  // Any other length may wrap, unless the weights are tiny.
  const std::vector<int16_t> small(3, 31), large(3, 32);
  const std::vector<int32_t> none(3, 0);
  CHECK(check(q::litert::layer_norm<>{small, none, 1, {1 << 30, 40}}) == status::ok);
  CHECK(check(q::litert::layer_norm<>{large, none, 1, {1 << 30, 40}}) == status::accumulator_overflow);
  const q::litert::layer_norm<> rule{large, none, 1, {1 << 30, 40}};
  CHECK(largest_step(rule, {20020, 20000, 19980}) < q::int32_max);
}

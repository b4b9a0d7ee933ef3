// Rules on one and two elements of int8, on all elements and pairs, against the publishers' text in the oracle's integers, and
// against the real functions. Vector backends give the results of the rule.

#include <dyadic/cpu.hpp>
#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/row_layer.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/unary.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../oracle/derivations.hpp"
#include "../oracle/integer_schemes.hpp"
#include "../support/catch.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;
namespace tflite = q::tflite;
using q::operator_id;
using q::status;
using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using support::random_bits;

namespace {

int64_t clamp8(int64_t y) { return std::clamp<int64_t>(y, -128, 127); }

/// All pairs of int8: a(r, c) = r - 128 and b(r, c) = c - 128, by broadcast.
struct all_pairs {
  std::vector<int8_t> x;

  all_pairs() : x(256) {
    for (int i = 0; i < 256; ++i) x[static_cast<std::size_t>(i)] = static_cast<int8_t>(i - 128);
  }
  /// Returns rule(a, b) of all pairs by the best backend.
  template <class Rule>
  std::vector<typename Rule::value_type> of(const Rule& rule) const {
    using Y = typename Rule::value_type;
    std::vector<Y> y(65536);
    const q::binary_layer<Rule> layer{rule};
    const q::matrix_view a(x, 256, 1), b(x, 1, 256);
    const q::matrix_view<Y> to(y.data(), 256, 256);
    REQUIRE(q::may_run(check(layer, a, b, to)));
    REQUIRE(q::with_best_backend([&](auto backend) { q::run<decltype(backend)>(layer, a, b, to); }) == status::ok);
    return y;
  }
};

/// The rescale and the derivation of a build, as the oracle has them.
struct two_roundings {
  using scheme = tflite::double_rounding;
  static int32_t apply(int64_t acc, oracle::derived_multiplier m) {
    return oracle::tflite_double(static_cast<int32_t>(acc), static_cast<int32_t>(m.multiplier), m.shift);
  }
  static oracle::derived_multiplier derive(double scale) { return oracle::derive_tflite_double(scale); }
};
struct one_rounding {
  using scheme = tflite::single_rounding;
  static int32_t apply(int64_t acc, oracle::derived_multiplier m) {
    return oracle::tflite_single(static_cast<int32_t>(acc), static_cast<int32_t>(m.multiplier), m.shift);
  }
  static oracle::derived_multiplier derive(double scale) { return oracle::derive_tflite_single(scale); }
};

struct drawn {
  random_bits random;

  /// Powers of two make ties.
  float scale() {
    const float fraction = random.one_in(2) ? 1.0f : 1.0f + static_cast<float>(random.below(1 << 20)) / (1 << 20);
    return std::ldexp(fraction, -1 - random.below(8));
  }
  int zero() { return random.one_in(3) ? 0 : random.one_in(4) ? (random.one_in(2) ? -128 : 127) : random.below(256) - 128; }
};

template <class Build>
void check_pairs(drawn& draw) {
  using scheme = typename Build::scheme;
  const all_pairs pairs;
  for (int i = 0; i < support::samples(40); ++i) {
    const float a = draw.scale(), b = draw.scale(), y = draw.scale() * (draw.random.one_in(2) ? 1.0f : 32.0f);
    const int a_zero = draw.zero(), b_zero = draw.zero(), y_zero = draw.zero();
    const q::output_range range = q::range_of<int8_t>(y_zero);
    INFO("scales " << a << ' ' << b << ' ' << y << ", zero points " << a_zero << ' ' << b_zero << ' ' << y_zero);
    const auto each = [&](const auto& outputs, const auto& expected) {
      for (int n = 0; n < 65536; ++n) {
        const int x_a = n / 256 - 128, x_b = n % 256 - 128;
        if (static_cast<int64_t>(outputs[static_cast<std::size_t>(n)]) != expected(x_a - a_zero, x_b - b_zero))
          FAIL("at " << x_a << ' ' << x_b << ": " << int{outputs[static_cast<std::size_t>(n)]} << ", not "
                     << expected(x_a - a_zero, x_b - b_zero));
      }
    };
    const auto prelu = tflite::prelu<int8_t, scheme>::derive(a, a_zero, b, b_zero, y, range);
    REQUIRE(prelu.status == status::ok);
    const auto identity = Build::derive(static_cast<double>(a) / static_cast<double>(y));
    const auto slope = Build::derive(static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(y));
    each(pairs.of(prelu.value), [&](int v, int alpha) {
      return clamp8(int64_t{v >= 0 ? Build::apply(v, identity) : Build::apply(int64_t{v} * alpha, slope)} + y_zero);
    });
    const auto square = tflite::squared_difference<int8_t, scheme>::derive(a, a_zero, b, b_zero, y, range);
    REQUIRE(square.status == status::ok);
    const double common = 2.0 * static_cast<double>(std::max(a, b));
    const auto of_a = Build::derive(static_cast<double>(a) / common), of_b = Build::derive(static_cast<double>(b) / common);
    const auto of_square = Build::derive(common * common / (16384.0 * static_cast<double>(y)));
    each(pairs.of(square.value), [&](int v_a, int v_b) {
      const int64_t d = int64_t{Build::apply(v_a * 128, of_a)} - Build::apply(v_b * 128, of_b);
      return clamp8(int64_t{Build::apply(d * d, of_square)} + y_zero);
    });
    const auto left = Build::derive(static_cast<double>(a)), right = Build::derive(static_cast<double>(b));
    const auto compares = [&](auto rule, const auto& holds) {
      const auto made = decltype(rule)::derive(a, a_zero, b, b_zero);
      REQUIRE(made.status == status::ok);
      each(pairs.of(made.value),
           [&](int v_a, int v_b) { return int64_t{holds(Build::apply(v_a * 256, left), Build::apply(v_b * 256, right))}; });
    };
    compares(tflite::compare<int8_t, operator_id::equal, scheme>{}, [](int l, int r) { return l == r; });
    compares(tflite::compare<int8_t, operator_id::not_equal, scheme>{}, [](int l, int r) { return l != r; });
    compares(tflite::compare<int8_t, operator_id::greater, scheme>{}, [](int l, int r) { return l > r; });
    compares(tflite::compare<int8_t, operator_id::greater_equal, scheme>{}, [](int l, int r) { return l >= r; });
    compares(tflite::compare<int8_t, operator_id::less, scheme>{}, [](int l, int r) { return l < r; });
    compares(tflite::compare<int8_t, operator_id::less_equal, scheme>{}, [](int l, int r) { return l <= r; });

    const auto abs = tflite::abs<int8_t, scheme>::derive(a, a_zero, y, y_zero);
    REQUIRE(abs.status == status::ok);
    const auto ratio = Build::derive(static_cast<double>(a / y));
    for (int x = -128; x < 128; ++x) {
      INFO("abs of " << x);
      REQUIRE(abs.value(static_cast<int8_t>(x)) == clamp8(int64_t{Build::apply(std::abs(x - a_zero), ratio)} + y_zero));
    }
  }
}

/// Compares with the rounded real value, which an inexact rule may miss by 1. Returns the share of other outputs, in thousandths.
int misses(const std::vector<int8_t>& y, int a_zero, int b_zero, double scale, int y_zero) {
  int off = 0, inside = 0;
  for (int n = 0; n < 65536; ++n) {
    const int v = n / 256 - 128 - a_zero, d = n % 256 - 128 - b_zero;
    const double real = d == 0 ? 0 : static_cast<double>(v) / d * scale;
    const int64_t nearest = clamp8(static_cast<int64_t>(std::llround(std::clamp(real, -1e6, 1e6))) + y_zero);
    const int64_t difference = y[static_cast<std::size_t>(n)] - nearest;
    inside += nearest > -128 && nearest < 127;
    if (difference < -1 || difference > 1) FAIL("at " << v << " / " << d << ", real " << real << ": off by " << difference);
    off += difference != 0;
  }
  return off * 1000 / (inside + 1);
}

}  // namespace

TEST_CASE("prelu, squared difference, comparisons and absolute values of int8 follow the text on all elements") {
  drawn draw;
  INFO("seed " << support::seed);
  check_pairs<two_roundings>(draw);
  check_pairs<one_rounding>(draw);
}

TEST_CASE("divisions of int8 are near the real quotient on all pairs") {
  drawn draw;
  INFO("seed " << support::seed);
  const all_pairs pairs;
  for (int i = 0; i < support::samples(60); ++i) {
    const float a = draw.scale(), b = draw.scale(), y = draw.scale();
    const int a_zero = draw.zero(), b_zero = draw.zero(), y_zero = draw.zero();
    const auto range = q::range_of<int8_t>(y_zero);
    const double scale = static_cast<double>(a) / (static_cast<double>(b) * static_cast<double>(y));
    INFO("scales " << a << ' ' << b << ' ' << y << ", zero points " << a_zero << ' ' << b_zero << ' ' << y_zero);
    const auto twice = tflite::divide<int8_t>::derive(a, a_zero, b, b_zero, y, range);
    REQUIRE(q::may_run(twice.status));
    CHECK(misses(pairs.of(twice.value), a_zero, b_zero, scale, y_zero) < 60);
    const auto once = tflite::divide<int8_t, tflite::single_rounding>::derive(a, a_zero, b, b_zero, y, range);
    REQUIRE(q::may_run(once.status));
    CHECK(misses(pairs.of(once.value), a_zero, b_zero, scale, y_zero) < 60);
    const auto exact = q::executorch::cortex_m::divide<int8_t>::derive(a, a_zero, b, b_zero, y, range);
    REQUIRE(exact.status == status::ok);
    CHECK(misses(pairs.of(exact.value), a_zero, b_zero, scale, y_zero) < 10);
  }
}

TEST_CASE("roots of all elements are near the real roots") {
  drawn draw;
  INFO("seed " << support::seed);
  int off = 0, outputs = 0;
  for (int i = 0; i < support::samples(400); ++i) {
    const float x_scale = draw.scale(), y_scale = draw.scale();
    const int x_zero = draw.zero(), y_zero = draw.zero();
    const auto inverse = tflite::rsqrt<>::derive(x_scale, x_zero, y_scale, y_zero);
    const auto root = q::litert::sqrt<int8_t>::derive(x_scale, x_zero, y_scale, y_zero);
    REQUIRE(inverse.status == status::ok);
    REQUIRE(root.status == status::ok);
    for (int x = x_zero; x < 128; ++x) {
      INFO("scales " << x_scale << ' ' << y_scale << ", zero points " << x_zero << ' ' << y_zero << ", x " << x);
      const double v = static_cast<double>(x_scale) * (x - x_zero);
      const int64_t nearest = x == x_zero ? 127 : clamp8(std::llround(1 / std::sqrt(v) / static_cast<double>(y_scale)) + y_zero);
      const int64_t y = inverse.value(static_cast<int8_t>(x));
      REQUIRE(std::abs(y - nearest) <= 1);
      off += y != nearest;
      ++outputs;
      // The machine's binary32 square root and quotient are correctly rounded.
      const float steps = std::sqrt(x_scale * static_cast<float>(x - x_zero)) / y_scale;
      REQUIRE(root.value(static_cast<int8_t>(x)) == clamp8(static_cast<int64_t>(steps) + y_zero));
    }
    REQUIRE(inverse.value(-128) == 127);  // 0, or below 0
  }
  CHECK(off < outputs / 10);
}

TEST_CASE("sums of several tensors and cumulative sums follow the text") {
  drawn draw;
  INFO("seed " << support::seed);
  for (int i = 0; i < support::samples(4000); ++i) {
    const float x_scale = draw.scale(), y_scale = draw.scale();
    const int zero = draw.zero(), y_zero = draw.zero();
    const auto count = 1 + draw.random.below(15);
    std::vector<int8_t> x(static_cast<std::size_t>(count)), y(x.size());
    for (int8_t& v : x)
      v = static_cast<int8_t>(draw.random.one_in(4) ? 127 - 255 * draw.random.below(2) : draw.random.integer(7));
    const auto m = oracle::derive_tflite_double(2 * static_cast<double>(x_scale) / (1048576.0 * static_cast<double>(y_scale)));
    const oracle::derived_multiplier half{1 << 30, 0, false};
    const auto term = [&](int v) { return int64_t{two_roundings::apply((v - zero) * (1 << 20), half)}; };
    const auto output = [&](int64_t sum) { return clamp8(int64_t{two_roundings::apply(oracle::wrap32(sum), m)} + y_zero); };
    int64_t sum = term(0);
    for (const int v : x) sum += term(v);
    const auto range = q::range_of<int8_t>(y_zero);
    const auto added = tflite::add_n<>::derive(x_scale, zero, count, y_scale, range);
    REQUIRE(q::may_run(added.status));
    int64_t stored = 0;
    for (const int v : x) stored += v;
    REQUIRE(added.value(stored) == output(sum));
    const bool exclusive = draw.random.one_in(2), reverse = draw.random.one_in(2);
    const auto cumulative = tflite::cumsum<>::derive(x_scale, zero, y_scale, range, exclusive, reverse);
    const q::row_layer<tflite::cumsum<>> layer{cumulative.value};
    REQUIRE(q::may_run(check(layer, q::matrix_view(x, 1, count), q::matrix_view(y, 1, count))));
    run(layer, q::matrix_view(x, 1, count), q::matrix_view(y, 1, count));
    sum = term(0);
    for (int k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(reverse ? count - 1 - k : k);
      const int64_t next = sum + term(x[at]);
      REQUIRE(y[at] == output(exclusive ? sum : next));
      sum = next;
    }
  }
}

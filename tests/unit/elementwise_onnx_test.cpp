#include <dyadic/any_operator.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/onnx.hpp>
#include <dyadic/native.hpp>

#include <cmath>
#include <random>

#include "../oracle/float_schemes.hpp"
#include "../support/catch.hpp"

namespace q = dyadic;
using q::status;
using std::int16_t;
using std::int8_t;
using std::uint8_t;

namespace {

template <template <class> class Rule, class X>
constexpr int of(float a_scale, int a_zero, float b_scale, int b_zero, float y_scale, int y_zero, int a, int b) {
  const auto rule = Rule<X>::derive(a_scale, a_zero, b_scale, b_zero, y_scale, q::range_of<X>(y_zero));
  return rule.status == status::ok ? rule.value(static_cast<X>(a), static_cast<X>(b)) : 1000 + static_cast<int>(rule.status);
}

// 1/2 plus an odd zero point: ONNX rounds before it adds the zero point, MLAS afterwards, and MLAS on Arm rounds away from zero.
static_assert(of<q::onnx::add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 1, 1, 0) == 1);
static_assert(of<q::onnx::mlas_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 1, 1, 0) == 2);
static_assert(of<q::onnx::mlas_sse2_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 1, 1, 0) == 2);
static_assert(of<q::onnx::mlas_avx2_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 1, 1, 0) == 2);
static_assert(of<q::onnx::mlas_neon_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 1, 1, 0) == 2);
// 1/2 plus an even zero point, and -1/2.
static_assert(of<q::onnx::add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 4, 1, 0) == 4);
static_assert(of<q::onnx::mlas_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 4, 1, 0) == 4);
static_assert(of<q::onnx::mlas_sse2_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 4, 1, 0) == 4);
static_assert(of<q::onnx::mlas_neon_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 4, 1, 0) == 5);
static_assert(of<q::onnx::mlas_neon_add, int8_t>(0.5f, 0, 0.5f, 0, 1.0f, 4, -1, 0) == 3);
static_assert(of<q::onnx::multiply, uint8_t>(0.5f, 3, 1.0f, 7, 1.0f, 1, 4, 8) == 1);
static_assert(of<q::onnx::mlas_multiply, uint8_t>(0.5f, 3, 1.0f, 7, 1.0f, 1, 4, 8) == 2);
static_assert(of<q::onnx::mlas_vector_multiply, uint8_t>(0.5f, 3, 1.0f, 7, 1.0f, 1, 4, 8) == 2);
// Saturation, and zero points at the ends.
static_assert(of<q::onnx::add, uint8_t>(1.0f, 255, 1.0f, 255, 1.0f, 255, 0, 0) == 0);
static_assert(of<q::onnx::mlas_avx2_add, uint8_t>(1.0f, 0, 1.0f, 0, 1.0f, 255, 255, 255) == 255);
static_assert(of<q::onnx::multiply, int8_t>(1.0f, -128, 1.0f, -128, 1.0f, -128, 127, 127) == 127);
static_assert(of<q::onnx::add, int16_t>(1.0f, 32767, 0.5f, -32768, 1.0f, 0, -32768, 32767) == -32768);

// 9 * ratio is 100.5 + 0.0000029, which binary32 rounds to 100.5. The zero point leaves a tie, but not after a fused product.
static_assert(of<q::onnx::mlas_sse2_add, int8_t>(0x1.655556p3f, 0, 1.0f, 0, 1.0f, -100, 9, 0) == 0);
static_assert(of<q::onnx::mlas_avx2_add, int8_t>(0x1.655556p3f, 0, 1.0f, 0, 1.0f, -100, 9, 0) == 1);

/// Sums in public reports, and the outputs of each rule.
struct reported_sum {
  float a_scale;
  int a_zero;
  float b_scale;
  int b_zero;
  float y_scale;
  int y_zero, a, b, text, portable, x86, arm;
};
/// onnxruntime #11759. The scales there are in a picture only. These scales give 137.4999998, which is near a tie as there.
constexpr reported_sum sum_of_91_and_100{0.0979858f, 0, 0.0273776f, 128, 0.8579089f, 128, 91, 100, 137, 138, 138, 137};
/// onnxruntime #25512: -112.5000079.
constexpr reported_sum sum_of_114_and_122{
    0.02534690499305725f, -106, 0.035809919238090515f, -120, 0.0365859717130661f, -105, -114, -122, -113, -113, -112, -113};

template <class X>
constexpr bool sum_holds(const reported_sum& c) {
  const auto all = [&](int y, const auto&... rules) {
    return ((decltype(rules.value)::derive(c.a_scale, c.a_zero, c.b_scale, c.b_zero, c.y_scale, q::range_of<X>(c.y_zero))
                 .value(static_cast<X>(c.a), static_cast<X>(c.b)) == y) &&
            ...);
  };
  return all(c.text, q::result<q::onnx::add<X>>{}) && all(c.portable, q::result<q::onnx::mlas_add<X>>{}) &&
         all(c.x86, q::result<q::onnx::mlas_sse2_add<X>>{}, q::result<q::onnx::mlas_avx2_add<X>>{}) &&
         all(c.arm, q::result<q::onnx::mlas_neon_add<X>>{});
}
static_assert(sum_holds<uint8_t>(sum_of_91_and_100) && sum_holds<int8_t>(sum_of_114_and_122));

constexpr status derived(float a, float b, float y, int zero = 0) {
  return q::onnx::mlas_avx2_add<int8_t>::derive(a, zero, b, 0, y, q::range_of<int8_t>()).status;
}
static_assert(derived(1.0f, 1.0f, 1.0f) == status::ok && derived(1.0f, 1.0f, 1.0f, 128) == status::zero_point_out_of_range);
static_assert(derived(0.0f, 1.0f, 1.0f) == status::scale_zero && derived(1.0f, -1.0f, 1.0f) == status::scale_negative);
static_assert(derived(0x1p127f, 1.0f, 0x1p-10f) == status::multiplier_out_of_range);
static_assert(derived(0x1p25f, 1.0f, 1.0f) == status::accumulator_overflow);  // x86 converts 2^31 and more to -2^31
static_assert(derived(0x1p24f, 0x1p-40f, 1.0f) == status::ok);                // -2^31 fits
template <class X>
constexpr status on_arm(float a, float b, float y) {
  return q::onnx::mlas_neon_add<X>::derive(a, 0, b, 0, y, q::range_of<X>()).status;
}
// MLAS takes its portable code for these scales.
static_assert(on_arm<int8_t>(0x1p8f, 1.0f, 1.0f) == status::multiplier_out_of_range);
static_assert(on_arm<int8_t>(0x1.fffffp7f, 1.0f, 1.0f) == status::ok);
static_assert(on_arm<int8_t>(0x1.fffffep7f, 1.0f, 1.0f) == status::multiplier_out_of_range);  // the multiplier is rounded to 2^22
static_assert(on_arm<int8_t>(1.0f, 0x1p-14f, 1.0f) == status::ok);
static_assert(on_arm<int8_t>(1.0f, 0x1.fffffep-15f, 1.0f) == status::multiplier_out_of_range);
static_assert(on_arm<int8_t>(0x1p-10f, 0x1p-11f, 1.0f) == status::ok);  // a shift of 31
static_assert(on_arm<int8_t>(0x1.fffffep-11f, 0x1p-11f, 1.0f) == status::multiplier_out_of_range);

/// Checks a broadcast layer, as for the other rules.
constexpr bool layer_holds() {
  const int8_t a[] = {1, 2, 3, 4}, b[] = {2};
  int8_t y[4] = {};
  const q::binary_layer layer{q::onnx::mlas_multiply<int8_t>::derive(0.5f, 0, 0.5f, 0, 1.0f, q::range_of<int8_t>(-1)).value};
  const q::matrix_view left(a, 1, 4), right(b, 1, 1);
  const q::matrix_view out(y, 1, 4);
  if (check(layer, left, right, out) != status::ok) return false;
  run(layer, left, right, out);
  return y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 1;  // -1/2, 0, 1/2 and 1
}
static_assert(layer_holds());
constexpr status without_numbers() {
  q::onnx::mlas_neon_add<int8_t> rule{};
  rule.range = q::range_of<int8_t>();
  return check(rule);
}
static_assert(without_numbers() == status::scale_zero);

// ---- the oracle, in exact real numbers that are rounded where the formula says so

struct numbers {
  float a_scale, b_scale, y_scale;
  int a_zero, b_zero, y_zero, a, b;
};
using oracle::fl32;
using oracle::real;
real divided(real x, real y) { return fl32(oracle::quotient(x, y, 24)); }
real whole(int x) { return oracle::from_integer(x); }
real scaled(float scale, int x) { return fl32(oracle::product(oracle::from_float(scale), whole(x))); }
real quotient_of(const numbers& n, bool is_product) {
  const real a = scaled(n.a_scale, n.a - n.a_zero), b = scaled(n.b_scale, n.b - n.b_zero);
  return divided(fl32(is_product ? oracle::product(a, b) : oracle::sum(a, b)), oracle::from_float(n.y_scale));
}
std::int64_t by_definition(const numbers& n, bool is_product) {
  return oracle::nearest_even(quotient_of(n, is_product)) + n.y_zero;
}
std::int64_t by_mlas(const numbers& n, bool is_product) {
  return oracle::nearest_even(fl32(oracle::sum(quotient_of(n, is_product), whole(n.y_zero))));
}
std::int64_t on_x86(const numbers& n, bool is_fused) {
  const real y = oracle::from_float(n.y_scale);
  const real a_ratio = divided(oracle::from_float(n.a_scale), y), b_ratio = divided(oracle::from_float(n.b_scale), y);
  const real a_zeros = fl32(oracle::product(a_ratio, whole(n.a_zero))), b_zeros = fl32(oracle::product(b_ratio, whole(n.b_zero)));
  const real fixed = fl32(oracle::sum(whole(n.y_zero), oracle::negated(fl32(oracle::sum(a_zeros, b_zeros)))));
  const real a = oracle::product(a_ratio, whole(n.a)), b = oracle::product(b_ratio, whole(n.b));
  if (is_fused) return oracle::nearest_even(fl32(oracle::sum(a, fl32(oracle::sum(b, fixed)))));
  return oracle::nearest_even(fl32(oracle::sum(fl32(oracle::sum(fixed, fl32(a))), fl32(b))));
}
std::int64_t on_arm(const numbers& n) {
  const double a = oracle::to_double(divided(oracle::from_float(n.a_scale), oracle::from_float(n.y_scale)));
  const double b = oracle::to_double(divided(oracle::from_float(n.b_scale), oracle::from_float(n.y_scale)));
  int shift = 0;
  double greater = a > b ? a : b;
  for (; greater < 2097152; greater *= 2) ++shift;
  for (; greater >= 4194304; greater /= 2) --shift;
  const auto multiplier = [&](double ratio) { return oracle::nearest_even(oracle::from_double(std::ldexp(ratio, shift))); };
  const std::int64_t sum = (n.a - n.a_zero) * multiplier(a) + (n.b - n.b_zero) * multiplier(b);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return n.y_zero + (sum < 0 ? -((-sum + half) / (2 * half)) : (sum + half) / (2 * half));
}
std::int64_t on_vectors(const numbers& n) {
  const real product = fl32(oracle::product(oracle::from_float(n.a_scale), oracle::from_float(n.b_scale)));
  const real ratio = divided(product, oracle::from_float(n.y_scale));
  const real scaled_product = fl32(oracle::product(ratio, whole((n.a - n.a_zero) * (n.b - n.b_zero))));
  return oracle::nearest_even(fl32(oracle::sum(whole(n.y_zero), scaled_product)));
}

/// Draws scales with ties, with a wide range, or with equal and power-of-two ratios, and compares all rules of X.
template <class X>
void compare(int rounds, int& ties) {
  std::mt19937 random(43);
  const auto integer = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const auto element = [&] { return integer(q::limits<X>::min, q::limits<X>::max); };
  const auto scale = [&](int kind) {
    if (kind == 0) return std::ldexp(1.0f, integer(-3, 0));
    if (kind == 1) return static_cast<float>(integer(1, 1000)) / 512.0f;
    return std::ldexp(static_cast<float>(integer(1 << 23, (1 << 24) - 1)), integer(-30, -22));
  };
  for (int i = 0; i < rounds; ++i) {
    const int kind = i % 3;
    numbers n{scale(kind), scale(kind), kind == 0 ? 1.0f : scale(kind), element(), element(), element(), 0, 0};
    const q::output_range range = q::range_of<X>(n.y_zero);
    const auto each = [&](auto rule, const auto& expected) {
      using rule_type = decltype(rule);
      const auto made = rule_type::derive(n.a_scale, n.a_zero, n.b_scale, n.b_zero, n.y_scale, range);
      if (made.status == status::multiplier_out_of_range) return;
      REQUIRE((made.status == status::ok || made.status == status::accumulator_overflow));
      const std::int64_t y = expected();
      REQUIRE(made.value(static_cast<X>(n.a), static_cast<X>(n.b)) == oracle::clamp(y, range.min, range.max));
    };
    for (int k = 0; k < 8; ++k) {
      n.a = element(), n.b = element();
      each(q::onnx::add<X>{}, [&] { return by_definition(n, false); });
      each(q::onnx::multiply<X>{}, [&] { return by_definition(n, true); });
      each(q::onnx::mlas_add<X>{}, [&] { return by_mlas(n, false); });
      each(q::onnx::mlas_multiply<X>{}, [&] { return by_mlas(n, true); });
      ties += by_definition(n, false) != by_mlas(n, false);
      if constexpr (sizeof(X) == 1) {
        each(q::onnx::mlas_sse2_add<X>{}, [&] { return on_x86(n, false); });
        each(q::onnx::mlas_avx2_add<X>{}, [&] { return on_x86(n, true); });
        each(q::onnx::mlas_neon_add<X>{}, [&] { return on_arm(n); });
        each(q::onnx::mlas_vector_multiply<X>{}, [&] { return on_vectors(n); });
      }
    }
  }
}

}  // namespace

TEST_CASE("a sum of ONNX Runtime that is described at run time equals its rule, on the best backend") {
  constexpr auto kinds = q::operator_kinds_of<q::native, q::onnx::add<int8_t>, q::onnx::mlas_neon_add<int8_t>>();
  q::binary_spec spec;
  spec.type = q::element_type::int8;
  spec.rule = q::scheme_id::of<q::onnx::mlas_neon_add<int8_t>>();
  spec.a_scale = 0.5, spec.b_scale = 0.5, spec.y_scale = 1, spec.a_zero_point = 3, spec.range.zero_point = 1;
  alignas(8) unsigned char arena[256];
  const q::any_binary sum = kinds.prepare(spec, arena).value;
  int8_t a[40], b[40], y[40];
  for (int i = 0; i < 40; ++i) a[i] = static_cast<int8_t>(7 * i), b[i] = static_cast<int8_t>(13 * i);
  REQUIRE(check(sum, q::matrix_view(a, 4, 10), q::matrix_view(b, 4, 10), q::matrix_view(y, 4, 10)) == status::ok);
  run(sum, q::matrix_view(a, 4, 10), q::matrix_view(b, 4, 10), q::matrix_view(y, 4, 10));
  for (int i = 0; i < 40; ++i) CHECK(y[i] == oracle::clamp(on_arm({0.5f, 0.5f, 1, 3, 0, 1, a[i], b[i]}), -128, 127));
}

TEST_CASE("sums and products of ONNX and of MLAS round where their formulas say") {
  int ties = 0;
  compare<int8_t>(3000, ties);
  compare<uint8_t>(3000, ties);
  compare<int16_t>(1000, ties);
  CHECK(ties > 100);
}

TEST_CASE("QLinearAdd of ONNX Runtime on x86 is 1 more than ONNX for sums just below a half") {
  CHECK(sum_holds<uint8_t>(sum_of_91_and_100));
  CHECK(sum_holds<int8_t>(sum_of_114_and_122));
}

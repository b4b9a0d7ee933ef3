#include <dyadic/any_operator.hpp>
#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/exact_norm.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/row_layer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../support/catch.hpp"
#include "../support/special.hpp"

namespace q = dyadic;
namespace tflite = q::tflite;
using q::status;
using std::int16_t;
using std::int32_t;
using std::int8_t;

namespace {

template <class X, std::size_t N>
struct values {
  X at[N];
};
template <class X, std::size_t N>
constexpr bool operator==(const values<X, N>& a, const values<X, N>& b) {
  for (std::size_t i = 0; i < N; ++i)
    if (a.at[i] != b.at[i]) return false;
  return true;
}

/// Returns the row of a rule through check and run.
template <class Rule, class X, std::size_t N>
constexpr values<X, N> row_of(const Rule& rule, const values<X, N>& x) {
  values<X, N> y{};
  const q::row_layer<Rule> layer{rule};
  const q::matrix_view<const X> from(x.at, 1, N);
  const q::matrix_view<X> to(y.at, 1, N);
  if (q::may_run(check(layer, from, to))) run(layer, from, to);
  return y;
}
template <class... A>
constexpr values<int8_t, sizeof...(A)> int8s(A... a) {
  return {{static_cast<int8_t>(a)...}};
}
template <class... A>
constexpr values<int16_t, sizeof...(A)> int16s(A... a) {
  return {{static_cast<int16_t>(a)...}};
}

// ---- the inverse root: no root, powers of 4 and of 2, the greatest int32

constexpr bool is_root(int32_t x, int32_t mantissa, int32_t right_shift) {
  return tflite::inverse_square_root(x) == q::multiplier32{mantissa, right_shift};
}
static_assert(is_root(-1, q::int32_max, 31) && is_root(0, q::int32_max, 31) && is_root(1, q::int32_max, 31));
/// True if the root is 2^-power of 1 or of sqrt(1/2), but for less than 2^-19 of it.
constexpr bool is_near(int32_t x, std::int64_t of_31_bits, int power) {
  const q::multiplier32 m = tflite::inverse_square_root(x);
  const std::int64_t expected = of_31_bits << (m.right_shift - 31) >> power;
  return m.mantissa <= expected + (expected >> 23) && m.mantissa >= expected - (expected >> 19);
}
constexpr bool powers_are_near() {
  for (int k = 1; k < 16; ++k)
    if (!is_near(1 << (2 * k - 1), 1518500250, k - 1) || (k < 15 && !is_near(1 << (2 * k), std::int64_t{1} << 31, k)))
      return false;
  return true;
}
static_assert(powers_are_near());

// ---- L2 normalization

static_assert(row_of(tflite::l2_norm<>{0}, int8s(1)) == int8s(127) && row_of(tflite::l2_norm<>{0}, int8s(-1)) == int8s(-128));
static_assert(row_of(tflite::l2_norm<>{5}, int8s(5, 5)) == int8s(0, 0));
static_assert(row_of(tflite::l2_norm<>{0}, int8s(3, 4)) == int8s(77, 102));  // 76.8 and 102.4
static_assert(row_of(tflite::l2_norm<>{-128}, int8s(-125, -124)) == int8s(77, 102));
static_assert(row_of(tflite::l2_norm<tflite::single_rounding>{0}, int8s(-3, 4)) == int8s(-77, 102));
static_assert(check(tflite::l2_norm<>{128}) == status::zero_point_out_of_range);
static_assert(check(tflite::l2_norm<>{-128}, 33025) == status::ok &&
              check(tflite::l2_norm<>{127}, 33026) == status::accumulator_overflow);
static_assert(check(tflite::l2_norm<>{0}, 131071) == status::ok &&
              check(tflite::l2_norm<>{0}, 131072) == status::accumulator_overflow);

// ---- log softmax: a row of one element is 0, equal elements are -ln(n), the last difference before -128

constexpr auto sixteenth = tflite::log_softmax<>::derive(0.0625f);
static_assert(sixteenth.status == status::ok);
static_assert(row_of(sixteenth.value, int8s(-128)) == int8s(127) &&
              row_of(sixteenth.value, int8s(7, 7)) == int8s(116, 116));                    // 11.09
static_assert(row_of(sixteenth.value, int8s(127, -121, -122)) == int8s(127, -121, -128));  // the least difference is -248
static_assert(tflite::log_softmax<>::derive(0.0f).status == status::scale_zero);
static_assert(tflite::log_softmax<>::derive(0x1p-27f).status == status::scale_too_small);
static_assert(tflite::log_softmax<>::derive(0x1.000002p-26f).status == status::ok);  // the least scale
constexpr status of_inverse(q::multiplier32 inverse) {
  auto rule = sixteenth.value;
  rule.inverse = inverse;
  return check(rule);
}
static_assert(of_inverse({1 << 30, 31}) == status::ok && of_inverse({1 << 30, 30}) == status::multiplier_out_of_range);
static_assert(of_inverse({1 << 30, 63}) == status::multiplier_out_of_range);
static_assert(tflite::log_of_sum(1 << 19) == 0);  // ln(1)

// ---- cumulative sums: forward, backward, exclusive; the error for zero points

constexpr q::output_range all = q::range_of<int8_t>();
template <class... A>
constexpr auto sums_of(int zero_point, bool exclusive, bool reverse, A... x) {
  return row_of(tflite::cumsum<>::derive(1.0f, zero_point, 1.0f, all, exclusive, reverse).value, int8s(x...));
}
static_assert(sums_of(0, false, false, 1, 2, 30) == int8s(1, 3, 33) && sums_of(0, true, false, 1, 2, 30) == int8s(0, 1, 3));
static_assert(sums_of(0, false, true, 1, 2, 30) == int8s(33, 32, 30) && sums_of(0, true, true, 1, 2, 30) == int8s(32, 30, 0));
static_assert(sums_of(10, false, false, 10, 10) == int8s(-10, -10) && sums_of(10, true, false, 10, 10) == int8s(-10, -10));
constexpr auto ones = tflite::cumsum<>::derive(1.0f, -128, 1.0f, all).value;
static_assert(check(ones) == status::ok && check(ones, 15) == status::ok && check(ones, 16) == status::accumulator_overflow);
static_assert(check(ones, q::limits<q::index_t>::max) == status::accumulator_overflow && check(ones, 0) == status::ok);
static_assert(tflite::cumsum<>::derive(1.0f, 128, 1.0f, all).status == status::zero_point_out_of_range);

constexpr auto pair = tflite::add_n<>::derive(0.5f, 10, 2, 0.5f, all);
static_assert(pair.status == status::ok && pair.value(20) == -10);  // two zeros give -5 at a scale of 1/2
static_assert(tflite::add_n<>::derive(0.5f, 0, 0, 0.5f, all).status == status::negative_size);
static_assert(tflite::add_n<>::derive(0x1p19f, 0, 2, 1.0f, all).status == status::scale_too_large);
static_assert(tflite::add_n<>::derive(0.5f, 0, 32, 0.5f, all).status == status::ok);
static_assert(tflite::add_n<>::derive(0.5f, 0, 33, 0.5f, all).status == status::accumulator_overflow);

// ---- layer norm of LiteRT: the variance of the formula, its limit, the last rescale

constexpr int16_t units[8] = {16384, 16384, 16384, 16384, 16384, 16384, 16384, 16384};
constexpr int32_t zeros[8] = {};
/// Weights of 1, an output scale of 2^-12 of the quotient.
template <std::size_t N>
constexpr q::litert::layer_norm<> units_of(int32_t limit) {
  return {{units, N}, {zeros, N}, limit, {1 << 30, 32}};
}
static_assert(row_of(units_of<2>(1), int16s(5, -5)) == int16s(4096, -4096));
static_assert(row_of(units_of<4>(1), int16s(1000, 1000, -1000, -1000)) == int16s(4096, 4096, -4096, -4096));
// The variance of 9980, 10000 and 10020 is 171 in place of 266.7: 20 / sqrt(171) of 4096, and not 1.2247.
static_assert(row_of(units_of<3>(1), int16s(9980, 10000, 10020)) == int16s(-6264, 0, 6264));
// At 20000 the variance is negative: the limit of 16 gives 20 / 4 of 4096.
static_assert(row_of(units_of<3>(16), int16s(19980, 20000, 20020)) == int16s(-20480, 0, 20480));
static_assert(row_of(units_of<2>(1), int16s(7, 7)) == int16s(0, 0));  // variance 0
static_assert(check(units_of<2>(1)) == status::ok && check(units_of<2>(0)) == status::value_out_of_range);
static_assert(check(units_of<3>(1)) == status::accumulator_overflow);  // a variance of 1 for any row
static_assert(check(units_of<8>(1), 8) == status::ok && check(units_of<8>(1), 7) == status::shape_mismatch);
static_assert(check(q::litert::layer_norm<>{{units, 2}, {zeros, 1}, 1, {1 << 30, 32}}) == status::shape_mismatch);
static_assert(check(q::litert::layer_norm<>{{units, 2}, {zeros, 2}, 1, {1 << 30, 63}}) == status::multiplier_out_of_range);
static_assert(check(q::litert::layer_norm<>{{nullptr, 2}, {zeros, 2}, 1, {1 << 30, 32}}) == status::null_data);
constexpr auto derived = q::litert::layer_norm<>::derive(0x1p-14f, {units, 2}, {zeros, 2});
static_assert(derived.status == status::ok && derived.value.multiplier == q::multiplier32{1 << 30, 32} &&
              derived.value.variance_limit == 1);
static_assert(q::litert::layer_norm<>::derive(0x1p-10f, {units, 2}, {zeros, 2}).value.variance_limit == 9);  // 9.77
static_assert(q::litert::layer_norm<>::derive(-1.0f, {units, 2}, {zeros, 2}).status == status::scale_negative);

// ---- exact norms

template <std::size_t N>
constexpr q::exact::layer_norm<int16_t> exact_of(std::int64_t epsilon, q::view<const int32_t> bias = {}) {
  return {{units, N}, bias, 0, epsilon, {1 << 30, 32}, q::range_of<int16_t>()};
}
static_assert(row_of(exact_of<2>(0), int16s(5, -5)) == int16s(4096, -4096));
static_assert(row_of(exact_of<3>(0), int16s(9980, 10000, 10020)) == int16s(-5017, 0, 5017));  // 1.224745
static_assert(row_of(exact_of<2>(0), int16s(7, 7)) == int16s(0, 0));                          // 0 / 0
static_assert(row_of(exact_of<2>(3 << 16), int16s(1, -1)) == int16s(2048, -2048));            // 1 / sqrt(1 + 3)
static_assert(row_of(exact_of<2>(0), int16s(-32768, 32767)) == int16s(-4096, 4096));
constexpr int32_t halves[2] = {512, -512};  // half of a weight's step
constexpr q::exact::layer_norm<int16_t> tie{{units, 2}, {halves, 2}, 0, 0, {1, 0}, {0, -20000, 20000}};
static_assert(row_of(tie, int16s(1, -1)) == int16s(16385, -16385) && row_of(tie, int16s(-1, 1)) == int16s(-16384, 16384));
constexpr q::exact::rms_norm<int8_t> rms{{units, 2}, {}, 10, 0, {1 << 30, 39}, q::range_of<int8_t>(3)};
static_assert(row_of(rms, int8s(13, 14)) == int8s(30, 39));  // 32 * 3 / sqrt(12.5), 32 * 4 / sqrt(12.5)
static_assert(row_of(rms, int8s(10, 10)) == int8s(3, 3));

constexpr status of_exact(std::int64_t epsilon, q::multiplier32 m, q::view<const int32_t> bias, int zero_point,
                          q::output_range range) {
  return check(q::exact::rms_norm<int8_t>{{units, 2}, bias, zero_point, epsilon, m, range});
}
static_assert(of_exact(0, {1, 62}, {}, -128, all) == status::ok &&
              of_exact(0, {1, 63}, {}, 0, all) == status::multiplier_out_of_range);
static_assert(of_exact(0, {1, -1}, {}, 0, all) == status::multiplier_out_of_range);
static_assert(of_exact((std::int64_t{1} << 47) - 1, {1, 0}, {}, 0, all) == status::ok);
static_assert(of_exact(std::int64_t{1} << 47, {1, 0}, {}, 0, all) == status::value_out_of_range);
static_assert(of_exact(-1, {1, 0}, {}, 0, all) == status::value_out_of_range);
static_assert(of_exact(0, {1, 0}, {zeros, 3}, 0, all) == status::shape_mismatch);
static_assert(of_exact(0, {1, 0}, {}, 128, all) == status::zero_point_out_of_range);
static_assert(of_exact(0, {1, 0}, {}, 0, {0, 1, 0}) == status::empty_range);
constexpr auto made = q::exact::layer_norm<int8_t>::derive(0.5, 0, 0.25, 0x1p-14, 0.125, {units, 2}, {}, all);
static_assert(made.status == status::ok && made.value.epsilon == 1 << 16 &&
              made.value.multiplier == q::multiplier32{1 << 30, 41});
static_assert(q::exact::layer_norm<int8_t>::derive(0.0, 0, 0.25, 1.0, 1.0, {units, 2}, {}, all).status == status::scale_zero);
static_assert(q::exact::layer_norm<int8_t>::derive(1.0, 0, -1.0, 1.0, 1.0, {units, 2}, {}, all).status ==
              status::value_out_of_range);
static_assert(q::exact::layer_norm<int8_t>::derive(1.0, 0, support::of_binary64::quiet_nan, 1.0, 1.0, {units, 2}, {}, all)
                  .status == status::scale_not_finite);

// ---- layers: shapes, memory in place, weights that y would overwrite

constexpr bool layers_hold() {
  int16_t x[6] = {5, -5, 0, 300, -300, 0};
  int16_t weights[2] = {16384, 16384};
  const q::row_layer layer{q::exact::layer_norm<int16_t>{{weights, 2}, {}, 0, 0, {1 << 30, 32}, q::range_of<int16_t>()}};
  const q::matrix_view<int16_t> rows(x, 2, 2, 3);
  if (check(layer, rows, q::matrix_view<int16_t>(weights, 1, 2)) != status::shape_mismatch) return false;
  if (check(layer, q::matrix_view<int16_t>(x, 1, 2), q::matrix_view<int16_t>(weights, 1, 2)) != status::overlap) return false;
  if (check(layer, q::matrix_view<int16_t>(x, 1, 3), q::matrix_view<int16_t>(x, 1, 3)) != status::shape_mismatch) return false;
  if (check(layer, rows, rows) != status::ok) return false;
  run(layer, rows, rows);
  return x[0] == 4096 && x[1] == -4096 && x[2] == 0 && x[3] == 4096 && x[4] == -4096;
}
static_assert(layers_hold());

/// Compares a described operator with a typed layer on images of two channels.
template <class Layer, class Spec, class X>
void same_as_typed(const Spec& spec, const Layer& layer, const std::vector<X>& x) {
  constexpr auto kinds = q::operator_kinds_of<q::backend::scalar, tflite::l2_norm<>, q::litert::layer_norm<>,
                                              q::exact::layer_norm<int16_t>, q::exact::rms_norm<int8_t>, tflite::log_softmax<>,
                                              tflite::softmax<int8_t>, tflite::add_n<>, tflite::mean<int8_t>>();
  alignas(8) unsigned char arena[256];
  const auto op = kinds.prepare(spec, arena);
  REQUIRE(op.status == status::ok);
  const auto pixels = static_cast<q::index_t>(x.size() / 2);
  const bool is_reduced = spec.op == q::operator_id::add_n;
  std::vector<X> y(is_reduced ? 2 : x.size()), typed(y.size());
  const q::nhwc_view<const X> in(x.data(), 1, 1, pixels, 2);
  const q::nhwc_view<X> out(y.data(), 1, 1, is_reduced ? 1 : pixels, 2), wanted(typed.data(), 1, 1, is_reduced ? 1 : pixels, 2);
  REQUIRE(check(layer, in, wanted) == status::ok);
  run(layer, in, wanted);
  REQUIRE(check(op.value, in, out) == status::ok);
  run(op.value, in, out);
  CHECK(y == typed);
  CHECK(y != std::vector<X>(y.size()));
  CHECK(check(op.value, in, q::any_output(q::element_type_of<X>(), arena, 1, 1, out.w(), 2)) == status::overlap);
}

}  // namespace

TEST_CASE("norms described at run time equal those of their rules") {
  const std::vector<int8_t> x{1, 2, -3, 4, 127, -128, 0, 5};
  const std::vector<int16_t> x16{1, 2, -3, 4, 32767, -32768, 0, 5};
  q::norm_spec spec;
  spec.op = q::operator_id::l2_norm, spec.type = q::element_type::int8, spec.x_zero_point = 3;
  same_as_typed(spec, q::row_layer{tflite::l2_norm<>{3}}, x);
  spec.op = q::operator_id::rms_norm, spec.x_scale = 0.5, spec.epsilon = 0.25, spec.weight_scale = 0x1p-14, spec.y_scale = 0.125;
  spec.weights = units, spec.weights = {units, 2}, spec.range.zero_point = 7;
  same_as_typed(
      spec,
      q::row_layer{
          q::exact::rms_norm<int8_t>::derive(0.5, 3, 0.25, 0x1p-14, 0.125, {units, 2}, {}, q::range_of<int8_t>(7)).value},
      x);
  spec.op = q::operator_id::layer_norm, spec.type = q::element_type::int16, spec.bias = {zeros, 2};
  spec.rule = q::scheme_id::of<q::litert::layer_norm<>>();
  same_as_typed(spec, q::row_layer{derived.value}, x16);
  spec.rule = q::scheme_id::of<q::exact::layer_norm<int16_t>>(), spec.y_scale = 0x1p-12;
  same_as_typed(spec,
                q::row_layer{q::exact::layer_norm<int16_t>::derive(0.5, 3, 0.25, 0x1p-14, 0x1p-12, {units, 2}, {zeros, 2},
                                                                   q::range_of<int16_t>(7))
                                 .value},
                x16);
}

TEST_CASE("log softmax and sums of tensors described at run time equal those of their rules") {
  const std::vector<int8_t> x{1, 2, -3, 4, 127, -128, 0, 5};
  q::softmax_spec spec;
  spec.op = q::operator_id::log_softmax, spec.x = spec.y = q::element_type::int8, spec.x_scale = 0.0625;
  same_as_typed(spec, q::row_layer{sixteenth.value}, x);
  spec.beta = 2;
  constexpr auto kinds = q::operator_kinds_of<q::backend::scalar, tflite::log_softmax<>>();
  alignas(8) unsigned char arena[256];
  CHECK(kinds.prepare(spec, arena).status == status::value_out_of_range);
  spec.op = q::operator_id::softmax;
  CHECK(kinds.prepare(spec, arena).status == status::unknown_kind);
  q::mean_spec sum;
  sum.op = q::operator_id::add_n, sum.type = q::element_type::int8, sum.count = 4, sum.x_scale = 0.5, sum.y_scale = 1;
  same_as_typed(sum, q::sum_layer<tflite::add_n<>>{{tflite::add_n<>::derive(0.5f, 0, 4, 1.0f, all).value}}, x);
}

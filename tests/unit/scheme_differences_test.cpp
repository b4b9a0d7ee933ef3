// The smallest counterexamples between the published schemes. scheme_equalities_test.cpp tests where they agree.

#include <dyadic/compare.hpp>
#include <dyadic/dyadic.hpp>

#include <array>
#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

constexpr std::int32_t one = 1 << 30;

constexpr q::multiplier32 pair(std::int32_t mantissa, std::int32_t shift) { return q::tflite::from_pair(mantissa, shift); }

constexpr bool is(q::sample s, std::int64_t acc, std::int64_t a, std::int64_t b) { return s.acc == acc && s.a == a && s.b == b; }

/// Checks that A and B differ on acc, and agree for each smaller |acc| within `reach`.
template <class A, class B>
void differ_at(typename A::multiplier_type ma, typename B::multiplier_type mb, std::int64_t acc, std::int64_t a, std::int64_t b,
               std::int64_t reach = 4096) {
  INFO("acc " << acc);
  const std::int64_t size = acc < 0 ? -acc : acc;
  const std::int64_t least = size > reach ? size - reach : 0;
  for (const q::interval range : {q::interval{least, size + 1}, q::interval{-size - 1, -least}}) {
    const q::difference d = q::find_first_difference(q::rule_of<A>(ma), q::rule_of<B>(mb), q::by_magnitude{range});
    if (acc >= range.low && acc <= range.high)
      CHECK((d.differing == 1 && is(d.first, acc, a, b)));
    else if (d.differing != 0)
      CHECK((d.first.acc < 0 ? -d.first.acc : d.first.acc) >= size);
  }
}
template <class A, class B>
void differ_at(q::multiplier32 m, std::int64_t acc, std::int64_t a, std::int64_t b) {
  differ_at<A, B>(m, m, acc, a, b);
}

using tflite_double = q::tflite::double_rounding;
using tflite_single = q::tflite::single_rounding;
using neon_double = q::tflite::neon_double_rounding;
using neon_single = q::tflite::neon_single_rounding;
using predicated = q::cmsis_nn::mve_predicated_single_rounding;
using mve_single = q::cmsis_nn::mve_single_rounding;

}  // namespace

TEST_CASE("two roundings turn 1/4 into 1") {
  differ_at<tflite_double, tflite_single>(pair(one, -1), 1, 1, 0);
  differ_at<neon_double, tflite_single>(pair(one, -1), 1, 1, 0);
  differ_at<predicated, mve_single>(pair(one, -1), 1, 1, 0);
}

TEST_CASE("the second of two roundings goes away from zero or up") {
  differ_at<tflite_double, neon_double>(pair(one + 1, -1), -1, -1, 0);
}

TEST_CASE("the AVX2 helper floors, and jumps to the maximum") {
  differ_at<q::tflite::avx2, tflite_single>(pair(one, 0), 1, 0, 1);
  differ_at<q::tflite::avx2, tflite_double>(pair(one, 0), 1, 0, 1);
  differ_at<q::tflite::avx2, tflite_single>(pair(q::int32_max, -31), one + 1, q::int32_max, 1);
}

TEST_CASE("a predicated tail in single mode rounds twice") {
  differ_at<predicated, mve_single>(pair(5 << 28, 1), 1, 2, 1);
  const q::multiplier32 m = pair(q::int32_max, -4);
  CHECK(predicated::apply(1000, m) == 63);
  CHECK(mve_single::apply(1000, m) == 62);
}

TEST_CASE("the pre-shift of single rounding wraps one bit early on NEON and Helium, outside their domain") {
  for (const auto& [acc, shift] : {std::array<std::int32_t, 2>{one, 0}, {1 << 23, 7}, {2, 29}}) {
    const q::multiplier32 m = pair(one, shift);
    differ_at<neon_single, tflite_single>(m, acc, -536870912, 536870912);
    differ_at<mve_single, q::cmsis_nn::single_rounding>(m, acc, -536870912, 536870912);
    CHECK_FALSE(neon_single::valid(acc, m));
    CHECK(tflite_single::valid(acc, m));
  }
}

TEST_CASE("the int64 helper of CMSIS-NN wraps from a result of 2^30 on") {
  using cmsis = q::cmsis_nn::requantize_s64;
  using tflite = q::tflite::reduced_int64;
  differ_at<cmsis, tflite>({1 << 14, 15}, {1 << 14, 15}, q::int32_max, -1073741824, 1073741824);
  differ_at<cmsis, tflite>({32767, 8}, {32767, 8}, 8388865, -1073741697, 1073741951);
  CHECK(q::tflite::reduce(pair(q::int32_max, 7)) == q::multiplier16{32767, 8});
  CHECK_FALSE(cmsis::valid(8388865, {32767, 8}));
}

TEST_CASE("the minimum times itself saturates in TFLite and not in CMSIS-NN") {
  constexpr q::multiplier32 m{q::int32_min, 31};
  CHECK(q::cmsis_nn::double_rounding::apply(q::int32_min, m) == q::int32_min);
  CHECK(q::gemmlowp::saturating_rounding_doubling_high_mul(q::int32_min, q::int32_min) == q::int32_max);
  CHECK(tflite_double::apply(q::int32_min, m) == q::int32_max);
  CHECK(q::cmsis_nn::mve_double_rounding::apply(q::int32_min, m) == q::int32_max);
  CHECK_FALSE(q::cmsis_nn::double_rounding::valid(m));
  const auto d =
      q::compare_rules(q::rule_of<q::cmsis_nn::double_rounding>(m), q::rule_of<tflite_double>(m), q::around(q::int32_min, 4096));
  CHECK(d.differing == 1);
}

namespace {

/// Checks A and B with the multipliers that they derive from a binary32 scale.
template <class A, class B>
void differ_for(float scale, std::int64_t acc, std::int64_t a, std::int64_t b) {
  const auto ma = A::derive(scale);
  const auto mb = B::derive(scale);
  CHECK(ma.status == q::status::ok);
  CHECK(mb.status == q::status::ok);
  differ_at<A, B>(ma.value, mb.value, acc, a, b);
}

}  // namespace

TEST_CASE("each rule of XNNPACK differs from the others") {
  using namespace q::xnnpack;
  differ_for<fp32, rndnu>(0.5f, 1, 0, 1);
  differ_for<fp32, rndnu>(0x1.555556p-3f, 3, 0, 1);
  differ_for<rndnu, rndna>(0.5f, -1, 0, -1);
  differ_for<rndnu, gemmlowp>(0.25f, 1, 0, 1);
  differ_for<rndnu, rndnu16>(0.25f, 1, 0, 1);
  differ_for<fp32, rndnu16>(0x1.000002p-1f, -1, -1, 0);
  CHECK(fp32::apply(-2, 0.75f) == -2);
  CHECK(rndnu::apply(-2, rndnu::derive(0.75f).value) == -1);
}

TEST_CASE("the scalar rndnu of XNNPACK wraps before it clamps") {
  const q::multiplier32 m = q::xnnpack::rndnu::derive(0x1.fffffep7f).value;
  const auto scalar = q::rule_of<q::xnnpack::rndnu>(m, q::range_of<std::int8_t>());
  const auto neon = q::rule_of<q::xnnpack::rndnu_neon>(m, q::range_of<std::int8_t>());
  const auto d = q::find_first_difference(scalar, neon, q::around(8388609, 4096));
  CHECK(is(d.first, 8388609, -128, 127));
}

TEST_CASE("oneDNN adds the zero point before it rounds") {
  const auto range = q::range_of<std::int8_t>(1);
  for (const float scale : {0.5f, 0x1.fffffep-2f}) {
    const auto onednn = q::rule_of<q::onednn::f32>({scale, 1.0f, 1.0f}, range);
    const auto fbgemm = q::rule_of<q::fbgemm::floating>(scale, range);
    CHECK(is(q::find_first_difference(onednn, fbgemm, q::by_magnitude{{-9, 9}}).first, 1, 2, 1));
  }
}

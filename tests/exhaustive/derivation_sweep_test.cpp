// The multipliers that the library derives from real scales, against the oracle.

#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/vela.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include "tally.hpp"

using namespace sweep;

namespace {

/// The multiplier derived from a scale, in the publisher's convention.
struct derivation {
  std::int64_t multiplier;
  std::int64_t shift;
  q::status status;
  bool valid;  ///< the scheme accepts the multiplier
};

struct derivation_rule {
  const char* name;
  bool binary32;  ///< true if the rule starts from a float
  derivation (*library)(double);
  oracle::derived_multiplier (*expected)(double);
  /// The library must return ok for the publisher's shifts least_shift .. greatest_shift.
  int least_shift;
  int greatest_shift;
  bool negative;  ///< the library must return ok for a negative scale
};

template <class Scheme>
derivation left(q::result<q::multiplier32> r) {
  return {r.value.mantissa, 31 - r.value.right_shift, r.status, Scheme::valid(r.value)};
}

template <class Scheme, class Mantissa>
derivation right(q::result<q::multiplier<Mantissa>> r) {
  return {r.value.mantissa, r.value.right_shift, r.status, Scheme::valid(r.value)};
}

/// Stands for the scheme of a derivation that has no scheme of its own.
struct any_multiplier {
  template <class M>
  static constexpr bool valid(const M&) {
    return true;
  }
};

/// The exact rules derive the multiplier of the scale's magnitude and negate it, so half up is half down for negative scales.
oracle::wide half_up_of_magnitude(oracle::wide value, int shift) {
  return value < 0 ? -oracle::half_up(-value, shift) : oracle::half_up(value, shift);
}

template <oracle::wide (*Round)(oracle::wide, int)>
oracle::derived_multiplier nearest31(double scale) {
  const oracle::real value = oracle::from_double(scale);
  if (value.significand == 0) return {0, 31, false};
  const oracle::derived_multiplier d = oracle::detail::rounded_fraction(value, 31, Round);
  return {d.multiplier, 31 - d.shift, false};
}

const derivation_rule derivation_rules[] = {
    {"tflite::double_rounding", false,
     [](double x) { return left<q::tflite::double_rounding>(q::tflite::double_rounding::derive(x)); },
     oracle::derive_tflite_double, -31, 30, true},
    {"tflite::single_rounding", false,
     [](double x) { return left<q::tflite::single_rounding>(q::tflite::single_rounding::derive(x)); },
     oracle::derive_tflite_single, -31, 30, false},
    {"tflite::neon_double_rounding", false,
     [](double x) { return left<q::tflite::neon_double_rounding>(q::tflite::neon_double_rounding::derive(x)); },
     oracle::derive_tflite_double, -31, 30, true},
    {"tflite::neon_single_rounding", false,
     [](double x) { return left<q::tflite::neon_single_rounding>(q::tflite::neon_single_rounding::derive(x)); },
     oracle::derive_tflite_single, -31, 29, false},
    {"tflite::derive_emulate_float", false,
     [](double x) { return left<q::tflite::double_rounding>(q::tflite::derive_emulate_float(x)); },
     oracle::derive_tflite_emulate_float, -31, 30, true},
    {"tflite::reduced_int64", false,
     [](double x) {
       const auto r = q::tflite::reduced_int64::derive(x);
       return derivation{r.value.mantissa, 15 - r.value.right_shift, r.status, q::tflite::reduced_int64::valid(r.value)};
     },
     [](double x) {
       oracle::derived_multiplier d = oracle::derive_tflite_double(x);
       if (d.multiplier < 0) return oracle::derived_multiplier{0, 0, true};
       d.multiplier = oracle::reduce_multiplier_q31_to_q15(static_cast<std::int32_t>(d.multiplier));
       return d;
     },
     -31, 7, false},
    {"executorch::cortex_m", false, [](double x) { return left<any_multiplier>(q::executorch::cortex_m::derive(x)); },
     oracle::derive_executorch_cortex_m, -31, 30, true},
    {"executorch::cadence", true, [](double x) { return left<any_multiplier>(q::executorch::cadence::derive(to_float(x))); },
     [](double x) { return oracle::derive_executorch_cadence(to_float(x)); }, -31, 30, true},
    {"executorch::arm::scale32", false, [](double x) { return right<q::tosa::scale32>(q::executorch::arm::scale32::derive(x)); },
     oracle::derive_executorch_arm_tosa32, 2, 62, false},
    {"tosa::scale32_double_round", false,
     [](double x) { return right<q::tosa::scale32_double_round>(q::tosa::scale32_double_round::derive(x)); },
     oracle::derive_executorch_arm_tosa32, 2, 62, false},
    {"executorch::arm::scale16", false, [](double x) { return right<q::tosa::scale16>(q::executorch::arm::scale16::derive(x)); },
     oracle::derive_executorch_arm_tosa16, 2, 62, false},
    {"vela::derive_scale32", false, [](double x) { return right<any_multiplier>(q::vela::derive_scale32(x)); },
     oracle::derive_vela_scale32, 0, 63, false},
    {"vela::derive_reduced_int16", false, [](double x) { return right<any_multiplier>(q::vela::derive_reduced_int16(x)); },
     oracle::derive_vela_reduced_int16, -16, 47, false},
    {"fbgemm::fixed", true, [](double x) { return right<q::fbgemm::fixed>(q::fbgemm::fixed::derive(to_float(x))); },
     [](double x) { return oracle::derive_fbgemm_fixed(to_float(x)); }, 1, 63, false},
    {"xnnpack::rndnu", true, [](double x) { return right<q::xnnpack::rndnu>(q::xnnpack::rndnu::derive(to_float(x))); },
     [](double x) { return oracle::derive_xnnpack_rndnu(to_float(x)); }, 16, 55, false},
    {"xnnpack::rndnu_neon", true,
     [](double x) { return right<q::xnnpack::rndnu_neon>(q::xnnpack::rndnu_neon::derive(to_float(x))); },
     [](double x) { return oracle::derive_xnnpack_rndnu(to_float(x)); }, 16, 55, false},
    {"xnnpack::rndna", true, [](double x) { return right<q::xnnpack::rndna>(q::xnnpack::rndna::derive(to_float(x))); },
     [](double x) { return oracle::derive_xnnpack_rndnu(to_float(x)); }, 16, 55, false},
    {"xnnpack::rndnu16", true,
     [](double x) {
       const auto r = q::xnnpack::rndnu16::derive(to_float(x));
       return derivation{r.value.mantissa, 15 - r.value.right_shift, r.status, q::xnnpack::rndnu16::valid(r.value)};
     },
     [](double x) { return oracle::derive_xnnpack_rndnu16(to_float(x)); }, -31, 9, false},
    {"xnnpack::gemmlowp", true, [](double x) { return right<q::xnnpack::gemmlowp>(q::xnnpack::gemmlowp::derive(to_float(x))); },
     [](double x) {
       oracle::derived_multiplier d = oracle::derive_xnnpack_rndnu(to_float(x));
       if (!d.rejected) d = {d.multiplier * 128, d.shift + 7, false};
       return d;
     },
     31, 62, false},
    {"exact::half_up", false, [](double x) { return right<q::exact::half_up>(q::exact::half_up::derive(x)); },
     nearest31<half_up_of_magnitude>, 0, 126, true},
    {"exact::half_away", false, [](double x) { return right<q::exact::half_away>(q::exact::half_away::derive(x)); },
     nearest31<oracle::half_away<oracle::wide>>, 0, 126, true},
    {"exact::half_even", false, [](double x) { return right<q::exact::half_even>(q::exact::half_even::derive(x)); },
     nearest31<oracle::half_even<oracle::wide>>, 0, 126, true},
};

/// Returns the ends of each format, and scales whose mantissa is one of these:
/// a tie of 15, 24 and 31 bits, one step beside the tie, all ones, and a power of two.
std::vector<double> edge_scales() {
  std::vector<double> all = {0.0,      -0.0,          0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023, 1.7976931348623157e308,
                             0x1p-149, 0x1.fffffep127};
  std::vector<double> mantissas = {1.0};
  for (const int bits : {14, 15, 16, 23, 24, 30, 31, 32}) {
    const double step = std::ldexp(1.0, 1 - bits);  // last bit of a mantissa in [1, 2) that has `bits` bits
    for (const double at : {1.0, 1.5, 2.0 - step, 2.0 - 2 * step, 1.0 + step, 1.0 + 3 * step})
      for (const double part : {0.0, 0.5 * step, 0.25 * step, -0.5 * step}) mantissas.push_back(at + part);
  }
  const std::size_t exact = mantissas.size();
  for (std::size_t i = 0; i < exact; ++i) {
    mantissas.push_back(std::nextafter(mantissas[i], 4.0));
    mantissas.push_back(std::nextafter(mantissas[i], 0.0));
  }
  for (const double mantissa : mantissas)
    for (int exponent = -100; exponent <= 70; ++exponent) {
      const double scale = std::ldexp(mantissa, exponent);
      all.push_back(scale);
      if ((exponent & 3) == 0) all.push_back(-scale);
    }
  return all;
}

void check_derivation(tally& t, const derivation_rule& rule, double scale) {
  // Conversion to float rounds the double before the rule sees it. A double that overflows a float is tested as infinity.
  if (rule.binary32 && !std::isfinite(to_float(scale))) return;
  const oracle::derived_multiplier expected = rule.expected(scale);
  const derivation got = rule.library(scale);
  const bool given_negative = scale < 0 && (!rule.binary32 || to_float(scale) < 0);
  const bool in_range = expected.shift >= rule.least_shift && expected.shift <= rule.greatest_shift;
  // Vela returns zero for a large scale; zero is not a multiplier of such a scale.
  const bool in_limits = expected.multiplier == 0 ? std::fabs(scale) < 1 : in_range;
  const bool must_be_ok = !expected.rejected && in_limits && (!given_negative || rule.negative);
  const bool same = got.multiplier == expected.multiplier && (got.multiplier == 0 || got.shift == expected.shift);
  const auto say = [&] {
    return std::string(rule.name) + " of " + text("%a", scale) + ": got " + text(got.multiplier) + " shift " + text(got.shift) +
           " " + q::to_string(got.status) + (got.valid ? "" : " (not valid)") + ", expected " + text(expected.multiplier) +
           " shift " + text(expected.shift) + (expected.rejected ? " rejected" : "");
  };
  if (ok(got.status)) {
    const bool sign_kept = got.multiplier == 0 || given_negative == (got.multiplier < 0);
    t.check(!expected.rejected && same && got.valid && sign_kept, say);
  } else {
    t.check(!must_be_ok && (expected.rejected || same), say);
  }
}

}  // namespace

TEST_CASE("each derivation equals the oracle's for each scale") {
  const std::vector<double> edges = edge_scales();
  for (const derivation_rule& rule : derivation_rules) {
    tally t;
    generator random;
    for (const double scale : edges) check_derivation(t, rule, rule.binary32 ? static_cast<double>(to_float(scale)) : scale);
    for (int i = 0; i < scaled_count(60000); ++i) {
      const double scale = random_real(random, rule.binary32 ? 24 : 53, -70, 70);
      check_derivation(t, rule, random.one_in(8) ? -scale : scale);
    }
    t.finish("derivations of " + std::string(rule.name));
  }
}

TEST_CASE("no derivation accepts a scale that is not finite") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const derivation_rule& rule : derivation_rules)
    for (const double scale : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
      INFO(rule.name << " of " << scale);
      CHECK(rule.library(scale).status == q::status::scale_not_finite);
    }
}

TEST_CASE("a zero scale gives the publisher's conventional shift") {
  CHECK(q::tflite::double_rounding::derive(0.0).value == q::multiplier32{0, 31});
  CHECK(q::tosa::scale32::derive(0.0).value == q::multiplier32{0, 31});
  CHECK(q::tosa::scale16::derive(0.0).value == q::multiplier16{0, 15});
  for (const derivation_rule& rule : derivation_rules) {
    const oracle::derived_multiplier expected = rule.expected(0.0);
    const derivation got = rule.library(0.0);
    INFO(rule.name);
    if (expected.rejected)
      CHECK_FALSE(ok(got.status));
    else
      CHECK((ok(got.status) && got.multiplier == 0 && got.shift == expected.shift));
  }
}

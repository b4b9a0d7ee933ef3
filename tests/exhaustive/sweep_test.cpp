// The reduced sweep: every rule against the oracle around ties, edges and powers of two and on random numbers; then all that is
// not a rule from accumulator to output: derivations, scale products, RESCALE, XNNPACK's two operators, ONNX, ExecuTorch.

#include <dyadic/scale.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/tosa_rescale.hpp>
#include <dyadic/scheme/vela.hpp>

#include "../support/catch.hpp"
#include "pairs.hpp"

namespace {

namespace q = dyadic;
using sweep::between;
using sweep::entry;
using sweep::generator;
using sweep::one_in;
using sweep::outcome;
using sweep::setting;

constexpr std::uint64_t seed = 20260101;
constexpr int scale_down = DYADIC_TEST_SCALE;

constexpr int scaled_count(int count) { return count / scale_down > 16 ? count / scale_down : 16; }

void report(const char* what, std::uint64_t count) {
  std::printf("%12llu %s (seed %llu, counts divided by %d)\n", static_cast<unsigned long long>(count), what,
              static_cast<unsigned long long>(seed), scale_down);
}

template <class T>
std::string str(T x) {
  return std::to_string(x);
}

/// Counts comparisons; keeps the first that fails.
class tally {
 public:
  template <class Describe>
  void check(bool good, const Describe& describe) {
    ++count_;
    if (!good && failures_++ == 0) first_ = describe();
  }
  void finish(const std::string& what) const {
    report(what.c_str(), count_);
    INFO(what << ": " << failures_ << " of " << count_ << " fail, the first: " << first_);
    CHECK(failures_ == 0);
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t failures_ = 0;
  std::string first_;
};

bool ok(q::status s) { return s == q::status::ok; }

}  // namespace

TEST_CASE("every rule equals its oracle around ties, range edges and powers of two") {
  std::uint64_t compared = 0;
  for (const entry& rule : sweep::entries()) {
    generator random(seed);
    outcome all;
    for (const setting& s : rule.edges) {
      outcome one;
      for (const sweep::window& w : sweep::windows(rule, s, static_cast<std::uint64_t>((1 << 16) / scale_down), 4, random))
        one.add(rule.compare(s, w.first, w.size()));
      INFO(rule.name << " " << rule.describe(s) << ": " << describe(one));
      CHECK(one.different == 0);
      all.add(one);
    }
    INFO(rule.name << ": all results are " << all.least);
    CHECK(all.least != all.greatest);
    compared += all.compared;
  }
  report("accumulators in windows", compared);
}

TEST_CASE("every rule equals its oracle on random accumulators and multipliers") {
  std::uint64_t compared = 0;
  for (const entry& rule : sweep::entries()) {
    generator random(seed);
    outcome all;
    for (int i = 0; i < scaled_count(3000); ++i) {
      const setting s = rule.random(random);
      INFO(rule.name << " " << rule.describe(s));
      if (!rule.legal(s)) FAIL("not legal");
      outcome one;
      for (int k = 0; k < 100; ++k) one.add(rule.compare(s, sweep::random_acc(random, rule.least, rule.greatest), 1));
      // Between two neighbours of a random tie the result changes.
      const double tie = (static_cast<double>(sweep::of_random_length(random, 62)) + 0.5) / rule.real_scale(s);
      if (std::fabs(tie) < 0x1p62 && tie > static_cast<double>(rule.least) + 16 && tie < static_cast<double>(rule.greatest) - 16)
        one.add(rule.compare(s, static_cast<std::int64_t>(tie) - 8, 16));
      INFO(describe(one));
      if (one.different != 0) CHECK(one.different == 0);
      all.add(one);
    }
    INFO(rule.name << ": all results are " << all.least);
    CHECK(all.least != all.greatest);
    compared += all.compared;
  }
  report("random (rule, accumulator, multiplier) triples", compared);
}

TEST_CASE("a rule accepts its edges and refuses what lies one step beyond") {
  for (const entry& rule : sweep::entries()) {
    for (const setting& s : rule.edges) {
      INFO(rule.name << " " << rule.describe(s));
      CHECK(rule.legal(s));
    }
    for (const setting& s : rule.refused) {
      INFO(rule.name << " " << rule.describe(s));
      CHECK_FALSE(rule.legal(s));
    }
  }
}

TEST_CASE("CMSIS-NN's scalar rule wraps where the multiplier and the shifted accumulator are the minimum") {
  using pair = sweep::left_shift_pair<q::cmsis_nn::double_rounding, oracle::cmsis_double, sweep::preshift_fits>;
  for (const setting& s : sweep::least_mantissa_edges()) {
    const q::multiplier32 m = pair::library(s);
    for (const std::int32_t acc :
         {sweep::lowest32, sweep::lowest32 + 1, sweep::lowest32 / 2, -1, 0, 1, 1 << 30, sweep::highest32}) {
      INFO(pair::describe(s) << " acc " << acc);
      CHECK(pair::actual(acc, m, s) == pair::expected(acc, s));
    }
  }
}

TEST_CASE("the exact rules saturate at 2^62") {
  const q::multiplier32 m{sweep::highest32, 0};
  const std::int64_t limit = std::int64_t{1} << 62;
  CHECK(q::exact::half_up::apply(sweep::highest64, m) == limit);
  CHECK(q::exact::half_away::apply(sweep::lowest64, m) == -limit);
  CHECK(q::exact::half_even::apply(limit, {2, 1}) == limit);
  CHECK(q::exact::half_even::apply(limit - 1, {2, 1}) == limit - 1);
  // 2^93 - 1 = (2^31 - 1)(2^62 + 2^31 + 1): the floor is the largest int64, and rounding goes up from there.
  CHECK(q::exact::half_up::apply(limit + (std::int64_t{1} << 31) + 1, {sweep::highest32, 30}) == limit);
}

// ---- derivations

namespace {

/// What the library and the oracle make of a scale, in the publisher's convention.
struct derivation {
  std::int64_t multiplier;
  std::int64_t shift;
  q::status status;
  bool valid;  ///< the scheme accepts the multiplier
};

struct derivation_rule {
  const char* name;
  bool binary32;  ///< takes a float
  derivation (*library)(double);
  oracle::derived_multiplier (*expected)(double);
  /// The least and greatest publisher's shift for which the library must say ok.
  int least_shift;
  int greatest_shift;
  bool negative;  ///< a negative scale is ok
};

template <class Scheme>
derivation left(q::result<q::multiplier32> r) {
  return {r.value.mantissa, 31 - r.value.right_shift, r.status, Scheme::valid(r.value)};
}

template <class Scheme, class Mantissa>
derivation right(q::result<q::multiplier<Mantissa>> r) {
  return {r.value.mantissa, r.value.right_shift, r.status, Scheme::valid(r.value)};
}

/// For derivations that belong to no scheme of their own.
struct any_multiplier {
  template <class M>
  static constexpr bool valid(const M&) {
    return true;
  }
};

/// The exact rules: a negative scale gives the negative of its magnitude's multiplier, so half up is half down there.
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

float f(double x) { return static_cast<float>(x); }

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
    {"executorch::cadence", true, [](double x) { return left<any_multiplier>(q::executorch::cadence::derive(f(x))); },
     [](double x) { return oracle::derive_executorch_cadence(f(x)); }, -31, 30, true},
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
    {"fbgemm::fixed", true, [](double x) { return right<q::fbgemm::fixed>(q::fbgemm::fixed::derive(f(x))); },
     [](double x) { return oracle::derive_fbgemm_fixed(f(x)); }, 1, 63, false},
    {"xnnpack::rndnu", true, [](double x) { return right<q::xnnpack::rndnu>(q::xnnpack::rndnu::derive(f(x))); },
     [](double x) { return oracle::derive_xnnpack_rndnu(f(x)); }, 16, 55, false},
    {"xnnpack::rndnu_neon", true, [](double x) { return right<q::xnnpack::rndnu_neon>(q::xnnpack::rndnu_neon::derive(f(x))); },
     [](double x) { return oracle::derive_xnnpack_rndnu(f(x)); }, 16, 55, false},
    {"xnnpack::rndna", true, [](double x) { return right<q::xnnpack::rndna>(q::xnnpack::rndna::derive(f(x))); },
     [](double x) { return oracle::derive_xnnpack_rndnu(f(x)); }, 16, 55, false},
    {"xnnpack::rndnu16", true,
     [](double x) {
       const auto r = q::xnnpack::rndnu16::derive(f(x));
       return derivation{r.value.mantissa, 15 - r.value.right_shift, r.status, q::xnnpack::rndnu16::valid(r.value)};
     },
     [](double x) { return oracle::derive_xnnpack_rndnu16(f(x)); }, -31, 9, false},
    {"xnnpack::gemmlowp", true, [](double x) { return right<q::xnnpack::gemmlowp>(q::xnnpack::gemmlowp::derive(f(x))); },
     [](double x) {
       oracle::derived_multiplier d = oracle::derive_xnnpack_rndnu(f(x));
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

/// Scales whose mantissa is at a tie of 15, 24 and 31 bits, one step beside it, all ones, a power of two; the ends of each
/// format.
std::vector<double> edge_scales() {
  std::vector<double> all = {0.0,      -0.0,          0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023, 1.7976931348623157e308,
                             0x1p-149, 0x1.fffffep127};
  std::vector<double> mantissas = {1.0};
  for (const int bits : {14, 15, 16, 23, 24, 30, 31, 32}) {
    const double step = std::ldexp(1.0, 1 - bits);  // of a mantissa in [1, 2) with so many bits
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
  // A double that no float holds would be rounded before the rule sees it; one that overflows is tested as infinity.
  if (rule.binary32 && !std::isfinite(f(scale))) return;
  const oracle::derived_multiplier expected = rule.expected(scale);
  const derivation got = rule.library(scale);
  const bool given_negative = scale < 0 && (!rule.binary32 || f(scale) < 0);
  const bool in_range = expected.shift >= rule.least_shift && expected.shift <= rule.greatest_shift;
  // Vela's zero for a large scale is no multiplier for it.
  const bool in_limits = expected.multiplier == 0 ? std::fabs(scale) < 1 : in_range;
  const bool must_be_ok = !expected.rejected && in_limits && (!given_negative || rule.negative);
  const bool same = got.multiplier == expected.multiplier && (got.multiplier == 0 || got.shift == expected.shift);
  const auto say = [&] {
    return std::string(rule.name) + " of " + sweep::text("%a", scale) + ": got " + str(got.multiplier) + " shift " +
           str(got.shift) + " " + q::to_string(got.status) + (got.valid ? "" : " (not valid)") + ", expected " +
           str(expected.multiplier) + " shift " + str(expected.shift) + (expected.rejected ? " rejected" : "");
  };
  if (ok(got.status)) {
    const bool sign_kept = got.multiplier == 0 || given_negative == (got.multiplier < 0);
    t.check(!expected.rejected && same && got.valid && sign_kept, say);
  } else {
    t.check(!must_be_ok && (expected.rejected || same), say);
  }
}

}  // namespace

TEST_CASE("each derivation makes of a scale what the oracle makes of it") {
  const std::vector<double> edges = edge_scales();
  for (const derivation_rule& rule : derivation_rules) {
    tally t;
    generator random(seed);
    for (const double scale : edges) check_derivation(t, rule, rule.binary32 ? static_cast<double>(f(scale)) : scale);
    for (int i = 0; i < scaled_count(60000); ++i) {
      const double scale = sweep::random_real(random, rule.binary32 ? 24 : 53, -70, 70);
      check_derivation(t, rule, one_in(random, 8) ? -scale : scale);
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

TEST_CASE("real scales are composed with the roundings of their engines") {
  generator random(seed);
  tally t;
  for (int i = 0; i < scaled_count(300000); ++i) {
    const int spread = one_in(random, 4) ? 60 : 12;
    const auto scale = [&] { return f(sweep::random_real(random, 24, -spread, spread)); };
    const float input = scale(), weight = scale(), output = scale();
    const auto say = [&] {
      return sweep::text("%a", static_cast<double>(input)) + sweep::text(" %a", static_cast<double>(weight)) +
             sweep::text(" %a", static_cast<double>(output));
    };
    const q::binary64 tensor{oracle::tflite_conv_scale_per_tensor(input, weight, output)};
    const q::binary64 channel{oracle::tflite_conv_scale_per_channel(input, weight, output)};
    t.check(q::float_product_scale(input, weight, output).bits == tensor.bits, say);
    t.check(q::double_product_scale(input, weight, output).bits == channel.bits, say);
    const auto m = q::onednn::f32::derive(input, weight, output);
    const oracle::real inverse = oracle::fl32(oracle::quotient(oracle::from_integer(1), oracle::from_float(output), 24));
    t.check(ok(m.status) && q::binary64{m.value.inverse_destination}.bits == q::binary64{oracle::to_double(inverse)}.bits, say);
    const double real = sweep::random_real(random, 53, -160, 130);
    const q::result<q::binary32> narrow = q::fbgemm::floating::derive(real);
    const oracle::real rounded = oracle::fl32(oracle::from_double(real));
    t.check(ok(narrow.status) == std::isfinite(oracle::to_double(rounded)) &&
                q::binary64{narrow.value}.bits == q::binary64{oracle::to_double(rounded)}.bits,
            [&] { return sweep::text("fl32(%a)", real); });
    t.check(ok(q::xnnpack::fp32::derive(input).status) == !oracle::derive_xnnpack_rndnu(input).rejected, say);
  }
  t.finish("scale products");
}

TEST_CASE("the reciprocal of a pool's size") {
  generator random(seed);
  tally t;
  const auto check = [&t](std::uint32_t n) {
    const oracle::derived_multiplier expected = oracle::tosa_reciprocal_scale(n);
    const auto got = q::tosa::reciprocal_scale(n);
    // Of three n above 2^30 the multiplier is 2^31 or a little more, which TOSA's int32 does not hold.
    const bool exists = !expected.rejected && expected.multiplier <= sweep::highest32;
    t.check(ok(got.status) == exists &&
                (!exists || (got.value.mantissa == expected.multiplier && got.value.right_shift == expected.shift)),
            [&] { return "n = " + str(n); });
  };
  for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(scaled_count(1 << 18)); ++n) check(n);
  for (int bit = 0; bit < 32; ++bit)
    for (const std::uint32_t step : {0u, 1u, 2u, ~0u}) check((std::uint32_t{1} << bit) + step);
  for (int i = 0; i < scaled_count(300000); ++i) check(static_cast<std::uint32_t>(sweep::of_random_length(random, 32)));
  t.finish("reciprocal scales");
}

// ---- primitives

namespace {

using oracle::wide;

wide floor_of(wide x, int n) { return n == 0 ? x : oracle::divide_by_power_of_two(x, n).whole; }
wide ceiling_of(wide x, int n) { return -floor_of(-x, n); }

/// The library's shifts by one tie rule, on each width.
template <class Ties>
void check_shifts(const char* name, wide (*round)(wide, int)) {
  generator random(seed);
  tally t;
  for (int i = 0; i < scaled_count(300000); ++i) {
    const auto x = sweep::random_acc(random, sweep::lowest64, sweep::highest64);
    const std::int64_t y = one_in(random, 2) ? sweep::random_acc(random, sweep::lowest64, sweep::highest64)
                                             : std::int64_t{1} << between(random, 0, 62);
    const auto n = static_cast<int>(between(random, 0, 126));
    const auto say = [&] { return str(x) + " * " + str(y) + " >> " + str(n); };
    const wide product = oracle::clamp(round(wide{x} * y, n), sweep::lowest64, sweep::highest64);
    t.check(q::shift_right_saturated<Ties>(q::multiply(x, y), n) == product, say);
    // Many ties: few bits are set.
    const std::int64_t few = x & (x >> 1) & y;
    t.check(q::shift_right<Ties>(few, n % 64) == round(few, n % 64), say);
    t.check(q::shift_right<Ties>(x, n % 64) == round(x, n % 64), say);
    const auto bits = static_cast<std::uint64_t>(x);
    t.check(q::shift_right<Ties>(bits, n % 64) == static_cast<std::uint64_t>(round(static_cast<wide>(bits), n % 64)), say);
    const auto narrow = static_cast<std::int32_t>(x >> 32);
    t.check(q::shift_right<Ties>(narrow, n % 32) == round(narrow, n % 32), say);
  }
  t.finish(name);
}

}  // namespace

TEST_CASE("a right shift obeys its tie rule in every width") {
  check_shifts<q::half_up>("shifts half_up", oracle::half_up<wide>);
  check_shifts<q::half_away>("shifts half_away", oracle::half_away<wide>);
  check_shifts<q::half_even>("shifts half_even", oracle::half_even<wide>);
  check_shifts<q::half_to_zero>("shifts half_to_zero", oracle::half_toward_zero<wide>);
  check_shifts<q::to_floor>("shifts to_floor", floor_of);
  check_shifts<q::to_ceiling>("shifts to_ceiling", ceiling_of);
}

TEST_CASE("gemmlowp's int16 primitives, every first operand") {
  tally t;
  std::vector<std::int16_t> seconds = {-32768, -32767, -16385, -16384, -2, -1, 0, 1, 2, 3, 16383, 16384, 16385, 32766, 32767};
  generator random(seed);
  while (seconds.size() < 64) seconds.push_back(static_cast<std::int16_t>(between(random, -32768, 32767)));
  if (scale_down > 1) seconds.resize(15);
  for (int a = -32768; a <= 32767; ++a) {
    const auto x = static_cast<std::int16_t>(a);
    for (const std::int16_t b : seconds)
      t.check(q::gemmlowp::saturating_rounding_doubling_high_mul(x, b) == oracle::gemmlowp_srdhm_i16(x, b),
              [&] { return "high_mul " + str(a) + " " + str(b); });
    for (int exponent = 0; exponent <= 15; ++exponent)
      t.check(q::gemmlowp::rounding_divide_by_pot(x, exponent) == oracle::gemmlowp_rounding_divide_by_pot_i16(x, exponent),
              [&] { return "divide " + str(a) + " " + str(exponent); });
  }
  t.finish("int16 primitives");
}

// ---- TOSA RESCALE

namespace {

q::tosa::element element_of(int bits) {
  using q::tosa::element;
  return bits == 8 ? element::i8 : bits == 16 ? element::i16 : bits == 32 ? element::i32 : element::i48;
}

struct rescale_case {
  oracle::tosa_rescale_attributes foreign;
  q::tosa::rescale_attributes own;
  std::int64_t value;
  std::int32_t input_zero_point;
  std::int32_t output_zero_point;
  q::multiplier32 m;

  std::string describe() const {
    return "i" + str(foreign.input_bits) + (foreign.input_unsigned ? "u" : "") + " to i" + str(foreign.output_bits) +
           (foreign.output_unsigned ? "u" : "") + (foreign.scale32 ? " scale32" : " scale16") + " rounding " +
           str(static_cast<int>(foreign.rounding)) + " value " + str(value) + " zero points " + str(input_zero_point) + " " +
           str(output_zero_point) + " multiplier " + str(m.mantissa) + " shift " + str(m.right_shift);
  }
};

/// Mostly legal, now and then with attributes, zero points, multiplier or shift that are not.
rescale_case random_rescale(generator& random, bool inexact) {
  rescale_case c{};
  oracle::tosa_rescale_attributes& a = c.foreign;
  const int inputs[] = {8, 16, 32, 48};
  a.input_bits = inputs[random() % 4];
  a.output_bits = inputs[random() % 3];
  a.scale32 = a.input_bits == 48 ? one_in(random, 16) : !one_in(random, 3);
  a.input_unsigned = one_in(random, a.input_bits <= 16 ? 3 : 16);
  a.output_unsigned = one_in(random, a.output_bits <= 16 && !a.input_unsigned ? 3 : 16);
  a.rounding = inexact     ? oracle::tosa_rounding::inexact_round
               : a.scale32 ? (one_in(random, 2) ? oracle::tosa_rounding::double_round : oracle::tosa_rounding::single_round)
                           : (one_in(random, 16) ? oracle::tosa_rounding::double_round : oracle::tosa_rounding::single_round);
  const auto zero_point = [&](int bits, bool is_unsigned) -> std::int32_t {
    const std::int32_t low = is_unsigned ? 0 : -128;
    if (one_in(random, 32)) return static_cast<std::int32_t>(between(random, -40000, 40000));
    if (bits == 8 && one_in(random, 2)) {
      const std::int32_t beyond = one_in(random, 8) ? 1 : 0;
      return static_cast<std::int32_t>(between(random, low - beyond, low + 255 + beyond));
    }
    if (bits >= 16 && one_in(random, is_unsigned ? 2 : 64)) return 32768;
    return 0;
  };
  c.input_zero_point = zero_point(a.input_bits, a.input_unsigned);
  c.output_zero_point = zero_point(a.output_bits, a.output_unsigned);
  const std::int64_t half = std::int64_t{1} << (a.input_bits - 1);
  const std::int64_t low = a.input_unsigned ? 0 : -half;
  const std::int64_t high = low + 2 * half - 1;
  c.value = one_in(random, 8) ? low : one_in(random, 8) ? high : sweep::random_acc(random, low, high);

  const int bits = a.scale32 ? 31 : 15;
  c.m.mantissa = static_cast<std::int32_t>(sweep::random_mantissa(random, bits));
  // Near the shift that makes the result fill the output, where ties and saturation are.
  const int input_length = oracle::bit_length(static_cast<oracle::unsigned_wide>(c.value < 0 ? -c.value : c.value));
  const int matching = input_length + bits - a.output_bits + 1;
  c.m.right_shift = static_cast<std::int32_t>(
      one_in(random, 3) ? between(random, 0, 64)
                        : std::min(64, std::max(0, matching + static_cast<int>(between(random, -4, a.output_bits)))));
  if (a.input_bits == 48 && one_in(random, 8)) {
    // A result at the end of int32, where the output zero point may leave it.
    c.m = {1 << 14, 14};
    c.value = (std::int64_t{1} << 31) - between(random, 0, 300);
    if (one_in(random, 2)) c.value = -c.value;
  }
  if (!inexact && one_in(random, 64)) c.m.mantissa = -c.m.mantissa - 1;
  if (!inexact && !a.scale32 && one_in(random, 64)) c.m.mantissa += 32768;

  c.own.input = element_of(a.input_bits);
  c.own.output = element_of(a.output_bits);
  c.own.input_unsigned = a.input_unsigned;
  c.own.output_unsigned = a.output_unsigned;
  c.own.scale32 = a.scale32;
  c.own.rounding = inexact                                             ? q::tosa::rounding_mode::inexact_round
                   : a.rounding == oracle::tosa_rounding::double_round ? q::tosa::rounding_mode::double_round
                                                                       : q::tosa::rounding_mode::single_round;
  c.own.input_zero_point = c.input_zero_point;
  c.own.output_zero_point = c.output_zero_point;
  return c;
}

oracle::tosa_status foreign(q::status s) {
  if (s == q::status::illegal_operator) return oracle::tosa_status::error_if;
  if (s == q::status::unpredictable) return oracle::tosa_status::require;
  REQUIRE(ok(s));
  return oracle::tosa_status::ok;
}

}  // namespace

TEST_CASE("RESCALE with any attributes equals the specification") {
  generator random(seed);
  tally t;
  std::uint64_t of_status[3] = {};
  for (int i = 0; i < scaled_count(3000000); ++i) {
    const rescale_case c = random_rescale(random, false);
    const auto got = q::tosa::rescale(c.own, c.value, c.m);
    const oracle::tosa_rescaled expected =
        oracle::tosa_rescale(c.foreign, c.value, c.input_zero_point, c.output_zero_point, c.m.mantissa, c.m.right_shift);
    of_status[static_cast<int>(expected.status)]++;
    t.check(foreign(got.status) == expected.status && got.value == expected.value, [&] {
      return c.describe() + ": got " + str(got.value) + " " + q::to_string(got.status) + ", expected " + str(expected.value) +
             " status " + str(static_cast<int>(expected.status));
    });
  }
  t.finish("RESCALE");
  for (const std::uint64_t n : of_status) CHECK(n > 0);
}

TEST_CASE("INEXACT_ROUND gives the reference model's value and bounds") {
  generator random(seed);
  tally t;
  for (int i = 0; i < scaled_count(1000000); ++i) {
    const rescale_case c = random_rescale(random, true);
    const auto got = q::tosa::rescale_inexact(c.own, c.value, c.m);
    const bool legal = !oracle::detail::tosa_error_if(c.foreign, c.input_zero_point, c.output_zero_point);
    const oracle::tosa_inexact expected = legal ? oracle::tosa_rescale_inexact(c.foreign, c.value, c.input_zero_point,
                                                                               c.output_zero_point, c.m.mantissa, c.m.right_shift)
                                                : oracle::tosa_inexact{0, 0, 0};
    t.check(ok(got.status) == legal && got.value.reference == expected.fp32_reference && got.value.min == expected.allowed_min &&
                got.value.max == expected.allowed_max,
            [&] {
              return c.describe() + ": got " + str(got.value.reference) + " in " + str(got.value.min) + ".." +
                     str(got.value.max) + ", expected " + str(expected.fp32_reference) + " in " + str(expected.allowed_min) +
                     ".." + str(expected.allowed_max);
            });
  }
  t.finish("inexact RESCALE");
}

// ---- operators of other publishers

TEST_CASE("XNNPACK's conversion equals the oracle for each input") {
  generator random(seed);
  tally t;
  for (int i = 0; i < scaled_count(4000); ++i) {
    const auto ratio = f(sweep::random_real(random, 24, -10, 8));
    const bool tie = one_in(random, 4);  // 256 times the ratio is an integer and a half
    const float output_scale =
        tie ? f(std::ldexp(1.0, static_cast<int>(between(random, -20, 10)))) : f(sweep::random_real(random, 24, -20, 10));
    const float input_scale = output_scale * (tie ? (static_cast<float>(between(random, 0, 33000)) + 0.5f) / 256 : ratio);
    const auto zero_point = [&] { return static_cast<std::int32_t>(between(random, -128, 127)); };
    const std::int32_t input_zp = zero_point(), output_zp = zero_point();
    const auto c = q::xnnpack::convert::derive(input_scale, input_zp, output_scale, output_zp);
    const oracle::real exact =
        oracle::fl32(oracle::quotient(oracle::from_float(input_scale), oracle::from_float(output_scale), 24));
    const double fl32_ratio = oracle::to_double(exact);
    const bool legal = fl32_ratio >= 0x1p-8 && fl32_ratio <= 128;
    const auto where = [&] {
      return sweep::text("input scale %a", static_cast<double>(input_scale)) +
             sweep::text(" output scale %a", static_cast<double>(output_scale)) + " zero points " + str(input_zp) + " " +
             str(output_zp);
    };
    t.check(ok(c.status) == legal, where);
    if (!legal) continue;
    for (int x = -128; x <= 127; ++x) {
      const oracle::xnnpack_converted expected = oracle::xnnpack_qs8_vcvt(x, input_scale, input_zp, output_scale, output_zp);
      t.check(c.value.ratio.mantissa == expected.multiplier && c.value(static_cast<std::int8_t>(x)) == expected.value,
              [&] { return where() + " x " + str(x); });
    }
  }
  t.finish("XNNPACK conversions");
}

TEST_CASE("XNNPACK's addition equals the oracle") {
  generator random(seed);
  tally t;
  for (int i = 0; i < scaled_count(20000); ++i) {
    const auto scale = [&](int low, int high) { return f(sweep::random_real(random, one_in(random, 3) ? 8 : 24, low, high)); };
    const float output_scale = scale(-6, 6);
    const float a_scale = scale(-14, 12), b_scale = scale(-14, 12);
    const auto int8 = [&] {
      return static_cast<std::int32_t>(one_in(random, 8) ? -128 : one_in(random, 8) ? 127 : between(random, -128, 127));
    };
    const std::int32_t a_zp = int8(), b_zp = int8(), output_zp = int8();
    const auto add = q::xnnpack::add::derive(a_scale, a_zp, b_scale, b_zp, output_scale, sweep::int8_range(output_zp));
    const auto where = [&] {
      return sweep::text("a %a", static_cast<double>(a_scale)) + sweep::text(" b %a", static_cast<double>(b_scale)) +
             sweep::text(" output %a", static_cast<double>(output_scale)) + " zero points " + str(a_zp) + " " + str(b_zp) + " " +
             str(output_zp);
    };
    for (int k = 0; k < 50; ++k) {
      const std::int32_t a = int8(), b = int8();
      const oracle::xnnpack_added expected =
          oracle::xnnpack_qs8_vadd(a, a_scale, a_zp, b, b_scale, b_zp, output_scale, output_zp);
      const bool legal = expected.shift >= 12 && expected.shift <= 30;
      if (!legal) {
        t.check(!ok(add.status), where);
        break;
      }
      t.check(ok(add.status) && add.value.a_mantissa == expected.a_multiplier && add.value.b_mantissa == expected.b_multiplier &&
                  add.value.right_shift == expected.shift &&
                  add.value(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)) == expected.value,
              [&] { return where() + " x " + str(a) + " " + str(b); });
    }
  }
  t.finish("XNNPACK additions");
}

TEST_CASE("ONNX quantizes by its text and by its reference evaluator") {
  generator random(seed);
  tally t;
  std::uint64_t apart = 0;
  for (int i = 0; i < scaled_count(1000000); ++i) {
    const auto y_scale = f(sweep::random_real(random, one_in(random, 2) ? 3 : 24, -12, 6));
    float x = f(sweep::random_real(random, one_in(random, 2) ? 8 : 24, -20, 20));
    if (one_in(random, 2)) x = (static_cast<float>(between(random, -300, 300)) + 0.5f) * y_scale;
    if (one_in(random, 64)) x = 0;
    if (one_in(random, 256)) x = std::numeric_limits<float>::infinity();
    if (one_in(random, 2)) x = -x;
    const q::output_range range = sweep::random_range(random, sweep::widest::int16);
    const auto where = [&] {
      return sweep::text("x %a", static_cast<double>(x)) + sweep::text(" scale %a", static_cast<double>(y_scale)) +
             " zero point " + str(range.zero_point);
    };
    const std::int32_t text = oracle::onnx_quantize_linear(x, y_scale, range.zero_point, range.min, range.max);
    const std::int32_t reference = oracle::onnx_quantize_linear_reference(x, y_scale, range.zero_point, range.min, range.max);
    apart += text != reference ? 1u : 0u;
    t.check(q::onnx::quantize_linear(x, y_scale, range) == text, where);
    t.check(q::onnx::quantize_linear_reference(x, y_scale, range) == reference, where);
  }
  t.finish("ONNX quantizations");
  CHECK(apart > 0);
}

TEST_CASE("ExecuTorch's bias after int32 equals the oracle") {
  generator random(seed);
  tally t;
  std::uint64_t results = 0;
  for (int i = 0; i < scaled_count(500000); ++i) {
    const std::int64_t acc = one_in(random, 64)   ? sweep::lowest64
                             : one_in(random, 64) ? sweep::highest64
                             : one_in(random, 16) ? sweep::random_acc(random, sweep::lowest64, sweep::highest64)
                                                  : sweep::random_acc(random, sweep::lowest32, sweep::highest32);
    const auto bias = static_cast<std::int32_t>(sweep::random_acc(random, sweep::lowest32, sweep::highest32));
    const double bias_scale = one_in(random, 64) ? 0.0 : sweep::random_real(random, 24, -40, 4);
    const double output_scale = sweep::random_real(random, 24, -40, 4);
    const auto got = q::executorch::arm::bias_after_int32(acc, bias, bias_scale, output_scale);
    const oracle::a16w8_bias_after expected = oracle::executorch_arm_a16w8_bias_after_int32(acc, bias, bias_scale, output_scale);
    results += ok(got.status) ? 1u : 0u;
    t.check(ok(got.status) == (expected.status == oracle::tosa_status::ok) && got.value.value == expected.value &&
                got.value.multiplier.mantissa == expected.multiplier && got.value.multiplier.right_shift == expected.shift,
            [&] {
              return "acc " + str(acc) + " bias " + str(bias) + sweep::text(" bias scale %a", bias_scale) +
                     sweep::text(" output scale %a", output_scale) + ": got " + str(got.value.value) + " " +
                     q::to_string(got.status) + ", expected " + str(expected.value);
            });
  }
  t.finish("biases after int32");
  CHECK(results > 0);
}

TEST_CASE("one int48 accumulator through three engines equals the oracle") {
  generator random(seed);
  tally t;
  for (int i = 0; i < scaled_count(500000); ++i) {
    const std::int64_t acc = sweep::random_acc(random, -(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1);
    const double scale = sweep::random_real(random, one_in(random, 4) ? 17 : 53, -31, 6);
    const oracle::a16w8_engines expected = oracle::a16w8_int48_to_i16(acc, scale);
    const auto where = [&] { return "acc " + str(acc) + sweep::text(" scale %a", scale); };
    const auto tosa = q::tosa::scale16::derive(scale);
    const bool legal = q::tosa::scale16::valid(acc, tosa.value);
    const q::output_range range = q::range_of<std::int16_t>();
    t.check(tosa.value.mantissa == expected.tosa.multiplier && tosa.value.right_shift == expected.tosa.shift, where);
    t.check(legal == (expected.tosa_result.status == oracle::tosa_status::ok) &&
                (!legal || q::requantize<q::tosa::scale16>(acc, tosa.value, range) == expected.tosa_result.value),
            where);
    const q::multiplier32 q31 = q::tflite::double_rounding::derive(scale).value;
    const q::multiplier16 reduced = q::tflite::reduce(q31);
    t.check(q::tflite::to_pair(q31).multiplier == expected.tflite.multiplier &&
                q::tflite::to_pair(q31).shift == expected.tflite.shift,
            where);
    t.check(reduced == q::tosa::scale16::from(q::tflite::to_pair(q31)), where);
    t.check(q::requantize<q::tflite::reduced_int64>(acc, reduced, range) == expected.tflite_result, where);
    t.check(q::requantize<q::cmsis_nn::requantize_s64>(acc, reduced, range) == expected.cmsis_result, where);
  }
  t.finish("a16w8 results");
}

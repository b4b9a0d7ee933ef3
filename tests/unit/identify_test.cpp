#include <dyadic/identify.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "../oracle/requantize.hpp"
#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

using std::int32_t;
using std::int64_t;

// Functions that share no code with the library. The oracle computes the derivation of each publisher, then the publisher's rule.

constexpr int32_t lowest = std::numeric_limits<int32_t>::min();
constexpr int32_t highest = std::numeric_limits<int32_t>::max();

int32_t narrow(int64_t x) { return static_cast<int32_t>(x); }
int64_t to_int8(int64_t y) { return y < -128 ? -128 : y > 127 ? 127 : y; }
int64_t saturated(int64_t y) { return y < lowest ? lowest : y > highest ? highest : y; }

template <auto Rule>
int64_t by_tflite(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_tflite_double(scale);
  return Rule(narrow(acc), narrow(m.multiplier), m.shift);
}
template <auto Rule>
int64_t by_xnnpack(int64_t acc, double scale) {
  return Rule(narrow(acc), static_cast<float>(scale), 0, lowest, highest);
}
template <auto Rule>
int64_t by_exact(int64_t acc, double scale) {
  const oracle::real value = oracle::from_double(scale);
  const int drop = oracle::bit_length(value.significand) - 31;
  const oracle::wide all = static_cast<oracle::wide>(value.significand);
  // The mantissa is rounded by the tie rule of the scheme.
  const int64_t mantissa = drop > 0 ? Rule(static_cast<int64_t>(all), 1, drop) : static_cast<int64_t>(all);
  return saturated(Rule(acc, mantissa, -(value.exponent + (drop > 0 ? drop : 0))));
}
int64_t tosa_scale32(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_executorch_arm_tosa32(scale);
  return saturated(oracle::exact_half_up(acc, m.multiplier, m.shift));
}
int64_t tosa_scale32_double_round(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_executorch_arm_tosa32(scale);
  return oracle::tflite_double(narrow(acc), narrow(m.multiplier), 31 - m.shift);
}
int64_t tosa_scale16(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_executorch_arm_tosa16(scale);
  return saturated(oracle::exact_half_up(acc, m.multiplier, m.shift));
}
int64_t tflite_reduced(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_tflite_double(scale);
  return oracle::tflite_reduced_i64(acc, narrow(m.multiplier), m.shift);
}
int64_t cmsis_s64(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_tflite_double(scale);
  return oracle::cmsis_requantize_s64(acc, oracle::reduce_multiplier_q31_to_q15(narrow(m.multiplier)), m.shift);
}
int64_t tflite_double_scale(int64_t acc, double scale) { return oracle::tflite_f64(acc, scale, 0, lowest, highest); }
int64_t fbgemm_fixed(int64_t acc, double scale) {
  const oracle::derived_multiplier m = oracle::derive_fbgemm_fixed(static_cast<float>(scale));
  return oracle::fbgemm_fixed(narrow(acc), 0, narrow(m.multiplier), m.shift, lowest, highest);
}
int64_t fbgemm_floating(int64_t acc, double scale) {
  return oracle::fbgemm_float(narrow(acc), 0, static_cast<float>(scale), lowest, highest);
}
int64_t onednn_f32(int64_t acc, double scale) {
  return oracle::onednn_f32(narrow(acc), static_cast<float>(scale), 1.0f, 1.0f, 0, lowest, highest);
}

struct known_function {
  int64_t (*f)(int64_t acc, double scale);
  const char* name;
  const char* remaining;  ///< all schemes with equal results for the scales to try
};

constexpr const char* double_roundings = "tflite::double_rounding cmsis_nn::double_rounding cmsis_nn::mve_double_rounding";
constexpr const char* singles =
    "tflite::single_rounding tflite::neon_single_rounding cmsis_nn::single_rounding cmsis_nn::mve_single_rounding ruy::reference "
    "exact::half_up";
constexpr const char* neon_doubles = "tflite::neon_double_rounding ruy::x86_simd";
constexpr const char* floats = "fbgemm::floating xnnpack::fp32 onednn::f32 onnx::mlas";
constexpr const char* of_24_bits = "fbgemm::fixed xnnpack::rndnu xnnpack::rndnu_neon";
constexpr const char* double_scales = "tflite::double_scale<int32> tflite::double_scale<int64>";
constexpr const char* reduced = "tflite::reduced_int64 cmsis_nn::requantize_s64";

constexpr known_function known[] = {
    {by_tflite<oracle::tflite_double>, "tflite::double_rounding", double_roundings},
    {by_tflite<oracle::tflite_single>, "tflite::single_rounding", singles},
    {by_tflite<oracle::tflite_neon_double>, "tflite::neon_double_rounding", neon_doubles},
    {by_tflite<oracle::tflite_neon_single>, "tflite::neon_single_rounding", singles},
    {by_tflite<oracle::tflite_avx2>, "tflite::avx2", "tflite::avx2"},
    {tflite_reduced, "tflite::reduced_int64", reduced},
    {tflite_double_scale, "tflite::double_scale<int32>", double_scales},
    {tflite_double_scale, "tflite::double_scale<int64>", double_scales},
    {by_tflite<oracle::cmsis_double>, "cmsis_nn::double_rounding", double_roundings},
    {by_tflite<oracle::cmsis_single>, "cmsis_nn::single_rounding", singles},
    {by_tflite<oracle::cmsis_mve_double>, "cmsis_nn::mve_double_rounding", double_roundings},
    {by_tflite<oracle::cmsis_mve_single>, "cmsis_nn::mve_single_rounding", singles},
    {by_tflite<oracle::cmsis_mve_single_predicated>, "cmsis_nn::mve_predicated_single_rounding",
     "cmsis_nn::mve_predicated_single_rounding"},
    {cmsis_s64, "cmsis_nn::requantize_s64", reduced},
    {fbgemm_fixed, "fbgemm::fixed", of_24_bits},
    {fbgemm_floating, "fbgemm::floating", floats},
    {tosa_scale32, "tosa::scale32", "tosa::scale32"},
    {tosa_scale32_double_round, "tosa::scale32_double_round", "tosa::scale32_double_round"},
    {tosa_scale16, "tosa::scale16", "tosa::scale16"},
    {by_tflite<oracle::ruy_reference>, "ruy::reference", singles},
    {by_tflite<oracle::ruy_x86_simd>, "ruy::x86_simd", neon_doubles},
    {by_xnnpack<oracle::xnnpack_fp32>, "xnnpack::fp32", floats},
    {by_xnnpack<oracle::xnnpack_rndnu>, "xnnpack::rndnu", of_24_bits},
    {by_xnnpack<oracle::xnnpack_rndnu_neon>, "xnnpack::rndnu_neon", of_24_bits},
    {by_xnnpack<oracle::xnnpack_rndnu16>, "xnnpack::rndnu16", "xnnpack::rndnu16"},
    {by_xnnpack<oracle::xnnpack_rndna_removed>, "xnnpack::rndna", "xnnpack::rndna"},
    {by_xnnpack<oracle::xnnpack_gemmlowp_removed>, "xnnpack::gemmlowp", "xnnpack::gemmlowp"},
    {onednn_f32, "onednn::f32", floats},
    {by_xnnpack<oracle::onnxruntime_mlas>, "onnx::mlas", floats},
    {by_exact<oracle::exact_half_up>, "exact::half_up", singles},
    {by_exact<oracle::exact_half_away>, "exact::half_away", "exact::half_away"},
    {by_exact<oracle::exact_half_even>, "exact::half_even", "exact::half_even"},
};

constexpr double some_scales[] = {0.25, 0.0235, 1.5};

std::string remaining(const q::identification& all) {
  std::string names;
  for (const q::candidate& c : all.schemes)
    if (c.remains()) names += (names.empty() ? "" : " ") + std::string(c.name);
  return names;
}
q::candidate named(const q::identification& all, const std::string& name) {
  for (const q::candidate& c : all.schemes)
    if (c.name == name) return c;
  return {};
}
int64_t output_of(const std::string& name, int64_t acc, double scale) {
  for (const known_function& one : known)
    if (one.name == name) return one.f(acc, scale);
  return highest;
}

// Computed by the compiler.

constexpr int64_t half_up_of_half(int64_t acc, q::multiplier32) { return (acc + 1) >> 1; }
constexpr q::multiplier32 half[] = {{1 << 30, 31}};
constexpr auto in_compiler = q::identify(half_up_of_half, half, q::interval{-4, 4});
static_assert(in_compiler.status == q::status::ok && in_compiler.value.points == 9 && !in_compiler.value.is_sampled);
static_assert(in_compiler.value.schemes[1].remains() && in_compiler.value.schemes[1].compared == 9);  // tflite::single_rounding
// tflite::double_rounding gives equal results, because nothing is shifted off after bit 31. tflite::avx2 takes the floor.
static_assert(in_compiler.value.schemes[0].remains() && in_compiler.value.schemes[4].first.acc == 1);
static_assert(in_compiler.value.schemes[4].first.a == 1 && in_compiler.value.schemes[4].first.b == 0);

constexpr int64_t two_accs[] = {6, -6};
constexpr double quarter[] = {0.25};
constexpr std::int8_t two_outputs[] = {2, -2};
constexpr auto recorded = q::identify(two_accs, quarter, two_outputs);
static_assert(recorded.status == q::status::ok && recorded.value.points == 2 && recorded.value.schemes[0].remains());
static_assert(!recorded.value.schemes[1].remains() && recorded.value.schemes[1].first.acc == -6);
constexpr auto next = q::next_question(recorded.value, quarter, q::interval{-100, 100});
static_assert(next.status == q::status::ok && next.value.at.a != next.value.at.b && next.value.index == 0);

}  // namespace

TEST_CASE("each scheme is identified from its published formula, on all accumulators of a small range", "[search]") {
  CHECK(std::size(known) == static_cast<std::size_t>(q::scheme_count));
  for (q::index_t i = 0; i < q::scheme_count; ++i) {
    const known_function& one = known[i];
    INFO(one.name);
    REQUIRE(one.name == std::string(q::all_schemes.names[i]));
    const auto found = q::identify([&](int64_t acc, double scale) { return to_int8(one.f(acc, scale)); }, q::scales_to_try,
                                   q::interval{-600, 600}, q::range_of<std::int8_t>());
    REQUIRE(found.status == q::status::ok);
    CHECK(!found.value.is_sampled);
    CHECK(found.value.points == 1201 * std::size(q::scales_to_try));
    CHECK(named(found.value, one.name).remains());
  }
}

TEST_CASE("a function that is not a known rule equals no scheme", "[search]") {
  const auto none = [](int64_t (*f)(int64_t acc, double scale)) {
    for (const q::interval accs : {q::interval{-600, 600}, q::all_int32()}) {
      const auto found = q::identify(f, some_scales, accs);
      CHECK(found.status == q::status::ok);
      CHECK(remaining(found.value).empty());
    }
  };
  using function = int64_t (*)(int64_t, double);
  const function floors = [](int64_t acc, double scale) {
    return static_cast<int64_t>(std::floor(static_cast<double>(acc) * scale));
  };
  const function to_zero = [](int64_t acc, double scale) { return static_cast<int64_t>(static_cast<double>(acc) * scale); };
  const function half_down = [](int64_t acc, double scale) {
    return static_cast<int64_t>(std::ceil(static_cast<double>(acc) * scale - 0.5));
  };
  const function zero = [](int64_t, double) { return int64_t{0}; };
  const function negative = [](int64_t acc, double scale) { return -tosa_scale32(acc, scale); };
  for (const function f : {floors, to_zero, half_down, zero, negative}) none(f);
}

TEST_CASE("a function that differs from a scheme at one boundary does not equal it", "[search]") {
  // All int32 accumulators: `identify` always tries the boundaries between outputs of 8 bits.
  const auto range = q::range_of<std::int8_t>();
  const double scale[] = {0.0235};
  const auto plain = [](int64_t acc) { return to_int8(tosa_scale32(acc, 0.0235)); };
  REQUIRE(named(q::identify([&](int64_t acc, double) { return plain(acc); }, scale, q::all_int32(), range).value, "tosa::scale32")
              .remains());
  int boundaries = 0;
  for (int64_t acc = -5600; acc < 5600; ++acc) {
    if (plain(acc) == plain(acc + 1)) continue;
    if (++boundaries % 32 != 0 && plain(acc) != -128 && plain(acc + 1) != 127) continue;
    // An accumulator beside the boundary has its neighbour's output.
    for (const int64_t at : {acc, acc + 1}) {
      const auto off = [&](int64_t x, double) { return x != at ? plain(x) : plain(at == acc ? acc + 1 : acc); };
      const auto found = q::identify(off, scale, q::all_int32(), range);
      const q::candidate c = named(found.value, "tosa::scale32");
      CHECK(c.differing != 0);
      CHECK((c.first.acc == at && c.first.a == off(at, 0.0235) && c.first.b == plain(at)));
    }
  }
  CHECK(boundaries == 255);
}

TEST_CASE("a rounding constant that is off by a power of two is noticed where it changes an output", "[search]") {
  // Computes (acc * m + R) >> t for a given multiplier. R is 2^(t-1) for one rounding with ties up.
  const q::multiplier32 m[] = {{1431655765, 34}, {1 << 30, 33}, {(1 << 30) + 1, 31}};
  const auto scaled = [](int64_t acc, q::multiplier32 by, int64_t off) {
    return (acc * by.mantissa + (int64_t{1} << (by.right_shift - 1)) + off) >> by.right_shift;
  };
  int seen = 0;
  int unseen = 0;
  for (int k = 0; k < 34; ++k)
    for (const int64_t off : {int64_t{1} << k, -(int64_t{1} << k)}) {
      bool differs = false;
      for (const q::multiplier32 by : m)
        for (int64_t acc = -700; acc <= 700; ++acc) differs = differs || scaled(acc, by, off) != scaled(acc, by, 0);
      (differs ? seen : unseen) += 1;
      const auto found =
          q::identify([&](int64_t acc, q::multiplier32 by) { return scaled(acc, by, off); }, m, q::interval{-700, 700});
      INFO(off);
      for (const char* name : {"tflite::single_rounding", "tosa::scale32", "fbgemm::fixed", "exact::half_up"}) {
        INFO(name);
        CHECK(named(found.value, name).remains() == !differs);
      }
    }
  CHECK((seen == 68 && unseen == 0));
}

TEST_CASE("the first difference is the smallest accumulator of a small range") {
  const double scale[] = {0.25};
  const auto found = q::identify(by_tflite<oracle::tflite_double>, scale, q::interval{-50, 20});
  const q::candidate c = named(found.value, "tosa::scale32");
  std::uint64_t differing = 0;
  for (int64_t acc = -50; acc <= 20; ++acc) differing += by_tflite<oracle::tflite_double>(acc, 0.25) != tosa_scale32(acc, 0.25);
  CHECK((c.compared == 71 && c.differing == differing && c.first.acc == 1 && c.first.a == 1 && c.first.b == 0));
  CHECK((c.multiplier.scale.to_double() == 0.25 && c.multiplier.mantissa == 0 && c.multiplier.right_shift == 0));
}

TEST_CASE("identify takes a zero point and a clamp of the outputs") {
  // oneDNN adds the zero point before it rounds, so that with an odd zero point ties to even go to the other neighbour.
  const double scale[] = {0.5};
  const auto plain = [](int64_t acc, double by) {
    return int64_t{oracle::fbgemm_float(narrow(acc), 3, static_cast<float>(by), -128, 127)};
  };
  const auto inside = [](int64_t acc, double by) {
    return int64_t{oracle::onednn_f32(narrow(acc), static_cast<float>(by), 1.0f, 1.0f, 3, -128, 127)};
  };
  const q::interval accs{-400, 400};
  const auto range = q::range_of<std::int8_t>(3);
  CHECK(remaining(q::identify(plain, scale, accs, range).value) == "fbgemm::floating xnnpack::fp32 onnx::mlas exact::half_even");
  CHECK(remaining(q::identify(inside, scale, accs, range).value) == "onednn::f32");
  CHECK(remaining(q::identify(plain, scale, accs, q::range_of<std::int8_t>(2)).value).empty());
  // `identify` also tries the upper bound.
  const auto short_of_one = [&](int64_t acc, double by) { return std::min<int64_t>(plain(acc, by), 126); };
  CHECK(remaining(q::identify(short_of_one, scale, q::all_int32(), range).value).empty());
  CHECK(!remaining(q::identify(short_of_one, scale, q::all_int32(), {3, -128, 126}).value).empty());
}

TEST_CASE("multipliers are taken by a scheme as they are, or as their exact value") {
  const q::multiplier32 whole[] = {{0x1234'5678, 35}};
  const auto found = q::identify(
      [](int64_t acc, q::multiplier32 m) {
        return int64_t{oracle::tflite_reduced_i64(acc, m.mantissa * 4, 31 - 2 - m.right_shift)};
      },
      whole, q::interval{-30000, 30000});
  CHECK(named(found.value, "tflite::reduced_int64").remains());
  CHECK(named(found.value, "tosa::scale32").differing != 0);
  // Schemes of 31 bits also accept mantissas of 15 bits, which they first shift to the left.
  const q::multiplier16 of_15_bits[] = {{20000, 17}};
  const auto by_15_bits = q::identify([](int64_t acc, q::multiplier16 m) { return (acc * m.mantissa + (1 << 16)) >> 17; },
                                      of_15_bits, q::interval{-20000, 20000});
  CHECK(named(by_15_bits.value, "tosa::scale16").remains());
  CHECK(named(by_15_bits.value, "exact::half_up").remains());
  CHECK(named(by_15_bits.value, "exact::half_away").differing != 0);
  const q::any_multiplier any[] = {{20000, 17, {}}, {0, 0, 0.25}};
  const auto of_any = q::identify(
      [](int64_t acc, const q::any_multiplier& m) { return m.mantissa == 0 ? (acc + 2) >> 2 : (acc * 20000 + (1 << 16)) >> 17; },
      any, q::interval{-2000, 2000});
  CHECK(named(of_any.value, "exact::half_up").compared == 2 * 4001);
  CHECK(named(of_any.value, "exact::half_up").remains());
}

TEST_CASE("the multipliers to try are the scales to try, rounded to 31 bits") {
  REQUIRE(std::size(q::multipliers_to_try) == std::size(q::scales_to_try));
  for (std::size_t i = 0; i < std::size(q::scales_to_try); ++i) {
    const oracle::derived_multiplier d = oracle::derive_tflite_double(q::scales_to_try[i]);
    CHECK(q::multipliers_to_try[i] == q::multiplier32{narrow(d.multiplier), 31 - d.shift});
  }
}

TEST_CASE("a scheme that refuses a scale is not tried with it, and says why") {
  const auto status_of = [](double scale, const char* name) {
    const double one[] = {scale};
    const auto found = q::identify([](int64_t, double) { return 0; }, one, q::interval{-10, 10});
    CHECK(found.status == q::status::ok);
    const q::candidate c = named(found.value, name);
    CHECK((c.compared == 0 && c.differing == 0 && !c.remains()));
    CHECK(std::string(q::to_string(found).c_str()).find("not tried: " + std::string(name) + ", " + q::to_string(c.status)) !=
          std::string::npos);
    return c.status;
  };
  CHECK(status_of(-0.5, "tosa::scale32") == q::status::scale_negative);
  CHECK(status_of(0.0, "xnnpack::fp32") == q::status::scale_zero);
  CHECK(status_of(300.0, "xnnpack::fp32") == q::status::scale_too_large);
  CHECK(status_of(0x1p-40, "xnnpack::rndnu") == q::status::scale_too_small);
  for (const known_function& one : known) {
    CHECK(status_of(std::numeric_limits<double>::quiet_NaN(), one.name) == q::status::scale_not_finite);
    CHECK(status_of(std::numeric_limits<double>::infinity(), one.name) == q::status::scale_not_finite);
  }
  // Most schemes reject accumulators of more than 32 bits.
  const std::vector<int64_t> wide{int64_t{1} << 33};
  const auto of_wide = q::identify(wide, quarter, wide);
  CHECK(named(of_wide.value, "tosa::scale32").status == q::status::accumulator_overflow);
  CHECK(named(of_wide.value, "exact::half_up").status == q::status::ok);
  const auto of_wide_range =
      q::identify([](int64_t, double) { return 0; }, quarter, q::interval{int64_t{1} << 33, (int64_t{1} << 33) + 9});
  CHECK(named(of_wide_range.value, "tosa::scale32").status == q::status::accumulator_overflow);
  CHECK(named(of_wide_range.value, "tosa::scale16").compared == 0);
  CHECK(named(of_wide_range.value, "exact::half_up").compared == 10);
  // The scheme accepts only one of the two scales, so that it is compared at a part of the points.
  const double two[] = {0.5, -0.5};
  const auto found = q::identify([](int64_t acc, double scale) { return scale > 0 ? (acc + 1) >> 1 : (1 - acc) >> 1; }, two,
                                 q::interval{-10, 10});
  CHECK((named(found.value, "tosa::scale32").compared == 21 &&
         named(found.value, "tosa::scale32").status == q::status::scale_negative));
  CHECK((named(found.value, "exact::half_up").compared == 42 && named(found.value, "exact::half_up").status == q::status::ok));
  CHECK((named(found.value, "exact::half_up").differing == 0 && named(found.value, "exact::half_away").differing != 0));
}

TEST_CASE("accumulators for which a publisher defines nothing exclude no scheme") {
  // A pre-shift of 2 bits makes large accumulators leave int32, where TFLite's contract ends.
  const double scale[] = {3.5};
  const auto found = q::identify(
      [](int64_t acc, double by) { return acc >= -(1 << 29) && acc < 1 << 29 ? by_tflite<oracle::tflite_double>(acc, by) : 5; },
      scale, q::all_int32());
  const q::candidate c = named(found.value, "tflite::double_rounding");
  CHECK((c.remains() && c.compared < found.value.points));
  CHECK(c.status == q::status::ok);
  CHECK(!named(found.value, "exact::half_up").remains());
}

TEST_CASE("a rule is defined on one interval") {
  for (q::index_t i = 0; i < q::scheme_count; ++i)
    for (const double scale : {0.0235, 0.5, 3.7, 100.0, 1e6, 1e9, -0.5}) {
      const auto made = q::scheme_by_name(q::all_schemes.names[i]).value.derive(scale);
      if (made.status != q::status::ok) continue;
      const q::interval all{-(int64_t{1} << 62), int64_t{1} << 62};
      const q::interval on = q::detail::defined_on(made.value, all);
      const auto holds = [&](int64_t acc) {
        return acc < all.low || acc > all.high || made.value.valid(acc) == (acc >= on.low && acc <= on.high);
      };
      bool all_hold = true;
      for (int k = 0; k < 62; ++k)
        for (const int64_t odd : {1, 3, 5, 7})
          for (const int64_t acc :
               {(int64_t{1} << k) - odd, -(int64_t{1} << k) + odd, (int64_t{1} << k) / odd, on.low + odd, on.high - odd})
            all_hold = all_hold && holds(acc);
      INFO(q::all_schemes.names[i] << " " << scale);
      CHECK((all_hold && holds(on.low) && holds(on.high) && holds(on.low - 1) && holds(on.high + 1)));
      // A part of the range gives its intersection with the interval.
      const q::interval part = q::detail::defined_on(made.value, {5, 1000});
      CHECK(part.size() == q::interval{5, std::min<int64_t>(on.high, 1000)}.size());
      CHECK((part.low == 5 || part.size() == 0));
    }
}

TEST_CASE("a question to the function tells schemes apart that remain after the sample of a large range") {
  // Each 2^16th accumulator is a tie, so that the sample may contain none. The range contains neither 0 nor a power of two.
  const double scale[] = {0x1p-16};
  const int64_t low = (int64_t{1} << 40) + 100'000;
  for (const int64_t first : {low, -low - (1 << 21)}) {
    const q::interval range{first, first + (1 << 21)};
    CHECK(remaining(q::identify(by_exact<oracle::exact_half_even>, scale, range).value) == "exact::half_even");
    CHECK(q::identify(by_exact<oracle::exact_half_even>, scale, range).value.is_sampled);
  }
  const q::interval negative{-low - (1 << 21), -low};
  CHECK(!named(q::identify(by_exact<oracle::exact_half_away>, scale, negative).value, "exact::half_up").remains());
  CHECK(!named(q::identify(by_exact<oracle::exact_half_up>, scale, negative).value, "exact::half_away").remains());
}

TEST_CASE("recorded outputs are compared row by row") {
  const std::vector<int32_t> rows{2, 6, -6, 10, -10};
  const std::array<double, 1> one_scale{0.25};
  const std::vector<std::int8_t> y{1, 2, -2, 3, -3};
  const auto found = q::identify(rows, one_scale, y);
  REQUIRE(found.status == q::status::ok);
  CHECK((found.value.points == 5 && !found.value.is_sampled));
  CHECK(named(found.value, "tflite::double_rounding").remains());
  CHECK(named(found.value, "exact::half_away").remains());
  const q::candidate c = named(found.value, "tosa::scale32");
  CHECK((c.compared == 5 && c.differing == 2 && c.first.acc == -6 && c.first.a == -2 && c.first.b == -1));
  // Each row has a scale. The scales may change in any order.
  const std::vector<float> scales{0.25f, 0.5f, 0.5f, 0.25f, 0.5f};
  const std::vector<int64_t> by_row{1, 3, -3, 3, -5};
  CHECK(named(q::identify(rows, scales, by_row).value, "exact::half_away").remains());
  const std::vector<float> other_scales{0.25f, 0.5f, 0.5f, 0.25f, 0.25f};
  CHECK(remaining(q::identify(rows, other_scales, by_row).value).empty());
  const std::vector<q::multiplier32> multipliers(5, q::multiplier32{1 << 30, 32});
  CHECK(named(q::identify(rows, multipliers, y).value, "tflite::double_rounding").remains());
}

TEST_CASE("each error of the arguments has a status, and nothing is compared") {
  const auto f = [](int64_t acc, double) { return acc; };
  const auto refuses = [&](const auto& multipliers, q::interval accs_of, q::output_range range = {}) {
    const auto found = q::identify([&](int64_t acc, auto) { return acc; }, multipliers, accs_of, range);
    CHECK((found.value.points == 0 && remaining(found.value).empty()));
    CHECK(std::string(q::to_string(found).c_str()).rfind("not decided: ", 0) == 0);
    return found.status;
  };
  const q::interval some{-1, 1};
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  const std::vector<double> none;
  CHECK(refuses(none, some) == q::status::null_data);
  CHECK(refuses(q::view<const double>{}, some) == q::status::null_data);
  CHECK(refuses(q::view<const double>{nullptr, 3}, some) == q::status::null_data);
  CHECK(refuses(q::view<const double>{quarter, -1}, some) == q::status::negative_size);
  CHECK(refuses(q::view<const double>{quarter, std::numeric_limits<q::index_t>::max()}, some) == q::status::size_overflow);
  CHECK(refuses(quarter, {1, 0}) == q::status::empty_range);
  CHECK(refuses(quarter, {most, least}) == q::status::empty_range);
  CHECK(refuses(quarter, {most - 1, most}) == q::status::empty_range);
  CHECK(refuses(quarter, {least, least + 1}) == q::status::empty_range);
  CHECK(refuses(quarter, some, {0, 1, 0}) == q::status::empty_range);

  const auto refuses_rows = [](const auto& a, const auto& m, const auto& y, q::output_range range = {}) {
    const auto found = q::identify(a, m, y, range);
    CHECK((found.value.points == 0 && remaining(found.value).empty()));
    return found.status;
  };
  const std::vector<int64_t> two{1, 2};
  const std::vector<int64_t> three{1, 2, 3};
  const std::vector<double> two_scales{0.5, 0.5};
  const std::vector<int64_t> no_rows;
  CHECK(refuses_rows(no_rows, quarter, no_rows) == q::status::null_data);
  CHECK(refuses_rows(two, none, two) == q::status::null_data);
  CHECK(refuses_rows(two, quarter, three) == q::status::shape_mismatch);
  CHECK(refuses_rows(three, two_scales, three) == q::status::shape_mismatch);
  CHECK(refuses_rows(q::view<const int64_t>{nullptr, 2}, two_scales, two) == q::status::null_data);
  CHECK(refuses_rows(two, two_scales, q::view<const int64_t>{nullptr, 2}) == q::status::null_data);
  CHECK(refuses_rows(two, q::view<const double>{nullptr, 2}, two) == q::status::null_data);
  CHECK(refuses_rows(two, two_scales, two, {0, 1, 0}) == q::status::empty_range);

  const q::identification empty{};
  CHECK(q::next_question(empty).status == q::status::no_witness);
  CHECK(q::next_question(empty, none, some).status == q::status::null_data);
  CHECK(q::next_question(empty, q::view<const double>{nullptr, 1}, some).status == q::status::null_data);
  CHECK(q::next_question(empty, quarter, {1, 0}).status == q::status::empty_range);
  CHECK(q::next_question(empty, quarter, {most, most}).status == q::status::empty_range);
  q::identification of_no_output{};
  of_no_output.range = {0, 1, 0};
  CHECK(q::next_question(of_no_output).status == q::status::empty_range);
  CHECK(std::string(q::to_string(empty).c_str()).rfind("0 of 32 schemes", 0) == 0);
  CHECK(std::string(q::to_string(empty).c_str()).find("\nif the device clamps its outputs or adds a zero point") !=
        std::string::npos);
  CHECK(q::identify(f, quarter, some).status == q::status::ok);
}

TEST_CASE("extreme numbers are compared like others") {
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  const auto extreme = [&](int64_t acc, auto) { return acc % 2 == 0 ? least : most; };
  const double scales[] = {0.0, -0.0, 5e-324, -1e-310, 1e308, -1e308, std::numeric_limits<double>::quiet_NaN()};
  for (const q::output_range range :
       {q::output_range{}, q::output_range{lowest, lowest, lowest}, q::output_range{highest, 0, highest}})
    for (const q::interval accs_of :
         {q::interval{-3, 3}, q::interval{least, most}, q::interval{0, most}, q::interval{least, 0}}) {
      const auto found = q::identify(extreme, scales, accs_of, range);
      CHECK((found.status == q::status::ok && remaining(found.value).empty()));
      CHECK(q::next_question(found.value, scales, accs_of).status == q::status::no_witness);
    }
  const q::any_multiplier odd[] = {{least, 0, {}},   {most, lowest, {}}, {1, highest, {}},
                                   {-1, lowest, {}}, {0, 5, {}},         {most, 63, 0.5}};
  CHECK(remaining(q::identify(extreme, odd, q::interval{least, most}).value).empty());
  const std::vector<int64_t> rows{least, most, lowest, highest, 0};
  const std::vector<int64_t> y{most, least, most, least, 1};
  const auto found = q::identify(rows, quarter, y);
  CHECK((found.status == q::status::ok && found.value.points == 5 && remaining(found.value).empty()));
}

TEST_CASE("identifications are printed for humans") {
  const double scales[] = {0.25, 0.0235};
  const auto found = q::identify(by_tflite<oracle::tflite_neon_double>, scales, q::interval{-50, 50});
  CHECK(std::string(q::to_string(found).c_str()) ==
        "3 of 32 schemes equal it at all 202 points: tflite::neon_double_rounding, cmsis_nn::mve_predicated_single_rounding, "
        "ruy::x86_simd\nnearest: xnnpack::rndnu16 differs at 15 of 202 points, the first at accumulator 16, scale 0.0235: 0, not "
        "1");
  CHECK(std::string(q::to_string(named(found.value, "ruy::x86_simd")).c_str()) == "ruy::x86_simd is equal at 202 points");
  const auto sampled = q::identify([](int64_t, double) { return 0; }, scales, q::all_int32());
  CHECK(std::string(q::to_string(sampled.value).c_str()).rfind("0 of 32 schemes equal it at all ", 0) == 0);
  CHECK(std::string(q::to_string(sampled.value).c_str()).find(" points of a sample\nnearest: ") != std::string::npos);

  q::question ask{"a", "b", {0, 0, 0.25}, 0, {-7, 1, 2}};
  const auto print = [&](const q::any_multiplier& m) {
    ask.multiplier = m;
    return std::string(q::to_string(ask).c_str());
  };
  const auto with = [](const std::string& multiplier) { return "accumulator -7, " + multiplier + ": a gives 1, b gives 2"; };
  CHECK(print({0, 0, 0.25}) == with("scale 0.25"));
  CHECK(print({0, 0, 0.0235}) == with("scale 0.0235"));
  CHECK(print({0, 0, -0.1}) == with("scale -0.1"));
  CHECK(print({0, 0, 3.0}) == with("scale 3"));
  CHECK(print({0, 0, 123456.5}) == with("scale 123456.5"));
  CHECK(print({0, 0, 1e-4}) == with("scale 0.0001"));
  CHECK(print({0, 0, -3.25e-5}) == with("scale -0.0000325"));
  CHECK(print({0, 0, 999999999999999.0}) == with("scale 999999999999999"));
  // Their decimals would be too long to type, or would read as another binary64.
  CHECK(print({0, 0, 1.0 / 3.0}) == with("scale 6004799503160661 * 2^-54"));
  CHECK(print({0, 0, 0.1f}) == with("scale 13421773 * 2^-27"));
  CHECK(print({0, 0, 0.9999999999999999}) == with("scale 9007199254740991 * 2^-53"));
  CHECK(print({0, 0, 0x1.0002p-1}) == with("scale 32769 * 2^-16"));
  CHECK(print({0, 0, -0x1.8p-30}) == with("scale -3 * 2^-31"));
  CHECK(print({0, 0, 0.0}) == with("scale 0"));
  CHECK(print({0, 0, 1e300}).find(" * 2^") != std::string::npos);
  CHECK(print({0, 0, std::numeric_limits<double>::infinity()}) == with("scale infinity"));
  CHECK(print({0, 0, std::numeric_limits<double>::quiet_NaN()}) == with("scale NaN"));
  CHECK(print({-5, 33, {}}) == with("multiplier -5 * 2^-33"));
  CHECK(print({5, lowest, {}}) == with("multiplier 5 * 2^2147483648"));
  CHECK(std::string(q::to_string(q::result<q::question>{{}, q::status::empty_range}).c_str()) ==
        "not decided: " + std::string(q::to_string(q::status::empty_range)));
  CHECK(std::string(q::to_string(q::result<q::question>{{}, q::status::no_witness}).c_str()) ==
        "no input was found that tells the remaining schemes apart");
}

TEST_CASE("each scheme is identified on all int32 accumulators by trying a part of them", "[search]") {
  for (const known_function& one : known) {
    INFO(one.name);
    std::uint64_t calls = 0;
    const auto f = [&](int64_t acc, double scale) {
      ++calls;
      return to_int8(one.f(acc, scale));
    };
    const auto found = q::identify(f, some_scales, q::all_int32(), q::range_of<std::int8_t>());
    REQUIRE(found.status == q::status::ok);
    CHECK(found.value.is_sampled);
    CHECK(found.value.points == calls);
    CHECK(named(found.value, one.name).remains());
    CHECK(q::next_question(found.value, some_scales, q::all_int32()).status == q::status::no_witness);
  }
}

TEST_CASE("a question tells two schemes apart, and questions lead to one rule", "[search]") {
  for (const known_function& one : known) {
    INFO(one.name);
    std::vector<int64_t> asked{1};
    std::vector<double> scales{0.75};
    std::vector<int64_t> answers{to_int8(one.f(1, 0.75))};
    int questions = 0;
    for (;; ++questions) {
      const auto found = q::identify(asked, scales, answers, q::range_of<std::int8_t>());
      REQUIRE(found.status == q::status::ok);
      CHECK(named(found.value, one.name).remains());
      const auto next_one = q::next_question(found.value);
      if (next_one.status != q::status::ok) {
        CHECK(next_one.status == q::status::no_witness);
        CHECK(remaining(found.value) == one.remaining);
        break;
      }
      const q::question& ask = next_one.value;
      REQUIRE(questions < 31);
      REQUIRE(ask.at.a != ask.at.b);
      const double scale = q::scales_to_try[ask.index];
      REQUIRE(ask.multiplier.scale.to_double() == scale);
      CHECK((named(found.value, ask.a).remains() && named(found.value, ask.b).remains()));
      CHECK(to_int8(output_of(ask.a, ask.at.acc, scale)) == ask.at.a);
      CHECK(to_int8(output_of(ask.b, ask.at.acc, scale)) == ask.at.b);
      asked.push_back(ask.at.acc);
      scales.push_back(scale);
      answers.push_back(to_int8(one.f(ask.at.acc, scale)));
    }
  }
}

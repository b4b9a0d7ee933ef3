#include <dyadic/compare.hpp>
#include <dyadic/dyadic.hpp>

#include "../support/catch.hpp"

#include <array>
#include <cstdint>
#include <vector>

#ifndef DYADIC_TEST_SCALE
#define DYADIC_TEST_SCALE 1
#endif

namespace q = dyadic;

namespace {

constexpr std::int32_t one = 1 << 30;

constexpr q::multiplier32 pair(std::int32_t mantissa, std::int32_t shift) { return q::tflite::from_pair(mantissa, shift); }

constexpr bool same(q::sample x, q::sample y) { return x.acc == y.acc && x.a == y.a && x.b == y.b; }
constexpr bool same(const q::difference& x, const q::difference& y) {
  return x.compared == y.compared && x.differing == y.differing && same(x.first, y.first) && same(x.worst, y.worst) &&
         x.worst_distance == y.worst_distance;
}

/// A user's scheme: halves, towards zero; of an int16, and not of a mantissa 13.
struct halving {
  using accumulator = std::int16_t;
  using multiplier_type = q::multiplier16;
  static constexpr bool valid(multiplier_type m) noexcept { return m.mantissa != 13; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc / 2; }
};

/// A rule with a domain of its own: the identity on even numbers.
struct even_only {
  constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return acc; }
  constexpr bool valid(std::int64_t acc) const noexcept { return acc % 2 == 0; }
};

constexpr auto identity = [](std::int64_t acc) { return acc; };
constexpr auto floor_of_half = [](std::int64_t acc) { return acc >> 1; };
constexpr auto truncated_half = [](std::int64_t acc) { return acc / 2; };
constexpr auto parabola = [](std::int64_t acc) { return acc + (acc > 10 && acc < 20 ? (acc - 10) * (20 - acc) : 0); };

// All of it in the constant evaluator.
static_assert(q::compare(identity, identity, q::interval{-100, 100}).compared == 201);
static_assert(q::compare(identity, identity, q::interval{-100, 100}).differing == 0);
static_assert(q::compare(floor_of_half, truncated_half, q::interval{-8, 7}).differing == 4);
static_assert(q::compare(q::rule_of<q::tflite::double_rounding>({one, 32}), q::rule_of<q::tosa::scale32>({one, 32}),
                         q::interval{-8, 7})
                  .differing == 4);
static_assert(q::first_difference(q::rule_of<q::tflite::double_rounding>({one, 32}), q::rule_of<q::tosa::scale32>({one, 32}),
                                  q::by_magnitude{q::all_int32()})
                  .first.acc == 1);
static_assert(q::distance({0, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) ==
              std::numeric_limits<std::uint64_t>::max());

}  // namespace

TEST_CASE("an interval holds both its bounds", "[compare]") {
  CHECK(q::interval{-3, 3}.size() == 7);
  CHECK(q::interval{5, 5}.size() == 1);
  CHECK(q::interval{5, 4}.size() == 0);
  CHECK(q::interval{5, -5}.size() == 0);
  CHECK(q::all_int32().size() == std::uint64_t{1} << 32);
  CHECK(q::all_int32()[0] == q::int32_min);
  CHECK(q::all_int32()[q::all_int32().size() - 1] == q::int32_max);
}

TEST_CASE("a window ends where the whole range ends", "[compare]") {
  CHECK(q::window(10, 2).low == 8);
  CHECK(q::window(10, 2).high == 12);
  CHECK(q::window(q::int32_max, 2).size() == 3);
  CHECK(q::window(q::int32_min, 2).size() == 3);
  CHECK(q::window(100, 2, {0, 50}).size() == 0);
  CHECK(q::window(std::int64_t{1} << 40, 1, {0, std::int64_t{1} << 47}).low == (std::int64_t{1} << 40) - 1);
}

TEST_CASE("an order by magnitude takes each accumulator once, the least first and positive before negative", "[compare]") {
  const auto order = [](q::interval range) {
    const q::by_magnitude accs{range};
    std::vector<std::int64_t> all;
    for (std::uint64_t i = 0; i < accs.size(); ++i) all.push_back(accs[i]);
    return all;
  };
  using list = std::vector<std::int64_t>;
  CHECK(order({-2, 2}) == list{0, 1, -1, 2, -2});
  CHECK(order({-2, 5}) == list{0, 1, -1, 2, -2, 3, 4, 5});
  CHECK(order({-5, 2}) == list{0, 1, -1, 2, -2, -3, -4, -5});
  CHECK(order({0, 3}) == list{0, 1, 2, 3});
  CHECK(order({-3, 0}) == list{0, -1, -2, -3});
  CHECK(order({3, 5}) == list{3, 4, 5});
  CHECK(order({-5, -3}) == list{-3, -4, -5});
  CHECK(order({1, 0}).empty());
  CHECK(q::by_magnitude{q::all_int32()}[q::all_int32().size() - 1] == q::int32_min);
}

TEST_CASE("equal rules report no difference", "[compare]") {
  const q::difference d = q::compare(parabola, parabola, q::interval{-100, 100});
  CHECK(same(d, {201, 0, {}, {}, 0}));
}

TEST_CASE("nothing is compared on no accumulators", "[compare]") {
  CHECK(same(q::compare(identity, floor_of_half, q::interval{1, 0}), {}));
  CHECK(same(q::compare(identity, floor_of_half, std::vector<std::int32_t>{}), {}));
}

TEST_CASE("a sweep counts the differences and keeps the first and the worst", "[compare]") {
  // (acc - 10)(20 - acc) is positive for 11 .. 19 and has its maximum of 25 at 15.
  const q::difference d = q::compare(identity, parabola, q::interval{-100, 100});
  CHECK(same(d, {201, 9, {11, 11, 20}, {15, 15, 40}, 25}));
  CHECK(same(q::compare(parabola, identity, q::interval{-100, 100}), {201, 9, {11, 20, 11}, {15, 40, 15}, 25}));
}

TEST_CASE("of equally bad differences the first in the order of the sweep is the worst", "[compare]") {
  CHECK(same(q::compare(floor_of_half, truncated_half, q::interval{-8, 7}), {16, 4, {-7, -4, -3}, {-7, -4, -3}, 1}));
  CHECK(same(q::compare(floor_of_half, truncated_half, q::by_magnitude{{-8, 7}}), {16, 4, {-1, -1, 0}, {-1, -1, 0}, 1}));
}

TEST_CASE("the search for the first difference stops there", "[compare]") {
  const q::difference d = q::first_difference(identity, parabola, q::interval{0, 100});
  CHECK(same(d, {12, 1, {11, 11, 20}, {11, 11, 20}, 9}));
  CHECK(q::first_difference(identity, identity, q::interval{0, 100}).compared == 101);
}

TEST_CASE("a list of accumulators is swept in its order", "[compare]") {
  const std::array<std::int32_t, 4> chosen = {19, 5, 15, 11};
  CHECK(same(q::compare(identity, parabola, chosen), {4, 3, {19, 19, 28}, {15, 15, 40}, 25}));
  CHECK(same(q::compare(identity, parabola, std::vector<std::int64_t>{5, 12}), {2, 1, {12, 12, 28}, {12, 12, 28}, 16}));
}

TEST_CASE("differences of two parts merge to that of the whole", "[compare]") {
  const q::difference whole = q::compare(identity, parabola, q::interval{0, 30});
  for (std::int64_t split = -1; split <= 30; ++split) {
    const q::difference earlier = q::compare(identity, parabola, q::interval{0, split});
    const q::difference later = q::compare(identity, parabola, q::interval{split + 1, 30});
    CHECK(same(q::merge(earlier, later), whole));
  }
}

TEST_CASE("a rule's own domain limits the sweep, on either side", "[compare]") {
  CHECK(q::compare(even_only{}, floor_of_half, q::interval{-8, 8}).compared == 9);
  CHECK(q::compare(floor_of_half, even_only{}, q::interval{-8, 8}).compared == 9);
  CHECK(same(q::first_difference(even_only{}, floor_of_half, q::interval{1, 8}), {1, 1, {2, 2, 1}, {2, 2, 1}, 1}));
}

TEST_CASE("a user's scheme is compared like a publisher's", "[compare]") {
  const q::difference d = q::compare(q::rule_of<halving>({}), floor_of_half, q::interval{-32768, 32767});
  CHECK(same(d, {65536, 16384, {-32767, -16383, -16384}, {-32767, -16383, -16384}, 1}));
  CHECK(q::compare(q::rule_of<halving>({}), truncated_half, q::interval{-32768, 32767}).differing == 0);
  // Half a unit of output: exactly what exact::half_away gives one more or one less than halving.
  CHECK(q::compare(q::rule_of<halving>({}), q::rule_of<q::exact::half_away>({1, 1}), q::interval{-4, 4}).differing == 4);
}

TEST_CASE("a strict rule leaves out what its publisher does not define", "[compare]") {
  // TOSA: -2 <= acc < 2 for a right_shift of 2.
  const auto tosa = q::strict_rule_of<q::tosa::scale32>({one, 2});
  CHECK(q::compare(tosa, tosa, q::interval{-8, 7}).compared == 4);
  // Without valid(acc, m) all values of the accumulator type count, if the multiplier is valid.
  const auto good = q::strict_rule_of<halving>({7, 0});
  const auto bad = q::strict_rule_of<halving>({13, 0});
  CHECK(q::compare(good, identity, q::interval{-40000, 40000}).compared == 65536);
  CHECK(q::compare(bad, identity, q::interval{-8, 7}).compared == 0);
  CHECK(q::compare(q::rule_of<halving>({13, 0}), identity, q::interval{-8, 7}).compared == 16);
}

TEST_CASE("a rule with an output range adds the zero point and clamps", "[compare]") {
  const auto rule = q::rule_of<q::tflite::double_rounding>({one, 31}, q::range_of<std::int8_t>(-3));
  CHECK(rule(10) == 2);
  CHECK(rule(1000) == 127);
  CHECK(rule(-1000) == -128);
}

#if defined(__unix__)  // A bare-metal library has no threads.

TEST_CASE("any number of threads gives the result of one", "[compare]") {
  const auto mine = [](std::int64_t acc) { return acc % 1000 == 7 ? acc / 3 : acc; };
  const q::interval range{-100'000 / DYADIC_TEST_SCALE, 123'456 / DYADIC_TEST_SCALE};
  const q::difference single = q::compare(identity, mine, range);
  CHECK(single.differing > 0);
  for (unsigned count = 0; count <= 9; ++count) {
    CHECK(same(q::compare(identity, mine, range, q::threads{count}), single));
    CHECK(same(q::compare(identity, mine, q::by_magnitude{range}, q::threads{count}),
               q::compare(identity, mine, q::by_magnitude{range})));
    CHECK(same(q::compare(identity, mine, q::interval{0, 3}, q::threads{count}), q::compare(identity, mine, q::interval{0, 3})));
  }
  CHECK(same(q::compare(identity, mine, q::interval{1, 0}, q::threads{2}), {}));
}

TEST_CASE("progress is told how many are swept and what was found so far", "[compare]") {
  std::vector<std::uint64_t> swept;
  std::uint64_t found = 0;
  const auto count = [&](std::uint64_t n, const q::difference& so_far) {
    swept.push_back(n);
    found = so_far.differing;
  };
  q::compare(identity, parabola, q::interval{0, 99}, q::threads{2}, count);
  CHECK(swept == std::vector<std::uint64_t>{100});
  CHECK(found == 9);
#if DYADIC_TEST_SCALE == 1
  swept.clear();
  const std::int64_t block = std::int64_t{1} << 26;
  q::compare(identity, identity, q::interval{0, block}, q::threads{2}, count);
  CHECK(swept == std::vector<std::uint64_t>{std::uint64_t{1} << 26, (std::uint64_t{1} << 26) + 1});
#endif
}

#endif

// The smallest counterexamples between the published schemes.

namespace {

/// A and B differ on acc, and on nothing of a smaller |acc| within `reach`.
template <class A, class B>
void differ_at(typename A::multiplier_type ma, typename B::multiplier_type mb, std::int64_t acc, std::int64_t a, std::int64_t b,
               std::int64_t reach = 4096) {
  INFO("acc " << acc);
  const std::int64_t size = acc < 0 ? -acc : acc;
  const std::int64_t least = size > reach ? size - reach : 0;
  for (const q::interval range : {q::interval{least, size + 1}, q::interval{-size - 1, -least}}) {
    const q::difference d = q::first_difference(q::rule_of<A>(ma), q::rule_of<B>(mb), q::by_magnitude{range});
    if (acc >= range.low && acc <= range.high)
      CHECK(same(d, {d.compared, 1, {acc, a, b}, {acc, a, b}, q::distance({acc, a, b})}));
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

TEST_CASE("two roundings turn a quarter into one", "[compare]") {
  differ_at<tflite_double, tflite_single>(pair(one, -1), 1, 1, 0);
  differ_at<neon_double, tflite_single>(pair(one, -1), 1, 1, 0);
  differ_at<predicated, mve_single>(pair(one, -1), 1, 1, 0);
}

TEST_CASE("the second of two roundings goes away from zero or up", "[compare]") {
  differ_at<tflite_double, neon_double>(pair(one + 1, -1), -1, -1, 0);
}

TEST_CASE("the AVX2 helper floors, and jumps to the maximum", "[compare]") {
  differ_at<q::tflite::avx2, tflite_single>(pair(one, 0), 1, 0, 1);
  differ_at<q::tflite::avx2, tflite_double>(pair(one, 0), 1, 0, 1);
  differ_at<q::tflite::avx2, tflite_single>(pair(q::int32_max, -31), one + 1, q::int32_max, 1);
}

TEST_CASE("a predicated tail in single mode rounds twice", "[compare]") {
  differ_at<predicated, mve_single>(pair(5 << 28, 1), 1, 2, 1);
  const q::multiplier32 m = pair(q::int32_max, -4);
  CHECK(predicated::apply(1000, m) == 63);
  CHECK(mve_single::apply(1000, m) == 62);
}

TEST_CASE("the pre-shift of single rounding wraps one bit early on NEON and Helium, outside their domain", "[compare]") {
  for (const auto& [acc, shift] : {std::array<std::int32_t, 2>{one, 0}, {1 << 23, 7}, {2, 29}}) {
    const q::multiplier32 m = pair(one, shift);
    differ_at<neon_single, tflite_single>(m, acc, -536870912, 536870912);
    differ_at<mve_single, q::cmsis_nn::single_rounding>(m, acc, -536870912, 536870912);
    CHECK_FALSE(neon_single::valid(acc, m));
    CHECK(tflite_single::valid(acc, m));
  }
}

TEST_CASE("the int64 helper of CMSIS-NN wraps from a result of 2^30 on", "[compare]") {
  using cmsis = q::cmsis_nn::requantize_s64;
  using tflite = q::tflite::reduced_int64;
  differ_at<cmsis, tflite>({1 << 14, 15}, {1 << 14, 15}, q::int32_max, -1073741824, 1073741824);
  differ_at<cmsis, tflite>({32767, 8}, {32767, 8}, 8388865, -1073741697, 1073741951);
  CHECK(q::tflite::reduce(pair(q::int32_max, 7)) == q::multiplier16{32767, 8});
  CHECK_FALSE(cmsis::valid(8388865, {32767, 8}));
}

TEST_CASE("the minimum times itself saturates in TFLite and not in CMSIS-NN", "[compare]") {
  constexpr q::multiplier32 m{q::int32_min, 31};
  CHECK(q::cmsis_nn::double_rounding::apply(q::int32_min, m) == q::int32_min);
  CHECK(q::gemmlowp::saturating_rounding_doubling_high_mul(q::int32_min, q::int32_min) == q::int32_max);
  CHECK(tflite_double::apply(q::int32_min, m) == q::int32_max);
  CHECK(q::cmsis_nn::mve_double_rounding::apply(q::int32_min, m) == q::int32_max);
  CHECK_FALSE(q::cmsis_nn::double_rounding::valid(m));
  const auto d =
      q::compare(q::rule_of<q::cmsis_nn::double_rounding>(m), q::rule_of<tflite_double>(m), q::window(q::int32_min, 4096));
  CHECK(d.differing == 1);
}

namespace {

/// A and B with the multipliers that they derive from one binary32 scale.
template <class A, class B>
void differ_for(float scale, std::int64_t acc, std::int64_t a, std::int64_t b) {
  const auto ma = A::derive(scale);
  const auto mb = B::derive(scale);
  CHECK(ma.status == q::status::ok);
  CHECK(mb.status == q::status::ok);
  differ_at<A, B>(ma.value, mb.value, acc, a, b);
}

}  // namespace

TEST_CASE("each rule of XNNPACK differs from the others", "[compare]") {
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

TEST_CASE("the scalar rndnu of XNNPACK wraps before it clamps", "[compare]") {
  const q::multiplier32 m = q::xnnpack::rndnu::derive(0x1.fffffep7f).value;
  const auto scalar = q::rule_of<q::xnnpack::rndnu>(m, q::range_of<std::int8_t>());
  const auto neon = q::rule_of<q::xnnpack::rndnu_neon>(m, q::range_of<std::int8_t>());
  const auto d = q::first_difference(scalar, neon, q::window(8388609, 4096));
  CHECK(same(d.first, {8388609, -128, 127}));
}

TEST_CASE("oneDNN adds the zero point before it rounds", "[compare]") {
  const auto range = q::range_of<std::int8_t>(1);
  for (const float scale : {0.5f, 0x1.fffffep-2f}) {
    const auto onednn = q::rule_of<q::onednn::f32>({scale, 1.0f, 1.0f}, range);
    const auto fbgemm = q::rule_of<q::fbgemm::floating>(scale, range);
    CHECK(same(q::first_difference(onednn, fbgemm, q::by_magnitude{{-9, 9}}).first, {1, 2, 1}));
  }
}

TEST_CASE("one scale has several multipliers", "[compare]") {
  constexpr q::binary64 tie_to_even = 0x1.00000002p-1;
  CHECK(q::executorch::cortex_m::derive(tie_to_even).value == q::multiplier32{1073741824, 31});
  CHECK(q::tosa::scale32::derive(tie_to_even).value == q::multiplier32{1073741824, 31});
  CHECK(tflite_double::derive(tie_to_even).value == q::multiplier32{1073741825, 31});

  constexpr q::binary64 tie_to_odd = 0x1.00000006p-1;
  CHECK(q::tflite::derive_emulate_float(tie_to_odd).value == q::multiplier32{1073741825, 31});
  CHECK(tflite_double::derive(tie_to_odd).value == q::multiplier32{1073741826, 31});

  constexpr q::binary64 tie_below_one = 0x1.fffffffep-1;
  CHECK(q::tflite::derive_emulate_float(tie_below_one).value == pair(q::int32_max, 0));
  CHECK(tflite_double::derive(tie_below_one).value == pair(one, 1));
}

// The equalities between the published schemes, where both are defined.

namespace {

/// No difference in windows around 0, the range's ends and powers of two, and something was compared.
template <class RuleA, class RuleB>
void equal_on_windows(const RuleA& a, const RuleB& b, q::interval all = q::all_int32()) {
  const std::int64_t radius = 300 / DYADIC_TEST_SCALE;
  q::difference d{};
  for (std::int64_t power = 1; power <= all.high; power *= 2)
    for (const std::int64_t centre : {power, -power, power + power / 2})
      d = q::merge(d, q::compare(a, b, q::window(centre, radius, all)));
  d = q::merge(d, q::compare(a, b, q::window(all.low, radius, all)));
  d = q::merge(d, q::compare(a, b, q::window(all.high, radius, all)));
  INFO("first: acc " << d.first.acc << " a " << d.first.a << " b " << d.first.b);
  CHECK(d.differing == 0);
  CHECK(d.compared > 0);
}

/// Every multiplier of a list that both accept: m gets (mantissa, shift) in TFLite's convention.
template <class A, class B>
void equal_for_all_multipliers() {
  constexpr std::array<std::int32_t, 10> mantissas = {one,        one + 1, 5 << 28, 3 << 29, q::int32_max,
                                                      0x55555555, 1,       0,       -one,    -(one + 1)};
  int accepted = 0;
  for (const std::int32_t mantissa : mantissas)
    for (const std::int32_t shift : {0, -1, -2, -8, -16, -30, -31, 1, 2, 7, 29, 30}) {
      const q::multiplier32 m = pair(mantissa, shift);
      if (!A::valid(m) || !B::valid(m)) continue;
      INFO("mantissa " << mantissa << " shift " << shift);
      equal_on_windows(q::strict_rule_of<A>(m), q::strict_rule_of<B>(m));
      ++accepted;
    }
  CHECK(accepted >= 70);
}

}  // namespace

TEST_CASE("the rule of TFLite, TOSA DOUBLE_ROUND and CMSIS-NN is one, scalar or Helium", "[compare]") {
  equal_for_all_multipliers<tflite_double, q::tosa::scale32_double_round>();
  equal_for_all_multipliers<tflite_double, q::cmsis_nn::double_rounding>();
  equal_for_all_multipliers<q::cmsis_nn::double_rounding, q::cmsis_nn::mve_double_rounding>();
}

TEST_CASE("single rounding is one rule in TFLite, TOSA, ruy, CMSIS-NN, FBGEMM, and exact", "[compare]") {
  equal_for_all_multipliers<tflite_single, q::tosa::scale32>();
  equal_for_all_multipliers<tflite_single, q::ruy::reference>();
  equal_for_all_multipliers<tflite_single, q::cmsis_nn::single_rounding>();
  equal_for_all_multipliers<tflite_single, q::fbgemm::fixed>();
  equal_for_all_multipliers<q::fbgemm::fixed, q::exact::half_up>();
}

TEST_CASE("NEON and Helium round once like the scalar rule where their pre-shift fits", "[compare]") {
  equal_for_all_multipliers<neon_single, tflite_single>();
  equal_for_all_multipliers<mve_single, q::cmsis_nn::single_rounding>();
}

TEST_CASE("ruy on x86 rounds like TFLite on NEON", "[compare]") { equal_for_all_multipliers<neon_double, q::ruy::x86_simd>(); }

TEST_CASE("the AVX2 helper is single rounding to the right, short of its flaw", "[compare]") {
  for (const std::int32_t shift : {-1, -2, -8, -30, -31}) {
    struct below_the_flaw {
      std::int32_t shift;
      constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
        return q::rule_of<q::tflite::avx2>(pair(one + 1, shift))(acc);
      }
      constexpr bool valid(std::int64_t acc) const noexcept {
        return (acc * (one + 1)) >> 31 <= q::int32_max - (std::int64_t{1} << (-shift - 1));
      }
    };
    equal_on_windows(below_the_flaw{shift}, q::rule_of<tflite_single>(pair(one + 1, shift)));
  }
}

TEST_CASE("the rndnu of XNNPACK is single rounding of the same scale", "[compare]") {
  for (const float scale : {0x1p-32f, 0x1.555556p-3f, 0.5f, 0x1.000002p-1f, 1.0f, 0x1.8p3f, 0x1.fffffep7f}) {
    const q::multiplier32 m = q::xnnpack::rndnu::derive(scale).value;
    const q::multiplier32 longer{m.mantissa * 128, m.right_shift + 7};
    equal_on_windows(q::strict_rule_of<q::xnnpack::rndnu>(m), q::strict_rule_of<tflite_single>(longer));
    equal_on_windows(q::strict_rule_of<q::xnnpack::rndnu_neon>(m), q::strict_rule_of<q::fbgemm::fixed>(longer));
    equal_on_windows(q::strict_rule_of<q::xnnpack::rndna>(m), q::strict_rule_of<q::exact::half_away>(longer));
  }
}

TEST_CASE("the float rules of XNNPACK, FBGEMM and ONNX Runtime agree on eight bits", "[compare]") {
  for (const float scale : {0x1p-32f, 0x1.555556p-3f, 0.5f, 0x1.000002p-1f, 1.0f, 0x1.8p3f, 0x1.fffffep7f})
    for (const q::output_range range : {q::range_of<std::int8_t>(-1), q::range_of<std::uint8_t>(128)}) {
      const auto xnnpack = q::rule_of<q::xnnpack::fp32>(scale, range);
      equal_on_windows(xnnpack, q::rule_of<q::fbgemm::floating>(scale, range));
      equal_on_windows(xnnpack, q::rule_of<q::onnx::mlas>(scale, range));
    }
}

TEST_CASE("48 bits by 15 is one rule in TFLite, TOSA, exact, and below 2^30 in CMSIS-NN", "[compare]") {
  const q::interval all_int48{-(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1};
  for (const std::int16_t mantissa : std::array<std::int16_t, 5>{1 << 14, (1 << 14) + 1, 3 << 13, 0x5555, 0x7FFF})
    for (const std::int32_t right_shift : {8, 14, 15, 16, 31, 45, 46}) {
      const q::multiplier16 m{mantissa, right_shift};
      const auto tflite = q::strict_rule_of<q::tflite::reduced_int64>(m);
      equal_on_windows(tflite, q::strict_rule_of<q::tosa::scale16>(m), all_int48);
      equal_on_windows(tflite, q::strict_rule_of<q::cmsis_nn::requantize_s64>(m), all_int48);
      equal_on_windows(tflite, q::strict_rule_of<q::exact::half_up>({mantissa, right_shift}), all_int48);
    }
}

TEST_CASE("the power-of-two division of gemmlowp and CMSIS-NN is one", "[compare]") {
  for (int exponent = 0; exponent <= 31; ++exponent) {
    const auto gemmlowp = [exponent](std::int64_t x) -> std::int64_t {
      return q::gemmlowp::rounding_divide_by_pot(static_cast<std::int32_t>(x), exponent);
    };
    const auto cmsis = [exponent](std::int64_t x) -> std::int64_t {
      return q::cmsis_nn::divide_by_power_of_two(static_cast<std::int32_t>(x), exponent);
    };
    equal_on_windows(gemmlowp, cmsis);
  }
}

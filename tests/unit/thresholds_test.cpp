#include <dyadic/thresholds.hpp>

#include <dyadic/schemes.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../support/catch.hpp"
#include "../support/multipliers.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;

namespace {

constexpr std::int32_t one = 1 << 30;
constexpr auto int8_range = q::range_of<std::int8_t>(3);

/// A user's scheme without a promise, and one with a promise.
struct truncating {
  using accumulator = std::int32_t;
  using multiplier_type = q::multiplier32;
  static constexpr bool valid(multiplier_type) noexcept { return true; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return acc / (std::int64_t{1} << m.right_shift);
  }
};
struct promising : truncating {
  static constexpr bool is_monotone = true;
};
/// Schemes whose own functions replace inherited ones, so that the library knows nothing about them.
struct overridden : q::tosa::scale32 {
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc % 7; }
};
struct overridden_exact : q::exact::half_up {
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc % 7; }
};
struct with_finish : q::tosa::scale32 {
  static constexpr std::int64_t finish(accumulator acc, multiplier_type, q::output_range) noexcept { return acc % 7; }
};

constexpr bool is(q::interval a, std::int64_t low, std::int64_t high) { return a.low == low && a.high == high; }

static_assert(q::equal_on(q::rule_of<q::tosa::scale32>({one, 35}, int8_range),
                          q::rule_of<q::fbgemm::fixed>({one, 35}, int8_range), q::all_int32()));
static_assert(!q::equal_on(q::rule_of<q::tosa::scale32>({one, 35}, int8_range),
                           q::rule_of<q::tflite::double_rounding>({one, 35}, int8_range), q::all_int32()));
static_assert(is(q::monotone_on<q::tflite::double_rounding>({one, 31}), q::int32_min, q::int32_max));
static_assert(is(q::monotone_on<q::tflite::double_rounding>({one, 30}), q::int32_min / 2, q::int32_max / 2));
static_assert(is(q::monotone_on<q::tflite::double_rounding>({one, 30}, q::int32_max), one, q::int32_max));
static_assert(is(q::monotone_on<q::tflite::neon_single_rounding>({one, 31}), q::int32_min / 2, q::int32_max / 2));
static_assert(is(q::monotone_on<q::tflite::avx2>({q::int32_min, 31}), -q::int32_max, q::int32_max));
// The left shift is 1. -2^31 times the mantissa -2^31 is a piece of its own.
static_assert(is(q::monotone_on<q::tflite::avx2>({q::int32_min, 30}), -one + 1, one - 1));
static_assert(is(q::monotone_on<q::tflite::avx2>({q::int32_min, 30}, -one), -one, -one));
static_assert(is(q::monotone_on<q::tflite::avx2>({q::int32_min, 30}, one), one, one));
static_assert(is(q::monotone_on<q::cmsis_nn::requantize_s64>({1 << 14, 15}), -(std::int64_t{1} << 31) - 1,
                 (std::int64_t{1} << 31) - 2));
static_assert(is(q::monotone_on<q::tosa::scale16>({1 << 14, 15}), -(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1));
static_assert(is(q::monotone_on<q::exact::half_up>({1, 1}), -(std::int64_t{1} << 62), std::int64_t{1} << 62));
static_assert(is(q::monotone_on<truncating>({1, 1}, 5), 5, 5) &&
              is(q::monotone_on<promising>({1, 1}), q::int32_min, q::int32_max));
static_assert(is(q::monotone_on<overridden>({1, 2}, 5), 5, 5) && is(q::monotone_on<overridden_exact>({1, 2}, 5), 5, 5));
static_assert(is(q::monotone_on<with_finish>({1, 2}, 5), 5, 5));

/// Checks scales whose product becomes infinite for large accumulators, and NaN after a product with 0. The ends are pieces of
/// their own.
constexpr bool nans_are_pieces() {
  constexpr q::onednn::scales m{q::binary32{1e30f}, q::binary32{1.0f}, q::binary32{0.0f}};
  const auto on = [m](std::int64_t acc) { return q::monotone_on<q::onednn::f32>(m, acc); };
  const auto rule = q::rule_of<q::onednn::f32>(m);
  const q::interval finite = on(0);
  return finite.low < -300'000'000 && finite.high > 300'000'000 && finite.high < 400'000'000 &&
         is(on(q::int32_max), finite.high + 1, q::int32_max) && is(on(q::int32_min), q::int32_min, finite.low - 1) &&
         rule.piece(q::int32_min) != rule.piece(q::int32_max);
}
static_assert(nans_are_pieces());

/// Checks the pieces of single accumulators: outside a promise, and beyond a scheme's accumulators.
constexpr bool each_is_a_piece() {
  const auto rule = q::monotone([](std::int64_t acc) { return acc; }, {100, 900});
  const auto below = q::monotone([](std::int64_t acc) { return acc; }, {-900, -100});
  const auto scheme = q::rule_of<q::tosa::scale32>({one, 31});
  return below.piece(100) != below.piece(-100) && rule.piece(100) == rule.piece(900) && rule.piece(901) != rule.piece(900) &&
         rule.piece(99) != rule.piece(100) && rule.piece(-100) != rule.piece(100) && rule.piece(-99) != rule.piece(-100) &&
         scheme.piece(std::int64_t{1} << 31) != scheme.piece(0);
}
static_assert(each_is_a_piece());

/// Returns an interval that is not a constant. A compiler would try to walk a constant interval.
q::interval from(std::int64_t low, std::int64_t high) { return {low, high}; }

/// Any rule with pieces, so that one comparison is compiled for all rules.
struct some_rule {
  std::string name;
  q::interval accs{};
  std::function<std::int64_t(std::int64_t)> y, number;
  std::int64_t operator()(std::int64_t acc) const { return y(acc); }
  std::int64_t piece(std::int64_t acc) const { return number(acc); }
};

template <class Rule>
some_rule some(const std::string& name, q::interval accs, const Rule& rule) {
  return {name, accs, rule, [=](std::int64_t acc) { return rule.piece(acc); }};
}

/// Calls use(rule) for each scheme and its valid multipliers. It takes the first multiplier and one in `one_in` of the others.
void each_rule(int one_in, const std::function<void(const some_rule&)>& use) {
  support::random_bits random;
  q::all_schemes.each([&](auto s) {
    using scheme = typename decltype(s)::scheme;
    int taken = 0;
    for (const auto m : support::multipliers<typename scheme::multiplier_type>()) {
      if (!scheme::valid(m) || (taken > 0 && !random.one_in(one_in))) continue;
      const std::string name = s.name + std::string(" ") + std::to_string(taken++);
      use(some(name, q::accumulators_of<scheme>(), q::rule_of<scheme>(m)));
      use(some(name + " int16", q::accumulators_of<scheme>(), q::rule_of<scheme>(m, q::range_of<std::int16_t>(-77))));
    }
    CHECK(taken > 0);
  });
}

bool same(q::sample x, q::sample y) { return x.acc == y.acc && x.a == y.a && x.b == y.b; }
bool same(const q::difference& x, const q::difference& y) {
  return x.compared == y.compared && x.differing == y.differing && same(x.first, y.first) && same(x.worst, y.worst) &&
         x.worst_distance == y.worst_distance && same(x.smallest, y.smallest);
}

/// Returns the expected result of `compare_thresholds`. Compares one accumulator after the other.
template <class A, class B, class Accumulators>
q::difference swept(const A& a, const B& b, const Accumulators& accs) {
  q::difference d{};
  for (std::uint64_t i = 0; i < accs.size(); ++i) {
    const q::sample s{accs[i], a(accs[i]), b(accs[i])};
    ++d.compared;
    if (s.a == s.b) continue;
    const std::uint64_t far = s.a > s.b ? static_cast<std::uint64_t>(s.a) - static_cast<std::uint64_t>(s.b)
                                        : static_cast<std::uint64_t>(s.b) - static_cast<std::uint64_t>(s.a);
    const std::int64_t size = s.acc < 0 ? -s.acc : s.acc;
    const std::int64_t smallest = d.smallest.acc < 0 ? -d.smallest.acc : d.smallest.acc;
    if (d.differing == 0) d.first = s;
    if (d.differing == 0 || size < smallest || (size == smallest && s.acc > 0)) d.smallest = s;
    if (far > d.worst_distance) d.worst = s, d.worst_distance = far;
    ++d.differing;
  }
  return d;
}

/// Returns the places where something may happen: around 0, the powers of two and the ends.
std::vector<std::int64_t> places(q::interval accs) {
  std::vector<std::int64_t> all{0, accs.low, accs.high};
  for (int k = 6; k < 62; k += 3)
    if (std::int64_t{1} << k <= accs.high) all.insert(all.end(), {std::int64_t{1} << k, -(std::int64_t{1} << k)});
  return all;
}

}  // namespace

TEST_CASE("every scheme is monotone on each of its pieces") {
  each_rule(1 + DYADIC_TEST_DIVISOR / 4, [](const some_rule& rule) {
    support::random_bits random;
    bool monotone = true;
    const auto check_pair = [&](std::int64_t x, std::int64_t y, std::int64_t first, std::int64_t last) {
      const bool rising = rule(first) <= rule(last);
      monotone = monotone && (rising ? rule(x) <= rule(y) : rule(x) >= rule(y));
    };
    std::vector<std::int64_t> centres = places(rule.accs);
    for (int i = 0; i < 4; ++i) centres.push_back(random.between(rule.accs.low, rule.accs.high));
    for (const std::int64_t centre : centres) {
      const std::int64_t number = rule.piece(centre);
      const auto elsewhere = [&](std::int64_t x) { return rule.piece(x) != number; };
      const std::int64_t last = q::detail::least_that(centre, rule.accs.high, elsewhere) - 1;
      const std::int64_t first = q::detail::least_that(rule.accs.low, centre, [&](std::int64_t x) { return !elsewhere(x); });
      for (const std::int64_t at : {first, centre, last})
        for (std::int64_t x = at - 20; x < at + 20; ++x)
          if (x >= first && x < last) check_pair(x, x + 1, first, last);
      for (int i = 0; i < 20; ++i) {
        const std::int64_t x = random.between(first, last);
        check_pair(x, random.between(x, last), first, last);
      }
    }
    INFO(rule.name);
    CHECK(monotone);
  });
}

TEST_CASE("a piece ends where the pre-shift or the result wraps, and not before") {
  // The order turns at the next accumulator past either end.
  const auto turns_back = [](auto rule, q::interval on) {
    return rule(on.high + 1) < rule(on.high) && rule(on.low - 1) > rule(on.low);
  };
  CHECK(turns_back(q::rule_of<q::tflite::double_rounding>({one, 29}), q::monotone_on<q::tflite::double_rounding>({one, 29})));
  CHECK(turns_back(q::rule_of<q::tflite::single_rounding>({one, 20}), q::monotone_on<q::tflite::single_rounding>({one, 20})));
  CHECK(turns_back(q::rule_of<q::tflite::avx2>({one, 29}), q::monotone_on<q::tflite::avx2>({one, 29})));
  CHECK(turns_back(q::rule_of<q::cmsis_nn::requantize_s64>({32767, 9}), q::monotone_on<q::cmsis_nn::requantize_s64>({32767, 9})));
  CHECK(turns_back(q::rule_of<q::xnnpack::rndna>({(1 << 24) - 1, 16}), q::monotone_on<q::xnnpack::rndna>({(1 << 24) - 1, 16})));
}

TEST_CASE("random rules have the differences of a sweep, in either order") {
  std::vector<some_rule> rules;
  each_rule(8, [&](const some_rule& rule) { rules.push_back(rule); });
  support::random_bits random;
  random.state = support::sample_seed(1);
  INFO("seed " << support::sample_seed(1));
  std::uint64_t differing = 0, walked = 0;
  for (int i = 0; i < support::samples(1500); ++i) {
    const some_rule& a = rules[static_cast<std::size_t>(random.below(static_cast<int>(rules.size())))];
    const some_rule& b = rules[static_cast<std::size_t>(random.below(static_cast<int>(rules.size())))];
    const q::interval both{a.accs.low > b.accs.low ? a.accs.low : b.accs.low,
                           a.accs.high < b.accs.high ? a.accs.high : b.accs.high};
    const auto at = places(both);
    const std::int64_t centre = random.one_in(2) ? random.between(both.low, both.high)
                                                 : at[static_cast<std::size_t>(random.below(static_cast<int>(at.size())))];
    const std::int64_t low = centre < both.low + 300 ? both.low : centre - random.below(300);
    const std::int64_t high = centre > both.high - 300 ? both.high : centre + random.below(300);
    const auto found = q::compare_thresholds(a, b, q::interval{low, high});
    const auto outwards = q::detail::walk(a, b, q::by_magnitude{{low, high}});
    INFO(a.name << ", " << b.name << " on " << low << " .. " << high);
    REQUIRE((found.status == q::status::ok && outwards.status == q::status::ok));
    CHECK(same(found.value, swept(a, b, q::interval{low, high})));
    if (low > -(std::int64_t{1} << 61) && high < std::int64_t{1} << 61)
      CHECK(same(outwards.value, swept(a, b, q::by_magnitude{{low, high}})));
    differing += found.value.differing;
    walked += found.value.compared;
  }
  CHECK((differing > walked / 4 && differing < walked));
}

/// A rule, the bits of its accumulators, and its formula: floor(acc * mantissa / 2^right_shift + 1/2).
template <class Scheme>
struct bounded_rule {
  int bits;
  std::int64_t mantissa;
  int right_shift;
  auto rule() const {
    return q::rule_of<Scheme>({static_cast<decltype(Scheme::multiplier_type::mantissa)>(mantissa), right_shift});
  }
  std::int64_t operator()(std::int64_t acc) const {
    return (acc * mantissa + (std::int64_t{1} << (right_shift - 1))) >> right_shift;
  }
};

template <class A, class B>
void check_ends(const A& a, const B& b) {
  const auto either_order = [&](q::interval accs, const auto& use) {
    INFO(a.bits << " and " << b.bits << " bits, " << accs.low << " .. " << accs.high);
    use(q::compare_thresholds(a.rule(), b.rule(), accs), swept(a, b, accs));
    use(q::compare_thresholds(b.rule(), a.rule(), accs), swept(b, a, accs));
  };
  const auto is_swept = [](const auto& found, const q::difference& expected) {
    CHECK(found.status == q::status::ok);
    CHECK(same(found.value, expected));
  };
  const auto is_overflow = [](const auto& found, const q::difference&) {
    CHECK(found.status == q::status::accumulator_overflow);
    CHECK(found.value.compared == 0);
  };
  const std::int64_t end = std::int64_t{1} << (std::min(a.bits, b.bits) - 1);
  for (const std::int64_t last : {end - 2, end - 1}) {
    either_order({end - 40, last}, is_swept);
    either_order({-last - 1, 40 - end}, is_swept);
  }
  either_order({end - 40, end}, is_overflow);
  either_order({-end - 1, 40 - end}, is_overflow);
  either_order({end, end + 40}, is_overflow);
  either_order({-end - 40, -end - 1}, is_overflow);
  either_order({end + 1, end}, is_swept);  // no accumulators
}

TEST_CASE("accumulators up to the ends of both rules are compared, and the next one beyond either is an overflow") {
  const bounded_rule<q::tosa::scale32> narrow{32, one, 31};
  const bounded_rule<q::tosa::scale16> middle{48, 1 << 14, 15};
  check_ends(narrow, bounded_rule<q::exact::half_up>{64, one, 31});
  check_ends(narrow, bounded_rule<q::exact::half_up>{64, 9, 4});
  check_ends(narrow, bounded_rule<q::fbgemm::fixed>{32, one - 1, 31});
  check_ends(narrow, middle);
  check_ends(middle, bounded_rule<q::exact::half_up>{64, 1, 1});
  check_ends(middle, bounded_rule<q::exact::half_up>{64, 3, 2});
}

TEST_CASE("rules with an output range or a promise take the accumulators of their scheme") {
  const q::multiplier32 m{one, 54};  // gives about 100 outputs of 8 bits from int32
  const auto narrow = q::rule_of<q::tosa::scale32>(m, int8_range);
  const auto wide = q::rule_of<q::exact::half_up>(m, int8_range);
  const auto promised = q::monotone(narrow, from(-(std::int64_t{1} << 40), std::int64_t{1} << 40));
  const auto status_of = [&](std::int64_t low, std::int64_t high) {
    const q::status s = q::compare_thresholds(narrow, wide, from(low, high)).status;
    CHECK(q::compare_thresholds(wide, narrow, from(low, high)).status == s);
    CHECK(q::compare_thresholds(promised, wide, from(low, high)).status == s);
    CHECK(q::equal_on(promised, promised, from(low, high)) == (s == q::status::ok));
    return s;
  };
  const std::int64_t end = std::int64_t{1} << 31;
  CHECK(status_of(-end, end - 1) == q::status::ok);
  CHECK(status_of(-end, end) == q::status::accumulator_overflow);
  CHECK(status_of(-end - 1, end - 1) == q::status::accumulator_overflow);
}

TEST_CASE("the nearest accumulator of a difference on both sides of 0 is 0") {
  const auto a = q::monotone([](std::int64_t) { return std::int64_t{1}; }, from(-50, 70));
  const auto b = q::monotone([](std::int64_t) { return std::int64_t{2}; }, from(-50, 70));
  const auto nearest = [&](std::int64_t low, std::int64_t high) {
    return q::compare_thresholds(a, b, from(low, high)).value.smallest.acc;
  };
  CHECK((nearest(-50, 70) == 0 && nearest(-1, 1) == 0 && nearest(0, 70) == 0 && nearest(-50, 0) == 0));
  CHECK((nearest(1, 70) == 1 && nearest(-50, -1) == -1));
  CHECK(q::compare_thresholds(a, b, from(3, 3)).value.compared == 1);
}

TEST_CASE("thresholds reach the last accumulator of 32 and of 48 bits, and not beyond") {
  std::int64_t least[2] = {};
  // y = acc + zero_point. The thresholds are the first acc with y > int32_max - 2 and y > int32_max - 1.
  const auto of_32 = [&](std::int32_t zero_point) {
    return q::thresholds<q::tosa::scale32>({one, 30}, {zero_point, q::int32_max - 2, q::int32_max}, least);
  };
  constexpr std::int64_t end32 = std::int64_t{1} << 31;
  REQUIRE(of_32(0).status == q::status::ok);
  CHECK((least[0] == end32 - 2 && least[1] == end32 - 1));
  REQUIRE(of_32(-1).status == q::status::ok);
  CHECK((least[0] == end32 - 1 && least[1] == end32));
  CHECK((of_32(-2).value.high == end32 - 1 && least[0] == end32 && least[1] == end32));
  // y = floor(acc / 2^16 + 1/2) + zero_point. The last 2^15 accumulators give 2^31 + zero_point.
  const auto of_48 = [&](std::int32_t zero_point) {
    return q::thresholds<q::tosa::scale16>({1 << 14, 30}, {zero_point, q::int32_max - 2, q::int32_max}, least);
  };
  constexpr std::int64_t end48 = std::int64_t{1} << 47;
  REQUIRE(of_48(-1).status == q::status::ok);
  CHECK((least[0] == end48 - (1 << 16) - (1 << 15) && least[1] == end48 - (1 << 15)));
  CHECK((of_48(-2).value.high == end48 - 1 && least[0] == end48 - (1 << 15) && least[1] == end48));
  // Thresholds at the first accumulators. y = acc + 1 is above int32_min for all acc, and above int32_min + 1 from the second on.
  CHECK(q::thresholds<q::tosa::scale32>({one, 30}, {1, q::int32_min, q::int32_min + 2}, least).status == q::status::ok);
  CHECK((least[0] == -end32 && least[1] == -end32 + 1));
}

TEST_CASE("all 2^32 and 2^48 accumulators are compared without a sweep") {
  const auto m = q::tosa::scale32::derive(0.0018).value;
  const auto tflite = q::rule_of<q::tflite::double_rounding>(m, int8_range);
  const auto tosa = q::rule_of<q::tosa::scale32>(m, int8_range);
  const auto found = q::compare_thresholds(tflite, tosa, from(q::int32_min, q::int32_max));
  REQUIRE(found.status == q::status::ok);
  // All differences lie in the range that is not clipped.
  const q::interval unclipped{-100'000, 100'000};
  q::difference expected = swept(tflite, tosa, unclipped);
  expected.compared = std::uint64_t{1} << 32;
  CHECK(same(found.value, expected));
  CHECK(found.value.differing > 50);

  const auto short_m = q::tosa::scale16::derive(1e-6).value;
  const auto a = q::rule_of<q::tosa::scale16>(short_m, q::range_of<std::int16_t>());
  const auto b = q::rule_of<q::exact::half_up>({short_m.mantissa, short_m.right_shift}, q::range_of<std::int16_t>());
  const auto same_bits = q::compare_thresholds(a, b, q::accumulators_of<q::tosa::scale16>());
  CHECK((same_bits.status == q::status::ok && same_bits.value.differing == 0 &&
         same_bits.value.compared == std::uint64_t{1} << 48));
  const auto longer =
      q::compare_thresholds(a, q::rule_of<q::exact::half_up>(q::exact::half_up::derive(1e-6).value, q::range_of<std::int16_t>()),
                            q::accumulators_of<q::tosa::scale16>());
  REQUIRE((longer.status == q::status::ok && longer.value.differing > 0));
  for (const q::sample s : {longer.value.first, longer.value.smallest, longer.value.worst}) CHECK(s.a != s.b);
}

TEST_CASE("CMSIS-NN's helper is off by the whole range where its int32 wrap begins") {
  const q::multiplier16 m{1 << 14, 15};
  const auto found =
      q::compare_thresholds(q::rule_of<q::cmsis_nn::requantize_s64>(m, q::range_of<std::int16_t>()),
                            q::rule_of<q::tflite::reduced_int64>(m, q::range_of<std::int16_t>()), {0, std::int64_t{1} << 33});
  REQUIRE(found.status == q::status::ok);
  CHECK(found.value.smallest.acc == q::int32_max);
  CHECK(found.value.worst_distance == 65535);
}

TEST_CASE("small intervals of a rule without a promise are walked, and large ones refused") {
  const auto parabola = [](std::int64_t acc) { return acc * acc; };
  const auto line = [](std::int64_t acc) { return acc + 6; };
  const auto found = q::compare_thresholds(parabola, line, from(-1000, 1000));
  CHECK(found.status == q::status::ok);
  CHECK(found.value.differing == 1999);
  CHECK(q::compare_thresholds(parabola, line, from(q::int32_min, q::int32_max)).status == q::status::not_monotone);
  CHECK(!q::equal_on(line, line, from(q::int32_min, q::int32_max)));
  CHECK(q::equal_on(q::monotone(line, from(q::int32_min, q::int32_max)), q::monotone(line, from(q::int32_min, q::int32_max)),
                    {-30'000, 30'000}));
  CHECK(q::compare_thresholds(line, line, from(1, 0)).value.compared == 0);
}

TEST_CASE("rules with more outputs or pieces than a sweep has steps are refused, for a sweep") {
  const auto fine = q::rule_of<q::tosa::scale32>({one, 30});
  const auto status_of = [](const auto& rule, q::interval accs) { return q::compare_thresholds(rule, rule, accs).status; };
  CHECK(status_of(fine, from(q::int32_min, q::int32_max)) == q::status::not_monotone);
  CHECK(status_of(fine, from(-9999, 9999)) == q::status::ok);
  // n outputs of n accumulators reach the limit of 2^16 + n / 16 at n = 69,905.
  CHECK(status_of(fine, from(1, 69'905)) == q::status::ok);
  CHECK(status_of(fine, from(1, 69'906)) == q::status::not_monotone);
  const auto line = [](std::int64_t acc) { return acc; };
  const some_rule in_halves{"", {}, line, [](std::int64_t acc) { return acc / 40'000; }};
  CHECK(status_of(in_halves, from(0, 79'999)) == q::status::not_monotone);  // the limit is 70,536 outputs; each half has 40,000
  CHECK(status_of(line, from(0, 65'535)) == q::status::ok);
  CHECK(status_of(line, from(0, 65'536)) == q::status::not_monotone);
}

TEST_CASE("the greatest int64 is left to a sweep") {
  const auto found =
      q::compare_thresholds([](std::int64_t) { return std::int64_t{0}; }, [](std::int64_t) { return std::int64_t{1}; },
                            from(q::limits<std::int64_t>::max - 3, q::limits<std::int64_t>::max));
  CHECK((found.status == q::status::not_monotone && found.value.compared == 0));
}

TEST_CASE("a promise that is false is noticed") {
  const auto step = [](std::int64_t acc) { return std::int64_t{acc >= 5}; };
  const auto wave = [](std::int64_t acc) { return acc / 1000 % 7; };
  const auto dent = [](std::int64_t acc) { return acc > 40'000 && acc < 60'000 ? -1 : acc / 1000; };
  const q::interval accs{0, 100'000'000};
  const auto good = q::monotone(step, accs);
  CHECK(q::compare_thresholds(good, good, accs).status == q::status::ok);
  CHECK(q::compare_thresholds(q::monotone(wave, accs), good, accs).status == q::status::not_monotone);
  CHECK(q::compare_thresholds(good, q::monotone(dent, accs), from(0, 100'000)).status == q::status::not_monotone);
  // Both rules are tried. Only the samples detect a hump between equal ends. Only the walk detects a fall between two samples.
  const auto refused = [&](const auto& rule, std::int64_t last) {
    const auto promised = q::monotone(rule, accs);
    CHECK(q::compare_thresholds(good, promised, from(0, last)).status == q::status::not_monotone);
    CHECK(q::compare_thresholds(promised, good, from(0, last)).status == q::status::not_monotone);
  };
  refused([](std::int64_t acc) { return std::int64_t{acc > 40'000 && acc < 60'000}; }, 100'000);
  refused([](std::int64_t acc) { return acc == 3 ? std::int64_t{1} : acc; }, 4);
  // The promise holds for a part of the range. The rest is walked, accumulator by accumulator.
  const auto in_part = q::monotone(wave, from(100, 900));
  const auto found = q::compare_thresholds(in_part, good, from(0, 3000));
  CHECK((found.status == q::status::ok && same(found.value, swept(wave, step, q::interval{0, 3000}))));
}

TEST_CASE("a rule's domain is not tested if it is the same on each piece") {
  struct half {
    std::int64_t operator()(std::int64_t acc) const { return acc / 2; }
    bool valid(std::int64_t acc) const { return acc >= -10 && acc < 10; }
    std::int64_t piece(std::int64_t acc) const { return acc < -10 ? -1 : acc < 10 ? 0 : 1; }
  };
  const auto found = q::compare_thresholds(half{}, q::rule_of<q::exact::half_up>({1, 1}), from(-1000, 1000));
  CHECK(found.status == q::status::ok);
  CHECK(found.value.compared == 20);
  CHECK(found.value.differing == 5);
  CHECK(q::compare_thresholds(q::rule_of<q::exact::half_up>({1, 1}), half{}, from(-1000, 1000)).value.compared == 20);
}

TEST_CASE("a search from a good guess needs few evaluations, and none at the ends") {
  constexpr std::int64_t low = -5, high = std::int64_t{1} << 60, begin = std::int64_t{1} << 40;
  for (const std::int64_t distance : {-1000, -7, -1, 0, 1, 2, 7, 1000}) {
    int asked = 0;
    const auto holds = [&](std::int64_t x) {
      REQUIRE((x > low && x < high));
      ++asked;
      return x >= begin;
    };
    CAPTURE(distance);
    CHECK(q::detail::search_from(low, high, begin + distance, holds) == begin);
    CHECK(asked <= (distance * distance <= 4 ? 4 : distance * distance <= 49 ? 8 : 22));
  }
  for (const std::int64_t first : {1, 2, 3, 8})
    for (std::int64_t guess = -1; guess < 10; ++guess)
      CHECK(q::detail::search_from(0, 8, guess, [=](std::int64_t x) {
              REQUIRE((x > 0 && x < 8));
              return x >= first;
            }) == first);
  static_assert(q::detail::as_far_again(3, 10) == 17);
}

TEST_CASE("a threshold moves to the first accumulator that reaches it, and none beyond the end is evaluated") {
  const auto goes_on_to = [](std::int64_t at, std::int64_t first) {
    std::int64_t guess = at;
    q::detail::go_on(at, guess, 8, [=](std::int64_t x) {
      REQUIRE(x <= 8);
      return x >= first;
    });
    return at;
  };
  CHECK((goes_on_to(3, 2) == 3 && goes_on_to(3, 5) == 5 && goes_on_to(3, 8) == 8 && goes_on_to(3, 9) == 9));
  CHECK((goes_on_to(8, 8) == 8 && goes_on_to(8, 9) == 9 && goes_on_to(9, 9) == 9));
}

TEST_CASE("a walk notices a rule that changes direction") {
  const auto is_monotone = [](const std::vector<int>& outputs) {
    const auto rule = [&](std::int64_t acc) { return std::int64_t{outputs[static_cast<std::size_t>(acc)]}; };
    q::detail::walker<decltype(rule)> walk{rule, 0, static_cast<std::int64_t>(outputs.size()) - 1};
    while (walk.next <= walk.last && walk.monotone) walk.step();
    return walk.monotone;
  };
  CHECK((is_monotone({0, 1, 2, 3}) && is_monotone({3, 2, 1, 0}) && is_monotone({0, 3}) && is_monotone({3, 0})));
  CHECK((!is_monotone({0, 1, 3, 2}) && !is_monotone({0, 2, 1, 3})));
  CHECK((!is_monotone({3, 2, 0, 1}) && !is_monotone({3, 1, 2, 0})));
}

TEST_CASE("samples of a piece find a rule that changes direction between them") {
  const auto falls_between = [](std::int64_t last) {
    return q::detail::keeps_order([=](std::int64_t acc) { return acc == last ? last : -acc; }, 0, last);
  };
  CHECK((falls_between(63) && !falls_between(64) && !falls_between(1000)));
  CHECK(q::detail::keeps_order([](std::int64_t acc) { return acc / 9; }, 0, 1000));
  CHECK(q::detail::keeps_order([](std::int64_t acc) { return -acc / 9; }, 0, 1000));
  CHECK(!q::detail::keeps_order([](std::int64_t acc) { return acc > 900 ? acc - 600 : acc; }, 0, 960));
  // The first sample is at 1, and the last sample at 934. A wave with the period of the samples is 0 at each sample.
  for (const std::int64_t seen : {1, 934})
    CHECK(!q::detail::keeps_order([=](std::int64_t acc) { return acc == seen ? -1 : 0; }, 0, 960));
  for (const std::int64_t period : {30, 37})
    CHECK(!q::detail::keeps_order([=](std::int64_t acc) { return acc % period; }, 0, 32 * period));
}

TEST_CASE("thresholds are the least accumulators that give their outputs") {
  std::vector<std::int64_t> least(255);
  const auto check_scheme = [&](auto scheme, auto m, q::interval window) {
    using type = decltype(scheme);
    const auto on = q::thresholds<type>(m, int8_range, least);
    REQUIRE(on.status == q::status::ok);
    const auto rule = q::rule_of<type>(m, int8_range);
    const bool rises = rule(on.value.low) <= rule(on.value.high);
    bool right = true;
    for (std::uint64_t i = 0; i < window.size(); ++i) {
      std::int64_t y = rises ? -128 : 127;
      for (const std::int64_t t : least) y += t <= window[i] ? (rises ? 1 : -1) : 0;
      right = right && y == rule(window[i]);
    }
    CHECK(right);
  };
  check_scheme(q::tosa::scale32{}, q::multiplier32{one + 12345, 36}, from(-9000, 9000));
  check_scheme(q::tflite::double_rounding{}, q::multiplier32{-one - 12345, 36}, from(-9000, 9000));
  check_scheme(q::exact::half_even{}, q::multiplier32{5, 3}, from(-900, 900));
  check_scheme(q::xnnpack::fp32{}, q::binary32{0.037f}, from(-9000, 9000));
  check_scheme(q::tflite::single_rounding{}, q::multiplier32{one, 10}, from(-2048, 2047));
  check_scheme(q::tosa::scale32{}, q::multiplier32{0, 36}, from(-9, 9));
  CHECK((least[130] == q::int32_min && least[131] == std::int64_t{q::int32_max} + 1 && least[254] == least[131]));

  CHECK(q::thresholds<q::tosa::scale32>({one, 1}, int8_range, least).status == q::status::multiplier_out_of_range);
  CHECK(q::thresholds<q::tosa::scale32>({one, 31}, {0, 1, 0}, least).status == q::status::empty_range);
  CHECK(q::thresholds<q::tosa::scale32>({one, 31}, {0, 0, 5}, least).status == q::status::shape_mismatch);
  const auto into = [](q::output_range range, q::view<std::int64_t> to) {
    return q::thresholds<q::tosa::scale32>({one, 31}, range, to).status;
  };
  CHECK(into({0, 5, 5}, {}) == q::status::ok);
  CHECK(into({0, -5, 5}, {nullptr, 10}) == q::status::null_data);
}

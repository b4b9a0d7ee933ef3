#include <dyadic/compare.hpp>

#include <dyadic/dyadic.hpp>
#include <dyadic/schemes.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

constexpr std::int32_t one = 1 << 30;

constexpr bool same(q::sample x, q::sample y) { return x.acc == y.acc && x.a == y.a && x.b == y.b; }
constexpr bool same(const q::difference& x, const q::difference& y) {
  return x.compared == y.compared && x.differing == y.differing && same(x.first, y.first) && same(x.worst, y.worst) &&
         x.worst_distance == y.worst_distance;
}
constexpr bool same_and_smallest(const q::difference& x, const q::difference& y) {
  return same(x, y) && same(x.smallest, y.smallest);
}

/// A user's scheme that halves an int16 towards zero. The mantissa 13 is not valid.
struct halving {
  using accumulator = std::int16_t;
  using multiplier_type = q::multiplier16;
  static constexpr bool valid(multiplier_type m) noexcept { return m.mantissa != 13; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type) noexcept { return acc / 2; }
};

/// A rule with its own domain: the identity on even numbers.
struct even_only {
  constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return acc; }
  constexpr bool valid(std::int64_t acc) const noexcept { return acc % 2 == 0; }
};

constexpr auto identity = [](std::int64_t acc) { return acc; };
constexpr auto floor_of_half = [](std::int64_t acc) { return acc >> 1; };
constexpr auto truncated_half = [](std::int64_t acc) { return acc / 2; };
constexpr auto parabola = [](std::int64_t acc) { return acc + (acc > 10 && acc < 20 ? (acc - 10) * (20 - acc) : 0); };

/// Returns an interval that is not a constant. A compiler would take seconds to sweep a constant interval.
q::interval from(std::int64_t low, std::int64_t high) { return {low, high}; }

// The constant evaluator computes all comparisons below.
static_assert(q::compare_rules(identity, identity, q::interval{-100, 100}).compared == 201);
static_assert(q::compare_rules(identity, identity, q::interval{-100, 100}).differing == 0);
static_assert(q::compare_rules(floor_of_half, truncated_half, q::interval{-8, 7}).differing == 4);
static_assert(q::compare_rules(q::rule_of<q::tflite::double_rounding>({one, 32}), q::rule_of<q::tosa::scale32>({one, 32}),
                               q::interval{-8, 7})
                  .differing == 4);
static_assert(q::find_first_difference(q::rule_of<q::tflite::double_rounding>({one, 32}), q::rule_of<q::tosa::scale32>({one, 32}),
                                       q::by_magnitude{q::all_int32()})
                  .first.acc == 1);
constexpr std::int8_t some_outputs[] = {1, 2, 3}, other_outputs[] = {1, 5, 4};
static_assert(q::compare_arrays(some_outputs, other_outputs).value.differing == 2);
static_assert(q::compare_arrays(some_outputs, other_outputs).value.worst.acc == 1);
static_assert(q::distance({0, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) ==
              std::numeric_limits<std::uint64_t>::max());

}  // namespace

TEST_CASE("an interval holds both its bounds") {
  CHECK(q::interval{-3, 3}.size() == 7);
  CHECK(q::interval{5, 5}.size() == 1);
  CHECK(q::interval{5, 4}.size() == 0);
  CHECK(q::interval{5, -5}.size() == 0);
  CHECK(q::all_int32().size() == std::uint64_t{1} << 32);
  CHECK(q::all_int32()[0] == q::int32_min);
  CHECK(q::all_int32()[q::all_int32().size() - 1] == q::int32_max);
}

TEST_CASE("a window ends where the whole range ends") {
  CHECK(q::around(10, 2).low == 8);
  CHECK(q::around(10, 2).high == 12);
  CHECK(q::around(q::int32_max, 2).size() == 3);
  CHECK(q::around(q::int32_min, 2).size() == 3);
  CHECK(q::around(100, 2, {0, 50}).size() == 0);
  CHECK(q::around(std::int64_t{1} << 40, 1, {0, std::int64_t{1} << 47}).low == (std::int64_t{1} << 40) - 1);
}

TEST_CASE("an order by magnitude takes each accumulator once, the least first and positive before negative") {
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

TEST_CASE("equal rules have no difference") {
  const q::difference d = q::compare_rules(parabola, parabola, q::interval{-100, 100});
  CHECK(same(d, {201, 0, {}, {}, 0}));
}

TEST_CASE("nothing is compared on no accumulators") {
  CHECK(same(q::compare_rules(identity, floor_of_half, q::interval{1, 0}), {}));
  CHECK(same(q::compare_rules(identity, floor_of_half, std::vector<std::int32_t>{}), {}));
}

TEST_CASE("a sweep counts the differences and keeps the first and the worst") {
  // (acc - 10)(20 - acc) is positive for 11 .. 19 and has its maximum of 25 at 15.
  const q::difference d = q::compare_rules(identity, parabola, q::interval{-100, 100});
  CHECK(same(d, {201, 9, {11, 11, 20}, {15, 15, 40}, 25}));
  CHECK(same(q::compare_rules(parabola, identity, q::interval{-100, 100}), {201, 9, {11, 20, 11}, {15, 40, 15}, 25}));
}

TEST_CASE("the worst difference is the first of the largest ones in the order of the sweep") {
  CHECK(same(q::compare_rules(floor_of_half, truncated_half, q::interval{-8, 7}), {16, 4, {-7, -4, -3}, {-7, -4, -3}, 1}));
  CHECK(same(q::compare_rules(floor_of_half, truncated_half, q::by_magnitude{{-8, 7}}), {16, 4, {-1, -1, 0}, {-1, -1, 0}, 1}));
}

TEST_CASE("the smallest difference has the least magnitude, positive before negative") {
  const auto smallest = [](const std::vector<std::int64_t>& accs) {
    return q::compare_rules(
               identity, [](std::int64_t acc) { return acc + 1; }, accs)
        .smallest.acc;
  };
  CHECK((smallest({-1, 5}) == -1 && smallest({5, -1}) == -1 && smallest({-2, 1}) == 1 && smallest({2, -2}) == 2));
  CHECK((smallest({-2, 2}) == 2 && smallest({-1, 1}) == 1 && smallest({1, 0, -1}) == 0));
  CHECK((!q::detail::is_nearer_to_zero(3, 3) && !q::detail::is_nearer_to_zero(-3, -3) && !q::detail::is_nearer_to_zero(0, 0)));
}

TEST_CASE("the search for the first difference stops there") {
  const q::difference d = q::find_first_difference(identity, parabola, q::interval{0, 100});
  CHECK(same(d, {12, 1, {11, 11, 20}, {11, 11, 20}, 9}));
  CHECK(q::find_first_difference(identity, identity, q::interval{0, 100}).compared == 101);
}

TEST_CASE("a list of accumulators is swept in its order") {
  const std::array<std::int32_t, 4> chosen = {19, 5, 15, 11};
  CHECK(same(q::compare_rules(identity, parabola, chosen), {4, 3, {19, 19, 28}, {15, 15, 40}, 25}));
  CHECK(same(q::compare_rules(identity, parabola, std::vector<std::int64_t>{5, 12}), {2, 1, {12, 12, 28}, {12, 12, 28}, 16}));
}

TEST_CASE("the differences of two parts merge to the difference of the whole") {
  const q::difference whole = q::compare_rules(identity, parabola, q::interval{0, 30});
  for (std::int64_t split = -1; split <= 30; ++split) {
    const q::difference earlier = q::compare_rules(identity, parabola, q::interval{0, split});
    const q::difference later = q::compare_rules(identity, parabola, q::interval{split + 1, 30});
    CHECK(same_and_smallest(q::merge(earlier, later), whole));
  }
}

TEST_CASE("a rule's own domain limits the sweep, on either side") {
  CHECK(q::compare_rules(even_only{}, floor_of_half, q::interval{-8, 8}).compared == 9);
  CHECK(q::compare_rules(floor_of_half, even_only{}, q::interval{-8, 8}).compared == 9);
  CHECK(same(q::find_first_difference(even_only{}, floor_of_half, q::interval{1, 8}), {1, 1, {2, 2, 1}, {2, 2, 1}, 1}));
}

TEST_CASE("a user's scheme is compared like a publisher's") {
  const q::difference d = q::compare_rules(q::rule_of<halving>({}), floor_of_half, from(-32768, 32767));
  CHECK(same(d, {65536, 16384, {-32767, -16383, -16384}, {-32767, -16383, -16384}, 1}));
  CHECK(q::compare_rules(q::rule_of<halving>({}), truncated_half, from(-32768, 32767)).differing == 0);
  // For odd accumulators exact::half_away gives an output one farther from zero than halving does.
  CHECK(q::compare_rules(q::rule_of<halving>({}), q::rule_of<q::exact::half_away>({1, 1}), q::interval{-4, 4}).differing == 4);
}

TEST_CASE("a strict rule leaves out what its publisher does not define") {
  // TOSA: -2 <= acc < 2 for a right_shift of 2.
  const auto tosa = q::strict_rule_of<q::tosa::scale32>({one, 2});
  CHECK(q::compare_rules(tosa, tosa, q::interval{-8, 7}).compared == 4);
  // A scheme without valid(acc, m) accepts all values of the accumulator type if the multiplier is valid.
  const auto good = q::strict_rule_of<halving>({7, 0});
  const auto bad = q::strict_rule_of<halving>({13, 0});
  CHECK(q::compare_rules(good, identity, from(-40000, 40000)).compared == 65536);
  CHECK(q::compare_rules(bad, identity, q::interval{-8, 7}).compared == 0);
  CHECK(q::compare_rules(q::rule_of<halving>({13, 0}), identity, q::interval{-8, 7}).compared == 16);
}

TEST_CASE("rules that are known to be monotone give the difference of a sweep without one") {
  const auto range = q::range_of<std::int8_t>(-3);
  struct some_rule {  // any known rule, so that only one comparison is compiled
    std::function<std::int64_t(std::int64_t)> y, number;
    std::int64_t operator()(std::int64_t acc) const { return y(acc); }
    std::int64_t piece(std::int64_t acc) const { return number(acc); }
  };
  const auto known = [](auto rule) { return some_rule{rule, [=](std::int64_t acc) { return rule.piece(acc); }}; };
  const auto check_rules = [](const some_rule& a, const some_rule& b, std::int64_t low, std::int64_t high) {
    // Lambdas promise nothing, so that they are swept.
    const auto swept_a = [=](std::int64_t acc) { return a(acc); };
    const auto swept_b = [=](std::int64_t acc) { return b(acc); };
    for (const q::interval accs : {q::interval{low, high}, q::interval{low, -1}, q::interval{1, high}, q::interval{7, 6}}) {
      const q::by_magnitude outwards{accs};
      CHECK(same_and_smallest(q::compare_rules(a, b, accs), q::compare_rules(swept_a, swept_b, accs)));
      CHECK(same_and_smallest(q::compare_rules(a, b, outwards), q::compare_rules(swept_a, swept_b, outwards)));
      CHECK(same_and_smallest(q::find_first_difference(a, b, accs), q::find_first_difference(swept_a, swept_b, accs)));
      CHECK(same_and_smallest(q::find_first_difference(a, b, outwards), q::find_first_difference(swept_a, swept_b, outwards)));
      CHECK(same_and_smallest(q::compare_rules(a, b, outwards, q::threads{2}), q::compare_rules(swept_a, swept_b, outwards)));
      CHECK(same_and_smallest(q::find_first_difference(a, b, outwards, q::threads{2}),
                              q::find_first_difference(swept_a, swept_b, outwards)));
    }
  };
  check_rules(known(q::rule_of<q::tflite::double_rounding>({one + 777, 36}, range)),
              known(q::rule_of<q::tosa::scale32>({one + 777, 36}, range)), -9999, 7777);
  check_rules(known(q::rule_of<q::tflite::double_rounding>({-one, 36}, range)),
              known(q::rule_of<q::exact::half_even>({-one, 36}, range)), -777, 9999);
  check_rules(known(q::rule_of<q::tflite::double_rounding>({one, 12})), known(q::rule_of<q::tflite::single_rounding>({one, 12})),
              -20'000, 20'000);
  check_rules(known(q::rule_of<q::xnnpack::fp32>(0.037f, range)), known(q::rule_of<q::onednn::f32>({0.037f, 1.0f, 1.0f}, range)),
              -9999, 9999);
  check_rules(known(q::rule_of<q::tosa::scale32>({one, 31})), known(q::rule_of<q::fbgemm::fixed>({one, 31})), -99'999, 99'999);
  CHECK(q::compare_rules(q::rule_of<q::tosa::scale32>({one, 36}, range), q::rule_of<q::fbgemm::fixed>({one, 36}, range),
                         q::all_int32())
            .compared == std::uint64_t{1} << 32);
}

TEST_CASE("the first difference of known rules is the nearest to zero in any interval") {
  const q::interval all = from(-99, 99);
  const auto doubled = q::monotone([](std::int64_t acc) { return 2 * acc; }, all);
  for (std::int64_t at = -4; at <= 4; ++at) {
    const auto differs_there = q::monotone([at](std::int64_t acc) { return 2 * acc + (acc == at ? 1 : 0); }, all);
    for (std::int64_t low = -7; low <= at; ++low)
      for (std::int64_t high = at; high <= 7; ++high) {
        std::uint64_t compared = 0;  // accumulators up to `at` from the middle outwards
        for (std::int64_t acc = low; acc <= high; ++acc) {
          const std::int64_t size = acc < 0 ? -acc : acc, size_at = at < 0 ? -at : at;
          compared += size < size_at || acc == at || (size == size_at && acc > at) ? 1 : 0;
        }
        CAPTURE(at, low, high);
        const q::sample there{at, 2 * at, 2 * at + 1};
        REQUIRE(
            same(q::find_first_difference(doubled, differs_there, q::by_magnitude{{low, high}}), {compared, 1, there, there, 1}));
      }
  }
}

TEST_CASE("the first difference is found by a sweep if a walk gives up") {
  struct in_two_pieces {
    std::int64_t more;
    std::int64_t operator()(std::int64_t acc) const { return 2 * acc + (acc == -250 || acc == 3 ? more : 0); }
    std::int64_t piece(std::int64_t acc) const { return acc < -200 ? 0 : 1; }
  };
  const q::interval all = from(-300, 2'000'000);  // the second piece has too many outputs for a walk
  const auto walked = q::compare_thresholds(in_two_pieces{0}, in_two_pieces{1}, all);
  REQUIRE((walked.status == q::status::not_monotone && walked.value.first.acc == -250));
  CHECK(
      same(q::find_first_difference(in_two_pieces{0}, in_two_pieces{1}, q::by_magnitude{all}), {6, 1, {3, 6, 7}, {3, 6, 7}, 1}));
}

TEST_CASE("known rules are compared at the ends of int64, too") {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const auto up = q::rule_of<q::exact::half_up>({1, 62});
  const auto even = q::rule_of<q::exact::half_even>({1, 62});
  CHECK(q::compare_rules(up, even, q::interval{most - 9, most}).compared == 10);
  CHECK(q::compare_rules(up, even, q::interval{least, least + 9}).compared == 10);
  CHECK(same(q::compare_rules(up, even, q::interval{least, most - 1}), {std::numeric_limits<std::uint64_t>::max(),
                                                                        2,
                                                                        {-3 * (std::int64_t{1} << 61), -1, -2},
                                                                        {-3 * (std::int64_t{1} << 61), -1, -2},
                                                                        1}));
}

TEST_CASE("accumulators that a rule does not take are left out") {
  const std::int64_t end = std::int64_t{1} << 31;
  const auto narrow = q::rule_of<q::tosa::scale32>({one, 31});
  const auto wide = q::rule_of<q::exact::half_up>({one, 31});
  const auto check_left_out = [&](std::int64_t low, std::int64_t high, std::uint64_t taken) {
    for (const q::difference& d :
         {q::compare_rules(narrow, wide, from(low, high)), q::compare_rules(wide, narrow, q::by_magnitude{from(low, high)}),
          q::find_first_difference(narrow, wide, from(low, high)), q::compare_rules(narrow, wide, from(low, high), q::threads{2}),
          q::compare_rules(q::monotone(narrow, from(low, high)), wide, from(low, high))})
      CHECK((d.compared == taken && d.differing == 0));
  };
  check_left_out(end - 3, end - 1, 3);
  check_left_out(end - 3, end, 3);
  check_left_out(end, end + 9, 0);
  check_left_out(-end, 4 - end, 5);
  check_left_out(-end - 1, 4 - end, 5);
  check_left_out(-end - 9, -end - 1, 0);
  CHECK(q::compare_rules(narrow, wide, std::vector<std::int64_t>{end, 1, -end - 1, -end}).compared == 2);
}

TEST_CASE("intervals of any ends have a window and an order by magnitude") {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  const auto is = [](q::interval a, std::int64_t low, std::int64_t high) { return a.low == low && a.high == high; };
  CHECK(is(q::around(most, most, from(least, most)), 0, most));
  CHECK(is(q::around(least, most, from(least, most)), least, -1));
  CHECK(is(q::around(0, most, from(least, most)), -most, most));
  CHECK(is(q::around(least + 1, 2, from(least, most)), least, least + 3));
  CHECK(is(q::around(100, 2, from(0, 98)), 98, 98));
  CHECK(is(q::around(0, 2, from(2, 98)), 2, 2));
  CHECK(is(q::around(5, 0), 5, 5));
  CHECK(q::around(100, -1).size() == 0);
  CHECK(q::around(least, least).size() == 0);
  const auto last = [](q::interval range) {
    const q::by_magnitude accs{range};
    return accs[accs.size() - 1];
  };
  CHECK(last(from(least, most - 1)) == least);
  CHECK(last(from(least + 1, most)) == -most);
  CHECK(last(from(least + 2, most)) == most);
  CHECK(last(from(1, most)) == most);
  CHECK(last(from(least, -1)) == least);
  CHECK(q::by_magnitude{from(least, most - 1)}[std::numeric_limits<std::uint64_t>::max() - 2] == -most);
  // The order visits all these accumulators before the first difference.
  const auto up = q::rule_of<q::exact::half_up>({1, 63});
  const auto even = q::rule_of<q::exact::half_away>({1, 63});
  const q::difference d = q::find_first_difference(up, even, q::by_magnitude{from(least, most - 1)});
  CHECK((d.differing == 1 && d.first.acc == -(std::int64_t{1} << 62)));
  CHECK(d.compared == (std::uint64_t{1} << 63) + 1);
}

TEST_CASE("a rule with an output range adds the zero point and clamps") {
  const auto rule = q::rule_of<q::tflite::double_rounding>({one, 31}, q::range_of<std::int8_t>(-3));
  CHECK(rule(10) == 2);
  CHECK(rule(1000) == 127);
  CHECK(rule(-1000) == -128);
}

TEST_CASE("two arrays are compared element by element, and a sample names the index") {
  const std::int16_t exact[] = {5, -7, 32767, -32768, 0, 9};
  const std::vector<std::int16_t> mine{5, -6, 32767, 32767, 65, 9};
  const q::result<q::difference> d = q::compare_arrays(mine, exact);
  CHECK(d.status == q::status::ok);
  CHECK(same(d.value, {6, 3, {1, -6, -7}, {3, 32767, -32768}, 65535}));
  const q::result<q::difference> reversed = q::compare_arrays(exact, q::view<const std::int16_t>(mine.data(), 6));
  CHECK(same(reversed.value, {6, 3, {1, -7, -6}, {3, -32768, 32767}, 65535}));
  // Arrays of two element types, equal arrays, a difference in the last element. The first of several elements with the worst
  // difference is reported.
  CHECK(same(q::compare_arrays(std::array<std::int8_t, 3>{1, 2, 3}, std::array<std::int64_t, 3>{1, 2, 4}).value,
             {3, 1, {2, 3, 4}, {2, 3, 4}, 1}));
  CHECK(same(q::compare_arrays(std::array<int, 2>{1, 2}, std::array<int, 2>{0, 3}).value, {2, 2, {0, 1, 0}, {0, 1, 0}, 1}));
  CHECK(same(q::compare_arrays(exact, exact).value, {6, 0, {}, {}, 0}));
}

TEST_CASE("arrays that cannot be compared have a status, and nothing is compared") {
  const std::int16_t y[] = {1, 2, 3};
  const auto outcome = [&](q::view<const std::int16_t> a, q::view<const std::int16_t> b) {
    const q::result<q::difference> d = q::compare_arrays(a, b);
    CHECK(same(d.value, {}));
    return d.status;
  };
  CHECK(outcome(y, {y, 2}) == q::status::shape_mismatch);
  CHECK(outcome({y, 0}, y) == q::status::shape_mismatch);
  CHECK(outcome({nullptr, 3}, y) == q::status::null_data);
  CHECK(outcome(y, {nullptr, 3}) == q::status::null_data);
  CHECK(outcome(y, {y, -1}) == q::status::negative_size);
  CHECK(outcome({nullptr, 0}, {nullptr, 0}) == q::status::ok);
}

TEST_CASE("a difference is printed as a sentence") {
  const auto text = [](const q::difference& d) { return std::string(q::to_string(d).c_str()); };
  CHECK(text(q::compare_rules(identity, parabola, q::interval{-100, 100})) ==
        "9 of 201 differ; the first at 11, 11 and 20; the smallest at 11, 11 and 20; the worst by 25 at 15, 15 and 40");
  // Three accumulators, each at its place.
  CHECK(text({9, 3, {-7, 1, 2}, {5, 30, 40}, 10, {4, 6, 8}}) ==
        "3 of 9 differ; the first at -7, 1 and 2; the smallest at 4, 6 and 8; the worst by 10 at 5, 30 and 40");
  CHECK(text(q::compare_rules(parabola, parabola, q::interval{-100, 100})) == "none of 201 differ");
  CHECK(text({}) == "nothing was compared");
  CHECK(text(q::compare_rules(identity, parabola, q::interval{1, 0})) == "nothing was compared");
  // The longest interval.
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::string lowest = "-9223372036854775808";
  const std::string highest = "18446744073709551615";
  const std::string worst = lowest + ", " + lowest + " and " + lowest;
  CHECK(text({most, most, {least, least, least}, {least, least, least}, most, {least, least, least}}) ==
        highest + " of " + highest + " differ; the first at " + worst + "; the smallest at " + worst + "; the worst by " +
            highest + " at " + worst);
  static_assert(*q::to_string(q::difference{7, 0, {}, {}, 0}).c_str() == 'n');
}

TEST_CASE("a difference with a status is printed with the status, whatever was found before") {
  const auto text = [](const q::result<q::difference>& d) { return std::string(q::to_string(d).c_str()); };
  const std::int16_t y[] = {1, 2, 3};
  CHECK(text(q::compare_arrays(y, y)) == "none of 3 differ");
  CHECK(text(q::compare_arrays(q::view<const std::int16_t>(y, 2), y)) == "not decided: sizes of two arguments do not match");
  CHECK(text({{9, 0, {}, {}, 0}, q::status::not_monotone}) == "not decided: rule is not monotone, or not known to be");
}

#if defined(__unix__)  // A bare-metal library has no threads.

TEST_CASE("any number of threads gives the result of one thread") {
  const auto mine = [](std::int64_t acc) { return acc % 1000 == 7 ? acc / 3 : acc; };
  const q::interval range{-100'000 / DYADIC_TEST_DIVISOR, 123'456 / DYADIC_TEST_DIVISOR};
  const q::difference single = q::compare_rules(identity, mine, range);
  CHECK(single.differing > 0);
  for (unsigned count = 0; count <= 9; ++count) {
    CHECK(same(q::compare_rules(identity, mine, range, q::threads{count}), single));
    CHECK(same(q::compare_rules(identity, mine, q::by_magnitude{range}, q::threads{count}),
               q::compare_rules(identity, mine, q::by_magnitude{range})));
    CHECK(same(q::compare_rules(identity, mine, q::interval{0, 3}, q::threads{count}),
               q::compare_rules(identity, mine, q::interval{0, 3})));
  }
  CHECK(same(q::compare_rules(identity, mine, q::interval{1, 0}, q::threads{2}), {}));
}

namespace {

int number_of_this_thread() {
  static std::atomic<int> next{0};
  thread_local const int own = next++;
  return own;
}

}  // namespace

TEST_CASE("each thread sweeps an equal share, and 0 threads mean one for each processor") {
  const auto parts = [](q::threads in) {
    std::vector<int> threads(600);
    const auto records = [&](std::int64_t acc) {
      threads[static_cast<std::size_t>(acc)] = number_of_this_thread();
      return acc;
    };
    q::compare_rules(records, identity, q::interval{0, 599}, in);
    std::map<int, int> sizes;
    for (const int thread : threads) ++sizes[thread];
    return sizes;
  };
  for (const int count : {1, 2, 3, 4, 5, 6}) {
    const auto sizes = parts(q::threads{static_cast<unsigned>(count)});
    CHECK(sizes.size() == static_cast<std::size_t>(count));
    for (const auto& [thread, size] : sizes) CHECK(size == 600 / count);
  }
  CHECK(parts({}).size() == std::max(1u, std::thread::hardware_concurrency()));
}

TEST_CASE("progress gets the number of swept accumulators and the difference so far") {
  std::vector<std::uint64_t> swept;
  std::uint64_t found = 0;
  const auto count = [&](std::uint64_t n, const q::difference& so_far) {
    swept.push_back(n);
    found = so_far.differing;
  };
  q::compare_rules(identity, parabola, q::interval{0, 99}, q::threads{2}, count);
  CHECK(swept == std::vector<std::uint64_t>{100});
  CHECK(found == 9);
#if DYADIC_TEST_DIVISOR == 1
  swept.clear();
  const std::int64_t block = std::int64_t{1} << 26;
  q::compare_rules(identity, identity, q::interval{0, block}, q::threads{2}, count);
  CHECK(swept == std::vector<std::uint64_t>{std::uint64_t{1} << 26, (std::uint64_t{1} << 26) + 1});
  swept.clear();  // blocks of 2^16, 2^17, .., 2^26, 2^26
  q::find_first_difference(identity, identity, q::interval{0, 3 * block}, q::threads{2}, count);
  REQUIRE(swept.size() == 13);
  for (std::size_t i = 0; i < 11; ++i) CHECK(swept[i] == (std::uint64_t{1} << (17 + i)) - (1 << 16));
  CHECK(swept[11] == 3 * (std::uint64_t{1} << 26) - (1 << 16));
#endif
}

TEST_CASE("progress is called once if nothing is swept") {
  const auto rule = q::rule_of<q::tosa::scale32>({one, 36}, q::range_of<std::int8_t>());
  std::vector<std::uint64_t> swept;
  const auto count = [&](std::uint64_t n, const q::difference&) { swept.push_back(n); };
  q::compare_rules(rule, rule, q::all_int32(), q::threads{2}, count);
  q::find_first_difference(rule, rule, q::all_int32(), q::threads{2}, count);
  CHECK(swept == std::vector<std::uint64_t>{std::uint64_t{1} << 32, std::uint64_t{1} << 32});
}

TEST_CASE("a progress function that returns false ends the sweep") {
  int calls = 0;
  const auto enough = [&](std::uint64_t swept, const q::difference&) { return ++calls < 2 && swept > 0; };
  const q::difference found = q::find_first_difference(identity, identity, q::all_int32(), q::threads{2}, enough);
  CHECK(calls == 2);
  CHECK(same(found, {(1 << 16) + (1 << 17), 0, {}, {}, 0}));
#if DYADIC_TEST_DIVISOR == 1
  calls = 1;
  CHECK(q::compare_rules(identity, identity, q::all_int32(), q::threads{2}, enough).compared == std::uint64_t{1} << 26);
#endif
}

TEST_CASE("the first difference is the same for any number of threads") {
  // Differences on both sides of the ends of the first blocks, and rare ones.
  for (const std::int64_t first : {0, 1, 32767, 32768, 65535, 65536, 65537, 131072, 200000}) {
    const auto mine = [&](std::int64_t acc) { return acc >= first ? acc + 1 : acc; };
    const q::interval range{0, 250'000};
    const q::difference single = q::find_first_difference(identity, mine, range);
    CHECK(single.first.acc == first);
    for (const unsigned count : {0u, 1u, 2u, 3u, 7u})
      CHECK(same(q::find_first_difference(identity, mine, range, q::threads{count}), single));
  }
  CHECK(same(q::find_first_difference(identity, identity, q::interval{0, 99'999}, q::threads{3}), {100'000, 0, {}, {}, 0}));
  CHECK(same(q::find_first_difference(even_only{}, floor_of_half, q::by_magnitude{{-99, 99}}, q::threads{2}),
             q::find_first_difference(even_only{}, floor_of_half, q::by_magnitude{{-99, 99}})));
}

#endif

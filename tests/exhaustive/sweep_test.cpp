// Every rule against the oracle, around ties, edges and powers of two, and on random numbers.

#include <set>
#include <string>

#include "../support/schemes.hpp"
#include "entries.hpp"
#include "tally.hpp"

using namespace sweep;

TEST_CASE("every rule equals its oracle around ties, range edges and powers of two") {
  std::uint64_t compared = 0;
  for (const entry& rule : entries()) {
    generator random;
    outcome all;
    for (const setting& s : rule.edges) {
      outcome one;
      for (const window& w : windows(rule, s, static_cast<std::uint64_t>((1 << 14) / divisor), 4, random))
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
  for (const entry& rule : entries()) {
    generator random;
    outcome all;
    for (int i = 0; i < scaled_count(3000); ++i) {
      const setting s = rule.random(random);
      INFO(rule.name << " " << rule.describe(s));
      if (!rule.legal(s)) FAIL("not legal");
      outcome one;
      for (int k = 0; k < 100; ++k) one.add(rule.compare(s, random_acc(random, rule.least, rule.greatest), 1));
      // The result changes between two neighbours of a random tie.
      const double tie = (static_cast<double>(random.of_random_length(62)) + 0.5) / rule.real_scale(s);
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

TEST_CASE("every scheme of the library has an oracle") {
  std::set<std::string> names;
  for (const entry& rule : entries()) names.insert(rule.name);
  support::each_scheme([&](auto s) {
    INFO(s.name);
    CHECK(names.count(s.name) == 1);
  });
}

TEST_CASE("a rule accepts its edges and refuses what lies one step beyond") {
  for (const entry& rule : entries()) {
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
  using pair = left_shift_pair<q::cmsis_nn::double_rounding, oracle::cmsis_double, preshift_fits>;
  for (const setting& s : least_mantissa_edges()) {
    const q::multiplier32 m = pair::library(s);
    for (const std::int32_t acc : {lowest32, lowest32 + 1, lowest32 / 2, -1, 0, 1, 1 << 30, highest32}) {
      INFO(pair::describe(s) << " acc " << acc);
      CHECK(pair::actual(acc, m, s) == pair::expected(acc, s));
    }
  }
}

TEST_CASE("the exact rules saturate at 2^62") {
  const q::multiplier32 m{highest32, 0};
  const std::int64_t limit = std::int64_t{1} << 62;
  CHECK(q::exact::half_up::apply(highest64, m) == limit);
  CHECK(q::exact::half_away::apply(lowest64, m) == -limit);
  CHECK(q::exact::half_even::apply(limit, {2, 1}) == limit);
  CHECK(q::exact::half_even::apply(limit - 1, {2, 1}) == limit - 1);
  // 2^93 - 1 = (2^31 - 1)(2^62 + 2^31 + 1): the floor is the largest int64, and rounding up would exceed it.
  CHECK(q::exact::half_up::apply(limit + (std::int64_t{1} << 31) + 1, {highest32, 30}) == limit);
}

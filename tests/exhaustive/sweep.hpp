#pragma once
/// \file
/// How a rule is compared with its oracle: settings, windows of accumulators, a loop, random numbers. Knows no scheme.

#include <dyadic/scheme/formula.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../oracle/requantize.hpp"
#include "../support/random.hpp"

namespace sweep {

constexpr std::int32_t lowest32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t highest32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t lowest64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest64 = std::numeric_limits<std::int64_t>::max();

/// The operands of a rule other than the accumulator, as its publisher writes them. A rule reads only the members that it has.
struct setting {
  std::int32_t multiplier = 0;
  std::int32_t shift = 0;  ///< shift with the publisher's sign convention
  double scale = 0;        ///< a binary32 where the publisher has one
  float weight_scale = 1;
  float output_scale = 1;
  dyadic::output_range range{};
};

inline setting pair(std::int32_t multiplier, std::int32_t shift) {
  setting s;
  s.multiplier = multiplier;
  s.shift = shift;
  return s;
}

inline setting real(double scale, dyadic::output_range range = {}) {
  setting s;
  s.scale = scale;
  s.range = range;
  return s;
}

/// The differences between a rule and its oracle, and whether the results vary at all.
struct outcome {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
  std::int64_t acc = 0;  ///< the first accumulator with a difference
  std::int64_t got = 0;
  std::int64_t expected = 0;
  bool contract = false;  ///< the difference is in `valid(acc, m)`, not in the value
  std::int64_t least = highest64;
  std::int64_t greatest = lowest64;

  void add(const outcome& other) {
    if (other.different != 0 && (different == 0 || other.acc < acc)) {
      acc = other.acc;
      got = other.got;
      expected = other.expected;
      contract = other.contract;
    }
    compared += other.compared;
    different += other.different;
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
  void differs(std::int64_t at, std::int64_t is, std::int64_t should_be, bool of_contract) {
    if (different++ != 0) return;
    acc = at;
    got = is;
    expected = should_be;
    contract = of_contract;
  }
};

/// The result of `expected` and `actual` of a pair where the publisher leaves the result open.
constexpr std::int64_t undefined = lowest64;

template <class Pair, class = void>
struct has_contract : std::false_type {};
template <class Pair>
struct has_contract<Pair, std::void_t<decltype(Pair::contract(typename Pair::accumulator{}, setting{}))>> : std::true_type {};

/// Compares `count` accumulators, starting with `first`. A pair has these members:
/// - `accumulator`: the type
/// - `library(setting)`: the library's multiplier
/// - `legal(setting)`: true if the library accepts the multiplier
/// - `actual(acc, multiplier, setting)`: the library's result
/// - `expected(acc, setting)`: the oracle's result
/// - `contract(acc, setting)`, optional: the oracle's answer for `accepts(acc, multiplier)`
/// - `real_scale(setting)`: about the result for an accumulator of 1
/// - `describe(setting)`: text
template <class Pair>
outcome compare(const setting& given, std::int64_t first, std::uint64_t count) {
  using accumulator = typename Pair::accumulator;
  const setting s = given;
  const auto m = Pair::library(s);
  outcome all;
  all.compared = count;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto acc = static_cast<accumulator>(static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + i));
    const std::int64_t got = Pair::actual(acc, m, s);
    const std::int64_t expected = Pair::expected(acc, s);
    if (got != expected) all.differs(acc, got, expected, false);
    if constexpr (has_contract<Pair>::value) {
      const bool accepts = Pair::accepts(acc, m);
      const bool should_accept = Pair::contract(acc, s);
      if (accepts != should_accept) all.differs(acc, accepts, should_accept, true);
    }
    all.least = std::min(all.least, got);
    all.greatest = std::max(all.greatest, got);
  }
  return all;
}

using generator = support::random_bits;

/// A pair, wrapped in functions of one type, with its edge settings and a source of random legal settings.
struct entry {
  std::string name;
  std::int64_t least;  ///< accumulator
  std::int64_t greatest;
  std::vector<setting> edges;
  std::size_t exhaustive;        ///< the number of edges that are swept over all accumulators
  std::vector<setting> refused;  ///< settings one step outside of the legal ones
  std::function<setting(generator&)> random;
  outcome (*compare)(const setting&, std::int64_t, std::uint64_t);
  bool (*legal)(const setting&);
  double (*real_scale)(const setting&);
  std::string (*describe)(const setting&);

  bool narrow() const { return least == lowest32 && greatest == highest32; }
};

template <class Pair>
entry make(std::string name, std::vector<setting> edges, std::size_t exhaustive, std::vector<setting> refused,
           std::function<setting(generator&)> random) {
  using accumulator = typename Pair::accumulator;
  std::int64_t least = std::numeric_limits<accumulator>::min();
  std::int64_t greatest = std::numeric_limits<accumulator>::max();
  if constexpr (sizeof(accumulator) == 8) {
    least = Pair::least;
    greatest = Pair::greatest;
  }
  return {std::move(name),   least,         greatest,    std::move(edges), exhaustive,    std::move(refused),
          std::move(random), compare<Pair>, Pair::legal, Pair::real_scale, Pair::describe};
}

// ---- windows of accumulators

/// The accumulators from first to last, including both.
struct window {
  std::int64_t first;
  std::int64_t last;
  std::uint64_t size() const { return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1u; }
};

/// Returns sorted windows of `width`, without overlap: around zero, each power of two and the ends of the range.
/// Other windows lie around accumulators whose result is k + 1/2: for small k, for k at the ends of each output type,
/// and for `random_ties` random k.
inline std::vector<window> windows(const entry& rule, const setting& s, std::uint64_t width, int random_ties, generator& random) {
  using oracle::wide;
  std::vector<window> all;
  const auto around = [&](wide centre) {
    const wide half = static_cast<wide>(width / 2);
    const wide first = std::max<wide>(centre - half, rule.least);
    const wide last = std::min<wide>(centre + half - 1, rule.greatest);
    if (first <= last) all.push_back({static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)});
  };
  around(rule.least);
  around(rule.greatest);
  around(0);
  for (int bit = 0; bit < 63; ++bit) {
    around(wide{1} << bit);
    around(-(wide{1} << bit));
  }
  const double scale = std::fabs(rule.real_scale(s));
  const auto tie = [&](double k) {
    const double acc = (k + 0.5) / scale;
    if (!(acc < 0x1p63)) return;
    around(static_cast<std::int64_t>(acc));
    around(-static_cast<std::int64_t>(acc));
  };
  for (const double k : {0., 1., 2., 127., 255., 32767., 65535., 0x1p24, 0x1p30, 0x1p31 - 1, 0x1p61}) tie(k);
  for (int i = 0; i < random_ties; ++i) tie(static_cast<double>(random() >> (1 + random() % 63)));

  std::sort(all.begin(), all.end(), [](const window& a, const window& b) { return a.first < b.first; });
  std::vector<window> merged;
  for (const window& w : all) {
    if (!merged.empty() && w.first <= merged.back().last)
      merged.back().last = std::max(merged.back().last, w.last);
    else
      merged.push_back(w);
  }
  return merged;
}

// ---- random numbers

/// Returns an accumulator of random bit length and sign in low .. high.
inline std::int64_t random_acc(generator& random, std::int64_t low, std::int64_t high) {
  const std::uint64_t magnitude = random.of_random_length(64);
  const auto acc = static_cast<std::int64_t>(random.one_in(2) ? 0u - magnitude : magnitude);
  return acc < low || acc > high ? random.between(low, high) : acc;
}

/// Returns a mantissa of `bits` bits, mostly of full length: random, a run of ones, few ones, or of random length.
inline std::int64_t random_mantissa(generator& random, int bits) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t mask = 2 * top - 1;
  switch (random() % 6) {
    case 0: return static_cast<std::int64_t>(random.of_random_length(bits));
    case 1: return static_cast<std::int64_t>(mask & (mask << random.between(0, bits - 1)));
    case 2: return static_cast<std::int64_t>(top | (std::uint64_t{1} << random.between(0, bits - 1)));
    case 3: return static_cast<std::int64_t>((top | random.of_random_length(bits)) & mask);
    default: return static_cast<std::int64_t>(top | (random() & mask));
  }
}

/// Returns a positive real number of at most `bits` significant bits. Its exponent is uniform: low <= floor(log2) <= high.
inline double random_real(generator& random, int bits, int low, int high) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t significand = top | static_cast<std::uint64_t>(random_mantissa(random, bits));
  return std::ldexp(static_cast<double>(significand), static_cast<int>(random.between(low, high)) - (bits - 1));
}

// ---- text

inline std::string text(const char* format, double a) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, a);
  return buffer;
}

inline std::string describe_integer(const setting& s) {
  return "multiplier " + std::to_string(s.multiplier) + " shift " + std::to_string(s.shift);
}

inline std::string describe_range(const setting& s) {
  return "zero point " + std::to_string(s.range.zero_point) + " range " + std::to_string(s.range.min) + ".." +
         std::to_string(s.range.max);
}

inline std::string describe_real(const setting& s) { return "scale " + text("%a", s.scale) + " " + describe_range(s); }

inline std::string describe(const outcome& o) {
  if (o.different == 0) return "equal";
  return std::to_string(o.different) + " differ, the first at acc " + std::to_string(o.acc) + ": " +
         (o.contract ? "valid(acc, m) " : "got ") + std::to_string(o.got) + ", expected " + std::to_string(o.expected);
}

}  // namespace sweep

#pragma once
/// \file
/// Searches for the smallest input on which two schemes differ.

#include <dyadic/compare.hpp>
#include <dyadic/dyadic.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/schemes.hpp"

namespace bench {

namespace q = dyadic;

// The schemes, behind function pointers, so that a table can hold them.

struct scheme {
  std::string name;
  bool (*accepts)(q::multiplier32);
  bool (*defines)(std::int64_t, q::multiplier32);
  std::int64_t (*apply)(std::int64_t, q::multiplier32);
};

/// Scheme with a mantissa that is shorter by `Unused` bits. The lowest `Unused` bits of a multiplier must be 0 and are removed,
/// so that the scale stays the same.
template <class Scheme, int Unused>
struct shortened {
  using multiplier_type = typename Scheme::multiplier_type;
  using mantissa_type = typename multiplier_type::mantissa_type;

  static constexpr multiplier_type shorten(q::multiplier32 m) noexcept {
    return {static_cast<mantissa_type>(m.mantissa >> Unused), m.right_shift - Unused};
  }
  static bool accepts(q::multiplier32 m) {
    const bool is_exact = std::int64_t{shorten(m).mantissa} * (std::int64_t{1} << Unused) == m.mantissa;
    return is_exact && Scheme::valid(shorten(m));
  }
  static bool defines(std::int64_t acc, q::multiplier32 m) { return q::strict_rule_of<Scheme>(shorten(m)).valid(acc); }
  static std::int64_t apply(std::int64_t acc, q::multiplier32 m) { return q::rule_of<Scheme>(shorten(m))(acc); }
};

/// The number of bits by which the publisher's mantissa is shorter than 32 bits.
/// @{
template <class Scheme>
inline constexpr int unused_bits = 0;
template <>
inline constexpr int unused_bits<q::xnnpack::rndnu> = 7;
template <>
inline constexpr int unused_bits<q::xnnpack::rndnu_neon> = 7;
template <>
inline constexpr int unused_bits<q::xnnpack::rndna> = 7;
template <>
inline constexpr int unused_bits<q::xnnpack::rndnu16> = 16;
/// @}

/// Returns the selected schemes.
template <template <class...> class Selection>
std::vector<scheme> schemes_of() {
  std::vector<scheme> all;
  support::each_scheme<Selection>([&](auto named) {
    using type = typename decltype(named)::scheme;
    constexpr int unused = unused_bits<type>;
    using s = shortened<type, unused>;
    const std::string length = unused > 0 ? " (" + std::to_string(31 - unused) + "-bit mantissa)" : "";
    all.push_back({named.name + length, s::accepts, s::defines, s::apply});
  });
  return all;
}

// The inputs that are searched.

struct search_space {
  std::vector<q::multiplier32> multipliers;  ///< simple mantissas first, negative last: the first of equal |acc| is shown
  std::vector<std::int64_t> accumulators;    ///< accumulators, the least |acc| first
};

/// Returns -dense .. dense, and windows of `radius` around +-2^k up to the edges of an accumulator of `bits` bits.
inline std::vector<std::int64_t> accumulators(int bits, std::int64_t dense, std::int64_t radius) {
  const q::interval all{-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  std::vector<std::int64_t> accs;
  const auto take = [&](std::int64_t centre, std::int64_t reach) {
    const q::interval w = q::around(centre, reach, all);
    for (std::uint64_t i = 0; i < w.size(); ++i) accs.push_back(w[i]);
  };
  take(0, dense);
  for (int k = 0; k < bits; ++k) {
    take(std::int64_t{1} << k, radius);
    take(-(std::int64_t{1} << k), radius);
  }
  const auto before = [](std::int64_t a, std::int64_t b) {
    const std::int64_t size_a = a < 0 ? -a : a;
    const std::int64_t size_b = b < 0 ? -b : b;
    return size_a != size_b ? size_a < size_b : a > b;
  };
  std::sort(accs.begin(), accs.end(), before);
  accs.erase(std::unique(accs.begin(), accs.end()), accs.end());
  return accs;
}

/// Returns every mantissa with every right_shift, grouped by right_shift.
inline std::vector<q::multiplier32> multipliers(const std::vector<std::int32_t>& mantissas,
                                                const std::vector<std::int32_t>& right_shifts) {
  std::vector<q::multiplier32> all;
  for (const std::int32_t right_shift : right_shifts)
    for (const std::int32_t mantissa : mantissas) all.push_back({mantissa, right_shift});
  return all;
}

inline search_space int32_space(bool smoke) {
  constexpr std::int32_t one = 1 << 30;
  constexpr std::int32_t max = q::int32_max;
  const std::vector<std::int32_t> right_shifts = {31, 32, 30, 33, 29, 34, 28, 35, 38, 24, 23,
                                                  39, 47, 54, 55, 16, 8,  2,  1,  61, 62, 63};
  // Mantissas that give ties. They are small odd multiples, and mantissas one bit above a tie in 31, 24 and 15 bits.
  // Others are runs of 31, 24 and 15 ones, a mantissa whose product a float rounds to a tie, and a tiny one.
  std::vector<q::multiplier32> all = multipliers({one, one + 1, 3 << 29, 5 << 28, 7 << 28, one + (1 << 7), one + (1 << 16), max,
                                                  max - 0x7F, max - 0xFFFF, 0x55555580, 0x55555555, 1},
                                                 right_shifts);
  // Only the rules with two roundings accept negative mantissas.
  for (const q::multiplier32 m : multipliers({-one, -(one + 1), -max, q::int32_min}, right_shifts)) all.push_back(m);
  return {all, smoke ? accumulators(32, 8, 1) : accumulators(32, 4096, 256)};
}

inline search_space int48_space(bool smoke) {
  constexpr std::int32_t one = 1 << 14;
  return {multipliers({one, one + 1, 3 << 13, 5 << 12, 7 << 12, 0x7FFF, 0x7FFE, 0x5555, 1},
                      {15, 16, 14, 17, 13, 18, 23, 31, 8, 9, 10, 7, 2, 1, 32, 45, 46, 47, 61, 62}),
          smoke ? accumulators(48, 8, 1) : accumulators(48, 4096, 512)};
}

// The search.

struct counterexample {
  std::int64_t acc;
  q::multiplier32 m;
  bool defined;  ///< whether both publishers define the result

  friend bool operator<(const counterexample& x, const counterexample& y) {
    const auto key = [](const counterexample& c) {
      return std::make_tuple(!c.defined, c.acc < 0 ? -c.acc : c.acc, c.acc < 0, -std::int64_t{c.m.mantissa}, c.m.right_shift);
    };
    return key(x) < key(y);
  }
};

struct finding {
  bool differs = false;
  counterexample smallest{};
};

/// A scheme and a multiplier as a rule. If `strictly` is true, only the accumulators that the publisher defines are valid.
struct rule {
  const scheme& s;
  q::multiplier32 m;
  bool strictly;

  std::int64_t operator()(std::int64_t acc) const { return s.apply(acc, m); }
  bool valid(std::int64_t acc) const { return !strictly || s.defines(acc, m); }
};

/// A view of the first `count` accumulators.
struct prefix {
  const std::vector<std::int64_t>& accs;
  std::uint64_t count;

  std::uint64_t size() const { return count; }
  std::int64_t operator[](std::uint64_t i) const { return accs[static_cast<std::size_t>(i)]; }
};

/// Returns the index of acc among the first `count` accumulators, or `count` if it is not there.
inline std::uint64_t index_of(const std::vector<std::int64_t>& accs, std::int64_t acc, std::uint64_t count) {
  std::uint64_t i = 0;
  while (i < count && accs[static_cast<std::size_t>(i)] != acc) ++i;
  return i;
}

inline finding search(const scheme& a, const scheme& b, const search_space& space, bool strictly) {
  finding found;
  const std::vector<std::int64_t>& accs = space.accumulators;
  std::uint64_t unbeaten = accs.size();
  for (const q::multiplier32 m : space.multipliers) {
    if (!a.accepts(m) || !b.accepts(m)) continue;
    // -acc with a negative multiplier gives the same product as acc with a positive one, so -acc is not searched.
    if (found.differs && m.mantissa < 0 && found.smallest.acc < 0) unbeaten = index_of(accs, -found.smallest.acc, unbeaten);
    const auto d = q::find_first_difference(rule{a, m, strictly}, rule{b, m, strictly}, prefix{accs, unbeaten});
    if (d.differing == 0) continue;
    found = {true, {d.first.acc, m, a.defines(d.first.acc, m) && b.defines(d.first.acc, m)}};
    unbeaten = index_of(accs, d.first.acc, unbeaten);
  }
  return found;
}

/// The finding of schemes i and j is in row i, column j < i.
using matrix = std::vector<std::vector<finding>>;

inline matrix compare_all(const std::vector<scheme>& schemes, const search_space& space) {
  matrix found(schemes.size());
  for (std::size_t i = 0; i < schemes.size(); ++i) found[i].resize(i);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t pair = next++; pair < schemes.size() * schemes.size(); pair = next++) {
      const std::size_t i = pair / schemes.size();
      const std::size_t j = pair % schemes.size();
      if (j >= i) continue;
      const finding anywhere = search(schemes[i], schemes[j], space, false);
      if (!anywhere.differs) continue;
      const finding defined = anywhere.smallest.defined ? anywhere : search(schemes[i], schemes[j], space, true);
      found[i][j] = defined.differs ? defined : anywhere;
    }
  };
  std::vector<std::thread> workers(std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& worker : workers) worker = std::thread(work);
  for (std::thread& worker : workers) worker.join();
  return found;
}

}  // namespace bench

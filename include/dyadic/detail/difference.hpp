// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Intervals of accumulators, and how two rules differ on them. Floor 1.

#include <dyadic/config.hpp>
#include <dyadic/detail/text.hpp>
#include <dyadic/rounding.hpp>
#include <dyadic/status.hpp>

namespace dyadic {

/// low, low + 1, .., high: both included, none if low > high. Requires: fewer than 2^64 of them.
struct interval {
  std::int64_t low;   ///< the first one
  std::int64_t high;  ///< the last one

  /// How many accumulators.
  DYADIC_API constexpr std::uint64_t size() const noexcept {
    DYADIC_ASSERT(low != limits<std::int64_t>::min || high != limits<std::int64_t>::max);
    return low > high ? 0u : static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1u;
  }
  /// Number i of them.
  DYADIC_API constexpr std::int64_t operator[](std::uint64_t i) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + i);
  }
};

/// All 2^32 values of an int32.
DYADIC_API constexpr interval all_int32() noexcept { return {int32_min, int32_max}; }

/// centre - radius .. centre + radius, as far as it is `within`. Empty if the radius is negative.
DYADIC_API constexpr interval window(std::int64_t centre, std::int64_t radius, interval within = all_int32()) noexcept {
  if (radius < 0) return {1, 0};
  const auto is_beyond = [radius](std::int64_t from, std::int64_t to) {  // to - from > radius, without an overflow
    return to > from && static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) > static_cast<std::uint64_t>(radius);
  };
  return {is_beyond(within.low, centre) ? centre - radius : within.low,
          is_beyond(centre, within.high) ? centre + radius : within.high};
}

/// An interval from the middle outwards, 0, 1, -1, 2, -2, ..: the least |acc| first, positive before negative. With it
/// `first_difference` is the smallest counterexample.
struct by_magnitude {
  interval range;  ///< all of them

  DYADIC_API constexpr std::uint64_t size() const noexcept { return range.size(); }  ///< How many accumulators.
  /// Number i of them.
  DYADIC_API constexpr std::int64_t operator[](std::uint64_t i) const noexcept {
    const auto low = static_cast<std::uint64_t>(range.low);
    const auto high = static_cast<std::uint64_t>(range.high);
    if (range.low > 0) return static_cast<std::int64_t>(low + i);
    if (range.high < 0) return static_cast<std::int64_t>(high - i);
    const std::uint64_t both = 0u - low < high ? 0u - low : high;  // as far as +n and -n are both in range
    const bool is_positive = i > 2 * both ? high > both : i % 2 != 0;
    const std::uint64_t magnitude = i > 2 * both ? i - both : i / 2 + i % 2;
    return static_cast<std::int64_t>(is_positive ? magnitude : 0u - magnitude);
  }
};

/// An accumulator and what the two rules make of it.
struct sample {
  std::int64_t acc;  ///< the accumulator
  std::int64_t a;    ///< what the first rule makes of it
  std::int64_t b;    ///< what the second rule makes of it
};

/// |a - b|.
DYADIC_API constexpr std::uint64_t distance(sample s) noexcept {
  const auto a = static_cast<std::uint64_t>(s.a);
  const auto b = static_cast<std::uint64_t>(s.b);
  return s.a > s.b ? a - b : b - a;
}

namespace detail {
/// Whether a comes before b in `by_magnitude`.
DYADIC_API constexpr bool is_nearer_to_zero(std::int64_t a, std::int64_t b) noexcept {
  const auto size = [](std::int64_t n) { return n < 0 ? 0u - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); };
  return size(a) != size(b) ? size(a) < size(b) : a > b;
}
}  // namespace detail

/// How two rules differ on some accumulators. While `differing` is 0, so are the fields below it.
struct difference {
  std::uint64_t compared;        ///< accumulators that both rules take and for which both are valid
  std::uint64_t differing;       ///< accumulators with different outputs
  sample first;                  ///< in the order of the accumulators
  sample worst;                  ///< the largest distance; the first of them
  std::uint64_t worst_distance;  ///< how far apart these are
  sample smallest = {};          ///< the least |acc|, positive before negative
};

/// The difference of two parts of one sweep: what `compare` gives for the parts one after the other.
DYADIC_API constexpr difference merge(const difference& earlier, const difference& later) noexcept {
  const bool later_is_worse = later.worst_distance > earlier.worst_distance;
  const bool later_is_smaller =
      earlier.differing == 0 || (later.differing != 0 && detail::is_nearer_to_zero(later.smallest.acc, earlier.smallest.acc));
  return {earlier.compared + later.compared,
          earlier.differing + later.differing,
          earlier.differing != 0 ? earlier.first : later.first,
          later_is_worse ? later.worst : earlier.worst,
          later_is_worse ? later.worst_distance : earlier.worst_distance,
          later_is_smaller ? later.smallest : earlier.smallest};
}

namespace detail {

/// rule.takes(acc) and rule.valid(acc), or true if the rule has no such member. The caller's 0 prefers the member.
/// @{
template <class Rule>
DYADIC_API constexpr auto takes_accumulator(const Rule& rule, std::int64_t acc, int) noexcept -> decltype(rule.takes(acc)) {
  return rule.takes(acc);
}
template <class Rule>
DYADIC_API constexpr bool takes_accumulator(const Rule&, std::int64_t, long) noexcept {
  return true;
}
template <class Rule>
DYADIC_API constexpr auto in_domain(const Rule& rule, std::int64_t acc, int) noexcept -> decltype(rule.valid(acc)) {
  return rule.valid(acc);
}
template <class Rule>
DYADIC_API constexpr bool in_domain(const Rule&, std::int64_t, long) noexcept {
  return true;
}
/// @}

/// Tells if a comparison calls the rule with acc.
template <class Rule>
DYADIC_API constexpr bool is_compared(const Rule& rule, std::int64_t acc) noexcept {
  return takes_accumulator(rule, acc, 0) && in_domain(rule, acc, 0);
}

inline constexpr std::uint64_t all_that_differ = limits<std::uint64_t>::max;

/// Accumulators begin .. end - 1, until `enough` of them differ: 1, or as many as there may be.
template <class A, class B, class Accumulators>
DYADIC_API constexpr difference sweep(const A& a, const B& b, const Accumulators& accs, std::uint64_t begin, std::uint64_t end,
                                      std::uint64_t enough = all_that_differ) noexcept {
  difference d{};
  for (std::uint64_t i = begin; i < end && d.differing < enough; ++i) {
    const std::int64_t acc = accs[static_cast<decltype(accs.size())>(i)];
    if (!is_compared(a, acc) || !is_compared(b, acc)) continue;
    ++d.compared;
    const sample s{acc, a(acc), b(acc)};
    if (s.a != s.b) d = merge(d, {0, 1, s, s, distance(s), s});
  }
  return d;
}

}  // namespace detail

/// Nine numbers of up to 20 characters, and fewer than 64 others.
using difference_text = text<256>;

/// Prints a difference for humans: "9 of 201 differ; the first at 11, 11 and 20; the worst by 25 at 15, 15 and 40". An
/// accumulator, or an index, is followed by what the two rules make of it. Prints "nothing was compared" if `compared` is 0.
DYADIC_API constexpr difference_text to_string(const difference& d) noexcept {
  difference_text t;
  const auto add = [&](const char* before, sample s) { t.add(before).add(s.acc).add(", ").add(s.a).add(" and ").add(s.b); };
  if (d.compared == 0) return t.add("nothing was compared");
  if (d.differing == 0) return t.add("none of ").add(d.compared).add(" differ");
  t.add(d.differing).add(" of ").add(d.compared);
  add(" differ; the first at ", d.first);
  t.add("; the worst by ").add(d.worst_distance);
  add(" at ", d.worst);
  return t;
}

namespace detail {
/// Prints the value, or a status that is not ok.
template <class T>
DYADIC_API constexpr auto sentence_of(const result<T>& r) noexcept {
  using sentence = decltype(to_string(r.value));
  return r.status == status::ok ? to_string(r.value) : sentence{}.add("not decided: ").add(to_string(r.status));
}
}  // namespace detail

/// Prints the difference if the status is ok, else "not decided: " and the status.
DYADIC_API constexpr difference_text to_string(const result<difference>& d) noexcept { return detail::sentence_of(d); }

}  // namespace dyadic

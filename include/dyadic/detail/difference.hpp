// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Intervals of accumulators, and the differences of two rules on them. Floor 1.

#include <dyadic/config.hpp>
#include <dyadic/detail/text.hpp>
#include <dyadic/rounding.hpp>
#include <dyadic/status.hpp>

namespace dyadic {

/// The accumulators low, low + 1, .., high, both ends included. It is empty if low > high. Requires: fewer than 2^64
/// accumulators.
struct interval {
  std::int64_t low;   ///< the first accumulator
  std::int64_t high;  ///< the last accumulator

  /// Returns the number of accumulators.
  DYADIC_API constexpr std::uint64_t size() const noexcept {
    DYADIC_ASSERT(low != limits<std::int64_t>::min || high != limits<std::int64_t>::max);
    return low > high ? 0u : static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1u;
  }
  /// Returns accumulator number i, from 0 on.
  DYADIC_API constexpr std::int64_t operator[](std::uint64_t i) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + i);
  }
};

/// Returns the interval of all 2^32 values of an int32.
DYADIC_API constexpr interval all_int32() noexcept { return {int32_min, int32_max}; }

/// Returns the part of centre - radius .. centre + radius that lies in `within`. It is empty if the radius is negative.
DYADIC_API constexpr interval around(std::int64_t centre, std::int64_t radius, interval within = all_int32()) noexcept {
  if (radius < 0) return {1, 0};
  const auto is_beyond = [radius](std::int64_t from, std::int64_t to) {  // to - from > radius, without an overflow
    return to > from && static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) > static_cast<std::uint64_t>(radius);
  };
  return {is_beyond(within.low, centre) ? centre - radius : within.low,
          is_beyond(centre, within.high) ? centre + radius : within.high};
}

/// An interval in the order of |acc|, the least first and positive before negative: 0, 1, -1, 2, -2, .. In this order
/// `find_first_difference` finds the smallest counterexample.
struct by_magnitude {
  interval range;  ///< all accumulators

  DYADIC_API constexpr std::uint64_t size() const noexcept { return range.size(); }  ///< the number of accumulators
  /// Returns accumulator number i, from 0 on.
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

/// An accumulator and the outputs of two rules for it.
struct sample {
  std::int64_t acc;  ///< the accumulator
  std::int64_t a;    ///< the output of the first rule
  std::int64_t b;    ///< the output of the second rule
};

/// Returns |a - b|.
DYADIC_API constexpr std::uint64_t distance(sample s) noexcept {
  const auto a = static_cast<std::uint64_t>(s.a);
  const auto b = static_cast<std::uint64_t>(s.b);
  return s.a > s.b ? a - b : b - a;
}

namespace detail {
/// Returns true if a comes before b in `by_magnitude`.
DYADIC_API constexpr bool is_nearer_to_zero(std::int64_t a, std::int64_t b) noexcept {
  const auto size = [](std::int64_t n) { return n < 0 ? 0u - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); };
  return size(a) != size(b) ? size(a) < size(b) : a > b;
}
}  // namespace detail

/// The differences of two rules on some accumulators. If `differing` is 0, the fields below it are 0.
struct difference {
  std::uint64_t compared;        ///< accumulators that both rules take and for which both are valid
  std::uint64_t differing;       ///< accumulators with different outputs
  sample first;                  ///< the first difference in the order of the accumulators
  sample worst;                  ///< the first difference that has the largest distance
  std::uint64_t worst_distance;  ///< the distance of `worst`
  sample smallest = {};          ///< the difference at the least |acc|; of acc and -acc, the positive one
};

/// Merges the differences of two parts of a sweep. Returns what `compare_rules` gives for the earlier part followed by the later
/// part.
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

/// Returns rule.takes(acc) or rule.valid(acc), or true if the rule has no such member. The last argument is 0, so that overload
/// resolution prefers the member.
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

/// Returns true if a comparison calls the rule with acc.
template <class Rule>
DYADIC_API constexpr bool is_compared(const Rule& rule, std::int64_t acc) noexcept {
  return takes_accumulator(rule, acc, 0) && in_domain(rule, acc, 0);
}

inline constexpr std::uint64_t all_that_differ = limits<std::uint64_t>::max;

/// Compares two rules at accumulators number begin .. end - 1. Stops at `enough` differences: 1, or `all_that_differ` for no
/// limit.
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

/// A text with room for twelve numbers of up to 20 characters, and for fewer than 96 other characters.
using difference_text = text<336>;

/// Prints a difference for humans. Each accumulator, or index, is followed by the outputs of both rules:
/// `9 of 201 differ; the first at -20, -20 and 5; the smallest at 11, 11 and 20; the worst by 25 at -20, -20 and 5`.
/// Prints `nothing was compared` if `compared` is 0.
DYADIC_API constexpr difference_text to_string(const difference& d) noexcept {
  difference_text t;
  const auto add = [&](const char* before, sample s) { t.add(before).add(s.acc).add(", ").add(s.a).add(" and ").add(s.b); };
  if (d.compared == 0) return t.add("nothing was compared");
  if (d.differing == 0) return t.add("none of ").add(d.compared).add(" differ");
  t.add(d.differing).add(" of ").add(d.compared);
  add(" differ; the first at ", d.first);
  add("; the smallest at ", d.smallest);
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

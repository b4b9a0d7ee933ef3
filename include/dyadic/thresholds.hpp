// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Finds where a rule's output changes, and so where two rules differ: exact, over all accumulators, in microseconds. Floor 3.
///
///   constexpr auto tosa = q::rule_of<q::tosa::scale32>(m, q::range_of<std::int8_t>());
///   constexpr auto fbgemm = q::rule_of<q::fbgemm::fixed>(m, q::range_of<std::int8_t>());
///   static_assert(q::equal_on(tosa, fbgemm, q::all_int32()));
///
/// The least accumulators of the output values define a rule that never falls: 255 accumulators for 8 bits, 65,535 for 16. Each
/// of these accumulators is found by search. Accumulators between them are not evaluated.

#include <dyadic/monotone.hpp>
#include <dyadic/status.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

namespace detail {

/// Returns x + n modulo 2^64, because an interval may have more than 2^63 accumulators.
DYADIC_API constexpr std::int64_t advance_by(std::int64_t x, std::uint64_t n) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + n);
}

/// Returns the least x in low + 1 .. high for which `holds` is true. Searches from a guess outwards, in steps that double. When a
/// step has passed that x, the interval left is shorter than the next step. Requires: low < high. `holds` is false for low and
/// true for high. If it is true for x, it is true for all greater x.
template <class Holds>
DYADIC_API constexpr std::int64_t search_from(std::int64_t low, std::int64_t high, std::int64_t guess,
                                              const Holds& holds) noexcept {
  const auto between = [&] { return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low); };
  if (guess > low && guess < high) {
    const bool downwards = holds(guess);
    (downwards ? high : low) = guess;
    for (std::uint64_t step = 1; step < between(); step *= 2) {
      const std::int64_t x = downwards ? advance_by(high, 0u - step) : advance_by(low, step);
      (holds(x) ? high : low) = x;
    }
  }
  while (between() > 1) {
    const std::int64_t middle = advance_by(low, between() / 2);
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

/// Returns next + (next - acc) modulo 2^64, as a guess.
DYADIC_API constexpr std::int64_t as_far_again(std::int64_t acc, std::int64_t next) noexcept {
  return advance_by(next, static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(acc));
}

/// Moves `at` to the least x up to `high` for which `holds` is true, or to high + 1 if there is none. Moves the guess to the same
/// distance beyond the new `at`. Requires: if `holds` is true for x, it is true for all greater x.
template <class Holds>
DYADIC_API constexpr void go_on(std::int64_t& at, std::int64_t& guess, std::int64_t high, const Holds& holds) noexcept {
  if (at > high || holds(at)) return;
  const std::int64_t next = holds(high) ? search_from(at, high, guess, holds) : high + 1;
  guess = as_far_again(at, next);
  at = next;
}

/// Walks with one rule through a piece. The output is y from `acc` to `next` - 1.
template <class Rule>
struct walker {
  const Rule& rule;
  std::int64_t last;   ///< the last accumulator of the piece
  std::int64_t acc;    ///< the first accumulator of the present output
  std::int64_t y;      ///< the present output
  std::int64_t y_end;  ///< the output of `last`
  std::int64_t next;   ///< the first accumulator with another output, or last + 1
  bool monotone = true;

  DYADIC_API constexpr walker(const Rule& walked, std::int64_t from, std::int64_t to) noexcept
      : rule{walked}, last{to}, acc{from}, y{walked(from)}, y_end{walked(to)}, next{from} {
    look_for_next(from);
  }
  /// Moves to `next`. A rule that turns back on its way to y_end is not monotone.
  DYADIC_API constexpr void step() noexcept {
    const std::int64_t before = y;
    const std::int64_t guess = as_far_again(acc, next);
    acc = next;
    y = rule(acc);
    if (before < y_end ? y <= before || y > y_end : y >= before || y < y_end) monotone = false;
    look_for_next(guess);
  }

 private:
  DYADIC_API constexpr void look_for_next(std::int64_t guess) noexcept {
    next = y == y_end ? last + 1 : search_from(acc, last, guess, [&](std::int64_t tried) { return rule(tried) != y; });
  }
};

/// Returns true if samples of a piece are in order.
template <class Rule>
DYADIC_API constexpr bool keeps_order(const Rule& rule, std::int64_t first, std::int64_t last) noexcept {
  const std::uint64_t step = (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) / 32;
  if (step < 2) return true;  // few accumulators: the walk itself sees them
  const bool rising = rule(first) <= rule(last);
  std::int64_t before = rule(first);
  for (std::uint64_t i = 1; i <= 32; ++i) {
    // The samples are not evenly spread, because a wave may have their period.
    const std::int64_t y = rule(advance_by(first, i * step - (i * i * 7919) % step));
    if (rising ? y < before : y > before) return false;
    before = y;
  }
  return true;
}

/// Collects differences from the least accumulator to the greatest. The type Accumulators decides which of two samples comes
/// first: for `first`, and for `worst` if their distances are equal.
template <class Accumulators>
class tally {
 public:
  DYADIC_API constexpr void compared(std::uint64_t some) noexcept { found_.compared += some; }
  /// Notes that all of low .. high give a and b.
  DYADIC_API constexpr void differ(std::int64_t low, std::int64_t high, std::int64_t a, std::int64_t b) noexcept {
    const sample nearest{low > 0 ? low : high < 0 ? high : 0, a, b};
    const sample first = is_ascending ? sample{low, a, b} : nearest;
    const auto comes_before = [&](sample other) { return !is_ascending && is_nearer_to_zero(first.acc, other.acc); };
    const std::uint64_t apart = distance(first);
    if (apart > found_.worst_distance || (apart == found_.worst_distance && comes_before(found_.worst))) {
      found_.worst = first;
      found_.worst_distance = apart;
    }
    if (found_.differing == 0 || comes_before(found_.first)) found_.first = first;
    if (found_.differing == 0 || is_nearer_to_zero(nearest.acc, found_.smallest.acc)) found_.smallest = nearest;
    found_.differing += interval{low, high}.size();
  }
  DYADIC_API constexpr const difference& found() const noexcept { return found_; }

 private:
  static constexpr bool is_ascending = std::is_same_v<Accumulators, interval>;
  difference found_{};
};

/// Returns the least and the greatest accumulator.
/// @{
DYADIC_API constexpr interval bounds_of(interval accs) noexcept { return accs; }
DYADIC_API constexpr interval bounds_of(by_magnitude accs) noexcept { return accs.range; }
/// @}

/// A walk visits at most this many pieces, and this many outputs plus a sixteenth of the accumulators. A sweep is quicker than a
/// longer walk.
inline constexpr std::uint64_t most_pieces = 1 << 16;

/// Returns true if a rule takes both ends of an interval, and hence all of it.
template <class Rule>
DYADIC_API constexpr bool takes_all(const Rule& rule, interval accs) noexcept {
  return takes_accumulator(rule, accs.low, 0) && takes_accumulator(rule, accs.high, 0);
}

/// Compares a with b, output after output, piece after piece. Returns the statuses of `compare_thresholds`.
template <class A, class B, class Accumulators>
DYADIC_API constexpr result<difference> walk(const A& a, const B& b, Accumulators in_order) noexcept {
  const interval accs = bounds_of(in_order);
  tally<Accumulators> found;
  if (accs.low > accs.high) return {found.found(), status::ok};
  if (!takes_all(a, accs) || !takes_all(b, accs)) return {found.found(), status::accumulator_overflow};
  if (accs.high == limits<std::int64_t>::max) return {found.found(), status::not_monotone};  // the search needs high + 1
  std::uint64_t pieces_left = most_pieces;
  std::uint64_t outputs_left = most_pieces + accs.size() / 16;
  for (std::int64_t at = accs.low; at <= accs.high;) {
    const std::int64_t a_piece = piece_of(a, at);
    const std::int64_t b_piece = piece_of(b, at);
    const auto is_beyond = [&](std::int64_t tried) { return piece_of(a, tried) != a_piece || piece_of(b, tried) != b_piece; };
    const std::int64_t last = search_from(at, accs.high + 1, accs.high, is_beyond) - 1;
    if (pieces_left-- == 0) return {found.found(), status::not_monotone};
    if (in_domain(a, at, 0) && in_domain(b, at, 0)) {
      walker<A> on_a(a, at, last);
      walker<B> on_b(b, at, last);
      const std::uint64_t width = interval{at, last}.size();
      const std::uint64_t changes = distance({0, on_a.y, on_a.y_end}) + distance({0, on_b.y, on_b.y_end});
      const std::uint64_t outputs = changes < width ? changes : width;
      if (outputs > outputs_left || !keeps_order(a, at, last) || !keeps_order(b, at, last))
        return {found.found(), status::not_monotone};
      outputs_left -= outputs;
      found.compared(width);
      for (std::int64_t from = at; from <= last;) {
        const std::int64_t next = on_a.next < on_b.next ? on_a.next : on_b.next;
        if (on_a.y != on_b.y) found.differ(from, next - 1, on_a.y, on_b.y);
        from = next;
        if (from > last) break;
        if (on_a.next == from) on_a.step();
        if (on_b.next == from) on_b.step();
        if (!on_a.monotone || !on_b.monotone) return {found.found(), status::not_monotone};
      }
    }
    at = last + 1;
  }
  return {found.found(), status::ok};
}

}  // namespace detail

/// Counts the accumulators on which two rules give different outputs, and tells which and by how much. Finds what `compare_rules`
/// finds by a sweep, but looks only for the accumulators where an output changes. Walks a rule without pieces accumulator by
/// accumulator. The value is what was found before an error. Returns one of the following statuses, or `ok`:
/// - `accumulator_overflow` if a rule does not take all of the accumulators, such as those beyond int32 for an int32 scheme;
/// - `not_monotone` if a sweep would be quicker: the rules have more than 65,536 pieces, or more outputs than 65,536 plus a
///   sixteenth of the accumulators;
/// - `not_monotone` for an interval that ends with the greatest int64;
/// - `not_monotone` if a rule is seen not to be monotone on a piece. 33 samples of a piece are tested, and every output found.
template <class A, class B>
DYADIC_API constexpr result<difference> compare_thresholds(const A& a, const B& b, interval accs) noexcept {
  return detail::walk(a, b, accs);
}

/// Returns true if `compare_thresholds` proves that two rules give the same outputs on an interval of accumulators.
template <class A, class B>
DYADIC_API constexpr bool equal_on(const A& a, const B& b, interval accs) noexcept {
  const result<difference> found = compare_thresholds(a, b, accs);
  return found.status == status::ok && found.value.differing == 0;
}

/// Fills `to` with the least accumulators of the outputs of `rule_of<Scheme>(m, range)` on monotone_on<Scheme>(m). Returns that
/// interval. `to` has range.max - range.min elements. Element i is the least accumulator whose output is above range.min + i. If
/// the rule falls, element i is the least accumulator whose output is below range.max - i. If there is no such accumulator, the
/// element is the interval's last accumulator + 1. Hence the output of acc is range.min plus the number of elements that are not
/// above acc. If the rule falls, it is range.max minus that number. Total: returns the error of the view,
/// `multiplier_out_of_range`, `empty_range` or `shape_mismatch`, and then writes nothing.
template <class Scheme, class Storage>
DYADIC_API constexpr result<interval> thresholds(typename Scheme::multiplier_type m, output_range range, Storage&& to) noexcept {
  const view<std::int64_t> least(static_cast<Storage&&>(to));
  if (const status s = check(least); s != status::ok) return {{}, s};
  if (!Scheme::valid(m)) return {{}, status::multiplier_out_of_range};
  if (range.min > range.max) return {{}, status::empty_range};
  if (least.size() != std::int64_t{range.max} - range.min) return {{}, status::shape_mismatch};
  const interval on = monotone_on<Scheme>(m);
  const output_rule<Scheme> rule = rule_of<Scheme>(m, range);
  const bool rises = rule(on.low) <= rule(on.high);
  std::int64_t at = on.low;
  std::int64_t guess = on.low;
  for (index_t i = 0; i < least.size(); ++i) {
    const std::int64_t edge = rises ? std::int64_t{range.min} + i : std::int64_t{range.max} - i;
    detail::go_on(at, guess, on.high, [&](std::int64_t tried) { return rises ? rule(tried) > edge : rule(tried) < edge; });
    least[i] = at;
  }
  return {on, status::ok};
}

}  // namespace dyadic

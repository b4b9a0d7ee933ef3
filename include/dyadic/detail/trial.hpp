// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rules of all schemes for one multiplier, and the accumulators at which a function is compared with them. Roof.

#include <dyadic/schemes.hpp>
#include <dyadic/thresholds.hpp>

namespace dyadic {

/// The number of schemes in `all_schemes`.
inline constexpr index_t scheme_count = static_cast<index_t>(sizeof(all_schemes.names) / sizeof(all_schemes.names[0]));

namespace detail {

/// A range of at most `most_tried` accumulators is tried as a whole. A larger range is divided into `sampled_points` equal parts,
/// and one accumulator of each part is tried.
inline constexpr std::uint64_t most_tried = std::uint64_t{1} << 20;
inline constexpr std::uint64_t sampled_points = std::uint64_t{1} << 14;

/// Converts an element of an array of multipliers or scales.
template <class M>
DYADIC_API constexpr any_multiplier any_multiplier_of(const M& m) noexcept {
  if constexpr (std::is_same_v<M, any_multiplier>)
    return m;
  else if constexpr (std::is_convertible_v<M, binary64>)
    return {0, 0, binary64{m}};
  else
    return to_any(m);
}

/// Returns true if a multiplier was given as a real scale.
DYADIC_API constexpr bool is_scale(const any_multiplier& m) noexcept { return m.mantissa == 0 && m.right_shift == 0; }

/// Returns true if two multipliers have the same bits.
DYADIC_API constexpr bool is_same(const any_multiplier& a, const any_multiplier& b) noexcept {
  return a.mantissa == b.mantissa && a.right_shift == b.right_shift && a.scale.bits == b.scale.bits;
}

/// Makes the rule of a scheme for a multiplier. A scheme that does not take a mantissa and its shift derives its own multiplier
/// from their exact value.
DYADIC_API constexpr result<any_rule> rule_for(const any_scheme& scheme, const any_multiplier& m) noexcept {
  if (is_scale(m)) return scheme.derive(m.scale);
  if (scheme.mantissa_bits() > 0)
    if (const result<any_rule> own = scheme.with(m); own.status == status::ok) return own;
  return scheme.derive(scale_by_power_of_two(from_integer<binary64>(m.mantissa), -saturate<std::int16_t>(m.right_shift)));
}

/// The outputs of a rule, where its publisher defines them.
struct rule_at {
  any_rule rule{};
  output_range range{};
  interval on{1, 0};  ///< the accumulators for which the rule is defined

  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept { return rule(acc, range); }
};

/// Returns the accumulators for which the publisher defines a rule. They are one interval around 0: as |acc| grows, a value stops
/// fitting its type once.
DYADIC_API constexpr interval defined_on(const any_rule& rule, interval accs) noexcept {
  const std::int64_t nearest = clamp(0, accs.low, accs.high);
  if (!rule.valid(nearest)) return {1, 0};
  return {least_that(accs.low, nearest, [&](std::int64_t acc) { return rule.valid(acc); }),
          least_that(nearest, accs.high, [&](std::int64_t acc) { return !rule.valid(acc); }) - 1};
}

/// The rules of all schemes for one multiplier, on some accumulators.
struct rules_at {
  rule_at rules[scheme_count];
  status statuses[scheme_count] = {};

  DYADIC_API constexpr rules_at(const any_multiplier& m, interval accs, output_range range) noexcept {
    index_t i = 0;
    all_schemes.each([&](auto named) {
      const result<any_rule> made = rule_for(any_scheme{named}, m);
      statuses[i] = made.status;
      if (made.status == status::ok) rules[i] = {made.value, range, defined_on(made.value, accs)};
      ++i;
    });
  }
};

/// Calls use(y) for outputs whose boundaries are to be tried. A clamp to 8 bits gives all its outputs. A wider clamp gives the
/// outputs at distances 0 to 128 from the zero point, and at powers of two.
template <class Use>
DYADIC_API constexpr void for_each_edge(output_range range, const Use& use) noexcept {
  const auto use_within = [&](std::int64_t y) {
    if (y >= range.min && y <= range.max) use(y);
  };
  const std::int64_t middle = range.zero_point;
  if (std::int64_t{range.max} - range.min < 256)
    for (std::int64_t y = range.min; y <= range.max; ++y) use(y);
  else
    for (std::int64_t n = 0; n <= 128; ++n) use_within(middle + n), use_within(middle - n);
  for (int k = 8; k < 32; ++k) use_within(middle + (std::int64_t{1} << k)), use_within(middle - (std::int64_t{1} << k));
}

/// Calls use(acc) for both accumulators at each scheme's boundary, where its output becomes y. A boundary of several schemes is
/// used once.
template <class Use>
DYADIC_API constexpr void for_each_boundary(const rules_at& at, std::int64_t y, interval accs, const Use& use) noexcept {
  std::int64_t known[scheme_count] = {};
  index_t count = 0;
  for (const rule_at& rule : at.rules) {
    if (rule.on.low > rule.on.high) continue;
    const bool rises = rule(rule.on.low) <= rule(rule.on.high);
    const std::int64_t edge =
        least_that(rule.on.low, rule.on.high, [&](std::int64_t acc) { return rises ? rule(acc) >= y : rule(acc) <= y; });
    index_t i = 0;
    while (i < count && known[i] != edge) ++i;
    if (i < count) continue;
    known[count++] = edge;
    if (edge > accs.low) use(edge - 1);
    if (edge <= accs.high) use(edge);
  }
}

/// Calls use(part) for the intervals of this radius around +-2^k, k >= least, intersected with `within`.
template <class Use>
DYADIC_API constexpr void for_each_power(int least, std::int64_t radius, interval within, const Use& use) noexcept {
  for (int k = least; k < 62; ++k) {
    use(around(std::int64_t{1} << k, radius, within));
    use(around(-(std::int64_t{1} << k), radius, within));
  }
}

/// Calls use(acc) for all accumulators of a small range, the least |acc| first; for constructed and sampled ones of a large
/// range.
template <class Use>
DYADIC_API constexpr void for_each_tried(const rules_at& at, interval accs, output_range range, const Use& use) noexcept {
  const auto all_of = [&](const auto& some) {
    for (std::uint64_t i = 0; i < some.size(); ++i) use(some[i]);
  };
  const std::uint64_t size = accs.size();
  if (size <= most_tried) return all_of(by_magnitude{accs});
  all_of(by_magnitude{around(0, 256, accs)});
  for_each_power(9, 1, accs, all_of);
  all_of(around(accs.low, 1, accs));
  all_of(around(accs.high, 1, accs));
  for_each_edge(range, [&](std::int64_t y) { for_each_boundary(at, y, accs, use); });
  const std::uint64_t step = size / sampled_points;
  // The place within a part varies, because accs.low + i * step may be a multiple of a power of two for all i.
  for (std::uint64_t i = 0; i < sampled_points; ++i) use(accs[i * step + (i * i * 7919) % step]);
}

/// Finds an accumulator for which two rules differ, or returns `no_witness`. Compares all accumulators if both rules have at most
/// 1024 outputs. Else compares only accumulators near 0 and near powers of two, because a comparison of all takes minutes.
DYADIC_API constexpr result<sample> find_difference(const rule_at& a, const rule_at& b) noexcept {
  const interval on{a.on.low > b.on.low ? a.on.low : b.on.low, a.on.high < b.on.high ? a.on.high : b.on.high};
  result<sample> found{{}, status::no_witness};
  const auto look_at = [&](interval part) {
    if (found.status == status::ok || part.low > part.high) return;
    const result<difference> d = compare_thresholds(monotone(a, part), monotone(b, part), part);
    if (d.status == status::ok && d.value.differing != 0) found = {d.value.smallest, status::ok};
  };
  const auto is_short = [on](const rule_at& rule) { return distance({0, rule(on.low), rule(on.high)}) < 1024; };
  if (on.low > on.high) return found;
  if (is_short(a) && is_short(b)) return look_at(on), found;
  look_at(around(0, 4096, on));
  for_each_power(13, 64, on, look_at);
  return found;
}

/// Returns the accumulators that are within +-2^62, where no sum of two overflows.
DYADIC_API constexpr interval tried_of(interval accs) noexcept {
  constexpr std::int64_t end = std::int64_t{1} << 62;
  return {accs.low > -end ? accs.low : -end, accs.high < end ? accs.high : end};
}

}  // namespace detail
}  // namespace dyadic

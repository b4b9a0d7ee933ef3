// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Finds the largest magnitudes for which two rules give a block different scales. Floor 3.
///
///   const auto found = q::compare_scale_rules(q::torchao::rceil<q::e2m1>{}, q::tosa::block_scale<q::e2m1>{});
///   // found.value.differing is 530579201, and found.value.first.acc is the bits of the first such magnitude.
///
/// Positive binary32 numbers have the order of their bits, and the larger of two magnitudes above 0 never has a smaller scale. A
/// search therefore finds the least magnitude of each scale. Magnitudes between these thresholds are not evaluated. Zero may have
/// any scale: microxcaling gives it a larger one than the smallest magnitudes, for MXINT8.

#include <dyadic/blocks/mx_scales.hpp>
#include <dyadic/thresholds.hpp>

namespace dyadic {

/// The bits of all positive finite binary32 and of zero. The bits of infinity and NaN follow, up to 0x7FFF'FFFF.
inline constexpr interval finite_magnitudes{0, 0x7F7F'FFFF};

/// A rule from the bits of a largest magnitude to the bits of a scale, for `compare_rules`, `find_first_difference` and
/// `compare_thresholds`. `scale_rule_of` makes it. The scale of Rule never falls when a magnitude above 0 grows.
template <class Rule>
struct scale_rule {
  Rule rule;  ///< a rule of blocks

  /// Tells if acc is the bits of a binary32 without a sign.
  DYADIC_API constexpr bool takes(std::int64_t acc) const noexcept { return acc >= 0 && acc <= int32_max; }
  /// Returns the bits of the scale. Requires: takes(acc).
  DYADIC_API constexpr std::int64_t operator()(std::int64_t acc) const noexcept {
    DYADIC_ASSERT(takes(acc));
    return rule.scale(binary32::from_bits(static_cast<std::uint32_t>(acc))).bits;
  }
  /// Returns 0 for zero, and 1 for other magnitudes, on which the rule is monotone.
  DYADIC_API constexpr std::int64_t piece(std::int64_t acc) const noexcept { return acc == 0 ? 0 : 1; }
};

/// Returns the rule from the bits of a largest magnitude to the bits of a scale.
template <class Rule>
DYADIC_API constexpr scale_rule<Rule> scale_rule_of(const Rule& rule) noexcept {
  return {rule};
}

/// Counts the largest magnitudes for which two rules give different scales, and finds the first and the smallest of them. `acc`
/// of a sample is the bits of the magnitude. Returns the statuses of `compare_thresholds`.
template <class A, class B>
DYADIC_API constexpr result<difference> compare_scale_rules(const A& a, const B& b,
                                                            interval magnitudes = finite_magnitudes) noexcept {
  return compare_thresholds(scale_rule_of(a), scale_rule_of(b), magnitudes);
}

/// Returns the threshold of a scale: the least finite magnitude above 0 whose scale has bits of at least `bits`, or infinity.
/// Returns 0 if all finite magnitudes have such scales.
template <class Rule>
DYADIC_API constexpr binary32 least_magnitude(const Rule& rule, int bits) noexcept {
  const scale_rule<Rule> scales = scale_rule_of(rule);
  const std::int64_t least =
      detail::least_that(1, finite_magnitudes.high, [&](std::int64_t tried) { return scales(tried) >= bits; });
  return binary32::from_bits(least == 1 && scales(0) >= bits ? 0u : static_cast<std::uint32_t>(least));
}

/// Explains a scale: all largest magnitudes from `from` on and below `below` have it.
struct scale_explanation {
  int bits;        ///< the bits of the scale
  binary32 from;   ///< the threshold of the scale
  binary32 below;  ///< the threshold of the next greater scale; infinite if there is none
};

/// Explains the scale of a largest magnitude by the thresholds around it. Requires: the magnitude is finite and not negative.
template <class Rule>
DYADIC_API constexpr scale_explanation explain_scale(const Rule& rule, binary32 magnitude) noexcept {
  const int bits = rule.scale(magnitude).bits;
  const binary32 zero, smallest = binary32::from_bits(1), from = least_magnitude(rule, bits);
  const bool is_zero_apart = rule.scale(zero).bits != rule.scale(smallest).bits;
  if (is_zero_apart && is_zero(magnitude)) return {bits, zero, smallest};
  return {bits, is_zero_apart && is_zero(from) ? smallest : from, least_magnitude(rule, bits + 1)};
}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Makes layers that use no scales from their descriptions: maxima, pools, extremes over axes, resizes. Floor 6.

#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/operator_spec.hpp>

namespace dyadic::detail {

/// True if a rule compares elements, resizes images, or computes rows: it has `wins`, `alignment` or `longest_row`.
/// @{
template <class Rule>
using wins_member = decltype(&Rule::wins);
template <class Rule, class = void>
inline constexpr bool compares = false;
template <class Rule>
inline constexpr bool compares<Rule, std::void_t<wins_member<Rule>>> = true;
template <class Rule>
using alignment_member = decltype(Rule::alignment);
template <class Rule, class = void>
inline constexpr bool resizes = false;
template <class Rule>
inline constexpr bool resizes<Rule, std::void_t<alignment_member<Rule>>> = true;
template <class Rule>
using longest_row_member = decltype(Rule::longest_row);
template <class Rule, class = void>
inline constexpr bool computes_rows = false;
template <class Rule>
inline constexpr bool computes_rows<Rule, std::void_t<longest_row_member<Rule>>> = true;
/// @}

/// The parts of a rule, found by what the rule has. operator_layers.hpp has the other parts.
template <class Rule, bool Compares = compares<Rule>, bool Resizes = resizes<Rule>, bool ComputesRows = computes_rows<Rule>>
struct parts_by_id;

/// Returns the operator of a rule that compares: `greatest` for `maximum`, or `least` for `minimum`.
template <class Rule>
DYADIC_API constexpr operator_id of_extreme(operator_id greatest, operator_id least) noexcept {
  return Rule::id == operator_id::maximum ? greatest : least;
}

template <class Rule>
struct parts_by_id<Rule, true, false, false> {
  using type = parts_by_id;
  using spec = binary_spec;
  using layer = binary_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec&, void*) noexcept { return {{}, status::ok}; }
};

/// Returns `ok` if x and y have one scale, else the status of the scale of y.
DYADIC_API constexpr status check_one_scale(double x, double y) noexcept {
  if (x == y) return status::ok;
  return y < x ? status::scale_too_small : y > x ? status::scale_too_large : status::scale_not_finite;
}

template <class Rule>
struct parts_by_id<pool_layer<Rule>, false, false, false> {
  using type = parts_by_id;
  using spec = pool_spec;
  using layer = pool_layer<Rule>;
  static constexpr operator_id id = of_extreme<Rule>(operator_id::max_pool, operator_id::min_pool);
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    const layer made{s.window, {}, range_within<typename Rule::value_type>(s.range)};
    if (const status scale = check_one_scale(s.x_scale, s.y_scale); scale != status::ok) return {made, scale};
    const status window = check_pool(s.window);
    return {made, window != status::ok ? window : check_range<typename Rule::value_type>(made.range)};
  }
};

template <class Rule>
struct parts_by_id<extreme_layer<Rule>, false, false, false> {
  using type = parts_by_id;
  using spec = mean_spec;
  using layer = extreme_layer<Rule>;
  static constexpr operator_id id = of_extreme<Rule>(operator_id::reduce_max, operator_id::reduce_min);
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec&, void*) noexcept { return {{}, status::ok}; }
};

template <class Rule>
struct parts_by_id<Rule, false, true, false> {
  using type = parts_by_id;
  using spec = resize_spec;
  using layer = resize_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept { return {{{s.alignment}}, status::ok}; }
};

}  // namespace dyadic::detail

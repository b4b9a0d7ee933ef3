// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How layers that use no scales are made from their descriptions: maxima, pools, extremes over axes, resizes. Floor 6.

#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/operator_spec.hpp>

namespace dyadic::detail {

/// The parts of a rule, which operator_kind.hpp finds by what the rule has.
template <class Rule, class = void>
struct parts_by_id;

/// Returns the operator of a rule that compares: `greatest` for `maximum`, or `least` for `minimum`.
template <class Rule>
DYADIC_API constexpr operator_id of_extreme(operator_id greatest, operator_id least) noexcept {
  return Rule::id == operator_id::maximum ? greatest : least;
}

template <class Rule>
struct parts_by_id<Rule, std::void_t<decltype(&Rule::wins)>> {
  using type = parts_by_id;
  using spec = binary_spec;
  using layer = binary_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec&, void*) noexcept { return {{}, status::ok}; }
};

template <class Rule>
struct parts_by_id<pool_layer<Rule>, void> {
  using type = parts_by_id;
  using spec = pool_spec;
  using layer = pool_layer<Rule>;
  static constexpr operator_id id = of_extreme<Rule>(operator_id::max_pool, operator_id::min_pool);
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept {
    const layer made{s.window, {}, range_within<typename Rule::value_type>(s.range)};
    const status window = check_pool(s.window);
    return {made, window != status::ok ? window : check_range<typename Rule::value_type>(made.range)};
  }
};

template <class Rule>
struct parts_by_id<extreme_layer<Rule>, void> {
  using type = parts_by_id;
  using spec = mean_spec;
  using layer = extreme_layer<Rule>;
  static constexpr operator_id id = of_extreme<Rule>(operator_id::reduce_max, operator_id::reduce_min);
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec&, void*) noexcept { return {{}, status::ok}; }
};

template <class Rule>
struct parts_by_id<Rule, std::void_t<decltype(Rule::alignment)>> {
  using type = parts_by_id;
  using spec = resize_spec;
  using layer = resize_layer<Rule>;
  static constexpr operator_id id = Rule::id;
  static constexpr index_t extra = 0;
  DYADIC_API static result<layer> make(const spec& s, void*) noexcept { return {{{s.alignment}}, status::ok}; }
};

}  // namespace dyadic::detail

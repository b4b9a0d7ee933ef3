// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a rule with one input on a matrix. Floor 5.
///
/// A rule with one input is a struct with
///   `value_type`: the type of y, and of x unless there is an `argument_type`.
///   `operator()(x)`: y of one element.
///   `check(rule)`, a friend: the first error in its numbers.
///   `entries`, optional: a view of memory that it reads.

#include <dyadic/detail/elements.hpp>
#include <dyadic/detail/rows.hpp>

namespace dyadic {

/// y[r][c] = rule(x[r][c]) for any rule: a sigmoid, a tanh, a table. y may be x, with the same stride.
template <class Rule>
struct activation_layer {
  Rule rule;  ///< the rule
};

template <class Rule>
activation_layer(Rule) -> activation_layer<Rule>;  ///< deduces the rule

namespace detail {

template <class Rule>
struct operation_of<activation_layer<Rule>> {
  using type = op::activation;
  using in_place = void;
  using backend = backend::scalar;
  using joins_pixels = std::true_type;
  template <class X>
  static constexpr bool takes = std::is_same_v<X, argument_of<Rule>>;
  /// If there are at least this many elements, all 256 outputs are computed first and then looked up. The cheapest rule takes
  /// four times as long as a look-up.
  static constexpr index_t min_looked_up = 512;
};

template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<activation_layer<Rule>>, const activation_layer<Rule>& layer,
                                        const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return have_same_shape(x, y) ? check(layer.rule) : status::shape_mismatch;
}
/// True if y overlaps the table of a rule that has a table.
template <class Rule, class Y>
DYADIC_API constexpr auto overlaps_parts(operation_of<activation_layer<Rule>>, const activation_layer<Rule>& layer,
                                         const Y& y) noexcept -> decltype(dyadic::overlap(y, layer.rule.entries)) {
  return dyadic::overlap(y, layer.rule.entries);
}

/// True if a rule itself reads its outputs from a table that is indexed by a byte.
template <class Rule>
using entries_member = decltype(Rule::entries);
template <class Rule, class = void>
inline constexpr bool is_byte_table = false;
template <class Rule>
inline constexpr bool is_byte_table<Rule, std::void_t<entries_member<Rule>>> =
    is_one_of<argument_of<Rule>, std::int8_t, std::uint8_t>;

/// All outputs of a rule of 8 bits, indexed by the byte of x.
template <class X, class Y>
struct outputs_of_bytes {
  Y at[256];

  template <class Rule>
  DYADIC_API explicit outputs_of_bytes(const Rule& rule) noexcept {
    for (int byte = 0; byte < 256; ++byte) at[byte] = rule(static_cast<X>(byte));
  }
  DYADIC_API Y operator()(X x, index_t) const noexcept { return at[static_cast<std::uint8_t>(x)]; }
};

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::activation> {
  template <class Rule, class X, class Y>
  static constexpr void run(const activation_layer<Rule>& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            const row_range& rows) noexcept {
    if constexpr (sizeof(X) == 1 && !detail::is_byte_table<Rule> && !optimizes_for_size)
      if (!is_constant_evaluated() &&
          (rows.end - rows.begin) * x.cols() >= detail::operation_of<activation_layer<Rule>>::min_looked_up)
        return detail::convert_rows(x, y, rows, detail::outputs_of_bytes<X, Y>(layer.rule));
    // Copies the rule, so that no store to y can change it. Passes floats by reference, because Clang under -ffinite-math-only
    // assumes that a float passed by value is finite.
    detail::convert_rows(x, y, rows, [rule = layer.rule](const X& value, index_t) { return rule(value); });
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a rule on the rows of a matrix: norms, softmax, sums along a row. Floor 5.

#include <dyadic/detail/elements.hpp>
#include <dyadic/detail/rows.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): rows of a `row_layer`.
struct rows {};
}  // namespace op

/// Each row of y is rule(the same row of x). A rule is a struct with
///   `value_type`: the type of y, and of x unless there is an `argument_type`.
///   `operator()(x, y)`: fills the row y.
///   `check(rule)`, a friend: the first error in its numbers.
///   `longest_row`: the length past which `check` returns `accumulator_overflow`. Or a friend `check(rule, length)`, which
///     returns the first error of the rule for rows of this length.
///   `in_place`, optional, a type: y may be x, with the same stride, because each element is read before it is overwritten.
///   `weights`, `bias`, optional: views of memory that the rule reads.
template <class Rule>
struct row_layer {
  Rule rule;  ///< the rule
};

template <class Rule>
row_layer(Rule) -> row_layer<Rule>;  ///< deduces the rule

namespace detail {

/// Copies `in_place` of a rule that has it.
template <class Rule, class = void>
struct in_place_of {};
template <class Rule>
struct in_place_of<Rule, std::void_t<typename Rule::in_place>> {
  using in_place = typename Rule::in_place;
};

template <class Rule>
struct operation_of<row_layer<Rule>> : in_place_of<Rule> {
  using type = op::rows;
  using backend = backend::scalar;
  using joins_pixels = std::false_type;
  template <class X>
  static constexpr bool takes = std::is_same_v<X, argument_of<Rule>>;
};

/// Checks a rule for rows of a length.
/// @{
template <class Rule>
DYADIC_API constexpr auto check_row(const Rule& rule, index_t length, int) noexcept -> decltype(check(rule, length)) {
  return check(rule, length);
}
template <class Rule>
DYADIC_API constexpr status check_row(const Rule& rule, index_t length, long) noexcept {
  const status s = check(rule);
  return s == status::ok && length > Rule::longest_row ? status::accumulator_overflow : s;
}
/// @}

template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<row_layer<Rule>>, const row_layer<Rule>& layer, const matrix_view<X>& x,
                                        const matrix_view<Y>& y) noexcept {
  return have_same_shape(x, y) ? check_row(layer.rule, x.cols(), 0) : status::shape_mismatch;
}
/// True if y overlaps the weights or the bias of a rule.
template <class Rule, class Y>
DYADIC_API constexpr auto overlaps_parts(operation_of<row_layer<Rule>>, const row_layer<Rule>& layer, const Y& y) noexcept
    -> decltype(dyadic::overlap(y, layer.rule.weights)) {
  return overlap(y, layer.rule.weights) || overlap(y, layer.rule.bias);
}

/// True if a rule has a `memory`, which reuses values of earlier rows.
template <class Rule, class = void>
inline constexpr bool has_memory = false;
template <class Rule>
inline constexpr bool has_memory<Rule, std::void_t<typename Rule::memory>> = true;

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::rows> {
  template <class Rule, class X, class Y>
  static constexpr void run(const row_layer<Rule>& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            const row_range& rows) noexcept {
    // Copies the rule, so that no store to y can change it.
    if constexpr (detail::has_memory<Rule> && !optimizes_for_size)
      if (!is_constant_evaluated()) return run_rows(typename Rule::memory(layer.rule), x, y, rows);
    run_rows(Rule(layer.rule), x, y, rows);
  }

 private:
  template <class Rule, class X, class Y>
  static constexpr void run_rows(Rule rule, const matrix_view<const X>& x, const matrix_view<Y>& y,
                                 const row_range& rows) noexcept {
    for (index_t r = rows.begin; r < rows.end; ++r) rule(view<const X>(x.row(r), x.cols()), view<Y>(y.row(r), y.cols()));
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic

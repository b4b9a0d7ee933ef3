// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a rule with two inputs on matrices or images: add, divide, compare and others, with broadcast. Floor 5.
///
/// A rule with two inputs is a struct with
///   `value_type`: the type of y, and of both inputs unless the next two types exist.
///   `argument_type`, optional: the type of a, and of b.
///   `second_type`, optional: the type of b.
///   `operator()(a, b)`: y of one element.
///   `check(rule)`: the first error in its numbers, or `accumulator_overflow` if only some inputs overflow.

#include <dyadic/detail/elements.hpp>

namespace dyadic {

/// y[r][c] = rule(a[r][c], b[r][c]), or y[n][h][w][c] = rule(a[n][h][w][c], b[n][h][w][c]). An operand is broadcast along each
/// axis on which it has one element and y has more. A matrix of 1 x 1 is a scalar, 1 x columns is a value for each channel, rows
/// x 1 is a value for each row. The output y may be a or b, with the same shape and strides, or both.
template <class Rule>
struct binary_layer {
  Rule rule;  ///< the rule of two elements
};

template <class Rule>
binary_layer(Rule) -> binary_layer<Rule>;  ///< deduces the rule

namespace detail {

/// True if an axis is as long as the axis of y, or has one element, which is broadcast.
DYADIC_API constexpr bool stretches(index_t size, index_t to) noexcept { return size == to || size == 1; }

template <class A, class Y>
DYADIC_API constexpr bool stretches(const matrix_view<A>& a, const matrix_view<Y>& y) noexcept {
  return stretches(a.rows(), y.rows()) && stretches(a.cols(), y.cols());
}
template <class A, class Y>
DYADIC_API constexpr bool stretches(const nhwc_view<A>& a, const nhwc_view<Y>& y) noexcept {
  return stretches(a.n(), y.n()) && stretches(a.h(), y.h()) && stretches(a.w(), y.w()) && stretches(a.c(), y.c());
}

/// True if A, B and Y are matrices, or images, of the rule's elements, and the elements of Y are not const.
template <class Rule, class A, class B, class Y>
DYADIC_API constexpr bool are_binary() noexcept {
  if constexpr ((is_matrix<A> && is_matrix<B> && is_matrix<Y>) || (is_image<A> && is_image<B> && is_image<Y>))
    return std::is_same_v<std::remove_const_t<element_of<A>>, argument_of<Rule>> &&
           std::is_same_v<std::remove_const_t<element_of<B>>, typename second_type_of<Rule>::type> &&
           std::is_same_v<element_of<Y>, typename Rule::value_type>;
  else
    return false;
}

/// Returns true, or ends the compilation with a message that names the error.
template <class Rule, class A, class B, class Y>
DYADIC_API constexpr bool takes_binary() noexcept {
  constexpr bool takes = are_binary<Rule, A, B, Y>();
  static_assert(takes,
                "a, b and y are matrices of the rule's elements: matrix_view(data, rows, columns), y not const; or all images");
  return takes;
}

/// Checks the sizes, then the rule.
template <class Rule, class A, class B, class Y>
DYADIC_API constexpr status check_binary(const binary_layer<Rule>& layer, const A& a, const B& b, const Y& y) noexcept {
  return stretches(a, y) && stretches(b, y) ? check(layer.rule) : status::shape_mismatch;
}

}  // namespace detail

/// The two halves of `check`, as for layers with weights. `check_shapes` finds errors that are known before the operands have
/// memory. `check_memory` finds errors in a view. It returns `overlap` if y overlaps an operand that is not y itself.
/// @{
template <class Rule, class A, class B, class Y>
DYADIC_API constexpr status check_shapes(const binary_layer<Rule>& layer, const A& a, const B& b, const Y& y) noexcept {
  if constexpr (detail::takes_binary<Rule, A, B, Y>()) {
    if (const status s = detail::check_shape(a); s != status::ok) return s;
    if (const status s = detail::check_shape(b); s != status::ok) return s;
    if (const status s = detail::check_shape(y); s != status::ok) return s;
    return detail::check_binary(layer, a, b, y);
  } else {
    return status::shape_mismatch;
  }
}
template <class Rule, class A, class B, class Y>
DYADIC_API constexpr status check_memory(const binary_layer<Rule>&, const A& a, const B& b, const Y& y) noexcept {
  if constexpr (detail::takes_binary<Rule, A, B, Y>()) {
    if (const status s = check(a); s != status::ok) return s;
    if (const status s = check(b); s != status::ok) return s;
    if (const status s = check(y); s != status::ok) return s;
    return detail::overlaps_operand(a, y) || detail::overlaps_operand(b, y) ? status::overlap : status::ok;
  } else {
    return status::shape_mismatch;
  }
}
/// @}

/// Returns the first error in the layer, or in its use on a, b and y; `ok` if `run` may be called. Total: never reads an element.
/// Returns `shape_mismatch` unless each axis of an operand has one element or the elements of y. Returns
/// `accumulator_overflow` last: some elements take a step of the rule out of int32, and `run` then wraps as the rule says.
template <class Rule, class A, class B, class Y>
DYADIC_API constexpr status check(const binary_layer<Rule>& layer, const A& a, const B& b, const Y& y) noexcept {
  return detail::check_halves(layer, a, b, y);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::binary> {
  template <class Rule, class A, class B, class Y>
  static constexpr void run(const binary_layer<Rule>& layer, const matrix_view<const A>& a, const matrix_view<const B>& b,
                            const matrix_view<Y>& y, const row_range& rows) noexcept {
    // Copies the rule, so that no store to y can change it.
    const Rule rule = layer.rule;
    const detail::stretched<A> left(a);
    const detail::stretched<B> right(b);
    for (index_t r = rows.begin; r < rows.end; ++r) {
      const A* const x_a = left.row(r);
      const B* const x_b = right.row(r);
      Y* const to = y.row(r);
      for (index_t c = 0; c < y.cols(); ++c) to[c] = rule(x_a[c * left.step], x_b[c * right.step]);
    }
  }
};

/// Computes y, or the rows of y that the options name. Requires: check(layer, a, b, y) is ok or `accumulator_overflow`, the rows
/// are within y, and the options name all channels. Portable code runs unless the caller names a backend. No backend uses the
/// workspace.
/// @{
template <class Backend = void, class Rule, class A, class B, class Y>
constexpr void run(const binary_layer<Rule>& layer, const A& a, const B& b, const Y& y, const run_options& options) noexcept {
  if constexpr (detail::takes_backend<Backend>() && detail::takes_binary<Rule, A, B, Y>()) {
    const row_range rows = detail::within(options.rows, detail::row_count(y));
    if (detail::row_count(y) == 0 || rows.begin == rows.end) return;
    DYADIC_ASSERT(0 <= rows.begin && rows.begin <= rows.end && rows.end <= detail::row_count(y));
    DYADIC_ASSERT(options.channels.begin == 0 && options.channels.end >= detail::channel_count(y));
    DYADIC_ASSERT(detail::stretches(a, y) && detail::stretches(b, y));
    if constexpr (detail::is_image<Y>) {
      const detail::matrices_of_images all(true, a, b, y);
      all.for_each(rows, [&](index_t n, index_t h, const row_range& some) {
        run<Backend>(layer, all.at(0, a, n, h), all.at(1, b, n, h), all.at(2, y, n, h), some);
      });
    } else {
      detail::call<detail::backend_or<Backend>, op::binary>(layer, detail::to_read(a), detail::to_read(b), y, rows);
    }
  }
}
template <class Backend = void, class Rule, class A, class B, class Y>
constexpr void run(const binary_layer<Rule>& layer, const A& a, const B& b, const Y& y) noexcept {
  run<Backend>(layer, a, b, y, run_options{});
}
/// @}

}  // namespace DYADIC_ISA

}  // namespace dyadic

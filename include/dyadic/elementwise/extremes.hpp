// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Maxima and minima of two tensors or along axes, and their indices along an axis. Floor 5.
/// Every publisher compares stored values, so that one rule serves all of them.
/// Sources: tflite/micro/kernels/maximum_minimum.cc, reduce.cc, tflite/kernels/internal/reference/arg_min_max.h, CMSIS-NN
/// Source/BasicMathFunctions, the TOSA specification (MAXIMUM, REDUCE_MAX, ARGMAX).

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/elementwise/reduce.hpp>

namespace dyadic {

/// max(a, b) of stored values. All tensors should have one scale and one zero point. Engines do not compare the scales and zero
/// points. `binary_layer` takes the rule for two tensors, `pool_layer` for windows, `extreme_layer` and `arg_layer` along axes.
template <class X>
struct maximum {
  static constexpr operator_id id = operator_id::maximum;  ///< the operator
  using value_type = X;                                    ///< the type of a, b and y

  /// Returns true if a is greater than b.
  DYADIC_API static constexpr bool wins(X a, X b) noexcept { return a > b; }
  /// Returns the greater element.
  DYADIC_API constexpr X operator()(X a, X b) const noexcept { return a > b ? a : b; }
  /// Returns `ok`.
  DYADIC_API friend constexpr status check(const maximum&) noexcept { return status::ok; }
};

/// min(a, b) of stored values, as `maximum`.
template <class X>
struct minimum {
  static constexpr operator_id id = operator_id::minimum;  ///< the operator
  using value_type = X;                                    ///< the type of a, b and y

  /// Returns true if a is less than b.
  DYADIC_API static constexpr bool wins(X a, X b) noexcept { return a < b; }
  /// Returns the lesser element.
  DYADIC_API constexpr X operator()(X a, X b) const noexcept { return a < b ? a : b; }
  /// Returns `ok`.
  DYADIC_API friend constexpr status check(const minimum&) noexcept { return status::ok; }
};

namespace op {
/// run(layer, x, y, rows): rows of an `extreme_layer` or an `arg_layer`.
struct extreme {};
}  // namespace op

/// y = the extreme of x over each axis along which y has one element, for images or matrices, as in a `mean_layer`. Rule is
/// `maximum` or `minimum`. `check` returns `shape_mismatch` if an axis of y has neither the length of x nor one element, or if an
/// element of y would be the extreme of no elements.
template <class Rule>
struct extreme_layer {
  using value_type = typename Rule::value_type;  ///< the type of x

  Rule rule;  ///< compares two elements
};

template <class Rule>
extreme_layer(Rule) -> extreme_layer<Rule>;  ///< deduces the rule

/// y = the index of the first extreme of x along an axis, an int32. Along this axis y has one element and x has more. If there is
/// no such axis, y is 0. `check` returns the statuses of an `extreme_layer`. It returns `shape_mismatch` also for several such
/// axes, or for an index that does not fit int32.
template <class Rule>
struct arg_layer : extreme_layer<Rule> {};

template <class Rule>
arg_layer(Rule) -> arg_layer<Rule>;  ///< deduces the rule

namespace detail {

template <class Rule>
struct operation_of<extreme_layer<Rule>> : operation_of<mean_layer<Rule>> {
  using type = op::extreme;
};
template <class Rule>
struct operation_of<arg_layer<Rule>> : operation_of<extreme_layer<Rule>> {};
template <class Rule>
struct made_by<arg_layer<Rule>> {
  using type = std::int32_t;
};

template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<extreme_layer<Rule>>, const extreme_layer<Rule>&, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  return reduced_by(x, y) > 0 ? status::ok : status::shape_mismatch;
}
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<arg_layer<Rule>>, const arg_layer<Rule>&, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  const index_t all = reduced_by(x, y);
  const index_t by[] = {reduced_by(x.n(), y.n()), reduced_by(x.h(), y.h()), reduced_by(x.w(), y.w()), reduced_by(x.c(), y.c())};
  const bool is_one = by[0] == all || by[1] == all || by[2] == all || by[3] == all;  // all others are then 1
  return all > 0 && all - 1 <= int32_max && is_one ? status::ok : status::shape_mismatch;
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::extreme> {
  template <class Layer, class X, class Y>
  static constexpr void run(const Layer& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    const auto rule = layer.rule;
    const index_t step = x.c() == y.c() ? 1 : x.c();  // elements of a pixel that make one element of y
    detail::for_each_reduced(x, y, rows, [&](const auto& pixels, Y* to) {
      for (index_t c = 0; c < y.c(); ++c) {
        X best{};
        index_t first = 0;
        index_t i = 0;
        pixels([&](const X* from) {
          for (index_t k = 0; k < step; ++k, ++i)
            if (i == 0 || rule.wins(from[c + k], best)) {
              best = from[c + k];
              first = i;
            }
        });
        to[c] = made(layer, best, first);
      }
    });
  }

 private:
  template <class Rule, class X>
  static constexpr X made(const extreme_layer<Rule>&, X best, index_t) noexcept {
    return best;
  }
  template <class Rule, class X>
  static constexpr std::int32_t made(const arg_layer<Rule>&, X, index_t first) noexcept {
    return static_cast<std::int32_t>(first);
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic

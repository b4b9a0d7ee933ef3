// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compares the outputs of a linear layer by an engine's order of binary32 operations with the exact outputs. Floor 4.
///
///   const q::order_difference d = q::compare_order<q::xnnpack::neondot_order>(activations, weights, {bias}).value;
///   // d.differing of d.compared outputs differ. The largest error is in row d.row and channel d.channel.

#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/linear.hpp>

namespace dyadic {

/// The outputs of a layer by an order of operations, beside the exact ones. 0 and -0 are equal.
struct order_difference {
  std::uint64_t compared = 0;   ///< outputs
  std::uint64_t differing = 0;  ///< outputs that differ
  index_t row = 0;              ///< row of the output with the largest error, the first of several
  index_t channel = 0;          ///< channel of this output
  binary32 output;              ///< this output by the order
  binary32 exact;               ///< this output by `exact::dot`: clamp(sum + bias, min, max), rounded once
  binary32 error;               ///< |output - exact|, rounded once; infinite if one of them is infinite or NaN
};

namespace detail {

/// True for an order whose first operand is weights. Such orders have no epilogue.
template <class Order, class = void>
inline constexpr bool takes_weights_first = false;
template <class Order>
inline constexpr bool takes_weights_first<Order, std::void_t<typename Order::first_operand_is_weights>> = true;

/// Returns a dot product by an order. Returns `value_out_of_range` for a bias or a bound if the order takes no epilogue.
/// @{
template <class Order, class X, class W>
DYADIC_API constexpr auto dot_by(const X& x, const W& w, const epilogue& e, int /*first*/) noexcept
    -> decltype(Order::dot(x, w, e)) {
  return Order::dot(x, w, e);
}
template <class Order, class X, class W>
DYADIC_API constexpr result<binary32> dot_by(const X& x, const W& w, const epilogue& e, long /*second*/) noexcept {
  const bool is_nothing = is_zero(e.bias) && e.min.bits == epilogue{}.min.bits && e.max.bits == epilogue{}.max.bits;
  if (!is_nothing) return {{}, status::value_out_of_range};
  if constexpr (takes_weights_first<Order>)
    return Order::dot(w, x);
  else
    return Order::dot(x, w);
}
/// @}

/// Returns |a - b| rounded once, or infinity.
DYADIC_API constexpr binary32 error_between(binary32 a, binary32 b) noexcept {
  if (!is_finite(a) || !is_finite(b)) return epilogue::infinity;
  exact_sum sum;
  sum.add(a);
  sum.add(negate(b));
  return magnitude(sum.rounded<binary32>());
}

}  // namespace detail

/// Compares the outputs of a linear layer by an order of operations with the exact outputs: clamp(sum + bias, min, max), rounded
/// once to binary32. Returns how many outputs differ, and the largest error. W is a matrix before `pack_rows`. The scale and
/// the zero point of integer outputs are not read. Returns an error of the matrices or of the epilogue, `shape_mismatch`, or the
/// first error of the order. Returns `value_out_of_range` if a second scale is not 1, and for a bias or a bound that the order
/// does not take. Bias and bounds are not checked if there are no outputs.
template <class Order, class X, class W>
DYADIC_API constexpr result<order_difference> compare_order(const X& x, const W& w, const sum_epilogue& e = {}) noexcept {
  if (const status s = detail::check_each(x, w, e.bias); s != status::ok) return {{}, s};
  if (!e.bias.empty() && e.bias.size() != w.rows()) return {{}, status::shape_mismatch};
  const binary32 one{1.0f};
  if (e.x_scale.bits != one.bits || e.w_scale.bits != one.bits) return {{}, status::value_out_of_range};
  order_difference d;
  for (index_t r = 0; w.rows() > 0 && r < x.rows(); ++r)
    for (index_t c = 0; c < w.rows(); ++c) {
      const result<binary32> output = detail::dot_by<Order>(x.row(r), w.row(c), e.of(c), 0);
      const result<exact_sum> sum = exact::dot(x.row(r), w.row(c), e.of(c));
      if (output.status != status::ok || sum.status != status::ok)
        return {{}, output.status != status::ok ? output.status : sum.status};
      const auto exact = sum.value.template rounded<binary32>();
      ++d.compared;
      if (output.value.bits == exact.bits || (is_zero(output.value) && is_zero(exact))) continue;
      const binary32 error = detail::error_between(output.value, exact);
      if (++d.differing > 1 && !less(d.error, error)) continue;
      d.row = r;
      d.channel = c;
      d.output = output.value;
      d.exact = exact;
      d.error = error;
    }
  return {d, status::ok};
}

}  // namespace dyadic

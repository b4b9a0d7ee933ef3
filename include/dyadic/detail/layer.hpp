// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The parts of `check` that all layers with weights share. Floor 5.

#include <dyadic/channels.hpp>
#include <dyadic/dispatch.hpp>
#include <dyadic/pack.hpp>

namespace dyadic {
namespace detail {

template <class T>
inline constexpr bool is_folded = false;
template <class Accumulator>
inline constexpr bool is_folded<folded_bias<Accumulator>> = true;
template <class T, class = void>
inline constexpr bool is_output = false;
template <class T>
inline constexpr bool is_output<T, std::void_t<typename T::accumulator, typename T::value_type>> = true;

/// Ends the compilation with a sentence that says why the parts do not make a layer of the operation.
/// @{
template <class Op, class Weights, class Bias, class Output>
DYADIC_API constexpr void explain_parts() noexcept {
  constexpr bool takes_packed = is_one_of<Op, op::linear, op::conv2d>;
  if constexpr (is_result<Weights> || is_result<Bias> || is_result<Output>)
    static_assert(never<Op>, "a result is a status and a value: look at the status, then give the .value");
  else if constexpr (is_packed<Weights> && !takes_packed)
    static_assert(never<Op>, "linear_layer and conv2d_layer take packed weights, other layers a matrix_view");
  else if constexpr (!is_packed<Weights> && !is_matrix<Weights>)
    static_assert(never<Op>, "weights are a matrix_view(data, rows, columns), or what pack makes of one");
  else if constexpr (!is_folded<Bias>)
    static_assert(never<Op>,
                  "the bias of a layer is what fold makes of it: fold<X>(weights, bias, zero_points, constants).value");
  else if constexpr (!is_output<Output>)
    static_assert(never<Op>, "the output of a layer is a per_tensor_output, a per_channel_output, a raw_output, ..");
  else
    static_assert(never<Op>, "constants have the width of the output's accumulator: fold into int32 or int64, as it has");
}
template <class W, class Bias, class Output>
DYADIC_API constexpr void explain(op::linear, const W&, const Bias&, const Output&) noexcept {
  explain_parts<op::linear, W, Bias, Output>();
}
template <class W, class Bias, class Groups, class Output>
DYADIC_API constexpr void explain(op::conv2d, const W&, const Bias&, const window2d&, const Groups&, const Output&) noexcept {
  explain_parts<op::conv2d, W, Bias, Output>();
}
template <class Op, class W, class Bias, class Output,
          std::enable_if_t<is_one_of<Op, op::depthwise, op::transposed_conv2d>, int> = 0>
DYADIC_API constexpr void explain(Op, const W&, const Bias&, const window2d&, const Output&) noexcept {
  explain_parts<Op, W, Bias, Output>();
}
template <class Op, class... Parts>
DYADIC_API constexpr void explain(Op, const Parts&...) noexcept {
  static_assert(never<Op>,
                "a layer is made of weights, bias and output; one with a window of weights, bias, window, output; "
                "conv2d_layer of weights, bias, window, groups, output");
}
/// @}

/// The type of a layer whose parts do not fit. Its constructor ends the compilation.
template <class Op>
struct refused : refused_layer {
  template <class... Parts>
  DYADIC_API constexpr refused(const Parts&... parts) noexcept {
    explain(Op{}, parts...);
  }
};

/// The memory of y, then the memory that y must not share: weights, constants, x, and the arrays of the output.
template <class Layer>
struct layer_memory {
  static constexpr std::size_t count = 4 + arrays_of<std::decay_t<output_of<Layer>>>;
  memory at[count] = {};
};

/// Writes the memory of y, weights, constants and x to `memory`. Returns 0, or the negative of the first error in a view. x and y
/// are images or matrices.
template <class Layer, class X, class Y>
DYADIC_API constexpr index_t locate_layer(const Layer& layer, const X& x, const Y& y, layer_memory<Layer>& memory) noexcept {
  index_t extent = layer.weights.measure();
  if (extent < 0) return extent;
  memory.at[1] = memory_at(layer.weights, extent);
  extent = layer.bias.constants.measure();
  if (extent < 0) return extent;
  memory.at[2] = memory_at(layer.bias.constants, extent);
  extent = x.measure();
  if (extent < 0) return extent;
  memory.at[3] = memory_at(x, extent);
  extent = y.measure();
  if (extent < 0) return extent;  // an empty y is sound
  memory.at[0] = memory_at(y, extent);
  return 0;
}

/// Returns the first error of the parts that all layers have. The caller checks the shapes that differ between operations.
/// `expected` is the record that the layer's fold should have.
template <class Layer>
DYADIC_API DYADIC_ALWAYS_INLINE constexpr status check_layer(const Layer& layer, const fold_record& expected) noexcept {
  using weight = typename weights_traits<std::decay_t<decltype(layer.weights)>>::type;
  const auto& folded = layer.bias;
  const zero_points zero = expected.zero;
  if (zero.x < expected.x_min || zero.x > expected.x_max || zero.w < operand<weight>::min || zero.w > operand<weight>::max)
    return status::zero_point_out_of_range;
  const bool same_type = folded.record.x_min == expected.x_min && folded.record.x_max == expected.x_max;
  if (!same_type) return status::fold_of_other_type;
  if (folded.record != expected || folded.constants.size() != constants_of(expected)) return status::fold_of_other_shape;
  if (adds_bias<std::decay_t<decltype(layer.output)>> && folded.record.has_bias) return status::fold_with_bias;
  return check(layer.output, expected.channels);
}

/// True if an output may take all 64-bit values.
template <class Output, class = void>
inline constexpr bool has_wide_accumulator = true;
template <class Output>
inline constexpr bool has_wide_accumulator<Output, std::void_t<typename Output::scheme>> =
    accumulator_bits<typename Output::scheme>::value == 64;

/// Returns `accumulator_overflow` if the output does not take the bound of the sums. This error is always last, because the
/// caller may run the layer nevertheless. A bound at an end of int64 was saturated.
template <class Layer>
DYADIC_API constexpr status check_bound(const Layer& layer) noexcept {
  const accumulator_range bound = layer.bias.record.bound;
  if constexpr (has_wide_accumulator<std::decay_t<decltype(layer.output)>>)
    if (bound.lowest == limits<std::int64_t>::min || bound.highest == limits<std::int64_t>::max)
      return status::accumulator_overflow;
  return takes(layer.output, bound.lowest) && takes(layer.output, bound.highest) ? status::ok : status::accumulator_overflow;
}

/// Returns `overlap` if y shares memory with x or with the layer. Requires: arrays of the output are sound. The constant
/// evaluator can order elements, but not bytes. It therefore finds an overlap only between arrays of one type.
template <class Layer, class X, class Y>
DYADIC_API constexpr status check_overlap(const Layer& layer, const X& x, const Y& y, layer_memory<Layer>& memory) noexcept {
  if (is_constant_evaluated() && (overlap(y, x) || overlap(y, layer.weights) || overlap(y, layer.bias.constants)))
    return status::overlap;
  if constexpr (layer_memory<Layer>::count > 4) locate_arrays(layer.output, memory.at + 4);
  return check_first(memory.at, memory.count);
}

/// Runs both halves of `check`. It finds the operation's check_sizes in this namespace.
template <class Layer, class X, class Y>
DYADIC_API constexpr status check_all(const Layer& layer, const X& x, const Y& y) noexcept {
  layer_memory<Layer> memory;
  if (const index_t found = locate_layer(layer, x, y, memory); found < 0) return status_of(found);
  if (const status s = check_sizes(operation_of<Layer>{}, layer, x, y); s != status::ok) return s;
  if (const status s = check_overlap(layer, x, y, memory); s != status::ok) return s;
  return check_bound(layer);
}

}  // namespace detail

/// Runs the half of `check` that needs no memory of x and y: their pointers may be null. It finds every error except `null_data`,
/// `misaligned_data` and `overlap`. x and y are matrices or images. The data that it reads grow with the channels of the layer
/// only.
template <class Layer, class X, class Y, class = typename detail::operation_of<Layer>::type, class = detail::weights_in<Layer>>
DYADIC_API constexpr status check_shapes(const Layer& layer, const X& x, const Y& y) noexcept {
  if constexpr (detail::takes_views<Layer, X, Y>()) {
    if (const status s = check(layer.weights); s != status::ok) return s;
    if (const status s = check(layer.bias.constants); s != status::ok) return s;
    if (const status s = detail::check_shape(x); s != status::ok) return s;
    if (const status s = detail::check_shape(y); s != status::ok) return s;
    if (const status s = check_sizes(detail::operation_of<Layer>{}, layer, x, y); s != status::ok) return s;
    return detail::check_bound(layer);
  } else {
    return status::shape_mismatch;
  }
}

/// Runs the other half of `check`, in equal time for every layer. Returns the first error of a view, or `overlap` if y shares
/// memory with x or with the layer. `check` returns `ok` if both halves return `ok`.
template <class Layer, class X, class Y, class = typename detail::operation_of<Layer>::type, class = detail::weights_in<Layer>>
DYADIC_API constexpr status check_memory(const Layer& layer, const X& x, const Y& y) noexcept {
  if constexpr (detail::takes_views<Layer, X, Y>()) {
    detail::layer_memory<Layer> memory;
    const index_t found = detail::locate_layer(layer, x, y, memory);
    if (found < 0) return detail::status_of(found);
    const status s = detail::check_arrays(layer.output);
    return s == status::ok ? detail::check_overlap(layer, x, y, memory) : s;
  } else {
    return status::shape_mismatch;
  }
}

}  // namespace dyadic

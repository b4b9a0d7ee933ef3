// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Some output channels of a layer, as a layer of its own: so that threads share one row. Floor 5.

#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/transposed_conv2d.hpp>

namespace dyadic {

/// Output channels begin .. end - 1.
struct channel_range {
  index_t begin;  ///< the first one
  index_t end;    ///< one past the last; no channels if it is `begin`

  /// How many.
  DYADIC_API constexpr index_t size() const noexcept { return end - begin; }
};

/// What `begin` of a range must be a multiple of: of packed weights the channels of a panel, of 4-bit weights whose rows begin
/// within a byte 2, else 1.
/// @{
template <class W>
DYADIC_API constexpr index_t channel_step(matrix_view<W> /*weights*/) noexcept {
  return 1;
}
DYADIC_API constexpr index_t channel_step(matrix_view<const int4> weights) noexcept { return weights.stride() % 2 == 0 ? 1 : 2; }
template <class Backend, class X, class W>
DYADIC_API constexpr index_t channel_step(packed_matrix<Backend, X, W> /*weights*/) noexcept {
  return packed_matrix<Backend, X, W>::layout.nr;
}
/// @}

/// The same of a layer. The step of a convolution with groups is also a multiple of the channels of one group, because its ranges
/// have whole groups. A layer that `check` refuses has a step, too, which means nothing.
/// @{
template <class Layer, class Operation = typename detail::operation_of<Layer>::type>
DYADIC_API constexpr index_t channel_step(const Layer& layer) noexcept {
  return channel_step(layer.weights);
}
template <class W, class Output, class Weights>
DYADIC_API constexpr index_t channel_step(const conv2d_layer<W, Output, Weights>& layer) noexcept {
  const index_t of_weights = channel_step(layer.weights);
  if (layer.groups <= 1 || layer.weights.rows() < layer.groups) return of_weights;
  const index_t of_group = layer.weights.rows() / layer.groups;
  for (index_t step = of_group; step > 0; step = detail::add_size(step, of_group))
    if (step % of_weights == 0) return step;
  return layer.weights.rows();
}
template <class W, class Output>
DYADIC_API constexpr index_t channel_step(const depthwise_layer<W, Output>& /*layer*/) noexcept {
  return std::is_same_v<W, int4> ? 2 : 1;
}
/// @}

namespace detail {

/// Where the elements of all rows or images lie from channel `begin` on; null stays null.
template <class T>
DYADIC_API constexpr T* advance(T* data, index_t elements, bool is_empty) noexcept {
  return is_empty ? data : data + elements;
}
template <class T>
DYADIC_API constexpr view<T> channels_of(view<T> all, channel_range c) noexcept {
  return {advance(all.data(), c.begin, c.size() == 0), c.size()};
}

template <class W>
DYADIC_API constexpr matrix_view<W> weights_of_channels(matrix_view<W> w, channel_range c) noexcept {
  return {advance(w.data(), c.begin * w.stride(), c.size() == 0 || w.cols() == 0), c.size(), w.cols(), w.stride()};
}
DYADIC_API constexpr matrix_view<const int4> weights_of_channels(matrix_view<const int4> w, channel_range c) noexcept {
  return {advance(w.data(), c.begin * w.stride() / 2, c.size() == 0 || w.cols() == 0), c.size(), w.cols(), w.stride()};
}
template <class Backend, class X, class W>
DYADIC_API constexpr packed_matrix<Backend, X, W> weights_of_channels(packed_matrix<Backend, X, W> w, channel_range c) noexcept {
  constexpr packed_layout layout = packed_matrix<Backend, X, W>::layout;
  const bool is_empty = c.size() == 0 || w.cols() == 0;
  return {advance(w.data(), is_empty ? 0 : c.begin / layout.nr * layout.panel_size(w.depth()), is_empty), c.size(), w.cols(),
          w.stored_rows() - c.begin, w.order()};
}

/// The output of these channels: its arrays have an element for each.
/// @{
template <class Output>
DYADIC_API constexpr Output channels_of(Output output, channel_range /*c*/) noexcept {
  return output;
}
template <class Y, class Scheme>
DYADIC_API constexpr per_channel_output<Y, Scheme> channels_of(per_channel_output<Y, Scheme> output, channel_range c) noexcept {
  return {channels_of(output.multipliers, c), output.range};
}
template <class Y, class Scheme, class Int, shift_convention Convention>
DYADIC_API constexpr auto channels_of(per_channel_arrays_output<Y, Scheme, Int, Convention> output, channel_range c) noexcept {
  output.mantissas = channels_of(output.mantissas, c);
  output.shifts = channels_of(output.shifts, c);
  return output;
}
template <class Rule>
DYADIC_API constexpr channel_rules_output<Rule> channels_of(channel_rules_output<Rule> output, channel_range c) noexcept {
  return {channels_of(output.rules, c)};
}
/// @}

/// The constants of these channels. The bound, which holds for all channels, stays; a fingerprint of some there is none.
template <class Accumulator>
DYADIC_API constexpr folded_bias<Accumulator> channels_of(folded_bias<Accumulator> bias, channel_range c) noexcept {
  bias.constants = channels_of(bias.constants, c);
  bias.record.channels = c.size();
  bias.record.fingerprint = 0;
  return bias;
}

/// Returns true if the range is within the layer and begins at a multiple of its step. The layer needs sound weights, and one
/// constant for each channel.
template <class Layer>
DYADIC_API constexpr bool has_channels(const Layer& layer, channel_range c) noexcept {
  const index_t channels = layer.bias.record.channels;
  return 0 <= c.begin && c.begin <= c.end && c.end <= channels && c.begin % channel_step(layer) == 0 &&
         layer.bias.constants.size() == channels && check_shape(layer.weights) == status::ok;
}
/// Returns true if the range of a convolution ends with a whole group, too.
template <class Layer>
DYADIC_API constexpr bool has_groups(const Layer& layer, channel_range c) noexcept {
  const index_t rows = layer.weights.rows();
  return layer.groups == 1 || (layer.groups > 1 && rows >= layer.groups && c.end % (rows / layer.groups) == 0);
}

/// A layer with these weights, and the bias and the output of the channels.
template <class Layer, class Weights>
DYADIC_API constexpr Layer layer_of_channels(Layer layer, const Weights& weights, channel_range c) noexcept {
  layer.weights = weights;
  layer.bias = channels_of(layer.bias, c);
  layer.output = channels_of(layer.output, c);
  return layer;
}

/// Columns of weights, of which those of 4 bits begin at a byte.
template <class W>
DYADIC_API constexpr matrix_view<const W> columns_of(matrix_view<const W> w, channel_range c) noexcept {
  const index_t begin = std::is_same_v<W, int4> ? c.begin / 2 : c.begin;
  return {advance(w.data(), begin, c.size() == 0 || w.rows() == 0), w.rows(), c.size(), w.stride()};
}

}  // namespace detail

/// The layer that computes these channels of `layer`, for `inputs_of` x and `channels_of` y: `check` and `run` take it, so that
/// threads share the channels of a batch of one. It points where `layer` points. `verify` knows the whole layer only. Requires:
/// sound weights; 0 <= begin <= end <= channels, and begin a multiple of channel_step(layer); of a convolution with groups end,
/// too; of a depthwise layer both of the channel multiplier. A transposed convolution has one constant for each channel: zero.x =
/// 0, or stride 1. `check` of the part says what is wrong with it, but for a begin that is no multiple.
/// @{
template <class W, class Output, class Weights>
DYADIC_API constexpr linear_layer<W, Output, Weights> channels_of(const linear_layer<W, Output, Weights>& layer,
                                                                  channel_range c) noexcept {
  DYADIC_ASSERT(detail::has_channels(layer, c));
  return detail::layer_of_channels(layer, detail::weights_of_channels(layer.weights, c), c);
}
template <class W, class Output, class Weights>
DYADIC_API constexpr conv2d_layer<W, Output, Weights> channels_of(conv2d_layer<W, Output, Weights> layer,
                                                                  channel_range c) noexcept {
  DYADIC_ASSERT(detail::has_channels(layer, c) && detail::has_groups(layer, c));
  conv2d_layer<W, Output, Weights> part = detail::layer_of_channels(layer, detail::weights_of_channels(layer.weights, c), c);
  if (layer.groups > 1 && c.size() > 0) part.groups = c.size() / (layer.weights.rows() / layer.groups);
  return part;
}
template <class W, class Output>
DYADIC_API constexpr depthwise_layer<W, Output> channels_of(const depthwise_layer<W, Output>& layer, channel_range c) noexcept {
  DYADIC_ASSERT(detail::has_channels(layer, c));
  return detail::layer_of_channels(layer, detail::columns_of(layer.weights, c), c);
}
template <class W, class Output>
DYADIC_API constexpr transposed_conv2d_layer<W, Output> channels_of(const transposed_conv2d_layer<W, Output>& layer,
                                                                    channel_range c) noexcept {
  DYADIC_ASSERT(detail::has_channels(layer, c));
  return detail::layer_of_channels(layer, detail::weights_of_channels(layer.weights, c), c);
}
/// @}

/// These channels of all outputs. Requires: 0 <= begin <= end <= channels.
/// @{
template <class Y>
DYADIC_API constexpr matrix_view<Y> channels_of(matrix_view<Y> y, channel_range c) noexcept {
  DYADIC_ASSERT(0 <= c.begin && c.begin <= c.end && c.end <= y.cols());
  return {detail::advance(y.data(), c.begin, c.size() == 0 || y.rows() == 0), y.rows(), c.size(), y.stride()};
}
template <class Y>
DYADIC_API constexpr nhwc_view<Y> channels_of(nhwc_view<Y> y, channel_range c) noexcept {
  DYADIC_ASSERT(0 <= c.begin && c.begin <= c.end && c.end <= y.c());
  const bool is_empty = c.size() == 0 || y.n() == 0 || y.h() == 0 || y.w() == 0;
  return {detail::advance(y.data(), c.begin, is_empty),
          y.n(),
          y.h(),
          y.w(),
          c.size(),
          y.pixel_stride(),
          y.row_stride(),
          y.image_stride()};
}
/// @}

/// The inputs that these output channels read, for `channels_of` a layer: those of the groups of a convolution, or of the
/// channels of a depthwise layer; else all of x. Requires: as for `channels_of`; x of the layer's channels.
/// @{
template <class Layer, class View, class Operation = typename detail::operation_of<Layer>::type>
DYADIC_API constexpr View inputs_of(const Layer& /*layer*/, View x, channel_range /*c*/) noexcept {
  return x;
}
template <class W, class Output, class Weights, class X>
DYADIC_API constexpr nhwc_view<X> inputs_of(const conv2d_layer<W, Output, Weights>& layer, nhwc_view<X> x,
                                            channel_range c) noexcept {
  if (layer.groups <= 1 || c.size() == 0) return x;
  const index_t outputs = layer.weights.rows() / layer.groups;
  DYADIC_ASSERT(outputs > 0);
  const index_t inputs = x.c() / layer.groups;
  return channels_of(x, {c.begin / outputs * inputs, c.end / outputs * inputs});
}
template <class W, class Output, class X>
DYADIC_API constexpr nhwc_view<X> inputs_of(const depthwise_layer<W, Output>& layer, nhwc_view<X> x, channel_range c) noexcept {
  if (x.c() == 0 || c.size() == 0) return x;
  const index_t multiplier = layer.weights.cols() / x.c();
  DYADIC_ASSERT(multiplier > 0);
  return channels_of(x, {c.begin / multiplier, c.end / multiplier});
}
/// @}

}  // namespace dyadic

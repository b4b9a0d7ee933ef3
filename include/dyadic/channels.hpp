// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Makes a layer of some output channels of another layer, so that several threads compute one row. The headers of layers with
/// weights include this header. Floor 5.

#include <dyadic/dispatch.hpp>
#include <dyadic/output.hpp>
#include <dyadic/pack.hpp>

namespace dyadic {
namespace detail {

/// `has_groups` is true for a convolution, which may have groups. `is_depthwise` is true for a depthwise layer.
/// @{
template <class Layer>
inline constexpr bool has_groups = is_one_of<typename operation_of<Layer>::type, op::conv2d, op::transposed_conv2d>;
template <class Layer>
inline constexpr bool is_depthwise = std::is_same_v<typename operation_of<Layer>::type, op::depthwise>;
/// @}

}  // namespace detail

/// Returns the step of channel ranges: `begin` of a range must be a multiple of it. The step of packed weights is the number of
/// channels in a panel. The step of 4-bit weights is 2 if rows may begin within a byte. Otherwise the step is 1.
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

/// Returns the step of a layer. The step of a convolution with groups is also a multiple of the channels of one group, because
/// its ranges have whole groups. The step of a layer that `check` refuses has no meaning.
template <class Layer, std::enable_if_t<detail::has_parts<Layer>, int> = 0>
DYADIC_API constexpr index_t channel_step(const Layer& layer) noexcept {
  if constexpr (detail::is_depthwise<Layer>) {
    return std::is_same_v<typename detail::weights_traits<decltype(Layer::weights)>::type, int4> ? 2 : 1;
  } else {
    const index_t of_weights = channel_step(layer.weights);
    if constexpr (detail::has_groups<Layer>) {
      if (layer.groups <= 1 || layer.weights.rows() < layer.groups) return of_weights;
      const index_t of_group = layer.weights.rows() / layer.groups;
      for (index_t step = of_group; step > 0; step = detail::add_size(step, of_group))
        if (step % of_weights == 0) return step;
      return layer.weights.rows();
    }
    return of_weights;
  }
}

namespace detail {

/// Moves a pointer by `elements`. If no elements are read, the pointer stays where it is, because it may be null.
template <class T>
DYADIC_API constexpr T* advance(T* data, index_t elements, bool is_empty) noexcept {
  return is_empty ? data : data + elements;
}
template <class T>
DYADIC_API constexpr view<T> part_of(view<T> all, channel_range c) noexcept {
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
  return {advance(w.data(), is_empty ? 0 : c.begin / layout.nr * panel_stride(layout, w.order(), w.depth()), is_empty), c.size(),
          w.cols(), w.stored_rows() - c.begin, w.order()};
}

/// Returns the output of a range of channels: its arrays have an element for each channel.
/// @{
template <class Output>
DYADIC_API constexpr Output part_of(Output output, channel_range /*c*/) noexcept {
  return output;
}
template <class Y, class Scheme>
DYADIC_API constexpr per_channel_output<Y, Scheme> part_of(per_channel_output<Y, Scheme> output, channel_range c) noexcept {
  return {part_of(output.multipliers, c), output.range};
}
template <class Y, class Scheme, class Int, shift_convention Convention>
DYADIC_API constexpr auto part_of(per_channel_arrays_output<Y, Scheme, Int, Convention> output, channel_range c) noexcept {
  output.mantissas = part_of(output.mantissas, c);
  output.shifts = part_of(output.shifts, c);
  return output;
}
template <class Rule>
DYADIC_API constexpr channel_rules_output<Rule> part_of(channel_rules_output<Rule> output, channel_range c) noexcept {
  return {part_of(output.rules, c)};
}
/// @}

/// Returns the constants of a range of channels. Keeps the bound, which holds for all channels. Clears the fingerprint, which is
/// of all weights.
template <class Accumulator>
DYADIC_API constexpr folded_bias<Accumulator> part_of(folded_bias<Accumulator> bias, channel_range c) noexcept {
  bias.constants = part_of(bias.constants, c);
  bias.record.channels = c.size();
  bias.record.fingerprint = 0;
  return bias;
}

/// Returns true if the range is within the layer, begins at a multiple of its step, and ends with a whole group of a convolution.
/// The layer must have sound weights, and one constant for each channel.
template <class Layer>
DYADIC_API constexpr bool has_channels(const Layer& layer, channel_range c) noexcept {
  const index_t channels = layer.bias.record.channels;
  const bool has_range = 0 <= c.begin && c.begin <= c.end && c.end <= channels && c.begin % channel_step(layer) == 0 &&
                         layer.bias.constants.size() == channels && check_shape(layer.weights) == status::ok;
  if constexpr (has_groups<Layer>) {
    const index_t rows = layer.weights.rows();
    if (layer.groups != 1) return has_range && layer.groups > 1 && rows >= layer.groups && c.end % (rows / layer.groups) == 0;
  }
  return has_range;
}

/// Returns a range of columns of weights. Requires: a range of 4-bit weights begins at a byte.
template <class W>
DYADIC_API constexpr matrix_view<const W> columns_of(matrix_view<const W> w, channel_range c) noexcept {
  const index_t begin = std::is_same_v<W, int4> ? c.begin / 2 : c.begin;
  return {advance(w.data(), begin, c.size() == 0 || w.rows() == 0), w.rows(), c.size(), w.stride()};
}

}  // namespace detail

/// Returns a layer that computes a range of output channels of `layer`, from `inputs_of` x to `channels_of` y. `check` and `run`
/// take it, so that threads share the channels of a batch of one row. It points to the arrays of `layer`. `verify` takes the
/// whole layer only.
/// Requires:
/// - sound weights;
/// - 0 <= begin <= end <= channels, and begin is a multiple of channel_step(layer);
/// - for a convolution with groups, end is the end of a group;
/// - for a depthwise layer, begin and end are multiples of the channel multiplier;
/// - for a transposed convolution, one constant for each channel: zero.x = 0, or stride 1.
/// `check` of the new layer returns its errors, but does not notice a begin that is not a multiple of the step.
template <class Layer, std::enable_if_t<detail::has_parts<Layer>, int> = 0>
DYADIC_API constexpr Layer channels_of(const Layer& layer, channel_range c) noexcept {
  DYADIC_ASSERT(detail::has_channels(layer, c));
  Layer part = layer;
  part.bias = detail::part_of(layer.bias, c);
  part.output = detail::part_of(layer.output, c);
  if constexpr (detail::is_depthwise<Layer>)
    part.weights = detail::columns_of(layer.weights, c);
  else
    part.weights = detail::weights_of_channels(layer.weights, c);
  if constexpr (detail::has_groups<Layer>)
    if (layer.groups > 1 && c.size() > 0) part.groups = c.size() / (layer.weights.rows() / layer.groups);
  return part;
}

/// Returns a range of channels of all outputs. Requires: 0 <= begin <= end <= channels.
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

/// Returns the inputs that a range of output channels reads, for use with `channels_of` a layer. For a convolution these are the
/// input channels of the groups, for a depthwise layer the input channels of the range. Other layers read all of x. Requires: as
/// for `channels_of`; x of the layer's channels.
template <class Layer, class View, std::enable_if_t<detail::has_parts<Layer>, int> = 0>
DYADIC_API constexpr View inputs_of(const Layer& layer, View x, channel_range c) noexcept {
  if (c.size() == 0) return x;
  if constexpr (detail::is_depthwise<Layer>) {
    if (x.c() == 0) return x;
    const index_t multiplier = layer.weights.cols() / x.c();
    DYADIC_ASSERT(multiplier > 0);
    return channels_of(x, {c.begin / multiplier, c.end / multiplier});
  } else {
    if constexpr (detail::has_groups<Layer>) {
      if (layer.groups <= 1) return x;
      const index_t outputs = layer.weights.rows() / layer.groups;
      DYADIC_ASSERT(outputs > 0);
      const index_t inputs = x.c() / layer.groups;
      return channels_of(x, {c.begin / outputs * inputs, c.end / outputs * inputs});
    }
    return x;
  }
}

}  // namespace dyadic

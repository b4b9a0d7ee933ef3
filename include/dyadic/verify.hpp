// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verifies that a layer's folded bias was made from the weights that the layer has. Floor 5.

#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/transposed_conv2d.hpp>

namespace dyadic {

namespace detail {

/// Returns whether stored weights have an order that `pack` gives. Requires: a sound view.
/// @{
template <class Weights>
DYADIC_API constexpr bool has_sound_order(const Weights& /*w*/) noexcept {
  return true;
}
template <class Backend, class X, class W>
DYADIC_API constexpr bool has_sound_order(const packed_matrix<Backend, X, W>& w) noexcept {
  constexpr packed_layout layout = packed_matrix<Backend, X, W>::layout;
  if constexpr (layout.has_blocks) {
    const std::int8_t* panel = w.data();
    const index_t size = panel_stride(layout, w.order(), w.depth());
    for (index_t r = 0; w.order().lines > 0 && r < w.rows(); r += layout.nr, panel += size)
      if (w.in_blocks() ? !is_sound_panel<layout.nr>(panel, w.cols(), w.order().lines) : read_number(panel, 8) != 0) return false;
  }
  return true;
}
/// @}

/// Returns `fold_of_other_shape` or `fold_of_other_weights` unless the fold was made with these weights. The activation range
/// does not matter. Returns `fold_not_verifiable` if the shape agrees and the fold has no fingerprint. Requires: weights of the
/// expected shape.
template <class Weights, class Stored>
DYADIC_API constexpr status verify_weights(const Weights& weights, const Stored& stored, const fold_record& record,
                                           fold_record expected) noexcept {
  expected.x_min = record.x_min;
  expected.x_max = record.x_max;
  if (record != expected) return status::fold_of_other_shape;
  if (record.fingerprint == 0) return status::fold_not_verifiable;
  if (!has_sound_order(stored)) return status::fold_of_other_weights;
  std::uint64_t fingerprint = empty_fingerprint;
  // A layer of depth 0 may have any number of channels.
  if (expected.depth > 0)
    for_each_phase(expected, [&](index_t o, index_t phase) {
      for_each_chunk(weights, expected, o, phase,
                     [&](const auto* chunk, index_t length) { fingerprint = fingerprint_with(fingerprint, chunk, length); });
    });
  return record.fingerprint == fingerprint ? status::ok : status::fold_of_other_weights;
}

}  // namespace detail

/// Reads all weights of the layer and compares their fingerprint with the fingerprint of the fold. `check` compares shapes, too.
/// Returns the first error that it finds:
/// - the error of the view of the weights or of the window;
/// - `fold_of_other_shape` if the shapes differ;
/// - `fold_not_verifiable` if the fold has no fingerprint;
/// - `fold_of_other_weights` if the weights or their order differ, or if packed weights are damaged so that `run` could read
///   outside of an array. Sums that stand beside packed weights are verified only for weights in blocks.
/// @{
template <class W, class Output, class Weights>
DYADIC_API constexpr status verify(const linear_layer<W, Output, Weights>& layer) noexcept {
  if (const status s = check(layer.weights); s != status::ok) return s;
  const detail::channel_major<Weights> weights(layer.weights, 1);
  return detail::verify_weights(weights, layer.weights, layer.bias.record,
                                detail::linear_record<std::int8_t>(weights.channels(), weights.depth, layer.bias.record.zero));
}
template <class Layer, class Windows = typename detail::operation_of<Layer>::windows>
DYADIC_API constexpr status verify(const Layer& layer) noexcept {
  if (const status s = Windows::check(layer.window); s != status::ok) return s;
  if (const status s = check(layer.weights); s != status::ok) return s;
  const auto weights = detail::weights_in_order(layer);
  const fold_record expected = detail::window_record<std::int8_t, Windows>(weights, layer.window, layer.bias.record.zero);
  if (!weights.has_taps(expected.taps_y * expected.taps_x)) return status::fold_of_other_shape;
  return detail::verify_weights(weights, layer.weights, layer.bias.record, expected);
}
/// @}

}  // namespace dyadic

#pragma once
/// \file
/// Whether a layer's folded bias was made from the weights that the layer has. Floor 5.

#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/transposed_conv2d.hpp>

namespace dyadic {

namespace detail {

/// `fold_mismatch` unless the fold was made with the expected shape, whose activation range does not matter, and with these
/// weights; `fold_not_verifiable` if it has that shape and was made without weights. Requires: weights of the expected shape.
template <class Weights>
DYADIC_API constexpr status verify_weights(const Weights& weights, const fold_record& record, fold_record expected) noexcept {
  expected.x_min = record.x_min;
  expected.x_max = record.x_max;
  if (record != expected) return status::fold_mismatch;
  if (record.fingerprint == 0) return status::fold_not_verifiable;
  expected.fingerprint = empty_fingerprint;
  // Without depth there may be any number of channels.
  if (expected.depth > 0) for_each_phase(weights, expected, [](index_t, index_t, signed_sums) {});
  return record.fingerprint == expected.fingerprint ? status::ok : status::fold_mismatch;
}

}  // namespace detail

/// Reads all weights of the layer and compares their fingerprint with the one that the fold took: `fold_mismatch` if they, their
/// order or their shape differ; `fold_not_verifiable` if the shape agrees, and the fold was made from kernel sums and has no
/// fingerprint. What is wrong with the view of the weights or with the window comes first. Shapes alone are compared by `check`,
/// too.
/// @{
template <class W, class Output, class Weights>
DYADIC_API constexpr status verify(const linear_layer<W, Output, Weights>& layer) noexcept {
  if (const status s = check(layer.weights); s != status::ok) return s;
  const index_t depth = layer.weights.cols();
  return detail::verify_weights(detail::channel_major{layer.weights, depth}, layer.bias.record,
                                detail::linear_record<std::int8_t>(layer.weights.rows(), depth, layer.bias.record.zero));
}
template <class W, class Output, class Weights>
DYADIC_API constexpr status verify(const conv2d_layer<W, Output, Weights>& layer) noexcept {
  if (const status s = check(layer.window); s != status::ok) return s;
  if (const status s = check(layer.weights); s != status::ok) return s;
  const fold_record expected =
      detail::conv2d_record<std::int8_t>(layer.weights.rows(), layer.weights.cols(), layer.window, layer.bias.record.zero);
  if (!detail::fills_row(expected, layer.weights.cols())) return status::fold_mismatch;
  return detail::verify_weights(detail::channel_major{layer.weights, expected.depth}, layer.bias.record, expected);
}
template <class W, class Output>
DYADIC_API constexpr status verify(const depthwise_layer<W, Output>& layer) noexcept {
  if (const status s = check(layer.window); s != status::ok) return s;
  if (const status s = check(layer.weights); s != status::ok) return s;
  const fold_record expected = detail::depthwise_record<std::int8_t>(layer.weights.cols(), layer.window, layer.bias.record.zero);
  if (layer.weights.rows() != expected.taps_y * expected.taps_x) return status::fold_mismatch;
  return detail::verify_weights(detail::tap_major<const W>{layer.weights}, layer.bias.record, expected);
}
template <class W, class Output>
DYADIC_API constexpr status verify(const transposed_conv2d_layer<W, Output>& layer) noexcept {
  if (const status s = check_transposed(layer.window); s != status::ok) return s;
  if (const status s = check(layer.weights); s != status::ok) return s;
  const fold_record expected =
      detail::transposed_record<std::int8_t>(layer.weights.rows(), layer.weights.cols(), layer.window, layer.bias.record.zero);
  if (!detail::fills_row(expected, layer.weights.cols())) return status::fold_mismatch;
  return detail::verify_weights(detail::channel_major{layer.weights, expected.depth}, layer.bias.record, expected);
}
/// @}

}  // namespace dyadic

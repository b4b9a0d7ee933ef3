#pragma once
/// \file
/// The linear (fully connected) layer. Floor 5.

#include <dyadic/dot.hpp>
#include <dyadic/fold.hpp>
#include <dyadic/output.hpp>

namespace dyadic {

/// y[r][o] = output(bias[o] + sum_k (x[r][k] - zero.x) * (weights[o][k] - zero.w)), the sum folded as in fold.hpp.
/// The accumulator is that of the output's scheme.
template <class W, class Output>
struct linear_layer {
  matrix_view<const W> weights;                     ///< one row of `depth` weights for each output channel
  folded_bias<typename Output::accumulator> bias;   ///< made by `fold` from the same weights and zero points
  zero_points zero;
  Output output;
};

template <class W, class Accumulator, class Output>
linear_layer(matrix_view<W>, folded_bias<Accumulator>, zero_points, Output) -> linear_layer<std::remove_const_t<W>, Output>;

/// The first thing that is wrong with the layer, or with its use on x (batch x depth) and y (batch x channels); `ok` if `run` may be
/// called. Total: reads descriptors, constants' bounds and multipliers, never activations or weights; its cost does not grow with the
/// depth. `accumulator_overflow`: some x of its type would overflow the accumulator with these weights and this bias.
template <class W, class Output, class X>
constexpr status check(const linear_layer<W, Output>& layer, matrix_view<X> x, matrix_view<typename Output::value_type> y) noexcept {
  using x_limits = std::numeric_limits<std::remove_const_t<X>>;
  const auto& bias = layer.bias;
  if (const status s = check(layer.weights); s != status::ok) return s;
  if (const status s = check(bias.constants); s != status::ok) return s;
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  const index_t channels = layer.weights.rows();
  if (x.cols() != layer.weights.cols() || y.cols() != channels || y.rows() != x.rows() || bias.constants.size() != channels)
    return status::shape_mismatch;
  if (!fits<std::remove_const_t<X>>(std::int64_t{layer.zero.x}) || !fits<W>(std::int64_t{layer.zero.w}))
    return status::zero_point_out_of_range;
  if (bias.zero != layer.zero || bias.depth != layer.weights.cols() || bias.x_min != x_limits::min() || bias.x_max != x_limits::max())
    return status::fold_mismatch;
  if (const status s = check(layer.output, channels); s != status::ok) return s;
  if (!fits<typename Output::accumulator>(bias.lowest) || !fits<typename Output::accumulator>(bias.highest))
    return status::accumulator_overflow;
  const auto written = detail::extent(y);
  if (overlap(written, detail::extent(x)) || overlap(written, detail::extent(layer.weights)) || overlap(written, bias.constants) ||
      detail::overlaps_multipliers(written, layer.output))
    return status::overlap;
  return status::ok;
}

/// Computes y. Requires: check(layer, x, y) is ok, or `accumulator_overflow`; then the sum wraps modulo 2^(bits of the accumulator).
template <class W, class Output, class X>
constexpr void run(const linear_layer<W, Output>& layer, matrix_view<X> x, matrix_view<typename Output::value_type> y) noexcept {
  using accumulator = typename Output::accumulator;
  using bits = std::make_unsigned_t<accumulator>;
  const index_t depth = layer.weights.cols();
  for (index_t r = 0; r < x.rows(); ++r) {
    const bits row_term = layer.zero.w == 0 ? bits{0} : static_cast<bits>(layer.zero.w) * static_cast<bits>(sum<accumulator>(x.row(r), depth));
    for (index_t o = 0; o < layer.weights.rows(); ++o) {
      const auto products = static_cast<bits>(dot<accumulator>(x.row(r), layer.weights.row(o), depth));
      const bits acc = products + static_cast<bits>(layer.bias.constants[o]) - row_term;
      y.row(r)[o] = layer.output(static_cast<accumulator>(acc), o);
    }
  }
}

}  // namespace dyadic

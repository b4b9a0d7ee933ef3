#pragma once
/// \file
/// The linear (fully connected) layer. Floor 5.

#include <dyadic/sum_of_windows.hpp>

namespace dyadic {

/// y[r][o] = output(bias[o] + sum_k (x[r][k] - zero.x) * (weights[o][k] - zero.w)), the sum folded as in fold.hpp.
/// The accumulator is that of the output.
template <class W, class Output>
struct linear_layer {
  matrix_view<const W> weights;                    ///< one row of `depth` weights for each output channel
  folded_bias<typename Output::accumulator> bias;  ///< made by `fold` from the same weights and zero points
  zero_points zero;
  Output output;
};

template <class W, class Accumulator, class Output>
linear_layer(matrix_view<W>, folded_bias<Accumulator>, zero_points, Output) -> linear_layer<std::remove_const_t<W>, Output>;

/// The first thing that is wrong with the layer, or with its use on x (batch x depth) and y (batch x channels); `ok` if `run` may
/// be called. Total: reads descriptors, the fold's record and multipliers, never activations or weights; its cost does not grow
/// with the depth. `accumulator_overflow`: some x of its type would overflow the accumulator with these weights and this bias.
template <class W, class Output, class X>
DYADIC_API constexpr status check(const linear_layer<W, Output>& layer, const matrix_view<X>& x,
                                  const matrix_view<typename Output::value_type>& y) noexcept {
  const auto at = detail::locate_layer(layer.weights, layer.bias, x, y);
  if (at.status != status::ok) return at.status;
  const index_t channels = layer.weights.rows();
  const index_t depth = layer.weights.cols();
  if (x.cols() != depth || y.cols() != channels || y.rows() != x.rows()) return status::shape_mismatch;
  const fold_record expected = detail::linear_record<X>(channels, depth, layer.zero);
  return detail::check_layer<W>(layer.bias, expected, channels, layer.output, at.value);
}

/// Computes the rows of y in the range. Requires: check(layer, x, y) is ok, or `accumulator_overflow`: then the sum wraps modulo
/// 2^(bits of the accumulator); 0 <= rows.begin <= rows.end <= x.rows().
template <class W, class Output, class X>
DYADIC_API constexpr void run(const linear_layer<W, Output>& layer, const matrix_view<X>& x,
                              const matrix_view<typename Output::value_type>& y, row_range rows) noexcept {
  const detail::channel_major<const W> weights{layer.weights, layer.weights.cols()};
  detail::run_rows(detail::channels{weights, layer.bias, layer.output}, x, y, rows);
}

/// Computes all rows of y.
template <class W, class Output, class X>
DYADIC_API constexpr void run(const linear_layer<W, Output>& layer, const matrix_view<X>& x,
                              const matrix_view<typename Output::value_type>& y) noexcept {
  run(layer, x, y, {0, x.rows()});
}

}  // namespace dyadic

#pragma once
/// \file
/// Convolution over NHWC activations and OHWI weights, with stride, dilation, groups and any padding. Floor 5.

#include <dyadic/dispatch.hpp>
#include <dyadic/pack.hpp>
#include <dyadic/sum_of_windows.hpp>

namespace dyadic {

/// y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][i] - zero.x) * (w[o][ky][kx][i - first of the group] - zero.w)) over the
/// taps with iy = oy * stride - pad_before + ky * dilation, and ix likewise, inside the image: padding is real 0.
/// Weights are a matrix_view, or a packed_matrix.
template <class W, class Output, class Weights = matrix_view<const W>>
struct conv2d_layer {
  Weights weights;  ///< one row of kernel_h * kernel_w * in_channels / groups weights for each output channel, OHWI
  folded_bias<typename Output::accumulator> bias;  ///< made by `fold_conv2d` from the same weights and window, with the zero points
  window2d window;
  index_t groups;
  Output output;
};

template <class W, class Accumulator, class Output>
conv2d_layer(matrix_view<W>, folded_bias<Accumulator>, window2d, index_t, Output)
    -> conv2d_layer<std::remove_const_t<W>, Output>;
template <class Backend, class X, class W, class Accumulator, class Output>
conv2d_layer(packed_matrix<Backend, X, W>, folded_bias<Accumulator>, window2d, index_t, Output)
    -> conv2d_layer<W, Output, packed_matrix<Backend, X, W>>;

namespace detail {

struct forward_axes {
  window2d window;

  DYADIC_API constexpr window_axis vertical(index_t row) const noexcept { return of(row, window.y); }
  DYADIC_API constexpr window_axis horizontal(index_t column) const noexcept { return of(column, window.x); }
  DYADIC_API static constexpr window_axis of(index_t out, const window1d& w) noexcept {
    return {0, out * w.stride - w.pad_before, w.dilation};
  }
};

/// The record of a convolution's fold. Requires: a sound window.
template <class X>
DYADIC_API constexpr fold_record conv2d_record(index_t channels, index_t cols, window2d window, zero_points zero) noexcept {
  return window_record<X>(channels, window, /*transposed*/ false, cols / (window.y.kernel * window.x.kernel), zero);
}

}  // namespace detail

/// How many constants `fold_conv2d` and `fold_depthwise` need: one for each channel, whatever the window.
DYADIC_API constexpr index_t conv2d_constants(index_t channels, window2d /*window*/ = {}, zero_points /*zero*/ = {}) noexcept {
  return channels;
}

/// `fold` for a convolution: `constants` has one element for each channel. Also `bad_window`, and
/// `shape_mismatch` if a row of weights is not a whole number of depths.
template <class X, class W, class Bias, class Storage>
DYADIC_API constexpr auto fold_conv2d(matrix_view<W> weights, window2d window, const Bias& bias, zero_points zero,
                                      Storage&& constants) noexcept {
  const view to(static_cast<Storage&&>(constants));
  using accumulator = std::remove_pointer_t<decltype(to.data())>;
  using folded = result<folded_bias<accumulator>>;
  if (const status s = check(window); s != status::ok) return folded{{}, s};
  if (const status s = check(weights); s != status::ok) return folded{{}, s};
  const fold_record record = detail::conv2d_record<X>(weights.rows(), weights.cols(), window, zero);
  if (!detail::fills_row(record, weights.cols())) return folded{{}, status::shape_mismatch};
  return detail::fold_checked<X>(weights, detail::channel_major{weights, record.depth}, bias, record, to);
}

/// The first thing that is wrong with the layer, or with its use on x and y; as for a linear layer. Also `bad_window`, and
/// `shape_mismatch` unless y is n x forward_size(h) x forward_size(w) x channels, and channels and x.c() are multiples of groups.
template <class W, class Output, class Weights, class X>
DYADIC_API constexpr status check(const conv2d_layer<W, Output, Weights>& layer, const nhwc_view<X>& x,
                                  const nhwc_view<typename Output::value_type>& y) noexcept {
  if (const status s = check(layer.window); s != status::ok) return s;
  const auto at = detail::locate_layer(layer.weights, layer.bias, x, y);
  if (at.status != status::ok) return at.status;
  const fold_record expected = detail::conv2d_record<X>(layer.weights.rows(), layer.weights.cols(), layer.window, layer.bias.record.zero);
  const bool groups_fit = layer.groups > 0 && x.c() % layer.groups == 0 && y.c() % layer.groups == 0;
  if (!groups_fit || y.c() != expected.channels || x.c() / layer.groups != expected.depth ||
      !detail::fills_row(expected, layer.weights.cols()) || !detail::forward_shapes(x, y, layer.window))
    return status::shape_mismatch;
  return detail::check_layer<W>(layer.bias, expected, layer.output, at.value);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::conv2d> {
  template <class Layer, class X, class Y>
  static constexpr void run(const Layer& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y, row_range rows) noexcept {
    const detail::channel_major weights{layer.weights, layer.bias.record.depth};
    const detail::forward_axes axes{layer.window};
    detail::run_windows(detail::channels{weights, layer.bias, layer.output}, axes, y.c() / layer.groups, x, y, rows);
  }
};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output, class Weights>
struct operation_of<conv2d_layer<W, Output, Weights>> : operation_with<op::conv2d, W, Weights> {};

}  // namespace detail
}  // namespace dyadic

#pragma once
/// \file
/// Transposed convolution over NHWC activations and OHWI weights, with stride, padding and output padding. Floor 5.

#include <dyadic/dispatch.hpp>
#include <dyadic/sum_of_windows.hpp>

namespace dyadic {

/// y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][i] - zero.x) * (w[o][ky][kx][i] - zero.w)) over the taps with
/// iy * stride = oy + pad_before - ky, and ix likewise, inside the image. The size of y says the output padding.
template <class W, class Output>
struct transposed_conv2d_layer {
  matrix_view<const W> weights;  ///< one row of kernel_h * kernel_w * in_channels weights for each output channel, OHWI
  folded_bias<typename Output::accumulator>
      bias;  ///< made by `fold_transposed_conv2d` from the same weights and window, with the zero points
  window2d window;  ///< dilation 1
  Output output;
};

template <class W, class Accumulator, class Output>
transposed_conv2d_layer(matrix_view<W>, folded_bias<Accumulator>, window2d, Output)
    -> transposed_conv2d_layer<std::remove_const_t<W>, Output>;

namespace detail {

struct transposed_axes {
  window2d window;

  DYADIC_API constexpr window_axis vertical(index_t row) const noexcept { return of(row, window.y); }
  DYADIC_API constexpr window_axis horizontal(index_t column) const noexcept { return of(column, window.x); }
  DYADIC_API static constexpr window_axis of(index_t out, const window1d& w) noexcept {
    return {(out + w.pad_before) % w.stride, (out + w.pad_before) / w.stride, -1};
  }
};

template <class X>
DYADIC_API constexpr fold_record transposed_record(index_t channels, index_t cols, window2d window, zero_points zero) noexcept {
  return window_record<X>(channels, window, /*transposed*/ true, cols / (window.y.kernel * window.x.kernel), zero);
}

}  // namespace detail

/// How many constants `fold_transposed_conv2d` needs: channels * min(stride, kernel + 1) in y * the same in x, or one for each
/// channel if zero.x = 0. Requires: a sound window, channels >= 0.
DYADIC_API constexpr index_t transposed_conv2d_constants(index_t channels, window2d window, zero_points zero) noexcept {
  const fold_record record = detail::window_record<std::int8_t>(channels, window, /*transposed*/ true, 0, zero);
  return detail::constants_of(record);
}

/// `fold` for a transposed convolution: constants for each phase of the stride, laid out as `folded_bias` says.
/// `constants` has transposed_conv2d_constants(weights.rows(), window, zero) elements. Also `bad_window`, dilation included, and
/// `shape_mismatch` if a row of weights is not a whole number of depths.
template <class X, class W, class Bias, class Storage>
DYADIC_API constexpr auto fold_transposed_conv2d(matrix_view<W> weights, window2d window, const Bias& bias, zero_points zero,
                                                 Storage&& constants) noexcept {
  const view to(static_cast<Storage&&>(constants));
  using accumulator = std::remove_pointer_t<decltype(to.data())>;
  using folded = result<folded_bias<accumulator>>;
  if (const status s = check_transposed(window); s != status::ok) return folded{{}, s};
  if (const status s = check(weights); s != status::ok) return folded{{}, s};
  const fold_record record = detail::transposed_record<X>(weights.rows(), weights.cols(), window, zero);
  if (!detail::fills_row(record, weights.cols())) return folded{{}, status::shape_mismatch};
  return detail::fold_checked<X>(weights, detail::channel_major{weights, record.depth}, bias, record, to);
}

/// As for a convolution; `shape_mismatch` unless y is transposed_size(h) + output padding high, the padding 0 .. stride - 1, and
/// so wide.
template <class W, class Output, class X>
DYADIC_API constexpr status check(const transposed_conv2d_layer<W, Output>& layer, const nhwc_view<X>& x,
                                  const nhwc_view<typename Output::value_type>& y) noexcept {
  if (const status s = check_transposed(layer.window); s != status::ok) return s;
  const auto at = detail::locate_layer(layer.weights, layer.bias, x, y);
  if (at.status != status::ok) return at.status;
  const fold_record expected = detail::transposed_record<X>(layer.weights.rows(), layer.weights.cols(), layer.window, layer.bias.record.zero);
  if (y.c() != expected.channels || x.c() != expected.depth || !detail::fills_row(expected, layer.weights.cols()) ||
      !detail::transposed_shapes(x, y, layer.window))
    return status::shape_mismatch;
  return detail::check_layer<W>(layer.bias, expected, layer.output, at.value);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::transposed_conv2d> {
  template <class Layer, class X, class Y>
  static constexpr void run(const Layer& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y, row_range rows) noexcept {
    const detail::channel_major weights{layer.weights, layer.bias.record.depth};
    const detail::transposed_axes axes{layer.window};
    detail::run_windows(detail::channels{weights, layer.bias, layer.output}, axes, y.c(), x, y, rows);
  }
};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output>
struct operation_of<transposed_conv2d_layer<W, Output>> : operation_with<op::transposed_conv2d, W, matrix_view<const W>> {};

}  // namespace detail
}  // namespace dyadic

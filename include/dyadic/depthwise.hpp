#pragma once
/// \file
/// Depthwise convolution over NHWC activations and 1HWO weights (TOSA's HWCM is the same). Floor 5.

#include <dyadic/conv2d.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

/// y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][o / m] - zero.x) * (w[ky][kx][o] - zero.w)) over the taps of the window,
/// with m = y.c() / x.c(), the channel multiplier. A tap's weights of all channels lie next to each other.
template <class W, class Output>
struct depthwise_layer {
  matrix_view<const W> weights;                    ///< one row of out_channels weights for each of kernel_h * kernel_w taps
  folded_bias<typename Output::accumulator> bias;  ///< made by `fold_depthwise` from the same weights and window, with the zero points
  window2d window;
  Output output;
};

template <class W, class Accumulator, class Output>
depthwise_layer(matrix_view<W>, folded_bias<Accumulator>, window2d, Output)
    -> depthwise_layer<std::remove_const_t<W>, Output>;

namespace detail {

template <class X>
DYADIC_API constexpr fold_record depthwise_record(index_t channels, window2d window, zero_points zero) noexcept {
  return window_record<X>(channels, window, /*transposed*/ false, 1, zero);
}

}  // namespace detail

/// `fold` for a depthwise convolution: `constants` has one element for each channel. Also
/// `bad_window`, and `shape_mismatch` unless `weights` has a row for each tap.
template <class X, class W, class Bias, class Storage>
DYADIC_API constexpr auto fold_depthwise(matrix_view<W> weights, window2d window, const Bias& bias, zero_points zero,
                                         Storage&& constants) noexcept {
  const view to(static_cast<Storage&&>(constants));
  using accumulator = std::remove_pointer_t<decltype(to.data())>;
  using folded = result<folded_bias<accumulator>>;
  if (const status s = check(window); s != status::ok) return folded{{}, s};
  if (const status s = check(weights); s != status::ok) return folded{{}, s};
  const fold_record record = detail::depthwise_record<X>(weights.cols(), window, zero);
  if (weights.rows() != record.taps_y * record.taps_x) return folded{{}, status::shape_mismatch};
  return detail::fold_checked<X>(weights, detail::tap_major<W>{weights}, bias, record, to);
}

/// As for a convolution; `shape_mismatch` unless y.c() is a multiple of x.c().
template <class W, class Output, class X>
DYADIC_API constexpr status check(const depthwise_layer<W, Output>& layer, const nhwc_view<X>& x,
                                  const nhwc_view<typename Output::value_type>& y) noexcept {
  if (const status s = check(layer.window); s != status::ok) return s;
  const auto at = detail::locate_layer(layer.weights, layer.bias, x, y);
  if (at.status != status::ok) return at.status;
  const fold_record expected = detail::depthwise_record<X>(layer.weights.cols(), layer.window, layer.bias.record.zero);
  if (x.c() == 0 || y.c() % x.c() != 0 || y.c() != expected.channels ||
      layer.weights.rows() != expected.taps_y * expected.taps_x || !detail::forward_shapes(x, y, layer.window))
    return status::shape_mismatch;
  return detail::check_layer<W>(layer.bias, expected, layer.output, at.value);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::depthwise> {
  template <class W, class Output, class X, class Y>
  static constexpr void run(const depthwise_layer<W, Output>& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            row_range rows) noexcept {
    const detail::tap_major<const W> weights{layer.weights};
    const detail::forward_axes axes{layer.window};
    detail::run_windows(detail::channels{weights, layer.bias, layer.output}, axes, y.c() / x.c(), x, y, rows);
  }
};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output>
struct operation_of<depthwise_layer<W, Output>> : operation_with<op::depthwise, W, matrix_view<const W>> {};

}  // namespace detail
}  // namespace dyadic

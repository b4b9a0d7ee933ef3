// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Transposed convolution over NHWC activations and OHWI weights, with stride, padding, output padding, dilation and groups.
/// Floor 5.

#include <dyadic/detail/windowed.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

/// Computes y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][i] - zero.x) * (w[o][ky][kx][i] - zero.w)). The sum is over the
/// taps with iy * stride = oy + pad_before - ky * dilation, and ix likewise, inside the image. The height of y is
/// transposed_size(h) + output padding, where the output padding is less than the greater of stride and dilation. The width
/// follows the same formula. Output channel o reads the input channels of its group, as in a `conv2d_layer`.
template <class W, class Output>
struct transposed_conv2d_layer {
  matrix_view<const W> weights;  ///< a row of kernel_h * kernel_w * in_channels / groups weights for each output channel, OHWI
  folded_bias<typename Output::accumulator> bias;  ///< `fold_transposed_conv2d` of the same weights and window
  window2d window;                                 ///< rows, then columns
  Output output;                                   ///< turns each sum into an output
  index_t groups = 1;                              ///< 1 or more; divides input and output channels evenly
};

/// Deduces the types from the members, without groups or with them.
/// @{
template <class W, class Output>
transposed_conv2d_layer(matrix_view<W>, folded_bias<typename Output::accumulator>, window2d, Output)
    -> transposed_conv2d_layer<std::remove_const_t<W>, Output>;
template <class W, class Output, class Groups>
transposed_conv2d_layer(matrix_view<W>, folded_bias<typename Output::accumulator>, window2d, Output, Groups)
    -> transposed_conv2d_layer<std::remove_const_t<W>, Output>;
/// @}
/// Ends the compilation with a message if the parts do not make a layer.
/// @{
template <class... Parts>
transposed_conv2d_layer(Parts...) -> transposed_conv2d_layer<void, detail::refused<op::transposed_conv2d>>;
template <>
struct transposed_conv2d_layer<void, detail::refused<op::transposed_conv2d>> : detail::refused<op::transposed_conv2d> {
  using detail::refused<op::transposed_conv2d>::refused;
};
/// @}

/// Returns the number of constants that `fold_transposed_conv2d` needs: channels * min(step, kernel + 1) in y * min(step, kernel
/// + 1) in x, or one for each channel if zero.x = 0. The step is stride / (greatest common divisor of stride and dilation).
/// Returns -1 if a factor is negative, if the product exceeds index_t, or for a window that `check_transposed` refuses.
DYADIC_API constexpr index_t transposed_conv2d_constants(index_t channels, window2d window, zero_points zero) noexcept {
  using windows = detail::transposed_windows;
  if (windows::check(window) != status::ok) return -1;
  const index_t phases = detail::add_size(0, detail::phase_count(window.y.kernel, windows::step(window.y)),
                                          detail::phase_count(window.x.kernel, windows::step(window.x)));
  return detail::add_size(0, channels, zero.x == 0 ? 1 : phases);
}

/// Folds a transposed convolution as `fold` does: computes constants for each phase of the stride, laid out as `folded_bias`
/// says. `constants` has transposed_conv2d_constants(weights.rows(), window, zero) elements. Returns the statuses of `fold`, and
/// `bad_window`. Returns `shape_mismatch` also if a row of weights is not a whole number of depths.
template <class X = void, class Weights, class Bias, class Window = window2d, class Storage>
DYADIC_API constexpr auto fold_transposed_conv2d(Weights weights, const Bias& bias, const Window& window, zero_points zero,
                                                 Storage&& constants, verifiable taken = verifiable::yes) noexcept {
  return detail::fold_windows<X, detail::transposed_windows, detail::channel_major>(weights, bias, window, zero,
                                                                                    static_cast<Storage&&>(constants), taken);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::transposed_conv2d> : detail::scalar_windows {};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output>
struct operation_of<transposed_conv2d_layer<W, Output>> : operation_with<op::transposed_conv2d, W, matrix_view<const W>> {
  using windows = transposed_windows;
  template <class View>
  using weights = channel_major<View>;
  template <class Layer, class X>
  DYADIC_API static constexpr index_t groups(const Layer& layer, const nhwc_view<X>&) noexcept {
    return layer.groups;
  }
};

}  // namespace detail
}  // namespace dyadic

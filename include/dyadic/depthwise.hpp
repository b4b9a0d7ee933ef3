// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A depthwise convolution over NHWC activations and 1HWO weights (TOSA's HWCM has the same order). Floor 5.

#include <dyadic/conv2d.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

/// Computes `y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][o / m] - zero.x) * (w[ky][kx][o] - zero.w))`. The sum is over
/// the taps of the window. The channel multiplier m = y.c() / x.c() is a whole number. The weights of one tap for all channels
/// are adjacent in memory. Sizes follow the formulas of a convolution.
template <class W, class Output>
struct depthwise_layer {
  matrix_view<const W> weights;                    ///< one row of out_channels weights for each of kernel_h * kernel_w taps
  folded_bias<typename Output::accumulator> bias;  ///< `fold_depthwise` of the same weights and window; holds the zero points
  window2d window;                                 ///< rows, then columns
  Output output;                                   ///< makes an output of each sum
};

/// Deduces the layer from its members.
template <class W, class Output>
depthwise_layer(matrix_view<W>, folded_bias<typename Output::accumulator>, window2d, Output)
    -> depthwise_layer<std::remove_const_t<W>, Output>;
/// Ends the compilation with a message if the parts have other types.
/// @{
template <class... Parts>
depthwise_layer(Parts...) -> depthwise_layer<void, detail::refused<op::depthwise>>;
template <>
struct depthwise_layer<void, detail::refused<op::depthwise>> : detail::refused<op::depthwise> {
  using detail::refused<op::depthwise>::refused;
};
/// @}

/// Folds the bias of a depthwise convolution as `fold` does. `constants` has one element for each channel. Also returns
/// `bad_window`. Returns `shape_mismatch` unless `weights` has a row for each tap.
template <class X = void, class Weights, class Bias, class Window = window2d, class Storage>
DYADIC_API constexpr auto fold_depthwise(Weights weights, const Bias& bias, const Window& window, zero_points zero,
                                         Storage&& constants, verifiable taken = verifiable::yes) noexcept {
  return detail::fold_windows<X, detail::forward_windows, detail::tap_major>(weights, bias, window, zero,
                                                                             static_cast<Storage&&>(constants), taken);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::depthwise> : detail::scalar_windows {};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output>
struct operation_of<depthwise_layer<W, Output>> : operation_with<op::depthwise, W, matrix_view<const W>> {
  using windows = forward_windows;
  template <class View>
  using weights = tap_major<View>;
  template <class Layer, class X>
  DYADIC_API static constexpr index_t groups(const Layer&, const nhwc_view<X>& x) noexcept {
    return x.c();
  }
};

}  // namespace detail
}  // namespace dyadic

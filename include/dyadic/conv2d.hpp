// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Convolution over NHWC activations and OHWI weights, with stride, dilation, groups and any padding. Floor 5.

#include <dyadic/dispatch.hpp>
#include <dyadic/pack.hpp>
#include <dyadic/windowed.hpp>

namespace dyadic {

/// y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][i] - zero.x) * (w[o][ky][kx][i - first of the group] - zero.w)) over the
/// taps with iy = oy * stride - pad_before + ky * dilation, and ix likewise, inside the image: padding is real 0.
/// Weights are a matrix_view, or a packed_matrix. y is n x forward_size(h) x forward_size(w) x channels, and channels and x.c()
/// are multiples of groups.
template <class W, class Output, class Weights = matrix_view<const W>>
struct conv2d_layer {
  Weights weights;  ///< one row of kernel_h * kernel_w * in_channels / groups weights for each output channel, OHWI
  folded_bias<typename Output::accumulator> bias;  ///< `fold_conv2d` of the same weights and window; holds the zero points
  window2d window;                                 ///< rows, then columns
  index_t groups;                                  ///< they divide input and output channels evenly; 1 or more
  Output output;                                   ///< what becomes of each sum
};

/// Of its members.
template <class W, class Groups, class Output>
conv2d_layer(matrix_view<W>, folded_bias<typename Output::accumulator>, window2d, Groups, Output)
    -> conv2d_layer<std::remove_const_t<W>, Output>;
/// The same with packed weights.
template <class Backend, class X, class W, class Groups, class Output>
conv2d_layer(packed_matrix<Backend, X, W>, folded_bias<typename Output::accumulator>, window2d, Groups, Output)
    -> conv2d_layer<W, Output, packed_matrix<Backend, X, W>>;
/// Other parts end the compilation with a sentence.
/// @{
template <class... Parts>
conv2d_layer(Parts...) -> conv2d_layer<void, detail::refused<op::conv2d>, void>;
template <>
struct conv2d_layer<void, detail::refused<op::conv2d>, void> : detail::refused<op::conv2d> {
  using detail::refused<op::conv2d>::refused;
};
/// @}

/// How many constants `fold_conv2d` and `fold_depthwise` need: one for each channel, whatever the window. Asked as
/// `transposed_conv2d_constants` is.
DYADIC_API constexpr index_t conv2d_constants(index_t channels, window2d /*window*/ = {}, zero_points /*zero*/ = {}) noexcept {
  return channels;
}

/// `fold` for a convolution: `constants` has one element for each channel. Also `bad_window`, and `shape_mismatch` if a row of
/// weights is not a whole number of depths.
template <class X = void, class Weights, class Bias, class Storage>
DYADIC_API constexpr auto fold_conv2d(Weights weights, window2d window, const Bias& bias, zero_points zero, Storage&& constants,
                                      verifiable taken = verifiable::yes) noexcept {
  return detail::fold_windows<X, detail::forward_windows, detail::channel_major>(weights, window, bias, zero,
                                                                                 static_cast<Storage&&>(constants), taken);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::conv2d> : detail::scalar_windows {};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output, class Weights>
struct operation_of<conv2d_layer<W, Output, Weights>> : operation_with<op::conv2d, W, Weights> {
  using windows = forward_windows;
  template <class View>
  using weights = channel_major<View>;
  template <class Layer, class X>
  DYADIC_API static constexpr index_t groups(const Layer& layer, const nhwc_view<X>&) noexcept {
    return layer.groups;
  }
};

}  // namespace detail
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A convolution over NHWC activations and OHWI weights, with stride, dilation, groups and any padding. Floor 5.

#include <dyadic/backend/plan.hpp>
#include <dyadic/detail/windowed.hpp>
#include <dyadic/dispatch.hpp>
#include <dyadic/pack.hpp>

namespace dyadic {

/// Computes `y[n][oy][ox][o] = output(bias[o] + sum (x[n][iy][ix][i] - zero.x) * (w[o][ky][kx][i - first of the group] -
/// zero.w))`. Here iy = oy * stride - pad_before + ky * dilation, and ix is computed likewise. The sum is over the taps with iy
/// and ix inside the image, because padding is real 0.
/// Weights are a matrix_view or a packed_matrix. The shape of y is n x forward_size(h) x forward_size(w) x channels. The numbers
/// of output channels and of input channels, x.c(), are multiples of groups.
template <class W, class Output, class Weights = matrix_view<const W>>
struct conv2d_layer {
  Weights weights;  ///< one row of kernel_h * kernel_w * in_channels / groups weights for each output channel, OHWI
  folded_bias<typename Output::accumulator> bias;  ///< `fold_conv2d` of the same weights and window; holds the zero points
  window2d window;                                 ///< rows, then columns
  index_t groups;                                  ///< 1 or more; divides input and output channels evenly
  Output output;                                   ///< makes an output of each sum
};

/// Deduces the layer of a matrix of weights.
template <class W, class Groups, class Output>
conv2d_layer(matrix_view<W>, folded_bias<typename Output::accumulator>, window2d, Groups, Output)
    -> conv2d_layer<std::remove_const_t<W>, Output>;
/// Deduces the layer of packed weights.
template <class Backend, class X, class W, class Groups, class Output>
conv2d_layer(packed_matrix<Backend, X, W>, folded_bias<typename Output::accumulator>, window2d, Groups, Output)
    -> conv2d_layer<W, Output, packed_matrix<Backend, X, W>>;
/// Ends the compilation with a message if the parts have other types.
/// @{
template <class... Parts>
conv2d_layer(Parts...) -> conv2d_layer<void, detail::refused<op::conv2d>, void>;
template <>
struct conv2d_layer<void, detail::refused<op::conv2d>, void> : detail::refused<op::conv2d> {
  using detail::refused<op::conv2d>::refused;
};
/// @}

/// Returns how many constants `fold_conv2d` and `fold_depthwise` need: one for each channel, whatever the window.
DYADIC_API constexpr index_t conv2d_constants(index_t channels) noexcept { return channels; }

/// Folds the bias of a convolution as `fold` does. `constants` has one element for each channel. Also returns `bad_window`.
/// Returns `shape_mismatch` if the length of a row of weights is not a multiple of the number of taps.
template <class X = void, class Weights, class Bias, class Window = window2d, class Storage>
DYADIC_API constexpr auto fold_conv2d(Weights weights, const Bias& bias, const Window& window, zero_points zero,
                                      Storage&& constants, verifiable taken = verifiable::yes) noexcept {
  return detail::fold_windows<X, detail::forward_windows, detail::channel_major>(weights, bias, window, zero,
                                                                                 static_cast<Storage&&>(constants), taken);
}

/// Returns the order in which `pack_conv2d` packs `rows` output channels of `cols` weights each. Returns the order of `pack` if
/// the window or the groups are not valid.
template <class Backend, class X, class W>
DYADIC_API constexpr packed_order packed_conv2d_order(index_t rows, index_t cols, window2d window, index_t groups) noexcept {
  constexpr packed_layout layout = packed_layout_of<Backend, X, std::remove_const_t<W>>;
  if (groups < 1 || detail::forward_windows::check(window) != status::ok) return detail::order_of_linear(layout, rows, cols);
  return detail::order_of_conv2d(layout, rows, cols, window, groups);
}

/// Returns the bytes that `pack_conv2d` writes for `rows` output channels of `cols` weights each. Returns -1 if no view can hold
/// them, if the window is not valid, or if groups < 1.
template <class Backend, class X, class W>
DYADIC_API constexpr index_t packed_conv2d_size(index_t rows, index_t cols, window2d window, index_t groups) noexcept {
  if constexpr (detail::takes_backend<Backend>()) {
    if (groups < 1 || detail::forward_windows::check(window) != status::ok) return -1;
    return detail::size_of_packed<packed_layout_of<Backend, X, std::remove_const_t<W>>.has_blocks>(
        packed_layout_of<Backend, X, std::remove_const_t<W>>, rows, cols,
        packed_conv2d_order<Backend, X, W>(rows, cols, window, groups), rows);
  } else {
    return -1;
  }
}

/// Packs the weights of a convolution for its window and its groups. `storage` has packed_conv2d_size<Backend, X, W>(rows, cols,
/// window, groups) bytes. May pad the lines of the window with weights of 0 to a multiple of KR, the depth of one step of the
/// inner loop. If there are 8 output channels, may repeat them in a panel. Returns the statuses of `pack` and `bad_window`.
/// Returns `shape_mismatch` if a row of weights is not a whole number of taps, or groups < 1. `pack` gives a layer the same
/// outputs, but the layer may then be slower.
template <class Backend = void, class X = void, class Weights, class Storage>
DYADIC_API constexpr auto pack_conv2d(Weights weights, window2d window, index_t groups, Storage&& storage) noexcept {
  if constexpr (detail::takes_pack<Backend, X, Weights, Storage>()) {
    using packed = typename detail::packed_from<Backend, X, Weights>::type;
    if (const status s = detail::forward_windows::check(window); s != status::ok) return result<packed>{{}, s};
    if (groups < 1 || weights.cols() % (window.y.kernel * window.x.kernel) != 0)
      return result<packed>{{}, status::shape_mismatch};
    const packed_order order = detail::order_of_conv2d(packed::layout, weights.rows(), weights.cols(), window, groups);
    return detail::pack_checked<packed>(weights, order, static_cast<Storage&&>(storage));
  } else {
    return result<packed_matrix<backend::scalar, std::int8_t, std::int8_t>>{};
  }
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

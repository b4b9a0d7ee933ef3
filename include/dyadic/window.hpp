// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Windows: strides, dilations and padding, the inputs of each tap, and the number of outputs. Floor 3.

#include <dyadic/view.hpp>

namespace dyadic {

/// The window of a convolution along one axis.
struct window1d {
  index_t kernel = 1;      ///< taps
  index_t stride = 1;      ///< inputs from one output to the next
  index_t dilation = 1;    ///< inputs from one tap to the next
  index_t pad_before = 0;  ///< inputs of real 0 before the first input
  index_t pad_after = 0;   ///< inputs of real 0 after the last input
};

/// The window of a convolution along both axes. A one-dimensional convolution has the default height.
struct window2d {
  window1d y;  ///< rows
  window1d x;  ///< columns
};

namespace detail {

/// Greater sizes are refused, so that sums of a few sizes do not overflow.
inline constexpr index_t size_limit = limits<index_t>::max / 16;

DYADIC_API constexpr bool is_size(index_t size) noexcept { return size >= 0 && size <= size_limit; }

DYADIC_API constexpr bool is_sound(const window1d& w) noexcept {
  const bool positive = w.kernel > 0 && w.stride > 0 && w.dilation > 0 && w.pad_before >= 0 && w.pad_after >= 0;
  return positive && w.stride <= size_limit && w.pad_before <= size_limit && w.pad_after <= size_limit &&
         w.dilation <= size_limit && w.kernel <= size_limit / w.dilation;
}

}  // namespace detail

/// Returns `ok` or `bad_window`.
DYADIC_API constexpr status check(const window2d& w) noexcept {
  const bool sound = detail::is_sound(w.y) && detail::is_sound(w.x) && w.y.kernel <= detail::size_limit / w.x.kernel;
  return sound ? status::ok : status::bad_window;
}

/// Returns `ok` or `bad_window`, for the window of a transposed convolution.
DYADIC_API constexpr status check_transposed(const window2d& w) noexcept {
  if (const status s = check(w); s != status::ok) return s;
  const index_t taps_and_steps = detail::size_limit / 4;
  const bool sound = w.y.kernel + w.y.stride <= taps_and_steps / (w.x.kernel + w.x.stride);
  return sound ? status::ok : status::bad_window;
}

/// Returns true if a window may overhang the image.
DYADIC_API constexpr bool has_borders(const window2d& w) noexcept {
  return w.y.pad_before > 0 || w.y.pad_after > 0 || w.x.pad_before > 0 || w.x.pad_after > 0;
}

/// Returns how many inputs a window covers, dilation included: (kernel - 1) * dilation + 1. Requires: `check` of the window is
/// ok.
DYADIC_API constexpr index_t effective_kernel(const window1d& w) noexcept {
  DYADIC_ASSERT(detail::is_sound(w));
  return (w.kernel - 1) * w.dilation + 1;
}

/// Returns the number of outputs of a convolution: floor((size + pad_before + pad_after - effective_kernel) / stride) + 1, or 0
/// if that is negative. Requires: `check` of the window is ok; 0 <= size <= a sixteenth of the greatest index_t.
DYADIC_API constexpr index_t forward_size(index_t size, const window1d& w) noexcept {
  DYADIC_ASSERT(detail::is_size(size) && detail::is_sound(w));
  const index_t room = size + w.pad_before + w.pad_after - effective_kernel(w);
  return room < 0 ? 0 : room / w.stride + 1;
}

/// Returns the number of outputs of a pool in the ceiling mode of PyTorch and ONNX: ceil((size + pad_before + pad_after -
/// effective_kernel) / stride) + 1, or 0 if that is negative. A last window that begins behind the last input is left out. The
/// last window may reach beyond pad_after. Requires: what forward_size requires.
/// Source: PyTorch aten/src/ATen/native/Pool.h, pooling_output_shape.
DYADIC_API constexpr index_t ceiling_size(index_t size, const window1d& w) noexcept {
  DYADIC_ASSERT(detail::is_size(size) && detail::is_sound(w));
  const index_t room = size + w.pad_before + w.pad_after - effective_kernel(w) + w.stride - 1;
  if (room < 0) return 0;
  const index_t last = room / w.stride;
  return last * w.stride < size + w.pad_before ? last + 1 : last;
}

/// Returns the number of outputs of a transposed convolution: (size - 1) * stride - pad_before - pad_after +
/// effective_kernel + output_padding, or 0 if negative. Requires: `check_transposed` of the window is ok; size * stride and the
/// output padding are 0 to a sixteenth of the greatest index_t.
DYADIC_API constexpr index_t transposed_size(index_t size, window1d w, index_t output_padding = 0) noexcept {
  DYADIC_ASSERT(detail::is_sound(w) && size >= 0 && size <= detail::size_limit / w.stride && detail::is_size(output_padding));
  const index_t outputs = (size - 1) * w.stride - w.pad_before - w.pad_after + effective_kernel(w) + output_padding;
  return outputs < 0 ? 0 : outputs;
}

/// Returns the window with the SAME padding of TFLite: ceil(size / stride) outputs, and the odd padding after. The SAME padding
/// of a transposed convolution takes the outputs in place of `size`. Requires: `check` of the window is ok; 0 <= size <= a
/// sixteenth of the greatest index_t.
DYADIC_API constexpr window1d with_same_padding(index_t size, window1d w) noexcept {
  DYADIC_ASSERT(detail::is_size(size) && detail::is_sound(w));
  const index_t outputs = (size + w.stride - 1) / w.stride;
  const index_t total = (outputs - 1) * w.stride + effective_kernel(w) - size;
  w.pad_before = total > 0 ? total / 2 : 0;
  w.pad_after = total > 0 ? total - w.pad_before : 0;
  return w;
}

/// Returns the window with a smaller pad_after, so that forward_size divides exactly, as TOSA requires. Returns `bad_window` or
/// `shape_mismatch`. It is `shape_mismatch` if the size is negative or too large, or if the window does not fit once. It is
/// `shape_mismatch`, too, if pad_after is smaller than the remainder, because the input must then be sliced.
DYADIC_API constexpr result<window1d> with_exact_division(index_t size, window1d w) noexcept {
  if (!detail::is_sound(w)) return {w, status::bad_window};
  if (!detail::is_size(size)) return {w, status::shape_mismatch};
  const index_t room = size + w.pad_before + w.pad_after - effective_kernel(w);
  const index_t left_over = room % w.stride;
  if (room < 0 || left_over > w.pad_after) return {w, status::shape_mismatch};
  w.pad_after -= left_over;
  return {w, status::ok};
}

/// Returns the window of a convolution if an engine knows both sizes, but not pad_after. The window has the least pad_after with
/// which `output` is forward_size of `input`. The dilation may be 0 if there is one tap, because nothing reads it. Returns
/// `bad_window`, or `shape_mismatch` if a size is negative or too large. Returns `shape_mismatch`, too, if no pad_after gives
/// that output, for example because inputs are left over.
DYADIC_API constexpr result<window1d> window_between(index_t input, index_t output, index_t kernel, index_t stride,
                                                     index_t dilation, index_t pad_before) noexcept {
  window1d w{kernel, stride, kernel == 1 && dilation == 0 ? 1 : dilation, pad_before, 0};
  if (!detail::is_sound(w)) return {w, status::bad_window};
  const index_t most = detail::size_limit;
  if (!detail::is_size(input) || output < 0 || output > most / stride) return {w, status::shape_mismatch};
  const index_t missing = (output - 1) * stride + effective_kernel(w) - input - pad_before;
  w.pad_after = output > 0 && missing > 0 ? missing : 0;
  return {w, w.pad_after <= most && forward_size(input, w) == output ? status::ok : status::shape_mismatch};
}

/// Returns the window of a transposed convolution from the sizes of both images, as TRANSPOSE_CONV of TFLite pads it. The number
/// of inputs is ceil(output / stride) with SAME, and floor((output - kernel) / stride) + 1 with VALID. The padding is the excess
/// of `(input - 1) * stride + kernel` over the outputs, if there is one, with the odd element after. Returns `bad_window`.
/// Returns `shape_mismatch` if the sizes fit neither SAME nor VALID. Source: tflite/kernels/padding.h, ComputePaddingHeightWidth.
DYADIC_API constexpr result<window1d> transposed_window_between(index_t input, index_t output, index_t kernel,
                                                                index_t stride) noexcept {
  window1d w{kernel, stride};
  if (!detail::is_sound(w)) return {w, status::bad_window};
  if (input < 1 || input > detail::size_limit / stride || !detail::is_size(output)) return {w, status::shape_mismatch};
  const index_t excess = (input - 1) * stride + kernel - output;
  const bool is_same = kernel - stride <= excess && excess < kernel;
  const bool is_valid = -stride < excess && excess <= 0;
  w.pad_before = excess > 0 ? excess / 2 : 0;
  w.pad_after = excess > 0 ? excess - w.pad_before : 0;
  return {w, is_same || is_valid ? status::ok : status::shape_mismatch};
}

namespace detail {

DYADIC_API constexpr index_t ceiling_divide(index_t a, index_t b) noexcept { return a <= 0 ? 0 : (a + b - 1) / b; }

/// A range of numbers: begin .. end - 1.
struct index_range {
  index_t begin;
  index_t end;
};

/// The windows along an axis of an image. Tap i of window n reads input origin + n * stride + i * tap_stride, if it is inside the
/// image. Matrix products, depthwise layers and compact kernels place their windows by this type.
struct window_axis {
  index_t windows;
  index_t taps;
  index_t origin;
  index_t stride;
  index_t tap_stride;
  index_t inputs;         ///< inputs of the image along the axis
  index_t output_stride;  ///< stride between outputs of neighbouring windows, in elements

  /// Returns the input of the first tap of a window, inside the image or not.
  DYADIC_API constexpr index_t first(index_t window) const noexcept { return origin + window * stride; }
  /// Returns how many inputs a window covers. Requires: taps in rising order.
  DYADIC_API constexpr index_t span() const noexcept { return (taps - 1) * tap_stride + 1; }
  /// Returns which of `count` inputs are inside the image: the inputs begin at `from` and are `step` apart.
  DYADIC_API constexpr index_range inside(index_t from, index_t count, index_t step) const noexcept {
    const index_t before = ceiling_divide(-from, step);
    const index_t until = ceiling_divide(inputs - from, step);
    const index_t begin = before < count ? before : count;
    const index_t end = until < count ? until : count;
    return {begin, begin < end ? end : begin};
  }
};

/// Returns the axis of a convolution's windows. Requires: a sound window.
DYADIC_API constexpr window_axis forward_axis(const window1d& w, index_t windows, index_t inputs,
                                              index_t output_stride = 0) noexcept {
  return {windows, w.kernel, -w.pad_before, w.stride, w.dilation, inputs, output_stride};
}

/// Returns true if `outputs` is forward_size(size, w). Requires: a sound window.
DYADIC_API constexpr bool forward_fits(index_t size, index_t outputs, const window1d& w) noexcept {
  return size <= size_limit && outputs == forward_size(size, w);
}

/// Returns true if `outputs` is transposed_size(size, w, padding) with an output padding below the greater of stride and
/// dilation, as in PyTorch. Requires: a sound window.
DYADIC_API constexpr bool transposed_fits(index_t size, index_t outputs, const window1d& w) noexcept {
  if (size < 1 || size > size_limit / w.stride || outputs > size_limit) return false;
  const index_t output_padding = outputs - ((size - 1) * w.stride - w.pad_before - w.pad_after + effective_kernel(w));
  return output_padding >= 0 && (output_padding < w.stride || output_padding < w.dilation);
}

}  // namespace detail

}  // namespace dyadic

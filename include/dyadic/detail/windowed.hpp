// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The parts that all operators with a window share. Floor 5.
///
/// The `operation_of` such a layer has:
///   `windows`: the inputs that a window reads.
///   `weights`: the order of the weights.
///   `groups(layer, x)`: the number of groups of channels. Each group is an operator of its own.

#include <dyadic/detail/layer.hpp>

namespace dyadic {

namespace detail {

/// The taps of a window along one axis. The first tap, `tap`, reads input `source`, inside or outside the image. The next
/// tap has an index that is greater by the step of the fold, and reads an input whose index is greater by `source_step`.
struct tap_sequence {
  index_t tap;
  index_t source;
  index_t source_step;
};

/// The windows of a convolution: all outputs read all taps.
struct forward_windows {
  DYADIC_API static constexpr status check(const window2d& w) noexcept { return dyadic::check(w); }
  DYADIC_API static constexpr index_t step(const window1d&) noexcept { return 1; }
  DYADIC_API static constexpr tap_sequence taps(index_t out, const window1d& w) noexcept {
    return {0, out * w.stride - w.pad_before, w.dilation};
  }
  DYADIC_API static constexpr bool fits(index_t size, index_t outputs, const window1d& w) noexcept {
    return forward_fits(size, outputs, w);
  }
};

/// Returns the greatest common divisor. Requires: a, b >= 1.
DYADIC_API constexpr index_t common_divisor(index_t a, index_t b) noexcept {
  while (b != 0) {
    const index_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// The windows of a transposed convolution. Output `out` reads tap k if p = out + pad_before - k * dilation is a multiple of the
/// stride. The tap then reads input p / stride. Let g be the greatest common divisor of stride and dilation. The taps of an
/// output are stride / g apart, and their inputs are -dilation / g apart. An output has no tap unless out + pad_before is a
/// multiple of g. An output without taps gets the taps of the first phase, at places outside of the image, where they contribute
/// 0.
struct transposed_windows {
  DYADIC_API static constexpr status check(const window2d& w) noexcept { return check_transposed(w); }
  DYADIC_API static constexpr index_t step(const window1d& w) noexcept {
    return w.dilation == 1 ? w.stride : w.stride / common_divisor(w.stride, w.dilation);
  }
  DYADIC_API static constexpr bool has_taps(index_t out, const window1d& w) noexcept {
    return w.dilation == 1 || (out + w.pad_before) % common_divisor(w.stride, w.dilation) == 0;
  }
  DYADIC_API static constexpr tap_sequence taps(index_t out, const window1d& w) noexcept {
    index_t position = out + w.pad_before;
    if (w.dilation == 1) return {position % w.stride, position / w.stride, -1};
    if (!has_taps(out, w)) return {0, -1, -1};
    index_t tap = 0;
    for (; tap < w.kernel && position % w.stride != 0; ++tap) position -= w.dilation;
    return {tap, position / w.stride, -w.dilation / common_divisor(w.stride, w.dilation)};
  }
  DYADIC_API static constexpr bool fits(index_t size, index_t outputs, const window1d& w) noexcept {
    return transposed_fits(size, outputs, w);
  }
};

/// Returns the record of a fold. Requires: a sound window.
template <class X, class Windows, class Weights>
DYADIC_API constexpr fold_record window_record(const Weights& weights, const window2d& w, zero_points zero) noexcept {
  return {weights.channels(),     w.y.kernel, w.x.kernel,      Windows::step(w.y), Windows::step(w.x),
          index_t{weights.depth}, zero,       operand<X>::min, operand<X>::max,    {}};
}

/// Folds the weights of any operator with a window. Requires: the arguments are of the right kinds.
template <class X, class Windows, template <class> class Order, class W, class Bias, class Accumulator>
DYADIC_API constexpr result<folded_bias<Accumulator>> fold_windows_checked(matrix_view<W> matrix, const Bias& bias,
                                                                           const window2d& window, zero_points zero,
                                                                           view<Accumulator> constants,
                                                                           verifiable taken) noexcept {
  if (const status s = Windows::check(window); s != status::ok) return {{}, s};
  if (const status s = check(matrix); s != status::ok) return {{}, s};
  const index_t taps = window.y.kernel * window.x.kernel;
  const Order<matrix_view<W>> weights(matrix, taps);
  if (!weights.has_taps(taps)) return {{}, status::shape_mismatch};
  return fold_checked<X>(matrix, weights, bias, window_record<X, Windows>(weights, window, zero), constants, taken);
}

/// Folds the weights, or ends the compilation if an argument is of a wrong kind.
template <class X, class Windows, template <class> class Order, class Weights, class Bias, class Window, class Storage>
DYADIC_API constexpr auto fold_windows(const Weights& matrix, const Bias& bias, const Window& window, zero_points zero,
                                       Storage&& constants, verifiable taken) noexcept {
  if constexpr (!std::is_convertible_v<const Window&, window2d>) {
    static_assert(never<Window>, "a fold takes (weights, bias, window2d, zero points, constants), in this order");
    return result<folded_bias<std::int32_t>>{};
  } else if constexpr (takes_fold<X, Weights, Bias, Storage>()) {
    return fold_windows_checked<X, Windows, Order>(matrix, bias, window, zero, view(static_cast<Storage&&>(constants)), taken);
  } else {
    return result<folded_bias<std::int32_t>>{};
  }
}

/// Returns the weights of a layer in the order of its operator.
template <class Layer>
DYADIC_API constexpr auto weights_in_order(const Layer& layer) noexcept {
  using weights = std::decay_t<decltype(layer.weights)>;
  return typename operation_of<Layer>::template weights<weights>(layer.weights, layer.window.y.kernel * layer.window.x.kernel);
}

inline namespace DYADIC_ISA {

/// The portable code of all operators with a window, for all pixels in the rows of the range:
///   `y[o] = output(constants[o] + sum over the taps of x w - zero.w * sum of x)`.
/// At a tap outside the image x is zero.x. Sums are modulo 2^(bits of the accumulator).
struct scalar_windows {
  template <class Layer, class X, class Y>
  static constexpr void run(const Layer& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    using view = std::decay_t<decltype(layer.weights)>;
    if constexpr (!optimizes_for_size && std::is_same_v<view, matrix_view<const int4>>)
      if (const index_t all = layer.weights.rows() * layer.weights.cols();
          0 < all && all <= max_unpacked && !is_constant_evaluated())
        return run_unpacked(layer, x, y, rows);
    run_with(weights_in_order(layer), layer, x, y, rows);
  }

 private:
  /// The most 4-bit weights that are unpacked to bytes, once for all windows.
  static constexpr index_t max_unpacked = sizeof(index_t) == 8 ? 4096 : 512;
  template <class Layer, class X, class Y>
  static constexpr void run_unpacked(const Layer& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                                     const row_range& rows) noexcept {
    using bytes = matrix_view<const std::int8_t>;
    const index_t cols = layer.weights.cols();
    std::int8_t unpacked[max_unpacked] = {};
    for (index_t r = 0; r < layer.weights.rows(); ++r) layer.weights.row(r).unpack(cols, 0, unpacked + r * cols);
    const typename operation_of<Layer>::template weights<bytes> weights(bytes(unpacked, layer.weights.rows(), cols),
                                                                        layer.window.y.kernel * layer.window.x.kernel);
    run_with(weights, layer, x, y, rows);
  }

  template <class Weights, class Layer, class X, class Y>
  DYADIC_ALWAYS_INLINE static constexpr void run_with(const Weights& weights, const Layer& layer, const nhwc_view<const X>& x,
                                                      const nhwc_view<Y>& y, const row_range& rows) noexcept {
    using windows = typename operation_of<Layer>::windows;
    for (index_t row = rows.begin; row < rows.end; ++row) {
      const index_t image = row / y.h();
      const tap_sequence v = windows::taps(row % y.h(), layer.window.y);
      for (index_t column = 0; column < y.w(); ++column) {
        const tap_sequence h = windows::taps(column, layer.window.x);
        const auto* const constants = layer.bias.of_phase(v.tap, h.tap);
        auto* const to = y.pixel(image, row % y.h(), column);
        if constexpr (optimizes_for_size)
          run_short(layer, weights, x, image, v, h, constants, to, y.c());
        else
          run_fast(layer, weights, x, image, v, h, constants, to, y.c());
      }
    }
  }

  /// Calls visit(inputs, tap, taps) for all taps of a window. Neighbouring taps in a row of the kernel take one call if their
  /// weights and inputs are contiguous in memory. `inputs` is null outside the image.
  template <class Weights, class X, class Visit>
  DYADIC_ALWAYS_INLINE static constexpr void for_each_run(const fold_record& record, const Weights& weights,
                                                          const nhwc_view<const X>& x, index_t image, tap_sequence v,
                                                          tap_sequence h, const Visit& visit) noexcept {
    const index_t taps_y = weights.depth == 0 ? 0 : record.taps_y;  // if depth is 0, any number of taps adds nothing
    const bool has_runs = Weights::has_runs && h.source_step == 1 && x.pixel_stride() == weights.depth;
    for (index_t ky = v.tap, iy = v.source; ky < taps_y; ky += record.step_y, iy += v.source_step)
      for (index_t kx = h.tap, ix = h.source, taps = 1; kx < record.taps_x;
           kx += taps * record.step_x, ix += taps * h.source_step) {
        const bool is_row = iy >= 0 && iy < x.h();
        const bool is_inside = is_row && ix >= 0 && ix < x.w();
        if (has_runs) {
          const index_t left = record.taps_x - kx;
          const index_t same = is_inside ? x.w() - ix : is_row && ix < 0 ? -ix : left;
          taps = same < left ? same : left;
        }
        visit(is_inside ? x.pixel(image, iy, ix) : nullptr, ky * record.taps_x + kx, taps);
      }
  }

  template <class Layer, class Weights, class X, class Accumulator, class Y>
  static constexpr void run_short(const Layer& layer, const Weights& weights, const nhwc_view<const X>& x, index_t image,
                                  tap_sequence v, tap_sequence h, const Accumulator* constants, Y* to,
                                  index_t channels) noexcept {
    const index_t group_channels = channels / operation_of<Layer>::groups(layer, x);
    const X outside = static_cast<X>(layer.bias.record.zero.x);  // the input of all products of a tap outside the image
    for (index_t o = 0; o < channels; ++o) {
      Accumulator sum = constants[o];
      for_each_run(layer.bias.record, weights, x, image, v, h,
                   [&](const X* inputs, index_t tap, index_t taps) DYADIC_INLINE_LAMBDA {
                     const X* const from = inputs == nullptr ? &outside : inputs + o / group_channels * weights.depth;
                     sum = add_tap(sum, from, inputs != nullptr, weights(o, tap), layer.bias.record.zero.w, taps * weights.depth);
                   });
      to[o] = output_of_sum(layer.output, o, sum);
    }
  }
  template <class Accumulator, class X, class Weights>
  DYADIC_NOINLINE static constexpr Accumulator add_tap(Accumulator sum, const X* x, index_t step, Weights w, std::int32_t zero,
                                                       index_t depth) noexcept {
    return add_products(sum, x, step, w, zero, depth);
  }

  template <class Layer, class Weights, class X, class Accumulator, class Y>
  DYADIC_ALWAYS_INLINE static constexpr void run_fast(const Layer& layer, const Weights& weights, const nhwc_view<const X>& x,
                                                      index_t image, tap_sequence v, tap_sequence h, const Accumulator* constants,
                                                      Y* to, index_t channels) noexcept {
    using bits = std::make_unsigned_t<Accumulator>;
    const index_t depth = weights.depth;
    const bits x_zero = static_cast<bits>(layer.bias.record.zero.x);
    const bits w_zero = static_cast<bits>(layer.bias.record.zero.w);
    const index_t group_channels = channels / operation_of<Layer>::groups(layer, x);
    const index_t x_step = group_channels == 1 ? depth : 0;  // from one channel to the next
    constexpr index_t tile = 16;
    bits sums[tile] = {};  // sums of up to `tile` channels, which are computed in one pass over the taps
    for (index_t o = 0, count = 0; o < channels; o += count) {
      const index_t group = o / group_channels;
      const index_t left = x_step > 0 ? channels - o : (group + 1) * group_channels - o;
      count = left < tile ? left : tile;
      for (index_t i = 0; i < count; ++i) sums[i] = static_cast<bits>(constants[o + i]);
      for_each_run(layer.bias.record, weights, x, image, v, h,
                   [&](const X* inputs, index_t tap, index_t taps) DYADIC_INLINE_LAMBDA {
                     const index_t length = taps * depth;
                     if (inputs != nullptr) {
                       inputs += group * depth;
                       bits x_sum = 0;
                       for (index_t i = 0; i < count; ++i, inputs += x_step) {
                         if (w_zero != 0 && (i == 0 || x_step > 0))
                           x_sum = w_zero * static_cast<bits>(sum<Accumulator>(inputs, length));
                         sums[i] += static_cast<bits>(dot<Accumulator>(inputs, weights(o + i, tap), length)) - x_sum;
                       }
                     } else if (x_zero != 0) {
                       for (index_t i = 0; i < count; ++i)
                         sums[i] += x_zero * (static_cast<bits>(sum<Accumulator>(weights(o + i, tap), length)) -
                                              w_zero * static_cast<bits>(length));
                     }
                   });
      for (index_t i = 0; i < count; ++i) to[o + i] = layer.output(static_cast<Accumulator>(sums[i]), o + i);
    }
  }
};

}  // namespace DYADIC_ISA
/// Returns the first error of a layer's sizes and parts. Requires: the views of the layer are sound, except for their memory.
template <class Layer, class X, class Windows = typename operation_of<Layer>::windows>
DYADIC_API constexpr status check_sizes(operation_of<Layer>, const Layer& layer, const nhwc_view<X>& x,
                                        const nhwc_view<typename decltype(Layer::output)::value_type>& y) noexcept {
  if (const status s = Windows::check(layer.window); s != status::ok) return s;
  const auto weights = weights_in_order(layer);
  const fold_record expected = window_record<X, Windows>(weights, layer.window, layer.bias.record.zero);
  const index_t groups = operation_of<Layer>::groups(layer, x);
  const bool groups_fit = groups > 0 && x.c() % groups == 0 && y.c() % groups == 0 && x.c() / groups == expected.depth;
  const bool sizes_fit =
      y.n() == x.n() && Windows::fits(x.h(), y.h(), layer.window.y) && Windows::fits(x.w(), y.w(), layer.window.x);
  if (!groups_fit || y.c() != expected.channels || !weights.has_taps(expected.taps_y * expected.taps_x) || !sizes_fit)
    return status::shape_mismatch;
  if (!fit_window(layer.weights, expected.taps_y, expected.taps_y * expected.taps_x, groups)) return status::shape_mismatch;
  return check_layer(layer, expected);
}

}  // namespace detail

/// Returns the first error of a layer with a window, or of its use on x and y, as for a linear layer. Returns also `bad_window`.
/// Returns `shape_mismatch` unless y has one image for each image of x, in the size that the operator's header says.
template <class Layer, class X, class Windows = typename detail::operation_of<Layer>::windows, class = detail::weights_in<Layer>>
DYADIC_API constexpr status check(const Layer& layer, const nhwc_view<X>& x,
                                  const nhwc_view<typename decltype(Layer::output)::value_type>& y) noexcept {
  return detail::check_all(layer, x, y);
}

}  // namespace dyadic

#pragma once
/// \file
/// The one loop of all layers: for each output position, the sum of products over the taps of its window; and what their checks
/// have in common. Floor 5.

#include <dyadic/dot.hpp>
#include <dyadic/fold.hpp>
#include <dyadic/output.hpp>

namespace dyadic {

namespace detail {

/// What the loop over the channels asks of a layer.
template <class Weights, class Output>
struct channels {
  Weights weights;  ///< (channel, tap) -> the first of `weights.depth` weights
  const folded_bias<typename Output::accumulator>& bias;
  const Output& output;
};

template <class Weights, class Output>
channels(Weights, const folded_bias<typename Output::accumulator>&, const Output&) -> channels<Weights, Output>;

/// y[r][o] = output(constants[o] + sum x w - zero.w * sum of x) for the rows of the range. Sums are modulo 2^(bits of the
/// accumulator).
template <class Weights, class Output, class X>
DYADIC_API constexpr void run_rows(const channels<Weights, Output>& layer, const matrix_view<X>& x,
                                   const matrix_view<typename Output::value_type>& y, row_range rows) noexcept {
  using accumulator = typename Output::accumulator;
  using bits = std::make_unsigned_t<accumulator>;
  const bits w_zero = static_cast<bits>(layer.bias.record.zero.w);
  const index_t depth = layer.weights.depth;
  if (y.cols() == 0) return;  // however many rows there are
  for (index_t row = rows.begin; row < rows.end; ++row) {
    const X* const inputs = x.row(row);
    const bits start = w_zero == 0 ? 0 : bits{0} - w_zero * static_cast<bits>(sum<accumulator>(inputs, depth));
    for (index_t o = 0; o < y.cols(); ++o) {
      const bits products = static_cast<bits>(dot<accumulator>(inputs, layer.weights(o, 0), depth));
      y.row(row)[o] = layer.output(static_cast<accumulator>(start + static_cast<bits>(layer.bias.constants[o]) + products), o);
    }
  }
}

/// The taps of a window along one axis: the first one, and the input that it reads, inside the image or not; each next one, a
/// step of the fold further, reads the input `source_step` further.
struct window_axis {
  index_t tap;
  index_t source;
  index_t source_step;
};

/// y[o] = output(constants[o] + sum over the taps of x w - zero.w * sum of x) for all pixels in the rows of the range, where x is
/// zero.x at a tap outside the image. Axes: vertical(row) and horizontal(column) are those of a window. `group_channels` output
/// channels read the same input channels. Sums are modulo 2^(bits of the accumulator).
template <class Weights, class Output, class Axes, class X>
DYADIC_API constexpr void run_windows(const channels<Weights, Output>& layer, const Axes& axes, index_t group_channels,
                                      const nhwc_view<X>& x, const nhwc_view<typename Output::value_type>& y,
                                      row_range rows) noexcept {
  using accumulator = typename Output::accumulator;
  using bits = std::make_unsigned_t<accumulator>;
  const fold_record& record = layer.bias.record;
  const index_t depth = layer.weights.depth;
  const index_t taps_y = record.depth == 0 ? 0 : record.taps_y;  // taps without depth add nothing, however many they are
  const bits x_zero = static_cast<bits>(record.zero.x);
  const bits w_zero = static_cast<bits>(record.zero.w);
  const bits zeros = w_zero * static_cast<bits>(depth);
  const index_t x_step = group_channels == 1 ? depth : 0;  // from the inputs of one channel to those of the next
  constexpr index_t tile = 16;
  bits sums[tile] = {};  // of some channels, which share the way through the taps
  if (y.c() == 0 || y.w() == 0) return;
  for (index_t row = rows.begin; row < rows.end; ++row) {
    const index_t image = row / y.h();
    const window_axis v = axes.vertical(row % y.h());
    for (index_t column = 0; column < y.w(); ++column) {
      const window_axis h = axes.horizontal(column);
      const accumulator* const constants = layer.bias.of_phase(v.tap, h.tap);
      auto* const to = y.pixel(image, row % y.h(), column);
      for (index_t o = 0, count = 0; o < y.c(); o += count) {
        const index_t group = o / group_channels;
        const index_t left = x_step > 0 ? y.c() - o : (group + 1) * group_channels - o;
        count = left < tile ? left : tile;
        for (index_t i = 0; i < count; ++i) sums[i] = static_cast<bits>(constants[o + i]);
        for (index_t ky = v.tap, iy = v.source; ky < taps_y; ky += record.step_y, iy += v.source_step)
          for (index_t kx = h.tap, ix = h.source; kx < record.taps_x; kx += record.step_x, ix += h.source_step) {
            const index_t tap = ky * record.taps_x + kx;
            if (iy >= 0 && iy < x.h() && ix >= 0 && ix < x.w()) {
              const X* inputs = x.pixel(image, iy, ix) + group * depth;
              bits x_sum = 0;
              for (index_t i = 0; i < count; ++i, inputs += x_step) {
                if (w_zero != 0 && (i == 0 || x_step > 0)) x_sum = w_zero * static_cast<bits>(sum<accumulator>(inputs, depth));
                sums[i] += static_cast<bits>(dot<accumulator>(inputs, layer.weights(o + i, tap), depth)) - x_sum;
              }
            } else if (x_zero != 0) {
              for (index_t i = 0; i < count; ++i)
                sums[i] += x_zero * (static_cast<bits>(sum<accumulator>(layer.weights(o + i, tap), depth)) - zeros);
            }
          }
        for (index_t i = 0; i < count; ++i) to[o + i] = layer.output(static_cast<accumulator>(sums[i]), o + i);
      }
    }
  }
}

/// Where a layer's views are.
template <class Weights, class Accumulator, class X, class Y>
struct layer_memory {
  view<Weights> weights;
  view<const Accumulator> constants;
  view<X> x;
  view<Y> y;
};

/// What is wrong with the views of a layer, or where they are; x and y are images or matrices.
template <class Weights, class Accumulator, class Input, class Output>
DYADIC_API constexpr auto locate_layer(const Weights& weights, const folded_bias<Accumulator>& bias, const Input& x,
                                       const Output& y) noexcept {
  result<layer_memory<element_of<Weights>, Accumulator, element_of<Input>, element_of<Output>>> at{};
  at.status = locate(weights, at.value.weights);
  if (at.status == status::ok) at.status = locate(bias.constants, at.value.constants);
  if (at.status == status::ok) at.status = locate(x, at.value.x);
  if (at.status == status::ok) at.status = locate(y, at.value.y);
  return at;
}

/// What is wrong with the parts that all layers have, their shapes apart. `expected` is what the fold should have been made with.
template <class W, class Output, class Memory>
DYADIC_API constexpr status check_layer(const folded_bias<typename Output::accumulator>& bias, const fold_record& expected,
                                        const Output& output, const Memory& at) noexcept {
  const zero_points zero = expected.zero;
  if (zero.x < expected.x_min || zero.x > expected.x_max || zero.w < operand<W>::min || zero.w > operand<W>::max)
    return status::zero_point_out_of_range;
  if (bias.record != expected || bias.constants.size() != constants_of(expected)) return status::fold_mismatch;
  if (adds_bias<Output> && bias.record.has_bias) return status::fold_mismatch;
  if (const status s = check(output, expected.channels); s != status::ok) return s;
  if (share_memory(at.y, at.x) || share_memory(at.y, at.weights) || share_memory(at.y, at.constants) ||
      overlaps_multipliers(at.y, output))
    return status::overlap;
  // The last one: the caller may run all the same. A bound at the ends of int64 was saturated.
  const accumulator_range bound = bias.record.bound;
  const bool known = bound.lowest != limits<std::int64_t>::min && bound.highest != limits<std::int64_t>::max;
  return known && takes(output, bound.lowest) && takes(output, bound.highest) ? status::ok : status::accumulator_overflow;
}

}  // namespace detail
}  // namespace dyadic

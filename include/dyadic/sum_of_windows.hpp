#pragma once
/// \file
/// The one loop of all layers: for each output position, the sum of products over the taps of its window. Floor 5.

#include <dyadic/dot.hpp>
#include <dyadic/fold.hpp>
#include <dyadic/output.hpp>

namespace dyadic {

/// Output rows begin .. end - 1: rows of a linear layer or of a batch of images, image after image.
struct row_range {
  index_t begin;
  index_t end;
};

namespace detail {

/// What one layer asks of the loop.
template <class Weights, class Axes, class Output>
struct windows {
  Weights weights;  ///< (channel, tap) -> the first of `record.depth` weights
  Axes axes;        ///< vertical(row), horizontal(column) -> taps
  const folded_bias<typename Output::accumulator>& bias;
  index_t group_channels;  ///< output channels that read the same input channels
  const Output& output;
};

template <class Weights, class Axes, class Output>
windows(Weights, Axes, const folded_bias<typename Output::accumulator>&, index_t, const Output&)
    -> windows<Weights, Axes, Output>;

/// Calls use(tap, x) for each tap of a window; x points to the input channels of the pixel that it reads.
template <class X, class Use>
constexpr void for_each_tap(nhwc_view<X> x, index_t image, taps v, taps h, index_t taps_x, const Use& use) noexcept {
  for (index_t i = 0; i < v.count; ++i)
    for (index_t j = 0; j < h.count; ++j) {
      const index_t tap = (v.tap + i * v.tap_step) * taps_x + h.tap + j * h.tap_step;
      use(tap, x.pixel(image, v.source + i * v.source_step, h.source + j * h.source_step));
    }
}

/// y = output(bias folded for the window + sum over its taps of x w - zero.w * sum of x), for the rows of the range. Sums are
/// modulo 2^(bits of the accumulator).
template <class Weights, class Axes, class Output, class X>
constexpr void run_windows(const windows<Weights, Axes, Output>& layer, nhwc_view<X> x, nhwc_view<typename Output::value_type> y,
                           row_range rows) noexcept {
  using accumulator = typename Output::accumulator;
  using bits = std::make_unsigned_t<accumulator>;
  const fold_record& record = layer.bias.record;
  if (y.c() == 0 || y.w() == 0) return;
  for (index_t row = rows.begin; row < rows.end; ++row) {
    const index_t image = row / y.h();
    const taps v = record.depth == 0 ? taps{} : layer.axes.vertical(row % y.h());
    for (index_t column = 0; column < y.w(); ++column) {
      const taps h = layer.axes.horizontal(column);
      auto* const pixel = y.pixel(image, row % y.h(), column);
      for (index_t first = 0; first < y.c(); first += layer.group_channels) {
        const index_t offset = first / layer.group_channels * record.depth;
        bits x_sum = 0;
        if (record.zero.w != 0)
          for_each_tap(x, image, v, h, record.taps_x, [&](index_t, const X* channels) {
            x_sum += static_cast<bits>(sum<accumulator>(channels + offset, record.depth));
          });
        for (index_t o = first; o < first + layer.group_channels; ++o) {
          bits acc = static_cast<bits>(layer.bias.constant(o, v, h)) - static_cast<bits>(record.zero.w) * x_sum;
          for_each_tap(x, image, v, h, record.taps_x, [&](index_t tap, const X* channels) {
            acc += static_cast<bits>(dot<accumulator>(channels + offset, layer.weights(o, tap), record.depth));
          });
          pixel[o] = layer.output(static_cast<accumulator>(acc), o);
        }
      }
    }
  }
}

/// The rows of all images; 0 if they have no elements.
template <class T>
constexpr index_t row_count(nhwc_view<T> y) noexcept {
  return y.w() == 0 || y.c() == 0 ? 0 : y.n() * y.h();
}

/// What is wrong with the parts that all layers have, their shapes apart. `expected` is what the fold should have been made with.
template <class W, class Output, class X>
constexpr status check_layer(matrix_view<const W> weights, const folded_bias<typename Output::accumulator>& bias,
                             const fold_record& expected, bool borders, const Output& output, nhwc_view<X> x,
                             nhwc_view<typename Output::value_type> y) noexcept {
  if (!is_operand<X>(expected.zero.x) || !is_operand<W>(expected.zero.w)) return status::zero_point_out_of_range;
  if (bias.record != expected || bias.constants.size() != constants_of(expected, borders)) return status::fold_mismatch;
  // With zero.x = 0 the constants are the bias alone.
  if (adds_bias<Output> && expected.zero.x == 0)
    for (const auto constant : bias.constants)
      if (constant != 0) return status::fold_mismatch;
  if (const status s = check(output, expected.channels); s != status::ok) return s;
  const auto written = extent(y);
  const bool shared = overlap(written, extent(x)) || overlap(written, extent(weights)) || overlap(written, bias.constants);
  if (shared || overlaps_multipliers(written, output)) return status::overlap;
  // The last one: the caller may run all the same. A bound at the ends of int64 was saturated.
  const accumulator_range bound = bias.record.bound;
  const bool known = bound.lowest != limits<std::int64_t>::min && bound.highest != limits<std::int64_t>::max;
  return known && takes(output, bound.lowest) && takes(output, bound.highest) ? status::ok : status::accumulator_overflow;
}

/// What is wrong with the views of a layer; x and y are images or matrices.
template <class W, class Accumulator, class Input, class Output>
constexpr status check_views(matrix_view<const W> weights, const folded_bias<Accumulator>& bias, Input x, Output y) noexcept {
  if (const status s = check(weights); s != status::ok) return s;
  if (const status s = check(bias.constants); s != status::ok) return s;
  if (const status s = check(x); s != status::ok) return s;
  return check(y);
}

}  // namespace detail
}  // namespace dyadic

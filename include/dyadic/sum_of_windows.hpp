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

/// The window of a linear layer: one row of inputs.
template <class X>
struct row_window {
  const X* inputs;

  /// use(tap, inputs of the tap)
  template <class Use>
  DYADIC_API constexpr void for_each_tap(const Use& use) const noexcept {
    use(0, inputs);
  }
  template <class Accumulator>
  DYADIC_API constexpr Accumulator constant(const folded_bias<Accumulator>& bias, index_t o) const noexcept {
    return bias.constants[o];
  }
};

/// The window of a convolution: those of its taps that lie inside the image, and of their channels those of one group.
template <class X>
struct image_window {
  const X* inputs = nullptr;  ///< of the first tap
  index_t group = 0;          ///< the first of the group's channels
  index_t tap = 0;            ///< the first one
  index_t rows = 0;
  index_t columns = 0;
  index_t row_step = 0;  ///< of the inputs, from one row of taps to the next
  index_t column_step = 0;
  index_t tap_row_step = 0;
  index_t tap_column_step = 0;
  folded_rectangle rectangle;

  DYADIC_API constexpr image_window(const nhwc_view<X>& x, index_t image, taps v, taps h, const fold_record& record) noexcept
      : rows{v.count}, columns{h.count}, rectangle{record, v, h} {
    if (rows == 0 || columns == 0) return;
    inputs = x.pixel(image, v.source, h.source);
    tap = v.tap * record.taps_x + h.tap;
    // One row or column is never left, and its stride and dilation may be anything.
    row_step = rows > 1 ? v.source_step * x.row_stride() : 0;
    column_step = columns > 1 ? h.source_step * x.pixel_stride() : 0;
    tap_row_step = v.tap_step * record.taps_x;
    tap_column_step = h.tap_step;
  }

  template <class Use>
  DYADIC_API constexpr void for_each_tap(const Use& use) const noexcept {
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j)
        use(tap + i * tap_row_step + j * tap_column_step, inputs + (group + i * row_step + j * column_step));
  }
  template <class Accumulator>
  DYADIC_API constexpr Accumulator constant(const folded_bias<Accumulator>& bias, index_t o) const noexcept {
    return bias.constant(o, rectangle);
  }
};

/// y[o] = output(bias folded for the window + sum over its taps of x w - zero.w * sum of x) for the channels first .. end - 1.
/// Sums are modulo 2^(bits of the accumulator).
template <class Weights, class Output, class Window>
DYADIC_API constexpr void run_window(const channels<Weights, Output>& layer, const Window& window, index_t first, index_t end,
                                     typename Output::value_type* y) noexcept {
  using accumulator = typename Output::accumulator;
  using bits = std::make_unsigned_t<accumulator>;
  const fold_record& record = layer.bias.record;
  bits x_sum = 0;
  if (record.zero.w != 0)
    window.for_each_tap(
        [&](index_t, const auto* inputs) { x_sum += static_cast<bits>(sum<accumulator>(inputs, layer.weights.depth)); });
  const bits start = bits{0} - static_cast<bits>(record.zero.w) * x_sum;
  for (index_t o = first; o < end; ++o) {
    bits acc = start + static_cast<bits>(window.constant(layer.bias, o));
    window.for_each_tap([&](index_t tap, const auto* inputs) {
      acc += static_cast<bits>(dot<accumulator>(inputs, layer.weights(o, tap), layer.weights.depth));
    });
    y[o] = layer.output(static_cast<accumulator>(acc), o);
  }
}

/// The rows of a matrix, each of which is one window.
template <class Weights, class Output, class X>
DYADIC_API constexpr void run_rows(const channels<Weights, Output>& layer, const matrix_view<X>& x,
                                   const matrix_view<typename Output::value_type>& y, row_range rows) noexcept {
  if (y.cols() == 0) return;  // however many rows there are
  for (index_t row = rows.begin; row < rows.end; ++row) run_window(layer, row_window<X>{x.row(row)}, 0, y.cols(), y.row(row));
}

/// The windows of all pixels in the rows of the range. Axes: vertical(row) and horizontal(column) give the taps.
/// `group_channels` output channels read the same input channels.
template <class Weights, class Output, class Axes, class X>
DYADIC_API constexpr void run_windows(const channels<Weights, Output>& layer, const Axes& axes, index_t group_channels,
                                      const nhwc_view<X>& x, const nhwc_view<typename Output::value_type>& y,
                                      row_range rows) noexcept {
  const fold_record& record = layer.bias.record;
  if (y.c() == 0 || y.w() == 0) return;
  for (index_t row = rows.begin; row < rows.end; ++row) {
    const index_t image = row / y.h();
    const taps v = record.depth == 0 ? taps{} : axes.vertical(row % y.h());  // taps without depth add nothing, however many
    for (index_t column = 0; column < y.w(); ++column) {
      image_window<X> window(x, image, v, axes.horizontal(column), record);
      for (index_t first = 0; first < y.c(); first += group_channels, window.group += record.depth)
        run_window(layer, window, first, first + group_channels, y.pixel(image, row % y.h(), column));
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

/// What is wrong with the parts that all layers have, their shapes apart. `expected` is what the fold should have been made with,
/// `constants` how many it should have.
template <class W, class Output, class Memory>
DYADIC_API constexpr status check_layer(const folded_bias<typename Output::accumulator>& bias, const fold_record& expected,
                                        index_t constants, const Output& output, const Memory& at) noexcept {
  const zero_points zero = expected.zero;
  if (zero.x < expected.x_min || zero.x > expected.x_max || zero.w < operand<W>::min || zero.w > operand<W>::max)
    return status::zero_point_out_of_range;
  if (bias.record != expected || bias.constants.size() != constants) return status::fold_mismatch;
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

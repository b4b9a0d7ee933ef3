// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The linear (fully connected) layer. Floor 5.

#include <dyadic/detail/layer.hpp>
#include <dyadic/detail/sums.hpp>
#include <dyadic/dispatch.hpp>
#include <dyadic/pack.hpp>

namespace dyadic {

/// Computes y[r][o] = output(bias[o] + sum_k (x[r][k] - zero.x) * (weights[o][k] - zero.w)). The sum is folded as fold.hpp says.
/// The accumulator type is the output's. Weights are a matrix_view or a packed_matrix.
template <class W, class Output, class Weights = matrix_view<const W>>
struct linear_layer {
  Weights weights;                                 ///< one row of `depth` weights for each output channel
  folded_bias<typename Output::accumulator> bias;  ///< `fold` of the same weights; holds the zero points
  Output output;                                   ///< turns each sum into an output
};

/// Deduces the types from the members.
template <class W, class Output>
linear_layer(matrix_view<W>, folded_bias<typename Output::accumulator>, Output) -> linear_layer<std::remove_const_t<W>, Output>;
/// Deduces the types from packed weights.
template <class Backend, class X, class W, class Output>
linear_layer(packed_matrix<Backend, X, W>, folded_bias<typename Output::accumulator>, Output)
    -> linear_layer<W, Output, packed_matrix<Backend, X, W>>;
/// Ends the compilation with a message if the parts do not make a layer.
/// @{
template <class... Parts>
linear_layer(Parts...) -> linear_layer<void, detail::refused<op::linear>, void>;
template <>
struct linear_layer<void, detail::refused<op::linear>, void> : detail::refused<op::linear> {
  using detail::refused<op::linear>::refused;
};
/// @}

namespace detail {

/// Returns the first error of `check` that is not about memory. Requires: sound views.
template <class Layer, class X>
DYADIC_API constexpr status check_sizes(operation_of<Layer>, const Layer& layer, const matrix_view<X>& x,
                                        const matrix_view<typename decltype(Layer::output)::value_type>& y) noexcept {
  const index_t channels = layer.weights.rows();
  const index_t depth = layer.weights.cols();
  if (x.cols() != depth || y.cols() != channels || y.rows() != x.rows()) return status::shape_mismatch;
  if (!fit_window(layer.weights, 1, 1, 0)) return status::shape_mismatch;
  return check_layer(layer, linear_record<X>(channels, depth, layer.bias.record.zero));
}

}  // namespace detail

/// Returns the first error of the layer, or of its use on x (batch x depth) and y (batch x channels). Returns `ok` if `run` may
/// be called. Total: reads descriptors, the fold's record and the multipliers, never activations or weights. Its cost does not
/// grow with the depth. Returns `accumulator_overflow` if some x of its type would overflow the accumulator with these weights
/// and this bias.
template <class W, class Output, class Weights, class X>
DYADIC_API constexpr status check(const linear_layer<W, Output, Weights>& layer, const matrix_view<X>& x,
                                  const matrix_view<typename Output::value_type>& y) noexcept {
  return detail::check_all(layer, x, y);
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::linear> {
  template <class Layer, class X, class Y>
  static constexpr void run(const Layer& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            const row_range& rows) noexcept {
    if constexpr (optimizes_for_size) {
      run_short(layer, x, y, rows);
    } else {
      if constexpr (std::is_same_v<decltype(layer.weights.row(0)), int4_pointer>)
        if (x.cols() <= max_unpacked && (rows.end - rows.begin > 1 || x.cols() <= max_unpacked / 4) && !is_constant_evaluated())
          return run_unpacked(layer, x, y, rows);
      constexpr portable_dot<typename decltype(layer.output)::accumulator> dot_product{};
      run_by(dot_product, layer, x, y, rows);
    }
  }
  /// A backend's function. It computes to[r] = sum over k of w[k] * rows[r * stride + k] for r < count, modulo 2^(bits of
  /// Accumulator).
  template <class X, class W, class Accumulator>
  using rows_function = void(const W* w, const X* rows, index_t stride, index_t depth, index_t count, Accumulator* to) noexcept;
  /// Computes a layer with few output channels, a block of rows by a channel at a time. Each row of `weights` is a channel.
  template <class W, class Accumulator, class Output, class X, class Y>
  static DYADIC_NOINLINE void run_few_channels(rows_function<X, W, Accumulator>& multiply_rows,
                                               const matrix_view<const W>& weights, const folded_bias<Accumulator>& bias,
                                               const Output& all_outputs, const matrix_view<const X>& x, const matrix_view<Y>& y,
                                               const row_range& rows) noexcept {
    using bits = std::make_unsigned_t<Accumulator>;
    constexpr index_t most = 16;
    const bits w_zero = static_cast<bits>(bias.record.zero.w);
    const Output output = all_outputs;  // The compiler knows that stores of 8 bits cannot change a copy.
    const index_t depth = weights.cols();
    for (index_t first = rows.begin; first < rows.end; first += most) {
      const index_t count = rows.end - first < most ? rows.end - first : most;
      bits start[most];
      Accumulator products[most];
      for (index_t r = 0; r < count; ++r) start[r] = 0;
      if (w_zero != 0) subtract_row_sums(w_zero, x, first, count, start);
      for (index_t o = 0; o < y.cols(); ++o) {
        multiply_rows(weights.row(o), x.row(first), count > 1 && depth > 0 ? x.stride() : 0, depth, count, products);
        const bits constant = static_cast<bits>(bias.constants[o]);
        for (index_t r = 0; r < count; ++r)
          y.row(first + r)[o] = output(static_cast<Accumulator>(start[r] + constant + static_cast<bits>(products[r])), o);
      }
    }
  }

 private:
  /// Subtracts w_zero times the sum of each row of x from the row's start.
  template <class Bits, class X>
  static DYADIC_FOR_SIZE void subtract_row_sums(Bits w_zero, const matrix_view<const X>& x, index_t first, index_t count,
                                                Bits* start) noexcept {
    for (index_t r = 0; r < count; ++r)
      start[r] -= w_zero * static_cast<Bits>(sum<std::make_signed_t<Bits>>(x.row(first + r), x.cols()));
  }
  /// Wraps `dot` in an object, because the parameters of a lambda would shadow names of a program.
  template <class Accumulator>
  struct portable_dot {
    template <class X, class Weights>
    constexpr Accumulator operator()(const X* x, Weights w, index_t depth) const noexcept {
      return dot<Accumulator>(x, w, depth);
    }
  };
  template <class Layer, class X, class Y>
  static constexpr void run_short(const Layer& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                                  const row_range& rows) noexcept {
    for (index_t r = rows.begin; r < rows.end; ++r)
      for (index_t o = y.cols(); --o >= 0;)
        y.data()[r * y.stride() + o] = detail::output_of_sum(
            layer.output, o,
            add_products(layer.bias.constants[o], x.row(r), 1, layer.weights.row(o), layer.bias.record.zero.w, x.cols()));
  }
  /// Unpacks 4-bit weights to bytes, less their zero point, once for all rows. Unpacks several channels at a time. This also pays
  /// for a single row if the buffer holds four channels or more.
  static constexpr index_t max_unpacked = 256;
  template <class Layer, class X, class Y>
  static constexpr void run_unpacked(const Layer& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                                     const row_range& rows) noexcept {
    using accumulator = typename decltype(layer.output)::accumulator;
    using bits = std::make_unsigned_t<accumulator>;
    const auto weights = layer.weights;
    const auto output = layer.output;
    const matrix_view<Y> outputs = y;
    const index_t depth = weights.cols();
    std::int8_t unpacked[max_unpacked] = {};
    const index_t together = depth > 0 && weights.stride() == depth ? max_unpacked / depth : 1;
    for (index_t first = 0; first < outputs.cols(); first += together) {
      const index_t some = outputs.cols() - first < together ? outputs.cols() - first : together;
      weights.row(first).unpack(some * depth, layer.bias.record.zero.w, unpacked);
      for (index_t r = rows.begin; r < rows.end; ++r) {
        const X* const inputs = x.row(r);
        Y* const to = outputs.row(r) + first;
        const std::int8_t* w = unpacked;
        for (index_t o = 0; o < some; ++o, w += depth) {
          const bits products = static_cast<bits>(dot<accumulator>(inputs, w, depth));
          to[o] = output(static_cast<accumulator>(static_cast<bits>(layer.bias.constants[first + o]) + products), first + o);
        }
      }
    }
  }
  template <class Dot, class Layer, class X, class Y>
  static constexpr void run_by(Dot& dot_product, const Layer& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                               const row_range& rows) noexcept {
    using accumulator = typename decltype(layer.output)::accumulator;
    using bits = std::make_unsigned_t<accumulator>;
    const bits w_zero = static_cast<bits>(layer.bias.record.zero.w);
    // Copies, because the compiler knows that stores of 8 bits cannot change them.
    const auto weights = layer.weights;
    const auto output = layer.output;
    const matrix_view<Y> outputs = y;
    const index_t depth = weights.cols();
    for (index_t r = rows.begin; r < rows.end; ++r) {
      const X* const inputs = x.row(r);
      const bits start = w_zero == 0 ? 0 : bits{0} - w_zero * static_cast<bits>(sum<accumulator>(inputs, depth));
      for (index_t o = 0; o < outputs.cols(); ++o) {
        const bits products = static_cast<bits>(dot_product(inputs, weights.row(o), depth));
        outputs.row(r)[o] = output(static_cast<accumulator>(start + static_cast<bits>(layer.bias.constants[o]) + products), o);
      }
    }
  }
};

}  // namespace DYADIC_ISA

namespace detail {

template <class W, class Output, class Weights>
struct operation_of<linear_layer<W, Output, Weights>> : operation_with<op::linear, W, Weights> {};

}  // namespace detail
}  // namespace dyadic

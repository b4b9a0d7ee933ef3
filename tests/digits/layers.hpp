#pragma once
/// \file
/// Layers of fixed shapes in float, quantized, and prepared on dyadic to run, and chains of layers. All of it is constexpr. A
/// quantized layer is prepared once in four steps, see `layer`; then it only runs.

#include <dyadic/dyadic.hpp>

#include <array>
#include <tuple>

namespace digits {

using dyadic::index_t;

/// The shapes of an operator. Windows of Kernel x Kernel move in steps of Stride over a square image with Depth channels, padded
/// as TFLite's SAME. Each window gives Channels outputs.
template <index_t Side, index_t Depth, index_t Channels, index_t Kernel, index_t Stride>
struct window_op {
  static constexpr index_t side = Side, depth = Depth, channels = Channels, kernel = Kernel, stride = Stride;
  static constexpr index_t out_side = (Side + Stride - 1) / Stride;
  static constexpr std::size_t inputs{Side * Side * Depth};
  static constexpr std::size_t outputs{out_side * out_side * Channels};
  static constexpr dyadic::window1d axis = dyadic::with_same_padding(Side, {Kernel, Stride});
  static constexpr dyadic::window2d window{axis, axis};

  template <class T>
  static constexpr dyadic::nhwc_view<T> input(T* x) noexcept {
    return {x, 1, Side, Side, Depth};
  }
  template <class T>
  static constexpr dyadic::nhwc_view<T> output(T* y) noexcept {
    return {y, 1, out_side, out_side, Channels};
  }
};

/// A convolution; weights OHWI.
template <index_t Side, index_t Depth, index_t Channels, index_t Kernel, index_t Stride = 1>
struct conv2d_op : window_op<Side, Depth, Channels, Kernel, Stride> {
  static constexpr bool is_depthwise = false;
  static constexpr index_t rows = Channels, cols = Kernel * Kernel * Depth;

  template <class X, class Data, class Constants>
  static constexpr auto fold(const Data& data, Constants constants) noexcept {
    return dyadic::fold_conv2d<X>(data.weights, data.bias, conv2d_op::window, data.zero, constants);
  }
  template <class Weights, class Bias, class Output>
  static constexpr auto prepared(const Weights& weights, const Bias& bias, const Output& output) noexcept {
    return dyadic::conv2d_layer{weights, bias, conv2d_op::window, 1, output};
  }
};

/// A depthwise convolution, one output channel for each input channel; weights 1HWO.
template <index_t Side, index_t Channels, index_t Kernel, index_t Stride = 1>
struct depthwise_op : window_op<Side, Channels, Channels, Kernel, Stride> {
  static constexpr bool is_depthwise = true;
  static constexpr index_t rows = Kernel * Kernel, cols = Channels;

  template <class X, class Data, class Constants>
  static constexpr auto fold(const Data& data, Constants constants) noexcept {
    return dyadic::fold_depthwise<X>(data.weights, data.bias, depthwise_op::window, data.zero, constants);
  }
  template <class Weights, class Bias, class Output>
  static constexpr auto prepared(const Weights& weights, const Bias& bias, const Output& output) noexcept {
    return dyadic::depthwise_layer{weights, bias, depthwise_op::window, output};
  }
};

/// A linear layer, a batch of one.
template <index_t Depth, index_t Channels>
struct linear_op : window_op<1, Depth, Channels, 1, 1> {
  static constexpr bool is_depthwise = false;
  static constexpr index_t rows = Channels, cols = Depth;

  template <class X, class Data, class Constants>
  static constexpr auto fold(const Data& data, Constants constants) noexcept {
    return dyadic::fold<X>(data.weights, data.bias, data.zero, constants);
  }
  template <class Weights, class Bias, class Output>
  static constexpr auto prepared(const Weights& weights, const Bias& bias, const Output& output) noexcept {
    return dyadic::linear_layer{weights, bias, output};
  }
  template <class T>
  static constexpr dyadic::matrix_view<T> input(T* x) noexcept {
    return {x, 1, Depth};
  }
  template <class T>
  static constexpr dyadic::matrix_view<T> output(T* y) noexcept {
    return {y, 1, Channels};
  }
};

/// A layer in float, for comparison: a plain loop that adds in order.
template <class Op>
struct float_layer {
  using op = Op;
  using input = std::array<float, Op::inputs>;
  using output = std::array<float, Op::outputs>;

  const float* weights;
  const float* bias;
  bool relu;
  float y_low;  ///< the range of its outputs, for a quantizer
  float y_high;

  constexpr output operator()(const input& x) const noexcept {
    output y{};
    float* next = y.data();
    for (index_t oy = 0; oy < Op::out_side; ++oy)
      for (index_t ox = 0; ox < Op::out_side; ++ox)
        for (index_t o = 0; o < Op::channels; ++o) {
          const float sum = sum_of_window(x.data(), oy * Op::stride, ox * Op::stride, o);
          *next++ = relu && sum < 0 ? 0 : sum;
        }
    return y;
  }

 private:
  constexpr float sum_of_window(const float* x, index_t top, index_t left, index_t o) const noexcept {
    float sum = bias[o];
    for (index_t tap = 0; tap < Op::kernel * Op::kernel; ++tap) {
      const index_t iy = top - Op::axis.pad_before + tap / Op::kernel;
      const index_t ix = left - Op::axis.pad_before + tap % Op::kernel;
      if (iy < 0 || iy >= Op::side || ix < 0 || ix >= Op::side) continue;
      const float* const pixel = x + (iy * Op::side + ix) * Op::depth;
      if constexpr (Op::is_depthwise) {
        sum += weights[tap * Op::channels + o] * pixel[o];
      } else {
        const float* const w = weights + o * Op::cols + tap * Op::depth;
        for (index_t i = 0; i < Op::depth; ++i) sum += w[i] * pixel[i];
      }
    }
    return sum;
  }
};

/// A quantized layer as data. real = scale * (stored - zero point); the bias has the scale x_scale * w_scale.
template <class Op, class Activation, class Weight, class Bias>
struct quantized_layer {
  using op = Op;
  using activation = Activation;
  using weight = Weight;

  dyadic::matrix_view<const Weight> weights;
  dyadic::view<const Bias> bias;
  dyadic::zero_points zero;
  double x_scale;
  dyadic::view<const double> w_scales;  ///< one for each output channel, or one for all
  double y_scale;
  dyadic::output_range range;

  constexpr double w_scale(index_t channel) const noexcept { return w_scales[w_scales.size() == 1 ? 0 : channel]; }
};

/// The multiplier of a real scale by the rule of `Scheme`. Some publishers start from binary64, some from binary32.
template <class Scheme>
constexpr auto derive(dyadic::binary64 scale) noexcept {
  if constexpr (std::is_invocable_v<decltype(&Scheme::derive), dyadic::binary64>)
    return Scheme::derive(scale);
  else
    return Scheme::derive(dyadic::narrow(scale));
}

/// A quantized layer that is ready to run. The layer points to storage of its own, so that it must not be moved. Its weights are
/// packed for a backend unless the backend is scalar.
template <class Data, class Scheme, class Backend = dyadic::backend::scalar>
class layer {
 public:
  using op = typename Data::op;
  using activation = typename Data::activation;
  using input = std::array<activation, op::inputs>;
  using output = std::array<activation, op::outputs>;

  constexpr explicit layer(const Data& data) noexcept {
    // 1. The real scale of each channel becomes a multiplier.
    const dyadic::view multipliers = multipliers_;
    for (index_t o = 0; o < multipliers.size(); ++o) {
      const auto derived = derive<Scheme>(dyadic::double_product_scale(data.x_scale, data.w_scale(o), data.y_scale));
      keep(derived.status);
      multipliers[o] = derived.value;
    }
    // 2. Bias, kernel sums and zero points become constants of each channel.
    const auto folded = op::template fold<activation>(data, dyadic::view(constants_, op::channels));
    keep(folded.status);
    // 3. The layer is a view of the multipliers, the constants and the weights.
    if constexpr (is_packed) {
      const auto packed = dyadic::pack<Backend, activation>(data.weights, packed_);
      keep(packed.status);
      layer_ = op::prepared(packed.value, folded.value, rescaled{multipliers_, data.range});
    } else {
      layer_ = op::prepared(data.weights, folded.value, rescaled{multipliers_, data.range});
    }
    // 4. `run` may compute every layer that `check` accepts. `check` also proves that the accumulator cannot overflow.
    const input x{};
    output y{};
    keep(dyadic::check(layer_, op::input(x.data()), op::output(y.data())));
  }
  layer(const layer&) = delete;
  layer& operator=(const layer&) = delete;

  /// Returns the first error, or ok.
  constexpr dyadic::status status() const noexcept { return status_; }
  /// Returns the range that the accumulators can reach.
  constexpr dyadic::accumulator_range bound() const noexcept { return layer_.bias.record.bound; }

  /// Requires: status() is ok.
  constexpr output operator()(const input& x) const noexcept {
    output y{};
    dyadic::run(layer_, op::input(x.data()), op::output(y.data()));
    return y;
  }

 private:
  using rescaled = dyadic::per_channel_output<activation, Scheme>;
  using accumulator = typename Scheme::accumulator;
  using weight = typename Data::weight;
  static constexpr bool is_packed = !op::is_depthwise && !std::is_same_v<Backend, dyadic::backend::scalar>;
  using weights =
      std::conditional_t<is_packed, dyadic::packed_matrix<Backend, activation, weight>, dyadic::matrix_view<const weight>>;

  constexpr void keep(dyadic::status s) noexcept {
    if (status_ == dyadic::status::ok) status_ = s;
  }

  typename Scheme::multiplier_type multipliers_[op::channels]{};
  accumulator constants_[op::channels]{};
  std::int8_t packed_[is_packed ? dyadic::packed_size<Backend, activation, weight>(op::rows, op::cols) : 1]{};
  decltype(op::prepared(weights{}, dyadic::folded_bias<accumulator>{}, rescaled{})) layer_{};
  dyadic::status status_ = dyadic::status::ok;
};

/// Runs x through the layers, one after the other.
template <std::size_t First = 0, class... Layers, class X>
constexpr auto run_chain(const std::tuple<Layers...>& layers, const X& x) noexcept {
  if constexpr (First == sizeof...(Layers))
    return x;
  else
    return run_chain<First + 1>(layers, std::get<First>(layers)(x));
}

/// The layers of a tuple of quantized layers, each ready to run.
template <class Layers, class Scheme, class Backend = dyadic::backend::scalar>
struct chain;
template <class... Data, class Scheme, class Backend>
struct chain<std::tuple<Data...>, Scheme, Backend> {
  std::tuple<layer<Data, Scheme, Backend>...> layers;

  constexpr explicit chain(const std::tuple<Data...>& data) noexcept : layers{data} {}

  /// Returns the first error, or ok.
  constexpr dyadic::status status() const noexcept {
    return std::apply(
        [](const auto&... each) {
          auto first = dyadic::status::ok;
          ((first = first == dyadic::status::ok ? each.status() : first), ...);
          return first;
        },
        layers);
  }
  /// Requires: status() is ok.
  template <class X>
  constexpr auto operator()(const X& x) const noexcept {
    return run_chain(layers, x);
  }
};

}  // namespace digits

#pragma once
/// \file
/// The digits networks, one linear and one convolutional, in float and quantized: from the pixels of an image to its digit. All
/// of it is constexpr.

#include "digits_data.hpp"
#include "layers.hpp"

namespace digits {

inline constexpr int pixel_count = image_side * image_side;

/// Returns the pixels of a held-out image. Its digit is labels[i].
constexpr const std::uint8_t* image(int i) noexcept { return images + i * pixel_count; }

/// Returns the index of the largest logit, or of the first of several equal logits.
template <class Logit>
constexpr int largest(const std::array<Logit, class_count>& logits) noexcept {
  const dyadic::view<const Logit> v = logits;
  int best = 0;
  for (int c = 1; c < class_count; ++c)
    if (v[best] < v[c]) best = c;
  return best;
}

/// 64 -> 32 -> 10.
using linear_ops = std::tuple<linear_op<pixel_count, 32>, linear_op<32, class_count>>;
/// 8x8x1 -> convolution 3x3 -> 8x8x8 -> depthwise 3x3, stride 2 -> 4x4x8 -> linear -> 10.
using convolutional_ops =
    std::tuple<conv2d_op<image_side, 1, 8, 3>, depthwise_op<image_side, 8, 3, 2>, linear_op<8 * 16, class_count>>;

/// Returns the multiply-adds of one image, padding included. Each weight is used once for each output position.
template <class... Ops>
constexpr index_t multiply_adds(std::tuple<Ops...>) noexcept {
  return ((Ops::rows * Ops::cols * Ops::out_side * Ops::out_side) + ...);
}

/// Returns a struct of digits_data.hpp as a quantized layer.
template <class Activation, class Op, class Data>
constexpr auto quantized() noexcept {
  using bias = std::remove_const_t<std::remove_reference_t<decltype(Data::bias[0])>>;
  return quantized_layer<Op, Activation, std::int8_t, bias>{{Data::weights, Op::rows, Op::cols},
                                                            Data::bias,
                                                            {Data::x_zero_point, Data::w_zero_point},
                                                            Data::x_scale,
                                                            Data::w_scale,
                                                            Data::y_scale,
                                                            {Data::y_zero_point, Data::y_min, Data::y_max}};
}

/// A quantized network: its layers as data.
template <class Activation, class Ops, class... Data>
struct format;
template <class Activation, class... Ops, class... Data>
struct format<Activation, std::tuple<Ops...>, Data...> {
  using activation = Activation;
  static constexpr std::tuple layers{quantized<Activation, Ops, Data>()...};
};

/// int16 activations and int8 weights, symmetric: the zero points are 0.
using linear_a16w8 = format<std::int16_t, linear_ops, linear::a16w8::layer1, linear::a16w8::layer2>;
using convolutional_a16w8 = format<std::int16_t, convolutional_ops, convolutional::a16w8::layer1, convolutional::a16w8::layer2,
                                   convolutional::a16w8::layer3>;
/// int8 activations and int8 weights, with zero points.
using linear_a8w8 = format<std::int8_t, linear_ops, linear::a8w8::layer1, linear::a8w8::layer2>;

/// A quantized network that is ready to run. Its weights are packed for a backend unless the backend is scalar. All members
/// except status() require: status() is ok.
template <class Format, class Scheme, class Backend = dyadic::backend::scalar>
class network {
 public:
  using activation = typename Format::activation;

  constexpr network() noexcept {
    const auto& first = std::get<0>(Format::layers);
    for (int p = 0; p <= pixel_max; ++p) {
      const auto stored = dyadic::divide(dyadic::from_integer<dyadic::binary64>(p), dyadic::binary64{first.x_scale});
      quantized_pixels_[p] = dyadic::saturate<activation>(dyadic::to_integer<dyadic::half_up>(stored) + first.zero.x);
    }
  }

  constexpr dyadic::status status() const noexcept { return chain_.status(); }
  constexpr const auto& layers() const noexcept { return chain_.layers; }
  constexpr auto quantize(const std::uint8_t* image) const noexcept {
    std::array<activation, pixel_count> x{};
    for (activation& value : x) value = quantized_pixels_[*image++];
    return x;
  }
  constexpr auto logits(const std::uint8_t* image) const noexcept { return chain_(quantize(image)); }
  constexpr int classify(const std::uint8_t* image) const noexcept { return largest(logits(image)); }

 private:
  chain<std::remove_const_t<decltype(Format::layers)>, Scheme, Backend> chain_{Format::layers};
  activation quantized_pixels_[pixel_max + 1]{};
};

/// The float form of a network.
template <class Ops, class... Data>
struct float_network;
template <class... Ops, class... Data>
struct float_network<std::tuple<Ops...>, Data...> {
  static constexpr std::tuple layers{float_layer<Ops>{Data::weights, Data::bias, Data::relu, Data::y_low, Data::y_high}...};

  static constexpr auto pixels(const std::uint8_t* image) noexcept {
    std::array<float, pixel_count> x{};
    for (float& value : x) value = *image++;
    return x;
  }
  constexpr int classify(const std::uint8_t* image) const noexcept { return largest(run_chain(layers, pixels(image))); }
};

using linear_float = float_network<linear_ops, linear::float32::layer1, linear::float32::layer2>;
using convolutional_float = float_network<convolutional_ops, convolutional::float32::layer1, convolutional::float32::layer2,
                                          convolutional::float32::layer3>;

}  // namespace digits

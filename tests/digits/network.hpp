#pragma once
/// \file
/// The digits network on dyadic: quantize an image, run two linear layers, take the largest logit. All of it is constexpr.
/// A layer is prepared once in four steps, see `layer`; then it only runs.

#include "digits_data.hpp"

#include <dyadic/dyadic.hpp>

#include <array>

namespace digits {

/// What digits_data.hpp says of one quantized layer.
template <class Bias>
struct quantized_layer {
  dyadic::matrix_view<const std::int8_t> weights;
  dyadic::view<const Bias> bias;
  dyadic::zero_points zero;
  double x_scale;
  dyadic::view<const double> w_scale;  ///< one for each output channel, or one for all
  double y_scale;
  dyadic::output_range range;
};

namespace a16w8 {
/// int16 activations and int8 weights, symmetric: the zero points are 0.
struct format {
  using activation = std::int16_t;
  static constexpr quantized_layer<std::int64_t> first{{layer1::weights, hidden_count, pixel_count},
                                                       layer1::bias,
                                                       {layer1::x_zero_point, layer1::w_zero_point},
                                                       layer1::x_scale,
                                                       layer1::w_scale,
                                                       layer1::y_scale,
                                                       {layer1::y_zero_point, layer1::y_min, layer1::y_max}};
  static constexpr quantized_layer<std::int64_t> second{{layer2::weights, class_count, hidden_count},
                                                        layer2::bias,
                                                        {layer2::x_zero_point, layer2::w_zero_point},
                                                        layer2::x_scale,
                                                        layer2::w_scale,
                                                        layer2::y_scale,
                                                        {layer2::y_zero_point, layer2::y_min, layer2::y_max}};
};
}  // namespace a16w8

namespace a8w8 {
/// int8 activations and int8 weights, with zero points.
struct format {
  using activation = std::int8_t;
  static constexpr quantized_layer<std::int32_t> first{{layer1::weights, hidden_count, pixel_count},
                                                       layer1::bias,
                                                       {layer1::x_zero_point, layer1::w_zero_point},
                                                       layer1::x_scale,
                                                       layer1::w_scale,
                                                       layer1::y_scale,
                                                       {layer1::y_zero_point, layer1::y_min, layer1::y_max}};
  static constexpr quantized_layer<std::int32_t> second{{layer2::weights, class_count, hidden_count},
                                                        layer2::bias,
                                                        {layer2::x_zero_point, layer2::w_zero_point},
                                                        layer2::x_scale,
                                                        layer2::w_scale,
                                                        layer2::y_scale,
                                                        {layer2::y_zero_point, layer2::y_min, layer2::y_max}};
};
}  // namespace a8w8

/// The multiplier of a real scale by the rule of `Scheme`. Some publishers start from binary64, some from binary32.
template <class Scheme>
constexpr auto derive(dyadic::binary64 scale) noexcept {
  if constexpr (std::is_invocable_v<decltype(&Scheme::derive), dyadic::binary64>)
    return Scheme::derive(scale);
  else
    return Scheme::derive(dyadic::narrow(scale));
}

/// A linear layer that is ready to run, with the storage that it looks into: hence it stays where it was made.
template <class Activation, class Scheme, std::size_t depth, std::size_t channels>
class layer {
 public:
  using input = std::array<Activation, depth>;
  using output = std::array<Activation, channels>;

  template <class Bias>
  constexpr explicit layer(const quantized_layer<Bias>& data) noexcept {
    // 1. Each channel's real scale becomes a multiplier.
    const dyadic::view multipliers = multipliers_;
    for (dyadic::index_t o = 0; o < multipliers.size(); ++o) {
      const double w_scale = data.w_scale[data.w_scale.size() == 1 ? 0 : o];
      const auto derived = derive<Scheme>(dyadic::double_product_scale(data.x_scale, w_scale, data.y_scale));
      keep(derived.status);
      multipliers[o] = derived.value;
    }
    // 2. Bias, kernel sums and zero points become one constant for each channel.
    const auto folded = dyadic::fold<Activation>(data.weights, data.bias, data.zero, constants_);
    keep(folded.status);
    // 3. The layer is a view of all that.
    layer_ = {data.weights, folded.value, data.zero, {multipliers_, data.range}};
    // 4. What `check` accepts, `run` computes. The accumulator cannot overflow: that is a part of it.
    const input x{};
    output y{};
    keep(dyadic::check(layer_, row(x), row(y)));
  }
  layer(const layer&) = delete;
  layer& operator=(const layer&) = delete;

  /// The first thing that was wrong, or ok.
  constexpr dyadic::status status() const noexcept { return status_; }

  /// Requires: status() is ok.
  constexpr output operator()(const input& x) const noexcept {
    output y{};
    dyadic::run(layer_, row(x), row(y));
    return y;
  }

 private:
  constexpr void keep(dyadic::status s) noexcept {
    if (status_ == dyadic::status::ok) status_ = s;
  }
  /// A batch of one.
  template <class Array>
  static constexpr auto row(Array& values) noexcept {
    return dyadic::matrix_view{values.data(), 1, static_cast<dyadic::index_t>(values.size())};
  }

  typename Scheme::multiplier_type multipliers_[channels]{};
  typename Scheme::accumulator constants_[channels]{};
  dyadic::linear_layer<std::int8_t, dyadic::channel_output<Activation, Scheme>> layer_{};
  dyadic::status status_ = dyadic::status::ok;
};

/// The place of the largest logit, the first one if several are equal.
template <class Logit>
constexpr int largest(const std::array<Logit, class_count>& logits) noexcept {
  const dyadic::view<const Logit> v = logits;
  int best = 0;
  for (int c = 1; c < class_count; ++c)
    if (v[best] < v[c]) best = c;
  return best;
}

/// 64 -> 32 (ReLU) -> 10. Requires for all but status(): status() is ok.
template <class Format, class Scheme>
struct network {
  using activation = typename Format::activation;

  layer<activation, Scheme, pixel_count, hidden_count> first{Format::first};
  layer<activation, Scheme, hidden_count, class_count> second{Format::second};

  constexpr network() noexcept {
    for (int p = 0; p <= pixel_max; ++p) {
      const auto stored = dyadic::divide(dyadic::from_integer<dyadic::binary64>(p), dyadic::binary64{Format::first.x_scale});
      quantized_pixels_[p] = dyadic::saturate<activation>(dyadic::to_integer<dyadic::half_up>(stored) + Format::first.zero.x);
    }
  }

  constexpr dyadic::status status() const noexcept {
    return first.status() != dyadic::status::ok ? first.status() : second.status();
  }
  constexpr auto quantize(const std::uint8_t* image) const noexcept {
    std::array<activation, pixel_count> x{};
    for (activation& value : x) value = quantized_pixels_[*image++];
    return x;
  }
  constexpr auto logits(const std::uint8_t* image) const noexcept { return second(first(quantize(image))); }
  constexpr int classify(const std::uint8_t* image) const noexcept { return largest(logits(image)); }

 private:
  static constexpr int pixel_max = 16;
  activation quantized_pixels_[pixel_max + 1]{};
};

/// The 64 pixels of one of the held-out images; their digit is labels[i].
constexpr const std::uint8_t* image(int i) noexcept { return images + i * pixel_count; }

namespace float32 {
/// The same network in float, to compare with.
constexpr std::array<float, class_count> logits(const std::uint8_t* image) noexcept {
  float hidden[hidden_count]{};
  for (int o = 0; o < hidden_count; ++o) {
    float sum = layer1::bias[o];
    for (int k = 0; k < pixel_count; ++k) sum += layer1::weights[o * pixel_count + k] * static_cast<float>(image[k]);
    hidden[o] = sum < 0 ? 0 : sum;
  }
  std::array<float, class_count> y{};
  const float* w = layer2::weights;
  const float* b = layer2::bias;
  for (float& logit : y) {
    logit = *b++;
    for (const float h : hidden) logit += *w++ * h;
  }
  return y;
}
}  // namespace float32

}  // namespace digits

#pragma once
/// \file
/// The whole residual network of the digits in a16w8: 64 -> 24, a linear layer of 24 whose output is added to its input, 24 ->
/// 10, softmax. All of it is constexpr.

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/elementwise/softmax_tables.hpp>

#include "network.hpp"

namespace digits {

inline constexpr index_t residual_width = 24;
using residual_a16w8 = format<std::int16_t,
                              std::tuple<linear_op<pixel_count, residual_width>, linear_op<residual_width, residual_width>,
                                         linear_op<residual_width, class_count>>,
                              residual::a16w8::layer1, residual::a16w8::layer2, residual::a16w8::layer3>;
using residual_sum = residual::a16w8::layer2::sum;

/// Runs the layers by a scheme, the sum by a rule of addition, and the softmax by TFLite's rule. Points to the tables of the
/// softmax.
template <class Scheme, class Add, class Backend = dyadic::backend::scalar>
class residual_network {
 public:
  using hidden = std::array<std::int16_t, residual_width>;
  using scores = std::array<std::int16_t, class_count>;

  /// The results of each step for an image.
  struct steps {
    hidden x;       ///< output of the first layer
    hidden branch;  ///< output of the second layer
    hidden sum;     ///< x + branch
    scores logits;  ///< output of the third layer
    scores softmax;
  };

  constexpr explicit residual_network(const dyadic::tflite::softmax_tables& tables) noexcept {
    const auto sum = Add::derive(narrow(residual_sum::x_scale), 0, narrow(residual_sum::branch_scale), 0,
                                 narrow(residual_sum::y_scale), {0, residual_sum::y_min, residual_sum::y_max});
    keep(sum.status);
    sum_ = {sum.value};
    const auto multiplier = softmax::derive(static_cast<float>(residual::a16w8::layer3::y_scale), 1.0f);
    keep(multiplier.status);
    softmax_.rule.multiplier = multiplier.value;
    softmax_.rule.exponential = {tables.exponential};
    softmax_.rule.reciprocal = {tables.reciprocal};
    hidden h{};
    hidden y{};
    scores s{};
    scores t{};
    keep(check(sum_, row(h), row(h), row(y)));
    keep(check(softmax_, row(s), row(t)));
  }

  /// Returns the first error, or ok.
  constexpr dyadic::status status() const noexcept {
    const dyadic::status s = net_.status();
    return s == dyadic::status::ok ? status_ : s;
  }
  constexpr const auto& layers() const noexcept { return net_.layers(); }
  constexpr auto quantize(const std::uint8_t* image) const noexcept { return net_.quantize(image); }

  /// Requires: status() is ok.
  constexpr steps operator()(const std::uint8_t* image) const noexcept {
    steps s{};
    s.x = std::get<0>(layers())(quantize(image));
    s.branch = std::get<1>(layers())(s.x);
    dyadic::run<Backend>(sum_, row(s.x), row(s.branch), row(s.sum));
    s.logits = std::get<2>(layers())(s.sum);
    dyadic::run<Backend>(softmax_, row(s.logits), row(s.softmax));
    return s;
  }

 private:
  using softmax = dyadic::tflite::softmax<std::int16_t>;

  /// The scales of the data are floats.
  static constexpr float narrow(double scale) noexcept { return static_cast<float>(scale); }
  template <class Values>
  static constexpr auto row(Values& v) noexcept {
    return dyadic::matrix_view<std::remove_reference_t<decltype(v[0])>>(v.data(), 1, static_cast<index_t>(v.size()));
  }
  constexpr void keep(dyadic::status s) noexcept {
    if (status_ == dyadic::status::ok) status_ = s;
  }

  network<residual_a16w8, Scheme, Backend> net_{};
  dyadic::binary_layer<Add> sum_{};
  dyadic::softmax_layer<softmax> softmax_{};
  dyadic::status status_ = dyadic::status::ok;
};

}  // namespace digits

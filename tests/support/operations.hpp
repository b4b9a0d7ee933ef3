#pragma once
/// \file
/// The layers with weights under one interface; `sound_layer` in spoilers.hpp takes its sizes from here.

#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/transposed_conv2d.hpp>

namespace support {

namespace q = dyadic;

struct linear {
  template <class X, class W, class Bias, class Storage>
  static constexpr auto fold(W w, q::window2d, const Bias& bias, q::zero_points zero, Storage&& constants) {
    return q::fold<X>(w, bias, zero, constants);
  }
  template <class W, class Folded, class Output>
  static constexpr auto layer(W w, Folded bias, q::zero_points zero, q::window2d, Output output) {
    return q::linear_layer{w, bias, zero, output};
  }
};

struct conv2d {
  static constexpr int rows = 3, cols = 27, constants = 51, height = 2;
  template <class X, class... Arguments>
  static constexpr auto fold(Arguments&&... arguments) {
    return q::fold_conv2d<X>(arguments...);
  }
  template <class W, class Folded, class Output>
  static constexpr auto layer(W w, Folded bias, q::zero_points zero, q::window2d window, Output output) {
    return q::conv2d_layer{w, bias, zero, window, 1, output};
  }
};

struct depthwise {
  static constexpr int rows = 9, cols = 3, constants = 51, height = 2;
  template <class X, class... Arguments>
  static constexpr auto fold(Arguments&&... arguments) {
    return q::fold_depthwise<X>(arguments...);
  }
  template <class... Members>
  static constexpr auto layer(Members... members) {
    return q::depthwise_layer{members...};
  }
};

struct transposed_conv2d {
  static constexpr int rows = 3, cols = 27, constants = 63, height = 5;
  template <class X, class... Arguments>
  static constexpr auto fold(Arguments&&... arguments) {
    return q::fold_transposed_conv2d<X>(arguments...);
  }
  template <class... Members>
  static constexpr auto layer(Members... members) {
    return q::transposed_conv2d_layer{members...};
  }
};

}  // namespace support

#pragma once
/// \file
/// Stores numbers as operands and biases, and gives the layers with weights one interface. `sound_layer` in spoilers.hpp takes
/// its sizes from here.

#include <dyadic/depthwise.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/transposed_conv2d.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace support {

namespace q = dyadic;
using values = std::vector<std::int64_t>;

template <class T>
T stored(std::int64_t value) {
  if constexpr (std::is_same_v<T, q::packed_int48>)
    return q::packed_int48::of(q::int48::saturated(value));
  else
    return static_cast<T>(value);
}
/// Returns the numbers as arrays of T store them. A byte holds two 4-bit numbers, the first number in the low half.
template <class T>
auto as_stored(const values& v) {
  if constexpr (std::is_same_v<T, q::int4>) {
    std::vector<std::uint8_t> bytes((v.size() + 1) / 2);
    for (std::size_t i = 0; i < v.size(); ++i)
      bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] + (v[i] + 16) % 16 * (i % 2 == 0 ? 1 : 16));
    return bytes;
  } else if constexpr (std::is_same_v<T, q::no_bias>) {
    return q::no_bias{};
  } else {
    std::vector<T> array;
    for (const std::int64_t value : v) array.push_back(stored<T>(value));
    return array;
  }
}
struct linear {
  template <class X, class W, class Bias, class Storage>
  static constexpr auto fold(W w, const Bias& bias, q::window2d, q::zero_points zero, Storage&& constants) {
    return q::fold<X>(w, bias, zero, constants);
  }
  template <class W, class Folded, class Output>
  static constexpr auto layer(W w, Folded bias, q::window2d, Output output) {
    return q::linear_layer{w, bias, output};
  }
};

struct conv2d {
  static constexpr int rows = 3, cols = 27, constants = 3, height = 2;
  template <class X, class... Arguments>
  static constexpr auto fold(Arguments&&... arguments) {
    return q::fold_conv2d<X>(arguments...);
  }
  template <class W, class Folded, class Output>
  static constexpr auto layer(W w, Folded bias, q::window2d window, Output output) {
    return q::conv2d_layer{w, bias, window, 1, output};
  }
};

struct depthwise {
  static constexpr int rows = 9, cols = 3, constants = 3, height = 2;
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
  static constexpr int rows = 3, cols = 27, constants = 6, height = 5;
  template <class X, class... Arguments>
  static constexpr auto fold(Arguments&&... arguments) {
    return q::fold_transposed_conv2d<X>(arguments...);
  }
  template <class... Members>
  static constexpr auto layer(Members... members) {
    return q::transposed_conv2d_layer{members...};
  }
};

/// A window, and the sizes of an image h x w x c, of the weights, of the constants and of the output.
struct small_layer {
  q::window2d window;
  q::index_t x[3], w[2], constants, y[3];
};

/// Returns whether output i is the sum of products[i] products and its bias, 2^40 or -2^40. Each product is 4305708, because x -
/// zero.x = -32868 and w - zero.w = -131 everywhere.
template <class Operation, std::size_t N>
constexpr bool sums_products(const small_layer& l, const int (&products)[N]) {
  std::int16_t x[64] = {};
  for (std::int16_t& value : x) value = -32768;
  std::int8_t w[64] = {};
  for (std::int8_t& value : w) value = -128;
  const std::int64_t bias[] = {std::int64_t{1} << 40, -(std::int64_t{1} << 40)};
  std::int64_t constants[96] = {}, y[N] = {};
  const q::zero_points zero{100, 3};
  const q::matrix_view<const std::int8_t> weights(w, l.w[0], l.w[1]);
  const auto folded = Operation::template fold<std::int16_t>(weights, q::view<const std::int64_t>(bias, l.y[2]), l.window, zero,
                                                             q::view<std::int64_t>(constants, l.constants));
  const auto layer = Operation::layer(weights, folded.value, l.window, q::raw_output<std::int64_t>{});
  const q::nhwc_view<const std::int16_t> in(x, 1, l.x[0], l.x[1], l.x[2]);
  const q::nhwc_view<std::int64_t> out(y, 1, l.y[0], l.y[1], l.y[2]);
  if (folded.status != q::status::ok || check(layer, in, out) != q::status::ok) return false;
  run(layer, in, out);
  for (std::size_t i = 0; i < N; ++i)
    if (y[i] != bias[static_cast<q::index_t>(i) % l.y[2]] + std::int64_t{4305708} * products[i]) return false;
  return true;
}

}  // namespace support

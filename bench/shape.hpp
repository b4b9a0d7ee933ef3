#pragma once
/// \file
/// Sizes of layers, and the form in which tables print them and --shape reads them.

#include <dyadic/dyadic.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

using dyadic::index_t;

enum class operation { linear, conv2d, depthwise };

/// The rows and columns of taps of a window. A single number sets both.
struct taps {
  constexpr taps(index_t both) : y(both), x(both) {}
  constexpr taps(index_t rows, index_t columns) : y(rows), x(columns) {}
  index_t y, x;
};

/// Padding around an image. The number of outputs is the number of inputs over the stride, rounded up. `same` is TFLite's
/// padding: an odd element is after the image. `half` has half a kernel on each side.
enum class padding { same, half };

/// A window over an image. A linear layer is a 1x1 window over an image of one column, with a pixel for each row.
struct shape {
  operation op;
  index_t height, width, inputs, outputs;
  taps kernel = 1;
  index_t stride = 1;
  index_t groups = 1;  ///< groups of a convolution; a depthwise layer has a group for each input channel
  padding around = padding::same;

  constexpr bool is_depthwise() const { return op == operation::depthwise; }
  constexpr index_t depth() const { return kernel.y * kernel.x * (is_depthwise() ? 1 : inputs / groups); }
  constexpr index_t rows() const { return (height + stride - 1) / stride; }
  constexpr index_t columns() const { return (width + stride - 1) / stride; }
  constexpr index_t input_size() const { return height * width * inputs; }
  constexpr index_t output_size() const { return rows() * columns() * outputs; }
  constexpr index_t multiply_adds() const { return output_size() * depth(); }
  constexpr dyadic::window2d window() const { return {axis(height, kernel.y), axis(width, kernel.x)}; }

 private:
  constexpr dyadic::window1d axis(index_t size, index_t of) const {
    if (around == padding::half) return {of, stride, 1, of / 2, of / 2};
    return dyadic::with_same_padding(size, {of, stride});
  }
};

/// Returns shapes of real networks, and odd shapes. A smoke run leaves out the two shapes that take seconds.
/// @{
inline std::vector<shape> linear_shapes(bool smoke) {
  std::vector<shape> shapes;
  constexpr index_t rows_channels_depth[][3] = {{1, 16, 16},     {8, 32, 32},     {7, 33, 129},     {1, 256, 256},
                                                {1, 1024, 1024}, {2, 1024, 1024}, {4, 1024, 1024},  {8, 1024, 1024},
                                                {256, 256, 64},  {64, 256, 256},  {256, 512, 1024}, {1024, 1024, 1024}};
  for (const auto& [rows, channels, depth] : rows_channels_depth) shapes.push_back({operation::linear, rows, 1, depth, channels});
  if (smoke) shapes.resize(shapes.size() - 2);
  return shapes;
}
inline std::vector<shape> conv_shapes() {
  return {{operation::conv2d, 32, 32, 64, 64, 3},
          {operation::conv2d, 56, 56, 64, 128, 1},
          {operation::depthwise, 56, 56, 128, 128, 3}};
}
/// Returns shapes that are hard to vectorize: few rows and channels, odd depths, stems, groups, strides.
inline std::vector<shape> hard_shapes() {
  return {{operation::linear, 1, 1, 1, 1},
          {operation::linear, 4, 1, 84, 10},
          {operation::linear, 1, 1, 64, 64},
          {operation::linear, 48, 1, 48, 64},
          {operation::conv2d, 96, 96, 3, 16, 3, 2},
          {operation::conv2d, 112, 112, 3, 64, 7, 2},
          {operation::conv2d, 28, 28, 64, 64, 5, 1, 4},
          {operation::conv2d, 28, 28, 128, 128, 3, 1, 32},
          {operation::depthwise, 48, 48, 8, 8, 3},
          {operation::depthwise, 56, 56, 128, 128, 3, 2},
          {operation::depthwise, 56, 56, 128, 128, 5},
          {operation::depthwise, 7, 7, 960, 960, 3}};
}
/// @}

/// Returns a shape as a text. A linear layer is ROWSxCHANNELSxDEPTH. A convolution is HxWxC-KxKxO: the image, then the kernel
/// and the output channels. A suffix "/2" is a stride of 2. A suffix "g4" is 4 groups, and "dw" is a depthwise layer.
inline std::string name_of(const shape& s) {
  const auto sizes = [](index_t a, index_t b, index_t c) {
    return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
  };
  if (s.op == operation::linear) return sizes(s.height, s.outputs, s.inputs);
  std::string name = sizes(s.height, s.width, s.inputs) + "-" + sizes(s.kernel.y, s.kernel.x, s.outputs);
  if (s.stride > 1) name += "/" + std::to_string(s.stride);
  if (s.is_depthwise()) return name + "dw";
  return s.groups > 1 ? name + "g" + std::to_string(s.groups) : name;
}

/// Returns "linear", "conv" or "depthwise".
inline std::string operator_of(const shape& s) {
  return s.op == operation::linear ? "linear" : s.op == operation::conv2d ? "conv" : "depthwise";
}

/// Reads the shape of a linear layer or of a convolution. Returns nothing if the text has another form, or if groups do not
/// divide the channels. Sizes and the depth are 1 to 65,536. A layer has at most 2^30 inputs and 2^34 multiply-adds.
/// @{
std::optional<shape> linear_shape(std::string_view text);
std::optional<shape> conv_shape(std::string_view text);
/// @}

}  // namespace bench

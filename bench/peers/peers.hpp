#pragma once
/// \file
/// Other engines, each in a file of its own that includes nothing of this library.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bench {

/// A layer of int8; pointers to what outlives the run.
struct peer_layer {
  enum { linear, conv2d, depthwise } op;  ///< a linear layer has a row of the image for each of its own, and one column
  /// Of the window: taps, and the padding of zero points on each side.
  struct axis {
    std::size_t inputs, outputs, kernel, before, after;
  };
  axis y, x;
  std::size_t stride, groups;   ///< a depthwise layer has a group for each input
  std::size_t inputs, outputs;  ///< channels
  const std::int8_t* from;      ///< NHWC
  const std::int8_t* weights;   ///< OHWI, of a depthwise layer HWO
  const std::int32_t* bias;
  float scale;            ///< of all accumulators
  std::int32_t mantissa;  ///< scale = mantissa * 2^exponent / 2^31
  int exponent;
  std::int8_t x_zero, y_zero;

  std::size_t input_size() const { return y.inputs * x.inputs * inputs; }
  std::size_t pixels() const { return y.outputs * x.outputs; }
  std::size_t depth() const { return y.kernel * x.kernel * inputs / groups; }
};

/// What an engine makes of a layer; without a contender it has none for such a layer.
struct peer_run {
  std::function<void(long runs)> contender;
  std::function<std::vector<std::int8_t>()> outputs;  ///< of the last run
};

/// An addition of int8; the operands outlive the run.
struct peer_addition {
  const std::int8_t *a, *b;
  std::size_t size;
  float a_scale, b_scale, y_scale;
  std::int8_t a_zero, b_zero, y_zero;
};
peer_run make_xnnpack_addition(const peer_addition& sum);
/// Without a contender where the program was built without XNNPACK.
peer_run xnnpack_addition(const peer_addition& sum);

/// @{
peer_run make_gemmlowp(const peer_layer& layer);
peer_run make_xnnpack(const peer_layer& layer);
peer_run make_onednn(const peer_layer& layer);
/// @}

}  // namespace bench

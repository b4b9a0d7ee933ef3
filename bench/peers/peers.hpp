#pragma once
/// \file
/// Other engines. Each engine has a file of its own, which includes nothing of this library.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// A layer of int8. The arrays behind the pointers outlive the run.
struct peer_layer {
  enum { linear, conv2d, depthwise } op;  ///< A linear layer is an image of one column, with a pixel for each row.
  /// The sizes along one axis: inputs, outputs, taps of the window, and the padding with zero points before and after.
  struct axis {
    std::size_t inputs, outputs, kernel, before, after;
  };
  axis y, x;
  std::size_t stride, groups;   ///< a depthwise layer has a group for each input channel
  std::size_t inputs, outputs;  ///< channels
  const std::int8_t* from;      ///< NHWC
  const std::int8_t* weights;   ///< OHWI; HWO for a depthwise layer
  const std::int32_t* bias;
  float scale;            ///< the same for all channels
  std::int32_t mantissa;  ///< scale = mantissa * 2^exponent / 2^31
  int exponent;
  std::int8_t x_zero, y_zero;

  std::size_t input_size() const { return y.inputs * x.inputs * inputs; }
  std::size_t pixels() const { return y.outputs * x.outputs; }
  std::size_t depth() const { return y.kernel * x.kernel * inputs / groups; }
};

/// An engine's implementation of a layer. `contender` is empty if the engine does not support the layer.
struct peer_run {
  std::function<void(long runs)> contender;
  std::function<std::vector<std::int8_t>()> outputs;  ///< returns the outputs of the last run
  bool is_inexact = false;                            ///< whether outputs of other layers are off by more than 1
};

/// An addition of int8. The operands outlive the run.
struct peer_addition {
  const std::int8_t *a, *b;
  std::size_t size;
  float a_scale, b_scale, y_scale;
  std::int8_t a_zero, b_zero, y_zero;
};
peer_run make_xnnpack_addition(const peer_addition& sum);
/// Returns XNNPACK's addition. `contender` is empty if the program was built without XNNPACK.
peer_run xnnpack_addition(const peer_addition& sum);

/// @{
peer_run make_gemmlowp(const peer_layer& layer);
peer_run make_xnnpack(const peer_layer& layer);
peer_run make_onednn(const peer_layer& layer);
/// @}

/// Limits an engine to the instruction set of a backend of x86: "sse41", "avx2" or "avx512vnni". Must be called before the first
/// layer is made. Returns false if the engine cannot be limited. XNNPACK has no function for this limit: it asks the library
/// cpuinfo, whose answers are changed.
/// @{
bool limit_onednn(const std::string& backend);
bool limit_xnnpack(const std::string& backend);
/// @}

}  // namespace bench

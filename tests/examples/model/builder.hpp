#pragma once
/// \file
/// Writes .tflite files for the tests.

#include <cstring>
#include <string>
#include <vector>

#include "tflite_generated.h"

namespace model {

/// The scales and zero points of a tensor: one of each, or one for each index of an axis.
struct quantization {
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  int axis = 0;
};

class builder {
 public:
  template <class Options>
  using offset = flatbuffers::Offset<Options>;

  builder() { buffers_.push_back(tflite::CreateBuffer(to_)); }  // buffer 0 is of all tensors without data

  flatbuffers::FlatBufferBuilder& file() { return to_; }

  /// Adds a tensor without data and returns its index.
  int activation(tflite::TensorType type, const std::vector<int>& shape, const quantization& q) {
    return tensor(type, shape, q, 0);
  }
  /// Adds a tensor that lasts from one run to the next.
  int state(tflite::TensorType type, const std::vector<int>& shape, const quantization& q) {
    return tensor(type, shape, q, 0, true);
  }
  /// Adds a constant with these elements.
  template <class T>
  int constant(tflite::TensorType type, const std::vector<int>& shape, const quantization& q, const std::vector<T>& elements) {
    std::vector<std::uint8_t> bytes(elements.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
    buffers_.push_back(tflite::CreateBufferDirect(to_, &bytes));
    return tensor(type, shape, q, static_cast<unsigned>(buffers_.size() - 1));
  }
  /// Adds an operator without options.
  void add(tflite::BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int>& outputs) {
    add(code, inputs, outputs, tflite::BuiltinOptions_NONE, 0);
  }
  template <class Options>
  void add(tflite::BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int>& outputs,
           offset<Options> options) {
    add(code, inputs, outputs, tflite::BuiltinOptionsTraits<Options>::enum_value, options.Union());
  }
  /// Returns the file. The builder is then used up.
  std::vector<unsigned char> finish(const std::vector<int>& inputs, const std::vector<int>& outputs) {
    const auto graph = tflite::CreateSubGraphDirect(to_, &tensors_, &inputs, &outputs, &operators_);
    const std::vector<offset<tflite::SubGraph>> graphs{graph};
    tflite::FinishModelBuffer(to_, tflite::CreateModelDirect(to_, 3, &codes_, &graphs, &buffers_));
    return {to_.GetBufferPointer(), to_.GetBufferPointer() + to_.GetSize()};
  }

 private:
  int tensor(tflite::TensorType type, const std::vector<int>& shape, const quantization& q, unsigned buffer,
             bool is_variable = false) {
    const auto scales =
        q.scales.empty() ? 0 : tflite::CreateQuantizationParametersDirect(to_, &q.scales, &q.zero_points, 0, q.axis);
    const std::string name = "t" + std::to_string(tensors_.size());
    tensors_.push_back(tflite::CreateTensorDirect(to_, &shape, type, buffer, name.c_str(), scales, is_variable));
    return static_cast<int>(tensors_.size()) - 1;
  }
  void add(tflite::BuiltinOperator code, const std::vector<int>& inputs, const std::vector<int>& outputs,
           tflite::BuiltinOptions type, offset<void> options) {
    const auto old_code = static_cast<std::int8_t>(code < 127 ? code : 127);
    codes_.push_back(tflite::CreateOperatorCodeDirect(to_, old_code, nullptr, 1, code));
    operators_.push_back(
        tflite::CreateOperatorDirect(to_, static_cast<unsigned>(codes_.size() - 1), &inputs, &outputs, type, options));
  }

  flatbuffers::FlatBufferBuilder to_;
  std::vector<offset<tflite::Buffer>> buffers_;
  std::vector<offset<tflite::Tensor>> tensors_;
  std::vector<offset<tflite::OperatorCode>> codes_;
  std::vector<offset<tflite::Operator>> operators_;
};

}  // namespace model

#pragma once
/// \file
/// A network as a .tflite file describes it: tensors and operators. All indices and sizes have been checked.

#include <dyadic/any_layer.hpp>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tflite_generated.h"

namespace model {

namespace q = dyadic;

/// Why a file, or an operator of a file, is not computed.
struct refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Sizes of up to four axes: images, rows, pixels, channels. Missing axes stand in front and have the size 1.
using sizes = std::array<q::index_t, 4>;

struct tensor {
  std::string name;                       ///< of the file, for humans
  tflite::TensorType type;                ///< of the file; `element` is the library's, or none
  q::element_type element;                ///< the library's name of the type; `none` for other types
  std::vector<q::index_t> shape;          ///< sizes of all axes
  q::index_t count;                       ///< number of elements
  q::index_t bits;                        ///< size of an element; 0 if it has none that is known
  q::index_t bytes;                       ///< size of all elements
  std::vector<float> scales;              ///< none, one, or one for each index of the axis `quantized_axis`
  std::vector<std::int32_t> zero_points;  ///< one for each scale
  q::index_t quantized_axis;              ///< the axis of many scales, not checked
  std::vector<unsigned char> data;        ///< elements of a constant; empty for others
  bool is_variable;                       ///< a state that lasts from one run to the next

  bool is_constant() const { return !data.empty(); }
  /// Returns the elements of a constant. Requires: T is their type.
  template <class T>
  const T* as() const {
    const void* const at = data.data();
    return static_cast<const T*>(at);
  }
};

/// An operator, its tensors and its options. An optional input that is absent is -1.
struct operation {
  int code;                         ///< number of the operator
  std::string name;                 ///< its place and its name: "3 CONV_2D"
  std::vector<int> inputs;          ///< indices of tensors
  std::vector<int> outputs;         ///< indices of tensors
  const tflite::Operator* options;  ///< in the file
};

struct network {
  std::vector<unsigned char> file;  ///< keeps the options
  std::vector<tensor> tensors;
  std::vector<operation> operations;  ///< in the order in which they run
  std::vector<int> inputs;            ///< indices of tensors
  std::vector<int> outputs;           ///< indices of tensors
  std::vector<std::string> left_out;  ///< operators between binary32 and a quantized input or output of the network
};

/// Reads a network. Each tensor has a type, a shape and a size, and each index is that of a tensor. Throws `refused` with the
/// first thing that is wrong.
network read_network(std::vector<unsigned char> file);

/// Throws `refused` unless every tensor has one value, before it is read.
void check_order(const network& net);

}  // namespace model

#pragma once
/// \file
/// The operators of a network, as descriptions that the library prepares. A new operator is a line of the table in operators.cpp.

#include <dyadic/any_operator.hpp>

#include <variant>

#include "network.hpp"

namespace model {

/// Copies elements whose order does not change.
struct copy_spec {};

using description =
    std::variant<q::layer_spec, q::binary_spec, q::activation_spec, q::pool_spec, q::mean_spec, q::softmax_spec, copy_spec>;

/// The scales of a layer. Each engine derives its own multipliers.
struct layer_scales {
  double x = 0;
  double y = 0;
  std::vector<double> w;        ///< one, or one for each channel
  std::vector<double> derived;  ///< input * weight / output, as TFLite computes it
};

/// An operator with the shapes of its tensors, ready to be prepared for any backend.
struct step {
  const operation* from = nullptr;
  description what;
  std::vector<int> inputs;            ///< tensors whose elements are read; one, or the two of a binary operator
  std::vector<sizes> x;               ///< their shapes
  int output = 0;                     ///< the tensor that is written
  sizes y{};                          ///< its shape
  layer_scales scales;                ///< of a layer
  std::vector<std::int8_t> unpacked;  ///< weights of 4 bits in bytes, or the 256 entries of a table
};

/// Describes all operators. Throws `refused` with the name of the first operator that is not computed, and the reason.
std::vector<step> describe(const network& net);

}  // namespace model

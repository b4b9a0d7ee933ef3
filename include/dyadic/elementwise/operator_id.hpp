// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names the operators without weights. Floor 1.

#include <dyadic/config.hpp>

namespace dyadic {

/// The operators without weights.
enum class operator_id : std::uint8_t {
  add,           ///< a + b
  subtract,      ///< a - b
  multiply,      ///< a * b
  leaky_relu,    ///< x, or alpha * x below 0
  hard_swish,    ///< x * clamp(x + 3, 0, 6) / 6
  sigmoid,       ///< 1 / (1 + exp(-x))
  tanh,          ///< the hyperbolic tangent
  table,         ///< any function by its values
  average_pool,  ///< averages of windows
  mean,          ///< averages over axes
  sum,           ///< sums over axes
  softmax,       ///< exp(x) / (the sum of exp(x) over a row)
};

/// Returns the name of the operator, never null.
DYADIC_API constexpr const char* to_string(operator_id op) noexcept {
  switch (op) {
    case operator_id::add: return "add";
    case operator_id::subtract: return "subtract";
    case operator_id::multiply: return "multiply";
    case operator_id::leaky_relu: return "leaky_relu";
    case operator_id::hard_swish: return "hard_swish";
    case operator_id::sigmoid: return "sigmoid";
    case operator_id::tanh: return "tanh";
    case operator_id::table: return "table";
    case operator_id::average_pool: return "average_pool";
    case operator_id::mean: return "mean";
    case operator_id::sum: return "sum";
    case operator_id::softmax: return "softmax";
  }
  return "unknown operator";
}

}  // namespace dyadic

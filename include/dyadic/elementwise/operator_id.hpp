// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names the operators without weights. Floor 1.

#include <dyadic/config.hpp>

namespace dyadic {

/// The operators without weights.
enum class operator_id : std::uint8_t {
  add,                 ///< a + b
  subtract,            ///< a - b
  multiply,            ///< a * b
  leaky_relu,          ///< x, or alpha * x below 0
  hard_swish,          ///< x * clamp(x + 3, 0, 6) / 6
  sigmoid,             ///< 1 / (1 + exp(-x))
  tanh,                ///< the hyperbolic tangent
  table,               ///< any function by its values
  average_pool,        ///< averages of windows
  mean,                ///< averages over axes
  sum,                 ///< sums over axes
  softmax,             ///< exp(x) / (the sum of exp(x) over a row)
  quantize,            ///< integers nearest to real numbers / scale
  dequantize,          ///< real numbers of integers
  requantize,          ///< the same real numbers on another scale
  concatenate,         ///< tensors side by side, on one scale
  maximum,             ///< max(a, b)
  minimum,             ///< min(a, b)
  max_pool,            ///< maxima of windows
  min_pool,            ///< minima of windows
  reduce_max,          ///< maxima over axes
  reduce_min,          ///< minima over axes
  resize_bilinear,     ///< an image in another size, of four inputs each
  resize_nearest,      ///< an image in another size, of one input each
  divide,              ///< a / b
  squared_difference,  ///< (a - b) ^ 2
  prelu,               ///< a, or a * b below 0
  equal,               ///< a == b
  not_equal,           ///< a != b
  greater,             ///< a > b
  greater_equal,       ///< a >= b
  less,                ///< a < b
  less_equal,          ///< a <= b
  abs,                 ///< |x|
  negate,              ///< -x
  sqrt,                ///< the square root
  rsqrt,               ///< 1 / the square root
  add_n,               ///< the sum of several tensors
  cumsum,              ///< sums along a row
  log_softmax,         ///< x - the logarithm of the sum of exp(x) over a row
  l2_norm,             ///< x / the root of the sum of x^2 over a row
  layer_norm,          ///< (x - mean) / standard deviation of a row, times weights, plus a bias
  rms_norm,            ///< x / the root of the mean of x^2 over a row, times weights
};

/// Returns true for an operator on two elements, or on one element.
/// @{
DYADIC_API constexpr bool takes_two(operator_id op) noexcept {
  return op <= operator_id::multiply || op == operator_id::maximum || op == operator_id::minimum ||
         (op >= operator_id::divide && op <= operator_id::less_equal);
}
DYADIC_API constexpr bool takes_one(operator_id op) noexcept {
  return (op > operator_id::multiply && op <= operator_id::table) || op == operator_id::requantize ||
         op == operator_id::concatenate || (op >= operator_id::abs && op <= operator_id::rsqrt);
}
/// @}

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
    case operator_id::quantize: return "quantize";
    case operator_id::dequantize: return "dequantize";
    case operator_id::requantize: return "requantize";
    case operator_id::concatenate: return "concatenate";
    case operator_id::maximum: return "maximum";
    case operator_id::minimum: return "minimum";
    case operator_id::max_pool: return "max_pool";
    case operator_id::min_pool: return "min_pool";
    case operator_id::reduce_max: return "reduce_max";
    case operator_id::reduce_min: return "reduce_min";
    case operator_id::resize_bilinear: return "resize_bilinear";
    case operator_id::resize_nearest: return "resize_nearest";
    case operator_id::divide: return "divide";
    case operator_id::squared_difference: return "squared_difference";
    case operator_id::prelu: return "prelu";
    case operator_id::equal: return "equal";
    case operator_id::not_equal: return "not_equal";
    case operator_id::greater: return "greater";
    case operator_id::greater_equal: return "greater_equal";
    case operator_id::less: return "less";
    case operator_id::less_equal: return "less_equal";
    case operator_id::abs: return "abs";
    case operator_id::negate: return "negate";
    case operator_id::sqrt: return "sqrt";
    case operator_id::rsqrt: return "rsqrt";
    case operator_id::add_n: return "add_n";
    case operator_id::cumsum: return "cumsum";
    case operator_id::log_softmax: return "log_softmax";
    case operator_id::l2_norm: return "l2_norm";
    case operator_id::layer_norm: return "layer_norm";
    case operator_id::rms_norm: return "rms_norm";
  }
  return "unknown operator";
}

}  // namespace dyadic

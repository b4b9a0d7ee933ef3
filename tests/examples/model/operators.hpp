#pragma once
/// \file
/// The operators of a network, as descriptions that the library prepares. A new operator is a line of the table in operators.cpp.

#include <dyadic/any_operator.hpp>

#include <functional>
#include <variant>

#include "network.hpp"

namespace model {

/// How an input of a `moves_spec` is moved. Along each axis the place in x and the place in y grow by a step, in elements.
struct element_move {
  struct axis {
    q::index_t size, x_step, y_step;
  };
  q::index_t from = 0;               ///< the first element that is read
  q::index_t to = 0;                 ///< the first element that is written
  std::vector<axis> axes;            ///< at least one; the last is the innermost
  std::vector<unsigned char> table;  ///< 256 outputs that replace bytes, or none
};
/// Moves elements as they are: reshapes, pads, parts of tensors, concatenations.
struct moves_spec {
  q::index_t bytes = 1;             ///< of an element
  std::vector<element_move> moves;  ///< one for each input
  std::vector<unsigned char> fill;  ///< an element that fills y before the moves, or none
};

struct backend_kinds;
using operands = std::vector<q::any_input>;
/// Returns what runs a layer, and the status of its check.
using preparation =
    std::function<std::function<void()>(const backend_kinds&, const operands& x, const q::any_output& y, q::status&)>;
/// A layer that no description of the library has.
struct typed_spec {
  preparation prepare;
  bool in_all_engines = false;  ///< no engine rounds, and all give the same
  preparation in_one_rounding;  ///< by TFLite's rule in a build with one rounding, or nothing
  preparation in_cmsis_nn;      ///< by CMSIS-NN's rule, or nothing
};

using description = std::variant<q::layer_spec, q::binary_spec, q::activation_spec, q::pool_spec, q::mean_spec, q::softmax_spec,
                                 q::norm_spec, q::resize_spec, moves_spec, typed_spec>;

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
  std::vector<int> inputs;            ///< tensors whose elements are read
  std::vector<sizes> x;               ///< their shapes
  int output = 0;                     ///< the tensor that is written; an operator with several outputs has several steps
  sizes y{};                          ///< its shape
  layer_scales scales;                ///< of a layer
  std::vector<std::int8_t> unpacked;  ///< weights of 4 bits in bytes, or the 256 entries of a table
};

/// Describes all operators, in their order. Throws `refused` with the name of the first operator that is not computed, and the
/// reason.
std::vector<step> describe(const network& net);

}  // namespace model

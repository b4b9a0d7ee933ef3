#pragma once
/// \file
/// A network that is prepared for a backend: one arena holds its activations and everything that its operators need.

#include <dyadic/elementwise/recurrent.hpp>
#include <dyadic/elementwise/svdf_layer.hpp>

#include <functional>
#include <tuple>

#include "operators.hpp"

namespace model {

/// Functions that run recurrent layers.
template <class X>
using lstm_run = void (*)(const q::recurrent_layer<q::tflite::lstm<X>>&, q::sequence_order, q::batch_view<const X>,
                          const q::recurrent_state<X>&, q::batch_view<X>);
template <class State>
using svdf_run = void (*)(const q::svdf_layer<q::tflite::svdf<State>>&, q::matrix_view<const std::int8_t>, q::matrix_view<State>,
                          q::matrix_view<std::int8_t>);

/// The layers and the rules that this program links for a backend.
struct backend_kinds {
  const char* name;
  q::layer_kinds layers;
  q::operator_kinds operators;
  std::tuple<lstm_run<std::int8_t>, lstm_run<std::int16_t>, svdf_run<std::int8_t>, svdf_run<std::int16_t>> recurrent;
};

/// Returns the backends that this machine runs, the best first, without avxvnni.
const std::vector<backend_kinds>& backends();

/// Names the tensors that keep their values until the end: the outputs, or all of them.
enum class kept { outputs, all };

/// A prepared operator, and what `prepare` has shown.
struct prepared_step {
  q::index_t bytes = 0;              ///< its piece of the arena: constants, multipliers, packed weights
  q::status status = q::status::ok;  ///< `ok`, or `accumulator_overflow`: some input may overflow
  q::accumulator_range bound;        ///< of a layer: the accumulators that its weights allow
  std::function<void()> run;
};

class program {
 public:
  /// Plans the arena and prepares all operators. Throws `refused` with the name of the operator that is wrong.
  program(const network& net, const std::vector<step>& steps, const backend_kinds& kinds, kept keep = kept::outputs);

  /// Returns the elements of a tensor: those of a constant, or the place of an activation.
  unsigned char* data(int tensor);
  void run() {
    for (const prepared_step& s : steps_) s.run();
  }
  const std::vector<prepared_step>& steps() const { return steps_; }
  /// Runs something else in place of an operator.
  void replace(std::size_t step, std::function<void()> run) { steps_[step].run = std::move(run); }
  q::index_t activation_bytes() const { return activation_bytes_; }                      ///< of the arena
  q::index_t arena_bytes() const { return static_cast<q::index_t>(arena_.size()) * 8; }  ///< activations and operators

 private:
  void plan(const std::vector<step>& steps, kept keep);

  const network& net_;
  std::vector<q::index_t> places_;  // of each tensor in the arena, or -1
  q::index_t activation_bytes_ = 0;
  std::vector<std::uint64_t> arena_;
  std::vector<prepared_step> steps_;
};

}  // namespace model

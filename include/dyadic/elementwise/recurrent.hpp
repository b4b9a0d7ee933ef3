// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of an LSTM or a GRU: a step, or a sequence of steps. The caller owns the state. Floor 5.

#include <dyadic/detail/batch_view.hpp>
#include <dyadic/detail/rows.hpp>
#include <dyadic/elementwise/folded_weights.hpp>
#include <dyadic/elementwise/gru.hpp>
#include <dyadic/elementwise/lstm.hpp>

namespace dyadic {

/// The weights of a gate, with the fold of their biases.
///   `input`: units x inputs, fold<X>(weights, bias, {zero point of x}, constants).
///   `hidden`: units x units, fold<X>(weights, bias or no_bias{}, {zero point of h}, constants).
/// CMSIS-NN's effective biases of int32 are constants of such a fold: executorch::cortex_m::from_kernel_sum<X,
/// std::int8_t>(array, depth, zero) uses them in place.
template <class Accumulator>
struct recurrent_gate {
  folded_weights<std::int8_t, Accumulator> input;   ///< multiplies x
  folded_weights<std::int8_t, Accumulator> hidden;  ///< multiplies h
};

/// A layer of a rule: `tflite::lstm`, `cmsis_nn::lstm` or `exact::gru`. An LSTM has the gates input, forget, cell, output. A GRU
/// has the gates update, reset, candidate.
template <class Rule>
struct recurrent_layer {
  Rule rule;                                                           ///< the numbers
  recurrent_gate<typename Rule::accumulator> gates[Rule::gate_count];  ///< the weights
};

/// The state of a recurrent layer, one row for each row of the batch and one column for each unit. `run` reads and writes it, so
/// that a sequence may be computed in parts. A new sequence begins with the zero point of h and a cell of 0.
template <class X>
struct recurrent_state {
  matrix_view<X> hidden;           ///< h
  matrix_view<std::int16_t> cell;  ///< c of an LSTM, or memory for r of a GRU with `before_product`. Another GRU does not use it.
};

/// The order of the axes of a sequence.
enum class sequence_order : std::uint8_t {
  time_major,   ///< [step][row of the batch][element]
  batch_major,  ///< [row of the batch][step][element]
};

namespace detail {

/// Returns a batch of one matrix: a sequence of one step.
template <class T>
DYADIC_API constexpr batch_view<T> one_step(const matrix_view<T>& m) noexcept {
  return {m.data(), 1, m.rows(), m.cols(), m.stride(), 0};
}
/// Returns the rows of step t.
template <class T>
DYADIC_API constexpr matrix_view<T> step_of(const batch_view<T>& v, sequence_order order, index_t t) noexcept {
  if (order == sequence_order::time_major) return v.matrix(t);
  const nhwc_view<T> all = v.images();
  if (all.n() == 0 || all.c() == 0) return {all.data(), all.n(), all.c(), 0};  // strides of empty views may be anything
  return {all.data() + t * all.row_stride(), all.n(), all.c(), all.image_stride()};
}
/// Returns true if all accumulators of a product are in the domain of the rule.
/// @{
template <class X, class Scheme, class WideScheme, class Term>
DYADIC_API constexpr bool takes_gate(const lstm_rule<X, Scheme, WideScheme, Term>& rule, index_t gate, accumulator_range input,
                                     accumulator_range hidden) noexcept {
  return rule.takes(input, rule.gates[gate].input) && rule.takes(hidden, rule.gates[gate].hidden);
}
template <class X, reset_gate Reset>
DYADIC_API constexpr bool takes_gate(const exact::gru<X, Reset>& rule, index_t, accumulator_range input,
                                     accumulator_range hidden) noexcept {
  return rule.takes(input) && rule.takes(hidden);
}
/// @}

}  // namespace detail

/// The halves of `check`. `check_shapes` finds errors that are known before x, y and the state have memory. `check_memory`
/// returns the first error of their views, or `overlap` if y or the state shares memory with another operand, weights or
/// constants.
/// @{
template <class Rule>
DYADIC_API constexpr status check_shapes(const recurrent_layer<Rule>& layer, sequence_order order,
                                         batch_view<const typename Rule::value_type> x,
                                         const recurrent_state<typename Rule::value_type>& state,
                                         batch_view<typename Rule::value_type> y) noexcept {
  if (const status s = detail::check_shape(x); s != status::ok) return s;
  if (const status s = detail::check_shape(y); s != status::ok) return s;
  if (const status s = detail::check_shape(state.hidden); s != status::ok) return s;
  const index_t units = y.cols();
  const index_t batch = order == sequence_order::time_major ? x.rows() : x.batches();
  const auto fits_batch = [&](const auto& m) { return m.rows() == batch && m.cols() == units; };
  if (x.batches() != y.batches() || x.rows() != y.rows() || !fits_batch(state.hidden)) return status::shape_mismatch;
  if constexpr (Rule::has_cell) {
    if (const status s = detail::check_shape(state.cell); s != status::ok) return s;
    if (!fits_batch(state.cell)) return status::shape_mismatch;
  }
  status last = check(layer.rule);
  if (!may_run(last)) return last;
  for (index_t g = 0; g < Rule::gate_count; ++g) {
    const auto& gate = layer.gates[g];
    if (const status s = detail::check_folded<typename Rule::value_type>(gate.input, units, x.cols()); s != status::ok) return s;
    if (const status s = detail::check_folded<typename Rule::value_type>(gate.hidden, units, units); s != status::ok) return s;
    if (gate.hidden.bias.record.zero.x != layer.rule.zero_point) return status::zero_point_out_of_range;
    if (!detail::takes_gate(layer.rule, g, gate.input.bias.record.bound, gate.hidden.bias.record.bound))
      last = status::accumulator_overflow;
  }
  return last;
}
template <class Rule>
DYADIC_API constexpr status check_memory(const recurrent_layer<Rule>& layer, sequence_order,
                                         batch_view<const typename Rule::value_type> x,
                                         const recurrent_state<typename Rule::value_type>& state,
                                         batch_view<typename Rule::value_type> y) noexcept {
  const matrix_view<std::int16_t> cell = Rule::has_cell ? state.cell : matrix_view<std::int16_t>{};
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  if (const status s = check(state.hidden); s != status::ok) return s;
  if (const status s = check(cell); s != status::ok) return s;
  const auto is_written = [&](const auto& v) { return overlap(y, v) || overlap(state.hidden, v) || overlap(cell, v); };
  if (overlap(y, state.hidden) || overlap(y, cell) || overlap(state.hidden, cell) || is_written(x)) return status::overlap;
  for (const auto& gate : layer.gates)
    if (detail::any_part(gate.input, is_written) || detail::any_part(gate.hidden, is_written)) return status::overlap;
  return status::ok;
}
/// @}

/// Returns the first error in the layer, or in its use on x, y and the state; `ok` if `run` may be called. Total: reads
/// descriptors, the records of the folds and multipliers, never weights or elements. A matrix x of batch x inputs is one step,
/// and y is batch x units. Returns `zero_point_out_of_range` also if a hidden fold does not have the rule's zero point. Returns
/// `accumulator_overflow` last: for some x and h a sum leaves its accumulator or the domain of its scheme.
/// @{
template <class Rule>
DYADIC_API constexpr status check(const recurrent_layer<Rule>& layer, sequence_order order,
                                  batch_view<const typename Rule::value_type> x,
                                  const recurrent_state<typename Rule::value_type>& state,
                                  batch_view<typename Rule::value_type> y) noexcept {
  return detail::check_halves(layer, order, x, state, y);
}
template <class Rule>
DYADIC_API constexpr status check(const recurrent_layer<Rule>& layer, matrix_view<const typename Rule::value_type> x,
                                  const recurrent_state<typename Rule::value_type>& state,
                                  matrix_view<typename Rule::value_type> y) noexcept {
  return check(layer, sequence_order::time_major, detail::one_step(x), state, detail::one_step(y));
}
/// @}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::lstm> {
  template <class Rule, class Sums>
  static DYADIC_ALWAYS_INLINE constexpr void run(const Rule& rule, const Sums& sums, index_t gate, std::int16_t* y,
                                                 index_t count) noexcept {
    for (index_t i = 0; i < count; ++i) y[i] = rule.gate(sums.x[i], sums.h[i], gate);
  }
  template <class Rule, class Gates, class X>
  static DYADIC_ALWAYS_INLINE constexpr void run(const Rule& rule, const Gates& gates, std::int16_t* c, X* y,
                                                 index_t count) noexcept {
    for (index_t i = 0; i < count; ++i) {
      c[i] = rule.cell(c[i], gates.at[0][i], gates.at[1][i], gates.at[2][i]);
      y[i] = rule.hidden(c[i], gates.at[3][i]);
    }
  }
};

}  // namespace DYADIC_ISA

namespace detail {
inline namespace DYADIC_ISA {

/// The two sums of a gate, for a block of units.
template <class Rule, index_t Size = outputs_of_block>
struct gate_sums {
  using accumulator = typename Rule::accumulator;
  static constexpr index_t size = Size;
  accumulator x[std::size_t{size}] = {};
  accumulator h[std::size_t{size}] = {};
};
/// The gates of an LSTM, for a block of units. The units share the parameters of vectors. Machines with short addresses have
/// small stacks.
struct lstm_gates {
  static constexpr index_t size = sizeof(index_t) == 8 ? 64 : outputs_of_block;
  std::int16_t at[4][std::size_t{size}] = {};
};
/// The two sums of an LSTM's gate.
template <class Rule>
using lstm_sums = gate_sums<Rule, lstm_gates::size>;

/// Computes y of one row for one step from x, h and c, and writes c. y is not h: each block of units reads all of h.
/// @{
template <class Backend, class X, class Scheme, class WideScheme, class Term>
DYADIC_NOINLINE constexpr void run_row(const recurrent_layer<lstm_rule<X, Scheme, WideScheme, Term>>& layer, const X* x,
                                       const X* h, std::int16_t* c, X* y, index_t units) noexcept {
  const auto& rule = layer.rule;
  lstm_sums<lstm_rule<X, Scheme, WideScheme, Term>> sums;
  lstm_gates gates;
  for_each_block<lstm_gates::size>(units, [&](index_t first, index_t count) {
    for (index_t g = 0; g < 4; ++g) {
      add_folded_products<Backend>(layer.gates[g].input, x, first, count, sums.x);
      add_folded_products<Backend>(layer.gates[g].hidden, h, first, count, sums.h);
      call<Backend, op::lstm>(rule, sums, g, gates.at[g] + 0, count);
    }
    call<Backend, op::lstm>(rule, gates, c + first, y + first, count);
  });
}

/// Returns sum_k w[k] r[k] (h[k] - zero) + 2^15 bias, modulo 2^64: constant + zero * sum_k w[k] is the bias.
template <class X>
constexpr std::int64_t reset_products(const std::int8_t* w, std::int64_t constant, std::int32_t zero, const std::int16_t* r,
                                      const X* h, index_t units) noexcept {
  auto sum = static_cast<std::uint64_t>(shift_left_wrapped(constant, 15));
  for (index_t k = 0; k < units; ++k)
    sum += static_cast<std::uint64_t>(w[k] * (std::int64_t{r[k]} * (std::int32_t{h[k]} - zero) + std::int64_t{zero} * 32768));
  return static_cast<std::int64_t>(sum);
}

template <class Backend, class X, reset_gate Reset>
constexpr void run_row(const recurrent_layer<exact::gru<X, Reset>>& layer, const X* x, const X* h, std::int16_t* r, X* y,
                       index_t units) noexcept {
  using rule_type = exact::gru<X, Reset>;
  const rule_type& rule = layer.rule;
  const auto sums_of = [&](index_t g, index_t first, index_t count) {
    gate_sums<rule_type> sums;
    add_folded_products<Backend>(layer.gates[g].input, x, first, count, sums.x);
    add_folded_products<Backend>(layer.gates[g].hidden, h, first, count, sums.h);
    return sums;
  };
  const auto run_gate = [&](index_t g, index_t first, index_t count, std::int16_t* to) {
    const gate_sums<rule_type> sums = sums_of(g, first, count);
    for (index_t i = 0; i < count; ++i) to[i] = rule.gate(sums.x[i], shift_left_wrapped(sums.h[i], 15), g);
  };
  if constexpr (Reset == reset_gate::before_product)
    for_each_block(units, [&](index_t first, index_t count) { run_gate(1, first, count, r + first); });
  for_each_block(units, [&](index_t first, index_t count) {
    std::int16_t update[std::size_t{outputs_of_block}] = {};
    std::int16_t reset[std::size_t{outputs_of_block}] = {};
    run_gate(0, first, count, update);
    if constexpr (Reset == reset_gate::after_product) run_gate(1, first, count, reset);
    gate_sums<rule_type> sums = sums_of(2, first, count);
    for (index_t i = 0; i < count; ++i) {
      const auto& hidden = layer.gates[2].hidden;
      if constexpr (Reset == reset_gate::before_product)
        sums.h[i] = reset_products(hidden.weights.row(first + i), hidden.bias.constants[first + i], rule.zero_point, r, h, units);
      else
        sums.h[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums.h[i]) * static_cast<std::uint64_t>(reset[i]));
      y[first + i] = rule.hidden(h[first + i], update[i], rule.gate(sums.x[i], sums.h[i], 2));
    }
  });
}
/// @}

}  // namespace DYADIC_ISA
}  // namespace detail

inline namespace DYADIC_ISA {

/// Computes y of each step, and the next state. A step reads the y of the previous step as h. Backend runs the products, and
/// most backends run the gates and cells of an LSTM. Portable code runs the rest. Requires: `check` with the same arguments
/// returns `ok` or `accumulator_overflow`. Sums that overflow wrap modulo 2^(bits of the accumulator), and the scheme defines the
/// rescales.
/// @{
template <class Backend = void, class Rule>
constexpr void run(const recurrent_layer<Rule>& layer, sequence_order order, batch_view<const typename Rule::value_type> x,
                   const recurrent_state<typename Rule::value_type>& state, batch_view<typename Rule::value_type> y) noexcept {
  if constexpr (detail::takes_backend<Backend>()) {
    DYADIC_ASSERT(may_run(check_shapes(layer, order, x, state, y)));
    const index_t steps = order == sequence_order::time_major ? x.batches() : x.rows();
    const index_t units = y.cols();
    if (units == 0 || state.hidden.rows() == 0) return;
    for (index_t t = 0; t < steps; ++t) {
      const auto from = detail::step_of(x, order, t);
      const auto to = detail::step_of(y, order, t);
      const auto h = t == 0 ? state.hidden : detail::step_of(y, order, t - 1);
      for (index_t b = 0; b < to.rows(); ++b) {
        std::int16_t* cell = nullptr;
        if constexpr (Rule::has_cell) cell = state.cell.row(b);
        detail::run_row<detail::backend_or<Backend>>(layer, from.row(b), h.row(b), cell, to.row(b), units);
      }
      if (t == steps - 1) detail::convert_rows(to, state.hidden, {0, to.rows()}, [](auto value, index_t) { return value; });
    }
  }
}
template <class Backend = void, class Rule>
constexpr void run(const recurrent_layer<Rule>& layer, matrix_view<const typename Rule::value_type> x,
                   const recurrent_state<typename Rule::value_type>& state, matrix_view<typename Rule::value_type> y) noexcept {
  run<Backend>(layer, sequence_order::time_major, detail::one_step(x), state, detail::one_step(y));
}
/// @}

}  // namespace DYADIC_ISA

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a step of SVDF. The caller owns the state. Floor 5.

#include <dyadic/elementwise/folded_weights.hpp>
#include <dyadic/elementwise/svdf.hpp>

namespace dyadic {

/// A step of SVDF. There are units * rank filters, and the filters of a unit are adjacent.
///   `feature`: filters x inputs, fold<std::int8_t>(weights, no_bias{}, {zero point of x}, constants).
///   `time`: units x (rank * memory), fold<State>(weights, bias, {zero point of the state}, constants). In memory these are the
///     engines' filters x memory weights.
/// The state of a row is filters x memory, the newest entry last. A step drops the oldest entry of each filter, appends
/// rule.remember(the filter's sum over x), and gives y = rule.output(the unit's sum over its part of the state).
template <class Rule, class W = typename Rule::state_type>
struct svdf_layer {
  Rule rule;                                          ///< the numbers
  folded_weights<std::int8_t, std::int32_t> feature;  ///< multiplies x
  folded_weights<W, std::int32_t> time;               ///< multiplies the state
};

/// Deduces the types from the members.
template <class Rule, class W>
svdf_layer(Rule, folded_weights<std::int8_t, std::int32_t>, folded_weights<W, std::int32_t>) -> svdf_layer<Rule, W>;

/// The halves of `check`. `check_shapes` finds errors that are known before x, y and the state have memory. `check_memory` finds
/// the errors of their memory.
/// @{
template <class Rule, class W>
DYADIC_API constexpr status check_shapes(const svdf_layer<Rule, W>& layer, matrix_view<const std::int8_t> x,
                                         matrix_view<typename Rule::state_type> state, matrix_view<std::int8_t> y) noexcept {
  if (const status s = detail::check_shape(x); s != status::ok) return s;
  if (const status s = detail::check_shape(state); s != status::ok) return s;
  if (const status s = detail::check_shape(y); s != status::ok) return s;
  const index_t units = y.cols();
  const index_t filters = layer.feature.weights.rows();
  const index_t depth = layer.time.weights.cols();
  if (x.rows() != y.rows() || state.rows() != y.rows() || state.cols() != detail::add_size(0, units, depth))
    return status::shape_mismatch;
  if (units > 0 ? filters % units != 0 || filters == 0 || depth % (filters / units) != 0 || depth == 0 : filters != 0)
    return status::shape_mismatch;
  if (const status s = check(layer.rule); s != status::ok) return s;
  if (const status s = detail::check_folded<std::int8_t>(layer.feature, filters, x.cols()); s != status::ok) return s;
  if (const status s = detail::check_folded<typename Rule::state_type>(layer.time, units, depth); s != status::ok) return s;
  if (layer.time.bias.record.zero.x != layer.rule.state_range.zero_point) return status::zero_point_out_of_range;
  using scheme = typename Rule::scheme;
  const auto takes = [](accumulator_range bound, multiplier32 m) {
    return detail::takes_between<scheme>({bound.lowest, bound.highest}, m);
  };
  const bool fit = layer.rule.keeps_state() && takes(layer.feature.bias.record.bound, layer.rule.feature) &&
                   takes(layer.time.bias.record.bound, layer.rule.time);
  return fit ? status::ok : status::accumulator_overflow;
}
template <class Rule, class W>
DYADIC_API constexpr status check_memory(const svdf_layer<Rule, W>& layer, matrix_view<const std::int8_t> x,
                                         matrix_view<typename Rule::state_type> state, matrix_view<std::int8_t> y) noexcept {
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(state); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  const auto is_written = [&](const auto& v) { return overlap(y, v) || overlap(state, v); };
  const bool shared = overlap(y, state) || is_written(x) || detail::any_part(layer.feature, is_written) ||
                      detail::any_part(layer.time, is_written);
  return shared ? status::overlap : status::ok;
}
/// @}

/// Returns the first error in the layer, or in its use on x (batch x inputs), the state (batch x (filters * memory)) and y (batch
/// x units); `ok` if `run` may be called. Total: reads descriptors, the records of the folds and multipliers, never weights or
/// elements. Returns `zero_point_out_of_range` also if the fold of `time` does not have the rule's zero point of the state.
/// Returns `accumulator_overflow` last: some x or state makes a sum leave int32 or the domain of its scheme, or an entry of the
/// state wrap.
template <class Rule, class W>
DYADIC_API constexpr status check(const svdf_layer<Rule, W>& layer, matrix_view<const std::int8_t> x,
                                  matrix_view<typename Rule::state_type> state, matrix_view<std::int8_t> y) noexcept {
  return detail::check_halves(layer, x, state, y);
}

inline namespace DYADIC_ISA {

/// Computes y and the next state of each row. Backend runs the products, and portable code runs the rest. Requires: `check` with
/// the same arguments returns `ok` or `accumulator_overflow`. Sums that overflow wrap modulo 2^32, and entries of the state wrap
/// as `svdf_rule` says.
template <class Backend = void, class Rule, class W>
constexpr void run(const svdf_layer<Rule, W>& layer, matrix_view<const std::int8_t> x,
                   matrix_view<typename Rule::state_type> state, matrix_view<std::int8_t> y) noexcept {
  if constexpr (detail::takes_backend<Backend>()) {
    DYADIC_ASSERT(may_run(check_shapes(layer, x, state, y)));
    using backend = detail::backend_or<Backend>;
    if (y.cols() == 0) return;
    const Rule rule = layer.rule;
    const index_t filters = layer.feature.weights.rows();
    const index_t depth = layer.time.weights.cols();
    const index_t memory = state.cols() / filters;
    for (index_t b = 0; b < y.rows(); ++b) {
      auto* const entries = state.row(b);
      std::int8_t* const to = y.row(b);
      for (index_t k = 1; k < state.cols(); ++k) entries[k - 1] = entries[k];
      detail::for_each_block(filters, [&](index_t first, index_t count) {
        std::int32_t sums[std::size_t{detail::outputs_of_block}] = {};
        detail::add_folded_products<backend>(layer.feature, x.row(b), first, count, sums);
        for (index_t i = 0; i < count; ++i) entries[(first + i + 1) * memory - 1] = rule.remember(sums[i]);
      });
      for (index_t u = 0; u < y.cols(); ++u) {
        const std::int32_t sum = dot<backend, std::int32_t>(entries + u * depth, layer.time.weights.row(u), depth);
        to[u] = rule.output(wrap<std::int32_t>(std::int64_t{sum} + layer.time.bias.constants[u]));
      }
    }
  }
}

}  // namespace DYADIC_ISA

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The kinds of layers that a program links, as tables of pointers to functions. any_layer.hpp chooses from these tables.
/// Floor 6.

#include <dyadic/channels.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/detail/arena.hpp>
#include <dyadic/layer_spec.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/transposed_conv2d.hpp>

namespace dyadic {

/// Names a kind of layer to link: operator, types of activations and weights, scheme, and type of outputs. If the scheme is void,
/// outputs are the accumulators: int32, int64 or packed_int48.
template <class Op, class X, class W, class Scheme, class Y = X>
struct kind {};

namespace detail {

struct kind_functions;

/// The sizes and offsets of a layer in its arena. Constants come first.
struct layer_plan {
  const kind_functions* kind = nullptr;
  index_t weight_rows = 0;
  index_t weight_cols = 0;
  index_t weight_bytes = 0;
  index_t constant_count = 0;
  index_t multipliers_at = 0;
  index_t packed_at = 0;
  index_t size = 0;
};

/// The parts of a layer of any kind.
struct layer_parts {
  const unsigned char* arena = nullptr;
  const void* weights = nullptr;  // in the arena if they are packed
  layer_plan plan;
  fold_record record;
  output_range range;
  window2d window;
  index_t groups = 1;
  index_t channel_step = 1;
  status prepared = status::unknown_kind;  // why a layer without a plan is not prepared
};

/// The types, sizes and functions that a program links for a kind.
struct kind_functions {
  layer_op op;
  element_type x;
  element_type w;
  element_type y;
  scheme_id scheme;
  index_t constant_size;
  index_t multiplier_size;
  index_t workspace_bytes;
  index_t (*packed_bytes)(index_t rows, index_t cols, const window2d& window, index_t groups) noexcept;
  status (*fold)(const layer_spec&, unsigned char* arena, layer_parts&) noexcept;
  status (*pack)(const layer_spec&, unsigned char* arena, layer_parts&) noexcept;
  status (*check)(const layer_parts&, const any_input&, const any_output&) noexcept;
  void (*run)(const layer_parts&, const any_input&, const any_output&, const run_options&) noexcept;
};

/// Returns the run-time name of the operator.
template <class Op>
DYADIC_API constexpr layer_op layer_op_of() noexcept {
  constexpr bool is_known = is_one_of<Op, op::linear, op::conv2d, op::depthwise, op::transposed_conv2d>;
  static_assert(is_known, "a kind is linear, conv2d, depthwise or transposed_conv2d");
  return std::is_same_v<Op, op::linear>      ? layer_op::linear
         : std::is_same_v<Op, op::conv2d>    ? layer_op::conv2d
         : std::is_same_v<Op, op::depthwise> ? layer_op::depthwise
                                             : layer_op::transposed_conv2d;
}

/// Calls the fold of the operator.
template <class Op, class X, class W, class Accumulator>
DYADIC_API auto fold_by(matrix_view<const W> weights, const layer_spec& spec, view<Accumulator> constants) noexcept {
  constexpr verifiable no = verifiable::no;
  if constexpr (std::is_same_v<Op, op::linear>)
    return fold<X>(weights, spec.bias, spec.zero, constants, no);
  else if constexpr (std::is_same_v<Op, op::conv2d>)
    return fold_conv2d<X>(weights, spec.bias, spec.window, spec.zero, constants, no);
  else if constexpr (std::is_same_v<Op, op::depthwise>)
    return fold_depthwise<X>(weights, spec.bias, spec.window, spec.zero, constants, no);
  else
    return fold_transposed_conv2d<X>(weights, spec.bias, spec.window, spec.zero, constants, no);
}

/// Makes a layer of the operator.
template <class Op, class Weights, class Bias, class Output>
DYADIC_API constexpr auto layer_by(const Weights& weights, const Bias& bias, const layer_parts& parts,
                                   const Output& output) noexcept {
  if constexpr (std::is_same_v<Op, op::linear>)
    return linear_layer{weights, bias, output};
  else if constexpr (std::is_same_v<Op, op::conv2d>)
    return conv2d_layer{weights, bias, parts.window, parts.groups, output};
  else if constexpr (std::is_same_v<Op, op::depthwise>)
    return depthwise_layer{weights, bias, parts.window, output};
  else
    return transposed_conv2d_layer{weights, bias, parts.window, output, parts.groups};
}

/// Weights that stay in the caller's memory.
template <class W>
struct weights_in_place {
  DYADIC_API static constexpr index_t bytes(index_t, index_t, const window2d&, index_t) noexcept { return 0; }
  DYADIC_API static matrix_view<const W> of(const layer_parts& parts) noexcept { return at(parts.weights, parts.plan); }
  DYADIC_API static matrix_view<const W> at(const void* data, const layer_plan& plan) noexcept {
    using stored = std::conditional_t<std::is_same_v<W, int4>, std::uint8_t, W>;
    return {static_cast<const stored*>(data), plan.weight_rows, plan.weight_cols};
  }
  DYADIC_API static status pack(const layer_spec& spec, unsigned char* /*arena*/, layer_parts& parts) noexcept {
    parts.channel_step = dyadic::channel_step(at(spec.weights, parts.plan));
    return status::ok;
  }
};

/// Weights that are packed for a backend into the arena. Weights of a convolution are packed for its window.
template <class Backend, class Op, class X, class W>
struct packed_weights {
  static constexpr bool is_convolution = std::is_same_v<Op, op::conv2d>;
  DYADIC_API static constexpr index_t bytes(index_t rows, index_t cols, const window2d& window, index_t groups) noexcept {
    if constexpr (is_convolution)
      return packed_conv2d_size<Backend, X, W>(rows, cols, window, groups < 1 ? 1 : groups);
    else
      return packed_size<Backend, X, W>(rows, cols);
  }
  DYADIC_API static packed_matrix<Backend, X, W> of(const layer_parts& parts) noexcept {
    const index_t rows = parts.plan.weight_rows;
    const index_t cols = parts.plan.weight_cols;
    const auto* const data = static_cast<const std::int8_t*>(parts.weights);
    if constexpr (is_convolution)
      return {data, rows, cols, rows, packed_conv2d_order<Backend, X, W>(rows, cols, parts.window, parts.groups)};
    else
      return {data, rows, cols};
  }
  DYADIC_API static status pack(const layer_spec& spec, unsigned char* arena, layer_parts& parts) noexcept {
    void* const to = arena + parts.plan.packed_at;
    const view storage{static_cast<std::int8_t*>(to), parts.plan.size - parts.plan.packed_at};
    const auto weights = weights_in_place<W>::at(spec.weights, parts.plan);
    parts.weights = to;
    parts.plan.weight_bytes = 0;
    parts.channel_step = packed_matrix<Backend, X, W>::layout.nr;
    if constexpr (is_convolution)
      return pack_conv2d<Backend, X>(weights, spec.window, spec.groups, storage).status;
    else
      return dyadic::pack<Backend, X>(weights, storage).status;
  }
};

/// Returns true if the operator reads packed weights and the backend packs these weights in an order of its own.
template <class Backend, class Op, class X, class W>
DYADIC_API constexpr bool packs_weights() noexcept {
  constexpr bool reads = is_one_of<Op, op::linear, op::conv2d>;
  if constexpr (reads && sizeof(typename operand<W>::value_type) == 1 && !std::is_same_v<X, std::uint16_t>)
    return !(packed_layout_of<Backend, X, W> == packed_layout_of<backend::scalar, X, W>);
  else
    return false;
}

/// True if an arena aligns the multipliers of the kind.
template <class Kind>
inline constexpr bool fits_arena = true;
template <class Op, class X, class W, class Scheme, class Y>
inline constexpr bool fits_arena<kind<Op, X, W, Scheme, Y>> = alignof(typename Scheme::multiplier_type) <= arena_alignment;
template <class Op, class X, class W, class Y>
inline constexpr bool fits_arena<kind<Op, X, W, void, Y>> = true;

/// Makes the outputs of a layer: outputs of the scheme with a multiplier for each channel, or raw sums if the scheme is void.
/// @{
template <class Y, class Scheme>
struct any_outputs {
  using type = per_channel_output<Y, Scheme>;
  static constexpr index_t multiplier_size = sizeof(typename Scheme::multiplier_type);
  DYADIC_API static type at(const layer_parts& parts) noexcept {
    const void* const data = parts.arena + parts.plan.multipliers_at;
    const view multipliers{static_cast<const typename Scheme::multiplier_type*>(data), parts.record.channels};
    return {multipliers, range_within<Y>(parts.range)};
  }
  /// Writes the multipliers of all channels. Returns the status of the first channel that has none.
  DYADIC_API static status prepare(const layer_spec& spec, void* storage) noexcept {
    auto* const to = static_cast<typename Scheme::multiplier_type*>(storage);
    for (index_t c = 0; c < spec.channels; ++c) {
      const auto m = spec.multipliers.template of<Scheme>(c);
      if (m.status != status::ok) return m.status;
      to[c] = m.value;
    }
    return status::ok;
  }
};
template <class Y>
struct any_outputs<Y, void> {
  using type = raw_output<Y>;
  static constexpr index_t multiplier_size = 0;
  DYADIC_API static type at(const layer_parts&) noexcept { return {}; }
  DYADIC_API static status prepare(const layer_spec&, void*) noexcept { return status::ok; }
};
/// @}

/// The functions of a kind that all backends share.
template <class Kind>
struct kind_parts;

template <class Op, class X, class W, class Scheme, class Y>
struct kind_parts<kind<Op, X, W, Scheme, Y>> {
  using outputs = any_outputs<Y, Scheme>;
  using accumulator = typename outputs::type::accumulator;

  /// Makes the typed layer from its parts.
  template <class Weights>
  DYADIC_API static auto layer(const layer_parts& parts) noexcept {
    const void* const constants = parts.arena;
    const folded_bias<accumulator> bias{{static_cast<const accumulator*>(constants), parts.plan.constant_count}, parts.record};
    return layer_by<Op>(Weights::of(parts), bias, parts, outputs::at(parts));
  }
  template <class T, class View>
  DYADIC_API static auto typed(const View& v) noexcept {
    if constexpr (std::is_same_v<Op, op::linear>)
      return v.template matrix<T>();
    else
      return v.template images<T>();
  }
  DYADIC_API static status fold(const layer_spec& spec, unsigned char* arena, layer_parts& parts) noexcept {
    void* const storage = arena;
    const view constants{static_cast<accumulator*>(storage), parts.plan.constant_count};
    const auto folded = fold_by<Op, X>(weights_in_place<W>::at(spec.weights, parts.plan), spec, constants);
    if (folded.status != status::ok) return folded.status;
    parts.record = folded.value.record;
    const status s = outputs::prepare(spec, arena + parts.plan.multipliers_at);
    return s == status::ok ? dyadic::check(outputs::at(parts), spec.channels) : s;
  }
  /// Checks the layer as if its weights were not packed, because packed weights have the same shape.
  DYADIC_API static status check(const layer_parts& parts, const any_input& x, const any_output& y) noexcept {
    return check_shapes(layer<weights_in_place<W>>(parts), typed<const X>(x), typed<Y>(y));
  }
};

inline namespace DYADIC_ISA {

template <class Backend, class Kind>
struct kind_of;

template <class Backend, class Op, class X, class W, class Scheme, class Y>
struct kind_of<Backend, kind<Op, X, W, Scheme, Y>> {
  using shared = kind_parts<kind<Op, X, W, Scheme, Y>>;
  using weights = std::conditional_t<packs_weights<Backend, Op, X, W>(), packed_weights<Backend, Op, X, W>, weights_in_place<W>>;

  static void run(const layer_parts& parts, const any_input& x, const any_output& y, const run_options& options) noexcept {
    auto layer = shared::template layer<weights>(parts);
    auto to = shared::template typed<Y>(y);
    const auto from = shared::template typed<const X>(x);
    if constexpr (is_one_of<Op, op::linear, op::conv2d>) {
      if (options.channels.size() != parts.record.channels) {
        layer = channels_of(layer, options.channels);
        to = channels_of(to, options.channels);
      }
    }
    run_range<Backend>(layer, from, to, options.rows, options.workspace);
  }
  static constexpr kind_functions functions() noexcept {
    return {layer_op_of<Op>(),
            element_type_of<X>(),
            element_type_of<W>(),
            element_type_of<Y>(),
            scheme_id::of<Scheme>(),
            sizeof(typename shared::accumulator),
            shared::outputs::multiplier_size,
            workspace_size<Backend>,
            &weights::bytes,
            &shared::fold,
            &weights::pack,
            &shared::check,
            &run};
  }
};

/// The functions that a program links for a backend, one entry for each kind.
template <class Backend, class... Kinds>
inline constexpr kind_functions kind_table[] = {kind_of<Backend, Kinds>::functions()...};

}  // namespace DYADIC_ISA
}  // namespace detail
}  // namespace dyadic

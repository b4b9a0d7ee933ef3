// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A layer whose operator, types, scheme, bias and backend are known only when the program runs. Opt-in. Floor 6.
///
///   constexpr auto kinds = q::layer_kinds_of<q::native,
///       q::kind<q::op::conv2d, std::int8_t, std::int8_t, q::tflite::double_rounding>,
///       q::kind<q::op::linear, std::int16_t, std::int8_t, q::tosa::scale16>>();
///
///   const auto bytes = kinds.bytes(spec);
///   const auto layer = kinds.prepare(spec, arena);
///   if (layer.status == q::status::ok && check(layer.value, x, y) == q::status::ok) run(layer.value, x, y);
///
/// What is listed is compiled for that backend, and no other kind; `with_best_backend` chooses between the lists of several. The
/// example is `tests/examples/engine.cpp`.

#include <dyadic/detail/any_kind.hpp>

namespace dyadic {

/// What the arena of a layer begins at a multiple of, in bytes; what `bytes` says is a multiple of it, too.
inline constexpr index_t arena_alignment = detail::arena_step;

/// A prepared layer, made by `layer_kinds`: a handle that points to its arena and, unless they are packed there, to its weights.
/// `check`, `check_shapes`, `check_memory` and `run` take it as they take other layers; the constant evaluator does not.
struct any_layer {
  detail::layer_parts parts;  ///< of its operator and types, or none: then `check` says `unknown_kind`
};

namespace detail {

/// The sizes of the weights and of what the arena holds, or `negative_size`, `bad_window`, `size_overflow`.
DYADIC_API constexpr result<layer_plan> plan_layer(const kind_functions& kind, const layer_spec& spec) noexcept {
  layer_plan plan{};
  if (spec.channels < 0 || spec.depth < 0) return {plan, status::negative_size};
  const bool is_linear = spec.op == layer_op::linear;
  const bool is_transposed = spec.op == layer_op::transposed_conv2d;
  const status window = is_linear ? status::ok : is_transposed ? check_transposed(spec.window) : check(spec.window);
  if (window != status::ok) return {plan, window};
  const index_t taps = is_linear ? 1 : spec.window.y.kernel * spec.window.x.kernel;
  const bool is_depthwise = spec.op == layer_op::depthwise;
  plan.kind = &kind;
  plan.weight_rows = is_depthwise ? taps : spec.channels;
  plan.weight_cols = is_depthwise ? spec.channels : add_size(0, taps, spec.depth);
  const index_t weights = add_size(0, plan.weight_rows, plan.weight_cols);
  plan.weight_bytes = kind.w == element_type::int4 ? weights / 2 + weights % 2 : add_size(0, weights, size_of(layout_of(kind.w)));
  plan.constant_count = is_transposed ? transposed_conv2d_constants(spec.channels, spec.window, spec.zero) : spec.channels;
  plan.multipliers_at = end_of_piece(0, plan.constant_count, kind.constant_size);
  plan.packed_at = end_of_piece(plan.multipliers_at, spec.channels, kind.multiplier_size);
  const index_t packed =
      plan.weight_bytes < 0 ? -1 : kind.packed_bytes(plan.weight_rows, plan.weight_cols, spec.window, spec.groups);
  plan.size = end_of_piece(plan.packed_at, packed, 1);
  return {plan, plan.size < 0 ? status::size_overflow : status::ok};
}

/// Compares the pieces of an arena with what the layer reads. Returns true for every layer that `prepare` has made.
DYADIC_API constexpr bool holds_pieces(const layer_parts& parts) noexcept {
  const layer_plan& plan = parts.plan;
  const kind_functions& kind = *plan.kind;
  if (plan.weight_rows < 0 || plan.weight_cols < 0) return false;
  const index_t multipliers_at = end_of_piece(0, plan.constant_count, kind.constant_size);
  const index_t packed_at = end_of_piece(multipliers_at, parts.record.channels, kind.multiplier_size);
  const index_t size =
      end_of_piece(packed_at, kind.packed_bytes(plan.weight_rows, plan.weight_cols, parts.window, parts.groups), 1);
  const bool are_equal = multipliers_at == plan.multipliers_at && packed_at == plan.packed_at && size == plan.size;
  return are_equal && size >= 0 && (size == 0 || parts.arena != nullptr);
}

/// Bytes from an address on.
DYADIC_API inline view<const unsigned char> bytes_at(const void* data, index_t size) noexcept {
  return {static_cast<const unsigned char*>(data), size};
}

}  // namespace detail

/// The kinds of layers that a program links, for one backend.
class layer_kinds {
 public:
  DYADIC_API constexpr layer_kinds() noexcept = default;  ///< none
  /// Those of `layer_kinds_of`.
  DYADIC_API constexpr explicit layer_kinds(view<const detail::kind_functions> all) noexcept : all_{all} {}

  /// Counts the bytes of arena that a layer takes: constants, multipliers, and weights where the backend packs them. Reads the
  /// sizes of a description, no pointer. Returns `unknown_kind` if no kind has its operator, types and scheme; `negative_size`,
  /// `bad_window`, or `size_overflow` if a size exceeds index_t.
  DYADIC_API constexpr result<index_t> bytes(const layer_spec& spec) const noexcept {
    const auto plan = plan_of(spec);
    return {plan.value.size, plan.status};
  }
  /// Adds `bytes` of all layers of a network. Returns what is wrong with the view of the descriptions, the status of the first
  /// layer that cannot be prepared, or `size_overflow`.
  DYADIC_API constexpr result<index_t> network_bytes(view<const layer_spec> specs) const noexcept {
    if (const status s = check(specs); s != status::ok) return {0, s};
    index_t all = 0;
    for (const layer_spec& spec : specs) {
      const auto one = bytes(spec);
      if (one.status != status::ok) return {0, one.status};
      all = detail::add_size(all, one.value);
    }
    return {all, all < 0 ? status::size_overflow : status::ok};
  }
  /// Counts the bytes of a workspace that serves `run` of every kind here; 1 where the backend needs none.
  DYADIC_API constexpr index_t workspace_bytes() const noexcept { return all_.empty() ? 1 : all_[0].workspace_bytes; }
  /// Makes the layer in the first `bytes` of an arena. Returns what `bytes` does, `arena_misaligned`, `arena_too_small`, or
  /// `overlap` of these bytes with the description or with what it points to; then nothing is written. Otherwise what is wrong
  /// with the weights, the bias, the zero points, the multipliers and the range; then the arena holds anything.
  /// `accumulator_overflow` is left to `check`.
  DYADIC_API result<any_layer> prepare(const layer_spec& spec, view<unsigned char> arena) const noexcept {
    const auto plan = plan_of(spec);
    if (plan.status != status::ok) return {{}, plan.status};
    if (const status s = check(arena); s != status::ok) return {{}, s};
    if (detail::is_misaligned(arena.data(), arena_alignment)) return {{}, status::arena_misaligned};
    if (arena.size() < plan.value.size) return {{}, status::arena_too_small};
    if (const status s = check(spec.bias); s != status::ok) return {{}, s};
    const bool is_scaled = plan.value.kind->multiplier_size != 0;
    if (const status s = spec.multipliers.check(is_scaled ? spec.channels : 0); s != status::ok) return {{}, s};
    const view<unsigned char> piece{arena.data(), plan.value.size};
    const auto weights = detail::bytes_at(spec.weights, plan.value.weight_bytes);
    const bool shared = overlap(piece, weights) || overlap(piece, spec.bias) || overlap(piece, spec.multipliers) ||
                        overlap(piece, view<const layer_spec>{&spec, 1});
    if (shared) return {{}, status::overlap};
    any_layer layer{{piece.data(), spec.weights, plan.value, {}, spec.range, spec.window, spec.groups}};
    status s = plan.value.kind->fold(spec, piece.data(), layer.parts);
    if (s == status::ok) s = plan.value.kind->pack(spec, piece.data(), layer.parts);
    return {s == status::ok ? layer : any_layer{}, s};
  }
  /// Prepares all layers of a network, one piece of the arena after the other. Returns what is wrong with a view, what
  /// `network_bytes` returns, or `shape_mismatch` if there are not as many layers as descriptions. Returns `overlap` if the
  /// pieces share memory with the descriptions or the layers. Nothing is written in these cases. Otherwise returns the status of
  /// the first layer that cannot be prepared; then the arena and the layers from there on hold anything.
  DYADIC_API status prepare_network(view<const layer_spec> specs, view<unsigned char> arena,
                                    view<any_layer> layers) const noexcept {
    if (const status s = check(arena); s != status::ok) return s;
    if (const status s = check_same_size(specs, layers); s != status::ok) return s;
    const auto bytes_of_all = network_bytes(specs);
    if (bytes_of_all.status != status::ok) return bytes_of_all.status;
    const view<unsigned char> pieces{arena.data(), bytes_of_all.value < arena.size() ? bytes_of_all.value : arena.size()};
    if (overlap(pieces, specs) || overlap(pieces, layers)) return status::overlap;
    for (index_t i = 0; i < specs.size(); ++i) {
      const auto made = prepare(specs[i], arena);
      if (made.status != status::ok) return made.status;
      layers[i] = made.value;
      const index_t used = made.value.parts.plan.size;
      arena = {arena.data() + used, arena.size() - used};
    }
    return status::ok;
  }

 private:
  /// The first kind that fits.
  DYADIC_API constexpr result<detail::layer_plan> plan_of(const layer_spec& spec) const noexcept {
    for (const detail::kind_functions& kind : all_) {
      const bool is_it = kind.op == spec.op && kind.x == spec.x && kind.w == spec.w && kind.y == spec.y;
      if (is_it && (spec.scheme == scheme_id{} || spec.scheme == kind.scheme)) return detail::plan_layer(kind, spec);
    }
    return {{}, status::unknown_kind};
  }

  view<const detail::kind_functions> all_;
};

inline namespace DYADIC_ISA {

/// Kinds, each of them `kind<Op, X, W, Scheme, Y>`, compiled for a backend: a program that chooses its backend when it runs asks
/// for those of each, by `with_best_backend`.
template <class Backend, class... Kinds>
constexpr layer_kinds layer_kinds_of() noexcept {
  constexpr bool fit_arena = (detail::fits_arena<Kinds> && ...);
  static_assert(fit_arena, "an arena aligns multipliers to 8 bytes, and no more");
  if constexpr (detail::takes_backend<Backend>() && fit_arena)
    return layer_kinds{detail::kind_table<Backend, Kinds...>};
  else
    return layer_kinds{};
}

}  // namespace DYADIC_ISA

/// The halves of `check`, as for other layers. They also return
///   `unknown_kind` for a layer that is none,
///   `type_mismatch` if x or y have other elements than the layer,
///   `arena_too_small` if a number of the layer is not what `prepare` has made.
/// A linear layer reads and writes matrices.
/// @{
DYADIC_API inline status check_shapes(const any_layer& layer, const any_input& x, const any_output& y) noexcept {
  const detail::kind_functions* const kind = layer.parts.plan.kind;
  if (kind == nullptr) return status::unknown_kind;
  if (!detail::holds_pieces(layer.parts)) return status::arena_too_small;
  if (x.type() != kind->x || y.type() != kind->y) return status::type_mismatch;
  if (kind->op == layer_op::linear && (!x.is_matrix() || !y.is_matrix())) return status::shape_mismatch;
  return kind->check(layer.parts, x, y);
}
DYADIC_API inline status check_memory(const any_layer& layer, const any_input& x, const any_output& y) noexcept {
  if (layer.parts.plan.kind == nullptr) return status::unknown_kind;
  const index_t x_size = x.measure();
  const index_t y_size = y.measure();
  if (x_size < 0 || y_size < 0) return detail::status_of(x_size < 0 ? x_size : y_size);
  const auto written = detail::bytes_at(y.data(), y_size);
  const detail::layer_parts& parts = layer.parts;
  const bool shared = overlap(written, detail::bytes_at(x.data(), x_size)) ||
                      overlap(written, detail::bytes_at(parts.arena, parts.plan.size)) ||
                      overlap(written, detail::bytes_at(parts.weights, parts.plan.weight_bytes));
  return shared ? status::overlap : status::ok;
}
/// @}

/// The first thing that is wrong with a layer, or with its use on x and y; `accumulator_overflow` last.
DYADIC_API inline status check(const any_layer& layer, const any_input& x, const any_output& y) noexcept {
  return detail::check_halves(layer, x, y);
}

/// The outputs of a layer for these inputs, without gaps, where `data` is: what `check` takes if it takes x. Without data it is
/// their shape, for who is to make room. Returns no elements for a layer that is none, and for sizes that `check` refuses.
DYADIC_API constexpr any_output output_of(const any_layer& layer, const any_input& x, void* data = nullptr) noexcept {
  const detail::layer_parts& parts = layer.parts;
  const detail::kind_functions* const kind = parts.plan.kind;
  if (kind == nullptr) return {};
  const index_t n = x.shape().n(), h = x.shape().h(), w = x.shape().w();
  if (kind->op == layer_op::linear) return {kind->y, data, n, parts.record.channels};
  const bool is_transposed = kind->op == layer_op::transposed_conv2d;
  const auto may_be = [&](index_t size, const window1d& axis) {
    return size >= 0 && size <= detail::size_limit / (is_transposed ? axis.stride : 1);
  };
  const window2d& window = parts.window;
  const bool is_sound = (is_transposed ? check_transposed(window) : check(window)) == status::ok;
  if (!is_sound || !may_be(h, window.y) || !may_be(w, window.x)) return {};
  const auto side = [&](index_t size, const window1d& axis) {
    return is_transposed ? transposed_size(size, axis) : forward_size(size, axis);
  };
  return {kind->y, data, n, side(h, window.y), side(w, window.x), parts.record.channels};
}

/// Computes what the options say of y. The workspace has `workspace_bytes` of the kinds. Requires: check(layer, x, y) is ok, or
/// `accumulator_overflow`, the ranges are within y, and channels begin at a multiple of channel_step(layer).
DYADIC_API inline void run(const any_layer& layer, const any_input& x, const any_output& y,
                           const run_options& options = {}) noexcept {
  const detail::kind_functions* const kind = layer.parts.plan.kind;
  const index_t count = layer.parts.record.channels;
  const channel_range channels = detail::within(options.channels, count);
  DYADIC_ASSERT(kind != nullptr && x.type() == kind->x && y.type() == kind->y);
  DYADIC_ASSERT(0 <= channels.begin && channels.begin <= channels.end && channels.end <= count);
  DYADIC_ASSERT(options.workspace.empty() || options.workspace.size() >= kind->workspace_bytes);
  const run_options some{detail::within(options.rows, y.rows()), channels, options.workspace};
  if (channels.size() > 0) kind->run(layer.parts, x, y, some);
}

/// What the first of a range of channels is a multiple of, as for other layers; all channels where they cannot be parted: of a
/// depthwise or transposed convolution, and of groups.
DYADIC_API constexpr index_t channel_step(const any_layer& layer) noexcept {
  const layer_op op = layer.parts.plan.kind == nullptr ? layer_op::depthwise : layer.parts.plan.kind->op;
  const bool parts = op == layer_op::linear || (op == layer_op::conv2d && layer.parts.groups == 1);
  return parts ? layer.parts.channel_step : layer.parts.record.channels;
}

/// Part `part` of `parts` of y, which are about equal: rows where there are as many, else channels. Some may be empty. Requires:
/// check_shapes(layer, x, y) is ok for some x; 0 <= part < parts.
DYADIC_API constexpr run_options part_of(const any_layer& layer, const any_output& y, index_t part, index_t parts) noexcept {
  DYADIC_ASSERT(0 <= part && part < parts && y.rows() >= 0 && y.shape().c() == layer.parts.record.channels);
  const index_t rows = y.rows();
  const index_t channels = layer.parts.record.channels;
  const index_t step = channel_step(layer) > 0 ? channel_step(layer) : 1;
  const index_t steps = (channels + step - 1) / step;
  const bool by_rows = rows >= parts || steps <= rows;
  const index_t all = by_rows ? rows : steps;
  const index_t begin = all / parts * part + (part < all % parts ? part : all % parts);
  const index_t end = begin + all / parts + (part < all % parts ? 1 : 0);
  if (by_rows) return {{begin, end}, {0, channels}};
  return {{0, rows}, {begin < steps ? begin * step : channels, end < steps ? end * step : channels}};
}

}  // namespace dyadic

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
/// The program contains the listed kinds for that backend, and no other kinds. `with_best_backend` chooses between the lists of
/// several backends. The example is `tests/examples/engine.cpp`.

#include <dyadic/detail/kind_choice.hpp>

namespace dyadic {

/// A handle of a layer that `layer_kinds` has prepared. It points to its arena, and to its weights if they are not packed in the
/// arena. `check`, `check_shapes`, `check_memory` and `run` take it like other layers, but not in constant expressions. The
/// checks return why a layer is not prepared.
struct any_layer {
  detail::layer_parts parts;  ///< set by `prepare`
};

namespace detail {

/// Computes the sizes of the weights and of the pieces of the arena. Returns `negative_size`, `bad_window` or `size_overflow` if
/// the description has no valid sizes.
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

/// Returns true if the plan of a layer agrees with its kind and its sizes, and the arena is not null. Every layer that `prepare`
/// has made passes.
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

}  // namespace detail

/// The kinds of layers that a program links, for one backend.
class layer_kinds {
 public:
  DYADIC_API constexpr layer_kinds() noexcept = default;                                        ///< no kinds
  DYADIC_API constexpr explicit layer_kinds(status why_none) noexcept : why_none_{why_none} {}  ///< no kinds: `bytes` says why
  /// Takes the kinds of `layer_kinds_of`.
  DYADIC_API constexpr explicit layer_kinds(view<const detail::kind_functions> all) noexcept : all_{all} {}

  /// Counts the bytes that a layer needs in its arena: constants, multipliers, and weights if the backend packs them. Reads the
  /// sizes of the description, but none of its pointers. Returns `unknown_kind` if no kind has the operator, the types and the
  /// scheme of the description. Returns `ambiguous_scheme` if the description names no scheme, and kinds with its operator and
  /// types have different schemes. A description without scheme and multipliers takes the kind of raw sums. Also returns
  /// `negative_size`, `bad_window`, and `size_overflow` if a size exceeds index_t.
  DYADIC_API constexpr result<index_t> bytes(const layer_spec& spec) const noexcept {
    const auto plan = plan_of(spec);
    return {plan.value.size, plan.status};
  }
  /// Returns a sentence that says which part of a description no kind has: the operator, the types or the scheme. It belongs to
  /// `unknown_kind`, beside `to_string` of the description. Reads no pointer of the description. Never null.
  DYADIC_API constexpr const char* missing(const layer_spec& spec) const noexcept { return detail::missing_part(all_, spec); }
  /// Adds `bytes` of all layers of a network. Returns the error of the view of descriptions, the status of the first layer for
  /// which `bytes` fails, or `size_overflow`.
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
  /// Counts the bytes of a workspace that is large enough for `run` of every kind. Returns 1 if the backend needs none.
  DYADIC_API constexpr index_t workspace_bytes() const noexcept { return all_.empty() ? 1 : all_[0].workspace_bytes; }
  /// Prepares a layer in the first `bytes` of an arena. Returns a status of `bytes`, `arena_misaligned` or `arena_too_small`, and
  /// writes nothing. Returns `overlap`, and writes nothing, if the bytes share memory with the description or with an array that
  /// it points to. Otherwise returns the first error in the weights, the bias, the zero points, the multipliers or the range. The
  /// arena may then hold any bytes. Does not return `accumulator_overflow`, which `check` returns.
  DYADIC_API result<any_layer> prepare(const layer_spec& spec, view<unsigned char> arena) const noexcept {
    const auto plan = plan_of(spec);
    if (plan.status != status::ok) return refuse(plan.status);
    if (const status s = detail::check_arena(arena, plan.value.size); s != status::ok) return refuse(s);
    if (const status s = check(spec.bias); s != status::ok) return refuse(s);
    const bool is_scaled = plan.value.kind->multiplier_size != 0;
    if (const status s = spec.multipliers.check(is_scaled ? spec.channels : 0); s != status::ok) return refuse(s);
    const view<unsigned char> piece{arena.data(), plan.value.size};
    const auto weights = detail::bytes_at(spec.weights, plan.value.weight_bytes);
    const bool shared = overlap(piece, weights) || overlap(piece, spec.bias) || overlap(piece, spec.multipliers) ||
                        overlap(piece, view<const layer_spec>{&spec, 1});
    if (shared) return refuse(status::overlap);
    any_layer layer{{piece.data(), spec.weights, plan.value, {}, spec.range, spec.window, spec.groups}};
    status s = plan.value.kind->fold(spec, piece.data(), layer.parts);
    if (s == status::ok) s = plan.value.kind->pack(spec, piece.data(), layer.parts);
    return s == status::ok ? result<any_layer>{layer, s} : refuse(s);
  }
  /// Prepares all layers of a network in one piece of the arena after another. Writes nothing if it returns the error of a view,
  /// a status of `network_bytes`, `shape_mismatch` or `overlap`. `shape_mismatch`: the numbers of layers and of descriptions
  /// differ. `overlap`: the pieces share memory with the descriptions or the layers. Otherwise returns the status of the first
  /// layer that cannot be prepared. The arena and the layers from there on may then hold anything.
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
  DYADIC_API static result<any_layer> refuse(status s) noexcept {
    any_layer layer;
    layer.parts.prepared = s;
    return {layer, s};
  }
  /// Plans a layer for the kind that has its operator, types and scheme.
  DYADIC_API constexpr result<detail::layer_plan> plan_of(const layer_spec& spec) const noexcept {
    if (all_.empty()) return {{}, why_none_};
    const auto kind = detail::choose_kind(all_, spec);
    return kind.status == status::ok ? detail::plan_layer(*kind.value, spec) : result<detail::layer_plan>{{}, kind.status};
  }

  view<const detail::kind_functions> all_;
  status why_none_ = status::unknown_kind;
};

inline namespace DYADIC_ISA {

/// The kinds `kind<Op, X, W, Scheme, Y>`, compiled for a backend. A program that chooses its backend when it runs calls this
/// function in `with_best_backend`.
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

/// Check the shapes and the memory, like the halves of `check` for other layers. For a layer that `prepare` has refused they
/// return the status of `prepare`. `check_shapes` returns `type_mismatch` if x or y have other elements than the layer. It
/// returns `arena_too_small` if a number in the layer is not what `prepare` has stored. A linear layer reads and writes matrices.
/// @{
DYADIC_API inline status check_shapes(const any_layer& layer, const any_input& x, const any_output& y) noexcept {
  const detail::kind_functions* const kind = layer.parts.plan.kind;
  if (kind == nullptr) return layer.parts.prepared;
  if (!detail::holds_pieces(layer.parts)) return status::arena_too_small;
  if (x.type() != kind->x || y.type() != kind->y) return status::type_mismatch;
  if (kind->op == layer_op::linear && (!x.is_matrix() || !y.is_matrix())) return status::shape_mismatch;
  return kind->check(layer.parts, x, y);
}
DYADIC_API inline status check_memory(const any_layer& layer, const any_input& x, const any_output& y) noexcept {
  if (layer.parts.plan.kind == nullptr) return layer.parts.prepared;
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

/// Returns the first error in a layer, or in its use on x and y. Returns `accumulator_overflow` only if there is no other error.
DYADIC_API inline status check(const any_layer& layer, const any_input& x, const any_output& y) noexcept {
  return detail::check_halves(layer, x, y);
}

/// Returns the least and the greatest accumulator that the weights, the bias and the zero points of a layer allow for any input.
/// Returns zeros for a layer that is not prepared.
DYADIC_API constexpr accumulator_range bound_of(const any_layer& layer) noexcept { return layer.parts.record.bound; }

/// Returns a view at `data` of the outputs of a layer for inputs x, without gaps. `check` accepts this view if it accepts x. If
/// `data` is null, the view is the shape for which the caller allocates memory. Returns no elements for a layer that is not
/// prepared, or for a window that is not valid. Returns no elements for image sizes that are negative or too large.
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

/// Computes the part of y that the options name. The workspace is empty or has `workspace_bytes` of the kinds. Requires:
/// check(layer, x, y) is ok or `accumulator_overflow`, the ranges are within y, and channels begin at a multiple of
/// channel_step(layer).
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

/// Returns the step of channel ranges: a range begins at a multiple of this step, as for other layers. The step is the number of
/// channels if a layer cannot be divided: depthwise, transposed, and convolutions with groups.
DYADIC_API constexpr index_t channel_step(const any_layer& layer) noexcept {
  const layer_op op = layer.parts.plan.kind == nullptr ? layer_op::depthwise : layer.parts.plan.kind->op;
  const bool parts = op == layer_op::linear || (op == layer_op::conv2d && layer.parts.groups == 1);
  return parts ? layer.parts.channel_step : layer.parts.record.channels;
}

/// Returns part `part` of `parts` nearly equal parts of y. Divides the rows if y has at least `parts` rows, or no fewer rows than
/// channel steps. Otherwise divides the channels. Some parts may be empty. Requires: check_shapes(layer, x, y) is ok for some x;
/// 0 <= part < parts.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An operator without weights whose types, rule, scales and backend are known only when the program runs. Opt-in. Floor 6.
///
///   constexpr auto rules = q::operator_kinds_of<q::native, q::tflite::add<std::int8_t>, q::tflite::softmax<std::int8_t>>();
///
///   q::binary_spec spec;  // or a pool_spec, mean_spec, activation_spec, resize_spec, softmax_spec, norm_spec
///   const auto bytes = rules.bytes(spec);
///   const q::any_binary add = rules.prepare(spec, arena).value;
///   if (check(add, a, b, y) == q::status::ok) run(add, a, b, y);
///
/// The program contains the listed rules for the listed backend, and no others. The rule of an average pool is an
/// `average_output`. Other pools and extremes over axes are named by their layers, `pool_layer<maximum<X>>` and
/// `extreme_layer<minimum<X>>`.

#include <dyadic/detail/operator_kind.hpp>

namespace dyadic {

/// A handle of an operator that `operator_kinds` has prepared from a description. It points to its arena. `check` returns why it
/// is not prepared.
template <class Spec>
struct any_operator {
  detail::operator_parts parts;  ///< set by `prepare`
};

using any_binary = any_operator<binary_spec>;          ///< a function of two elements: run(op, a, b, y)
using any_activation = any_operator<activation_spec>;  ///< a function of one element: run(op, x, y)
using any_pool = any_operator<pool_spec>;              ///< a pool: run(op, x, y)
using any_mean = any_operator<mean_spec>;              ///< a mean, a sum or an extreme over axes: run(op, x, y)
using any_resize = any_operator<resize_spec>;          ///< a resize of images: run(op, x, y)
using any_softmax = any_operator<softmax_spec>;        ///< a softmax over the channels: run(op, x, y)
using any_norm = any_operator<norm_spec>;              ///< a norm over the channels: run(op, x, y)

namespace detail {

/// Returns the operator and the types that a description names.
/// @{
struct operator_types {
  operator_id op;
  element_type x;
  element_type y;
};
DYADIC_API constexpr operator_types types_of(const binary_spec& s) noexcept {
  const bool compares = s.op >= operator_id::equal && s.op <= operator_id::less_equal;
  return {s.op, s.type, compares ? element_type::uint8 : s.type};
}
DYADIC_API constexpr operator_types types_of(const activation_spec& s) noexcept { return {s.op, s.x, s.y}; }
DYADIC_API constexpr operator_types types_of(const pool_spec& s) noexcept { return {s.op, s.type, s.type}; }
DYADIC_API constexpr operator_types types_of(const mean_spec& s) noexcept { return {s.op, s.type, s.type}; }
DYADIC_API constexpr operator_types types_of(const resize_spec& s) noexcept { return {s.op, s.type, s.type}; }
DYADIC_API constexpr operator_types types_of(const softmax_spec& s) noexcept { return {s.op, s.x, s.y}; }
DYADIC_API constexpr operator_types types_of(const norm_spec& s) noexcept { return {s.op, s.type, s.type}; }
/// @}

/// Returns true if a description of this type may have the operator.
/// @{
DYADIC_API constexpr bool may_have(const binary_spec&, operator_id op) noexcept { return takes_two(op); }
DYADIC_API constexpr bool may_have(const activation_spec&, operator_id op) noexcept { return takes_one(op); }
DYADIC_API constexpr bool may_have(const pool_spec&, operator_id op) noexcept {
  return op == operator_id::average_pool || op == operator_id::max_pool || op == operator_id::min_pool;
}
DYADIC_API constexpr bool may_have(const mean_spec&, operator_id op) noexcept {
  return op == operator_id::mean || op == operator_id::sum || op == operator_id::add_n || op == operator_id::reduce_max ||
         op == operator_id::reduce_min;
}
DYADIC_API constexpr bool may_have(const resize_spec&, operator_id op) noexcept {
  return op == operator_id::resize_bilinear || op == operator_id::resize_nearest;
}
DYADIC_API constexpr bool may_have(const softmax_spec&, operator_id op) noexcept {
  return op == operator_id::softmax || op == operator_id::log_softmax;
}
DYADIC_API constexpr bool may_have(const norm_spec&, operator_id op) noexcept {
  return op >= operator_id::l2_norm && op <= operator_id::rms_norm;
}
template <class Spec>
DYADIC_API constexpr bool may_have(const Spec&, operator_id) noexcept {
  return true;
}
/// @}

/// Returns why an operator is not prepared, or `type_mismatch` if a tensor has other elements than its rule.
DYADIC_API inline status check_types(const operator_parts& parts, const any_output& y, const any_input& a,
                                     const any_input& b) noexcept {
  if (parts.kind == nullptr) return parts.prepared;
  const bool fit = y.type() == parts.kind->y && a.type() == parts.kind->x && b.type() == parts.kind->b;
  return fit ? status::ok : status::type_mismatch;
}

/// Returns true if y overlaps the arena of a prepared operator.
DYADIC_API inline bool overlaps_arena(const operator_parts& parts, const any_output& y) noexcept {
  const index_t size = y.measure();
  return size > 0 && overlap(bytes_at(y.data(), size), bytes_at(parts.arena, parts.kind->bytes));
}

}  // namespace detail

/// The rules of operators without weights that a program links, for one backend.
class operator_kinds {
 public:
  DYADIC_API constexpr operator_kinds() noexcept = default;                                        ///< no rules
  DYADIC_API constexpr explicit operator_kinds(status why_none) noexcept : why_none_{why_none} {}  ///< no rules: `bytes` says why
  /// Takes the rules of `operator_kinds_of`.
  DYADIC_API constexpr explicit operator_kinds(view<const detail::operator_functions> all) noexcept : all_{all} {}

  /// Counts the bytes that an operator needs in its arena, a multiple of `arena_alignment`. Returns `unknown_kind` if no rule has
  /// the operator and the types of the description, or if it is not the rule that the description names. Returns
  /// `ambiguous_scheme` if the description names no rule, and several rules have its operator and its types.
  template <class Spec>
  DYADIC_API constexpr result<index_t> bytes(const Spec& spec) const noexcept {
    const auto kind = kind_of(spec);
    return {kind.status == status::ok ? kind.value->bytes : 0, kind.status};
  }
  /// Prepares an operator in the first `bytes` of an arena. Returns a status of `bytes`, an error of the view, `arena_misaligned`
  /// or `arena_too_small`, and writes nothing. Otherwise returns the first error of the rule's derivation, or of its numbers. The
  /// arena may then hold any bytes, and the operator cannot run. `accumulator_overflow` is left to `check`.
  template <class Spec>
  DYADIC_API result<any_operator<Spec>> prepare(const Spec& spec, view<unsigned char> arena) const noexcept {
    const auto kind = kind_of(spec);
    if (kind.status != status::ok) return refuse<Spec>(kind.status);
    if (const status s = detail::check_arena(arena, kind.value->bytes); s != status::ok) return refuse<Spec>(s);
    if (overlap(view<unsigned char>{arena.data(), kind.value->bytes}, view<const Spec>{&spec, 1}))
      return refuse<Spec>(status::overlap);
    const status s = kind.value->prepare(&spec, arena.data());
    if (!may_run(s)) return refuse<Spec>(s);
    return {{{kind.value, arena.data(), status::ok}}, status::ok};
  }

 private:
  template <class Spec>
  DYADIC_API static constexpr result<any_operator<Spec>> refuse(status s) noexcept {
    return {{{nullptr, nullptr, s}}, s};
  }
  /// Returns the rule that has the operator and the types, and is the rule that the description names.
  template <class Spec>
  DYADIC_API constexpr result<const detail::operator_functions*> kind_of(const Spec& spec) const noexcept {
    if (all_.empty()) return {nullptr, why_none_};
    const detail::operator_types types = detail::types_of(spec);
    if (!detail::may_have(spec, types.op)) return {nullptr, status::unknown_kind};
    const detail::operator_functions* found = nullptr;
    for (const detail::operator_functions& kind : all_) {
      const bool is_it = kind.op == types.op && kind.x == types.x && kind.y == types.y;
      if (!is_it || (spec.rule != scheme_id{} && spec.rule != kind.rule)) continue;
      if (found != nullptr && found->rule != kind.rule) return {nullptr, status::ambiguous_scheme};
      found = &kind;
    }
    return {found, found == nullptr ? status::unknown_kind : status::ok};
  }

  view<const detail::operator_functions> all_;
  status why_none_ = status::unknown_kind;
};

inline namespace DYADIC_ISA {

/// The rules, compiled for a backend. A program that chooses its backend when it runs calls this function in
/// `with_best_backend`, or `best_operator_kinds`.
template <class Backend, class... Rules>
constexpr operator_kinds operator_kinds_of() noexcept {
  if constexpr (detail::takes_backend<Backend>())
    return operator_kinds{detail::operator_table<Backend, Rules...>};
  else
    return operator_kinds{};
}

}  // namespace DYADIC_ISA

/// Check the shapes and the memory, like the halves of `check` for other layers. For an operator that `prepare` has refused they
/// return the status of `prepare`. `check_shapes` returns `type_mismatch` if a tensor has other elements than the rule. Matrices
/// are images of one pixel. `check_memory` returns `overlap` also if y overlaps the arena.
/// @{
DYADIC_API inline status check_shapes(const any_binary& op, const any_input& a, const any_input& b,
                                      const any_output& y) noexcept {
  const status s = detail::check_types(op.parts, y, a, b);
  return s == status::ok ? op.parts.kind->check_shapes(op.parts.arena, a, b, y) : s;
}
DYADIC_API inline status check_memory(const any_binary& op, const any_input& a, const any_input& b,
                                      const any_output& y) noexcept {
  status s = detail::check_types(op.parts, y, a, b);
  if (s == status::ok) s = op.parts.kind->check_memory(op.parts.arena, a, b, y);
  return s == status::ok && detail::overlaps_arena(op.parts, y) ? status::overlap : s;
}
template <class Spec>
DYADIC_API status check_shapes(const any_operator<Spec>& op, const any_input& x, const any_output& y) noexcept {
  const status s = detail::check_types(op.parts, y, x, x);
  return s == status::ok ? op.parts.kind->check_shapes(op.parts.arena, x, x, y) : s;
}
template <class Spec>
DYADIC_API status check_memory(const any_operator<Spec>& op, const any_input& x, const any_output& y) noexcept {
  status s = detail::check_types(op.parts, y, x, x);
  if (s == status::ok) s = op.parts.kind->check_memory(op.parts.arena, x, x, y);
  return s == status::ok && detail::overlaps_arena(op.parts, y) ? status::overlap : s;
}
/// @}

/// Return the first error in an operator, or in its use on these tensors. `accumulator_overflow` is last.
/// @{
DYADIC_API inline status check(const any_binary& op, const any_input& a, const any_input& b, const any_output& y) noexcept {
  return detail::check_halves(op, a, b, y);
}
template <class Spec>
DYADIC_API status check(const any_operator<Spec>& op, const any_input& x, const any_output& y) noexcept {
  static_assert(!std::is_same_v<Spec, binary_spec>, "an operator with two inputs is checked by check(op, a, b, y)");
  return detail::check_halves(op, x, y);
}
/// @}

/// Compute y, or the rows of y that the options name: n * h rows of images. Requires: check is ok or `accumulator_overflow`, the
/// rows are within y, and the options name all channels. No operator uses the workspace.
/// @{
DYADIC_API inline void run(const any_binary& op, const any_input& a, const any_input& b, const any_output& y,
                           const run_options& options = {}) noexcept {
  DYADIC_ASSERT(op.parts.kind != nullptr && a.type() == op.parts.kind->x && y.type() == op.parts.kind->y);
  op.parts.kind->run(op.parts.arena, a, b, y, options);
}
template <class Spec>
DYADIC_API void run(const any_operator<Spec>& op, const any_input& x, const any_output& y,
                    const run_options& options = {}) noexcept {
  static_assert(!std::is_same_v<Spec, binary_spec>, "an operator with two inputs is run by run(op, a, b, y)");
  DYADIC_ASSERT(op.parts.kind != nullptr && x.type() == op.parts.kind->x && y.type() == op.parts.kind->y);
  op.parts.kind->run(op.parts.arena, x, x, y, options);
}
/// @}

}  // namespace dyadic

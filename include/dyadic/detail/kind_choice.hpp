// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Chooses the kind of a described layer from a list of kinds. Floor 6.

#include <dyadic/detail/any_kind.hpp>

namespace dyadic::detail {

/// Returns true if a kind has the types of a description.
DYADIC_API constexpr bool has_types(const kind_functions& kind, const layer_spec& spec) noexcept {
  return kind.x == spec.x && kind.w == spec.w && kind.y == spec.y;
}

/// Returns true if a kind has the scheme of a description, or if the description names no scheme.
DYADIC_API constexpr bool has_scheme(const kind_functions& kind, const layer_spec& spec) noexcept {
  return spec.scheme == scheme_id{} || spec.scheme == kind.scheme;
}

/// Returns the kind that has the operator, the types and the scheme of a description, or `unknown_kind`. If the description names
/// no scheme and has no multipliers, a kind of raw sums comes first. Returns `ambiguous_scheme` if it names no scheme and the
/// schemes of the kinds with its operator and types differ.
DYADIC_API constexpr result<const kind_functions*> choose_kind(view<const kind_functions> all, const layer_spec& spec) noexcept {
  const kind_functions* found = nullptr;
  bool differ = false;
  for (const kind_functions& kind : all) {
    if (kind.op != spec.op || !has_types(kind, spec) || !has_scheme(kind, spec)) continue;
    if (kind.scheme == scheme_id{} && spec.multipliers.size() == 0) return {&kind, status::ok};
    differ = differ || (found != nullptr && kind.scheme != found->scheme);
    found = &kind;
  }
  return {found, differ ? status::ambiguous_scheme : found == nullptr ? status::unknown_kind : status::ok};
}

/// Says which part of a description no kind has.
DYADIC_API constexpr const char* missing_part(view<const kind_functions> all, const layer_spec& spec) noexcept {
  const status chosen = choose_kind(all, spec).status;
  if (chosen == status::ok) return "a kind has this operator, these types and this scheme";
  if (chosen == status::ambiguous_scheme) return "kinds of this operator and these types have different schemes";
  const char* missing = "no kind has this operator";
  for (const kind_functions& kind : all) {
    if (kind.op != spec.op) continue;
    if (has_types(kind, spec)) return "no kind of this operator and these types has this scheme";
    missing = "no kind of this operator has these types";
  }
  return missing;
}

}  // namespace dyadic::detail

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

/// Returns the first kind that has the operator, the types and the scheme of a description, or null.
DYADIC_API constexpr const kind_functions* choose_kind(view<const kind_functions> all, const layer_spec& spec) noexcept {
  for (const kind_functions& kind : all)
    if (kind.op == spec.op && has_types(kind, spec) && has_scheme(kind, spec)) return &kind;
  return nullptr;
}

/// Says which part of a description no kind has.
DYADIC_API constexpr const char* missing_part(view<const kind_functions> all, const layer_spec& spec) noexcept {
  if (choose_kind(all, spec) != nullptr) return "a kind has this operator, these types and this scheme";
  const char* missing = "no kind has this operator";
  for (const kind_functions& kind : all) {
    if (kind.op != spec.op) continue;
    if (has_types(kind, spec)) return "no kind of this operator and these types has this scheme";
    missing = "no kind of this operator has these types";
  }
  return missing;
}

}  // namespace dyadic::detail

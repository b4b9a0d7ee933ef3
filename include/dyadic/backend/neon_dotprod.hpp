#pragma once
/// \file
/// The backend for the dot products of A64. Floor 4.

#include <dyadic/backend/neon.hpp>

namespace dyadic::backend {
/// A64 with the dot products of Armv8.2.
struct neon_dotprod {
  using fallback = neon;
  static constexpr const char* name = "neon_dotprod";
};
}  // namespace dyadic::backend

DYADIC_BEGIN_DOTPROD
namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_neon_dotprod {

/// The vectors of sums of one row by a panel.
constexpr int panel_vectors = 4;

#include <dyadic/backend/neon.inc>

#include <dyadic/scheme/formula.inc>

#include <dyadic/backend/rescale.inc>

#include <dyadic/backend/neon_tile.inc>

#include <dyadic/backend/neon_dot.inc>

#include <dyadic/backend/layers.inc>

}  // namespace over_neon_dotprod
}  // namespace DYADIC_ISA
}  // namespace dyadic
DYADIC_END_DOTPROD

namespace dyadic {

template <class Op>
struct kernel<backend::neon_dotprod, Op> : detail::over_lanes<backend::neon_dotprod, Op, over_neon_dotprod::layers> {};
template <class X, class W>
inline constexpr weight_order order_of<backend::neon_dotprod, X, W> = over_neon_dotprod::layers::order<X, W>();

}  // namespace dyadic

#pragma once
/// \file
/// The backend for NEON, 128-bit vectors of A64, and of A32 where the file's flags allow them. Floor 4.

#include <dyadic/pack.hpp>

#include <arm_neon.h>

namespace dyadic::backend {
/// Arm with NEON: every A64, and A32 with -mfpu=neon.
struct neon {
  using fallback = scalar;
  static constexpr const char* name = "neon";
};
}  // namespace dyadic::backend

namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_neon {

/// The vectors of sums of one row by a panel.
constexpr int panel_vectors = 2;

#include <dyadic/backend/neon.inc>

#include <dyadic/scheme/formula.inc>

#include <dyadic/backend/rescale.inc>

#include <dyadic/backend/neon_tile.inc>

#include <dyadic/backend/neon_bytes.inc>

#include <dyadic/backend/layers.inc>

#include <dyadic/backend/neon_depthwise.inc>

}  // namespace over_neon
}  // namespace DYADIC_ISA

template <class Op>
struct kernel<backend::neon, Op>
    : detail::over_lanes<backend::neon, Op, over_neon::layers, over_neon::rescale, over_neon::weight_sums, over_neon::depthwise> {
};
template <class X, class W>
inline constexpr weight_order order_of<backend::neon, X, W> = over_neon::layers::order<X, W>();

}  // namespace dyadic

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

template <class X, class W>
using products_of = singles_of<W>;

#include <dyadic/backend/layers.inc>

}  // namespace over_neon
}  // namespace DYADIC_ISA

template <>
struct kernel<backend::neon, op::rescale> : detail::rescale_over_lanes<backend::neon, over_neon::kernels> {};

template <class X, class W>
inline constexpr weight_order order_of<backend::neon, X, W> = over_neon::layers::order<X, W>();
template <>
struct kernel<backend::neon, op::linear> : detail::layer_over_lanes<backend::neon, op::linear, over_neon::layers> {};
template <>
struct kernel<backend::neon, op::weight_sums> : detail::weight_sums_over_lanes<backend::neon, over_neon::weight_sums> {};
template <>
struct kernel<backend::neon, op::conv2d> : detail::layer_over_lanes<backend::neon, op::conv2d, over_neon::layers> {};
template <>
struct kernel<backend::neon, op::transposed_conv2d>
    : detail::layer_over_lanes<backend::neon, op::transposed_conv2d, over_neon::layers> {};

}  // namespace dyadic

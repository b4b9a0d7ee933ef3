// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for Helium, the 128-bit vectors of the M-profile, with floating point. Floor 4.

#include <dyadic/backend/contract.hpp>

#include <arm_mve.h>

static_assert(dyadic::is_little_endian, "the vectors of Arm are for little-endian machines: others run backend::scalar");

namespace dyadic::backend {
/// Armv8.1-M with vectors: Cortex-M55 and newer.
struct mve {
  using fallback = scalar;                    ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "mve";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_mve {

#define DYADIC_REGION_LANES <dyadic/backend/mve/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/mve/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/mve/depthwise.inc>
#define DYADIC_REGION_COMPACT <dyadic/backend/mve/compact.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_mve
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

namespace dyadic {

template <class Op>
struct kernel<backend::mve, Op> : detail::kernel_in<backend::mve, Op, detail::over_mve::compact_kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::mve, X, W> = detail::over_mve::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::mve> =
    detail::over_mve::kernels::workspace_bytes + detail::over_mve::workspace_alignment;

}  // namespace dyadic

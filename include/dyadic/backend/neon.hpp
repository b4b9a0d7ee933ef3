// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for NEON, 128-bit vectors of A64, and of A32 where the file's flags allow them. Floor 4.

#include <dyadic/backend/contract.hpp>

#include <arm_neon.h>

static_assert(dyadic::is_little_endian, "the vectors of Arm are for little-endian machines: others run backend::scalar");

namespace dyadic::backend {
/// Arm with NEON: every A64, and A32 with -mfpu=neon.
struct neon {
  using fallback = scalar;                     ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "neon";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_neon {

/// NR, in vectors of accumulators.
constexpr int nr_vectors = 2;

#define DYADIC_REGION_LANES <dyadic/backend/neon/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS DYADIC_NEON_MICRO_KERNELS
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/neon/depthwise.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_neon
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

namespace dyadic {

template <class Op>
struct kernel<backend::neon, Op> : detail::kernel_in<backend::neon, Op, detail::over_neon::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::neon, X, W> = detail::over_neon::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::neon> =
    detail::over_neon::kernels::workspace_bytes + detail::over_neon::workspace_alignment;

}  // namespace dyadic

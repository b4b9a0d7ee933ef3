// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for the matrix products of bytes of A64. Floor 4.

#include <dyadic/backend/neon_dotprod.hpp>

namespace dyadic::backend {
/// A64 with the matrix products of Armv8.6.
struct neon_i8mm {
  using fallback = neon_dotprod;                    ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "neon_i8mm";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

DYADIC_BEGIN_I8MM
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_neon_i8mm {

/// NR, in vectors of accumulators.
constexpr int nr_vectors = 4;

#define DYADIC_REGION_LANES <dyadic/backend/neon/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/neon/i8mm.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_neon_i8mm
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_I8MM

namespace dyadic {

template <class Op>
struct kernel<backend::neon_i8mm, Op> : detail::kernel_in<backend::neon_i8mm, Op, detail::over_neon_i8mm::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::neon_i8mm, X, W> = detail::over_neon_i8mm::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::neon_i8mm> =
    detail::over_neon_i8mm::kernels::workspace_bytes + detail::over_neon_i8mm::workspace_alignment;

}  // namespace dyadic

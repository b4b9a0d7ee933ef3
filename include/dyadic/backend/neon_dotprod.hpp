// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for the dot products of A64. Floor 4.

#include <dyadic/backend/neon.hpp>

namespace dyadic::backend {
/// A64 with the dot products of Armv8.2.
struct neon_dotprod {
  using fallback = neon;                               ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "neon_dotprod";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

DYADIC_BEGIN_DOTPROD
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_neon_dotprod {

/// NR, in vectors of accumulators.
constexpr int nr_vectors = 4;

#define DYADIC_REGION_LANES <dyadic/backend/neon/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/neon/dotprod.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_neon_dotprod
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_DOTPROD

namespace dyadic {

template <class Op>
struct kernel<backend::neon_dotprod, Op> : detail::kernel_in<backend::neon_dotprod, Op, detail::over_neon_dotprod::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::neon_dotprod, X, W> = detail::over_neon_dotprod::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::neon_dotprod> =
    detail::over_neon_dotprod::kernels::workspace_bytes + detail::over_neon_dotprod::workspace_alignment;

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for SSE4.1, 128-bit vectors. Floor 4.

#include <dyadic/backend/contract.hpp>
#include <dyadic/backend/wide/panel_kernel.hpp>
#include <dyadic/backend/x86/sum_int16.hpp>

#include <smmintrin.h>

static_assert(dyadic::regions_cover_lambdas<void>);

namespace dyadic::backend {
/// x86 with SSE4.1 (2008).
struct sse41 {
  using fallback = scalar;                      ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "sse41";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("sse4.1")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_sse41 {

#define DYADIC_REGION_LANES <dyadic/backend/x86/sse41.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_block.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_sse41
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::sse41, Op> : detail::kernel_in<backend::sse41, Op, detail::over_sse41::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::sse41, X, W> = detail::over_sse41::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::sse41> =
    detail::over_sse41::kernels::workspace_bytes + detail::over_sse41::workspace_alignment;

}  // namespace dyadic

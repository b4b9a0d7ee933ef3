// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for AVX2 and FMA, 256-bit vectors. Floor 4.

#include <dyadic/backend/sse41.hpp>
#include <dyadic/scheme/fused.hpp>

#include <immintrin.h>

namespace dyadic::backend {
/// x86 with AVX2 and FMA (2013).
struct avx2 {
  using fallback = sse41;                      ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "avx2";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("avx2,fma")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_avx2 {

#define DYADIC_REGION_LANES <dyadic/backend/x86/avx2.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_block.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_avx2
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::avx2, Op> : detail::kernel_in<backend::avx2, Op, detail::over_avx2::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::avx2, X, W> = detail::over_avx2::kernels::layout<X, W>();
template <>
inline constexpr bool has_fused_products<backend::avx2> = detail::over_avx2::lanes::has_fused_products;
template <>
inline constexpr index_t workspace_size<backend::avx2> =
    detail::over_avx2::kernels::workspace_bytes + detail::over_avx2::workspace_alignment;

}  // namespace dyadic

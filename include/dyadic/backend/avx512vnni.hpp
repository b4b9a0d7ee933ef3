// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for AVX-512 with VNNI, 512-bit vectors. Floor 4.

#include <dyadic/backend/avx2.hpp>
#include <dyadic/scheme/fused.hpp>

namespace dyadic::backend {
/// x86 with AVX-512 F, BW, DQ, VL and VNNI (2019).
struct avx512vnni {
  using fallback = avx2;                             ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "avx512vnni";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_avx512vnni {

#define DYADIC_REGION_LANES <dyadic/backend/x86/avx512vnni.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_dot.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_avx512vnni
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::avx512vnni, Op> : detail::kernel_in<backend::avx512vnni, Op, detail::over_avx512vnni::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::avx512vnni, X, W> = detail::over_avx512vnni::kernels::layout<X, W>();
template <>
inline constexpr bool has_fused_products<backend::avx512vnni> = detail::over_avx512vnni::lanes::has_fused_products;
template <>
inline constexpr index_t workspace_size<backend::avx512vnni> =
    detail::over_avx512vnni::kernels::workspace_bytes + detail::over_avx512vnni::workspace_alignment;

}  // namespace dyadic

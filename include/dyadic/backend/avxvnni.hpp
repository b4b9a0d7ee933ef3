// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for AVX-VNNI, 256-bit vectors: dot products of AVX2. Floor 4.

#include <dyadic/backend/avx2.hpp>

namespace dyadic::backend {
/// x86 with AVX2 and AVX-VNNI (2021), for processors that lack AVX-512. Runs matrix products; AVX2 runs the rest.
struct avxvnni {
  using fallback = avx2;                          ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "avxvnni";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("avx2,fma")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_avx2 {
namespace over_avxvnni {

#define DYADIC_REGION_LANES <dyadic/backend/x86/avxvnni.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_dot.inc>
#include <dyadic/backend/inner_region.inc>

}  // namespace over_avxvnni
}  // namespace over_avx2
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::avxvnni, Op> : detail::kernel_in<backend::avxvnni, Op, detail::over_avx2::over_avxvnni::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::avxvnni, X, W> =
    detail::over_avx2::over_avxvnni::kernels::layout<X, W>();
template <>
inline constexpr bool has_fused_products<backend::avxvnni> = has_fused_products<backend::avx2>;
template <>
inline constexpr index_t workspace_size<backend::avxvnni> = workspace_size<backend::avx2>;

}  // namespace dyadic

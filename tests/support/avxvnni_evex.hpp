#pragma once
/// \file
/// The backend avxvnni with the two dot products of AVX-512. These dot products are the same instructions of 256 bits with
/// another prefix. A processor that has only these dot products can run the rest of avxvnni.

#include <dyadic/backend/avxvnni.hpp>
#include <dyadic/backend/cpu_features/x86.hpp>

namespace dyadic::backend {
struct avxvnni_evex {
  using fallback = avx2;
  static constexpr const char* name = "avxvnni_evex";
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("avx2")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_avx2 {
namespace over_avxvnni_evex {

#define DYADIC_REGION_LANES <support/avxvnni_evex.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/int8_dot.inc>
#include <dyadic/backend/inner_region.inc>
#undef DYADIC_AVXVNNI_EVEX_INC

}  // namespace over_avxvnni_evex
}  // namespace over_avx2
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::avxvnni_evex, Op>
    : detail::kernel_in<backend::avxvnni_evex, Op, detail::over_avx2::over_avxvnni_evex::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::avxvnni_evex, X, W> = packed_layout_of<backend::avxvnni, X, W>;
template <>
inline constexpr index_t workspace_size<backend::avxvnni_evex> = workspace_size<backend::avxvnni>;
template <>
struct runs_here<backend::avxvnni_evex> : runs_here<backend::avx512vnni> {};

}  // namespace dyadic

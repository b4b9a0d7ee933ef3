// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for WebAssembly's 128-bit vectors, where the file's flags allow them. Floor 4.

#include <dyadic/backend/contract.hpp>
#include <dyadic/backend/wide/panel_kernel.hpp>

#include <wasm_simd128.h>

namespace dyadic::backend {
/// WebAssembly with fixed-width SIMD: -msimd128 (2021).
struct wasm_simd128 {
  using fallback = scalar;                             ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "wasm_simd128";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_wasm_simd128 {

#define DYADIC_REGION_LANES <dyadic/backend/wasm/simd128.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/wide/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/wide/depthwise.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_wasm_simd128
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

namespace dyadic {

template <class Op>
struct kernel<backend::wasm_simd128, Op> : detail::kernel_in<backend::wasm_simd128, Op, detail::over_wasm_simd128::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::wasm_simd128, X, W> = detail::over_wasm_simd128::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::wasm_simd128> =
    detail::over_wasm_simd128::kernels::workspace_bytes + detail::over_wasm_simd128::workspace_alignment;

}  // namespace dyadic

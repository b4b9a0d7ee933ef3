// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend for the instructions of Armv7E-M that multiply pairs of int16. Floor 4.

#include <dyadic/backend/contract.hpp>

#include <arm_acle.h>

static_assert(dyadic::is_little_endian, "the vectors of Arm are for little-endian machines: others run backend::scalar");

namespace dyadic::backend {
/// Cortex-M4, M7 and M33, and other 32-bit Arm with these instructions.
struct dsp {
  using fallback = scalar;                    ///< runs layers for which this backend has no kernel
  static constexpr const char* name = "dsp";  ///< for people and for DYADIC_BACKEND
};
}  // namespace dyadic::backend

namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace over_dsp {

#define DYADIC_REGION_LANES <dyadic/backend/dsp/lanes.inc>
#define DYADIC_REGION_MICRO_KERNELS <dyadic/backend/dsp/micro_kernel.inc>
#define DYADIC_REGION_DEPTHWISE <dyadic/backend/dsp/depthwise.inc>
#define DYADIC_REGION_COMPACT <dyadic/backend/dsp/compact.inc>
#include <dyadic/backend/region.inc>

}  // namespace over_dsp
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

namespace dyadic {

template <class Op>
struct kernel<backend::dsp, Op> : detail::kernel_in<backend::dsp, Op, detail::over_dsp::compact_kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::dsp, X, W> = detail::over_dsp::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::dsp> =
    detail::over_dsp::kernels::workspace_bytes + detail::over_dsp::workspace_alignment;

}  // namespace dyadic

#pragma once
/// \file
/// Backends in plain C++ with odd small sizes, so that the generic code runs over them on any machine. They contain only what
/// backend/contract.hpp requires. A new instruction set begins as a copy of this folder.

#include <dyadic/backend/contract.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

namespace dyadic::backend {
/// Each tag names a set of sizes: lanes, MR x NR x KR.
/// @{
struct model_3_2x3x2 {
  using fallback = scalar;
  static constexpr const char* name = "model_3_2x3x2";
};
struct model_4_4x8x4 {
  using fallback = scalar;
  static constexpr const char* name = "model_4_4x8x4";
};
struct model_2_3x4x1 {
  using fallback = scalar;
  static constexpr const char* name = "model_2_3x4x1";
};
/// @}
}  // namespace dyadic::backend

namespace dyadic::detail {
inline namespace DYADIC_ISA {

namespace over_model_3_2x3x2 {
constexpr int model_lanes = 3, model_mr = 2, model_nr = 3, model_kr = 2, model_weight_bias = 0;
constexpr bool model_epilogue_by_rows = false;
#include "region.inc"
}  // namespace over_model_3_2x3x2

namespace over_model_4_4x8x4 {
constexpr int model_lanes = 4, model_mr = 4, model_nr = 8, model_kr = 4, model_weight_bias = 128;
constexpr bool model_epilogue_by_rows = true;
#include "region.inc"
}  // namespace over_model_4_4x8x4

namespace over_model_2_3x4x1 {
constexpr int model_lanes = 2, model_mr = 3, model_nr = 4, model_kr = 1, model_weight_bias = -128;
constexpr bool model_epilogue_by_rows = false;
#include "region.inc"
}  // namespace over_model_2_3x4x1

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail

namespace dyadic {

template <class Op>
struct kernel<backend::model_3_2x3x2, Op> : detail::kernel_in<backend::model_3_2x3x2, Op, detail::over_model_3_2x3x2::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::model_3_2x3x2, X, W> =
    detail::over_model_3_2x3x2::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::model_3_2x3x2> =
    detail::over_model_3_2x3x2::kernels::workspace_bytes + detail::over_model_3_2x3x2::workspace_alignment;

template <class Op>
struct kernel<backend::model_4_4x8x4, Op> : detail::kernel_in<backend::model_4_4x8x4, Op, detail::over_model_4_4x8x4::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::model_4_4x8x4, X, W> =
    detail::over_model_4_4x8x4::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::model_4_4x8x4> =
    detail::over_model_4_4x8x4::kernels::workspace_bytes + detail::over_model_4_4x8x4::workspace_alignment;

template <class Op>
struct kernel<backend::model_2_3x4x1, Op> : detail::kernel_in<backend::model_2_3x4x1, Op, detail::over_model_2_3x4x1::kernels> {};
template <class X, class W>
inline constexpr packed_layout packed_layout_of<backend::model_2_3x4x1, X, W> =
    detail::over_model_2_3x4x1::kernels::layout<X, W>();
template <>
inline constexpr index_t workspace_size<backend::model_2_3x4x1> =
    detail::over_model_2_3x4x1::kernels::workspace_bytes + detail::over_model_2_3x4x1::workspace_alignment;

}  // namespace dyadic

#pragma once
/// \file
/// The backend for Helium, the 128-bit vectors of the M-profile, with floating point. Floor 4.

#include <dyadic/pack.hpp>

#include <arm_mve.h>

namespace dyadic::backend {
/// Armv8.1-M with vectors: Cortex-M55 and newer.
struct mve {
  using fallback = scalar;
  static constexpr const char* name = "mve";
};
}  // namespace dyadic::backend

namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_mve {

/// What the loops over lanes ask of a machine.
struct simd {
  static void leave() noexcept {}
};

#include <dyadic/backend/mve.inc>

#include <dyadic/scheme/formula.inc>

#include <dyadic/backend/rescale.inc>

}  // namespace over_mve
}  // namespace DYADIC_ISA

template <>
struct kernel<backend::mve, op::rescale> : detail::rescale_over_lanes<backend::mve, over_mve::kernels> {};

}  // namespace dyadic

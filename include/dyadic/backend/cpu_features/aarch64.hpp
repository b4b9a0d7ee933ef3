// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The A64 backends that this machine runs, as Linux reports the processor. Floor 4.

#include <dyadic/backend/cpu_features/arm.hpp>
#include <dyadic/backend/neon_i8mm.hpp>

#include <sys/auxv.h>

namespace dyadic {

/// ASIMDDP of AT_HWCAP, by the kernel's documentation, ELF hwcaps.
template <>
struct runs_here<backend::neon_dotprod> {
  DYADIC_API static bool value() noexcept { return (getauxval(AT_HWCAP) >> 20 & 1u) != 0; }  ///< asks Linux
};
/// I8MM of AT_HWCAP2, and what neon_dotprod needs.
template <>
struct runs_here<backend::neon_i8mm> {
  DYADIC_API static bool value() noexcept {
    return runs_here<backend::neon_dotprod>::value() && (getauxval(AT_HWCAP2) >> 13 & 1u) != 0;
  }  ///< asks Linux
};

}  // namespace dyadic

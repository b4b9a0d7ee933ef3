// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether this machine runs an Arm backend, where no one can be asked: what this file's flags allow. Floor 4.

#include <dyadic/backend/cpu_features/runs_here.hpp>
#include <dyadic/native.hpp>

namespace dyadic {

/// What includes this is compiled for NEON.
template <>
struct runs_here<backend::neon> {
  DYADIC_API static constexpr bool value() noexcept { return true; }  ///< always
};

}  // namespace dyadic

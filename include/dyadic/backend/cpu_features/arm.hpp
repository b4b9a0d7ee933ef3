// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The Arm backends that this machine runs, where no operating system reports them: the compiler's flags decide. Floor 4.

#include <dyadic/backend/cpu_features/runs_here.hpp>
#include <dyadic/native.hpp>

namespace dyadic {

/// A file that includes this header is compiled for NEON.
template <>
struct runs_here<backend::neon> {
  DYADIC_API static constexpr bool value() noexcept { return true; }  ///< always
};

}  // namespace dyadic

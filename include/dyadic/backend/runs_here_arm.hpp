#pragma once
/// \file
/// Whether this machine runs an Arm backend. Floor 4.

#include <dyadic/backend/neon.hpp>
#include <dyadic/backend/runs_here.hpp>

namespace dyadic {

/// Without NEON not even this file's own code would run.
template <>
struct runs_here<backend::neon> {
  DYADIC_API static constexpr bool value() noexcept { return true; }
};

}  // namespace dyadic

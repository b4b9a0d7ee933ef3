// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backends that this machine runs. Floor 4.

#include <dyadic/dispatch.hpp>

namespace dyadic {

/// value(): true if this machine and its operating system run the backend. A backend that does not specialise this struct runs
/// where its fallback runs. A backend with requirements of its own specialises it.
template <class Backend>
struct runs_here : runs_here<typename Backend::fallback> {};

/// Portable code runs everywhere.
template <>
struct runs_here<backend::scalar> {
  DYADIC_API static constexpr bool value() noexcept { return true; }  ///< always
};

}  // namespace dyadic

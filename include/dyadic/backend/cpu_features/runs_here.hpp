// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether this machine runs a backend. Floor 4.

#include <dyadic/dispatch.hpp>

namespace dyadic {

/// value(): whether this machine and its operating system run the backend. One that says nothing itself runs where its fallback
/// does; a backend with needs of its own specialises this.
template <class Backend>
struct runs_here : runs_here<typename Backend::fallback> {};

/// Portable code runs everywhere.
template <>
struct runs_here<backend::scalar> {
  DYADIC_API static constexpr bool value() noexcept { return true; }  ///< always
};

}  // namespace dyadic

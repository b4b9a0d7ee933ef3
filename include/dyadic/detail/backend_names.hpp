// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Defines the backend `scalar` and declares all other backends. Floor 3.
///
/// A backend is an empty struct with `fallback` and `name`. `fallback` is the backend that runs operations for which this backend
/// has no kernel. A backend may be faster or slower than another, but its results are equal.

#include <dyadic/config.hpp>

#include <type_traits>

namespace dyadic {

namespace backend {
/// Portable code: defines every operation.
struct scalar {
  static constexpr const char* name = "scalar";  ///< for people and for DYADIC_BACKEND
};
// Declares the backends of backend/list.hpp. Each is defined by its own header, `dyadic/backend/<name>.hpp`.
DYADIC_BACKENDS(DYADIC_DECLARE_BACKEND)
}  // namespace backend

namespace detail {

/// True if T has a member `name`, as backends do.
template <class T, class = void>
struct is_backend : std::false_type {};
template <class T>
struct is_backend<T, std::void_t<decltype(T::name)>> : std::true_type {};

/// True if T is complete or void. The first use fixes the value for the whole file.
template <class T, class = void>
struct is_defined : std::is_void<T> {};
template <class T>
struct is_defined<T, std::void_t<char[sizeof(T)]>> : std::true_type {};

/// Returns true if the backend is defined where it is first used, or is `void`: no backend. Ends the compilation if the backend
/// is declared only.
template <class Backend>
DYADIC_API constexpr bool takes_backend() noexcept {
  static_assert(is_defined<Backend>::value,
                "a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp");
  return is_defined<Backend>::value;
}

/// The backend that the caller names, else `Default`.
template <class Backend, class Default = backend::scalar>
using backend_or = std::conditional_t<std::is_void_v<Backend>, Default, Backend>;

}  // namespace detail

}  // namespace dyadic

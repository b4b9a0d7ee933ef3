// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backends: the one that is always there, and the names of those over vectors. Floor 3.
///
/// A backend is an empty struct with `fallback`, the backend that runs what it has no kernel for, and `name`. It may be faster or
/// slower than another, never different.

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

/// Whether a type has a name, as backends do.
template <class T, class = void>
struct is_backend : std::false_type {};
template <class T>
struct is_backend<T, std::void_t<decltype(T::name)>> : std::true_type {};

/// Whether a type is complete, or void. What it says first it says in the whole file.
template <class T, class = void>
struct is_defined : std::is_void<T> {};
template <class T>
struct is_defined<T, std::void_t<char[sizeof(T)]>> : std::true_type {};

/// True, or ends the compilation if a backend is declared and not defined where it is first used. `void` is none, which is
/// allowed.
template <class Backend>
DYADIC_API constexpr bool takes_backend() noexcept {
  static_assert(is_defined<Backend>::value,
                "a backend is defined by its header, dyadic/backend/<name>.hpp, or by dyadic/native.hpp and dyadic/cpu.hpp");
  return is_defined<Backend>::value;
}

}  // namespace detail

}  // namespace dyadic

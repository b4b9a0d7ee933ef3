// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Finds the best backend of the machine on which a program runs. Roof.
///
///   const q::status s = q::with_best_backend([&](auto backend) { q::run<decltype(backend)>(layer, x, y); });
///
/// The environment variable DYADIC_BACKEND forces a backend by its name. It is read once. If no backend has this name, nothing is
/// called, and the status is `unknown_backend`. If this machine does not run the backend, nothing is called, and the status is
/// `backend_unavailable`. In both cases `best_backend().value` is this name. An engine that calls often keeps a pointer:
///
///   void (*run)(const layer_type&, const input_view&, const output_view&) = nullptr;
///   s = q::with_best_backend([&](auto backend) { run = &q::run<decltype(backend)>; });
///
/// The template arguments are backends that are compiled in, the best first: `with_best_backend<avx2, scalar>`. A single backend
/// stands for itself and its fallbacks down to scalar. An empty list stands for all backends of this processor.

#include <dyadic/config.hpp>
#include <dyadic/status.hpp>

#include DYADIC_BEST_HEADER

#include <cstdlib>

namespace dyadic {

namespace detail {

/// The backends from which a program chooses, the best first.
template <class... Backends>
struct backend_list {
  template <class Function>
  DYADIC_API static constexpr void for_each(Function& f) {
    if constexpr ((takes_backend<Backends>() && ...)) (f(Backends{}, runs_here<Backends>::value()), ...);
  }
  /// Calls f(backend) with the backend at place `number` of the list.
  template <class Function>
  DYADIC_API static constexpr void call([[maybe_unused]] int number, [[maybe_unused]] Function& f) {
    constexpr bool returns_nothing = (std::is_void_v<decltype(f(Backends{}))> && ...);
    static_assert(returns_nothing, "what with_best_backend calls returns nothing: keep a status in a variable outside");
    if constexpr (returns_nothing) ((number-- == 0 ? f(Backends{}) : void()), ...);
  }
};

/// The list of a backend and its fallbacks, after the backends `Above`.
template <class Backend, class... Above>
struct backend_and_fallbacks : backend_and_fallbacks<typename Backend::fallback, Above..., Backend> {};
template <class... Above>
struct backend_and_fallbacks<backend::scalar, Above...> {
  using type = backend_list<Above..., backend::scalar>;
};

/// The list for the template arguments of a function.
template <class... Backends>
struct backends_of {
  using type = backend_list<Backends...>;
};
template <class Best, bool is_defined = takes_backend<Best>()>
struct with_fallbacks : backend_and_fallbacks<Best> {};
template <class Best>
struct with_fallbacks<Best, false> {
  using type = backend_list<>;
};
template <class Best>
struct backends_of<Best> : with_fallbacks<Best> {};
template <>
struct backends_of<> : backend_and_fallbacks<backend::DYADIC_BEST> {};

}  // namespace detail

/// Calls f(backend, runs_here) for each backend.
template <class... Backends, class Function>
DYADIC_API constexpr void for_each_backend(Function&& f) {
  detail::backends_of<Backends...>::type::for_each(f);
}

namespace detail {

DYADIC_API constexpr bool same_text(const char* a, const char* b) noexcept {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

/// A backend and its place in the list.
struct chosen_backend {
  int number = -1;
  dyadic::status status = status::unknown_backend;
  const char* name = nullptr;
};

/// Chooses the backend with the name `wanted`. If the name is null or empty, chooses the first backend that this machine runs. If
/// it runs none, names the first backend.
template <class... Backends>
DYADIC_API chosen_backend choose_backend(const char* wanted) {
  const bool any = wanted == nullptr || *wanted == 0;
  chosen_backend chosen{};
  int number = 0;
  for_each_backend<Backends...>([&](auto backend, bool runs_here) {
    const char* const name = decltype(backend)::name;
    const bool is_it = any ? runs_here || number == 0 : same_text(name, wanted);
    if (chosen.status != status::ok && is_it) chosen = {number, runs_here ? status::ok : status::backend_unavailable, name};
    ++number;
  });
  return chosen;
}

/// The choice that the environment and the machine allow, made once. Keeps up to 63 characters of an unknown name.
template <class... Backends>
class environment {
 public:
  DYADIC_API static const environment& get() {
    // Read once, by one thread. A program that changes its environment at that time races with every reader.
    DYADIC_CALLS_GETENV
    static const environment found{std::getenv("DYADIC_BACKEND")};  // NOLINT(concurrency-mt-unsafe)
    return found;
  }

  chosen_backend chosen;

 private:
  DYADIC_API explicit environment(const char* wanted) : chosen{choose_backend<Backends...>(wanted)} {
    if (chosen.name != nullptr) return;
    for (std::size_t i = 0; i + 1 < sizeof unknown_ && wanted[i] != 0; ++i) unknown_[i] = wanted[i];
    chosen.name = unknown_;
  }

  char unknown_[64] = {};
};

}  // namespace detail

/// Returns the name of the backend that `with_best_backend` uses. Otherwise returns the name in DYADIC_BACKEND and the reason why
/// the backend is not used.
template <class... Backends>
DYADIC_API result<const char*> best_backend() {
  const detail::chosen_backend& chosen = detail::environment<Backends...>::get().chosen;
  return {chosen.name, chosen.status};
}

/// Calls f(backend) once, with the first backend that this machine runs, or with the backend that DYADIC_BACKEND names. Calls
/// nothing unless it returns `ok`. In a constant expression calls f(backend::scalar{}).
template <class... Backends, class Function>
DYADIC_API constexpr status with_best_backend(Function&& f) {
  if (is_constant_evaluated()) {
    f(backend::scalar{});
    return status::ok;
  }
  const detail::chosen_backend& chosen = detail::environment<Backends...>::get().chosen;
  if (chosen.status == status::ok) detail::backends_of<Backends...>::type::call(chosen.number, f);
  return chosen.status;
}

}  // namespace dyadic

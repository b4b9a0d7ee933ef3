// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The best backend of the machine that a program runs on. Roof.
///
///   const q::status s = q::with_best_backend([&](auto backend) { q::run<decltype(backend)>(layer, x, y); });
///
/// The environment variable DYADIC_BACKEND forces a backend by its name. If it names none, or one that this machine does not run,
/// nothing is called and the status says so: `unknown_backend` or `backend_unavailable`; `best_backend().value` is what it named.
/// It is read once. An engine that calls often keeps a pointer:
///
///   void (*run)(const layer_type&, const input_view&, const output_view&) = nullptr;
///   s = q::with_best_backend([&](auto backend) { run = &q::run<decltype(backend)>; });

#include <dyadic/config.hpp>
#include <dyadic/status.hpp>

#include DYADIC_BEST_HEADER

#include <cstdlib>

namespace dyadic {

/// Calls f(backend, runs_here) for the backends from Best down its fallbacks to scalar. By default all of this processor's.
template <class Best = backend::DYADIC_BEST, class F>
DYADIC_API constexpr void for_each_backend(F&& f) {
  f(Best{}, runs_here<Best>::value());
  if constexpr (!std::is_same_v<Best, backend::scalar>) for_each_backend<typename Best::fallback>(f);
}

namespace detail {

DYADIC_API constexpr bool same_text(const char* a, const char* b) noexcept {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

/// A backend: how many fallbacks below Best it is.
struct chosen_backend {
  int depth = -1;
  dyadic::status status = status::unknown_backend;
  const char* name = nullptr;
};

/// The first that this machine runs, or the one of this name; an empty name is none.
template <class Best>
DYADIC_API chosen_backend choose_backend(const char* wanted) {
  const bool any = wanted == nullptr || *wanted == 0;
  chosen_backend chosen{};
  int depth = 0;
  for_each_backend<Best>([&](auto backend, bool runs_here) {
    const char* const name = decltype(backend)::name;
    if (chosen.depth < 0 && (any ? runs_here : same_text(name, wanted)))
      chosen = {depth, runs_here ? status::ok : status::backend_unavailable, name};
    ++depth;
  });
  return chosen;
}

/// What the environment and the machine say, found once. An unknown name is kept, up to 63 characters.
template <class Best>
class environment {
 public:
  DYADIC_API static const environment& get() {
    // Read once, by one thread: a program that writes its environment meanwhile has that race with every reader.
    static const environment found{std::getenv("DYADIC_BACKEND")};  // NOLINT(concurrency-mt-unsafe)
    return found;
  }

  chosen_backend chosen;

 private:
  DYADIC_API explicit environment(const char* wanted) : chosen{choose_backend<Best>(wanted)} {
    if (chosen.name != nullptr) return;
    for (std::size_t i = 0; i + 1 < sizeof unknown_ && wanted[i] != 0; ++i) unknown_[i] = wanted[i];
    chosen.name = unknown_;
  }

  char unknown_[64] = {};
};

template <class Backend, class F>
DYADIC_API constexpr void call_at_depth(int depth, F& f) {
  if (depth == 0)
    f(Backend{});
  else if constexpr (!std::is_same_v<Backend, backend::scalar>)
    call_at_depth<typename Backend::fallback>(depth - 1, f);
}

}  // namespace detail

/// The name of the backend that `with_best_backend` uses; or what DYADIC_BACKEND says, and what is wrong with that.
template <class Best = backend::DYADIC_BEST>
DYADIC_API result<const char*> best_backend() {
  const detail::chosen_backend& chosen = detail::environment<Best>::get().chosen;
  return {chosen.name, chosen.status};
}

/// Calls f(backend) once, with the best backend from Best down its fallbacks that this machine runs, or with the one that
/// DYADIC_BACKEND names. Calls nothing unless it returns `ok`. The constant evaluator calls f(backend::scalar{}).
template <class Best = backend::DYADIC_BEST, class F>
DYADIC_API constexpr status with_best_backend(F&& f) {
  if (is_constant_evaluated()) {
    f(backend::scalar{});
    return status::ok;
  }
  const detail::chosen_backend& chosen = detail::environment<Best>::get().chosen;
  if (chosen.status == status::ok) detail::call_at_depth<Best>(chosen.depth, f);
  return chosen.status;
}

}  // namespace dyadic

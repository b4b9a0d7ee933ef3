#pragma once
/// \file
/// The backends that run on the machine of the test.

#include <cstdlib>
#include <cstring>

#include "../support/best_backend.hpp"
#include "../support/catch.hpp"
#ifdef PARITY_AVXVNNI
#include "../support/avxvnni_evex.hpp"
#endif

namespace parity {

/// The backend that is tested with more cases than the others.
#if defined(__ARM_NEON)
using usual_backend = dyadic::backend::neon;
#elif defined(DYADIC_X86)
using usual_backend = dyadic::backend::avx2;
#else
using usual_backend = support::best_backend;
#endif

/// Returns true if tests run the backend: the machine has it, and DYADIC_BACKEND in the environment names it or is not set.
/// Warns once if the machine has no such backend.
template <class Backend>
bool is_tested() {
  static const bool is = [] {
    const char* const only = std::getenv("DYADIC_BACKEND");
    if (only != nullptr && std::strcmp(only, Backend::name) != 0) return false;
    const bool runs = dyadic::runs_here<Backend>::value();
    if (!runs) WARN("this machine has no " << Backend::name);
    return runs;
  }();
  return is;
}

/// Calls use(backend) for each tested backend except scalar.
/// The backends are those of this processor, or the one that a program must name (PARITY_AVXVNNI).
template <class Use>
void each_backend(const Use& use) {
#ifdef PARITY_AVXVNNI
  dyadic::for_each_backend<dyadic::backend::PARITY_AVXVNNI, dyadic::backend::scalar>([&](auto backend, bool) {
#else
  dyadic::for_each_backend<support::best_backend>([&](auto backend, bool) {
#endif
    if constexpr (!std::is_same_v<decltype(backend), dyadic::backend::scalar>)
      if (is_tested<decltype(backend)>()) use(backend);
  });
}

/// Calls use for the tested backends, and on x86 for scalar. Other machines are mostly emulated; scalar gives equal results.
template <class Use>
void each_backend_and_scalar(const Use& use) {
  each_backend(use);
#ifdef DYADIC_X86
  use(dyadic::backend::scalar{});
#endif
}

/// The backends that a test compares with scalar code: a list of them, or the backends of this machine.
/// @{
template <class... Backends>
struct backends {
  template <class Use>
  static void each(const Use& use) {
    (use(Backends{}), ...);
  }
};
struct backends_of_machine {
  template <class Use>
  static void each(const Use& use) {
    each_backend(use);
  }
};
/// @}

}  // namespace parity

#pragma once
/// \file
/// The backends that the machine of the test runs.

#include <dyadic/cpu.hpp>

#include <cstdlib>
#include <cstring>

#include "../support/catch.hpp"
#ifdef PARITY_AVXVNNI
#include "../support/avxvnni_evex.hpp"
#endif

namespace parity {

/// The one that is tested with more than the others.
#if defined(__ARM_NEON)
using usual_backend = dyadic::backend::neon;
#elif defined(__x86_64__) || defined(__i386__)
using usual_backend = dyadic::backend::avx2;
#else
using usual_backend = dyadic::backend::DYADIC_BEST;
#endif

/// Whether tests run the backend: not one that this machine has not, which is said once, nor another one than the environment's
/// DYADIC_BACKEND names.
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

/// use(backend) for each one that is tested, but for scalar: those of this processor, or the one that a program must name to have
/// it.
template <class Use>
void each_backend(const Use& use) {
#ifdef PARITY_AVXVNNI
  dyadic::for_each_backend<dyadic::backend::PARITY_AVXVNNI, dyadic::backend::scalar>([&](auto backend, bool) {
#else
  dyadic::for_each_backend([&](auto backend, bool) {
#endif
    if constexpr (!std::is_same_v<decltype(backend), dyadic::backend::scalar>)
      if (is_tested<decltype(backend)>()) use(backend);
  });
}

/// The same and scalar code, but on machines that are mostly emulated: it is the same everywhere.
template <class Use>
void each_backend_and_scalar(const Use& use) {
  each_backend(use);
#if defined(__x86_64__) || defined(__i386__)
  use(dyadic::backend::scalar{});
#endif
}

/// What a test compares with scalar code: these backends, or those of this machine.
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

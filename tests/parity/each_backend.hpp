#pragma once
/// \file
/// The backends that the machine of the test runs.

#include <dyadic/cpu.hpp>

#include <cstdlib>
#include <cstring>

#include "../support/catch.hpp"

namespace parity {

/// The one that is tested with more than the others.
#if defined(__ARM_NEON)
using usual_backend = dyadic::backend::neon;
#elif defined(__arm__)
using usual_backend = dyadic::backend::DYADIC_BEST;
#else
using usual_backend = dyadic::backend::avx2;
#endif

/// use(backend) for each one that this machine runs, but for scalar; or for the one that the environment's DYADIC_BACKEND names.
template <class Use>
void each_backend(const Use& use) {
  const char* const only = std::getenv("DYADIC_BACKEND");
  dyadic::for_each_backend([&](auto backend, bool runs_here) {
    if constexpr (!std::is_same_v<decltype(backend), dyadic::backend::scalar>) {
      if (only != nullptr && std::strcmp(only, decltype(backend)::name) != 0) return;
      if (runs_here)
        use(backend);
      else
        WARN("this machine has no " << decltype(backend)::name);
    }
  });
}

}  // namespace parity

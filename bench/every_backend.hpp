#pragma once
/// \file
/// All backends of this kind of processor: the backends of with_best_backend, and avxvnni, which programs use only by name.

#include <dyadic/cpu.hpp>
#if defined(__x86_64__) || defined(__i386__)
#include <dyadic/backend/avxvnni.hpp>
#endif

namespace bench {

/// Calls use(backend, runs_here) for each backend, the best first.
template <class Use>
void for_every_backend(const Use& use) {
#if defined(__x86_64__) || defined(__i386__)
  using namespace dyadic::backend;
  dyadic::for_each_backend<avx512vnni, avxvnni, avx2, sse41, scalar>(use);
#else
  dyadic::for_each_backend(use);
#endif
}

}  // namespace bench

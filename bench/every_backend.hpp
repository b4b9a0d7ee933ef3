#pragma once
/// \file
/// All backends of this kind of processor: the backends of with_best_backend, and avxvnni, which programs use only by name.

#include <dyadic/cpu.hpp>
#if defined(__x86_64__) || defined(__i386__)
#include <dyadic/backend/avxvnni.hpp>
#endif

#include <cstdlib>
#include <string>

namespace bench {

/// Calls use(backend, runs_here) for each backend, the best first. `runs_here` is true if the processor has the backend.
template <class Use>
void for_every_backend_of_processor(const Use& use) {
#if defined(__x86_64__) || defined(__i386__)
  using namespace dyadic::backend;
  dyadic::for_each_backend<avx512vnni, avxvnni, avx2, sse41, scalar>(use);
#else
  dyadic::for_each_backend(use);
#endif
}

/// Returns the value of DYADIC_BACKEND, or an empty text if the variable is not set.
inline std::string asked_backend() {
  const char* const asked = std::getenv("DYADIC_BACKEND");
  return asked != nullptr ? asked : "";
}

/// Returns whether DYADIC_BACKEND names a narrower backend than `backend`.
inline bool is_left_out(const std::string& backend) {
  bool is_wider = !asked_backend().empty(), left_out = false;
  for_every_backend_of_processor([&](auto other, bool) {
    is_wider = is_wider && asked_backend() != decltype(other)::name;
    if (backend == decltype(other)::name) left_out = is_wider;
  });
  return left_out;
}

/// Calls use(backend, runs_here) for each backend, the best first. `runs_here` is true if the processor has the backend and
/// DYADIC_BACKEND does not leave it out.
template <class Use>
void for_every_backend(const Use& use) {
  for_every_backend_of_processor(
      [&](auto backend, bool runs_here) { use(backend, runs_here && !is_left_out(decltype(backend)::name)); });
}

}  // namespace bench

#pragma once
/// \file
/// The backends that the machine of the test runs.

#include <dyadic/backend/avx512vnni.hpp>

#include "../support/catch.hpp"

namespace parity {

/// use(backend) for each one that this machine runs.
template <class Use>
void each_backend(const Use& use) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.1"))
    use(dyadic::backend::sse41{});
  else
    WARN("this machine has no SSE4.1");
  if (__builtin_cpu_supports("avx2"))
    use(dyadic::backend::avx2{});
  else
    WARN("this machine has no AVX2");
  if (__builtin_cpu_supports("avx512vnni"))
    use(dyadic::backend::avx512vnni{});
  else
    WARN("this machine has no AVX-512 VNNI");
}

}  // namespace parity

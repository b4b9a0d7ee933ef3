#pragma once
// The best backend that tests run.

#include <dyadic/cpu.hpp>

namespace support {

/// AVX-512 is left out on Windows: the code is that of other systems, and takes as long to compile as AVX2 and SSE4.1.
#if defined(_WIN32)
using best_backend = dyadic::backend::avx2;
#else
using best_backend = dyadic::backend::DYADIC_BEST;
#endif

}  // namespace support

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend that the compiler flags of the including file allow. Floor 4.

#include <dyadic/config.hpp>

#include DYADIC_NATIVE_HEADER

namespace dyadic {

/// The best backend of backend/list.hpp that flags such as -march=native allow, else scalar. A plain x86-64 build is scalar.
/// cpu.hpp needs no flag, because it chooses when the program runs. Compilers for Cortex-M55 have vectors only if the flags allow
/// vector registers: -mfloat-abi=hard or softfp. Otherwise this is dsp, as for a core without vectors. A program that needs the
/// vectors can say static_assert(std::is_same_v<native, backend::mve>).
using native = backend::DYADIC_NATIVE;

}  // namespace dyadic

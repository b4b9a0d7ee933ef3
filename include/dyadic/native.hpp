// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The backend that this file's own compiler flags allow. Floor 4.

#include <dyadic/config.hpp>

#include DYADIC_NATIVE_HEADER

namespace dyadic {

/// The best backend of backend/list.hpp that flags such as -march=native allow, or scalar: a plain x86-64 build is scalar.
/// cpu.hpp chooses without any flag, when the program runs. Compilers for Cortex-M55 have vectors only where the flags have their
/// registers, with -mfloat-abi=hard or softfp; else this is dsp, as it is for a core without vectors. A program that must not
/// miss them says static_assert(std::is_same_v<native, backend::mve>).
using native = backend::DYADIC_NATIVE;

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `exact::linear` with the vectors that it has on this machine: avx2, avx512vnni, neon_dotprod. Floor 4.

#include <dyadic/config.hpp>

#include DYADIC_BLOCKS_HEADER

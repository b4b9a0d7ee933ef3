#pragma once
/// \file
/// Replaces the compiler's header, because the compiler finds this file first. Integers are those of integers.hpp.

#define DYADIC_PROOF_OF_ONE_LANE
#include "integers.hpp"

// Instructions that multiply weights or compute in binary32. Code may name them, but no proof may run them.
inline constexpr proof::no_model<proof::integer32> __qadd16{};

#define __asm__(...) proof::assembly(#__VA_ARGS__, sum, x, m, rounding, range_)

#pragma once
/// \file
/// In place of the compiler's header, which is found after this one. Integers are those of integers.hpp.

#define DYADIC_PROOF_OF_ONE_LANE
#include "integers.hpp"

// What multiplies weights or computes in binary32: it may be named and not called.
inline constexpr proof::no_model<proof::integer32> __qadd16{};

#define __asm__(...) proof::assembly(#__VA_ARGS__, sum, x, m, rounding, range_)

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of ruy (ruy/apply_multiplier.cc and its kernels). Floor 2.
/// ruy publishes no derivation. `derive` is TFLite's here.
/// Revision: ruy @ 2af88863.

#include <dyadic/scheme/tflite.hpp>

namespace dyadic::ruy {

/// ruy's MultiplyByQuantizedMultiplier: one rounding, ties up, wrapped to int32. Equals TFLite's rule.
struct reference : tflite::single_rounding {};

/// ruy's AVX, AVX2 and AVX-512 kernels: two roundings, both ties up, which differs from ruy's reference. Equals TFLite's rule on
/// NEON.
struct x86_simd : tflite::neon_double_rounding {};

}  // namespace dyadic::ruy

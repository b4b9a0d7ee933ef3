// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The scheme that an engine chooses for a described layer. Opt-in. Floor 5.
///
///   spec.scheme = q::tflite::scheme_of(spec);  // its kinds are listed: `prepare` returns `unknown_kind` for others

#include <dyadic/layer_spec.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tflite {

/// Returns the scheme with which TFLite rescales a layer of these activations and this bias. int16 with an int32 bias has int32
/// accumulators and a multiplier of 31 bits: `Rounding`. int16 with another bias, or without a bias, has int64 accumulators and a
/// multiplier of 15 bits: `reduced_int64`. 8-bit activations have `Rounding`, which is double_rounding, or single_rounding in a
/// build with TFLITE_SINGLE_ROUNDING. TFLM without a bias follows `quantized_bias_type`, whose default is int64. FULLY_CONNECTED
/// of int16 is an exception in LiteRT since April 2025: it has `double_scale`. Source: tflite/kernels/conv.cc.
/// @{
template <class Rounding = double_rounding>
DYADIC_API constexpr scheme_id scheme_of(element_type x, const any_bias& bias) noexcept {
  const bool is_reduced = x == element_type::int16 && bias.bits() != 32;
  return is_reduced ? scheme_id::of<reduced_int64>() : scheme_id::of<Rounding>();
}
template <class Rounding = double_rounding>
DYADIC_API constexpr scheme_id scheme_of(const layer_spec& spec) noexcept {
  return scheme_of<Rounding>(spec.x, spec.bias);
}
/// @}

}  // namespace dyadic::tflite

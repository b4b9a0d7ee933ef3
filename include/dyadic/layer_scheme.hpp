// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The scheme that an engine chooses for a described layer. Opt-in. Floor 5.
///
///   spec.scheme = q::tflite::scheme_of(spec);  // its kinds are listed: `prepare` returns `unknown_kind` for others

#include <dyadic/layer_spec.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tflite {

/// Returns the scheme with which TFLite rescales a layer, by the type of its activations and of its bias:
///   int16 with an int32 bias: `Rounding`. Accumulators are int32, multipliers have 31 bits.
///   int16 with another bias, or with none: `reduced_int64`. Accumulators are int64, multipliers have 15 bits.
///   int8 and uint8: `Rounding`.
/// `Rounding` is double_rounding, or single_rounding for a build with TFLITE_SINGLE_ROUNDING. The attribute `quantized_bias_type`
/// decides for a layer without a bias; its default is int64. LiteRT has an exception since April 2025: FULLY_CONNECTED of int16
/// has `double_scale`. Source: tflite/kernels/conv.cc.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The first header of an inference engine: layers and operators that are described when the program runs, on the best backend of
/// the machine. Opt-in, hosted. Roof.
///
///   const auto layers = q::best_layer_kinds<q::kind<q::op::linear, std::int8_t, std::int8_t, q::tflite::double_rounding>>();
///   const q::any_layer layer = layers.prepare(spec, arena).value;
///   if (const q::status s = check(layer, x, y); s == q::status::ok) run(layer, x, y);

#include <dyadic/any_layer.hpp>
#include <dyadic/any_operator.hpp>
#include <dyadic/cpu.hpp>

namespace dyadic {

/// Returns the kinds `kind<Op, X, W, Scheme, Y>` of layers, compiled for the best backend of this machine, or for the backend
/// that DYADIC_BACKEND names. `best_backend().value` is its name. Returns no kinds if that backend is unknown or unavailable.
/// `bytes`, `prepare` and `check` then return `unknown_backend` or `backend_unavailable`.
template <class... Kinds>
DYADIC_API layer_kinds best_layer_kinds() {
  layer_kinds kinds;
  const status s = with_best_backend([&kinds](auto backend) { kinds = layer_kinds_of<decltype(backend), Kinds...>(); });
  return s == status::ok ? kinds : layer_kinds{s};
}

/// Returns the rules of operators without weights, for the backend of `best_layer_kinds`.
template <class... Rules>
DYADIC_API operator_kinds best_operator_kinds() {
  operator_kinds kinds;
  const status s = with_best_backend([&kinds](auto backend) { kinds = operator_kinds_of<decltype(backend), Rules...>(); });
  return s == status::ok ? kinds : operator_kinds{s};
}

}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The two tables of TFLite's softmax of int16, made without a mathematics library. Floor 3.
/// Source: tflite/micro/kernels/softmax_common.cc.

#include <dyadic/elementwise/function.hpp>
#include <dyadic/elementwise/softmax.hpp>

namespace dyadic::tflite {

/// Makes both tables by LUTPopulate, in binary32, with a correctly rounded exp. The tables that a C library makes may differ by a
/// unit.
DYADIC_API constexpr softmax_tables make_softmax_tables() noexcept {
  softmax_tables tables{};
  const binary32 range{65535.0f};
  const binary32 step_of_ten = dyadic::divide(binary32{10.0f}, range);
  const binary32 step_of_one = dyadic::divide(binary32{1.0f}, range);
  const binary32 step_of_two = dyadic::divide(binary32{2.0f}, range);
  const auto one_over_one_plus = [](binary32 x) { return dyadic::divide(binary32{1.0f}, dyadic::add(binary32{1.0f}, x)); };
  const view<std::int16_t> exponential(tables.exponential);
  const view<std::int16_t> reciprocal(tables.reciprocal);
  const exact::in_binary32<exact::exp> exp;
  // `populate` cannot fail here: sizes, scales and zero points are valid.
  static_cast<void>(table<std::int16_t>::populate(exp, step_of_ten, 32767, step_of_two, 0, exponential));
  static_cast<void>(table<std::int16_t>::populate(one_over_one_plus, step_of_one, -32768, step_of_two, 0, reciprocal));
  return tables;
}

}  // namespace dyadic::tflite

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The functions of binary32 with which engines fill tables, and the tables that two compilers fill in binary64. Floor 3.
/// Sources: tflite/micro/kernels/elu.cc, tflite/kernels/elementwise.cc (LogLUTPrepare), tflite/kernels/exp.cc, TensorFlow
/// tensorflow/compiler/mlir/tosa/transforms/legalize_utils.cc (getTosaConst8bitTable), Vela ethosu/vela/graph_optimiser_util.py
/// (convert_to_lut8).
///
/// `tflite::table<X>::populate(function, ..)` fills a table with such a function. TFLite's exp is the function
/// `exact::in_binary32<exact::exp>`. An engine calls the C library, whose exp and log are not always correctly rounded. A
/// template argument gives another exp or log.

#include <dyadic/elementwise/function.hpp>
#include <dyadic/elementwise/table.hpp>

namespace dyadic {

namespace tflite {

/// ELU of int8: x, or fl32(exp(x) - 1) below 0.
template <class Exp = exact::in_binary32<exact::exp>>
struct elu {
  Exp exp = {};  ///< the exponential
  /// Returns the value for x.
  DYADIC_API constexpr binary32 operator()(binary32 x) const noexcept {
    return less(x, binary32{0.0f}) ? dyadic::subtract(exp(x), binary32{1.0f}) : x;
  }
};

}  // namespace tflite

namespace litert {

/// LOG of int8 and int16: ln(x), or for x <= 0 the real value of the least stored y.
template <class Log = exact::in_binary32<exact::log>>
struct log {
  binary32 least;  ///< fl32((min - zero point) * scale) of y
  Log ln = {};     ///< the logarithm
  /// Returns the function for outputs of type Y with this scale and zero point.
  template <class Y>
  DYADIC_API static constexpr log of(binary32 y_scale, std::int32_t y_zero_point) noexcept {
    return {multiply(from_integer<binary32>(std::int64_t{limits<Y>::min} - y_zero_point), y_scale)};
  }
  /// Returns the value for x.
  DYADIC_API constexpr binary32 operator()(binary32 x) const noexcept { return less(binary32{0.0f}, x) ? ln(x) : least; }
};

}  // namespace litert

namespace detail {

/// Sets the entry of each x of 8 bits, from the least to the greatest: entry(fl64(function(fl64(x_scale * (x - x_zero_point))) /
/// y_scale)), clamped to the type.
template <class X, class Function, class Entry>
DYADIC_API constexpr status fill_in_binary64(const Function& function, binary64 x_scale, std::int32_t x_zero_point,
                                             binary64 y_scale, std::int32_t y_zero_point, view<X> entries,
                                             const Entry& entry) noexcept {
  static_assert(is_one_of<X, std::int8_t, std::uint8_t>, "a table of 256 entries is of int8 or uint8");
  const status s = check_table_scales<X, X>(x_scale, x_zero_point, y_scale, y_zero_point);
  if (s != status::ok) return s;
  return fill_table(entries, table_size<X>, [&](index_t i) {
    const binary64 x = multiply(x_scale, from_integer<binary64>(limits<X>::min + i - x_zero_point));
    return static_cast<X>(clamp(entry(divide(function(x), y_scale)), limits<X>::min, limits<X>::max));
  });
}

}  // namespace detail

namespace tosa {

/// Fills a TABLE of int8 as TensorFlow's converter does, in binary64: round(fl64(function(x) / y_scale)) + y_zero_point, ties
/// away from zero. Returns an error and writes nothing if a scale, a zero point or the number of entries is wrong.
template <class Function>
DYADIC_API constexpr status populate(const Function& function, binary64 x_scale, std::int32_t x_zero_point, binary64 y_scale,
                                     std::int32_t y_zero_point, view<std::int8_t> entries) noexcept {
  return dyadic::detail::fill_in_binary64(function, x_scale, x_zero_point, y_scale, y_zero_point, entries,
                                          [=](binary64 y) { return to_integer<half_away>(y) + y_zero_point; });
}

}  // namespace tosa

namespace vela {

/// Fills a table of int8 or uint8 as Vela does, in binary64, from the least x to the greatest: q = fl64(y_zero_point +
/// fl64(function(x) / y_scale)), then fl64(q +- 1/2) truncated toward zero. Ties go away from zero, after the zero point is
/// added. Returns the statuses of `tosa::populate`.
template <class X, class Function>
DYADIC_API constexpr status populate(const Function& function, binary64 x_scale, std::int32_t x_zero_point, binary64 y_scale,
                                     std::int32_t y_zero_point, view<X> entries) noexcept {
  return detail::fill_in_binary64(function, x_scale, x_zero_point, y_scale, y_zero_point, entries, [=](binary64 y) {
    const binary64 q = add(from_integer<binary64>(y_zero_point), y);
    const bool is_below = less(q, binary64{0.0});
    const std::int64_t rounded = to_integer<to_floor>(add(is_below ? negate(q) : q, binary64{0.5}));
    return is_below ? -rounded : rounded;
  });
}

}  // namespace vela

}  // namespace dyadic

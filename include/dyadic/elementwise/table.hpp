// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Functions by a table of 256 values, or of 513 with interpolation, and how the engines fill it. Floor 3.
/// Sources: tflite/kernels/internal/common.h (LUTLookup, LUTPopulate), the TOSA specification (TABLE), ExecuTorch
/// backends/arm/_passes/insert_table_ops.py.
///
/// A function is any callable from binary32 to binary32. A table is as exact as its function. The functions of a mathematics
/// library differ from machine to machine.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/tosa.hpp>

namespace dyadic {

/// The number of entries of a table for x of type X: 256, or 513 for int16. The last of 513 entries is used only to interpolate.
template <class X>
inline constexpr index_t table_size = sizeof(X) == 1 ? 256 : 513;

namespace detail {

/// Returns the first error of the view, or `shape_mismatch` if the table does not have `size` entries.
template <class T>
DYADIC_API constexpr status check_table(view<T> entries, index_t size) noexcept {
  if (const status s = check(entries); s != status::ok) return s;
  return entries.size() == size ? status::ok : status::shape_mismatch;
}

/// The place of an int16 x in 513 entries: entry `index`, and `fraction` / 128 of the way to the next entry.
struct table_place {
  index_t index;
  std::int32_t fraction;
};
DYADIC_API constexpr table_place place_in_table(std::int16_t x) noexcept { return {256 + (x >> 7), x & 127}; }

/// Returns the x of entry i of 513.
DYADIC_API constexpr std::int32_t argument_in_table(index_t i) noexcept { return static_cast<std::int32_t>(128 * i) - 32768; }

/// Returns x rounded to an integer by `Ties`, as a float. The result is exact, because values of 2^24 and more have no fraction.
template <class Ties>
DYADIC_API constexpr binary32 round_to_integer(binary32 x) noexcept {
  if (!is_finite(x) || !less(magnitude(x), binary32{0x1p24f})) return x;
  return from_integer<binary32>(to_integer<Ties>(x));
}

/// Returns clamp(x, low, high) as an integer; 0 for NaN.
DYADIC_API constexpr std::int32_t clamped(binary32 x, std::int32_t low, std::int32_t high) noexcept {
  return static_cast<std::int32_t>(clamp(to_integer<to_floor>(x), low, high));
}

/// Sets entries[i] = entry(i).
template <class T, class Entry>
DYADIC_API constexpr status fill_table(view<T> entries, index_t size, const Entry& entry) noexcept {
  if (const status s = check_table(entries, size); s != status::ok) return s;
  for (index_t i = 0; i < size; ++i) entries[i] = entry(i);
  return status::ok;
}

/// Checks the scales and zero points of a table.
template <class X, class Y, class Float>
DYADIC_API constexpr status check_table_scales(Float x_scale, std::int32_t x_zero_point, Float y_scale,
                                               std::int32_t y_zero_point) noexcept {
  if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return s;
  return fits<X>(x_zero_point) && fits<Y>(y_zero_point) ? status::ok : status::zero_point_out_of_range;
}

}  // namespace detail

namespace tosa {

/// TABLE of int8: the entry x + 128.
template <class X>
struct table {
  static_assert(std::is_same_v<X, std::int8_t>, "TABLE is of int8 or int16");
  static constexpr operator_id id = operator_id::table;  ///< the operator
  using value_type = std::int8_t;                        ///< the type of x and y

  view<const std::int8_t> entries;  ///< 256, in the order of x

  /// Returns the x of entry i.
  DYADIC_API static constexpr std::int32_t argument(index_t i) noexcept { return static_cast<std::int32_t>(i) - 128; }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int8_t operator()(std::int8_t x) const noexcept { return entries[x + 128]; }
  /// Checks the view and the number of entries.
  DYADIC_API friend constexpr status check(const table& rule) noexcept {
    return dyadic::detail::check_table(rule.entries, table_size<X>);
  }
};

/// TABLE of int16: 513 entries at the multiples of 128 from -32768. Between two entries y is b * 128 + (next - b) * rest, an
/// exact int32 with 7 bits of fraction.
template <>
struct table<std::int16_t> {
  static constexpr operator_id id = operator_id::table;  ///< the operator
  using argument_type = std::int16_t;                    ///< the type of x
  using value_type = std::int32_t;                       ///< the type of y: 7 bits of fraction, which a RESCALE removes

  view<const std::int16_t> entries;  ///< 513

  /// Returns the x of entry i, 32768 for the last entry.
  DYADIC_API static constexpr std::int32_t argument(index_t i) noexcept { return dyadic::detail::argument_in_table(i); }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int32_t operator()(std::int16_t x) const noexcept {
    const dyadic::detail::table_place at = dyadic::detail::place_in_table(x);
    const std::int32_t base = entries[at.index];
    return base * 128 + (entries[at.index + 1] - base) * at.fraction;
  }
  /// Checks the view and the number of entries. Returns `unpredictable` if a slope does not fit int16, which TOSA requires. Reads
  /// the entries.
  DYADIC_API friend constexpr status check(const table& rule) noexcept {
    if (const status s = dyadic::detail::check_table(rule.entries, table_size<std::int16_t>); s != status::ok) return s;
    for (index_t i = 0; i + 1 < rule.entries.size(); ++i)
      if (!fits<std::int16_t>(std::int32_t{rule.entries[i + 1]} - rule.entries[i])) return status::unpredictable;
    return status::ok;
  }
};

}  // namespace tosa

namespace tflite {

/// LUTLookup of int8 and uint8: the entry at the byte of x. The entries of negative x follow the others.
template <class X>
struct table {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::uint8_t>, "a table is for int8, uint8 or int16");
  static constexpr operator_id id = operator_id::table;  ///< the operator
  using value_type = X;                                  ///< the type of x and y

  view<const X> entries;  ///< 256, in the order of the bytes of x

  /// Returns the x of entry i.
  DYADIC_API static constexpr std::int32_t argument(index_t i) noexcept { return static_cast<X>(i); }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x) const noexcept { return entries[static_cast<std::uint8_t>(x)]; }
  /// Checks the view and the number of entries.
  DYADIC_API friend constexpr status check(const table& rule) noexcept {
    return dyadic::detail::check_table(rule.entries, table_size<X>);
  }

  /// LUTPopulate, each operation rounded to binary32: round(function((x - x_zero_point) * x_scale) * (1 / y_scale)), ties away, +
  /// y_zero_point, saturated. Returns an error and writes nothing if a scale or a zero point is wrong, or if there are not 256
  /// entries.
  template <class Function>
  DYADIC_API static constexpr status populate(const Function& function, binary32 x_scale, std::int32_t x_zero_point,
                                              binary32 y_scale, std::int32_t y_zero_point, view<X> entries) noexcept {
    const status s = dyadic::detail::check_table_scales<X, X>(x_scale, x_zero_point, y_scale, y_zero_point);
    if (s != status::ok) return s;
    const binary32 inverse = dyadic::divide(binary32{1.0f}, y_scale);
    return dyadic::detail::fill_table(entries, table_size<X>, [&](index_t byte) {
      const std::int32_t x = static_cast<X>(byte);
      const binary32 real = function(dyadic::multiply(x_scale, from_integer<binary32>(std::int64_t{x} - x_zero_point)));
      const binary32 rescaled = dyadic::detail::round_to_integer<half_away>(dyadic::multiply(real, inverse));
      const binary32 y = dyadic::add(rescaled, from_integer<binary32>(y_zero_point));
      return static_cast<X>(dyadic::detail::clamped(y, limits<X>::min, limits<X>::max));
    });
  }
};

/// LUTLookup of int16, with 513 entries. Between two entries y is base + ((slope * rest + 64) >> 7), ties up, with 7 bits of
/// rest. The slope and the sum wrap to int16. A table of the sigmoid at a scale of 2^-12 differs from the nearest int16 for 40.4
/// % of all x, by up to 2. A table of tanh differs for 45.0 %, by up to 6. The cause is that `populate` takes samples 65535 / 512
/// steps of x apart, but the look-up assumes 128 steps.
template <>
struct table<std::int16_t> {
  static constexpr operator_id id = operator_id::table;  ///< the operator
  using value_type = std::int16_t;                       ///< of x and y
  static constexpr bool interpolates = true;             ///< y is the base + ((slope * rest + 64) >> 7), modulo 2^16

  view<const std::int16_t> entries;  ///< 513

  /// Returns the x of entry i, 32768 for the last entry.
  DYADIC_API static constexpr std::int32_t argument(index_t i) noexcept { return dyadic::detail::argument_in_table(i); }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int16_t operator()(std::int16_t x) const noexcept {
    const dyadic::detail::table_place at = dyadic::detail::place_in_table(x);
    const std::int16_t base = entries[at.index];
    const auto slope = wrap<std::int16_t>(std::int32_t{entries[at.index + 1]} - base);
    return wrap<std::int16_t>(base + shift_right<half_up>(slope * at.fraction, 7));
  }
  /// Checks the view and the number of entries.
  DYADIC_API friend constexpr status check(const table& rule) noexcept {
    return dyadic::detail::check_table(rule.entries, table_size<std::int16_t>);
  }

  /// LUTPopulate, each operation rounded to binary32. Roundings to integers have ties away from zero. The range of x, from -32768
  /// to 32767, is sampled in 512 steps. The samples are s(i) = f(i) * inverse, where inverse = 65536 / (range of y). Entry i is
  /// round(s(i)) less half of the error in the middle, saturated. Half of this error is
  ///   round((round((s(i + 1) + round(s(i))) / 2) - round(s(i + 1/2))) / 2).
  /// The last entry is that of x = 32767, without a correction.
  template <class Function>
  class sampler {
   public:
    /// Prepares the entries of one table.
    DYADIC_API constexpr sampler(const Function& function, binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                 std::int32_t y_zero_point) noexcept
        : function_{function},
          x_min_{edge(x_scale, limits<std::int16_t>::min, x_zero_point)},
          x_max_{edge(x_scale, limits<std::int16_t>::max, x_zero_point)},
          step_{dyadic::divide(dyadic::subtract(x_max_, x_min_), binary32{512.0f})},
          half_step_{dyadic::divide(step_, binary32{2.0f})},
          inverse_{dyadic::divide(binary32{65536.0f}, dyadic::subtract(edge(y_scale, limits<std::int16_t>::max, y_zero_point),
                                                                       edge(y_scale, limits<std::int16_t>::min, y_zero_point)))} {
    }
    /// Returns entry i, 0 to 512.
    DYADIC_API constexpr std::int16_t operator()(index_t i) const noexcept {
      if (i == table_size<std::int16_t> - 1) return stored(rounded(scaled(x_max_)));
      const binary32 x = x_of(i);
      const binary32 sample = rounded(scaled(x));
      const binary32 middle = rounded(scaled(dyadic::add(x, half_step_)));
      const binary32 interpolated = rounded(halved(dyadic::add(scaled(x_of(i + 1)), sample)));
      const binary32 bias = rounded(halved(dyadic::subtract(interpolated, middle)));
      return stored(dyadic::subtract(sample, bias));
    }

   private:
    DYADIC_API static constexpr binary32 edge(binary32 scale, std::int32_t value, std::int32_t zero_point) noexcept {
      return dyadic::multiply(scale, from_integer<binary32>(std::int64_t{value} - zero_point));
    }
    DYADIC_API constexpr binary32 x_of(index_t i) const noexcept {
      return dyadic::add(x_min_, dyadic::multiply(from_integer<binary32>(i), step_));
    }
    DYADIC_API constexpr binary32 scaled(binary32 x) const noexcept { return dyadic::multiply(function_(x), inverse_); }
    DYADIC_API static constexpr binary32 halved(binary32 x) noexcept { return dyadic::divide(x, binary32{2.0f}); }
    DYADIC_API static constexpr binary32 rounded(binary32 x) noexcept { return dyadic::detail::round_to_integer<half_away>(x); }
    DYADIC_API static constexpr std::int16_t stored(binary32 x) noexcept {
      return static_cast<std::int16_t>(dyadic::detail::clamped(x, limits<std::int16_t>::min, limits<std::int16_t>::max));
    }

    Function function_;
    binary32 x_min_;
    binary32 x_max_;
    binary32 step_;
    binary32 half_step_;
    binary32 inverse_;
  };

  /// Fills all entries. Returns an error and writes nothing if a scale or a zero point is wrong, or if there are not 513 entries.
  template <class Function>
  DYADIC_API static constexpr status populate(const Function& function, binary32 x_scale, std::int32_t x_zero_point,
                                              binary32 y_scale, std::int32_t y_zero_point, view<std::int16_t> entries) noexcept {
    using int16 = std::int16_t;
    const status s = dyadic::detail::check_table_scales<int16, int16>(x_scale, x_zero_point, y_scale, y_zero_point);
    if (s != status::ok) return s;
    const sampler<Function> entry{function, x_scale, x_zero_point, y_scale, y_zero_point};
    return dyadic::detail::fill_table(entries, table_size<int16>, entry);
  }
};

}  // namespace tflite

namespace executorch::arm {

/// Fills a TABLE as the Arm backend does, in binary32: x = fl32((stored - x_zero_point) * x_scale), then round(function(x) *
/// fl32(1 / y_scale)), ties to even, + y_zero_point, clamped to the type. A table of int8 has 256 entries, one for each x. A
/// table of int16 has 513 entries at the multiples of 128 from -32768 to 32768, without correction between them. Returns an error
/// and writes nothing if a scale, a zero point or the number of entries is wrong.
template <class X, class Function>
DYADIC_API constexpr status populate(const Function& function, binary64 x_scale, std::int32_t x_zero_point, binary64 y_scale,
                                     std::int32_t y_zero_point, view<X> entries) noexcept {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "TABLE is of int8 or int16");
  const status s = dyadic::detail::check_table_scales<X, X>(x_scale, x_zero_point, y_scale, y_zero_point);
  if (s != status::ok) return s;
  const binary32 scale = narrow(x_scale);
  const binary32 inverse = narrow(divide(binary64{1.0}, y_scale));
  constexpr std::int64_t step = sizeof(X) == 1 ? 1 : 128;
  return dyadic::detail::fill_table(entries, table_size<X>, [&](index_t i) {
    const std::int64_t x = limits<X>::min + step * i;
    const binary32 real = function(dyadic::multiply(from_integer<binary32>(x - x_zero_point), scale));
    const binary32 rescaled = dyadic::detail::round_to_integer<half_even>(dyadic::multiply(real, inverse));
    const binary32 y = dyadic::add(rescaled, from_integer<binary32>(y_zero_point));
    return static_cast<X>(dyadic::detail::clamped(y, limits<X>::min, limits<X>::max));
  });
}

/// TABLE of int16, then RESCALE by 2^-7, ties up. A table of the sigmoid at a scale of 2^-12 differs from the nearest int16 for
/// 21.6 % of all x, by 1. A table of tanh differs for 27.1 %, by up to 4. The table of int8 is `tosa::table`.
struct table {
  static constexpr operator_id id = operator_id::table;  ///< the operator
  using value_type = std::int16_t;                       ///< of x and y
  static constexpr bool interpolates = true;             ///< y is the base + ((slope * rest + 64) >> 7): nothing wraps

  view<const std::int16_t> entries;  ///< 513

  /// Returns the x of entry i, 32768 for the last entry.
  DYADIC_API static constexpr std::int32_t argument(index_t i) noexcept { return dyadic::detail::argument_in_table(i); }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int16_t operator()(std::int16_t x) const noexcept {
    const std::int64_t y = tosa::scale32::apply(tosa::table<std::int16_t>{entries}(x), {1 << 30, 37});
    return saturate<std::int16_t>(y);
  }
  /// Checks the entries as TABLE does.
  DYADIC_API friend constexpr status check(const table& rule) noexcept { return check(tosa::table<std::int16_t>{rule.entries}); }
};

}  // namespace executorch::arm
}  // namespace dyadic

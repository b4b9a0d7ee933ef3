// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Fills tables with correctly rounded entries, the same on every machine. Measures how far a table, or any rule of one input, is
/// from a real function. Floor 3.

#include <dyadic/detail/rows.hpp>
#include <dyadic/elementwise/function.hpp>
#include <dyadic/elementwise/table.hpp>

namespace dyadic::exact {

namespace detail {

/// The real f((x - x_zero_point) * x_scale) / y_scale + y_zero_point.
template <class Function>
struct real_output {
  binary64 x_scale;
  std::int32_t x_zero_point;
  binary64 y_scale;
  std::int32_t y_zero_point;

  DYADIC_API constexpr enclosure operator()(std::int64_t x) const noexcept {
    const enclosure real = Function::of(multiply(enclose(x - x_zero_point), enclose(x_scale)));
    return add(divide(real, enclose(y_scale)), enclose(std::int64_t{y_zero_point}));
  }
};

}  // namespace detail

/// Fills a table of any publisher with correctly rounded entries. The entry for x is function((x - x_zero_point) * x_scale) /
/// y_scale + y_zero_point. The real number is rounded once, ties away from the zero point, and saturated. `Table::argument(i)` is
/// the x of entry i. Returns an error and writes nothing if a scale, a zero point or the number of entries is wrong.
/// Returns `undecided`, with all entries written, if an entry is too near to a tie.
template <class Table, class Function, class T>
DYADIC_API constexpr status populate(Function, binary64 x_scale, std::int32_t x_zero_point, binary64 y_scale,
                                     std::int32_t y_zero_point, view<T> entries) noexcept {
  using X = typename dyadic::detail::argument_of<Table>;
  static_assert(std::is_same_v<const T, dyadic::detail::element_of<decltype(Table::entries)>>, "entries are those of the table");
  const status s = dyadic::detail::check_table_scales<X, T>(x_scale, x_zero_point, y_scale, y_zero_point);
  if (s != status::ok) return s;
  const detail::real_output<Function> real{x_scale, x_zero_point, y_scale, 0};
  status worst = status::ok;
  const status filled = dyadic::detail::fill_table(entries, table_size<X>, [&](index_t i) {
    const result<std::int64_t> y = to_integer<dyadic::half_away>(real(Table::argument(i)));
    if (y.status != status::ok) worst = y.status;
    return saturate<T>(y.value + y_zero_point);
  });
  return filled != status::ok ? filled : worst;
}

/// The distance of a rule's outputs from a real function.
struct table_error {
  std::int64_t worst;  ///< the greatest distance, in units of 2^-16 of an output step
  std::int32_t at;     ///< the least x with this distance
  index_t off;         ///< the number of x whose output is not the nearest possible output
};

/// Compares rule(x) with function((x - x_zero_point) * x_scale) / y_scale + y_zero_point, for all x of the rule's type. A real
/// value outside the type of y counts as the nearest end of the type. Returns the status of a scale or zero point, or of the
/// rule. Returns `undecided` if the nearest output of some x is not known.
template <class Rule, class Function>
DYADIC_API constexpr result<table_error> worst_error(const Rule& rule, Function, binary64 x_scale, std::int32_t x_zero_point,
                                                     binary64 y_scale, std::int32_t y_zero_point) noexcept {
  using X = typename dyadic::detail::argument_of<Rule>;
  using Y = typename Rule::value_type;
  table_error error{-1, 0, 0};
  status s = dyadic::detail::check_table_scales<X, Y>(x_scale, x_zero_point, y_scale, y_zero_point);
  if (s == status::ok) s = check(rule);
  if (s != status::ok) return {error, s};
  const detail::real_output<Function> real{x_scale, x_zero_point, y_scale, 0};
  constexpr std::int64_t unit = std::int64_t{1} << 16;
  for (std::int32_t x = limits<X>::min; x <= limits<X>::max; ++x) {
    const enclosure v = real(x);
    const result<std::int64_t> nearest = to_integer<dyadic::half_away>(v);
    if (nearest.status != status::ok) s = nearest.status;
    const std::int64_t lowest = limits<Y>::min;
    const std::int64_t highest = limits<Y>::max;
    const std::int64_t units = to_integer<dyadic::half_away>(scale_by_power_of_two(v, 16)).value + y_zero_point * unit;
    const std::int64_t y = rule(static_cast<X>(x));
    const std::int64_t difference = y * unit - clamp(units, lowest * unit, highest * unit);
    const std::int64_t distance = difference < 0 ? -difference : difference;
    if (y != clamp(nearest.value + y_zero_point, lowest, highest)) ++error.off;
    if (distance > error.worst) {
      error.worst = distance;
      error.at = x;
    }
  }
  return {error, s};
}

}  // namespace dyadic::exact

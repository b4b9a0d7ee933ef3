#pragma once
/// \file
/// The tables that test most schemes: valid multipliers and data, the multiplier of a scale, the clamp of an output.

#include <dyadic/scheme/formula.hpp>

#include <cstdint>
#include <limits>

#include "cases.hpp"

namespace support {

namespace q = dyadic;

inline constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max(), min = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t h = 1 << 30;  ///< one half in Q31

template <class Scheme>
struct validity {
  typename Scheme::multiplier_type m;
  bool valid;
};
template <class Scheme>
constexpr auto multiplier_valid = [](const validity<Scheme>& c) { return Scheme::valid(c.m) == c.valid; };

template <class Scheme>
struct data_validity {
  typename Scheme::accumulator acc;
  typename Scheme::multiplier_type m;
  bool valid;
};
template <class Scheme>
constexpr auto data_valid = [](const data_validity<Scheme>& c) { return Scheme::valid(c.acc, c.m) == c.valid; };

template <class Scale, class Multiplier>
struct derived {
  Scale scale;
  Multiplier m;
  q::status status;
};
/// Returns whether Derive gives the expected value and status.
template <auto Derive>
constexpr auto derives = [](const auto& c) {
  const auto r = Derive(c.scale);
  return r.value == c.m && r.status == c.status;
};

template <class Scheme>
struct output_case {
  typename Scheme::accumulator acc;
  typename Scheme::multiplier_type m;
  q::output_range range;
  std::int64_t y;
};
template <class Scheme>
constexpr auto requantizes = [](const output_case<Scheme>& c) { return q::requantize<Scheme>(c.acc, c.m, c.range) == c.y; };

}  // namespace support

#pragma once
/// \file
/// The multipliers and scales with which rules are swept: at the edges, one step beyond them, and random.

#include "sweep.hpp"

namespace sweep {

namespace q = dyadic;

constexpr std::int32_t half31 = 1 << 30;  ///< the least full-length Q31 mantissa

inline std::vector<setting> joined(std::vector<setting> a, const std::vector<setting>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Returns settings with non-negative mantissas and right shifts least .. greatest.
/// `pair_of(mantissa, right_shift)` returns the publisher's form. The first five settings are swept over all accumulators:
/// - a tie at every second bit;
/// - bit 31, where two roundings become one;
/// - the next right shift;
/// - the greatest right shift;
/// - a left shift, or the least right shift.
template <class PairOf>
std::vector<setting> q31_edges(int least, int greatest, PairOf pair_of) {
  std::vector<setting> all = {pair_of(half31, 32), pair_of(half31 + 1, 31), pair_of(3 << 29, 34), pair_of(highest32, greatest),
                              pair_of(5 << 28, std::max(30, least))};
  for (const int right_shift : {least, 30, 31, 32, greatest})
    for (const std::int32_t mantissa : {half31 + 1, highest32}) all.push_back(pair_of(mantissa, right_shift));
  for (const int right_shift : {least, 31, greatest})
    for (const std::int32_t mantissa : {1, half31}) all.push_back(pair_of(mantissa, right_shift));
  all.push_back(pair_of(0, 31));
  return all;
}

inline setting left_pair(std::int32_t mantissa, int right_shift) { return pair(mantissa, 31 - right_shift); }

inline std::vector<setting> negative_edges() {
  return {pair(-half31, -1),    pair(-half31 - 1, -1), pair(-highest32, -3),   pair(-1, 0), pair(-1, -31), pair(-highest32, 0),
          pair(-highest32, 30), pair(-highest32, -31), pair(-3 * (1 << 29), 2)};
}

/// Returns settings with the mantissa at which the high multiply saturates.
inline std::vector<setting> least_mantissa_edges() {
  return {pair(lowest32, -2), pair(lowest32, 0), pair(lowest32, 1), pair(lowest32, 30), pair(lowest32, -31)};
}

/// Draws a mantissa of `bits` bits. If `least` is below zero, the mantissa has either sign and is often `least`.
inline std::function<setting(generator&)> random_pair(int bits, int least_shift, int greatest_shift, std::int32_t least = 0) {
  return [=](generator& random) {
    auto mantissa = static_cast<std::int32_t>(random_mantissa(random, bits));
    if (least < 0 && random.one_in(3)) mantissa = random.one_in(8) ? least : -mantissa;
    return pair(mantissa, static_cast<std::int32_t>(random.between(least_shift, greatest_shift)));
  };
}

inline q::output_range int8_range(std::int32_t zero_point) { return {zero_point, -128, 127}; }
inline q::output_range uint8_range(std::int32_t zero_point) { return {zero_point, 0, 255}; }
inline q::output_range int16_range(std::int32_t zero_point) { return {zero_point, -32768, 32767}; }

enum class widest { int8, int16, int32 };

/// Returns an output range that is at most as wide as `limit`, now and then clamped more tightly.
inline q::output_range random_range(generator& random, widest limit) {
  q::output_range range = int8_range(static_cast<std::int32_t>(random.between(-128, 127)));
  if (limit != widest::int8 && random.one_in(2)) range = uint8_range(static_cast<std::int32_t>(random.between(0, 255)));
  if (limit != widest::int8 && random.one_in(3)) range = int16_range(static_cast<std::int32_t>(random.between(-32768, 32767)));
  if (limit == widest::int32 && random.one_in(3)) range = {};
  if (random.one_in(4)) range.min = std::min(range.zero_point, range.max);
  return range;
}

inline std::function<setting(generator&)> random_scale(int bits, int low, int high, widest limit, bool any_sign = false) {
  return [=](generator& random) {
    // Each statement has one call, because compilers differ in the order in which they evaluate arguments.
    const double scale = random_real(random, bits, low, high);
    const q::output_range range = random_range(random, limit);
    return real(any_sign && random.one_in(4) ? -scale : scale, range);
  };
}

/// Returns settings by scales. The first three are swept over all accumulators:
/// - an exact result that is not a tie, although its fp32 product is a tie;
/// - the full range, with a scale one step below a power of two;
/// - a scale with which the int32 range exactly fills an 8-bit output.
/// Other settings are the least and greatest scale, and powers of two.
inline std::vector<setting> scale_edges(double least, double below_limit, q::output_range wide, q::output_range narrow) {
  return {real(0x1.555556p-3, wide),
          real(std::min(0x1.fffffep7, below_limit), wide),
          real(0x1.fffffep-25, narrow),
          real(0.5, narrow),
          real(0.5, wide),
          real(0x1.000002p-1, wide),
          real(0x1.fffffep-2, wide),
          real(0.75, narrow),
          real(0.25, wide),
          real(0x1.8p-8, narrow),
          real(least, wide),
          real(std::nextafter(static_cast<float>(least), 1.0f), wide),
          real(below_limit, narrow)};
}

inline std::vector<setting> refused_scales(double too_small, double too_large) {
  return {real(too_small),
          real(too_large),
          real(0.0),
          real(-0.5),
          real(std::numeric_limits<double>::infinity()),
          real(std::numeric_limits<double>::quiet_NaN())};
}

inline setting onednn(float source, float weight, float output, q::output_range range) {
  setting s = real(static_cast<double>(source), range);
  s.weight_scale = weight;
  s.output_scale = output;
  return s;
}

inline setting random_onednn(generator& random) {
  const auto scale = [&](int low, int high) { return static_cast<float>(random_real(random, 24, low, high)); };
  const float source = scale(-16, 2);
  const float weight = scale(-16, 2);
  const float output = scale(-8, 8);
  setting s = onednn(source, weight, output, random_range(random, widest::int32));
  if (random.one_in(16)) s.scale = random_real(random, 24, -100, 100);
  return s;
}

}  // namespace sweep

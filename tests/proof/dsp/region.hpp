#pragma once
/// \file
/// The lanes, requantize variants and stores of Armv7E-M by the text of the headers, whose std::int32_t is an integer over terms.

#include "arm_acle.h"

#include <dyadic/dyadic.hpp>

namespace dyadic::detail {
namespace over_dsp {

// The operands of assembly, where none has the name.
inline void sum() {}
inline void x() {}
inline void m() {}
inline void rounding() {}
inline void range_() {}

namespace std {
using ::std::byte;
using ::std::conditional_t;
using ::std::decay_t;
using ::std::int16_t;
using ::std::int8_t;
using ::std::integral_constant;
using ::std::is_same_v;
using ::std::is_signed_v;
using ::std::is_unsigned_v;
using ::std::size_t;
using ::std::uint16_t;
using ::std::uint8_t;
using int32_t = proof::integer32;
using int64_t = proof::integer64;
using uint32_t = proof::unsigned32;
}  // namespace std
using one_lane = proof::lane_of_integers;
/// As dyadic's.
struct output_range {
  std::int32_t zero_point;
  std::int32_t min;
  std::int32_t max;
};

#define DYADIC_REGION_LANES <dyadic/backend/dsp/lanes.inc>
#include DYADIC_REGION_LANES
/// That of the formulas, whose zero point is an integer of the language.
template <class L>
auto high_half_rounding(typename L::int32s high_shift, const std::int32_t& zero_point) {
  return over_one_lane::high_half_rounding<L>(high_shift, static_cast<int>(zero_point));
}
#include <dyadic/backend/requantize/variants.inc>

}  // namespace over_dsp
}  // namespace dyadic::detail

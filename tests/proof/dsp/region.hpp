#pragma once
/// \file
/// The code that requantizes on Armv7E-M, compiled from the text of the headers. In the text of lanes and stores, std::int32_t is
/// an integer over terms. In other text std::int32_t is a plain integer, whose value denotes a symbol.

#include "arm_acle.h"

#include <dyadic/backend/contract.hpp>
#include <dyadic/dyadic.hpp>

namespace dyadic::detail {
namespace over_dsp {

namespace text_of_lanes {

// The model of assembly names all operands. These functions are found where the code has no operand of that name.
inline void sum() {}
inline void x() {}
inline void m() {}
inline void rounding() {}
inline void range_() {}

namespace std {
using ::std::byte;
using ::std::conditional_t;
using ::std::int16_t;
using ::std::int8_t;
using ::std::integral_constant;
using ::std::is_same_v;
using ::std::is_signed_v;
using ::std::size_t;
using ::std::uint16_t;
using ::std::uint64_t;
using ::std::uint8_t;
using int32_t = proof::integer32;
using int64_t = proof::integer64;
using uint32_t = proof::unsigned32;
}  // namespace std
using one_lane = proof::lane_of_integers;
/// dyadic::output_range, with integers over terms.
struct output_range {
  std::int32_t zero_point;
  std::int32_t min;
  std::int32_t max;

  output_range(std::int32_t z, std::int32_t least, std::int32_t most) : zero_point{z}, min{least}, max{most} {}
  output_range(const dyadic::output_range& r) : zero_point{r.zero_point}, min{r.min}, max{r.max} {}
};

#define DYADIC_REGION_LANES <dyadic/backend/dsp/lanes.inc>
#include DYADIC_REGION_LANES

}  // namespace text_of_lanes

using text_of_lanes::clamping;
using text_of_lanes::high_half_parameters;
using text_of_lanes::high_half_rounding;
using text_of_lanes::implementation;
using text_of_lanes::part_of_row;
using text_of_lanes::rounded_product_parameters;
using text_of_lanes::saturated_store;
using text_of_lanes::shifted_store;
using text_of_lanes::simd;
using text_of_lanes::vector_store;
using text_of_lanes::whole_product_parameters;
using text_of_lanes::wide_high_half_parameters;
/// Lanes with arrays of numbers that stand for integers over terms.
struct lanes : text_of_lanes::lanes {
  template <class Wide>
  static Wide load_wide(const std::int64_t* x) {
    return text_of_lanes::lanes::load_wide<Wide>(reinterpret_cast<const int64s*>(x));
  }
  static void store(std::int32_t* to, int32s x) { text_of_lanes::lanes::store(reinterpret_cast<int32s*>(to), x); }
  static void store(std::int64_t* to, int64s x) { text_of_lanes::lanes::store(reinterpret_cast<int64s*>(to), x); }
};

#define DYADIC_REGION_MICRO_KERNELS "tile.inc"
#include <dyadic/backend/compact/epilogue.inc>
#include <dyadic/backend/requantize/epilogue.inc>

}  // namespace over_dsp
}  // namespace dyadic::detail

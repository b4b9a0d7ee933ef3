#pragma once
/// \file
/// The backend for Helium, the 128-bit vectors of the M-profile, with floating point. Floor 4.

#include <dyadic/pack.hpp>

#include <arm_mve.h>

namespace dyadic::backend {
/// Armv8.1-M with vectors: Cortex-M55 and newer.
struct mve {
  using fallback = scalar;
  static constexpr const char* name = "mve";
};
}  // namespace dyadic::backend

namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_mve {

/// What the loops over lanes ask of a machine, besides lanes.
struct simd {
  using vector = int32x4_t;
  static constexpr int count = 4;
  static constexpr int tile_rows = 3;
  static constexpr bool has_transposition = false;
  static constexpr bool copies_vectors = true;  ///< in fewer instructions than memcpy
  /// Elements of each row of a tile that are copied at a time, and bytes of weights that are packed at a time: a stack is small.
  static constexpr index_t most_depth = 512;
  static constexpr index_t most_packed = 1024;
  static vector set32(std::int32_t x) noexcept { return vdupq_n_s32(x); }
  static void store(std::int32_t* to, vector x) noexcept { vstrwq_s32(to, x); }
  static void store(std::int8_t* to, int8x16_t x) noexcept { vstrbq_s8(to, x); }
  static void store(std::uint8_t* to, uint8x16_t x) noexcept { vstrbq_u8(to, x); }
  static void store(std::int16_t* to, int16x8_t x) noexcept { vstrhq_s16(to, x); }
  static void store(std::int16_t* to, vector x) noexcept { vstrhq_s16(to, int16s(x)); }
  static vector of(int16x8_t x) noexcept { return vreinterpretq_s32_s16(x); }
  static int16x8_t int16s(vector x) noexcept { return vreinterpretq_s16_s32(x); }
  static vector load(const std::int16_t* x) noexcept { return of(vldrhq_s16(x)); }
  static vector widen_int8_to_int16(const void* p) noexcept { return of(vldrbq_s16(static_cast<const std::int8_t*>(p))); }
  static vector widen_uint8_to_int16(const void* p) noexcept {
    return vreinterpretq_s32_u16(vldrbq_u16(static_cast<const std::uint8_t*>(p)));
  }
  static vector set16(std::int16_t x) noexcept { return of(vdupq_n_s16(x)); }
  static vector add_saturated16(vector a, vector b) noexcept { return of(vqaddq_s16(int16s(a), int16s(b))); }
  static void leave() noexcept {}
};

#include <dyadic/backend/mve.inc>

#include <dyadic/scheme/formula.inc>

#include <dyadic/backend/rescale.inc>

#include <dyadic/backend/mve_tile.inc>

#include <dyadic/backend/layers.inc>

#include <dyadic/backend/mve_depthwise.inc>

}  // namespace over_mve
}  // namespace DYADIC_ISA

template <class Op>
struct kernel<backend::mve, Op>
    : detail::over_lanes<backend::mve, Op, over_mve::layers, over_mve::rescale, over_mve::weight_sums, over_mve::depthwise> {};
template <class X, class W>
inline constexpr weight_order order_of<backend::mve, X, W> = over_mve::layers::order<X, W>();

}  // namespace dyadic

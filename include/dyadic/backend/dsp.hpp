#pragma once
/// \file
/// The backend for the instructions of Armv7E-M that multiply pairs of int16. Floor 4.

#include <dyadic/pack.hpp>

#include <arm_acle.h>

namespace dyadic::backend {
/// Cortex-M4, M7 and M33, and other 32-bit Arm with these instructions.
struct dsp {
  using fallback = scalar;
  static constexpr const char* name = "dsp";
};
}  // namespace dyadic::backend

namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_dsp {

/// What the loops over lanes ask of a machine, besides lanes.
struct simd {
  using vector = std::int32_t;
  static constexpr int count = 1;
  static constexpr int tile_rows = 1;
  static constexpr bool has_transposition = false;
  static constexpr bool copies_vectors = false;
  /// Elements of each row of a tile that are copied at a time, and bytes of weights that are packed at a time: a stack is small.
  static constexpr index_t most_depth = 512;
  static constexpr index_t most_packed = 1024;
  static vector set32(std::int32_t x) noexcept { return x; }
  template <class T>
  static void store(T* to, T x) noexcept {
    *to = x;
  }
  /// Two int16.
  /// @{
  static void store(std::int16_t* to, vector x) noexcept { __builtin_memcpy(to, &x, sizeof(x)); }
  static vector load(const std::int16_t* from) noexcept {
    vector x = 0;
    __builtin_memcpy(&x, from, sizeof(x));
    return x;
  }
  static vector widen_int8_to_int16(const void* p) noexcept { return widen<std::int8_t>(p); }
  static vector widen_uint8_to_int16(const void* p) noexcept { return widen<std::uint8_t>(p); }
  static vector set16(std::int16_t x) noexcept { return static_cast<vector>(static_cast<std::uint16_t>(x) * 0x1'0001u); }
  static vector add_saturated16(vector a, vector b) noexcept { return __qadd16(a, b); }
  /// @}
  static void leave() noexcept {}

 private:
  template <class T>
  static vector widen(const void* p) noexcept {
    T x[2];
    __builtin_memcpy(x, p, sizeof(x));
    return static_cast<vector>((static_cast<std::uint32_t>(x[1]) << 16) | (static_cast<std::uint32_t>(x[0]) & 0xFFFF));
  }
};

/// One at a time.
struct lanes : one_lane {
  static constexpr bool sums_rows = false;
  static constexpr int most_channels = 32;  ///< whose parameters are at hand at a time
  static constexpr index_t least_rows_to_pack = 32;
  static constexpr int vectors_of_step = 1;
  static constexpr bool finishes_registers = false;

  static bool any_negative(int32s x) noexcept { return x < 0; }
  static int64s widen(int32s x) noexcept { return x; }
  /// Where one lane keeps more than int32, an output of 8 or 16 bits is the same.
  static int32s multiply_binary32(int32s x, int32s scale) noexcept { return saturate(one_lane::multiply_binary32(x, scale)); }
  template <class X>
  static int32s load_int32s(const X* x) noexcept {
    return static_cast<int32s>(*x);
  }
  template <class X>
  static int64s load_int64s(const X* x) noexcept {
    if constexpr (std::is_same_v<X, packed_int48>) {
      return x->unpack().value();
    } else {
      X one{};
      __builtin_memcpy(&one, x, sizeof(X));  // whatever it is
      return one;
    }
  }
  /// A product is added to 64 bits: half, and what a rule adds for the sign of x; with m = 0 either one gives the same.
  static constexpr bool adds_to_products = true;
  template <class Rule>
  static DYADIC_ALWAYS_INLINE int32s product_sum(int32s x, int32s m, int32s half) noexcept {
    if constexpr (std::is_same_v<Rule, rule::single_up>) {
      int32s sum = 0;
      __asm__("smmla %0, %1, %2, %3" : "=r"(sum) : "r"(x), "r"(m), "r"(half));
      return sum;
    } else {
      const int32s sign = x >> 31;
      int32s low = sign;
      if constexpr (std::is_same_v<Rule, rule::double_up>)
        low = 1 << 30;
      else if constexpr (std::is_same_v<Rule, rule::double_away>)
        low = (x & int32_min) | 1 << 30;
      else
        static_assert(std::is_same_v<Rule, rule::single_away>);
      const int32s up = std::is_same_v<Rule, rule::double_up> ? half : add(half, sign);
      return high(add(multiply(x, m), static_cast<int64s>(up * (int64s{1} << 32) | static_cast<std::uint32_t>(low))));
    }
  }
  /// The lower and the upper halves of `count` numbers of 64 bits.
  struct low_and_high {
    int32s low;
    int32s high;
  };
  static low_and_high load_halves(const void* x) noexcept {
    const int64s v = load_int64s(static_cast<const std::int64_t*>(x));
    return {wrap(v), high(v)};
  }
  template <class Wide>
  static Wide load_wide(const std::int64_t* x) noexcept {
    return *x;
  }
  static constexpr unsigned place(unsigned i, std::int64_t /*of either type*/) noexcept { return i; }
  static void store(std::int32_t* to, int32s x) noexcept { *to = x; }
  static void store(std::int64_t* to, int64s x) noexcept { *to = x; }

  /// y = clamp(value + zero_point, min, max).
  template <class Y>
  struct output {
    int32s least;  ///< the range less the zero point, saturated to int32
    int32s most;
    output_range range;

    static bool is_plain_of(output_range /*r*/) noexcept { return true; }  // there is one way to store
    static output of(output_range r) noexcept {
      return {dyadic::saturate<std::int32_t>(std::int64_t{r.min} - r.zero_point),
              dyadic::saturate<std::int32_t>(std::int64_t{r.max} - r.zero_point), r};
    }
    /// The sum never wraps: where a bound was saturated, zero_point points away from it.
    DYADIC_ALWAYS_INLINE void store_one(Y* y, int32s x) const noexcept {
      const int32s shifted = min(max(x, least), most) + range.zero_point;
      *y = static_cast<Y>(sizeof(Y) == 4 ? min(max(shifted, range.min), range.max) : shifted);
    }
  };
};

using dyadic::detail::over_one_lane::far_half;
using dyadic::detail::over_one_lane::text;

#include <dyadic/backend/rescale.inc>

#include <dyadic/backend/dsp_tile.inc>

#include <dyadic/backend/layers.inc>

#include <dyadic/backend/dsp_depthwise.inc>

}  // namespace over_dsp
}  // namespace DYADIC_ISA

template <class Op>
struct kernel<backend::dsp, Op>
    : detail::over_lanes<backend::dsp, Op, over_dsp::layers, over_dsp::rescale, over_dsp::weight_sums, over_dsp::depthwise> {};
template <class X, class W>
inline constexpr weight_order order_of<backend::dsp, X, W> = over_dsp::layers::order<X, W>();

}  // namespace dyadic

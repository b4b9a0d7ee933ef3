#pragma once
/// \file
/// The backend for SSE4.1, 128-bit vectors. Floor 4.

#include <dyadic/pack.hpp>

#include <smmintrin.h>

namespace dyadic::backend {
/// x86 with SSE4.1 (2008).
struct sse41 {
  using fallback = scalar;
  static constexpr const char* name = "sse41";
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("sse4.1")
namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_sse41 {

/// The instructions by their meaning.
struct simd {
  using vector = __m128i;
  static constexpr int count = 4;

  static vector load(const void* p) noexcept { return _mm_loadu_si128(static_cast<const vector*>(p)); }
  static void store(void* p, vector v) noexcept { _mm_storeu_si128(static_cast<vector*>(p), v); }
  static vector set8(std::int8_t x) noexcept { return _mm_set1_epi8(x); }
  static vector set16(std::int16_t x) noexcept { return _mm_set1_epi16(x); }
  static vector set32(std::int32_t x) noexcept { return _mm_set1_epi32(x); }
  static vector set64(std::int64_t x) noexcept { return _mm_set1_epi64x(x); }
  static vector widen_int8(const void* p) noexcept { return _mm_cvtepi8_epi32(four_bytes(p)); }
  static vector widen_uint8(const void* p) noexcept { return _mm_cvtepu8_epi32(four_bytes(p)); }
  static vector widen_int16(const void* p) noexcept { return _mm_cvtepi16_epi32(_mm_loadl_epi64(static_cast<const vector*>(p))); }
  static vector widen_uint16(const void* p) noexcept {
    return _mm_cvtepu16_epi32(_mm_loadl_epi64(static_cast<const vector*>(p)));
  }
  static vector widen_first(vector v) noexcept { return _mm_cvtepi32_epi64(v); }
  static vector widen_second(vector v) noexcept { return _mm_cvtepi32_epi64(_mm_unpackhi_epi64(v, v)); }

  static vector bit_and(vector a, vector b) noexcept { return _mm_and_si128(a, b); }
  static vector bit_xor(vector a, vector b) noexcept { return _mm_xor_si128(a, b); }
  static vector add32(vector a, vector b) noexcept { return _mm_add_epi32(a, b); }
  static vector add64(vector a, vector b) noexcept { return _mm_add_epi64(a, b); }
  static vector subtract32(vector a, vector b) noexcept { return _mm_sub_epi32(a, b); }
  static vector subtract64(vector a, vector b) noexcept { return _mm_sub_epi64(a, b); }
  static vector multiply_low32(vector a, vector b) noexcept { return _mm_mullo_epi32(a, b); }
  static vector min32(vector a, vector b) noexcept { return _mm_min_epi32(a, b); }
  static vector max32(vector a, vector b) noexcept { return _mm_max_epi32(a, b); }
  static bool any_negative(vector a) noexcept { return _mm_movemask_ps(_mm_castsi128_ps(a)) != 0; }
  static vector select_greater(vector a, vector b, vector x, vector y) noexcept {
    return _mm_blendv_epi8(y, x, _mm_cmpgt_epi32(a, b));
  }
  static vector select_equal(vector a, vector b, vector x, vector y) noexcept {
    return _mm_blendv_epi8(y, x, _mm_cmpeq_epi32(a, b));
  }

  /// The even 32-bit lanes, as 64-bit products.
  static vector multiply(vector a, vector b) noexcept { return _mm_mul_epi32(a, b); }
  /// a * b modulo 2^64 for b within 31 bits and not negative: the upper half of a counts 2^32 times.
  static vector multiply64(vector a, vector b) noexcept {
    return _mm_add_epi64(_mm_mul_epu32(a, b), _mm_slli_epi64(_mm_mul_epu32(_mm_srli_epi64(a, 32), b), 32));
  }
  /// The conversion gives -2^31 for all that is beyond int32; what is 2^31 or more becomes its complement.
  static vector multiply_binary32(vector a, vector scale) noexcept {
    const __m128 product = _mm_mul_ps(_mm_cvtepi32_ps(a), _mm_castsi128_ps(scale));
    const __m128 too_large = _mm_cmpge_ps(product, _mm_set1_ps(0x1p31f));
    return _mm_xor_si128(_mm_cvtps_epi32(product), _mm_castps_si128(too_large));
  }
  static vector multiply_high_unsigned16(vector a, vector b) noexcept { return _mm_mulhi_epu16(a, b); }
  /// Each odd 32-bit lane, and again in the place of the even one before it.
  static vector odd_twice(vector a) noexcept { return _mm_shuffle_epi32(a, 0xF5); }
  /// The odd 32-bit lanes in the place of the even ones.
  static vector odd(vector a) noexcept { return _mm_srli_epi64(a, 32); }
  static vector merge_low(vector a, vector b) noexcept { return _mm_blend_epi16(a, _mm_slli_epi64(b, 32), 0xCC); }
  static vector merge_high(vector a, vector b) noexcept { return _mm_blend_epi16(_mm_srli_epi64(a, 32), b, 0xCC); }
  static vector join_low(vector a, vector b) noexcept {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88));
  }
  static vector join_high(vector a, vector b) noexcept {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0xDD));
  }
  static vector negative64(vector a) noexcept { return _mm_srai_epi32(_mm_shuffle_epi32(a, 0xF5), 31); }

  static vector shift_right16(vector a, int n) noexcept { return _mm_sra_epi16(a, _mm_cvtsi32_si128(n)); }
  static vector shift_left32(vector a, int n) noexcept { return _mm_sll_epi32(a, _mm_cvtsi32_si128(n)); }
  /// Times 2^n, which is a binary32 with the exponent n; the conversion of 2^31 gives the same bits.
  static vector shift_left32(vector a, vector n) noexcept {
    const __m128 power = _mm_castsi128_ps(_mm_slli_epi32(_mm_add_epi32(n, set32(127)), 23));
    return _mm_mullo_epi32(a, _mm_cvttps_epi32(power));
  }
  static vector shift_right32(vector a, int n) noexcept { return _mm_sra_epi32(a, _mm_cvtsi32_si128(n)); }
  static vector shift_right32(vector a, vector n) noexcept {
    const vector low = _mm_cvtepu32_epi64(n);
    const vector high = _mm_cvtepu32_epi64(_mm_unpackhi_epi64(n, n));
    const vector a01 = _mm_blend_epi16(_mm_sra_epi32(a, low), _mm_sra_epi32(a, _mm_unpackhi_epi64(low, low)), 0x0C);
    const vector a23 = _mm_blend_epi16(_mm_sra_epi32(a, high), _mm_sra_epi32(a, _mm_unpackhi_epi64(high, high)), 0xC0);
    return _mm_blend_epi16(a01, a23, 0xF0);
  }
  /// Arithmetic out of logical: with s = 2^63 >>> n, (a >>> n ^ s) - s.
  static vector shift_right64(vector a, int n) noexcept {
    const vector by = _mm_cvtsi32_si128(n);
    const vector s = _mm_srl_epi64(set64(limits<std::int64_t>::min), by);
    return _mm_sub_epi64(_mm_xor_si128(_mm_srl_epi64(a, by), s), s);
  }
  static vector shift_right64(vector a, vector n) noexcept {
    const vector s = logical_shift64(set64(limits<std::int64_t>::min), n);
    return _mm_sub_epi64(_mm_xor_si128(logical_shift64(a, n), s), s);
  }

  static vector pack32(vector a, vector b) noexcept { return _mm_packs_epi32(a, b); }
  static vector pack32_unsigned(vector a, vector b) noexcept { return _mm_packus_epi32(a, b); }
  static vector pack16(vector a, vector b) noexcept { return _mm_packs_epi16(a, b); }
  static vector pack16_unsigned(vector a, vector b) noexcept { return _mm_packus_epi16(a, b); }
  static vector add_saturated16(vector a, vector b) noexcept { return _mm_adds_epi16(a, b); }
  static vector min_int16(vector a, vector b) noexcept { return _mm_min_epi16(a, b); }
  static vector max_int16(vector a, vector b) noexcept { return _mm_max_epi16(a, b); }
  static vector min_int8(vector a, vector b) noexcept { return _mm_min_epi8(a, b); }
  static vector max_int8(vector a, vector b) noexcept { return _mm_max_epi8(a, b); }
  static vector min_uint8(vector a, vector b) noexcept { return _mm_min_epu8(a, b); }
  static vector max_uint8(vector a, vector b) noexcept { return _mm_max_epu8(a, b); }
  /// What two packs leave in order within 128 bits only, and what one pack leaves.
  static vector order8(vector a) noexcept { return a; }
  static vector order16(vector a) noexcept { return a; }
  /// Before code that may use other registers.
  static void leave() noexcept {}

  static constexpr bool has_quads = false;
  /// 16 bytes at k of the row, and the first or the second halves of two vectors interleaved.
  static constexpr bool has_transposition = true;
  static constexpr bool copies_vectors = false;
  template <class W>
  static vector load_rows(const W* const* rows, int /*step*/, index_t k) noexcept {
    return load(rows[0] + k);
  }
  static vector unpack_low16(vector a, vector b) noexcept { return _mm_unpacklo_epi16(a, b); }
  static vector unpack_high16(vector a, vector b) noexcept { return _mm_unpackhi_epi16(a, b); }
  /// Elements of each row of a tile that are copied at a time, and bytes of weights that are packed at a time.
  static constexpr index_t most_depth = 2304;
  static constexpr index_t most_packed = 32 * 1024;
  static constexpr int tile_rows = 6;
  /// The sums that are so many vectors fit the registers if the compiler does not know that they all begin with the same.
  static void make_opaque(vector& v) noexcept { __asm__("" : "+x"(v)); }
  /// Outputs of a depthwise convolution that are under way.
  static constexpr int block_outputs = 4;
  /// How many sums must be under way to fill the time that one takes.
  static constexpr int least_sums = 4;
  /// acc + x w, of two 16-bit numbers in each 32 bits. Not of four times -32768.
  static vector add_products(vector acc, vector x, vector w) noexcept { return _mm_add_epi32(acc, _mm_madd_epi16(x, w)); }
  static vector widen_int8_to_int16(const void* p) noexcept {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(static_cast<const vector*>(p)));
  }
  static vector widen_uint8_to_int16(const void* p) noexcept {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(static_cast<const vector*>(p)));
  }
  /// The 16-bit numbers of a and b in turn, of the first and of the second half of each 128 bits.
  static vector interleave_low16(vector a, vector b) noexcept { return _mm_unpacklo_epi16(a, b); }
  static vector interleave_high16(vector a, vector b) noexcept { return _mm_unpackhi_epi16(a, b); }
  static void store_half(void* p, vector v) noexcept { _mm_storel_epi64(static_cast<vector*>(p), v); }

 private:
  static vector four_bytes(const void* p) noexcept {
    std::int32_t bytes = 0;
    __builtin_memcpy(&bytes, p, 4);
    return _mm_cvtsi32_si128(bytes);
  }
  static vector logical_shift64(vector a, vector n) noexcept {
    return _mm_blend_epi16(_mm_srl_epi64(a, n), _mm_srl_epi64(a, _mm_unpackhi_epi64(n, n)), 0xF0);
  }
};

#include <dyadic/backend/x86.inc>

#include <dyadic/scheme/formula.inc>

#include <dyadic/backend/rescale.inc>

#include <dyadic/backend/tile.inc>

#include <dyadic/backend/layers.inc>

#include <dyadic/backend/depthwise_pairs.inc>

}  // namespace over_sse41
}  // namespace DYADIC_ISA
}  // namespace dyadic
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::sse41, Op> : detail::over_lanes<backend::sse41, Op, over_sse41::layers, over_sse41::rescale,
                                                       over_sse41::weight_sums, over_sse41::depthwise> {};
template <class X, class W>
inline constexpr weight_order order_of<backend::sse41, X, W> = over_sse41::layers::order<X, W>();

}  // namespace dyadic

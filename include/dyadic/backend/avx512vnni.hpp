#pragma once
/// \file
/// The backend for AVX-512 with VNNI, 512-bit vectors. Floor 4.

#include <dyadic/backend/avx2.hpp>

namespace dyadic::backend {
/// x86 with AVX-512 F, BW, DQ, VL and VNNI (2019).
struct avx512vnni {
  using fallback = avx2;
  static constexpr const char* name = "avx512vnni";
};
}  // namespace dyadic::backend

DYADIC_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
namespace dyadic {
inline namespace DYADIC_ISA {
namespace over_avx512vnni {

/// The instructions by their meaning.
struct simd {
  using vector = __m512i;
  static constexpr int count = 16;
  // With a mask of all lanes: without one, GCC 12 warns of the undefined vector that its header passes.
  static constexpr __mmask16 all16 = 0xFFFF;
  static constexpr __mmask8 all8 = 0xFF;
  static constexpr __mmask32 all32 = 0xFFFF'FFFF;

  static vector load(const void* p) noexcept { return _mm512_loadu_si512(p); }
  static void store(void* p, vector v) noexcept { _mm512_storeu_si512(p, v); }
  static vector set8(std::int8_t x) noexcept { return _mm512_set1_epi8(x); }
  static vector set16(std::int16_t x) noexcept { return _mm512_set1_epi16(x); }
  static vector set32(std::int32_t x) noexcept { return _mm512_set1_epi32(x); }
  static vector set64(std::int64_t x) noexcept { return _mm512_set1_epi64(x); }
  static vector widen_int8(const void* p) noexcept { return _mm512_maskz_cvtepi8_epi32(all16, quarter(p)); }
  static vector widen_uint8(const void* p) noexcept { return _mm512_maskz_cvtepu8_epi32(all16, quarter(p)); }
  static vector widen_int16(const void* p) noexcept { return _mm512_maskz_cvtepi16_epi32(all16, half(p)); }
  static vector widen_uint16(const void* p) noexcept { return _mm512_maskz_cvtepu16_epi32(all16, half(p)); }
  static vector widen_first(vector v) noexcept {
    return _mm512_maskz_cvtepi32_epi64(all8, _mm512_maskz_extracti64x4_epi64(0xF, v, 0));
  }
  static vector widen_second(vector v) noexcept {
    return _mm512_maskz_cvtepi32_epi64(all8, _mm512_maskz_extracti64x4_epi64(0xF, v, 1));
  }

  static vector bit_and(vector a, vector b) noexcept { return _mm512_and_si512(a, b); }
  static vector bit_xor(vector a, vector b) noexcept { return _mm512_xor_si512(a, b); }
  static vector add32(vector a, vector b) noexcept { return _mm512_add_epi32(a, b); }
  static vector add64(vector a, vector b) noexcept { return _mm512_add_epi64(a, b); }
  static vector subtract32(vector a, vector b) noexcept { return _mm512_sub_epi32(a, b); }
  static vector subtract64(vector a, vector b) noexcept { return _mm512_sub_epi64(a, b); }
  static vector multiply_low32(vector a, vector b) noexcept { return _mm512_mullo_epi32(a, b); }
  static vector min32(vector a, vector b) noexcept { return _mm512_maskz_min_epi32(all16, a, b); }
  static vector max32(vector a, vector b) noexcept { return _mm512_maskz_max_epi32(all16, a, b); }
  static bool any_negative(vector a) noexcept { return _mm512_movepi32_mask(a) != 0; }
  static vector select_greater(vector a, vector b, vector x, vector y) noexcept {
    return _mm512_mask_mov_epi32(y, _mm512_cmpgt_epi32_mask(a, b), x);
  }
  static vector select_equal(vector a, vector b, vector x, vector y) noexcept {
    return _mm512_mask_mov_epi32(y, _mm512_cmpeq_epi32_mask(a, b), x);
  }

  /// The even 32-bit lanes, as 64-bit products.
  static vector multiply(vector a, vector b) noexcept { return _mm512_maskz_mul_epi32(all8, a, b); }
  /// a * b modulo 2^64.
  static vector multiply64(vector a, vector b) noexcept { return _mm512_mullo_epi64(a, b); }
  /// The conversion gives -2^31 for all that is beyond int32.
  static vector multiply_binary32(vector a, vector scale) noexcept {
    const __m512 product = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(all16, a), _mm512_castsi512_ps(scale));
    const __mmask16 too_large = _mm512_cmp_ps_mask(product, _mm512_set1_ps(0x1p31f), _CMP_GE_OQ);
    return _mm512_mask_mov_epi32(_mm512_maskz_cvtps_epi32(all16, product), too_large, set32(int32_max));
  }
  static vector multiply_high_unsigned16(vector a, vector b) noexcept { return _mm512_mulhi_epu16(a, b); }
  /// Each odd 32-bit lane, and again in the place of the even one before it.
  static vector odd_twice(vector a) noexcept { return _mm512_maskz_shuffle_epi32(all16, a, _MM_PERM_DDBB); }
  /// The odd 32-bit lanes in the place of the even ones.
  static vector odd(vector a) noexcept { return _mm512_maskz_srli_epi64(all8, a, 32); }
  static vector merge_low(vector a, vector b) noexcept { return _mm512_mask_shuffle_epi32(a, 0xAAAA, b, _MM_PERM_CCAA); }
  static vector merge_high(vector a, vector b) noexcept { return _mm512_mask_shuffle_epi32(b, 0x5555, a, _MM_PERM_DDBB); }
  static vector join_low(vector a, vector b) noexcept {
    const vector even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(a, even, b);
  }
  static vector join_high(vector a, vector b) noexcept {
    const vector odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_epi32(a, odd, b);
  }
  static vector negative64(vector a) noexcept { return _mm512_maskz_srai_epi64(all8, a, 63); }

  static vector shift_right16(vector a, int n) noexcept { return _mm512_maskz_sra_epi16(all32, a, _mm_cvtsi32_si128(n)); }
  static vector shift_left32(vector a, int n) noexcept { return _mm512_maskz_sll_epi32(all16, a, _mm_cvtsi32_si128(n)); }
  static vector shift_left32(vector a, vector n) noexcept { return _mm512_maskz_sllv_epi32(all16, a, n); }
  static vector shift_right32(vector a, int n) noexcept { return _mm512_maskz_sra_epi32(all16, a, _mm_cvtsi32_si128(n)); }
  static vector shift_right32(vector a, vector n) noexcept { return _mm512_maskz_srav_epi32(all16, a, n); }
  static vector shift_right64(vector a, int n) noexcept { return _mm512_maskz_sra_epi64(all8, a, _mm_cvtsi32_si128(n)); }
  static vector shift_right64(vector a, vector n) noexcept { return _mm512_maskz_srav_epi64(all8, a, n); }

  static vector pack32(vector a, vector b) noexcept { return _mm512_packs_epi32(a, b); }
  static vector pack32_unsigned(vector a, vector b) noexcept { return _mm512_packus_epi32(a, b); }
  static vector pack16(vector a, vector b) noexcept { return _mm512_packs_epi16(a, b); }
  static vector pack16_unsigned(vector a, vector b) noexcept { return _mm512_packus_epi16(a, b); }
  static vector add_saturated16(vector a, vector b) noexcept { return _mm512_adds_epi16(a, b); }
  static vector min_int16(vector a, vector b) noexcept { return _mm512_min_epi16(a, b); }
  static vector max_int16(vector a, vector b) noexcept { return _mm512_max_epi16(a, b); }
  static vector min_int8(vector a, vector b) noexcept { return _mm512_min_epi8(a, b); }
  static vector max_int8(vector a, vector b) noexcept { return _mm512_max_epi8(a, b); }
  static vector min_uint8(vector a, vector b) noexcept { return _mm512_min_epu8(a, b); }
  static vector max_uint8(vector a, vector b) noexcept { return _mm512_max_epu8(a, b); }
  /// What two packs leave in order within 128 bits only, and what one pack leaves.
  static vector order8(vector a) noexcept {
    return _mm512_maskz_permutexvar_epi32(all16, _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), a);
  }
  static vector order16(vector a) noexcept {
    return _mm512_maskz_permutexvar_epi64(all8, _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), a);
  }
  /// Legacy SSE code after this one runs at less than half its speed while upper halves are in use.
  static void leave() noexcept { _mm256_zeroupper(); }

  static constexpr bool has_quads = true;
  /// 16 bytes at k of the rows 0, step, 2 step and 3 step; and the first or the second halves of two vectors interleaved, within
  /// 128 bits.
  static constexpr bool has_transposition = true;
  static constexpr bool copies_vectors = false;
  template <class W>
  static vector load_rows(const W* const* rows, int step, index_t k) noexcept {
    vector v = _mm512_maskz_broadcast_i32x4(0x000F, quarter(rows[0] + k));
    v = _mm512_mask_broadcast_i32x4(v, 0x00F0, quarter(rows[step] + k));
    v = _mm512_mask_broadcast_i32x4(v, 0x0F00, quarter(rows[2 * step] + k));
    return _mm512_mask_broadcast_i32x4(v, 0xF000, quarter(rows[3 * step] + k));
  }
  static vector unpack_low16(vector a, vector b) noexcept { return _mm512_unpacklo_epi16(a, b); }
  static vector unpack_high16(vector a, vector b) noexcept { return _mm512_unpackhi_epi16(a, b); }
  static vector unpack_low32(vector a, vector b) noexcept { return _mm512_maskz_unpacklo_epi32(all16, a, b); }
  static vector unpack_high32(vector a, vector b) noexcept { return _mm512_maskz_unpackhi_epi32(all16, a, b); }
  /// Elements of each row of a tile that are copied at a time, and bytes of weights that are packed at a time.
  static constexpr index_t most_depth = 2304;
  static constexpr index_t most_packed = 32 * 1024;
  static constexpr int tile_rows = 12;
  /// The sums that are so many vectors fit the registers if the compiler does not know that they all begin with the same.
  static void make_opaque(vector& v) noexcept { __asm__("" : "+v"(v)); }
  /// Outputs of a depthwise convolution that are under way.
  static constexpr int block_outputs = 8;
  /// How many sums must be under way to fill the time that one takes.
  static constexpr int least_sums = 10;
  /// acc + x w, of two 16-bit numbers in each 32 bits. Clang takes the intrinsic for a multiplication and an addition.
  static vector add_products(vector acc, vector x, vector w) noexcept {
    __asm__("vpdpwssd {%2, %1, %0|%0, %1, %2}" : "+v"(acc) : "v"(x), "v"(w));
    return acc;
  }
  /// acc + x w, of four numbers of 8 bits in each 32: x without sign, w with.
  static vector add_quads(vector acc, vector x, vector w) noexcept {
    __asm__("vpdpbusd {%2, %1, %0|%0, %1, %2}" : "+v"(acc) : "v"(x), "v"(w));
    return acc;
  }
  static vector widen_int8_to_int16(const void* p) noexcept { return _mm512_maskz_cvtepi8_epi16(all32, half(p)); }
  static vector widen_uint8_to_int16(const void* p) noexcept { return _mm512_maskz_cvtepu8_epi16(all32, half(p)); }
  /// The 16-bit numbers of a and b in turn, of the first and of the second half of each 128 bits.
  static vector interleave_low16(vector a, vector b) noexcept { return _mm512_unpacklo_epi16(a, b); }
  static vector interleave_high16(vector a, vector b) noexcept { return _mm512_unpackhi_epi16(a, b); }
  /// Of each four 16-bit numbers the upper bytes and then the lower ones.
  static vector deal_bytes(vector a) noexcept {
    const __m128i odd_first = _mm_setr_epi8(1, 3, 5, 7, 0, 2, 4, 6, 9, 11, 13, 15, 8, 10, 12, 14);
    return _mm512_shuffle_epi8(a, _mm512_maskz_broadcast_i32x4(all16, odd_first));
  }
  /// The lanes of two vectors whose 16-bit numbers `interleave_low16` and `interleave_high16` made, in order.
  static vector ordered_first(vector a, vector b) noexcept {
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
  }
  static vector ordered_second(vector a, vector b) noexcept {
    return _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b);
  }
  static void store_half(void* p, vector v) noexcept { _mm512_mask_storeu_epi64(p, 0xF, v); }

 private:
  static __m128i quarter(const void* p) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static __m256i half(const void* p) noexcept { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
};

#include <dyadic/backend/x86.inc>

#include <dyadic/scheme/formula.inc>

#include <dyadic/backend/rescale.inc>

#include <dyadic/backend/tile.inc>

#include <dyadic/backend/layers.inc>

#include <dyadic/backend/halves_tile.inc>

#include <dyadic/backend/depthwise_pairs.inc>

}  // namespace over_avx512vnni
}  // namespace DYADIC_ISA
}  // namespace dyadic
DYADIC_END_TARGET

namespace dyadic {

template <class Op>
struct kernel<backend::avx512vnni, Op>
    : detail::over_lanes<backend::avx512vnni, Op, over_avx512vnni::layers, over_avx512vnni::rescale, over_avx512vnni::weight_sums,
                         over_avx512vnni::depthwise> {};
template <class X, class W>
inline constexpr weight_order order_of<backend::avx512vnni, X, W> = over_avx512vnni::layers::order<X, W>();

}  // namespace dyadic

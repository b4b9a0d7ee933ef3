#pragma once
/// \file
/// SSE4.1 and AVX2, with one name for 128 bits and one for 256 bits. Included by immintrin.h.

#define DYADIC_OF_ONE(name, bits, value)                      \
  inline __m128i _mm_##name(const __m128i& x) {               \
    return proof::each(                                       \
        bits, [](const proof::term& a) { return value; }, x); \
  }                                                           \
  inline __m256i _mm256_##name(const __m256i& x) {            \
    return proof::each(                                       \
        bits, [](const proof::term& a) { return value; }, x); \
  }
#define DYADIC_OF_TWO_NAMED(first, second, bits, value)                                \
  inline __m128i first(const __m128i& x, const __m128i& y) {                           \
    return proof::each(                                                                \
        bits, [](const proof::term& a, const proof::term& b) { return value; }, x, y); \
  }                                                                                    \
  inline __m256i second(const __m256i& x, const __m256i& y) {                          \
    return proof::each(                                                                \
        bits, [](const proof::term& a, const proof::term& b) { return value; }, x, y); \
  }
#define DYADIC_OF_TWO(name, bits, value) DYADIC_OF_TWO_NAMED(_mm_##name, _mm256_##name, bits, value)
DYADIC_OF_TWO(add_epi32, 32, a + b)
DYADIC_OF_TWO(add_epi64, 64, a + b)
DYADIC_OF_TWO(sub_epi32, 32, a - b)
DYADIC_OF_TWO(sub_epi64, 64, a - b)
DYADIC_OF_TWO_NAMED(_mm_and_si128, _mm256_and_si256, 32, a& b)
DYADIC_OF_TWO_NAMED(_mm_xor_si128, _mm256_xor_si256, 32, a ^ b)
DYADIC_OF_TWO(mullo_epi32, 32, product_wrapped(a, b))
DYADIC_OF_TWO(mul_epi32, 64, product(wrapped(a, 32), wrapped(b, 32)))
DYADIC_OF_TWO(mul_epu32, 64, product_unsigned(wrapped(a, 32), wrapped(b, 32)))
DYADIC_OF_TWO(mulhi_epu16, 16, extract(product_unsigned(a, b), 31, 16))
DYADIC_OF_TWO(madd_epi16, 32, sum_of_products(a, b))
DYADIC_OF_TWO(cmpgt_epi32, 32, all_ones_if(less(b, a), 32))
DYADIC_OF_TWO(cmpeq_epi32, 32, all_ones_if(equal(a, b), 32))
DYADIC_OF_TWO(min_epi32, 32, min(a, b))
DYADIC_OF_TWO(max_epi32, 32, max(a, b))
DYADIC_OF_TWO(min_epi16, 16, min(a, b))
DYADIC_OF_TWO(max_epi16, 16, max(a, b))
DYADIC_OF_TWO(min_epi8, 8, min(a, b))
DYADIC_OF_TWO(max_epi8, 8, max(a, b))
DYADIC_OF_TWO(min_epu8, 8, min_unsigned(a, b))
DYADIC_OF_TWO(max_epu8, 8, max_unsigned(a, b))
DYADIC_OF_TWO(adds_epi16, 16, add_saturated(a, b))
DYADIC_OF_TWO(sllv_epi32, 32, shift_left(a, b))
DYADIC_OF_TWO(srav_epi32, 32, shift_right(a, b))
DYADIC_OF_TWO(srlv_epi32, 32, shift_right_unsigned(a, b))
DYADIC_OF_TWO(srlv_epi64, 64, shift_right_unsigned(a, b))
DYADIC_OF_ONE(cvttps_epi32, 32, converted(a))
inline __m256 _mm256_and_ps(const __m256& x, const __m256& y) {
  return proof::each(
      32, [](const proof::term& a, const proof::term& b) { return a & b; }, x, y);
}
inline __m256 _mm256_or_ps(const __m256& x, const __m256& y) {
  return proof::each(
      32, [](const proof::term& a, const proof::term& b) { return a | b; }, x, y);
}
inline __m256 _mm256_fmadd_ps(const __m256& x, const __m256& y, const __m256& z) {
  return proof::each(32, proof::multiply_add, x, y, z);
}
inline __m256 _mm256_cvtepi32_ps(const __m256i& x) { return proof::each(32, proof::binary32_of, x); }
inline __m256i _mm256_cmpgt_epi64(const __m256i& x, const __m256i& y) {
  return proof::each(
      64, [](const proof::term& a, const proof::term& b) { return all_ones_if(less(b, a), 64); }, x, y);
}

// Shifts by a number, and by the lower half of a register.
#define DYADIC_SHIFT(name, bits, shift)                                        \
  inline __m128i _mm_##name(const __m128i& x, int n) {                         \
    return proof::each_shifted(bits, x, proof::number(bits, n), proof::shift); \
  }                                                                            \
  inline __m256i _mm256_##name(const __m256i& x, int n) {                      \
    return proof::each_shifted(bits, x, proof::number(bits, n), proof::shift); \
  }
#define DYADIC_SHIFT_BY_REGISTER(name, bits, shift)                                 \
  inline __m128i _mm_##name(const __m128i& x, const __m128i& n) {                   \
    return proof::each_shifted(bits, x, proof::shift_count(n, bits), proof::shift); \
  }                                                                                 \
  inline __m256i _mm256_##name(const __m256i& x, const __m128i& n) {                \
    return proof::each_shifted(bits, x, proof::shift_count(n, bits), proof::shift); \
  }
DYADIC_SHIFT(slli_epi32, 32, shift_left)
DYADIC_SHIFT(srai_epi32, 32, shift_right)
DYADIC_SHIFT(slli_epi64, 64, shift_left)
DYADIC_SHIFT(srli_epi64, 64, shift_right_unsigned)
DYADIC_SHIFT_BY_REGISTER(sll_epi16, 16, shift_left)
DYADIC_SHIFT_BY_REGISTER(sra_epi16, 16, shift_right)
DYADIC_SHIFT_BY_REGISTER(sll_epi32, 32, shift_left)
DYADIC_SHIFT_BY_REGISTER(sra_epi32, 32, shifted_right)
DYADIC_SHIFT_BY_REGISTER(srl_epi32, 32, shift_right_unsigned)
DYADIC_SHIFT_BY_REGISTER(srl_epi64, 64, shift_right_unsigned)

// Instructions that pack two vectors into one.
#define DYADIC_PACK(name, bits, narrow)                                                                            \
  inline __m128i _mm_##name(const __m128i& x, const __m128i& y) { return proof::pack(bits, x, y, proof::narrow); } \
  inline __m256i _mm256_##name(const __m256i& x, const __m256i& y) { return proof::pack(bits, x, y, proof::narrow); }
DYADIC_PACK(packs_epi32, 32, saturated)
DYADIC_PACK(packs_epi16, 16, saturated)
DYADIC_PACK(packus_epi32, 32, saturated_unsigned)
DYADIC_PACK(packus_epi16, 16, saturated_unsigned)

// Shuffles and blends.
inline __m128i _mm_shuffle_epi32(const __m128i& x, int order) { return proof::shuffled(x, order); }
inline __m256i _mm256_shuffle_epi32(const __m256i& x, int order) { return proof::shuffled(x, order); }
inline __m128 _mm_shuffle_ps(const __m128& x, const __m128& y, int order) { return proof::shuffled(x, y, order); }
inline __m256 _mm256_shuffle_ps(const __m256& x, const __m256& y, int order) { return proof::shuffled(x, y, order); }
inline __m128i _mm_unpackhi_epi64(const __m128i& x, const __m128i& y) {
  return __m128i::make(64, [&](int i) { return (i == 0 ? x : y).at(64, 1); });
}
inline __m128i _mm_blend_epi16(const __m128i& x, const __m128i& y, int k) {
  return proof::masked(static_cast<std::uint32_t>(k), 16, y, x);
}
inline __m256i _mm256_blend_epi32(const __m256i& x, const __m256i& y, int k) {
  return proof::masked(static_cast<std::uint32_t>(k), 32, y, x);
}
inline __m128i _mm_blendv_epi8(const __m128i& x, const __m128i& y, const __m128i& k) { return proof::chosen_by_bytes(x, y, k); }
inline __m256i _mm256_blendv_epi8(const __m256i& x, const __m256i& y, const __m256i& k) {
  return proof::chosen_by_bytes(x, y, k);
}
inline __m256i _mm256_permute4x64_epi64(const __m256i& x, int order) {
  return __m256i::make(64, [&](int i) { return x.at(64, order >> 2 * i & 3); });
}
inline __m256i _mm256_permutevar8x32_epi32(const __m256i& x, const __m256i& index) {
  return __m256i::make(32, [&](int i) { return x.at(32, static_cast<int>(index.at(32, i).value() % 8)); });
}

// Broadcasts and conversions to wider elements.
inline __m128i _mm_set1_epi8(int x) { return proof::all_of<4>(8, x); }
inline __m256i _mm256_set1_epi8(int x) { return proof::all_of<8>(8, x); }
inline __m128i _mm_set1_epi16(int x) { return proof::all_of<4>(16, x); }
inline __m256i _mm256_set1_epi16(int x) { return proof::all_of<8>(16, x); }
inline __m128i _mm_set1_epi32(int x) { return proof::all_of<4>(32, x); }
inline __m256i _mm256_set1_epi32(int x) { return proof::all_of<8>(32, x); }
inline __m128i _mm_set1_epi64x(std::int64_t x) { return proof::all_of<4>(64, x); }
inline __m256i _mm256_set1_epi64x(std::int64_t x) { return proof::all_of<8>(64, x); }
inline __m128i _mm_setzero_si128() { return __m128i{}; }
inline __m256i _mm256_setzero_si256() { return __m256i{}; }
inline __m128i _mm_cvtsi32_si128(int x) { return __m128i{{static_cast<std::uint32_t>(x), 0, 0, 0}}; }
template <class... X>
__m128i _mm_setr_epi8(X... x) {
  return proof::listed<4>(8, x...);
}
template <class... X>
__m256i _mm256_setr_epi32(X... x) {
  return proof::listed<8>(32, x...);
}
#define DYADIC_WIDEN(name, bits, to, has_sign)                                                     \
  inline __m128i _mm_##name(const __m128i& x) { return proof::widened<4>(bits, to, x, has_sign); } \
  inline __m256i _mm256_##name(const __m128i& x) { return proof::widened<8>(bits, to, x, has_sign); }
DYADIC_WIDEN(cvtepi8_epi32, 8, 32, true)
DYADIC_WIDEN(cvtepu8_epi32, 8, 32, false)
DYADIC_WIDEN(cvtepi16_epi32, 16, 32, true)
DYADIC_WIDEN(cvtepu16_epi32, 16, 32, false)
DYADIC_WIDEN(cvtepi32_epi64, 32, 64, true)
DYADIC_WIDEN(cvtepu32_epi64, 32, 64, false)
inline proof::comparable _mm_movemask_ps(const __m128& x) { return proof::signs(x); }
inline proof::comparable _mm256_movemask_ps(const __m256& x) { return proof::signs(x); }

// Casts that keep the bits.
inline __m128 _mm_castsi128_ps(const __m128i& x) { return x; }
inline __m128i _mm_castps_si128(const __m128& x) { return x; }
inline __m256 _mm256_castsi256_ps(const __m256i& x) { return x; }
inline __m256i _mm256_castps_si256(const __m256& x) { return x; }
inline __m128i _mm256_castsi256_si128(const __m256i& x) { return proof::some_words<4>(x, 0); }
inline __m128i _mm256_extracti128_si256(const __m256i& x, int k) { return proof::some_words<4>(x, 4 * k); }

// Memory.
inline __m128i _mm_loadu_si128(const __m128i* from) { return proof::load<4>(from); }
inline __m256i _mm256_loadu_si256(const __m256i* from) { return proof::load<8>(from); }
inline __m128i _mm_loadl_epi64(const __m128i* from) { return proof::load<4>(from, 8); }
inline void _mm_storeu_si128(__m128i* to, const __m128i& x) { proof::store(to, x); }
inline void _mm256_storeu_si256(__m256i* to, const __m256i& x) { proof::store(to, x); }
inline void _mm_storel_epi64(__m128i* to, const __m128i& x) { proof::store(to, x, 8); }
inline void _mm256_zeroupper() {}

// Instructions that multiply weights, convolve, or compute in binary32.
#define DYADIC_NO_MODEL(name)                             \
  inline constexpr proof::no_model<__m128i> _mm_##name{}; \
  inline constexpr proof::no_model<__m256i> _mm256_##name{};
inline constexpr proof::no_model<std::int32_t> _mm_cvtsi128_si32{};
DYADIC_NO_MODEL(add_epi16)
DYADIC_NO_MODEL(cvtepi8_epi16)
DYADIC_NO_MODEL(cvtepu8_epi16)
DYADIC_NO_MODEL(maddubs_epi16)
DYADIC_NO_MODEL(sub_epi8)
DYADIC_NO_MODEL(srli_epi16)
DYADIC_NO_MODEL(srai_epi16)
DYADIC_NO_MODEL(unpacklo_epi16)
DYADIC_NO_MODEL(unpackhi_epi16)
DYADIC_NO_MODEL(cvtps_epi32)
DYADIC_NO_MODEL(cmpeq_epi64)
DYADIC_NO_MODEL(sll_epi64)
DYADIC_NO_MODEL(sllv_epi64)
DYADIC_NO_MODEL(add_pd)
DYADIC_NO_MODEL(add_ps)
DYADIC_NO_MODEL(min_pd)
DYADIC_NO_MODEL(mul_pd)
DYADIC_NO_MODEL(mul_ps)
DYADIC_NO_MODEL(round_pd)
DYADIC_NO_MODEL(set1_ps)
inline constexpr proof::no_model<__m128i> _mm_cvtepi32_ps{};
inline constexpr proof::no_model<__m128i> _mm_castpd_si128{};
inline constexpr proof::no_model<__m128i> _mm_castsi128_pd{};
inline constexpr proof::no_model<__m256i> _mm256_castpd_si256{};
inline constexpr proof::no_model<__m256i> _mm256_castsi256_pd{};
inline constexpr proof::no_model<__m128i> _mm_set_epi64x{};
inline constexpr proof::no_model<__m128i> _mm_shuffle_epi8{};
inline constexpr proof::no_model<__m256i> _mm256_shuffle_epi8{};
inline constexpr proof::no_model<__m128i> _mm_unpacklo_epi32{};
inline constexpr proof::no_model<__m256i> _mm256_unpacklo_epi32{};
inline constexpr proof::no_model<__m256i> _mm256_unpackhi_epi32{};
inline constexpr proof::no_model<__m256i> _mm256_i32gather_epi32{};
inline constexpr proof::no_model<__m256i> _mm256_broadcastsi128_si256{};
inline constexpr proof::no_model<__m128> _mm_cmpge_ps{};
inline constexpr proof::no_model<__m256> _mm256_cmp_ps{};
inline constexpr proof::no_model<__m256i> _mm256_inserti128_si256{};
inline constexpr proof::no_model<__m256i> _mm256_castsi128_si256{};
#define _mm_getcsr \
  proof::no_model<unsigned> {}

#undef DYADIC_OF_ONE
#undef DYADIC_OF_TWO_NAMED
#undef DYADIC_OF_TWO
#undef DYADIC_SHIFT
#undef DYADIC_SHIFT_BY_REGISTER
#undef DYADIC_PACK
#undef DYADIC_WIDEN
#undef DYADIC_NO_MODEL

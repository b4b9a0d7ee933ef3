#pragma once
/// \file
/// AVX-512. Functions take a mask of all elements where the compiler's header would warn without a mask.
/// Included by immintrin.h.

#define DYADIC_OF_TWO(name, bits, value)                                               \
  inline __m512i _mm512_##name(const __m512i& x, const __m512i& y) {                   \
    return proof::each(                                                                \
        bits, [](const proof::term& a, const proof::term& b) { return value; }, x, y); \
  }
#define DYADIC_OF_TWO_MASKED(name, bits, value)                                           \
  inline __m512i _mm512_maskz_##name(const mask& k, const __m512i& x, const __m512i& y) { \
    k.need_all(512 / bits);                                                               \
    return proof::each(                                                                   \
        bits, [](const proof::term& a, const proof::term& b) { return value; }, x, y);    \
  }
DYADIC_OF_TWO(add_epi32, 32, a + b)
DYADIC_OF_TWO(add_epi64, 64, a + b)
DYADIC_OF_TWO(sub_epi32, 32, a - b)
DYADIC_OF_TWO(sub_epi64, 64, a - b)
DYADIC_OF_TWO(and_si512, 32, a& b)
DYADIC_OF_TWO(xor_si512, 32, a ^ b)
DYADIC_OF_TWO(mullo_epi32, 32, product_wrapped(a, b))
DYADIC_OF_TWO(mullo_epi64, 64, product_low(a, b))
DYADIC_OF_TWO(mulhi_epu16, 16, extract(product_unsigned(a, b), 31, 16))
DYADIC_OF_TWO(min_epi16, 16, min(a, b))
DYADIC_OF_TWO(max_epi16, 16, max(a, b))
DYADIC_OF_TWO(min_epi8, 8, min(a, b))
DYADIC_OF_TWO(max_epi8, 8, max(a, b))
DYADIC_OF_TWO(min_epu8, 8, min_unsigned(a, b))
DYADIC_OF_TWO(max_epu8, 8, max_unsigned(a, b))
DYADIC_OF_TWO(adds_epi16, 16, add_saturated(a, b))
DYADIC_OF_TWO_MASKED(mul_epi32, 64, product(wrapped(a, 32), wrapped(b, 32)))
DYADIC_OF_TWO_MASKED(mul_epu32, 64, product_unsigned(wrapped(a, 32), wrapped(b, 32)))
DYADIC_OF_TWO_MASKED(min_epi32, 32, min(a, b))
DYADIC_OF_TWO_MASKED(max_epi32, 32, max(a, b))
DYADIC_OF_TWO_MASKED(sllv_epi32, 32, shift_left(a, b))
DYADIC_OF_TWO_MASKED(srav_epi32, 32, shift_right(a, b))
DYADIC_OF_TWO_MASKED(srav_epi64, 64, shift_right(a, b))

#define DYADIC_SHIFT(name, bits, shift)                                        \
  inline __m512i _mm512_maskz_##name(const mask& k, const __m512i& x, int n) { \
    k.need_all(512 / bits);                                                    \
    return proof::each_shifted(bits, x, proof::number(bits, n), proof::shift); \
  }
#define DYADIC_SHIFT_BY_REGISTER(name, bits, shift)                                       \
  inline __m512i _mm512_maskz_##name(const mask& k, const __m512i& x, const __m128i& n) { \
    k.need_all(512 / bits);                                                               \
    return proof::each_shifted(bits, x, proof::shift_count(n, bits), proof::shift);       \
  }
DYADIC_SHIFT(srli_epi64, 64, shift_right_unsigned)
DYADIC_SHIFT(srai_epi64, 64, shift_right)
DYADIC_SHIFT_BY_REGISTER(sll_epi16, 16, shift_left)
DYADIC_SHIFT_BY_REGISTER(sra_epi16, 16, shift_right)
DYADIC_SHIFT_BY_REGISTER(sll_epi32, 32, shift_left)
DYADIC_SHIFT_BY_REGISTER(sra_epi32, 32, shifted_right)
DYADIC_SHIFT_BY_REGISTER(sra_epi64, 64, shift_right)

#define DYADIC_PACK(name, bits, narrow) \
  inline __m512i _mm512_##name(const __m512i& x, const __m512i& y) { return proof::pack(bits, x, y, proof::narrow); }
DYADIC_PACK(packs_epi32, 32, saturated)
DYADIC_PACK(packs_epi16, 16, saturated)
DYADIC_PACK(packus_epi32, 32, saturated_unsigned)
DYADIC_PACK(packus_epi16, 16, saturated_unsigned)

// Shuffles and blends.
inline __m512i _mm512_maskz_shuffle_epi32(const mask& k, const __m512i& x, int order) {
  k.need_all(16);
  return proof::shuffled(x, order);
}
inline __m512i _mm512_mask_shuffle_epi32(const __m512i& otherwise, const mask& k, const __m512i& x, int order) {
  return proof::masked(k, 32, proof::shuffled(x, order), otherwise);
}
inline __m512i _mm512_mask_mov_epi32(const __m512i& otherwise, const mask& k, const __m512i& x) {
  return proof::masked(k, 32, x, otherwise);
}
inline mask _mm512_cmpgt_epi32_mask(const __m512i& x, const __m512i& y) { return proof::conditions(y, x, proof::less); }
inline mask _mm512_cmpeq_epi32_mask(const __m512i& x, const __m512i& y) { return proof::conditions(x, y, proof::equal); }
inline mask _mm512_movepi32_mask(const __m512i& x) { return proof::conditions(x, __m512i{}, proof::less); }
inline __m512i _mm512_permutex2var_epi32(const __m512i& x, const __m512i& index, const __m512i& y) {
  return proof::permuted(32, x, index, y);
}
inline __m512i _mm512_maskz_permutexvar_epi32(const mask& k, const __m512i& index, const __m512i& x) {
  k.need_all(16);
  return proof::permuted(32, x, index, x);
}
inline __m512i _mm512_maskz_permutexvar_epi64(const mask& k, const __m512i& index, const __m512i& x) {
  k.need_all(8);
  return proof::permuted(64, x, index, x);
}

// Broadcasts and conversions to wider elements.
inline __m512i _mm512_set1_epi8(int x) { return proof::all_of<16>(8, x); }
inline __m512i _mm512_set1_epi16(int x) { return proof::all_of<16>(16, x); }
inline __m512i _mm512_set1_epi32(int x) { return proof::all_of<16>(32, x); }
inline __m512i _mm512_set1_epi64(std::int64_t x) { return proof::all_of<16>(64, x); }
template <class... X>
__m512i _mm512_setr_epi32(X... x) {
  return proof::listed<16>(32, x...);
}
template <class... X>
__m512i _mm512_setr_epi64(X... x) {
  return proof::listed<16>(64, x...);
}
#define DYADIC_WIDEN(name, from, bits, to, has_sign)                 \
  inline __m512i _mm512_maskz_##name(const mask& k, const from& x) { \
    k.need_all(512 / to);                                            \
    return proof::widened<16>(bits, to, x, has_sign);                \
  }
DYADIC_WIDEN(cvtepi8_epi32, __m128i, 8, 32, true)
DYADIC_WIDEN(cvtepu8_epi32, __m128i, 8, 32, false)
DYADIC_WIDEN(cvtepi16_epi32, __m256i, 16, 32, true)
DYADIC_WIDEN(cvtepu16_epi32, __m256i, 16, 32, false)
DYADIC_WIDEN(cvtepi32_epi64, __m256i, 32, 64, true)
inline __m256i _mm512_maskz_extracti64x4_epi64(const mask& k, const __m512i& x, int half) {
  k.need_all(4);
  return proof::some_words<8>(x, 8 * half);
}
inline __m256i _mm512_maskz_cvtsepi64_epi32(const mask& k, const __m512i& x) {
  k.need_all(8);
  return __m256i::make(32, [&](int i) { return proof::saturated(x.at(64, i), 32); });
}
inline __m512i _mm512_castsi256_si512(const __m256i& x) {
  return __m512i::make(32, [&](int i) { return x.at(32, i % 8); });
}
inline __m512i _mm512_maskz_inserti64x4(const mask& k, const __m512i& x, const __m256i& y, int half) {
  k.need_all(8);
  return __m512i::make(32, [&](int i) { return i / 8 == half ? y.at(32, i % 8) : x.at(32, i); });
}

// Operations on binary32s, and any function of three bits by its table.
inline __m512 _mm512_castsi512_ps(const __m512i& x) { return x; }
inline __m512i _mm512_castps_si512(const __m512& x) { return x; }
inline __m512 _mm512_maskz_cvtepi32_ps(const mask& k, const __m512i& x) {
  k.need_all(16);
  return proof::each(32, proof::binary32_of, x);
}
inline __m512 _mm512_fmadd_ps(const __m512& x, const __m512& y, const __m512& z) {
  return proof::each(32, proof::multiply_add, x, y, z);
}
inline __m512i _mm512_maskz_cvttps_epi32(const mask& k, const __m512& x) {
  k.need_all(16);
  return proof::each(32, proof::converted, x);
}
inline __m512i _mm512_ternarylogic_epi32(const __m512i& x, const __m512i& y, const __m512i& z, int table) {
  const proof::word results = proof::named_number(8, table).value();
  return proof::each(
      32,
      [&](const proof::term& a, const proof::term& b, const proof::term& c) {
        proof::term all = proof::number(32, 0);
        for (int i = 0; i < 8; ++i) {
          if ((results >> i & 1) == 0) continue;
          const auto bits = [&](const proof::term& t, int k) { return (i >> k & 1) != 0 ? t : t ^ proof::number(32, -1); };
          all = all | (bits(a, 2) & bits(b, 1) & bits(c, 0));
        }
        return all;
      },
      x, y, z);
}

// Memory.
inline __m512i _mm512_loadu_si512(const void* from) { return proof::load<16>(from); }
inline void _mm512_storeu_si512(void* to, const __m512i& x) { proof::store(to, x); }
inline void _mm512_mask_storeu_epi64(void* to, const mask& k, const __m512i& x) {
  for (int i = 0; i < 8; ++i)
    if (k.at(i).value() != 0) std::memcpy(static_cast<char*>(to) + 8 * i, x.words + 2 * i, 8);
}
namespace proof {
/// Loads elements of `words` words. Elements outside of the mask, a number, are not read and become zeros.
inline __m512i load_masked(int words, const mask& k, const void* from) {
  __m512i v{};
  for (int i = 0; i < 16; i += words)
    if (k.at(i / words).value() != 0)
      std::memcpy(v.words + i, static_cast<const char*>(from) + 4 * i, 4 * static_cast<std::size_t>(words));
  return v;
}
}  // namespace proof
inline __m512i _mm512_maskz_loadu_epi32(const mask& k, const void* from) { return proof::load_masked(1, k, from); }
inline __m512i _mm512_maskz_loadu_epi64(const mask& k, const void* from) { return proof::load_masked(2, k, from); }
inline void _mm512_mask_storeu_epi8(void* to, __mmask64 k, const __m512i& x) {
  const auto bytes_of_word = [&](int i) { return k >> 4 * i & 0xF; };
  __m512i v{};
  for (int i = 0; i < 16; ++i)
    if (bytes_of_word(i) != 0) std::memcpy(v.words + i, static_cast<const char*>(to) + 4 * i, 4);
  v = __m512i::make(8, [&](int i) { return (k >> i & 1) != 0 ? x.at(8, i) : v.at(8, i); });
  for (int i = 0; i < 16; ++i)
    if (bytes_of_word(i) != 0) std::memcpy(static_cast<char*>(to) + 4 * i, v.words + i, 4);
}

// Instructions that multiply weights, convolve, or compute in binary32.
#define DYADIC_NO_MODEL(name) inline constexpr proof::no_model<__m512i> _mm512_##name{};
DYADIC_NO_MODEL(add_pd)
DYADIC_NO_MODEL(add_ps)
DYADIC_NO_MODEL(castpd_si512)
DYADIC_NO_MODEL(castsi512_pd)
DYADIC_NO_MODEL(mask_broadcast_i32x4)
DYADIC_NO_MODEL(mask_mov_epi64)
DYADIC_NO_MODEL(mask_broadcast_i64x4)
DYADIC_NO_MODEL(mask_loadu_epi8)
DYADIC_NO_MODEL(mask_mov_epi8)
DYADIC_NO_MODEL(mask_set1_epi32)
DYADIC_NO_MODEL(maskz_broadcast_i32x4)
DYADIC_NO_MODEL(maskz_cvtepi8_epi16)
DYADIC_NO_MODEL(maskz_cvtepu8_epi16)
DYADIC_NO_MODEL(maskz_cvtps_epi32)
DYADIC_NO_MODEL(maskz_loadu_epi8)
DYADIC_NO_MODEL(maskz_sll_epi64)
DYADIC_NO_MODEL(maskz_sllv_epi64)
DYADIC_NO_MODEL(maskz_unpackhi_epi32)
DYADIC_NO_MODEL(maskz_unpacklo_epi32)
DYADIC_NO_MODEL(maskz_min_pd)
DYADIC_NO_MODEL(maskz_cvtepi64_pd)
DYADIC_NO_MODEL(maskz_cvttpd_epi64)
DYADIC_NO_MODEL(mul_pd)
DYADIC_NO_MODEL(mul_ps)
DYADIC_NO_MODEL(permutex2var_epi64)
DYADIC_NO_MODEL(set1_ps)
DYADIC_NO_MODEL(shuffle_epi8)
DYADIC_NO_MODEL(srai_epi16)
DYADIC_NO_MODEL(srli_epi16)
DYADIC_NO_MODEL(sub_epi8)
DYADIC_NO_MODEL(unpackhi_epi16)
DYADIC_NO_MODEL(unpacklo_epi16)
inline constexpr proof::no_model<__mmask64> _mm512_movepi8_mask{};
inline constexpr proof::no_model<mask> _mm512_cmp_ps_mask{};
inline constexpr proof::no_model<mask> _mm512_cmpeq_epi64_mask{};
inline constexpr proof::no_model<__m128i> _mm512_maskz_cvtepi32_epi8{};
inline constexpr proof::no_model<__m256i> _mm512_maskz_cvtepi32_epi16{};
inline constexpr proof::no_model<__m128i> _mm_mask_storeu_epi8{};
inline constexpr proof::no_model<__m256i> _mm256_mask_storeu_epi16{};

#undef DYADIC_OF_TWO
#undef DYADIC_OF_TWO_MASKED
#undef DYADIC_SHIFT
#undef DYADIC_SHIFT_BY_REGISTER
#undef DYADIC_PACK
#undef DYADIC_WIDEN
#undef DYADIC_NO_MODEL

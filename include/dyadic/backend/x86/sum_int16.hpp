// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The sum of a row of int16. All instruction sets of x86 share one function, because none has a faster form. Private. Floor 4.

#include <dyadic/config.hpp>

#include <smmintrin.h>

DYADIC_BEGIN_TARGET("sse4.1")
namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// Returns the sum of `length` int16 in 64 bits; `from` may have any alignment.
inline std::int64_t sum_int16(const void* from, index_t length) noexcept {
  constexpr index_t step = 16;
  constexpr index_t most = step << 14;  // a lane of a or b is at least -2^30, of a + b at least -2^31: the least int32
  const auto* x = static_cast<const __m128i*>(from);
  const __m128i ones = _mm_set1_epi16(1);
  std::int64_t sum = 0;
  while (length >= step) {
    __m128i a = _mm_setzero_si128();
    __m128i b = a;
    index_t some = length < most ? length & -step : most;
    for (length -= some; some > 0; some -= step, x += 2) {
      a = _mm_add_epi32(a, _mm_madd_epi16(_mm_loadu_si128(x), ones));
      b = _mm_add_epi32(b, _mm_madd_epi16(_mm_loadu_si128(x + 1), ones));
    }
    std::int32_t lanes[4];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), _mm_add_epi32(a, b));
    for (const std::int32_t lane : lanes) sum += lane;
  }
  for (const auto* last = reinterpret_cast<const std::byte*>(x); length > 0; --length, last += 2) {
    std::int16_t element = 0;
    DYADIC_MEMCPY(&element, last, sizeof(element));
    sum += element;
  }
  return sum;
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

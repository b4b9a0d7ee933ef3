// This text is compiled with the compiler's header and with the models, which the compiler finds first.
// DYADIC_OPERATIONS names the function, DYADIC_MODELS the list of a set, and DYADIC_SET the name of the set.

#include "../models.hpp"

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#ifdef DYADIC_HAS_VNNI
namespace dyadic::detail {  // the models declare stand-ins for operands in this namespace
inline __m512i vpdpwssd(__m512i acc, __m512i x, __m512i w) {
  __asm__("vpdpwssd {%2, %1, %0|%0, %1, %2}" : "+v"(acc) : "v"(x), "v"(w));
  return acc;
}
inline __m512i vpdpbusd(__m512i acc, __m512i x, __m512i w) {
  __asm__("vpdpbusd {%2, %1, %0|%0, %1, %2}" : "+v"(acc) : "v"(x), "v"(w));
  return acc;
}
}  // namespace dyadic::detail
using dyadic::detail::vpdpbusd;
using dyadic::detail::vpdpwssd;
#endif

namespace {

template <class V>
V get(const void* from) {
  V v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class V>
void put(void* to, const V& v) {
  std::memcpy(to, &v, sizeof(v));
}
#define CASE(text, statement) {text, [](const void* a, const void* b, void* y) { static_cast<void>(b), statement; }},
#define BOTH(type, name) CASE(#name, put(y, name(get<type>(a), get<type>(b))))
#define ONE(type, name) CASE(#name, put(y, name(get<type>(a))))
#define NUMBER(type, name, n) CASE(#name ", " #n, put(y, name(get<type>(a), n)))
// Shift counts up to 255, and counts of 64 bits, which may be 2^32 or more.
#define COUNT(type, name)                                                          \
  CASE(#name, put(y, name(get<type>(a), _mm_cvtsi32_si128(get<std::uint8_t>(b))))) \
  CASE(#name ", 64 bits", put(y, name(get<type>(a), get<__m128i>(b))))
#define MASKED(mask, name) CASE(#name, put(y, name(mask, get<__m512i>(a), get<__m512i>(b))))
#define COUNT_MASKED(mask, name) CASE(#name, put(y, name(mask, get<__m512i>(a), _mm_cvtsi32_si128(get<std::uint8_t>(b)))))

const operation all[] = {
#include DYADIC_MODELS
};

}  // namespace

operations DYADIC_OPERATIONS() { return {all, sizeof(all) / sizeof(*all)}; }
#ifdef DYADIC_SET
bool has_instructions() { return __builtin_cpu_supports(DYADIC_SET) != 0; }
#endif

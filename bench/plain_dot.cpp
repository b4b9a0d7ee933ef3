// The plain loops of dyadic_dot. CMakeLists.txt compiles this file for this machine: -O3 -march=native.

#include "plain_dot.hpp"

namespace bench {

// The sum is unsigned, because the sum of an int32 may wrap.
template <class Sum, class X, class W>
Sum plain_dot(const X* x, const W* w, std::ptrdiff_t n) {
  using bits = std::conditional_t<sizeof(Sum) == 8, std::uint64_t, std::uint32_t>;
  bits sum = 0;
  for (std::ptrdiff_t k = 0; k < n; ++k) sum += static_cast<bits>(std::int32_t{x[k]} * std::int32_t{w[k]});
  return static_cast<Sum>(sum);
}

template <class Sum, class X>
Sum plain_dot_of_nibbles(const X* x, const std::uint8_t* w, std::ptrdiff_t n) {
  using bits = std::conditional_t<sizeof(Sum) == 8, std::uint64_t, std::uint32_t>;
  bits sum = 0;
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const std::int32_t nibble = w[k / 2] >> (k % 2 * 4) & 15;
    sum += static_cast<bits>(std::int32_t{x[k]} * ((nibble ^ 8) - 8));
  }
  return static_cast<Sum>(sum);
}

#define BENCH_PLAIN_DOT(X, W)                                                                    \
  template std::int32_t plain_dot<std::int32_t, X, W>(const X* x, const W* w, std::ptrdiff_t n); \
  template std::int64_t plain_dot<std::int64_t, X, W>(const X* x, const W* w, std::ptrdiff_t n)
BENCH_PLAIN_DOT(std::int8_t, std::int8_t);
BENCH_PLAIN_DOT(std::uint8_t, std::int8_t);
BENCH_PLAIN_DOT(std::uint8_t, std::uint8_t);
BENCH_PLAIN_DOT(std::int16_t, std::int8_t);
BENCH_PLAIN_DOT(std::int16_t, std::int16_t);

#define BENCH_PLAIN_NIBBLES(X)                                                                                      \
  template std::int32_t plain_dot_of_nibbles<std::int32_t, X>(const X* x, const std::uint8_t* w, std::ptrdiff_t n); \
  template std::int64_t plain_dot_of_nibbles<std::int64_t, X>(const X* x, const std::uint8_t* w, std::ptrdiff_t n)
BENCH_PLAIN_NIBBLES(std::int8_t);
BENCH_PLAIN_NIBBLES(std::int16_t);

}  // namespace bench

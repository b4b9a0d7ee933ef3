#pragma once
/// \file
/// The highest speed that the instructions of a backend can reach: loops of multiply-adds whose operands stay in registers, and
/// loops of loads. A loop of cheap instructions shows the state of the machine.

#include <cstring>

namespace bench {

/// A loop of multiply-adds of two operands of `bits` bits each. Kernels of a8w8 for SSE4.1 and AVX2 widen bytes to 16 bits,
/// because instruction sets below VNNI have no exact sum of products of bytes.
struct limit {
  const char* backend;
  int bits;
  const char* instructions;
  void (*loop)(long iterations);  ///< each iteration does `per_iteration` multiply-adds
  int per_iteration;
};

/// A loop that loads all bytes from begin to end. Requires: the number of bytes is a multiple of 512, and begin is aligned to 64.
struct load_limit {
  const char* backend;
  const char* instructions;
  void (*loop)(const char* begin, const char* end);
};

namespace detail {

#if defined(__x86_64__)

#define BENCH_REGISTERS                                                                                                        \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", \
      "xmm15", "cc"
// Executes `start`, then `iterations` times four copies of `body`, then `end`.
#define BENCH_LOOP(iterations, start, body, end) \
  asm volatile(start "\n1:\n.rept 4\n" body "\n.endr\nsub $1, %0\njnz 1b\n" end : "+r"(iterations) : : BENCH_REGISTERS)

// Computes six products, then adds them to six sums. The multiplications run ahead of the additions. On some processors both use
// the same ports.
#define BENCH_SSE(multiply, add)                                                                                   \
  BENCH_LOOP(n, "",                                                                                                \
             ".irp r, 8, 9, 10, 11, 12, 13\nmovdqa %%xmm15, %%xmm\\r\n" multiply " %%xmm14, %%xmm\\r\n.endr\n" add \
             " %%xmm8, %%xmm0\n" add " %%xmm9, %%xmm1\n" add " %%xmm10, %%xmm2\n" add " %%xmm11, %%xmm3\n" add     \
             " %%xmm12, %%xmm4\n" add " %%xmm13, %%xmm5\n",                                                        \
             "")
#define BENCH_VEX(v, multiply, add)                                                                                              \
  BENCH_LOOP(n, "vzeroall",                                                                                                      \
             ".irp r, 8, 9, 10, 11, 12, 13\n" multiply " %%" v "14, %%" v "15, %%" v "\\r\n.endr\n" add " %%" v "8, %%" v        \
             "0, %%" v "0\n" add " %%" v "9, %%" v "1, %%" v "1\n" add " %%" v "10, %%" v "2, %%" v "2\n" add " %%" v "11, %%" v \
             "3, %%" v "3\n" add " %%" v "12, %%" v "4, %%" v "4\n" add " %%" v "13, %%" v "5, %%" v "5\n",                      \
             "vzeroupper")
#define BENCH_VNNI(multiply_add, v)                                                                                      \
  BENCH_LOOP(n, "vzeroall",                                                                                              \
             ".irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n" multiply_add " %%" v "14, %%" v "15, %%" v "\\r\n.endr\n", \
             "vzeroupper")

inline void sse_16(long n) { BENCH_SSE("pmaddwd", "paddd"); }
inline void sse_32(long n) { BENCH_SSE("pmuldq", "paddq"); }
inline void avx2_16(long n) { BENCH_VEX("ymm", "vpmaddwd", "vpaddd"); }
inline void avx2_32(long n) { BENCH_VEX("ymm", "vpmuldq", "vpaddq"); }
inline void avxvnni_8(long n) { BENCH_VNNI("%{vex%} vpdpbusd", "ymm"); }
inline void avxvnni_16(long n) { BENCH_VNNI("%{vex%} vpdpwssd", "ymm"); }
inline void avx512_8(long n) { BENCH_VNNI("vpdpbusd", "zmm"); }
inline void avx512_16(long n) { BENCH_VNNI("vpdpwssd", "zmm"); }
inline void avx512_32(long n) { BENCH_VEX("zmm", "vpmuldq", "vpaddq"); }
/// Executes a chain of additions. Each addition waits for the previous result, so that an addition takes one cycle.
inline void cycles(long n) {
  long sum = 0;
  const long one = 1;
  asm volatile("1:\n.rept 64\nadd %2, %1\n.endr\nsub $1, %0\njnz 1b" : "+r"(n), "+r"(sum) : "r"(one) : "cc");
}
/// Executes cheap instructions that do not wait for each other: 12 vector additions or exclusive ors, and 12 scalar additions.
/// Both kinds alternate, so that neither fills its execution units. The speed of the front end limits the loop.
inline void cheap_instructions(long n) {
  long a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  asm volatile(
      "1:\n.rept 4\n"
      ".irp r, 0, 6\npaddd %%xmm15, %%xmm\\r\nadd $1, %1\n.endr\n.irp r, 1, 7\npxor %%xmm14, %%xmm\\r\nadd $1, %2\n.endr\n"
      ".irp r, 2, 8\npaddd %%xmm15, %%xmm\\r\nadd $1, %3\n.endr\n.irp r, 3, 9\npxor %%xmm14, %%xmm\\r\nadd $1, %4\n.endr\n"
      ".irp r, 4, 10\npaddd %%xmm15, %%xmm\\r\nadd $1, %5\n.endr\n.irp r, 5, 11\npxor %%xmm14, %%xmm\\r\nadd $1, %6\n.endr\n"
      ".endr\nsub $1, %0\njnz 1b"
      : "+r"(n), "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f)
      :
      : BENCH_REGISTERS);
}

// Loads the bytes from begin to end, 512 at a time.
#define BENCH_LOADS(move, v, step)                                                                                          \
  asm volatile("1:\n.rept 512 / (8 * " step ")\n" move " (%0), %%" v "0\n" move " " step "(%0), %%" v "1\n" move " 2*" step \
               "(%0), %%" v "2\n" move " 3*" step "(%0), %%" v "3\n" move " 4*" step "(%0), %%" v "4\n" move " 5*" step     \
               "(%0), %%" v "5\n" move " 6*" step "(%0), %%" v "6\n" move " 7*" step "(%0), %%" v                           \
               "7\n"                                                                                                        \
               "add $8*" step ", %0\n.endr\ncmp %1, %0\njb 1b"                                                              \
               : "+r"(begin)                                                                                                \
               : "r"(end)                                                                                                   \
               : BENCH_REGISTERS, "memory")
inline void sse_loads(const char* begin, const char* end) { BENCH_LOADS("movdqa", "xmm", "16"); }
inline void avx2_loads(const char* begin, const char* end) { BENCH_LOADS("vmovdqa", "ymm", "32"); }
inline void avx512_loads(const char* begin, const char* end) { BENCH_LOADS("vmovdqa64", "zmm", "64"); }

}  // namespace detail

inline constexpr limit limits[] = {{"sse41", 16, "pmaddwd + paddd", detail::sse_16, 4 * 6 * 8},
                                   {"avx2", 16, "vpmaddwd + vpaddd, 256 bits", detail::avx2_16, 4 * 6 * 16},
                                   {"avxvnni", 16, "vpdpwssd, 256 bits", detail::avxvnni_16, 4 * 12 * 16},
                                   {"avx512vnni", 16, "vpdpwssd, 512 bits", detail::avx512_16, 4 * 12 * 32},
                                   {"sse41", 8, "as 16 bits", detail::sse_16, 4 * 6 * 8},
                                   {"avx2", 8, "as 16 bits", detail::avx2_16, 4 * 6 * 16},
                                   {"avxvnni", 8, "vpdpbusd, 256 bits", detail::avxvnni_8, 4 * 12 * 32},
                                   {"avx512vnni", 8, "vpdpbusd, 512 bits", detail::avx512_8, 4 * 12 * 64},
                                   {"sse41", 32, "pmuldq + paddq", detail::sse_32, 4 * 6 * 2},
                                   {"avx2", 32, "vpmuldq + vpaddq, 256 bits", detail::avx2_32, 4 * 6 * 4},
                                   {"avxvnni", 32, "vpmuldq + vpaddq, 256 bits", detail::avx2_32, 4 * 6 * 4},
                                   {"avx512vnni", 32, "vpmuldq + vpaddq, 512 bits", detail::avx512_32, 4 * 6 * 8},
                                   {"", 0, "add", detail::cycles, 64},
                                   {"", 1, "paddd, pxor, add", detail::cheap_instructions, 4 * 24}};
inline constexpr load_limit load_limits[] = {{"sse41", "movdqa, 128 bits", detail::sse_loads},
                                             {"avx2", "vmovdqa, 256 bits", detail::avx2_loads},
                                             {"avxvnni", "vmovdqa, 256 bits", detail::avx2_loads},
                                             {"avx512vnni", "vmovdqa64, 512 bits", detail::avx512_loads}};

/// The loop that shows disturbances (contest.cpp). It runs on any x86-64 machine. Another program on the same core slows down
/// this loop as it slows down the contenders.
inline constexpr auto probe = detail::sse_16;
/// Clears the upper halves of the vector registers, because values in the upper halves may slow down SSE code.
inline void forget_upper_halves() {
  static const bool there_are = __builtin_cpu_supports("avx");
  if (there_are) asm volatile("vzeroupper" : : : BENCH_REGISTERS);
}

#else

inline void additions(long n) {
  for (volatile long i = 0; i < n; i = i + 1) {
  }
}

}  // namespace detail

inline constexpr limit limits[] = {{"", 0, "add", detail::additions, 1}};
inline constexpr load_limit load_limits[] = {{"", "", nullptr}};
inline constexpr auto probe = detail::additions;
inline void forget_upper_halves() {}

#endif

/// Returns the limit of a backend for operands of `bits` bits, or nullptr if none is known. The backend "" with 0 bits is the
/// loop that counts cycles. The backend "" with 1 bit is the loop of cheap instructions.
inline const limit* find_limit(const char* backend, int bits) {
  for (const limit& l : limits)
    if (std::strcmp(l.backend, backend) == 0 && l.bits == bits) return &l;
  return nullptr;
}

}  // namespace bench

#pragma once
/// \file
/// What the instructions of a backend can do at most: loops of multiply-adds whose operands stay in registers, measured in turn
/// in one process. A benchmark quotes its speed as a part of this.

#include <dyadic/cpu.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

/// Multiply-adds of two operands of so many bits. Kernels of a8w8 for SSE4.1 and AVX2 widen to 16 bits: below VNNI the products
/// of bytes have no exact sum.
struct limit {
  const char* backend;
  int bits;
  const char* instructions;
  void (*loop)(long iterations);  ///< does `per_iteration` multiply-adds in each
  int per_iteration;
  double per_second = 0;  ///< 0: not on this machine
  double per_cycle = 0;
};

namespace detail {

#if defined(__x86_64__)

#define BENCH_REGISTERS                                                                                                        \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", \
      "xmm15", "cc"
// Four times `body`, `iterations` times; `start` and `end` once.
#define BENCH_LOOP(iterations, start, body, end) \
  asm volatile(start "\n1:\n.rept 4\n" body "\n.endr\nsub $1, %0\njnz 1b\n" end : "+r"(iterations) : : BENCH_REGISTERS)

// Six products, then six sums: the multiplications run ahead of the additions, which share their ports on some processors.
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
#define BENCH_VNNI(multiply_add) \
  BENCH_LOOP(n, "vzeroall",      \
             ".irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n" multiply_add " %%zmm14, %%zmm15, %%zmm\\r\n.endr\n", "vzeroupper")

inline void sse_16(long n) { BENCH_SSE("pmaddwd", "paddd"); }
inline void sse_32(long n) { BENCH_SSE("pmuldq", "paddq"); }
inline void avx2_16(long n) { BENCH_VEX("ymm", "vpmaddwd", "vpaddd"); }
inline void avx2_32(long n) { BENCH_VEX("ymm", "vpmuldq", "vpaddq"); }
inline void avx512_8(long n) { BENCH_VNNI("vpdpbusd"); }
inline void avx512_16(long n) { BENCH_VNNI("vpdpwssd"); }
inline void avx512_32(long n) { BENCH_VEX("zmm", "vpmuldq", "vpaddq"); }
/// Additions of which each waits for the one before: one for each cycle.
inline void cycles(long n) {
  long sum = 0;
  const long one = 1;
  asm volatile("1:\n.rept 64\nadd %2, %1\n.endr\nsub $1, %0\njnz 1b" : "+r"(n), "+r"(sum) : "r"(one) : "cc");
}

inline std::vector<limit> all_limits() {
  return {{"sse41", 16, "pmaddwd + paddd", sse_16, 4 * 6 * 8},
          {"avx2", 16, "vpmaddwd + vpaddd, 256 bits", avx2_16, 4 * 6 * 16},
          {"avx512vnni", 16, "vpdpwssd, 512 bits", avx512_16, 4 * 12 * 32},
          {"sse41", 8, "as 16 bits", sse_16, 4 * 6 * 8},
          {"avx2", 8, "as 16 bits", avx2_16, 4 * 6 * 16},
          {"avx512vnni", 8, "vpdpbusd, 512 bits", avx512_8, 4 * 12 * 64},
          {"sse41", 32, "pmuldq + paddq", sse_32, 4 * 6 * 2},
          {"avx2", 32, "vpmuldq + vpaddq, 256 bits", avx2_32, 4 * 6 * 4},
          {"avx512vnni", 32, "vpmuldq + vpaddq, 512 bits", avx512_32, 4 * 6 * 8}};
}
/// Runs on any machine; what slows it down, such as another program on the same core, slows the others.
inline constexpr auto probe = sse_16;

#else

inline std::vector<limit> all_limits() { return {}; }
inline void cycles(long) {}
inline constexpr auto probe = cycles;

#endif

inline double seconds(void (*loop)(long), long iterations) {
  const auto start = std::chrono::steady_clock::now();
  loop(iterations);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs a loop so long that its time is that of the probe, 20 microseconds or more, between two runs of the probe. A sample
/// counts if both probes are within 3 % of the best one.
class gate {
 public:
  gate() {
    while (seconds(probe, probe_iterations_) < 20e-6) probe_iterations_ *= 2;
    for (int i = 0; i < 100; ++i) best_ = std::min(best_, seconds(probe, probe_iterations_));
  }

  /// The time of one iteration, or 0 if this sample does not count.
  double sample(void (*loop)(long)) {
    constexpr long iterations = 10000;
    const double before = probe_again();
    const double time = seconds(loop, iterations);
    const double after = probe_again();
    return std::max(before, after) * 0.97 < best_ ? time / iterations : 0;
  }

 private:
  double probe_again() {
    const double time = seconds(probe, probe_iterations_);
    best_ = std::min(best_, time);
    return time;
  }

  long probe_iterations_ = 64;
  double best_ = 1;
};

inline double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

}  // namespace detail

/// Measures all limits, one sample of each in turn.
inline std::vector<limit> measure_limits(bool smoke) {
  std::vector<limit> limits = detail::all_limits();
  std::vector<limit*> here;
  dyadic::for_each_backend([&](auto backend, bool runs_here) {
    for (limit& l : limits)
      if (runs_here && std::strcmp(l.backend, decltype(backend)::name) == 0) here.push_back(&l);
  });
  std::vector<std::vector<double>> times(here.size());
  std::vector<double> cycle;
  detail::gate gate;
  const auto take = [&](std::vector<double>& to, void (*loop)(long)) {
    for (int tries = 0; tries < 10; ++tries)
      if (const double time = gate.sample(loop); time > 0) return to.push_back(time);
  };
  for (int round = 0; round < (smoke ? 1 : 21); ++round) {
    take(cycle, detail::cycles);
    for (std::size_t i = 0; i < here.size(); ++i) take(times[i], here[i]->loop);
  }
  const double cycle_seconds = detail::median(cycle) / 64;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double time = detail::median(times[i]);
    if (time <= 0) continue;  // too noisy even once: the smoke run
    here[i]->per_second = here[i]->per_iteration / time;
    here[i]->per_cycle = here[i]->per_second * cycle_seconds;
  }
  return limits;
}

}  // namespace bench

// What the layers of bench/ need of Google Benchmark, which no package has for WebAssembly.
#pragma once

namespace benchmark {
template <class T>
void DoNotOptimize(T& x) {
  asm volatile("" : : "r"(x) : "memory");
}
inline void ClobberMemory() { asm volatile("" : : : "memory"); }
}  // namespace benchmark

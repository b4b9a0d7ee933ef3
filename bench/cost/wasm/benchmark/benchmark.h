// The functions of Google Benchmark that the layers of bench/ use. No package has the library for WebAssembly.
#pragma once

namespace benchmark {
template <class T>
void DoNotOptimize(T& x) {
  asm volatile("" : : "r"(x) : "memory");
}
inline void ClobberMemory() { asm volatile("" : : : "memory"); }
}  // namespace benchmark

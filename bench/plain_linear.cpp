// The plain loop of dyadic_blocks. CMakeLists.txt compiles this file for this machine: -O3 -march=native -ffast-math, because a
// sum of float is vectorized only if the compiler may change its order.

#include "plain_linear.hpp"

namespace bench {

void plain_linear(const float* x, const float* w, float* y, std::ptrdiff_t rows, std::ptrdiff_t channels, std::ptrdiff_t depth) {
  for (std::ptrdiff_t r = 0; r < rows; ++r)
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      float sum = 0;
      for (std::ptrdiff_t k = 0; k < depth; ++k) sum += x[r * depth + k] * w[c * depth + k];
      y[r * channels + c] = sum;
    }
}

}  // namespace bench

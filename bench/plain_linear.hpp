#pragma once
/// \file
/// The linear layer of binary32 that a user writes without a library.

#include <cstddef>

namespace bench {

/// y[r][c] = sum_k x[r][k] * w[c][k], in whatever order the compiler adds.
void plain_linear(const float* x, const float* w, float* y, std::ptrdiff_t rows, std::ptrdiff_t channels, std::ptrdiff_t depth);

}  // namespace bench

#pragma once

#include <cstddef>
#include <cstdint>

// The linear layer from its definition. Zero points are subtracted one by one, without a fold. A division rounds once with ties
// up.

namespace oracle {

/// sum_k (x[k] - x_zero_point) * (w[k] - w_zero_point) + bias. Exact: each term is below 2^25.
template <class X, class W>
std::int64_t linear_accumulator(const X* x, const W* w, std::ptrdiff_t depth, std::int64_t x_zero_point,
                                std::int64_t w_zero_point, std::int64_t bias) {
  std::int64_t acc = bias;
  for (std::ptrdiff_t k = 0; k < depth; ++k) acc += (std::int64_t{x[k]} - x_zero_point) * (std::int64_t{w[k]} - w_zero_point);
  return acc;
}

/// Returns the integer nearest to acc * mantissa / 2^right_shift, ties up. Requires: the product and 2^right_shift fit 62 bits.
inline std::int64_t nearest_half_up(std::int64_t acc, std::int64_t mantissa, int right_shift) {
  const std::int64_t divisor = std::int64_t{1} << right_shift;
  const std::int64_t doubled = 2 * (acc * mantissa % divisor);
  const std::int64_t towards_zero = acc * mantissa / divisor;
  if (doubled >= divisor) return towards_zero + 1;
  return doubled < -divisor ? towards_zero - 1 : towards_zero;
}

}  // namespace oracle

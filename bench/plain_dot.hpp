#pragma once
/// \file
/// Dot products as a user would write them: one loop, which the compiler vectorizes for this machine. It includes nothing of the
/// library.

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bench {

/// Returns sum_k x[k] * w[k]. Sum is int64, or int32, which does not hold all sums. W is int8, uint8 or int16.
template <class Sum, class X, class W>
Sum plain_dot(const X* x, const W* w, std::ptrdiff_t n);

/// Returns the same sum for weights of 4 bits, two to a byte, the low nibble first.
template <class Sum, class X>
Sum plain_dot_of_nibbles(const X* x, const std::uint8_t* w, std::ptrdiff_t n);

}  // namespace bench

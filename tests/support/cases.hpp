#pragma once
/// \file
/// The compiler and the test program check one table of cases:
///   static_assert(first_wrong(cases, holds) == -1);
///   CHECK(first_wrong(at_run_time(cases), holds) == -1);

#include <cstddef>

namespace support {

/// Returns the index of the first case that does not hold, or -1.
template <class Case, std::size_t N, class Holds>
constexpr int first_wrong(const Case (&cases)[N], Holds holds) {
  for (std::size_t i = 0; i < N; ++i)
    if (!holds(cases[i])) return static_cast<int>(i);
  return -1;
}

/// Returns x, but hides its value from the compiler.
template <class T>
const T& at_run_time(const T& x) {
  const T* volatile p = &x;
  return *p;
}

}  // namespace support

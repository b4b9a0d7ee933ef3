#pragma once
/// \file
/// How many samples a random test draws: the build may divide the number, a run may multiply it.

#include <cstdlib>
#include <utility>

#include "random.hpp"

namespace support {

/// The environment's DYADIC_TEST_FACTOR, else 1.
inline int sample_factor() {
  const char* const factor = std::getenv("DYADIC_TEST_FACTOR");
  return factor == nullptr ? 1 : std::atoi(factor);
}

/// `count` times the factor, divided; at least 1.
inline int samples(int count) { return count * sample_factor() / DYADIC_TEST_DIVISOR + 1; }

/// The environment's DYADIC_TEST_ONE_IN, for an emulator that is slow; else 1, but for programs that take far fewer samples.
inline int tried_one_in() {
  static const char* const n = std::getenv("DYADIC_TEST_ONE_IN");
  return n == nullptr ? 1 + DYADIC_TEST_DIVISOR / 45 : std::atoi(n);
}

/// The cases of a test that are tried: the first, and one in so many of the others.
class tried_cases {
 public:
  bool has_next() { return std::exchange(is_first_, false) || random_.one_in(tried_one_in()); }

 private:
  bool is_first_ = true;
  random_bits random_;
};

/// The seed; another one for each factor.
inline unsigned sample_seed(unsigned first) { return first + 1000000u * static_cast<unsigned>(sample_factor() - 1); }

}  // namespace support

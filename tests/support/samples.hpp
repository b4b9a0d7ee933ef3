#pragma once
/// \file
/// The number of samples that a random test draws. The build may divide the number, and a run may multiply it.

#include <cstdlib>
#include <utility>

#include "random.hpp"

namespace support {

/// Returns DYADIC_TEST_FACTOR of the environment, or 1.
inline int sample_factor() {
  const char* const factor = std::getenv("DYADIC_TEST_FACTOR");
  return factor == nullptr ? 1 : std::atoi(factor);
}

/// Returns `count` times the factor, divided by DYADIC_TEST_DIVISOR; at least 1.
inline int samples(int count) { return count * sample_factor() / DYADIC_TEST_DIVISOR + 1; }

/// Returns DYADIC_TEST_ONE_IN of the environment, which a slow emulator sets. The default is 1 plus DYADIC_TEST_DIVISOR / 45, so
/// that only programs with far fewer samples skip cases.
inline int tried_one_in() {
  static const char* const n = std::getenv("DYADIC_TEST_ONE_IN");
  return n == nullptr ? 1 + DYADIC_TEST_DIVISOR / 45 : std::atoi(n);
}

/// Selects the cases of a test: the first case, and of the other cases a random one in `tried_one_in()`.
class tried_cases {
 public:
  bool has_next() { return std::exchange(is_first_, false) || random_.one_in(tried_one_in()); }

 private:
  bool is_first_ = true;
  random_bits random_;
};

/// Returns the seed, which differs for each factor.
inline unsigned sample_seed(unsigned first) { return first + 1000000u * static_cast<unsigned>(sample_factor() - 1); }

}  // namespace support

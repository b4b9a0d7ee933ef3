#pragma once
/// \file
/// How many samples a random test draws: the build may divide the number, a run may multiply it.

#include <cstdlib>

namespace support {

/// The environment's DYADIC_TEST_FACTOR, else 1.
inline int sample_factor() {
  const char* const factor = std::getenv("DYADIC_TEST_FACTOR");
  return factor == nullptr ? 1 : std::atoi(factor);
}

/// `count` times the factor, divided; at least 1.
inline int samples(int count) { return count * sample_factor() / DYADIC_TEST_DIVISOR + 1; }

/// The cases of a test that are tried: all of them; or each n-th, beginning with the first, where DYADIC_TEST_EVERY is n.
class every_case {
 public:
  bool is_tried() {
    static const char* const every = std::getenv("DYADIC_TEST_EVERY");
    return every == nullptr || case_++ % std::atoi(every) == 0;
  }

 private:
  int case_ = 0;
};

/// The seed; another one for each factor.
inline unsigned sample_seed(unsigned seed) { return seed + 1000000u * static_cast<unsigned>(sample_factor() - 1); }

}  // namespace support

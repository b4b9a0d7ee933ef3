#pragma once
/// \file
/// The parts that the sweep tests share: numbers of samples, a count of comparisons, and short names for texts.

#include <dyadic/status.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

#include "../support/catch.hpp"
#include "sweep.hpp"

namespace sweep {

namespace q = dyadic;
using support::seed;

constexpr int divisor = DYADIC_TEST_DIVISOR;

/// Returns a number of samples: `count`, or fewer under emulation and sanitizers.
constexpr int scaled_count(int count) { return count / divisor > 16 ? count / divisor : 16; }

inline void report(const char* what, std::uint64_t count) {
  std::printf("%12llu %s (seed %llu, counts divided by %d)\n", static_cast<unsigned long long>(count), what,
              static_cast<unsigned long long>(seed), divisor);
}

template <class T>
std::string text(T x) {
  return std::to_string(x);
}

inline float to_float(double x) { return static_cast<float>(x); }

inline bool ok(q::status s) { return s == q::status::ok; }

/// Counts comparisons and keeps the first comparison that fails.
class tally {
 public:
  template <class Describe>
  void check(bool good, const Describe& describe) {
    ++count_;
    if (!good && failures_++ == 0) first_ = describe();
  }
  void finish(const std::string& what) const {
    report(what.c_str(), count_);
    INFO(what << ": " << failures_ << " of " << count_ << " fail, the first: " << first_);
    CHECK(failures_ == 0);
  }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t failures_ = 0;
  std::string first_;
};

}  // namespace sweep

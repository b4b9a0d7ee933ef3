#pragma once
/// \file
/// Numbers from arbitrary bytes, valid unless the bytes ask for a fault; and `expect`, which ends the program.

#include <dyadic/view.hpp>

#include <cstdio>
#include <cstdlib>

#include "../support/random.hpp"

namespace fuzz {

namespace q = dyadic;
using q::index_t;

/// Ends the program if the promise does not hold. The program's handler prints the description.
inline void expect(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", promise);
  std::abort();
}

/// Reads a description. All bytes past its end are 0.
class reader {
 public:
  reader(const std::uint8_t* data, std::size_t size) : at_{data}, end_{data + size} {}

  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  std::uint64_t word() {
    std::uint64_t w = 0;
    for (int i = 0; i < 8; ++i) w = w << 8 | byte();
    return w;
  }
  /// Returns an integer of any bit length and sign.
  std::int64_t integer() {
    const int length = byte() % 65;
    const std::uint64_t w = word();
    return static_cast<std::int64_t>(length == 0 ? 0 : (w >> 1) >> (64 - length) ^ (w % 2 == 0 ? 0 : ~std::uint64_t{0}));
  }
  /// Returns a number in low .. high. Requires: the range has at most 256 numbers.
  index_t between(index_t low, index_t high) { return low + byte() % (high - low + 1); }
  /// Returns a number in 1 .. most, now and then 0.
  index_t size(index_t most) {
    const int i = byte();
    return i % 16 == 15 ? 0 : 1 + i / 16 % most;
  }
  bool one_in(int n) { return byte() % n == n - 1; }

  /// Sets how many of 256 numbers are wrong.
  void set_fault_rate(int rate) { rate_ = rate; }
  bool fault(int weight = 1) {
    const bool now = byte() >= 256 - weight * rate_;
    faulty_ = faulty_ || now;
    return now;
  }
  /// Returns true if there was a fault.
  bool faulty() const { return faulty_; }

  index_t absurd() {
    constexpr index_t max = q::limits<index_t>::max;
    constexpr index_t numbers[] = {max, -max - 1, -1, 0, max - 1, -max, max / 2, max / 16, max / 16 + 1, max / 64, 1000};
    const int i = byte() % 16;
    return i < 11 ? numbers[i] : static_cast<index_t>(integer());
  }
  /// Returns `right`; on a fault a neighbour, a small number or an absurd number.
  index_t near(index_t right, int weight = 1) {
    if (!fault(weight)) return right;
    switch (byte() % 8) {
      case 0: return add(right, 1);
      case 1: return add(right, -1);
      case 2: return between(0, 8);
      case 3: return -between(1, 3);
      case 4: return add(right, right);
      default: return absurd();
    }
  }
  std::int32_t near32(std::int32_t right, int weight = 1) { return static_cast<std::int32_t>(near(right, weight)); }
  /// Returns any int32, or a neighbour of `from`.
  std::int32_t far32(std::int32_t from) {
    constexpr std::int32_t numbers[] = {INT32_MIN, INT32_MAX, -1, 0, -32768, 32767};
    const int i = byte() % 9;
    if (i == 6) return from == INT32_MAX ? from : from + 1;
    if (i == 7) return from == INT32_MIN ? from : from - 1;
    return i < 6 ? numbers[i] : static_cast<std::int32_t>(static_cast<std::uint32_t>(word()));
  }

 private:
  static index_t add(index_t a, index_t b) {
    return static_cast<index_t>(static_cast<std::size_t>(a) + static_cast<std::size_t>(b));
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  int rate_ = 0;
  bool faulty_ = false;
};

}  // namespace fuzz

#pragma once
/// \file
/// The only generator of random numbers. A test that uses it names `seed` in its INFO or prints it.

#include <cstdint>

namespace support {

inline constexpr std::uint64_t seed = 20260101;

/// The generator splitmix64.
struct random_bits {
  std::uint64_t state = seed;

  constexpr std::uint64_t operator()() {
    std::uint64_t z = state += 0x9E37'79B9'7F4A'7C15u;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return z ^ (z >> 31);
  }
  /// Returns a number in [0, n).
  constexpr int below(int n) { return static_cast<int>((*this)() % static_cast<unsigned>(n)); }
  constexpr bool one_in(int n) { return below(n) == 0; }
  /// Returns a number that is uniform in low .. high.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    const std::uint64_t size = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1u;
    const bool is_power_of_2 = (size & (size - 1)) == 0;  // avoids a division; also true if the range has 2^64 numbers: size = 0
    const std::uint64_t offset = is_power_of_2 ? (*this)() & (size - 1) : (*this)() % size;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }
  /// Returns a number of random bit length 0 .. bits, so that small and large numbers are equally common.
  constexpr std::uint64_t of_random_length(int bits) {
    const int length = below(bits + 1);
    return length == 0 ? 0 : (*this)() >> (64 - length);
  }
  /// Returns a number of random bit length and random sign. Requires: bits <= 63.
  constexpr std::int64_t integer(int bits) {
    const auto magnitude = static_cast<std::int64_t>(of_random_length(bits));
    return one_in(2) ? -magnitude : magnitude;
  }
  /// Returns a run of ones or random bits, of random length at a random place.
  constexpr std::uint64_t word() {
    const std::uint64_t bits = one_in(3) ? ~std::uint64_t{0} : (*this)();
    return bits >> below(64) << below(64);
  }
};

}  // namespace support

// Functions for undefined.py that trap unless a number is rounded once.
// exact::rounded takes a product of 128 bits and any tie rule. It returns the floor, or one more if the rule says so.
// The rule depends on the half, the rest, the parity and the sign. integers_proof.cpp proves that `multiply` gives the product.
// The second function is the conversion of int32 to binary32.

#include <dyadic/scheme/exact.hpp>

namespace q = dyadic;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using i128 = __int128;
using u128 = unsigned __int128;

namespace {

/// Any tie rule: a bit for each case that a rule can depend on. No bit is needed if nothing is dropped.
struct any_rule {
  static inline unsigned bits;
  static bool rounds_up(bool half, bool rest, bool odd, bool negative) {
    return (bits >> (8 * half + 4 * rest + 2 * odd + negative) & 1u) != 0;
  }
};

}  // namespace

extern "C" {
void require(bool);
// without: rounding.hpp: "floor.high != (y < 0 ? -1 : 0)" -> "false"
void product_shifted_by_any_rule(unsigned rule, i64 high, u64 low, int n) {
  require(n >= 0 && n < 127);
  any_rule::bits = rule & 0xFFF0u;
  const auto bits = static_cast<u128>(static_cast<u64>(high)) << 64 | low;
  const auto product = static_cast<i128>(bits);
  const i128 floor = product >> n, limit = i128{1} << 62;
  // The rest above the floor, in units of half of 2^n.
  const u128 twice = (bits - (static_cast<u128>(floor) << n)) << 1, one = u128{1} << n;
  const bool up = any_rule::rounds_up(twice >= one, twice != 0 && twice != one, floor % 2 != 0, product < 0);
  const i128 y = floor + (up ? 1 : 0);
  const i128 expected = y < -limit ? -limit : y > limit ? limit : y;
  const i64 got = q::clamp(q::shift_right_saturated<any_rule>({high, low}, n), -(i64{1} << 62), i64{1} << 62);
  if (got != expected) __builtin_trap();
}
// without: detail/ieee.hpp: "(kept & 1u) != 0" -> "true"
void binary32_of_int32(int x) {
  const std::uint32_t bits = q::from_integer<q::binary32>(x).bits;
  const u64 magnitude = x < 0 ? 0 - static_cast<u64>(x) : static_cast<u64>(x);
  // The binary32 is significand * 2^exponent. An exponent below 0 belongs to a shorter integer.
  const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 150;
  const u64 significand = (bits & 0x7F'FFFF) | 0x80'0000, one = exponent < 0 ? 1 : u64{1} << (exponent & 63);
  if (x == 0 ? bits != 0 : bits >> 31 != (x < 0 ? 1U : 0U) || exponent < -23 || exponent > 8) __builtin_trap();
  if (x == 0) return;
  const u64 number = exponent < 0 ? significand >> (-exponent & 63) : significand * one;
  const u64 away = number < magnitude ? magnitude - number : number - magnitude;
  const bool is_integer = exponent >= 0 || number << (-exponent & 63) == significand;
  // The distance from the result to the neighbouring binary32 towards x. Below a power of two, this distance is half as large.
  const u64 step = significand == 0x80'0000 && magnitude < number ? one / 2 : one;
  if (!is_integer || 2 * away > step || (2 * away == step && (bits & 1) != 0)) __builtin_trap();
}
}  // extern "C"

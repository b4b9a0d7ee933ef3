#include <dyadic/rounding.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "../support/cases.hpp"
#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

template <class T>
constexpr T lowest = std::numeric_limits<T>::min();
template <class T>
constexpr T highest = std::numeric_limits<T>::max();

static_assert(q::int32_min == lowest<std::int32_t> && q::int32_max == highest<std::int32_t>);

constexpr int count = 200'000 / DYADIC_TEST_DIVISOR;

// ---- the definition -------------------------------------------------------------------------------------------------

// A rule says which neighbour of a real number it takes. The sign decides, and whether the floor of the magnitude is odd. The
// part above this floor is compared with one half (-1: less, 0: a tie, 1: more). The library, in contrast, looks at the floor of
// the number.
constexpr bool outwards(q::half_up, bool negative, int part, bool /*odd*/) { return part > 0 || (part == 0 && !negative); }
constexpr bool outwards(q::half_away, bool /*negative*/, int part, bool /*odd*/) { return part >= 0; }
constexpr bool outwards(q::half_even, bool /*negative*/, int part, bool odd) { return part > 0 || (part == 0 && odd); }
constexpr bool outwards(q::half_to_zero, bool /*negative*/, int part, bool /*odd*/) { return part > 0; }
constexpr bool outwards(q::to_floor, bool negative, int /*part*/, bool /*odd*/) { return negative; }
constexpr bool outwards(q::to_ceiling, bool negative, int /*part*/, bool /*odd*/) { return !negative; }

/// Returns |y| of y = x / 2^n, for x given by sign and magnitude.
template <class Ties, class Magnitude>
constexpr Magnitude rounded_magnitude(bool negative, Magnitude x, int n) {
  if (n == 0) return x;
  const Magnitude floor = static_cast<Magnitude>(x >> n);
  const Magnitude part = static_cast<Magnitude>(x - static_cast<Magnitude>(floor << n));
  if (part == 0) return floor;
  const Magnitude half = static_cast<Magnitude>(Magnitude{1} << (n - 1));
  const int order = part < half ? -1 : part == half ? 0 : 1;
  return static_cast<Magnitude>(floor + (outwards(Ties{}, negative, order, floor % 2 == 1) ? 1u : 0u));
}

/// Returns x / 2^n by the definition.
template <class Ties, class T>
constexpr T defined(T x, int n) {
  const bool negative = x < T{0};
  const auto bits = static_cast<std::uint64_t>(x);
  const std::uint64_t y = rounded_magnitude<Ties>(negative, negative ? 0u - bits : bits, n);
  return static_cast<T>(negative ? 0u - y : y);
}

/// Returns whether all values of T, by all shifts from `first` to `last`, follow the definition.
template <class Ties, class T>
constexpr bool all_as_defined(int first, int last) {
  for (int n = first; n <= last; ++n)
    for (T x = lowest<T>;; ++x) {
      if (q::shift_right<Ties>(x, n) != defined<Ties>(x, n)) return false;
      if (x == highest<T>) break;
    }
  return true;
}
template <class T>
bool all_rules_as_defined() {
  const volatile int last = std::numeric_limits<std::make_unsigned_t<T>>::digits - 1;
  return all_as_defined<q::half_up, T>(0, last) && all_as_defined<q::half_away, T>(0, last) &&
         all_as_defined<q::half_even, T>(0, last) && all_as_defined<q::half_to_zero, T>(0, last) &&
         all_as_defined<q::to_floor, T>(0, last) && all_as_defined<q::to_ceiling, T>(0, last);
}

// Two shifts at a time, because the evaluator limits its steps.
template <class Ties>
constexpr bool int8_as_defined = all_as_defined<Ties, std::int8_t>(0, 1) && all_as_defined<Ties, std::int8_t>(7, 7);
static_assert(int8_as_defined<q::half_up>);
static_assert(int8_as_defined<q::half_away>);
static_assert(int8_as_defined<q::half_even>);
static_assert(int8_as_defined<q::half_to_zero>);
static_assert(int8_as_defined<q::to_floor>);
static_assert(int8_as_defined<q::to_ceiling>);

// ---- constructed shifts ---------------------------------------------------------------------------------------------

struct shift_case {
  std::int64_t x;
  int n;
  std::int64_t up, away, even, to_zero, floor, ceiling;
};
constexpr std::int64_t most = highest<std::int64_t>, least = lowest<std::int64_t>;
constexpr std::int64_t two62 = std::int64_t{1} << 62;
constexpr shift_case shift_cases[] = {
    {0, 63, 0, 0, 0, 0, 0, 0},
    {7, 0, 7, 7, 7, 7, 7, 7},
    {least, 0, least, least, least, least, least, least},
    {most, 0, most, most, most, most, most, most},
    // A quarter, a half and three quarters on each side of zero, and the ties at 1.5 and 2.5.
    {1, 2, 0, 0, 0, 0, 0, 1},
    {2, 2, 1, 1, 0, 0, 0, 1},
    {3, 2, 1, 1, 1, 1, 0, 1},
    {-1, 2, 0, 0, 0, 0, -1, 0},
    {-2, 2, 0, -1, 0, 0, -1, 0},
    {-3, 2, -1, -1, -1, -1, -1, 0},
    {6, 2, 2, 2, 2, 1, 1, 2},
    {-6, 2, -1, -2, -2, -1, -2, -1},
    {10, 2, 3, 3, 2, 2, 2, 3},
    {-10, 2, -2, -3, -2, -2, -3, -2},
    // The largest shift.
    {least, 63, -1, -1, -1, -1, -1, -1},
    {most, 63, 1, 1, 1, 1, 0, 1},
    {two62, 63, 1, 1, 0, 0, 0, 1},
    {two62 - 1, 63, 0, 0, 0, 0, 0, 1},
    {two62 + 1, 63, 1, 1, 1, 1, 0, 1},
    {-two62, 63, 0, -1, 0, 0, -1, 0},
    {-two62 + 1, 63, 0, 0, 0, 0, -1, 0},
    {-two62 - 1, 63, -1, -1, -1, -1, -1, 0},
    {-1, 63, 0, 0, 0, 0, -1, 0},
    {1, 63, 0, 0, 0, 0, 0, 1},
    // A tie at the ends of the type.
    {most, 1, two62, two62, two62, two62 - 1, two62 - 1, two62},
    {least + 1, 1, -two62 + 1, -two62, -two62, -two62 + 1, -two62, -two62 + 1},
    {least, 1, -two62, -two62, -two62, -two62, -two62, -two62},
};
template <class T>
constexpr bool shifts(T x, const shift_case& c) {
  return q::shift_right<q::half_up>(x, c.n) == static_cast<T>(c.up) &&
         q::shift_right<q::half_away>(x, c.n) == static_cast<T>(c.away) &&
         q::shift_right<q::half_even>(x, c.n) == static_cast<T>(c.even) &&
         q::shift_right<q::half_to_zero>(x, c.n) == static_cast<T>(c.to_zero) &&
         q::shift_right<q::to_floor>(x, c.n) == static_cast<T>(c.floor) &&
         q::shift_right<q::to_ceiling>(x, c.n) == static_cast<T>(c.ceiling);
}
/// Checks a case in every type that holds x and the shift. std::int32_t and std::int64_t may be any types.
constexpr auto shift_holds = [](const shift_case& c) {
  if (!shifts<long long>(c.x, c)) return false;
  if (sizeof(long) == 8 && !shifts<long>(static_cast<long>(c.x), c)) return false;
  if (c.x >= 0 && !shifts<unsigned long long>(static_cast<unsigned long long>(c.x), c)) return false;
  if (c.n > 31 || c.x > 100 || c.x < -100) return true;
  return shifts<int>(static_cast<int>(c.x), c) && shifts<long>(static_cast<long>(c.x), c);
};
static_assert(first_wrong(shift_cases, shift_holds) == -1);

template <class Ties, class T>
bool edges_as_defined() {
  constexpr int bits = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  for (int n = 0; n < bits; ++n)
    for (int k = 0; k < bits; ++k)
      for (int j = 0; j < bits; j += DYADIC_TEST_DIVISOR == 1 ? 1 : 9) {
        // +-2^k +-2^j -1 .. +1, modulo 2^bits: these include the powers, the ties and the ends of the type.
        const std::uint64_t a = std::uint64_t{1} << k, b = std::uint64_t{1} << j;
        for (const std::uint64_t base : {a + b, a - b, 0u - a - b})
          for (const std::uint64_t x : {base - 1, base, base + 1})
            if (const T y = static_cast<T>(x); q::shift_right<Ties>(y, n) != defined<Ties>(y, n)) return false;
      }
  return true;
}
template <class T>
bool all_edges_as_defined() {
  return edges_as_defined<q::half_up, T>() && edges_as_defined<q::half_away, T>() && edges_as_defined<q::half_even, T>() &&
         edges_as_defined<q::half_to_zero, T>() && edges_as_defined<q::to_floor, T>() && edges_as_defined<q::to_ceiling, T>();
}

// ---- narrowing ------------------------------------------------------------------------------------------------------

/// The least value of To as an int64. For uint64 only the sign of a value matters here.
template <class To>
constexpr std::int64_t smallest = static_cast<std::int64_t>(lowest<To>);
template <class To>
constexpr std::int64_t largest = std::is_same_v<To, std::uint64_t> ? most : static_cast<std::int64_t>(highest<To>);

template <class To, class From>
constexpr bool narrows(From from) {
  const std::int64_t x = from;
  const bool inside = x >= smallest<To> && x <= largest<To>;
  if (q::fits<To>(from) != inside) return false;
  if (q::saturate<To>(from) != static_cast<To>(inside ? x : x < 0 ? smallest<To> : largest<To>)) return false;
  if (inside) return q::wrap<To>(from) == static_cast<To>(x);
  if (sizeof(To) == 8) return q::wrap<To>(from) == static_cast<To>(highest<To> - static_cast<To>(-1 - x));
  // x modulo 2^bits, less 2^bits if it does not fit To.
  const std::int64_t modulus = std::int64_t{1} << std::numeric_limits<std::make_unsigned_t<To>>::digits % 64;
  const std::int64_t residue = (x % modulus + modulus) % modulus;
  return std::int64_t(q::wrap<To>(from)) == (residue > largest<To> ? residue - modulus : residue);
}
template <class From>
constexpr bool narrows_to_all(From x) {
  return narrows<std::int8_t>(x) && narrows<std::uint8_t>(x) && narrows<std::int16_t>(x) && narrows<std::uint16_t>(x) &&
         narrows<std::int32_t>(x) && narrows<std::uint32_t>(x) && narrows<std::int64_t>(x) && narrows<std::uint64_t>(x);
}
/// Checks -2^k - 1 .. -2^k + 1 and 2^k - 1 .. 2^k + 1, for each k that From holds.
template <class From>
constexpr bool edges_narrow() {
  for (int k = 0; k < std::numeric_limits<From>::digits; ++k)
    for (int step = -1; step <= 1; ++step) {
      const auto power = static_cast<From>(From{1} << k);
      if (!narrows_to_all(static_cast<From>(power + step)) || !narrows_to_all(static_cast<From>(-power + step))) return false;
    }
  return narrows_to_all(lowest<From>) && narrows_to_all(highest<From>);
}
static_assert(edges_narrow<std::int8_t>() && edges_narrow<std::int16_t>());
static_assert(edges_narrow<std::int32_t>() && edges_narrow<std::int64_t>());
// An unsigned value wraps, too, to a signed or an unsigned type.
static_assert(q::wrap<std::int8_t>(std::uint8_t{200}) == -56 &&
              q::wrap<std::int32_t>(std::uint64_t{0x1'8000'0001u}) == -0x7FFF'FFFF);
static_assert(q::wrap<std::uint8_t>(std::uint32_t{0x1FF}) == 255 && q::wrap<std::int64_t>(~std::uint64_t{0}) == -1);

// ---- left shifts ----------------------------------------------------------------------------------------------------

struct left_case {
  std::int32_t x;
  int n;
  std::int32_t wrapped, saturated;
};
constexpr std::int32_t max32 = highest<std::int32_t>, min32 = lowest<std::int32_t>;
constexpr left_case left_cases[] = {
    {0, 31, 0, 0},
    {5, 0, 5, 5},
    {-5, 3, -40, -40},
    {1, 30, 1 << 30, 1 << 30},
    {1, 31, min32, max32},
    {-1, 31, min32, min32},
    {2, 31, 0, max32},
    {3, 30, -(1 << 30), max32},
    {max32, 1, -2, max32},
    {max32, 31, min32, max32},
    {min32, 0, min32, min32},
    {min32, 1, 0, min32},
    {min32, 31, 0, min32},
    {-(1 << 30), 1, min32, min32},
    {-(1 << 30) - 1, 1, max32 - 1, min32},
    {1 << 30, 1, min32, max32},
    {(1 << 30) - 1, 1, max32 - 1, max32 - 1},
};
constexpr auto left_holds = [](const left_case& c) {
  return q::shift_left_wrapped(c.x, c.n) == c.wrapped && q::shift_left_saturated(c.x, c.n) == c.saturated;
};
static_assert(first_wrong(left_cases, left_holds) == -1);
static_assert(q::shift_left_wrapped(std::int64_t{-1}, 63) == least && q::shift_left_wrapped(std::int64_t{3}, 63) == least);
static_assert(q::shift_left_wrapped(std::uint64_t{3}, 63) == std::uint64_t{1} << 63);
static_assert(q::shift_left_wrapped(std::int8_t{-3}, 6) == 64 && q::shift_left_wrapped(std::uint16_t{0x1234}, 8) == 0x3400);

/// Doubles x n times and stops at the end of the type.
template <class T>
constexpr T doubled(T x, int n) {
  std::int64_t y = x;
  for (int i = 0; i < n; ++i) {
    y *= 2;
    y = y < smallest<T> ? smallest<T> : y > largest<T> ? largest<T> : y;
  }
  return static_cast<T>(y);
}
template <class T>
constexpr bool left_shifts_saturate() {
  for (int n = 0; n < 32; ++n)
    for (int k = 0; k < std::numeric_limits<T>::digits; ++k)
      for (int step = -2; step <= 2; ++step) {
        const auto x = static_cast<T>((std::int64_t{1} << k) + step), y = static_cast<T>(-(std::int64_t{1} << k) + step);
        if (q::shift_left_saturated(x, n) != doubled(x, n) || q::shift_left_saturated(y, n) != doubled(y, n)) return false;
      }
  return true;
}
static_assert(left_shifts_saturate<std::int8_t>());

// ---- small things ---------------------------------------------------------------------------------------------------

constexpr bool leading_zeros_hold() {
  for (int k = 0; k < 64; ++k) {
    const std::uint64_t power = std::uint64_t{1} << k;
    if (q::leading_zeros(power) != 63 - k || q::leading_zeros(power | (power - 1)) != 63 - k ||
        q::leading_zeros(power | 1u) != 63 - k)
      return false;
  }
  return q::leading_zeros(0) == 64;
}
static_assert(leading_zeros_hold());

static_assert(q::clamp(5, -1, 3) == 3 && q::clamp(-5, -1, 3) == -1 && q::clamp(2, -1, 3) == 2 && q::clamp(-1, -1, 3) == -1 &&
              q::clamp(3, -1, 3) == 3);
static_assert(q::clamp(least, least, most) == least && q::clamp(most, least, most) == most && q::clamp(most, 0, 0) == 0 &&
              q::clamp(least, 0, 0) == 0);

// ---- 128 bits -------------------------------------------------------------------------------------------------------

constexpr bool same(q::wide a, q::wide b) { return a.high == b.high && a.low == b.low; }
constexpr bool same(q::unsigned_wide a, q::unsigned_wide b) { return a.high == b.high && a.low == b.low; }
constexpr std::uint64_t ones = ~std::uint64_t{0}, top = std::uint64_t{1} << 63;

struct product_case {
  std::int64_t a, b;
  q::wide product;
};
constexpr product_case product_cases[] = {
    {0, most, {0, 0}},
    {0, least, {0, 0}},
    {1, most, {0, top - 1}},
    {-1, 1, {-1, ones}},
    {-1, -1, {0, 1}},
    {least, 1, {-1, top}},
    {least, -1, {0, top}},
    {least, 2, {-1, 0}},
    {least, least, {two62, 0}},    // 2^126
    {most, most, {two62 - 1, 1}},  // 2^126 - 2^64 + 1
    {least, most, {-two62, top}},  // -2^126 + 2^63
    {most, -1, {-1, top + 1}},
    {(1LL << 32) + 1, (1LL << 32) + 1, {1, (std::uint64_t{1} << 33) + 1}},
    {(1LL << 32) - 1, (1LL << 32) - 1, {0, ones - (std::uint64_t{1} << 33) + 2}},
    {-(1LL << 32), 1LL << 32, {-1, 0}},
    {-(1LL << 32), (1LL << 32) - 1, {-1, std::uint64_t{1} << 32}},
};
constexpr auto product_holds = [](const product_case& c) {
  return same(q::multiply(c.a, c.b), c.product) && same(q::multiply(c.b, c.a), c.product);
};
static_assert(first_wrong(product_cases, product_holds) == -1);
static_assert(same(q::multiply(ones, ones), q::unsigned_wide{ones - 1, 1}) &&
              same(q::multiply(top, top), q::unsigned_wide{std::uint64_t{1} << 62, 0}) &&
              same(q::multiply(ones, std::uint64_t{2}), q::unsigned_wide{1, ones - 1}));

struct wide_case {
  q::wide x;
  int n;
  std::int64_t up, away, even, to_zero, floor, ceiling;
};
constexpr wide_case wide_cases[] = {
    {{0, 0}, 126, 0, 0, 0, 0, 0, 0},
    {{0, top - 1}, 0, most, most, most, most, most, most},
    {{0, top}, 0, most, most, most, most, most, most},         // 2^63 saturates
    {{-1, top}, 0, least, least, least, least, least, least},  // -2^63 fits
    {{-1, top - 1}, 0, least, least, least, least, least, least},
    {{1, 0}, 1, most, most, most, most, most, most},
    {{1, 0}, 2, two62, two62, two62, two62, two62, two62},
    {{-1, 0}, 1, least, least, least, least, least, least},
    {{0, ones}, 1, most, most, most, most, most, most},                  // 2^63 - 1/2: rounding up would not fit
    {{-1, 1}, 1, least + 1, least, least, least + 1, least, least + 1},  // -2^63 + 1/2
    {{-2, ones}, 1, least, least, least, least, least, least},           // -2^63 - 1/2: only some rules give a result that fits
    {{0, 3}, 1, 2, 2, 2, 1, 1, 2},
    {{-1, ones - 2}, 1, -1, -2, -2, -1, -2, -1},  // -3/2
    // The tie of 1/2 in each branch of the function, and its neighbours.
    {{0, top >> 1}, 63, 1, 1, 0, 0, 0, 1},
    {{0, top}, 64, 1, 1, 0, 0, 0, 1},
    {{0, top - 1}, 64, 0, 0, 0, 0, 0, 1},
    {{0, top + 1}, 64, 1, 1, 1, 1, 0, 1},
    {{-1, top}, 64, 0, -1, 0, 0, -1, 0},
    {{-1, top + 1}, 64, 0, 0, 0, 0, -1, 0},
    {{-1, top - 1}, 64, -1, -1, -1, -1, -1, 0},
    {{1, 0}, 65, 1, 1, 0, 0, 0, 1},
    {{0, ones}, 65, 0, 0, 0, 0, 0, 1},
    {{1, 1}, 65, 1, 1, 1, 1, 0, 1},
    {{-1, 0}, 65, 0, -1, 0, 0, -1, 0},
    {{-1, 1}, 65, 0, 0, 0, 0, -1, 0},
    {{-2, ones}, 65, -1, -1, -1, -1, -1, 0},
    {{3, 0}, 65, 2, 2, 2, 1, 1, 2},
    {{-3, 0}, 65, -1, -2, -2, -1, -2, -1},
    {{5, 0}, 65, 3, 3, 2, 2, 2, 3},
    {{two62 >> 1, 0}, 126, 1, 1, 0, 0, 0, 1},
    {{two62 >> 1, 0}, 124, 2, 2, 2, 2, 2, 2},
    // The ends of the type.
    {{least, 0}, 126, -2, -2, -2, -2, -2, -2},
    {{least, 0}, 64, least, least, least, least, least, least},
    {{least, 0}, 63, least, least, least, least, least, least},
    {{most, ones}, 126, 2, 2, 2, 2, 1, 2},
    {{most, ones}, 64, most, most, most, most, most, most},  // 2^63 - 2^-64 would round to 2^63
    {{most, ones}, 65, two62, two62, two62, two62, two62 - 1, two62},
    {{most, ones}, 0, most, most, most, most, most, most},
};
constexpr auto wide_holds = [](const wide_case& c) {
  return q::shift_right_saturated<q::half_up>(c.x, c.n) == c.up && q::shift_right_saturated<q::half_away>(c.x, c.n) == c.away &&
         q::shift_right_saturated<q::half_even>(c.x, c.n) == c.even &&
         q::shift_right_saturated<q::half_to_zero>(c.x, c.n) == c.to_zero &&
         q::shift_right_saturated<q::to_floor>(c.x, c.n) == c.floor &&
         q::shift_right_saturated<q::to_ceiling>(c.x, c.n) == c.ceiling;
};
static_assert(first_wrong(wide_cases, wide_holds) == -1);

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

q::wide split(int128 x) { return {static_cast<std::int64_t>(x >> 64), static_cast<std::uint64_t>(x)}; }

template <class Ties>
bool saturates_as_defined(int128 x, int n) {
  const uint128 magnitude = x < 0 ? 0 - static_cast<uint128>(x) : static_cast<uint128>(x);
  const uint128 y = rounded_magnitude<Ties>(x < 0, magnitude, n);
  const std::uint64_t limit = x < 0 ? top : top - 1;
  const std::uint64_t kept = y > limit ? limit : static_cast<std::uint64_t>(y);
  return q::shift_right_saturated<Ties>(split(x), n) == static_cast<std::int64_t>(x < 0 ? 0u - kept : kept);
}
bool all_saturate_as_defined(int128 x, int n) {
  return saturates_as_defined<q::half_up>(x, n) && saturates_as_defined<q::half_away>(x, n) &&
         saturates_as_defined<q::half_even>(x, n) && saturates_as_defined<q::half_to_zero>(x, n) &&
         saturates_as_defined<q::to_floor>(x, n) && saturates_as_defined<q::to_ceiling>(x, n);
}
bool products_agree(std::uint64_t a, std::uint64_t b) {
  const auto signed_a = static_cast<std::int64_t>(a), signed_b = static_cast<std::int64_t>(b);
  const uint128 product = uint128{a} * b;
  const q::unsigned_wide expected{static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
  return same(q::multiply(a, b), expected) && same(q::multiply(signed_a, signed_b), split(int128{signed_a} * signed_b));
}
#endif

}  // namespace

TEST_CASE("constructed ties go where the name of their rule says") {
  CHECK(first_wrong(at_run_time(shift_cases), shift_holds) == -1);
}

TEST_CASE("every 8-bit and every 16-bit value rounds by the definition at every shift") {
  CHECK(all_rules_as_defined<std::int8_t>());
  CHECK(all_rules_as_defined<std::uint8_t>());
  CHECK(all_rules_as_defined<std::int16_t>());
  CHECK(all_rules_as_defined<std::uint16_t>());
}

TEST_CASE("32-bit and 64-bit edges round by the definition at every shift") {
  CHECK(all_edges_as_defined<std::int32_t>());
  CHECK(all_edges_as_defined<std::uint32_t>());
  CHECK(all_edges_as_defined<std::int64_t>());
  CHECK(all_edges_as_defined<std::uint64_t>());
}

TEST_CASE("random 64-bit values round by the definition") {
  INFO("seed " << seed);
  random_bits random;
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<std::int64_t>(random.word());
    const int n = random.below(64);
    wrong += q::shift_right<q::half_up>(x, n) != defined<q::half_up>(x, n);
    wrong += q::shift_right<q::half_away>(x, n) != defined<q::half_away>(x, n);
    wrong += q::shift_right<q::half_even>(x, n) != defined<q::half_even>(x, n);
    wrong += q::shift_right<q::half_to_zero>(x, n) != defined<q::half_to_zero>(x, n);
  }
  CHECK(wrong == 0);
}

TEST_CASE("narrowing tells, saturates and wraps between all widths") {
  CHECK(edges_narrow<std::int32_t>());
  CHECK(edges_narrow<std::int64_t>());
  int wrong = 0;
  for (int x = -32768; x <= 32767; ++x) {
    wrong += !narrows_to_all(static_cast<std::int16_t>(x));
    if (x >= -128 && x <= 127) wrong += !narrows_to_all(static_cast<std::int8_t>(x));
  }
  INFO("seed " << seed);
  random_bits random;
  for (int i = 0; i < count; ++i) wrong += !narrows_to_all(static_cast<std::int64_t>(random.word()));
  CHECK(wrong == 0);
}

TEST_CASE("a left shift wraps or saturates by name") {
  CHECK(first_wrong(at_run_time(left_cases), left_holds) == -1);
  CHECK(left_shifts_saturate<std::int8_t>());
  CHECK(left_shifts_saturate<std::uint8_t>());
  CHECK(left_shifts_saturate<std::int16_t>());
  CHECK(left_shifts_saturate<std::uint16_t>());
  CHECK(left_shifts_saturate<std::int32_t>());
  CHECK(left_shifts_saturate<std::uint32_t>());
}

TEST_CASE("leading zeros are counted for every power of two, and 64 for zero") { CHECK(leading_zeros_hold()); }

TEST_CASE("a wide product is exact") {
  CHECK(first_wrong(at_run_time(product_cases), product_holds) == -1);
#ifdef __SIZEOF_INT128__
  int wrong = 0;
  for (int k = 0; k < 64; ++k)
    for (int j = 0; j < 64; ++j)
      for (int step = 0; step < 9; ++step) {
        const std::uint64_t a = (std::uint64_t{1} << k) + static_cast<std::uint64_t>(step / 3) - 1u;
        const std::uint64_t b = (std::uint64_t{1} << j) + static_cast<std::uint64_t>(step % 3) - 1u;
        wrong += !products_agree(a, b) + !products_agree(0u - a, b) + !products_agree(0u - a, 0u - b);
      }
  INFO("seed " << seed);
  random_bits random;
  for (int i = 0; i < count; ++i) wrong += !products_agree(random.word(), random.word());
  CHECK(wrong == 0);
#endif
}

TEST_CASE("a wide shift rounds by the definition and saturates") {
  CHECK(first_wrong(at_run_time(wide_cases), wide_holds) == -1);
#ifdef __SIZEOF_INT128__
  int wrong = 0;
  for (int n = 0; n < 127; ++n)
    for (int k = 0; k < 128; ++k)
      for (const int j : {0, n > 1 ? n - 2 : 0, n > 0 ? n - 1 : 0, n, k}) {
        const uint128 base = (uint128{1} << k) + (j == k ? 0 : uint128{1} << j);
        for (const uint128 x : {base - 1, base, base + 1, 0 - base - 1, 0 - base, 0 - base + 1})
          wrong += !all_saturate_as_defined(static_cast<int128>(x), n);
      }
  INFO("seed " << seed);
  random_bits random;
  for (int i = 0; i < count; ++i) {
    const uint128 x = (uint128{random.word()} << 64 | random.word()) >> random.below(128);
    wrong += !all_saturate_as_defined(static_cast<int128>(random.below(2) == 0 ? x : 0 - x), random.below(127));
  }
  CHECK(wrong == 0);
#endif
}

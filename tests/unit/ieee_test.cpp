#include <dyadic/detail/ieee.hpp>

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../support/catch.hpp"
#include "../support/random.hpp"

namespace q = dyadic;
using namespace support;

namespace {

// Numbers are named by their place in their format. Both formats have the same layout, so one table serves both.

template <class Float>
using word = decltype(Float::bits);

/// The bits of landmarks, written out and not taken from the library.
template <class Float>
struct place;
template <>
struct place<q::binary32> {
  static constexpr std::uint32_t sign = 0x8000'0000u, normal = 0x0080'0000u, one = 0x3F80'0000u, infinity = 0x7F80'0000u;
  static constexpr std::uint32_t nan = 0x7FC0'0000u;
};
template <>
struct place<q::binary64> {
  static constexpr std::uint64_t sign = 0x8000'0000'0000'0000u, normal = 0x0010'0000'0000'0000u, one = 0x3FF0'0000'0000'0000u;
  static constexpr std::uint64_t infinity = 0x7FF0'0000'0000'0000u, nan = 0x7FF8'0000'0000'0000u;
};

template <class Float>
constexpr Float steps(word<Float> from, int n) {
  return Float::from_bits(from + static_cast<word<Float>>(n));
}
/// Returns 2^exponent plus n steps of its last bit. Requires: normal.
template <class Float>
constexpr Float power(int exponent, int n = 0) {
  return steps<Float>(place<Float>::one + static_cast<word<Float>>(exponent) * place<Float>::normal, n);
}
template <class Float>
constexpr Float minus(Float x) {
  return Float::from_bits(x.bits ^ place<Float>::sign);
}

template <class Float>
struct arithmetic_case {
  Float (*operation)(Float, Float);
  Float a, b, result;
};

/// Cases of arithmetic. u is the distance from 1 to the next number.
template <class Float>
struct arithmetic {
  using at = place<Float>;
  static constexpr int digits = Float::digits;
  static constexpr Float zero = Float{}, least = steps<Float>(0, 1), normal = steps<Float>(at::normal, 0);
  static constexpr Float one = power<Float>(0), half = power<Float>(-1), two = power<Float>(1);
  static constexpr Float one_and_half = Float::from_bits(at::one + at::normal / 2);
  static constexpr Float two_and_quarter = Float::from_bits(two.bits + at::normal / 8);
  static constexpr Float three = Float::from_bits(two.bits + at::normal / 2);
  static constexpr Float largest = steps<Float>(at::infinity, -1), infinity = steps<Float>(at::infinity, 0);
  static constexpr Float nan = steps<Float>(at::nan, 0), signaling = steps<Float>(at::infinity, 1);
  static constexpr Float u = power<Float>(1 - digits), half_u = power<Float>(-digits), quarter_u = power<Float>(-1 - digits);
  static constexpr int top = digits == 24 ? 127 : 1023;

  static constexpr Float (*times)(Float, Float) = &q::multiply<Float>;
  static constexpr Float (*over)(Float, Float) = &q::divide<Float>;
  static constexpr Float (*plus)(Float, Float) = &q::add<Float>;
  static constexpr Float (*less_by)(Float, Float) = &q::subtract<Float>;

  static constexpr arithmetic_case<Float> cases[] = {
      // Products: ties and their neighbours.
      {times, power<Float>(0, 1), one_and_half, steps<Float>(one_and_half.bits, 2)},  // 1.5 + 1.5u
      {times, power<Float>(0, 3), one_and_half, steps<Float>(one_and_half.bits, 4)},  // 1.5 + 4.5u
      {times, power<Float>(0, 1), power<Float>(0, 1), power<Float>(0, 2)},            // 1 + 2u + u^2
      {times, power<Float>(0, -1), power<Float>(0, -1), power<Float>(0, -2)},         // 1 - u + u^2/4
      {times, minus(one_and_half), power<Float>(0, 1), minus(steps<Float>(one_and_half.bits, 2))},
      {times, minus(one_and_half), minus(one_and_half), two_and_quarter},
      // Products among the subnormals.
      {times, normal, half, Float::from_bits(at::normal / 2)},
      {times, steps<Float>(at::normal, 1), half, Float::from_bits(at::normal / 2)},
      {times, steps<Float>(at::normal, 3), half, steps<Float>(at::normal / 2, 2)},
      {times, steps<Float>(2 * at::normal, -1), half, normal},  // a tie between the largest subnormal and the least normal
      {times, steps<Float>(at::normal, -1), power<Float>(0, 1), normal},
      {times, steps<Float>(at::normal, -1), power<Float>(0, -1), steps<Float>(at::normal, -1)},
      {times, steps<Float>(0, 1), two, steps<Float>(0, 2)},
      {times, steps<Float>(0, 1), one_and_half, steps<Float>(0, 2)},
      {times, steps<Float>(0, 3), half, steps<Float>(0, 2)},
      {times, least, half, zero},
      {times, least, power<Float>(-1, 1), least},
      {times, least, power<Float>(-1, -1), zero},
      {times, minus(least), half, minus(zero)},
      {times, least, minus(least), minus(zero)},
      {times, power<Float>(1 - top), power<Float>(1 - digits), least},
      // Products beyond the largest number.
      {times, largest, one, largest},
      {times, largest, power<Float>(0, 1), infinity},
      {times, minus(largest), two, minus(infinity)},
      {times, power<Float>(top), two, infinity},
      // Zeros, infinities and NaN.
      {times, zero, minus(one), minus(zero)},
      {times, minus(zero), minus(zero), zero},
      {times, infinity, zero, nan},
      {times, minus(zero), infinity, nan},
      {times, infinity, minus(least), minus(infinity)},
      {times, minus(infinity), minus(infinity), infinity},
      {times, minus(nan), one, nan},
      {times, zero, signaling, nan},

      // Quotients of normal numbers never tie. These come close to a tie.
      {over, one, power<Float>(0, -1), power<Float>(0, 1)},                  // 1 + u/2 + u^2/4
      {over, power<Float>(0, 1), power<Float>(0, -1), power<Float>(0, 2)},   // 1 + 3u/2 + 3u^2/4
      {over, one, power<Float>(0, 1), power<Float>(0, -2)},                  // 1 - u + u^2
      {over, power<Float>(0, -1), power<Float>(0, 1), power<Float>(0, -3)},  // 1 - 3u/2 + 3u^2/2
      {over, minus(largest), largest, minus(one)},
      {over, least, least, one},
      {over, steps<Float>(0, 3), minus(least), minus(three)},
      // Quotients among the subnormals tie.
      {over, steps<Float>(at::normal, 1), two, Float::from_bits(at::normal / 2)},
      {over, steps<Float>(2 * at::normal, -1), two, normal},
      {over, steps<Float>(0, 3), two, steps<Float>(0, 2)},
      {over, least, two, zero},
      {over, minus(least), two, minus(zero)},
      {over, least, power<Float>(1, -1), least},
      {over, least, largest, zero},
      // Quotients beyond the largest number.
      {over, largest, power<Float>(0, -1), infinity},
      {over, largest, half, infinity},
      {over, largest, least, infinity},
      // Zeros, infinities and NaN.
      {over, one, zero, infinity},
      {over, one, minus(zero), minus(infinity)},
      {over, zero, zero, nan},
      {over, infinity, minus(infinity), nan},
      {over, infinity, minus(zero), minus(infinity)},
      {over, minus(one), infinity, minus(zero)},
      {over, zero, minus(least), minus(zero)},
      {over, nan, infinity, nan},
      {over, zero, minus(signaling), nan},

      // Sums: ties and their neighbours.
      {plus, one, half_u, one},
      {plus, power<Float>(0, 1), half_u, power<Float>(0, 2)},
      {plus, one, steps<Float>(half_u.bits, 1), power<Float>(0, 1)},
      {plus, power<Float>(0, 1), steps<Float>(half_u.bits, -1), power<Float>(0, 1)},
      {plus, one, minus(quarter_u), one},
      {plus, minus(steps<Float>(quarter_u.bits, 1)), one, power<Float>(0, -1)},
      {plus, power<Float>(0, -1), quarter_u, one},
      {plus, one, least, one},
      {plus, minus(least), one, one},
      {plus, one, power<Float>(-62, 1), one},
      {plus, one, minus(power<Float>(-63, 1)), one},
      {plus, one, minus(power<Float>(-64, 1)), one},
      {plus, one, minus(power<Float>(-65)), one},
      // Cancellation is exact.
      {plus, power<Float>(0, 1), minus(one), u},
      {plus, power<Float>(0, -1), minus(one), minus(half_u)},
      {plus, normal, minus(least), steps<Float>(at::normal, -1)},
      {plus, minus(steps<Float>(at::normal, 1)), normal, minus(least)},
      {plus, steps<Float>(at::normal, -1), least, normal},
      {plus, largest, minus(largest), zero},
      {plus, minus(least), least, zero},
      // Sums beyond the largest number: a tie goes to infinity.
      {plus, largest, power<Float>(top - digits), infinity},
      {plus, largest, power<Float>(top - digits, -1), largest},
      {plus, minus(largest), minus(power<Float>(top - digits)), minus(infinity)},
      // Zeros, infinities and NaN.
      {plus, zero, zero, zero},
      {plus, zero, minus(zero), zero},
      {plus, minus(zero), zero, zero},
      {plus, minus(zero), minus(zero), minus(zero)},
      {plus, minus(zero), least, least},
      {plus, minus(least), zero, minus(least)},
      {plus, infinity, minus(largest), infinity},
      {plus, one, minus(infinity), minus(infinity)},
      {plus, infinity, infinity, infinity},
      {plus, infinity, minus(infinity), nan},
      {plus, signaling, infinity, nan},
      {plus, minus(infinity), minus(nan), nan},
      {less_by, one, one, zero},
      {less_by, minus(zero), zero, minus(zero)},
      {less_by, minus(zero), minus(zero), zero},
      {less_by, infinity, infinity, nan},
      {less_by, one, infinity, minus(infinity)},
      {less_by, power<Float>(0, 1), one, u},
  };

  static constexpr bool holds() {
    for (const auto& c : cases)
      if (c.operation(c.a, c.b).bits != c.result.bits) return false;
    return true;
  }
};
static_assert(arithmetic<q::binary32>::holds());
static_assert(arithmetic<q::binary64>::holds());

template <class Float>
void check_arithmetic() {
  for (std::size_t i = 0; i < sizeof(arithmetic<Float>::cases) / sizeof(arithmetic_case<Float>); ++i) {
    // Volatile operands keep the compiler from computing the result.
    const volatile word<Float> a = arithmetic<Float>::cases[i].a.bits;
    const volatile word<Float> b = arithmetic<Float>::cases[i].b.bits;
    INFO("case " << i << " of binary" << 8 * sizeof(Float));
    const Float result = arithmetic<Float>::cases[i].operation(Float::from_bits(a), Float::from_bits(b));
    CHECK(result.bits == arithmetic<Float>::cases[i].result.bits);
  }
}

// 2^25 - 1 and 2^54 - 1 are odd and one bit too long. Their product with 2^n lies halfway between two numbers.
static_assert(q::multiply(q::binary32(31.0f), q::binary32(1082401.0f)).to_float() == 0x1p25f);
static_assert(q::multiply(q::binary32(31.0f), q::binary32(0x1p103f * 1082401.0f)).bits == 0x7F80'0000u);
static_assert(q::multiply(q::binary64(0x1p27 - 1), q::binary64(0x1p27 + 1)).to_double() == 0x1p54);
static_assert(q::multiply(q::binary64(0x1p27 - 1), q::binary64(0x1p970 * (0x1p27 + 1))).bits == 0x7FF0'0000'0000'0000u);
static_assert(q::divide(q::binary32(1.0f), q::binary32(3.0f)).bits == 0x3EAA'AAABu);
static_assert(q::divide(q::binary64(1.0), q::binary64(3.0)).bits == 0x3FD5'5555'5555'5555u);

// ---- composition ----------------------------------------------------------------------------------------------------

template <class Float>
struct compose_case {
  q::fraction x;
  bool sticky;
  Float result;
};

template <class Float>
struct composition {
  using at = place<Float>;
  static constexpr int digits = Float::digits;
  static constexpr std::uint64_t top = std::uint64_t{1} << 63, unit = std::uint64_t{1} << (64 - digits);
  /// The exponents of the significand `top` that give 1, the least normal number, the least number, and the largest power of two.
  static constexpr std::int32_t one = -63, normal = one + (digits == 24 ? -126 : -1022), least = normal - (digits - 1),
                                highest = one + (digits == 24 ? 127 : 1023);

  static constexpr compose_case<Float> cases[] = {
      {{false, 0, 0}, false, Float{}},
      {{true, 0, 77}, false, minus(Float{})},
      {{true, 1, 0}, false, minus(power<Float>(0))},
      {{false, top, one}, false, power<Float>(0)},
      {{false, top, one}, true, power<Float>(0)},
      {{false, top + unit / 2 - 1, one}, true, power<Float>(0)},
      {{false, top + unit / 2, one}, false, power<Float>(0)},
      {{false, top + unit / 2, one}, true, power<Float>(0, 1)},
      {{false, top + unit / 2 + 1, one}, false, power<Float>(0, 1)},
      {{true, top + unit + unit / 2, one}, false, minus(power<Float>(0, 2))},
      {{false, ~std::uint64_t{0}, one}, true, power<Float>(1)},
      {{false, (top + unit / 2) >> (63 - digits), 63 - digits + one}, true, power<Float>(0, 1)},
      {{false, top, normal}, false, steps<Float>(at::normal, 0)},
      {{false, ~std::uint64_t{0}, normal - 1}, false, steps<Float>(at::normal, 0)},
      {{false, top, normal - 1}, false, Float::from_bits(at::normal / 2)},
      {{false, top, least}, false, steps<Float>(0, 1)},
      {{false, top + top / 2, least}, false, steps<Float>(0, 2)},
      {{false, top + top / 2 - 1, least}, true, steps<Float>(0, 1)},
      {{false, top, least - 1}, false, Float{}},
      {{false, top, least - 1}, true, steps<Float>(0, 1)},
      {{true, top + 1, least - 1}, false, minus(steps<Float>(0, 1))},
      {{true, ~std::uint64_t{0}, least - 2}, true, minus(Float{})},
      {{false, top, -(1 << 30) + 1}, true, Float{}},
      {{false, top, (1 << 30) - 1}, false, steps<Float>(at::infinity, 0)},
      {{true, ~std::uint64_t{0} - unit / 2, highest}, true, minus(steps<Float>(at::infinity, -1))},
      {{true, ~std::uint64_t{0} - unit / 2 + 1, highest}, false, minus(steps<Float>(at::infinity, 0))},
  };

  static constexpr bool holds() {
    for (const auto& c : cases)
      if (q::compose<Float>(c.x, c.sticky).bits != c.result.bits) return false;
    return true;
  }
};
static_assert(composition<q::binary32>::holds());
static_assert(composition<q::binary64>::holds());

// ---- integers -------------------------------------------------------------------------------------------------------

struct integer_case {
  double x;
  std::int64_t even, away, up, to_zero, floor, ceiling;
};

constexpr std::int64_t limit = std::int64_t{1} << 62;

/// All numbers of the table are binary32 values, too.
constexpr integer_case integer_cases[] = {
    {0.0, 0, 0, 0, 0, 0, 0},
    {-0.0, 0, 0, 0, 0, 0, 0},
    {0x1p-149, 0, 0, 0, 0, 0, 1},
    {-0x1p-149, 0, 0, 0, 0, -1, 0},
    {0x1.fffffep-2, 0, 0, 0, 0, 0, 1},
    {-0x1.fffffep-2, 0, 0, 0, 0, -1, 0},
    {0.5, 0, 1, 1, 0, 0, 1},
    {-0.5, 0, -1, 0, 0, -1, 0},
    {0x1.000002p-1, 1, 1, 1, 1, 0, 1},
    {-0x1.000002p-1, -1, -1, -1, -1, -1, 0},
    {1.0, 1, 1, 1, 1, 1, 1},
    {-1.0, -1, -1, -1, -1, -1, -1},
    {1.5, 2, 2, 2, 1, 1, 2},
    {-1.5, -2, -2, -1, -1, -2, -1},
    {2.5, 2, 3, 3, 2, 2, 3},
    {-2.5, -2, -3, -2, -2, -3, -2},
    {0x1.fffffep22, 8388608, 8388608, 8388608, 8388607, 8388607, 8388608},
    {0x1.fffffep23, 16777215, 16777215, 16777215, 16777215, 16777215, 16777215},
    {0x1.fffffep61, limit - (std::int64_t{1} << 38), limit - (std::int64_t{1} << 38), limit - (std::int64_t{1} << 38),
     limit - (std::int64_t{1} << 38), limit - (std::int64_t{1} << 38), limit - (std::int64_t{1} << 38)},
    {0x1p62, limit, limit, limit, limit, limit, limit},
    {-0x1p62, -limit, -limit, -limit, -limit, -limit, -limit},
    {0x1.000002p62, limit, limit, limit, limit, limit, limit},
    {-0x1p127, -limit, -limit, -limit, -limit, -limit, -limit},
    {__builtin_huge_val(), limit, limit, limit, limit, limit, limit},
    {-__builtin_huge_val(), -limit, -limit, -limit, -limit, -limit, -limit},
    {__builtin_nan(""), 0, 0, 0, 0, 0, 0},
};

template <class Float>
constexpr bool rounds_as(Float x, const integer_case& c) {
  return q::to_integer<q::half_even>(x) == c.even && q::to_integer<q::half_away>(x) == c.away &&
         q::to_integer<q::half_up>(x) == c.up && q::to_integer<q::half_to_zero>(x) == c.to_zero &&
         q::to_integer<q::to_floor>(x) == c.floor && q::to_integer<q::to_ceiling>(x) == c.ceiling;
}
constexpr bool integers_hold() {
  for (const auto& c : integer_cases)
    if (!rounds_as(q::binary64(c.x), c) || !rounds_as(q::narrow(c.x), c)) return false;
  return true;
}
static_assert(integers_hold());
static_assert(q::to_integer<q::half_even>(q::binary64(0x1.fffffffffffffp61)) == limit - 512);
static_assert(q::to_integer<q::to_floor>(q::binary64(-0x1.fffffffffffffp61)) == 512 - limit);
static_assert(q::to_integer<q::half_away>(q::binary64(0x1.fffffffffffffp-2)) == 0);  // floor(x + 0.5) is wrong here

static_assert(q::from_integer<q::binary32>(0).bits == 0);
static_assert(q::from_integer<q::binary32>(16777217).to_float() == 0x1p24f);           // a tie, to even
static_assert(q::from_integer<q::binary32>(-16777219).to_float() == -0x1.000004p24f);  // a tie, to even
static_assert(q::from_integer<q::binary32>(2147483647).to_float() == 0x1p31f);
static_assert(q::from_integer<q::binary64>(9007199254740993).to_double() == 0x1p53);
static_assert(q::from_integer<q::binary64>(std::numeric_limits<std::int64_t>::max()).to_double() == 0x1p63);
static_assert(q::from_integer<q::binary32>(std::numeric_limits<std::int64_t>::min()).to_float() == -0x1p63f);
static_assert(q::from_integer<q::binary64>(std::numeric_limits<std::int64_t>::min()).to_double() == -0x1p63);

// ---- conversions, order, powers of two ------------------------------------------------------------------------------

static_assert(q::narrow(0x1.000001p0).to_float() == 1.0f && q::narrow(0x1.000003p0).to_float() == 0x1.000004p0f);  // ties
static_assert(q::narrow(0x1.0000010000001p0).to_float() == 0x1.000002p0f);  // a little above
static_assert(q::narrow(0x1.ffffffp-127).to_float() == 0x1p-126f);          // a tie between a subnormal and the least normal
static_assert(q::narrow(0x1p-150).bits == 0 && q::narrow(-0x1p-150).bits == 0x8000'0000u);
static_assert(q::narrow(0x1.0000000000001p-150).bits == 1 && q::narrow(0x1.8p-149).bits == 2);
static_assert(q::narrow(0x1.fffffefffffffp127).bits == 0x7F7F'FFFFu && q::narrow(-0x1.ffffffp127).bits == 0xFF80'0000u);
static_assert(q::narrow(-__builtin_huge_val()).bits == 0xFF80'0000u);
static_assert(q::narrow(q::binary64::from_bits(0xFFF0'0000'0000'0001u)).bits == 0x7FC0'0000u);

static_assert(q::binary64(q::binary32(0.1f)).to_double() == static_cast<double>(0.1f));
static_assert(q::binary64(-0.0f).bits == 0x8000'0000'0000'0000u);
static_assert(q::binary64(q::binary32::from_bits(1)).to_double() == 0x1p-149);
static_assert(q::binary64(q::binary32::from_bits(0xFF80'0000u)).bits == 0xFFF0'0000'0000'0000u);
static_assert(q::binary64(q::binary32::from_bits(0xFF80'0001u)).bits == 0x7FF8'0000'0000'0000u);

static_assert(q::binary32().bits == 0 && q::binary32(-1.5f).to_float() == -1.5f);
static_assert(q::binary64().bits == 0 && q::binary64(-1.5).to_double() == -1.5);
static_assert(std::is_trivially_copyable_v<q::binary32> && sizeof(q::binary32) == 4 && std::is_convertible_v<float, q::binary32>);
static_assert(std::is_trivially_copyable_v<q::binary64> && sizeof(q::binary64) == 8 &&
              std::is_convertible_v<double, q::binary64>);
static_assert(std::is_convertible_v<float, q::binary64> && std::is_convertible_v<q::binary32, q::binary64>);
static_assert(!std::is_convertible_v<double, q::binary32> && !std::is_convertible_v<q::binary64, q::binary32>,
              "no rounding by accident");
static_assert(!std::is_convertible_v<int, q::binary32> && !std::is_convertible_v<int, q::binary64>, "no rounding by accident");

template <class Float>
constexpr bool order_holds() {
  using at = place<Float>;
  const Float normal = steps<Float>(at::normal, 0), infinity = steps<Float>(at::infinity, 0);
  const Float least = steps<Float>(0, 1), next = power<Float>(0, 1), largest = steps<Float>(at::infinity, -1);
  const Float ascending[] = {minus(infinity), minus(next), minus(power<Float>(0)),       minus(normal), minus(least),
                             Float{},         least,       steps<Float>(at::normal, -1), normal,        power<Float>(0),
                             largest,         infinity};
  constexpr int size = 12;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j)
      if (q::less(ascending[i], ascending[j]) != (i < j)) return false;
    const Float nan = steps<Float>(at::nan, 0);
    if (q::less(ascending[i], nan) || q::less(nan, ascending[i])) return false;
    if (q::less(minus(nan), ascending[i]) || q::less(ascending[i], minus(nan))) return false;
  }
  return !q::less(minus(Float{}), Float{}) && !q::less(Float{}, minus(Float{}));
}
static_assert(order_holds<q::binary32>() && order_holds<q::binary64>());

template <class Float>
constexpr bool classes_hold() {
  using at = place<Float>;
  const Float zero{}, least = steps<Float>(0, 1), largest = steps<Float>(at::infinity, -1);
  const Float infinity = steps<Float>(at::infinity, 0);
  const Float signaling = steps<Float>(at::infinity, 1), nan = steps<Float>(at::nan, 0);
  const bool zeros =
      q::is_zero(zero) && q::is_zero(minus(zero)) && !q::is_zero(least) && !q::is_zero(minus(infinity)) && !q::is_zero(nan);
  const bool finite = q::is_finite(zero) && q::is_finite(minus(largest)) && !q::is_finite(infinity) &&
                      !q::is_finite(minus(infinity)) && !q::is_finite(signaling) && !q::is_finite(minus(nan));
  const bool nans = is_nan(nan) && is_nan(signaling) && is_nan(minus(signaling)) && !is_nan(minus(infinity)) && !is_nan(largest);
  const bool signs = q::is_negative(minus(zero)) && q::is_negative(minus(nan)) && !q::is_negative(zero) && !q::is_negative(nan) &&
                     q::negate(least).bits == minus(least).bits && q::negate(minus(zero)).bits == 0 &&
                     q::negate(nan).bits == minus(nan).bits && q::magnitude(minus(infinity)).bits == at::infinity &&
                     q::magnitude(largest).bits == largest.bits;
  return zeros && finite && nans && signs;
}
static_assert(classes_hold<q::binary32>() && classes_hold<q::binary64>());

template <class Float>
constexpr bool powers_hold() {
  using at = place<Float>;
  constexpr int to_normal = Float::digits - 1;
  constexpr int range = 2 * (Float::digits == 24 ? 127 : 1023) + to_normal - 1;
  const Float least = steps<Float>(0, 1), largest_power = power<Float>(Float::digits == 24 ? 127 : 1023);
  return q::scale_by_power_of_two(power<Float>(0, 1), 1).bits == power<Float>(1, 1).bits &&
         q::scale_by_power_of_two(power<Float>(0, 1), -3).bits == power<Float>(-3, 1).bits &&
         q::scale_by_power_of_two(least, to_normal).bits == at::normal &&
         q::scale_by_power_of_two(least, range).bits == largest_power.bits &&
         q::scale_by_power_of_two(largest_power, -range).bits == least.bits &&
         q::scale_by_power_of_two(least, range + 1).bits == at::infinity &&
         q::scale_by_power_of_two(minus(largest_power), -range - 1).bits == at::sign &&  // a tie, to even
         q::scale_by_power_of_two(steps<Float>(largest_power.bits, 1), -range - 1).bits == least.bits &&
         q::scale_by_power_of_two(steps<Float>(2 * at::normal, -1), -1).bits == at::normal &&  // a tie, to even
         q::scale_by_power_of_two(least, std::numeric_limits<int>::max()).bits == at::infinity &&
         q::scale_by_power_of_two(minus(largest_power), std::numeric_limits<int>::min()).bits == at::sign &&
         q::scale_by_power_of_two(minus(Float{}), std::numeric_limits<int>::max()).bits == at::sign &&
         q::scale_by_power_of_two(steps<Float>(at::infinity, 0), -1).bits == at::infinity &&
         q::scale_by_power_of_two(steps<Float>(at::infinity, 1), 0).bits == at::nan;
}
static_assert(powers_hold<q::binary32>() && powers_hold<q::binary64>());

// ---- the machine as a witness ---------------------------------------------------------------------------------------

constexpr int count = 4'000'000 / DYADIC_TEST_DIVISOR;

template <class Float>
struct machine;
template <>
struct machine<q::binary32> {
  using type = float;
};
template <>
struct machine<q::binary64> {
  using type = double;
};
template <class Float>
using native = typename machine<Float>::type;

/// Returns the machine's result, with every NaN replaced by the library's NaN.
template <class Float>
Float canonical(native<Float> x) {
  const Float y(x);
  return (y.bits & ~place<Float>::sign) > place<Float>::infinity ? steps<Float>(place<Float>::nan, 0) : y;
}

/// Returns a short fraction, a long fraction that ends in a run of equal bits, or any fraction.
template <class Float>
word<Float> random_fraction(random_bits& random) {
  const int drop = random.below(Float::digits);
  const auto uniform = static_cast<word<Float>>(random()) & (place<Float>::normal - 1u);
  const auto low = static_cast<word<Float>>((word<Float>{1} << drop) - 1u);
  switch (random.below(4)) {
    case 0: return uniform & ~low;
    case 1: return uniform | low;
    case 2: return uniform & low;
    default: return uniform;
  }
}

template <class Float>
struct pair {
  Float a, b;
};

/// Returns a number with this exponent field, clamped to the fields of the format.
template <class Float>
Float random_with(int field, random_bits& random) {
  constexpr int highest = static_cast<int>(place<Float>::infinity / place<Float>::normal);
  const auto clamped = static_cast<word<Float>>(field < 0 ? 0 : field > highest ? highest : field);
  const auto sign = (random() & 1u) != 0 ? place<Float>::sign : word<Float>{0};
  return Float::from_bits(sign + clamped * place<Float>::normal + random_fraction<Float>(random));
}

/// Returns operands that are unrelated, operands that are close, or operands whose result lies at an end of the range.
template <class Float>
pair<Float> random_pair(random_bits& random) {
  constexpr int highest = static_cast<int>(place<Float>::infinity / place<Float>::normal);
  constexpr int bias = highest / 2;
  const int wobble = random.below(2 * Float::digits + 8) - Float::digits - 4;
  const int field = random.below(highest + 1);
  const Float a = random_with<Float>(field, random);
  switch (random.below(10)) {
    case 0: return {a, random_with<Float>(random.below(highest + 1), random)};
    case 1: return {a, random_with<Float>(bias - field + wobble, random)};      // a * b near the least number
    case 2: return {a, random_with<Float>(3 * bias - field + wobble, random)};  // a * b near the largest number
    case 3: return {a, random_with<Float>(field + bias + wobble, random)};      // a / b near the least number
    case 4: return {a, random_with<Float>(field - bias + wobble, random)};      // a / b near the largest number
    case 5: return {a, random_with<Float>(0, random)};
    case 6: return {random_with<Float>(random.below(4), random), random_with<Float>(random.below(4), random)};
    case 7: return {a, steps<Float>((random() & 1u) != 0 ? a.bits : minus(a).bits, random.below(5) - 2)};
    default: return {a, random_with<Float>(field + wobble, random)};
  }
}

/// Returns whether the machine computes in this format, by instructions and without more precision. GCC's library for Arm rounds
/// some sums of doubles to the wrong neighbour.
template <class Float>
bool machine_is_witness() {
#ifdef __ARM_FP
  constexpr bool has_instructions = (__ARM_FP & sizeof(Float)) != 0;  // bit 2: 4 bytes; bit 3: 8 bytes
#else
  constexpr bool has_instructions = true;
#endif
  if (FLT_EVAL_METHOD == 0 && has_instructions) return true;
  WARN("this machine has no binary" << 8 * sizeof(Float) << ": skipped");
  return false;
}

template <class Float, class Machine>
void agrees_with_machine(Float (*ours)(Float, Float), Machine theirs) {
  if (!machine_is_witness<Float>()) return;
  using at = place<Float>;
  random_bits random;
  INFO("seed " << seed);
  int zeros = 0, subnormals = 0, normals = 0, infinities = 0, nans = 0;
  for (int i = 0; i < count; ++i) {
    const pair<Float> p = random_pair<Float>(random);
    const volatile native<Float> a = q::bit_cast<native<Float>>(p.a.bits);
    const volatile native<Float> b = q::bit_cast<native<Float>>(p.b.bits);
    const volatile native<Float> c = theirs(a, b);
    const Float expected = canonical<Float>(c);
    const Float got = ours(p.a, p.b);
    if (got.bits != expected.bits) {
      INFO("binary" << 8 * sizeof(Float) << " operands " << p.a.bits << ' ' << p.b.bits);
      REQUIRE(got.bits == expected.bits);
    }
    const word<Float> size = got.bits & ~at::sign;
    int& below_infinity = size == 0 ? zeros : size < at::normal ? subnormals : normals;
    ++(size < at::infinity ? below_infinity : size == at::infinity ? infinities : nans);
  }
  CHECK(zeros > count / 1000);
  CHECK(subnormals > count / 1000);
  CHECK(normals > count / 4);
  CHECK(infinities > count / 1000);
  CHECK(nans > count / 10000);
}

/// Returns a number of uniform exponent, or a number up to 2^65 that is often an integer, a tie, or a neighbour of an integer or
/// a tie.
template <class Float>
Float random_number(random_bits& random) {
  if (random.below(4) == 0) return random_pair<Float>(random).a;
  const int exponent = random.below(70) - 4;
  const word<Float> sign = (random() & 1u) != 0 ? place<Float>::sign : word<Float>{0};
  Float x = power<Float>(exponent);
  x.bits += random_fraction<Float>(random);
  const int point = Float::digits - 1 - exponent;  // bits right of the binary point
  if (point > 1 && point < Float::digits && random.below(2) == 0) {
    x.bits &= ~((word<Float>{1} << (point - 1)) - 1u);  // makes an integer or a tie
    x.bits += static_cast<word<Float>>(random.below(3) - 1);
  }
  return Float::from_bits(x.bits + sign);
}

/// Converts x, which is an integer or not finite, as `to_integer` does.
std::int64_t saturated(double x) {
  if (std::isnan(x)) return 0;
  return x >= 0x1p62 ? limit : x <= -0x1p62 ? -limit : static_cast<std::int64_t>(x);
}
bool is_tie(double x) { return std::fabs(x) < 0x1p53 && std::trunc(x) != x && std::trunc(2 * x) == 2 * x; }

template <class Float>
void rounds_like_cmath() {
  random_bits random;
  INFO("seed " << seed);
  int ties = 0, integers = 0;
  for (int i = 0; i < count; ++i) {
    const Float number = random_number<Float>(random);
    const volatile native<Float> volatile_x = q::bit_cast<native<Float>>(number.bits);
    const double x = volatile_x;
    const bool tie = is_tie(x);
    const integer_case expected = {
        x,
        saturated(std::nearbyint(x)),
        saturated(tie ? x + std::copysign(0.5, x) : std::nearbyint(x)),  // MinGW's round is wrong near 0.5
        saturated(tie ? std::ceil(x) : std::nearbyint(x)),
        saturated(tie ? std::trunc(x) : std::nearbyint(x)),
        saturated(std::floor(x)),
        saturated(std::ceil(x))};
    if (!rounds_as(number, expected)) {
      INFO("binary" << 8 * sizeof(Float) << " bits " << number.bits);
      REQUIRE(rounds_as(number, expected));
    }
    ties += tie;
    integers += std::trunc(x) == x;
  }
  CHECK(ties > count / 100);
  CHECK(integers > count / 100);
}

template <class Float>
void integers_convert_like_machine() {
  if (!machine_is_witness<Float>()) return;
  random_bits random;
  INFO("seed " << seed);
  const auto check = [](std::int64_t x) {
    const volatile std::int64_t volatile_x = x;
    const volatile native<Float> expected = static_cast<native<Float>>(volatile_x);
    if (q::from_integer<Float>(x).bits != Float(native<Float>{expected}).bits) {
      INFO("binary" << 8 * sizeof(Float) << " integer " << x);
      REQUIRE(q::from_integer<Float>(x).bits == Float(native<Float>{expected}).bits);
    }
  };
  for (int k = 0; k < 63; ++k)
    for (int step = -2; step <= 2; ++step) {
      check((std::int64_t{1} << k) + step);
      check(-(std::int64_t{1} << k) + step);
      // A tie at the end of the format, with k bits above the tie.
      if (k < Float::digits && k + 2 < 64 - Float::digits) check((((std::int64_t{1} << Float::digits) + 1) << k) + step);
    }
  check(std::numeric_limits<std::int64_t>::max());
  check(std::numeric_limits<std::int64_t>::min());
  for (int i = 0; i < count; ++i) check(random.integer(63));
}

template <class Float>
void scales_like_cmath() {
#ifdef __NEWLIB__
  WARN("newlib's ldexp gives 0 where the least subnormal number is nearest: skipped");
  return;
#endif
  random_bits random;
  INFO("seed " << seed);
  constexpr int range = Float::digits == 24 ? 300 : 2200;
  for (int i = 0; i < count; ++i) {
    const Float x = random_pair<Float>(random).a;
    const int n = random.below(2 * range) - range;
    const volatile native<Float> volatile_x = q::bit_cast<native<Float>>(x.bits);
    const volatile native<Float> expected = std::ldexp(native<Float>{volatile_x}, n);
    if (q::scale_by_power_of_two(x, n).bits != canonical<Float>(expected).bits) {
      INFO("binary" << 8 * sizeof(Float) << " bits " << x.bits << " n " << n);
      REQUIRE(q::scale_by_power_of_two(x, n).bits == canonical<Float>(expected).bits);
    }
  }
}

template <class Float>
void orders_like_machine() {
  random_bits random;
  INFO("seed " << seed);
  for (int i = 0; i < count; ++i) {
    const pair<Float> p = random_pair<Float>(random);
    const volatile native<Float> a = q::bit_cast<native<Float>>(p.a.bits);
    const volatile native<Float> b = q::bit_cast<native<Float>>(p.b.bits);
    if (q::less(p.a, p.b) != (a < b)) REQUIRE(q::less(p.a, p.b) == (a < b));
    if (!q::is_finite(p.a)) continue;
    const Float again = q::compose<Float>(q::decompose(p.a));
    if (again.bits != p.a.bits) REQUIRE(again.bits == p.a.bits);
  }
}

}  // namespace

TEST_CASE("sums, products and quotients of constructed operands have the known bits") {
  check_arithmetic<q::binary32>();
  check_arithmetic<q::binary64>();
}

TEST_CASE("composing rounds half even once, and a sticky bit decides a tie") {
  for (const auto& c : composition<q::binary32>::cases) CHECK(q::compose<q::binary32>(c.x, c.sticky).bits == c.result.bits);
  for (const auto& c : composition<q::binary64>::cases) CHECK(q::compose<q::binary64>(c.x, c.sticky).bits == c.result.bits);
}

TEST_CASE("each tie rule sends the constructed ties where its name says") {
  for (const auto& c : integer_cases) {
    INFO("x " << c.x);
    CHECK(rounds_as(q::binary64(c.x), c));
    CHECK(rounds_as(q::narrow(c.x), c));
  }
}

TEST_CASE("order, classes and powers of two hold at run time as in the compiler") {
  CHECK(order_holds<q::binary32>());
  CHECK(order_holds<q::binary64>());
  CHECK(classes_hold<q::binary32>());
  CHECK(classes_hold<q::binary64>());
  CHECK(powers_hold<q::binary32>());
  CHECK(powers_hold<q::binary64>());
}

TEST_CASE("a product is the machine's product") {
  const auto product = [](auto a, auto b) { return a * b; };
  agrees_with_machine<q::binary32>(&q::multiply<q::binary32>, product);
  agrees_with_machine<q::binary64>(&q::multiply<q::binary64>, product);
}

TEST_CASE("a quotient is the machine's quotient") {
  const auto quotient = [](auto a, auto b) { return a / b; };
  agrees_with_machine<q::binary32>(&q::divide<q::binary32>, quotient);
  agrees_with_machine<q::binary64>(&q::divide<q::binary64>, quotient);
}

TEST_CASE("a sum is the machine's sum") {
  const auto sum = [](auto a, auto b) { return a + b; };
  agrees_with_machine<q::binary32>(&q::add<q::binary32>, sum);
  agrees_with_machine<q::binary64>(&q::add<q::binary64>, sum);
}

TEST_CASE("a difference is the machine's difference") {
  const auto difference = [](auto a, auto b) { return a - b; };
  agrees_with_machine<q::binary32>(&q::subtract<q::binary32>, difference);
  agrees_with_machine<q::binary64>(&q::subtract<q::binary64>, difference);
}

TEST_CASE("narrowing and widening are the machine's conversions") {
  random_bits random;
  INFO("seed " << seed);
  for (int i = 0; i < count; ++i) {
    const q::binary32 x = random_pair<q::binary32>(random).a;
    const volatile float volatile_x = q::bit_cast<float>(x.bits);
    const volatile double wide_x = volatile_x;
    const q::binary64 expected = canonical<q::binary64>(wide_x);
    if (q::binary64(x).bits != expected.bits) REQUIRE(q::binary64(x).bits == expected.bits);

    // Two thirds of the doubles lie in the range of binary32 or near it.
    q::binary64 y = random_pair<q::binary64>(random).b;
    const auto field = static_cast<std::uint64_t>(1023 - 155 + random.below(285));
    if (i % 3 != 0) y.bits = (y.bits & 0x800F'FFFF'FFFF'FFFFu) | field << 52;
    if (i % 3 == 2) y.bits &= ~std::uint64_t{0x0FFF'FFFF};  // one bit more than binary32
    const volatile double volatile_y = q::bit_cast<double>(y.bits);
    const volatile float narrow_y = static_cast<float>(volatile_y);
    if (q::narrow(y).bits != canonical<q::binary32>(narrow_y).bits) {
      INFO("bits " << y.bits);
      REQUIRE(q::narrow(y).bits == canonical<q::binary32>(narrow_y).bits);
    }
  }
}

TEST_CASE("an integer converts as the machine converts it") {
  integers_convert_like_machine<q::binary32>();
  integers_convert_like_machine<q::binary64>();
}

TEST_CASE("rounding to an integer agrees with nearbyint, floor and ceil") {
  rounds_like_cmath<q::binary32>();
  rounds_like_cmath<q::binary64>();
}

TEST_CASE("scaling by a power of two agrees with ldexp") {
  scales_like_cmath<q::binary32>();
  scales_like_cmath<q::binary64>();
}

TEST_CASE("the order equals the machine's order, and a composed fraction equals its origin") {
  orders_like_machine<q::binary32>();
  orders_like_machine<q::binary64>();
}

// Functions for undefined.py that trap unless formats, scales and sums of scaled blocks are what their headers say.
// The scale of a block is the least power of two with which its largest magnitude is within a limit of the publisher.
// Bits of binary32 without a sign are in the order of the numbers, and a power of two adds to their exponent field.

#include <dyadic/blocks/ggml_blocks.hpp>
#include <dyadic/blocks/mx_scales.hpp>
#include <dyadic/blocks/width.hpp>

namespace q = dyadic;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using u128 = unsigned __int128;
using q::e2m1, q::e2m3, q::e3m2, q::e4m3, q::e5m2, q::mxint8;

namespace {

constexpr u32 infinity = 0x7F80'0000;

void expect(bool holds) {
  if (!holds) __builtin_trap();
}

/// Returns the magnitude of a code in units of the least subnormal number.
i64 units(int code, int exponent_bits, int fraction_bits) {
  const int field = code >> fraction_bits & ((1 << exponent_bits) - 1);
  const i64 fraction = code & ((1 << fraction_bits) - 1);
  return field == 0 ? fraction : (fraction | 1 << fraction_bits) << (field - 1);
}

/// Expects the integer of a code by its fields, within +-largest.
template <class Format, int Exponent, int Fraction>
void expect_integer(u32 bits, i64 largest) {
  const int code = static_cast<int>(bits & 0xFF);
  const i64 magnitude = units(code, Exponent, Fraction);
  expect(magnitude <= largest);
  expect(q::integer_of(Format::from_bits(code)) == ((code >> (Exponent + Fraction) & 1) != 0 ? -magnitude : magnitude));
}

/// Expects that a binary32 becomes the nearest code, a tie the even code, and that numbers above `top` become `top`. The unit of
/// the format is 2^unit.
template <class Format, int Exponent, int Fraction>
void expect_nearest(u32 bits, int top, int unit) {
  const int got = q::round_to<Format>(q::binary32::from_bits(bits)).bits, sign = 1 << (Exponent + Fraction);
  const int code = got & (sign - 1);
  expect(code <= top && (got & ~(2 * sign - 1)) == 0 && ((got & sign) != 0) == (bits >> 31 != 0));
  // Twice |x| in units: its floor, up to 2^60, and whether there is a rest.
  const int field = static_cast<int>(bits >> 23 & 0xFF);
  const u64 digits = (bits & 0x7F'FFFF) | (field == 0 ? 0 : 0x80'0000);
  const int shift = (field == 0 ? 1 : field) - 150 - unit + 1;
  const int left = shift > 36 ? 36 : shift < 0 ? 0 : shift, right = shift < -40 ? 40 : shift < 0 ? -shift : 0;
  const u64 twice = digits << left >> right;
  const bool rest = (digits & ((u64{1} << right) - 1)) != 0, is_even = code % 2 == 0;
  const auto own = static_cast<u64>(units(code, Exponent, Fraction));
  if (code > 0) {
    const u64 middle = own + static_cast<u64>(units(code - 1, Exponent, Fraction));
    expect(twice > middle || (twice == middle && (rest || is_even)));
  }
  if (code < top) {
    const u64 middle = own + static_cast<u64>(units(code + 1, Exponent, Fraction));
    expect(twice < middle || (twice == middle && !rest && is_even));
  }
}

/// Returns the bits of a limit times 2^(scale - 127). Requires: the product is at least 2^-127.
constexpr u32 scaled(float limit, int scale) {
  const u32 bits = q::binary32(limit).bits, fraction = bits & 0x7F'FFFF;
  const int field = static_cast<int>(bits >> 23) + scale - 127;
  return field > 0 ? static_cast<u32>(field) << 23 | fraction : (0x80'0000 | fraction) >> 1;
}
/// Expects the least scale with which a is below the limit, or at the limit if `Takes`.
template <class Rule, bool Takes>
void expect_least_scale(u32 a, float limit) {
  const int scale = Rule::scale(q::binary32::from_bits(a)).bits;
  const auto holds = [&](int tried) { return Takes ? a <= scaled(limit, tried) : a < scaled(limit, tried); };
  expect(holds(scale) && (scale == 0 || !holds(scale - 1)));
}

/// Codes with a largest magnitude.
template <i64 Largest>
struct codes {
  static constexpr int unit = 0;
  static constexpr i64 largest = Largest;
};

u128 wide(q::unsigned_wide x) { return u128{x.high} << 64 | x.low; }

}  // namespace

extern "C" {
void require(bool);

// formats.hpp, rows.hpp
// without: blocks/formats.hpp: "stored | format::hidden_bit" -> "stored"
void integer_of_e4m3(u32 code) { require((code & 0x7F) != 0x7F), expect_integer<e4m3, 4, 3>(code, 229376); }
void integer_of_e5m2(u32 code) { require((code & 0x7F) < 0x7C), expect_integer<e5m2, 5, 2>(code, i64{57344} << 16); }
void integer_of_e2m3(u32 code) { require(code < 64), expect_integer<e2m3, 2, 3>(code, 60); }
void integer_of_e3m2(u32 code) { require(code < 64), expect_integer<e3m2, 3, 2>(code, 448); }
// without: blocks/formats.hpp: "field == 0 ? stored : " -> ""
void integer_of_e2m1(u32 code) {
  require(code < 16), expect_integer<e2m1, 2, 1>(code, 12);
  expect(q::nibble_code::e2m1::integer(static_cast<int>(code)) == q::integer_of(e2m1::from_bits(static_cast<int>(code))));
}
// without: blocks/rows.hpp: "(code ^ 8) - 8" -> "code - 8"
// without: blocks/nibble_order.hpp: "i / Bytes % 2 == 0 ? 0 : 4" -> "i / Bytes % 2 == 0 ? 4 : 0"
void integers_of_nibbles(u8 byte) {
  const u8 bytes[] = {byte}, other[] = {q::offset8_to_twos_complement(byte)};
  using order = q::nibble_order::pairs;
  const int low = q::nibble<order>(bytes, 0), high = q::nibble<order>(bytes, 1);
  expect(low == byte % 16 && high == byte / 16);
  using twos_complement = q::nibble_code::twos_complement;
  expect(twos_complement::integer(low) == static_cast<std::int8_t>(byte << 4) >> 4);
  expect(twos_complement::integer(high) == static_cast<std::int8_t>(byte) >> 4);
  using offset8 = q::nibble_code::offset8;
  expect(offset8::integer(low) == byte % 16 - 8 && offset8::integer(high) == byte / 16 - 8);
  expect(offset8::integer(low) == twos_complement::integer(q::nibble<order>(other, 0)));
  expect(offset8::integer(high) == twos_complement::integer(q::nibble<order>(other, 1)));
  expect(q::twos_complement_to_offset8(other[0]) == byte);
}
// without: blocks/ggml_blocks.hpp: ">> i % 8 & 1) << 4" -> ">> i % 8 & 1) << 3"
void values_of_q5_0(u8 high_bits, u8 nibbles) {
  u8 block[q::ggml::q5_0::bytes] = {};
  block[2] = block[4] = high_bits;
  block[6 + 5] = nibbles;  // elements 5 and 21
  expect(q::ggml::q5_0::value(block, 5) == (nibbles % 16 | (high_bits >> 5 & 1) << 4) - 16);
  expect(q::ggml::q5_0::value(block, 21) == (nibbles / 16 | (high_bits >> 5 & 1) << 4) - 16);
}

// every
// without: detail/ieee.hpp: "(kept & 1u) != 0" -> "true"
void nearest_e2m1(u32 x) { require((x & ~(1u << 31)) <= infinity), expect_nearest<e2m1, 2, 1>(x, 7, -1); }
// every
// without: blocks/formats.hpp: "code > largest ? greater : code" -> "code"
void nearest_e4m3(u32 x) { require((x & ~(1u << 31)) <= infinity), expect_nearest<e4m3, 4, 3>(x, 0x7E, -9); }
void nearest_e5m2(u32 x) { require((x & ~(1u << 31)) <= infinity), expect_nearest<e5m2, 5, 2>(x, 0x7B, -16); }

// mx_scales.hpp: a is the largest magnitude of a block.
#define FLOOR(format, limit) \
  void floor_##format(u32 a) { require(a < infinity), expect_least_scale<q::ocp::floor<format>, false>(a, limit); }
FLOOR(e4m3, 512)
FLOOR(e5m2, 65536)
FLOOR(e2m3, 8)
FLOOR(e3m2, 32)
FLOOR(e2m1, 8)
FLOOR(mxint8, 2)
#define CEIL(format, limit) \
  void ceil_##format(u32 a) { require(a < infinity), expect_least_scale<q::torchao::ceil<format>, true>(a, limit); }
CEIL(e4m3, 256)
CEIL(e5m2, 32768)
CEIL(e2m3, 4)
CEIL(e3m2, 16)
CEIL(e2m1, 4)
// A magnitude that rounds to 2^128 has no scale.
#define EVEN(format, limit)                                             \
  void even_##format(u32 a) {                                           \
    require(a < (0x7F00'0000 | (q::binary32(limit).bits & 0x7F'FFFF))); \
    expect_least_scale<q::torchao::even<format>, false>(a, limit);      \
  }
EVEN(e4m3, 496.0f)
EVEN(e5m2, 61440.0f)
EVEN(e2m3, 7.75f)
EVEN(e3m2, 30.0f)
EVEN(e2m1, 7.0f)
// The limits are the largest numbers. Each second requirement leaves out the number that a product in binary32 puts beside the
// limit.
#define RCEIL(format, limit)                                       \
  void rceil_##format(u32 a) {                                     \
    require(a < infinity), require(a != scaled(limit, 0) + 1);     \
    expect_least_scale<q::torchao::rceil<format>, true>(a, limit); \
  }
RCEIL(e4m3, 448)
RCEIL(e5m2, 57344)
RCEIL(e2m3, 7.5f)
RCEIL(e3m2, 28)
RCEIL(e2m1, 6)
// The limits are the largest numbers plus half of a unit. Only E4M3 rounds this tie to the largest number.
// without: blocks/mx_scales.hpp: "limit + 1 + step : limit - step" -> "limit + step : limit - step"
void tosa_e4m3(u32 a) {
  require(a < infinity), require(a != scaled(464, 0) + 1);
  expect_least_scale<q::tosa::block_scale<e4m3>, true>(a, 464);
}
#define TOSA(format, limit)                                            \
  void tosa_##format(u32 a) {                                          \
    require(a < infinity), require(a != scaled(limit, 0) - 1);         \
    expect_least_scale<q::tosa::block_scale<format>, false>(a, limit); \
  }
TOSA(e5m2, 61440)
TOSA(e2m3, 7.75f)
TOSA(e3m2, 30)
TOSA(e2m1, 7)
// Magnitudes beyond the largest scale are clamped.
// without: blocks/mx_scales.hpp: "(0x80'0001u + threshold) / 2" -> "threshold"
void tosa_mxint8(u32 a) {
  require(a < scaled(255.0f / 128, 254)), expect_least_scale<q::tosa::block_scale<mxint8>, false>(a, 255.0f / 128);
}
// without: blocks/formats.hpp: "x.bits == 0 ? 0x0040'0000u : " -> ""
void reciprocal_of_scale(u32 scale) {
  require(scale < 255);
  const auto bits = static_cast<u8>(scale);
  const auto is_power = [](q::binary32 x, int exponent) {
    return x.bits == (exponent == -127 ? 0x40'0000 : static_cast<u32>(exponent + 127) << 23);
  };
  expect(is_power(q::value_of(q::e8m0{bits}), bits - 127));
  expect(is_power(q::ocp::floor<e2m1>::reciprocal(q::e8m0{bits}), 127 - bits));
}

// width.hpp
// without: blocks/width.hpp: ">> zeros);" -> ">> zeros / 2);"
void odd_multiple(u32 x) {
  const auto got = q::detail::odd_multiple_of(q::binary32::from_bits(x));
  const int field = static_cast<int>(x >> 23 & 0xFF);
  const i64 digits = (x & 0x7F'FFFF) | (field == 0 ? 0 : 0x80'0000), value = x >> 31 != 0 ? -got.value : got.value;
  if (digits == 0) return expect(got.value == 0 && got.exponent == 0);
  const int zeros = got.exponent - ((field == 0 ? 1 : field) - 150);
  expect(zeros >= 0 && zeros < 24 && value > 0 && value % 2 == 1 && value << (zeros & 31) == digits);
}
// The window of a block of 32 products of E2M1 codes. The largest scale of x has 9 digits.
// without: blocks/width.hpp: "spread <= zeros || zeros == 128" -> "true"
// without: blocks/width.hpp: ": 64 + leading_zeros(sum.low)" -> ": leading_zeros(sum.low)"
void window_of_e2m1(u32 digits_of_x, int least_x) {
  require(digits_of_x < 256), require(least_x >= -149), require(least_x <= -8);
  const q::scale_range x{least_x, q::binary32::from_bits(digits_of_x << 15 | 0x3F80'0000)};  // 1 .. 2
  const q::sum_range range = q::sum_range_of<codes<12>, codes<12>>(32, x, {0, q::binary32{1.0f}});
  const u128 digits = static_cast<u128>(12 * 12 * 32) * (256 | digits_of_x);
  const int spread = -8 - least_x;
  const bool fits = spread < 128 && digits << (spread & 127) >> (spread & 127) == digits;
  expect(range.least == least_x && wide(range.largest) == (fits ? digits << (spread & 127) : ~u128{0}));
}
// The window of any number of products of codes up to 2^31. Products beyond 64 bits are too many.
// without: blocks/width.hpp: "codes.high == 0 && (" -> "("
void window_of_any_number(i64 products, int least_x) {
  require(least_x >= -149), require(least_x <= 0);
  using large = codes<(i64{1} << 31)>;
  const q::sum_range range = q::sum_range_of<large, large>(products, {least_x, q::binary32{1.0f}}, {0, q::binary32{1.0f}});
  const u128 digits = static_cast<u128>(static_cast<u64>(products)) << 62;
  const bool fits =
      digits >> 64 == 0 && (digits == 0 || (least_x > -128 && digits << (-least_x & 127) >> (-least_x & 127) == digits));
  expect(wide(range.largest) == (fits ? digits << (-least_x & 127) : ~u128{0}));
}
// without: blocks/width.hpp: "range.largest.low >> 63 == 0" -> "true"
// without: blocks/width.hpp: "range.largest.high >> 63 == 0" -> "range.largest.high >> 62 == 0"
void narrowest_width(u64 high, u64 low, int least) {
  const q::sum_width width = q::width_of({least, {high, low}});
  const u128 largest = wide({high, low});
  expect((width == q::sum_width::int64) == (largest < u128{1} << 63));
  expect((width == q::sum_width::all) == (largest >= u128{1} << 127));
}
// Each partial sum has at most 24 digits. It loses no bit below 2^-149, and it is finite.
// without: blocks/width.hpp: "<= 1u << 24 &&" -> "<= 1u << 25 &&"
void sums_in_binary32(u64 high, u64 low, int least, u64 sum) {
  require(q::is_exact_in_binary32({least, {high, low}})), require(high != 0 || sum <= low);
  const q::binary32 rounded = q::from_integer<q::binary32>(static_cast<i64>(sum));
  const auto back = q::detail::odd_multiple_of(rounded);
  expect(sum >> 25 == 0 && back.value << (back.exponent & 31) == static_cast<i64>(sum));
  expect(least >= -149 && least + 24 <= 127);
}
// Accumulators shift their terms within 128 bits.
// without: blocks/width.hpp: "if (n >= 64) return {x.low << (n - 64), 0};" -> ""
void shifted_left(u64 high, u64 low, int n) {
  require(n >= 0), require(n < 128), expect(wide(q::detail::shifted_left({high, low}, n)) == wide({high, low}) << n);
}
}  // extern "C"

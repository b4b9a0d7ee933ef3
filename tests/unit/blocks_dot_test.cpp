#include <dyadic/blocks/engine_dot.hpp>
#include <dyadic/blocks/ggml_dot.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/samples.hpp"

namespace q = dyadic;
using namespace support;
using q::index_t;

namespace {

/// A sum of integers times powers of two from 2^-1024 to 2^1023, with one digit for each bit. A digit may be any integer until
/// `carry` is called.
class digits {
 public:
  void add(std::int64_t v, int exponent) {
    const std::uint64_t magnitude = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    for (int i = 0; i < 64; ++i)
      if ((magnitude >> i & 1) != 0) digit_[place(exponent + i)] += v < 0 ? -1 : 1;
  }
  void multiply(std::int64_t v) {
    for (std::int64_t& d : digit_) d *= v;
    carry();
  }
  /// Adds factor * other * 2^exponent.
  void add(const digits& other, int exponent, int factor = 1) {
    for (int e = -1024; e < 1024; ++e)
      if (other.digit_[place(e)] != 0) digit_[place(e + exponent)] += factor * other.digit_[place(e)];
  }
  int sign() {
    const bool negative = carry();
    return negative ? -1 : std::count(digit_.begin(), digit_.end(), 0) == size ? 0 : 1;
  }

  /// Returns the code of the number rounded half even: a float of `precision` digits, whose least subnormal number is 2^least.
  /// A sign is set only if the number does not round to 0.
  std::uint32_t rounded(int precision, int least, int width) {
    const bool negative = sign() < 0;
    digits all;
    all.add(*this, 0, negative ? -1 : 1);
    all.carry();
    int top = 1023;
    while (top >= -1024 && all.digit_[place(top)] == 0) --top;
    if (top < -1024) return 0;
    int last = std::max(top - precision + 1, least);
    std::uint32_t kept = 0;
    for (int e = top; e >= last; --e) kept = 2 * kept + static_cast<std::uint32_t>(all.digit_[place(e)]);
    bool rest = false;
    for (int e = -1024; e < last - 1; ++e) rest = rest || all.digit_[place(e)] != 0;
    if (all.digit_[place(last - 1)] != 0 && (rest || kept % 2 != 0)) ++kept;
    // A code counts the floats from 0 on, so that a carry into the exponent is an addition.
    const std::uint32_t hidden = 1u << (precision - 1);
    std::uint64_t code = kept + static_cast<std::uint64_t>(last - least) * hidden;
    const std::uint32_t infinity = (1u << (width - 1)) - hidden;
    code = std::min<std::uint64_t>(code, infinity);
    return static_cast<std::uint32_t>(code) | (negative && code != 0 ? 1u << (width - 1) : 0u);
  }
  std::uint32_t binary32() { return rounded(24, -149, 32); }
  std::uint32_t bfloat16() { return rounded(8, -133, 16); }
  std::uint32_t binary16() { return rounded(11, -24, 16); }

 private:
  static constexpr int size = 2048;
  static std::size_t place(int exponent) { return static_cast<std::size_t>(exponent + 1024); }
  /// Makes each digit 0 or 1, unless the number is negative, and returns whether it is.
  bool carry() {
    std::int64_t c = 0;
    std::array<std::int64_t, size> all{};
    for (int i = 0; i < size; ++i) {
      const std::int64_t d = digit_[static_cast<std::size_t>(i)] + c;
      all[static_cast<std::size_t>(i)] = d & 1;
      c = (d - (d & 1)) / 2;
    }
    if (c == 0) digit_ = all;
    return c < 0;
  }

  std::array<std::int64_t, size> digit_{};
};

/// The number v * 2^e.
struct number {
  std::int64_t v;
  int e;
};

/// Decodes a float by the widths of its fields. The code is neither NaN nor infinite.
number decode(std::uint32_t code, int exponent_bits, int fraction_bits) {
  const auto field = static_cast<int>(code >> fraction_bits) & ((1 << exponent_bits) - 1);
  const auto fraction = static_cast<std::int64_t>(code & ((1u << fraction_bits) - 1u));
  const std::int64_t v = field == 0 ? fraction : fraction | std::int64_t{1} << fraction_bits;
  const bool negative = (code >> (exponent_bits + fraction_bits) & 1u) != 0;
  return {negative ? -v : v, std::max(field, 1) - ((1 << (exponent_bits - 1)) - 1) - fraction_bits};
}
number decode32(std::uint32_t bits) { return decode(bits, 8, 23); }

/// Adds the product of numbers.
void add_product(digits& sum, const std::vector<number>& factors) {
  digits product;
  product.add(1, 0);
  int exponent = 0, sign = 1;
  for (const number f : factors) {
    product.multiply(f.v < 0 ? -f.v : f.v);
    exponent += f.e;
    if (f.v < 0) sign = -sign;
  }
  sum.add(product, exponent, sign);
}

/// Operations of the oracle in binary32. A result of zero is +0.
std::uint32_t fma32(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const number x = decode32(a), y = decode32(b), z = decode32(c);
  digits sum;
  sum.add(x.v * y.v, x.e + y.e);
  sum.add(z.v, z.e);
  return sum.binary32();
}
std::uint32_t multiply32(std::uint32_t a, std::uint32_t b) { return fma32(a, b, 0); }
std::uint32_t add32(std::uint32_t a, std::uint32_t b) { return fma32(a, 0x3F80'0000u, b); }
std::uint32_t integer32(std::int64_t v) {
  digits x;
  x.add(v, 0);
  return x.binary32();
}

q::exact_sum sum_of(const std::vector<number>& terms) {
  q::exact_sum sum;
  for (const number t : terms) sum.add(t.v, t.e);
  return sum;
}

TEST_CASE("an exact sum is the sum of all digits") {
  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(400); n > 0; --n) {
    q::exact_sum sum;
    digits expected;
    const auto middle = static_cast<int>(random.between(-636, 440));
    for (auto terms = random.between(1, 8); terms > 0; --terms) {
      const std::int64_t v = random.integer(63);
      const auto e = static_cast<int>(std::clamp<std::int64_t>(middle + random.between(-70, 70), -636, 440));
      sum.add(v, e);
      expected.add(v, e);
      if (random.one_in(4)) {  // cancels the term
        sum.add(-v, e);
        expected.add(-v, e);
      }
    }
    REQUIRE(sum.rounded<q::binary32>().bits == expected.binary32());
    REQUIRE(sum.rounded<q::bfloat16>().bits == expected.bfloat16());
    REQUIRE(sum.rounded<q::binary16>().bits == expected.binary16());
    REQUIRE(sum.is_negative() == (expected.sign() < 0));
    REQUIRE(sum.is_zero() == (expected.sign() == 0));
  }
}

TEST_CASE("an exact sum times two scales is the product of all digits") {
  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(200); n > 0; --n) {
    q::exact_sum sum;
    digits expected;
    for (int i = 0; i < 4; ++i) {
      const std::int64_t v = random.integer(40);
      const auto e = static_cast<int>(random.between(-38, 20));
      sum.add(v, e);
      expected.add(v, e);
    }
    int exponent = 0;
    for (int i = 0; i < 2; ++i) {
      const auto bits = static_cast<std::uint32_t>(random.one_in(8) ? random.of_random_length(23) : random()) & 0xFF7F'FFFFu;
      const number s = decode32(bits);
      sum.multiply_by(q::binary32::from_bits(bits));
      expected.multiply(s.v);
      exponent += s.e;
    }
    digits product;
    product.add(expected, exponent);
    REQUIRE(sum.rounded<q::binary32>().bits == product.binary32());
    REQUIRE(sum.rounded<q::binary16>().bits == product.binary16());
  }
}

struct rounding_case {
  std::vector<number> terms;
  std::uint32_t bits;
};

TEST_CASE("an exact sum is rounded once, half even, to binary32") {
  const std::int64_t top = 0xFF'FFFF;
  const rounding_case cases[] = {
      {{{16777217, 0}}, 0x4B80'0000},  // 2^24 + 1 is a tie
      {{{16777219, 0}}, 0x4B80'0002},
      {{{16777217, 0}, {1, -636}}, 0x4B80'0001},
      {{{16777217, 0}, {-1, -636}}, 0x4B80'0000},
      {{{-16777217, 0}, {-1, -636}}, 0xCB80'0001},
      {{{-16777219, 0}, {1, -636}}, 0xCB80'0001},
      {{{top, 104}}, 0x7F7F'FFFF},
      {{{top, 104}, {1, 103}}, 0x7F80'0000},  // a tie above the largest number
      {{{top, 104}, {1, 103}, {-1, -636}}, 0x7F7F'FFFF},
      {{{-top, 104}, {-1, 103}}, 0xFF80'0000},
      {{{1, 515}}, 0x7F80'0000},
      {{{1, -149}}, 1},
      {{{1, -150}}, 0},
      {{{1, -150}, {1, -636}}, 1},
      {{{3, -150}}, 2},
      {{{-1, -150}}, 0},  // not -0
      {{{-1, -150}, {-1, -636}}, 0x8000'0001},
      {{{-1, -636}}, 0},
      {{{top, -150}}, 0x0080'0000},  // the largest subnormal number and a half
      {{{5, 7}, {-5, 7}}, 0},
      {{{1, 515}, {1, -636}, {-1, 515}}, 0},
      {{{1, 515}, {1, 0}, {-1, 515}}, 0x3F80'0000},
  };
  for (const rounding_case& c : cases) {
    CAPTURE(c.bits);
    CHECK(sum_of(c.terms).rounded<q::binary32>().bits == c.bits);
  }
}

TEST_CASE("an exact sum is rounded once, half even, to bfloat16") {
  const rounding_case cases[] = {
      {{{257, 0}}, 0x4380},
      {{{259, 0}}, 0x4382},
      {{{257, 0}, {1, -20}}, 0x4381},  // binary32 would round to a tie first
      {{{259, 0}, {-1, -20}}, 0x4381},
      {{{-257, 0}, {-1, -636}}, 0xC381},
      {{{255, 120}}, 0x7F7F},
      {{{255, 120}, {1, 119}}, 0x7F80},
      {{{255, 120}, {1, 119}, {-1, -636}}, 0x7F7F},
      {{{1, -134}}, 0},
      {{{1, -134}, {1, -636}}, 1},
      {{{-3, -134}}, 0x8002},
      {{{255, -134}}, 0x0080},
  };
  for (const rounding_case& c : cases) {
    CAPTURE(c.bits);
    CHECK(sum_of(c.terms).rounded<q::bfloat16>().bits == c.bits);
  }
}

TEST_CASE("an exact sum is rounded once, half even, to binary16") {
  const rounding_case cases[] = {
      {{{2049, 0}}, 0x6800},
      {{{2051, 0}}, 0x6802},
      {{{2049, 0}, {1, -40}}, 0x6801},
      {{{65504, 0}}, 0x7BFF},
      {{{65519, 0}}, 0x7BFF},
      {{{65520, 0}}, 0x7C00},
      {{{65520, 0}, {-1, -636}}, 0x7BFF},
      {{{-65520, 0}}, 0xFC00},
      {{{1, -25}}, 0},
      {{{1, -25}, {1, -636}}, 1},
      {{{-1, -25}}, 0},
      {{{-3, -25}}, 0x8002},
      {{{2047, -25}}, 0x0400},
  };
  for (const rounding_case& c : cases) {
    CAPTURE(c.bits);
    CHECK(sum_of(c.terms).rounded<q::binary16>().bits == c.bits);
  }
}

struct quotient_case {
  std::vector<number> terms;
  std::uint32_t scale;
  int min, max, even, away;
};

TEST_CASE("a quotient is rounded once by its tie rule and clamped") {
  const std::uint32_t three_quarters = 0x3F40'0000, least = 1, large = 0x7F00'0000;
  const quotient_case cases[] = {
      {{{3, -3}}, three_quarters, -128, 127, 0, 1},  // 0.375 / 0.75
      {{{9, -3}}, three_quarters, -128, 127, 2, 2},
      {{{15, -3}}, three_quarters, -128, 127, 2, 3},
      {{{-3, -3}}, three_quarters, -128, 127, 0, -1},
      {{{-9, -3}}, three_quarters, -128, 127, -2, -2},
      {{{-15, -3}}, three_quarters, -128, 127, -2, -3},
      {{{3, -3}, {1, -636}}, three_quarters, -128, 127, 1, 1},
      {{{15, -3}, {-1, -636}}, three_quarters, -128, 127, 2, 2},
      {{{-3, -3}, {-1, -636}}, three_quarters, -128, 127, -1, -1},
      {{{-15, -3}, {1, -636}}, three_quarters, -128, 127, -2, -2},
      {{{0, 0}}, three_quarters, -128, 127, 0, 0},
      {{{0, 0}}, three_quarters, 5, 127, 5, 5},
      {{{127 * 6, -3}}, three_quarters, -128, 127, 127, 127},
      {{{255 * 3, -3}}, three_quarters, -128, 127, 127, 127},  // 127.5
      {{{253 * 3, -3}}, three_quarters, -128, 127, 126, 127},  // 126.5
      {{{-257 * 3, -3}}, three_quarters, -128, 127, -128, -128},
      {{{-255 * 3, -3}}, three_quarters, -128, 127, -128, -128},  // -127.5
      {{{1, 515}}, three_quarters, -128, 127, 127, 127},
      {{{-1, 515}}, three_quarters, -128, 127, -128, -128},
      {{{-1, 515}}, three_quarters, -32768, 32767, -32768, -32768},
      {{{32765 * 3, -3}}, three_quarters, -32768, 32767, 16382, 16383},  // 16382.5
      {{{5, -150}}, least, -128, 127, 2, 3},                             // 2.5 times the least subnormal number
      {{{5, 126}}, large, -128, 127, 2, 3},
      {{{1, -636}}, large, -128, 127, 0, 0},
  };
  for (const quotient_case& c : cases) {
    const q::exact_sum sum = sum_of(c.terms);
    const auto scale = q::binary32::from_bits(c.scale);
    CAPTURE(c.even, c.away, c.scale);
    CHECK(sum.quotient<q::half_even>(scale, c.min, c.max) == c.even);
    CHECK(sum.quotient<q::half_away>(scale, c.min, c.max) == c.away);
  }
}

TEST_CASE("a fused multiply-add rounds once") {
  const std::uint32_t infinity = 0x7F80'0000, nan = 0x7FC0'0000, one = 0x3F80'0000, minus = 0x8000'0000;
  const std::uint32_t cases[][4] = {
      {one, one, one, 0x4000'0000},
      {0x3F80'0001, 0x3F80'0001, 0xBF80'0002, 0x2880'0000},  // (1 + u)^2 - (1 + 2u) = u^2
      {0x3F80'0001, 0x3F7F'FFFE, 0xBF80'0000, 0xA880'0000},  // (1 + u)(1 - u) - 1 = -u^2, with u = 2^-23
      {0x3F80'0001, 0x3FC0'0000, 0, 0x3FC0'0002},            // 1.5 + 1.5 u is a tie
      {0x3F80'0001, 0x3FC0'0000, 1, 0x3FC0'0002},
      {0x3F80'0001, 0x3FC0'0000, 1 | minus, 0x3FC0'0001},
      {0x7F7F'FFFF, 0x4000'0000, 0xFF7F'FFFF, 0x7F7F'FFFF},  // the product alone overflows
      {0x7F7F'FFFF, one, 0x7300'0000, infinity},             // a tie above the largest number
      {0x7F7F'FFFF, one, 0x72FF'FFFF, 0x7F7F'FFFF},
      {0x0000'0001, 0x0000'0001, 0, 0},
      {0x0000'0001, 0x8000'0001, 0, minus},
      {0x0000'0001, 0x0000'0001, 0x0000'0001, 0x0000'0001},
      {0x0000'0001, 0x3F00'0000, 0, 0},  // half of the least subnormal number
      {0x0000'0003, 0x3F00'0000, 0, 2},
      {0x0000'0001, 0x3F00'0000, 0x0000'0001, 2},
      {one, one, one | minus, 0},
      {0, one, 0, 0},
      {minus, one, 0, 0},
      {minus, one, minus, minus},
      {0, one | minus, minus, minus},
      {0, 0x7F7F'FFFF, 0x0000'0001, 0x0000'0001},
      {minus, 0x7F7F'FFFF, 0x1234'5678, 0x1234'5678},
      {infinity, 0, one, nan},
      {infinity, one, infinity | minus, nan},
      {infinity, one, infinity, infinity},
      {infinity, one | minus, one, infinity | minus},
      {one, one, infinity | minus, infinity | minus},
      {0x7F7F'FFFF, 0x7F7F'FFFF, infinity | minus, infinity | minus},
      {one, one, nan, nan},
      {nan, one, one, nan},
      {0, infinity | minus, nan, nan},
  };
  for (const auto& c : cases) {
    CAPTURE(c[0], c[1], c[2]);
    const auto from = q::binary32::from_bits;
    CHECK(q::fused_multiply_add(from(c[0]), from(c[1]), from(c[2])).bits == c[3]);
    CHECK(q::fused_multiply_add(from(c[1]), from(c[0]), from(c[2])).bits == c[3]);
  }
  static_assert(q::fused_multiply_add(q::binary32{3.0f}, q::binary32{5.0f}, q::binary32{-14.0f}).bits == 0x3F80'0000);

  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(600); n > 0; --n) {
    const auto finite = [&] { return static_cast<std::uint32_t>(random()) & 0xFF7F'FFFFu; };
    const std::uint32_t a = finite(), b = random.one_in(2) ? finite() : (finite() & 0x87FF'FFFFu) | 0x3800'0000u;
    // Half of the addends nearly cancel the product.
    const std::uint32_t near = (multiply32(a, b) ^ minus) + static_cast<std::uint32_t>(random.between(-2, 2));
    const std::uint32_t c = random.one_in(2) || (near & infinity) == infinity ? finite() : near;
    const std::uint32_t y =
        q::fused_multiply_add(q::binary32::from_bits(a), q::binary32::from_bits(b), q::binary32::from_bits(c)).bits;
    CAPTURE(a, b, c);
    REQUIRE((y == minus ? 0 : y) == fma32(a, b, c));
  }
}

/// The fields of the floats.
template <class Format>
struct fields;
template <>
struct fields<q::e4m3> {
  static constexpr int exponent = 4, fraction = 3, codes = 256;
};
template <>
struct fields<q::e5m2> {
  static constexpr int exponent = 5, fraction = 2, codes = 256;
};
template <>
struct fields<q::e2m3> {
  static constexpr int exponent = 2, fraction = 3, codes = 64;
};
template <>
struct fields<q::e3m2> {
  static constexpr int exponent = 3, fraction = 2, codes = 64;
};
template <>
struct fields<q::e2m1> {
  static constexpr int exponent = 2, fraction = 1, codes = 16;
};
template <>
struct fields<q::mxint8> {
  static constexpr int codes = 256;
};

template <class Format>
Format element(int code) {
  if constexpr (std::is_same_v<Format, q::mxint8>)
    return {static_cast<std::int8_t>(code - 128)};
  else
    return Format::from_bits(code);
}
template <class Format>
bool is_number(int code) {
  if constexpr (std::is_same_v<Format, q::e4m3>) return (code & 0x7F) != 0x7F;
  if constexpr (std::is_same_v<Format, q::e5m2>) return (code & 0x7F) < 0x7C;
  return true;
}
template <class Format>
number number_of(int code) {
  if constexpr (std::is_same_v<Format, q::mxint8>)
    return {code - 128, -6};
  else
    return decode(static_cast<std::uint32_t>(code), fields<Format>::exponent, fields<Format>::fraction);
}
template <class Format>
int random_code(random_bits& random) {
  int code = 0;
  do code = random.below(fields<Format>::codes);
  while (!is_number<Format>(code));
  return code;
}

template <class Format>
using mx_row = q::block_scaled_row<q::element_codes<Format>, q::e8m0>;

/// Codes of elements and bytes of scales.
template <class Format>
struct mx_data {
  std::vector<int> codes;
  std::vector<Format> elements;
  std::vector<q::e8m0> scales;

  mx_data(random_bits& random, std::size_t size, int least, int greatest) {
    for (std::size_t i = 0; i < size; ++i) codes.push_back(random_code<Format>(random));
    for (std::size_t i = 0; i < size; i += 32) scales.push_back({static_cast<std::uint8_t>(random.between(least, greatest))});
    update();
  }
  void update() {
    elements.clear();
    for (const int code : codes) elements.push_back(element<Format>(code));
  }
  mx_row<Format> row() const { return {{elements}, scales, 32}; }
  number scale(std::size_t i) const { return {1, scales[i / 32].bits - 127}; }
};

template <class X, class Y>
digits sum_of_products(const mx_data<X>& x, const mx_data<Y>& y) {
  digits sum;
  for (std::size_t i = 0; i < x.codes.size(); ++i) {
    const number a = number_of<X>(x.codes[i]), b = number_of<Y>(y.codes[i]);
    sum.add(a.v * b.v, a.e + b.e + x.scale(i).e + y.scale(i).e);
  }
  return sum;
}

template <class Format>
void try_each_pair() {
  tried_cases tried;
  const q::e8m0 one[] = {{127}};
  int wrong = 0;
  for (int i = 0; i < fields<Format>::codes; ++i) {
    for (int j = 0; j < fields<Format>::codes; ++j) {
      if (!is_number<Format>(i) || !is_number<Format>(j) || !tried.has_next()) continue;
      const Format x[] = {element<Format>(i)}, y[] = {element<Format>(j)};
      const auto dot = q::exact::dot(mx_row<Format>{{x}, one, 32}, mx_row<Format>{{y}, one, 32});
      const number a = number_of<Format>(i), b = number_of<Format>(j);
      const float expected = std::ldexp(static_cast<float>(a.v * b.v), a.e + b.e);  // at most 14 bits
      wrong += dot.status == q::status::ok && dot.value.template rounded<q::binary32>().to_float() == expected ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}
TEST_CASE("the product of each pair of elements is exact") {
  try_each_pair<q::e4m3>();
  try_each_pair<q::e5m2>();
  try_each_pair<q::e2m3>();
  try_each_pair<q::e3m2>();
  try_each_pair<q::e2m1>();
  try_each_pair<q::mxint8>();
}

template <class Format>
void try_rows() {
  random_bits random;
  INFO("seed " << seed);
  const int ranges[][2] = {{127, 127}, {120, 134}, {0, 254}, {0, 3}, {251, 254}};
  for (int n = samples(30); n > 0; --n) {
    for (const auto& range : ranges) {
      const auto size = static_cast<std::size_t>(random.between(0, 100));
      const mx_data<Format> x(random, size, range[0], range[1]), y(random, size, range[0], range[1]);
      const auto dot = q::exact::dot(x.row(), y.row());
      digits expected = sum_of_products(x, y);
      REQUIRE(dot.status == q::status::ok);
      REQUIRE(dot.value.template rounded<q::binary32>().bits == expected.binary32());
      REQUIRE(dot.value.template rounded<q::bfloat16>().bits == expected.bfloat16());
      REQUIRE(dot.value.template rounded<q::binary16>().bits == expected.binary16());
    }
  }
}
TEST_CASE("an exact dot product of MX rows is the sum of all digits") {
  try_rows<q::e4m3>();
  try_rows<q::e5m2>();
  try_rows<q::e2m3>();
  try_rows<q::e3m2>();
  try_rows<q::e2m1>();
  try_rows<q::mxint8>();
}

TEST_CASE("formats of two operands may differ, and the order of blocks and of elements does not matter") {
  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(40); n > 0; --n) {
    mx_data<q::e5m2> x(random, 128, 0, 254);
    mx_data<q::mxint8> y(random, 128, 0, 254);
    digits expected = sum_of_products(x, y);
    const std::uint32_t bits = q::exact::dot(x.row(), y.row()).value.rounded<q::binary32>().bits;
    REQUIRE(bits == expected.binary32());
    REQUIRE(q::exact::dot(y.row(), x.row()).value.rounded<q::binary32>().bits == bits);
    const auto first = static_cast<std::ptrdiff_t>(32 * random.between(0, 3));
    std::reverse(x.codes.begin() + first, x.codes.begin() + first + 32);
    std::reverse(y.codes.begin() + first, y.codes.begin() + first + 32);
    std::rotate(x.codes.begin(), x.codes.begin() + 32, x.codes.end());
    std::rotate(y.codes.begin(), y.codes.begin() + 32, y.codes.end());
    std::rotate(x.scales.begin(), x.scales.begin() + 1, x.scales.end());
    std::rotate(y.scales.begin(), y.scales.begin() + 1, y.scales.end());
    x.update();
    y.update();
    REQUIRE(q::exact::dot(x.row(), y.row()).value.rounded<q::binary32>().bits == bits);
  }
}

using int8_row = q::one_scale_row<q::integer_codes<std::int8_t>>;
using int4_codes = q::nibble_codes<q::nibble_code::offset8>;

/// Random bytes as codes.
template <class T>
std::vector<T> random_codes(random_bits& random, std::size_t size) {
  std::vector<T> all;
  for (std::size_t i = 0; i < size; ++i) all.push_back(static_cast<T>(random()));
  return all;
}

TEST_CASE("zero points, scales, bias and bounds are exact") {
  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(60); n > 0; --n) {
    const std::size_t size = static_cast<std::size_t>(random.between(0, 70)),
                      block = static_cast<std::size_t>(random.between(1, 40));
    const auto x = random_codes<std::int16_t>(random, size);
    const auto w = random_codes<std::uint8_t>(random, (size + 1) / 2);
    const auto zero = static_cast<std::int32_t>(random.between(-32768, 32767));
    std::vector<q::binary16> scales((size + block - 1) / block);
    for (q::binary16& s : scales) s = q::binary16::from_bits(static_cast<int>(random() & 0xFBFF));
    const auto any = [&] { return static_cast<std::uint32_t>(random()) & 0xBFFF'FFFFu; };
    const std::uint32_t factor = random.one_in(8) ? any() & 0x807F'FFFFu : any(), bias = any();
    std::uint32_t low = any() | 0x8000'0000u, high = any() & 0x7FFF'FFFFu;

    const q::one_scale_row<q::integer_codes<std::int16_t>> a{{x, zero}, q::binary32::from_bits(factor)};
    const q::block_scaled_row<int4_codes, q::binary16> b{{w, static_cast<index_t>(size)}, scales, static_cast<index_t>(block)};
    digits expected;
    for (std::size_t i = 0; i < size; ++i) {
      const int code = w[i / 2] >> (i % 2 * 4) & 15;
      add_product(expected, {{x[i] - zero, 0}, {code - 8, 0}, decode32(factor), decode(scales[i / block].bits, 5, 10)});
    }
    add_product(expected, {decode32(bias)});
    if (random.one_in(2)) std::swap(low, high);
    if (random.one_in(2)) low = 0xFF80'0000u;
    if (random.one_in(2)) high = 0x7F80'0000u;
    // Bounds are compared as the oracle's numbers.
    const auto distance = [&](std::uint32_t bound) {
      digits d;
      d.add(expected, 0);
      add_product(d, {{-1, 0}, decode32(bound)});
      return d.sign();
    };
    const q::epilogue e{q::binary32::from_bits(bias), q::binary32::from_bits(low), q::binary32::from_bits(high)};
    const auto dot = q::exact::dot(a, b, e);
    if (q::less(e.max, e.min)) {
      REQUIRE(dot.status == q::status::empty_range);
      continue;
    }
    const bool is_low = low != 0xFF80'0000u && distance(low) < 0;
    const bool is_high = !is_low && high != 0x7F80'0000u && distance(high) > 0;
    if (is_low || is_high) {
      digits bound;
      add_product(bound, {decode32(is_low ? low : high)});
      expected = bound;
    }
    REQUIRE(dot.status == q::status::ok);
    REQUIRE(dot.value.rounded<q::binary32>().bits == expected.binary32());
    REQUIRE(dot.value.rounded<q::bfloat16>().bits == expected.bfloat16());
  }
}

/// A row of large integers with one scale. int64 holds two products of them.
struct large_row {
  static constexpr int unit = 3;
  static constexpr std::int64_t largest = 0x7FFF'FFFF;
  q::view<const std::int32_t> integers;
  constexpr index_t size() const { return integers.size(); }
  constexpr index_t block() const { return size(); }
  constexpr std::int64_t integer(index_t i) const { return integers[i]; }
  constexpr q::binary32 scale(index_t) const { return q::binary32{0.5f}; }
  friend constexpr q::status check(const large_row& row) { return check(row.integers); }
};

TEST_CASE("sums of a block that int64 does not hold are split") {
  for (index_t size = 1; size < 12; ++size) {
    const std::vector<std::int32_t> most(static_cast<std::size_t>(size), 0x7FFF'FFFF);
    digits expected;
    for (index_t i = 0; i < size; ++i) expected.add(std::int64_t{0x7FFF'FFFF} * 0x7FFF'FFFF, 6 - 2);
    const auto dot = q::exact::dot(large_row{most}, large_row{most});
    REQUIRE(dot.status == q::status::ok);
    CHECK(dot.value.rounded<q::binary32>().bits == expected.binary32());
  }
}

TEST_CASE("all scale types are exact") {
  const std::int8_t ones[] = {1, 1};
  const int8_row x{{ones}, q::binary32{1.0f}};
  const auto sum = [&](auto scale) {
    const decltype(scale) scales[] = {scale, scale};
    const q::block_scaled_row<q::integer_codes<std::int8_t>, decltype(scale)> w{{ones}, scales, 1};
    return q::exact::dot(x, w).value.template rounded<q::binary32>().bits;
  };
  CHECK(sum(q::e8m0{0}) == 0x0080'0000u);
  CHECK(sum(q::e8m0{253}) == 0x7F00'0000u);
  CHECK(sum(q::e4m3::from_bits(0x7E)) == 0x4460'0000u);   // 2 * 448
  CHECK(sum(q::e4m3::from_bits(0x01)) == 0x3B80'0000u);   // 2 * 2^-9
  CHECK(sum(q::binary16::from_bits(1)) == 0x3400'0000u);  // 2 * 2^-24
  CHECK(sum(q::bfloat16::from_bits(1)) == 0x0002'0000u);
  CHECK(sum(q::binary32::from_bits(1)) == 2u);
  CHECK(sum(std::uint8_t{255}) == 0x43FF'0000u);
}

TEST_CASE("second scales of NVFP4 enter the exact sum") {
  // 2 * 6 * 448 * 448 * g * h with g = 1 + 2^-23 and h = 1 + 2^-22 needs 46 bits for g * h.
  const std::uint8_t six[] = {0x77}, three[] = {0x11};
  const q::e4m3 scale[] = {q::e4m3::from_bits(0x7E)};
  const q::block_scaled_row<q::nibble_codes<q::nibble_code::e2m1>, q::e4m3> x{{six, 2}, scale, 16}, y{{three, 2}, scale, 16};
  q::exact_sum sum = q::exact::dot(x, y).value;
  sum.multiply_by(q::binary32::from_bits(0x3F80'0001));
  sum.multiply_by(q::binary32::from_bits(0x3F80'0002));
  digits expected;
  add_product(expected, {{2 * 6 * 448 / 2, 0}, {448, 0}, {0x80'0001, -23}, {0x80'0002, -23}});
  CHECK(sum.rounded<q::binary32>().bits == expected.binary32());
  const q::exact_sum y_sum = q::exact::finish(sum, {q::binary32{0.0f}, q::binary32{-1.0f}, q::binary32{1.5f}});
  CHECK(y_sum.rounded<q::binary32>().bits == 0x3FC0'0000u);
}

TEST_CASE("second scales of the least and the largest products fit the exact sum") {
  const auto least_scale = q::binary32::from_bits(1), largest_scale = q::binary32::from_bits(0x7F7F'FFFFu);
  std::vector<q::e5m2> codes(4096, q::e5m2::from_bits(0x7B));
  const q::block_scaled_row<q::element_codes<q::e5m2>, q::binary32> large{{codes}, {&largest_scale, 1}, 4096};
  q::exact_sum sum = q::exact::dot(large, large).value;
  sum.multiply_by(largest_scale);
  sum.multiply_by(q::negate(largest_scale));
  CHECK(sum.is_negative());
  CHECK(sum.rounded<q::binary32>().bits == 0xFF80'0000u);
  for (int i = 0; i < 4; ++i) sum.multiply_by(q::binary32::from_bits(0x0080'0000));  // 2^-126
  digits expected;
  add_product(expected, {{-4096, 0}, {57344, 0}, {57344, 0}, {0xFF'FFFF, 104}, {0xFF'FFFF, 104}, {1, -504}});
  const number most = decode32(0x7F7F'FFFFu);
  digits product;
  expected.multiply(most.v);
  expected.multiply(most.v);
  product.add(expected, 2 * most.e);
  CHECK(sum.rounded<q::binary32>().bits == product.binary32());

  codes = {q::e5m2::from_bits(1)};
  const q::block_scaled_row<q::element_codes<q::e5m2>, q::binary32> small{{codes}, {&least_scale, 1}, 1};
  sum = q::exact::dot(small, small).value;  // 2^-330
  sum.multiply_by(least_scale);
  sum.multiply_by(least_scale);
  CHECK_FALSE(sum.is_zero());
  sum.add(1, -150);  // a tie of binary32
  CHECK(sum.rounded<q::binary32>().bits == 1u);
}

template <class X, class Y>
constexpr q::sum_width width_of_products(index_t products, q::scale_range x, q::scale_range y) {
  return q::width_of(q::sum_range_of<X, Y>(products, x, y));
}
/// Scales that are powers of two, from 1 to 2^spread, or binary16 and bfloat16 of one exponent.
constexpr q::scale_range powers(int spread) { return {0, q::scale_by_power_of_two(q::binary32{1.0f}, spread)}; }
constexpr q::scale_range halves{0, q::binary32{2047.0f}};
constexpr q::scale_range brains{0, q::binary32{255.0f}};

/// Returns the largest magnitude of a value of a block whose bytes are equal.
template <class Block>
constexpr std::int64_t largest_value() {
  std::int64_t largest = 0;
  for (int byte = 0; byte < 256; ++byte) {
    std::uint8_t block[Block::bytes] = {};
    for (std::uint8_t& each : block) each = static_cast<std::uint8_t>(byte);
    const std::int64_t value = Block::value(block, 0), magnitude = value < 0 ? -value : value;
    largest = largest < magnitude ? magnitude : largest;
  }
  return largest;
}
template <class... Block>
constexpr bool have_largest_values = ((Block::largest == largest_value<Block>()) && ...);

TEST_CASE("the width of a sum follows from codes, scales and their number") {
  namespace ggml = q::ggml;
  using q::all_scales;
  using q::sum_width;
  using q8_0 = ggml::row<ggml::q8_0>;
  using e2m1 = q::nibble_codes<q::nibble_code::e2m1>;
  using int8 = q::integer_codes<std::int8_t>;
  static_assert(have_largest_values<ggml::q4_0, ggml::q4_1, ggml::q5_0, ggml::q5_1, ggml::q8_0, ggml::q8_1>);
  static_assert(have_largest_values<ggml::mxfp4, ggml::nvfp4>);
  constexpr auto any_half = all_scales<q::binary16>;
  static_assert(any_half.least == -24 && any_half.largest.bits == 0x477F'E000u);
  static_assert(all_scales<q::bfloat16>.least == -133 && all_scales<q::binary32>.least == -149);
  static_assert(all_scales<q::e4m3>.least == -9 && all_scales<q::e4m3>.largest.bits == 0x43E0'0000u);

  constexpr index_t many = index_t{1} << (sizeof(index_t) == 8 ? 36 : 30);  // 2^31 blocks
  static_assert(width_of_products<ggml::row<ggml::q4_0>, q8_0>(many, any_half, any_half) == sum_width::int128);
  static_assert(width_of_products<ggml::row<ggml::q5_1>, ggml::row<ggml::q8_1>>(many / 4, any_half, any_half) ==
                sum_width::int128);
  static_assert(width_of_products<q8_0, q8_0>(many / 16, any_half, any_half) == sum_width::int128);
  static_assert(width_of_products<ggml::row<ggml::mxfp4>, q8_0>(32, all_scales<q::e8m0>, any_half) == sum_width::all);
  // NVFP4 with scales of E4M3: int64 up to a million codes
  static_assert(width_of_products<e2m1, e2m1>(1 << 20, all_scales<q::e4m3>, all_scales<q::e4m3>) == sum_width::int64);
  static_assert(width_of_products<e2m1, e2m1>(1 << 21, all_scales<q::e4m3>, all_scales<q::e4m3>) == sum_width::int128);
  static_assert(width_of_products<e2m1, q8_0>(1 << 20, all_scales<q::e4m3>, any_half) == sum_width::int128);

  // One block of 32. The last spread that int64 holds, and the next.
  const auto last = [](auto width, int spread) {
    return width(spread) == sum_width::int64 && width(spread + 1) == sum_width::int128;
  };
  CHECK(last([](int s) { return width_of_products<ggml::row<ggml::mxfp4>, q8_0>(32, powers(s), halves); }, 36));
  CHECK(last([](int s) { return width_of_products<e2m1, e2m1>(32, powers(s), powers(0)); }, 50));
  CHECK(last([](int s) { return width_of_products<e2m1, e2m1>(32, powers(s - 7), powers(7)); }, 50));
  CHECK(last([](int s) { return width_of_products<e2m1, e2m1>(32 * 8, powers(s - 7), powers(7)); }, 47));
  CHECK(last([](int s) { return width_of_products<mx_row<q::mxint8>, mx_row<q::mxint8>>(32, powers(s), powers(0)); }, 43));
  CHECK(last([](int s) { return width_of_products<mx_row<q::e2m3>, mx_row<q::e2m3>>(32, powers(s), powers(0)); }, 46));
  CHECK(last([](int s) { return width_of_products<mx_row<q::e3m2>, mx_row<q::e3m2>>(32, powers(s), powers(0)); }, 40));
  CHECK(last([](int s) { return width_of_products<mx_row<q::e4m3>, mx_row<q::e4m3>>(32, powers(s), powers(0)); }, 22));
  CHECK(last(
      [](int s) {
        return width_of_products<int4_codes, int8>(32, {0, q::scale_by_power_of_two(brains.largest, s)}, powers(0));
      },
      39));
  for (int spread = 108; spread < 254; ++spread)
    REQUIRE(width_of_products<mx_row<q::mxint8>, mx_row<q::mxint8>>(32, powers(spread), powers(0)) == sum_width::all);
  static_assert(width_of_products<mx_row<q::e5m2>, mx_row<q::e5m2>>(32, powers(0), powers(0)) == sum_width::all);
  static_assert(width_of_products<int8, int8>(0, powers(100), powers(100)) == sum_width::int64);
  static_assert(width_of_products<int8, int8>(1, {0, {}}, powers(100)) == sum_width::int64);

  const std::uint8_t bytes[34] = {};
  const q::e8m0 scales[] = {{100}, {104}, {101}};
  const q::block_scaled_row<int4_codes, q::e8m0> row{{bytes, 68}, scales, 32};
  const auto range = q::scale_range_of(row);
  CHECK(range.status == q::status::ok);
  CHECK(range.value.least == -27);
  CHECK(range.value.largest.bits == q::value_of(scales[1]).bits);
  const q::binary32 large[] = {q::binary32{0.0f}, q::binary32{-24.0f}, q::binary32{16.0f}};
  const auto of_large = q::scale_range_of(q::block_scaled_row<int4_codes, q::binary32>{{bytes, 68}, large, 32}).value;
  CHECK(of_large.least == 3);
  CHECK(of_large.largest.bits == 0x41C0'0000u);
}

/// Returns the dot product by an accumulator of the caller's choice.
template <class X, class Y>
std::uint32_t dot_by(q::sum_width width, const X& x, const Y& y) {
  q::exact_sum sum;
  q::detail::add_dot(sum, x, y, q::exact::range_of_dot(x, y).value.least, width);
  return sum.rounded<q::binary32>().bits;
}

TEST_CASE("accumulators of 64 and 128 bits are right up to their width, and no further") {
  using q::sum_width;
  // 32 products of 2^14 at the largest scale and one product at the least: a bound of 33 * 2^(14 + spread).
  const auto overflows = [](int spread, sum_width expected, sum_width narrower) {
    std::vector<q::mxint8> codes(33, q::mxint8{-128});
    codes[32] = {1};
    const int half = spread / 2;
    const q::e8m0 of_x[] = {{static_cast<std::uint8_t>(127 + half)}, {127}};
    const q::e8m0 of_y[] = {{static_cast<std::uint8_t>(127 + spread - half)}, {127}};
    const mx_row<q::mxint8> x{{codes}, of_x, 32}, y{{codes}, of_y, 32};
    const auto range = q::exact::range_of_dot(x, y);
    CHECK(range.status == q::status::ok);
    CHECK(q::width_of(range.value) == expected);
    const std::uint32_t bits = q::exact::dot(x, y).value.rounded<q::binary32>().bits;
    const auto field = static_cast<std::uint32_t>(127 + 19 + spread - 12);
    CHECK(bits == field << 23);  // 2^19 * 2^spread * 2^-12; the last product is too small to matter
    CHECK(dot_by(expected, x, y) == bits);
    CHECK(dot_by(sum_width::all, x, y) == bits);
    return dot_by(narrower, x, y) != bits;
  };
  CHECK(!overflows(43, sum_width::int64, sum_width::int64));
  CHECK(overflows(44, sum_width::int128, sum_width::int64));
  CHECK(!overflows(107, sum_width::int128, sum_width::int128));
  CHECK(overflows(108, sum_width::all, sum_width::int128));

  random_bits random;
  INFO("seed " << seed);
  int widths[3] = {};
  for (int n = samples(150); n > 0; --n) {
    const int spread = random.below(250);
    const auto size = static_cast<std::size_t>(random.between(1, 80));
    const mx_data<q::e3m2> x(random, size, 127 - spread / 2, 127);
    const mx_data<q::e2m3> y(random, size, 127 - spread / 2, 127);
    const sum_width width = q::width_of(q::exact::range_of_dot(x.row(), y.row()).value);
    digits expected = sum_of_products(x, y);
    const std::uint32_t bits = expected.binary32();
    ++widths[static_cast<int>(width)];
    for (const sum_width wider : {sum_width::int64, sum_width::int128, sum_width::all})
      if (wider >= width) REQUIRE(dot_by(wider, x.row(), y.row()) == bits);
  }
  CHECK((DYADIC_TEST_DIVISOR > 1 || (widths[0] > 0 && widths[1] > 0 && widths[2] > 0)));
}

TEST_CASE("binary32 is exact in each order up to 2^24 units, and no further") {
  using e2m1 = mx_row<q::e2m1>;
  using e2m3 = mx_row<q::e2m3>;
  using mxint8 = mx_row<q::mxint8>;
  const auto is_exact = [](auto x, index_t products, int spread, int least = 0) {
    using row = decltype(x);
    q::scale_range scales = powers(spread);
    scales.least += least;
    scales.largest = q::scale_by_power_of_two(scales.largest, least);
    return q::is_exact_in_binary32(q::sum_range_of<row, row>(products, scales, powers(0)));
  };
  // blocks * 2^spread <= 2^11, 2^7, 2^5
  CHECK(is_exact(e2m1{}, 32, 11));
  CHECK(!is_exact(e2m1{}, 32, 12));
  CHECK(is_exact(e2m1{}, 32 << 5, 6));
  CHECK(!is_exact(e2m1{}, 32 << 6, 6));
  CHECK(is_exact(e2m3{}, 32, 7));
  CHECK(!is_exact(e2m3{}, 32, 8));
  CHECK(is_exact(mxint8{}, 32, 5));
  CHECK(!is_exact(mxint8{}, 32, 6));
  CHECK(!is_exact(mx_row<q::e4m3>{}, 32, 0));
  CHECK(!is_exact(mx_row<q::e5m2>{}, 32, 0));
  // The unit of two E2M1 is 2^-2, of binary32 2^-149.
  CHECK(is_exact(e2m1{}, 32, 0, -147));
  CHECK(!is_exact(e2m1{}, 32, 0, -148));
  CHECK(is_exact(e2m1{}, 32, 0, 105));
  CHECK(!is_exact(e2m1{}, 32, 0, 106));

  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(60); n > 0; --n) {
    const mx_data<q::e2m1> x(random, 128, 127, 131), y(random, 128, 127, 132);  // 4 blocks, spread 9
    REQUIRE(q::is_exact_in_binary32(q::exact::range_of_dot(x.row(), y.row()).value));
    REQUIRE(q::tosa::block_order::dot(x.row(), y.row()).value.bits ==
            q::exact::dot(x.row(), y.row()).value.rounded<q::binary32>().bits);
  }
  // Blocks of 2^24, 1, -2^24 in units of the sum: the 1 is lost.
  std::vector<q::mxint8> a(96, q::mxint8{-128}), b(96, q::mxint8{0});
  for (std::size_t i = 0; i < 32; ++i) b[i] = {-128}, b[i + 64] = {127};
  for (std::size_t i = 64; i < 96; ++i) a[i] = {-128};
  b[32] = {-1};
  a[32] = {-1};
  b[64] = {127};
  const q::e8m0 of_a[] = {{132}, {127}, {132}}, of_b[] = {{127}, {127}, {127}};
  const mx_row<q::mxint8> x{{a}, of_a, 32}, y{{b}, of_b, 32};
  CHECK(!q::is_exact_in_binary32(q::exact::range_of_dot(x, y).value));
  // (2^19 - 2^14 * 127 / 128 * 32) * 2^5 + 1 = 2^17 + 1, in units of 2^-12
  CHECK(q::exact::dot(x, y).value.rounded<q::binary32>().to_float() == (131072.0f + 1.0f) / 4096);
  CHECK(q::tosa::block_order::dot(x, y).value.to_float() == 131072.0f / 4096);
}

/// A block of ggml: a scale, and codes of 8 bits or nibbles.
using block_bytes = std::vector<std::uint8_t>;

block_bytes q8_block(std::uint16_t d, const std::vector<int>& codes) {
  block_bytes block{static_cast<std::uint8_t>(d & 255), static_cast<std::uint8_t>(d >> 8)};
  for (const int code : codes) block.push_back(static_cast<std::uint8_t>(code));
  block.resize(34);
  return block;
}

TEST_CASE("a negative weight times -128 has the wrong sign in ggml's AVX2 functions") {
  namespace ggml = q::ggml;
  const std::uint16_t one = 0x3C00;
  const block_bytes w = q8_block(one, {-1, 2, -128}), a = q8_block(one, {-128, -128, -128});
  const ggml::row<ggml::q8_0> x{w}, y{a};
  CHECK(ggml::generic_order::dot(x, y).value.to_float() == 128.0f - 256.0f + 16384.0f);
  CHECK(ggml::exact_dot(x, y).value.rounded<q::binary32>().to_float() == 128.0f - 256.0f + 16384.0f);
  CHECK(ggml::avx2_order::dot(x, y).value.to_float() == -128.0f - 256.0f - 16384.0f);
  // Products of -128 as a weight are right, and so are those of q4_1, whose weights are not negative.
  const block_bytes other = q8_block(one, {127, -1, -127});
  CHECK(ggml::avx2_order::dot(y, ggml::row<ggml::q8_0>{other}).value.to_float() == 128.0f);
  block_bytes q4{0, 0x3C, 0, 0};  // q4_1 with d = 1, m = 0
  q4.resize(20, 0xFF);
  block_bytes q8{0, 0x3C, 0, 0};  // q8_1 with d = 1, s = 0
  q8.resize(36, 0x80);
  CHECK(ggml::avx2_order::dot(ggml::row<ggml::q4_1>{q4}, ggml::row<ggml::q8_1>{q8}).value.to_float() == 32.0f * 15 * -128);
}

/// Returns a block with a random normal scale and codes between two bytes.
block_bytes random_block(random_bits& random, std::size_t bytes, int least, int greatest) {
  const std::uint64_t d = (random() & 0x83FFu) | static_cast<std::uint64_t>(random.between(1, 30)) << 10;
  block_bytes block{static_cast<std::uint8_t>(d & 255), static_cast<std::uint8_t>(d >> 8)};
  while (block.size() < bytes) block.push_back(static_cast<std::uint8_t>(random.between(least, greatest)));
  return block;
}

TEST_CASE("a product of one block is rounded once in ggml's generic functions, but not for q4_0") {
  namespace ggml = q::ggml;
  random_bits random;
  INFO("seed " << seed);
  int differing = 0;
  for (int n = 100; n > 0; --n) {
    // Large sums of products, of 15 bits and more, because the product with a scale of 11 bits then exceeds 24 bits.
    const block_bytes a = random_block(random, 34, 90, 127), w8 = random_block(random, 34, 90, 127);
    const block_bytes w5 = random_block(random, 22, 0, 255), w4 = random_block(random, 18, 0, 1);
    const ggml::row<ggml::q8_0> x{a};
    const auto is_exact = [&](const auto& w) {
      return ggml::generic_order::dot(w, x).value.bits == ggml::exact_dot(w, x).value.template rounded<q::binary32>().bits;
    };
    REQUIRE(is_exact(ggml::row<ggml::q8_0>{w8}));
    REQUIRE(is_exact(ggml::row<ggml::q5_0>{w5}));
    differing += is_exact(ggml::row<ggml::q4_0>{w4}) ? 0 : 1;
  }
  CHECK(differing > 0);
}

TEST_CASE("the order of ggml's AVX2 functions is the order of lanes") {
  // Lanes 0 .. 7 hold 2^25, 1, -2^25, 1, 1, 0, 0, 0 before they are added: b = (2^25 + 1 = 2^25), 1, -2^25, 1; f = (0) + (2).
  namespace ggml = q::ggml;
  const std::uint16_t one = 0x3C00, large = 0x7800;  // 1 and 2^15
  std::vector<int> w(32), a(32), v(32), b(32);
  w[0] = a[0] = 32, w[8] = 32, a[8] = -32;  // 2^10 * 2^15
  for (const std::size_t k : {4u, 12u, 16u}) v[k] = b[k] = 1;
  block_bytes x = q8_block(large, w), y = q8_block(one, a);
  for (const std::uint8_t byte : q8_block(one, v)) x.push_back(byte);
  for (const std::uint8_t byte : q8_block(one, b)) y.push_back(byte);
  const ggml::row<ggml::q8_0> weights{x}, activations{y};
  CHECK(ggml::avx2_order::dot(weights, activations).value.to_float() == 2.0f);
  CHECK(ggml::generic_order::dot(weights, activations).value.to_float() == 3.0f);
  CHECK(ggml::exact_dot(weights, activations).value.rounded<q::binary32>().to_float() == 3.0f);
}

/// Rows for engines with dynamically quantized activations.
struct qd8_data {
  std::vector<std::int8_t> a;
  std::vector<std::uint8_t> w;
  std::vector<std::uint16_t> scales;
  std::int32_t zero;
  std::size_t block;

  template <class Make>
  qd8_data(random_bits& random, std::size_t blocks, std::size_t of, const Make& make)
      : a(random_codes<std::int8_t>(random, blocks * of)),
        w(random_codes<std::uint8_t>(random, blocks * of / 2)),
        zero(static_cast<std::int32_t>(random.between(-128, 127))),
        block(of) {
    for (std::size_t i = 0; i < blocks; ++i) scales.push_back(static_cast<std::uint16_t>(make()));
  }
  int weight(std::size_t i) const { return (w[i / 2] >> (i % 2 * 4) & 15) - 8; }
  /// Returns the sum of weights, or of weights times stored codes, from i on.
  std::uint32_t sum(std::size_t i, std::size_t count, bool of_products) const {
    std::int64_t s = 0;
    for (std::size_t k = i; k < i + count; ++k) s += weight(k) * (of_products ? a[k] : 1);
    return integer32(s);
  }
  template <class Scale>
  std::vector<Scale> scales_as() const {
    std::vector<Scale> all;
    for (const std::uint16_t s : scales) all.push_back(Scale::from_bits(s));
    return all;
  }
};

const std::uint32_t one_sign = 0x8000'0000u, factor_bits = 0x3C12'3457u, bias_bits = 0x3F45'6789u;

TEST_CASE("LiteRT's order of blockwise weights is that of its formula") {
  random_bits random;
  INFO("seed " << seed);
  for (int n = samples(40); n > 0; --n) {
    const qd8_data d(random, static_cast<std::size_t>(random.between(1, 4)), 32, [&] { return 0x2000u + (random() & 0x1FFFu); });
    const auto scales = d.scales_as<q::binary16>();
    std::uint32_t f = 0, k = 0;
    for (std::size_t b = 0; b < scales.size(); ++b) {
      const number s = decode(scales[b].bits, 5, 10);
      digits wide;
      wide.add(s.v, s.e);
      const std::uint32_t scale = wide.binary32();
      f = add32(f, multiply32(d.sum(32 * b, 32, true), scale));
      k = add32(k, multiply32(d.sum(32 * b, 32, false), scale));
    }
    f = add32(f, multiply32(integer32(d.zero), k) ^ one_sign);
    const std::uint32_t expected = add32(multiply32(f, factor_bits), bias_bits);
    const q::qd8_row a{{d.a, d.zero}, q::binary32::from_bits(factor_bits)};
    const q::block_scaled_row<int4_codes, q::binary16> w{{d.w, static_cast<index_t>(d.a.size())}, scales, 32};
    REQUIRE(q::litert::blockwise_order::dot(a, w, {q::binary32::from_bits(bias_bits)}).value.bits == expected);
  }
}

/// Returns the result of qb4w with kernel sums by groups of weights, and products that are fused or not.
std::uint32_t qb4w_result(const qd8_data& d, std::size_t group, bool is_fused) {
  const auto scale = [&](std::size_t i) { return std::uint32_t{d.scales[i / d.block]} << 16; };
  std::uint32_t k = 0;
  for (std::size_t i = 0; i < d.a.size(); i += group) k = add32(k, multiply32(d.sum(i, group, false), scale(i)) ^ one_sign);
  std::uint32_t f = multiply32(k, integer32(d.zero));
  for (std::size_t i = 0; i < d.a.size(); i += d.block) {
    const std::uint32_t sum = d.sum(i, d.block, true);
    f = is_fused ? fma32(sum, scale(i), f) : add32(f, multiply32(sum, scale(i)));
  }
  return add32(multiply32(f, factor_bits), bias_bits);
}

TEST_CASE("XNNPACK's packed kernel sum of qb4w depends on the tile, and fused products matter in long blocks") {
  random_bits random;
  INFO("seed " << seed);
  int by_tile = 0, by_fusion = 0;
  for (const std::size_t block : {32u, 256u}) {
    for (int n = samples(block == 32 ? 30 : 4); n > 0; --n) {
      qd8_data d(random, 2, block, [&] { return 0x3000u + (random() & 0xFFFu); });  // k rounds if scales differ
      if (block > 32) {                                                             // products of more than 24 bits
        for (std::int8_t& a : d.a) a = static_cast<std::int8_t>((a & 63) + 64);
        for (std::uint8_t& w : d.w) w &= 0x11;
      }
      const auto scales = d.scales_as<q::bfloat16>();
      const q::qd8_row a{{d.a, d.zero}, q::binary32::from_bits(factor_bits)};
      const q::block_scaled_row<int4_codes, q::bfloat16> w{
          {d.w, static_cast<index_t>(d.a.size())}, scales, static_cast<index_t>(block)};
      const q::epilogue e{q::binary32::from_bits(bias_bits)};
      REQUIRE(q::xnnpack::scalar_order::dot(a, w, e).value.bits == qb4w_result(d, 2, false));
      REQUIRE(q::xnnpack::neondot_order::dot(a, w, e).value.bits == qb4w_result(d, 8, true));
      REQUIRE(q::xnnpack::neoni8mm_order::dot(a, w, e).value.bits == qb4w_result(d, 16, true));
      by_tile += qb4w_result(d, 8, true) != qb4w_result(d, 16, true) ? 1 : 0;
      by_fusion += qb4w_result(d, 16, false) != qb4w_result(d, 16, true) ? 1 : 0;
    }
  }
  CHECK((DYADIC_TEST_DIVISOR > 1 || (by_tile > 0 && by_fusion > 0)));
}

TEST_CASE("bounds clamp the result of an engine, and NaN stays NaN") {
  const std::int8_t codes[] = {100, 100};
  const auto infinity = q::epilogue::infinity;
  const auto y = [&](float factor, const q::epilogue& e, float of_weights = 1.0f) {
    const q::qd8_row a{{codes, 0}, q::binary32{factor}};
    const int8_row w{{codes}, q::binary32{of_weights}};
    return q::xnnpack::scalar_order::dot(a, w, e).value.bits;
  };
  const q::binary32 low{-2.0f}, high{3.0f};
  CHECK(y(1.0f, {{}, low, high}) == high.bits);
  CHECK(y(-1.0f, {{}, low, high}) == low.bits);
  CHECK(y(1.0f, {{}, low, infinity}) == q::binary32{20000.0f}.bits);
  CHECK(y(0.0f, {{}, low, high}) == 0);
  CHECK(y(3e38f, {{}, low, infinity}) == infinity.bits);
  CHECK(y(3e38f, {{}, low, high}) == high.bits);
  CHECK(y(3e38f, {{}, low, high}, 0.0f) == 0x7FC0'0000u);  // infinity * 0
}

TEST_CASE("the int32 sums of XNNPACK and KleidiAI wrap from the depth 65,794 on") {
  if constexpr (sizeof(index_t) == 8) {
    const index_t last = 65793;  // 65793 * 255 * 128 < 2^31
    std::vector<std::int8_t> a(static_cast<std::size_t>(last + 1), std::int8_t{127});
    std::vector<std::int8_t> w(a.size(), std::int8_t{-128});
    std::vector<std::uint8_t> nibbles(a.size() / 2, std::uint8_t{0});  // -8
    for (const index_t depth : {last, last + 1}) {
      const double sum = 255.0 * -128.0 * static_cast<double>(depth);
      const auto expected = static_cast<float>(depth == last ? sum : sum + 4294967296.0);
      const q::qd8_row x{{q::view<const std::int8_t>(a.data(), depth), -128}, q::binary32{1.0f}};
      const int8_row of_int8{{q::view<const std::int8_t>(w.data(), depth)}, q::binary32{1.0f}};
      const q::one_scale_row<int4_codes> of_int4{{nibbles, depth}, q::binary32{16.0f}};
      CHECK(q::xnnpack::scalar_order::dot(x, of_int8).value.to_float() == expected);
      CHECK(q::xnnpack::neondot_order::dot(x, of_int4).value.to_float() == expected);
      CHECK(q::kleidiai::qai8dx_order::dot(x, of_int4).value.to_float() == expected);
      CHECK(q::exact::dot(x, of_int4).value.rounded<q::binary32>().to_float() == static_cast<float>(sum));
    }
  }
}

TEST_CASE("bad rows have a status") {
  using q::status;
  namespace ggml = q::ggml;
  const std::int8_t codes[64] = {};
  const std::uint8_t bytes[33] = {};
  const q::binary32 one{1.0f}, nan = q::binary32::from_bits(0x7FC0'0000), infinity = q::epilogue::infinity;
  const auto qd8 = [&](index_t size, q::binary32 scale, std::int32_t zero = 0) {
    return q::qd8_row{{q::view<const std::int8_t>(codes, size), zero}, scale};
  };
  const q::qd8_row x = qd8(64, one);
  const auto w = [&](std::vector<q::bfloat16> scales, index_t count = 64, index_t block = 32, const q::epilogue& e = {}) {
    const q::block_scaled_row<int4_codes, q::bfloat16> row{{bytes, count}, scales, block};
    const status s = q::exact::dot(x, row, e).status;
    CHECK(s == q::kleidiai::qai8dx_order::dot(x, row, e).status);
    return s;
  };
  const q::bfloat16 b{0x3F80}, b_nan{0x7FC0}, b_infinity{0xFF80};
  CHECK(w({b, b}) == status::ok);
  CHECK(w({b}) == status::shape_mismatch);
  CHECK(w({b, b, b}) == status::shape_mismatch);
  CHECK(w({b, b}, 64, 0) == status::shape_mismatch);
  CHECK(w({b, b}, 64, -32) == status::shape_mismatch);
  CHECK(w({b, b}, 62) == status::shape_mismatch);
  CHECK(w({b, b, b}, 68) == status::null_data);
  CHECK(w({b, b}, -64) == status::negative_size);
  CHECK(w({b, b_nan}) == status::scale_not_finite);
  CHECK(w({b_infinity, b}) == status::scale_not_finite);
  CHECK(w({b, b}, 64, 32, {nan}) == status::value_out_of_range);
  CHECK(w({b, b}, 64, 32, {infinity}) == status::value_out_of_range);
  CHECK(w({b, b}, 64, 32, {one, nan}) == status::value_out_of_range);
  CHECK(w({b, b}, 64, 32, {one, infinity}) == status::value_out_of_range);
  CHECK(w({b, b}, 64, 32, {one, one, q::negate(infinity)}) == status::value_out_of_range);
  CHECK(w({b, b}, 64, 32, {one, one, q::negate(one)}) == status::empty_range);

  const int8_row y{{codes}, one};
  CHECK(q::exact::dot(x, y).status == status::ok);
  CHECK(q::exact::dot(qd8(0, one), qd8(0, one)).status == status::ok);
  CHECK(q::xnnpack::scalar_order::dot(qd8(0, one), qd8(0, one)).status == status::ok);
  CHECK(q::exact::dot(qd8(63, one), y).status == status::shape_mismatch);
  CHECK(q::exact::dot(qd8(-1, one), y).status == status::negative_size);
  CHECK(q::exact::dot(qd8(64, nan), y).status == status::scale_not_finite);
  CHECK(q::exact::dot(y, qd8(64, infinity)).status == status::scale_not_finite);
  CHECK(q::exact::dot(qd8(64, one, 127), y).status == status::ok);
  CHECK(q::exact::dot(qd8(64, one, 128), y).status == status::zero_point_out_of_range);
  CHECK(q::exact::dot(qd8(64, one, -129), y).status == status::zero_point_out_of_range);
  const q::qd8_row null{{q::view<const std::int8_t>(nullptr, 64), 0}, one};
  CHECK(q::exact::dot(null, y).status == status::null_data);

  const auto xnnpack = [&](std::uint16_t bits, index_t block) {
    const std::vector<q::bfloat16> scales(static_cast<std::size_t>(64 / block), q::bfloat16{bits});
    const q::block_scaled_row<int4_codes, q::bfloat16> row{{bytes, 64}, scales, block};
    return q::xnnpack::scalar_order::dot(x, row).status;
  };
  CHECK(xnnpack(0x0080, 32) == status::ok);
  CHECK(xnnpack(0x0080, 64) == status::ok);
  CHECK(xnnpack(0x0080, 16) == status::shape_mismatch);
  CHECK(xnnpack(0x007F, 32) == status::scale_too_small);
  CHECK(xnnpack(0x0000, 32) == status::scale_too_small);
  CHECK(xnnpack(0xBF80, 32) == status::scale_too_small);
  CHECK(xnnpack(0x7F80, 32) == status::scale_not_finite);

  const auto mx = [&](q::e5m2 element, std::uint8_t scale) {
    q::e5m2 elements[32] = {};
    elements[17] = element;
    const q::e8m0 scales[] = {{scale}};
    const mx_row<q::e5m2> row{{elements}, scales, 32};
    const status s = q::exact::dot(row, row).status;
    CHECK(s == q::tosa::block_order::dot(row, row).status);
    return s;
  };
  CHECK(mx({0x7B}, 254) == status::ok);
  CHECK(mx({0x7B}, 255) == status::scale_not_finite);
  CHECK(mx({0x7C}, 127) == status::value_out_of_range);
  CHECK(mx({0xFD}, 127) == status::value_out_of_range);
  const q::e4m3 elements[] = {{0xFF}};
  const q::e8m0 scales[] = {{127}};
  const mx_row<q::e4m3> row{{elements}, scales, 32};
  CHECK(q::exact::dot(row, row).status == status::value_out_of_range);

  block_bytes q8 = q8_block(0x3C00, {1});
  const auto ggml_status = [](const block_bytes& weights, const block_bytes& activations) {
    const ggml::row<ggml::q8_0> u{weights}, v{activations};
    const status s = ggml::exact_dot(u, v).status;
    CHECK(s == ggml::generic_order::dot(u, v).status);
    CHECK(s == ggml::avx2_order::dot(u, v).status);
    return s;
  };
  CHECK(ggml_status(q8, q8) == status::ok);
  CHECK(ggml_status(q8, {}) == status::shape_mismatch);
  CHECK(ggml_status(q8, block_bytes(33)) == status::shape_mismatch);
  CHECK(ggml_status(q8, q8_block(0x7C00, {1})) == status::scale_not_finite);
  block_bytes q4(20), q8_1(36);
  const auto minimum_status = [&] {
    const ggml::row<ggml::q4_1> u{q4};
    const ggml::row<ggml::q8_1> v{q8_1};
    const status s = ggml::exact_dot(u, v).status;
    CHECK(s == ggml::generic_order::dot(u, v).status);
    return s;
  };
  CHECK(minimum_status() == status::ok);
  q4[3] = 0x7C;  // m is infinite
  CHECK(minimum_status() == status::scale_not_finite);
  q4[3] = 0;
  q8_1[3] = 0xFE;  // s is NaN
  CHECK(minimum_status() == status::scale_not_finite);

  const ggml::row<ggml::q4_0> nibbles{q::view<const std::uint8_t>(q4.data(), 18)};
  const ggml::row<ggml::q8_0> int8s{q8};
  CHECK(q::kleidiai::qsi8d32_order::dot(int8s, nibbles).status == status::ok);
  CHECK(q::kleidiai::qsi8d32_order::dot(int8s, nibbles, {one}).status == status::value_out_of_range);
  const q::bfloat16 two[] = {b, b};
  const q::block_scaled_row<int4_codes, q::bfloat16> of_16{{bytes, 32}, two, 16};
  CHECK(q::kleidiai::qsi8d32_order::dot(int8s, of_16).status == status::shape_mismatch);
  CHECK(q::tosa::block_order::dot(int8s, of_16).status == status::shape_mismatch);
  CHECK(q::exact::dot(int8s, of_16).status == status::ok);
}

constexpr std::uint32_t constant_dot() {
  const std::int8_t codes[] = {10, -3};
  const std::uint8_t bytes[] = {0x5A};  // 2, -3
  const q::bfloat16 scales[] = {q::bfloat16::from_bits(0x3F00)};
  const q::qd8_row a{{codes, 4}, q::binary32{0.25f}};
  const q::block_scaled_row<int4_codes, q::bfloat16> w{{bytes, 2}, scales, 32};
  return q::exact::dot(a, w, {q::binary32{1.0f}}).value.rounded<q::binary32>().bits;
}

TEST_CASE("a dot product is a constant expression") {
  static_assert(constant_dot() == 0x40A4'0000);  // (6 * 2 + -7 * -3) * 0.25 * 0.5 + 1 = 5.125
  CHECK(constant_dot() == 0x40A4'0000);
}

}  // namespace

// The bytes of ggml's blocks, and the quantizers of ggml, XNNPACK, KleidiAI and LiteRT. The oracles compute in double and round
// each operation to float, which is one rounding because a double has more than twice the digits.

#include <dyadic/blocks/dynamic_row.hpp>
#include <dyadic/blocks/ggml.hpp>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/samples.hpp"

namespace blocks_quantize {

namespace q = dyadic;
namespace ggml = q::ggml;
using q::index_t;
using q::status;
using std::int8_t;
using std::uint32_t;
using std::uint8_t;

float number(uint32_t bits) { return q::binary32::from_bits(bits).to_float(); }
const float infinity = std::numeric_limits<float>::infinity();
const float not_a_number = std::numeric_limits<float>::quiet_NaN();

// ---- The oracle.

/// Rounds to float. Numbers that round beyond the largest float become infinite.
float fl(double x) {
  return std::fabs(x) >= 0x1.ffffffp127 ? std::copysign(infinity, static_cast<float>(x < 0 ? -1 : 1)) : static_cast<float>(x);
}
double to_even(double x) {
  const double floor = std::floor(x), rest = x - floor;
  return rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2) != 0) ? floor + 1 : floor;
}
double away(double x) { return x < 0 ? -std::floor(0.5 - x) : std::floor(x + 0.5); }

double half_value(int bits) {
  const int field = bits >> 10 & 31, fraction = bits & 1023;
  const double size = field == 31  ? (fraction == 0 ? double{infinity} : double{not_a_number})
                      : field == 0 ? std::ldexp(fraction, -24)
                                   : std::ldexp(1024 + fraction, field - 25);
  return bits >> 15 != 0 ? -size : size;
}
int half_bits(float x) {
  const int sign = std::signbit(x) ? 0x8000 : 0;
  const double a = std::fabs(double{x});
  if (a >= 65520) return sign | 0x7C00;
  int exponent = -14;
  if (a >= 0x1p-14) exponent = std::ilogb(a);
  return sign | static_cast<int>((exponent + 14) * 1024 + to_even(std::ldexp(a, 10 - exponent)));
}

/// A quantized block or its error.
struct expected {
  q::status status = status::ok;
  int d = 0, second = 0;  // bits of binary16
  std::vector<int> codes;
};

expected oracle_of_truncated(const std::vector<float>& x, int bits, bool has_minimum) {
  expected e;
  float d = 0, m = 0;
  const int top = (1 << bits) - 1, zero = has_minimum ? 0 : 1 << (bits - 1);
  if (has_minimum) {
    float most = x[0];
    m = x[0];
    for (const float v : x) m = v < m ? v : m, most = v > most ? v : most;
    d = fl(fl(double{most} - m) / double{static_cast<float>(top)});
  } else {
    float most = 0;
    for (const float v : x)
      if (std::fabs(v) > std::fabs(most)) most = v;
    d = fl(double{most} / -zero);
  }
  e.d = half_bits(d);
  e.second = half_bits(m);
  const float reciprocal = d == 0 ? 0 : fl(1 / double{d});
  if ((e.d & 0x7FFF) == 0x7C00 || (e.second & 0x7FFF) == 0x7C00) e.status = status::scale_too_large;
  if (e.status == status::ok && std::isinf(reciprocal)) e.status = status::scale_too_small;
  if (e.status != status::ok) return e;
  for (const float v : x) {
    const float scaled = fl(double{fl(double{v} - m)} * reciprocal);
    e.codes.push_back(std::min(top, static_cast<int>(fl(scaled + (zero + 0.5)))));
  }
  return e;
}

expected oracle_of_rounded(const std::vector<float>& x, bool is_avx2) {
  expected e;
  float a = 0;
  for (const float v : x) a = std::max(a, std::fabs(v));
  const float d = fl(double{a} / 127);
  const float multiplier = a == 0 ? 0 : is_avx2 ? fl(127 / double{a}) : d == 0 ? 0 : fl(1 / double{d});
  e.d = half_bits(d);
  if (e.d == 0x7C00) e.status = status::scale_too_large;
  if (e.status == status::ok && std::isinf(multiplier)) e.status = status::scale_too_small;
  if (e.status != status::ok) return e;
  int sum = 0;
  for (const float v : x) {
    const double scaled = fl(double{v} * multiplier);
    e.codes.push_back(static_cast<int>(is_avx2 ? to_even(scaled) : away(scaled)));
    sum += e.codes.back();
  }
  e.second = half_bits(fl(sum * double{d}));
  return e;
}

/// Returns a block of numbers that often lie on ties or beside ties: multiples of half a unit, fractions of the largest number,
/// few digits, or any. Scales vary widely.
std::vector<float> draw(support::random_bits& random, std::size_t size, int low, int high) {
  std::vector<float> x(size);
  const int exponent = static_cast<int>(random.between(low, high)), kind = random.below(5);
  const auto scaled = [&](std::int64_t digits, int shift) {
    return fl(std::ldexp(static_cast<double>(digits), exponent - shift));
  };
  constexpr int units[] = {8, 15, 16, 31, 127, 255};
  const int unit = units[random.below(6)];
  const float largest = scaled(random.between(1 << 23, (1 << 24) - 1), 24);
  for (float& v : x) {
    switch (kind) {
      case 0: v = scaled(random.between(-16, 16), 4); break;
      case 1: v = scaled(random.between(-254, 254), 8); break;
      case 2: v = scaled(random.between(-(1 << 23), 1 << 23), 23); break;
      case 3: v = scaled(random.integer(23), 23); break;
      default: v = fl(double{largest} * (static_cast<double>(random.between(-unit, unit - 1)) + 0.5) / unit); break;
    }
    if (random.one_in(8)) v = random.one_in(2) ? 0.0f : -0.0f;
  }
  float& one = x[static_cast<std::size_t>(random.below(static_cast<int>(size)))];
  if (kind == 1) one = scaled(127, 8);
  if (kind == 4) one = random.one_in(2) ? largest : -largest;
  return x;
}

template <class Rule>
std::vector<uint8_t> bytes_of(const std::vector<float>& x, status want = status::ok) {
  using block = typename Rule::block;
  std::vector<uint8_t> y(x.size() / std::size_t{block::elements} * std::size_t{block::bytes}, 0xAA);
  const status s = q::quantize_blocks(Rule{}, x, y);
  REQUIRE(s == want);
  if (s != status::ok) REQUIRE(std::all_of(y.begin(), y.end(), [](uint8_t byte) { return byte == 0xAA; }));
  return y;
}
/// Quantizes one block that begins with some numbers, followed by zeros.
template <class Rule>
std::vector<uint8_t> block_of(std::vector<float> x, status want = status::ok) {
  x.resize(std::size_t{Rule::block::elements});
  return bytes_of<Rule>(x, want);
}

template <class Rule>
void compare(const std::vector<float>& x, const expected& e, int& rejected) {
  using block = typename Rule::block;
  const std::vector<uint8_t> y = bytes_of<Rule>(x, e.status);
  if (e.status != status::ok) ++rejected;
  if (e.status != status::ok) return;
  REQUIRE(y[0] + 256 * y[1] == e.d);
  const bool has_second = block::bytes == 20 || block::bytes == 24 || block::bytes == 36;
  if (has_second) REQUIRE(y[2] + 256 * y[3] == e.second);
  for (index_t i = 0; i < 32; ++i)
    REQUIRE(block::code(y.data(), i) == (block::bits == 8 ? e.codes[std::size_t(i)] & 255 : e.codes[std::size_t(i)]));
}

template <class Visit>
void each_rule(const Visit& visit) {
  visit(ggml::reference<ggml::q4_0>{});
  visit(ggml::reference<ggml::q4_1>{});
  visit(ggml::reference<ggml::q5_0>{});
  visit(ggml::reference<ggml::q5_1>{});
  visit(ggml::reference<ggml::q8_0>{});
  visit(ggml::reference<ggml::q8_1>{});
  visit(ggml::avx2<ggml::q8_0>{});
  visit(ggml::avx2<ggml::q8_1>{});
  visit(ggml::reference<ggml::mxfp4>{});
  visit(ggml::reference<ggml::nvfp4>{});
}

// ---- Bytes.

TEST_CASE("ggml's blocks have the published sizes") {
  static_assert(ggml::q4_0::bytes == 18 && ggml::q4_1::bytes == 20 && ggml::q5_0::bytes == 22 && ggml::q5_1::bytes == 24);
  static_assert(ggml::q8_0::bytes == 34 && ggml::q8_1::bytes == 36 && ggml::mxfp4::bytes == 17 && ggml::nvfp4::bytes == 36);
  static_assert(ggml::q4_0::elements == 32 && ggml::mxfp4::elements == 32 && ggml::nvfp4::elements == 64);
}

TEST_CASE("an element of ggml's blocks is read from its byte and its bits") {
  std::array<uint8_t, 36> y{};
  // The nibbles behind d: element 3 is low in byte 3, element 19 high in byte 3.
  y[2 + 3] = 0xE1;
  CHECK(ggml::q4_0::value(y.data(), 3) == 1 - 8);
  CHECK(ggml::q4_0::value(y.data(), 19) == 14 - 8);
  CHECK(ggml::q4_0::value(y.data(), 4) == -8);
  y = {};
  y[4 + 15] = 0xF7;
  CHECK(ggml::q4_1::value(y.data(), 15) == 7);
  CHECK(ggml::q4_1::value(y.data(), 31) == 15);
  // High bit 19 is bit 3 of the third byte behind d.
  y = {};
  y[2 + 2] = 1 << 3;
  y[6 + 3] = 0x50;
  CHECK(ggml::q5_0::value(y.data(), 19) == 16 + 5 - 16);
  CHECK(ggml::q5_0::value(y.data(), 18) == -16);
  y = {};
  y[4 + 0] = 1;
  y[8 + 0] = 0x0F;
  CHECK(ggml::q5_1::value(y.data(), 0) == 31);
  CHECK(ggml::q5_1::value(y.data(), 16) == 0);
  y = {};
  y[2 + 31] = 0x80;
  CHECK(ggml::q8_0::value(y.data(), 31) == -128);
  y[4 + 31] = 0xFF;
  CHECK(ggml::q8_1::value(y.data(), 31) == -1);
  // E2M1 codes: -6 is 15, and its doubled value is -12. The sub-blocks of nvfp4 have 8 bytes each.
  y = {};
  y[1 + 2] = 0x2F;
  CHECK(ggml::mxfp4::value(y.data(), 2) == -12);
  CHECK(ggml::mxfp4::value(y.data(), 18) == 2);
  y = {};
  y[4 + 8 + 1] = 0x3D;
  CHECK(ggml::nvfp4::value(y.data(), 17) == -6);
  CHECK(ggml::nvfp4::value(y.data(), 25) == 3);
  CHECK(ggml::nvfp4::value(y.data(), 1) == 0);
}

TEST_CASE("doubled E2M1 codes are the integers of ggml's table") {
  constexpr int table[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  for (int code = 0; code < 16; ++code) {
    const uint8_t y[17] = {0, static_cast<uint8_t>(code)};
    CHECK(ggml::mxfp4::value(y, 0) == table[code]);
  }
}

TEST_CASE("all scales of ggml's blocks are read exactly") {
  uint8_t y[36] = {};
  for (int bits = 0; bits < 1 << 16; ++bits) {
    y[0] = y[2] = static_cast<uint8_t>(bits & 255);
    y[1] = y[3] = static_cast<uint8_t>(bits >> 8);
    const float d = ggml::q4_0::scale(y, 31).to_float(), want = static_cast<float>(half_value(bits));
    const bool same = std::isnan(want) ? std::isnan(d) : d == want && std::signbit(d) == std::signbit(want);
    if (!same) FAIL(bits << " is read as " << d);
    const uint32_t read = ggml::q5_1::scale(y, 0).bits;
    if (read != ggml::q8_1::sum(y).bits || read != ggml::q4_1::minimum(y).bits || read != ggml::q5_1::minimum(y).bits)
      FAIL(bits << " is read otherwise as the second number");
  }
  for (int code = 0; code < 256; ++code) {
    y[0] = y[3] = static_cast<uint8_t>(code);
    y[1] = y[2] = 0x38;
    CHECK(double{ggml::mxfp4::scale(y, 31).to_float()} == std::ldexp(1.0, code - 128));  // also 0, which is subnormal, and 255
    const int field = code >> 3 & 15, fraction = code & 7;
    const double ue4m3 = field == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, field - 10);
    CHECK(double{ggml::nvfp4::scale(y, 48).to_float()} == (code == 0x7F ? 0 : ue4m3 / 2));
    CHECK(ggml::nvfp4::scale(y, 16).to_float() == 0.5f);
    CHECK(ggml::nvfp4::scale(y, 15).bits == ggml::nvfp4::scale(y, 63).bits);
  }
}

// ---- Orders of nibbles.

namespace {

/// Returns the bytes of codes in an order, given by the number of bytes whose low nibbles come first.
std::vector<uint8_t> in_order(const std::vector<int>& codes, std::size_t bytes) {
  std::vector<uint8_t> y;
  for (std::size_t group = 0; group < codes.size(); group += 2 * bytes)
    for (std::size_t i = group; i < group + bytes; ++i) y.push_back(static_cast<uint8_t>(codes[i] + 16 * codes[i + bytes]));
  return y;
}
template <class From, class To>
void check_reorder(const std::vector<int>& codes) {
  const std::vector<uint8_t> x = in_order(codes, std::size_t{From::bytes});
  std::vector<uint8_t> y(x.size(), 0xAA);
  REQUIRE(q::reorder_nibbles<From, To>(x, y) == status::ok);
  CHECK(y == in_order(codes, std::size_t{To::bytes}));
}

}  // namespace

TEST_CASE("codes of 4 bits are copied between all orders") {
  using namespace q::nibble_order;
  support::random_bits random;
  std::vector<int> codes(96);
  for (int& code : codes) code = random.below(16);
  check_reorder<pairs, pairs>(codes);
  check_reorder<pairs, halves_of_16>(codes);
  check_reorder<pairs, halves_of_32>(codes);
  check_reorder<halves_of_16, pairs>(codes);
  check_reorder<halves_of_16, halves_of_32>(codes);
  check_reorder<halves_of_32, pairs>(codes);
  check_reorder<halves_of_32, halves_of_16>(codes);
}

TEST_CASE("a copy of codes needs whole groups, equal sizes and two places") {
  using namespace q::nibble_order;
  std::array<uint8_t, 24> x{}, y{};
  y.fill(0xAA);
  const q::view<const uint8_t> all(x);
  CHECK(q::reorder_nibbles<pairs, halves_of_16>(all, y) == status::ok);
  y.fill(0xAA);
  CHECK(q::reorder_nibbles<pairs, halves_of_32>(all, y) == status::shape_mismatch);
  CHECK(q::reorder_nibbles<halves_of_32, pairs>(all, y) == status::shape_mismatch);
  CHECK(q::reorder_nibbles<pairs, pairs>(q::view<const uint8_t>(x.data(), 23), y) == status::shape_mismatch);
  CHECK(q::reorder_nibbles<pairs, pairs>(q::view<const uint8_t>(nullptr, 24), y) == status::null_data);
  CHECK(q::reorder_nibbles<pairs, pairs>(all, q::view<uint8_t>(y.data(), -1)) == status::negative_size);
  CHECK(y[0] == 0xAA);
  CHECK(q::reorder_nibbles<pairs, halves_of_16>(all, x) == status::overlap);
  CHECK(q::reorder_nibbles<pairs, pairs>(q::view<const uint8_t>(), q::view<uint8_t>()) == status::ok);
}

TEST_CASE("offset 8 and two's complement are the same integers") {
  for (int byte = 0; byte < 256; ++byte) {
    const int signed_byte = q::offset8_to_twos_complement(static_cast<uint8_t>(byte));
    const auto read = [](int nibble) { return nibble < 8 ? nibble : nibble - 16; };
    CHECK(read(signed_byte & 15) == (byte & 15) - 8);
    CHECK(read(signed_byte >> 4) == (byte >> 4) - 8);
    CHECK(q::twos_complement_to_offset8(static_cast<uint8_t>(signed_byte)) == byte);
  }
}

// ---- The logarithm.

TEST_CASE("the logarithm rounded to binary32 is an integer too early for 7360 normal numbers") {
  int early = 0;
  for (int n = -125; n <= 128; ++n)
    for (uint32_t j = 1; j <= 100; ++j) {
      const uint32_t bits = (static_cast<uint32_t>(n + 127) << 23) - j;
      const float x = number(bits);
      const auto want = static_cast<int>(std::floor(static_cast<float>(std::log2(double{x}))));
      const int found = q::floor_of_rounded_log2(q::binary32::from_bits(bits));
      if (found != want) FAIL("x is 2^" << n << " less " << j << " units");
      early += found == n && n > -125 ? 1 : 0;
    }
  CHECK(early == 7360);
  for (int n = -149; n < 128; ++n)  // powers of two, and the numbers above them
    for (const double x : {std::ldexp(1.0, n), std::ldexp(1.5, n)})
      if (fl(x) == x) CHECK(q::floor_of_rounded_log2(fl(x)) == n);
  // Subnormal numbers just below a power of two: 2^-127 - 2^-149 is 2^-127 * (1 - 4 * 2^-24), but half of 2^-130 + 2^-130 is not
  // near.
  CHECK(q::floor_of_rounded_log2(number(0x003F'FFFF)) == -127);
  CHECK(q::floor_of_rounded_log2(number(0x0000'7FFF)) == -135);
}

// ---- ggml.

TEST_CASE("q4_0 and q5_0 round ties up in units of d") {
  // The first number of largest magnitude is negative, so that d is 1.
  std::vector<float> x{-8};
  for (int i = -15; i < 16; ++i) x.push_back(static_cast<float>(i) / 2);
  const std::vector<uint8_t> y = bytes_of<ggml::reference<ggml::q4_0>>(x);
  CHECK(ggml::q4_0::scale(y.data(), 0).to_float() == 1);
  for (std::size_t i = 0; i < 32; ++i)
    CHECK(ggml::q4_0::value(y.data(), index_t(i)) == std::min(7, static_cast<int>(std::floor(x[i] + 0.5f))));
  for (float& v : x) v *= 2;
  x[31] = 15.5f;
  x[1] = -15.5f;
  const std::vector<uint8_t> z = bytes_of<ggml::reference<ggml::q5_0>>(x);
  CHECK(ggml::q5_0::value(z.data(), 0) == -16);
  CHECK(ggml::q5_0::value(z.data(), 1) == -15);
  CHECK(ggml::q5_0::value(z.data(), 31) == 15);  // 16 has no code
}

TEST_CASE("the sign of q4_0's d depends on which of +a and -a comes first") {
  for (const float a : {8.0f, -8.0f}) {
    const std::vector<uint8_t> y = block_of<ggml::reference<ggml::q4_0>>({0, a, 1, -a, a});
    const float d = ggml::q4_0::scale(y.data(), 0).to_float();
    const auto read = [&](index_t i) { return d * static_cast<float>(ggml::q4_0::value(y.data(), i)); };
    CHECK(d == a / -8);
    CHECK(read(1) == a);           // code 0
    CHECK(read(3) == -a / 8 * 7);  // 8 units have no code of this sign
    CHECK(read(4) == a);
    CHECK(read(2) == 1);
  }
}

TEST_CASE("q4_1 and q5_1 begin at the least element and round ties up") {
  std::vector<float> x{0.5f, 15.5f};
  for (int i = 0; i < 30; ++i) x.push_back(static_cast<float>(i + 1) / 2);
  const std::vector<uint8_t> y = bytes_of<ggml::reference<ggml::q4_1>>(x);
  CHECK(ggml::q4_1::scale(y.data(), 0).to_float() == 1);
  CHECK(ggml::q4_1::minimum(y.data()).to_float() == 0.5f);
  for (std::size_t i = 0; i < 32; ++i) CHECK(ggml::q4_1::value(y.data(), index_t(i)) == static_cast<int>(x[i]));
  // A minimum above 0, and a minimum of -0 that comes first.
  const std::vector<uint8_t> z = bytes_of<ggml::reference<ggml::q5_1>>(std::vector<float>(32, 3.0f));
  CHECK(ggml::q5_1::minimum(z.data()).to_float() == 3);
  CHECK(ggml::q5_1::scale(z.data(), 0).bits == 0);
  CHECK(block_of<ggml::reference<ggml::q4_1>>({-0.0f, 0.0f, 1.0f})[3] == 0x80);
  CHECK(block_of<ggml::reference<ggml::q4_1>>({0.0f, -0.0f, 1.0f})[3] == 0);
}

TEST_CASE("the rules of q8_0 round a tie away from zero, those of AVX2 to even") {
  const std::vector<float> x{127, 0.5f, 1.5f, 2.5f, -0.5f, -2.5f, 126.5f, -126.5f};
  const std::vector<uint8_t> y = block_of<ggml::reference<ggml::q8_0>>(x), z = block_of<ggml::avx2<ggml::q8_0>>(x);
  constexpr int reference[] = {127, 1, 2, 3, -1, -3, 127, -127}, avx2[] = {127, 0, 2, 2, 0, -2, 126, -126};
  for (index_t i = 0; i < 8; ++i) CHECK(ggml::q8_0::value(y.data(), i) == reference[i]);
  for (index_t i = 0; i < 8; ++i) CHECK(ggml::q8_0::value(z.data(), i) == avx2[i]);
  CHECK(std::is_same_v<q::kleidiai::qsi8d32, ggml::reference<ggml::q8_0>>);
}

TEST_CASE("q8_1 stores the sum of its codes by the scale before its rounding") {
  // d = 1 + 2^-12 rounds to 1 in binary16. The sum of the codes is 31 * 127: 3937 * (1 + 2^-12) is nearer to 3938 than to 3936.
  const float a = 127 * (1 + 0x1p-12f);
  std::vector<float> x(32, a);
  x[31] = 0;
  for (const std::vector<uint8_t>& y : {bytes_of<ggml::reference<ggml::q8_1>>(x), bytes_of<ggml::avx2<ggml::q8_1>>(x)}) {
    CHECK(ggml::q8_1::scale(y.data(), 0).to_float() == 1);
    CHECK(ggml::q8_1::sum(y.data()).to_float() == 3938);
  }
}

TEST_CASE("ggml's quantizers equal the oracle in double") {
  support::random_bits random;
  INFO("seed " << support::seed);
  int rejected = 0;
  const int count = support::samples(1500);
  for (int n = 0; n < count; ++n) {
    const bool extreme = random.one_in(8);
    const std::vector<float> x = draw(random, 32, extreme ? -140 : -20, extreme ? 126 : 18);
    compare<ggml::reference<ggml::q4_0>>(x, oracle_of_truncated(x, 4, false), rejected);
    compare<ggml::reference<ggml::q4_1>>(x, oracle_of_truncated(x, 4, true), rejected);
    compare<ggml::reference<ggml::q5_0>>(x, oracle_of_truncated(x, 5, false), rejected);
    compare<ggml::reference<ggml::q5_1>>(x, oracle_of_truncated(x, 5, true), rejected);
    compare<ggml::reference<ggml::q8_0>>(x, oracle_of_rounded(x, false), rejected);
    compare<ggml::avx2<ggml::q8_0>>(x, oracle_of_rounded(x, true), rejected);
    const expected e = oracle_of_rounded(x, false), f = oracle_of_rounded(x, true);
    if ((e.second & 0x7FFF) != 0x7C00) compare<ggml::reference<ggml::q8_1>>(x, e, rejected);
    if ((f.second & 0x7FFF) != 0x7C00) compare<ggml::avx2<ggml::q8_1>>(x, f, rejected);
  }
  if (DYADIC_TEST_DIVISOR == 1) CHECK((rejected > 0 && rejected < count));
}

TEST_CASE("ggml's quantizers of int8 never make the code -128") {
  support::random_bits random;
  for (int n = 0; n < support::samples(300); ++n) {
    std::vector<float> x = draw(random, 32, -20, 10);
    x[0] = -fl(std::ldexp(1 + static_cast<double>(random() >> 41) * 0x1p-23, 12));
    const std::vector<uint8_t> y = bytes_of<ggml::reference<ggml::q8_0>>(x), z = bytes_of<ggml::avx2<ggml::q8_0>>(x);
    REQUIRE(ggml::q8_0::value(y.data(), 0) == -127);
    REQUIRE(ggml::q8_0::value(z.data(), 0) == -127);
  }
}

TEST_CASE("blocks of zeros have a scale of zero and codes of zero") {
  const auto zeros_but = [](std::vector<uint8_t> y, std::size_t byte, int value) {
    const bool found = y[byte] == value;
    y[byte] = 0;
    return found && std::all_of(y.begin(), y.end(), [](uint8_t b) { return b == 0; });
  };
  for (const float zero : {0.0f, -0.0f}) {
    const std::vector<float> x(32, zero);
    const std::vector<uint8_t> y = bytes_of<ggml::reference<ggml::q4_0>>(x), z = bytes_of<ggml::reference<ggml::q5_0>>(x);
    CHECK(y[1] == 0x80);  // 0 / -8 is -0
    for (index_t i = 0; i < 32; ++i) CHECK(ggml::q4_0::value(y.data(), i) == 0);
    for (index_t i = 0; i < 32; ++i) CHECK(ggml::q5_0::value(z.data(), i) == 0);
    CHECK(zeros_but(bytes_of<ggml::reference<ggml::q4_1>>(x), 3, std::signbit(zero) ? 0x80 : 0));
    CHECK(zeros_but(bytes_of<ggml::reference<ggml::q8_0>>(x), 0, 0));
    CHECK(zeros_but(bytes_of<ggml::avx2<ggml::q8_1>>(x), 0, 0));
    CHECK(zeros_but(bytes_of<ggml::reference<ggml::mxfp4>>(x), 0, 0));
    CHECK(zeros_but(bytes_of<ggml::reference<ggml::nvfp4>>(std::vector<float>(64, zero)), 0, 0));
  }
}

TEST_CASE("a block near zero has codes, but its scale is 0 in binary16 or UE4M3") {
  // 2^-25 is a tie between 0 and the least binary16.
  const std::vector<uint8_t> y = block_of<ggml::reference<ggml::q8_0>>({127 * 0x1p-25f, -0x1p-25f});
  CHECK(ggml::q8_0::value(y.data(), 0) == 127);
  CHECK(ggml::q8_0::value(y.data(), 1) == -1);
  CHECK(ggml::q8_0::scale(y.data(), 0).bits == 0);
  CHECK(ggml::q8_0::scale(block_of<ggml::reference<ggml::q8_0>>({127 * 0x1.01p-25f}).data(), 0).to_float() == 0x1p-24f);
  const std::vector<uint8_t> z = block_of<ggml::reference<ggml::q4_0>>({-0x1p-23f, 0x1p-24f});
  CHECK(ggml::q4_0::value(z.data(), 0) == -8);
  CHECK(ggml::q4_0::scale(z.data(), 0).bits == 0);
  // 2^-10 is half of the least UE4M3. All errors are equal for a scale of 0, so that the code is 0.
  const std::vector<uint8_t> w = block_of<ggml::reference<ggml::nvfp4>>({6 * 0x1.fffffcp-11f, -1e-4f});
  CHECK(w == std::vector<uint8_t>(36));
  CHECK(block_of<ggml::reference<ggml::nvfp4>>({6 * 0x1p-10f})[0] == 1);
}

TEST_CASE("ggml's UE4M3 scale is half up, with 448 for every number from 248 on") {
  struct scale_case {
    float x;
    int ggml, nearest;
  };
  constexpr scale_case cases[] = {
      {240, 0x77, 0x77},
      {247.9f, 0x77, 0x77},
      {248, 0x7E, 0x78},
      {250, 0x7E, 0x78},
      {256, 0x7E, 0x78},
      {300, 0x7E, 0x79},
      {416, 0x7E, 0x7D},
      {448, 0x7E, 0x7E},
      {1e9f, 0x7E, 0x7E},
      {1.0625f, 0x39, 0x38},
      {1.1875f, 0x3A, 0x3A},
      {0x1p-6f, 8, 8},
      {7.5f * 0x1p-9f, 7, 8},
      {7.9f * 0x1p-9f, 7, 8},
      {6.5f * 0x1p-9f, 7, 6},
      {0x1p-10f, 1, 0},
      {0x1.fffffep-11f, 1, 0},
      {0x1.fffffcp-11f, 0, 0},
      {0, 0, 0},
  };
  for (const scale_case& c : cases) {
    INFO(c.x);
    CHECK(ggml::to_ue4m3(c.x) == c.ggml);
    CHECK(q::round_to<q::e4m3>(q::binary32(c.x)).bits == c.nearest);
  }
  CHECK(ggml::to_ue4m3(-1.0f) == 0);
  CHECK(ggml::to_ue4m3(not_a_number) == 0);
  CHECK(ggml::to_ue4m3(infinity) == 0x7E);
}

TEST_CASE("ggml's UE4M3 scale equals the oracle for all numbers of 16 bits and their neighbours") {
  for (uint32_t high = 1; high < 0x7F80; high += 1 + DYADIC_TEST_DIVISOR / 4)
    for (const uint32_t low : {0u, 1u, 0x7FFFu, 0x8000u, 0xFFFFu}) {
      const double x = number(high << 16 | low);
      double code = 0x7E;
      if (x < 0x1p-6) {
        code = std::min(7.0, std::floor(double{fl(512 * x + 0.5)}));
      } else if (x < 248) {
        const int exponent = std::ilogb(x);
        code = (exponent + 6) * 8 + std::floor(std::ldexp(x, 3 - exponent) + 0.5);
      }
      if (ggml::to_ue4m3(fl(x)) != static_cast<int>(code)) FAIL("x is " << x);
    }
}

TEST_CASE("ggml's nvfp4 divides the largest magnitude by 6") {
  // 6.375 / 6 is a tie. The product of the number below 6.375 and a rounded 1 / 6 would round to the tie.
  CHECK(block_of<ggml::reference<ggml::nvfp4>>({6.375f})[0] == 0x39);
  CHECK(block_of<ggml::reference<ggml::nvfp4>>({std::nextafter(-6.375f, 0.0f)})[0] == 0x38);
}

TEST_CASE("ggml's nvfp4 scales a block of 1536 for 2688 and loses the largest element") {
  const std::vector<uint8_t> y = block_of<ggml::reference<ggml::nvfp4>>({1536, 128});
  const float d = ggml::nvfp4::scale(y.data(), 0).to_float();
  CHECK(y[0] == 0x7E);
  CHECK(d * static_cast<float>(ggml::nvfp4::value(y.data(), 0)) == 1344);
  CHECK(d * static_cast<float>(ggml::nvfp4::value(y.data(), 1)) == 224);
  // The nearest scale is 256, by which both are exact.
  const uint8_t right[36] = {0x78, 0, 0, 0, static_cast<uint8_t>(ggml::nearest_e2m1(1536.0f, 128.0f))};
  CHECK(ggml::nvfp4::scale(right, 0).to_float() * static_cast<float>(ggml::nvfp4::value(right, 0)) == 1536);
  CHECK(ggml::nearest_e2m1(128.0f, 128.0f) == 1);
}

TEST_CASE("ggml's nvfp4 makes zeros of numbers so large that all errors are equal") {
  const std::vector<uint8_t> y = bytes_of<ggml::reference<ggml::nvfp4>>(std::vector<float>(64, -1e30f));
  for (std::size_t i = 0; i < 36; ++i) CHECK(y[i] == (i < 4 ? 0x7E : 0));
  CHECK(q::round_to<q::e2m1>(q::binary32(-1e30f)).bits == 0xF);  // the nearest element is -6
}

TEST_CASE("ggml's mxfp4 and nvfp4 elements round ties towards zero, and zero has no sign") {
  struct tie {
    float x;
    int ggml, even;
  };
  constexpr tie ties[] = {{0, 0, 0},     {0.25f, 0, 0}, {0.75f, 1, 2}, {1.25f, 2, 2},
                          {1.75f, 3, 4}, {2.5f, 4, 4},  {3.5f, 5, 6},  {5, 6, 6}};
  for (const tie& t : ties)
    for (const float unit : {1.0f, 0x1p-120f, 0x1p100f, 0.6875f}) {
      const float x = t.x * unit, d = unit / 2;  // ggml halves its scales
      INFO(t.x << " * " << unit);
      CHECK(ggml::nearest_e2m1(x, d) == t.ggml);
      CHECK(ggml::nearest_e2m1(-x, d) == (t.ggml == 0 ? 0 : t.ggml | 8));
      CHECK(q::round_to<q::e2m1>(q::binary32(t.x)).bits == t.even);
      if (x == 0) continue;
      CHECK(ggml::nearest_e2m1(std::nextafter(x, 0.0f), d) == t.ggml);
      CHECK(ggml::nearest_e2m1(std::nextafter(x, infinity), d) == t.ggml + 1);
    }
  CHECK(ggml::nearest_e2m1(-0.0f, 1.0f) == 0);
  CHECK(ggml::nearest_e2m1(1000.0f, 1.0f) == 7);
  CHECK(ggml::nearest_e2m1(1.0f, 0.0f) == 0);
}

TEST_CASE("ggml's mxfp4 and nvfp4 equal the oracle in double") {
  support::random_bits random;
  constexpr int doubled[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  // Returns the first code with the least error, of all 16.
  const auto nearest = [&](float x, float d) {
    int best = 0;
    float least = infinity;
    for (int code = 0; code < 16; ++code) {
      const float error = std::fabs(fl(double{fl(double{d} * doubled[code])} - x));
      if (error < least) least = error, best = code;
    }
    return best;
  };
  for (int n = 0; n < support::samples(600); ++n) {
    const std::vector<float> x = draw(random, 64, random.one_in(4) ? -110 : -12, random.one_in(4) ? 100 : 14);
    const std::vector<uint8_t> y = bytes_of<ggml::reference<ggml::mxfp4>>(x), z = bytes_of<ggml::reference<ggml::nvfp4>>(x);
    for (std::size_t b = 0; b < 2; ++b) {
      float a = 0;
      for (std::size_t i = 32 * b; i < 32 * b + 32; ++i) a = std::max(a, std::fabs(x[i]));
      const int e = a == 0 ? 0 : static_cast<int>(std::floor(static_cast<float>(std::log2(double{a})))) + 125;
      REQUIRE(y[17 * b] == e);
      for (std::size_t i = 0; i < 32; ++i)
        REQUIRE(ggml::mxfp4::code(&y[17 * b], index_t(i)) == nearest(x[32 * b + i], fl(std::ldexp(1.0, e - 128))));
    }
    for (std::size_t i = 0; i < 64; ++i) {
      float a = 0;
      for (std::size_t k = i / 16 * 16; k < i / 16 * 16 + 16; ++k) a = std::max(a, std::fabs(x[k]));
      REQUIRE(z[i / 16] == ggml::to_ue4m3(fl(double{a} / 6)));
      REQUIRE(ggml::nvfp4::code(z.data(), index_t(i)) == nearest(x[i], ggml::nvfp4::scale(z.data(), index_t(i)).to_float()));
    }
  }
}

TEST_CASE("ggml's mxfp4 scale is twice too large just below a power of two") {
  // log2(1024 - 5 * 2^-14) is 10 in binary32. log2(1024 - 6 * 2^-14) is less than 10.
  const float early = number(0x4480'0000 - 5), late = number(0x4480'0000 - 6);
  const std::vector<uint8_t> y = block_of<ggml::reference<ggml::mxfp4>>({early}),
                             z = block_of<ggml::reference<ggml::mxfp4>>({late});
  CHECK(y[0] == 127 + 10 - 2);
  CHECK(y[1] == 6);  // 4 * 256
  CHECK(z[0] == 127 + 9 - 2);
  CHECK(z[1] == 7);  // 6 * 128
}

TEST_CASE("ggml's mxfp4 covers 2^-125 to the largest number") {
  using rule = ggml::reference<ggml::mxfp4>;
  CHECK(block_of<rule>({0x1p-125f}) == [] {
    std::vector<uint8_t> y(17);
    y[1] = 6;
    return y;
  }());
  CHECK(block_of<rule>({number(0x0100'0000 - 44)})[0] == 0);  // its logarithm rounds to -125
  block_of<rule>({number(0x0100'0000 - 45)}, status::scale_too_small);
  block_of<rule>({number(1)}, status::scale_too_small);
  const std::vector<uint8_t> y = block_of<rule>({number(0x7F80'0000 - 45)}), z = block_of<rule>({number(0x7F80'0000 - 44)});
  CHECK(y[0] == 252);
  CHECK(y[1] == 7);
  CHECK(z[0] == 253);
  CHECK(z[1] == 5);  // 4 * 2^126 overflows, so that 3 * 2^126 is nearer
}

TEST_CASE("quantizers of blocks return a status and write nothing for wrong arguments") {
  each_rule([](auto rule) {
    using block = typename decltype(rule)::block;
    const std::size_t elements{block::elements}, bytes{block::bytes};
    std::vector<float> x(2 * elements, 1.0f);
    std::vector<uint8_t> y(2 * bytes, 0xAA);
    const auto expect = [&](q::view<const float> from, q::view<uint8_t> to, status want) {
      CHECK(q::quantize_blocks(rule, from, to) == want);
      CHECK(std::count(y.begin(), y.end(), 0xAA) == index_t(y.size()));
    };
    expect({x.data(), index_t(elements)}, y, status::shape_mismatch);
    expect({x.data(), index_t(2 * elements - 1)}, y, status::shape_mismatch);
    expect({x.data(), index_t(2 * elements - 1)}, {y.data(), index_t(bytes)}, status::shape_mismatch);
    expect(x, {y.data(), index_t(2 * bytes - 1)}, status::shape_mismatch);
    expect({nullptr, index_t(2 * elements)}, y, status::null_data);
    expect(x, {nullptr, index_t(2 * bytes)}, status::null_data);
    expect({x.data(), -1}, y, status::negative_size);
    expect({}, {}, status::ok);
    for (const float bad : {not_a_number, infinity, -infinity}) {
      x.back() = bad;
      expect(x, y, status::scale_not_finite);
    }
    const bool is_nvfp4 = std::is_same_v<block, ggml::nvfp4>, is_mxfp4 = std::is_same_v<block, ggml::mxfp4>;
    x.back() = 3e38f;
    if (!is_nvfp4 && !is_mxfp4) expect(x, y, status::scale_too_large);
    std::fill(x.begin() + index_t(elements), x.end(), 0.0f);
    x.back() = 1e-38f;
    if (!is_nvfp4) expect(x, y, status::scale_too_small);
    auto* const shared = reinterpret_cast<uint8_t*>(x.data());
    CHECK(q::quantize_blocks(rule, x, q::view<uint8_t>(shared, index_t(2 * bytes))) == status::overlap);
    x.back() = 1;
    CHECK(q::quantize_blocks(rule, x, y) == status::ok);
  });
}

TEST_CASE("each number of a block that overflows binary16 has a status") {
  block_of<ggml::reference<ggml::q4_0>>({-8 * 65519.0f});
  block_of<ggml::reference<ggml::q4_0>>({-8 * 65520.0f}, status::scale_too_large);
  bytes_of<ggml::reference<ggml::q4_1>>(std::vector<float>(32, 65519.0f));
  bytes_of<ggml::reference<ggml::q4_1>>(std::vector<float>(32, -65520.0f), status::scale_too_large);  // m
  block_of<ggml::reference<ggml::q8_0>>({127 * 65519.0f});
  block_of<ggml::reference<ggml::q8_0>>({127 * 65520.0f}, status::scale_too_large);
  bytes_of<ggml::reference<ggml::q8_1>>(std::vector<float>(32, 127 * 16.0f));  // s = 127 * 32 * 16 = 65024
  bytes_of<ggml::reference<ggml::q8_1>>(std::vector<float>(32, 127 * 16.5f), status::scale_too_large);
  bytes_of<ggml::avx2<ggml::q8_1>>(std::vector<float>(32, -127 * 16.5f), status::scale_too_large);
}

// ---- Rows.

namespace {

struct row_oracle {
  q::status status = status::ok;
  float scale = 1, multiplier = 1;
  int zero_point = 0;
};

row_oracle oracle_in_binary32(float least, float greatest) {
  row_oracle r;
  const float low = std::min(least, 0.0f), high = std::max(greatest, 0.0f), width = fl(double{high} - low);
  const float m = low == high ? 1.0f : fl(255 / double{width});
  if (std::isinf(width)) r.status = status::scale_too_large;
  if (std::isinf(m)) r.status = status::scale_too_small;
  if (r.status != status::ok) return r;
  const float a = fl(double{low} * m), c = fl(double{high} * m);
  const float from_low = fl(-128.0 + a), from_high = fl(127.0 + c);
  const float z = fl(double{from_low} + from_high) > 0 ? fl(-128.0 - a) : fl(127.0 - c);
  r.multiplier = m;
  r.scale = fl(1 / double{m});
  r.zero_point = static_cast<int>(to_even(std::max(-128.0, std::min(127.0, double{z}))));
  return r;
}
row_oracle oracle_in_binary64(float least, float greatest) {
  row_oracle r;
  const double low = std::fmin(0, double{least}), high = std::fmax(0, double{greatest});
  if (low == high) return r;
  const double s = (high - low) / 255;
  r.scale = fl(s);
  r.multiplier = r.scale == 0 ? infinity : fl(1 / double{r.scale});
  if (std::isinf(r.multiplier)) r.status = status::scale_too_small;
  const double error_low = 128 + std::fabs(low / s), error_high = 127 + std::fabs(high / s);
  const double z = error_low < error_high ? -128 - low / s : 127 - high / s;
  r.zero_point = static_cast<int>(away(std::max(-128.0, std::min(127.0, z))));
  return r;
}
int clamped(double x) { return static_cast<int>(std::max(-128.0, std::min(127.0, x))); }

template <class Rule>
struct quantized {
  q::dynamic_row row;
  std::vector<int8_t> codes;
  explicit quantized(const std::vector<float>& x) : row{}, codes(x.size()) {
    const auto made = q::quantize_row(Rule{}, x, codes);
    REQUIRE(made.status == status::ok);
    row = made.value;
  }
};

template <class Rule>
status derived(float least, float greatest) {
  return Rule::derive(least, greatest).status;
}

}  // namespace

TEST_CASE("three publishers round the ties of a row in three ways") {
  // The unit is 1, and the zero point -1. LiteRT adds the zero point first.
  const std::vector<float> x{-127, 128, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f};
  const quantized<q::xnnpack::qd8> a(x);
  const quantized<q::kleidiai::qai8dx> b(x);
  const quantized<q::litert::asymmetric> c(x);
  CHECK((a.row.zero_point == -1 && b.row.zero_point == -1 && c.row.zero_point == -1));
  CHECK((a.row.scale.to_float() == 1 && b.row.scale.to_float() == 1 && c.row.scale.to_float() == 1));
  CHECK(a.codes == std::vector<int8_t>{-128, 127, -1, -1, 1, -3, 1});
  CHECK(b.codes == std::vector<int8_t>{-128, 127, 0, -2, 1, -3, 2});
  CHECK(c.codes == std::vector<int8_t>{-128, 127, -1, -2, 1, -3, 2});
}

TEST_CASE("the zero point of a row rounds to even or away from zero") {
  const std::vector<float> x{-1.5f, 253.5f};
  CHECK(quantized<q::xnnpack::qd8>(x).row.zero_point == -126);
  CHECK(quantized<q::kleidiai::qai8dx>(x).row.zero_point == -126);
  CHECK(quantized<q::litert::asymmetric>(x).row.zero_point == -127);
}

TEST_CASE("a row of zeros has the zero point 127, but 0 in LiteRT") {
  for (const std::vector<float>& x : {std::vector<float>{}, {0, -0.0f}}) {
    const quantized<q::xnnpack::qd8> a(x);
    const quantized<q::litert::asymmetric> b(x);
    CHECK((a.row.zero_point == 127 && a.row.scale.to_float() == 1 && a.row.reciprocal.to_float() == 1));
    CHECK((b.row.zero_point == 0 && b.row.scale.to_float() == 1));
    CHECK(a.codes == std::vector<int8_t>(x.size(), 127));
    CHECK(b.codes == std::vector<int8_t>(x.size(), 0));
  }
}

TEST_CASE("the range of a row holds 0") {
  const quantized<q::xnnpack::qd8> positive({100, 200, 255}), negative({-100, -200, -255});
  CHECK((positive.row.zero_point == -128 && positive.codes == std::vector<int8_t>{-28, 72, 127}));
  CHECK((negative.row.zero_point == 127 && negative.codes == std::vector<int8_t>{27, -73, -128}));
  CHECK(q::xnnpack::qd8::derive(100.0f, 255.0f).value.reciprocal.to_float() == 1);
  CHECK(q::litert::asymmetric::derive(-255.0f, -100.0f).value.zero_point == 127);
}

TEST_CASE("rows equal the oracle in double") {
  support::random_bits random;
  INFO("seed " << support::seed);
  int differing = 0, rejected = 0;
  for (int n = 0; n < support::samples(3000); ++n) {
    const bool extreme = random.one_in(8);
    const auto size = static_cast<std::size_t>(1 + random.below(33));
    const std::vector<float> x = draw(random, size, extreme ? -140 : -20, extreme ? 126 : 20);
    const float least = *std::min_element(x.begin(), x.end()), greatest = *std::max_element(x.begin(), x.end());
    const row_oracle a = oracle_in_binary32(least, greatest), b = oracle_in_binary64(least, greatest);
    std::vector<int8_t> codes(size), others(size), litert(size);
    const auto even = q::quantize_row(q::xnnpack::qd8{}, x, codes), up = q::quantize_row(q::kleidiai::qai8dx{}, x, others);
    REQUIRE((even.status == a.status && up.status == a.status));
    rejected += a.status == status::ok ? 0 : 1;
    if (a.status == status::ok) {
      REQUIRE((even.value.scale.to_float() == a.scale && even.value.zero_point == a.zero_point &&
               up.value.zero_point == a.zero_point));
      for (std::size_t i = 0; i < size; ++i) {
        const double scaled = fl(double{x[i]} * a.multiplier);
        REQUIRE(codes[i] == clamped(to_even(scaled) + a.zero_point));
        REQUIRE(others[i] == clamped(away(scaled) + a.zero_point));
        differing += codes[i] != others[i] ? 1 : 0;
      }
    }
#if FLT_EVAL_METHOD == 0  // otherwise the machine rounds twice to double
    const auto wide = q::quantize_row(q::litert::asymmetric{}, x, litert);
    REQUIRE(wide.status == b.status);
    if (b.status != status::ok) continue;
    REQUIRE((wide.value.scale.to_float() == b.scale && wide.value.zero_point == b.zero_point));
    for (std::size_t i = 0; i < size; ++i)
      REQUIRE(litert[i] == clamped(away(fl(b.zero_point + double{fl(double{x[i]} * b.multiplier)}))));
#endif
  }
  if (DYADIC_TEST_DIVISOR == 1) CHECK((differing > 0 && rejected > 0));
}

TEST_CASE("ranges without a finite scale have a status") {
  using q::kleidiai::qai8dx;
  using q::litert::asymmetric;
  using q::xnnpack::qd8;
  for (const float bad : {not_a_number, infinity, -infinity}) {
    CHECK((derived<qd8>(bad, 1) == status::scale_not_finite && derived<qd8>(-1, bad) == status::scale_not_finite));
    CHECK((derived<asymmetric>(bad, 1) == status::scale_not_finite && derived<asymmetric>(-1, bad) == status::scale_not_finite));
  }
  CHECK((derived<qd8>(2, 1) == status::empty_range && derived<asymmetric>(-1, -2) == status::empty_range));
  CHECK((derived<qd8>(-3e38f, 3e38f) == status::scale_too_large && derived<asymmetric>(-3e38f, 3e38f) == status::ok));
  CHECK((derived<qd8>(0, 3e38f) == status::ok && derived<qai8dx>(-2e38f, 2e38f) == status::scale_too_large));
  CHECK((derived<qd8>(0, 0x1p-120f) == status::ok && derived<qd8>(0, 0x1p-121f) == status::scale_too_small));
  CHECK((derived<asymmetric>(0, 0x1p-120f) == status::ok && derived<asymmetric>(0, 0x1p-121f) == status::scale_too_small));
  CHECK((derived<asymmetric>(0, number(1)) == status::scale_too_small && derived<qd8>(-number(1), 0) == status::scale_too_small));
}

TEST_CASE("quantizers of rows return a status and write nothing for wrong arguments") {
  std::array<float, 4> x{1, 2, 3, 4};
  std::array<int8_t, 4> y{55, 55, 55, 55};
  const auto expect = [&](q::view<const float> from, q::view<int8_t> to, status want) {
    CHECK(q::quantize_row(q::xnnpack::qd8{}, from, to).status == want);
    CHECK(q::quantize_row(q::litert::asymmetric{}, from, to).status == want);
    CHECK(std::count(y.begin(), y.end(), 55) == 4);
  };
  expect({x.data(), 3}, y, status::shape_mismatch);
  expect(x, {y.data(), 3}, status::shape_mismatch);
  expect({nullptr, 4}, y, status::null_data);
  expect(x, {nullptr, 4}, status::null_data);
  expect({x.data(), -4}, y, status::negative_size);
  expect(x, {reinterpret_cast<int8_t*>(x.data()), 4}, status::overlap);
  x[3] = not_a_number;
  expect(x, y, status::scale_not_finite);
  x = {0, 0, 0, 0x1p-130f};
  expect(x, y, status::scale_too_small);
}

TEST_CASE("XNNPACK takes block scales that are positive and normal") {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const float scale = number(static_cast<uint32_t>(bits) << 16);
    const status want = std::isnan(scale) || std::isinf(scale) ? status::scale_not_finite
                        : scale == 0                           ? status::scale_zero
                        : scale < 0                            ? status::scale_negative
                        : bits < 0x80                          ? status::scale_too_small
                                                               : status::ok;
    if (q::xnnpack::check_block_scale(q::bfloat16::from_bits(bits)) != want) FAIL(bits);
  }
}

// ---- While a constant is evaluated.

namespace {

template <class Rule>
constexpr int first_code(float a, float b) {
  float x[64] = {a, b};
  uint8_t y[36] = {};
  using block = typename Rule::block;
  const status s = q::quantize_blocks(Rule{}, q::view<const float>(x, block::elements), q::view<uint8_t>(y, block::bytes));
  return s == status::ok ? block::code(y, 1) : -1;
}
constexpr int second_of_row() {
  const float x[] = {-128, 2.5f, 127};
  int8_t y[3] = {};
  return q::quantize_row(q::xnnpack::qd8{}, x, y).status == status::ok ? y[1] : 999;
}

}  // namespace

TEST_CASE("quantizers run while a constant is evaluated") {
  static_assert(first_code<ggml::reference<ggml::q4_0>>(-8, 2.5f) == 11);
  static_assert(first_code<ggml::reference<ggml::q5_1>>(-31, -28.5f) == 3);
  static_assert(first_code<ggml::avx2<ggml::q8_0>>(127, 2.5f) == 2);
  static_assert(first_code<ggml::reference<ggml::mxfp4>>(4, 1.75f) == 3);
  static_assert(first_code<ggml::reference<ggml::nvfp4>>(6, 3.5f) == 5);
  static_assert(second_of_row() == 2);
  CHECK(second_of_row() == 2);
}

}  // namespace blocks_quantize

#include <dyadic/int48.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "../support/cases.hpp"
#include "../support/catch.hpp"

namespace q = dyadic;
using namespace support;

namespace {

constexpr std::int64_t low = -0x8000'0000'0000, high = 0x7FFF'FFFF'FFFF;  // -2^47, 2^47 - 1
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
static_assert(q::int48::min() == low && q::int48::max() == high);

// ---- one value ------------------------------------------------------------------------------------------------------

struct value_case {
  std::int64_t x;
  bool fits;
  std::int64_t saturated, wrapped;
  std::uint8_t bytes[6];  // bytes of the wrapped value
};
constexpr value_case value_cases[] = {
    {0, true, 0, 0, {0, 0, 0, 0, 0, 0}},
    {1, true, 1, 1, {1, 0, 0, 0, 0, 0}},
    {-1, true, -1, -1, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {-2, true, -2, -2, {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {0x0102'0304'0506, true, 0x0102'0304'0506, 0x0102'0304'0506, {0x06, 0x05, 0x04, 0x03, 0x02, 0x01}},
    {-0x0102'0304'0506, true, -0x0102'0304'0506, -0x0102'0304'0506, {0xFA, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE}},
    {0xFF, true, 0xFF, 0xFF, {0xFF, 0, 0, 0, 0, 0}},
    {-0x100, true, -0x100, -0x100, {0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {0x7FFF'FFFF, true, 0x7FFF'FFFF, 0x7FFF'FFFF, {0xFF, 0xFF, 0xFF, 0x7F, 0, 0}},
    {0x8000'0000, true, 0x8000'0000, 0x8000'0000, {0, 0, 0, 0x80, 0, 0}},
    {-0x8000'0001LL, true, -0x8000'0001LL, -0x8000'0001LL, {0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF}},
    {high - 1, true, high - 1, high - 1, {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {high, true, high, high, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {high + 1, false, high, low, {0, 0, 0, 0, 0, 0x80}},
    {high + 2, false, high, low + 1, {1, 0, 0, 0, 0, 0x80}},
    {low, true, low, low, {0, 0, 0, 0, 0, 0x80}},
    {low - 1, false, low, high, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}},
    {low + 1, true, low + 1, low + 1, {1, 0, 0, 0, 0, 0x80}},
    {1LL << 48, false, high, 0, {0, 0, 0, 0, 0, 0}},
    {(1LL << 48) - 1, false, high, -1, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {-(1LL << 48), false, low, 0, {0, 0, 0, 0, 0, 0}},
    {-(1LL << 48) - 1, false, low, -1, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {most, false, high, -1, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
    {least, false, low, 0, {0, 0, 0, 0, 0, 0}},
    {0x1234'8765'4321'0FED, false, high, -0x789A'BCDE'F013, {0xED, 0x0F, 0x21, 0x43, 0x65, 0x87}},
};
constexpr auto value_holds = [](const value_case& c) {
  const q::result<q::int48> exact = q::int48::exact(c.x);
  const q::packed_int48 packed = q::packed_int48::of(q::int48::wrapped(c.x));
  for (int i = 0; i < 6; ++i)
    if (packed.bytes[i] != c.bytes[i]) return false;
  return q::int48::fits(c.x) == c.fits && exact.status == (c.fits ? q::status::ok : q::status::value_out_of_range) &&
         exact.value == (c.fits ? c.x : 0) && q::int48::saturated(c.x) == c.saturated && q::int48::wrapped(c.x) == c.wrapped &&
         packed.unpack().value() == c.wrapped;
};
static_assert(first_wrong(value_cases, value_holds) == -1);

// Integers of at most 32 bits convert to int48. Wider integers and floats do not. int48 always converts to int64.
static_assert(q::int48().value() == 0 && q::int48(-5) == -5 && q::int48(0xFFFF'FFFFu).value() == 0xFFFF'FFFF);
static_assert(q::int48(std::numeric_limits<std::int32_t>::min()).value() == -0x8000'0000LL);
static_assert(std::is_convertible_v<std::int32_t, q::int48> && std::is_convertible_v<std::uint32_t, q::int48>);
static_assert(!std::is_constructible_v<q::int48, std::int64_t> && !std::is_constructible_v<q::int48, std::uint64_t>);
static_assert(!std::is_constructible_v<q::int48, double> && std::is_convertible_v<q::int48, std::int64_t>);
static_assert(std::is_trivially_copyable_v<q::int48> && std::is_trivially_copyable_v<q::packed_int48>);

constexpr bool order_holds() {
  const q::int48 a = q::int48::saturated(least), b = -1, c = 0, d = q::int48::saturated(most);
  const bool ordered = a < b && b < c && c < d && d > a && a <= a && d >= d && a != d && b == q::int48(-1);
  return ordered && a < -1 && 0 < d && a + a == 2 * low && d + d == 2 * high && d - a == high - low && -a == high + 1;
}
static_assert(order_holds());

// ---- arrays ---------------------------------------------------------------------------------------------------------

constexpr q::index_t longest = 9;
constexpr std::int64_t values[longest] = {0x0102'0304'0506, -2, high, low, 0, 1, -1, 0x7FFF'FFFF, -0x8000'0001LL};
constexpr std::uint8_t value_bytes[6 * longest] = {
    0x06, 0x05, 0x04, 0x03, 0x02, 0x01,  //
    0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,  //
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F,  //
    0,    0,    0,    0,    0,    0x80,  //
    0,    0,    0,    0,    0,    0,     //
    1,    0,    0,    0,    0,    0,     //
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,  //
    0xFF, 0xFF, 0xFF, 0x7F, 0,    0,     //
    0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF,
};
constexpr std::uint8_t sentinel = 0xA5;
constexpr std::int64_t wide_sentinel = 0x5A5A'5A5A'5A5A'5A5A;

using packer = q::status (*)(q::view<const std::int64_t>, q::view<q::packed_int48>) noexcept;
constexpr packer packers[] = {
    [](q::view<const std::int64_t> from, q::view<q::packed_int48> to) noexcept { return q::to_int48(from, to); },
    [](q::view<const std::int64_t> from, q::view<q::packed_int48> to) noexcept { return q::to_int48_saturated(from, to); },
    [](q::view<const std::int64_t> from, q::view<q::packed_int48> to) noexcept { return q::to_int48_wrapped(from, to); },
};

/// Packs and unpacks the first n values. A sentinel behind each array must keep all of its bytes.
constexpr bool packs(packer packs_with, q::index_t n) {
  q::packed_int48 packed[longest + 1] = {};
  std::int64_t unpacked[longest + 1] = {};
  for (q::packed_int48& p : packed)
    for (std::uint8_t& byte : p.bytes) byte = sentinel;
  for (std::int64_t& x : unpacked) x = wide_sentinel;
  if (packs_with({values, n}, {packed, n}) != q::status::ok || q::from_int48({packed, n}, {unpacked, n}) != q::status::ok)
    return false;
  for (q::index_t i = 0; i <= longest; ++i) {
    for (q::index_t b = 0; b < 6; ++b)
      if (packed[i].bytes[b] != (i < n ? value_bytes[6 * i + b] : sentinel)) return false;
    if (unpacked[i] != (i < n ? values[i] : wide_sentinel)) return false;
  }
  return true;
}
constexpr bool all_pack() {
  for (q::index_t n = 0; n <= longest; ++n)
    for (const packer p : packers)
      if (!packs(p, n)) return false;
  return true;
}
static_assert(all_pack());

constexpr q::index_t padded_sizes[] = {0, 8, 16, 24, 24, 32, 40, 48, 48, 56};
static_assert(q::padded_size(std::numeric_limits<q::index_t>::max() / 8) > 0);

constexpr bool packs_padded(q::index_t n) {
  std::uint8_t bytes[64] = {};
  std::int64_t unpacked[longest + 1] = {};
  for (std::uint8_t& byte : bytes) byte = sentinel;
  for (std::int64_t& x : unpacked) x = wide_sentinel;
  const q::index_t size = padded_sizes[n];
  if (q::padded_size(n) != size || q::to_padded_int48({values, n}, {bytes, size}) != q::status::ok) return false;
  for (q::index_t i = 0; i < 64; ++i)
    if (bytes[i] != (i < 6 * n ? value_bytes[i] : i < size ? 0 : sentinel)) return false;
  for (q::index_t i = 6 * n; i < size; ++i) bytes[i] = sentinel;  // padding, whose value does not matter
  if (q::from_padded_int48({bytes, size}, {unpacked, n}) != q::status::ok) return false;
  for (q::index_t i = 0; i <= longest; ++i)
    if (unpacked[i] != (i < n ? values[i] : wide_sentinel)) return false;
  return true;
}
constexpr bool all_pack_padded() {
  for (q::index_t n = 0; n <= longest; ++n)
    if (!packs_padded(n)) return false;
  return true;
}
static_assert(all_pack_padded());

/// Checks that padding bytes are not read. The storage has no padding bytes here, so that the constant evaluator would refuse to
/// read them.
constexpr bool padding_is_not_read() {
  struct {
    std::uint8_t bytes[6];
  } storage{{0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};
  std::int64_t x[1] = {};
  return q::from_padded_int48({storage.bytes, 8}, x) == q::status::ok && x[0] == -2;
}
static_assert(padding_is_not_read());

/// Checks values that do not fit int48. `exact` refuses them, and the other functions do what their names say.
constexpr bool wide_values_hold() {
  const std::int64_t wide[] = {1, high + 1, low - 1};
  q::packed_int48 packed[3] = {};
  std::int64_t back[3] = {};
  if (q::to_int48(wide, packed) != q::status::value_out_of_range || packed[0].bytes[0] != 0) return false;
  if (q::to_int48_saturated(wide, packed) != q::status::ok || q::from_int48(packed, back) != q::status::ok) return false;
  if (back[0] != 1 || back[1] != high || back[2] != low) return false;
  if (q::to_int48_wrapped(wide, packed) != q::status::ok || q::from_int48(packed, back) != q::status::ok) return false;
  return back[0] == 1 && back[1] == low && back[2] == high;
}
static_assert(wide_values_hold());

// ---- bad input ------------------------------------------------------------------------------------------------------

struct bad_case {
  bool null_from;
  q::index_t from_size;
  bool null_to;
  q::index_t to_size;
  q::status expected;
};
constexpr q::index_t too_many = std::numeric_limits<q::index_t>::max() / 6 + 1;
constexpr bad_case bad_cases[] = {
    {true, 3, false, 3, q::status::null_data},
    {false, 3, true, 3, q::status::null_data},
    {false, -1, false, 3, q::status::negative_size},
    {false, 3, false, -1, q::status::negative_size},
    {false, -1, false, -1, q::status::negative_size},
    {false, too_many, false, 3, q::status::size_overflow},
    {false, 3, false, too_many, q::status::size_overflow},
    {false, 3, false, 2, q::status::shape_mismatch},
    {false, 2, false, 3, q::status::shape_mismatch},
    {true, 0, false, 3, q::status::shape_mismatch},
    {true, 0, true, 0, q::status::ok},
};
constexpr bool untouched(const q::packed_int48 (&packed)[3]) {
  for (const q::packed_int48& p : packed)
    for (const std::uint8_t byte : p.bytes)
      if (byte != sentinel) return false;
  return true;
}
constexpr auto bad_holds = [](const bad_case& c) {
  constexpr std::uint8_t s = sentinel;
  const std::int64_t from[3] = {1, 2, 3};
  q::packed_int48 to[3] = {{{s, s, s, s, s, s}}, {{s, s, s, s, s, s}}, {{s, s, s, s, s, s}}};
  for (const packer p : packers)
    if (p({c.null_from ? nullptr : from, c.from_size}, {c.null_to ? nullptr : to, c.to_size}) != c.expected || !untouched(to))
      return false;
  const q::packed_int48 packed[3] = {};
  std::int64_t unpacked[3] = {7, 8, 9};
  if (q::from_int48({c.null_from ? nullptr : packed, c.from_size}, {c.null_to ? nullptr : unpacked, c.to_size}) != c.expected)
    return false;
  return unpacked[0] == 7 && unpacked[1] == 8 && unpacked[2] == 9;
};
static_assert(first_wrong(bad_cases, bad_holds) == -1);

/// Cases of the padded forms, which convert between bytes and values.
using padder = q::status (*)(const q::view<const std::int64_t>&, q::view<std::uint8_t>);
struct bad_padded_case {
  bool null_values;
  q::index_t values_size;
  bool null_bytes;
  q::index_t bytes_size;
  q::status expected;
};
constexpr bad_padded_case bad_padded_cases[] = {
    {true, 1, false, 8, q::status::null_data},
    {false, 1, true, 8, q::status::null_data},
    {false, -1, false, 8, q::status::negative_size},
    {false, 1, false, -8, q::status::negative_size},
    {false, std::numeric_limits<q::index_t>::max() / 8 + 1, false, 8, q::status::size_overflow},
    {false, std::numeric_limits<q::index_t>::max(), false, 8, q::status::size_overflow},
    {false, 1, false, 6, q::status::shape_mismatch},
    {false, 1, false, 16, q::status::shape_mismatch},
    {false, 1, false, 0, q::status::shape_mismatch},
    {true, 0, false, 8, q::status::shape_mismatch},
    {true, 0, true, 0, q::status::ok},
};
constexpr auto bad_padded_holds = [](const bad_padded_case& c) {
  std::int64_t x[1] = {5};
  std::uint8_t bytes[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  for (const padder p : {padder{q::to_padded_int48}, padder{q::to_padded_int48_saturated}, padder{q::to_padded_int48_wrapped}})
    if (p({c.null_values ? nullptr : x, c.values_size}, {c.null_bytes ? nullptr : bytes, c.bytes_size}) != c.expected)
      return false;
  for (const std::uint8_t byte : bytes)
    if (byte != 9) return false;
  return q::from_padded_int48({c.null_bytes ? nullptr : bytes, c.bytes_size}, {c.null_values ? nullptr : x, c.values_size}) ==
             c.expected &&
         x[0] == 5;
};
static_assert(first_wrong(bad_padded_cases, bad_padded_holds) == -1);

/// Checks that a single value out of range, at each place, prevents all writes.
constexpr bool one_wide_value_writes_nothing() {
  constexpr std::uint8_t s = sentinel;
  for (int at = 0; at < 3; ++at)
    for (const std::int64_t x : {high + 1, low - 1, most, least}) {
      std::int64_t from[3] = {1, 2, 3};
      from[at] = x;
      q::packed_int48 to[3] = {{{s, s, s, s, s, s}}, {{s, s, s, s, s, s}}, {{s, s, s, s, s, s}}};
      if (q::to_int48(from, to) != q::status::value_out_of_range || !untouched(to)) return false;
      std::uint8_t bytes[24] = {s, s};
      if (q::to_padded_int48(from, bytes) != q::status::value_out_of_range || bytes[0] != s || bytes[1] != s || bytes[2] != 0)
        return false;
    }
  return true;
}
static_assert(one_wide_value_writes_nothing());

}  // namespace

TEST_CASE("an int48 is exact, saturated or wrapped by name, and its bytes are little-endian") {
  CHECK(first_wrong(at_run_time(value_cases), value_holds) == -1);
}

TEST_CASE("int48 compares and computes as int64") { CHECK(order_holds()); }

TEST_CASE("arrays of any size pack and unpack, and no byte after their end is touched") {
  CHECK(all_pack());
  CHECK(all_pack_padded());
  CHECK(padding_is_not_read());
  CHECK(wide_values_hold());
}

TEST_CASE("storage of exactly the right size is enough, on every alignment") {
  for (std::size_t n = 0; n <= longest; ++n)
    for (std::size_t offset = 0; offset < 8; ++offset) {
      // Heap blocks of the exact size let a sanitizer see the first byte outside.
      const std::unique_ptr<std::uint8_t[]> heap(new std::uint8_t[offset + 6 * n]);
      const std::unique_ptr<std::int64_t[]> from(new std::int64_t[n]), to(new std::int64_t[n]);
      for (std::size_t i = 0; i < n; ++i) from[i] = values[i];
      auto* const packed = n == 0 ? nullptr : ::new (static_cast<void*>(heap.get() + offset)) q::packed_int48[n];
      const auto size = static_cast<q::index_t>(n);
      for (const packer p : packers) {
        for (std::size_t i = 0; i < n; ++i) to[i] = wide_sentinel;
        REQUIRE(p({from.get(), size}, {packed, size}) == q::status::ok);
        REQUIRE(q::from_int48({packed, size}, {to.get(), size}) == q::status::ok);
        for (std::size_t i = 0; i < n; ++i) REQUIRE(to[i] == values[i]);
      }
      const auto padded = static_cast<std::size_t>(q::padded_size(size));
      const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[offset + padded]);
      for (std::size_t i = 0; i < n; ++i) to[i] = wide_sentinel;
      REQUIRE(q::to_padded_int48({from.get(), size}, {bytes.get() + offset, q::padded_size(size)}) == q::status::ok);
      REQUIRE(q::from_padded_int48({bytes.get() + offset, q::padded_size(size)}, {to.get(), size}) == q::status::ok);
      for (std::size_t i = 0; i < n; ++i) REQUIRE(to[i] == values[i]);
    }
}

TEST_CASE("an error has its status, and nothing is written") {
  CHECK(first_wrong(at_run_time(bad_cases), bad_holds) == -1);
  CHECK(first_wrong(at_run_time(bad_padded_cases), bad_padded_holds) == -1);
  CHECK(one_wide_value_writes_nothing());
}

TEST_CASE("the padded forms saturate and wrap by name") {
  const std::int64_t from[] = {std::int64_t{1} << 47, -2};
  std::uint8_t to[16];
  std::fill(std::begin(to), std::end(to), std::uint8_t{99});
  CHECK(q::to_padded_int48(from, to) == q::status::value_out_of_range);
  CHECK(to[0] == 99);
  CHECK(q::to_padded_int48_saturated(from, to) == q::status::ok);
  const std::uint8_t saturated[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
  CHECK(std::equal(std::begin(to), std::end(to), saturated));
  CHECK(q::to_padded_int48_wrapped(from, to) == q::status::ok);
  const std::uint8_t wrapped[] = {0, 0, 0, 0, 0, 0x80, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0};
  CHECK(std::equal(std::begin(to), std::end(to), wrapped));
}

TEST_CASE("64-bit integers of any name are packed") {
  const long long from[] = {5, -6};
  long long back[2] = {};
  q::packed_int48 packed[2] = {};
  CHECK(q::to_int48(from, packed) == q::status::ok);
  CHECK(q::from_int48(packed, back) == q::status::ok);
  CHECK((back[0] == 5 && back[1] == -6));
}

#include <dyadic/scheme/tosa_rescale.hpp>

#include <cstdint>
#include <limits>

#include "../support/catch.hpp"
#include "../support/scheme_cases.hpp"

namespace q = dyadic;
using namespace support;

namespace {

using q::tosa::element;
using q::tosa::rescale_attributes;
using q::tosa::rounding_mode;

constexpr rounding_mode once = rounding_mode::single_round, twice = rounding_mode::double_round,
                        inexact = rounding_mode::inexact_round;
constexpr element i8 = element::i8, i16 = element::i16, i32 = element::i32, i48 = element::i48;

struct check_case {
  rescale_attributes a;  // input, output, unsigned input, unsigned output, scale32, rounding, zero points
  bool legal;
};
constexpr check_case check_cases[] = {
    {{i8, i8, false, false, true, once, 0, 0}, true},
    {{i32, i8, false, false, true, twice, 0, -128}, true},
    {{i48, i16, false, false, false, once, 0, 0}, true},
    {{i48, i32, false, false, false, inexact, 0, 0}, true},
    {{i8, i16, true, false, true, once, 255, 0}, true},
    {{i16, i8, true, false, true, once, 32768, -128}, true},
    {{i8, i16, false, true, false, once, -128, 32768}, true},
    // A case for each ERROR_IF.
    {{i48, i16, false, false, true, once, 0, 0}, false},    // scale32 of i48
    {{i32, i16, false, false, false, twice, 0, 0}, false},  // double rounding without scale32
    {{i8, i8, true, true, true, once, 0, 0}, false},        // both unsigned
    {{i8, i32, true, false, true, once, 0, 0}, false},      // unsigned to i32
    {{i32, i8, false, true, true, once, 0, 0}, false},      // i32 to unsigned
    {{i48, i8, false, true, false, once, 0, 0}, false},     // i48 to unsigned
    {{i32, i8, true, false, true, once, 0, 0}, false},      // unsigned i32
    {{i48, i8, true, false, false, once, 0, 0}, false},     // unsigned i48
    {{i8, i32, false, true, true, once, 0, 0}, false},
    {{i8, i48, false, false, false, once, 0, 0}, false},  // no i48 output
    // Zero points: i8 may have any value of its signed or unsigned type, unsigned i16 also 32768, all other types only 0.
    {{i8, i8, false, false, true, once, -128, 127}, true},
    {{i8, i8, false, false, true, once, -129, 0}, false},
    {{i8, i8, false, false, true, once, 0, 128}, false},
    {{i8, i16, true, false, true, once, -1, 0}, false},
    {{i8, i16, true, false, true, once, 256, 0}, false},
    {{i16, i8, false, false, true, once, 1, 0}, false},
    {{i16, i8, true, false, true, once, 32767, 0}, false},
    {{i16, i8, false, false, true, once, 32768, 0}, false},
    {{i8, i16, false, false, true, once, 0, 32768}, false},
    {{i32, i8, false, false, true, once, 1, 0}, false},
    {{i8, i32, false, false, true, once, 0, 1}, false},
    {{i48, i8, false, false, false, once, -1, 0}, false},
    {{i8, i8, false, false, true, once, std::numeric_limits<std::int64_t>::min(), 0}, false},
    // Values that are not enumerators.
    {{static_cast<element>(4), i8, false, false, true, once, 0, 0}, false},
    {{i8, static_cast<element>(255), false, false, true, once, 0, 0}, false},
    {{i8, i8, false, false, true, static_cast<rounding_mode>(3), 0, 0}, false},
};
constexpr auto check_holds = [](const check_case& c) {
  const q::status expected = c.legal ? q::status::ok : q::status::illegal_operator;
  if (q::tosa::check(c.a) != expected) return false;
  return c.legal ||
         (q::tosa::rescale(c.a, 0, {h, 31}).status == expected && q::tosa::rescale_inexact(c.a, 0, {h, 31}).status == expected);
};
static_assert(first_wrong(check_cases, check_holds) == -1);

struct rescale_case {
  rescale_attributes a;
  std::int64_t value;
  q::multiplier32 m;
  std::int64_t y;
  q::status status;
};
constexpr rescale_attributes plain{i32, i8, false, false, true, once, 0, 0}, to32{i32, i32, false, false, true, once, 0, 0};
constexpr rescale_attributes wide{i48, i32, false, false, false, once, 0, 0};
constexpr std::int64_t high = (std::int64_t{1} << 47) - 1;
constexpr rescale_case rescale_cases[] = {
    {plain, 1, {h, 31}, 1, q::status::ok},
    {plain, -1, {h, 31}, 0, q::status::ok},
    {plain, 1, {h, 32}, 0, q::status::ok},
    {{i32, i8, false, false, true, twice, 0, 0}, 1, {h, 32}, 1, q::status::ok},
    {{i32, i8, false, false, true, twice, 0, 0}, -2, {h, 32}, -1, q::status::ok},
    {{i32, i8, false, false, true, twice, 0, 5}, -10, {h, 32}, 2, q::status::ok},  // -2.5 goes to -3
    {{i32, i8, false, false, true, once, 0, -128}, 1000, {h, 31}, 127, q::status::ok},
    {{i32, i8, false, false, true, once, 0, -128}, -1000, {h, 31}, -128, q::status::ok},
    // Unsigned types: a negative result is clipped to zero.
    {{i8, i8, true, false, true, once, 128, -1}, 255, {h, 30}, 126, q::status::ok},
    {{i8, i8, true, false, true, once, 128, -1}, 0, {h, 30}, -128, q::status::ok},
    {{i8, i8, false, true, true, once, 0, 0}, -5, {h, 30}, 0, q::status::ok},
    {{i8, i8, false, true, true, once, -128, 0}, 127, {h, 30}, 255, q::status::ok},
    {{i8, i16, false, true, true, once, 0, 32768}, -1, {h, 30}, 32767, q::status::ok},
    {{i16, i8, true, false, true, once, 32768, 0}, 32769, {h, 30}, 1, q::status::ok},
    // Values outside the signed or unsigned type.
    {{i8, i8, false, false, true, once, 0, 0}, 128, {h, 30}, 0, q::status::unpredictable},
    {{i8, i8, false, false, true, once, 0, 0}, -129, {h, 30}, 0, q::status::unpredictable},
    {{i8, i8, true, false, true, once, 0, 0}, -1, {h, 30}, 0, q::status::unpredictable},
    {{i8, i8, true, false, true, once, 0, 0}, 256, {h, 30}, 0, q::status::unpredictable},
    {plain, max + 1LL, {h, 31}, 0, q::status::unpredictable},
    {wide, high + 1, {0, 31}, 0, q::status::unpredictable},
    {wide, -high - 2, {0, 31}, 0, q::status::unpredictable},
    // A multiplier or a shift that is not allowed, and a value too wide for its shift.
    {plain, 0, {-1, 31}, 0, q::status::unpredictable},
    {plain, 0, {h, 1}, 0, q::status::unpredictable},
    {plain, 0, {h, 63}, 0, q::status::unpredictable},
    {plain, 0, {h, min}, 0, q::status::unpredictable},
    {plain, 1, {h, 2}, 127, q::status::ok},
    {plain, 2, {h, 2}, 0, q::status::unpredictable},
    {plain, -2, {h, 2}, -128, q::status::ok},
    {plain, -3, {h, 2}, 0, q::status::unpredictable},
    {to32, h, {h, 31}, 0, q::status::unpredictable},
    {to32, max, {max, 32}, h - 1, q::status::ok},  // 2^30 - 1 + 2^-32
    {to32, min, {max, 32}, 1 - h, q::status::ok},
    // Fifteen bits: a multiplier of sixteen bits is refused, and the result must fit int32.
    {wide, 3, {16384, 15}, 2, q::status::ok},
    {wide, 3, {32768, 15}, 0, q::status::unpredictable},
    {wide, high, {1, 17}, h, q::status::ok},
    {wide, high, {1, 16}, 0, q::status::unpredictable},
    {{i8, i8, false, false, false, once, 0, 0}, 3, {16384, 15}, 2, q::status::ok},
    // The sum with the output zero point must fit int32, too.
    {{i48, i8, false, false, false, once, 0, -1}, high - 0x8000, {1, 16}, 127, q::status::ok},
    {{i48, i8, false, false, false, once, 0, 1}, high - 0x8000, {1, 16}, 0, q::status::unpredictable},
    // INEXACT_ROUND is another function.
    {{i32, i8, false, false, true, inexact, 0, 0}, 1, {h, 31}, 0, q::status::illegal_operator},
};
constexpr auto rescale_holds = [](const rescale_case& c) {
  const auto r = q::tosa::rescale(c.a, c.value, c.m);
  return r.value == c.y && r.status == c.status;
};
static_assert(first_wrong(rescale_cases, rescale_holds) == -1);

struct inexact_case {
  rescale_attributes a;
  std::int64_t value;
  q::multiplier32 m;
  std::int64_t reference, low, high;
  q::status status;
};
constexpr rescale_attributes loose{i32, i32, false, false, true, inexact, 0, 0},
    loose8{i32, i8, false, false, true, inexact, 0, 3}, loose48{i48, i32, false, false, false, inexact, 0, 0};
constexpr inexact_case inexact_cases[] = {
    {loose, 0, {h, 31}, 0, 0, 0, q::status::ok},
    {loose, 1, {h, 31}, 0, 0, 1, q::status::ok},  // 0.5: both neighbours are allowed
    {loose, 3, {h, 31}, 2, 1, 2, q::status::ok},
    {loose, -1, {h, 31}, 0, -1, 0, q::status::ok},
    {loose, 1, {h, 32}, 0, 0, 0, q::status::ok},  // 0.25: only one value is allowed
    {loose, 2, {h, 30}, 2, 2, 2, q::status::ok},
    {loose, 1 << 24, {h, 30}, 1 << 24, (1 << 24) - 4, (1 << 24) + 4, q::status::ok},  // b = 4.5
    {loose8, 1, {h, 31}, 3, 3, 4, q::status::ok},
    {loose8, 1000, {h, 30}, 127, 127, 127, q::status::ok},
    {loose8, -1000, {h, 30}, -128, -128, -128, q::status::ok},
    {loose, max, {max, 31}, min, max - 513, max, q::status::ok},  // the model's conversion to int32 wraps to the minimum
    {loose8, max + 1LL, {h, 31}, 0, 0, 0, q::status::unpredictable},
    {loose48, 3, {16384, 15}, 2, 1, 2, q::status::ok},
    {wide, 3, {16384, 15}, 0, 0, 0, q::status::illegal_operator},  // not INEXACT_ROUND
    // INEXACT_ROUND requires nothing of the multiplier.
    {loose, 1, {1, max}, 0, 0, 0, q::status::ok},
    {loose, 0, {1, min}, 0, 0, 0, q::status::ok},
    {loose8, 3, {0, 70}, 3, 3, 3, q::status::ok},
    {loose, 3, {-h, 31}, -2, -2, -1, q::status::ok},
};
constexpr auto inexact_holds = [](const inexact_case& c) {
  const auto r = q::tosa::rescale_inexact(c.a, c.value, c.m);
  return r.value.reference == c.reference && r.value.min == c.low && r.value.max == c.high && r.status == c.status;
};
static_assert(first_wrong(inexact_cases, inexact_holds) == -1);

static_assert(q::tosa::bits(i8) == 8 && q::tosa::bits(i16) == 16 && q::tosa::bits(i32) == 32 && q::tosa::bits(i48) == 48);
static_assert(q::tosa::range_of_element(i8, true).max == 255 && q::tosa::range_of_element(i16, false).min == -32768 &&
              q::tosa::range_of_element(i48, false).max == high);

}  // namespace

TEST_CASE("an operator that TOSA forbids is refused, condition by condition") {
  CHECK(first_wrong(at_run_time(check_cases), check_holds) == -1);
}

TEST_CASE("RESCALE clips to its type, and data outside the requirements are unpredictable") {
  CHECK(first_wrong(at_run_time(rescale_cases), rescale_holds) == -1);
}

TEST_CASE("an unsigned zero point of RESCALE's input is not sign-extended") {
  // llvm #138780: 250 became -6, and 250 - -6 = 256.
  const auto of = [](rescale_attributes a, std::int64_t value) { return q::tosa::rescale(a, value, {h, 30}); };
  const rescale_attributes bytes{i8, i16, true, false, true, once, 250, 0}, words{i16, i16, true, false, true, once, 32768, 0};
  CHECK((of(bytes, 250).value == 0 && of(bytes, 255).value == 5 && of(bytes, 0).value == -250));
  CHECK((of(words, 32768).value == 0 && of(words, 65535).value == 32767 && of(words, 0).value == -32768));
  auto extended = bytes;
  extended.input_zero_point = -6;
  CHECK(of(extended, 250).status == q::status::illegal_operator);
}

TEST_CASE("INEXACT_ROUND allows both neighbours of a tie and more for large values") {
  CHECK(first_wrong(at_run_time(inexact_cases), inexact_holds) == -1);
}

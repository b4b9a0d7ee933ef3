#include <dyadic/elementwise/exact_table.hpp>
#include <dyadic/elementwise/function.hpp>
#include <dyadic/elementwise/sigmoid.hpp>

#include <array>
#include <cstdint>

#include "../support/catch.hpp"

namespace q = dyadic;
namespace exact = q::exact;
using q::enclosure;
using q::status;

namespace {

constexpr std::uint64_t top = std::uint64_t{1} << 63;
/// Returns v * 2^-56 with a radius.
constexpr enclosure near(std::uint64_t v, std::uint64_t radius) { return {false, v, -56, radius}; }
constexpr std::uint64_t unit = std::uint64_t{1} << 56;

// ---- by the compiler: rounding enclosures to integers

template <class Ties>
constexpr std::int64_t rounded(enclosure v) {
  const auto r = q::to_integer<Ties>(v);
  return r.status == status::ok ? r.value : -999;
}
static_assert(rounded<q::half_away>(near(150 * unit + unit / 2, 0)) == 151);
static_assert(rounded<q::half_even>(near(150 * unit + unit / 2, 0)) == 150);
static_assert(rounded<q::half_away>(negate(near(150 * unit + unit / 2, 0))) == -151);
static_assert(rounded<q::half_up>(negate(near(150 * unit + unit / 2, 0))) == -150);
static_assert(rounded<q::half_even>(near(150 * unit + unit / 2 + 1, 0)) == 151);
static_assert(rounded<q::half_away>(near(150 * unit + unit / 2 - 1, 0)) == 150);
static_assert(rounded<q::half_away>(near(150 * unit + unit / 2 + 100, 50)) == 151);
static_assert(rounded<q::half_away>(near(150 * unit + unit / 2 - 100, 50)) == 150);
static_assert(rounded<q::half_away>(negate(near(150 * unit + unit / 2 + 100, 50))) == -151);
static_assert(rounded<q::half_away>(near(150 * unit + unit / 2 + 100, 150)) == -999);
static_assert(rounded<q::half_away>({false, top, -65, 0}) == 0 && rounded<q::half_away>({false, top, -64, 0}) == 1);
static_assert(rounded<q::half_away>({false, top + 16, -64, 2}) == 1 && rounded<q::half_away>({false, top - 16, -64, 2}) == 0);
static_assert(rounded<q::half_away>({false, top, -66, 1}) == 0 &&
              rounded<q::half_away>({true, top, 100, 7}) == -(std::int64_t{1} << 40));
static_assert(rounded<q::half_away>(enclosure{}) == 0 && rounded<q::half_away>(q::detail::unknown()) == -999);

// ---- exact operands: sums, products, quotients and roots stay exact if they can

constexpr bool is(enclosure v, double x) {
  return v.radius == 0 && q::round_to<q::binary64>(v).value.bits == q::binary64{x}.bits &&
         q::round_to<q::binary64>(v).status == status::ok;
}
constexpr enclosure number(double x) { return q::enclose(q::binary64{x}); }
static_assert(is(add(number(1.5), number(2.25)), 3.75) && is(add(number(1.5), number(-2.25)), -0.75));
static_assert(is(add(number(3.0), number(-3.0)), 0.0) && is(add(number(0.0), number(5.0)), 5.0));
static_assert(is(multiply(number(-3.0), number(0.125)), -0.375) && is(multiply(number(0.0), number(7.0)), 0.0));
static_assert(is(divide(number(10.0), number(-4.0)), -2.5) && is(divide(number(3.0), number(3.0)), 1.0));
static_assert(is(square_root(number(2.25)), 1.5) && is(square_root(number(0.25)), 0.5));
static_assert(divide(number(1.0), number(3.0)).radius == 1 && square_root(number(2.0)).radius == 1);
static_assert(q::to_integer<q::half_away>(divide(number(1.0), number(0.0))).status == status::undecided);
static_assert(q::to_integer<q::half_away>(square_root(number(-1.0))).status == status::undecided);

// ---- functions

static_assert(is(exact::exp::of(number(0.0)), 1.0) && is(exact::sigmoid::of(number(0.0)), 0.5));
static_assert(is(exact::tanh::of(number(0.0)), 0.0) && is(exact::erf::of(number(0.0)), 0.0));
static_assert(is(exact::gelu::of(number(0.0)), 0.0) && is(exact::silu::of(number(0.0)), 0.0));
static_assert(is(exact::reciprocal::of(number(-0.5)), -2.0) && is(exact::reciprocal_square_root::of(number(16.0)), 0.25));
static_assert(is(exact::log::of(number(1.0)), 0.0) && is(exact::elu::of(number(0.0)), 0.0) &&
              is(exact::elu::of(number(2.5)), 2.5));
static_assert(exact::log::of(number(0.0)).negative && exact::log::of(number(-1.0)).exponent > 1000);
constexpr double in_double(enclosure v) { return q::round_to<q::binary64>(v).value.to_double(); }
static_assert(in_double(exact::exp::of(number(1.0))) == 2.718281828459045);
static_assert(in_double(exact::exp::of(number(-1.0))) == 0.36787944117144233);
static_assert(in_double(exact::log::of(number(2.0))) == 0.6931471805599453);
static_assert(in_double(exact::log::of(number(0.1))) == -2.3025850929940455);
static_assert(in_double(exact::log::of(number(0x1.000001p0))) == 5.960464299903386e-08);
static_assert(in_double(exact::elu::of(number(-1.0))) == -0.6321205588285577);
static_assert(in_double(exact::elu::of(number(-0x1p-20))) == -9.536738616590436e-07);
static_assert(in_double(exact::elu::of(number(-100.0))) == -1.0);
static_assert(in_double(exact::tanh::of(number(0.5))) == 0.46211715726000973);
static_assert(in_double(exact::erf::of(number(1.0))) == 0.8427007929497149);
static_assert(exact::in_binary32<exact::exp>{}(1.0f).bits == q::binary32{2.7182817f}.bits);

// ---- a table in a constant

struct sigmoid_table {
  std::int8_t entries[256];
  status result;
};
constexpr sigmoid_table make_sigmoid() {
  sigmoid_table t{};
  t.result =
      exact::populate<q::tflite::table<std::int8_t>>(exact::sigmoid{}, 0.0625, 3, 0x1p-8, -128, q::view<std::int8_t>(t.entries));
  return t;
}
constexpr sigmoid_table exact_sigmoid = make_sigmoid();
constexpr q::tflite::table<std::int8_t> by_exact_table{exact_sigmoid.entries};
static_assert(exact_sigmoid.result == status::ok);
static_assert(by_exact_table(3) == 0 && by_exact_table(19) == 59 && by_exact_table(-128) == -128 && by_exact_table(127) == 127);

}  // namespace

TEST_CASE("the error of an exact table is below half a step, and that of gemmlowp's sigmoid is not") {
  const auto ours = exact::worst_error(by_exact_table, exact::sigmoid{}, 0.0625, 3, 0x1p-8, -128);
  REQUIRE(ours.status == status::ok);
  CHECK(ours.value.off == 0);
  CHECK(ours.value.worst <= 1 << 15);
  CHECK(ours.value.worst > 1 << 14);
  const auto rule = q::tflite::sigmoid<std::int8_t>::derive(0.0625f, 3);
  REQUIRE(rule.status == status::ok);
  const auto gemmlowps = exact::worst_error(rule.value, exact::sigmoid{}, 0.0625, 3, 0x1p-8, -128);
  CHECK(gemmlowps.status == status::ok);
  CHECK(gemmlowps.value.off == 0);
}

TEST_CASE("worst_error names the least of inputs with the same error") {
  const std::array<std::int8_t, 256> zeros{};
  const auto error = exact::worst_error(q::tosa::table<std::int8_t>{zeros}, exact::exp{}, 1.0, 0, 1.0, 0);
  REQUIRE(error.status == status::ok);
  CHECK(error.value.worst == 127 << 16);  // exp(5) and all later values are above 127
  CHECK(error.value.at == 5);
  CHECK(error.value.off == 128);  // exp(0) is 1, exp(-1) is below 1/2
}

TEST_CASE("errors of 0 and of one unit are counted") {
  std::array<std::int8_t, 256> entries{};
  for (int x = 1; x < 128; ++x) entries[static_cast<std::size_t>(128 + x)] = 127;
  // exp(20 * x) / 2^16 is 2^-16 at 0. It is less than half of this for x < 0, and more than 127 for x > 0.
  const auto one = exact::worst_error(q::tosa::table<std::int8_t>{entries}, exact::exp{}, 20.0, 0, 65536.0, 0);
  CHECK(one.status == status::ok);
  CHECK(one.value.worst == 1);
  CHECK(one.value.at == 0);
  CHECK(one.value.off == 0);
  entries.fill(127);
  const auto none = exact::worst_error(q::tosa::table<std::int8_t>{entries}, exact::exp{}, 0x1p-20, 0, 0x1p-20, 0);
  CHECK(none.status == status::ok);
  CHECK(none.value.worst == 0);
  CHECK(none.value.at == -128);
  CHECK(none.value.off == 0);
}

/// A function whose value is near 1/2. The enclosure has a radius, so that a tie is possible but not certain.
struct near_a_half {
  static constexpr enclosure of(enclosure) noexcept { return {false, std::uint64_t{1} << 63, -64, 1}; }
};

TEST_CASE("a value too near to a tie is undecided") {
  std::array<std::int8_t, 256> entries{};
  entries.fill(99);
  const q::view<std::int8_t> all(entries.data(), 256);
  CHECK(exact::populate<q::tosa::table<std::int8_t>>(near_a_half{}, 1.0, 0, 1.0, 0, all) == status::undecided);
  for (const std::int8_t entry : entries) CHECK((entry == 0 || entry == 1));
  CHECK(exact::worst_error(q::tosa::table<std::int8_t>{entries}, near_a_half{}, 1.0, 0, 1.0, 0).status == status::undecided);
}

TEST_CASE("exact tables are refused with the reason") {
  std::array<std::int8_t, 256> entries{};
  using table = q::tosa::table<std::int8_t>;
  const auto populate = [&](double x, std::int32_t xz, double y, std::int32_t yz, q::index_t size) {
    return exact::populate<table>(exact::exp{}, x, xz, y, yz, q::view<std::int8_t>(entries.data(), size));
  };
  CHECK(populate(1.0, 0, 1.0, 0, 256) == status::ok);
  CHECK(entries[128] == 1);
  CHECK(entries[255] == 127);
  CHECK(entries[0] == 0);
  CHECK(populate(1.0, 0, 1.0, 0, 255) == status::shape_mismatch);
  CHECK(populate(0.0, 0, 1.0, 0, 256) == status::scale_zero);
  CHECK(populate(1.0, 128, 1.0, 0, 256) == status::zero_point_out_of_range);
  CHECK(exact::worst_error(table{}, exact::exp{}, 1.0, 0, 1.0, 0).status == status::shape_mismatch);
  CHECK(exact::worst_error(table{entries}, exact::exp{}, 1.0, 0, -1.0, 0).status == status::scale_negative);
}

TEST_CASE("reciprocals of zero saturate, and ties of reciprocals go away from zero") {
  std::array<std::int8_t, 256> entries{};
  using table = q::tosa::table<std::int8_t>;
  REQUIRE(exact::populate<table>(exact::reciprocal{}, 1.0, 0, 1.0, 0, q::view<std::int8_t>(entries)) == status::ok);
  CHECK(entries[128] == 127);
  CHECK(entries[129] == 1);
  CHECK(entries[130] == 1);   // 1/2
  CHECK(entries[126] == -1);  // -1/2
  CHECK(entries[131] == 0);
  REQUIRE(exact::populate<table>(exact::reciprocal_square_root{}, 1.0, -2, 0.5, 0, q::view<std::int8_t>(entries)) == status::ok);
  CHECK(entries[126] == 127);
  CHECK(entries[0] == 127);
  CHECK(entries[127] == 2);
  CHECK(entries[130] == 1);  // 2 / sqrt(4)
  CHECK(entries[142] == 1);  // 2 / sqrt(16) is a tie
  CHECK(entries[143] == 0);
}

// Scale products, reciprocals, right shifts and the int16 primitives against the oracle.

#include <dyadic/scale.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/onednn.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include "tally.hpp"

using namespace sweep;

TEST_CASE("real scales are multiplied with the roundings of their engines") {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(300000); ++i) {
    const int spread = random.one_in(4) ? 60 : 12;
    const auto scale = [&] { return to_float(random_real(random, 24, -spread, spread)); };
    const float input = scale(), weight = scale(), output = scale();
    const auto say = [&] {
      return text("%a", static_cast<double>(input)) + text(" %a", static_cast<double>(weight)) +
             text(" %a", static_cast<double>(output));
    };
    const q::binary64 tensor{oracle::tflite_conv_scale_per_tensor(input, weight, output)};
    const q::binary64 channel{oracle::tflite_conv_scale_per_channel(input, weight, output)};
    t.check(q::float_product_scale(input, weight, output).bits == tensor.bits, say);
    t.check(q::double_product_scale(input, weight, output).bits == channel.bits, say);
    const auto m = q::onednn::f32::derive(input, weight, output);
    const oracle::real inverse = oracle::fl32(oracle::quotient(oracle::from_integer(1), oracle::from_float(output), 24));
    t.check(ok(m.status) && q::binary64{m.value.inverse_destination}.bits == q::binary64{oracle::to_double(inverse)}.bits, say);
    const double real = random_real(random, 53, -160, 130);
    const q::result<q::binary32> narrow = q::fbgemm::floating::derive(real);
    const oracle::real rounded = oracle::fl32(oracle::from_double(real));
    t.check(ok(narrow.status) == std::isfinite(oracle::to_double(rounded)) &&
                q::binary64{narrow.value}.bits == q::binary64{oracle::to_double(rounded)}.bits,
            [&] { return text("fl32(%a)", real); });
    t.check(ok(q::xnnpack::fp32::derive(input).status) == !oracle::derive_xnnpack_rndnu(input).rejected, say);
  }
  t.finish("scale products");
}

TEST_CASE("the reciprocal of any pool size equals the specification") {
  generator random;
  tally t;
  const auto check = [&t](std::uint32_t n) {
    const oracle::derived_multiplier expected = oracle::tosa_reciprocal_scale(n);
    const auto got = q::tosa::reciprocal_scale(n);
    // Three n above 2^30 have a multiplier of 2^31 or slightly more, which does not fit TOSA's int32.
    const bool exists = !expected.rejected && expected.multiplier <= highest32;
    t.check(ok(got.status) == exists &&
                (!exists || (got.value.mantissa == expected.multiplier && got.value.right_shift == expected.shift)),
            [&] { return "n = " + text(n); });
  };
  for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(scaled_count(1 << 18)); ++n) check(n);
  for (int bit = 0; bit < 32; ++bit)
    for (const std::uint32_t step : {0u, 1u, 2u, ~0u}) check((std::uint32_t{1} << bit) + step);
  for (int i = 0; i < scaled_count(300000); ++i) check(static_cast<std::uint32_t>(random.of_random_length(32)));
  t.finish("reciprocal scales");
}

// ---- primitives

namespace {

using oracle::wide;

wide floor_of(wide x, int n) { return n == 0 ? x : oracle::divide_by_power_of_two(x, n).whole; }
wide ceiling_of(wide x, int n) { return -floor_of(-x, n); }

/// Checks the library's shifts under one tie rule, at each width.
template <class Ties>
void check_shifts(const char* name, wide (*round)(wide, int)) {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(300000); ++i) {
    const auto x = random_acc(random, lowest64, highest64);
    const std::int64_t y = random.one_in(2) ? random_acc(random, lowest64, highest64) : std::int64_t{1} << random.between(0, 62);
    const auto n = static_cast<int>(random.between(0, 126));
    const auto say = [&] { return text(x) + " * " + text(y) + " >> " + text(n); };
    const wide product = oracle::clamp(round(wide{x} * y, n), lowest64, highest64);
    t.check(q::shift_right_saturated<Ties>(q::multiply(x, y), n) == product, say);
    // Numbers with few bits set give many ties.
    const std::int64_t few = x & (x >> 1) & y;
    t.check(q::shift_right<Ties>(few, n % 64) == round(few, n % 64), say);
    t.check(q::shift_right<Ties>(x, n % 64) == round(x, n % 64), say);
    const auto bits = static_cast<std::uint64_t>(x);
    t.check(q::shift_right<Ties>(bits, n % 64) == static_cast<std::uint64_t>(round(static_cast<wide>(bits), n % 64)), say);
    const auto narrow = static_cast<std::int32_t>(x >> 32);
    t.check(q::shift_right<Ties>(narrow, n % 32) == round(narrow, n % 32), say);
  }
  t.finish(name);
}

}  // namespace

TEST_CASE("a right shift obeys its tie rule in every width") {
  check_shifts<q::half_up>("shifts half_up", oracle::half_up<wide>);
  check_shifts<q::half_away>("shifts half_away", oracle::half_away<wide>);
  check_shifts<q::half_even>("shifts half_even", oracle::half_even<wide>);
  check_shifts<q::half_to_zero>("shifts half_to_zero", oracle::half_toward_zero<wide>);
  check_shifts<q::to_floor>("shifts to_floor", floor_of);
  check_shifts<q::to_ceiling>("shifts to_ceiling", ceiling_of);
}

TEST_CASE("gemmlowp's int16 primitives equal the oracle for every first operand") {
  tally t;
  std::vector<std::int16_t> seconds = {-32768, -32767, -16385, -16384, -2, -1, 0, 1, 2, 3, 16383, 16384, 16385, 32766, 32767};
  generator random;
  while (seconds.size() < 64) seconds.push_back(static_cast<std::int16_t>(random.between(-32768, 32767)));
  if (divisor > 1) seconds.resize(15);
  for (int a = -32768; a <= 32767; ++a) {
    const auto x = static_cast<std::int16_t>(a);
    for (const std::int16_t b : seconds)
      t.check(q::gemmlowp::saturating_rounding_doubling_high_mul(x, b) == oracle::gemmlowp_srdhm_i16(x, b),
              [&] { return "high_mul " + text(a) + " " + text(b); });
    for (int exponent = 0; exponent <= 15; ++exponent)
      t.check(q::gemmlowp::rounding_divide_by_pot(x, exponent) == oracle::gemmlowp_rounding_divide_by_pot_i16(x, exponent),
              [&] { return "divide " + text(a) + " " + text(exponent); });
  }
  t.finish("int16 primitives");
}

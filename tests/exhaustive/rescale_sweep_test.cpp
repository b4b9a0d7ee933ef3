// TOSA RESCALE against the oracle.

#include <dyadic/scheme/tosa_rescale.hpp>

#include "tally.hpp"

using namespace sweep;

namespace {

q::tosa::element element_of(int bits) {
  using q::tosa::element;
  return bits == 8 ? element::i8 : bits == 16 ? element::i16 : bits == 32 ? element::i32 : element::i48;
}

struct rescale_case {
  oracle::tosa_rescale_attributes foreign;
  q::tosa::rescale_attributes own;
  std::int64_t value;
  std::int32_t input_zero_point;
  std::int32_t output_zero_point;
  q::multiplier32 m;

  std::string describe() const {
    return "i" + text(foreign.input_bits) + (foreign.input_unsigned ? "u" : "") + " to i" + text(foreign.output_bits) +
           (foreign.output_unsigned ? "u" : "") + (foreign.scale32 ? " scale32" : " scale16") + " rounding " +
           text(static_cast<int>(foreign.rounding)) + " value " + text(value) + " zero points " + text(input_zero_point) + " " +
           text(output_zero_point) + " multiplier " + text(m.mantissa) + " shift " + text(m.right_shift);
  }
};

/// Draws a case. Its attributes, zero points, multiplier and shift are mostly legal, but sometimes not.
rescale_case random_rescale(generator& random, bool inexact) {
  rescale_case c{};
  oracle::tosa_rescale_attributes& a = c.foreign;
  const int inputs[] = {8, 16, 32, 48};
  a.input_bits = inputs[random() % 4];
  a.output_bits = inputs[random() % 3];
  a.scale32 = a.input_bits == 48 ? random.one_in(16) : !random.one_in(3);
  a.input_unsigned = random.one_in(a.input_bits <= 16 ? 3 : 16);
  a.output_unsigned = random.one_in(a.output_bits <= 16 && !a.input_unsigned ? 3 : 16);
  a.rounding = inexact     ? oracle::tosa_rounding::inexact_round
               : a.scale32 ? (random.one_in(2) ? oracle::tosa_rounding::double_round : oracle::tosa_rounding::single_round)
                           : (random.one_in(16) ? oracle::tosa_rounding::double_round : oracle::tosa_rounding::single_round);
  const auto zero_point = [&](int bits, bool is_unsigned) -> std::int32_t {
    const std::int32_t low = is_unsigned ? 0 : -128;
    if (random.one_in(32)) return static_cast<std::int32_t>(random.between(-40000, 40000));
    if (bits == 8 && random.one_in(2)) {
      const std::int32_t beyond = random.one_in(8) ? 1 : 0;
      return static_cast<std::int32_t>(random.between(low - beyond, low + 255 + beyond));
    }
    if (bits >= 16 && random.one_in(is_unsigned ? 2 : 64)) return 32768;
    return 0;
  };
  c.input_zero_point = zero_point(a.input_bits, a.input_unsigned);
  c.output_zero_point = zero_point(a.output_bits, a.output_unsigned);
  const std::int64_t half = std::int64_t{1} << (a.input_bits - 1);
  const std::int64_t low = a.input_unsigned ? 0 : -half;
  const std::int64_t high = low + 2 * half - 1;
  c.value = random.one_in(8) ? low : random.one_in(8) ? high : random_acc(random, low, high);

  const int bits = a.scale32 ? 31 : 15;
  c.m.mantissa = static_cast<std::int32_t>(random_mantissa(random, bits));
  // The shift is near the shift at which the result fills the output type, where ties and saturation occur.
  const int input_length = oracle::bit_length(static_cast<oracle::unsigned_wide>(c.value < 0 ? -c.value : c.value));
  const int matching = input_length + bits - a.output_bits + 1;
  c.m.right_shift = static_cast<std::int32_t>(
      random.one_in(3) ? random.between(0, 64)
                       : std::min(64, std::max(0, matching + static_cast<int>(random.between(-4, a.output_bits)))));
  if (a.input_bits == 48 && random.one_in(8)) {
    // The result lies at the end of int32, so that adding the output zero point may leave int32.
    c.m = {1 << 14, 14};
    c.value = (std::int64_t{1} << 31) - random.between(0, 300);
    if (random.one_in(2)) c.value = -c.value;
  }
  if (!inexact && random.one_in(64)) c.m.mantissa = -c.m.mantissa - 1;
  if (!inexact && !a.scale32 && random.one_in(64)) c.m.mantissa += 32768;

  c.own.input = element_of(a.input_bits);
  c.own.output = element_of(a.output_bits);
  c.own.input_unsigned = a.input_unsigned;
  c.own.output_unsigned = a.output_unsigned;
  c.own.scale32 = a.scale32;
  c.own.rounding = inexact                                             ? q::tosa::rounding_mode::inexact_round
                   : a.rounding == oracle::tosa_rounding::double_round ? q::tosa::rounding_mode::double_round
                                                                       : q::tosa::rounding_mode::single_round;
  c.own.input_zero_point = c.input_zero_point;
  c.own.output_zero_point = c.output_zero_point;
  return c;
}

oracle::tosa_status foreign(q::status s) {
  if (s == q::status::illegal_operator) return oracle::tosa_status::error_if;
  if (s == q::status::unpredictable) return oracle::tosa_status::require;
  REQUIRE(ok(s));
  return oracle::tosa_status::ok;
}

}  // namespace

TEST_CASE("RESCALE with any attributes equals the specification") {
  generator random;
  tally t;
  std::uint64_t of_status[3] = {};
  for (int i = 0; i < scaled_count(3000000); ++i) {
    const rescale_case c = random_rescale(random, false);
    const auto got = q::tosa::rescale(c.own, c.value, c.m);
    const oracle::tosa_rescaled expected =
        oracle::tosa_rescale(c.foreign, c.value, c.input_zero_point, c.output_zero_point, c.m.mantissa, c.m.right_shift);
    of_status[static_cast<int>(expected.status)]++;
    t.check(foreign(got.status) == expected.status && got.value == expected.value, [&] {
      return c.describe() + ": got " + text(got.value) + " " + q::to_string(got.status) + ", expected " + text(expected.value) +
             " status " + text(static_cast<int>(expected.status));
    });
  }
  t.finish("RESCALE");
  for (const std::uint64_t n : of_status) CHECK(n > 0);
}

TEST_CASE("INEXACT_ROUND gives the reference model's value and bounds") {
  generator random;
  tally t;
  for (int i = 0; i < scaled_count(1000000); ++i) {
    const rescale_case c = random_rescale(random, true);
    const auto got = q::tosa::rescale_inexact(c.own, c.value, c.m);
    const bool legal = !oracle::detail::tosa_error_if(c.foreign, c.input_zero_point, c.output_zero_point);
    const oracle::tosa_inexact expected = legal ? oracle::tosa_rescale_inexact(c.foreign, c.value, c.input_zero_point,
                                                                               c.output_zero_point, c.m.mantissa, c.m.right_shift)
                                                : oracle::tosa_inexact{0, 0, 0};
    t.check(ok(got.status) == legal && got.value.reference == expected.fp32_reference && got.value.min == expected.allowed_min &&
                got.value.max == expected.allowed_max,
            [&] {
              return c.describe() + ": got " + text(got.value.reference) + " in " + text(got.value.min) + ".." +
                     text(got.value.max) + ", expected " + text(expected.fp32_reference) + " in " + text(expected.allowed_min) +
                     ".." + text(expected.allowed_max);
            });
  }
  t.finish("inexact RESCALE");
}

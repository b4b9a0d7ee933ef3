// Tests which published rules are equal, and where: TFLite's rules as built from gemmlowp's primitives, then pairs of rules of
// different publishers.
#include <dyadic/int48.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/exact.hpp>
#include <dyadic/scheme/fbgemm.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/onnx.hpp>
#include <dyadic/scheme/ruy.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/scheme/xnnpack.hpp>

#include <cstddef>
#include <cstdint>

#include "../support/catch.hpp"
#include "../support/random.hpp"
#include "../support/scheme_cases.hpp"

namespace q = dyadic;
using namespace support;

namespace {

constexpr int count = 100'000 / DYADIC_TEST_DIVISOR;

/// Returns an integer of random length up to `bits`, plus -1, 0 or 1, shifted left by a random number of bits and with a random
/// sign.
constexpr std::int64_t random_integer(random_bits& random, int bits) {
  const auto magnitude = static_cast<std::int64_t>(random.of_random_length(bits)) + random.below(3) - 1;
  const std::int64_t x = q::shift_left_wrapped(magnitude, random.below(bits));
  return random.one_in(2) ? x : -x;
}

/// A row of numbers for every convention.
struct row {
  std::int32_t acc;
  std::int64_t wide_acc;           // 48 bits
  std::int32_t multiplier, shift;  // a TFLite pair
  q::binary32 scale;               // one that XNNPACK accepts

  constexpr q::multiplier32 m() const { return {multiplier, 31 - shift}; }
  /// The multiplier of the int64 rules, whose pairs shift left by 7 at most.
  constexpr q::multiplier16 m16() const { return q::tflite::reduce({multiplier, 31 - (shift > 7 ? shift - 31 : shift)}); }
  constexpr q::multiplier32 m24() const { return q::xnnpack::derive_from_bits(scale).value; }
};

constexpr row random_row(random_bits& random) {
  // Mantissas of all bits, of few bits, short ones, ones near the largest, and negative ones. Few bits make ties frequent.
  constexpr std::int32_t half = 1 << 30;
  std::int32_t m = half + static_cast<std::int32_t>(random() >> 34);
  switch (random.below(6)) {
    case 0: m &= ~((1 << 28) - 1); break;
    case 1: m >>= random.below(31); break;
    case 2: m = max - random.below(3); break;
    case 3: m = half + random.below(3); break;
    default: break;
  }
  if (random.below(4) == 0) m = -1 - m;
  const auto scale_bits = static_cast<std::uint32_t>(random()) & (random.below(2) == 0 ? 0x007F'FFFFu : 0x0070'0000u);
  const auto scale_exponent = static_cast<std::uint32_t>(95 + random.below(40)) << 23;
  return {q::wrap<std::int32_t>(random_integer(random, 32)), q::int48::wrapped(random_integer(random, 48)).value(), m,
          random.below(62) - 31, q::binary32::from_bits(scale_exponent | scale_bits)};
}

// ---- TFLite from primitives -----------------------------------------------------------------------------------------

constexpr std::int32_t high_mul(std::int32_t a, std::int32_t b) {
  return q::gemmlowp::saturating_rounding_doubling_high_mul(a, b);
}
constexpr std::int32_t truncating_high_mul(std::int32_t a, std::int32_t b) {
  return q::saturate<std::int32_t>((std::int64_t{a} * b) >> 31);
}
constexpr std::int32_t left(std::int32_t x, std::int32_t n) { return q::shift_left_wrapped(x, n > 0 ? static_cast<int>(n) : 0); }
constexpr int right(std::int32_t shift, std::int32_t least = 0) { return static_cast<int>(-shift > least ? -shift : least); }

enum class verdict { outside, equal, different };
constexpr verdict equal_if(bool inside, bool equal) {
  return !inside ? verdict::outside : equal ? verdict::equal : verdict::different;
}

struct equality {
  const char* name;
  verdict (*holds)(const row&);
};
constexpr equality equalities[] = {
    {"TFLite double is a high multiply, then a division away from zero",
     [](const row& r) {
       const std::int32_t y = q::gemmlowp::rounding_divide_by_pot(high_mul(left(r.acc, r.shift), r.multiplier), right(r.shift));
       return equal_if(true, q::tflite::double_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite on NEON is a high multiply, then a shift up",
     [](const row& r) {
       const std::int32_t y = q::shift_right<q::half_up>(high_mul(left(r.acc, r.shift), r.multiplier), right(r.shift));
       return equal_if(true, q::tflite::neon_double_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite single on NEON is a truncating high multiply, then a shift up",
     [](const row& r) {
       const int n = right(r.shift, 1);
       const std::int32_t y = q::shift_right<q::half_up>(truncating_high_mul(left(r.acc, r.shift + n), r.multiplier), n);
       return equal_if(q::tflite::neon_single_rounding::valid(r.m()), q::tflite::neon_single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"CMSIS predicated single is a rounding high multiply, then a shift up",
     [](const row& r) {
       const int n = right(r.shift, 1);
       const std::int32_t y = q::shift_right<q::half_up>(high_mul(left(r.acc, r.shift + n), r.multiplier), n);
       return equal_if(q::tflite::neon_single_rounding::valid(r.m()),
                       q::cmsis_nn::mve_predicated_single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"gemmlowp's division is CMSIS-NN's",
     [](const row& r) {
       const int n = right(r.shift);
       return equal_if(true, q::gemmlowp::rounding_divide_by_pot(r.acc, n) == q::cmsis_nn::divide_by_power_of_two(r.acc, n));
     }},
    {"TFLite double is TOSA DOUBLE_ROUND",
     [](const row& r) {
       return equal_if(q::tosa::scale32_double_round::valid(r.acc, r.m()),
                       q::tflite::double_rounding::apply(r.acc, r.m()) == q::tosa::scale32_double_round::apply(r.acc, r.m()));
     }},
    {"TFLite single is TOSA SINGLE_ROUND",
     [](const row& r) {
       return equal_if(q::tosa::scale32::valid(r.acc, r.m()),
                       q::tflite::single_rounding::apply(r.acc, r.m()) == q::tosa::scale32::apply(r.acc, r.m()));
     }},
    {"TFLite single is ruy's reference and CMSIS-NN's scalar single, also where it wraps",
     [](const row& r) {
       const std::int64_t y = q::tflite::single_rounding::apply(r.acc, r.m());
       return equal_if(r.multiplier >= 0,
                       q::ruy::reference::apply(r.acc, r.m()) == y && q::cmsis_nn::single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite single is exact half up and FBGEMM's fixed point where it fits",
     [](const row& r) {
       const std::int64_t y = q::tflite::single_rounding::apply(r.acc, r.m());
       return equal_if(q::tflite::single_rounding::valid(r.acc, r.m()),
                       q::exact::half_up::apply(r.acc, r.m()) == y && q::fbgemm::fixed::apply(r.acc, r.m()) == y);
     }},
    {"TFLite single is XNNPACK rndnu with a mantissa of 24 bits",
     [](const row& r) {
       const q::multiplier32 m{r.m24().mantissa * 128, r.m24().right_shift + 7};
       return equal_if(true, q::tflite::single_rounding::apply(r.acc, m) == q::xnnpack::rndnu::apply(r.acc, r.m24()));
     }},
    {"TFLite double is CMSIS-NN's scalar double but for the least multiplier",
     [](const row& r) {
       return equal_if(r.multiplier != min,
                       q::tflite::double_rounding::apply(r.acc, r.m()) == q::cmsis_nn::double_rounding::apply(r.acc, r.m()));
     }},
    {"CMSIS-NN's scalar double is its Helium double but for min * min",
     [](const row& r) {
       return equal_if(
           r.multiplier != min || left(r.acc, r.shift) != min,
           q::cmsis_nn::mve_double_rounding::apply(r.acc, r.m()) == q::cmsis_nn::double_rounding::apply(r.acc, r.m()));
     }},
    {"TFLite on NEON is ruy on x86",
     [](const row& r) {
       return equal_if(true, q::tflite::neon_double_rounding::apply(r.acc, r.m()) == q::ruy::x86_simd::apply(r.acc, r.m()));
     }},
    {"TFLite's AVX2 helper is TFLite single below its two quirks",
     [](const row& r) {
       const bool inside = r.multiplier >= 0 && r.shift < 0 &&
                           ((std::int64_t{r.acc} * r.multiplier) >> 31) <= max - (std::int64_t{1} << (-r.shift - 1));
       return equal_if(inside, q::tflite::avx2::apply(r.acc, r.m()) == q::tflite::single_rounding::apply(r.acc, r.m()));
     }},
    {"single rounding on NEON and Helium is TFLite single where the pre-shift fits",
     [](const row& r) {
       const std::int64_t y = q::tflite::single_rounding::apply(r.acc, r.m());
       return equal_if(q::tflite::neon_single_rounding::valid(r.acc, r.m()),
                       q::tflite::neon_single_rounding::apply(r.acc, r.m()) == y &&
                           q::cmsis_nn::mve_single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite int64 is TOSA scale16 and exact half up",
     [](const row& r) {
       const std::int64_t y = q::tflite::reduced_int64::apply(r.wide_acc, r.m16());
       return equal_if(q::tflite::reduced_int64::valid(r.wide_acc, r.m16()),
                       q::tosa::scale16::valid(r.wide_acc, r.m16()) && q::tosa::scale16::apply(r.wide_acc, r.m16()) == y &&
                           q::exact::half_up::apply(r.wide_acc, {r.m16().mantissa, r.m16().right_shift}) == y);
     }},
    {"CMSIS-NN's int64 helper is TFLite int64 below 2^30",
     [](const row& r) {
       const std::int64_t y = q::tflite::reduced_int64::apply(r.wide_acc, r.m16());
       const bool inside = q::tflite::reduced_int64::valid(r.wide_acc, r.m16()) && y < 1 << 30 && y > -(1 << 30);
       return equal_if(inside, q::cmsis_nn::requantize_s64::valid(r.wide_acc, r.m16()) &&
                                   q::cmsis_nn::requantize_s64::apply(r.wide_acc, r.m16()) == y);
     }},
    {"XNNPACK fp32 is FBGEMM's float and MLAS",
     [](const row& r) {
       const std::int64_t y = q::xnnpack::fp32::apply(r.acc, r.scale);
       return equal_if(true, q::fbgemm::floating::apply(r.acc, r.scale) == y && q::onnx::mlas::apply(r.acc, r.scale) == y);
     }},
    {"XNNPACK fp32 is FBGEMM's float and MLAS on eight bits with a zero point",
     [](const row& r) {
       bool equal = true;
       for (const q::output_range range : {q::range_of<std::int8_t>(-1), q::range_of<std::uint8_t>(128)}) {
         const std::int64_t y = q::requantize<q::xnnpack::fp32>(r.acc, r.scale, range);
         equal &= q::requantize<q::fbgemm::floating>(r.acc, r.scale, range) == y;
         equal &= q::requantize<q::onnx::mlas>(r.acc, r.scale, range) == y;
       }
       return equal_if(true, equal);
     }},
    {"FBGEMM's fixed point is exact half up and XNNPACK rndnu on NEON",
     [](const row& r) {
       const std::int64_t y = q::exact::half_up::apply(r.acc, r.m24());
       const q::multiplier32 m = q::fbgemm::fixed::derive(r.scale).value;
       return equal_if(true, q::fbgemm::fixed::apply(r.acc, m) == y && q::xnnpack::rndnu_neon::apply(r.acc, r.m24()) == y);
     }},
    {"XNNPACK rndnu on NEON is its own saturating steps on an int8 output",
     [](const row& r) {
       const int shift = static_cast<int>(r.m24().right_shift) - 24, n = shift > 1 ? shift : 1;
       const std::int64_t product = std::int64_t{q::shift_left_saturated(r.acc, n - shift)} * (r.m24().mantissa * 128);
       const std::int64_t y = q::saturate<std::int16_t>(q::shift_right<q::half_up>(product >> 31, n));
       const std::int8_t with_zero_point = q::saturate<std::int8_t>(std::int64_t{q::saturate<std::int16_t>(y - 37)});
       return equal_if(true,
                       q::requantize<q::xnnpack::rndnu_neon>(r.acc, r.m24(), q::range_of<std::int8_t>(-37)) == with_zero_point);
     }},
    {"XNNPACK rndna is exact half away where it fits",
     [](const row& r) {
       return equal_if(q::xnnpack::rndna::valid(r.acc, r.m24()),
                       q::xnnpack::rndna::apply(r.acc, r.m24()) == q::exact::half_away::apply(r.acc, r.m24()));
     }},
    {"XNNPACK's gemmlowp rule is TFLite double without a left shift",
     [](const row& r) {
       return equal_if(q::xnnpack::gemmlowp::valid(r.m()),
                       q::xnnpack::gemmlowp::apply(r.acc, r.m()) == q::tflite::double_rounding::apply(r.acc, r.m()));
     }},
};

/// Returns the first equality that a row breaks, or that fewer than one row in sixteen reaches; else -1.
constexpr int first_broken(int rows) {
  for (std::size_t i = 0; i < sizeof(equalities) / sizeof(equalities[0]); ++i) {
    random_bits random;
    int inside = 0;
    for (int j = 0; j < rows; ++j) {
      const verdict v = equalities[i].holds(random_row(random));
      if (v == verdict::different) return static_cast<int>(i);
      inside += v == verdict::equal;
    }
    if (inside < rows / 16) return static_cast<int>(i);
  }
  return -1;
}
static_assert(first_broken(24) == -1);

}  // namespace

TEST_CASE("rules that are published as equal are equal on random rows") {
  const volatile int rows = count;
  const int broken = first_broken(rows);
  INFO("seed " << seed << ", " << count << " rows: " << (broken < 0 ? "" : equalities[broken].name));
  CHECK(broken == -1);
}

// Which published rules are the same, and where: TFLite's as built from gemmlowp's primitives, then the pairs of
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

#include "../support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

#ifndef DYADIC_TEST_SCALE
#define DYADIC_TEST_SCALE 1
#endif

using namespace dyadic;

namespace {

constexpr std::int32_t max = std::numeric_limits<std::int32_t>::max(), min = std::numeric_limits<std::int32_t>::min();
constexpr std::uint64_t seed = 20250304;
constexpr int count = 100'000 / DYADIC_TEST_SCALE;

/// splitmix64.
struct random_bits {
  std::uint64_t state = seed;
  constexpr std::uint64_t operator()() {
    std::uint64_t z = state += 0x9E37'79B9'7F4A'7C15u;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return z ^ (z >> 31);
  }
  constexpr int below(int n) { return static_cast<int>((*this)() % static_cast<unsigned>(n)); }
  /// Of random length up to `bits`, and -1, 0 or 1 beside a multiple of a power of two.
  constexpr std::int64_t integer(int bits) {
    const auto magnitude = static_cast<std::int64_t>((*this)() >> (64 - bits) >> below(bits + 1)) + below(3) - 1;
    const std::int64_t x = shift_left_wrapped(magnitude, below(bits));
    return below(2) == 0 ? x : -x;
  }
};

/// One row, for every convention.
struct row {
  std::int32_t acc;
  std::int64_t wide_acc;           // 48 bits
  std::int32_t multiplier, shift;  // a TFLite pair
  binary32 scale;                  // one that XNNPACK accepts

  constexpr multiplier32 m() const { return {multiplier, 31 - shift}; }
  /// The pairs of the int64 rules shift left by 7 at most.
  constexpr multiplier16 m16() const { return tflite::reduce({multiplier, 31 - (shift > 7 ? shift - 31 : shift)}); }
  constexpr multiplier32 m24() const { return xnnpack::derive_from_bits(scale).value; }
};

constexpr row random_row(random_bits& random) {
  // Full; few bits, so that ties are frequent; short; beside the largest; negative.
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
  return {wrap<std::int32_t>(random.integer(32)), int48::wrapped(random.integer(48)).value(), m, random.below(62) - 31,
          binary32::from_bits(scale_exponent | scale_bits)};
}

// ---- TFLite from primitives -----------------------------------------------------------------------------------------

constexpr std::int32_t high_mul(std::int32_t a, std::int32_t b) { return gemmlowp::saturating_rounding_doubling_high_mul(a, b); }
constexpr std::int32_t truncating_high_mul(std::int32_t a, std::int32_t b) {
  return saturate<std::int32_t>((std::int64_t{a} * b) >> 31);
}
constexpr std::int32_t left(std::int32_t x, std::int32_t n) { return shift_left_wrapped(x, n > 0 ? static_cast<int>(n) : 0); }
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
       const std::int32_t y = gemmlowp::rounding_divide_by_pot(high_mul(left(r.acc, r.shift), r.multiplier), right(r.shift));
       return equal_if(true, tflite::double_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite on NEON is a high multiply, then a shift up",
     [](const row& r) {
       const std::int32_t y = shift_right<half_up>(high_mul(left(r.acc, r.shift), r.multiplier), right(r.shift));
       return equal_if(true, tflite::neon_double_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite single on NEON is a truncating high multiply, then a shift up",
     [](const row& r) {
       const int n = right(r.shift, 1);
       const std::int32_t y = shift_right<half_up>(truncating_high_mul(left(r.acc, r.shift + n), r.multiplier), n);
       return equal_if(tflite::neon_single_rounding::valid(r.m()), tflite::neon_single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"CMSIS predicated single is a rounding high multiply, then a shift up",
     [](const row& r) {
       const int n = right(r.shift, 1);
       const std::int32_t y = shift_right<half_up>(high_mul(left(r.acc, r.shift + n), r.multiplier), n);
       return equal_if(tflite::neon_single_rounding::valid(r.m()),
                       cmsis_nn::mve_predicated_single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"gemmlowp's division is CMSIS-NN's",
     [](const row& r) {
       const int n = right(r.shift);
       return equal_if(true, gemmlowp::rounding_divide_by_pot(r.acc, n) == cmsis_nn::divide_by_power_of_two(r.acc, n));
     }},
    {"TFLite double is TOSA DOUBLE_ROUND",
     [](const row& r) {
       return equal_if(tosa::scale32_double_round::valid(r.acc, r.m()),
                       tflite::double_rounding::apply(r.acc, r.m()) == tosa::scale32_double_round::apply(r.acc, r.m()));
     }},
    {"TFLite single is TOSA SINGLE_ROUND",
     [](const row& r) {
       return equal_if(tosa::scale32::valid(r.acc, r.m()),
                       tflite::single_rounding::apply(r.acc, r.m()) == tosa::scale32::apply(r.acc, r.m()));
     }},
    {"TFLite single is ruy's reference and CMSIS-NN's scalar single, also where it wraps",
     [](const row& r) {
       const std::int64_t y = tflite::single_rounding::apply(r.acc, r.m());
       return equal_if(r.multiplier >= 0,
                       ruy::reference::apply(r.acc, r.m()) == y && cmsis_nn::single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite single is exact half up where it fits",
     [](const row& r) {
       return equal_if(tflite::single_rounding::valid(r.acc, r.m()),
                       tflite::single_rounding::apply(r.acc, r.m()) == exact::half_up::apply(r.acc, r.m()));
     }},
    {"TFLite single is XNNPACK rndnu with a mantissa of 24 bits",
     [](const row& r) {
       const multiplier32 m{r.m24().mantissa * 128, r.m24().right_shift + 7};
       return equal_if(true, tflite::single_rounding::apply(r.acc, m) == xnnpack::rndnu::apply(r.acc, r.m24()));
     }},
    {"TFLite double is CMSIS-NN's scalar double but for the least multiplier",
     [](const row& r) {
       return equal_if(r.multiplier != min,
                       tflite::double_rounding::apply(r.acc, r.m()) == cmsis_nn::double_rounding::apply(r.acc, r.m()));
     }},
    {"CMSIS-NN's scalar double is its Helium double but for min * min",
     [](const row& r) {
       return equal_if(r.multiplier != min || left(r.acc, r.shift) != min,
                       cmsis_nn::mve_double_rounding::apply(r.acc, r.m()) == cmsis_nn::double_rounding::apply(r.acc, r.m()));
     }},
    {"TFLite on NEON is ruy on x86",
     [](const row& r) {
       return equal_if(true, tflite::neon_double_rounding::apply(r.acc, r.m()) == ruy::x86_simd::apply(r.acc, r.m()));
     }},
    {"TFLite's AVX2 helper is TFLite single below its two quirks",
     [](const row& r) {
       const bool inside = r.multiplier >= 0 && r.shift < 0 &&
                           ((std::int64_t{r.acc} * r.multiplier) >> 31) <= max - (std::int64_t{1} << (-r.shift - 1));
       return equal_if(inside, tflite::avx2::apply(r.acc, r.m()) == tflite::single_rounding::apply(r.acc, r.m()));
     }},
    {"single rounding on NEON and Helium is TFLite single where the pre-shift fits",
     [](const row& r) {
       const std::int64_t y = tflite::single_rounding::apply(r.acc, r.m());
       return equal_if(
           tflite::neon_single_rounding::valid(r.acc, r.m()),
           tflite::neon_single_rounding::apply(r.acc, r.m()) == y && cmsis_nn::mve_single_rounding::apply(r.acc, r.m()) == y);
     }},
    {"TFLite int64 is TOSA scale16 and exact half up",
     [](const row& r) {
       const std::int64_t y = tflite::reduced_int64::apply(r.wide_acc, r.m16());
       return equal_if(tflite::reduced_int64::valid(r.wide_acc, r.m16()),
                       tosa::scale16::valid(r.wide_acc, r.m16()) && tosa::scale16::apply(r.wide_acc, r.m16()) == y &&
                           exact::half_up::apply(r.wide_acc, {r.m16().mantissa, r.m16().right_shift}) == y);
     }},
    {"CMSIS-NN's int64 helper is TFLite int64 below 2^30",
     [](const row& r) {
       const std::int64_t y = tflite::reduced_int64::apply(r.wide_acc, r.m16());
       const bool inside = tflite::reduced_int64::valid(r.wide_acc, r.m16()) && y < 1 << 30 && y > -(1 << 30);
       return equal_if(inside, cmsis_nn::requantize_s64::valid(r.wide_acc, r.m16()) &&
                                   cmsis_nn::requantize_s64::apply(r.wide_acc, r.m16()) == y);
     }},
    {"XNNPACK fp32 is FBGEMM's float and MLAS",
     [](const row& r) {
       const std::int64_t y = xnnpack::fp32::apply(r.acc, r.scale);
       return equal_if(true, fbgemm::floating::apply(r.acc, r.scale) == y && onnx::mlas::apply(r.acc, r.scale) == y);
     }},
    {"FBGEMM's fixed point is exact half up and XNNPACK rndnu on NEON",
     [](const row& r) {
       const std::int64_t y = exact::half_up::apply(r.acc, r.m24());
       const multiplier32 m = fbgemm::fixed::derive(r.scale).value;
       return equal_if(true, fbgemm::fixed::apply(r.acc, m) == y && xnnpack::rndnu_neon::apply(r.acc, r.m24()) == y);
     }},
    {"XNNPACK rndnu on NEON is its own saturating steps on an int8 output",
     [](const row& r) {
       const int shift = static_cast<int>(r.m24().right_shift) - 24, n = shift > 1 ? shift : 1;
       const std::int64_t product = std::int64_t{shift_left_saturated(r.acc, n - shift)} * (r.m24().mantissa * 128);
       const std::int64_t y = saturate<std::int16_t>(shift_right<half_up>(product >> 31, n));
       const std::int8_t with_zero_point = saturate<std::int8_t>(std::int64_t{saturate<std::int16_t>(y - 37)});
       return equal_if(true, requantize<xnnpack::rndnu_neon>(r.acc, r.m24(), range_of<std::int8_t>(-37)) == with_zero_point);
     }},
    {"XNNPACK rndna is exact half away where it fits",
     [](const row& r) {
       return equal_if(xnnpack::rndna::valid(r.acc, r.m24()),
                       xnnpack::rndna::apply(r.acc, r.m24()) == exact::half_away::apply(r.acc, r.m24()));
     }},
    {"XNNPACK's gemmlowp rule is TFLite double without a left shift",
     [](const row& r) {
       return equal_if(xnnpack::gemmlowp::valid(r.m()),
                       xnnpack::gemmlowp::apply(r.acc, r.m()) == tflite::double_rounding::apply(r.acc, r.m()));
     }},
};

/// The first equality that a row breaks, or whose domain fewer than one row in sixteen reaches; or -1.
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

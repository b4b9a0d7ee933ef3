// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The quantizers of ggml: the reference rules and the rules of AVX2. Floor 2.
/// Sources: src/ggml-quants.c, quantize_row_*_ref; src/ggml-cpu/arch/x86/quants.c, quantize_row_q8_0 and quantize_row_q8_1.
/// Revision: ggml @ d99724f2.
///
/// Each operation rounds once to binary32, half even. A rule returns `scale_too_small` if a reciprocal overflows, because the
/// conversion to an integer is then undefined in C. It returns `scale_too_large` if d, m or s overflows binary16. A d that rounds
/// to 0 in binary16 is stored: the block reads as zeros, whatever its codes are.

#include <dyadic/blocks/block_input.hpp>
#include <dyadic/blocks/ggml_blocks.hpp>

namespace dyadic {

/// Quantizes x to the bytes of blocks: `quantize_blocks(ggml::reference<ggml::q4_0>{}, x, y)`.
/// Returns the status of a view or of the rule, `overlap`, or `shape_mismatch` if x is not a whole number of blocks or y does not
/// have their bytes. Returns `scale_not_finite` if x has a NaN or an infinity. Nothing is written if the status is not `ok`.
template <class Rule>
DYADIC_API constexpr status quantize_blocks(const Rule&, view<const float> x, view<std::uint8_t> y) noexcept {
  using block = typename Rule::block;
  if (const status s = detail::check_block_input(x, block::elements, y, block::bytes); s != status::ok) return s;
  for (int pass = 0; pass < 2; ++pass)
    for (index_t from = 0, to = 0; from < x.size(); from += block::elements, to += block::bytes) {
      std::uint8_t made[block::bytes] = {};
      if (const status s = Rule::quantize(x.data() + from, made); s != status::ok) return s;
      for (index_t i = 0; pass == 1 && i < block::bytes; ++i) y[to + i] = made[i];
    }
  return status::ok;
}

namespace ggml {

/// Returns the UE4M3 code of x as ggml_fp32_to_ue4m3 does: half up on 3 bits of fraction, and 0 unless x > 0. It has two defects:
/// each x >= 248 gives 0x7E, which is 448, and subnormal codes are floor(fl(512 * x + 1/2)), at most 7.
DYADIC_API constexpr std::uint8_t to_ue4m3(binary32 x) noexcept {
  if (!less(binary32{}, x)) return 0;
  if (less(x, binary32(0x1p-6f)))
    return static_cast<std::uint8_t>(clamp(to_integer<to_floor>(dyadic::add(scale_by_power_of_two(x, 9), binary32(0.5f))), 0, 7));
  const std::uint8_t code = round_to<e4m3, half_away>(x).bits;
  return code < 0x78 ? code : std::uint8_t{0x7E};  // 0x78 is 256, the least number with the exponent of 448
}

/// Returns the first E2M1 code whose doubled value k has the least error fl(|fl(k * d) - x|). Hence ties go towards zero, and 0
/// has no sign. Requires: x is finite, d is finite and not negative.
DYADIC_API constexpr int nearest_e2m1(binary32 x, binary32 d) noexcept {
  int best = 0;
  binary32 least = magnitude(x);
  for (int code = 1; code < 8; ++code) {  // a code of the other sign is never nearer than 0
    const binary32 y = dyadic::multiply(from_integer<binary32>(integer_of(e2m1::from_bits(code))), d);
    const binary32 error = magnitude(dyadic::subtract(y, magnitude(x)));
    if (!less(error, least)) continue;
    least = error;
    best = code;
  }
  return best != 0 && is_negative(x) ? best | 8 : best;
}

namespace detail {

/// Stores x as binary16, the low byte first. Returns false if it overflows.
DYADIC_API constexpr bool store_half(std::uint8_t* bytes, binary32 x) noexcept {
  const auto half = dyadic::detail::convert<binary16>(x);
  bytes[0] = wrap<std::uint8_t>(half.bits);
  bytes[1] = static_cast<std::uint8_t>(half.bits >> 8);
  return is_finite(half);
}

/// Returns a / b, or 0 if b is 0.
DYADIC_API constexpr binary32 quotient_or_zero(binary32 a, binary32 b) noexcept {
  return is_zero(b) ? binary32{} : dyadic::divide(a, b);
}

/// code = min(2^bits - 1, floor((x - m) * (1 / d) + zero + 1/2)), with d before its rounding to binary16.
/// If Block::zero is not 0, then m is 0, and the first x of largest magnitude is -zero * d.
/// If Block::zero is 0, then m is the least x, and the greatest x is m + (2^bits - 1) * d.
template <class Block>
struct truncated {
  using block = Block;  ///< the bytes

  /// Quantizes a block. Requires: finite x, and zeros in y.
  DYADIC_API static constexpr status quantize(const float* x, std::uint8_t* y) noexcept {
    constexpr int top = (1 << Block::bits) - 1;
    binary32 d, m;
    if constexpr (Block::zero != 0) {
      d = dyadic::divide(dyadic::detail::largest(x, Block::elements), from_integer<binary32>(-Block::zero));
    } else {
      dyadic::detail::real_range range{binary32(x[0]), binary32(x[0])};
      for (index_t i = 1; i < Block::elements; ++i) range.hold(binary32(x[i]));
      m = range.low;
      d = dyadic::divide(dyadic::subtract(range.high, m), from_integer<binary32>(top));
      if (!store_half(y + 2, m)) return status::scale_too_large;
    }
    if (!store_half(y, d)) return status::scale_too_large;
    const binary32 reciprocal = quotient_or_zero(1.0f, d);
    if (!is_finite(reciprocal)) return status::scale_too_small;
    const binary32 bias = scale_by_power_of_two(from_integer<binary32>(2 * Block::zero + 1), -1);
    for (index_t i = 0; i < Block::elements; ++i) {
      const binary32 q = dyadic::add(dyadic::multiply(dyadic::subtract(binary32(x[i]), m), reciprocal), bias);
      Block::set_code(y, i, static_cast<int>(clamp(to_integer<to_floor>(q), 0, top)));
    }
    return status::ok;
  }
};

/// d = a / 127 for the largest magnitude a. code = x * (1 / d), half away. The rule of AVX2 is x * (127 / a), half even.
/// Codes are -127 .. 127. s = d * (sum of the codes), with d before its rounding to binary16.
template <class Block, class Ties>
struct rounded {
  using block = Block;  ///< the bytes

  /// Quantizes a block. Requires: finite x.
  DYADIC_API static constexpr status quantize(const float* x, std::uint8_t* y) noexcept {
    const binary32 a = magnitude(dyadic::detail::largest(x, Block::elements)), d = dyadic::divide(a, binary32(127.0f));
    if (!store_half(y, d)) return status::scale_too_large;
    const binary32 r = std::is_same_v<Ties, half_even> ? quotient_or_zero(127.0f, a) : quotient_or_zero(1.0f, d);
    if (!is_finite(r)) return status::scale_too_small;
    int sum = 0;
    for (index_t i = 0; i < Block::elements; ++i) {
      const int code = static_cast<int>(to_integer<Ties>(dyadic::multiply(binary32(x[i]), r)));
      Block::set_code(y, i, code);
      sum += code;
    }
    if constexpr (std::is_same_v<Block, q8_1>)
      if (!store_half(y + 2, dyadic::multiply(from_integer<binary32>(sum), d))) return status::scale_too_large;
    return status::ok;
  }
};

/// A scale for each group by its largest magnitude, then `nearest_e2m1`.
template <class Block>
struct nearest {
  using block = Block;  ///< the bytes

  /// Quantizes a block. Requires: finite x, and zeros in y.
  DYADIC_API static constexpr status quantize(const float* x, std::uint8_t* y) noexcept {
    for (index_t i = 0; i < Block::elements; ++i) {
      if (i % Block::group == 0) {
        const int scale = scale_code(magnitude(dyadic::detail::largest(x + i, Block::group)));
        if (scale < 0) return status::scale_too_small;
        y[i / Block::group] = static_cast<std::uint8_t>(scale);
      }
      Block::set_code(y, i, nearest_e2m1(binary32(x[i]), Block::scale(y, i)));
    }
    return status::ok;
  }
  /// Returns the code of the scale for a largest magnitude, or a negative number if ggml's conversion is undefined.
  DYADIC_API static constexpr int scale_code(binary32 a) noexcept {
    if constexpr (std::is_same_v<Block, nvfp4>) return to_ue4m3(dyadic::divide(a, binary32(6.0f)));
    return is_zero(a) ? 0 : floor_of_rounded_log2(a) + 125;
  }
};

}  // namespace detail

/// The reference rules of q4_0, q4_1, q5_0 and q5_1.
template <class Block>
struct reference : detail::truncated<Block> {};
template <>
struct reference<q8_0> : detail::rounded<q8_0, half_away> {};  ///< the reference rule
template <>
struct reference<q8_1> : detail::rounded<q8_1, half_away> {};  ///< the reference rule
/// e = floor(log2f(a)) + 125, or 0 for a = 0. Returns `scale_too_small` if e < 0, where the conversion is undefined in C.
template <>
struct reference<mxfp4> : detail::nearest<mxfp4> {};
/// The scale is `to_ue4m3(a / 6)`. Takes all finite x.
template <>
struct reference<nvfp4> : detail::nearest<nvfp4> {};

/// The rules of AVX2 for q8_0 and q8_1.
template <class Block>
struct avx2 : detail::rounded<Block, half_even> {
  static_assert(Block::bits == 8, "AVX2 has rules of its own for q8_0 and q8_1");
};

}  // namespace ggml

namespace kleidiai {
/// kai_run_lhs_quant_pack_qsi8d32p_f32 makes the scales and codes of ggml's q8_0. Revision: KleidiAI @ 495f652.
using qsi8d32 = ggml::reference<ggml::q8_0>;
}  // namespace kleidiai

}  // namespace dyadic

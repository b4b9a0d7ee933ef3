#pragma once
/// \file
/// `exact::linear` with sums of binary32 in KleidiAI's order: blocks/panels.inc over vectors of float. The loads, the integer dot
/// products and the loops are those of the exact kernels.
///
///     I is the integer dot product of a block, dx and dw are its scales. dc is the scale of the channel, or 1.
///
///     activations                    order of operations
///     with scales of blocks          f = fma(I, fl(dx * dw), f)
///     with a scale of the whole row  f = fma(I, dw, f), then y = fl(fma(kernel sum, -zero point, f) * fl(dx * dc))
///     floats of 8 bits               s = fma(code of w, fl(code of x * dx), s) in a block, then f = fma(s, dw, f)

#include <dyadic/blocks/vectors.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

DYADIC_BEGIN_TARGET("avx2,fma,f16c")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace inexact_over_avx2 {

using over_avx2::indices;
using over_avx2::indices_below;

struct floats : blocks_over_avx2::block_vectors {
  using doubles = __m256;
  static __m128i load128(const unsigned char* p) noexcept { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static doubles set(float x) noexcept { return _mm256_set1_ps(x); }
  static doubles convert(ints v) noexcept { return _mm256_cvtepi32_ps(v); }
  static doubles from_binary16(const unsigned char* p) noexcept { return _mm256_cvtph_ps(load128(p)); }
  static doubles from_bfloat16(const unsigned char* p) noexcept {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load128(p)), 16));
  }
  static doubles multiply(doubles a, doubles b) noexcept { return _mm256_mul_ps(a, b); }
  static doubles fused(doubles a, doubles b, doubles c) noexcept { return _mm256_fmadd_ps(a, b, c); }
  static void store(std::uint64_t* p, doubles y, doubles /*high*/) noexcept { _mm256_storeu_ps(reinterpret_cast<float*>(p), y); }
};
#include "inexact_blocks.inc"

}  // namespace inexact_over_avx2
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

DYADIC_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma,f16c")
namespace dyadic::detail {
inline namespace DYADIC_ISA {
namespace inexact_over_avx512vnni {

using over_avx2::indices;
using over_avx2::indices_below;

struct floats : blocks_over_avx512vnni::block_vectors {
  using doubles = __m512;
  static doubles set(float x) noexcept { return _mm512_set1_ps(x); }
  static doubles convert(ints v) noexcept { return _mm512_maskz_cvtepi32_ps(all, v); }
  static doubles from_binary16(const unsigned char* p) noexcept { return _mm512_maskz_cvtph_ps(all, load256(p)); }
  static doubles from_bfloat16(const unsigned char* p) noexcept {
    return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(all, _mm512_maskz_cvtepu16_epi32(all, load256(p)), 16));
  }
  static doubles multiply(doubles a, doubles b) noexcept { return _mm512_mul_ps(a, b); }
  static doubles fused(doubles a, doubles b, doubles c) noexcept { return _mm512_fmadd_ps(a, b, c); }
  static void store(std::uint64_t* p, doubles y, doubles /*high*/) noexcept { _mm512_storeu_ps(p, y); }
};
#include "inexact_blocks.inc"

}  // namespace inexact_over_avx512vnni
}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
DYADIC_END_TARGET

namespace bench {

/// The kernels of a backend.
/// @{
template <class Backend>
struct inexact_blocks;
template <>
struct inexact_blocks<dyadic::backend::avx2> {
  using of_blocks = dyadic::detail::inexact_over_avx2::of_blocks::panel_kernel;
  using of_row = dyadic::detail::inexact_over_avx2::of_row::panel_kernel;
};
template <>
struct inexact_blocks<dyadic::backend::avx512vnni> {
  using of_blocks = dyadic::detail::inexact_over_avx512vnni::of_blocks::panel_kernel;
  using of_row = dyadic::detail::inexact_over_avx512vnni::of_row::panel_kernel;
};
/// @}

/// Computes y = x times w transposed in the order above, with the loops of `exact::linear`. Requires: `workspace` holds
/// `workspace_of(x, w)` bytes.
template <class Backend, class X, class Row>
void inexact_linear(const X& x, const dyadic::packed_rows<Row>& w, float* y, unsigned char* workspace) {
  using namespace dyadic::detail;
  using dyadic::index_t;
  constexpr bool has_blocks = !has_one_scale<typename X::row_type>;
  using kernels = inexact_blocks<Backend>;
  using kernel = std::conditional_t<has_blocks, typename kernels::of_blocks, typename kernels::of_row>;
  using codes = packed_codes<Row>;
  constexpr block_products by = block_products_of<typename X::row_type, Row>;
  constexpr std::int64_t offset = kernel::template offset<codes>;
  constexpr auto tile = static_cast<index_t>(kernel::tile_rows);
  const float unit = std::ldexp(1.0f, X::row_type::unit + Row::unit);
  std::uint8_t table[16] = {};
  put_table<codes>(by, offset, table);
  const panel_shape shape = shape_of_panel<Row>(w.depth(), w.block_size);
  const index_t row_bytes = prepared_bytes(shape, by), block = w.block_size;
  std::vector<prepared_row> prepared(static_cast<std::size_t>(x.rows()));
  for (index_t r = 0; r < x.rows(); ++r) {
    const auto row = x.row(r);
    unsigned char* to = workspace + r * row_bytes;
    prepared_row& p = prepared[static_cast<std::size_t>(r)];
    p = {to, dyadic::binary32{1.0f}, 0, 0, 0, 0};
    if constexpr (!has_blocks) p.factor = row.factor;
    if constexpr (std::is_same_v<typename X::row_type, dyadic::qd8_row>) p.zero_point = row.zero_point;
    for (index_t first = 0; first < row.size(); first += block) {
      const index_t count = std::min(block, row.size() - first);
      const float scale = has_blocks ? row.scale(first).to_float() : 1.0f;
      if constexpr (by == block_products::numbers) {
        const float factor = std::ldexp(scale, number_shift<codes>);
        for (index_t k = 0; k < shape.padded_codes; ++k, to += 8) {
          const float number = k < count ? static_cast<float>(row.integer(first + k)) * factor : 0;
          std::memcpy(to, &number, sizeof number);
        }
      } else {
        unsigned char* const codes_of_block = to + bytes_before_codes;
        if (const void* const from = int8_codes(row, first); from != nullptr)
          std::memcpy(codes_of_block, from, static_cast<std::size_t>(count));
        else
          for (index_t k = 0; k < count; ++k)
            codes_of_block[k] = static_cast<unsigned char>(row.integer(first + k) + p.zero_point);
        std::int32_t sum = kernel::sums_of(codes_of_block, count / 32 * 32).codes;
        for (index_t k = count / 32 * 32; k < count; ++k) sum += dyadic::wrap<std::int8_t>(codes_of_block[k]);
        std::fill(codes_of_block + count, codes_of_block + shape.padded_codes, static_cast<unsigned char>(0));
        const auto start = static_cast<std::int32_t>(-offset * sum);
        std::memcpy(to, &start, sizeof start);
        std::memcpy(to + 8, &scale, sizeof scale);
        to += bytes_before_codes + shape.padded_codes;
      }
    }
  }
  for (index_t channel = 0; channel < w.rows(); channel += panel_rows) {
    const unsigned char* const panel = w.row(channel).panel;
    const index_t columns = std::min(w.rows() - channel, panel_rows);
    for (index_t r = 0; r < x.rows(); r += tile) {
      const index_t height = std::min(x.rows() - r, tile);
      prepared_row rows[kernel::tile_rows];
      for (index_t i = 0; i < tile; ++i) rows[i] = prepared[static_cast<std::size_t>(r + std::min(i, height - 1))];
      std::uint64_t sums[kernel::tile_rows][panel_rows];
      kernel::template multiply<codes, by>(panel, shape, w.scales == dyadic::scale_format::binary16, table, rows, height, sums);
      for (index_t i = 0; i < height; ++i) {
        const float scale = rows[i].factor.to_float() * unit, minus_z = -static_cast<float>(rows[i].zero_point);
        for (index_t c = 0; c < columns; ++c) {
          float f = 0;
          double kernel_sum = 0;
          std::memcpy(&f, reinterpret_cast<const float*>(sums[i] + c / kernel::count * kernel::count) + c % kernel::count,
                      sizeof f);
          float factor = 0;
          const unsigned char* const tail = panel + shape.blocks * shape.block_bytes;
          if (!has_blocks) std::memcpy(&kernel_sum, tail + 8 * c, sizeof kernel_sum);
          std::memcpy(&factor, tail + factors_in_tail + 4 * c, sizeof factor);
          y[(r + i) * w.rows() + channel + c] = (f + static_cast<float>(kernel_sum) * minus_z) * (scale * factor);
        }
      }
    }
  }
}

}  // namespace bench

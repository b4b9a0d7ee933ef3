// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Linear layers of rows with scales: exact sums, each rounded once. Floor 4.
///
///   const auto w = q::pack_rows(q::ggml::matrix<q::ggml::q4_0>{weights}, memory).value;  // once
///   const q::ggml::matrix<q::ggml::q8_0> x{activations};
///   q::exact::linear<q::backend::avx2>(x, w, y, {}, workspace);                           // y = x times w transposed
///
/// Each matrix of a batched product is one call. blocks/vectors.hpp has the vectors of this machine.
///
/// Vectors multiply a block in integers, and sum blocks in binary64. They run an output if binary64 holds all its partial sums,
/// in whatever order, so that no operation rounds. `row_limit` decides that for each row of activations and each panel of
/// weights. Portable code, which is exact for all scales, runs the other outputs. It runs all outputs if the processor flushes
/// subnormal numbers or does not round to nearest.

#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/packed_rows.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

/// Turns the sums of a linear layer into outputs. A float is clamp(sum + bias, min, max), rounded once. An integer is
/// round((sum + bias) / scale) + zero_point, ties to even, saturated to its type, with the sum clamped before.
struct sum_epilogue {
  view<const float> bias;                     ///< one for each row of weights, or empty
  binary32 min = negate(epilogue::infinity);  ///< the least sum
  binary32 max = epilogue::infinity;          ///< the greatest sum
  binary32 scale{1.0f};                       ///< of integers: positive
  std::int32_t zero_point = 0;                ///< of integers: a value of their type

  /// Returns the epilogue of output channel i.
  DYADIC_API constexpr epilogue of(index_t i) const noexcept { return {bias.empty() ? binary32{} : binary32{bias[i]}, min, max}; }
  /// Returns true if floats are the rounded sums.
  DYADIC_API constexpr bool is_empty() const noexcept {
    return bias.empty() && min.bits == negate(epilogue::infinity).bits && max.bits == epilogue::infinity.bits;
  }
};

namespace detail {

/// The vectors of a backend for panels, or those of its fallback. A backend without vectors has none.
template <class Backend>
struct panel_kernel_of {
  using type = typename panel_kernel_of<typename Backend::fallback>::type;
};
template <>
struct panel_kernel_of<backend::scalar> {
  using type = void;
};

/// True if the codes of a row, or those before the zero point is subtracted, are int8.
template <class Row>
inline constexpr bool is_packed_operand = Row::largest <= 128 || std::is_same_v<Row, one_scale_row<integer_codes<std::int8_t>>>;

/// Writes the output of channel c.
template <class Y>
DYADIC_API constexpr void put_output(Y& y, const exact_sum& products, const sum_epilogue& e, index_t c) noexcept {
  const exact_sum sum = exact::finish(products, e.of(c));
  if constexpr (std::is_same_v<Y, float>) {
    y = sum.rounded<binary32>().to_float();
  } else if constexpr (std::is_integral_v<Y>) {
    const std::int32_t zero = e.zero_point, least = limits<Y>::min - zero, most = limits<Y>::max - zero;
    y = static_cast<Y>(sum.quotient<half_even>(e.scale, least, most) + zero);
  } else {
    y = sum.rounded<Y>();
  }
}

/// A row of activations as vectors read it. For each block:
///     8 bytes   the first value of the sum, an int32, and 4 bytes that are not read
///     16 bytes  the scale, and 1.5 * 2^20 times the scale, binary64
///     codes     int8, then zeros
struct prepared_row {
  const unsigned char* blocks;  ///< the first block
  binary32 factor;              ///< the scale of the row
  std::int32_t zero_point;      ///< of the codes
  std::uint64_t sum;            ///< see `row_limit`
};
inline constexpr index_t bytes_before_codes = 24;

DYADIC_API constexpr index_t prepared_bytes(const panel_shape& shape) noexcept {
  return static_cast<index_t>(sizeof(prepared_row)) + shape.blocks * (bytes_before_codes + shape.padded_codes);
}

/// The upper half of 1.5 * 2^20 in binary64. An integer of -2^19 .. 2^19 that is added to this half is added to the number.
/// @{
inline constexpr std::int64_t magic = 0x4138'0000;
inline constexpr double magic_value = 1572864.0;
/// @}

/// Returns where codes lie as int8 from code i on, up to the end of a block, or null.
/// @{
template <class X>
DYADIC_API const void* int8_codes(const X& /*x*/, index_t /*i*/) noexcept {
  return nullptr;
}
DYADIC_API inline const void* int8_codes(const qd8_row& x, index_t i) noexcept { return x.codes.data() + i; }
template <class Scale>
DYADIC_API const void* int8_codes(const block_scaled_row<element_codes<mxint8>, Scale>& x, index_t i) noexcept {
  return x.elements.data() + i;
}
DYADIC_API inline const void* int8_codes(const ggml::row<ggml::q8_0>& x, index_t i) noexcept {
  return x.at(i) + ggml::q8_0::first + i % ggml::q8_0::elements;
}
/// @}

/// Writes a row of activations to `to`. The sum of a block begins with magic - offset * (sum of its codes), because vectors
/// multiply codes of weights plus an offset.
template <class Kernel, class X>
DYADIC_API void prepare_row(const X& x, const panel_shape& shape, index_t block, std::int64_t offset,
                            unsigned char* to) noexcept {
  unsigned char* y = to + sizeof(prepared_row);
  prepared_row row{y, binary32{1.0f}, 0, 0};
  int least = 0;
  if constexpr (has_one_scale<X>) {
    row.factor = x.factor;
    row.zero_point = x.zero_point;
  } else {
    least = scale_range_of(x).value.least;
  }
  const int zero = row.zero_point;
  for (index_t first = 0; first < x.size(); first += block, y += bytes_before_codes + shape.padded_codes) {
    const index_t rest = x.size() - first, count = rest < block ? rest : block;
    unsigned char* const codes = y + bytes_before_codes;
    const void* const from = int8_codes(x, first);
    if (from != nullptr)
      DYADIC_MEMCPY(codes, from, static_cast<std::size_t>(count));
    else
      for (index_t k = 0; k < count; ++k) codes[k] = static_cast<unsigned char>(x.integer(first + k) + zero);
    std::int32_t sum = 0, magnitudes = 0;
    for (index_t k = 0; k < count; ++k) {
      const std::int32_t code = wrap<std::int8_t>(codes[k]);
      sum += code;
      magnitudes += code < 0 ? -code : code;
    }
    for (index_t k = count; k < shape.padded_codes; ++k) codes[k] = 0;
    const binary32 scale = has_one_scale<X> ? binary32{1.0f} : x.scale(first);
    const std::uint64_t start = static_cast<std::uint32_t>(magic - offset * sum);
    DYADIC_MEMCPY(y, &start, sizeof start);
    Kernel::put_scale(scale.to_float(), y + sizeof start);
    const odd_multiple s = odd_multiple_of(magnitude(scale));
    const std::uint64_t term = static_cast<std::uint64_t>((magnitudes + (zero < 0 ? -zero : zero) * count) * s.value);
    const int shift = s.exponent - least;
    if (term == 0) continue;
    const bool fits = shift < leading_zeros(term) - 2 && row.sum >> 62 == 0;
    row.sum = fits ? row.sum + (term << shift) : ~std::uint64_t{0};
  }
  DYADIC_MEMCPY(to, &row, sizeof row);
}

/// Returns a sum that is a binary64 times 2^unit, times the scale of a row.
DYADIC_API constexpr exact_sum sum_of_double(binary64 sum, int unit, binary32 factor) noexcept {
  const fraction f = decompose(sum);
  const auto whole = static_cast<std::int64_t>(f.significand >> 11);
  exact_sum all;
  if (whole != 0) all.add(f.negative ? -whole : whole, f.exponent + 11 + unit);
  all.multiply_by(factor);
  return all;
}

/// Runs rows of activations by the vectors of a kernel. Requires: the workspace holds a prepared row.
template <class Kernel, class X, class Row, class Y>
DYADIC_API void run_panels(const X& x, const packed_rows<Row>& w, const matrix_view<Y>& y, const sum_epilogue& e,
                           view<unsigned char> workspace) noexcept {
  using activations = typename X::row_type;
  using codes = packed_codes<Row>;
  constexpr auto tile = static_cast<index_t>(Kernel::tile_rows);
  constexpr int unit = activations::unit + Row::unit;
  std::uint8_t table[16] = {};
  for (int i = 0; i < 16; ++i) table[i] = static_cast<std::uint8_t>(codes::code(i) + Kernel::template offset<codes>);
  const panel_shape shape = shape_of_panel<Row>(w.depth(), w.block_size);
  const index_t row_bytes = prepared_bytes(shape), at_once = workspace.size() / row_bytes;
  std::uint64_t sums[Kernel::tile_rows][panel_rows];
  for (index_t first = 0; first < x.rows(); first += at_once) {
    const index_t left = x.rows() - first, count = left < at_once ? left : at_once;
    for (index_t r = 0; r < count; ++r)
      prepare_row<Kernel>(x.row(first + r), shape, w.block_size, Kernel::template offset<codes>,
                          workspace.data() + r * row_bytes);
    for (index_t channel = 0; channel < w.rows(); channel += panel_rows) {
      const unsigned char* const panel = w.row(channel).panel;
      const unsigned char* const tail = panel + shape.blocks * shape.block_bytes;
      const std::uint64_t limit = number_at<8>(tail + 8 * panel_rows);
      const index_t channels = w.rows() - channel, columns = channels < panel_rows ? channels : panel_rows;
      for (index_t r = 0; r < count; r += tile) {
        const index_t height = count - r < tile ? count - r : tile;
        prepared_row rows[Kernel::tile_rows];
        for (index_t i = 0; i < tile; ++i)  // the last row fills the tile up
          DYADIC_MEMCPY(&rows[i], workspace.data() + (r + (i < height ? i : height - 1)) * row_bytes, sizeof rows[i]);
        Kernel::template multiply<codes>(panel, shape, w.has_binary16, table, rows, height, sums);
        for (index_t i = 0; i < height; ++i) {
          const index_t at = first + r + i;
          Y* const to = y.row(at) + channel;
          const prepared_row& row = rows[i];
          if (limit == 0 || row.sum > limit) {
            for (index_t c = 0; c < columns; ++c)
              put_output(to[c], exact::dot(x.row(at), w.row(channel + c)).value, e, channel + c);
            continue;
          }
          if (row.zero_point != 0) Kernel::subtract(sums[i], tail, row.zero_point);
          if constexpr (std::is_same_v<Y, float>) {
            if (e.is_empty()) {
              Kernel::put_outputs(sums[i], scale_by_power_of_two(binary64{row.factor}, unit), to, columns);
              continue;
            }
          }
          for (index_t c = 0; c < columns; ++c)
            put_output(to[c], sum_of_double(binary64::from_bits(sums[i][c]), unit, row.factor), e, channel + c);
        }
      }
    }
  }
}

/// Returns the first error of a linear layer but those of its workspace.
template <class X, class W, class Y>
DYADIC_API constexpr status check_linear(const X& x, const W& w, const matrix_view<Y>& y, const sum_epilogue& e) noexcept {
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(w); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  if (const status s = check(e.bias); s != status::ok) return s;
  if (y.rows() != x.rows() || y.cols() != w.rows()) return status::shape_mismatch;
  if (x.rows() > 0 && w.rows() > 0 && x.depth() != w.depth()) return status::shape_mismatch;
  if (!e.bias.empty() && e.bias.size() != w.rows()) return status::shape_mismatch;
  for (index_t c = 0; c < (e.bias.empty() ? 1 : w.rows()); ++c)
    if (const status s = check(e.of(c)); s != status::ok) return s;
  if constexpr (std::is_integral_v<Y>) {
    static_assert(sizeof(Y) <= 2, "outputs are float, bfloat16, binary16, or integers of 8 or 16 bits");
    if (!is_finite(e.scale)) return status::scale_not_finite;
    if (is_zero(e.scale) || is_negative(e.scale)) return is_zero(e.scale) ? status::scale_zero : status::scale_negative;
    if (!fits<Y>(std::int64_t{e.zero_point})) return status::zero_point_out_of_range;
  }
  if (overlap(x, y) || overlap(w, y) || overlap(e.bias, y)) return status::overlap;
  for (index_t r = 0; r < x.rows(); ++r) {
    const auto row = x.row(r);
    if (const status s = check(row); s != status::ok) return s;
    for (index_t i = 0; i < row.size(); i = next_block(row, i))
      if (!is_finite(row.scale(i))) return status::scale_not_finite;
  }
  return status::ok;
}

}  // namespace detail

/// Returns the bytes of workspace with which `exact::linear` reads the weights once for `rows` rows of activations. It takes
/// the bytes of one row at least. Requires: check(w) is `ok`.
template <class Row>
DYADIC_API constexpr index_t workspace_of(const packed_rows<Row>& w, index_t rows = 1) noexcept {
  return rows * detail::prepared_bytes(detail::shape_of_panel<Row>(w.depth(), w.block_size));
}

namespace exact {

/// y[r][c] = clamp(sum over i of x[r][i] * w[c][i] + bias[c], min, max), rounded once, half even. y is float, bfloat16, binary16,
/// or integers of 8 or 16 bits in units of `scale`: see `sum_epilogue`.
/// Returns an error of x, w, y or the epilogue, `shape_mismatch`, `scale_not_finite` or `overlap`. A backend with vectors needs
/// a workspace for one row of activations, else `arena_too_small`. Nothing is written then.
template <class Backend = backend::scalar, class X, class Row, class Y>
DYADIC_API constexpr status linear(const X& x, const packed_rows<Row>& w, const matrix_view<Y>& y, const sum_epilogue& e = {},
                                   view<unsigned char> workspace = {}) noexcept {
  using kernel = typename dyadic::detail::panel_kernel_of<Backend>::type;
  if (const status s = dyadic::detail::check_linear(x, w, y, e); s != status::ok) return s;
  if constexpr (!std::is_void_v<kernel> && dyadic::detail::is_packed_operand<typename X::row_type>) {
    if (const status s = check(workspace); s != status::ok) return s;
    if (workspace.size() < workspace_of(w)) return status::arena_too_small;
    if (overlap(x, workspace) || overlap(w, workspace) || overlap(y, workspace) || overlap(e.bias, workspace))
      return status::overlap;
    const bool divides = dyadic::detail::has_one_scale<typename X::row_type> || x.rows() == 0 || w.depth() == 0 ||
                         x.row(0).block() % w.block_size == 0;
    if (divides && kernel::runs_now()) {
      dyadic::detail::run_panels<kernel>(x, w, y, e, workspace);
      return status::ok;
    }
  }
  for (index_t r = 0; r < y.rows(); ++r)
    for (index_t c = 0; c < y.cols(); ++c) dyadic::detail::put_output(y.row(r)[c], dot(x.row(r), w.row(c)).value, e, c);
  return status::ok;
}

}  // namespace exact
}  // namespace dyadic

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
/// Vectors multiply a block in integers, and sum blocks in binary64. Codes of E4M3, E5M2, E3M2 and 16 bits do not fit int8, so
/// that their blocks are multiplied in binary64, too. Vectors run an output if binary64 holds all its partial sums, in whatever
/// order, so that no operation rounds. `row_limit` decides that for each row of activations and each panel of weights. Binary64
/// must also hold the product of the scales of a row, of a channel and of both tensors. Otherwise vectors sum each row in two
/// parts, each without rounding, if `grid_of` finds where to part them and activations have no zero point. Portable code, which
/// is exact for all scales, runs the other outputs. It runs all outputs if the processor flushes subnormal numbers or does not
/// round to nearest.

#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/prepared_rows.hpp>
#include <dyadic/dispatch.hpp>

namespace dyadic {

/// Turns the sums of a linear layer into outputs, with s = sum * x_scale * w_scale + bias, clamped to min .. max. A float is s,
/// rounded once. An integer is round(s / scale) + zero_point, ties to even, saturated to its type.
struct sum_epilogue {
  view<const float> bias;                     ///< one for each output channel, in the unit of s, or empty for 0
  binary32 min = negate(epilogue::infinity);  ///< the least s
  binary32 max = epilogue::infinity;          ///< the greatest s
  binary32 scale{1.0f};                       ///< the scale of integer outputs, positive
  std::int32_t zero_point = 0;                ///< the zero point of integer outputs, a value of their type
  binary32 x_scale{1.0f};                     ///< the second scale of x, finite, as NVFP4 has for a tensor
  binary32 w_scale{1.0f};                     ///< the second scale of w, finite

  /// Returns the epilogue of output channel i.
  DYADIC_API constexpr epilogue of(index_t i) const noexcept { return {bias.empty() ? binary32{} : binary32{bias[i]}, min, max}; }
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

/// Writes the output of channel c.
template <class Y>
DYADIC_API constexpr void put_output(Y& y, const exact_sum& products, const sum_epilogue& e, index_t c) noexcept {
  exact_sum sum = products;
  const binary32 seconds[] = {e.x_scale, e.w_scale};
  for (const binary32 second : seconds)
    if (second.bits != binary32{1.0f}.bits) sum.multiply_by(second);
  sum = exact::finish(sum, e.of(c));
  if constexpr (std::is_same_v<Y, float>) {
    y = sum.rounded<binary32>().to_float();
  } else if constexpr (std::is_integral_v<Y>) {
    const std::int32_t zero = e.zero_point, least = limits<Y>::min - zero, most = limits<Y>::max - zero;
    y = static_cast<Y>(sum.quotient<half_even>(e.scale, least, most) + zero);
  } else {
    y = sum.rounded<Y>();
  }
}

/// Returns an output of 16 bits from the bits of a finite sum in binary64, rounded to odd. Most sums are normal numbers of Y,
/// which are rounded here.
template <class Y>
DYADIC_API constexpr Y rounded_again(std::uint64_t bits) noexcept {
  constexpr int shift = 52 - format<Y>::fraction_bits;
  constexpr std::uint64_t least = static_cast<std::uint64_t>(1023 + format<Y>::lowest_exponent) << 52;
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude < least) {
    const auto y = convert<Y>(binary64::from_bits(bits));
    return is_zero(y) ? Y::from_bits(0) : y;
  }
  const std::uint64_t half = (std::uint64_t{1} << (shift - 1)) - 1 + (magnitude >> shift & 1);
  const std::uint64_t y = ((magnitude + half) >> shift) - (least >> shift) + format<Y>::hidden_bit;
  const std::uint64_t code = y < format<Y>::infinity ? y : format<Y>::infinity;
  return Y::from_bits(static_cast<int>(code | bits >> 63 << 15));
}

/// The outputs of a row of activations and the rows of a panel.
struct outputs_of_panel {
  index_t row, channel, columns;  ///< the row of activations, the first channel, and channels
};

/// Writes outputs whose sums binary64 does not hold: by `wide_sum`, or by portable code.
template <class Kernel, class X, class Row, class Y>
DYADIC_API void run_beyond(const X& x, const packed_rows<Row>& w, const sum_epilogue& e, const panel_shape& shape,
                           const std::uint8_t* table, const prepared_row& row, const outputs_of_panel& of, Y* to) noexcept {
  using activations = typename X::row_type;
  constexpr block_products by = block_products_of<activations, Row>;
  const unsigned char* const panel = w.row(of.channel).panel;
  std::uint64_t parts[2][panel_rows];
  // Binary64 holds sums of blocks, or terms are products of codes. A zero point wants exact sums of weights, which no panel has.
  const bool are_blocks = row.most <= (std::uint64_t{1} << 53) / static_cast<std::uint64_t>(Row::largest);
  const bool has_parts = row.zero_point == 0 && (are_blocks || by == block_products::numbers);
  const index_t terms = shape.blocks * (are_blocks ? 1 : w.block_size);
  const unsigned char* const tail = panel + shape.blocks * shape.block_bytes;
  const int grid = has_parts ? grid_of(row.sum, row.least, Row::largest, tail, terms) : no_grid;
  if (grid != no_grid) {
    const double big = scale_by_power_of_two(binary64{1.5}, 52 + grid).to_double();
    Kernel::template multiply_wide<packed_codes<Row>, by>(panel, shape, w.scales == scale_format::binary16, table, row,
                                                          are_blocks, big, parts);
  }
  for (index_t c = 0; c < of.columns; ++c) {
    const auto channel = w.row(of.channel + c);
    exact_sum sum;
    if (grid == no_grid) {
      sum = exact::dot(x.row(of.row), channel).value;
    } else {
      for (const auto& part : parts) sum.add(scale_by_power_of_two(binary64::from_bits(part[c]), activations::unit + Row::unit));
      if (w.scales == scale_format::binary32) sum.multiply_by(channel.scale(0));
      if constexpr (has_one_scale<activations>) sum.multiply_by(row.factor);
    }
    put_output(to[c], sum, e, of.channel + c);
  }
}

/// Runs rows of activations by the vectors of a kernel. Requires: the workspace holds a prepared row.
template <class Kernel, class X, class Row, class Y>
DYADIC_API void run_panels(const X& x, const packed_rows<Row>& w, const matrix_view<Y>& y, const sum_epilogue& e,
                           view<unsigned char> workspace) noexcept {
  using activations = typename X::row_type;
  using codes = packed_codes<Row>;
  constexpr auto tile = static_cast<index_t>(Kernel::tile_rows);
  constexpr block_products by = block_products_of<activations, Row>;
  std::uint8_t table[16] = {};
  put_table<codes>(by, Kernel::template offset<codes>, table);
  const panel_shape shape = shape_of_panel<Row>(w.depth(), w.block_size);
  const index_t row_bytes = prepared_bytes(shape, by), at_once = workspace.size() / row_bytes;
  const auto unit = scale_by_power_of_two(binary64{1.0}, activations::unit + Row::unit).to_double();
  const double of_sums = unit * static_cast<double>(e.x_scale.to_float()) * static_cast<double>(e.w_scale.to_float());
  const int digits = digits_of(e.x_scale) + digits_of(e.w_scale) + (w.scales == scale_format::binary32 ? 24 : 0);
  // True if binary64 does not hold the sums of a row, or their scale.
  const auto is_beyond = [=](const prepared_row& row, std::uint64_t limit) {
    return limit == 0 || row.sum > limit || (digits > 29 && digits + digits_of(row.factor) > 53);
  };
  std::uint64_t sums[Kernel::tile_rows][panel_rows] = {};
  for (index_t first = 0; first < x.rows(); first += at_once) {
    const index_t left = x.rows() - first, count = left < at_once ? left : at_once;
    for (index_t r = 0; r < count; ++r) {
      unsigned char* const to = workspace.data() + r * row_bytes;
      if constexpr (by == block_products::integers)
        prepare_integers<Kernel>(x.row(first + r), shape, w.block_size, Kernel::template offset<codes>, to);
      else
        prepare_numbers(x.row(first + r), shape, w.block_size, number_shift<codes>, to);
    }
    for (index_t channel = 0; channel < w.rows(); channel += panel_rows) {
      const unsigned char* const panel = w.row(channel).panel;
      const unsigned char* const tail = panel + shape.blocks * shape.block_bytes;
      const std::uint64_t limit = number_at<8>(tail + limit_in_tail);
      const index_t channels = w.rows() - channel, columns = channels < panel_rows ? channels : panel_rows;
      float bias[panel_rows] = {};
      for (index_t c = 0; !e.bias.empty() && c < columns; ++c) bias[c] = e.bias[channel + c];
      for (index_t r = 0; r < count; r += tile) {
        const index_t height = count - r < tile ? count - r : tile;
        prepared_row rows[Kernel::tile_rows];
        for (index_t i = 0; i < tile; ++i)  // repeats the last row in a short tile
          DYADIC_MEMCPY(&rows[i], workspace.data() + (r + (i < height ? i : height - 1)) * row_bytes, sizeof rows[i]);
        bool are_all_beyond = true;
        for (index_t i = 0; i < height; ++i) are_all_beyond = are_all_beyond && is_beyond(rows[i], limit);
        if (!are_all_beyond)
          Kernel::template multiply<codes, by>(panel, shape, w.scales == scale_format::binary16, table, rows, height, sums);
        for (index_t i = 0; i < height; ++i) {
          const index_t at = first + r + i;
          Y* const to = y.row(at) + channel;
          const prepared_row& row = rows[i];
          if (is_beyond(row, limit)) {
            run_beyond<Kernel>(x, w, e, shape, table, row, {at, channel, columns}, to);
            continue;
          }
          if (row.zero_point != 0) Kernel::subtract_zero(sums[i], tail, row.zero_point);
          const double scale = static_cast<double>(row.factor.to_float()) * of_sums;
          Kernel::finish(sums[i], scale, tail + factors_in_tail, e.bias.empty() ? nullptr : bias);
          if constexpr (std::is_same_v<Y, float>) {
            float all[panel_rows];
            Kernel::put_floats(sums[i], e.min.to_float(), e.max.to_float(), columns < panel_rows ? all : to);
            for (index_t c = 0; columns < panel_rows && c < columns; ++c) to[c] = all[c];
          } else if constexpr (std::is_integral_v<Y>) {
            std::int32_t all[panel_rows];
            Kernel::put_integers(sums[i], e, limits<Y>::min, limits<Y>::max, all);
            for (index_t c = 0; c < columns; ++c) to[c] = static_cast<Y>(all[c]);
          } else {
            Kernel::clamp(sums[i], e);
            for (index_t c = 0; c < columns; ++c) to[c] = rounded_again<Y>(sums[i][c]);
          }
        }
      }
    }
  }
}

/// Returns the first error of a linear layer, except errors of its workspace.
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
  if (!is_finite(e.x_scale) || !is_finite(e.w_scale)) return status::scale_not_finite;
  if (overlap(x, y) || overlap(w, y) || overlap(e.bias, y)) return status::overlap;
  return check_rows(x);
}

}  // namespace detail

/// Returns the workspace, in bytes, that holds all rows of x, so that `exact::linear` reads the weights once. Returns the largest
/// index_t if the size exceeds it. `exact::linear` also accepts less, down to the bytes of one row. The function reads x.rows()
/// and no code of x. Requires: check(w) is `ok`, x.rows() >= 0.
template <class X, class Row>
DYADIC_API constexpr index_t workspace_of(const X& x, const packed_rows<Row>& w) noexcept {
  DYADIC_ASSERT(check(w) == status::ok && x.rows() >= 0);
  constexpr detail::block_products by = detail::block_products_of<typename X::row_type, Row>;
  const index_t one = detail::prepared_bytes(detail::shape_of_panel<Row>(w.depth(), w.block_size), by);
  return x.rows() > limits<index_t>::max / one ? limits<index_t>::max : x.rows() * one;
}

namespace exact {

/// y[r][c] = clamp(sum over i of x[r][i] * w[c][i] * x_scale * w_scale + bias[c], min, max), rounded once, half even. y is float,
/// bfloat16, binary16, or integers of 8 or 16 bits in units of `scale`: see `sum_epilogue`.
/// Returns the first error of x, w, y, the bias or the workspace, or:
///   `shape_mismatch`           sizes of x, w, y and the bias disagree
///   `scale_not_finite`         a scale of x, a second scale, or the scale of integer outputs
///   `scale_zero`, `scale_negative`, `zero_point_out_of_range`   of integer outputs
///   `value_out_of_range`, `empty_range`                         as `check` of an `epilogue`
///   `overlap`                  y or the workspace shares memory with another operand
///   `arena_too_small`          the backend has vectors for these codes, and the workspace holds no row of x
/// No output is written unless the status is `ok`.
template <class Backend = backend::scalar, class X, class Row, class Y>
DYADIC_API constexpr status linear(const X& x, const packed_rows<Row>& w, const matrix_view<Y>& y, const sum_epilogue& e = {},
                                   view<unsigned char> workspace = {}) noexcept {
  using kernel = typename dyadic::detail::panel_kernel_of<Backend>::type;
  if (const status s = dyadic::detail::check_linear(x, w, y, e); s != status::ok) return s;
  constexpr auto by = dyadic::detail::block_products_of<typename X::row_type, Row>;
  if constexpr (!std::is_void_v<kernel> && by != dyadic::detail::block_products::none) {
    if (const status s = check(workspace); s != status::ok) return s;
    const auto shape = dyadic::detail::shape_of_panel<Row>(w.depth(), w.block_size);
    if (x.rows() > 0 && workspace.size() < dyadic::detail::prepared_bytes(shape, by)) return status::arena_too_small;
    if (overlap(x, workspace) || overlap(w, workspace) || overlap(y, workspace) || overlap(e.bias, workspace))
      return status::overlap;
    bool divides = dyadic::detail::has_one_scale<typename X::row_type> || x.rows() == 0 || w.depth() == 0;
    if (!divides) divides = x.row(0).block() >= w.depth() || x.row(0).block() % w.block_size == 0;
    const bool fits = by == dyadic::detail::block_products::numbers || dyadic::detail::fits_int32<Row>(w.block_size);
    if (divides && fits && x.rows() > 0 && w.rows() > 0 && !dyadic::is_constant_evaluated() && kernel::runs_now()) {
      dyadic::detail::run_panels<kernel>(x, w, y, e, workspace);
      return status::ok;
    }
  }
  for (index_t r = 0; y.cols() > 0 && r < y.rows(); ++r)
    for (index_t c = 0; c < y.cols(); ++c) dyadic::detail::put_output(y.row(r)[c], dot(x.row(r), w.row(c)).value, e, c);
  return status::ok;
}

}  // namespace exact
}  // namespace dyadic

// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an instruction set supplies to the region of its backend, a line each; and checks that name what is missing. Floor 4.
///
/// A backend's header names three files. DYADIC_REGION_LANES holds `simd`, vectors and sizes; `lanes`, numbers of 32 and 64 bits;
/// `vector_store<Y>`; and includes scheme/formula.inc. DYADIC_REGION_MICRO_KERNELS holds what multiplies, DYADIC_REGION_DEPTHWISE
/// what convolves channel by channel; a backend without it leaves that, and rescaling, to its fallback.
///
/// Words: a micro-kernel multiplies MR rows of the LHS by a panel of NR columns of the RHS, KR elements of the depth at a time.
///   MR: rows of its accumulator tile in registers. simd::max_mr: rows of the accumulator tile in memory, the most that share an
///     LHS buffer; a multiple of any MR or not; DYADIC_MOST_ROWS at most.
///   NR: `nr`, columns of a panel, a whole number of lanes::count; DYADIC_MOST_COLUMNS at most.
///   KR: `layout.kr`, weights of one column that lie together, in the order of layout.place. What fills up the last weighs 0.
///   Packed int4 take `layout.bits`: 4 where the micro-kernel loads nibbles and NR is even, as each here does; 8 where not.
///   Packed bytes may have `layout.narrow`: a last panel of so many columns or fewer has no others. Micro-kernels read weights
///     of all NR there too, or of the next whole vectors, those of the next groups, and no one the accumulators of what is no
///     column.
///
/// DYADIC_REGION_MICRO_KERNELS:
///   nr, accumulator_stride, accumulator_row    columns of a panel; as many int32 or more, DYADIC_MOST_COLUMNS at most
///   micro_kernel_for<X, W>                     for activations X and weights W, by their types alone; `supplies_micro_kernel`
///   packing_micro_kernel_for<X, W>             the same for weights that are packed on the way
///   gemv_micro_kernel<MicroKernel, X>          optional: the one that multiplies one or two rows better; its own multiply_rows(rows, x, stride, w,
///                                              row_bytes, depth, are_wide, first, to), also to wide sums
///   panel_kernel_of<MicroKernel>               what loops over panels know of it: gemm/panel_kernel.inc has it of these two,
///                                              wide/panel_kernel.hpp of tiles
///   multiply_rows<MicroKernel>(rows, x, stride, w, depth, first, to)
///                                              to[r][c] = first[c] + sum of x[r * stride + k] * (weight k of column c), modulo
///                                              2^32, for 1 <= rows <= simd::max_mr; without `first` what is there instead.
///                                              Of copies, `depth` is a multiple of lhs_padding, and x ends with zeros; rows in
///                                              place have any depth.
///                                              `to` begins at a multiple of 64 bytes, by which Helium ends its loop
///   multiply_columns(MicroKernel, asked, rows, x, stride, w, row_bytes, depth, first, to)
///                                              where panels are narrow and panel_kernel_of is of these two: the same by the
///                                              first `asked` columns, fewer than NR; what is in others does not matter, it
///                                              may never have been written
///   sum_elements<MicroKernel>(x, length)       the sum of LHS elements, in 64 bits; of int16, x86 has x86/sum_int16.hpp
///   gemv<X, W, Accumulator>                    one row by weights that are not packed: gemm/gemv_lanes.inc, gemm/gemv_steps.inc
///   dot_product<X, W, Accumulator>(x, w, depth)
///                                              sum over k of x[k] * w[k], in the same files
///   where lanes::epilogue_in_registers:
///   runs_epilogue_on(MicroKernel, rows, x)     whether tiles of so many rows, lhs_runs, need not store their accumulators
///   multiply_into(MicroKernel, x, .., use)     the same as multiply_rows, but use(accumulators, rows, vectors) for each tile
///   where simd::loads_parts:
///   MicroKernel::load_step(w)                  the weights of a step, by vectors; add_products(acc, x, w) of one of these
///   broadcast_four(x)                          four bytes of an LHS row, for all columns
///   where lanes::epilogue_by_rows:
///   sum_row(MicroKernel, x, w, size, depth, accumulators, end)
///                                              adds the products of a row by all panels, `size` bytes apart
///
/// DYADIC_REGION_DEPTHWISE, over channel tiles of 2 * simd::count:
///   lane_of_channel(c)                         where the accumulator of a channel of the tile is
///   store_channels(store, y, first, second)    its outputs in the order of channels
///   window_taps                                the weights of a window, less their zero point: depthwise/taps.inc
///   run_output_tile(taps, epilogue, outputs)   the outputs of a tile: depthwise/one_tap.inc runs a tap micro-kernel
///
/// DYADIC_REGION_COMPACT, optional: what compact/rows.inc lists, for files that are compiled for size.
///
/// vector_store<Y>{range}: saturates(range) and packs_first() as enum `clamping` says; store<Known>(y, int32s...) for a panel and
/// for a step of rescaling; store_one(y, int32s) where there is one vector in a step; store_interleaved where load_even_odd parts
/// them.

#include <dyadic/backend/gemm/panel_loops.hpp>
#include <dyadic/lanes.hpp>
#include <dyadic/pack.hpp>

namespace dyadic::detail {

/// Sizes, and what copies, fills and widens. The operands of `noexcept` are never run, so that no vector leaves a region.
template <class S>
DYADIC_API constexpr bool supplies_vectors() noexcept {
  static_assert(sizeof(typename S::vector) == 4 * S::count, "simd::vector: `count` numbers of 32 bits, or twice as many of 16");
  static_assert(S::max_mr >= 1, "simd::max_mr: rows of the accumulator tile in memory");
  static_assert(S::max_buffered_depth >= 8, "simd::max_buffered_depth: elements of each row of a tile that are copied at a time");
  static_assert(S::max_packed_bytes >= 8, "simd::max_packed_bytes: bytes of weights that are packed on the way at a time");
  static_assert(S::max_taps >= 9, "simd::max_taps: of a depthwise window");
  static_assert(S::max_copied_bytes >= 4 * S::count * S::max_taps,
                "simd::max_copied_bytes: inputs of an output tile: a window at least");
  static_assert(S::max_tile_columns >= 1, "simd::max_tile_columns: of an output tile");
  static_assert(S::outputs_in_flight >= 1, "simd::outputs_in_flight: of an output tile, how many at a time are not slow");
  static_assert(std::is_same_v<decltype(S::has_transposition), const bool>, "simd::has_transposition: load_rows, unpack_..");
  static_assert(std::is_same_v<decltype(S::copies_vectors), const bool>, "simd::copies_vectors: faster than memcpy does");
  static_assert(std::is_same_v<decltype(S::copies_parts), const bool>, "simd::copies_parts: copy_part(to, from, bytes)");
  static_assert(std::is_same_v<decltype(S::loads_parts), const bool>,
                "simd::loads_parts: the first lanes of a vector: below, load_below, load_below64, select, store_narrowed");
  static_assert(
      std::is_same_v<decltype(S::has_masks), const bool>,
      "simd::has_masks: loads_parts, and parts are loaded and stored as fast as all of a vector: load_over, store_part");
  std::int16_t* const to = nullptr;
  const void* const from = nullptr;
  static_assert(noexcept(S::store(static_cast<std::int32_t*>(nullptr), S::set32(0))), "simd::store(int32_t*, set32(x))");
  static_assert(noexcept(S::store(to, S::load(to))), "simd::load and store: int16, unaligned");
  static_assert(noexcept(S::add_saturated16(S::set16(0), S::set16(0))), "simd::add_saturated16 of set16(x)");
  static_assert(noexcept(S::widen_int8_to_int16(from)), "simd::widen_int8_to_int16(void*): int8 as int16");
  static_assert(noexcept(S::widen_uint8_to_int16(from)), "simd::widen_uint8_to_int16(void*): uint8 as int16");
  static_assert(noexcept(S::zero_upper()), "simd::zero_upper(): before code that may use other registers");
  return true;
}

/// Numbers of a type that are never there.
template <class T>
T some() noexcept;

/// What lanes supply: what lanes.hpp asks for formulas, and what the loops around these ask.
template <class L, class A = typename L::int32s, class B = typename L::int64s, class P = typename L::products>
DYADIC_API constexpr bool supplies_lanes() noexcept {
  static_assert(std::is_same_v<decltype(L::multiply(some<A>(), some<A>())), P>,
                "lanes::multiply(int32s, int32s): products, exact");
  static_assert(std::is_same_v<decltype(L::multiply(some<B>(), some<B>())), B>, "lanes::multiply(int64s, int64s): by 15 bits");
  static_assert(std::is_same_v<decltype(L::add(some<A>(), some<A>())), A>, "lanes::add of int32s");
  static_assert(std::is_same_v<decltype(L::add(some<B>(), some<B>())), B>, "lanes::add of int64s");
  static_assert(std::is_same_v<decltype(L::add(some<P>(), some<P>())), P>, "lanes::add of products");
  static_assert(std::is_same_v<decltype(L::subtract(some<A>(), some<A>())), A>, "lanes::subtract of int32s");
  static_assert(std::is_same_v<decltype(L::subtract(some<B>(), some<B>())), B>, "lanes::subtract of int64s");
  static_assert(std::is_same_v<decltype(L::bit_and(some<P>(), some<P>())), P>, "lanes::bit_and of products");
  static_assert(std::is_same_v<decltype(L::negative(some<P>())), P>, "lanes::negative of products: all ones, or 0");
  static_assert(std::is_same_v<decltype(L::shift_right(some<P>(), 1)), P>, "lanes::shift_right(products, int)");
  static_assert(std::is_same_v<decltype(L::shift_right(some<P>(), some<A>())), P>, "lanes::shift_right(products, int32s)");
  static_assert(std::is_same_v<decltype(L::shift_right(some<B>(), some<A>())), B>, "lanes::shift_right(int64s, int32s)");
  static_assert(std::is_same_v<decltype(L::shift_right(some<A>(), some<A>())), A>, "lanes::shift_right(int32s, int32s)");
  static_assert(std::is_same_v<decltype(L::shift_left(some<A>(), 1)), A>, "lanes::shift_left(int32s, int)");
  static_assert(std::is_same_v<decltype(L::shift_left(some<A>(), some<A>())), A>, "lanes::shift_left(int32s, int32s)");
  static_assert(std::is_same_v<decltype(L::wrap(some<P>())), A>, "lanes::wrap: products modulo 2^32");
  static_assert(std::is_same_v<decltype(L::wrap(some<B>())), A>, "lanes::wrap: int64s modulo 2^32");
  static_assert(std::is_same_v<decltype(L::saturate(some<P>())), A>, "lanes::saturate: the nearest int32s");
  static_assert(std::is_same_v<decltype(L::high(some<P>())), A>, "lanes::high: the upper 32 bits");
  if constexpr (!L::has_product_sum && !L::template has_rounded_product<rule::double_away>)
    static_assert(std::is_same_v<decltype(L::sign_weight(some<A>())), P>, "lanes::sign_weight: 2^31 where negative");
  if constexpr (L::has_floats) {
    static_assert(std::is_same_v<decltype(L::float_of(some<A>())), A>, "lanes::float_of(int32s): the bits of binary32s");
    static_assert(std::is_same_v<decltype(L::multiply_floats(some<A>(), some<A>())), A>, "lanes::multiply_floats");
    static_assert(std::is_same_v<decltype(L::add_floats(some<A>(), some<A>())), A>, "lanes::add_floats");
    static_assert(std::is_same_v<decltype(L::integer_of(some<A>())), A>, "lanes::integer_of: the nearest int32s, of a NaN 0");
    static_assert(std::is_same_v<decltype(L::keeps_subnormals()), bool>, "lanes::keeps_subnormals: whether floats do now");
  }
  if constexpr (L::has_doubles) {
    static_assert(std::is_same_v<decltype(L::double_of(some<A>())), B>, "lanes::double_of(int32s): the bits of binary64s");
    static_assert(std::is_same_v<decltype(L::double_of(some<B>())), B>, "lanes::double_of(int64s): the bits of binary64s");
    static_assert(std::is_same_v<decltype(L::multiply_doubles(some<B>(), some<B>())), B>, "lanes::multiply_doubles");
    static_assert(std::is_same_v<decltype(L::integer_of_double(some<B>())), B>, "lanes::integer_of_double: ties away from zero");
    static_assert(std::is_same_v<decltype(L::add_saturated(some<B>(), some<B>())), B>,
                  "lanes::add_saturated: what integer_of_double gives, and an int32");
  }
  if constexpr (L::has_fused_products)
    static_assert(std::is_same_v<decltype(L::multiply_fused(some<A>(), some<A>(), some<A>(), some<A>())), A>,
                  "lanes::multiply_fused(int32s, high, low, addend): of lanes.hpp");
  if constexpr (L::has_wide_products) {
    static_assert(std::is_same_v<decltype(L::multiply_high(some<B>(), some<B>(), some<B>())), B>,
                  "lanes::multiply_high of int64s");
    static_assert(std::is_same_v<decltype(L::shift_left_saturated(some<B>(), 1)), B>, "lanes::shift_left_saturated(int64s, int)");
    static_assert(std::is_same_v<decltype(L::shift_left_saturated(some<B>(), some<A>())), B>,
                  "lanes::shift_left_saturated(int64s, int32s)");
    static_assert(std::is_same_v<decltype(L::bit_and(some<A>(), some<A>())), A>, "lanes::bit_and of int32s");
  }
  static_assert(std::is_same_v<decltype(L::multiply_low(some<A>(), some<A>())), A>, "lanes::multiply_low: modulo 2^32");
  static_assert(std::is_same_v<decltype((L::min)(some<A>(), (L::max)(some<A>(), some<A>()))), A>, "lanes::min, lanes::max");
  static_assert(std::is_same_v<decltype(L::select_greater(some<A>(), some<A>(), some<A>(), some<A>())), A>,
                "lanes::select_greater");
  static_assert(std::is_same_v<decltype(L::select_equal(some<A>(), some<A>(), some<A>(), some<A>())), A>, "lanes::select_equal");
  static_assert(std::is_same_v<decltype(L::multiply_binary32(some<A>(), some<A>())), A>, "lanes::multiply_binary32");
  static_assert(std::is_same_v<decltype(L::rounds_to_nearest()), bool>,
                "lanes::rounds_to_nearest: whether multiply_binary32 does now");
  static_assert(std::is_same_v<decltype(L::broadcast(0)), A>, "lanes::broadcast(int32)");
  static_assert(std::is_same_v<decltype(L::template broadcast64<B>(0)), B>, "lanes::broadcast64<int64s or products>(int64)");
  static_assert(std::is_same_v<decltype(L::has_product_sum), const bool>, "lanes::has_product_sum: of lanes.hpp");
  static_assert(std::is_same_v<decltype(L::has_wide_products), const bool>, "lanes::has_wide_products: of lanes.hpp");

  static_assert(L::count >= 1, "lanes::count: numbers side by side");
  static_assert(L::max_channels % (4 * L::count) == 0, "lanes::max_channels: whose parameters are at hand at a time");
  static_assert(L::min_rows_to_pack >= 1, "lanes::min_rows_to_pack: fewer go by GEMV where weights are not packed");
  static_assert(L::vectors_per_step == 1 || L::vectors_per_step == 2 || L::vectors_per_step == 4,
                "lanes::vectors_per_step: of rescaling");
  static_assert(std::is_same_v<decltype(L::epilogue_in_registers), const bool>, "lanes::epilogue_in_registers: of a tile");
  static_assert(std::is_same_v<decltype(L::epilogue_by_rows), const bool>,
                "lanes::epilogue_by_rows: after one row by all panels");
  static_assert(std::is_same_v<decltype(L::any_negative(some<A>())), bool>, "lanes::any_negative(int32s)");
  static_assert(std::is_same_v<decltype(L::widen(some<A>())), B>, "lanes::widen(int32s): int64s");
  static_assert(std::is_same_v<decltype(L::load_int32s(some<const std::int8_t*>())), A>,
                "lanes::load_int32s: of 8, 16 or 32 bits");
  static_assert(std::is_same_v<decltype(L::load_int64s(some<const packed_int48*>())), B>,
                "lanes::load_int64s: of any bits, packed_int48");
  static_assert(std::is_same_v<decltype(L::load_halves(some<const void*>()).high), A>,
                "lanes::load_halves: {low, high} of 64 bits");
  static_assert(std::is_same_v<decltype(L::template load_wide<P>(some<const std::int64_t*>())), P>,
                "lanes::load_wide: as `place` has put");
  static_assert(L::place(0u, std::int64_t{}) == 0,
                "lanes::place(lane, int32 or int64): where its number is in products or int64s");
  static_assert(noexcept(L::store(some<std::int32_t*>(), some<A>())), "lanes::store(int32_t*, int32s)");
  static_assert(noexcept(L::store(some<std::int64_t*>(), some<B>())), "lanes::store(int64_t*, int64s)");
  return true;
}

/// A micro-kernel's types, and how it reads the LHS.
template <class M, int NR>
DYADIC_API constexpr bool supplies_micro_kernel() noexcept {
  using element = typename M::element;
  static_assert(M::layout.nr == NR && M::layout.kr >= 1, "layout: a panel of nr columns, kr weights of each together");
  static_assert(M::layout.bits == 8 || M::layout.bits == 4, "layout.bits: of a packed weight, 4 for int4 alone");
  static_assert(M::layout.sum_bytes == (M::weight_bias == 0 ? 0 : 8),
                "layout.sum_bytes: sums of weights end a panel if it has a bias");
  static_assert(std::is_integral_v<element> && sizeof(element) <= 2, "element: what it reads of the LHS");
  static_assert(M::weight_bias >= -128 && M::weight_bias <= 128,
                "weight_bias: what is added to activations before they are multiplied");
  static_assert(M::lhs_group >= 1, "lhs_group: elements of a row that pack_lhs puts together");
  static_assert(M::lhs_padding >= 1 && (M::lhs_padding & (M::lhs_padding - 1)) == 0,
                "lhs_padding: a power of two; pack_lhs fills up copies of rows with zeros to a multiple of it");
  static_assert(M::template drain_depth<std::int16_t, std::int8_t> >= M::layout.kr,
                "drain_depth<X, W>: products that an int32 holds");
  static_assert(noexcept(M::pack_lhs(some<const element*>(), some<element*>(), index_t{})),
                "pack_lhs(from, to, length): in place, too");
  static_assert(std::is_same_v<decltype(M::convert(some<std::int8_t>())), element>, "convert(x): an activation as an element");
  return true;
}

}  // namespace dyadic::detail

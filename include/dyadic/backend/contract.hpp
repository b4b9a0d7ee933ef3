// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an instruction set supplies to the region of its backend, a line each; and checks that name what is missing. Floor 4.
///
/// A backend's header names three files. DYADIC_REGION_LANES holds `simd`, vectors and sizes; `lanes`, numbers of 32 and 64
/// bits; `vector_store<Y>`; and includes scheme/formula.inc. DYADIC_REGION_MICRO_KERNELS holds what multiplies,
/// DYADIC_REGION_DEPTHWISE what convolves channel by channel. A backend without the third file leaves depthwise layers and
/// rescaling to its fallback.
///
/// A backend with vectors of a fixed length writes `simd` in its file of lanes, and ends the file with wide/lanes.inc and
/// scheme/formula.inc. wide/lanes.inc makes `lanes` and `vector_store` of `simd`. The other two files are wide/micro_kernel.inc
/// and wide/depthwise.inc. The
/// tables name the files that need a member. A table without a file is for each backend. The test compile.contract compares the
/// tables with the shared code.
///
/// Words: a micro-kernel multiplies MR rows of the LHS by a panel of NR columns of the RHS, KR elements of the depth at a
/// time.
///   MR: rows of its accumulator tile in registers. simd::max_mr: rows of the accumulator tile in memory, the most that share
///     an LHS buffer; a multiple of any MR or not; DYADIC_MOST_ROWS at most.
///   NR: `nr`, columns of a panel, a whole number of lanes::count; DYADIC_MOST_COLUMNS at most.
///   KR: `layout.kr`, weights of one column that lie together, in the order of layout.place. What fills up the last weighs 0.
///   Packed int4 take `layout.bits`: 4 where the micro-kernel loads nibbles and NR is even, as each here does; 8 where not.
///   Packed bytes may have `layout.narrow`: a last panel of so many columns or fewer has no others. Micro-kernels may read a
///     full panel, past the last column into the next group's bytes. Accumulators of missing columns are never stored.
///   A layer of up to `layout.rows` channels stores each channel as one row, a panel of one column. A linear layer runs rows
///     by dot products, a convolution as panels.
///
/// Optional members are left out where an instruction set has no good form of them. A function that names such a member is a
/// template with a parameter `class Simd = simd`, or `class L = lanes`, whose argument is never another one. The parameter
/// makes the name dependent: a compiler then looks it up where the function is called, and not where it is written, so that
/// `if constexpr` may leave the member out. An ordinary function that names `simd::gather` does not compile without a gather.
///
/// simd: vectors. Values go by `vector`, of `count` numbers of 32 bits, or twice as many of 16, or four times as many of 8.
///   vector                         the type; of 64, 128, .. bits, but for `dsp`, whose vector is a word
///   count                          numbers of 32 bits in a vector
///   max_mr                         see MR
///   load(p)                        a vector from any address; at least of int16, for wide/ of any type
///   store(p, v)                    the same to any address: int32, int16, for wide/ any type
///   set32(x), set16(x)             all lanes x
///   add_saturated16(a, b)          lanes of 16 bits with a sign
///   widen_int8_to_int16(p)         2 * count bytes at p, each as int16
///   widen_uint8_to_int16(p)        the same of bytes without a sign
///
/// simd: what requantize/lane_memory.inc needs, a base of `lanes` for all types of inputs.
///   widen_int8(p), widen_uint8(p)  `count` bytes at p, each as int32
///   widen_int16(p)                 `count` numbers of 16 bits at p, each as int32
///   widen_uint16(p)                the same without a sign
///
/// simd: what requantize/store.inc needs, a vector_store of clamps in lanes of 32, 16 and 8 bits. requantize/extremes.inc
/// needs the minima and maxima of 8 and 16 bits.
///   set8(x)                        all lanes x
///   add32(a, b)                    modulo 2^32; sum32(v): the sum of the lanes, the same
///   min32(a, b), max32(a, b)       with a sign; so are min_int16(a, b), max_int16(a, b), min_int8(a, b), max_int8(a, b)
///   min_uint8(a, b), max_uint8(a, b)  without a sign
///   pack32(a, b)                   the numbers of 32 bits of a, then of b, saturated to int16; of wider vectors than 128
///                                  bits in any order that fix_lanes16(v) undoes
///   pack32_unsigned(a, b)          the same, saturated to uint16
///   pack16(a, b)                   the numbers of 16 bits of a, then of b, saturated to int8; fix_lanes8(v) undoes the order
///                                  that pack32 and then pack16 leave
///   pack16_unsigned(a, b)          the same, saturated to uint8
///   pack16_half(a), pack16_half_unsigned(a)  the same of a alone, in the first half
///   store_half(p, v)               the first half of v
///
/// simd: what wide/lanes.inc needs. Numbers of 64 bits are in two vectors: `int64s` the first half of the lanes and the
/// second, `products` the even lanes and the odd ones.
///   set64(x)                       all lanes of 64 bits x
///   bit_and(a, b), bit_xor(a, b)   bit by bit
///   subtract32(a, b)               modulo 2^32; so is multiply_low32(a, b)
///   add64(a, b), subtract64(a, b)  modulo 2^64
///   any_negative(v)                whether a lane of 32 bits is negative
///   select_greater(a, b, x, y)     x where a > b, else y, of 32 bits; select_equal(a, b, x, y): where a == b
///   select_equal64(a, b, x, y)     the same of 64 bits
///   multiply(a, b)                 the even lanes of 32 bits, as products of 64 bits; multiply_unsigned(a, b): without a
///                                  sign
///   multiply64(a, b)               lanes of 64 bits modulo 2^64; b is not negative and has 31 bits
///   multiply_high_unsigned16(a, b)  the upper 16 bits of products of 16 bits without a sign
///   duplicate_odd(v)               each odd lane of 32 bits in the place of the even lane before it; what is above does not
///                                  matter
///   odd(v)                         the upper halves of lanes of 64 bits, and zeros above them
///   merge_low(a, b)                the lower halves of lanes of 64 bits, of a into the even lanes, of b into the odd ones;
///   merge_high(a, b)               the same of the upper halves
///   join_low(a, b)                 the lower halves of the lanes of 64 bits of a, then of b; join_high(a, b): the upper
///                                  halves
///   widen_first(v), widen_second(v)  the first half of the lanes of 32 bits, and the second, as lanes of 64
///   negative64(v)                  all ones where a lane of 64 bits is negative, else 0
///   shift_left32(v, n)             by an int, and by a vector of counts, 0 .. 31; shift_right32(v, n): with a sign
///   shift_left64(v, n)             by an int, and by a vector, 0 .. 63; shift_right64(v, n): with a sign
///   add_products(acc, x, w)        acc + the products of two numbers of 16 bits in each lane of 32; not of four times -32768
///   compiler_barrier(v)            hides the value of v from the optimizer
///   multiply_binary32(a, bits)     multiply_binary32 of lanes.hpp
///   float_of(v), multiply_floats(a, b), add_floats(a, b)  those of lanes.hpp
///   round_float(v)                 the nearest int32s, ties to even, of numbers within int32; of others any number
///   add_doubles(a, b), multiply_doubles(a, b), min_doubles(a, b)  of binary64s by their bits
///   truncate_doubles(v)            binary64s without their fraction
///
/// simd: what wide/micro_kernel.inc needs, with wide/int16_pair.inc and gemm/gemv_lanes.inc. Tiles have 2 * count columns.
///   tile_heights                   MR of the tiles, falling, the last one 1: max_mr at most
///   least_half_height              tiles of so many rows or more may multiply one vector of columns alone; limits<int>::max
///                                  if none
///   accumulators_in_flight         independent accumulators that hide the latency of add_products
///   second_nibbles16(v)            the upper 4 bits of the lower byte of each number of 16 bits that a byte was widened to
///   shift_right16(v, n)            lanes of 16 bits with a sign
///   permutation(places)            what permuted(v, by) takes: lane i of 32 bits becomes lane number i of places, a vector
///   interleave_low16(a, b)         numbers of 16 bits of a and b in turn, of the first half of each 128 bits;
///   interleave_high16(a, b)        of the second half. wide/depthwise.inc needs them, too
///
/// simd: what wide/depthwise.inc needs.
///   copy_part(to, from, bytes)     1 or more bytes, fewer than a vector has; bytes behind them in `to`, up to a vector, are
///                                  lost
///   same_16_bytes(p)               16 bytes for each 128 bits of a vector
///   shuffle8(v, at)                of each 128 bits, byte at[i] & 15 of v, or 0 where at[i] is negative
///
/// simd: what wide/elements.inc needs.
///   shift_left16(v, n)             lanes of 16 bits
///
/// simd: what wide/int8_quad.inc needs, where an instruction multiplies four bytes.
///   add_quads(acc, x, w)           acc + the products of four bytes in each lane of 32: x without a sign, w with. Without
///                                  VNNI the weights are within +-64
///   multiply_quads(x, w)           without VNNI: the products of two bytes in each lane of 16, before add_quads widens them
///   add16(a, b)                    without VNNI: lanes of 16 bits, modulo 2^16
///   first_nibbles(v), second_nibbles(v)  weights of 4 bits from the lower and from the upper half of each byte
///
/// simd: what gemm/gemv_lanes.inc needs, beside the members above. `narrower` is an optional type.
///   narrower                       narrow_products of a region with shorter vectors, for products of few elements, or void
///   multiplies_bytes               whether add_quads takes all weights of 8 bits
///   unpacks_nibbles                whether first_nibbles(v) and shift_left16(v, n) unpack weights of 4 bits
///
/// simd: optional. A member is needed only if its flag below is true, those for tables of wide/ only if count > 4.
///   load_rows(rows, step, k)       has_transposition: 16 bytes at k of the rows 0, step, 2 step ..; unpack_low16(a, b),
///                                  unpack_high16(a, b), and where count > 4 unpack_low32(a, b), unpack_high32(a, b): halves of
///                                  each 128 bits interleaved
///   below(n)                       has_masks: the lanes whose numbers are below n, which may be negative, for the next
///                                  three
///   load_below(p, m)               these lanes of memory, and zeros; load_below64(p, m, half): of 64 bits, in two halves
///   select(m, x, y)                x in these lanes, else y
///   load_over(v, mask, address)    has_masks: v, but the bytes of a mask from memory
///   store_part(p, v, mask)         has_masks: the bytes of a mask
///   broadcast_halves(p, q)         has_masks: four bytes at p for the first half of the lanes, at q for the second
///   store_halves(p, q, v)          lanes::epilogue_in_registers: the first half to p, the second to q
///   shift_right_unsigned32(v, n)   has_unsigned_shift32: without a sign, by an int, and where count > 4 by a vector of counts;
///                                  0 from 32 on
///   saturate64(a, b)               has_saturate64: the nearest int32s to two vectors of 64 bits
///   select_by_sign(a, x, y)        has_shift_right64: y where the 64 bits of a, an int32, are negative, else x; x and y are
///                                  the same in their lower 31 bits
///   add_saturated32(a, b)          lanes::has_add_saturated32
///   multiply_fused(a, high, low, addend)  lanes::has_fused_products
///   gather(p, i)                   count > 4: the 32 bits at each p + i, of int16s
///   subtract8(a, b)                count > 4: lanes of 8 bits; select_negative8(a, x, y): x where a is negative, else y
///
/// lanes: `count` numbers side by side. The operations that scheme/formula.inc calls are those of lanes.hpp: multiply,
/// multiply_high16, multiply_high, add, subtract, bit_and, negative, shift_right, shift_left, shift_left_saturated, wrap,
/// saturate, high, sign_weight, multiply_low, min, max, select_greater, select_equal, multiply_binary32, multiply_fused,
/// float_of, multiply_floats, add_floats, integer_of, double_of, multiply_doubles, integer_of_double, rounded_product,
/// product_sum, short_result, broadcast, broadcast64. The loops around the formulas need these:
///   int32s, int64s, products       the types of numbers; `products` has 64 bits in whatever order multiply leaves
///   count                          numbers side by side: simd::count
///   max_channels                   channels whose parameters are prepared at a time; a multiple of 4 * count
///   min_rows_to_pack               fewer rows by weights that are not packed go by GEMV
///   vectors_per_step               of rescaling: 1, 2 or 4
///   widen(int32s)                  int64s
///   load_int32s(p)                 of 8, 16 or 32 bits; load_int64s(p): of any bits, packed_int48; load_halves(p): {low,
///                                  high} of 64 bits. requantize/lane_memory.inc has all three
///   load_wide<Wide>(p)             64-bit parameters in the order in which place(lane, int32 or int64) has put them
///   load_even_odd(p)               optional, where vectors_per_step is 2: the even and the odd numbers at p
///   load_barrier(x)                x, before the next load. requantize/lane_memory.inc has it
///   store(p, x)                    int32s or int64s
///   total(int32s)                  the sum of all lanes in 64 bits; wrapped_total(int32s): modulo 2^32
///   any_negative(int32s)           whether a lane is negative
///   add_saturated(int64s, int64s)  has_doubles: of what integer_of_double gives and an int32
///   add_less_sign_weight(product, constant, x)  product + constant - sign_weight(x); where sign_weight is needed
///   rounds_to_nearest()            whether multiply_binary32 does now
///   keeps_subnormals()             has_floats: whether floats do now
///   byte_table, int16_table        tables of 256 bytes and of 513 int16s, of which a vector looks up as many; void if one by
///                                  one is as fast. wide/elements.inc has models
///   weighted_sum                   optional: wide/elements.inc, a type whose call adds two vectors of bytes by two
///                                  weights
///   load_four(p)                   has_load_four: four vectors at p, by one instruction, their numbers in turn
///   load_part<Simd>(p, n)          simd::has_masks: the first n numbers of 32 or 64 bits, and zeros, as int32s;
///   load_part64<Simd>(p, n)        the same as int64s; load_halves_part<Simd>(p, n): {low, high}
///   with_rest<Simd>(x, n, y)       simd::has_masks: x, and y from lane n on
///
/// DYADIC_REGION_MICRO_KERNELS: a micro-kernel is a type without data.
///   element, layout                what it reads of the LHS; the packed layout of its weights
///   weight_bias                    what is added to activations before they are multiplied; layout.sum_bytes takes it away
///                                  again
///   lhs_group, lhs_padding         elements of a row that pack_lhs puts together; copies of rows end with zeros up to a
///                                  multiple
///   pack_lhs(from, to, length)     makes elements of a row in their order; in place, too. gemm/elements.inc has these
///                                  five
///   convert(x)                     an activation as an element; load(p): a vector of activations as elements
///   drain_depth<X, W>              products that an int32 holds
///   mr                             over steps, gemm/inner_product.inc: rows of the highest tile; steps: the type below
///   multiply<Rows>(x, stride, w, depth, first, to)  over steps: a tile
///   load_step(w)                   of a backend over wide/: the weights of a step, by vectors
///   add_products(acc, x, w)        acc + x w of one of these vectors
///   add_elements(acc, x)           acc + the elements of x, less than 2^17 in each lane: gemm/elements.inc
///   tile_heights, least_half_height  those of simd, or its own
///   second_in_first                so many times the second accumulator is in the first until the end; 0 for none
///   joined                         steps whose products are added in lanes of 16 bits before they are widened; 1 for none
///   weight_bytes, load_weights(w)  where simd::has_transposition: bytes of a vector of weights, and a vector of them
///   ones()                         the same: elements that are 1
///   kr, load(p), add(sum, x, w)    of `step<X, W>`, over steps: products of so many numbers that are added to one
/// Beside the types:
///   nr, accumulator_stride, accumulator_row    columns of a panel; as many int32 or more, DYADIC_MOST_COLUMNS at most
///   micro_kernel_for<X, W>                     for activations X and weights W, by their types alone; `supplies_micro_kernel`
///   packing_micro_kernel_for<X, W>             the same for weights that are packed on the way
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
///   dot_of<X, W, Accumulator>(x, w, depth)     sum over k of x[k] * w[k], multiply_rows_by(s, rows, ..): of several rows by one
///                                              row, unpack_nibbles(w, n, to): in the same files
///   where lanes::epilogue_in_registers:
///   runs_epilogue_on(MicroKernel, rows, x)     whether tiles of so many rows, lhs_runs, need not store their accumulators
///   multiply_into(MicroKernel, rows, x, .., use)  the same as multiply_rows, but use(accumulators, rows, vectors) for each tile
///   where lanes::epilogue_by_rows:
///   sum_row(MicroKernel, x, panels, k, depth, accumulators, end)
///                                              adds the products of the elements k .. k + depth - 1 of a row by all panels
///
/// DYADIC_REGION_DEPTHWISE, over channel tiles of 2 * simd::count:
///   lane_of_channel(c)                         where the accumulator of a channel of the tile is
///   store_channels(store, y, first, second)    its outputs in the order of channels
///   window_taps                                the weights of a window, less their zero point: single_taps or paired_taps
///   run_output_tile(taps, epilogue, outputs)   the outputs of a tile: one_tap of depthwise/windows.inc takes a tap micro-kernel
///
/// DYADIC_REGION_COMPACT, optional: what compact/rows.inc lists, for files that are compiled for size.
///
/// vector_store<Y>{range}: saturates(range) and packs_first() as enum `clamping` says; store<Known>(y, int32s...) for a panel and
/// for a step of rescaling; store_one(y, int32s) where there is one vector in a step; store_interleaved where load_even_odd parts
/// them.

#include <dyadic/backend/gemm/panel_loops.hpp>
#include <dyadic/backend/plan.hpp>
#include <dyadic/backend/requantize/rows.hpp>
#include <dyadic/detail/lanes.hpp>
#include <dyadic/elementwise/pool_windows.hpp>
#include <dyadic/pack.hpp>

namespace dyadic::detail {

/// The defaults of `simd`, which derives from them. The sizes are those of a processor with a cache.
struct simd_defaults {
  static constexpr bool has_transposition = false;  ///< load_rows and unpack_..: weights that are packed on the way
  static constexpr bool copies_vectors = false;     ///< vectors are copied faster than memcpy does
  static constexpr bool copies_parts = false;       ///< copy_part(to, from, bytes) is fast: rows of convolutions
  static constexpr bool has_masks = false;  ///< parts of vectors are loaded and stored as fast as whole ones: see the table
  static constexpr bool has_shift_right64 = false;     ///< one instruction shifts numbers of 64 bits to the right, with a sign
  static constexpr bool has_unsigned_shift32 = false;  ///< shift_right_unsigned32(v, n): short_result of lanes
  static constexpr bool has_saturate64 = false;        ///< one instruction saturates numbers of 64 bits to 32
  /// add_products overwrites a register of acc: compilers then copy acc where they can, unless barriers stop them.
  static constexpr bool adds_in_place = false;
  static constexpr bool joins_pixels = false;           ///< copy_part, shuffle8: depthwise vectors of several pixels
  static constexpr std::nullptr_t sum_int16 = nullptr;  ///< or a function: the sum of int16s at any address, in 64 bits
  static constexpr bool unpacks_nibbles = false;        ///< first_nibbles, shift_left16
  static constexpr bool has_fused_products = false;     ///< multiply_fused
  static constexpr bool multiplies_bytes = false;       ///< add_quads takes all weights of 8 bits
  using narrower = void;                                ///< narrow_products of a region whose vectors are shorter, or void
  /// Elements of each row of a tile that are copied at a time: by packed weights, and by weights that are packed on the way.
  static constexpr index_t max_buffered_depth = 2048;
  static constexpr index_t max_buffered_depth_to_pack = 1024;
  static constexpr index_t max_packed_bytes = 15 * 1024;  ///< bytes of weights that are packed on the way at a time
  static constexpr index_t max_taps = 256;                ///< of a depthwise window
  static constexpr index_t max_copied_bytes = 32 * 1024;  ///< inputs of a depthwise output tile: a window at least
  static constexpr index_t max_tile_columns = 32;         ///< of a depthwise output tile
  static constexpr int outputs_in_flight = 1;             ///< depthwise outputs that hide the latency of add_products
  DYADIC_API static void zero_upper() noexcept {}         ///< runs before code that may use other registers
  DYADIC_API static constexpr bool rounds_to_nearest() noexcept { return true; }  ///< whether floats do now
  DYADIC_API static constexpr bool keeps_subnormals() noexcept { return true; }   ///< whether floats do now
};

/// The defaults of `lanes`, which derive from them. The operations behind the flags are those of lanes.hpp.
struct lanes_defaults {
  static constexpr bool epilogue_in_registers = false;  ///< the accumulators of a tile need not be stored: runs_epilogue_on
  static constexpr bool epilogue_by_rows = false;       ///< the epilogue runs after one row by all panels: sum_row
  static constexpr bool has_load_four = false;          ///< load_four(p)
  static constexpr bool has_add_saturated32 = false;    ///< simd::add_saturated32
  static constexpr bool has_floats = false;             ///< float_of, multiply_floats, add_floats, integer_of
  static constexpr bool has_doubles = false;            ///< double_of, multiply_doubles, integer_of_double, add_saturated
  static constexpr bool has_fused_products = false;     ///< multiply_fused
  static constexpr bool has_wide_products = false;      ///< multiply_high, shift_left_saturated, bit_and of int32s
  static constexpr bool has_product_sum = false;        ///< product_sum<Rounding>
  static constexpr bool runs_lstm = true;               ///< lanes run the gates and cells of an LSTM, by 6 KB of code
  template <class Rounding>
  static constexpr bool has_rounded_product = false;  ///< rounded_product<Rounding>
  template <class Shift>
  static constexpr bool has_short_results = false;  ///< short_result(int64s, m, c, Shift)
};

/// Sizes, and what copies, fills and widens. The operands of `noexcept` are never run, so that no vector leaves a region.
template <class S>
DYADIC_API constexpr bool supplies_vectors() noexcept {
  static_assert(sizeof(typename S::vector) == 4 * S::count, "simd::vector: `count` numbers of 32 bits, or twice as many of 16");
  static_assert(S::max_mr >= 1, "simd::max_mr: rows of the accumulator tile in memory");
  static_assert(S::max_buffered_depth >= 8, "simd::max_buffered_depth: elements of each row of a tile that are copied at a time");
  static_assert(S::max_buffered_depth_to_pack >= 8 && S::max_buffered_depth_to_pack <= S::max_buffered_depth,
                "simd::max_buffered_depth_to_pack: the same, by weights that are packed on the way");
  static_assert(S::max_packed_bytes >= 8, "simd::max_packed_bytes: bytes of weights that are packed on the way at a time");
  static_assert(S::max_taps >= 9, "simd::max_taps: of a depthwise window");
  static_assert(S::max_copied_bytes >= 4 * S::count * S::max_taps,
                "simd::max_copied_bytes: inputs of an output tile: a window at least");
  static_assert(S::max_tile_columns >= 1, "simd::max_tile_columns: of an output tile");
  static_assert(S::outputs_in_flight >= 1, "simd::outputs_in_flight: of an output tile, how many at a time are not slow");
  static_assert(std::is_same_v<decltype(S::has_transposition), const bool>, "simd::has_transposition: load_rows, unpack_..");
  static_assert(std::is_same_v<decltype(S::copies_vectors), const bool>, "simd::copies_vectors: faster than memcpy does");
  static_assert(std::is_same_v<decltype(S::copies_parts), const bool>, "simd::copies_parts: copy_part(to, from, bytes)");
  static_assert(
      std::is_same_v<decltype(S::has_masks), const bool>,
      "simd::has_masks: parts of vectors as fast as whole ones: below, load_below, load_below64, select, load_over, store_part");
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
  if constexpr (!L::has_product_sum && !L::template has_rounded_product<rounding::double_away>)
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
  if constexpr (L::template has_short_results<int>)
    static_assert(std::is_same_v<decltype(L::short_result(some<B>(), some<B>(), some<B>(), 1)), A>,
                  "lanes::short_result(int64s, m, c, int): of lanes.hpp");
  if constexpr (L::template has_short_results<A>)
    static_assert(std::is_same_v<decltype(L::short_result(some<B>(), some<B>(), some<B>(), some<A>())), A>,
                  "lanes::short_result(int64s, m, c, int32s): of lanes.hpp");
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

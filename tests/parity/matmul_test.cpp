// The matrix product of a backend against scalar code. Each operand is stored by rows or by its depth.

#include <dyadic/matmul.hpp>

#include "each_backend.hpp"
#include "matmul_parity.hpp"

namespace {

using namespace dyadic;
using here = parity::backends_of_machine;
using parity::conditions;
using parity::matmul_shape;
using parity::products;
using parity::values;

/// Tries each number of rows with each number of columns, from 0 to several blocks, with the depths in turn.
template <class X, class W, class Output>
void every_product(const Output& output) {
  products<here, X, W, Output> runs{{3, 26, 98, 140}};
  const index_t depths[] = {0, 1, 2, 3, 5, 15, 16, 17, 32, 33, 34, 64, 140};
  int way = 0;
  for (const index_t rows : {0, 1, 2, 3, 4, 5, 7, 13, 26})
    for (const index_t columns : {0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 64, 70, 98})
      for (int i = 0; i < 3; ++i) {
        conditions c;
        c.at_end = (++way & 1) != 0;
        c.gap = way & 2 ? 1 + way % 3 : 0;
        if (way & 4) c.zero = {operand<X>::max / 3, operand<W>::min};
        if (way % 5 == 0) c.zero.x = operand<X>::min;
        const index_t depth = depths[way % 13];
        runs.compare({way % 9 == 0 ? 0 : 1 + way % 3, rows, columns, depth, (way / 3) % 2 == 0, way % 7 < 3}, c, output);
      }
  // Right operands stored by their depth, at the end of memory.
  // Their rows are one column shorter than a panel, or two rows are one column longer than a panel.
  conditions c;
  c.at_end = true;
  for (const index_t panel : {8, 16, 32}) {
    c.gap = 0;
    runs.compare({1, 5, panel - 1, 16, true}, c, output);
    c.gap = 1;
    runs.compare({1, 5, panel / 2 - 1, 17, true}, c, output);
  }
  runs.t.check();
}

/// Tries operands at the ends of their types, so deep that lanes are drained, and with sums that wrap.
template <class X, class W, class Output>
void extremes(const Output& output) {
  products<here, X, W, Output> runs{{2, 13, 40, 1100}};
  for (const values x : {values::least, values::greatest, values::corners})
    for (const values w : {values::least, values::greatest, values::corners})
      for (const bool transposed : {false, true}) {
        conditions c;
        c.x = x;
        c.w = w;
        runs.compare({2, 13, 40, 1100, transposed, w == values::greatest}, c, output);
        c.zero = {operand<X>::min, operand<W>::max};
        runs.compare({1, 2, 33, 600, transposed}, c, output);
      }
  runs.t.check();
}

/// Tries left operands stored by their depth: all rows in one tile, in several tiles, and in pieces for some columns at a time.
template <class X, class W, class Output>
void rows_by_depth(const Output& output) {
  constexpr index_t quarters = parity::has_little_memory ? 1 : 4;
  constexpr index_t columns = 35 * quarters;
  products<here, X, W, Output> runs{{2, 60, columns, 1050 * quarters + 1}};
  int way = 0;
  for (const matmul_shape s : {matmul_shape{2, 60, 5, 75}, {1, 50, 33, 275}, {2, 13, columns, 525}, {1, 3, 16, 1050}})
    for (const bool transposed : {false, true}) {
      conditions c;
      c.at_end = (++way & 1) != 0;
      c.gap = way % 3;
      c.zero = {5, -4};
      runs.compare({s.batches, s.rows, s.columns, s.depth * quarters + way % 2, transposed, true}, c, output);
    }
  runs.t.check();
}

template <class X, class W, class Output>
void both(const Output& output) {
  every_product<X, W>(output);
  extremes<X, W>(output);
  rows_by_depth<X, W>(output);
}

}  // namespace

TEST_CASE("matmul: int8 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  both<std::int8_t, std::int8_t>(
      per_tensor_output<std::int8_t, tflite::double_rounding>{{1518500250, 38}, range_of<std::int8_t>(3)});
}
TEST_CASE("matmul: int16 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  both<std::int16_t, std::int8_t>(raw_output<std::int64_t>{});
}
TEST_CASE("matmul: int16 x int16 of every shape equals scalar and stays within its memory", "[parity]") {
  both<std::int16_t, std::int16_t>(per_tensor_output<std::int16_t, tosa::scale16>{{20000, 32}});
  both<std::int16_t, std::int16_t>(raw_output<std::int32_t>{});
}

TEST_CASE("matmul: depths beyond every buffer equal scalar", "[parity]") {
  conditions c;
  c.zero = {-32768, 32767};
  {
    products<here, std::int16_t, std::int16_t, raw_output<std::int64_t>> wide{{1, 50, 33, 4200}};
    for (const bool transposed : {false, true}) {
      wide.compare({1, 50, 33, 4200, transposed}, c, {});
      if (!parity::has_little_memory) wide.compare({1, 50, 33, 4200, transposed, true}, c, {});
      wide.compare({1, 3, 33, 4200, transposed}, c, {});
    }
    wide.t.check();
  }
  {
    conditions bytes;
    bytes.zero = {-128, 127};
    products<here, std::int8_t, std::int8_t, raw_output<std::int32_t>> narrow{{1, 50, 33, 4200}};
    for (const bool transposed : {false, true}) {
      narrow.compare({1, 50, 33, 4200, transposed}, bytes, {});
      if (!parity::has_little_memory) narrow.compare({1, 50, 33, 4200, transposed, true}, bytes, {});
    }
    narrow.t.check();
  }
  constexpr index_t depth = 33000;
  constexpr index_t columns = parity::has_little_memory ? 12 : 35;
  products<here, std::int16_t, std::int16_t, raw_output<std::int64_t>> deep{{1, 1, columns, depth}};
  for (const values w : {values::least, values::corners}) {
    c.w = w;
    for (const bool transposed : {false, true}) deep.compare({1, 1, columns, depth, transposed, w == values::corners}, c, {});
  }
  deep.t.check();
}

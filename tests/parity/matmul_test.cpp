// The product of matrices of a backend against scalar code, the right operand stored either way.

#include <dyadic/matmul.hpp>

#include "each_backend.hpp"
#include "linear_parity.hpp"

namespace {

using namespace dyadic;
using parity::conditions;
using parity::values;

struct shape {
  index_t batches, rows, columns, depth;
};

/// Products of X and W in guarded memory.
template <class Backend, class X, class W, class Output>
class products {
  static_assert(parity::runs_over_lanes<Backend, op::weight_sums>);

 public:
  using Y = typename Output::value_type;
  using accumulator = typename Output::accumulator;

  explicit products(shape most)
      : left_{count(most.batches * (most.rows + 1), most.depth + 3)},
        right_{count(most.batches * (most.columns + 3), most.depth + 3)},
        y_{count(most.batches * (most.rows + 1), most.columns + 3)},
        scratch_{static_cast<std::size_t>(most.columns)} {}

  void compare(shape s, const conditions& c, const Output& output, bool transposed) {
    const batch_view<const X> left = filled(left_, s.batches, s.rows, s.depth, c, c.x);
    if (transposed)
      compare(s, c, output, left, dyadic::transposed(filled(right_, s.batches, s.depth, s.columns, c, c.w)));
    else
      compare(s, c, output, left, filled(right_, s.batches, s.columns, s.depth, c, c.w));
  }

  parity::tally t;

 private:
  static std::size_t count(index_t rows, index_t cols) { return static_cast<std::size_t>(rows * cols); }
  /// With a gap after each row and a row's gap after each matrix.
  template <class T>
  batch_view<T> view_of(parity::guarded<T>& memory, index_t batches, index_t rows, index_t cols, const conditions& c) {
    const index_t stride = cols + c.gap;
    const batch_view<T> shaped{nullptr, batches, rows, cols, stride, rows * stride + c.gap};
    const bool is_empty = batches * rows * cols == 0;
    extent_ = is_empty ? 0 : count(batches - 1, rows * stride + c.gap) + count(rows - 1, stride) + static_cast<std::size_t>(cols);
    return {memory.at(c.at_end, extent_), batches, rows, cols, stride, rows * stride + c.gap};
  }
  template <class T>
  batch_view<const T> filled(parity::guarded<T>& memory, index_t batches, index_t rows, index_t cols, const conditions& c,
                             values v) {
    const batch_view<T> all = view_of(memory, batches, rows, cols, c);
    for (std::size_t i = 0; i < extent_; ++i) all.data()[i] = static_cast<T>(parity::element<T>(v, random_));
    return all;
  }

  template <class Right>
  void compare(shape s, const conditions& c, const Output& output, batch_view<const X> left, Right right) {
    const matmul_layer layer{c.zero, output};
    parity::numbers<Y> expected(count(s.batches * s.rows, s.columns));
    const batch_view<Y> truth{expected.data(), s.batches, s.rows, s.columns};
    parity::numbers<accumulator> constants(static_cast<std::size_t>(s.columns));
    run(layer, left, right, truth, constants);
    const batch_view<Y> y = view_of(y_, s.batches, s.rows, s.columns, c);
    const std::size_t extent = extent_;
    const view<accumulator> scratch{scratch_.at(c.at_end, constants.size()), s.columns};
    const status checked = check(layer, left, right, y, scratch);
    REQUIRE((checked == status::ok || checked == status::accumulator_overflow));
    const index_t all = s.batches * s.rows;
    const index_t begin = random_.one_in(2) ? 0 : random_.below(static_cast<int>(all) + 1);
    const index_t end = random_.one_in(2) ? all : begin + random_.below(static_cast<int>(all - begin) + 1);
    std::fill(y.data(), y.data() + extent, Y{77});
    run<Backend>(layer, left, right, y, scratch, {begin, end});
    for (index_t row = 0; row < all && s.columns > 0; ++row) {
      const Y* const got = y.matrix(row / s.rows).row(row % s.rows);
      const bool is_run = row >= begin && row < end;
      for (index_t o = 0; o < s.columns; ++o) {
        const Y want = is_run ? truth.matrix(row / s.rows).row(row % s.rows)[o] : Y{77};
        t.add(got, o, want, [&] { return parity::describe("product", {all, s.columns, s.depth}, row, o); });
      }
      if (row + 1 < all)
        for (index_t o = s.columns; o < s.columns + c.gap; ++o) t.different += got[o] != Y{77};
    }
  }

  parity::guarded<X> left_;
  parity::guarded<W> right_;
  parity::guarded<Y> y_;
  parity::guarded<accumulator> scratch_;
  support::random_bits random_;
  std::size_t extent_ = 0;
};

/// Each number of rows with each of columns, from nothing to several blocks, at one depth after the other.
template <class Backend, class X, class W, class Output>
void every_shape(const Output& output) {
  products<Backend, X, W, Output> runs{{3, 26, 98, 140}};
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
        runs.compare({way % 9 == 0 ? 0 : 1 + way % 3, rows, columns, depth}, c, output, (way / 3) % 2 == 0);
      }
  runs.t.check();
}

/// Operands at the ends of their types, so deep that lanes are drained; wide enough for sums that wrap.
template <class Backend, class X, class W, class Output>
void extremes(const Output& output) {
  products<Backend, X, W, Output> runs{{2, 13, 40, 1100}};
  for (const values x : {values::least, values::greatest, values::corners})
    for (const values w : {values::least, values::greatest, values::corners})
      for (const bool transposed : {false, true}) {
        conditions c;
        c.x = x;
        c.w = w;
        runs.compare({2, 13, 40, 1100}, c, output, transposed);
        c.zero = {operand<X>::min, operand<W>::max};
        runs.compare({1, 2, 33, 600}, c, output, transposed);
      }
  runs.t.check();
}

template <class X, class W, class Output>
void both(const Output& output) {
  parity::each_backend([&](auto backend) {
    every_shape<decltype(backend), X, W>(output);
    extremes<decltype(backend), X, W>(output);
  });
}

}  // namespace

TEST_CASE("matmul: int8 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  both<std::int8_t, std::int8_t>(tensor_output<std::int8_t, tflite::double_rounding>{{1518500250, 38}, range_of<std::int8_t>(3)});
}
TEST_CASE("matmul: int16 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  both<std::int16_t, std::int8_t>(raw_output<std::int64_t>{});
}
TEST_CASE("matmul: int16 x int16 of every shape equals scalar and stays within its memory", "[parity]") {
  both<std::int16_t, std::int16_t>(tensor_output<std::int16_t, tosa::scale16>{{20000, 32}});
  both<std::int16_t, std::int16_t>(raw_output<std::int32_t>{});
}

TEST_CASE("matmul: depths beyond every buffer equal scalar", "[parity]") {
  parity::each_backend([](auto backend) {
    using tested = decltype(backend);
    conditions c;
    c.zero = {-32768, 32767};
    {
      products<tested, std::int16_t, std::int16_t, raw_output<std::int64_t>> wide{{1, 50, 33, 4200}};
      for (const bool transposed : {false, true}) {
        wide.compare({1, 50, 33, 4200}, c, {}, transposed);
        wide.compare({1, 3, 33, 4200}, c, {}, transposed);
      }
      wide.t.check();
    }
    {
      conditions bytes;
      bytes.zero = {-128, 127};
      products<tested, std::int8_t, std::int8_t, raw_output<std::int32_t>> narrow{{1, 50, 33, 4200}};
      for (const bool transposed : {false, true}) narrow.compare({1, 50, 33, 4200}, bytes, {}, transposed);
      narrow.t.check();
    }
    constexpr index_t depth = 33000;
    constexpr index_t columns = parity::has_little_memory ? 12 : 35;
    products<tested, std::int16_t, std::int16_t, raw_output<std::int64_t>> deep{{1, 1, columns, depth}};
    for (const values w : {values::least, values::corners}) {
      c.w = w;
      for (const bool transposed : {false, true}) deep.compare({1, 1, columns, depth}, c, {}, transposed);
    }
    deep.t.check();
  });
}

#pragma once
/// \file
/// The matrix product of backends against scalar code.

#include <dyadic/matmul.hpp>

#include "linear_parity.hpp"

namespace parity {

struct matmul_shape {
  q::index_t batches, rows, columns, depth;
  bool transposed = false;  ///< true if the right operand is transposed
  bool left_transposed = false;
};

/// Runs products of X and W in guarded memory on each of the backends.
template <class Backends, class X, class W, class Output>
class products {
 public:
  using Y = typename Output::value_type;
  using accumulator = typename Output::accumulator;

  explicit products(matmul_shape most)
      : left_{count(most.batches * (most.rows + 3), most.depth + 3)},
        right_{count(most.batches * (most.columns + 3), most.depth + 3)},
        y_{count(most.batches * (most.rows + 1), most.columns + 3)},
        scratch_{static_cast<std::size_t>(most.columns)} {}

  void compare(matmul_shape s, const conditions& c, const Output& output) {
    if (!s.left_transposed) {
      const q::batch_view<const X> left = filled(left_, s.batches, s.rows, s.depth, c, c.x);
      return compare_right(s, c, output, left, left);
    }
    const q::batch_view<const X> stored = filled(left_, s.batches, s.depth, s.rows, c, c.x);
    numbers<X> rows(count(s.batches * s.rows, s.depth));
    const q::batch_view<X> left{rows.data(), s.batches, s.rows, s.depth};
    REQUIRE(q::transpose(stored, left) == q::status::ok);
    compare_right(s, c, output, q::transposed(stored), q::batch_view<const X>(left));
  }

  tally t;

 private:
  static std::size_t count(q::index_t rows, q::index_t cols) { return static_cast<std::size_t>(rows * cols); }
  /// Returns a view with c.gap elements after each row, and c.gap more after each matrix.
  template <class T>
  q::batch_view<T> view_of(guarded<T>& memory, q::index_t batches, q::index_t rows, q::index_t cols, const conditions& c) {
    const q::index_t stride = cols + c.gap;
    const q::batch_view<T> shaped{nullptr, batches, rows, cols, stride, rows * stride + c.gap};
    const bool is_empty = batches * rows * cols == 0;
    extent_ = is_empty ? 0 : count(batches - 1, rows * stride + c.gap) + count(rows - 1, stride) + static_cast<std::size_t>(cols);
    return {memory.at(c.at_end, extent_), batches, rows, cols, stride, rows * stride + c.gap};
  }
  template <class T>
  q::batch_view<const T> filled(guarded<T>& memory, q::index_t batches, q::index_t rows, q::index_t cols, const conditions& c,
                                values v) {
    const q::batch_view<T> all = view_of(memory, batches, rows, cols, c);
    for (std::size_t i = 0; i < extent_; ++i) all.data()[i] = static_cast<T>(element<T>(v, random_));
    return all;
  }

  template <class Left>
  void compare_right(matmul_shape s, const conditions& c, const Output& output, Left left, q::batch_view<const X> same_left) {
    if (s.transposed)
      compare(s, c, output, left, same_left, q::transposed(filled(right_, s.batches, s.depth, s.columns, c, c.w)));
    else
      compare(s, c, output, left, same_left, filled(right_, s.batches, s.columns, s.depth, c, c.w));
  }

  /// Compares the backends with scalar code. Scalar code reads the left operand by rows.
  template <class Left, class Right>
  void compare(matmul_shape s, const conditions& c, const Output& output, Left left, q::batch_view<const X> same_left,
               Right right) {
    if (!cases_.has_next()) return;
    const q::matmul_layer layer{c.zero, output};
    numbers<Y> expected(count(s.batches * s.rows, s.columns));
    const q::batch_view<Y> truth{expected.data(), s.batches, s.rows, s.columns};
    numbers<accumulator> constants(static_cast<std::size_t>(s.columns));
    q::run(layer, same_left, right, truth, constants);
    const q::batch_view<Y> y = view_of(y_, s.batches, s.rows, s.columns, c);
    const std::size_t extent = extent_;
    const q::view<accumulator> scratch{scratch_.at(c.at_end, constants.size()), s.columns};
    const q::status checked = check(layer, left, right, y, scratch);
    require_runs(checked);
    const q::index_t all = s.batches * s.rows;
    const q::index_t begin = random_.one_in(2) ? 0 : random_.below(static_cast<int>(all) + 1);
    const q::index_t end = random_.one_in(2) ? all : begin + random_.below(static_cast<int>(all - begin) + 1);
    Backends::each([&](auto backend) {
      using tested = decltype(backend);
      static_assert(runs_over_lanes<tested, q::op::row_sums>);
      std::fill(y.data(), y.data() + extent, Y{77});
      q::run<tested>(layer, left, right, y, scratch, {begin, end});
      add(tested::name, s, truth, y, c, begin, end);
    });
  }

  /// Compares the rows that were run with the expected rows. Other rows and the gaps must not have changed.
  void add(const char* name, matmul_shape s, q::batch_view<Y> truth, q::batch_view<Y> y, const conditions& c, q::index_t begin,
           q::index_t end) {
    const numbers<Y> untouched(static_cast<std::size_t>(s.columns), Y{77});
    const q::index_t all = s.batches * s.rows;
    for (q::index_t row = 0; row < all && s.columns > 0; ++row) {
      const Y* const got = y.matrix(row / s.rows).row(row % s.rows);
      const bool is_run = row >= begin && row < end;
      t.add(got, is_run ? truth.matrix(row / s.rows).row(row % s.rows) : untouched.data(), s.columns, [&](q::index_t o) {
        return describe(name, {all, s.columns, s.depth}, row, o);
      });
      if (row + 1 < all)
        for (q::index_t o = s.columns; o < s.columns + c.gap; ++o) t.different += got[o] != Y{77};
    }
  }

  guarded<X> left_;
  guarded<W> right_;
  guarded<Y> y_;
  guarded<accumulator> scratch_;
  support::random_bits random_;
  support::tried_cases cases_;
  std::size_t extent_ = 0;
};

}  // namespace parity

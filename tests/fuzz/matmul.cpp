#include <dyadic/matmul.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

/// Returns a batch of matrices as an image that is one pixel wide.
shape batches(reader& r, index_t n, index_t rows, index_t cols) {
  shape s(r, n, rows, 1, cols);
  s.w = 1;
  s.pixel = s.c;
  return s;
}
extent extent_of_batches(const shape& s) { return extent_of({{s.c, 1}, {s.h, s.row}, {s.n, s.image}}); }
template <class T>
q::batch_view<T> batch_view(T* data, const shape& s) {
  return {data, s.n, s.h, s.c, s.row, s.image};
}

template <bool Transposed, class T>
auto operand(const T* data, const shape& s) {
  if constexpr (Transposed)
    return q::transposed(batch_view(data, s));
  else
    return batch_view(data, s);
}

template <class X, class W, bool LeftTransposed, bool Transposed, bool All = false>
void draw(reader& r, tally& t) {
  memory m(r);
  const index_t n = r.near(r.size(2));
  const index_t rows = r.size(4);
  const index_t depth = r.size(9);
  const index_t columns = r.size(4);
  const q::zero_points zero{any_zero<X>(r), any_zero<W>(r)};
  const shape y_shape = batches(r, n, rows, columns);
  with_output<sizeof(X) == 2, All>(r, m, columns, extent_of_batches(y_shape), [&](auto output, int bits, auto y_block) {
    using accumulator = typename decltype(output)::accumulator;
    using Y = typename decltype(output)::value_type;
    const shape left_shape = LeftTransposed ? batches(r, n, depth, rows) : batches(r, n, rows, depth);
    const shape right_shape = Transposed ? batches(r, n, depth, columns) : batches(r, n, columns, depth);
    const X* const left_data = m.input<X>(extent_of_batches(left_shape)).data;
    const W* const right_data = m.input<W>(extent_of_batches(right_shape)).data;
    const index_t scratch_size = r.near(columns + r.between(0, 1));
    const q::view<accumulator> scratch(m.writable<accumulator>(extent_of(scratch_size)).data, scratch_size);
    const auto left = operand<LeftTransposed>(left_data, left_shape);
    const auto y = batch_view(y_block.data, y_shape);
    const auto right = operand<Transposed>(right_data, right_shape);
    const q::matmul_layer layer{near_zero(r, zero), output};
    const q::status s = t.add(op::matmul, check(layer, left, right, y, scratch));
    expect_answer(r, m, s);
    if (!q::may_run(s) || !m.holds_all()) return;
    expect(is_sound(output) && is_value<X>(layer.zero.x) && is_value<W>(layer.zero.w), "what is accepted is of its type");

    const std::vector<Y*> elements = y_shape.elements(y_block.data, false);
    if (elements.empty()) return run(layer, left, right, y, scratch);  // the number of empty rows does not matter
    expect_clean_run(r, m, elements, y_shape.n * y_shape.h, [&](index_t begin, index_t end) {
      run(layer, left, right, y, scratch, {begin, end});
    });
    ++t.clean_runs;
    ++t.compared;
    oracle::layer truth;
    truth.h = truth.out_h = y_shape.h;
    truth.c = Transposed ? right_shape.h : right_shape.c;
    truth.out_c = y_shape.c;
    truth.zero_x = layer.zero.x;
    truth.zero_w = layer.zero.w;
    std::size_t i = 0;
    for (index_t b = 0; b < y_shape.n; ++b)
      for (const std::int64_t sum : oracle::linear(
               truth,
               [&](index_t, index_t row, index_t, index_t k) {
                 return left_shape.at(left_data, left_shape.n == 1 ? 0 : b, LeftTransposed ? k : row, 0,
                                      LeftTransposed ? row : k);
               },
               [&](index_t o, index_t, index_t, index_t k) {
                 return right_shape.at(right_data, right_shape.n == 1 ? 0 : b, Transposed ? k : o, 0, Transposed ? o : k);
               },
               [](index_t) { return 0; })) {
        if (s == q::status::ok) expect(fits_bits(sum, bits), "an accumulator that is accepted fits");
        const auto acc = static_cast<accumulator>(oracle::wrapped(sum, static_cast<int>(8 * sizeof(accumulator))));
        const Y expected = output(acc, static_cast<index_t>(i) % y_shape.c);
        expect(std::memcmp(&expected, elements[i++], sizeof(Y)) == 0, "an output equals the definition");
      }
  });
}

}  // namespace

void draw_matmul(reader& r, tally& t) {
  switch (r.byte() % 6) {
    case 0: return draw<std::int8_t, std::int8_t, false, false, true>(r, t);
    case 1: return draw<std::int8_t, std::int8_t, true, true>(r, t);
    case 2: return draw<std::int16_t, std::int16_t, false, false, true>(r, t);
    case 3: return draw<std::int16_t, std::int8_t, false, true>(r, t);
    case 4: return draw<std::int16_t, std::int8_t, true, false>(r, t);
    default: return draw<std::uint8_t, std::uint8_t, true, true>(r, t);
  }
}

}  // namespace fuzz

#include <dyadic/rescale.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

template <class X, bool Wide, bool All = false>
void draw(reader& r, tally& t) {
  memory m(r);
  const index_t rows = r.near(r.size(4));
  const index_t cols = r.size(6);
  const shape y_shape = matrix(r, rows, cols);
  with_output<Wide, All>(r, m, cols, y_shape.extent(true), [&](auto output, int bits, auto y_block) {
    using accumulator = typename decltype(output)::accumulator;
    using Y = typename decltype(output)::value_type;
    const shape x_shape = matrix(r, rows, cols);
    const X* const x_data = m.input<X>(x_shape.extent(true)).data;
    std::int32_t zero = 0;
    if constexpr (sizeof(X) <= 2) zero = any_zero<X>(r);
    const q::rescale_layer layer{r.near32(zero), output};
    const auto x = matrix_view(x_data, x_shape);
    const auto y = matrix_view(y_block.data, y_shape);
    const q::status s = t.add(op::rescale, check(layer, x, y));
    expect_answer(r, m, s);
    if (!q::may_run(s) || !m.holds_all()) return;
    expect(is_sound(output), "an activation range that is accepted is of its type");
    const std::vector<Y*> elements = y_shape.elements(y_block.data, true);
    if (elements.empty()) return run(layer, x, y);
    expect_clean_run(r, m, elements, y_shape.h, [&](index_t begin, index_t end) { run(layer, x, y, {begin, end}); });
    ++t.clean_runs;
    ++t.compared;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto column = static_cast<index_t>(i) % y_shape.c;
      const std::int64_t value = value_of(x_shape.at(x_data, 0, static_cast<index_t>(i) / y_shape.c, 0, column));
      const auto centred =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(layer.x_zero_point));
      if (s == q::status::ok) expect(fits_bits(centred, bits), "an accumulator that is accepted fits");
      const Y expected = output(static_cast<accumulator>(centred), column);
      expect(std::memcmp(&expected, elements[i], sizeof(Y)) == 0, "an output equals the definition");
    }
  });
}

/// Draws one element for all channels or one for each, with values near the limits of the attributes.
template <class Multiplier, class Shift, class X, class Y>
void draw_tensor(reader& r, tally& t) {
  memory m(r);
  const index_t rows = r.one_in(3) ? 1 : r.near(r.size(4));
  const index_t cols = r.size(6);
  const shape y_shape = matrix(r, rows, cols);
  const block<Y> y_block = m.output<Y>(y_shape.extent(true));
  const shape x_shape = matrix(r, rows, cols);
  const block<X> x_block = m.input<X>(x_shape.extent(true));
  const auto element = [&](std::size_t bytes) {
    const std::uint8_t right = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return static_cast<q::tosa::element>(r.fault() ? r.byte() : right);
  };
  q::tosa::rescale_attributes a{element(sizeof(X)), element(sizeof(Y))};
  const bool narrow = sizeof(X) <= 2 && sizeof(Y) <= 2;
  if (narrow) a.input_unsigned = r.one_in(3);
  if (narrow && !a.input_unsigned) a.output_unsigned = r.one_in(3);
  if (r.fault()) a.input_unsigned = !a.input_unsigned;
  if (r.fault()) a.output_unsigned = !a.output_unsigned;
  a.scale32 = sizeof(X) <= 4 && r.one_in(2);
  if (r.fault()) a.scale32 = !a.scale32;
  const int rounding = static_cast<int>(r.between(0, 2));
  a.rounding = static_cast<q::tosa::rounding_mode>(r.fault() ? r.byte() : rounding == 1 && !a.scale32 ? 0 : rounding);
  if (sizeof(X) == 1) a.input_zero_point = r.between(0, 127);
  if (sizeof(Y) == 1) a.output_zero_point = r.between(0, 127);
  if (sizeof(X) == 2 && a.input_unsigned) a.input_zero_point = 32768 * r.between(0, 1);
  a.input_zero_point = r.near(static_cast<index_t>(a.input_zero_point));
  a.output_zero_point = r.near(static_cast<index_t>(a.output_zero_point));

  q::tosa::rescale_tensor<Multiplier, Shift> tensor{a, {}, {}, r.one_in(2), 2};
  constexpr auto mantissa = any_mantissa < Multiplier, sizeof(Multiplier) == 2 ? 15 : 31 > ;
  const index_t length = tensor.per_channel ? cols : 1;
  tensor.multipliers = any_array<Multiplier>(r, m, r.near(length), mantissa);
  tensor.shifts = any_array<Shift>(r, m, r.near(length), any_shift<Shift, 2, 62>);
  if (rows == 1) tensor.rank = r.between(cols == 1 && !tensor.per_channel ? 0 : 1, 2);
  tensor.rank = r.near(tensor.rank);

  const auto x = matrix_view<const X>(x_block.data, x_shape);
  const auto y = matrix_view(y_block.data, y_shape);
  const q::status s = t.add(op::tosa_rescale, check(tensor, x, y));
  expect_answer(r, m, s);
  if (s != q::status::ok || !m.holds_all()) return;
  const q::status verified = t.add(op::verify, verify(tensor, x));
  const std::vector<Y*> elements = y_shape.elements(y_block.data, true);
  if (elements.empty()) return run(tensor, x, y);
  expect_clean_run(r, m, elements, y_shape.h, [&](index_t begin, index_t end) { run(tensor, x, y, {begin, end}); });
  ++t.clean_runs;
  m.paint(0x33);
  const std::vector<Y*> written = verified == q::status::ok ? elements : std::vector<Y*>{};
  expect(t.add(op::tosa_rescale, rescale(tensor, x, y)) == verified, "the strict mode has the status of verify");
  expect(m.all_else_is_unchanged(0x33, written), "the strict mode writes nothing unless all is predictable");
}

}  // namespace

void draw_rescale(reader& r, tally& t) {
  switch (r.byte() % 10) {
    case 0: return draw<std::int8_t, false, true>(r, t);
    case 1: return draw<std::uint8_t, false>(r, t);
    case 2: return draw<std::int16_t, true>(r, t);
    case 3: return draw<std::uint16_t, false>(r, t);
    case 4: return draw<std::int32_t, false, true>(r, t);
    case 5: return draw<std::int32_t, true>(r, t);
    case 6: return draw<q::packed_int48, true, true>(r, t);
    case 7: return draw<q::packed_int48, false>(r, t);
    case 8: return draw<std::int64_t, true>(r, t);
    default: return draw<std::int64_t, false>(r, t);
  }
}

void draw_tosa_rescale(reader& r, tally& t) {
  switch (r.byte() % 6) {
    case 0: return draw_tensor<std::int32_t, std::int8_t, std::int8_t, std::int8_t>(r, t);
    case 1: return draw_tensor<std::int16_t, std::int8_t, std::int16_t, std::uint16_t>(r, t);
    case 2: return draw_tensor<std::int64_t, std::int64_t, std::int32_t, std::int8_t>(r, t);
    case 3: return draw_tensor<std::int16_t, std::int32_t, q::packed_int48, std::int32_t>(r, t);
    case 4: return draw_tensor<std::int16_t, std::int8_t, std::int64_t, std::int16_t>(r, t);
    default: return draw_tensor<std::int32_t, std::int32_t, std::uint8_t, std::int32_t>(r, t);
  }
}

}  // namespace fuzz

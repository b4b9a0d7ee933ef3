#include <dyadic/elementwise/extremes.hpp>
#include <dyadic/elementwise/place.hpp>
#include <dyadic/elementwise/pool.hpp>
#include <dyadic/elementwise/resize.hpp>
#include <dyadic/elementwise/xnnpack_resize.hpp>

#include "drawing.hpp"
#include "windowed.hpp"

namespace fuzz {

namespace {

/// The place of an element of y.
struct place {
  index_t n, h, w, c;
};

/// Checks the layer on images in drawn memory. If it is accepted, runs it and compares each element with expected(place, read),
/// where read(n, h, w, c) is an element of x.
template <class X, class Y, class Layer, class Expected>
void draw_layer(reader& r, tally& t, op what, memory& m, const Layer& layer, const shape& x_shape, const shape& y_shape,
                const Expected& expected) {
  const block<Y> y_block = m.output<Y>(y_shape.extent(false));
  const X* const x_data = m.input<X>(x_shape.extent(false)).data;
  const auto x = view_of<op::average_pool>(x_data, x_shape);
  const auto y = view_of<op::average_pool>(y_block.data, y_shape);
  const q::status s = t.add(what, check(layer, x, y));
  expect_answer(r, m, s);
  if (s != q::status::ok || !m.holds_all()) return;
  const std::vector<Y*> elements = y_shape.elements(y_block.data, false);
  if (elements.empty()) return run(layer, x, y);
  expect_clean_run(r, m, elements, y_shape.n * y_shape.h, [&](index_t begin, index_t end) { run(layer, x, y, {begin, end}); });
  ++t.clean_runs;
  ++t.compared;
  const auto read = [&](index_t n, index_t h, index_t w, index_t c) { return x_shape.at(x_data, n, h, w, c); };
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const auto at = static_cast<index_t>(e);
    const place to{at / y_shape.c / y_shape.w / y_shape.h, at / y_shape.c / y_shape.w % y_shape.h, at / y_shape.c % y_shape.w,
                   at % y_shape.c};
    expect(expected(to, read) == *elements[e], "an element is what the layer's comment says");
  }
}

template <class Rule>
void draw_pool(reader& r, tally& t) {
  using X = typename Rule::value_type;
  memory m(r);
  const oracle::axis v = any_pool_axis(r), h = any_pool_axis(r);
  const index_t n = r.near(r.size(2)), height = v.dilation + r.size(3), width = h.dilation + r.size(3), c = r.size(3);
  const index_t rows = any_pool_size(r, height, v), columns = any_pool_size(r, width, h);
  const shape y_shape(r, n, rows, columns, c);
  const shape x_shape(r, n, height, width, c);
  const q::pool_layer<Rule> layer{{near_window(r, v), near_window(r, h)}, {}, any_range<X>(r)};
  draw_layer<X, X>(r, t, op::pool, m, layer, x_shape, y_shape, [&](place to, const auto& read) {
    const bool is_greatest = Rule::id == q::operator_id::maximum;
    std::int32_t best = is_greatest ? INT32_MIN : INT32_MAX;
    const index_t top = to.h * layer.window.y.stride - layer.window.y.pad_before;
    const index_t left = to.w * layer.window.x.stride - layer.window.x.pad_before;
    for (index_t ky = 0; ky < layer.window.y.kernel; ++ky)
      for (index_t kx = 0; kx < layer.window.x.kernel; ++kx) {
        const index_t i = top + ky * layer.window.y.dilation, j = left + kx * layer.window.x.dilation;
        if (i >= 0 && i < x_shape.h && j >= 0 && j < x_shape.w) {
          const std::int32_t element = read(to.n, i, j, to.c);
          best = is_greatest ? std::max(best, element) : std::min(best, element);
        }
      }
    return std::min(std::max(best, layer.range.min), layer.range.max);
  });
}

/// Draws an extreme along any axes, or its index along one axis.
template <class Layer, class Y>
void draw_extreme(reader& r, tally& t) {
  using X = typename Layer::value_type;
  constexpr bool finds_index = !std::is_same_v<Layer, q::extreme_layer<decltype(Layer::rule)>>;
  memory m(r);
  const index_t sizes[] = {1 + r.size(2), 1 + r.size(2), 1 + r.size(2), 1 + r.size(3)};
  const int axes = finds_index ? 1 << r.between(0, 3) : r.byte();
  const auto kept = [&](int axis) { return (axes >> axis & 1) != 0 ? 1 : sizes[axis]; };
  const shape y_shape(r, kept(0), kept(1), kept(2), kept(3));
  const shape x_shape(r, sizes[0], sizes[1], sizes[2], sizes[3]);
  draw_layer<X, Y>(r, t, op::extreme, m, Layer{}, x_shape, y_shape, [&](place to, const auto& read) {
    const auto first = [&](index_t size, index_t all, index_t at) { return all == size ? at : 0; };
    const auto last = [&](index_t size, index_t all, index_t at) { return all == size ? at + 1 : size; };
    std::int32_t best = INT32_MIN, found = 0, i = 0;
    for (index_t a = first(x_shape.n, y_shape.n, to.n); a < last(x_shape.n, y_shape.n, to.n); ++a)
      for (index_t b = first(x_shape.h, y_shape.h, to.h); b < last(x_shape.h, y_shape.h, to.h); ++b)
        for (index_t c = first(x_shape.w, y_shape.w, to.w); c < last(x_shape.w, y_shape.w, to.w); ++c)
          for (index_t d = first(x_shape.c, y_shape.c, to.c); d < last(x_shape.c, y_shape.c, to.c); ++d, ++i)
            if (read(a, b, c, d) > best) best = read(a, b, c, d), found = i;
    return finds_index ? found : best;
  });
}

void draw_pad(reader& r, tally& t) {
  using X = std::int16_t;
  memory m(r);
  const index_t sizes[] = {r.size(2), r.size(3), r.size(3), r.size(3)};
  q::pad_layer<X> layer{{}, static_cast<X>(r.word())};
  index_t to[4] = {};
  for (int i = 0; i < 4; ++i) {
    const index_t before = r.between(0, 2);
    to[i] = before + sizes[i] + r.between(0, 2);
    layer.before[i] = r.near(before);
  }
  const shape y_shape(r, to[0], to[1], to[2], to[3]);
  const shape x_shape(r, sizes[0], sizes[1], sizes[2], sizes[3]);
  draw_layer<X, X>(r, t, op::pad, m, layer, x_shape, y_shape, [&](place at, const auto& read) {
    const place from{at.n - layer.before[0], at.h - layer.before[1], at.w - layer.before[2], at.c - layer.before[3]};
    const auto is_within = [](index_t i, index_t size) { return i >= 0 && i < size; };
    const bool is_inside = is_within(from.n, x_shape.n) && is_within(from.h, x_shape.h) && is_within(from.w, x_shape.w) &&
                           is_within(from.c, x_shape.c);
    return is_inside ? read(from.n, from.h, from.w, from.c) : layer.value;
  });
}

template <class Rule>
void draw_resize(reader& r, tally& t, const Rule& rule, index_t in_y, index_t out_y, index_t in_x, index_t out_x) {
  using X = typename Rule::argument_type;
  memory m(r);
  const index_t n = r.size(2), c = r.size(3);
  const shape y_shape(r, n, out_y, out_x, c);
  const shape x_shape(r, n, in_y, in_x, c);
  const q::resize_layer<Rule> layer{rule};
  draw_layer<X, typename Rule::value_type>(r, t, op::resize, m, layer, x_shape, y_shape, [&](place to, const auto& read) {
    const auto rows = rule.along(0, x_shape.h, y_shape.h);
    const auto columns = rule.along(1, x_shape.w, y_shape.w);
    const q::resize_place v = rows(to.h), h = columns(to.w);
    if constexpr (!Rule::interpolates) {
      return read(to.n, v.low, h.low, to.c);
    } else {
      std::int64_t sum = 0;
      for (const bool below : {false, true})
        for (const bool right : {false, true})
          sum += (below ? v.weight : rows.unit - v.weight) * (right ? h.weight : columns.unit - h.weight) *
                 read(to.n, below ? v.high : v.low, right ? h.high : h.low, to.c);
      return Rule::finish(sum);
    }
  });
}

template <class Rule>
void draw_tflite_resize(reader& r, tally& t) {
  const bool is_far = r.fault(8);  // TFLite reads outside an image of one row, for 55 rows of y
  const bool takes_both = !Rule::interpolates || r.fault();
  q::tflite::resize_alignment alignment{r.one_in(3), r.one_in(3)};
  if (alignment.align_corners && !takes_both) alignment.half_pixel_centers = false;
  const index_t in = is_far ? 1 : 1 + r.size(4), out = is_far ? 55 : 1 + r.size(6);
  const index_t width = 1 + r.size(4), columns = 1 + r.size(6);
  draw_resize(r, t, Rule{alignment}, in, out, width, columns);
}

/// Draws attributes of an axis that has a whole number of outputs.
q::tosa::resize_attributes any_attributes(reader& r, index_t in, index_t& out) {
  const auto n = static_cast<std::int32_t>(r.between(1, 6)), d = static_cast<std::int32_t>(r.between(1, 6));
  const auto offset = static_cast<std::int32_t>(r.between(0, n)) - n;
  const auto span = static_cast<std::int32_t>(in - 1) * n - offset;
  const std::int32_t rest = span % d;
  out = static_cast<index_t>(span / d + 1);
  return {r.near32(n), r.near32(d), r.near32(offset), r.near32(-rest)};  // the rest is below d, and d below 16 n
}
template <class Rule>
void draw_tosa_resize(reader& r, tally& t) {
  const index_t height = 1 + r.size(3), width = 1 + r.size(3);
  index_t rows = 0, columns = 0;
  const auto of_rows = any_attributes(r, height, rows), of_columns = any_attributes(r, width, columns);
  if constexpr (Rule::interpolates)
    draw_resize(r, t, Rule{{of_rows, of_columns}}, height, rows, width, columns);
  else
    draw_resize(r, t, Rule{{{of_rows, of_columns}}}, height, rows, width, columns);
}

}  // namespace

void draw_images(reader& r, tally& t) {
  using std::int16_t;
  using std::int8_t;
  switch (r.byte() % 11) {
    case 0: return draw_pool<q::maximum<int8_t>>(r, t);
    case 1: return draw_pool<q::minimum<std::uint8_t>>(r, t);
    case 2: return draw_pool<q::maximum<int16_t>>(r, t);
    case 3: return draw_extreme<q::extreme_layer<q::maximum<int16_t>>, int16_t>(r, t);
    case 4: return draw_extreme<q::arg_layer<q::maximum<std::uint8_t>>, std::int32_t>(r, t);
    case 5: return draw_pad(r, t);
    case 6: return draw_tflite_resize<q::tflite::resize_bilinear<int8_t>>(r, t);
    case 7: return draw_tflite_resize<q::tflite::resize_nearest<int16_t>>(r, t);
    case 8: return draw_tosa_resize<q::tosa::resize_bilinear<int16_t>>(r, t);
    case 9: return draw_tflite_resize<q::xnnpack::resize_bilinear<std::uint8_t>>(r, t);
    default: return draw_tosa_resize<q::tosa::resize_nearest<int8_t>>(r, t);
  }
}

}  // namespace fuzz
